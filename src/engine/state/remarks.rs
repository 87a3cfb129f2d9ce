//! What predicates remark on the running query: why a search found nothing, which comparisons are meaningless, and what
//! assertions decided.

use std::sync::Arc;

use super::assertions::Assertions;
use super::plan::{BEFORE_FIRST, Plan, Reach, no_event_after};
use crate::engine::heap::{NearMiss, Stop, Store, domain_error, with_message_only};
use crate::trace::{
    AskedList, AttributeId, CallId, Constraint, EventId, FormOp, Trace, UnknownWord, WordPlace, misspelling,
    passes_over, reasons, unmeasured,
};

/// The remarks on a query; they survive backtracking.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    failure: Option<Failure>,
    doubts: Vec<String>,
    /// Words that perhaps no event has, with the traces that were searched, and the searches.
    unknown: Vec<(Arc<Trace>, Arc<Plan>, UnknownWord)>,
    /// Lists asked for in arguments, with the traces that were searched, and the searches.
    lists: Vec<(Arc<Trace>, Arc<Plan>, AskedList)>,
    /// How many searches asked for words in arguments and objects.
    n_searches_inside: usize,
    /// Why lists of constraints may find nothing whatever happened.
    vacuous: Vec<String>,
    /// Searches, with the traces that were searched.
    searches: Vec<(Arc<Trace>, Arc<Plan>)>,
    /// Calls whose durations were asked for: whether some had ended, and one that had not.
    asked_ended: bool,
    asked_open: bool,
    /// Whether calls were asked for of a trace that has events and no calls.
    lacks_calls: bool,
    /// What goals compared with a term of another type that is written alike.
    near_misses: Vec<NearMiss>,
    /// The results of the assertions that were called.
    pub(crate) assertions: Assertions,
}

/// More unknown words than these come from data, not from a script.
const MAX_UNKNOWN: usize = 100;

/// Why a goal failed, as far as the trace can tell.
#[derive(Debug)]
enum Failure {
    /// A search of a trace found nothing.
    Search(Arc<Trace>, Arc<Plan>, Vec<(AttributeId, i64)>, Reach),
    /// In words.
    Words(Vec<String>),
}

impl Remarks {
    /// Those on a goal that was solved elsewhere.
    pub(crate) fn told(reasons: Vec<String>, text_comparisons: Vec<String>) -> Remarks {
        let failure = (!reasons.is_empty()).then_some(Failure::Words(reasons));
        Remarks { failure, doubts: text_comparisons, ..Remarks::default() }
    }

    /// Records why a goal failed.
    pub(crate) fn fail(&mut self, words: String) {
        self.failure = Some(Failure::Words(vec![words]));
    }

    /// Records that a search found nothing; `numbers` are the values of its variables.
    pub(crate) fn fail_search(
        &mut self,
        trace: &Arc<Trace>,
        plan: &Arc<Plan>,
        numbers: Vec<(AttributeId, i64)>,
        reach: Reach,
    ) {
        self.failure = Some(Failure::Search(Arc::clone(trace), Arc::clone(plan), numbers, reach));
    }

    /// Records the comparisons of texts with numbers in a plan, what nothing satisfies, and the words that its trace does
    /// not know.
    pub(crate) fn doubt(&mut self, trace: &Arc<Trace>, plan: &Arc<Plan>) {
        if self.searches.len() < MAX_UNKNOWN && !self.searches.iter().any(|(_, known)| Arc::ptr_eq(known, plan)) {
            self.searches.push((Arc::clone(trace), Arc::clone(plan)));
        }
        plan.vacuous.iter().for_each(|reason| self.note_vacuous(reason.clone()));
        plan.unknown.iter().for_each(|word| self.note_word(trace, plan, word));
        for doubt in &plan.doubts {
            if !self.doubts.contains(doubt) {
                self.doubts.push(doubt.clone());
            }
        }
    }

    /// Records the words that a search asks for in arguments and objects, and the lists, unless so
    /// many searches did that their words come from data.
    pub(crate) fn doubt_words(
        &mut self,
        trace: &Arc<Trace>,
        plan: &Arc<Plan>,
        words: impl FnOnce() -> (Vec<UnknownWord>, Vec<AskedList>),
    ) {
        if self.n_searches_inside < MAX_UNKNOWN {
            self.n_searches_inside += 1;
            let (words, lists) = words();
            words.iter().for_each(|word| self.note_word(trace, plan, word));
            self.lists.extend(lists.into_iter().map(|list| (Arc::clone(trace), Arc::clone(plan), list)));
        }
    }

    /// Records what goals compared with a term of another type that is written alike.
    pub(crate) fn note_near_misses(&mut self, near_misses: Vec<NearMiss>) {
        self.near_misses = near_misses;
    }

