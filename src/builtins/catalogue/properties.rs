//! Properties of predicates: `predicate_property/2`, and what their comments in the library declare.

use crate::builtins::arguments::{atom, is_var, optional_integer};
use crate::builtins::program::clause_search::{head_pred, is_of_scripts};
use crate::builtins::record::{det, each, nondet};
use crate::engine::{Builtin, Cell, Definition, Effect, PredId, Solutions, Stop, World};
use crate::term::Atom;

use super::effects::{Argument, KnownPredicate, constraint_arguments, effect};
use super::library::{self, may_search};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "predicate_property(?Head, ?Property) is nondet",
        "Enumerates properties: defined, built_in, dynamic, static, multifile, number_of_clauses(N), meta_predicate(Modes).",
        "predicate_property(append(_, _, _), defined)",
        "true",
        predicate_property,
    ),
    det(
        "$takes_constraints(+Name, +Arity, -Indexes) is det",
        "Indexes are the arguments of a predicate, counted from 1, that are constraints.",
        "'$takes_constraints'(within_budget, 2, Indexes)",
        "Indexes = [1]",
        takes_constraints,
    ),
    det(
        "$looks_at(+Name, +Arity, +What) is semidet",
        "What the answers of a predicate depend on: events of the `whole trace`, `values` of arguments, or only the `recording`.",
        "'$looks_at'(process, 5, 'whole trace')",
        "true",
        looks_at,
    ),
];

fn takes_constraints(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    let arity = optional_integer(&world.store, args[1])?.and_then(|arity| usize::try_from(arity).ok()).unwrap_or(0);
    let indexes = constraint_arguments(name.as_str(), arity);
    let indexes: Vec<Cell> = indexes.into_iter().map(|index| world.store.int(index as i64 + 1)).collect();
    let list = world.store.list(&indexes);
    Ok(world.store.unify(args[2], list))
}

fn looks_at(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, what) = (atom(&world.store, args[0])?, atom(&world.store, args[2])?);
    let Some(arity) = optional_integer(&world.store, args[1])?.and_then(|arity| usize::try_from(arity).ok()) else {
        return Ok(false);
    };
    Ok(match what.as_str() {
        "whole trace" => may_search(name.as_str(), arity),
        "recording" if effect(name, arity) == Effect::Tells => true,
        what => library::looks_at(name.as_str(), arity, what),
    })
}

fn predicate_property(world: &mut World, args: &[Cell]) -> Solutions {
    if is_var(&world.store, args[0]) {
        return properties_of_all(world, args[0], args[1]);
    }
    let Some(pred) = head_pred(world, args[0])? else { return Ok(None) };
    let properties = properties(world, pred);
    let target = args[1];
    each(properties.into_iter(), move |world, property| {
        let property = property.into_cell(world);
        world.store.unify(target, property)
    })
}

/// The properties of every predicate of scripts.
fn properties_of_all(world: &mut World, head: Cell, target: Cell) -> Solutions {
    let preds: Vec<PredId> = world.database.preds().map(|(id, _)| id).filter(|&id| is_of_scripts(world, id)).collect();
    let all: Vec<(PredId, PredicateProperty)> = preds
        .into_iter()
        .flat_map(|id| properties(world, id).into_iter().map(move |property| (id, property)))
        .collect();
    each(all.into_iter(), move |world, (id, property)| {
        let pred = world.database.pred(id);
        let (name, arity) = (pred.name, pred.arity);
        let found = world.store.fresh_compound(name, arity);
        let property = property.into_cell(world);
        world.store.unify(head, found) && world.store.unify(target, property)
    })
}

/// A property of a predicate.
#[derive(Clone)]
enum PredicateProperty {
    Name(&'static str),
    Clauses(i64),
    Modes(Atom, Vec<Argument>),
}

impl PredicateProperty {
    fn into_cell(self, world: &mut World) -> Cell {
        match self {
            PredicateProperty::Name(name) => Cell::atom(Atom::new(name)),
            PredicateProperty::Clauses(n) => {
                let n = world.store.int(n);
                world.store.compound(Atom::new("number_of_clauses"), &[n])
            }
            PredicateProperty::Modes(name, arguments) => {
                let modes: Vec<Cell> = arguments.into_iter().map(mode).collect();
                let head = world.store.compound(name, &modes);
                world.store.compound(Atom::new("meta_predicate"), &[head])
            }
        }
    }
}

/// A mode in `meta_predicate(Modes)`: 0 is a goal, N a goal to which N arguments are added, `^` a goal after `V^`.
fn mode(argument: Argument) -> Cell {
    match argument {
        Argument::Goal(n_added) => Cell::small_int(n_added.into()),
        Argument::Quantified => Cell::atom(Atom::new("^")),
        Argument::TakenApart => Cell::atom(Atom::new(":")),
        Argument::Term(mode) => Cell::atom(Atom::new(mode.encode_utf8(&mut [0; 4]))),
    }
}

fn properties(world: &World, pred: PredId) -> Vec<PredicateProperty> {
    let known = world.database.pred(pred);
    let mut properties = vec![PredicateProperty::Name("visible"), PredicateProperty::Name("defined")];
    match &known.definition {
        definition if definition.is_undefined() => return Vec::new(),
        Definition::Clauses(list) if is_of_scripts(world, pred) => {
            properties.push(PredicateProperty::Name(if list.dynamic { "dynamic" } else { "static" }));
            properties.extend(list.is_tabled().then_some(PredicateProperty::Name("tabled")));
            properties.push(PredicateProperty::Clauses(list.len() as i64));
        }
        _ => {
            properties.extend([PredicateProperty::Name("built_in"), PredicateProperty::Name("static")]);
            let by_record = KnownPredicate::of(known.name, known.arity).filter(KnownPredicate::has_goals);
            properties.extend(by_record.map(|by_record| PredicateProperty::Modes(known.name, by_record.arguments)));
        }
    }
    let declared = [(known.is_multifile, "multifile"), (known.is_discontiguous, "discontiguous")];
    properties.extend(
        declared.into_iter().filter(|(is_declared, _)| *is_declared).map(|(_, name)| PredicateProperty::Name(name)),
    );
    properties
}
