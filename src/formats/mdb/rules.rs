//! Integrity rules: D2 and D3 about the numbers of events, and values that are not terms. Rule D1 is kept by [`line`](super::line).

use super::events::Transcript;
use super::variables;
use crate::formats::not_terms::{NOT_TERMS, not_terms};
use crate::trace::TraceBuilder;

impl Transcript {
    /// Reports what is unusual about the events.
    pub(crate) fn report(&self, builder: &mut TraceBuilder) {
        if self.n_standardised > 0 {
            let message = format!(
                "{} event lines have standardised numbers (E1, C1): they show which events are equal and in which order they were first printed, but are not positions",
                self.n_standardised
            );
            builder.first_finding("D2", None, message);
        }
        for (line, number) in &self.renumbered {
            let message =
                format!("another event had the number {number}: both are kept, in the order of the transcript");
            builder.finding("D3", None, Some(*line), message);
        }
        self.report_strings(builder);
    }

    /// Reports values that are not terms and become strings: the first one, and the number of others.
    fn report_strings(&self, builder: &mut TraceBuilder) {
        let values = self.events.iter().flat_map(|event| event.values().map(|value| (value, event.source_line)));
        let mut strings = values.filter(|(value, _)| variables::readable(value).is_none());
        if let Some((value, line)) = strings.next() {
            let message = not_terms(value, strings.count());
            builder.finding(NOT_TERMS, None, Some(line), message);
        }
    }
}
