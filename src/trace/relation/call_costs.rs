//! What calls cost: how long each was active, and how long without any of its children.
//!
//! A call is active from the event that opens it to the one that closes it, and again from each event that reopens it.
//! Events are visited in the order of their times, so that the clock of another host does no harm: a child counts only
//! while its parent is active, and children that are active side by side count once.

use std::sync::OnceLock;

use super::calls::{CallId, NO_PARENT};
use super::store::Trace;
use crate::trace::column::code_column::Ints;
use crate::trace::column::codes::Codes;
use crate::trace::column::extra_column::ExtraColumn;
use crate::trace::column::int_column::IntColumn;
use crate::trace::event::EventId;
use crate::trace::event::port::PortRole;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;

/// A call becomes active, or is no longer active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Entered,
    Left,
}

/// Visits every change of a call in the order of times, which are in the unit of the attribute `time`; in a trace
/// without times, the row of the event is its time.
pub(crate) fn each_change(trace: &Trace, mut visit: impl FnMut(CallId, Change, i64)) {
    let mut changes: Vec<Option<Change>> = vec![None; trace.n_calls()];
    let roles = trace.keys.roles();
    let (calls, keys): (&Codes, &Codes) = (&trace.calls.codes, &trace.key_codes);
    let mut visit = |event: EventId, now: i64| {
        let role = roles[keys.at(event as usize) as usize];
        if !matches!(role, PortRole::Opens | PortRole::Reopens | PortRole::Closes) {
            return;
        }
        let Some(call) = calls.at(event as usize).checked_sub(1) else { return };
        let last = &mut changes[call as usize];
        let change = match (role, *last) {
            (PortRole::Opens, None) | (PortRole::Reopens, Some(Change::Left)) => Change::Entered,
            (PortRole::Closes, Some(Change::Entered)) => Change::Left,
            _ => return,
        };
        *last = Some(change);
        visit(CallId(call), change, now);
    };
    let Some(times) = times(trace) else {
        return (0..trace.n_events()).for_each(|event| visit(event, i64::from(event)));
    };
    let mut visit = |event: EventId| {
        if let Some(now) = times.at(event as usize) {
            visit(event, now);
        }
    };
    match rows_by_time(trace, times) {
        None => (0..trace.n_events()).for_each(&mut visit),
        Some(rows) => rows.into_iter().for_each(&mut visit),
    }
}

/// The times of the events; none for a trace without times.
pub(crate) fn times(trace: &Trace) -> Option<&Ints> {
    trace.integers(trace.schema().find("time")?)
}

/// The rows in the order of their times, if that is not their own order.
fn rows_by_time(trace: &Trace, times: &Ints) -> Option<Vec<EventId>> {
    let known = (0..trace.n_events() as usize).filter_map(|row| times.at(row));
    if known.is_sorted() {
        return None;
    }
    let mut rows: Vec<EventId> = (0..trace.n_events()).collect();
    rows.sort_by_key(|row| times.at(*row as usize));
    Some(rows)
}

/// The cost of every call: in the unit of the attribute `time`, or in events if the trace has no times.
#[derive(Clone, Debug)]
pub(crate) struct CallCosts {
    /// By the index of the call.
    calls: Vec<CallCost>,
    /// The attribute by which a trace states how long calls took.
    stated: Option<AttributeId>,
}

/// The cost of one call. While the call is active, the time since when is taken off `active`, and likewise `covered`.
#[derive(Clone, Copy, Debug, Default)]
struct CallCost {
    /// How long it was active.
    active: i64,
    /// How long one of its children was active at the same time.
    covered: i64,
    n_active_children: u32,
    /// The last change; none if nothing opened it.
    change: Option<Change>,
    /// Whether the trace says that it is not known how long the call took.
    is_unmeasured: bool,
}

impl CallCosts {
    /// Measures every call of a trace.
    pub(crate) fn new(trace: &Trace) -> CallCosts {
        let stated = trace.schema().find("duration").filter(|id| !trace.is_computed(*id) && !id.is_call_time());
        let mut costs = CallCosts { calls: vec![CallCost::default(); trace.n_calls()], stated };
        each_change(trace, |call, change, now| costs.take(trace, call, change, now));
        for call in unmeasured(trace) {
            costs.calls[call.index()].is_unmeasured = true;
        }
        costs
    }

    fn take(&mut self, trace: &Trace, call: CallId, change: Change, now: i64) {
        let cost = &mut self.calls[call.index()];
        cost.change = Some(change);
        add_time(&mut cost.active, change, now);
        if cost.n_active_children > 0 {
            add_time(&mut cost.covered, change, now);
        }
        let parent = trace.calls.parents[call.index()];
        if parent == NO_PARENT {
            return;
        }
        let parent = &mut self.calls[parent as usize];
        let n_before = parent.n_active_children;
        parent.n_active_children = match change {
            Change::Entered => n_before + 1,
            Change::Left => n_before - 1,
        };
        if n_before.min(parent.n_active_children) == 0 && parent.change == Some(Change::Entered) {
            add_time(&mut parent.covered, change, now);
        }
    }

    /// Whether the trace shows the beginning and the end of a call, and how long it took.
    pub(crate) fn is_measured(&self, call: CallId) -> bool {
        let cost = &self.calls[call.index()];
        cost.change == Some(Change::Left) && !cost.is_unmeasured
    }

    /// How long a call was active; none if the trace neither shows its beginning and end nor states how long it took.
    pub(crate) fn duration(&self, trace: &Trace, call: CallId) -> Option<i64> {
        if self.is_measured(call) {
            return Some(self.calls[call.index()].active);
        }
        match trace.value(trace.call_first(call), self.stated?) {
            Value::Int(duration) => Some(duration),
            _ => None,
        }
    }

