//! The events of each key: lists that are in memory, or read from a saved trace when they are asked for.

use super::EventId;
use super::calls::Lists;
use super::lazy::Lazy;

/// Lists of rising rows, one for each key.
#[derive(Clone, Debug)]
pub(super) enum Postings {
    /// All in memory.
    Made(Lists),
    /// Each is read when it is asked for.
    Saved(Vec<SavedList>),
}

/// A list of which not more is known than its length and first row, unless it was asked for.
#[derive(Clone, Debug)]
pub(super) struct SavedList {
    pub(super) length: u32,
    pub(super) first: EventId,
    pub(super) rows: Lazy<Vec<EventId>>,
}

impl Postings {
    /// The events with a key.
    #[inline]
    pub(super) fn of(&self, key: usize) -> &[EventId] {
        match self {
            Postings::Made(lists) => lists.of(key),
            Postings::Saved(lists) => &lists[key].rows,
        }
    }

    /// How many events have a key.
    pub(super) fn count(&self, key: usize) -> usize {
        match self {
            Postings::Made(lists) => lists.of(key).len(),
            Postings::Saved(lists) => lists[key].length as usize,
        }
    }

    /// The first event with a key.
    pub(super) fn first(&self, key: usize) -> Option<EventId> {
        match self {
            Postings::Made(lists) => lists.of(key).first().copied(),
            Postings::Saved(lists) => Some(lists[key].first).filter(|_| lists[key].length > 0),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Postings::Made(lists) => lists.bytes(),
            Postings::Saved(lists) => lists.iter().filter_map(|list| list.rows.made()).map(|rows| rows.len() * 4).sum(),
        }
    }
}
