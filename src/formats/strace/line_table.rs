//! What the lines state about events, in few bytes: a row for each line of a call or of something else that happens. The
//! columns of the trace are made from it when they are first needed.

use std::iter::Peekable;
use std::slice::Iter;
use std::sync::Arc;

use super::columns::{AttributeIds, CallNumber};
use super::names::{DetailsId, DetailsTable};
use super::processes::ProcessIndex;
use crate::trace::{AttributeId, EventId, Field, IntColumn, KeyId, LazyValues, NO_INT, TraceBuilder, ValueId};

/// Which events a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKind {
    /// The beginning of a call and its end.
    Complete,
    /// The beginning of a call.
    Begin,
    /// Something else that happens in a call, mostly its end.
    Inside,
    /// Something that happens outside of calls.
    Outside,
}

/// The numbers of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRow {
    pub(crate) process: ProcessIndex,
    /// Nanoseconds.
    pub(crate) time: Option<i64>,
    /// What a call returned.
    pub(crate) ret: Option<i64>,
    /// Nanoseconds that a call took.
    pub(crate) dur: Option<i64>,
    pub(crate) details: DetailsId,
}

impl LineRow {
    /// A row without a result.
    pub(crate) fn of(process: ProcessIndex, time: Option<i64>) -> LineRow {
        LineRow { process, time, ret: None, dur: None, details: DetailsId::NONE }
    }
}

/// Rows that are not in the table yet.
#[derive(Default)]
pub(crate) struct NewRows {
    /// Of the events.
    keys: Vec<KeyId>,
    kinds: Vec<RowKind>,
    processes: Vec<i64>,
    times: Vec<i64>,
    rets: Vec<i64>,
    durs: Vec<i64>,
    details: Vec<i64>,
    /// The calls of the rows [`RowKind::Inside`].
    calls: Vec<CallNumber>,
}

impl NewRows {
    /// The number of events.
    pub(crate) fn n_events(&self) -> usize {
        self.keys.len()
    }

    /// Adds the next call with its end.
    #[inline]
    pub(crate) fn complete(&mut self, keys: [KeyId; 2], row: LineRow) {
        self.keys.extend(keys);
        self.push(RowKind::Complete, row);
    }

    /// Adds the beginning of the next call.
    #[inline]
    pub(crate) fn begin(&mut self, key: KeyId, row: LineRow) {
        self.keys.push(key);
        self.push(RowKind::Begin, row);
    }

    /// Adds another event, of a call if it happens in one.
    #[inline]
    pub(crate) fn other(&mut self, key: KeyId, call: Option<CallNumber>, row: LineRow) {
        self.keys.push(key);
        self.calls.extend(call);
        self.push(if call.is_some() { RowKind::Inside } else { RowKind::Outside }, row);
    }

    #[inline(always)]
    fn push(&mut self, kind: RowKind, row: LineRow) {
        self.kinds.push(kind);
        self.processes.push(row.process.into());
        self.times.push(row.time.unwrap_or(NO_INT));
        self.rets.push(row.ret.unwrap_or(NO_INT));
        self.durs.push(row.dur.unwrap_or(NO_INT));
        self.details.push(row.details.code());
    }

    fn clear(&mut self) {
        let NewRows { keys, kinds, processes, times, rets, durs, details, calls } = self;
        [processes, times, rets, durs, details].into_iter().for_each(Vec::clear);
        keys.clear();
        kinds.clear();
        calls.clear();
    }
}

/// The rows of all events, in their order.
#[derive(Debug, Default)]
pub(crate) struct LineTable {
    kinds: Vec<RowKind>,
    processes: IntColumn,
    times: IntColumn,
    rets: IntColumn,
    durs: IntColumn,
    details: IntColumn,
    /// The calls of the rows [`RowKind::Inside`].
    calls: Vec<CallNumber>,
    /// Rows before which the last call has another number than that of the last row that began one.
    last_calls: Vec<(usize, CallNumber)>,
    /// Rows whose returned value does not fit in 64 bits, with its digits.
    wide_rets: Vec<(usize, String)>,
    /// The number of calls with an event.
    pub(crate) n_calls: usize,
}

