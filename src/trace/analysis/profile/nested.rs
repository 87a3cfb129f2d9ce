//! The profile of calls that nest as on one stack: found in one pass over the events, without the index of calls.
//!
//! Ten million events in five million calls take a third of the processor time that they take with that index.

use super::durations::DurationList;
use super::{ErrorSigns, GroupNumbers, NO_GROUP, ProfileRow, least};
use crate::trace::column::code_column::Ints;
use crate::trace::column::codes::Codes;
use crate::trace::column::int_column::ABSENT;
use crate::trace::event::EventId;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::call_costs::times;
use crate::trace::relation::calls::NO_PARENT;
use crate::trace::relation::store::Trace;

/// A group of calls.
pub(super) struct NestedGroup {
    /// All but the durations.
    pub(super) row: ProfileRow,
    pub(super) durations: DurationList,
    /// The number of its calls that are active, and since when one is.
    n_open: u32,
    since: i64,
}

/// A call that is active.
struct ActiveCall {
    call: u32,
    group: u32,
    depth: i64,
    since: i64,
}

/// What is known of the calls that are no longer active, in a trace in which they may become active again.
#[derive(Default)]
struct LeftCalls {
    groups: Vec<u32>,
    parents: Vec<u32>,
    active: Vec<i64>,
    ended_in_error: Vec<bool>,
}

/// The state of the pass.
struct NestedCalls {
    groups: Vec<NestedGroup>,
    stack: Vec<ActiveCall>,
    n_calls: u32,
    left: Option<LeftCalls>,
}

/// The profile; none if some call does not begin and end inside the call that made it, does not end at all, or if the
/// trace tells parents or durations by itself.
pub(super) fn nested_profile(
    trace: &Trace,
    attributes: &[AttributeId],
    is_wanted: &mut impl FnMut(EventId) -> bool,
) -> Option<Vec<NestedGroup>> {
    let states_duration =
        trace.schema().find("duration").is_some_and(|id| !trace.is_computed(id) && !id.is_call_time());
    if trace.reports_parents() || states_duration {
        return None;
    }
    let roles = trace.keys.roles();
    let errors = ErrorSigns::of(trace);
    let mut numbers = GroupNumbers::new(trace, attributes);
    let mut calls = NestedCalls {
        groups: Vec::new(),
        stack: Vec::new(),
        n_calls: 0,
        left: roles.contains(&PortRole::Reopens).then(LeftCalls::default),
    };
    let times = times(trace);
    let mut columns = EventStretch::default();
    let mut last = i64::MIN;
    for first in (0..trace.n_events()).step_by(STRETCH) {
        let n_rows = columns.read(trace, times, first as usize);
        for (event, row) in (first..).zip(0..n_rows) {
            let now = match times {
                Some(_) => Some(columns.times[row]).filter(|time| *time != ABSENT)?,
                None => i64::from(event),
            };
            if now < last {
                return None;
            }
            last = now;
            let depth = Some(columns.depths[row]).filter(|depth| *depth != ABSENT);
            let key = columns.keys[row] as usize;
            let Some(call) = columns.calls[row].checked_sub(1) else {
                let leaves = calls.stack.last().zip(depth).is_some_and(|(top, depth)| depth <= top.depth);
                if leaves {
                    return None;
                }
                continue;
            };
            match roles[key] {
                PortRole::Opens => {
                    let group = if is_wanted(event) { numbers.of_event_with_key(event, key) } else { NO_GROUP };
                    calls.open(event, call, group, depth?, now)?;
                }
                PortRole::Reopens => calls.reopen(call, depth?, now)?,
                PortRole::Closes => calls.close(call, depth?, now, errors.show_with_key(trace, key, event))?,
                _ => calls.stack.last().filter(|top| top.call == call && Some(top.depth) == depth).map(|_| ())?,
            }
        }
    }
    calls.finish()
}

/// The columns of a stretch of events.
#[derive(Default)]
struct EventStretch {
    calls: Vec<u32>,
    keys: Vec<u32>,
    /// [`ABSENT`] where there is none, as in `times`.
    depths: Vec<i64>,
    times: Vec<i64>,
}

/// The number of events of a stretch.
const STRETCH: usize = 4096;

