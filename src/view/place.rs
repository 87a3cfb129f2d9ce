//! Where events are on the timeline, as the page has it.

use serde::{Serialize, Serializer};

use super::timeline::{Axis, Timeline};
use crate::trace::EventId;

/// The place of an event: its row and lane, and its position on each axis; `[0, 3, 672, null]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) row: u32,
    pub(crate) lane: u32,
    pub(crate) number: u64,
    pub(crate) time: Option<u64>,
}

impl Place {
    /// The place of an event.
    pub(crate) fn of(timeline: &Timeline, event: EventId) -> Place {
        let (row, lane) = timeline.slice_of(Axis::Number, event).map_or((0, 0), |(lane, _)| (lane.row, lane.number));
        let time = timeline.times().map(|times| times.at(event));
        Place { row, lane, number: u64::from(event), time }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.row, self.lane, self.number, self.time).serialize(serializer)
    }
}
