//! Distinct texts in the blocks of a saved trace; each block is read at first use.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::code_blocks::ahead;
use crate::trace::file::packing::decompress;
use crate::trace::file::saved_file::{FilePart, SavedFile, Section, damage};
use crate::trace::threads::{n_cores, on_cores};

/// Texts in a saved trace.
#[derive(Debug)]
pub(crate) struct TextBlocks {
    file: Arc<SavedFile>,
    section: Section,
    blocks: OnceLock<Vec<TextBlock>>,
    /// The block of the last text that was read: the next one is often in it.
    last: AtomicUsize,
}

#[derive(Debug)]
struct TextBlock {
    /// Number of the block's first text.
    first: usize,
    part: FilePart,
    n_texts: usize,
    texts: OnceLock<Unpacked>,
}

/// The texts of a block; empty if it cannot be read.
#[derive(Debug, Default)]
struct Unpacked {
    buffer: String,
    ends: Vec<u32>,
}

impl Unpacked {
    fn at(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.buffer.get(start..end)
    }
}

impl TextBlocks {
    pub(crate) fn new(file: &Arc<SavedFile>, section: Section) -> TextBlocks {
        TextBlocks { file: Arc::clone(file), section, blocks: OnceLock::new(), last: AtomicUsize::new(0) }
    }

    pub(crate) fn len(&self) -> usize {
        self.section.n_values as usize
    }

    /// The text with a number; empty if it cannot be read, which is a fault.
    pub(crate) fn at(&self, code: u32) -> &str {
        let place = code as usize;
        let blocks = self.blocks();
        let has_place = |block: &TextBlock| block.first <= place && place - block.first < block.n_texts;
        let last = self.last.load(Relaxed);
        let index = match blocks.get(last) {
            Some(block) if has_place(block) => last,
            _ => blocks.partition_point(|block| block.first <= place).saturating_sub(1),
        };
        let Some(block) = blocks.get(index) else { return "" };
        self.last.store(index, Relaxed);
        let texts = block.texts.get().unwrap_or_else(|| self.read_ahead(blocks, index));
        texts.at(place - block.first).unwrap_or_default()
    }

    fn blocks(&self) -> &[TextBlock] {
        self.blocks.get_or_init(|| {
            let read = self.file.blocks(self.section);
            let n_texts = |blocks: &[(FilePart, usize)]| blocks.iter().map(|(_, n_texts)| *n_texts as u64).sum::<u64>();
            let is_right = |blocks: &Vec<(FilePart, usize)>| n_texts(blocks) == self.section.n_values;
            let read =
                read.and_then(|blocks| Some(blocks).filter(is_right).ok_or_else(|| damage(self.section.directory)));
            let mut next = 0;
            let block = |(part, n_texts)| {
                let first = next;
                next += n_texts;
                TextBlock { first, part, n_texts, texts: OnceLock::new() }
            };
            self.file.or_fault(read, Vec::new).into_iter().map(block).collect()
        })
    }

    /// The texts of a block, and of some blocks after it if those before it were read too; on all cores if there are
    /// many.
    #[cold]
    fn read_ahead<'b>(&self, blocks: &'b [TextBlock], first: usize) -> &'b Unpacked {
        let some = ahead(blocks, first, |block| block.texts.get().is_some());
        let n_threads = if some.len() < MANY { 1 } else { n_cores() };
        on_cores(n_threads, some.chunks(MANY), |some| self.file.or_fault(self.unpack(some), || ()));
        blocks[first].texts.get_or_init(Unpacked::default)
    }

    /// Reads some blocks.
    fn unpack(&self, blocks: &[TextBlock]) -> Result<(), String> {
        let parts: Vec<(FilePart, usize)> = blocks.iter().map(|block| (block.part, block.n_texts)).collect();
        let mut rest = blocks.iter();
        self.file.each_of(&parts, |part, bytes, n_texts| {
            let texts = unpack(bytes, n_texts).ok_or_else(|| damage(part))?;
            self.file.take(texts.buffer.len() + texts.ends.len() * 4)?;
            if let Some(block) = rest.next() {
                block.texts.get_or_init(|| texts);
            }
            Ok(())
        })
    }

    /// Bytes of memory that the blocks take so far.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.blocks.get().map(Vec::as_slice).unwrap_or_default();
        let unpacked = blocks.iter().filter_map(|block| block.texts.get());
        unpacked.map(|texts| texts.buffer.capacity() + texts.ends.capacity() * 4).sum()
    }
}

/// The smallest number of blocks that is worth a thread (estimated).
const MANY: usize = 4;

/// The texts, followed by their lengths in four bytes each.
fn unpack(bytes: &[u8], n_texts: usize) -> Option<Unpacked> {
    let mut bytes = decompress(bytes)?;
    let n_bytes = n_texts.checked_mul(4).and_then(|tail| bytes.len().checked_sub(tail))?;
    let mut end = 0_u32;
    let length = |length: &[u8]| {
        end = end.checked_add(u32::from_le_bytes(std::array::from_fn(|index| length[index])))?;
        Some(end)
    };
    let ends: Vec<u32> = bytes[n_bytes..].chunks_exact(4).map(length).collect::<Option<_>>()?;
    bytes.truncate(n_bytes);
    let buffer = String::from_utf8(bytes).ok()?;
    let is_right = ends.iter().all(|end| buffer.is_char_boundary(*end as usize)) && end as usize == buffer.len();
    is_right.then_some(Unpacked { buffer, ends })
}
