//! Powers, shifts and single bits: functions whose results can grow without bound.

use num_bigint::BigInt;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::float::checked;
use super::number::{Number, check_bits, check_work};
use crate::engine::heap::{Stop, Store, domain_error, evaluation_error, resource_error};

/// `x ** y`: like `^` for two integers, except that a negative exponent gives a float.
pub(super) fn star_power(x: &Number, y: &Number) -> Result<Number, Stop> {
    if x.is_float() || y.is_float() || (y.sign().is_lt() && !is_unit(x)) {
        return float_power(x, y);
    }
    power(x, y)
}

/// `x ^ y`: an integer for two integers, or a type error if there is none.
pub(super) fn power(x: &Number, y: &Number) -> Result<Number, Stop> {
    if x.is_float() || y.is_float() {
        return float_power(x, y);
    }
    if is_unit(x) {
        return Ok(unit_power(x, y));
    }
    if y.sign().is_lt() {
        return Err(if matches!(x, Number::Int(0)) { evaluation_error("zero_divisor") } else { x.type_error("float") });
    }
    match (x, y) {
        (_, Number::Int(0)) => Ok(Number::Int(1)),
        (Number::Int(0), _) => Ok(Number::Int(0)),
        (x, Number::Int(exponent)) => integer_power(x, exponent.unsigned_abs()),
        _ => Err(resource_error("memory")),
    }
}

/// Whether `x` is 1 or -1.
fn is_unit(x: &Number) -> bool {
    matches!(x, Number::Int(1 | -1))
}

fn unit_power(x: &Number, y: &Number) -> Number {
    let odd = match y {
        Number::Int(y) => y & 1 == 1,
        Number::Big(y) => y.bit(0),
        Number::Float(_) => false,
    };
    if odd { x.clone() } else { Number::Int(1) }
}

/// Requires the magnitude of `x` to be at least 2.
fn integer_power(x: &Number, exponent: u64) -> Result<Number, Stop> {
    check_bits((x.bits() - 1).saturating_mul(exponent))?;
    if let (Number::Int(x), Ok(exponent)) = (x, u32::try_from(exponent))
        && let Some(value) = x.checked_pow(exponent)
    {
        return Ok(Number::Int(value));
    }
    Ok(Number::from(Pow::pow(x.to_integer()?.as_ref(), exponent)))
}

fn float_power(x: &Number, y: &Number) -> Result<Number, Stop> {
    let (x, y) = (x.to_float()?, y.to_float()?);
    if x == 0.0 && y < 0.0 {
        return Err(evaluation_error("zero_divisor"));
    }
    checked(x.powf(y), &[x, y])
}

/// `x ^ y mod m` without computing the power.
pub(super) fn powm(x: &Number, y: &Number, m: &Number) -> Result<Number, Stop> {
    let (x, exponent, modulus) = (x.to_integer()?, y.to_integer()?, m.to_integer()?);
    if modulus.is_zero() {
        return Err(evaluation_error("zero_divisor"));
    }
    if exponent.is_negative() {
        return Err(not_less_than(y, "not_less_than_zero"));
    }
    check_work(exponent.bits().saturating_mul(2), modulus.bits(), modulus.bits())?;
    Ok(Number::from(x.modpow(&exponent, &modulus)))
}

pub(super) fn shift_left(x: &Number, n: &Number) -> Result<Number, Stop> {
    x.to_integer()?;
    n.to_integer()?;
    match n {
        Number::Int(n) if *n >= 0 => left(x, n.unsigned_abs()),
        Number::Int(n) => right(x, n.unsigned_abs()),
        _ if n.sign().is_lt() => right(x, u64::MAX),
        _ => left(x, u64::MAX),
    }
}

pub(super) fn shift_right(x: &Number, n: &Number) -> Result<Number, Stop> {
    x.to_integer()?;
    n.to_integer()?;
    match n {
        Number::Int(n) if *n >= 0 => right(x, n.unsigned_abs()),
        Number::Int(n) => left(x, n.unsigned_abs()),
        _ if n.sign().is_lt() => left(x, u64::MAX),
        _ => right(x, u64::MAX),
    }
}

fn left(x: &Number, n: u64) -> Result<Number, Stop> {
    match x {
        Number::Int(0) => Ok(Number::Int(0)),
        Number::Int(x) if n < 63 && x.unsigned_abs().leading_zeros() as u64 > n + 1 => Ok(Number::Int(x << n)),
        _ => {
            check_bits(x.bits().saturating_add(n))?;
            Ok(Number::from(x.to_integer()?.into_owned() << n))
        }
    }
}

fn right(x: &Number, n: u64) -> Result<Number, Stop> {
    match x {
        Number::Int(x) => Ok(Number::Int(x >> n.min(63))),
        _ => Ok(Number::from(x.to_integer()?.into_owned() >> n.min(x.bits() + 1))),
    }
}

/// Bit `n` of `x`, both nonnegative.
pub(super) fn getbit(x: &Number, n: &Number) -> Result<Number, Stop> {
    let (value, place) = (x.to_integer()?, n.to_integer()?);
    for (number, sign) in [(x, value.sign()), (n, place.sign())] {
        if sign == num_bigint::Sign::Minus {
            return Err(not_less_than(number, "not_less_than_zero"));
        }
    }
    Ok(Number::Int(place.to_u64().is_some_and(|place| value.bit(place)).into()))
}

pub(super) fn msb(x: &Number) -> Result<Number, Stop> {
    Ok(Number::Int(positive(x)?.bits() as i64 - 1))
}

pub(super) fn lsb(x: &Number) -> Result<Number, Stop> {
    Ok(Number::Int(positive(x)?.trailing_zeros().unwrap_or(0) as i64))
}

pub(super) fn popcount(x: &Number) -> Result<Number, Stop> {
    let value = x.to_integer()?;
    if value.is_negative() {
        return Err(not_less_than(x, "not_less_than_zero"));
    }
    Ok(Number::Int(value.iter_u64_digits().map(|digit| i64::from(digit.count_ones())).sum()))
}

fn positive(x: &Number) -> Result<BigInt, Stop> {
    let value = x.to_integer()?.into_owned();
    if value < BigInt::one() { Err(not_less_than(x, "not_less_than_one")) } else { Ok(value) }
}

fn not_less_than(x: &Number, domain: &str) -> Stop {
    let mut store = Store::new();
    let culprit = x.clone().into_cell(&mut store);
    domain_error(&store, domain, culprit)
}
