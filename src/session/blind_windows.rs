//! Decides whether an assertion depends on a period of time that its trace does not cover.

use super::check::Check;
use super::state::Session;
use crate::engine::Stopped;
use crate::formats::FORMATS;
use crate::term::{Atom, Node, Span};
use crate::trace::Trace;

impl Session {
    /// Why the verdict on an assertion should not be trusted, if a blind window of the trace could change it.
    pub(crate) fn blind_window_warning(&mut self, check: &Check) -> Result<Option<String>, Stopped> {
        if !self.trace().is_some_and(|trace| has_windows(trace)) {
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

/// Whether a trace was not recorded all the time, or not wholly.
pub(crate) fn has_windows(trace: &Trace) -> bool {
    shows_windows(trace) || trace.recording().is_blind()
}

/// Whether a trace has the attributes by which some format states that it was not recorded all the time; a converted
/// trace has them, too.
fn shows_windows(trace: &Trace) -> bool {
    let has = |name: &&str| trace.schema().find(name).is_some();
    FORMATS.iter().any(|format| !format.blind.is_empty() && format.blind.iter().all(has))
}
