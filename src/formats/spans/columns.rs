//! The columns of spans: keys and names of arguments go to the builder at once, everything else is lazy.

use std::sync::Arc;

use super::attribute_columns::AttributeColumns;
use super::filler::ColumnFiller;
use super::ids::SpanId;
use super::record_table::RecordShape;
use super::records::{
    HAS_LINKS, HAS_LOST, HAS_MESSAGE, HAS_STATE, IS_LOCAL, IS_REMOTE, KINDS, NO_TEXT, STATUSES, TOOL_RESULTS,
};
use super::rows::{Row, RowKind};
use super::tables::SpanTables;
use crate::term::hash::HashMap;
use crate::trace::{
    ArgsId, AttributeId, EventId, Field, KeyId, LazyValues, ListField, ProcRow, RecordNumbers, TraceBuilder,
};

attributes! {
    standing_attribute:
    time "time" in Nanoseconds "time in nanoseconds since 1970, as the file has it";
    trace "trace" or "trace_id" "traceId" "trace.id", "id of the trace to which the span belongs";
    span "span" or "span_id" "spanId" "span.id", "id of the span";
    parent_span "parent_span" or "parent_span_id" "parentSpanId" "parent_id" "parent.id",
        "id of the parent, whether or not it is in the file";
    service "service" or "service.name" "serviceName", "service that recorded the span";
    scope "scope" or "otel.scope.name" "otel.library.name", "library that recorded the span";
    scope_version "scope_version" or "otel.scope.version" "otel.library.version",
        "version of the library that recorded the span";
    duration "duration" in Nanoseconds "end - start in nanoseconds, at call and end; it may be negative";
    kind "kind" or "span.kind" "span_kind", ["internal" "server" "client" "producer" "consumer"]
        "internal, server, client, producer or consumer, at call and end";
    status "status" or "otel.status_code" "status_code" "status.code", ["unset" "ok" "error"] "unset, ok or error, at call and end";
    status_message "status_message" or "otel.status_description" "status.message",
        "what the status says about an error, at call and end";
    trace_state "trace_state" or "tracestate", "state that tracing systems pass on, at call and end";
    remote "remote" "whether the parent is in another process, at call and end";
    lost "lost" "how many attributes, events and links were dropped, at call and end";
    moved "moved" in Nanoseconds "place in the order of events - time, in nanoseconds, if they differ";
    to "to" "number of the call that is linked to, at a link";
    to_trace "to_trace" "id of the trace that is linked to, at a link";
    to_span "to_span" "id of the span that is linked to, at a link";
}

/// What a text or trace of a row is, by its number; [`NO_TEXT`] for none.
type RowText = fn(&SpanTables, Row) -> u32;
/// An integer of a row.
type RowInt = fn(&SpanTables, Row) -> Option<i64>;

/// Hands a trace to the builder.
pub(super) fn declare(tables: &Arc<SpanTables>, keys: AttributeColumns, builder: &mut TraceBuilder) {
    let ids = AttributeIds::new(builder);
    builder.let_stand(AttributeId::PARENT);
    if tables.rows.len() == 0 {
        return;
    }
    let shared = Arc::clone(tables);
    let record = move |event: EventId| shared.in_file.get(shared.rows.at(event)?.span() as usize).copied();
    builder.places(Arc::clone(&tables.places), RecordNumbers::Function(Arc::new(record)));
    append_rows(tables, builder);
    declare_places(tables, builder);
    declare_attributes(tables, builder);
    let mut columns = SpanColumns { tables, builder };
    columns.texts(ids);
    columns.integers(ids);
    columns.ids(ids);
    builder.keeps_tables(tables.bytes());
    ColumnFiller::declare(tables, keys, builder);
}

/// Rows are added in batches of so many.
const BATCH: usize = 1 << 14;

