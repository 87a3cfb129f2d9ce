//! Assertions: the clauses `check(Name) :- Goal.` of a script, each checked separately on the trace.

use std::sync::Arc;

use super::blind_windows::AtHand;
use super::clause_parts::{args_of, head_and_body};
use super::rules::Rules;
use super::state::Session;
use crate::builtins::messages::Complaint;
use crate::engine::{GoalTrace, Namespace, Remarks, Stop, Stopped};
use crate::formats::checks::Need;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Severity, Source};
use crate::term::Atom;
use crate::term::print::{self, Spacing, Style};
use crate::trace::{EventId, Trace};

/// An assertion as written in its script.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name as text.
    pub name: String,
    /// The script, as the user named it.
    pub script: String,
    /// The line where its clause begins.
    pub line: usize,
    /// The column there, in characters from 1.
    pub column: usize,
    /// The clause; its root is the goal.
    pub(super) goal: ReadTerm,
    pub(super) source: Arc<Source>,
    pub(super) rules: Arc<Rules>,
    /// Whether it is one of the library's.
    pub(super) is_of_library: bool,
    /// Reasons to think that it says something else than was meant in any trace, and errors that it has in any.
    pub(super) doubts: Vec<Diagnostic>,
    /// What a trace has to provide for it.
    pub(super) needs: &'static [Need],
}

impl Check {
    /// The assertion in a clause of a source; the root of the clause is the goal.
    pub(super) fn new(name: String, goal: ReadTerm, source: Arc<Source>) -> Check {
        let (line, column) = source.line_column(goal.span.start);
        Check {
            name,
            script: source.name.clone(),
            line,
            column,
            goal,
            source,
            rules: Arc::default(),
            is_of_library: false,
            doubts: Vec::new(),
            needs: &[],
        }
    }

    /// Whether it probably says something else than was meant, in any trace.
    pub(crate) fn is_doubtful(&self) -> bool {
        !self.doubts.is_empty()
    }

    /// An error that it has in any trace, with its place.
    pub(super) fn error(&self) -> Option<String> {
        let error = self.doubts.iter().find(|doubt| doubt.severity == Severity::Error)?;
        Some(format!("{}: {}", self.source.place(error.span.start), error.message))
    }

    /// Where it is written.
    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The text of its clause.
    pub(crate) fn text(&self) -> &str {
        let span = self.goal.span;
        self.source.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The same assertion, restricted to traces that provide what it needs.
    pub(super) fn that_needs(self, needs: &'static [Need]) -> Check {
        Check { needs, is_of_library: true, ..self }
    }
}

/// The outcome of an assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it holds.
    pub verdict: Verdict,
    /// Whether it holds vacuously.
    pub vacuous: bool,
    /// Why it is violated or vacuous; empty if it simply holds.
    pub message: String,
    /// Why the outcome may not be what was meant: the trace has gaps, or does not know a word of the assertion.
    pub warning: Option<String>,
    /// Whether the assertion itself is probably wrong.
    pub is_doubtful: bool,
    /// The witnesses.
    pub(crate) witnesses: Vec<EventId>,
    /// The trace that has them, if it is not the one that is checked.
    pub(crate) elsewhere: Option<OtherTrace>,
    /// What stopped its goal, if anything did.
    pub(crate) stop: Option<Stop>,
    /// The backtrace of that.
    pub(crate) goals: GoalTrace,
}

/// A trace to which a part of a check was put; the same as another only if it is that one.
#[derive(Clone, Debug)]
pub(crate) struct OtherTrace(pub(crate) Arc<Trace>);

impl PartialEq for OtherTrace {
    fn eq(&self, other: &OtherTrace) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The verdict on an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its goal succeeded.
    Holds,
    /// Its goal failed.
    Violated,
    /// Its goal was stopped: by an exception, a limit, or `halt`.
    Error,
}

impl Verdict {
    /// The word that the outputs use.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Error => "error",
        }
    }
}

impl Outcome {
    pub(super) fn holds() -> Outcome {
        Outcome {
            verdict: Verdict::Holds,
            vacuous: false,
            message: String::new(),
            warning: None,
            is_doubtful: false,
            witnesses: Vec::new(),
            elsewhere: None,
            stop: None,
            goals: GoalTrace::default(),
        }
    }

    /// Turns a vacuous or doubtful outcome into a violation, whose message is the doubt if there is no other.
    #[must_use]
    pub(crate) fn if_not_vacuous(mut self) -> Outcome {
        if self.vacuous || self.is_doubtful {
            self.verdict = Verdict::Violated;
        }
        if self.is_doubtful && self.message.is_empty() {
            self.message = self.warning.take().unwrap_or_default();
        }
        self
    }

    /// The outcome with reasons to think that the assertion says something else than was meant.
    pub(super) fn with_doubts(self, doubts: Vec<String>) -> Outcome {
        let is_doubtful = self.is_doubtful || !doubts.is_empty();
        // the text of a script and its goals on the trace may show the same
        let mut told: Vec<String> = Vec::new();
        for doubt in doubts {
            if !told.contains(&doubt) {
                told.push(doubt);
            }
        }
        told.into_iter().fold(Outcome { is_doubtful, ..self }, |outcome, doubt| outcome.with_warning(Some(doubt)))
    }

