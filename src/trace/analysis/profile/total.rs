//! The profile of several traces together, as if one came after another.

use std::fmt;

use indexmap::IndexMap;

use super::durations::DurationCounts;
use super::{GroupCosts, ProfileRow};
use crate::trace::event::schema::AttributeId;
use crate::trace::event::time_unit::TimeUnit;
use crate::trace::relation::call_costs::times;
use crate::trace::relation::store::Trace;

/// In what the costs of calls are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostUnit {
    Events,
    /// Times, of a known unit or of another.
    Times(Option<TimeUnit>),
}

impl CostUnit {
    /// That of a trace.
    pub(crate) fn of(trace: &Trace) -> CostUnit {
        match times(trace) {
            Some(_) => CostUnit::Times(trace.schema().unit(AttributeId::CALL_DURATION)),
            None => CostUnit::Events,
        }
    }
}

impl fmt::Display for CostUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CostUnit::Events => "events",
            CostUnit::Times(None) => "times without a unit",
            CostUnit::Times(Some(TimeUnit::Nanoseconds)) => "nanoseconds",
            CostUnit::Times(Some(TimeUnit::Microseconds)) => "microseconds",
            CostUnit::Times(Some(TimeUnit::Milliseconds)) => "milliseconds",
            CostUnit::Times(Some(TimeUnit::Seconds)) => "seconds",
            CostUnit::Times(Some(TimeUnit::Minutes)) => "minutes",
        })
    }
}

/// The name of a group.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupName {
    /// As it is shown, by column.
    pub(crate) texts: Vec<String>,
    /// The term, quoted: groups named `2` and `"2"` are shown alike.
    pub(crate) term: String,
}

/// What the calls of each group cost in all traces so far. It grows with the groups and with the durations that differ,
/// not with the traces.
#[derive(Default)]
pub(crate) struct TotalProfile {
    /// In the order of the traces and of the first events.
    groups: IndexMap<GroupName, (ProfileRow, DurationCounts)>,
}

impl TotalProfile {
    /// Adds what a group cost in the next trace.
    pub(crate) fn add(&mut self, name: GroupName, costs: GroupCosts) {
        let start = || (ProfileRow::at(costs.row.first), DurationCounts::default());
        let (row, durations) = self.groups.entry(name).or_insert_with(start);
        row.add(&costs.row);
        durations.add(costs.durations);
    }

    /// The rows with the names that are shown, the greatest self time first; `first` is an event of the first trace with
    /// the group.
    pub(crate) fn rows(self) -> Vec<(Vec<String>, ProfileRow)> {
        let groups = self.groups.into_iter();
        let row = |(name, (row, durations)): (GroupName, (ProfileRow, DurationCounts))| {
            (name.texts, ProfileRow { durations: durations.percentiles(), ..row })
        };
        let mut rows: Vec<(Vec<String>, ProfileRow)> = groups.map(row).collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.self_time));
        rows
    }
}
