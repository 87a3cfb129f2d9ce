//! Counters of monitors: each maps keys to counts.

use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::engine::heap::{Cell, Stop, Store, Tag, VariableNumbering, variant};
use crate::term::hash::{HashMap, RandomState};

/// The counts by counter and key; backtracking does not undo them.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    ids: Keyed<usize>,
    /// The counter stepped last, if its name is an atom.
    latest: Option<(Cell, usize)>,
    counters: Vec<KeyCounts>,
    /// Free indexes of `counters`.
    free: Vec<usize>,
    /// Buffers, so that stepping an existing key allocates nothing.
    scratch: [Vec<u64>; 2],
}

/// Maps encoded terms; the hash is keyed, since the terms may come from a hostile trace.
type Keyed<T> = HashMap<VariantKey, T>;

/// A term encoded as words, which are equal exactly if the terms are variants.
type VariantKey = Box<[u64]>;

/// How often each key was counted.
#[derive(Debug, Default)]
struct KeyCounts {
    table: HashTable<KeyCount>,
    /// The words of all keys, concatenated.
    words: Vec<u64>,
    seeds: Seeds,
}

/// The random seeds of a table's hash function.
#[derive(Debug)]
struct Seeds([u64; 2]);

impl Default for Seeds {
    fn default() -> Seeds {
        let random = RandomState::default();
        Seeds([random.hash_one(0), random.hash_one(1)])
    }
}

impl Seeds {
    /// Hashes a key: pairs of words are multiplied, and the halves of the product folded together.
    fn hash(&self, key: &[u64]) -> u64 {
        let [first, second] = self.0;
        key.chunks(2).fold(first ^ key.len() as u64, |hash, words| {
            let product = u128::from(hash ^ words[0]) * u128::from(second ^ words.get(1).copied().unwrap_or(0));
            product as u64 ^ (product >> 64) as u64
        })
    }
}

#[derive(Debug)]
struct KeyCount {
    hash: u64,
    /// The start of the key's words.
    start: usize,
    length: usize,
    number: i64,
}

impl KeyCounts {
    /// Adds `n` to the count of a key.
    fn step(&mut self, key: &[u64], n: i64) -> i64 {
        let hash = self.seeds.hash(key);
        let words = &self.words;
        if let Some(count) = self.table.find_mut(hash, |count| count.hash == hash && count.has_key(words, key)) {
            count.number = count.number.saturating_add(n);
            return count.number;
        }
        let count = KeyCount { hash, start: self.words.len(), length: key.len(), number: n };
        self.words.extend_from_slice(key);
        self.table.insert_unique(hash, count, |count| count.hash);
        n
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.table.capacity() * size_of::<KeyCount>()
    }
}

impl KeyCount {
    /// Compares word by word, which is faster for short keys than a call of `memcmp`.
    fn has_key(&self, words: &[u64], key: &[u64]) -> bool {
        self.length == key.len() && self.key(words).iter().zip(key).all(|(mine, other)| mine == other)
    }

    fn key<'a>(&self, words: &'a [u64]) -> &'a [u64] {
        &words[self.start..self.start + self.length]
    }
}

impl Counters {
    /// Adds `n` to the count of `key` and returns the new count; an error if a term is cyclic or too long.
    ///
    /// Keys that are variants of each other are the same.
    pub(crate) fn step(&mut self, store: &Store, counter: Cell, key: Cell, n: i64) -> Result<i64, Stop> {
        let counter = store.deref(counter);
        let id = match self.latest {
            Some((latest, id)) if latest == counter => id,
            _ => self.id(store, counter)?,
        };
        if counter.tag() == Tag::Atom {
            self.latest = Some((counter, id));
        }
        encode(store, key, &mut self.scratch[1])?;
        Ok(self.counters[id].step(&self.scratch[1], n))
    }

