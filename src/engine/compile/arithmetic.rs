//! Code for `is/2` and the comparisons of numbers.

use smallvec::SmallVec;

use super::constant;
use super::emit::Emitter;
use super::registers::Owner;
use crate::engine::arith::Function;
use crate::engine::code::{Comparison, FAIL, Instr, X};
use crate::term::{Node, NodeId, Tree, atoms};

/// Registers of pending values.
type PendingRegisters = SmallVec<[X; 8]>;

impl Emitter<'_> {
    /// `Result is Expression`.
    pub(super) fn is(&mut self, goal: NodeId) {
        let (result, expression) = (self.tree.args(goal)[0], self.tree.args(goal)[1]);
        let new = match *self.tree.node(result) {
            Node::Var(number) if !self.slots[number as usize].is_seen => Some(number),
            _ => None,
        };
        let wish = new.and_then(|number| self.wish(number));
        let value = self.evaluate(goal, expression, wish);
        match new {
            Some(number) if !self.slots[number as usize].is_seen => self.keep(number, value),
            _ => {
                let x = self.operand(result);
                self.emit(Instr::GetValue { a: x, b: value });
                self.release(x);
            }
        }
        self.release(value);
    }

    /// A comparison of two expressions.
    pub(super) fn compare(&mut self, goal: NodeId, op: Comparison) {
        let (left, right) = (self.tree.args(goal)[0], self.tree.args(goal)[1]);
        let a = self.compared(goal, left);
        if let Some(n) = small(self.tree, right) {
            self.emit_test(Instr::CompareInt { op, a, n, otherwise: FAIL }, goal);
        } else {
            let b = self.compared(goal, right);
            self.emit_test(Instr::Compare { op, a, b, otherwise: FAIL }, goal);
            self.release(b);
        }
        self.release(a);
    }

    /// A plain variable is left for the comparison to evaluate.
    fn compared(&mut self, goal: NodeId, expression: NodeId) -> X {
        match self.tree.node(expression) {
            Node::Var(_) => self.operand(expression),
            _ => self.evaluate(goal, expression, None),
        }
    }

    /// Emits code that leaves the value of an expression in a register that no variable owns.
    fn evaluate(&mut self, goal: NodeId, expression: NodeId, wish: Option<X>) -> X {
        let mut values: PendingRegisters = SmallVec::new();
        for id in operators_inside_out(self.tree, expression) {
            let value = self.apply(goal, id, &mut values, if id == expression { wish } else { None });
            values.push(value);
        }
        values.pop().expect("an expression has a value")
    }

    fn apply(&mut self, goal: NodeId, id: NodeId, values: &mut PendingRegisters, wish: Option<X>) -> X {
        let tree = self.tree;
        let args = tree.args(id);
        let function = self.tree.functor(id).and_then(|(name, arity)| Function::find(name, arity));
        match (function, args) {
            (Some(f), &[a]) => {
                let a = self.argument(a, values);
                let to = self.result(&[a], wish);
                self.emit_at(Instr::Arith1 { f, to, a }, goal);
                to
            }
            (Some(f), &[left, right]) => match self.increment(f, left, right) {
                Some((term, n)) => {
                    let a = self.argument(term, values);
                    let to = self.result(&[a], wish);
                    self.emit_at(Instr::AddInt { to, a, n }, goal);
                    to
                }
                None => {
                    let b = self.argument(right, values);
                    let a = self.argument(left, values);
                    let to = self.result(&[a, b], wish);
                    self.emit_at(Instr::Arith2 { f, to, a, b }, goal);
                    to
                }
            },
            _ => {
                let a = self.operand(id);
                let to = self.result(&[a], wish);
                self.emit_at(Instr::Evaluate { to, a }, goal);
                to
            }
        }
    }

    /// Matches `A + n`, `n + A` and `A - n` for a small integer n.
    fn increment(&self, f: Function, left: NodeId, right: NodeId) -> Option<(NodeId, i32)> {
        let is = |name| Function::find(name, 2) == Some(f);
        match (small(self.tree, left), small(self.tree, right)) {
            (_, Some(n)) if is(atoms::PLUS) => Some((left, n)),
            (_, Some(n)) if is(atoms::MINUS) => Some((left, n.checked_neg()?)),
            (Some(n), None) if is(atoms::PLUS) => Some((right, n)),
            _ => None,
        }
    }

    /// The register of an argument: that of a computed value, a variable or a constant.
    fn argument(&mut self, term: NodeId, values: &mut PendingRegisters) -> X {
        if is_operator(self.tree, term) {
            return values.pop().expect("inner expressions are evaluated first");
        }
        self.operand(term)
    }

    fn result(&mut self, arguments: &[X], wish: Option<X>) -> X {
        for &x in arguments {
            self.release(x);
        }
        self.registers.take(wish, Owner::Taken)
    }
}

/// Whether a term is an expression of one or two arguments that has to be evaluated.
fn is_operator(tree: &Tree, term: NodeId) -> bool {
    matches!(tree.node(term), Node::Compound { .. })
}

/// The inner expressions of an expression in postorder, itself last.
fn operators_inside_out(tree: &Tree, expression: NodeId) -> SmallVec<[NodeId; 8]> {
    let mut found = SmallVec::new();
    let mut rest: SmallVec<[NodeId; 8]> = SmallVec::new();
    rest.push(expression);
    while let Some(id) = rest.pop() {
        found.push(id);
        let is_known = tree
            .functor(id)
            .is_some_and(|(name, arity)| arity > 0 && arity < 3 && Function::find(name, arity).is_some());
        if is_known {
            rest.extend(tree.args(id).iter().copied().filter(|&arg| is_operator(tree, arg)));
        }
    }
    found.reverse();
    found
}

/// A small integer that fits into an instruction.
fn small(tree: &Tree, term: NodeId) -> Option<i32> {
    constant(tree.node(term))?;
    match tree.node(term) {
        Node::Int(value) => i32::try_from(*value).ok(),
        _ => None,
    }
}
