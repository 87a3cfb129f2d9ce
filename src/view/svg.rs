//! The timeline as a static picture, for a README or a comment: all rows, as many lanes of each as fit, with the events
//! that checks and goals found.

use std::fmt::Write;

use super::payload::PageContents;
use super::picture::PageTrace;
use super::slices::flags;
use super::tile::{DrawnSlice, TilePart, each_drawn};
use super::timeline::{Axis, Lane, Titles};
use crate::output::Escaped;

/// Sizes in pixels.
const WIDTH: u32 = 960;
const LABELS: u32 = 120;
const LANE: u32 = 18;
const LETTER: f64 = 6.2;
const MARGIN: u32 = 8;
/// The most lanes of a row, and the most rows.
const MOST_LANES: usize = 24;
const MOST_ROWS: usize = 40;
/// The most arrows.
const MOST_ARROWS: usize = 300;

/// The colours of boxes, by their names; all are light enough for black letters.
const FILLS: [&str; 8] = ["#a6cee3", "#fdbf6f", "#b2df8a", "#cab2d6", "#ffd92f", "#fb9a99", "#8dd3c7", "#d9d9d9"];

const A_STRING: &str = "a string takes all text";

/// A lane with the height at which it is drawn.
struct PlacedLane {
    lane: Lane,
    top: u32,
}

/// The timeline of the first trace.
pub(crate) fn timeline_svg(contents: &PageContents) -> String {
    let Some(of) = contents.traces.first() else { return String::new() };
    let axis = if of.timeline.times().is_some_and(|times| times.length > 0) { Axis::Time } else { Axis::Number };
    let mut picture = TimelinePicture::new(of, axis);
    picture.rows();
    picture.boxes();
    picture.arrows();
    picture.marks(contents);
    picture.finish(&contents.title)
}

struct TimelinePicture<'p> {
    of: &'p PageTrace,
    axis: Axis,
    lanes: Vec<PlacedLane>,
    height: u32,
    body: String,
}

