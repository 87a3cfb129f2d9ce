//! Predicates that steer the machine: `call/N`, `catch/3`, `throw/1`; and how errors find their handler.

use super::backtrace::Registers;
use super::calls::Entered;
use super::cell::{Cell, Tag};
use super::choices::Alternative;
use super::cleanup::{self, CleanupStep};
use super::code::Kind;
use super::compile::{self, ClauseError, ClauseParts};
use super::database::{FAILING, Namespace};
use super::error::{self, Stop};
use super::instr::{FAIL, PredId};
use super::limit::{self, LimitStep};
use super::machine::{Machine, OUTERMOST};
use super::store::Term;
use super::tabling::{self, TableChoice, TableStep};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// A predicate that the machine does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// `call/N`.
    Call(usize),
    /// A goal that is written with one of the operators of bodies, called as a predicate of its own.
    Body,
    /// `'$catch_mark'(Catcher, Recovery)`: from here to `'$catch_exit'`, balls are caught.
    CatchMark,
    /// `'$catch_exit'`.
    CatchExit,
    /// `throw/1`.
    Throw,
    /// `'$choices'(N)`: the number of choice points, which tells whether a goal in between has left one.
    Choices,
    /// `'$fold_keep'(Value)`: the value that a step of a fold has come to.
    FoldKeep,
    /// A step of `setup_call_cleanup/3`.
    Cleanup(CleanupStep),
    /// A step of a goal under a limit.
    Limit(LimitStep),
    /// A step of a tabled call.
    Table(TableStep),
}

/// Predicates of goals that were called lately, by their functors and numbers of further arguments.
pub(super) struct Resolved([(Cell, u8, PredId); 64]);

impl Resolved {
    fn place(functor: Cell, n: u8) -> usize {
        let mixed = (functor.0 ^ u64::from(n)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 58) as usize
    }

    #[inline(always)]
    fn find(&self, functor: Cell, n: u8) -> Option<PredId> {
        let (known, arguments, pred) = self.0[Resolved::place(functor, n)];
        (known == functor && arguments == n).then_some(pred)
    }

    fn keep(&mut self, functor: Cell, n: u8, pred: PredId) {
        self.0[Resolved::place(functor, n)] = (functor, n, pred);
    }
}

impl Default for Resolved {
    fn default() -> Resolved {
        Resolved([(Cell::NIL, 0, 0); 64])
    }
}

/// The functors whose goals are compiled as bodies.
const BODY_FUNCTORS: &[(&str, usize)] =
    &[(",", 2), (";", 2), ("|", 2), ("->", 2), ("*->", 2), ("\\+", 1), ("once", 1), ("ignore", 1), ("!", 0)];

impl Control {
    /// Name, arity and what it is, of each.
    pub(super) fn all() -> impl Iterator<Item = (&'static str, usize, Control)> {
        let calls = (1..=12).map(|n| ("call", n, Control::Call(n)));
        let bodies = BODY_FUNCTORS.iter().map(|&(name, arity)| (name, arity, Control::Body));
        let others = [
            ("$catch_mark", 2, Control::CatchMark),
            ("$catch_exit", 0, Control::CatchExit),
            ("throw", 1, Control::Throw),
            ("$choices", 1, Control::Choices),
            ("$fold_keep", 1, Control::FoldKeep),
        ];
        let cleanups = cleanup::STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Cleanup(step)));
        let limits = limit::STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Limit(step)));
        let tables = tabling::STEPS.iter().map(|&(name, arity, step)| (name, arity, Control::Table(step)));
        calls.chain(bodies).chain(others).chain(cleanups).chain(limits).chain(tables)
    }
}

impl Machine {
    /// Does a control predicate whose arguments are in the registers.
    pub(super) fn control(&mut self, control: Control) -> Entered {
        match control {
            Control::Call(n) => self.call(n),
            Control::Body => unreachable!("call/1 compiles such goals, and clauses have them inline"),
            Control::CatchMark => {
                self.push_choice(Alternative::Catch, 2);
                Entered::Return
            }
            Control::CatchExit => {
                if self.is_catch_on_top() {
                    self.cut_to(self.choices.len() - 1);
                }
                Entered::Return
            }
            Control::Throw => {
                let stop = self.throw();
                self.stopped(stop)
            }
            Control::FoldKeep => {
                self.fold_keep();
                Entered::Failure
            }
            Control::Cleanup(step) => self.cleanup_step(step),
            Control::Limit(step) => self.limit_step(step),
            Control::Table(step) => self.table_step(step),
            Control::Choices => {
                let n = self.world.store.int(self.choices.len() as i64);
                if self.world.store.unify(self.x[0], n) { Entered::Return } else { Entered::Failure }
            }
        }
    }