/// Adds the rows with their keys and the names of their arguments.
fn append_rows(tables: &SpanTables, builder: &mut TraceBuilder) {
    let (mut known, mut keys, mut names) = (HashMap::default(), Vec::new(), Vec::new());
    let mut of_edges: Vec<[Option<KeyId>; 2]> = vec![[None; 2]; tables.records.records.shapes().len()];
    let mut lists: Vec<Option<ArgsId>> = vec![None; tables.records.lists.len()];
    let mut rows = tables.rows.iter().peekable();
    while rows.peek().is_some() {
        for row in rows.by_ref().take(BATCH) {
            let of_edge = row.is_edge().then(|| tables.records.records.shape_of(row.span()) as usize);
            let is_end = usize::from(row.kind() == RowKind::End);
            let found = of_edge.and_then(|shape| of_edges[shape][is_end]);
            let key = found.unwrap_or_else(|| {
                let parts = key_parts(tables, row);
                *known.entry(parts).or_insert_with(|| key(tables, parts, builder))
            });
            of_edge.into_iter().for_each(|shape| of_edges[shape][is_end] = Some(key));
            keys.push(key);
            let list = tables.arguments(row).keys;
            names.push(*lists[list as usize].get_or_insert_with(|| names_of(tables, list, builder)));
        }
        let first = builder.n_events();
        builder.append_keys(&keys, u64::from(first) + 1);
        builder.append_arg_names(first, &names[..(builder.n_events() - first) as usize]);
        keys.clear();
        names.clear();
    }
}

/// The service, name and port of a row.
fn key_parts(tables: &SpanTables, row: Row) -> (u32, u32, &'static str) {
    let shape = tables.shape(row);
    let service = tables.records.contexts[shape.context as usize].service;
    (service, row_name(tables, row), row.kind().port(shape.status))
}

/// The number of the name of a row.
fn row_name(tables: &SpanTables, row: Row) -> u32 {
    match row.kind() {
        RowKind::Call | RowKind::End => tables.shape(row).name,
        RowKind::Event => tables.part(row).name,
        RowKind::Link => NO_TEXT,
    }
}

fn key(tables: &SpanTables, (service, name, port): (u32, u32, &'static str), builder: &mut TraceBuilder) -> KeyId {
    let text = |number: u32, otherwise| if number == NO_TEXT { otherwise } else { tables.records.text_of(number) };
    let module = text(service, "unknown");
    let name = text(name, if port == "link" { "link" } else { "unknown" });
    let proc = ProcRow { decl_module: Some(module), name: Some(name), ..ProcRow::default() };
    builder.key(&proc, Some(port), None)
}

fn names_of(tables: &SpanTables, list: u32, builder: &mut TraceBuilder) -> ArgsId {
    let keys = tables.records.lists.keys(list);
    let names: Vec<Option<&str>> = keys.iter().map(|key| Some(tables.records.text_of(*key))).collect();
    builder.names(ListField::Parts(&names))
}

/// Declares the lazy columns of calls, depths, parents and arguments.
fn declare_places(tables: &Arc<SpanTables>, builder: &mut TraceBuilder) {
    let shared = Arc::clone(tables);
    builder.lazy_calls(tables.records.len(), move |_, calls| {
        shared.each(|event, row| calls.set(event, i64::from(row.span()) + 1));
    });
    let shared = Arc::clone(tables);
    builder.lazy_ints(AttributeId::DEPTH, move |_, depths| {
        let of_spans = shared.depths();
        shared.each(|event, row| depths.set(event, i64::from(of_spans[row.span() as usize])));
    });
    let shared = Arc::clone(tables);
    builder.lazy_args(move |_, lists| {
        let (mut of_spans, mut text) = (vec![None; shared.records.len()], String::new());
        shared.each(|event, row| {
            let known = of_spans[row.span() as usize].filter(|_| row.is_edge());
            let args = known.unwrap_or_else(|| {
                shared.write_arguments(row, &mut text);
                lists.new_list(&text)
            });
            lists.set(event, ListField::Known(args));
            if row.is_edge() {
                of_spans[row.span() as usize] = Some(args);
            }
        });
    });
}

/// Declares the lists of attributes with their keys, in which also those are that have no columns.
fn declare_attributes(tables: &Arc<SpanTables>, builder: &mut TraceBuilder) {
    let shared = Arc::clone(tables);
    builder.lazy_values(AttributeId::ATTRIBUTES, move |_, lists| {
        let mut of_spans = vec![None; shared.records.len()];
        shared.each(|event, row| {
            let known = of_spans[row.span() as usize].filter(|_| row.is_edge());
            let list = known.unwrap_or_else(|| lists.value(Field::Term(&shared.attribute_list(row))));
            lists.set(event, Field::Known(list));
            if row.is_edge() {
                of_spans[row.span() as usize] = Some(list);
            }
        });
    });
}

/// Declares columns that have values.
struct SpanColumns<'t> {
    tables: &'t Arc<SpanTables>,
    builder: &'t mut TraceBuilder,
}

