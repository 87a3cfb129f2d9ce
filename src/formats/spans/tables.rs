//! What the lazy columns are computed from: the spans in the order of their calls, and the rows.

use super::identity::SpanIdentity;
use super::order::{SpanPlaces, place_of};
use super::parents::{NO_SPAN, Parents};
use super::records::{
    Attributes, ERROR, EXECUTE_TOOL, HAS_SCOPE, HAS_TOOL, IS_LOCAL, IS_REMOTE, NO_TEXT, NO_TIME, OPERATION, RecordBody,
    RecordPart, SpanContext, SpanRecord, SpanRecords, TOOL_RESULTS,
};
use super::rows::{CallOrder, Row, RowKind, ordered};
use super::values::write_argument;
use crate::term::hash::NumberMap;
use crate::trace::{EventId, ListField};

/// All spans and rows of a trace.
pub(super) struct SpanTables {
    /// The records of the spans, in the order of their calls.
    pub(super) records: SpanRecords,
    pub(super) rows: Vec<Row>,
    /// The parent of each span, [`NO_SPAN`] for a top.
    pub(super) parents: Vec<u32>,
    /// Where each span begins.
    pub(super) from: Vec<i64>,
    /// The spans that are linked to, by the place of the link in the words.
    pub(super) linked: NumberMap<u32, u32>,
}

impl SpanTables {
    /// Orders spans with these parents; returns their new numbers too.
    pub(super) fn new(mut records: SpanRecords, identity: &SpanIdentity, parents: &Parents) -> (SpanTables, CallOrder) {
        let places = SpanPlaces::new(&records, &parents.of);
        let mut rows = ordered(&records, &places);
        let calls = CallOrder::new(&mut rows, records.len());
        let linked = linked(&records, identity, &rows, &calls);
        let from = calls.sorted(&places.from);
        drop(places);
        let parents = calls.old.iter().map(|span| calls.number(parents.of[*span as usize])).collect();
        records.records = calls.sorted(&records.records);
        rows.shrink_to_fit();
        (SpanTables { records, rows, parents, from, linked }, calls)
    }

    #[inline]
    pub(super) fn record(&self, row: Row) -> &SpanRecord {
        &self.records.records[row.span() as usize]
    }

