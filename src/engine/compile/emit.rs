//! Code generation from a flat body and classified variables: the clause as a whole, blocks, calls, cuts.

use smallvec::SmallVec;

use super::body::{Block, BlockId, BlockKind, Body, GoalKind, Item};
use super::guard::{Guard, guard_of};
use super::registers::{Owner, Registers};
use super::variables::{Return, Variable, Variables, classify};
use super::{ClauseError, MAX_ARITY};
use crate::engine::code::{FAIL, GoalPlace, Instr, Pc, PredId, SCRATCH, Style, Test, X, Y};
use crate::engine::state::{Database, Definition, Namespace, Native, Protection};
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// How compounds are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Matched and built by instructions.
    Registers,
    /// Kept as constants that are unified: for clauses that would need more registers than there are.
    Frozen,
}

/// The code of a clause and its description.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub(super) code: Vec<Instr>,
    /// The source goals of instructions.
    pub(super) places: Vec<GoalPlace>,
}

pub(super) struct Emitter<'a> {
    pub(super) database: &'a mut Database,
    pub(super) tree: &'a Tree,
    head: NodeId,
    body: &'a Body,
    pub(super) mode: Mode,
    /// The predicate called by each item of the body.
    calls: SmallVec<[Option<Called>; 32]>,
    variables: Variables,
    pub(super) slots: Slots,
    pub(super) registers: Registers,
    pub(super) code: Vec<Instr>,
    places: Vec<GoalPlace>,
    n_slots: u32,
    has_environment: bool,
    guard: Option<Guard>,
    /// Whether the argument registers must be preserved.
    is_before_neck: bool,
    cut_slot: Option<Y>,
    labels: SmallVec<[Label; 4]>,
    pub(super) place: usize,
    /// The remaining occurrences of each variable in the current goal.
    pub(super) uses: SmallVec<[u32; 16]>,
}

type Slots = SmallVec<[Slot; 16]>;

/// A predicate called by a goal.
#[derive(Clone, Copy, Debug)]
struct Called {
    pred: PredId,
    /// Where it returns to; `None` for a native predicate that cannot be redefined.
    to: Option<Return>,
}

/// The location of a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) x: Option<X>,
    pub(super) y: Option<Y>,
    pub(super) is_seen: bool,
}

