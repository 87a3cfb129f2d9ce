//! A trace in an exported folder that an SQL engine is asked about, and the events of it that a goal needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::event_of;
use super::engine_process::{Engine, EngineFailure};
use super::engine_rows::{read_count, read_event};
use crate::engine::Stopped;
use crate::formats::derived::DerivedEvents;
use crate::formats::{FolderTrace, Format, read_chosen, traces_at};
use crate::session::{EVENT, EventsInQuestion, Session, events_of_searches};
use crate::sql::{AskedTrace, CompiledGoal, DerivedEventsQuery, Query, Rules, Selected, compile, derived_events};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::{Atom, NodeId, Span};
use crate::trace::{EventId, Trace};

/// A trace in a folder, and how an engine is asked about it.
pub(super) struct AskedFolder<'a> {
    /// Where the trace is.
    pub(super) path: &'a Path,
    /// The folder from which its files are named.
    top: PathBuf,
    pub(super) trace: FolderTrace,
    pub(super) engine: &'a Engine<'a>,
    pub(super) rules: Rules,
    /// The derived trace that goals are put to; none for that of the folder.
    pub(super) on: Option<Atom>,
}

/// What a derived trace can be made of.
pub(super) enum Derived {
    /// It was made of the events that the engine found.
    Made(Atom, Trace),
    /// The events of the trace of the folder that matter to the goals which declare it.
    Of(Trace),
}

impl Derived {
    /// Puts the goals of a session, in which scripts have declared the trace, to it.
    pub(super) fn open(self, path: &Path, session: &mut Session) -> Result<(), Stopped> {
        match self {
            Derived::Made(name, trace) => {
                session.open_derived(name, path, trace);
                Ok(())
            }
            Derived::Of(chosen) => session.derive_of_chosen(path, chosen),
        }
    }
}

/// `rules.pl:3:7: the reason`
pub(super) fn in_one_line(diagnostic: &Diagnostic) -> String {
    format!("{}: {}", diagnostic.source.place(diagnostic.span.start), diagnostic.message)
}

/// What answers a part of a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AnsweredBy {
    Engine,
    /// The engine leaves out some events that do not match, and papaver the others.
    Both,
    Papaver,
}

/// What answers a goal.
pub(super) struct ExplainedGoal {
    /// Why the engine does not answer all of it.
    pub(super) refusal: Option<Box<Diagnostic>>,
    pub(super) parts: Vec<(Span, AnsweredBy)>,
}

impl<'a> AskedFolder<'a> {
    /// The only trace at a path, or one that rules derive from it.
    pub(super) fn new(
        path: &'a Path,
        engine: &'a Engine<'a>,
        rules: Rules,
        on: Option<&str>,
    ) -> Result<AskedFolder<'a>, String> {
        let (top, mut traces) =
            traces_at(path).map_err(|message| format!("{message}; `--engine` asks a folder of `papaver export`"))?;
        match (traces.len(), traces.pop()) {
            (1, Some(trace)) => Ok(AskedFolder { path, top, trace, engine, rules, on: on.map(Atom::new) }),
            (n_traces, _) => Err(format!("{}: expected a folder with one trace, found {n_traces}", path.display())),
        }
    }
}

