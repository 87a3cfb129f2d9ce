//! The four basic operations, and functions that are primarily defined on integers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

use super::float::checked;
use super::number::{Number, check_bits, check_work, compare};
use crate::engine::heap::{Stop, evaluation_error};

/// One operation on small integers (`None` on overflow), on big integers and on floats.
struct ArithmeticOperation {
    small: fn(i64, i64) -> Option<i64>,
    big: fn(&BigInt, &BigInt) -> BigInt,
    float: fn(f64, f64) -> f64,
}

impl ArithmeticOperation {
    fn apply(&self, x: &Number, y: &Number) -> Result<Number, Stop> {
        match (x, y) {
            (Number::Float(_), _) | (_, Number::Float(_)) => {
                let (x, y) = (x.to_float()?, y.to_float()?);
                checked((self.float)(x, y), &[x, y])
            }
            _ => self.integers(x, y),
        }
    }

    fn integers(&self, x: &Number, y: &Number) -> Result<Number, Stop> {
        if let (Number::Int(x), Number::Int(y)) = (x, y)
            && let Some(value) = (self.small)(*x, *y)
        {
            return Ok(Number::Int(value));
        }
        Ok(Number::from((self.big)(x.to_integer()?.as_ref(), y.to_integer()?.as_ref())))
    }
}

pub(super) fn add(x: &Number, y: &Number) -> Result<Number, Stop> {
    ArithmeticOperation { small: i64::checked_add, big: |x, y| x + y, float: |x, y| x + y }.apply(x, y)
}

pub(super) fn subtract(x: &Number, y: &Number) -> Result<Number, Stop> {
    ArithmeticOperation { small: i64::checked_sub, big: |x, y| x - y, float: |x, y| x - y }.apply(x, y)
}

pub(super) fn multiply(x: &Number, y: &Number) -> Result<Number, Stop> {
    check_bits(x.bits() + y.bits())?;
    ArithmeticOperation { small: i64::checked_mul, big: |x, y| x * y, float: |x, y| x * y }.apply(x, y)
}

pub(super) fn divide(x: &Number, y: &Number) -> Result<Number, Stop> {
    if x.is_float() || y.is_float() {
        let (x, y) = (x.to_float()?, y.to_float()?);
        return match y == 0.0 {
            true if x == 0.0 || x.is_nan() => Err(evaluation_error("undefined")),
            true => Err(evaluation_error("zero_divisor")),
            false => checked(x / y, &[x, y]),
        };
    }
    check_divisor(y)?;
    match (x, y) {
        (Number::Int(x), Number::Int(y))
            if x.checked_rem(*y).is_some_and(|rest| rest != 0) && exact(*x) && exact(*y) =>
        {
            Ok(Number::Float(*x as f64 / *y as f64))
        }
        _ => divide_integers(x.to_integer()?.as_ref(), y.to_integer()?.as_ref()),
    }
}

/// Whether a double holds the integer exactly.
fn exact(value: i64) -> bool {
    value.unsigned_abs() <= 1 << 53
}

fn divide_integers(x: &BigInt, y: &BigInt) -> Result<Number, Stop> {
    let (quotient, rest) = x.div_rem(y);
    if rest.is_zero() {
        return Ok(Number::from(quotient));
    }
    checked(quotient_as_float(&x.abs(), &y.abs()) * if x.is_negative() == y.is_negative() { 1.0 } else { -1.0 }, &[])
}

/// `x / y` of positive integers, rounded to the nearest double: 66 bits of the quotient are enough if the last is sticky.
fn quotient_as_float(x: &BigInt, y: &BigInt) -> f64 {
    let shift = 66 - (x.bits() as i64 - y.bits() as i64);
    let (x, y) = if shift >= 0 { (x << shift, y.clone()) } else { (x.clone(), y << -shift) };
    let (quotient, rest) = x.div_rem(&y);
    let sticky = if rest.is_zero() { quotient } else { quotient | BigInt::from(1) };
    let half = (-shift / 2).clamp(-2000, 2000) as i32;
    let other = (-shift - i64::from(half)).clamp(-2000, 2000) as i32;
    sticky.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(half) * 2f64.powi(other)
}

fn check_divisor(y: &Number) -> Result<(), Stop> {
    if y.sign().is_eq() { Err(evaluation_error("zero_divisor")) } else { Ok(()) }
}

