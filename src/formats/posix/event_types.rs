//! Event types: which ids were declared, and which kinds of event they are.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::term::hash::RandomState;
use crate::term::letters::atom_text;
use crate::trace::KeyId;

/// Who generates events of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeClass {
    /// The traced program.
    User,
    /// The tracing itself.
    System,
}

impl TypeClass {
    /// Its word, in lines and as a value.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            TypeClass::User => "user",
            TypeClass::System => "system",
        }
    }
}

/// What an event does to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventMeaning {
    Event,
    Start,
    Stop,
    Overflow,
    Resume,
    FlushStart,
    FlushStop,
    Filter,
    Error,
}

/// The predefined system types without `posix_trace_`, which are also the names of their ports.
const SYSTEM: &[(&str, EventMeaning)] = &[
    ("start", EventMeaning::Start),
    ("stop", EventMeaning::Stop),
    ("overflow", EventMeaning::Overflow),
    ("resume", EventMeaning::Resume),
    ("flush_start", EventMeaning::FlushStart),
    ("flush_stop", EventMeaning::FlushStop),
    ("filter", EventMeaning::Filter),
    ("error", EventMeaning::Error),
];

/// A type of event.
#[derive(Clone, Debug)]
pub(crate) struct EventType {
    /// Its name; the id if it was not declared.
    pub(crate) name: Box<str>,
    /// The name of its port.
    pub(crate) port: &'static str,
    /// What its events do.
    pub(crate) kind: EventMeaning,
    /// Who generates it; unknown if it was not declared.
    pub(crate) class: Option<TypeClass>,
    /// Procedure and port as the trace numbers them, by the number of arguments.
    pub(crate) keys: [Option<KeyId>; 2],
}

/// All types of a trace, by their ids.
#[derive(Default)]
pub(crate) struct EventTypes(IndexMap<i64, EventType, RandomState>);

impl EventTypes {
    /// Takes a declaration; returns what is wrong with it.
    pub(crate) fn declare(&mut self, object: &Map<String, Value>) -> Result<Option<String>, String> {
        let id = object.get("type").and_then(Value::as_i64).ok_or("expected an integer for `type`")?;
        let name = object.get("name").and_then(Value::as_str).ok_or("expected a string for `name`")?;
        let word = object.get("class").and_then(Value::as_str).unwrap_or_default();
        let class = [TypeClass::User, TypeClass::System].into_iter().find(|class| class.word() == word);
        let class = class.ok_or_else(|| format!("expected `user` or `system` for `class`, found `{word}`"))?;
        let short = name.strip_prefix("posix_trace_");
        let system = short.and_then(|short| SYSTEM.iter().find(|(known, _)| *known == short));
        let fault = match (system, class) {
            (Some(_), TypeClass::User) => Some(format!("`{name}` is a type of the system")),
            (None, TypeClass::System) => Some(format!("`{name}` is not a predefined type of the system")),
            _ => None,
        };
        let (port, kind) = system.copied().unwrap_or(("event", EventMeaning::Event));
        let declared = EventType { name: name.into(), port, kind, class: Some(class), keys: [None; 2] };
        Ok(self.insert(id, declared).or(fault))
    }

    fn insert(&mut self, id: i64, declared: EventType) -> Option<String> {
        let Some(known) = self.0.get_mut(&id) else {
            self.0.insert(id, declared);
            return None;
        };
        if known.class.is_some() {
            return Some(format!("type {id} is declared a second time: the first one counts"));
        }
        *known = declared;
        Some(format!("type {id} is declared after its first event"))
    }

    /// The index of the type of an event, and whether its id is new and not declared.
    pub(crate) fn of_event(&mut self, id: i64) -> (usize, bool) {
        let n_types = self.0.len();
        let entry = self.0.entry(id);
        let index = entry.index();
        entry.or_insert_with(|| {
            let name = id.to_string().into();
            EventType { name, port: "event", kind: EventMeaning::Event, class: None, keys: [None; 2] }
        });
        (index, index == n_types)
    }

    /// The type with that index.
    pub(crate) fn at(&self, index: usize) -> &EventType {
        &self.0[index]
    }

    /// The same.
    pub(crate) fn type_mut(&mut self, index: usize) -> &mut EventType {
        &mut self.0[index]
    }

    /// The declared types, in the order of declaration: `[type(36, note, user), ...]`.
    pub(crate) fn table(&self) -> String {
        let rows = self
            .0
            .iter()
            .filter_map(|(id, found)| Some(format!("type({id}, {}, {})", atom_text(&found.name), found.class?.word())));
        format!("[{}]", rows.collect::<Vec<_>>().join(", "))
    }
}
