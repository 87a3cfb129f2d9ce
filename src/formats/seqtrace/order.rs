//! The causal order: each event follows its predecessor in its process, and each receive follows its send.

use crate::term::hash::HashSet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::ports::SeqPort;
use super::rows::{OptionalId, RowId, SeqRow};
use super::run::{SeqRun, numbers};

/// The events in an order that respects all causes, and the shortest cycles that had to be broken for it.
#[derive(Debug, Default)]
pub(crate) struct CausalOrder {
    pub(crate) rows: Vec<RowId>,
    pub(crate) cycles: Vec<Cycle>,
    /// Whether some events precede one that should come before them.
    pub(crate) is_forced: bool,
}

/// Events each of which must follow the one before it, and the first the last.
pub(crate) type Cycle = Vec<RowId>;

/// Replaces the numbers of events by those that they have in an order.
pub(crate) fn renumber<'r>(rows: impl Iterator<Item = &'r mut RowId>, order: &[RowId]) {
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        let numbers = numbers(order);
        rows.for_each(|row| *row = numbers[*row as usize]);
    }
}

/// Cycles that are reported; further ones are broken without a search.
const MOST_CYCLES: usize = 100;
/// Events from which the shortest cycle is looked for.
const MOST_STARTS: usize = 256;

/// Orders the events: of those that are ready, the least by (epoch, Cur, send and print before receive, log, line) comes
/// first. `look` gets each in its turn.
pub(crate) fn order(run: &SeqRun, mut look: impl FnMut(RowId)) -> CausalOrder {
    let mut sorter = CausalSorter::new(run);
    let mut order = CausalOrder { rows: Vec::with_capacity(run.rows.len()), ..CausalOrder::default() };
    loop {
        sorter.drain(|row| {
            order.rows.push(row);
            look(row);
        });
        if order.rows.len() == run.rows.len() {
            return order;
        }
        match sorter.shortest_cycle().filter(|_| order.cycles.len() < MOST_CYCLES) {
            Some(cycle) => {
                sorter.cut(&cycle);
                order.cycles.push(cycle);
            }
            None => sorter.release_all(),
        }
        order.is_forced = true;
    }
}

/// The rank of an event: restarts of the serials, Cur, whether it is a receive, and the number of the row, packed into one
/// number so that ranks are compared at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EventRank(u128);

impl EventRank {
    fn new(row: &SeqRow, place: RowId) -> EventRank {
        let is_receive = u128::from(row.port == SeqPort::Receive);
        EventRank(u128::from(row.epoch) << 97 | u128::from(row.cur) << 33 | is_receive << 32 | u128::from(place))
    }

    fn place(self) -> RowId {
        self.0 as RowId
    }
}

struct CausalSorter<'r> {
    run: &'r SeqRun,
    /// The next event in the process of each event.
    next: Vec<OptionalId>,
    /// How many events an event waits for.
    n_before: Vec<u8>,
    is_out: Vec<bool>,
    /// Receives that do not wait for their sends any more.
    is_cut: Vec<bool>,
    /// The events by their ranks, and how many of these were looked at.
    ranked: Vec<RowId>,
    n_ranked: usize,
    /// Events that became ready after those of their rank were looked at; these are the next.
    late: BinaryHeap<Reverse<EventRank>>,
}

