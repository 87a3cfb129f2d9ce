//! Tiles: what of a timeline is seen in a part of it at some scale. On each lane and pixel column at most one slice is
//! drawn, the longest that begins there, with the number of those that it stands for; so nothing disappears.

use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::timeline::{Axis, Lane, Timeline, Titles, partition};
use crate::trace::EventId;
use crate::trace::threads::{n_cores, on_cores};

/// A part of a timeline, in pixel columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TilePart {
    pub(crate) axis: Axis,
    /// Positions: the first one, and the one after the last.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// 0 for every slice by itself.
    pub(crate) n_columns: u32,
}

/// A slice that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DrawnSlice {
    /// The slice.
    pub(crate) slice: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// How many slices it stands for, itself among them.
    pub(crate) count: u32,
}

impl TilePart {
    /// The column of a position in the part.
    fn column(&self, position: u64) -> u64 {
        let width = self.to.saturating_sub(self.from).max(1);
        let offset = position.saturating_sub(self.from);
        // almost always the product fits, and its division is several times faster
        match offset.checked_mul(u64::from(self.n_columns)) {
            Some(product) => product / width,
            None => (u128::from(offset) * u128::from(self.n_columns) / u128::from(width)) as u64,
        }
    }

    /// The first position of a column.
    fn start(&self, column: u64) -> u64 {
        let width = self.to.saturating_sub(self.from).max(1);
        let n_columns = u64::from(self.n_columns.max(1));
        let offset = match column.checked_mul(width) {
            Some(product) => product.div_ceil(n_columns),
            None => (u128::from(column) * u128::from(width)).div_ceil(u128::from(n_columns)) as u64,
        };
        self.from + offset
    }
}

/// Visits the slices that are drawn of a lane, from left to right.
pub(crate) fn each_drawn(timeline: &Timeline, lane: &Lane, part: &TilePart, mut visit: impl FnMut(DrawnSlice)) {
    let span = |slice: u32| timeline.span(part.axis, slice);
    let slices = lane.start..lane.end;
    // a slice of no length is in the part if it is at its first position
    let is_before = |slice: u32| {
        let (start, end) = span(slice);
        end <= part.from && start < part.from
    };
    let mut next = lane.start + partition(slices, is_before);
    while next < lane.end {
        let (start, _) = span(next);
        if start >= part.to && (start > part.to || part.to < timeline.length(part.axis)) {
            return;
        }
        let after = match part.n_columns {
            0 => next + 1,
            _ => {
                let end_of_column = part.start(part.column(start) + 1);
                gallop(next, lane.end, |slice| span(slice).0 < end_of_column)
            }
        };
        let slice = if after - next == 1 { next } else { timeline.longest(part.axis, next, after) };
        let (start, end) = span(slice);
        visit(DrawnSlice { slice, start, end, count: after - next });
        next = after;
    }
}

/// The first slice after `from` for which a condition does not hold; it holds for those before it. Near slices are
/// found fast.
fn gallop(from: u32, to: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut step) = (from + 1, 1_u32);
    while low < to && holds(low) {
        let far = low.saturating_add(step).min(to);
        if far == to || !holds(far) {
            return low + 1 + partition(low + 1..far, holds);
        }
        low = far;
        step = step.saturating_mul(2);
    }
    low.min(to)
}

/// A tile in JSON is written as far as this many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileSize(pub(crate) usize);

/// A part of a timeline, in the form that the page reads; the lanes of the rows `rows` only. None if it is longer than
/// `most`.
///
/// ```text
/// {"trace":0,"axis":"number","from":0,"to":698,"columns":2048,
///  "rows":[{"id":0,"lane":0,"boxes":[[start,end,count,name,first event,last event,flags],..]},..],"names":["main",..]}
/// ```
pub(crate) fn tile_json(
    timeline: &Timeline,
    trace: usize,
    part: &TilePart,
    rows: Range<u32>,
    most: TileSize,
) -> Option<String> {
    let layout = timeline.layout(part.axis);
    let start = layout.lanes.partition_point(|lane| lane.row < rows.start);
    let end = layout.lanes.partition_point(|lane| lane.row < rows.end);
    let lanes = drawn_lanes(timeline, &layout.lanes[start..end.max(start)], part, most)?;
    let mut titles = Titles::new(timeline);
    let TilePart { axis, from, to, n_columns } = *part;
    let axis = axis.name();
    let mut out =
        format!(r#"{{"trace":{trace},"axis":"{axis}","from":{from},"to":{to},"columns":{n_columns},"rows":["#);
    let mut digits = itoa::Buffer::new();
    for (place, (lane, boxes)) in lanes.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(out, r#"{comma}{{"id":{},"lane":{},"boxes":["#, lane.row, lane.number).expect(A_STRING);
        for (index, one) in boxes.into_iter().enumerate() {
            if out.len() > most.0 {
                return None;
            }
            let DrawnSlice { slice, start, end, count } = one.drawn;
            let slice_flags = layout.flags[slice as usize];
            let name = titles.of(one.event, slice_flags) as u64;
            out.push_str(if index == 0 { "[" } else { ",[" });
            for number in [start, end, u64::from(count), name] {
                out.push_str(digits.format(number));
                out.push(',');
            }
            for number in [one.first, one.last] {
                out.push_str(digits.format(number));
                out.push(',');
            }
            out.push_str(digits.format(slice_flags));
            out.push(']');
        }
        out.push_str("]}");
    }
    let names: Vec<&String> = titles.names.iter().collect();
    write!(out, r#"],"names":{}}}"#, serde_json::to_string(&names).expect("texts are JSON")).expect(A_STRING);
    (out.len() <= most.0).then_some(out)
}

const A_STRING: &str = "a string takes all text";

/// A box of a tile.
struct TileBox {
    drawn: DrawnSlice,
    /// The event by which its slice is known.
    event: EventId,
    /// The number of that event, and of the last one.
    first: i64,
    last: i64,
}

/// The bytes of the shortest box.
const SHORTEST_BOX: usize = "[0,1,1,0,1,1,0]".len();

/// The lanes in which something is drawn, with their boxes, found on all cores: nearly every box costs several reads from
/// memory. None if they do not fit into a tile of this size.
fn drawn_lanes(
    timeline: &Timeline,
    lanes: &[Lane],
    part: &TilePart,
    most: TileSize,
) -> Option<Vec<(Lane, Vec<TileBox>)>> {
    let layout = timeline.layout(part.axis);
    let most = most.0 / SHORTEST_BOX;
    let n_found = AtomicUsize::new(0);
    let boxes = |lane: &Lane| {
        let mut boxes = Vec::new();
        each_drawn(timeline, lane, part, |drawn| {
            if n_found.fetch_add(1, Ordering::Relaxed) < most {
                let event = layout.event_of(drawn.slice);
                let (first, last) =
                    (timeline.trace.chrono(event), timeline.trace.chrono(layout.last[drawn.slice as usize]));
                boxes.push(TileBox { drawn, event, first, last });
            }
        });
        (*lane, boxes)
    };
    let mut found = on_cores(n_cores(), lanes.iter(), boxes);
    found.retain(|(_, boxes)| !boxes.is_empty());
    (n_found.into_inner() <= most).then_some(found)
}