impl SpanColumns<'_> {
    /// Whether some record has one of these things.
    fn has(&self, things: u16) -> bool {
        self.tables.records.records.shapes().iter().any(|shape| shape.has & things > 0)
    }

    fn texts(&mut self, ids: AttributeIds) {
        self.trace(ids.trace, |tables, row| tables.records.records.trace(row.span()));
        self.text(ids.service, |tables, row| tables.context(row).service);
        self.text(ids.scope, SpanTables::scope);
        self.text(ids.scope_version, SpanTables::scope_version);
        if self.has(HAS_MESSAGE) {
            self.text(ids.status_message, |tables, row| tables.edge_body(row).map_or(NO_TEXT, |body| body.message));
        }
        if self.has(HAS_STATE) {
            self.text(ids.trace_state, |tables, row| tables.edge_body(row).map_or(NO_TEXT, |body| body.state));
        }
        if self.has(HAS_LINKS) {
            self.trace(ids.to_trace, |tables, row| match row.kind() {
                RowKind::Link => tables.part(row).name,
                _ => NO_TEXT,
            });
        }
        self.word(ids.kind, |shape| KINDS[usize::from(shape.kind)]);
        self.word(ids.status, |shape| STATUSES[usize::from(shape.status)]);
        if self.has(IS_REMOTE | IS_LOCAL) {
            let shared = Arc::clone(self.tables);
            self.builder.lazy_values(ids.remote, move |_, values| {
                shared.each(|event, row| {
                    if let Some(is_remote) = shared.is_remote(row) {
                        values.set(event, Field::Bool(is_remote));
                    }
                });
            });
        }
    }

    fn integers(&mut self, ids: AttributeIds) {
        self.int(ids.time, SpanTables::time);
        self.int(ids.moved, SpanTables::moved);
        self.int(ids.duration, |tables, row| tables.duration(row).filter(|_| row.is_edge()));
        if self.has(HAS_LOST) {
            self.int(ids.lost, |tables, row| tables.edge_body(row).map(|body| i64::from(body.lost)).filter(|n| *n > 0));
        }
        if self.has(HAS_LINKS) {
            self.int(ids.to, |tables, row| match row.kind() {
                RowKind::Link => tables.linked.get(&row.at).map(|span| i64::from(*span) + 1),
                _ => None,
            });
        }
        self.int(AttributeId::PARENT, SpanTables::parent_call);
    }

    fn ids(&mut self, ids: AttributeIds) {
        self.id(ids.span, |tables, row| tables.records.records.key(row.span()).1);
        self.id(ids.parent_span, |tables, row| tables.parent_id(row.span()));
        if self.has(HAS_LINKS) {
            self.id(ids.to_span, |tables, row| match row.kind() {
                RowKind::Link => tables.part(row).id(),
                _ => SpanId::None,
            });
        }
        let mut lists = (0..self.tables.records.lists.len() as u32).map(|list| self.tables.records.lists.keys(list));
        let may_have_results = lists.any(|keys| keys.iter().any(|key| TOOL_RESULTS.contains(key)));
        let result = |row: Row| self.tables.result(row) != NO_TEXT;
        if may_have_results && self.tables.rows.iter().any(result) {
            let shared = Arc::clone(self.tables);
            self.builder.lazy_values(AttributeId::RESULT, move |_, values| {
                let mut known = KnownValues::default();
                shared.each(|event, row| known.set(&shared, values, event, shared.result(row)));
            });
        }
    }

    /// An attribute whose values are atoms.
    fn text(&mut self, id: AttributeId, text: RowText) {
        if !self.tables.rows.iter().any(|row| text(self.tables, row) != NO_TEXT) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(id, move |_, values| {
            let mut known = HashMap::default();
            shared.each(|event, row| {
                let number = text(&shared, row);
                if number != NO_TEXT {
                    let name = Field::Atom(shared.records.text_of(number));
                    let value = *known.entry(number).or_insert_with(|| values.value(name));
                    values.set(event, Field::Known(value));
                }
            });
        });
    }

    /// An attribute whose values are ids of traces.
    fn trace(&mut self, id: AttributeId, trace: RowText) {
        if !self.tables.rows.iter().any(|row| trace(self.tables, row) != NO_TEXT) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(id, move |_, values| {
            let mut known = HashMap::default();
            shared.each(|event, row| {
                let number = trace(&shared, row);
                if number != NO_TEXT {
                    let value = || values.value(Field::Atom(&shared.records.trace_text(number)));
                    let value = *known.entry(number).or_insert_with(value);
                    values.set(event, Field::Known(value));
                }
            });
        });
    }

    /// An attribute of spans whose values are a few words.
    fn word(&mut self, id: AttributeId, word: fn(&RecordShape) -> &'static str) {
        if !self.tables.rows.iter().any(|row| !word(self.tables.shape(row)).is_empty()) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(id, move |_, values| {
            let mut known = HashMap::default();
            shared.each(|event, row| {
                let word = word(shared.shape(row));
                if row.is_edge() && !word.is_empty() {
                    let value = *known.entry(word).or_insert_with(|| values.value(Field::Atom(word)));
                    values.set(event, Field::Known(value));
                }
            });
        });
    }

    fn int(&mut self, id: AttributeId, int: RowInt) {
        if !self.tables.rows.iter().any(|row| int(self.tables, row).is_some()) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_ints(id, move |_, ints| {
            shared.each(|event, row| {
                if let Some(value) = int(&shared, row) {
                    ints.set(event, value);
                }
            });
        });
    }

    fn id(&mut self, id: AttributeId, span: fn(&SpanTables, Row) -> SpanId) {
        if !self.tables.rows.iter().any(|row| span(self.tables, row) != SpanId::None) {
            return;
        }
        let shared = Arc::clone(self.tables);
        self.builder.lazy_values(id, move |_, values| {
            shared.each(|event, row| match span(&shared, row) {
                SpanId::None => {}
                SpanId::Hex(number) => values.set(event, Field::Atom(&format!("{number:016x}"))),
                SpanId::Text(text) => values.set(event, Field::Atom(shared.records.text_of(text))),
            });
        });
    }
}

/// The values of a column by the numbers of their texts.
#[derive(Default)]
pub(super) struct KnownValues(HashMap<u32, crate::trace::ValueId>);

impl KnownValues {
    /// Sets the value of an event, unless it is absent.
    #[inline]
    pub(super) fn set(&mut self, tables: &SpanTables, values: &mut LazyValues, event: EventId, number: u32) {
        if number != NO_TEXT {
            let stored = tables.records.text_of(number);
            let value = *self.0.entry(number).or_insert_with(|| values.value(field_of(stored)));
            values.set(event, Field::Known(value));
        }
    }
}

/// The value that is stored as a text.
fn field_of(stored: &str) -> Field<'_> {
    let text = stored.get(1..).unwrap_or_default();
    match stored.as_bytes().first() {
        Some(b'i') => text.parse().map_or(Field::BigInt(text), Field::Int),
        Some(b'n') => Field::BigInt(text),
        Some(b'f') => Field::Float(text.parse().unwrap_or(f64::NAN)),
        Some(b'b') => Field::Bool(text == "true"),
        Some(b't') => Field::Term(text),
        _ => Field::Atom(text),
    }
}
