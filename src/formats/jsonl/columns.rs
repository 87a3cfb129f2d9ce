//! What a key of an object means: an attribute by its full name, or one that the trace brings.

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

/// Whether an object with this key may be an event: `port` or `name` suffices.
pub(crate) fn marks_event(key: &str) -> bool {
    matches!(key, "port" | "name" | "proc" | "chrono" | "papaver")
}

/// The id of an attribute of the table.
pub(crate) fn known(id: Option<AttributeId>, meaning: KeyMeaning) -> Option<AttributeId> {
    id.filter(|_| meaning == KeyMeaning::Known)
}
