//! Constraints on the text of one argument: `arg(1) > 3`, `arg(2) = 3..6`, `arg(1) = matches("re")`.

use std::cmp::Ordering;

use crate::engine::arith::{Number, compare};
use crate::engine::{ArgumentTest, Cell, Comparison, Stop, Store};
use crate::syntax;
use crate::trace::AttributeId;

use super::forms::{number, regex};
use super::reader::Form;

/// The condition on the text of an argument.
enum Test {
    Matches(regex::Regex),
    Within(Number, Number),
    Compares(Comparison, Number),
}

/// The test of argument `number`, counted from 1.
pub(crate) fn argument_test(
    store: &Store,
    number: usize,
    comparison: Comparison,
    form: Cell,
    is_negated: bool,
) -> Result<ArgumentTest, Stop> {
    let test = test(store, comparison, form)?;
    let wanted = is_negated == (comparison == Comparison::NotEqual);
    Ok(ArgumentTest { number, holds: Box::new(move |text| test.holds(text) == wanted) })
}

fn test(store: &Store, comparison: Comparison, form: Cell) -> Result<Test, Stop> {
    if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
        return Ok(Test::Compares(comparison, number(store, form)?));
    }
    match Form::of(store, AttributeId::ARGS, form) {
        Form::Range(low, high) => Ok(Test::Within(number(store, low)?, number(store, high)?)),
        Form::Matches(text) => Ok(Test::Matches(regex(store, text)?)),
        _ => Ok(Test::Compares(Comparison::Equal, number(store, form)?)),
    }
}

impl Test {
    fn holds(&self, text: &str) -> bool {
        let number = || {
            Some(match syntax::parse_number(text)? {
                syntax::Number::Int(value) => Number::Int(value),
                syntax::Number::BigInt(value) => Number::Big(value),
                syntax::Number::Float(value) => Number::Float(value),
            })
        };
        let order = |bound: &Number| number().map(|number| compare(&number, bound));
        match self {
            Test::Matches(regex) => regex.is_match(text),
            Test::Within(low, high) => {
                order(low).is_some_and(Ordering::is_ge) && order(high).is_some_and(Ordering::is_le)
            }
            // `=` and `\=` both test whether the numbers are equal; the caller negates the result for `\=`
            Test::Compares(Comparison::NotEqual, bound) => order(bound).is_some_and(Ordering::is_eq),
            Test::Compares(comparison, bound) => order(bound).is_some_and(|order| comparison.holds(order)),
        }
    }
}
