//! The traces that goals may query: those named on the command line, numbered from 1, and after them the derived traces
//! that goals have named. Each has its own cursor.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::derivations::{Derivations, DerivedRule};
use super::desk::Desk;
use super::world::World;
use crate::engine::heap::Term;
use crate::formats::derived::DerivedEvents;
use crate::term::Atom;
use crate::term::hash::{HashMap, NumberMap};
use crate::trace::{Alignment, Trace};

/// Reads the trace at an index of the list, or returns why it cannot be read.
pub(crate) type Loader = Rc<dyn Fn(usize) -> Result<Arc<Trace>, String>>;

/// The files on the command line, in order. Sessions share them, so that one with thousands of files begins at once.
#[derive(Debug, Default)]
pub(crate) struct NamedFiles {
    paths: Vec<PathBuf>,
    /// The first index of each.
    places: HashMap<PathBuf, usize>,
}

impl NamedFiles {
    /// The files at these paths.
    pub(crate) fn new(paths: Vec<PathBuf>) -> NamedFiles {
        let mut places = HashMap::default();
        for (at, path) in paths.iter().enumerate() {
            places.entry(path.clone()).or_insert(at);
        }
        NamedFiles { paths, places }
    }

    /// The paths.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

/// All traces that goals may query, including the current one.
#[derive(Default)]
pub(crate) struct Traces {
    files: Arc<NamedFiles>,
    /// Those of the files that goals have queried, and all traces besides, by index.
    known: BTreeMap<usize, KnownTrace>,
    n_besides: usize,
    current: usize,
    loader: Option<Loader>,
    /// Whether goals have asked which files there are.
    are_listed: bool,
    alignments: NumberMap<(usize, usize), Arc<Alignment>>,
    derivations: Derivations,
    /// Memory of the derived traces.
    n_derived_bytes: usize,
}

struct KnownTrace {
    place: TracePlace,
    trace: Option<Arc<Trace>>,
    /// Whether it is derived by a rule that has changed since.
    is_outdated: bool,
    /// The row of its cursor between goals.
    cursor: u32,
}

/// Where a trace comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TracePlace {
    File(PathBuf),
    /// Derived by the rule of this name, first of all from the file at an index.
    Derived(Atom, usize),
}

impl KnownTrace {
    fn new(place: TracePlace) -> KnownTrace {
        KnownTrace { place, trace: None, is_outdated: false, cursor: 0 }
    }

    fn path(&self) -> Option<&Path> {
        match &self.place {
            TracePlace::File(path) => Some(path),
            TracePlace::Derived(..) => None,
        }
    }
}

impl Traces {
    /// The traces of these files; `loader` reads them on demand.
    pub(crate) fn new(files: Arc<NamedFiles>, loader: Loader) -> Traces {
        Traces { files, loader: Some(loader), ..Traces::default() }
    }

    /// Number of traces.
    pub(crate) fn len(&self) -> usize {
        self.files.paths.len() + self.n_besides
    }

    /// Notes that a goal asks which files there are.
    pub(crate) fn note_listing(&mut self) {
        self.are_listed = true;
    }

    /// Whether goals have asked which files there are, or queried all of them.
    pub(crate) fn are_all_asked(&self) -> bool {
        self.are_listed || (0..self.files.paths.len()).all(|at| self.known.contains_key(&at))
    }

    /// The index of the current trace.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    /// The file of a trace that is not derived.
    pub(crate) fn path(&self, at: usize) -> Option<&Path> {
        match self.files.paths.get(at) {
            Some(path) => Some(path),
            None => self.known.get(&at).and_then(KnownTrace::path),
        }
    }

    /// What is known of a trace; of a file, from now on.
    fn known_mut(&mut self, at: usize) -> Option<&mut KnownTrace> {
        if let Some(path) = self.files.paths.get(at) {
            return Some(self.known.entry(at).or_insert_with(|| KnownTrace::new(TracePlace::File(path.clone()))));
        }
        self.known.get_mut(&at)
    }

    /// Adds a trace besides those of the files, and returns its index.
    fn add(&mut self, place: TracePlace) -> usize {
        let at = self.len();
        self.known.insert(at, KnownTrace::new(place));
        self.n_besides += 1;
        at
    }

    /// The index of the trace in a file.
    fn at_path(&self, path: &Path) -> Option<usize> {
        let besides = || self.known.iter().find(|(_, known)| known.path() == Some(path)).map(|(at, _)| *at);
        self.files.places.get(path).copied().or_else(besides)
    }

    fn cursor(&self, at: usize) -> u32 {
        self.known.get(&at).map_or(0, |known| known.cursor)
    }

    /// The index of the trace that a text denotes: a derived trace of the current one, the path of a file, or its name
    /// with or without extension if that is unique, or `source`, that from which the current one is derived.
    pub(crate) fn find(&mut self, name: &str) -> Option<usize> {
        self.find_derived(Atom::new(name)).or_else(|| self.find_file(name)).or_else(|| {
            let source = self.source(self.current);
            source.filter(|_| name == SOURCE)
        })
    }

