//! What is wrong with the claims of an assertion whatever the trace is: they hold of any, or ask for what no event can have.

use super::clause_parts::{conjuncts, list_items};
use super::clause_warnings::is_of_trace;
use super::violation::relation;
use crate::builtins::trace::{LiteralConstraint, SCOPES, is_assertion, literal_constraints, needs_events, no_scope};
use crate::syntax::ReadTerm;
use crate::term::ops::OpTable;
use crate::term::print::{self, Style};
use crate::term::{Node, NodeId, Tree, atoms};
use crate::trace::{FormOp, can_hold, form_of_all};

/// A goal of an assertion.
struct Claim<'t> {
    tree: &'t Tree,
    ops: &'t OpTable,
    name: &'static str,
    args: &'t [NodeId],
}

/// The bounds of `exists`.
const BOUNDS: [(&str, usize); 3] = [("at_least", 1), ("at_most", 1), ("exactly", 1)];

/// What is wrong with the goals of an assertion, and with those inside of them.
pub(super) fn doubtful_claims(goal: &ReadTerm, ops: &OpTable) -> Vec<String> {
    let tree = &goal.tree;
    let claims: Vec<Claim<'_>> = (0..tree.len())
        .filter_map(|node| {
            let (name, _) = tree.functor(node as NodeId)?;
            Some(Claim { tree, ops, name: name.as_str(), args: tree.args(node as NodeId) })
        })
        .collect();
    let counts: Vec<&Node> = claims.iter().filter_map(Claim::count).collect();
    let asks_nothing = *tree.node(tree.root()) == Node::Atom(atoms::TRUE);
    let doubts = claims.iter().flat_map(|claim| {
        let holds = claim.always_holds().or_else(|| claim.bounds_count(&counts));
        claim.contradictions().into_iter().chain(holds).chain(claim.wrong_scope())
    });
    asks_nothing
        .then(|| "`true` holds of any trace: it asks for nothing".to_string())
        .into_iter()
        .chain(doubts)
        .collect()
}

