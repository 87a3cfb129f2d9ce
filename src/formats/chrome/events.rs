//! From records to events: boxes are found track by track, then the tracks are merged by time.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use smallvec::SmallVec;

use super::arguments::stored;
use super::columns::{AttributeIds, with_written};
use super::flows::{Arrows, series};
use super::log::{ChromeLog, LogRecord, NONE, RecordIdx};
use super::nesting::{Nesting, SequenceItem};
use super::pairs::{BoxLinks, Pairing};
use super::record::characters;
use super::rules::RuleFindings;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::term::hash::HashMap;
use crate::trace::{ArgTexts, ArgsId, AttributeId, EventRow, Field, KeyId, ListField, ProcRow, TraceBuilder, ValueId};

/// Orders the events of the log and hands them over.
pub(super) fn emit(mut log: ChromeLog, builder: &mut TraceBuilder) {
    let mut findings = std::mem::take(&mut log.findings);
    let mut links = BoxLinks::new(log.records.len());
    let (items, sequences) = order(&log, &mut links, &mut findings);
    let ids = AttributeIds::new(builder);
    let n_records = log.records.len();
    let mut emission = Emission {
        log: &log,
        links: &links,
        ids,
        builder,
        findings: &mut findings,
        arrows: Arrows::default(),
        boxes: vec![EmittedBox::default(); n_records],
        n_boxes: 0,
        keys: HashMap::default(),
        places: HashMap::default(),
        values: HashMap::default(),
        joined_names: String::new(),
    };
    merge(&log, &items, sequences, |item| emission.item(item));
    let Arrows { mut from, mut calls, .. } = emission.arrows;
    from.sort_unstable();
    calls.sort_unstable();
    builder.fill(ids.flow_from, from.into_iter().map(|(event, from)| (event, Field::Int(i64::from(from) + 1))));
    builder.fill(ids.flow_call, calls.into_iter().map(|(event, call)| (event, Field::Int(call))));
    findings.report(builder);
}

/// The events of each sequence in order, and where each sequence stands among them.
fn order(log: &ChromeLog, links: &mut BoxLinks, findings: &mut RuleFindings) -> (Vec<SequenceItem>, Vec<Range<usize>>) {
    let mut items = Vec::with_capacity(log.records.len());
    let mut sequences = Vec::with_capacity(log.n_sequences as usize);
    for records in by_sequence(log) {
        let from = items.len();
        let mut pairing = Pairing::new(log, links, findings);
        pairing.pair(&records);
        let order = pairing.order;
        match order.iter().any(|idx| log.records[*idx as usize].phase == 'X') {
            true => Nesting::new(log, links, findings, &mut items).order(&order),
            false => items.extend(order.into_iter().map(SequenceItem::of)),
        }
        sequences.push(from..items.len());
    }
    (items, sequences)
}

/// The records of each sequence in the order of time, those of one time in the order of the file.
fn by_sequence(log: &ChromeLog) -> impl Iterator<Item = Vec<RecordIdx>> {
    let mut counts = vec![0usize; log.n_sequences as usize];
    log.records.iter().for_each(|record| counts[record.sequence as usize] += 1);
    let mut sequences: Vec<Vec<RecordIdx>> = counts.into_iter().map(Vec::with_capacity).collect();
    for (idx, record) in (0..).zip(&log.records) {
        sequences[record.sequence as usize].push(idx);
    }
    sequences.into_iter().map(|mut records| {
        records.sort_by_key(|idx| log.records[*idx as usize].time);
        records
    })
}

/// Takes the events of all sequences: always the next one of a sequence with the least time and record.
fn merge(log: &ChromeLog, items: &[SequenceItem], sequences: Vec<Range<usize>>, mut take: impl FnMut(SequenceItem)) {
    let key = |rest: &Range<usize>| {
        let item = items[rest.start];
        (time(log, item), item.record())
    };
    let head = |rest: Range<usize>| (!rest.is_empty()).then(|| Reverse((key(&rest), rest.start, rest.end)));
    let mut heads: BinaryHeap<_> = sequences.into_iter().filter_map(head).collect();
    while let Some(Reverse((_, start, end))) = heads.pop() {
        let mut rest = start..end;
        let next = heads.peek().map(|Reverse((key, ..))| *key);
        // a sequence often goes on for a while
        while !rest.is_empty() && next.is_none_or(|next| key(&rest) <= next) {
            take(items[rest.start]);
            rest.start += 1;
        }
        heads.extend(head(rest));
    }
}

fn time(log: &ChromeLog, item: SequenceItem) -> i64 {
    let record = &log.records[item.record() as usize];
    if item.is_end() { record.end } else { record.time }
}

