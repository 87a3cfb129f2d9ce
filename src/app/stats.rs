//! `papaver stats`: the profile of a trace, a row for each procedure or for each value of other attributes.

use std::path::Path;
use std::sync::Arc;

use super::args::{LineOptions, StatsArgs};
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::profile_ahead::{FoundProfile, NoProfile, ProfileAhead, ProfileGoal};
use super::stats_table::{COLUMNS, StatsRow, StatsTable, TimeUnit};
use super::stats_total::StatsTotal;
use super::status::Status;
use super::work_ahead::{FoundAhead, ThreadWork, WorkAhead};
use crate::output::counts_nanoseconds;
use crate::session::{Answer, Moves, has_windows};
use crate::term::ops::OpTable;
use crate::term::{Node, NodeId};
use crate::trace::{GroupName, Trace};

/// Runs the command.
pub(crate) fn stats(args: &StatsArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let mut status = Status::Yes;
    let mut total = args.total.then(StatsTotal::default);
    let traces = context.traces(&args.traces);
    let ahead = || {
        let work = ThreadWork::new(context.session_ahead()?, Moves::Silent);
        Some(Arc::new(ProfileAhead { goal: args.goal(), work }) as Arc<dyn WorkAhead>)
    };
    context.work_ahead(&traces, None, ahead);
    for path in &traces {
        let named = (traces.len() > 1).then(|| path.display().to_string());
        let asked = AskedStats { args, context: &context };
        status = status.and(match &mut total {
            Some(total) => asked.add(path, total),
            None => asked.one(path, named.as_deref()),
        });
        if status.is_end() {
            return context.finish(status);
        }
    }
    if let Some(table) = total.and_then(|total| total.table(args.names(), args.most())) {
        status = status.and(context.written(table.written(args.to).and_then(|text| context.out.data(&text))));
    }
    context.finish(status)
}

impl StatsArgs {
    fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }

    /// The headings of the columns that name a row.
    fn names(&self) -> Vec<String> {
        if self.by.len() == 1 { vec!["name".to_string()] } else { self.by.clone() }
    }

    fn goal(&self) -> ProfileGoal {
        ProfileGoal {
            predicate: if self.total { "$profile_groups" } else { "profile" },
            by: self.by.clone(),
            constraints: self.constraints.clone().unwrap_or_else(|| "[]".to_string()),
        }
    }
}

/// What is asked about each trace.
struct AskedStats<'a> {
    args: &'a StatsArgs,
    context: &'a CommandContext,
}

impl AskedStats<'_> {
    /// Writes the rows about one trace.
    fn one(&self, path: &Path, named: Option<&str>) -> Status {
        self.about(path, |found, trace| {
            let FoundProfile { answer, ops, .. } = found;
            let rows = items(&answer, answered(&answer)).into_iter().take(self.args.most());
            let unit = if counts_nanoseconds(trace) { TimeUnit::Nanoseconds } else { TimeUnit::Unknown };
            let rows = rows.map(|row| stats_row(&answer, row, &ops, self.args.by.len())).collect();
            let counted = if trace.n_calls() == 0 { "events" } else { COLUMNS[0] };
            let table = StatsTable { by: self.args.names(), rows, path: named, unit, counted };
            self.context.written(table.written(self.args.to).and_then(|text| self.context.out.data(&text)))
        })
    }

    /// Adds what calls cost in one trace.
    fn add(&self, path: &Path, total: &mut StatsTotal) -> Status {
        self.about(path, |found, trace| {
            if let Err(why) = total.expects(trace) {
                self.context.error(None, &format!("{}: {why}", path.display()));
                return Status::Error;
            }
            let FoundProfile { answer, ops, costs } = found;
            let names = items(&answer, answered(&answer)).into_iter();
            names.zip(costs).for_each(|(name, costs)| {
                let texts = names_of(&answer, name, &ops, self.args.by.len());
                total.add(trace, GroupName { texts, term: answer.quoted_text_of(name, &ops) }, costs);
            });
            Status::Yes
        })
    }

    /// Makes the profile of a trace, and lets `tell` say something about it.
    fn about(&self, path: &Path, tell: impl FnOnce(FoundProfile, &Trace) -> Status) -> Status {
        let context = self.context;
        let Some(trace) = context.load(path) else { return Status::Error };
        let may_lack_events = has_windows(&trace);
        if !may_lack_events && let Some(FoundAhead::Profile(found)) = context.take_found(&trace) {
            return tell(found, &trace).and(context.trusted(&trace, Status::Yes));
        }
        let (mut session, consulted) = context.session(Moves::Silent, context.out.aside(), &[]);
        session.open(trace);
        let reached = context.reach(&mut session, &LineOptions::default());
        let status = consulted.and(reached);
        let Some(trace) = session.trace().cloned().filter(|_| reached == Status::Yes) else { return status };
        if may_lack_events && session.lacks_events() {
            context.note_once(&format!("{}: events are missing, and the numbers are about the others", path.display()));
        }
        match self.args.goal().of(&mut session) {
            Ok(found) => status.and(tell(found, &trace)).and(context.trusted(&trace, Status::Yes)),
            Err(NoProfile::Failed) => status.and(Status::No),
            Err(NoProfile::Wrong(diagnostic)) => status.and(context.diagnostics(&[*diagnostic])),
            Err(NoProfile::Stopped(stopped)) => status.and(context.stopped(&stopped, &session)),
        }
    }
}

/// The list that is the answer.
fn answered(answer: &Answer) -> NodeId {
    answer.values.first().map_or(answer.tree.root(), |(_, rows)| *rows)
}

fn items(answer: &Answer, list: NodeId) -> Vec<NodeId> {
    let (mut items, mut rest) = (Vec::new(), list);
    while let [item, after] = *answer.tree.args(rest) {
        items.push(item);
        rest = after;
    }
    items
}

/// The values of so many attributes that name a row.
fn names_of(answer: &Answer, name: NodeId, ops: &OpTable, n_attributes: usize) -> Vec<String> {
    let values = if n_attributes == 1 { vec![name] } else { items(answer, name) };
    values.into_iter().map(|value| answer.text_of(value, ops).unwrap_or_default()).collect()
}

/// A list of Key=Value, as `profile/3` gives it.
fn stats_row(answer: &Answer, row: NodeId, ops: &OpTable, n_attributes: usize) -> StatsRow {
    let mut told = StatsRow { names: Vec::new(), numbers: [None; COLUMNS.len()] };
    for pair in items(answer, row) {
        let [key, value] = *answer.tree.args(pair) else { continue };
        let Node::Atom(key) = answer.tree.node(key) else { continue };
        let key = if key.as_str() == "events" { COLUMNS[0] } else { key.as_str() };
        match (COLUMNS.iter().position(|column| *column == key), answer.tree.node(value)) {
            (Some(column), Node::Int(number)) => told.numbers[column] = Some(*number),
            _ => told.names = names_of(answer, value, ops, n_attributes),
        }
    }
    told
}
