//! Reading a whole column of a saved trace, on all cores.

use std::ops::Range;

use super::code_blocks::CodeBlocks;
use super::codes::Codes;
use super::key_order::KeyOrder;
use super::packed::PackedCode;
use crate::trace::file::packing::BLOCK;
use crate::trace::file::saved_file::{FilePart, damage};
use crate::trace::threads::{n_cores, on_cores};

/// The smallest number of blocks that is worth a thread (estimated).
const MANY: usize = 32;

impl CodeBlocks {
    /// All codes; all are 0 if they cannot be read.
    pub(crate) fn whole(&self) -> Codes {
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
    fn fill<T: PackedCode>(&self, codes: &mut [T]) -> Result<(), String> {
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

    /// Sets the codes of the rows from `start` on, where a block begins.
    fn fill_rows<T: PackedCode>(&self, start: usize, codes: &mut [T]) -> Result<(), String> {
        let first = start / BLOCK;
        let mut block = first;
        let mut numbers = Vec::with_capacity(BLOCK);
        self.each_number(first..first + codes.len().div_ceil(BLOCK), &mut numbers, |numbers| {
            let into = &mut codes[(block - first) * BLOCK..];
            into.iter_mut().zip(numbers).for_each(|(code, number)| *code = T::of(*number));
            block += 1;
        })
    }

    /// As `fill_rows`, for a column that is stored key by key.
    fn fill_keys<T: PackedCode>(&self, order: &KeyOrder, start: usize, codes: &mut [T]) -> Result<(), String> {
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

    /// Calls `found` with the numbers of each block.
    fn each_number(
        &self,
        blocks: Range<usize>,
        numbers: &mut Vec<u32>,
        mut found: impl FnMut(&[u32]),
    ) -> Result<(), String> {
        let parts: Vec<(FilePart, usize)> =
            self.blocks()[blocks.clone()].iter().map(|block| (block.part, block.n_values)).collect();
        let mut next = blocks.start;
        self.file.each_of(&parts, |part, bytes, n_values| {
            self.numbers(part, bytes, self.n_in_block(next, part, n_values)?, numbers)?;
            next += 1;
            found(numbers);
            Ok(())
        })
    }
}
