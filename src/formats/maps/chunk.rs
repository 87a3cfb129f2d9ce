//! The events on the lines of one chunk, each read by itself: everything but its box.

use super::boxes::BoxRole;
use super::line::{EventFields, Found, ObjectFields, elements};
use super::rules::no_object;
use super::values::holds;
use crate::formats::json::terms::{ArgumentTexts, argument};
use crate::formats::json::value::Json;
use crate::formats::lines::line_end;
use crate::formats::lines::text::{push_decimal, visible_in_json};
use crate::formats::mapping::{BoxKey, JsonMap, PortTable, Source};
use crate::term::hash::HashMap;
use crate::trace::TextSpan;

/// Reads lines through a map.
pub(crate) struct LineReader<'m> {
    pub(crate) map: &'m JsonMap,
    /// The ports of the map, and what events at them do.
    pub(crate) ports: Vec<(&'m str, BoxRole)>,
    /// The numbers of the ports that texts mean.
    by_text: HashMap<&'m str, u16>,
}

/// The numbers of the ports that events of every map may have.
pub(crate) const POINT: u16 = 0;
pub(crate) const CALL: u16 = 1;
const EXCEPTION: u16 = 2;

/// The events of a chunk, in the order of the lines.
#[derive(Debug, Default)]
pub(crate) struct MappedLines {
    pub(crate) events: Vec<MappedEvent>,
    pub(crate) values: Vec<StoredValue>,
    pub(crate) faults: Vec<LineFault>,
    /// The texts of the events.
    pub(crate) text: String,
    pub(crate) n_lines: u64,
}

/// An event; its texts are spans of the text of its chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MappedEvent {
    /// From 0.
    pub(crate) line: u64,
    pub(crate) port: u16,
    pub(crate) time: Option<i64>,
    pub(crate) name: Option<TextSpan>,
    pub(crate) module: Option<TextSpan>,
    /// The thread as a text, if boxes nest by names.
    pub(crate) thread: Option<TextSpan>,
    pub(crate) key: Option<TextSpan>,
    pub(crate) parent: Option<TextSpan>,
    pub(crate) around: Option<TextSpan>,
    pub(crate) may_open: bool,
    /// The arguments as printed, and how many there are.
    pub(crate) args: Option<TextSpan>,
    pub(crate) n_args: usize,
    /// The end of its values.
    pub(crate) values_end: usize,
}

/// A value of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredValue {
    pub(crate) column: Column,
    pub(crate) kind: StoredKind,
    pub(crate) text: TextSpan,
}

/// The attribute of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Pid,
    Thread,
    /// A column of the map, by its number.
    Own(usize),
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredKind {
    Number,
    Bool,
    Text,
    Nested,
}

/// Something wrong with a line.
#[derive(Clone, Debug)]
pub(crate) struct LineFault {
    pub(crate) rule: &'static str,
    /// How many events of the chunk come before.
    pub(crate) n_before: usize,
    pub(crate) line: u64,
    /// Whether the fault is one of the event that follows.
    pub(crate) is_of_event: bool,
    pub(crate) message: String,
}

impl<'m> LineReader<'m> {
    /// A reader for a map.
    pub(crate) fn new(map: &'m JsonMap) -> LineReader<'m> {
        let mut ports = vec![("event", BoxRole::Inside), ("call", BoxRole::Opens), ("exception", BoxRole::Closes)];
        let mut by_text = HashMap::default();
        for (text, port) in map.port.iter().flat_map(|table| &table.ports) {
            let number = ports.iter().position(|(known, _)| *known == &**port).unwrap_or_else(|| {
                ports.push((port, role(port)));
                ports.len() - 1
            });
            by_text.insert(&**text, u16::try_from(number).unwrap_or(POINT));
        }
        LineReader { map, ports, by_text }
    }
}

/// What events of a port do to the box of their key.
fn role(port: &str) -> BoxRole {
    match port {
        "call" => BoxRole::Opens,
        "exit" | "fail" | "exception" => BoxRole::Closes,
        _ => BoxRole::Inside,
    }
}

impl MappedLines {
    /// Reads all lines of a chunk.
    pub(crate) fn read(&mut self, reader: &LineReader<'_>, text: &[u8]) {
        self.clear();
        let mut start = 0;
        while start < text.len() {
            let (end, next) = line_end(text, start).unwrap_or((text.len(), text.len()));
            if !text[start..end].trim_ascii().is_empty() {
                self.line(reader, &visible_in_json(&text[start..end]));
            }
            self.n_lines += 1;
            start = next;
        }
    }

    fn clear(&mut self) {
        self.events.clear();
        self.values.clear();
        self.faults.clear();
        self.text.clear();
        self.n_lines = 0;
    }

