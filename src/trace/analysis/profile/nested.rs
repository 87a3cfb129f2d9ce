//! The profile of calls that nest as on one stack: found in one pass over the events, without the index of calls.
//!
//! Ten million events in five million calls take a third of the processor time that they take with that index.

use std::ops::Range;

use super::durations::DurationList;
use super::{ErrorSigns, GroupNumbers, NO_GROUP, ProfileRow, least};
use crate::trace::column::code_column::Ints;
use crate::trace::column::codes::Codes;
use crate::trace::column::int_column::ABSENT;
use crate::trace::event::EventId;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::call_costs::{times, unmeasured};
use crate::trace::relation::calls::NO_PARENT;
use crate::trace::relation::store::Trace;
use crate::trace::threads::on_cores;

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

/// A part of the trace, and the calls that are active where it begins.
struct TracePart {
    events: Range<EventId>,
    /// The events that opened these calls, the outermost first.
    openings: Vec<EventId>,
    /// How many calls have begun before.
    n_calls: u32,
}

/// What the pass over each part needs.
struct NestedPass<'t> {
    trace: &'t Trace,
    attributes: &'t [AttributeId],
    times: Option<&'t Ints>,
    roles: Vec<PortRole>,
    errors: ErrorSigns,
}

/// The result of the pass over a part.
struct PassedPart<'t> {
    calls: NestedCalls,
    numbers: GroupNumbers<'t>,
    /// Number, depth and beginning of the calls that were active where the part begins.
    before: Vec<(u32, i64, i64)>,
    n_calls_before: u32,
    /// The times of the first and the last event.
    times: [i64; 2],
}

/// The profile; none if some call does not begin and end inside the call that made it, does not end at all, or if the
/// trace tells parents or durations by itself. All calls are wanted if `is_wanted` is none, and then several parts of the
/// trace are passed over at the same time.
pub(super) fn nested_profile(
    trace: &Trace,
    attributes: &[AttributeId],
    is_wanted: Option<&mut dyn FnMut(EventId) -> bool>,
    n_parts: usize,
) -> Option<Vec<NestedGroup>> {
    let states_duration =
        trace.schema().find("duration").is_some_and(|id| !trace.is_computed(id) && !id.is_call_time());
    if trace.reports_parents() || states_duration || unmeasured(trace).next().is_some() {
        return None;
    }
    let times = times(trace);
    // whole columns, since every row is read
    trace.calls.codes.make();
    trace.key_codes.make();
    times.into_iter().chain([&trace.depths]).for_each(Ints::make);
    let pass = NestedPass { trace, attributes, times, roles: trace.keys.roles(), errors: ErrorSigns::of(trace) };
    if let Some(is_wanted) = is_wanted {
        return pass.over(&TracePart::whole(trace), is_wanted)?.calls.finish();
    }
    let mut passed = on_cores(n_parts, pass.parts(n_parts).iter(), |part| pass.over(part, &mut |_| true)).into_iter();
    let mut all = passed.next()??;
    for next in passed {
        all.append(next?)?;
    }
    all.calls.finish()
}

impl TracePart {
    fn whole(trace: &Trace) -> TracePart {
        TracePart { events: 0..trace.n_events(), openings: Vec::new(), n_calls: 0 }
    }
}

impl<'t> NestedPass<'t> {
    /// Parts of about the same size; only one if the results of several cannot be added up.
    fn parts(&self, n_parts: usize) -> Vec<TracePart> {
        let is_by_key = GroupNumbers::new(self.trace, self.attributes).are_of_keys();
        let may_reopen = self.roles.contains(&PortRole::Reopens);
        let n_events = u64::from(self.trace.n_events());
        if !is_by_key || may_reopen || n_events < n_parts as u64 {
            return vec![TracePart::whole(self.trace)];
        }
        let bound = |part: usize| (n_events * part as u64 / n_parts as u64) as EventId;
        (0..n_parts).map(|part| self.part(bound(part)..bound(part + 1))).collect()
    }

    /// The calls that are active at an event are the last ones to be opened at each depth below those that ended since.
    fn part(&self, events: Range<EventId>) -> TracePart {
        let trace = self.trace;
        let outermost =
            (0..events.start).find(|event| self.role(*event) == PortRole::Opens).and_then(|event| trace.depth(event));
        let (mut openings, mut n_calls, mut below) = (Vec::new(), None, i64::MAX);
        for event in (0..events.start).rev() {
            if n_calls.is_some() && outermost.is_none_or(|outermost| below <= outermost) {
                break;
            }
            let (code, role) = (trace.calls.codes.at(event as usize), self.role(event));
            let (true, Some(depth)) = (code > 0, trace.depth(event)) else { continue };
            match role {
                PortRole::Opens => {
                    n_calls.get_or_insert(code);
                    if depth < below {
                        openings.push(event);
                        below = depth;
                    }
                }
                PortRole::Closes => below = below.min(depth),
                _ => {}
            }
        }
        openings.reverse();
        TracePart { events, openings, n_calls: n_calls.unwrap_or(0) }
    }

