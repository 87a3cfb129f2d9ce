//! Reasons for an empty answer: sentences for the user, computed after a search has found nothing.

use super::group::group;
use crate::term::Atom;
use crate::trace::event::EventId;
use crate::trace::event::nearest::nearest;
use crate::trace::event::port::FAILING_PORTS;
use crate::trace::event::schema::{AttributeId, AttributeType, BASE};
use crate::trace::event::value::Value;
use crate::trace::relation::call_costs::unmeasured;
use crate::trace::relation::store::Trace;
use crate::trace::search::constraint::{Constraint, SatisfyingValues, canonical};
use crate::trace::search::contradiction::can_hold;
use crate::trace::search::find::next_match;
use crate::trace::search::form::{FormOp, characters, path_text};
use crate::trace::search::pattern::Pattern;

/// At most this many values are listed.
const MAX_LISTED: usize = 12;

/// Why no event matches all `constraints`: a sentence for each constraint that no event satisfies, or else for those
/// that never hold together; none if something matches.
pub(crate) fn reasons(trace: &Trace, constraints: &[Constraint]) -> Vec<String> {
    if trace.n_events() == 0 {
        return vec!["the trace has no events".into()];
    }
    if is_met(trace, constraints) {
        return Vec::new();
    }
    let unmet: Vec<&Constraint> =
        constraints.iter().filter(|constraint| !is_met(trace, std::slice::from_ref(constraint))).collect();
    if !unmet.is_empty() {
        return unmet.into_iter().map(|constraint| reason(trace, constraint)).collect();
    }
    vec![together(trace, constraints)]
}

