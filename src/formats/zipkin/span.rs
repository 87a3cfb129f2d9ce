//! A span of Zipkin: from an object to a record.

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    IdUse, NO_TEXT, NO_TIME, Pairs, SpanDraft, SpanRecords, SpanValue, annotation, any_size_id, any_size_trace,
    kind_named, number_of_json, written,
};

/// Reads a span, and adds it to the records; an object without ids of its trace and its own is left out.
pub(crate) fn read(text: &str, records: &mut SpanRecords, draft: &mut SpanDraft) -> Result<(), JsonError> {
    let mut reader = SpanReader { records, draft };
    let fields = reader.fields(text)?;
    if fields.has_ids == [true, true] {
        reader.close(&fields);
        reader.records.add(reader.draft);
    }
    Ok(())
}

/// Fields that are read when all are known, as the last one of a name counts.
#[derive(Default)]
struct ZipkinFields<'t> {
    trace: Json<'t>,
    id: Json<'t>,
    parent: Json<'t>,
    kind: Json<'t>,
    start: Json<'t>,
    duration: Json<'t>,
    debug: Json<'t>,
    local: Endpoint<'t>,
    remote: Endpoint<'t>,
    annotations: Json<'t>,
    /// Whether there are the keys of the ids of its trace and its own.
    has_ids: [bool; 2],
}

/// The parts of an endpoint: its service, and others.
type Endpoint<'t> = [Json<'t>; 4];

/// The keys of the parts of an endpoint.
const ENDPOINT: [&str; 4] = ["serviceName", "ipv4", "ipv6", "port"];
/// The keys of the parts of the local endpoint, but for its service.
const LOCAL: [&str; 3] = ["localEndpoint.ipv4", "localEndpoint.ipv6", "localEndpoint.port"];
/// The keys of the parts of the remote endpoint.
const REMOTE: [&str; 4] =
    ["remoteEndpoint.serviceName", "remoteEndpoint.ipv4", "remoteEndpoint.ipv6", "remoteEndpoint.port"];

/// Adds a tag, unless there is one with this key.
fn add_tag(tags: &mut Pairs, key: u32, value: u32) {
    if tags.iter().all(|(known, _)| *known != key) {
        tags.push((key, value));
    }
}

/// Reads an endpoint; what is no object has no parts.
fn read_endpoint<'t>(scanner: &mut JsonScanner<'t>, parts: &mut Endpoint<'t>) -> Result<(), JsonError> {
    *parts = Endpoint::default();
    if !scanner.enters(JsonKind::Object)? {
        return Ok(());
    }
    while let Some(key) = scanner.next_key()? {
        match ENDPOINT.iter().position(|known| *known == key) {
            Some(part) => parts[part] = scanner.value()?,
            None => scanner.skip()?,
        }
    }
    Ok(())
}

struct SpanReader<'r> {
    records: &'r mut SpanRecords,
    draft: &'r mut SpanDraft,
}

