//! Keys of joins: parts of events that must equal what slots hold, and their hashes.

use std::sync::{Arc, OnceLock};

use crate::engine::World;
use crate::term::number::Number;
use crate::trace::{AttributeId, EventId, IndexedPart, NO_NUMBER, PartValue, Trace};

use super::rows::Batch;
use super::run::Halt;
use super::slots::SlotKind;

/// A slot, and the part of an event that must have its value.
#[derive(Debug)]
pub(super) struct JoinKey {
    pub(super) slot: usize,
    pub(super) kind: SlotKind,
    pub(super) part: IndexedPart,
    /// The numbers of the values, if both sides are arguments and that is worth it.
    numbers: OnceLock<Option<ArgumentNumbers>>,
}

/// The numbers of the values of an argument that a slot stands for, and of one that must be equal, by the codes of the texts.
#[derive(Clone, Debug)]
struct ArgumentNumbers {
    of_slot: Arc<[u32]>,
    of_part: Arc<[u32]>,
}

/// The values of arguments get numbers if there are at most so many texts for each event that a search visits.
const FEW: u64 = 16;

impl JoinKey {
    pub(super) fn new((slot, kind): (usize, SlotKind), part: IndexedPart) -> JoinKey {
        JoinKey { slot, kind, part, numbers: OnceLock::new() }
    }

    /// Finds the numbers of the values of arguments for a join with so many events.
    pub(super) fn prepare(&self, world: &World, trace: &Trace, n_events: u64) {
        let of_argument = |place| trace.numbers_of_argument(place, |bytes| world.check_room(bytes).is_ok());
        let is_worth_it = || n_events.saturating_mul(FEW) >= trace.n_args_codes() as u64;
        self.numbers.get_or_init(|| match (self.kind, self.part) {
            (SlotKind::Part(IndexedPart::Argument(one)), IndexedPart::Argument(other)) if is_worth_it() => {
                Some(ArgumentNumbers { of_slot: of_argument(one)?, of_part: of_argument(other)? })
            }
            _ => None,
        });
    }

    fn numbers(&self) -> Option<&ArgumentNumbers> {
        self.numbers.get()?.as_ref()
    }

    /// The attribute, if the slot and the part hold nothing but integers.
    fn of_integers(&self, trace: &Trace) -> Option<AttributeId> {
        let IndexedPart::Attribute(attribute) = self.part else { return None };
        let is_stored = !matches!(attribute, AttributeId::CHRONO | AttributeId::CALL);
        let is_integer = matches!(self.kind, SlotKind::Integer | SlotKind::Call);
        (is_integer && is_stored && trace.is_integer_column(attribute)).then_some(attribute)
    }

    /// Whether equal hashes mean equal values, if there is no other key.
    pub(super) fn is_exact(&self, trace: &Trace) -> bool {
        self.numbers().is_some() || self.of_integers(trace).is_some()
    }

    /// Adds the values of events to their hashes. An event whose value equals nothing that has a hash gets none; none at all
    /// if a value may equal anything.
    pub(super) fn hash_events(&self, trace: &Trace, rows: &[i64], hashes: &mut [Option<u64>]) -> Option<()> {
        let numbers: Vec<Option<i64>> = match (self.numbers(), self.of_integers(trace)) {
            (Some(numbers), _) => numbers_of_rows(trace, &numbers.of_part, rows)?,
            (None, Some(attribute)) => {
                let mut integers = Vec::with_capacity(rows.len());
                trace.gather_integers(attribute, rows, &mut integers).then_some(())?;
                let of_all = hashes.iter_mut().zip(integers);
                of_all.for_each(|(hash, value)| *hash = hash.map(|hash| with_integer(hash, value)));
                return Some(());
            }
            (None, None) => {
                for (hash, row) in hashes.iter_mut().zip(rows) {
                    match trace.part_value(self.part, *row as EventId) {
                        PartValue::Anything => return None,
                        value => *hash = hash.and_then(|hash| with_value(trace, hash, &value)),
                    }
                }
                return Some(());
            }
        };
        let of_all = hashes.iter_mut().zip(numbers);
        of_all.for_each(|(hash, value)| *hash = hash.zip(value).map(|(hash, value)| with_integer(hash, value)));
        Some(())
    }

    /// Adds the values of the slot to the hashes of the rows of a batch.
    pub(super) fn hash_slots(&self, trace: &Trace, batch: &Batch, hashes: &mut [u64]) -> Result<(), Halt> {
        let values = &batch.columns[self.slot];
        let mut add = |integers: &[i64]| {
            hashes.iter_mut().zip(integers).for_each(|(hash, value)| *hash = with_integer(*hash, *value));
        };
        match (self.numbers(), self.kind) {
            (Some(numbers), _) => {
                let numbers = numbers_of_rows(trace, &numbers.of_slot, values).ok_or(Halt::NoHash)?;
                add(&numbers.into_iter().collect::<Option<Vec<i64>>>().ok_or(Halt::NoHash)?);
            }
            (None, SlotKind::Integer) if self.of_integers(trace).is_some() => add(values),
            (None, SlotKind::Call) if self.of_integers(trace).is_some() => {
                let mut numbers = Vec::with_capacity(values.len());
                trace.gather_call_numbers(values, &mut numbers);
                add(&numbers);
            }
            _ => {
                for (place, hash) in hashes.iter_mut().enumerate() {
                    let value = self.value(trace, batch, place);
                    let asked = Some(&value).filter(|value| trace.may_be_asked_for(self.part, value));
                    *hash = asked.and_then(|value| with_value(trace, *hash, value)).ok_or(Halt::NoHash)?;
                }
            }
        }
        Ok(())
    }

    /// The value of the slot in a row of a batch.
    pub(super) fn value<'t>(&self, trace: &'t Trace, batch: &Batch, place: usize) -> PartValue<'t> {
        let value = batch.columns[self.slot][place];
        match self.kind {
            SlotKind::Integer => PartValue::Number(Number::Int(value)),
            SlotKind::Call => {
                let mut number = Vec::with_capacity(1);
                trace.gather_call_numbers(&[value], &mut number);
                PartValue::Number(Number::Int(number[0]))
            }
            SlotKind::Event(attribute) => trace.part_value(IndexedPart::Attribute(attribute), value as EventId),
            SlotKind::Part(part) => trace.part_value(part, value as EventId),
            SlotKind::Argument => PartValue::Nothing,
        }
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

fn with_value(trace: &Trace, hash: u64, value: &PartValue<'_>) -> Option<u64> {
    Some(with_integer(hash, trace.value_indexes.of_value(value)?.bits() as i64))
}

/// A hash that depends on another one, and differs for each value.
fn with_integer(hash: u64, value: i64) -> u64 {
    let mixed = (hash.rotate_left(29) ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}
