//! `papaver query --total`: one answer about all traces, added up from those about each.

use std::sync::Arc;

use crate::session::Answer;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::{Atom, Node, NodeId, Span, Tree};

/// Predicates whose results can be added up, with their arities; the last argument is the result.
const ADDED_UP: [(&str, usize); 4] = [("aggregate_all", 3), ("tally", 3), ("sum_by", 4), ("findall", 3)];

/// The name of the result, which no variable of a goal has.
const RESULT: &str = "the result";

/// Values are added up when they have so many nodes.
const MANY: usize = 1 << 20;

/// A goal that begins with a call of one of these predicates.
pub(super) struct TotalGoal {
    goal: ReadTerm,
    first: NodeId,
    rest: Option<NodeId>,
}

/// The results about the traces so far.
#[derive(Default)]
pub(super) struct Results {
    values: Vec<Answer>,
    n_nodes: usize,
}

impl Results {
    pub(super) fn push(&mut self, answer: Answer) {
        self.n_nodes += answer.tree.len();
        self.values.push(answer);
    }

    pub(super) fn are_many(&self) -> bool {
        self.n_nodes > MANY && self.values.len() > 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl TotalGoal {
    /// An error if the goal does not begin as it must.
    pub(super) fn new(goal: ReadTerm, source: &Arc<Source>) -> Result<TotalGoal, Box<Diagnostic>> {
        let tree = &goal.tree;
        let (first, rest) = match (tree.functor(tree.root()), tree.args(tree.root())) {
            (Some((name, 2)), &[first, rest]) if name.as_str() == "," => (first, Some(rest)),
            _ => (tree.root(), None),
        };
        let functor = tree.functor(first).map(|(name, arity)| (name.as_str(), arity));
        if !functor.is_some_and(|functor| ADDED_UP.contains(&functor)) {
            let why = "`--total` adds up what aggregate_all/3, tally/3, sum_by/4 or findall/3 give for each trace, and the \
                       goal must begin with one of them";
            return Err(Box::new(Diagnostic::error(source, tree.span(first), why)));
        }
        Ok(TotalGoal { goal, first, rest })
    }

    /// The goal for each trace: its only variable is the result.
    pub(super) fn for_each(&self) -> ReadTerm {
        let mut goal = self.goal.clone();
        let root = self.with_new_result(&mut goal);
        goal.tree.set_root(root);
        goal
    }

    /// The goal whose result is the total of results.
    pub(super) fn of(&self, results: Results) -> ReadTerm {
        let mut goal = self.goal.clone();
        let aggregate = self.with_new_result(&mut goal);
        let root = total(&mut goal, aggregate, results);
        goal.tree.set_root(root);
        goal
    }

    /// The whole goal for the total of results.
    pub(super) fn last(&self, results: Results) -> ReadTerm {
        let mut goal = self.goal.clone();
        let sum = total(&mut goal, self.first, results);
        let root = match self.rest {
            Some(rest) => goal.tree.push_compound(Atom::new(","), &[sum, rest], Span::default()),
            None => sum,
        };
        goal.tree.set_root(root);
        goal
    }

    /// The first call with a variable of its own as the result.
    fn with_new_result(&self, goal: &mut ReadTerm) -> NodeId {
        let at = goal.tree.span(self.first);
        let result = goal.tree.push(Node::Var(goal.n_variables), at);
        let mut args = goal.tree.args(self.first).to_vec();
        args.pop();
        args.push(result);
        goal.variables = vec![(RESULT.to_string(), goal.n_variables, at, 1)];
        goal.n_variables += 1;
        let name = goal.tree.functor(self.first).map_or_else(|| Atom::new("true"), |(name, _)| name);
        goal.tree.push_compound(name, &args, at)
    }
}

/// `'$total'(Aggregate, Results)`
fn total(goal: &mut ReadTerm, aggregate: NodeId, results: Results) -> NodeId {
    let at = Span::default();
    let values: Vec<NodeId> = results
        .values
        .iter()
        .filter_map(|answer| {
            let (_, value) = answer.values.first()?;
            let root = goal.tree.graft(&answer.tree, goal.n_variables);
            goal.n_variables += n_variables(&answer.tree);
            Some(value + (root - answer.tree.root()))
        })
        .collect();
    let end = goal.tree.push(Node::Atom(Atom::new("[]")), at);
    let list =
        values.iter().rev().fold(end, |rest, value| goal.tree.push_compound(Atom::new("."), &[*value, rest], at));
    goal.tree.push_compound(Atom::new("$total"), &[aggregate, list], at)
}

/// A number that all variables of a tree are below.
fn n_variables(tree: &Tree) -> u32 {
    let numbers = (0..tree.len() as NodeId).filter_map(|node| match tree.node(node) {
        Node::Var(number) => Some(number + 1),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}
