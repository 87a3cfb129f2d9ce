//! The constraints on arguments of one search, put to its events by matchers; once for each text where events share it.

use std::cell::RefCell;

use crate::engine::{Cell, Part, Plan, Store, Use};
use crate::trace::{AttributeId, EventId, Trace, Value};

use super::matcher::{Matcher, Verdict};
use super::query::is_of_arguments;
use super::values;

/// What a search asks of the arguments of its events.
#[derive(Debug, Default)]
pub(super) struct Filter {
    checks: Vec<Check>,
}

/// A use of a term for arguments.
#[derive(Debug)]
struct Check {
    /// The index of the term.
    index: usize,
    wanted: Wanted,
    part: Part,
    term: Cell,
    matcher: Option<Matcher>,
    verdicts: RefCell<Verdicts>,
}

/// Whether a term must unify or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Same,
    Other,
}

/// Uses that were found to hold for an event, by the indexes of their terms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settled(u64);

impl Settled {
    /// Whether the use of a term holds and binds nothing.
    pub(super) fn has(self, index: usize) -> bool {
        index < 64 && self.0 >> index & 1 == 1
    }
}

impl Filter {
    /// The filter for the terms of a plan, whose variables are as they were when the search began.
    pub(super) fn new(store: &Store, plan: &Plan, terms: &[Cell]) -> Filter {
        let check = |(index, usage): &(usize, Use)| {
            let (part, wanted) = match *usage {
                Use::Unify(part) => (part, Wanted::Same),
                Use::Differ(part) => (part, Wanted::Other),
                Use::Chrono | Use::Call => return None,
            };
            if !is_of_arguments(*usage) {
                return None;
            }
            let term = terms[*index];
            let matcher = Matcher::new(store, part, term);
            Some(Check { index: *index, wanted, part, term, matcher, verdicts: RefCell::default() })
        };
        Filter { checks: plan.uses.iter().filter_map(check).collect() }
    }

    /// Which uses hold for an event, as far as matchers tell; none if one does not.
    pub(super) fn settle(&self, trace: &Trace, event: EventId) -> Option<Settled> {
        let mut settled = Settled::default();
        for check in &self.checks {
            let Some(matcher) = &check.matcher else { continue };
            let verdict = check.verdict(matcher, trace, event);
            // What a variable is bound to when its turn comes is not known here.
            let is_certain = verdict == Verdict::Fails || verdict == Verdict::Fits && !matcher.has_variables();
            if is_certain && (verdict == Verdict::Fits) != (check.wanted == Wanted::Same) {
                return None;
            }
            if is_certain && check.index < 64 && trace.value(event, AttributeId::ARGS) != Value::Absent {
                settled.0 |= 1 << check.index;
            }
        }
        Some(settled)
    }

    /// Whether all uses hold for an event, for terms whose variables occur nowhere else; nothing is bound.
    pub(super) fn passes(&self, store: &mut Store, trace: &Trace, event: EventId) -> bool {
        self.checks.iter().all(|check| check.holds(store, trace, event))
    }
}

impl Check {
    fn verdict(&self, matcher: &Matcher, trace: &Trace, event: EventId) -> Verdict {
        self.verdicts.borrow_mut().of(trace, event, || match (trace.value(event, AttributeId::ARGS), self.part) {
            // An argument that is not there does not differ.
            (Value::Args(list), Part::Argument(number))
                if self.wanted == Wanted::Other && list.part(number - 1).is_none() =>
            {
                Verdict::Unknown
            }
            (Value::Args(list), _) => matcher.verdict(list),
            _ => Verdict::Unknown,
        })
    }

    fn holds(&self, store: &mut Store, trace: &Trace, event: EventId) -> bool {
        let verdict = self.matcher.as_ref().map_or(Verdict::Unknown, |matcher| self.verdict(matcher, trace, event));
        let is_same = match verdict {
            Verdict::Fits => true,
            Verdict::Fails => false,
            Verdict::Unknown => match self.unifies(store, trace, event) {
                Some(unifies) => {
                    let verdict = if unifies { Verdict::Fits } else { Verdict::Fails };
                    self.verdicts.borrow_mut().keep(trace, event, verdict);
                    unifies
                }
                None => return false,
            },
        };
        is_same == (self.wanted == Wanted::Same)
    }

    /// Whether the term unifies with the value; none if there is no value.
    fn unifies(&self, store: &mut Store, trace: &Trace, event: EventId) -> Option<bool> {
        let attempt = store.begin_attempt();
        let value = values::part(store, trace, event, self.part);
        let unifies = value.map(|value| store.unify(self.term, value));
        store.undo_attempt(attempt);
        unifies
    }
}

/// The verdicts on texts that several events may share.
#[derive(Debug, Default)]
struct Verdicts {
    n_asked: usize,
    /// For each text the verdict + 1, or 0; empty as long as few events were seen.
    known: Vec<u8>,
}

/// The table of texts is made when so many times more texts are not in question.
const FEW: usize = 16;

impl Verdicts {
    fn of(&mut self, trace: &Trace, event: EventId, find: impl FnOnce() -> Verdict) -> Verdict {
        self.n_asked += 1;
        if self.n_asked.is_multiple_of(64) && self.known.is_empty() {
            self.begin(trace, event);
        }
        match self.place(trace, event) {
            None => find(),
            Some(place) => match *place {
                1 => Verdict::Fails,
                2 => Verdict::Fits,
                3 => Verdict::Unknown,
                _ => {
                    let verdict = find();
                    *place = verdict as u8 + 1;
                    verdict
                }
            },
        }
    }

    fn keep(&mut self, trace: &Trace, event: EventId, verdict: Verdict) {
        if let Some(place) = self.place(trace, event) {
            *place = verdict as u8 + 1;
        }
    }

    fn place(&mut self, trace: &Trace, event: EventId) -> Option<&mut u8> {
        if self.known.is_empty() {
            return None;
        }
        self.known.get_mut(trace.known_args_code(event)? as usize)
    }

    /// Makes the table if there is a dictionary, and the search sees many events for its size.
    fn begin(&mut self, trace: &Trace, event: EventId) {
        if trace.known_args_code(event).is_some() && trace.n_args_codes() / FEW <= self.n_asked {
            self.known = vec![0; trace.n_args_codes()];
        }
    }
}
