//! The picture of two traces side by side, from shortly before their first difference.

use serde_json::{Value, json};

use super::event;
use super::picture::{PageTrace, Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use crate::trace::{Difference, EventId, align_events, first_difference};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "compare", is_of_event: false, make };

/// The events before the first difference, and the most from there on.
const BEFORE: EventId = 10;
const MOST: EventId = 200;
/// The most characters of a line.
const MOST_LETTERS: usize = 200;

/// An event of each trace, or of one.
type ComparedEvents = (Option<EventId>, Option<EventId>);

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let [left, right, ..] = request.traces else { return None };
    if request.trace != left.index {
        return None;
    }
    let traces = [&*left.timeline.trace, &*right.timeline.trace];
    let difference = first_difference(traces[0], traces[1], &[]);
    let at = difference.as_ref().and_then(|found| found.one.or(found.other));
    let rows = at.map_or(Vec::new(), |at| rows(left, right, at));
    let is_first =
        |row: &ComparedEvents| difference.as_ref().is_some_and(|Difference { one, other, .. }| *row == (*one, *other));
    let is_other = |row: &ComparedEvents| row.0.is_none() || row.1.is_none() || is_first(row);
    let first = rows.iter().position(is_other);
    let side = |of: &PageTrace, event: Option<EventId>| match event {
        Some(event) => (json!(of.timeline.trace.chrono(event)), event::line(of, event, MOST_LETTERS)),
        None => (Value::Null, String::new()),
    };
    let drawn = |row: &ComparedEvents| {
        let ((one, line), (other, other_line)) = (side(left, row.0), side(right, row.1));
        json!([one, line, other, other_line, if is_other(row) { "differs" } else { "same" }])
    };
    let drawn: Vec<Value> = rows.iter().map(drawn).collect();
    let number = |of: &PageTrace, event: Option<EventId>| {
        event.map_or(String::new(), |event| of.timeline.trace.chrono(event).to_string())
    };
    let row = |row: &ComparedEvents| {
        let one = match row.0 {
            Some(event) => PictureCell::event(left.timeline.trace.chrono(event)),
            None => PictureCell::text(""),
        };
        vec![one, PictureCell::text(number(right, row.1))]
    };
    let rows_of_table = rows.iter().filter(|row| is_other(row)).map(row).collect();
    let table = PictureTable::new(&["only in the left", "only in the right"], rows_of_table);
    let most = traces.iter().map(|trace| trace.n_events()).max().unwrap_or(0);
    let more = at.map_or(0, |at| most.saturating_sub(at.saturating_add(MOST)));
    let title = match more {
        0 => "side by side".to_string(),
        more => format!("side by side, without the last {more} events"),
    };
    let data = json!({ "left": left.index, "right": right.index, "rows": drawn, "first": first, "more": more });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
}

/// The events around the first difference: partners face each other, and those between stand alone.
fn rows(left: &PageTrace, right: &PageTrace, at: EventId) -> Vec<ComparedEvents> {
    let traces = [&*left.timeline.trace, &*right.timeline.trace];
    let mut rows: Vec<ComparedEvents> =
        (at.saturating_sub(BEFORE)..at).map(|event| (Some(event), Some(event))).collect();
    let end = |of: usize| traces[of].n_events().min(at.saturating_add(MOST));
    let mut next = (at, at);
    let pairs = align_events(traces[0], traces[1], at..at.saturating_add(MOST));
    for (one, other) in pairs.iter().copied().chain([(end(0), end(1))]) {
        rows.extend((next.0..one).map(|event| (Some(event), None)));
        rows.extend((next.1..other).map(|event| (None, Some(event))));
        if one < end(0) && other < end(1) {
            rows.push((Some(one), Some(other)));
        }
        next = (one + 1, other + 1);
    }
    rows
}
