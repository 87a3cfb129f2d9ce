//! A span of Zipkin: from an object to a record.

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    IdUse, NO_TEXT, NO_TIME, Pairs, SpanContext, SpanDraft, SpanRecords, SpanValue, annotation, any_size_id,
    any_size_trace, kind_named, number_of_json, written,
};

/// Reads a span, and adds it to the records; an object without ids of its trace and its own is left out.
pub(crate) fn read(text: &str, records: &mut SpanRecords, draft: &mut SpanDraft) -> Result<(), JsonError> {
    let mut reader = SpanReader { records, draft, tags: Pairs::new() };
    let fields = reader.fields(text)?;
    if fields.has_ids == [true, true] {
        reader.close(&fields);
        reader.records.add(reader.draft);
    }
    Ok(())
}

/// Fields that are read when all are known, as the last one of a name counts.
struct ZipkinFields<'t> {
    trace: Json<'t>,
    id: Json<'t>,
    parent: Json<'t>,
    kind: Json<'t>,
    start: Json<'t>,
    duration: Json<'t>,
    debug: Json<'t>,
    local: Json<'t>,
    remote: Json<'t>,
    annotations: Json<'t>,
    /// Whether there are the keys of the ids of its trace and its own.
    has_ids: [bool; 2],
}

/// The parts of an endpoint: its service, and others.
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

struct SpanReader<'r> {
    records: &'r mut SpanRecords,
    draft: &'r mut SpanDraft,
    tags: Pairs,
}

impl SpanReader<'_> {
    fn fields<'t>(&mut self, text: &'t str) -> Result<ZipkinFields<'t>, JsonError> {
        let [trace, id, parent, kind, start] = [const { Json::Null }; 5];
        let [duration, debug, local, remote, annotations] = [const { Json::Null }; 5];
        let has_ids = [false; 2];
        let mut fields =
            ZipkinFields { trace, id, parent, kind, start, duration, debug, local, remote, annotations, has_ids };
        let mut scanner = JsonScanner::new(text);
        scanner.begin_object()?;
        while let Some(key) = scanner.next_key()? {
            let field = match &*key {
                "traceId" => &mut fields.trace,
                "id" => &mut fields.id,
                "parentId" => &mut fields.parent,
                "kind" => &mut fields.kind,
                "timestamp" => &mut fields.start,
                "duration" => &mut fields.duration,
                "debug" => &mut fields.debug,
                "localEndpoint" => &mut fields.local,
                "remoteEndpoint" => &mut fields.remote,
                "annotations" => &mut fields.annotations,
                other => {
                    self.other_field(other, &mut scanner)?;
                    continue;
                }
            };
            *field = scanner.value()?;
            fields.has_ids[0] |= key == "traceId";
            fields.has_ids[1] |= key == "id";
        }
        scanner.end()?;
        Ok(fields)
    }

    fn other_field(&mut self, key: &str, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        match key {
            "name" => self.draft.name = self.records.written(&scanner.value()?),
            "shared" => self.draft.is_shared = scanner.value()? == Json::Bool(true),
            "tags" => self.read_tags(scanner)?,
            _ => scanner.skip()?,
        }
        Ok(())
    }

    fn read_tags(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        self.tags.clear();
        if scanner.kind()? != JsonKind::Object {
            return scanner.skip();
        }
        scanner.begin_object()?;
        let mut before = NO_TEXT;
        while let Some(key) = scanner.next_key()? {
            before = self.records.key_after(before, &key);
            let value = number_of_json(self.records, before, &scanner.value()?);
            self.tags.push((before, value));
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
        let [local, remote] = [endpoint(&fields.local), endpoint(&fields.remote)];
        let mut tags = SpanDraft::last_of_each(&self.tags);
        self.service(&local, &tags);
        for (key, value) in LOCAL.iter().zip(&local[1..]).chain(REMOTE.iter().zip(&remote)) {
            if *value != Json::Null {
                let key = self.records.text(key);
                let value = number_of_json(self.records, key, value);
                add_tag(&mut tags, key, value);
            }
        }
        if fields.debug == Json::Bool(true) {
            let value = self.records.value(SpanValue::Bool(true));
            add_tag(&mut tags, self.records.text("debug"), value);
        }
        self.draft.attributes = tags;
        self.annotations(&fields.annotations);
    }

    fn kind(&mut self, kind: &Json<'_>) {
        let known = if let Json::Text(name) = kind { kind_named(name).filter(|kind| *kind > 1) } else { None };
        if known.is_none() && *kind != Json::Null {
            self.draft.misfit("kind", written(kind));
        }
        self.draft.kind = known.unwrap_or(0);
    }

    fn duration(&mut self, duration: &Json<'_>) {
        let known = duration.integer().filter(|duration| *duration != NO_TIME);
        if known.is_none() && *duration != Json::Null {
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
        self.draft.context = self.records.known_context(SpanContext { service, ..SpanContext::default() });
    }

    fn annotations(&mut self, annotations: &Json<'_>) {
        let Json::Nested(text) = annotations else { return };
        let mut scanner = JsonScanner::new(text);
        // the text was read as a value before
        let _ = self.read_annotations(&mut scanner);
    }

    fn read_annotations(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        if scanner.kind()? != JsonKind::Array {
            return Ok(());
        }
        scanner.begin_array()?;
        while scanner.next_element()? {
            if scanner.kind()? != JsonKind::Object {
                scanner.skip()?;
                continue;
            }
            let (mut time, mut value) = (Json::Null, Json::Null);
            scanner.begin_object()?;
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

/// The parts of an endpoint.
fn endpoint<'t>(value: &Json<'t>) -> [Json<'t>; 4] {
    let mut parts = [const { Json::Null }; 4];
    if let Json::Nested(text) = value {
        // the text was read as a value before
        let _ = read_endpoint(&mut JsonScanner::new(text), &mut parts);
    }
    parts
}

fn read_endpoint<'t>(scanner: &mut JsonScanner<'t>, parts: &mut [Json<'t>; 4]) -> Result<(), JsonError> {
    if scanner.kind()? == JsonKind::Object {
        scanner.begin_object()?;
        while let Some(key) = scanner.next_key()? {
            let value = scanner.value()?;
            if let Some(part) = ENDPOINT.iter().position(|name| *name == key) {
                parts[part] = value;
            }
        }
    }
    Ok(())
}
