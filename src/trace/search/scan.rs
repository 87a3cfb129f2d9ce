//! Tests of columns, one row or a block of rows at a time. Nothing here allocates.

use super::constraint::SatisfyingValues;
use super::distinct_values::{Stored, TraceColumn};
use crate::trace::column::codes::Codes;
use crate::trace::column::int_column::ABSENT;
use crate::trace::column::intervals::Intervals;
use crate::trace::column::scale::Scale;
use crate::trace::event::EventId;
use crate::trace::relation::store::Trace;

/// Removes the rows from index `from` on for which a condition does not hold.
pub(crate) fn keep_from(rows: &mut Vec<i64>, from: usize, mut holds: impl FnMut(i64) -> bool) {
    let kept = &mut rows[from..];
    let mut n_kept = 0;
    for at in 0..kept.len() {
        let row = kept[at];
        kept[n_kept] = row;
        n_kept += usize::from(holds(row));
    }
    rows.truncate(from + n_kept);
}

/// A test of one column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnTest {
    column: TraceColumn,
    accepts: Accepts,
}

/// For fewer rows than this, a column of a saved trace is read by block instead of as a whole.
const FEW: usize = 64;

/// The stored codes or values that pass.
#[derive(Clone, Debug)]
enum Accepts {
    /// The codes of an inclusive range.
    Range(u32, u32),
    /// The codes with a 1 in the table.
    Table(Vec<u8>),
    /// The codes in these intervals.
    Codes(Intervals),
    /// The values in these intervals, in a column that stores the values themselves.
    Values(Intervals),
}

impl ColumnTest {
    /// The test whether a row has one of the values; none if no column needs testing.
    pub(crate) fn new(trace: &Trace, values: &SatisfyingValues) -> Option<ColumnTest> {
        let (column, accepts) = match values {
            SatisfyingValues::Chronos(_) => return None,
            SatisfyingValues::Calls(numbers) => (TraceColumn::Call, calls(trace, numbers)),
            SatisfyingValues::Codes(column, codes) => (*column, table(codes)),
            SatisfyingValues::Ints(column, values) => (*column, ints(trace, *column, values)),
        };
        let test = ColumnTest { column, accepts };
        (!test.is_always(trace)).then_some(test)
    }

    /// Whether it asks for any value of a column that certainly has a value in each row.
    fn is_always(&self, trace: &Trace) -> bool {
        match (&self.accepts, trace.stored(self.column)) {
            (Accepts::Range(1, high), Some(Stored::Ints(codes, _))) => codes.is_full() && *high == codes.greatest(),
            _ => false,
        }
    }

    /// Whether it is about procedure, port and determinism.
    pub(crate) fn is_of_key(&self) -> bool {
        self.column == TraceColumn::Key
    }

    /// Whether no row passes.
    pub(crate) fn is_never(&self) -> bool {
        match &self.accepts {
            Accepts::Range(low, high) => low > high,
            Accepts::Table(table) => !table.contains(&1),
            Accepts::Codes(set) | Accepts::Values(set) => set.is_empty(),
        }
    }

    /// Whether a row passes.
    #[inline]
    pub(crate) fn holds(&self, trace: &Trace, event: EventId) -> bool {
        let row = event as usize;
        match trace.stored(self.column) {
            Some(Stored::Codes(codes) | Stored::Ints(codes, _)) => self.accepts_code(codes.at(row)),
            Some(Stored::Wide(values)) => values.get(row).is_some_and(|value| self.accepts_value(*value)),
            None => false,
        }
    }

    /// Removes the rows from index `from` on that do not pass.
    pub(crate) fn sift(&self, trace: &Trace, rows: &mut Vec<i64>, from: usize) {
        if rows.len() - from < FEW {
            return keep_from(rows, from, |row| self.holds(trace, row as EventId));
        }
        match trace.stored(self.column) {
            Some(Stored::Codes(codes) | Stored::Ints(codes, _)) if codes.has_stretches() => {
                let events: Vec<EventId> = rows[from..].iter().map(|row| *row as EventId).collect();
                let mut kept = Vec::with_capacity(events.len());
                self.keep(trace, &events, &mut kept);
                rows.truncate(from);
                rows.extend(kept.into_iter().map(i64::from));
            }
            Some(Stored::Codes(codes) | Stored::Ints(codes, _)) => match &**codes {
                Codes::U8(codes) => self.sift_codes(codes, rows, from),
                Codes::U16(codes) => self.sift_codes(codes, rows, from),
                Codes::U32(codes) => self.sift_codes(codes, rows, from),
            },
            _ => keep_from(rows, from, |row| self.holds(trace, row as EventId)),
        }
    }

    fn sift_codes<T: Copy + Into<u32>>(&self, codes: &[T], rows: &mut Vec<i64>, from: usize) {
        let code = |row: i64| codes.get(row as usize).map_or(0, |code| (*code).into());
        match &self.accepts {
            Accepts::Range(low, high) => keep_from(rows, from, |row| {
                let code = code(row);
                (*low <= code) & (code <= *high)
            }),
            _ => keep_from(rows, from, |row| self.accepts_code(code(row))),
        }
    }

