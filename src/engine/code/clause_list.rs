//! The clauses of one predicate: their order, first- and multi-argument indexing, and the logical update view.

mod access_path;

use std::collections::VecDeque;

use super::chains::{ChainEnds, ClauseId, Links, NONE};
use super::clause::{ALIVE, CallArguments, Clause, NeckStyle};
use super::index::{BYTES, Index, joined_key};
use super::instr::Pc;
use access_path::{AccessPath, FEW};

/// The clauses of a predicate in order, including recently erased ones.
///
/// A clause keeps its number until it is erased and no iteration can still see it; then the number is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClauseList {
    clauses: Vec<Clause>,
    unused: Vec<ClauseId>,
    order: ChainEnds,
    links: Links,
    /// Erased clauses that some iteration may still see, in order of erasure.
    erased: VecDeque<ClauseId>,
    /// Whether `assertz/1` and related predicates may change it.
    pub(crate) dynamic: bool,
    /// Whether the predicate was abolished: its clauses are erased and calling it is an error.
    pub(crate) is_abolished: bool,
    /// The number among the tabled predicates, if it is tabled.
    pub(crate) tabled: Option<u32>,
    indexes: Vec<Index>,
    access_paths: Vec<AccessPath>,
    /// Whether an argument of a head is a text or a float.
    has_boxed: bool,
    /// Bytes of indexes built since the last query of this number.
    growth: usize,
}

/// Which chains an iteration follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Via {
    /// The chain of all clauses.
    #[default]
    Order,
    /// Those of the index with this number.
    Index(u8),
}

/// The clauses that a call has yet to try: the first of them, and how to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    /// The next clause with the key of the call, and the next that matches any key.
    with_key: ClauseId,
    with_any: ClauseId,
    via: Via,
    generation: u64,
}

/// Where to add a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClauseEnd {
    /// Before all others.
    Front,
    /// After all others.
    Back,
}

/// The first clause that may match, and those to try after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selected {
    pub(crate) id: ClauseId,
    pub(crate) code: Pc,
    pub(crate) style: NeckStyle,
    pub(crate) rest: Option<Remaining>,
}

/// Fewer erased clauses than this are kept without checking whether an iteration still sees them.
const ERASED_FROM: usize = 64;

impl Default for Remaining {
    fn default() -> Remaining {
        Remaining { with_key: NONE, with_any: NONE, via: Via::Order, generation: 0 }
    }
}

impl Remaining {
    /// Whether no clause remains.
    #[inline]
    pub(crate) fn is_at_end(self) -> bool {
        self.with_key == NONE && self.with_any == NONE
    }

    /// The generation (change of clauses) that the iteration sees.
    pub(crate) fn generation(self) -> u64 {
        self.generation
    }
}

impl ClauseList {
    /// Redirects calls to the tables of the tabled predicate with this number.
    pub(crate) fn become_tabled(&mut self, number: u32) {
        self.tabled = Some(number);
    }

    /// Whether calls go to tables.
    pub(crate) fn is_tabled(&self) -> bool {
        self.tabled.is_some()
    }

    /// Number of clauses, not counting erased ones.
    pub(crate) fn len(&self) -> usize {
        self.linked() - self.erased.len()
    }

    /// Whether there are no clauses.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of clauses, including recently erased ones.
    fn linked(&self) -> usize {
        self.clauses.len() - self.unused.len()
    }

    /// The clauses in order, without erased ones.
    pub(crate) fn alive(&self) -> impl Iterator<Item = (ClauseId, &Clause)> {
        let links = std::iter::successors(Some(self.order.first), |&id| Some(self.links.after(id)));
        let clauses = links.take_while(|&id| id != NONE).map(|id| (id, &self.clauses[id as usize]));
        clauses.filter(|(_, clause)| clause.died == ALIVE)
    }

