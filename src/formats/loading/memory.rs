//! An estimate of the memory that a trace needs, from samples of its file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::load::LoadError;
use crate::trace::{MemorySource, MemoryUse, PER_EVENT};

/// Files below this size are not estimated.
const SMALL: u64 = 1 << 24;

/// Samples of a file, and bytes of each.
const N_SAMPLES: u64 = 16;
const SAMPLE: usize = 1 << 13;

/// Packed event lines are smaller by more than this factor.
const PACKED: u64 = 4;

/// The number of events of a file of `size` bytes that fit in what is free, as `free` tells.
pub(crate) fn most_events(size: u64, free: Option<fn() -> Option<u64>>) -> u64 {
    let free = free.filter(|_| size >= SMALL).and_then(|free| free());
    free.map_or(u64::MAX, |free| free / PER_EVENT)
}

/// A file whose beginning has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BegunFile<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    /// Its first bytes, unpacked.
    pub(crate) head: &'a [u8],
    /// Its size.
    pub(crate) size: u64,
    /// Whether it is packed.
    pub(crate) is_packed: bool,
}

impl BegunFile<'_> {
    /// An error if the file has more events than what is free can hold, as `free` tells.
    pub(crate) fn refuse_too_large(self, free: fn() -> Option<u64>) -> Result<(), LoadError> {
        if self.size < SMALL {
            return Ok(());
        }
        let n_events = self.n_lines();
        let needed = usize::try_from(n_events.saturating_mul(PER_EVENT)).unwrap_or(usize::MAX);
        let taken = MemoryUse::new(Some(MemorySource { free, unasked: 0 })).take(needed);
        taken.map_err(|shortage| LoadError::too_large(self.path, n_events, shortage))
    }

    fn n_lines(self) -> u64 {
        let (n_lines, n_bytes, size) = match sample(self.path, self.size) {
            Ok((n_lines, n_bytes)) if !self.is_packed => (n_lines, n_bytes, self.size),
            _ => (count(self.head), self.head.len() as u64, self.size.saturating_mul(PACKED)),
        };
        size.saturating_mul(n_lines) / n_bytes.max(1)
    }
}

/// The lines and the bytes in samples of a file.
fn sample(path: &Path, size: u64) -> io::Result<(u64, u64)> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; SAMPLE];
    let (mut n_lines, mut n_bytes) = (0, 0);
    for index in 0..N_SAMPLES {
        file.seek(SeekFrom::Start(size / N_SAMPLES * index))?;
        let n_read = file.read(&mut bytes)?;
        n_lines += count(&bytes[..n_read]);
        n_bytes += n_read as u64;
    }
    Ok((n_lines, n_bytes))
}

/// Counts line ends of either kind.
fn count(bytes: &[u8]) -> u64 {
    let n_feeds = memchr::memchr_iter(b'\n', bytes).count();
    n_feeds.max(memchr::memchr_iter(b'\r', bytes).count()) as u64
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_trace_is_refused_if_its_events_do_not_fit() {
        let lines = b"1: 1 [1] call p(a, b, c, d) []\r\n".repeat(1 << 20);
        let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
        file.write_all(&lines).expect("temporary files can be written");
        let unread = BegunFile { path: file.path(), head: b"x", size: lines.len() as u64, is_packed: false };
        assert!(unread.refuse_too_large(|| Some(1 << 26)).is_ok());
        let message = unread.refuse_too_large(|| Some(1 << 25)).expect_err("40 MiB do not fit").to_string();
        assert!(message.contains(" events need about 40 MiB, and 32 MiB are free"), "{message}");
        let packed = BegunFile { head: &lines[..3200], is_packed: true, ..unread };
        assert!(packed.refuse_too_large(|| Some(1 << 26)).is_err());
        assert!(BegunFile { size: 1 << 20, ..unread }.refuse_too_large(|| Some(1)).is_ok());
    }
}
