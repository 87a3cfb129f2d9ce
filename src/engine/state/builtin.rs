//! The record that declares a native predicate, one written in Rust.

use super::world::World;
use crate::engine::code::{Effect, PredId};
use crate::engine::heap::{Cell, Mark, Stop, Store};
use crate::trace::EventId;

/// A native predicate: its function, its name and its documentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Builtin {
    /// Name of the predicate.
    pub(crate) name: &'static str,
    /// Number of arguments.
    pub(crate) arity: usize,
    /// Head with modes and determinism: `atom_length(+Text, -Length) is det`.
    pub(crate) modes: &'static str,
    /// A line of documentation.
    pub(crate) doc: &'static str,
    /// An example goal.
    pub(crate) example: &'static str,
    /// What the example answers: `N = 7`, `X = 1 ; X = 2`, `true`, `false` or `error: Formal`.
    pub(crate) answer: &'static str,
    /// The function.
    pub(crate) run: PredicateFunction,
    /// Who may redefine it.
    pub(crate) protection: Protection,
    /// What it does besides binding its arguments.
    pub(crate) effect: Effect,
    /// The library predicate that does the same where variables have attributes, if it cannot see those itself.
    pub(crate) attributed: Option<&'static str>,
}

/// The determinism of a predicate, with its function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PredicateFunction {
    /// At most one solution.
    Det(Det),
    /// Any number of solutions.
    Nondet(Nondet),
}

/// A deterministic predicate: returns whether it succeeds.
pub(crate) type Det = fn(&mut World, &[Cell]) -> Result<bool, Stop>;
/// A nondeterministic predicate: returns its solutions, or `None` if it fails.
pub(crate) type Nondet = fn(&mut World, &[Cell]) -> Solutions;
/// The solutions of a call; `None` if it fails.
pub(crate) type Solutions = Result<Option<Box<dyn SolutionSource>>, Stop>;

/// Whether a script may redefine a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Control and ISO predicates: a permission error.
    Iso,
    /// Any other: the definition of a script counts for that script.
    Library,
}

/// The solutions of a nondeterministic predicate, one at a time.
pub(crate) trait SolutionSource {
    /// Unifies the next solution; the machine has undone the bindings of the previous one.
    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop>;

    /// For a fold: takes the result of a step, whose bindings are undone to `mark`.
    fn keep(&mut self, _store: &mut Store, _mark: &mut Mark, _value: Cell) {}

    /// The event that a search of the trace has reached.
    fn event(&self) -> Option<EventId> {
        None
    }

    /// The predicate over whose clauses this iterates, and the generation that it sees.
    fn view(&self) -> Option<(PredId, u64)> {
        None
    }
}

/// The outcome of asking for the next solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextSolution {
    /// No solution, and no more to come.
    Fail,
    /// The last solution.
    Last,
    /// A solution; more may come.
    More,
    /// The unification failed, but more may come: the machine undoes bindings and asks again.
    Skip,
}