impl<'p> TimelinePicture<'p> {
    fn new(of: &'p PageTrace, axis: Axis) -> TimelinePicture<'p> {
        let mut lanes: Vec<PlacedLane> = Vec::new();
        let mut top = MARGIN + LANE;
        let mut row = None;
        for lane in &of.timeline.layout(axis).lanes {
            if lane.row as usize >= MOST_ROWS || lane.number as usize >= MOST_LANES {
                continue;
            }
            if row.is_some_and(|row| row != lane.row) {
                top += LANE / 2;
            }
            row = Some(lane.row);
            lanes.push(PlacedLane { lane: *lane, top });
            top += LANE;
        }
        TimelinePicture { of, axis, lanes, height: top + LANE + MARGIN, body: String::new() }
    }

    /// The horizontal place of a position.
    fn x(&self, position: u64) -> f64 {
        let length = self.of.timeline.length(self.axis).max(1) as f64;
        f64::from(LABELS) + position as f64 / length * f64::from(WIDTH - LABELS - MARGIN)
    }

    /// The labels of the rows, with a line above each.
    fn rows(&mut self) {
        let mut row = None;
        for placed in &self.lanes {
            if row == Some(placed.lane.row) {
                continue;
            }
            row = Some(placed.lane.row);
            let of = &self.of.timeline.rows[placed.lane.row as usize];
            let name = match &of.group {
                Some(group) if of.label == "events" => group.clone(),
                _ => of.label.clone(),
            };
            let most = ((LABELS - 2 * MARGIN) as f64 / LETTER) as usize;
            let (line, text) = (placed.top - 2, placed.top + LANE - 5);
            writeln!(
                self.body,
                r##"<path d="M0,{line} H{WIDTH}" stroke="#ccc"/><text x="{MARGIN}" y="{text}">{}</text>"##,
                Escaped(&cut(&name, most))
            )
            .expect(A_STRING);
        }
    }

    fn boxes(&mut self) {
        let timeline = &self.of.timeline;
        let layout = timeline.layout(self.axis);
        let part =
            TilePart { axis: self.axis, from: 0, to: timeline.length(self.axis), n_columns: (WIDTH - LABELS) / 2 };
        let mut titles = Titles::new(timeline);
        let mut body = String::new();
        for placed in &self.lanes {
            each_drawn(timeline, &placed.lane, &part, |drawn| {
                let slice_flags = layout.flags[drawn.slice as usize];
                let name = titles.of(layout.event_of(drawn.slice), slice_flags);
                self.slice(&mut body, placed.top, &drawn, (name, &titles.names[name]), slice_flags);
            });
        }
        self.body.push_str(&body);
    }

    fn slice(&self, body: &mut String, top: u32, drawn: &DrawnSlice, (number, name): (usize, &str), slice_flags: u8) {
        let (left, right) = (self.x(drawn.start), self.x(drawn.end));
        let (height, bottom) = (LANE - 3, top + LANE - 3);
        let is_instant = slice_flags & flags::INSTANT != 0;
        let (failed, stroke) = match slice_flags & flags::FAILED != 0 {
            true => ("failed: ", "#c00"),
            false => ("", if is_instant { "#777" } else { "#555" }),
        };
        let title = match drawn.count {
            1 => format!("{failed}{name}"),
            count => format!("{failed}{name} and {} more", count - 1),
        };
        if is_instant {
            writeln!(
                body,
                r##"<path d="M{left:.1},{top} V{bottom}" stroke="{stroke}"><title>{}</title></path>"##,
                Escaped(&title)
            )
            .expect(A_STRING);
            return;
        }
        let width = (right - left).max(1.5);
        let dashes =
            if slice_flags & (flags::NO_END | flags::NO_BEGINNING) != 0 { r#" stroke-dasharray="3,2""# } else { "" };
        let fill = FILLS[number % FILLS.len()];
        write!(
            body,
            r#"<rect x="{left:.1}" y="{top}" width="{width:.1}" height="{height}" fill="{fill}" stroke="{stroke}"{dashes}><title>{}</title></rect>"#,
            Escaped(&title)
        )
        .expect(A_STRING);
        let n_letters = ((width - 6.0) / LETTER) as usize;
        if drawn.count == 1 && n_letters >= 2 {
            let (x, y) = (left + 3.0, top + LANE - 6);
            let label = if failed.is_empty() { cut(name, n_letters) } else { cut(&format!("✕ {name}"), n_letters) };
            write!(body, r#"<text x="{x:.1}" y="{y}">{}</text>"#, Escaped(&label)).expect(A_STRING);
        }
        body.push('\n');
    }

    /// The point at which an event is drawn, if its lane is.
    fn point(&self, event: u32) -> Option<(f64, u32)> {
        let (lane, _) = self.of.timeline.slice_of(self.axis, event)?;
        let placed = self.lanes.iter().find(|placed| placed.lane == lane)?;
        let half = if self.axis == Axis::Number { 0.5 } else { 0.0 };
        let x = self.x(self.of.timeline.position(self.axis, event));
        let step = self.x(1) - self.x(0);
        Some((x + half * step, placed.top + LANE / 2 - 1))
    }

    fn arrows(&mut self) {
        let (all, _) = self.of.arrows().some(|_| true);
        for arrow in all.into_iter().take(MOST_ARROWS) {
            let (Some((x1, y1)), Some((x2, y2))) = (self.point(arrow.from), self.point(arrow.to)) else { continue };
            let kind = Escaped(arrow.kind);
            writeln!(
                self.body,
                r##"<path d="M{x1:.1},{y1} L{x2:.1},{y2}" stroke="#06c" marker-end="url(#end)"><title>{kind}</title></path>"##
            )
            .expect(A_STRING);
        }
    }

    /// A mark at each witness and each answer.
    fn marks(&mut self, contents: &PageContents) {
        let witnesses = contents.verdicts.iter().flat_map(|verdict| &verdict.witnesses);
        let witnesses =
            witnesses.filter(|witness| witness.trace == self.of.index).map(|witness| (witness.event, "#c00"));
        let answers = contents.layers.iter().flat_map(|layer| &layer.rows).flat_map(|row| &row.events);
        let answers = answers.filter(|event| event.trace == self.of.index).map(|event| (event.number, "#000"));
        let mut marks = String::new();
        for (number, color) in witnesses.chain(answers) {
            let event = self.of.timeline.trace.find_chrono(number);
            let Some((x, y)) = event.and_then(|event| self.point(event)) else { continue };
            writeln!(
                marks,
                r#"<path d="M{x:.1},{y} l-4,-7 h8 z" fill="{color}" stroke="white"><title>event {number}</title></path>"#
            )
            .expect(A_STRING);
        }
        self.body.push_str(&marks);
    }

    fn finish(self, title: &str) -> String {
        let length = self.of.timeline.length(self.axis);
        let unit = match (self.axis, self.of.timeline.times()) {
            (Axis::Time, Some(times)) => format!("{length} {}", times.unit),
            _ => format!("{length} events"),
        };
        let (height, bottom, right) = (self.height, self.height - MARGIN, WIDTH - MARGIN);
        let lost = self.of.timeline.layout(self.axis).lanes.len() - self.lanes.len();
        let lost = if lost == 0 { String::new() } else { format!("; {lost} deeper lanes are left out") };
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" "#,
                r#"font-family="monospace" font-size="10" fill="black">"#,
                "\n<title>{title}</title>\n",
                r#"<defs><marker id="end" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto">"#,
                r##"<path d="M0,0 L6,3 L0,6 z" fill="#06c"/></marker></defs>"##,
                "\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n",
                r#"<text x="{m}" y="{y}">{title}</text><text x="{r}" y="{b}" text-anchor="end">{unit}{lost}</text>"#,
                "\n{body}</svg>\n"
            ),
            w = WIDTH,
            h = height,
            title = Escaped(title),
            m = MARGIN,
            y = MARGIN + 10,
            r = right,
            b = bottom,
            unit = unit,
            lost = lost,
            body = self.body
        )
    }
}

/// The first letters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_string(),
    }
}
