//! The targets of moves other than searches for constraints.

use crate::engine::{BEFORE_FIRST, World, no_event_after};
use crate::term::Atom;
use crate::trace::{EventId, PortRole, Trace};

/// The target of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveTarget {
    /// The next event at a traced port.
    Next,
    /// The previous event at a traced port.
    Previous,
    /// The end of the call.
    Finish,
    /// The beginning of the call.
    Begin,
    /// The first event of the call.
    Retry,
    /// The first event of the trace.
    First,
    /// The last event of the trace.
    Last,
}

/// The ports at which `next`, `step` and the other moves stop.
#[derive(Clone, Debug)]
pub(crate) struct TracedPorts(Option<Vec<Atom>>);

impl TracedPorts {
    /// The ports of the parameter `traced_ports`, or by default those of the format.
    pub(crate) fn of(world: &World) -> TracedPorts {
        TracedPorts(world.desk.traced_ports.clone())
    }

    fn has(&self, trace: &Trace, event: EventId) -> bool {
        match &self.0 {
            None => trace.is_traced(event),
            Some(ports) => trace.port(event).is_some_and(|port| ports.contains(&port)),
        }
    }
}

/// The event that a move reaches from `cursor`, or why there is none.
pub(crate) fn target(trace: &Trace, cursor: u32, way: MoveTarget, traced: &TracedPorts) -> Result<EventId, String> {
    let n_events = trace.n_events();
    if n_events == 0 {
        return Err("the trace has no events".into());
    }
    match way {
        MoveTarget::First => Ok(0),
        MoveTarget::Last => Ok(n_events - 1),
        MoveTarget::Next => {
            let next = (cursor..n_events).find(|event| traced.has(trace, *event));
            next.ok_or_else(|| no_event_after(trace.chrono(n_events - 1)))
        }
        MoveTarget::Previous => {
            let previous = (0..cursor.saturating_sub(1)).rev().find(|event| traced.has(trace, *event));
            previous.ok_or_else(|| BEFORE_FIRST.into())
        }
        MoveTarget::Finish | MoveTarget::Begin | MoveTarget::Retry => in_call(trace, cursor, way, traced),
    }
}

/// The target of a move within the current call.
fn in_call(trace: &Trace, cursor: u32, way: MoveTarget, traced: &TracedPorts) -> Result<EventId, String> {
    let no_call = || "there is no current call".to_string();
    let event = cursor.checked_sub(1).ok_or_else(no_call)?;
    let begins = |event: EventId| matches!(trace.port_role(event), PortRole::Opens | PortRole::Reopens);
    let ends = |event: EventId| trace.port_role(event) == PortRole::Closes;
    match way {
        MoveTarget::Finish if ends(event) => return target(trace, cursor, MoveTarget::Next, traced),
        MoveTarget::Begin if begins(event) => return target(trace, cursor, MoveTarget::Previous, traced),
        _ => {}
    }
    let call = trace.call(event).ok_or_else(no_call)?;
    let events = trace.call_events(call);
    let here = events.partition_point(|other| *other < event);
    match way {
        MoveTarget::Finish => {
            let end = events[here..].iter().copied().find(|event| ends(*event));
            end.ok_or_else(|| format!("call {} never ends", trace.call_number(call)))
        }
        MoveTarget::Begin => {
            let begin = events[..here].iter().copied().rev().find(|event| begins(*event));
            begin.ok_or_else(|| format!("the beginning of call {} is not in the trace", trace.call_number(call)))
        }
        _ => Ok(trace.call_first(call)),
    }
}
