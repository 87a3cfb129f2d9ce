//! The stretches of a scope. Those that end together are a group: one ends where all of them do.

use super::super::EventId;
use super::lists::{List, Lists};
use super::{End, Property, Scope, Slice};

/// Stretches that end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Where the first of them begins.
    pub(super) first: EventId,
    /// The row behind them.
    pub(super) below: EventId,
    /// Whether the first row is that of an opening event.
    pub(super) is_opened: bool,
    /// Whether an event closes them, so that `below` is its row.
    pub(super) is_closed: bool,
    /// Whether they end there whatever follows.
    pub(super) is_final: bool,
}

/// A scope with the rows that open and close stretches.
pub(super) struct Stretches<'l, 'a> {
    scope: Scope,
    opens: Option<&'l List<'a>>,
    closes: Option<&'l List<'a>>,
    n_events: EventId,
    end: End,
}

impl<'l, 'a> Stretches<'l, 'a> {
    pub(super) fn new(property: &Property, slice: &Slice<'a>, lists: &'l Lists<'a>) -> Stretches<'l, 'a> {
        let list = |index: Option<usize>| index.map(|index| &lists.0[index]);
        let Slice { n_events, end, .. } = *slice;
        let (opens, closes) = (list(property.opens), list(property.closes));
        Stretches { scope: property.scope, opens, closes, n_events, end }
    }

    /// Whether stretches may overlap, and there may be many groups of them.
    fn has_groups(&self) -> bool {
        matches!(self.scope, Scope::Between | Scope::AfterUntil)
    }

    /// The group that a row lies in, or else the next one behind it.
    pub(super) fn group(&self, row: EventId) -> Option<Group> {
        let n_events = self.n_events;
        let to_end = |first, is_opened| {
            let is_final = self.end == End::Complete;
            Group { first, below: n_events, is_opened, is_closed: false, is_final }
        };
        match self.scope {
            Scope::Globally => Some(to_end(0, false)),
            Scope::After => self.opens?.next(0).map(|first| to_end(first, true)),
            Scope::Before => {
                let below = self.closes?.next(0)?;
                Some(Group { first: 0, below, is_opened: false, is_closed: true, is_final: true })
            }
            Scope::Between | Scope::AfterUntil => {
                let closed = self.closes?.prev(row.saturating_add(1)).map_or(0, |row| row + 1);
                let first = self.opening(closed)?;
                match self.closes?.next(first) {
                    Some(below) => Some(Group { first, below, is_opened: true, is_closed: true, is_final: true }),
                    None if self.scope == Scope::AfterUntil => Some(to_end(first, true)),
                    None => None,
                }
            }
        }
    }

    /// The group whose stretches nothing has ended up to a row, the last one.
    pub(super) fn open_group(&self, last: EventId) -> Option<Group> {
        let to_end = |first| Group { first, below: self.n_events, is_opened: true, is_closed: false, is_final: false };
        match self.scope {
            Scope::Before => None,
            Scope::Globally | Scope::After => self.group(last),
            Scope::Between | Scope::AfterUntil => {
                let closed = self.closes?.prev(EventId::MAX).map_or(0, |row| row + 1);
                self.opening(closed).map(to_end)
            }
        }
    }

    /// The group behind another one.
    pub(super) fn group_behind(&self, group: &Group) -> Option<Group> {
        if !self.has_groups() || !group.is_closed { None } else { self.group(group.below) }
    }

    /// The first event from a row on that opens a stretch.
    fn opening(&self, from: EventId) -> Option<EventId> {
        let mut row = self.opens?.next(from)?;
        while self.closes?.has(row) {
            row = self.opens?.next(row + 1)?;
        }
        Some(row)
    }

    /// The start of the last stretch of a group that begins at or before a row of it.
    pub(super) fn start_at(&self, group: &Group, row: EventId) -> EventId {
        match self.opens {
            Some(opens) if self.has_groups() => opens.prev(row + 1).unwrap_or(group.first).max(group.first),
            _ => group.first,
        }
    }

    /// The start of the first stretch of a group that begins behind a row of it.
    pub(super) fn start_behind(&self, group: &Group, row: EventId) -> Option<EventId> {
        let opens = self.opens.filter(|_| self.has_groups())?;
        opens.next(row + 1).filter(|row| *row < group.below)
    }

    /// The starts of the stretches of a group behind the first one.
    pub(super) fn later_starts(&self, group: &Group) -> &'a [EventId] {
        match self.opens {
            Some(opens) if self.has_groups() => opens.part(group.first.saturating_add(1), group.below),
            _ => &[],
        }
    }
}
