//! The file of a saved trace: sections of blocks, each block checked when it is first read.
//!
//! `magic version | blocks and directories of sections | meta | end`: what is written last says that all is there.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::SavedError;
use super::bytes::{Reader, Writer};
use super::memory::{Memory, SavedMemory};
use super::packing::BLOCK;
use crate::trace::file::read_at;

/// What a saved trace begins with.
pub const MAGIC: &[u8] = b"\x89papaver";
/// Traces that are saved differently have another one.
const VERSION: u32 = 4;
/// Bytes of the magic and the version.
const HEAD: usize = 12;
/// Bytes of the end: where the meta is, its length and checksum, the length of the file, and the checksum of head and end.
const END: usize = 28;

/// A stretch of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) checksum: u32,
}

/// Blocks that belong together, one behind the other, and behind them their directory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Section {
    /// Where its first block is.
    pub(super) offset: u64,
    pub(super) directory: Part,
    /// How many numbers, texts or bytes there are in all.
    pub(super) n_values: u64,
}

/// Bytes of a block in a directory: its length, its checksum and how many values it has.
pub(super) const ENTRY: usize = 12;

/// No byte stands for more values than this.
const MOST_VALUES: u64 = 1024;

impl Section {
    pub(super) fn write(&self, out: &mut Writer) {
        out.number(self.offset);
        out.number(self.directory.offset);
        out.number(u64::from(self.directory.length));
        out.number(u64::from(self.directory.checksum));
        out.number(self.n_values);
    }

    /// A section that lies in a file of that length.
    pub(super) fn read(reader: &mut Reader<'_>, file_length: u64) -> Option<Section> {
        let offset = reader.number()?;
        let directory = Part { offset: reader.number()?, length: reader.word()?, checksum: reader.word()? };
        let n_values = reader.number()?;
        let end = directory.offset.checked_add(u64::from(directory.length))?;
        let is_possible = n_values / MOST_VALUES <= file_length;
        (offset <= directory.offset && end <= file_length && is_possible).then_some(Section {
            offset,
            directory,
            n_values,
        })
    }

    /// The same if it can have that many values, and it has: none of its blocks has more than [`BLOCK`].
    pub(super) fn with(self, n_values: usize) -> Option<Section> {
        let n_blocks = self.directory.length as usize / ENTRY;
        (self.n_values == n_values as u64 && n_values.div_ceil(BLOCK) <= n_blocks).then_some(self)
    }
}

/// Hash of bytes of the file.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Head and end of a file whose meta is there.
pub(super) fn head() -> Vec<u8> {
    [MAGIC, &VERSION.to_le_bytes()].concat()
}

pub(super) fn end(meta: Part) -> Vec<u8> {
    let mut end = Vec::with_capacity(END);
    end.extend(meta.offset.to_le_bytes());
    end.extend(meta.length.to_le_bytes());
    end.extend(meta.checksum.to_le_bytes());
    end.extend((meta.offset + u64::from(meta.length) + END as u64).to_le_bytes());
    let whole = [head().as_slice(), &end].concat();
    end.extend(checksum(&whole).to_le_bytes());
    end
}

/// Bytes that are read at once, unless a single block has more.
const AT_ONCE: u64 = 1 << 18;

/// The bytes of a part, if they are those that were written.
fn verified(part: Part, bytes: &[u8]) -> Result<&[u8], String> {
    match checksum(bytes) == part.checksum {
        true => Ok(bytes),
        false => Err(format!("the block at byte {} is damaged", part.offset)),
    }
}

/// Where the bytes of a saved trace are.
#[derive(Debug)]
pub enum SavedSource {
    /// In a file, of which parts are read when they are asked for.
    File(File),
    /// All in memory, as they came through a pipe or were packed.
    Memory(Vec<u8>),
}

