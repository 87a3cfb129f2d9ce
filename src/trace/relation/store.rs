//! A trace: all events in columns, read-only, and the queries that need no search.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::term::Atom;
use crate::term::hash::HashMap;

use super::args_column::ArgsColumn;
use super::argument_values::ArgumentValues;
use super::call_costs::CallTimes;
use super::calls::{CallId, Calls, NO_PARENT};
use super::causality::Causality;
use super::chrono::Chronos;
use super::rising::RisingColumns;
use super::selection::WholeTrace;
use super::source_places::SourcePlaces;
use super::value_index::ValueIndexes;
use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::Runs;
use crate::trace::column::extra_column::ExtraColumn;
use crate::trace::column::int_column::IntColumn;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::list_column::ListColumn;
use crate::trace::column::postings::Postings;
use crate::trace::event::EventId;
use crate::trace::event::args::ArgTexts;
use crate::trace::event::finding::{Finding, FindingSeverity, Findings, INPUT};
use crate::trace::event::key::{Keys, PortId};
use crate::trace::event::port::{FAILING_PORTS, PortRole, PortSet, Traced};
use crate::trace::event::proc::{Proc, ProcId};
use crate::trace::event::recording::{Gap, Recording};
use crate::trace::event::schema::{AttributeId, AttributeType, OwnAttribute, Schema};
use crate::trace::event::value::Value;
use crate::trace::file::saved_file::SavedFile;

/// The first value of each kind that attributes have had, by attribute name.
pub(crate) type Samples = HashMap<Box<str>, Vec<Box<str>>>;

/// Where a trace comes from.
#[derive(Clone, Debug)]
pub(crate) struct TraceOrigin {
    /// Path of its file, `-` for standard input.
    pub(crate) path: PathBuf,
    /// Name of its format.
    pub(crate) format: &'static str,
    /// The ports that its format declares.
    pub(crate) ports: PortSet,
    /// The attributes that its format adds.
    pub(crate) attributes: &'static [OwnAttribute],
    /// The rule of its format for lines that are not events.
    pub(crate) rule: &'static str,
    /// The rules of its format whose findings are warnings or notes.
    pub(crate) severities: &'static [(&'static str, FindingSeverity)],
    /// Whether its events are in the order of their lines in one file.
    pub(crate) is_by_line: bool,
    /// Whether boxes may end without an event, and open ones be entered again.
    pub(crate) ends_silently: bool,
    /// The attribute whose value at the last event is the number of the event with which the trace goes on, for ever.
    pub(crate) lasso: Option<&'static str>,
    /// The attributes whose values at the end of a call are its result, as event lines show it.
    pub(crate) results: &'static [&'static str],
    /// The attributes at the end of event lines, unless they are hidden.
    pub(crate) shown: &'static [&'static str],
    /// Names of its vocabulary that are almost the same, of which none is a misspelling of another.
    pub(crate) alike: &'static [&'static str],
}

impl TraceOrigin {
    /// The severity of the findings of a rule: they are faults unless the format says otherwise.
    pub(crate) fn severity(&self, rule: &str) -> FindingSeverity {
        self.severities.iter().find(|(name, _)| *name == rule).map_or(FindingSeverity::Fault, |(_, severity)| *severity)
    }
}

