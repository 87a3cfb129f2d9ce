//! All about one event, as the page shows it.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::picture::PageTrace;
use super::place::Place;
use super::term_tree::{TermTreeLimit, term_tree};
use super::timeline::Axis;
use crate::output::json::{self, JsonValue};
use crate::output::{Display, event_line};
use crate::trace::{AttributeId, EventId, Value};

/// How much of an event is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventLimit {
    /// Of its arguments.
    pub(crate) terms: TermTreeLimit,
    /// The most events of its stack, and the most children.
    pub(crate) events: usize,
    /// The most characters of an attribute.
    pub(crate) text: usize,
    /// Whether the lines of other events are told with them.
    pub(crate) lines: OtherLines,
}

/// Whether the lines of other events are told with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherLines {
    Told,
    /// They are told once for all events of a file.
    LeftOut,
}

/// What the server tells of an event.
pub(crate) const SERVED: EventLimit =
    EventLimit { terms: TermTreeLimit { nodes: 2000, depth: 40 }, events: 200, text: 10_000, lines: OtherLines::Told };

/// What a file tells of an event.
pub(crate) const STORED: EventLimit =
    EventLimit { terms: TermTreeLimit { nodes: 40, depth: 6 }, events: 30, text: 300, lines: OtherLines::LeftOut };

/// All about an event.
#[derive(Serialize)]
pub(crate) struct EventFacts {
    trace: usize,
    number: i64,
    line: String,
    place: Place,
    attributes: Vec<(String, String)>,
    args: Vec<Box<RawValue>>,
    stack: Vec<OtherEvent>,
    children: Vec<OtherEvent>,
    more_children: usize,
    partner: Vec<OtherEvent>,
    #[serde(rename = "box")]
    own_box: Option<BoxEdges>,
    near: Near,
    goal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<SourceExcerpt>,
}

/// An event to which another leads.
#[derive(Serialize)]
struct OtherEvent {
    number: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

/// The first and the last event of a box.
#[derive(Serialize)]
struct BoxEdges {
    first: i64,
    last: i64,
}

/// The positions some events before and after an event.
#[derive(Serialize)]
struct Near {
    number: (u64, u64),
    time: Option<(u64, u64)>,
}

/// Lines of a source file around one of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SourceExcerpt {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) text: Vec<(usize, String)>,
}

/// How far around an event the timeline goes when it jumps there.
const NEAR: EventId = 20;

/// The line of an event, as the prompt prints it, but not longer than `most` characters.
pub(crate) fn line(of: &PageTrace, event: EventId, most: usize) -> String {
    let mut display = Display::default();
    display.room = Some(most);
    event_line(&of.timeline.trace, event, &display)
}

/// All about an event of a trace.
pub(crate) fn event_facts(of: &PageTrace, event: EventId, limit: EventLimit) -> EventFacts {
    let trace = &*of.timeline.trace;
    let told = |limit: EventLimit, event: EventId, why| OtherEvent {
        number: trace.chrono(event),
        line: (limit.lines == OtherLines::Told).then(|| line(of, event, limit.text)),
        why,
    };
    let call = trace.call(event);
    let first_events = |calls: &mut dyn Iterator<Item = crate::trace::CallId>| -> Vec<OtherEvent> {
        calls.take(limit.events).map(|call| told(limit, trace.call_first(call), None)).collect()
    };
    let stack = call.map_or(Vec::new(), |call| first_events(&mut trace.ancestors(call)));
    let children = call.map_or(Vec::new(), |call| first_events(&mut trace.children(call)));
    let n_children = call.map_or(0, |call| trace.children(call).len());
    let other_end = |arrow: super::arrows::EventArrow| {
        let other = if arrow.from == event { arrow.to } else { arrow.from };
        told(limit, other, Some(arrow.kind))
    };
    EventFacts {
        trace: of.index,
        number: trace.chrono(event),
        line: line(of, event, limit.text),
        place: Place::of(&of.timeline, event),
        attributes: attributes(of, event, limit.text),
        args: arguments(of, event, limit.terms),
        stack,
        more_children: n_children - children.len(),
        children,
        partner: of.arrows().of(event).take(limit.events).map(other_end).collect(),
        own_box: call.map(|call| BoxEdges {
            first: trace.chrono(trace.call_first(call)),
            last: trace.chrono(trace.call_last(call)),
        }),
        near: near(of, event),
        goal: format!("goto({})", trace.chrono(event)),
        source: None,
    }
}

/// The events that an event leads to.
pub(crate) fn neighbours(of: &PageTrace, event: EventId) -> BTreeSet<EventId> {
    let trace = &*of.timeline.trace;
    let call = trace.call(event);
    let stack = call.into_iter().flat_map(|call| trace.ancestors(call)).take(STORED.events);
    let children = call.into_iter().flat_map(|call| trace.children(call)).take(STORED.events);
    let calls = stack.chain(children).map(|call| trace.call_first(call));
    let arrows = of.arrows().of(event).take(STORED.events).flat_map(|arrow| [arrow.from, arrow.to]);
    calls.chain(arrows).collect()
}

fn near(of: &PageTrace, event: EventId) -> Near {
    let last = of.timeline.trace.n_events().saturating_sub(1);
    let (from, to) = (event.saturating_sub(NEAR), event.saturating_add(NEAR).min(last));
    let on = |axis| (of.timeline.position(axis, from), of.timeline.position(axis, to));
    let (from_number, to_number) = on(Axis::Number);
    let time = of.timeline.times().map(|_| on(Axis::Time)).map(|(from, to)| (from.min(to), from.max(to)));
    Near { number: (from_number, to_number + 1), time }
}

/// The attributes that the event has, as texts; the arguments are told as trees.
fn attributes(of: &PageTrace, event: EventId, most: usize) -> Vec<(String, String)> {
    let trace = &*of.timeline.trace;
    let left_out = [AttributeId::ARGS, AttributeId::PROC];
    let there = trace.schema().iter().filter(|(id, _)| !left_out.contains(id) && !trace.is_computed(*id));
    let text = |id: AttributeId| match trace.value(event, id) {
        Value::Absent => None,
        value => Some(match (value.characters(), value) {
            (Some(text), _) => text.to_string(),
            (None, Value::Term(text) | Value::Json(text) | Value::BigInt(text)) => text.to_string(),
            (None, Value::Texts(texts)) => texts.whole().into_owned(),
            (None, value) => json::to_string(&JsonValue::value(trace, value)),
        }),
    };
    let shortened = |text: String| match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    there.filter_map(|(id, attribute)| Some((attribute.name.to_string(), shortened(text(id)?)))).collect()
}

fn arguments(of: &PageTrace, event: EventId, limit: TermTreeLimit) -> Vec<Box<RawValue>> {
    let Value::Args(list) = of.timeline.trace.value(event, AttributeId::ARGS) else { return Vec::new() };
    let tree = |text| RawValue::from_string(term_tree(text, limit)).ok();
    list.iter().take(limit.nodes).filter_map(tree).collect()
}
