//! The goals that led to a stop, read off the environments once it is known that nothing catches it.
//!
//! Nothing is kept for it while goals run: an environment holds the instruction to go on at, which lies behind the call
//! that is waited for. So a goal that was the last of its clause leaves no line, as it leaves no environment.

use std::collections::VecDeque;

use super::cell::Cell;
use super::code::Kind;
use super::copy::Frozen;
use super::database::{Database, Definition, Namespace};
use super::goal_trace::{GoalLine, GoalTrace, Progress};
use super::instr::{Pc, PredId};
use super::machine::{Machine, OUTERMOST};
use super::world::World;
use crate::term::letters::atom_text;

/// Instructions kept at the inner and the outer end: many of them may be the library's, and make one line.
const INNER_SITES: usize = 200;
const OUTER_SITES: usize = 100;
/// Cells of the largest ball that is recognised when it is thrown again.
const MOST_COMPARED: usize = 1000;

/// The ball that flies, and what a machine remembers of the last one that was caught, as its handler may throw it again.
#[derive(Debug, Default)]
pub(super) struct Caught {
    pub(super) ball: Frozen,
    /// Whether it was found that nobody catches the ball.
    pub(super) by_nobody: bool,
    latest: Passage,
    /// Whether a ball that is thrown may be the latest.
    may_return: bool,
    /// Where the ball that is being thrown came through before.
    again: Option<Sites>,
    /// The goals that balls came through which wait for a cleanup, each with the environment that it flies on from;
    /// those of balls that fly inside of the cleanup come later, and from a younger environment.
    waiting: Vec<(usize, Sites)>,
}

/// A ball that was caught, the goals that it came through, and where its recovery was called.
#[derive(Debug, Default)]
struct Passage {
    ball: Frozen,
    sites: Sites,
    recovery: Registers,
}

/// The registers that tell which goals are running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    pc: Pc,
    continuation: Pc,
    pub(super) environment: usize,
}

impl Registers {
    /// Those of a ball that flies on from an environment.
    pub(super) fn of_frame(environment: usize) -> Registers {
        Registers { pc: 0, continuation: 0, environment }
    }
}

/// An instruction at which a goal waits, and how many calls in a row wait there.
#[derive(Clone, Copy, Debug)]
struct Site {
    pc: Pc,
    times: usize,
    /// The instruction that was being done, where this is the continuation: if the clause of that one has an
    /// environment, the continuation is a place in it, and nothing waits there.
    leaf: Option<Pc>,
}

/// Where goals wait, the innermost first.
#[derive(Clone, Debug, Default)]
struct Sites {
    inner: Vec<Site>,
    outer: VecDeque<Site>,
    omitted: usize,
}

impl Sites {
    /// Forgets everything but the room for it.
    fn clear(&mut self) {
        self.inner.clear();
        self.outer.clear();
        self.omitted = 0;
    }

