//! Flattens the body of a clause to a list of goals and block marks, so that later passes need no recursion.

use smallvec::SmallVec;

use super::ClauseError;
use crate::engine::code::{Comparison, InlineTypeTest};
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// An item of a flat body.
#[derive(Clone, Copy, Debug)]
pub(super) enum BodyItem {
    /// A goal to call, and its kind.
    Goal(NodeId, GoalKind),
    /// `!`: cuts the clause, or the condition that contains it.
    Cut(Option<BlockId>),
    /// `fail`.
    Fail,
    /// The start of a block: its condition or its left branch.
    Open(BlockId),
    /// The condition holds.
    Then(BlockId),
    /// The condition does not hold, or the right branch begins.
    Else(BlockId),
    /// The end of the block.
    Close(BlockId),
}

pub(super) type BlockId = usize;

/// A control construct with two branches.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlBlock {
    pub(super) kind: BlockKind,
    pub(super) open: usize,
    pub(super) then: usize,
    pub(super) otherwise: usize,
    pub(super) close: usize,
    /// Whether the condition consists of tests that neither bind nor call anything.
    pub(super) is_simple: bool,
    /// Whether there is no alternative when the condition fails: `(C -> A)`, `once(C)`.
    pub(super) is_once: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// `(A ; B)`.
    Or,
    /// `(C -> A ; B)`, `\+ C`, `once(C)`.
    If,
    /// `(C *-> A ; B)`.
    SoftIf,
}

/// A body without nesting.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) items: SmallVec<[BodyItem; 32]>,
    pub(super) blocks: SmallVec<[ControlBlock; 4]>,
}

enum FlatteningStep {
    Body(NodeId, Option<BlockId>),
    Mark(BodyItem),
}

/// How the compiler treats a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GoalKind {
    Unify,
    Is,
    Compare(Comparison),
    Order(Comparison),
    Test(InlineTypeTest),
    Call,
}

/// Flattens a body; `None` is the body of a fact.
pub(super) fn flatten(tree: &Tree, body: Option<NodeId>) -> Result<Body, ClauseError> {
    let mut flattener = Flattener { tree, body: Body::default(), work: SmallVec::new() };
    flattener.work.extend(body.map(|id| FlatteningStep::Body(id, None)));
    while let Some(work) = flattener.work.pop() {
        match work {
            FlatteningStep::Mark(item) => flattener.mark(item),
            FlatteningStep::Body(id, scope) => flattener.goal(id, scope)?,
        }
    }
    flattener.note_conditions();
    Ok(flattener.body)
}

struct Flattener<'a> {
    tree: &'a Tree,
    body: Body,
    work: SmallVec<[FlatteningStep; 16]>,
}

