//! Names of arguments, `arg(2)` and `'arg.KEY'`, and forms that stand inside of lists of arguments and of objects.

use super::reader::{OuterForm, WrittenConstraint, argument};
use crate::engine::error::{domain_error, instantiation_error, type_error, with_message};
use crate::engine::{Cell, Comparison, EventPart, ListEnd, Stop, Store, Term};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, Trace};

/// The argument, or the value inside of arguments, that a term names: `arg(2)`, or `'arg.user.id'` where no event has an
/// attribute of that name.
pub(crate) fn argument_part(store: &Store, trace: &Trace, name: Cell) -> Result<Option<EventPart>, Stop> {
    if let Some(number) = argument_number(store, name)? {
        return Ok(Some(EventPart::Argument(number)));
    }
    let Term::Atom(name) = store.look(name) else { return Ok(None) };
    let schema = trace.schema();
    let is_attribute = !schema.has(AttributeId::ARGS) || schema.find(name.as_str()).is_some();
    let path = name.as_str().strip_prefix("arg.").filter(|_| !is_attribute);
    Ok(path.map(|path| EventPart::Key(Atom::new(path))))
}

/// N of `arg(N)`.
pub(crate) fn argument_number(store: &Store, name: Cell) -> Result<Option<usize>, Stop> {
    let Some(number) = argument(store, name) else { return Ok(None) };
    match store.look(number) {
        Term::Int(value) => match usize::try_from(value) {
            Ok(value) if value > 0 => Ok(Some(value)),
            _ => {
                let message = format!("expected the number of an argument, from 1, found `{value}`");
                Err(with_message(domain_error(store, "argument_number", number), &message))
            }
        },
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "integer", number)),
    }
}

/// Forms, each with the number of its argument.
pub(super) type ArgumentForms = Vec<(usize, Cell)>;

/// What is left of a list of arguments whose forms are taken out, and these with the numbers of their arguments:
/// `args = [matches("a"), X|T]` is `arg(1) = matches("a")` and `args = [_, X|T]`. None if there are no forms.
pub(super) fn forms_taken_out(
    store: &mut Store,
    item: &WrittenConstraint<Cell>,
) -> Result<Option<(Cell, ArgumentForms)>, Stop> {
    if !may_have_forms(store, item.form) {
        return Ok(None);
    }
    let walk = store.walk_list(item.form);
    let is_form = |store: &Store, form| {
        matches!(OuterForm::of(store, AttributeId::ARGS, form), OuterForm::Matches(_) | OuterForm::Range(..))
    };
    let forms: Vec<usize> = (0..walk.items.len()).filter(|at| is_form(store, walk.items[*at])).collect();
    if forms.is_empty() || walk.end == ListEnd::Cyclic {
        return Ok(None);
    }
    if item.is_negated || item.comparison != Comparison::Equal {
        let message =
            "expected a list without `matches(..)` and `..` after `\\=` and `not`: write `arg(1) \\= matches(..)`";
        return Err(with_message(type_error(store, "value", item.form), message));
    }
    let mut items = walk.items.clone();
    for at in &forms {
        items[*at] = store.new_var();
    }
    let tail = match walk.end {
        ListEnd::Partial(tail) | ListEnd::Improper(tail) => tail,
        _ => Cell::NIL,
    };
    let rest = store.list_with_tail(&items, tail);
    Ok(Some((rest, forms.into_iter().map(|at| (at + 1, walk.items[at])).collect())))
}

/// A list with more elements than this is checked for cycles.
pub(super) const MANY_ITEMS: usize = 10_000;

/// Whether one of the first elements of a list is `matches(..)` or a range, or there are many.
fn may_have_forms(store: &Store, list: Cell) -> bool {
    let mut rest = list;
    for _ in 0..MANY_ITEMS {
        let Some((atoms::DOT, 2)) = store.functor(rest) else { return false };
        let Term::Compound(pair) = store.look(rest) else { return false };
        if matches!(store.functor(store.arg(pair, 0)), Some((atoms::MATCHES, 1) | (atoms::RANGE, 2))) {
            return true;
        }
        rest = store.arg(pair, 1);
    }
    true
}

/// Refuses `matches(..)`, `not(..)` and ranges as values in a pattern of an object, `{k:matches("a")}`: no value is such a term. Only
/// the first parts of a term are looked at: one that was written is small.
pub(super) fn no_form_in_object(store: &Store, term: Cell) -> Result<(), Stop> {
    let mut waiting = vec![(term, false)];
    for _ in 0..MANY_ITEMS {
        let Some((term, is_in_object)) = waiting.pop() else { break };
        let Term::Compound(compound) = store.look(term) else { continue };
        let is_form = matches!((compound.name, compound.arity), (atoms::MATCHES | atoms::NOT, 1) | (atoms::RANGE, 2));
        if is_in_object && is_form {
            let message =
                "expected a value in the pattern of an object: write `'arg.KEY' = matches(..)` for one of its keys";
            return Err(with_message(type_error(store, "value", term), message));
        }
        let is_pattern =
            compound.name == atoms::CURLY || is_in_object && matches!(compound.name, atoms::COMMA | atoms::COLON);
        waiting.extend(store.args(compound).iter().map(|argument| (*argument, is_pattern)));
    }
    Ok(())
}
