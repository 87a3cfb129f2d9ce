//! The clauses of one predicate: their order, which of them a call tries, and what erasing leaves behind.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

use super::cell::{Cell, Tag};
use super::copy::Frozen;
use super::instr::Pc;
use super::store::Store;

/// The clauses of a predicate in order, those erased lately included.
///
/// Positions are kept by iterations in progress: adding at either end never moves a clause.
#[derive(Debug, Default)]
pub struct ClauseList {
    clauses: VecDeque<Clause>,
    base: i64,
    /// Every clause before this position is erased.
    alive_from: i64,
    erased: usize,
    /// Whether `assertz` and its kin may change it.
    pub dynamic: bool,
    index: Option<FirstArgumentIndex>,
    scanned: usize,
    /// Key and code of each clause while they are few and none is erased; empty if that is not so or not known.
    few: Vec<(u64, Pc, Style)>,
    /// The number among the tabled predicates, if this is one.
    pub(super) tabled: Option<u32>,
}

/// A clause.
#[derive(Debug)]
pub struct Clause {
    /// What the first argument of a call must be: see [`first_argument_key`].
    pub key: u64,
    /// The same of the other arguments.
    pub further_keys: Box<[u64]>,
    /// Where its code begins.
    pub code: Pc,
    /// How it treats the registers.
    pub style: Style,
    /// The clause as a term `Head :- Body`; the library keeps none.
    pub source: Option<Rc<Frozen>>,
    pub(super) born: u64,
    pub(super) died: u64,
}

/// What a clause does to the registers of the call before its neck: before it has succeeded up to the first goal that
/// is no test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// It leaves them alone: if it fails there, the next clause can be tried at once.
    #[default]
    Gentle,
    /// It does not: they have to be kept in a choice point.
    Rough,
}

/// Where each clause with a certain first argument stands, in order; those that match any are in every list.
#[derive(Debug, Default)]
struct FirstArgumentIndex {
    by_key: FxHashMap<u64, Vec<i64>>,
    any: Vec<i64>,
}

/// The clauses that a call has still to try.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remaining {
    pub(super) next: i64,
    end: i64,
    generation: u64,
    key: u64,
}

/// Where a clause is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseEnd {
    /// Before all others.
    Front,
    /// Behind all others.
    Back,
}

/// The first clause that may match, and those to try after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selected {
    pub(super) code: Pc,
    pub(super) style: Style,
    pub(super) rest: Option<Remaining>,
}

/// The key of a call or clause that any clause or call matches.
pub(super) const ANY_KEY: u64 = 0;
pub(super) const LIST_KEY: u64 = 1;
pub(super) const BOXED_KEY: u64 = 2;
pub(super) const ALIVE: u64 = u64::MAX;
const INDEX_FROM: usize = 8;

/// What a first argument is as far as the choice of clauses looks at it.
pub(super) fn first_argument_key(store: &Store, argument: Cell) -> u64 {
    let cell = store.deref(argument);
    match cell.tag() {
        Tag::Ref => ANY_KEY,
        Tag::List => LIST_KEY,
        Tag::Struct => store.heap[cell.index()].0,
        Tag::Atom | Tag::Int => cell.0,
        Tag::Float | Tag::Object | Tag::Header => BOXED_KEY,
    }
}

impl Clause {
    /// What each argument of a call must be.
    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.key).chain(self.further_keys.iter().copied())
    }

    /// Bytes that the clause takes beside its code.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Clause>() + size_of_val(&*self.further_keys) + self.source.as_ref().map_or(0, |source| source.bytes())
    }
}

impl ClauseList {
    /// Calls go to the tables of the tabled predicate with this number.
    pub(super) fn become_tabled(&mut self, number: u32) {
        self.tabled = Some(number);
        self.few.clear();
    }

    /// Whether calls go to tables.
    pub fn is_tabled(&self) -> bool {
        self.tabled.is_some()
    }

    /// Number of clauses that are not erased.
    pub fn len(&self) -> usize {
        self.clauses.len() - self.erased
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The clauses that are not erased.
    pub(super) fn alive(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| clause.died == ALIVE)
    }

    /// The clause at a position that an iteration gave.
    pub fn clause(&self, position: i64) -> Option<&Clause> {
        self.clauses.get(usize::try_from(position - self.base).ok()?)
    }

    fn clause_mut(&mut self, position: i64) -> Option<&mut Clause> {
        self.clauses.get_mut(usize::try_from(position - self.base).ok()?)
    }

    pub(super) fn add(&mut self, end: ClauseEnd, clause: Clause) {
        self.few.clear();
        match end {
            ClauseEnd::Back => {
                if let Some(index) = &mut self.index {
                    index.push(clause.key, self.base + self.clauses.len() as i64);
                }
                self.clauses.push_back(clause);
            }
            ClauseEnd::Front => {
                self.base -= 1;
                self.alive_from = self.base;
                (self.index, self.scanned) = (None, 0);
                self.clauses.push_front(clause);
            }
        }
    }

    /// Marks the clause at a position as erased by generation `died`; `false` if it was before.
    pub(super) fn erase(&mut self, position: i64, died: u64) -> bool {
        match self.clause_mut(position) {
            Some(clause) if clause.died == ALIVE => clause.died = died,
            _ => return false,
        }
        self.erased += 1;
        self.few.clear();
        self.pass_erased();
        true
    }

