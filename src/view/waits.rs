//! The picture of waits: which processes are blocked at an event or when the trace ends, on what, and who could let them
//! go on. A page holds the waits of the whole trace, and draws those at its cursor; it finds the deadlock among them.

use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::json;

use super::picture::{Picture, PictureKind, PictureRequest, PictureScope, PictureTable};
use super::questions::TraceQuestions;
use crate::trace::Trace;

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "waits", is_of_event: true, make };

/// The most stretches of each kind that a page holds, besides those that last to the end.
const MOST: usize = 2000;

/// A stretch of the trace: after an event until another, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    from: i64,
    to: Option<i64>,
}

impl Stretch {
    fn has(&self, number: i64) -> bool {
        self.from <= number && self.to.is_none_or(|to| number < to)
    }
}

/// When the processes of a trace are blocked, and who could let them go on, in order of their beginnings.
#[derive(Default)]
pub(super) struct ProcessWaits {
    /// A process, and what it waits for.
    blocked: Vec<(Stretch, [String; 2])>,
    /// A process, what it waits for, and the process that could let it go on.
    edges: Vec<(Stretch, [String; 3])>,
}

impl ProcessWaits {
    /// Finds them; none in a trace of another format.
    pub(super) fn new(trace: &Arc<Trace>) -> ProcessWaits {
        if ["blocked", "pid", "inc", "served_at"].iter().any(|name| trace.schema().find(name).is_none()) {
            return ProcessWaits::default();
        }
        let mut questions = TraceQuestions::new(trace);
        let blocked = questions.ask("blocked(P, On, From, To)", ["From", "To", "P", "On"]).unwrap_or_default();
        let edges = "'$waits_for'(P, On, Q, From, To)";
        let edges = questions.ask(edges, ["From", "To", "P", "On", "Q"]).unwrap_or_default();
        let mut waits = ProcessWaits {
            blocked: blocked
                .into_iter()
                .filter_map(|[from, to, p, on]| Some((stretch(&from, &to)?, [p, on])))
                .collect(),
            edges: edges
                .into_iter()
                .filter_map(|[from, to, p, on, q]| Some((stretch(&from, &to)?, [p, on, q])))
                .collect(),
        };
        waits.blocked.sort();
        waits.edges.sort();
        waits
    }
}

/// The end is `inf` if it is that of the trace.
fn stretch(from: &str, to: &str) -> Option<Stretch> {
    Some(Stretch { from: from.parse().ok()?, to: to.parse().ok() })
}

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let of = request.of();
    let trace = &of.timeline.trace;
    let waits = of.waits();
    if waits.blocked.is_empty() {
        return None;
    }
    let at = request.event.filter(|_| request.scope == PictureScope::Asked).map(|event| trace.chrono(event));
    // of a page that holds too much only the waits up to an event are complete
    let first_left_out = |stretches: &mut dyn Iterator<Item = &Stretch>| stretches.nth(MOST).map(|one| one.from);
    let blocked_until = first_left_out(&mut waits.blocked.iter().map(|one| &one.0));
    let edges_until = first_left_out(&mut waits.edges.iter().map(|one| &one.0));
    let until = blocked_until.into_iter().chain(edges_until).min();
    let is_kept = |stretch: &Stretch| match at {
        Some(number) => stretch.has(number),
        None => stretch.to.is_none() || until.is_none_or(|until| stretch.from < until),
    };
    let (mut processes, mut reasons) = (IndexSet::new(), IndexSet::new());
    let blocked = waits.blocked.iter().filter(|(stretch, _)| is_kept(stretch));
    let blocked: Vec<_> = blocked
        .map(|(stretch, [p, on])| {
            json!([processes.insert_full(p).0, reasons.insert_full(on).0, stretch.from, stretch.to])
        })
        .collect();
    let edges = waits.edges.iter().filter(|(stretch, _)| is_kept(stretch));
    let edges: Vec<_> = edges
        .map(|(stretch, [p, on, q])| {
            let (from, to) = (processes.insert_full(p).0, processes.insert_full(q).0);
            json!([from, to, reasons.insert_full(on).0, stretch.from, stretch.to])
        })
        .collect();
    let data = json!({
        "processes": Vec::from_iter(processes), "reasons": Vec::from_iter(reasons), "blocked": blocked, "edges": edges,
        "at": at, "until": until.filter(|_| at.is_none()),
    });
    // the page makes the table of the event at its cursor
    let table = PictureTable::new(&[], Vec::new());
    Some(Picture { kind: KIND.name, title: KIND.name.to_string(), trace: request.trace, table, data })
}
