//! Tuples in constraints: `{ack, M}` is a tuple of two elements, and matches none of three.
//!
//! In the language's syntax `{a, b, c}` is `{}((a, (b, c)))`, so plain unification would bind `M` of `{ack, M}` to the
//! rest `(b, c)`. No value of a trace is such a rest, so a match that binds the last variable in braces to one is
//! rejected.

use smallvec::SmallVec;

use crate::engine::{Cell, Store, Term};
use crate::term::atoms;

/// The variables in the last place inside braces.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastVariables(SmallVec<[Cell; 2]>);

/// The most parts of a term that are examined; later parts are ignored.
const MOST_PARTS: usize = 100_000;

impl LastVariables {
    /// The variables in the last place of the tuples in several terms.
    pub(crate) fn of_all(store: &Store, terms: &[Cell]) -> LastVariables {
        let mut found = LastVariables::default();
        let mut waiting: SmallVec<[(Cell, bool); 8]> = terms.iter().map(|term| (*term, false)).collect();
        let mut n_parts = 0;
        while let Some((term, is_last)) = waiting.pop() {
            n_parts += 1;
            match store.look(term) {
                Term::Var(variable) if is_last => found.0.push(variable),
                Term::Compound(compound) if n_parts < MOST_PARTS => {
                    let goes_on = match (compound.name, compound.arity) {
                        (atoms::CURLY, 1) => true,
                        (atoms::COMMA, 2) => is_last,
                        _ => false,
                    };
                    let args = store.args(compound);
                    let last = args.len().saturating_sub(1);
                    waiting.extend(args.iter().enumerate().map(|(index, arg)| (*arg, goes_on && index == last)));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether none of them is bound to the rest of a longer tuple.
    pub(crate) fn are_elements(&self, store: &Store) -> bool {
        self.0.iter().all(|variable| store.functor(*variable) != Some((atoms::COMMA, 2)))
    }
}
