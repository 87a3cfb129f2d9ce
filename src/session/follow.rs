//! Assertions on a growing trace: those of the vocabulary are reported as violated as soon as that is certain, the
//! others wait for the whole trace.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blind_windows::AtHand;
use super::check::{Check, Outcome, Verdict};
use super::state::Session;
use super::unfold::{Unfolded, UnfoldedPart};
use super::violation::AssembledGoal;
use crate::builtins::trace::{Breach, FollowedEnding, Follower, News, is_assertion};
use crate::engine::{Stop, Stopped};
use crate::formats::{EventOrder, Growing, KeptEvent, NewLines};
use crate::term::{Span, atoms};
use crate::trace::{Trace, misspelling};

/// The assertions being followed.
pub(crate) struct Following {
    checks: Vec<(Check, FollowStage)>,
    growing: Growing,
    has_begun: bool,
}

enum FollowStage {
    /// Each goal with its position in the script, and the words that no event has had so far.
    Open(Vec<(String, Follower)>, UnknownSoFar),
    /// It can be decided only on the whole trace.
    Whole,
    /// Its outcome was reported.
    Reported,
}

/// The words of an assertion that were unknown in batches of events.
#[derive(Default)]
struct UnknownSoFar {
    n_batches: usize,
    words: Vec<Misspelling>,
    /// Why the assertion is about nothing, whatever the words are.
    vacuous: Vec<String>,
    /// What was compared in a batch with what is written alike.
    never_equal: BTreeSet<String>,
}

/// A word, the number of batches that did not know it, and what it may have been meant to be.
struct Misspelling {
    text: String,
    n_batches: usize,
    meant: Option<String>,
}

impl UnknownSoFar {
    /// Adds the words that a batch does not know, each once, and why the assertion is about nothing in it.
    fn add(&mut self, words: Vec<(String, Option<String>)>, vacuous: Vec<String>) {
        self.n_batches += 1;
        match self.n_batches {
            1 => self.vacuous = vacuous,
            _ => self.vacuous.retain(|reason| vacuous.contains(reason)),
        }
        for (text, meant) in words {
            match self.words.iter_mut().find(|word| word.text == text) {
                Some(word) => {
                    word.n_batches += 1;
                    word.meant = word.meant.take().or(meant);
                }
                None => self.words.push(Misspelling { text, n_batches: 1, meant }),
            }
        }
    }

    /// The words that no batch knew and that are probably misspelt, and what made the assertion vacuous in all of them.
    /// A misspelt word explains nothing but a claim that holds.
    fn doubts(&self, verdict: Verdict) -> impl Iterator<Item = String> {
        let is_in_none = move |word: &&Misspelling| word.n_batches == self.n_batches && verdict == Verdict::Holds;
        let in_none = self.words.iter().filter(is_in_none);
        let misspelt = in_none.filter_map(|word| Some(misspelling(&word.text, word.meant.as_ref()?)));
        misspelt.chain(self.vacuous.iter().cloned()).chain(self.never_equal.iter().cloned())
    }
}

/// The outcome of an assertion, with a trace that contains its witnesses.
pub(crate) struct FollowedOutcome {
    /// The assertion.
    pub(crate) check: Check,
    /// The trace and the outcome; `None` if only the whole trace decides.
    pub(crate) found: Option<(Arc<Trace>, Outcome)>,
}

impl Following {
    /// Starts to follow assertions on a trace that is still empty.
    pub(crate) fn new(session: &mut Session, checks: Vec<Check>, growing: Growing) -> Result<Following, Stopped> {
        let mut followed = Vec::new();
        for check in checks {
            let state = match session.followers(&check)? {
                Some(followers) => FollowStage::Open(followers, UnknownSoFar::default()),
                None => FollowStage::Whole,
            };
            followed.push((check, state));
        }
        Ok(Following { checks: followed, growing, has_begun: false })
    }

    /// Whether the whole trace decides some assertion, or may have to.
    pub(crate) fn needs_whole(&self) -> bool {
        self.checks.iter().any(|(_, state)| match state {
            FollowStage::Whole => true,
            FollowStage::Open(followers, _) => followers.iter().any(|(_, follower)| follower.is_tentative()),
            FollowStage::Reported => false,
        })
    }

    /// The assertions that only the whole trace decides, each with its number.
    pub(crate) fn of_whole(&self) -> impl Iterator<Item = (usize, &Check)> {
        let is_whole = |(_, (_, state)): &(usize, &(Check, FollowStage))| matches!(state, FollowStage::Whole);
        self.checks.iter().enumerate().filter(is_whole).map(|(number, (check, _))| (number, check))
    }

