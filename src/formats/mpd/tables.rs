//! Tables from which lazy columns are made when they are asked for.

use std::sync::Arc;

use super::columns::AttributeIds;
use super::invocations::Invocation;
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, Field, KnownColumns, LazyInts, LazyValues, TraceBuilder};

/// The tables of a trace.
#[derive(Default)]
pub(crate) struct LazyTables {
    pub(crate) invocations: Vec<Invocation>,
    /// The events that pass an invocation on, and which.
    pub(crate) forwards: Vec<(EventId, u32)>,
    /// The events with which services begin, and the invocations that these serve.
    pub(crate) services: Vec<(EventId, u32)>,
    /// The box around each box, by its number - 1; 0 for none.
    pub(crate) parents: Vec<u32>,
    /// The boxes around events that belong to none.
    pub(crate) boxless: Vec<(EventId, u32)>,
    /// Whether any event follows another one in its process.
    pub(crate) has_next: bool,
    pub(crate) files: FileColumn,
}

/// The file of each event.
#[derive(Default)]
pub(crate) struct FileColumn {
    /// Its number, if that is small.
    codes: Vec<u8>,
    /// The others.
    great: Vec<(EventId, u32)>,
    pub(crate) names: Vec<Box<str>>,
}

/// Codes of an event without a file, and of one whose file is elsewhere.
const NO_FILE: u8 = u8::MAX;
const GREAT: u8 = u8::MAX - 1;

impl FileColumn {
    /// Adds the file of the next event.
    #[inline]
    pub(crate) fn push(&mut self, file: Option<u32>) {
        let code = match file {
            None => NO_FILE,
            Some(file) if file < u32::from(GREAT) => file as u8,
            Some(file) => {
                self.great.push((self.codes.len() as EventId, file));
                GREAT
            }
        };
        self.codes.push(code);
    }

    fn iter(&self) -> impl Iterator<Item = (EventId, u32)> {
        let mut great = self.great.iter();
        (0..).zip(&self.codes).filter_map(move |(event, code)| match *code {
            NO_FILE => None,
            GREAT => great.next().copied(),
            code => Some((event, u32::from(code))),
        })
    }

    fn fill(&self, column: &mut LazyValues) {
        let mut values = vec![None; self.names.len()];
        for (event, file) in self.iter() {
            let value = &mut values[file as usize];
            let value = *value.get_or_insert_with(|| column.value(Field::Atom(&self.names[file as usize])));
            column.set(event, Field::Known(value));
        }
    }
}

impl LazyTables {
    /// Declares a lazy column for each attribute that has values.
    pub(crate) fn leave(mut self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        self.shrink();
        builder.keeps_tables(self.n_bytes());
        let tables = Arc::new(self);
        let made = &tables.invocations;
        let columns: [(AttributeId, bool, FillColumn); 5] = [
            (ids.inv, !made.is_empty() || !tables.forwards.is_empty(), LazyTables::invocations),
            (ids.serves, !tables.services.is_empty(), LazyTables::serves),
            (ids.served_at, made.iter().any(|invocation| invocation.served_at.is_some()), LazyTables::served_at),
            (ids.answered_at, made.iter().any(|invocation| invocation.answered_at.is_some()), LazyTables::answered_at),
            (
                ids.parent,
                tables.parents.iter().any(|parent| *parent > 0) || !tables.boxless.is_empty(),
                LazyTables::parent,
            ),
        ];
        for (id, _, fill) in columns.into_iter().filter(|(_, has_some, _)| *has_some) {
            let tables = Arc::clone(&tables);
            builder.lazy_ints(id, move |known, column| fill(&tables, known, column));
        }
        if tables.has_next {
            let (pid, inc) = (ids.pid, ids.inc);
            builder.lazy_ints(ids.next_in_process, move |known, column| next_in_process(pid, inc, known, column));
        }
        if tables.files.iter().next().is_some() {
            builder.lazy_values(ids.file, move |_, column| tables.files.fill(column));
        }
    }

    fn shrink(&mut self) {
        self.invocations.shrink_to_fit();
        self.forwards.shrink_to_fit();
        self.services.shrink_to_fit();
        self.parents.shrink_to_fit();
        self.boxless.shrink_to_fit();
        self.files.codes.shrink_to_fit();
    }

    /// Bytes of memory that they take.
    fn n_bytes(&self) -> usize {
        let pairs = self.forwards.capacity() + self.services.capacity() + self.boxless.capacity();
        let invocations = self.invocations.capacity() * size_of::<Invocation>();
        let files = self.files.codes.capacity() + self.files.great.capacity() * 8;
        invocations + (pairs * 2 + self.parents.capacity()) * 4 + files
    }

    /// The invocations that are made or passed on.
    fn invocations(&self, _: &KnownColumns, column: &mut LazyInts) {
        let mut made = (1..).zip(&self.invocations).map(|(inv, invocation)| (invocation.made_at, inv)).peekable();
        for (event, inv) in &self.forwards {
            while let Some((made_at, inv)) = made.next_if(|(made_at, _)| made_at < event) {
                column.set(made_at, inv);
            }
            column.set(*event, i64::from(*inv));
        }
        made.for_each(|(made_at, inv)| column.set(made_at, inv));
    }

    fn serves(&self, _: &KnownColumns, column: &mut LazyInts) {
        self.services.iter().for_each(|(event, inv)| column.set(*event, i64::from(*inv)));
    }

    fn served_at(&self, _: &KnownColumns, column: &mut LazyInts) {
        for Invocation { made_at, served_at, .. } in &self.invocations {
            served_at.iter().for_each(|served_at| column.set(*made_at, number(*served_at)));
        }
    }

    fn answered_at(&self, _: &KnownColumns, column: &mut LazyInts) {
        for Invocation { made_at, answered_at, .. } in &self.invocations {
            answered_at.iter().for_each(|answered_at| column.set(*made_at, number(*answered_at)));
        }
    }

    /// The box around that of each event.
    fn parent(&self, known: &KnownColumns, column: &mut LazyInts) {
        let mut boxless = self.boxless.iter().copied().peekable();
        for event in known.events() {
            let parent = match known.call(event).and_then(|call| usize::try_from(call - 1).ok()) {
                Some(call) => self.parents.get(call).copied().unwrap_or(0),
                None => boxless.next_if(|(other, _)| *other == event).map_or(0, |(_, parent)| parent),
            };
            if parent > 0 {
                column.set(event, i64::from(parent));
            }
        }
    }
}

/// Fills a column from the tables.
type FillColumn = fn(&LazyTables, &KnownColumns, &mut LazyInts);

/// The number of an event.
fn number(event: EventId) -> i64 {
    i64::from(event) + 1
}

/// The next event of the same incarnation of a process.
fn next_in_process(pid: AttributeId, inc: AttributeId, known: &KnownColumns, column: &mut LazyInts) {
    let mut last: HashMap<_, EventId> = HashMap::default();
    let mut next = vec![0; known.events().len()];
    for event in known.events() {
        if let Some(before) = last.insert((known.value(pid, event), known.int(inc, event)), event) {
            next[before as usize] = event;
        }
    }
    for (event, next) in known.events().zip(next).filter(|(_, next)| *next > 0) {
        column.set(event, number(next));
    }
}
