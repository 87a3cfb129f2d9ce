//! Recognising the format of a trace by its first lines.

use crate::formats::lines::split_lines;
use crate::formats::spans::CERTAIN;
use crate::formats::{FORMATS, Format};

/// Bytes that hold the first [`FEW_LINES`] unless they are long.
const FEWEST: usize = 1 << 12;

/// Bytes of the first lines that suffice if they are clear.
pub(super) const FEW: usize = 1 << 13;

/// Lines that show which format is the likeliest, if at most one is no event of it, and at most one is an event of another.
const FEW_LINES: usize = 6;

/// About as many lines, from everywhere in the first bytes, confirm what the first lines show.
const SPREAD: usize = 32;

/// Events that suffice if no line looks like an event of another format.
const ENOUGH: usize = 10;

/// A format that was recognised.
pub(super) struct Recognised {
    pub(super) format: &'static Format,
    /// Whether the first bytes show it, whatever follows.
    pub(super) is_clear: bool,
}

/// The format with most events in the first lines, the first such one; none if there are no events.
pub(crate) fn likeliest(head: &[u8]) -> Option<&'static Format> {
    recognised(head).map(|recognised| recognised.format)
}

/// The same, with how sure it is.
pub(super) fn recognised(head: &[u8]) -> Option<Recognised> {
    let by = |sniff: Sniff, may_be_clear: bool| {
        let (best, is_clear) = look(head, sniff);
        let best =
            if is_clear || first_lines(head, FEW).len() == head.len() { best } else { BestFormat::of(head, sniff) };
        best.map(|best| Recognised { format: best.format, is_clear: is_clear && may_be_clear })
    };
    by(|format| format.sniff, true).or_else(|| by(|format| format.sniff_faint, false))
}

/// Whether the first bytes alone decide, as a document begins with them or as the first of them are clear.
pub(crate) fn is_certain(head: &[u8]) -> bool {
    look(head, |format| format.sniff).1 || FORMATS.iter().any(|format| (format.sniff)(head) >= CERTAIN)
}

/// The format with most events in the first [`FEW`] bytes, and whether that is clear.
fn look(head: &[u8], sniff: Sniff) -> (Option<BestFormat>, bool) {
    let few = first_lines(head, FEW);
    let unanimous = fewest_lines(few).and_then(|lines| BestFormat::of(lines, sniff));
    // one may be a heading, and look like an event of another format
    let is_unanimous = |best: &BestFormat| best.next <= 1 && (FEW_LINES - 1..=FEW_LINES).contains(&best.score);
    // most files are decided by counting some events of one format only
    if let Some(best) = unanimous.filter(is_unanimous)
        && are_most(&spread_lines(few), sniff(best.format))
    {
        return (Some(best), true);
    }
    let best = BestFormat::of(few, sniff);
    let is_clear =
        best.as_ref().is_some_and(|best| (best.score >= ENOUGH && best.next == 0) || are_most(few, |_| best.score));
    (best, is_clear)
}

/// Whether more than nine of ten lines are events, as `sniff` counts them.
fn are_most(lines: &[u8], sniff: impl Fn(&[u8]) -> usize) -> bool {
    sniff(lines) * 10 > n_lines(lines) * 9
}

/// The number of lines that are not empty.
fn n_lines(text: &[u8]) -> usize {
    split_lines(text).filter(|line| !line.is_empty()).count()
}

/// About [`SPREAD`] lines, at the same distance from each other.
fn spread_lines(text: &[u8]) -> Vec<u8> {
    let distance = (n_lines(text) / SPREAD).max(1);
    let mut spread = Vec::new();
    for line in split_lines(text).filter(|line| !line.is_empty()).step_by(distance) {
        spread.extend_from_slice(line);
        spread.push(b'\n');
    }
    spread
}

/// The first [`FEW_LINES`], if they are among the first [`FEWEST`] bytes and none is empty.
fn fewest_lines(head: &[u8]) -> Option<&[u8]> {
    let mut start = 0;
    for _ in 0..FEW_LINES {
        let rest = &head[start..head.len().min(FEWEST)];
        let length = memchr::memchr2(b'\n', b'\r', rest).filter(|length| *length > 0)?;
        start += length + 1;
    }
    Some(&head[..start])
}