/// An operation on two integers whose second operand must not be zero.
fn integer_division(
    x: &Number,
    y: &Number,
    small: fn(i64, i64) -> Option<i64>,
    big: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<Number, Stop> {
    match (x, y) {
        (Number::Int(a), Number::Int(b))
            if *b != 0
                && let Some(value) = small(*a, *b) =>
        {
            Ok(Number::Int(value))
        }
        _ => {
            let (a, b) = (x.to_integer()?, y.to_integer()?);
            check_divisor(y)?;
            Ok(Number::from(big(a.as_ref(), b.as_ref())))
        }
    }
}

/// An operation on integers only.
fn bitwise(
    x: &Number,
    y: &Number,
    small: fn(i64, i64) -> Option<i64>,
    big: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<Number, Stop> {
    match (x, y) {
        (Number::Int(a), Number::Int(b)) if let Some(value) = small(*a, *b) => Ok(Number::Int(value)),
        _ => Ok(Number::from(big(x.to_integer()?.as_ref(), y.to_integer()?.as_ref()))),
    }
}

pub(super) fn int_divide(x: &Number, y: &Number) -> Result<Number, Stop> {
    integer_division(x, y, i64::checked_div, |x, y| x / y)
}

pub(super) fn rem(x: &Number, y: &Number) -> Result<Number, Stop> {
    integer_division(x, y, i64::checked_rem, |x, y| x % y)
}

pub(super) fn div(x: &Number, y: &Number) -> Result<Number, Stop> {
    integer_division(x, y, |x, y| (y != -1).then(|| Integer::div_floor(&x, &y)), |x, y| x.div_floor(y))
}

pub(super) fn modulo(x: &Number, y: &Number) -> Result<Number, Stop> {
    integer_division(x, y, |x, y| Some(if y == -1 { 0 } else { Integer::mod_floor(&x, &y) }), |x, y| x.mod_floor(y))
}

/// Binary GCD: one round of subtraction and shifting per bit.
pub(super) fn gcd(x: &Number, y: &Number) -> Result<Number, Stop> {
    check_work(x.bits().min(y.bits()), x.bits().max(y.bits()), 1)?;
    bitwise(x, y, |_, _| None, |x, y| x.gcd(y))
}

pub(super) fn lcm(x: &Number, y: &Number) -> Result<Number, Stop> {
    check_bits(x.bits() + y.bits())?;
    check_work(x.bits().min(y.bits()), x.bits().max(y.bits()), 1)?;
    bitwise(x, y, |_, _| None, |x, y| x.lcm(y))
}

pub(super) fn bit_and(x: &Number, y: &Number) -> Result<Number, Stop> {
    bitwise(x, y, |x, y| Some(x & y), |x, y| x & y)
}

pub(super) fn bit_or(x: &Number, y: &Number) -> Result<Number, Stop> {
    bitwise(x, y, |x, y| Some(x | y), |x, y| x | y)
}

pub(super) fn xor(x: &Number, y: &Number) -> Result<Number, Stop> {
    bitwise(x, y, |x, y| Some(x ^ y), |x, y| x ^ y)
}

pub(super) fn complement(x: &Number) -> Result<Number, Stop> {
    match x {
        Number::Int(x) => Ok(Number::Int(!x)),
        _ => Ok(Number::from(!x.to_integer()?.into_owned())),
    }
}

pub(super) fn min(x: &Number, y: &Number) -> Result<Number, Stop> {
    Ok(lesser_or_float(compare(x, y), x, y))
}

pub(super) fn max(x: &Number, y: &Number) -> Result<Number, Stop> {
    Ok(lesser_or_float(compare(x, y).reverse(), x, y))
}

/// `x` if it is less, `y` if it is greater; of equal ones the float.
fn lesser_or_float(order: Ordering, x: &Number, y: &Number) -> Number {
    match order {
        Ordering::Less => x.clone(),
        Ordering::Greater => y.clone(),
        Ordering::Equal if x.is_float() => x.clone(),
        Ordering::Equal => y.clone(),
    }
}

pub(super) fn identity(x: &Number) -> Result<Number, Stop> {
    Ok(x.clone())
}

pub(super) fn negate(x: &Number) -> Result<Number, Stop> {
    Ok(match x {
        Number::Int(x) => x.checked_neg().map_or_else(|| Number::from(-BigInt::from(*x)), Number::Int),
        Number::Big(x) => Number::from(-x),
        Number::Float(x) => Number::Float(-x),
    })
}

pub(super) fn abs(x: &Number) -> Result<Number, Stop> {
    match x {
        Number::Float(x) => Ok(Number::Float(x.abs())),
        _ if x.sign().is_lt() => negate(x),
        _ => Ok(x.clone()),
    }
}

pub(super) fn sign(x: &Number) -> Result<Number, Stop> {
    Ok(match x {
        Number::Float(x) if *x == 0.0 || x.is_nan() => Number::Float(*x),
        Number::Float(x) => Number::Float(x.signum()),
        _ => Number::Int(x.sign() as i64),
    })
}

pub(super) fn succ(x: &Number) -> Result<Number, Stop> {
    x.to_integer()?;
    add(x, &Number::Int(1))
}
