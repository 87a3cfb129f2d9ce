//! The trace as relations: values of events, facts about the whole trace, and its findings.

use std::ops::Range;
use std::sync::Arc;

use crate::builtins::arguments::{atom, is_var, optional_integer, pair};
use crate::builtins::record::{asks, det, each, nondet, tells, with};
use crate::builtins::trace::constraints::arguments::argument_part;
use crate::builtins::trace::constraints::list::attribute;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::engine::{Builtin, Cell, Effect, EventPart, SolutionSource, Stop, Store, Term, World};
use crate::formats::term_finding;
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, Finding, PortSet, Trace, Value, box_findings};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    nondet(
        "attribute(?Chrono, ?Attribute, ?Value) is nondet",
        "Value is the value of Attribute at the event with the number Chrono.",
        "attribute(673, port, P)",
        "P = exit",
        attribute_3,
    ),
    nondet(
        "file_place(?Chrono, ?Line, ?Byte) is nondet",
        "The event with the number Chrono stands in the trace's file on Line, and begins at Byte, counted from 0 after \
         unpacking. Byte is known in the documents of chrome, otlp, jaeger, zipkin and itf, whose events need not stand \
         on lines of their own, and `-` in other traces. In a file of messages, Line is the number of the message, and \
         Byte is `-` if the message is packed by itself.",
        "file_place(673, Line, Byte)",
        "Line = 673, Byte = -",
        file_place,
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
]);

