//! The state of a running query and the loop that runs its instructions. The instructions are in `step`, calls in
//! `calls`, choice points in `choices`, control predicates in `control`.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::backtrace::Caught;
use super::calls::FUEL;
use super::choices::{Alternative, Choice};
use super::cleanup::Cleanups;
use super::control::ResolvedGoals;
use super::goal::Forms;
use super::limit::ActiveLimits;
use super::needs::Needs;
use super::op::{Exit, InstructionFunction, LinkedInstruction, WRITE};
use super::query::Running;
use crate::engine::arith::{self, Number};
use crate::engine::code::{ClauseId, FAIL, Pc, PredId, Remaining, X, Y};
use crate::engine::heap::{Cell, Mark, Stop, Tag};
use crate::engine::state::{SolutionSource, World};
use crate::term::hash::NumberMap;

/// Runs one query at a time in a world.
pub(crate) struct Machine {
    pub(super) x: [Cell; 256],
    pub(super) environments: Vec<Cell>,
    /// The index of the current environment.
    pub(super) environment: usize,
    /// The address of the next instruction, and the continuation of the current call.
    pub(super) pc: Pc,
    pub(super) continuation: Pc,
    /// The height of the choice point stack when the current predicate was called.
    pub(super) cut_barrier: usize,
    /// Calls until the stack is measured, and those after that until limits are polled.
    pub(super) fuel: u32,
    pub(super) held_fuel: u32,
    /// Returns and resumed choice points until the stack is measured.
    pub(super) return_fuel: u32,
    /// What `fuel` and `return_fuel` are set to when the stack has been measured.
    pub(super) chain: u32,
    /// The position of the stack when the loop started the current chain of steps.
    pub(super) stack_base: usize,
    pub(super) code: Rc<Vec<LinkedInstruction>>,
    /// A cache of what is live at addresses in the middle of clauses.
    pub(super) needs: NumberMap<Pc, Rc<Needs>>,
    /// Where to continue if the current clause fails before its neck; `FAIL` if no clause is left or a choice point
    /// holds the remaining ones.
    pub(super) shallow: Pc,
    pub(super) shallow_arity: u8,
    /// The sizes and the barrier of the store when the current clause was entered.
    pub(super) shallow_mark: Mark,
    pub(super) shallow_barrier: usize,
    /// The remaining clauses, if `shallow` is [`crate::engine::code::NEXT_CLAUSE`].
    pub(super) shallow_clauses: (PredId, Remaining),
    /// The clause entered last, if it came from a clause list.
    pub(super) fact: (PredId, ClauseId),
    pub(super) choices: Vec<Choice>,
    /// Environments below this index are protected by choice points.
    pub(super) kept_top: usize,
    /// Arguments saved by choice points, in order.
    pub(super) saved: Vec<Cell>,
    pub(super) answers: Vec<Box<dyn SolutionSource>>,
    pub(super) cleanups: Cleanups,
    pub(super) limits: ActiveLimits,
    pub(super) resolved: ResolvedGoals,
    pub(super) forms: Forms,
    /// The predicate without clauses that was called last.
    pub(super) called: PredId,
    /// Where the machine left its instructions and will resume: the address, and the heap index of the next argument.
    pub(super) left_at: (Pc, usize),
    /// The heap size at which the next garbage collection runs.
    pub(super) next_collection: usize,
    /// The last step reached through `detour`; stored only so that the address of the step escapes, see [`InstructionFunction`].
    pub(super) detour: Option<InstructionFunction>,
    /// Why the machine left its instructions.
    pub(super) stop: Option<Stop>,
    /// The state that predicates see.
    pub(crate) world: World,
    pub(super) running: Running,
    pub(super) caught: Caught,
}

/// Whether a query can have more answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Determinism {
    /// This answer was the last one.
    Last,
    /// More answers may follow.
    More,
}

/// The outermost environment, which has no slots.
pub(super) const OUTERMOST: usize = 0;
/// The cells at the start of an environment: the index of the previous one, the continuation, and the number of slots.
pub(super) const HEADER: usize = 3;

impl Machine {
    /// A machine that runs in `world`.
    pub(crate) fn new(world: World) -> Machine {
        Machine {
            x: [Cell::NIL; 256],
            environments: vec![Cell(0); HEADER],
            environment: OUTERMOST,
            pc: 0,
            continuation: 0,
            cut_barrier: 0,
            fuel: 1,
            held_fuel: FUEL - 1,
            return_fuel: 1,
            chain: 1,
            stack_base: 0,
            code: Rc::default(),
            needs: NumberMap::default(),
            shallow: FAIL,
            shallow_arity: 0,
            shallow_mark: Mark::default(),
            shallow_barrier: 0,
            shallow_clauses: (0, Remaining::default()),
            fact: (0, 0),
            choices: Vec::new(),
            kept_top: HEADER,
            saved: Vec::new(),
            answers: Vec::new(),
            cleanups: Cleanups::default(),
            limits: ActiveLimits::default(),
            resolved: ResolvedGoals::default(),
            forms: Forms::default(),
            called: 0,
            left_at: (0, WRITE),
            next_collection: 0,
            detour: None,
            stop: None,
            world,
            running: Running::default(),
            caught: Caught::default(),
        }
    }

