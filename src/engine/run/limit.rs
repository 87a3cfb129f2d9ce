//! Limits of goals: `call_with_inference_limit/3`, `call_with_time_limit/2`, `call_with_depth_limit/3`.
//!
//! A limit holds from `'$limit_begin'` to `'$limit_end'`, and again when the goal in between is resumed. It is checked
//! where calls poll the limits of the session: an inference limit brings the next poll forward, and a depth limit makes
//! every call poll. A time limit is also polled within predicates, see [`Watch`](crate::engine::heap::Watch).

use std::time::{Duration, Instant};

use super::calls::{Entered, FUEL};
use super::choices::Alternative;
use super::machine::{HEADER, Machine, OUTERMOST};
use crate::engine::code::PredId;
use crate::engine::heap::{Cell, Frozen, QueryLimit, Stop, Term};
use crate::engine::state::{Control, Definition, LEVEL_CODE, LimitStep, Namespace, Native};
use crate::term::{Atom, Node, Span, Tree, atoms};

/// The active limits, innermost last.
#[derive(Debug)]
pub(super) struct ActiveLimits {
    scopes: Vec<LimitScope>,
    serial: i64,
    /// Calls granted from the last poll to the next.
    given: u32,
    /// Whether the limit that ended last without a solution was exceeded.
    was_exceeded: bool,
    /// A limit whose exception the goal has caught once, as its choice point and the exception; only outer handlers may
    /// catch it now.
    insistent: Option<(usize, Atom)>,
}

#[derive(Clone, Copy, Debug)]
struct LimitScope {
    /// The height of its choice point.
    choice: usize,
    serial: i64,
    amount: i64,
    kind: LimitKind,
    has_thrown: bool,
    /// When a builtin is ended midway after the goal has caught the exception; until then, its handler may still act.
    grace: Option<Instant>,
}

/// How long a single step may take in a goal that has caught the exception of its time limit.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
enum LimitKind {
    /// The largest permitted number of calls.
    Inferences(u64),
    Time(Instant),
    /// The level of the environment that the goal starts from, and the deepest level below it.
    Depth {
        base: i64,
        deepest: i64,
    },
}

/// What happens at the choice points of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitChoice {
    /// The goal has no more solutions.
    Begun,
    /// The goal is resumed.
    Left,
}

impl Default for ActiveLimits {
    fn default() -> ActiveLimits {
        ActiveLimits { scopes: Vec::new(), serial: 0, given: FUEL, was_exceeded: false, insistent: None }
    }
}

impl ActiveLimits {
    /// Whether calls track their depth.
    pub(super) fn counts_levels(&self) -> bool {
        self.scopes.iter().any(|scope| matches!(scope.kind, LimitKind::Depth { .. }))
    }

    pub(super) fn clear(&mut self) {
        self.scopes.clear();
        self.insistent = None;
    }

    /// The exception of the outermost exceeded limit.
    fn ball(&mut self, inferences: u64) -> Option<Atom> {
        let (scope, ball) = self.scopes.iter_mut().find_map(|scope| match scope.kind {
            LimitKind::Inferences(until) if inferences > until => Some((scope, "inference_limit_exceeded")),
            LimitKind::Time(until) if Instant::now() > until => Some((scope, "time_limit_exceeded")),
            _ => None,
        })?;
        let ball = Atom::new(ball);
        if std::mem::replace(&mut scope.has_thrown, true) {
            self.insistent = Some((scope.choice, ball));
        }
        scope.grace.get_or_insert_with(|| Instant::now() + GRACE);
        Some(ball)
    }

    /// When builtins have to stop.
    fn deadline(&self) -> Option<Instant> {
        let of = |scope: &LimitScope| match scope.kind {
            LimitKind::Time(until) => scope.grace.or(Some(until)),
            _ => None,
        };
        self.scopes.iter().filter_map(of).min()
    }

    /// Whether the innermost time limit has expired before its goal ended, and has not been reported.
    fn is_overdue(&self) -> bool {
        let is_over = |until: Instant| Instant::now() > until;
        self.scopes
            .last()
            .is_some_and(|scope| matches!(scope.kind, LimitKind::Time(until) if !scope.has_thrown && is_over(until)))
    }

    /// Whether an exception may be caught by the catch frame at the choice point `choice`.
    pub(super) fn may_be_caught(&self, ball: &Frozen, choice: usize) -> bool {
        self.insistent.is_none_or(|(limit, own)| choice < limit || ball.root() != Some(Cell::atom(own)))
    }

