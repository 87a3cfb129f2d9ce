//! The state of a running query, and the loop around its instructions. What instructions do is in `step`, calls are in
//! `calls`, choice points in `choices`, control predicates in `control`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::arith::{self, Number};
use super::backtrace::Caught;
use super::builtin::Answers;
use super::calls::FUEL;
use super::cell::{Cell, Tag};
use super::chains::ClauseId;
use super::choices::{Alternative, Choice};
use super::clause_list::Remaining;
use super::cleanup::Cleanups;
use super::code::{Exit, Run, WRITE};
use super::control::Resolved;
use super::error::Stop;
use super::goal::Forms;
use super::instr::{FAIL, Pc, PredId, X, Y};
use super::limit::Limits;
use super::query::Running;
use super::store::Mark;
use super::world::World;

/// Runs one query at a time in a world.
pub struct Machine {
    pub(super) x: [Cell; 256],
    pub(super) environments: Vec<Cell>,
    /// The first cell of the current environment.
    pub(super) environment: usize,
    /// The instruction after the one being done, and the one after the present call.
    pub(super) pc: Pc,
    pub(super) continuation: Pc,
    /// The number of choice points when the present predicate was called.
    pub(super) cut_barrier: usize,
    pub(super) fuel: u32,
    /// Where to go on if the clause at hand fails before its neck; `FAIL` if no clause is left or a choice point knows.
    pub(super) shallow: Pc,
    pub(super) shallow_arity: u8,
    /// How far the store had grown when the clause was begun, and its barrier then.
    pub(super) shallow_mark: Mark,
    pub(super) shallow_barrier: usize,
    /// The clauses left, if `shallow` says that the machine has their list.
    pub(super) shallow_clauses: (PredId, Remaining),
    /// The clause that was begun last, if it is one of a list.
    pub(super) fact: (PredId, ClauseId),
    pub(super) choices: Vec<Choice>,
    /// Environments below this are kept by choice points.
    pub(super) kept_top: usize,
    /// Arguments that choice points keep, in their order.
    pub(super) saved: Vec<Cell>,
    pub(super) answers: Vec<Box<dyn Answers>>,
    pub(super) cleanups: Cleanups,
    pub(super) limits: Limits,
    pub(super) resolved: Resolved,
    pub(super) forms: Forms,
    /// The predicate that was called last and has no clauses.
    pub(super) called: PredId,
    /// Where the instructions were left that go on there, and where the next argument of a compound is.
    pub(super) left_at: (Pc, usize),
    /// The heap is looked through for garbage when it is longer than this.
    pub(super) next_collection: usize,
    /// The step that went on in a way of its own last; nobody reads it, see [`Run`].
    pub(super) detour: Option<Run>,
    /// What made the machine leave its instructions.
    pub(super) stop: Option<Stop>,
    /// What predicates see.
    pub world: World,
    pub(super) running: Running,
    pub(super) caught: Caught,
}

/// Whether a query can have more answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// This was the last.
    Last,
    /// There may be more.
    More,
}

/// The outermost environment, which has no slots.
pub(super) const OUTERMOST: usize = 0;
/// An environment begins with the one before it, the continuation and its size.
pub(super) const HEADER: usize = 3;

impl Machine {
    /// A machine that works in `world`.
    pub fn new(world: World) -> Machine {
        Machine {
            x: [Cell::NIL; 256],
            environments: vec![Cell(0); HEADER],
            environment: OUTERMOST,
            pc: 0,
            continuation: 0,
            cut_barrier: 0,
            fuel: FUEL,
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
            limits: Limits::default(),
            resolved: Resolved::default(),
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

    /// Setting this to `true` stops the running query; the machine sets it back.
    pub fn interrupt_handle(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.world.store.watch.interrupt)
    }

    /// Runs until an answer, failure of everything (`None`) or a stop.
    pub(super) fn run(&mut self) -> Result<Option<Determinism>, Stop> {
        let mut place = (self.pc, WRITE);
        loop {
            let exit = match self.world.store.has_attributed() {
                false => self.follow_code(place),
                true => self.follow_watched(place),
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
        let code = self.world.database.code.lend();
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

    /// The number that the term in `x` has as its value.
    pub(super) fn number(&self, x: X) -> Result<Number, Stop> {
        arith::evaluate(&self.world, self.x[x as usize])
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

    /// Opens an environment of `size` slots.
    pub(super) fn allocate(&mut self, size: usize) {
        let frame = self.top();
        let end = frame + HEADER + size;
        if self.environments.len() < end {
            self.environments.resize((end + 64).max(self.environments.capacity()), Cell::NIL);
        }
        let header = [self.environment as u64, self.continuation.into(), size as u64].map(Cell);
        self.environments[frame..frame + HEADER].copy_from_slice(&header);
        self.environment = frame;
    }

    /// Unifies the arguments of the call with those of the fact that is tried.
    #[inline(never)]
    pub(super) fn unify_fact(&mut self) -> bool {
        let World { store, database, .. } = &mut self.world;
        let (pred, clause) = self.fact;
        let fact = database.clauses(pred).and_then(|list| list.clause(clause)?.source.as_deref());
        fact.is_some_and(|fact| store.unify_head(fact, &self.x[..database.pred(pred).arity]))
    }

    /// Makes the environment before the current one current, and its continuation that of the present call.
    #[inline(always)]
    pub(super) fn leave_environment(&mut self) {
        let frame = self.environment;
        if let Some(&[before, continuation]) = self.environments.get(frame..frame + 2) {
            self.environment = before.0 as usize;
            self.continuation = continuation.0 as Pc;
        }
    }

    /// Where the next environment may begin: above the current one and those that choice points keep.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        let end =
            self.environment + HEADER + self.environments.get(self.environment + 2).map_or(0, |size| size.0 as usize);
        end.max(self.kept_top)
    }
}
