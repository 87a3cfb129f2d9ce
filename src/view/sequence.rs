//! The picture of a sequence chart: who sent which message to whom, one below the other. A page holds more messages than it
//! shows at once, and shows those of the range that is chosen on its timeline.

use std::cmp::Reverse;

use indexmap::IndexSet;
use serde_json::{Value, json};

use super::arrows::EventArrow;
use super::picture::{AxisRange, Picture, PictureKind, PictureRequest, PictureScope, PictureTable};
use super::place::Place;
use super::rows::TimelineRow;
use super::slices::flags;
use super::svg::cut;
use super::timeline::{Timeline, Titles};
use crate::trace::EventId;

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "sequence", is_of_event: true, make };

/// The most actors that are shown, those with most messages, and the most messages between them.
const MOST_ACTORS: usize = 12;
const MOST_MESSAGES: usize = 300;
/// The most messages that a page holds besides those that it shows first.
const MOST_HELD: usize = 3000;
/// The most characters of a name or a message.
const MOST_LETTERS: usize = 120;

/// An arrow from one row to another.
#[derive(Clone, Copy)]
struct ActorMessage {
    from: usize,
    to: usize,
    arrow: EventArrow,
}

/// With an event, the messages are those from there on; with a range, those that are sent or received there.
fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let of = request.of();
    let timeline = &of.timeline;
    let row = |event| Place::of(timeline, event).row as usize;
    let arrows = of.arrows().all().iter();
    let messages = arrows.map(|arrow| ActorMessage { from: row(arrow.from), to: row(arrow.to), arrow: *arrow });
    let all: Vec<ActorMessage> = messages.filter(|message| message.from != message.to).collect();
    let start = request.event.unwrap_or(0);
    let is_asked = |message: &ActorMessage| {
        let EventArrow { from, to, .. } = message.arrow;
        from.max(to) >= start && request.range.is_none_or(|range| is_within(timeline, range, message.arrow))
    };
    let asked: Vec<ActorMessage> = all.iter().copied().filter(is_asked).collect();
    if asked.is_empty() {
        return None;
    }
    let actors = actors(timeline.rows.len(), &asked);
    let is_between = |message: &&ActorMessage| actors.contains(&message.from) && actors.contains(&message.to);
    let shown: Vec<ActorMessage> = asked.iter().filter(is_between).take(MOST_MESSAGES).copied().collect();
    let number = |event| timeline.trace.chrono(event);
    let more = asked.len() - shown.len();
    let (held, until) = match request.scope {
        PictureScope::Asked => (shown, None),
        PictureScope::Page => {
            let mut held: Vec<ActorMessage> = all.iter().take(MOST_HELD).copied().collect();
            let until = all.get(MOST_HELD).map(|message| message.arrow.from);
            held.extend(shown.iter().filter(|message| until.is_some_and(|until| message.arrow.from >= until)));
            (held, until)
        }
    };
    let mut data = data(timeline, &held, &actors);
    data["more"] = json!(more);
    data["start"] = json!(request.event.map(number));
    data["until"] = json!(until.map(|event| positions(timeline, event)));
    // the page makes the table of the messages that it shows
    let table = PictureTable::new(&[], Vec::new());
    Some(Picture { kind: KIND.name, title: KIND.name.to_string(), trace: request.trace, table, data })
}

fn is_within(timeline: &Timeline, range: AxisRange, arrow: EventArrow) -> bool {
    let is_within = |event| (range.from..range.to).contains(&timeline.position(range.axis, event));
    is_within(arrow.from) || is_within(arrow.to)
}

/// The positions of an event on the axes that the trace has.
fn positions(timeline: &Timeline, event: EventId) -> Vec<u64> {
    timeline.axes().map(|axis| timeline.position(axis, event)).collect()
}

/// What the page draws: the names of all actors and labels, which of the actors are shown, and the messages:
/// `[from, to, label, sent, received, positions when sent, positions when received]`.
fn data(timeline: &Timeline, messages: &[ActorMessage], shown: &[usize]) -> Value {
    let mut rows: Vec<usize> = messages.iter().flat_map(|message| [message.from, message.to]).collect();
    rows.sort_unstable();
    rows.dedup();
    let place = |row: &usize| rows.binary_search(row).ok();
    let mut labels: IndexSet<String> = IndexSet::new();
    let number = |event| timeline.trace.chrono(event);
    let held: Vec<Value> = messages
        .iter()
        .zip(self::labels(timeline, messages))
        .map(|(message, label)| {
            let EventArrow { from, to, .. } = message.arrow;
            json!([
                place(&message.from),
                place(&message.to),
                labels.insert_full(label).0,
                number(from),
                number(to),
                positions(timeline, from),
                positions(timeline, to),
            ])
        })
        .collect();
    json!({
        "actors": rows.iter().map(|row| name(&timeline.rows, *row)).collect::<Vec<_>>(),
        "shown": shown.iter().filter_map(place).collect::<Vec<_>>(),
        "labels": Vec::from_iter(labels),
        "messages": held,
    })
}

/// The rows with most messages, in the order of rows.
fn actors(n_rows: usize, messages: &[ActorMessage]) -> Vec<usize> {
    let mut counts = vec![0_usize; n_rows];
    for message in messages {
        counts[message.from] += 1;
        counts[message.to] += 1;
    }
    let mut actors: Vec<usize> = (0..n_rows).filter(|row| counts[*row] > 0).collect();
    actors.sort_by_key(|row| Reverse(counts[*row]));
    actors.truncate(MOST_ACTORS);
    actors.sort_unstable();
    actors
}

/// What is written on each message: the label of the event that sends it.
fn labels(timeline: &Timeline, messages: &[ActorMessage]) -> Vec<String> {
    let mut titles = Titles::new(timeline);
    let numbers: Vec<usize> = messages.iter().map(|message| titles.of(message.arrow.from, flags::INSTANT)).collect();
    numbers
        .into_iter()
        .map(|number| titles.names.get_index(number).map_or(String::new(), |title| cut(title, MOST_LETTERS)))
        .collect()
}

/// The name of a row; with its group if others have the same label.
fn name(rows: &[TimelineRow], row: usize) -> String {
    let TimelineRow { label, group, .. } = &rows[row];
    let is_shared = rows.iter().filter(|other| other.label == *label).count() > 1;
    match group.as_ref().filter(|_| is_shared || label.is_empty()) {
        Some(group) => cut(&format!("{group} {label}"), MOST_LETTERS),
        None => cut(label, MOST_LETTERS),
    }
}
