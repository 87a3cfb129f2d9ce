//! The footprint of a goal: the events of a trace that it can need, inferred from its text before the trace is read.
//!
//! A goal has a footprint if it consists of searches, control, and predicates that have nothing to do with the trace.

use crate::builtins::constraints::{OuterForm, ProcParts, UnreadForms, WrittenConstraint, argument, read};
use crate::builtins::effects::{KnownPredicate, effect};
use crate::engine::{Arrival, CallRelation, Comparison, Destination, Effect, Often, SearchCourse, SearchKind};
use crate::formats::FORMATS;
use crate::term::{Atom, Node, NodeId, Tree, atoms};
use crate::trace::{AttributeId, NeededEvents, Selection, SufficientEvents, known_attribute};

/// How much of the events to which a goal moves can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveVisibility {
    /// They may be shown with all their values.
    Events,
    /// Only what the goal itself writes, or values of its variables, can be seen.
    Values,
}

/// The events that at most `most` answers of a goal need; none if they cannot be determined.
pub(crate) fn footprint(tree: &Tree, most: usize, shown: MoveVisibility) -> Option<Selection> {
    let conjunction = conjunction(tree, tree.root());
    let (extent, rest) = match from_end(tree, &conjunction, most) {
        Some((extent, rest)) => (extent, rest),
        None => (from_start(tree, &conjunction, most), &conjunction[..]),
    };
    let mut walk = GoalWalk { tree, selection: empty(extent), shown };
    let moves = &conjunction[..conjunction.len() - rest.len()];
    walk.selection.counts_events = moves.first().is_some_and(|goal| is_event_count(tree, *goal));
    if moves.iter().any(|goal| matches!(effect_of(tree, *goal), Effect::Moves(_, Arrival::Shown))) {
        // the event is printed with all its values
        walk.selection.attributes = None;
    }
    walk.goals(rest)?;
    (!walk.selection.wanted.is_empty()).then_some(walk.selection)
}

fn empty(extent: SufficientEvents) -> Selection {
    Selection { wanted: Vec::new(), attributes: Some(Vec::new()), extent, counts_events: false, needs_starts: false }
}

/// The kind and the constraints of a goal that searches.
fn search_of(tree: &Tree, goal: NodeId) -> Option<(SearchKind, NodeId)> {
    match effect_of(tree, goal) {
        Effect::Searches(search) => Some((search, tree.args(goal)[0])),
        _ => None,
    }
}

/// What a goal does besides binding its arguments.
fn effect_of(tree: &Tree, goal: NodeId) -> Effect {
    functor(tree, goal).map_or(Effect::Any, |(name, arity)| effect(name, arity))
}

/// The record of a goal that does nothing but call the goals among its arguments.
fn pure(tree: &Tree, goal: NodeId) -> Option<KnownPredicate> {
    let (name, arity) = functor(tree, goal)?;
    KnownPredicate::of(name, arity).filter(|known| known.effect.is_pure() && !known.calls_otherwise())
}

/// Name and arity of a compound or an atom.
fn functor(tree: &Tree, id: NodeId) -> Option<(Atom, usize)> {
    match tree.node(id) {
        Node::Atom(name) => Some((*name, 0)),
        _ => tree.functor(id),
    }
}

fn is(tree: &Tree, id: NodeId, name: &str, arity: usize) -> bool {
    functor(tree, id).is_some_and(|(found, of)| found.as_str() == name && of == arity)
}

/// The goals of a conjunction.
fn conjunction(tree: &Tree, goal: NodeId) -> Vec<NodeId> {
    let (mut goals, mut waiting) = (Vec::new(), vec![goal]);
    while let Some(goal) = waiting.pop() {
        match is(tree, goal, ",", 2) {
            true => waiting.extend(tree.args(goal).iter().rev()),
            false => goals.push(goal),
        }
    }
    goals
}

