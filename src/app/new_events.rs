//! A goal that begins with a search, about the events that come after those it was put to before.

use crate::builtins::effects::effect;
use crate::engine::{Effect, Often, SearchCourse, Stop};
use crate::syntax::ReadTerm;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// A goal that begins with a search for all events of a kind, in their order.
#[derive(Clone, Copy)]
pub(super) struct GoalByEvents<'g> {
    goal: &'g ReadTerm,
    search: NodeId,
}

impl<'g> GoalByEvents<'g> {
    /// None for a goal that begins otherwise.
    pub(super) fn new(goal: &'g ReadTerm) -> Option<GoalByEvents<'g>> {
        let mut search = goal.tree.root();
        while goal.tree.functor(search) == Some((atoms::COMMA, 2)) {
            search = goal.tree.args(search)[0];
        }
        let (name, arity) = goal.tree.functor(search)?;
        let is_search = match effect(name, arity) {
            Effect::Searches(search) => search.direction != SearchCourse::Backward && search.often == Often::All,
            _ => false,
        };
        is_search.then_some(GoalByEvents { goal, search })
    }

    /// The goal about the events after the one with a number.
    pub(super) fn after(self, chrono: i64) -> ReadTerm {
        let mut goal = self.goal.clone();
        let (tree, at, root) = (&mut goal.tree, Span::default(), self.goal.tree.root());
        let constraints = tree.args(self.search)[0];
        let [name, end] = [Node::Atom(Atom::new("chrono")), Node::Atom(atoms::NIL)].map(|node| tree.push(node, at));
        let number = tree.push(Node::Int(chrono), at);
        let is_new = tree.push_compound(atoms::GREATER, &[name, number], at);
        let rest = tree.push_compound(atoms::DOT, &[constraints, end], at);
        let both = tree.push_compound(atoms::DOT, &[is_new, rest], at);
        tree.replace_arg(self.search, 0, both);
        tree.set_root(root);
        goal
    }
}

/// Whether a goal stopped because the trace lacks an attribute, which may come with later events.
pub(super) fn lacks_attribute(stop: &Stop) -> bool {
    let is_of = |tree: &Tree, formal: NodeId| match *tree.args(formal) {
        [kind, _] => *tree.node(kind) == Node::Atom(Atom::new("attribute")),
        _ => false,
    };
    match stop {
        Stop::Throw(ball) => ball.args(ball.root()).first().is_some_and(|formal| is_of(ball, *formal)),
        _ => false,
    }
}
