//! Tests of the value of a variable for arguments: `is_list(L)` and `memberchk(7, L)` after a search.

use crate::builtins::terms::lists::has_element;
use crate::engine::{Cell, ListEnd, Store, Term};

/// A goal that tests the value of a variable: it has at most one answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermTest {
    /// The variable.
    pub(crate) variable: Cell,
    /// The test of its value.
    pub(crate) asks: Asks,
}

/// A test of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asks {
    /// Whether it is a list.
    IsList,
    /// Whether it is a list that contains a constant.
    Has(Cell),
}

impl TermTest {
    /// The test of a goal, if the goal is a test.
    pub(crate) fn of(store: &Store, goal: Cell) -> Option<TermTest> {
        let Term::Compound(compound) = store.look(goal) else { return None };
        let (asks, term) = match (compound.name.as_str(), compound.arity) {
            ("is_list", 1) => (Asks::IsList, store.arg(compound, 0)),
            ("memberchk", 2) => (Asks::Has(constant(store, store.arg(compound, 0))?), store.arg(compound, 1)),
            _ => return None,
        };
        match store.look(term) {
            Term::Var(variable) => Some(TermTest { variable, asks }),
            _ => None,
        }
    }

    /// Calls the goal; its bindings remain.
    pub(crate) fn holds(&self, store: &mut Store) -> bool {
        match self.asks {
            Asks::IsList => store.walk_list(self.variable).end == ListEnd::Nil,
            Asks::Has(constant) => has_element(store, constant, self.variable),
        }
    }
}

fn constant(store: &Store, term: Cell) -> Option<Cell> {
    matches!(store.look(term), Term::Atom(_) | Term::Int(_)).then(|| store.deref(term))
}
