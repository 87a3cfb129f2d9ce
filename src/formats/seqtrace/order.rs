//! The causal order: every event behind the one before it in its process, every receive behind its send.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::log::{Maybe, Port, RowId};
use super::run::Run;

/// The events in an order that respects all causes, and the cycles that had to be broken for it.
#[derive(Debug, Default)]
struct Order {
    rows: Vec<RowId>,
    cycles: Vec<Cycle>,
}

/// Events each of which is behind the one before it, the first behind the last.
pub type Cycle = Vec<RowId>;

/// Puts the events in an order that respects all causes; `others` are kept pointing to the same events. Gives the
/// shortest cycles that had to be broken for it.
pub fn put_in_order(run: &mut Run, others: &mut [RowId]) -> Vec<Cycle> {
    let Order { rows, mut cycles } = order(run);
    let numbers = run.arrange(rows);
    for row in cycles.iter_mut().flatten().chain(others) {
        *row = numbers[*row as usize];
    }
    cycles
}

/// Cycles behind these are broken without being looked for.
const MOST_CYCLES: usize = 100;
/// Events from which the shortest cycle is looked for.
const MOST_STARTS: usize = 256;

/// Orders the events: among those that are ready the least by (Cur, send and print before receive, log, line).
fn order(run: &Run) -> Order {
    let mut sorter = Sorter::new(run);
    let mut order = Order { rows: Vec::with_capacity(run.rows.len()), ..Order::default() };
    loop {
        sorter.drain(&mut order.rows);
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
    }
}

/// The least of these comes first: Cur, whether it is a receive, and the place among all lines, which says which row it
/// is; in one number, as that is soon compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u128);

impl Rank {
    fn new(cur: u64, is_receive: bool, place: RowId) -> Rank {
        Rank(u128::from(cur) << 64 | u128::from(is_receive) << 32 | u128::from(place))
    }

    fn is_receive(self) -> bool {
        self.0 >> 32 & 1 == 1
    }

    fn place(self) -> RowId {
        self.0 as RowId
    }
}

struct Sorter<'r> {
    run: &'r Run,
    /// The event behind each in its process.
    next: Vec<Maybe>,
    /// How many events an event waits for.
    n_before: Vec<u8>,
    is_out: Vec<bool>,
    /// Receives that do not wait for their sends any more.
    is_cut: Vec<bool>,
    ready: BinaryHeap<Reverse<Rank>>,
}