/// All events of an execution. Made by [`TraceBuilder`](crate::trace::TraceBuilder).
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) origin: TraceOrigin,
    pub(crate) schema: Schema,
    pub(crate) findings: Findings,
    pub(crate) n_events: EventId,
    pub(crate) chronos: Chronos,
    pub(crate) calls: Calls,
    pub(crate) depths: Ints,
    pub(crate) line_numbers: Ints,
    pub(crate) source_lines: Lazy<Runs>,
    /// Instead of the lines, for documents.
    pub(crate) source_places: Option<SourcePlaces>,
    pub(crate) keys: Keys,
    pub(crate) key_codes: CodeColumn,
    /// Events of each key.
    pub(crate) postings: Postings,
    pub(crate) paths: Lazy<Vec<Box<[Atom]>>>,
    /// Path id + 1, 0 for none.
    pub(crate) path_codes: CodeColumn,
    pub(crate) args: ArgsColumn,
    pub(crate) arg_types: ListColumn,
    pub(crate) arg_names: ListColumn,
    /// By the index of their attributes.
    pub(crate) extras: Vec<ExtraColumn>,
    /// The saved file from which lazy columns are read, if there is one.
    pub(crate) saved: Option<Arc<SavedFile>>,
    /// The whole trace, if this one has only a part of the events.
    pub(crate) whole: Option<WholeTrace>,
    /// Bytes of the reader's tables from which lazy columns are computed.
    pub(crate) n_table_bytes: usize,
    pub(crate) recording: Recording,
    /// The causal order, once it was needed.
    pub(crate) causality: OnceLock<Arc<Causality>>,
    /// What calls cost, as far as it was needed.
    pub(crate) call_times: Arc<CallTimes>,
    /// The rows by the values of parts in which several values were looked up.
    pub(crate) value_indexes: Arc<ValueIndexes>,
    /// Numbers for the values of arguments, as far as they were needed.
    pub(crate) argument_values: Arc<ArgumentValues>,
    /// Which columns rise, as far as that was needed.
    pub(crate) rising_columns: Arc<RisingColumns>,
}

/// A fact about the whole trace.
type InfoFact = for<'a> fn(&'a Trace) -> Value<'a>;

/// The facts, by key.
const INFO: [(&str, InfoFact); 12] = [
    ("path", |trace| Value::Atom(Atom::new(&trace.origin.path.to_string_lossy()))),
    ("format", |trace| Value::Atom(Atom::new(trace.origin.format))),
    ("events", |trace| number(trace.n_events_of_whole())),
    ("calls", |trace| number(trace.n_calls())),
    ("procs", |trace| number(trace.keys.procs.len())),
    ("ports", |trace| number(trace.keys.ports.len())),
    ("faults", |trace| count(trace, FindingSeverity::Fault)),
    ("warnings", |trace| count(trace, FindingSeverity::Warning)),
    ("notes", |trace| count(trace, FindingSeverity::Note)),
    ("bytes", |trace| number(trace.bytes())),
    ("first_chrono", |trace| chrono_at(trace, Some(0))),
    ("last_chrono", |trace| chrono_at(trace, trace.n_events.checked_sub(1))),
];

fn count(trace: &Trace, severity: FindingSeverity) -> Value<'static> {
    Value::Int(i64::try_from(trace.findings.count(severity)).unwrap_or(i64::MAX))
}

fn number(number: usize) -> Value<'static> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn chrono_at(trace: &Trace, event: Option<EventId>) -> Value<'static> {
    event.filter(|event| *event < trace.n_events).map_or(Value::Absent, |event| Value::Int(trace.chrono(event)))
}

/// Events, calls and their attributes.
impl Trace {
    /// Where the trace comes from.
    pub(crate) fn origin(&self) -> &TraceOrigin {
        &self.origin
    }

    /// The attributes that its events have.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The findings: what is wrong with it.
    pub(crate) fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What its recorder says about it.
    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The number of events; their rows are the numbers below it.
    pub(crate) fn n_events(&self) -> EventId {
        self.n_events
    }

    /// The number of calls.
    pub(crate) fn n_calls(&self) -> usize {
        self.calls.len()
    }

