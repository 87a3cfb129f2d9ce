//! The backtrace of an uncaught stop, reconstructed from the environments.
//!
//! Nothing is recorded for it while goals run: each environment holds the return address after the call that its clause
//! waits for. A last call therefore has no line, because it leaves no environment.

use std::collections::VecDeque;

use super::machine::{Machine, OUTERMOST};
use super::op::InstructionKind;
use crate::engine::code::{Pc, PredId};
use crate::engine::heap::{Cell, Frozen, Stop};
use crate::engine::state::{Database, Definition, GoalLine, GoalTrace, Namespace, QueryProgress, Stopped};
use crate::term::letters::atom_text;

/// How many sites are kept at each end of a long backtrace; many of them may belong to the library and share one line.
const INNER_SITES: usize = 200;
const OUTER_SITES: usize = 100;
/// The size in cells of the largest ball that is recognised when it is rethrown.
const MOST_COMPARED: usize = 1000;

/// The current ball, and what is remembered about the ball caught last, because its handler may rethrow it.
#[derive(Debug, Default)]
pub(super) struct Caught {
    pub(super) ball: Frozen,
    /// Whether the ball is known to be uncaught.
    pub(super) is_uncaught: bool,
    /// The backtrace of the stop that ends the query, and how far the query had come.
    uncaught: (GoalTrace, QueryProgress),
    latest: CaughtBall,
    /// Whether a thrown ball may be the last caught one.
    may_return: bool,
    /// The backtrace of the ball being rethrown, from before it was caught.
    rethrown: Option<Sites>,
    /// Backtraces of balls that are delayed by a cleanup, each with the environment from which unwinding continues.
    /// Balls thrown within the cleanup come later, and from a younger environment.
    delayed: Vec<(usize, Sites)>,
}

/// A caught ball, its backtrace, and where its recovery was called.
#[derive(Debug, Default)]
struct CaughtBall {
    ball: Frozen,
    sites: Sites,
    recovery: GoalRegisters,
}

/// The registers that determine which goals are running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoalRegisters {
    pc: Pc,
    continuation: Pc,
    pub(super) environment: usize,
}

impl GoalRegisters {
    /// The registers of a ball that continues from an environment.
    pub(super) fn of_frame(environment: usize) -> GoalRegisters {
        GoalRegisters { pc: 0, continuation: 0, environment }
    }
}

/// An instruction at which a goal waits, and how many consecutive calls wait there.
#[derive(Clone, Copy, Debug)]
struct WaitingSite {
    pc: Pc,
    times: usize,
    /// The current instruction, if this site is the continuation. If the clause of the current instruction has an
    /// environment, the continuation is an address in that clause, and no call waits there.
    leaf: Option<Pc>,
}

/// The instructions at which goals wait, innermost first.
#[derive(Clone, Debug, Default)]
struct Sites {
    inner: Vec<WaitingSite>,
    outer: VecDeque<WaitingSite>,
    omitted: usize,
}

impl Sites {
    /// Drops the content and keeps the capacity.
    fn clear(&mut self) {
        self.inner.clear();
        self.outer.clear();
        self.omitted = 0;
    }

    fn push(&mut self, site: WaitingSite) {
        let last = if self.outer.is_empty() { self.inner.last_mut() } else { self.outer.back_mut() };
        if let Some(known) = last.filter(|known| known.pc == site.pc && known.leaf.or(site.leaf).is_none()) {
            known.times += site.times;
        } else if self.inner.len() < INNER_SITES {
            self.inner.push(site);
        } else {
            self.outer.push_back(site);
            if self.outer.len() > OUTER_SITES {
                self.omitted += self.outer.pop_front().map_or(0, |site| site.times);
            }
        }
    }
}

impl Machine {
    /// The present registers, saved while the search for a handler changes them.
    pub(super) fn registers(&self) -> GoalRegisters {
        GoalRegisters { pc: self.pc, continuation: self.continuation, environment: self.environment }
    }

    /// Records that `throw/1` throws the ball. It may be the ball caught last: an error that already has its place, or
    /// any ball whose recovery only rethrows it.
    pub(super) fn note_throw(&mut self) {
        let is_here = self.caught.latest.recovery == self.place_of_recovery();
        let caught = &mut self.caught;
        let is_rethrown = std::mem::take(&mut caught.may_return)
            && (is_here || caught.ball.has_place())
            && caught.latest.ball.is_like(&caught.ball, MOST_COMPARED);
        caught.rethrown = is_rethrown.then(|| std::mem::take(&mut caught.latest.sites));
    }

