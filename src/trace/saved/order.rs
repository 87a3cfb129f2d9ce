//! The order in which a saved trace has most of its columns: key by key, the events of a key as they happened.
//!
//! What is asked of the events with some key is then read in one stretch, and has much in common.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::columns::damage;
use super::file::{Part, SavedFile, Section};
use super::packing::{BLOCK, Coding, unpack};
use crate::trace::EventId;
use crate::trace::code_column::CodeColumn;

/// The events of each key, each list read when it is asked for.
#[derive(Debug)]
pub(in crate::trace) struct KeyOrder {
    file: Arc<SavedFile>,
    section: Section,
    n_events: EventId,
    lists: Vec<List>,
    /// The key of each event.
    keys: CodeColumn,
    blocks: OnceLock<Vec<(Part, usize)>>,
    /// The key whose events were asked for last.
    recent: AtomicUsize,
}

thread_local! {
    /// Key and index where this thread found an event last, of whichever trace: the next one is often behind it.
    static LAST: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// A list of which not more is known than its length and first row, unless it was asked for.
#[derive(Debug)]
struct List {
    length: u32,
    first: EventId,
    first_block: usize,
    rows: OnceLock<Vec<EventId>>,
}

/// Where an event stands in the list of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) key: usize,
    pub(super) index: usize,
    /// Whether it is of another key than those that were asked for before.
    pub(super) is_stray: bool,
}

impl KeyOrder {
    /// The lists in a section, of which length and first row are known.
    pub(super) fn new(
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
            List { length, first, first_block, rows: OnceLock::new() }
        };
        let lists = heads.into_iter().map(list).collect();
        let file = Arc::clone(file);
        KeyOrder { file, section, n_events, lists, keys, blocks: OnceLock::new(), recent: AtomicUsize::new(0) }
    }

    /// How many keys there are.
    pub(super) fn n_keys(&self) -> usize {
        self.lists.len()
    }

    /// How many events have a key.
    pub(in crate::trace) fn count(&self, key: usize) -> usize {
        self.lists[key].length as usize
    }

    /// The first event with a key.
    pub(in crate::trace) fn first(&self, key: usize) -> Option<EventId> {
        Some(self.lists[key].first).filter(|_| self.count(key) > 0)
    }

    /// The events with a key; none if they cannot be read, which is a fault then.
    pub(in crate::trace) fn of(&self, key: usize) -> &[EventId] {
        let list = &self.lists[key];
        list.rows.get_or_init(|| {
            self.recent.store(key, Relaxed);
            self.file.or_fault(self.read(list), Vec::new)
        })
    }

    /// The number of the first of the blocks that belong to a key.
    pub(super) fn first_block(&self, key: usize) -> usize {
        self.lists[key].first_block
    }

    /// How many blocks a column has in this order.
    pub(super) fn n_blocks(&self) -> usize {
        self.lists.last().map_or(0, |list| list.first_block + (list.length as usize).div_ceil(BLOCK))
    }

    /// The key that a block belongs to, and the index of its first event in the list of that.
    pub(super) fn of_block(&self, block: usize) -> (usize, usize) {
        let after = self.lists.partition_point(|list| list.first_block <= block);
        let key = after.saturating_sub(1);
        (key, (block - self.lists[key].first_block) * BLOCK)
    }

    /// How many values a block has.
    pub(super) fn n_values(&self, block: usize) -> usize {
        let (key, index) = self.of_block(block);
        self.count(key).saturating_sub(index).min(BLOCK)
    }

    /// Where an event stands; none if the lists cannot be read.
    pub(super) fn place(&self, row: EventId) -> Option<Place> {
        let (key, index) = LAST.get();
        let made = |key: usize| self.lists.get(key).and_then(|list| list.rows.get());
        let place = match made(key).and_then(|rows| near(rows, index, row)) {
            Some(index) => Place { key, index, is_stray: false },
            None => self.elsewhere(row)?,
        };
        LAST.set((place.key, place.index));
        Some(place)
    }

    /// Where an event stands that is not near the one before.
    #[cold]
    fn elsewhere(&self, row: EventId) -> Option<Place> {
        let find = |key: usize| self.of(key).binary_search(&row).ok();
        let recent = self.recent.load(Relaxed);
        if self.lists.get(recent)?.rows.get().is_some()
            && let Some(index) = find(recent)
        {
            return Some(Place { key: recent, index, is_stray: false });
        }
        let key = self.keys.at(row as usize) as usize;
        self.recent.store(key, Relaxed);
        let index = self.lists.get(key).and_then(|_| find(key))?;
        Some(Place { key, index, is_stray: true })
    }

    /// Notes where this thread found an event last.
    pub(super) fn leave(&self, place: Place) {
        LAST.set((place.key, place.index));
    }

    fn read(&self, list: &List) -> Result<Vec<EventId>, String> {
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

    /// Bytes of the lists that are in memory.
    pub(in crate::trace) fn bytes(&self) -> usize {
        self.lists.iter().filter_map(|list| list.rows.get()).map(|rows| rows.len() * 4).sum()
    }
}

/// The index of a row in a list, if it is not far from `index`.
fn near(rows: &[EventId], index: usize, row: EventId) -> Option<usize> {
    /// How far a row may be.
    const FAR: usize = 64;
    let here = *rows.get(index)?;
    if row == here {
        return Some(index);
    }
    if row > here {
        let behind = &rows[index + 1..rows.len().min(index + 1 + FAR)];
        return match behind.first() {
            Some(next) if *next == row => Some(index + 1),
            _ => behind.binary_search(&row).ok().map(|place| index + 1 + place),
        };
    }
    let first = index.saturating_sub(FAR);
    rows[first..index].binary_search(&row).ok().map(|place| first + place)
}

/// Counts what is asked of events out of order: from some number on it is cheaper to make the column.
#[derive(Debug, Default)]
pub(super) struct Strays(AtomicUsize);

impl Strays {
    /// A stray event takes the time of so many of a column that is made.
    const COST: usize = 256;

    /// Whether there were too many, with this one, for a column of that length.
    pub(super) fn are_too_many(&self, n_values: usize) -> bool {
        self.0.fetch_add(1, Relaxed) > n_values / Strays::COST
    }
}