    /// Where the code of each clause begins, in unspecified order; may include erased clauses.
    pub(crate) fn codes(&self) -> impl Iterator<Item = Pc> {
        self.clauses.iter().map(|clause| clause.code)
    }

    /// The clause with a number taken from an iteration.
    pub(crate) fn clause(&self, id: ClauseId) -> Option<&Clause> {
        self.clauses.get(id as usize)
    }

    /// The first or last clause.
    pub(crate) fn at(&self, end: ClauseEnd) -> Option<ClauseId> {
        let id = match end {
            ClauseEnd::Front => self.order.first,
            ClauseEnd::Back => self.order.last,
        };
        (id != NONE).then_some(id)
    }

    /// The clause with a number, unless it is erased; `birth` distinguishes it from earlier users of the number.
    pub(crate) fn living(&self, id: ClauseId, birth: u64) -> Option<&Clause> {
        self.clause(id).filter(|clause| clause.born == birth && clause.died == ALIVE)
    }

    /// Like [`ClauseList::clause`], for changing its code.
    pub(crate) fn clause_mut(&mut self, id: ClauseId) -> Option<&mut Clause> {
        self.clauses.get_mut(id as usize)
    }

    /// Whether an argument of a head is, or was, a text or a float.
    pub(crate) fn has_boxed(&self) -> bool {
        self.has_boxed
    }

    /// Adds a clause and returns the bytes by which the indexes grew.
    pub(crate) fn add(&mut self, end: ClauseEnd, mut clause: Clause) -> usize {
        clause.place = match end {
            ClauseEnd::Back => self.place(self.order.last) + 1,
            ClauseEnd::Front => self.place(self.order.first) - 1,
        };
        self.has_boxed |= clause.has_boxed();
        let id = self.unused.pop().unwrap_or(self.clauses.len() as ClauseId);
        for index in &mut self.indexes {
            let key = clause.joined_key(index.arguments);
            match end {
                ClauseEnd::Back => index.push_back(key, id),
                ClauseEnd::Front => index.push_front(key, id),
            }
        }
        match end {
            ClauseEnd::Back => self.links.push_back(&mut self.order, id),
            ClauseEnd::Front => self.links.push_front(&mut self.order, id),
        }
        match self.clauses.get_mut(id as usize) {
            Some(unused) => *unused = clause,
            None => self.clauses.push(clause),
        }
        self.indexes.len() * BYTES
    }

    fn place(&self, id: ClauseId) -> i64 {
        self.clause(id).map_or(0, |clause| clause.place)
    }

    /// Marks a clause as erased by generation `died`; returns `false` if it already was.
    pub(crate) fn erase(&mut self, id: ClauseId, died: u64) -> bool {
        match self.clause_mut(id) {
            Some(clause) if clause.died == ALIVE => clause.died = died,
            _ => return false,
        }
        self.erased.push_back(id);
        let clause = &self.clauses[id as usize];
        let is_erased = |id: ClauseId| self.clauses[id as usize].died != ALIVE;
        for index in &mut self.indexes {
            index.pass(clause.joined_key(index.arguments), id, is_erased);
        }
        while self.order.first != NONE && is_erased(self.order.first) {
            self.order.first = self.links.after(self.order.first);
        }
        true
    }

    /// Whether it is time for [`ClauseList::sweep`].
    pub(crate) fn is_crowded(&self) -> bool {
        self.erased.len().is_power_of_two() && self.erased.len() >= ERASED_FROM
    }

    /// Frees the clauses erased before all iterations of generation `oldest` and later; returns the bytes freed.
    pub(crate) fn sweep(&mut self, oldest: u64) -> usize {
        let mut swept = 0;
        while let Some(&id) = self.erased.front()
            && self.clauses[id as usize].died <= oldest
        {
            self.erased.pop_front();
            swept += self.forget(id);
        }
        if self.linked() == 0 {
            let (dynamic, is_abolished) = (self.dynamic, self.is_abolished);
            *self = ClauseList { dynamic, is_abolished, ..ClauseList::default() };
        }
        swept
    }

