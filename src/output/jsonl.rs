//! A whole trace as JSON Lines: a header, an object an event, and a trailer.

use std::fmt::{Result, Write};

use super::json::{self, write_string, write_value};
use crate::formats::READING;
use crate::formats::jsonl::{JsonTexts, json_argument};
use crate::term::letters::write_quoted;
use crate::trace::{ArgTexts, AttributeId, EventId, Gap, RecordedAt, Trace, Value};

/// How the lines of a trace are written.
pub struct Lines<'t> {
    trace: &'t Trace,
    texts: JsonTexts,
}

impl<'t> Lines<'t> {
    /// The lines of a trace: its texts stay texts, if the trace has been read as such.
    pub fn of(trace: &'t Trace) -> Lines<'t> {
        Lines { trace, texts: json::argument_texts(trace) }
    }

    /// What the recorder told before the events, and how arguments are written.
    pub fn write_header(&self, out: &mut impl Write) -> Result {
        out.write_str("{\"papaver\": 1, \"port\": \"header\"")?;
        if self.trace.recording().fact("source").is_none() {
            out.write_str(", \"source\": ")?;
            write_string(out, self.trace.origin().format)?;
        }
        self.write_facts(out, RecordedAt::Start)?;
        out.write_str(match self.texts {
            JsonTexts::Texts => ", \"args\": \"texts\"",
            JsonTexts::Terms => ", \"args\": \"terms\", \"capitals\": \"variables\"",
        })?;
        out.write_str(", \"boxes\": \"told\"")?;
        if let Some(depth) = self.trace.recording().least_depth {
            write!(out, ", \"least_depth\": {depth}")?;
        }
        let parts = if self.has_parts() { ", \"objects\": \"parts\"" } else { "" };
        writeln!(out, "{parts}}}")
    }

    /// Whether parts of objects are attributes.
    fn has_parts(&self) -> bool {
        let schema = self.trace.schema();
        let is_part = |name: &str| name.split_once('.').is_some_and(|(whole, _)| schema.find(whole).is_some());
        schema.iter().any(|(_, attribute)| is_part(&attribute.name))
    }

    /// An event as an object with all attributes that the trace has, null where the event has no value.
    pub fn write_event(&self, out: &mut impl Write, event: EventId) -> Result {
        for gap in self.trace.recording().gaps().iter().filter(|gap| gap.before == event) {
            write_gap(out, gap)?;
        }
        json::write_attributes(out, self.trace, event, |out, trace, id, value| match value {
            Value::Args(list) => self.write_args(out, list),
            Value::Text(text) if id == AttributeId::RESULT && self.texts == JsonTexts::Terms => {
                write_string_as_term(out, text)
            }
            other => json::write_attribute(out, trace, id, other),
        })?;
        out.write_char('\n')
    }

    /// How many events there were, and what the recorder told behind them.
    pub fn write_trailer(&self, out: &mut impl Write) -> Result {
        let (n_events, recording) = (self.trace.n_events(), self.trace.recording());
        for gap in recording.gaps().iter().filter(|gap| gap.before >= n_events) {
            write_gap(out, gap)?;
        }
        write!(out, "{{\"papaver\": 1, \"port\": \"trailer\", \"events\": {n_events}")?;
        self.write_facts(out, RecordedAt::End)?;
        if recording.is_unfinished {
            out.write_str(", \"unfinished\": true")?;
        }
        out.write_str("}\n")
    }

    /// Facts but those that are written anew: arguments and times have been read.
    fn write_facts(&self, out: &mut impl Write, wanted: RecordedAt) -> Result {
        let is_kept = |key: &str| !READING.contains(&key);
        for (_, key, value) in self.trace.recording().facts().filter(|(at, key, _)| *at == wanted && is_kept(key)) {
            out.write_str(", ")?;
            write_string(out, key)?;
            out.write_str(": ")?;
            write_value(out, self.trace, value)?;
        }
        Ok(())
    }

    fn write_args(&self, out: &mut impl Write, list: ArgTexts<'_>) -> Result {
        json::write_texts(out, list, |out, text| match self.texts {
            JsonTexts::Texts => out.write_str(&json_argument(text)),
            JsonTexts::Terms => write_string(out, text),
        })
    }
}

/// A text where texts are those of terms.
fn write_string_as_term(out: &mut impl Write, text: &str) -> Result {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text, '"')?;
    write_string(out, &quoted)
}

fn write_gap(out: &mut impl Write, gap: &Gap) -> Result {
    out.write_str("{\"papaver\": 1, \"port\": \"gap\"")?;
    if gap.first < gap.before {
        write!(out, ", \"events\": {}", gap.before - gap.first)?;
    }
    match gap.lost {
        Some(lost) => writeln!(out, ", \"lost\": {lost}}}"),
        None => out.write_str("}\n"),
    }
}
