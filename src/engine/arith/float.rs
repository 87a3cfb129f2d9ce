//! Functions with float results, and the roundings of floats to integers.

use std::cmp::Ordering;

use super::integer::negate;
use super::number::{Number, integer_from_float, order};
use crate::engine::heap::{Stop, evaluation_error};

/// `value` as the result of a function of `inputs`: infinity from finite inputs is an overflow, NaN from numbers is
/// undefined.
pub(super) fn checked(value: f64, inputs: &[f64]) -> Result<Number, Stop> {
    if value.is_nan() && !inputs.iter().any(|input| input.is_nan()) {
        return Err(evaluation_error("undefined"));
    }
    if value.is_infinite() && inputs.iter().all(|input| input.is_finite()) {
        return Err(evaluation_error("float_overflow"));
    }
    Ok(Number::Float(value))
}

macro_rules! float_functions {
    ($($name:ident = $rule:expr;)*) => {
        $(pub(super) fn $name(x: &Number) -> Result<Number, Stop> {
            let x = x.to_float()?;
            let rule: fn(f64) -> f64 = $rule;
            checked(rule(x), &[x])
        })*
    };
}

float_functions! {
    float = |x| x;
    sqrt = f64::sqrt;
    exp = f64::exp;
    sin = f64::sin;
    cos = f64::cos;
    tan = f64::tan;
    asin = f64::asin;
    acos = f64::acos;
    atan = f64::atan;
    sinh = f64::sinh;
    cosh = f64::cosh;
    tanh = f64::tanh;
    asinh = f64::asinh;
    erf = libm::erf;
    erfc = libm::erfc;
    lgamma = libm::lgamma;
    acosh = f64::acosh;
    atanh = |x| if x.abs() == 1.0 { f64::NAN } else { x.atanh() };
    acot = |x| if x == 0.0 { std::f64::consts::FRAC_PI_2 } else { x.recip().atan() };
    cot = |x| if x == 0.0 { f64::NAN } else { x.tan().recip() };
    log2 = |x| positive(x).log2();
    natural_log = |x| positive(x).ln();
}

/// `x` itself, or NaN where the logarithm is undefined.
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { f64::NAN }
}

/// Also handles integers beyond the largest float.
pub(super) fn log(x: &Number) -> Result<Number, Stop> {
    match x {
        Number::Big(big) if x.sign().is_gt() && big.bits() > 1000 => {
            let shift = big.bits() - 64;
            let top = Number::from(big >> shift).to_float()?;
            Ok(Number::Float(top.ln() + shift as f64 * std::f64::consts::LN_2))
        }
        _ => natural_log(x),
    }
}

pub(super) fn log_base(base: &Number, x: &Number) -> Result<Number, Stop> {
    let (base, x) = (log(base)?.to_float()?, log(x)?.to_float()?);
    if base == 0.0 {
        return Err(evaluation_error("undefined"));
    }
    checked(x / base, &[x, base])
}

/// Undefined for two zeros, as in ISO.
pub(super) fn atan2(y: &Number, x: &Number) -> Result<Number, Stop> {
    let (y, x) = (y.to_float()?, x.to_float()?);
    if x == 0.0 && y == 0.0 {
        return Err(evaluation_error("undefined"));
    }
    checked(y.atan2(x), &[x, y])
}

/// Like C for two floats; otherwise `x`, or `-x` if the signs differ.
pub(super) fn copysign(x: &Number, y: &Number) -> Result<Number, Stop> {
    match (x, y) {
        (Number::Float(x), Number::Float(y)) => Ok(Number::Float(x.copysign(*y))),
        _ if is_negative(x) == is_negative(y) => Ok(x.clone()),
        _ => negate(x),
    }
}

/// Whether the sign is minus, including that of `-0.0`.
fn is_negative(x: &Number) -> bool {
    match x {
        Number::Float(x) => x.is_sign_negative(),
        _ => x.sign().is_lt(),
    }
}

/// The float next to `x` in the direction of `y`; `y` is compared exactly, even if it is a large integer.
pub(super) fn nexttoward(x: &Number, y: &Number) -> Result<Number, Stop> {
    let value = x.to_float()?;
    Ok(match order(&Number::Float(value), y) {
        None => Number::Float(f64::NAN),
        Some(Ordering::Equal) => Number::Float(value),
        Some(Ordering::Less) => return checked(value.next_up(), &[value]),
        Some(Ordering::Greater) => return checked(value.next_down(), &[value]),
    })
}

/// An integer is returned unchanged.
fn rounded(x: &Number, rule: fn(f64) -> f64) -> Result<Number, Stop> {
    match x {
        Number::Float(value) => integer_from_float(rule(*value)),
        _ => Ok(x.clone()),
    }
}

pub(super) fn truncate(x: &Number) -> Result<Number, Stop> {
    rounded(x, f64::trunc)
}

pub(super) fn round(x: &Number) -> Result<Number, Stop> {
    rounded(x, f64::round)
}

pub(super) fn floor(x: &Number) -> Result<Number, Stop> {
    rounded(x, f64::floor)
}

pub(super) fn ceiling(x: &Number) -> Result<Number, Stop> {
    rounded(x, f64::ceil)
}

pub(super) fn float_integer_part(x: &Number) -> Result<Number, Stop> {
    Ok(Number::Float(x.to_float()?.trunc()))
}

pub(super) fn float_fractional_part(x: &Number) -> Result<Number, Stop> {
    match x {
        Number::Float(value) if value.is_infinite() => Ok(Number::Float(0f64.copysign(*value))),
        Number::Float(value) => Ok(Number::Float(value.fract())),
        _ => Ok(Number::Int(0)),
    }
}
