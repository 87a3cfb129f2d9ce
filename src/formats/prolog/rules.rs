//! Integrity rules T1 to T8, and guesses: what is reported about an event.

use crate::formats::not_terms;
use crate::term::letters::excerpt;
use crate::trace::FindingSeverity;

/// The rules whose findings are not faults.
pub(crate) const SEVERITIES: &[(&str, FindingSeverity)] = &[
    not_terms::SEVERITY,
    // traces by leaps, skips and spy points lack calls
    ("T2", FindingSeverity::Note),
    ("T3", FindingSeverity::Warning),
    ("T6", FindingSeverity::Warning),
    ("guess", FindingSeverity::Note),
];

/// A rule that an event breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TracerRule {
    NoCall,
    Depth { expected: u32, printed: u32 },
    OtherProcedure,
    NotOpen,
    NumberGap { greatest: u32, number: u32 },
    NoInstance { call: String },
    Unclosed,
    Guess,
}

impl TracerRule {
    /// The name of the rule.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            TracerRule::NoCall => "T2",
            TracerRule::Depth { .. } => "T3",
            TracerRule::OtherProcedure => "T4",
            TracerRule::NotOpen => "T5",
            TracerRule::NumberGap { .. } => "T6",
            TracerRule::NoInstance { .. } => "T7",
            TracerRule::Unclosed => "T8",
            TracerRule::Guess => "guess",
        }
    }

    /// What is wrong with an event of a port.
    pub(crate) fn message(&self, port: &str) -> String {
        match self {
            TracerRule::NoCall => format!("a box begins with {port}: its call is not in the trace"),
            TracerRule::Depth { expected, printed } => format!("expected depth {expected}, found {printed}"),
            TracerRule::OtherProcedure => "the box that is open here is one of another procedure".to_owned(),
            TracerRule::NotOpen => format!("{port} of a box that is not open"),
            TracerRule::NumberGap { greatest, number } => {
                format!("number {number} follows {greatest}: the calls between are not in the trace")
            }
            TracerRule::NoInstance { call } => {
                format!("the goal is not an instance of the one that was called: {}", excerpt(call))
            }
            TracerRule::Unclosed => "a bracket or quote of the goal is not closed".to_owned(),
            TracerRule::Guess => "several boxes fit this redo: the newest of those that fit best is taken".to_owned(),
        }
    }

    /// Whether the goals of the box can still be compared. A box with a number stays known by it.
    pub(crate) fn leaves_goal(&self, by_number: bool) -> bool {
        match self {
            TracerRule::NumberGap { .. } | TracerRule::Unclosed => true,
            TracerRule::OtherProcedure | TracerRule::NotOpen => by_number,
            _ => false,
        }
    }
}
