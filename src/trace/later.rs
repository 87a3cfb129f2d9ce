//! Lazy columns: instead of values event by event, a reader hands the builder functions that fill the whole column of
//! an attribute from the reader's own tables. Each function runs once, when its attribute is first needed.
//!
//! When such a column is handed over, it must be known that some event has a value, and whether all values are
//! integers.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::term::Atom;

use super::EventId;
use super::args_column::ArgsColumn;
use super::calls::{CallBuilder, Calls};
use super::code_column::{CodeColumn, Ints};
use super::column::{Codes, IntColumn, Runs};
use super::derived::{CallColumns, calls};
use super::dictionary::Interner;
use super::extra::{ExtraBuilder, ExtraColumn};
use super::key::KeyId;
use super::lazy::Lazy;
use super::list::{ListBuilder, ListColumn};
use super::paths::{PathId, PathTable};
use super::schema::AttributeId;
use super::store::Trace;
use super::text_column::TextColumn;
use super::value::{ArgsId, Field, ListField, ValueId};

/// The columns that are known while the lazy ones are computed.
#[derive(Clone, Debug)]
pub struct Told {
    n_events: EventId,
    keys: CodeColumn,
    calls: CodeColumn,
    call_numbers: Ints,
    extras: Vec<Extra>,
}

/// The column of an attribute.
#[derive(Clone, Debug)]
enum Extra {
    Ints(Ints),
    /// Number of the value + 1, and 0 for an absent one.
    Values(CodeColumn),
}

impl Told {
    /// All events.
    pub fn events(&self) -> Range<EventId> {
        0..self.n_events
    }

    /// Procedure, port and determinism of an event, as [`TraceBuilder::key`](super::TraceBuilder::key) numbered them.
    #[inline]
    pub fn key(&self, event: EventId) -> KeyId {
        KeyId(self.keys.at(event as usize))
    }

    /// The number of the call of an event, unless calls are lazy.
    #[inline]
    pub fn call(&self, event: EventId) -> Option<i64> {
        self.call_numbers.at(self.calls.at(event as usize).checked_sub(1)? as usize)
    }

    /// The integer value of an event for an attribute that is not lazy.
    #[inline]
    pub fn int(&self, id: AttributeId, event: EventId) -> Option<i64> {
        match self.extras.get(id.index()) {
            Some(Extra::Ints(values)) => values.at(event as usize),
            _ => None,
        }
    }

    /// The number of the value of an event for an attribute that is not lazy and has not only integers.
    #[inline]
    pub fn value(&self, id: AttributeId, event: EventId) -> Option<ValueId> {
        match self.extras.get(id.index()) {
            Some(Extra::Values(codes)) => codes.at(event as usize).checked_sub(1).map(ValueId),
            _ => None,
        }
    }
}

impl Extra {
    fn of(column: &ExtraColumn) -> Extra {
        match column {
            ExtraColumn::Ints(values) => Extra::Ints(values.clone()),
            ExtraColumn::Mixed(codes, _) => Extra::Values(codes.clone()),
            ExtraColumn::Later(..) => Extra::Ints(Ints::default()),
        }
    }
}

/// Builder of a lazy column of integers; values of dropped events are ignored.
pub struct LaterInts {
    column: IntColumn,
    n_events: EventId,
}

impl LaterInts {
    /// Sets the value of an event, which must not precede the previous one. `i64::MIN` is no value.
    #[inline]
    pub fn set(&mut self, event: EventId, value: i64) {
        if event < self.n_events {
            self.column.set(event as usize, value);
        }
    }
}

/// Builder of a lazy column of any values.
pub struct LaterValues {
    column: ExtraBuilder,
    n_events: EventId,
    scratch: String,
}

impl LaterValues {
    /// Sets the value of an event, which must follow the previous one.
    #[inline]
    pub fn set(&mut self, event: EventId, field: Field<'_>) {
        if event < self.n_events {
            self.column.set(event as usize, field, &mut self.scratch);
        }
    }

    /// The number of a value for [`Field::Known`]; the same value always has the same number.
    pub fn value(&mut self, field: Field<'_>) -> ValueId {
        self.column.value(field, &mut self.scratch)
    }
}

/// Builder of a lazy column of lists.
pub struct LaterLists {
    column: ListBuilder,
    n_events: EventId,
    scratch: String,
}

impl LaterLists {
    /// Sets the list of an event, which must follow the previous one.
    #[inline]
    pub fn set(&mut self, event: EventId, list: ListField<'_>) {
        let ArgsId(code) = match list {
            ListField::Known(id) => id,
            list if list.write_stored(&mut self.scratch) => ArgsId(self.column.code(&self.scratch)),
            _ => return,
        };
        if event < self.n_events {
            self.column.set_code(event as usize, code);
        }
    }

    /// The number of a list as printed, for [`ListField::Known`]; the same list always has the same number.
    pub fn list(&mut self, text: &str) -> ArgsId {
        ListField::Text(text).write_stored(&mut self.scratch);
        ArgsId(self.column.code(&self.scratch))
    }

