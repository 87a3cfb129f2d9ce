//! A column of codes in the blocks of a saved trace: random access to rows, and consecutive rows.

use std::sync::{Arc, OnceLock};

use super::codes::Codes;
use super::key_order::{EventPosition, KeyOrder, Strays};
use super::packed::{Packed, set};
use crate::trace::event::EventId;
use crate::trace::file::packing::{BLOCK, unpack};
use crate::trace::file::saved_file::{FilePart, SavedFile, damage};

/// A column of codes in a saved trace.
#[derive(Debug)]
pub(crate) struct CodeBlocks {
    pub(crate) file: Arc<SavedFile>,
    pub(crate) packed: Packed,
    /// The order of the column's numbers, if it is not that of the rows.
    pub(crate) order: Option<Arc<KeyOrder>>,
    /// The blocks, once one was needed.
    blocks: OnceLock<Vec<CodeBlock>>,
    strays: Strays,
}

#[derive(Debug)]
pub(crate) struct CodeBlock {
    pub(crate) part: FilePart,
    pub(crate) n_values: usize,
    codes: OnceLock<Codes>,
}

impl CodeBlocks {
    pub(crate) fn new(file: &Arc<SavedFile>, packed: Packed, order: Option<Arc<KeyOrder>>) -> CodeBlocks {
        CodeBlocks { file: Arc::clone(file), packed, order, blocks: OnceLock::new(), strays: Strays::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.packed.n_values()
    }

    /// The greatest code that the column's width in memory can hold.
    pub(crate) fn greatest(&self) -> u32 {
        self.packed.width.greatest()
    }

    /// Whether the codes are stored key by key.
    pub(crate) fn is_by_key(&self) -> bool {
        self.order.is_some()
    }

    /// Whether there are codes, and none is 0.
    pub(crate) fn is_full(&self) -> bool {
        self.packed.is_full && self.len() > 0
    }

    /// The code of a row. It is 0 after the last row, and if it cannot be read, which is a fault.
    ///
    /// `None` once it is cheaper to read the whole column, because too many rows were read out of order.
    pub(crate) fn at(&self, row: usize) -> Option<u32> {
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

    /// Adds the codes of the rows up to the first one that does not follow the previous one in the file; returns the
    /// remaining rows.
    pub(crate) fn gather<'r>(&self, rows: &'r [EventId], into: &mut Vec<u32>) -> &'r [EventId] {
        let mut rest = rows;
        while let (Some(order), Some(first)) = (&self.order, rest.first()) {
            let Some(place) = order.place(*first) else { return rest };
            let from = place.index % BLOCK;
            let list = &order.of(place.key)[place.index..];
            let most = list.len().min(rest.len()).min(BLOCK - from);
            let n_same = match rest[..most] == list[..most] {
                true => most,
                false => rest.iter().zip(list).take_while(|(row, other)| row == other).count().min(most),
            };
            // `at` decodes the block
            if n_same < most.min(FEW) || self.at(*first as usize).is_none() {
                return rest;
            }
            let block = self.blocks().get(order.first_block(place.key) + place.index / BLOCK);
            let Some(codes) = block.and_then(|block| block.codes.get()) else { return rest };
            order.leave(EventPosition { index: place.index + n_same - 1, ..place });
            codes.copy_to(from..from + n_same, into);
            rest = &rest[n_same..];
        }
        rest
    }

    pub(crate) fn blocks(&self) -> &[CodeBlock] {
        self.blocks.get_or_init(|| {
            let blocks = self.file.or_fault(self.file.blocks(self.packed.section), Vec::new);
            let block = |(part, n_values)| CodeBlock { part, n_values, codes: OnceLock::new() };
            blocks.into_iter().map(block).collect()
        })
    }

    /// The codes of a block, and of some blocks after it if those before it were read too.
    #[cold]
    fn read_ahead<'b>(&self, blocks: &'b [CodeBlock], first: usize) -> Option<&'b Codes> {
        let some = ahead(blocks, first, |block| block.codes.get().is_some());
        let parts: Vec<(FilePart, usize)> = some.iter().map(|block| (block.part, block.n_values)).collect();
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

    /// The number of values that a block must have.
    fn expected(&self, block: usize) -> usize {
        match &self.order {
            Some(order) => order.n_values(block),
            None => self.packed.n_values().saturating_sub(block * BLOCK).min(BLOCK),
        }
    }

    /// The number of values of a block; an error if the directory says otherwise.
    pub(crate) fn n_in_block(&self, block: usize, part: FilePart, n_values: usize) -> Result<usize, String> {
        match self.expected(block) == n_values && n_values > 0 {
            true => Ok(n_values),
            false => Err(damage(part)),
        }
    }

    /// The numbers of a block.
    pub(crate) fn numbers(
        &self,
        part: FilePart,
        bytes: &[u8],
        n_values: usize,
        numbers: &mut Vec<u32>,
    ) -> Result<(), String> {
        unpack(self.packed.coding, bytes, n_values, numbers).ok_or_else(|| damage(part))?;
        let greatest = self.packed.greatest.min(self.packed.width.greatest());
        let is_right = numbers.iter().copied().max().unwrap_or(0) <= greatest;
        match is_right && !(self.packed.is_full && numbers.contains(&0)) {
            true => Ok(()),
            false => Err(damage(part)),
        }
    }

    /// Sets all codes of a block.
    fn unpack(&self, part: FilePart, bytes: &[u8], numbers: &mut Vec<u32>, codes: &mut Codes) -> Result<(), String> {
        self.numbers(part, bytes, codes.len(), numbers)?;
        match codes {
            Codes::U8(codes) => set(codes, numbers),
            Codes::U16(codes) => set(codes, numbers),
            Codes::U32(codes) => set(codes, numbers),
        }
        Ok(())
    }

    /// Bytes of the blocks that are in memory.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.blocks.get().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter_map(|block| block.codes.get()).map(Codes::bytes).sum()
    }
}

/// Fewer rows than this are read one by one.
const FEW: usize = 16;

/// Maximum number of blocks to read ahead.
const MOST_AHEAD: usize = 32;

/// The blocks to read: a missing block, and after it twice as many as are in memory directly before it.
pub(crate) fn ahead<B>(blocks: &[B], first: usize, is_there: impl Fn(&B) -> bool) -> &[B] {
    let n_before = blocks[..first].iter().rev().take(MOST_AHEAD / 2).take_while(|block| is_there(block)).count();
    let some = &blocks[first..blocks.len().min(first + (2 * n_before).max(1))];
    let n_new = some.iter().take_while(|block| !is_there(block)).count();
    &some[..n_new]
}
