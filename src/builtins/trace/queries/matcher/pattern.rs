//! Compiles a term to the operations of a matcher.

use crate::builtins::trace::queries::term_test::{Asks, TermTest};
use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::engine::{Cell, Compound, Store, Term};
use crate::syntax::Number;
use crate::term::atoms;
use crate::term::hash::NumberMap;

use super::operations::{Matcher, Op, Rest};

/// A matcher under construction.
#[derive(Default)]
pub(super) struct Pattern {
    ops: Vec<Op>,
    items: Vec<std::ops::Range<usize>>,
    rest: Option<Rest>,
    /// The index of each variable among the operations; none for the variable of the remaining arguments.
    variables: NumberMap<Cell, Option<usize>>,
}

/// The most operations of a pattern; parts of a larger term become [`Op::Unsure`].
const MAX_OPS: usize = 1024;

impl Pattern {
    /// Compiles a term for the list of all arguments; none if it is not a list or has too many elements.
    pub(super) fn list(&mut self, store: &Store, term: Cell) -> Option<()> {
        let mut rest = term;
        self.rest = Some(loop {
            match store.look(rest) {
                Term::Atom(atoms::NIL) => break Rest::Nothing,
                Term::Var(variable) => break self.open_end(variable),
                Term::Compound(pair) if is_pair(pair) && self.ops.len() < MAX_OPS => {
                    self.item(store, store.arg(pair, 0));
                    rest = store.arg(pair, 1);
                }
                _ => return None,
            }
        });
        Some(())
    }

    /// Compiles a term for the argument with a number, counted from 1.
    pub(super) fn argument(&mut self, store: &Store, number: usize, term: Cell) {
        for at in 0..number - 1 {
            self.ops.push(Op::Any);
            self.items.push(at..at + 1);
        }
        self.item(store, term);
        self.rest = Some(Rest::Anything);
    }

    /// Adds a test of the value of a variable.
    pub(super) fn test(&mut self, store: &Store, test: &TermTest) {
        let constant = match test.asks {
            Asks::IsList => None,
            Asks::Has(constant) => match constant_op(store.look(constant)) {
                op @ (Op::Int(_) | Op::Atom(_)) => Some(op),
                _ => return self.doubt(test.variable),
            },
        };
        let at = self.variables.get(&test.variable).copied().flatten();
        let is_argument = |at: &usize| self.items.iter().any(|item| *item == (*at..at + 1));
        match at.filter(is_argument).map(|at| &mut self.ops[at]) {
            Some(Op::List(constants)) => constants.extend(constant),
            Some(op @ Op::Any) => *op = Op::List(constant.into_iter().collect()),
            _ => self.doubt(test.variable),
        }
    }

    /// Marks a variable whose value the matcher cannot check.
    fn doubt(&mut self, variable: Cell) {
        match self.variables.get(&variable) {
            Some(Some(at)) => self.ops[*at] = Op::Unsure,
            Some(None) | None => self.rest = Some(Rest::Again),
        }
    }

    pub(super) fn finish(self) -> Matcher {
        let rest = self.rest.unwrap_or(Rest::Anything);
        Matcher { ops: self.ops, items: self.items, rest, has_variables: !self.variables.is_empty() }
    }

    fn open_end(&mut self, variable: Cell) -> Rest {
        let first = self.variables.get(&variable).copied();
        match first {
            None => {
                self.variables.insert(variable, None);
                Rest::Anything
            }
            Some(first) => {
                self.mark_unsure(first);
                Rest::Again
            }
        }
    }

    fn mark_unsure(&mut self, at: Option<usize>) {
        if let Some(at) = at {
            self.ops[at] = Op::Unsure;
        }
    }

    /// Adds the operations of one argument.
    fn item(&mut self, store: &Store, term: Cell) {
        let start = self.ops.len();
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            let op = match store.look(term) {
                _ if self.ops.len() >= MAX_OPS => Op::Unsure,
                Term::Var(variable) => self.variable(variable),
                Term::Compound(compound) => compound_op(compound),
                other => constant_op(other),
            };
            if let (Op::Pair | Op::Compound(..), Term::Compound(compound)) = (&op, store.look(term)) {
                waiting.extend(store.args(compound).iter().rev());
            }
            self.ops.push(op);
        }
        self.items.push(start..self.ops.len());
    }

    fn variable(&mut self, variable: Cell) -> Op {
        match self.variables.insert(variable, Some(self.ops.len())) {
            None => Op::Any,
            Some(first) => {
                self.mark_unsure(first);
                Op::Unsure
            }
        }
    }
}

fn is_pair(compound: Compound) -> bool {
    (compound.name, compound.arity) == (atoms::DOT, 2)
}

fn compound_op(compound: Compound) -> Op {
    let name = compound.name.as_str();
    let is_special = compound.arity == 0 || matches!(name, "{}" | "[]" | "|") || OPERATORS.is_op(compound.name);
    match is_pair(compound) {
        true => Op::Pair,
        false if is_special => Op::Special(name),
        false => u32::try_from(compound.arity).map_or(Op::Unsure, |arity| Op::Compound(name, arity)),
    }
}

fn constant_op(term: Term<'_>) -> Op {
    match term {
        Term::Atom(atoms::NIL) => Op::Nil,
        Term::Atom(name) if OPERATORS.is_op(name) => Op::OperatorAtom(name.as_str()),
        Term::Atom(name) => Op::Atom(name.as_str()),
        Term::Int(value) => Op::Int(value),
        Term::BigInt(value) => Op::Number(Number::BigInt(value.clone())),
        Term::Float(value) if value != 0.0 && value.is_finite() => Op::Number(Number::Float(value)),
        Term::Str(text) => Op::Str(text.into()),
        _ => Op::Unsure,
    }
}
