//! Outcomes for people: a line for each check, followed by its explanation.

use super::total::CheckTotal;
use super::{Color, ReportEntry};
use crate::app::terminal::{ERROR, GOOD, WARNING, paint};
use crate::session::Verdict;

/// The word before the name, in its colour.
pub(crate) fn word(entry: &ReportEntry, color: Color) -> String {
    let is_doubtful = entry.outcome.vacuous || entry.outcome.warning.is_some();
    painted(entry.word(), entry.outcome.verdict, is_doubtful, color)
}

/// The word for all traces.
pub(crate) fn total_word(total: &CheckTotal, color: Color) -> String {
    let is_doubtful = total.is_vacuous() || total.first_doubtful().is_some();
    painted(total.word(), total.verdict(), is_doubtful, color)
}

fn painted(word: &str, verdict: Verdict, is_doubtful: bool, color: Color) -> String {
    let style = match verdict {
        Verdict::Holds if is_doubtful => WARNING,
        Verdict::Holds => GOOD,
        Verdict::Violated | Verdict::Error => ERROR,
    };
    paint(&format!("{word:<9}"), style, color == Color::On)
}

/// The name, its position in the script unless the check holds, and the lines of the explanation.
pub(crate) fn rest(entry: &ReportEntry) -> String {
    explained(&entry.check.name, entry.outcome.verdict, &entry.place(), &entry.lines())
}

/// The same for all traces.
pub(crate) fn total_rest(total: &CheckTotal) -> String {
    explained(&total.name, total.verdict(), &total.place(), &total.lines())
}

fn explained(name: &str, verdict: Verdict, place: &str, lines: &[String]) -> String {
    let place = if verdict == Verdict::Holds { String::new() } else { format!("  ({place})") };
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("{name}{place}\n{lines}")
}
