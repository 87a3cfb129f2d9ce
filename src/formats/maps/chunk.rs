//! The events on the lines of one chunk, each read by itself: everything but its box.

use std::ops::Range;

use super::args;
use super::boxes::BoxRole;
use super::columns::{ArgNames, MapAttributes};
use super::fields::{KeyGuesses, ObjectFields};
use super::line::{EventFields, Found, elements, push_json};
use super::rules::{is_output, no_object};
use super::values::holds;
use crate::formats::json::value::Json;
use crate::formats::lines::LineEnds;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::kept::KeptBytes;
use crate::formats::lines::text::visible_in_json;
use crate::formats::mapping::{BoxKey, JsonMap, PortTable, Source};
use crate::term::hash::HashMap;
use crate::trace::{EventTable, Field, TextSpan, TraceBuilder};

/// Reads lines through a map.
pub(crate) struct LineReader<'m> {
    pub(crate) map: &'m JsonMap,
    /// The ports of the map, and what events at them do.
    pub(crate) ports: Vec<(&'m str, BoxRole)>,
    pub(super) arg_names: ArgNames<'m>,
    attributes: MapAttributes<'m>,
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
    /// The values of the events.
    pub(super) table: EventTable,
    pub(super) args: KeptBytes,
    pub(crate) faults: Vec<LineFault>,
    pub(super) keys: EventKeys,
    /// The texts of the events.
    pub(crate) text: String,
    pub(crate) n_lines: u32,
    scratch: String,
    line_guesses: KeyGuesses,
    element_guesses: KeyGuesses,
}

/// An event; its texts are spans of the text of its chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MappedEvent {
    /// From 0.
    pub(crate) line: u32,
    pub(crate) time: Option<i64>,
    pub(crate) port: u16,
    /// The number of its name, module and port in the keys of the chunk.
    pub(crate) key_number: u32,
    /// The thread as a text, if boxes nest by names.
    pub(crate) thread: Option<TextSpan>,
    pub(crate) key: Option<TextSpan>,
    pub(crate) parent: Option<TextSpan>,
    pub(crate) around: Option<TextSpan>,
    pub(crate) may_open: bool,
    pub(crate) n_args: usize,
}

/// The name, module and port of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventKey<'k> {
    pub(crate) name: Option<&'k str>,
    pub(crate) module: Option<&'k str>,
    pub(crate) port: u16,
}

/// The different names, modules and ports of the events of a chunk.
#[derive(Default)]
pub(super) struct EventKeys {
    /// Names, with a port, the number of the module, and whether there is a name.
    keys: BytesInterner,
    modules: BytesInterner,
}

impl EventKeys {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key with a number.
    pub(super) fn at(&self, number: u32) -> EventKey<'_> {
        let tag = self.keys.entry(number).1;
        let name = (tag & 1 == 1).then(|| self.keys.text(number));
        let module = (tag >> 17 > 0).then(|| self.modules.text((tag >> 17) as u32 - 1));
        EventKey { name, module, port: (tag >> 1) as u16 }
    }

    fn number(&mut self, EventKey { name, module, port }: EventKey<'_>) -> u32 {
        let module = module.map_or(0, |module| i64::from(self.modules.number(module.as_bytes(), 0)) + 1);
        let tag = module << 17 | i64::from(port) << 1 | i64::from(name.is_some());
        self.keys.number(name.unwrap_or_default().as_bytes(), tag)
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.modules.clear();
    }
}

/// Something wrong with a line.
#[derive(Clone, Debug)]
pub(crate) struct LineFault {
    pub(crate) rule: &'static str,
    /// How many events of the chunk come before.
    pub(crate) n_before: u32,
    pub(crate) line: u32,
    /// Whether the fault is one of the event that follows.
    pub(crate) is_of_event: bool,
    pub(crate) message: String,
}

