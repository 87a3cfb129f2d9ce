//! Outcomes in the Test Anything Protocol, version 14 (<https://testanything.org>).

use super::{ReportEntry, fault_line, one_line};
use crate::app::context::PrintedError;
use crate::session::Verdict;

/// The line of an outcome, with its explanation as comments; the version precedes the first one.
pub(crate) fn lines(entry: &ReportEntry, number: usize) -> String {
    let version = if number == 1 { "TAP version 14\n" } else { "" };
    let result = if entry.outcome.verdict == Verdict::Holds { "ok" } else { "not ok" };
    let name = one_line(&entry.check.name).replace('\\', "\\\\").replace('#', "\\#");
    let mut text = format!("{version}{result} {number} - {name} ({})\n", one_line(&entry.path()));
    for line in entry.lines() {
        text.push_str(&format!("# {}\n", one_line(&line)));
    }
    text
}

/// The line of an error because of which outcomes may be missing.
pub(crate) fn fault(fault: &PrintedError, number: usize) -> String {
    let version = if number == 1 { "TAP version 14\n" } else { "" };
    let line = one_line(&fault_line(fault)).replace('\\', "\\\\").replace('#', "\\#");
    format!("{version}not ok {number} - {line}\n")
}

/// The plan, which is the last line.
pub(crate) fn end(n_total: usize) -> String {
    let version = if n_total == 0 { "TAP version 14\n" } else { "" };
    format!("{version}1..{n_total}\n")
}