    /// Whether the newest choice point is that of the `catch/3` whose goal has just ended; its environment was left.
    fn is_catch_on_top(&self) -> bool {
        self.choices.last().is_some_and(|choice| {
            let frame = choice.environment;
            matches!(choice.alternative, Alternative::Catch)
                && self.environments[frame].0 as usize == self.environment
                && self.environments[frame + 1].0 as u32 == self.continuation
        })
    }

    fn throw(&mut self) -> Stop {
        if matches!(self.world.store.look(self.x[0]), Term::Var(_)) {
            return error::instantiation_error();
        }
        let ball = self.world.store.save(self.x[0]);
        self.note_throw(&ball);
        Stop::Throw(Box::new(ball))
    }

    /// `call(G, A2, ..., An)`.
    fn call(&mut self, n: usize) -> Entered {
        let goal = self.world.store.deref(self.x[0]);
        let (name, own) = match self.world.store.look(goal) {
            Term::Atom(name) => (name, 0),
            Term::Compound(compound) => (compound.name, compound.arity),
            term => {
                let is_variable = matches!(term, Term::Var(_));
                return self.stopped(if is_variable {
                    error::instantiation_error()
                } else {
                    error::type_error(&self.world.store, "callable", goal)
                });
            }
        };
        let arity = own + n - 1;
        if is_body(name, arity) {
            self.x[0] = self.with_arguments(goal, n);
            return Entered::Body;
        }
        if arity > compile::MAX_ARITY {
            return self.stopped(error::representation_error("max_procedure_arity"));
        }
        self.x.copy_within(1..n, own);
        if let Term::Compound(compound) = self.world.store.look(goal) {
            self.x[..own].copy_from_slice(self.world.store.args(compound));
        }
        let pred = self.world.database.pred_id(Namespace::User, name, arity);
        if goal.tag() != Tag::List {
            self.resolved.keep(self.functor_cell(goal), n as u8, pred);
        }
        self.call_pred(pred)
    }

    /// The functor of a goal as one cell: an atom or a header.
    #[inline(always)]
    fn functor_cell(&self, goal: Cell) -> Cell {
        match goal.tag() {
            Tag::Struct => self.world.store.heap.get(goal.index()).copied().unwrap_or(Cell::NIL),
            _ => goal,
        }
    }

    /// The predicate of `call(G, A2, ..., An)`, with its arguments put into the registers, if the same functor was called
    /// so lately.
    #[inline(always)]
    pub(super) fn resolve_goal(&mut self, n: u8) -> Option<PredId> {
        let goal = self.deref_x(0);
        let functor = self.functor_cell(goal);
        let pred = self.resolved.find(functor, n)?;
        let own = if goal.tag() == Tag::Struct { functor.header_arity() } else { 0 };
        let further = 1..n as usize;
        let first = goal.index() + 1;
        if own == 0 {
            further.for_each(|x| self.x[x - 1] = self.x[x]);
        } else if let Some(args) = self.world.store.heap.get(first..first + own) {
            further.rev().for_each(|x| self.x[own + x - 1] = self.x[x]);
            self.x.iter_mut().zip(args).for_each(|(x, arg)| *x = *arg);
        }
        Some(pred)
    }

    /// Compiles the goal in `X0` as the body of a clause that lives until the next backtracking, and goes there.
    pub(super) fn call_body(&mut self) -> Result<(), Stop> {
        if self.limits.counts_levels() && !self.go_deeper(true) {
            self.pc = FAILING;
            return Ok(());
        }
        let goal = self.x[0];
        let Some((tree, variables)) = self.world.store.save_acyclic_with_variables(goal) else {
            return Err(error::type_error(&self.world.store, "acyclic_term", goal));
        };
        let body = tree.root();
        let (tree, head) = with_head(tree, variables.len());
        let parts = ClauseParts { head, body: Some(body) };
        let code = self.compile_temporary(&tree, parts, None).map_err(|error| self.clause_error(error, goal))?;
        self.x[0] = self.world.store.list(&variables);
        self.cut_barrier = self.choices.len();
        self.pc = code;
        Ok(())
    }

