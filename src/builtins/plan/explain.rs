//! What `explain/1` prints: how the searches of a goal are run, and what `papaver query` reads of a file for it.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::record::det;
use crate::builtins::trace::columns::summary::{ColumnPlan, goal_of};
use crate::builtins::trace::constraints::list::Purpose;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::queries::lookup::indexed_arguments;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::engine::{Builtin, Cell, Effect, EventPart, Stop, Store, Term, TermUse, World};
use crate::formats::Format;
use crate::term::Node;
use crate::term::hash::HashSet;
use crate::term::print::{self, Style};
use crate::trace::{
    AttributeId, EventId, IndexedPart, NeededEvents, SearchDirection, Selection, SufficientEvents, Trace, ValueHash,
};

use super::{MoveVisibility, footprint};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[det(
    "$explain(+Goal) is det",
    "As explain/1, on the current trace.",
    "'$explain'(aggregate_all(count, event([port=exit]), _))",
    "true",
    explain,
)];

fn explain(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let n_events = trace(world)?.n_events();
    let mut goal = args[0];
    let traces = &world.desk.traces;
    let derived = traces.derived_name(traces.current());
    let mut lines: Vec<String> =
        derived.iter().map(|name| format!("on `{name}`, a derived trace of {n_events} events")).collect();
    let n_before = lines.len();
    let mut is_by_columns = false;
    if let Some(Effect::Summarizes(summary)) = effect_of(world, goal) {
        let args = world.store.arguments(goal).to_vec();
        is_by_columns = ColumnPlan::new(world, summary, &args)?.is_some();
        lines.push(if is_by_columns { "answers found over columns" } else { "answers found one by one" }.to_string());
        goal = goal_of(&mut world.store, summary, &args);
    }
    let mut before = SearchesBefore { variables: Vec::new(), n_found: Vec::new(), n_answers: 1.0, is_by_columns };
    for search in searches(world, goal) {
        let Term::Compound(compound) = world.store.look(search) else { continue };
        let constraints = world.store.arg(compound, 0);
        let how = before.describe(world, constraints)?;
        let text = print::to_string(&world.store, search, &world.operators, &Style::writeq());
        lines.push(format!("{text}: {how}"));
        before.variables.extend(world.store.variables(search));
    }
    lines.extend(before.cheaper_order());
    match lines.len() == n_before {
        true => lines.push("no search of the trace".into()),
        false => lines.push(format!("`papaver query` reads {}", events_read(world, args[0]))),
    }
    lines.iter().try_for_each(|line| world.output.write_str(&format!("{line}\n")))?;
    Ok(true)
}

/// The events that `papaver query` reads of a text file in the trace's format to answer a goal, if all answers are shown.
fn events_read(world: &World, goal: Cell) -> String {
    let traces = &world.desk.traces;
    if let Some(name) = traces.derived_name(traces.current()) {
        return format!("the whole trace, from which `{name}` is derived");
    }
    let format = world.desk.trace().and_then(|trace| Format::named(trace.origin().format));
    let can_select = format.is_some_and(|format| format.excerpt.is_some());
    let tree = world.store.save_acyclic(goal).filter(|_| can_select);
    match tree.and_then(|tree| footprint(&tree, usize::MAX, MoveVisibility::Events)) {
        Some(selection) => selected(&selection),
        None => "the whole trace".into(),
    }
}

fn selected(selection: &Selection) -> String {
    let kinds: Vec<String> = selection.wanted.iter().rev().map(wanted).collect();
    let until = match selection.extent {
        SufficientEvents::All => String::new(),
        SufficientEvents::First(most) => format!(" until it has {most}"),
        SufficientEvents::Last(most) => format!(" from the end until it has {most}"),
    };
    match selection.wanted.iter().any(|wanted| *wanted == NeededEvents::default()) {
        true => format!("what it needs of every event{until}"),
        false => format!("only {}{until}", kinds.join(" and ")),
    }
}

fn wanted(wanted: &NeededEvents) -> String {
    let conditions = [
        wanted.ports.as_ref().map(|ports| format!("port {}", ports.join(" or "))),
        wanted.names.as_ref().map(|names| format!("name {}", names.join(" or "))),
        wanted.arity.map(|arity| format!("arity {arity}")),
    ];
    let conditions: Vec<String> = conditions.into_iter().flatten().collect();
    format!("events with {}", conditions.join(", "))
}

/// The most subgoals that are examined for searches.
const MAX_GOALS: usize = 10_000;

/// The calls of `event/1` and of the moves that search, in their order in the goal.
fn searches(world: &World, goal: Cell) -> Vec<Cell> {
    let mut found = Vec::new();
    let mut waiting = vec![goal];
    for _ in 0..MAX_GOALS {
        let Some(goal) = waiting.pop() else { break };
        let Term::Compound(compound) = world.store.look(goal) else { continue };
        match effect_of(world, goal) {
            Some(Effect::Searches(_)) => found.push(goal),
            _ => waiting.extend(world.store.args(compound).iter().rev()),
        }
    }
    found
}