    fn role(&self, event: EventId) -> PortRole {
        self.roles[self.trace.key_codes.at(event as usize) as usize]
    }

    fn over(&self, part: &TracePart, is_wanted: &mut dyn FnMut(EventId) -> bool) -> Option<PassedPart<'t>> {
        let NestedPass { trace, attributes, times, .. } = *self;
        let mut numbers = GroupNumbers::new(trace, attributes);
        let may_reopen = self.roles.contains(&PortRole::Reopens);
        let mut calls = NestedCalls {
            groups: Vec::new(),
            stack: Vec::new(),
            n_calls: part.n_calls,
            left: may_reopen.then(LeftCalls::default),
        };
        for event in &part.openings {
            let (row, key) = (*event as usize, trace.key_of(*event));
            let group = if is_wanted(*event) { numbers.of_event_with_key(*event, key) } else { NO_GROUP };
            calls.know_group(group, *event);
            let now = times.map_or(Some(i64::from(*event)), |times| times.at(row))?;
            calls.enter(trace.calls.codes.at(row).checked_sub(1)?, group, trace.depth(*event)?, now);
        }
        let before = calls.stack.iter().map(|call| (call.call, call.depth, call.since)).collect();
        let mut columns = EventStretch::default();
        let (mut first_time, mut last) = (None, i64::MIN);
        for first in part.events.clone().step_by(STRETCH) {
            let n_rows = columns.read(trace, times, first as usize, part.events.end as usize);
            for (event, row) in (first..).zip(0..n_rows) {
                let now = match times {
                    Some(_) => Some(columns.times[row]).filter(|time| *time != ABSENT)?,
                    None => i64::from(event),
                };
                if now < last {
                    return None;
                }
                last = now;
                first_time.get_or_insert(now);
                let depth = Some(columns.depths[row]).filter(|depth| *depth != ABSENT);
                let key = columns.keys[row] as usize;
                let Some(call) = columns.calls[row].checked_sub(1) else {
                    let leaves = calls.stack.last().zip(depth).is_some_and(|(top, depth)| depth <= top.depth);
                    if leaves {
                        return None;
                    }
                    continue;
                };
                match self.roles[key] {
                    PortRole::Opens => {
                        let group = if is_wanted(event) { numbers.of_event_with_key(event, key) } else { NO_GROUP };
                        calls.open(event, call, group, depth?, now)?;
                    }
                    PortRole::Reopens => calls.reopen(call, depth?, now)?,
                    PortRole::Closes => calls.close(call, depth?, now, self.errors.show_with_key(trace, key, event))?,
                    _ => calls.stack.last().filter(|top| top.call == call && Some(top.depth) == depth).map(|_| ())?,
                }
            }
        }
        let times = [first_time.unwrap_or(i64::MIN), last];
        Some(PassedPart { calls, numbers, before, n_calls_before: part.n_calls, times })
    }
}

impl PassedPart<'_> {
    /// Adds the next part, unless the calls that are active between the two are not those that the next began with.
    fn append(&mut self, next: PassedPart<'_>) -> Option<()> {
        let between = self.calls.stack.iter().map(|call| (call.call, call.depth, call.since));
        let fits =
            between.eq(next.before) && self.calls.n_calls == next.n_calls_before && self.times[1] <= next.times[0];
        if !fits {
            return None;
        }
        let mut groups: Vec<Option<NestedGroup>> = next.calls.groups.into_iter().map(Some).collect();
        for (combination, group) in next.numbers.known() {
            let Some(group) = groups[group as usize].take() else { continue };
            let known = self.numbers.of_combination(combination);
            self.calls.know_group(known, group.row.first);
            self.calls.groups[known as usize].add(group);
        }
        (self.calls.stack, self.calls.n_calls, self.times[1]) = (next.calls.stack, next.calls.n_calls, next.times[1]);
        Some(())
    }
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
    /// Reads the rows from `first` on, up to `below`; the number of rows.
    fn read(&mut self, trace: &Trace, times: Option<&Ints>, first: usize, below: usize) -> usize {
        let rows = first..below.min(first + STRETCH);
        for (column, codes) in [(&trace.calls.codes, &mut self.calls), (&trace.key_codes, &mut self.keys)] {
            codes.clear();
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
        self.know_group(group, event);
        if group != NO_GROUP {
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

    /// Adds a group if it is a new one.
    #[inline]
    fn know_group(&mut self, group: u32, first: EventId) {
        if group as usize == self.groups.len() {
            self.groups.push(NestedGroup::at(first));
        }
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

    /// Adds the same group in a later part of the trace.
    fn add(&mut self, later: NestedGroup) {
        self.row.first = self.row.first.min(later.row.first);
        self.row.add(&later.row);
        self.durations.add(later.durations);
    }
}
