//! Joins: searches for the events whose values equal those that earlier goals found, or are between them, by a table of the
//! events.

use std::sync::{Arc, OnceLock};

use crate::engine::{Often, Stop, World};
use crate::trace::{AttributeId, EventId, HashGroups, HashParts, SearchDirection, Trace};

use super::band::JoinBand;
use super::join_test::JoinTest;
use super::key::JoinKey;
use super::parallel::RowSink;
use super::rows::Batch;
use super::run::{Halt, MoreRows, ROWS, RunEnd};
use super::steps::{Bind, Events, GoalSteps};

/// A search with parts of its events that must equal what slots hold, or be between it.
#[derive(Debug)]
pub(super) struct Join {
    /// The search, apart from keys and bands.
    pub(super) source: GoalSteps,
    /// The slot of the event.
    pub(super) event: usize,
    pub(super) binds: Vec<(usize, Bind)>,
    pub(super) takes: Takes,
    pub(super) keys: Vec<JoinKey>,
    pub(super) bands: Vec<JoinBand>,
    table: OnceLock<JoinTable>,
}

/// Which of the events that belong to a row are taken, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Takes {
    pub(super) often: Often,
    pub(super) direction: SearchDirection,
}

/// The events that a search finds, apart from keys and bands.
#[derive(Debug)]
pub(super) enum JoinTable {
    /// Each with the hash of its key; and the number of a band of values that rise from event to event, if there is one.
    ByKey(HashGroups<(u64, EventId)>, Option<usize>),
    /// In the order of their values for the first band, and whether this is that of the events.
    ByValue(Vec<(i64, EventId)>, bool),
}

/// So many rows at once make a batch too large.
pub(super) const MOST_ROWS: usize = 1 << 17;

/// The bytes that a table takes while it is made, for each event.
const BYTES_PER_EVENT: u64 = 40;

impl Join {
    pub(super) fn new(trace: &Arc<Trace>, events: Events, keys: Vec<JoinKey>, bands: Vec<JoinBand>) -> Join {
        let Events { event, binds, .. } = events;
        let source = GoalSteps::of_search(trace, Events { event: 0, binds: Vec::new(), ..events });
        Join { source, event, binds, takes: Takes::ALL, keys, bands, table: OnceLock::new() }
    }

    /// Makes the table; returns whether there is room for it and each event has a key of which it is known what it equals.
    pub(super) fn prepare(&self, world: &mut World, trace: &Trace) -> Result<bool, Stop> {
        if self.table.get().is_some() {
            return Ok(true);
        }
        let n_visited = self.source.n_visited();
        if world.check_room(n_visited.saturating_mul(BYTES_PER_EVENT) as usize).is_err() {
            return Ok(false);
        }
        self.keys.iter().for_each(|key| key.prepare(world, trace, n_visited));
        let mut found = TableRows { keys: &self.keys, parts: vec![HashParts::new()] };
        // without keys the events are sorted, which takes little time if they come in order
        let end = match self.keys.is_empty() {
            true => self.source.run(world, ROWS, |batch| found.add(&self.source, batch).map(|()| MoreRows::Wanted))?,
            false => self.source.run_shared(world, &mut found)?,
        };
        if end == RunEnd::Abandoned {
            return Ok(false);
        }
        let _ = self.table.set(self.table_of(trace, &found.parts));
        Ok(true)
    }

    fn table_of(&self, trace: &Trace, found: &[HashParts<EventId>]) -> JoinTable {
        match (self.keys.is_empty(), self.bands.first()) {
            (true, Some(band)) => {
                let with_value = |event: &EventId| Some((band.value_of(trace, *event)?, *event));
                let events = found.iter().flat_map(HashParts::things);
                let mut values: Vec<(i64, EventId)> = events.filter_map(with_value).collect();
                values.sort_unstable();
                let is_order_of_events = values.is_sorted_by_key(|(_, event)| *event);
                JoinTable::ByValue(values, is_order_of_events)
            }
            _ => {
                let rises = |band: &JoinBand| {
                    band.attribute == AttributeId::CHRONO || trace.rises(trace.column_of(band.attribute))
                };
                let groups = HashGroups::new(found, |with_hash| with_hash);
                JoinTable::ByKey(groups, self.bands.iter().position(rises))
            }
        }
    }

