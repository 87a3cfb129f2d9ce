//! Directed rounding of floats, for `roundtoward(Expression, Mode)`.
//!
//! The functions elsewhere round to nearest. For `+ - * /`, `sqrt` and conversions of integers to floats, the exact
//! value is compared with that result, and the adjacent float taken if the result is on the wrong side. All other
//! functions are inexact anyway, and are left as they are.

use num_bigint::BigInt;
use num_traits::Signed;
use std::cmp::Ordering;

use super::{Function, Number};

/// A rounding direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rounding {
    #[default]
    Nearest,
    Positive,
    Negative,
    Zero,
}

impl Rounding {
    /// The direction with this name.
    pub(super) fn named(name: &str) -> Option<Rounding> {
        match name {
            "to_nearest" => Some(Rounding::Nearest),
            "to_positive" => Some(Rounding::Positive),
            "to_negative" => Some(Rounding::Negative),
            "to_zero" => Some(Rounding::Zero),
            _ => None,
        }
    }

    /// The rounded value of a function, given its value `nearest` rounded to nearest.
    pub(super) fn rounded(self, function: Function, args: &[Number], nearest: Number) -> Number {
        let Number::Float(value) = nearest else { return nearest };
        let side = match self {
            Rounding::Nearest => return nearest,
            _ => exact_against(function, args, value),
        };
        Number::Float(match (self, side) {
            (Rounding::Positive, Some(Ordering::Greater)) => value.next_up(),
            (Rounding::Negative, Some(Ordering::Less)) => value.next_down(),
            (Rounding::Zero, Some(Ordering::Less)) if value > 0.0 => value.next_down(),
            (Rounding::Zero, Some(Ordering::Greater)) if value < 0.0 => value.next_up(),
            _ => value,
        })
    }
}

/// How the exact value of a function compares with the nearest float, if that is known.
fn exact_against(function: Function, args: &[Number], nearest: f64) -> Option<Ordering> {
    let result = Dyadic::of(&Number::Float(nearest))?;
    match (function, args) {
        (Function::Add, [x, y]) => Some(Dyadic::of(x)?.add(&Dyadic::of(y)?).compare(&result)),
        (Function::Subtract, [x, y]) => Some(Dyadic::of(x)?.add(&Dyadic::of(y)?.negated()).compare(&result)),
        (Function::Multiply, [x, y]) => Some(Dyadic::of(x)?.multiply(&Dyadic::of(y)?).compare(&result)),
        (Function::Divide, [x, y]) => {
            let (x, y) = (Dyadic::of(x)?, Dyadic::of(y)?);
            let side = x.compare(&y.multiply(&result));
            Some(if y.mantissa.is_negative() { side.reverse() } else { side })
        }
        (Function::Sqrt, [x]) => Some(Dyadic::of(x)?.compare(&result.multiply(&result))),
        (Function::Float, [x]) => Some(Dyadic::of(x)?.compare(&result)),
        _ => None,
    }
}

/// An exact number: `mantissa * 2 ^ exponent`.
struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

/// The number of stored mantissa bits, which follow the implied one.
const MANTISSA_BITS: u32 = 52;

impl Dyadic {
    /// The number itself; `None` for infinities and NaN.
    fn of(number: &Number) -> Option<Dyadic> {
        match number {
            Number::Int(value) => Some(Dyadic { mantissa: (*value).into(), exponent: 0 }),
            Number::Big(value) => Some(Dyadic { mantissa: BigInt::clone(value), exponent: 0 }),
            Number::Float(value) if !value.is_finite() => None,
            Number::Float(value) => {
                let bits = value.to_bits();
                let (stored, field) = (bits & ((1 << MANTISSA_BITS) - 1), (bits >> MANTISSA_BITS & 0x7ff) as i64);
                let magnitude = if field == 0 { stored } else { stored | 1 << MANTISSA_BITS };
                let mantissa = BigInt::from(magnitude);
                let mantissa = if value.is_sign_negative() { -mantissa } else { mantissa };
                Some(Dyadic { mantissa, exponent: field.max(1) - 1075 })
            }
        }
    }

    fn negated(self) -> Dyadic {
        Dyadic { mantissa: -self.mantissa, ..self }
    }

    /// The mantissa for a smaller exponent.
    fn scaled(&self, exponent: i64) -> BigInt {
        &self.mantissa << (self.exponent - exponent)
    }

    fn add(&self, other: &Dyadic) -> Dyadic {
        let exponent = self.exponent.min(other.exponent);
        Dyadic { mantissa: self.scaled(exponent) + other.scaled(exponent), exponent }
    }

    fn multiply(&self, other: &Dyadic) -> Dyadic {
        Dyadic { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    fn compare(&self, other: &Dyadic) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        self.scaled(exponent).cmp(&other.scaled(exponent))
    }
}
