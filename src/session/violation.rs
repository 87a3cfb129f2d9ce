//! Why an assertion is violated: the part of its goal that fails, and the witnesses.
//!
//! A violated `forall(C, A)` is explained by a solution of `C, \+ A`, a violated `\+ G` by one of `G`, and a goal of
//! the assertion vocabulary by what it recorded itself.

use super::answer::{Answer, AnswerBinding};
use super::check::{Check, OtherTrace, Outcome};
use super::clause_parts::{args_of, variables};
use super::state::Session;
use super::unfold::{Unfolded, UnfoldedPart};
use crate::builtins::effects::effect;
use crate::builtins::trace::is_assertion;
use crate::engine::{Arrival, Assertions, Effect, Remarks, Stopped, Summary, Violated};
use crate::output::{BRIEF, cut, is_long};
use crate::syntax::ReadTerm;
use crate::term::hash::HashSet;
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};
use crate::trace::EventId;

impl Session {
    /// Why a goal succeeded vacuously, if it did: a `forall` in it had no case, or no assertion of the vocabulary that
    /// it called had anything that could violate it.
    pub(super) fn vacuity(&mut self, check: &Check, asserted: &Assertions) -> Result<Option<String>, Stopped> {
        let Unfolded { goal, parts } = check.unfolded();
        for (index, part) in parts.iter().enumerate() {
            let Some(cases) = cases(&goal.tree, part.goal) else { continue };
            let mut question = AssembledGoal::new(&goal, &parts[..index]);
            question.add(cases);
            let (succeeds, remarks) = self.succeeds(&question.finish(), &check.source)?;
            if !succeeds {
                let because = remarks.reasons().join("; ");
                let because = if because.is_empty() { String::new() } else { format!(": {because}") };
                return Ok(Some(format!("nothing to check{because}")));
            }
        }
        Ok(asserted.vacuous.clone().filter(|_| asserted.are_vacuous()))
    }

    /// That an assertion of the vocabulary holds for one answer to the goals before it, which a check needs, and not for
    /// another one: probably all were meant.
    pub(super) fn holds_for_some(&mut self, check: &Check) -> Option<String> {
        let Unfolded { goal, parts } = check.unfolded();
        let bound = |parts: &[UnfoldedPart]| -> HashSet<u32> {
            parts.iter().flat_map(|part| variables(&goal.tree, part.goal)).collect()
        };
        for (index, part) in parts.iter().enumerate().skip(1) {
            let functor = goal.tree.functor(part.goal).filter(|(name, arity)| is_assertion(name.as_str(), *arity));
            let Some((word, _)) = functor.filter(|_| !bound(&parts[..index]).is_disjoint(&bound(&[*part]))) else {
                continue;
            };
            let mut question = AssembledGoal::new(&goal, &parts[..index]);
            question.add_negated(part.goal);
            self.rewind();
            // the check has its answer, whatever stops the others
            let other = self.query(&question.finish(), &check.source).ok()?.next()?.ok();
            if let Some(values) = other.and_then(|other| values_of_part(self.operators(), &goal, part.goal, &other)) {
                return Some(format!(
                    "`{word}` holds for one answer to the goals before it, not for {values}: `forall` asks it of all"
                ));
            }
        }
        None
    }

