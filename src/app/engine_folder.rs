//! An exported folder that an SQL engine is asked about, and the events of it that a goal needs.

use std::path::Path;
use std::sync::Arc;

use super::engine_process::{self, EngineFailure};
use super::engine_rows::read_count;
use super::sql::SqlDialect;
use crate::formats::{Folder, FolderTrace, read_chosen};
use crate::session::{EVENT, EventsInQuestion, events_of_searches};
use crate::sql::{CompiledGoal, Query, Rules, Selected, compile};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::NodeId;
use crate::trace::Trace;

/// A folder with one trace, and how an engine is asked about it.
pub(super) struct AskedFolder<'a> {
    pub(super) path: &'a Path,
    pub(super) folder: Folder,
    pub(super) engine: SqlDialect,
    pub(super) command: Option<&'a str>,
    pub(super) rules: Rules,
}

/// `rules.pl:3:7: the reason`
pub(super) fn in_one_line(diagnostic: &Diagnostic) -> String {
    format!("{}: {}", diagnostic.source.place(diagnostic.span.start), diagnostic.message)
}

impl AskedFolder<'_> {
    pub(super) fn trace(&self) -> &FolderTrace {
        &self.folder.traces[0]
    }

    /// The SQL of a goal, with the same answers.
    pub(super) fn compiled(
        &self,
        goal: &ReadTerm,
        source: &Arc<Source>,
        selected: Selected,
        most: Option<i64>,
    ) -> Result<Query, Box<Diagnostic>> {
        self.query(goal, source, selected, most, false)
    }

    /// The SQL of a goal for events in question. Constraints on arguments are replaced by weaker ones unless the events are
    /// wanted that do not match.
    fn compiled_for(
        &self,
        list: &EventsInQuestion,
        goal: &ReadTerm,
        source: &Arc<Source>,
    ) -> Result<Query, Box<Diagnostic>> {
        self.query(goal, source, Selected::Terms, None, !list.is_negated)
    }

    fn query(
        &self,
        goal: &ReadTerm,
        source: &Arc<Source>,
        selected: Selected,
        most: Option<i64>,
        is_near: bool,
    ) -> Result<Query, Box<Diagnostic>> {
        let path = self.path.display().to_string();
        let asked = CompiledGoal {
            goal,
            source,
            rules: &self.rules,
            folder: &self.folder,
            path: path.trim_end_matches('/'),
            dialect: self.engine.dialect(),
            is_near,
        };
        compile(&asked, selected, most)
    }

    /// Whether the folder has the values of an attribute.
    fn stores(&self, attribute: &str) -> bool {
        self.trace().attribute(attribute).is_some_and(|known| !known.columns.is_empty())
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
        let mut chronos: Vec<i64> =
            [self.trace().first_chrono, self.trace().last_chrono].into_iter().flatten().collect();
        let number = self.engine.dialect().name(EVENT);
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
        engine_process::run(self.engine, self.command, text, each).map_err(|failure| match failure {
            EngineFailure::Missing(message) | EngineFailure::Failed(message) => message,
        })
    }

    /// A trace of the events that a goal may find, on which it has the same answers; none if they depend on other events,
    /// or if a constraint is on what the folder does not hold.
    pub(super) fn events_of(&self, goal: &ReadTerm, source: &Arc<Source>) -> Option<Result<Trace, String>> {
        let lists = events_of_searches(goal)?;
        let queries: Vec<Query> = lists.iter().map(|list| self.query_of(list, source).ok()).collect::<Option<_>>()?;
        Some(self.events(&queries))
    }
}
