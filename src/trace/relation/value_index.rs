//! Indexes from the values of a part of events to rows, for searches that ask for one value after another.
//!
//! An index gives candidates: all rows that may have the value, and a few that do not. The search tests each of them as it
//! tests any event, so the index needs to know nothing of when values are equal, except that equal ones have one hash.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use num_traits::ToPrimitive;

use super::store::Trace;
use crate::term::hash::{HashMap, RandomState};
use crate::term::number::Number;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::simple_term::{SimpleTerm, simple_term};
use crate::trace::event::value::Value;

/// A part of events that an index is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IndexedPart {
    /// An attribute, other than those by which calls and procedures are found anyway.
    Attribute(AttributeId),
    /// The argument with this number, from 1.
    Argument(usize),
}

/// The hash of a number, name or text: equal ones have the same, whatever their kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueHash(u64);

/// The rows of an index, by the last bits of the hashes of their values.
#[derive(Debug)]
pub(crate) struct ValueIndex {
    /// Where the rows of each group begin.
    starts: Vec<u32>,
    /// The rows of all groups, in each in order.
    pub(crate) rows: Vec<EventId>,
    /// The rows whose values equal any other: variables.
    pub(crate) others: Vec<EventId>,
}

/// The indexes of a trace, each made once the searches that it would have helped have cost as much as making it.
#[derive(Debug, Default)]
pub(crate) struct ValueIndexes {
    hasher: RandomState,
    parts: Mutex<HashMap<IndexedPart, IndexState>>,
}

#[derive(Debug)]
enum IndexState {
    /// What searches have cost without it.
    Awaited(u64),
    /// The index; none if it would not help.
    Made(Option<Arc<ValueIndex>>),
}

/// What making an index costs for each event, in rows whose integers are tested (estimated).
const MAKING: u64 = 64;
/// What testing the argument of a row costs, and a text (estimated).
const ARGUMENT: u64 = 64;
const TEXT: u64 = 16;

/// The bytes that an index takes while it is made, for each event.
const BYTES_PER_EVENT: usize = 32;

/// An index has at most one variable for so many values.
const FEW: usize = 16;

/// More arguments than this have no index.
const MOST_ARGUMENTS: usize = 64;

impl ValueIndexes {
    /// The hash of a number.
    pub(crate) fn of_number(&self, number: &Number) -> ValueHash {
        let value = match number {
            Number::Int(value) => *value as f64,
            Number::Big(value) => value.to_f64().unwrap_or(f64::INFINITY),
            // both zeros are equal
            Number::Float(value) => value + 0.0,
        };
        ValueHash(self.hasher.hash_one(value.to_bits()))
    }

    /// The hash of a name or text.
    pub(crate) fn of_text(&self, text: &str) -> ValueHash {
        ValueHash(self.hasher.hash_one(text))
    }

    /// The bytes of all indexes.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let made =
            parts.values().filter_map(|state| if let IndexState::Made(Some(made)) = state { Some(made) } else { None });
        let length = |index: &ValueIndex| index.rows.len() + index.starts.len() + index.others.len();
        made.map(|index| length(index) * size_of::<u32>()).sum()
    }
}

impl ValueIndex {
    /// The places in `rows` of those that may have a value.
    pub(crate) fn places(&self, value: ValueHash) -> Range<u32> {
        let group = value.0 as usize & (self.starts.len() - 2);
        self.starts[group]..self.starts[group + 1]
    }

    /// The index of rows with these hashes, in the order of the rows.
    fn new(hashes: &[(EventId, ValueHash)], others: Vec<EventId>) -> ValueIndex {
        let n_groups = hashes.len().next_power_of_two().max(2);
        let group_of = |hash: ValueHash| hash.0 as usize & (n_groups - 1);
        let mut starts = vec![0_u32; n_groups + 1];
        for (_, hash) in hashes {
            starts[group_of(*hash) + 1] += 1;
        }
        for group in 0..n_groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; hashes.len()];
        for (row, hash) in hashes {
            let place = &mut next[group_of(*hash)];
            rows[*place as usize] = *row;
            *place += 1;
        }
        ValueIndex { starts, rows, others }
    }
}

