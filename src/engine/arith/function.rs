//! The table of evaluable functions.

use std::sync::LazyLock;

use super::{Number, float, integer, power};
use crate::engine::heap::Stop;
use crate::term::hash::NumberMap;
use crate::term::{Atom, atoms};
use crate::trace::TimeUnit;

/// The implementation of a function.
#[derive(Clone, Copy)]
enum Implementation {
    Zero(fn() -> Number),
    One(fn(&Number) -> Result<Number, Stop>),
    Two(fn(&Number, &Number) -> Result<Number, Stop>),
    Three(fn(&Number, &Number, &Number) -> Result<Number, Stop>),
}

use Implementation::{One, Three, Two, Zero};

macro_rules! functions {
    ($($variant:ident $name:literal $rule:expr, $doc:literal;)*) => {
        /// An evaluable function, so that compiled code needs no lookup by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Function { $(#[doc = $doc] $variant,)* }

        const TABLE: &[FunctionRecord] = &[$(FunctionRecord { function: Function::$variant, name: $name, rule: $rule },)*];
    };
}

struct FunctionRecord {
    function: Function,
    name: &'static str,
    rule: Implementation,
}

functions! {
    Add "+" Two(integer::add), "`X + Y`.";
    Subtract "-" Two(integer::subtract), "`X - Y`.";
    Multiply "*" Two(integer::multiply), "`X * Y`.";
    Divide "/" Two(integer::divide), "`X / Y`: an integer if both are integers and the division is exact.";
    IntDivide "//" Two(integer::int_divide), "`X // Y`, rounded towards zero.";
    Div "div" Two(integer::div), "`X div Y`, rounded down.";
    Mod "mod" Two(integer::modulo), "`X mod Y`, with the sign of `Y`.";
    Rem "rem" Two(integer::rem), "`X rem Y`, with the sign of `X`.";
    Min "min" Two(integer::min), "The lesser of two numbers.";
    Max "max" Two(integer::max), "The greater of two numbers.";
    Gcd "gcd" Two(integer::gcd), "Greatest common divisor.";
    Lcm "lcm" Two(integer::lcm), "Least common multiple.";
    ShiftLeft "<<" Two(power::shift_left), "`X << N`.";
    ShiftRight ">>" Two(power::shift_right), "`X >> N`, keeping the sign.";
    BitAnd "/\\" Two(integer::bit_and), "Bitwise and.";
    BitOr "\\/" Two(integer::bit_or), "Bitwise or.";
    Xor "xor" Two(integer::xor), "Bitwise exclusive or.";
    GetBit "getbit" Two(power::getbit), "Bit `N` of `X`.";
    StarPower "**" Two(power::star_power), "`X ** Y`: an integer if both are and it is one.";
    Power "^" Two(power::power), "`X ^ Y`: of two integers always an integer.";
    Atan2 "atan2" Two(float::atan2), "Angle of the point `(X, Y)`, as `atan2(Y, X)`.";
    AtanOfTwo "atan" Two(float::atan2), "As `atan2(Y, X)`.";
    CopySign "copysign" Two(float::copysign), "`X` with the sign of `Y`.";
    NextToward "nexttoward" Two(float::nexttoward), "The float next to `X` in the direction of `Y`.";
    LogBase "log" Two(float::log_base), "Logarithm of `X` to base `B`, as `log(B, X)`.";
    Truncate "truncate" One(float::truncate), "The integer towards zero.";
    Trunc "trunc" One(float::truncate), "As `truncate`.";
    Plus "plus" Two(integer::add), "`X + Y`.";
    PowerModulo "powm" Three(power::powm), "`X ^ Y mod M`.";
    Negate "-" One(integer::negate), "`-X`.";
    Evaluate "eval" One(integer::identity), "`X`.";
    Identity "+" One(integer::identity), "`X`.";
    Abs "abs" One(integer::abs), "The magnitude.";
    Sign "sign" One(integer::sign), "-1, 0 or 1, of the same type.";
    Successor "succ" One(integer::succ), "`X + 1`.";
    Complement "\\" One(integer::complement), "Bitwise complement.";
    Msb "msb" One(power::msb), "Position of the highest set bit.";
    Lsb "lsb" One(power::lsb), "Position of the lowest set bit.";
    PopCount "popcount" One(power::popcount), "Number of set bits.";
    Integer "integer" One(float::round), "The nearest integer, halves away from zero.";
    Round "round" One(float::round), "The nearest integer, halves away from zero.";
    Floor "floor" One(float::floor), "The integer below.";
    Ceiling "ceiling" One(float::ceiling), "The integer above.";
    Ceil "ceil" One(float::ceiling), "As `ceiling`.";
    Float "float" One(float::float), "The nearest float.";
    FloatIntegerPart "float_integer_part" One(float::float_integer_part), "The part before the point.";
    FloatFractionalPart "float_fractional_part" One(float::float_fractional_part), "The part after the point.";
    Sqrt "sqrt" One(float::sqrt), "Square root.";
    Exp "exp" One(float::exp), "`e ** X`.";
    Log "log" One(float::log), "Natural logarithm.";
    Log2 "log2" One(float::log2), "Logarithm to base 2.";
    Sin "sin" One(float::sin), "Sine.";
    Cos "cos" One(float::cos), "Cosine.";
    Tan "tan" One(float::tan), "Tangent.";
    Cot "cot" One(float::cot), "Cotangent.";
    Asin "asin" One(float::asin), "Arc sine.";
    Acos "acos" One(float::acos), "Arc cosine.";
    Atan "atan" One(float::atan), "Arc tangent.";
    Acot "acot" One(float::acot), "Arc cotangent.";
    Sinh "sinh" One(float::sinh), "Hyperbolic sine.";
    Cosh "cosh" One(float::cosh), "Hyperbolic cosine.";
    Tanh "tanh" One(float::tanh), "Hyperbolic tangent.";
    Asinh "asinh" One(float::asinh), "Inverse hyperbolic sine.";
    Acosh "acosh" One(float::acosh), "Inverse hyperbolic cosine.";
    Erf "erf" One(float::erf), "The error function.";
    Erfc "erfc" One(float::erfc), "`1 - erf(X)`, exact where `erf(X)` is near 1.";
    LogGamma "lgamma" One(float::lgamma), "Natural logarithm of the magnitude of the gamma function.";
    Atanh "atanh" One(float::atanh), "Inverse hyperbolic tangent.";
    Nanoseconds "ns" One(|n| nanoseconds(n, TimeUnit::Nanoseconds)), "`X` nanoseconds.";
    Microseconds "us" One(|n| nanoseconds(n, TimeUnit::Microseconds)), "`X` microseconds in nanoseconds.";
    Milliseconds "ms" One(|n| nanoseconds(n, TimeUnit::Milliseconds)), "`X` milliseconds in nanoseconds.";
    Seconds "s" One(|n| nanoseconds(n, TimeUnit::Seconds)), "`X` seconds in nanoseconds.";
    M "m" One(|n| nanoseconds(n, TimeUnit::Minutes)), "`X` minutes in nanoseconds.";
    Minutes "min" One(|n| nanoseconds(n, TimeUnit::Minutes)), "`X` minutes in nanoseconds.";
    Pi "pi" Zero(|| Number::Float(std::f64::consts::PI)), "3.14159.";
    E "e" Zero(|| Number::Float(std::f64::consts::E)), "2.71828.";
    Infinity "inf" Zero(|| Number::Float(f64::INFINITY)), "Positive infinity.";
    InfinityLong "infinite" Zero(|| Number::Float(f64::INFINITY)), "Positive infinity.";
    NotANumber "nan" Zero(|| Number::Float(f64::NAN)), "Not a number.";
    Epsilon "epsilon" Zero(|| Number::Float(f64::EPSILON)), "Distance from 1.0 to the next float.";
    MaxInteger "max_integer" Zero(|| Number::Int(i64::MAX)), "Largest integer of 64 bits.";
    MinInteger "min_integer" Zero(|| Number::Int(i64::MIN)), "Smallest integer of 64 bits.";
    MaxTaggedInteger "max_tagged_integer" Zero(|| Number::Int((1 << 60) - 1)), "Largest integer in one machine word.";
    MinTaggedInteger "min_tagged_integer" Zero(|| Number::Int(-(1 << 60))), "Smallest integer in one machine word.";
}