    /// As [`list`](LaterLists::list), for a new list that is not looked up again, only used by its number.
    pub fn new_list(&mut self, text: &str) -> ArgsId {
        ArgsId(self.column.add(text))
    }
}

/// Builder of lazy goal paths.
pub struct LaterPaths {
    table: PathTable,
    codes: Codes,
    n_events: EventId,
}

impl LaterPaths {
    /// Sets the path of an event, which must follow the previous one.
    #[inline]
    pub fn set(&mut self, event: EventId, path: PathId) {
        if event < self.n_events {
            self.codes.set(event as usize, path.0 + 1);
        }
    }

    /// The number of a path; the same steps always have the same number.
    pub fn path(&mut self, steps: &[&str]) -> PathId {
        self.table.intern(steps)
    }

    /// The number of the path that extends `path`, or the empty path, by a step; `path` is from this builder. Only the
    /// last `most` steps are kept, after `...`.
    pub fn path_behind(&mut self, path: Option<PathId>, step: &str, most: usize) -> PathId {
        self.table.behind(path, step, most)
    }

    /// The number of a new path that extends another one by a step; it is not looked up.
    pub fn longer_path(&mut self, path: PathId, step: &str) -> PathId {
        self.table.add_longer(path, step)
    }
}

/// Builder of lazy terms, one for each event.
pub struct LaterTerms {
    codes: Codes,
    terms: Interner,
    n_events: EventId,
}

/// Number of a term, from [`LaterTerms::term`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermId(u32);

impl LaterTerms {
    /// Sets the term of an event, which must follow the previous one.
    #[inline]
    pub fn set(&mut self, event: EventId, TermId(code): TermId) {
        if event < self.n_events {
            self.codes.set(event as usize, code + 1);
        }
    }

    /// The number of a term; the same text always has the same number.
    pub fn term(&mut self, text: &str) -> TermId {
        TermId(self.terms.intern(text))
    }
}

/// Builder of the lazy lines of events in the trace's file.
pub struct LaterLines {
    lines: Runs,
    n_events: EventId,
}

impl LaterLines {
    /// Sets the line of an event, which must follow the previous one; 0 if it has none.
    #[inline]
    pub fn set(&mut self, event: EventId, line: u64) {
        if event < self.n_events {
            self.lines.push(event, line);
        }
    }
}

/// Builder of lazy calls.
pub struct LaterCalls {
    calls: CallBuilder,
    n_events: EventId,
}

impl LaterCalls {
    /// Sets the number of the call of an event, which must follow the previous one. `i64::MIN` is no number.
    #[inline]
    pub fn set(&mut self, event: EventId, number: i64) {
        if event < self.n_events {
            self.calls.push(event, number);
        }
    }
}

/// Fills a column.
type Tell<C> = Box<dyn Fn(&Told, &mut C) + Send + Sync>;

/// The lazy columns of a trace, while it is read.
#[derive(Default)]
pub(super) struct LaterColumns {
    pub(super) ints: Vec<(AttributeId, Tell<LaterInts>)>,
    pub(super) values: Vec<(AttributeId, Tell<LaterValues>)>,
    pub(super) args: Option<Tell<LaterLists>>,
    pub(super) paths: Option<Tell<LaterPaths>>,
    /// With the attribute that has the same values.
    pub(super) terms: Option<(AttributeId, Tell<LaterTerms>)>,
    pub(super) source_lines: Option<Tell<LaterLines>>,
    /// With the number of calls.
    pub(super) calls: Option<(usize, Tell<LaterCalls>)>,
}

impl LaterColumns {
    /// Puts the columns into a trace that has all other columns.
    pub(super) fn place(self, trace: &mut Trace) {
        let told = Arc::new(Told {
            n_events: trace.n_events,
            keys: trace.key_codes.clone(),
            calls: trace.calls.codes.clone(),
            call_numbers: trace.calls.numbers.clone(),
            extras: trace.extras.iter().map(Extra::of).collect(),
        });
        for (id, tell) in self.ints {
            place_ints(trace, &told, id, tell);
        }
        for (id, tell) in self.values {
            *extra(trace, id) = values(&told, tell);
        }
        if let Some(tell) = self.args {
            trace.args = ArgsColumn::Later(lists(&told, tell));
        }
        if let Some(tell) = self.paths {
            (trace.path_codes, trace.paths) = paths(&told, tell);
        }
        if let Some((id, tell)) = self.terms {
            place_terms(trace, &told, id, tell);
        }
        if let Some(tell) = self.source_lines {
            trace.source_lines = lines(&told, tell);
        }
        if let Some((n_calls, tell)) = self.calls {
            trace.calls = told_calls(trace, &told, n_calls, tell);
        }
    }
}

fn extra(trace: &mut Trace, id: AttributeId) -> &mut ExtraColumn {
    if trace.extras.len() <= id.index() {
        trace.extras.resize_with(id.index() + 1, || ExtraColumn::Ints(Ints::default()));
    }
    &mut trace.extras[id.index()]
}

