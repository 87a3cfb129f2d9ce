//! From records to events: their order, their keys, the names of their arguments and the ends of arrows.

use std::sync::Arc;

use super::columns::{self, AttributeIds};
use super::flows::Arrows;
use super::heads::{NONE, RecordHead, STATES_ARGS};
use super::log::{ChromeLog, RecordIdx};
use super::nesting::SequenceItem;
use super::order::ordered;
use super::pairs::BoxLinks;
use super::rules::RuleFindings;
use super::tables::{ChromeTables, RowKind, RowPlace, duration, exit_names};
use crate::term::hash::{NumberMap, NumberSet};
use crate::trace::{ArgsId, EventId, Field, KeyId, ListField, ProcRow, TraceBuilder};

/// Orders the events of the log and hands them over.
pub(super) fn emit(mut log: ChromeLog, builder: &mut TraceBuilder) {
    let mut findings = std::mem::take(&mut log.findings);
    log.shrink();
    let mut links = BoxLinks::new(&log);
    let mut rows = ordered(&log, &mut links, &mut findings);
    rows.shrink_to_fit();
    let ids = AttributeIds::new(builder);
    let mut emission = Emission::new(&log, &links, builder, &mut findings);
    rows.chunks(ROWS_AT_ONCE).for_each(|rows| emission.append(rows));
    let Emission { calls, arrows, n_boxes, has, .. } = emission;
    if let Some(Arrows { mut from, calls, .. }) = arrows {
        let mut calls = calls;
        from.sort_unstable();
        calls.sort_unstable();
        builder.fill(ids.flow_from, from.into_iter().map(|(event, from)| (event, Field::Int(i64::from(from) + 1))));
        builder.fill(ids.flow_call, calls.into_iter().map(|(event, call)| (event, Field::Int(call))));
    }
    findings.report(builder);
    if !rows.is_empty() {
        let tables = Arc::new(ChromeTables { log, links, rows, calls });
        columns::declare(&tables, ids, &EventColumns { n_boxes, ..has }, builder);
    }
}

/// Events that are added at once.
const ROWS_AT_ONCE: usize = 1 << 14;

/// What some event has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventColumns {
    /// The number of boxes.
    pub(super) n_boxes: u32,
    pub(super) args: bool,
    pub(super) parent: bool,
    pub(super) duration: bool,
}

/// The events on their way to the builder.
struct Emission<'l, 'b> {
    log: &'l ChromeLog,
    links: &'l BoxLinks,
    builder: &'b mut TraceBuilder,
    findings: &'b mut RuleFindings,
    /// If there are any.
    arrows: Option<Arrows<'l>>,
    /// By record, the number of the box that it opens.
    calls: Vec<u32>,
    n_boxes: u32,
    has: EventColumns,
    /// Boxes that end by an exception.
    raised: NumberSet<RecordIdx>,
    heads: Vec<KnownHead>,
    /// The names of the arguments of exits by the heads of both records.
    exit_names: NumberMap<(u32, u32), Option<ArgsId>>,
    keys: Vec<KeyId>,
    names: Vec<(EventId, ArgsId)>,
}

/// What the builder knows of a head.
#[derive(Clone, Copy, Default)]
struct KnownHead {
    /// The keys of a call or a point, of an exit, and of an end by an exception.
    keys: [Option<KeyId>; 3],
    /// The names of arguments.
    names: Option<Option<ArgsId>>,
    /// Those of the exit of a box with one record.
    exit_names: Option<Option<ArgsId>>,
    /// Whether it is an instant that shows an exception.
    is_exception: bool,
}

impl<'l, 'b> Emission<'l, 'b> {
    fn new(
        log: &'l ChromeLog,
        links: &'l BoxLinks,
        builder: &'b mut TraceBuilder,
        findings: &'b mut RuleFindings,
    ) -> Emission<'l, 'b> {
        let heads = &log.known_heads.heads;
        let known = |head: &RecordHead| KnownHead {
            is_exception: log.text(head.name).is_some_and(|name| name.starts_with(EXCEPTION)),
            ..KnownHead::default()
        };
        Emission {
            log,
            links,
            builder,
            findings,
            arrows: heads.iter().any(Arrows::has_end).then(|| Arrows::new(log)),
            calls: vec![0; log.len()],
            n_boxes: 0,
            has: EventColumns::default(),
            raised: NumberSet::default(),
            heads: heads.iter().map(known).collect(),
            exit_names: NumberMap::default(),
            keys: Vec::with_capacity(ROWS_AT_ONCE),
            names: Vec::new(),
        }
    }

    /// Adds events.
    fn append(&mut self, rows: &[SequenceItem]) {
        let first = self.builder.n_events();
        self.keys.clear();
        self.names.clear();
        for (event, row) in (first..).zip(rows) {
            let place = RowPlace::of(self.log, self.links, *row);
            self.event(event, &place);
        }
        self.builder.append_keys(&self.keys, 1);
        self.builder.scatter_arg_names(&self.names);
    }

