//! Joining the records of chunks, in the order of the file.

use super::bodies::{Attributes, push_part};
use super::draft::Pairs;
use super::ids::SpanId;
use super::records::{
    HAS_EVENTS, HAS_LINKS, HAS_LOST, HAS_MESSAGE, HAS_SCOPE, HAS_STATE, NO_TEXT, RecordNote, SpanContext, SpanRecord,
    SpanRecords,
};
use super::rows::Row;
use super::trace_ids::{TraceId, TraceIds};
use super::varint;
use crate::formats::json::document::DocumentPart;
use crate::trace::SourcePlace;

/// The context of records whose resource or process is not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenContext(u32);

/// Marks the context of a record as open.
const OPEN: u32 = 1 << 31;
/// In place of the context of a record that is left out.
const LEFT_OUT: u32 = u32::MAX;
/// In place of the number of a record that is left out.
const NO_RECORD: u32 = u32::MAX;

/// The numbers that the texts, traces and lists of a chunk have in all records.
pub(crate) struct JoinedNumbers {
    texts: Vec<u32>,
    traces: Vec<u32>,
    lists: Vec<u32>,
}

impl JoinedNumbers {
    /// The number of a text.
    pub(crate) fn text(&self, number: u32) -> u32 {
        self.texts[number as usize]
    }

    /// The number of a trace.
    fn trace(&self, ids: &TraceIds, number: u32) -> u32 {
        match ids.id(number) {
            TraceId::None => number,
            TraceId::Hex(_) => self.traces[number as usize - 1],
            TraceId::Text(text) => TraceIds::of_text(self.text(text)),
        }
    }

    /// Keys and values.
    pub(crate) fn pairs(&self, pairs: &[(u32, u32)]) -> Pairs {
        pairs.iter().map(|(key, value)| (self.text(*key), self.text(*value))).collect()
    }

    /// A context.
    pub(crate) fn context(&self, context: &SpanContext) -> SpanContext {
        SpanContext {
            service: self.text(context.service),
            scope: self.text(context.scope),
            version: self.text(context.version),
            resource: self.pairs(&context.resource),
            of_scope: self.pairs(&context.of_scope),
        }
    }
}

impl SpanRecords {
    /// Joins the records of a part, with their contexts.
    pub(crate) fn join(&mut self, other: &SpanRecords, part: DocumentPart) {
        let numbers = self.joined_numbers(other);
        let joined = |context: &SpanContext| numbers.context(context);
        let contexts: Vec<SpanContext> = other.contexts.iter().map(joined).collect();
        let contexts: Vec<u32> = contexts.into_iter().map(|context| self.known_context(context)).collect();
        let note = |note: &RecordNote| RecordNote { of: contexts[note.of as usize], ..note.clone() };
        self.context_notes.extend(other.context_notes.iter().map(note));
        self.join_records(other, &numbers, &contexts, part);
    }

    /// Adds the texts, traces and lists of a chunk.
    pub(crate) fn joined_numbers(&mut self, other: &SpanRecords) -> JoinedNumbers {
        let texts: Vec<u32> = (0..other.texts.len()).map(|text| self.texts.intern(other.texts.at(text))).collect();
        let list = |list: u32| {
            let keys: Vec<u32> = other.lists.keys(list).iter().map(|key| texts[*key as usize]).collect();
            self.lists.number(&keys)
        };
        let lists = (0..other.lists.len() as u32).map(list).collect();
        JoinedNumbers { texts, traces: self.traces.joined(&other.traces), lists }
    }

    /// A context for records that are joined before it is known.
    pub(crate) fn open_context(&mut self) -> OpenContext {
        self.opened.push(NO_TEXT);
        OpenContext(self.opened.len() as u32 - 1)
    }

    /// Says what an open context is.
    pub(crate) fn close_context(&mut self, open: OpenContext, context: SpanContext, notes: &[RecordNote]) {
        let n_known = self.contexts.len();
        let number = self.known_context(context);
        if self.contexts.len() > n_known {
            self.context_notes.extend(notes.iter().map(|note| RecordNote { of: number, ..note.clone() }));
        }
        self.opened[open.0 as usize] = number;
    }

    /// Gives the records, which have their contexts then, other places, and what is unread one line.
    pub(crate) fn put_at(&mut self, line: u64, place: impl Fn(SourcePlace) -> SourcePlace) {
        self.close_contexts();
        self.records.put_at(place);
        self.unread.iter_mut().for_each(|unread| unread.0 = line);
    }

