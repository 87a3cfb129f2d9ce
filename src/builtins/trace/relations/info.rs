//! The trace as relations: values of events, facts about the whole trace, and its findings.

use std::sync::Arc;

use crate::builtins::arguments::{atom, is_var, optional_integer};
use crate::builtins::record::{det, each, nondet, with};
use crate::builtins::trace::constraints::list::attribute;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::engine::{Builtin, Cell, Effect, SolutionSource, Stop, World};
use crate::formats::term_finding;
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, Finding, Trace, Value, box_findings};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "attribute(?Chrono, ?Attribute, ?Value) is nondet",
        "Value is the value of Attribute at the event with the number Chrono.",
        "attribute(673, port, P)",
        "P = exit",
        attribute_3,
    ),
    with(
        Effect::Describes,
        nondet(
            "trace_info(?Key, ?Value) is nondet",
            "Facts about the trace: path, format, events, calls, procs, ports, faults, warnings, notes, bytes, first_chrono, \
         last_chrono; and what its recorder reported in header and trailer, such as source, limits, lost and end.",
            "trace_info(events, N)",
            "N = 698",
            trace_info,
        ),
    ),
    nondet(
        "$recording_gap(-First, -Next) is nondet",
        "The recorder left events out, or did not come to its end, between the events First and Next.",
        "'$recording_gap'(First, Next)",
        "false",
        recording_gap,
    ),
    det(
        "$has_attribute(+Attribute) is semidet",
        "The trace has an attribute; what is no attribute of any trace is no error.",
        "'$has_attribute'(port)",
        "true",
        has_attribute,
    ),
    det(
        "$has_port(+Port) is semidet",
        "The trace has an event of a port, which may be one of other formats.",
        "'$has_port'(exit)",
        "true",
        has_port,
    ),
    det(
        "$values_cut is semidet",
        "Limits of the recording cut arguments or results, or left them out.",
        "'$values_cut'",
        "false",
        values_cut,
    ),
    det(
        "$was_stopped is semidet",
        "The program was ended while calls were open: by a halt, an interrupt, a limit or a kill.",
        "'$was_stopped'",
        "false",
        was_stopped,
    ),
    nondet(
        "integrity(?Rule, ?Chrono, ?What) is nondet",
        "What is wrong with the trace: the rule that is broken, the event where that happens (`-` if at none), and a text.",
        "integrity(Rule, Chrono, What)",
        "false",
        integrity,
    ),
    nondet(
        "finding(?Severity, ?Rule, ?Chrono, ?What) is nondet",
        "As integrity/3, with its severity: `fault`, `warning` or `note`. A sound trace has no faults.",
        "finding(fault, Rule, Chrono, What)",
        "false",
        finding,
    ),
];

fn attribute_3(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    world.desk.plans.belong_to(&trace);
    let names: Vec<AttributeId> = match is_var(&world.store, args[1]) {
        true => trace.schema().iter().map(|(id, _)| id).collect(),
        false => vec![attribute(world, &trace, args[1])?],
    };
    let events = match optional_integer(&world.store, args[0])? {
        Some(chrono) => match trace.find_chrono(chrono) {
            Some(event) => event..event + 1,
            None => return Ok(None),
        },
        None => 0..trace.n_events(),
    };
    let [chrono, name, value] = [args[0], args[1], args[2]];
    let is_named = !is_var(&world.store, name);
    let shared = Arc::clone(&trace);
    let pairs = events.flat_map(move |event| names.clone().into_iter().map(move |name| (event, name)));
    let present =
        pairs.filter(move |(event, name)| shared.is_computed(*name) || shared.value(*event, *name) != Value::Absent);
    each(present, move |world, (event, attribute)| {
        let number = world.store.int(trace.chrono(event));
        let label = Cell::atom(Atom::new(&trace.schema().get(attribute).name));
        world.store.unify(chrono, number)
            && (is_named || world.store.unify(name, label))
            && unify_value(world, &trace, event, attribute, value)
    })
}

fn unify_value(world: &mut World, trace: &Trace, event: EventId, attribute: AttributeId, cell: Cell) -> bool {
    let value = attributes::attribute_value(&mut world.store, trace, event, attribute);
    value.is_some_and(|value| world.store.unify(cell, value))
}

fn trace_info(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    let [key, value] = [args[0], args[1]];
    let wanted = world.store.functor(key).map(|(name, _)| name);
    let facts = trace.info(|key| wanted.is_none_or(|wanted| wanted.as_str() == key));
    let mut term = |(key, fact)| attributes::of(&mut world.store, &trace, fact).map(|fact| (Atom::new(key), fact));
    let rows: Vec<(Atom, Cell)> = facts.into_iter().filter_map(&mut term).collect();
    each(rows.into_iter(), move |world, (name, found)| {
        world.store.unify(key, Cell::atom(name)) && world.store.unify(value, found)
    })
}

fn has_attribute(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let name = atom(&world.store, args[0])?;
    Ok(trace.schema().find(name.as_str()).is_some())
}

fn has_port(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let name = atom(&world.store, args[0])?;
    Ok(trace.ports().any(|(_, port)| port == name))
}

fn recording_gap(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    let [first, next] = [args[0], args[1]];
    each(trace.recording_gaps().into_iter(), move |world, (before, behind)| {
        let [before, behind] = [before, behind].map(|chrono| world.store.int(chrono));
        world.store.unify(first, before) && world.store.unify(next, behind)
    })
}

fn values_cut(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    Ok(trace(world)?.recording().lacks_values())
}

fn was_stopped(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    Ok(trace(world)?.recording().was_stopped())
}

fn integrity(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let [rule, chrono, what] = [args[0], args[1], args[2]];
    each(findings(world)?.into_iter(), move |world, finding| unify_finding(world, &finding, [rule, chrono, what]))
}

fn finding(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let [severity, rule, chrono, what] = [args[0], args[1], args[2], args[3]];
    each(findings(world)?.into_iter(), move |world, finding| {
        let word = Cell::atom(Atom::new(finding.severity.word()));
        world.store.unify(severity, word) && unify_finding(world, &finding, [rule, chrono, what])
    })
}

fn findings(world: &World) -> Result<Vec<Finding>, Stop> {
    let trace = trace(world)?;
    let all = trace.findings().and(term_finding(&trace));
    Ok(all.kept().iter().chain(box_findings(&trace).kept()).cloned().collect())
}

fn unify_finding(world: &mut World, finding: &Finding, [rule, chrono, what]: [Cell; 3]) -> bool {
    let number = finding.chrono.map_or(Cell::atom(atoms::MINUS), |chrono| world.store.int(chrono));
    let text = match finding.line {
        Some(line) => world.store.string(&format!("line {line}: {}", finding.message)),
        None => world.store.string(&finding.message),
    };
    world.store.unify(rule, Cell::atom(Atom::new(finding.rule)))
        && world.store.unify(chrono, number)
        && world.store.unify(what, text)
}