impl<'m> LineReader<'m> {
    /// A reader for a map, whose attributes the trace gets.
    pub(crate) fn new(map: &'m JsonMap, builder: &mut TraceBuilder) -> LineReader<'m> {
        let mut ports = vec![("event", BoxRole::Inside), ("call", BoxRole::Opens), ("exception", BoxRole::Closes)];
        let mut by_text = HashMap::default();
        for (text, port) in map.port.iter().flat_map(|table| &table.ports) {
            let number = ports.iter().position(|(known, _)| *known == &**port).unwrap_or_else(|| {
                ports.push((port, role(port)));
                ports.len() - 1
            });
            by_text.insert(&**text, u16::try_from(number).unwrap_or(POINT));
        }
        LineReader { map, ports, arg_names: ArgNames::of(map), attributes: MapAttributes::new(map, builder), by_text }
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
        match std::str::from_utf8(text) {
            Ok(all) => {
                let mut fields = ObjectFields::default();
                self.each_line(text, |lines, line| lines.line(reader, &all[line], &mut fields));
            }
            Err(_) => self.each_line(text, |lines, line| {
                let line = visible_in_json(&text[line]);
                lines.line(reader, &line, &mut ObjectFields::default());
            }),
        }
        self.args.pack();
    }

    fn each_line(&mut self, text: &[u8], mut take: impl FnMut(&mut MappedLines, Range<usize>)) {
        let ends = LineEnds::of(text);
        let mut start = 0;
        while start < text.len() {
            let (end, next) = ends.next(start).unwrap_or((text.len(), text.len()));
            if !text[start..end].trim_ascii().is_empty() {
                take(self, start..end);
            }
            self.n_lines += 1;
            start = next;
        }
    }

    fn clear(&mut self) {
        self.events.clear();
        self.table.clear();
        self.args.clear();
        self.faults.clear();
        self.keys.clear();
        self.text.clear();
        self.n_lines = 0;
    }

    fn line<'t>(&mut self, reader: &LineReader<'_>, text: &'t str, fields: &mut ObjectFields<'t>) {
        let map = reader.map;
        if let Err(error) = fields.read(text, &map.line_fields, &mut self.line_guesses) {
            let rule = if is_output(text) { "output" } else { "J1" };
            return self.fault(rule, false, no_object(text, error));
        }
        let line = EventFields { text, line: fields, element: fields, item: None };
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
        let mut fields = ObjectFields::default();
        match fields.read(text, &reader.map.element_fields, &mut self.element_guesses) {
            Ok(()) => {
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
        self.place(reader, fields, &mut event);
        event.key_number = self.key_number(map, fields, event.port);
        event.n_args = args::write_args(&map.args, fields, &mut self.scratch);
        self.args.push(u8::from(event.n_args > 0), self.scratch.as_bytes());
        let row = self.table.n_rows();
        if let (Some(id), Some(time)) = (reader.attributes.time, event.time) {
            self.table.set(id, row, Field::Int(time));
        }
        for (id, source) in &reader.attributes.others {
            if let Some(found) = fields.find(source) {
                found.with_field(|field| self.table.set(*id, row, field));
            }
        }
        self.table.end_row();
        self.events.push(event);
    }

    /// The number of the name, module and port of an event.
    fn key_number<'v>(&mut self, map: &'v JsonMap, fields: &EventFields<'v>, port: u16) -> u32 {
        self.scratch.clear();
        let mut write = |source: &'v Option<Source>| {
            let (found, start) = (fields.find(source.as_ref()?)?, self.scratch.len());
            found.push_text(&mut self.scratch);
            Some(start..self.scratch.len())
        };
        let [name, module] = [write(&map.event_name), write(&map.module)].map(|part| Some(&self.scratch[part?]));
        self.keys.number(EventKey { name, module, port })
    }

    /// The time; a line without one is noted once, and each time that is no time breaks J3.
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
                let is_known = of_line.into_iter().any(|fault| fault.rule == "untimed");
                if !is_known {
                    self.fault("untimed", true, "the event has no time".to_owned());
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
            event.around = fields.find_last(nest).map(|name| self.append(|out| name.push_text(out)));
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
        let (n_before, line) = (self.table.n_rows(), self.n_lines);
        self.faults.push(LineFault { rule, n_before, line, is_of_event, message });
    }
}

/// A range of the text of a chunk, which is less than 4 GiB long.
fn span(start: usize, end: usize) -> TextSpan {
    TextSpan { start: start as u32, length: (end - start) as u32 }
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
