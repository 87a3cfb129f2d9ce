//! Simple forms: which types of attribute they can be meant for, and which values they hold of.

use super::entry::Entry;
use super::form::FormOp;
use super::intervals::Intervals;
use super::paths::is_path_match;
use super::schema::AttributeType;

/// Whether a form can be meant for an attribute of that type.
pub(super) fn is_allowed(kind: AttributeType, op: &FormOp) -> bool {
    use FormOp::{Any, AnyOf, Atom, Between, BigInt, Float, Int, Not, Path, Proc, Range, Regex, Str};
    match (kind, op) {
        (_, Any | AnyOf(_) | Not) => true,
        (AttributeType::Integer, Int(_) | BigInt | Range(..) | Between(..)) => true,
        (AttributeType::Name | AttributeType::Port | AttributeType::Proc, Atom(_) | Regex(_)) => true,
        (AttributeType::Proc, Proc(_)) | (AttributeType::GoalPath, Path(_)) => true,
        (AttributeType::Args | AttributeType::Texts, Regex(_)) => true,
        (AttributeType::Any, Path(_) | Proc(_)) => false,
        (AttributeType::Any, Int(_) | BigInt | Range(..) | Between(..) | Atom(_) | Str(_) | Float(_) | Regex(_)) => {
            true
        }
        _ => false,
    }
}

/// Whether a simple form holds of a value.
pub(super) fn is_match(op: &FormOp, entry: &Entry<'_>) -> bool {
    match (op, entry) {
        (_, Entry::Absent) => false,
        (FormOp::Any, _) => true,
        (op, Entry::Mixed(stored)) => is_mixed_match(op, stored),
        (op, Entry::Int(value)) => is_integer_match(op, *value),
        (FormOp::Atom(atom), Entry::Atom(value)) => atom == value,
        (FormOp::Regex(regex), Entry::Atom(name)) => regex.is_match(name.as_str()),
        (FormOp::Path(steps), Entry::Path(path)) => is_path_match(steps, path),
        (FormOp::Regex(regex), Entry::List(list)) => regex.is_match(&list.whole()),
        _ => false,
    }
}

fn is_integer_match(op: &FormOp, value: i64) -> bool {
    match op {
        FormOp::Int(asked) => *asked == value,
        FormOp::Range(low, high) => low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high),
        FormOp::Between(low, high) => Intervals::between(*low, *high).contains(value),
        _ => false,
    }
}

/// A mixed value equals only one of its own type; a range is of numbers of any type.
fn is_mixed_match(op: &FormOp, stored: &str) -> bool {
    let Some((letter, text)) = stored.split_at_checked(1) else { return false };
    match (op, letter) {
        (op, "i") => text.parse().is_ok_and(|value| is_integer_match(op, value)),
        (op, "f") => text.parse().is_ok_and(|value| is_float_match(op, value)),
        (FormOp::Atom(atom), "a" | "s" | "b") => atom.as_str() == text,
        (FormOp::Str(asked), "a" | "s") => asked == text,
        (FormOp::Regex(regex), _) => regex.is_match(text),
        _ => false,
    }
}

fn is_float_match(op: &FormOp, value: f64) -> bool {
    match op {
        FormOp::Float(asked) => *asked == value,
        FormOp::Range(low, high) => {
            low.is_none_or(|low| low as f64 <= value) && high.is_none_or(|high| value <= high as f64)
        }
        FormOp::Between(low, high) => low.is_none_or(|low| low < value) && high.is_none_or(|high| value < high),
        _ => false,
    }
}
