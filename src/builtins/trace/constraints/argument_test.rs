//! Constraints on the text of one argument: `arg(1) > 3`, `arg(2) = 3..6`, `arg(1) = matches("re")`; or of a value inside
//! one: `'arg.user.id' > 3`.

use std::cmp::Ordering;

use crate::engine::arith::{Number, compare};
use crate::engine::{ArgumentTest, Cell, Comparison, EventPart, Stop, Store, Term};
use crate::syntax;
use crate::trace::{AttributeId, FormOp, Schema, searched_text, term_satisfies};

use super::forms::{compile, number, regex};
use super::reader::OuterForm;

/// The condition on the text of an argument.
enum TextCondition {
    Matches(regex::Regex),
    Within(Number, Number),
    Compares(Comparison, Number),
}

/// The test of the text of an argument, or of a value inside one.
pub(crate) fn argument_test(
    store: &Store,
    schema: &Schema,
    part: EventPart,
    comparison: Comparison,
    form: Cell,
    is_negated: bool,
) -> Result<ArgumentTest, Stop> {
    let searches = match OuterForm::of(store, AttributeId::ARGS, form) {
        OuterForm::Matches(text) => !is_negated && !begins_with_caret(store, text),
        _ => false,
    };
    if let EventPart::Key(_) = part {
        let mut code = compile(store, schema, AttributeId::RESULT, comparison, form)?;
        code.extend(is_negated.then_some(FormOp::Not));
        return Ok(ArgumentTest { part, searches, holds: Box::new(move |text| term_satisfies(text, &code)) });
    }
    let test = test(store, comparison, form)?;
    let wanted = is_negated == (comparison == Comparison::NotEqual);
    Ok(ArgumentTest { part, searches, holds: Box::new(move |text| test.holds(text) == wanted) })
}

/// Whether a regular expression looks only at the beginning of a text.
fn begins_with_caret(store: &Store, text: Cell) -> bool {
    match store.look(text) {
        Term::Str(text) => text.starts_with('^'),
        Term::Atom(text) => text.as_str().starts_with('^'),
        _ => false,
    }
}

fn test(store: &Store, comparison: Comparison, form: Cell) -> Result<TextCondition, Stop> {
    if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
        return Ok(TextCondition::Compares(comparison, number(store, form)?));
    }
    match OuterForm::of(store, AttributeId::ARGS, form) {
        OuterForm::Range(low, high) => Ok(TextCondition::Within(number(store, low)?, number(store, high)?)),
        OuterForm::Matches(text) => Ok(TextCondition::Matches(regex(store, text)?)),
        _ => Ok(TextCondition::Compares(Comparison::Equal, number(store, form)?)),
    }
}

impl TextCondition {
    fn holds(&self, text: &str) -> bool {
        let number = || {
            Some(match syntax::parse_number(text)? {
                syntax::NumberLiteral::Int(value) => Number::Int(value),
                syntax::NumberLiteral::BigInt(value) => Number::Big(value),
                syntax::NumberLiteral::Float(value) => Number::Float(value),
            })
        };
        let order = |bound: &Number| number().map(|number| compare(&number, bound));
        match self {
            TextCondition::Matches(regex) => regex.is_match(&searched_text(text)),
            TextCondition::Within(low, high) => {
                order(low).is_some_and(Ordering::is_ge) && order(high).is_some_and(Ordering::is_le)
            }
            // `=` and `\=` both test whether the numbers are equal; the caller negates the result for `\=`
            TextCondition::Compares(Comparison::NotEqual, bound) => order(bound).is_some_and(Ordering::is_eq),
            TextCondition::Compares(comparison, bound) => order(bound).is_some_and(|order| comparison.holds(order)),
        }
    }
}
