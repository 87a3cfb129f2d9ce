//! Calls: what a predicate does, and the look at limits and interrupts that calls make now and then.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::cell::Cell;
use super::choices::{Alternative, Choice};
use super::clause_list::{ANY_KEY, Selected, first_argument_key};
use super::database::{Definition, Native};
use super::error::{self, Limit, Stop};
use super::instr::PredId;
use super::machine::Machine;
use super::world::World;

/// Calls between two looks at limits and interrupts.
pub(super) const FUEL: u32 = 2048;
/// Cells and choice points that so many calls hardly ever exceed.
const SPARE: usize = 64 * FUEL as usize;

impl Machine {
    /// Calls a predicate whose arguments are in the registers; `false` if the query has failed altogether.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, id: PredId) -> Result<bool, Stop> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.called = id;
            self.poll()?;
        }
        self.cut_barrier = self.choices.len();
        let pred = self.world.database.pred(id);
        match &pred.definition {
            Definition::Clauses(list) if list.has_few() => {
                let (arity, key) = (pred.arity, self.key_of_call(pred.arity));
                let selected = list.select_few(key, self.world.database.generation());
                self.enter(id, arity, selected)
            }
            _ => self.dispatch_other(id),
        }
    }

    #[inline(always)]
    fn key_of_call(&self, arity: usize) -> u64 {
        if arity == 0 { ANY_KEY } else { first_argument_key(&self.world.store, self.x[0]) }
    }

    #[inline(always)]
    fn enter(&mut self, id: PredId, arity: usize, selected: Option<Selected>) -> Result<bool, Stop> {
        let Some((code, rest)) = selected else { return self.backtrack() };
        if let Some(rest) = rest {
            self.push_choice(Alternative::Clauses(id, rest), arity);
        }
        self.pc = code;
        Ok(true)
    }

    #[inline(never)]
    fn dispatch_other(&mut self, mut id: PredId) -> Result<bool, Stop> {
        loop {
            let pred = self.world.database.pred(id);
            match &pred.definition {
                Definition::Clauses(_) => {
                    let (arity, key) = (pred.arity, self.key_of_call(pred.arity));
                    let selected = self.world.database.select(id, key);
                    return self.enter(id, arity, selected);
                }
                Definition::Library(library) => id = *library,
                Definition::Native(native) => return self.call_native(*native, id),
                Definition::Undefined => return self.call_undefined(id),
            }
        }
    }

    fn call_undefined(&mut self, id: PredId) -> Result<bool, Stop> {
        self.called = id;
        if self.world.unknown_fails() {
            return self.backtrack();
        }
        Err(self.unknown_predicate(id))
    }

    fn call_native(&mut self, native: Native, id: PredId) -> Result<bool, Stop> {
        self.called = id;
        match native {
            Native::Det(function) => {
                if !self.apply(id, function)? {
                    return self.backtrack();
                }
                self.pc = self.continuation;
                Ok(true)
            }
            Native::Nondet(function) => match self.apply(id, function)? {
                None => self.backtrack(),
                Some(answers) => {
                    self.push_choice(Alternative::Answers, 0);
                    self.answers.push(answers);
                    self.next_of_answers()
                }
            },
            Native::Control(control) => self.control(control),
        }
    }

    /// A call of a deterministic predicate in the middle of a clause.
    #[inline(always)]
    pub(super) fn call_builtin(&mut self, id: PredId) -> Result<bool, Stop> {
        let Definition::Native(Native::Det(function)) = self.world.database.pred(id).definition else {
            unreachable!("only deterministic predicates in Rust are called so")
        };
        self.apply(id, function)
    }

    /// Calls a function with the first registers, as many as the predicate has arguments.
    #[inline(always)]
    fn apply<R>(&mut self, id: PredId, function: fn(&mut World, &[Cell]) -> R) -> R {
        let arity = self.world.database.pred(id).arity;
        let mut args = [Cell::NIL; 8];
        if arity <= args.len() {
            args[..arity].copy_from_slice(&self.x[..arity]);
            return function(&mut self.world, &args[..arity]);
        }
        let args = *self.x;
        function(&mut self.world, &args[..arity])
    }

    /// Looks at interrupts and limits.
    pub(super) fn poll(&mut self) -> Result<(), Stop> {
        self.world.inferences += u64::from(FUEL);
        self.fuel = FUEL;
        self.sweep_clauses();
        self.check_limits()?;
        self.reserve()?;
        if self.bytes() > self.memory_limit {
            return Err(error::resource_error("memory"));
        }
        Ok(())
    }

    /// Whether the user has interrupted, or time is up: what a long predicate has made of it meanwhile does not count.
    pub(super) fn check_limits(&self) -> Result<(), Stop> {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            return Err(Stop::Interrupt);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(Stop::Limit(Limit::Time));
        }
        Ok(())
    }

    /// Makes sure that what the calls up to the next look need can be had, so that no allocation of theirs fails.
    fn reserve(&mut self) -> Result<(), Stop> {
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

    /// Forgets erased clauses where no choice point goes through them.
    fn sweep_clauses(&mut self) {
        for id in self.world.database.take_crowded() {
            let is_tried = |choice: &Choice| matches!(choice.alternative, Alternative::Clauses(pred, _) if pred == id);
            let is_read = self.answers.iter().any(|answers| answers.clauses_of() == Some(id));
            if !is_read && !self.choices.iter().any(is_tried) {
                self.world.database.sweep(id);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.world.store.bytes()
            + self.top() * size_of::<Cell>()
            + self.choices.len() * size_of::<Choice>()
            + self.world.bytes_kept()
    }
}
