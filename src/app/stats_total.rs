//! `papaver stats --total`: the profile of several traces, put side by side.

use super::stats_table::{COLUMNS, StatsRow, StatsTable, TimeUnit};
use crate::output::counts_nanoseconds;
use crate::trace::{CostUnit, GroupCosts, GroupName, ProfileRow, TotalProfile, Trace};

/// What calls cost in the traces so far.
#[derive(Default)]
pub(super) struct StatsTotal {
    profile: TotalProfile,
    /// The events of traces without calls.
    events: TotalProfile,
    n_traces: usize,
    /// In what all of them count.
    unit: Option<CostUnit>,
    n_nanoseconds: usize,
}

impl StatsTotal {
    /// An error if what calls cost in a trace cannot be added to what they cost in those before. A trace without calls fits
    /// all others.
    pub(super) fn expects(&mut self, trace: &Trace) -> Result<(), String> {
        if trace.n_calls() > 0 {
            let unit = CostUnit::of(trace);
            let first = *self.unit.get_or_insert(unit);
            if first != unit {
                let why = "`--total` cannot add them up";
                return Err(format!("calls are measured in {unit}, but in {first} in the traces before: {why}"));
            }
        }
        self.n_traces += 1;
        self.n_nanoseconds += usize::from(counts_nanoseconds(trace));
        Ok(())
    }

    /// Adds a group of the trace.
    pub(super) fn add(&mut self, trace: &Trace, name: GroupName, costs: GroupCosts) {
        let profile = if trace.n_calls() == 0 { &mut self.events } else { &mut self.profile };
        profile.add(name, costs);
    }

    /// The first rows, about events if no trace has calls; none if no trace could be read.
    pub(super) fn table(self, by: Vec<String>, most: usize) -> Option<StatsTable<'static>> {
        if self.n_traces == 0 {
            return None;
        }
        let unit = if self.n_nanoseconds == self.n_traces { TimeUnit::Nanoseconds } else { TimeUnit::Unknown };
        let has_calls = self.unit.is_some();
        let counted = if has_calls { COLUMNS[0] } else { "events" };
        let mut rows = if has_calls { self.profile } else { self.events }.rows();
        if !has_calls {
            rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.n_calls));
        }
        let rows = rows.into_iter().take(most).map(|(names, row)| stats_row(names, &row)).collect();
        Some(StatsTable { by, rows, path: None, unit, counted })
    }
}

fn stats_row(names: Vec<String>, row: &ProfileRow) -> StatsRow {
    let mut numbers = [None; COLUMNS.len()];
    let count = |count: u64| Some(i64::try_from(count).unwrap_or(i64::MAX));
    numbers[..3].copy_from_slice(&[count(row.n_calls), count(row.n_errors), row.depth]);
    if let Some(durations) = row.durations {
        let times = [row.total, row.self_time, durations.p50, durations.p95, durations.p99, durations.max];
        numbers[3..].copy_from_slice(&times.map(Some));
    }
    StatsRow { names, numbers }
}
