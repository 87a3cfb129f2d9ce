//! What a recorder states about its trace in lines of their own: objects with the key `papaver`, at the start, at the end,
//! and where events were lost.

use super::own_value::OwnValue;
use super::value::{Json, JsonObject};
use crate::trace::{EventId, Gap, RecordedAt, TraceBuilder};

/// How such a line begins where it stands among lines that are not JSON.
pub(crate) const MARK: &[u8] = b"{\"papaver\"";

/// Keeps the facts of a header or trailer, and returns which of them it is; keeps a gap.
pub(crate) fn read(object: &JsonObject<'_>, builder: &mut TraceBuilder) -> Option<RecordedAt> {
    let at = match object.get("port").and_then(Json::text) {
        Some("gap") => {
            read_gap(object, builder);
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
        builder.recording().record(at, key, value.as_field());
    }
    if at == RecordedAt::End {
        builder.recording().is_unfinished |= object.get("unfinished") == Some(&Json::Bool(true));
    }
    Some(at)
}

/// Notes a place where events were lost.
fn read_gap(object: &JsonObject<'_>, builder: &mut TraceBuilder) {
    let number = |key| object.get(key).and_then(Json::integer).and_then(|number| u64::try_from(number).ok());
    let before = builder.n_events();
    let n_events = number("events").map_or(0, |number| EventId::try_from(number).unwrap_or(EventId::MAX));
    let first = before.saturating_sub(n_events);
    builder.recording().gap(Gap { first, before, lost: number("lost") });
}
