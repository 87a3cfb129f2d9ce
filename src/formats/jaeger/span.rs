//! A span of Jaeger: from an object to a record.

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    IdUse, NO_TEXT, NO_TIME, Pairs, SpanContext, SpanDraft, SpanId, SpanRecords, SpanValue, TermText, any_size_id,
    any_size_trace, base64, number_of_json, written,
};

/// The process of a span: its key among those of the trace, and the process itself if it stands in the span.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SpanProcess {
    pub(crate) key: u32,
    pub(crate) own: Option<SpanContext>,
}

/// Reads a span; returns its process, or nothing if it is no span. The draft is to be added with it.
pub(crate) fn read(
    text: &str,
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
) -> Result<Option<SpanProcess>, JsonError> {
    let mut reader = SpanReader { scanner: JsonScanner::new(text), records, draft };
    if !reader.scanner.enters(JsonKind::Object)? {
        return Ok(None);
    }
    let fields = reader.fields()?;
    reader.scanner.end()?;
    Ok(fields.is_span.then(|| reader.close(fields)))
}

/// A process: its service and tags.
pub(crate) fn process(
    scanner: &mut JsonScanner<'_>,
    records: &mut SpanRecords,
) -> Result<Option<SpanContext>, JsonError> {
    if !scanner.enters(JsonKind::Object)? {
        return Ok(None);
    }
    let mut process = SpanContext::default();
    while let Some(key) = scanner.next_key()? {
        match &*key {
            "serviceName" => {
                let name = scanner.value()?;
                process.service = records.text(Some(written(&name)).filter(|name| *name != NO_SERVICE).unwrap_or(""));
            }
            "tags" => process.resource = tags(scanner, records)?,
            _ => scanner.skip()?,
        }
    }
    Ok(Some(process))
}

/// What Jaeger writes for a resource without a service.
const NO_SERVICE: &str = "OTLPResourceNoServiceName";

/// The tags in an array.
fn tags(scanner: &mut JsonScanner<'_>, records: &mut SpanRecords) -> Result<Pairs, JsonError> {
    let mut pairs = Pairs::new();
    read_tags(scanner, records, &mut pairs)?;
    Ok(pairs)
}

fn read_tags(scanner: &mut JsonScanner<'_>, records: &mut SpanRecords, pairs: &mut Pairs) -> Result<(), JsonError> {
    pairs.clear();
    if !scanner.enters(JsonKind::Array)? {
        return Ok(());
    }
    let mut before = NO_TEXT;
    while scanner.next_object()? {
        let (key, value) = tag(scanner, before, records)?;
        before = key;
        pairs.push((key, value));
    }
    Ok(())
}

/// A tag that follows the one with the key `before`, in its object.
fn tag(scanner: &mut JsonScanner<'_>, before: u32, records: &mut SpanRecords) -> Result<(u32, u32), JsonError> {
    let (mut key, mut kind, mut value) = (NO_TEXT, Json::Null, Json::Null);
    while let Some(field) = scanner.next_key()? {
        match &*field {
            "key" => key = records.key_after(before, written(&scanner.value()?)),
            "type" => kind = scanner.value()?,
            "value" => value = scanner.value()?,
            _ => scanner.skip()?,
        }
    }
    Ok((key, tag_value(written(&kind), key, &value, records)))
}