    /// How the events of the trace are ordered.
    pub(crate) fn order(&self) -> EventOrder {
        self.growing.order()
    }

    /// Forgets the assertion with a number, as its outcome was reported.
    pub(crate) fn has_reported(&mut self, number: usize) {
        self.checks[number].1 = FollowStage::Reported;
    }

    /// Whether the recording has started and not ended.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.growing.is_unfinished()
    }

    /// Whether the trace is known to have no events so far.
    pub(crate) fn is_empty(&self) -> bool {
        let is_read = self.checks.iter().any(|(_, state)| matches!(state, FollowStage::Open(..)));
        is_read && self.growing.n_events() == 0
    }

    /// Whether the outcome of every assertion was reported.
    pub(crate) fn is_over(&self) -> bool {
        self.checks.iter().all(|(_, state)| matches!(state, FollowStage::Reported))
    }

    /// Takes complete lines; returns the assertions that are violated whatever follows.
    pub(crate) fn feed(&mut self, session: &mut Session, text: &[u8]) -> Result<Vec<FollowedOutcome>, Stopped> {
        if !self.checks.iter().any(|(_, state)| matches!(state, FollowStage::Open(..))) {
            return Ok(Vec::new());
        }
        self.has_begun = true;
        let text = NewLines::new(text, self.growing.n_lines());
        let batch = self.growing.read(text.text());
        self.growing.keep_seams(&batch, &text);
        session.open(Arc::clone(&batch.trace));
        let news = News { batch: &batch, text: &text };
        let mut decided = Vec::new();
        for (check, state) in &mut self.checks {
            let FollowStage::Open(followers, _) = state else { continue };
            if let Some(error) = check.error() {
                let found = Some((Arc::clone(&batch.trace), Outcome::undecided(error)));
                decided.push(FollowedOutcome { check: check.clone(), found });
                *state = FollowStage::Reported;
                continue;
            }
            session.machine.world.forget_remarks();
            for (place, follower) in followers {
                let found = match follower.feed(&mut session.machine.world, &news) {
                    Ok(None) if follower.is_overtaken() => {
                        *state = FollowStage::Whole;
                        break;
                    }
                    Ok(None) => continue,
                    Ok(Some(breach)) => {
                        let (found, witnesses) = violated(&self.growing, place, breach);
                        let outline = self.growing.outline(&witnesses).presumed_finished();
                        let found = trusted(session, check, outline, found)?;
                        session.open(Arc::clone(&batch.trace));
                        found
                    }
                    Err(stop @ Stop::Throw(_)) => (Arc::clone(&batch.trace), stopped_at(session, place, stop)),
                    Err(stop) => return Err(stop.into()),
                };
                decided.push(FollowedOutcome { check: check.clone(), found: Some(found) });
                *state = FollowStage::Reported;
                break;
            }
            if let FollowStage::Open(_, unknown) = state
                && batch.trace.n_events() > 0
            {
                session.machine.world.remark_near_misses();
                let remarks = &session.machine.world.remarks;
                unknown.never_equal.extend(remarks.never_equal(|one, other| session.is_written_without(one, other)));
                unknown.add(remarks.unknown_words(|word| session.is_written(word)), remarks.about_nothing(|_| false));
            }
        }
        Ok(decided)
    }

    /// The outcomes decided by the end of the trace that were not reported before, in the order of the assertions.
    pub(crate) fn finish(mut self, session: &mut Session) -> Result<Vec<FollowedOutcome>, Stopped> {
        let mut decided = Vec::new();
        if !self.has_begun {
            decided = self.feed(session, b"")?;
        }
        let empty = Arc::new(self.growing.empty());
        for (check, state) in self.checks {
            match state {
                FollowStage::Reported => {}
                FollowStage::Whole => decided.push(FollowedOutcome { check, found: None }),
                FollowStage::Open(followers, unknown) => {
                    let is_shown = followers.iter().all(|(_, follower)| follower.needs_no_others());
                    let strangers: Vec<String> =
                        followers.iter().flat_map(|(_, follower)| follower.strangers()).collect();
                    let ((trace, outcome), witnesses) = outcome(session, &self.growing, &empty, followers);
                    let own = check.doubts.iter().filter(|_| outcome.verdict == Verdict::Holds);
                    let own = own.map(|doubt| doubt.message.clone());
                    let doubts = own.chain(unknown.doubts(outcome.verdict)).chain(strangers).collect();
                    let needs_others = outcome.verdict != Verdict::Holds || outcome.vacuous || !is_shown;
                    let mut found = (trace, outcome.with_doubts(doubts));
                    if needs_others {
                        found = trusted(session, &check, self.growing.outline(&witnesses), found)?;
                    }
                    decided.push(FollowedOutcome { check, found: Some(found) });
                }
            }
        }
        Ok(decided)
    }
}

