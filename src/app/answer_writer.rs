//! Writes the answers of `query`: as text, JSON Lines, CSV, a table, a count, or not at all.

use std::io;
use std::ops::RangeInclusive;

use serde::Serialize;

use super::answer_text::{AnswerExtent, answer_text};
use super::args::{AnswerForm, QueryArgs};
use super::context::CommandContext;
use super::out::Out;
use super::query_total::Results;
use super::table::Table;
use super::timed_variables::TimedVariables;
use crate::output::json::{self, JsonPairs, JsonValue, event_of_terms, term_as_json};
use crate::output::{Display, event_line};
use crate::session::Answer;
use crate::syntax::ReadTerm;
use crate::term::Node;
use crate::term::ops::OpTable;
use crate::trace::{EventId, Trace};

/// The variable that holds a count.
pub(crate) const COUNT: &str = "Count";

/// Writes the answers of one command.
pub(crate) struct AnswerWriter {
    out: Out,
    form: WrittenForm,
    extent: AnswerExtent,
    around: Option<u32>,
    /// The attributes that event lines show besides the default ones.
    shown: Vec<String>,
    /// Whether answers name their trace, as they do with several traces.
    named: NamesOfTraces,
    path: String,
    n_answers: usize,
    n_groups: usize,
    bytes_before: u64,
    /// The columns of CSV or of a table, once the heading has been written.
    heading: Option<Heading>,
    table: Option<Table>,
    /// The variables whose values a table shows with units.
    timed: TimedVariables,
    lacks_event: bool,
    /// The answers that wait to be added up, with `--total`.
    results: Option<Results>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Heading {
    Variables,
    Chrono,
    Answer,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenForm {
    Text,
    Json,
    Csv,
    Table,
    None,
    Count,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NamesOfTraces {
    Yes,
    No,
}

/// `{"bindings": {"C": 673}, "event": {...}}`
#[derive(Serialize)]
struct AnswerLine<'a, E> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a String>,
    bindings: JsonPairs<&'a String, JsonValue<'a>>,
    /// The residual goals, which wait for variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    goals: Vec<JsonValue<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<E>,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<Vec<E>>,
}

/// An event and those before and after it.
fn events_around(trace: &Trace, event: EventId, around: u32) -> RangeInclusive<EventId> {
    let last = event.saturating_add(around).min(trace.n_events().saturating_sub(1));
    event.saturating_sub(around)..=last
}

/// Which answers have a text of their own beside the output of the goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineStarts {
    pub(super) is_text: bool,
    pub(super) shows_events: bool,
}

impl LineStarts {
    /// Whether the answer's text must begin on a new line, after any unfinished line of the goal's output.
    pub(crate) fn begins_line(self, answer: &Answer) -> bool {
        self.is_text && (self.shows_events && answer.event.is_some() || answer.says_something())
    }
}

impl AnswerWriter {
    /// A writer according to the options, for answers about so many traces.
    pub(crate) fn new(args: &QueryArgs, context: &CommandContext, n_traces: usize) -> AnswerWriter {
        let form = match args.to {
            _ if args.count => WrittenForm::Count,
            AnswerForm::Text => WrittenForm::Text,
            AnswerForm::Json => WrittenForm::Json,
            AnswerForm::Csv => WrittenForm::Csv,
            AnswerForm::Table => WrittenForm::Table,
            AnswerForm::None => WrittenForm::None,
        };
        AnswerWriter {
            out: context.out.clone(),
            form,
            extent: if context.terminal.output { AnswerExtent::Cut } else { AnswerExtent::Whole },
            around: args.around,
            shown: args.lines.show.clone(),
            named: if n_traces > 1 { NamesOfTraces::Yes } else { NamesOfTraces::No },
            path: String::new(),
            n_answers: 0,
            n_groups: 0,
            bytes_before: 0,
            heading: None,
            table: None,
            timed: TimedVariables::default(),
            lacks_event: false,
            results: args.total.then(Results::default),
        }
    }

    /// Begins the answers for a trace.
    pub(crate) fn begin(&mut self, trace: Option<&Trace>, goal: &ReadTerm) -> io::Result<()> {
        let path = trace.map_or(String::new(), |trace| trace.origin().path.display().to_string());
        self.begin_at(path, trace, goal)
    }

