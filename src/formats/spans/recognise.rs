//! Recognising a document of spans by its first keys.

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::lines::text;

/// Whose document it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanDocument {
    Otlp,
    Jaeger,
    Zipkin,
}

/// Keys below which OTLP has spans.
pub(crate) const RESOURCE_SPANS: &[&str] = &["resourceSpans", "resource_spans", "batches"];

/// The key of a span's number in Jaeger's documents.
const JAEGER_ID: &str = "spanID";

/// The key of a trace's number in Zipkin's documents.
const TRACE_ID: &str = "traceId";

/// Keys that spans of Zipkin have and no line of a log that names its trace.
const OF_ZIPKIN: &[&str] = &["localEndpoint", "annotations", "binaryAnnotations"];

/// A document begins with this many events for each other line.
pub(crate) const CERTAIN: usize = 1 << 20;

/// Whose document a text begins with, if it is one of spans. A document without spans is one of OTLP.
pub(crate) fn document_kind(head: &[u8]) -> Option<SpanDocument> {
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    if is_answer_without_traces(head) {
        return Some(SpanDocument::Jaeger);
    }
    if !(has_deciding_key(head) || is_bare(head)) {
        return None;
    }
    let text = text::visible_in_json(head);
    let mut walk = KeyWalk { scanner: JsonScanner::new(&text), open: Vec::new(), is_empty: true };
    match walk.walk() {
        Ok(found) => found.or_else(|| walk.is_empty.then_some(SpanDocument::Otlp)),
        Err(_) => None,
    }
}

/// Whether a text has one of the keys without which it is no document of spans, unless it is bare.
fn has_deciding_key(text: &[u8]) -> bool {
    let mut keys = RESOURCE_SPANS.iter().chain(&[JAEGER_ID, TRACE_ID]);
    keys.any(|key| memchr::memmem::find(text, key.as_bytes()).is_some())
}

/// Whether a text has no more than brackets.
fn is_bare(text: &[u8]) -> bool {
    text.iter().all(|byte| b"{}[], \t\r\n".contains(byte))
}

/// Whether a text is what Jaeger answers if it finds no trace: `{"data":[],"total":0,"limit":0,"offset":0,"errors":null}`.
fn is_answer_without_traces(text: &[u8]) -> bool {
    const AROUND: &[&str] = &["total", "limit", "offset", "errors"];
    let decide = |text: &str| -> Result<bool, JsonError> {
        let (mut scanner, mut has_data, mut n_around) = (JsonScanner::new(text), false, 0);
        scanner.begin_object()?;
        while let Some(key) = scanner.next_key()? {
            match (&*key, scanner.value()?) {
                ("data", Json::Null) => has_data = true,
                ("data", Json::Nested(list)) if is_bare(list.as_bytes()) => has_data = true,
                (key, _) if AROUND.contains(&key) => n_around += 1,
                _ => return Ok(false),
            }
        }
        scanner.end()?;
        Ok(has_data && n_around > 1)
    };
    text.len() < 1000 && std::str::from_utf8(text).is_ok_and(|text| decide(text).unwrap_or(false))
}

/// A container that was entered.
struct WalkedContainer {
    is_object: bool,
    key: String,
    /// Whether the keys `traceId` and `id` were seen.
    has_trace: bool,
    has_id: bool,
    /// Whether a key was seen that only spans of Zipkin have.
    is_zipkin: bool,
}

/// Goes through a text, key by key, until one decides.
struct KeyWalk<'t> {
    scanner: JsonScanner<'t>,
    open: Vec<WalkedContainer>,
    /// Whether all values so far were `{}` or `[]`.
    is_empty: bool,
}

