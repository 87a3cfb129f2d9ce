//! Assertions about a trace that is not here: what must be known of it to decide them.
//!
//! A goal of the vocabulary is decided by the events that match its lists, as their order is all that counts; of
//! `always`, by those that do not. Any other goal is decided by its first answer.

use super::answer::Answer;
use super::check::{Check, Outcome, Verdict};
use super::clause_parts::{args_of, list_items, variables};
use super::unfold::{Unfolded, UnfoldedPart};
use super::violation::{
    AssembledGoal, args_with, counter_question, counterexample_in_words, no_answer, values_of_part,
};
use crate::builtins::effects::effect;
use crate::builtins::trace::is_assertion;
use crate::builtins::{MoveVisibility, footprint};
use crate::engine::{Effect, Summary};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Diagnostic;
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, Tree};
use crate::trace::EventId;

/// What decides an assertion.
pub(crate) enum DecidedBy {
    /// These events, the first, and the last one: on them alone, it is decided as on all.
    Events(Vec<EventsInQuestion>),
    /// The answers of goals.
    Answers,
}

/// The events that match a list of constraints, or those that do not.
pub(crate) struct EventsInQuestion {
    goal: ReadTerm,
    list: NodeId,
    /// The constraints of the list; none if it is no list.
    pub(crate) items: Vec<NodeId>,
    pub(crate) is_negated: bool,
    /// The attribute by which the assertion measures distances.
    pub(crate) within: Option<&'static str>,
    /// Whether one of its variables occurs elsewhere in the check.
    pub(crate) shares_variables: bool,
}

/// An answer about a trace that is not here.
pub(crate) struct AnswerElsewhere {
    pub(crate) answer: Answer,
    /// The number of the event to which the goal moved.
    pub(crate) moved_to: Option<i64>,
}

/// The variable for the number of an event. No variable of a script has that name.
pub(crate) const EVENT: &str = "the event";

impl Check {
    /// What decides it; an error if that is both events and answers.
    pub(crate) fn decided_by(&self) -> Result<DecidedBy, Box<Diagnostic>> {
        let Unfolded { goal, parts } = self.unfolded();
        let functor = |part: &UnfoldedPart| goal.tree.functor(part.goal).map(|(name, arity)| (name.as_str(), arity));
        let (assertions, others): (Vec<UnfoldedPart>, Vec<UnfoldedPart>) =
            parts.iter().partition(|part| functor(part).is_some_and(|(name, arity)| is_assertion(name, arity)));
        if assertions.is_empty() {
            return Ok(DecidedBy::Answers);
        }
        // what is written nowhere unifies the arguments of a rule with what it is called with
        let is_written = |part: &&UnfoldedPart| goal.tree.span(part.goal) != Span::default();
        if let Some(other) = others.iter().find(is_written) {
            let why = "an engine decides goals of never, exists, always, precedes and responds, or others, but not both \
                       in one check";
            return Err(Box::new(Diagnostic::error(&self.source, goal.tree.span(other.written), why)));
        }
        let lists: Vec<AssertionList> = assertions.iter().flat_map(|part| lists_of(&goal.tree, part.goal)).collect();
        let places: Vec<NodeId> =
            lists.iter().map(|found| found.list).chain(others.iter().map(|part| part.goal)).collect();
        let events = lists.into_iter().map(|AssertionList { list, is_negated, within }| {
            let own = variables(&goal.tree, list);
            let elsewhere = places.iter().filter(|place| **place != list).map(|place| variables(&goal.tree, *place));
            let shares_variables = elsewhere.into_iter().any(|others| !own.is_disjoint(&others));
            let items = list_items(&goal.tree, list).unwrap_or_default();
            EventsInQuestion { goal: goal.clone(), list, items, is_negated, within, shares_variables }
        });
        Ok(DecidedBy::Events(events.collect()))
    }

