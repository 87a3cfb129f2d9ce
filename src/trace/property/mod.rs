//! Properties: what an assertion says of the events that match its lists of constraints, decided on their rows alone.
//!
//! The variables that stand in two lists take a value at each event that matches; a [`Bindings`] finds which values go
//! together, and a [`Property`] is decided for each of these bindings on the rows that agree with it. Rows are only ever
//! looked up by leaps, so that the work for a binding is a matter of its own events, not of those that all bindings share.

mod bindings;
mod count;
mod decide;
mod distance;
mod lists;
mod order;
mod outdated;
mod stretch;

use std::ops::Range;

use super::EventId;

pub use bindings::{Binding, Bindings, Marks};
pub use distance::{Growth, Measure};
pub use outdated::Needed;

/// What must hold on every stretch of the trace that a scope has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What is claimed.
    pub claim: Claim,
    /// Where.
    pub scope: Scope,
    /// The lists of the events that must be there, in their order; none but for precedence and response.
    pub needed: Range<usize>,
    /// The lists of the events that the claim is about, in their order.
    pub subject: Range<usize>,
    /// The list of the events that open a stretch.
    pub opens: Option<usize>,
    /// The list of the events that close one.
    pub closes: Option<usize>,
}

/// What is claimed of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// So many subjects at least, and at most.
    Count {
        /// At least so many.
        least: u64,
        /// At most so many, if there is a limit.
        most: Option<u64>,
    },
    /// Every event is a subject.
    Always,
    /// Each subject has the needed events at or before it.
    Precedes,
    /// Each subject has the needed events at or after it.
    Responds,
}

/// Which stretches of the trace there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of the trace.
    Globally,
    /// Up to the first closing event, if there is one.
    Before,
    /// From the first opening event on, if there is one.
    After,
    /// From each opening event to the closing one that follows.
    Between,
    /// The same, also where no closing event follows.
    AfterUntil,
}

/// Whether events may follow those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The trace is complete.
    Complete,
    /// More events may follow: only what these cannot change is decided.
    Open,
}

/// The rows that agree with a binding.
#[derive(Clone, Copy)]
pub struct Slice<'a> {
    /// For each list the rows that match it, in order.
    pub lists: &'a [&'a [EventId]],
    /// How many events the trace has.
    pub n_events: EventId,
    /// Whether more may follow.
    pub end: End,
    /// The first event of which not everything was decided: what must hold of every event does hold of those before.
    pub from: EventId,
    /// How far a needed event may be from its subject, if that is limited.
    pub measure: Option<&'a Measure<'a>>,
}

/// What came out for a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It holds.
    Holds,
    /// It holds, as there is nothing that it could be violated by.
    Vacuous,
    /// It does not hold.
    Violated(Violation),
}

/// Why a property does not hold on a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub fault: Fault,
    /// The event that opens the stretch; none if that is the start of the trace.
    pub opening: Option<EventId>,
    /// The event that closes it; none if that is the end of the trace.
    pub closing: Option<EventId>,
    /// The events that are wrong, in order; for a chain all of its events.
    pub events: Vec<EventId>,
    /// The needed event that is too far away.
    pub far: Option<EventId>,
}

/// What is wrong with a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There are only so many subjects.
    TooFew(u64),
    /// There is one more subject than there may be.
    TooMany,
    /// An event is no subject.
    Other,
    /// A subject has none of the needed events before it.
    Unpreceded,
    /// A subject has none of the needed events after it.
    Unanswered,
    /// A subject has the needed events before it, but too far away.
    TooEarly,
    /// A subject has the needed events after it, but too far away.
    TooLate,
    /// A subject has no value for the attribute that tells how far away events are.
    Unmeasured,
}

impl Violation {
    /// The row by which violations are put in order: that of the last event which is wrong, or of the stretch.
    pub fn row(&self) -> EventId {
        self.events.last().copied().or(self.closing).or(self.opening).unwrap_or(EventId::MAX)
    }

    /// All events that show it, in order; what closes the stretch is one if something should have come before that.
    pub fn witnesses(&self) -> Vec<EventId> {
        let is_missing = matches!(self.fault, Fault::TooFew(_) | Fault::Unanswered | Fault::TooLate);
        let closing = self.closing.filter(|_| is_missing);
        let mut witnesses: Vec<EventId> =
            self.opening.into_iter().chain(self.events.iter().copied()).chain(closing).collect();
        witnesses.sort_unstable();
        witnesses.dedup();
        witnesses
    }
}
