//! Violations in words.

use std::fmt::Write;

use crate::engine::{Cell, Store};
use crate::trace::{Claim, EventId, Measure, Property, PropertyBinding, Scope, Violation, ViolationKind};

use super::codes::TermCodes;
use super::goal::VocabularyWord;
use super::limit::DistanceLimit;
use super::marks::MarkedList;

/// Names of the shared variables.
pub(super) struct Names(Vec<String>);

impl Names {
    /// The given names; for other variables, the names of the attributes whose values they take.
    pub(super) fn new<'l>(
        store: &Store,
        shared: &[Cell],
        lists: impl Iterator<Item = &'l MarkedList> + Clone,
        given: &[(Cell, String)],
    ) -> Names {
        let name = |(number, variable): (usize, &Cell)| {
            let given = given.iter().find(|(other, name)| other == variable && !name.starts_with('_'));
            let attribute = || lists.clone().find_map(|list| list.name_of(store, number));
            given.map(|(_, name)| name.to_string()).or_else(attribute).unwrap_or_default()
        };
        Names(shared.iter().enumerate().map(name).collect())
    }
}

/// How many of the events in question violate the goal.
pub(super) struct Tally {
    pub(super) n_wrong: usize,
    pub(super) n: usize,
    /// `that match`, `events`
    pub(super) what: &'static str,
}

/// An assertion, with everything that messages about its violations need.
pub(super) struct Case<'a> {
    /// The number of an event.
    pub(super) chrono: &'a dyn Fn(EventId) -> i64,
    pub(super) word: VocabularyWord,
    pub(super) property: &'a Property,
    pub(super) limit: Option<&'a DistanceLimit>,
    pub(super) measure: Option<&'a Measure<'a>>,
    /// How many of the matching events violate the goal, and how many match, if that was counted.
    pub(super) tally: Option<Tally>,
    /// The values of an event that break the goal.
    pub(super) values: &'a dyn Fn(EventId) -> String,
    pub(super) names: &'a Names,
    pub(super) codes: &'a TermCodes,
}

impl VocabularyWord {
    /// Why an assertion holds vacuously.
    pub(super) fn vacuous(self) -> String {
        let word = match self {
            VocabularyWord::Precedes => "no event that anything must precede",
            VocabularyWord::Responds => "no event that anything must respond to",
            VocabularyWord::Always => "no event in a stretch of the scope",
            VocabularyWord::Never | VocabularyWord::Exists => "no stretch of the scope",
        };
        format!("nothing to check: {word}")
    }
}

impl Case<'_> {
    /// `C = 17: nothing responds to event 120, in the stretch from event 40 on; 3 of 1000 bindings`
    pub(super) fn violated(&self, binding: &PropertyBinding, violation: &Violation, (n, of): (usize, usize)) -> String {
        let mut text = String::new();
        for (variable, code) in &binding.values {
            let comma = if text.is_empty() { "" } else { ", " };
            add(&mut text, format_args!("{comma}{} = {}", self.names.0[*variable], self.codes.text(*code)));
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&self.fault(violation));
        text.push_str(&self.stretch(violation));
        match &self.tally {
            _ if of > 1 => add(&mut text, format_args!("; {n} of {of} bindings")),
            Some(Tally { n_wrong, n, .. }) if *n < 2 || *n_wrong == 0 => {}
            Some(Tally { n_wrong, n, what }) => add(&mut text, format_args!("; {n_wrong} of {n} {what}")),
            None => {}
        }
        text
    }

    fn fault(&self, violation: &Violation) -> String {
        let event = violation.events.last().map_or_else(String::new, |event| self.event(*event));
        let limit = self.limit.map_or(String::new(), |limit| format!(" {}", limit.text));
        match violation.fault {
            ViolationKind::TooMany if self.word == VocabularyWord::Never => {
                format!("{event} should never be{limit}{}", self.values(violation))
            }
            ViolationKind::TooMany => format!("more than {}{limit}", self.bound()),
            ViolationKind::TooFew(0) => format!("no event{limit}{}", self.expected()),
            ViolationKind::TooFew(n) => format!("only {}{limit}{}", counted(n), self.expected()),
            ViolationKind::Other => {
                format!("{event} does not satisfy the constraints{limit}{}", self.values(violation))
            }
            ViolationKind::Unpreceded => format!("nothing precedes {event}{limit}"),
            ViolationKind::Unanswered => format!("nothing responds to {event}{limit}"),
            ViolationKind::PrecededOutside => {
                format!("what precedes {event} is not{limit}{}", self.distance(violation))
            }
            ViolationKind::AnsweredOutside => {
                format!("what responds to {event} is not{limit}{}", self.distance(violation))
            }
            ViolationKind::Unmeasured => format!("{event} has no value to be{limit} of"),
        }
    }

    /// `: duration = 600`
    fn values(&self, violation: &Violation) -> String {
        let values = violation.events.last().map_or_else(String::new, |event| (self.values)(*event));
        if values.is_empty() { values } else { format!(": {values}") }
    }

    /// `: 25546, from event 3 to event 17`
    fn distance(&self, violation: &Violation) -> String {
        let (Some(outside), Some(event)) = (violation.outside, violation.events.last().copied()) else {
            return String::new();
        };
        let Some(distance) = self.measure.and_then(|measure| measure.distance(event, outside)) else {
            return String::new();
        };
        let (from, to) = (event.min(outside), event.max(outside));
        format!(": {}, from {} to {}", Measure::text_of(distance), self.event(from), self.event(to))
    }

    /// The greatest number of events allowed.
    fn bound(&self) -> String {
        match self.property.claim {
            Claim::Count { most: Some(most), .. } => counted(most),
            _ => counted(0),
        }
    }

    /// `, expected at least 2`; empty if one is expected.
    fn expected(&self) -> String {
        match self.property.claim {
            Claim::Count { least: 1, .. } => String::new(),
            Claim::Count { least, most } if most == Some(least) => format!(", expected exactly {least}"),
            Claim::Count { least, .. } => format!(", expected at least {least}"),
            _ => String::new(),
        }
    }

    fn event(&self, event: EventId) -> String {
        format!("event {}", (self.chrono)(event))
    }

    /// `, in the stretch from event 40 to event 60`
    fn stretch(&self, violation: &Violation) -> String {
        let from = violation.opening.map(|event| format!(" from {}", self.event(event)));
        let to = match violation.closing {
            Some(event) => format!(" to {}", self.event(event)),
            None if violation.opening.is_some() => " on".to_string(),
            None => String::new(),
        };
        match (self.property.scope, from) {
            (Scope::Globally, _) => String::new(),
            (_, from) => format!(", in the stretch{}{to}", from.unwrap_or_default()),
        }
    }
}

/// `1 event`, `2 events`
fn counted(n: u64) -> String {
    if n == 1 { "1 event".to_string() } else { format!("{n} events") }
}

fn add(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}