/// What is known of a box after its first event, by the record that opens it.
#[derive(Clone, Copy, Default)]
struct EmittedBox {
    number: i64,
    depth: i64,
    /// The number of the parent; 0 if it has none.
    parent: i64,
    was_raised: bool,
}

/// The events on their way to the builder.
struct Emission<'l> {
    log: &'l ChromeLog,
    links: &'l BoxLinks,
    ids: AttributeIds,
    builder: &'l mut TraceBuilder,
    findings: &'l mut RuleFindings,
    arrows: Arrows,
    boxes: Vec<EmittedBox>,
    n_boxes: i64,
    keys: HashMap<(u32, u32, &'static str), KeyId>,
    places: HashMap<u32, Option<FunctionPlace>>,
    values: HashMap<(AttributeId, u32), ValueId>,
    /// The names of the arguments that came last from two records; empty if they have none.
    joined_names: String,
}

/// The place of a function in its source.
#[derive(Clone, Copy)]
struct FunctionPlace {
    file: ValueId,
    line: i64,
}

/// The arguments of an event, and their names.
#[derive(Clone, Copy)]
struct EventArgs {
    args: Option<ArgsId>,
    names: ArgNames,
}

/// The names of arguments.
#[derive(Clone, Copy)]
enum ArgNames {
    /// Those with a code in the log.
    Known(u32),
    /// Those that were joined last.
    Joined,
}

impl EventArgs {
    fn of_call(record: &LogRecord) -> EventArgs {
        EventArgs { args: record.args, names: ArgNames::Known(record.arg_names) }
    }
}

impl<'l> Emission<'l> {
    fn item(&mut self, item: SequenceItem) {
        let log = self.log;
        let idx = item.record();
        let record = &log.records[idx as usize];
        if item.is_end() {
            return self.exit(record, idx, record);
        }
        match self.links.partner[idx as usize] {
            _ if record.is_box() => self.call(record, idx),
            begin if record.ends() && begin != NONE => self.exit(record, begin, &log.records[begin as usize]),
            _ if record.ends() => {
                self.open(idx);
                self.exit(record, idx, record);
            }
            _ => self.point(record, idx),
        }
    }

    /// Gives a box its number.
    fn open(&mut self, idx: RecordIdx) -> EmittedBox {
        let around = self.boxes.get(self.links.around[idx as usize] as usize).copied().unwrap_or_default();
        self.n_boxes += 1;
        let number = self.n_boxes;
        self.boxes[idx as usize] =
            EmittedBox { number, depth: around.depth + 1, parent: around.number, was_raised: false };
        self.boxes[idx as usize]
    }

    fn call(&mut self, record: &LogRecord, idx: RecordIdx) {
        let opened = self.open(idx);
        let log = self.log;
        let end = match self.links.partner[idx as usize] {
            _ if record.phase == 'X' => Some(record.end),
            NONE => None,
            partner => Some(log.records[partner as usize].time),
        };
        let duration = end.and_then(|end| end.checked_sub(record.time));
        let event = self.builder.n_events();
        self.arrows.call(event, record, opened.number, self.findings);
        self.push("call", record, record.time, Some(opened), (record, EventArgs::of_call(record)), duration);
    }

    fn exit(&mut self, record: &LogRecord, begin_idx: RecordIdx, begin: &LogRecord) {
        let closed = self.boxes[begin_idx as usize];
        let is_orphan = begin.ends();
        let duration = if begin.phase == 'X' { begin.end } else { record.time }.checked_sub(begin.time);
        let time = if begin.phase == 'X' { begin.end } else { record.time };
        let port = if closed.was_raised { "exception" } else { "exit" };
        let args = self.exit_args(record, begin);
        self.push(port, record, time, Some(closed), (begin, args), duration.filter(|_| !is_orphan));
    }

    /// The arguments of the call, then those that only the end has, then the result.
    fn exit_args(&mut self, record: &LogRecord, begin: &LogRecord) -> EventArgs {
        let is_same = begin.number == record.number;
        if is_same && record.result == NONE {
            return EventArgs { args: record.end_args, names: ArgNames::Known(record.end_arg_names) };
        }
        if record.args.is_none() && record.result == NONE {
            return EventArgs::of_call(begin);
        }
        self.join_args(record, Some(begin).filter(|_| !is_same))
    }

