//! The library files, and the constructor of a machine with the library.

use crate::engine::{Database, Effect, Machine, Output, World};
use crate::syntax::{ReadFlags, Reader};
use crate::term::hash::HashSet;
use crate::term::ops::OpTable;
use crate::term::{Atom, NodeId};

use super::effects::{constraint_arguments, effect};
use super::modes::name_and_arity;

/// A file of the library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LibraryFile {
    /// `lists.pl`
    pub(crate) name: &'static str,
    /// Its clauses and comments.
    pub(crate) text: &'static str,
    predicates: &'static [IndexedPredicate],
}

/// A predicate of a file: the name, the number of arguments, where the clauses begin and end, and what the line `%@` of
/// the comment above them says.
type IndexedPredicate = (&'static str, usize, usize, usize, &'static str);

/// The files of `src/library` by name; the build script lists them.
pub(crate) const FILES: &[LibraryFile] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The text of a file of the library.
pub(crate) fn text_of(name: &str) -> Option<&'static str> {
    FILES.iter().find(|file| file.name == name).map(|file| file.text)
}

/// The clauses of a predicate of the library.
pub(crate) fn clauses_of(name: &str, arity: usize) -> Option<&'static str> {
    FILES.iter().find_map(|file| {
        let row = file.predicates.iter().find(|row| (row.0, row.1) == (name, arity))?;
        Some(&file.text[row.2..row.3])
    })
}

/// A machine with all predicates and the library, whose goals write to `output`.
pub(crate) fn machine(output: Output) -> Machine {
    let mut world = World::new(output);
    world.database = Database::fresh(database);
    Machine::new(world)
}

fn database() -> Database {
    let mut database = Database::new(crate::builtins::tables());
    for file in FILES {
        for &(name, arity, start, end, tags) in file.predicates {
            let effect = Tags(tags).effect();
            database.define_unread(Atom::of_program(name), arity, &file.text[start..end], effect);
        }
    }
    database
}

/// The contents of the line `%@` of a comment: `%@ pure, calls 2`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags(&'static str);

/// What the answers of a predicate may depend on, whatever goals it is part of: events in all places of the trace, where its
/// clauses do not show it; arguments and results of events; and no events at all, but what the trace says of its recording.
/// `sound/1` asks for it.
const LOOKS_AT: [&str; 3] = ["whole trace", "values", "recording"];

impl Tags {
    /// What the predicate does besides binding its arguments.
    pub(crate) fn effect(self) -> Effect {
        self.words().find_map(Effect::of_tag).unwrap_or_default()
    }

    /// How the predicate calls its goals: `2` with two more arguments, `^` after `Variables^`, `:` in a special way.
    pub(crate) fn calls(self) -> Option<&'static str> {
        self.words().find_map(|word| word.strip_prefix("calls "))
    }

    /// Whether the answers of the predicate depend on what one of [`LOOKS_AT`] names.
    pub(crate) fn look_at(self, what: &str) -> bool {
        LOOKS_AT.contains(&what) && self.words().any(|word| word == what)
    }

    /// Whether every part of it is known.
    #[cfg(test)]
    pub(crate) fn are_known(self) -> bool {
        let is_known = |word: &str| word.starts_with("calls ") || LOOKS_AT.contains(&word);
        self.words().all(|word| is_known(word) || Effect::of_tag(word).is_some())
    }

    fn words(self) -> impl Iterator<Item = &'static str> {
        self.0.split(", ").filter(|word| !word.is_empty())
    }
}

/// The heads with modes in the comments above the library's predicates called `name`, and the tags of those.
pub(crate) fn heads(name: &str) -> impl Iterator<Item = (&'static str, Tags)> {
    FILES.iter().flat_map(move |file| {
        let rows = file.predicates.iter().filter(move |row| row.0 == name);
        rows.filter_map(|row| {
            let (_, comment) = file.text[..row.2].rsplit_once("\n%! ")?;
            let head = comment.lines().next()?;
            (name_and_arity(head) == (row.0, row.1)).then_some((head, Tags(row.4)))
        })
    })
}

