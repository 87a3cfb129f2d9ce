//! `papaver diff`: where two traces part, which calls only one of them has, and how often each procedure was called.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use indexmap::IndexMap;
use serde::Serialize;

use super::args::Common;
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::status::Status;
use super::table::Table;
use crate::output::json::{self, JsonPairs, event_of_terms};
use crate::output::{Display, event_line};
use crate::session::calls_of;
use crate::trace::{
    Alignment, AttributeId, CallId, Difference, EventId, Trace, align, first_difference, known_attribute,
};

/// `papaver diff`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  papaver diff before.trace after.trace
  papaver diff --ignore args,depth monday.jsonl tuesday.jsonl
  papaver diff -q before.trace after.trace --to json

Events are compared one by one in port, procedure, depth, arguments, result and goal path. Calls
correspond if their callers do and if they have the same procedure and arguments.
Exit status, as of diff: 0 if the traces are equal, 1 if they differ, 2 for an error.")]
pub(crate) struct DiffArgs {
    /// The one trace
    #[arg(value_name = "A")]
    pub(crate) one: PathBuf,
    /// The other trace; their formats may differ
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,
    /// Take events and calls for equal that differ only in these attributes: `args,depth`
    #[arg(long, value_name = "ATTRIBUTES", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Show N events before and after the first difference
    #[arg(short = 'C', value_name = "N", id = "around", default_value_t = 3)]
    pub(crate) around: u32,
    /// How to write the comparison
    #[arg(long, value_enum, default_value_t = DiffForm::Text)]
    pub(crate) to: DiffForm,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// A way to write a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffForm {
    /// A page to read
    Text,
    /// One object
    Json,
}

/// Runs the command.
pub(crate) fn diff(args: &DiffArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let status = compare(args, &context).unwrap_or(Status::Error);
    context.finish(status)
}

fn compare(args: &DiffArgs, context: &CommandContext) -> Option<Status> {
    let paths = context.traces(&[args.one.clone(), args.other.clone()]);
    context.read_ahead(&paths);
    let [one, other] = paths.as_slice() else {
        context.error(None, "expected two traces to compare; `--merge` makes one of them");
        return None;
    };
    let described = |path| context.load(path).and_then(|trace| context.described(trace).ok());
    let traces = [described(one)?, described(other)?];
    let ignored = ignored(&args.ignore, &traces).map_err(|message| context.error(None, &message)).ok()?;
    let comparison = Comparison::new([one, other], &traces, &ignored);
    let text = match args.to {
        DiffForm::Text => comparison.page(args.around),
        DiffForm::Json => comparison.object(args.around),
    };
    let status = if comparison.difference.is_none() { Status::Yes } else { Status::No };
    let status = status.and(context.written(context.out.data(&text)));
    Some(traces.iter().fold(status, |status, trace| context.trusted(trace, status)))
}

/// The attributes with these names; those of the traces that are not compared anyway need no id.
fn ignored(names: &[String], traces: &[Arc<Trace>; 2]) -> Result<Vec<AttributeId>, String> {
    let mut ignored = Vec::new();
    for name in names {
        match known_attribute(name) {
            Some(id) => ignored.push(id),
            None if traces.iter().any(|trace| trace.schema().find(name).is_some()) => {}
            None => return Err(format!("no trace has the attribute `{name}`")),
        }
    }
    Ok(ignored)
}