    /// Forgets the erased clauses and gives the bytes that they took; no iteration may be at them.
    pub(super) fn sweep(&mut self) -> usize {
        let erased = self.clauses.iter().filter(|clause| clause.died != ALIVE);
        let swept = erased.map(Clause::bytes).sum();
        self.clauses.retain(|clause| clause.died == ALIVE);
        (self.alive_from, self.erased, self.index, self.scanned) = (self.base, 0, None, 0);
        swept
    }

    /// The clauses that a call with this first argument key has to try, as of a generation.
    pub(super) fn remaining(&self, key: u64, generation: u64) -> Remaining {
        Remaining { next: self.alive_from, end: self.end(), generation, key }
    }

    /// Moves the start of new iterations over clauses that are erased.
    fn pass_erased(&mut self) {
        while self.clause(self.alive_from).is_some_and(|clause| clause.died != ALIVE) {
            self.alive_from += 1;
        }
    }

    pub(super) fn is_crowded(&self) -> bool {
        self.erased > 64 && self.erased * 2 > self.clauses.len()
    }

    /// The first position from `remaining.next` on whose clause may match, `remaining.end` if there is none.
    pub(super) fn next_match(&self, remaining: Remaining) -> i64 {
        if let (Some(index), true) = (&self.index, remaining.key != ANY_KEY) {
            return self.next_indexed(index, remaining);
        }
        (remaining.next..remaining.end).find(|&position| self.may_match(position, remaining)).unwrap_or(remaining.end)
    }

    fn next_indexed(&self, index: &FirstArgumentIndex, remaining: Remaining) -> i64 {
        let positions = index.positions(remaining.key);
        let from = positions.partition_point(|&position| position < remaining.next);
        positions[from..]
            .iter()
            .copied()
            .take_while(|&position| position < remaining.end)
            .find(|&position| self.may_match(position, remaining))
            .unwrap_or(remaining.end)
    }

    #[inline]
    fn may_match(&self, position: i64, remaining: Remaining) -> bool {
        let clause = &self.clauses[(position - self.base) as usize];
        (clause.key == remaining.key || clause.key == ANY_KEY || remaining.key == ANY_KEY)
            && clause.died > remaining.generation
            && clause.born <= remaining.generation
    }

    /// Whether the clauses are so few that [`ClauseList::select_few`] serves.
    #[inline(always)]
    pub(super) fn has_few(&self) -> bool {
        !self.few.is_empty()
    }

    /// What a call with this first argument key has to try, if there are few clauses.
    #[inline(always)]
    pub(super) fn select_few(&self, key: u64, generation: u64) -> Option<Selected> {
        let matches = |clause: &(u64, Pc, Style)| clause.0 == key || clause.0 == ANY_KEY || key == ANY_KEY;
        let first = self.few.iter().position(matches)?;
        let (_, code, style) = self.few[first];
        let next = self.few[first + 1..].iter().position(matches);
        let rest = next.map(|next| {
            let position = self.base + (first + 1 + next) as i64;
            Remaining { next: position, end: self.base + self.few.len() as i64, generation, key }
        });
        Some(Selected { code, style, rest })
    }

    /// What a call with this first argument key has to try.
    pub(super) fn select(&mut self, key: u64, generation: u64) -> Option<Selected> {
        self.note_scan(key);
        let all = self.remaining(key, generation);
        let here = all.from(self.next_match(all));
        let clause = self.clause(here.next)?;
        let (code, style) = (clause.code, clause.style);
        let rest = here.from(here.next + 1);
        let rest = rest.from(self.next_match(rest));
        if self.erased == 0 && self.clauses.len() <= INDEX_FROM && self.tabled.is_none() {
            self.few = self.clauses.iter().map(|clause| (clause.key, clause.code, clause.style)).collect();
        }
        Some(Selected { code, style, rest: (!rest.is_at_end()).then_some(rest) })
    }

    fn end(&self) -> i64 {
        self.base + self.clauses.len() as i64
    }

    /// Makes the index when enough clauses were looked at in vain for it to pay.
    fn note_scan(&mut self, key: u64) {
        if key == ANY_KEY || self.index.is_some() || self.clauses.len() <= INDEX_FROM {
            return;
        }
        self.scanned += 1;
        if self.scanned > 4 {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let mut index = FirstArgumentIndex::default();
        for (offset, clause) in self.clauses.iter().enumerate() {
            index.push(clause.key, self.base + offset as i64);
        }
        self.index = Some(index);
    }
}

impl FirstArgumentIndex {
    fn push(&mut self, key: u64, position: i64) {
        if key == ANY_KEY {
            self.any.push(position);
            self.by_key.values_mut().for_each(|positions| positions.push(position));
        } else {
            self.by_key.entry(key).or_insert_with(|| self.any.clone()).push(position);
        }
    }

    fn positions(&self, key: u64) -> &[i64] {
        self.by_key.get(&key).unwrap_or(&self.any)
    }
}

impl Remaining {
    /// The same without what stands before `next`.
    pub(super) fn from(self, next: i64) -> Remaining {
        Remaining { next, ..self }
    }

    /// Whether a position is behind the last clause of the iteration.
    pub(super) fn has_passed(self, position: i64) -> bool {
        position >= self.end
    }

    pub(super) fn is_at_end(self) -> bool {
        self.next >= self.end
    }
}