    /// How long a call was active while none of its children was.
    pub(crate) fn self_time(&self, trace: &Trace, call: CallId) -> Option<i64> {
        let cost = &self.calls[call.index()];
        let covered = if cost.change == Some(Change::Left) { cost.covered } else { 0 };
        self.duration(trace, call).map(|duration| duration.wrapping_sub(covered))
    }
}

/// The calls of which the trace does not tell how long they took.
pub(crate) fn unmeasured(trace: &Trace) -> impl Iterator<Item = CallId> {
    let n_marked = trace.extra(AttributeId::DURATION_KNOWN.index()).map_or(0, ExtraColumn::len);
    let calls = if n_marked == 0 { None } else { Some(trace.calls()) };
    calls.into_iter().flatten().filter(|call| trace.is_unmeasured(*call))
}

/// Adds the time from a beginning to an end, one after the other. Between them the sum means nothing.
pub(crate) fn add_time(sum: &mut i64, change: Change, now: i64) {
    *sum = match change {
        Change::Entered => sum.wrapping_sub(now),
        Change::Left => sum.wrapping_add(now),
    };
}

/// What is computed of calls, and the columns of it; each part is computed when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct CallTimes {
    costs: OnceLock<CallCosts>,
    durations: OnceLock<ExtraColumn>,
    self_times: OnceLock<ExtraColumn>,
    parents: OnceLock<ExtraColumn>,
}

impl CallTimes {
    pub(crate) fn bytes(&self) -> usize {
        let costs = self.costs.get().map_or(0, |costs| costs.calls.capacity() * size_of::<CallCost>());
        let columns = [&self.durations, &self.self_times, &self.parents].into_iter().filter_map(OnceLock::get);
        costs + columns.map(ExtraColumn::bytes).sum::<usize>()
    }
}

impl Trace {
    /// What every call cost.
    pub(crate) fn call_costs(&self) -> &CallCosts {
        self.call_times.costs.get_or_init(|| CallCosts::new(self))
    }

    /// Whether the trace shows the end of a call, and does not tell how long it took.
    pub(crate) fn is_unmeasured(&self, call: CallId) -> bool {
        self.is_unmeasured_end(self.call_last(call))
    }

    /// Whether an event ends a call, and has its time from the begin of that.
    pub(crate) fn is_unmeasured_end(&self, event: EventId) -> bool {
        self.value(event, AttributeId::DURATION_KNOWN) == Value::Bool(false)
    }

    /// Whether an event has a time.
    pub(crate) fn has_times(&self) -> bool {
        let time = self.schema().iter().map(|(id, _)| id).find(|id| self.is_time(*id));
        time.is_some_and(|id| (0..self.n_events()).any(|event| self.value(event, id) != Value::Absent))
    }

    /// Whether an attribute is the time of events.
    pub(crate) fn is_time(&self, attribute: AttributeId) -> bool {
        &*self.schema().get(attribute).name == "time"
    }

    /// Whether an attribute tells how long calls took.
    pub(crate) fn is_duration(&self, attribute: AttributeId) -> bool {
        matches!(&*self.schema().get(attribute).name, "duration" | "self_time" | "dur")
    }

    /// That durations are not known, in words.
    pub(crate) fn lack_of_durations(&self) -> String {
        let n_unmeasured = unmeasured(self).count();
        let n_open = self.calls().filter(|call| self.is_open(*call)).count();
        match self.n_calls() - n_open {
            n_ended if n_ended == n_unmeasured => {
                "the trace has no durations: it does not tell how long calls took".into()
            }
            _ => format!("the trace has no durations of {n_unmeasured} of its {} calls", self.n_calls()),
        }
    }

    /// The column of the attribute with this index that is computed of calls.
    pub(crate) fn column_of_calls(&self, index: usize) -> Option<&ExtraColumn> {
        let id = AttributeId(u16::try_from(index).ok()?);
        let costs = || self.call_costs();
        match id {
            AttributeId::CALL_DURATION => {
                Some(self.call_times.durations.get_or_init(|| self.column_at_ends(|call| costs().duration(self, call))))
            }
            AttributeId::CALL_SELF_TIME => Some(
                self.call_times.self_times.get_or_init(|| self.column_at_ends(|call| costs().self_time(self, call))),
            ),
            AttributeId::CALL_PARENT => Some(self.call_times.parents.get_or_init(|| self.column_of_parents())),
            _ => None,
        }
    }

    /// A column with a value of each call at its first and its last event.
    fn column_at_ends(&self, value: impl Fn(CallId) -> Option<i64>) -> ExtraColumn {
        let mut column = IntColumn::default();
        for event in 0..self.n_events() {
            let call =
                self.call(event).filter(|call| event == self.call_first(*call) || event == self.call_last(*call));
            if let Some(value) = call.and_then(&value) {
                column.set(event as usize, value);
            }
        }
        column.finish(self.n_events() as usize);
        ExtraColumn::Ints(column.into())
    }

    /// A column with the number of the parent of each event's call.
    fn column_of_parents(&self) -> ExtraColumn {
        let mut column = IntColumn::default();
        for event in 0..self.n_events() {
            if let Some(parent) = self.call(event).and_then(|call| self.parent(call)) {
                column.set(event as usize, self.call_number(parent));
            }
        }
        column.finish(self.n_events() as usize);
        ExtraColumn::Ints(column.into())
    }
}