    /// The outcome of a goal that failed: its first failing part, with an explanation.
    pub(super) fn violation(&mut self, check: &Check, mut remarks: Remarks) -> Result<Outcome, Stopped> {
        let Unfolded { goal, parts } = check.unfolded();
        let last = parts.len().saturating_sub(1);
        let (mut failing, mut n_before) = (last, 0);
        for index in 0..last {
            let question = AssembledGoal::new(&goal, &parts[..=index]);
            let (succeeds, until_here) = self.succeeds(&question.finish(), &check.source)?;
            if !succeeds {
                failing = index;
                remarks = until_here;
                break;
            }
            n_before = until_here.assertions.n_decided;
        }
        let (reasons, asserted) = (remarks.reasons(), remarks.assertions);
        let Some(part) = parts.get(failing) else { return Ok(Outcome::violated(String::new(), Vec::new())) };
        if let Some(violated) = self.violated_assertion(check, &goal, &parts[..=failing])? {
            return Ok(assertion_outcome(check, &goal, *part, violated));
        }
        match (counter_question(&goal, &parts, failing), asserted.violated) {
            (Some(question), _) => self.counterexample(question, check, part.written),
            (None, Some(violated)) if asserted.n_decided > n_before => {
                let elsewhere = self.other_trace(violated.trace);
                Ok(Outcome { elsewhere, ..assertion_outcome(check, &goal, *part, violated) })
            }
            (None, _) => {
                let because = self.values_before(check, &goal, &parts[..failing], part.goal)?;
                let because: Vec<String> = because.into_iter().chain(reasons).collect();
                Ok(Outcome::violated(no_answer(self.operators(), &check.goal, part.written, &because), Vec::new()))
            }
        }
    }

    /// Why the last part is violated, if it is a goal of the vocabulary.
    fn violated_assertion(
        &mut self,
        check: &Check,
        goal: &ReadTerm,
        parts: &[UnfoldedPart],
    ) -> Result<Option<Violated>, Stopped> {
        let Some((last, others)) = parts.split_last() else { return Ok(None) };
        let functor = goal.tree.functor(last.goal);
        if !functor.is_some_and(|(name, arity)| is_assertion(name.as_str(), arity)) {
            return Ok(None);
        }
        let mut question = AssembledGoal::new(goal, others);
        question.add_named("$violation", last.goal);
        let (is_violated, remarks) = self.succeeds(&question.finish(), &check.source)?;
        Ok(remarks.assertions.violated.filter(|_| is_violated))
    }

    /// The values that the parts before the failing one give to its variables, `N = 11`, by their first answer.
    fn values_before(
        &mut self,
        check: &Check,
        goal: &ReadTerm,
        parts: &[UnfoldedPart],
        failing: NodeId,
    ) -> Result<Option<String>, Stopped> {
        if parts.is_empty() {
            return Ok(None);
        }
        self.rewind();
        let first = self.query(&AssembledGoal::new(goal, parts).finish(), &check.source)?.next().transpose()?;
        Ok(first.and_then(|answer| values_of_part(self.operators(), goal, failing, &answer)))
    }

    /// The trace at an index, unless goals are put to that one.
    fn other_trace(&mut self, at: usize) -> Option<OtherTrace> {
        let traces = &mut self.machine.world.desk.traces;
        if at == traces.current() { None } else { traces.trace(at).ok().map(OtherTrace) }
    }

    fn counterexample(&mut self, mut question: AssembledGoal, check: &Check, part: NodeId) -> Result<Outcome, Stopped> {
        question.add_instance();
        let chronos = question.chronos.clone();
        self.rewind();
        let mut query = self.query(&question.finish(), &check.source)?;
        let first = query.next().transpose()?;
        let violated = query.finish().assertions.violated;
        let Some(answer) = first else {
            return Ok(Outcome::violated(no_answer(self.operators(), &check.goal, part, &[]), Vec::new()));
        };
        let mut witnesses = self.witnesses(&answer, &chronos);
        let mut message = counterexample_in_words(self.operators(), &answer);
        if let Some(violated) = violated {
            message = format!("{message}; {}", violated.message);
            let is_here = self.other_trace(violated.trace).is_none();
            witnesses.extend(violated.witnesses.into_iter().filter(|_| is_here));
            witnesses.sort_unstable();
            witnesses.dedup();
        }
        Ok(Outcome::violated(message, witnesses))
    }

