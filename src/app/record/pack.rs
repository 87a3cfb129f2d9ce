//! The file of a recording, written as it happens: each block of it is packed by itself, so that a recording that breaks
//! off can be read up to its last block.

use std::fs::File;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// The size from which a block is packed.
const BLOCK: usize = 1 << 20;

/// A file that grows by whole blocks.
pub(super) struct PackedFile {
    file: File,
    packing: Packing,
    block: Vec<u8>,
    /// The bytes written.
    pub(super) n_bytes: u64,
    /// Why no more is written.
    pub(super) failure: Option<io::Error>,
}

impl PackedFile {
    pub(super) fn new(file: File, packing: Packing) -> PackedFile {
        PackedFile { file, packing, block: Vec::with_capacity(BLOCK), n_bytes: 0, failure: None }
    }

    /// Adds bytes; after a failure they are dropped.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.close_block();
        }
    }

    /// Packs and writes what was added since the last block.
    pub(super) fn close_block(&mut self) {
        if !self.block.is_empty() && self.failure.is_none() {
            let written = packed(&self.block, self.packing).and_then(|bytes| {
                self.file.write_all(&bytes)?;
                Ok(bytes.len() as u64)
            });
            match written {
                Ok(n_bytes) => self.n_bytes += n_bytes,
                Err(error) => self.failure = Some(error),
            }
        }
        self.block.clear();
    }
}

fn packed(block: &[u8], packing: Packing) -> io::Result<Vec<u8>> {
    match packing {
        Packing::Plain => Ok(block.to_vec()),
        Packing::Zstd => Ok(compress_to_vec(block, CompressionLevel::Fastest)),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(block)?;
            encoder.finish()
        }
    }
}