    /// What goals of scripts compared in vain with a term of another type that is written alike: one of the two is written
    /// where the other is not.
    pub(crate) fn never_equal(&self, is_written_without: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let is_of_script =
            |miss: &&NearMiss| is_written_without(&miss.one, &miss.other) || is_written_without(&miss.other, &miss.one);
        self.near_misses.iter().filter(is_of_script).map(NearMiss::to_string).collect()
    }

    fn note_word(&mut self, trace: &Arc<Trace>, plan: &Arc<Plan>, word: &UnknownWord) {
        // whether an event has a key depends on the events that are searched
        let is_new = |(of, search, other): &(Arc<Trace>, Arc<Plan>, UnknownWord)| {
            !Arc::ptr_eq(of, trace) || word.is_path() && !Arc::ptr_eq(search, plan) || word.text() != other.text()
        };
        if self.unknown.len() < MAX_UNKNOWN && self.unknown.iter().all(is_new) {
            self.unknown.push((Arc::clone(trace), Arc::clone(plan), word.clone()));
        }
    }

    /// Records why lists of constraints may find nothing whatever happened.
    pub(crate) fn note_vacuous(&mut self, reason: String) {
        if !self.vacuous.contains(&reason) {
            self.vacuous.push(reason);
        }
    }

    /// Records that a goal asks for the duration of a call.
    pub(crate) fn ask_duration(&mut self, trace: &Trace, call: CallId) {
        match trace.is_open(call) {
            true => self.asked_open = true,
            false if trace.is_unmeasured(call) => self.note_vacuous(trace.lack_of_durations()),
            false => self.asked_ended = true,
        }
    }

    /// Records that a goal asks for the durations of all calls.
    pub(crate) fn ask_durations(&mut self, trace: &Trace) {
        let lacks_some = unmeasured(trace).next().is_some();
        self.vacuous.extend(lacks_some.then(|| trace.lack_of_durations()).filter(|lack| !self.vacuous.contains(lack)));
        self.asked_ended = true;
    }

    /// An error if texts were compared with numbers since the last call: a verdict based on that would be meaningless.
    pub(crate) fn trust_comparisons(&mut self, store: &mut Store) -> Result<(), Stop> {
        let doubts = std::mem::take(&mut self.doubts);
        let Some(doubt) = doubts.first() else { return Ok(()) };
        let culprit = store.string(doubt);
        let error = domain_error(store, "numeric_attribute", culprit);
        Err(with_message_only(error, &format!("{doubt}: expected numbers, since only numbers can be less or greater")))
    }

    /// The words that no event has.
    fn unheld(&self, is_written: impl Fn(&str) -> bool) -> Vec<UnheldWord<'_>> {
        let unheld = self.unknown.iter().filter(|(trace, plan, word)| !word.is_known(trace, &plan.pattern));
        let words = unheld.map(|(trace, plan, word)| {
            let is_written = is_written(&word.written(trace));
            let meant = if is_written { word.meant(trace, &plan.pattern) } else { None };
            UnheldWord { trace, plan, word, is_written, meant }
        });
        words.collect()
    }

    /// The words that no event has and that are written in scripts, as `name = saef`, each with what it may be a misspelling
    /// of. Words of the library, and those that were computed, are not misspelt.
    pub(crate) fn unknown_words(&self, is_written: impl Fn(&str) -> bool) -> Vec<(String, Option<String>)> {
        let mut words: Vec<(String, Option<String>)> = Vec::new();
        for told in self.unheld(is_written).into_iter().filter(|word| word.is_written).map(UnheldWord::told) {
            if !words.iter().any(|(known, _)| *known == told.0) {
                words.push(told);
            }
        }
        words
    }

    /// Why lists of constraints may find nothing whatever happened.
    fn vacuous(&self) -> Vec<String> {
        let mut found = self.vacuous.clone();
        for lack in self.searches.iter().filter_map(|(trace, plan)| plan.lacks_durations(trace)) {
            if !found.contains(&lack) {
                found.push(lack);
            }
        }
        found
    }

    /// Why searches probably passed over the events that were meant.
    fn passed_over(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let of_searches = self.searches.iter().filter_map(|(trace, plan)| {
            passes_over(trace, &plan.constraints).or_else(|| plan.passes_over_texts(trace))
        });
        let of_lists = self.lists.iter().filter_map(|(trace, plan, list)| list.passes_over(trace, &plan.pattern));
        for reason in of_searches.chain(of_lists) {
            if !found.contains(&reason) {
                found.push(reason);
            }
        }
        found
    }

    /// Records that a goal asks for calls of a trace.
    pub(crate) fn ask_calls(&mut self, trace: &Trace) {
        self.lacks_calls |= trace.n_calls() == 0 && trace.n_events() > 0;
    }

    /// Why the answer to a goal of scripts may be about nothing: words in them that are probably misspelt, constraints that contradict
    /// each other, durations that are not known, and calls of a trace that has none.
    pub(crate) fn about_nothing(&self, is_written: impl Fn(&str) -> bool) -> Vec<String> {
        let words = self.unheld(is_written);
        let (in_terms, at_other_ports) = (values_in_terms(&words), keys_at_other_ports(&words));
        let misspelt =
            words.into_iter().map(UnheldWord::told).filter_map(|(text, meant)| Some(misspelling(&text, &meant?)));
        let vacuous = self.vacuous();
        let none_ended = self.asked_open && !self.asked_ended && vacuous.is_empty();
        let misspelt = misspelt.chain(vacuous).chain(self.passed_over());
        let none_ended = none_ended.then(|| "no call whose duration was asked for has ended".to_string());
        let lacks_calls = self.lacks_calls.then(|| "the trace has no calls".to_string());
        let misspelt = misspelt.chain(in_terms).chain(at_other_ports);
        misspelt.chain(none_ended).chain(lacks_calls).collect()
    }

    /// Where texts were compared with numbers, in words; such a comparison never holds.
    pub(crate) fn text_comparisons(&self) -> &[String] {
        &self.doubts
    }

    /// Why the last search found nothing, and what was compared in vain with what is written alike.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let of_search = match &self.failure {
            Some(Failure::Words(words)) => words.clone(),
            Some(Failure::Search(trace, plan, numbers, reach)) => search_reasons(trace, plan, numbers, *reach),
            None => Vec::new(),
        };
        of_search.into_iter().chain(self.near_misses.iter().map(NearMiss::to_string)).collect()
    }
}

