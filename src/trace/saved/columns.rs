//! Columns in the blocks of a saved trace.

use std::sync::{Arc, OnceLock};

use super::file::{Part, SavedFile, Section};
use super::packing::{BLOCK, Coding, decompress, unpack};
use crate::trace::code_column::{CodeColumn, Ints};
use crate::trace::column::{ABSENT, Codes};
use crate::trace::lazy::Lazy;

/// How the numbers of a column are kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    U8,
    U16,
    U32,
    /// Integers as they are, absent ones included.
    Wide,
}

impl Width {
    pub(super) fn of(codes: &Codes) -> Width {
        match codes {
            Codes::U8(_) => Width::U8,
            Codes::U16(_) => Width::U16,
            Codes::U32(_) => Width::U32,
        }
    }

    /// The width with that number.
    pub(super) fn numbered(number: u64) -> Option<Width> {
        [Width::U8, Width::U16, Width::U32, Width::Wide].into_iter().find(|width| *width as u64 == number)
    }

    fn greatest(self) -> u32 {
        match self {
            Width::U8 => u32::from(u8::MAX),
            Width::U16 => u32::from(u16::MAX),
            Width::U32 | Width::Wide => u32::MAX,
        }
    }

    fn zeros(self, length: usize) -> Codes {
        match self {
            Width::U8 => Codes::U8(vec![0; length]),
            Width::U16 => Codes::U16(vec![0; length]),
            Width::U32 | Width::Wide => Codes::U32(vec![0; length]),
        }
    }
}

/// A section of numbers and how to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) section: Section,
    pub(super) width: Width,
    pub(super) coding: Coding,
    /// No number is greater.
    pub(super) greatest: u32,
}

impl Packed {
    fn n_values(&self) -> usize {
        self.section.n_values as usize
    }
}

/// A column of codes in a saved trace.
#[derive(Debug)]
pub(in crate::trace) struct CodeBlocks {
    file: Arc<SavedFile>,
    packed: Packed,
    /// The blocks, once one was asked for.
    blocks: OnceLock<Vec<CodeBlock>>,
}

#[derive(Debug)]
struct CodeBlock {
    part: Part,
    n_values: usize,
    codes: OnceLock<Codes>,
}

impl CodeBlocks {
    pub(super) fn new(file: &Arc<SavedFile>, packed: Packed) -> CodeBlocks {
        CodeBlocks { file: Arc::clone(file), packed, blocks: OnceLock::new() }
    }

    pub(in crate::trace) fn len(&self) -> usize {
        self.packed.n_values()
    }

    /// The greatest code that there is room for in memory.
    pub(in crate::trace) fn greatest(&self) -> u32 {
        self.packed.width.greatest()
    }

    /// The code of a row; 0 beyond the last one, and if it cannot be read, which is a fault then.
    pub(in crate::trace) fn at(&self, row: usize) -> u32 {
        if row >= self.packed.n_values() {
            return 0;
        }
        match self.blocks().get(row / BLOCK) {
            Some(block) => block.codes.get_or_init(|| self.block(block, row / BLOCK)).at(row % BLOCK),
            None => 0,
        }
    }

    fn blocks(&self) -> &[CodeBlock] {
        self.blocks.get_or_init(|| {
            let blocks = self.file.or_fault(self.file.blocks(self.packed.section), Vec::new);
            let block = |(part, n_values)| CodeBlock { part, n_values, codes: OnceLock::new() };
            blocks.into_iter().map(block).collect()
        })
    }

    #[cold]
    fn block(&self, block: &CodeBlock, index: usize) -> Codes {
        let n_values = BLOCK.min(self.packed.n_values() - index * BLOCK);
        let mut codes = self.packed.width.zeros(0);
        let read = match block.n_values == n_values {
            true => self.file.part(block.part),
            false => Err(damage(block.part)),
        };
        let read = read.and_then(|bytes| self.unpack(block.part, &bytes, n_values, &mut Vec::new(), &mut codes));
        self.file.or_fault(read.map(|()| codes), || self.packed.width.zeros(n_values))
    }