    /// Begins the answers for a trace at a path, which need not have been read.
    pub(crate) fn begin_at(&mut self, path: String, trace: Option<&Trace>, goal: &ReadTerm) -> io::Result<()> {
        self.path = path;
        self.n_answers = 0;
        self.bytes_before = self.out.bytes();
        if self.results.is_some() {
            return Ok(());
        }
        if self.form == WrittenForm::Table {
            self.timed = TimedVariables::of(goal, trace);
        }
        match (self.form, self.named) {
            (WrittenForm::Text, NamesOfTraces::Yes) => self.out.data(&format!("% {}\n", self.path)),
            (WrittenForm::Csv | WrittenForm::Table, _) => self.head_variables(goal),
            _ => Ok(()),
        }?;
        self.bytes_before = self.out.bytes();
        Ok(())
    }

    /// The number of answers for the current trace; with `--count`, the count itself.
    pub(crate) fn n_answers(&self) -> usize {
        self.n_answers
    }

    /// Where the texts of answers begin.
    pub(crate) fn line_starts(&self) -> LineStarts {
        LineStarts {
            is_text: self.form == WrittenForm::Text && self.results.is_none(),
            shows_events: self.around.is_some(),
        }
    }

    /// Writes an answer.
    pub(crate) fn answer(&mut self, answer: &Answer, trace: Option<&Trace>, ops: &OpTable) -> io::Result<()> {
        self.n_answers += 1;
        if let Some(results) = &mut self.results {
            results.push(answer.clone());
            return Ok(());
        }
        self.lacks_event |= self.around.is_some() && answer.event.is_none();
        match self.form {
            WrittenForm::Json | WrittenForm::Csv | WrittenForm::Table if answer.is_too_long() => {
                Err(io::Error::other("the answer is too long"))
            }
            WrittenForm::None => Ok(()),
            WrittenForm::Count => self.count(answer),
            WrittenForm::Text => self.text(answer, trace, ops),
            WrittenForm::Json => self.json(answer, trace),
            WrittenForm::Csv | WrittenForm::Table => self.row(answer, trace, ops),
        }
    }

    /// Writes a count of answers as one of `--count`.
    pub(crate) fn counted(&mut self, count: i64) -> io::Result<()> {
        self.n_answers = usize::try_from(count).unwrap_or(0);
        match self.named {
            NamesOfTraces::Yes => self.out.data(&format!("{}:{count}\n", self.path)),
            NamesOfTraces::No => self.out.own(&format!("{count}\n")),
        }
    }

    /// The results that wait to be added up.
    pub(crate) fn results(&mut self) -> Option<&mut Results> {
        self.results.as_mut()
    }

    /// Takes these results; from then on answers are written, those about all traces together.
    pub(crate) fn end_results(&mut self) -> Results {
        self.named = NamesOfTraces::No;
        self.results.take().unwrap_or_default()
    }

    /// Whether events around an answer should be shown, but some answer has no event.
    pub(crate) fn lacks_event(&self) -> bool {
        self.lacks_event
    }

