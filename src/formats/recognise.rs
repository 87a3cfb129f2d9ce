//! Recognising the format of a trace by its first lines.

use super::{FORMATS, Format};

/// Bytes of the first lines that are enough if nearly all of these are events.
const FEW: usize = 1 << 13;

/// The format with most events in the first lines, of several the first one; none if there are no events.
pub fn likeliest(head: &[u8]) -> Option<&'static Format> {
    let few = first_lines(head);
    let n_lines = few.split(|byte| *byte == b'\n' || *byte == b'\r').filter(|line| !line.is_empty()).count();
    let by_few = best(few).filter(|(score, _)| score * 10 > n_lines * 9);
    by_few.or_else(|| best(head)).map(|(_, format)| format)
}

/// A format that recognises more than twice as many of the first lines as the one that was asked for.
pub fn likelier(forced: &Format, head: &[u8]) -> Option<&'static Format> {
    let n_forced = (forced.sniff)(head);
    FORMATS.iter().find(|format| (format.sniff)(head) > 2 * n_forced)
}

/// The lines in the first [`FEW`] bytes.
fn first_lines(head: &[u8]) -> &[u8] {
    let few = &head[..head.len().min(FEW)];
    match memchr::memrchr2(b'\n', b'\r', few) {
        Some(end) if few.len() < head.len() => &few[..end],
        _ => few,
    }
}

fn best(head: &[u8]) -> Option<(usize, &'static Format)> {
    let scored = FORMATS.iter().rev().map(|format| ((format.sniff)(head), format));
    scored.max_by_key(|(score, _)| *score).filter(|(score, _)| *score > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(head: &str) -> Option<&'static str> {
        likeliest(head.as_bytes()).map(|format| format.name)
    }

    #[test]
    fn events_behind_much_output_are_found() {
        let events = "1: 1 [1] call p(a) []\n".repeat(40);
        let output = "12 of 40 tests passed\n".repeat(FEW / 10);
        assert_eq!(name(&events), Some("morphine"));
        assert_eq!(name(&format!("{output}{events}")), Some("morphine"));
        assert_eq!(name(&output), None);
    }

    #[test]
    fn what_most_lines_are_decides() {
        let (morphine, visandor) = ("1: 1 [1] call p(a) []\n", "15 1 6FFDEBE1 2 6FFDEBE0 0\n");
        assert_eq!(name(&format!("{}{}", morphine.repeat(10), visandor.repeat(9))), Some("morphine"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(9), visandor.repeat(10))), Some("visandor"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(300), visandor.repeat(400))), Some("visandor"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(400), visandor.repeat(300))), Some("morphine"));
    }
}
