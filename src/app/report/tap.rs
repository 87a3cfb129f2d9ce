//! Outcomes in the Test Anything Protocol, version 14 (<https://testanything.org>).

use super::{Entry, fault_line, one_line};
use crate::app::context::Fault;
use crate::session::Verdict;

/// The line of an outcome and, as comments, what shows why; before the first one the version.
pub fn lines(entry: &Entry, number: usize) -> String {
    let version = if number == 1 { "TAP version 14\n" } else { "" };
    let result = if entry.outcome.verdict == Verdict::Holds { "ok" } else { "not ok" };
    let name = one_line(&entry.check.name).replace('\\', "\\\\").replace('#', "\\#");
    let mut text = format!("{version}{result} {number} - {name} ({})\n", one_line(&entry.path()));
    for line in entry.lines() {
        text.push_str(&format!("# {}\n", one_line(&line)));
    }
    text
}

/// The line of an error that may have kept outcomes from the report.
pub fn fault(fault: &Fault, number: usize) -> String {
    let version = if number == 1 { "TAP version 14\n" } else { "" };
    let line = one_line(&fault_line(fault)).replace('\\', "\\\\").replace('#', "\\#");
    format!("{version}not ok {number} - {line}\n")
}

/// The plan, which stands at the end.
pub fn end(n_total: usize) -> String {
    let version = if n_total == 0 { "TAP version 14\n" } else { "" };
    format!("{version}1..{n_total}\n")
}
