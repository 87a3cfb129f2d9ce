//! A column of argument texts that stay in the file of the trace and are read from there at first use.

mod code;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::rows::{Rows, TextSpan};
use crate::trace::column::code_column::CodeColumn;
use crate::trace::column::codes::Codes;
use crate::trace::column::list_column::{ListBuilder, ListColumn};
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgTexts, ArgsId};
use crate::trace::file::text_file::{FileBlock, TextFile};

/// The spans of the arguments of each event in the file.
#[derive(Clone, Debug)]
pub(crate) struct SpanColumn {
    file: Arc<TextFile>,
    /// Offset within the block + [`FIRST`], or [`KEPT`], or 0 for none.
    starts: CodeColumn,
    /// Number of bytes, or [`LONG`].
    lengths: Vec<u16>,
    /// The rows whose length does not fit into `lengths`, with their lengths.
    long: Vec<(EventId, u32)>,
    /// The rows whose texts are not in the file verbatim, with the codes of the texts.
    kept: Vec<(EventId, u32)>,
    kept_texts: TextColumn,
    blocks: Vec<SpanBlock>,
    /// How many blocks were read again, and after how many a dictionary would take less memory.
    n_read: Arc<AtomicUsize>,
    pub(crate) most_read: usize,
    /// The whole column with a dictionary, once it was needed.
    coded: OnceLock<ListColumn>,
}

/// A block of the file, with its bytes once they were read.
#[derive(Clone, Debug)]
struct SpanBlock {
    first_row: EventId,
    block: FileBlock,
    /// The bytes, once they were needed.
    bytes: OnceLock<Box<[u8]>>,
}

/// Start of the span of an event whose text is in `kept`.
const KEPT: u32 = 1;
/// Start of the first span of a block.
const FIRST: u32 = 2;
/// Length of a span whose length is in `long`.
const LONG: u16 = u16::MAX;
/// Spans that begin at least this far after the first one of a block belong to the next block: blocks are small enough
/// to be read in no time, and starts fit into two bytes.
const BLOCK: u32 = (1 << 16) - FIRST;

/// How many blocks stay in memory after they were read; a search that needs more goes through the whole trace.
const MOST_READ: usize = 1 << 10;

/// Where a text is.
enum TextSource {
    Nowhere,
    Kept(u32),
    File(TextSpan),
}

impl SpanColumn {
    /// Whether no event has arguments.
    pub(crate) fn is_empty(&self) -> bool {
        self.starts.len() == 0
    }

    /// A column that is 0 exactly for the events without arguments.
    pub(crate) fn presence(&self) -> &CodeColumn {
        &self.starts
    }

    /// The whole column with a dictionary, if it was computed already.
    pub(crate) fn known(&self) -> Option<&ListColumn> {
        self.coded.get()
    }

    pub(crate) fn fault(&self) -> Option<&str> {
        self.file.fault()
    }

    /// The text of a row; none if the event has none, or if the file cannot be read, which is a fault.
    pub(crate) fn at(&self, row: EventId) -> Option<ArgTexts<'_>> {
        if let Some(coded) = self.coded.get() {
            return coded.at(row as usize);
        }
        match self.source(row) {
            TextSource::Nowhere => None,
            TextSource::Kept(code) => Some(ArgTexts::new(self.kept_texts.at(code))),
            TextSource::File(span) => match self.bytes_of(&self.blocks[self.block_of(row)?]) {
                Some(bytes) => span.of(bytes).map(ArgTexts::new),
                None => self.coded().at(row as usize),
            },
        }
    }

    /// The bytes of a block; none if they are not in memory and too many other blocks are.
    fn bytes_of<'b>(&self, block: &'b SpanBlock) -> Option<&'b [u8]> {
        if block.bytes.get().is_none() && self.n_read.fetch_add(1, Ordering::Relaxed) >= self.most_read {
            return None;
        }
        Some(block.bytes.get_or_init(|| self.file.read(block.block)))
    }

    fn source(&self, row: EventId) -> TextSource {
        let row_index = row as usize;
        match self.starts.at(row_index) {
            0 => TextSource::Nowhere,
            KEPT => find(&self.kept, row).map_or(TextSource::Nowhere, TextSource::Kept),
            start => {
                let length = match self.lengths[row_index] {
                    LONG => find(&self.long, row).unwrap_or_default(),
                    length => u32::from(length),
                };
                TextSource::File(TextSpan { start: start - FIRST, length })
            }
        }
    }

    fn block_of(&self, row: EventId) -> Option<usize> {
        self.blocks.partition_point(|block| block.first_row <= row).checked_sub(1)
    }

    /// The column with a dictionary, computed at first use. It is truncated if the file cannot be read.
    pub(crate) fn coded(&self) -> &ListColumn {
        self.coded.get_or_init(|| self.code())
    }

    /// Whether less than half of the texts are in the file verbatim.
    pub(crate) fn is_mostly_kept(&self) -> bool {
        self.kept.len() * 2 > self.starts.len()
    }

    /// The column with a dictionary; none if the file cannot be read.
    pub(crate) fn to_coded(&self) -> Option<ListColumn> {
        Some(self.code()).filter(|_| self.fault().is_none())
    }

    /// Bytes of memory that it takes, including the blocks that were read again so far.
    pub(crate) fn bytes(&self) -> usize {
        let read: usize = self.blocks.iter().filter_map(|block| block.bytes.get()).map(|bytes| bytes.len()).sum();
        let rare = (self.long.capacity() + self.kept.capacity()) * 8 + self.kept_texts.bytes();
        let columns = self.starts.bytes() + self.lengths.capacity() * 2 + rare;
        columns + self.blocks.capacity() * size_of::<SpanBlock>() + read + self.coded.get().map_or(0, ListColumn::bytes)
    }
}

