//! Numbers between the heap and arithmetic, and limits on their size.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use std::borrow::Cow;
use std::cmp::Ordering;

use crate::engine::heap::{Cell, Stop, Store, Term, evaluation_error, resource_error, type_error};

pub(crate) use crate::term::number::{Number, compare};

/// The most bits of a result; a larger one is a resource error.
///
/// Such a number has two and a half million digits; multiplying two numbers of half that size takes less than a second.
pub(super) const MAX_BITS: u64 = 1 << 23;

/// The most steps on words for functions whose work is quadratic.
const MAX_WORK: u64 = 1 << 31;

impl Number {
    /// The number that a term denotes, if it is one.
    pub(crate) fn of(store: &Store, cell: Cell) -> Option<Number> {
        match store.look(cell) {
            Term::Int(value) => Some(Number::Int(value)),
            Term::BigInt(value) => Some(Number::Big(value.clone())),
            Term::Float(value) => Some(Number::Float(value)),
            _ => None,
        }
    }

    /// The number as a term.
    pub(crate) fn into_cell(self, store: &mut Store) -> Cell {
        match self {
            Number::Int(value) => store.int(value),
            Number::Big(value) => store.bigint(value),
            Number::Float(value) => store.float(value),
        }
    }

    /// The nearest double; a float overflow for an integer beyond the largest.
    pub(crate) fn to_float(&self) -> Result<f64, Stop> {
        match self {
            Number::Int(value) => Ok(*value as f64),
            Number::Float(value) => Ok(*value),
            Number::Big(value) => {
                value.to_f64().filter(|value| value.is_finite()).ok_or_else(|| evaluation_error("float_overflow"))
            }
        }
    }

    /// The value as an integer of any size; a float is a type error.
    pub(crate) fn to_integer(&self) -> Result<Cow<'_, BigInt>, Stop> {
        match self {
            Number::Int(value) => Ok(Cow::Owned(BigInt::from(*value))),
            Number::Big(value) => Ok(Cow::Borrowed(value)),
            Number::Float(_) => Err(self.type_error("integer")),
        }
    }

    /// `type_error(kind, Self)`.
    pub(crate) fn type_error(&self, kind: &str) -> Stop {
        let mut store = Store::new();
        let culprit = self.clone().into_cell(&mut store);
        type_error(&store, kind, culprit)
    }

    /// Less than, equal to or greater than zero; NaN counts as zero.
    pub(crate) fn sign(&self) -> Ordering {
        match self {
            Number::Int(value) => value.cmp(&0),
            Number::Big(value) => value.cmp(&BigInt::ZERO),
            Number::Float(value) => value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        }
    }

    /// Number of bits in the magnitude of an integer.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Number::Int(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Number::Big(value) => value.bits(),
            Number::Float(_) => 64,
        }
    }
}

/// An integer from a float without fraction; undefined for infinities and NaN.
pub(super) fn integer_from_float(value: f64) -> Result<Number, Stop> {
    if value.abs() < 9.0e18 {
        return Ok(Number::Int(value as i64));
    }
    BigInt::from_f64(value).map(Number::from).ok_or_else(|| evaluation_error("undefined"))
}

/// An error if a result of this many bits would be too large.
pub(super) fn check_bits(bits: u64) -> Result<(), Stop> {
    if bits > MAX_BITS { Err(resource_error("memory")) } else { Ok(()) }
}

/// An error if this many rounds on numbers of these sizes would take too long.
pub(super) fn check_work(rounds: u64, bits: u64, other_bits: u64) -> Result<(), Stop> {
    let words = |bits: u64| bits / 64 + 1;
    let work = rounds.saturating_mul(words(bits)).saturating_mul(words(other_bits));
    if work > MAX_WORK { Err(resource_error("time")) } else { Ok(()) }
}

/// The order of two numbers by value, exact between integers and floats; NaN has no order.
pub(crate) fn order(a: &Number, b: &Number) -> Option<Ordering> {
    let is_nan = |number: &Number| matches!(number, Number::Float(value) if value.is_nan());
    (!is_nan(a) && !is_nan(b)).then(|| compare(a, b))
}