/// `trace_info(events, N)` with a variable.
fn is_event_count(tree: &Tree, goal: NodeId) -> bool {
    effect_of(tree, goal) == Effect::Describes && is(tree, tree.args(goal)[0], "events", 0)
}

/// How far the first answers reach, if the first goal is a search and the others only write.
fn from_start(tree: &Tree, goals: &[NodeId], most: usize) -> SufficientEvents {
    let Some((search, constraints)) = search_of(tree, goals[0]) else { return SufficientEvents::All };
    let most = if search.often == Often::Once { 1 } else { most };
    let is_all = most == usize::MAX || search.direction == SearchCourse::Backward || !only_write(tree, &goals[1..]);
    match is_all || ConstraintContents::of(tree, constraints).is_none_or(|pattern| !pattern.is_exact) {
        true => SufficientEvents::All,
        false => SufficientEvents::First(most),
    }
}

fn only_write(tree: &Tree, goals: &[NodeId]) -> bool {
    goals.iter().all(|goal| effect_of(tree, *goal) == Effect::Writes)
}

/// How far a search back from the last event reaches, and the goals after the move to that event.
fn from_end<'g>(tree: &Tree, goals: &'g [NodeId], most: usize) -> Option<(SufficientEvents, &'g [NodeId])> {
    let n_moves = match goals {
        [last, ..] if matches!(effect_of(tree, *last), Effect::Moves(Destination::Last, _)) => 1,
        [count, goto, ..] if is_event_count(tree, *count) && is_goto(tree, *count, *goto) => 2,
        _ => return None,
    };
    let rest = &goals[n_moves..];
    let (first, others) = rest.split_first()?;
    let (n_events, goal) = match limited(tree, *first) {
        Some((n_events, goal)) if others.iter().all(|goal| has_plain_goal(tree, *goal)) => (n_events, goal),
        _ if only_write(tree, others) => (most, *first),
        _ => return None,
    };
    let (search, constraints) =
        search_of(tree, goal).filter(|(search, _)| search.direction == SearchCourse::Backward)?;
    let n_events = if search.often == Often::Once { 1 } else { n_events };
    let known: Vec<NodeId> = goals[..n_moves].iter().flat_map(|goal| tree.args(*goal)).copied().collect();
    let pattern = ConstraintContents::of(tree, constraints)?;
    let is_bound =
        |id: &NodeId| matches!(tree.node(*id), Node::Var(number) if pattern.variables.contains(&u64::from(*number)));
    let is_determined = pattern.is_exact && n_events < usize::MAX && !known.iter().any(is_bound);
    is_determined.then_some((SufficientEvents::Last(n_events), rest))
}

/// `goto_np(N)` for the N of `trace_info(events, N)`.
fn is_goto(tree: &Tree, count: NodeId, goto: NodeId) -> bool {
    let is_move = matches!(effect_of(tree, goto), Effect::Moves(Destination::Chrono, _));
    is_move
        && matches!(tree.node(tree.args(goto)[0]), Node::Var(number) if *tree.node(tree.args(count)[1]) == Node::Var(*number))
}

fn has_plain_goal(tree: &Tree, goal: NodeId) -> bool {
    effect_of(tree, goal) == Effect::Writes || pure(tree, goal).is_some_and(|known| !known.has_goals())
}

/// The N and the goal of `limit(N, Goal)`, which may be the only goal that another one calls, such as `findall/3`.
fn limited(tree: &Tree, goal: NodeId) -> Option<(usize, NodeId)> {
    let known = pure(tree, goal)?;
    let called = only_goal(tree, goal, &known)?;
    let (limit, goal) = match known.effect {
        Effect::Limits => (goal, called),
        _ => {
            let inner = pure(tree, called).filter(|inner| inner.effect == Effect::Limits)?;
            (called, only_goal(tree, called, &inner)?)
        }
    };
    match tree.node(tree.args(limit)[0]) {
        Node::Int(most) => Some((usize::try_from(*most).ok()?, goal)),
        _ => None,
    }
}