/// The records of what the file says of itself.
pub(crate) const OF_FILE: &[Builtin] = &tells([
    nondet(
        "$events_lost(-First, -Next) is nondet",
        "The recorder lost events between the events First and Next, perhaps all that are around the trace; limits do not count.",
        "'$events_lost'(First, Next)",
        "false",
        events_lost,
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
        "$failing_port(-Port) is semidet",
        "Calls of the trace that failed end at Port; none if the format has no such port.",
        "'$failing_port'(Port)",
        "Port = exception",
        failing_port,
    ),
    nondet(
        "$unread(-First, -Next) is nondet",
        "The file has something that could not be read between the events First and Next.",
        "'$unread'(First, Next)",
        "false",
        unread,
    ),
    det(
        "$values_cut is semidet",
        "Limits of the recording cut arguments or results, or left them out.",
        "'$values_cut'",
        "false",
        values_cut,
    ),
    det(
        "$limited_by(+Limit) is semidet",
        "The recorder left something out because of Limit: `no_args`, `library`, ... .",
        "'$limited_by'(no_args)",
        "false",
        limited_by,
    ),
    det(
        "$is_key(+Attribute) is semidet",
        "The attribute is none that the format has: the program chose its name.",
        "'$is_key'(port)",
        "false",
        is_key,
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
]);

fn attribute_3(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    world.desk.plans.belong_to(&trace);
    let (events, [chrono, name, value]) = (events(world, &trace, args[0])?, [args[0], args[1], args[2]]);
    if let Some(key) = key_without_column(world, &trace, name) {
        return values_of_key(trace, key, events, [chrono, value]);
    }
    let is_named = !is_var(&world.store, name);
    if is_named && let Some(part @ EventPart::Key(_)) = argument_part(&world.store, &trace, name)? {
        return each(events, move |world, event| {
            let number = world.store.int(trace.chrono(event));
            let found = attributes::part(&mut world.store, &trace, event, part);
            found.is_some_and(|found| world.store.unify(chrono, number) && world.store.unify(value, found))
        });
    }
    let names: Vec<AttributeId> = match is_named {
        false => trace.schema().iter().map(|(id, _)| id).collect(),
        true => vec![attribute(world, &trace, name)?],
    };
    if is_named && trace.is_duration(names[0]) {
        let event = optional_integer(&world.store, chrono)?.map(|chrono| trace.find_chrono(chrono));
        match event {
            None => world.remarks.ask_durations(&trace),
            Some(event) => event
                .and_then(|event| trace.call(event))
                .into_iter()
                .for_each(|call| world.remarks.ask_duration(&trace, call)),
        }
    }
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

/// A trace of spans with more attributes than these may have keys that are no attributes.
const MOST_COLUMNS: usize = 1024;

/// The key of a span that has no column, as only the first ones have.
fn key_without_column(world: &World, trace: &Trace, name: Cell) -> Option<Atom> {
    let Term::Atom(key) = world.store.look(name) else { return None };
    let schema = trace.schema();
    let has_others = schema.has(AttributeId::ATTRIBUTES) && schema.iter().nth(MOST_COLUMNS).is_some();
    (has_others && schema.find(key.as_str()).is_none()).then_some(key)
}

fn values_of_key(
    trace: Arc<Trace>,
    key: Atom,
    events: Range<EventId>,
    [chrono, value]: [Cell; 2],
) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    each(events, move |world, event| {
        let number = world.store.int(trace.chrono(event));
        let found = value_of_key(&mut world.store, &trace, event, key);
        found.is_some_and(|found| world.store.unify(chrono, number) && world.store.unify(value, found))
    })
}

/// The value of a key among the attributes of a span, event or link.
fn value_of_key(store: &mut Store, trace: &Trace, event: EventId, key: Atom) -> Option<Cell> {
    let list = attributes::attribute_value(store, trace, event, AttributeId::ATTRIBUTES)?;
    let pairs = store.walk_list(list).items;
    pairs.into_iter().find_map(|item| {
        let (name, value) = pair(store, item, atoms::MINUS)?;
        matches!(store.look(name), Term::Atom(name) if name == key).then_some(value)
    })
}

/// The events whose number is a term: one, none, or all.
fn events(world: &World, trace: &Trace, chrono: Cell) -> Result<Range<EventId>, Stop> {
    Ok(match optional_integer(&world.store, chrono)? {
        Some(chrono) => trace.find_chrono(chrono).map_or(0..0, |event| event..event + 1),
        None => 0..trace.n_events(),
    })
}

fn file_place(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    let [chrono, line, byte] = [args[0], args[1], args[2]];
    let shared = Arc::clone(&trace);
    let places = events(world, &trace, chrono)?.filter_map(move |event| Some((event, shared.source_place(event)?)));
    each(places, move |world, (event, place)| {
        let [number, found_line] = [trace.chrono(event), integer(place.line)].map(|number| world.store.int(number));
        let found_byte = match place.column {
            0 => Cell::atom(Atom::new("-")),
            _ => world.store.int(integer(place.offset)),
        };
        world.store.unify(chrono, number) && world.store.unify(line, found_line) && world.store.unify(byte, found_byte)
    })
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
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
    Ok(trace.schema().find(name.as_str()).is_some_and(|attribute| !attribute.is_call_time()))
}

fn has_port(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let name = atom(&world.store, args[0])?;
    Ok(trace.ports().any(|(_, port)| port == name))
}

fn recording_gap(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let gaps = trace(world)?.recording_gaps();
    each_pair(args, gaps)
}

fn events_lost(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let losses = trace(world)?.lost_events();
    each_pair(args, losses)
}

fn unread(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let gaps = trace(world)?.unread();
    each_pair(args, gaps)
}

fn each_pair(args: &[Cell], pairs: Vec<(i64, i64)>) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let [first, next] = [args[0], args[1]];
    each(pairs.into_iter(), move |world, (before, behind)| {
        let [before, behind] = [before, behind].map(|chrono| world.store.int(chrono));
        world.store.unify(first, before) && world.store.unify(next, behind)
    })
}

fn failing_port(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let port = trace.failing_port();
    let is_known = matches!(trace.origin().ports, PortSet::Open(_)) || trace.origin().ports.find(port).is_some();
    Ok(is_known && world.store.unify(args[0], Cell::atom(Atom::new(port))))
}

fn values_cut(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    Ok(trace(world)?.recording().lacks_values())
}

fn limited_by(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let limit = atom(&world.store, args[0])?;
    Ok(trace(world)?.recording().is_limited_by(limit.as_str()))
}

fn is_key(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    Ok(trace(world)?.schema().is_key(name.as_str()))
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