    /// Writes the rows of a table that wait for others to determine its widths.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.table {
            Some(table) if self.n_answers > 0 => {
                let ready = table.flush();
                self.out.data(&ready)
            }
            _ => Ok(()),
        }
    }

    /// Writes the rest of the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let has_heading = matches!(self.form, WrittenForm::Csv | WrittenForm::Table);
        if has_heading && self.heading.is_none() && !self.path.is_empty() {
            self.head(Heading::Chrono, vec!["chrono".to_string()])?;
        }
        if let Some(table) = self.table.take() {
            self.out.data(&table.finish())?;
        }
        self.out.finish()
    }

    fn count(&mut self, answer: &Answer) -> io::Result<()> {
        let value = answer.values.iter().find(|(name, _)| name == COUNT).map(|(_, value)| answer.tree.node(*value));
        let Some(Node::Int(count)) = value else { return Ok(()) };
        self.counted(*count)
    }

    /// `X = 1, Y = a`; an answer without bindings is `true`, unless the goal has written something, as moves do.
    fn text(&mut self, answer: &Answer, trace: Option<&Trace>, ops: &OpTable) -> io::Result<()> {
        if let (Some(around), Some(event), Some(trace)) = (self.around, answer.event, trace) {
            self.group(trace, event, around)?;
        }
        let text = answer_text(answer, ops, self.extent);
        if !text.bindings.is_empty() {
            self.out.data(&format!("{}\n", text.bindings.join(", ")))?;
        } else if self.out.bytes() == self.bytes_before {
            self.out.own("true\n")?;
        }
        if let Some(cut) = text.cut {
            self.out.own(&format!("% {cut}\n"))?;
        }
        self.bytes_before = self.out.bytes();
        Ok(())
    }

    /// An event, marked, with the events around it; a separator comes between groups.
    fn group(&mut self, trace: &Trace, event: EventId, around: u32) -> io::Result<()> {
        if self.n_groups > 0 {
            self.out.own("--\n")?;
        }
        self.n_groups += 1;
        let mut display = Display::default();
        for name in &self.shown {
            // An unknown name was reported when the trace was opened.
            let _ = display.show(name, trace);
        }
        for shown in events_around(trace, event, around) {
            let mark = if shown == event { "> " } else { "  " };
            self.out.data(&format!("{mark}{}\n", event_line(trace, shown, &display)))?;
        }
        Ok(())
    }

    fn json(&mut self, answer: &Answer, trace: Option<&Trace>) -> io::Result<()> {
        let shown = answer.values.iter().filter(|(name, _)| !name.starts_with('_'));
        let moved = answer.event.zip(trace);
        let around = moved.zip(self.around).map(|((event, trace), around)| {
            events_around(trace, event, around).map(|shown| event_of_terms(trace, shown)).collect()
        });
        let line = AnswerLine {
            trace: (self.named == NamesOfTraces::Yes).then_some(&self.path),
            bindings: JsonPairs(shown.map(|(name, value)| (name, term_as_json(&answer.tree, *value))).collect()),
            goals: answer.goals.iter().map(|goal| term_as_json(&answer.tree, *goal)).collect(),
            event: moved.map(|(event, trace)| event_of_terms(trace, event)),
            around,
        };
        self.out.own(&(json::to_string(&line) + "\n"))
    }

    /// Writes the variables as the heading; without variables, the first answer decides about the column.
    fn head_variables(&mut self, goal: &ReadTerm) -> io::Result<()> {
        let names = goal.variables.iter().map(|(name, ..)| name.clone()).filter(|name| !name.starts_with('_'));
        let names: Vec<String> = names.collect();
        if names.is_empty() || self.heading.is_some() {
            return Ok(());
        }
        self.head(Heading::Variables, names)
    }

    fn head(&mut self, heading: Heading, names: Vec<String>) -> io::Result<()> {
        self.heading = Some(heading);
        let trace = (self.named == NamesOfTraces::Yes).then(|| "trace".to_string());
        let names = trace.into_iter().chain(names);
        if self.form == WrittenForm::Table {
            self.table = Some(Table::new(names.collect()));
            return Ok(());
        }
        self.record(names)
    }

    /// The values as text; without variables, the number of the event that the goal moved to, or `true`.
    fn row(&mut self, answer: &Answer, trace: Option<&Trace>, ops: &OpTable) -> io::Result<()> {
        let path = (self.named == NamesOfTraces::Yes).then(|| self.path.clone());
        let values = answer.values.iter().filter(|(name, _)| !name.starts_with('_'));
        let mut fields: Vec<String> = values.map(|(name, value)| self.timed.text(answer, name, *value, ops)).collect();
        if fields.is_empty() {
            let chrono = answer.event.zip(trace).map(|(event, trace)| trace.chrono(event).to_string());
            match (self.heading, &chrono) {
                (None, Some(_)) => self.head(Heading::Chrono, vec!["chrono".to_string()])?,
                (None, None) => self.head(Heading::Answer, vec!["answer".to_string()])?,
                _ => {}
            }
            let is_chrono = self.heading == Some(Heading::Chrono);
            fields.push(if is_chrono { chrono.unwrap_or_default() } else { "true".to_string() });
        }
        self.record(path.into_iter().chain(fields))
    }

    fn record(&mut self, fields: impl Iterator<Item = String>) -> io::Result<()> {
        if let Some(table) = &mut self.table {
            let ready = table.push(fields.collect());
            return self.out.data(&ready);
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        let fields: Vec<String> = fields.collect();
        writer.write_record(&fields).map_err(io::Error::other)?;
        let line = writer.into_inner().map_err(|error| error.into_error())?;
        self.out.own(&String::from_utf8_lossy(&line))
    }
}