    /// The arguments of the record that begins a box and of the one that ends it, and their names.
    fn join_args(&mut self, record: &LogRecord, begin: Option<&LogRecord>) -> EventArgs {
        let (log, builder) = (self.log, &*self.builder);
        let (mut args, mut names): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for part in begin.into_iter().chain([record]) {
            let values = part.args.and_then(|args| builder.args_text(args)).map(ArgTexts::new);
            let part_names = log.text(part.arg_names).map(ArgTexts::new).into_iter().flatten();
            for (arg, name) in values.into_iter().flatten().zip(part_names.chain(std::iter::repeat(""))) {
                if name.is_empty() || !names.contains(&name) {
                    args.push(arg);
                    names.push(name);
                }
            }
        }
        if let Some(result) = log.text(record.result) {
            args.push(result);
            names.push(log.text(record.result_name).unwrap_or_default());
        }
        let has_names = names.iter().any(|name| !name.is_empty());
        let names: Vec<Option<&str>> = names.into_iter().map(Some).collect();
        self.joined_names = if has_names { stored(&names) } else { String::new() };
        let args: Vec<Option<String>> = args.into_iter().map(|arg| Some(arg.to_owned())).collect();
        let args: Vec<Option<&str>> = args.iter().map(Option::as_deref).collect();
        EventArgs { args: Some(self.builder.args_parts(&args)), names: ArgNames::Joined }
    }

    fn point(&mut self, record: &LogRecord, idx: RecordIdx) {
        let around = self.links.around[idx as usize];
        let enclosing = self.boxes.get(around as usize).copied();
        self.note_exception(record, around);
        let event = self.builder.n_events();
        self.arrows.event(event, record, enclosing.map(|around| around.number), self.findings);
        self.push(port(record.phase), record, record.time, enclosing, (record, EventArgs::of_call(record)), None);
    }

    /// `Exception - OutOfStock() = OutOfStock('fig')` inside of boxes that return this, or `<NULL>`, as viztracer writes for
    /// Python 3.11: they end by the exception.
    fn note_exception(&mut self, record: &LogRecord, around: RecordIdx) {
        let log = self.log;
        let Some(raised) = log.text(record.name).and_then(|name| name.strip_prefix("sException - ")) else { return };
        let mut around = around;
        while let Some(outer) = log.records.get(around as usize) {
            let returns = log.text(outer.result_text);
            let is_raised = returns.is_some_and(|text| {
                text == "<NULL>" || raised.strip_suffix(text).is_some_and(|rest| rest.ends_with(" = "))
            });
            if !is_raised {
                return;
            }
            self.boxes[around as usize].was_raised = true;
            around = self.links.around[around as usize];
        }
    }

