//! `papaver stats`: the profile of a trace, a row for each procedure or for each value of other attributes.

use std::path::Path;
use std::sync::Arc;

use super::args::{LineOptions, StatsArgs};
use super::context::CommandContext;
use super::goal_terms::list;
use super::interrupt::InterruptEffect;
use super::stats_table::{COLUMNS, StatsRow, StatsTable, TimeUnit};
use super::stats_total::StatsTotal;
use super::status::Status;
use crate::output::counts_nanoseconds;
use crate::session::{Answer, Moves, Session};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, atoms};
use crate::trace::Trace;

/// Runs the command.
pub(crate) fn stats(args: &StatsArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let mut status = Status::Yes;
    let mut total = args.total.then(StatsTotal::default);
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces);
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
    if let Some(table) = total.and_then(|total| total.table(args.most())) {
        status = status.and(context.written(table.written(args.to).and_then(|text| context.out.data(&text))));
    }
    context.finish(status)
}

impl StatsArgs {
    fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
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
        self.about(path, |session, trace| {
            let (answer, ops) = self.answer(session, "profile")?;
            let rows = items(&answer, answered(&answer)).into_iter().take(self.args.most());
            let unit = if counts_nanoseconds(trace) { TimeUnit::Nanoseconds } else { TimeUnit::Unknown };
            let table = StatsTable { rows: rows.map(|row| stats_row(&answer, row, &ops)).collect(), path: named, unit };
            Ok(self.context.written(table.written(self.args.to).and_then(|text| self.context.out.data(&text))))
        })
    }

    /// Adds what calls cost in one trace.
    fn add(&self, path: &Path, total: &mut StatsTotal) -> Status {
        self.about(path, |session, trace| {
            total.expects(trace).map_err(|why| {
                self.context.error(None, &format!("{}: {why}", path.display()));
                Status::Error
            })?;
            let (answer, ops) = self.answer(session, "$profile_groups")?;
            let names = items(&answer, answered(&answer)).into_iter();
            names.zip(session.take_profile()).for_each(|(name, costs)| total.add(&answer, name, &ops, costs));
            Ok(Status::Yes)
        })
    }

    /// Reads a trace, and lets `tell` say something about it.
    fn about(&self, path: &Path, tell: impl FnOnce(&mut Session, &Trace) -> Result<Status, Status>) -> Status {
        let context = self.context;
        let Some(trace) = context.load(path) else { return Status::Error };
        let (mut session, consulted) = context.session(Moves::Silent, context.out.aside(), &[]);
        session.open(trace);
        let reached = context.reach(&mut session, &LineOptions::default());
        let status = consulted.and(reached);
        let Some(trace) = session.trace().cloned().filter(|_| reached == Status::Yes) else { return status };
        match tell(&mut session, &trace) {
            Ok(told) => status.and(told).and(context.trusted(&trace, Status::Yes)),
            Err(stopped) => status.and(stopped),
        }
    }

    /// The answer of `Predicate(By, Constraints, Rows)`, with the operators that write its terms.
    fn answer(&self, session: &mut Session, predicate: &str) -> Result<(Answer, OpTable), Status> {
        let source = Source::new("--where", self.args.constraints.as_deref().unwrap_or("[]"));
        let goal = goal(self.args, predicate, session, &source);
        let goal = goal.map_err(|diagnostic| self.context.diagnostics(&[*diagnostic]))?;
        let ops = session.operators().clone();
        match session.query(&goal, &source).and_then(|mut query| query.next().transpose()) {
            Ok(Some(answer)) => Ok((answer, ops)),
            Ok(None) => Err(Status::No),
            Err(stop) => Err(self.context.stopped(&stop, session)),
        }
    }
}

/// `Predicate(By, Constraints, Rows)`. Constraints between commas are a list.
fn goal(
    args: &StatsArgs,
    predicate: &str,
    session: &Session,
    source: &Arc<Source>,
) -> Result<ReadTerm, Box<Diagnostic>> {
    let goals = session.goals();
    let text = args.constraints.as_deref().unwrap_or("[]");
    let mut goal =
        read_goal(text, &goals.operators, &goals.flags).map_err(|error| Box::new(Diagnostic::syntax(source, error)))?;
    let at = Span::default();
    let mut items = Vec::new();
    let mut rest = goal.tree.root();
    while goal.tree.functor(rest) == Some((atoms::COMMA, 2)) {
        let &[item, after] = goal.tree.args(rest) else { break };
        items.push(item);
        rest = after;
    }
    if !items.is_empty() {
        items.push(rest);
        rest = list(&mut goal, &items);
    }
    let by: Vec<NodeId> = args.by.iter().map(|name| goal.tree.push(Node::Atom(Atom::new(name)), at)).collect();
    let by = match by.as_slice() {
        [one] => *one,
        several => list(&mut goal, several),
    };
    let rows = goal.tree.push(Node::Var(goal.n_variables), at);
    goal.tree.push_compound(Atom::new(predicate), &[by, rest, rows], at);
    goal.variables = vec![("Rows".to_string(), goal.n_variables, at, 1)];
    goal.n_variables += 1;
    Ok(goal)
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

/// A list of Key=Value, as `profile/3` gives it.
fn stats_row(answer: &Answer, row: NodeId, ops: &OpTable) -> StatsRow {
    let mut told = StatsRow { name: String::new(), numbers: [None; COLUMNS.len()] };
    for pair in items(answer, row) {
        let [key, value] = *answer.tree.args(pair) else { continue };
        let Node::Atom(key) = answer.tree.node(key) else { continue };
        match (COLUMNS.iter().position(|column| *column == key.as_str()), answer.tree.node(value)) {
            (Some(column), Node::Int(number)) => told.numbers[column] = Some(*number),
            _ => told.name = answer.text_of(value, ops).unwrap_or_default(),
        }
    }
    told
}
