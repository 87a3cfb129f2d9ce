//! Outcomes as annotations of GitHub Actions, which it shows beside the lines of the script
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use super::total::CheckTotal;
use super::{ReportEntry, n_traces};
use crate::app::context::PrintedError;
use crate::session::Verdict;

/// `::error file=rules.pl,line=3,col=1,title=violated: NAME (TRACE)::WHY`; nothing for a check that simply holds.
pub(crate) fn annotations(entry: &ReportEntry) -> String {
    let outcome = &entry.outcome;
    let level = match outcome.verdict {
        Verdict::Violated | Verdict::Error => "error",
        Verdict::Holds if outcome.vacuous || outcome.warning.is_some() => "warning",
        Verdict::Holds => return String::new(),
    };
    let title = format!("{}: {} ({})", entry.word(), entry.check.name, entry.path());
    let place = (entry.check.script.as_str(), entry.check.line, entry.check.column);
    annotation(level, place, &title, &entry.lines())
}

/// One annotation for all traces.
pub(crate) fn total(total: &CheckTotal) -> String {
    let level = match total.verdict() {
        Verdict::Violated | Verdict::Error => "error",
        Verdict::Holds if total.is_vacuous() || total.first_doubtful().is_some() => "warning",
        Verdict::Holds => return String::new(),
    };
    let title = format!("{}: {} ({})", total.word(), total.name, n_traces(total.n_traces));
    annotation(level, (&total.script, total.line, total.column), &title, &total.lines())
}

fn annotation(level: &str, (script, line, column): (&str, usize, usize), title: &str, lines: &[String]) -> String {
    let (file, title, why) = (property(script), property(title), data(&lines.join("\n")));
    format!("::{level} file={file},line={line},col={column},title={title}::{why}\n")
}

/// `::error file=rules.pl,line=3,col=5::expected ...`
pub(crate) fn fault(fault: &PrintedError) -> String {
    let place = fault.place.as_deref().and_then(|place| {
        let mut parts = place.rsplitn(3, ':');
        let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some(format!(" file={},line={line},col={column}", property(file)))
    });
    format!("::error{}::{}\n", place.unwrap_or_default(), data(&fault.message))
}

/// Text after the second `::`, where a line break would end the annotation.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a colon or a comma would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