    /// A flag that stops the running query when it is set to `true`; the machine resets it.
    pub(crate) fn interrupt_handle(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.world.store.watch.interrupt)
    }

    /// Runs until an answer, final failure (`None`) or a stop.
    pub(super) fn run(&mut self) -> Result<Option<Determinism>, Stop> {
        let mut place = (self.pc, WRITE);
        loop {
            let exit = match self.world.store.has_attributed() {
                false => self.follow_code(place),
                true => self.run_single_steps(place),
            };
            match exit {
                Exit::Continue => {
                    place = self.left_at;
                    continue;
                }
                Exit::Answer => return Ok(Some(self.determinism())),
                Exit::Over => return Ok(None),
                Exit::Body => {
                    if let Err(stop) = self.call_body() {
                        self.handle(stop)?;
                    }
                }
                Exit::Stop => {
                    let stop = self.stop.take().expect("whoever leaves so has set it");
                    self.handle(stop)?;
                }
            }
            place = (self.pc, WRITE);
        }
    }

    fn follow_code(&mut self, (pc, argument): (Pc, usize)) -> Exit {
        let code = self.lend_code();
        self.mark_stack_base();
        match code.get(pc as usize) {
            Some(op) => (op.run)(self, &code, pc as usize, op, argument),
            None => unreachable!("every place to go on at is in the code"),
        }
    }

    fn determinism(&self) -> Determinism {
        match self.choices.last() {
            Some(Choice { alternative: Alternative::Bottom, .. }) => Determinism::Last,
            _ => Determinism::More,
        }
    }

    #[inline(always)]
    pub(super) fn y(&self, y: Y) -> Cell {
        self.environments.get(self.environment + HEADER + y as usize).copied().unwrap_or(Cell::NIL)
    }

    #[inline(always)]
    pub(super) fn set_y(&mut self, y: Y, value: Cell) {
        if let Some(slot) = self.environments.get_mut(self.environment + HEADER + y as usize) {
            *slot = value;
        }
    }

    #[inline(always)]
    pub(super) fn deref_x(&self, x: X) -> Cell {
        self.world.store.deref(self.x[x as usize])
    }

    /// The numeric value of the term in `x`.
    pub(super) fn number(&self, x: X) -> Result<Number, Stop> {
        arith::evaluate(&self.world.store, self.x[x as usize])
    }

    #[inline(never)]
    pub(super) fn put_frozen(&mut self, x: X, id: u32) {
        let World { store, database, .. } = &mut self.world;
        self.x[x as usize] = store.thaw(&database.frozen[id as usize]);
    }

    #[inline(never)]
    pub(super) fn unify_frozen(&mut self, x: X, id: u32) -> bool {
        let World { store, database, .. } = &mut self.world;
        let term = store.thaw(&database.frozen[id as usize]);
        store.unify(self.x[x as usize], term)
    }

    /// Binds the variable in `x` to a compound of fresh variables; without a header, to a list pair.
    #[inline(never)]
    pub(super) fn open_compound(&mut self, x: X, header: Option<Cell>) {
        let variable = self.deref_x(x);
        let store = &mut self.world.store;
        let at = store.heap.len() as u64;
        let (compound, arity) = match header {
            Some(header) => {
                store.heap.push(header);
                (Cell::pack(Tag::Struct, at), header.header_arity())
            }
            None => (Cell::pack(Tag::List, at), 2),
        };
        for _ in 0..arity {
            store.new_var();
        }
        store.bind(variable, compound);
    }

    /// Allocates an environment of `size` slots.
    pub(super) fn allocate(&mut self, size: usize) {
        let frame = self.top();
        let end = frame + HEADER + size;
        if self.environments.len() < end {
            self.environments.resize((end + 64).max(self.environments.capacity()), Cell::NIL);
        }
        let header = [Cell(self.environment as u64), Cell(self.continuation.into()), Cell(size as u64)];
        self.environments[frame..frame + HEADER].copy_from_slice(&header);
        self.environment = frame;
    }

    /// Unifies the arguments of the call with those of the fact being tried.
    #[inline(never)]
    pub(super) fn unify_fact(&mut self) -> bool {
        let World { store, database, .. } = &mut self.world;
        let (pred, clause) = self.fact;
        let fact = database.clauses(pred).and_then(|list| list.clause(clause)?.source.as_deref());
        fact.is_some_and(|fact| store.unify_head(fact, &self.x[..database.pred(pred).arity]))
    }

    /// Deallocates the current environment and restores its continuation.
    #[inline(always)]
    pub(super) fn leave_environment(&mut self) {
        let frame = self.environment;
        if let Some(&[before, continuation]) = self.environments.get(frame..frame + 2) {
            self.environment = before.0 as usize;
            self.continuation = continuation.0 as Pc;
        }
    }

    /// Where the next environment may begin: above the current one and those that choice points protect.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        let end =
            self.environment + HEADER + self.environments.get(self.environment + 2).map_or(0, |size| size.0 as usize);
        end.max(self.kept_top)
    }
}
