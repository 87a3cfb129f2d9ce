//! Functions of a transcript: whether their printed arities count their results.

use super::printed_event::{OwnedProcedure, PrintedEvent};
use crate::term::hash::HashSet;

/// Whether printed arities of functions count their results: those of old versions do.
pub(crate) struct FunctionArities {
    /// Some function shows an argument beyond its arity, which is its result.
    is_beyond: bool,
    /// Functions whose last argument is not live at calls, but at an exit.
    gives_last: HashSet<ProcKey>,
}

/// Module, name, arity and mode.
pub(crate) type ProcKey = (Option<String>, String, i64, i64);

impl FunctionArities {
    /// Infers it from all events.
    pub(crate) fn of(events: &[PrintedEvent]) -> FunctionArities {
        let functions = || {
            let of = |event: &'_ PrintedEvent| event.proc.as_ref().is_some_and(OwnedProcedure::is_function);
            events.iter().filter(move |event| of(event)).filter_map(|event| Some((event, event.proc.as_ref()?)))
        };
        let last = |port: &'static str| {
            let shown = functions().filter(move |(event, proc)| event.port == port && event.shows(proc.arity));
            shown.map(|(_, proc)| proc.key()).collect::<HashSet<ProcKey>>()
        };
        let taken = last("CALL");
        FunctionArities {
            is_beyond: functions().any(|(event, proc)| event.shows(proc.arity.saturating_add(1))),
            gives_last: last("EXIT").into_iter().filter(|key| !taken.contains(key)).collect(),
        }
    }

    /// Whether the arity of a procedure counts its result.
    pub(crate) fn count_result(&self, proc: &OwnedProcedure) -> bool {
        !self.is_beyond && proc.is_function() && proc.arity > 0 && self.gives_last.contains(&proc.key())
    }
}