impl AskedFolder<'_> {
    /// The SQL of a goal, with the same answers.
    pub(super) fn compiled(
        &self,
        goal: &ReadTerm,
        source: &Arc<Source>,
        selected: Selected,
        most: Option<i64>,
    ) -> Result<Query, Box<Diagnostic>> {
        self.query(goal, source, self.on, selected, most, false)
    }

    /// The SQL of a goal for events in question. Constraints on arguments are replaced by weaker ones unless the events are
    /// wanted that do not match.
    fn compiled_for(
        &self,
        list: &EventsInQuestion,
        goal: &ReadTerm,
        source: &Arc<Source>,
    ) -> Result<Query, Box<Diagnostic>> {
        self.query(goal, source, None, Selected::Terms, None, !list.is_negated)
    }

    fn query(
        &self,
        goal: &ReadTerm,
        source: &Arc<Source>,
        on: Option<Atom>,
        selected: Selected,
        most: Option<i64>,
        is_near: bool,
    ) -> Result<Query, Box<Diagnostic>> {
        self.about(on, |about| compile(&CompiledGoal { goal, source, about, is_near }, selected, most))
    }

    fn about<T>(&self, on: Option<Atom>, ask: impl FnOnce(AskedTrace<'_>) -> T) -> T {
        let top = self.top.display().to_string();
        ask(AskedTrace {
            trace: &self.trace,
            path: top.trim_end_matches('/'),
            on,
            rules: &self.rules,
            dialect: self.engine.dialect.dialect(),
        })
    }

    /// What a derived trace can be made of; an error if that is the whole trace of the folder.
    pub(super) fn derived(&self, name: Atom) -> Result<Result<Derived, String>, Box<Diagnostic>> {
        match (self.derived_in_sql(name), self.rules.searches_for(name)) {
            (Ok(made), _) => Ok(made.map(|trace| Derived::Made(name, trace))),
            (Err(refusal), None) => Err(refusal),
            (Err(refusal), Some((goal, source))) => match self.events_of(&goal, &source) {
                Some(chosen) => Ok(chosen.map(Derived::Of)),
                None => Err(refusal),
            },
        }
    }

    /// The derived trace with a name, of the events that the engine finds; an error unless all of their values have SQL.
    fn derived_in_sql(&self, name: Atom) -> Result<Result<Trace, String>, Box<Diagnostic>> {
        let query = self.about(None, |about| derived_events(&about, name))?;
        let source = query.source.map(|source| self.derived_in_sql(source)).transpose()?.transpose();
        Ok(source.and_then(|source| self.of_events(name, &query, source)))
    }

    /// The derived trace of the events that a query finds; `source` is that from which it is derived, unless it is the
    /// trace of the folder.
    fn of_events(&self, name: Atom, query: &DerivedEventsQuery, source: Option<Trace>) -> Result<Trace, String> {
        let mut events = DerivedEvents::default();
        let mut origins: Vec<i64> = Vec::new();
        self.run(&query.text, |line| {
            let origin = read_event(line, query, &mut events)?;
            if origins.last() != Some(&origin) {
                origins.push(origin);
            }
            let missing = || format!("the engine gave an event that is made of event {origin}, which is not there");
            let event = match &source {
                Some(source) => event_of(source, origin).ok_or_else(missing)?,
                // the origins alone are read, in their order
                None => EventId::try_from(origins.len() - 1).map_err(|_| missing())?,
            };
            events.end(event);
            Ok(true)
        })?;
        let source = match source {
            Some(source) => source,
            None => read_chosen(self.path, &origins)?,
        };
        if source.n_events() as usize != origins.len() && query.source.is_none() {
            return Err("the engine gave events that are made of others than those in the folder".to_string());
        }
        let derived = Format::derive()(&events, name.as_str(), &source, &mut || true);
        derived.ok_or_else(|| "the derived trace was not made".to_string())
    }

    /// Whether the folder has the values of an attribute.
    fn stores(&self, attribute: &str) -> bool {
        self.trace.attribute(attribute).is_some_and(|known| !known.columns.is_empty())
    }

    /// The query for the events in question. Constraints that have no SQL are left out of a list, as more events change
    /// nothing, unless those are wanted that do not match it.
    pub(super) fn query_of(&self, list: &EventsInQuestion, source: &Arc<Source>) -> Result<Query, Box<Diagnostic>> {
        let refuse = |why: &str| Box::new(Diagnostic::error(source, list.span(), why));
        if list.items.is_empty() {
            return Err(refuse("expected a list of constraints"));
        }
        if list.is_negated && list.shares_variables {
            return Err(refuse("an engine does not decide `always` with a variable that occurs elsewhere, too"));
        }
        let attributes = list.items.iter().map(|item| list.attribute(*item)).chain(list.within.map(Some));
        for attribute in attributes {
            let attribute = attribute.ok_or_else(|| refuse("a constraint of this list has no SQL"))?;
            if !self.stores(attribute) {
                let why = format!(
                    "the folder has no column for `{attribute}`: the trace does not have it, or papaver computes it from \
                     other events"
                );
                return Err(refuse(&why));
            }
        }
        let asked = |items: Option<&[NodeId]>| self.compiled_for(list, &list.goal(items), source);
        asked(None).or_else(|refusal| {
            if list.is_negated {
                return Err(refusal);
            }
            let said: Vec<_> = list.items.iter().filter(|item| asked(Some(&[**item])).is_ok()).copied().collect();
            asked(Some(&said))
        })
    }

    /// The trace of the events that queries find, the first one and the last one.
    pub(super) fn events(&self, queries: &[Query]) -> Result<Trace, String> {
        let mut chronos: Vec<i64> = [self.trace.first_chrono, self.trace.last_chrono].into_iter().flatten().collect();
        let number = self.engine.dialect.dialect().name(EVENT);
        let select = |query: &Query| format!("SELECT {number} FROM (\n{}\n)", query.text.trim_end());
        let queries: Vec<String> = queries.iter().map(select).collect();
        if !queries.is_empty() {
            let text = queries.join("\nUNION\n");
            self.run(&text, |line| {
                chronos.push(read_count(line)?);
                Ok(true)
            })?;
        }
        chronos.sort_unstable();
        chronos.dedup();
        read_chosen(self.path, &chronos)
    }

    pub(super) fn run(&self, text: &str, each: impl FnMut(&str) -> Result<bool, String>) -> Result<(), String> {
        self.engine.run(text, each).map_err(|failure| match failure {
            EngineFailure::Missing(message) | EngineFailure::Failed(message) => message,
        })
    }

    /// A trace of the events that a goal may find, on which it has the same answers; none if they depend on other events,
    /// or if a constraint is on what the folder does not hold.
    pub(super) fn events_of(&self, goal: &ReadTerm, source: &Arc<Source>) -> Option<Result<Trace, String>> {
        Some(self.events(&self.queries_of(goal, source)?))
    }

    /// The queries for these events.
    fn queries_of(&self, goal: &ReadTerm, source: &Arc<Source>) -> Option<Vec<Query>> {
        events_of_searches(goal)?.iter().map(|list| self.query_of(list, source).ok()).collect()
    }

    /// What answers the parts of a goal; an error if nothing does with this engine.
    pub(super) fn explained(&self, goal: &ReadTerm, source: &Arc<Source>) -> Result<ExplainedGoal, Box<Diagnostic>> {
        let conjuncts = goal.tree.conjuncts(goal.tree.root());
        let Err(refusal) = self.compiled(goal, source, Selected::Terms, None) else {
            let parts = conjuncts.into_iter().map(|part| (goal.tree.span(part), AnsweredBy::Engine)).collect();
            return Ok(ExplainedGoal { refusal: None, parts });
        };
        if let Some(name) = self.on {
            let has_sql = self.about(None, |about| derived_events(&about, name)).is_ok();
            let is_chosen = |(goal, source): (ReadTerm, Arc<Source>)| self.queries_of(&goal, &source).is_some();
            if !has_sql && !self.rules.searches_for(name).is_some_and(is_chosen) {
                return Err(refusal);
            }
            let parts = conjuncts.into_iter().map(|part| (goal.tree.span(part), AnsweredBy::Papaver)).collect();
            return Ok(ExplainedGoal { refusal: Some(refusal), parts });
        }
        let lists =
            events_of_searches(goal).filter(|lists| lists.iter().all(|list| self.query_of(list, source).is_ok()));
        let Some(lists) = lists else { return Err(refusal) };
        let mut parts = Vec::new();
        for list in &lists {
            for item in &list.items {
                let alone = list.goal(Some(&[*item]));
                let is_compiled = |is_near| self.query(&alone, source, None, Selected::Terms, None, is_near).is_ok();
                let by = match (is_compiled(false), is_compiled(true)) {
                    (true, _) => AnsweredBy::Engine,
                    (false, true) => AnsweredBy::Both,
                    (false, false) => AnsweredBy::Papaver,
                };
                parts.push((goal.tree.span(*item), by));
            }
        }
        let has_list =
            |span: Span| lists.iter().any(|list| span.start <= list.span().start && list.span().end <= span.end);
        let others = conjuncts.into_iter().map(|part| goal.tree.span(part)).filter(|span| !has_list(*span));
        parts.extend(others.map(|span| (span, AnsweredBy::Papaver)));
        parts.sort_by_key(|(span, _)| span.start);
        Ok(ExplainedGoal { refusal: Some(refusal), parts })
    }
}