impl KeyWalk<'_> {
    fn walk(&mut self) -> Result<Option<SpanDocument>, JsonError> {
        loop {
            if self.open.is_empty() && self.scanner.end().is_ok() {
                return Ok(None);
            }
            let key = match self.next_key()? {
                Next::Value(key) => key,
                Next::End => continue,
            };
            self.is_empty &= self.open.is_empty();
            if let Some(found) = self.decide(&key) {
                return Ok(Some(found));
            }
            self.enter_or_skip(key)?;
        }
    }

    /// The key of the next value in the innermost container; leaves the container at its end.
    fn next_key(&mut self) -> Result<Next, JsonError> {
        let next = match self.open.last() {
            None => Some(String::new()),
            Some(open) if open.is_object => self.scanner.next_key()?.map(|key| key.into_owned()),
            Some(_) => self.scanner.next_element()?.then(String::new),
        };
        Ok(next.map_or_else(
            || {
                self.open.pop();
                Next::End
            },
            Next::Value,
        ))
    }

    fn enter_or_skip(&mut self, key: String) -> Result<(), JsonError> {
        let is_object = match self.scanner.kind()? {
            JsonKind::Object => true,
            JsonKind::Array => false,
            _ => return self.scanner.skip(),
        };
        match is_object {
            true => self.scanner.begin_object()?,
            false => self.scanner.begin_array()?,
        }
        self.open.push(WalkedContainer { is_object, key, has_trace: false, has_id: false, is_zipkin: false });
        Ok(())
    }

    /// What a key says about the document.
    fn decide(&mut self, key: &str) -> Option<SpanDocument> {
        if RESOURCE_SPANS.contains(&key) {
            return Some(SpanDocument::Otlp);
        }
        let depth = self.open.len();
        let is_in_spans = depth >= 2 && self.open[depth - 2].key == "spans";
        if key == JAEGER_ID && is_in_spans {
            return Some(SpanDocument::Jaeger);
        }
        let is_in_arrays = matches!(depth, 1..=3) && self.open[..depth - 1].iter().all(|open| !open.is_object);
        let innermost = self.open.last_mut()?;
        innermost.has_trace |= key == TRACE_ID;
        innermost.has_id |= key == "id";
        innermost.is_zipkin |= depth > 1 || OF_ZIPKIN.contains(&key);
        (is_in_arrays && innermost.has_trace && innermost.has_id && innermost.is_zipkin).then_some(SpanDocument::Zipkin)
    }
}

enum Next {
    Value(String),
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_decide_whatever_is_around_them() {
        for (text, expected) in [
            (r#"{"resourceSpans":[{"a"#, Some(SpanDocument::Otlp)),
            (r#"[{"x":1,"result":{"resource_spans":["#, Some(SpanDocument::Otlp)),
            ("{\"resourceMetrics\":[{}]}\n{\"batches\":[", Some(SpanDocument::Otlp)),
            (" {}\r\n", Some(SpanDocument::Otlp)),
            (r#"{"data":[{"traceID":"1","processes":{},"spans":[{"x":[],"spanID":"#, Some(SpanDocument::Jaeger)),
            (r#"{"spans":[{"spanID":"1"#, Some(SpanDocument::Jaeger)),
            (r#"[{"kind":"CLIENT","id":"1","tags":{},"traceId":"2"#, Some(SpanDocument::Zipkin)),
            (r#"[[{"traceId":"1","id":"#, Some(SpanDocument::Zipkin)),
            (r#"{"traceId":"1","id":"2","localEndpoint":{"#, Some(SpanDocument::Zipkin)),
            (r#"{"data":[],"total":0,"limit":0,"offset":0,"errors":null}"#, Some(SpanDocument::Jaeger)),
            (r#"{"data": null, "total": 0, "limit": 0}"#, Some(SpanDocument::Jaeger)),
            (r#"{"data":[],"name":"a"}"#, None),
            (r#"{"traceId":"1","id":"2"}"#, None),
            (r#"[{"name":"a","port":"call"}]"#, None),
            (r#"{"port":"call","spans":[1]}"#, None),
            ("resourceSpans", None),
            ("", None),
        ] {
            assert_eq!(document_kind(text.as_bytes()), expected, "{text}");
        }
    }
}
