//! What a recorder says of its trace: objects with the key `papaver`, at the start, at the end, and where events are left out.

use super::line::{Json, JsonObject};
use super::terms::ArgumentTexts;
use super::time::TimeUnit;
use super::values::OwnValue;
use crate::term::Atom;
use crate::term::ops::{OpKind, OpTable};
use crate::trace::{EventId, Field, Gap, RecordedAt, TraceBuilder};

/// What the header says, as far as reading depends on it.
#[derive(Default)]
pub struct TraceHeader {
    pub texts: ArgumentTexts,
    pub unit: TimeUnit,
    /// Whether calls, depths and parents are stated wherever there are any, so that nothing is inferred from nesting.
    pub states_boxes: bool,
    /// The least depth of an event, as the header says it.
    pub least_depth: Option<i64>,
    /// The operators of texts that are terms, where they are not the standard ones.
    operators: Option<Box<OpTable>>,
    /// Whether parts of objects are attributes nevertheless.
    has_parts: bool,
    n_stated: Option<i64>,
    has_header: bool,
    has_trailer: bool,
}

impl TraceHeader {
    /// Nothing is said so far; terms are read with operators that scripts declare, if they do.
    pub fn new(operators: Option<Box<OpTable>>) -> TraceHeader {
        TraceHeader { operators, ..TraceHeader::default() }
    }

    /// Reads an object that speaks of the trace.
    pub fn read(&mut self, object: &JsonObject<'_>, line: u64, builder: &mut TraceBuilder) {
        let mut at = RecordedAt::Start;
        match object.get("port").and_then(Json::text) {
            Some("gap") => {
                let number =
                    |key| object.get(key).and_then(Json::integer).and_then(|number| u64::try_from(number).ok());
                let before = builder.n_events();
                let n_events = number("events").map_or(0, |number| EventId::try_from(number).unwrap_or(EventId::MAX));
                let first = before.saturating_sub(n_events);
                builder.recording().gap(Gap { first, before, lost: number("lost") });
                return;
            }
            Some("trailer") => at = RecordedAt::End,
            Some("header") => {}
            // a line without a port that counts events is the last one
            _ if object.get("events").is_some() => at = RecordedAt::End,
            _ => {}
        }
        for (key, value) in object.0.iter().filter(|(key, _)| !matches!(&**key, "port" | "papaver" | "unfinished")) {
            let value = OwnValue::of(value);
            builder.recording().record(at, key, value.as_field());
        }
        match at {
            RecordedAt::Start => self.has_header = true,
            RecordedAt::End => {
                self.has_trailer = true;
                self.n_stated = object.get("events").and_then(Json::integer).or(self.n_stated);
                builder.recording().is_unfinished |= object.get("unfinished") == Some(&Json::Bool(true));
            }
        }
        for message in self.take(object) {
            builder.finding("J5", None, Some(line), message);
        }
    }

    /// Takes over what reading depends on; gives what cannot be understood.
    fn take(&mut self, object: &JsonObject<'_>) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut expected = |what: &str, found: &Json<'_>| {
            wrong.push(format!("expected {what} in the header, found `{}`", found.written()));
        };
        match object.get("args") {
            Some(args) if args.text() == Some("terms") => self.texts = ArgumentTexts::Terms(self.operators.clone()),
            Some(args) if args.text() != Some("texts") => expected("`terms` or `texts` for `args`", args),
            _ => {}
        }
        match object.get("capitals").map(|capitals| (capitals, capitals.text())) {
            Some((_, Some("variables"))) if matches!(self.texts, ArgumentTexts::Terms(_)) => {
                self.texts = ArgumentTexts::Written
            }
            Some((_, Some("variables" | "names"))) | None => {}
            Some((capitals, _)) => expected("`variables` or `names` for `capitals`", capitals),
        }
        self.least_depth = object.get("least_depth").and_then(Json::integer).or(self.least_depth);
        self.has_parts |= object.get("objects").and_then(Json::text) == Some("parts");
        match object.get("boxes") {
            Some(boxes) if boxes.text() == Some("told") => self.states_boxes = true,
            Some(boxes) => expected("`told` for `boxes`", boxes),
            None => {}
        }
        if let Some(unit) = object.get("time") {
            match unit.text().and_then(TimeUnit::named) {
                Some(unit) => self.unit = unit,
                None => expected("`ns`, `us`, `ms` or `s` for `time`", unit),
            }
        }
        if let Some(ops) = object.get("ops") {
            match self.with_operators(ops) {
                Some(ops) if matches!(self.texts, ArgumentTexts::Terms(_)) => {
                    self.texts = ArgumentTexts::Terms(Some(Box::new(ops)))
                }
                Some(_) => {}
                None => expected("operators like `[[700, \"xfx\", \"==>\"]]` for `ops`", ops),
            }
        }
        wrong
    }

    /// Whether the parts of an object become attributes; not if the header states all attributes.
    pub fn splits_objects(&self) -> bool {
        !self.states_boxes || self.has_parts
    }

    /// Compares with what was read, and notes a trace that breaks off.
    pub fn finish(&self, builder: &mut TraceBuilder) {
        if matches!(self.texts, ArgumentTexts::Themselves) {
            builder.recording().record(RecordedAt::Start, "args", Field::Text("texts"));
        }
        if self.has_header && !self.has_trailer {
            builder.recording().is_unfinished = true;
        }
        let n_read = i64::from(builder.n_events());
        if let Some(n_stated) = self.n_stated.filter(|n_stated| *n_stated != n_read) {
            builder.finding("J5", None, None, format!("the trailer states {n_stated} events, {n_read} were read"));
        }
    }

    /// The operators with those of the header.
    fn with_operators(&self, ops: &Json<'_>) -> Option<OpTable> {
        let mut table = self.operators.as_deref().cloned().unwrap_or_else(OpTable::standard);
        for op in ops.elements()? {
            let parts = op.elements()?;
            let [priority, kind, name] = parts.as_slice() else { return None };
            let priority = priority.integer().and_then(|priority| u16::try_from(priority).ok())?;
            let kind = OpKind::from_name(kind.text()?)?;
            table.add((priority <= 1200).then_some(priority)?, kind, Atom::new(name.text()?));
        }
        Some(table)
    }
}