    fn with_arguments(&mut self, goal: Cell, n: usize) -> Cell {
        if n == 1 {
            return goal;
        }
        let (name, mut args) = match self.world.store.look(goal) {
            Term::Compound(compound) => (compound.name, self.world.store.args(compound).to_vec()),
            Term::Atom(name) => (name, Vec::new()),
            _ => return goal,
        };
        args.extend_from_slice(&self.x[1..n]);
        self.world.store.compound(name, &args)
    }

    /// Compiles a clause that is forgotten on backtracking to before now; `source` is the text that it was read from.
    pub(super) fn compile_temporary(
        &mut self,
        tree: &Tree,
        parts: ClauseParts,
        source: Option<u32>,
    ) -> Result<u32, ClauseError> {
        let compiled = compile::compile(&mut self.world.database, Namespace::User, tree, parts)?;
        Ok(self.world.database.add_temporary_code(&compiled, source))
    }

    fn clause_error(&self, error: ClauseError, goal: Cell) -> Stop {
        match error {
            ClauseError::NotCallable(_) => error::type_error(&self.world.store, "callable", goal),
            ClauseError::TooManyArguments => error::representation_error("max_procedure_arity"),
        }
    }

    pub(super) fn unknown_predicate(&mut self, pred: PredId) -> Stop {
        let pred = self.world.database.pred(pred);
        let (name, arity) = (Cell::atom(pred.name), pred.arity as i64);
        let store = &mut self.world.store;
        let arity = store.int(arity);
        let indicator = store.compound(atoms::DIVIDE, &[name, arity]);
        error::existence_error(store, "procedure", indicator)
    }

    /// Goes on where a ball is caught; any other stop ends the query.
    pub(super) fn handle(&mut self, stop: Stop) -> Result<(), Stop> {
        let thrown = self.registers();
        let ball = match stop {
            Stop::Throw(ball) => ball,
            Stop::Halt(_) | Stop::OutputClosed => return Err(stop),
            Stop::Interrupt | Stop::Limit(_) => {
                self.note_uncaught(thrown);
                return Err(stop);
            }
        };
        self.shallow = FAIL;
        let ball = Box::new(self.with_context(*ball));
        self.unwind(ball, thrown)
    }

