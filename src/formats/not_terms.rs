//! Texts of a trace that are not terms and therefore strings: one finding names the first and counts the others.

use std::hash::BuildHasher;

use crate::syntax::is_term;
use crate::term::hash::FixedState;
use crate::term::letters::excerpt;
use crate::trace::{ArgTexts, AttributeId, EventId, Finding, FindingSeverity, Trace, Value};

/// The rule about such texts.
pub(crate) const NOT_TERMS: &str = "T1";
/// The severity of its findings, for the record of a format that reports them while it reads.
pub(crate) const SEVERITY: (&str, FindingSeverity) = (NOT_TERMS, FindingSeverity::Warning);

/// The message: the first text, and the number of others.
pub(crate) fn not_terms(first: &str, n_others: usize) -> String {
    let others = match n_others {
        0 => String::new(),
        1 => ", and so is 1 more".to_owned(),
        n => format!(", and so are {n} more"),
    };
    format!("{} is no term and is kept as a string{others}", excerpt(first))
}

/// The finding about arguments and results that are not terms; none if all are.
///
/// Loading does not search for them, as that costs more than loading; only `info` does.
pub(crate) fn term_finding(trace: &Trace) -> Option<Finding> {
    let mut search = StringSearch { trace, first: None, n_found: 0 };
    if trace.schema().has(AttributeId::ARGS) {
        search.arguments();
    }
    if trace.schema().has(AttributeId::RESULT) {
        search.results();
    }
    let (event, text) = search.first?;
    Some(Finding {
        rule: NOT_TERMS,
        severity: SEVERITY.1,
        chrono: Some(trace.chrono(event)),
        line: trace.source_line(event),
        message: not_terms(&text, search.n_found - 1),
    })
}

struct StringSearch<'t> {
    trace: &'t Trace,
    first: Option<(EventId, String)>,
    n_found: usize,
}

/// The most slots for recent lists of arguments: those of an event are often those of an earlier one.
const RECENT: usize = 1 << 14;

impl StringSearch<'_> {
    fn arguments(&mut self) {
        let hasher = FixedState::default();
        let n_slots = RECENT.min(self.trace.n_events() as usize);
        let mut recent = vec![(0u64, 0u32); n_slots];
        for event in 0..self.trace.n_events() {
            let Value::Args(list) = self.trace.value(event, AttributeId::ARGS) else { continue };
            let hash = hasher.hash_one(list.whole().as_ref());
            let slot = &mut recent[hash as usize % n_slots];
            if slot.0 != hash {
                *slot = (hash, strings(list).count() as u32);
            }
            if slot.1 > 0 {
                let n_strings = slot.1 as usize;
                self.add(event, n_strings, || strings(list).next().unwrap_or_default().to_owned());
            }
        }
    }

    fn results(&mut self) {
        for event in 0..self.trace.n_events() {
            if let Value::Term(text) = self.trace.value(event, AttributeId::RESULT)
                && !is_term(text)
            {
                self.add(event, 1, || text.to_owned());
            }
        }
    }

    fn add(&mut self, event: EventId, n_found: usize, text: impl FnOnce() -> String) {
        self.n_found += n_found;
        if self.first.as_ref().is_none_or(|(first, _)| *first > event) {
            self.first = Some((event, text()));
        }
    }
}

/// The arguments that are not terms.
fn strings(list: ArgTexts<'_>) -> impl Iterator<Item = &str> {
    list.into_iter().filter(|text| !is_term(text))
}
