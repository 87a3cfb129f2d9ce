//! The file of a saved trace: sections of blocks; each block is checked when it is first read.
//!
//! `magic version | blocks and directories of sections | meta | end`: the end is written last, so it shows that the
//! file is complete.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use thiserror::Error;

use super::bytes::{Decoder, Encoder};
use super::memory::{MemorySource, MemoryUse};
use super::packing::{BLOCK, decompress};
use super::text_file::read_at;

/// The message for a part whose checksum is right but whose bytes make no sense.
pub(crate) fn damage(part: FilePart) -> String {
    format!("the block at byte {} is not what was written", part.offset)
}

/// Why a file is not a readable saved trace.
#[derive(Debug, Error)]
pub(crate) enum SavedError {
    /// The error of the system.
    #[error("{0}")]
    Unreadable(io::Error),
    /// Another version wrote it: its number and ours.
    #[error("it was saved in version {0} of the format, and this papaver reads version {1}: convert the trace again")]
    Version(u32, u32),
    /// It is truncated.
    #[error("the saved trace is truncated: convert the trace again")]
    Partial,
    /// A part of it was changed.
    #[error("the saved trace is damaged: {0} is not what was written")]
    Damaged(&'static str),
    /// It was made from an unknown format.
    #[error("it was made from a trace of the unknown format `{0}`")]
    Format(String),
}

/// First bytes of a saved trace.
pub(crate) const MAGIC: &[u8] = b"\x89papaver";
/// Version of the format; it changes whenever traces are saved differently.
const VERSION: u32 = 8;
/// Bytes of the magic and the version.
const HEAD: usize = 12;
/// Bytes of the end: position, length and checksum of the meta, length of the file, and checksum of head and end.
const END: usize = 28;

/// A part of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilePart {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) checksum: u32,
}

/// Consecutive blocks, followed by their directory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section {
    /// Where the first block is.
    pub(crate) offset: u64,
    pub(crate) directory: FilePart,
    /// The total number of its numbers, texts or bytes.
    pub(crate) n_values: u64,
}

/// Bytes of a block's entry in a directory: its length, its checksum and the number of its values.
pub(crate) const ENTRY: usize = 12;

/// A byte stands for at most this many values.
const MOST_VALUES: u64 = 1024;

impl Section {
    pub(crate) fn write(&self, out: &mut Encoder) {
        out.number(self.offset);
        out.number(self.directory.offset);
        out.number(u64::from(self.directory.length));
        out.number(u64::from(self.directory.checksum));
        out.number(self.n_values);
    }

    /// A section that lies within a file of this length.
    pub(crate) fn read(reader: &mut Decoder<'_>, file_length: u64) -> Option<Section> {
        let offset = reader.number()?;
        let directory = FilePart { offset: reader.number()?, length: reader.word()?, checksum: reader.word()? };
        let n_values = reader.number()?;
        let end = directory.offset.checked_add(u64::from(directory.length))?;
        let is_possible = n_values / MOST_VALUES <= file_length;
        (offset <= directory.offset && end <= file_length && is_possible).then_some(Section {
            offset,
            directory,
            n_values,
        })
    }

    /// The section, if it has this many values and enough blocks for them: no block has more than [`BLOCK`].
    pub(crate) fn with(self, n_values: usize) -> Option<Section> {
        let n_blocks = self.directory.length as usize / ENTRY;
        (self.n_values == n_values as u64 && n_values.div_ceil(BLOCK) <= n_blocks).then_some(self)
    }
}

/// Hash of bytes of the file.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Head and end of a file, with the position of its meta.
pub(crate) fn head() -> Vec<u8> {
    [MAGIC, &VERSION.to_le_bytes()].concat()
}

pub(crate) fn end(meta: FilePart) -> Vec<u8> {
    let mut end = Vec::with_capacity(END);
    end.extend(meta.offset.to_le_bytes());
    end.extend(meta.length.to_le_bytes());
    end.extend(meta.checksum.to_le_bytes());
    end.extend((meta.offset + u64::from(meta.length) + END as u64).to_le_bytes());
    let whole = [head().as_slice(), &end].concat();
    end.extend(checksum(&whole).to_le_bytes());
    end
}

/// Bytes that are read at once, unless a single block is longer.
const AT_ONCE: u64 = 1 << 18;

/// The bytes of a part, if their checksum is right.
fn verified(part: FilePart, bytes: &[u8]) -> Result<&[u8], String> {
    match checksum(bytes) == part.checksum {
        true => Ok(bytes),
        false => Err(format!("the block at byte {} is damaged", part.offset)),
    }
}

/// Where the bytes of a saved trace come from.
#[derive(Debug)]
pub(crate) enum SavedSource {
    /// A file, whose parts are read when they are needed.
    File(File),
    /// Memory: the trace came through a pipe or was packed.
    Memory(Vec<u8>),
}

