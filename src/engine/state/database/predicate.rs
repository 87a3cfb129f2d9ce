//! Predicates and what they are defined as.

use super::super::builtin::{Det, Nondet, Protection};
use super::super::control::Control;
use crate::engine::code::{ClauseList, Effect, Instr, PredId};
use crate::term::Atom;

/// Which namespace a clause sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// The predicates that come with papaver.
    Library,
    /// Those of scripts and queries.
    User,
}

/// A predicate.
#[derive(Clone, Debug)]
pub(crate) struct Pred {
    /// Its name.
    pub(crate) name: Atom,
    /// Number of its arguments.
    pub(crate) arity: usize,
    /// What it does.
    pub(crate) definition: Definition,
    /// Who may redefine it.
    pub(crate) protection: Protection,
    /// The script that defined it last; its clauses are replaced when another one, or the same again, defines it.
    pub(crate) script: Option<u32>,
    /// Whether its clauses may be discontiguous.
    pub(crate) is_discontiguous: bool,
    /// Whether several scripts may add to it.
    pub(crate) is_multifile: bool,
    /// What the library's predicate of this name does besides binding its arguments.
    pub(crate) effect: Effect,
    /// The library predicate that takes its place where variables have attributes.
    pub(crate) attributed: Option<&'static str>,
}

/// A predicate written in Rust.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Native {
    /// Succeeds at most once.
    Det(Det),
    /// May succeed many times.
    Nondet(Nondet),
    /// Runs inside the machine.
    Control(Control),
}

/// What a call of a predicate does.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// Unknown: calling it is an error.
    Undefined,
    /// Clauses.
    Clauses(Box<ClauseList>),
    /// Library clauses as source text, until the first call.
    Unread(&'static str),
    /// A function in Rust.
    Native(Native),
    /// Forwards to a library predicate.
    Library(PredId),
}

impl Definition {
    /// Whether calling it is an error.
    pub(crate) fn is_undefined(&self) -> bool {
        match self {
            Definition::Undefined => true,
            Definition::Clauses(list) => list.is_abolished,
            _ => false,
        }
    }
}

/// The instruction that dispatches on the definition of a predicate.
pub(super) fn stub(pred: PredId, definition: &Definition) -> Instr {
    match definition {
        Definition::Native(Native::Control(Control::Call(n))) => Instr::CallGoal { pred, n: *n as u8 },
        Definition::Native(Native::Control(Control::FoldKeep)) => Instr::FoldKeep,
        Definition::Native(Native::Det(_)) => Instr::CallDet { pred },
        Definition::Native(Native::Nondet(_)) => Instr::CallNondet { pred },
        _ => Instr::Enter { pred },
    }
}
