//! Writing the sections of a saved trace: blocks are packed on all cores and written in order.

use std::io::{self, Write};

use crate::trace::file::bytes::Encoder;
use crate::trace::file::packing::compress;
use crate::trace::file::saved_file::{FilePart, Section, checksum, end, head};
use crate::trace::threads::on_cores;

/// The bytes of a block, and the number of its values.
pub(super) type PackedBlock = (Vec<u8>, usize);

/// The size of a block of bytes, and of a block of long texts.
pub(super) const BYTES: usize = 1 << 18;

/// How many blocks are packed before they are written: few enough for memory, enough to keep all cores busy.
const AT_ONCE: usize = 256;

pub(super) struct Saving<'a> {
    out: &'a mut dyn Write,
    offset: u64,
    n_threads: usize,
    /// The metadata of the sections, in the order in which it is read.
    pub(super) meta: Encoder,
}

impl<'a> Saving<'a> {
    /// Begins a file.
    pub(super) fn begin(out: &'a mut dyn Write, n_threads: usize) -> io::Result<Saving<'a>> {
        let mut saving = Saving { out, offset: 0, n_threads, meta: Encoder::default() };
        saving.bytes(&head())?;
        Ok(saving)
    }

    /// Completes the file.
    pub(super) fn end(mut self) -> io::Result<()> {
        let meta = std::mem::take(&mut self.meta).bytes;
        let meta = self.part(&meta)?;
        self.bytes(&end(meta))
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn part(&mut self, bytes: &[u8]) -> io::Result<FilePart> {
        self.checked(bytes, checksum(bytes))
    }

    fn checked(&mut self, bytes: &[u8], checksum: u32) -> io::Result<FilePart> {
        let part = FilePart { offset: self.offset, length: length(bytes.len())?, checksum };
        self.bytes(bytes)?;
        Ok(part)
    }

    /// Writes independent blocks and their directory.
    pub(super) fn section(&mut self, n_blocks: usize, block: impl Fn(usize) -> PackedBlock + Sync) -> io::Result<()> {
        let (offset, mut n_values, mut directory) = (self.offset, 0, Vec::new());
        for start in (0..n_blocks).step_by(AT_ONCE) {
            let blocks = on_cores(self.n_threads, start..n_blocks.min(start + AT_ONCE), |index| {
                let (bytes, n_values) = block(index);
                (checksum(&bytes), bytes, n_values)
            });
            for (checksum, bytes, n_in_block) in blocks {
                let part = self.checked(&bytes, checksum)?;
                n_values += n_in_block as u64;
                directory.extend(part.length.to_le_bytes());
                directory.extend(part.checksum.to_le_bytes());
                directory.extend(length(n_in_block)?.to_le_bytes());
            }
        }
        let directory = self.part(&directory)?;
        Section { offset, directory, n_values }.write(&mut self.meta);
        Ok(())
    }

    /// A section of bytes.
    pub(super) fn byte_section(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.section(bytes.len().div_ceil(BYTES), |block| {
            let bytes = &bytes[block * BYTES..bytes.len().min((block + 1) * BYTES)];
            (compress(bytes), bytes.len())
        })
    }
}

/// A length in 32 bits.
fn length(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::Error::other("a text is too long to be saved"))
}
