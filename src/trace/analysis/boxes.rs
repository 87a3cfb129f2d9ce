//! The rules of boxes: a box is opened first, and then closed and reopened in turn.
//!
//! They are not checked while a trace is read, and breaking them is only a warning: a partial trace may begin and end
//! inside boxes.

use crate::trace::event::EventId;
use crate::trace::event::finding::{Finding, FindingSeverity, Findings};
use crate::trace::event::port::PortRole;
use crate::trace::relation::store::Trace;

/// Where a trace breaks the rules of boxes: `B1`, a box begins with an event that does not open it; `B2`, an event does
/// not fit the state of its box. Where the recorder may have lost events since the last event of a box, the next one fits any
/// state. A format whose boxes may end silently has rules of its own.
pub(crate) fn box_findings(trace: &Trace) -> Findings {
    let mut findings = Findings::default();
    if trace.origin().ends_silently {
        return findings;
    }
    let mut closed: Vec<Option<bool>> = vec![None; trace.n_calls()];
    let mut losses = trace.recording().losses(trace.n_events());
    losses.sort_unstable_by_key(|loss| loss.first);
    let mut losses = losses.into_iter().peekable();
    // events may be missing up to before this row
    let mut lost_until = 0;
    // for each box, the row after its last event
    let mut seen_until = vec![0; trace.n_calls()];
    for event in 0..trace.n_events() {
        while let Some(loss) = losses.next_if(|loss| loss.first <= event) {
            lost_until = lost_until.max(loss.before.saturating_add(1));
        }
        let Some(call) = trace.call(event) else { continue };
        let role = trace.port_role(event);
        let is_known = std::mem::replace(&mut seen_until[call.index()], event + 1) >= lost_until;
        if let Some((rule, what)) = misfit(role, closed[call.index()]).filter(|_| is_known) {
            findings.add(finding(trace, event, rule, format!("call {} is {what}", trace.call_number(call))));
        }
        closed[call.index()] = match role {
            PortRole::Inside => closed[call.index()].or(Some(false)),
            _ => Some(role == PortRole::Closes),
        };
    }
    findings
}

/// The rule that an event breaks. `was_closed` is the state of its box before, or none if the box is new.
fn misfit(role: PortRole, was_closed: Option<bool>) -> Option<(&'static str, &'static str)> {
    match (role, was_closed) {
        (PortRole::Reopens | PortRole::Closes, None) => Some(("B1", "not opened before this event")),
        (PortRole::Opens | PortRole::Alone, Some(_)) => Some(("B2", "opened a second time")),
        (PortRole::Reopens, Some(false)) => Some(("B2", "entered again while it is open")),
        (PortRole::Closes, Some(true)) => Some(("B2", "closed while it is not open")),
        _ => None,
    }
}

fn finding(trace: &Trace, event: EventId, rule: &'static str, message: String) -> Finding {
    let (chrono, line) = (Some(trace.chrono(event)), trace.source_line(event));
    Finding { rule, severity: FindingSeverity::Warning, chrono, line, message }
}