    /// Bytes of memory that columns, texts and indexes take so far.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.chronos.bytes() + self.depths.bytes() + self.line_numbers.bytes() + self.place_bytes();
        let codes = self.key_codes.bytes() + self.postings.bytes() + self.path_codes.bytes() + self.calls.bytes();
        let lists = self.args.bytes() + self.arg_types.bytes() + self.arg_names.bytes();
        self.n_table_bytes
            + columns
            + codes
            + lists
            + self.extras.iter().map(ExtraColumn::bytes).sum::<usize>()
            + self.call_times.bytes()
            + self.value_indexes.bytes()
            + self.argument_values.bytes()
    }

    /// The number of an event.
    pub(crate) fn chrono(&self, event: EventId) -> i64 {
        self.chronos.at(event)
    }

    /// The event with that number.
    #[inline]
    pub(crate) fn find_chrono(&self, chrono: i64) -> Option<EventId> {
        let event = self.chronos.lower_bound(chrono, self.n_events);
        (event < self.n_events && self.chrono(event) == chrono).then_some(event)
    }

    /// The determinisms of the procedures.
    pub(crate) fn dets(&self) -> impl Iterator<Item = Atom> {
        self.keys.keys.iter().filter_map(|key| key.det)
    }

    /// The port of an event, under its canonical name.
    pub(crate) fn port(&self, event: EventId) -> Option<Atom> {
        self.keys.port(self.key(event)).map(|port| port.name)
    }

    /// The effect of an event on its box.
    pub(crate) fn port_role(&self, event: EventId) -> PortRole {
        self.keys.port(self.key(event)).map_or(PortRole::Inside, |port| port.role)
    }

    /// Whether `next` and `step` stop at an event.
    pub(crate) fn is_traced(&self, event: EventId) -> bool {
        self.keys.port(self.key(event)).is_none_or(|port| port.traced == Traced::Yes)
    }

    /// The ports that occur, in order of appearance.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (PortId, Atom)> {
        (0..).map(PortId).zip(self.keys.ports.iter().map(|port| port.name))
    }

    /// The port at which calls of the trace end that failed.
    pub(crate) fn failing_port(&self) -> &'static str {
        let has = |name: &&str| match self.origin.ports {
            PortSet::Closed(_) => self.origin.ports.find(name).is_some(),
            PortSet::Open(_) => self.ports().any(|(_, port)| port.as_str() == *name),
        };
        FAILING_PORTS.into_iter().find(has).unwrap_or(FAILING_PORTS[0])
    }

    /// The names of the arguments of an event.
    pub(crate) fn argument_names(&self, event: EventId) -> Option<ArgTexts<'_>> {
        self.arg_names.at(event as usize)
    }

    /// What was called at an event.
    pub(crate) fn proc_of(&self, event: EventId) -> Option<ProcId> {
        self.keys.keys[self.key(event) as usize].proc
    }

    /// A procedure.
    pub(crate) fn proc(&self, id: ProcId) -> &Proc {
        &self.keys.procs[id.0 as usize]
    }

    /// All procedures that occur, in order of appearance.
    pub(crate) fn procs(&self) -> impl ExactSizeIterator<Item = (ProcId, &Proc)> {
        self.keys.procs.iter().enumerate().map(|(index, proc)| (ProcId(index as u32), proc))
    }

    /// The depth of an event.
    pub(crate) fn depth(&self, event: EventId) -> Option<i64> {
        self.depths.at(event as usize)
    }

    /// A number that only events with the same argument text share, less than [`n_args_codes`](Trace::n_args_codes); `None`
    /// if it is not known without reading all arguments.
    pub(crate) fn known_args_code(&self, event: EventId) -> Option<u32> {
        self.args.known()?.code(event as usize)
    }

    /// The number of distinct argument texts.
    pub(crate) fn n_args_codes(&self) -> usize {
        self.coded_args().texts.len()
    }

    /// The argument text with that code.
    pub(crate) fn args_text(&self, code: u32) -> ArgTexts<'_> {
        self.coded_args().text(code)
    }

    /// The arguments with their dictionary, computed at first use.
    pub(crate) fn coded_args(&self) -> &ListColumn {
        self.args.coded()
    }

    /// Why a part of the trace's file could not be read when it was needed; answers given since then may be wrong.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.saved.as_ref().and_then(|saved| saved.fault()).or_else(|| self.args.fault())
    }

    /// Whether the attribute is computed from others.
    pub(crate) fn is_computed(&self, attribute: AttributeId) -> bool {
        self.schema.get(attribute).kind == AttributeType::Computed
    }

    /// The value of an attribute of an event; absent for a computed attribute.
    pub(crate) fn value(&self, event: EventId, attribute: AttributeId) -> Value<'_> {
        let row = event as usize;
        let key = || self.keys.keys[self.key(event) as usize];
        let proc = || self.keys.proc(self.key(event)).copied().unwrap_or_default();
        let int = |value: Option<i64>| value.map_or(Value::Absent, Value::Int);
        let atom = |value: Option<Atom>| value.map_or(Value::Absent, Value::Atom);
        match attribute {
            AttributeId::CHRONO => Value::Int(self.chrono(event)),
            AttributeId::CALL => int(self.call(event).map(|call| self.call_number(call))),
            AttributeId::DEPTH => int(self.depths.at(row)),
            AttributeId::LINE_NUMBER => int(self.line_numbers.at(row)),
            AttributeId::PORT => atom(self.port(event)),
            AttributeId::DET => atom(key().det),
            AttributeId::PROC => key().proc.map_or(Value::Absent, Value::Proc),
            AttributeId::PROC_TYPE => atom(proc().proc_type),
            AttributeId::DECL_MODULE => atom(proc().decl_module),
            AttributeId::DEF_MODULE => atom(proc().def_module),
            AttributeId::NAME => atom(proc().name),
            AttributeId::ARITY => int(proc().arity),
            AttributeId::MODE_NUMBER => int(proc().mode_number),
            AttributeId::GOAL_PATH => self.goal_path(event).map_or(Value::Absent, Value::Path),
            AttributeId::ARGS => self.args.at(event).map_or(Value::Absent, Value::Args),
            AttributeId::ARG_TYPES => self.arg_types.at(row).map_or(Value::Absent, Value::Texts),
            AttributeId::ARG_NAMES => self.argument_names(event).map_or(Value::Absent, Value::Texts),
            other => self.extra(other.index()).map_or(Value::Absent, |column| column.at(row)),
        }
    }

    /// The column of an attribute that is not among the fixed ones.
    pub(crate) fn extra(&self, index: usize) -> Option<&ExtraColumn> {
        self.extras.get(index).or_else(|| self.column_of_calls(index))
    }

    /// The column of an attribute whose values are all integers, for code that goes over many rows; none for another
    /// attribute, and for those that all traces have.
    pub(crate) fn integers(&self, attribute: AttributeId) -> Option<&Ints> {
        let mut column = self.extras.get(attribute.index())?;
        while let ExtraColumn::Lazy(_, made) = column {
            column = made;
        }
        match column {
            ExtraColumn::Ints(values) => {
                values.make();
                Some(values)
            }
            _ => None,
        }
    }

    /// The steps of the goal path of an event.
    pub(crate) fn goal_path(&self, event: EventId) -> Option<&[Atom]> {
        let id = self.path_codes.at(event as usize).checked_sub(1)?;
        Some(&self.paths[id as usize])
    }

    /// The facts of `trace_info/2` whose keys are wanted.
    pub(crate) fn info(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(&str, Value<'_>)> {
        let known = INFO.iter().map(|(key, value)| (*key, *value));
        let known = known.filter(|(key, _)| is_wanted(key)).map(|(key, value)| (key, value(self)));
        known.chain(self.recorded_facts().into_iter().filter(|(key, _)| is_wanted(key))).collect()
    }

    /// The first value of each kind, for the attributes that are not among the fixed ones.
    pub(crate) fn samples(&self) -> Samples {
        let columns = self.schema.iter().filter_map(|(id, attribute)| Some((attribute, self.extras.get(id.index())?)));
        let used = columns.filter(|(_, column)| column.len() > 0);
        used.map(|(attribute, column)| (attribute.name.as_ref().into(), column.samples())).collect()
    }

    /// The numbers of the events around each gap of the recording; those around all events if the positions of the gaps
    /// are unknown.
    pub(crate) fn recording_gaps(&self) -> Vec<(i64, i64)> {
        let Some(last) = self.n_events.checked_sub(1) else { return Vec::new() };
        let after_all = self.chrono(last).saturating_add(1);
        let (recording, mut gaps) = (&self.recording, self.lost_events());
        if recording.lacks_events() {
            gaps.push((self.chrono(0) - 1, after_all));
        }
        if recording.is_unfinished || recording.lacks_the_end() {
            gaps.push((self.chrono(last), after_all));
        }
        gaps.dedup();
        gaps
    }

    /// The numbers of the events around each place where the recorder lost some; those around all events if nobody knows where
    /// they were.
    pub(crate) fn lost_events(&self) -> Vec<(i64, i64)> {
        let Some(last) = self.n_events.checked_sub(1) else { return Vec::new() };
        let around = |gap: &Gap| {
            let before = gap.first.min(last + 1).checked_sub(1).map_or(self.chrono(0) - 1, |row| self.chrono(row));
            (before, if gap.before > last { self.chrono(last).saturating_add(1) } else { self.chrono(gap.before) })
        };
        self.recording.losses(self.n_events).iter().map(around).collect()
    }

    /// The numbers of the events around each line that could not be read; those around all events if the events are not in
    /// the order of their lines.
    pub(crate) fn unread(&self) -> Vec<(i64, i64)> {
        let Some(last) = self.n_events.checked_sub(1) else { return Vec::new() };
        let is_unread = |finding: &&Finding| {
            finding.severity == FindingSeverity::Fault
                && finding.chrono.is_none()
                && [self.origin.rule, INPUT].contains(&finding.rule)
        };
        let (before_all, after_all) = (self.chrono(0) - 1, self.chrono(last).saturating_add(1));
        let around = |line: u64| {
            if !self.origin.is_by_line {
                return (before_all, after_all);
            }
            let next = self.first_after_line(line);
            let before = next.checked_sub(1).map_or(before_all, |row| self.chrono(row));
            (before, if next > last { after_all } else { self.chrono(next) })
        };
        let mut gaps: Vec<(i64, i64)> =
            self.findings.kept().iter().filter(is_unread).filter_map(|finding| finding.line).map(around).collect();
        gaps.sort_unstable();
        gaps.dedup();
        gaps
    }

    /// The first event on a later line.
    fn first_after_line(&self, line: u64) -> EventId {
        let (mut low, mut high) = (0, self.n_events);
        while low < high {
            let middle = low.midpoint(high);
            match self.source_line(middle) {
                Some(at) if at > line => high = middle,
                _ => low = middle + 1,
            }
        }
        low
    }

    /// The facts that the recorder reported, and those that follow from its gaps.
    pub(crate) fn recorded_facts(&self) -> Vec<(&str, Value<'_>)> {
        let recording = &self.recording;
        let is_new = |key: &str| INFO.iter().all(|(known, _)| *known != key) && key != "lost";
        let facts = recording.facts().map(|(_, key, value)| (key, value)).filter(|(key, _)| is_new(key));
        let has_lost = recording.fact("lost").is_some() || !recording.gaps().is_empty();
        let lost = has_lost.then(|| ("lost", number(usize::try_from(recording.n_lost()).unwrap_or(usize::MAX))));
        let gaps = Some(("gaps", number(recording.gaps().len()))).filter(|_| !recording.gaps().is_empty());
        let unfinished = recording.is_unfinished.then_some(("unfinished", Value::Bool(true)));
        facts.chain(lost).chain(gaps).chain(unfinished).collect()
    }

    #[inline]
    pub(crate) fn key(&self, event: EventId) -> u32 {
        self.key_codes.at(event as usize)
    }

    /// Numbers the events consecutively from `first`.
    pub(crate) fn number_from(&mut self, first: i64) {
        self.chronos = Chronos::Dense(first);
    }

    /// The trace so far, of which no more is asked: what comes later is not missing.
    pub(crate) fn presumed_finished(mut self) -> Trace {
        self.recording.is_unfinished = false;
        self
    }

    /// Gives the events from `first` on these rising numbers and lines; events before have smaller numbers.
    pub(crate) fn place_from(&mut self, first: EventId, places: &[(i64, u64)]) {
        let (mut numbers, mut lines) = (IntColumn::default(), Runs::default());
        let start = places.first().map_or(0, |(number, _)| *number) - i64::from(first);
        for event in 0..self.n_events {
            let place = event.checked_sub(first).and_then(|index| places.get(index as usize));
            let (number, line) = place.copied().unwrap_or((start + i64::from(event), 0));
            numbers.set(event as usize, number);
            lines.push(event, line);
        }
        numbers.finish(self.n_events as usize);
        self.chronos = Chronos::Sparse(numbers.into());
        self.source_lines = lines.into();
        self.source_places = None;
    }

    /// Takes the parents of calls from the events, if events report parents.
    pub(crate) fn take_reported_parents(&mut self) {
        let column = self.extras.get(AttributeId::PARENT.index()).filter(|column| column.len() > 0);
        if let Some(ExtraColumn::Ints(parents)) = column {
            self.calls.take_parents(parents);
        }
    }

    /// Gives all events of a call the parent that its first event reports.
    pub(crate) fn spread_parents(&mut self) {
        let n_events = self.n_events as usize;
        if let Some(ExtraColumn::Ints(parents)) = self.extras.get_mut(AttributeId::PARENT.index())
            && parents.len() > 0
        {
            let (calls, reported) = (self.calls.clone(), parents.clone());
            *parents = Ints::lazy(n_events, move || calls.parents_at_events(&reported).into());
        }
    }

    /// Lets errors about arguments say that the recording left them out.
    pub(crate) fn explain_missing_args(&mut self) {
        self.schema.is_without_args = self.recording.is_limited_by("no_args");
    }

    /// Declares that other events of the whole trace have values for these attributes.
    pub(crate) fn has_elsewhere<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if let Some(id) = self.schema.any(name) {
                self.schema.mark_present(id, None);
            }
        }
    }

    /// The number of events of the whole trace, if this one has only some of them.
    pub(crate) fn n_events_of_whole(&self) -> usize {
        self.whole.map_or(self.n_events as usize, |whole| whole.n_events as usize)
    }

    /// Whether events report the parents of their calls.
    pub(crate) fn reports_parents(&self) -> bool {
        self.extras.get(AttributeId::PARENT.index()).is_some_and(|column| column.len() > 0)
    }

    /// Notes in the schema which attributes have values.
    pub(crate) fn mark_present(&mut self) {
        if self.n_events == 0 {
            return self.schema.forget_present();
        }
        let proc = |part: fn(&Proc) -> bool| self.keys.procs.iter().any(part);
        let fixed = [
            (AttributeId::CHRONO, true),
            (AttributeId::CALL, self.calls.len() > 0),
            (AttributeId::DEPTH, self.depths.len() > 0),
            (AttributeId::STACK, self.depths.len() > 0 && self.calls.len() > 0),
            (AttributeId::LINE_NUMBER, self.line_numbers.len() > 0),
            (AttributeId::PORT, !self.keys.ports.is_empty()),
            (AttributeId::DET, self.keys.keys.iter().any(|key| key.det.is_some())),
            (AttributeId::PROC, !self.keys.procs.is_empty()),
            (AttributeId::PROC_TYPE, proc(|proc| proc.proc_type.is_some())),
            (AttributeId::DECL_MODULE, proc(|proc| proc.decl_module.is_some())),
            (AttributeId::DEF_MODULE, proc(|proc| proc.def_module.is_some())),
            (AttributeId::NAME, proc(|proc| proc.name.is_some())),
            (AttributeId::ARITY, proc(|proc| proc.arity.is_some())),
            (AttributeId::MODE_NUMBER, proc(|proc| proc.mode_number.is_some())),
            (AttributeId::GOAL_PATH, self.path_codes.len() > 0),
            (AttributeId::ARGS, !self.args.is_empty()),
            (AttributeId::ARG_TYPES, self.arg_types.codes.len() > 0),
            (AttributeId::ARG_NAMES, self.arg_names.codes.len() > 0),
        ];
        for (id, _) in fixed.into_iter().filter(|(_, present)| *present) {
            self.schema.mark_present(id, None);
        }
        for (index, column) in self.extras.iter().enumerate().filter(|(_, column)| column.len() > 0) {
            let kind = matches!(column, ExtraColumn::Ints(_)).then_some(AttributeType::Integer);
            self.schema.mark_present(AttributeId(index as u16), kind);
        }
        if self.schema.has(AttributeId::ARGS) && self.schema.has(AttributeId::ARG_NAMES) {
            let variables = [AttributeId::VARS, AttributeId::VAR_NAMES_AND_TYPES, AttributeId::LOCAL_VARS];
            for id in variables.into_iter().filter(|id| !self.schema.has(*id)).collect::<Vec<_>>() {
                self.schema.mark_present(id, Some(AttributeType::Computed));
            }
        }
    }
}

