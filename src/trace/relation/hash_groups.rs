//! Things in groups by bits of their hashes.

use std::ops::Range;

use crate::trace::threads::{n_cores, on_cores};

/// Things with their hashes, in parts by the first bits of these.
#[derive(Clone, Debug)]
pub(crate) struct HashParts<S>(Vec<Vec<(u64, S)>>);

/// Things by their hashes, in order in each group.
#[derive(Debug)]
pub(crate) struct HashGroups<T> {
    /// Where the things of each group begin; the groups of a part are next to each other.
    starts: Vec<u32>,
    pub(crate) items: Vec<T>,
}

/// Parts are so many that the groups of one are made in the cache of a core.
const PART_BITS: u32 = 8;
const N_PARTS: usize = 1 << PART_BITS;

/// Fewer things than this are put into groups by one thread.
const WORTH_A_THREAD: usize = 1 << 16;

impl<S> HashParts<S> {
    pub(crate) fn new() -> HashParts<S> {
        HashParts((0..N_PARTS).map(|_| Vec::new()).collect())
    }

    #[inline]
    pub(crate) fn push(&mut self, hash: u64, thing: S) {
        self.0[part_of(hash)].push((hash, thing));
    }

    pub(crate) fn things(&self) -> impl Iterator<Item = &S> {
        self.0.iter().flatten().map(|(_, thing)| thing)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

#[inline]
fn part_of(hash: u64) -> usize {
    (hash >> (u64::BITS - PART_BITS)) as usize
}

impl<T: Copy + Default + Ord + Send> HashGroups<T> {
    /// The groups of things; `item` is what is kept of each.
    pub(crate) fn new<S: Copy + Sync>(found: &[HashParts<S>], item: impl Fn((u64, S)) -> T + Sync) -> HashGroups<T> {
        let n_items: usize = found.iter().map(HashParts::len).sum();
        let n_in_part = (n_items / N_PARTS).next_power_of_two();
        let (mut starts, mut items) = (vec![0_u32; N_PARTS * n_in_part], vec![T::default(); n_items]);
        let (mut rest, mut first, mut parts) = (items.as_mut_slice(), 0, Vec::with_capacity(N_PARTS));
        for (part, starts) in starts.chunks_exact_mut(n_in_part).enumerate() {
            let n_own = found.iter().map(|found| found.0[part].len()).sum();
            let (own, others) = std::mem::take(&mut rest).split_at_mut(n_own);
            parts.push((part, first, starts, own));
            (rest, first) = (others, first + n_own as u32);
        }
        let n_threads = if n_items < WORTH_A_THREAD { 1 } else { n_cores() };
        on_cores(n_threads, parts.into_iter(), |(part, first, starts, items)| {
            fill(found.iter().flat_map(|found| &found.0[part]).copied(), &item, first, starts, items);
        });
        starts.push(n_items as u32);
        HashGroups { starts, items }
    }

    /// The places in `items` of those whose hashes may be this one.
    #[inline]
    pub(crate) fn places(&self, hash: u64) -> Range<u32> {
        let n_in_part = self.starts.len() >> PART_BITS;
        let group = part_of(hash) * n_in_part + group_of(hash, n_in_part);
        self.starts[group]..self.starts[group + 1]
    }

    /// Those whose hashes may be this one.
    #[inline]
    pub(crate) fn of(&self, hash: u64) -> &[T] {
        let places = self.places(hash);
        &self.items[places.start as usize..places.end as usize]
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.items.len() * size_of::<T>()
    }
}

/// The group within a part of so many groups, a power of two.
#[inline]
fn group_of(hash: u64, n_in_part: usize) -> usize {
    hash as usize & (n_in_part - 1)
}

/// Puts the things of a part into groups; the first of them is number `first` among all.
fn fill<S, T: Copy + Ord>(
    things: impl Iterator<Item = (u64, S)> + Clone,
    item: &impl Fn((u64, S)) -> T,
    first: u32,
    starts: &mut [u32],
    items: &mut [T],
) {
    let n_groups = starts.len();
    things.clone().for_each(|(hash, _)| starts[group_of(hash, n_groups)] += 1);
    let mut n_before = first;
    for start in starts.iter_mut() {
        n_before += std::mem::replace(start, n_before);
    }
    let mut next = starts.to_vec();
    for thing in things {
        let place = &mut next[group_of(thing.0, n_groups)];
        items[(*place - first) as usize] = item(thing);
        *place += 1;
    }
    for (start, end) in starts.iter().zip(next).filter(|(start, end)| *end > **start + 1) {
        items[(*start - first) as usize..(end - first) as usize].sort_unstable();
    }
}
