//! Lazy columns: instead of values event by event, a reader hands the builder functions that fill the whole column of
//! an attribute from the reader's own tables. Each function runs once, when its attribute is first needed.
//!
//! A reader may only hand over a lazy column if some event has a value, and must know whether all values are
//! integers.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::term::Atom;
use crate::trace::event::args::{ArgsId, ListField};

use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::{Codes, Runs};
use crate::trace::column::dictionary::DictionaryBuilder;
use crate::trace::column::extra_column::{ExtraBuilder, ExtraColumn};
use crate::trace::column::int_column::IntColumn;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::list_column::{ListBuilder, ListColumn};
use crate::trace::column::paths::{PathId, PathTable};
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::event::key::KeyId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::{Field, Value, ValueId};
use crate::trace::file::text_file::TextFile;
use crate::trace::relation::args_column::ArgsColumn;
use crate::trace::relation::calls::{CallBuilder, Calls};
use crate::trace::relation::derived::{CallColumns, calls};
use crate::trace::relation::store::Trace;
use crate::trace::threads::lock;

/// The columns that are known while the lazy ones are computed.
#[derive(Clone, Debug)]
pub(crate) struct KnownColumns {
    n_events: EventId,
    keys: CodeColumn,
    calls: CodeColumn,
    call_numbers: Ints,
    extras: Vec<ExtraColumn>,
}

impl KnownColumns {
    /// All events.
    pub(crate) fn events(&self) -> Range<EventId> {
        0..self.n_events
    }

    /// Procedure, port and determinism of an event, as [`TraceBuilder::key`](super::TraceBuilder::key) numbered them.
    #[inline]
    pub(crate) fn key(&self, event: EventId) -> KeyId {
        KeyId(self.keys.at(event as usize))
    }

    /// The number of the call of an event, unless calls are lazy.
    #[inline]
    pub(crate) fn call(&self, event: EventId) -> Option<i64> {
        self.call_numbers.at(self.calls.at(event as usize).checked_sub(1)? as usize)
    }

    /// The integer value of an event for an attribute that is not lazy.
    #[inline]
    pub(crate) fn int(&self, id: AttributeId, event: EventId) -> Option<i64> {
        match self.extras.get(id.index()) {
            Some(ExtraColumn::Ints(values)) => values.at(event as usize),
            _ => None,
        }
    }

    /// The number of the value of an event for an attribute that is not lazy and has not only integers.
    #[inline]
    pub(crate) fn value(&self, id: AttributeId, event: EventId) -> Option<ValueId> {
        match self.extras.get(id.index()) {
            Some(ExtraColumn::Mixed(codes, _)) => codes.at(event as usize).checked_sub(1).map(ValueId),
            _ => None,
        }
    }

    /// The value of an event for an attribute that is not lazy.
    pub(crate) fn at(&self, id: AttributeId, event: EventId) -> Value<'_> {
        self.extras.get(id.index()).map_or(Value::Absent, |column| column.at(event as usize))
    }
}

/// Builder of a lazy column of integers; values of dropped events are ignored.
pub(crate) struct LazyInts {
    column: IntColumn,
    n_events: EventId,
}

impl LazyInts {
    /// Sets the value of an event, which must not precede the previous one. `i64::MIN` means no value.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, value: i64) {
        if event < self.n_events {
            self.column.set(event as usize, value);
        }
    }
}

/// Builder of a lazy column of any values.
pub(crate) struct LazyValues {
    column: ExtraBuilder,
    n_events: EventId,
    scratch: String,
}

impl LazyValues {
    /// Sets the value of an event, which must follow the previous one.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, field: Field<'_>) {
        if event < self.n_events {
            self.column.set(event as usize, field, &mut self.scratch);
        }
    }

    /// The number of a value for [`Field::Known`]; the same value always has the same number.
    pub(crate) fn value(&mut self, field: Field<'_>) -> ValueId {
        self.column.value(field, &mut self.scratch)
    }
}

/// Builder of a lazy column of lists.
pub(crate) struct LazyLists {
    column: ListBuilder,
    n_events: EventId,
    scratch: String,
}

impl LazyLists {
    /// Sets the list of an event, which must follow the previous one.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, list: ListField<'_>) {
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
    pub(crate) fn list(&mut self, text: &str) -> ArgsId {
        ListField::Text(text).write_stored(&mut self.scratch);
        ArgsId(self.column.code(&self.scratch))
    }

    /// The number of a list as it is stored, for [`ListField::Known`]; the same list always has the same number.
    pub(crate) fn stored_list(&mut self, stored: &str) -> ArgsId {
        ArgsId(self.column.code(stored))
    }

    /// The number of a new list as printed, for [`ListField::Known`]; it is not looked up, so another call with the
    /// same text returns another number.
    pub(crate) fn new_list(&mut self, text: &str) -> ArgsId {
        ArgsId(self.column.add(text))
    }
}

