//! Giving the texts of a span column a dictionary, on all cores.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use super::{Source, SpanColumn};
use crate::trace::EventId;
use crate::trace::calls::Calls;
use crate::trace::list::{ListBuilder, ListColumn};

/// Blocks from which on a thread is worth it.
const MANY: usize = 64;

impl SpanColumn {
    /// The column with a dictionary; cut short if the file cannot be read.
    pub(super) fn code(&self, calls: &Calls) -> ListColumn {
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
            let code = |(start, end)| self.code_part(calls, start, end);
            let rest: Vec<_> = parts[1..]
                .iter()
                .map(|part| thread::Builder::new().spawn_scoped(scope, move || code(*part)).map_err(|_| *part))
                .collect();
            column = code(parts[0]);
            for part in rest {
                let part = part.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
                // a system that has no thread left still has this one
                column.append(part.unwrap_or_else(code));
            }
        });
        column.finish(self.starts.len())
    }

    /// The rows from `start` to `end`, which is excluded, as the first rows of a column.
    fn code_part(&self, calls: &Calls, start: EventId, end: EventId) -> ListBuilder {
        let mut column = ListBuilder::default();
        let mut last_of_call: Vec<Option<u32>> = vec![None; calls.len()];
        let mut next_block = self.blocks.partition_point(|block| block.first_row < start);
        let mut bytes: Box<[u8]> = Box::default();
        for row in start..end {
            while self.blocks.get(next_block).is_some_and(|block| block.first_row <= row) {
                bytes = self.file.read(self.blocks[next_block].block);
                next_block += 1;
            }
            let text = match self.source(row) {
                Source::Nowhere => continue,
                Source::Kept(code) => Some(self.kept_texts.at(code)),
                Source::File(span) => span.of(&bytes),
            };
            let Some(text) = text else { break };
            let last = calls.codes.at(row as usize).checked_sub(1).map(|call| &mut last_of_call[call as usize]);
            let code = column.set((row - start) as usize, text, last.as_deref().copied().flatten());
            last.map(|last| last.replace(code));
        }
        column.pad((end - start) as usize);
        column
    }
}