    /// Goes on where a ball is caught by a `catch/3` of the environments from that of `thrown` outwards.
    pub(super) fn unwind(&mut self, ball: Box<Tree>, thrown: Registers) -> Result<(), Stop> {
        let mut frame = thrown.environment;
        while let Some(choice) = self.choices.last() {
            match choice.alternative {
                Alternative::Bottom => break,
                Alternative::Limit(_) => self.leave_limit(self.choices.len() - 1),
                Alternative::Table(TableChoice::Evaluate { table }) => self.leave_evaluation(table),
                Alternative::Cleanup => {
                    let outside = self.cleanup_after_throw(&ball, frame);
                    self.note_catch(*ball, thrown, outside);
                    return Ok(());
                }
                Alternative::Catch if self.may_be_caught(&ball) => {
                    let target = choice.environment;
                    frame = self.ancestor_frame(frame, target);
                    if frame == target && self.try_catch(&ball, thrown) {
                        let is_short_of_memory = is_resource_error(&ball);
                        self.note_catch(*ball, thrown, target);
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
        Err(Stop::Throw(ball))
    }

    /// Whether the `catch/3` of the newest choice point may take the ball.
    fn may_be_caught(&self, ball: &Tree) -> bool {
        let choice = self.choices.len() - 1;
        self.world.tables.failing.is_none_or(|failing| choice >= failing.height)
            && self.limits.may_be_caught(ball, choice)
    }

    /// The first environment from `frame` outwards that is not younger than `target`.
    ///
    /// A `catch/3` is still running exactly if its environment is among those that the present goal returns to.
    pub(super) fn ancestor_frame(&self, mut frame: usize, target: usize) -> usize {
        while frame != OUTERMOST && frame > target {
            frame = self.environments[frame].0 as usize;
        }
        frame
    }

    /// Unifies the ball with the catcher of the newest choice point and calls its recovery; `false` if they differ.
    fn try_catch(&mut self, ball: &Tree, thrown: Registers) -> bool {
        self.restore();
        let saved = self.choices.last().expect("the caller has seen one").saved;
        let (catcher, recovery) = (self.saved[saved], self.saved[saved + 1]);
        let (ball, _) = self.world.store.load(ball);
        let catcher = self.last_catcher(catcher, thrown);
        if !self.world.store.unify(catcher, ball) {
            return false;
        }
        self.cut_to(self.choices.len() - 1);
        let frame = self.environment;
        self.continuation = self.environments[frame + 1].0 as u32;
        self.environment = self.environments[frame].0 as usize;
        self.x[0] = recovery;
        let call = self.world.database.pred_id(Namespace::Library, atoms::CALL, 1);
        self.pc = self.begin_call(call);
        true
    }

    /// The catcher in `'$uncaught'(Catcher)`: whoever catches with that only tells of the ball, and the goals with it.
    fn last_catcher(&mut self, catcher: Cell, thrown: Registers) -> Cell {
        match self.world.store.look(catcher) {
            Term::Compound(compound) if (compound.name, compound.arity) == (atoms::UNCAUGHT, 1) => {
                self.note_uncaught(thrown);
                self.world.store.arg(compound, 0)
            }
            _ => catcher,
        }
    }

    /// Fills the second argument of `error/2` in with the predicate and the place of the goal that raised it; the
    /// text of a `'$message'(Text)` that stands there is kept behind them.
    fn with_context(&mut self, mut ball: Tree) -> Tree {
        let root = ball.root();
        let (Some((atoms::ERROR, 2)), &[formal, context]) = (ball.functor(root), ball.args(root)) else { return ball };
        let message = match ball.functor(context) {
            Some((atoms::MESSAGE, 1)) => Some(ball.args(context)[0]),
            _ if matches!(ball.node(context), Node::Var(_)) => None,
            _ => return ball,
        };
        let pc = self.pc.saturating_sub(1);
        let indicator = self.indicator_at(pc);
        let place = self.place_of_goal(pc);
        let span = Span::default();
        let indicator = match indicator {
            Some((name, arity)) => {
                let name = ball.push(Node::Atom(name), span);
                let arity = ball.push(Node::Int(arity as i64), span);
                ball.push_compound(atoms::DIVIDE, &[name, arity], span)
            }
            None => error::fresh_variable(&mut ball),
        };
        let place = match place {
            Some(place) => ball.push(Node::Atom(Atom::new(&place)), span),
            None => error::fresh_variable(&mut ball),
        };
        let parts: Vec<NodeId> = [indicator, place].into_iter().chain(message).collect();
        let context = ball.push_compound(atoms::CONTEXT, &parts, span);
        ball.push_compound(atoms::ERROR, &[formal, context], span);
        ball
    }

    /// Where the innermost goal of a script or query stands that the present instruction runs for.
    fn place_of_goal(&self, pc: u32) -> Option<String> {
        let mut frame = self.environment;
        let outer = std::iter::from_fn(|| {
            (frame != OUTERMOST).then(|| {
                let continuation = self.environments[frame + 1].0 as u32;
                frame = self.environments[frame].0 as usize;
                continuation.saturating_sub(1)
            })
        });
        let (script, span) = [pc, self.continuation.saturating_sub(1)]
            .into_iter()
            .chain(outer)
            .find_map(|pc| self.world.database.place(pc))?;
        self.world.place(script, span)
    }

    /// The predicate that the instruction belongs to: the one called, or that of the arithmetic it is part of.
    fn indicator_at(&self, pc: u32) -> Option<(Atom, usize)> {
        let database = &self.world.database;
        let op = database.code.get(pc)?;
        let pred = match op.kind {
            Kind::Call => self.called,
            Kind::Builtin => op.n,
            _ => return database.position(pc).map(|position| position.goal),
        };
        let pred = database.pred(pred);
        Some((pred.name, pred.arity))
    }
}

fn is_resource_error(ball: &Tree) -> bool {
    let formal = ball.args(ball.root()).first();
    formal.is_some_and(|formal| matches!(ball.functor(*formal), Some((atoms::RESOURCE_ERROR, 1))))
}

fn is_body(name: Atom, arity: usize) -> bool {
    arity <= 2 && BODY_FUNCTORS.iter().any(|&(functor, n)| n == arity && functor == name.as_str())
}

/// The tree with a head `'$goal'([V0, V1, ...])` of its first `n` variables beside its root.
pub(super) fn with_head(mut tree: Tree, n: usize) -> (Tree, NodeId) {
    let span = Span::default();
    let nil = tree.push(Node::Atom(atoms::NIL), span);
    let list = (0..n as u32).rev().fold(nil, |tail, number| {
        let variable = tree.push(Node::Var(number), span);
        tree.push_compound(atoms::DOT, &[variable, tail], span)
    });
    let head = tree.push_compound(Atom::new("$goal"), &[list], span);
    (tree, head)
}
