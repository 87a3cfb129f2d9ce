//! Records of spans, packed: texts, traces and lists of keys are numbered; the numbers that only some records have, and
//! those of values, stand in the body of a record, a sequence of small numbers.

use std::borrow::Cow;

use super::document::OtherSignals;
use super::ids::SpanId;
use super::key_lists::KeyLists;
use super::record_table::{RecordShape, RecordTable};
use super::trace_ids::{TraceId, TraceIds};
use super::values::SpanValue;
use crate::term::hash::HashMap;
use crate::trace::DictionaryBuilder;

/// No time.
pub(crate) const NO_TIME: i64 = i64::MIN;

/// Texts with the same number in all records.
pub(super) const KNOWN: &[&str] = &[
    "",
    "gen_ai.operation.name",
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "gen_ai.tool.call.result",
    "tool_response",
    "aexecute_tool",
    "service.name",
];

/// The number of the empty text, and of a value that is absent.
pub(crate) const NO_TEXT: u32 = 0;
/// The key with the kind of a step of an agent.
pub(super) const OPERATION: u32 = 1;
/// The keys that may have the arguments of a tool, in the order in which they count.
pub(super) const TOOL_ARGUMENTS: [u32; 2] = [2, 3];
/// The keys that may have the result of a tool, in the order in which they count.
pub(super) const TOOL_RESULTS: [u32; 2] = [4, 5];
/// The value of the operation that calls a tool.
pub(super) const EXECUTE_TOOL: u32 = 6;
/// The key that says the service.
pub(crate) const SERVICE_NAME: u32 = 7;

/// How records with the same id become spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Equal records are one, drafts are replaced, of others the one with the later end counts.
    #[default]
    Repeated,
    /// Records are parts of a span, which are put together.
    Parts,
}

/// A record of a span. Numbers of texts, traces and contexts are those of the [`SpanRecords`] that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanRecord {
    pub(super) id: u64,
    pub(super) parent: u64,
    pub(super) start: i64,
    /// The end, or a duration: see [`HAS_DURATION`].
    pub(super) end: i64,
    pub(super) trace: u32,
    pub(super) name: u32,
    pub(super) context: u32,
    /// Where its body begins, with the attributes.
    pub(super) at: u32,
    /// Number in `KINDS`.
    pub(super) kind: u8,
    /// Number in `STATUSES`.
    pub(super) status: u8,
    /// What it has, as below.
    pub(super) has: u16,
}

/// The parts of the body after the attributes, in this order.
pub(super) const HAS_MESSAGE: u16 = 1;
pub(super) const HAS_STATE: u16 = 1 << 1;
pub(super) const HAS_LOST: u16 = 1 << 2;
pub(super) const HAS_SCOPE: u16 = 1 << 13;
pub(super) const HAS_TOOL: u16 = 1 << 3;
pub(super) const HAS_EVENTS: u16 = 1 << 4;
pub(super) const HAS_LINKS: u16 = 1 << 5;
/// What a record is.
pub(super) const IS_SHARED: u16 = 1 << 6;
pub(super) const IS_REMOTE: u16 = 1 << 7;
pub(super) const IS_LOCAL: u16 = 1 << 8;
pub(super) const ID_HEX: u16 = 1 << 9;
pub(super) const ID_TEXT: u16 = 1 << 10;
const PARENT_HEX: u16 = 1 << 11;
const PARENT_TEXT: u16 = 1 << 12;
/// The end is a duration in microseconds, until the parts of its span are put together.
pub(super) const HAS_DURATION: u16 = 1 << 14;

/// The number of kinds.
pub(crate) const N_KINDS: u8 = KINDS.len() as u8;
/// The number of statuses.
pub(crate) const N_STATUSES: u8 = STATUSES.len() as u8;
/// Names of kinds, by their numbers.
pub(super) const KINDS: &[&str] = &["", "internal", "server", "client", "producer", "consumer"];
pub(super) const SERVER: u8 = 2;
pub(super) const CLIENT: u8 = 3;
/// Names of statuses, by their numbers.
pub(super) const STATUSES: &[&str] = &["unset", "ok", "error"];
pub(super) const ERROR: u8 = 2;

impl SpanRecord {
    pub(super) fn id(&self) -> SpanId {
        unpacked(self.id, self.has & ID_HEX > 0, self.has & ID_TEXT > 0)
    }

    pub(super) fn parent(&self) -> SpanId {
        unpacked(self.parent, self.has & PARENT_HEX > 0, self.has & PARENT_TEXT > 0)
    }

    pub(super) fn set_id(&mut self, id: SpanId) {
        self.has &= !(ID_HEX | ID_TEXT);
        (self.id, self.has) = packed(id, self.has, ID_HEX, ID_TEXT);
    }

    pub(super) fn set_parent(&mut self, parent: SpanId) {
        self.has &= !(PARENT_HEX | PARENT_TEXT);
        (self.parent, self.has) = packed(parent, self.has, PARENT_HEX, PARENT_TEXT);
    }

    /// What it has in common with others.
    #[inline]
    pub(super) fn shape(&self) -> RecordShape {
        let SpanRecord { name, context, kind, status, has, .. } = *self;
        RecordShape { name, context, kind, status, has }
    }