/// Calls: boxes, their events, and their parents.
impl Trace {
    /// The call of an event; none if the trace does not give it.
    pub(crate) fn call(&self, event: EventId) -> Option<CallId> {
        self.calls.codes.at(event as usize).checked_sub(1).map(CallId)
    }

    /// The printed number of a call.
    pub(crate) fn call_number(&self, call: CallId) -> i64 {
        self.calls.number(call)
    }

    /// The call with that number.
    #[inline]
    pub(crate) fn find_call(&self, number: i64) -> Option<CallId> {
        self.calls.find(number)
    }

    /// All calls, in the order of their first events.
    pub(crate) fn calls(&self) -> impl Iterator<Item = CallId> + use<> {
        (0..self.calls.len() as u32).map(CallId)
    }

    /// The events of a call, in order; at least one.
    pub(crate) fn call_events(&self, call: CallId) -> &[EventId] {
        self.calls.events(call)
    }

    /// The first event of a call.
    pub(crate) fn call_first(&self, call: CallId) -> EventId {
        self.calls.edges[call.index()].0
    }

    /// The last event of a call.
    pub(crate) fn call_last(&self, call: CallId) -> EventId {
        self.calls.edges[call.index()].1
    }

    /// The causal order, by the attribute that holds the number of an event's partner; computed at first use.
    pub(crate) fn causality(&self, partner: AttributeId) -> Arc<Causality> {
        let without_process = self.procs().len();
        let event = |event: EventId| {
            let process = self.proc_of(event).map_or(without_process, |proc| proc.0 as usize);
            let Value::Int(partner) = self.value(event, partner) else { return (process, None) };
            (process, self.find_chrono(partner))
        };
        let order = || {
            let inferred = self.after_unseen_sends(partner);
            Arc::new(Causality::new(without_process + 1, (0..self.n_events).map(event), &inferred))
        };
        Arc::clone(self.causality.get_or_init(order))
    }

