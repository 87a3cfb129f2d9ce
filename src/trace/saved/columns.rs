//! Columns in the blocks of a saved trace.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::cores::{n_cores, on_cores};
use super::file::{Part, SavedFile, Section};
use super::order::{KeyOrder, Strays};
use super::packing::{BLOCK, Coding, decompress, unpack};
use crate::trace::EventId;
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

    /// Bytes of a number.
    fn bytes(self) -> usize {
        match self {
            Width::U8 => 1,
            Width::U16 => 2,
            Width::U32 => 4,
            Width::Wide => 8,
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

/// In which order the numbers of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As the events, or whatever the numbers belong to.
    Rows,
    /// Key by key.
    Keys,
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
    /// The order of its numbers, if that is not the one of the rows.
    order: Option<Arc<KeyOrder>>,
    /// The blocks, once one was asked for.
    blocks: OnceLock<Vec<CodeBlock>>,
    strays: Strays,
}

#[derive(Debug)]
struct CodeBlock {
    part: Part,
    n_values: usize,
    codes: OnceLock<Codes>,
}

impl CodeBlocks {
    pub(super) fn new(file: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> CodeBlocks {
        CodeBlocks { file: Arc::clone(file), packed, order, blocks: OnceLock::new(), strays: Strays::default() }
    }

    pub(in crate::trace) fn len(&self) -> usize {
        self.packed.n_values()
    }

    /// The greatest code that there is room for in memory.
    pub(in crate::trace) fn greatest(&self) -> u32 {
        self.packed.width.greatest()
    }

    /// The code of a row; 0 beyond the last one, and if it cannot be read, which is a fault then.
    ///
    /// None if so many rows were asked for out of order that the whole column should be made.
    pub(in crate::trace) fn at(&self, row: usize) -> Option<u32> {
        if row >= self.packed.n_values() {
            return Some(0);
        }
        let (block, index) = match &self.order {
            None => (row / BLOCK, row % BLOCK),
            Some(order) => match order.place(row as EventId) {
                Some(place) if place.is_stray && self.strays.are_too_many(self.packed.n_values()) => return None,
                Some(place) => (order.first_block(place.key) + place.index / BLOCK, place.index % BLOCK),
                None => {
                    self.file.note(&damage(self.packed.section.directory));
                    return Some(0);
                }
            },
        };
        let blocks = self.blocks();
        match blocks.get(block)?.codes.get() {
            Some(codes) => Some(codes.at(index)),
            None => self.read_ahead(blocks, block).map(|codes| codes.at(index)),
        }
    }

    fn blocks(&self) -> &[CodeBlock] {
        self.blocks.get_or_init(|| {
            let blocks = self.file.or_fault(self.file.blocks(self.packed.section), Vec::new);
            let block = |(part, n_values)| CodeBlock { part, n_values, codes: OnceLock::new() };
            blocks.into_iter().map(block).collect()
        })
    }

    /// The codes of a block, and of some behind it if those before were read, too.
    #[cold]
    fn read_ahead<'b>(&self, blocks: &'b [CodeBlock], first: usize) -> Option<&'b Codes> {
        let some = ahead(blocks, first, |block| block.codes.get().is_some());
        let parts: Vec<(Part, usize)> = some.iter().map(|block| (block.part, block.n_values)).collect();
        let mut next = first;
        let read = self.file.each_of(&parts, |part, bytes, n_values| {
            let mut codes = self.packed.width.zeros(self.n_in_block(next, part, n_values)?);
            self.unpack(part, bytes, &mut Vec::new(), &mut codes)?;
            let _ = blocks[next].codes.set(codes);
            next += 1;
            Ok(())
        });
        self.file.or_fault(read, || ());
        let n_values = self.expected(first);
        Some(blocks[first].codes.get_or_init(|| self.packed.width.zeros(n_values)))
    }

    /// How many values a block of that number has.
    fn expected(&self, block: usize) -> usize {
        match &self.order {
            Some(order) => order.n_values(block),
            None => self.packed.n_values().saturating_sub(block * BLOCK).min(BLOCK),
        }
    }

    /// The same if it is said to have as many.
    fn n_in_block(&self, block: usize, part: Part, n_values: usize) -> Result<usize, String> {
        match self.expected(block) == n_values && n_values > 0 {
            true => Ok(n_values),
            false => Err(damage(part)),
        }
    }

    /// All codes; all are 0 if they cannot be read.
    pub(in crate::trace) fn whole(&self) -> Codes {
        let n_bytes = self.packed.n_values().saturating_mul(self.packed.width.bytes());
        if let Err(reason) = self.file.take(n_bytes) {
            self.file.note(&reason);
            return self.packed.width.zeros(0);
        }
        let mut codes = self.packed.width.zeros(self.packed.n_values());
        let read = match &mut codes {
            Codes::U8(codes) => self.fill(codes),
            Codes::U16(codes) => self.fill(codes),
            Codes::U32(codes) => self.fill(codes),
        };
        match read {
            Ok(()) => codes,
            Err(reason) => {
                self.file.note(&reason);
                self.packed.width.zeros(self.packed.n_values())
            }
        }
    }

    /// Sets all codes, on all cores.
    fn fill<T: Code>(&self, codes: &mut [T]) -> Result<(), String> {
        let n_blocks = codes.len().div_ceil(BLOCK);
        if self.expected_blocks() != self.blocks().len() {
            return Err(damage(self.packed.section.directory));
        }
        let n_threads = if n_blocks < MANY { 1 } else { n_cores() };
        if let Some(order) = &self.order {
            on_cores(n_threads, 0..order.n_keys(), |key| order.of(key).len());
        }
        let n_rows = n_blocks.div_ceil(n_threads).max(1) * BLOCK;
        let shares = codes.chunks_mut(n_rows).enumerate();
        let filled = on_cores(n_threads, shares, |(share, codes)| match &self.order {
            None => self.fill_rows(share * n_rows, codes),
            Some(order) => self.fill_keys(order, share * n_rows, codes),
        });
        filled.into_iter().collect()
    }

    fn expected_blocks(&self) -> usize {
        match &self.order {
            Some(order) if self.packed.n_values() > 0 => order.n_blocks(),
            _ => self.packed.n_values().div_ceil(BLOCK),
        }
    }

    /// Sets the codes of the rows from `start` on, with which a block begins.
    fn fill_rows<T: Code>(&self, start: usize, codes: &mut [T]) -> Result<(), String> {
        let first = start / BLOCK;
        let mut block = first;
        let mut numbers = Vec::with_capacity(BLOCK);
        self.each_number(first..first + codes.len().div_ceil(BLOCK), &mut numbers, |numbers| {
            let into = &mut codes[(block - first) * BLOCK..];
            into.iter_mut().zip(numbers).for_each(|(code, number)| *code = T::of(*number));
            block += 1;
        })
    }

    /// The same of a column that stands key by key.
    fn fill_keys<T: Code>(&self, order: &KeyOrder, start: usize, codes: &mut [T]) -> Result<(), String> {
        let mut numbers = Vec::with_capacity(BLOCK);
        for key in 0..order.n_keys() {
            let rows = order.of(key);
            let place = |row: usize| rows.partition_point(|event| (*event as usize) < row);
            let (from, to) = (place(start), place(start + codes.len()));
            if rows.len() != order.count(key) || from == to {
                continue;
            }
            let first = order.first_block(key);
            let blocks = first + from / BLOCK..first + to.div_ceil(BLOCK);
            let mut block_start = from / BLOCK * BLOCK;
            self.each_number(blocks, &mut numbers, |numbers| {
                let here = block_start.max(from)..to.min(block_start + numbers.len());
                let values = &numbers[here.start - block_start..here.end - block_start];
                rows[here].iter().zip(values).for_each(|(row, number)| codes[*row as usize - start] = T::of(*number));
                block_start += numbers.len();
            })?;
        }
        Ok(())
    }

    /// Calls `found` with the numbers of each of some blocks.
    fn each_number(
        &self,
        blocks: Range<usize>,
        numbers: &mut Vec<u32>,
        mut found: impl FnMut(&[u32]),
    ) -> Result<(), String> {
        let parts: Vec<(Part, usize)> =
            self.blocks()[blocks.clone()].iter().map(|block| (block.part, block.n_values)).collect();
        let mut next = blocks.start;
        self.file.each_of(&parts, |part, bytes, n_values| {
            self.numbers(part, bytes, self.n_in_block(next, part, n_values)?, numbers)?;
            next += 1;
            found(numbers);
            Ok(())
        })
    }

    /// The numbers of a block.
    fn numbers(&self, part: Part, bytes: &[u8], n_values: usize, numbers: &mut Vec<u32>) -> Result<(), String> {
        unpack(self.packed.coding, bytes, n_values, numbers).ok_or_else(|| damage(part))?;
        let greatest = self.packed.greatest.min(self.packed.width.greatest());
        match numbers.iter().copied().max().unwrap_or(0) <= greatest {
            true => Ok(()),
            false => Err(damage(part)),
        }
    }

    /// Sets the codes of a block, as many as there are.
    fn unpack(&self, part: Part, bytes: &[u8], numbers: &mut Vec<u32>, codes: &mut Codes) -> Result<(), String> {
        self.numbers(part, bytes, codes.len(), numbers)?;
        match codes {
            Codes::U8(codes) => set(codes, numbers),
            Codes::U16(codes) => set(codes, numbers),
            Codes::U32(codes) => set(codes, numbers),
        }
        Ok(())
    }

    /// Bytes of the blocks that are in memory.
    pub(in crate::trace) fn bytes(&self) -> usize {
        let blocks = self.blocks.get().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter_map(|block| block.codes.get()).map(Codes::bytes).sum()
    }
}

