//! The values of an attribute that occur in a trace, with the number of events of each.

use indexmap::IndexMap;

use crate::term::letters::atom_text;
use crate::trace::{AttributeId, Pattern, Trace, Value, group};

/// A value as it is typed, with its number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueCount {
    /// `exit`, `queen/2`, `[s2, c3]`.
    pub(crate) text: String,
    /// Number of events with this value.
    pub(crate) count: u64,
}

/// The values of an attribute in order of first occurrence; empty for an attribute whose values are lists or objects.
pub(crate) fn values_of(trace: &Trace, attribute: AttributeId) -> Vec<ValueCount> {
    if !trace.schema().has(attribute) {
        return Vec::new();
    }
    let mut counts: IndexMap<String, u64> = IndexMap::new();
    for (key, count) in group(trace, &Pattern::new(trace, Vec::new()), &[attribute]) {
        if let Some(text) = key.first().and_then(|value| value_text(trace, value)) {
            *counts.entry(text).or_default() += count;
        }
    }
    counts.into_iter().map(|(text, count)| ValueCount { text, count }).collect()
}

/// The procedures that were called, with the number of calls of each, in order of first appearance.
pub(crate) fn calls_of(trace: &Trace) -> Vec<ValueCount> {
    let mut counts: IndexMap<String, u64> = IndexMap::new();
    let procs = trace.calls().filter_map(|call| trace.proc_of(trace.call_first(call)));
    for text in procs.filter_map(|id| value_text(trace, &Value::Proc(id))) {
        *counts.entry(text).or_default() += 1;
    }
    counts.into_iter().map(|(text, count)| ValueCount { text, count }).collect()
}

fn value_text(trace: &Trace, value: &Value<'_>) -> Option<String> {
    match value {
        Value::Int(value) => Some(value.to_string()),
        Value::Float(value) => Some(format!("{value:?}")),
        Value::BigInt(text) | Value::Term(text) => Some(text.to_string()),
        Value::Atom(_) | Value::Text(_) | Value::Bool(_) => value.characters().map(|text| atom_text(text).into_owned()),
        Value::Path(steps) => {
            let steps: Vec<String> = steps.iter().map(|step| atom_text(step.as_str()).into_owned()).collect();
            Some(format!("[{}]", steps.join(", ")))
        }
        Value::Proc(id) => {
            let proc = trace.proc(*id);
            let name = atom_text(proc.name?.as_str()).into_owned();
            Some(proc.arity.map_or(name.clone(), |arity| format!("{name}/{arity}")))
        }
        Value::Absent | Value::Args(_) | Value::Texts(_) | Value::Json(_) => None,
    }
}
