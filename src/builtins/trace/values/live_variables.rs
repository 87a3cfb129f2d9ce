//! The live variables of an event: its live arguments, and the other variables that the trace reports.

use crate::builtins::arguments::atomic_text;
use crate::builtins::record::det;
use crate::builtins::trace::cursor::current_event;
use crate::builtins::trace::errors::trace;
use crate::engine::{Builtin, Cell, ListEnd, Stop, Store, Term, World};
use crate::term::{Atom, atoms};
use crate::trace::{ArgTexts, AttributeId, EventId, NOT_LIVE, PortRole, Trace, Value};

use super::text_terms::{TextTerms, read_term};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[det(
    "$live_vars(-Args, -Others) is semidet",
    "The live variables of the current event, arguments and others: lists of live_var(Name, Value, Type).",
    "goto_np(3), '$live_vars'(A, O)",
    "A = [live_var(\"HeadVar__1\", [1, 2, 3, 4, 5], -)], O = []",
    live_vars_2,
)];

fn live_vars_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let live = live_vars(&mut world.store, &trace, event);
    let (arguments, others) = (world.store.list(&live.arguments), world.store.list(&live.others));
    Ok(world.store.unify(args[0], arguments) && world.store.unify(args[1], others))
}

/// Terms `live_var(Name, Value, Type)`.
#[derive(Debug, Default)]
pub(crate) struct LiveVars {
    /// The arguments, in order.
    pub(crate) arguments: Vec<Cell>,
    /// The other variables.
    pub(crate) others: Vec<Cell>,
}

/// The live variables of an event, as far as the trace reports them.
///
/// Arguments without names in the trace get Mercury's names, `HeadVar__1` and so on; an unknown type is `-`.
pub(crate) fn live_vars(store: &mut Store, trace: &Trace, event: EventId) -> LiveVars {
    if let Some(all) = listed(store, trace, event, AttributeId::VARS) {
        let (arguments, others) = all.into_iter().partition(|live| is_argument(store, trace, event, *live));
        return LiveVars { arguments, others };
    }
    let arguments = live_arguments(store, trace, event);
    LiveVars { arguments, others: listed(store, trace, event, AttributeId::LOCAL_VARS).unwrap_or_default() }
}

/// The value of an attribute that is computed from live variables.
pub(crate) fn computed(store: &mut Store, trace: &Trace, event: EventId, attribute: AttributeId) -> Option<Cell> {
    let LiveVars { mut arguments, others } = live_vars(store, trace, event);
    if attribute == AttributeId::LOCAL_VARS {
        // At the first and the last event of a call only its arguments are live.
        let is_known =
            trace.port_role(event) != PortRole::Inside || trace.value(event, AttributeId::VARS) != Value::Absent;
        return is_known.then(|| store.list(&others));
    }
    arguments.extend(others);
    if attribute == AttributeId::VAR_NAMES_AND_TYPES {
        arguments = arguments.into_iter().map(|live| without_value(store, live)).collect();
    }
    Some(store.list(&arguments))
}

/// `live_var_names_and_types(Name, Type)`
fn without_value(store: &mut Store, live: Cell) -> Cell {
    match store.look(live) {
        Term::Compound(compound) if compound.arity == 3 => {
            let (name, kind) = (store.arg(compound, 0), store.arg(compound, 2));
            store.compound(Atom::new("live_var_names_and_types"), &[name, kind])
        }
        _ => live,
    }
}

/// The variables that the trace itself lists.
fn listed(store: &mut Store, trace: &Trace, event: EventId, attribute: AttributeId) -> Option<Vec<Cell>> {
    let list = match trace.value(event, attribute) {
        Value::Term(text) | Value::Text(text) => read_term(store, text),
        Value::Atom(name) if name == atoms::NIL => Cell::NIL,
        _ => return None,
    };
    let walk = store.walk_list(list);
    (walk.end == ListEnd::Nil).then_some(walk.items)
}

fn list_of(trace: &Trace, event: EventId, attribute: AttributeId) -> Option<ArgTexts<'_>> {
    match trace.value(event, attribute) {
        Value::Args(list) | Value::Texts(list) => Some(list),
        _ => None,
    }
}

/// Whether a `live_var(Name, Value, Type)` has the name of an argument: one that the trace reports, or Mercury's
/// default.
fn is_argument(store: &Store, trace: &Trace, event: EventId, live: Cell) -> bool {
    let Term::Compound(compound) = store.look(live) else { return false };
    let Some(name) = atomic_text(store, store.arg(compound, 0)) else { return false };
    let names = list_of(trace, event, AttributeId::ARG_NAMES);
    name.starts_with("HeadVar__") || names.is_some_and(|names| names.iter().any(|other| *other == *name))
}

fn live_arguments(store: &mut Store, trace: &Trace, event: EventId) -> Vec<Cell> {
    let Some(arguments) = list_of(trace, event, AttributeId::ARGS) else { return Vec::new() };
    let of =
        |attribute| list_of(trace, event, attribute).map(|list| list.iter().collect::<Vec<_>>()).unwrap_or_default();
    let (names, types) = (of(AttributeId::ARG_NAMES), of(AttributeId::ARG_TYPES));
    let reported =
        |texts: &[&str], index: usize| texts.get(index).copied().filter(|text| *text != NOT_LIVE).map(str::to_owned);
    let (mut terms, mut kinds) = (TextTerms::default(), TextTerms::default());
    let mut live = Vec::new();
    for (index, text) in arguments.iter().enumerate().filter(|(_, text)| *text != NOT_LIVE) {
        let name = reported(&names, index).unwrap_or_else(|| format!("HeadVar__{}", index + 1));
        let name = store.string(&name);
        let value = terms.read(store, text);
        let kind = reported(&types, index).map_or(Cell::atom(atoms::MINUS), |kind| kinds.read(store, &kind));
        live.push(store.compound(Atom::new("live_var"), &[name, value, kind]));
    }
    live
}
