//! Control predicates as data: those that run inside the machine. The machine runs them in `run/control.rs`.

use crate::engine::code::Effect;
use crate::term::{Atom, atoms};

/// A predicate that runs inside the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// `call/N`.
    Call(usize),
    /// A control construct called as a predicate of its own, with its effect.
    Body(Effect),
    /// `'$catch'(Goal, Catcher, Recovery)`: `catch/3`.
    Catch,
    /// `throw/1`.
    Throw,
    /// `'$choices'(N)`: the height of the choice point stack; shows whether a goal has left a choice point.
    Choices,
    /// `'$fold_keep'(Value)`: passes the result of a fold's step to the fold.
    FoldKeep,
    /// A step of `setup_call_cleanup/3`.
    Cleanup(CleanupStep),
    /// A step of a goal under a limit.
    Limit(LimitStep),
    /// A step of a tabled call.
    Table(TableStep),
    /// `'$put_attributes'(Variable, Attributes)`.
    PutAttributes,
}

/// The steps of `setup_call_cleanup/3`; the clauses are in `library/cleanup.pl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CleanupStep {
    /// `'$cleanup_mark'(Catcher, Cleanup, Serial)`: the goal starts.
    Mark,
    /// `'$cleanup_exit'(Serial)`: the goal has succeeded.
    Exit,
    /// `'$cleanup_rethrow'(Ball, Frame)`: unwinding continues.
    Rethrow,
    /// `'$cleanup_resume'`: continues after the cut that dropped choice points.
    Resume,
}

/// The steps of a limit; the clauses are in `library/limits.pl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitStep {
    /// `'$limit_begin'(Kind, Amount, Serial)`: the goal starts.
    Begin,
    /// `'$limit_end'(Serial, Last, Deepest)`: the goal has succeeded; `Last` is `!` if it has no more solutions, else
    /// `true`.
    End,
    /// `'$limit_was_exceeded'`: whether the limit that ended last without a solution was exceeded.
    WasExceeded,
}

/// The steps of tabling; the clauses are in `library/tabling.pl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableStep {
    /// A call of the tabled predicate with this number.
    Call(u32),
    /// `'$table_clauses'(Table, Goal)`: runs the clauses of a table's predicate.
    Clauses,
    /// `'$table_answer'(Table, Template)`: adds an answer, and fails.
    Answer,
    /// `'$table_replace'(Table, Template, Number, Values)`: replaces an answer by one with other values of the moded
    /// arguments, and fails.
    Replace,
    /// `abolish_all_tables`.
    Abolish,
}

/// The functors whose goals are compiled as bodies, with the effects of these goals.
const BODY_FUNCTORS: &[(Atom, usize, Effect)] = &[
    (atoms::COMMA, 2, Effect::Pure),
    (atoms::SEMICOLON, 2, Effect::Pure),
    (atoms::BAR, 2, Effect::Pure),
    (atoms::ARROW, 2, Effect::Pure),
    (atoms::SOFT_ARROW, 2, Effect::Pure),
    (atoms::NOT_PROVABLE, 1, Effect::Negates),
    (atoms::ONCE, 1, Effect::Pure),
    (atoms::IGNORE, 1, Effect::Pure),
    (atoms::CUT, 0, Effect::Pure),
];

const CLEANUP_STEPS: [(&str, usize, CleanupStep); 4] = [
    ("$cleanup_mark", 3, CleanupStep::Mark),
    ("$cleanup_exit", 1, CleanupStep::Exit),
    ("$cleanup_rethrow", 2, CleanupStep::Rethrow),
    ("$cleanup_resume", 0, CleanupStep::Resume),
];

const LIMIT_STEPS: [(&str, usize, LimitStep); 3] = [
    ("$limit_begin", 3, LimitStep::Begin),
    ("$limit_end", 3, LimitStep::End),
    ("$limit_was_exceeded", 0, LimitStep::WasExceeded),
];

const TABLE_STEPS: [(&str, usize, TableStep); 4] = [
    ("$table_clauses", 2, TableStep::Clauses),
    ("$table_answer", 2, TableStep::Answer),
    ("$table_replace", 4, TableStep::Replace),
    ("$abolish_all_tables", 0, TableStep::Abolish),
];

impl Control {
    /// What it does besides binding its arguments.
    pub(crate) fn effect(self) -> Effect {
        match self {
            Control::Cleanup(CleanupStep::Exit) | Control::Limit(LimitStep::End) => Effect::Watches,
            Control::Body(effect) => effect,
            Control::Call(_) => Effect::Pure,
            _ => Effect::Any,
        }
    }

    /// The control predicate of this name.
    pub(crate) fn find(name: Atom, arity: usize) -> Option<Control> {
        Control::all().find(|row| (row.0, row.1) == (name.as_str(), arity)).map(|row| row.2)
    }

    /// Name, arity and control predicate of each.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, usize, Control)> {
        let calls = (1..=12).map(|n| ("call", n, Control::Call(n)));
        let bodies = BODY_FUNCTORS.iter().map(|&(name, arity, effect)| (name.as_str(), arity, Control::Body(effect)));
        let others = [
            ("$catch", 3, Control::Catch),
            ("throw", 1, Control::Throw),
            ("$choices", 1, Control::Choices),
            ("$fold_keep", 1, Control::FoldKeep),
            ("$put_attributes", 2, Control::PutAttributes),
        ];
        let cleanups = CLEANUP_STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Cleanup(step)));
        let limits = LIMIT_STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Limit(step)));
        let tables = TABLE_STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Table(step)));
        calls.chain(bodies).chain(others).chain(cleanups).chain(limits).chain(tables)
    }
}

/// Whether a goal with this functor is compiled as a body.
pub(crate) fn is_body(name: Atom, arity: usize) -> bool {
    BODY_FUNCTORS.iter().any(|row| (row.0, row.1) == (name, arity))
}