    /// The events in the answer, in trace order, and the event at its cursor.
    fn witnesses(&self, answer: &Answer, chronos: &[String]) -> Vec<EventId> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let values = answer.values.iter().filter(|(name, _)| chronos.contains(name));
        let numbers = values.filter_map(|(_, value)| match answer.tree.node(*value) {
            Node::Int(chrono) => trace.find_chrono(*chrono),
            _ => None,
        });
        let mut events: Vec<EventId> = numbers.chain(answer.event).collect();
        events.sort_unstable();
        events.dedup();
        events
    }
}

/// What an answer says, as a counterexample.
pub(super) fn counterexample_in_words(ops: &OpTable, answer: &Answer) -> String {
    let mut values = values_in_words(ops, answer, |_| true);
    if values.is_empty() {
        let instance = answer.values.iter().find(|(name, _)| name == INSTANCE);
        values.extend(instance.map(|(_, value)| brief(ops, &answer.tree, *value)));
    }
    if values.is_empty() { "counterexample".to_string() } else { format!("counterexample: {}", values.join(", ")) }
}

/// The variable that holds the goal that is a counterexample. No variable of a script can have this name.
const INSTANCE: &str = "_ goal";

/// The text of a value in a message: of a long one its lists and texts are cut.
fn brief(ops: &OpTable, tree: &Tree, value: NodeId) -> String {
    let text = print::to_string(tree, value, ops, &Style { max_terms: Some(10_000), ..short() });
    if is_long(&text) { cut(&text, BRIEF).into_owned() } else { text }
}

/// The style of terms in messages.
fn short() -> Style<'static> {
    Style { max_terms: Some(100), spacing: Spacing::NextArgument, ..Style::writeq() }
}

/// `N = 11`, for each variable with a value and a name that is wanted.
fn values_in_words(ops: &OpTable, answer: &Answer, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let values = answer.bindings().filter_map(|binding| match binding {
        AnswerBinding::Value(name, value) if is_wanted(name) => {
            Some(format!("{name} = {}", brief(ops, &answer.tree, value)))
        }
        _ => None,
    });
    values.collect()
}

/// The values that an answer to the parts before gives to the variables of a part: `N = 11`.
pub(super) fn values_of_part(ops: &OpTable, goal: &ReadTerm, part: NodeId, answer: &Answer) -> Option<String> {
    let numbers = variables(&goal.tree, part);
    let is_of_part = |name: &str| goal.variables.iter().any(|(of, number, ..)| of == name && numbers.contains(number));
    let values = values_in_words(ops, answer, is_of_part);
    (!values.is_empty()).then(|| values.join(", "))
}

/// That a part of a goal has no answer, and why.
pub(super) fn no_answer(ops: &OpTable, goal: &ReadTerm, part: NodeId, reasons: &[String]) -> String {
    let names = goal.variables.iter().map(|(name, number, ..)| (u64::from(*number), name.clone())).collect();
    let style = Style { names: Some(&names), ..short() };
    let text = print::to_string(&goal.tree, part, ops, &style);
    let because = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    format!("`{text}` has no answer{because}")
}

/// A violated assertion with its position in the script: that of its goal, or of the call of a library rule.
fn assertion_outcome(check: &Check, goal: &ReadTerm, part: UnfoldedPart, violated: Violated) -> Outcome {
    let own = goal.tree.span(part.goal);
    let span = if own == Span::default() { goal.tree.span(part.written) } else { own };
    Outcome::violated(format!("{}: {}", check.source.place(span.start), violated.message), violated.witnesses)
}

/// The question whose first answer explains why a part fails, if there is one for this kind of part.
pub(super) fn counter_question(goal: &ReadTerm, parts: &[UnfoldedPart], failing: usize) -> Option<AssembledGoal> {
    let part = parts.get(failing)?.goal;
    let mut question = AssembledGoal::new(goal, &parts[..failing]);
    if let Some(&[condition, action]) = args_with(&goal.tree, part, Effect::Summarizes(Summary::ForAll)) {
        question.add_watched(condition);
        question.add_negated(action);
        return Some(question);
    }
    let negated = args_with(&goal.tree, part, Effect::Negates).and_then(|args| args.first().copied());
    question.add_watched(negated.or_else(|| forbidden(&goal.tree, part))?);
    Some(question)
}