impl Trace {
    /// The index of a part for a search that visits so many rows without it, if it is made or now worth making; `has_room`
    /// is asked before, with the bytes that this takes.
    pub(crate) fn index_of(
        &self,
        part: IndexedPart,
        n_visited: u64,
        has_room: impl FnOnce(usize) -> bool,
    ) -> Option<Arc<ValueIndex>> {
        let mut parts = self.value_indexes.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let state = parts.entry(part).or_insert(IndexState::Awaited(0));
        if let IndexState::Awaited(spent) = state {
            let is_worth_it = *spent >= u64::from(self.n_events()) * MAKING;
            if !is_worth_it || !has_room(self.n_events() as usize * BYTES_PER_EVENT) {
                *spent = spent.saturating_add(n_visited * self.cost_of_test(part));
                return None;
            }
            *state = IndexState::Made(self.make_index(part).map(Arc::new));
        }
        match state {
            IndexState::Made(made) => made.clone(),
            IndexState::Awaited(_) => None,
        }
    }

    fn cost_of_test(&self, part: IndexedPart) -> u64 {
        match part {
            IndexedPart::Argument(_) => ARGUMENT,
            IndexedPart::Attribute(attribute) if self.is_integer_column(attribute) => 1,
            IndexedPart::Attribute(_) => TEXT,
        }
    }

    fn make_index(&self, part: IndexedPart) -> Option<ValueIndex> {
        let (mut hashes, mut others) = (Vec::with_capacity(self.n_events() as usize), Vec::new());
        for event in 0..self.n_events() {
            match self.hash_at(part, event) {
                HashAt::Value(hash) => hashes.push((event, hash)),
                HashAt::Nothing => {}
                HashAt::Anything => others.push(event),
            }
        }
        let is_worth_it = others.len() * FEW <= hashes.len();
        is_worth_it.then(|| ValueIndex::new(&hashes, others))
    }

    fn hash_at(&self, part: IndexedPart, event: EventId) -> HashAt {
        let indexes = &self.value_indexes;
        match part {
            IndexedPart::Argument(number) => match self.value(event, AttributeId::ARGS) {
                Value::Args(list) => list.part(number - 1).map_or(HashAt::Nothing, |text| hash_of_term(indexes, text)),
                _ => HashAt::Nothing,
            },
            IndexedPart::Attribute(attribute) => match self.value(event, attribute) {
                Value::Int(number) => HashAt::Value(indexes.of_number(&Number::Int(number))),
                Value::Float(number) => HashAt::Value(indexes.of_number(&Number::Float(number))),
                Value::Bool(value) => HashAt::Value(indexes.of_text(if value { "true" } else { "false" })),
                Value::Atom(name) => HashAt::Value(indexes.of_text(name.as_str())),
                Value::Text(text) => HashAt::Value(indexes.of_text(text)),
                Value::BigInt(text) | Value::Term(text) => hash_of_term(indexes, text),
                _ => HashAt::Nothing,
            },
        }
    }

    /// The argument with a number, if arguments with such a number may have an index.
    pub(crate) fn indexed_argument(number: usize) -> Option<IndexedPart> {
        (number <= MOST_ARGUMENTS).then_some(IndexedPart::Argument(number))
    }
}

/// What a part of an event may equal.
enum HashAt {
    /// Values with this hash.
    Value(ValueHash),
    /// No number, name or text.
    Nothing,
    /// Any value: it is a variable.
    Anything,
}

fn hash_of_term(indexes: &ValueIndexes, text: &str) -> HashAt {
    match simple_term(text) {
        Some(SimpleTerm::Number(number)) => HashAt::Value(indexes.of_number(&number)),
        Some(SimpleTerm::Text(text)) => HashAt::Value(indexes.of_text(&text)),
        None if text.starts_with(|first: char| first == '_' || first.is_uppercase()) => HashAt::Anything,
        None => HashAt::Nothing,
    }
}
