//! Sets of integers as intervals.

use num_bigint::Sign;

use crate::term::number::Number;

/// A bound of a range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) number: Number,
    /// Whether the number itself is in the range.
    pub(crate) is_included: bool,
}

/// A set of integers: disjoint inclusive intervals in rising order, with a gap between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Intervals(Vec<(i64, i64)>);

impl Intervals {
    pub(crate) fn all() -> Intervals {
        Intervals(vec![(i64::MIN, i64::MAX)])
    }

    /// The integers from `low` to `high`; empty if `low` is greater.
    pub(crate) fn range(low: i64, high: i64) -> Intervals {
        Intervals(if low <= high { vec![(low, high)] } else { Vec::new() })
    }

    /// The integers between two bounds; without a bound, all on that side.
    pub(crate) fn between(low: Option<&Bound>, high: Option<&Bound>) -> Intervals {
        match (low.map_or(Some(i64::MIN), least), high.map_or(Some(i64::MAX), greatest)) {
            (Some(low), Some(high)) => Intervals::range(low, high),
            _ => Intervals::default(),
        }
    }

    /// The integers that are equal to a number by value.
    pub(crate) fn equal_to(number: &Number) -> Intervals {
        let end = Bound { number: number.clone(), is_included: true };
        Intervals::between(Some(&end), Some(&end))
    }

    pub(crate) fn as_slice(&self) -> &[(i64, i64)] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, value: i64) -> bool {
        let after = self.0.partition_point(|(low, _)| *low <= value);
        after.checked_sub(1).is_some_and(|index| value <= self.0[index].1)
    }

    pub(crate) fn union(sets: &[Intervals]) -> Intervals {
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

    pub(crate) fn complement(&self) -> Intervals {
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

    pub(crate) fn intersection(&self, other: &Intervals) -> Intervals {
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
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// The least integer that a lower bound admits.
fn least(end: &Bound) -> Option<i64> {
    match &end.number {
        Number::Int(bound) if end.is_included => Some(*bound),
        Number::Int(bound) => bound.checked_add(1),
        Number::Big(bound) => (bound.sign() == Sign::Minus).then_some(i64::MIN),
        Number::Float(bound) if *bound < -BEYOND => Some(i64::MIN),
        Number::Float(bound) if *bound < BEYOND && end.is_included => Some(bound.ceil() as i64),
        Number::Float(bound) if *bound < BEYOND => (bound.floor() as i64).checked_add(1),
        Number::Float(_) => None,
    }
}

/// The greatest integer that an upper bound admits.
fn greatest(end: &Bound) -> Option<i64> {
    match &end.number {
        Number::Int(bound) if end.is_included => Some(*bound),
        Number::Int(bound) => bound.checked_sub(1),
        Number::Big(bound) => (bound.sign() != Sign::Minus).then_some(i64::MAX),
        Number::Float(bound) if *bound >= BEYOND => Some(i64::MAX),
        Number::Float(bound) if *bound >= -BEYOND && end.is_included => Some(bound.floor() as i64),
        Number::Float(bound) if *bound >= -BEYOND => (bound.ceil() as i64).checked_sub(1),
        Number::Float(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Intervals, Number};
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
    fn bounds_are_numbers_of_any_kind() {
        let open = |number: f64| Bound { number: Number::Float(number), is_included: false };
        let closed = |number: f64| Bound { number: Number::Float(number), is_included: true };
        let between = |low: Option<Bound>, high: Option<Bound>| Intervals::between(low.as_ref(), high.as_ref());
        assert_eq!(between(Some(open(1.5)), Some(open(3.0))).as_slice(), [(2, 2)]);
        assert_eq!(between(Some(closed(1.5)), Some(closed(3.0))).as_slice(), [(2, 3)]);
        assert_eq!(between(Some(open(2.0)), None).as_slice(), [(3, i64::MAX)]);
        assert!(between(Some(open(f64::NAN)), None).is_empty());
        assert!(between(Some(open(1e19)), None).is_empty());
        assert_eq!(between(Some(open(-1e19)), Some(closed(1e19))), Intervals::all());
        let big = || Bound { number: Number::Big(num_bigint::BigInt::from(u128::MAX)), is_included: true };
        assert_eq!((between(Some(big()), None), between(None, Some(big()))), (Intervals::default(), Intervals::all()));
        assert_eq!(Intervals::equal_to(&Number::Float(3.0)).as_slice(), [(3, 3)]);
        assert!(Intervals::equal_to(&Number::Float(3.5)).is_empty());
        assert_eq!(between(Some(closed(-9_223_372_036_854_775_808.0)), None), Intervals::all());
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