impl CausalSorter<'_> {
    fn new(run: &SeqRun) -> CausalSorter<'_> {
        let n_rows = run.rows.len();
        let (next, n_before) = run.followers();
        let (is_out, is_cut) = (vec![false; n_rows], vec![false; n_rows]);
        let (ranked, late) = (ranked(run), BinaryHeap::new());
        CausalSorter { run, next, n_before, is_out, is_cut, ranked, n_ranked: 0, late }
    }

    fn rank(&self, row: RowId) -> EventRank {
        EventRank::new(&self.run.rows[row as usize], row)
    }

    /// The events that wait for one: the next of its process, and the receive of a send.
    #[inline]
    fn after(&self, row: RowId) -> [Option<RowId>; 2] {
        let event = &self.run.rows[row as usize];
        let receive =
            event.partner.get().filter(|receive| event.port == SeqPort::Send && !self.is_cut[*receive as usize]);
        [self.next[row as usize].get(), receive]
    }

    /// Puts out all events that are ready or become ready, by rank: late ones first, then the next one that is ready.
    fn drain(&mut self, mut out: impl FnMut(RowId)) {
        loop {
            while let Some(Reverse(rank)) = self.late.pop() {
                let row = rank.place();
                if !self.is_out[row as usize] {
                    self.put_out(row, &mut out);
                }
            }
            let Some(row) = self.ranked.get(self.n_ranked).copied() else { return };
            self.n_ranked += 1;
            if self.n_before[row as usize] == 0 {
                self.put_out(row, &mut out);
            }
        }
    }

    #[inline]
    fn put_out(&mut self, row: RowId, out: &mut impl FnMut(RowId)) {
        out(row);
        self.is_out[row as usize] = true;
        for after in self.after(row).into_iter().flatten() {
            if self.arrives(after) {
                self.make_ready(after);
            }
        }
    }

    /// Marks an event as ready: it comes in its turn, or at once if its turn has passed.
    #[inline]
    fn make_ready(&mut self, row: RowId) {
        let rank = self.rank(row);
        let last = self.n_ranked.checked_sub(1).map(|last| self.ranked[last]);
        if last.is_some_and(|last| rank < self.rank(last)) {
            self.late.push(Reverse(rank));
        }
    }

    /// Whether an event waits for nothing else after one that it waited for is out.
    #[inline]
    fn arrives(&mut self, row: RowId) -> bool {
        let n_before = &mut self.n_before[row as usize];
        *n_before = n_before.saturating_sub(1);
        *n_before == 0
    }

    fn waiting(&self) -> impl Iterator<Item = RowId> {
        (0..self.is_out.len() as RowId).filter(|row| !self.is_out[*row as usize])
    }

    /// The shortest cycle among the remaining events, of those that are searched.
    fn shortest_cycle(&self) -> Option<Vec<RowId>> {
        let receives = self.waiting().filter(|row| {
            let event = &self.run.rows[*row as usize];
            event.port == SeqPort::Receive && event.partner.get().is_some_and(|send| !self.is_out[send as usize])
        });
        let mut came_from = vec![RowId::MAX; self.is_out.len()];
        receives.take(MOST_STARTS).filter_map(|start| self.cycle_from(start, &mut came_from)).min_by_key(Vec::len)
    }

    /// The shortest way from an event back to itself.
    fn cycle_from(&self, start: RowId, came_from: &mut [RowId]) -> Option<Vec<RowId>> {
        let mut waiting = VecDeque::from([start]);
        let mut seen = Vec::new();
        let mut found = false;
        'search: while let Some(row) = waiting.pop_front() {
            for after in self.after(row).into_iter().flatten() {
                if self.is_out[after as usize] || came_from[after as usize] != RowId::MAX {
                    continue;
                }
                came_from[after as usize] = row;
                seen.push(after);
                if after == start {
                    found = true;
                    break 'search;
                }
                waiting.push_back(after);
            }
        }
        let cycle = found.then(|| path_back(start, came_from));
        seen.into_iter().for_each(|row| came_from[row as usize] = RowId::MAX);
        cycle
    }

    /// Breaks a cycle: its receives do not wait for their sends.
    fn cut(&mut self, cycle: &[RowId]) {
        let members: HashSet<RowId> = cycle.iter().copied().collect();
        for row in cycle {
            let event = &self.run.rows[*row as usize];
            let follows_send = event.partner.get().is_some_and(|send| members.contains(&send));
            if event.port == SeqPort::Receive && follows_send && !self.is_cut[*row as usize] {
                self.is_cut[*row as usize] = true;
                if self.arrives(*row) {
                    self.make_late(*row);
                }
            }
        }
    }

    /// Makes all remaining events ready, whatever they wait for.
    fn release_all(&mut self) {
        let waiting: Vec<RowId> = self.waiting().collect();
        waiting.into_iter().for_each(|row| self.make_late(row));
    }

    /// Makes an event ready when all were looked at.
    fn make_late(&mut self, row: RowId) {
        let rank = self.rank(row);
        self.late.push(Reverse(rank));
    }
}

/// The cycle through an event, given the event from which each was reached.
fn path_back(start: RowId, came_from: &[RowId]) -> Cycle {
    let mut cycle = vec![start];
    let mut row = came_from[start as usize];
    while row != start {
        cycle.push(row);
        row = came_from[row as usize];
    }
    cycle.reverse();
    cycle.rotate_right(1);
    cycle
}

/// All events by their ranks.
fn ranked(run: &SeqRun) -> Vec<RowId> {
    let is_small = |greatest: &usize| *greatest <= run.rows.len() * 2 && run.rows.iter().all(|row| row.epoch == 0);
    match usize::try_from(run.greatest_cur).ok().filter(is_small) {
        Some(greatest) => counted(run, greatest + 1),
        None => {
            let mut ranked: Vec<RowId> = (0..run.rows.len() as RowId).collect();
            ranked.sort_unstable_by_key(|row| EventRank::new(&run.rows[*row as usize], *row));
            ranked
        }
    }
}

/// The events by rank if all serials are below a limit and never restart: a counting sort.
fn counted(run: &SeqRun, limit: usize) -> Vec<RowId> {
    let class = |row: &SeqRow| row.cur as usize * 2 + usize::from(row.port == SeqPort::Receive);
    let mut ends = vec![0_u32; limit * 2];
    run.rows.iter().for_each(|row| ends[class(row)] += 1);
    let mut n_before = 0;
    for end in &mut ends {
        n_before += std::mem::replace(end, n_before);
    }
    let mut ranked = vec![0; run.rows.len()];
    for (id, row) in (0..).zip(&run.rows) {
        let place = &mut ends[class(row)];
        ranked[*place as usize] = id;
        *place += 1;
    }
    ranked
}