    /// All codes; all are 0 if they cannot be read.
    pub(in crate::trace) fn whole(&self) -> Codes {
        let n_values = self.packed.n_values();
        let mut codes = self.packed.width.zeros(0);
        codes.reserve(n_values);
        let mut numbers = Vec::with_capacity(BLOCK);
        let read = self.file.each_block(self.packed.section, |part, bytes, n_in_block| {
            match codes.len() + n_in_block <= n_values {
                true => self.unpack(part, bytes, n_in_block, &mut numbers, &mut codes),
                false => Err(damage(part)),
            }
        });
        match read {
            Ok(()) if codes.len() == n_values => codes,
            read => {
                let reason = read.err().unwrap_or_else(|| damage(self.packed.section.directory));
                self.file.note(&reason);
                self.packed.width.zeros(n_values)
            }
        }
    }

    /// Adds the codes of a block.
    fn unpack(
        &self,
        part: Part,
        bytes: &[u8],
        n_values: usize,
        numbers: &mut Vec<u32>,
        codes: &mut Codes,
    ) -> Result<(), String> {
        unpack(self.packed.coding, bytes, n_values, numbers).ok_or_else(|| damage(part))?;
        let greatest = self.packed.greatest.min(self.packed.width.greatest());
        if numbers.iter().copied().max().unwrap_or(0) > greatest {
            return Err(damage(part));
        }
        codes.extend(numbers.iter().copied(), 0);
        Ok(())
    }

    /// Bytes of the blocks that are in memory.
    pub(in crate::trace) fn bytes(&self) -> usize {
        let blocks = self.blocks.get().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter_map(|block| block.codes.get()).map(Codes::bytes).sum()
    }
}

impl SavedFile {
    /// The column of codes in a section.
    pub(super) fn codes(self: &Arc<SavedFile>, packed: Packed) -> CodeColumn {
        CodeColumn::saved(CodeBlocks::new(self, packed))
    }

    /// The column of integers in a section; all are absent if it cannot be read.
    pub(super) fn ints(self: &Arc<SavedFile>, packed: Packed) -> Ints {
        if packed.width != Width::Wide {
            return Ints::Small(self.codes(packed));
        }
        let file = Arc::clone(self);
        Ints::Wide(Lazy::new(move || {
            file.or_fault(file.read_integers(packed.section), || vec![ABSENT; packed.n_values()])
        }))
    }

    fn read_integers(&self, section: Section) -> Result<Vec<i64>, String> {
        let mut values = Vec::new();
        self.each_block(section, |part, bytes, n_values| {
            let block = decompress(bytes).filter(|block| Some(block.len()) == n_values.checked_mul(8));
            let value = |bytes: &[u8]| i64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
            values.extend(block.ok_or_else(|| damage(part))?.chunks_exact(8).map(value));
            Ok(())
        })?;
        if values.len() as u64 == section.n_values { Ok(values) } else { Err(damage(section.directory)) }
    }

    /// All bytes of a section of bytes.
    pub(super) fn bytes(&self, section: Section) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.each_block(section, |part, block, _| {
            bytes.extend(decompress(block).ok_or_else(|| damage(part))?);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// The rows of one list of rising rows below `n_rows`, whose first block has number `block`.
    pub(super) fn rows(&self, lists: Section, block: usize, n_rows: u32, length: usize) -> Result<Vec<u32>, String> {
        let mut rows = Vec::with_capacity(length);
        let mut numbers = Vec::new();
        let blocks = self.blocks(lists)?;
        for (part, n_values) in blocks.get(block..).unwrap_or_default().iter().take(length.div_ceil(BLOCK)) {
            let bytes = self.part(*part)?;
            unpack(Coding::Rises, &bytes, *n_values, &mut numbers).ok_or_else(|| damage(*part))?;
            rows.extend_from_slice(&numbers);
        }
        let is_rising = rows.is_sorted_by(|before, next| before < next);
        let is_right = rows.len() == length && is_rising && rows.last().is_none_or(|last| *last < n_rows);
        if is_right { Ok(rows) } else { Err(damage(lists.directory)) }
    }
}

/// What is said of a part whose bytes are those that were written, but make no sense.
pub(super) fn damage(part: Part) -> String {
    format!("the block at byte {} is not what was written", part.offset)
}
