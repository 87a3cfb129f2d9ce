//! Tests of the value of a variable for arguments: `is_list(L)` and `memberchk(7, L)` after a search.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::terms::lists::has_element;
use crate::engine::{Cell, Computation, Effect, ListEnd, Store, Term, World};

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
    pub(crate) fn of(world: &World, goal: Cell) -> Option<TermTest> {
        let Some(Effect::Computes(computation)) = effect_of(world, goal) else { return None };
        let (store, args) = (&world.store, world.store.arguments(goal));
        let (asks, term) = match computation {
            Computation::IsList => (Asks::IsList, args[0]),
            Computation::HasElement => (Asks::Has(constant(store, args[0])?), args[1]),
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
