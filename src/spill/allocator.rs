//! The allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
#[cfg(target_os = "linux")]
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(target_os = "linux")]
use memmap2::{MmapMut, RemapOptions};

#[cfg(target_os = "linux")]
use super::disk;
use super::most_in_memory;

/// The fewest bytes of a block that may go to a file. Smaller ones stay in memory.
const COUNTED: usize = 1 << 12;

/// The fewest bytes of a block that gets a file of its own. Smaller ones share files.
const LARGE: usize = 1 << 20;

/// The bytes of a file that blocks share.
const SHARED: usize = 1 << 26;

/// The alignment that a file has in memory, and that each block in a shared one has.
const PAGE: usize = COUNTED;

/// The sizes of blocks in shared files: powers of two from [`COUNTED`] to [`LARGE`].
const N_SIZES: usize = (LARGE / COUNTED).ilog2() as usize + 1;

/// An allocator that takes blocks from temporary files when memory is short (Linux only; elsewhere, and where there is no
/// disk for temporary files, it is the system's allocator).
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: papaver::SpillAllocator = papaver::SpillAllocator::new();
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct SpillAllocator {
    /// Bytes of the counted blocks in memory.
    in_memory: AtomicUsize,
    /// The bytes that they may take, if they take so many.
    most: fn(usize) -> usize,
    /// The number of files.
    n_files: AtomicUsize,
    files: Mutex<Files>,
}

/// The files, each by its address.
#[derive(Debug)]
struct Files {
    /// Those of one block each.
    own: BTreeMap<usize, FileBlock>,
    /// Those that blocks share.
    shared: BTreeMap<usize, FileBlock>,
    /// The bytes of the last shared file that were never used.
    unused: Range<usize>,
    /// For each size, the first free block of the shared files, 0 for none; each begins with the address of the next.
    free: [usize; N_SIZES],
}

impl Default for SpillAllocator {
    fn default() -> SpillAllocator {
        SpillAllocator::new()
    }
}

impl SpillAllocator {
    /// An allocator with no blocks yet. A program has one.
    #[must_use]
    pub const fn new() -> SpillAllocator {
        SpillAllocator::with_most(most_in_memory)
    }

    const fn with_most(most: fn(usize) -> usize) -> SpillAllocator {
        let files = Files { own: BTreeMap::new(), shared: BTreeMap::new(), unused: 0..0, free: [0; N_SIZES] };
        SpillAllocator { in_memory: AtomicUsize::new(0), most, n_files: AtomicUsize::new(0), files: Mutex::new(files) }
    }

    /// Whether so many more bytes of counted blocks may be in memory.
    fn fits(&self, n_more: usize) -> bool {
        let taken = self.in_memory.load(Relaxed).saturating_add(n_more);
        taken <= (self.most)(taken)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files, if there are any.
    fn files_in_use(&self) -> Option<MutexGuard<'_, Files>> {
        if self.n_files.load(Relaxed) == 0 { None } else { Some(self.files()) }
    }

    /// A block in a file, which is null if there is no room for it. Whether its bytes are 0 is not known.
    #[cold]
    fn in_file(&self, n_bytes: usize) -> *mut u8 {
        if n_bytes >= LARGE {
            return FileBlock::new(n_bytes).map_or(std::ptr::null_mut(), |block| self.keep(block));
        }
        let size = shared_size(n_bytes);
        let taken = self.files().take(size);
        taken.unwrap_or_else(|| {
            // what making a file allocates may need the lock
            let Some(mut file) = FileBlock::new(SHARED) else { return std::ptr::null_mut() };
            let start = file.start() as usize;
            let mut files = self.files();
            // another thread may have made one meanwhile
            files
                .take(size)
                .or_else(|| {
                    self.n_files.fetch_add(1, Relaxed);
                    files.unused = start..start + SHARED;
                    files.shared.insert(start, file);
                    files.take(size)
                })
                .unwrap_or(std::ptr::null_mut())
        })
    }

    /// Keeps a file of one block; gives the block.
    fn keep(&self, mut block: FileBlock) -> *mut u8 {
        let start = block.start();
        self.n_files.fetch_add(1, Relaxed);
        self.files().own.insert(start as usize, block);
        start
    }

    /// Frees a block if it is in a file; whether it is.
    fn free_in_file(&self, start: *mut u8, n_bytes: usize) -> bool {
        let Some(mut files) = self.files_in_use() else { return false };
        if n_bytes < LARGE {
            let is_shared = files.is_shared(start);
            if is_shared {
                files.give_back(start, shared_size(n_bytes));
            }
            return is_shared;
        }
        let block = files.own.remove(&(start as usize));
        drop(files);
        if block.is_some() {
            self.n_files.fetch_sub(1, Relaxed);
        }
        block.is_some()
    }
}