/// A word that no event has.
struct UnheldWord<'r> {
    trace: &'r Trace,
    plan: &'r Plan,
    word: &'r UnknownWord,
    /// Whether a script has it.
    is_written: bool,
    /// What it may be a misspelling of, if a script has it.
    meant: Option<String>,
}

impl UnheldWord<'_> {
    /// The word in its constraint, and what it may be a misspelling of.
    fn told(self) -> (String, Option<String>) {
        (self.word.text_among(self.trace, &self.plan.pattern, &self.plan.constraints), self.meant)
    }
}

/// The keys that no event has because of the port that is asked for.
fn keys_at_other_ports(words: &[UnheldWord<'_>]) -> Vec<String> {
    words.iter().filter_map(|unheld| unheld.word.at_another_port(unheld.trace, &unheld.plan.constraints)).collect()
}

/// For each place where goals asked for a value that is none of those there but in one of them: both.
fn values_in_terms(words: &[UnheldWord<'_>]) -> Vec<String> {
    let (mut places, mut found): (Vec<WordPlace>, Vec<String>) = (Vec::new(), Vec::new());
    for UnheldWord { trace, word, .. } in words.iter().filter(|word| word.meant.is_none()) {
        if !places.contains(&word.place()) {
            places.push(word.place());
            let term = word.term_with_it(trace);
            found.extend(term.map(|term| format!("no event has `{}`, but one has `{term}`", word.text())));
        }
    }
    found
}

fn search_reasons(trace: &Trace, plan: &Plan, numbers: &[(AttributeId, i64)], reach: Reach) -> Vec<String> {
    let mut constraints = plan.constraints.clone();
    let exact = numbers.iter().map(|(attribute, number)| Constraint::new(trace, *attribute, &[FormOp::int(*number)]));
    constraints.extend(exact.flatten());
    let found = reasons(trace, &constraints);
    if !found.is_empty() {
        return found;
    }
    let nowhere = || match plan.unknown.iter().find(|word| !word.is_known(trace, &plan.pattern)) {
        Some(word) => match word.meant(trace, &plan.pattern) {
            Some(meant) => misspelling(word.text(), &meant),
            None => format!("no event has `{}`", word.text()),
        },
        None => "no event has the values that the constraints ask for".to_string(),
    };
    let chrono = |row: EventId| trace.chrono(row);
    let n_events = trace.n_events();
    vec![match reach {
        Reach::From(row) if row >= n_events && n_events > 0 => no_event_after(chrono(n_events - 1)),
        Reach::Below(0) => BEFORE_FIRST.into(),
        Reach::From(0) | Reach::All => nowhere(),
        Reach::From(row) => format!("no event after {} satisfies the constraints", chrono(row - 1)),
        Reach::Below(row) if row < n_events => format!("no event before {} satisfies the constraints", chrono(row)),
        Reach::Below(_) => nowhere(),
        Reach::At(row) => format!("event {} does not satisfy the constraints", chrono(row)),
    }]
}
