//! The names in a part of a log, by their spellings.

use super::rows::NameId;
use crate::formats::lines::interner::{BytesInterner, ShortText};

/// The names so far: one that is written in several ways has several numbers.
#[derive(Default)]
pub(crate) struct NameTable {
    /// Their texts.
    pub(crate) names: Vec<Box<str>>,
    /// How they are written, tagged with their forms.
    spellings: BytesInterner,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameForm {
    /// It ends where [`name_end`](super::term_end::name_end) says.
    Simple,
    /// In any other way.
    Other,
}

impl NameTable {
    /// The number of a simple name that was written in the same way before.
    pub(crate) fn known(&self, written: &[u8]) -> Option<NameId> {
        self.spellings.find_any(written, NameForm::Simple as i64)
    }

    /// The number and the end of a short simple name that was written in the same way before and that `mark` follows.
    #[inline]
    pub(crate) fn known_before(&mut self, mark: u8, text: &[u8], at: usize) -> Option<(NameId, usize)> {
        let (written, end) = ShortText::before(mark, text, at)?;
        Some((self.spellings.find_short(written, NameForm::Simple as i64)?, end))
    }

    /// The number of what was `written` for a name.
    pub(crate) fn add(&mut self, name: &str, written: &[u8], form: NameForm) -> NameId {
        self.spellings.find_any(written, form as i64).unwrap_or_else(|| {
            self.names.push(name.into());
            self.spellings.add(written, form as i64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_what_was_written() {
        use NameForm::{Other, Simple};
        let mut names = NameTable::default();
        let all =
            [("a", "a", Simple), ("b", "'b'", Simple), ("b", "'b'", Simple), ("b", "b", Simple), ("c", "c", Other)];
        assert_eq!(all.map(|(name, written, form)| names.add(name, written.as_bytes(), form)), [0, 1, 1, 2, 3]);
        assert_eq!([b"a", b"b", b"c"].map(|written| names.known(written)), [Some(0), Some(2), None]);
        assert_eq!(names.known_before(b',', b"'b',..............", 0), Some((1, 3)));
        assert_eq!(names.known_before(b',', b"c,................", 0), None);
        assert_eq!(names.names, ["a", "b", "b", "c"].map(Box::from));
    }
}
