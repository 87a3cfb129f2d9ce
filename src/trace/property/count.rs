//! The number of subjects in the stretches of a group.

use super::ViolationKind;
use super::decide::{GroupResult, Judge};
use super::distance::Measure;
use super::lists::Occurrence;
use super::stretch::StretchGroup;
use crate::trace::event::EventId;

impl Judge<'_, '_> {
    /// The longest stretch has the most subjects, the shortest one the fewest.
    pub(super) fn count(&self, group: &StretchGroup, least: u64, most: Option<u64>) -> GroupResult {
        if let Some(measure) = self.measure {
            return self.count_within(group, least, most, measure);
        }
        if let Some(most) = most
            && let Some(wanted) = most.checked_add(1)
            && self.n_subjects(group, group.first, wanted) > most
        {
            let subjects = self.subject.occurrences(group.first, group.below).take(at_most(wanted));
            return self.violation(group, group.first, ViolationKind::TooMany, self.events_of(subjects));
        }
        let Some(last) = group.below.checked_sub(1).filter(|_| group.is_final && least > 0) else {
            return self.nothing_counted(group, least);
        };
        let is_short = |start: EventId| self.n_subjects(group, start, least) < least;
        if !is_short(self.stretches.start_at(group, last)) {
            return GroupResult::Good;
        }
        let later = self.stretches.later_starts(group);
        let start = match is_short(group.first) {
            true => group.first,
            false => later[later.partition_point(|start| !is_short(*start))],
        };
        self.violation(group, start, ViolationKind::TooFew(self.n_subjects(group, start, least)), Vec::new())
    }

    /// A violation in a stretch that ends before the first row.
    fn nothing_counted(&self, group: &StretchGroup, least: u64) -> GroupResult {
        match group.is_final && least > 0 {
            true => self.violation(group, group.first, ViolationKind::TooFew(0), Vec::new()),
            false => GroupResult::Good,
        }
    }

    /// The number of subjects from a row on, counted up to a limit.
    fn n_subjects(&self, group: &StretchGroup, start: EventId, enough: u64) -> u64 {
        match self.subject.is_single() {
            true => self.subject.first().part(start, group.below.max(start)).len() as u64,
            false => self.subject.occurrences(start, group.below).take(at_most(enough)).count() as u64,
        }
    }

    /// All events of some subjects, in order.
    fn events_of(&self, subjects: impl Iterator<Item = Occurrence>) -> Vec<EventId> {
        let mut events: Vec<EventId> = subjects.flat_map(|subject| self.subject.events(subject.start)).collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// Counts only the subjects at an allowed distance from the start of their stretch. It goes from the last stretch to
    /// the first and keeps the values of the subjects that begin in it.
    fn count_within(&self, group: &StretchGroup, least: u64, most: Option<u64>, measure: &Measure<'_>) -> GroupResult {
        let subjects: Vec<Occurrence> = self.subject.occurrences(group.first, group.below).collect();
        let mut values: Vec<i128> = subjects.iter().filter_map(|subject| (measure.value)(subject.end)).collect();
        values.sort_unstable();
        values.dedup();
        let mut counts = CountTree::new(values);
        let mut rest = subjects.as_slice();
        let starts = std::iter::once(&group.first).chain(self.stretches.later_starts(group)).copied();
        let starts: Vec<EventId> = starts.collect();
        let mut found = GroupResult::Good;
        for start in starts.into_iter().rev() {
            while let [others @ .., subject] = rest
                && subject.start >= start
            {
                counts.add((measure.value)(subject.end));
                rest = others;
            }
            let value = self.last.filter(|last| start <= *last).and_then(|_| (measure.value)(start));
            let n = value.map_or(0, |value| measure.around(value).map(|(low, high)| counts.between(low, high)).sum());
            if most.is_some_and(|most| n > most) {
                let within = subjects.iter().filter(|one| one.start >= start && measure.is_within(start, one.end));
                let wanted = at_most(most.unwrap_or(n).saturating_add(1));
                found =
                    self.violation(group, start, ViolationKind::TooMany, self.events_of(within.copied().take(wanted)));
            } else if n < least && self.is_over(group, measure, start) {
                found = self.violation(group, start, ViolationKind::TooFew(n), Vec::new());
            }
        }
        found
    }
}

fn at_most(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Counts of values in a binary indexed tree.
struct CountTree {
    values: Vec<i128>,
    sums: Vec<u64>,
}

impl CountTree {
    /// Zero counts of sorted values.
    fn new(values: Vec<i128>) -> CountTree {
        let sums = vec![0; values.len() + 1];
        CountTree { values, sums }
    }

    fn add(&mut self, value: Option<i128>) {
        let Some(value) = value else { return };
        let mut place = self.values.partition_point(|other| *other < value) + 1;
        while let Some(sum) = self.sums.get_mut(place) {
            *sum += 1;
            place += place & place.wrapping_neg();
        }
    }

    /// The number of values from one to another, inclusive.
    fn between(&self, low: i128, high: i128) -> u64 {
        let below = self.values.partition_point(|value| *value < low);
        let up_to = self.values.partition_point(|value| *value <= high);
        self.sum(up_to) - self.sum(below)
    }

    fn sum(&self, mut place: usize) -> u64 {
        let mut sum = 0;
        while place > 0 {
            sum += self.sums[place];
            place &= place - 1;
        }
        sum
    }
}
