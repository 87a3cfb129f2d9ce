//! The profile of a trace: what the calls of each procedure, or with each value of other attributes, cost together.

mod durations;
mod nested;
#[cfg(test)]
mod tests;
mod total;

use self::durations::DurationList;
pub(crate) use self::durations::Durations;
pub(crate) use self::total::{CostUnit, GroupName, TotalProfile};
use super::group::Combinations;
use crate::term::hash::NumberMap;
use crate::trace::event::EventId;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;
use crate::trace::relation::call_costs::{CallCosts, Change, add_time, each_change};
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;
use crate::trace::threads::{n_cores, on_cores};

/// What a group of calls cost. Times are in the unit of the trace, or in events if it has no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProfileRow {
    /// The first event of the first of these calls: it has the values that they share.
    pub(crate) first: EventId,
    /// How many calls it has; of a trace without calls, how many events.
    pub(crate) n_calls: u64,
    /// How many of the calls failed: by an exception, with the status `error`, or with an error number.
    pub(crate) n_errors: u64,
    /// The least depth of these calls.
    pub(crate) depth: Option<i64>,
    /// How long calls of the group were active; those that were active at the same time count once.
    pub(crate) total: i64,
    /// How long they were active while none of their children was.
    pub(crate) self_time: i64,
    /// Durations; none if the trace shows the duration of no call of the group.
    pub(crate) durations: Option<Durations>,
}

/// Of a trace of so many events, parts are read at the same time.
const LARGE: EventId = 1 << 17;

/// What a group of calls cost, with the duration of each instead of their percentiles.
#[derive(Debug)]
pub(crate) struct GroupCosts {
    pub(crate) row: ProfileRow,
    durations: DurationList,
}

/// Which calls are asked for, by their first events; all if there is no function.
type Wanted<'a> = Option<&'a mut dyn FnMut(EventId) -> bool>;

/// The profile of the calls whose first events are wanted, or of all, by the values that `attributes` have there; the group with
/// the greatest self time first.
///
/// Of a trace without calls, events are counted; the group with most of them comes first.
pub(crate) fn profile(trace: &Trace, attributes: &[AttributeId], mut is_wanted: Wanted<'_>) -> Vec<ProfileRow> {
    if trace.n_calls() == 0 {
        let mut rows = event_groups(trace, attributes, is_wanted);
        rows.sort_by_key(|row| (std::cmp::Reverse(row.n_calls), row.first));
        return rows;
    }
    let mut rows = match nested_groups(trace, attributes, &mut is_wanted) {
        Some(mut groups) => {
            let rows = groups.iter().map(|group| group.row).collect();
            with_durations(rows, groups.iter_mut().map(|group| group.durations.parts()))
        }
        None => indexed_profile(trace, attributes, |event| is_wanted.as_mut().is_none_or(|wanted| wanted(event))),
    };
    rows.sort_by_key(|row| (std::cmp::Reverse(row.self_time), row.first));
    rows
}

/// The groups of the profile with the durations of their calls, in the order of their first events.
pub(crate) fn profile_groups(trace: &Trace, attributes: &[AttributeId], mut is_wanted: Wanted<'_>) -> Vec<GroupCosts> {
    if trace.n_calls() == 0 {
        let rows = event_groups(trace, attributes, is_wanted).into_iter();
        return rows.map(|row| GroupCosts { row, durations: DurationList::default() }).collect();
    }
    let mut found: Vec<GroupCosts> = match nested_groups(trace, attributes, &mut is_wanted) {
        Some(groups) => {
            groups.into_iter().map(|group| GroupCosts { row: group.row, durations: group.durations }).collect()
        }
        None => {
            let costs = trace.call_costs();
            let is_wanted = |event| is_wanted.as_mut().is_none_or(|wanted| wanted(event));
            let groups = CallGroups::new(trace, attributes, is_wanted);
            let mut durations = groups.durations(trace, costs);
            let rows = groups.sums(trace, costs).into_iter();
            rows.zip(durations.lists())
                .map(|(row, list)| GroupCosts { row, durations: DurationList::of(list) })
                .collect()
        }
    };
    found.sort_by_key(|group| group.row.first);
    found
}

/// The groups of the wanted events of a trace without calls.
fn event_groups(trace: &Trace, attributes: &[AttributeId], mut is_wanted: Wanted<'_>) -> Vec<ProfileRow> {
    let (mut numbers, errors) = (GroupNumbers::new(trace, attributes), ErrorSigns::of(trace));
    let mut rows: Vec<ProfileRow> = Vec::new();
    for event in (0..trace.n_events()).filter(|event| is_wanted.as_mut().is_none_or(|wanted| wanted(*event))) {
        let group = numbers.of(event) as usize;
        if group == rows.len() {
            rows.push(ProfileRow::at(event));
        }
        let row = &mut rows[group];
        row.n_calls += 1;
        row.n_errors += u64::from(errors.show(trace, event));
        row.depth = least(row.depth, trace.depth(event));
    }
    rows
}

