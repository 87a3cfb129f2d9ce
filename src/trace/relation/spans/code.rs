//! Computing the dictionary of a span column, on all cores.

use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use super::{SpanColumn, TextSource};
use crate::trace::column::list_column::{ListBuilder, ListColumn};
use crate::trace::event::EventId;

/// A thread is worth its cost for this many blocks.
const MANY: usize = 64;

/// Texts that are numbered together.
const TOGETHER: usize = 512;

impl SpanColumn {
    /// The column with a dictionary; truncated if the file cannot be read.
    pub(super) fn code(&self) -> ListColumn {
        let n_parts = match self.blocks.len() {
            0..MANY => 1,
            _ => thread::available_parallelism().map_or(1, NonZero::get),
        };
        let cut = |part: usize| match (part, self.blocks.get(self.blocks.len() * part / n_parts)) {
            (0, _) => 0,
            (_, Some(block)) => block.first_row,
            (_, None) => self.starts.len() as EventId,
        };
        let parts: Vec<(EventId, EventId)> = (0..n_parts).map(|part| (cut(part), cut(part + 1))).collect();
        let mut column = ListBuilder::default();
        thread::scope(|scope| {
            let code = |(start, end)| self.code_part(start, end);
            let rest: Vec<_> = parts[1..]
                .iter()
                .map(|part| thread::Builder::new().spawn_scoped(scope, move || code(*part)).map_err(|_| *part))
                .collect();
            column = code(parts[0]);
            for part in rest {
                let part = part.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
                // if the system has no thread left, this one does the work
                column.append(part.unwrap_or_else(code));
            }
        });
        column.finish(self.starts.len())
    }

    /// The rows `start..end`, as the first rows of a column.
    fn code_part(&self, start: EventId, end: EventId) -> ListBuilder {
        let mut column = ListBuilder::default();
        let mut next_block = self.blocks.partition_point(|block| block.first_row <= start);
        let mut row = start;
        while row < end {
            let bytes = match next_block.checked_sub(1) {
                Some(block) => self.file.read(self.blocks[block].block),
                None => Box::default(),
            };
            let next = self.blocks.get(next_block).map_or(end, |block| block.first_row.min(end));
            if self.code_rows(row..next, &bytes, start, &mut column).is_none() {
                break;
            }
            row = next;
            next_block += 1;
        }
        column.pad((end - start) as usize);
        column
    }

    /// Sets the texts of rows of a block, counted from `start`; none if its bytes cannot be read.
    fn code_rows(&self, rows: Range<EventId>, bytes: &[u8], start: EventId, column: &mut ListBuilder) -> Option<()> {
        let (mut set, mut texts) = (Vec::with_capacity(TOGETHER), Vec::with_capacity(TOGETHER));
        for row in rows {
            let text = match self.source(row) {
                TextSource::Nowhere => continue,
                TextSource::Kept(code) => self.kept_texts.at(code),
                TextSource::File(span) => span.of(bytes)?,
            };
            set.push((row - start) as usize);
            texts.push(text);
            if texts.len() == TOGETHER {
                column.set_all(&set, &texts);
                set.clear();
                texts.clear();
            }
        }
        column.set_all(&set, &texts);
        Some(())
    }
}
