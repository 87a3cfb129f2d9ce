//! The words for completion and hints: predicates, attributes, and the values that occur in the loaded traces.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::session::{ValueCount, values_of};
use crate::term::letters::atom_text;
use crate::trace::{AttributeId, AttributeType, BASE, Schema, Trace};

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

/// All words; each list is sorted, so that words with a prefix are found by binary search.
#[derive(Clone, Debug, Default)]
pub(crate) struct PromptWords {
    predicates: Vec<PredicateWord>,
    traces: Vec<Arc<Trace>>,
    attributes: Vec<NotedWord>,
    /// Values that occur, by every name and alias of their attribute; they are listed when they are first asked for.
    values: BTreeMap<String, OnceLock<Vec<NotedWord>>>,
}

impl PromptWords {
    /// The words of a session that has these predicates and traces.
    pub(crate) fn new(predicates: Vec<PredicateWord>, traces: Vec<Arc<Trace>>) -> PromptWords {
        let mut words = PromptWords::default();
        words.set_predicates(predicates);
        words.set_traces(traces);
        words
    }

    /// Replaces the predicates; the words from the traces stay.
    pub(crate) fn set_predicates(&mut self, mut predicates: Vec<PredicateWord>) {
        predicates.sort_by(|a, b| (&a.name, a.arity).cmp(&(&b.name, b.arity)));
        self.predicates = predicates;
    }

    /// Replaces the words from the traces, unless these are the same traces as before.
    pub(crate) fn set_traces(&mut self, traces: Vec<Arc<Trace>>) {
        let are_same = traces.len() == self.traces.len()
            && traces.iter().zip(&self.traces).all(|(new, known)| Arc::ptr_eq(new, known));
        if are_same {
            return;
        }
        (self.attributes, self.values) = Default::default();
        traces.iter().for_each(|trace| self.add_attributes(trace));
        self.attributes.sort_by(|a, b| bare(&a.text).cmp(bare(&b.text)));
        self.attributes.dedup_by(|a, b| a.text == b.text);
        self.traces = traces;
    }

    fn add_attributes(&mut self, trace: &Trace) {
        let schema = trace.schema();
        for (id, attribute) in schema.iter().chain(schema.computed_of_calls()) {
            for name in std::iter::once(&*attribute.name).chain(attribute.aliases.iter().copied()) {
                self.attributes.push(NotedWord { text: atom_text(name).into_owned(), note: attribute.doc.to_string() });
                if is_typed(schema, id) {
                    self.values.entry(name.to_string()).or_default();
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
        let known = self.values.get(attribute).map(|values| values.get_or_init(|| self.listed_values(attribute)));
        known.map_or(&[], |values| with_prefix(values, prefix))
    }

    /// Whether values of this attribute are listed.
    pub(crate) fn has_values(&self, attribute: &str) -> bool {
        self.values.contains_key(attribute)
    }

    /// The values that occur, each with its number of events.
    fn listed_values(&self, attribute: &str) -> Vec<NotedWord> {
        let ids = self.traces.iter().filter_map(|trace| Some((trace, trace.schema().any(attribute)?)));
        let mut values: Vec<ValueCount> = ids.flat_map(|(trace, id)| values_of(trace, id)).collect();
        values.sort_unstable_by(|a, b| bare(&a.text).cmp(bare(&b.text)));
        values.dedup_by(|value, kept| {
            let is_same = value.text == kept.text;
            kept.count += if is_same { value.count } else { 0 };
            is_same
        });
        values.into_iter().map(|value| NotedWord { text: value.text, note: value.count.to_string() }).collect()
    }
}

/// A word without the quote before it, as words are typed before they are completed.
fn bare(word: &str) -> &str {
    word.strip_prefix(['\'', '"']).unwrap_or(word)
}

fn with_prefix<'a>(words: &'a [NotedWord], prefix: &str) -> &'a [NotedWord] {
    let prefix = bare(prefix);
    let start = words.partition_point(|word| bare(&word.text) < prefix);
    let length = words[start..].partition_point(|word| bare(&word.text).starts_with(prefix));
    &words[start..start + length]
}

/// Whether people type values of an attribute: not times, and not numbers of events and calls.
fn is_typed(schema: &Schema, id: AttributeId) -> bool {
    match schema.get(id).kind {
        AttributeType::GoalPath | AttributeType::Name | AttributeType::Port | AttributeType::Proc => true,
        AttributeType::Integer | AttributeType::Any => id.index() >= BASE.len() && schema.unit(id).is_none(),
        AttributeType::Args | AttributeType::Texts | AttributeType::Computed => false,
    }
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
            PromptWords::new(vec![predicate("fget", 1), predicate("bget", 1), predicate("fget_np", 1)], Vec::new());
        let names: Vec<&str> = words.predicates("fg").iter().map(|predicate| &*predicate.name).collect();
        assert_eq!(names, ["fget", "fget_np"]);
        assert_eq!(words.predicates("zz"), []);
    }

    #[test]
    fn arity_chooses_among_predicates_of_one_name() {
        let words = PromptWords::new(vec![predicate("next", 1), predicate("next", 0)], Vec::new());
        assert_eq!(words.predicate("next", Some(1)).unwrap().doc, "does next/1");
        assert_eq!(words.predicate("next", None).unwrap().doc, "does next/0");
        assert!(words.predicate("nex", None).is_none());
    }
}
