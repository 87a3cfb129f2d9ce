//! The guard of a clause: tests at the beginning of the body, before which the argument registers are preserved.

use super::body::{Body, BodyItem, GoalKind};

/// The part of a body before the neck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    /// Number of tests.
    pub(super) goals: usize,
    /// Whether a cut follows, which is executed at the neck.
    pub(super) cuts: bool,
}

impl Guard {
    /// Number of body items that the guard and its cut occupy.
    pub(super) fn items(self) -> usize {
        self.goals + usize::from(self.cuts)
    }
}

/// The guard of a body; `None` if the body begins with another goal.
pub(super) fn guard_of(body: &Body) -> Option<Guard> {
    let calls = |item: &BodyItem| !matches!(item, BodyItem::Goal(_, kind) if *kind != GoalKind::Call);
    let quiet = body.items.iter().take_while(|item| !calls(item)).count();
    match body.items.get(quiet) {
        Some(BodyItem::Cut(None)) => return Some(Guard { goals: quiet, cuts: true }),
        None if quiet == 0 => return Some(Guard { goals: 0, cuts: false }),
        _ => {}
    }
    let last = body.items[..quiet].iter().rposition(BodyItem::is_test)?;
    Some(Guard { goals: last + 1, cuts: false })
}
