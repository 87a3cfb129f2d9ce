//! The footprint of a goal: which events of a trace it can ask for, as its text tells before the trace is read.
//!
//! A goal has one if it is made of searches, of control, and of predicates that have nothing to do with the trace.

use crate::formats::morphine::PORTS;
use crate::syntax::ReadTerm;
use crate::term::{Atom, Node, NodeId, Tree, atoms};
use crate::trace::{AttributeId, Extent, Selection, Wanted, known_attribute};

/// What becomes of the events that a goal moves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// They may be shown with all that they have.
    Events,
    /// Only what the goal itself writes, or values of its variables, can be seen.
    Values,
}

/// The events that at most `most` answers of a goal need; none if that cannot be told.
pub fn footprint(goal: &ReadTerm, most: usize, shown: Shown) -> Option<Selection> {
    let tree = &goal.tree;
    let conjunction = conjunction(tree, tree.root());
    let (extent, rest) = match from_end(tree, &conjunction, most) {
        Some((extent, rest)) => (extent, rest),
        None => (from_start(tree, &conjunction, most), &conjunction[..]),
    };
    let mut walk = Walk { tree, selection: empty(extent), shown };
    let moves = &conjunction[..conjunction.len() - rest.len()];
    walk.selection.counts_events = moves.first().is_some_and(|goal| is_event_count(tree, *goal));
    if moves.iter().any(|goal| is(tree, *goal, "last", 0) || is(tree, *goal, "goto", 1)) {
        // the event is printed, with all that it has
        walk.selection.attributes = None;
    }
    walk.goals(rest)?;
    (!walk.selection.wanted.is_empty()).then_some(walk.selection)
}

fn empty(extent: Extent) -> Selection {
    Selection { wanted: Vec::new(), attributes: Some(Vec::new()), extent, counts_events: false, needs_starts: false }
}

/// Predicates that write, and neither fail nor answer twice.
const WRITERS: &[(&str, usize)] = &[
    ("format", 1),
    ("format", 2),
    ("nl", 0),
    ("print", 1),
    ("put_char", 1),
    ("tab", 1),
    ("write", 1),
    ("write_canonical", 1),
    ("writeln", 1),
    ("writeq", 1),
];

/// Predicates that know nothing of the trace and call no goals.
const PLAIN: &[(&str, usize)] = &[
    ("<", 2),
    ("=", 2),
    ("=..", 2),
    ("=:=", 2),
    ("=<", 2),
    ("==", 2),
    ("=\\=", 2),
    (">", 2),
    (">=", 2),
    ("@<", 2),
    ("@=<", 2),
    ("@>", 2),
    ("@>=", 2),
    ("\\=", 2),
    ("\\==", 2),
    ("append", 2),
    ("append", 3),
    ("arg", 3),
    ("atom", 1),
    ("atom_chars", 2),
    ("atom_codes", 2),
    ("atom_concat", 3),
    ("atom_length", 2),
    ("atom_number", 2),
    ("atom_string", 2),
    ("atomic", 1),
    ("atomic_list_concat", 2),
    ("atomic_list_concat", 3),
    ("between", 3),
    ("callable", 1),
    ("compare", 3),
    ("compound", 1),
    ("copy_term", 2),
    ("fail", 0),
    ("false", 0),
    ("float", 1),
    ("functor", 3),
    ("ground", 1),
    ("integer", 1),
    ("is", 2),
    ("is_list", 1),
    ("last", 2),
    ("length", 2),
    ("list_to_set", 2),
    ("max_list", 2),
    ("max_member", 2),
    ("member", 2),
    ("memberchk", 2),
    ("min_list", 2),
    ("min_member", 2),
    ("msort", 2),
    ("nonvar", 1),
    ("nth0", 3),
    ("nth1", 3),
    ("number", 1),
    ("number_codes", 2),
    ("numlist", 3),
    ("pairs_keys", 2),
    ("pairs_keys_values", 3),
    ("pairs_values", 2),
    ("plus", 3),
    ("reverse", 2),
    ("select", 3),
    ("sort", 2),
    ("sort", 4),
    ("split_string", 4),
    ("string", 1),
    ("string_concat", 3),
    ("string_length", 2),
    ("sub_atom", 5),
    ("sub_string", 5),
    ("succ", 2),
    ("sum_list", 2),
    ("sumlist", 2),
    ("true", 0),
    ("var", 1),
];

