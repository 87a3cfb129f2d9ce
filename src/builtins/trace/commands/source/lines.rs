//! How often a run reached the lines of its sources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use indexmap::IndexMap;

use crate::term::Atom;
use crate::term::hash::{HashMap, RandomState};
use crate::trace::{Combinations, EventId, PortRole, Trace};

use super::files::{SourceFile, file_below, sources};
use super::program::program;
use super::{line_number, source_name, texts};

/// A source file, and the lines of it that were reached or could have been.
pub(crate) struct SourceLines {
    /// The path relative to the folder of `--source-dir`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// By number of the line.
    pub(crate) lines: BTreeMap<usize, LineUse>,
}

/// The events that reached a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineUse {
    pub(crate) n: usize,
    /// The first of them; none for the line of a call that no event reached.
    pub(crate) first: Option<EventId>,
}

/// What the source of a line is known by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SourceKey {
    /// A file or a module.
    Named(Atom),
    /// In a trace without modules: the file that has this procedure.
    Of(Atom, Option<i64>),
}

/// The sources of a trace that are below some folders, in the order in which they were reached. A call reaches the line
/// from which it is called, and an event inside a call its own. Of sources in Mercury the lines of all calls are told,
/// reached or not; of others only those that were reached.
pub(crate) fn source_lines(folders: &[PathBuf], trace: &Trace) -> Vec<SourceLines> {
    let mut files: IndexMap<String, SourceLines, RandomState> = IndexMap::default();
    let mut file_of: HashMap<SourceKey, Option<String>> = HashMap::default();
    for (key, number, found) in reached(trace) {
        let name = file_of.entry(key).or_insert_with(|| {
            let file = file_of_key(folders, key)?;
            let name = file.name.clone();
            files.entry(name.clone()).or_insert_with(|| SourceLines::new(file));
            Some(name)
        });
        let Some(file) = name.as_ref().and_then(|name| files.get_mut(name)) else { continue };
        let line = file.lines.entry(number).or_default();
        line.n += found.n;
        line.first = [line.first, found.first].into_iter().flatten().min();
    }
    let sites = program(folders, trace).map_or(Vec::new(), |program| program.sites);
    for site in sites {
        let Some(file) = files.get_mut(&site.file) else { continue };
        // a call of a function in a term that goes over lines may be reported with the line on which its goal begins
        if !file.lines.contains_key(&site.goal_line) {
            file.lines.entry(site.line).or_default();
        }
    }
    for file in files.values_mut() {
        let n_lines = file.text.lines().count();
        file.lines.retain(|number, _| *number <= n_lines);
    }
    files.into_values().filter(|file| !file.lines.is_empty()).collect()
}

impl SourceLines {
    fn new(file: SourceFile) -> SourceLines {
        SourceLines { name: file.name, text: file.text, lines: BTreeMap::new() }
    }
}

/// The lines that events reached, in the order of their first events.
fn reached(trace: &Trace) -> Vec<(SourceKey, usize, LineUse)> {
    let attributes: Vec<_> =
        ["proc", "file", "line_number"].iter().filter_map(|name| trace.schema().find(name)).collect();
    let mut combinations = Combinations::new(trace, &attributes);
    // a line has the same source wherever its event and that of its caller have the same procedure and file
    let mut places: HashMap<(u32, u32), Option<usize>> = HashMap::default();
    let mut found: IndexMap<(SourceKey, usize), LineUse, RandomState> = IndexMap::default();
    for event in 0..trace.n_events() {
        let role = trace.port_role(event);
        if matches!(role, PortRole::Reopens | PortRole::Closes) {
            continue;
        }
        let caller = trace.call(event).and_then(|call| trace.parent(call)).map(|call| trace.call_first(call));
        let known_by = (combinations.id(event), caller.map_or(u32::MAX, |caller| combinations.id(caller)));
        let place = places.entry(known_by).or_insert_with(|| {
            let place = (source_key(trace, event, caller, role)?, line_number(trace, event)?);
            // other procedures may have reached the same line
            let entry = found.entry(place);
            let index = entry.index();
            entry.or_default();
            Some(index)
        });
        if let Some((_, line)) = place.and_then(|place| found.get_index_mut(place)) {
            line.n += 1;
            line.first.get_or_insert(event);
        }
    }
    found.into_iter().map(|((key, number), line)| (key, number, line)).collect()
}

fn source_key(trace: &Trace, event: EventId, caller: Option<EventId>, role: PortRole) -> Option<SourceKey> {
    if let Some(name) = source_name(trace, event) {
        return Some(SourceKey::Named(name));
    }
    let of = if role == PortRole::Inside { event } else { caller? };
    let proc = trace.proc(trace.proc_of(of)?);
    Some(SourceKey::Of(proc.name?, proc.arity))
}

fn file_of_key(folders: &[PathBuf], key: SourceKey) -> Option<SourceFile> {
    match key {
        SourceKey::Named(name) => file_below(folders, name.as_str()).ok(),
        SourceKey::Of(name, arity) => {
            let arity = arity.and_then(|arity| usize::try_from(arity).ok());
            let wanted = (name.as_str().to_owned(), arity);
            sources(folders).find(|file| !texts(file, &wanted).is_empty())
        }
    }
}
