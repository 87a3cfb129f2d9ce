//! A text whose characters can be counted quickly, and the places of parts in it.

use std::rc::Rc;

/// A text with the byte offsets of its characters.
#[derive(Debug)]
pub(crate) struct Characters {
    text: Box<str>,
    /// None if every character is one byte; else the offset of each, and the length.
    offsets: Option<Vec<usize>>,
}

/// Start and length of the only possible part of `whole`, if the arguments determine it directly; `known` holds before,
/// length and after.
pub(crate) fn only_place(whole: &str, part: Option<&str>, known: [Option<usize>; 3]) -> Option<Option<(usize, usize)>> {
    if !whole.is_ascii() {
        return None;
    }
    let n = whole.len();
    let fits = |start: usize, length: usize| start.checked_add(length).is_some_and(|end| end <= n);
    match (part, known) {
        (Some(part), [Some(before), ..]) => {
            let is_there = whole.get(before..).is_some_and(|rest| rest.starts_with(part));
            Some(is_there.then_some((before, part.len())))
        }
        (Some(part), _) => match whole.find(part) {
            Some(first) if whole.get(first + 1..).is_some_and(|rest| rest.contains(part)) => None,
            found => Some(found.map(|first| (first, part.len()))),
        },
        (None, [Some(before), Some(length), after]) => {
            let is_rest = after.is_none_or(|after| Some(after) == n.checked_sub(before.saturating_add(length)));
            Some((is_rest && fits(before, length)).then_some((before, length)))
        }
        (None, [Some(before), None, Some(after)]) => Some(fits(before, after).then(|| (before, n - before - after))),
        (None, [None, Some(length), Some(after)]) => Some(fits(length, after).then(|| (n - length - after, length))),
        _ => None,
    }
}

/// Start and length of parts, in characters.
pub(crate) type Places = Box<dyn Iterator<Item = (usize, usize)>>;

impl Characters {
    /// The characters of `text`.
    pub(crate) fn new(text: &str) -> Characters {
        let offsets =
            (!text.is_ascii()).then(|| text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect());
        Characters { text: text.into(), offsets }
    }

    /// Number of characters.
    pub(crate) fn len(&self) -> usize {
        self.offsets.as_ref().map_or(self.text.len(), |offsets| offsets.len() - 1)
    }

    /// The part of `length` characters from the character `start` on; both must be inside.
    pub(crate) fn part(&self, start: usize, length: usize) -> &str {
        &self.text[self.offset(start)..self.offset(start + length)]
    }

    fn offset(&self, index: usize) -> usize {
        self.offsets.as_ref().map_or(index, |offsets| offsets[index])
    }

    /// The number of the character at a byte offset.
    fn index(&self, offset: usize) -> usize {
        self.offsets.as_ref().map_or(offset, |offsets| offsets.partition_point(|&other| other < offset))
    }

    /// The places of `part`, including overlapping ones; only the place at `before` if that is known.
    pub(crate) fn occurrences(self: &Rc<Self>, part: String, before: Option<usize>) -> Places {
        let length = part.chars().count();
        if let Some(before) = before {
            let fits = before <= self.len() && self.text[self.offset(before)..].starts_with(&part);
            return Box::new(fits.then_some((before, length)).into_iter());
        }
        let (whole, mut from) = (self.clone(), Some(0));
        Box::new(std::iter::from_fn(move || {
            let start = from?;
            let found = start + whole.text[start..].find(&part)?;
            from = whole.text[found..].chars().next().map(|character| found + character.len_utf8());
            Some((whole.index(found), length))
        }))
    }

    /// All parts that agree with the known ones of start, length and rest.
    pub(crate) fn places(&self, before: Option<usize>, length: Option<usize>, after: Option<usize>) -> Places {
        let n = self.len();
        let one = |start: Option<usize>, length: Option<usize>| -> Places { Box::new(start.zip(length).into_iter()) };
        match (before, length, after) {
            (Some(b), Some(l), Some(a)) => {
                one((b.checked_add(l).and_then(|s| s.checked_add(a)) == Some(n)).then_some(b), Some(l))
            }
            (Some(b), Some(l), None) => one(n.checked_sub(b).is_some_and(|rest| l <= rest).then_some(b), Some(l)),
            (Some(b), None, Some(a)) => one(Some(b), n.checked_sub(b).and_then(|rest| rest.checked_sub(a))),
            (None, Some(l), Some(a)) => one(n.checked_sub(l).and_then(|rest| rest.checked_sub(a)), Some(l)),
            (Some(b), None, None) => Box::new((0..(n + 1).saturating_sub(b)).map(move |l| (b, l))),
            (None, Some(l), None) => Box::new((0..(n + 1).saturating_sub(l)).map(move |b| (b, l))),
            (None, None, Some(a)) => Box::new((0..(n + 1).saturating_sub(a)).map(move |b| (b, n - a - b))),
            (None, None, None) => Box::new((0..=n).flat_map(move |b| (0..=n - b).map(move |l| (b, l)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_may_overlap_and_count_characters() {
        let text = Rc::new(Characters::new("éaaéa"));
        assert_eq!(text.occurrences("a".into(), None).collect::<Vec<_>>(), [(1, 1), (2, 1), (4, 1)]);
        let text = Rc::new(Characters::new("aaa"));
        assert_eq!(text.occurrences("aa".into(), None).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
        assert_eq!(text.occurrences(String::new(), None).count(), 4);
        assert_eq!(text.occurrences("aa".into(), Some(2)).count(), 0);
    }

    #[test]
    fn places_that_do_not_fit_are_none() {
        let text = Characters::new("banana");
        assert_eq!(text.places(Some(2), Some(3), Some(2)).count(), 0);
        assert_eq!(text.places(Some(7), None, None).count(), 0);
        assert_eq!(text.places(Some(6), None, None).collect::<Vec<_>>(), [(6, 0)]);
        assert_eq!(text.places(None, Some(usize::MAX), Some(1)).count(), 0);
        assert_eq!(text.places(None, None, Some(4)).collect::<Vec<_>>(), [(0, 2), (1, 1), (2, 0)]);
        assert_eq!(text.places(None, None, None).count(), 28);
    }

    /// The places that agree with the known numbers.
    fn fitting(
        whole: &str,
        known: [Option<usize>; 3],
        places: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<(usize, usize)> {
        let fits = |&(start, length): &(usize, usize)| {
            let found = [start, length, whole.len() - start - length];
            known.iter().zip(found).all(|(known, found)| known.is_none_or(|known| known == found))
        };
        places.filter(fits).collect()
    }

    #[test]
    fn the_only_place_is_that_of_the_general_search() {
        let numbers = || (0..7).map(Some).chain([None]);
        let mut n_found = 0;
        for whole in ["", "a", "aa", "abab", "abcab"] {
            let characters = Rc::new(Characters::new(whole));
            for part in [None, Some(""), Some("a"), Some("ab"), Some("b"), Some("é")] {
                for known in numbers().flat_map(|b| numbers().flat_map(move |l| numbers().map(move |a| [b, l, a]))) {
                    let Some(place) = only_place(whole, part, known) else { continue };
                    let all = match part {
                        Some(part) => characters.occurrences(part.to_owned(), known[0]),
                        None => characters.places(known[0], known[1], known[2]),
                    };
                    let found = fitting(whole, known, place.into_iter());
                    assert_eq!(found, fitting(whole, known, all), "{whole} {part:?} {known:?}");
                    n_found += found.len();
                }
            }
        }
        assert!(n_found > 100, "{n_found}");
    }
}
