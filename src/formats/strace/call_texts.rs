//! The arguments of calls as strace prints them. They stay in the file of the trace, if there is one, and are read again
//! when they are needed.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::columns::CallNumber;
use crate::trace::{FileBlock, TextFile};

/// The arguments of all calls.
#[derive(Debug, Default)]
pub(crate) struct CallTexts {
    /// By call, where its arguments are in their block.
    spans: Vec<(u32, u32)>,
    /// Blocks, each with the number of the first call whose arguments are in it.
    blocks: Vec<(CallNumber, TextBlock)>,
    file: Option<Arc<TextFile>>,
    chunk: Option<CurrentChunk>,
}

#[derive(Debug)]
enum TextBlock {
    /// In memory.
    Kept(Vec<u8>),
    InFile(FileBlock),
}

/// The chunk of the file whose calls are added.
#[derive(Debug)]
struct CurrentChunk {
    /// Where its text is in memory, which says whether arguments are a part of it.
    addresses: Range<usize>,
    block: FileBlock,
    /// Whether the last block is the one of the chunk.
    is_open: bool,
}

/// Bytes of a block in memory, unless one text is longer.
const BLOCK: usize = 1 << 18;

impl CallTexts {
    /// Leaves arguments in a file, which has this name.
    pub(crate) fn leave_in(&mut self, file: File, path: PathBuf) {
        self.file = Some(Arc::new(TextFile::new(file, path)));
    }

    /// The file with the arguments.
    pub(crate) fn file(&self) -> Option<&Arc<TextFile>> {
        self.file.as_ref()
    }

    /// Begins a chunk, which is at an offset of the file.
    pub(crate) fn begin_chunk(&mut self, text: &[u8], offset: u64) {
        self.chunk = self.file.as_ref().filter(|_| !text.is_empty()).map(|file| CurrentChunk {
            addresses: addresses(text),
            block: FileBlock { offset, length: text.len() as u32, checksum: file.checksum(text) },
            is_open: false,
        });
    }

    /// Ends the chunk, whose text may be overwritten from now on.
    pub(crate) fn end_chunk(&mut self) {
        self.chunk = None;
    }

    /// The number of calls.
    #[inline]
    pub(crate) fn n_calls(&self) -> CallNumber {
        self.spans.len() as CallNumber
    }

    /// Adds the arguments of the next call.
    #[inline]
    pub(crate) fn add(&mut self, args: &[u8]) {
        let start = match &self.chunk {
            Some(chunk) if chunk.is_open && chunk.has(args) => chunk.start_of(args),
            _ => self.add_to_block(args),
        };
        self.spans.push((start, args.len() as u32));
    }

    /// Adds arguments that are not in the last block; returns where they are in theirs.
    fn add_to_block(&mut self, args: &[u8]) -> u32 {
        let call = self.n_calls();
        if args.is_empty() {
            return 0;
        }
        if let Some(chunk) = self.chunk.as_mut().filter(|chunk| chunk.has(args)) {
            self.blocks.push((call, TextBlock::InFile(chunk.block)));
            chunk.is_open = true;
            return chunk.start_of(args);
        }
        if let Some(chunk) = &mut self.chunk {
            chunk.is_open = false;
        }
        if let Some((_, TextBlock::Kept(texts))) = self.blocks.last_mut()
            && texts.capacity() - texts.len() >= args.len()
        {
            texts.extend_from_slice(args);
            return (texts.len() - args.len()) as u32;
        }
        let capacity = if self.file.is_some() { args.len() } else { BLOCK.max(args.len()) };
        let mut texts = Vec::with_capacity(capacity);
        texts.extend_from_slice(args);
        self.blocks.push((call, TextBlock::Kept(texts)));
        0
    }

    /// Frees spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.spans.shrink_to_fit();
        self.blocks.shrink_to_fit();
        if let Some((_, TextBlock::Kept(texts))) = self.blocks.last_mut() {
            texts.shrink_to_fit();
        }
    }

    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        let kept = self.blocks.iter().map(|(_, block)| match block {
            TextBlock::Kept(texts) => texts.capacity(),
            TextBlock::InFile(_) => 0,
        });
        self.spans.capacity() * size_of::<(u32, u32)>()
            + self.blocks.capacity() * size_of::<(CallNumber, TextBlock)>()
            + kept.sum::<usize>()
    }

    /// A reader of arguments.
    pub(crate) fn reader(&self) -> CallTextReader<'_> {
        CallTextReader { texts: self, read: None }
    }
}

impl CurrentChunk {
    fn has(&self, args: &[u8]) -> bool {
        let args = addresses(args);
        self.addresses.start <= args.start && args.end <= self.addresses.end
    }

    fn start_of(&self, args: &[u8]) -> u32 {
        (args.as_ptr().addr() - self.addresses.start) as u32
    }
}

fn addresses(text: &[u8]) -> Range<usize> {
    let range = text.as_ptr_range();
    range.start.addr()..range.end.addr()
}

/// Reads arguments; those of calls in rising order fast.
pub(crate) struct CallTextReader<'t> {
    texts: &'t CallTexts,
    /// The offset of a part of the file, and its bytes.
    read: Option<(u64, Box<[u8]>)>,
}

impl CallTextReader<'_> {
    /// The arguments of a call, by its index from 0. They are empty if the file cannot be read, which is a fault of the file.
    pub(crate) fn at(&mut self, call: usize) -> &[u8] {
        let texts = self.texts;
        let Some((start, length)) = texts.spans.get(call).filter(|(_, length)| *length > 0) else { return &[] };
        let after = texts.blocks.partition_point(|(first, _)| *first as usize <= call);
        let block = after.checked_sub(1).map(|index| &texts.blocks[index].1);
        let bytes: &[u8] = match (block, &texts.file) {
            (Some(TextBlock::Kept(bytes)), _) => bytes,
            (Some(TextBlock::InFile(block)), Some(file)) => {
                let read = self.read.take().filter(|(offset, _)| *offset == block.offset);
                &self.read.insert(read.unwrap_or_else(|| (block.offset, file.read(*block)))).1
            }
            _ => &[],
        };
        let start = *start as usize;
        bytes.get(start..start + *length as usize).unwrap_or_default()
    }
}
