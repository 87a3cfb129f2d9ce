//! Decides whether an assertion depends on what its trace lacks: periods of time, lines that could not be read, events of
//! some kind. What a goal must know and what a trace lacks is in the library, as clauses of `$unknowns` and `$asked`.

use super::check::Check;
use super::state::Session;
use crate::engine::Stopped;
use crate::formats::FORMATS;
use crate::term::{Atom, Node, Span};
use crate::trace::{LIBRARY, Trace};

/// What is known of the events of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtHand {
    /// The trace has all that there are.
    AllEvents,
    /// It has only some.
    SomeEvents,
}

impl Session {
    /// Why the verdict on an assertion should not be trusted, if what the trace lacks could change it.
    pub(super) fn blind_window_warning(&mut self, check: &Check, at_hand: AtHand) -> Result<Option<String>, Stopped> {
        let Some(trace) = self.trace() else { return Ok(None) };
        let lacks_library = at_hand == AtHand::AllEvents && trace.recording().is_limited_by(LIBRARY);
        if !lacks_library && !has_windows(trace) {
            return Ok(None);
        }
        let question = if lacks_library { "$doubt" } else { "$blind" };
        let mut goal = check.goal.clone();
        let (at, number, asked) = (Span::default(), goal.n_variables, goal.tree.root());
        let text = goal.tree.push(Node::Var(number), at);
        let doubt = goal.tree.push_compound(Atom::new(question), &[asked, text], at);
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

    /// Whether events are missing in the trace.
    pub(crate) fn lacks_events(&mut self) -> bool {
        self.trace().is_some_and(|trace| has_windows(trace))
            && self.ask("'$unknowns'([_|_])").is_ok_and(|mut answers| matches!(answers.next(), Some(Ok(_))))
    }
}

/// Whether a trace may lack a part of the run.
pub(crate) fn has_windows(trace: &Trace) -> bool {
    shows_windows(trace) || trace.recording().is_blind() || !trace.unread().is_empty()
}

/// Whether a trace has the attributes by which some format states that it was not recorded all the time; a converted
/// trace has them, too.
fn shows_windows(trace: &Trace) -> bool {
    let has = |name: &&str| trace.schema().find(name).is_some();
    FORMATS.iter().any(|format| !format.blind.is_empty() && format.blind.iter().all(has))
}
