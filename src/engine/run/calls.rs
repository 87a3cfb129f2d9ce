//! Calls of predicates, and the polling of limits and interrupts at calls.

use smallvec::SmallVec;

use super::choices::{Alternative, Choice};
use super::machine::Machine;
use crate::engine::code::{CallArguments, ClauseList, Pc, PredId, Selected};
use crate::engine::heap::{Cell, Stop, error};
use crate::engine::state::{Control, Definition, Native, NextSolution, SolutionSource, TableStep, World};

/// The number of calls between two polls of limits and interrupts: more would delay the reaction, fewer would slow down
/// every call. A prime, so that a loop is not met at the same of its calls each time: garbage is collected at polls, and
/// inside of a choice point that the loop has just made there is none.
pub(super) const FUEL: u32 = 2039;
/// Calls between two polls hardly ever need more cells and choice points than this.
const SPARE: usize = 64 * FUEL as usize;

/// The outcome of entering a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// Continue at its code.
    Code(Pc),
    /// It has succeeded.
    Return,
    /// It has failed.
    Failure,
    /// Continue at this address from the loop in `machine`.
    FromLoop(Pc),
    /// The goal in `X0` has to be compiled.
    Body,
    /// The query has no more answers.
    Over,
    /// An error, an interrupt or a limit.
    Stop,
}

impl Machine {
    /// Enters a predicate by its current definition; its arguments are in the registers.
    #[inline(never)]
    pub(super) fn enter(&mut self, id: PredId) -> Entered {
        match &self.world.database.pred(id).definition {
            Definition::Clauses(list) if list.is_abolished => self.enter_undefined(id),
            Definition::Clauses(list) => match list.tabled {
                Some(number) => self.enter_native(Native::Control(Control::Table(TableStep::Call(number))), id),
                None if list.dynamic => self.enter_list(id),
                None => self.link(id).map_or_else(|| self.enter_list(id), Entered::Code),
            },
            &Definition::Unread(text) => {
                self.world.database.read_library(id, text);
                self.enter(id)
            }
            Definition::Library(library) => Entered::Code(self.world.database.forward(id, *library)),
            Definition::Native(native) => self.enter_native(*native, id),
            Definition::Undefined => self.enter_undefined(id),
        }
    }

    /// Enters a predicate that is not compiled to switches.
    fn enter_list(&mut self, id: PredId) -> Entered {
        match self.select(id) {
            Some(selected) => Entered::Code(self.begin_clause(id, selected)),
            None => {
                self.note_missed_clauses(id);
                Entered::Failure
            }
        }
    }

    /// Notes the arguments of a call that no clause is for, if one is for a term that is written alike.
    #[inline(never)]
    fn note_missed_clauses(&mut self, id: PredId) {
        let World { database, store, .. } = &mut self.world;
        let args = &self.x[..database.pred(id).arity];
        let has_boxed = database.clauses(id).is_some_and(ClauseList::has_boxed);
        if !has_boxed && !args.iter().any(|&arg| store.deref(arg).is_boxed()) {
            return;
        }
        let mut args: SmallVec<[Cell; 8]> = args.iter().map(|&arg| store.deref(arg)).collect();
        for place in 0..args.len() {
            let own = args[place];
            if has_boxed || own.is_boxed() {
                store.note_missed_clause(own, |store, alike| {
                    args[place] = alike;
                    database.select(id, &CallArguments { store, args: &args }).is_some()
                });
                args[place] = own;
            }
        }
    }

    /// Enters the clauses of a predicate, bypassing its entry.
    pub(super) fn enter_clauses(&mut self, id: PredId) -> Option<Pc> {
        self.cut_barrier = self.choices.len();
        self.select(id).map(|selected| self.begin_clause(id, selected))
    }

    /// The clauses to try in a call.
    #[inline(always)]
    fn select(&mut self, id: PredId) -> Option<Selected> {
        let World { database, store, .. } = &mut self.world;
        let call = CallArguments { store, args: &self.x[..database.pred(id).arity] };
        let selected = database.select(id, &call)?;
        Some(database.compiled(id, selected))
    }

    fn enter_undefined(&mut self, id: PredId) -> Entered {
        self.called = id;
        if self.world.unknown_fails() {
            return Entered::Failure;
        }
        let stop = self.unknown_predicate(id);
        self.stopped(stop)
    }

    pub(super) fn stopped(&mut self, stop: Stop) -> Entered {
        self.stop = Some(stop);
        Entered::Stop
    }

    fn enter_native(&mut self, native: Native, id: PredId) -> Entered {
        self.called = id;
        match native {
            Native::Det(function) => match self.apply(id, function) {
                Ok(true) => Entered::Return,
                Ok(false) => Entered::Failure,
                Err(stop) => self.stopped(stop),
            },
            Native::Nondet(_) => self.enter_nondet(id),
            Native::Control(control) => self.control(control),
        }
    }

    /// Runs a nondeterministic native predicate up to its first solution.
    #[inline(never)]
    pub(super) fn enter_nondet(&mut self, id: PredId) -> Entered {
        let Definition::Native(Native::Nondet(function)) = self.world.database.pred(id).definition else {
            unreachable!("only nondeterministic native predicates get here")
        };
        self.called = id;
        match self.apply(id, function) {
            Ok(None) => Entered::Failure,
            Ok(Some(answers)) => self.first_of_answers(answers),
            Err(stop) => self.stopped(stop),
        }
    }

