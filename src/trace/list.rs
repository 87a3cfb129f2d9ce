//! Columns of lists of texts: arguments, their names and types.

use super::args::ArgTexts;
use super::column::Codes;
use super::dictionary::{Interner, Texts};

/// A dictionary-coded column of lists: code + 1, and 0 for an absent one.
#[derive(Clone, Debug, Default)]
pub(super) struct ListColumn {
    pub(super) codes: Codes,
    pub(super) texts: Texts,
}

impl ListColumn {
    pub(super) fn code(&self, row: usize) -> Option<u32> {
        self.codes.at(row).checked_sub(1)
    }

    pub(super) fn at(&self, row: usize) -> Option<ArgTexts<'_>> {
        self.code(row).map(|code| self.text(code))
    }

    pub(super) fn text(&self, code: u32) -> ArgTexts<'_> {
        ArgTexts::new(self.texts.at(code))
    }

    pub(super) fn bytes(&self) -> usize {
        self.codes.bytes() + self.texts.bytes()
    }
}

/// Such a column while a trace is read.
#[derive(Default)]
pub(super) struct ListBuilder {
    codes: Codes,
    interner: Interner,
}

impl ListBuilder {
    /// Sets the text of `row`; gives its code, which is `likely` if that is the code of the same text.
    pub(super) fn set(&mut self, row: usize, text: &str, likely: Option<u32>) -> u32 {
        let code = likely.filter(|code| self.interner.at(*code) == text);
        let code = code.unwrap_or_else(|| self.interner.intern(text));
        self.codes.pad(row);
        self.codes.push(code + 1);
        code
    }

    pub(super) fn finish(mut self, rows: usize) -> ListColumn {
        self.codes.finish(rows);
        ListColumn { codes: self.codes, texts: self.interner.finish() }
    }
}
