//! The trace that goals query: its cursor, its compiled searches, and how its events are shown.

use std::sync::Arc;

use super::plan::Plans;
use super::traces::Traces;
use crate::output::{Display, TermView, ToggleError};
use crate::term::Atom;
use crate::trace::{EventId, GroupCosts, Trace};

/// A desk with a trace on it.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(super) trace: Option<Arc<Trace>>,
    /// 0 before the first event, otherwise the row of the current event plus 1; backtracking restores it.
    pub(crate) cursor: u32,
    /// All named traces, including that one.
    pub(crate) traces: Traces,
    /// The compiled searches of the trace.
    pub(crate) plans: Plans,
    /// What the event lines of moves show.
    pub(crate) display: Display,
    /// How `browse/1` shows terms.
    pub(crate) term_view: TermView,
    /// The ports at which `next` and similar moves stop; `None` for those of the format.
    pub(crate) traced_ports: Option<Vec<Atom>>,
    /// How the prompt shows several answers.
    pub(crate) answer_layout: AnswerLayout,
    /// What the groups of a profile cost, until they are taken.
    pub(crate) profile: Vec<GroupCosts>,
    /// The part omitted from the event line printed last.
    omitted: String,
}

/// How the prompt shows several answers of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerLayout {
    /// One by one.
    #[default]
    Single,
    /// As rows of a table.
    Table,
}

impl Desk {
    /// The trace that goals query.
    pub(crate) fn trace(&self) -> Option<&Arc<Trace>> {
        self.trace.as_ref()
    }

    /// The position of the cursor: 0 before the first event, otherwise the row of the current event plus 1.
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor
    }

    /// The event at the cursor.
    pub(crate) fn current_event(&self) -> Option<EventId> {
        self.cursor.checked_sub(1)
    }

    /// Moves the cursor to an event.
    pub(crate) fn move_to(&mut self, event: EventId) {
        self.cursor = event + 1;
    }

    /// Moves the cursor before the first event.
    pub(crate) fn rewind(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor back to an earlier position.
    pub(crate) fn return_to(&mut self, cursor: u32) {
        self.cursor = cursor;
    }

    /// Shows an attribute of the trace in event lines.
    pub(crate) fn show_attribute(&mut self, name: &str) -> Result<(), ToggleError> {
        self.trace.as_ref().map_or(Ok(()), |trace| self.display.show(name, trace))
    }

    /// Shows an attribute in event lines, or hides it if it is shown.
    pub(crate) fn toggle_attribute(&mut self, name: &str) -> Result<(), ToggleError> {
        self.display.toggle(name, self.trace.as_ref().map(|trace| trace.schema()))
    }

    /// Cuts an event line to the width of the display, keeps the rest, and returns the number of characters omitted.
    pub(crate) fn cut_line(&mut self, line: &mut String) -> usize {
        let end = self.display.room.and_then(|room| line.char_indices().nth(room));
        self.omitted = end.map(|(end, _)| line.split_off(end)).unwrap_or_default();
        self.omitted.chars().count()
    }

    /// Removes and returns what was omitted from the line cut last.
    pub(crate) fn take_omitted(&mut self) -> String {
        std::mem::take(&mut self.omitted)
    }

    /// Makes `trace` the current trace, with the cursor before its first event.
    pub(super) fn open(&mut self, trace: Arc<Trace>) {
        self.plans.belong_to(&trace);
        self.traces.open(&trace);
        self.trace = Some(trace);
        self.cursor = 0;
    }
}
