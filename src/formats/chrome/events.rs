//! From records to events: boxes are found track by track, then the tracks are merged by time.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

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
use crate::trace::{ArgTexts, AttributeId, EventRow, Field, ListField, ProcRow, TraceBuilder};

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
        names: HashMap::default(),
        n_boxes: 0,
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

/// A name, `f (/path:line)` taken apart.
struct FunctionName {
    name: Box<str>,
    place: Option<(Box<str>, i64)>,
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
    names: HashMap<u32, Option<Rc<FunctionName>>>,
    n_boxes: i64,
}

/// Lists of arguments and of their names, as they are stored.
type ArgLists<'l> = [Option<Cow<'l, str>>; 2];

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
        let args = [record.args, record.arg_names].map(|code| log.text(code).map(Cow::Borrowed));
        self.push("call", record, record.time, Some(opened), (record, &args), duration);
    }

    fn exit(&mut self, record: &LogRecord, begin_idx: RecordIdx, begin: &LogRecord) {
        let closed = self.boxes[begin_idx as usize];
        let is_orphan = begin.ends();
        let duration = if begin.phase == 'X' { begin.end } else { record.time }.checked_sub(begin.time);
        let time = if begin.phase == 'X' { begin.end } else { record.time };
        let port = if closed.was_raised { "exception" } else { "exit" };
        let args = self.exit_args(record, begin);
        self.push(port, record, time, Some(closed), (begin, &args), duration.filter(|_| !is_orphan));
    }

    /// The arguments of the call, then those that only the end has, then the result.
    fn exit_args(&self, record: &LogRecord, begin: &LogRecord) -> ArgLists<'l> {
        let log = self.log;
        let has_own = begin.phase != 'X' && begin.number != record.number && record.args != NONE;
        if record.result == NONE && !has_own {
            return [begin.args, begin.arg_names].map(|code| log.text(code).map(Cow::Borrowed));
        }
        let list = |code: u32| log.text(code).map(ArgTexts::new).into_iter().flatten();
        let mut args: Vec<&str> = list(begin.args).collect();
        let mut names: Vec<&str> = list(begin.arg_names).collect();
        names.resize(args.len(), "");
        if has_own {
            let others = list(record.args).zip(list(record.arg_names).chain(std::iter::repeat("")));
            for (arg, name) in others {
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
        let texts = |parts: Vec<&str>| Cow::Owned(stored(&parts.into_iter().map(Some).collect::<Vec<_>>()));
        [Some(texts(args)), has_names.then(|| texts(names))]
    }

    fn point(&mut self, record: &LogRecord, idx: RecordIdx) {
        let around = self.links.around[idx as usize];
        let enclosing = self.boxes.get(around as usize).copied();
        self.note_exception(record, around);
        let event = self.builder.n_events();
        self.arrows.event(event, record, enclosing.map(|around| around.number), self.findings);
        let log = self.log;
        let args = [record.args, record.arg_names].map(|code| log.text(code).map(Cow::Borrowed));
        self.push(port(record.phase), record, record.time, enclosing, (record, &args), None);
    }

    /// `Exception - OutOfStock() = OutOfStock('fig')` inside of boxes that return this: they end by the exception.
    fn note_exception(&mut self, record: &LogRecord, around: RecordIdx) {
        let log = self.log;
        let Some(raised) = log.text(record.name).and_then(|name| name.strip_prefix("sException - ")) else { return };
        let mut around = around;
        while let Some(outer) = log.records.get(around as usize) {
            let returns = log.text(outer.result_text);
            let is_raised =
                returns.and_then(|text| raised.strip_suffix(text)).is_some_and(|rest| rest.ends_with(" = "));
            if !is_raised {
                return;
            }
            self.boxes[around as usize].was_raised = true;
            around = self.links.around[around as usize];
        }
    }

    /// Hands an event over; `of` is the record with the name, and the arguments.
    fn push(
        &mut self,
        port: &str,
        record: &LogRecord,
        time: i64,
        within: Option<EmittedBox>,
        (of, [args, arg_names]): (&LogRecord, &ArgLists<'_>),
        duration: Option<i64>,
    ) {
        let log = self.log;
        let function = self.function(of.name);
        let place = function.as_ref().and_then(|function| function.place.as_ref());
        let n_args = log.text(of.args).map(|args| ArgTexts::new(args).iter().count());
        let proc = ProcRow {
            name: function.as_ref().map(|function| &*function.name),
            arity: n_args.and_then(|n_args| i64::try_from(n_args).ok()),
            ..ProcRow::default()
        };
        let mut extra: Vec<(AttributeId, Field<'_>)> = Vec::with_capacity(16);
        let ids = self.ids;
        extra.push((ids.time, Field::Int(time)));
        extra.extend(duration.map(|duration| (ids.duration, Field::Int(duration))));
        extra.extend(
            within.filter(|within| within.parent > 0).map(|within| (AttributeId::PARENT, Field::Int(within.parent))),
        );
        extra.push((ids.record, Field::Int(i64::from(record.number))));
        extra.extend(place.map(|(file, _)| (ids.file, Field::Text(file))));
        let atom = |id: AttributeId, text: Option<&'l str>| text.map(|text| (id, Field::Atom(text)));
        extra.extend(atom(ids.process, log.process(record.pid).map(characters)));
        extra.extend(atom(ids.thread, log.thread(record.pid, record.tid).map(characters)));
        extra.extend(atom(ids.cat, log.text(record.cat).map(characters)));
        extra.extend(atom(ids.id, log.text(record.id)));
        extra.extend(atom(ids.bind_id, log.text(record.bind)));
        extra.extend(atom(ids.scope, log.text(record.scope)));
        extra.extend(record.flows_in.then_some((ids.flow_in, Field::Bool(true))));
        extra.extend(record.flows_out.then_some((ids.flow_out, Field::Bool(true))));
        extra.extend(record.binds_enclosing.then_some((ids.bp, Field::Atom("e"))));
        let series = if record.phase == 'C' { series(log, record) } else { None };
        extra.extend(series.as_deref().map(|series| (ids.series, Field::Atom(series))));
        let (args, arg_names) = (StoredList::of(args), StoredList::of(arg_names));
        let row = EventRow {
            call: within.map(|within| within.number),
            depth: Some(within.map_or(0, |within| within.depth)),
            port: Some(port),
            proc,
            line_number: place.map(|(_, line)| *line),
            args: args.as_field(),
            arg_names: arg_names.as_field(),
            extra: &extra,
            source_line: record.line,
            ..EventRow::default()
        };
        self.builder.push(&row);
        self.push_own(record);
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

    /// A name taken apart.
    fn function(&mut self, code: u32) -> Option<Rc<FunctionName>> {
        let log = self.log;
        let taken_apart = || log.text(code).map(|name| Rc::new(FunctionName::of(characters(name))));
        self.names.entry(code).or_insert_with(taken_apart).clone()
    }
}

impl FunctionName {
    /// `take (/srv/app/shop.py:9)`.
    fn of(name: &str) -> FunctionName {
        let taken_apart = || {
            let (function, place) = name.strip_suffix(')')?.rsplit_once(" (")?;
            let (file, line) = place.rsplit_once(':')?;
            let is_number = !file.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
            Some((function, file, line.parse().ok().filter(|_| is_number)?))
        };
        match taken_apart() {
            Some((function, file, line)) => FunctionName { name: function.into(), place: Some((file.into(), line)) },
            None => FunctionName { name: name.into(), place: None },
        }
    }
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
    fn of(text: &'l Option<Cow<'_, str>>) -> StoredList<'l> {
        let Some(text) = text else { return StoredList::Absent };
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