/// Builder of lazy goal paths.
pub(crate) struct LazyPaths {
    table: PathTable,
    codes: Codes,
    n_events: EventId,
}

impl LazyPaths {
    /// Sets the path of an event, which must follow the previous one.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, path: PathId) {
        if event < self.n_events {
            self.codes.set(event as usize, path.0 + 1);
        }
    }

    /// The number of a path; the same steps always have the same number.
    pub(crate) fn path(&mut self, steps: &[&str]) -> PathId {
        self.table.intern(steps)
    }

    /// The number of the path that extends `path`, or the empty path, by a step; `path` is from this builder. Only the
    /// last `most` steps are kept, after `...`.
    pub(crate) fn extend_path(&mut self, path: Option<PathId>, step: &str, most: usize) -> PathId {
        self.table.extend(path, step, most)
    }

    /// The number of a new path that extends another one by a step; it is not looked up.
    pub(crate) fn longer_path(&mut self, path: PathId, step: &str) -> PathId {
        self.table.add_longer(path, step)
    }
}

/// Builder of lazy terms, one for each event.
pub(crate) struct LazyTerms {
    codes: Codes,
    terms: DictionaryBuilder,
    n_events: EventId,
}

/// Number of a term, from [`LazyTerms::term`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermId(u32);

impl LazyTerms {
    /// Sets the term of an event, which must follow the previous one.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, TermId(code): TermId) {
        if event < self.n_events {
            self.codes.set(event as usize, code + 1);
        }
    }

    /// The number of a term; the same text always has the same number.
    pub(crate) fn term(&mut self, text: &str) -> TermId {
        TermId(self.terms.intern(text))
    }
}

/// Builder of the lazy lines of events in the trace's file.
pub(crate) struct LazyLines {
    lines: Runs,
    n_events: EventId,
}

impl LazyLines {
    /// Sets the line of an event, which must follow the previous one; 0 if it has none.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, line: u64) {
        if event < self.n_events {
            self.lines.push(event, line);
        }
    }
}

/// Builder of lazy calls.
pub(crate) struct LazyCalls {
    calls: CallBuilder,
    n_events: EventId,
}

impl LazyCalls {
    /// Sets the number of the call of an event, which must follow the previous one. `i64::MIN` means no number.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, number: i64) {
        if event < self.n_events {
            self.calls.push(event, number);
        }
    }
}

/// Fills a column.
type Fill<C> = Box<dyn Fn(&KnownColumns, &mut C) + Send + Sync>;

/// The lazy columns of a trace, while it is read.
#[derive(Default)]
pub(crate) struct LazyColumns {
    pub(crate) ints: Vec<(AttributeId, Fill<LazyInts>)>,
    pub(crate) values: Vec<(AttributeId, Fill<LazyValues>)>,
    /// The arguments, and the file that they are read from, if they are in one.
    pub(crate) args: Option<(Option<Arc<TextFile>>, Fill<LazyLists>)>,
    pub(crate) paths: Option<Fill<LazyPaths>>,
    /// The terms, and the attribute that has the same values.
    pub(crate) terms: Option<(AttributeId, Fill<LazyTerms>)>,
    pub(crate) source_lines: Option<Fill<LazyLines>>,
    /// The calls, and their number.
    pub(crate) calls: Option<(usize, Fill<LazyCalls>)>,
}

impl LazyColumns {
    /// Puts the columns into a trace that has all other columns.
    pub(crate) fn add_to(self, trace: &mut Trace) {
        let known = Arc::new(KnownColumns {
            n_events: trace.n_events,
            keys: trace.key_codes.clone(),
            calls: trace.calls.codes.clone(),
            call_numbers: trace.calls.numbers.clone(),
            extras: trace.extras.clone(),
        });
        for (id, fill) in self.ints {
            add_ints(trace, &known, id, fill);
        }
        for (id, fill) in self.values {
            *trace.extra_slot(id) = values(&known, fill);
        }
        if let Some((file, fill)) = self.args {
            trace.args = ArgsColumn::Lazy(lists(&known, fill), file);
        }
        if let Some(fill) = self.paths {
            (trace.path_codes, trace.paths) = paths(&known, fill);
        }
        if let Some((id, fill)) = self.terms {
            add_terms(trace, &known, id, fill);
        }
        if let Some(fill) = self.source_lines {
            trace.source_lines = lines(&known, fill);
        }
        if let Some((n_calls, fill)) = self.calls {
            trace.calls = index_of_calls(trace, &known, n_calls, fill);
        }
    }
}

