//! Accounting for the memory of a trace that is read, and of what is computed from a saved one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use thiserror::Error;

/// A way to find out how much memory is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemorySource {
    /// Gives the free bytes, if they are known.
    pub(crate) free: fn() -> Option<u64>,
    /// Bytes that may be allocated before `free` is called, because it is slow.
    pub(crate) unasked: u64,
}

/// The memory that was allocated so far, and its limit.
#[derive(Debug)]
pub(crate) struct MemoryUse {
    source: Option<MemorySource>,
    taken: AtomicU64,
    /// The total that may be allocated, once `free` was called.
    most: OnceLock<u64>,
}

impl MemoryUse {
    pub(crate) fn new(source: Option<MemorySource>) -> MemoryUse {
        MemoryUse { source, taken: AtomicU64::new(0), most: OnceLock::new() }
    }

    /// Accounts for `n_bytes`, or tells that they are not free.
    pub(crate) fn take(&self, n_bytes: usize) -> Result<(), Shortage> {
        let Some(source) = &self.source else { return Ok(()) };
        let needed = n_bytes as u64;
        let taken = self.taken.load(Relaxed);
        if taken.saturating_add(needed) > source.unasked {
            let free = || (source.free)().map_or(u64::MAX, |free| free.saturating_add(taken));
            let left = self.most.get_or_init(free).saturating_sub(taken);
            if needed > left {
                return Err(Shortage { taken, needed, left });
            }
        }
        self.taken.fetch_add(needed, Relaxed);
        Ok(())
    }
}

/// Memory that is not there.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "a part that the query needs takes about {} MiB, and {} MiB are free in memory and on the disk for temporary files (`--memory-limit none` tries anyway)",
    needed.div_ceil(1 << 20), left >> 20
)]
pub(crate) struct Shortage {
    /// Bytes that were taken before.
    pub(crate) taken: u64,
    /// Bytes that were asked for.
    pub(crate) needed: u64,
    /// Bytes that are left.
    pub(crate) left: u64,
}

#[cfg(test)]
mod tests {
    use super::{MemorySource, MemoryUse};

    #[test]
    fn memory_is_limited_but_small_amounts_are_granted_unasked() {
        let memory = MemoryUse::new(Some(MemorySource { free: || Some(3 << 20), unasked: 1 << 20 }));
        assert_eq!(memory.take(1 << 20), Ok(()));
        assert_eq!(memory.take(2 << 20), Ok(()));
        let message = memory.take(2 << 20).expect_err("there is one left").to_string();
        assert!(message.contains("about 2 MiB, and 1 MiB are free"), "{message}");
        assert_eq!(memory.take(1 << 20), Ok(()));
        assert_eq!(MemoryUse::new(None).take(usize::MAX), Ok(()));
    }
}
