//! The words for completion and hints: predicates, attributes, and the values that occur in the loaded traces.

use std::collections::BTreeMap;

use crate::session::{ValueCount, values_of};
use crate::trace::{AttributeId, AttributeType, Trace};

/// A word with its note in a list of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotedWord {
    /// The text that is inserted.
    pub(crate) text: String,
    /// The note beside it: a count, an arity, a meaning.
    pub(crate) note: String,
}

/// A predicate, as completion and hints know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PredicateWord {
    /// Its name.
    pub(crate) name: String,
    /// Its number of arguments.
    pub(crate) arity: usize,
    /// One line that says what it does.
    pub(crate) doc: String,
}

/// All words; each list is sorted by text, so that words with a prefix are found by binary search.
#[derive(Clone, Debug, Default)]
pub(crate) struct PromptWords {
    predicates: Vec<PredicateWord>,
    attributes: Vec<NotedWord>,
    /// Values that occur, by every name and alias of their attribute.
    values: BTreeMap<String, Vec<NotedWord>>,
}

impl PromptWords {
    /// The words of a session that has these predicates and traces.
    pub(crate) fn new<'a>(predicates: Vec<PredicateWord>, traces: impl Iterator<Item = &'a Trace>) -> PromptWords {
        let mut words = PromptWords::default();
        words.set_predicates(predicates);
        for trace in traces {
            words.add_trace(trace);
        }
        words.attributes.sort_by(|a, b| a.text.cmp(&b.text));
        words.attributes.dedup_by(|a, b| a.text == b.text);
        words
    }

    /// Replaces the predicates; the words from the traces stay.
    pub(crate) fn set_predicates(&mut self, mut predicates: Vec<PredicateWord>) {
        predicates.sort_by(|a, b| (&a.name, a.arity).cmp(&(&b.name, b.arity)));
        self.predicates = predicates;
    }

    fn add_trace(&mut self, trace: &Trace) {
        for (id, attribute) in trace.schema().iter().chain(trace.schema().computed_of_calls()) {
            let names = std::iter::once(&*attribute.name).chain(attribute.aliases.iter().copied());
            let values = listed_values(trace, id, attribute.kind);
            for name in names {
                self.attributes.push(NotedWord { text: name.to_string(), note: attribute.doc.to_string() });
                if !values.is_empty() {
                    self.values.insert(name.to_string(), values.clone());
                }
            }
        }
    }

    /// The predicates whose names begin with `prefix`.
    pub(crate) fn predicates(&self, prefix: &str) -> &[PredicateWord] {
        let start = self.predicates.partition_point(|predicate| *predicate.name < *prefix);
        let length = self.predicates[start..].partition_point(|predicate| predicate.name.starts_with(prefix));
        &self.predicates[start..start + length]
    }

    /// The predicate called `name` with this arity if there is one, otherwise the first with that name.
    pub(crate) fn predicate(&self, name: &str, arity: Option<usize>) -> Option<&PredicateWord> {
        let mut called = self.predicates(name).iter().filter(|predicate| predicate.name == name);
        let first = called.clone().next();
        arity.and_then(|arity| called.find(|predicate| predicate.arity == arity)).or(first)
    }

    /// The attributes whose names or aliases begin with `prefix`.
    pub(crate) fn attributes(&self, prefix: &str) -> &[NotedWord] {
        with_prefix(&self.attributes, prefix)
    }

    /// The values of an attribute that begin with `prefix`.
    pub(crate) fn values(&self, attribute: &str, prefix: &str) -> &[NotedWord] {
        self.values.get(attribute).map_or(&[], |values| with_prefix(values, prefix))
    }

    /// Whether values of this attribute are known.
    pub(crate) fn has_values(&self, attribute: &str) -> bool {
        self.values.contains_key(attribute)
    }
}

fn with_prefix<'a>(words: &'a [NotedWord], prefix: &str) -> &'a [NotedWord] {
    let start = words.partition_point(|word| *word.text < *prefix);
    let length = words[start..].partition_point(|word| word.text.starts_with(prefix));
    &words[start..start + length]
}

/// The values that occur, each with its number of events; only procedures, paths, ports and names, since nobody types
/// other values.
fn listed_values(trace: &Trace, id: AttributeId, kind: AttributeType) -> Vec<NotedWord> {
    use AttributeType::{GoalPath, Name, Port, Proc};
    if !matches!(kind, GoalPath | Name | Port | Proc) {
        return Vec::new();
    }
    let word = |value: ValueCount| NotedWord { text: value.text, note: value.count.to_string() };
    let mut words: Vec<NotedWord> = values_of(trace, id).into_iter().map(word).collect();
    words.sort_by(|a, b| a.text.cmp(&b.text));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicate(name: &str, arity: usize) -> PredicateWord {
        PredicateWord { name: name.into(), arity, doc: format!("does {name}/{arity}") }
    }

    #[test]
    fn predicates_are_found_by_prefix() {
        let words =
            PromptWords::new(vec![predicate("fget", 1), predicate("bget", 1), predicate("fget_np", 1)], [].into_iter());
        let names: Vec<&str> = words.predicates("fg").iter().map(|predicate| &*predicate.name).collect();
        assert_eq!(names, ["fget", "fget_np"]);
        assert_eq!(words.predicates("zz"), []);
    }

    #[test]
    fn arity_chooses_among_predicates_of_one_name() {
        let words = PromptWords::new(vec![predicate("next", 1), predicate("next", 0)], [].into_iter());
        assert_eq!(words.predicate("next", Some(1)).unwrap().doc, "does next/1");
        assert_eq!(words.predicate("next", None).unwrap().doc, "does next/0");
        assert!(words.predicate("nex", None).is_none());
    }
}
