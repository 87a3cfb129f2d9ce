//! A compiled clause.

use super::clause::NeckStyle;
use super::instr::{Instr, Pc};
use super::live::LivePlaces;
use crate::term::{Atom, Span};

/// A compiled clause, not yet linked into the code area.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The instructions; addresses are relative.
    pub(crate) code: Vec<Instr>,
    /// The source goals of certain instructions.
    pub(crate) places: Vec<GoalPlace>,
    /// What it does to the argument registers before its neck.
    pub(crate) style: NeckStyle,
    /// What is live after each call.
    pub(crate) live: LivePlaces,
}

/// The source goal of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GoalPlace {
    /// The address of the instruction.
    pub(crate) pc: Pc,
    /// The span of the goal in its text.
    pub(crate) span: Span,
    /// Its functor.
    pub(crate) goal: (Atom, usize),
}
