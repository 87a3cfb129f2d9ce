//! A whole trace as JSON Lines: a header, an object for each event, and a trailer.

use std::io::{Result, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::json::{self, JsonValue};
use crate::formats::READING;
use crate::formats::jsonl::JsonTexts;
use crate::term::letters::{atom_text, write_quoted};
use crate::trace::{AttributeId, BASE, EventId, Gap, RecordedAt, Trace, Value};

/// How the lines of a trace are written.
pub(crate) struct JsonLines<'t> {
    trace: &'t Trace,
    texts: JsonTexts,
}

impl<'t> JsonLines<'t> {
    /// The lines of a trace; strings that were read as texts stay texts.
    pub(crate) fn of(trace: &'t Trace) -> JsonLines<'t> {
        JsonLines { trace, texts: json::argument_texts(trace) }
    }

    /// Writes what the recorder reported before the events, and the form of arguments.
    pub(crate) fn write_header(&self, out: &mut impl Write) -> Result<()> {
        write_line(out, &self.header())
    }

    /// What the recorder reported before the events, and the form of arguments.
    pub(crate) fn header(&self) -> impl Serialize {
        JsonHeader(self)
    }

    /// What the recorder has lost before an event.
    pub(crate) fn gaps_before(&self, event: EventId) -> impl Iterator<Item = impl Serialize> {
        self.trace.recording().gaps().iter().filter(move |gap| gap.before == event).map(Lost)
    }

    /// What the recorder has lost after all events.
    pub(crate) fn gaps_at_end(&self) -> impl Iterator<Item = impl Serialize> {
        let n_events = self.trace.n_events();
        self.trace.recording().gaps().iter().filter(move |gap| gap.before >= n_events).map(Lost)
    }

    /// The number of events, and what the recorder reported after them.
    pub(crate) fn trailer(&self) -> impl Serialize {
        Trailer(self)
    }

    /// Writes an event as an object with all attributes that the trace has, null for missing values.
    pub(crate) fn write_event(&self, out: &mut impl Write, event: EventId) -> Result<()> {
        self.gaps_before(event).try_for_each(|gap| write_line(out, &gap))?;
        let value = |id, value| self.value(id, value);
        write_line(out, &json::JsonEvent { trace: self.trace, event, value })
    }

    /// The value of an attribute of an event.
    pub(crate) fn value(&self, id: AttributeId, value: Value<'t>) -> JsonValue<'t> {
        match (value, self.texts) {
            (Value::Args(list), JsonTexts::Texts) => JsonValue::Texts(list, JsonValue::json_argument),
            (Value::Text(text), JsonTexts::Terms) if id == AttributeId::RESULT => JsonValue::Text(as_term(text).into()),
            (Value::Atom(name), JsonTexts::Terms) if id == AttributeId::RESULT => {
                JsonValue::Text(atom_text(name.as_str()))
            }
            (other, _) => JsonValue::attribute(self.trace, id, other),
        }
    }

    /// Writes the number of events, and what the recorder reported after them.
    pub(crate) fn write_trailer(&self, out: &mut impl Write) -> Result<()> {
        self.gaps_at_end().try_for_each(|gap| write_line(out, &gap))?;
        write_line(out, &self.trailer())
    }

    /// The attributes of the trace's own whose texts are all atoms.
    fn atoms(&self) -> Vec<&'t str> {
        let samples = self.trace.samples();
        let are_atoms = |name: &str| {
            let begins = |first: u8| {
                let kinds = samples.get(name).into_iter().flatten();
                kinds.filter_map(|stored| stored.as_bytes().first()).any(|kind| *kind == first)
            };
            begins(b'a') && !begins(b's')
        };
        let own =
            self.trace.schema().iter().filter(|(id, _)| *id != AttributeId::RESULT && BASE.get(id.index()).is_none());
        own.map(|(_, attribute)| &*attribute.name).filter(|name| are_atoms(name)).collect()
    }

    /// Whether parts of objects are attributes.
    fn has_parts(&self) -> bool {
        let schema = self.trace.schema();
        let is_part = |name: &str| name.split_once('.').is_some_and(|(whole, _)| schema.find(whole).is_some());
        schema.iter().any(|(_, attribute)| is_part(&attribute.name))
    }

    /// Writes the recorder's facts, except those about the form of the file, which the writer states itself.
    fn facts<M: SerializeMap>(&self, object: &mut M, wanted: RecordedAt) -> std::result::Result<(), M::Error> {
        let is_kept = |key: &str| !READING.contains(&key);
        for (_, key, value) in self.trace.recording().facts().filter(|(at, key, _)| *at == wanted && is_kept(key)) {
            object.serialize_entry(key, &JsonValue::value(self.trace, value))?;
        }
        Ok(())
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    json::write(&mut *out, value)?;
    out.write_all(b"\n")
}

/// A text as the text of a term: a quoted string.
fn as_term(text: &str) -> String {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text, '"').expect("writing to a string cannot fail");
    quoted
}

/// Begins an object of the recorder that is not an event: `{"papaver": 1, "port": "header"}`.
fn begin<S: Serializer>(serializer: S, port: &str) -> std::result::Result<S::SerializeMap, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    object.serialize_entry("papaver", &1)?;
    object.serialize_entry("port", port)?;
    Ok(object)
}

struct JsonHeader<'l, 't>(&'l JsonLines<'t>);

impl Serialize for JsonHeader<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let JsonHeader(lines) = self;
        let (trace, recording) = (lines.trace, lines.trace.recording());
        let mut object = begin(serializer, "header")?;
        if recording.fact("source").is_none() {
            object.serialize_entry("source", trace.origin().format)?;
        }
        lines.facts(&mut object, RecordedAt::Start)?;
        match lines.texts {
            JsonTexts::Texts => object.serialize_entry("args", "texts")?,
            JsonTexts::Terms => {
                object.serialize_entry("args", "terms")?;
                object.serialize_entry("capitals", "variables")?;
            }
        }
        object.serialize_entry("boxes", "told")?;
        if let Some(depth) = recording.least_depth {
            object.serialize_entry("least_depth", &depth)?;
        }
        if lines.has_parts() {
            object.serialize_entry("objects", "parts")?;
        }
        let atoms = lines.atoms();
        if !atoms.is_empty() {
            object.serialize_entry("atoms", &atoms)?;
        }
        object.end()
    }
}

struct Trailer<'l, 't>(&'l JsonLines<'t>);

impl Serialize for Trailer<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Trailer(lines) = self;
        let mut object = begin(serializer, "trailer")?;
        object.serialize_entry("events", &lines.trace.n_events())?;
        lines.facts(&mut object, RecordedAt::End)?;
        if lines.trace.recording().is_unfinished {
            object.serialize_entry("unfinished", &true)?;
        }
        object.end()
    }
}

/// A gap: events that the recorder has lost.
struct Lost<'g>(&'g Gap);

impl Serialize for Lost<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Lost(gap) = self;
        let mut object = begin(serializer, "gap")?;
        if gap.first < gap.before {
            object.serialize_entry("events", &(gap.before - gap.first))?;
        }
        if let Some(lost) = gap.lost {
            object.serialize_entry("lost", &lost)?;
        }
        object.end()
    }
}