    /// Its outcome, given a function that finds the first answer of a goal; with the numbers of the witnesses.
    pub(crate) fn decided_by_answers<E>(
        &self,
        ops: &OpTable,
        first: &mut dyn FnMut(&ReadTerm) -> Result<Option<AnswerElsewhere>, E>,
    ) -> Result<(Outcome, Vec<i64>), E> {
        let Unfolded { goal, parts } = self.unfolded();
        if first(&self.goal)?.is_some() {
            for (index, part) in parts.iter().enumerate() {
                let Some(&[condition, _]) = args_with(&goal.tree, part.goal, Effect::Summarizes(Summary::ForAll))
                else {
                    continue;
                };
                let mut question = AssembledGoal::new(&goal, &parts[..index]);
                question.add(condition);
                if first(&question.finish())?.is_none() {
                    return Ok((Outcome::vacuous("nothing to check".to_string()), Vec::new()));
                }
            }
            return Ok((Outcome::holds(), Vec::new()));
        }
        let mut failing = parts.len().saturating_sub(1);
        for index in 0..failing {
            if first(&AssembledGoal::new(&goal, &parts[..=index]).finish())?.is_none() {
                failing = index;
                break;
            }
        }
        let Some(part) = parts.get(failing) else {
            return Ok((Outcome::violated(String::new(), Vec::new()), Vec::new()));
        };
        let mut because = Vec::new();
        let found = match counter_question(&goal, &parts, failing) {
            Some(question) => {
                let mut question = question.finish();
                // the numbers of events in question, which a name with `_` would hide
                let hidden = question.variables.iter_mut().filter(|(name, ..)| name.starts_with("_Chrono"));
                hidden.for_each(|(name, ..)| *name = format!("{EVENT} {name}"));
                first(&question)?
            }
            None if failing > 0 => {
                let before = first(&AssembledGoal::new(&goal, &parts[..failing]).finish())?;
                because.extend(before.and_then(|found| values_of_part(ops, &goal, part.goal, &found.answer)));
                None
            }
            None => None,
        };
        let Some(AnswerElsewhere { mut answer, moved_to }) = found else {
            return Ok((Outcome::violated(no_answer(ops, &self.goal, part.written, &because), Vec::new()), Vec::new()));
        };
        let is_event = |(name, _): &(String, NodeId)| name.starts_with(EVENT);
        let numbers = answer.values.iter().filter(|value| is_event(value)).filter_map(|(_, value)| {
            match answer.tree.node(*value) {
                Node::Int(number) => Some(*number),
                _ => None,
            }
        });
        let mut numbers: Vec<i64> = numbers.chain(moved_to).collect();
        numbers.sort_unstable();
        numbers.dedup();
        answer.values.retain(|value| !is_event(value));
        Ok((Outcome::violated(counterexample_in_words(ops, &answer), Vec::new()), numbers))
    }
}

/// The events that the searches in a goal may find; none if its answers depend on anything else in the trace.
pub(crate) fn events_of_searches(goal: &ReadTerm) -> Option<Vec<EventsInQuestion>> {
    footprint(&goal.tree, usize::MAX, MoveVisibility::Values)
        .filter(|needs| !needs.counts_events && !needs.needs_starts)?;
    let (mut lists, mut waiting) = (Vec::new(), vec![goal.tree.root()]);
    while let Some(term) = waiting.pop() {
        let args = goal.tree.args(term);
        waiting.extend(args);
        let Some((name, arity)) = goal.tree.functor(term) else { continue };
        if let (Effect::Searches(_), Some(list)) = (effect(name, arity), args.first()) {
            let items = list_items(&goal.tree, *list).unwrap_or_default();
            let (is_negated, within, shares_variables) = (false, None, false);
            lists.push(EventsInQuestion {
                goal: goal.clone(),
                list: *list,
                items,
                is_negated,
                within,
                shares_variables,
            });
        }
    }
    Some(lists)
}

impl Outcome {
    /// The same with witnesses.
    pub(crate) fn with_witnesses(self, witnesses: Vec<EventId>) -> Outcome {
        Outcome { witnesses, ..self }
    }

    /// Of a check that could not be decided.
    pub(crate) fn undecided(message: String) -> Outcome {
        Outcome { verdict: Verdict::Error, message, ..Outcome::holds() }
    }
}

/// A list of constraints in a goal of the vocabulary.
pub(super) struct AssertionList {
    pub(super) list: NodeId,
    /// Whether those events count that do not match it.
    is_negated: bool,
    within: Option<&'static str>,
}

