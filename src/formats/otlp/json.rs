//! Spans in JSON: from objects to records.

use super::json_values::attributes;
use crate::formats::json::key_order::{KeyOrder, KeyPlace, KnownKeys};
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    IdUse, NO_TEXT, NO_TIME, Pairs, SpanDraft, SpanId, SpanRecords, count, of_fixed_size, written,
};

/// Reads a span, and adds it to the records; what is no object is left out.
pub(crate) fn span(
    text: &str,
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
    [of_span, _]: &mut [KeyOrder; 2],
) -> Result<(), JsonError> {
    let mut reader = SpanReader { scanner: JsonScanner::new(text), records, draft, of_span };
    if reader.scanner.kind()? != JsonKind::Object {
        return reader.scanner.skip();
    }
    let fields = reader.fields()?;
    reader.scanner.end()?;
    reader.close(&fields);
    reader.records.add(reader.draft);
    Ok(())
}

/// The attributes of an object that has them: of a resource, or of a scope with its name and version.
pub(crate) fn described(
    text: &str,
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
) -> Result<(Pairs, [u32; 2]), JsonError> {
    let (mut scanner, mut pairs, mut names) = (JsonScanner::new(text), Pairs::new(), [NO_TEXT; 2]);
    if scanner.kind()? != JsonKind::Object {
        return Ok((pairs, names));
    }
    scanner.begin_object()?;
    while let Some(key) = scanner.next_key()? {
        match &*key {
            "attributes" => attributes(&mut scanner, records, draft, None, &mut pairs)?,
            "name" => names[0] = records.written(&scanner.value()?),
            "version" => names[1] = records.written(&scanner.value()?),
            _ => scanner.skip()?,
        }
    }
    Ok((pairs, names))
}

struct SpanReader<'r, 't> {
    scanner: JsonScanner<'t>,
    records: &'r mut SpanRecords,
    draft: &'r mut SpanDraft,
    of_span: &'r mut KeyOrder,
}

/// A key of a span.
#[derive(Clone, Copy)]
enum SpanKey {
    Trace,
    Span,
    Parent,
    Name,
    Kind,
    Start,
    End,
    Attributes,
    Events,
    Links,
    Status,
    State,
    Flags,
    LostAttributes,
    LostEvents,
    LostLinks,
}

/// In the spelling of JSON, and in that of protobuf's texts.
const KEYS: &KnownKeys<SpanKey> = &[
    ("traceId", SpanKey::Trace),
    ("trace_id", SpanKey::Trace),
    ("spanId", SpanKey::Span),
    ("span_id", SpanKey::Span),
    ("parentSpanId", SpanKey::Parent),
    ("parent_span_id", SpanKey::Parent),
    ("name", SpanKey::Name),
    ("kind", SpanKey::Kind),
    ("startTimeUnixNano", SpanKey::Start),
    ("start_time_unix_nano", SpanKey::Start),
    ("endTimeUnixNano", SpanKey::End),
    ("end_time_unix_nano", SpanKey::End),
    ("attributes", SpanKey::Attributes),
    ("events", SpanKey::Events),
    ("links", SpanKey::Links),
    ("status", SpanKey::Status),
    ("traceState", SpanKey::State),
    ("trace_state", SpanKey::State),
    ("flags", SpanKey::Flags),
    ("droppedAttributesCount", SpanKey::LostAttributes),
    ("dropped_attributes_count", SpanKey::LostAttributes),
    ("droppedEventsCount", SpanKey::LostEvents),
    ("dropped_events_count", SpanKey::LostEvents),
    ("droppedLinksCount", SpanKey::LostLinks),
    ("dropped_links_count", SpanKey::LostLinks),
];

/// Fields that are read when all are known, as the last one of a name counts.
struct SpanFields<'t> {
    trace: Json<'t>,
    span: Json<'t>,
    parent: Json<'t>,
    kind: Json<'t>,
    start: Json<'t>,
    end: Json<'t>,
    code: Json<'t>,
    flags: Json<'t>,
    dropped: [u64; 3],
}

impl Default for SpanFields<'_> {
    fn default() -> Self {
        let [trace, span, parent, kind] = [Json::Null, Json::Null, Json::Null, Json::Null];
        let [start, end, code, flags] = [Json::Null, Json::Null, Json::Null, Json::Null];
        SpanFields { trace, span, parent, kind, start, end, code, flags, dropped: [0; 3] }
    }
}

