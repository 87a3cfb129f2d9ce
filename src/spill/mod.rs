//! Memory beyond what is free: blocks of memory go to temporary files.
//!
//! The columns and indexes of a trace are large vectors, or many smaller ones. When memory is short, [`SpillAllocator`] takes
//! them from files that are mapped into memory: the system writes to the disk what was not used for longest, and reads it
//! back when it is used, so no code that uses a column has to know. The command `papaver` is built with this allocator; a
//! program that uses the library chooses its own.

mod allocator;
mod disk;
mod free;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub use allocator::SpillAllocator;
pub(crate) use free::free;

/// Bytes of blocks in memory before it is asked how much is free, which is slow.
const UNASKED: usize = 1 << 24;

/// The bytes that blocks may take in memory; 0 if that was not decided yet.
static MOST_IN_MEMORY: AtomicUsize = AtomicUsize::new(0);

/// Sets the bytes that blocks may take in memory; without a number, files are never used.
pub(crate) fn limit_memory(most: Option<u64>) {
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    MOST_IN_MEMORY.store(most.max(1), Relaxed);
}

/// Free bytes, those of the disk for temporary files included, as far as the system reports them.
pub(crate) fn room() -> Option<u64> {
    let room = free()?.saturating_add(disk::room());
    Some(free::addresses().map_or(room, |addresses| addresses.min(room)))
}

/// Bytes that are left for small blocks and for the system's cache of files, if that is more than a quarter of what is free.
const LEFT: u64 = 1 << 26;

/// The bytes that blocks may take in memory, if they take `taken` so far. By default, three quarters of what is free.
fn most_in_memory(taken: usize) -> usize {
    match MOST_IN_MEMORY.load(Relaxed) {
        0 if taken <= UNASKED => usize::MAX,
        0 => {
            // asking allocates
            limit_memory(None);
            let free = free().map(|free| free.saturating_add(taken as u64));
            limit_memory(free.map(|free| free.saturating_sub((free / 4).max(LEFT))));
            MOST_IN_MEMORY.load(Relaxed)
        }
        most => most,
    }
}
