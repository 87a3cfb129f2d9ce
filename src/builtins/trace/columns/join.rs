//! Joins: searches for the events whose values equal those that earlier goals found, or are between them, by a table of the
//! events.

use std::sync::{Arc, OnceLock};

use crate::engine::{Stop, World};
use crate::term::number::Number;
use crate::trace::{
    AttributeId, EventId, HashGroups, IndexedPart, NO_NUMBER, NumberEquality, PartValue, SearchDirection, Trace, Value,
};

use super::expression::Expression;

use super::rows::Batch;
use super::run::{Halt, MoreRows};
use super::slots::SlotKind;
use super::steps::Events;

/// A search with parts of its events that must equal what slots hold.
#[derive(Debug)]
pub(super) struct Join {
    pub(super) events: Events,
    pub(super) keys: Vec<JoinKey>,
    pub(super) bands: Vec<JoinBand>,
    /// For each key, the numbers of the values of arguments, if both sides are arguments.
    numbers: OnceLock<Vec<Option<ArgumentNumbers>>>,
    table: OnceLock<JoinTable>,
}

/// The numbers of the values of an argument that a slot stands for, and of one that must be equal, by the codes of the texts.
#[derive(Clone, Debug)]
struct ArgumentNumbers {
    of_slot: Arc<[u32]>,
    of_part: Arc<[u32]>,
}

/// The events that a search finds, apart from keys and bands.
#[derive(Debug)]
enum JoinTable {
    /// Each with the hash of its key.
    ByKey(HashGroups<(u64, EventId)>),
    /// In the order of their values for the first band, and whether this is that of the events.
    ByValue(Vec<(i64, EventId)>, bool),
}

/// An attribute of integers, and the least and the greatest value that an event may have.
#[derive(Debug)]
pub(super) struct JoinBand {
    pub(super) attribute: AttributeId,
    pub(super) least: Option<BandEnd>,
    pub(super) greatest: Option<BandEnd>,
}

/// An end of a band, and whether it belongs to it.
#[derive(Debug)]
pub(super) struct BandEnd {
    pub(super) value: Expression,
    pub(super) is_included: bool,
}

/// The least and the greatest value for each row of a batch.
type BandValues = Vec<(i64, i64)>;

impl JoinBand {
    fn values(&self, trace: &Trace, batch: &Batch) -> Result<BandValues, Halt> {
        let all = |end: &Option<BandEnd>, default: i64, inward: i64| match end {
            None => Ok::<Vec<Option<i64>>, Halt>(vec![Some(default); batch.n_rows]),
            Some(BandEnd { value, is_included }) => {
                let values = value.evaluate(trace, batch).ok_or(Halt::TooLarge)?;
                let step = if *is_included { 0 } else { inward };
                Ok(values.iter().map(|value| value.checked_add(step)).collect())
            }
        };
        let (least, greatest) = (all(&self.least, i64::MIN, 1)?, all(&self.greatest, i64::MAX, -1)?);
        // nothing is beyond the greatest integer
        let pair = |(least, greatest): (Option<i64>, Option<i64>)| least.zip(greatest).unwrap_or((i64::MAX, i64::MIN));
        Ok(least.into_iter().zip(greatest).map(pair).collect())
    }

