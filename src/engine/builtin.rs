//! The record that declares a predicate written in Rust.

use super::cell::Cell;
use super::error::Stop;
use super::instr::PredId;
use super::store::{Mark, Store};
use super::world::World;
use crate::trace::EventId;

/// A predicate written in Rust: what it does, what it is called, and how to tell people about it.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Name of the predicate.
    pub name: &'static str,
    /// Number of arguments.
    pub arity: usize,
    /// Head with modes and determinism: `atom_length(+Text, -Length) is det`.
    pub modes: &'static str,
    /// One line that says what it does.
    pub doc: &'static str,
    /// A goal that shows it.
    pub example: &'static str,
    /// What the example answers: `N = 7`, `X = 1 ; X = 2`, `true`, `false` or `error: Formal`.
    pub answer: &'static str,
    /// The function.
    pub run: Run,
    /// Who may redefine it.
    pub protection: Protection,
}

/// How often a predicate answers.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// At most once.
    Det(Det),
    /// Any number of times.
    Nondet(Nondet),
}

/// A predicate that answers at most once: whether it succeeds.
pub type Det = fn(&mut World, &[Cell]) -> Result<bool, Stop>;
/// A predicate that may answer often: the answers, or none if it fails at once.
pub type Nondet = fn(&mut World, &[Cell]) -> Solutions;
/// The answers of a call, none if it fails at once.
pub type Solutions = Result<Option<Box<dyn Answers>>, Stop>;

/// Whether a script may replace a predicate by its own definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Control and ISO predicates: a permission error.
    Iso,
    /// Any other: the script's own definition counts for that script.
    Library,
}

/// The answers of a nondeterministic predicate, one at a time.
pub trait Answers {
    /// Unifies the next answer; the machine has undone the bindings of the one before.
    fn next(&mut self, world: &mut World) -> Result<Next, Stop>;

    /// Takes the value that the goals behind an answer have come to, if this is a fold; they are undone to `mark`.
    fn keep(&mut self, _store: &mut Store, _mark: &mut Mark, _value: Cell) {}

    /// The event that a search of the trace has come to, if this is one.
    fn event(&self) -> Option<EventId> {
        None
    }

    /// The predicate whose clauses are gone through, if that is what happens, and the last change of them that is seen.
    fn view(&self) -> Option<(PredId, u64)> {
        None
    }
}

/// What asking for the next answer gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// No answer, and none to come.
    Fail,
    /// An answer, and none to come.
    Last,
    /// An answer; more may come.
    More,
    /// Not this one (its unification failed), but more may come: bindings are undone and it is asked again.
    Skip,
}