/// Predicates that call goals, and which of their arguments these are.
const CALLERS: &[(&str, usize, &[usize])] = &[
    (",", 2, &[0, 1]),
    (";", 2, &[0, 1]),
    ("->", 2, &[0, 1]),
    ("*->", 2, &[0, 1]),
    ("\\+", 1, &[0]),
    ("^", 2, &[1]),
    ("aggregate_all", 3, &[1]),
    ("aggregate_all", 4, &[2]),
    ("bagof", 3, &[1]),
    ("call", 1, &[0]),
    ("catch", 3, &[0, 2]),
    ("findall", 3, &[1]),
    ("findall", 4, &[1]),
    ("forall", 2, &[0, 1]),
    ("ignore", 1, &[0]),
    ("limit", 2, &[1]),
    ("not", 1, &[0]),
    ("once", 1, &[0]),
    ("setof", 3, &[1]),
    ("sum_by", 4, &[2]),
    ("tally", 3, &[1]),
];

fn has(table: &[(&str, usize)], name: Atom, arity: usize) -> bool {
    table.iter().any(|row| *row == (name.as_str(), arity))
}

/// A predicate that searches the trace.
#[derive(Clone, Copy)]
struct Search {
    is_backward: bool,
    is_once: bool,
    moves: bool,
    prints: bool,
}

impl Search {
    fn of(name: Atom, arity: usize) -> Option<Search> {
        if arity != 1 {
            return None;
        }
        let (is_once, name) = match name.as_str().strip_prefix("det_") {
            Some(rest) => (true, rest.to_string()),
            None => (false, name.to_string()),
        };
        let (prints, name) = match name.strip_suffix("_np") {
            Some(rest) => (false, rest),
            None => (true, name.as_str()),
        };
        match name {
            "fget" | "bget" => Some(Search { is_backward: name == "bget", is_once, moves: true, prints }),
            "event" if prints && !is_once => Some(Search { is_backward: false, is_once, moves: false, prints: false }),
            _ => None,
        }
    }

    /// The search that a goal is, and its constraints.
    fn of_goal(tree: &Tree, goal: NodeId) -> Option<(Search, NodeId)> {
        let (name, arity) = functor(tree, goal)?;
        Some((Search::of(name, arity)?, tree.args(goal)[0]))
    }
}

/// Name and arity, of an atom too.
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
    is(tree, goal, "trace_info", 2) && is(tree, tree.args(goal)[0], "events", 0)
}

/// How far answers reach whose first goal is a search, and whose others only write.
fn from_start(tree: &Tree, goals: &[NodeId], most: usize) -> Extent {
    let Some((search, constraints)) = Search::of_goal(tree, goals[0]) else { return Extent::All };
    let most = if search.is_once { 1 } else { most };
    let is_all = most == usize::MAX || search.is_backward || !only_write(tree, &goals[1..]);
    match is_all || Pattern::of(tree, constraints).is_none_or(|pattern| !pattern.is_exact) {
        true => Extent::All,
        false => Extent::First(most),
    }
}

fn only_write(tree: &Tree, goals: &[NodeId]) -> bool {
    goals.iter().all(|goal| functor(tree, *goal).is_some_and(|(name, arity)| has(WRITERS, name, arity)))
}

