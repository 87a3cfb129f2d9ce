//! The attributes of the format, and their lazy columns.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::events::EventColumns;
use super::heads::{BINDS_ENCLOSING, FLOWS_IN, FLOWS_OUT, HAS_BIND, HAS_ID, JSON, NONE, RecordHead, UNMEASURED};
use super::log::{ChromeLog, RecordIdx};
use super::tables::{ChromeTables, RowKind, RowPlace};
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::trace::{ArgsId, AttributeId, BASE, EventId, Field, ListField, RecordNumbers, TraceBuilder, ValueId};

attributes! {
    standing_attribute:
    time "time" in Nanoseconds "time of the event in nanoseconds";
    duration "duration" in Nanoseconds "nanoseconds from the call to the exit of a box that ended";
    pid "pid" "process of the event, as a number or a name";
    tid "tid" "thread of the event, as a number or a name; that of the process if the record has none";
    process "process" "name of the process";
    thread "thread" "name of the thread";
    cat "cat" "categories of the record, separated by commas";
    id "id" "what identifies an asynchronous operation, an arrow, an object or a counter";
    scope "scope" "how far an instant reaches: t (thread), p (process) or g (global)";
    series "series" "name of a counter, with its id if it has one";
    file "file" "source file of the function";
    record "record" "number of the record in the array of records, from 1";
    bp "bp" "e if the end of an arrow belongs to the slice around it, and not to the next one";
    bind_id "bind_id" "what identifies the arrow that begins or ends at a slice";
    flow_in "flow_in" "true if the arrow `bind_id` ends at the slice";
    flow_out "flow_out" "true if the arrow `bind_id` begins at the slice";
    flow_from "flow_from" "number of the event at which the arrow begins that ends at this event";
    flow_call "flow_call" "number of the call to which this end of an arrow belongs";
}

/// The attribute for another key of a record; none if there are too many.
pub(super) fn of_key(key: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
    let is_taken = BASE.iter().any(|row| row.name == key) || ATTRIBUTES.iter().any(|own| own.name == key);
    match is_taken {
        true => builder.own_attribute(&format!("{key}_")),
        false => builder.own_attribute(key),
    }
}

/// Hands over the value that a JSON value is.
pub(super) fn with_json<T>(value: &Json<'_>, then: impl FnOnce(Field<'_>) -> T) -> T {
    match value {
        Json::Text(text) => then(Field::Atom(text)),
        other => then(OwnValue::of(other).as_field()),
    }
}

/// Declares the columns of the events.
pub(super) fn declare(tables: &Arc<ChromeTables>, ids: AttributeIds, has: &EventColumns, builder: &mut TraceBuilder) {
    builder.keeps_tables(tables.bytes());
    let mut columns = ChromeColumns { tables, builder, heads: used_heads(&tables.log) };
    columns.boxes(ids, has);
    columns.unmeasured();
    columns.records(ids);
    columns.heads(ids);
    columns.texts(ids);
    columns.others();
    if has.args {
        columns.args();
    }
}

/// The numbers of the heads that records have.
fn used_heads(log: &ChromeLog) -> Vec<u32> {
    let mut is_used = vec![false; log.known_heads.heads.len()];
    (0..log.len() as RecordIdx).for_each(|idx| is_used[log.head_number(idx) as usize] = true);
    (0..).zip(is_used).filter_map(|(number, is_used)| is_used.then_some(number)).collect()
}