/// Whether calls have the attribute at their ends but not where they begin, as results are: then its value at the last
/// event of a call is that of the call.
pub(crate) fn is_of_ends(trace: &Trace, attribute: AttributeId) -> bool {
    let roles = trace.keys.roles();
    let has = |role| {
        (0..trace.n_events())
            .any(|event| roles[trace.key_of(event)] == role && trace.value(event, attribute) != Value::Absent)
    };
    !trace.is_part_of_key(attribute) && !has(PortRole::Opens) && has(PortRole::Closes)
}

fn nested_groups(
    trace: &Trace,
    attributes: &[AttributeId],
    is_wanted: &mut Wanted<'_>,
) -> Option<Vec<nested::NestedGroup>> {
    if attributes.iter().any(|attribute| is_of_ends(trace, *attribute)) {
        return None;
    }
    let n_parts = if trace.n_events() < LARGE { 1 } else { n_cores() };
    match is_wanted {
        Some(is_wanted) => nested::nested_profile(trace, attributes, Some(&mut **is_wanted), 1),
        None => nested::nested_profile(trace, attributes, None, n_parts),
    }
}

/// The profile of any calls, by the index of calls.
fn indexed_profile(
    trace: &Trace,
    attributes: &[AttributeId],
    is_wanted: impl FnMut(EventId) -> bool,
) -> Vec<ProfileRow> {
    let costs = trace.call_costs();
    let groups = CallGroups::new(trace, attributes, is_wanted);
    let mut durations = groups.durations(trace, costs);
    let lists = durations.lists().map(|list| (&[][..], list));
    with_durations(groups.sums(trace, costs), lists)
}

fn with_durations<'l>(
    mut rows: Vec<ProfileRow>,
    lists: impl ExactSizeIterator<Item = (&'l [u32], &'l mut [i64])> + Send,
) -> Vec<ProfileRow> {
    let percentiles = on_cores(n_cores(), lists, Durations::of);
    rows.iter_mut().zip(percentiles).for_each(|(row, durations)| row.durations = durations);
    rows
}

impl ProfileRow {
    /// Of no calls; the first one begins at an event.
    fn at(first: EventId) -> ProfileRow {
        ProfileRow { first, n_calls: 0, n_errors: 0, depth: None, total: 0, self_time: 0, durations: None }
    }

    /// Adds what other calls cost, which do not run while these do; not their durations.
    fn add(&mut self, more: &ProfileRow) {
        self.n_calls += more.n_calls;
        self.n_errors += more.n_errors;
        self.depth = least(self.depth, more.depth);
        self.total = self.total.saturating_add(more.total);
        self.self_time = self.self_time.saturating_add(more.self_time);
    }
}

/// The group of each call.
struct CallGroups {
    /// The number of the group by the index of the call; [`NO_GROUP`] for a call that is not asked for.
    of_call: Vec<u32>,
    /// The first call of each group.
    first: Vec<CallId>,
}

/// Marks a call that is not asked for.
const NO_GROUP: u32 = u32::MAX;

/// Numbers groups in the order in which their first calls begin.
struct GroupNumbers<'a> {
    combinations: Combinations<'a>,
    /// The number of the group by that of the combination of values.
    groups: Vec<u32>,
    n_groups: u32,
}

impl<'a> GroupNumbers<'a> {
    fn new(trace: &'a Trace, attributes: &[AttributeId]) -> GroupNumbers<'a> {
        GroupNumbers { combinations: Combinations::new(trace, attributes), groups: Vec::new(), n_groups: 0 }
    }

    /// Whether the group of a call depends on the key of its first event alone.
    fn are_of_keys(&self) -> bool {
        self.combinations.classes_of_keys().is_some()
    }

    /// The combinations that have a group, with its number.
    fn known(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..)
            .zip(&self.groups)
            .filter(|(_, group)| **group != NO_GROUP)
            .map(|(combination, group)| (combination, *group))
    }

    /// The group of the call that begins at an event.
    fn of(&mut self, event: EventId) -> u32 {
        let combination = self.combinations.id(event);
        self.of_combination(combination)
    }

    /// The same if the key of the event is known.
    #[inline]
    fn of_event_with_key(&mut self, event: EventId, key: usize) -> u32 {
        match self.combinations.classes_of_keys() {
            Some(classes) => self.of_combination(classes[key]),
            None => self.of(event),
        }
    }

    #[inline]
    fn of_combination(&mut self, combination: u32) -> u32 {
        let combination = combination as usize;
        if combination >= self.groups.len() {
            self.groups.resize((combination + 1).next_power_of_two(), NO_GROUP);
        }
        let group = &mut self.groups[combination];
        if *group == NO_GROUP {
            *group = self.n_groups;
            self.n_groups += 1;
        }
        *group
    }
}