/// Whether the answers of a predicate may depend on events that a trace lacks: its record or its comment says so, or its
/// clauses, or those of a predicate that they mention, and so on, mention one that says so.
pub(crate) fn may_search(name: &str, arity: usize) -> bool {
    let operators = OpTable::standard();
    let first = (Atom::new(name), arity);
    let mut seen: HashSet<(Atom, usize)> = HashSet::from_iter([first]);
    let mut waiting = vec![first];
    while let Some((name, arity)) = waiting.pop() {
        if looks_at(name.as_str(), arity, "recording") {
            continue;
        }
        let Some(clauses) = clauses_of(name.as_str(), arity) else {
            let effect = effect(name, arity);
            let searches = || effect == Effect::Any && !constraint_arguments(name.as_str(), arity).is_empty();
            if effect.needs_events() || searches() {
                return true;
            }
            continue;
        };
        if looks_at(name.as_str(), arity, "whole trace") {
            return true;
        }
        let mut reader = Reader::new(clauses);
        while let Ok(Some(clause)) = reader.read(&operators, &ReadFlags::default()) {
            let functors = (0..clause.tree.len()).filter_map(|node| clause.tree.functor(node as NodeId));
            waiting.extend(functors.filter(|functor| seen.insert(*functor)));
        }
    }
    false
}

/// Whether the comment of a predicate of the library names what it looks at.
pub(crate) fn looks_at(name: &str, arity: usize, what: &str) -> bool {
    heads(name).any(|(modes, tags)| name_and_arity(modes).1 == arity && tags.look_at(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Namespace, ScriptEvent};
    use crate::syntax::diagnostic::Source;
    use crate::term::atoms;
    use crate::term::print::{self, Style};

    #[test]
    fn the_index_finds_every_clause() {
        for LibraryFile { name: file, text, predicates } in FILES {
            let indexed = predicates.iter().flat_map(|&(name, arity, start, end, _)| {
                clauses(&text[start..end]).into_iter().map(move |(_, clause)| ((Atom::new(name), arity), clause))
            });
            assert!(indexed.eq(clauses(text)), "{file}");
        }
    }

    /// What is asked of traces depends on events that a trace may lack, unless it is about the recording or one event.
    #[test]
    fn predicates_about_traces_search_them() {
        let about_traces = [
            "agents.pl",
            "checks.pl",
            "chrome.pl",
            "compare.pl",
            "coverage.pl",
            "critical_path.pl",
            "itf.pl",
            "json.pl",
            "lttng.pl",
            "monitors.pl",
            "mpd.pl",
            "posix.pl",
            "profile.pl",
            "seqtrace.pl",
            "spans.pl",
            "strace.pl",
            "timeline.pl",
            "times.pl",
            "trace.pl",
            "visandor.pl",
            "waits.pl",
            "waterfall.pl",
        ];
        let of_files = crate::builtins::doc::docs().filter(|doc| about_traces.contains(&doc.file));
        let others: Vec<String> = of_files
            .filter(|doc| !may_search(doc.name(), doc.arity()))
            .map(|doc| format!("{}/{}", doc.name(), doc.arity()))
            .collect();
        let expected = "well_formed/0 nothing_lost/0 nothing_truncated/0 no_overlap/0 no_lost_events/0 in_trace/2 lost/4 \
                        window/3 blind/2 stopped/2 truncated/2 flush/3 event_type/3 sound/1 percentile/4 histogram/2 \
                        tuple/2 has_flag/2";
        assert_eq!(others.join(" "), expected);
        assert!(!may_search("aggregate_all", 3) && !may_search("findall", 3) && !may_search("format", 2));
    }

    #[test]
    fn every_predicate_stands_together_and_once() {
        let mut all: Vec<(&str, usize)> =
            FILES.iter().flat_map(|file| file.predicates).map(|row| (row.0, row.1)).collect();
        all.sort_unstable();
        let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn the_whole_library_compiles() {
        let mut world = World::new(Output::new(Box::new(std::io::sink())));
        world.database = Database::new(crate::builtins::tables());
        for LibraryFile { name, text, .. } in FILES {
            world.open_script(Source::new(*name, *text), Namespace::Library, None);
            assert_eq!(world.next_script_event(), ScriptEvent::End, "{name} has clauses only");
            world.close_script();
        }
        let faults: Vec<String> =
            world.scripts.take_report().diagnostics.iter().map(|diagnostic| diagnostic.to_string()).collect();
        assert!(faults.is_empty(), "{}", faults.join(""));
    }

    /// Name and arity of the predicate of each clause, and the clause.
    fn clauses(text: &str) -> Vec<((Atom, usize), String)> {
        let (ops, style) = (OpTable::standard(), Style { quoted: true, ..Style::default() });
        let mut reader = Reader::new(text);
        let mut read = || reader.read(&ops, &ReadFlags::default()).expect("the library can be read");
        std::iter::from_fn(|| {
            let tree = read()?.tree;
            let is_rule = tree.functor(tree.root()) == Some((atoms::NECK, 2));
            let head = if is_rule { tree.args(tree.root())[0] } else { tree.root() };
            let functor = tree.functor(head).expect("a clause has a head");
            Some((functor, print::to_string(&tree, tree.root(), &ops, &style)))
        })
        .collect()
    }
}
