//! Outcomes as JUnit XML: a suite for each trace.

use std::io;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::total::CheckTotal;
use super::{ReportEntry, fault_line, n_traces};
use crate::app::context::PrintedError;
use crate::engine::GoalLine;
use crate::session::Verdict;

/// The whole document.
pub(crate) fn report(suites: Vec<TestSuite>) -> io::Result<String> {
    let mut report = quick_junit::Report::new("papaver");
    report.add_test_suites(suites);
    report.to_string().map_err(io::Error::other)
}

/// Adds an outcome to the suite of its trace; characters that XML cannot hold are replaced.
pub(crate) fn add(suites: &mut Vec<TestSuite>, entry: &ReportEntry) {
    let path = xml_safe(&entry.path());
    if suites.last().is_none_or(|suite| suite.name.as_str() != path) {
        suites.push(TestSuite::new(path.as_str()));
    }
    let lines: Vec<String> =
        entry.outcome.goals.lines.iter().map(GoalLine::to_string).chain(entry.witness_lines()).collect();
    let status = status(entry.word(), &entry.outcome.message, &lines.join("\n"));
    let mut case = TestCase::new(xml_safe(&entry.check.name), status);
    case.set_classname(xml_safe(&entry.place()));
    if let Some(warning) = entry.warning() {
        case.set_system_out(xml_safe(&warning));
    }
    if let Some(suite) = suites.last_mut() {
        suite.add_test_case(case);
    }
}

/// Adds an outcome on all traces to the suite of these.
pub(crate) fn add_total(suites: &mut Vec<TestSuite>, total: &CheckTotal) {
    let name = n_traces(total.n_traces);
    if suites.last().is_none_or(|suite| suite.name.as_str() != name) {
        suites.push(TestSuite::new(name.as_str()));
    }
    let lines = total.lines().join("\n");
    let message = total.first_failing().map_or("nothing to check", |first| &first.message);
    let status = status(total.word(), &format!("{}: {message}", total.spread()), &lines);
    let mut case = TestCase::new(xml_safe(&total.name), status);
    case.set_classname(xml_safe(&total.place()));
    if total.verdict() == Verdict::Holds {
        case.set_system_out(xml_safe(&lines));
    }
    if let Some(suite) = suites.last_mut() {
        suite.add_test_case(case);
    }
}

/// The status of an outcome with this word. What had nothing to check is not passed, but skipped.
fn status(word: &str, message: &str, lines: &str) -> TestCaseStatus {
    let mut status = match word {
        "holds" => return TestCaseStatus::success(),
        "vacuous" => TestCaseStatus::skipped(),
        "violated" => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_message(xml_safe(message));
    status.set_description(xml_safe(lines));
    status
}

/// Adds an error because of which outcomes may be missing, as a suite of its own.
pub(crate) fn add_fault(suites: &mut Vec<TestSuite>, fault: &PrintedError) {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(xml_safe(&fault.message));
    let place = fault.place.as_deref().unwrap_or("papaver");
    let mut suite = TestSuite::new(xml_safe(place));
    suite.add_test_case(TestCase::new(xml_safe(&fault_line(fault)), status));
    suites.push(suite);
}

/// Replaces the characters that XML 1.0 cannot hold, such as control characters other than tabs and line ends.
fn xml_safe(text: &str) -> String {
    let illegal =
        |c: char| (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if illegal(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_for_xml() {
        assert_eq!(xml_safe("a\u{1}b\tc\u{1b}"), "a\u{fffd}b\tc\u{fffd}");
    }
}
