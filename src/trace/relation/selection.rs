//! Selections: which events of a trace a query can need, known before the trace is read.

use crate::trace::event::schema::AttributeId;

/// The events that a query needs, and which parts of them; a reader may leave out all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// An event is needed if one of these holds of it.
    pub(crate) wanted: Vec<NeededEvents>,
    /// How many of the needed events suffice.
    pub(crate) extent: SufficientEvents,
    /// The attributes that the query uses; none if it may use all.
    pub(crate) attributes: Option<Vec<AttributeId>>,
    /// Whether the query needs the number of all events.
    pub(crate) counts_events: bool,
    /// Whether the query needs call events only, so that the first event of each call must be one.
    pub(crate) needs_starts: bool,
}

impl Selection {
    /// Whether the query uses one of these attributes.
    pub(crate) fn asks(&self, attributes: &[AttributeId]) -> bool {
        match &self.attributes {
            Some(asked) => attributes.iter().any(|attribute| asked.contains(attribute)),
            None => true,
        }
    }

    /// Whether the query uses nothing that follows the port on an event line.
    pub(crate) fn is_of_heads(&self) -> bool {
        use AttributeId as Id;
        !self.asks(&[Id::NAME, Id::ARITY, Id::PROC, Id::ARGS, Id::GOAL_PATH, Id::LINE_NUMBER])
    }
}

/// Necessary conditions for an event to be needed; the query may add others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NeededEvents {
    /// Its port is one of these canonical names.
    pub(crate) ports: Option<Vec<String>>,
    /// Its procedure has one of these names.
    pub(crate) names: Option<Vec<String>>,
    /// Its procedure has this arity.
    pub(crate) arity: Option<i64>,
}

/// How many of the needed events suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SufficientEvents {
    /// All of them.
    All,
    /// This many from the start.
    First(usize),
    /// This many before the last event of the trace, and that one.
    Last(usize),
}

/// The whole trace, if a trace has only the events that were needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeTrace {
    /// The number of its events.
    pub(crate) n_events: u64,
}
