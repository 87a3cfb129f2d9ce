//! Adding the events of chunks to the trace, in the order of the file.

use super::chunk::ChunkLines;
use super::events::EventReader;
use super::fast::{FastReader, ProcAndPort};
use super::line;
use crate::formats::lines::{Chunk, Line, LineEnding, Lines, text};
use crate::formats::mercury::vocabulary::PORTS;
use crate::trace::{AttributeId, KeyId, ProcRow, ProgramPoint, Rows, Selection};

/// Adds chunks that threads hand over in order.
pub(crate) struct ChunkAppender<'b> {
    /// Reads the lines that are not fast.
    pub(crate) reader: EventReader<'b>,
    /// The number of lines so far.
    pub(crate) n_lines: u64,
    /// The columns of the fast lines that are kept.
    pub(crate) columns: WantedColumns,
}

/// The columns that are filled besides numbers, depths, procedures and ports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedColumns {
    /// Numbers of calls.
    pub(crate) calls: bool,
    /// Goal paths and lines of the source.
    pub(crate) places: bool,
    /// Arguments.
    pub(crate) args: bool,
}

impl WantedColumns {
    /// The columns that a selection needs.
    pub(crate) fn of(selection: &Selection) -> WantedColumns {
        WantedColumns {
            calls: selection.asks(&[AttributeId::CALL]) || selection.needs_starts,
            places: selection.asks(&[AttributeId::GOAL_PATH, AttributeId::LINE_NUMBER]),
            args: selection.asks(&[AttributeId::ARGS]),
        }
    }

    /// All of them.
    pub(crate) const ALL: WantedColumns = WantedColumns { calls: true, places: true, args: true };
}

/// The column, or an empty one.
fn kept<T>(column: &[T], is_kept: bool) -> &[T] {
    if is_kept { column } else { &[] }
}

/// The codes of one thread for procedures and tails, and the numbers that the trace has for them.
pub(crate) struct ThreadCodes {
    /// Gives the codes.
    pub(crate) reader: FastReader,
    /// By procedure and port.
    keys: Vec<Option<KeyId>>,
    places: Vec<Option<ProgramPoint>>,
    key_column: Vec<KeyId>,
    place_column: Vec<ProgramPoint>,
}

impl Default for ThreadCodes {
    fn default() -> ThreadCodes {
        ThreadCodes {
            reader: FastReader::new(),
            keys: Vec::new(),
            places: Vec::new(),
            key_column: Vec::new(),
            place_column: Vec::new(),
        }
    }
}

impl ChunkAppender<'_> {
    /// Adds the events of the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, batch: &ChunkLines, words: &mut ThreadCodes) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            return self.reader.line(Line { bytes: b"", number: self.n_lines, ending: LineEnding::TooLong }, None);
        }
        let mut from = 0;
        for other in &batch.others {
            self.rows(chunk, batch, from..other.n_before, words);
            from = other.n_before;
            self.reader.lines(&mut Lines::of_text(&chunk.text()[other.text.clone()], self.n_lines + other.line));
        }
        self.rows(chunk, batch, from..batch.chronos.len(), words);
        self.n_lines += batch.n_lines;
    }

    fn rows(&mut self, chunk: &Chunk, batch: &ChunkLines, rows: std::ops::Range<usize>, words: &mut ThreadCodes) {
        words.name(&batch.keys[rows.clone()], &batch.tails[rows.clone()], &mut self.reader);
        self.reader.builder.append(&Rows {
            chronos: &batch.chronos[rows.clone()],
            calls: kept(&batch.calls[rows.clone()], self.columns.calls),
            depths: &batch.depths[rows.clone()],
            keys: &words.key_column,
            places: kept(&words.place_column, self.columns.places),
            args: kept(&batch.args[rows.clone()], self.columns.args),
            lines: &batch.lines[rows],
            first_line: if batch.is_placed { self.n_lines + 1 } else { 0 },
            text: chunk.text(),
            offset: chunk.offset,
        });
    }
}

impl ThreadCodes {
    /// Fills the columns with the numbers of the trace, which are given in the order of the events.
    fn name(&mut self, keys: &[ProcAndPort], tails: &[u32], reader: &mut EventReader<'_>) {
        self.key_column.clear();
        self.place_column.clear();
        for (key, tail) in keys.iter().zip(tails) {
            let place = match self.places.get(*tail as usize) {
                Some(Some(place)) => *place,
                _ => self.add_place(*tail, reader),
            };
            self.place_column.push(place);
            let key = match self.keys.get(index(*key)) {
                Some(Some(id)) => *id,
                _ => self.add_key(*key, reader),
            };
            self.key_column.push(key);
        }
    }

    #[cold]
    fn add_place(&mut self, tail: u32, reader: &mut EventReader<'_>) -> ProgramPoint {
        let event = line::tail(self.reader.tail(tail)).unwrap_or_default();
        let path = event.goal_path.map(|path| reader.paths.id(path, reader.builder));
        let place = ProgramPoint { path, line_number: event.line_number };
        let known = self.places.len().max(tail as usize + 1);
        self.places.resize(known, None);
        self.places[tail as usize] = Some(place);
        place
    }

    #[cold]
    fn add_key(&mut self, key: ProcAndPort, reader: &mut EventReader<'_>) -> KeyId {
        let (name, arity) = self.reader.proc(key.proc);
        let name = text::name(name);
        let proc = match name.is_empty() {
            true => ProcRow::default(),
            false => ProcRow { name: Some(&name), arity: Some(arity), ..ProcRow::default() },
        };
        let id = reader.builder.key(&proc, Some(PORTS[key.port as usize].name), None);
        let known = self.keys.len().max(index(key) + 1);
        self.keys.resize(known, None);
        self.keys[index(key)] = Some(id);
        id
    }
}

fn index(key: ProcAndPort) -> usize {
    key.proc as usize * PORTS.len() + key.port as usize
}
