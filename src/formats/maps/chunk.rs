//! The events on the lines of one chunk, each read by itself: everything but its box.

use super::boxes::BoxRole;
use super::columns::ArgNames;
use super::line::{EventFields, Found, ObjectFields, elements, push_json_text};
use super::rules::no_object;
use super::values::holds;
use crate::formats::json::terms::{ArgumentTexts, argument};
use crate::formats::json::value::Json;
use crate::formats::lines::interner::BytesInterner;
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
    pub(super) arg_names: ArgNames<'m>,
    /// The numbers of the ports that texts mean.
    by_text: HashMap<&'m str, u16>,
}

/// The numbers of the ports that events of every map may have.
pub(crate) const POINT: u16 = 0;
pub(crate) const CALL: u16 = 1;
const EXCEPTION: u16 = 2;

/// The events of a chunk, in the order of the lines.
#[derive(Default)]
pub(crate) struct MappedLines {
    pub(crate) events: Vec<MappedEvent>,
    pub(crate) values: Vec<StoredValue>,
    pub(crate) faults: Vec<LineFault>,
    /// The different names, modules and ports of the events.
    pub(crate) keys: Vec<EventKey>,
    /// The numbers of `keys`.
    key_numbers: BytesInterner,
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
    /// The number of its name, module and port in the keys of the chunk.
    pub(crate) key_number: u32,
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

/// The name, module and port of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventKey {
    pub(crate) name: Option<TextSpan>,
    pub(crate) module: Option<TextSpan>,
    pub(crate) port: u16,
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
        LineReader { map, ports, arg_names: ArgNames::of(map), by_text }
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
        self.keys.clear();
        self.key_numbers = BytesInterner::default();
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
    fn elements<'v>(&mut self, reader: &'v LineReader<'_>, line: &EventFields<'v>, found: &Json<'_>) {
        match found {
            Json::Nested(text) if text.starts_with('[') => {
                elements(text).for_each(|element| self.element(reader, line, element));
            }
            Json::Nested(_) => self.item(reader, line, None),
            item => self.item(reader, line, Some(item)),
        }
    }

    fn element<'v>(&mut self, reader: &'v LineReader<'_>, line: &EventFields<'v>, text: &str) {
        match ObjectFields::read(text, &reader.map.element_fields) {
            Ok(fields) => {
                self.event(reader, &EventFields { text: line.text, line: line.line, element: &fields, item: None })
            }
            Err(_) => self.item(reader, line, Some(&Json::of(text))),
        }
    }

    /// The event of an element that is no object.
    fn item<'v>(&mut self, reader: &'v LineReader<'_>, line: &EventFields<'v>, item: Option<&Json<'_>>) {
        let none = ObjectFields::default();
        self.event(reader, &EventFields { text: line.text, line: line.line, element: &none, item });
    }

    fn event<'v>(&mut self, reader: &'v LineReader<'_>, fields: &EventFields<'v>) {
        let map = reader.map;
        let mut event = MappedEvent { line: self.n_lines, ..MappedEvent::default() };
        event.time = self.time(map, fields);
        event.port = self.port(reader, fields);
        event.name = self.found_text(map.event_name.as_ref(), fields);
        event.module = self.found_text(map.module.as_ref(), fields);
        let names_end = self.text.len();
        self.place(reader, fields, &mut event);
        event.key_number = self.key_number(&event, names_end);
        self.args(map, fields, &mut event);
        self.value(Column::Pid, map.pid.as_ref(), fields);
        self.value(Column::Thread, map.thread.as_ref(), fields);
        for (number, (_, source)) in map.columns.iter().enumerate() {
            self.value(Column::Own(number), Some(source), fields);
        }
        event.values_end = self.values.len();
        self.events.push(event);
    }

    /// The number of the name, module and port of an event, whose name and module end the text at `end`.
    fn key_number(&mut self, event: &MappedEvent, end: usize) -> u32 {
        let start = event.name.or(event.module).map_or(end, |first| first.start as usize);
        let length = event.name.map_or(0, |name| i64::from(name.length) + 1);
        let number = (length << 17) | (i64::from(event.port) << 1) | i64::from(event.module.is_some());
        if let Some(code) = self.key_numbers.find(self.text.as_bytes(), start..end, number) {
            return code;
        }
        self.keys.push(EventKey { name: event.name, module: event.module, port: event.port });
        self.key_numbers.add(&self.text.as_bytes()[start..end], number)
    }

    /// The time; a line without it breaks J3 once, and each time that is no time breaks it.
    fn time<'v>(&mut self, map: &'v JsonMap, fields: &EventFields<'v>) -> Option<i64> {
        let source = map.time.as_ref()?;
        match fields.find(source) {
            Some(Found::Int(time)) => return Some(time),
            Some(other) => {
                let mut text = String::new();
                other.push_text(&mut text);
                self.fault("J3", true, format!("expected a time, found {}", super::rules::shown(&text)));
            }
            None => {
                let of_line = self.faults.iter().rev().take_while(|fault| fault.line == self.n_lines);
                let is_known = of_line.into_iter().any(|fault| fault.rule == "J3");
                if !is_known {
                    self.fault("J3", true, "the event has no time".to_owned());
                }
            }
        }
        None
    }

    /// The number of the port.
    fn port<'v>(&mut self, reader: &'v LineReader<'_>, fields: &EventFields<'v>) -> u16 {
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

    fn port_of_text<'v>(&mut self, reader: &LineReader<'_>, table: &'v PortTable, fields: &EventFields<'v>) -> u16 {
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
    fn place<'v>(&mut self, reader: &'v LineReader<'_>, fields: &EventFields<'v>, event: &mut MappedEvent) {
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

    /// A text of an event.
    pub(crate) fn text_of(&self, span: TextSpan) -> Option<&str> {
        let start = span.start as usize;
        self.text.get(start..start + span.length as usize)
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
    fn key<'v>(&mut self, key: &'v BoxKey, fields: &EventFields<'v>) -> (Option<TextSpan>, bool) {
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
                    Some(found) => found.with(|value| push_json(out, value)),
                    None => out.push_str("null"),
                }
            }
        });
        (Some(span).filter(|_| has_some || matches!(key, BoxKey::Tuple(_))), has_some)
    }

    /// The arguments up to the last one that is there.
    fn args<'v>(&mut self, map: &'v JsonMap, fields: &EventFields<'v>, event: &mut MappedEvent) {
        let start = self.text.len();
        let mut end = start;
        for (index, (_, source)) in map.args.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            let text = &mut self.text;
            match fields.find(source).and_then(|found| found.with(|value| push_term(text, value))) {
                Some(()) => (end, event.n_args) = (self.text.len(), index + 1),
                None => self.text.push('-'),
            }
        }
        self.text.truncate(end);
        event.args = (event.n_args > 0).then(|| span(start, end));
    }

    /// Keeps a value of an attribute.
    fn value<'v>(&mut self, column: Column, source: Option<&'v Source>, fields: &EventFields<'v>) {
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

    fn found_text<'v>(&mut self, source: Option<&'v Source>, fields: &EventFields<'v>) -> Option<TextSpan> {
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

/// Appends a value as JSON.
fn push_json(out: &mut String, value: &Json<'_>) {
    match value {
        Json::Text(text) => push_json_text(out, text),
        other => out.push_str(&other.written()),
    }
}

/// A range of the text of a chunk, which is less than 4 GiB long.
fn span(start: usize, end: usize) -> TextSpan {
    TextSpan { start: start as u32, length: (end - start) as u32 }
}

/// Appends the text of the term that a value is as an argument; none for null.
fn push_term(out: &mut String, value: &Json<'_>) -> Option<()> {
    out.push_str(&argument(value, &ArgumentTexts::Themselves)?.ok()?);
    Some(())
}

fn missing<'v>(reader: &'v LineReader<'_>, line: &EventFields<'v>) -> String {
    let map = reader.map;
    let is_missing = |source: &&'v Source| !line.has_all(std::slice::from_ref(*source));
    let names: Vec<String> = map
        .needs
        .iter()
        .filter(is_missing)
        .map(|source| format!("`{}`", source.name(&map.line_fields, &map.element_fields)))
        .collect();
    format!("expected the keys that the map `{}` needs; missing: {}", map.name, names.join(", "))
}
