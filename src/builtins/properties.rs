//! What is known about predicates: predicate_property/2.

use super::arguments::is_var;
use super::clauses::{head_pred, is_of_scripts};
use super::record::{each, nondet};
use crate::engine::{Builtin, Cell, Definition, PredId, Solutions, World};
use crate::syntax::{ReadFlags, read_goal};
use crate::term::Atom;

/// The records.
pub const TABLE: &[Builtin] = &[nondet(
    "predicate_property(?Head, ?Property) is nondet",
    "Enumerates properties: defined, built_in, dynamic, static, multifile, number_of_clauses(N), meta_predicate(Modes).",
    "predicate_property(append(_, _, _), defined)",
    "true",
    predicate_property,
)];

fn predicate_property(world: &mut World, args: &[Cell]) -> Solutions {
    if is_var(&world.store, args[0]) {
        return properties_of_all(world, args[0], args[1]);
    }
    let Some(pred) = head_pred(world, args[0])? else { return Ok(None) };
    let properties = properties(world, pred);
    let target = args[1];
    each(properties.into_iter(), move |world, property| {
        let property = property.to_cell(world);
        world.store.unify(target, property)
    })
}

/// The properties of every predicate of scripts.
fn properties_of_all(world: &mut World, head: Cell, target: Cell) -> Solutions {
    let preds: Vec<PredId> = world.database.preds().map(|(id, _)| id).filter(|&id| is_of_scripts(world, id)).collect();
    let all: Vec<(PredId, Property)> = preds
        .into_iter()
        .flat_map(|id| properties(world, id).into_iter().map(move |property| (id, property)))
        .collect();
    each(all.into_iter(), move |world, (id, property)| {
        let pred = world.database.pred(id);
        let (name, arity) = (pred.name, pred.arity);
        let found = world.store.fresh_compound(name, arity);
        let property = property.to_cell(world);
        world.store.unify(head, found) && world.store.unify(target, property)
    })
}

/// A property of a predicate.
#[derive(Clone, Copy)]
enum Property {
    Name(&'static str),
    Clauses(i64),
    Modes(&'static str),
}

impl Property {
    fn to_cell(self, world: &mut World) -> Cell {
        match self {
            Property::Name(name) => Cell::atom(Atom::new(name)),
            Property::Clauses(n) => {
                let n = world.store.int(n);
                world.store.compound(Atom::new("number_of_clauses"), &[n])
            }
            Property::Modes(head) => {
                let read = read_goal(head, &world.operators, &ReadFlags::default()).expect("the table holds terms");
                let (head, _) = world.store.load(&read.tree);
                world.store.compound(Atom::new("meta_predicate"), &[head])
            }
        }
    }
}

fn properties(world: &World, pred: PredId) -> Vec<Property> {
    let known = world.database.pred(pred);
    let mut properties = vec![Property::Name("visible"), Property::Name("defined")];
    match &known.definition {
        definition if definition.is_undefined() => return Vec::new(),
        Definition::Clauses(list) if is_of_scripts(world, pred) => {
            properties.push(Property::Name(if list.dynamic { "dynamic" } else { "static" }));
            properties.extend(list.is_tabled().then_some(Property::Name("tabled")));
            properties.push(Property::Clauses(list.len() as i64));
        }
        _ => {
            properties.extend([Property::Name("built_in"), Property::Name("static")]);
            let named = |modes: &&&str| head_of(modes) == (known.name.as_str(), known.arity);
            properties.extend(META_PREDICATES.iter().find(named).map(|modes| Property::Modes(modes)));
        }
    }
    let declared = [(known.is_multifile, "multifile"), (known.is_discontiguous, "discontiguous")];
    properties
        .extend(declared.into_iter().filter(|(is_declared, _)| *is_declared).map(|(_, name)| Property::Name(name)));
    properties
}

/// Name and number of arguments of a head that has no compounds in it.
fn head_of(modes: &str) -> (&str, usize) {
    match modes.split_once('(') {
        Some((name, arguments)) => (name, arguments.matches(',').count() + 1),
        None => (modes, 0),
    }
}

/// The predicates that take goals: 0 is a goal, N one that N arguments are added to, and ^ one with `V^` before it.
const META_PREDICATES: &[&str] = &[
    "call(0)",
    "call(1,?)",
    "call(2,?,?)",
    "call(3,?,?,?)",
    "call(4,?,?,?,?)",
    "call(5,?,?,?,?,?)",
    "call(6,?,?,?,?,?,?)",
    "call(7,?,?,?,?,?,?,?)",
    "once(0)",
    "ignore(0)",
    "not(0)",
    "forall(0,0)",
    "catch(0,?,0)",
    "findall(?,0,-)",
    "findall(?,0,-,?)",
    "findnsols(+,?,0,-)",
    "bagof(?,^,-)",
    "setof(?,^,-)",
    "aggregate_all(?,0,-)",
    "aggregate_all(?,?,0,-)",
    "setup_call_cleanup(0,0,0)",
    "call_cleanup(0,0)",
    "call_nth(0,?)",
    "limit(+,0)",
    "offset(+,0)",
    "order_by(?,0)",
    "distinct(0)",
    "distinct(?,0)",
    "with_output_to(?,0)",
    "maplist(1,?)",
    "maplist(2,?,?)",
    "maplist(3,?,?,?)",
    "maplist(4,?,?,?,?)",
    "foldl(3,+,+,-)",
    "foldl(4,+,+,+,-)",
    "include(1,+,-)",
    "exclude(1,+,-)",
    "partition(1,+,-,-)",
    "foreach(0,0)",
    "predsort(3,+,-)",
    "phrase(2,?)",
    "phrase(2,?,?)",
];
