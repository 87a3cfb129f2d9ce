//! From which moment the times of a trace count.

use crate::formats::times::{CLOCK, iso_8601};
use crate::trace::{AttributeId, Trace, Value};

/// The clock of a log.
pub(super) struct Clock<'t> {
    log: &'t str,
    format: &'static str,
    origin: TimeOrigin,
    /// The first and the last time in nanoseconds; none if the unit is not known.
    range: Option<[i64; 2]>,
}

/// The moment from which times count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeOrigin {
    /// 1970.
    Epoch,
    /// Midnight.
    Day,
    /// The start of the machine.
    Boot,
    /// The start of the recording, in nanoseconds since 1970 if the trace says when that was.
    Start(Option<i64>),
    Unknown,
}

/// Nanoseconds from 1970 to 1973: a time below is since another moment.
const LEAST_SINCE_1970: i64 = 100_000_000_000_000_000;

impl<'t> Clock<'t> {
    /// The clock of a trace with this attribute for times.
    pub(super) fn of(trace: &Trace, log: &'t str, time: AttributeId) -> Clock<'t> {
        let unit = trace.schema().unit(time).map(|unit| unit.nanoseconds());
        let known = |unit: i64| {
            (0..trace.n_events()).filter_map(move |event| match trace.value(event, time) {
                Value::Int(time) => Some(time.saturating_mul(unit)),
                _ => None,
            })
        };
        let range = unit.and_then(|unit| Some([known(unit).min()?, known(unit).max()?]));
        let fact = |key| trace.recording().fact(key).and_then(Value::characters);
        let start = fact("start").and_then(iso_8601);
        let origin = match fact(CLOCK) {
            _ if range.is_some_and(|[first, _]| first >= LEAST_SINCE_1970) => TimeOrigin::Epoch,
            Some("day") => TimeOrigin::Day,
            Some("boot") => TimeOrigin::Boot,
            Some("start") => TimeOrigin::Start(start),
            _ if start.is_some() => TimeOrigin::Start(start),
            _ => TimeOrigin::Unknown,
        };
        Clock { log, format: trace.origin().format, origin, range }
    }

    /// When the times of this log count from, in nanoseconds since 1970.
    pub(super) fn zero(&self) -> Option<i64> {
        match self.origin {
            TimeOrigin::Epoch => Some(0),
            TimeOrigin::Start(start) => start,
            TimeOrigin::Day | TimeOrigin::Boot | TimeOrigin::Unknown => None,
        }
    }

    /// Why the times of two logs cannot be compared, in words; none if they may count from one moment.
    pub(super) fn differs(&self, other: &Clock<'_>) -> Option<String> {
        use TimeOrigin::{Epoch, Start, Unknown};
        let (one, two) = (self.log, other.log);
        let is_common = self.format == other.format;
        let may_be_the_same = match (self.origin, other.origin) {
            (Start(Some(_)) | Epoch, Start(Some(_)) | Epoch) => true,
            (Epoch, _) => return Some(format!("the times of {one} are since 1970, those of {two} are not")),
            (_, Epoch) => return Some(format!("the times of {two} are since 1970, those of {one} are not")),
            (Start(_), _) | (_, Start(_)) => false,
            (Unknown, Unknown) => is_common || !self.is_apart(other),
            // a format says of all its traces what it says of one
            (Unknown, _) | (_, Unknown) => !is_common && !self.is_apart(other),
            (first, second) => first == second,
        };
        (!may_be_the_same).then(|| format!("the times of {one} and {two} count from different moments"))
    }

    /// Whether nothing in one log happens during the other.
    fn is_apart(&self, other: &Clock<'_>) -> bool {
        match (self.range, other.range) {
            (Some([first, last]), Some([other_first, other_last])) => last < other_first || other_last < first,
            _ => false,
        }
    }
}
