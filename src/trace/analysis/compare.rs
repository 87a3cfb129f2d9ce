//! Comparing two traces: the first events that differ, and calls that have partners in the other trace.

use std::ops::Range;

use super::diff::common;
use super::proof::result;
use crate::term::hash::HashMap;
use crate::trace::event::EventId;
use crate::trace::event::args::ArgTexts;
use crate::trace::event::proc::Proc;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;

/// Where two runs diverge: an event of each run, none if the run has ended, and the attributes that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The event of the first trace.
    pub(crate) one: Option<EventId>,
    /// The event of the second.
    pub(crate) other: Option<EventId>,
    /// Attributes that both traces have and whose values differ between these events.
    pub(crate) attributes: Vec<AttributeId>,
}

/// The attributes that are compared; numbers of events and calls may differ.
const COMPARED: &[AttributeId] = &[
    AttributeId::PORT,
    AttributeId::PROC,
    AttributeId::DEPTH,
    AttributeId::ARGS,
    AttributeId::RESULT,
    AttributeId::GOAL_PATH,
];

/// The first event at which two traces differ in port, procedure, depth, arguments, result or goal path, as far as these
/// are not ignored; none if they agree.
pub(crate) fn first_difference(one: &Trace, other: &Trace, ignored: &[AttributeId]) -> Option<Difference> {
    let both = |id: &AttributeId| one.schema().has(*id) && other.schema().has(*id) && !ignored.contains(id);
    let compared: Vec<AttributeId> = COMPARED.iter().copied().filter(both).collect();
    let n_common = one.n_events().min(other.n_events());
    for event in 0..n_common {
        if compared.iter().any(|id| !is_same(one, other, event, *id)) {
            let attributes = compared.iter().copied().filter(|id| !is_same(one, other, event, *id)).collect();
            return Some(Difference { one: Some(event), other: Some(event), attributes });
        }
    }
    let rest = |trace: &Trace| (n_common < trace.n_events()).then_some(n_common);
    (one.n_events() != other.n_events()).then(|| Difference {
        one: rest(one),
        other: rest(other),
        attributes: Vec::new(),
    })
}

fn is_same(one: &Trace, other: &Trace, event: EventId, attribute: AttributeId) -> bool {
    match attribute {
        AttributeId::PORT => one.port(event) == other.port(event),
        AttributeId::PROC => match (one.proc_of(event), other.proc_of(event)) {
            (Some(first), Some(second)) => is_same_proc(one.proc(first), other.proc(second)),
            (first, second) => first.is_none() == second.is_none(),
        },
        AttributeId::ARGS => match (one.value(event, attribute), other.value(event, attribute)) {
            (Value::Args(first), Value::Args(second)) => are_same_args(first, second),
            (first, second) => first == second,
        },
        AttributeId::RESULT => match (result(one, event), result(other, event)) {
            (Value::Term(first), Value::Term(second)) => without_blanks(first) == without_blanks(second),
            (first, second) => first == second,
        },
        _ => one.value(event, attribute) == other.value(event, attribute),
    }
}

/// Whether two procedures agree in the parts that both traces report.
fn is_same_proc(one: &Proc, other: &Proc) -> bool {
    fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
        one.is_none() || other.is_none() || one == other
    }
    agree(&one.name, &other.name)
        && agree(&one.arity, &other.arity)
        && agree(&one.decl_module, &other.decl_module)
        && agree(&one.mode_number, &other.mode_number)
}

fn are_same_args(one: ArgTexts<'_>, other: ArgTexts<'_>) -> bool {
    let (first, second) = (one.whole(), other.whole());
    first == second || without_blanks(&first) == without_blanks(&second)
}

/// A text of terms without the blanks that only separate tokens.
fn without_blanks(text: &str) -> String {
    let mut quote = None;
    let is_kept = |letter: &char| {
        match quote {
            Some(open) if open == *letter => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(*letter),
            _ => {}
        }
        quote.is_some() || *letter != ' '
    };
    text.chars().filter(is_kept).collect()
}

