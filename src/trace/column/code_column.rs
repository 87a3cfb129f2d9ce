//! A column of codes: in memory, lazy, or in a saved trace, from which single rows are read by block and everything
//! else at once.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::code_blocks::CodeBlocks;
use super::codes::Codes;
use super::int_column::{ABSENT, IntColumn};
use super::key_order::KeyOrder;
use super::lazy::Lazy;
use super::packed::{Packed, Width};
use super::scale::Scale;
use crate::trace::event::EventId;
use crate::trace::file::packing::decompress;
use crate::trace::file::saved_file::{SavedFile, Section, damage};

/// The codes of rows. It dereferences to the whole column, [`Codes`], for functions that go over many rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeColumn {
    whole: Lazy<Codes>,
    blocks: Option<Arc<CodeBlocks>>,
    /// The number of rows of a lazy column that has no blocks.
    n_lazy_rows: usize,
}

impl From<Codes> for CodeColumn {
    fn from(codes: Codes) -> CodeColumn {
        CodeColumn { whole: codes.into(), blocks: None, n_lazy_rows: 0 }
    }
}

impl Deref for CodeColumn {
    type Target = Codes;

    #[inline]
    fn deref(&self) -> &Codes {
        &self.whole
    }
}

impl CodeColumn {
    /// The column in a section of a saved trace.
    pub(crate) fn saved(file: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> CodeColumn {
        let blocks = Arc::new(CodeBlocks::new(file, packed, order));
        let all = Arc::clone(&blocks);
        CodeColumn { whole: Lazy::new(move || all.whole()), blocks: Some(blocks), n_lazy_rows: 0 }
    }

    /// A lazy column of `n_rows` rows.
    pub(crate) fn lazy(n_rows: usize, make: impl Fn() -> Codes + Send + Sync + 'static) -> CodeColumn {
        CodeColumn { whole: Lazy::new(make), blocks: None, n_lazy_rows: n_rows }
    }

    /// Computes the whole column now, for code that goes over many rows.
    pub(crate) fn make(&self) {
        self.whole.ready();
    }

    /// The code of a row; 0 after the last one.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> u32 {
        match self.whole.made() {
            Some(codes) => codes.at(row),
            None => self.peek(row),
        }
    }

    /// Adds the codes of some rows.
    pub(crate) fn gather(&self, rows: &[EventId], into: &mut Vec<u32>) {
        let rest = match (&self.blocks, self.is_made()) {
            (Some(blocks), false) => blocks.gather(rows, into),
            _ => rows,
        };
        into.extend(rest.iter().map(|row| self.at(*row as usize)));
    }

    /// Whether a part of it is not in memory, and the file stores the rows of each key together.
    pub(crate) fn has_stretches(&self) -> bool {
        !self.is_made() && self.blocks.as_ref().is_some_and(|blocks| blocks.is_by_key())
    }

    /// Whether it is all in memory, so that a row costs next to nothing.
    pub(crate) fn is_made(&self) -> bool {
        self.whole.made().is_some()
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        match (&self.blocks, self.whole.made()) {
            (Some(blocks), _) => blocks.len(),
            (None, Some(codes)) => codes.len(),
            (None, None) => self.n_lazy_rows,
        }
    }

    /// The greatest code that the current width can hold.
    pub(crate) fn greatest(&self) -> u32 {
        match &self.blocks {
            Some(blocks) => blocks.greatest(),
            None => self.whole.greatest(),
        }
    }

    /// Whether it is certain that no code is 0.
    pub(crate) fn is_full(&self) -> bool {
        self.blocks.as_ref().is_some_and(|blocks| blocks.is_full())
    }

    #[cold]
    fn peek(&self, row: usize) -> u32 {
        match &self.blocks {
            Some(blocks) => blocks.at(row).unwrap_or_else(|| self.whole.at(row)),
            None => self.whole.at(row),
        }
    }

    /// Bytes of memory that it takes so far.
    pub(crate) fn bytes(&self) -> usize {
        self.whole.made().map_or(0, Codes::bytes) + self.blocks.as_ref().map_or(0, |blocks| blocks.bytes())
    }
}