    /// Hands an event over; `of` is the record with the name.
    fn push(
        &mut self,
        port: &'static str,
        record: &LogRecord,
        time: i64,
        within: Option<EmittedBox>,
        (of, args): (&LogRecord, EventArgs),
        duration: Option<i64>,
    ) {
        let (log, ids) = (self.log, self.ids);
        let place = self.place(of.name);
        let series = if record.phase == 'C' { series(log, record) } else { None };
        let mut extra: SmallVec<[(AttributeId, Field<'_>); 16]> = SmallVec::new();
        extra.push((ids.time, Field::Int(time)));
        extra.extend(duration.map(|duration| (ids.duration, Field::Int(duration))));
        let parent = within.map(|within| within.parent).filter(|parent| *parent > 0);
        extra.extend(parent.map(|parent| (AttributeId::PARENT, Field::Int(parent))));
        extra.push((ids.record, Field::Int(i64::from(record.number))));
        extra.extend(place.map(|place| (ids.file, Field::Known(place.file))));
        self.push_texts(record, &mut extra);
        extra.extend(series.as_deref().map(|series| (ids.series, Field::Atom(series))));
        let key = self.key(of, port);
        let arg_names = match args.names {
            ArgNames::Known(code) => log.text(code),
            ArgNames::Joined => Some(self.joined_names.as_str()).filter(|names| !names.is_empty()),
        };
        let arg_names = arg_names.map_or(StoredList::Absent, StoredList::of);
        self.builder.push(&EventRow {
            call: within.map(|within| within.number),
            depth: Some(within.map_or(0, |within| within.depth)),
            key: Some(key),
            line_number: place.map(|place| place.line),
            args: args.args.map_or(ListField::Absent, ListField::Known),
            arg_names: arg_names.as_field(),
            extra: &extra,
            source_line: u64::from(record.line),
            ..EventRow::default()
        });
        self.push_own(record);
    }

    /// The attributes of a record that are names.
    fn push_texts(&mut self, record: &LogRecord, extra: &mut SmallVec<[(AttributeId, Field<'_>); 16]>) {
        let (log, ids) = (self.log, self.ids);
        let written = [
            (ids.process, log.process(record.pid)),
            (ids.thread, log.thread(record.pid, record.tid)),
            (ids.cat, record.cat),
        ];
        let plain = [(ids.id, record.id), (ids.bind_id, record.bind), (ids.scope, record.scope)];
        for (id, code) in written {
            extra.extend(self.atom(id, code, characters).map(|value| (id, value)));
        }
        for (id, code) in plain {
            extra.extend(self.atom(id, code, |text| text).map(|value| (id, value)));
        }
        extra.extend(record.flows_in.then_some((ids.flow_in, Field::Bool(true))));
        extra.extend(record.flows_out.then_some((ids.flow_out, Field::Bool(true))));
        extra.extend(record.binds_enclosing.then_some((ids.bp, Field::Atom("e"))));
    }

    /// The text with a code as an atom, which is looked up once for each attribute.
    fn atom(&mut self, id: AttributeId, code: u32, shown: fn(&str) -> &str) -> Option<Field<'static>> {
        let text = self.log.text(code)?;
        let builder = &mut *self.builder;
        let value = self.values.entry((id, code)).or_insert_with(|| builder.value(id, Field::Atom(shown(text))));
        Some(Field::Known(*value))
    }

    /// The procedure of a record, with a port.
    fn key(&mut self, of: &LogRecord, port: &'static str) -> KeyId {
        let (log, builder) = (self.log, &mut *self.builder);
        *self.keys.entry((of.name, of.n_args, port)).or_insert_with(|| {
            let name = log.text(of.name).map(|name| function(characters(name)).0);
            let arity = (of.n_args != NONE).then_some(i64::from(of.n_args));
            builder.key(&ProcRow { name, arity, ..ProcRow::default() }, Some(port), None)
        })
    }

    /// Where the function of a name is.
    fn place(&mut self, name: u32) -> Option<FunctionPlace> {
        let (log, builder, id) = (self.log, &mut *self.builder, self.ids.file);
        *self.places.entry(name).or_insert_with(|| {
            let (_, place) = function(characters(log.text(name)?));
            place.map(|(file, line)| FunctionPlace { file: builder.value(id, Field::Text(file)), line })
        })
    }

    /// The attributes that are not the same for all events: those that other keys of the record bring.
    fn push_own(&mut self, record: &LogRecord) {
        let log = self.log;
        for (id, code) in [(self.ids.pid, record.pid), (self.ids.tid, record.tid)] {
            if let Some(text) = log.text(code) {
                with_written(text, |field| self.builder.extend_last(id, field));
            }
        }
        for (id, value) in log.others_of(record) {
            let value = Json::of(value);
            match &value {
                Json::Text(text) => self.builder.extend_last(id, Field::Atom(text)),
                other => self.builder.extend_last(id, OwnValue::of(other).as_field()),
            }
        }
    }
}

/// The name of a function, and the file and the line where it is: `take (/srv/app/shop.py:9)`.
fn function(name: &str) -> (&str, Option<(&str, i64)>) {
    let taken_apart = || {
        let (function, place) = name.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = place.rsplit_once(':')?;
        let is_number = !file.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        Some((function, Some((file, line.parse().ok().filter(|_| is_number)?))))
    };
    taken_apart().unwrap_or((name, None))
}

/// A stored list on its way to the builder.
enum StoredList<'l> {
    Absent,
    /// One that is stored as it is printed.
    Printed(&'l str),
    /// One whose parts commas do not separate.
    Parts(Vec<Option<&'l str>>),
}

impl<'l> StoredList<'l> {
    fn of(text: &'l str) -> StoredList<'l> {
        let list = ArgTexts::new(text);
        match list.whole() {
            Cow::Borrowed(text) => StoredList::Printed(text),
            Cow::Owned(_) => StoredList::Parts(list.iter().map(Some).collect()),
        }
    }

    fn as_field(&self) -> ListField<'_> {
        match self {
            StoredList::Absent => ListField::Absent,
            StoredList::Printed(text) => ListField::Text(text),
            StoredList::Parts(parts) => ListField::Parts(parts),
        }
    }
}

/// The port of a record that is neither the begin nor the end of a box.
fn port(phase: char) -> &'static str {
    match phase {
        'C' => "counter",
        's' => "flow_start",
        't' => "flow_step",
        'f' => "flow_end",
        'N' => "new",
        'O' => "snapshot",
        'D' => "delete",
        'P' => "sample",
        'V' | 'v' => "memory",
        'c' => "clock_sync",
        _ => "event",
    }
}
