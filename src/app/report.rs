//! How `check` writes outcomes: text, JSON Lines, TAP, JUnit XML.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::args::CheckForm;
use super::context::Context;
use super::out::Out;
use super::terminal::{ERROR, GOOD, WARNING, paint};
use crate::engine::GoalLine;
use crate::output::{Display, event_line, json};
use crate::session::{Check, Outcome, Verdict};
use crate::trace::Trace;

/// An assertion and what came out of it on a trace.
pub struct Entry {
    /// The assertion.
    pub check: Check,
    /// The trace.
    pub trace: Arc<Trace>,
    /// What came out.
    pub outcome: Outcome,
}

impl Entry {
    fn path(&self) -> String {
        self.trace.origin().path.display().to_string()
    }

    /// The lines of the witnesses, each with its place in the trace's file.
    fn witness_lines(&self) -> Vec<String> {
        let display = Display::of(&self.trace);
        let line = |event: &u32| {
            let place = self.trace.source_line(*event).map_or(String::new(), |line| format!(":{line}"));
            format!("{}{place}: {}", self.path(), event_line(&self.trace, *event, &display))
        };
        self.outcome.witnesses.iter().map(line).collect()
    }

    /// The message, below it the goals that led to an error.
    fn message(&self) -> String {
        let goals = self.outcome.goals.to_string();
        let line_break = if goals.is_empty() { "" } else { "\n" };
        format!("{}{line_break}{goals}", self.outcome.message)
    }

    /// `warning: the answer depends on ...`
    fn warning(&self) -> Option<String> {
        self.outcome.warning.as_ref().map(|warning| format!("warning: {warning}"))
    }

    /// `holds, vacuously`
    fn word(&self) -> &'static str {
        if self.outcome.vacuous { "vacuous" } else { self.outcome.verdict.word() }
    }
}

/// Writes outcomes as they come.
pub struct Report {
    out: Out,
    form: CheckForm,
    color: Color,
    n_total: usize,
    n_violated: usize,
    n_errors: usize,
    wrong_scripts: Vec<PathBuf>,
    n_traces: usize,
    /// The trace that the last line is about.
    path: String,
    suites: Vec<TestSuite>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    On,
    Off,
}

impl Report {
    /// A report in a form, about so many traces.
    pub fn new(form: CheckForm, n_traces: usize, context: &Context) -> Report {
        let color = if context.terminal.color_output { Color::On } else { Color::Off };
        Report {
            out: context.out.clone(),
            form,
            color,
            n_total: 0,
            n_violated: 0,
            n_errors: 0,
            wrong_scripts: Vec::new(),
            n_traces,
            path: String::new(),
            suites: Vec::new(),
        }
    }

    /// Counts a script with errors, once for all traces.
    pub fn wrong_script(&mut self, script: &Path) {
        if !self.wrong_scripts.iter().any(|known| known == script) {
            self.wrong_scripts.push(script.to_path_buf());
        }
    }

    /// Adds an outcome.
    pub fn add(&mut self, entry: Entry) -> io::Result<()> {
        self.n_total += 1;
        match entry.outcome.verdict {
            Verdict::Holds => {}
            Verdict::Violated => self.n_violated += 1,
            Verdict::Error => self.n_errors += 1,
        }
        match self.form {
            CheckForm::Text => self.text(&entry),
            CheckForm::Json => self.json(&entry),
            CheckForm::Tap => self.tap(&entry),
            CheckForm::Junit => {
                self.junit(&entry);
                Ok(())
            }
        }
    }

