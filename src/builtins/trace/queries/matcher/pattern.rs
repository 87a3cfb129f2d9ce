//! Compiles a term to the operations of a matcher.

use crate::builtins::trace::queries::term_test::{Asks, TermTest};
use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::engine::{Cell, Compound, Store, Term};
use crate::syntax::NumberLiteral;
use crate::term::atoms;
use crate::term::hash::NumberMap;

use super::operations::{ArgumentsRest, Matcher, MatcherOperation};

/// A matcher under construction.
#[derive(Default)]
pub(super) struct MatcherPattern {
    ops: Vec<MatcherOperation>,
    items: Vec<std::ops::Range<usize>>,
    rest: Option<ArgumentsRest>,
    /// The index of each variable among the operations; none for the variable of the remaining arguments.
    variables: NumberMap<Cell, Option<usize>>,
}

/// The most operations of a pattern; parts of a larger term become [`MatcherOperation::Unsure`].
const MAX_OPS: usize = 1024;

impl MatcherPattern {
    /// Compiles a term for the list of all arguments; none if it is not a list or has too many elements.
    pub(super) fn list(&mut self, store: &Store, term: Cell) -> Option<()> {
        let mut rest = term;
        self.rest = Some(loop {
            match store.look(rest) {
                Term::Atom(atoms::NIL) => break ArgumentsRest::Nothing,
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
            self.ops.push(MatcherOperation::Any);
            self.items.push(at..at + 1);
        }
        self.item(store, term);
        self.rest = Some(ArgumentsRest::Anything);
    }

    /// Adds a test of the value of a variable.
    pub(super) fn test(&mut self, store: &Store, test: &TermTest) {
        let constant = match test.asks {
            Asks::IsList => None,
            Asks::Has(constant) => match constant_op(store.look(constant)) {
                op @ (MatcherOperation::Int(_) | MatcherOperation::Atom(_)) => Some(op),
                _ => return self.doubt(test.variable),
            },
        };
        let at = self.variables.get(&test.variable).copied().flatten();
        let is_argument = |at: &usize| self.items.iter().any(|item| *item == (*at..at + 1));
        match at.filter(is_argument).map(|at| &mut self.ops[at]) {
            Some(MatcherOperation::List(constants)) => constants.extend(constant),
            Some(op @ MatcherOperation::Any) => *op = MatcherOperation::List(constant.into_iter().collect()),
            _ => self.doubt(test.variable),
        }
    }

    /// Marks a variable whose value the matcher cannot check.
    fn doubt(&mut self, variable: Cell) {
        match self.variables.get(&variable) {
            Some(Some(at)) => self.ops[*at] = MatcherOperation::Unsure,
            Some(None) | None => self.rest = Some(ArgumentsRest::Again),
        }
    }

    pub(super) fn finish(self) -> Matcher {
        let rest = self.rest.unwrap_or(ArgumentsRest::Anything);
        Matcher { ops: self.ops, items: self.items, rest, has_variables: !self.variables.is_empty() }
    }

    fn open_end(&mut self, variable: Cell) -> ArgumentsRest {
        let first = self.variables.get(&variable).copied();
        match first {
            None => {
                self.variables.insert(variable, None);
                ArgumentsRest::Anything
            }
            Some(first) => {
                self.mark_unsure(first);
                ArgumentsRest::Again
            }
        }
    }

    fn mark_unsure(&mut self, at: Option<usize>) {
        if let Some(at) = at {
            self.ops[at] = MatcherOperation::Unsure;
        }
    }

    /// Adds the operations of one argument.
    fn item(&mut self, store: &Store, term: Cell) {
        let start = self.ops.len();
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            let op = match store.look(term) {
                _ if self.ops.len() >= MAX_OPS => MatcherOperation::Unsure,
                Term::Var(variable) => self.variable(variable),
                Term::Compound(compound) => compound_op(compound),
                other => constant_op(other),
            };
            if let (MatcherOperation::Pair | MatcherOperation::Compound(..), Term::Compound(compound)) =
                (&op, store.look(term))
            {
                waiting.extend(store.args(compound).iter().rev());
            }
            self.ops.push(op);
        }
        self.items.push(start..self.ops.len());
    }

    fn variable(&mut self, variable: Cell) -> MatcherOperation {
        match self.variables.insert(variable, Some(self.ops.len())) {
            None => MatcherOperation::Any,
            Some(first) => {
                self.mark_unsure(first);
                MatcherOperation::Unsure
            }
        }
    }
}

fn is_pair(compound: Compound) -> bool {
    (compound.name, compound.arity) == (atoms::DOT, 2)
}

fn compound_op(compound: Compound) -> MatcherOperation {
    let name = compound.name.as_str();
    let is_special = compound.arity == 0 || matches!(name, "{}" | "[]" | "|") || OPERATORS.is_op(compound.name);
    match is_pair(compound) {
        true => MatcherOperation::Pair,
        false if compound.arity == 1 && matches!(name, "{}" | "json") => MatcherOperation::Unsure,
        false if is_special => MatcherOperation::Special(name),
        false => u32::try_from(compound.arity)
            .map_or(MatcherOperation::Unsure, |arity| MatcherOperation::Compound(name, arity)),
    }
}

fn constant_op(term: Term<'_>) -> MatcherOperation {
    match term {
        Term::Atom(atoms::NIL) => MatcherOperation::Nil,
        Term::Atom(name) if OPERATORS.is_op(name) => MatcherOperation::OperatorAtom(name.as_str()),
        Term::Atom(name) => MatcherOperation::Atom(name.as_str()),
        Term::Int(value) => MatcherOperation::Int(value),
        Term::BigInt(value) => MatcherOperation::Number(NumberLiteral::BigInt(value.clone())),
        Term::Float(value) if value != 0.0 && value.is_finite() => {
            MatcherOperation::Number(NumberLiteral::Float(value))
        }
        Term::Str(text) => MatcherOperation::Str(text.into()),
        _ => MatcherOperation::Unsure,
    }
}
