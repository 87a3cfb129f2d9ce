//! Putting chunks together: their events go to the builder in the order of the file, whoever has read them.

use super::chunk::Batch;
use super::events::Reader;
use super::fast::{LocalKey, PlainReader};
use super::line;
use crate::formats::lines::{Chunk, Ending, Line, Lines, text};
use crate::formats::mercury::vocabulary::PORTS;
use crate::trace::{KeyId, ProcRow, ProgramPoint, Rows};

/// What all threads fill in turn.
pub struct Merge<'b> {
    /// Reads what is not plain.
    pub reader: Reader<'b>,
    /// How many lines there were so far.
    pub n_lines: u64,
    /// What of the plain lines is kept.
    pub columns: Columns,
}

/// Which columns are filled beside numbers, depths, procedures and ports.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Those of calls.
    pub calls: bool,
    /// Goal paths and lines of the source.
    pub places: bool,
    /// Arguments.
    pub args: bool,
}

impl Columns {
    /// All of them.
    pub const ALL: Columns = Columns { calls: true, places: true, args: true };
}

/// All of `column`, or nothing.
fn kept<T>(column: &[T], is_kept: bool) -> &[T] {
    if is_kept { column } else { &[] }
}

/// What one thread knows of procedures and tails, and what they are called in the trace.
pub struct Words {
    /// Numbers them.
    pub reader: PlainReader,
    /// By procedure and port.
    keys: Vec<Option<KeyId>>,
    places: Vec<Option<ProgramPoint>>,
    key_column: Vec<KeyId>,
    place_column: Vec<ProgramPoint>,
}

impl Default for Words {
    fn default() -> Words {
        Words {
            reader: PlainReader::new(),
            keys: Vec::new(),
            places: Vec::new(),
            key_column: Vec::new(),
            place_column: Vec::new(),
        }
    }
}

impl Merge<'_> {
    /// Adds the events of the next chunk.
    pub fn chunk(&mut self, chunk: &Chunk, batch: &Batch, words: &mut Words) {
        if chunk.ending == Ending::TooLong {
            self.n_lines += 1;
            return self.reader.line(Line { bytes: b"", number: self.n_lines, ending: Ending::TooLong }, None);
        }
        let mut from = 0;
        for odd in &batch.odd {
            self.rows(chunk, batch, from..odd.n_before, words);
            from = odd.n_before;
            self.reader.lines(&mut Lines::of_text(&chunk.text()[odd.text.clone()], self.n_lines + odd.line));
        }
        self.rows(chunk, batch, from..batch.chronos.len(), words);
        self.n_lines += batch.n_lines;
    }

    fn rows(&mut self, chunk: &Chunk, batch: &Batch, rows: std::ops::Range<usize>, words: &mut Words) {
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

impl Words {
    /// Fills the columns with what the trace calls these; it learns in the order of the events what it did not know.
    fn name(&mut self, keys: &[LocalKey], tails: &[u32], reader: &mut Reader<'_>) {
        self.key_column.clear();
        self.place_column.clear();
        for (key, tail) in keys.iter().zip(tails) {
            let place = match self.places.get(*tail as usize) {
                Some(Some(place)) => *place,
                _ => self.learn_place(*tail, reader),
            };
            self.place_column.push(place);
            let key = match self.keys.get(index(*key)) {
                Some(Some(id)) => *id,
                _ => self.learn_key(*key, reader),
            };
            self.key_column.push(key);
        }
    }

    #[cold]
    fn learn_place(&mut self, tail: u32, reader: &mut Reader<'_>) -> ProgramPoint {
        let event = line::tail(self.reader.tail(tail)).unwrap_or_default();
        let path = event.goal_path.map(|path| reader.paths.id(path, reader.builder));
        let place = ProgramPoint { path, line_number: event.line_number };
        let known = self.places.len().max(tail as usize + 1);
        self.places.resize(known, None);
        self.places[tail as usize] = Some(place);
        place
    }

    #[cold]
    fn learn_key(&mut self, key: LocalKey, reader: &mut Reader<'_>) -> KeyId {
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

fn index(key: LocalKey) -> usize {
    key.proc as usize * PORTS.len() + key.port as usize
}
