//! Values of events as terms.

use crate::engine::{Cell, EventPart, Store};
use crate::output::stack_det;
use crate::term::{Atom, atoms};
use crate::trace::{
    ArgTexts, AttributeId, CallId, EventId, IndexedPart, NOT_LIVE, PlacedText, Proc, Trace, Value, argument_at,
};

use super::text_terms::{TextTerms, big_integer, read_term};
use super::{json, live_variables};

/// The value of an attribute or argument; none if the event has none.
pub(crate) fn part(store: &mut Store, trace: &Trace, event: EventId, part: EventPart) -> Option<Cell> {
    match part {
        EventPart::Attribute(attribute) => attribute_value(store, trace, event, attribute),
        EventPart::Argument(_) | EventPart::Key(_) => match trace.value(event, AttributeId::ARGS) {
            Value::Args(list) => argument_text(trace, event, list, part).map(|text| argument(store, text)),
            _ => None,
        },
        EventPart::Half(attribute) => trace.half_of_name(event, attribute).map(Cell::atom),
    }
}

/// The value of a part that has an index; none if the event has none, or if its place in an argument is not clear.
pub(crate) fn indexed(store: &mut Store, trace: &Trace, event: EventId, part: IndexedPart) -> Option<Cell> {
    match part {
        IndexedPart::Attribute(attribute) => attribute_value(store, trace, event, attribute),
        IndexedPart::Argument(place) => match trace.value(event, AttributeId::ARGS) {
            Value::Args(list) => match place.text(list) {
                PlacedText::Text(text) => Some(argument(store, text)),
                PlacedText::Nothing | PlacedText::Unclear => None,
            },
            _ => None,
        },
    }
}

/// The text of one of the arguments of an event, or of a value inside one.
pub(crate) fn argument_text<'t>(trace: &Trace, event: EventId, list: ArgTexts<'t>, part: EventPart) -> Option<&'t str> {
    match part {
        EventPart::Argument(number) => list.part(number - 1),
        EventPart::Key(path) => argument_at(list, trace.argument_names(event), path.as_str()),
        EventPart::Attribute(_) | EventPart::Half(_) => None,
    }
}

fn argument(store: &mut Store, text: &str) -> Cell {
    TextTerms::default().read(store, text)
}

/// The value of an attribute; none if the event has none.
pub(crate) fn attribute_value(
    store: &mut Store,
    trace: &Trace,
    event: EventId,
    attribute: AttributeId,
) -> Option<Cell> {
    match attribute {
        AttributeId::PORT => trace.port(event).map(Cell::atom),
        AttributeId::STACK => Some(stack(store, trace, event)),
        AttributeId::ATTRIBUTES => of(store, trace, trace.value(event, attribute)),
        _ if trace.is_computed(attribute) => live_variables::computed(store, trace, event, attribute),
        _ => of(store, trace, trace.value(event, attribute)),
    }
}

/// A value as a term; none for an absent one.
pub(crate) fn of(store: &mut Store, trace: &Trace, value: Value<'_>) -> Option<Cell> {
    Some(match value {
        Value::Absent => return None,
        Value::Int(value) => store.int(value),
        Value::BigInt(digits) => big_integer(store, digits),
        Value::Float(value) => store.float(value),
        Value::Bool(value) => Cell::atom(if value { atoms::TRUE } else { atoms::FALSE }),
        Value::Atom(name) => Cell::atom(name),
        Value::Text(text) => store.string(text),
        Value::Json(text) => json::read(store, text),
        Value::Term(text) => read_term(store, text),
        Value::Path(steps) => {
            let steps: Vec<Cell> = steps.iter().copied().map(Cell::atom).collect();
            store.list(&steps)
        }
        Value::Proc(id) => proc(store, trace.proc(id)),
        Value::Args(list) => arguments(store, list),
        Value::Texts(list) => texts(store, list),
    })
}

