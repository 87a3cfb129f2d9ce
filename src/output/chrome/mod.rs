//! The trace-event JSON of Chrome, which Perfetto and other viewers open: boxes as slices, one track a thread, other
//! events as instants, messages as arrows.
//!
//! The slices of a track must nest: the end of a box also ends the boxes that began in it, and boxes that are open at
//! the end of the trace end there.
//!
//! The arguments of slices and instants are the attributes of events, as the lines of `jsonl` have them, and the other lines of
//! `jsonl` (the header, what was lost, the trailer) are arguments of records named `papaver`, which viewers ignore.

mod drawings;
mod flows;
mod tracks;

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::json::{self, JsonValue};
use super::jsonl::JsonLines;
use crate::formats::drawing::{BoxOrder, Boxes, Drawing};
use crate::trace::{AttributeId, CallId, EventId, PortRole, PortSet, Trace, Value};
pub(crate) use drawings::{counts_nanoseconds, drawing_of};
use flows::FlowEnd;
pub(crate) use flows::arrows;
use tracks::Clock;
pub(crate) use tracks::Tracks;

/// The most tracks of a thread, for boxes that do not nest.
const MOST_BESIDE: usize = 100;

/// Writes the trace.
pub(crate) fn chrome(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let (drawing, ports) = drawing_of(trace);
    let lines = JsonLines::of(trace);
    let mut picture = Picture {
        trace,
        lines: &lines,
        drawing,
        ports,
        clock: Clock::new(trace, drawing.time),
        tracks: Tracks::new(trace, drawing),
        ends: flows::flow_ends(trace, drawing.flows),
        next_end: 0,
        track_of: vec![None; trace.n_calls()],
        text: String::from("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"),
        is_first: true,
    };
    picture.about(lines.header());
    for event in 0..trace.n_events() {
        lines.gaps_before(event).for_each(|gap| picture.about(gap));
        picture.event(event);
        if picture.text.len() >= super::convert::BLOCK {
            out.write_all(picture.text.as_bytes())?;
            picture.text.clear();
        }
    }
    picture.close_all();
    lines.gaps_at_end().for_each(|gap| picture.about(gap));
    picture.about(lines.trailer());
    picture.text.push_str("\n]}\n");
    out.write_all(picture.text.as_bytes())?;
    out.flush()
}

struct Picture<'t> {
    trace: &'t Trace,
    lines: &'t JsonLines<'t>,
    drawing: &'static Drawing,
    ports: PortSet,
    clock: Clock,
    tracks: Tracks<'t>,
    ends: Vec<FlowEnd>,
    /// The index of the next end of an arrow to draw.
    next_end: usize,
    /// For each call the track on which its slice is open.
    track_of: Vec<Option<usize>>,
    text: String,
    is_first: bool,
}

/// The parts that the objects of events and slices have in common.
#[derive(Clone, Copy)]
struct CommonParts {
    phase: &'static str,
    track: usize,
    time: i64,
    event: Option<EventId>,
}

