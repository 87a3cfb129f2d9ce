//! What the lazy columns are computed from: the spans in the order of their calls, and the rows.

use std::sync::Arc;

use super::bodies::{Attributes, RecordBody, RecordPart};
use super::ids::SpanId;
use super::index::RecordIndex;
use super::order::{SpanPlaces, place_of};
use super::parents::{NO_SPAN, Parents};
use super::record_table::RecordShape;
use super::records::{
    ERROR, EXECUTE_TOOL, HAS_LINKS, HAS_SCOPE, HAS_TOOL, IS_LOCAL, IS_REMOTE, NO_TEXT, NO_TIME, OPERATION, SpanContext,
    SpanRecords, TOOL_RESULTS,
};
use super::rows::{CallOrder, Row, RowKind, RowTable};
use super::values::{TermText, write_argument};
use crate::term::hash::NumberMap;
use crate::trace::{EventId, ListField, PlaceTable, SourcePlace};

/// All spans and rows of a trace.
pub(super) struct SpanTables {
    /// The records of the spans, in the order of their calls.
    pub(super) records: SpanRecords,
    pub(super) rows: RowTable,
    /// Where the records begin, in the order of the file.
    pub(super) places: Arc<PlaceTable>,
    /// The parent of each span, [`NO_SPAN`] for a top.
    pub(super) parents: Vec<u32>,
    /// The ids of parents that are not those of the parents found, by their spans.
    named: Vec<(u32, SpanId)>,
    /// Where spans begin that do not begin at their start.
    from: NumberMap<u32, i64>,
    /// The spans that are linked to, by the place of the link in the bodies.
    pub(super) linked: NumberMap<u32, u32>,
    /// The number of each span in the file.
    pub(super) in_file: Vec<u32>,
}

impl SpanTables {
    /// Orders spans with these parents; returns their new numbers too.
    pub(super) fn new(mut records: SpanRecords, index: RecordIndex, parents: &mut Parents) -> (SpanTables, CallOrder) {
        let mut named = parents.named(&records);
        records.records.forget_parents();
        let has_links = records.records.shapes().iter().any(|shape| shape.has & HAS_LINKS > 0);
        let index = has_links.then_some(index);
        let of_parents = std::mem::take(&mut parents.of);
        let places = SpanPlaces::new(&records, &of_parents);
        let mut rows = RowTable::ordered(&records, &places);
        let calls = CallOrder::new(&mut rows);
        let from = other_starts(&records, &places.from, &calls);
        drop(places);
        let linked = index.map(|index| linked(&records, &index, &rows, &calls)).unwrap_or_default();
        let parents = calls.old.iter().map(|span| calls.number(of_parents[*span as usize])).collect();
        drop(of_parents);
        named.iter_mut().for_each(|(span, _)| *span = calls.number(*span));
        named.sort_unstable_by_key(|(span, _)| *span);
        records.records.reorder(&calls.old);
        let places = Arc::new(records.records.take_places());
        let in_file = calls.old.clone();
        (SpanTables { records, rows, places, parents, named, from, linked, in_file }, calls)
    }

    /// What the record of the span of a row has in common with others.
    #[inline]
    pub(super) fn shape(&self, row: Row) -> &RecordShape {
        self.records.records.shape(row.span())
    }

    /// Where a span begins.
    pub(super) fn place(&self, span: u32) -> SourcePlace {
        self.in_file.get(span as usize).and_then(|number| self.places.at(*number as usize)).unwrap_or_default()
    }

    /// The id of the parent that a span names.
    pub(super) fn parent_id(&self, span: u32) -> SpanId {
        match self.named.binary_search_by_key(&span, |(span, _)| *span) {
            Ok(place) => self.named[place].1,
            Err(_) => match self.parents[span as usize] {
                NO_SPAN => SpanId::None,
                parent => self.records.records.key(parent).1,
            },
        }
    }

