//! Events on their way to the columns: gathered for a chunk of lines, then added together.

use super::columns::AttributeIds;
use crate::trace::{ArgsId, EventId, Field, KeyId, PathId, Rows, TraceBuilder, ValueId};

/// Stands for a number that an event does not have.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// The columns of the events that are not in the trace yet.
#[derive(Default)]
pub(crate) struct RowBuffer {
    pub(crate) keys: Vec<KeyId>,
    /// Numbers of boxes; [`NO_NUMBER`] for none.
    pub(crate) calls: Vec<i64>,
    pub(crate) depths: Vec<i64>,
    pub(crate) paths: Vec<PathId>,
    pub(crate) args: Vec<ArgsId>,
    pub(crate) vms: Vec<i64>,
    pub(crate) incs: Vec<i64>,
    pub(crate) idepths: Vec<i64>,
    pub(crate) pids: Vec<ValueId>,
    pub(crate) extras: Vec<ValueId>,
    /// Lines in the source of the program; [`NO_NUMBER`] for none.
    pub(crate) line_numbers: Vec<i64>,
    /// The line of the first one in the trace's file, and the lines of all, counted from there.
    first_line: u64,
    lines: Vec<u32>,
    /// What few events have.
    pub(crate) invokers: Vec<(EventId, ValueId)>,
    pub(crate) sems: Vec<(EventId, ValueId)>,
    pub(crate) matches: Vec<(EventId, ValueId)>,
    pub(crate) sem_incs: Vec<(EventId, i64)>,
}

impl RowBuffer {
    /// Adds the line of the next event.
    pub(crate) fn push_line(&mut self, line: u64) {
        if self.lines.is_empty() {
            self.first_line = line;
        }
        self.lines.push((line - self.first_line) as u32);
    }

    /// Adds the events to the trace.
    pub(crate) fn flush(&mut self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        let RowBuffer { keys, calls, depths, lines, first_line, .. } = &*self;
        let (chronos, places, args, text, first_line) = (&[], &[], &[], &[], *first_line);
        let rows = Rows { chronos, calls, depths, keys, places, args, lines, first_line, text, offset: 0 };
        if let Some(first) = builder.append(&rows) {
            self.flush_others(first, ids, builder);
        }
        let RowBuffer { calls, depths, vms, incs, idepths, line_numbers, .. } = self;
        [calls, depths, vms, incs, idepths, line_numbers].into_iter().for_each(Vec::clear);
        [&mut self.pids, &mut self.extras].into_iter().for_each(Vec::clear);
        [&mut self.invokers, &mut self.sems, &mut self.matches].into_iter().for_each(Vec::clear);
        self.keys.clear();
        self.paths.clear();
        self.args.clear();
        self.lines.clear();
        self.sem_incs.clear();
    }

    fn flush_others(&self, first: EventId, ids: &AttributeIds, builder: &mut TraceBuilder) {
        builder.append_args(first, &self.args);
        builder.append_paths(first, &self.paths);
        builder.append_line_numbers(first, &self.line_numbers);
        for (id, numbers) in [(ids.vm, &self.vms), (ids.inc, &self.incs), (ids.idepth, &self.idepths)] {
            builder.append_ints(id, first, numbers);
        }
        for (id, values) in [(ids.pid, &self.pids), (ids.extra, &self.extras)] {
            builder.append_values(id, first, values);
        }
        for (id, values) in [(ids.invoker, &self.invokers), (ids.sem, &self.sems), (ids.matched, &self.matches)] {
            builder.scatter_values(id, values);
        }
        builder.fill(ids.sem_inc, self.sem_incs.iter().map(|(event, inc)| (*event, Field::Int(*inc))));
    }
}
