//! The form in which clauses are stored as terms.

use crate::engine::heap::{Cell, Compound, Store, Term};
use crate::term::atoms;

impl Store {
    /// A clause in its stored form: a variable as a goal of the body becomes `call(Variable)` (ISO 7.6.2).
    pub(super) fn kept_clause(&mut self, clause: Cell) -> Cell {
        let Term::Compound(parts) = self.look(clause) else { return clause };
        if (parts.name, parts.arity) != (atoms::NECK, 2) || !self.has_variable_goal(self.arg(parts, 1)) {
            return clause;
        }
        let parts = self.args(parts).to_vec();
        let kept = self.compound(atoms::NECK, &parts);
        let mut places = vec![kept.index() + 2];
        while let Some(place) = places.pop() {
            let goal = self.heap[place];
            match self.look(goal) {
                Term::Var(variable) => self.heap[place] = self.compound(atoms::CALL, &[variable]),
                Term::Compound(control) if is_control(control) => {
                    let goals = self.args(control).to_vec();
                    self.heap[place] = self.compound(control.name, &goals);
                    places.extend([1, 2].map(|argument| self.heap[place].index() + argument));
                }
                _ => {}
            }
        }
        kept
    }

    fn has_variable_goal(&self, body: Cell) -> bool {
        let mut rest = vec![body];
        while let Some(goal) = rest.pop() {
            match self.look(goal) {
                Term::Var(_) => return true,
                Term::Compound(control) if is_control(control) => rest.extend_from_slice(self.args(control)),
                _ => {}
            }
        }
        false
    }
}

/// Whether the arguments of a goal are goals of the same body.
pub(super) fn is_control(goal: Compound) -> bool {
    goal.arity == 2 && matches!(goal.name, atoms::COMMA | atoms::SEMICOLON | atoms::ARROW | atoms::SOFT_ARROW)
}
