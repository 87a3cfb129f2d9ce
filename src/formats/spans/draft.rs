//! A record while it is read: what its reader knows so far, with its texts numbered already.

use super::bodies::id_words;
use super::ids::{IdUse, ReadId, SpanId};
use super::records::{NO_TEXT, NO_TIME, RecordNote, SpanRecords};
use super::trace_ids::TraceIds;
use crate::term::letters::excerpt;
use crate::trace::SourcePlace;

/// Keys with their values.
pub(crate) type Pairs = Vec<(u32, u32)>;

/// An event or link.
#[derive(Clone, Debug)]
pub(super) struct DraftPart {
    pub(super) name: u32,
    pub(super) number: u64,
    pub(super) id_kind: u32,
    pub(super) attributes: Pairs,
}

/// A record while it is read. Numbers are those of texts of the [`SpanRecords`] to which it is added.
#[derive(Clone, Debug)]
pub(crate) struct SpanDraft {
    pub(crate) trace: u32,
    pub(crate) id: SpanId,
    pub(crate) parent: SpanId,
    pub(crate) name: u32,
    pub(crate) start: i64,
    /// The end, or the duration in microseconds.
    pub(crate) end: i64,
    /// Whether there is a duration in place of the end.
    pub(crate) has_duration: bool,
    pub(crate) context: u32,
    /// Where it begins.
    pub(crate) place: SourcePlace,
    pub(crate) kind: u8,
    pub(crate) status: u8,
    pub(crate) message: u32,
    pub(crate) state: u32,
    /// The scope and its version, if they are not those of the context.
    pub(crate) scope: u32,
    pub(crate) version: u32,
    /// How many attributes, events and links were dropped.
    pub(crate) lost: u32,
    pub(crate) is_shared: bool,
    /// Whether the parent is in another process, if that is known.
    pub(crate) is_remote: Option<bool>,
    /// The attributes.
    pub(crate) attributes: Pairs,
    /// The pairs of those attributes that are maps and may be the arguments of a tool, each after its key.
    pub(crate) maps: Vec<(u32, Pairs)>,
    pub(super) events: Vec<DraftPart>,
    pub(super) links: Vec<DraftPart>,
    pub(super) notes: Vec<(&'static str, String)>,
}

impl Default for SpanDraft {
    fn default() -> SpanDraft {
        SpanDraft {
            trace: NO_TEXT,
            id: SpanId::None,
            parent: SpanId::None,
            name: NO_TEXT,
            start: NO_TIME,
            end: NO_TIME,
            has_duration: false,
            context: 0,
            place: SourcePlace::default(),
            kind: 0,
            status: 0,
            message: NO_TEXT,
            state: NO_TEXT,
            scope: NO_TEXT,
            version: NO_TEXT,
            lost: 0,
            is_shared: false,
            is_remote: None,
            attributes: Pairs::new(),
            maps: Vec::new(),
            events: Vec::new(),
            links: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl SpanDraft {
    /// Forgets everything but the memory.
    pub(crate) fn clear(&mut self) {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.clear();
        *self = SpanDraft { attributes, ..SpanDraft::default() };
    }

    /// Notes something about the record.
    pub(crate) fn note(&mut self, rule: &'static str, message: String) {
        self.notes.push((rule, message));
    }

    /// The notes of a draft that is no record: about what several records share.
    pub(crate) fn take_notes(&mut self) -> Vec<RecordNote> {
        let note = |(rule, message): (_, String)| RecordNote { of: 0, rule, message: message.into() };
        self.notes.drain(..).map(note).collect()
    }

    /// Notes a value that does not fit its field.
    pub(crate) fn misfit(&mut self, what: &str, value: &str) {
        self.note("S12", format!("{what} {}", excerpt(value)));
    }

    /// A time, given in a unit of so many nanoseconds; zero is no time.
    pub(crate) fn time(&mut self, value: i128, unit: i64, what: &str) -> i64 {
        match value.checked_mul(i128::from(unit)).map(i64::try_from) {
            Some(Ok(0)) => NO_TIME,
            Some(Ok(time)) if time > 0 => time,
            _ => {
                self.misfit(what, &value.to_string());
                NO_TIME
            }
        }
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, records: &mut SpanRecords, time: i64, name: u32, attributes: Pairs) {
        let name = if name == NO_TEXT { records.text("event") } else { name };
        self.push_event(time, name, attributes);
    }

    /// Adds an event that has a name.
    pub(super) fn push_event(&mut self, time: i64, name: u32, attributes: Pairs) {
        self.events.push(DraftPart { name, number: time as u64, id_kind: 0, attributes });
    }

    /// Adds a link.
    pub(crate) fn link(&mut self, trace: u32, id: SpanId, attributes: Pairs) {
        let (number, id_kind) = id_words(id);
        self.links.push(DraftPart { name: trace, number, id_kind, attributes });
    }

    /// Forgets the events.
    pub(crate) fn clear_events(&mut self) {
        self.events.clear();
    }

    /// Forgets the links.
    pub(crate) fn clear_links(&mut self) {
        self.links.clear();
    }

    /// The flags of OTLP: whether it is known that the parent is remote, and whether it is.
    pub(crate) fn set_flags(&mut self, flags: u64) {
        self.is_remote = (flags & 0x100 > 0).then_some(flags & 0x200 > 0);
    }

    /// Counts what was dropped.
    pub(crate) fn add_lost(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// The number of a trace id that was read from `text`. It is written with `digits` digits, or so many more as the
    /// number needs.
    pub(crate) fn trace_id(
        &mut self,
        records: &mut SpanRecords,
        (text, read): (&str, ReadId),
        digits: usize,
        (what, needed): (&str, IdUse),
    ) -> u32 {
        match read {
            ReadId::Number(number) => records.traces.number(number, digits),
            ReadId::None | ReadId::Bad if self.is_lacking(text, read, what, needed) => NO_TEXT,
            _ => TraceIds::of_text(records.text(text)),
        }
    }

    /// A span id that was read from `text`.
    pub(crate) fn span_id(
        &mut self,
        records: &mut SpanRecords,
        (text, read): (&str, ReadId),
        (what, needed): (&str, IdUse),
    ) -> SpanId {
        match read {
            ReadId::Number(number) => u64::try_from(number).map_or(SpanId::None, SpanId::Hex),
            ReadId::None | ReadId::Bad if self.is_lacking(text, read, what, needed) => SpanId::None,
            _ => SpanId::Text(records.text(text)),
        }
    }

    /// Whether there is no id; notes one that should be there, and one that is bad.
    fn is_lacking(&mut self, text: &str, read: ReadId, what: &str, needed: IdUse) -> bool {
        let is_lacking = text.is_empty() || read == ReadId::None;
        match (is_lacking, needed) {
            (true, IdUse::Optional) => {}
            (true, IdUse::Needed) if text.is_empty() => self.note("S7", format!("no {what}")),
            (true, IdUse::Needed) => self.note("S7", format!("{what} of zeros")),
            (false, _) => self.note("S7", format!("{what} {}", excerpt(text))),
        }
        is_lacking
    }
}