fn nanoseconds(number: &Number, unit: TimeUnit) -> Result<Number, Stop> {
    integer::multiply(number, &Number::Int(unit.nanoseconds()))
}

impl Implementation {
    const fn arity(self) -> usize {
        match self {
            Zero(_) => 0,
            One(_) => 1,
            Two(_) => 2,
            Three(_) => 3,
        }
    }
}

static BY_NAME: LazyLock<NumberMap<(Atom, usize), Function>> = LazyLock::new(|| {
    TABLE.iter().map(|record| ((Atom::new(record.name), record.rule.arity()), record.function)).collect()
});

impl Function {
    /// The function of this name and arity.
    pub(crate) fn find(name: Atom, arity: usize) -> Option<Function> {
        match (name, arity) {
            (atoms::PLUS, 2) => Some(Function::Add),
            (atoms::MINUS, 2) => Some(Function::Subtract),
            (atoms::TIMES, 2) => Some(Function::Multiply),
            _ => BY_NAME.get(&(name, arity)).copied(),
        }
    }

    /// The function with this number.
    pub(in crate::engine) fn numbered(number: u32) -> Function {
        TABLE[number as usize].function
    }

    /// The number of arguments.
    pub(crate) fn arity(self) -> usize {
        self.record().rule.arity()
    }

    /// The value for `args`, whose number must be the arity.
    pub(crate) fn apply(self, args: &[Number]) -> Result<Number, Stop> {
        match (self.record().rule, args) {
            (Zero(rule), []) => Ok(rule()),
            (One(rule), [x]) => rule(x),
            (Two(rule), [x, y]) => rule(x, y),
            (Three(rule), [x, y, z]) => rule(x, y, z),
            _ => unreachable!("the caller gives as many arguments as `arity` says"),
        }
    }

    /// The value of a function of one argument.
    pub(crate) fn apply1(self, x: &Number) -> Result<Number, Stop> {
        self.apply(std::slice::from_ref(x))
    }

    /// The value of a function of two arguments.
    #[inline]
    pub(crate) fn apply2(self, x: &Number, y: &Number) -> Result<Number, Stop> {
        match self.record().rule {
            Two(rule) => rule(x, y),
            _ => unreachable!("the caller knows the arity"),
        }
    }

    fn record(self) -> &'static FunctionRecord {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_name() {
        for record in TABLE {
            let name = Atom::new(record.name);
            assert_eq!(Function::find(name, record.rule.arity()), Some(record.function), "{}", record.name);
        }
    }
}