impl SpanReader<'_> {
    fn fields<'t>(&mut self, text: &'t str) -> Result<ZipkinFields<'t>, JsonError> {
        let (mut fields, mut scanner) = (ZipkinFields::default(), JsonScanner::new(text));
        scanner.begin_object()?;
        while let Some(key) = scanner.next_key()? {
            match &*key {
                "traceId" => (fields.trace, fields.has_ids[0]) = (scanner.value()?, true),
                "id" => (fields.id, fields.has_ids[1]) = (scanner.value()?, true),
                "parentId" => fields.parent = scanner.value()?,
                "kind" => fields.kind = scanner.value()?,
                "name" => self.draft.name = self.records.written(&scanner.value()?),
                "timestamp" => fields.start = scanner.value()?,
                "duration" => fields.duration = scanner.value()?,
                "localEndpoint" => read_endpoint(&mut scanner, &mut fields.local)?,
                "remoteEndpoint" => read_endpoint(&mut scanner, &mut fields.remote)?,
                "annotations" => fields.annotations = scanner.value()?,
                "tags" => self.read_tags(&mut scanner)?,
                "debug" => fields.debug = scanner.value()?,
                "shared" => self.draft.is_shared = matches!(scanner.value()?, Json::Bool(true)),
                _ => scanner.skip()?,
            }
        }
        scanner.end()?;
        Ok(fields)
    }

    fn read_tags(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        self.draft.attributes.clear();
        if !scanner.enters(JsonKind::Object)? {
            return Ok(());
        }
        let mut key = NO_TEXT;
        while let Some(next) = scanner.next_key()? {
            key = self.records.key_after(key, &next);
            let value = number_of_json(self.records, key, &scanner.value()?);
            self.draft.attributes.push((key, value));
        }
        Ok(())
    }

    fn close(&mut self, fields: &ZipkinFields<'_>) {
        self.draft.trace = any_size_trace(self.records, self.draft, &fields.trace, ("trace id", IdUse::Needed));
        self.draft.id = any_size_id(self.records, self.draft, &fields.id, ("span id", IdUse::Needed));
        self.draft.parent = any_size_id(self.records, self.draft, &fields.parent, ("parent id", IdUse::Optional));
        self.draft.start = self.draft.json_time(&fields.start, 1000, "start");
        self.kind(&fields.kind);
        self.duration(&fields.duration);
        let mut tags = std::mem::take(&mut self.draft.attributes);
        SpanDraft::leave_last_of_each(&mut tags);
        self.service(&fields.local, &tags);
        for (key, value) in LOCAL.iter().zip(&fields.local[1..]).chain(REMOTE.iter().zip(&fields.remote)) {
            if !matches!(value, Json::Null) {
                let key = self.records.text(key);
                let value = number_of_json(self.records, key, value);
                add_tag(&mut tags, key, value);
            }
        }
        if matches!(fields.debug, Json::Bool(true)) {
            let value = self.records.value(SpanValue::Bool(true));
            add_tag(&mut tags, self.records.text("debug"), value);
        }
        self.draft.attributes = tags;
        self.annotations(&fields.annotations);
    }

    fn kind(&mut self, kind: &Json<'_>) {
        let known = if let Json::Text(name) = kind { kind_named(name).filter(|kind| *kind > 1) } else { None };
        if known.is_none() && !matches!(kind, Json::Null) {
            self.draft.misfit("kind", written(kind));
        }
        self.draft.kind = known.unwrap_or(0);
    }

    fn duration(&mut self, duration: &Json<'_>) {
        let known = duration.integer().filter(|duration| *duration != NO_TIME);
        if known.is_none() && !matches!(duration, Json::Null) {
            self.draft.misfit("duration", written(duration));
        }
        (self.draft.end, self.draft.has_duration) = (known.unwrap_or(NO_TIME), true);
    }

    /// The service of the local endpoint, or that of a tag, as some reporters do not know theirs.
    fn service(&mut self, local: &[Json<'_>; 4], tags: &Pairs) {
        let mut service = self.records.written(&local[0]);
        let is_unknown = service == NO_TEXT || self.records.text_of(service).starts_with("unknown_service");
        if is_unknown {
            let named = self.records.service(tags);
            service = if named == NO_TEXT { service } else { named };
        }
        self.draft.context = self.records.context_of_service(service);
    }

    fn annotations(&mut self, annotations: &Json<'_>) {
        let Json::Nested(text) = annotations else { return };
        let mut scanner = JsonScanner::new(text);
        // the text was read as a value before
        let _ = self.read_annotations(&mut scanner);
    }

    fn read_annotations(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        if !scanner.enters(JsonKind::Array)? {
            return Ok(());
        }
        while scanner.next_object()? {
            let (mut time, mut value) = (Json::Null, Json::Null);
            while let Some(key) = scanner.next_key()? {
                match &*key {
                    "timestamp" => time = scanner.value()?,
                    "value" => value = scanner.value()?,
                    _ => scanner.skip()?,
                }
            }
            let time = self.draft.json_time(&time, 1000, "time of an annotation");
            let (name, attributes) = annotation(self.records, written(&value));
            self.draft.event(self.records, time, name, attributes);
        }
        Ok(())
    }
}
