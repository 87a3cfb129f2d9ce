//! A goal that is about to be called as a body: its control constructs and arithmetic are compiled, and the arguments
//! of its other goals are passed as they are, however large. Goals of the same form share their code.

use crate::engine::code::{Comparison, Pc};
use crate::engine::heap::{Cell, Stop, Store, Tag, Term};
use crate::engine::state::is_body;
use crate::term::hash::HashMap;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The form of a goal, with numbered parts, and the parts.
#[derive(Debug, Default)]
pub(super) struct GoalForm {
    /// The form in postfix order: atoms, headers of compounds, and references to parts.
    pub(super) words: Vec<Cell>,
    pub(super) parts: Vec<Cell>,
}

/// A cache of compiled goals by form.
#[derive(Debug, Default)]
pub(super) struct Forms(HashMap<Box<[Cell]>, Pc>);

/// The cache holds this many forms, each of at most this many words.
const MOST_FORMS: usize = 1000;
const MOST_WORDS: usize = 200;

impl Forms {
    /// The address of the code for goals of this form.
    pub(super) fn code(&self, form: &GoalForm) -> Option<Pc> {
        self.0.get(&form.words[..]).copied()
    }

    /// Whether the code for goals of this form may be cached.
    pub(super) fn takes(&self, form: &GoalForm) -> bool {
        self.0.len() < MOST_FORMS && form.words.len() <= MOST_WORDS
    }

    /// Caches the code for goals of this form.
    pub(super) fn add(&mut self, form: GoalForm, code: Pc) {
        self.0.insert(form.words.into(), code);
    }
}

impl GoalForm {
    /// The form as a term, with variables for the parts.
    pub(super) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut done: Vec<NodeId> = Vec::new();
        for word in &self.words {
            let id = match word.tag() {
                Tag::Header => {
                    let args = done.split_off(done.len() - word.header_arity());
                    tree.push_compound(word.atom_value(), &args, Span::default())
                }
                Tag::Atom => tree.push(Node::Atom(word.atom_value()), Span::default()),
                Tag::Ref => tree.push(Node::Var(word.index() as u32), Span::default()),
                _ => unreachable!("a form has no other words"),
            };
            done.push(id);
        }
        tree
    }
}

/// An item of the explicit stack.
enum FormingStep {
    Goal(Cell),
    /// A part of an arithmetic expression.
    Value(Cell),
    /// An argument that is passed as it is.
    Part(Cell),
    Close(Cell),
}

/// Steps between two polls of interrupts and limits.
const POLL_EVERY: usize = 1 << 16;
/// Larger expressions are evaluated as terms.
const MOST_VALUES: usize = 64;
/// How many earlier parts are compared with a new one, to share it.
const REMEMBERED: usize = 16;

#[derive(Default)]
struct Former {
    form: GoalForm,
    work: Vec<FormingStep>,
    /// Words of the current expression.
    values: usize,
}

impl Store {
    /// The form of a goal; `None` if its control constructs are cyclic. `poll` is called now and then with the number
    /// of words so far, because a goal with shared parts may be much larger written out than in memory.
    pub(super) fn goal_form(
        &self,
        goal: Cell,
        mut poll: impl FnMut(usize) -> Result<(), Stop>,
    ) -> Result<Option<GoalForm>, Stop> {
        let mut former = Former::default();
        former.work.push(FormingStep::Goal(goal));
        let (mut steps, suspicious) = (0, 2 * self.suspicious());
        while let Some(work) = former.work.pop() {
            former.step(self, work);
            steps += 1;
            if steps == suspicious && !self.is_acyclic(goal) {
                return Ok(None);
            }
            if steps % POLL_EVERY == 0 {
                poll(former.form.words.len())?;
            }
        }
        Ok(Some(former.form))
    }
}

impl Former {
    fn step(&mut self, store: &Store, work: FormingStep) {
        match work {
            FormingStep::Goal(goal) => self.goal(store, goal),
            FormingStep::Value(value) => self.value(store, value),
            FormingStep::Part(part) => self.part(store, part),
            FormingStep::Close(header) => self.form.words.push(header),
        }
    }

    fn goal(&mut self, store: &Store, goal: Cell) {
        match store.look(goal) {
            Term::Var(_) => self.part(store, goal),
            Term::Atom(name) => self.form.words.push(Cell::atom(name)),
            Term::Compound(compound) => {
                let work = match (compound.name, compound.arity) {
                    (name, arity) if is_body(name, arity) => FormingStep::Goal,
                    (name, 2) if name == atoms::IS || Comparison::of_numbers(name).is_some() => FormingStep::Value,
                    _ => FormingStep::Part,
                };
                self.values = 0;
                self.compound(compound.name, store.args(compound), work);
            }
            _ => self.no_goal(store, goal),
        }
    }

    /// Passes a noncallable goal as a part, marked as such.
    fn no_goal(&mut self, store: &Store, culprit: Cell) {
        self.part(store, culprit);
        self.form.words.push(Cell::header(atoms::NO_GOAL, 1));
    }

    fn value(&mut self, store: &Store, value: Cell) {
        self.values += 1;
        match store.look(value) {
            Term::Atom(name) => self.form.words.push(Cell::atom(name)),
            Term::Compound(compound) if compound.arity <= 2 && self.values < MOST_VALUES => {
                self.compound(compound.name, store.args(compound), FormingStep::Value);
            }
            _ => self.part(store, value),
        }
    }

    fn compound(&mut self, name: Atom, args: &[Cell], work: impl Fn(Cell) -> FormingStep) {
        self.work.push(FormingStep::Close(Cell::header(name, args.len())));
        self.work.extend(args.iter().rev().map(|&arg| work(arg)));
    }

    fn part(&mut self, store: &Store, part: Cell) {
        let (part, parts) = (store.deref(part), &mut self.form.parts);
        let known = parts.iter().rev().take(REMEMBERED).position(|&other| other == part);
        let number = match known {
            Some(back) => parts.len() - 1 - back,
            None => {
                parts.push(part);
                parts.len() - 1
            }
        };
        self.form.words.push(Cell::reference(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::ops::OpTable;
    use crate::term::print::{Style, to_string};

    /// The form of a goal, and its number of parts.
    fn form(goal: &str) -> (String, usize) {
        let mut store = Store::new();
        let read = read_goal(goal, &OpTable::standard(), &ReadFlags::default()).expect("the goal is well-formed");
        let (goal, _) = store.load(&read.tree);
        let form = store.goal_form(goal, |_| Ok(())).unwrap().expect("the goal does not contain itself");
        let tree = form.tree();
        let text = to_string(&tree, tree.root(), &OpTable::standard(), &Style::writeq());
        (text, form.parts.len())
    }

    #[test]
    fn control_and_arithmetic_are_form_and_the_rest_is_parts() {
        let cases = [
            ("p(X, [a, b], X), q", "p(_0,_1,_0),q", 2),
            ("( X > 1 + Y -> Z is X * 2.5 ; \\+ G )", "_0>_1+_2->_3 is _0*_4;\\+_5", 6),
            ("X = f(Y), !", "_0=_1,!", 2),
            ("p, 1.5", "p,'$no_goal'(_0)", 1),
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
        assert!(store.goal_form(cyclic, |_| Ok(())).unwrap().is_none());
        let goal = store.compound(Atom::new("p"), &[cyclic]);
        assert!(store.goal_form(goal, |_| Ok(())).unwrap().is_some());
    }
}
