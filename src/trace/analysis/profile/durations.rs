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
#[derive(Debug, Default)]
pub(super) struct DurationList {
    /// By duration; empty as long as none is counted.
    counts: Vec<u32>,
    others: Vec<i64>,
}

/// A group of so many calls counts durations below [`N_COUNTED`].
const LARGE: usize = 4096;
const N_COUNTED: usize = 256;

impl DurationList {
    pub(super) fn of(durations: &[i64]) -> DurationList {
        DurationList { counts: Vec::new(), others: durations.to_vec() }
    }

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

/// How often each duration occurs among the calls of a group in several traces.
#[derive(Default)]
pub(super) struct DurationCounts {
    /// Durations with their counts; the first ones differ from each other and rise.
    counts: Vec<(i64, u64)>,
    n_sorted: usize,
}

impl DurationCounts {
    pub(super) fn add(&mut self, list: DurationList) {
        let counted = (0..).zip(list.counts).filter(|(_, count)| *count > 0);
        for (duration, count) in counted {
            self.push(duration, u64::from(count));
        }
        list.others.into_iter().for_each(|duration| self.push(duration, 1));
    }

    fn push(&mut self, duration: i64, count: u64) {
        self.counts.push((duration, count));
        if self.counts.len() - self.n_sorted > LARGE.max(self.n_sorted / 4) {
            self.sort();
        }
    }

    /// Leaves each duration once. Most of the list is in order already, which a stable sort makes use of.
    fn sort(&mut self) {
        self.counts.sort_by_key(|(duration, _)| *duration);
        self.counts.dedup_by(|(duration, count), (kept, n_kept)| {
            let is_same = duration == kept;
            *n_kept += if is_same { *count } else { 0 };
            is_same
        });
        self.n_sorted = self.counts.len();
    }

    pub(super) fn percentiles(mut self) -> Option<Durations> {
        self.sort();
        let n: u64 = self.counts.iter().map(|(_, count)| *count).sum();
        let max = self.counts.last()?.0;
        let percent = |percent: u128| {
            let rank = (u128::from(n) * percent).div_ceil(100).max(1);
            let mut n_up_to = 0_u128;
            let reaches = |(_, count): &&(i64, u64)| {
                n_up_to += u128::from(*count);
                n_up_to >= rank
            };
            self.counts.iter().find(reaches).map_or(max, |(duration, _)| *duration)
        };
        Some(Durations { p50: percent(50), p95: percent(95), p99: percent(99), max })
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

    #[test]
    fn the_same_durations_of_more_traces_take_no_more_room() {
        let mut counts = DurationCounts::default();
        let durations: Vec<i64> = (0..3 * LARGE as i64).map(|number| number * 1000).collect();
        let n_kept = |n_traces: usize, counts: &mut DurationCounts| {
            (0..n_traces).for_each(|_| counts.add(DurationList::of(&durations)));
            counts.counts.len()
        };
        let few = n_kept(2, &mut counts);
        assert!(n_kept(50, &mut counts) <= few.max(2 * durations.len()));
        let found = counts.percentiles().map(|found| [found.p50, found.max]);
        assert_eq!(found, Some([durations[durations.len() / 2 - 1], durations[durations.len() - 1]]));
    }

    proptest! {
        #[test]
        fn percentiles_of_several_traces_are_those_of_all_their_durations(
            traces in prop::collection::vec(
                (prop::collection::vec(prop_oneof![3 => 0..20_i64, 1 => 240..5000_i64, 1 => 0..i64::MAX], 0..6000), any::<bool>()),
                0..4,
            ),
        ) {
            let mut counts = DurationCounts::default();
            for (durations, is_counted) in &traces {
                let mut list = DurationList::default();
                durations.iter().for_each(|duration| list.push(*duration));
                counts.add(if *is_counted { list } else { DurationList::of(durations) });
            }
            let mut all = traces.into_iter().flat_map(|(durations, _)| durations).collect::<Vec<_>>();
            prop_assert_eq!(counts.percentiles(), Durations::of((&[], &mut all)));
        }

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
