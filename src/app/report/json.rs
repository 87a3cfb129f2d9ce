//! Outcomes as JSON Lines.

use std::fmt::Write;

use super::{Entry, fault_line};
use crate::app::context::Fault;
use crate::engine::GoalLine;
use crate::output::json;

/// `{"check": ..., "trace": ..., "result": "violated", "vacuous": false, "message": ..., "events": [...]}`, and of an
/// error in a rule also `"goals": [...]`, of an answer that should not be trusted also `"warning": ...`.
pub fn line(entry: &Entry) -> String {
    let mut line = String::from("{\"check\": ");
    string(&mut line, &entry.check.name);
    line.push_str(", \"trace\": ");
    string(&mut line, &entry.path());
    let (result, vacuous) = (entry.outcome.verdict.word(), entry.outcome.vacuous);
    write!(line, ", \"result\": \"{result}\", \"vacuous\": {vacuous}, \"message\": ").expect("a string");
    string(&mut line, &entry.outcome.message);
    let chronos: Vec<String> =
        entry.outcome.witnesses.iter().map(|event| entry.trace.chrono(*event).to_string()).collect();
    write!(line, ", \"events\": [{}]", chronos.join(", ")).expect("writing to a string cannot fail");
    if !entry.outcome.goals.is_empty() {
        let goals: Vec<String> = entry.outcome.goals.lines.iter().map(json_goal).collect();
        write!(line, ", \"goals\": [{}]", goals.join(", ")).expect("writing to a string cannot fail");
    }
    if let Some(warning) = &entry.outcome.warning {
        line.push_str(", \"warning\": ");
        string(&mut line, warning);
    }
    line.push_str("}\n");
    line
}

/// The line of an error that may have kept outcomes from the report: `{"check": null, ..., "result": "error", ...}`.
pub fn fault(fault: &Fault) -> String {
    let mut line =
        String::from("{\"check\": null, \"trace\": null, \"result\": \"error\", \"vacuous\": false, \"message\": ");
    string(&mut line, &fault_line(fault));
    line.push_str(", \"events\": []}\n");
    line
}

/// `{"predicate": "cost/2", "place": "rules.pl:3:5", "times": 1}`, `{"more": 7}`
fn json_goal(goal: &GoalLine) -> String {
    let (indicator, place, times) = match goal {
        GoalLine::More(n) => return format!("{{\"more\": {n}}}"),
        GoalLine::In { indicator, place, times } => (indicator, place, times),
    };
    let mut text = String::from("{\"predicate\": ");
    let optional = |text: &mut String, value: &Option<String>| match value {
        Some(value) => string(text, value),
        None => text.push_str("null"),
    };
    optional(&mut text, indicator);
    text.push_str(", \"place\": ");
    optional(&mut text, place);
    write!(text, ", \"times\": {times}}}").expect("writing to a string cannot fail");
    text
}

fn string(line: &mut String, text: &str) {
    json::write_string(line, text).expect("writing to a string cannot fail");
}
