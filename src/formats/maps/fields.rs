//! The fields of a line that a map looks up, and the members of their values, found in one pass. Lines of one program mostly
//! have the same keys in the same order, so the next key is guessed from the one before.

use crate::term::hash::HashMap;
use std::ops::Range;

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::mapping::{FieldTable, MemberKey};

/// The fields of an object that a map looks up.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectFields<'t> {
    text: &'t str,
    /// By the numbers of the table.
    values: Vec<Option<Json<'t>>>,
    /// By the numbers of the table, members of the values.
    members: Vec<Option<Member<'t>>>,
    /// Where the fields stand, keys included, that are not shown otherwise and not null; neighbours are one.
    rest: Vec<Range<usize>>,
}

/// What a key leads to in the value of a field.
#[derive(Clone, Debug)]
pub(crate) enum Member<'t> {
    /// The value is an object: that of the key.
    OfObject(Json<'t>),
    /// The value is an array: that of the key in the last of its elements that has one.
    OfLastElement(Option<Json<'t>>),
}

impl<'t> ObjectFields<'t> {
    /// Replaces the fields by those of the object that is the whole text.
    pub(crate) fn read(
        &mut self,
        text: &'t str,
        table: &FieldTable,
        guesses: &mut KeyGuesses,
    ) -> Result<(), JsonError> {
        self.clear(table);
        self.text = text;
        let mut scanner = JsonScanner::new(text);
        scanner.begin_object()?;
        let mut number = KeyGuesses::START;
        while let Some(key) = guesses.next(number, &mut scanner, |key| KeyUse::of(key, table))? {
            number = key.number;
            let Some(field) = key.usage.field else {
                match key.usage.is_rest {
                    true if scanner.raw()? == "null" => {}
                    true => self.add_rest(key.start..scanner.offset()),
                    false => scanner.skip()?,
                }
                continue;
            };
            let value = match table.members_of(field) {
                [] => scanner.value()?,
                members => self.value_with_members(&mut scanner, members, guesses.inside(field))?,
            };
            if key.usage.is_rest && !matches!(value, Json::Null) {
                self.add_rest(key.start..scanner.offset());
            }
            self.values[field] = Some(value);
        }
        scanner.end()
    }

    /// The next value, and its members.
    fn value_with_members(
        &mut self,
        scanner: &mut JsonScanner<'t>,
        members: &[MemberKey],
        guesses: &mut KeyGuesses,
    ) -> Result<Json<'t>, JsonError> {
        let kind = scanner.kind()?;
        let from = scanner.offset();
        let none = (kind == JsonKind::Array).then_some(Member::OfLastElement(None));
        members.iter().for_each(|member| self.members[member.number] = none.clone());
        match kind {
            JsonKind::Object => self.members(scanner, members, guesses, Member::OfObject)?,
            JsonKind::Array => {
                scanner.begin_array()?;
                while scanner.next_element()? {
                    match scanner.kind()? {
                        JsonKind::Object => {
                            self.members(scanner, members, guesses, |value| Member::OfLastElement(Some(value)))?;
                        }
                        _ => scanner.skip()?,
                    }
                }
            }
            _ => return scanner.value(),
        }
        Ok(Json::Nested(&self.text[from..scanner.offset()]))
    }

    /// Takes an object, and notes its members.
    fn members(
        &mut self,
        scanner: &mut JsonScanner<'t>,
        members: &[MemberKey],
        guesses: &mut KeyGuesses,
        member: impl Fn(Json<'t>) -> Member<'t>,
    ) -> Result<(), JsonError> {
        scanner.begin_object()?;
        let mut number = KeyGuesses::START;
        while let Some(key) = guesses.next(number, scanner, |key| KeyUse::of_member(key, members))? {
            number = key.number;
            match key.usage.field {
                Some(found) => self.members[found] = Some(member(scanner.value()?)),
                None => scanner.skip()?,
            }
        }
        Ok(())
    }

    /// Forgets all; room for the fields of a table.
    pub(crate) fn clear(&mut self, table: &FieldTable) {
        self.values.clear();
        self.values.resize(table.keys.len(), None);
        self.members.clear();
        self.members.resize(table.n_members, None);
        self.rest.clear();
    }

    /// The member of a field with a number; none if the value is no array, and no object with this key.
    #[inline]
    pub(crate) fn member(&self, number: usize) -> Option<&Member<'t>> {
        self.members.get(number)?.as_ref()
    }

    /// The value of a field.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&Json<'t>> {
        self.values.get(number)?.as_ref()
    }

    /// The fields that are not shown otherwise, as they stand between braces; empty if there are none.
    pub(crate) fn rest(&self) -> impl Iterator<Item = &'t str> {
        self.rest.iter().map(|part| &self.text[part.clone()])
    }

    fn add_rest(&mut self, field: Range<usize>) {
        match self.rest.last_mut() {
            // a comma, perhaps with a blank
            Some(last) if field.start - last.end <= 2 => last.end = field.end,
            _ => self.rest.push(field),
        }
    }
}

