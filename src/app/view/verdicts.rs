//! The outcomes of checks as a page tells them, the violated ones first.

use crate::app::report::ReportEntry;
use crate::session::Verdict;
use crate::trace::Trace;
use crate::view::{PageTrace, PageVerdict, PageWitness, Place, line};

/// The fact that names the rule of a derived trace.
const DERIVED: &str = "derived";
/// The most witnesses of one verdict.
const MOST_WITNESSES: usize = 1000;
/// The most characters of a line.
const MOST_LETTERS: usize = 1000;

/// The verdicts: violated, in error, then those that hold.
pub(super) fn verdicts(entries: &[ReportEntry], traces: &[PageTrace]) -> Vec<PageVerdict> {
    let mut ranked: Vec<&ReportEntry> = entries.iter().collect();
    ranked.sort_by_key(|entry| match entry.outcome.verdict {
        Verdict::Violated => 0,
        Verdict::Error => 1,
        Verdict::Holds => 2,
    });
    ranked.into_iter().filter_map(|entry| verdict(entry, traces)).collect()
}

fn verdict(entry: &ReportEntry, traces: &[PageTrace]) -> Option<PageVerdict> {
    // a derived trace is made again for checks, with the same events, and has the path of its source
    let on_page = |wanted: &Trace| traces.iter().find(|trace| is_same(&trace.timeline.trace, wanted));
    let of = on_page(&entry.trace)?;
    // a check may ask a trace that the page does not show: then only its lines are told
    let of_witnesses = on_page(entry.trace_of_witnesses());
    let witness = |event: &u32| {
        of_witnesses.map(|of| PageWitness {
            trace: of.index,
            event: of.timeline.trace.chrono(*event),
            line: line(of, *event, MOST_LETTERS),
            place: Place::of(&of.timeline, *event),
        })
    };
    let state = match entry.word() {
        "holds" if entry.outcome.warning.is_some() => "blind",
        word => word,
    };
    Some(PageVerdict {
        name: entry.check.name.clone(),
        state,
        place: entry.place(),
        rule: entry.check.text().to_string(),
        text: entry.lines(),
        trace: of.index,
        witnesses: entry.outcome.witnesses.iter().take(MOST_WITNESSES).filter_map(witness).collect(),
    })
}

/// Whether two traces come from the same file, and are derived by the same rule if they are derived.
fn is_same(one: &Trace, other: &Trace) -> bool {
    one.origin().path == other.origin().path && one.recording().fact(DERIVED) == other.recording().fact(DERIVED)
}
