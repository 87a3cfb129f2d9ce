//! A number outside the heap, and the exact order of numbers.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::cell::Cell;
use super::super::error::{Stop, evaluation_error, resource_error, type_error};
use super::super::store::{Store, Term};

/// The most bits that the result of a function may have: a larger one is a resource error.
///
/// Such a number has two and a half million digits; multiplying two of half that size takes less than a second.
pub(super) const MAX_BITS: u64 = 1 << 23;

/// The most steps on words that a function may take whose work grows with the square of its arguments.
const MAX_WORK: u64 = 1 << 31;

/// A value of arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// An integer that fits in 64 bits.
    Int(i64),
    /// An integer that does not.
    Big(BigInt),
    /// A double.
    Float(f64),
}

impl Number {
    /// The number that a term is, if it is one.
    pub fn of(store: &Store, cell: Cell) -> Option<Number> {
        match store.look(cell) {
            Term::Int(value) => Some(Number::Int(value)),
            Term::BigInt(value) => Some(Number::Big(value.clone())),
            Term::Float(value) => Some(Number::Float(value)),
            _ => None,
        }
    }

    /// The number as a term.
    pub fn to_cell(self, store: &mut Store) -> Cell {
        match self {
            Number::Int(value) => store.int(value),
            Number::Big(value) => store.bigint(value),
            Number::Float(value) => store.float(value),
        }
    }

    /// The nearest double; an integer beyond the largest is a float overflow.
    pub fn to_float(&self) -> Result<f64, Stop> {
        match self {
            Number::Int(value) => Ok(*value as f64),
            Number::Float(value) => Ok(*value),
            Number::Big(value) => {
                value.to_f64().filter(|value| value.is_finite()).ok_or_else(|| evaluation_error("float_overflow"))
            }
        }
    }

    /// The value as an integer of any size; a float is a type error.
    pub fn to_integer(&self) -> Result<Cow<'_, BigInt>, Stop> {
        match self {
            Number::Int(value) => Ok(Cow::Owned(BigInt::from(*value))),
            Number::Big(value) => Ok(Cow::Borrowed(value)),
            Number::Float(_) => Err(self.type_error("integer")),
        }
    }

    /// Whether this is a float.
    pub fn is_float(&self) -> bool {
        matches!(self, Number::Float(_))
    }

    /// `type_error(kind, Self)`.
    pub(super) fn type_error(&self, kind: &str) -> Stop {
        let mut store = Store::new();
        let culprit = self.clone().to_cell(&mut store);
        type_error(&store, kind, culprit)
    }

    /// Less than, equal to or greater than zero; not-a-number counts as zero.
    pub fn sign(&self) -> Ordering {
        match self {
            Number::Int(value) => value.cmp(&0),
            Number::Big(value) => value.cmp(&BigInt::ZERO),
            Number::Float(value) => value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        }
    }

    /// Bits that the magnitude of an integer takes.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Number::Int(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Number::Big(value) => value.bits(),
            Number::Float(_) => 64,
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number::Float(value)
    }
}

impl From<BigInt> for Number {
    fn from(value: BigInt) -> Number {
        value.to_i64().map_or(Number::Big(value), Number::Int)
    }
}

/// An integer's value from a float that is whole already; infinities and not-a-number have none.
pub(super) fn integer_from_float(value: f64) -> Result<Number, Stop> {
    if value.abs() < 9.0e18 {
        return Ok(Number::Int(value as i64));
    }
    BigInt::from_f64(value).map(Number::from).ok_or_else(|| evaluation_error("undefined"))
}

/// A result of so many bits would be too large to make.
pub(super) fn check_bits(bits: u64) -> Result<(), Stop> {
    if bits > MAX_BITS { Err(resource_error("memory")) } else { Ok(()) }
}

/// Work of so many rounds on numbers of so many bits would take too long.
pub(super) fn check_work(rounds: u64, bits: u64, other_bits: u64) -> Result<(), Stop> {
    let words = |bits: u64| bits / 64 + 1;
    let work = rounds.saturating_mul(words(bits)).saturating_mul(words(other_bits));
    if work > MAX_WORK { Err(resource_error("time")) } else { Ok(()) }
}

/// The order of two numbers by value, exact between integers and floats; not-a-number is less than everything, itself
/// included, so that it is never equal.
pub fn compare(a: &Number, b: &Number) -> Ordering {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(b),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Less),
        (Number::Float(a), b) => float_against(*a, b),
        (a, Number::Float(b)) if b.is_nan() => {
            debug_assert!(!a.is_float());
            Ordering::Less
        }
        (a, Number::Float(b)) => float_against(*b, a).reverse(),
        (Number::Big(a), Number::Big(b)) => a.cmp(b),
        (a, b) => {
            let big = |number: &Number| number.to_integer().map(Cow::into_owned).unwrap_or_default();
            big(a).cmp(&big(b))
        }
    }
}

fn float_against(float: f64, int: &Number) -> Ordering {
    if float.is_nan() {
        return Ordering::Less;
    }
    if let Number::Int(int) = int
        && int.unsigned_abs() < 1 << 53
    {
        return float.partial_cmp(&(*int as f64)).unwrap_or(Ordering::Less);
    }
    let Some(floor) = BigInt::from_f64(float.floor()) else {
        return if float > 0.0 { Ordering::Greater } else { Ordering::Less };
    };
    let order = match int {
        Number::Int(int) => floor.cmp(&BigInt::from(*int)),
        Number::Big(int) => floor.cmp(int),
        Number::Float(_) => Ordering::Equal,
    };
    order.then(if float.fract() == 0.0 { Ordering::Equal } else { Ordering::Greater })
}