impl CallGroups {
    fn new(trace: &Trace, attributes: &[AttributeId], mut is_wanted: impl FnMut(EventId) -> bool) -> CallGroups {
        let (of_ends, of_starts): (Vec<_>, Vec<_>) = attributes.iter().partition(|id| is_of_ends(trace, **id));
        let mut numbers = GroupNumbers::new(trace, &of_starts);
        let mut ends = Combinations::new(trace, &of_ends);
        let mut pairs: NumberMap<(u32, u32), u32> = NumberMap::default();
        let mut groups = CallGroups { of_call: Vec::with_capacity(trace.n_calls()), first: Vec::new() };
        for call in trace.calls() {
            let event = trace.call_first(call);
            if !is_wanted(event) {
                groups.of_call.push(NO_GROUP);
                continue;
            }
            let mut group = numbers.of(event);
            if !of_ends.is_empty() {
                let n_pairs = pairs.len() as u32;
                group = *pairs.entry((group, ends.id(trace.call_last(call)))).or_insert(n_pairs);
            }
            if group as usize == groups.first.len() {
                groups.first.push(call);
            }
            groups.of_call.push(group);
        }
        groups
    }

    fn of(&self, call: CallId) -> Option<usize> {
        let group = self.of_call[call.index()];
        (group != NO_GROUP).then_some(group as usize)
    }

    fn sums(&self, trace: &Trace, costs: &CallCosts) -> Vec<ProfileRow> {
        let mut rows: Vec<ProfileRow> = self.first.iter().map(|call| ProfileRow::at(trace.call_first(*call))).collect();
        let errors = ErrorSigns::of(trace);
        for call in trace.calls() {
            let Some(group) = self.of(call) else { continue };
            let row = &mut rows[group];
            row.n_calls += 1;
            row.n_errors += u64::from(errors.show(trace, trace.call_last(call)));
            row.depth = least(row.depth, trace.depth(trace.call_first(call)));
            row.self_time = row.self_time.saturating_add(costs.self_time(trace, call).unwrap_or(0));
        }
        self.add_totals(trace, costs, &mut rows);
        rows
    }

    /// Adds the times in which calls of a group were active; those that were active at the same time count once.
    fn add_totals(&self, trace: &Trace, costs: &CallCosts, rows: &mut [ProfileRow]) {
        let mut n_active = vec![0_u32; rows.len()];
        each_change(trace, |call, change, now| {
            let Some(group) = self.of(call).filter(|_| costs.is_measured(call)) else { return };
            let n_before = n_active[group];
            n_active[group] = match change {
                Change::Entered => n_before + 1,
                Change::Left => n_before - 1,
            };
            if n_before.min(n_active[group]) == 0 {
                add_time(&mut rows[group].total, change, now);
            }
        });
    }

    /// The durations of the calls of each group.
    fn durations(&self, trace: &Trace, costs: &CallCosts) -> GroupedDurations {
        let mut ends = vec![0_usize; self.first.len()];
        let measured = || trace.calls().filter_map(|call| Some((self.of(call)?, costs.duration(trace, call)?)));
        measured().for_each(|(group, _)| ends[group] += 1);
        let mut next = 0;
        for end in &mut ends {
            (next, *end) = (next + *end, next);
        }
        let mut values = vec![0; next];
        for (group, duration) in measured() {
            values[ends[group]] = duration;
            ends[group] += 1;
        }
        GroupedDurations { values, ends }
    }
}

/// Durations, those of one group after those of another.
struct GroupedDurations {
    values: Vec<i64>,
    /// Where the durations of each group end.
    ends: Vec<usize>,
}

impl GroupedDurations {
    fn lists(&mut self) -> impl ExactSizeIterator<Item = &mut [i64]> + Send {
        let mut rest = self.values.as_mut_slice();
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let (list, after) = std::mem::take(&mut rest).split_at_mut(*end - start);
            (rest, start) = (after, *end);
            list
        })
    }
}

fn least(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// How calls of a trace show that they failed.
struct ErrorSigns {
    /// Which keys of events are those of the port at which calls end that failed.
    failures: Vec<bool>,
    status: Option<AttributeId>,
    errno: Option<AttributeId>,
}

impl ErrorSigns {
    fn of(trace: &Trace) -> ErrorSigns {
        let failing = trace.failing_port();
        let is_failure = |key| trace.keys.port(key).is_some_and(|port| port.name.as_str() == failing);
        let failures = (0..trace.keys.keys.len() as u32).map(is_failure).collect();
        ErrorSigns { failures, status: trace.schema().find("status"), errno: trace.schema().find("errno") }
    }

    /// Whether the call failed whose last event this is.
    fn show(&self, trace: &Trace, last: EventId) -> bool {
        self.show_with_key(trace, trace.key_of(last), last)
    }

    /// The same if the key of the event is known.
    #[inline(always)]
    fn show_with_key(&self, trace: &Trace, key: usize, last: EventId) -> bool {
        self.failures[key] || self.has_attributes() && self.attributes_show(trace, last)
    }

    #[inline(always)]
    fn has_attributes(&self) -> bool {
        self.status.is_some() || self.errno.is_some()
    }

    fn attributes_show(&self, trace: &Trace, last: EventId) -> bool {
        self.status.is_some_and(|id| trace.value(last, id).characters() == Some("error"))
            || self.errno.is_some_and(|id| trace.value(last, id) != Value::Absent)
    }
}
