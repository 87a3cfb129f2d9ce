//! The closed vocabularies of an event line: ports, determinisms, procedure types, with all their spellings.

use crate::trace::{DETERMINISMS, MERCURY_PORTS, PortRecord, PortRole, Traced};

/// What box tracers of Prolog write at the start of a negated goal.
const NEG: PortRecord = PortRecord { name: "neg", spellings: &["NEG"], role: PortRole::Inside, traced: Traced::No };

/// The ports of an event line: Mercury's, and `neg`.
pub const PORTS: &[PortRecord] = &{
    let mut ports = [NEG; MERCURY_PORTS.len() + 1];
    let mut index = 0;
    while index < MERCURY_PORTS.len() {
        ports[index] = MERCURY_PORTS[index];
        index += 1;
    }
    ports
};

/// What is printed for a procedure type, and its name.
pub const PROC_TYPES: &[(&str, &str)] = &[("(predicate)", "predicate"), ("(function)", "function")];

/// The port that `word` spells, under its own name.
pub fn port(word: &[u8]) -> Option<&'static str> {
    let spells = |spelling: &str| is_same(spelling, word);
    let by_name = PORTS.iter().find(|port| spells(port.name));
    by_name.or_else(|| PORTS.iter().find(|port| port.spellings.iter().any(|other| spells(other)))).map(|port| port.name)
}

/// The determinism that `word` spells, in Morphine's own spelling.
pub fn det(word: &[u8]) -> Option<&'static str> {
    let spells = |spelling: &str| is_same(spelling, word);
    DETERMINISMS
        .iter()
        .find(|(name, others)| spells(name) || others.iter().any(|other| spells(other)))
        .map(|(name, _)| *name)
}

/// Equality that mostly needs to look at one byte.
fn is_same(spelling: &str, word: &[u8]) -> bool {
    spelling.as_bytes().first() == word.first() && spelling.as_bytes() == word
}