/// An event of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowEvent {
    pub(crate) event: EventId,
    row: usize,
    pub(crate) call: Option<CallNumber>,
    /// Whether it begins a call whose end is in the same row.
    begins: bool,
    /// Whether it ends a call that begins in the same row.
    ends: bool,
}

impl LineTable {
    /// The number of rows, with those that are not in the table yet.
    fn n_rows(&self, new: &NewRows) -> usize {
        self.kinds.len() + new.kinds.len()
    }

    /// Notes the number of a call that does not begin in a row.
    pub(crate) fn skip_call(&mut self, new: &NewRows, number: CallNumber) {
        self.last_calls.push((self.n_rows(new), number));
    }

    /// Notes a value that the next row returns.
    pub(crate) fn wide_ret(&mut self, new: &NewRows, value: i128) {
        self.wide_rets.push((self.n_rows(new), value.to_string()));
    }

    /// Adds the new rows, and their events to the trace.
    pub(crate) fn append(&mut self, new: &mut NewRows, builder: &mut TraceBuilder) {
        let row = self.kinds.len();
        builder.append_keys(&new.keys, 0);
        self.kinds.extend_from_slice(&new.kinds);
        self.processes.extend(row, &new.processes);
        self.times.extend(row, &new.times);
        self.rets.extend(row, &new.rets);
        self.durs.extend(row, &new.durs);
        self.details.extend(row, &new.details);
        self.calls.extend_from_slice(&new.calls);
        new.clear();
    }

    /// Whether it is not known how long the call of a row took.
    fn is_unmeasured(&self, row: usize) -> bool {
        self.kinds[row] == RowKind::Complete && self.durs.at(row).is_none()
    }

    /// All events.
    pub(crate) fn events(&self) -> impl Iterator<Item = RowEvent> {
        let mut calls = self.calls.iter();
        let mut last_calls = self.last_calls.iter().peekable();
        let mut last = 0;
        let rows = self.kinds.iter().enumerate().flat_map(move |(row, kind)| {
            if matches!(kind, RowKind::Complete | RowKind::Begin) {
                last = last_before(row, &mut last_calls).unwrap_or(last) + 1;
            }
            let call = match kind {
                RowKind::Complete | RowKind::Begin => Some(last),
                RowKind::Inside => calls.next().copied(),
                RowKind::Outside => None,
            };
            let only = (row, call, false, false);
            match kind {
                RowKind::Complete => [Some((row, call, true, false)), Some((row, call, false, true))],
                _ => [Some(only), None],
            }
        });
        let parts = rows.flatten();
        (0..EventId::MAX).zip(parts).map(|(event, (row, call, begins, ends))| RowEvent {
            event,
            row,
            call,
            begins,
            ends,
        })
    }

    fn time(&self, of: RowEvent) -> Option<i64> {
        let time = self.times.at(of.row)?;
        let dur = if of.ends { self.durs.at(of.row) } else { None };
        Some(time.saturating_add(dur.unwrap_or(0)))
    }

    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        let columns = [&self.processes, &self.times, &self.rets, &self.durs, &self.details];
        self.kinds.capacity() + self.calls.capacity() * 4 + columns.map(IntColumn::bytes).iter().sum::<usize>()
    }

    /// Completes the table.
    pub(crate) fn finish(&mut self) {
        self.kinds.shrink_to_fit();
        self.calls.shrink_to_fit();
        let n_rows = self.kinds.len();
        let columns = [&mut self.processes, &mut self.times, &mut self.rets, &mut self.durs, &mut self.details];
        columns.into_iter().for_each(|column| column.finish(n_rows));
    }
}

/// The number of the last call before a row, if it is noted.
fn last_before(row: usize, noted: &mut Peekable<Iter<'_, (usize, CallNumber)>>) -> Option<CallNumber> {
    std::iter::from_fn(|| noted.next_if(|(before, _)| *before <= row)).last().map(|(_, number)| *number)
}

