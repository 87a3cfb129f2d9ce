//! Postings lists: the events of each key, computed at first use or read from a saved trace.

use std::sync::Arc;

use super::code_column::CodeColumn;
use super::key_order::KeyOrder;
use super::lazy::Lazy;
use crate::trace::event::EventId;

/// Postings lists: one list of rows for each key of a range, all in two vectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostingsLists {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl PostingsLists {
    /// The rows of each key in rising order, by a counting sort; keys from `n_keys` on are left out.
    pub(crate) fn new(n_keys: usize, keys: impl Iterator<Item = u32> + Clone) -> PostingsLists {
        let mut starts = vec![0_u32; n_keys + 1];
        for key in keys.clone().filter(|key| (*key as usize) < n_keys) {
            starts[key as usize + 1] += 1;
        }
        for key in 0..n_keys {
            starts[key + 1] += starts[key];
        }
        let mut rows = vec![0; starts[n_keys] as usize];
        for (row, key) in (0_u32..).zip(keys).filter(|(_, key)| (*key as usize) < n_keys) {
            let next = &mut starts[key as usize];
            rows[*next as usize] = row;
            *next += 1;
        }
        starts.copy_within(0..n_keys, 1);
        starts[0] = 0;
        PostingsLists { starts, rows }
    }

    /// The first row of each key.
    pub(crate) fn of_first_row(n_keys: usize) -> PostingsLists {
        PostingsLists { starts: (0..=n_keys as u32).collect(), rows: vec![0; n_keys] }
    }

    pub(crate) fn of(&self, key: usize) -> &[u32] {
        &self.rows[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.rows.capacity()) * 4
    }
}

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