/// Whether an error says that a variable has no value.
fn lacks_a_value(stop: &Stop) -> bool {
    let Stop::Throw(ball) = stop else { return false };
    let formal = ball.args(ball.root()).first().map(|formal| ball.node(*formal));
    matches!(formal, Some(Node::Atom(name)) if name.as_str() == "instantiation_error")
}

/// The searches before one.
struct SearchesBefore {
    /// Their variables, which have values then.
    variables: Vec<Cell>,
    /// How many events each finds by itself, as far as that was counted.
    n_found: Vec<u64>,
    /// How many answers they are expected to have together.
    n_answers: f64,
    is_by_columns: bool,
}

/// A search of which another order is cheaper finds so many times the events of the other.
const FAR: u64 = 10;

impl SearchesBefore {
    /// How the next search is run, and how many events it is expected to find.
    fn describe(&mut self, world: &mut World, constraints: Cell) -> Result<String, Stop> {
        let is_joined = world.store.variables(constraints).iter().any(|variable| self.variables.contains(variable));
        let query = match CompiledQuery::new(world, constraints, Purpose::Search) {
            Err(stop) if is_joined && lacks_a_value(&stop) => {
                return Ok("looks for values between those that each answer before it has".into());
            }
            query => query?,
        };
        let uses = query.plan.uses.iter();
        let parts = uses.flat_map(|(index, usage)| parts_of(&world.store, *usage, query.terms[*index]));
        let known = parts.filter(|(_, term)| self.variables.contains(&world.store.deref(*term)));
        let known: Vec<IndexedPart> = known.map(|(part, _)| part).collect();
        Ok(match known.as_slice() {
            [IndexedPart::Attribute(AttributeId::CALL), ..] => {
                "walks the events of one call for each answer before it".into()
            }
            [IndexedPart::Attribute(AttributeId::CHRONO), ..] => "looks up one event for each answer before it".into(),
            [part, ..] => self.looked_up(&query, *part),
            [] => {
                let (n_found, _) = counted(&query, None);
                self.n_found.push(n_found);
                self.n_answers *= n_found as f64;
                query.explain()
            }
        })
    }

    fn looked_up(&mut self, query: &CompiledQuery, part: IndexedPart) -> String {
        let (n_found, n_values) = counted(query, Some(part));
        let of_each = n_found as f64 / n_values.max(1) as f64;
        let by = match self.is_by_columns {
            true => "in a table".to_string(),
            false => format!("by an index of {}", name_of(&query.trace, part)),
        };
        let n_answers = self.n_answers.round();
        self.n_found.push(n_found);
        self.n_answers *= of_each;
        let of_each = if of_each < 10.0 { (of_each * 10.0).round() / 10.0 } else { of_each.round() };
        format!(
            "looks up equal values {by}: about {of_each} of {n_found} events for each of {n_answers} answers before it"
        )
    }

    /// That the first two searches in the other order would be far cheaper, if they would.
    fn cheaper_order(&self) -> Option<String> {
        match *self.n_found.as_slice() {
            [first, second, ..] if second * FAR <= first => {
                Some(format!("the second search first: {second} lookups instead of {first}"))
            }
            _ => None,
        }
    }
}

/// The parts of events that a use unifies, each with its term.
fn parts_of(store: &Store, usage: TermUse, term: Cell) -> Vec<(IndexedPart, Cell)> {
    match usage {
        TermUse::Unify(EventPart::Attribute(attribute)) if attribute != AttributeId::ARGS => {
            vec![(IndexedPart::Attribute(attribute), term)]
        }
        _ => indexed_arguments(store, usage, term),
    }
}

fn name_of(trace: &Trace, part: IndexedPart) -> String {
    match part {
        IndexedPart::Attribute(attribute) => EventPart::Attribute(attribute).name(trace),
        IndexedPart::Argument(place) => {
            let argument = EventPart::Argument(place.argument()).name(trace);
            if place.is_argument() { argument } else { format!("a part of {argument}") }
        }
    }
}

/// How many events a search finds, apart from what it unifies, and how many different values a part has in them.
fn counted(query: &CompiledQuery, part: Option<IndexedPart>) -> (u64, u64) {
    let (trace, mut n_found, mut values) = (&query.trace, 0, HashSet::<ValueHash>::default());
    let (mut matches, mut rows) = (query.matches(SearchDirection::Forward, 0), Vec::new());
    loop {
        rows.clear();
        matches.take(trace, &query.plan.pattern, &mut rows);
        if rows.is_empty() {
            return (n_found, values.len() as u64);
        }
        for event in rows.iter().map(|row| *row as EventId).filter(|event| query.passes_tests(*event)) {
            n_found += 1;
            values.extend(part.and_then(|part| trace.hash_of_part(part, event)));
        }
    }
}
