//! Constraints in the text of a goal that are about fixed values.

use smallvec::smallvec;

use super::forms::{constant, inequality, range};
use super::reader::{OuterForm, UnreadForms, read};
use crate::engine::Comparison;
use crate::term::number::Number;
use crate::term::{NodeId, Shape, Tree, View, atoms};
use crate::trace::{AttributeId, FormOp, TimeUnit};

/// A constraint with the code of its form.
pub(crate) struct LiteralConstraint {
    /// What is constrained.
    pub(crate) name: NodeId,
    /// The constraint.
    pub(crate) item: NodeId,
    /// The values that are allowed.
    pub(crate) code: Vec<FormOp>,
}

/// The constraints of a list whose forms have only names, texts and numbers.
pub(crate) fn literal_constraints(tree: &Tree, list: NodeId) -> Vec<LiteralConstraint> {
    let mut unread: UnreadForms<NodeId> = smallvec![(list, false)];
    let mut found = Vec::new();
    while let Some((item, is_negated)) = unread.pop() {
        let Ok(Some(written)) = read(tree, item, is_negated, &mut unread) else { continue };
        let code = match written.comparison {
            Comparison::Equal | Comparison::NotEqual => equality(tree, written.form),
            comparison => number(tree, written.form).map(|bound| inequality(bound, comparison)),
        };
        let is_negated = written.is_negated != (written.comparison == Comparison::NotEqual);
        let negation = is_negated.then_some(FormOp::Not);
        let whole = |code: Vec<FormOp>| code.into_iter().chain(negation).collect();
        found.extend(code.map(|code| LiteralConstraint { name: written.name, item, code: whole(code) }));
    }
    found
}

fn equality(tree: &Tree, form: NodeId) -> Option<Vec<FormOp>> {
    let (mut code, mut steps) = (Vec::new(), vec![Ok(form)]);
    while let Some(step) = steps.pop() {
        let form = match step {
            Ok(form) => form,
            Err(op) => {
                code.push(op);
                continue;
            }
        };
        match OuterForm::of(tree, AttributeId::NAME, form) {
            OuterForm::Not(inner) => steps.extend([Err(FormOp::Not), Ok(inner)]),
            OuterForm::List if matches!(tree.shape(form), Shape::Atom(_)) => code.push(FormOp::Atom(atoms::NIL)),
            OuterForm::List => {
                let forms = items(tree, form)?;
                steps.push(Err(FormOp::AnyOf(forms.len())));
                steps.extend(forms.into_iter().map(Ok));
            }
            OuterForm::Any => code.push(FormOp::Any),
            OuterForm::Range(low, high) => code.push(match (number(tree, low), number(tree, high)) {
                (Some(low), Some(high)) => range(low, high),
                _ => empty_range_of_times(tree, low, high)?,
            }),
            OuterForm::Value => code.push(constant(tree, form)?),
            OuterForm::Variable(_) | OuterForm::Matches(_) | OuterForm::Proc(_) => return None,
        }
    }
    Some(code)
}

/// The elements of a complete list that is not empty: an empty one is a value.
fn items(tree: &Tree, list: NodeId) -> Option<Vec<NodeId>> {
    let (mut items, mut rest) = (Vec::new(), list);
    while let Shape::Compound(atoms::DOT, 2) = tree.shape(rest) {
        items.push(tree.arg(rest, 0));
        rest = tree.arg(rest, 1);
    }
    matches!(tree.shape(rest), Shape::Atom(atoms::NIL)).then_some(items)
}

/// A range of times whose low end is above the high one: that is empty in any unit.
fn empty_range_of_times(tree: &Tree, low: NodeId, high: NodeId) -> Option<FormOp> {
    let time = |form| match tree.shape(form) {
        Shape::Compound(unit, 1) => {
            let number = number(tree, tree.arg(form, 0))?.to_float().ok()?;
            Some(number * TimeUnit::named(unit.as_str())?.nanoseconds() as f64)
        }
        _ => None,
    };
    (time(low)? > time(high)?).then(|| range(Number::Int(1), Number::Int(0)))
}

fn number(tree: &Tree, form: NodeId) -> Option<Number> {
    match constant(tree, form)? {
        FormOp::Number(number) => Some(number),
        _ => None,
    }
}