/// A value that all records with a head have.
enum HeadValue<'l> {
    True,
    Atom(&'l str),
    Text(&'l str),
    Own(OwnValue<'l>),
}

impl HeadValue<'_> {
    fn as_field(&self) -> Field<'_> {
        match self {
            HeadValue::True => Field::Bool(true),
            HeadValue::Atom(text) => Field::Atom(text),
            HeadValue::Text(text) => Field::Text(text),
            HeadValue::Own(value) => value.as_field(),
        }
    }

    fn integer(&self) -> Option<i64> {
        match self.as_field() {
            Field::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// The value of a head.
type OfHead = for<'l> fn(&'l ChromeLog, &RecordHead) -> Option<HeadValue<'l>>;
/// Hands over the text of a record.
type WithText = fn(&ChromeLog, RecordIdx, &mut dyn FnMut(&str));
/// The record of an event whose head has its value.
type HeadRecord = fn(&RowPlace) -> RecordIdx;

/// The columns on their way to the builder.
struct ChromeColumns<'t> {
    tables: &'t Arc<ChromeTables>,
    builder: &'t mut TraceBuilder,
    /// The heads of records.
    heads: Vec<u32>,
}

impl ChromeColumns<'_> {
    /// The boxes of events.
    fn boxes(&mut self, ids: AttributeIds, has: &EventColumns) {
        let shared = Arc::clone(self.tables);
        self.builder.lazy_ints(AttributeId::DEPTH, move |_, depths| {
            let of_boxes = shared.depths();
            shared.each(|event, place| {
                depths.set(event, of_boxes.get(place.within as usize).map_or(0, |depth| i64::from(*depth)));
            });
        });
        if has.n_boxes > 0 {
            let shared = Arc::clone(self.tables);
            self.builder.lazy_calls(has.n_boxes as usize, move |_, calls| {
                shared.each(|event, place| {
                    if let Some(call) = shared.call(place.within) {
                        calls.set(event, call);
                    }
                });
            });
        }
        if has.parent {
            self.int(AttributeId::PARENT, ChromeTables::parent);
        }
        if has.duration {
            self.int(ids.duration, ChromeTables::duration);
        }
    }

    /// Says of which boxes the durations are not known.
    fn unmeasured(&mut self) {
        let known = &self.tables.log.known_heads.heads;
        if !self.heads.iter().any(|head| known[*head as usize].has(UNMEASURED)) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(AttributeId::DURATION_KNOWN, move |_, values| {
            shared.each(|event, place| {
                if place.kind == RowKind::Exit && shared.log.head(place.record).has(UNMEASURED) {
                    values.set(event, Field::Bool(false));
                }
            });
        });
    }

    /// The times and places of records.
    fn records(&mut self, ids: AttributeIds) {
        let shared = Arc::clone(self.tables);
        self.builder.lazy_ints(ids.time, move |_, times| shared.each_time(|event, time| times.set(event, time)));
        self.int(ids.record, |tables, place| Some(tables.log.number(place.record).into()));
        let shared = Arc::clone(self.tables);
        let record = move |event: EventId| shared.rows.get(event as usize).map(|row| row.record());
        self.builder.places(Arc::clone(&self.tables.log.places), RecordNumbers::Function(Arc::new(record)));
    }

    /// What all records with a head have.
    fn heads(&mut self, ids: AttributeIds) {
        let own: HeadRecord = |place| place.record;
        self.head(ids.pid, own, |log, head| name_or_number(log, head.pid));
        self.head(ids.tid, own, |log, head| name_or_number(log, head.tid));
        self.head(ids.process, own, |log, head| log.text(log.process(head.pid)).map(HeadValue::Atom));
        self.head(ids.thread, own, |log, head| log.text(log.thread(head.pid, head.tid)).map(HeadValue::Atom));
        self.head(ids.cat, own, |log, head| log.text(head.cat).map(HeadValue::Atom));
        self.head(ids.scope, own, |log, head| log.text(head.scope).map(HeadValue::Atom));
        self.head(ids.flow_in, own, |_, head| head.has(FLOWS_IN).then_some(HeadValue::True));
        self.head(ids.flow_out, own, |_, head| head.has(FLOWS_OUT).then_some(HeadValue::True));
        self.head(ids.bp, own, |_, head| head.has(BINDS_ENCLOSING).then_some(HeadValue::Atom("e")));
        self.head(ids.file, RowPlace::named, |log, head| Some(HeadValue::Text(place_of(log, head)?.0)));
        self.head(AttributeId::LINE_NUMBER, RowPlace::named, |log, head| {
            Some(HeadValue::Own(OwnValue::Int(place_of(log, head)?.1)))
        });
    }

    /// A column of values that all records with a head have.
    fn head(&mut self, id: AttributeId, of: HeadRecord, value: OfHead) {
        let log = &self.tables.log;
        let values = self.heads.iter().filter_map(|head| value(log, &log.known_heads.heads[*head as usize]));
        let integers: Vec<bool> = values.map(|value| value.integer().is_some()).collect();
        if integers.is_empty() {
            return;
        }
        let shared = Arc::clone(self.tables);
        match integers.iter().all(|is_integer| *is_integer) {
            true => self.builder.lazy_ints(id, move |_, ints| {
                let heads = shared.log.known_heads.heads.iter();
                let of_heads: Vec<Option<i64>> = heads.map(|head| value(&shared.log, head)?.integer()).collect();
                shared.each(|event, place| {
                    if let Some(value) = of_heads[shared.log.head_number(of(&place)) as usize] {
                        ints.set(event, value);
                    }
                });
            }),
            false => self.builder.lazy_values(id, move |_, values| {
                let mut of_heads: Vec<Option<Option<ValueId>>> = vec![None; shared.log.known_heads.heads.len()];
                shared.each(|event, place| {
                    let number = shared.log.head_number(of(&place)) as usize;
                    let known = *of_heads[number].get_or_insert_with(|| {
                        let value = value(&shared.log, &shared.log.known_heads.heads[number]);
                        value.map(|value| values.value(value.as_field()))
                    });
                    if let Some(value) = known {
                        values.set(event, Field::Known(value));
                    }
                });
            }),
        }
    }

    /// The texts that records have of their own.
    fn texts(&mut self, ids: AttributeIds) {
        self.text(ids.id, |head| head.has(HAS_ID), |log, idx, set| log.body(idx).0.id.into_iter().for_each(set));
        self.text(
            ids.bind_id,
            |head| head.has(HAS_BIND),
            |log, idx, set| log.body(idx).0.bind.into_iter().for_each(set),
        );
        self.text(
            ids.series,
            |head| head.phase == 'C' && head.name != NONE,
            |log, idx, set| {
                let name = log.text(log.head(idx).name).unwrap_or_default();
                match log.body(idx).0.id {
                    Some(id) => set(&format!("{name} {id}")),
                    None => set(name),
                }
            },
        );
    }

    /// A column of atoms of the records with some heads.
    fn text(&mut self, id: AttributeId, has_text: fn(&RecordHead) -> bool, text: WithText) {
        let known = &self.tables.log.known_heads.heads;
        if !self.heads.iter().any(|head| has_text(&known[*head as usize])) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(id, move |_, values| {
            shared.each(|event, place| {
                if has_text(shared.log.head(place.record)) {
                    text(&shared.log, place.record, &mut |text| values.set(event, Field::Atom(text)));
                }
            });
        });
    }

    /// The attributes of other keys.
    fn others(&mut self) {
        let log = &self.tables.log;
        let lists: BTreeSet<u32> = self.heads.iter().map(|head| log.known_heads.heads[*head as usize].others).collect();
        let lists: Vec<u32> = lists.into_iter().collect();
        for attribute in log.attributes_of(&lists) {
            let shared = Arc::clone(self.tables);
            match log.is_integer(attribute, &lists) {
                true => self.builder.lazy_ints(attribute, move |_, ints| {
                    shared.each(|event, place| {
                        let value = shared.log.other(place.record, attribute);
                        if let Some(value) = value.and_then(|value| value.parse().ok()) {
                            ints.set(event, value);
                        }
                    });
                }),
                false => self.builder.lazy_values(attribute, move |_, values| {
                    shared.each(|event, place| {
                        if let Some(value) = shared.log.other(place.record, attribute) {
                            with_json(&Json::of(value), |field| values.set(event, field));
                        }
                    });
                }),
            }
        }
    }

    /// An attribute of integers.
    fn int(&mut self, id: AttributeId, value: fn(&ChromeTables, &RowPlace) -> Option<i64>) {
        let shared = Arc::clone(self.tables);
        self.builder.lazy_ints(id, move |_, ints| {
            shared.each(|event, place| {
                if let Some(value) = value(&shared, &place) {
                    ints.set(event, value);
                }
            });
        });
    }

    fn args(&mut self) {
        let shared = Arc::clone(self.tables);
        self.builder.lazy_args(move |_, lists| {
            let (mut of_records, mut text) = (vec![NONE; shared.log.len()], String::new());
            shared.each(|event, place| {
                if !shared.has_args(&place) {
                    return;
                }
                let known = (!shared.has_own_args(&place)).then(|| &mut of_records[place.named() as usize]);
                let args = match known {
                    Some(known) if *known != NONE => ArgsId(*known),
                    known => {
                        shared.write_args(&place, &mut text);
                        let args = lists.stored_list(&text);
                        known.into_iter().for_each(|known| *known = args.0);
                        args
                    }
                };
                lists.set(event, ListField::Known(args));
            });
        });
    }
}

/// A name or number of a process or thread.
fn name_or_number(log: &ChromeLog, code: u32) -> Option<HeadValue<'_>> {
    let (text, tag) = log.tagged(code)?;
    Some(if tag == JSON { HeadValue::Own(OwnValue::of(&Json::of(text))) } else { HeadValue::Atom(text) })
}

/// The file and line of the function that a record names.
fn place_of<'l>(log: &'l ChromeLog, head: &RecordHead) -> Option<(&'l str, i64)> {
    function(log.text(head.name)?).1
}

/// The name of a function, and the file and the line where it is: `take (/srv/app/shop.py:9)`.
pub(super) fn function(name: &str) -> (&str, Option<(&str, i64)>) {
    let taken_apart = || {
        let (function, place) = name.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = place.rsplit_once(':')?;
        let is_number = !file.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        Some((function, Some((file, line.parse().ok().filter(|_| is_number)?))))
    };
    taken_apart().unwrap_or((name, None))
}