    #[inline]
    fn event(&mut self, event: EventId, place: &RowPlace) {
        let port = match place.kind {
            RowKind::Call => {
                self.open(place.record);
                PortKind::Begin
            }
            RowKind::Exit if self.raised.contains(&place.within) => PortKind::Exception,
            RowKind::Exit => {
                if place.is_orphan(self.log) {
                    self.open(place.record);
                }
                PortKind::Exit
            }
            RowKind::Point => {
                self.note_exception(place);
                PortKind::Begin
            }
        };
        self.arrow(event, place);
        self.has.duration |= !self.has.duration && duration(self.log, self.links, place).is_some();
        let key = self.key(self.log.head_number(place.named()), port);
        self.keys.push(key);
        let names = if place.kind == RowKind::Exit { self.exit_names(place) } else { self.names_of(place.record) };
        self.names.extend(names.map(|names| (event, names)));
    }

    /// Gives a box its number.
    #[inline]
    fn open(&mut self, idx: RecordIdx) {
        self.n_boxes += 1;
        self.calls[idx as usize] = self.n_boxes;
        self.has.parent |= self.links.around[idx as usize] != NONE;
    }

    fn arrow(&mut self, event: EventId, place: &RowPlace) {
        let Some(arrows) = &mut self.arrows else { return };
        let call = self.calls.get(place.within as usize).map(|call| i64::from(*call));
        match (place.kind, call) {
            (RowKind::Call, Some(call)) => arrows.call(event, place.record, call, self.findings),
            (RowKind::Point, call) => arrows.event(event, place.record, call, self.findings),
            _ => {}
        }
    }

    /// `Exception - OutOfStock() = OutOfStock('fig')` inside of boxes that return this, or `<NULL>`, as viztracer writes for
    /// Python 3.11: they end by the exception.
    fn note_exception(&mut self, place: &RowPlace) {
        let (log, head) = (self.log, self.log.head_number(place.record));
        if !self.heads[head as usize].is_exception {
            return;
        }
        let raised = log.text(log.head(place.record).name).unwrap_or_default();
        let mut around = place.within;
        while around != NONE {
            let returns = log.body(around).0.result.map(|(_, written)| written);
            let is_raised = returns.is_some_and(|text| {
                text == "<NULL>" || raised.strip_suffix(text).is_some_and(|rest| rest.ends_with(" = "))
            });
            if !is_raised {
                return;
            }
            self.raised.insert(around);
            around = self.links.around[around as usize];
        }
    }

    /// The procedure of a head, with a port.
    #[inline]
    fn key(&mut self, number: u32, port: PortKind) -> KeyId {
        match self.heads[number as usize].keys[port as usize] {
            Some(key) => key,
            None => self.new_key(number, port),
        }
    }

    #[cold]
    fn new_key(&mut self, number: u32, port: PortKind) -> KeyId {
        let head = &self.log.known_heads.heads[number as usize];
        let name = self.log.text(head.name).map(|name| columns::function(name).0);
        let arity = head.has(STATES_ARGS).then(|| i64::from(self.log.arg_names.length(head.arg_names)));
        let proc = ProcRow { name, arity, ..ProcRow::default() };
        let key = self.builder.key(&proc, Some(port.name(head)), None);
        self.heads[number as usize].keys[port as usize] = Some(key);
        key
    }

    /// The names of the arguments of a record.
    #[inline]
    fn names_of(&mut self, idx: RecordIdx) -> Option<ArgsId> {
        let number = self.log.head_number(idx);
        self.has.args |= self.log.head(idx).has(STATES_ARGS);
        if let Some(names) = self.heads[number as usize].names {
            return names;
        }
        let keys = self.log.arg_names.keys(self.log.head(idx).arg_names);
        let names = known_names(&keys.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), self.builder);
        self.heads[number as usize].names = Some(names);
        names
    }

    /// The names of the arguments of the exit of a box: those of its call, then those that only the end has, then that of the
    /// result.
    #[inline]
    fn exit_names(&mut self, place: &RowPlace) -> Option<ArgsId> {
        let [begin, end] = [place.within, place.record].map(|idx| self.log.head_number(idx));
        let (head, is_same) = (self.log.head(place.record), place.within == place.record);
        self.has.args |= head.has(STATES_ARGS) || head.result_name().is_some();
        if is_same {
            if let Some(names) = self.heads[end as usize].exit_names {
                return names;
            }
        } else if let Some(names) = self.exit_names.get(&(begin, end)) {
            return *names;
        }
        let begin_head = (!is_same).then(|| self.log.head(place.within));
        let names = known_names(&exit_names(self.log, begin_head, head), self.builder);
        match is_same {
            true => self.heads[end as usize].exit_names = Some(names),
            false => {
                self.exit_names.insert((begin, end), names);
            }
        }
        names
    }
}

/// The number of a list of names; none if no argument has one.
fn known_names(names: &[&[u8]], builder: &mut TraceBuilder) -> Option<ArgsId> {
    let has_names = names.iter().any(|name| !name.is_empty());
    let names: Vec<Option<&str>> = names.iter().map(|name| std::str::from_utf8(name).ok()).collect();
    has_names.then(|| builder.names(ListField::Parts(&names)))
}

/// What the names of instants that show an exception begin with.
const EXCEPTION: &str = "Exception - ";

/// The port of an event by its place in its box.
#[derive(Clone, Copy)]
enum PortKind {
    /// A call or a point.
    Begin,
    Exit,
    Exception,
}

impl PortKind {
    fn name(self, head: &RecordHead) -> &'static str {
        match self {
            PortKind::Begin if head.is_box() => "call",
            PortKind::Begin => port(head.phase),
            PortKind::Exit => "exit",
            PortKind::Exception => "exception",
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