    fn line(&mut self, reader: &LineReader<'_>, text: &str) {
        let map = reader.map;
        let fields = match ObjectFields::read(text, &map.line_fields) {
            Ok(fields) => fields,
            Err(error) => return self.fault("J1", false, no_object(text, error)),
        };
        let line = EventFields { text, line: &fields, element: &fields, item: None };
        if !line.has_all(&map.needs) {
            return self.fault("J2", false, missing(reader, &line));
        }
        let Some(each) = &map.each else { return self.event(reader, &line) };
        match line.find(each) {
            Some(found) => found.with(|found| self.elements(reader, &line, found)),
            None => self.element(reader, &line, text),
        }
    }

    /// The events of the elements of an array, or of the only element.
    fn elements(&mut self, reader: &LineReader<'_>, line: &EventFields<'_, '_>, found: &Json<'_>) {
        match found {
            Json::Nested(text) if text.starts_with('[') => {
                elements(text).for_each(|element| self.element(reader, line, element));
            }
            Json::Nested(_) => self.item(reader, line, None),
            item => self.item(reader, line, Some(item)),
        }
    }

    fn element(&mut self, reader: &LineReader<'_>, line: &EventFields<'_, '_>, text: &str) {
        match ObjectFields::read(text, &reader.map.element_fields) {
            Ok(fields) => {
                self.event(reader, &EventFields { text: line.text, line: line.line, element: &fields, item: None })
            }
            Err(_) => self.item(reader, line, Some(&Json::of(text))),
        }
    }

    /// The event of an element that is no object.
    fn item(&mut self, reader: &LineReader<'_>, line: &EventFields<'_, '_>, item: Option<&Json<'_>>) {
        let none = ObjectFields::default();
        self.event(reader, &EventFields { text: line.text, line: line.line, element: &none, item });
    }

    fn event(&mut self, reader: &LineReader<'_>, fields: &EventFields<'_, '_>) {
        let map = reader.map;
        let mut event = MappedEvent { line: self.n_lines, ..MappedEvent::default() };
        event.time = self.time(map, fields);
        event.port = self.port(reader, fields);
        event.name = self.found_text(map.event_name.as_ref(), fields);
        event.module = self.found_text(map.module.as_ref(), fields);
        self.place(reader, fields, &mut event);
        self.args(map, fields, &mut event);
        self.value(Column::Pid, map.pid.as_ref(), fields);
        self.value(Column::Thread, map.thread.as_ref(), fields);
        for (number, (_, source)) in map.columns.iter().enumerate() {
            self.value(Column::Own(number), Some(source), fields);
        }
        event.values_end = self.values.len();
        self.events.push(event);
    }

    /// The time; a line without it breaks J3 once, and each time that is no time breaks it.
    fn time(&mut self, map: &JsonMap, fields: &EventFields<'_, '_>) -> Option<i64> {
        let source = map.time.as_ref()?;
        match fields.find(source) {
            Some(Found::Int(time)) => return Some(time),
            Some(other) => {
                let mut text = String::new();
                other.push_text(&mut text);
                self.fault("J3", true, format!("expected a time, found {}", super::rules::shown(&text)));
            }
            None => {
                let is_known = self.faults.last().is_some_and(|last| last.rule == "J3" && last.line == self.n_lines);
                if !is_known {
                    self.fault("J3", true, "the event has no time".to_owned());
                }
            }
        }
        None
    }

    /// The number of the port.
    fn port(&mut self, reader: &LineReader<'_>, fields: &EventFields<'_, '_>) -> u16 {
        let map = reader.map;
        let Some(table) = &map.port else { return POINT };
        let port = self.port_of_text(reader, table, fields);
        let role = reader.ports[usize::from(port)].1;
        if role != BoxRole::Inside
            && !map.port_if.is_empty()
            && !map.port_if.iter().any(|one| fields.find(one).is_some())
        {
            return POINT;
        }
        let is_exception = || {
            let condition = map.exception_if.as_ref()?;
            let found = fields.find(&condition.source)?;
            Some(found.with(|value| holds(value, condition.comparison, &condition.constant)))
        };
        if reader.ports[usize::from(port)].0 == "exit" && is_exception() == Some(true) { EXCEPTION } else { port }
    }

    fn port_of_text(&mut self, reader: &LineReader<'_>, table: &PortTable, fields: &EventFields<'_, '_>) -> u16 {
        let Some(found) = fields.find(&table.source) else { return POINT };
        let port = found.with(|value| value.text().and_then(|text| reader.by_text.get(text).copied()));
        if port.is_none() && table.is_closed {
            let mut text = String::new();
            found.push_text(&mut text);
            let message = format!("the map `{}` has no port for {}", reader.map.name, super::rules::shown(&text));
            self.fault("J4", true, message);
        }
        port.unwrap_or(POINT)
    }

