//! What is kept of a growing trace to tell where its recorder left events out.

use super::follow::{KeptEvent, NewEvents, NewLines};
use crate::trace::{EventId, Recording};

/// More events than these are not kept.
const MOST: usize = 20_000;

/// The lines around gaps, with the events next to them.
#[derive(Default)]
pub(super) struct Seams {
    /// What the head of the trace tells of the recording.
    pub(super) of_head: Recording,
    kept: Vec<KeptEvent>,
    /// The last event, with the lines after it in its batch.
    last: Option<KeptEvent>,
    /// Lines of later batches that tell of the recording.
    loose: Vec<u8>,
    /// Whether the next event comes after a gap.
    is_open: bool,
}

impl Seams {
    /// Takes a batch; the first `n_head_lines` lines of the trace need not be kept.
    pub(super) fn add(&mut self, batch: &NewEvents, text: &NewLines<'_>, n_head_lines: u64) {
        let (trace, n_events) = (&batch.trace, batch.trace.n_events());
        let line = text.first.max(n_head_lines + 1);
        let is_beyond = |row: &EventId| trace.source_line(*row).is_some_and(|found| found >= line);
        let Some(start) = (batch.first..n_events).find(is_beyond) else {
            if *trace.recording() != self.of_head {
                self.loose.extend_from_slice(text.lines(line, None));
                self.is_open = true;
            }
            return;
        };
        let new = trace.recording().gaps().iter().filter(|gap| !self.of_head.gaps().contains(gap));
        let gaps: Vec<EventId> = new.map(|gap| gap.before).filter(|before| *before >= start).collect();
        if self.is_open || gaps.contains(&start) {
            let mut begin = text.keep(batch, start);
            begin.text = [&self.loose, text.lines(line, trace.source_line(start)), &begin.text].concat();
            self.kept.extend(self.last.take());
            self.kept.push(begin);
            self.loose.clear();
        }
        let next_to = gaps.iter().flat_map(|row| [row.saturating_sub(1), *row]);
        let inner = next_to.filter(|row| (start..n_events).contains(row)).map(|row| text.keep(batch, row));
        self.kept.extend(inner);
        self.kept.truncate(MOST);
        self.last = Some(text.keep(batch, n_events - 1));
        self.is_open = gaps.contains(&n_events);
    }

    /// The events next to gaps and the last one, besides `others` that are not in the head, in order; and the lines after
    /// them.
    pub(super) fn with(&self, others: &[KeptEvent], n_head_lines: u64) -> (Vec<KeptEvent>, &[u8]) {
        let others = others.iter().filter(|event| event.line > n_head_lines);
        let mut events: Vec<KeptEvent> = self.kept.iter().chain(&self.last).chain(others).cloned().collect();
        events.sort_by_key(|event| event.chrono);
        events.dedup_by_key(|event| event.chrono);
        (events, &self.loose)
    }
}
