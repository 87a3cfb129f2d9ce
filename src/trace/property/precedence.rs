//! Precedence and response on the stretches of a group, with and without a limit of the distance; and what holds always
//! within a distance.

use super::ViolationKind;
use super::decide::{GroupResult, Judge};
use super::distance::{EventValues, Measure};
use super::lists::{ListChain, Occurrence};
use super::stretch::StretchGroup;
use crate::trace::event::EventId;

impl Judge<'_, '_> {
    pub(super) fn precedes(&self, group: &StretchGroup) -> GroupResult {
        let Some(needed) = self.needed else { return GroupResult::Nothing };
        match self.measure {
            Some(measure) => self.precedes_within(group, needed, measure),
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

    /// The shortest stretch of each subject decides, in which any of the needed chains may be at an allowed distance.
    fn precedes_within(&self, group: &StretchGroup, needed: ListChain<'_, '_>, measure: &Measure<'_>) -> GroupResult {
        let mut found = GroupResult::Nothing;
        let firsts = needed.first().part(group.first, group.below);
        let (mut values, mut n_in, mut n_out) = (EventValues::default(), 0, 0);
        for subject in self.subject.occurrences(group.first, group.below) {
            found = GroupResult::Good;
            let shortest = self.stretches.start_at(group, subject.start);
            let wrong = |fault| self.violation(group, shortest, fault, self.subject.events(subject.start));
            let Some(latest) = needed.latest_start(shortest, subject.end) else {
                return wrong(ViolationKind::Unpreceded);
            };
            let Some(value) = (measure.value)(subject.end) else { return wrong(ViolationKind::Unmeasured) };
            if measure.is_within(latest, subject.end) {
                continue;
            }
            if measure.is_too_far(latest, subject.end) {
                return self.outside(wrong(ViolationKind::PrecededOutside), latest);
            }
            while firsts.get(n_in).is_some_and(|row| *row <= latest) {
                values.insert(measure, firsts[n_in]);
                n_in += 1;
            }
            while n_out < n_in && firsts[n_out] < shortest {
                values.remove(measure, firsts[n_out]);
                n_out += 1;
            }
            if !values.has_within(measure, value) {
                return self.outside(wrong(ViolationKind::PrecededOutside), latest);
            }
        }
        found
    }

    pub(super) fn responds(&self, group: &StretchGroup) -> GroupResult {
        let Some(needed) = self.needed else { return GroupResult::Nothing };
        match self.measure {
            Some(measure) => self.responds_within(group, needed, measure),
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

    /// There must be a chain that begins at or after a subject and ends at an allowed distance. Its last event may be any
    /// from the one on that ends the earliest chain.
    fn responds_within(&self, group: &StretchGroup, needed: ListChain<'_, '_>, measure: &Measure<'_>) -> GroupResult {
        let subjects: Vec<Occurrence> = self.subject.occurrences(group.first, group.below).collect();
        let mut found = if subjects.is_empty() { GroupResult::Nothing } else { GroupResult::Good };
        let mut lasts = needed.last().part(group.first, group.below);
        let mut values = EventValues::default();
        for subject in subjects.into_iter().rev() {
            let earliest = needed.completion(subject.end, group.below);
            let value = (measure.value)(subject.end);
            let fault = match (earliest, value) {
                (_, None) => ViolationKind::Unmeasured,
                (None, Some(_)) if self.is_over(group, measure, subject.end) => ViolationKind::Unanswered,
                (None, Some(_)) => continue,
                (Some(earliest), Some(_)) if measure.is_within(earliest, subject.end) => continue,
                (Some(earliest), Some(_)) if measure.is_too_far(subject.end, earliest) => {
                    ViolationKind::AnsweredOutside
                }
                (Some(earliest), Some(value)) => {
                    while let [rest @ .., row] = lasts
                        && *row >= earliest
                    {
                        values.insert(measure, *row);
                        lasts = rest;
                    }
                    if values.has_within(measure, value) || !self.is_over(group, measure, subject.end) {
                        continue;
                    }
                    ViolationKind::AnsweredOutside
                }
            };
            let opening = self.stretches.start_at(group, subject.start);
            found = self.violation(group, opening, fault, self.subject.events(subject.start));
            if let (ViolationKind::AnsweredOutside, Some(earliest)) = (fault, earliest) {
                found = self.outside(found, earliest);
            }
        }
        found
    }

    /// An event that is not a subject must be at no allowed distance from the start of any stretch that contains it.
    pub(super) fn always_within(&self, group: &StretchGroup, measure: &Measure<'_>) -> GroupResult {
        let list = self.subject.first();
        let mut starts = std::iter::once(&group.first).chain(self.stretches.later_starts(group)).copied().peekable();
        let mut values = EventValues::default();
        let mut row = list.gap(group.first);
        while row < group.below {
            while let Some(start) = starts.next_if(|start| *start <= row) {
                values.insert(measure, start);
            }
            let nearest = self.stretches.start_at(group, row);
            let value = (measure.value)(row);
            if measure.is_within(nearest, row) || value.is_some_and(|value| values.has_within(measure, value)) {
                return self.violation(group, self.start_within(group, measure, row), ViolationKind::Other, vec![row]);
            }
            let from = match measure.is_too_far(nearest, row) {
                true => match self.stretches.start_after(group, row) {
                    Some(start) => start,
                    None => break,
                },
                false => row + 1,
            };
            row = list.gap(from);
        }
        GroupResult::Good
    }

    /// The start of the first stretch of a group that is at an allowed distance from a row in it.
    fn start_within(&self, group: &StretchGroup, measure: &Measure<'_>, row: EventId) -> EventId {
        let mut starts = std::iter::once(&group.first).chain(self.stretches.later_starts(group)).copied();
        starts.find(|start| *start <= row && measure.is_within(*start, row)).unwrap_or(group.first)
    }
}
