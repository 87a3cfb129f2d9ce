//! Numbers outside the machine: integers of any size and floats, with an exact order.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// An integer that fits in 64 bits.
    Int(i64),
    /// An integer that does not.
    Big(BigInt),
    /// A double.
    Float(f64),
}

impl Number {
    /// Whether this is a float.
    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Number::Float(_))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Big(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value:?}"),
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

/// The order of two numbers by value, exact between integers and floats. NaN is less than every number and than itself,
/// and therefore never equal.
pub(crate) fn compare(a: &Number, b: &Number) -> Ordering {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(b),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Less),
        (Number::Float(a), b) => float_against(*a, b),
        (_, Number::Float(b)) if b.is_nan() => Ordering::Less,
        (a, Number::Float(b)) => float_against(*b, a).reverse(),
        (Number::Big(a), Number::Big(b)) => a.cmp(b),
        (Number::Big(a), Number::Int(b)) => a.cmp(&BigInt::from(*b)),
        (Number::Int(a), Number::Big(b)) => BigInt::from(*a).cmp(b),
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
