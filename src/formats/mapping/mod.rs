//! The language of maps: clauses `map(Name, What, ...)` that say how a line of JSON of another program becomes an event.
//!
//! A map is read by the parser of the language, as data, and compiled once: key names become numbers of fields, and
//! sources become steps. What a source finds in a line is in the format that reads such lines.

mod clauses;
mod presets;
mod source;

pub(crate) use clauses::{MapError, read_maps};
pub(crate) use presets::{PRESETS, Preset, preset_maps};
pub(crate) use source::{Constant, FieldTable, MemberKey, Source, SourcePath, SourceRoot, SourceStep, ValueType};

/// How the lines of one program become events.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonMap {
    pub(crate) name: Box<str>,
    /// What every line has.
    pub(crate) needs: Vec<Source>,
    pub(crate) time: Option<Source>,
    pub(crate) port: Option<PortTable>,
    /// Calls and exits are those of events that have one of these; empty if all are.
    pub(crate) port_if: Vec<Source>,
    /// What makes an exit an exception.
    pub(crate) exception_if: Option<Condition>,
    pub(crate) event_name: Option<Source>,
    pub(crate) module: Option<Source>,
    pub(crate) pid: Option<Source>,
    pub(crate) thread: Option<Source>,
    /// What the events of a box have in common.
    pub(crate) key: Option<BoxKey>,
    /// The key of the box around a box.
    pub(crate) parent: Option<BoxKey>,
    /// The names of the boxes around an event, the outermost first.
    pub(crate) nest: Option<Source>,
    /// Whether the first event with a key opens a box.
    pub(crate) opens_at_first: bool,
    /// The array whose elements are events.
    pub(crate) each: Option<Source>,
    /// The arguments, each with its name.
    pub(crate) args: Vec<(Box<str>, Source)>,
    /// Attributes, each with its name.
    pub(crate) columns: Vec<(Box<str>, Source)>,
    /// The keys of a line that are looked up.
    pub(crate) line_fields: FieldTable,
    /// The keys of an element that are looked up; those of the line if there are no elements.
    pub(crate) element_fields: FieldTable,
}

/// Texts and the ports that they mean.
#[derive(Clone, Debug)]
pub(crate) struct PortTable {
    pub(crate) source: Source,
    pub(crate) ports: Vec<(Box<str>, Box<str>)>,
    /// Whether other texts are faults.
    pub(crate) is_closed: bool,
}

/// The key of a box.
#[derive(Clone, Debug)]
pub(crate) enum BoxKey {
    /// All of these together.
    Tuple(Vec<Source>),
    /// One value.
    Single(Source),
}

/// A comparison of a value with a constant.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) source: Source,
    pub(crate) comparison: Comparison,
    pub(crate) constant: Constant,
}

/// How a condition compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[cfg(test)]
mod tests;
