//! The lines of one chunk, each read by itself: what they state of their events, in columns. Most events have a context that
//! an earlier one had, which is taken apart once.

use super::columns::EventContext;
use super::fields::{each_field, is_hidden};
use super::line::{ClockStamp, LineStart};
use crate::formats::json::own_value::OwnValue;
use crate::formats::lines::chunk_lines;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::kept::KeptBytes;
use crate::formats::lines::text::visible;
use crate::trace::EventTable;

/// The lines of a chunk.
#[derive(Default)]
pub(super) struct LttngPart {
    pub(super) events: Vec<LineEvent>,
    /// The values of contexts, by the numbers of their attributes in the thread.
    pub(super) table: EventTable,
    /// The groups of fields.
    pub(super) groups: KeptBytes,
    /// The lines that are neither events nor blank.
    pub(super) others: Vec<OtherLine>,
    pub(super) n_lines: u32,
    pub(super) known: ThreadNames,
    contexts: Vec<ThreadContext>,
    /// The names of the arguments of the event that is read, each with a line end.
    shape: String,
}

/// A line with an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineEvent {
    pub(super) stamp: ClockStamp,
    /// Nanoseconds since the event before, if the line states them.
    pub(super) delta: Option<i64>,
    /// The number of its head in the thread.
    pub(super) head: u32,
    /// The number of the line in the chunk, from 0.
    pub(super) line: u32,
}

/// A line that is no event.
pub(super) struct OtherLine {
    /// The number of events before it.
    pub(super) n_before: u32,
    /// Its number in the chunk, from 0.
    pub(super) line: u32,
    /// What is wrong with it.
    pub(super) message: String,
    /// The name of its event, if only the groups break the grammar.
    pub(super) name: Option<String>,
}

/// What a thread has numbered so far, and the numbers in the trace, as far as they are known.
#[derive(Default)]
pub(super) struct ThreadNames {
    /// The names of attributes; their columns in the trace, if they have one.
    pub(super) attributes: BytesInterner,
    pub(super) columns: Vec<Option<usize>>,
    /// The name of an event and its thread, with a line end between them.
    pub(super) owners: BytesInterner,
    /// The names of arguments, with the number of the owner.
    pub(super) heads: BytesInterner,
    pub(super) heads_in_trace: Vec<u32>,
    /// The texts of contexts, with their form.
    contexts: BytesInterner,
}

/// What each event with a context has.
struct ThreadContext {
    values: Vec<(usize, OwnValue<'static>)>,
    owner: i64,
}

/// Contexts and attributes after which a thread begins anew: a context may hold what differs at each event.
const MOST_KNOWN: usize = 1 << 14;

impl LttngPart {
    /// Reads all lines of a chunk.
    pub(super) fn read(&mut self, text: &[u8]) {
        if self.contexts.len() + self.known.attributes.len() > MOST_KNOWN {
            *self = LttngPart::default();
        }
        self.events.clear();
        self.table.clear();
        self.groups.clear();
        self.others.clear();
        self.n_lines = 0;
        for line in chunk_lines(text) {
            if !line.is_empty() {
                self.line(&visible(line));
            }
            self.n_lines += 1;
        }
        self.groups.pack();
    }

    fn line(&mut self, line: &str) {
        let start = LineStart::of(line);
        let known = start.and_then(|start| self.known_context(line, &start));
        let Some((start, (context, fields))) = start.zip(known.or_else(|| self.context(line, &start?))) else {
            return self.other(line, start);
        };
        let row = self.table.n_rows();
        let ThreadContext { values, owner } = &self.contexts[context as usize];
        values.iter().for_each(|(column, value)| self.table.set_cell(*column, row, value.as_field()));
        self.table.end_row();
        self.groups.push(1, fields.as_bytes());
        let head = self.known.heads.number(self.shape.as_bytes(), *owner);
        self.events.push(LineEvent { stamp: start.stamp, delta: start.delta, head, line: self.n_lines });
    }

    /// The context and the fields of a line, if they are split at the last brace that opens and an earlier line had the context.
    fn known_context<'l>(&mut self, line: &'l str, start: &LineStart) -> Option<(u32, &'l str)> {
        let open = start.context + memchr::memrchr(b'{', &line.as_bytes()[start.context..])?;
        let context = self.known.contexts.find(line.as_bytes(), start.context..open, start.form as i64)?;
        (self.read_shape(&line[open..])? == line.len() - open).then_some((context, &line[open..]))
    }

    /// The context and the fields of any line; `None` if it breaks the grammar.
    #[cold]
    fn context<'l>(&mut self, line: &'l str, start: &LineStart) -> Option<(u32, &'l str)> {
        let (name, groups) = start.name(line)?;
        let fields = start.fields(line, groups)?;
        self.read_shape(fields);
        let (end, tag) = match fields {
            // what another line has before its fields is not taken for this context
            "" => (line.len(), -1),
            fields => (fields.as_ptr() as usize - line.as_ptr() as usize, start.form as i64),
        };
        let text = &line[start.context..end];
        let context = self.known.contexts.number(text.as_bytes(), tag);
        if context as usize == self.contexts.len() {
            let EventContext { values, thread } = EventContext::of(text, start.form);
            let mut number = |name: &str| self.known.attributes.number(name.as_bytes(), 0) as usize;
            let values = values.into_iter().map(|(name, value)| (number(&name), value)).collect();
            let owner = self.known.owners.number(format!("{name}\n{thread}").as_bytes(), 0).into();
            self.contexts.push(ThreadContext { values, owner });
        }
        Some((context, fields))
    }

    /// Takes the names of arguments from the group at the beginning of a text; returns its length.
    fn read_shape(&mut self, text: &str) -> Option<usize> {
        self.shape.clear();
        each_field(text, |name, _| {
            if !is_hidden(name) {
                self.shape.push_str(name.unwrap_or_default());
                self.shape.push('\n');
            }
        })
    }

    #[cold]
    fn other(&mut self, line: &str, start: Option<LineStart>) {
        let name = start.and_then(|start| start.name(line)).map(|(name, _)| name.to_owned());
        let fault = match name {
            Some(_) => "the fields break off or are not separated by commas",
            None => "expected a time, the name of an event and its fields",
        };
        let message = format!("{fault}: `{}`", line.chars().take(40).collect::<String>());
        self.others.push(OtherLine { n_before: self.table.n_rows(), line: self.n_lines, message, name });
    }
}
