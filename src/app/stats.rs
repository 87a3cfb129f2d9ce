//! `papaver stats`: the profile of a trace, a row for each procedure or for each value of other attributes.

use std::io;

use super::args::{LineOptions, StatsArgs, StatsForm};
use super::context::CommandContext;
use super::goal_terms::list;
use super::interrupt::InterruptEffect;
use super::status::Status;
use super::table::Table;
use super::units;
use crate::output::counts_nanoseconds;
use crate::output::json::{self, JsonPairs, JsonValue, term_as_json};
use crate::session::{Answer, Moves, Session};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, atoms};

/// The columns of durations, which the table writes with a unit.
const DURATIONS: [&str; 6] = ["total", "self", "p50", "p95", "p99", "max"];

/// Runs the command.
pub(crate) fn stats(args: &StatsArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let mut status = Status::Yes;
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces, None);
    for path in &traces {
        let Some(trace) = context.load(path) else {
            status = Status::Error;
            continue;
        };
        let (mut session, consulted) = context.session(Moves::Silent, context.out.aside(), &[]);
        status = status.and(consulted);
        session.open(trace.clone());
        let reached = context.reach(&mut session, &LineOptions::default());
        status = status.and(reached);
        let Some(trace) = session.trace().cloned().filter(|_| reached == Status::Yes) else { continue };
        let rows = match profile(args, &mut session, &context) {
            Ok(rows) => rows,
            Err(stopped) => {
                status = status.and(stopped);
                continue;
            }
        };
        let path = (traces.len() > 1).then(|| path.display().to_string());
        let unit = if counts_nanoseconds(&trace) { TimeUnit::Nanoseconds } else { TimeUnit::Unknown };
        let text = rows.written(args.to, path.as_deref(), unit);
        let written = context.written(text.and_then(|text| context.out.data(&text)));
        status = status.and(written).and(context.trusted(&trace, Status::Yes));
    }
    context.finish(status)
}

fn profile(args: &StatsArgs, session: &mut Session, context: &CommandContext) -> Result<ProfileTable, Status> {
    let source = Source::new("--where", args.constraints.as_deref().unwrap_or("[]"));
    let goal = goal(args, session, &source).map_err(|diagnostic| context.diagnostics(&[*diagnostic]))?;
    let ops = session.operators().clone();
    let answer = session.query(&goal, &source).and_then(|mut query| query.next().transpose());
    match answer {
        Ok(Some(answer)) => Ok(ProfileTable { answer, ops, most: args.most.unwrap_or(usize::MAX) }),
        Ok(None) => Err(Status::No),
        Err(stop) => Err(context.stopped(&stop, session)),
    }
}

/// `profile(By, Constraints, Rows)`. Constraints between commas are a list.
fn goal(args: &StatsArgs, session: &Session, source: &std::sync::Arc<Source>) -> Result<ReadTerm, Box<Diagnostic>> {
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
    goal.tree.push_compound(Atom::new("profile"), &[by, rest, rows], at);
    goal.variables = vec![("Rows".to_string(), goal.n_variables, at, 1)];
    goal.n_variables += 1;
    Ok(goal)
}

/// What the times of a trace count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeUnit {
    Nanoseconds,
    Unknown,
}

/// The answer of `profile/3`: a list of lists of Key=Value.
struct ProfileTable {
    answer: Answer,
    ops: OpTable,
    most: usize,
}

impl ProfileTable {
    fn written(&self, form: StatsForm, path: Option<&str>, unit: TimeUnit) -> io::Result<String> {
        match form {
            StatsForm::Json => Ok(self.rows().map(|row| self.object(path, row) + "\n").collect()),
            StatsForm::Csv => self.csv(path),
            StatsForm::Table => Ok(self.table(path, unit)),
        }
    }

    /// The pairs of each row.
    fn rows(&self) -> impl Iterator<Item = Vec<(&str, NodeId)>> {
        let rows = self.answer.values.first().map(|(_, rows)| self.items(*rows)).unwrap_or_default();
        rows.into_iter()
            .take(self.most)
            .map(|row| self.items(row).into_iter().filter_map(|pair| self.pair(pair)).collect())
    }

    fn items(&self, list: NodeId) -> Vec<NodeId> {
        let (mut items, mut rest) = (Vec::new(), list);
        while let [item, after] = *self.answer.tree.args(rest) {
            items.push(item);
            rest = after;
        }
        items
    }

    fn pair(&self, pair: NodeId) -> Option<(&str, NodeId)> {
        match *self.answer.tree.args(pair) {
            [key, value] => match self.answer.tree.node(key) {
                Node::Atom(key) => Some((key.as_str(), value)),
                _ => None,
            },
            _ => None,
        }
    }

    fn text(&self, value: NodeId) -> String {
        self.answer.text_of(value, &self.ops).unwrap_or_default()
    }

    fn object(&self, path: Option<&str>, row: Vec<(&str, NodeId)>) -> String {
        let value = |key: &str, value: NodeId| match key {
            "name" => JsonValue::Text(self.text(value).into()),
            _ => term_as_json(&self.answer.tree, value),
        };
        let trace = path.map(|path| ("trace", JsonValue::text(path)));
        let pairs = row.into_iter().map(|(key, node)| (key, value(key, node)));
        json::to_string(&JsonPairs(trace.into_iter().chain(pairs).collect()))
    }

    fn heading(&self) -> Vec<&str> {
        let longest = self.rows().max_by_key(Vec::len).unwrap_or_default();
        longest.into_iter().map(|(key, _)| key).collect()
    }

    /// The texts of a row under a heading; empty where the row has no such value.
    fn fields(&self, heading: &[&str], row: &[(&str, NodeId)], unit: TimeUnit) -> Vec<String> {
        let field = |name: &&str| {
            let found = row.iter().find(|(key, _)| key == name);
            found.map_or(String::new(), |(_, value)| match *self.answer.tree.node(*value) {
                Node::Int(time) if unit == TimeUnit::Nanoseconds && DURATIONS.contains(name) => units::duration(time),
                _ => self.text(*value),
            })
        };
        heading.iter().map(field).collect()
    }

    fn csv(&self, path: Option<&str>) -> io::Result<String> {
        let heading = self.heading();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let trace = path.map(|_| "trace");
        writer.write_record(trace.iter().chain(&heading)).map_err(io::Error::other)?;
        for row in self.rows() {
            let fields = self.fields(&heading, &row, TimeUnit::Unknown);
            let fields = path.into_iter().map(str::to_string).chain(fields);
            writer.write_record(fields).map_err(io::Error::other)?;
        }
        let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn table(&self, path: Option<&str>, unit: TimeUnit) -> String {
        let heading = self.heading();
        let mut table = Table::new(heading.iter().map(|name| (*name).to_string()).collect());
        let mut text = path.map_or(String::new(), |path| format!("% {path}\n"));
        for row in self.rows() {
            text.push_str(&table.push(self.fields(&heading, &row, unit)));
        }
        text + &table.finish()
    }
}