    pub(super) fn with_warning(self, warning: Option<String>) -> Outcome {
        let all: Vec<String> = self.warning.into_iter().chain(warning).collect();
        Outcome { warning: (!all.is_empty()).then(|| all.join("; ")), ..self }
    }

    /// The outcome of an assertion that holds for `n_events` events: vacuous if there are none.
    pub(super) fn holds_of(n_events: EventId) -> Outcome {
        if n_events == 0 { Outcome::vacuous("the trace has no events".to_string()) } else { Outcome::holds() }
    }

    pub(super) fn vacuous(message: String) -> Outcome {
        Outcome { vacuous: true, message, ..Outcome::holds() }
    }

    pub(super) fn violated(message: String, witnesses: Vec<EventId>) -> Outcome {
        Outcome { verdict: Verdict::Violated, message, witnesses, ..Outcome::holds() }
    }

    fn error(message: String, goals: GoalTrace, stop: Stop) -> Outcome {
        Outcome { verdict: Verdict::Error, message, goals, stop: Some(stop), ..Outcome::holds() }
    }
}

impl Session {
    /// Allows other clauses between checks: these are independent of each other.
    pub(super) fn let_checks_stand_apart(&mut self) {
        let database = &mut self.machine.world.database;
        for arity in [1, 2] {
            let check = database.pred_id(Namespace::User, Atom::new("check"), arity);
            database.pred_mut(check).is_discontiguous = true;
        }
    }

    /// The assertion in a clause, if its head is `check(Name)`.
    pub(super) fn check_of(&self, mut clause: ReadTerm, source: &Arc<Source>) -> Option<Check> {
        let (head, body) = head_and_body(&mut clause);
        let &[name] = args_of(&clause.tree, head, "check")? else { return None };
        let style = Style { spacing: Spacing::NextArgument, ..Style::default() };
        let name = print::to_string(&clause.tree, name, self.operators(), &style);
        clause.tree.set_root(body);
        Some(Check::new(name, clause, source.clone()))
    }

    /// Checks an assertion on the trace, from before its first event.
    pub(crate) fn check(&mut self, check: &Check) -> Outcome {
        if let Some(error) = check.error() {
            return Outcome::undecided(error);
        }
        let decided = self.succeeds(&check.goal, &check.source).and_then(|(holds, mut remarks)| {
            remarks.trust_comparisons(&mut self.machine.world.store)?;
            // a word that is misspelt explains nothing but a claim that holds
            let lacks: Vec<String> = match check.is_of_library {
                true => Vec::new(),
                false => {
                    let never_equal = remarks.never_equal(|one, other| self.is_written_without(one, other));
                    let about_nothing = remarks.about_nothing(|word| holds && self.is_written(word));
                    about_nothing.into_iter().chain(never_equal).collect()
                }
            };
            match holds {
                true => {
                    let vacuity = self.vacuity(check, &remarks.assertions);
                    let n_events = self.trace().map_or(0, |trace| trace.n_events());
                    let doubts = self.doubts(check)?.into_iter().chain(lacks).collect();
                    vacuity
                        .map(|reason| reason.map_or_else(|| Outcome::holds_of(n_events), Outcome::vacuous))
                        .map(|outcome| outcome.with_doubts(doubts))
                }
                false => {
                    let outcome = self.violation(check, remarks)?;
                    let is_new = |lack: &String| !outcome.message.contains(lack);
                    let lacks = lacks.into_iter().filter(is_new).collect();
                    Ok(outcome.with_doubts(lacks))
                }
            }
        });
        let trusted =
            decided.and_then(|outcome| Ok(outcome.with_warning(self.blind_window_warning(check, AtHand::AllEvents)?)));
        trusted.unwrap_or_else(|stop| self.stopped(stop))
    }

    /// Why an assertion that holds may say something else than was meant, beside what its goals remarked.
    fn doubts(&mut self, check: &Check) -> Result<Vec<String>, Stopped> {
        let own = check.doubts.iter().map(|doubt| doubt.message.clone());
        if check.is_of_library {
            return Ok(own.collect());
        }
        Ok(own.chain(self.unknown_names(check)?).chain(self.holds_for_some(check)).collect())
    }

    /// The outcome of an assertion that was stopped.
    pub(super) fn stopped(&self, stopped: Stopped) -> Outcome {
        let (message, goals) = self.stop_in_words(&stopped);
        Outcome::error(message, goals, stopped.stop)
    }

    /// Whether a goal succeeds, from before the first event, and what predicates remark on it.
    pub(super) fn succeeds(&mut self, goal: &ReadTerm, source: &Arc<Source>) -> Result<(bool, Remarks), Stopped> {
        self.rewind();
        let mut query = self.query(goal, source)?;
        let first = query.next().transpose()?;
        Ok((first.is_some(), query.finish()))
    }

    fn stop_in_words(&self, stopped: &Stopped) -> (String, GoalTrace) {
        match (&stopped.stop, self.describe(stopped)) {
            (Stop::Halt(_), _) => ("no permission to call `halt` in a check".to_string(), GoalTrace::default()),
            (_, Some(Complaint { place: Some(place), message, goals })) => (format!("{place}: {message}"), goals),
            (_, Some(Complaint { place: None, message, goals })) => (message, goals),
            (_, None) => ("the output was closed".to_string(), GoalTrace::default()),
        }
    }
}
