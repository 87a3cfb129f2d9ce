//! Code generation from a flat body and classified variables: the clause as a whole, its head, environment and cuts. Blocks are in
//! `blocks`, goals in `goals`.

use smallvec::SmallVec;

use super::ClauseError;
use super::blocks::CodeLabel;
use super::body::{Body, BodyItem, GoalKind};
use super::goals::{Called, called};
use super::guard::{Guard, guard_of};
use super::registers::{Owner, RegisterFile};
use super::variables::{ClauseVariable, ClauseVariables, classify};
use crate::engine::code::{GoalPlace, Instr, NeckStyle, Pc, SCRATCH, X, Y};
use crate::engine::state::{Database, Namespace};
use crate::term::{NodeId, Tree, atoms};

/// How compounds are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompoundMode {
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
    pub(super) head: NodeId,
    pub(super) body: &'a Body,
    pub(super) mode: CompoundMode,
    /// The predicate called by each item of the body.
    pub(super) calls: SmallVec<[Option<Called>; 32]>,
    pub(super) variables: ClauseVariables,
    pub(super) slots: VariableLocations,
    pub(super) registers: RegisterFile,
    pub(super) code: Vec<Instr>,
    pub(super) places: Vec<GoalPlace>,
    pub(super) n_slots: u32,
    pub(super) has_environment: bool,
    guard: Option<Guard>,
    /// Whether the argument registers must be preserved.
    is_before_neck: bool,
    cut_slot: Option<Y>,
    pub(super) labels: SmallVec<[CodeLabel; 4]>,
    pub(super) place: usize,
    /// The remaining occurrences of each variable in the current goal.
    pub(super) uses: SmallVec<[u32; 16]>,
}

pub(super) type VariableLocations = SmallVec<[VariableLocation; 16]>;

/// The location of a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VariableLocation {
    pub(super) x: Option<X>,
    pub(super) y: Option<Y>,
    pub(super) is_seen: bool,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(
        database: &'a mut Database,
        namespace: Namespace,
        tree: &'a Tree,
        head: NodeId,
        body: &'a Body,
        mode: CompoundMode,
    ) -> Result<Emitter<'a>, ClauseError> {
        let mut base = tree.args(head).len();
        let mut calls: SmallVec<[Option<Called>; 32]> = SmallVec::with_capacity(body.items.len());
        for item in &body.items {
            if let BodyItem::Goal(goal, _) = *item {
                base = base.max(tree.args(goal).len()).max(1);
            }
            calls.push(match *item {
                BodyItem::Goal(goal, GoalKind::Call) => Some(called(database, namespace, tree.functor(goal))?),
                _ => None,
            });
        }
        let variables = classify(tree, head, body, |index| calls[index]?.to);
        let has_environment = mode == CompoundMode::Frozen
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
            slots: SmallVec::from_elem(VariableLocation::default(), n),
            registers: RegisterFile::new(base),
            code: Vec::with_capacity(4 * tree.args(head).len() + 4 * body.items.len()),
            places: Vec::with_capacity(body.items.len()),
            n_slots: 0,
            has_environment,
            guard: guard_of(body).filter(|_| mode == CompoundMode::Registers),
            is_before_neck: false,
            cut_slot: None,
            labels: SmallVec::from_elem(CodeLabel::default(), body.blocks.len()),
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
    pub(super) fn style(&self) -> NeckStyle {
        if self.guard.is_some() { NeckStyle::Preserving } else { NeckStyle::Clobbering }
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
        if self.body.items[begun..].iter().any(|item| matches!(item, BodyItem::Cut(None))) {
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

    pub(super) fn new_slot(&mut self) -> Y {
        self.n_slots += 1;
        (self.n_slots - 1) as Y
    }

    pub(super) fn variable(&self, number: u32) -> &ClauseVariable {
        self.variables.by_number[number as usize].as_ref().expect("every variable of the clause was classified")
    }

    pub(super) fn is_permanent(&self, number: u32) -> bool {
        self.mode == CompoundMode::Frozen || (self.variable(number).is_permanent && !self.is_before_neck)
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

    fn item(&mut self, index: usize, item: BodyItem) {
        match item {
            BodyItem::Goal(goal, kind) => self.goal(index, goal, kind),
            BodyItem::Fail => self.emit(Instr::Fail),
            BodyItem::Cut(None) => match self.cut_slot {
                Some(y) => self.emit(Instr::CutTo { y }),
                None => self.emit(Instr::CutNeck),
            },
            BodyItem::Cut(Some(block)) => {
                if let Some(y) = self.labels[block].inner {
                    self.emit(Instr::CutTo { y });
                }
            }
            BodyItem::Open(block) => self.open(block),
            BodyItem::Then(block) => self.then(block),
            BodyItem::Else(block) => self.otherwise(index, block),
            BodyItem::Close(block) => self.close(block),
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

    /// Forgets all registers: none survives a call or a join of branches.
    pub(super) fn forget_registers(&mut self) {
        self.registers.clear();
        for slot in &mut self.slots {
            slot.x = None;
        }
    }

    /// Whether the code before the item at `index` ends in a last call.
    pub(super) fn ends_in_call(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| self.body.items[before]);
        match before {
            Some(BodyItem::Goal(..)) => matches!(self.code.last(), Some(Instr::Execute { .. })),
            Some(BodyItem::Fail) => true,
            _ => false,
        }
    }

    pub(super) fn finish(&mut self) {
        if self.has_environment {
            self.emit(Instr::Deallocate);
        }
        self.emit(Instr::Proceed);
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
