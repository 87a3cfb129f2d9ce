//! Deciding a property for one binding.

use super::lists::{ListChain, SliceLists};
use super::stretch::{ScopeStretches, StretchGroup};
use super::{Claim, Decision, Measure, Property, Slice, Violation, ViolationKind};
use crate::trace::event::EventId;

impl Property {
    /// Whether the property holds on all stretches of a slice, and the first stretch on which it does not; in a trace that
    /// goes on for ever, on all that there will be.
    pub(crate) fn decide(&self, slice: &Slice<'_>) -> Decision {
        if let Some(again) = slice.again.filter(|again| *again < slice.n_events) {
            return self.decide_lasso(slice, again);
        }
        let lists = SliceLists::new(slice);
        let stretches = ScopeStretches::new(self, slice, &lists);
        let needed = (!self.needed.is_empty()).then(|| lists.chain(&self.needed));
        let judge = Judge {
            property: self,
            subject: lists.chain(&self.subject),
            needed,
            stretches: &stretches,
            measure: slice.measure,
            last: slice.n_events.checked_sub(1),
            from: slice.from,
        };
        judge.decide()
    }

    /// Whether a stretch without subjects makes the property vacuous.
    fn is_about_subjects(&self) -> bool {
        matches!(self.claim, Claim::Precedes | Claim::Responds)
    }

    /// Whether a stretch without subjects cannot violate the property.
    fn needs_subjects(&self) -> bool {
        self.is_about_subjects() || matches!(self.claim, Claim::Count { least: 0, .. })
    }
}

/// A property, and the rows on which it is decided.
pub(super) struct Judge<'j, 'a> {
    pub(super) property: &'j Property,
    pub(super) subject: ListChain<'j, 'a>,
    pub(super) needed: Option<ListChain<'j, 'a>>,
    pub(super) stretches: &'j ScopeStretches<'j, 'a>,
    pub(super) measure: Option<&'j Measure<'j>>,
    /// The last event of the trace so far.
    pub(super) last: Option<EventId>,
    /// The first event that is not fully decided.
    from: EventId,
}

/// The result for a group of stretches.
pub(super) enum GroupResult {
    /// There were subjects, and they satisfy the claim.
    Good,
    /// There was nothing to decide.
    Nothing,
    Bad(Violation),
}

impl Judge<'_, '_> {
    fn decide(&self) -> Decision {
        let mut is_vacuous = true;
        let mut group = self.stretches.group(0);
        if group.is_some() && matches!(self.property.claim, Claim::Count { .. }) {
            is_vacuous = false;
        }
        while let Some(here) = group {
            let next = match self.property.needs_subjects() {
                true => self.group_of_subject(here),
                false => Some(here),
            };
            let Some(here) = next else { break };
            match self.judge(&here) {
                GroupResult::Bad(violation) => return Decision::Violated(violation),
                GroupResult::Good => is_vacuous = false,
                GroupResult::Nothing => {}
            }
            group = self.stretches.group_after(&here);
        }
        if is_vacuous { Decision::Vacuous } else { Decision::Holds }
    }

    /// The group, or the next one after it, in which an event begins a subject.
    fn group_of_subject(&self, mut group: StretchGroup) -> Option<StretchGroup> {
        loop {
            let start = self.subject.first().next(group.first)?;
            if start < group.below {
                return Some(group);
            }
            group = match group.is_closed {
                true => self.stretches.group_after(&group).and_then(|_| self.stretches.group(start))?,
                false => return None,
            };
        }
    }

    fn judge(&self, group: &StretchGroup) -> GroupResult {
        match self.property.claim {
            Claim::Count { least, most } => self.count(group, least, most),
            Claim::Always => self.always(group),
            Claim::Precedes => self.precedes(group),
            Claim::Responds => self.responds(group),
        }
    }

    /// A violation by events of the stretch that begins at a row of a group.
    pub(super) fn violation(
        &self,
        group: &StretchGroup,
        start: EventId,
        fault: ViolationKind,
        events: Vec<EventId>,
    ) -> GroupResult {
        let opening = group.is_opened.then_some(start);
        let closing = group.is_closed.then_some(group.below);
        GroupResult::Bad(Violation { fault, opening, closing, events, outside: None })
    }

    /// As `violation`, for a needed event at a distance that is not allowed.
    pub(super) fn outside(&self, found: GroupResult, outside: EventId) -> GroupResult {
        match found {
            GroupResult::Bad(violation) => GroupResult::Bad(Violation { outside: Some(outside), ..violation }),
            other => other,
        }
    }

    /// Whether no event that may still come is in the stretches of a group and at an allowed distance from an event.
    pub(super) fn is_over(&self, group: &StretchGroup, measure: &Measure<'_>, event: EventId) -> bool {
        group.is_final || self.last.is_some_and(|last| measure.is_too_far(event, last))
    }

    fn always(&self, group: &StretchGroup) -> GroupResult {
        if group.first >= group.below {
            return GroupResult::Nothing;
        }
        let is_wrong = |row: EventId| row < group.below;
        let list = self.subject.first();
        let Some(measure) = self.measure else {
            let gap = list.gap(group.first.max(self.from));
            return match is_wrong(gap) {
                true => self.violation(group, self.stretches.start_at(group, gap), ViolationKind::Other, vec![gap]),
                false => GroupResult::Good,
            };
        };
        self.always_within(group, measure)
    }
}