/// Declares the columns of a trace that are made from a table; `pids` has the number of each process.
pub(crate) fn leave(
    table: &Arc<LineTable>,
    ids: &AttributeIds,
    pids: Vec<i64>,
    details: DetailsTable,
    builder: &mut TraceBuilder,
) {
    if table.n_calls > 0 {
        let table = Arc::clone(table);
        let n_calls = table.n_calls;
        builder.lazy_calls(n_calls, move |_, column| {
            let calls = table.events().filter_map(|of| Some((of.event, of.call?)));
            calls.for_each(|(event, call)| column.set(event, call.into()));
        });
    }
    ints(table, builder, AttributeId::DEPTH, |_, of| Some(i64::from(of.call.is_some())));
    ints(table, builder, ids.pid, move |table, of| {
        let process = table.processes.at(of.row)?;
        pids.get(process as usize).copied()
    });
    if table.times.len() > 0 {
        ints(table, builder, ids.time, LineTable::time);
    }
    if table.durs.len() > 0 {
        ints(table, builder, ids.dur, |table, of| table.durs.at(of.row).filter(|_| !of.begins));
    }
    if (0..table.kinds.len()).any(|row| table.is_unmeasured(row)) {
        let table = Arc::clone(table);
        builder.lazy_values(AttributeId::DURATION_KNOWN, move |_, column| {
            let ends = table.events().filter(|of| of.ends && table.is_unmeasured(of.row));
            ends.for_each(|of| column.set(of.event, Field::Bool(false)));
        });
    }
    let ret = |table: &LineTable, of: RowEvent| table.rets.at(of.row).filter(|_| !of.begins);
    if !table.wide_rets.is_empty() {
        let table = Arc::clone(table);
        builder.lazy_values(ids.ret, move |_, column| {
            let mut wide = table.wide_rets.iter().peekable();
            for of in table.events().filter(|of| !of.begins) {
                let digits = std::iter::from_fn(|| wide.next_if(|(row, _)| *row <= of.row)).last();
                match (digits.filter(|(row, _)| *row == of.row), ret(&table, of)) {
                    (Some((_, digits)), _) => column.set(of.event, Field::BigInt(digits)),
                    (None, Some(value)) => column.set(of.event, Field::Int(value)),
                    (None, None) => {}
                }
            }
        });
    } else if table.rets.len() > 0 {
        ints(table, builder, ids.ret, ret);
    }
    leave_details(table, ids, details, builder);
}

/// Declares a column of integers.
fn ints(
    table: &Arc<LineTable>,
    builder: &mut TraceBuilder,
    id: AttributeId,
    value: impl Fn(&LineTable, RowEvent) -> Option<i64> + Send + Sync + 'static,
) {
    let table = Arc::clone(table);
    builder.lazy_ints(id, move |_, column| {
        let values = table.events().filter_map(|of| Some((of.event, value(&table, of)?)));
        values.for_each(|(event, value)| column.set(event, value));
    });
}

/// Declares the columns of what stands after returned values.
fn leave_details(table: &Arc<LineTable>, ids: &AttributeIds, details: DetailsTable, builder: &mut TraceBuilder) {
    let details = Arc::new(details);
    let mut is_used = vec![false; details.len()];
    let used = (0..table.kinds.len()).filter_map(|row| DetailsId::of(table.details.at(row)?).index());
    used.for_each(|index| is_used[index] = true);
    for (id, part) in [
        (ids.ret_path, DetailsTable::path as DetailsPart),
        (ids.errno, DetailsTable::errno),
        (ids.text, DetailsTable::text),
    ] {
        if !(0..details.len()).any(|index| is_used[index] && part(&details, index).is_some()) {
            continue;
        }
        let (table, details) = (Arc::clone(table), Arc::clone(&details));
        builder.lazy_values(id, move |_, column| {
            let mut known: Vec<Option<ValueId>> = vec![None; details.len()];
            let mut value = |column: &mut LazyValues, index: usize| {
                let field = part(&details, index)?;
                Some(*known[index].get_or_insert_with(|| column.value(field)))
            };
            for of in table.events().filter(|of| !of.begins) {
                let index = table.details.at(of.row).and_then(|code| DetailsId::of(code).index());
                if let Some(found) = index.and_then(|index| value(column, index)) {
                    column.set(of.event, Field::Known(found));
                }
            }
        });
    }
}

/// A part of details, by their index.
type DetailsPart = fn(&DetailsTable, usize) -> Option<Field<'_>>;