    fn find_file(&self, name: &str) -> Option<usize> {
        let by = |is_it: &dyn Fn(&Path) -> bool| {
            let mut found = (0..self.len()).filter(|at| self.path(*at).is_some_and(is_it));
            found.next().filter(|_| found.next().is_none())
        };
        let is = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part == name);
        by(&|path| path.as_os_str() == name)
            .or_else(|| by(&|path| is(path.file_name())))
            .or_else(|| by(&|path| is(path.file_stem())))
    }

    /// A trace, which is read at the first use.
    pub(crate) fn trace(&mut self, at: usize) -> Result<Arc<Trace>, String> {
        let loader = self.loader.clone();
        let Some(known) = self.known_mut(at) else { return Err(format!("there is no trace {}", at + 1)) };
        if let Some(trace) = &known.trace {
            return Ok(Arc::clone(trace));
        }
        if let TracePlace::Derived(name, _) = &known.place {
            return Err(format!("the trace `{name}` is not derived yet"));
        }
        let trace = loader.map_or(Err("no trace is open".to_string()), |load| load(at))?;
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
        self.current = self.at_path(path).unwrap_or_else(|| self.add(TracePlace::File(path.clone())));
        let known = self.known_mut(self.current).expect("the path was found or added");
        known.trace = Some(Arc::clone(trace));
        self.alignments.clear();
        self.forget_derived();
    }
}

/// The name of the trace from which the current one is derived.
const SOURCE: &str = "source";

/// Derived traces.
impl Traces {
    /// The rule of a derived trace.
    pub(crate) fn rule(&self, name: Atom) -> Option<&DerivedRule> {
        self.derivations.rule(name)
    }

    /// The names of the rules.
    pub(crate) fn derived_names(&self) -> Vec<Atom> {
        self.derivations.names()
    }

    /// Declares how a trace is derived; derived traces are made again when they are needed.
    pub(crate) fn declare(&mut self, name: Atom, rule: DerivedRule) {
        self.derivations.add(name, rule);
        self.forget_derived();
    }

    /// The name of a derived trace.
    pub(crate) fn derived_name(&self, at: usize) -> Option<Atom> {
        match self.known.get(&at)?.place {
            TracePlace::Derived(name, _) => Some(name),
            TracePlace::File(_) => None,
        }
    }

    /// The index of the trace from which a trace is derived; none for that of a file.
    pub(crate) fn source(&mut self, at: usize) -> Option<usize> {
        let TracePlace::Derived(name, file) = self.known.get(&at)?.place else { return None };
        let Some(source) = self.derivations.rule(name)?.source else { return Some(file) };
        self.derivations.rule(source)?;
        Some(self.derived_from(source, file))
    }

    /// The index of the trace of this name that is derived from the file of the current trace.
    fn find_derived(&mut self, name: Atom) -> Option<usize> {
        self.derivations.rule(name)?;
        let file = match self.known.get(&self.current).map(|known| &known.place) {
            Some(TracePlace::Derived(_, file)) => *file,
            Some(TracePlace::File(_)) => self.current,
            None => self.path(self.current).map(|_| self.current)?,
        };
        Some(self.derived_from(name, file))
    }

    fn derived_from(&mut self, name: Atom, file: usize) -> usize {
        let place = TracePlace::Derived(name, file);
        let known = self.known.iter().find(|(_, known)| known.place == place).map(|(at, _)| *at);
        known.unwrap_or_else(|| self.add(place))
    }

    /// Begins to make a derived trace, and returns its rule; none for a trace that is known. The error says which derived
    /// traces need themselves.
    pub(crate) fn begin_derivation(&mut self, at: usize) -> Result<Option<DerivedRule>, String> {
        let Some(name) = self.derived_name(at).filter(|_| !self.is_made(at)) else { return Ok(None) };
        match self.derivations.begin(at, name) {
            Ok(()) => Ok(self.derivations.rule(name).cloned()),
            Err(waiting) => {
                let names = waiting.iter().chain([&at]).filter_map(|at| self.derived_name(*at));
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                Err(format!("a derived trace would need itself: {}", names.join(" needs ")))
            }
        }
    }

    /// The events of the trace in the making.
    pub(crate) fn events_in_making(&mut self) -> Option<&mut DerivedEvents> {
        self.derivations.events()
    }

    /// The trace in the making and its events, which have all come.
    pub(crate) fn end_derivation(&mut self) -> Option<(usize, DerivedEvents)> {
        self.derivations.end()
    }

    /// Gives up the making of a trace.
    pub(crate) fn abandon_derivation(&mut self, at: usize) {
        self.derivations.abandon(at);
    }

