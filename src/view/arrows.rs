//! Arrows between events: messages, invocations, steals and links, found once and then by event or by part.

use crate::output::{arrows, drawing_of};
use crate::trace::{EventId, Trace};

/// An arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventArrow {
    pub(crate) from: EventId,
    pub(crate) to: EventId,
    /// What it is: `message`.
    pub(crate) kind: &'static str,
}

/// The most arrows that are drawn at once.
const MOST_ARROWS: usize = 2000;

/// All arrows of a trace, by the event at which they begin.
pub(crate) struct EventArrows {
    all: Vec<EventArrow>,
    /// The places in `all`, by the event at which the arrow ends.
    by_end: Vec<u32>,
}

impl EventArrows {
    /// Finds them.
    pub(crate) fn new(trace: &Trace) -> EventArrows {
        let flows = drawing_of(trace).0.flows.iter();
        let of_flow = |(from, to), kind| EventArrow { from, to, kind };
        let mut all: Vec<EventArrow> =
            flows.flat_map(|flow| arrows(trace, flow).into_iter().map(|ends| of_flow(ends, flow.name))).collect();
        all.sort_unstable();
        let mut by_end: Vec<u32> = (0..all.len() as u32).collect();
        by_end.sort_by_key(|place| all[*place as usize].to);
        EventArrows { all, by_end }
    }

    /// All of them, by the event at which they begin.
    pub(crate) fn all(&self) -> &[EventArrow] {
        &self.all
    }

    /// The number of arrows.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The arrows that begin or end at an event.
    pub(crate) fn of(&self, event: EventId) -> impl Iterator<Item = EventArrow> {
        let begin = self.all.partition_point(|arrow| arrow.from < event);
        let begin = self.all[begin..].iter().take_while(move |arrow| arrow.from == event).copied();
        let end = self.by_end.partition_point(|place| self.all[*place as usize].to < event);
        let end = self.by_end[end..].iter().map(|place| self.all[*place as usize]);
        begin.chain(end.take_while(move |arrow| arrow.to == event))
    }

    /// The arrows for which a condition holds, and how many more than can be drawn there are.
    pub(crate) fn some(&self, holds: impl Fn(&EventArrow) -> bool) -> (Vec<EventArrow>, usize) {
        let mut all = self.all.iter().copied().filter(holds);
        let found: Vec<EventArrow> = all.by_ref().take(MOST_ARROWS).collect();
        (found, all.count())
    }
}
