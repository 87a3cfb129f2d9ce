//! Derived traces, whose events are made of the solutions of a goal: what the library needs to declare and to make them.

use std::borrow::Cow;

use crate::builtins::arguments::{atom, atomic_text, count, list};
use crate::builtins::record::det;
use crate::builtins::trace::errors::trace;
use crate::engine::error::{
    domain_error, existence_error, instantiation_error, permission_error, type_error, with_message,
};
use crate::engine::{Builtin, Cell, ClauseEnd, Definition, DerivedRule, ListEnd, Namespace, Stop, Store, Term, World};
use crate::formats::Format;
use crate::formats::derived::{AttributeKind, DerivedEvents, SolutionValue, full_name};
use crate::formats::json::terms::STANDARD;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, atoms};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$declare_derived(+Name, +Source, +Attributes, -Predicate) is det",
        "Predicate is the one whose solutions are the events of the derived trace Name, from those of Source.",
        "'$declare_derived'(exits, [], [origin=_], P)",
        "P = 'derived trace exits'",
        declare_derived,
    ),
    det(
        "$derived_clause(+Clause) is det",
        "Adds a clause to the script that is read, or else to the database.",
        "'$derived_clause'((two_of_c(X) :- X = 2)), two_of_c(X)",
        "X = 2",
        derived_clause,
    ),
    det(
        "$derivation(+Number, -Source, -Predicate) is semidet",
        "Begins to make a derived trace, unless it has been made, or is that of a file.",
        "'$derivation'(1, S, P)",
        "false",
        derivation,
    ),
    det(
        "$derived_event(+Attributes) is failure",
        "Adds an event to the trace that is being made.",
        "'$derived_event'([])",
        "false",
        derived_event,
    ),
    det(
        "$derivation_end(+Number) is det",
        "Makes the trace of the events that have been added, which are of another trace, the current one.",
        "'$derivation_end'(1)",
        "true",
        derivation_end,
    ),
    det(
        "$derivation_abandon(+Number) is det",
        "Gives up the making of a trace.",
        "'$derivation_abandon'(1)",
        "true",
        |world, args| {
            world.desk.traces.abandon_derivation(count(&world.store, args[0])?.saturating_sub(1));
            Ok(true)
        },
    ),
    det(
        "$on_unreached(-Name) is semidet",
        "Name is the derived trace that the option `--on` names, if there is a trace, and goals are put to another one.",
        "'$on_unreached'(N)",
        "false",
        on_unreached,
    ),
    det("$rewind is det", "Moves the cursor before the first event.", "'$rewind'", "true", |world, _| {
        world.desk.rewind();
        Ok(true)
    }),
];

fn declare_derived(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    let source = atom(&world.store, args[1])?;
    let source = Some(source).filter(|source| *source != atoms::NIL);
    let mut attributes = given_attributes(&world.store, args[2])?;
    let predicate = Atom::new(&format!("derived trace {name}"));
    let script = world.scripts.owner();
    let known = world.desk.traces.rule(name).filter(|known| known.script == script && script.is_some());
    if known.is_some_and(|known| known.source != source) {
        let error = permission_error(&world.store, "redefine", "trace", args[0]);
        let message =
            format!("`{name}` has been derived from another trace: what is added must come from the same one");
        return Err(with_message(error, &message));
    }
    let before = known.into_iter().flat_map(|known| &known.attributes).copied();
    attributes.splice(0..0, before);
    let rule = DerivedRule { predicate, source, script, attributes };
    let pred = world.database.pred_id(Namespace::User, predicate, 0);
    let pred = world.database.pred_mut(pred);
    pred.is_discontiguous = true;
    if script.is_none() {
        pred.definition = Definition::Undefined;
    }
    world.desk.traces.declare(name, rule);
    Ok(world.store.unify(args[3], Cell::atom(predicate)))
}