    /// The hashes of the keys in a batch.
    fn hashes(&self, trace: &Trace, batch: &Batch) -> Result<Vec<u64>, Halt> {
        let mut hashes = vec![0; batch.n_rows];
        self.keys.iter().try_for_each(|key| key.hash_slots(trace, batch, &mut hashes))?;
        Ok(hashes)
    }

    /// The events that belong to the rows of a batch, with the places of these rows.
    pub(super) fn found(&self, trace: &Trace, batch: &Batch) -> Result<(Vec<usize>, Vec<i64>), Halt> {
        let test = JoinTest::new(self, trace, batch)?;
        let hashes = self.hashes(trace, batch)?;
        if let (JoinTable::ByKey(groups, None), Takes::ALL) = (self.table(), self.takes) {
            return test.found_by_key(groups, &hashes);
        }
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        let is_in_order = !matches!(self.table(), JoinTable::ByValue(_, false));
        let more = if is_in_order && self.takes.often == Often::Once { MoreRows::Enough } else { MoreRows::Wanted };
        for (place, hash) in hashes.into_iter().enumerate() {
            let n_before = rows.len();
            test.each_event(place, hash, |event| {
                rows.push(i64::from(event));
                more
            });
            if !is_in_order {
                self.takes.keep(&mut rows, n_before);
            }
            places.resize(rows.len(), place);
            if rows.len() > MOST_ROWS && batch.n_rows > 1 {
                return Err(Halt::TooManyRows);
            }
        }
        Ok((places, rows))
    }

    /// For each row of a batch, whether no event belongs to it.
    pub(super) fn without(&self, trace: &Trace, batch: &Batch) -> Result<Vec<bool>, Halt> {
        let test = JoinTest::new(self, trace, batch)?;
        let has_none = |(place, hash)| {
            let mut has_none = true;
            test.each_event(place, hash, |_| {
                has_none = false;
                MoreRows::Enough
            });
            has_none
        };
        Ok(self.hashes(trace, batch)?.into_iter().enumerate().map(has_none).collect())
    }

    pub(super) fn table(&self) -> &JoinTable {
        self.table.get().expect("steps are prepared before they run")
    }
}

impl Takes {
    /// All events, in the order of the trace.
    const ALL: Takes = Takes { often: Often::All, direction: SearchDirection::Forward };

    /// Keeps those that are taken of the rows from one on, and puts them in order.
    fn keep(self, rows: &mut Vec<i64>, from: usize) {
        rows[from..].sort_unstable();
        if self.direction == SearchDirection::Backward {
            rows[from..].reverse();
        }
        if self.often == Often::Once {
            rows.truncate(from + 1);
        }
    }

    /// Calls `act` with things in the direction, until it has enough.
    #[inline]
    pub(super) fn visit<T>(self, things: &[T], mut act: impl FnMut(&T) -> MoreRows) {
        match self.direction {
            SearchDirection::Forward => _ = things.iter().all(|thing| act(thing) == MoreRows::Wanted),
            SearchDirection::Backward => _ = things.iter().rev().all(|thing| act(thing) == MoreRows::Wanted),
        }
    }
}

/// The events for a table, in any order, with the hashes of their keys.
#[derive(Clone)]
struct TableRows<'j> {
    keys: &'j [JoinKey],
    /// Those that each thread found.
    parts: Vec<HashParts<EventId>>,
}

impl RowSink for TableRows<'_> {
    fn add(&mut self, steps: &GoalSteps, batch: &Batch) -> Option<()> {
        let rows = &batch.columns[0];
        let mut hashes = vec![Some(0); rows.len()];
        self.keys.iter().try_for_each(|key| key.hash_events(&steps.trace, rows, &mut hashes))?;
        let own = self.parts.first_mut()?;
        for (hash, row) in hashes.into_iter().zip(rows) {
            hash.into_iter().for_each(|hash| own.push(hash, *row as EventId));
        }
        Some(())
    }

    fn absorb(&mut self, _: &GoalSteps, other: Self) {
        self.parts.extend(other.parts);
    }
}