fn place_ints(trace: &mut Trace, told: &Arc<Told>, id: AttributeId, tell: Tell<LaterInts>) {
    let rows = told.n_events as usize;
    let told = Arc::clone(told);
    let column = Ints::later(rows, move || {
        let mut ints = LaterInts { column: IntColumn::default(), n_events: told.n_events };
        tell(&told, &mut ints);
        ints.column.finish(rows);
        ints.column.into()
    });
    match id {
        AttributeId::DEPTH => trace.depths = column,
        AttributeId::LINE_NUMBER => trace.line_numbers = column,
        other => *extra(trace, other) = ExtraColumn::Ints(column),
    }
}

fn values(told: &Arc<Told>, tell: Tell<LaterValues>) -> ExtraColumn {
    let rows = told.n_events as usize;
    let told = Arc::clone(told);
    let column = Lazy::new(move || {
        let mut values =
            LaterValues { column: ExtraBuilder::default(), n_events: told.n_events, scratch: String::new() };
        tell(&told, &mut values);
        values.column.finish(rows)
    });
    ExtraColumn::Later(rows, column)
}

fn lists(told: &Arc<Told>, tell: Tell<LaterLists>) -> Lazy<ListColumn> {
    let told = Arc::clone(told);
    Lazy::new(move || {
        let mut lists = LaterLists { column: ListBuilder::default(), n_events: told.n_events, scratch: String::new() };
        tell(&told, &mut lists);
        lists.column.finish(told.n_events as usize)
    })
}

/// Hands the second of two values that are computed together to the lazy value that takes it, once.
struct Aside<T>(Arc<Mutex<T>>);

impl<T: Default + Send + 'static> Aside<T> {
    fn new() -> (Aside<T>, Aside<T>) {
        let place = Arc::default();
        (Aside(Arc::clone(&place)), Aside(place))
    }

    fn put(&self, thing: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = thing;
    }

    fn take(&self) -> T {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The codes of the paths, and their steps.
fn paths(told: &Arc<Told>, tell: Tell<LaterPaths>) -> (CodeColumn, Lazy<Vec<Box<[Atom]>>>) {
    let rows = told.n_events as usize;
    let told = Arc::clone(told);
    let (put, taken) = Aside::new();
    let codes = CodeColumn::later(rows, move || {
        let mut paths = LaterPaths { table: PathTable::default(), codes: Codes::default(), n_events: told.n_events };
        tell(&told, &mut paths);
        put.put(paths.table);
        paths.codes.finish(rows);
        paths.codes
    });
    let made = codes.clone();
    let paths = Lazy::new(move || {
        made.make();
        taken.take().steps()
    });
    (codes, paths)
}

/// The terms as arguments and as values of an attribute, which share their codes.
fn place_terms(trace: &mut Trace, told: &Arc<Told>, id: AttributeId, tell: Tell<LaterTerms>) {
    let rows = told.n_events as usize;
    let told = Arc::clone(told);
    let (put, taken) = Aside::new();
    let codes = CodeColumn::later(rows, move || {
        let mut terms = LaterTerms { codes: Codes::default(), terms: Interner::default(), n_events: told.n_events };
        tell(&told, &mut terms);
        put.put(terms.terms);
        terms.codes.finish(rows);
        terms.codes
    });
    let made = codes.clone();
    let texts = Lazy::new(move || {
        made.make();
        taken.take().finish()
    });
    let of_args = texts.clone();
    let values = Lazy::new(move || of_args.with_prefix('t'));
    *extra(trace, id) = ExtraColumn::Mixed(codes.clone(), TextColumn::Later(values));
    trace.args = ArgsColumn::Later(Lazy::new(move || {
        codes.make();
        ListColumn { codes: codes.clone(), texts: TextColumn::Later(texts.clone()) }
    }));
}

fn lines(told: &Arc<Told>, tell: Tell<LaterLines>) -> Lazy<Runs> {
    let told = Arc::clone(told);
    Lazy::new(move || {
        let mut lines = LaterLines { lines: Runs::default(), n_events: told.n_events };
        tell(&told, &mut lines);
        lines.lines
    })
}

/// The lazy index of calls.
fn told_calls(trace: &Trace, told: &Arc<Told>, n_calls: usize, tell: Tell<LaterCalls>) -> Calls {
    let rows = told.n_events as usize;
    let told = Arc::clone(told);
    let (put, taken) = Aside::new();
    let codes = CodeColumn::later(rows, move || {
        let mut calls = LaterCalls { calls: CallBuilder::default(), n_events: told.n_events };
        tell(&told, &mut calls);
        let (codes, numbers) = calls.calls.finish(rows);
        put.put(numbers);
        codes
    });
    let made = codes.clone();
    let numbers = Ints::later(n_calls, move || {
        made.make();
        taken.take()
    });
    let key_codes = trace.key_codes.clone();
    calls(CallColumns { file: None, n_calls, codes, numbers, depths: trace.depths.clone(), key_codes }, &trace.keys)
}
