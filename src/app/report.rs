//! The report of `check`: each outcome as soon as it is known, and a summary. The folder has a file for each format.

mod github;
mod json;
mod junit;
mod tap;
mod text;
mod total;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_junit::TestSuite;

use self::total::{CheckTotal, CheckTotals};
use super::args::CheckForm;
use super::context::{CommandContext, PrintedError};
use super::out::Out;
use crate::output::{Display, event_line, is_long};
use crate::session::{Check, Outcome, Verdict};
use crate::trace::Trace;

/// An assertion and its outcome on a trace.
pub(crate) struct ReportEntry {
    /// The assertion.
    pub(crate) check: Check,
    /// The trace.
    pub(crate) trace: Arc<Trace>,
    /// The outcome.
    pub(crate) outcome: Outcome,
    /// The attributes that event lines show besides the default ones.
    pub(crate) shown: Vec<String>,
}

impl ReportEntry {
    fn path(&self) -> String {
        self.trace.origin().path.display().to_string()
    }

    /// `rules.pl:3:1`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}:{}", self.check.script, self.check.line, self.check.column)
    }

    /// The trace whose events the witnesses are.
    pub(crate) fn trace_of_witnesses(&self) -> &Trace {
        self.outcome.elsewhere.as_ref().map_or(&self.trace, |other| &other.0)
    }

    /// The event lines of the witnesses, each with its position in the trace's file.
    fn witness_lines(&self) -> Vec<String> {
        let trace = self.trace_of_witnesses();
        let mut display = Display::of(trace);
        for name in &self.shown {
            // An unknown name was reported when the trace was opened.
            let _ = display.show(name, trace);
        }
        let path = trace.origin().path.display();
        let line = |event: &u32| {
            let place = trace.source_place(*event).map_or(String::new(), |place| format!(":{place}"));
            let whole = event_line(trace, *event, &display);
            let shown = if is_long(&whole) { event_line(trace, *event, &display.brief()) } else { whole };
            format!("{path}{place}: {shown}")
        };
        self.outcome.witnesses.iter().map(line).collect()
    }

    /// The message, followed by the goals that led to an error.
    fn message(&self) -> String {
        let goals = self.outcome.goals.to_string();
        let line_break = if goals.is_empty() { "" } else { "\n" };
        format!("{}{line_break}{goals}", self.outcome.message)
    }

    /// `warning: the answer depends on ...`
    fn warning(&self) -> Option<String> {
        self.outcome.warning.as_ref().map(|warning| format!("warning: {warning}"))
    }

    /// `holds`, `violated`, `error`, or `vacuous` if it holds vacuously.
    pub(crate) fn word(&self) -> &'static str {
        match self.outcome.verdict {
            Verdict::Holds if self.outcome.vacuous => "vacuous",
            verdict => verdict.word(),
        }
    }

    /// Message, goals, witnesses and warning, each on its own line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let message = self.message();
        message.lines().map(str::to_string).chain(self.witness_lines()).chain(self.warning()).collect()
    }
}

/// Writes outcomes as soon as they are known.
pub(crate) struct Report {
    out: Out,
    form: Option<CheckForm>,
    color: Color,
    n_total: usize,
    n_violated: usize,
    n_errors: usize,
    n_faults: usize,
    wrong_scripts: Vec<PathBuf>,
    n_traces: usize,
    /// The trace that the last line is about.
    path: String,
    suites: Vec<TestSuite>,
    keeping: Keeping,
    kept: Vec<ReportEntry>,
    /// The outcomes about all traces, if those about each are not written.
    totals: Option<CheckTotals>,
}

/// What has an outcome in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportExtent {
    /// Each check on each trace.
    EachTrace,
    /// Each check on all traces together.
    Total,
}

/// Whether the outcomes are kept after they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// They are, for a page.
    Kept,
    Dropped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    On,
    Off,
}

impl Report {
    /// A report in a format, on a number of traces; without a format, nothing is written.
    pub(crate) fn new(
        form: Option<CheckForm>,
        extent: ReportExtent,
        n_traces: usize,
        context: &CommandContext,
        keeping: Keeping,
    ) -> Report {
        let color = if context.terminal.color_output { Color::On } else { Color::Off };
        Report {
            out: context.out.clone(),
            form,
            color,
            n_total: 0,
            n_violated: 0,
            n_errors: 0,
            n_faults: 0,
            wrong_scripts: Vec::new(),
            n_traces,
            path: String::new(),
            suites: Vec::new(),
            keeping,
            kept: Vec::new(),
            totals: (extent == ReportExtent::Total).then(CheckTotals::default),
        }
    }

    /// The outcomes so far, if they are kept.
    pub(crate) fn take_kept(&mut self) -> Vec<ReportEntry> {
        std::mem::take(&mut self.kept)
    }