/// An outcome with the warning that it depends on what the recorder left out, if it does. `outline` has the same gaps as
/// the whole trace, and the witnesses.
fn trusted(
    session: &mut Session,
    check: &Check,
    outline: Trace,
    (trace, outcome): (Arc<Trace>, Outcome),
) -> Result<(Arc<Trace>, Outcome), Stopped> {
    if outcome.verdict == Verdict::Error {
        return Ok((trace, outcome));
    }
    session.open(Arc::new(outline));
    let warning = session.blind_window_warning(check, AtHand::SomeEvents)?;
    Ok((trace, outcome.with_warning(warning)))
}

/// The outcome of an assertion's goals at the end of the trace, and its witnesses.
fn outcome(
    session: &Session,
    growing: &Growing,
    empty: &Arc<Trace>,
    followers: Vec<(String, Follower)>,
) -> ((Arc<Trace>, Outcome), Vec<KeptEvent>) {
    let mut vacuous = Vec::new();
    let n_followers = followers.len();
    for (place, mut follower) in followers {
        match follower.finish(&session.machine.world) {
            Ok(FollowedEnding::Violated(breach)) => return violated(growing, &place, breach),
            Ok(FollowedEnding::Vacuous(why)) => vacuous.push(why),
            Ok(FollowedEnding::Holds) => {}
            Err(stop) => return ((Arc::clone(empty), stopped_at(session, &place, stop)), Vec::new()),
        }
    }
    let outcome = match vacuous.len() == n_followers {
        true => Outcome::vacuous(vacuous.swap_remove(0)),
        false => Outcome::holds_of(growing.n_events()),
    };
    ((Arc::clone(empty), outcome), Vec::new())
}

/// The outcome of an assertion whose goal at a place was stopped.
fn stopped_at(session: &Session, place: &str, stop: Stop) -> Outcome {
    let outcome = session.stopped(stop.into());
    Outcome { message: format!("{place}: {}", outcome.message), ..outcome }
}

/// The outcome of a violation, with a trace of its witnesses, and these.
fn violated(growing: &Growing, place: &str, breach: Breach) -> ((Arc<Trace>, Outcome), Vec<KeptEvent>) {
    let Breach { message, witnesses } = breach;
    let (trace, first) = growing.trace_of(&witnesses);
    let rows = (first..trace.n_events()).collect();
    ((Arc::new(trace), Outcome::violated(format!("{place}: {message}"), rows)), witnesses)
}

impl Session {
    /// The goals of an assertion, each with its position, if all belong to the vocabulary and can be followed.
    fn followers(&mut self, check: &Check) -> Result<Option<Vec<(String, Follower)>>, Stopped> {
        let Unfolded { goal, parts } = check.unfolded();
        let mut equations: Vec<UnfoldedPart> = Vec::new();
        let mut followers = Vec::new();
        for part in parts {
            let Some((name, arity)) = goal.tree.functor(part.goal) else { return Ok(None) };
            match (name, arity) {
                (atoms::TRUE, 0) => {}
                (atoms::EQUALS, 2) => equations.push(part),
                (name, arity) if is_assertion(name.as_str(), arity) => {
                    let mut question = AssembledGoal::new(&goal, &equations);
                    question.add_named("$follow", part.goal);
                    let (is_noted, mut remarks) = self.succeeds(&question.finish(), &check.source)?;
                    let noted = remarks.assertions.followed.pop().filter(|_| is_noted);
                    let follower = noted.and_then(|noted| Follower::new(&mut self.machine.world, noted));
                    let Some(follower) = follower else { return Ok(None) };
                    let own = goal.tree.span(part.goal);
                    let span = if own == Span::default() { goal.tree.span(part.written) } else { own };
                    followers.push((check.source.place(span.start), follower));
                }
                _ => return Ok(None),
            }
        }
        Ok((!followers.is_empty()).then_some(followers))
    }
}