impl EventStretch {
    /// Reads the rows from `first` on; the number of rows.
    fn read(&mut self, trace: &Trace, times: Option<&Ints>, first: usize) -> usize {
        let rows = first..(trace.n_events() as usize).min(first + STRETCH);
        for (column, codes) in [(&trace.calls.codes, &mut self.calls), (&trace.key_codes, &mut self.keys)] {
            codes.clear();
            // the whole column, since every row is read
            let column: &Codes = column;
            column.copy_to(rows.start.min(column.len())..rows.end.min(column.len()), codes);
            codes.resize(rows.len(), 0);
        }
        self.depths.clear();
        trace.depths.copy_to(rows.clone(), &mut self.depths);
        if let Some(times) = times {
            self.times.clear();
            times.copy_to(rows.clone(), &mut self.times);
        }
        rows.len()
    }
}

impl NestedCalls {
    fn open(&mut self, event: EventId, call: u32, group: u32, depth: i64, now: i64) -> Option<()> {
        if call != self.n_calls || !self.is_next(depth) {
            return None;
        }
        self.n_calls += 1;
        if group != NO_GROUP {
            if group as usize == self.groups.len() {
                self.groups.push(NestedGroup::at(event));
            }
            let row = &mut self.groups[group as usize].row;
            row.n_calls += 1;
            row.depth = least(row.depth, Some(depth));
        }
        let parent = self.stack.last().map_or(NO_PARENT, |top| top.call);
        if let Some(left) = &mut self.left {
            left.groups.push(group);
            left.parents.push(parent);
            left.active.push(0);
            left.ended_in_error.push(false);
        }
        self.enter(call, group, depth, now);
        Some(())
    }

    fn reopen(&mut self, call: u32, depth: i64, now: i64) -> Option<()> {
        let left = self.left.as_mut()?;
        let parent = *left.parents.get(call as usize)?;
        let group = left.groups[call as usize];
        if std::mem::take(&mut left.ended_in_error[call as usize]) && group != NO_GROUP {
            self.groups[group as usize].row.n_errors -= 1;
        }
        let is_active = self.stack.last().is_some_and(|top| top.call == call);
        if is_active || parent != self.stack.last().map_or(NO_PARENT, |top| top.call) || !self.is_next(depth) {
            return None;
        }
        self.enter(call, group, depth, now);
        Some(())
    }

    /// Whether a call at this depth is one of the active call.
    fn is_next(&self, depth: i64) -> bool {
        self.stack.last().is_none_or(|top| top.depth.checked_add(1) == Some(depth))
    }

    fn enter(&mut self, call: u32, group: u32, depth: i64, now: i64) {
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.since = if group.n_open == 0 { now } else { group.since };
            group.n_open += 1;
        }
        self.stack.push(ActiveCall { call, group, depth, since: now });
    }

    fn close(&mut self, call: u32, depth: i64, now: i64, is_error: bool) -> Option<()> {
        let top = self.stack.pop().filter(|top| top.call == call && top.depth == depth)?;
        let active = now.wrapping_sub(top.since);
        if let Some(left) = &mut self.left {
            left.active[call as usize] = left.active[call as usize].wrapping_add(active);
            left.ended_in_error[call as usize] = is_error;
        }
        if let Some(group) = self.groups.get_mut(top.group as usize) {
            group.n_open -= 1;
            let outer = if group.n_open == 0 { now.wrapping_sub(group.since) } else { 0 };
            let row = &mut group.row;
            row.total = row.total.saturating_add(outer);
            row.self_time = row.self_time.saturating_add(active);
            row.n_errors += u64::from(is_error);
            if self.left.is_none() {
                group.durations.push(active);
            }
        }
        let around = self.stack.last().map_or(NO_GROUP, |around| around.group);
        if let Some(group) = self.groups.get_mut(around as usize) {
            group.row.self_time = group.row.self_time.saturating_sub(active);
        }
        Some(())
    }

    fn finish(mut self) -> Option<Vec<NestedGroup>> {
        if !self.stack.is_empty() {
            return None;
        }
        if let Some(left) = self.left {
            for (group, active) in left.groups.into_iter().zip(left.active) {
                if let Some(group) = self.groups.get_mut(group as usize) {
                    group.durations.push(active);
                }
            }
        }
        Some(self.groups)
    }
}

impl NestedGroup {
    /// Of no calls; the first one begins at an event.
    fn at(first: EventId) -> NestedGroup {
        NestedGroup { row: ProfileRow::at(first), durations: DurationList::default(), n_open: 0, since: 0 }
    }
}