    fn forget(&mut self, id: ClauseId) -> usize {
        let clause = &mut self.clauses[id as usize];
        let bytes = clause.bytes() + self.indexes.len() * BYTES;
        for index in &mut self.indexes {
            index.remove(clause.joined_key(index.arguments), id);
        }
        self.links.unlink(&mut self.order, id);
        // Born and died in the same generation, so no iteration sees it.
        *clause = Clause::new(0, NeckStyle::Preserving, Box::default(), None, clause.died);
        clause.died = clause.born;
        self.unused.push(id);
        bytes
    }

    /// Bytes of indexes built since the last call.
    #[inline]
    pub(crate) fn take_growth(&mut self) -> usize {
        std::mem::take(&mut self.growth)
    }

    /// The first clause that a call has to try and the remaining ones, as of a generation.
    #[inline]
    pub(crate) fn select(&mut self, call: &CallArguments<'_>, generation: u64) -> Option<Selected> {
        let all = self.start(call, generation);
        self.selected(all, call)
    }

    /// The first of the remaining clauses, and the rest.
    #[inline]
    pub(crate) fn selected(&self, remaining: Remaining, call: &CallArguments<'_>) -> Option<Selected> {
        let id = self.first(remaining)?;
        let rest = self.after(remaining, call);
        let clause = &self.clauses[id as usize];
        Some(Selected { id, code: clause.code, style: clause.style, rest: (!rest.is_at_end()).then_some(rest) })
    }

    /// The clauses that a call has to try, as of a generation.
    pub(crate) fn start(&mut self, call: &CallArguments<'_>, generation: u64) -> Remaining {
        let via = if self.linked() <= FEW { Via::Order } else { self.access_path(call) };
        let (with_key, with_any) = match via {
            Via::Order => (self.order.first, NONE),
            Via::Index(number) => {
                let index = &self.indexes[number as usize];
                index.chains(joined_key(index.arguments, |argument| call.key(argument)))
            }
        };
        let found = |id| self.find(via, id, call, generation);
        Remaining { with_key: found(with_key), with_any: found(with_any), via, generation }
    }

    /// The first of the remaining clauses, unless the predicate has been redefined.
    #[inline]
    pub(crate) fn first(&self, remaining: Remaining) -> Option<ClauseId> {
        let Remaining { with_key, with_any, .. } = remaining;
        let is_key_first = with_any == NONE || (with_key != NONE && self.place(with_key) < self.place(with_any));
        let id = if is_key_first { with_key } else { with_any };
        self.clause(id).filter(|clause| clause.is_seen_by(remaining.generation)).map(|_| id)
    }

    /// The remaining clauses without the first.
    #[inline]
    pub(crate) fn after(&self, remaining: Remaining, call: &CallArguments<'_>) -> Remaining {
        let Some(id) = self.first(remaining) else { return Remaining::default() };
        let next = self.find(remaining.via, self.next_in_chain(remaining.via, id), call, remaining.generation);
        if id == remaining.with_key {
            Remaining { with_key: next, ..remaining }
        } else {
            Remaining { with_any: next, ..remaining }
        }
    }

    #[inline]
    fn next_in_chain(&self, via: Via, id: ClauseId) -> ClauseId {
        match via {
            Via::Order => self.links.after(id),
            Via::Index(number) => self.indexes[number as usize].after(id),
        }
    }

    /// The first visible clause from `id` on that may match.
    #[inline]
    fn find(&self, via: Via, mut id: ClauseId, call: &CallArguments<'_>, generation: u64) -> ClauseId {
        while let Some(clause) = self.clause(id) {
            if clause.born > generation {
                return NONE;
            }
            if generation < clause.died && clause.fits(call) {
                return id;
            }
            id = self.next_in_chain(via, id);
        }
        NONE
    }
}

#[cfg(test)]
mod tests;
