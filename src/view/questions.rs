//! What the predicates of the library say of a trace, for pictures of facts that live there.

use std::sync::Arc;

use crate::session::{Options, Session};
use crate::trace::Trace;

/// A session about a trace.
pub(super) struct TraceQuestions(Session);

impl TraceQuestions {
    /// Of a trace.
    pub(super) fn new(trace: &Arc<Trace>) -> TraceQuestions {
        let mut session = Session::new(Options::default());
        session.open(Arc::clone(trace));
        TraceQuestions(session)
    }

    /// The values of some variables in all answers of a goal; none if an error ends it.
    pub(super) fn ask<const N: usize>(&mut self, goal: &str, variables: [&str; N]) -> Option<Vec<[String; N]>> {
        let mut rows = Vec::new();
        for answer in self.0.ask(goal).ok()? {
            let answer = answer.ok()?;
            rows.push(variables.map(|variable| answer.text(variable).unwrap_or_default()));
        }
        Some(rows)
    }
}