    /// What decides on the box of the event.
    fn place(&mut self, reader: &LineReader<'_>, fields: &EventFields<'_, '_>, event: &mut MappedEvent) {
        let map = reader.map;
        if let Some(key) = &map.key {
            (event.key, event.may_open) = self.key(key, fields);
            event.may_open &= map.opens_at_first;
        }
        if let Some(parent) = &map.parent {
            event.parent = self.key(parent, fields).0.filter(|parent| self.text_of(*parent) != self.text_of_key(event));
        }
        if reader.ports[usize::from(event.port)].1 == BoxRole::Opens && event.key.is_none() {
            event.port = POINT;
            return self.fault("J5", true, "an event that opens a box has no key".to_owned());
        }
        if let (Some(nest), None) = (&map.nest, &map.parent) {
            event.thread = self.found_text(map.thread.as_ref(), fields);
            event.around = fields.find(nest).and_then(|names| names.with(|names| self.last_name(names)));
        }
    }

    fn text_of(&self, span: TextSpan) -> Option<&str> {
        span.of(self.text.as_bytes())
    }

    fn text_of_key(&self, event: &MappedEvent) -> Option<&str> {
        event.key.and_then(|key| self.text_of(key))
    }

    fn last_name(&mut self, names: &Json<'_>) -> Option<TextSpan> {
        let Json::Nested(text) = names else { return None };
        let last = Json::of(elements(text).last()?);
        Some(self.append(|out| Found::Json(last).push_text(out)))
    }

    /// A key as the JSON of its parts, and whether one of them is there; none for a single value that is absent.
    fn key(&mut self, key: &BoxKey, fields: &EventFields<'_, '_>) -> (Option<TextSpan>, bool) {
        let sources = match key {
            BoxKey::Tuple(sources) => sources.as_slice(),
            BoxKey::Single(source) => std::slice::from_ref(source),
        };
        let mut has_some = false;
        let span = self.append(|out| {
            for (index, source) in sources.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                let found = fields.find(source);
                has_some |= found.is_some();
                match found {
                    Some(found) => found.with(|value| out.push_str(&value.written())),
                    None => out.push_str("null"),
                }
            }
        });
        (Some(span).filter(|_| has_some || matches!(key, BoxKey::Tuple(_))), has_some)
    }

    /// The arguments up to the last one that is there.
    fn args(&mut self, map: &JsonMap, fields: &EventFields<'_, '_>, event: &mut MappedEvent) {
        let start = self.text.len();
        let mut end = start;
        for (index, (_, source)) in map.args.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            let term = fields.find(source).and_then(|found| found.with(term));
            match term {
                Some(term) => {
                    self.text.push_str(&term);
                    (end, event.n_args) = (self.text.len(), index + 1);
                }
                None => self.text.push('-'),
            }
        }
        self.text.truncate(end);
        event.args = (event.n_args > 0).then(|| span(start, end));
    }

    /// Keeps a value of an attribute.
    fn value(&mut self, column: Column, source: Option<&Source>, fields: &EventFields<'_, '_>) {
        let Some(found) = source.and_then(|source| fields.find(source)) else { return };
        let (kind, text) = match found {
            Found::Int(value) => (StoredKind::Number, self.append(|out| push_decimal(out, value))),
            other => other.with(|value| {
                let kind = match value {
                    Json::Bool(_) => StoredKind::Bool,
                    Json::Integer(_) | Json::Decimal(_) => StoredKind::Number,
                    Json::Text(_) => StoredKind::Text,
                    Json::Nested(_) | Json::Null => StoredKind::Nested,
                };
                (kind, self.append(|out| Found::Json(value.clone()).push_text(out)))
            }),
        };
        self.values.push(StoredValue { column, kind, text });
    }

    fn found_text(&mut self, source: Option<&Source>, fields: &EventFields<'_, '_>) -> Option<TextSpan> {
        let found = fields.find(source?)?;
        Some(self.append(|out| found.push_text(out)))
    }

    /// The span of what is appended to the text of the chunk.
    fn append(&mut self, write: impl FnOnce(&mut String)) -> TextSpan {
        let start = self.text.len();
        write(&mut self.text);
        span(start, self.text.len())
    }

    #[cold]
    fn fault(&mut self, rule: &'static str, is_of_event: bool, message: String) {
        let (n_before, line) = (self.events.len(), self.n_lines);
        self.faults.push(LineFault { rule, n_before, line, is_of_event, message });
    }
}

/// A range of the text of a chunk, which is less than 4 GiB long.
fn span(start: usize, end: usize) -> TextSpan {
    TextSpan { start: start as u32, length: (end - start) as u32 }
}

/// The text of the term that a value is as an argument.
fn term(value: &Json<'_>) -> Option<String> {
    argument(value, &ArgumentTexts::Themselves)?.ok().map(|text| text.into_owned())
}

fn missing(reader: &LineReader<'_>, line: &EventFields<'_, '_>) -> String {
    let map = reader.map;
    let is_missing = |source: &&Source| !line.has_all(std::slice::from_ref(*source));
    let names: Vec<String> = map
        .needs
        .iter()
        .filter(is_missing)
        .map(|source| format!("`{}`", source.name(&map.line_fields, &map.element_fields)))
        .collect();
    format!("expected the keys that the map `{}` needs; missing: {}", map.name, names.join(", "))
}