    /// Takes the first solution, with a choice point if there may be more.
    fn first_of_answers(&mut self, mut answers: Box<dyn SolutionSource>) -> Entered {
        let (cursor, mark) = (self.world.desk.cursor, self.world.store.mark());
        let barrier = std::mem::replace(&mut self.world.store.barrier, mark.heap);
        let next = answers.next(&mut self.world);
        let next = self.world.store.check_walks().and(next);
        if let Ok(NextSolution::More | NextSolution::Skip) = next {
            self.push_choice_at(mark, Alternative::Answers, 0);
            if let Some(choice) = self.choices.last_mut() {
                choice.cursor = cursor;
            }
            self.answers.push(answers);
        } else {
            self.world.store.barrier = barrier;
        }
        match next {
            Ok(NextSolution::More | NextSolution::Last) => Entered::Return,
            Ok(NextSolution::Fail) => Entered::Failure,
            Ok(NextSolution::Skip) => self.next_answer_of_these(),
            Err(stop) => self.stopped(stop),
        }
    }

    /// Continues with a later solution of the topmost iterator.
    fn next_answer_of_these(&mut self) -> Entered {
        match self.skip_answer().and_then(|()| self.next_of_answers()) {
            Ok(true) => Entered::Code(self.pc),
            Ok(false) => Entered::Over,
            Err(stop) => self.stopped(stop),
        }
    }

    /// Calls a predicate whose arguments are in the registers.
    pub(super) fn call_pred(&mut self, id: PredId) -> Entered {
        self.fuel -= 1;
        if self.fuel == 0 {
            return self.refuel(id);
        }
        Entered::Code(self.begin_call(id))
    }

    /// Calls a predicate when the fuel is used up: measures the stack, and polls limits if no call is left before that.
    #[inline(never)]
    pub(super) fn refuel(&mut self, mut id: PredId) -> Entered {
        let is_deep = self.measure_stack();
        if !self.take_held_fuel() {
            id = match self.poll_limits(id) {
                Ok(id) => id,
                Err(stop) => return self.stopped(stop),
            };
        }
        let entry = self.begin_call(id);
        if is_deep { Entered::FromLoop(entry) } else { Entered::Code(entry) }
    }

    /// Counts a step that is no call of a predicate as one; polls limits when it is time.
    pub(super) fn use_fuel(&mut self) -> Result<(), Stop> {
        self.fuel -= 1;
        if self.fuel == 0 && !self.take_held_fuel() { self.poll() } else { Ok(()) }
    }

    /// Refills `fuel` for the calls until the next measurement; returns `false` if it is time to poll instead.
    fn take_held_fuel(&mut self) -> bool {
        self.fuel = self.held_fuel.min(self.chain);
        self.held_fuel -= self.fuel;
        self.fuel > 0
    }

    /// The entry of a predicate whose arguments are in the registers.
    pub(super) fn begin_call(&mut self, id: PredId) -> Pc {
        self.cut_barrier = self.choices.len();
        self.world.database.entry(id)
    }

    /// Calls a deterministic native predicate from within a clause.
    #[inline(always)]
    pub(super) fn call_builtin(&mut self, id: PredId) -> Result<bool, Stop> {
        let Definition::Native(Native::Det(function)) = self.world.database.pred(id).definition else {
            unreachable!("only deterministic native predicates get here")
        };
        self.apply(id, function)
    }

    /// Calls a function with as many registers as the predicate has arguments.
    #[inline(always)]
    fn apply<R>(&mut self, id: PredId, function: fn(&mut World, &[Cell]) -> Result<R, Stop>) -> Result<R, Stop> {
        let arity = self.world.database.pred(id).arity;
        let result = function(&mut self.world, &self.x[..arity]);
        self.world.store.check_walks()?;
        result
    }

    /// Polls interrupts and limits.
    pub(super) fn poll(&mut self) -> Result<(), Stop> {
        let own = self.take_fuel();
        self.sweep_clauses();
        self.world.store.watch.check()?;
        own?;
        self.reserve()?;
        if self.bytes() > self.world.store.watch.memory {
            return Err(error::resource_error("memory"));
        }
        Ok(())
    }

    /// Reserves the memory that calls need until the next poll, so that none of their allocations fails.
    pub(super) fn reserve(&mut self) -> Result<(), Stop> {
        let no_memory = |_| error::resource_error("memory");
        let environments = self.top() + SPARE;
        if environments > self.environments.len() {
            let more = environments + environments / 2 - self.environments.len();
            self.environments.try_reserve(more).map_err(no_memory)?;
        }
        self.choices.try_reserve(SPARE).map_err(no_memory)?;
        self.saved.try_reserve(SPARE).map_err(no_memory)?;
        self.world.store.reserve(SPARE).map_err(no_memory)
    }

    /// Frees erased clauses that no choice point sees.
    fn sweep_clauses(&mut self) {
        for id in self.world.database.take_crowded() {
            let tried = self.choices.iter().filter_map(|choice| match choice.alternative {
                Alternative::Clauses(pred, remaining) => Some((pred, remaining.generation())),
                _ => None,
            });
            let read = self.answers.iter().filter_map(|answers| answers.view());
            let generations = tried.chain(read).filter(|&(pred, _)| pred == id).map(|(_, generation)| generation);
            let oldest = generations.min().unwrap_or(u64::MAX);
            self.world.database.sweep(id, oldest);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.world.store.bytes()
            + self.top() * size_of::<Cell>()
            + self.choices.len() * size_of::<Choice>()
            + self.world.bytes_kept()
    }
}
