//! The loop over instructions. Calls are in `calls`, choice points in `choices`, control predicates in `control`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::arith::{self, Function, Number};
use super::builtin::Answers;
use super::calls::FUEL;
use super::cell::{Cell, Tag};
use super::choices::{Alternative, Choice};
use super::error::Stop;
use super::instr::{FAIL, Instr, Pc, PredId, Test, X, Y};
use super::query::Running;
use super::store::Term;
use super::world::World;

/// Runs one query at a time in a world.
pub struct Machine {
    /// What predicates see.
    pub world: World,
    pub(super) x: Box<[Cell; 256]>,
    pub(super) environments: Vec<Cell>,
    /// The current environment: its first cell, or `NO_ENVIRONMENT`.
    pub(super) environment: usize,
    pub(super) choices: Vec<Choice>,
    /// Arguments that choice points keep, in their order.
    pub(super) saved: Vec<Cell>,
    pub(super) answers: Vec<Box<dyn Answers>>,
    /// The instruction being done, and the one after the present call.
    pub(super) pc: Pc,
    pub(super) continuation: Pc,
    /// The number of choice points when the present predicate was called.
    pub(super) cut_barrier: usize,
    /// The predicate that was called last and has no clauses.
    pub(super) called: PredId,
    argument: usize,
    is_writing: bool,
    pub(super) fuel: u32,
    pub(super) interrupt: Arc<AtomicBool>,
    pub(super) running: Running,
    /// When the present query must end.
    pub deadline: Option<Instant>,
    /// Bytes that terms, environments and choice points may take.
    pub memory_limit: usize,
}

/// Whether a query can have more answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// This was the last.
    Last,
    /// There may be more.
    More,
}

pub(super) const NO_ENVIRONMENT: usize = usize::MAX;
/// An environment begins with the one before it, the continuation and its size.
pub(super) const HEADER: usize = 3;

impl Machine {
    /// A machine that works in `world`.
    pub fn new(world: World) -> Machine {
        Machine {
            world,
            x: Box::new([Cell::NIL; 256]),
            environments: Vec::new(),
            environment: NO_ENVIRONMENT,
            choices: Vec::new(),
            saved: Vec::new(),
            answers: Vec::new(),
            pc: 0,
            continuation: 0,
            cut_barrier: 0,
            called: 0,
            argument: 0,
            is_writing: false,
            fuel: FUEL,
            interrupt: Arc::default(),
            running: Running::default(),
            deadline: None,
            memory_limit: usize::MAX,
        }
    }