    /// Counts a script with errors, once for all traces.
    pub(crate) fn wrong_script(&mut self, script: &Path) {
        if !self.wrong_scripts.iter().any(|known| known == script) {
            self.wrong_scripts.push(script.to_path_buf());
        }
    }

    /// The outcomes that follow are about another trace.
    pub(crate) fn next_trace(&mut self) {
        self.totals.iter_mut().for_each(CheckTotals::next_trace);
    }

    /// Adds an outcome.
    pub(crate) fn add(&mut self, entry: ReportEntry) -> io::Result<()> {
        let written = match &mut self.totals {
            Some(totals) => {
                totals.add(&entry);
                Ok(())
            }
            None => {
                self.count(entry.outcome.verdict);
                self.write(&entry)
            }
        };
        if self.keeping == Keeping::Kept {
            self.kept.push(entry);
        }
        written
    }

    fn count(&mut self, verdict: Verdict) {
        self.n_total += 1;
        match verdict {
            Verdict::Holds => {}
            Verdict::Violated => self.n_violated += 1,
            Verdict::Error => self.n_errors += 1,
        }
    }

    fn write(&mut self, entry: &ReportEntry) -> io::Result<()> {
        match self.form {
            None => Ok(()),
            Some(CheckForm::Text) => self.text(entry),
            Some(CheckForm::Json) => self.out.own(&json::line(entry)),
            Some(CheckForm::Tap) => self.out.data(&tap::lines(entry, self.n_total + self.n_faults)),
            Some(CheckForm::Github) => self.out.data(&github::annotations(entry)),
            Some(CheckForm::Junit) => {
                junit::add(&mut self.suites, entry);
                Ok(())
            }
        }
    }

    fn write_total(&mut self, total: &CheckTotal) -> io::Result<()> {
        self.count(total.verdict());
        match self.form {
            None => Ok(()),
            Some(CheckForm::Text) => {
                self.out.own(&text::total_word(total, self.color))?;
                self.out.data(&text::total_rest(total))
            }
            Some(CheckForm::Json) => self.out.own(&json::total(total)?),
            Some(CheckForm::Tap) => self.out.data(&tap::total(total, self.n_total + self.n_faults)),
            Some(CheckForm::Github) => self.out.data(&github::total(total)),
            Some(CheckForm::Junit) => {
                junit::add_total(&mut self.suites, total);
                Ok(())
            }
        }
    }

    /// Adds an error because of which outcomes may be missing; in text form it is only on standard error.
    pub(crate) fn fault(&mut self, fault: &PrintedError) -> io::Result<()> {
        self.n_faults += 1;
        match self.form {
            None | Some(CheckForm::Text) => Ok(()),
            Some(CheckForm::Json) => self.out.own(&json::fault(fault)),
            Some(CheckForm::Tap) => self.out.data(&tap::fault(fault, self.n_total + self.n_faults)),
            Some(CheckForm::Github) => self.out.data(&github::fault(fault)),
            Some(CheckForm::Junit) => {
                junit::add_fault(&mut self.suites, fault);
                Ok(())
            }
        }
    }

    fn text(&mut self, entry: &ReportEntry) -> io::Result<()> {
        let path = entry.path();
        if self.n_traces > 1 && path != self.path {
            self.out.data(&format!("trace {path}\n"))?;
            self.path = path;
        }
        self.out.own(&text::word(entry, self.color))?;
        self.out.data(&text::rest(entry))
    }

    /// Writes the end of the report.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let totals = self.totals.as_mut().map(CheckTotals::take);
        totals.into_iter().flatten().try_for_each(|total| self.write_total(&total))?;
        match self.form {
            Some(CheckForm::Text | CheckForm::Github) => self.out.own(&self.totals()),
            None | Some(CheckForm::Json) => Ok(()),
            Some(CheckForm::Tap) => self.out.own(&tap::end(self.n_total + self.n_faults)),
            Some(CheckForm::Junit) => self.out.own(&junit::report(std::mem::take(&mut self.suites))?),
        }
    }

    fn totals(&self) -> String {
        let checks = if self.n_total == 1 { "check" } else { "checks" };
        let scripts = match self.wrong_scripts.len() {
            0 => String::new(),
            1 => ", 1 script with errors".to_string(),
            many => format!(", {many} scripts with errors"),
        };
        let traces = self.totals.as_ref().map_or(String::new(), |totals| format!(" of {}", n_traces(totals.n_traces)));
        let (total, violated, errors) = (self.n_total, self.n_violated, self.n_errors);
        format!("{total} {checks}{traces}, {violated} violated, {errors} with errors{scripts}\n")
    }
}

/// `rules.pl:3:5: expected ...`
fn fault_line(fault: &PrintedError) -> String {
    fault.place.iter().map(|place| format!("{place}: ")).chain([fault.message.clone()]).collect()
}

/// `1 trace`, `3 traces`
fn n_traces(number: usize) -> String {
    format!("{number} {}", if number == 1 { "trace" } else { "traces" })
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