/// The goal that another goal calls, if it calls exactly one.
fn only_goal(tree: &Tree, goal: NodeId, known: &KnownPredicate) -> Option<NodeId> {
    let mut goals = known.goals();
    goals.next().filter(|_| goals.next().is_none()).map(|index| tree.args(goal)[index])
}

/// A walk over the goals that a goal calls.
struct GoalWalk<'t> {
    tree: &'t Tree,
    selection: Selection,
    shown: MoveVisibility,
}

impl GoalWalk<'_> {
    fn goals(&mut self, goals: &[NodeId]) -> Option<()> {
        let mut waiting = goals.to_vec();
        while let Some(goal) = waiting.pop() {
            self.goal(goal, &mut waiting)?;
        }
        Some(())
    }

    fn goal(&mut self, goal: NodeId, waiting: &mut Vec<NodeId>) -> Option<()> {
        if let Some((search, constraints)) = search_of(self.tree, goal) {
            return self.search(search, constraints);
        }
        match effect_of(self.tree, goal) {
            Effect::RelatesCall(CallRelation::Start) => {
                self.selection.needs_starts = true;
                self.selection
                    .wanted
                    .push(NeededEvents { ports: Some(vec!["call".into()]), ..NeededEvents::default() });
            }
            Effect::Writes => {}
            _ if is_event_count(self.tree, goal) => self.selection.counts_events = true,
            _ => waiting.extend(pure(self.tree, goal)?.goals().map(|index| self.tree.args(goal)[index])),
        }
        Some(())
    }

    fn search(&mut self, search: SearchKind, constraints: NodeId) -> Option<()> {
        let pattern = ConstraintContents::of(self.tree, constraints)?;
        let moves = search.arrival != Arrival::Nowhere;
        if search.arrival == Arrival::Shown || moves && self.shown == MoveVisibility::Events {
            self.selection.attributes = None;
        }
        if let Some(attributes) = &mut self.selection.attributes {
            attributes.extend(pattern.attributes);
        }
        self.selection.wanted.push(pattern.wanted);
        Some(())
    }
}

/// The contents of constraints.
struct ConstraintContents {
    wanted: NeededEvents,
    /// Whether they say no more than that.
    is_exact: bool,
    attributes: Vec<AttributeId>,
    variables: Vec<u64>,
}

impl ConstraintContents {
    /// The contents of a list or conjunction of constraints; none if it contains anything else.
    fn of(tree: &Tree, constraints: NodeId) -> Option<ConstraintContents> {
        let wanted = NeededEvents::default();
        let (attributes, variables) = (Vec::new(), Vec::new());
        let mut pattern = ConstraintContents { wanted, is_exact: true, attributes, variables };
        let mut unread = UnreadForms::from_iter([(constraints, false)]);
        while let Some((term, is_negated)) = unread.pop() {
            if let Some(written) = read(tree, term, is_negated, &mut unread).ok()? {
                pattern.is_exact &= pattern.add(tree, &written)?;
            }
        }
        Some(pattern)
    }

    /// Adds what a constraint says; gives whether that is all it says.
    fn add(&mut self, tree: &Tree, written: &WrittenConstraint<NodeId>) -> Option<bool> {
        let attribute = self.attribute(tree, written.name)?;
        if written.comparison != Comparison::Equal || written.is_negated {
            return Some(false);
        }
        Some(match OuterForm::of(tree, attribute, written.form) {
            OuterForm::Variable(number) => self.variable(attribute, number) && argument(tree, written.name).is_none(),
            _ => self.equal(tree, attribute, written.form),
        })
    }

