//! Computing the dictionary of a span column, on all cores.

use std::ops::Range;

use super::{SpanColumn, TextSource};
use crate::trace::column::list_column::{ListBuilder, ListColumn};
use crate::trace::event::EventId;
use crate::trace::threads::{n_cores, on_cores};

/// The least number of blocks for a thread (estimated).
const MANY: usize = 64;

/// Texts that are numbered together.
const TOGETHER: usize = 512;

impl SpanColumn {
    /// The column with a dictionary; truncated if the file cannot be read.
    pub(super) fn code(&self) -> ListColumn {
        let n_parts = match self.blocks.len() {
            0..MANY => 1,
            _ => n_cores(),
        };
        let cut = |part: usize| match (part, self.blocks.get(self.blocks.len() * part / n_parts)) {
            (0, _) => 0,
            (_, Some(block)) => block.first_row,
            (_, None) => self.starts.len() as EventId,
        };
        let mut parts = on_cores(n_parts, 0..n_parts, |part| self.code_part(cut(part), cut(part + 1))).into_iter();
        let mut column = parts.next().unwrap_or_default();
        parts.for_each(|part| column.append(part));
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
