//! A compiled clause.

use super::clause::Style;
use super::instr::{Instr, Pc};
use super::live::LivePlaces;
use crate::term::{Atom, Span};

/// A compiled clause, not yet linked into the code area.
#[derive(Debug)]
pub struct Compiled {
    /// The instructions; addresses are relative.
    pub code: Vec<Instr>,
    /// The source goals of certain instructions.
    pub places: Vec<GoalPlace>,
    /// What it does to the argument registers before its neck.
    pub style: Style,
    /// What is live after each call.
    pub live: LivePlaces,
}

/// The source goal of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct GoalPlace {
    /// The address of the instruction.
    pub pc: Pc,
    /// The span of the goal in its text.
    pub span: Span,
    /// Its functor.
    pub goal: (Atom, usize),
}
