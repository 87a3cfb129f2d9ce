//! The meaning of a simple form: the attributes that it can apply to, and the values that satisfy it.
//!
//! A constraint means the same as the test on the value as a term: numbers are compared by value whatever their kinds,
//! only numbers are less or greater than a number, and a text equals the atom and the string with the same characters.

use std::cmp::Ordering;

use crate::term::number::{Number, compare};

use super::distinct_values::DistinctValue;
use super::form::FormOp;
use crate::trace::column::intervals::{Bound, Intervals};
use crate::trace::column::paths::is_path_match;
use crate::trace::event::schema::AttributeType;
use crate::trace::event::simple_term::{SimpleTerm, searched_text, simple_term};

/// Whether a form can apply to an attribute of that type.
pub(crate) fn is_allowed(kind: AttributeType, op: &FormOp) -> bool {
    use FormOp::{Any, AnyOf, Atom, Not, Number, Path, Proc, Range, Regex, Str};
    let is_simple = matches!(op, Number(_) | Range(..) | Atom(_) | Str(_) | Regex(_));
    matches!(
        (kind, op),
        (_, Any | AnyOf(_) | Not)
            | (AttributeType::Integer, Number(_) | Range(..))
            | (AttributeType::Name | AttributeType::Port | AttributeType::Proc, Atom(_) | Str(_) | Regex(_))
            | (AttributeType::Proc, Proc(_))
            | (AttributeType::GoalPath, Path(_))
            | (AttributeType::Args | AttributeType::Texts, Regex(_))
    ) || kind == AttributeType::Any && is_simple
}

/// The kinds of numbers in a column. If there is only one kind, a number of the other kind equals one of the column by
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Integers,
    Floats,
    Mixed,
}

