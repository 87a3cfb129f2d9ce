//! What a key of an object means: an attribute by its full name, or one that the trace brings.

use crate::formats::json::value::Json;
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, BASE, TraceBuilder};

/// A key that was met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyColumn {
    /// The attribute; none if there are too many.
    pub(crate) id: Option<AttributeId>,
    pub(crate) meaning: KeyMeaning,
}

/// What the values of a key are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyMeaning {
    /// An attribute of the table, by its id.
    Known,
    /// A time.
    Time,
    /// The value of a function.
    Result,
    /// The thread that an event belongs to, or a part of that.
    Thread,
    /// Whatever the writer meant.
    Own,
}

/// The keys that were met so far.
#[derive(Default)]
pub(crate) struct KeyColumns {
    slots: HashMap<Box<str>, KeyColumn>,
    /// Columns that were made of parts of objects.
    n_parts: usize,
}

impl KeyColumns {
    /// Columns for parts of objects.
    const MOST_PARTS: usize = 256;

    /// What a key means.
    pub(crate) fn slot(&mut self, key: &str, builder: &mut TraceBuilder) -> KeyColumn {
        if let Some(slot) = self.slots.get(key) {
            return *slot;
        }
        let slot = KeyColumn { id: builder.own_attribute(key), meaning: meaning(key) };
        self.slots.insert(key.into(), slot);
        slot
    }

    /// What the part `key.sub` of an object means; none if there are enough of them.
    pub(crate) fn part(&mut self, key: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
        if !self.slots.contains_key(key) {
            if self.n_parts == KeyColumns::MOST_PARTS {
                return None;
            }
            self.n_parts += 1;
        }
        self.slot(key, builder).id
    }
}

fn meaning(key: &str) -> KeyMeaning {
    match key {
        "time" => KeyMeaning::Time,
        "result" => KeyMeaning::Result,
        "pid" | "thread" | "tid" => KeyMeaning::Thread,
        // the stack follows from the calls, so that a key of this name is the writer's own
        "stack" => KeyMeaning::Own,
        _ if BASE.iter().any(|row| row.name == key) => KeyMeaning::Known,
        _ => KeyMeaning::Own,
    }
}

/// How clearly a key shows that its object is an event of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventMark {
    /// Logs of other programs do not have it.
    Own,
    /// Logs of other programs may have it too.
    Shared,
}

/// What a key with its value shows: `port` or `name` suffices for an event, and a port is a text.
pub(crate) fn event_mark(key: &str, value: Option<&Json<'_>>) -> Option<EventMark> {
    match key {
        "port" => value.is_none_or(|value| value.text().is_some()).then_some(EventMark::Own),
        "chrono" | "posix_trace" | "papaver" => Some(EventMark::Own),
        "name" | "proc" => Some(EventMark::Shared),
        _ => None,
    }
}

/// The id of an attribute of the table.
pub(crate) fn known(id: Option<AttributeId>, meaning: KeyMeaning) -> Option<AttributeId> {
    id.filter(|_| meaning == KeyMeaning::Known)
}