    /// Setting this to `true` stops the running query; the machine sets it back.
    pub fn interrupt_handle(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// Runs until an answer, failure of everything (`None`) or a stop.
    pub(super) fn run(&mut self) -> Result<Option<Determinism>, Stop> {
        loop {
            match self.run_until_stop() {
                Ok(answer) => return Ok(answer),
                Err(stop) => self.handle(stop)?,
            }
        }
    }

    fn run_until_stop(&mut self) -> Result<Option<Determinism>, Stop> {
        loop {
            let instr = self.world.database.code[self.pc as usize];
            self.pc += 1;
            match instr {
                Instr::Move { from, to } => self.x[to as usize] = self.x[from as usize],
                Instr::StoreY { from, to } => self.set_y(to, self.x[from as usize]),
                Instr::LoadY { from, to } => self.x[to as usize] = self.y(from),
                Instr::GetValue { a, b } => {
                    if !self.world.store.unify(self.x[a as usize], self.x[b as usize]) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::GetConst { a, value } => {
                    if !self.unify_constant(self.x[a as usize], value) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::GetList { a } => {
                    if !self.get_list(a) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::GetStruct { a, header } => {
                    if !self.get_struct(a, header) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::GetFrozen { a, id } => {
                    let term = self.thaw(id);
                    if !self.world.store.unify(self.x[a as usize], term) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::UnifyVarX { x } => {
                    self.x[x as usize] =
                        if self.is_writing { self.world.store.new_var() } else { self.next_argument() };
                }
                Instr::UnifyVarY { y } => {
                    let value = if self.is_writing { self.world.store.new_var() } else { self.next_argument() };
                    self.set_y(y, value);
                }
                Instr::UnifyValueX { x } => {
                    if !self.unify_value(self.x[x as usize]) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::UnifyValueY { y } => {
                    if !self.unify_value(self.y(y)) && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::UnifyConst { value } => {
                    if self.is_writing {
                        self.world.store.heap.push(value);
                    } else {
                        let argument = self.next_argument();
                        if !self.unify_constant(argument, value) && !self.backtrack()? {
                            return Ok(None);
                        }
                    }
                }
                Instr::UnifyVoid { n } => {
                    if self.is_writing {
                        for _ in 0..n {
                            self.world.store.new_var();
                        }
                    } else {
                        self.argument += n as usize;
                    }
                }
                Instr::PutVarX { x } => self.x[x as usize] = self.world.store.new_var(),
                Instr::PutVarY { y } => {
                    let variable = self.world.store.new_var();
                    self.set_y(y, variable);
                }
                Instr::PutConst { x, value } => self.x[x as usize] = value,
                Instr::PutList { x } => {
                    self.x[x as usize] = Cell::pack(Tag::List, self.world.store.heap.len() as u64);
                    self.is_writing = true;
                }
                Instr::PutStruct { x, header } => {
                    self.x[x as usize] = Cell::pack(Tag::Struct, self.world.store.heap.len() as u64);
                    self.world.store.heap.push(header);
                    self.is_writing = true;
                }
                Instr::PutFrozen { x, id } => self.x[x as usize] = self.thaw(id),
                Instr::Allocate { size } => self.allocate(size),
                Instr::Deallocate => {
                    let frame = self.environment;
                    self.continuation = self.environments[frame + 1].0 as Pc;
                    self.environment = self.environments[frame].0 as usize;
                }
                Instr::Call { pred } => {
                    self.continuation = self.pc;
                    if !self.dispatch(pred)? {
                        return Ok(None);
                    }
                }
                Instr::Execute { pred } => {
                    if !self.dispatch(pred)? {
                        return Ok(None);
                    }
                }
                Instr::Proceed => self.pc = self.continuation,
                Instr::Builtin { pred } => {
                    if !self.call_builtin(pred)? && !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::Jump { to } => self.pc = to,
                Instr::Fail => {
                    if !self.backtrack()? {
                        return Ok(None);
                    }
                }
                Instr::Try { to } => self.push_choice(Alternative::Code(to), 0),
                Instr::Mark { y } => self.set_y(y, Cell::small_int(self.choices.len() as i64)),
                Instr::SaveCut { y } => self.set_y(y, Cell::small_int(self.cut_barrier as i64)),
                Instr::CutTo { y } => self.cut_to(self.y(y).int_value() as usize),
                Instr::CutNeck => self.cut_to(self.cut_barrier),
                Instr::SoftCut { y } => {
                    let height = self.y(y).int_value() as usize;
                    self.choices[height].alternative = Alternative::Fail;
                }
                Instr::Arith1 { f, to, a } => {
                    let value = self.number(a)?;
                    self.x[to as usize] = f.apply1(&value)?.to_cell(&mut self.world.store);
                }
                Instr::Arith2 { f, to, a, b } => self.arith2(f, to, a, b)?,
                Instr::AddInt { to, a, n } => self.add_int(to, a, n)?,
                Instr::Evaluate { to, a } => {
                    self.x[to as usize] = self.number(a)?.to_cell(&mut self.world.store);
                }
                Instr::Compare { op, a, b, otherwise } => {
                    let (left, right) = (self.deref_x(a), self.deref_x(b));
                    let order = if left.is_int() && right.is_int() {
                        left.int_value().cmp(&right.int_value())
                    } else {
                        arith::compare(&self.number(a)?, &self.number(b)?)
                    };
                    if !op.holds(order) && !self.go_otherwise(otherwise)? {
                        return Ok(None);
                    }
                }
                Instr::CompareInt { op, a, n, otherwise } => {
                    let left = self.deref_x(a);
                    let order = if left.is_int() {
                        left.int_value().cmp(&i64::from(n))
                    } else {
                        arith::compare(&self.number(a)?, &Number::Int(n.into()))
                    };
                    if !op.holds(order) && !self.go_otherwise(otherwise)? {
                        return Ok(None);
                    }
                }
                Instr::Order { op, a, b, otherwise } => {
                    let order = self.world.store.compare(self.x[a as usize], self.x[b as usize]);
                    if !op.holds(order) && !self.go_otherwise(otherwise)? {
                        return Ok(None);
                    }
                }
                Instr::Test { kind, a, otherwise } => {
                    if !self.test(kind, a) && !self.go_otherwise(otherwise)? {
                        return Ok(None);
                    }
                }
                Instr::Answer => {
                    let is_last = matches!(self.choices.last(), Some(Choice { alternative: Alternative::Bottom, .. }));
                    return Ok(Some(if is_last { Determinism::Last } else { Determinism::More }));
                }
            }
        }
    }

    #[inline(always)]
    fn y(&self, y: Y) -> Cell {
        self.environments[self.environment + HEADER + y as usize]
    }

    #[inline(always)]
    fn set_y(&mut self, y: Y, value: Cell) {
        self.environments[self.environment + HEADER + y as usize] = value;
    }

    #[inline(always)]
    fn deref_x(&self, x: X) -> Cell {
        self.world.store.deref(self.x[x as usize])
    }

    fn thaw(&mut self, id: u32) -> Cell {
        let World { store, database, .. } = &mut self.world;
        store.thaw(&database.frozen[id as usize])
    }

    #[inline(always)]
    fn next_argument(&mut self) -> Cell {
        self.argument += 1;
        self.world.store.heap[self.argument - 1]
    }

    #[inline(always)]
    fn unify_constant(&mut self, cell: Cell, value: Cell) -> bool {
        let cell = self.world.store.deref(cell);
        if cell.is_ref() {
            self.world.store.bind(cell, value);
            return true;
        }
        cell == value
    }

    #[inline(always)]
    fn unify_value(&mut self, value: Cell) -> bool {
        if self.is_writing {
            self.world.store.heap.push(value);
            return true;
        }
        let argument = self.next_argument();
        self.world.store.unify(argument, value)
    }

    #[inline(always)]
    fn get_list(&mut self, a: X) -> bool {
        let cell = self.deref_x(a);
        match cell.tag() {
            Tag::List => {
                self.argument = cell.index();
                self.is_writing = false;
                true
            }
            Tag::Ref => {
                let list = Cell::pack(Tag::List, self.world.store.heap.len() as u64);
                self.world.store.bind(cell, list);
                self.is_writing = true;
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn get_struct(&mut self, a: X, header: Cell) -> bool {
        let cell = self.deref_x(a);
        match cell.tag() {
            Tag::Struct => {
                self.argument = cell.index() + 1;
                self.is_writing = false;
                self.world.store.heap[cell.index()] == header
            }
            Tag::Ref => {
                let compound = Cell::pack(Tag::Struct, self.world.store.heap.len() as u64);
                self.world.store.bind(cell, compound);
                self.world.store.heap.push(header);
                self.is_writing = true;
                true
            }
            _ => false,
        }
    }

    fn allocate(&mut self, size: u32) {
        let frame = self.top();
        let end = frame + HEADER + size as usize;
        if self.environments.len() < end {
            self.environments.resize((end + 64).max(self.environments.capacity()), Cell::NIL);
        }
        self.environments[frame] = Cell(self.environment as u64);
        self.environments[frame + 1] = Cell(u64::from(self.continuation));
        self.environments[frame + 2] = Cell(u64::from(size));
        self.environment = frame;
    }

    /// Where the next environment may begin: above the current one and those that choice points keep.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        let kept = self.choices.last().map_or(0, |choice| choice.top);
        if self.environment == NO_ENVIRONMENT {
            return kept;
        }
        let end = self.environment + HEADER + self.environments[self.environment + 2].0 as usize;
        end.max(kept)
    }

    #[inline(always)]
    fn go_otherwise(&mut self, otherwise: Pc) -> Result<bool, Stop> {
        if otherwise == FAIL {
            return self.backtrack();
        }
        self.pc = otherwise;
        Ok(true)
    }

    fn number(&self, x: X) -> Result<Number, Stop> {
        arith::evaluate(&self.world.store, self.x[x as usize])
    }

    #[inline(always)]
    fn add_int(&mut self, to: X, a: X, n: i32) -> Result<(), Stop> {
        let left = self.deref_x(a);
        if left.is_int() {
            let sum = left.int_value() + i64::from(n);
            self.x[to as usize] = self.world.store.int(sum);
            return Ok(());
        }
        let sum = Function::Add.apply2(&self.number(a)?, &Number::Int(n.into()))?;
        self.x[to as usize] = sum.to_cell(&mut self.world.store);
        Ok(())
    }

    #[inline(always)]
    fn arith2(&mut self, f: Function, to: X, a: X, b: X) -> Result<(), Stop> {
        let (left, right) = (self.deref_x(a), self.deref_x(b));
        if left.is_int() && right.is_int() {
            let quick = match f {
                Function::Add => Some(left.int_value() + right.int_value()),
                Function::Subtract => Some(left.int_value() - right.int_value()),
                Function::Multiply => left.int_value().checked_mul(right.int_value()),
                _ => None,
            };
            if let Some(value) = quick {
                self.x[to as usize] = self.world.store.int(value);
                return Ok(());
            }
        }
        let value = f.apply2(&self.number(a)?, &self.number(b)?)?;
        self.x[to as usize] = value.to_cell(&mut self.world.store);
        Ok(())
    }

    fn test(&self, kind: Test, a: X) -> bool {
        let term = self.world.store.look(self.x[a as usize]);
        match kind {
            Test::Var => matches!(term, Term::Var(_)),
            Test::Nonvar => !matches!(term, Term::Var(_)),
            Test::Atom => matches!(term, Term::Atom(_)),
            Test::Integer => matches!(term, Term::Int(_) | Term::BigInt(_)),
            Test::Float => matches!(term, Term::Float(_)),
            Test::Number => matches!(term, Term::Int(_) | Term::BigInt(_) | Term::Float(_)),
            Test::Atomic => !matches!(term, Term::Var(_) | Term::Compound(_)),
            Test::Compound => matches!(term, Term::Compound(_)),
            Test::Callable => matches!(term, Term::Atom(_) | Term::Compound(_)),
        }
    }
}