impl Flattener<'_> {
    fn mark(&mut self, item: BodyItem) {
        let place = self.body.items.len();
        match item {
            BodyItem::Open(block) => self.body.blocks[block].open = place,
            BodyItem::Then(block) => self.body.blocks[block].then = place,
            BodyItem::Else(block) => self.body.blocks[block].otherwise = place,
            BodyItem::Close(block) => self.body.blocks[block].close = place,
            _ => {}
        }
        self.body.items.push(item);
    }

    /// `scope` is the condition to which a cut is local.
    fn goal(&mut self, id: NodeId, scope: Option<BlockId>) -> Result<(), ClauseError> {
        use FlatteningStep::{Body, Mark};
        if matches!(self.tree.node(id), Node::Var(_)) {
            self.mark(BodyItem::Goal(id, GoalKind::Call));
            return Ok(());
        }
        let functor = self.tree.functor(id).ok_or(ClauseError::NotCallable(id))?;
        match (functor, self.tree.args(id)) {
            ((atoms::NO_GOAL, 1), _) => return Err(ClauseError::NotCallable(id)),
            ((atoms::TRUE, 0), _) => {}
            ((atoms::CUT, 0), _) => self.mark(BodyItem::Cut(scope)),
            ((atoms::FAIL | atoms::FALSE, 0), _) => self.mark(BodyItem::Fail),
            ((atoms::COMMA, 2), &[a, b]) => self.work.extend([Body(b, scope), Body(a, scope)]),
            ((atoms::SEMICOLON | atoms::BAR, 2), &[a, b]) => self.disjunction(a, b, scope),
            ((atoms::ARROW, 2), &[c, t]) => {
                self.block(BlockKind::If, c, Some(Body(t, scope)), Some(Mark(BodyItem::Fail)))
            }
            ((atoms::SOFT_ARROW, 2), &[c, t]) => {
                self.block(BlockKind::SoftIf, c, Some(Body(t, scope)), Some(Mark(BodyItem::Fail)));
            }
            ((atoms::NOT_PROVABLE, 1), &[c]) => self.block(BlockKind::If, c, Some(Mark(BodyItem::Fail)), None),
            ((atoms::ONCE, 1), &[c]) => self.block(BlockKind::If, c, None, Some(Mark(BodyItem::Fail))),
            ((atoms::IGNORE, 1), &[c]) => self.block(BlockKind::If, c, None, None),
            (functor, _) => self.mark(BodyItem::Goal(id, goal_kind(functor))),
        }
        Ok(())
    }

    fn disjunction(&mut self, a: NodeId, b: NodeId, scope: Option<BlockId>) {
        let otherwise = Some(FlatteningStep::Body(b, scope));
        match (self.tree.functor(a), self.tree.args(a)) {
            (Some((atoms::ARROW, 2)), &[c, t]) => {
                self.block(BlockKind::If, c, Some(FlatteningStep::Body(t, scope)), otherwise)
            }
            (Some((atoms::SOFT_ARROW, 2)), &[c, t]) => {
                self.block(BlockKind::SoftIf, c, Some(FlatteningStep::Body(t, scope)), otherwise);
            }
            _ => {
                let block = self.new_block(BlockKind::Or);
                self.work.push(FlatteningStep::Mark(BodyItem::Close(block)));
                self.work.extend(otherwise);
                self.work.push(FlatteningStep::Mark(BodyItem::Else(block)));
                self.work.push(FlatteningStep::Body(a, scope));
                self.work.push(FlatteningStep::Mark(BodyItem::Open(block)));
            }
        }
    }

    fn block(
        &mut self,
        kind: BlockKind,
        condition: NodeId,
        then: Option<FlatteningStep>,
        otherwise: Option<FlatteningStep>,
    ) {
        let block = self.new_block(kind);
        self.work.push(FlatteningStep::Mark(BodyItem::Close(block)));
        self.work.extend(otherwise);
        self.work.push(FlatteningStep::Mark(BodyItem::Else(block)));
        self.work.extend(then);
        self.work.push(FlatteningStep::Mark(BodyItem::Then(block)));
        self.work.push(FlatteningStep::Body(condition, Some(block)));
        self.work.push(FlatteningStep::Mark(BodyItem::Open(block)));
    }

    fn new_block(&mut self, kind: BlockKind) -> BlockId {
        self.body.blocks.push(ControlBlock {
            kind,
            open: 0,
            then: 0,
            otherwise: 0,
            close: 0,
            is_simple: false,
            is_once: false,
        });
        self.body.blocks.len() - 1
    }

    fn note_conditions(&mut self) {
        for block in &mut self.body.blocks {
            let items = &self.body.items;
            let is_if = block.kind == BlockKind::If;
            block.is_simple = is_if && items[block.open + 1..block.then].iter().all(BodyItem::is_test);
            block.is_once = is_if && matches!(items[block.otherwise + 1..block.close], [BodyItem::Fail]);
        }
    }
}

/// The kind of a goal with this functor.
fn goal_kind(functor: (Atom, usize)) -> GoalKind {
    match functor {
        (atoms::EQUALS, 2) => GoalKind::Unify,
        (atoms::IS, 2) => GoalKind::Is,
        (name, 2) => binary_kind(name),
        (name, 1) => InlineTypeTest::named(name).map_or(GoalKind::Call, GoalKind::Test),
        _ => GoalKind::Call,
    }
}

fn binary_kind(name: Atom) -> GoalKind {
    Comparison::of_numbers(name)
        .map(GoalKind::Compare)
        .or_else(|| Comparison::of_terms(name).map(GoalKind::Order))
        .unwrap_or(GoalKind::Call)
}

impl BodyItem {
    /// Whether it is a goal that neither binds nor calls anything.
    pub(super) fn is_test(&self) -> bool {
        matches!(self, BodyItem::Goal(_, GoalKind::Compare(_) | GoalKind::Order(_) | GoalKind::Test(_)))
    }
}

impl Body {
    /// Whether no item of the clause follows the one at `place`.
    pub(super) fn is_last(&self, place: usize) -> bool {
        let mut next = place + 1;
        loop {
            match self.items.get(next) {
                None => return true,
                Some(BodyItem::Close(_)) => next += 1,
                Some(BodyItem::Else(block)) => next = self.blocks[*block].close + 1,
                Some(_) => return false,
            }
        }
    }
}