    /// Ends the innermost limit if its choice point is at height `choice`.
    fn end_at(&mut self, choice: usize, inferences: u64) {
        let Some(scope) = self.scopes.pop_if(|scope| scope.choice == choice) else { return };
        self.insistent = self.insistent.filter(|(limit, _)| *limit < choice);
        self.was_exceeded = match scope.kind {
            LimitKind::Inferences(until) => inferences > until,
            LimitKind::Time(until) => Instant::now() > until,
            LimitKind::Depth { deepest, .. } => deepest > scope.amount,
        };
    }
}

impl Machine {
    /// Runs a step whose arguments are in the registers.
    pub(super) fn limit_step(&mut self, step: LimitStep) -> Entered {
        let holds = match step {
            LimitStep::Begin => self.begin_limit(),
            LimitStep::End if self.limits.is_overdue() => return self.stopped(Stop::Limit(QueryLimit::GoalTime)),
            LimitStep::End => self.end_limit(),
            LimitStep::WasExceeded => self.limits.was_exceeded,
        };
        if holds { Entered::Return } else { Entered::Failure }
    }

    fn begin_limit(&mut self) -> bool {
        self.limits.serial += 1;
        let serial = self.limits.serial;
        let amount = self.integer_in(1);
        let kind = match self.world.store.functor(self.x[0]) {
            Some((name, _)) if name.as_str() == "time" => {
                let nanoseconds = u64::try_from(amount).unwrap_or(0);
                LimitKind::Time(Instant::now() + Duration::from_nanos(nanoseconds))
            }
            Some((name, _)) if name.as_str() == "depth" => LimitKind::Depth { base: self.level() + 1, deepest: 0 },
            _ => LimitKind::Inferences(0),
        };
        let variable = self.x[2];
        let choice = self.choices.len();
        self.push_choice(Alternative::Limit(LimitChoice::Begun), 0);
        self.enter_scope(LimitScope { choice, serial, amount, kind, has_thrown: false, grace: None });
        let serial = self.world.store.int(serial);
        self.world.store.unify(variable, serial)
    }

    fn enter_scope(&mut self, mut scope: LimitScope) {
        self.count_inferences();
        if let LimitKind::Inferences(until) = &mut scope.kind {
            *until = self.world.inferences.saturating_add(u64::try_from(scope.amount).unwrap_or(0));
        }
        self.limits.scopes.push(scope);
        self.refill();
    }

    /// Adds the calls made since the last poll to the total.
    fn count_inferences(&mut self) {
        let left = self.fuel + self.held_fuel;
        self.world.inferences += u64::from(self.limits.given.saturating_sub(left));
        self.limits.given = left;
    }

    /// Sets the number of calls until the next poll of limits.
    fn refill(&mut self) {
        let until = |scope: &LimitScope| match scope.kind {
            LimitKind::Inferences(until) if until >= self.world.inferences => {
                (until - self.world.inferences).saturating_add(1)
            }
            LimitKind::Depth { .. } => 1,
            _ => u64::from(FUEL),
        };
        self.world.store.watch.goal_deadline = self.limits.deadline();
        let next = self.limits.scopes.iter().map(until).min().unwrap_or(u64::MAX).min(u64::from(FUEL));
        self.limits.given = next as u32;
        self.fuel = self.limits.given.min(self.chain);
        self.held_fuel = self.limits.given - self.fuel;
    }

    /// Polls limits at a call; returns the predicate to call, which is `fail/0` beyond a depth limit.
    #[cold]
    pub(super) fn poll_limits(&mut self, id: PredId) -> Result<PredId, Stop> {
        self.called = id;
        self.collect_garbage_if_due(id);
        let before = self.world.inferences / u64::from(FUEL);
        if !self.limits.counts_levels() {
            self.poll()?;
            return Ok(id);
        }
        self.take_fuel()?;
        if self.world.inferences / u64::from(FUEL) != before {
            self.poll()?;
        }
        let definition = &self.world.database.pred(id).definition;
        let is_call = match definition {
            Definition::Native(Native::Control(Control::Call(_))) => true,
            Definition::Native(Native::Control(_)) => return Ok(id),
            Definition::Native(_) => false,
            _ => true,
        };
        Ok(if self.go_deeper(is_call) { id } else { self.world.database.pred_id(Namespace::Library, atoms::FAIL, 0) })
    }