/// The arguments of an event; a name of a variable denotes the same variable in all of them.
fn arguments(store: &mut Store, list: ArgTexts<'_>) -> Cell {
    let mut terms = TextTerms::default();
    let items: Vec<Cell> = list.iter().map(|text| terms.read(store, text)).collect();
    store.list(&items)
}

fn texts(store: &mut Store, list: ArgTexts<'_>) -> Cell {
    let text = |text| if text == NOT_LIVE { Cell::atom(atoms::MINUS) } else { store.string(text) };
    let items: Vec<Cell> = list.iter().map(text).collect();
    store.list(&items)
}

/// The fullest form that the trace knows: `predicate->queens:queen/2-0`.
pub(crate) fn proc(store: &mut Store, proc: &Proc) -> Cell {
    let mut term = Cell::atom(proc.name.unwrap_or(atoms::MINUS));
    if let Some(module) = proc.decl_module {
        term = store.compound(atoms::COLON, &[Cell::atom(module), term]);
    }
    for (number, functor) in [(proc.arity, atoms::DIVIDE), (proc.mode_number, atoms::MINUS)] {
        if let Some(number) = number {
            let number = store.int(number);
            term = store.compound(functor, &[term, number]);
        }
    }
    match proc.proc_type {
        Some(proc_type) => store.compound(atoms::ARROW, &[Cell::atom(proc_type), term]),
        None => term,
    }
}

/// The call of an event and the calls around it, innermost first, in Morphine's form.
pub(crate) fn stack(store: &mut Store, trace: &Trace, event: EventId) -> Cell {
    let Some(call) = trace.call(event) else { return Cell::NIL };
    let calls = std::iter::once(call).chain(trace.ancestors(call));
    let levels: Vec<Cell> = calls.enumerate().map(|(level, call)| stack_level(store, trace, level, call)).collect();
    store.list(&levels)
}

/// `[level(0), detail(2, 2, 2), pred, proc("queens", "data", 1, 0), det("det")]`, with `-` for what the trace does not
/// state.
fn stack_level(store: &mut Store, trace: &Trace, level: usize, call: CallId) -> Cell {
    let first = trace.call_first(call);
    let proc = trace.proc_of(first).map(|id| *trace.proc(id)).unwrap_or_default();
    let dash = Cell::atom(atoms::MINUS);
    let level = store.int(level as i64);
    let level = store.compound(Atom::new("level"), &[level]);
    let numbers = [Some(trace.chrono(first)), Some(trace.call_number(call)), trace.depth(first)];
    let numbers = numbers.map(|number| number.map_or(dash, |number| store.int(number)));
    let detail = store.compound(Atom::new("detail"), &numbers);
    let kind = match proc.proc_type.map(Atom::as_str) {
        Some("predicate") => Cell::atom(Atom::new("pred")),
        Some("function") => Cell::atom(Atom::new("func")),
        Some(other) => Cell::atom(Atom::new(other)),
        None => dash,
    };
    let text = |store: &mut Store, name: Option<Atom>| name.map_or(dash, |name| store.string(name.as_str()));
    let (module, name) = (text(store, proc.decl_module), text(store, proc.name));
    let numbers = [proc.arity, proc.mode_number].map(|number| number.map_or(dash, |number| store.int(number)));
    let procedure = store.compound(Atom::new("proc"), &[module, name, numbers[0], numbers[1]]);
    let mut parts = vec![level, detail, kind, procedure];
    if proc.def_module.is_some() && proc.def_module != proc.decl_module {
        let module = text(store, proc.def_module);
        parts.push(store.compound(Atom::new("def_module"), &[module]));
    }
    let det = match trace.value(first, AttributeId::DET) {
        Value::Atom(det) => store.string(stack_det(det.as_str())),
        _ => dash,
    };
    parts.push(store.compound(Atom::new("det"), &[det]));
    store.list(&parts)
}
