//! Building a trace, event by event in order: the only way to make one.

mod append;
mod lazy;
pub(super) mod lazy_columns;
pub(super) mod table;
pub(super) mod value_column;

use std::fs::File;
use std::sync::{Arc, OnceLock};

use self::lazy_columns::LazyColumns;
use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::{Codes, Runs};
use crate::trace::column::extra_column::{ExtraBuilder, ExtraColumn};
use crate::trace::column::int_column::IntColumn;
use crate::trace::column::list_column::ListBuilder;
use crate::trace::column::paths::{PathId, PathTable};
use crate::trace::column::postings::Postings;
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgsId, ListField};
use crate::trace::event::finding::{Finding, Findings};
use crate::trace::event::key::{Key, KeyBuilder, KeyId};
use crate::trace::event::proc::ProcRow;
use crate::trace::event::recording::{Gap, Recording};
use crate::trace::event::schema::{AttributeId, Schema};
use crate::trace::event::value::{Field, ValueId};
use crate::trace::file::memory::{MemoryUse, Shortage};
use crate::trace::file::text_file::TextFile;
use crate::trace::relation::args_column::ArgsBuilder;
use crate::trace::relation::calls::{CallBuilder, CallId};
use crate::trace::relation::chrono::ChronoBuilder;
use crate::trace::relation::derived::{self, CallColumns};
use crate::trace::relation::selection::WholeTrace;
use crate::trace::relation::source_places::SourcePlaces;
use crate::trace::relation::spans::SpanBuilder;
use crate::trace::relation::store::{Samples, Trace, TraceOrigin};

/// An event as a reader found it; a field that the file does not state stays `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventRow<'a> {
    /// Printed number. The trace keeps the numbers if every event has one and they strictly increase; otherwise it
    /// numbers events by rank.
    pub(crate) chrono: Option<i64>,
    /// Number of the event's call.
    pub(crate) call: Option<i64>,
    /// Number of ancestors + 1.
    pub(crate) depth: Option<i64>,
    /// Kind of event, in any spelling of the format.
    pub(crate) port: Option<&'a str>,
    /// What was called.
    pub(crate) proc: ProcRow<'a>,
    pub(crate) det: Option<&'a str>,
    /// Procedure, port and determinism, from [`TraceBuilder::key`]; if it is given, the three fields are ignored.
    pub(crate) key: Option<KeyId>,
    /// Goal path, from [`TraceBuilder::path`].
    pub(crate) goal_path: Option<PathId>,
    /// Line of the program's source.
    pub(crate) line_number: Option<i64>,
    pub(crate) args: ListField<'a>,
    pub(crate) arg_types: ListField<'a>,
    pub(crate) arg_names: ListField<'a>,
    /// Other attributes, whose ids come from [`TraceBuilder::attribute`].
    pub(crate) extra: &'a [(AttributeId, Field<'a>)],
    /// Line in the trace's file, from 1; 0 if the event has none.
    pub(crate) source_line: u64,
}

/// A trace that is being read.
pub(crate) struct TraceBuilder {
    origin: TraceOrigin,
    schema: Schema,
    findings: Findings,
    n_events: EventId,
    chronos: ChronoBuilder,
    calls: CallBuilder,
    depths: IntColumn,
    line_numbers: IntColumn,
    source_lines: Runs,
    source_places: Option<SourcePlaces>,
    keys: KeyBuilder,
    key_codes: Codes,
    paths: PathTable,
    path_codes: Codes,
    args: ArgsBuilder,
    arg_types: ListBuilder,
    arg_names: ListBuilder,
    extras: Vec<ExtraBuilder>,
    /// Columns that were handed over as a whole.
    whole_columns: Vec<(AttributeId, ExtraColumn)>,
    scratch: String,
    whole: Option<WholeTrace>,
    lazy_columns: LazyColumns,
    n_table_bytes: usize,
    memory: MemoryUse,
    shortage: Option<Shortage>,
    recording: Recording,
    earlier: Samples,
}