fn find(rare: &[(EventId, u32)], row: EventId) -> Option<u32> {
    rare.binary_search_by_key(&row, |(row, _)| *row).ok().map(|index| rare[index].1)
}

/// Builder of such a column.
pub(crate) struct SpanBuilder {
    column: SpanColumn,
    starts: Codes,
    kept: ListBuilder,
}

impl SpanBuilder {
    pub(crate) fn new(file: TextFile) -> SpanBuilder {
        let column = SpanColumn {
            file: Arc::new(file),
            starts: CodeColumn::default(),
            lengths: Vec::new(),
            long: Vec::new(),
            kept: Vec::new(),
            kept_texts: TextColumn::default(),
            blocks: Vec::new(),
            n_read: Arc::default(),
            most_read: MOST_READ,
            coded: OnceLock::new(),
        };
        SpanBuilder { column, starts: Codes::default(), kept: ListBuilder::default() }
    }

    /// Sets the text of `row` to one that is not in the file verbatim.
    pub(crate) fn keep(&mut self, row: EventId, text: &str) {
        let text = self.id(text);
        self.keep_known(row, text);
    }

    /// The number of a text that is not in the file verbatim.
    pub(crate) fn id(&mut self, text: &str) -> ArgsId {
        ArgsId(self.kept.code(text))
    }

    /// As [`keep`](SpanBuilder::keep), given the number of the text.
    pub(crate) fn keep_known(&mut self, row: EventId, text: ArgsId) {
        self.pad(row);
        self.column.kept.push((row, text.0));
        self.starts.push(KEPT);
        self.column.lengths.push(0);
    }

    /// Adds the spans of the events from `first_row` on.
    pub(crate) fn append(&mut self, first_row: EventId, rows: &Rows<'_>) {
        self.pad(first_row);
        let mut from = 0;
        while let Some(first) = rows.args.get(from) {
            let rest = &rows.args[from..];
            let n_rows = 1 + rest[1..].partition_point(|span| span.start - first.start < BLOCK);
            self.block(first_row + from as EventId, &rest[..n_rows], rows);
            from += n_rows;
        }
    }

    fn block(&mut self, first_row: EventId, spans: &[TextSpan], rows: &Rows<'_>) {
        let (first, last) = (spans[0], spans[spans.len() - 1]);
        let length = last.start + last.length - first.start;
        let bytes = &rows.text[first.start as usize..(first.start + length) as usize];
        let column = &mut self.column;
        let block =
            FileBlock { offset: rows.offset + u64::from(first.start), length, checksum: column.file.checksum(bytes) };
        column.blocks.push(SpanBlock { first_row, block, bytes: OnceLock::new() });
        let start = |span: &TextSpan| span.start - first.start + FIRST;
        self.starts.extend(spans.iter().map(start), start(&last));
        column.lengths.extend(spans.iter().map(|span| u16::try_from(span.length).unwrap_or(LONG)));
        for (row, span) in (first_row..).zip(spans).filter(|(_, span)| span.length >= u32::from(LONG)) {
            column.long.push((row, span.length));
        }
    }

    fn pad(&mut self, rows: EventId) {
        self.starts.pad(rows as usize);
        self.column.lengths.resize(rows as usize, 0);
    }

    pub(crate) fn finish(mut self, rows: EventId) -> SpanColumn {
        if self.starts.len() > 0 {
            self.pad(rows);
        }
        let column = &mut self.column;
        self.starts.finish(column.lengths.len());
        column.starts = self.starts.into();
        column.lengths.shrink_to_fit();
        column.long.shrink_to_fit();
        column.kept.shrink_to_fit();
        column.blocks.shrink_to_fit();
        column.kept_texts = self.kept.finish(0).texts;
        self.column
    }
}
