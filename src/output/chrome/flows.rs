//! Arrows between events.

use crate::formats::drawing::{ArrowStart, Flow};
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, Trace, Value};

/// One end of an arrow: its event, with the number and the name of the arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FlowEnd {
    pub(crate) event: EventId,
    pub(crate) is_target: bool,
    pub(crate) id: u32,
    pub(crate) name: &'static str,
}

/// Both ends of every arrow, in the order of their events.
pub(crate) fn flow_ends(trace: &Trace, flows: &[Flow]) -> Vec<FlowEnd> {
    let mut ends = Vec::new();
    for flow in flows {
        for (source, target) in arrows(trace, flow) {
            let id = (ends.len() / 2) as u32 + 1;
            ends.push(FlowEnd { event: source, is_target: false, id, name: flow.name });
            ends.push(FlowEnd { event: target, is_target: true, id, name: flow.name });
        }
    }
    ends.sort_unstable();
    ends
}

/// The source and target of each arrow of a kind, in the order of the targets.
pub(crate) fn arrows(trace: &Trace, flow: &Flow) -> Vec<(EventId, EventId)> {
    let find = |name| trace.schema().find(name);
    let only = flow.only.map(|(name, value)| (find(name), value));
    let is_end = |event: &EventId| {
        trace.port(*event).is_some_and(|port| flow.ports.contains(&port.as_str()))
            && only.is_none_or(|(id, value)| id.is_some_and(|id| is_named(trace.value(*event, id), value)))
    };
    let sources = sources(trace, &flow.source);
    let number_of = |event: EventId, name| number(trace, event, find(name)?);
    let source = |event: EventId| match flow.source {
        ArrowStart::Chrono(name) => trace.find_chrono(number_of(event, name)?),
        ArrowStart::CallStart(name) => trace.find_call(number_of(event, name)?).map(|call| trace.call_first(call)),
        ArrowStart::Same(name, _) => sources.get(&number_of(event, name)?).copied(),
        ArrowStart::Before => before(trace, event),
    };
    let targets = (0..trace.n_events()).filter(is_end);
    targets.filter_map(|event| Some((source(event)?, event))).filter(|(source, target)| source != target).collect()
}

/// The previous event of the same call.
fn before(trace: &Trace, event: EventId) -> Option<EventId> {
    let events = trace.call_events(trace.call(event)?);
    events.binary_search(&event).ok()?.checked_sub(1).map(|place| events[place])
}

/// The first event with each value of the attribute that identifies sources; empty for other sources.
fn sources(trace: &Trace, source: &ArrowStart) -> HashMap<i64, EventId> {
    let mut first = HashMap::default();
    let ArrowStart::Same(_, name) = source else { return first };
    let Some(id) = trace.schema().find(name) else { return first };
    for event in 0..trace.n_events() {
        if let Some(number) = number(trace, event, id) {
            first.entry(number).or_insert(event);
        }
    }
    first
}

fn number(trace: &Trace, event: EventId, id: AttributeId) -> Option<i64> {
    match trace.value(event, id) {
        Value::Int(number) => Some(number),
        _ => None,
    }
}

fn is_named(value: Value<'_>, name: &str) -> bool {
    value.characters() == Some(name)
}
