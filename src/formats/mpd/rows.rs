//! Events on their way to the columns: gathered for a chunk of lines, then added together.

use super::columns::AttributeIds;
use crate::trace::{ArgsId, EventId, Field, KeyId, PathId, Rows, TraceBuilder, ValueId, refill};

/// What every event has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MpdRow {
    pub(crate) key: KeyId,
    /// Number of its box; 0 if it has none.
    pub(crate) call: u32,
    pub(crate) depth: u32,
    pub(crate) path: PathId,
    pub(crate) args: ArgsId,
    pub(crate) inc: u32,
    pub(crate) idepth: u32,
    pub(crate) pid: ValueId,
    pub(crate) extra: ValueId,
    pub(crate) vm: i64,
    /// [`NO_NUMBER`] if it has none.
    pub(crate) line_number: i64,
    /// Line in the trace's file.
    pub(crate) source_line: u64,
}

/// Stands for a number that an event does not have.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// Events that are not in the columns yet.
#[derive(Default)]
pub(crate) struct RowBuffer {
    pub(crate) rows: Vec<MpdRow>,
    /// What few events have.
    pub(crate) invokers: Vec<(EventId, ValueId)>,
    pub(crate) sems: Vec<(EventId, ValueId)>,
    pub(crate) matches: Vec<(EventId, ValueId)>,
    pub(crate) sem_incs: Vec<(EventId, i64)>,
    columns: ColumnBuffers,
}

/// Columns of the events; memory that is used again.
#[derive(Default)]
struct ColumnBuffers {
    keys: Vec<KeyId>,
    calls: Vec<i64>,
    depths: Vec<i64>,
    paths: Vec<PathId>,
    lines: Vec<u32>,
    args: Vec<ArgsId>,
    numbers: Vec<i64>,
    values: Vec<ValueId>,
}

impl RowBuffer {
    /// Adds the events to the trace.
    pub(crate) fn flush(&mut self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        let Some(first_line) = self.rows.first().map(|row| row.source_line) else { return };
        let ColumnBuffers { keys, calls, depths, paths, lines, args, .. } = &mut self.columns;
        refill(keys, self.rows.iter().map(|row| row.key));
        refill(calls, self.rows.iter().map(|row| if row.call == 0 { NO_NUMBER } else { row.call.into() }));
        refill(depths, self.rows.iter().map(|row| row.depth.into()));
        refill(paths, self.rows.iter().map(|row| row.path));
        refill(lines, self.rows.iter().map(|row| (row.source_line - first_line) as u32));
        refill(args, self.rows.iter().map(|row| row.args));
        let rows =
            Rows { chronos: &[], calls, depths, keys, places: &[], args: &[], lines, first_line, text: &[], offset: 0 };
        if let Some(first) = builder.append(&rows) {
            builder.append_args(first, args);
            builder.append_paths(first, paths);
            self.flush_extras(first, ids, builder);
        }
        self.rows.clear();
        self.invokers.clear();
        self.sems.clear();
        self.matches.clear();
        self.sem_incs.clear();
    }

    fn flush_extras(&mut self, first: EventId, ids: &AttributeIds, builder: &mut TraceBuilder) {
        let (rows, ColumnBuffers { numbers, values, .. }) = (&self.rows, &mut self.columns);
        refill(numbers, rows.iter().map(|row| row.line_number));
        builder.append_line_numbers(first, numbers);
        let mut append_ints = |id, number: fn(&MpdRow) -> i64| {
            refill(numbers, rows.iter().map(number));
            builder.append_ints(id, first, numbers);
        };
        append_ints(ids.vm, |row| row.vm);
        append_ints(ids.inc, |row| row.inc.into());
        append_ints(ids.idepth, |row| row.idepth.into());
        let mut append_values = |id, value: fn(&MpdRow) -> ValueId| {
            refill(values, rows.iter().map(value));
            builder.append_values(id, first, values);
        };
        append_values(ids.pid, |row| row.pid);
        append_values(ids.extra, |row| row.extra);
        for (id, values) in [(ids.invoker, &self.invokers), (ids.sem, &self.sems), (ids.matched, &self.matches)] {
            builder.scatter_values(id, values);
        }
        builder.fill(ids.sem_inc, self.sem_incs.iter().map(|(event, inc)| (*event, Field::Int(*inc))));
    }
}
