//! Event types: which ids were declared, and which kinds of event they are.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::{Map, Value};

use crate::term::letters::atom_text;
use crate::trace::{KeyId, ValueId};

/// Who generates events of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The traced program.
    User,
    /// The tracing itself.
    System,
}

/// What an event does to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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

/// The predefined system types behind `posix_trace_`, which are also the names of their ports.
const SYSTEM: &[(&str, Kind)] = &[
    ("start", Kind::Start),
    ("stop", Kind::Stop),
    ("overflow", Kind::Overflow),
    ("resume", Kind::Resume),
    ("flush_start", Kind::FlushStart),
    ("flush_stop", Kind::FlushStop),
    ("filter", Kind::Filter),
    ("error", Kind::Error),
];

/// A type of event.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its name; the id if it was not declared.
    pub name: Box<str>,
    /// The name of its port.
    pub port: &'static str,
    /// What its events do.
    pub kind: Kind,
    /// Who generates it; unknown if it was not declared.
    pub class: Option<Class>,
    /// What the trace was told of it already.
    pub told: Told,
}

/// What many events of a type share, as it was told before.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// By the number of arguments.
    pub keys: [Option<KeyId>; 2],
    /// The class.
    pub class: Option<ValueId>,
    /// The address of the last event.
    pub addr: Option<(String, ValueId)>,
}

/// Ids below this are looked up faster.
const SMALL: usize = 1 << 10;

/// All types of a trace.
#[derive(Default)]
pub struct Types {
    /// The numbers + 1 of those with small ids.
    small: Vec<u32>,
    by_id: HashMap<i64, usize, RandomState>,
    types: Vec<Type>,
}

impl Types {
    /// Takes a declaration; gives what is wrong with it.
    pub fn declare(&mut self, object: &Map<String, Value>) -> Result<Option<String>, String> {
        let id = object.get("type").and_then(Value::as_i64).ok_or("expected an integer for `type`")?;
        let name = object.get("name").and_then(Value::as_str).ok_or("expected a string for `name`")?;
        let word = object.get("class").and_then(Value::as_str).unwrap_or_default();
        let class = match word {
            "user" => Class::User,
            "system" => Class::System,
            other => return Err(format!("expected `user` or `system` for `class`, found `{other}`")),
        };
        let short = name.strip_prefix("posix_trace_");
        let system = short.and_then(|short| SYSTEM.iter().find(|(known, _)| *known == short));
        let fault = match (system, class) {
            (Some(_), Class::User) => Some(format!("`{name}` is a type of the system")),
            (None, Class::System) => Some(format!("`{name}` is no predefined type of the system")),
            _ => None,
        };
        let (port, kind) = system.copied().unwrap_or(("event", Kind::Event));
        let declared = Type { name: name.into(), port, kind, class: Some(class), told: Told::default() };
        Ok(self.insert(id, declared).or(fault))
    }

    fn insert(&mut self, id: i64, declared: Type) -> Option<String> {
        let Some(&index) = self.by_id.get(&id) else {
            self.by_id.insert(id, self.types.len());
            self.types.push(declared);
            return None;
        };
        let known = &mut self.types[index];
        if known.class.is_some() {
            return Some(format!("type {id} is declared a second time: the first one counts"));
        }
        *known = declared;
        Some(format!("type {id} is declared after its first event"))
    }

    /// The number of the type of an event, and whether its id comes up here for the first time without a declaration.
    pub fn of_event(&mut self, id: i64) -> (usize, bool) {
        let found = self.by_id.get(&id).copied();
        let index = found.unwrap_or(self.types.len());
        if found.is_none() {
            self.by_id.insert(id, index);
            let name = id.to_string().into();
            let told = Told::default();
            self.types.push(Type { name, port: "event", kind: Kind::Event, class: None, told });
        }
        (index, found.is_none())
    }

    /// The number of the type of an event, if its id is known.
    #[inline]
    pub fn known(&mut self, id: i64) -> Option<usize> {
        let small = usize::try_from(id).ok().and_then(|id| self.small.get(id));
        let index = match small {
            Some(0) | None => self.look_up(id)?,
            Some(number) => *number as usize - 1,
        };
        Some(index)
    }

    fn look_up(&mut self, id: i64) -> Option<usize> {
        let index = *self.by_id.get(&id)?;
        if let Some(small) = usize::try_from(id).ok().filter(|id| *id < SMALL) {
            self.small.resize(self.small.len().max(small + 1), 0);
            self.small[small] = index as u32 + 1;
        }
        Some(index)
    }

    /// The type with that number.
    #[inline]
    pub fn at(&self, index: usize) -> &Type {
        &self.types[index]
    }

    /// The type with that number.
    #[inline]
    pub fn type_mut(&mut self, index: usize) -> &mut Type {
        &mut self.types[index]
    }

    /// The declared types, in the order of declaration: `[type(36, note, user), ...]`.
    pub fn table(&self) -> String {
        let mut declared: Vec<(usize, i64)> = self.by_id.iter().map(|(id, index)| (*index, *id)).collect();
        declared.sort_unstable();
        let rows = declared.into_iter().filter_map(|(index, id)| {
            let found = &self.types[index];
            let class = if found.class? == Class::User { "user" } else { "system" };
            Some(format!("type({id}, {}, {class})", atom_text(&found.name)))
        });
        format!("[{}]", rows.collect::<Vec<_>>().join(", "))
    }
}
