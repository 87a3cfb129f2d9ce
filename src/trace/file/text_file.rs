//! The file of a trace, whose parts are read again when their texts are needed.
//!
//! The file is not mapped, because the process would be killed if another program truncated the file.

use crate::term::hash::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A part of a file as it was when the trace was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileBlock {
    /// Offset of its first byte.
    pub(crate) offset: u64,
    /// Number of bytes.
    pub(crate) length: u32,
    /// Hash of the bytes.
    pub(crate) checksum: u64,
}

/// A file that stays open as long as the trace exists.
#[derive(Debug)]
pub(crate) struct TextFile {
    file: File,
    path: PathBuf,
    hash: RandomState,
    /// Why some part could not be read again.
    fault: OnceLock<String>,
}

impl TextFile {
    pub(crate) fn new(file: File, path: PathBuf) -> TextFile {
        TextFile { file, path, hash: RandomState::default(), fault: OnceLock::new() }
    }

    pub(crate) fn checksum(&self, bytes: &[u8]) -> u64 {
        self.hash.hash_one(bytes)
    }

    /// Why a part could not be read, if one could not.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// The bytes of a block if they are unchanged; otherwise none, and the trace has a fault from now on.
    pub(crate) fn read(&self, block: FileBlock) -> Box<[u8]> {
        let mut bytes = vec![0; block.length as usize];
        let reason = match read_at(&self.file, &mut bytes, block.offset) {
            Ok(()) if self.checksum(&bytes) == block.checksum => return bytes.into(),
            Ok(()) => "it has changed since the trace was read".to_string(),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                "it was truncated after the trace was read".to_string()
            }
            Err(error) => error.to_string(),
        };
        self.fault.get_or_init(|| format!("cannot read the arguments in `{}`: {reason}", self.path.display()));
        Box::default()
    }
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
pub(crate) fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}