impl Numbers {
    /// The kinds among these values.
    pub(crate) fn of(entries: &[DistinctValue<'_>]) -> Numbers {
        match Numbers::kinds(entries) {
            (true, true) => Numbers::Mixed,
            (_, false) => Numbers::Integers,
            (false, true) => Numbers::Floats,
        }
    }

    /// Whether these values contain integers, and floats.
    pub(crate) fn kinds(entries: &[DistinctValue<'_>]) -> (bool, bool) {
        let (mut integers, mut floats) = (false, false);
        for entry in entries {
            match entry {
                DistinctValue::Int(_) => integers = true,
                DistinctValue::Mixed(stored) => match stored.as_bytes().first() {
                    Some(b'i' | b'n') => integers = true,
                    Some(b'f') => floats = true,
                    _ => {}
                },
                _ => {}
            }
        }
        (integers, floats)
    }
}

/// Whether a value of a column with such numbers satisfies a simple form.
pub(crate) fn is_match(op: &FormOp, entry: &DistinctValue<'_>, numbers: Numbers) -> bool {
    match (op, entry) {
        (_, DistinctValue::Absent) => false,
        (FormOp::Any, _) => true,
        (op, DistinctValue::Mixed(stored)) => is_mixed_match(op, stored, numbers),
        (op, DistinctValue::Int(value)) => is_number_match(op, &Number::Int(*value), numbers),
        (op, DistinctValue::Atom(name)) => is_text_match(op, name.as_str()),
        (FormOp::Path(steps), DistinctValue::Path(path)) => is_path_match(steps, path),
        (FormOp::Regex(regex), DistinctValue::List(list)) => regex.is_match(&list.whole()),
        _ => false,
    }
}

/// The integers that satisfy a simple form, in a column of integers only; `known` calls a function with those that it has.
pub(crate) fn integers(op: &FormOp, known: impl Fn(&mut dyn FnMut(i64))) -> Intervals {
    match op {
        FormOp::Regex(regex) => {
            let mut found = Vec::new();
            known(&mut |value| {
                found.extend(regex.is_match(&value.to_string()).then(|| Intervals::range(value, value)))
            });
            Intervals::union(&found)
        }
        FormOp::Number(number) => Intervals::equal_to(number),
        FormOp::Range(low, high) => Intervals::between(low.as_ref(), high.as_ref()),
        FormOp::Any => Intervals::all(),
        _ => Intervals::default(),
    }
}

fn is_mixed_match(op: &FormOp, stored: &str, numbers: Numbers) -> bool {
    let Some((letter, text)) = stored.split_at_checked(1) else { return false };
    match (op, letter) {
        (_, "a" | "s") => is_text_match(op, text),
        (FormOp::Atom(atom), "b") => atom.as_str() == text,
        (FormOp::Number(_) | FormOp::Range(..), "i" | "n" | "f") => {
            number(letter, text).is_some_and(|value| is_number_match(op, &value, numbers))
        }
        (FormOp::Regex(regex), "t") => regex.is_match(&searched_text(text)),
        (FormOp::Regex(regex), "j" | "i" | "n" | "f") => regex.is_match(text),
        (FormOp::Number(_) | FormOp::Range(..) | FormOp::Atom(_) | FormOp::Str(_), "t") => is_term_match(op, text),
        _ => false,
    }
}

/// The number that is stored after a letter for its kind.
fn number(letter: &str, text: &str) -> Option<Number> {
    match letter {
        "f" => text.parse().ok().map(Number::Float),
        "i" => text.parse().ok().map(Number::Int),
        _ => match simple_term(text) {
            Some(SimpleTerm::Number(number)) => Some(number),
            _ => None,
        },
    }
}

fn is_text_match(op: &FormOp, text: &str) -> bool {
    match op {
        FormOp::Atom(name) => name.as_str() == text,
        FormOp::Str(asked) => asked == text,
        FormOp::Regex(regex) => regex.is_match(text),
        _ => false,
    }
}

/// Whether a text, read as a term, satisfies a form about numbers, names and texts.
fn is_term_match(op: &FormOp, text: &str) -> bool {
    let may_be = |asked: &str| text.contains(asked) || text.contains('\\');
    let is_worth_reading = match op {
        FormOp::Atom(name) => may_be(name.as_str()),
        FormOp::Str(asked) => may_be(asked),
        _ => true,
    };
    is_worth_reading
        && match simple_term(text) {
            Some(SimpleTerm::Number(value)) => is_number_match(op, &value, Numbers::Mixed),
            Some(SimpleTerm::Text(text)) => is_text_match(op, &text),
            None => false,
        }
}

fn is_number_match(op: &FormOp, value: &Number, numbers: Numbers) -> bool {
    match op {
        FormOp::Number(asked) => is_equal(asked, value, numbers),
        FormOp::Range(low, high) => {
            let order = |end: &Bound| compare(value, &end.number);
            let is_above = |end: &Bound| is_on_side(order(end), Ordering::Greater, end);
            let is_below = |end: &Bound| is_on_side(order(end), Ordering::Less, end);
            !is_nan(value) && low.as_ref().is_none_or(is_above) && high.as_ref().is_none_or(is_below)
        }
        _ => false,
    }
}

/// Whether a value that compares like this to a bound is on the side that the range is on.
fn is_on_side(order: Ordering, side: Ordering, end: &Bound) -> bool {
    !is_nan(&end.number) && (order == side || end.is_included && order.is_eq())
}

fn is_nan(number: &Number) -> bool {
    matches!(number, Number::Float(value) if value.is_nan())
}

/// Equality of terms, where no integer equals a float. If all numbers of the column are of one kind and the form asks
/// for a number of the other kind, equality by value.
fn is_equal(asked: &Number, value: &Number, numbers: Numbers) -> bool {
    match (asked, value) {
        (Number::Float(asked), Number::Float(value)) => asked.to_bits() == value.to_bits(),
        _ if asked.is_float() == value.is_float() || numbers != Numbers::Mixed => compare(asked, value).is_eq(),
        _ => false,
    }
}