/// What the comparison of two traces has found. Pairs hold the value of the one trace, then that of the other.
struct Comparison<'t> {
    paths: [&'t Path; 2],
    traces: [&'t Trace; 2],
    difference: Option<Difference>,
    /// The calls that have no partner.
    alone: [Vec<CallId>; 2],
    /// How often each procedure was called.
    calls: IndexMap<String, [u64; 2]>,
}

/// Names of the two traces on the page.
const SIDES: [&str; 2] = ["A", "B"];
/// The most calls of a trace, and the most procedures, that the page shows.
const MOST_SHOWN: usize = 10;

impl<'t> Comparison<'t> {
    fn new(paths: [&'t PathBuf; 2], traces: &'t [Arc<Trace>; 2], ignored: &[AttributeId]) -> Comparison<'t> {
        let traces = [&*traces[0], &*traces[1]];
        let Alignment { of_one, of_other } = align(traces[0], traces[1], ignored);
        let alone = |trace: &Trace, partners: &[Option<CallId>]| {
            trace.calls().filter(|call| partners[call.index()].is_none()).collect::<Vec<_>>()
        };
        let mut calls: IndexMap<String, [u64; 2]> = IndexMap::new();
        for (side, trace) in traces.into_iter().enumerate() {
            calls_of(trace).into_iter().for_each(|found| calls.entry(found.text).or_default()[side] = found.count);
        }
        Comparison {
            paths: paths.map(PathBuf::as_path),
            traces,
            difference: first_difference(traces[0], traces[1], ignored),
            alone: [alone(traces[0], &of_one), alone(traces[1], &of_other)],
            calls,
        }
    }

    /// The first events that differ; none for a trace that has ended.
    fn events(difference: &Difference) -> [Option<EventId>; 2] {
        [difference.one, difference.other]
    }

    /// The events around the first difference; in a trace that has ended, its last ones.
    fn around(&self, side: usize, difference: &Difference, around: u32) -> std::ops::Range<EventId> {
        let n_events = self.traces[side].n_events();
        let event = Self::events(difference)[side].unwrap_or(n_events);
        event.saturating_sub(around)..event.saturating_add(around).saturating_add(1).min(n_events)
    }

    fn names(&self, difference: &Difference) -> Vec<&str> {
        difference.attributes.iter().map(|id| &*self.traces[0].schema().get(*id).name).collect()
    }

    fn page(&self, around: u32) -> String {
        let mut page = String::new();
        self.write(&mut page, around).expect("writing to a string does not fail");
        page
    }

    fn write(&self, page: &mut String, around: u32) -> std::fmt::Result {
        for (side, trace) in SIDES.into_iter().zip(self.traces) {
            let path = trace.origin().path.display();
            writeln!(page, "{side}  {path}: {} events, {} calls", trace.n_events(), trace.n_calls())?;
        }
        match &self.difference {
            None => writeln!(page, "\nThe traces are equal.")?,
            Some(difference) => self.write_difference(page, difference, around)?,
        }
        for (side, name) in SIDES.into_iter().enumerate() {
            self.write_alone(page, side, name)?;
        }
        self.write_calls(page)
    }

    fn write_difference(&self, page: &mut String, difference: &Difference, around: u32) -> std::fmt::Result {
        let place = |side: usize| match Self::events(difference)[side] {
            Some(event) => format!("event {} of {}", self.traces[side].chrono(event), SIDES[side]),
            None => format!("the end of {}", SIDES[side]),
        };
        write!(page, "\nThe first difference: {} and {}", place(0), place(1))?;
        match self.names(difference).as_slice() {
            [] => writeln!(page)?,
            names => writeln!(page, " differ in {}", names.join(", "))?,
        }
        for (side, name) in SIDES.into_iter().enumerate() {
            writeln!(page)?;
            for event in self.around(side, difference, around) {
                let mark = if Self::events(difference)[side] == Some(event) { '>' } else { ' ' };
                writeln!(page, "{name} {mark} {}", event_line(self.traces[side], event, &Display::default()))?;
            }
            if Self::events(difference)[side].is_none() {
                writeln!(page, "{name} > (the trace ends)")?;
            }
        }
        Ok(())
    }

    /// The calls without a partner whose callers have one.
    fn write_alone(&self, page: &mut String, side: usize, name: &str) -> std::fmt::Result {
        let (trace, alone) = (self.traces[side], &self.alone[side]);
        if alone.is_empty() {
            return Ok(());
        }
        let mut is_alone = vec![false; trace.n_calls()];
        alone.iter().for_each(|call| is_alone[call.index()] = true);
        let is_top = |call: &&CallId| trace.parent(**call).is_none_or(|parent| !is_alone[parent.index()]);
        let tops: Vec<&CallId> = alone.iter().filter(is_top).collect();
        let with = if tops.len() < alone.len() { ", with those that they made" } else { "" };
        writeln!(page, "\nCalls only in {name}: {} of {}{with}", alone.len(), trace.n_calls())?;
        for call in tops.iter().take(MOST_SHOWN) {
            writeln!(page, "{name}   {}", event_line(trace, trace.call_first(**call), &Display::default()))?;
        }
        if tops.len() > MOST_SHOWN {
            writeln!(page, "{name}   and {} more", tops.len() - MOST_SHOWN)?;
        }
        Ok(())
    }

    /// The procedures that were called more often in one trace than in the other, the greatest difference first.
    fn write_calls(&self, page: &mut String) -> std::fmt::Result {
        let mut rows: Vec<(&String, &[u64; 2])> = self.calls.iter().filter(|(_, [one, other])| one != other).collect();
        if rows.is_empty() {
            return Ok(());
        }
        rows.sort_by_key(|(_, [one, other])| std::cmp::Reverse(one.abs_diff(*other)));
        let mut table = Table::new(["calls of", "A", "B", "B - A"].map(str::to_string).into());
        let mut lines = String::new();
        for (name, [one, other]) in rows.iter().take(MOST_SHOWN) {
            let change = i128::from(*other) - i128::from(*one);
            lines += &table.push(vec![(*name).clone(), one.to_string(), other.to_string(), format!("{change:+}")]);
        }
        write!(page, "\n{lines}{}", table.finish())?;
        if rows.len() > MOST_SHOWN {
            writeln!(page, "and {} more procedures", rows.len() - MOST_SHOWN)?;
        }
        Ok(())
    }

    fn object(&self, around: u32) -> String {
        let first = |difference: &Difference| FirstDifference {
            chronos: [0, 1].map(|side| Self::events(difference)[side].map(|event| self.traces[side].chrono(event))),
            attributes: self.names(difference).into_iter().map(str::to_string).collect(),
            events: [0, 1].map(|side| {
                self.around(side, difference, around).map(|event| event_of_terms(self.traces[side], event)).collect()
            }),
        };
        let numbers = |side: usize| self.alone[side].iter().map(|call| self.traces[side].call_number(*call)).collect();
        let object = ComparisonObject {
            equal: self.difference.is_none(),
            traces: self.paths.map(|path| path.display().to_string()),
            events: self.traces.map(Trace::n_events),
            n_calls: self.traces.map(Trace::n_calls),
            first_difference: self.difference.as_ref().map(first),
            only_in: [numbers(0), numbers(1)],
            calls: JsonPairs(self.calls.iter().collect()),
        };
        json::to_string(&object) + "\n"
    }
}

/// The comparison as `--to json` writes it.
#[derive(Serialize)]
struct ComparisonObject<'c, E> {
    equal: bool,
    traces: [String; 2],
    events: [EventId; 2],
    n_calls: [usize; 2],
    first_difference: Option<FirstDifference<E>>,
    /// Numbers of the calls without a partner.
    only_in: [Vec<i64>; 2],
    /// How often each procedure was called.
    calls: JsonPairs<&'c String, &'c [u64; 2]>,
}

#[derive(Serialize)]
struct FirstDifference<E> {
    /// Null for a trace that has ended.
    chronos: [Option<i64>; 2],
    attributes: Vec<String>,
    /// The events around it.
    events: [Vec<E>; 2],
}