    /// Gives the records their contexts that were open.
    pub(super) fn close_contexts(&mut self) {
        let opened = std::mem::take(&mut self.opened);
        if opened.is_empty() {
            return;
        }
        self.records.change_contexts(|context| match context & OPEN {
            0 => context,
            _ => opened[(context & !OPEN) as usize],
        });
    }

    /// Joins the records of a chunk that has these numbers, and these open contexts; those without a context are left out.
    pub(crate) fn join_open(
        &mut self,
        other: &SpanRecords,
        numbers: &JoinedNumbers,
        contexts: &[Option<OpenContext>],
        part: DocumentPart,
    ) {
        let contexts: Vec<u32> =
            contexts.iter().map(|context| context.map_or(LEFT_OUT, |open| open.0 | OPEN)).collect();
        self.join_records(other, numbers, &contexts, part);
    }

    fn join_records(&mut self, other: &SpanRecords, numbers: &JoinedNumbers, contexts: &[u32], part: DocumentPart) {
        let mut joined = Vec::with_capacity(other.records.len());
        self.n_left_out += other.n_left_out;
        for (record, place) in other.records.iter().zip(other.records.places()) {
            let context = contexts[record.context as usize];
            let (number, is_kept) = (self.records.len() as u32, context != LEFT_OUT);
            let is_joined = is_kept && self.join_record(other, &record, numbers, (context, part.place(place)));
            self.n_left_out += u64::from(is_kept && !is_joined);
            joined.push(if is_joined { number } else { NO_RECORD });
        }
        let note = |note: &RecordNote| RecordNote { of: joined[note.of as usize], ..note.clone() };
        self.notes.extend(other.notes.iter().map(note).filter(|note| note.of != NO_RECORD));
        self.unread.extend(other.unread.iter().map(|(line, message)| (line + part.first_line, message.clone())));
    }

    fn join_record(
        &mut self,
        other: &SpanRecords,
        record: &SpanRecord,
        numbers: &JoinedNumbers,
        (context, place): (u32, SourcePlace),
    ) -> bool {
        let at = u32::try_from(self.bodies.len()).ok().filter(|_| self.records.len() < Row::MOST_SPANS);
        let Some(at) = at else { return false };
        let (trace, name) = (numbers.trace(&other.traces, record.trace), numbers.text(record.name));
        let mut joined = SpanRecord { trace, name, context, at, ..*record };
        let id = |id: SpanId| if let SpanId::Text(number) = id { SpanId::Text(numbers.text(number)) } else { id };
        joined.set_id(id(record.id()));
        joined.set_parent(id(record.parent()));
        self.records.push(&joined, place);
        BodyCopy { from: other, to: &mut self.bodies, numbers }.copy(record);
        true
    }
}

/// Copies bodies to records with other numbers.
struct BodyCopy<'r> {
    from: &'r SpanRecords,
    to: &'r mut Vec<u8>,
    numbers: &'r JoinedNumbers,
}

impl BodyCopy<'_> {
    fn copy(&mut self, record: &SpanRecord) {
        let body = self.from.body(record);
        self.attributes(body.attributes);
        let text = |number: u32| self.numbers.text(number);
        self.push_if(record.has & HAS_MESSAGE, text(body.message));
        self.push_if(record.has & HAS_STATE, text(body.state));
        self.push_if(record.has & HAS_LOST, body.lost);
        self.push_if(record.has & HAS_SCOPE, text(body.scope));
        self.push_if(record.has & HAS_SCOPE, text(body.version));
        body.tool.into_iter().for_each(|tool| self.attributes(tool));
        self.push_if(record.has & HAS_EVENTS, body.n_events);
        self.push_if(record.has & HAS_LINKS, body.n_links);
        for (is_link, part) in self.from.parts(&body) {
            let number = match part.id_kind {
                2 => u64::from(self.numbers.text(part.number as u32)),
                _ => part.number,
            };
            let name = match is_link {
                true => self.numbers.trace(&self.from.traces, part.name),
                false => self.numbers.text(part.name),
            };
            push_part(self.to, name, number, part.id_kind);
            self.attributes(part.attributes);
        }
    }

    fn push_if(&mut self, has: u16, number: u32) {
        if has > 0 {
            varint::push(self.to, number);
        }
    }

    fn attributes(&mut self, attributes: Attributes<'_>) {
        varint::push(self.to, self.numbers.lists[attributes.keys as usize]);
        attributes.values().for_each(|value| varint::push(self.to, self.numbers.text(value)));
    }
}
