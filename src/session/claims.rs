//! What is doubtful about the claims of an assertion whatever the trace is: they hold of any, or ask for what no event can have.

use std::sync::Arc;

use super::clause_parts::{args_of, list_items};
use super::clause_warnings::is_of_trace;
use super::violation::relation;
use crate::builtins::trace::{LiteralConstraint, SCOPES, literal_constraints, needs_events};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::ops::OpTable;
use crate::term::print::{self, Style};
use crate::term::{Node, NodeId, Tree, atoms};
use crate::trace::{AttributeId, FormOp, can_hold, form_of_all, known_attribute};

/// A goal of an assertion.
struct Claim<'t> {
    tree: &'t Tree,
    ops: &'t OpTable,
    goal: NodeId,
    name: &'static str,
    args: &'t [NodeId],
}

/// What is doubtful about the goals of an assertion, and about those inside of them.
pub(super) fn doubtful_claims(goal: &ReadTerm, ops: &OpTable, source: &Arc<Source>) -> Vec<Diagnostic> {
    let tree = &goal.tree;
    let claims: Vec<Claim<'_>> = (0..tree.len())
        .filter_map(|node| {
            let goal = node as NodeId;
            let (name, _) = tree.functor(goal)?;
            Some(Claim { tree, ops, goal, name: name.as_str(), args: tree.args(goal) })
        })
        .collect();
    let counts: Vec<&Node> = claims.iter().filter_map(Claim::count).collect();
    let asks_nothing = *tree.node(tree.root()) == Node::Atom(atoms::TRUE);
    let doubts = claims.iter().flat_map(|claim| {
        let holds = claim.always_holds().or_else(|| claim.bounds_count(&counts));
        let found = claim.contradictions().into_iter().chain(holds).chain(claim.forbids_all()).chain(claim.date());
        found.map(|message| (claim.goal, message))
    });
    let nothing = asks_nothing.then(|| (tree.root(), "`true` holds of any trace: it asks for nothing".to_string()));
    let warning = |(node, message)| Diagnostic::warning(source, tree.span(node), message);
    nothing.into_iter().chain(doubts).map(warning).collect()
}

impl Claim<'_> {
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
            ("\\+", [goal]) if self.is_fail(*goal) => "`fail` has no answer",
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

    /// That no event may be at all.
    fn forbids_all(&self) -> Option<String> {
        let forbids = matches!((self.name, self.args), ("never", [list]) if self.text(*list) == "[]");
        forbids.then(|| "`never([])` holds of no trace with events".to_string())
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
        let last = self.tree.conjuncts(goal).pop();
        self.is_one_of(goal, &[("->", 2), ("*->", 2)]) || last.is_some_and(|last| self.is_fail(last))
    }

    fn is_fail(&self, goal: NodeId) -> bool {
        matches!(self.tree.node(goal), Node::Atom(atoms::FAIL | atoms::FALSE))
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

    /// That it compares an attribute with `2024-01-01`. In arguments, that may be a term.
    fn date(&self) -> Option<String> {
        let &[name, date] = self.args else { return None };
        let is_number =
            |node: NodeId, least, most| matches!(self.tree.node(node), Node::Int(n) if (least..=most).contains(n));
        let &[month, day] = args_of(self.tree, date, "-")? else { return None };
        let &[year, month] = args_of(self.tree, month, "-")? else { return None };
        let is_date = is_number(year, 1900, 2999) && is_number(month, 1, 12) && is_number(day, 1, 31);
        let is_attribute = match self.tree.node(name) {
            Node::Atom(name) => {
                known_attribute(name.as_str()) != Some(AttributeId::ARGS) && !name.as_str().starts_with("arg.")
            }
            _ => false,
        };
        let is_compared = matches!(self.name, "=" | "\\=" | "<" | ">" | "=<" | ">=");
        (is_date && is_attribute && is_compared)
            .then(|| format!("`{}` is a difference of numbers, not a date", self.text(date)))
    }
}