/// How far a search reaches that goes back from the last event, and the goals behind the move to that.
fn from_end<'g>(tree: &Tree, goals: &'g [NodeId], most: usize) -> Option<(Extent, &'g [NodeId])> {
    let n_moves = match goals {
        [last, ..] if is(tree, *last, "last_np", 0) || is(tree, *last, "last", 0) => 1,
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
    let (search, constraints) = Search::of_goal(tree, goal).filter(|(search, _)| search.is_backward)?;
    let n_events = if search.is_once { 1 } else { n_events };
    let known: Vec<NodeId> = goals[..n_moves].iter().flat_map(|goal| tree.args(*goal)).copied().collect();
    let pattern = Pattern::of(tree, constraints)?;
    let is_bound = |id: &NodeId| matches!(tree.node(*id), Node::Var(number) if pattern.variables.contains(number));
    let is_told = pattern.is_exact && n_events < usize::MAX && !known.iter().any(is_bound);
    is_told.then_some((Extent::Last(n_events), rest))
}

/// `goto_np(N)` for the N of `trace_info(events, N)`.
fn is_goto(tree: &Tree, count: NodeId, goto: NodeId) -> bool {
    let is_move = is(tree, goto, "goto_np", 1) || is(tree, goto, "goto", 1);
    is_move
        && matches!(tree.node(tree.args(goto)[0]), Node::Var(number) if *tree.node(tree.args(count)[1]) == Node::Var(*number))
}

fn has_plain_goal(tree: &Tree, goal: NodeId) -> bool {
    functor(tree, goal).is_some_and(|(name, arity)| has(PLAIN, name, arity) || has(WRITERS, name, arity))
}

/// The N and the goal of `limit(N, Goal)`, which may be what all answers are collected of.
fn limited(tree: &Tree, goal: NodeId) -> Option<(usize, NodeId)> {
    let collected = is(tree, goal, "findall", 3) || is(tree, goal, "aggregate_all", 3);
    let limit = if collected { tree.args(goal)[1] } else { goal };
    if !is(tree, limit, "limit", 2) {
        return None;
    }
    match tree.node(tree.args(limit)[0]) {
        Node::Int(most) => Some((usize::try_from(*most).ok()?, tree.args(limit)[1])),
        _ => None,
    }
}

/// Goes through the goals that a goal calls.
struct Walk<'t> {
    tree: &'t Tree,
    selection: Selection,
    shown: Shown,
}

impl Walk<'_> {
    fn goals(&mut self, goals: &[NodeId]) -> Option<()> {
        let mut waiting = goals.to_vec();
        while let Some(goal) = waiting.pop() {
            self.goal(goal, &mut waiting)?;
        }
        Some(())
    }

    fn goal(&mut self, goal: NodeId, waiting: &mut Vec<NodeId>) -> Option<()> {
        if let Some((search, constraints)) = Search::of_goal(self.tree, goal) {
            return self.search(search, constraints);
        }
        let (name, arity) = functor(self.tree, goal)?;
        let args = self.tree.args(goal);
        match (name.as_str(), arity) {
            ("call_start", 2) => {
                self.selection.needs_starts = true;
                self.selection.wanted.push(Wanted { ports: Some(vec!["call".into()]), ..Wanted::default() });
            }
            ("trace_info", 2) if is_event_count(self.tree, goal) => self.selection.counts_events = true,
            _ if has(PLAIN, name, arity) || has(WRITERS, name, arity) => {}
            _ => {
                let called = CALLERS.iter().find(|row| (row.0, row.1) == (name.as_str(), arity))?.2;
                waiting.extend(called.iter().map(|index| args[*index]));
            }
        }
        Some(())
    }

    fn search(&mut self, search: Search, constraints: NodeId) -> Option<()> {
        let pattern = Pattern::of(self.tree, constraints)?;
        if search.prints || search.moves && self.shown == Shown::Events {
            self.selection.attributes = None;
        }
        if let Some(attributes) = &mut self.selection.attributes {
            attributes.extend(pattern.attributes);
        }
        self.selection.wanted.push(pattern.wanted);
        Some(())
    }
}

/// What constraints say.
struct Pattern {
    wanted: Wanted,
    /// Whether they say no more than that.
    is_exact: bool,
    attributes: Vec<AttributeId>,
    variables: Vec<u32>,
}

impl Pattern {
    /// Of a list or conjunction of constraints; none if it has something else.
    fn of(tree: &Tree, constraints: NodeId) -> Option<Pattern> {
        let wanted = Wanted::default();
        let (attributes, variables) = (Vec::new(), Vec::new());
        let mut pattern = Pattern { wanted, is_exact: true, attributes, variables };
        let mut waiting = vec![constraints];
        while let Some(id) = waiting.pop() {
            match functor(tree, id)? {
                (atoms::NIL, 0) => {}
                (atoms::DOT | atoms::AND, 2) => waiting.extend(tree.args(id).iter().rev()),
                (atoms::EQUALS, 2) => pattern.equal(tree, tree.args(id))?,
                (_, 2) => {
                    pattern.attribute(tree, tree.args(id)[0])?;
                    pattern.is_exact = false;
                }
                _ => return None,
            }
        }
        Some(pattern)
    }

