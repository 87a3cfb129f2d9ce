//! What a recorder states about its trace in lines of their own: objects with the key `papaver`, at the start, at the end,
//! and where events were lost.

use super::own_value::OwnValue;
use super::value::{Json, JsonObject};
use crate::trace::{EventId, Gap, RecordedAt, Recording, TraceBuilder};

/// How such a line begins where it stands among lines that are not JSON.
pub(crate) const MARK: &[u8] = b"{\"papaver\"";

/// Keeps the facts of a header or trailer, and returns which of them it is; keeps a gap.
pub(crate) fn read(object: &JsonObject<'_>, builder: &mut TraceBuilder) -> Option<RecordedAt> {
    let n_events = builder.n_events();
    keep(object, n_events, builder.recording())
}

/// The same for a line that stands before the event of the row `before`.
pub(crate) fn keep(object: &JsonObject<'_>, before: EventId, into: &mut Recording) -> Option<RecordedAt> {
    let at = match object.get("port").and_then(Json::text) {
        Some("gap") => {
            keep_gap(object, before, into);
            return None;
        }
        Some("trailer") => RecordedAt::End,
        Some("header") => RecordedAt::Start,
        // a line without a port that counts events is the last one
        _ if object.get("events").is_some() => RecordedAt::End,
        _ => RecordedAt::Start,
    };
    for (key, value) in object.0.iter().filter(|(key, _)| !matches!(&**key, "port" | "papaver" | "unfinished")) {
        let value = OwnValue::of(value);
        into.record(at, key, value.as_field());
    }
    if at == RecordedAt::End {
        into.is_unfinished |= object.get("unfinished") == Some(&Json::Bool(true));
    }
    Some(at)
}

/// Notes a place where events were lost.
fn keep_gap(object: &JsonObject<'_>, before: EventId, into: &mut Recording) {
    let number = |key| object.get(key).and_then(Json::integer).and_then(|number| u64::try_from(number).ok());
    let n_events = number("events").map_or(0, |number| EventId::try_from(number).unwrap_or(EventId::MAX));
    let first = before.saturating_sub(n_events);
    into.gap(Gap { first, before, lost: number("lost") });
}