    pub(super) fn is_shared(&self) -> bool {
        self.has & IS_SHARED > 0
    }

    /// The start, if it is known.
    pub(super) fn start(&self) -> Option<i64> {
        Some(self.start).filter(|time| *time != NO_TIME)
    }

    /// The end, if it is known.
    pub(super) fn end(&self) -> Option<i64> {
        Some(self.end).filter(|time| *time != NO_TIME)
    }
}

pub(super) fn unpacked(number: u64, is_hex: bool, is_text: bool) -> SpanId {
    match (is_hex, is_text) {
        (true, _) => SpanId::Hex(number),
        (_, true) => SpanId::Text(number as u32),
        _ => SpanId::None,
    }
}

fn packed(id: SpanId, has: u16, hex: u16, text: u16) -> (u64, u16) {
    match id {
        SpanId::None => (0, has),
        SpanId::Hex(number) => (number, has | hex),
        SpanId::Text(number) => (u64::from(number), has | text),
    }
}

/// What spans share: the resource or process, and the scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SpanContext {
    pub(crate) service: u32,
    pub(crate) scope: u32,
    pub(crate) version: u32,
    /// Keys and values.
    pub(crate) resource: Vec<(u32, u32)>,
    pub(crate) of_scope: Vec<(u32, u32)>,
}

/// Something noted about a record or a context while it was read.
#[derive(Clone, Debug)]
pub(crate) struct RecordNote {
    /// Number of the record or context.
    pub(crate) of: u32,
    pub(crate) rule: &'static str,
    pub(crate) message: Box<str>,
}

/// How much was read at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordsMark {
    n_records: usize,
    n_bytes: usize,
    n_notes: usize,
    n_context_notes: usize,
}

/// Records of spans.
pub(crate) struct SpanRecords {
    pub(super) texts: DictionaryBuilder,
    pub(super) traces: TraceIds,
    pub(super) lists: KeyLists,
    pub(super) contexts: Vec<SpanContext>,
    pub(super) records: RecordTable,
    /// The bodies of records.
    pub(super) bodies: Vec<u8>,
    pub(super) notes: Vec<RecordNote>,
    pub(super) context_notes: Vec<RecordNote>,
    /// What could not be read, with the line.
    pub(crate) unread: Vec<(u64, String)>,
    /// What of the last file is another signal.
    pub(crate) other_signals: OtherSignals,
    /// The contexts that were open when records were joined.
    pub(super) opened: Vec<u32>,
    /// How many of the unread parts are named after their file.
    n_unread_named: usize,
    /// The number of records that found no room.
    pub(super) n_left_out: u64,
    known_contexts: HashMap<SpanContext, u32>,
    pub(super) keys: Vec<u32>,
    /// By the numbers of texts.
    likely: Vec<LikelyPair>,
    scratch: String,
}

/// What is known of a text that is a key or the name of a service.
#[derive(Clone, Copy, Debug, Default)]
struct LikelyPair {
    /// The key that stood after it the last time.
    next: u32,
    /// The value that it had the last time.
    value: u32,
    /// The number of the context of the service that has nothing else, from 1.
    context: u32,
}

impl Default for SpanRecords {
    fn default() -> SpanRecords {
        let mut texts = DictionaryBuilder::default();
        for known in KNOWN {
            texts.intern(known);
        }
        SpanRecords {
            texts,
            traces: TraceIds::default(),
            lists: KeyLists::default(),
            contexts: Vec::new(),
            records: RecordTable::default(),
            bodies: Vec::new(),
            notes: Vec::new(),
            context_notes: Vec::new(),
            unread: Vec::new(),
            other_signals: OtherSignals::default(),
            opened: Vec::new(),
            n_unread_named: 0,
            n_left_out: 0,
            known_contexts: HashMap::default(),
            keys: Vec::new(),
            likely: Vec::new(),
            scratch: String::new(),
        }
    }
}

impl SpanRecords {
    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// How much there is, so that what follows can be removed.
    pub(crate) fn mark(&self) -> RecordsMark {
        RecordsMark {
            n_records: self.records.len(),
            n_bytes: self.bodies.len(),
            n_notes: self.notes.len(),
            n_context_notes: self.context_notes.len(),
        }
    }

    /// Removes all records after a mark.
    pub(crate) fn reset(&mut self, mark: &RecordsMark) {
        self.records.truncate(mark.n_records);
        self.bodies.truncate(mark.n_bytes);
        self.notes.truncate(mark.n_notes);
        self.context_notes.truncate(mark.n_context_notes);
    }

    /// The number of a text.
    #[inline]
    pub(crate) fn text(&mut self, text: &str) -> u32 {
        self.texts.intern(text)
    }

    /// The text with a number.
    pub(crate) fn text_of(&self, number: u32) -> &str {
        self.texts.at(number)
    }