impl Claim<'_> {
    fn is_assertion(&self) -> bool {
        is_assertion(self.name, self.args.len())
    }

    /// A term as it is written.
    fn text(&self, node: NodeId) -> String {
        print::to_string(self.tree, node, self.ops, &Style::writeq())
    }

    fn is_one_of(&self, node: NodeId, functors: &[(&str, usize)]) -> bool {
        let functor = self.tree.functor(node);
        functor.is_some_and(|(name, arity)| functors.iter().any(|one| *one == (name.as_str(), arity)))
    }

    /// The lists of constraints in its arguments, of which a chain has several.
    fn lists(&self) -> Vec<NodeId> {
        let functor = (self.name, self.args.len());
        if !is_of_trace(self.name, self.args.len()) && !SCOPES.contains(&functor) {
            return Vec::new();
        }
        let of_argument = |arg: &NodeId| match list_items(self.tree, *arg) {
            Some(lists) if lists.first().is_some_and(|list| list_items(self.tree, *list).is_some()) => lists,
            Some(_) => vec![*arg],
            None => Vec::new(),
        };
        self.args.iter().flat_map(of_argument).collect()
    }

    /// The constraints that no event can satisfy, one alone or two.
    fn contradictions(&self) -> Vec<String> {
        let of_list = |list| {
            let literals = literal_constraints(self.tree, list);
            let is_possible =
                |literal: &LiteralConstraint| can_hold(&[&literal.code, &form_of_all(&self.text(literal.name))]);
            let told = |index: usize, first: &LiteralConstraint| match is_possible(first) {
                false => Some(format!("no event can have `{}`", self.constraint(first))),
                true => {
                    let contradicts = |other: &&LiteralConstraint| {
                        self.text(first.name) == self.text(other.name) && !can_hold(&[&first.code, &other.code])
                    };
                    let second = literals[index + 1..].iter().find(contradicts)?;
                    let (first, second) = (self.constraint(first), self.constraint(second));
                    Some(format!("no event can have both `{first}` and `{second}`"))
                }
            };
            literals.iter().enumerate().filter_map(|(index, first)| told(index, first)).collect::<Vec<_>>()
        };
        self.lists().into_iter().flat_map(of_list).collect()
    }

    /// `depth > 3`
    fn constraint(&self, literal: &LiteralConstraint) -> String {
        match (self.tree.functor(literal.item), self.tree.args(literal.item)) {
            (Some((sign, 2)), &[name, form]) => format!("{} {sign} {}", self.text(name), self.text(form)),
            _ => self.text(literal.item),
        }
    }

    /// Why it holds of any trace, if it does.
    fn always_holds(&self) -> Option<String> {
        let nothing = "it asks for nothing";
        let why = match (self.name, self.args) {
            ("always", [list, ..]) if self.text(*list) == "[]" => nothing,
            ("exists", [_, bound, ..]) if self.text(*bound) == "at_least(0)" => nothing,
            ("forall", [_, claim]) if self.is_true(*claim) => nothing,
            ("forall", [found, claim]) if self.is_same_search(*claim, *found) => "it asks for what was found",
            ("never", [list, scope]) if self.ends_scope(*list, *scope) => "the first such event ends the scope",
            (";", [tried, other]) if self.is_true(*other) && !self.is_condition_or_loop(*tried) => {
                "`true` is an alternative"
            }
            (name, [needed, subject, rest @ ..])
                if needs_events(name, self.args.len())
                    && !rest.iter().any(|limit| self.is_range(*limit))
                    && self.is_met_by(*needed, *subject) =>
            {
                "the events that it is about answer themselves"
            }
            _ => return None,
        };
        Some(format!("`{}` holds of any trace: {why}", self.name))
    }

    /// The variable for a number of answers or elements, if the claim finds one.
    fn count(&self) -> Option<&Node> {
        match (self.name, self.args) {
            ("aggregate_all", [what, _, count]) if *self.tree.node(*what) == Node::Atom(atoms::COUNT) => {
                Some(self.tree.node(*count))
            }
            ("length", [_, count]) => Some(self.tree.node(*count)),
            _ => None,
        }
    }

    /// That it compares a count with what each is greater than.
    fn bounds_count(&self, counts: &[&Node]) -> Option<String> {
        let (count, bound) = match (self.name, self.args) {
            (">=", [count, bound]) | ("=<", [bound, count]) => (count, *self.tree.node(*bound) == Node::Int(0)),
            (">", [count, bound]) | ("<", [bound, count]) => (count, *self.tree.node(*bound) == Node::Int(-1)),
            _ => return None,
        };
        let is_count = counts.contains(&self.tree.node(*count)) && matches!(self.tree.node(*count), Node::Var(_));
        (bound && is_count).then(|| format!("`{}` holds of any trace: a count is not negative", self.name))
    }

    fn is_true(&self, goal: NodeId) -> bool {
        *self.tree.node(goal) == Node::Atom(atoms::TRUE)
    }

    /// Whether a goal is `Condition -> Goal`, or ends in `fail` so that the next answer is found.
    fn is_condition_or_loop(&self, goal: NodeId) -> bool {
        let last = conjuncts(self.tree, goal).pop();
        let is_fail = |last: NodeId| matches!(self.tree.node(last), Node::Atom(atoms::FAIL | atoms::FALSE));
        self.is_one_of(goal, &[("->", 2), ("*->", 2)]) || last.is_some_and(is_fail)
    }

    /// Whether a goal finds again each event that another one has found.
    fn is_same_search(&self, goal: NodeId, found: NodeId) -> bool {
        match (relation(self.tree, goal), relation(self.tree, found)) {
            (Some((_, asked)), Some((_, given))) => self.is_met_by(asked, given),
            _ => false,
        }
    }

    /// Whether each event that satisfies the constraints of a list ends the scope before it.
    fn ends_scope(&self, list: NodeId, scope: NodeId) -> bool {
        self.is_one_of(scope, &[("before", 1)]) && self.is_met_by(self.tree.args(scope)[0], list)
    }

    /// Whether a term is `within(Attribute, Min..Max)`, by which an event may be too near to itself.
    fn is_range(&self, limit: NodeId) -> bool {
        self.is_one_of(limit, &[("within", 2)]) && self.is_one_of(self.tree.args(limit)[1], &[("..", 2)])
    }

    /// Whether each event that satisfies the constraints of one list satisfies those of the other, too.
    fn is_met_by(&self, needed: NodeId, subject: NodeId) -> bool {
        let (Some(needed), Some(items)) = (list_items(self.tree, needed), list_items(self.tree, subject)) else {
            return false;
        };
        let (given, literals) = (self.texts(&items), literal_constraints(self.tree, subject));
        let follows = |item: &NodeId| {
            literal_constraints(self.tree, *item).iter().any(|literal| {
                let same = literals.iter().filter(|other| self.text(other.name) == self.text(literal.name));
                let mut forms: Vec<&[FormOp]> = same.map(|other| other.code.as_slice()).collect();
                let negated = [&literal.code[..], &[FormOp::Not]].concat();
                forms.push(&negated);
                forms.len() > 1 && !can_hold(&forms)
            })
        };
        !needed.is_empty() && needed.iter().all(|item| given.contains(&self.text(*item)) || follows(item))
    }

    fn texts(&self, nodes: &[NodeId]) -> Vec<String> {
        nodes.iter().map(|node| self.text(*node)).collect()
    }

    /// That an argument after the lists is no scope.
    fn wrong_scope(&self) -> Option<String> {
        let n_lists = 1 + usize::from(needs_events(self.name, self.args.len()));
        let after = self.args.get(n_lists..).filter(|_| self.is_assertion())?;
        let scope = *after.iter().find(|arg| !self.is_one_of(**arg, &BOUNDS))?;
        let is_right = matches!(self.tree.node(scope), Node::Var(_)) || self.is_one_of(scope, &SCOPES);
        (!is_right).then(|| no_scope(&self.text(scope)))
    }
}
