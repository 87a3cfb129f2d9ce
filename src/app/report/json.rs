//! Outcomes as JSON Lines.

use serde::Serialize;

use super::{ReportEntry, fault_line};
use crate::app::context::PrintedError;
use crate::engine::GoalLine;
use crate::output::json;

/// `{"check": ..., "trace": ..., "result": "violated", "vacuous": false, "message": ..., "events": [...]}`, with
/// `"goals": [...]` for an error in a rule, and `"warning": ...` for an outcome that should not be trusted.
#[derive(Serialize)]
struct OutcomeLine<'e> {
    check: Option<&'e str>,
    trace: Option<&'e str>,
    result: &'static str,
    vacuous: bool,
    message: &'e str,
    events: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    goals: Vec<GoalObject<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'e str>,
}

/// `{"predicate": "cost/2", "place": "rules.pl:3:5", "times": 1}`, `{"more": 7}`
#[derive(Serialize)]
#[serde(untagged)]
enum GoalObject<'e> {
    In { predicate: Option<&'e str>, place: Option<&'e str>, times: usize },
    More { more: usize },
}

/// The line of an outcome.
pub(crate) fn line(entry: &ReportEntry) -> String {
    let outcome = &entry.outcome;
    let line = OutcomeLine {
        check: Some(&entry.check.name),
        trace: Some(&entry.path()),
        result: outcome.verdict.word(),
        vacuous: outcome.vacuous,
        message: &outcome.message,
        events: outcome.witnesses.iter().map(|event| entry.trace_of_witnesses().chrono(*event)).collect(),
        goals: outcome.goals.lines.iter().map(goal).collect(),
        warning: outcome.warning.as_deref(),
    };
    json::to_string(&line) + "\n"
}

/// The line of an error because of which outcomes may be missing: `{"check": null, ..., "result": "error", ...}`.
pub(crate) fn fault(fault: &PrintedError) -> String {
    let line = OutcomeLine {
        check: None,
        trace: None,
        result: "error",
        vacuous: false,
        message: &fault_line(fault),
        events: Vec::new(),
        goals: Vec::new(),
        warning: None,
    };
    json::to_string(&line) + "\n"
}

fn goal(goal: &GoalLine) -> GoalObject<'_> {
    match goal {
        GoalLine::More(more) => GoalObject::More { more: *more },
        GoalLine::In { indicator, place, times } => {
            GoalObject::In { predicate: indicator.as_deref(), place: place.as_deref(), times: *times }
        }
    }
}
