//! References to clauses: terms `'<clause>'(Predicate, Number, Birth)`, which stand for a clause until it is erased.

use crate::engine::{Cell, ClauseId, PredId, World};
use crate::term::Atom;

pub(super) const NAME: &str = "<clause>";

/// Unifies `to` with a reference to a clause.
pub(crate) fn unify(world: &mut World, to: Cell, pred: PredId, clause: ClauseId) -> bool {
    let found = world.database.clauses(pred).and_then(|list| list.clause(clause));
    let Some(birth) = found.map(|clause| clause.birth()) else { return false };
    let numbers = [i64::from(pred), i64::from(clause), birth as i64].map(|number| world.store.int(number));
    let reference = world.store.compound(Atom::new(NAME), &numbers);
    world.store.unify(to, reference)
}
