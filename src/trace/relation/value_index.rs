//! Indexes from the values of a part of events to rows, for searches that ask for one value after another.
//!
//! An index gives candidates: all rows that may have the value, and a few that do not. The search tests each of them as it
//! tests any event, so the index needs to know nothing of when values are equal, except that equal ones have one hash.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use num_traits::ToPrimitive;

use super::hash_groups::{HashGroups, HashParts};
use super::store::Trace;
use crate::term::hash::{HashMap, RandomState};
use crate::term::number::{Number, compare};
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgTexts, NOT_LIVE};
use crate::trace::event::argument_place::{ArgumentPlace, PlacedText};
use crate::trace::event::schema::{AttributeId, AttributeType};
use crate::trace::event::simple_term::{SimpleTerm, simple_term};
use crate::trace::event::value::Value;

/// A part of events that an index is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IndexedPart {
    /// An attribute, other than those by which calls and procedures are found anyway.
    Attribute(AttributeId),
    /// An argument, or a part of one.
    Argument(ArgumentPlace),
}

/// The hash of a number, name or text: equal ones have the same, whatever their kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueHash(u64);

/// The rows of an index, by the hashes of their values.
#[derive(Debug)]
pub(crate) struct ValueIndex {
    /// The rows, in each group in order.
    groups: HashGroups<EventId>,
    /// The rows whose values equal any other: variables.
    pub(crate) others: Vec<EventId>,
}

/// The value of a part of an event, as far as values are compared without building terms.
#[derive(Clone, Debug)]
pub(crate) enum PartValue<'t> {
    Number(Number),
    /// A name, text or truth value by its characters.
    Text(Cow<'t, str>, TextKind),
    /// None, or another term.
    Nothing,
    /// A variable, which equals any value.
    Anything,
}

/// What characters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Name,
    String,
    Truth,
}

/// When two numbers are the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberEquality {
    /// If they are the same term: 1 differs from 1.0.
    OfTerms,
    ByValue,
}

impl PartValue<'_> {
    /// Whether a goal that asks for this value finds the other one.
    pub(crate) fn finds(&self, other: &PartValue<'_>, numbers: NumberEquality) -> bool {
        use TextKind::{String, Truth};
        match (self, other) {
            (PartValue::Number(one), PartValue::Number(other)) => match numbers {
                NumberEquality::OfTerms => one == other,
                NumberEquality::ByValue => compare(one, other).is_eq(),
            },
            // the empty list is no text, and a text is no truth value
            (PartValue::Text(one, kind), PartValue::Text(other, other_kind)) => {
                let is_other_list = **one == *"[]" && (*kind == String) != (*other_kind == String);
                one == other && !is_other_list && (*kind, *other_kind) != (String, Truth)
            }
            _ => false,
        }
    }
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

    /// The hash of a value; none for a value without one.
    pub(crate) fn of_value(&self, value: &PartValue<'_>) -> Option<ValueHash> {
        match value {
            PartValue::Number(number) => Some(self.of_number(number)),
            PartValue::Text(text, _) => Some(self.of_text(text)),
            PartValue::Nothing | PartValue::Anything => None,
        }
    }

    /// The bytes of all indexes.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let made =
            parts.values().filter_map(|state| if let IndexState::Made(Some(made)) = state { Some(made) } else { None });
        made.map(|index| index.groups.bytes() + index.others.len() * size_of::<EventId>()).sum()
    }
}

impl ValueHash {
    /// Its bits.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

impl ValueIndex {
    /// The places in the rows of those that may have a value.
    pub(crate) fn places(&self, value: ValueHash) -> Range<u32> {
        self.groups.places(value.0)
    }

