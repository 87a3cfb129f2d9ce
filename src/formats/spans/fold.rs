//! Tags that have a meaning of their own, in Jaeger and Zipkin: they become parts of the span.

use super::draft::SpanDraft;
use super::json_fields::kind_named;
use super::records::{ERROR, NO_TEXT, STATUSES, SpanRecords};

impl SpanDraft {
    /// Takes out of the attributes what has a column of its own.
    pub(crate) fn fold(&mut self, records: &mut SpanRecords) {
        let mut kept = std::mem::take(&mut self.attributes);
        kept.retain(|(key, value)| !self.fold_tag(records, *key, *value));
        self.attributes = kept;
    }

    /// Whether a tag has a meaning of its own, which becomes that of the span.
    fn fold_tag(&mut self, records: &mut SpanRecords, key: u32, value: u32) -> bool {
        if !is_meaningful(records.text_of(key)) {
            return false;
        }
        let stored = records.text_of(value);
        let is_number = stored.starts_with(['i', 'f']);
        let text = stored.get(1..).unwrap_or_default().to_owned();
        match records.text_of(key) {
            "span.kind" => self.kind = kind_named(&text).unwrap_or(self.kind),
            "error" => self.fold_error(records, is_number, &text),
            "otel.status_code" => {
                let status = STATUSES.iter().position(|status| text.eq_ignore_ascii_case(status));
                self.status = status.filter(|_| self.status != ERROR).map_or(self.status, |status| status as u8);
            }
            "otel.status_description" => self.message = records.text(&text),
            "otel.scope.name" | "otel.library.name" => self.scope = records.text(&text),
            "otel.scope.version" | "otel.library.version" => self.version = records.text(&text),
            "w3c.tracestate" => self.state = records.text(&text),
            _ => return false,
        }
        true
    }

    /// An error, unless the value says that there is none; a text that is not `true` is its message.
    fn fold_error(&mut self, records: &mut SpanRecords, is_number: bool, text: &str) {
        let is_zero = is_number && text.parse() == Ok(0.0);
        if is_zero || matches!(text, "" | "false") {
            return;
        }
        self.status = ERROR;
        if text != "true" && self.message == NO_TEXT {
            self.message = records.text(text);
        }
    }

    /// An error, whatever the value of the tag `error` is, which is taken out; a text that is not `true` is its message.
    pub(super) fn fold_any_error(&mut self, records: &mut SpanRecords) {
        let mut error = None;
        self.attributes.retain(|(key, value)| {
            let is_error = records.text_of(*key) == "error";
            error = if is_error { Some(*value) } else { error };
            !is_error
        });
        let Some(value) = error else { return };
        let text = records.text_of(value).strip_prefix('a').unwrap_or_default().to_owned();
        self.status = ERROR;
        self.message = if text == "true" { NO_TEXT } else { records.text(&text) };
    }
}

/// Whether a list of keys has one with a meaning of its own.
pub(super) fn has_meaning(records: &SpanRecords, list: u32) -> bool {
    records.lists.keys(list).iter().any(|key| is_meaningful(records.text_of(*key)))
}

fn is_meaningful(key: &str) -> bool {
    matches!(
        key,
        "span.kind"
            | "error"
            | "otel.status_code"
            | "otel.status_description"
            | "otel.scope.name"
            | "otel.library.name"
            | "otel.scope.version"
            | "otel.library.version"
            | "w3c.tracestate"
    )
}
