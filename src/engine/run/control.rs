//! Predicates that steer the machine, above all `call/N`; for exceptions, see `handler`.

use super::calls::Entered;
use super::goal::GoalForm;
use super::machine::Machine;
use crate::engine::code::{Pc, PredId};
use crate::engine::compile;
use crate::engine::compile::{ClauseError, ClauseParts};
use crate::engine::heap::{Cell, Stop, Tag, Term, error};
use crate::engine::state::{Control, FAILING, Namespace, is_body};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// A cache of the predicates of recently called goals, by functor and number of additional arguments.
pub(super) struct ResolvedGoals([(Cell, u8, PredId); 64]);

impl ResolvedGoals {
    fn place(functor: Cell, n: u8) -> usize {
        let mixed = (functor.0 ^ u64::from(n)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 58) as usize
    }

    #[inline(always)]
    fn find(&self, functor: Cell, n: u8) -> Option<PredId> {
        let (known, arguments, pred) = self.0[ResolvedGoals::place(functor, n)];
        (known == functor && arguments == n).then_some(pred)
    }

    fn keep(&mut self, functor: Cell, n: u8, pred: PredId) {
        self.0[ResolvedGoals::place(functor, n)] = (functor, n, pred);
    }
}

impl Default for ResolvedGoals {
    fn default() -> ResolvedGoals {
        ResolvedGoals([(Cell::NIL, 0, 0); 64])
    }
}

impl Machine {
    /// Runs a control predicate whose arguments are in the registers.
    pub(super) fn control(&mut self, control: Control) -> Entered {
        match control {
            Control::Call(n) => self.call(n),
            Control::Body(_) => unreachable!("call/1 compiles such goals, and clauses have them inline"),
            Control::Catch => {
                self.begin_catch();
                self.call(1)
            }
            Control::Throw => self.throw(),
            Control::FoldKeep => {
                self.fold_keep();
                Entered::Failure
            }
            Control::Cleanup(step) => self.cleanup_step(step),
            Control::Limit(step) => self.limit_step(step),
            Control::Table(step) => self.table_step(step),
            Control::PutAttributes => self.put_attributes(),
            Control::Choices => {
                let n = self.world.store.int(self.choices.len() as i64);
                if self.world.store.unify(self.x[0], n) { Entered::Return } else { Entered::Failure }
            }
        }
    }

    /// `call(G, A2, ..., An)`.
    fn call(&mut self, n: usize) -> Entered {
        let goal = self.world.store.deref(self.x[0]);
        let (name, own) = match self.world.store.look(goal) {
            Term::Atom(name) => (name, 0),
            Term::Compound(compound) => (compound.name, compound.arity),
            term => {
                let stop = match term {
                    Term::Var(_) => error::instantiation_error(),
                    _ => error::type_error(&self.world.store, "callable", goal),
                };
                self.blame_call(n);
                return self.stopped(stop);
            }
        };
        let arity = own + n - 1;
        if is_body(name, arity) {
            self.x[0] = self.with_arguments(goal, n);
            self.blame_call(n);
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

    /// The predicate of `call(G, A2, ..., An)`, with its arguments loaded, if the functor is in the cache.
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

    /// Reports errors about the goal itself as errors of `call/N`, even if another predicate does its work.
    fn blame_call(&mut self, n: usize) {
        self.called = self.world.database.pred_id(Namespace::Library, atoms::CALL, n);
    }

    /// Continues at the code of the goal in `X0`, compiled as a clause body.
    pub(super) fn call_body(&mut self) -> Result<(), Stop> {
        if self.limits.counts_levels() && !self.go_deeper(true) {
            self.pc = FAILING;
            return Ok(());
        }
        let goal = self.x[0];
        let world = &self.world;
        let look = |words: usize| world.store.watch.check().and_then(|()| world.check_room(words * BYTES_PER_WORD));
        let Some(form) = world.store.goal_form(goal, look)? else {
            return Err(error::type_error(&self.world.store, "acyclic_term", goal));
        };
        self.x[0] = self.world.store.list(&form.parts);
        self.cut_barrier = self.choices.len();
        self.pc = match self.forms.code(&form) {
            Some(code) => code,
            None => self.compile_form(form).map_err(|error| self.clause_error(error, goal))?,
        };
        Ok(())
    }

    /// Compiles goals of a form; the code of an uncommon form lives only until the next backtracking.
    fn compile_form(&mut self, form: GoalForm) -> Result<Pc, ClauseError> {
        let tree = form.tree();
        let body = tree.root();
        let (tree, head) = with_head(tree, form.parts.len());
        let parts = ClauseParts { head, body: Some(body) };
        if !self.forms.takes(&form) {
            return self.compile_temporary(&tree, parts, None);
        }
        let compiled = compile::compile(&mut self.world.database, Namespace::User, &tree, parts)?;
        let code = self.world.database.add_goal_code(&compiled);
        self.forms.add(form, code);
        Ok(code)
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

    /// Compiles a clause that is dropped on backtracking; `source` is the text from which it was read.
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
}

/// Estimated memory for compiling one word of a goal.
const BYTES_PER_WORD: usize = 256;

/// Adds a head `'$goal'([V0, V1, ...])` with the first `n` variables of a tree; returns the tree and the head.
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