impl TraceBuilder {
    /// Builds a trace, starting without events.
    pub(crate) fn new(origin: TraceOrigin) -> TraceBuilder {
        TraceBuilder {
            schema: Schema::new(origin.attributes),
            origin,
            findings: Findings::default(),
            n_events: 0,
            chronos: ChronoBuilder::default(),
            calls: CallBuilder::default(),
            depths: IntColumn::default(),
            line_numbers: IntColumn::default(),
            source_lines: Runs::default(),
            source_places: None,
            keys: KeyBuilder::default(),
            key_codes: Codes::default(),
            paths: PathTable::default(),
            path_codes: Codes::default(),
            args: ArgsBuilder::default(),
            arg_types: ListBuilder::default(),
            arg_names: ListBuilder::default(),
            extras: Vec::new(),
            whole_columns: Vec::new(),
            scratch: String::new(),
            whole: None,
            lazy_columns: LazyColumns::default(),
            n_table_bytes: 0,
            memory: MemoryUse::new(None),
            shortage: None,
            recording: Recording::default(),
            earlier: Samples::default(),
        }
    }

    /// Lets constraints mean what they would mean if earlier events had these values.
    pub(crate) fn remember(&mut self, earlier: &Samples) {
        self.earlier.clone_from(earlier);
    }

    /// Notes that the trace breaks off after its last event.
    pub(crate) fn lose_end(&mut self) {
        let end = self.n_events;
        self.recording.gap(Gap { first: end, before: end, lost: None });
    }

    /// Where the trace comes from.
    pub(crate) fn origin(&self) -> &TraceOrigin {
        &self.origin
    }

    /// Leaves the texts of the arguments in `file`, from which the trace is read. Must be called before the first
    /// event.
    pub(crate) fn leave_texts_in(&mut self, file: File) {
        self.args = ArgsBuilder::Spans(Box::new(SpanBuilder::new(TextFile::new(file, self.origin.path.clone()))));
    }

    /// The number of a procedure, port and determinism, for [`Rows::keys`](crate::trace::Rows::keys).
    pub(crate) fn key(&mut self, proc: &ProcRow<'_>, port: Option<&str>, det: Option<&str>) -> KeyId {
        let proc = self.keys.proc(proc);
        let port = port.map(|spelling| self.keys.port(spelling, &self.origin.ports));
        let det = det.map(|name| self.keys.det(name));
        KeyId(self.keys.code(Key { proc, port, det }))
    }

    /// The key of another port with the procedure of a key.
    pub(crate) fn key_at_port(&mut self, KeyId(like): KeyId, port: &str) -> KeyId {
        let port = Some(self.keys.port(port, &self.origin.ports));
        KeyId(self.keys.code(Key { port, ..self.keys.key(like) }))
    }

    /// The number of a value for [`Field::Known`]; the same value always has the same number for the same attribute.
    pub(crate) fn value(&mut self, id: AttributeId, field: Field<'_>) -> ValueId {
        slot(&mut self.extras, id.index()).value(field, &mut self.scratch)
    }

    /// The number of a list of arguments as printed, for [`ListField::Known`]; the same list always has the same
    /// number.
    pub(crate) fn args(&mut self, text: &str) -> ArgsId {
        ListField::Text(text).write_stored(&mut self.scratch);
        self.args.id(&self.scratch)
    }

    /// As [`args`](TraceBuilder::args), for a list in any form.
    pub(crate) fn list(&mut self, list: ListField<'_>) -> ArgsId {
        list.write_stored(&mut self.scratch);
        self.args.id(&self.scratch)
    }

    /// The number of a path for [`EventRow::goal_path`]; the same steps always have the same number.
    pub(crate) fn path(&mut self, steps: &[&str]) -> PathId {
        self.paths.intern(steps)
    }

    /// The number of the path that extends `path`, or the empty path, by a step. Only the last `most` steps are kept,
    /// after `...`.
    pub(crate) fn extend_path(&mut self, path: Option<PathId>, step: &str, most: usize) -> PathId {
        self.paths.extend(path, step, most)
    }

    /// The attribute with that name or alias; an unknown name becomes an attribute of this trace. `None` if there are
    /// too many.
    pub(crate) fn attribute(&mut self, name: &str) -> Option<AttributeId> {
        self.schema.declare(name)
    }