impl SavedSource {
    fn length(&self) -> io::Result<u64> {
        match self {
            SavedSource::File(file) => Ok(file.metadata()?.len()),
            SavedSource::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// So many bytes from a place on.
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
pub(in crate::trace) struct SavedFile {
    source: SavedSource,
    path: PathBuf,
    pub(super) length: u64,
    memory: Memory,
    /// Why some part cannot be read.
    fault: OnceLock<String>,
}

impl SavedFile {
    /// Opens a file whose head and end are right; gives also its meta.
    pub(super) fn open(
        source: SavedSource,
        path: PathBuf,
        memory: Option<SavedMemory>,
    ) -> Result<(SavedFile, Vec<u8>), SavedError> {
        let length = source.length().map_err(SavedError::Unreadable)?;
        let saved = SavedFile { source, path, length, memory: Memory::new(memory), fault: OnceLock::new() };
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
        let meta = Part { offset: number(0), length: word(8), checksum: word(12) };
        if meta.offset.checked_add(u64::from(meta.length) + END as u64) != Some(length) {
            return Err(SavedError::Damaged("its end"));
        }
        drop((start, last));
        let meta = saved.part(meta).map_err(|_| SavedError::Damaged("its description"))?.into_owned();
        Ok((saved, meta))
    }

    /// Notes that so many bytes are about to be taken; an error if there are not so many.
    pub(super) fn take(&self, n_bytes: usize) -> Result<(), String> {
        self.memory.take(n_bytes)
    }

    /// The bytes of a part, or what is wrong with it.
    pub(super) fn part(&self, part: Part) -> Result<Cow<'_, [u8]>, String> {
        let bytes = self.stretch(part.offset, u64::from(part.length))?;
        verified(part, &bytes)?;
        Ok(bytes)
    }

    fn stretch(&self, at: u64, length: u64) -> Result<Cow<'_, [u8]>, String> {
        // what is beyond the end of the file need not be made room for
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(format!("the block at byte {at} goes beyond its end"));
        }
        self.source.bytes(at, length as usize).map_err(|error| format!("the block at byte {at}: {error}"))
    }

    /// What made a part unreadable, if any was.
    pub(in crate::trace) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Takes so many bytes of memory; it is a fault if there are not as many.
    pub(in crate::trace) fn has_room(&self, n_bytes: usize) -> bool {
        self.take(n_bytes).inspect_err(|reason| self.note(reason)).is_ok()
    }

    /// Notes that a part is unreadable.
    pub(super) fn note(&self, reason: &str) {
        self.fault.get_or_init(|| format!("cannot read the saved trace `{}`: {reason}", self.path.display()));
    }

    /// The blocks of a section, each with how many values it has.
    pub(super) fn blocks(&self, section: Section) -> Result<Vec<(Part, usize)>, String> {
        let directory = self.part(section.directory)?;
        let word = |entry: &[u8], at: usize| u32::from_le_bytes(std::array::from_fn(|index| entry[at + index]));
        let mut offset = section.offset;
        let mut blocks = Vec::with_capacity(directory.len() / ENTRY);
        for entry in directory.chunks_exact(ENTRY) {
            let part = Part { offset, length: word(entry, 0), checksum: word(entry, 4) };
            offset = offset.saturating_add(u64::from(part.length));
            blocks.push((part, word(entry, 8) as usize));
        }
        Ok(blocks)
    }

    /// Calls `block` with each block of a section, its bytes and how many values it has; many are read at once.
    pub(super) fn each_block(
        &self,
        section: Section,
        mut block: impl FnMut(Part, &[u8], usize) -> Result<(), String>,
    ) -> Result<(), String> {
        self.each_of(&self.blocks(section)?, &mut block)
    }

    /// The same with some blocks that stand one behind the other.
    pub(super) fn each_of(
        &self,
        blocks: &[(Part, usize)],
        mut block: impl FnMut(Part, &[u8], usize) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut rest = blocks;
        while let Some((first, _)) = rest.first() {
            let mut length = 0;
            let fits = |(part, _): &&(Part, usize)| {
                length += u64::from(part.length);
                length <= AT_ONCE
            };
            let n_blocks = rest.iter().take_while(fits).count().max(1);
            let (some, others) = rest.split_at(n_blocks);
            let length = some.iter().map(|(part, _)| u64::from(part.length)).sum();
            let bytes = self.stretch(first.offset, length)?;
            let mut bytes = &*bytes;
            for (part, n_values) in some {
                let (own, behind) = bytes.split_at(part.length as usize);
                block(*part, verified(*part, own)?, *n_values)?;
                bytes = behind;
            }
            rest = others;
        }
        Ok(())
    }

    /// What was found, or the value in place of it, and then there is a fault.
    pub(super) fn or_fault<T>(&self, found: Result<T, String>, instead: impl FnOnce() -> T) -> T {
        found.unwrap_or_else(|reason| {
            self.note(&reason);
            instead()
        })
    }
}