    fn id(&mut self, store: &Store, counter: Cell) -> Result<usize, Stop> {
        encode(store, counter, &mut self.scratch[0])?;
        if let Some(&id) = self.ids.get(self.scratch[0].as_slice()) {
            return Ok(id);
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.counters.push(KeyCounts::default());
            self.counters.len() - 1
        });
        self.ids.insert(self.scratch[0].as_slice().into(), id);
        Ok(id)
    }

    /// The keys of `counter` with their counts, in a deterministic order.
    pub(crate) fn counts(&mut self, store: &mut Store, counter: Cell) -> Result<Vec<(Cell, i64)>, Stop> {
        let id = self.id(store, counter)?;
        let counts = &self.counters[id];
        let mut words: Vec<_> = counts.table.iter().map(|count| (count.key(&counts.words), count.number)).collect();
        // Variables are ordered by age, so keys with variables must not be built in the order of a hash table.
        words.sort_unstable();
        Ok(words.into_iter().map(|(key, n)| (variant::decode(store, key, &mut 0, &mut Vec::new()), n)).collect())
    }

    /// Removes all counts of `counter`.
    pub(crate) fn clear(&mut self, store: &Store, counter: Cell) -> Result<(), Stop> {
        let id = self.id(store, counter)?;
        self.counters[id] = KeyCounts::default();
        Ok(())
    }

    /// Removes `counter` itself.
    pub(crate) fn remove(&mut self, store: &Store, counter: Cell) {
        if encode(store, counter, &mut self.scratch[0]).is_ok()
            && let Some(id) = self.ids.remove(self.scratch[0].as_slice())
        {
            self.latest = None;
            self.counters[id] = KeyCounts::default();
            self.free.push(id);
        }
    }

    /// Approximate number of bytes that the counts occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.counters.iter().map(KeyCounts::bytes).sum()
    }
}

/// Encodes a single term.
#[inline]
fn encode(store: &Store, root: Cell, words: &mut Vec<u64>) -> Result<(), Stop> {
    words.clear();
    if variant::encode_small(store, root, words) {
        return Ok(());
    }
    variant::encode(store, root, words, &mut VariableNumbering::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::heap::Term;
    use crate::term::Atom;

    #[test]
    fn keys_of_every_kind_come_back_with_their_counts() {
        let (mut counters, mut store) = (Counters::default(), Store::new());
        let counter = Cell::atom(Atom::new("ports"));
        let (text, big, float) = (store.string("pâté and more"), store.int(i64::MAX), store.float(2.5));
        let list = store.list(&[text, big]);
        let key = store.compound(Atom::new("f"), &[list, float, counter]);
        counters.step(&store, counter, key, 1).unwrap();
        counters.step(&store, counter, key, 4).unwrap();
        counters.step(&store, counter, big, 1).unwrap();
        let mut counts = counters.counts(&mut store, counter).unwrap();
        counts.sort_by_key(|count| count.1);
        assert_eq!(counts.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [1, 5]);
        assert!(store.compare(counts[1].0, key).is_eq());
    }

    #[test]
    fn keys_that_differ_in_their_variables_only_are_the_same() {
        let (mut counters, mut store) = (Counters::default(), Store::new());
        let [x, y, z] = [(); 3].map(|()| store.new_var());
        let [same, also, other] = [[x, x], [y, y], [x, z]].map(|args| store.compound(Atom::new("f"), &args));
        assert_eq!(counters.step(&store, Cell::NIL, same, 1), Ok(1));
        assert_eq!(counters.step(&store, Cell::NIL, also, 1), Ok(2));
        assert_eq!(counters.step(&store, Cell::NIL, other, 1), Ok(1));
        let counts = counters.counts(&mut store, Cell::NIL).unwrap();
        let equal = counts.iter().map(|&(key, n)| match store.look(key) {
            Term::Compound(f) => (store.deref(store.arg(f, 0)) == store.deref(store.arg(f, 1)), n),
            _ => panic!("the keys are compounds"),
        });
        let mut equal: Vec<_> = equal.collect();
        equal.sort();
        assert_eq!(equal, [(false, 1), (true, 2)]);
    }

    #[test]
    fn clearing_a_counter_leaves_the_others() {
        let (mut counters, mut store) = (Counters::default(), Store::new());
        let [a, b] = ["a", "b"].map(|name| Cell::atom(Atom::new(name)));
        counters.step(&store, a, a, 1).unwrap();
        counters.step(&store, b, a, 1).unwrap();
        counters.clear(&store, a).unwrap();
        assert_eq!(counters.counts(&mut store, a).unwrap().len(), 0);
        assert_eq!(counters.counts(&mut store, b).unwrap().len(), 1);
    }
}