/// What a map does with a key.
#[derive(Clone, Copy, Debug, Default)]
struct KeyUse {
    /// Its number in the table, among fields or among members.
    field: Option<usize>,
    /// Whether it belongs to the rest.
    is_rest: bool,
}

impl KeyUse {
    fn of_member(key: &str, members: &[MemberKey]) -> KeyUse {
        let member = members.iter().find(|member| *member.key == *key);
        KeyUse { field: member.map(|member| member.number), is_rest: false }
    }

    fn of(key: &str, table: &FieldTable) -> KeyUse {
        let field = table.keys.iter().position(|known| **known == *key);
        KeyUse { field, is_rest: table.needs_rest && !field.is_some_and(|field| table.is_shown[field]) }
    }
}

/// The keys that were seen in the objects of one table, and which came after which.
#[derive(Clone, Debug)]
pub(crate) struct KeyGuesses {
    keys: Vec<SeenKey>,
    numbers: HashMap<Box<str>, usize>,
    /// By the numbers of fields, the keys of their values.
    inside: Vec<KeyGuesses>,
}

/// A key that was seen.
#[derive(Clone, Debug, Default)]
struct SeenKey {
    /// With its quotes and the colon.
    written: Box<[u8]>,
    usage: KeyUse,
    /// The numbers of keys that came after it.
    after: [usize; N_AFTER],
}

/// A key of an object.
struct FoundKey {
    number: usize,
    usage: KeyUse,
    /// Where its quotes begin.
    start: usize,
}

/// How many keys are tried in place of the next one.
const N_AFTER: usize = 4;

impl Default for KeyGuesses {
    fn default() -> KeyGuesses {
        let keys = vec![SeenKey::default(); KeyGuesses::OTHER + 1];
        KeyGuesses { keys, numbers: HashMap::default(), inside: Vec::new() }
    }
}

impl KeyGuesses {
    /// What stands before the first key.
    const START: usize = 0;
    /// All keys that are not kept.
    const OTHER: usize = 1;
    /// More keys are not kept: some programs make keys of data.
    const MOST: usize = 1 << 10;

    /// The guesses about the keys of the value of a field.
    fn inside(&mut self, field: usize) -> &mut KeyGuesses {
        if self.inside.len() <= field {
            self.inside.resize_with(field + 1, KeyGuesses::default);
        }
        &mut self.inside[field]
    }

    /// The next key after the one with this number; a function says what is done with a key that was not seen before.
    #[inline]
    fn next(
        &mut self,
        before: usize,
        scanner: &mut JsonScanner<'_>,
        usage: impl Fn(&str) -> KeyUse,
    ) -> Result<Option<FoundKey>, JsonError> {
        for number in self.keys[before].after {
            if number == KeyGuesses::START {
                break;
            }
            let guess = &self.keys[number];
            if scanner.passes_key(&guess.written) {
                let start = scanner.offset() - guess.written.len();
                return Ok(Some(FoundKey { number, usage: guess.usage, start }));
            }
        }
        self.look_up(before, scanner, usage)
    }