    /// As [`attribute`](TraceBuilder::attribute), by full name only: an alias becomes an attribute of its own.
    pub(crate) fn own_attribute(&mut self, name: &str) -> Option<AttributeId> {
        self.schema.declare_own(name)
    }

    /// As [`attribute`](TraceBuilder::attribute), but the trace has the attribute, so that queries may use it, even if
    /// no event has a value for it.
    pub(crate) fn standing_attribute(&mut self, name: &str) -> Option<AttributeId> {
        let id = self.schema.declare(name)?;
        self.schema.let_stand(id);
        Some(id)
    }

    /// Declares that the trace has an attribute, so that queries may use it, even if no event has a value for it.
    pub(crate) fn let_stand(&mut self, id: AttributeId) {
        self.schema.let_stand(id);
    }

    /// Declares that the integers of an attribute are in no unit that is known.
    pub(crate) fn forget_unit(&mut self, id: AttributeId) {
        self.schema.forget_unit(id);
    }

    /// What the recorder says about the trace.
    pub(crate) fn recording(&mut self) -> &mut Recording {
        &mut self.recording
    }

    /// Whether the next finding of a rule is kept, or only counted because there are many already.
    pub(crate) fn keeps_finding(&self, rule: &str) -> bool {
        self.findings.keeps(self.origin.severity(rule))
    }

    /// Declares that the trace has only the events that a query needs, out of `n_events`.
    pub(crate) fn is_part_of(&mut self, n_events: u64) {
        self.whole = Some(WholeTrace { n_events });
    }

    /// The number of events so far.
    pub(crate) fn n_events(&self) -> EventId {
        self.n_events
    }

    pub(crate) fn finding(
        &mut self,
        rule: &'static str,
        chrono: Option<i64>,
        line: Option<u64>,
        message: impl Into<String>,
    ) {
        let severity = self.origin.severity(rule);
        self.findings.add(Finding { rule, severity, chrono, line, message: message.into() });
    }

    /// Adds a finding of another trace whose events are added to this one; its severity stays.
    pub(crate) fn inherit_finding(&mut self, finding: Finding) {
        self.findings.add(finding);
    }

    /// Takes over the findings of another trace whose events are added to this one.
    pub(crate) fn inherit_findings(&mut self, findings: &Findings) {
        self.findings = findings.clone();
    }

    /// Adds a finding about the whole trace, before the earlier findings.
    pub(crate) fn first_finding(&mut self, rule: &'static str, line: Option<u64>, message: impl Into<String>) {
        let severity = self.origin.severity(rule);
        self.findings.add_first(Finding { rule, severity, chrono: None, line, message: message.into() });
    }

    /// Adds an event. `None` if the maximum number of events is reached, which is a finding.
    pub(crate) fn push(&mut self, row: &EventRow<'_>) -> Option<EventId> {
        let event = self.n_events;
        if event == EventId::MAX {
            self.leave_out(row.source_line);
            return None;
        }
        self.n_events += 1;
        self.push_numbers(event, row);
        let call = self.push_key_and_call(event, row);
        self.push_lists(event, row, call);
        for (id, field) in row.extra {
            self.push_extra(event, *id, *field);
        }
        Some(event)
    }

    /// Gives the last event a value for an attribute for which it has none yet; does nothing if there is no event.
    #[inline]
    pub(crate) fn extend_last(&mut self, id: AttributeId, field: Field<'_>) {
        if let Some(event) = self.n_events.checked_sub(1) {
            self.push_extra(event, id, field);
        }
    }

    fn leave_out(&mut self, line: u64) {
        self.finding("events", None, Some(line), "more than 4294967295 events: this one is left out");
    }

    fn push_numbers(&mut self, event: EventId, row: &EventRow<'_>) {
        if let Some(message) = self.chronos.push(event, row.chrono, row.source_line) {
            let line = Some(row.source_line).filter(|line| *line > 0);
            self.finding("chrono", Some(i64::from(event) + 1), line, message);
        }
        let index = event as usize;
        if let Some(depth) = row.depth {
            self.depths.set(index, depth);
        }
        if let Some(line) = row.line_number {
            self.line_numbers.set(index, line);
        }
        if self.source_places.is_none() {
            self.source_lines.push(event, row.source_line);
        }
        if let Some(path) = row.goal_path {
            self.path_codes.set(index, path.0 + 1);
        }
    }

