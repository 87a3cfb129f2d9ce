//! Durations of calls, and their percentiles.

/// Percentiles of durations by the nearest rank: so many percent of the calls took at most that long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Durations {
    pub(crate) p50: i64,
    pub(crate) p95: i64,
    pub(crate) p99: i64,
    pub(crate) max: i64,
}

/// The durations of the calls of a group. Of a large group, small durations are counted, and only others are stored.
#[derive(Default)]
pub(super) struct DurationList {
    /// By duration; empty as long as none is counted.
    counts: Vec<u32>,
    others: Vec<i64>,
}

/// A group of so many calls counts durations below [`N_COUNTED`].
const LARGE: usize = 4096;
const N_COUNTED: usize = 256;

impl DurationList {
    #[inline]
    pub(super) fn push(&mut self, duration: i64) {
        match usize::try_from(duration).ok().and_then(|index| self.counts.get_mut(index)) {
            Some(count) => *count += 1,
            None => self.push_other(duration),
        }
    }

    fn push_other(&mut self, duration: i64) {
        self.others.push(duration);
        if self.others.len() == LARGE {
            self.count_small();
        }
    }

    /// Adds the durations of another list.
    pub(super) fn add(&mut self, other: DurationList) {
        if !other.counts.is_empty() {
            self.count_small();
            self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        }
        other.others.into_iter().for_each(|duration| self.push(duration));
    }

    /// Counts small durations from now on.
    fn count_small(&mut self) {
        if self.counts.is_empty() {
            self.counts.resize(N_COUNTED, 0);
            for duration in std::mem::take(&mut self.others) {
                self.push(duration);
            }
        }
    }

    pub(super) fn parts(&mut self) -> (&[u32], &mut [i64]) {
        (&self.counts, &mut self.others)
    }
}

impl Durations {
    /// Of durations that are counted, from 0 on, and of others, which are greater; none if there are none.
    pub(super) fn of((counts, others): (&[u32], &mut [i64])) -> Option<Durations> {
        let n_counted: usize = counts.iter().map(|count| *count as usize).sum();
        let (n_others, n) = (others.len(), n_counted + others.len());
        let last = n.checked_sub(1)?;
        let counted = |rank: usize| {
            let mut n_up_to = 0;
            let ends = counts.iter().map(|count| {
                n_up_to += *count as usize;
                n_up_to
            });
            ends.take_while(|end| *end <= rank).count() as i64
        };
        // each rank is sought only among what is not below the one before
        let mut rest = others;
        let mut of_rank = |rank: usize| {
            let Some(rank) = rank.checked_sub(n_counted) else { return counted(rank) };
            let index = rank - (n_others - rest.len());
            let found = *rest.select_nth_unstable(index).1;
            rest = &mut std::mem::take(&mut rest)[index..];
            found
        };
        let mut percent = |percent: usize| of_rank((n * percent).div_ceil(100).saturating_sub(1));
        let (p50, p95, p99) = (percent(50), percent(95), percent(99));
        Some(Durations { p50, p95, p99, max: of_rank(last) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_small_durations_changes_nothing(
            mut all in prop::collection::vec(prop_oneof![3 => 0..20_i64, 1 => 240..280_i64, 1 => 0..i64::MAX], 0..6000),
        ) {
            let mut list = DurationList::default();
            all.iter().for_each(|duration| list.push(*duration));
            prop_assert_eq!(Durations::of(list.parts()), Durations::of((&[], &mut all)));
            all.sort_unstable();
            let at = |percent: usize| Some(all[(all.len() * percent).div_ceil(100).checked_sub(1)?]);
            let found = Durations::of(list.parts());
            prop_assert_eq!(found.map(|found| [found.p50, found.p95, found.p99, found.max].map(Some)),
                (!all.is_empty()).then(|| [50, 95, 99, 100].map(at)));
        }
    }
}