    /// The text of the trace with a number.
    pub(super) fn trace_text(&self, number: u32) -> Cow<'_, str> {
        match self.traces.id(number) {
            TraceId::None => Cow::Borrowed(""),
            TraceId::Hex(id) => Cow::Owned(self.traces.written(id)),
            TraceId::Text(text) => Cow::Borrowed(self.text_of(text)),
        }
    }

    /// The number of a value.
    #[inline]
    pub(crate) fn value(&mut self, value: SpanValue<'_>) -> u32 {
        let mut scratch = std::mem::take(&mut self.scratch);
        value.write_stored(&mut scratch);
        let number = self.texts.intern(&scratch);
        self.scratch = scratch;
        number
    }

    /// The number of a key that stands after another one, or first, after [`NO_TEXT`]: mostly the one that stood there the last
    /// time.
    #[inline]
    pub(crate) fn key_after(&mut self, before: u32, key: &str) -> u32 {
        let likely = self.likely.get(before as usize).map_or(NO_TEXT, |likely| likely.next);
        if self.texts.at(likely) == key {
            return likely;
        }
        let number = self.texts.intern(key);
        self.likely_pair(before).next = number;
        number
    }

    /// The number of the value of a key: often the one that it had the last time.
    #[inline]
    pub(crate) fn value_of(&mut self, key: u32, value: SpanValue<'_>) -> u32 {
        let likely = self.likely.get(key as usize).map_or(NO_TEXT, |likely| likely.value);
        if value.is_stored_as(self.texts.at(likely)) {
            return likely;
        }
        let number = self.value(value);
        self.likely_pair(key).value = number;
        number
    }

    /// The value that a key had the last time, if it was this text.
    #[inline]
    pub(crate) fn likely_text(&self, key: u32, text: &[u8]) -> Option<u32> {
        let likely = self.likely.get(key as usize)?.value;
        let is_same = self.texts.at(likely).as_bytes().strip_prefix(b"a") == Some(text);
        is_same.then_some(likely)
    }

    fn likely_pair(&mut self, key: u32) -> &mut LikelyPair {
        let key = key as usize;
        if self.likely.len() <= key {
            self.likely.resize(key + 1, LikelyPair::default());
        }
        &mut self.likely[key]
    }

    /// The number of a new context, to be filled before the records are finished.
    pub(crate) fn new_context(&mut self) -> u32 {
        self.contexts.push(SpanContext::default());
        self.contexts.len() as u32 - 1
    }

    /// The context with a number.
    pub(crate) fn context(&mut self, context: u32) -> &mut SpanContext {
        &mut self.contexts[context as usize]
    }

    /// The service that a resource names.
    pub(crate) fn service(&mut self, resource: &[(u32, u32)]) -> u32 {
        let text = |(key, value): &(u32, u32)| {
            let name = self.text_of(*value).strip_prefix('a').filter(|_| *key == SERVICE_NAME);
            name.filter(|name| !name.is_empty()).map(str::to_owned)
        };
        let name = resource.iter().find_map(text);
        name.map_or(NO_TEXT, |name| self.text(&name))
    }

    /// Whether the attribute with a key may be the arguments of a tool.
    pub(crate) fn may_be_arguments(key: u32) -> bool {
        TOOL_ARGUMENTS.contains(&key)
    }

    /// Names the file in what was noted since the last one; lines of the next one are counted from 1 again.
    pub(crate) fn end_file(&mut self, name: &str) {
        for (_, message) in &mut self.unread[self.n_unread_named..] {
            *message = format!("{name}: {message}");
        }
        self.n_unread_named = self.unread.len();
    }

    /// Notes something about a record.
    pub(super) fn note(&mut self, record: u32, rule: &'static str, message: String) {
        self.notes.push(RecordNote { of: record, rule, message: message.into() });
    }

    /// The number of a context; equal ones have one number.
    pub(crate) fn known_context(&mut self, context: SpanContext) -> u32 {
        if let Some(known) = self.known_contexts.get(&context) {
            return *known;
        }
        let number = self.contexts.len() as u32;
        self.contexts.push(context.clone());
        self.known_contexts.insert(context, number);
        number
    }

    /// The number of the context that has a service and nothing else.
    pub(crate) fn context_of_service(&mut self, service: u32) -> u32 {
        if let Some(known) = self.likely.get(service as usize).and_then(|likely| likely.context.checked_sub(1)) {
            return known;
        }
        let context = self.known_context(SpanContext { service, ..SpanContext::default() });
        self.likely_pair(service).context = context + 1;
        context
    }

    /// Gives back the memory that only adding records needs.
    pub(super) fn shrink(&mut self) {
        self.texts.forget_slots();
        self.traces.shrink();
        self.lists.shrink();
        (self.known_contexts, self.likely) = (HashMap::default(), Vec::new());
        self.records.shrink();
        self.bodies.shrink_to_fit();
    }

    /// Forgets what was noted.
    pub(super) fn forget_notes(&mut self) {
        (self.notes, self.context_notes) = (Vec::new(), Vec::new());
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let context = |context: &SpanContext| (context.resource.len() + context.of_scope.len()) * 8;
        self.texts.bytes()
            + self.traces.bytes()
            + self.lists.bytes()
            + self.contexts.iter().map(context).sum::<usize>()
            + self.records.bytes()
            + self.bodies.capacity()
    }
}
