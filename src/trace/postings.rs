//! The events of each key: lists that are in memory, or read from a saved trace when they are asked for.

use std::sync::Arc;

use super::EventId;
use super::calls::Lists;
use super::saved::KeyOrder;

/// Lists of rising rows, one for each key.
#[derive(Clone, Debug)]
pub(super) enum Postings {
    /// All in memory.
    Made(Lists),
    /// Each is read when it is asked for.
    Saved(Arc<KeyOrder>),
}

impl Postings {
    /// The events with a key.
    #[inline]
    pub(super) fn of(&self, key: usize) -> &[EventId] {
        match self {
            Postings::Made(lists) => lists.of(key),
            Postings::Saved(order) => order.of(key),
        }
    }

    /// How many events have a key.
    pub(super) fn count(&self, key: usize) -> usize {
        match self {
            Postings::Made(lists) => lists.of(key).len(),
            Postings::Saved(order) => order.count(key),
        }
    }

    /// The first event with a key.
    pub(super) fn first(&self, key: usize) -> Option<EventId> {
        match self {
            Postings::Made(lists) => lists.of(key).first().copied(),
            Postings::Saved(order) => order.first(key),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Postings::Made(lists) => lists.bytes(),
            Postings::Saved(order) => order.bytes(),
        }
    }
}
