//! The library's assertions for the traces of a format, and what each needs of a trace.

use crate::trace::Trace;

/// An assertion of the library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyCheck {
    /// The predicate, which has no arguments.
    pub(crate) name: &'static str,
    /// What it needs of a trace, besides the attributes that every trace of the format has.
    pub(crate) needs: &'static [Need],
}

/// Something that an assertion needs of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    /// An attribute.
    Attribute(&'static str),
    /// An event of a port.
    Port(&'static str),
}

impl Need {
    /// Whether a trace has it; a trace without events lacks nothing.
    pub(crate) fn is_met(self, trace: &Trace) -> bool {
        match self {
            _ if trace.schema().is_empty() => true,
            Need::Attribute(name) => trace.schema().find(name).is_some(),
            Need::Port(name) => trace.ports().any(|(_, port)| port.as_str() == name),
        }
    }
}

impl ReadyCheck {
    /// An assertion that needs nothing more of a trace of the format.
    pub(crate) const fn new(name: &'static str) -> ReadyCheck {
        ReadyCheck { name, needs: &[] }
    }

    /// An assertion with its needs.
    pub(crate) const fn with(name: &'static str, needs: &'static [Need]) -> ReadyCheck {
        ReadyCheck { name, needs }
    }
}

/// The trace keeps the rules of its format.
pub(crate) const WELL_FORMED: ReadyCheck = ReadyCheck::new("well_formed");

/// The events of a box alternate between opening and closing it.
pub(crate) const BOXES_ALTERNATE: ReadyCheck =
    ReadyCheck::with("boxes_alternate", &[Need::Attribute("call"), Need::Attribute("port")]);

/// The assertions about spans, whatever the format. Their boxes need not nest: children may outlive their parents.
pub(crate) const OF_SPANS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_call_ends", &[Need::Attribute("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::with("no_orphans", &[Need::Attribute("call")]),
];

/// The assertions for a trace, whose format has those of a table.
pub(crate) fn ready_checks(trace: &Trace, of_format: &'static [ReadyCheck]) -> &'static [ReadyCheck] {
    if trace.schema().is_of_spans() { OF_SPANS } else { of_format }
}

/// The assertions about calls in boxes.
pub(crate) const OF_BOXES: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_call_ends", &[Need::Attribute("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::with("boxes_nest", &[Need::Attribute("call")]),
    ReadyCheck::with(
        "determinism_is_kept",
        &[Need::Attribute("det"), Need::Attribute("call"), Need::Attribute("port")],
    ),
];