    fn push_key_and_call(&mut self, event: EventId, row: &EventRow<'_>) -> Option<CallId> {
        let KeyId(key) = row.key.unwrap_or_else(|| self.key(&row.proc, row.port, row.det));
        self.key_codes.push(key);
        Some(self.calls.push(event, row.call?))
    }

    fn push_lists(&mut self, event: EventId, row: &EventRow<'_>, call: Option<CallId>) {
        let index = event as usize;
        match row.args {
            ListField::Known(args) => self.args.set_known(event, args),
            args if args.write_stored(&mut self.scratch) => self.args.set(event, call, &self.scratch),
            _ => {}
        }
        if row.arg_types.write_stored(&mut self.scratch) {
            self.arg_types.set(index, &self.scratch, None);
        }
        match row.arg_names {
            ListField::Known(ArgsId(code)) => self.arg_names.set_code(index, code),
            names if names.write_stored(&mut self.scratch) => {
                self.arg_names.set(index, &self.scratch, None);
            }
            _ => {}
        }
    }

    /// Sets an attribute of events that were added without it, in rising order of the events.
    pub(crate) fn fill<'f>(&mut self, id: AttributeId, values: impl Iterator<Item = (EventId, Field<'f>)>) {
        values.for_each(|(event, field)| self.push_extra(event, id, field));
    }

    #[inline]
    fn push_extra(&mut self, event: EventId, id: AttributeId, field: Field<'_>) {
        slot(&mut self.extras, id.index()).set(event as usize, field, &mut self.scratch);
    }

    /// The finished trace, with its indexes.
    pub(crate) fn finish(mut self) -> Trace {
        for (name, samples) in &self.earlier {
            let column = self.schema.find(name).and_then(|id| self.extras.get_mut(id.index()));
            column.into_iter().for_each(|column| column.remember(samples, &mut self.scratch));
        }
        let rows = self.n_events as usize;
        self.depths.finish(rows);
        self.line_numbers.finish(rows);
        self.key_codes.finish(rows);
        self.path_codes.finish(rows);
        let keys = self.keys.finish();
        let (key_codes, depths) = (CodeColumn::from(self.key_codes), Ints::from(self.depths));
        let (codes, numbers) = self.calls.finish(rows);
        let n_calls = numbers.len();
        let columns = CallColumns {
            file: None,
            n_calls,
            codes: codes.into(),
            numbers,
            depths: depths.clone(),
            key_codes: key_codes.clone(),
        };
        let postings = Postings::of_codes(keys.keys.len(), &key_codes);
        let args = self.args.finish(self.n_events);
        let mut trace = Trace {
            origin: self.origin,
            schema: self.schema,
            findings: self.findings,
            n_events: self.n_events,
            chronos: self.chronos.finish(),
            calls: derived::calls(columns, &keys),
            depths,
            line_numbers: self.line_numbers.into(),
            source_lines: self.source_lines.into(),
            source_places: self.source_places,
            keys,
            key_codes,
            postings,
            paths: self.paths.finish(),
            path_codes: self.path_codes.into(),
            args,
            arg_types: self.arg_types.finish(rows),
            arg_names: self.arg_names.finish(rows),
            extras: self.extras.into_iter().map(|extra| extra.finish(rows)).collect(),
            saved: None,
            whole: self.whole,
            n_table_bytes: self.n_table_bytes,
            recording: self.recording,
            causality: OnceLock::new(),
            call_times: Arc::default(),
            value_indexes: Arc::default(),
            argument_values: Arc::default(),
            rising_columns: Arc::default(),
        };
        for (id, column) in self.whole_columns {
            *trace.extra_slot(id) = column;
        }
        self.lazy_columns.add_to(&mut trace);
        trace.take_reported_parents();
        trace.spread_parents();
        trace.mark_present();
        trace.explain_missing_args();
        trace
    }
}

/// The column with a number.
#[inline]
fn slot<T: Default>(columns: &mut Vec<T>, number: usize) -> &mut T {
    if columns.len() <= number {
        columns.resize_with(number + 1, T::default);
    }
    &mut columns[number]
}
