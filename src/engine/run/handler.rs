//! How exceptions find their handler: `catch/3`, `throw/1`, and all errors that the machine raises.
//!
//! The goal of a `catch/3` runs above a choice point that holds catcher and recovery (the catch frame), and in an
//! environment without slots: it is running exactly if that environment is on the continuation chain of the current
//! goal. A ball is kept off the heap while the earlier state is restored.

use super::backtrace::GoalRegisters;
use super::calls::Entered;
use super::choices::Alternative;
use super::machine::{Machine, OUTERMOST};
use super::op::InstructionKind;
use super::tabling::TableChoice;
use crate::engine::code::{FAIL, Pc};
use crate::engine::heap::{Cell, QueryLimit, Stop, Term, error};
use crate::engine::state::{CATCH_CODE, Namespace};
use crate::term::{Atom, atoms};

impl Machine {
    /// Starts `catch/3`, whose arguments are in the registers, up to the call of its goal.
    pub(super) fn begin_catch(&mut self) {
        self.allocate(0);
        self.continuation = CATCH_CODE;
        let goal = self.x[0];
        self.x.copy_within(1..3, 0);
        self.push_choice(Alternative::Catch, 2);
        self.x[0] = goal;
    }

    /// The goal of the current `catch/3` has succeeded: drops its catch frame if there are no more solutions.
    #[inline]
    pub(super) fn end_catch(&mut self) {
        if self.choices.last().is_some_and(|choice| {
            matches!(choice.alternative, Alternative::Catch) && choice.environment == self.environment
        }) {
            self.cut_to(self.choices.len() - 1);
        }
    }

    pub(super) fn throw(&mut self) -> Entered {
        let ball = self.world.store.deref(self.x[0]);
        if ball.is_ref() {
            return self.stopped(error::instantiation_error());
        }
        let thrown = self.registers();
        self.keep_ball(ball);
        if let Err(stop) = self.world.store.check_walks() {
            return self.stopped(stop);
        }
        self.note_throw();
        self.add_context(ball);
        self.unwind_at_once(thrown)
    }

    /// Continues at the handler of an exception; any other stop ends the query.
    pub(super) fn handle(&mut self, stop: Stop) -> Result<(), Stop> {
        let thrown = self.registers();
        match self.world.store.check_walks().err().unwrap_or(stop) {
            Stop::Limit(QueryLimit::GoalTime) => {
                let stop = self.take_fuel().err().unwrap_or(Stop::Interrupt);
                self.handle(stop)
            }
            stop @ Stop::Throw(_) if std::mem::take(&mut self.caught.is_uncaught) => Err(stop),
            Stop::Throw(ball) => {
                self.shallow = FAIL;
                let (ball, _) = self.world.store.load(&ball);
                self.keep_ball(ball);
                if let Err(stop) = self.world.store.check_walks() {
                    return self.handle(stop);
                }
                self.add_context(ball);
                self.unwind(thrown)
            }
            stop @ (Stop::Halt(_) | Stop::OutputClosed) => Err(stop),
            stop @ (Stop::Interrupt | Stop::Limit(_)) => {
                self.note_uncaught(thrown);
                Err(stop)
            }
        }
    }

    /// Sets the current ball to a copy of a term.
    pub(super) fn keep_ball(&mut self, ball: Cell) {
        self.world.store.freeze_into(ball, &mut self.caught.ball);
    }

    /// Continues at the handler of the ball without leaving the instructions.
    pub(super) fn unwind_at_once(&mut self, thrown: GoalRegisters) -> Entered {
        self.shallow = FAIL;
        match self.unwind(thrown) {
            Ok(()) => Entered::Code(self.pc),
            Err(stop) => {
                self.caught.is_uncaught = true;
                self.stopped(stop)
            }
        }
    }