/// The goal whose answers a goal is about, and about nothing without any: those of `forall`, or of a sum.
fn cases(tree: &Tree, goal: NodeId) -> Option<NodeId> {
    if let Some(&[condition, _]) = args_with(tree, goal, Effect::Summarizes(Summary::ForAll)) {
        return Some(condition);
    }
    match args_with(tree, goal, Effect::Summarizes(Summary::Total))? {
        &[what, found, _] => args_of(tree, what, "sum").map(|_| found),
        _ => None,
    }
}

/// The condition of `( Condition -> fail ; true )`.
fn forbidden(tree: &Tree, goal: NodeId) -> Option<NodeId> {
    let &[choice, otherwise] = args_of(tree, goal, ";")? else { return None };
    let &[condition, then] = args_of(tree, choice, "->")? else { return None };
    let is_atom = |node: NodeId, atom: Atom| *tree.node(node) == Node::Atom(atom);
    (is_atom(then, atoms::FAIL) && is_atom(otherwise, atoms::TRUE)).then_some(condition)
}

/// The arguments of a goal that has an effect.
pub(super) fn args_with(tree: &Tree, goal: NodeId, wanted: Effect) -> Option<&[NodeId]> {
    let (name, arity) = tree.functor(goal)?;
    (effect(name, arity) == wanted).then(|| tree.args(goal))
}

/// The predicate and the constraints of a search that moves nowhere.
pub(super) fn relation(tree: &Tree, goal: NodeId) -> Option<(Atom, NodeId)> {
    let (name, arity) = tree.functor(goal)?;
    match effect(name, arity) {
        Effect::Searches(search) if search.arrival == Arrival::Nowhere => Some((name, tree.args(goal)[0])),
        _ => None,
    }
}

/// A goal whose answers include the numbers of the events that its `event(..)` goals found, with the names of the
/// variables that have them.
pub(crate) fn with_event_numbers(goal: &ReadTerm) -> (ReadTerm, Vec<String>) {
    let mut watched = AssembledGoal::new(goal, &[]);
    watched.add_watched(goal.tree.root());
    let chronos = watched.chronos.clone();
    (watched.finish(), chronos)
}

/// A goal assembled from parts of another.
pub(super) struct AssembledGoal {
    goal: ReadTerm,
    parts: Vec<NodeId>,
    /// Names of the variables that are bound to the chronos of the events involved.
    chronos: Vec<String>,
}

impl AssembledGoal {
    pub(super) fn new(goal: &ReadTerm, parts: &[UnfoldedPart]) -> AssembledGoal {
        AssembledGoal { goal: goal.clone(), parts: parts.iter().map(|part| part.goal).collect(), chronos: Vec::new() }
    }

    pub(super) fn add(&mut self, part: NodeId) {
        self.parts.push(part);
    }

    fn add_negated(&mut self, goal: NodeId) {
        let negated = self.goal.tree.push_compound(Atom::new("\\+"), &[goal], Span::default());
        self.parts.push(negated);
    }

    /// Adds a goal such that the answer includes the events that its `event(..)` goals found.
    fn add_watched(&mut self, goal: NodeId) {
        for part in self.goal.tree.conjuncts(goal) {
            let watched = self.watched(part).unwrap_or(part);
            self.parts.push(watched);
        }
    }

    /// Gives a name to the last part, a goal that searches no events itself, so that its values are in the answer even if
    /// its variables have no names.
    fn add_instance(&mut self) {
        let is_negation = |part: &NodeId| args_with(&self.goal.tree, *part, Effect::Negates).is_some();
        let last = self.parts.last().copied().filter(|last| self.chronos.is_empty() && !is_negation(last));
        let Some(last) = last else { return };
        let (at, number) = (Span::default(), self.goal.n_variables);
        let variable = self.goal.tree.push(Node::Var(number), at);
        let equation = self.goal.tree.push_compound(atoms::EQUALS, &[variable, last], at);
        self.goal.n_variables += 1;
        self.goal.variables.push((INSTANCE.to_string(), number, at, 2));
        self.parts.push(equation);
    }

