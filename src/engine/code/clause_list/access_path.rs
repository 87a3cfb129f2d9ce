//! The choice of an index: how calls with certain arguments bound find their clauses.

use super::{ClauseList, Via};
use crate::engine::code::chains::ClauseId;
use crate::engine::code::clause::{ALIVE, CallArguments};
use crate::engine::code::index::{ArgumentSet, BYTES, Index};
use crate::engine::heap::ANY_KEY;

/// How calls with certain arguments bound find their clauses.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessPath {
    bound: ArgumentSet,
    via: Via,
    /// Above this number of clauses the decision is made again.
    up_to: usize,
}

/// Up to this many clauses are scanned without an index: a scan then costs less than hashing and an index's memory.
pub(super) const FEW: usize = 8;
/// How many clauses are sampled to estimate the selectivity of arguments: bounds the cost of choosing an index.
const SAMPLE: usize = 512;
const MOST_INDEXES: usize = 16;
impl ClauseList {
    /// How a call finds its clauses; chosen at the first such call, and again when the number of clauses has doubled.
    pub(super) fn access_path(&mut self, call: &CallArguments<'_>) -> Via {
        let (bound, linked) = (call.bound(), self.linked());
        if bound == 0 {
            return Via::Order;
        }
        if let Some(path) = self.access_paths.iter().find(|path| path.bound == bound)
            && linked <= path.up_to
        {
            return path.via;
        }
        let via = self.choose(bound);
        self.access_paths.retain(|path| path.bound != bound);
        self.access_paths.push(AccessPath { bound, via, up_to: 2 * linked });
        via
    }

    fn choose(&mut self, bound: ArgumentSet) -> Via {
        let sample = self.sample();
        let expected = |arguments| self.expected(&sample, arguments);
        let (mut arguments, mut least) = (0, self.linked() as f64);
        while least > FEW as f64 {
            let others = (0..32).map(|argument| 1 << argument).filter(|one| bound & one != 0 && arguments & one == 0);
            let tried = others.map(|one| (expected(arguments | one), arguments | one));
            // The second candidate has to be twice as selective, so that similar ones share the first argument's index.
            match tried.reduce(|best, other| if other.0 < best.0 * 0.5 { other } else { best }) {
                Some((fewer, more)) if fewer < least * 0.5 => (arguments, least) = (more, fewer),
                _ => break,
            }
        }
        if arguments == 0 { Via::Order } else { self.index(arguments) }
    }

    /// A uniform sample of the clauses that are not erased, in unspecified order.
    fn sample(&self) -> Vec<ClauseId> {
        let all = self.clauses.len() as u64;
        let is_alive = |id: &ClauseId| self.clauses[*id as usize].died == ALIVE;
        if all <= SAMPLE as u64 {
            return (0..all as ClauseId).filter(is_alive).collect();
        }
        let picked = (1..=SAMPLE as u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) % all);
        let mut picked: Vec<ClauseId> = picked.map(|id| id as ClauseId).filter(is_alive).collect();
        picked.sort_unstable();
        picked.dedup();
        picked
    }

    /// The expected number of clauses found through these arguments, if calls ask for the values that clauses have.
    fn expected(&self, sample: &[ClauseId], arguments: ArgumentSet) -> f64 {
        let mut keys: Vec<u64> = sample
            .iter()
            .map(|&id| self.clauses[id as usize].joined_key(arguments))
            .filter(|&key| key != ANY_KEY)
            .collect();
        keys.sort_unstable();
        let pairs: usize = keys.chunk_by(|one, other| one == other).map(|equal| equal.len() * (equal.len() - 1)).sum();
        let (known, all) = (keys.len() as f64, sample.len().max(1) as f64);
        let share = pairs as f64 / (all * (all - 1.0)).max(1.0) + (all - known) / all;
        self.linked() as f64 * share
    }

    /// The index over these arguments, built if it does not exist.
    fn index(&mut self, arguments: ArgumentSet) -> Via {
        if let Some(number) = self.indexes.iter().position(|index| index.arguments == arguments) {
            return Via::Index(number as u8);
        }
        if self.indexes.len() == MOST_INDEXES {
            return Via::Order;
        }
        let mut index = Index::new(arguments);
        for (id, clause) in self.alive() {
            index.push_back(clause.joined_key(arguments), id);
        }
        self.indexes.push(index);
        self.growth += self.linked() * BYTES;
        Via::Index(self.indexes.len() as u8 - 1)
    }
}
