//! What a stranger looks for first in a trace: the boxes that last longest, and the calls that failed first.

use serde::Serialize;

use super::event;
use super::picture::PageTrace;
use super::slices::flags;
use super::timeline::Axis;
use crate::trace::EventId;

/// The most landmarks of each kind.
const MOST: usize = 5;
/// The most characters of a line.
const MOST_LETTERS: usize = 200;

/// An event that a page offers to go to.
#[derive(Serialize)]
pub(super) struct Landmark {
    number: i64,
    line: String,
    /// How long its box lasts: in the unit of the times, or in events if there are no times.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
}

impl Landmark {
    fn of(of: &PageTrace, event: EventId, length: Option<u64>) -> Landmark {
        Landmark { number: of.timeline.trace.chrono(event), line: event::line(of, event, MOST_LETTERS), length }
    }
}

/// The longest box of each of the lanes with the longest ones, the longest first: mostly a call, and the longest call
/// inside of it at each depth.
pub(super) fn longest(of: &PageTrace) -> Vec<Landmark> {
    let timeline = &of.timeline;
    let axis = timeline.axes().last().unwrap_or(Axis::Number);
    let layout = timeline.layout(axis);
    let lanes = layout.lanes.iter().filter(|lane| lane.start < lane.end);
    let mut found: Vec<(u64, u32)> = lanes
        .map(|lane| {
            let slice = timeline.longest(axis, lane.start, lane.end);
            let (start, end) = timeline.span(axis, slice);
            (end - start, slice)
        })
        .filter(|(_, slice)| layout.flags[*slice as usize] & flags::INSTANT == 0)
        .collect();
    found.sort_by_key(|(length, slice)| (std::cmp::Reverse(*length), *slice));
    found.truncate(MOST);
    found.into_iter().map(|(length, slice)| Landmark::of(of, layout.event_of(slice), Some(length))).collect()
}

/// The first events at which calls failed, were left by an exception or ended with an error.
pub(super) fn first_failures(of: &PageTrace) -> Vec<Landmark> {
    first_failed(of, MOST).into_iter().map(|event| Landmark::of(of, event, None)).collect()
}

/// The first `n` of these events.
pub(super) fn first_failed(of: &PageTrace, n: usize) -> Vec<EventId> {
    let layout = of.timeline.layout(Axis::Number);
    let failed = layout.flags.iter().zip(&layout.last).filter(|(flag, _)| **flag & flags::FAILED != 0);
    let mut events: Vec<EventId> = failed.map(|(_, last)| *last).collect();
    if events.len() > n {
        events.select_nth_unstable(n);
        events.truncate(n);
    }
    events.sort_unstable();
    events
}