/// The values of an event for which it breaks constraints, or, if it satisfies them, the values that are ranges, lists or
/// inequalities in them: `duration = 600, user = bob`. Those that the line of the event shows at once are left out.
pub(crate) fn telling_values(trace: &Trace, event: EventId, constraints: &[Constraint]) -> String {
    use AttributeId as Id;
    let is_met = |constraint: &Constraint| Pattern::new(trace, vec![constraint.clone()]).matches(trace, event);
    let is_shown = |id| matches!(id, Id::CHRONO | Id::CALL | Id::PORT | Id::PROC | Id::NAME | Id::ARITY | Id::ARGS);
    let is_open = |op: &FormOp| !matches!(op, FormOp::Atom(_) | FormOp::Str(_) | FormOp::Number(_) | FormOp::Any);
    let is_satisfied = constraints.iter().all(is_met);
    let telling = |constraint: &&Constraint| match is_satisfied {
        true => constraint.form.iter().any(is_open),
        false => !is_met(constraint),
    };
    let mut texts: Vec<String> = Vec::new();
    for constraint in constraints.iter().filter(|constraint| !is_shown(constraint.attribute)).filter(telling) {
        let name = &trace.schema().get(constraint.attribute).name;
        let value = trace.value(event, constraint.attribute);
        let text = typed_text(trace, &value).map_or_else(|| format!("no {name}"), |value| format!("{name} = {value}"));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

/// That no event can satisfy all `constraints`, in any trace: no name satisfies two that are about the same attribute. Numbers
/// may be computed, and then such constraints ask for nothing.
pub(crate) fn contradictions(trace: &Trace, constraints: &[Constraint]) -> Vec<String> {
    let is_number = |op: &FormOp| matches!(op, FormOp::Number(_) | FormOp::Range(..));
    let halves = trace.has_modules_in_names();
    let named: Vec<(&Constraint, AttributeId, Vec<FormOp>)> = constraints
        .iter()
        .flat_map(|of| match of.form.as_slice() {
            [FormOp::Proc(_)] if halves => Vec::new(),
            [FormOp::Proc(pattern)] => pattern.parts().map(|(part, form)| (of, part, form.to_vec())).collect(),
            form if of.attribute == AttributeId::PROC => vec![(of, AttributeId::NAME, form.to_vec())],
            form => vec![(of, of.attribute, canonical(trace, of.attribute, form))],
        })
        .filter(|(.., form)| !form.iter().any(is_number))
        .collect();
    let pairs = named.iter().enumerate().flat_map(|(index, (first, attribute, form))| {
        let others = named[index + 1..]
            .iter()
            .filter(move |(_, other, of_other)| attribute == other && !can_hold(&[form, of_other]));
        others.map(move |(second, ..)| {
            format!("no event can have both `{}` and `{}`", first.text(trace), second.text(trace))
        })
    });
    pairs.collect()
}

/// Why a search for events probably passes over those that are meant, if it does.
pub(crate) fn passes_over(trace: &Trace, constraints: &[Constraint]) -> Option<String> {
    let reasons = [apart_from_port, of_another_type, of_no_type, at_another_end];
    reasons.into_iter().find_map(|reason| reason(trace, constraints))
}

/// That the events of a port do not have an attribute of the format, or a value of a closed set, which others have.
fn apart_from_port(trace: &Trace, constraints: &[Constraint]) -> Option<String> {
    let port = constraints.iter().find(|constraint| constraint.attribute == AttributeId::PORT)?;
    let is_of_format = |constraint: &&Constraint| {
        let name = &trace.schema().get(constraint.attribute).name;
        constraint.attribute == AttributeId::ARGS || trace.origin().attributes.iter().any(|own| *own.name == **name)
    };
    constraints.iter().filter(is_of_format).find_map(|constraint| {
        let attribute = trace.schema().get(constraint.attribute);
        let (asked, text) = match attribute.spellings {
            [] => (Constraint::new(trace, constraint.attribute, &[FormOp::Any]).ok()?, attribute.name.to_string()),
            _ => (constraint.clone(), constraint.text(trace)),
        };
        let both = [port.clone(), asked];
        let is_apart = both.iter().all(|one| is_met(trace, std::slice::from_ref(one))) && !is_met(trace, &both);
        is_apart.then(|| format!("no event has both `{}` and `{text}`", port.text(trace)))
    })
}

/// What an event has that satisfies the constraints but one, which a value of another type would satisfy.
fn of_another_type(trace: &Trace, constraints: &[Constraint]) -> Option<String> {
    constraints.iter().enumerate().find_map(|(index, constraint)| {
        let near = constraint.near_values(trace);
        let form = [near.as_slice(), &[FormOp::AnyOf(near.len())]].concat();
        let mut others = constraints.to_vec();
        others[index] = Constraint::new(trace, constraint.attribute, &form).ok().filter(|_| !near.is_empty())?;
        let event = next_match(trace, 0, &Pattern::new(trace, others))?;
        let value = typed_text(trace, &trace.value(event, constraint.attribute))?;
        let (name, chrono) = (&trace.schema().get(constraint.attribute).name, trace.chrono(event));
        Some(format!("event {chrono} has `{name} = {value}`, which `{}` does not find", constraint.text(trace)))
    })
}

/// That an attribute holds numbers only, and a text is asked for, or texts only, and a number or a truth value is.
fn of_no_type(trace: &Trace, constraints: &[Constraint]) -> Option<String> {
    let is_number = |value: &Value<'_>| matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_));
    let is_text = |value: &Value<'_>| matches!(value, Value::Atom(_) | Value::Text(_));
    constraints.iter().filter(|one| one.attribute.index() >= BASE.len() && one.has_no_code()).find_map(|constraint| {
        let asks_text = match constraint.form.as_slice() {
            [FormOp::Atom(name)] if *name == Atom::new("null") => return None,
            [FormOp::Atom(name)] => !matches!(name.as_str(), "true" | "false"),
            [FormOp::Str(_)] => true,
            [FormOp::Number(_)] => false,
            _ => return None,
        };
        let values = group(trace, &Pattern::new(trace, Vec::new()), &[constraint.attribute]);
        let asked = constraint.form.first().map(characters)?;
        let is_asked = |value: &Value<'_>| value_text(trace, value).is_some_and(|text| text == asked);
        if values.iter().filter_map(|(values, _)| values.first()).any(is_asked) {
            return None;
        }
        let mut held = values.iter().filter_map(|(values, _)| values.first()).filter(|one| **one != Value::Absent);
        let first = match held.clone().next()? {
            Value::Text(text) => format!("{text:?}"),
            value => value_text(trace, value)?,
        };
        let name = &trace.schema().get(constraint.attribute).name;
        let kind = if asks_text { "numbers" } else { "texts" };
        let is_other = held.all(|value| if asks_text { is_number(value) } else { is_text(value) });
        is_other.then(|| format!("no event has `{}`: {name} holds {kind} ({first}, ...)", constraint.text(trace)))
    })
}

/// That a number is asked for at the ends of calls that succeeded, and only calls that failed have it, as the codes of errors.
/// In formats with a closed set of ports, what happened in a call decides the port of its end.
fn at_another_end(trace: &Trace, constraints: &[Constraint]) -> Option<String> {
    let index = constraints.iter().position(|constraint| constraint.attribute == AttributeId::PORT)?;
    let [FormOp::Atom(asked)] = constraints[index].form.as_slice() else { return None };
    let ends: Vec<&str> = trace.origin().ports.ends_if_closed().collect();
    let is_number = |op: &FormOp| matches!(op, FormOp::Number(_) | FormOp::Range(..));
    let asks_for_own_number =
        |constraint: &Constraint| constraint.attribute.index() >= BASE.len() && constraint.form.iter().any(is_number);
    let succeeds = ends.contains(&asked.as_str()) && !FAILING_PORTS.contains(&asked.as_str());
    if !succeeds || !constraints.iter().any(asks_for_own_number) || is_met(trace, constraints) {
        return None;
    }
    let at = |end: &str| {
        let mut others = constraints.to_vec();
        others[index] = Constraint::new(trace, AttributeId::PORT, &[FormOp::Atom(Atom::new(end))]).ok()?;
        is_met(trace, &others).then(|| end.to_string())
    };
    let end = ends.into_iter().filter(|end| FAILING_PORTS.contains(end)).find_map(at)?;
    let others = constraints.iter().filter(|constraint| constraint.attribute != AttributeId::PORT);
    let texts: Vec<String> = others.map(|constraint| format!("`{}`", constraint.text(trace))).collect();
    Some(format!("no event of `port = {asked}` has {}, but events of `port = {end}` have", texts.join(" and ")))
}

/// `no event has `name = saef` (did you mean `safe`?)`
pub(crate) fn misspelling(word: &str, meant: &str) -> String {
    format!("no event has `{word}` (did you mean `{meant}`?)")
}

fn is_met(trace: &Trace, constraints: &[Constraint]) -> bool {
    next_match(trace, 0, &Pattern::new(trace, constraints.to_vec())).is_some()
}

/// Names two constraints that never hold together, or all constraints.
fn together(trace: &Trace, constraints: &[Constraint]) -> String {
    for (index, first) in constraints.iter().enumerate() {
        for second in &constraints[index + 1..] {
            if !is_met(trace, &[first.clone(), second.clone()]) {
                return format!("no event has both `{}` and `{}`", first.text(trace), second.text(trace));
            }
        }
    }
    let texts: Vec<String> = constraints.iter().map(|constraint| format!("`{}`", constraint.text(trace))).collect();
    format!("each of {} holds for some event, but never all of them together", texts.join(", "))
}

/// Why no event satisfies one constraint.
fn reason(trace: &Trace, constraint: &Constraint) -> String {
    let what = constraint.text(trace);
    match (&constraint.values, constraint.form.as_slice()) {
        (SatisfyingValues::Chronos(set) | SatisfyingValues::Calls(set) | SatisfyingValues::Ints(_, set), _)
            if set.is_empty() =>
        {
            format!("no number satisfies `{what}`")
        }
        (SatisfyingValues::Chronos(_) | SatisfyingValues::Calls(_) | SatisfyingValues::Ints(..), _) => {
            format!("no event has `{what}`{}{}", integer_detail(trace, constraint), duration_detail(trace, constraint))
        }
        (SatisfyingValues::Codes(..), form) => {
            format!("no event has `{what}`{}", name_detail(trace, constraint.attribute, form))
        }
    }
}

/// `; the trace has no durations: ...`, if the constraint asks for these.
fn duration_detail(trace: &Trace, constraint: &Constraint) -> String {
    match trace.is_duration(constraint.attribute) && unmeasured(trace).next().is_some() {
        true => format!("; {}", trace.lack_of_durations()),
        false => String::new(),
    }
}

/// The range of the integers in the trace: `; depth goes from 1 to 9`.
fn integer_detail(trace: &Trace, constraint: &Constraint) -> String {
    let attribute = constraint.attribute;
    let name = &trace.schema().get(attribute).name;
    let mut low: Option<i64> = None;
    let mut high: Option<i64> = None;
    for event in 0..trace.n_events() {
        if let Value::Int(value) = trace.value(event, attribute) {
            low = Some(low.map_or(value, |low| low.min(value)));
            high = Some(high.map_or(value, |high| high.max(value)));
        }
    }
    match (low, high) {
        (Some(low), Some(high)) => format!("; {name} goes from {low} to {high}"),
        _ => String::new(),
    }
}

/// The names in the trace: `(did you mean `exit`?); ports here: call 146, exit 149`.
fn name_detail(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> String {
    let known = known_values(trace, attribute);
    let asked = form.iter().find(|op| matches!(op, FormOp::Atom(_))).map(characters);
    let near = asked.and_then(|asked| nearest(&asked, known.iter().map(|(name, _)| name.as_str())).map(str::to_string));
    let mut detail = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    if !known.is_empty() {
        detail.push_str(&format!("; {} here: {}", plural(trace, attribute), listed(known)));
    }
    detail
}

/// The values of an attribute, each with the number of its events.
pub(super) fn known_values(trace: &Trace, attribute: AttributeId) -> Vec<(String, u64)> {
    let values = group(trace, &Pattern::new(trace, Vec::new()), &[attribute]);
    values.iter().filter_map(|(value, count)| Some((value_text(trace, value.first()?)?, *count))).collect()
}

/// The most frequent values first, with their counts.
fn listed(mut known: Vec<(String, u64)>) -> String {
    known.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let n_more = known.len().saturating_sub(MAX_LISTED);
    let mut texts: Vec<String> =
        known.into_iter().take(MAX_LISTED).map(|(name, count)| format!("{name} {count}")).collect();
    if n_more > 0 {
        texts.push(format!("and {n_more} more"));
    }
    texts.join(", ")
}

fn plural(trace: &Trace, attribute: AttributeId) -> String {
    let attribute = trace.schema().get(attribute);
    match attribute.kind {
        AttributeType::Port => "ports".into(),
        AttributeType::Name if &*attribute.name == "name" => "names".into(),
        AttributeType::Proc => "procedures".into(),
        AttributeType::GoalPath => "paths".into(),
        _ => format!("values of {}", attribute.name),
    }
}

/// As [`value_text`], with quotes around a text that would be read as a number or a truth value without them.
fn typed_text(trace: &Trace, value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) if ["true", "false", "null"].contains(text) || text.parse::<f64>().is_ok() => {
            Some(format!("{text:?}"))
        }
        value => value_text(trace, value),
    }
}

pub(super) fn value_text(trace: &Trace, value: &Value<'_>) -> Option<String> {
    match value {
        Value::Absent => None,
        Value::Int(value) => Some(value.to_string()),
        Value::BigInt(digits) => Some(digits.to_string()),
        Value::Float(value) => Some(format!("{value:?}")),
        Value::Bool(value) => Some(value.to_string()),
        Value::Atom(name) => Some(name.to_string()),
        Value::Text(text) | Value::Term(text) | Value::Json(text) => Some(text.to_string()),
        Value::Path(steps) => Some(path_text(steps)),
        Value::Proc(id) => Some(trace.proc(*id).to_string()),
        Value::Args(_) | Value::Texts(_) => None,
    }
}
