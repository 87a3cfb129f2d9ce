//! The longest of many slices in a row, found in a few steps: for every 16 slices the longest one is known, for every
//! 256, and so on.

/// How many nodes share one of the level above.
const FAN: usize = 16;

/// For blocks of slices, at each level 16 times larger ones, the number of the longest slice.
#[derive(Default)]
pub(super) struct LongestTree {
    levels: Vec<Vec<u32>>,
}

impl LongestTree {
    /// The tree of the slices 0 to `n_slices`.
    pub(super) fn new(n_slices: u32, length: impl Fn(u32) -> u64) -> LongestTree {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let all: Vec<u32> = (0..n_slices.div_ceil(FAN as u32))
            .map(|block| {
                let start = block * FAN as u32;
                longest_of(start..(start + FAN as u32).min(n_slices), &length)
            })
            .collect();
        let mut level = all;
        while level.len() > 1 {
            let above = level.chunks(FAN).map(|block| longest_of(block.iter().copied(), &length)).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        LongestTree { levels }
    }

    /// The longest of the slices `from` to `to`, of which there is at least one; the first of several.
    pub(super) fn longest(&self, from: u32, to: u32, length: impl Fn(u32) -> u64) -> u32 {
        let mut best = (from, length(from));
        let mut take = |slice: u32| {
            let length = length(slice);
            if length > best.1 || length == best.1 && slice < best.0 {
                best = (slice, length);
            }
        };
        let (mut start, mut end) = (from as usize, to as usize);
        let mut below: Option<&Vec<u32>> = None;
        for level in &self.levels {
            if end - start < 2 * FAN {
                break;
            }
            let node = |index: usize| below.map_or(index as u32, |below| below[index]);
            let (whole_start, whole_end) = (start.next_multiple_of(FAN), end / FAN * FAN);
            (start..whole_start).chain(whole_end..end).for_each(|index| take(node(index)));
            (start, end) = (whole_start / FAN, whole_end / FAN);
            below = Some(level);
        }
        (start..end).for_each(|index| take(below.map_or(index as u32, |below| below[index])));
        best.0
    }
}

fn longest_of(slices: impl Iterator<Item = u32>, length: impl Fn(u32) -> u64) -> u32 {
    let longest = slices.map(|slice| (length(slice), std::cmp::Reverse(slice))).max();
    longest.map_or(0, |(_, std::cmp::Reverse(slice))| slice)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_longest_slice_of_any_range_is_found(
            lengths in proptest::collection::vec(0_u64..30, 1..2000),
            ends in (0.0..1.0_f64, 0.0..1.0_f64),
        ) {
            let place = |part: f64| (part * lengths.len() as f64) as u32;
            let (from, to) = (place(ends.0).min(place(ends.1)), place(ends.0).max(place(ends.1)) + 1);
            let length = |slice: u32| lengths[slice as usize];
            let tree = LongestTree::new(lengths.len() as u32, length);
            let greatest = (from..to).map(length).max().unwrap();
            let expected = (from..to).find(|slice| length(*slice) == greatest).unwrap();
            prop_assert_eq!(tree.longest(from, to, length), expected);
        }
    }
}