/// Integers, some of them absent, as in an [`IntColumn`].
#[derive(Clone, Debug)]
pub(crate) enum Ints {
    /// Codes of the values on a scale, and 0 for an absent one.
    Coded(CodeColumn, Scale),
    /// The value itself, and [`ABSENT`] for an absent one.
    Wide(Lazy<Vec<i64>>),
    /// A lazy column, and how many rows it will have.
    Lazy(usize, Lazy<Box<Ints>>),
}

impl Default for Ints {
    fn default() -> Ints {
        Ints::Coded(CodeColumn::default(), Scale::NATURAL)
    }
}

impl From<IntColumn> for Ints {
    fn from(column: IntColumn) -> Ints {
        match column {
            IntColumn::Coded(codes, scale) => Ints::Coded(codes.into(), scale),
            IntColumn::Wide(values) => Ints::Wide(values.into()),
        }
    }
}

impl Ints {
    /// Whole integers in a section of a saved trace; all are absent if the section cannot be read.
    pub(crate) fn wide(file: &Arc<SavedFile>, packed: Packed) -> Ints {
        let file = Arc::clone(file);
        Ints::Wide(Lazy::new(move || {
            file.or_fault(read_integers(&file, packed.section), || vec![ABSENT; packed.n_values()])
        }))
    }

    /// A lazy column of `n_rows` rows.
    pub(crate) fn lazy(n_rows: usize, make: impl Fn() -> Ints + Send + Sync + 'static) -> Ints {
        Ints::Lazy(n_rows, Lazy::new(move || Box::new(make())))
    }

    #[inline]
    pub(crate) fn at(&self, row: usize) -> Option<i64> {
        let mut column = self;
        while let Ints::Lazy(_, made) = column {
            column = made;
        }
        match column {
            Ints::Coded(codes, scale) => scale.value(codes.at(row)),
            Ints::Wide(values) => values.get(row).copied().filter(|value| *value != ABSENT),
            Ints::Lazy(..) => None,
        }
    }

    /// Adds the values of some rows, with [`ABSENT`] for an absent one. It computes the whole column.
    pub(crate) fn copy_to(&self, rows: Range<usize>, values: &mut Vec<i64>) {
        let after = values.len() + rows.len();
        let within = |n_rows: usize| rows.start.min(n_rows)..rows.end.min(n_rows);
        match self {
            Ints::Coded(codes, scale) => {
                let codes: &Codes = codes;
                codes.map_to(within(codes.len()), values, |code| scale.value(code).unwrap_or(ABSENT));
            }
            Ints::Wide(wide) => values.extend_from_slice(&wide[within(wide.len())]),
            Ints::Lazy(_, column) => column.copy_to(rows, values),
        }
        values.resize(after, ABSENT);
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Ints::Coded(codes, _) => codes.len(),
            Ints::Wide(values) => values.len(),
            Ints::Lazy(n_rows, _) => *n_rows,
        }
    }

    /// Computes the whole column now, for code that goes over many rows.
    pub(crate) fn make(&self) {
        match self {
            Ints::Coded(codes, _) => codes.make(),
            Ints::Wide(values) => values.ready(),
            Ints::Lazy(_, column) => column.make(),
        }
    }

    /// Bytes of memory that it takes so far.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Ints::Coded(codes, _) => codes.bytes(),
            Ints::Wide(values) => values.made().map_or(0, |values| values.capacity() * 8),
            Ints::Lazy(_, column) => column.made().map_or(0, |column| column.bytes()),
        }
    }
}

fn read_integers(file: &SavedFile, section: Section) -> Result<Vec<i64>, String> {
    file.take((section.n_values as usize).saturating_mul(Width::Wide.bytes()))?;
    let mut values = Vec::new();
    file.each_block(section, |part, bytes, n_values| {
        let block = decompress(bytes).filter(|block| Some(block.len()) == n_values.checked_mul(8));
        let value = |bytes: &[u8]| i64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
        values.extend(block.ok_or_else(|| damage(part))?.chunks_exact(8).map(value));
        Ok(())
    })?;
    if values.len() as u64 == section.n_values { Ok(values) } else { Err(damage(section.directory)) }
}
