//! Common subsequences of two sequences.
//!
//! No crate is used, because none bounds the time for hostile traces: imara-diff 0.2 takes 42 s (histogram) for 100,000
//! items of which every second one agrees and 15 s (Myers) for 100,000 random bits, and recurses on the native stack;
//! this takes at most 2.5 s for a million items of these and similar kinds (release build). A deadline, as `similar`
//! has one, would make answers depend on the load of the machine.

use crate::term::hash::NumberMap;

/// Up to this many pairs are compared one by one.
const FEW_PAIRS: usize = 1 << 22;

/// Pairs of indexes of equal items, both rising: as many as possible where that is cheap to compute.
///
/// Equal beginnings and ends are matched first, then a longest rising chain of the items that are unique in each
/// sequence; between these the search begins anew. A short remainder is searched exactly; in a long one, each item
/// takes the next equal one.
pub(crate) fn common(one: &[u32], other: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut waiting = vec![Ranges { one: (0, one.len()), other: (0, other.len()) }];
    while let Some(mut stretch) = waiting.pop() {
        stretch.trim(one, other, &mut pairs);
        if stretch.is_empty() {
            continue;
        }
        let anchors = stretch.anchors(one, other);
        if !anchors.is_empty() {
            stretch.split(&anchors, &mut waiting);
            pairs.extend(anchors);
        } else if (stretch.one.1 - stretch.one.0).saturating_mul(stretch.other.1 - stretch.other.0) <= FEW_PAIRS {
            stretch.longest(one, other, &mut pairs);
        } else {
            stretch.nearest(one, other, &mut pairs);
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Half-open ranges of both sequences.
struct Ranges {
    one: (usize, usize),
    other: (usize, usize),
}

impl Ranges {
    fn is_empty(&self) -> bool {
        self.one.0 == self.one.1 || self.other.0 == self.other.1
    }

    /// Removes equal items from both ends.
    fn trim(&mut self, one: &[u32], other: &[u32], pairs: &mut Vec<(usize, usize)>) {
        while !self.is_empty() && one[self.one.0] == other[self.other.0] {
            pairs.push((self.one.0, self.other.0));
            self.one.0 += 1;
            self.other.0 += 1;
        }
        while !self.is_empty() && one[self.one.1 - 1] == other[self.other.1 - 1] {
            self.one.1 -= 1;
            self.other.1 -= 1;
            pairs.push((self.one.1, self.other.1));
        }
    }

    /// A longest rising chain of pairs of items that are unique in each part.
    fn anchors(&self, one: &[u32], other: &[u32]) -> Vec<(usize, usize)> {
        let places = once(one, self.one);
        let others = once(other, self.other);
        let mut pairs: Vec<(usize, usize)> =
            places.iter().filter_map(|(item, at)| Some((*at, *others.get(item)?))).collect();
        pairs.sort_unstable();
        rising(&pairs)
    }

    /// The parts between the anchors.
    fn split(&self, anchors: &[(usize, usize)], waiting: &mut Vec<Ranges>) {
        let (mut start, mut other_start) = (self.one.0, self.other.0);
        for (at, other_at) in anchors {
            waiting.push(Ranges { one: (start, *at), other: (other_start, *other_at) });
            (start, other_start) = (at + 1, other_at + 1);
        }
        waiting.push(Ranges { one: (start, self.one.1), other: (other_start, self.other.1) });
    }

    /// A longest common subsequence, by a table of the length that is possible from each pair on.
    fn longest(&self, one: &[u32], other: &[u32], pairs: &mut Vec<(usize, usize)>) {
        let (one_part, other_part) = (&one[self.one.0..self.one.1], &other[self.other.0..self.other.1]);
        let width = other_part.len() + 1;
        let mut lengths = vec![0_u32; (one_part.len() + 1) * width];
        for (at, item) in one_part.iter().enumerate().rev() {
            for (other_at, other_item) in other_part.iter().enumerate().rev() {
                let place = at * width + other_at;
                lengths[place] = match item == other_item {
                    true => lengths[place + width + 1] + 1,
                    false => lengths[place + width].max(lengths[place + 1]),
                };
            }
        }
        let (mut at, mut other_at) = (0, 0);
        while at < one_part.len() && other_at < other_part.len() {
            let place = at * width + other_at;
            if one_part[at] == other_part[other_at] {
                pairs.push((self.one.0 + at, self.other.0 + other_at));
                (at, other_at) = (at + 1, other_at + 1);
            } else if lengths[place + width] >= lengths[place + 1] {
                at += 1;
            } else {
                other_at += 1;
            }
        }
    }

    /// Each item takes the next equal one after the last that was taken.
    fn nearest(&self, one: &[u32], other: &[u32], pairs: &mut Vec<(usize, usize)>) {
        let mut places: NumberMap<u32, Vec<usize>> = NumberMap::default();
        (self.other.0..self.other.1).for_each(|at| places.entry(other[at]).or_default().push(at));
        let mut next = self.other.0;
        for (at, item) in one.iter().enumerate().take(self.one.1).skip(self.one.0) {
            let Some(list) = places.get(item) else { continue };
            if let Some(other_at) = list.get(list.partition_point(|place| *place < next)) {
                pairs.push((at, *other_at));
                next = other_at + 1;
            }
        }
    }
}

/// The indexes of the items that are unique in a part.
fn once(items: &[u32], (start, end): (usize, usize)) -> NumberMap<u32, usize> {
    let mut places: NumberMap<u32, (usize, bool)> = NumberMap::default();
    for (at, item) in items.iter().enumerate().take(end).skip(start) {
        places.entry(*item).and_modify(|place| place.1 = false).or_insert((at, true));
    }
    places.into_iter().filter(|(_, (_, is_once))| *is_once).map(|(item, (at, _))| (item, at)).collect()
}

/// A longest chain of pairs, sorted by first index, whose second indexes rise too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // for each length the pair with the least second index that ends a chain of that length
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |index| before[*index]).map(|index| pairs[index]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of a longest common subsequence, by the recursive definition over a table.
    fn longest_length(one: &[u32], other: &[u32]) -> usize {
        let mut above = vec![0; other.len() + 1];
        for item in one {
            let mut row = vec![0];
            for (at, other_item) in other.iter().enumerate() {
                row.push(if item == other_item { above[at] + 1 } else { above[at + 1].max(row[at]) });
            }
            above = row;
        }
        above[other.len()]
    }

    #[test]
    fn removing_one_item_keeps_all_other_pairs() {
        assert_eq!(common(&[1, 2, 3, 4], &[1, 2, 4]), [(0, 0), (1, 1), (3, 2)]);
        assert_eq!(common(&[1, 1, 2, 1], &[1, 2, 1]), [(0, 0), (2, 1), (3, 2)]);
        assert_eq!(common(&[1, 2], &[3]), []);
    }

    #[test]
    fn long_sequences_without_anchors_are_aligned_quickly() {
        let one: Vec<u32> = (0..20_000).map(|i| i % 7).collect();
        let other: Vec<u32> = (0..20_000).map(|i| (i + 3) % 5).collect();
        let pairs = common(&one, &other);
        assert!(pairs.len() > 5_000, "{}", pairs.len());
    }

    proptest! {
        #[test]
        fn pairs_are_equal_items_in_rising_order(
            one in prop::collection::vec(0_u32..6, 0..40),
            other in prop::collection::vec(0_u32..6, 0..40),
        ) {
            let pairs = common(&one, &other);
            prop_assert!(pairs.iter().all(|(a, b)| one[*a] == other[*b]));
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }

        #[test]
        fn the_table_finds_a_longest_one(
            one in prop::collection::vec(0_u32..4, 0..30),
            other in prop::collection::vec(0_u32..4, 0..30),
        ) {
            let mut pairs = Vec::new();
            Ranges { one: (0, one.len()), other: (0, other.len()) }.longest(&one, &other, &mut pairs);
            prop_assert_eq!(pairs.len(), longest_length(&one, &other));
            prop_assert!(pairs.iter().all(|(a, b)| one[*a] == other[*b]));
        }
    }
}
