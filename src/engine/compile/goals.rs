//! Code of the goals of a body: tests and calls.

use smallvec::SmallVec;

use super::body::{BlockId, BodyItem, GoalKind};
use super::emit::Emitter;
use super::registers::Owner;
use super::variables::Return;
use super::{ClauseError, MAX_ARITY};
use crate::engine::code::{FAIL, InlineTypeTest, Instr, PredId, X};
use crate::engine::state::{Database, Definition, Namespace, Native, Protection};
use crate::term::{Atom, Node, NodeId, atoms};

/// A predicate called by a goal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called {
    pub(super) pred: PredId,
    /// Where it returns to; `None` for a native predicate that cannot be redefined.
    pub(super) to: Option<Return>,
}

impl Emitter<'_> {
    pub(super) fn goal(&mut self, index: usize, goal: NodeId, kind: GoalKind) {
        self.uses.fill(0);
        self.count_uses(goal);
        match kind {
            GoalKind::Unify => self.unify(goal),
            GoalKind::Is => self.is(goal),
            GoalKind::Compare(op) => self.compare(goal, op),
            GoalKind::Order(op) => {
                let [a, b] = self.two_operands(goal);
                self.emit_test(Instr::Order { op, a, b, otherwise: FAIL }, goal);
            }
            GoalKind::Test(kind) => self.test(goal, kind),
            GoalKind::Call => self.call(index, goal),
        }
    }

    pub(super) fn test(&mut self, goal: NodeId, kind: InlineTypeTest) {
        let a = self.operand(self.tree.args(goal)[0]);
        self.emit_test(Instr::Test { kind, a, otherwise: FAIL }, goal);
    }

    pub(super) fn two_operands(&mut self, goal: NodeId) -> [X; 2] {
        let args = [self.tree.args(goal)[0], self.tree.args(goal)[1]];
        let operands = args.map(|arg| self.operand(arg));
        operands.map(|x| self.release(x))
    }

    /// Emits a test that fails, or that jumps to the other branch if it is the condition of a block.
    pub(super) fn emit_test(&mut self, instr: Instr, goal: NodeId) {
        if let Some(block) = self.condition_target() {
            self.labels[block].to_otherwise.push(self.code.len());
        }
        self.emit_at(instr, goal);
    }

    /// The block whose simple condition contains the current item.
    pub(super) fn condition_target(&self) -> Option<BlockId> {
        let index = self.place - 1;
        let opened = self.body.items[..index].iter().rposition(|item| !matches!(item, BodyItem::Goal(..)))?;
        match self.body.items[opened] {
            BodyItem::Open(block) if self.body.blocks[block].is_simple => Some(block),
            _ => None,
        }
    }

    pub(super) fn call(&mut self, index: usize, goal: NodeId) {
        let Some(Called { pred, to }) = self.calls[index] else { return };
        let goal_slice = [goal];
        let is_variable = matches!(self.tree.node(goal), Node::Var(_));
        let args: &[NodeId] = if is_variable { &goal_slice } else { self.tree.args(goal) };
        self.put_arguments(args);
        let Some(to) = to else {
            self.emit_at(Instr::Builtin { pred }, goal);
            return self.release_arguments(args.len());
        };
        if self.body.is_last(index) && to != Return::Here {
            if self.has_environment {
                self.emit(Instr::Deallocate);
            }
            self.emit_at(Instr::Execute { pred }, goal);
        } else {
            self.emit_at(Instr::Call { pred }, goal);
        }
        self.forget_registers();
    }

    pub(super) fn release_arguments(&mut self, n: usize) {
        for x in 0..n {
            if self.registers.owner(x as X) == Owner::Taken {
                self.registers.set(x as X, Owner::Free);
            }
        }
    }

    pub(super) fn count_uses(&mut self, goal: NodeId) {
        let mut rest: SmallVec<[NodeId; 16]> = SmallVec::new();
        rest.push(goal);
        while let Some(id) = rest.pop() {
            match self.tree.node(id) {
                Node::Var(number) => self.uses[*number as usize] += 1,
                _ => rest.extend_from_slice(self.tree.args(id)),
            }
        }
    }
}

/// The predicate that a goal with this functor calls; a variable is called by `call/1`.
pub(super) fn called(
    database: &mut Database,
    namespace: Namespace,
    functor: Option<(Atom, usize)>,
) -> Result<Called, ClauseError> {
    let (name, arity) = functor.unwrap_or((atoms::CALL, 1));
    if arity > MAX_ARITY {
        return Err(ClauseError::TooManyArguments);
    }
    let id = database.pred_id(namespace, name, arity);
    let pred = database.pred(id);
    let is_fixed = namespace == Namespace::Library || pred.protection == Protection::Iso;
    let to = match pred.definition {
        Definition::Native(Native::Det(_)) if is_fixed => None,
        // Library predicates return to the calling clause instead of being called last, so that their errors can name
        // the source position of the goal.
        Definition::Library(_) => Some(Return::Here),
        _ => Some(Return::Anywhere),
    };
    Ok(Called { pred: id, to })
}
