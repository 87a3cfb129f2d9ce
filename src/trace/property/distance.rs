//! Distances between events: the difference of their values of an attribute.

use std::collections::BTreeSet;

use crate::trace::event::EventId;
use crate::trace::event::value::Value;

/// The allowed distance.
pub(crate) struct Measure<'a> {
    /// The value of an event; none if it has none.
    pub(crate) value: &'a dyn Fn(EventId) -> Option<i128>,
    /// The greatest distance.
    pub(crate) most: i128,
    /// How values change from event to event.
    pub(crate) growth: Growth,
}

/// How the values of an attribute change from event to event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// They never fall, and every event has a value.
    Rising,
    /// Arbitrarily.
    Any,
}

/// Units of a measure in one unit of the attribute: floats are compared to twelve decimal places.
const UNIT: i128 = 1_000_000_000_000;

impl Measure<'_> {
    /// The distance of two events; none if one has no value.
    pub(crate) fn distance(&self, one: EventId, other: EventId) -> Option<u128> {
        Some((self.value)(one)?.abs_diff((self.value)(other)?))
    }

    /// A distance as text: `25546`, `1.5`.
    pub(crate) fn text_of(distance: u128) -> String {
        let unit = UNIT.unsigned_abs();
        match (distance / unit, distance % unit) {
            (whole, 0) => whole.to_string(),
            (whole, rest) => format!("{whole}.{}", format!("{rest:012}").trim_end_matches('0')),
        }
    }

    /// A number in units of a measure.
    pub(crate) fn of_integer(value: i64) -> i128 {
        i128::from(value) * UNIT
    }

    /// A float in units of a measure; none if it is not a number.
    pub(crate) fn of_float(value: f64) -> Option<i128> {
        (!value.is_nan()).then(|| (value * UNIT as f64).round() as i128)
    }

    /// The value of an attribute in units of a measure, if it is a number.
    pub(crate) fn of_value(value: Value<'_>) -> Option<i128> {
        match value {
            Value::Int(value) => Some(Measure::of_integer(value)),
            Value::Float(value) => Measure::of_float(value),
            _ => None,
        }
    }

    /// Whether two events are near enough; never if one has no value.
    pub(super) fn is_near(&self, one: EventId, other: EventId) -> bool {
        match ((self.value)(one), (self.value)(other)) {
            (Some(one), Some(other)) => self.is_within(one, other),
            _ => false,
        }
    }

    pub(super) fn is_within(&self, one: i128, other: i128) -> bool {
        one.abs_diff(other) <= self.most.unsigned_abs()
    }

    /// Whether every event after `last` is too far after a value.
    pub(super) fn is_past(&self, value: i128, last: Option<EventId>) -> bool {
        let now = last.filter(|_| self.growth == Growth::Rising).and_then(|last| (self.value)(last));
        now.is_some_and(|now| now > value && !self.is_within(now, value))
    }
}

/// The values of some events.
#[derive(Default)]
pub(super) struct NearValues(BTreeSet<(i128, EventId)>);

impl NearValues {
    pub(super) fn insert(&mut self, measure: &Measure<'_>, event: EventId) {
        if let Some(value) = (measure.value)(event) {
            self.0.insert((value, event));
        }
    }

    pub(super) fn remove(&mut self, measure: &Measure<'_>, event: EventId) {
        if let Some(value) = (measure.value)(event) {
            self.0.remove(&(value, event));
        }
    }

    /// Whether one of them is near enough to a value.
    pub(super) fn has_near(&self, measure: &Measure<'_>, value: i128) -> bool {
        let low = (value.saturating_sub(measure.most), EventId::MIN);
        let high = (value.saturating_add(measure.most), EventId::MAX);
        self.0.range(low..=high).next().is_some()
    }
}
