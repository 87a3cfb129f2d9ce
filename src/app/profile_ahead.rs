//! Profiles, also those that are made ahead, by the threads that read the next traces.

use std::sync::Arc;

use super::goal_terms::list;
use super::work_ahead::{FoundAhead, ThreadWork, WorkAhead};
use crate::engine::Stopped;
use crate::session::{Answer, Session};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, atoms};
use crate::trace::{GroupCosts, Trace};

/// What is asked for: rows by attributes, of the calls that satisfy constraints.
#[derive(Clone, Debug)]
pub(super) struct ProfileGoal {
    /// The predicate that gives the rows.
    pub(super) predicate: &'static str,
    pub(super) by: Vec<String>,
    pub(super) constraints: String,
}

/// A profile as an answer, with the operators that write its terms, and what its groups cost where the predicate tells.
pub(super) struct FoundProfile {
    pub(super) answer: Answer,
    pub(super) ops: OpTable,
    pub(super) costs: Vec<GroupCosts>,
}

/// Why there is no profile.
pub(super) enum NoProfile {
    Wrong(Box<Diagnostic>),
    Stopped(Stopped),
    /// The predicate failed.
    Failed,
}

impl ProfileGoal {
    /// The profile of the trace that is open in a session.
    pub(super) fn of(&self, session: &mut Session) -> Result<FoundProfile, NoProfile> {
        self.known_attributes(session)?;
        let source = Source::new("--where", self.constraints.as_str());
        let goal = self.goal(session, &source).map_err(NoProfile::Wrong)?;
        let ops = session.operators().clone();
        match session.query(&goal, &source).and_then(|mut query| query.next().transpose()) {
            Ok(Some(answer)) => Ok(FoundProfile { answer, ops, costs: session.take_profile() }),
            Ok(None) => Err(NoProfile::Failed),
            Err(stopped) => Err(NoProfile::Stopped(stopped)),
        }
    }

    /// An error if rows are asked for by an attribute that the trace does not have.
    fn known_attributes(&self, session: &Session) -> Result<(), NoProfile> {
        let schema = session.trace().map(|trace| trace.schema());
        for name in &self.by {
            if let Some(Err(error)) = schema.map(|schema| schema.resolve(name)) {
                let source = Source::new("--by", name.as_str());
                let whole = Span { start: 0, end: name.len() as u32 };
                return Err(NoProfile::Wrong(Box::new(Diagnostic::error(&source, whole, error.to_string()))));
            }
        }
        Ok(())
    }

    /// `Predicate(By, Constraints, Rows)`. Constraints between commas are a list.
    fn goal(&self, session: &Session, source: &Arc<Source>) -> Result<ReadTerm, Box<Diagnostic>> {
        let goals = session.goals();
        let mut goal = read_goal(&self.constraints, &goals.operators, &goals.flags)
            .map_err(|error| Box::new(Diagnostic::syntax(source, error)))?;
        let at = Span::default();
        let mut items = Vec::new();
        let mut rest = goal.tree.root();
        while goal.tree.functor(rest) == Some((atoms::COMMA, 2)) {
            let &[item, after] = goal.tree.args(rest) else { break };
            items.push(item);
            rest = after;
        }
        if !items.is_empty() {
            items.push(rest);
            rest = list(&mut goal, &items);
        }
        let by: Vec<NodeId> = self.by.iter().map(|name| goal.tree.push(Node::Atom(Atom::new(name)), at)).collect();
        let by = match by.as_slice() {
            [one] => *one,
            several => list(&mut goal, several),
        };
        let rows = goal.tree.push(Node::Var(goal.n_variables), at);
        goal.tree.push_compound(Atom::new(self.predicate), &[by, rest, rows], at);
        goal.variables = vec![("Rows".to_string(), goal.n_variables, at, 1)];
        goal.n_variables += 1;
        Ok(goal)
    }
}

/// A profile for each trace.
pub(super) struct ProfileAhead {
    pub(super) goal: ProfileGoal,
    pub(super) work: ThreadWork,
}

impl WorkAhead for ProfileAhead {
    fn solve(&self, trace: &Arc<Trace>) -> Option<FoundAhead> {
        self.work.on(trace, |own| {
            own.is_unchanged = true;
            let found = self.goal.of(&mut own.session).ok()?;
            own.written.borrow().is_empty().then_some(FoundAhead::Profile(found))
        })
    }

    fn stop(&self) {
        self.work.stop();
    }
}