/// Blocks from which on a thread is worth it.
const MANY: usize = 32;

/// Blocks that are read ahead at most.
const MOST_AHEAD: usize = 64;

/// A block that is not there yet, and twice as many as are there before it.
pub(super) fn ahead<B>(blocks: &[B], first: usize, is_there: impl Fn(&B) -> bool) -> &[B] {
    let n_before = blocks[..first].iter().rev().take(MOST_AHEAD / 2).take_while(|block| is_there(block)).count();
    let some = &blocks[first..blocks.len().min(first + (2 * n_before).max(1))];
    let n_new = some.iter().take_while(|block| !is_there(block)).count();
    &some[..n_new]
}

/// A code in as many bytes as it takes.
trait Code: Copy + Send {
    /// A number that fits.
    fn of(number: u32) -> Self;
}

impl Code for u8 {
    fn of(number: u32) -> u8 {
        number as u8
    }
}

impl Code for u16 {
    fn of(number: u32) -> u16 {
        number as u16
    }
}

impl Code for u32 {
    fn of(number: u32) -> u32 {
        number
    }
}

fn set<T: Code>(codes: &mut [T], numbers: &[u32]) {
    codes.iter_mut().zip(numbers).for_each(|(code, number)| *code = T::of(*number));
}

impl SavedFile {
    /// The column of codes in a section.
    pub(super) fn codes(self: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> CodeColumn {
        CodeColumn::saved(CodeBlocks::new(self, packed, order))
    }

    /// The column of integers in a section; all are absent if it cannot be read.
    pub(super) fn ints(self: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> Ints {
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

    /// All bytes of a section of bytes.
    pub(super) fn bytes(&self, section: Section) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.each_block(section, |part, block, _| {
            bytes.extend(decompress(block).ok_or_else(|| damage(part))?);
            Ok(())
        })?;
        Ok(bytes)
    }
}

/// What is said of a part whose bytes are those that were written, but make no sense.
pub(super) fn damage(part: Part) -> String {
    format!("the block at byte {} is not what was written", part.offset)
}
