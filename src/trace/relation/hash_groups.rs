//! Things in groups by the last bits of their hashes.

use std::ops::Range;

/// Things by their hashes, in each group in the order in which they were added.
#[derive(Debug)]
pub(crate) struct HashGroups<T> {
    /// Where the things of each group begin.
    starts: Vec<u32>,
    pub(crate) items: Vec<T>,
}

impl<T: Copy + Default> HashGroups<T> {
    /// The groups of things with these hashes; `item` is what is kept of each.
    pub(crate) fn new<S: Copy>(found: &[(u64, S)], item: impl Fn((u64, S)) -> T) -> HashGroups<T> {
        let n_groups = found.len().next_power_of_two().max(2);
        let group_of = |hash: u64| hash as usize & (n_groups - 1);
        let mut starts = vec![0_u32; n_groups + 1];
        found.iter().for_each(|(hash, _)| starts[group_of(*hash) + 1] += 1);
        for group in 0..n_groups {
            starts[group + 1] += starts[group];
        }
        let (mut next, mut items) = (starts.clone(), vec![T::default(); found.len()]);
        for (hash, thing) in found {
            let place = &mut next[group_of(*hash)];
            items[*place as usize] = item((*hash, *thing));
            *place += 1;
        }
        HashGroups { starts, items }
    }

    /// The places in `items` of those whose hashes may be this one.
    pub(crate) fn places(&self, hash: u64) -> Range<u32> {
        let group = hash as usize & (self.starts.len() - 2);
        self.starts[group]..self.starts[group + 1]
    }

    /// Those whose hashes may be this one.
    pub(crate) fn of(&self, hash: u64) -> &[T] {
        let places = self.places(hash);
        &self.items[places.start as usize..places.end as usize]
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.items.len() * size_of::<T>()
    }
}