/// The lists of a goal of the vocabulary.
pub(super) fn lists_of(tree: &Tree, assertion: NodeId) -> Vec<AssertionList> {
    let is_always = tree.functor(assertion).is_some_and(|(name, _)| name.as_str() == "always");
    let mut lists: Vec<AssertionList> = Vec::new();
    let mut within = None;
    let mut add = |list: NodeId, is_negated: bool| lists.push(AssertionList { list, is_negated, within: None });
    for (place, argument) in tree.args(assertion).iter().enumerate() {
        let functor = tree.functor(*argument).filter(|_| matches!(tree.node(*argument), Node::Compound { .. }));
        match (functor.map(|(name, arity)| (name.as_str(), arity)), tree.args(*argument)) {
            (Some(("before" | "after", 1) | ("between" | "after_until", 2)), args) => {
                args.iter().for_each(|list| add(*list, false));
            }
            (Some(("within", 2)), &[attribute, _]) => within = atom(tree, attribute),
            (Some(("at_least" | "at_most" | "exactly", 1)) | None, _) => {}
            (Some(_), _) => chain(tree, *argument).into_iter().for_each(|list| add(list, is_always && place == 0)),
        }
    }
    lists.iter_mut().for_each(|list| list.within = within);
    lists
}

fn atom(tree: &Tree, term: NodeId) -> Option<&'static str> {
    match tree.node(term) {
        Node::Atom(name) => Some(name.as_str()),
        _ => None,
    }
}

/// The lists of a chain, or the only one.
fn chain(tree: &Tree, list: NodeId) -> Vec<NodeId> {
    let is_list = |node: NodeId| args_of(tree, node, ".").is_some();
    list_items(tree, list)
        .filter(|items| items.first().is_some_and(|first| is_list(*first)))
        .unwrap_or_else(|| vec![list])
}

impl EventsInQuestion {
    /// The attribute of a constraint; none if it is written in a way that does not name one.
    pub(crate) fn attribute(&self, item: NodeId) -> Option<&'static str> {
        let tree = &self.goal.tree;
        let named = *tree.args(item).first()?;
        let is_argument = tree.functor(named).is_some_and(|(name, arity)| name.as_str() == "arg" && arity == 1);
        atom(tree, named).or_else(|| is_argument.then_some("args"))
    }

    /// Where the list is written.
    pub(crate) fn span(&self) -> Span {
        self.goal.tree.span(self.list)
    }

    /// The goal whose answers are the numbers of these events; `items` is what is kept of the list, all if none.
    pub(crate) fn goal(&self, items: Option<&[NodeId]>) -> ReadTerm {
        let mut goal = self.goal.clone();
        let tree = &mut goal.tree;
        let at = tree.span(self.list);
        let variable = tree.push(Node::Var(goal.n_variables), at);
        let chrono = tree.push(Node::Atom(Atom::new("chrono")), at);
        let numbered = tree.push_compound(Atom::new("="), &[chrono, variable], at);
        let kept = match items {
            None => self.list,
            Some(items) => {
                let end = tree.push(Node::Atom(Atom::new("[]")), at);
                items.iter().rev().fold(end, |rest, item| tree.push_compound(Atom::new("."), &[*item, rest], at))
            }
        };
        let is_list = args_of(tree, kept, ".").is_some() || *tree.node(kept) == Node::Atom(Atom::new("[]"));
        let joined = match is_list {
            true => tree.push_compound(Atom::new("."), &[numbered, kept], at),
            false => tree.push_compound(Atom::new("and"), &[numbered, kept], at),
        };
        let matching = tree.push_compound(Atom::new("event"), &[joined], at);
        let root = match self.is_negated {
            false => matching,
            true => {
                let end = tree.push(Node::Atom(Atom::new("[]")), at);
                let any = tree.push_compound(Atom::new("."), &[numbered, end], at);
                let any = tree.push_compound(Atom::new("event"), &[any], at);
                let others = tree.push_compound(Atom::new("\\+"), &[matching], at);
                tree.push_compound(Atom::new(","), &[any, others], at)
            }
        };
        tree.set_root(root);
        goal.variables = vec![(EVENT.to_string(), goal.n_variables, at, 2)];
        goal.n_variables += 1;
        goal
    }
}
