//! Properties: the claims of assertions about the events that match their lists of constraints, decided on rows alone.
//!
//! Variables that occur in two lists take a value at each matching event. [`Bindings`] finds the combinations of
//! values, and a [`Property`] is decided for each of them on the rows that agree with it. Rows are searched by
//! galloping only, so that the time for a binding depends on its own events, not on those that all bindings share.

mod bindings;
mod count;
mod decide;
mod distance;
mod lasso;
mod lists;
mod needed_rows;
mod precedence;
mod stretch;

use std::ops::Range;

use crate::trace::event::EventId;

pub(crate) use bindings::{Bindings, Marks, PropertyBinding};
pub(crate) use distance::{DistanceRange, Growth, Measure};
pub(crate) use needed_rows::Needed;

/// A claim that must hold on every stretch of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// The claim.
    pub(crate) claim: Claim,
    /// The scope.
    pub(crate) scope: Scope,
    /// The lists of the needed events, in order; empty except for precedence and response.
    pub(crate) needed: Range<usize>,
    /// The lists of the subjects, in order.
    pub(crate) subject: Range<usize>,
    /// The list of the events that open stretches.
    pub(crate) opens: Option<usize>,
    /// The list of the events that close stretches.
    pub(crate) closes: Option<usize>,
}

/// A claim about a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// From this many to that many subjects.
    Count {
        /// At least this many subjects.
        least: u64,
        /// At most this many subjects, if there is a limit.
        most: Option<u64>,
    },
    /// Every event is a subject.
    Always,
    /// The needed events occur at or before each subject.
    Precedes,
    /// The needed events occur at or after each subject.
    Responds,
}

/// The stretches of a trace on which a claim must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole trace.
    Globally,
    /// Up to the first closing event; none without a closing event.
    Before,
    /// From the first opening event on; none without an opening event.
    After,
    /// From each opening event to the closing one that follows.
    Between,
    /// From each opening event to the closing one that follows, or to the end of the trace.
    AfterUntil,
}

/// Whether events may follow those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceEnd {
    /// The trace is complete.
    Complete,
    /// More events may follow: only what they cannot change is decided.
    Open,
}

/// The rows that agree with a binding.
#[derive(Clone, Copy)]
pub(crate) struct Slice<'a> {
    /// For each list the rows that match it, in order.
    pub(crate) lists: &'a [&'a [EventId]],
    /// How many events the trace has.
    pub(crate) n_events: EventId,
    /// The event with which the trace goes on after the last one, for ever, if it does.
    pub(crate) again: Option<EventId>,
    /// Whether more events may follow.
    pub(crate) end: TraceEnd,
    /// The first event that is not fully decided: claims about every event hold of those before.
    pub(crate) from: EventId,
    /// How near and how far a needed event may be from its subject, if that is limited.
    pub(crate) measure: Option<&'a Measure<'a>>,
}

/// The result for a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It holds.
    Holds,
    /// It holds, because nothing could violate it.
    Vacuous,
    /// It does not hold.
    Violated(Violation),
}

/// Where and how a property is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The kind of violation.
    pub(crate) fault: ViolationKind,
    /// The event that opens the stretch; none if that is the start of the trace.
    pub(crate) opening: Option<EventId>,
    /// The event that closes it; none if that is the end of the trace.
    pub(crate) closing: Option<EventId>,
    /// The violating events, in order; for a chain all of its events.
    pub(crate) events: Vec<EventId>,
    /// The needed event at a distance that is not allowed.
    pub(crate) outside: Option<EventId>,
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViolationKind {
    /// There are only this many subjects.
    TooFew(u64),
    /// There is one subject more than allowed.
    TooMany,
    /// An event is not a subject.
    Other,
    /// A subject has none of the needed events before it.
    Unpreceded,
    /// A subject has none of the needed events after it.
    Unanswered,
    /// A subject has the needed events before it, but at distances that are not allowed.
    PrecededOutside,
    /// A subject has the needed events after it, but at distances that are not allowed.
    AnsweredOutside,
    /// A subject has no value for the attribute by which distances are measured.
    Unmeasured,
}

impl Violation {
    /// The row by which violations are sorted: of the last violating event, or of the stretch.
    pub(crate) fn row(&self) -> EventId {
        self.events.last().copied().or(self.closing).or(self.opening).unwrap_or(EventId::MAX)
    }

    /// All witnesses, in order; the closing event is one if something should have come before it.
    pub(crate) fn witnesses(&self) -> Vec<EventId> {
        let is_missing =
            matches!(self.fault, ViolationKind::TooFew(_) | ViolationKind::Unanswered | ViolationKind::AnsweredOutside);
        let closing = self.closing.filter(|_| is_missing);
        let mut witnesses: Vec<EventId> =
            self.opening.into_iter().chain(self.events.iter().copied()).chain(closing).collect();
        witnesses.sort_unstable();
        witnesses.dedup();
        witnesses
    }
}