/// The slots of a block, and its jumps that are still to be patched.
#[derive(Clone, Debug, Default)]
struct Label {
    /// Slots for the height of the choice point stack before and after the block's own choice point, if a cut needs
    /// them.
    mark: Option<Y>,
    inner: Option<Y>,
    to_otherwise: SmallVec<[usize; 4]>,
    to_end: SmallVec<[usize; 4]>,
    at_open: Option<(Registers, Slots)>,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(
        database: &'a mut Database,
        namespace: Namespace,
        tree: &'a Tree,
        head: NodeId,
        body: &'a Body,
        mode: Mode,
    ) -> Result<Emitter<'a>, ClauseError> {
        let mut base = tree.args(head).len();
        let mut calls: SmallVec<[Option<Called>; 32]> = SmallVec::with_capacity(body.items.len());
        for item in &body.items {
            if let Item::Goal(goal, _) = *item {
                base = base.max(tree.args(goal).len()).max(1);
            }
            calls.push(match *item {
                Item::Goal(goal, GoalKind::Call) => Some(called(database, namespace, tree.functor(goal))?),
                _ => None,
            });
        }
        let variables = classify(tree, head, body, |index| calls[index]?.to);
        let has_environment = mode == Mode::Frozen
            || variables.calls_before_end
            || variables.has_choice
            || variables.by_number.iter().flatten().any(|variable| variable.is_permanent);
        let n = variables.by_number.len();
        Ok(Emitter {
            database,
            tree,
            head,
            body,
            mode,
            calls,
            variables,
            slots: SmallVec::from_elem(Slot::default(), n),
            registers: Registers::new(base),
            code: Vec::with_capacity(4 * tree.args(head).len() + 4 * body.items.len()),
            places: Vec::with_capacity(body.items.len()),
            n_slots: 0,
            has_environment,
            guard: guard_of(body).filter(|_| mode == Mode::Registers),
            is_before_neck: false,
            cut_slot: None,
            labels: SmallVec::from_elem(Label::default(), body.blocks.len()),
            place: 0,
            uses: SmallVec::from_elem(0, n),
        })
    }

    /// Generates the code, or returns `None` if it needs more registers than there are.
    pub(super) fn run(&mut self) -> Option<Emitted> {
        let begun = match self.guard {
            Some(guard) => self.guarded_head(guard),
            None => {
                self.begin_environment(0);
                self.head();
                0
            }
        };
        for (index, item) in self.body.items.iter().enumerate().skip(begun) {
            self.place = index + 1;
            self.item(index, *item);
        }
        if !self.ends_in_call(self.body.items.len()) {
            self.finish();
        }
        let n_slots = self.n_slots;
        if let Some(Instr::Allocate { size }) =
            self.code.iter_mut().find(|instr| matches!(instr, Instr::Allocate { .. }))
        {
            *size = n_slots;
        }
        let fits = !self.registers.overflowed && self.n_slots <= u32::from(Y::MAX);
        let take = |emitter: &mut Self| Emitted {
            code: std::mem::take(&mut emitter.code),
            places: std::mem::take(&mut emitter.places),
        };
        fits.then(|| take(self))
    }

    /// What the clause does to the argument registers before its neck.
    pub(super) fn style(&self) -> Style {
        if self.guard.is_some() { Style::Preserving } else { Style::Clobbering }
    }

    /// Generates head, tests and neck, and returns the number of items done. Up to there everything is in registers.
    fn guarded_head(&mut self, guard: Guard) -> usize {
        self.is_before_neck = true;
        self.head();
        for (index, item) in self.body.items.iter().enumerate().take(guard.goals) {
            self.place = index + 1;
            self.item(index, *item);
        }
        self.is_before_neck = false;
        self.place = guard.items();
        self.emit(if guard.cuts { Instr::CutNeck } else { Instr::Neck });
        self.begin_environment(guard.items());
        self.store_permanent_variables();
        guard.items()
    }

    /// Allocates the environment; items from `begun` on are still to come.
    fn begin_environment(&mut self, begun: usize) {
        if !self.has_environment {
            return;
        }
        self.emit(Instr::Allocate { size: 0 });
        if self.body.items[begun..].iter().any(|item| matches!(item, Item::Cut(None))) {
            let y = self.new_slot();
            self.cut_slot = Some(y);
            self.emit(Instr::SaveCut { y });
        }
    }

    /// Stores permanent variables that are in registers.
    fn store_permanent_variables(&mut self) {
        for number in 0..self.slots.len() as u32 {
            if let Some(x) = self.slots[number as usize].x
                && self.is_permanent(number)
            {
                let to = self.slot(number);
                self.emit(Instr::StoreY { from: x, to });
            }
        }
    }

    pub(super) fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    /// Emits an instruction that may raise an error, with the source position of its goal.
    pub(super) fn emit_at(&mut self, instr: Instr, goal: NodeId) {
        let (pc, span) = (self.code.len() as Pc, self.tree.span(goal));
        let goal = self.tree.functor(goal).unwrap_or((atoms::CALL, 1));
        self.places.push(GoalPlace { pc, span, goal });
        self.code.push(instr);
    }

    fn new_slot(&mut self) -> Y {
        self.n_slots += 1;
        (self.n_slots - 1) as Y
    }

    pub(super) fn variable(&self, number: u32) -> &Variable {
        self.variables.by_number[number as usize].as_ref().expect("every variable of the clause was classified")
    }

    pub(super) fn is_permanent(&self, number: u32) -> bool {
        self.mode == Mode::Frozen || (self.variable(number).is_permanent && !self.is_before_neck)
    }

    /// The preferred register of a variable.
    pub(super) fn wish(&self, number: u32) -> Option<X> {
        self.variable(number).wish.filter(|_| !self.is_before_neck)
    }

    /// The environment slot of a permanent variable.
    pub(super) fn slot(&mut self, number: u32) -> Y {
        if let Some(y) = self.slots[number as usize].y {
            return y;
        }
        let y = self.new_slot();
        self.slots[number as usize].y = Some(y);
        y
    }

    fn head(&mut self) {
        let args = self.tree.args(self.head);
        for x in 0..args.len() {
            self.registers.set(x as X, Owner::Taken);
        }
        for (x, &arg) in args.iter().enumerate() {
            self.get_argument(arg, x as X);
        }
        self.forget_finished();
    }

    fn item(&mut self, index: usize, item: Item) {
        match item {
            Item::Goal(goal, kind) => self.goal(index, goal, kind),
            Item::Fail => self.emit(Instr::Fail),
            Item::Cut(None) => match self.cut_slot {
                Some(y) => self.emit(Instr::CutTo { y }),
                None => self.emit(Instr::CutNeck),
            },
            Item::Cut(Some(block)) => {
                if let Some(y) = self.labels[block].inner {
                    self.emit(Instr::CutTo { y });
                }
            }
            Item::Open(block) => self.open(block),
            Item::Then(block) => self.then(block),
            Item::Else(block) => self.otherwise(index, block),
            Item::Close(block) => self.close(block),
        }
        self.forget_finished();
    }

    /// Frees the registers of variables that do not occur again.
    fn forget_finished(&mut self) {
        for number in 0..self.slots.len() {
            let Some(x) = self.slots[number].x else { continue };
            if self.variable(number as u32).last as usize <= self.place {
                self.registers.set(x, Owner::Free);
                self.slots[number].x = None;
            }
        }
    }

    fn open(&mut self, block: BlockId) {
        self.begin_shared_variables(block);
        if self.body.blocks[block].is_simple {
            self.labels[block].at_open = Some((self.registers.clone(), self.slots.clone()));
            return;
        }
        if self.body.blocks[block].kind != BlockKind::Or {
            let y = self.new_slot();
            self.labels[block].mark = Some(y);
            self.emit(Instr::Mark { y });
        }
        self.emit_try(block);
        if self.body.items.iter().any(|item| matches!(item, Item::Cut(Some(cut)) if *cut == block)) {
            let y = self.new_slot();
            self.labels[block].inner = Some(y);
            self.emit(Instr::Mark { y });
        }
        self.forget_registers();
    }

    /// Pushes the choice point of a block, unless there is no alternative when the next part fails.
    fn emit_try(&mut self, block: BlockId) {
        if self.body.blocks[block].is_once {
            return;
        }
        self.labels[block].to_otherwise.push(self.code.len());
        self.emit(Instr::Try { to: FAIL });
    }

    /// Initializes variables that first occur in one branch of the block and again outside it.
    fn begin_shared_variables(&mut self, block: BlockId) {
        let &Block { open, otherwise, close, .. } = &self.body.blocks[block];
        let first = |number| self.variable(number).first as usize;
        let from = self.variables.in_order.partition_point(|&number| first(number) <= open);
        let numbers: SmallVec<[u32; 16]> =
            self.variables.in_order[from..].iter().copied().take_while(|&number| first(number) <= close).collect();
        for number in numbers {
            let &Variable { first, last, .. } = self.variable(number);
            let (first, last) = (first as usize - 1, last as usize - 1);
            let in_one_way = (first < otherwise && last < otherwise) || (first > otherwise && last < close);
            if !in_one_way && !self.slots[number as usize].is_seen {
                self.begin_variable(number);
            }
        }
    }

    fn begin_variable(&mut self, number: u32) {
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let y = self.slot(number);
            self.emit(Instr::PutVarY { y });
        } else {
            let x = self.registers.take(None, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
            self.emit(Instr::PutVarX { x });
        }
    }

    fn then(&mut self, block: BlockId) {
        if self.body.blocks[block].is_simple {
            return;
        }
        let y = self.labels[block].mark.expect("a block with a condition has a mark");
        match self.body.blocks[block].kind {
            BlockKind::SoftIf => self.emit(Instr::SoftCut { y }),
            BlockKind::If | BlockKind::Or => self.emit(Instr::CutTo { y }),
        }
        self.forget_registers();
    }

    fn otherwise(&mut self, index: usize, block: BlockId) {
        if !self.ends_in_call(index) {
            if self.body.is_last(index - 1) {
                self.finish();
            } else {
                self.labels[block].to_end.push(self.code.len());
                self.emit(Instr::Jump { to: FAIL });
            }
        }
        let here = self.code.len() as Pc;
        for place in std::mem::take(&mut self.labels[block].to_otherwise) {
            patch(&mut self.code[place], here);
        }
        match self.labels[block].at_open.take() {
            Some((registers, slots)) => self.restore(registers, slots),
            None => self.forget_registers(),
        }
    }

    /// Restores the knowledge from before the condition, but keeps slots allocated since.
    fn restore(&mut self, mut registers: Registers, slots: Slots) {
        registers.overflowed |= self.registers.overflowed;
        self.registers = registers;
        for (now, before) in self.slots.iter_mut().zip(slots) {
            *now = Slot { y: now.y.or(before.y), ..before };
        }
    }

    fn close(&mut self, block: BlockId) {
        let here = self.code.len() as Pc;
        for place in std::mem::take(&mut self.labels[block].to_end) {
            patch(&mut self.code[place], here);
        }
        self.forget_registers();
    }

    /// Forgets all registers: none survives a call or a join of branches.
    fn forget_registers(&mut self) {
        self.registers.clear();
        for slot in &mut self.slots {
            slot.x = None;
        }
    }

    /// Whether the code before the item at `index` ends in a last call.
    fn ends_in_call(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| self.body.items[before]);
        match before {
            Some(Item::Goal(..)) => matches!(self.code.last(), Some(Instr::Execute { .. })),
            Some(Item::Fail) => true,
            _ => false,
        }
    }

    fn finish(&mut self) {
        if self.has_environment {
            self.emit(Instr::Deallocate);
        }
        self.emit(Instr::Proceed);
    }

    fn goal(&mut self, index: usize, goal: NodeId, kind: GoalKind) {
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

    fn test(&mut self, goal: NodeId, kind: Test) {
        let a = self.operand(self.tree.args(goal)[0]);
        self.emit_test(Instr::Test { kind, a, otherwise: FAIL }, goal);
    }

    fn two_operands(&mut self, goal: NodeId) -> [X; 2] {
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
    fn condition_target(&self) -> Option<BlockId> {
        let index = self.place - 1;
        let opened = self.body.items[..index].iter().rposition(|item| !matches!(item, Item::Goal(..)))?;
        match self.body.items[opened] {
            Item::Open(block) if self.body.blocks[block].is_simple => Some(block),
            _ => None,
        }
    }

    fn call(&mut self, index: usize, goal: NodeId) {
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

    fn release_arguments(&mut self, n: usize) {
        for x in 0..n {
            if self.registers.owner(x as X) == Owner::Taken {
                self.registers.set(x as X, Owner::Free);
            }
        }
    }

    fn count_uses(&mut self, goal: NodeId) {
        let mut rest: SmallVec<[NodeId; 16]> = SmallVec::new();
        rest.push(goal);
        while let Some(id) = rest.pop() {
            match self.tree.node(id) {
                Node::Var(number) => self.uses[*number as usize] += 1,
                _ => rest.extend_from_slice(self.tree.args(id)),
            }
        }
    }

    /// A register with the value of a known variable; a transient copy in `SCRATCH` if its home is elsewhere.
    pub(super) fn value_register(&mut self, number: u32) -> X {
        match self.slots[number as usize].x {
            Some(x) => x,
            None => {
                let from = self.slot(number);
                self.emit(Instr::LoadY { from, to: SCRATCH });
                SCRATCH
            }
        }
    }
}

fn patch(instr: &mut Instr, place: Pc) {
    *instr.jump_operand().expect("only instructions with a place to go to are patched") = place;
}

/// The predicate that a goal with this functor calls; a variable is called by `call/1`.
fn called(
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
