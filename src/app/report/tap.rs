//! Outcomes in the Test Anything Protocol, version 14 (<https://testanything.org>).

use super::total::CheckTotal;
use super::{ReportEntry, fault_line, n_traces, one_line};
use crate::app::context::PrintedError;

/// The line of an outcome, with its explanation as comments; the version precedes the first one.
pub(crate) fn lines(entry: &ReportEntry, number: usize) -> String {
    told(number, entry.word(), &entry.check.name, &entry.path(), &entry.lines())
}

/// The line of the outcome on all traces.
pub(crate) fn total(total: &CheckTotal, number: usize) -> String {
    told(number, total.word(), &total.name, &n_traces(total.n_traces), &total.lines())
}

fn told(number: usize, word: &str, name: &str, on: &str, lines: &[String]) -> String {
    let version = if number == 1 { "TAP version 14\n" } else { "" };
    let (result, directive) = match word {
        "holds" => ("ok", ""),
        "vacuous" => ("ok", " # SKIP nothing to check"),
        _ => ("not ok", ""),
    };
    let name = one_line(name).replace('\\', "\\\\").replace('#', "\\#");
    let lines: String = lines.iter().map(|line| format!("# {}\n", one_line(line))).collect();
    format!("{version}{result} {number} - {name} ({}){directive}\n{lines}", one_line(on))
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
