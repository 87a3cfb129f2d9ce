//! Constraints: the set of values that an attribute of an event may have.
//!
//! The set is computed once, over the distinct values of a column, so that a search only looks up codes.

use std::convert::Infallible;

use crate::term::Atom;
use crate::term::hash::HashSet;
use crate::term::number::{Number, compare};

use super::distinct_values::{DistinctValue, Stored, TraceColumn};
use super::form::{FormOp, ProcPattern, characters, evaluate, form_text, leaf_text};
use super::simple_form::{Numbers, integers, is_allowed, is_match};
use crate::trace::column::intervals::{Bound, Intervals};
use crate::trace::event::EventId;
use crate::trace::event::args::NOT_LIVE;
use crate::trace::event::determinism;
use crate::trace::event::error::{ConstraintError, SchemaError};
use crate::trace::event::nearest::{misspelt, nearest};
use crate::trace::event::schema::{AttributeId, AttributeType};
use crate::trace::event::simple_term::{SimpleTerm, simple_term};
use crate::trace::event::value::Value;
use crate::trace::relation::store::Trace;
use crate::trace::relation::value_index::{IndexedPart, ValueHash};

/// A condition on one attribute, compiled for one trace.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) attribute: AttributeId,
    pub(crate) form: Vec<FormOp>,
    pub(crate) values: SatisfyingValues,
}

/// The values that satisfy a constraint.
#[derive(Clone, Debug)]
pub(crate) enum SatisfyingValues {
    /// Numbers of events.
    Chronos(Intervals),
    /// Numbers of calls.
    Calls(Intervals),
    /// Values of an integer column.
    Ints(TraceColumn, Intervals),
    /// Codes of a dictionary column: a 1 for each code in the set.
    Codes(TraceColumn, Vec<u8>),
}

