//! The picture of waits: which processes cannot go on when the trace ends, who could let them, and a deadlock among them.

use indexmap::IndexSet;
use serde_json::json;

use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::questions::TraceQuestions;

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "waits", is_of_event: false, make };

/// The most processes and the most waits that are shown.
const MOST: usize = 200;

/// A process that cannot go on.
struct BlockedProcess {
    name: String,
    on: String,
    /// Its last event.
    event: i64,
}

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let trace = &request.of().timeline.trace;
    if ["blocked", "pid", "inc", "served_at"].iter().any(|name| trace.schema().find(name).is_none()) {
        return None;
    }
    let mut questions = TraceQuestions::new(trace);
    let goal = "P = p(Pid, Inc), blocked(P, On), once(event([blocked=true, pid=Pid, inc=Inc, chrono=C]))";
    let blocked = questions.ask(goal, ["P", "On", "C"])?.into_iter();
    let process = |[name, on, event]: [String; 3]| Some(BlockedProcess { name, on, event: event.parse().ok()? });
    let blocked: Vec<BlockedProcess> = blocked.filter_map(process).collect();
    if blocked.is_empty() {
        return None;
    }
    let waits: IndexSet<[String; 2]> = questions.ask("waits_for(P, Q)", ["P", "Q"])?.into_iter().collect();
    let deadlock = questions.ask("once(cycle(L)), member(P, L)", ["P"])?;
    // those of the deadlock first
    let names = deadlock.iter().map(|[name]| name).chain(waits.iter().flatten());
    let mut nodes: IndexSet<&str> = names.chain(blocked.iter().map(|one| &one.name)).map(String::as_str).collect();
    let more = nodes.len().saturating_sub(MOST);
    nodes.truncate(MOST);
    let edge = |[from, to]: &[String; 2]| {
        let of = blocked.iter().find(|one| one.name == *from)?;
        Some((nodes.get_index_of(from.as_str())?, nodes.get_index_of(to.as_str())?, &of.on, of.event))
    };
    let edges: Vec<_> = waits.iter().filter_map(edge).take(MOST).collect();
    let cycle: Vec<usize> = deadlock.iter().filter_map(|[name]| nodes.get_index_of(name.as_str())).collect();
    let title = match more {
        0 => "waits at the end".to_string(),
        more => format!("waits at the end, without {more} processes"),
    };
    let row = |one: &BlockedProcess| {
        let waits = waits.iter().filter(|[from, _]| *from == one.name);
        let others: Vec<&str> = waits.map(|[_, to]| to.as_str()).collect();
        vec![
            PictureCell::event(one.event),
            PictureCell::text(&one.name),
            PictureCell::text(&one.on),
            PictureCell::text(others.join(", ")),
        ]
    };
    let rows = blocked.iter().take(MOST).map(row).collect();
    let table = PictureTable::new(&["event", "process", "blocked", "waits for"], rows);
    let data = json!({ "nodes": nodes.iter().collect::<Vec<_>>(), "edges": edges, "cycle": cycle, "more": more });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
}