    /// Writes what comes last.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.form {
            CheckForm::Text => self.out.own(&self.totals()),
            CheckForm::Json => Ok(()),
            CheckForm::Tap if self.n_total == 0 => self.out.own("TAP version 14\n1..0\n"),
            CheckForm::Tap => self.out.own(&format!("1..{}\n", self.n_total)),
            CheckForm::Junit => {
                let mut report = quick_junit::Report::new("papaver");
                report.add_test_suites(std::mem::take(&mut self.suites));
                let text = report.to_string().map_err(io::Error::other)?;
                self.out.own(&text)
            }
        }
    }

    fn totals(&self) -> String {
        let checks = if self.n_total == 1 { "check" } else { "checks" };
        let scripts = match self.wrong_scripts.len() {
            0 => String::new(),
            1 => ", 1 script with errors".to_string(),
            many => format!(", {many} scripts with errors"),
        };
        let (total, violated, errors) = (self.n_total, self.n_violated, self.n_errors);
        format!("{total} {checks}, {violated} violated, {errors} with errors{scripts}\n")
    }

    /// Of several traces, names the one that the next lines are about.
    fn heading(&mut self, entry: &Entry) -> io::Result<()> {
        let path = entry.path();
        if self.n_traces < 2 || path == self.path {
            return Ok(());
        }
        self.path = path;
        self.out.data(&format!("trace {}\n", self.path))
    }

    fn text(&mut self, entry: &Entry) -> io::Result<()> {
        self.heading(entry)?;
        let style = match entry.outcome.verdict {
            Verdict::Holds if entry.outcome.vacuous || entry.outcome.warning.is_some() => WARNING,
            Verdict::Holds => GOOD,
            Verdict::Violated | Verdict::Error => ERROR,
        };
        self.out.own(&paint(&format!("{:<9}", entry.word()), style, self.color == Color::On))?;
        let mut text = entry.check.name.clone();
        if entry.outcome.verdict != Verdict::Holds {
            write!(text, "  ({}:{})", entry.check.script, entry.check.line).expect("writing to a string cannot fail");
        }
        text.push('\n');
        for line in entry.message().lines() {
            writeln!(text, "    {line}").expect("writing to a string cannot fail");
        }
        for line in entry.witness_lines().into_iter().chain(entry.warning()) {
            writeln!(text, "    {line}").expect("writing to a string cannot fail");
        }
        self.out.data(&text)
    }

    /// `{"check": ..., "trace": ..., "result": "violated", "vacuous": false, "message": ..., "events": [...]}`, and of an
    /// error in a rule also `"goals": [...]`, of an answer that should not be trusted also `"warning": ...`.
    fn json(&self, entry: &Entry) -> io::Result<()> {
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
        self.out.own(&line)
    }

    fn tap(&self, entry: &Entry) -> io::Result<()> {
        let mut text = String::new();
        if self.n_total == 1 {
            text.push_str("TAP version 14\n");
        }
        let result = if entry.outcome.verdict == Verdict::Holds { "ok" } else { "not ok" };
        let name = one_line(&entry.check.name).replace('\\', "\\\\").replace('#', "\\#");
        writeln!(text, "{result} {} - {name} ({})", self.n_total, one_line(&entry.path())).expect("a string");
        for line in entry.message().lines().map(str::to_string).chain(entry.witness_lines()).chain(entry.warning()) {
            writeln!(text, "# {}", one_line(&line)).expect("writing to a string cannot fail");
        }
        self.out.own(&text)
    }

    /// A suite a trace; characters that XML cannot hold are shown.
    fn junit(&mut self, entry: &Entry) {
        let path = xml_safe(&entry.path());
        if self.suites.last().is_none_or(|suite| suite.name.as_str() != path) {
            self.suites.push(TestSuite::new(path.as_str()));
        }
        let kind = match entry.outcome.verdict {
            Verdict::Holds => None,
            Verdict::Violated => Some(NonSuccessKind::Failure),
            Verdict::Error => Some(NonSuccessKind::Error),
        };
        let status = match kind {
            None => TestCaseStatus::success(),
            Some(kind) => {
                let mut status = TestCaseStatus::non_success(kind);
                status.set_message(xml_safe(&entry.outcome.message));
                let lines: Vec<String> =
                    entry.outcome.goals.lines.iter().map(GoalLine::to_string).chain(entry.witness_lines()).collect();
                status.set_description(xml_safe(&lines.join("\n")));
                status
            }
        };
        let mut case = TestCase::new(xml_safe(&entry.check.name), status);
        case.set_classname(xml_safe(&format!("{}:{}", entry.check.script, entry.check.line)));
        let vacuous = entry.outcome.vacuous.then(|| format!("vacuous: {}", entry.outcome.message));
        let notes: Vec<String> = vacuous.into_iter().chain(entry.warning()).collect();
        if !notes.is_empty() {
            case.set_system_out(xml_safe(&notes.join("\n")));
        }
        if let Some(suite) = self.suites.last_mut() {
            suite.add_test_case(case);
        }
    }
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

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// XML 1.0 has no control characters but tab and line ends.
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