/// The calls of two traces that are partners.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    /// The partner of each call of the first trace.
    pub(crate) of_one: Vec<Option<CallId>>,
    /// The partner of each call of the second.
    pub(crate) of_other: Vec<Option<CallId>>,
}

/// Aligns the call trees of two traces. Two calls are partners if their parents are and if they have the same procedure
/// and arguments, as far as these are not ignored; as many children as possible get partners without changing their
/// order.
pub(crate) fn align(one: &Trace, other: &Trace, ignored: &[AttributeId]) -> Alignment {
    let mut keys = CallKeys { known: HashMap::default(), ignored };
    let (first, second) = (keys.of(one), keys.of(other));
    let mut alignment = Alignment { of_one: vec![None; one.n_calls()], of_other: vec![None; other.n_calls()] };
    let mut waiting = vec![(outermost(one), outermost(other))];
    while let Some((calls, others)) = waiting.pop() {
        let key_of = |calls: &[CallId], keys: &[u32]| calls.iter().map(|call| keys[call.index()]).collect::<Vec<_>>();
        for (at, other_at) in common(&key_of(&calls, &first), &key_of(&others, &second)) {
            let (call, partner) = (calls[at], others[other_at]);
            alignment.of_one[call.index()] = Some(partner);
            alignment.of_other[partner.index()] = Some(call);
            waiting.push((one.children(call).collect(), other.children(partner).collect()));
        }
    }
    alignment
}

/// Pairs of events, among some rows of two traces, that have the same port, procedure and arguments: as many as possible
/// without changing their order.
pub(crate) fn align_events(one: &Trace, other: &Trace, rows: Range<EventId>) -> Vec<(EventId, EventId)> {
    let mut keys = CallKeys { known: HashMap::default(), ignored: &[] };
    let mut numbers = |trace: &Trace| -> Vec<u32> {
        let end = rows.end.min(trace.n_events());
        (rows.start..end).map(|event| keys.number_with_port(trace, event)).collect()
    };
    let (first, second) = (numbers(one), numbers(other));
    let row = |at: usize| rows.start + at as EventId;
    common(&first, &second).into_iter().map(|(at, other_at)| (row(at), row(other_at))).collect()
}

fn outermost(trace: &Trace) -> Vec<CallId> {
    trace.calls().filter(|call| trace.parent(*call).is_none()).collect()
}

/// Numbers calls by name, arity and arguments at their first event, so that calls of both traces can be compared.
struct CallKeys<'a> {
    known: HashMap<String, u32>,
    ignored: &'a [AttributeId],
}

impl CallKeys<'_> {
    /// The number of each call of a trace.
    fn of(&mut self, trace: &Trace) -> Vec<u32> {
        trace.calls().map(|call| self.number(trace, trace.call_first(call))).collect()
    }

    fn number_with_port(&mut self, trace: &Trace, event: EventId) -> u32 {
        let called = self.number(trace, event);
        let port = trace.port(event).map_or("", |port| port.as_str());
        let next = self.known.len() as u32;
        *self.known.entry(format!("{port} {called}")).or_insert(next)
    }

    fn number(&mut self, trace: &Trace, event: EventId) -> u32 {
        let is_kept = |id: AttributeId| !self.ignored.contains(&id);
        let proc = trace.proc_of(event).filter(|_| is_kept(AttributeId::PROC));
        let proc = proc.map(|id| *trace.proc(id)).unwrap_or_default();
        let name = proc.name.map_or("", |name| name.as_str());
        let args = match trace.value(event, AttributeId::ARGS) {
            Value::Args(list) if is_kept(AttributeId::ARGS) => without_blanks(&list.whole()),
            _ => String::new(),
        };
        let next = self.known.len() as u32;
        *self.known.entry(format!("{name}/{:?} {args}", proc.arity)).or_insert(next)
    }
}
