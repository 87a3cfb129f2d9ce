//! Columns in the blocks of a saved trace.

use std::sync::Arc;

use super::code_blocks::CodeBlocks;
use super::code_column::{CodeColumn, Ints};
use super::codes::{ABSENT, Codes};
use super::key_order::KeyOrder;
use super::lazy::Lazy;
use crate::trace::file::packing::{Coding, decompress};
use crate::trace::file::saved_file::{FilePart, SavedFile, Section};

/// The width of a column's numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    U8,
    U16,
    U32,
    /// Integers as they are, with a value for absent ones.
    Wide,
}

impl Width {
    pub(crate) fn of(codes: &Codes) -> Width {
        match codes {
            Codes::U8(_) => Width::U8,
            Codes::U16(_) => Width::U16,
            Codes::U32(_) => Width::U32,
        }
    }

    /// The width with that number.
    pub(crate) fn numbered(number: u64) -> Option<Width> {
        [Width::U8, Width::U16, Width::U32, Width::Wide].into_iter().find(|width| *width as u64 == number)
    }

    pub(crate) fn greatest(self) -> u32 {
        match self {
            Width::U8 => u32::from(u8::MAX),
            Width::U16 => u32::from(u16::MAX),
            Width::U32 | Width::Wide => u32::MAX,
        }
    }

    /// Bytes of a number.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::U8 => 1,
            Width::U16 => 2,
            Width::U32 => 4,
            Width::Wide => 8,
        }
    }

    pub(crate) fn zeros(self, length: usize) -> Codes {
        match self {
            Width::U8 => Codes::U8(vec![0; length]),
            Width::U16 => Codes::U16(vec![0; length]),
            Width::U32 | Width::Wide => Codes::U32(vec![0; length]),
        }
    }
}

/// The order in which the numbers of a column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredOrder {
    /// In the order of the events, or of whatever the numbers belong to.
    Rows,
    /// Key by key.
    Keys,
}

/// A section of numbers and how to read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) section: Section,
    pub(crate) width: Width,
    pub(crate) coding: Coding,
    /// The maximum of the numbers.
    pub(crate) greatest: u32,
    /// Whether no number is 0.
    pub(crate) is_full: bool,
}

impl Packed {
    pub(crate) fn n_values(&self) -> usize {
        self.section.n_values as usize
    }
}

impl SavedFile {
    /// The column of codes in a section.
    pub(crate) fn codes(self: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> CodeColumn {
        CodeColumn::saved(CodeBlocks::new(self, packed, order))
    }

    /// The column of integers in a section; all are absent if the section cannot be read.
    pub(crate) fn ints(self: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> Ints {
        if packed.width != Width::Wide {
            return Ints::Small(self.codes(packed, order));
        }
        let file = Arc::clone(self);
        Ints::Wide(Lazy::new(move || {
            file.or_fault(file.read_integers(packed.section), || vec![ABSENT; packed.n_values()])
        }))
    }

    fn read_integers(&self, section: Section) -> Result<Vec<i64>, String> {
        self.take((section.n_values as usize).saturating_mul(Width::Wide.bytes()))?;
        let mut values = Vec::new();
        self.each_block(section, |part, bytes, n_values| {
            let block = decompress(bytes).filter(|block| Some(block.len()) == n_values.checked_mul(8));
            let value = |bytes: &[u8]| i64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
            values.extend(block.ok_or_else(|| damage(part))?.chunks_exact(8).map(value));
            Ok(())
        })?;
        if values.len() as u64 == section.n_values { Ok(values) } else { Err(damage(section.directory)) }
    }

    /// All bytes of a section.
    pub(crate) fn bytes(&self, section: Section) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.each_block(section, |part, block, _| {
            bytes.extend(decompress(block).ok_or_else(|| damage(part))?);
            Ok(())
        })?;
        Ok(bytes)
    }
}

/// The message for a part whose checksum is right but whose bytes make no sense.
pub(crate) fn damage(part: FilePart) -> String {
    format!("the block at byte {} is not what was written", part.offset)
}