    fn push(&mut self, site: Site) {
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
    /// The registers as they are, to be kept while the search for a handler changes them.
    pub(super) fn registers(&self) -> Registers {
        Registers { pc: self.pc, continuation: self.continuation, environment: self.environment }
    }

    /// Notes that `throw/1` throws the ball. It may be the one that was caught last: an error that has its place already,
    /// or any ball that the recovery is nothing but the throwing of.
    pub(super) fn note_throw(&mut self) {
        let is_here = self.caught.latest.recovery == self.place_of_recovery();
        let caught = &mut self.caught;
        let is_again = std::mem::take(&mut caught.may_return)
            && (is_here || caught.ball.has_place())
            && caught.latest.ball.is_like(&caught.ball, MOST_COMPARED);
        caught.again = is_again.then(|| std::mem::take(&mut caught.latest.sites));
    }

    /// Notes that the ball, thrown at `thrown`, waits for a cleanup, to fly on from the environment `frame`.
    pub(super) fn note_cleanup(&mut self, thrown: Registers, frame: usize) {
        let mut sites = Sites::default();
        self.find_sites(thrown, frame, &mut sites);
        while self.caught.waiting.pop_if(|(other, _)| *other >= frame).is_some() {}
        self.caught.waiting.push((frame, sites));
    }

    /// Notes that the ball flies on behind a cleanup, from the environment `frame`.
    pub(super) fn note_flight(&mut self, frame: usize) {
        while self.caught.waiting.pop_if(|(other, _)| *other > frame).is_some() {}
        let last = self.caught.waiting.pop_if(|(other, _)| *other == frame);
        self.caught.again = last.map(|(_, sites)| sites);
    }

    /// Where a recovery is called: the instruction alone does not matter.
    fn place_of_recovery(&self) -> Registers {
        Registers { pc: 0, ..self.registers() }
    }

    /// Notes that the ball, thrown at `thrown`, was caught by the `catch/3` of the environment `frame`.
    pub(super) fn note_catch(&mut self, thrown: Registers, frame: usize) {
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

    /// Keeps the goals that a stop at `thrown` went through, which nothing catches.
    pub(super) fn note_uncaught(&mut self, thrown: Registers) {
        let mut sites = Sites::default();
        self.find_sites(thrown, OUTERMOST, &mut sites);
        self.world.goal_trace = goal_trace(&sites, &self.world);
        self.world.progress = self.progress();
    }

    fn progress(&self) -> Progress {
        let start = self.choices.first().map_or(0, |bottom| bottom.cursor);
        let own = self.world.cursor.checked_sub(1).filter(|_| self.world.cursor != start);
        let event = own.or_else(|| self.answers.iter().find_map(|answers| answers.event()));
        Progress { event, steps: self.world.inferences - self.running.inferences_before }
    }

    /// Makes `sites` those from the present instruction outwards, up to the environment `end`; before them those that
    /// the ball has passed when it was thrown before.
    fn find_sites(&mut self, from: Registers, end: usize, sites: &mut Sites) {
        let site = |pc: Pc, leaf| Site { pc: pc.saturating_sub(1), times: 1, leaf };
        match self.caught.again.take() {
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

/// Whether the clause that the instruction belongs to has opened an environment before it.
fn has_environment(database: &Database, pc: Pc) -> bool {
    let Some(op) = database.code.get(pc) else { return false };
    if op.is_last_call() {
        return false;
    }
    let start = database.clause_starts(&[pc])[0].map_or(pc, |(start, _)| start);
    (start..pc).any(|pc| database.code.get(pc).is_some_and(|op| op.kind == Kind::Open))
}

/// A site in words.
struct Found {
    indicator: Option<String>,
    place: Option<String>,
    times: usize,
    /// Whose clause it is in.
    namespace: Namespace,
    /// The predicate of the library that is called there.
    callee: Option<String>,
}

fn goal_trace(sites: &Sites, world: &World) -> GoalTrace {
    let mut inner = fold(find(sites.inner.iter(), world));
    let mut outer = fold(find(sites.outer.iter(), world));
    let query = world.query_source.and_then(|source| world.sources.get(source as usize));
    if query.is_some_and(|source| source.name.is_empty()) {
        let whole = if sites.outer.is_empty() { &mut inner } else { &mut outer };
        let own = whole.iter().rev().take_while(|line| line.is_library()).count();
        whole.truncate(whole.len() - own);
    }
    GoalTrace::new(inner, sites.omitted, outer)
}

/// What is known of each site; one of a goal that was compiled for a call alone says nothing.
fn find<'a>(sites: impl Iterator<Item = &'a Site>, world: &World) -> Vec<Found> {
    let database = &world.database;
    let sites: Vec<&Site> = sites.filter(|site| !site.leaf.is_some_and(|pc| has_environment(database, pc))).collect();
    let pcs: Vec<Pc> = sites.iter().map(|site| site.pc).collect();
    let found = sites.iter().zip(database.clause_starts(&pcs)).filter_map(|(&&Site { pc, times, .. }, start)| {
        let place = database.place(pc).and_then(|(script, span)| world.place(script, span));
        // A clause of a script that has left again lies behind one of another predicate, as if it were a part of it.
        let is_owner = |pred: &PredId| place.is_none() || namespace(database, *pred) == Namespace::User;
        let owner = start.map(|(_, pred)| pred).filter(is_owner);
        if owner.is_none() && place.is_none() {
            return None;
        }
        let namespace = owner.map_or(Namespace::User, |pred| namespace(database, pred));
        let indicator = owner.map(|pred| indicator(database, pred));
        Some(Found { indicator, place, times, namespace, callee: library_callee(database, pc) })
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

fn library_callee(database: &Database, pc: Pc) -> Option<String> {
    let op = database.code.get(pc).filter(|op| op.is_call())?;
    (namespace(database, op.n) == Namespace::Library).then(|| indicator(database, op.n))
}

/// Neighbours from the library become one line, with the name that a user called them by.
fn fold(found: Vec<Found>) -> Vec<GoalLine> {
    let mut lines = Vec::new();
    let mut library = None;
    for Found { indicator, place, times, namespace, callee } in found {
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

/// Adds a line, or counts it where it is the same as the one before.
fn push(lines: &mut Vec<GoalLine>, indicator: Option<String>, place: Option<String>, n: usize) {
    match lines.last_mut() {
        Some(GoalLine::In { indicator: known, place: at, times }) if *known == indicator && *at == place => *times += n,
        _ => lines.push(GoalLine::In { indicator, place, times: n }),
    }
}

/// Whether `Name/Arity` is a predicate that the library has for itself, or one that only guards a goal.
fn is_internal(indicator: &str) -> bool {
    indicator == "catch/3"
        || indicator.starts_with("'$")
        || indicator.rsplit_once('/').is_some_and(|(name, _)| name.ends_with('_'))
}
