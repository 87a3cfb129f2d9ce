//! Distinct texts in the blocks of a saved trace, each block read when one of its texts is asked for.

use std::sync::{Arc, OnceLock};

use super::columns::damage;
use super::file::{Part, SavedFile, Section};
use super::packing::decompress;
use crate::trace::code_column::CodeColumn;

/// Texts in a saved trace. They may stand there in another order, so that those that are asked for together stand together.
#[derive(Debug)]
pub(in crate::trace) struct TextBlocks {
    file: Arc<SavedFile>,
    section: Section,
    /// The place of each text, if that is not its number.
    places: Option<CodeColumn>,
    blocks: OnceLock<Vec<TextBlock>>,
}

#[derive(Debug)]
struct TextBlock {
    /// Place of its first text.
    first: usize,
    part: Part,
    n_texts: usize,
    texts: OnceLock<Unpacked>,
}

/// The texts of a block; none if it cannot be read.
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
    pub(super) fn new(file: &Arc<SavedFile>, section: Section, places: Option<CodeColumn>) -> TextBlocks {
        TextBlocks { file: Arc::clone(file), section, places, blocks: OnceLock::new() }
    }

    pub(in crate::trace) fn len(&self) -> usize {
        self.section.n_values as usize
    }

    /// The text with that number; empty if it cannot be read, which is a fault then.
    pub(in crate::trace) fn at(&self, code: u32) -> &str {
        let place = self.places.as_ref().map_or(code as usize, |places| places.at(code as usize) as usize);
        let blocks = self.blocks();
        let after = blocks.partition_point(|block| block.first <= place);
        let Some(block) = after.checked_sub(1).map(|index| &blocks[index]) else { return "" };
        block.texts.get_or_init(|| self.unpacked(block)).at(place - block.first).unwrap_or_default()
    }

    fn blocks(&self) -> &[TextBlock] {
        self.blocks.get_or_init(|| {
            let read = self.file.blocks(self.section);
            let n_texts = |blocks: &[(Part, usize)]| blocks.iter().map(|(_, n_texts)| *n_texts as u64).sum::<u64>();
            let is_right = |blocks: &Vec<(Part, usize)>| n_texts(blocks) == self.section.n_values;
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

    #[cold]
    fn unpacked(&self, block: &TextBlock) -> Unpacked {
        let read = self.file.part(block.part);
        let unpacked = read.and_then(|bytes| unpack(&bytes, block.n_texts).ok_or_else(|| damage(block.part)));
        self.file.or_fault(unpacked, Unpacked::default)
    }

    /// Bytes of the blocks that are in memory.
    pub(in crate::trace) fn bytes(&self) -> usize {
        let blocks = self.blocks.get().map(Vec::as_slice).unwrap_or_default();
        let unpacked = blocks.iter().filter_map(|block| block.texts.get());
        let texts: usize = unpacked.map(|texts| texts.buffer.capacity() + texts.ends.capacity() * 4).sum();
        texts + self.places.as_ref().map_or(0, CodeColumn::bytes)
    }
}

/// The lengths of the texts, four bytes each, and then the texts.
fn unpack(bytes: &[u8], n_texts: usize) -> Option<Unpacked> {
    let mut bytes = decompress(bytes)?;
    let head = n_texts.checked_mul(4).filter(|head| *head <= bytes.len())?;
    let buffer = String::from_utf8(bytes.split_off(head)).ok()?;
    let mut end = 0_u32;
    let length = |length: &[u8]| {
        end = end.checked_add(u32::from_le_bytes(std::array::from_fn(|index| length[index])))?;
        buffer.is_char_boundary(end as usize).then_some(end)
    };
    let ends: Vec<u32> = bytes.chunks_exact(4).map(length).collect::<Option<_>>()?;
    (end as usize == buffer.len()).then_some(Unpacked { buffer, ends })
}
