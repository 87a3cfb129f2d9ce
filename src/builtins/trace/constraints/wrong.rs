//! Constraints in the text of a goal that are errors whatever the trace is.

use smallvec::smallvec;

use super::arguments::argument_number;
use super::forms::{quantity_of_any, regex};
use super::list::no_constraint;
use super::reader::{OuterForm, UnreadForms, read};
use crate::engine::error::instantiation_error;
use crate::engine::{Cell, Comparison, Stop, Store};
use crate::term::{NodeId, Shape, Tree, View, atoms};
use crate::trace::AttributeId;

/// The errors of a list of constraints, each with the part that has it.
pub(crate) fn wrong_constraints(tree: &Tree, list: NodeId) -> Vec<(NodeId, Stop)> {
    let mut unread: UnreadForms<NodeId> = smallvec![(list, false)];
    let mut found = Vec::new();
    while let Some((item, is_negated)) = unread.pop() {
        match read(tree, item, is_negated, &mut unread) {
            Ok(None) => {}
            Ok(Some(written)) => {
                let name = error_of(tree, written.name, |store, name| argument_number(store, name).map(drop));
                found.extend(name.map(|stop| (written.name, stop)));
                found.extend(match written.comparison {
                    Comparison::Equal | Comparison::NotEqual => wrong_forms(tree, written.form),
                    _ => wrong_number(tree, written.form).into_iter().collect(),
                });
            }
            Err(reason) => {
                let error = error_of(tree, item, |store, term| Err(no_constraint(store, term, reason)));
                found.extend(error.map(|stop| (item, stop)));
            }
        }
    }
    found
}

/// The errors of a form and of those inside of it.
fn wrong_forms(tree: &Tree, form: NodeId) -> Vec<(NodeId, Stop)> {
    let (mut waiting, mut found) = (vec![form], Vec::new());
    while let Some(form) = waiting.pop() {
        match OuterForm::of(tree, AttributeId::NAME, form) {
            OuterForm::Not(inner) => waiting.push(inner),
            OuterForm::List if tree.shape(form) == Shape::Atom(atoms::NIL) => {}
            OuterForm::List => waiting.extend([tree.arg(form, 1), tree.arg(form, 0)]),
            OuterForm::Range(low, high) => {
                found.extend([low, high].into_iter().filter_map(|end| wrong_number(tree, end)))
            }
            OuterForm::Matches(text) => {
                let error = error_of(tree, text, |store, text| regex(store, text).map(drop));
                found.extend(error.map(|stop| (text, stop)));
            }
            OuterForm::Any | OuterForm::Variable(_) | OuterForm::Proc(_) | OuterForm::Value => {}
        }
    }
    found
}

fn wrong_number(tree: &Tree, form: NodeId) -> Option<(NodeId, Stop)> {
    let error = error_of(tree, form, |store, form| quantity_of_any(store, form).map(drop));
    error.map(|stop| (form, stop))
}

/// The error of a term, unless it may be another one when its variables have values.
pub(crate) fn error_of(tree: &Tree, node: NodeId, test: impl Fn(&Store, Cell) -> Result<(), Stop>) -> Option<Stop> {
    let (mut tree, mut store) = (tree.clone(), Store::new());
    tree.set_root(node);
    let (term, _) = store.load(&tree);
    test(&store, term).err().filter(|stop| *stop != instantiation_error())
}