    /// Counts the calls made, and throws if a limit of the goal is exceeded.
    pub(super) fn take_fuel(&mut self) -> Result<(), Stop> {
        self.count_inferences();
        self.refill();
        match self.limits.ball(self.world.inferences) {
            None => Ok(()),
            Some(ball) => {
                self.world.store.watch.goal_deadline = self.limits.deadline();
                let mut tree = Tree::new();
                tree.push(Node::Atom(ball), Span::default());
                Err(Stop::Throw(Box::new(tree)))
            }
        }
    }

    /// Whether a call may go a level deeper; allocates an environment that records the level if the call has a body.
    pub(super) fn go_deeper(&mut self, has_body: bool) -> bool {
        let level = self.level() + 1;
        let mut may = true;
        for scope in &mut self.limits.scopes {
            if let LimitKind::Depth { base, deepest } = &mut scope.kind {
                *deepest = (*deepest).max(level - *base);
                may &= level - *base <= scope.amount;
            }
        }
        if may && has_body {
            self.allocate(1);
            self.environments[self.environment + HEADER] = Cell::small_int(level);
            self.continuation = LEVEL_CODE;
        }
        may
    }

    /// The level of the innermost call that records one.
    fn level(&self) -> i64 {
        let (mut continuation, mut frame) = (self.continuation, self.environment);
        while frame != OUTERMOST {
            if continuation == LEVEL_CODE {
                return self.environments[frame + HEADER].int_value();
            }
            continuation = self.environments[frame + 1].0 as u32;
            frame = self.environments[frame].0 as usize;
        }
        0
    }

    fn end_limit(&mut self) -> bool {
        let serial = self.integer_in(0);
        let (last, deepest) = (self.x[1], self.x[2]);
        let Some(scope) = self.limits.scopes.pop_if(|scope| scope.serial == serial) else { return true };
        self.count_inferences();
        self.refill();
        let is_last = scope.choice + 1 == self.choices.len();
        let base = match scope.kind {
            LimitKind::Depth { base, deepest: reached } => {
                let reached = self.world.store.int(reached);
                self.world.store.unify(deepest, reached);
                base
            }
            _ => 0,
        };
        if is_last {
            self.cut_to(scope.choice);
        } else {
            let numbers = [scope.serial, scope.amount, base, scope.choice as i64].map(|n| self.world.store.int(n));
            self.x[..4].copy_from_slice(&numbers);
            self.x[4] = Cell::atom(Atom::new(if matches!(scope.kind, LimitKind::Depth { .. }) {
                "depth"
            } else {
                "inferences"
            }));
            self.push_choice(Alternative::Limit(LimitChoice::Left), 5);
        }
        self.world.store.unify(last, Cell::atom(if is_last { atoms::CUT } else { atoms::TRUE }))
    }

    /// Backtracks to a limit's choice point, which is on top and whose state is restored.
    pub(super) fn backtrack_over_limit(&mut self, choice: LimitChoice) -> Result<(), Stop> {
        let height = self.choices.len() - 1;
        match choice {
            LimitChoice::Begun if self.limits.is_overdue() => return Err(Stop::Limit(QueryLimit::GoalTime)),
            LimitChoice::Begun => {
                self.leave_limit(height);
                self.refill();
            }
            LimitChoice::Left => {
                let saved = self.choices[height].saved;
                self.x[..5].copy_from_slice(&self.saved[saved..saved + 5]);
                let [serial, amount, base, choice] = [0, 1, 2, 3].map(|x| self.integer_in(x));
                let kind = match self.world.store.functor(self.x[4]) {
                    Some((name, _)) if name.as_str() == "depth" => LimitKind::Depth { base, deepest: 1 },
                    _ => LimitKind::Inferences(0),
                };
                self.enter_scope(LimitScope {
                    choice: choice as usize,
                    serial,
                    amount,
                    kind,
                    has_thrown: false,
                    grace: None,
                });
            }
        }
        self.cut_to(height);
        Ok(())
    }

    /// Ends a limit whose choice point at `choice` is dropped.
    pub(super) fn leave_limit(&mut self, choice: usize) {
        self.count_inferences();
        self.limits.end_at(choice, self.world.inferences);
        self.world.store.watch.goal_deadline = self.limits.deadline();
    }

    pub(super) fn integer_in(&self, x: usize) -> i64 {
        match self.world.store.look(self.x[x]) {
            Term::Int(value) => value,
            _ => 0,
        }
    }
}