impl Trace {
    /// The place of the column of an attribute.
    pub(super) fn extra_slot(&mut self, id: AttributeId) -> &mut ExtraColumn {
        if self.extras.len() <= id.index() {
            self.extras.resize_with(id.index() + 1, || ExtraColumn::Ints(Ints::default()));
        }
        &mut self.extras[id.index()]
    }
}

fn add_ints(trace: &mut Trace, known: &Arc<KnownColumns>, id: AttributeId, fill: Fill<LazyInts>) {
    let rows = known.n_events as usize;
    let known = Arc::clone(known);
    let column = Ints::lazy(rows, move || {
        let mut ints = LazyInts { column: IntColumn::default(), n_events: known.n_events };
        fill(&known, &mut ints);
        ints.column.finish(rows);
        ints.column.into()
    });
    match id {
        AttributeId::DEPTH => trace.depths = column,
        AttributeId::LINE_NUMBER => trace.line_numbers = column,
        other => *trace.extra_slot(other) = ExtraColumn::Ints(column),
    }
}

fn values(known: &Arc<KnownColumns>, fill: Fill<LazyValues>) -> ExtraColumn {
    let rows = known.n_events as usize;
    let known = Arc::clone(known);
    let column = Lazy::new(move || {
        let mut values =
            LazyValues { column: ExtraBuilder::default(), n_events: known.n_events, scratch: String::new() };
        fill(&known, &mut values);
        values.column.finish(rows)
    });
    ExtraColumn::Lazy(rows, column)
}

fn lists(known: &Arc<KnownColumns>, fill: Fill<LazyLists>) -> Lazy<ListColumn> {
    let known = Arc::clone(known);
    Lazy::new(move || {
        let mut lists = LazyLists { column: ListBuilder::default(), n_events: known.n_events, scratch: String::new() };
        fill(&known, &mut lists);
        lists.column.finish(known.n_events as usize)
    })
}

/// When two values are computed together, hands the second one to the lazy value that takes it, once.
struct Handover<T>(Arc<Mutex<T>>);

impl<T: Default + Send + 'static> Handover<T> {
    fn new() -> (Handover<T>, Handover<T>) {
        let value = Arc::default();
        (Handover(Arc::clone(&value)), Handover(value))
    }

    fn put(&self, value: T) {
        *lock(&self.0) = value;
    }

    fn take(&self) -> T {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// The codes of the paths, and their steps.
fn paths(known: &Arc<KnownColumns>, fill: Fill<LazyPaths>) -> (CodeColumn, Lazy<Vec<Box<[Atom]>>>) {
    let rows = known.n_events as usize;
    let known = Arc::clone(known);
    let (put, taken) = Handover::new();
    let codes = CodeColumn::lazy(rows, move || {
        let mut paths = LazyPaths { table: PathTable::default(), codes: Codes::default(), n_events: known.n_events };
        fill(&known, &mut paths);
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
fn add_terms(trace: &mut Trace, known: &Arc<KnownColumns>, id: AttributeId, fill: Fill<LazyTerms>) {
    let rows = known.n_events as usize;
    let known = Arc::clone(known);
    let (put, taken) = Handover::new();
    let codes = CodeColumn::lazy(rows, move || {
        let mut terms =
            LazyTerms { codes: Codes::default(), terms: DictionaryBuilder::default(), n_events: known.n_events };
        fill(&known, &mut terms);
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
    *trace.extra_slot(id) = ExtraColumn::Mixed(codes.clone(), TextColumn::Lazy(values));
    let lists = Lazy::new(move || {
        codes.make();
        ListColumn { codes: codes.clone(), texts: TextColumn::Lazy(texts.clone()) }
    });
    trace.args = ArgsColumn::Lazy(lists, None);
}

fn lines(known: &Arc<KnownColumns>, fill: Fill<LazyLines>) -> Lazy<Runs> {
    let known = Arc::clone(known);
    Lazy::new(move || {
        let mut lines = LazyLines { lines: Runs::default(), n_events: known.n_events };
        fill(&known, &mut lines);
        lines.lines
    })
}

/// The lazy index of calls.
fn index_of_calls(trace: &Trace, known: &Arc<KnownColumns>, n_calls: usize, fill: Fill<LazyCalls>) -> Calls {
    let rows = known.n_events as usize;
    let known = Arc::clone(known);
    let (put, taken) = Handover::new();
    let codes = CodeColumn::lazy(rows, move || {
        let mut calls = LazyCalls { calls: CallBuilder::default(), n_events: known.n_events };
        fill(&known, &mut calls);
        let (codes, numbers) = calls.calls.finish(rows);
        put.put(numbers);
        codes
    });
    let made = codes.clone();
    let numbers = Ints::lazy(n_calls, move || {
        made.make();
        taken.take()
    });
    let key_codes = trace.key_codes.clone();
    calls(CallColumns { file: None, n_calls, codes, numbers, depths: trace.depths.clone(), key_codes }, &trace.keys)
}
