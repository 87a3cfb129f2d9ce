//! Outcomes as JSON Lines.

use std::io;

use serde::Serialize;
use serde_json::value::RawValue;

use super::total::CheckTotal;
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

/// `{"check": ..., "result": "violated", "traces": 3, "holds": 1, "vacuous": 0, "violated": 2, "errors": 0, "first": {...}}`:
/// the numbers of traces, where `vacuous` counts some of those on which the check holds; and the line of the first outcome
/// that is violated or an error. `warning` is the first one about an outcome that should not be trusted.
#[derive(Serialize)]
struct TotalLine<'t> {
    check: &'t str,
    result: &'static str,
    traces: usize,
    holds: usize,
    vacuous: usize,
    violated: usize,
    errors: usize,
    first: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
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

/// The line of the outcomes on all traces.
pub(crate) fn total(total: &CheckTotal) -> io::Result<String> {
    let first = total.first_failing().map(|first| RawValue::from_string(first.json.trim_end().to_string()));
    let line = TotalLine {
        check: &total.name,
        result: total.verdict().word(),
        traces: total.n_traces,
        holds: total.n_holds(),
        vacuous: total.n_vacuous,
        violated: total.n_violated,
        errors: total.n_errors,
        first: first.transpose()?,
        warning: total.first_doubtful().map(|doubtful| format!("{}: {}", doubtful.path, doubtful.warning)),
    };
    Ok(json::to_string(&line) + "\n")
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