    /// The parent of a call: the one that its first event reports, if events report parents; otherwise the innermost
    /// box at its depth - 1 that was open when it began. None if the parent is not in the trace.
    #[inline]
    pub(crate) fn parent(&self, call: CallId) -> Option<CallId> {
        Some(self.calls.parents[call.index()]).filter(|parent| *parent != NO_PARENT).map(CallId)
    }

    /// The calls whose parent is `call`, in the order in which they began.
    pub(crate) fn children(&self, call: CallId) -> impl ExactSizeIterator<Item = CallId> + use<'_> {
        self.calls.children.of(call.index()).iter().map(|child| CallId(*child))
    }

    /// The ancestors of a call, the nearest first.
    pub(crate) fn ancestors(&self, call: CallId) -> impl Iterator<Item = CallId> + use<'_> {
        std::iter::successors(self.parent(call), |call| self.parent(*call))
    }

    /// Whether a call is unfinished: its last event does not close it, though an event could.
    pub(crate) fn is_open(&self, call: CallId) -> bool {
        !matches!(self.port_role(self.call_last(call)), PortRole::Closes | PortRole::Alone)
    }

    /// The unfinished calls, in the order in which they began. If boxes may end silently, those inside a finished call
    /// are not among them.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = CallId> + use<'_> {
        let mut has_ended: Vec<bool> = Vec::new();
        self.calls().filter(move |call| {
            if !self.origin.ends_silently {
                return self.is_open(*call);
            }
            // a call begins after its parent
            let parent = self.parent(*call).and_then(|parent| has_ended.get(parent.index()).copied());
            let is_open = parent != Some(true) && self.is_open(*call);
            has_ended.push(!is_open);
            is_open
        })
    }
}