    /// Adds the events that pass.
    pub(crate) fn keep(&self, trace: &Trace, events: &[EventId], into: &mut Vec<EventId>) {
        match trace.stored(self.column) {
            Some(Stored::Codes(codes) | Stored::Ints(codes, _)) if !codes.is_made() => {
                let mut found = Vec::with_capacity(events.len());
                codes.gather(events, &mut found);
                for (event, code) in events.iter().zip(found) {
                    if self.accepts_code(code) {
                        into.push(*event);
                    }
                }
            }
            _ => {
                for event in events {
                    if self.holds(trace, *event) {
                        into.push(*event);
                    }
                }
            }
        }
    }

    #[inline]
    pub(crate) fn accepts_code(&self, code: u32) -> bool {
        match &self.accepts {
            Accepts::Range(low, high) => (*low..=*high).contains(&code),
            Accepts::Table(table) => table.get(code as usize).is_some_and(|bit| *bit != 0),
            Accepts::Codes(set) => set.contains(i64::from(code)),
            Accepts::Values(_) => false,
        }
    }

    #[inline]
    fn accepts_value(&self, value: i64) -> bool {
        matches!(&self.accepts, Accepts::Values(set) if set.contains(value))
    }

    /// Clears the marks of those rows from `start` on that do not pass.
    pub(crate) fn sieve(&self, trace: &Trace, start: EventId, marks: &mut [u8]) {
        let rows = start as usize..start as usize + marks.len();
        let done = match trace.stored(self.column) {
            Some(Stored::Codes(codes) | Stored::Ints(codes, _)) => match &**codes {
                Codes::U8(codes) => codes.get(rows).map(|codes| self.sieve_codes(codes, marks)),
                Codes::U16(codes) => codes.get(rows).map(|codes| self.sieve_codes(codes, marks)),
                Codes::U32(codes) => codes.get(rows).map(|codes| self.sieve_codes(codes, marks)),
            },
            Some(Stored::Wide(values)) => values.get(rows).map(|values| {
                marks.iter_mut().zip(values).for_each(|(mark, value)| *mark &= u8::from(self.accepts_value(*value)));
            }),
            None => None,
        };
        if done.is_none() {
            marks.fill(0);
        }
    }

    fn sieve_codes<T: Copy + PartialOrd + TryFrom<u32> + Into<u32>>(&self, codes: &[T], marks: &mut [u8]) {
        let rows = marks.iter_mut().zip(codes);
        match &self.accepts {
            Accepts::Range(low, high) => match (T::try_from(*low), T::try_from(*high)) {
                (Ok(low), Ok(high)) => {
                    rows.for_each(|(mark, code)| *mark &= u8::from((low <= *code) & (*code <= high)))
                }
                (Ok(low), Err(_)) => rows.for_each(|(mark, code)| *mark &= u8::from(low <= *code)),
                (Err(_), _) => marks.fill(0),
            },
            Accepts::Table(table) => {
                rows.for_each(|(mark, code)| *mark &= table.get((*code).into() as usize).copied().unwrap_or(0));
            }
            Accepts::Codes(_) | Accepts::Values(_) => {
                rows.for_each(|(mark, code)| *mark &= u8::from(self.accepts_code((*code).into())));
            }
        }
    }
}

/// A table as a range, if its 1s are consecutive.
fn table(codes: &[u8]) -> Accepts {
    let low = codes.iter().position(|bit| *bit != 0);
    let high = codes.iter().rposition(|bit| *bit != 0);
    match (low, high) {
        (Some(low), Some(high)) if !codes[low..=high].contains(&0) => Accepts::Range(low as u32, high as u32),
        (Some(_), Some(_)) => Accepts::Table(codes.to_vec()),
        _ => Accepts::Range(1, 0),
    }
}

/// The codes (call id + 1) of the calls with these numbers.
fn calls(trace: &Trace, numbers: &Intervals) -> Accepts {
    let positions = trace.calls.positions(numbers);
    if trace.calls.by_number.is_none() {
        let codes: Vec<Intervals> =
            positions.iter().map(|(start, end)| Intervals::range(*start as i64 + 1, *end as i64)).collect();
        return intervals(Intervals::union(&codes));
    }
    let mut codes = vec![0; trace.n_calls() + 1];
    for position in positions.into_iter().flat_map(|(start, end)| start..end) {
        codes[trace.calls.at(position).index() + 1] = 1;
    }
    table(&codes)
}

/// The codes or values that represent these integers in an integer column.
fn ints(trace: &Trace, column: TraceColumn, values: &Intervals) -> Accepts {
    match trace.stored(column) {
        Some(Stored::Wide(_)) => Accepts::Values(values.intersection(&Intervals::range(ABSENT + 1, i64::MAX))),
        Some(Stored::Codes(codes)) => intervals(Scale::NATURAL.codes(values, codes.greatest())),
        Some(Stored::Ints(codes, scale)) => intervals(scale.codes(values, codes.greatest())),
        None => Accepts::Range(1, 0),
    }
}

/// Greater codes are looked up in intervals instead of a table.
const MAX_TABLE: i64 = 1 << 16;

fn intervals(codes: Intervals) -> Accepts {
    match codes.as_slice() {
        [] => Accepts::Range(1, 0),
        [(low, high)] => Accepts::Range(*low as u32, *high as u32),
        [.., (_, high)] if *high < MAX_TABLE => {
            let mut table = vec![0; *high as usize + 1];
            codes.as_slice().iter().for_each(|(low, high)| table[*low as usize..=*high as usize].fill(1));
            Accepts::Table(table)
        }
        _ => Accepts::Codes(codes),
    }
}
