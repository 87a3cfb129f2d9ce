//! Event types: which ids were declared, and which kinds of event they are.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::term::hash::RandomState;
use crate::term::letters::atom_text;
use crate::trace::{KeyId, ValueId};

/// Who generates events of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeClass {
    /// The traced program.
    User,
    /// The tracing itself.
    System,
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
    /// Values of its events that the trace has numbered.
    pub(crate) shared: SharedByType,
}

/// The numbers of values that many events of a type share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedByType {
    /// Procedure and port, by the number of arguments.
    pub(crate) keys: [Option<KeyId>; 2],
    /// The class.
    pub(crate) class: Option<ValueId>,
    /// The address of the last event.
    pub(crate) addr: Option<(String, ValueId)>,
}

/// Ids below this are looked up in a table.
const SMALL: usize = 1 << 10;

/// All types of a trace.
#[derive(Default)]
pub(crate) struct EventTypes {
    /// Indexes + 1 of the types with small ids.
    small: Vec<u32>,
    /// By their ids.
    types: IndexMap<i64, EventType, RandomState>,
}

impl EventTypes {
    /// Takes a declaration; returns what is wrong with it.
    pub(crate) fn declare(&mut self, object: &Map<String, Value>) -> Result<Option<String>, String> {
        let id = object.get("type").and_then(Value::as_i64).ok_or("expected an integer for `type`")?;
        let name = object.get("name").and_then(Value::as_str).ok_or("expected a string for `name`")?;
        let word = object.get("class").and_then(Value::as_str).unwrap_or_default();
        let class = match word {
            "user" => TypeClass::User,
            "system" => TypeClass::System,
            other => return Err(format!("expected `user` or `system` for `class`, found `{other}`")),
        };
        let short = name.strip_prefix("posix_trace_");
        let system = short.and_then(|short| SYSTEM.iter().find(|(known, _)| *known == short));
        let fault = match (system, class) {
            (Some(_), TypeClass::User) => Some(format!("`{name}` is a type of the system")),
            (None, TypeClass::System) => Some(format!("`{name}` is not a predefined type of the system")),
            _ => None,
        };
        let (port, kind) = system.copied().unwrap_or(("event", EventMeaning::Event));
        let declared = EventType { name: name.into(), port, kind, class: Some(class), shared: SharedByType::default() };
        Ok(self.insert(id, declared).or(fault))
    }

    fn insert(&mut self, id: i64, declared: EventType) -> Option<String> {
        let Some(known) = self.types.get_mut(&id) else {
            self.types.insert(id, declared);
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
        let n_types = self.types.len();
        let entry = self.types.entry(id);
        let index = entry.index();
        entry.or_insert_with(|| {
            let (name, shared) = (id.to_string().into(), SharedByType::default());
            EventType { name, port: "event", kind: EventMeaning::Event, class: None, shared }
        });
        (index, index == n_types)
    }

    /// The index of the type of an event, if its id is known.
    #[inline]
    pub(crate) fn known(&mut self, id: i64) -> Option<usize> {
        let small = usize::try_from(id).ok().and_then(|id| self.small.get(id));
        let index = match small {
            Some(0) | None => self.look_up(id)?,
            Some(number) => *number as usize - 1,
        };
        Some(index)
    }

    fn look_up(&mut self, id: i64) -> Option<usize> {
        let index = self.types.get_index_of(&id)?;
        if let Some(small) = usize::try_from(id).ok().filter(|id| *id < SMALL) {
            self.small.resize(self.small.len().max(small + 1), 0);
            self.small[small] = index as u32 + 1;
        }
        Some(index)
    }

    /// The type with that index.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &EventType {
        &self.types[index]
    }

    /// The type with that index.
    #[inline]
    pub(crate) fn type_mut(&mut self, index: usize) -> &mut EventType {
        &mut self.types[index]
    }

    /// The declared types, in the order of declaration: `[type(36, note, user), ...]`.
    pub(crate) fn table(&self) -> String {
        let rows = self.types.iter().filter_map(|(id, found)| {
            let class = if found.class? == TypeClass::User { "user" } else { "system" };
            Some(format!("type({id}, {}, {class})", atom_text(&found.name)))
        });
        format!("[{}]", rows.collect::<Vec<_>>().join(", "))
    }
}