impl Constraint {
    /// The constraint that `attribute` has a value that satisfies `form`.
    ///
    /// If no event has the value, no event satisfies the constraint; a value that the attribute can never have is an
    /// error.
    pub(crate) fn new(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Result<Constraint, ConstraintError> {
        trace.schema().ask(attribute)?;
        check(trace, attribute, form)?;
        let form = spelled(trace, attribute, form);
        let values = values(trace, attribute, &form).ok_or_else(|| malformed(trace, attribute))?;
        Ok(Constraint { attribute, form, values })
    }

    /// A warning if a number is compared with values that are all texts, and so are neither less nor greater: `balance
    /// holds texts ("-5", ...)`.
    pub(crate) fn compared_texts(&self, trace: &Trace) -> Option<String> {
        let SatisfyingValues::Codes(column @ TraceColumn::Extra(_), _) = &self.values else { return None };
        if !self.form.iter().any(|op| matches!(op, FormOp::Range(..))) {
            return None;
        }
        let entries = trace.entries(*column);
        let first = entries.iter().find_map(DistinctValue::text)?;
        let are_texts = entries.iter().all(|entry| entry.is_absent() || entry.text().is_some());
        let name = &trace.schema().get(self.attribute).name;
        are_texts.then(|| format!("{name} holds texts ({}, ...)", shown_text(first)))
    }

    /// The values that do not satisfy it, and would if they were of another type: texts of numbers, and numbers where it asks
    /// for a text.
    pub(crate) fn near_values(&self, trace: &Trace) -> Vec<FormOp> {
        let SatisfyingValues::Codes(column @ TraceColumn::Extra(_), codes) = &self.values else { return Vec::new() };
        if self.form.iter().any(|op| matches!(op, FormOp::Not | FormOp::Regex(_))) {
            return Vec::new();
        }
        let entries = trace.entries(*column);
        let missed = entries.iter().zip(codes).filter(|(_, code)| **code == 0);
        // a word that no event has is told with the one like it
        let word = match self.form.as_slice() {
            [word] if self.has_no_code() => Some(characters(word)),
            _ => None,
        };
        let near = missed.filter_map(|(entry, _)| {
            let (other, value) = of_other_type(entry)?;
            let is_told = word.as_ref() == Some(&characters(&value));
            (!is_told && satisfied(&[other], &self.form)? == [1]).then_some(value)
        });
        near.take(MOST_NEAR).collect()
    }

    /// Whether numbers in later events may change which values satisfy the constraint. They may if it contains a number
    /// of a kind (integer or float) that no value of the attribute has: such a number equals values of the other kind
    /// only as long as all values are of that kind.
    pub(crate) fn awaits_numbers(&self, trace: &Trace) -> bool {
        self.asked_numbers(trace).next().is_some()
    }

    /// Whether an event from row `first` on has a value equal to such a number.
    pub(crate) fn depends_on_others(&self, trace: &Trace, first: EventId) -> bool {
        let is_equal = |value: &Number| self.asked_numbers(trace).any(|asked| compare(asked, value).is_eq());
        (first..trace.n_events()).any(|event| match trace.value(event, self.attribute) {
            Value::Int(value) => is_equal(&Number::Int(value)),
            Value::Float(value) => is_equal(&Number::Float(value)),
            Value::BigInt(digits) | Value::Term(digits) => match simple_term(digits) {
                Some(SimpleTerm::Number(value)) => is_equal(&value),
                _ => false,
            },
            _ => false,
        })
    }

    /// The numbers in the constraint of a kind that no value of the attribute has.
    fn asked_numbers<'a>(&'a self, trace: &Trace) -> impl Iterator<Item = &'a Number> {
        let (has_integers, has_floats) = match (trace.column_of(self.attribute), &self.values) {
            (TraceColumn::Extra(_), SatisfyingValues::Ints(..)) => (true, false),
            (column @ TraceColumn::Extra(_), _) => Numbers::kinds(&trace.entries(column)),
            _ => (true, true),
        };
        self.form.iter().filter_map(move |op| match op {
            FormOp::Number(number) if !(if number.is_float() { has_floats } else { has_integers }) => Some(number),
            _ => None,
        })
    }

    /// Whether it is about texts, or any terms, and no value of the attribute satisfies it.
    pub(crate) fn has_no_code(&self) -> bool {
        match &self.values {
            SatisfyingValues::Codes(_, codes) => !codes.contains(&1),
            SatisfyingValues::Ints(_, set) => set.is_empty(),
            SatisfyingValues::Chronos(_) | SatisfyingValues::Calls(_) => false,
        }
    }

    pub(crate) fn attribute(&self) -> AttributeId {
        self.attribute
    }

    /// The part and the value that it asks for, if it is one that an index may find.
    pub(crate) fn equality(&self, trace: &Trace) -> Option<(IndexedPart, ValueHash)> {
        let is_found_anyway = matches!(self.attribute, AttributeId::CHRONO | AttributeId::CALL);
        if is_found_anyway || trace.is_part_of_key(self.attribute) {
            return None;
        }
        let value = match self.form.as_slice() {
            [FormOp::Number(number)] => trace.value_indexes.of_number(number),
            [FormOp::Atom(name)] => trace.value_indexes.of_text(name.as_str()),
            [FormOp::Str(text)] => trace.value_indexes.of_text(text),
            _ => return None,
        };
        Some((IndexedPart::Attribute(self.attribute), value))
    }

    /// `attribute = form`, as written in a query.
    pub(crate) fn text(&self, trace: &Trace) -> String {
        let name = &trace.schema().get(self.attribute).name;
        match self.form.as_slice() {
            [] => format!("{name} = ..."),
            [FormOp::Any] => name.to_string(),
            [FormOp::Range(Some(low), None)] => format!("{name} >{} {}", equal_sign(low), low.number),
            [FormOp::Range(None, Some(high))] if high.is_included => format!("{name} =< {}", high.number),
            [FormOp::Range(None, Some(high))] => format!("{name} < {}", high.number),
            form => format!("{name} = {}", form_text(form)),
        }
    }
}