impl Picture<'_> {
    fn event(&mut self, event: EventId) {
        let n_tracks = self.tracks.len();
        let track = self.tracks.of(event);
        let call = self.trace.call(event);
        let track = if self.drawing.order == BoxOrder::Free { self.free_track(track, event) } else { track };
        (n_tracks..self.tracks.len()).for_each(|track| self.introduce(track));
        let time = self.clock.at(self.trace, event).max(self.tracks.now(track));
        self.tracks.set_now(track, time);
        self.end_waiting(track, time, call);
        let port = self.trace.port(event).map_or("", |port| port.as_str());
        if self.drawing.ending.contains(&port)
            && let Some(parent) = call.and_then(|call| self.trace.parent(call))
        {
            self.close(parent, track, time, None);
        }
        let call = call.filter(|_| self.drawing.boxes == Boxes::Slices);
        match (self.role(port, call, event), call) {
            (PortRole::Opens | PortRole::Reopens, Some(call)) => self.open(call, track, time, event),
            (PortRole::Closes, Some(call)) if self.track_of[call.index()] == Some(track) => {
                self.flow(event, track, time);
                self.close(call, track, time, Some(event));
            }
            _ => self.instant(event, track, time),
        }
    }

    /// A track of the thread of an event: the one on which its call is open, or one on which its slice nests, that of its
    /// parent first.
    fn free_track(&mut self, track: usize, event: EventId) -> usize {
        let Some(call) = self.trace.call(event) else { return track };
        if let Some(open) = self.track_of[call.index()] {
            return open;
        }
        let of_parent = self.trace.parent(call).and_then(|parent| self.track_of[parent.index()]);
        if let Some(around) = of_parent.filter(|around| self.tracks.home(*around) == track)
            && self.takes_in(around, call, event)
        {
            return around;
        }
        let mut beside = track;
        for number in 2..MOST_BESIDE {
            if self.takes_in(beside, call, event) {
                return beside;
            }
            beside = self.tracks.beside(track, number);
        }
        beside
    }

    /// Whether the slice of a call nests in the open slices of a track, which is not drawn beyond its start yet. Ends the
    /// slices there whose calls have no more events.
    fn takes_in(&mut self, track: usize, call: CallId, event: EventId) -> bool {
        if self.clock.time_of(self.trace, event).is_some_and(|time| time < self.tracks.now(track)) {
            return false;
        }
        while let Some(top) = self.tracks.top(track) {
            if self.trace.ancestors(call).any(|around| around == top) {
                return self.trace.call_last(call) <= self.trace.call_last(top);
            }
            if self.trace.call_last(top) >= event {
                return false;
            }
            let time = self.tracks.now(track);
            self.close(top, track, time, None);
        }
        true
    }

    /// The effect of an event on the slice of its call.
    fn role(&self, port: &str, call: Option<CallId>, event: EventId) -> PortRole {
        let is_first = || call.is_some_and(|call| self.trace.call_first(call) == event);
        match self.ports.find(port).map_or(PortRole::Inside, |port| port.role) {
            PortRole::Alone if self.drawing.waiting.contains(&port) => PortRole::Opens,
            PortRole::Inside if self.drawing.opening.contains(&port) && is_first() => PortRole::Opens,
            role => role,
        }
    }

    /// Begins the slice of a call, unless it is open already.
    fn open(&mut self, call: CallId, track: usize, time: i64, event: EventId) {
        if self.track_of[call.index()].is_some() {
            return self.instant(event, track, time);
        }
        self.track_of[call.index()] = Some(track);
        self.tracks.push(track, call);
        let title = self.tracks.box_title(event);
        self.write(CommonParts { phase: "B", track, time, event: Some(event) }, &title);
        self.flow(event, track, time);
    }

    /// Ends the slice of a call and the slices that began in it, if it is open on the track.
    fn close(&mut self, call: CallId, track: usize, time: i64, event: Option<EventId>) {
        if self.track_of[call.index()] != Some(track) {
            return;
        }
        while let Some(top) = self.tracks.pop(track) {
            self.track_of[top.index()] = None;
            let title = self.tracks.box_title(self.trace.call_first(top));
            self.write(CommonParts { phase: "E", track, time, event: event.filter(|_| top == call) }, &title);
            if top == call {
                break;
            }
        }
    }

    /// Ends waiting boxes (those without a closing event) that an event outside of them follows.
    fn end_waiting(&mut self, track: usize, time: i64, call: Option<CallId>) {
        while let Some(top) = self.tracks.top(track).filter(|top| self.is_waiting(*top)) {
            let is_around = |inner: CallId| inner == top || self.trace.ancestors(inner).any(|around| around == top);
            if call.is_some_and(is_around) {
                return;
            }
            self.close(top, track, time, None);
        }
    }

    /// Whether the box of a call has no closing event.
    fn is_waiting(&self, call: CallId) -> bool {
        let port = self.trace.port(self.trace.call_first(call));
        port.is_some_and(|port| self.drawing.waiting.contains(&port.as_str()))
    }

    /// An instant; a slice of zero length if an arrow begins or ends at the event.
    fn instant(&mut self, event: EventId, track: usize, time: i64) {
        let title = self.tracks.instant_title(event);
        let item = CommonParts { phase: "i", track, time, event: Some(event) };
        if self.ends.get(self.next_end).is_none_or(|end| end.event != event) {
            return self.write(item, &title);
        }
        self.write(CommonParts { phase: "B", ..item }, &title);
        self.flow(event, track, time);
        self.write(CommonParts { phase: "E", event: None, ..item }, &title);
    }

    /// The ends of arrows at an event, inside its slice.
    fn flow(&mut self, event: EventId, track: usize, time: i64) {
        while let Some(end) = self.ends.get(self.next_end).copied().filter(|end| end.event == event) {
            self.next_end += 1;
            let phase = if end.is_target { "f" } else { "s" };
            let object = self.object(CommonParts { phase, track, time, event: None }, end.name);
            let bp = end.is_target.then_some("e");
            let text = json::to_string(&ChromeObject { cat: Some("flow"), id: Some(end.id), bp, ..object });
            self.push(&text);
        }
    }

    /// Ends all open slices at the last time.
    fn close_all(&mut self) {
        for track in 0..self.tracks.len() {
            let time = self.clock.last().max(self.tracks.now(track));
            while let Some(outermost) = self.tracks.bottom(track) {
                self.close(outermost, track, time, None);
            }
        }
    }

    /// Writes the names of a track and of its process.
    fn introduce(&mut self, track: usize) {
        let (process, thread) = self.tracks.ids(track);
        let names = [self.tracks.process(track), self.tracks.thread(track)];
        let names = ["process_name", "thread_name"].into_iter().zip(names).map(|(what, name)| {
            let args = Some(Args::Name { name });
            json::to_string(&ChromeObject {
                name: what,
                ph: "M",
                pid: process,
                tid: thread,
                args,
                ..ChromeObject::default()
            })
        });
        let texts: Vec<String> = names.collect();
        texts.iter().for_each(|text| self.push(text));
    }

    /// Writes something about the trace that is no event.
    fn about(&mut self, args: impl Serialize) {
        let args = Some(Args::About(JsonValue::Raw(json::to_string(&args).into())));
        let object = ChromeObject { name: "papaver", ph: "M", pid: 1, tid: 1, args, ..ChromeObject::default() };
        self.push(&json::to_string(&object));
    }

    /// Adds an object.
    fn push(&mut self, object: &str) {
        self.text.push_str(if std::mem::take(&mut self.is_first) { "" } else { ",\n" });
        self.text.push_str(object);
    }

    fn write(&mut self, item: CommonParts, title: &str) {
        let args = item.event.map(|event| Args::Event(self.lines, self.trace, event));
        let text = json::to_string(&ChromeObject { args, ..self.object(item, title) });
        self.push(&text);
    }

    /// An object without arguments.
    fn object<'t>(&self, item: CommonParts, name: &'t str) -> ChromeObject<'t> {
        let (pid, tid) = self.tracks.ids(item.track);
        let ts = Some(JsonValue::Raw(self.clock.written(item.time).into()));
        ChromeObject {
            name,
            ph: item.phase,
            s: (item.phase == "i").then_some("t"),
            pid,
            tid,
            ts,
            ..ChromeObject::default()
        }
    }
}

/// `{"name": "goal n1.1", "ph": "B", "pid": 1, "tid": 3, "ts": 7827, "args": {..}}`
#[derive(Default, Serialize)]
struct ChromeObject<'t> {
    name: &'t str,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    pid: usize,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<JsonValue<'t>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Args<'t>>,
}

/// What an object shows besides its name and position.
#[derive(Serialize)]
#[serde(untagged)]
enum Args<'t> {
    Name {
        name: &'t str,
    },
    #[serde(serialize_with = "attributes")]
    Event(&'t JsonLines<'t>, &'t Trace, EventId),
    About(JsonValue<'t>),
}

/// All attributes of an event.
fn attributes<'t, S: Serializer>(
    lines: &'t JsonLines<'t>,
    trace: &'t Trace,
    event: &EventId,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let values = trace.schema().iter().filter(|(id, _)| *id != AttributeId::PROC);
    let values = values.map(|(id, attribute)| (id, &attribute.name, trace.value(*event, id)));
    let there = values.filter(|(.., value)| *value != Value::Absent);
    serializer.collect_map(there.map(|(id, name, value)| (&**name, lines.value(id, value))))
}

#[cfg(test)]
mod tests;
