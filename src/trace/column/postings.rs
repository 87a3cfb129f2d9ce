//! Postings lists: the events of each key, computed at first use or read from a saved trace.

use std::sync::Arc;

use super::code_column::CodeColumn;
use super::key_order::KeyOrder;
use super::lazy::Lazy;
use crate::trace::event::EventId;
use crate::trace::relation::calls::PostingsLists;

/// Lists of rising rows, one for each key.
#[derive(Clone, Debug)]
pub(crate) enum Postings {
    /// All lists, computed at once.
    Whole(Lazy<PostingsLists>),
    /// Each list is read at first use.
    Saved(Arc<KeyOrder>),
}

impl Postings {
    /// The lists of `n_keys` keys.
    pub(crate) fn of_codes(n_keys: usize, codes: &CodeColumn) -> Postings {
        let codes = codes.clone();
        Postings::Whole(Lazy::new(move || PostingsLists::new(n_keys, codes.iter())))
    }

    /// The events with a key.
    #[inline]
    pub(crate) fn of(&self, key: usize) -> &[EventId] {
        match self {
            Postings::Whole(lists) => lists.of(key),
            Postings::Saved(order) => order.of(key),
        }
    }

    /// The number of events with a key.
    pub(crate) fn count(&self, key: usize) -> usize {
        match self {
            Postings::Whole(lists) => lists.of(key).len(),
            Postings::Saved(order) => order.count(key),
        }
    }

    /// The first event with a key.
    pub(crate) fn first(&self, key: usize) -> Option<EventId> {
        match self {
            Postings::Whole(lists) => lists.of(key).first().copied(),
            Postings::Saved(order) => order.first(key),
        }
    }

    /// Bytes of memory that they take so far.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Postings::Whole(lists) => lists.made().map_or(0, PostingsLists::bytes),
            Postings::Saved(order) => order.bytes(),
        }
    }
}
