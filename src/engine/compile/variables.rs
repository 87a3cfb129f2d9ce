//! Classification of variables: where they occur, and which are permanent (need an environment slot).

use smallvec::SmallVec;

use super::body::{Body, BodyItem, GoalKind};
use crate::term::{Node, NodeId, Tree};

/// What the compiler knows about a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseVariable {
    /// The items (0 is the head, body item i is i + 1) of the first and last occurrence.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) occurrences: u32,
    chunk: u32,
    /// Whether it has to survive a call or a choice point.
    pub(super) is_permanent: bool,
    /// Its argument position in the call at the end of its chunk: the preferred register.
    pub(super) wish: Option<u8>,
}

/// Where a call returns to when no item of the clause follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// To the caller of the clause (last call).
    Anywhere,
    /// To this clause, which then deallocates its environment.
    Here,
}

/// The variables of a clause by number, in order of first occurrence.
#[derive(Debug, Default)]
pub(super) struct ClauseVariables {
    pub(super) by_number: SmallVec<[Option<ClauseVariable>; 16]>,
    pub(super) in_order: SmallVec<[u32; 16]>,
    /// Whether there is a call other than the last.
    pub(super) calls_before_end: bool,
    /// Whether a block pushes a choice point.
    pub(super) has_choice: bool,
}

/// Classifies the variables in one pass over head and body.
///
/// A chunk is a piece of code in which registers keep their contents: from the head or a call to the next call, or to a
/// fork or join of branches.
pub(super) fn classify(
    tree: &Tree,
    head: NodeId,
    body: &Body,
    call: impl Fn(usize) -> Option<Return>,
) -> ClauseVariables {
    let mut walk =
        OccurrenceWalk { tree, variables: ClauseVariables::default(), stack: SmallVec::new(), chunk: 0, last_chunk: 0 };
    for &arg in tree.args(head) {
        walk.term(arg, 0);
    }
    let mut chunk_at_open: SmallVec<[u32; 8]> = SmallVec::from_elem(0, body.blocks.len());
    for (index, item) in body.items.iter().enumerate() {
        match *item {
            BodyItem::Goal(goal, kind) => walk.goal(goal, kind, index, body, call(index)),
            BodyItem::Open(block) if body.blocks[block].is_simple => chunk_at_open[block] = walk.chunk,
            BodyItem::Then(block) if body.blocks[block].is_simple => {}
            BodyItem::Else(block) if body.blocks[block].is_simple => walk.chunk = chunk_at_open[block],
            BodyItem::Open(_) => {
                walk.variables.has_choice = true;
                walk.new_chunk();
            }
            BodyItem::Then(_) | BodyItem::Else(_) | BodyItem::Close(_) => walk.new_chunk(),
            BodyItem::Cut(_) | BodyItem::Fail => {}
        }
    }
    walk.variables
}

struct OccurrenceWalk<'a> {
    tree: &'a Tree,
    variables: ClauseVariables,
    stack: SmallVec<[NodeId; 16]>,
    chunk: u32,
    last_chunk: u32,
}

impl OccurrenceWalk<'_> {
    fn new_chunk(&mut self) {
        self.last_chunk += 1;
        self.chunk = self.last_chunk;
    }

    fn goal(&mut self, goal: NodeId, kind: GoalKind, index: usize, body: &Body, call: Option<Return>) {
        let is_variable = matches!(self.tree.node(goal), Node::Var(_));
        let args = if is_variable { std::slice::from_ref(&goal) } else { self.tree.args(goal) };
        for (position, &arg) in args.iter().enumerate() {
            self.term(arg, index as u32 + 1);
            if let (Node::Var(number), GoalKind::Call) = (self.tree.node(arg), kind) {
                self.wish(*number, position);
            }
        }
        if let Some(call) = call {
            self.variables.calls_before_end |= call == Return::Here || !body.is_last(index);
            self.new_chunk();
        }
    }

    fn wish(&mut self, number: u32, position: usize) {
        if let Some(variable) = &mut self.variables.by_number[number as usize] {
            variable.wish = variable.wish.or(u8::try_from(position).ok());
        }
    }

    fn term(&mut self, id: NodeId, place: u32) {
        self.stack.push(id);
        while let Some(id) = self.stack.pop() {
            match self.tree.node(id) {
                Node::Var(number) => self.occurrence(*number, place),
                Node::Compound { .. } => self.stack.extend(self.tree.args(id).iter().rev().copied()),
                _ => {}
            }
        }
    }

    fn occurrence(&mut self, number: u32, place: u32) {
        let chunk = self.chunk;
        let slots = &mut self.variables.by_number;
        if slots.len() <= number as usize {
            slots.resize(number as usize + 1, None);
        }
        match &mut slots[number as usize] {
            Some(variable) => {
                variable.last = place;
                variable.occurrences += 1;
                variable.is_permanent |= variable.chunk != chunk;
            }
            slot => {
                *slot = Some(ClauseVariable {
                    first: place,
                    last: place,
                    occurrences: 1,
                    chunk,
                    is_permanent: false,
                    wish: None,
                });
                self.variables.in_order.push(number);
            }
        }
    }
}
