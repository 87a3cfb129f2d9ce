//! Columns of lists of texts: arguments, their names and types.

use super::code_column::CodeColumn;
use super::codes::Codes;
use super::dictionary::DictionaryBuilder;
use super::text_column::TextColumn;
use crate::trace::event::args::ArgTexts;

/// A dictionary-coded column of lists: code + 1, and 0 for an absent one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListColumn {
    pub(crate) codes: CodeColumn,
    pub(crate) texts: TextColumn,
}

impl ListColumn {
    pub(crate) fn code(&self, row: usize) -> Option<u32> {
        self.codes.at(row).checked_sub(1)
    }

    pub(crate) fn at(&self, row: usize) -> Option<ArgTexts<'_>> {
        self.code(row).map(|code| self.text(code))
    }

    pub(crate) fn text(&self, code: u32) -> ArgTexts<'_> {
        ArgTexts::new(self.texts.at(code))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.codes.bytes() + self.texts.bytes()
    }
}

/// Builder of such a column.
#[derive(Default)]
pub(crate) struct ListBuilder {
    codes: Codes,
    interner: DictionaryBuilder,
}

impl ListBuilder {
    /// The code of a text.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        self.interner.intern(text)
    }

    /// The code of a new text that is not looked up again.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        self.interner.add(text)
    }

    /// Sets the text of `row`; returns its code. `likely` is tried first.
    pub(crate) fn set(&mut self, row: usize, text: &str, likely: Option<u32>) -> u32 {
        let code = likely.filter(|code| self.interner.at(*code) == text);
        let code = code.unwrap_or_else(|| self.interner.intern(text));
        self.set_code(row, code);
        code
    }

    /// Sets the text of `row`, given the text's code.
    #[inline]
    pub(crate) fn set_code(&mut self, row: usize, code: u32) {
        self.codes.set(row, code + 1);
    }

    /// Sets the texts of the rows from `row` on, given their codes.
    pub(crate) fn append_codes(&mut self, row: usize, codes: impl Iterator<Item = u32> + Clone) {
        let bits = codes.clone().fold(0, |bits, code| bits | (code + 1));
        self.codes.pad(row);
        self.codes.extend(codes.map(|code| code + 1), bits);
    }

    /// Sets the texts of rows in rising order, none before a row that was set, given their codes.
    pub(crate) fn scatter_codes(&mut self, codes: impl DoubleEndedIterator<Item = (usize, u32)> + Clone) {
        self.codes.scatter(codes.map(|(row, code)| (row, code + 1)));
    }

    /// Sets the texts of some rows, in their order.
    pub(crate) fn set_all(&mut self, rows: &[usize], texts: &[&str]) {
        let mut codes = Vec::with_capacity(texts.len());
        self.interner.intern_all(texts, &mut codes);
        for (row, code) in rows.iter().zip(codes) {
            self.set_code(*row, code);
        }
    }

    /// Pads with absent lists to `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        self.codes.pad(rows);
    }

    /// Appends the rows of another column.
    pub(crate) fn append(&mut self, other: ListBuilder) {
        let other = ListColumn { texts: other.interner.finish().into(), codes: other.codes.into() };
        let texts: Vec<&str> = other.texts.iter().collect();
        let mut codes = Vec::with_capacity(texts.len());
        self.interner.intern_all(&texts, &mut codes);
        let greatest = codes.iter().copied().max().map_or(0, |code| code + 1);
        let code = |code: u32| code.checked_sub(1).map_or(0, |code| codes[code as usize] + 1);
        self.codes.extend(other.codes.iter().map(code), greatest);
    }

    pub(crate) fn finish(mut self, rows: usize) -> ListColumn {
        self.codes.finish(rows);
        ListColumn { codes: self.codes.into(), texts: self.interner.finish().into() }
    }
}
