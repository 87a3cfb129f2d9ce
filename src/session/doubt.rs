//! Whether an assertion depends on a stretch of time of which its trace knows nothing.

use super::check::Check;
use super::state::Session;
use crate::engine::Stop;
use crate::term::{Atom, Node, Span};
use crate::trace::Trace;

/// The attributes of a trace that tells of such stretches.
const WINDOWS: [&str; 2] = ["running", "window"];

impl Session {
    /// Why the verdict on an assertion should not be trusted, if a blind window of the trace could change it.
    pub fn doubt(&mut self, check: &Check) -> Result<Option<String>, Stop> {
        let has_windows = |session: &Session| {
            let has_all = |trace: &Trace| WINDOWS.iter().all(|name| trace.schema().find(name).is_some());
            session.trace().is_some_and(|trace| has_all(trace) || trace.recording().is_blind())
        };
        if !has_windows(self) {
            return Ok(None);
        }
        let mut goal = check.goal.clone();
        let (at, number, asked) = (Span::default(), goal.n_variables, goal.tree.root());
        let text = goal.tree.push(Node::Var(number), at);
        let doubt = goal.tree.push_compound(Atom::new("$doubt"), &[asked, text], at);
        goal.tree.set_root(doubt);
        goal.n_variables += 1;
        goal.variables = vec![("Text".to_string(), number, at, 1)];
        self.rewind();
        let answer = self.query(&goal, &check.source)?.next().transpose()?;
        Ok(answer.and_then(|answer| {
            let (_, value) = answer.values.first()?;
            match answer.tree.node(*value) {
                Node::Str(text) => Some(text.to_string()),
                _ => None,
            }
        }))
    }
}