/// The number of the size that a block in a shared file has.
fn shared_size(n_bytes: usize) -> usize {
    (n_bytes.next_power_of_two() / COUNTED).ilog2() as usize
}

impl Files {
    fn is_shared(&self, start: *mut u8) -> bool {
        let file = self.shared.range(..=start as usize).next_back();
        file.is_some_and(|(file, _)| start as usize - file < SHARED)
    }

    /// A block of a shared file; none if there is none.
    fn take(&mut self, size: usize) -> Option<*mut u8> {
        let first = self.free[size];
        if first != 0 {
            let start: *mut u8 = std::ptr::with_exposed_provenance_mut(first);
            // SAFETY: the block is free, so nothing but this list has its address, and `give_back` wrote its first bytes
            #[allow(unsafe_code)]
            let next = unsafe { start.cast::<usize>().read() };
            self.free[size] = next;
            return Some(start);
        }
        let start = self.unused.start;
        if self.unused.len() < COUNTED << size {
            return None;
        }
        self.unused.start += COUNTED << size;
        Some(std::ptr::with_exposed_provenance_mut(start))
    }

    fn give_back(&mut self, start: *mut u8, size: usize) {
        // SAFETY: the block is in a shared file, is no longer used, and is longer and better aligned than an address
        #[allow(unsafe_code)]
        unsafe {
            start.cast::<usize>().write(self.free[size]);
        }
        self.free[size] = start.expose_provenance();
    }
}

/// A file without a name that is mapped into memory.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct FileBlock {
    file: File,
    mapped: MmapMut,
}

#[cfg(target_os = "linux")]
impl FileBlock {
    /// A block of so many bytes, all 0; none if there is no room for it.
    fn new(n_bytes: usize) -> Option<FileBlock> {
        let file = disk::new_file(n_bytes)?;
        // SAFETY: nothing else has the file, since it has no name, and it is only resized with its block
        #[allow(unsafe_code)]
        let mapped = unsafe { MmapMut::map_mut(&file) }.ok()?;
        Some(FileBlock { file, mapped })
    }

    fn start(&mut self) -> *mut u8 {
        let start = self.mapped.as_mut_ptr();
        start.expose_provenance();
        start
    }

    /// The same block with another number of bytes; unchanged if there is no room for them.
    fn resized(mut self, n_bytes: usize) -> Result<FileBlock, FileBlock> {
        if n_bytes > self.mapped.len() && disk::reserve(&self.file, n_bytes).is_err() {
            return Err(self);
        }
        // SAFETY: the file has so many bytes, and whoever has the address of the block takes the new one
        #[allow(unsafe_code)]
        let remapped = unsafe { self.mapped.remap(n_bytes, RemapOptions::new().may_move(true)) };
        match remapped {
            Ok(()) => {
                // a file that stays longer than its block does no harm
                let _ = self.file.set_len(n_bytes as u64);
                Ok(self)
            }
            Err(_) => Err(self),
        }
    }
}

/// There are none.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
enum FileBlock {}

#[cfg(not(target_os = "linux"))]
impl FileBlock {
    fn new(_: usize) -> Option<FileBlock> {
        None
    }

    fn start(&mut self) -> *mut u8 {
        match *self {}
    }

    fn resized(self, _: usize) -> Result<FileBlock, FileBlock> {
        match self {}
    }
}

/// Whether a block may be in a file.
fn is_counted(layout: Layout) -> bool {
    layout.size() >= COUNTED && layout.align() <= PAGE
}

/// The bytes of a block in memory that are counted.
fn counted(layout: Layout) -> usize {
    if is_counted(layout) { layout.size() } else { 0 }
}

