//! Adding many plain events at once, column by column.

use super::TraceBuilder;
use crate::trace::EventId;
use crate::trace::rows::{Place, Rows};
use crate::trace::value::ArgsId;

impl TraceBuilder {
    /// Adds plain events, as if each were pushed; gives the first of them, or none if there are more than can be counted.
    pub fn append(&mut self, rows: &Rows<'_>) -> Option<EventId> {
        let first = self.n_events;
        let n_rows = u32::try_from(rows.len()).ok().filter(|n_rows| *n_rows <= EventId::MAX - first);
        let Some(n_rows) = n_rows else {
            rows.lines.iter().for_each(|line| self.leave_out(rows.first_line + u64::from(*line)));
            return None;
        };
        if n_rows == 0 {
            return Some(first);
        }
        self.n_events += n_rows;
        self.append_chronos(first, rows);
        self.depths.extend(first as usize, rows.depths);
        for (event, line) in (first..).zip(rows.lines) {
            self.source_lines.push(event, rows.first_line + u64::from(*line));
        }
        self.append_places(first, rows);
        let greatest = rows.keys.iter().map(|key| key.0).max().unwrap_or(0);
        self.key_codes.extend(rows.keys.iter().map(|key| key.0), greatest);
        if !rows.calls.is_empty() {
            self.calls.append(first, rows.calls);
        }
        let calls = &self.calls;
        self.args.append(first, rows, |event| calls.call(event));
        Some(first)
    }

    /// Gives events from `first` on, behind those that have some, arguments that were told before.
    pub fn append_args(&mut self, first: EventId, args: &[ArgsId]) {
        self.args.append_known(first, args);
    }

    fn append_chronos(&mut self, first: EventId, rows: &Rows<'_>) {
        let line = |index: usize| rows.first_line + u64::from(rows.lines[index]);
        if self.chronos.append_dense(first, rows.chronos, line(rows.len() - 1)) {
            return;
        }
        for index in 0..rows.len() {
            let event = first + index as EventId;
            if let Some(message) = self.chronos.push(event, rows.chronos.get(index).copied(), line(index)) {
                self.finding("chrono", Some(i64::from(event) + 1), Some(line(index)), message);
            }
        }
    }

    fn append_places(&mut self, first: EventId, rows: &Rows<'_>) {
        let code = |place: &Place| place.path.map_or(0, |path| path.0 + 1);
        let greatest = rows.places.iter().map(code).max().unwrap_or(0);
        if greatest > 0 {
            self.path_codes.pad(first as usize);
            self.path_codes.extend(rows.places.iter().map(code), greatest);
        }
        let numbered = (first..).zip(rows.places).filter_map(|(event, place)| Some((event, place.line_number?)));
        numbered.for_each(|(event, line)| self.line_numbers.set(event as usize, line));
    }
}
