//! The picture of a proof: the calls that contributed to the solution of a call; of a call without one, all that it called.

use serde_json::json;

use super::event;
use super::picture::{PageTrace, Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::svg::cut;
use crate::trace::{CallId, EventId, PortRole, ProofNode, Trace, last_exit, proof};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "proof", is_of_event: true, make };

/// The most calls that are shown, those nearest to the root.
const MOST: usize = 300;
/// The most characters of a line, and of a title.
const MOST_LETTERS: usize = 300;

/// A call of the picture.
struct FoldedCall<T> {
    of: T,
    children: Vec<usize>,
    /// The number of its children that are not shown.
    more: usize,
}

/// A call, and the event that is shown of it.
type ShownCall = (CallId, EventId);

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let of = request.of();
    let trace = &*of.timeline.trace;
    let event = request.event.or_else(|| first(trace))?;
    let call = trace.call(event)?;
    let solution = proof(trace, call, event).or_else(|| proof(trace, call, last_exit(trace, call)?));
    let (word, calls) = match solution.filter(|nodes| nodes.len() > 1) {
        Some(nodes) => ("proof", of_proof(&nodes)),
        None => {
            // a call that called nothing is shown with those beside it
            let root = match trace.children(call).len() {
                0 => trace.parent(call).unwrap_or(call),
                _ => call,
            };
            ("calls", of_calls(trace, root))
        }
    };
    let procedure = trace.proc_of(trace.call_first(calls[0].of.0)).map(|id| trace.proc(id).to_string());
    let title = format!("{word} of {}", cut(&procedure.unwrap_or_else(|| "a call".into()), MOST_LETTERS));
    let drawn = |one: &FoldedCall<ShownCall>| {
        let (call, event) = one.of;
        let line = event::line(of, event, MOST_LETTERS);
        let state = state(trace, call, event);
        json!({
            "number": trace.chrono(event), "line": line, "state": state, "children": one.children, "more": one.more,
        })
    };
    let drawn: Vec<_> = calls.iter().map(drawn).collect();
    let data = json!({ "nodes": drawn });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table: table(of, &calls), data })
}

/// The first event of a logic program.
fn first(trace: &Trace) -> Option<EventId> {
    let can_fail = trace.ports().any(|(_, port)| port.as_str() == "fail");
    (can_fail && trace.n_events() > 0).then_some(0)
}

/// The calls of a proof tree, whose nodes come before their children.
fn of_proof(nodes: &[ProofNode]) -> Vec<FoldedCall<ShownCall>> {
    let children = |node: usize| {
        let end = node + nodes[node].size;
        let next = move |child: &usize| Some(child + nodes.get(*child)?.size);
        std::iter::successors(Some(node + 1), next).take_while(move |child| *child < end)
    };
    let shown = |one: FoldedCall<usize>| {
        let FoldedCall { of, children, more } = one;
        FoldedCall { of: (nodes[of].call, nodes[of].exit), children, more }
    };
    folded(0, children).into_iter().map(shown).collect()
}

/// A call and all calls below it.
fn of_calls(trace: &Trace, root: CallId) -> Vec<FoldedCall<ShownCall>> {
    let shown = |call: CallId| (call, trace.call_last(call));
    folded(shown(root), |(call, _)| trace.children(call).map(shown))
}

/// A tree down to where it gets too large, parents before children.
fn folded<T: Copy, C: Iterator<Item = T>>(root: T, children: impl Fn(T) -> C) -> Vec<FoldedCall<T>> {
    let mut calls = vec![FoldedCall { of: root, children: Vec::new(), more: 0 }];
    let mut at = 0;
    while at < calls.len() {
        for child in children(calls[at].of) {
            if calls.len() < MOST {
                let place = calls.len();
                calls[at].children.push(place);
                calls.push(FoldedCall { of: child, children: Vec::new(), more: 0 });
            } else {
                calls[at].more += 1;
            }
        }
        at += 1;
    }
    calls
}

/// How a call ended: the port of the event if that ends it.
fn state(trace: &Trace, call: CallId, event: EventId) -> &'static str {
    let ends = trace.call(event) == Some(call) && trace.port_role(event) == PortRole::Closes;
    match trace.port(event).filter(|_| ends) {
        Some(port) => port.as_str(),
        None => "open",
    }
}

fn table(of: &PageTrace, calls: &[FoldedCall<ShownCall>]) -> PictureTable {
    let trace = &*of.timeline.trace;
    let row = |one: &FoldedCall<ShownCall>| {
        let (call, event) = one.of;
        let procedure = trace.proc_of(trace.call_first(call)).map_or("-".into(), |id| trace.proc(id).to_string());
        let told = trace.children(call).len();
        vec![
            PictureCell::text(cut(&procedure, MOST_LETTERS)),
            PictureCell::text(state(trace, call, event)),
            PictureCell::event(trace.chrono(event)),
            PictureCell::text(told),
        ]
    };
    PictureTable::new(&["procedure", "end", "event", "calls"], calls.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_tree_is_folded_from_below_and_tells_what_is_left_out() {
        // node N has the children 10 N + 1 to 10 N + 10
        let calls = folded(0_usize, |node| (1..=10).map(move |child| 10 * node + child));
        assert_eq!(calls.len(), MOST);
        let (told, more): (usize, usize) =
            (calls.iter().map(|one| one.children.len()).sum(), calls.iter().map(|one| one.more).sum());
        assert_eq!((told, told + more), (MOST - 1, 10 * MOST));
        assert_eq!(calls[1].children, [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    }
}
