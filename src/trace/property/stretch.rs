//! The stretches of a scope. Stretches with the same end form a group.

use super::lists::{RowList, SliceLists};
use super::{Property, Scope, Slice, TraceEnd};
use crate::trace::event::EventId;

/// Stretches with the same end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StretchGroup {
    /// The start of the first stretch.
    pub(super) first: EventId,
    /// The row after the stretches.
    pub(super) below: EventId,
    /// Whether the first row is that of an opening event.
    pub(super) is_opened: bool,
    /// Whether an event closes the stretches; `below` is its row.
    pub(super) is_closed: bool,
    /// Whether the stretches end there whatever follows.
    pub(super) is_final: bool,
}

/// A scope with the rows that open and close stretches.
pub(super) struct ScopeStretches<'l, 'a> {
    scope: Scope,
    opens: Option<&'l RowList<'a>>,
    closes: Option<&'l RowList<'a>>,
    n_events: EventId,
    end: TraceEnd,
}

impl<'l, 'a> ScopeStretches<'l, 'a> {
    pub(super) fn new(property: &Property, slice: &Slice<'a>, lists: &'l SliceLists<'a>) -> ScopeStretches<'l, 'a> {
        let list = |index: Option<usize>| index.map(|index| &lists.0[index]);
        let Slice { n_events, end, .. } = *slice;
        let (opens, closes) = (list(property.opens), list(property.closes));
        ScopeStretches { scope: property.scope, opens, closes, n_events, end }
    }

    /// Whether stretches may overlap, and there may be many groups.
    fn has_groups(&self) -> bool {
        matches!(self.scope, Scope::Between | Scope::AfterUntil)
    }

    /// The group that contains a row, or else the next one after it.
    pub(super) fn group(&self, row: EventId) -> Option<StretchGroup> {
        let n_events = self.n_events;
        let to_end = |first, is_opened| {
            let is_final = self.end == TraceEnd::Complete;
            StretchGroup { first, below: n_events, is_opened, is_closed: false, is_final }
        };
        match self.scope {
            Scope::Globally => Some(to_end(0, false)),
            Scope::After => self.opens?.next(0).map(|first| to_end(first, true)),
            Scope::Before => {
                let below = self.closes?.next(0)?;
                Some(StretchGroup { first: 0, below, is_opened: false, is_closed: true, is_final: true })
            }
            Scope::Between | Scope::AfterUntil => {
                let closed = self.closes?.prev(row.saturating_add(1)).map_or(0, |row| row + 1);
                let first = self.opening(closed)?;
                match self.closes?.next(first) {
                    Some(below) => {
                        Some(StretchGroup { first, below, is_opened: true, is_closed: true, is_final: true })
                    }
                    None if self.scope == Scope::AfterUntil => Some(to_end(first, true)),
                    None => None,
                }
            }
        }
    }

    /// The group whose stretches are still open at `last`, the last row.
    pub(super) fn open_group(&self, last: EventId) -> Option<StretchGroup> {
        let to_end =
            |first| StretchGroup { first, below: self.n_events, is_opened: true, is_closed: false, is_final: false };
        match self.scope {
            Scope::Before => None,
            Scope::Globally | Scope::After => self.group(last),
            Scope::Between | Scope::AfterUntil => {
                let closed = self.closes?.prev(EventId::MAX).map_or(0, |row| row + 1);
                self.opening(closed).map(to_end)
            }
        }
    }

    /// The group after another one.
    pub(super) fn group_after(&self, group: &StretchGroup) -> Option<StretchGroup> {
        if !self.has_groups() || !group.is_closed { None } else { self.group(group.below) }
    }

    /// The first opening event from a row on.
    fn opening(&self, from: EventId) -> Option<EventId> {
        let mut row = self.opens?.next(from)?;
        while self.closes?.has(row) {
            row = self.opens?.next(row + 1)?;
        }
        Some(row)
    }

    /// The start of the last stretch of a group that begins at or before a row.
    pub(super) fn start_at(&self, group: &StretchGroup, row: EventId) -> EventId {
        match self.opens {
            Some(opens) if self.has_groups() => opens.prev(row + 1).unwrap_or(group.first).max(group.first),
            _ => group.first,
        }
    }

    /// The start of the first stretch of a group that begins after a row.
    pub(super) fn start_after(&self, group: &StretchGroup, row: EventId) -> Option<EventId> {
        let opens = self.opens.filter(|_| self.has_groups())?;
        opens.next(row + 1).filter(|row| *row < group.below)
    }

    /// The starts of the stretches of a group except the first.
    pub(super) fn later_starts(&self, group: &StretchGroup) -> &'a [EventId] {
        match self.opens {
            Some(opens) if self.has_groups() => opens.part(group.first.saturating_add(1), group.below),
            _ => &[],
        }
    }
}
