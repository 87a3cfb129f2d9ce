//! Spans in JSON: from objects to records.

use super::json_values::attributes;
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    IdUse, NO_TEXT, NO_TIME, Pairs, SpanDraft, SpanId, SpanRecords, count, of_fixed_size, written,
};

/// Reads a span, and adds it to the records; what is no object is left out.
pub(crate) fn span(text: &str, records: &mut SpanRecords, draft: &mut SpanDraft) -> Result<(), JsonError> {
    let mut reader = SpanReader { scanner: JsonScanner::new(text), records, draft };
    if !reader.scanner.enters(JsonKind::Object)? {
        return Ok(());
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
    if !scanner.enters(JsonKind::Object)? {
        return Ok((pairs, names));
    }
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
}

/// Fields that are read when all are known, as the last one of a name counts.
#[derive(Default)]
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

impl<'t> SpanReader<'_, 't> {
    fn fields(&mut self) -> Result<SpanFields<'t>, JsonError> {
        let mut fields = SpanFields::default();
        while let Some(key) = self.scanner.next_key()? {
            // in the spelling of JSON, and in that of protobuf's texts
            match &*key {
                "traceId" | "trace_id" => fields.trace = self.scanner.value()?,
                "spanId" | "span_id" => fields.span = self.scanner.value()?,
                "parentSpanId" | "parent_span_id" => fields.parent = self.scanner.value()?,
                "name" => self.draft.name = self.records.written(&self.scanner.value()?),
                "kind" => fields.kind = self.scanner.value()?,
                "startTimeUnixNano" | "start_time_unix_nano" => fields.start = self.scanner.value()?,
                "endTimeUnixNano" | "end_time_unix_nano" => fields.end = self.scanner.value()?,
                "attributes" => self.attributes()?,
                "events" => self.events()?,
                "links" => self.links()?,
                "status" => self.status(&mut fields)?,
                "traceState" | "trace_state" => self.draft.state = self.records.written(&self.scanner.value()?),
                "flags" => fields.flags = self.scanner.value()?,
                "droppedAttributesCount" | "dropped_attributes_count" => fields.dropped[0] = self.count()?,
                "droppedEventsCount" | "dropped_events_count" => fields.dropped[1] = self.count()?,
                "droppedLinksCount" | "dropped_links_count" => fields.dropped[2] = self.count()?,
                _ => self.scanner.skip()?,
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

    fn events(&mut self) -> Result<(), JsonError> {
        self.draft.clear_events();
        if !self.scanner.enters(JsonKind::Array)? {
            return Ok(());
        }
        while self.scanner.next_object()? {
            self.event()?;
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
        if !self.scanner.enters(JsonKind::Array)? {
            return Ok(());
        }
        while self.scanner.next_object()? {
            self.link()?;
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
        if !self.scanner.enters(JsonKind::Object)? {
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
