//! What babeltrace2 writes to standard error about events that the tracer discarded:
//!
//! ```text
//! WARNING: Tracer discarded 2235 events between [16:09:02.683135421] and [16:09:02.887791218] in trace "app" ...
//! ```

use super::line::{ClockStamp, DAY, stamp};

/// Events or packets that were discarded in a window of time; others of that time may be in the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LossWindow {
    /// None if the tracer does not know.
    pub(super) n_lost: Option<u64>,
    /// `events` or `packets`.
    pub(super) unit: &'static str,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl LossWindow {
    /// `lost(2235, events, From, To)`
    pub(super) fn term(&self) -> String {
        let n_lost = self.n_lost.map_or("-".to_string(), |n_lost| n_lost.to_string());
        format!("lost({n_lost}, {}, {}, {})", self.unit, self.from, self.to)
    }
}

/// The windows that a text names, and the lines that are not understood. Times of the day are of the day, or the next
/// one, of the first event.
pub(super) fn losses(text: &str, first_time: Option<i64>) -> (Vec<LossWindow>, Vec<u64>) {
    let (mut windows, mut faults) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, rest)) = line.split_once("Tracer ").filter(|(_, rest)| rest.contains("discarded ")) else {
            continue;
        };
        match window(rest, first_time) {
            Some(window) => windows.push(window),
            None => faults.push(number),
        }
    }
    (windows, faults)
}

/// `discarded 2235 events between [..] and [..]`, or `may have discarded packets between ..`
fn window(text: &str, first_time: Option<i64>) -> Option<LossWindow> {
    let (_, rest) = text.split_once("discarded ")?;
    let (what, rest) = rest.split_once(" between [")?;
    let (from, rest) = rest.split_once("] and [")?;
    let (to, _) = rest.split_once(']')?;
    let mut words = what.rsplit(' ');
    let unit = match words.next()? {
        "event" | "events" => "events",
        "packet" | "packets" => "packets",
        _ => return None,
    };
    let n_lost = words.next().and_then(|word| word.parse().ok());
    let from = time(from, first_time)?;
    Some(LossWindow { n_lost, unit, from, to: time(to, Some(from))? })
}

fn time(text: &str, before: Option<i64>) -> Option<i64> {
    Some(match stamp(text)? {
        ClockStamp::Fixed(time) | ClockStamp::Cycles(time) => time,
        ClockStamp::OfDay(time) if before.is_some_and(|before| time < before - DAY / 2) => time + DAY,
        ClockStamp::OfDay(time) => time,
        ClockStamp::Unstated => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_from_warnings_and_other_lines_are_left() {
        let text = "note\n11-22 WARNING: Tracer discarded 2235 events between [16:09:02.683135421] and \
            [16:09:02.887791218] in trace \"a\"\nTracer may have discarded packets between [1.000000000] and [2.000000000]\n\
            Tracer discarded 7 events between [x] and [y]\n";
        let (windows, faults) = losses(text, Some(58_142_682_643_408));
        let (from, to) = (58_142_683_135_421, 58_142_887_791_218);
        assert_eq!(windows[0], LossWindow { n_lost: Some(2235), unit: "events", from, to });
        assert_eq!(windows[1], LossWindow { n_lost: None, unit: "packets", from: 1_000_000_000, to: 2_000_000_000 });
        assert_eq!((windows.len(), faults), (2, vec![4]));
    }
}
