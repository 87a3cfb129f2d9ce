//! Precedence and response on the stretches of a group, with and without a maximal distance; and what holds always
//! within a distance.

use super::ViolationKind;
use super::decide::{GroupResult, Judge};
use super::distance::{Growth, Measure, NearValues};
use super::lists::{ListChain, Occurrence};
use super::stretch::StretchGroup;
use crate::trace::event::EventId;

impl Judge<'_, '_> {
    pub(super) fn precedes(&self, group: &StretchGroup) -> GroupResult {
        let Some(needed) = self.needed else { return GroupResult::Nothing };
        match self.measure {
            Some(measure) => self.precedes_near(group, needed, measure),
            None => self.precedes_anywhere(group, needed),
        }
    }

    /// The first subject of each stretch decides; of the stretches with the same first subject, the shortest.
    fn precedes_anywhere(&self, group: &StretchGroup, needed: ListChain<'_, '_>) -> GroupResult {
        let mut found = GroupResult::Nothing;
        let mut start = Some(group.first);
        while let Some(from) = start {
            let Some(subject) = self.subject.occurrences(from, group.below).next() else { break };
            let shortest = self.stretches.start_at(group, subject.start);
            if needed.latest_start(shortest, subject.end).is_none() {
                return self.violation(group, shortest, ViolationKind::Unpreceded, self.subject.events(subject.start));
            }
            found = GroupResult::Good;
            start = self.stretches.start_after(group, subject.start);
        }
        found
    }

    /// The shortest stretch of each subject decides, in which any of the needed chains may be near enough.
    fn precedes_near(&self, group: &StretchGroup, needed: ListChain<'_, '_>, measure: &Measure<'_>) -> GroupResult {
        let mut found = GroupResult::Nothing;
        let firsts = needed.first().part(group.first, group.below);
        let (mut near, mut n_in, mut n_out) = (NearValues::default(), 0, 0);
        for subject in self.subject.occurrences(group.first, group.below) {
            found = GroupResult::Good;
            let shortest = self.stretches.start_at(group, subject.start);
            let wrong = |fault| self.violation(group, shortest, fault, self.subject.events(subject.start));
            let Some(latest) = needed.latest_start(shortest, subject.end) else {
                return wrong(ViolationKind::Unpreceded);
            };
            let Some(value) = (measure.value)(subject.end) else { return wrong(ViolationKind::Unmeasured) };
            if measure.is_near(latest, subject.end) {
                continue;
            }
            if measure.growth == Growth::Rising {
                return self.too_far(wrong(ViolationKind::TooEarly), latest);
            }
            while firsts.get(n_in).is_some_and(|row| *row <= latest) {
                near.insert(measure, firsts[n_in]);
                n_in += 1;
            }
            while n_out < n_in && firsts[n_out] < shortest {
                near.remove(measure, firsts[n_out]);
                n_out += 1;
            }
            if !near.has_near(measure, value) {
                return self.too_far(wrong(ViolationKind::TooEarly), latest);
            }
        }
        found
    }

    pub(super) fn responds(&self, group: &StretchGroup) -> GroupResult {
        let Some(needed) = self.needed else { return GroupResult::Nothing };
        match self.measure {
            Some(measure) => self.responds_near(group, needed, measure),
            None => self.responds_anywhere(group, needed),
        }
    }

    /// The last subject of the longest stretch decides.
    fn responds_anywhere(&self, group: &StretchGroup, needed: ListChain<'_, '_>) -> GroupResult {
        let (first, below) = (group.first, group.below);
        let last = below.checked_sub(1);
        let start = last.and_then(|last| self.subject.latest_start(first, last));
        let Some(end) = start.and_then(|start| self.subject.completion(start, below)) else {
            return GroupResult::Nothing;
        };
        let answer = last.and_then(|last| needed.latest_start(first, last));
        if !group.is_final || answer.is_some_and(|answer| answer >= end) {
            return GroupResult::Good;
        }
        // subjects that end at or before the last answer are answered
        let answered = answer.and_then(|answer| self.subject.latest_start(first, answer));
        let from = answered.map_or(first, |answered| answered + 1);
        let subject = self.subject.occurrences(from, below).next().unwrap_or(Occurrence { start: from, end });
        let opening = self.stretches.start_at(group, subject.start);
        self.violation(group, opening, ViolationKind::Unanswered, self.subject.events(subject.start))
    }

    /// There must be a chain that begins at or after a subject and ends near enough. Its last event may be any from the
    /// one on that ends the earliest chain.
    fn responds_near(&self, group: &StretchGroup, needed: ListChain<'_, '_>, measure: &Measure<'_>) -> GroupResult {
        let subjects: Vec<Occurrence> = self.subject.occurrences(group.first, group.below).collect();
        let mut found = if subjects.is_empty() { GroupResult::Nothing } else { GroupResult::Good };
        let mut lasts = needed.last().part(group.first, group.below);
        let mut near = NearValues::default();
        for subject in subjects.into_iter().rev() {
            let earliest = needed.completion(subject.end, group.below);
            let value = (measure.value)(subject.end);
            let fault = match (earliest, value) {
                (_, None) => ViolationKind::Unmeasured,
                (None, Some(value)) if group.is_final || measure.is_past(value, self.last) => ViolationKind::Unanswered,
                (None, Some(_)) => continue,
                (Some(earliest), Some(_)) if measure.is_near(earliest, subject.end) => continue,
                (Some(_), Some(_)) if measure.growth == Growth::Rising => ViolationKind::TooLate,
                (Some(earliest), Some(value)) => {
                    while let [rest @ .., row] = lasts
                        && *row >= earliest
                    {
                        near.insert(measure, *row);
                        lasts = rest;
                    }
                    if !group.is_final || near.has_near(measure, value) {
                        continue;
                    }
                    ViolationKind::TooLate
                }
            };
            let opening = self.stretches.start_at(group, subject.start);
            found = self.violation(group, opening, fault, self.subject.events(subject.start));
            if let (ViolationKind::TooLate, Some(far)) = (fault, earliest) {
                found = self.too_far(found, far);
            }
        }
        found
    }

    /// An event that is not a subject must be too far from the start of every stretch that contains it.
    pub(super) fn always_near(&self, group: &StretchGroup, measure: &Measure<'_>) -> GroupResult {
        let list = self.subject.first();
        let mut starts = std::iter::once(&group.first).chain(self.stretches.later_starts(group)).copied().peekable();
        let mut near = NearValues::default();
        let mut row = list.gap(group.first);
        while row < group.below {
            while let Some(start) = starts.next_if(|start| *start <= row) {
                near.insert(measure, start);
            }
            let nearest = self.stretches.start_at(group, row);
            let value = (measure.value)(row);
            if measure.is_near(nearest, row) || value.is_some_and(|value| near.has_near(measure, value)) {
                return self.violation(group, self.near_start(group, measure, row), ViolationKind::Other, vec![row]);
            }
            let from = match measure.growth {
                Growth::Rising => match self.stretches.start_after(group, row) {
                    Some(start) => start,
                    None => break,
                },
                Growth::Any => row + 1,
            };
            row = list.gap(from);
        }
        GroupResult::Good
    }

    /// The start of the first stretch of a group that is near enough to a row in it.
    fn near_start(&self, group: &StretchGroup, measure: &Measure<'_>, row: EventId) -> EventId {
        let mut starts = std::iter::once(&group.first).chain(self.stretches.later_starts(group)).copied();
        starts.find(|start| *start <= row && measure.is_near(*start, row)).unwrap_or(group.first)
    }
}
