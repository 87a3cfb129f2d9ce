//! A goal that is about to be called as a body: the control constructs and arithmetic in it are compiled, and what the
//! other goals are about is handed over as it is, however large.

use super::cell::Cell;
use super::control::is_body;
use super::instr::Comparison;
use super::store::{Store, Term};
use super::unify::SUSPICIOUS;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The form of a goal, with variables for its parts; those by number.
pub(super) struct GoalForm {
    pub(super) tree: Tree,
    pub(super) parts: Vec<Cell>,
}

/// What is still to be done.
enum Work {
    Goal(Cell),
    /// A part of an arithmetic expression.
    Value(Cell),
    /// A part that is handed over.
    Part(Cell),
    Close(Atom, usize),
}

/// Larger expressions are evaluated as terms.
const MOST_VALUES: usize = 64;
/// A part is taken for one of so many before it if it is the same.
const REMEMBERED: usize = 16;

#[derive(Default)]
struct Former {
    tree: Tree,
    parts: Vec<Cell>,
    done: Vec<NodeId>,
    work: Vec<Work>,
    /// Nodes of the expression at hand.
    values: usize,
}

impl Store {
    /// The form of a goal; nothing for one whose control constructs contain themselves.
    pub(super) fn goal_form(&self, goal: Cell) -> Option<GoalForm> {
        let mut former = Former::default();
        former.work.push(Work::Goal(goal));
        let mut steps = 0;
        while let Some(work) = former.work.pop() {
            former.step(self, work);
            steps += 1;
            if steps == SUSPICIOUS && !self.is_acyclic(goal) {
                return None;
            }
        }
        Some(GoalForm { tree: former.tree, parts: former.parts })
    }
}

impl Former {
    fn step(&mut self, store: &Store, work: Work) {
        match work {
            Work::Goal(goal) => self.goal(store, goal),
            Work::Value(value) => self.value(store, value),
            Work::Part(part) => self.part(store, part),
            Work::Close(name, arity) => {
                let args = self.done.split_off(self.done.len() - arity);
                let id = self.tree.push_compound(name, &args, Span::default());
                self.done.push(id);
            }
        }
    }

    fn goal(&mut self, store: &Store, goal: Cell) {
        let Term::Compound(compound) = store.look(goal) else {
            return match store.look(goal) {
                Term::Var(_) => self.part(store, goal),
                Term::Atom(name) => self.leaf(Node::Atom(name)),
                // Any number will do: it is no goal.
                _ => self.leaf(Node::Int(0)),
            };
        };
        let args = store.args(compound);
        let work = match (compound.name, args.len()) {
            (name, arity) if is_body(name, arity) => Work::Goal,
            (name, 2) if name == atoms::IS || Comparison::of_numbers(name).is_some() => Work::Value,
            _ => Work::Part,
        };
        self.values = 0;
        self.work.push(Work::Close(compound.name, args.len()));
        self.work.extend(args.iter().rev().map(|&arg| work(arg)));
    }

    fn value(&mut self, store: &Store, value: Cell) {
        self.values += 1;
        match store.look(value) {
            Term::Atom(name) => self.leaf(Node::Atom(name)),
            Term::Int(number) => self.leaf(Node::Int(number)),
            Term::Compound(compound) if compound.arity <= 2 && self.values < MOST_VALUES => {
                self.work.push(Work::Close(compound.name, compound.arity));
                self.work.extend(store.args(compound).iter().rev().map(|&arg| Work::Value(arg)));
            }
            _ => self.part(store, value),
        }
    }

    fn part(&mut self, store: &Store, part: Cell) {
        let part = store.deref(part);
        let known = self.parts.iter().rev().take(REMEMBERED).position(|&other| other == part);
        let number = match known {
            Some(back) => self.parts.len() - 1 - back,
            None => {
                self.parts.push(part);
                self.parts.len() - 1
            }
        };
        self.leaf(Node::Var(number as u32));
    }

    fn leaf(&mut self, node: Node) {
        let id = self.tree.push(node, Span::default());
        self.done.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::ops::OpTable;
    use crate::term::print::{Style, to_string};

    /// The form of a goal, and how many parts it has.
    fn form(goal: &str) -> (String, usize) {
        let mut store = Store::new();
        let read = read_goal(goal, &OpTable::standard(), &ReadFlags::default()).expect("the goal is well-formed");
        let (goal, _) = store.load(&read.tree);
        let form = store.goal_form(goal).expect("the goal does not contain itself");
        let text = to_string(&form.tree, form.tree.root(), &OpTable::standard(), &Style::writeq());
        (text, form.parts.len())
    }

    #[test]
    fn control_and_arithmetic_are_form_and_the_rest_is_parts() {
        let cases = [
            ("p(X, [a, b], X), q", "p(_0,_1,_0),q", 2),
            ("( X > 1 + Y -> Z is X * 2.5 ; \\+ G )", "_0>1+_1->_2 is _0*_3;\\+_4", 5),
            ("X = f(Y), !", "_0=_1,!", 2),
            ("p, 1.5", "p,0", 0),
        ];
        for (goal, expected, parts) in cases {
            assert_eq!(form(goal), (expected.to_string(), parts), "{goal}");
        }
    }

    #[test]
    fn a_long_expression_is_a_part() {
        let long = format!("X is {}1", "1 + ".repeat(1000));
        assert!(form(&long).0.len() < 500);
    }

    #[test]
    fn a_body_that_contains_itself_has_no_form_but_a_part_may() {
        let mut store = Store::new();
        let variable = store.new_var();
        let cyclic = store.compound(atoms::COMMA, &[Cell::atom(atoms::TRUE), variable]);
        assert!(store.unify(variable, cyclic));
        assert!(store.goal_form(cyclic).is_none());
        let goal = store.compound(Atom::new("p"), &[cyclic]);
        assert!(store.goal_form(goal).is_some());
    }
}
