//! Integrity rules: P1 and P10 about the whole file, P9, P11 and P12 about an event. Rules P3 to P8 are kept by [`windows`](super::windows).

use serde_json::Value;

use super::event_types::{EventMeaning, TypeClass};
use super::events::PosixReader;
use super::part::{EventData, EventRecord};

/// A rule that an event breaks, and how.
pub(crate) type BrokenRule = (&'static str, String);

impl PosixReader<'_> {
    /// Reports once that the header is missing.
    pub(crate) fn need_header(&mut self, number: u64) {
        if self.n_lines == 1 {
            self.fault("P1", number, "expected the header as the first line");
        }
    }

    /// Rules P9, P11 and P12 of an event.
    pub(crate) fn check(
        &self,
        record: &EventRecord,
        kind: EventMeaning,
        class: Option<TypeClass>,
        faults: &mut Vec<BrokenRule>,
    ) {
        if class == Some(TypeClass::User) {
            for (name, number) in [("pid", record.pid), ("tid", record.tid)] {
                if number == Some(0) {
                    faults.push(("P11", format!("`{name}` is 0, but the event is not one of the system")));
                }
            }
            self.check_size(record, faults);
        }
        let has_filter =
            kind == EventMeaning::Filter || (kind == EventMeaning::Start && record.data != EventData::Absent);
        if has_filter && !self.header.has_option("TEF") {
            faults.push(("P12", "a filter, but the options lack TEF".to_string()));
        }
        if matches!(kind, EventMeaning::FlushStart | EventMeaning::FlushStop) && !self.header.has_option("TRL") {
            faults.push(("P12", "a flush, but the options lack TRL".to_string()));
        }
    }

    fn check_size(&self, record: &EventRecord, faults: &mut Vec<BrokenRule>) {
        let EventData::Bytes(size, _) = record.data else { return };
        match self.header.max_data_size {
            Some(most) if size > most => faults.push(("P9", format!("{size} bytes of data, but at most {most} fit"))),
            Some(most) if record.is_cut && size != most => {
                faults.push(("P9", format!("data were truncated to {size} bytes, though {most} fit")));
            }
            _ => {}
        }
    }

    /// Rule P8 of a stop that the tracing made.
    pub(crate) fn check_automatic(&self, faults: &mut Vec<BrokenRule>) {
        let is_until_full = ["stream_full_policy", "log_full_policy"]
            .iter()
            .any(|policy| self.header.has_policy(policy, "_UNTIL_FULL"));
        if !is_until_full && self.header.object.is_some() {
            faults.push(("P8", "an automatic stop, but no policy is UNTIL_FULL".to_string()));
        }
    }

    /// Rules P1 and P10 at the end of the file.
    pub(crate) fn check_end(&mut self, last_line: u64) {
        let n_events = u64::from(self.builder.n_events());
        let Some(end) = &self.end else {
            self.builder.lose_end();
            return self.fault("P1", last_line, "the line `end` is missing: the log was cut");
        };
        let said = end.get("events").and_then(Value::as_u64);
        let lost = end.get("lost").and_then(Value::as_i64).unwrap_or(0);
        let has_status = end.contains_key("status");
        if said != Some(n_events) {
            let said = said.map_or("no number of events".to_string(), |said| format!("{said} events"));
            self.fault("P1", last_line, format!("the line `end` says {said}, the trace has {n_events}"));
        }
        if self.has_overflow && has_status && !self.was_overrun {
            self.fault("P10", last_line, "there was an overflow, but the status says that there was no overrun");
        }
        if lost > 0 && !self.has_overflow && self.header.has_policy("stream_full_policy", "_LOOP") {
            self.fault("P10", last_line, format!("{lost} events were lost, but no overflow is reported"));
        }
    }
}