    #[inline(never)]
    fn look_up(
        &mut self,
        before: usize,
        scanner: &mut JsonScanner<'_>,
        usage: impl Fn(&str) -> KeyUse,
    ) -> Result<Option<FoundKey>, JsonError> {
        let mut at_key = scanner.clone();
        let Some(key) = scanner.next_key()? else { return Ok(None) };
        let start = at_key.key_offset();
        let number = self.number(&key, &usage);
        if number == KeyGuesses::OTHER {
            return Ok(Some(FoundKey { number, usage: usage(&key), start }));
        }
        let SeenKey { after, .. } = &mut self.keys[before];
        if !after.contains(&number) {
            after.rotate_right(1);
            after[0] = number;
        }
        Ok(Some(FoundKey { number, usage: self.keys[number].usage, start }))
    }

    fn number(&mut self, key: &str, usage: impl Fn(&str) -> KeyUse) -> usize {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        // a key with escapes is not written as it is
        if self.keys.len() == KeyGuesses::MOST || key.bytes().any(|byte| matches!(byte, 0..=0x1F | b'"' | b'\\')) {
            return KeyGuesses::OTHER;
        }
        let number = self.keys.len();
        let written = [b"\"", key.as_bytes(), b"\":"].concat().into();
        self.keys.push(SeenKey { written, usage: usage(key), after: [KeyGuesses::START; N_AFTER] });
        self.numbers.insert(key.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessed_keys_change_nothing() {
        let keys = |keys: &[&str]| keys.iter().map(|key| Box::from(*key)).collect();
        let table = FieldTable {
            keys: keys(&["a", "b"]),
            is_shown: vec![true, false],
            needs_rest: true,
            ..FieldTable::default()
        };
        let mut guesses = KeyGuesses::default();
        for (line, a, b, rest) in [
            (r#"{"a":1,"b":"x","c":[1]}"#, Some("1"), Some("x"), vec![r#""b":"x","c":[1]"#]),
            (r#"{"a":1,"b":"y","c":[2]}"#, Some("1"), Some("y"), vec![r#""b":"y","c":[2]"#]),
            (r#"{"a": 2, "b": "x", "d": {}}"#, Some("2"), Some("x"), vec![r#""b": "x", "d": {}"#]),
            (r#"{ "b" : null , "c" : 1 , "a" : 3 , "d" : 4 }"#, Some("3"), None, vec![r#""c" : 1"#, r#""d" : 4"#]),
            (r#"{"a\":1,\"b":0,"\u0061":5,"b":"z"}"#, Some("5"), Some("z"), vec![r#""a\":1,\"b":0"#, r#""b":"z""#]),
            (r#"{"a":1,"b":"x","b":"w"}"#, Some("1"), Some("w"), vec![r#""b":"x","b":"w""#]),
            ("{}", None, None, vec![]),
        ] {
            let mut fields = ObjectFields::default();
            for _ in 0..2 {
                fields.read(line, &table, &mut guesses).expect("an object");
                let found = |number| fields.get(number).filter(|value| **value != Json::Null).map(Json::written);
                assert_eq!(found(0).as_deref(), a, "{line}");
                assert_eq!(fields.get(1).and_then(Json::text), b, "{line}");
                assert_eq!(fields.rest().collect::<Vec<_>>(), rest, "{line}");
            }
        }
        let mut fields = ObjectFields::default();
        let error = fields.read(r#"{"a":1,"b":}"#, &table, &mut guesses).expect_err("no object");
        assert_eq!((error.at, error.expected), (11, "a value"));
    }

    #[test]
    fn any_number_of_keys_is_read() {
        let table =
            FieldTable { keys: vec!["k2999".into()], is_shown: vec![true], needs_rest: true, ..FieldTable::default() };
        let line = format!("{{{}}}", (0..3000).map(|key| format!("\"k{key}\":{key}")).collect::<Vec<_>>().join(","));
        let (mut guesses, mut fields) = (KeyGuesses::default(), ObjectFields::default());
        for _ in 0..2 {
            fields.read(&line, &table, &mut guesses).expect("an object");
            assert_eq!(fields.get(0), Some(&Json::Integer("2999")));
            assert_eq!(fields.rest().map(str::len).sum::<usize>(), line.len() - r#"{,"k2999":2999}"#.len());
        }
    }
}
