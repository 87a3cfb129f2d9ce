//! Proof trees: the calls that contributed to the solution of a call, without those that backtracking undid; and the
//! result of a call that has exited.

use std::borrow::Cow;

use crate::term::Atom;
use crate::term::hash::HashSet;
use crate::trace::event::EventId;
use crate::trace::event::args::variables;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;

/// A call of a proof tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProofNode {
    /// The call.
    pub(crate) call: CallId,
    /// Its exit.
    pub(crate) exit: EventId,
    /// The number of calls in its tree, itself included.
    pub(crate) size: usize,
}

/// The proof tree of a call at one of its exits, parents before children; none if the event is not an exit of the call.
///
/// Solutions of failed branches are left out, according to redo and fail events and to the events of disjunctions,
/// conditions and negations. For a procedure that collects all solutions, every solution is kept.
pub(crate) fn proof(trace: &Trace, call: CallId, exit: EventId) -> Option<Vec<ProofNode>> {
    if trace.call(exit) != Some(call) || !is_exit(trace, exit) {
        return None;
    }
    let mut builder = ProofBuilder { trace, base: call.index(), states: Vec::new() };
    for event in trace.call_first(call)..=exit {
        builder.take(event);
    }
    Some(builder.tree(call))
}

/// The last exit of a call.
pub(crate) fn last_exit(trace: &Trace, call: CallId) -> Option<EventId> {
    trace.call_events(call).iter().rev().copied().find(|event| is_exit(trace, *event))
}

/// The value that a function returns at its exit; absent at other events and if the trace has no results.
pub(crate) fn result(trace: &Trace, event: EventId) -> Value<'_> {
    let has_results = trace.schema().has(AttributeId::RESULT);
    if has_results && is_exit(trace, event) { trace.value(event, AttributeId::RESULT) } else { Value::Absent }
}

fn is_exit(trace: &Trace, event: EventId) -> bool {
    trace.port(event).is_some_and(|port| port.as_str() == "exit")
}

/// The state of a call.
#[derive(Default)]
struct CallState<'t> {
    children: Vec<Child>,
    points: Vec<ClausePoint<'t>>,
    exit: Option<EventId>,
    is_open: bool,
}

enum Child {
    /// A call that may still be undone.
    Call(CallId),
    /// A solution that was collected.
    Kept(Vec<ProofNode>),
}

/// The position of an event inside a clause, with the number of children at that time.
#[derive(Clone, Copy)]
struct ClausePoint<'t> {
    path: &'t [Atom],
    n_children: usize,
}

/// The run so far, from the first event of the root call on.
struct ProofBuilder<'t> {
    trace: &'t Trace,
    base: usize,
    /// A state for each call that began since, in order.
    states: Vec<CallState<'t>>,
}

impl<'t> ProofBuilder<'t> {
    fn take(&mut self, event: EventId) {
        let Some(call) = self.trace.call(event).filter(|call| call.index() >= self.base) else { return };
        self.open(call);
        let port = self.trace.port(event).map_or("", Atom::as_str);
        match (self.trace.port_role(event), port) {
            (PortRole::Closes, "exit") => self.state(call).exit = Some(event),
            (PortRole::Closes, _) => self.undo(call),
            (PortRole::Reopens, _) if self.state(call).exit.is_none() => self.next_branch(call, event),
            (PortRole::Reopens, _) => self.redo(call),
            (PortRole::Inside, _) => self.step_inside(call, event, port),
            (PortRole::Opens | PortRole::Alone, _) => {}
        }
    }