/// The format with most events in some lines.
struct BestFormat {
    format: &'static Format,
    /// The number of events.
    score: usize,
    /// The greatest number of events of another format.
    next: usize,
}

/// Selects a function that counts the events of a format in some lines.
type Sniff = fn(&Format) -> fn(&[u8]) -> usize;

impl BestFormat {
    fn of(lines: &[u8], sniff: Sniff) -> Option<BestFormat> {
        let mut best: Option<BestFormat> = None;
        for format in FORMATS {
            let score = sniff(format)(lines);
            match &mut best {
                Some(best) if score <= best.score => best.next = best.next.max(score),
                _ if score > 0 => best = Some(BestFormat { format, score, next: best.map_or(0, |best| best.score) }),
                _ => {}
            }
        }
        best
    }
}

/// A format that recognises more than twice as many of the first lines as the requested one.
pub(crate) fn likelier(forced: &Format, head: &[u8]) -> Option<&'static Format> {
    let n_forced = (forced.sniff)(head).max((forced.sniff_faint)(head));
    FORMATS.iter().find(|format| (format.sniff)(head) > 2 * n_forced)
}

/// The lines in the first bytes.
fn first_lines(head: &[u8], n_bytes: usize) -> &[u8] {
    let few = &head[..head.len().min(n_bytes)];
    match memchr::memrchr2(b'\n', b'\r', few) {
        Some(end) if few.len() < head.len() => &few[..end],
        _ => few,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(head: &str) -> Option<&'static str> {
        likeliest(head.as_bytes()).map(|format| format.name)
    }

    #[test]
    fn events_after_much_output_are_found() {
        let events = "1: 1 [1] call p(a) []\n".repeat(40);
        let output = "12 of 40 tests passed\n".repeat(FEW / 10);
        assert_eq!(name(&events), Some("morphine"));
        assert_eq!(name(&format!("{output}{events}")), Some("morphine"));
        assert_eq!(name(&output), None);
    }

    #[test]
    fn an_object_is_an_event_of_json_lines_by_its_own_keys_and_by_a_name_only_if_nothing_else_fits() {
        for own in ["\"port\": \"call\"", "\"chrono\": 1", "\"posix_trace\": 1", "\"papaver\": 1"] {
            assert_eq!(name(&format!("{{{own}, \"x\": 1}}\n")), Some("jsonl"), "{own}");
        }
        assert_eq!(name("{\"name\": \"f\"}\n"), Some("jsonl"));
        assert_eq!(name("[{\"name\": \"f\"}]"), Some("jsonl"));
        assert_eq!(name("{\"port\": 8080}\n"), None);
        assert_eq!(name(&format!("{{\"name\": \"f\"}}\n{}", "1: 1 [1] call p(a) []\n")), Some("morphine"));
    }

    #[test]
    fn no_more_than_the_first_bytes_of_one_long_line_are_needed_if_they_are_clear() {
        let record = "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"f\"},";
        let chrome = |before: &str| format!("{{{before}\"traceEvents\":[{}", record.repeat(FEW));
        assert!(is_certain(chrome("").as_bytes()));
        assert!(!is_certain(chrome(&format!("\"x\":\"{}\",", "y".repeat(FEW))).as_bytes()));
    }

    #[test]
    fn the_majority_of_lines_decides() {
        let (morphine, visandor) = ("1: 1 [1] call p(a) []\n", "15 1 6FFDEBE1 2 6FFDEBE0 0\n");
        assert_eq!(name(&format!("{}{}", morphine.repeat(10), visandor.repeat(9))), Some("morphine"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(9), visandor.repeat(10))), Some("visandor"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(300), visandor.repeat(400))), Some("visandor"));
        assert_eq!(name(&format!("{}{}", morphine.repeat(400), visandor.repeat(300))), Some("morphine"));
        let output = "12 of 40 tests passed\n";
        assert_eq!(name(&format!("{}{}{}", morphine, output.repeat(300), visandor.repeat(3))), Some("visandor"));
    }
}
