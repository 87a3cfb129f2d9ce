//! Sets of integers as intervals.

/// A set of integers: intervals with both ends included, in rising order, with a gap between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Intervals(Vec<(i64, i64)>);

impl Intervals {
    pub(super) fn all() -> Intervals {
        Intervals(vec![(i64::MIN, i64::MAX)])
    }

    /// The integers from `low` to `high`, none if they are the wrong way round.
    pub(super) fn range(low: i64, high: i64) -> Intervals {
        Intervals(if low <= high { vec![(low, high)] } else { Vec::new() })
    }

    /// The integers strictly between two floats.
    pub(super) fn between(low: Option<f64>, high: Option<f64>) -> Intervals {
        match (low.map_or(Some(i64::MIN), above), high.map_or(Some(i64::MAX), below)) {
            (Some(low), Some(high)) => Intervals::range(low, high),
            _ => Intervals::default(),
        }
    }

    pub(super) fn as_slice(&self) -> &[(i64, i64)] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        let after = self.0.partition_point(|(low, _)| *low <= value);
        after.checked_sub(1).is_some_and(|index| value <= self.0[index].1)
    }

    pub(super) fn union(sets: &[Intervals]) -> Intervals {
        let mut all: Vec<(i64, i64)> = sets.iter().flat_map(|set| set.0.iter().copied()).collect();
        all.sort_unstable();
        let mut union: Vec<(i64, i64)> = Vec::with_capacity(all.len());
        for (low, high) in all {
            match union.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => union.push((low, high)),
            }
        }
        Intervals(union)
    }

    pub(super) fn complement(&self) -> Intervals {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut next = Some(i64::MIN);
        for (low, high) in &self.0 {
            if let Some(start) = next.filter(|start| start < low) {
                gaps.push((start, low - 1));
            }
            next = high.checked_add(1);
        }
        gaps.extend(next.map(|start| (start, i64::MAX)));
        Intervals(gaps)
    }

    pub(super) fn intersection(&self, other: &Intervals) -> Intervals {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                both.push((low, high));
            }
            match a.1 < b.1 {
                true => left.next(),
                false => right.next(),
            };
        }
        Intervals(both)
    }
}

/// 2^63: no float at or above it is a 64-bit integer.
const END: f64 = 9_223_372_036_854_775_808.0;

/// The least integer above `bound`.
fn above(bound: f64) -> Option<i64> {
    match bound {
        bound if bound < -END => Some(i64::MIN),
        bound if bound < END => (bound.floor() as i64).checked_add(1),
        _ => None,
    }
}

/// The greatest integer below `bound`.
fn below(bound: f64) -> Option<i64> {
    match bound {
        bound if bound >= END => Some(i64::MAX),
        bound if bound >= -END => (bound.ceil() as i64).checked_sub(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Intervals;
    use proptest::prelude::*;

    #[test]
    fn the_complement_reaches_both_ends() {
        let set = Intervals::range(3, 6);
        assert_eq!(set.complement().as_slice(), [(i64::MIN, 2), (7, i64::MAX)]);
        assert_eq!(Intervals::all().complement(), Intervals::default());
        assert_eq!(Intervals::default().complement(), Intervals::all());
    }

    #[test]
    fn neighbours_join_in_a_union() {
        let union = Intervals::union(&[Intervals::range(4, 5), Intervals::range(1, 3), Intervals::range(7, 7)]);
        assert_eq!(union.as_slice(), [(1, 5), (7, 7)]);
    }

    #[test]
    fn bounds_that_are_floats_are_excluded() {
        assert_eq!(Intervals::between(Some(1.5), Some(3.0)).as_slice(), [(2, 2)]);
        assert_eq!(Intervals::between(Some(2.0), None).as_slice(), [(3, i64::MAX)]);
        assert!(Intervals::between(Some(f64::NAN), None).is_empty());
        assert!(Intervals::between(Some(1e19), None).is_empty());
        assert_eq!(Intervals::between(Some(-1e19), Some(1e19)), Intervals::all());
    }

    fn some_set() -> impl Strategy<Value = Intervals> {
        prop::collection::vec((-5_i64..15, 0_i64..4), 0..5).prop_map(|ranges| {
            let ranges: Vec<_> = ranges.into_iter().map(|(low, size)| Intervals::range(low, low + size - 1)).collect();
            Intervals::union(&ranges)
        })
    }

    proptest! {
        #[test]
        fn the_algebra_is_that_of_sets(a in some_set(), b in some_set(), value in -8_i64..20) {
            prop_assert_eq!(a.complement().contains(value), !a.contains(value));
            prop_assert_eq!(a.intersection(&b).contains(value), a.contains(value) && b.contains(value));
            prop_assert_eq!(Intervals::union(&[a.clone(), b.clone()]).contains(value), a.contains(value) || b.contains(value));
        }
    }
}
