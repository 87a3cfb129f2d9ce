//! Rows that a property no longer needs because everything that depends on them is decided: for growing traces.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::lists::{Occurrence, SliceLists};
use super::stretch::{ScopeStretches, StretchGroup};
use super::{Claim, Growth, Property, Scope, Slice};
use crate::trace::event::EventId;

/// For each list the rows that are still needed.
pub(crate) type Needed = SmallVec<[Range<EventId>; 6]>;

impl Property {
    /// The rows that a property which has held so far still needs, whatever follows. The other rows may be removed from
    /// the lists, but not from lists of other bindings.
    pub(crate) fn needed_rows(&self, slice: &Slice<'_>) -> Needed {
        let mut rows: Needed = smallvec![0..EventId::MAX; slice.lists.len()];
        let lists = SliceLists::new(slice);
        let stretches = ScopeStretches::new(self, slice, &lists);
        if matches!(self.scope, Scope::Between | Scope::AfterUntil)
            && let Some(closing) = self.closes.and_then(|closes| lists.0[closes].prev(EventId::MAX))
        {
            rows.iter_mut().for_each(|rows| rows.start = closing + 1);
        }
        let is_known = slice.measure.is_none_or(|measure| measure.growth == Growth::Rising);
        let Some(group) = slice.n_events.checked_sub(1).and_then(|last| stretches.open_group(last)) else {
            if self.opens.is_some() {
                rows.iter_mut().for_each(|rows| rows.start = slice.n_events);
            }
            return rows;
        };
        if !is_known {
            return rows;
        }
        match self.claim {
            // a late answer is a violation only if the stretch is closed
            Claim::Responds if self.scope != Scope::Between || slice.measure.is_none() => {
                self.after_response(slice, &lists, &group, &mut rows);
            }
            Claim::Precedes if self.scope != Scope::Between => self.after_precedence(slice, &lists, &group, &mut rows),
            Claim::Always if self.scope != Scope::Between => {
                self.set(&mut rows, &self.subject, slice.n_events..EventId::MAX);
                self.keep_last_opening(&lists, &mut rows);
            }
            Claim::Count { least, most } if slice.measure.is_none() => {
                self.after_count(&lists, &group, (least, most), &mut rows);
            }
            _ => {}
        }
        rows
    }

    fn set(&self, rows: &mut Needed, lists: &Range<usize>, needed: Range<EventId>) {
        for list in lists.clone() {
            rows[list].start = rows[list].start.max(needed.start);
        }
    }

    /// The first opening event shows where the longest stretch begins.
    fn keep_first_opening(&self, group: &StretchGroup, rows: &mut Needed) {
        if let Some(opens) = self.opens {
            rows[opens] = group.first..group.first + 1;
        }
    }

    /// The last opening event shows where the shortest stretch begins, and that there is one.
    fn keep_last_opening(&self, lists: &SliceLists<'_>, rows: &mut Needed) {
        let last = self.opens.and_then(|opens| Some((opens, lists.0[opens].prev(EventId::MAX)?)));
        if let Some((opens, last)) = last {
            rows[opens].start = rows[opens].start.max(last);
        }
    }

    /// The first subjects are answered, and answers before the first open subject answer nothing more.
    fn after_response(&self, slice: &Slice<'_>, lists: &SliceLists<'_>, group: &StretchGroup, rows: &mut Needed) {
        let (subject, needed) = (lists.chain(&self.subject), lists.chain(&self.needed));
        let is_answered = |subject: &Occurrence| {
            let earliest = needed.completion(subject.end, slice.n_events);
            earliest.is_some_and(|earliest| match slice.measure {
                Some(measure) => {
                    let lasts = needed.last().part(earliest, slice.n_events);
                    let place = lasts.partition_point(|last| measure.is_too_near(subject.end, *last));
                    lasts.get(place).is_some_and(|last| measure.is_within(subject.end, *last))
                }
                None => true,
            })
        };
        let answered = subject.occurrences(group.first, slice.n_events).take_while(is_answered).last();
        // one subject of each stretch that may turn out vacuous is kept, to know later that it is not
        let from = answered.map_or(group.first, |answered| match self.scope {
            Scope::Between => answered.start,
            _ => answered.start + 1,
        });
        let pending = subject.completion(from, slice.n_events).unwrap_or(slice.n_events);
        self.set(rows, &self.subject, from..EventId::MAX);
        self.set(rows, &self.needed, pending..EventId::MAX);
        self.keep_first_opening(group, rows);
    }

    /// Preceded subjects are decided; of the preceding events that are far enough from all later subjects, the last is in
    /// the shortest stretch, if any is.
    fn after_precedence(&self, slice: &Slice<'_>, lists: &SliceLists<'_>, group: &StretchGroup, rows: &mut Needed) {
        if self.subject.len() > 1 {
            return;
        }
        self.set(rows, &self.subject, slice.n_events..EventId::MAX);
        let (last, needed) = (slice.n_events - 1, lists.chain(&self.needed));
        let firsts = needed.latest_start(0, last).map_or(&[][..], |latest| needed.first().part(0, latest + 1));
        let is_far_enough = |first: &EventId| slice.measure.is_none_or(|measure| !measure.is_too_near(*first, last));
        if let Some(place) = firsts.partition_point(is_far_enough).checked_sub(1) {
            self.set(rows, &self.needed, firsts[place]..EventId::MAX);
        }
        match self.scope {
            Scope::After => self.keep_first_opening(group, rows),
            _ => self.keep_last_opening(lists, rows),
        }
    }

    fn after_count(
        &self,
        lists: &SliceLists<'_>,
        group: &StretchGroup,
        (least, most): (u64, Option<u64>),
        rows: &mut Needed,
    ) {
        match (least, most) {
            (0, _) => {
                self.set(rows, &self.subject, group.first..EventId::MAX);
                self.keep_first_opening(group, rows);
            }
            (least, None) if self.subject.len() == 1 => {
                let subjects = lists.0[self.subject.start].rows;
                let dispensable = subjects.len().saturating_sub(usize::try_from(least).unwrap_or(usize::MAX));
                let start = dispensable.checked_sub(1).map_or(0, |place| subjects[place] + 1);
                self.set(rows, &self.subject, start..EventId::MAX);
                match self.scope {
                    Scope::After => self.keep_first_opening(group, rows),
                    _ => self.keep_last_opening(lists, rows),
                }
            }
            _ => {}
        }
    }
}