impl Trace {
    /// Whether some values of an attribute are integers and others floats.
    pub(crate) fn mixes_numbers(&self, attribute: AttributeId) -> bool {
        Numbers::of(&self.entries(self.column_of(attribute))) == Numbers::Mixed
    }
}

/// So many values of another type are looked for.
const MOST_NEAR: usize = 64;

/// A mixed value as one of another type, in stored form, and the value itself: a text as the number that it shows, and a
/// number as its text.
fn of_other_type(entry: &DistinctValue<'_>) -> Option<(String, FormOp)> {
    let DistinctValue::Mixed(stored) = entry else { return None };
    if let Some(text) = entry.text() {
        let number = match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(value), _) => format!("i{value}"),
            (_, Ok(value)) if value.is_finite() => format!("f{value:?}"),
            _ => return None,
        };
        return Some((number, FormOp::Str(text.to_string())));
    }
    let text = stored.strip_prefix(['i', 'f'])?;
    let number = match (text.parse(), text.parse()) {
        (Ok(value), _) => Number::Int(value),
        (_, Ok(value)) => Number::Float(value),
        _ => return None,
    };
    Some((format!("a{text}"), FormOp::Number(number)))
}

/// As [`Constraint::compared_texts`], for the argument with this number, counted from 1.
pub(crate) fn compared_arguments(trace: &Trace, number: usize) -> Option<String> {
    let mut first: Option<String> = None;
    for event in 0..trace.n_events() {
        let Value::Args(list) = trace.value(event, AttributeId::ARGS) else { continue };
        let Some(argument) = list.part(number - 1).filter(|argument| *argument != NOT_LIVE) else { continue };
        match simple_term(argument) {
            Some(SimpleTerm::Text(text)) if argument != "[]" => {
                first.get_or_insert_with(|| text.into_owned());
            }
            _ => return None,
        }
    }
    first.map(|first| format!("arg({number}) holds texts ({}, ...)", shown_text(&first)))
}

/// The form with alternative spellings replaced by the values that they mean.
fn spelled(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Vec<FormOp> {
    let attribute = trace.schema().get(attribute);
    let value = |op: &FormOp| match op {
        FormOp::Atom(word) => FormOp::Atom(Atom::new(attribute.value_of(word.as_str()))),
        FormOp::Str(word) => FormOp::Str(attribute.value_of(word).to_owned()),
        other => other.clone(),
    };
    match attribute.spellings {
        [] => form.to_vec(),
        _ => form.iter().map(value).collect(),
    }
}

/// The start of a text, as written in a goal.
fn shown_text(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}

fn equal_sign(end: &Bound) -> &'static str {
    if end.is_included { "=" } else { "" }
}

fn malformed(trace: &Trace, attribute: AttributeId) -> ConstraintError {
    ConstraintError::Malformed { attribute: trace.schema().get(attribute).name.to_string() }
}

fn wrong_type(trace: &Trace, attribute: AttributeId, found: String) -> ConstraintError {
    let attribute = trace.schema().get(attribute);
    let (name, expected) = (attribute.name.to_string(), attribute.kind.describe());
    let own = Some(format!("{name}_")).filter(|own| trace.schema().find(own).is_some_and(|id| trace.schema().has(id)));
    ConstraintError::WrongType { attribute: name, expected, found, own }
}