/// The value of a tag of a type; texts may stand for integers, truth values and bytes.
fn tag_value(kind: &str, key: u32, value: &Json<'_>, records: &mut SpanRecords) -> u32 {
    match (kind, value) {
        ("int64", Json::Text(text)) if is_integer(text) => {
            records.value(text.parse().map_or(SpanValue::Digits(text), SpanValue::Int))
        }
        ("float64", Json::Integer(text)) => records.value(SpanValue::Float(text.parse().unwrap_or(f64::NAN))),
        ("bool", Json::Text(text)) => records.value(SpanValue::Bool(text == "true")),
        ("binary", Json::Text(text)) => match base64(text) {
            Some(bytes) => {
                let mut term = TermText::default();
                term.bytes(&bytes);
                records.value(SpanValue::Term(&term.text))
            }
            None => number_of_json(records, key, value),
        },
        _ => number_of_json(records, key, value),
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A reference to another span.
struct SpanReference {
    is_follows: bool,
    trace: u32,
    span: SpanId,
}

/// Fields that are read when all are known, as the last one of a name counts.
#[derive(Default)]
struct JaegerFields<'t> {
    is_span: bool,
    trace: Json<'t>,
    span: Json<'t>,
    parent: Json<'t>,
    start: Json<'t>,
    duration: Json<'t>,
    references: Option<&'t str>,
    logs: Option<&'t str>,
    process: SpanProcess,
}

struct SpanReader<'r, 't> {
    scanner: JsonScanner<'t>,
    records: &'r mut SpanRecords,
    draft: &'r mut SpanDraft,
}

impl<'t> SpanReader<'_, 't> {
    fn fields(&mut self) -> Result<JaegerFields<'t>, JsonError> {
        let mut fields = JaegerFields::default();
        while let Some(key) = self.scanner.next_key()? {
            match &*key {
                "traceID" => fields.trace = self.scanner.value()?,
                "spanID" => (fields.is_span, fields.span) = (true, self.scanner.value()?),
                "parentSpanID" => fields.parent = self.scanner.value()?,
                "operationName" => self.draft.name = self.records.written(&self.scanner.value()?),
                "references" => fields.references = Some(self.scanner.raw()?),
                "startTime" => fields.start = self.scanner.value()?,
                "duration" => fields.duration = self.scanner.value()?,
                "tags" => read_tags(&mut self.scanner, self.records, &mut self.draft.attributes)?,
                "logs" => fields.logs = Some(self.scanner.raw()?),
                "processID" => fields.process.key = self.records.written(&self.scanner.value()?),
                "process" => fields.process.own = process(&mut self.scanner, self.records)?,
                "warnings" => self.warnings()?,
                _ => self.scanner.skip()?,
            }
        }
        Ok(fields)
    }

    fn warnings(&mut self) -> Result<(), JsonError> {
        if !self.scanner.enters(JsonKind::Array)? {
            return Ok(());
        }
        while self.scanner.next_element()? {
            if let Json::Text(warning) = self.scanner.value()? {
                self.draft.note("S15", warning.into_owned());
            }
        }
        Ok(())
    }

    fn close(&mut self, fields: JaegerFields<'t>) -> SpanProcess {
        self.draft.trace = any_size_trace(self.records, self.draft, &fields.trace, ("trace id", IdUse::Needed));
        self.draft.id = any_size_id(self.records, self.draft, &fields.span, ("span id", IdUse::Needed));
        // these texts were read as values before
        let references = fields.references.and_then(|references| self.references(references).ok()).unwrap_or_default();
        self.parent(references, &fields.parent);
        self.draft.start = self.draft.json_time(&fields.start, 1000, "start");
        self.draft.end = self.end(&fields.duration);
        self.draft.fold(self.records);
        let _ = fields.logs.map(|logs| self.logs(logs));
        fields.process
    }

    fn references(&mut self, text: &str) -> Result<Vec<SpanReference>, JsonError> {
        let (mut scanner, mut references) = (JsonScanner::new(text), Vec::new());
        if !scanner.enters(JsonKind::Array)? {
            return Ok(references);
        }
        while scanner.next_object()? {
            let [mut kind, mut trace, mut span] = [const { Json::Null }; 3];
            while let Some(key) = scanner.next_key()? {
                match &*key {
                    "refType" => kind = scanner.value()?,
                    "traceID" => trace = scanner.value()?,
                    "spanID" => span = scanner.value()?,
                    _ => scanner.skip()?,
                }
            }
            let use_of = |what| (what, IdUse::Needed);
            references.push(SpanReference {
                is_follows: written(&kind) == "FOLLOWS_FROM",
                trace: any_size_trace(self.records, self.draft, &trace, use_of("trace id of a reference")),
                span: any_size_id(self.records, self.draft, &span, use_of("span id of a reference")),
            });
        }
        Ok(references)
    }

    /// The parent: the first span of the trace of which this is a child, else the first that it follows, else the one
    /// that older clients name. Every other reference is a link.
    fn parent(&mut self, references: Vec<SpanReference>, named: &Json<'_>) {
        let trace = self.draft.trace;
        let is_own = |reference: &&SpanReference| reference.trace == trace && reference.span != SpanId::None;
        let own = || references.iter().enumerate().filter(|(_, reference)| is_own(reference));
        let chosen = own().find(|(_, reference)| !reference.is_follows).or_else(|| own().next());
        let chosen = chosen.map(|(index, reference)| (index, reference.span));
        self.draft.parent = match chosen {
            Some((_, span)) => span,
            None => any_size_id(self.records, self.draft, named, ("parent id", IdUse::Optional)),
        };
        for (index, reference) in references.into_iter().enumerate() {
            if chosen.is_none_or(|(chosen, _)| chosen != index) {
                self.draft.link(reference.trace, reference.span, Pairs::new());
            }
        }
    }

    /// The end, by a duration in microseconds; a negative one was written in an unsigned field.
    fn end(&mut self, duration: &Json<'_>) -> i64 {
        let microseconds = match duration {
            Json::Null => return NO_TIME,
            Json::Integer(digits) => digits.parse::<i128>().ok(),
            _ => None,
        };
        let sign = |duration: i128| if duration >= 1 << 63 { duration - (1 << 64) } else { duration };
        let start = i128::from(self.draft.start);
        let end =
            microseconds.and_then(|duration| i64::try_from(sign(duration).checked_mul(1000)?.checked_add(start)?).ok());
        match (end, microseconds) {
            (_, Some(_)) if self.draft.start == NO_TIME => NO_TIME,
            (Some(end), _) if end != NO_TIME => end,
            _ => {
                self.draft.misfit("duration", written(duration));
                NO_TIME
            }
        }
    }

    fn logs(&mut self, text: &str) -> Result<(), JsonError> {
        let mut scanner = JsonScanner::new(text);
        if !scanner.enters(JsonKind::Array)? {
            return Ok(());
        }
        while scanner.next_object()? {
            let (mut time, mut fields) = (Json::Null, Pairs::new());
            while let Some(key) = scanner.next_key()? {
                match &*key {
                    "timestamp" => time = scanner.value()?,
                    "fields" => fields = tags(&mut scanner, self.records)?,
                    _ => scanner.skip()?,
                }
            }
            let time = self.draft.json_time(&time, 1000, "time of a log");
            self.log(time, fields);
        }
        Ok(())
    }

    /// A log, whose name is its field `event`, else `message`.
    fn log(&mut self, time: i64, mut fields: Pairs) {
        let named = |wanted: &str| {
            let is_name = |(key, value): &(u32, u32)| {
                let value = self.records.text_of(*value);
                self.records.text_of(*key) == wanted && value.starts_with('a') && value.len() > 1
            };
            fields.iter().position(is_name)
        };
        let name = match named("event").or_else(|| named("message")) {
            Some(place) => {
                let (_, value) = fields.remove(place);
                self.records.text_of(value)[1..].to_owned()
            }
            None => "log".to_owned(),
        };
        let name = self.records.text(&name);
        self.draft.event(self.records, time, name, fields);
    }
}
