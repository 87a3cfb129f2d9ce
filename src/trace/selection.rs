//! Which events of a trace a question can ask for, told before the trace is read.

use super::schema::AttributeId;

/// The events that are needed, and what of them; others may be left out of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// An event is needed if one of these is true of it.
    pub wanted: Vec<Wanted>,
    /// Which of the events that are needed are enough.
    pub extent: Extent,
    /// The attributes that are asked for, if not all may be.
    pub attributes: Option<Vec<AttributeId>>,
    /// Whether the number of all events must be known.
    pub counts_events: bool,
    /// Whether the first event of each call must be a call event, as only those are there.
    pub needs_starts: bool,
}

impl Selection {
    /// Whether one of these attributes is asked for.
    pub fn asks(&self, attributes: &[AttributeId]) -> bool {
        match &self.attributes {
            Some(asked) => attributes.iter().any(|attribute| asked.contains(attribute)),
            None => true,
        }
    }

    /// Whether nothing is asked for that stands behind the port of an event.
    pub fn is_of_heads(&self) -> bool {
        use AttributeId as Id;
        !self.asks(&[Id::NAME, Id::ARITY, Id::PROC, Id::ARGS, Id::GOAL_PATH, Id::LINE_NUMBER])
    }
}

/// What is true of an event that is needed; more may be asked of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// It has one of these ports, under their own names.
    pub ports: Option<Vec<String>>,
    /// Its procedure has one of these names.
    pub names: Option<Vec<String>>,
    /// Its procedure has this arity.
    pub arity: Option<i64>,
}

/// Which of the events that are needed are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    All,
    /// As many from the start.
    First(usize),
    /// As many before the last event of the trace, and that one.
    Last(usize),
}

/// The whole of which a trace has only the events that were needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole {
    /// How many events it has.
    pub(super) n_events: u64,
}