    fn state(&mut self, call: CallId) -> &mut CallState<'t> {
        &mut self.states[call.index() - self.base]
    }

    /// Adds a call to its parent's children when it is first seen.
    fn open(&mut self, call: CallId) {
        let n_known = self.states.len().max(call.index() - self.base + 1);
        self.states.resize_with(n_known, CallState::default);
        if !std::mem::replace(&mut self.state(call).is_open, true)
            && let Some(parent) = self.parent(call)
        {
            self.state(parent).children.push(Child::Call(call));
        }
    }

    fn parent(&self, call: CallId) -> Option<CallId> {
        self.trace.parent(call).filter(|parent| parent.index() >= self.base)
    }

    /// The index of a call among the children of its parent.
    fn place_of(&mut self, call: CallId) -> Option<(CallId, usize)> {
        let parent = self.parent(call)?;
        let is_it = |child: &Child| matches!(child, Child::Call(known) if *known == call);
        Some((parent, self.state(parent).children.iter().rposition(is_it)?))
    }

    /// A call is re-entered: everything that its parent did after it is undone. A parent that has exited is re-entered with
    /// it, as a tracer without redo events of parents has it.
    fn redo(&mut self, call: CallId) {
        self.undo_after(call);
        let mut inner = call;
        while let Some(parent) = self.parent(inner).filter(|parent| self.state(*parent).exit.is_some()) {
            self.undo_after(parent);
            inner = parent;
        }
    }

    /// What the parent of a call did after its exit is undone.
    fn undo_after(&mut self, call: CallId) {
        if let Some((parent, mut at)) = self.place_of(call) {
            if self.collects(parent) {
                let solution = Child::Kept(self.tree(call));
                self.state(parent).children.insert(at, solution);
                at += 1;
            } else {
                self.state(parent).cut_to(at + 1);
            }
            self.state(parent).points.retain(|point| point.n_children <= at);
        }
        self.state(call).exit = None;
    }

    /// An open call goes on with another clause or branch, at an event that shows its goal as it is bound now. A call that
    /// it made is undone, with those after it, if it bound a variable that is free again; the others may be from before
    /// the branches.
    fn next_branch(&mut self, call: CallId, redo: EventId) {
        let now = args(self.trace, redo);
        let now: HashSet<&str> = variables(&now).collect();
        if now.is_empty() {
            return;
        }
        let state = &self.states[call.index() - self.base];
        let is_undone = |child: &Child| match child {
            Child::Call(child) => self.has_freed(*child, &now),
            Child::Kept(_) => false,
        };
        if let Some(first) = state.children.iter().position(is_undone) {
            self.state(call).cut_to(first);
        }
    }

    /// Whether a call bound a variable that is free later.
    fn has_freed(&self, call: CallId, later: &HashSet<&str>) -> bool {
        let Some(exit) = self.states[call.index() - self.base].exit else { return false };
        let (before, after) = (args(self.trace, self.trace.call_first(call)), args(self.trace, exit));
        let after: HashSet<&str> = variables(&after).collect();
        variables(&before).any(|name| later.contains(name) && !after.contains(name))
    }

    /// A call has failed or thrown: it is undone, and so is everything after it if it had exited before. If it had not,
    /// what began after it runs beside it.
    fn undo(&mut self, call: CallId) {
        let had_exited = self.state(call).exit.take().is_some();
        let Some((parent, at)) = self.place_of(call) else { return };
        if !had_exited || self.collects(parent) {
            self.state(parent).children.remove(at);
        } else {
            self.state(parent).cut_to(at);
        }
    }

    fn step_inside(&mut self, call: CallId, event: EventId, port: &str) {
        let path = self.trace.goal_path(event).unwrap_or_default();
        let state = self.state(call);
        match port {
            "disj" => state.begin_again(|point| is_disjunct(point.path, path)),
            "else" => state.leave_condition(path),
            "neg_success" | "neg_failure" => state.begin_again(|point| point.path == path),
            _ => {}
        }
        let n_children = state.children.len();
        state.points.push(ClausePoint { path, n_children });
    }

    /// Whether a call collects all solutions of the goals that it calls.
    fn collects(&self, call: CallId) -> bool {
        let proc = self.trace.proc_of(self.trace.call_first(call)).map(|id| self.trace.proc(id));
        let name = proc.and_then(|proc| proc.name).map_or("", Atom::as_str);
        COLLECTORS.contains(&name)
    }

    /// The tree below a call that has exited.
    fn tree(&self, call: CallId) -> Vec<ProofNode> {
        let mut nodes: Vec<ProofNode> = Vec::new();
        let mut open: Vec<(usize, CallId, usize)> = Vec::new();
        let enter = |nodes: &mut Vec<ProofNode>, open: &mut Vec<_>, call: CallId| {
            if let Some(exit) = self.states[call.index() - self.base].exit {
                open.push((nodes.len(), call, 0));
                nodes.push(ProofNode { call, exit, size: 1 });
            }
        };
        enter(&mut nodes, &mut open, call);
        while let Some((node, call, at)) = open.last_mut() {
            match self.states[call.index() - self.base].children.get(*at) {
                None => {
                    nodes[*node].size = nodes.len() - *node;
                    open.pop();
                }
                Some(child) => {
                    *at += 1;
                    match child {
                        Child::Call(child) => enter(&mut nodes, &mut open, *child),
                        Child::Kept(kept) => nodes.extend_from_slice(kept),
                    }
                }
            }
        }
        nodes
    }
}