    /// The event or link that a row is.
    pub(super) fn part(&self, row: Row) -> RecordPart<'_> {
        self.records.part_at(row.at as usize).0
    }

    /// The attributes of a row.
    pub(super) fn attributes(&self, row: Row) -> Attributes<'_> {
        let at = if row.is_edge() { self.record(row).at as usize } else { row.at as usize + 4 };
        self.records.attributes_at(at).0
    }

    /// What is arguments of a row: those of a tool for a call of it, else the attributes.
    pub(super) fn arguments(&self, row: Row) -> Attributes<'_> {
        let record = self.record(row);
        let tool = || self.records.body(record).tool;
        let has_tool = row.is_edge() && record.has & HAS_TOOL > 0;
        has_tool.then(tool).flatten().unwrap_or_else(|| self.attributes(row))
    }

    /// Writes the arguments of a row as a list of texts.
    pub(super) fn write_arguments(&self, row: Row, list: &mut String) {
        let mut text = String::new();
        let mut parts = Vec::new();
        for value in self.arguments(row).values {
            let start = text.len();
            write_argument(self.records.text_of(*value), &mut text);
            parts.push(start..text.len());
        }
        let parts: Vec<Option<&str>> = parts.into_iter().map(|part| Some(&text[part])).collect();
        ListField::Parts(&parts).write_stored(list);
    }

    /// The result of a tool, at the exit of its call.
    pub(super) fn result(&self, row: Row) -> u32 {
        let record = self.record(row);
        if row.kind() != RowKind::End || record.status == ERROR {
            return NO_TEXT;
        }
        let attributes = self.attributes(row);
        let keys = self.records.lists.keys(attributes.keys);
        let value = |wanted: u32| keys.iter().position(|key| *key == wanted).map(|place| attributes.values[place]);
        match value(OPERATION) {
            Some(EXECUTE_TOOL) => TOOL_RESULTS.into_iter().find_map(value).unwrap_or(NO_TEXT),
            _ => NO_TEXT,
        }
    }

    /// The resource and scope of a row.
    pub(super) fn context(&self, row: Row) -> &SpanContext {
        &self.records.contexts[self.record(row).context as usize]
    }

    /// The name of the scope of a row.
    pub(super) fn scope(&self, row: Row) -> u32 {
        self.own_scope(row).map_or(self.context(row).scope, |(scope, _)| scope)
    }

    /// The version of the scope of a row.
    pub(super) fn scope_version(&self, row: Row) -> u32 {
        self.own_scope(row).map_or(self.context(row).version, |(_, version)| version)
    }

    fn own_scope(&self, row: Row) -> Option<(u32, u32)> {
        let record = self.record(row);
        let body = || self.records.body(record);
        (record.has & HAS_SCOPE > 0).then(body).map(|body| (body.scope, body.version))
    }

    /// The parts of the record, at call and end.
    pub(super) fn edge_body(&self, row: Row) -> Option<RecordBody<'_>> {
        row.is_edge().then(|| self.records.body(self.record(row)))
    }

    /// Whether the parent is in another process, at call and end.
    pub(super) fn is_remote(&self, row: Row) -> Option<bool> {
        let has = self.record(row).has;
        (row.is_edge() && has & (IS_REMOTE | IS_LOCAL) > 0).then_some(has & IS_REMOTE > 0)
    }

    /// Calls `see` for each event.
    #[inline]
    pub(super) fn each(&self, mut see: impl FnMut(EventId, Row)) {
        for (event, row) in (0..).zip(&self.rows) {
            see(event, *row);
        }
    }

    /// The time of a row as the file has it.
    #[inline]
    pub(super) fn time(&self, row: Row) -> Option<i64> {
        match row.kind() {
            RowKind::Call | RowKind::Link => self.record(row).start(),
            RowKind::End => self.record(row).end(),
            RowKind::Event => self.part(row).time(),
        }
    }

    /// Where a row stands instead of at its time: place - time.
    pub(super) fn moved(&self, row: Row) -> Option<i64> {
        let from = self.from[row.span() as usize];
        let to = self.record(row).end().map_or(NO_TIME, |end| end.max(from));
        let time = self.time(row)?;
        let place = match row.kind() {
            RowKind::Call | RowKind::Link => from,
            RowKind::End => to,
            RowKind::Event => place_of(from, to, Some(time)),
        };
        place.checked_sub(time).filter(|moved| *moved != 0)
    }

    /// The duration of a span.
    pub(super) fn duration(&self, row: Row) -> Option<i64> {
        let record = self.record(row);
        record.end()?.checked_sub(record.start()?)
    }

    /// The call of the parent.
    pub(super) fn parent_call(&self, row: Row) -> Option<i64> {
        let parent = self.parents[row.span() as usize];
        (parent != NO_SPAN).then(|| i64::from(parent) + 1)
    }

    /// Depths of all spans.
    pub(super) fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.parents.len());
        for parent in &self.parents {
            // a parent's call comes before those of its children
            depths.push(depths.get(*parent as usize).map_or(1, |depth| depth + 1));
        }
        depths
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.records.bytes()
            + self.rows.capacity() * size_of::<Row>()
            + self.parents.capacity() * size_of::<u32>()
            + self.from.capacity() * size_of::<i64>()
    }
}

/// The spans that are linked to, by the place of the link.
fn linked(records: &SpanRecords, identity: &SpanIdentity, rows: &[Row], calls: &CallOrder) -> NumberMap<u32, u32> {
    let links = rows.iter().filter(|row| row.kind() == RowKind::Link);
    let target = |row: &Row| {
        let link = records.part_at(row.at as usize).0;
        let spans = identity.index.find(&records.records, link.name, link.id());
        let is_shared = |span: &&u32| records.records[**span as usize].is_shared();
        let number = |span: &u32| calls.number(*span);
        let unshared = spans.iter().filter(|span| !is_shared(span)).map(number).max();
        unshared.or_else(|| spans.iter().map(number).min()).map(|span| (row.at, span))
    };
    links.filter_map(target).collect()
}