impl Sorter<'_> {
    fn new(run: &Run) -> Sorter<'_> {
        let n_rows = run.rows.len();
        let next = run.followers();
        let mut n_before = vec![0; n_rows];
        next.iter().filter_map(|next| next.get()).for_each(|behind| n_before[behind as usize] += 1);
        for (row, n_before) in run.rows.iter().zip(&mut n_before) {
            *n_before += u8::from(row.port == Port::Receive && row.partner != Maybe::NONE);
        }
        let free: Vec<RowId> = (0..n_rows as RowId).filter(|row| n_before[*row as usize] == 0).collect();
        let (is_out, is_cut) = (vec![false; n_rows], vec![false; n_rows]);
        let mut sorter = Sorter { run, next, n_before, is_out, is_cut, ready: BinaryHeap::new() };
        free.into_iter().for_each(|row| sorter.make_ready(row));
        sorter
    }

    /// A send that was made up stands where its receive does.
    fn rank(&self, row: RowId) -> Rank {
        let event = &self.run.rows[row as usize];
        let place = event.partner.get().filter(|_| event.is_made_up).unwrap_or(row);
        Rank::new(event.cur, event.port == Port::Receive, place)
    }

    /// The event of a rank.
    fn ranked(&self, rank: Rank) -> RowId {
        let event = &self.run.rows[rank.place() as usize];
        // a receive that ranks as another event ranks for its send
        event.partner.get().filter(|_| event.port == Port::Receive && !rank.is_receive()).unwrap_or(rank.place())
    }

    fn make_ready(&mut self, row: RowId) {
        let rank = self.rank(row);
        self.ready.push(Reverse(rank));
    }

    /// The events that wait for one: the next of its process, and the receive of a send.
    fn behind(&self, row: RowId) -> [Option<RowId>; 2] {
        let event = &self.run.rows[row as usize];
        let receive = event.partner.get().filter(|receive| event.port == Port::Send && !self.is_cut[*receive as usize]);
        [self.next[row as usize].get(), receive]
    }

    /// Puts out all that are ready, and those that become so.
    fn drain(&mut self, out: &mut Vec<RowId>) {
        while let Some(Reverse(rank)) = self.ready.peek() {
            let row = self.ranked(*rank);
            let mut became_ready = [None; 2];
            if !std::mem::replace(&mut self.is_out[row as usize], true) {
                out.push(row);
                became_ready = self.behind(row).map(|behind| behind.filter(|behind| self.arrives(*behind)));
            }
            self.replace_least(became_ready);
        }
    }

    /// Puts events into the place of the one that is out.
    fn replace_least(&mut self, rows: [Option<RowId>; 2]) {
        let mut ranks = rows.map(|row| row.map(|row| Reverse(self.rank(row)))).into_iter().flatten();
        let Some(rank) = ranks.next() else {
            self.ready.pop();
            return;
        };
        if let Some(mut least) = self.ready.peek_mut() {
            *least = rank;
        }
        self.ready.extend(ranks.next());
    }

    /// Whether an event waits for nothing any more, now that one is out for which it did.
    fn arrives(&mut self, row: RowId) -> bool {
        let n_before = &mut self.n_before[row as usize];
        *n_before = n_before.saturating_sub(1);
        *n_before == 0
    }

    fn waiting(&self) -> impl Iterator<Item = RowId> {
        (0..self.is_out.len() as RowId).filter(|row| !self.is_out[*row as usize])
    }

    /// The shortest cycle among the events that are left, as far as it is looked for.
    fn shortest_cycle(&self) -> Option<Vec<RowId>> {
        let receives = self.waiting().filter(|row| {
            let event = &self.run.rows[*row as usize];
            event.port == Port::Receive && event.partner.get().is_some_and(|send| !self.is_out[send as usize])
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
            for behind in self.behind(row).into_iter().flatten() {
                if self.is_out[behind as usize] || came_from[behind as usize] != RowId::MAX {
                    continue;
                }
                came_from[behind as usize] = row;
                seen.push(behind);
                if behind == start {
                    found = true;
                    break 'search;
                }
                waiting.push_back(behind);
            }
        }
        let cycle = found.then(|| {
            let mut cycle = vec![start];
            let mut row = came_from[start as usize];
            while row != start {
                cycle.push(row);
                row = came_from[row as usize];
            }
            cycle.reverse();
            cycle.rotate_right(1);
            cycle
        });
        seen.into_iter().for_each(|row| came_from[row as usize] = RowId::MAX);
        cycle
    }

    /// Breaks a cycle: its receives do not wait for their sends.
    fn cut(&mut self, cycle: &[RowId]) {
        let members: HashSet<RowId, RandomState> = cycle.iter().copied().collect();
        for row in cycle {
            let event = &self.run.rows[*row as usize];
            let is_behind_send = event.partner.get().is_some_and(|send| members.contains(&send));
            if event.port == Port::Receive && is_behind_send && !self.is_cut[*row as usize] {
                self.is_cut[*row as usize] = true;
                if self.arrives(*row) {
                    self.make_ready(*row);
                }
            }
        }
    }

    /// Makes ready all that are left, whatever they wait for.
    fn release_all(&mut self) {
        let waiting: Vec<RowId> = self.waiting().collect();
        waiting.into_iter().for_each(|row| self.make_ready(row));
    }
}