    /// Gives up the making of all traces.
    pub(crate) fn abandon_derivations(&mut self) {
        self.derivations.abandon_all();
    }

    /// Whether a derived trace is being made.
    pub(crate) fn is_deriving(&self) -> bool {
        self.derivations.is_making()
    }

    /// Keeps a derived trace that has been made.
    pub(crate) fn keep_derived(&mut self, at: usize, trace: Trace) {
        self.n_derived_bytes += trace.bytes();
        let known = self.known_mut(at).expect("a trace in the making has its place");
        (known.trace, known.is_outdated, known.cursor) = (Some(Arc::new(trace)), false, 0);
    }

    /// Keeps a trace that was made elsewhere as the derived one of a name, from that in a file; gives its index.
    fn keep_made(&mut self, name: Atom, file: &Path, trace: Trace) -> usize {
        let file = self.at_path(file).unwrap_or_else(|| self.add(TracePlace::File(file.to_path_buf())));
        let at = self.derived_from(name, file);
        self.keep_derived(at, trace);
        at
    }

    /// Lets the trace in a file be read again, although derived traces were made of it.
    pub(crate) fn forget_file(&mut self, file: &Path) {
        let known = self.at_path(file).and_then(|at| self.known.get_mut(&at));
        known.into_iter().for_each(|known| known.trace = None);
    }

    /// Whether a trace need not be derived any more.
    pub(crate) fn is_made(&self, at: usize) -> bool {
        self.known.get(&at).is_some_and(|known| known.trace.is_some() && !known.is_outdated)
    }

    /// Memory of derived traces, also of those in the making.
    pub(crate) fn derived_bytes(&self) -> usize {
        self.n_derived_bytes + self.derivations.bytes()
    }

    fn forget_derived(&mut self) {
        self.n_derived_bytes = 0;
        self.alignments.clear();
        let derived = self.known.values_mut().filter(|known| known.path().is_none());
        derived.for_each(|known| known.is_outdated = true);
    }
}

/// The current trace, and the cursors of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bookmark {
    current: usize,
    cursor: u32,
    /// By the index of the trace; all others are before the first event.
    cursors: Vec<(usize, u32)>,
}

impl Bookmark {
    /// The cursor of the current trace.
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<&TracePlace> = self.known.values().map(|known| &known.place).collect();
        f.debug_struct("Traces").field("places", &places).field("current", &self.current).finish()
    }
}

/// The global variable that holds the cursor of a trace while a goal runs, so that backtracking undoes its moves.
fn cursor_name(at: usize) -> Atom {
    Atom::new(&format!("$cursor {at}"))
}

impl Desk {
    /// The current trace, and the cursors of all between goals.
    pub(crate) fn bookmark(&self) -> Bookmark {
        let cursors = self.traces.known.iter().map(|(at, known)| (*at, known.cursor)).collect();
        Bookmark { current: self.traces.current, cursor: self.cursor, cursors }
    }

    /// Restores the cursors of the other traces.
    pub(crate) fn return_cursors(&mut self, bookmark: &Bookmark) {
        let before =
            |at: &usize| bookmark.cursors.iter().find(|(known, _)| known == at).map_or(0, |(_, cursor)| *cursor);
        for (at, known) in &mut self.traces.known {
            known.cursor = before(at);
        }
    }

    /// Makes another trace current, and returns whether it was not.
    fn switch(&mut self, at: usize) -> Result<bool, String> {
        let trace = self.traces.trace(at)?;
        if at == self.traces.current && self.trace.as_ref().is_some_and(|current| Arc::ptr_eq(current, &trace)) {
            return Ok(false);
        }
        self.plans.belong_to(&trace);
        self.trace = Some(trace);
        self.traces.current = at;
        Ok(true)
    }
}

impl World {
    /// Makes a trace current that was made elsewhere: the derived one of a name, from that in a file.
    pub(crate) fn open_derived(&mut self, name: Atom, file: &Path, trace: Trace) {
        let at = self.desk.traces.keep_made(name, file, trace);
        // it is there
        let _ = self.go_to_trace(at, 0);
    }

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
            _ => desk.traces.cursor(at),
        }
    }

    /// Sets the cursor of such a trace; backtracking undoes it.
    pub(crate) fn keep_cursor(&mut self, at: usize, cursor: u32) {
        let World { store, globals, desk, .. } = self;
        desk.traces.known_mut(at);
        let cell = store.int(i64::from(cursor));
        globals.put(store, cursor_name(at), cell);
    }

    /// Commits the cursors of the other traces when an answer is accepted.
    pub(crate) fn settle_cursors(&mut self) {
        if self.desk.traces.known.len() > 1 {
            let known: Vec<usize> = self.desk.traces.known.keys().copied().collect();
            for at in known {
                let cursor = self.kept_cursor(at);
                if let Some(known) = self.desk.traces.known.get_mut(&at) {
                    known.cursor = cursor;
                }
            }
        }
    }
}