/// The attributes that are given; an error unless they are those that a rule can give.
fn given_attributes(store: &Store, attributes: Cell) -> Result<Vec<Atom>, Stop> {
    let (mut given, mut names): (Vec<Atom>, Vec<&str>) = (Vec::new(), Vec::new());
    for item in list(store, attributes)? {
        let (name, _) = pair(store, item)?;
        let full = full_name(name.as_str());
        let culprit = Cell::atom(name);
        if AttributeKind::of(full).is_none() {
            let message = format!("the attribute `{name}` follows from the others, so that no rule can give it");
            return Err(with_message(domain_error(store, "attribute", culprit), &message));
        }
        if names.contains(&full) {
            let message = format!("the attribute `{name}` is given twice");
            return Err(with_message(domain_error(store, "attribute", culprit), &message));
        }
        names.push(full);
        given.push(name);
    }
    match names.iter().any(|name| AttributeKind::of(name) == Some(AttributeKind::Origin)) {
        true => Ok(given),
        false => Err(without_origin(store)),
    }
}

fn without_origin(store: &Store) -> Stop {
    let error = existence_error(store, "attribute", Cell::atom(Atom::new("origin")));
    with_message(error, "expected the attribute `origin`: the number of the event from which each event is made")
}

/// `Attribute = Value`.
fn pair(store: &Store, item: Cell) -> Result<(Atom, Cell), Stop> {
    let parts = match store.look(item) {
        Term::Compound(parts) if (parts.name, parts.arity) == (atoms::EQUALS, 2) => parts,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(with_message(type_error(store, "pair", item), "expected `Attribute = Value`")),
    };
    Ok((atom(store, store.arg(parts, 0))?, store.arg(parts, 1)))
}

fn derived_clause(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if world.scripts.is_loading() {
        let tree = world.store.save(args[0]);
        world.add_translated_clause(tree);
    } else {
        world.assert(args[0], ClauseEnd::Back)?;
    }
    Ok(true)
}

fn derivation(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = count(&world.store, args[0])?.saturating_sub(1);
    let name = |world: &World| world.desk.traces.derived_name(at).map_or(args[0], Cell::atom);
    let begun = match world.desk.traces.begin_derivation(at) {
        Ok(begun) => begun,
        Err(message) => {
            let error = permission_error(&world.store, "derive", "trace", name(world));
            return Err(with_message(error, &message));
        }
    };
    let Some(rule) = begun else { return Ok(false) };
    let Some(source) = world.desk.traces.source(at) else {
        let source = rule.source.map_or(args[0], Cell::atom);
        let message = match (rule.source, world.desk.traces.derived_name(at)) {
            (Some(source), Some(name)) => format!("no script says how `{source}` is derived, from which `{name}` is"),
            _ => "no trace is open".to_string(),
        };
        return Err(with_message(existence_error(&world.store, "trace", source), &message));
    };
    let source = world.store.int(source as i64 + 1);
    Ok(world.store.unify(args[1], source) && world.store.unify(args[2], Cell::atom(rule.predicate)))
}

fn derived_event(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some(events) = world.desk.traces.events_in_making() else { return Ok(false) };
    let mut events = std::mem::take(events);
    let added = add_event(world, &mut events, args[0]);
    if let Some(kept) = world.desk.traces.events_in_making() {
        *kept = events;
    }
    added.map(|()| false)
}

/// Adds the event that the attributes describe.
fn add_event(world: &World, events: &mut DerivedEvents, attributes: Cell) -> Result<(), Stop> {
    let store = &world.store;
    let mut origin = None;
    events.begin();
    for (place, item) in store.walk_list(attributes).items.into_iter().enumerate() {
        let (name, value) = pair(store, item)?;
        if let Term::Var(_) = store.look(value) {
            continue;
        }
        let Some((attribute, kind)) = events.attribute(place, name) else { continue };
        if kind == AttributeKind::Origin {
            origin = Some(value);
            continue;
        }
        let fits = solution_value(store, kind, value).is_some_and(|value| events.set(attribute, &value));
        if !fits {
            let message = format!("expected {} for the attribute `{name}`", kind.expected());
            return Err(with_message(type_error(store, "attribute_value", value), &message));
        }
    }
    let Some(origin) = origin else { return Err(without_origin(store)) };
    let Term::Int(chrono) = store.look(origin) else {
        let message = format!("expected {} for the attribute `origin`", AttributeKind::Origin.expected());
        return Err(with_message(type_error(store, "integer", origin), &message));
    };
    let Some(event) = trace(world)?.find_chrono(chrono) else {
        let message = format!("there is no event {chrono} in the trace from which this one is derived");
        return Err(with_message(existence_error(store, "event", origin), &message));
    };
    events.end(event);
    Ok(())
}