impl<'t> SpanReader<'_, 't> {
    fn fields(&mut self) -> Result<SpanFields<'t>, JsonError> {
        let mut fields = SpanFields::default();
        self.scanner.begin_object()?;
        let mut place = KeyPlace::default();
        while let Some(key) = self.of_span.next(&mut place, KEYS, &mut self.scanner)? {
            match key {
                Some(SpanKey::Trace) => fields.trace = self.scanner.value()?,
                Some(SpanKey::Span) => fields.span = self.scanner.value()?,
                Some(SpanKey::Parent) => fields.parent = self.scanner.value()?,
                Some(SpanKey::Name) => self.draft.name = self.records.written(&self.scanner.value()?),
                Some(SpanKey::Kind) => fields.kind = self.scanner.value()?,
                Some(SpanKey::Start) => fields.start = self.scanner.value()?,
                Some(SpanKey::End) => fields.end = self.scanner.value()?,
                Some(SpanKey::Attributes) => self.attributes()?,
                Some(SpanKey::Events) => self.events()?,
                Some(SpanKey::Links) => self.links()?,
                Some(SpanKey::Status) => self.status(&mut fields)?,
                Some(SpanKey::State) => self.draft.state = self.records.written(&self.scanner.value()?),
                Some(SpanKey::Flags) => fields.flags = self.scanner.value()?,
                Some(SpanKey::LostAttributes) => fields.dropped[0] = self.count()?,
                Some(SpanKey::LostEvents) => fields.dropped[1] = self.count()?,
                Some(SpanKey::LostLinks) => fields.dropped[2] = self.count()?,
                None => self.scanner.skip()?,
            }
        }
        Ok(fields)
    }

    /// Reads the fields of which the last one counts.
    fn close(&mut self, fields: &SpanFields<'t>) {
        self.draft.trace = self.trace_id(&fields.trace, "trace id");
        self.draft.id = self.span_id(&fields.span, ("span id", IdUse::Needed));
        self.draft.parent = self.span_id(&fields.parent, ("parent id", IdUse::Optional));
        self.draft.kind = self.draft.json_kind(&fields.kind);
        self.draft.start = self.draft.json_time(&fields.start, 1, "start");
        self.draft.end = self.draft.json_time(&fields.end, 1, "end");
        self.draft.status = self.draft.json_status(&fields.code);
        self.draft.set_flags(count(&fields.flags));
        fields.dropped.into_iter().for_each(|count| self.draft.add_lost(count));
    }

    fn count(&mut self) -> Result<u64, JsonError> {
        Ok(count(&self.scanner.value()?))
    }

    fn attributes(&mut self) -> Result<(), JsonError> {
        let (mut pairs, mut maps) = (std::mem::take(&mut self.draft.attributes), std::mem::take(&mut self.draft.maps));
        let read = attributes(&mut self.scanner, self.records, self.draft, Some(&mut maps), &mut pairs);
        (self.draft.attributes, self.draft.maps) = (pairs, maps);
        read
    }

    /// Whether the scanner entered a container of that kind; another value is skipped.
    fn enters(&mut self, kind: JsonKind) -> Result<bool, JsonError> {
        match self.scanner.kind()? {
            found if found != kind => self.scanner.skip().map(|()| false),
            JsonKind::Array => self.scanner.begin_array().map(|()| true),
            _ => self.scanner.begin_object().map(|()| true),
        }
    }

    fn events(&mut self) -> Result<(), JsonError> {
        self.draft.clear_events();
        if !self.enters(JsonKind::Array)? {
            return Ok(());
        }
        while self.scanner.next_element()? {
            if self.enters(JsonKind::Object)? {
                self.event()?;
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<(), JsonError> {
        let (mut time, mut name, mut pairs) = (NO_TIME, NO_TEXT, Pairs::new());
        while let Some(key) = self.scanner.next_key()? {
            match &*key {
                "timeUnixNano" | "time_unix_nano" => {
                    time = self.draft.json_time(&self.scanner.value()?, 1, "time of an event");
                }
                "name" => name = self.records.written(&self.scanner.value()?),
                "attributes" => attributes(&mut self.scanner, self.records, self.draft, None, &mut pairs)?,
                "droppedAttributesCount" | "dropped_attributes_count" => {
                    let count = self.count()?;
                    self.draft.add_lost(count);
                }
                _ => self.scanner.skip()?,
            }
        }
        self.draft.event(self.records, time, name, pairs);
        Ok(())
    }

    fn links(&mut self) -> Result<(), JsonError> {
        self.draft.clear_links();
        if !self.enters(JsonKind::Array)? {
            return Ok(());
        }
        while self.scanner.next_element()? {
            if self.enters(JsonKind::Object)? {
                self.link()?;
            }
        }
        Ok(())
    }

    fn link(&mut self) -> Result<(), JsonError> {
        let (mut trace, mut span, mut pairs) = (Json::Null, Json::Null, Pairs::new());
        while let Some(key) = self.scanner.next_key()? {
            match &*key {
                "traceId" | "trace_id" => trace = self.scanner.value()?,
                "spanId" | "span_id" => span = self.scanner.value()?,
                "attributes" => attributes(&mut self.scanner, self.records, self.draft, None, &mut pairs)?,
                "droppedAttributesCount" | "dropped_attributes_count" => {
                    let count = self.count()?;
                    self.draft.add_lost(count);
                }
                _ => self.scanner.skip()?,
            }
        }
        let trace = self.trace_id(&trace, "trace id of a link");
        let span = self.span_id(&span, ("span id of a link", IdUse::Needed));
        self.draft.link(trace, span, pairs);
        Ok(())
    }

    fn status(&mut self, fields: &mut SpanFields<'t>) -> Result<(), JsonError> {
        (fields.code, self.draft.message) = (Json::Null, NO_TEXT);
        if !self.enters(JsonKind::Object)? {
            return Ok(());
        }
        while let Some(key) = self.scanner.next_key()? {
            match &*key {
                "code" => fields.code = self.scanner.value()?,
                "message" => self.draft.message = self.records.written(&self.scanner.value()?),
                _ => self.scanner.skip()?,
            }
        }
        Ok(())
    }

    fn trace_id(&mut self, id: &Json<'_>, what: &str) -> u32 {
        match id {
            Json::Null | Json::Text(_) => {
                let text = written(id);
                self.draft.trace_id(self.records, (text, of_fixed_size(text, 16)), 32, (what, IdUse::Needed))
            }
            _ => self.draft.no_text(what),
        }
    }

    fn span_id(&mut self, id: &Json<'_>, (what, needed): (&str, IdUse)) -> SpanId {
        match id {
            Json::Null | Json::Text(_) => {
                let text = written(id);
                self.draft.span_id(self.records, (text, of_fixed_size(text, 8)), (what, needed))
            }
            _ => {
                self.draft.no_text(what);
                SpanId::None
            }
        }
    }
}