    /// Continues at the handler of the ball, a `catch/3` among the environments from that of `thrown` outwards.
    fn unwind(&mut self, thrown: GoalRegisters) -> Result<(), Stop> {
        let mut frame = thrown.environment;
        while let Some(choice) = self.choices.last() {
            match choice.alternative {
                Alternative::Bottom => break,
                Alternative::Limit(_) => self.leave_limit(self.choices.len() - 1),
                Alternative::Table(TableChoice::Evaluate { table }) => self.leave_evaluation(table),
                Alternative::Cleanup => {
                    let outside = self.cleanup_after_throw(frame);
                    self.note_cleanup(thrown, outside);
                    return Ok(());
                }
                Alternative::Catch if self.may_be_caught() => {
                    let target = choice.environment;
                    frame = self.ancestor_frame(frame, target);
                    if frame == target && self.try_catch(thrown) {
                        let is_short_of_memory = self.caught.ball.is_resource_error();
                        self.note_catch(thrown, target);
                        if is_short_of_memory {
                            self.give_back();
                        }
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.cut_to(self.choices.len() - 1);
        }
        self.note_uncaught(thrown);
        let ball = self.world.store.thaw(&self.caught.ball);
        self.caught.ball.clear();
        Err(Stop::Throw(Box::new(self.world.store.save(ball))))
    }

    /// Whether the catch frame on top may take the ball.
    fn may_be_caught(&self) -> bool {
        let choice = self.choices.len() - 1;
        self.world.tables.failing.is_none_or(|failing| choice >= failing.height)
            && self.limits.may_be_caught(&self.caught.ball, choice)
    }

    /// The innermost environment from `frame` outwards that is not younger than `target`.
    pub(super) fn ancestor_frame(&self, mut frame: usize, target: usize) -> usize {
        while frame != OUTERMOST && frame > target {
            frame = self.environments[frame].0 as usize;
        }
        frame
    }

    /// Unifies the ball with the catcher of the newest choice point and calls its recovery; `false` if they do not
    /// unify.
    fn try_catch(&mut self, thrown: GoalRegisters) -> bool {
        self.restore();
        let saved = self.choices.last().expect("the caller has seen one").saved;
        let (catcher, recovery) = (self.saved[saved], self.saved[saved + 1]);
        let ball = self.world.store.thaw(&self.caught.ball);
        let catcher = self.last_catcher(catcher, thrown);
        if !self.world.store.unify(catcher, ball) {
            return false;
        }
        self.cut_to(self.choices.len() - 1);
        self.leave_environment();
        self.x[0] = recovery;
        let call = self.world.database.pred_id(Namespace::Library, atoms::CALL, 1);
        self.pc = self.begin_call(call);
        true
    }

    /// The catcher in `'$uncaught'(Catcher, Goals)`, after binding `Goals` to the backtrace, a string. Any other
    /// catcher is returned as it is.
    fn last_catcher(&mut self, catcher: Cell, thrown: GoalRegisters) -> Cell {
        match self.world.store.look(catcher) {
            Term::Compound(compound) if (compound.name, compound.arity) == (atoms::UNCAUGHT, 2) => {
                let [catcher, goals] = [self.world.store.arg(compound, 0), self.world.store.arg(compound, 1)];
                let text = self.backtrace(thrown).to_string();
                let text = self.world.store.string(&text);
                self.world.store.unify(goals, text);
                catcher
            }
            _ => catcher,
        }
    }

    /// Binds the context of the ball, an `error/2`, to the predicate and source position of the goal that raised it; an
    /// existing `'$message'(Text)` is kept after them.
    fn add_context(&mut self, ball: Cell) {
        let store = &self.world.store;
        let Term::Compound(error) = store.look(ball) else { return };
        if (error.name, error.arity) != (atoms::ERROR, 2) {
            return;
        }
        let (formal, context) = (store.arg(error, 0), store.arg(error, 1));
        let message = match store.look(context) {
            Term::Var(_) => None,
            Term::Compound(context) if (context.name, context.arity) == (atoms::MESSAGE, 1) => {
                Some(store.arg(context, 0))
            }
            _ => return,
        };
        let context = self.context(message);
        let ball = self.world.store.compound(atoms::ERROR, &[formal, context]);
        self.keep_ball(ball);
    }

    /// `context(Name/Arity, Place)`, with variables for unknown parts.
    fn context(&mut self, message: Option<Cell>) -> Cell {
        let pc = self.pc.saturating_sub(1);
        let site = self.site_of_goal(pc);
        let place = site.and_then(|site| self.world.database.place(site));
        let place = place.and_then(|(script, span)| self.world.sources.place(script, span));
        let indicator = self.thrower(pc, site);
        let store = &mut self.world.store;
        let indicator = match indicator {
            Some((name, arity)) => {
                let arity = store.int(arity as i64);
                store.compound(atoms::DIVIDE, &[Cell::atom(name), arity])
            }
            None => store.new_var(),
        };
        let place = place.map_or_else(|| store.new_var(), |place| Cell::atom(Atom::new(&place)));
        let parts: Vec<Cell> = [indicator, place].into_iter().chain(message).collect();
        store.compound(atoms::CONTEXT, &parts)
    }

    /// The predicate that raises an error; for an error inside the library, the library predicate that user code
    /// called.
    fn thrower(&self, pc: Pc, site: Option<Pc>) -> Option<(Atom, usize)> {
        let own = self.indicator_at(pc);
        let is_throw = own.is_some_and(|(name, arity)| arity == 1 && name.as_str() == "throw");
        let Some(site) = site.filter(|site| is_throw && *site != pc) else { return own };
        let op = self.op(site).filter(|op| op.is_call())?;
        let pred = self.world.database.pred(op.n);
        Some((pred.name, pred.arity))
    }

    /// The innermost instruction of a script or query on the way to the current one.
    fn site_of_goal(&self, pc: Pc) -> Option<Pc> {
        let mut frame = self.environment;
        let outer = std::iter::from_fn(|| {
            (frame != OUTERMOST).then(|| {
                let continuation = self.environments[frame + 1].0 as u32;
                frame = self.environments[frame].0 as usize;
                continuation.saturating_sub(1)
            })
        });
        let mut sites = [pc, self.continuation.saturating_sub(1)].into_iter().chain(outer);
        sites.find(|pc| self.world.database.place(*pc).is_some())
    }

    /// The predicate of an instruction: the one that it calls, or the arithmetic predicate that it is part of.
    fn indicator_at(&self, pc: Pc) -> Option<(Atom, usize)> {
        let database = &self.world.database;
        let op = self.op(pc)?;
        let pred = match op.kind {
            InstructionKind::Call | InstructionKind::PairCall => self.called,
            InstructionKind::Builtin => op.n,
            _ => return database.position(pc).map(|position| position.goal),
        };
        let pred = database.pred(pred);
        Some((pred.name, pred.arity))
    }
}
