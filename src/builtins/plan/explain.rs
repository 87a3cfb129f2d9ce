//! What `explain/1` prints: how the searches of a goal are run, and what `papaver query` reads of a file for it.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::record::det;
use crate::builtins::trace::columns::summary::{ColumnPlan, goal_of};
use crate::builtins::trace::constraints::list::Purpose;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::engine::{Builtin, Cell, Effect, EventPart, Stop, Term, TermUse, World};
use crate::formats::Format;
use crate::term::Node;
use crate::term::print::{self, Style};
use crate::trace::{AttributeId, NeededEvents, Selection, SufficientEvents};

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
    let mut before: Vec<Cell> = Vec::new();
    for search in searches(world, goal) {
        let Term::Compound(compound) = world.store.look(search) else { continue };
        let constraints = world.store.arg(compound, 0);
        let how = describe(world, constraints, &before, is_by_columns)?;
        let text = print::to_string(&world.store, search, &world.operators, &Style::writeq());
        lines.push(format!("{text}: {how}"));
        before.extend(world.store.variables(search));
    }
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

/// How a search is run when the variables `before` have values, over columns or not.
fn describe(world: &mut World, constraints: Cell, before: &[Cell], is_by_columns: bool) -> Result<String, Stop> {
    let is_joined = world.store.variables(constraints).iter().any(|variable| before.contains(variable));
    let query = match CompiledQuery::new(world, constraints, Purpose::Search) {
        Err(stop) if is_joined && lacks_a_value(&stop) => {
            return Ok("looks for values between those that each answer before it has".into());
        }
        query => query?,
    };
    let known = query.plan.uses.iter().find_map(|(index, usage)| match usage {
        TermUse::Unify(EventPart::Attribute(attribute)) => {
            let term = world.store.deref(query.terms[*index]);
            before.contains(&term).then_some(*attribute)
        }
        _ => None,
    });
    Ok(match known {
        Some(AttributeId::CALL) => "walks the events of one call for each answer before it".into(),
        Some(AttributeId::CHRONO) => "looks up one event for each answer before it".into(),
        _ if is_joined && is_by_columns => {
            let n_events = query.plan.pattern.n_visited(&query.trace);
            format!("looks up equal values in a table of at most {n_events} events, for each answer before it")
        }
        _ => query.explain(),
    })
}