    /// The rows of all groups.
    pub(crate) fn rows(&self) -> &[EventId] {
        &self.groups.items
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
        let (mut hashes, mut others) = (HashParts::new(), Vec::new());
        for event in 0..self.n_events() {
            match self.part_value(part, event) {
                PartValue::Anything => others.push(event),
                value => {
                    self.value_indexes.of_value(&value).into_iter().for_each(|hash| hashes.push(hash.0, event));
                }
            }
        }
        let is_worth_it = others.len() * FEW <= hashes.len();
        is_worth_it.then(|| ValueIndex { groups: HashGroups::new(&[hashes], |(_, event)| event), others })
    }

    /// The hash of the value of a part of an event, if it has one.
    pub(crate) fn hash_of_part(&self, part: IndexedPart, event: EventId) -> Option<ValueHash> {
        self.value_indexes.of_value(&self.part_value(part, event))
    }

    /// The value of a part of an event.
    pub(crate) fn part_value(&self, part: IndexedPart, event: EventId) -> PartValue<'_> {
        match part {
            IndexedPart::Argument(place) => match self.value(event, AttributeId::ARGS) {
                Value::Args(list) => value_of_argument(list, place),
                _ => PartValue::Nothing,
            },
            IndexedPart::Attribute(attribute) => match self.value(event, attribute) {
                Value::Int(number) => PartValue::Number(Number::Int(number)),
                Value::Float(number) => PartValue::Number(Number::Float(number)),
                Value::Bool(value) => {
                    PartValue::Text(Cow::Borrowed(if value { "true" } else { "false" }), TextKind::Truth)
                }
                Value::Atom(name) => PartValue::Text(Cow::Borrowed(name.as_str()), TextKind::Name),
                Value::Text(text) => PartValue::Text(Cow::Borrowed(text), TextKind::String),
                Value::BigInt(text) | Value::Term(text) => value_of_term(text),
                _ => PartValue::Nothing,
            },
        }
    }

    /// How a goal that asks for a number in a part compares it with what is there.
    pub(crate) fn equality_of_numbers(&self, part: IndexedPart) -> NumberEquality {
        match part {
            IndexedPart::Attribute(attribute) if !self.mixes_numbers(attribute) => NumberEquality::ByValue,
            IndexedPart::Attribute(_) | IndexedPart::Argument(_) => NumberEquality::OfTerms,
        }
    }

    /// Whether the values of an attribute are numbers, names and texts, perhaps among others. Ports, which have several
    /// spellings, do not count.
    pub(crate) fn has_simple_values(&self, attribute: AttributeId) -> bool {
        use AttributeType::{Any, Integer, Name};
        matches!(self.schema().get(attribute).kind, Any | Integer | Name)
    }

    /// Whether a value can be looked up in a part: it is no error to ask for it there, and it means no other value.
    pub(crate) fn may_be_asked_for(&self, part: IndexedPart, value: &PartValue<'_>) -> bool {
        let kind = match part {
            IndexedPart::Attribute(attribute) => Some(self.schema().get(attribute).kind),
            IndexedPart::Argument(_) => None,
        };
        match value {
            PartValue::Number(_) => kind != Some(AttributeType::Name),
            PartValue::Text(text, TextKind::Name) if **text == *NOT_LIVE => kind.is_none(),
            PartValue::Text(..) => kind != Some(AttributeType::Integer),
            PartValue::Nothing | PartValue::Anything => false,
        }
    }
}

pub(super) fn value_of_argument(list: ArgTexts<'_>, place: ArgumentPlace) -> PartValue<'_> {
    match place.text(list) {
        PlacedText::Text(text) => value_of_term(text),
        PlacedText::Nothing => PartValue::Nothing,
        PlacedText::Unclear => PartValue::Anything,
    }
}

fn value_of_term(text: &str) -> PartValue<'_> {
    match simple_term(text) {
        Some(SimpleTerm::Number(number)) => PartValue::Number(number),
        Some(SimpleTerm::Text(characters)) => {
            let kind = if text.starts_with('"') { TextKind::String } else { TextKind::Name };
            PartValue::Text(characters, kind)
        }
        None if text.starts_with(|first: char| first == '_' || first.is_uppercase()) => PartValue::Anything,
        None => PartValue::Nothing,
    }
}