impl SavedSource {
    fn length(&self) -> io::Result<u64> {
        match self {
            SavedSource::File(file) => Ok(file.metadata()?.len()),
            SavedSource::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// The bytes of a range.
    fn bytes(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            SavedSource::File(file) => {
                let mut bytes = vec![0; length];
                read_at(file, &mut bytes, at)?;
                Ok(bytes.into())
            }
            SavedSource::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let part = rest.and_then(|rest| rest.get(..length));
                part.map(Cow::Borrowed).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
        }
    }
}

/// A saved trace that is open.
#[derive(Debug)]
pub(crate) struct SavedFile {
    source: SavedSource,
    path: PathBuf,
    pub(crate) length: u64,
    memory: MemoryUse,
    /// Why a part cannot be read.
    fault: OnceLock<String>,
}

impl SavedFile {
    /// Opens a file whose head and end are right; also gives its meta.
    pub(crate) fn open(
        source: SavedSource,
        path: PathBuf,
        memory: Option<MemorySource>,
    ) -> Result<(SavedFile, Vec<u8>), SavedError> {
        let length = source.length().map_err(SavedError::Unreadable)?;
        let saved = SavedFile { source, path, length, memory: MemoryUse::new(memory), fault: OnceLock::new() };
        if length < (HEAD + END) as u64 {
            return Err(SavedError::Partial);
        }
        let start = saved.source.bytes(0, HEAD).map_err(SavedError::Unreadable)?;
        let version = u32::from_le_bytes([start[8], start[9], start[10], start[11]]);
        if start[..8] != *MAGIC {
            return Err(SavedError::Damaged("its first bytes"));
        }
        if version != VERSION {
            return Err(SavedError::Version(version, VERSION));
        }
        let last = saved.source.bytes(length - END as u64, END).map_err(SavedError::Unreadable)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| last[at + index]));
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| last[at + index]));
        let whole = [&start[..], &last[..END - 4]].concat();
        if word(END - 4) != checksum(&whole) || number(16) != length {
            return Err(SavedError::Partial);
        }
        let meta = FilePart { offset: number(0), length: word(8), checksum: word(12) };
        if meta.offset.checked_add(u64::from(meta.length) + END as u64) != Some(length) {
            return Err(SavedError::Damaged("its end"));
        }
        drop((start, last));
        let meta = saved.part(meta).map_err(|_| SavedError::Damaged("its description"))?.into_owned();
        Ok((saved, meta))
    }

    /// Accounts for memory that is about to be allocated; an error if it is not free.
    pub(crate) fn take(&self, n_bytes: usize) -> Result<(), String> {
        self.memory.take(n_bytes).map_err(|shortage| shortage.to_string())
    }

    /// The bytes of a part, or the reason why they cannot be read.
    pub(crate) fn part(&self, part: FilePart) -> Result<Cow<'_, [u8]>, String> {
        let bytes = self.stretch(part.offset, u64::from(part.length))?;
        verified(part, &bytes)?;
        Ok(bytes)
    }

    fn stretch(&self, at: u64, length: u64) -> Result<Cow<'_, [u8]>, String> {
        // no memory is allocated for a part beyond the end of the file
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(format!("the block at byte {at} extends beyond the end of the file"));
        }
        self.source.bytes(at, length as usize).map_err(|error| format!("the block at byte {at}: {error}"))
    }

    /// Why a part could not be read, if one could not.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Accounts for memory that is about to be allocated; if it is not free, that is a fault.
    pub(crate) fn has_room(&self, n_bytes: usize) -> bool {
        self.take(n_bytes).inspect_err(|reason| self.note(reason)).is_ok()
    }

    /// Notes that a part cannot be read.
    pub(crate) fn note(&self, reason: &str) {
        self.fault.get_or_init(|| format!("cannot read the saved trace `{}`: {reason}", self.path.display()));
    }

    /// The blocks of a section, each with its number of values.
    pub(crate) fn blocks(&self, section: Section) -> Result<Vec<(FilePart, usize)>, String> {
        let directory = self.part(section.directory)?;
        let word = |entry: &[u8], at: usize| u32::from_le_bytes(std::array::from_fn(|index| entry[at + index]));
        let mut offset = section.offset;
        let mut blocks = Vec::with_capacity(directory.len() / ENTRY);
        for entry in directory.chunks_exact(ENTRY) {
            let part = FilePart { offset, length: word(entry, 0), checksum: word(entry, 4) };
            offset = offset.saturating_add(u64::from(part.length));
            blocks.push((part, word(entry, 8) as usize));
        }
        Ok(blocks)
    }

    /// Calls `block` with the bytes and the number of values of each block of a section; many blocks are read at once.
    pub(crate) fn each_block(
        &self,
        section: Section,
        mut block: impl FnMut(FilePart, &[u8], usize) -> Result<(), String>,
    ) -> Result<(), String> {
        self.each_of(&self.blocks(section)?, &mut block)
    }

    /// As `each_block`, for some consecutive blocks.
    pub(crate) fn each_of(
        &self,
        blocks: &[(FilePart, usize)],
        mut block: impl FnMut(FilePart, &[u8], usize) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut rest = blocks;
        while let Some((first, _)) = rest.first() {
            let mut length = 0;
            let fits = |(part, _): &&(FilePart, usize)| {
                length += u64::from(part.length);
                length <= AT_ONCE
            };
            let n_blocks = rest.iter().take_while(fits).count().max(1);
            let (some, others) = rest.split_at(n_blocks);
            let length = some.iter().map(|(part, _)| u64::from(part.length)).sum();
            let bytes = self.stretch(first.offset, length)?;
            let mut bytes = &*bytes;
            for (part, n_values) in some {
                let (own, after) = bytes.split_at(part.length as usize);
                block(*part, verified(*part, own)?, *n_values)?;
                bytes = after;
            }
            rest = others;
        }
        Ok(())
    }

    /// All bytes of a section.
    pub(crate) fn section(&self, section: Section) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.each_block(section, |part, block, _| {
            bytes.extend(decompress(block).ok_or_else(|| damage(part))?);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// The value if there was no error; otherwise the default, and the trace has a fault.
    pub(crate) fn or_fault<T>(&self, found: Result<T, String>, instead: impl FnOnce() -> T) -> T {
        found.unwrap_or_else(|reason| {
            self.note(&reason);
            instead()
        })
    }
}
