//! The picture of a sequence chart: who sent which message to whom, one below the other.

use std::cmp::Reverse;

use serde_json::json;

use super::arrows::EventArrow;
use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::place::Place;
use super::rows::TimelineRow;
use super::slices::flags;
use super::svg::cut;
use super::timeline::{Timeline, Titles};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "sequence", is_of_event: true, make };

/// The most actors, those with most messages, and the most messages between them.
const MOST_ACTORS: usize = 12;
const MOST_MESSAGES: usize = 300;
/// The most characters of a name or a message.
const MOST_LETTERS: usize = 200;

/// An arrow from one row to another.
#[derive(Clone, Copy)]
struct ActorMessage {
    from: usize,
    to: usize,
    arrow: EventArrow,
}

/// With an event, the messages are those from there on.
fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let of = request.of();
    let timeline = &of.timeline;
    let start = request.event.unwrap_or(0);
    let row = |event| Place::of(timeline, event).row as usize;
    let arrows = of.arrows().all().iter().filter(|arrow| arrow.from.max(arrow.to) >= start);
    let messages = arrows.map(|arrow| ActorMessage { from: row(arrow.from), to: row(arrow.to), arrow: *arrow });
    let mut messages: Vec<ActorMessage> = messages.filter(|message| message.from != message.to).collect();
    if messages.is_empty() {
        return None;
    }
    let n_messages = messages.len();
    let actors = actors(timeline.rows.len(), &messages);
    let place = |row: usize| actors.iter().position(|actor| *actor == row);
    messages.retain(|message| place(message.from).is_some() && place(message.to).is_some());
    messages.truncate(MOST_MESSAGES);
    let labels = labels(timeline, &messages);
    let names: Vec<String> = actors.iter().map(|actor| name(&timeline.rows, *actor)).collect();
    let number = |event| timeline.trace.chrono(event);
    let drawn = |(message, label): (&ActorMessage, &String)| {
        let ends = (number(message.arrow.from), number(message.arrow.to));
        json!([place(message.from), place(message.to), label, ends.0, ends.1])
    };
    let drawn: Vec<_> = messages.iter().zip(&labels).map(drawn).collect();
    let row = |(message, label): (&ActorMessage, &String)| {
        vec![
            PictureCell::event(number(message.arrow.from)),
            PictureCell::text(name(&timeline.rows, message.from)),
            PictureCell::text(name(&timeline.rows, message.to)),
            PictureCell::text(label),
            PictureCell::event(number(message.arrow.to)),
        ]
    };
    let rows = messages.iter().zip(&labels).map(row).collect();
    let table = PictureTable::new(&["sent", "from", "to", "message", "received"], rows);
    let title = match request.event {
        Some(event) => format!("sequence from event {} on", number(event)),
        None => "sequence".to_string(),
    };
    let data = json!({ "actors": names, "messages": drawn, "more": n_messages - messages.len() });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
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
