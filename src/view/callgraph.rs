//! The picture of the call graph: the procedures of a trace with their calls and failures, and who called whom.

use std::cmp::Reverse;

use indexmap::IndexMap;
use serde_json::json;

use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::slices::flags;
use super::svg::cut;
use super::timeline::{Axis, Timeline};
use crate::trace::{CallId, EventId, ProcedureNode, ProcedureNodes};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "callgraph", is_of_event: false, make };

/// The most procedures that are shown, those that were called most, and the most pairs of them.
const MOST: usize = 200;
const MOST_PAIRS: usize = 1000;
/// The most characters of a name.
const MOST_LETTERS: usize = 300;

/// The calls of a procedure.
struct ProcedureCalls {
    node: ProcedureNode,
    n: usize,
    first: EventId,
    failed: usize,
    first_failed: EventId,
}

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let timeline = &request.of().timeline;
    let nodes = ProcedureNodes::new(&timeline.trace);
    let arcs = nodes.calls();
    if arcs.keys().all(|(caller, _)| caller.is_none()) {
        return None;
    }
    let mut procedures = procedures(timeline, &nodes);
    procedures.sort_by_key(|one| (Reverse(one.n), one.first));
    let more = procedures.len().saturating_sub(MOST);
    procedures.truncate(MOST);
    let place = |node: &ProcedureNode| procedures.iter().position(|one| one.node == *node);
    let pair = |((from, to), n): (&(ProcedureNode, ProcedureNode), &i64)| {
        Some((place(from).filter(|_| from.is_some())?, place(to)?, *n))
    };
    let mut edges: Vec<(usize, usize, i64)> = arcs.iter().filter_map(pair).collect();
    edges.sort_by_key(|(.., n)| Reverse(*n));
    let more_edges = edges.len().saturating_sub(MOST_PAIRS);
    edges.truncate(MOST_PAIRS);
    let title = match (more, more_edges) {
        (0, 0) => "call graph".to_string(),
        (0, _) => format!("call graph, without {more_edges} pairs with fewest calls"),
        _ => format!("call graph, without {more} procedures that were called least"),
    };
    let drawn = |one: &ProcedureCalls| json!({ "name": name(one.node), "count": one.n, "failed": one.failed });
    let drawn: Vec<_> = procedures.iter().map(drawn).collect();
    let data = json!({ "nodes": drawn, "edges": edges, "more": more });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table: table(timeline, &procedures), data })
}

/// The procedures with their calls, in the order of the first calls.
fn procedures(timeline: &Timeline, nodes: &ProcedureNodes<'_>) -> Vec<ProcedureCalls> {
    let trace = &*timeline.trace;
    let failed = failed(timeline);
    let mut procedures: IndexMap<ProcedureNode, ProcedureCalls> = IndexMap::new();
    for call in trace.calls() {
        let first = trace.call_first(call);
        let node = nodes.at(first);
        let new = ProcedureCalls { node, n: 0, first, failed: 0, first_failed: first };
        let procedure = procedures.entry(node).or_insert(new);
        procedure.n += 1;
        if failed[call.index()] {
            if procedure.failed == 0 {
                procedure.first_failed = first;
            }
            procedure.failed += 1;
        }
    }
    procedures.into_values().collect()
}

/// For each call whether it failed, or was left by an exception or with an error, the first time that it was left.
fn failed(timeline: &Timeline) -> Vec<bool> {
    let (trace, layout) = (&*timeline.trace, timeline.layout(Axis::Number));
    let mut failed = vec![false; trace.n_calls()];
    let is_first = |call: CallId, slice: usize| trace.call_first(call) == layout.first[slice];
    for slice in (0..layout.flags.len()).filter(|slice| layout.flags[*slice] & flags::FAILED != 0) {
        if let Some(call) = trace.call(layout.last[slice]).filter(|call| is_first(*call, slice)) {
            failed[call.index()] = true;
        }
    }
    failed
}

/// `name/arity`, or `name` if the trace does not state the arity.
fn name(node: ProcedureNode) -> String {
    match node {
        Some((name, Some(arity))) => format!("{}/{arity}", cut(name.as_str(), MOST_LETTERS)),
        Some((name, None)) => cut(name.as_str(), MOST_LETTERS),
        None => "-".to_string(),
    }
}

fn table(timeline: &Timeline, procedures: &[ProcedureCalls]) -> PictureTable {
    let cell = |n: usize, event: EventId| match n {
        0 => PictureCell::text(0),
        n => PictureCell::Event { text: n.to_string(), event: timeline.trace.chrono(event) },
    };
    let row = |one: &ProcedureCalls| {
        vec![PictureCell::text(name(one.node)), cell(one.n, one.first), cell(one.failed, one.first_failed)]
    };
    PictureTable::new(&["procedure", "calls", "failed"], procedures.iter().map(row).collect())
}