    /// Notes that an attribute is asked for.
    fn attribute(&mut self, tree: &Tree, name: NodeId) -> Option<AttributeId> {
        use AttributeId as Id;
        let attribute = match functor(tree, name)? {
            (name, 0) => known_attribute(name.as_str())?,
            (atoms::ARG, 1) => Id::ARGS,
            _ => return None,
        };
        let of_head = matches!(attribute, Id::CHRONO | Id::CALL | Id::DEPTH | Id::PORT);
        let of_line = matches!(attribute, Id::NAME | Id::ARITY | Id::PROC | Id::ARGS | Id::GOAL_PATH | Id::LINE_NUMBER);
        self.attributes.push(attribute);
        (of_head || of_line).then_some(attribute)
    }

    fn equal(&mut self, tree: &Tree, sides: &[NodeId]) -> Option<()> {
        let attribute = self.attribute(tree, sides[0])?;
        let form = sides[1];
        if let Node::Var(number) = tree.node(form) {
            self.is_exact &= !self.variables.contains(number) && functor(tree, sides[0])?.1 == 0;
            self.is_exact &= matches!(attribute, AttributeId::CHRONO | AttributeId::CALL | AttributeId::DEPTH)
                || attribute == AttributeId::PORT;
            self.variables.push(*number);
            return Some(());
        }
        let is_said = match attribute {
            AttributeId::PORT => said(&mut self.wanted.ports, alternatives(tree, form, is_port)),
            AttributeId::NAME => said(&mut self.wanted.names, alternatives(tree, form, |_| true)),
            AttributeId::PROC => self.proc(tree, form),
            _ => false,
        };
        self.is_exact &= is_said;
        Some(())
    }

    /// `Name` or `Name/Arity`.
    fn proc(&mut self, tree: &Tree, form: NodeId) -> bool {
        let (name, arity) = match tree.functor(form) {
            Some((atoms::DIVIDE, 2)) => (tree.args(form)[0], Some(tree.args(form)[1])),
            _ => (form, None),
        };
        let arity = match arity.map(|id| tree.node(id)) {
            None => None,
            Some(Node::Int(arity)) if self.wanted.arity.is_none() => Some(*arity),
            Some(_) => return false,
        };
        let Node::Atom(_) = tree.node(name) else { return false };
        let is_said = said(&mut self.wanted.names, alternatives(tree, name, |_| true));
        if is_said {
            self.wanted.arity = arity.or(self.wanted.arity);
        }
        is_said
    }
}

/// Keeps what an attribute must be, unless something was said of it before.
fn said(known: &mut Option<Vec<String>>, names: Option<Vec<String>>) -> bool {
    let is_new = known.is_none() && names.is_some();
    if is_new {
        *known = names;
    }
    is_new
}

/// The names that a form stands for: an atom, or a list of them.
fn alternatives(tree: &Tree, form: NodeId, is_known: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let (mut names, mut rest) = (Vec::new(), form);
    let name = |id: NodeId| match tree.node(id) {
        Node::Atom(name) if *name != atoms::NIL && *name != atoms::MINUS => Some(name.to_string()),
        _ => None,
    };
    while let Some((atoms::DOT, 2)) = tree.functor(rest) {
        let [first, others] = *tree.args(rest) else { return None };
        names.push(name(first)?);
        rest = others;
    }
    if names.is_empty() {
        names.push(name(rest)?);
    } else if *tree.node(rest) != Node::Atom(atoms::NIL) {
        return None;
    }
    names.iter().all(|name| is_known(name)).then_some(names)
}

/// Whether a port is written under its own name.
fn is_port(name: &str) -> bool {
    PORTS.iter().any(|port| port.name == name)
}
