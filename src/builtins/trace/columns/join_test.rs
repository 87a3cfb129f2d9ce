//! Looking up the events that belong to the rows of a batch in the table of a join.

use std::ops::Range;

use crate::trace::{EventId, HashGroups, NumberEquality, SearchDirection, Trace};

use super::band::{BandValues, JoinBand};
use super::join::{Join, JoinTable, MOST_ROWS};
use super::key::JoinKey;
use super::rows::Batch;
use super::run::{Halt, MoreRows};

/// Finds the events that belong to the rows of a batch.
pub(super) struct JoinTest<'j> {
    join: &'j Join,
    trace: &'j Trace,
    batch: &'j Batch,
    /// The keys, and how numbers are compared with each; nothing if the hashes decide.
    keys: Vec<(&'j JoinKey, NumberEquality)>,
    bands: Vec<(&'j JoinBand, BandValues)>,
}

impl<'j> JoinTest<'j> {
    pub(super) fn new(join: &'j Join, trace: &'j Trace, batch: &'j Batch) -> Result<JoinTest<'j>, Halt> {
        let keys = match join.keys.as_slice() {
            [key] if key.is_exact(trace) => &[],
            keys => keys,
        };
        let keys = keys.iter().map(|key| (key, trace.equality_of_numbers(key.part))).collect();
        let bands =
            join.bands.iter().map(|band| Ok((band, band.values(trace, batch)?))).collect::<Result<_, Halt>>()?;
        Ok(JoinTest { join, trace, batch, keys, bands })
    }

    /// All events that belong to the rows of the batch, with the places of these rows. The loops do without branches that
    /// depend on the table, so that a core looks up several rows at once.
    pub(super) fn found_by_key(
        &self,
        groups: &HashGroups<(u64, EventId)>,
        hashes: &[u64],
    ) -> Result<(Vec<usize>, Vec<i64>), Halt> {
        let ranges: Vec<Range<u32>> = hashes.iter().map(|hash| groups.places(*hash)).collect();
        let n_candidates: usize = ranges.iter().map(ExactSizeIterator::len).sum();
        if n_candidates > MOST_ROWS && hashes.len() > 1 {
            return Err(Halt::TooManyRows);
        }
        let (mut places, mut rows) = (vec![0; n_candidates], vec![0; n_candidates]);
        let mut n_found = 0;
        for (place, (hash, range)) in hashes.iter().zip(ranges).enumerate() {
            for (other, event) in &groups.items[range.start as usize..range.end as usize] {
                (places[n_found], rows[n_found]) = (place, i64::from(*event));
                n_found += usize::from(other == hash);
            }
        }
        places.truncate(n_found);
        rows.truncate(n_found);
        if !self.keys.is_empty() || !self.bands.is_empty() {
            let holds = |(place, row): &(usize, i64)| self.holds(*place, *row as EventId, 0);
            return Ok(places.into_iter().zip(rows).filter(holds).unzip());
        }
        Ok((places, rows))
    }

    /// Calls `act` with the events that belong to a row, whose key has a hash.
    #[inline]
    pub(super) fn each_event(&self, place: usize, hash: u64, mut act: impl FnMut(EventId) -> MoreRows) {
        match self.join.table() {
            JoinTable::ByKey(groups, rising) => {
                let group = groups.of(hash);
                let things = rising.map_or(group, |band| self.in_rising_band(group, place, hash, band));
                self.join.takes.visit(things, |(other, event)| {
                    if *other == hash && self.holds(place, *event, 0) { act(*event) } else { MoreRows::Wanted }
                });
            }
            JoinTable::ByValue(values, _) => {
                let (least, greatest) = self.bands[0].1[place];
                let mut visit =
                    |(_, event): &(i64, EventId)| !self.holds(place, *event, 1) || act(*event) == MoreRows::Wanted;
                match self.join.takes.direction {
                    SearchDirection::Forward => {
                        let start = values.partition_point(|(value, _)| *value < least);
                        _ = values[start..].iter().take_while(|(value, _)| *value <= greatest).all(&mut visit);
                    }
                    SearchDirection::Backward => {
                        let end = values.partition_point(|(value, _)| *value <= greatest);
                        _ = values[..end].iter().rev().take_while(|(value, _)| *value >= least).all(&mut visit);
                    }
                }
            }
        }
    }

    /// The things of a group whose values may be in the band of a row: those of one hash are in the order of their events.
    fn in_rising_band<'g>(
        &self,
        group: &'g [(u64, EventId)],
        place: usize,
        hash: u64,
        band: usize,
    ) -> &'g [(u64, EventId)] {
        let (band, values) = &self.bands[band];
        let (least, greatest) = values[place];
        let value = |event| band.value_of(self.trace, event).unwrap_or(i64::MIN);
        let start = group.partition_point(|(other, event)| (*other, value(*event)) < (hash, least));
        let n = group[start..].partition_point(|(other, event)| (*other, value(*event)) <= (hash, greatest));
        &group[start..start + n]
    }

    /// Whether an event has the key of a row, and is in its bands from one on.
    #[inline]
    fn holds(&self, place: usize, event: EventId, first_band: usize) -> bool {
        let is_in = |(band, values): &(&JoinBand, BandValues)| {
            let (least, greatest) = values[place];
            band.value_of(self.trace, event).is_some_and(|value| (least..=greatest).contains(&value))
        };
        self.keys.iter().all(|(key, numbers)| {
            let found = self.trace.part_value(key.part, event);
            key.value(self.trace, self.batch, place).finds(&found, *numbers)
        }) && self.bands[first_band..].iter().all(is_in)
    }
}
