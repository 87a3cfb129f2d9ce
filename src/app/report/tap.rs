//! Outcomes in the Test Anything Protocol, version 14 (<https://testanything.org>).

use super::{Entry, one_line};
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

/// The plan, which stands at the end.
pub fn end(n_total: usize) -> String {
    let version = if n_total == 0 { "TAP version 14\n" } else { "" };
    format!("{version}1..{n_total}\n")
}