#[allow(unsafe_code)]
// SAFETY: every block is one of the system's allocator or in a file. It is in a file if and only if its address is that of a
// file of its own or in a shared file, from its allocation until it is freed; only counted blocks are, so that others need
// not be looked up. A file is at least as long as its block and, mapped into memory, begins at a page, as each block of a
// shared one does, so it has the alignment of every counted layout. What is allocated while the lock is held are nodes of
// trees, which are not counted, and so never wait for the lock.
unsafe impl GlobalAlloc for SpillAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_counted(layout) {
            return unsafe { System.alloc(layout) };
        }
        let start = self.in_memory_if_it_fits(layout, |layout| unsafe { System.alloc(layout) });
        if start.is_null() { self.elsewhere(layout, |layout| unsafe { System.alloc(layout) }) } else { start }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_counted(layout) {
            return unsafe { System.alloc_zeroed(layout) };
        }
        let start = self.in_memory_if_it_fits(layout, |layout| unsafe { System.alloc_zeroed(layout) });
        if !start.is_null() {
            return start;
        }
        let start = self.elsewhere(layout, |layout| unsafe { System.alloc_zeroed(layout) });
        if !start.is_null() && layout.size() < LARGE {
            unsafe { start.write_bytes(0, layout.size()) };
        }
        start
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if is_counted(layout) {
            if self.free_in_file(start, layout.size()) {
                return;
            }
            self.in_memory.fetch_sub(layout.size(), Relaxed);
        }
        unsafe { System.dealloc(start, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, n_bytes: usize) -> *mut u8 {
        let new = unsafe { Layout::from_size_align_unchecked(n_bytes, layout.align()) };
        if !is_counted(layout) && !is_counted(new) {
            return unsafe { System.realloc(start, layout, n_bytes) };
        }
        unsafe { self.resize(start, layout, new) }
    }
}

impl SpillAllocator {
    /// A counted block in memory, which is null if it does not fit.
    #[inline]
    fn in_memory_if_it_fits(&self, layout: Layout, in_memory: impl Fn(Layout) -> *mut u8) -> *mut u8 {
        if self.fits(layout.size()) { self.in_memory(layout, in_memory) } else { std::ptr::null_mut() }
    }

    fn in_memory(&self, layout: Layout, in_memory: impl Fn(Layout) -> *mut u8) -> *mut u8 {
        let start = in_memory(layout);
        if !start.is_null() {
            self.in_memory.fetch_add(layout.size(), Relaxed);
        }
        start
    }

    /// A counted block in a file, or in memory if there is no room in files.
    #[cold]
    fn elsewhere(&self, layout: Layout, in_memory: impl Fn(Layout) -> *mut u8) -> *mut u8 {
        let start = self.in_file(layout.size());
        if start.is_null() { self.in_memory(layout, in_memory) } else { start }
    }

    /// Resizes a block that is counted before or after.
    #[allow(unsafe_code)]
    // SAFETY: as for `realloc`, whose contract this has
    unsafe fn resize(&self, start: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        if is_counted(old)
            && let Some(mut files) = self.files_in_use()
        {
            if old.size() < LARGE && files.is_shared(start) {
                drop(files);
                let is_same =
                    is_counted(new) && new.size() < LARGE && shared_size(old.size()) == shared_size(new.size());
                return if is_same { start } else { unsafe { self.moved(start, old, self.alloc(new), new) } };
            }
            let own = if old.size() < LARGE { None } else { files.own.remove(&(start as usize)) };
            drop(files);
            if let Some(block) = own {
                self.n_files.fetch_sub(1, Relaxed);
                let (block, is_resized) = match block.resized(new.size()) {
                    Ok(block) if new.size() >= LARGE => (block, true),
                    Ok(block) | Err(block) => (block, false),
                };
                let start = self.keep(block);
                return if is_resized { start } else { unsafe { self.moved(start, old, self.alloc(new), new) } };
            }
        }
        let (before, after) = (counted(old), counted(new));
        if after > before && !self.fits(after - before) {
            let to_file = self.in_file(new.size());
            if !to_file.is_null() {
                return unsafe { self.moved(start, old, to_file, new) };
            }
        }
        let resized = unsafe { System.realloc(start, old, new.size()) };
        if !resized.is_null() {
            self.in_memory.fetch_add(after, Relaxed);
            self.in_memory.fetch_sub(before, Relaxed);
        }
        resized
    }

