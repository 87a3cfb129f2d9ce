//! The file of a recording, written as it happens: each block of it is packed by itself, so that a recording that breaks
//! off can be read up to its last block.

use std::fs::File;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::bulk::Compressor;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// The size from which a block is packed.
const BLOCK: usize = 1 << 20;

/// The level of zstd, at which it packs lines of events about as fast as they can be copied, to a tenth of their size.
const LEVEL: i32 = 1;

/// A file that grows by whole blocks.
pub(super) struct PackedFile {
    file: File,
    packing: Packing,
    /// Packs to zstd.
    compressor: Compressor<'static>,
    block: Vec<u8>,
    /// The bytes written.
    pub(super) n_bytes: u64,
    /// Why no more is written.
    pub(super) failure: Option<io::Error>,
}

impl PackedFile {
    /// Fails where there is no memory to pack anything.
    pub(super) fn new(file: File, packing: Packing) -> io::Result<PackedFile> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(PackedFile { file, packing, compressor, block: Vec::with_capacity(BLOCK), n_bytes: 0, failure: None })
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
            match self.write_block() {
                Ok(n_bytes) => self.n_bytes += n_bytes as u64,
                Err(error) => self.failure = Some(error),
            }
        }
        self.block.clear();
    }

    /// Writes the block; returns the number of bytes in the file.
    fn write_block(&mut self) -> io::Result<usize> {
        let packed = match self.packing {
            Packing::Plain => None,
            Packing::Zstd => Some(self.compressor.compress(&self.block)?),
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&self.block)?;
                Some(encoder.finish()?)
            }
        };
        let bytes = packed.as_ref().unwrap_or(&self.block);
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }
}