    /// Records that the ball, thrown at `thrown`, is delayed by a cleanup, and continues from the environment `frame`.
    pub(super) fn note_cleanup(&mut self, thrown: GoalRegisters, frame: usize) {
        let mut sites = Sites::default();
        self.find_sites(thrown, frame, &mut sites);
        while self.caught.delayed.pop_if(|(other, _)| *other >= frame).is_some() {}
        self.caught.delayed.push((frame, sites));
    }

    /// Records that the ball continues after a cleanup, from the environment `frame`.
    pub(super) fn note_cleanup_end(&mut self, frame: usize) {
        while self.caught.delayed.pop_if(|(other, _)| *other > frame).is_some() {}
        let last = self.caught.delayed.pop_if(|(other, _)| *other == frame);
        self.caught.rethrown = last.map(|(_, sites)| sites);
    }

    /// Where a recovery is called; the instruction itself does not matter.
    fn place_of_recovery(&self) -> GoalRegisters {
        GoalRegisters { pc: 0, ..self.registers() }
    }

    /// Records that the ball, thrown at `thrown`, was caught by the `catch/3` of the environment `frame`.
    pub(super) fn note_catch(&mut self, thrown: GoalRegisters, frame: usize) {
        let mut sites = std::mem::take(&mut self.caught.latest.sites);
        self.find_sites(thrown, frame, &mut sites);
        let recovery = self.place_of_recovery();
        let Caught { ball, latest, may_return, .. } = &mut self.caught;
        *may_return = ball.growth() <= MOST_COMPARED * size_of::<Cell>();
        std::mem::swap(ball, &mut latest.ball);
        if !*may_return {
            latest.ball = Frozen::default();
        }
        (latest.sites, latest.recovery) = (sites, recovery);
    }

    /// Keeps the backtrace of an uncaught stop at `thrown`, until the query ends.
    pub(super) fn note_uncaught(&mut self, thrown: GoalRegisters) {
        self.caught.uncaught = (self.backtrace(thrown), self.progress());
    }

    /// A stop that ends the query, with its backtrace.
    pub(super) fn stopped_by(&mut self, stop: Stop) -> Stopped {
        let (goals, progress) = std::mem::take(&mut self.caught.uncaught);
        Stopped { stop, goals, progress }
    }

    /// The backtrace of a stop at `thrown`.
    pub(super) fn backtrace(&mut self, thrown: GoalRegisters) -> GoalTrace {
        let mut sites = Sites::default();
        self.find_sites(thrown, OUTERMOST, &mut sites);
        goal_trace(&sites, self)
    }

    fn progress(&self) -> QueryProgress {
        let start = self.choices.first().map_or(0, |bottom| bottom.cursor);
        let own = self.world.desk.cursor.checked_sub(1).filter(|_| self.world.desk.cursor != start);
        let event = own.or_else(|| self.answers.iter().find_map(|answers| answers.event()));
        let chrono = event.zip(self.world.desk.trace()).map(|(event, trace)| trace.chrono(event));
        QueryProgress { chrono, steps: self.world.inferences - self.running.inferences_before }
    }

    /// Sets `sites` to those from the current instruction outwards to the environment `end`, after those that a
    /// rethrown ball passed before.
    fn find_sites(&mut self, from: GoalRegisters, end: usize, sites: &mut Sites) {
        let site = |pc: Pc, leaf| WaitingSite { pc: pc.saturating_sub(1), times: 1, leaf };
        match self.caught.rethrown.take() {
            Some(before) => *sites = before,
            None => sites.clear(),
        }
        sites.push(site(from.pc, None));
        sites.push(site(from.continuation, Some(from.pc.saturating_sub(1))));
        let mut frame = from.environment;
        while frame != OUTERMOST && frame != end {
            sites.push(site(self.environments[frame + 1].0 as Pc, None));
            frame = self.environments[frame].0 as usize;
        }
    }
}

/// Whether the clause of an instruction allocates an environment before that instruction.
fn has_environment(machine: &Machine, pc: Pc) -> bool {
    let Some(op) = machine.op(pc) else { return false };
    if op.is_last_call() {
        return false;
    }
    let start = machine.world.database.clause_starts(&[pc])[0].map_or(pc, |(start, _)| start);
    (start..pc).any(|pc| machine.op(pc).is_some_and(|op| op.kind == InstructionKind::Open))
}

