//! Outcomes for people: a line for each check, followed by its explanation.

use super::{Color, ReportEntry};
use crate::app::terminal::{ERROR, GOOD, WARNING, paint};
use crate::session::Verdict;

/// The word before the name, in its colour.
pub(crate) fn word(entry: &ReportEntry, color: Color) -> String {
    let style = match entry.outcome.verdict {
        Verdict::Holds if entry.outcome.vacuous || entry.outcome.warning.is_some() => WARNING,
        Verdict::Holds => GOOD,
        Verdict::Violated | Verdict::Error => ERROR,
    };
    paint(&format!("{:<9}", entry.word()), style, color == Color::On)
}

/// The name, its position in the script unless the check holds, and the lines of the explanation.
pub(crate) fn rest(entry: &ReportEntry) -> String {
    let mut text = entry.check.name.clone();
    if entry.outcome.verdict != Verdict::Holds {
        text.push_str(&format!("  ({})", entry.place()));
    }
    text.push('\n');
    for line in entry.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}
