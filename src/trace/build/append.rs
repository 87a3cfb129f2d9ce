//! Adding many plain events at once, column by column.

use super::TraceBuilder;
use crate::trace::event::EventId;
use crate::trace::relation::rows::{ProgramPoint, Rows};

impl TraceBuilder {
    /// Adds plain events, as if each were pushed. Returns the first of them, or `None` if they exceed the maximum
    /// number of events.
    pub(crate) fn append(&mut self, rows: &Rows<'_>) -> Option<EventId> {
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
        self.append_lines(first, n_rows, rows);
        self.append_places(first, rows);
        let bits = rows.keys.iter().fold(0, |bits, key| bits | key.0);
        self.key_codes.extend(rows.keys.iter().map(|key| key.0), bits);
        if !rows.calls.is_empty() {
            self.calls.append(first, rows.calls);
        }
        let calls = &self.calls;
        self.args.append(first, rows, |event| calls.call(event));
        Some(first)
    }

    fn append_lines(&mut self, first: EventId, n_rows: u32, rows: &Rows<'_>) {
        let line = |line: u32| rows.first_line + u64::from(line);
        match (rows.lines.first(), rows.lines.last()) {
            (Some(from), Some(to)) if rows.lines.is_sorted_by(|one, next| one < next) && to - from == n_rows - 1 => {
                self.source_lines.push_run(first, line(*from), n_rows);
            }
            _ => (first..).zip(rows.lines).for_each(|(event, number)| self.source_lines.push(event, line(*number))),
        }
    }

    fn append_chronos(&mut self, first: EventId, rows: &Rows<'_>) {
        let line = |index: usize| rows.first_line + rows.lines.get(index).copied().map_or(0, u64::from);
        if self.chronos.append_dense(first, rows.chronos, line(rows.len() - 1))
            || (rows.chronos.is_empty() && self.chronos.has_none())
        {
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
        let code = |place: &ProgramPoint| place.path.map_or(0, |path| path.0 + 1);
        let greatest = rows.places.iter().map(code).max().unwrap_or(0);
        if greatest > 0 {
            self.path_codes.pad(first as usize);
            self.path_codes.extend(rows.places.iter().map(code), greatest);
        }
        let numbered = (first..).zip(rows.places).filter_map(|(event, place)| Some((event, place.line_number?)));
        numbered.for_each(|(event, line)| self.line_numbers.set(event as usize, line));
    }
}
