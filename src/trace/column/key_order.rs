//! The order in which a saved trace stores most of its columns: key by key, and the events of a key as they happened.
//!
//! Queries usually read the events with some key; these are then consecutive, and their values are similar.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::code_column::CodeColumn;
use crate::trace::event::EventId;
use crate::trace::file::packing::{BLOCK, Coding, unpack};
use crate::trace::file::saved_file::{FilePart, SavedFile, Section, damage};

/// The events of each key; each list is read at first use.
#[derive(Debug)]
pub(crate) struct KeyOrder {
    file: Arc<SavedFile>,
    section: Section,
    n_events: EventId,
    lists: Vec<KeyRows>,
    /// The key of each event.
    keys: CodeColumn,
    blocks: OnceLock<Vec<(FilePart, usize)>>,
    /// The key whose events were read last.
    recent: AtomicUsize,
}

thread_local! {
    /// The key and index at which this thread last found an event, of any trace: the next event often follows it.
    static LAST: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// A list: its length and first row are known, the rows are lazy.
#[derive(Debug)]
struct KeyRows {
    length: u32,
    first: EventId,
    first_block: usize,
    rows: OnceLock<Vec<EventId>>,
}

/// The position of an event: its key, and its index in the list of that key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventPosition {
    pub(crate) key: usize,
    pub(crate) index: usize,
    /// Whether its key differs from the key of the events that were read before.
    pub(crate) is_stray: bool,
}

impl KeyOrder {
    /// The lists in a section, given their lengths and first rows.
    pub(crate) fn new(
        file: &Arc<SavedFile>,
        section: Section,
        heads: Vec<(u32, EventId)>,
        keys: CodeColumn,
        n_events: EventId,
    ) -> KeyOrder {
        let mut next_block = 0;
        let list = |(length, first): (u32, EventId)| {
            let first_block = next_block;
            next_block += (length as usize).div_ceil(BLOCK);
            KeyRows { length, first, first_block, rows: OnceLock::new() }
        };
        let lists = heads.into_iter().map(list).collect();
        let file = Arc::clone(file);
        KeyOrder { file, section, n_events, lists, keys, blocks: OnceLock::new(), recent: AtomicUsize::new(0) }
    }

    /// The number of keys.
    pub(crate) fn n_keys(&self) -> usize {
        self.lists.len()
    }

    /// The number of events with a key.
    pub(crate) fn count(&self, key: usize) -> usize {
        self.lists[key].length as usize
    }

    /// The first event with a key.
    pub(crate) fn first(&self, key: usize) -> Option<EventId> {
        Some(self.lists[key].first).filter(|_| self.count(key) > 0)
    }

    /// The events with a key; empty if they cannot be read, which is a fault.
    pub(crate) fn of(&self, key: usize) -> &[EventId] {
        let list = &self.lists[key];
        list.rows.get_or_init(|| {
            self.recent.store(key, Relaxed);
            self.file.or_fault(self.read(list), Vec::new)
        })
    }

    /// The number of a key's first block.
    pub(crate) fn first_block(&self, key: usize) -> usize {
        self.lists[key].first_block
    }

    /// The number of blocks of a column in this order.
    pub(crate) fn n_blocks(&self) -> usize {
        self.lists.last().map_or(0, |list| list.first_block + (list.length as usize).div_ceil(BLOCK))
    }

    /// The key that a block belongs to, and the index of the block's first event in the list of the key.
    pub(crate) fn of_block(&self, block: usize) -> (usize, usize) {
        let after = self.lists.partition_point(|list| list.first_block <= block);
        let key = after.saturating_sub(1);
        (key, (block - self.lists[key].first_block) * BLOCK)
    }

    /// The number of values of a block.
    pub(crate) fn n_values(&self, block: usize) -> usize {
        let (key, index) = self.of_block(block);
        self.count(key).saturating_sub(index).min(BLOCK)
    }

    /// The position of an event; `None` if the lists cannot be read.
    pub(crate) fn place(&self, row: EventId) -> Option<EventPosition> {
        let (key, index) = LAST.get();
        let made = |key: usize| self.lists.get(key).and_then(|list| list.rows.get());
        let place = match made(key).and_then(|rows| near(rows, index, row)) {
            Some(index) => EventPosition { key, index, is_stray: false },
            None => self.elsewhere(row)?,
        };
        LAST.set((place.key, place.index));
        Some(place)
    }

    /// The position of an event that is not near the previous one.
    #[cold]
    fn elsewhere(&self, row: EventId) -> Option<EventPosition> {
        let find = |key: usize| self.of(key).binary_search(&row).ok();
        let recent = self.recent.load(Relaxed);
        if self.lists.get(recent)?.rows.get().is_some()
            && let Some(index) = find(recent)
        {
            return Some(EventPosition { key: recent, index, is_stray: false });
        }
        let key = self.keys.at(row as usize) as usize;
        self.recent.store(key, Relaxed);
        let index = self.lists.get(key).and_then(|_| find(key))?;
        Some(EventPosition { key, index, is_stray: true })
    }

    /// Remembers the position at which this thread found an event.
    pub(crate) fn leave(&self, place: EventPosition) {
        LAST.set((place.key, place.index));
    }

    fn read(&self, list: &KeyRows) -> Result<Vec<EventId>, String> {
        let length = list.length as usize;
        self.file.take(length * 4)?;
        let mut rows = Vec::with_capacity(length);
        let mut numbers = Vec::new();
        let blocks = self.blocks.get_or_init(|| self.file.or_fault(self.file.blocks(self.section), Vec::new));
        let own = blocks.get(list.first_block..list.first_block + length.div_ceil(BLOCK)).unwrap_or_default();
        self.file.each_of(own, |part, bytes, n_values| {
            unpack(Coding::Rises, bytes, n_values, &mut numbers).ok_or_else(|| damage(part))?;
            rows.extend_from_slice(&numbers);
            Ok(())
        })?;
        let is_rising = rows.is_sorted_by(|before, next| before < next);
        let is_right = rows.len() == length && is_rising && rows.last().is_none_or(|last| *last < self.n_events);
        if is_right { Ok(rows) } else { Err(damage(self.section.directory)) }
    }

    /// Bytes of memory that the lists take so far.
    pub(crate) fn bytes(&self) -> usize {
        self.lists.iter().filter_map(|list| list.rows.get()).map(|rows| rows.len() * 4).sum()
    }
}

/// The index of a row in a list, if it is near `index`.
fn near(rows: &[EventId], index: usize, row: EventId) -> Option<usize> {
    /// Maximum distance of a near row.
    const FAR: usize = 64;
    let here = *rows.get(index)?;
    if row == here {
        return Some(index);
    }
    if row > here {
        let after = &rows[index + 1..rows.len().min(index + 1 + FAR)];
        return match after.first() {
            Some(next) if *next == row => Some(index + 1),
            _ => after.binary_search(&row).ok().map(|place| index + 1 + place),
        };
    }
    let first = index.saturating_sub(FAR);
    rows[first..index].binary_search(&row).ok().map(|place| first + place)
}

/// Counts events that are read out of order: after too many, it is cheaper to read the whole column.
#[derive(Debug, Default)]
pub(crate) struct Strays(AtomicUsize);

impl Strays {
    /// The cost of reading a stray event, in decoded values of a whole column (estimated).
    const COST: usize = 256;

    /// Whether this event is one too many for a column of that length.
    pub(crate) fn are_too_many(&self, n_values: usize) -> bool {
        self.0.fetch_add(1, Relaxed) > n_values / Strays::COST
    }
}
