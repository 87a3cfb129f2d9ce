//! Distances between events: the difference of their values of an attribute.

use std::collections::BTreeSet;

use crate::trace::event::EventId;
use crate::trace::event::value::Value;

/// The allowed distances.
pub(crate) struct Measure<'a> {
    /// The value of an event; none if it has none.
    pub(crate) value: &'a dyn Fn(EventId) -> Option<i128>,
    /// The distances.
    pub(crate) range: DistanceRange,
    /// How values change from event to event.
    pub(crate) growth: Growth,
}

/// Distances between two ends, which are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DistanceRange {
    /// The least distance.
    pub(crate) least: i128,
    /// The greatest distance; `i128::MAX` if there is none.
    pub(crate) most: i128,
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

    /// Whether the distance of two events is allowed; never if one has no value.
    pub(super) fn is_within(&self, one: EventId, other: EventId) -> bool {
        self.distance(one, other)
            .is_some_and(|distance| !self.range.is_nearer(distance) && !self.range.is_beyond(distance))
    }

    /// Whether two events are nearer to each other than allowed.
    pub(super) fn is_too_near(&self, one: EventId, other: EventId) -> bool {
        self.distance(one, other).is_some_and(|distance| self.range.is_nearer(distance))
    }

    /// Whether an event is too far from another one, and so are all events that lie beyond it.
    pub(super) fn is_too_far(&self, one: EventId, other: EventId) -> bool {
        let is_beyond = |distance| self.range.is_beyond(distance);
        self.growth == Growth::Rising && self.distance(one, other).is_some_and(is_beyond)
    }

    /// The values at an allowed distance from a value: from one to another, inclusive, below it and from it on.
    pub(super) fn around(&self, value: i128) -> impl Iterator<Item = (i128, i128)> {
        let DistanceRange { least, most } = self.range;
        let below = value.checked_sub(least.max(1)).map(|high| (value.saturating_sub(most), high));
        let above = value.checked_add(least).map(|low| (low, value.saturating_add(most)));
        [below, above].into_iter().flatten().filter(|(low, high)| low <= high)
    }
}

impl DistanceRange {
    /// How many of the distances are integers; 0 if there is no greatest distance.
    pub(super) fn n_integers(self) -> u64 {
        if self.most == i128::MAX { 0 } else { u64::try_from((self.most - self.least) / UNIT + 1).unwrap_or(0) }
    }

    fn is_nearer(self, distance: u128) -> bool {
        distance < self.least.unsigned_abs()
    }

    fn is_beyond(self, distance: u128) -> bool {
        distance > self.most.unsigned_abs()
    }
}

/// The values of some events.
#[derive(Default)]
pub(super) struct EventValues(BTreeSet<(i128, EventId)>);

impl EventValues {
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

    /// Whether one of them is at an allowed distance from a value.
    pub(super) fn has_within(&self, measure: &Measure<'_>, value: i128) -> bool {
        let has = |(low, high)| self.0.range((low, EventId::MIN)..=(high, EventId::MAX)).next().is_some();
        measure.around(value).any(has)
    }
}