    /// Notes that an attribute is asked for.
    fn attribute(&mut self, tree: &Tree, name: NodeId) -> Option<AttributeId> {
        use AttributeId as Id;
        let attribute = match (tree.node(name), argument(tree, name)) {
            (_, Some(_)) => Id::ARGS,
            (Node::Atom(name), None) => known_attribute(name.as_str())?,
            _ => return None,
        };
        let of_head = matches!(attribute, Id::CHRONO | Id::CALL | Id::DEPTH | Id::PORT);
        let of_line = matches!(attribute, Id::NAME | Id::ARITY | Id::PROC | Id::ARGS | Id::GOAL_PATH | Id::LINE_NUMBER);
        self.attributes.push(attribute);
        (of_head || of_line).then_some(attribute)
    }

    /// Whether a variable constrains nothing: it occurs once, for an attribute that all events have.
    fn variable(&mut self, attribute: AttributeId, number: u64) -> bool {
        use AttributeId as Id;
        let is_new = !self.variables.contains(&number);
        self.variables.push(number);
        is_new && matches!(attribute, Id::CHRONO | Id::CALL | Id::DEPTH | Id::PORT)
    }

    fn equal(&mut self, tree: &Tree, attribute: AttributeId, form: NodeId) -> bool {
        match attribute {
            AttributeId::PORT => keep(&mut self.wanted.ports, names(tree, form, is_port)),
            AttributeId::NAME => keep(&mut self.wanted.names, names(tree, form, |_| true)),
            AttributeId::PROC => self.proc(tree, form),
            _ => false,
        }
    }

    /// `Name` or `Name/Arity`.
    fn proc(&mut self, tree: &Tree, form: NodeId) -> bool {
        let (name, arity) = match OuterForm::of(tree, AttributeId::PROC, form) {
            OuterForm::Proc(ProcParts { parts: [None, None, Some(name), arity, None] }) => (name, arity),
            OuterForm::Value => (form, None),
            _ => return false,
        };
        let arity = match arity.map(|id| tree.node(id)) {
            None => None,
            Some(Node::Int(arity)) if self.wanted.arity.is_none() => Some(*arity),
            Some(_) => return false,
        };
        let Node::Atom(_) = tree.node(name) else { return false };
        let is_kept = keep(&mut self.wanted.names, names(tree, name, |_| true));
        if is_kept {
            self.wanted.arity = arity.or(self.wanted.arity);
        }
        is_kept
    }
}

/// Keeps the names that an attribute may have, unless there were some before.
fn keep(known: &mut Option<Vec<String>>, names: Option<Vec<String>>) -> bool {
    let is_new = known.is_none() && names.is_some();
    if is_new {
        *known = names;
    }
    is_new
}

/// The names that a form stands for: an atom, or a list of at least one.
fn names(tree: &Tree, form: NodeId, is_known: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let name = |form: NodeId| match (OuterForm::of(tree, AttributeId::NAME, form), tree.node(form)) {
        (OuterForm::Value, Node::Atom(name)) => Some(name.to_string()),
        _ => None,
    };
    let names = match OuterForm::of(tree, AttributeId::NAME, form) {
        OuterForm::List => elements(tree, form)?.into_iter().map(name).collect::<Option<Vec<_>>>()?,
        _ => vec![name(form)?],
    };
    (!names.is_empty() && names.iter().all(|name| is_known(name))).then_some(names)
}

/// The elements of a list that has an end.
fn elements(tree: &Tree, list: NodeId) -> Option<Vec<NodeId>> {
    let (mut elements, mut rest) = (Vec::new(), list);
    while let (Some((atoms::DOT, 2)), &[first, others]) = (tree.functor(rest), tree.args(rest)) {
        elements.push(first);
        rest = others;
    }
    (*tree.node(rest) == Node::Atom(atoms::NIL)).then_some(elements)
}

/// Whether a port of a format that is read in part is written under its own name.
fn is_port(name: &str) -> bool {
    let formats = FORMATS.iter().filter(|format| format.excerpt.is_some());
    formats.flat_map(|format| format.ports.records()).any(|port| port.name == name)
}