/// Checks that every simple form can apply to the attribute.
fn check(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Result<(), ConstraintError> {
    let kind = trace.schema().asked_type(attribute);
    for op in form {
        match (kind, op) {
            (AttributeType::Computed, _) => {
                let attribute = trace.schema().get(attribute).name.to_string();
                return Err(ConstraintError::Computed { attribute });
            }
            (AttributeType::Proc, FormOp::Proc(pattern)) => {
                for (attribute, form) in pattern.parts() {
                    if !is_half_of_name(trace, attribute) {
                        check_part(trace, attribute)?;
                    }
                    check(trace, attribute, form)?;
                }
            }
            (kind, op) if !is_allowed(kind, op) => {
                return Err(wrong_type(trace, attribute, leaf_text(op)));
            }
            (kind, FormOp::Atom(_) | FormOp::Str(_) | FormOp::Number(_)) => {
                let word = characters(op);
                match (kind, attribute) {
                    (AttributeType::Port, _) => check_port(trace, &word)?,
                    (_, AttributeId::DET) => check_det(trace, &word)?,
                    _ => check_word(trace, attribute, &word)?,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// In a format with own ports, only one that no event has and that is like a port of the format is a mistake.
fn check_port(trace: &Trace, port: &str) -> Result<(), ConstraintError> {
    let ports = &trace.origin().ports;
    let known = match ports.is_closed() {
        true => "the ports of this format are",
        false => "no event has it, and the ports that the format knows are",
    };
    let is_own = || trace.ports().any(|(_, own)| own.as_str() == port) || misspelt(port, ports.spellings()).is_none();
    match ports.find(port).is_some() || !ports.is_closed() && is_own() {
        true => Ok(()),
        false => Err(unknown_word("port", port, ports.spellings(), known, ports.records().iter().map(|one| one.name))),
    }
}

/// Only Mercury's determinisms are valid, unless the trace has others.
fn check_det(trace: &Trace, det: &str) -> Result<(), ConstraintError> {
    let is_known = |name: &str| {
        determinism::DETERMINISMS.iter().any(|(own, _)| determinism::spellings(own).any(|one| one == name))
    };
    if is_known(det) || trace.dets().any(|det| !is_known(det.as_str())) {
        return Ok(());
    }
    let names = || determinism::DETERMINISMS.iter().map(|(name, _)| *name);
    Err(unknown_word("determinism", det, names(), "determinisms are", names()))
}

/// Only the words that the format states for an attribute are valid, unless an event has another.
fn check_word(trace: &Trace, attribute: AttributeId, word: &str) -> Result<(), ConstraintError> {
    let spellings = trace.schema().get(attribute).spellings;
    let is_held = || trace.entries(trace.column_of(attribute)).iter().any(|value| value.text() == Some(word));
    if spellings.is_empty() || spellings.iter().any(|(spelling, _)| *spelling == word) || is_held() {
        return Ok(());
    }
    let (name, known) = (&trace.schema().get(attribute).name, "its values are");
    let own = spellings.iter().filter(|(spelling, value)| spelling == value).map(|(spelling, _)| *spelling);
    Err(unknown_word(name, word, spellings.iter().map(|(spelling, _)| *spelling), known, own))
}

fn unknown_word<'w>(
    domain: &str,
    found: &str,
    spellings: impl Iterator<Item = &'w str>,
    known: &str,
    words: impl Iterator<Item = &'w str>,
) -> ConstraintError {
    ConstraintError::UnknownWord {
        domain: domain.into(),
        found: found.into(),
        nearest: nearest(found, spellings).map(str::to_string),
        known: known.into(),
        words: words.map(str::to_string).collect(),
    }
}

fn check_part(trace: &Trace, part: AttributeId) -> Result<(), ConstraintError> {
    let Err(SchemaError::Absent { name, .. }) = trace.schema().ask(part) else { return Ok(()) };
    let parts = [
        AttributeId::PROC_TYPE,
        AttributeId::DECL_MODULE,
        AttributeId::NAME,
        AttributeId::ARITY,
        AttributeId::MODE_NUMBER,
    ];
    let has = parts.into_iter().filter(|part| trace.schema().has(*part));
    Err(ConstraintError::PartAbsent {
        part: name,
        has: has.map(|part| trace.schema().get(part).name.to_string()).collect(),
    })
}

fn values(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Option<SatisfyingValues> {
    Some(match attribute {
        AttributeId::CHRONO => SatisfyingValues::Chronos(intervals(trace, attribute, form)?),
        AttributeId::CALL => SatisfyingValues::Calls(intervals(trace, attribute, form)?),
        // only their presence matters, so texts that were left in the file need not be read
        AttributeId::ARGS if matches!(form, [FormOp::Any]) => {
            SatisfyingValues::Ints(TraceColumn::HasArgs, Intervals::all())
        }
        attribute => match trace.column_of(attribute) {
            TraceColumn::Key => SatisfyingValues::Codes(TraceColumn::Key, key_codes(trace, attribute, form)?),
            column => match trace.stored(column) {
                Some(Stored::Ints(..) | Stored::Wide(_)) => {
                    SatisfyingValues::Ints(column, intervals(trace, attribute, form)?)
                }
                Some(Stored::Codes(_)) | None => SatisfyingValues::Codes(column, codes(&trace.entries(column), form)?),
            },
        },
    })
}

/// Whether a value, given as the text of a term, satisfies a form.
pub(crate) fn term_satisfies(text: &str, form: &[FormOp]) -> bool {
    let stored = format!("t{text}");
    codes(&[DistinctValue::Mixed(&stored)], form).is_some_and(|satisfied| satisfied == [1])
}

/// Which of some values in stored form satisfy a form, if integers and floats are equal by value.
pub(crate) fn satisfied(values: &[String], form: &[FormOp]) -> Option<Vec<u8>> {
    let entries: Vec<DistinctValue<'_>> = values.iter().map(|value| DistinctValue::Mixed(value)).collect();
    let bit = |op: &FormOp, entry: &DistinctValue<'_>| u8::from(is_match(op, entry, Numbers::Integers));
    tables(&entries, form, |op| Some(entries.iter().map(|entry| bit(op, entry)).collect()))
}

/// The integers that satisfy a form, of those that an attribute has.
fn intervals(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Option<Intervals> {
    let known = |take: &mut dyn FnMut(i64)| {
        let value = |event| match trace.value(event, attribute) {
            Value::Int(value) => Some(value),
            _ => None,
        };
        (0..trace.n_events()).filter_map(value).collect::<HashSet<i64>>().into_iter().for_each(take);
    };
    let leaf = |op: &FormOp| Ok::<Intervals, Infallible>(integers(op, known));
    let Ok(set) = evaluate(form, leaf, |sets| Intervals::union(&sets), |set| set.complement());
    set
}

/// Which of `entries` satisfy a form; an absent one never does, not even under `not`.
fn codes(entries: &[DistinctValue<'_>], form: &[FormOp]) -> Option<Vec<u8>> {
    let numbers = Numbers::of(entries);
    tables(entries, form, |op| Some(entries.iter().map(|entry| u8::from(is_match(op, entry, numbers))).collect()))
}

/// As `codes`, but `leaf` computes the table of each simple form.
fn tables(
    entries: &[DistinctValue<'_>],
    form: &[FormOp],
    leaf: impl Fn(&FormOp) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let any_of = |sets: Vec<Vec<u8>>| {
        let mut union = vec![0; entries.len()];
        sets.iter().for_each(|set| union.iter_mut().zip(set).for_each(|(bit, other)| *bit |= other));
        union
    };
    let not = |set: Vec<u8>| {
        let outside = |(bit, entry): (u8, &DistinctValue<'_>)| u8::from(bit == 0 && !entry.is_absent());
        set.into_iter().zip(entries).map(outside).collect()
    };
    evaluate(form, |op| leaf(op).ok_or(()), any_of, not).ok().flatten()
}

/// The keys that satisfy a form about one of their parts.
fn key_codes(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Option<Vec<u8>> {
    let entries = trace.key_entries(attribute);
    match attribute {
        AttributeId::PROC => {}
        AttributeId::PORT | AttributeId::DET => return codes(&entries, &canonical(trace, attribute, form)),
        _ => return codes(&entries, form),
    }
    let names = trace.key_entries(AttributeId::NAME);
    tables(&entries, form, |op| match op {
        FormOp::Proc(pattern) => proc_codes(trace, pattern),
        FormOp::Any => codes(&entries, &[FormOp::Any]),
        name => codes(&names, std::slice::from_ref(name)),
    })
}

/// The form with each spelling of a port or determinism replaced by the stored ones.
pub(crate) fn canonical(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Vec<FormOp> {
    let mut canonical = Vec::with_capacity(form.len());
    for op in form {
        let name = match op {
            FormOp::Atom(name) => Some(name.as_str()),
            FormOp::Str(text) => Some(text.as_str()),
            _ => None,
        };
        match (name, attribute) {
            (Some(name), AttributeId::PORT) => {
                let record = trace.origin().ports.find(name);
                canonical.push(FormOp::Atom(Atom::new(record.map_or(name, |record| record.name))));
            }
            (Some(name), AttributeId::DET) => {
                let spellings = determinism::spellings(name);
                canonical.extend(spellings.clone().map(|name| FormOp::Atom(Atom::new(name))));
                canonical.push(FormOp::AnyOf(spellings.count()));
            }
            _ => canonical.push(op.clone()),
        }
    }
    canonical
}

/// The keys whose procedure matches the pattern.
fn proc_codes(trace: &Trace, pattern: &ProcPattern) -> Option<Vec<u8>> {
    let mut all = codes(&trace.key_entries(AttributeId::PROC), &[FormOp::Any])?;
    let halves = pattern.parts().any(|(attribute, _)| is_half_of_name(trace, attribute));
    for (attribute, form) in pattern.parts() {
        let entries = match attribute {
            AttributeId::DECL_MODULE | AttributeId::NAME if halves => halves_of_names(trace, attribute),
            _ => trace.key_entries(attribute),
        };
        let part = codes(&entries, form)?;
        all.iter_mut().zip(part).for_each(|(bit, other)| *bit &= other);
    }
    Some(all)
}

/// Whether the attribute is a module that the trace keeps as a part of the name.
fn is_half_of_name(trace: &Trace, attribute: AttributeId) -> bool {
    attribute == AttributeId::DECL_MODULE && trace.has_modules_in_names()
}

impl Trace {
    /// Whether the trace has no modules, but names like `resource.proc`.
    pub(crate) fn has_modules_in_names(&self) -> bool {
        let is_dotted = |name: Atom| halves(name).is_some();
        !self.schema().has(AttributeId::DECL_MODULE) && self.procs().any(|(_, proc)| proc.name.is_some_and(is_dotted))
    }

    /// The part of an event's name that a pattern `Module:Name` compares as module or as name.
    pub(crate) fn half_of_name(&self, event: EventId, attribute: AttributeId) -> Option<Atom> {
        half(self.proc(self.proc_of(event)?).name?, attribute)
    }
}

/// The part of a name before its last full stop, or after it; a name without a full stop has no module.
fn half(name: Atom, attribute: AttributeId) -> Option<Atom> {
    match (halves(name), attribute) {
        (Some((module, _)), AttributeId::DECL_MODULE) => Some(Atom::new(module)),
        (Some((_, own)), _) => Some(Atom::new(own)),
        (None, AttributeId::DECL_MODULE) => None,
        (None, _) => Some(name),
    }
}

/// `resource` and `proc` of `resource.proc`.
fn halves(name: Atom) -> Option<(&'static str, &'static str)> {
    name.as_str().rsplit_once('.').filter(|(module, own)| !module.is_empty() && !own.is_empty())
}

/// The halves of the names of all keys.
fn halves_of_names(trace: &Trace, attribute: AttributeId) -> Vec<DistinctValue<'_>> {
    let half = |entry: DistinctValue<'_>| match entry {
        DistinctValue::Atom(name) => half(name, attribute).map_or(DistinctValue::Absent, DistinctValue::Atom),
        _ => DistinctValue::Absent,
    };
    trace.key_entries(AttributeId::NAME).into_iter().map(half).collect()
}
