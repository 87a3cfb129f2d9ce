//! The names in a part of a log, by their spellings.

use indexmap::IndexSet;

use super::log::NameId;
use crate::formats::lines::interner::{BytesInterner, ShortText};
use crate::term::hash::RandomState;

/// Different texts, numbered in the order of their first occurrence.
pub(crate) type Names = IndexSet<Box<str>, RandomState>;

/// The names so far.
#[derive(Default)]
pub(crate) struct NameTable {
    pub(crate) names: Names,
    /// Simple ones, as they are written.
    spellings: BytesInterner,
    /// The name of each spelling.
    of_spellings: Vec<NameId>,
}

/// The number of a name, which is added if it is a new one.
pub(crate) fn number(names: &mut Names, name: &str) -> NameId {
    let known = names.get_index_of(name);
    known.unwrap_or_else(|| names.insert_full(name.into()).0) as NameId
}

impl NameTable {
    /// The number of a name that was written in the same way before.
    pub(crate) fn known(&self, written: &[u8]) -> Option<NameId> {
        self.spellings.find_any(written, 0).map(|spelling| self.of_spellings[spelling as usize])
    }

    /// The number and the end of a short name that was written in the same way before and that `mark` follows.
    #[inline]
    pub(crate) fn known_before(&mut self, mark: u8, text: &[u8], at: usize) -> Option<(NameId, usize)> {
        let (written, end) = ShortText::before(mark, text, at)?;
        let spelling = self.spellings.find_short(written, 0)?;
        Some((self.of_spellings[spelling as usize], end))
    }

    /// The number of a name, which is remembered for what was `written` for it.
    pub(crate) fn add(&mut self, name: &str, written: Option<&[u8]>) -> NameId {
        let id = number(&mut self.names, name);
        if let Some(written) = written.filter(|written| self.known(written).is_none()) {
            self.spellings.add(written, 0);
            self.of_spellings.push(id);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_what_was_written() {
        let mut names = NameTable::default();
        assert_eq!([names.add("a", Some(b"a")), names.add("b", Some(b"'b'")), names.add("b", None)], [0, 1, 1]);
        assert_eq!(names.add("b", Some(b"b")), 1);
        assert_eq!([b"a", b"b", b"c"].map(|written| names.known(written)), [Some(0), Some(1), None]);
        assert_eq!(names.known_before(b',', b"'b',..............", 0), Some((1, 3)));
        assert_eq!(names.known_before(b',', b"'c',..............", 0), None);
    }
}