/// A value of an attribute of some kind; none if there is no such value.
fn solution_value(store: &Store, kind: AttributeKind, value: Cell) -> Option<SolutionValue<'_>> {
    match kind {
        AttributeKind::Procedure => match store.look(value) {
            Term::Atom(name) => Some(SolutionValue::Text(name.as_str().into())),
            _ => Some(SolutionValue::Text(term_text(store, value, &Style::default())?.into())),
        },
        AttributeKind::Terms => items(store, value, &as_argument()),
        AttributeKind::Path | AttributeKind::Texts(_) => items(store, value, &Style::default()),
        AttributeKind::Variables(_) => term_text(store, value, &as_argument()).map(SolutionValue::Term),
        _ => Some(match store.look(value) {
            Term::Int(number) => SolutionValue::Int(number),
            Term::BigInt(number) => SolutionValue::BigInt(number.to_string().into()),
            Term::Float(number) => SolutionValue::Float(number),
            Term::Atom(name) => SolutionValue::Atom(name),
            Term::Str(text) => SolutionValue::Text(Cow::Borrowed(text)),
            _ => SolutionValue::Term(term_text(store, value, &as_argument())?),
        }),
    }
}

/// How terms are written that are read again.
fn as_argument() -> Style<'static> {
    Style { quoted: true, spacing: Spacing::NextArgument, ..Style::default() }
}

/// The text of a term, with the operators that everybody has; none for a cyclic term.
fn term_text(store: &Store, term: Cell, style: &Style) -> Option<String> {
    store.is_acyclic(term).then(|| print::to_string(store, term, &STANDARD, style))
}

/// The texts of the elements of a list; none for the atom `-`.
fn items<'s>(store: &'s Store, value: Cell, style: &Style) -> Option<SolutionValue<'s>> {
    let walk = store.walk_list(value);
    let text = |item: &Cell| match store.look(*item) {
        Term::Atom(atoms::MINUS) => Some(None),
        Term::Var(_) => Some(Some("_".to_string())),
        _ => match atomic_text(store, *item).filter(|_| !style.quoted) {
            Some(text) => Some(Some(text.into_owned())),
            None => term_text(store, *item, style).map(Some),
        },
    };
    let texts: Option<Vec<Option<String>>> = walk.items.iter().map(text).collect();
    texts.filter(|_| walk.end == ListEnd::Nil).map(SolutionValue::List)
}

fn derivation_end(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let wanted = count(&world.store, args[0])?.saturating_sub(1);
    let Some((at, events)) = world.desk.traces.end_derivation().filter(|(at, _)| *at == wanted) else {
        return Ok(true);
    };
    let source = trace(world)?;
    let name = world.desk.traces.derived_name(at).map_or("", Atom::as_str);
    world.check_room(2 * events.bytes())?;
    let watch = &world.store.watch;
    let Some(derived) = Format::derive()(&events, name, &source, &mut || !watch.is_due()) else {
        watch.check()?;
        return Ok(false);
    };
    world.desk.traces.keep_derived(at, derived);
    world.check_room(0)?;
    Ok(true)
}

fn on_unreached(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some(name) = world.settings.on.filter(|_| world.desk.trace().is_some()) else { return Ok(false) };
    let traces = &world.desk.traces;
    let is_there = traces.derived_name(traces.current()) == Some(name) && traces.is_made(traces.current());
    Ok(!is_there && world.store.unify(args[0], Cell::atom(name)))
}
