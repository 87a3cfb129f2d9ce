//! The traces named on the command line: they are numbered from 1, and each has its own cursor.

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use super::desk::Desk;
use super::world::World;
use crate::engine::heap::Term;
use crate::term::Atom;
use crate::term::hash::NumberMap;
use crate::trace::{Alignment, Trace};

/// Reads the trace at an index of the list, or returns why it cannot be read.
pub(crate) type Loader = Rc<dyn Fn(usize) -> Result<Arc<Trace>, String>>;

/// All traces that goals may query, including the current one.
#[derive(Default)]
pub(crate) struct Traces {
    list: Vec<KnownTrace>,
    current: usize,
    loader: Option<Loader>,
    alignments: NumberMap<(usize, usize), Arc<Alignment>>,
}

struct KnownTrace {
    path: PathBuf,
    trace: Option<Arc<Trace>>,
    /// The row of its cursor between goals.
    cursor: u32,
}

impl Traces {
    /// The traces of these files; `loader` reads them on demand.
    pub(crate) fn new(paths: &[PathBuf], loader: Loader) -> Traces {
        let known = |path: &PathBuf| KnownTrace { path: path.clone(), trace: None, cursor: 0 };
        Traces { list: paths.iter().map(known).collect(), loader: Some(loader), ..Traces::default() }
    }

    /// Number of traces.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The index of the current trace.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    /// The file of a trace.
    pub(crate) fn path(&self, at: usize) -> Option<&PathBuf> {
        self.list.get(at).map(|known| &known.path)
    }

    /// The index of the trace that a text denotes: its path, or its file name with or without extension if that is
    /// unique.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let by = |is_it: &dyn Fn(&PathBuf) -> bool| {
            let mut found = (0..self.list.len()).filter(|at| is_it(&self.list[*at].path));
            found.next().filter(|_| found.next().is_none())
        };
        let is = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part == name);
        by(&|path| path.as_os_str() == name)
            .or_else(|| by(&|path| is(path.file_name())))
            .or_else(|| by(&|path| is(path.file_stem())))
    }

    /// A trace, which is read at the first use.
    pub(crate) fn trace(&mut self, at: usize) -> Result<Arc<Trace>, String> {
        let Some(known) = self.list.get_mut(at) else { return Err(format!("there is no trace {}", at + 1)) };
        if let Some(trace) = &known.trace {
            return Ok(Arc::clone(trace));
        }
        let trace = self.loader.as_ref().map_or(Err("no trace is open".to_string()), |load| load(at))?;
        known.trace = Some(Arc::clone(&trace));
        Ok(trace)
    }

    /// The alignment of the calls of two traces, computed once.
    pub(crate) fn alignment(&mut self, one: usize, other: usize) -> Result<Arc<Alignment>, String> {
        if let Some(known) = self.alignments.get(&(one, other)) {
            return Ok(Arc::clone(known));
        }
        let (first, second) = (self.trace(one)?, self.trace(other)?);
        let alignment = Arc::new(crate::trace::align(&first, &second, &[]));
        self.alignments.insert((one, other), Arc::clone(&alignment));
        Ok(alignment)
    }

    /// Makes `trace` the current one: the one of its file, or an additional one.
    pub(super) fn open(&mut self, trace: &Arc<Trace>) {
        let path = &trace.origin().path;
        self.current = self.list.iter().position(|known| known.path == *path).unwrap_or(self.list.len());
        if self.current == self.list.len() {
            self.list.push(KnownTrace { path: path.clone(), trace: None, cursor: 0 });
        }
        self.list[self.current].trace = Some(Arc::clone(trace));
        self.alignments.clear();
    }
}

/// The current trace, and the cursors of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bookmark {
    current: usize,
    cursor: u32,
    cursors: Vec<u32>,
}

impl Bookmark {
    /// The cursor of the current trace.
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<&PathBuf> = self.list.iter().map(|known| &known.path).collect();
        f.debug_struct("Traces").field("paths", &paths).field("current", &self.current).finish()
    }
}

/// The global variable that holds the cursor of a trace while a goal runs, so that backtracking undoes its moves.
fn cursor_name(at: usize) -> Atom {
    Atom::new(&format!("$cursor {at}"))
}

impl Desk {
    /// The current trace, and the cursors of all between goals.
    pub(crate) fn bookmark(&self) -> Bookmark {
        let cursors = self.traces.list.iter().map(|known| known.cursor).collect();
        Bookmark { current: self.traces.current, cursor: self.cursor, cursors }
    }

    /// Restores the cursors of the other traces.
    pub(crate) fn return_cursors(&mut self, bookmark: &Bookmark) {
        for (known, cursor) in self.traces.list.iter_mut().zip(&bookmark.cursors) {
            known.cursor = *cursor;
        }
    }

    /// Makes another trace current, and returns whether it was not.
    fn switch(&mut self, at: usize) -> Result<bool, String> {
        if at == self.traces.current && self.trace.is_some() {
            return Ok(false);
        }
        let trace = self.traces.trace(at)?;
        self.plans.belong_to(&trace);
        self.trace = Some(trace);
        self.traces.current = at;
        Ok(true)
    }
}

impl World {
    /// Makes another trace current, with the cursor at a row.
    pub(crate) fn go_to_trace(&mut self, at: usize, cursor: u32) -> Result<(), String> {
        if self.desk.switch(at)? {
            self.tables.outdate();
        }
        self.desk.return_to(cursor);
        Ok(())
    }

    /// Returns to the trace of the bookmark and its cursor.
    pub(crate) fn return_to(&mut self, bookmark: &Bookmark) {
        if self.desk.traces.current != bookmark.current {
            // It was current before, so it is already loaded.
            let _ = self.go_to_trace(bookmark.current, bookmark.cursor);
        }
        self.desk.return_to(bookmark.cursor);
    }

    /// The cursor of a trace other than the current one.
    pub(crate) fn kept_cursor(&mut self, at: usize) -> u32 {
        let World { store, globals, desk, .. } = self;
        let now = globals.value(store, cursor_name(at));
        match now.map(|cell| store.look(cell)) {
            Some(Term::Int(cursor)) => u32::try_from(cursor).unwrap_or(0),
            _ => desk.traces.list.get(at).map_or(0, |known| known.cursor),
        }
    }

    /// Sets the cursor of such a trace; backtracking undoes it.
    pub(crate) fn keep_cursor(&mut self, at: usize, cursor: u32) {
        let World { store, globals, .. } = self;
        let cell = store.int(i64::from(cursor));
        globals.put(store, cursor_name(at), cell);
    }

    /// Commits the cursors of the other traces when an answer is accepted.
    pub(crate) fn settle_cursors(&mut self) {
        if self.desk.traces.list.len() > 1 {
            for at in 0..self.desk.traces.list.len() {
                let cursor = self.kept_cursor(at);
                self.desk.traces.list[at].cursor = cursor;
            }
        }
    }
}
