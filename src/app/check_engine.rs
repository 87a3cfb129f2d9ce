//! `papaver check --engine`: assertions about traces in exported folders, of which an SQL engine finds the events that decide.

use std::path::Path;
use std::sync::Arc;

use super::check::Checker;
use super::engine::{event_of, failed};
use super::engine_folder::{AskedFolder, in_one_line};
use super::engine_process::Engine;
use super::engine_rows::{EngineAnswer, read_row};
use super::sql::rules;
use super::status::Status;
use crate::formats::read_chosen;
use crate::session::{Answer, AnswerElsewhere, Check, DecidedBy, Outcome, Session, has_windows};
use crate::sql::{Query, Rules, Selected};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::trace::Trace;

/// A check with what decides it, or why the engine cannot.
type Prepared = (Check, Result<DecidedBy, String>);

impl Checker<'_> {
    /// Checks a trace in a folder.
    pub(super) fn on_engine(&mut self, path: &Path, engine: &Engine) -> Status {
        if self.context.common.reading.merge {
            return self.context.error_once("`--engine` cannot be combined with `--merge`");
        }
        let on = self.context.common.on.as_deref();
        let mut asked = match AskedFolder::new(path, engine, Rules::default(), on) {
            Ok(asked) => asked,
            Err(message) => return self.context.error_once(&message),
        };
        if self.refuses_empty(path, u32::try_from(asked.trace.events).unwrap_or(u32::MAX)) {
            return Status::Error;
        }
        let (mut session, status) = self.session();
        let (checks, consulted) = self.checks(&mut session);
        let status = status.and(consulted);
        if status.is_end() || status == Status::Error {
            return status;
        }
        let ops = session.operators().clone();
        asked.rules = match rules(&self.context.loaded_scripts(), &ops).and_then(|mut rules| {
            self.scripts.iter().try_for_each(|script| rules.add(&script.source, &ops)).map(|()| rules)
        }) {
            Ok(rules) => rules,
            Err(diagnostic) => return self.context.diagnostics(&[*diagnostic]),
        };
        if let Some(name) = asked.on {
            return match asked.derived(name) {
                Err(refusal) => self.context.diagnostics(&[*refusal]),
                Ok(Err(message)) => failed(self.context, &message),
                Ok(Ok(derived)) => match derived.open(path, &mut session) {
                    Ok(()) => self.on_derived(session, checks, status),
                    Err(stopped) => self.context.stopped(&stopped, &session),
                },
            };
        }
        match self.decide(&asked, &mut session, checks) {
            Ok(decided) => status.and(decided),
            Err(message) => failed(self.context, &message),
        }
    }

    /// Decides checks, those of the vocabulary on a trace of the events in question.
    fn decide(&mut self, asked: &AskedFolder<'_>, session: &mut Session, checks: Vec<Check>) -> Result<Status, String> {
        let mut queries = Vec::new();
        let prepared: Vec<Prepared> = checks
            .into_iter()
            .map(|check| {
                let decided_by = check.decided_by().and_then(|decided_by| {
                    if let DecidedBy::Events(lists) = &decided_by {
                        let of_lists: Vec<Query> =
                            lists.iter().map(|list| asked.query_of(list, check.source())).collect::<Result<_, _>>()?;
                        queries.extend(of_lists);
                    }
                    Ok(decided_by)
                });
                (check, decided_by.map_err(|diagnostic| in_one_line(&diagnostic)))
            })
            .collect();
        let trace = Arc::new(asked.events(&queries)?);
        if has_windows(&trace) {
            return Err(format!(
                "{}: the trace lacks a part of the run, so that answers depend on what is missing: check it without \
                 `--engine`",
                asked.path.display()
            ));
        }
        let mut status = self.context.open(session, &trace, &self.args.lines);
        let ops = session.operators().clone();
        for (check, decided_by) in prepared {
            let (outcome, trace) = match decided_by {
                Err(message) => (Outcome::undecided(message), Arc::clone(&trace)),
                Ok(DecidedBy::Events(_)) => (session.check(&check), Arc::clone(&trace)),
                Ok(DecidedBy::Answers) => {
                    let mut first = |goal: &ReadTerm| asked.first(goal, check.source());
                    match check.decided_by_answers(&ops, &mut first) {
                        Ok((outcome, numbers)) => asked.with_witnesses(outcome, &numbers)?,
                        Err(AskFailure::Refused(message)) => (Outcome::undecided(message), Arc::clone(&trace)),
                        Err(AskFailure::Engine(message)) => return Err(message),
                    }
                }
            };
            status = status.and(self.tell(check, trace, outcome));
            if status.is_end() {
                break;
            }
        }
        Ok(status)
    }
}

/// Why a goal has no answer from the engine.
enum AskFailure {
    /// It cannot be said in SQL.
    Refused(String),
    /// The engine failed.
    Engine(String),
}

impl AskedFolder<'_> {
    /// The first answer of a goal, and the number of the event to which it moved.
    fn first(&self, goal: &ReadTerm, source: &Arc<Source>) -> Result<Option<AnswerElsewhere>, AskFailure> {
        let query = self
            .compiled(goal, source, Selected::Terms, Some(1))
            .map_err(|diagnostic| AskFailure::Refused(in_one_line(&diagnostic)))?;
        let mut first = None;
        self.run(&query.text, |line| {
            let mut answer = read_row(line, &query, self.engine.dialect)?;
            answer.add_unbound(goal);
            first.get_or_insert(answer);
            Ok(true)
        })
        .map_err(AskFailure::Engine)?;
        Ok(first.map(|EngineAnswer { tree, values, chrono }| {
            let answer = Answer { tree, values, goals: Vec::new(), event: None, more: false };
            AnswerElsewhere { answer, moved_to: chrono }
        }))
    }

    /// An outcome with the events with these numbers, and their trace.
    fn with_witnesses(&self, outcome: Outcome, numbers: &[i64]) -> Result<(Outcome, Arc<Trace>), String> {
        let trace = read_chosen(self.path, numbers)?;
        let events = numbers.iter().filter_map(|number| event_of(&trace, *number)).collect();
        Ok((outcome.with_witnesses(events), Arc::new(trace)))
    }
}