/// The arguments of an event as one text.
fn args(trace: &Trace, event: EventId) -> Cow<'_, str> {
    match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => list.whole(),
        _ => Cow::Borrowed(""),
    }
}

/// The procedures of Mercury and Prolog that collect all solutions of a goal.
const COLLECTORS: &[&str] = &[
    "solutions",
    "solutions_set",
    "unsorted_solutions",
    "aggregate",
    "aggregate2",
    "unsorted_aggregate",
    "unsorted_aggregate2",
    "findall",
    "findnsols",
    "bagof",
    "setof",
    "aggregate_all",
    "forall",
    "builtin_aggregate",
];

impl CallState<'_> {
    /// Removes the children from index `n` on, and the positions after them.
    fn cut_to(&mut self, n: usize) {
        self.children.truncate(n);
        self.points.retain(|point| point.n_children <= n);
    }

    /// Goes back to the state at the first matching position.
    fn begin_again(&mut self, is_it: impl Fn(&ClausePoint<'_>) -> bool) {
        if let Some(at) = self.points.iter().position(is_it) {
            self.children.truncate(self.points[at].n_children);
            self.points.truncate(at + 1);
        }
    }

    /// The condition of the `else` at `path` has failed, so its calls are undone. If no event shows where it began, the
    /// conjuncts before it are counted, because there cannot have been more calls.
    fn leave_condition(&mut self, path: &[Atom]) {
        let Some((_, around)) = path.split_last() else { return };
        let is_condition = |point: &ClausePoint<'_>| {
            point.path.split_last().is_some_and(|(step, before)| step.as_str() == "?" && before == around)
        };
        if self.points.iter().any(is_condition) {
            return self.begin_again(is_condition);
        }
        let conjunct = around.last().and_then(|step| step.as_str().strip_prefix('c')).and_then(|n| n.parse().ok());
        let (n_before, around) = match conjunct {
            Some(conjunct) => (usize::saturating_sub(conjunct, 1), &around[..around.len() - 1]),
            None => (0, around),
        };
        let start = self.points.iter().rev().find(|point| point.path == around).map_or(0, |point| point.n_children);
        if start == 0 && !around.is_empty() && !self.points.iter().any(|point| point.path == around) {
            return;
        }
        if self.children.len() > start + n_before {
            self.cut_to(start + n_before);
        }
    }
}

/// Whether two paths lead to arms of the same disjunction.
fn is_disjunct(one: &[Atom], other: &[Atom]) -> bool {
    match (one.split_last(), other.split_last()) {
        (Some((step, before)), Some((_, around))) => step.as_str().starts_with('d') && before == around,
        _ => false,
    }
}
