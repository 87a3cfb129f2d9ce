//! The keys that a format knows in its objects. Writers keep the order of keys, so the next one is guessed from the one before.

use super::scanner::{JsonError, JsonScanner};

/// Keys without escapes, each with what it stands for; thirty at most.
pub(crate) type KnownKeys<K> = [(&'static str, K)];

/// Which key came after each key of a table the last time.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyOrder {
    /// By the places of keys in the table, from 2; 0 for no place.
    after: [u8; 32],
}

/// The place of a key in the table of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyPlace(u8);

impl KeyPlace {
    /// That of all keys that are not in the table; zero stands before the first key.
    const OTHER: KeyPlace = KeyPlace(1);
    const FIRST: usize = 2;
}

impl KeyOrder {
    /// The next key of an object in which `place` is that of the key before, at first the default: what a known one stands for.
    /// None at the end of the object, which is left.
    #[inline]
    pub(crate) fn next<K: Copy>(
        &mut self,
        place: &mut KeyPlace,
        keys: &KnownKeys<K>,
        scanner: &mut JsonScanner<'_>,
    ) -> Result<Option<Option<K>>, JsonError> {
        let guess = self.after[usize::from(place.0)];
        if let Some((key, stands_for)) = usize::from(guess).checked_sub(KeyPlace::FIRST).and_then(|at| keys.get(at))
            && scanner.passes_plain_key(key)
        {
            *place = KeyPlace(guess);
            return Ok(Some(Some(*stands_for)));
        }
        self.look_up(place, keys, scanner)
    }

    #[inline(never)]
    fn look_up<K: Copy>(
        &mut self,
        place: &mut KeyPlace,
        keys: &KnownKeys<K>,
        scanner: &mut JsonScanner<'_>,
    ) -> Result<Option<Option<K>>, JsonError> {
        let Some(key) = scanner.next_key()? else { return Ok(None) };
        let before = usize::from(place.0);
        match keys.iter().position(|(known, _)| *known == key) {
            Some(at) => {
                *place = KeyPlace((at + KeyPlace::FIRST) as u8);
                self.after[before] = place.0;
                Ok(Some(Some(keys[at].1)))
            }
            None => {
                *place = KeyPlace::OTHER;
                Ok(Some(None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &KnownKeys<char> = &[("a", 'A'), ("b", 'B'), ("cc", 'C')];

    /// What the keys of an object of numbers stand for, a dot for an unknown one.
    fn read(text: &str, order: &mut KeyOrder) -> Result<String, JsonError> {
        let (mut scanner, mut place, mut found) = (JsonScanner::new(text), KeyPlace::default(), String::new());
        scanner.begin_object()?;
        while let Some(key) = order.next(&mut place, KEYS, &mut scanner)? {
            found.push(key.unwrap_or('.'));
            scanner.skip()?;
        }
        scanner.end().map(|()| found)
    }

    #[test]
    fn a_guess_changes_nothing() {
        let mut order = KeyOrder::default();
        let texts = [
            (r#"{"a":1,"b":2,"cc":3}"#, "ABC"),
            (r#"{"a":1,"b":2,"cc":3}"#, "ABC"),
            (r#"{"a": 1, "b": 2, "cc": 3}"#, "ABC"),
            (r#"{ "a" : 1 , "b" : 2 , "cc" : 3 }"#, "ABC"),
            (r#"{"a":1,"cc":2,"b":3,"b":4}"#, "ACBB"),
            (r#"{"x":1,"a":2,"y":3,"b":4,"c":5}"#, ".A.B."),
            (r#"{"\u0061":1,"b\"":2,"b":3}"#, "A.B"),
            ("{}", ""),
        ];
        for (text, expected) in texts.iter().chain(texts.iter().rev()) {
            assert_eq!(read(text, &mut order).as_deref(), Ok(*expected), "{text}");
        }
        for (text, at) in [(r#"{"a":1"b":2}"#, 6), (r#"{,"a":1}"#, 1), (r#"{"a":1,}"#, 7), (r#"{"a":1,"b"2}"#, 10)] {
            assert_eq!(read(text, &mut order).map_err(|error| error.at), Err(at), "{text}");
        }
    }
}
