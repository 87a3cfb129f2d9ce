//! A part of a trace as a trace of its own: some events, with the boxes of their calls closed.

use super::event_copy::EventCopy;
use crate::trace::{AttributeId, CallId, EventId, Field, PortRole, Trace, TraceBuilder};

/// The trace of these events, which are in order, and of the events that open, close or enter again the calls that they
/// belong to.
///
/// Events keep their numbers, and calls too. The call around a call is the innermost kept one, and depths count the kept
/// ones.
pub(crate) fn filtered(trace: &Trace, events: &[EventId]) -> Trace {
    let mut kept = vec![false; trace.n_events() as usize];
    let mut calls = KeptCalls { depths: vec![0; trace.n_calls()], around: vec![None; trace.n_calls()], trace };
    for event in events {
        kept[*event as usize] = true;
        if let Some(call) = trace.call(*event).filter(|call| calls.keep(*call)) {
            let is_edge = |event: &&EventId| !matches!(trace.port_role(**event), PortRole::Inside | PortRole::Alone);
            trace.call_events(call).iter().filter(is_edge).for_each(|event| kept[*event as usize] = true);
        }
    }
    calls.count_depths();
    let mut builder = TraceBuilder::new(trace.origin().clone());
    builder.recording().clone_from(trace.recording());
    (0..trace.n_events()).filter(|event| kept[*event as usize]).for_each(|event| {
        let mut copied = EventCopy::of(trace, event, &mut builder);
        copied.row.chrono = Some(trace.chrono(event));
        if let Some(call) = trace.call(event) {
            copied.row.depth = Some(calls.depths[call.index()]);
            copied.extra.retain(|(id, _)| *id != AttributeId::PARENT);
            let parent = calls.around[call.index()].map(|parent| Field::Int(trace.call_number(parent)));
            copied.extra.extend(parent.map(|parent| (AttributeId::PARENT, parent)));
        }
        copied.push(&mut builder);
    });
    builder.finish()
}

/// The calls that are kept, with their depths, which are 0 for the others, and the kept call around each.
struct KeptCalls<'t> {
    trace: &'t Trace,
    depths: Vec<i64>,
    around: Vec<Option<CallId>>,
}

impl KeptCalls<'_> {
    /// Keeps a call, and returns whether it was not.
    fn keep(&mut self, call: CallId) -> bool {
        std::mem::replace(&mut self.depths[call.index()], 1) == 0
    }

    fn count_depths(&mut self) {
        // a call begins after its parent
        for call in self.trace.calls() {
            let parent = self.trace.parent(call).filter(|parent| parent.index() < call.index());
            let is_kept = |call: &CallId| self.depths[call.index()] > 0;
            let around = parent.and_then(|parent| Some(parent).filter(is_kept).or(self.around[parent.index()]));
            self.around[call.index()] = around;
            if is_kept(&call) {
                self.depths[call.index()] = 1 + around.map_or(0, |around| self.depths[around.index()]);
            }
        }
    }
}
