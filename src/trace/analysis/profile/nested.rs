//! The profile of calls that nest as on one stack: found in one pass over the events, without the index of calls.
//!
//! Ten million events in five million calls take a third of the processor time that they take with that index.

use super::{ErrorSigns, GroupNumbers, NO_GROUP, ProfileRow, least};
use crate::trace::column::code_column::Ints;
use crate::trace::column::codes::Codes;
use crate::trace::event::EventId;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::call_costs::times;
use crate::trace::relation::calls::NO_PARENT;
use crate::trace::relation::store::Trace;

/// The rows of a profile, all but their durations, and the durations of the calls of each.
pub(super) struct NestedProfile {
    pub(super) rows: Vec<ProfileRow>,
    pub(super) durations: Vec<Vec<i64>>,
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
    profile: NestedProfile,
    stack: Vec<ActiveCall>,
    /// For each group the number of its calls that are active, and since when one is.
    open: Vec<(u32, i64)>,
    n_calls: u32,
    left: Option<LeftCalls>,
}

/// The profile; none if some call does not begin and end inside the call that made it, does not end at all, or if the
/// trace tells parents or durations by itself.
pub(super) fn nested_profile(
    trace: &Trace,
    attributes: &[AttributeId],
    is_wanted: &mut impl FnMut(EventId) -> bool,
) -> Option<NestedProfile> {
    let states_duration =
        trace.schema().find("duration").is_some_and(|id| !trace.is_computed(id) && !id.is_call_time());
    if trace.reports_parents() || states_duration {
        return None;
    }
    let roles = trace.keys.roles();
    let errors = ErrorSigns::of(trace);
    let mut numbers = GroupNumbers::new(trace, attributes);
    let mut calls = NestedCalls {
        profile: NestedProfile { rows: Vec::new(), durations: Vec::new() },
        stack: Vec::new(),
        open: Vec::new(),
        n_calls: 0,
        left: roles.contains(&PortRole::Reopens).then(LeftCalls::default),
    };
    // whole columns, since every row is read
    let (codes, keys): (&Codes, &Codes) = (&trace.calls.codes, &trace.key_codes);
    let times = times(trace);
    times.into_iter().chain([&trace.depths]).for_each(Ints::make);
    let mut last = i64::MIN;
    for event in 0..trace.n_events() {
        let now = match times {
            Some(times) => times.at(event as usize)?,
            None => i64::from(event),
        };
        if now < last {
            return None;
        }
        last = now;
        let depth = trace.depth(event);
        let key = keys.at(event as usize) as usize;
        let Some(call) = codes.at(event as usize).checked_sub(1) else {
            let leaves = calls.stack.last().zip(depth).is_some_and(|(top, depth)| depth <= top.depth);
            if leaves {
                return None;
            }
            continue;
        };
        match roles[key] {
            PortRole::Opens => {
                let group = if is_wanted(event) { numbers.of(event) } else { NO_GROUP };
                calls.open(event, call, group, depth?, now)?;
            }
            PortRole::Reopens => calls.reopen(call, depth?, now)?,
            PortRole::Closes => calls.close(call, depth?, now, errors.show(trace, event))?,
            _ => calls.stack.last().filter(|top| top.call == call && Some(top.depth) == depth).map(|_| ())?,
        }
    }
    calls.finish()
}

impl NestedCalls {
    fn open(&mut self, event: EventId, call: u32, group: u32, depth: i64, now: i64) -> Option<()> {
        if call != self.n_calls || !self.is_next(depth) {
            return None;
        }
        self.n_calls += 1;
        if group != NO_GROUP {
            if group as usize == self.profile.rows.len() {
                self.profile.rows.push(ProfileRow::at(event));
                self.profile.durations.push(Vec::new());
                self.open.push((0, 0));
            }
            let row = &mut self.profile.rows[group as usize];
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
            self.profile.rows[group as usize].n_errors -= 1;
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
        if let Some((n_open, since)) = self.open.get_mut(group as usize) {
            if *n_open == 0 {
                *since = now;
            }
            *n_open += 1;
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
        if let Some(row) = self.profile.rows.get_mut(top.group as usize) {
            row.self_time = row.self_time.saturating_add(active);
            row.n_errors += u64::from(is_error);
            let (n_open, since) = &mut self.open[top.group as usize];
            *n_open -= 1;
            if *n_open == 0 {
                row.total = row.total.saturating_add(now.wrapping_sub(*since));
            }
            if self.left.is_none() {
                self.profile.durations[top.group as usize].push(active);
            }
        }
        let around = self.stack.last().map_or(NO_GROUP, |around| around.group);
        if let Some(row) = self.profile.rows.get_mut(around as usize) {
            row.self_time = row.self_time.saturating_sub(active);
        }
        Some(())
    }

    fn finish(mut self) -> Option<NestedProfile> {
        if !self.stack.is_empty() {
            return None;
        }
        if let Some(left) = self.left {
            for (group, active) in left.groups.into_iter().zip(left.active) {
                if let Some(durations) = self.profile.durations.get_mut(group as usize) {
                    durations.push(active);
                }
            }
        }
        Some(self.profile)
    }
}