/// A described site.
struct DescribedSite {
    indicator: Option<String>,
    place: Option<String>,
    times: usize,
    /// The namespace of its clause.
    namespace: Namespace,
    /// The library predicate called there.
    callee: Option<String>,
}

fn goal_trace(sites: &Sites, machine: &Machine) -> GoalTrace {
    let mut inner = fold(find(sites.inner.iter(), machine));
    let mut outer = fold(find(sites.outer.iter(), machine));
    if machine.world.sources.query().is_some_and(|source| source.name.is_empty()) {
        let whole = if sites.outer.is_empty() { &mut inner } else { &mut outer };
        let own = whole.iter().rev().take_while(|line| line.is_library()).count();
        whole.truncate(whole.len() - own);
    }
    GoalTrace::new(inner, sites.omitted, outer)
}

/// Describes each site; sites of goals compiled for a call are skipped.
fn find<'a>(sites: impl Iterator<Item = &'a WaitingSite>, machine: &Machine) -> Vec<DescribedSite> {
    let world = &machine.world;
    let database = &world.database;
    let sites: Vec<&WaitingSite> =
        sites.filter(|site| !site.leaf.is_some_and(|pc| has_environment(machine, pc))).collect();
    let pcs: Vec<Pc> = sites.iter().map(|site| site.pc).collect();
    let found =
        sites.iter().zip(database.clause_starts(&pcs)).filter_map(|(&&WaitingSite { pc, times, .. }, start)| {
            let place = database.place(pc).and_then(|(script, span)| world.sources.place(script, span));
            // The code of a script that was unloaded follows that of another predicate, and would be taken for a part of
            // it.
            let is_owner = |pred: &PredId| place.is_none() || namespace(database, *pred) == Namespace::User;
            let owner = start.map(|(_, pred)| pred).filter(is_owner);
            if owner.is_none() && place.is_none() {
                return None;
            }
            let namespace = owner.map_or(Namespace::User, |pred| namespace(database, pred));
            let indicator = owner.map(|pred| indicator(database, pred));
            Some(DescribedSite { indicator, place, times, namespace, callee: library_callee(machine, pc) })
        });
    found.collect()
}

fn namespace(database: &Database, pred: PredId) -> Namespace {
    let is_users = database.is_users(pred) && !matches!(database.pred(pred).definition, Definition::Library(_));
    if is_users { Namespace::User } else { Namespace::Library }
}

fn indicator(database: &Database, pred: PredId) -> String {
    let pred = database.pred(pred);
    format!("{}/{}", atom_text(pred.name.as_str()), pred.arity)
}

fn library_callee(machine: &Machine, pc: Pc) -> Option<String> {
    let database = &machine.world.database;
    let op = machine.op(pc).filter(|op| op.is_call())?;
    (namespace(database, op.n) == Namespace::Library).then(|| indicator(database, op.n))
}

/// Merges adjacent library sites into one line, named after the predicate that user code called.
fn fold(found: Vec<DescribedSite>) -> Vec<GoalLine> {
    let mut lines = Vec::new();
    let mut library = None;
    for DescribedSite { indicator, place, times, namespace, callee } in found {
        if namespace == Namespace::Library {
            library = Some(indicator.filter(|name| !is_internal(name)).or(library.flatten()));
            continue;
        }
        let called = library.take().and_then(|outermost| callee.or(outermost));
        lines.extend(called.filter(|name| !is_internal(name)).map(GoalLine::library));
        push(&mut lines, indicator, place, times);
    }
    lines.extend(library.flatten().map(GoalLine::library));
    lines
}

/// Adds a line, or increments its count if it repeats the previous one.
fn push(lines: &mut Vec<GoalLine>, indicator: Option<String>, place: Option<String>, n: usize) {
    match lines.last_mut() {
        Some(GoalLine::In { indicator: known, place: at, times }) if *known == indicator && *at == place => *times += n,
        _ => lines.push(GoalLine::In { indicator, place, times: n }),
    }
}

/// Whether `Name/Arity` is internal to the library, or only guards a goal.
fn is_internal(indicator: &str) -> bool {
    indicator == "catch/3"
        || indicator.starts_with("'$")
        || indicator.rsplit_once('/').is_some_and(|(name, _)| name.ends_with('_'))
}
