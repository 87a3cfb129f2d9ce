//! All predicates by topic, with their modes: the list that ends the chapter `predicates` of the manual.

use crate::builtins::catalogue::doc::{Doc, docs};
use crate::builtins::catalogue::library::text_of;
use crate::builtins::families;
use crate::formats::FORMATS;

/// The topics of the library's files; the files of formats have the topics of their formats.
const TOPICS: &[(&str, &str)] = &[
    ("agents.pl", "Agents"),
    ("aggregate.pl", "Counting and grouping"),
    ("apply.pl", "Lists"),
    ("argument_types.pl", "Scripts and commands"),
    ("assoc.pl", "Tables of keys and values"),
    ("checks.pl", "Checks of the library"),
    ("cleanup.pl", "Control"),
    ("commands.pl", "Scripts and commands"),
    ("compare.pl", "Comparing traces"),
    ("consult.pl", "Scripts and commands"),
    ("control.pl", "Control"),
    ("coroutining.pl", "Goals that wait"),
    ("coverage.pl", "Coverage"),
    ("critical_path.pl", "Times of calls"),
    ("dcg.pl", "Grammars"),
    ("derived.pl", "Derived traces"),
    ("debug.pl", "Wrong answers"),
    ("errors.pl", "Errors and messages"),
    ("hashtables.pl", "Tables of keys and values"),
    ("hooks.pl", "Event lines"),
    ("integers.pl", "Arithmetic"),
    ("lambda.pl", "Control"),
    ("limits.pl", "Control"),
    ("lists.pl", "Lists"),
    ("monitors.pl", "Monitors"),
    ("morphine.pl", "The current event"),
    ("options.pl", "Lists"),
    ("ordsets.pl", "Lists"),
    ("pairs.pl", "Lists"),
    ("profile.pl", "Times of calls"),
    ("records.pl", "Global variables and records"),
    ("sequences.pl", "All solutions"),
    ("sets.pl", "Lists"),
    ("solutions.pl", "All solutions"),
    ("spans.pl", "Spans of services"),
    ("strings.pl", "Texts"),
    ("tabling.pl", "Tabling"),
    ("terms.pl", "Terms"),
    ("timeline.pl", "Times of calls"),
    ("times.pl", "Times of calls"),
    ("trace.pl", "Folds over events"),
    ("views.pl", "Calls"),
    ("waits.pl", "Processes that wait"),
    ("waterfall.pl", "Times of calls"),
];

/// A predicate in the list.
struct ListedPredicate {
    topic: &'static str,
    modes: &'static str,
    summary: String,
}

/// Every predicate, topic by topic, those of the trace first.
pub(crate) fn by_topic() -> String {
    let entries: Vec<ListedPredicate> = entries().collect();
    let mut topics: Vec<&str> = Vec::new();
    for entry in &entries {
        if !topics.contains(&entry.topic) {
            topics.push(entry.topic);
        }
    }
    topics.into_iter().map(|topic| section(topic, &entries)).collect()
}

fn entries() -> impl Iterator<Item = ListedPredicate> {
    let in_rust = families().flat_map(|(topic, table)| {
        table.iter().map(|record| ListedPredicate { topic, modes: record.modes, summary: record.doc.to_owned() })
    });
    let in_library = docs().map(|doc| ListedPredicate {
        topic: topic_of(&doc),
        modes: doc.modes,
        summary: format!("{}.", doc.summary().replace('\n', " ")),
    });
    in_rust.chain(in_library).filter(|entry| is_public(entry.modes))
}

/// Whether a predicate is public: names that begin with `$` or end with `_` belong to the library.
fn is_public(modes: &str) -> bool {
    let name = modes.split(['(', ' ']).next().unwrap_or_default();
    !name.starts_with('$') && !name.ends_with('_')
}

/// The topic of a file: from the table, or else from the format of its name, or from its first line.
fn topic_of(doc: &Doc) -> &'static str {
    let stem = doc.file.strip_suffix(".pl").unwrap_or(doc.file);
    let of_table = TOPICS.iter().find(|(file, _)| *file == doc.file).map(|row| row.1);
    let of_format = || FORMATS.iter().find(|format| format.name == stem).map(|format| format.doc);
    let first_line = || text_of(doc.file).and_then(|text| text.lines().next());
    of_table.or_else(of_format).or_else(first_line).unwrap_or_default().trim_start_matches("% ")
}

fn section(topic: &str, entries: &[ListedPredicate]) -> String {
    let of_topic = entries.iter().filter(|entry| entry.topic == topic);
    let mut lines: Vec<String> = of_topic
        .map(|entry| format!("    {}\n{}", entry.modes, super::wrap::wrapped(&entry.summary, "        ")))
        .collect();
    lines.sort();
    format!("\n{}\n\n{}", topic.to_uppercase(), lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_predicate_once_below_its_topic() {
        let list = by_topic();
        for modes in ["fget(+Constraints) is nondet", "member(?X, ?List) is nondet", "cycle(-L) is nondet"] {
            assert_eq!(list.matches(&format!("\n    {modes}\n")).count(), 1, "{modes}");
        }
        assert_eq!(
            list.lines().filter(|line| line.contains(" is ") && !line.starts_with("     ")).count(),
            entries().count()
        );
        assert!(list.starts_with("\nSEARCHING THE TRACE\n"), "{}", &list[..50]);
    }

    #[test]
    fn every_topic_of_the_table_is_that_of_a_file() {
        assert!(TOPICS.iter().all(|(file, _)| text_of(file).is_some()));
    }
}
