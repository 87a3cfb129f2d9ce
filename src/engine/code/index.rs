//! A hash index of clauses over one or more arguments.

use std::hash::{BuildHasherDefault, Hasher};

use super::chains::{ChainEnds, ClauseId, Links};
use crate::engine::heap::ANY_KEY;

/// A bit set of arguments; only the first 32 are indexed.
pub(crate) type ArgumentSet = u32;

/// Chains of the clauses with equal keys in certain arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub(crate) arguments: ArgumentSet,
    chains: Chains,
    /// The clauses with a variable among these arguments.
    any: ChainEnds,
    links: Links,
}

type Chains = std::collections::HashMap<u64, ChainEnds, BuildHasherDefault<KeyHasher>>;

/// Hashes eight consecutive integers to neighbouring places, because calls often ask for consecutive keys; the hasher of
/// all other maps spreads them.
#[derive(Default)]
struct KeyHasher(u64);

/// Estimated bytes of an index per clause.
pub(crate) const BYTES: usize = 40;

impl Index {
    /// An empty index over `arguments`.
    pub(crate) fn new(arguments: ArgumentSet) -> Index {
        Index { arguments, ..Index::default() }
    }

    /// The chain of the clauses with a key, and of those that match any key.
    #[inline]
    pub(crate) fn chains(&self, key: u64) -> (ClauseId, ClauseId) {
        (self.chains.get(&key).map_or(super::chains::NONE, |ends| ends.first), self.any.first)
    }

    /// The next clause in the chain.
    #[inline]
    pub(crate) fn after(&self, id: ClauseId) -> ClauseId {
        self.links.after(id)
    }

    /// Adds a clause after the others.
    pub(crate) fn push_back(&mut self, key: u64, id: ClauseId) {
        let ends = chain(&mut self.chains, &mut self.any, key);
        self.links.push_back(ends, id);
    }

    /// Adds a clause before the others.
    pub(crate) fn push_front(&mut self, key: u64, id: ClauseId) {
        let ends = chain(&mut self.chains, &mut self.any, key);
        self.links.push_front(ends, id);
    }

    /// Moves the beginning of a chain past a clause that was erased.
    pub(crate) fn pass(&mut self, key: u64, id: ClauseId, is_erased: impl Fn(ClauseId) -> bool) {
        let ends = chain(&mut self.chains, &mut self.any, key);
        while ends.first != super::chains::NONE && (ends.first == id || is_erased(ends.first)) {
            ends.first = self.links.after(ends.first);
        }
    }

    /// Unlinks a clause.
    pub(crate) fn remove(&mut self, key: u64, id: ClauseId) {
        let ends = chain(&mut self.chains, &mut self.any, key);
        self.links.unlink(ends, id);
        if ends.are_empty() && key != ANY_KEY {
            self.chains.remove(&key);
        }
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte) ^ self.0 << 8));
    }

    fn write_u64(&mut self, key: u64) {
        // The low three bits are the tag.
        let mixed = ((key >> 6) ^ (key & 7) << 58).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = ((mixed >> 32) ^ mixed) & !7 | (key >> 3) & 7;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The chain of a key, created if it does not exist.
fn chain<'a>(chains: &'a mut Chains, any: &'a mut ChainEnds, key: u64) -> &'a mut ChainEnds {
    if key == ANY_KEY { any } else { chains.entry(key).or_default() }
}

/// Combines the keys of several arguments; the result is [`ANY_KEY`] if one of them is.
pub(crate) fn joined_key(arguments: ArgumentSet, key: impl Fn(usize) -> u64) -> u64 {
    let mut joined = ANY_KEY;
    let mut rest = arguments;
    while rest != 0 {
        let key = key(rest.trailing_zeros() as usize);
        if key == ANY_KEY {
            return ANY_KEY;
        }
        rest &= rest - 1;
        joined = if joined == ANY_KEY { key } else { mix(joined, key) };
    }
    joined
}

fn mix(one: u64, other: u64) -> u64 {
    (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}