    /// Adds a predicate that takes a goal of the vocabulary and the names of the variables.
    pub(super) fn add_named(&mut self, predicate: &str, part: NodeId) {
        let at = Span::default();
        let tree = &mut self.goal.tree;
        let mut names = tree.push(Node::Atom(Atom::new("[]")), at);
        for (name, number, ..) in self.goal.variables.iter().rev() {
            let (name, variable) = (tree.push(Node::Atom(Atom::new(name)), at), tree.push(Node::Var(*number), at));
            let pair = tree.push_compound(Atom::new("="), &[name, variable], at);
            names = tree.push_compound(Atom::new("."), &[pair, names], at);
        }
        let question = tree.push_compound(Atom::new(predicate), &[part, names], at);
        self.parts.push(question);
    }

    /// `event(Constraints)` with an additional constraint on the chrono.
    fn watched(&mut self, part: NodeId) -> Option<NodeId> {
        let (name, constraints) = relation(&self.goal.tree, part)?;
        let is_list = args_of(&self.goal.tree, constraints, ".").is_some();
        let number = self.goal.n_variables;
        let tree = &mut self.goal.tree;
        let at = Span::default();
        let variable = tree.push(Node::Var(number), at);
        let chrono = tree.push(Node::Atom(Atom::new("chrono")), at);
        let constraint = tree.push_compound(Atom::new("="), &[chrono, variable], at);
        let joined = match is_list {
            true => tree.push_compound(Atom::new("."), &[constraint, constraints], at),
            false if matches!(tree.node(constraints), Node::Compound { .. }) => {
                tree.push_compound(Atom::new("and"), &[constraint, constraints], at)
            }
            false => return None,
        };
        let watched = tree.push_compound(name, &[joined], at);
        let chrono = format!("_Chrono{}", self.chronos.len());
        self.goal.n_variables += 1;
        self.goal.variables.push((chrono.clone(), number, at, 1));
        self.chronos.push(chrono);
        Some(watched)
    }

    pub(super) fn finish(mut self) -> ReadTerm {
        let at = Span::default();
        let tree = &mut self.goal.tree;
        let last = self.parts.pop().unwrap_or_else(|| tree.push(Node::Atom(Atom::new("true")), at));
        let root =
            self.parts.iter().rev().fold(last, |rest, part| tree.push_compound(Atom::new(","), &[*part, rest], at));
        tree.set_root(root);
        self.goal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};

    fn question(text: &str) -> String {
        let ops = OpTable::standard();
        let goal = read_goal(text, &ops, &ReadFlags::default()).unwrap();
        let parts = goal.tree.conjuncts(goal.tree.root());
        let parts: Vec<UnfoldedPart> = parts.into_iter().map(|goal| UnfoldedPart { goal, written: goal }).collect();
        let question = counter_question(&goal, &parts, parts.len() - 1).unwrap().finish();
        let names = question.variables.iter().map(|(name, number, ..)| (u64::from(*number), name.clone())).collect();
        let style = Style { names: Some(&names), ..Style::writeq() };
        print::to_string(&question.tree, question.tree.root(), &ops, &style)
    }

    #[test]
    fn a_forall_is_refuted_by_a_case_whose_action_fails() {
        assert_eq!(
            question("p(X), forall(event([call=C]), q(X, C))"),
            "p(X),event([chrono=_Chrono0,call=C]),\\+q(X,C)"
        );
    }

    #[test]
    fn a_negation_is_refuted_by_its_goal() {
        assert_eq!(question("\\+ (event(port=exit), D > 3)"), "event(chrono=_Chrono0 and port=exit),D>3");
    }
}