    /// The event or link that a row is.
    pub(super) fn part(&self, row: Row) -> RecordPart<'_> {
        self.records.part_at(row.at as usize)
    }

    /// The attributes of a row.
    #[inline]
    pub(super) fn attributes(&self, row: Row) -> Attributes<'_> {
        match row.is_edge() {
            true => self.records.attributes(row.span()),
            false => self.records.attributes_of_part(row.at as usize),
        }
    }

    /// What is arguments of a row: those of a tool for a call of it, else the attributes.
    pub(super) fn arguments(&self, row: Row) -> Attributes<'_> {
        let has_tool = row.is_edge() && self.shape(row).has & HAS_TOOL > 0;
        let tool = || self.records.body_of(row.span()).tool;
        has_tool.then(tool).flatten().unwrap_or_else(|| self.attributes(row))
    }

    /// Writes the arguments of a row as a list of texts.
    pub(super) fn write_arguments(&self, row: Row, list: &mut String) {
        let mut text = String::new();
        let mut parts = Vec::new();
        for value in self.arguments(row).values() {
            let start = text.len();
            write_argument(self.records.text_of(value), &mut text);
            parts.push(start..text.len());
        }
        let parts: Vec<Option<&str>> = parts.into_iter().map(|part| Some(&text[part])).collect();
        ListField::Parts(&parts).write_stored(list);
    }

    /// The attributes of a row that have values, as a list of pairs.
    pub(super) fn attribute_list(&self, row: Row) -> String {
        let attributes = self.attributes(row);
        let mut list = TermText { text: "[".to_owned() };
        let pairs = self.records.lists.keys(attributes.keys).iter().zip(attributes.values());
        for (key, value) in pairs.filter(|(_, value)| *value != NO_TEXT) {
            list.separate();
            list.key(self.records.text_of(*key));
            list.stored(self.records.text_of(value));
        }
        list.text + "]"
    }

    /// The result of a tool, at the exit of its call.
    pub(super) fn result(&self, row: Row) -> u32 {
        if row.kind() != RowKind::End || self.shape(row).status == ERROR {
            return NO_TEXT;
        }
        let attributes = self.attributes(row);
        let keys = self.records.lists.keys(attributes.keys);
        let value = |wanted: u32| keys.iter().position(|key| *key == wanted).map(|place| attributes.value(place));
        match value(OPERATION) {
            Some(EXECUTE_TOOL) => TOOL_RESULTS.into_iter().find_map(value).unwrap_or(NO_TEXT),
            _ => NO_TEXT,
        }
    }

    /// The resource and scope of a row.
    pub(super) fn context(&self, row: Row) -> &SpanContext {
        &self.records.contexts[self.shape(row).context as usize]
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
        let body = || self.records.body_of(row.span());
        (self.shape(row).has & HAS_SCOPE > 0).then(body).map(|body| (body.scope, body.version))
    }

    /// The parts of the record, at call and end.
    pub(super) fn edge_body(&self, row: Row) -> Option<RecordBody<'_>> {
        row.is_edge().then(|| self.records.body_of(row.span()))
    }

    /// Whether the parent is in another process, at call and end.
    pub(super) fn is_remote(&self, row: Row) -> Option<bool> {
        let has = self.shape(row).has;
        (row.is_edge() && has & (IS_REMOTE | IS_LOCAL) > 0).then_some(has & IS_REMOTE > 0)
    }

    /// Calls `see` for each event.
    #[inline]
    pub(super) fn each(&self, mut see: impl FnMut(EventId, Row)) {
        for (event, row) in (0..).zip(self.rows.iter()) {
            see(event, row);
        }
    }

    /// The time of a row as the file has it.
    #[inline]
    pub(super) fn time(&self, row: Row) -> Option<i64> {
        match row.kind() {
            RowKind::Call | RowKind::Link => self.records.records.start(row.span()),
            RowKind::End => self.records.records.end(row.span()),
            RowKind::Event => self.part(row).time(),
        }
    }

    /// Where a row stands instead of at its time: place - time.
    pub(super) fn moved(&self, row: Row) -> Option<i64> {
        let span = row.span();
        let from = self.from.get(&span).copied().or_else(|| self.records.records.start(span))?;
        let to = self.records.records.end(span).map_or(NO_TIME, |end| end.max(from));
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
        self.records.records.end(row.span())?.checked_sub(self.records.records.start(row.span())?)
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
            + self.rows.bytes()
            + (self.parents.capacity() + self.in_file.capacity()) * size_of::<u32>()
            + self.named.capacity() * size_of::<(u32, SpanId)>()
            + self.from.capacity() * size_of::<(u32, i64)>()
    }
}

/// Where spans begin that do not begin at their start, by their new numbers.
fn other_starts(records: &SpanRecords, from: &[i64], calls: &CallOrder) -> NumberMap<u32, i64> {
    let begins = records.records.numbers().zip(from);
    let others = begins.filter(|(span, from)| records.records.start(*span) != Some(**from));
    others.map(|(span, from)| (calls.number(span), *from)).collect()
}

/// The spans that are linked to, by the place of the link.
fn linked(records: &SpanRecords, index: &RecordIndex, rows: &RowTable, calls: &CallOrder) -> NumberMap<u32, u32> {
    let links = rows.parts().iter().filter(|row| row.kind() == RowKind::Link);
    let target = |row: &Row| {
        let link = records.part_at(row.at as usize);
        let spans = index.find(&records.records, link.name, link.id());
        let is_shared = |span: &&u32| records.records.is_shared(**span);
        let number = |span: &u32| calls.number(*span);
        let unshared = spans.iter().filter(|span| !is_shared(span)).map(number).max();
        unshared.or_else(|| spans.iter().map(number).min()).map(|span| (row.at, span))
    };
    links.filter_map(target).collect()
}