    fn value_of(&self, trace: &Trace, event: EventId) -> Option<i64> {
        match trace.value(event, self.attribute) {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// A slot, and the part of an event that must have its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinKey {
    pub(super) slot: usize,
    pub(super) kind: SlotKind,
    pub(super) part: IndexedPart,
}

/// So many rows at once make a batch too large.
const MOST_ROWS: usize = 1 << 20;

/// The values of arguments get numbers if there are at most so many texts for each event that a search visits.
const FEW: u64 = 16;

/// The bytes that a table takes while it is made, for each event.
const BYTES_PER_EVENT: u64 = 40;

impl JoinKey {
    /// Whether the slot and the part hold nothing but integers, of which equal ones have one hash and no others have.
    fn is_of_integers(&self, trace: &Trace) -> bool {
        let IndexedPart::Attribute(attribute) = self.part else { return false };
        let is_stored = !matches!(attribute, AttributeId::CHRONO | AttributeId::CALL);
        matches!(self.kind, SlotKind::Integer | SlotKind::Call) && is_stored && trace.is_integer_column(attribute)
    }

    /// The values of a slot, if they are integers.
    fn integers(&self, trace: &Trace, batch: &Batch) -> Option<Vec<i64>> {
        let values = &batch.columns[self.slot];
        match self.kind {
            SlotKind::Integer => Some(values.clone()),
            SlotKind::Call => {
                let mut numbers = Vec::with_capacity(values.len());
                trace.gather_call_numbers(values, &mut numbers);
                Some(numbers)
            }
            SlotKind::Event(_) | SlotKind::Part(_) | SlotKind::Argument => None,
        }
    }

    /// Whether the slot holds events.
    fn stands_for_a_part(&self) -> bool {
        matches!(self.kind, SlotKind::Event(_) | SlotKind::Part(_))
    }

    /// The part of an event that a slot stands for.
    fn part_of_slot(&self) -> IndexedPart {
        match self.kind {
            SlotKind::Event(attribute) => IndexedPart::Attribute(attribute),
            SlotKind::Part(part) => part,
            SlotKind::Integer | SlotKind::Call | SlotKind::Argument => self.part,
        }
    }
}

impl Join {
    pub(super) fn new(events: Events, keys: Vec<JoinKey>, bands: Vec<JoinBand>) -> Join {
        Join { events, keys, bands, numbers: OnceLock::new(), table: OnceLock::new() }
    }

    /// Whether equal hashes mean equal keys.
    fn is_exact(&self, trace: &Trace) -> bool {
        let has_numbers = |place| self.numbers_of(place).is_some();
        matches!(self.keys.as_slice(), [key] if key.is_of_integers(trace) || has_numbers(0))
    }

    /// The numbers of the values of a key, if both sides are arguments.
    fn numbers_of(&self, place: usize) -> Option<&ArgumentNumbers> {
        self.numbers.get()?.get(place)?.as_ref()
    }

    /// Finds the numbers of the values of arguments, if so many events make that worth it.
    fn number_arguments(&self, world: &World, trace: &Trace, n_visited: u64) {
        let of_argument = |number| trace.numbers_of_argument(number, |bytes| world.check_room(bytes).is_ok());
        let is_worth_it = || n_visited.saturating_mul(FEW) >= trace.n_args_codes() as u64;
        let numbers = |key: &JoinKey| match (key.part_of_slot(), key.part) {
            (IndexedPart::Argument(one), IndexedPart::Argument(other)) if key.stands_for_a_part() && is_worth_it() => {
                Some(ArgumentNumbers { of_slot: of_argument(one)?, of_part: of_argument(other)? })
            }
            _ => None,
        };
        self.numbers.get_or_init(|| self.keys.iter().map(numbers).collect());
    }

    /// Makes the table; returns whether there is room for it and each event has a key of which it is known what it equals.
    pub(super) fn prepare(&self, world: &mut World, trace: &Trace) -> Result<bool, Stop> {
        let n_visited = self.events.query.plan.pattern.n_visited(trace);
        if self.table.get().is_some() {
            return Ok(true);
        }
        if world.check_room(n_visited.saturating_mul(BYTES_PER_EVENT) as usize).is_err() {
            return Ok(false);
        }
        self.number_arguments(world, trace, n_visited);
        let (mut filter, mut found) = (self.events.filter.clone(), Vec::new());
        let mut matches = self.events.query.matches(SearchDirection::Forward, 0);
        loop {
            world.store.watch.check()?;
            let mut rows = Vec::new();
            matches.take(trace, &self.events.query.plan.pattern, &mut rows);
            if rows.is_empty() {
                break;
            }
            if let Some(filter) = &mut filter {
                rows.retain(|row| self.events.query.passes_tests(*row as EventId));
                filter.keep(Some(&mut world.store), trace, &mut rows, 0).expect("there is a store");
            }
            let Some(hashes) = self.hashes_of_events(trace, &rows) else { return Ok(false) };
            found.extend(hashes.into_iter().zip(rows).filter_map(|(hash, row)| Some((hash?, row as EventId))));
        }
        let _ = self.table.set(self.table_of(trace, found));
        Ok(true)
    }

    fn table_of(&self, trace: &Trace, found: Vec<(u64, EventId)>) -> JoinTable {
        match (self.keys.is_empty(), self.bands.first()) {
            (true, Some(band)) => {
                let with_value = |(_, event)| Some((band.value_of(trace, event)?, event));
                let mut values: Vec<(i64, EventId)> = found.into_iter().filter_map(with_value).collect();
                let is_rising = values.is_sorted();
                values.sort_unstable();
                JoinTable::ByValue(values, is_rising)
            }
            _ => {
                let with_hash: Vec<_> = found.into_iter().map(|(hash, event)| (hash, (hash, event))).collect();
                JoinTable::ByKey(HashGroups::new(&with_hash))
            }
        }
    }

    /// The hashes of the keys of events; none inside for an event whose key equals nothing that has a hash, none at all if a
    /// key may equal anything.
    fn hashes_of_events(&self, trace: &Trace, rows: &[i64]) -> Option<Vec<Option<u64>>> {
        let mut hashes: Vec<Option<u64>> = vec![Some(0); rows.len()];
        for (place, key) in self.keys.iter().enumerate() {
            if let Some(ArgumentNumbers { of_part, .. }) = self.numbers_of(place) {
                let numbers = numbers_of_rows(trace, of_part, rows)?;
                let of_all = hashes.iter_mut().zip(numbers);
                of_all
                    .for_each(|(hash, number)| *hash = hash.zip(number).map(|(hash, value)| with_integer(hash, value)));
                continue;
            }
            if let IndexedPart::Attribute(attribute) = key.part
                && key.is_of_integers(trace)
            {
                let mut integers = Vec::with_capacity(rows.len());
                trace.gather_integers(attribute, rows, &mut integers).then_some(())?;
                let of_all = hashes.iter_mut().zip(integers);
                of_all.for_each(|(hash, value)| *hash = hash.map(|hash| with_integer(hash, value)));
                continue;
            }
            for (hash, row) in hashes.iter_mut().zip(rows) {
                let Some(before) = *hash else { continue };
                *hash = match trace.part_value(key.part, *row as EventId) {
                    PartValue::Anything => return None,
                    PartValue::Nothing => None,
                    value => Some(with_value(trace, before, &value)),
                };
            }
        }
        Some(hashes)
    }

    /// The hashes of the keys in a batch.
    fn hashes_of_slots(&self, trace: &Trace, batch: &Batch) -> Result<Vec<u64>, Halt> {
        let mut hashes = vec![0; batch.n_rows];
        for (number, key) in self.keys.iter().enumerate() {
            if let Some(ArgumentNumbers { of_slot, .. }) = self.numbers_of(number) {
                let numbers = numbers_of_rows(trace, of_slot, &batch.columns[key.slot]).ok_or(Halt::NoHash)?;
                for (hash, number) in hashes.iter_mut().zip(numbers) {
                    *hash = with_integer(*hash, number.ok_or(Halt::NoHash)?);
                }
                continue;
            }
            match key.integers(trace, batch) {
                Some(integers) if key.is_of_integers(trace) => {
                    let of_all = hashes.iter_mut().zip(integers);
                    of_all.for_each(|(hash, value)| *hash = with_integer(*hash, value));
                }
                _ => {
                    for (place, hash) in hashes.iter_mut().enumerate() {
                        match key.value(trace, batch, place) {
                            value if !trace.may_be_asked_for(key.part, &value) => return Err(Halt::NoHash),
                            value => *hash = with_value(trace, *hash, &value),
                        }
                    }
                }
            }
        }
        Ok(hashes)
    }

    /// The events that belong to the rows of a batch, with the places of these rows.
    pub(super) fn found(&self, trace: &Trace, batch: &Batch) -> Result<(Vec<usize>, Vec<i64>), Halt> {
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        let test = JoinTest::new(self, trace, batch)?;
        let is_in_order = !matches!(self.table(), JoinTable::ByValue(_, false));
        for (place, hash) in self.hashes_of_slots(trace, batch)?.into_iter().enumerate() {
            let n_before = rows.len();
            test.each_event(place, hash, |event| {
                rows.push(i64::from(event));
                MoreRows::Wanted
            });
            if !is_in_order {
                rows[n_before..].sort_unstable();
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
        Ok(self.hashes_of_slots(trace, batch)?.into_iter().enumerate().map(has_none).collect())
    }

    fn table(&self) -> &JoinTable {
        self.table.get().expect("steps are prepared before they run")
    }
}

impl JoinKey {
    /// The value of the slot in a row of a batch.
    fn value<'t>(&self, trace: &'t Trace, batch: &Batch, place: usize) -> PartValue<'t> {
        let value = batch.columns[self.slot][place];
        match self.kind {
            SlotKind::Integer => PartValue::Number(Number::Int(value)),
            SlotKind::Call => {
                let mut number = Vec::with_capacity(1);
                trace.gather_call_numbers(&[value], &mut number);
                PartValue::Number(Number::Int(number[0]))
            }
            SlotKind::Event(_) | SlotKind::Part(_) => trace.part_value(self.part_of_slot(), value as EventId),
            SlotKind::Argument => PartValue::Nothing,
        }
    }
}

/// Finds the events that belong to the rows of a batch.
struct JoinTest<'j> {
    join: &'j Join,
    trace: &'j Trace,
    batch: &'j Batch,
    /// The keys, and how numbers are compared with each; nothing if the hashes decide.
    keys: Vec<(&'j JoinKey, NumberEquality)>,
    bands: Vec<(&'j JoinBand, BandValues)>,
}

impl<'j> JoinTest<'j> {
    fn new(join: &'j Join, trace: &'j Trace, batch: &'j Batch) -> Result<JoinTest<'j>, Halt> {
        let keys = if join.is_exact(trace) { &[] } else { join.keys.as_slice() };
        let keys = keys.iter().map(|key| (key, trace.equality_of_numbers(key.part))).collect();
        let bands =
            join.bands.iter().map(|band| Ok((band, band.values(trace, batch)?))).collect::<Result<_, Halt>>()?;
        Ok(JoinTest { join, trace, batch, keys, bands })
    }

    /// Calls `act` with the events that belong to a row, whose key has a hash.
    #[inline]
    fn each_event(&self, place: usize, hash: u64, mut act: impl FnMut(EventId) -> MoreRows) {
        match self.join.table() {
            JoinTable::ByKey(groups) => {
                for (other, event) in groups.of(hash) {
                    if *other == hash && self.holds(place, *event, 0) && act(*event) == MoreRows::Enough {
                        return;
                    }
                }
            }
            JoinTable::ByValue(values, _) => {
                let (least, greatest) = self.bands[0].1[place];
                let start = values.partition_point(|(value, _)| *value < least);
                for (_, event) in values[start..].iter().take_while(|(value, _)| *value <= greatest) {
                    if self.holds(place, *event, 1) && act(*event) == MoreRows::Enough {
                        return;
                    }
                }
            }
        }
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

/// The numbers of the values of an argument in rows; none inside for those without one.
fn numbers_of_rows(trace: &Trace, by_code: &[u32], rows: &[i64]) -> Option<Vec<Option<i64>>> {
    let mut codes = Vec::with_capacity(rows.len());
    if !trace.gather_args_codes(rows, &mut codes) {
        return None;
    }
    let number = |code: i64| by_code.get(usize::try_from(code - 1).ok()?).filter(|number| **number != NO_NUMBER);
    Some(codes.into_iter().map(|code| number(code).map(|number| i64::from(*number))).collect())
}

fn with_value(trace: &Trace, hash: u64, value: &PartValue<'_>) -> u64 {
    with_integer(hash, trace.value_indexes.of_value(value).map_or(0, |hash| hash.bits() as i64))
}

/// A hash that depends on another one, and differs for each value.
fn with_integer(hash: u64, value: i64) -> u64 {
    let mixed = (hash.rotate_left(29) ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}
