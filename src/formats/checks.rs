//! The library's assertions that fit the traces of a format, and what a trace must have for each.

use crate::trace::Trace;

/// An assertion of the library.
#[derive(Clone, Copy, Debug)]
pub struct ReadyCheck {
    /// The predicate, which has no arguments.
    pub name: &'static str,
    /// What a trace must have for it to say something, beside the attributes that every trace of the format has.
    pub needs: &'static [Need],
}

/// What a trace must have.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// An attribute.
    Attribute(&'static str),
    /// An event of a port.
    Port(&'static str),
}

impl Need {
    /// Whether a trace has it; one without events lacks nothing.
    pub fn is_met(self, trace: &Trace) -> bool {
        match self {
            _ if trace.schema().is_empty() => true,
            Need::Attribute(name) => trace.schema().find(name).is_some(),
            Need::Port(name) => trace.ports().any(|(_, port)| port.as_str() == name),
        }
    }
}

impl ReadyCheck {
    /// An assertion that every trace of the format has the attributes and ports for.
    pub const fn new(name: &'static str) -> ReadyCheck {
        ReadyCheck { name, needs: &[] }
    }

    /// An assertion with what it needs.
    pub const fn with(name: &'static str, needs: &'static [Need]) -> ReadyCheck {
        ReadyCheck { name, needs }
    }
}

/// The trace keeps the rules of its format.
pub const WELL_FORMED: ReadyCheck = ReadyCheck::new("well_formed");

/// Each box is opened and closed in turn.
pub const BOXES_ALTERNATE: ReadyCheck =
    ReadyCheck::with("boxes_alternate", &[Need::Attribute("call"), Need::Attribute("port")]);

/// The assertions about calls in boxes.
pub const OF_BOXES: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_call_ends", &[Need::Attribute("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::with("boxes_nest", &[Need::Attribute("call")]),
    ReadyCheck::with(
        "determinism_is_kept",
        &[Need::Attribute("det"), Need::Attribute("call"), Need::Attribute("port")],
    ),
];
