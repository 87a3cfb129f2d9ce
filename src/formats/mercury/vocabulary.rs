//! The closed vocabularies of an event line: ports, determinisms, procedure types, with all their spellings.

use crate::formats::lines::swar;
use crate::trace::{DETERMINISMS, MERCURY_PORTS, PortRecord, PortRole, Traced};

/// What box tracers of Prolog write at the start of a negated goal.
const NEG: PortRecord = PortRecord {
    name: "neg",
    spellings: &["NEG"],
    role: PortRole::Inside,
    traced: Traced::No,
    doc: "a negated goal is entered",
};

/// The ports of an event line: Mercury's, and `neg`.
pub(crate) const PORTS: &[PortRecord] = &{
    let mut ports = [NEG; MERCURY_PORTS.len() + 1];
    let mut index = 0;
    while index < MERCURY_PORTS.len() {
        ports[index] = MERCURY_PORTS[index];
        index += 1;
    }
    ports
};

/// Printed procedure types, and their names.
pub(crate) const PROC_TYPES: &[(&str, &str)] = &[("(predicate)", "predicate"), ("(function)", "function")];

/// The port that `word` spells, under its own name.
pub(crate) fn port(word: &[u8]) -> Option<&'static str> {
    let spells = |spelling: &str| is_same(spelling, word);
    let by_name = PORTS.iter().find(|port| spells(port.name));
    by_name.or_else(|| PORTS.iter().find(|port| port.spellings.iter().any(|other| spells(other)))).map(|port| port.name)
}

/// The determinism that `word` spells, in Morphine's own spelling.
pub(crate) fn det(word: &[u8]) -> Option<&'static str> {
    let spells = |spelling: &str| is_same(spelling, word);
    DETERMINISMS
        .iter()
        .find(|(name, others)| spells(name) || others.iter().any(|other| spells(other)))
        .map(|(name, _)| *name)
}

/// Equality that mostly compares one byte.
fn is_same(spelling: &str, word: &[u8]) -> bool {
    spelling.as_bytes().first() == word.first() && spelling.as_bytes() == word
}

/// The index in [`PORTS`] of the port with whose name and a blank `text` begins, and the length of the name.
///
/// Names of at most seven bytes are found without a loop, if eight bytes are there.
#[inline(always)]
pub(crate) fn port_before_blank(text: &[u8]) -> Option<(u32, usize)> {
    if let Some(word) = swar::load(text, 0) {
        let length = swar::before_byte(word, b' ');
        if length < 8 {
            let name = word & ((1 << (8 * length)) - 1);
            let (known, index) = SHORT_PORTS[slot(name)];
            return (known == name && name != 0).then_some((index, length));
        }
    }
    let length = text.iter().take(24).position(|byte| *byte == b' ')?;
    let index = PORTS.iter().position(|port| is_same(port.name, &text[..length]))?;
    Some((index as u32, length))
}

/// The names of at most seven bytes, each in a slot of its own.
static SHORT_PORTS: [(u64, u32); 32] = {
    let mut ports = [(0, 0); 32];
    let mut index = 0;
    while index < PORTS.len() {
        let name = PORTS[index].name.as_bytes();
        if name.len() < 8 {
            let (mut packed, mut at) = (0, name.len());
            while at > 0 {
                at -= 1;
                packed = packed << 8 | name[at] as u64;
            }
            assert!(ports[slot(packed)].0 == 0, "two ports share a slot: choose another factor");
            ports[slot(packed)] = (packed, index as u32);
        }
        index += 1;
    }
    ports
};

const fn slot(name: u64) -> usize {
    (name.wrapping_mul(0x1999_9E3F_A46D_6753) >> 59) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_port_is_found_by_its_name_and_nothing_else_is() {
        for (index, port) in PORTS.iter().enumerate() {
            let found = Some((index as u32, port.name.len()));
            for rest in [" ", " p", " p(a, b) []"] {
                assert_eq!(port_before_blank(format!("{}{rest}", port.name).as_bytes()), found, "{}", port.name);
            }
        }
        for text in ["", " ", "        ", "cal p(a) [] ", "callx p(a)", "call", "CALL p(a) []", "exceptional p"] {
            assert_eq!(port_before_blank(text.as_bytes()), None, "{text}");
        }
    }
}