    /// Moves what a block has in common with a new one, if there is a new one, and frees it.
    #[allow(unsafe_code)]
    // SAFETY: the blocks have these layouts, and the second one was just allocated
    unsafe fn moved(&self, from: *mut u8, old: Layout, to: *mut u8, new: Layout) -> *mut u8 {
        if !to.is_null() {
            unsafe {
                std::ptr::copy_nonoverlapping(from, to, old.size().min(new.size()));
                self.dealloc(from, old);
            }
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn layout(n_bytes: usize) -> Layout {
        Layout::from_size_align(n_bytes, 8).expect("it is a layout")
    }

    /// A block whose bytes are known by its size and the number that they were made with.
    struct Block<'a> {
        allocator: &'a SpillAllocator,
        start: *mut u8,
        n_bytes: usize,
        number: usize,
    }

    #[allow(unsafe_code)]
    // SAFETY: each block is used with its layout until it is freed
    impl<'a> Block<'a> {
        fn new(allocator: &'a SpillAllocator, n_bytes: usize, number: usize) -> Block<'a> {
            let is_zeroed = number.is_multiple_of(2);
            let start = unsafe {
                if is_zeroed { allocator.alloc_zeroed(layout(n_bytes)) } else { allocator.alloc(layout(n_bytes)) }
            };
            let mut block = Block { allocator, start, n_bytes, number };
            assert!(!is_zeroed || block.bytes().iter().all(|byte| *byte == 0));
            block.fill();
            block
        }

        fn bytes(&mut self) -> &mut [u8] {
            assert!(!self.start.is_null() && (self.start as usize).is_multiple_of(8));
            unsafe { std::slice::from_raw_parts_mut(self.start, self.n_bytes) }
        }

        fn fill(&mut self) {
            let number = self.number;
            self.bytes().iter_mut().enumerate().for_each(|(at, byte)| *byte = (at / 509 + number) as u8);
        }

        fn check(&mut self) {
            let number = self.number;
            assert!(self.bytes().iter().enumerate().all(|(at, byte)| *byte == (at / 509 + number) as u8));
        }

        fn resize(&mut self, n_bytes: usize) {
            self.start = unsafe { self.allocator.realloc(self.start, layout(self.n_bytes), n_bytes) };
            let n_more = n_bytes.saturating_sub(self.n_bytes);
            self.n_bytes = n_bytes - n_more;
            self.check();
            self.n_bytes = n_bytes;
            self.fill();
        }

        fn free(mut self) {
            self.check();
            unsafe { self.allocator.dealloc(self.start, layout(self.n_bytes)) };
        }
    }

    #[test]
    fn blocks_beyond_the_limit_are_in_files() {
        let allocator = SpillAllocator::with_most(|_| 4 * MIB);
        let state = || (allocator.n_files.load(Relaxed), allocator.in_memory.load(Relaxed));
        let mut first = Block::new(&allocator, 3 * MIB, 1);
        assert_eq!(state(), (0, 3 * MIB));
        let mut second = Block::new(&allocator, 2 * MIB, 2);
        assert_eq!(state(), (1, 3 * MIB));
        for n_bytes in [9 * MIB + 5, MIB, 5000, 100] {
            second.resize(n_bytes);
        }
        assert_eq!(state(), (0, 3 * MIB));
        first.resize(5 * MIB);
        assert_eq!(state(), (1, 0));
        second.resize(4 * MIB);
        assert_eq!(state(), (1, 4 * MIB));
        let third = Block::new(&allocator, 5000, 3);
        let mut fourth = Block::new(&allocator, 100, 4);
        assert_eq!(state(), (2, 4 * MIB));
        fourth.resize(6000);
        assert_eq!(state(), (2, 4 * MIB));
        let shared = allocator.files().free[1];
        third.free();
        assert_ne!(allocator.files().free[1], shared);
        fourth.free();
        first.free();
        second.free();
        assert_eq!(state(), (1, 0));
    }

    #[test]
    fn blocks_keep_their_bytes_wherever_they_are() {
        let allocator = SpillAllocator::with_most(|_| MIB);
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for number in 0..4000 {
            let n_bytes = (1 << random(22)) + random(5000);
            match random(if blocks.len() < 40 { 2 } else { 4 }) {
                0 | 1 if blocks.is_empty() || number % 3 > 0 => blocks.push(Block::new(&allocator, n_bytes, number)),
                0 | 1 => {
                    let at = random(blocks.len());
                    blocks[at].resize(n_bytes);
                }
                _ => blocks.swap_remove(random(blocks.len())).free(),
            }
        }
        assert!(allocator.n_files.load(Relaxed) > 2);
        blocks.into_iter().for_each(Block::free);
        assert_eq!(allocator.in_memory.load(Relaxed), 0);
        assert!(allocator.files().own.is_empty());
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_block_that_no_file_can_hold_is_in_memory() {
        let allocator = SpillAllocator::with_most(|_| MIB);
        // SAFETY: the block is freed with its layout
        unsafe {
            let aligned = Layout::from_size_align(2 * MIB, 1 << 16).expect("it is a layout");
            let start = allocator.alloc(aligned);
            assert_eq!(start as usize % (1 << 16), 0);
            assert_eq!(allocator.n_files.load(Relaxed), 0);
            allocator.dealloc(start, aligned);
            assert!(allocator.alloc(layout(1 << 60)).is_null());
            assert_eq!(allocator.in_memory.load(Relaxed), 0);
        }
    }
}
