//! The tracks of a picture, the slices open on them, and the time of events.

use std::fmt::Write;

use indexmap::IndexMap;

use crate::formats::drawing::{Drawing, EventLabel, Whose};
use crate::term::hash::RandomState;
use crate::trace::{AttributeId, CallId, EventId, Trace, Value};

/// The tracks so far, each with its open slices and its current time.
pub(crate) struct Tracks<'t> {
    trace: &'t Trace,
    drawing: &'static Drawing,
    /// The labels of the drawing with the numbers of their attributes.
    process: ResolvedAttributes,
    thread: ResolvedAttributes,
    boxed: ResolvedAttributes,
    instant: ResolvedAttributes,
    /// The name of the process, for a format without processes.
    file: String,
    processes: IndexMap<String, (), RandomState>,
    tracks: IndexMap<(usize, String), Track, RandomState>,
}

type ResolvedAttributes = Vec<(&'static str, AttributeId)>;

#[derive(Default)]
struct Track {
    open: Vec<CallId>,
    now: i64,
    /// The track beside which it is.
    beside: Option<usize>,
}

impl<'t> Tracks<'t> {
    /// No tracks yet.
    pub(crate) fn new(trace: &'t Trace, drawing: &'static Drawing) -> Tracks<'t> {
        let file = trace.origin().path.file_name().map_or("trace".into(), |name| name.to_string_lossy());
        Tracks {
            trace,
            drawing,
            process: resolved(trace, drawing.process),
            thread: resolved(trace, drawing.thread),
            boxed: resolved(trace, drawing.boxed),
            instant: resolved(trace, drawing.instant),
            file: file.into_owned(),
            processes: IndexMap::default(),
            tracks: IndexMap::default(),
        }
    }

    /// The number of tracks.
    pub(crate) fn len(&self) -> usize {
        self.tracks.len()
    }

    /// The track of an event; a new one if there is none yet.
    pub(crate) fn of(&mut self, event: EventId) -> usize {
        let mut process = text(self.trace, &self.process, event);
        if process.is_empty() {
            process.push_str(&self.file);
        }
        let process = self.processes.insert_full(process, ()).0;
        let port = self.trace.port(event);
        let is_aside = |ports: &[&str]| port.is_some_and(|port| ports.contains(&port.as_str()));
        let thread = match self.drawing.aside.iter().find(|aside| is_aside(aside.ports)) {
            Some(aside) if aside.whose == Whose::Process => aside.name.to_owned(),
            Some(aside) => format!("{} {}", text(self.trace, &self.thread, event), aside.name),
            None => text(self.trace, &self.thread, event),
        };
        let entry = self.tracks.entry((process, thread));
        let index = entry.index();
        entry.or_default();
        index
    }

    /// The track with a number beside `track`, for boxes that do not nest; a new one if there is none yet.
    pub(crate) fn beside(&mut self, track: usize, number: usize) -> usize {
        let Some(((process, thread), _)) = self.tracks.get_index(track) else { return track };
        let name = if thread.is_empty() { "events" } else { thread };
        let entry = self.tracks.entry((*process, format!("{name} ({number})")));
        let index = entry.index();
        entry.or_default().beside = Some(track);
        index
    }

    /// The track beside which a track is, or itself.
    pub(crate) fn home(&self, track: usize) -> usize {
        self.tracks[track].beside.unwrap_or(track)
    }

    /// The numbers of the process and of the thread.
    pub(crate) fn ids(&self, track: usize) -> (usize, usize) {
        self.tracks.get_index(track).map_or((0, 0), |((process, _), _)| (process + 1, track + 1))
    }

    /// The name of the process of a track.
    pub(crate) fn process(&self, track: usize) -> &str {
        let process = self.tracks.get_index(track).map_or(0, |((process, _), _)| *process);
        self.processes.get_index(process).map_or("", |(name, ())| name)
    }

    /// The name of a track.
    pub(crate) fn thread(&self, track: usize) -> &str {
        let name = self.tracks.get_index(track).map_or("", |((_, thread), _)| thread);
        if name.is_empty() { "events" } else { name }
    }

    /// The time up to which a track is drawn.
    pub(crate) fn now(&self, track: usize) -> i64 {
        self.tracks[track].now
    }

    /// Draws a track up to a time.
    pub(crate) fn set_now(&mut self, track: usize, now: i64) {
        self.tracks[track].now = now;
    }

    /// Begins a slice.
    pub(crate) fn push(&mut self, track: usize, call: CallId) {
        self.tracks[track].open.push(call);
    }

    /// Ends the innermost slice.
    pub(crate) fn pop(&mut self, track: usize) -> Option<CallId> {
        self.tracks[track].open.pop()
    }

    /// The innermost slice.
    pub(crate) fn top(&self, track: usize) -> Option<CallId> {
        self.tracks[track].open.last().copied()
    }

    /// The outermost slice.
    pub(crate) fn bottom(&self, track: usize) -> Option<CallId> {
        self.tracks[track].open.first().copied()
    }

    /// The title of the box of an event.
    pub(crate) fn box_title(&self, event: EventId) -> String {
        self.title(&self.boxed, event)
    }

    /// The title of an event inside a box.
    pub(crate) fn instant_title(&self, event: EventId) -> String {
        self.title(&self.instant, event)
    }

    /// The text of a label, or the port if that text is empty.
    fn title(&self, label: &ResolvedAttributes, event: EventId) -> String {
        let title = text(self.trace, label, event);
        if !title.is_empty() {
            return title;
        }
        self.trace.port(event).map_or("event", |port| port.as_str()).to_owned()
    }
}

fn resolved(trace: &Trace, label: EventLabel) -> ResolvedAttributes {
    label.iter().filter_map(|(before, name)| Some((*before, trace.schema().find(name)?))).collect()
}

fn text(trace: &Trace, label: &ResolvedAttributes, event: EventId) -> String {
    let mut text = String::new();
    for (before, id) in label {
        let value = trace.value(event, *id);
        let written = match value {
            Value::Int(number) => write!(text, "{before}{number}"),
            Value::Atom(name) => write!(text, "{before}{}", name.as_str()),
            Value::Text(words) | Value::Term(words) => write!(text, "{before}{words}"),
            _ => Ok(()),
        };
        written.expect("writing to a string cannot fail");
    }
    text
}

/// The time of events.
pub(crate) struct Clock {
    attribute: Option<AttributeId>,
    /// The number of units in a microsecond.
    units: i64,
    /// The least time, which is subtracted from each so that none is negative.
    base: i64,
    last: i64,
}

impl Clock {
    /// The clock of a trace: the given attribute if the trace has it, otherwise the numbers of the events.
    pub(crate) fn new(trace: &Trace, time: Option<(&str, i64)>) -> Clock {
        let found = time.and_then(|(name, units)| Some((trace.schema().find(name)?, units)));
        let (attribute, units) = found.map_or((None, 1), |(id, units)| (Some(id), units));
        let mut clock = Clock { attribute, units, base: 0, last: 0 };
        let least = (0..trace.n_events()).filter_map(|event| clock.stated(trace, event)).min();
        clock.base = least.map_or(0, |least| least.min(0));
        clock
    }

    /// The time of an event, or that of the previous event if it has none.
    pub(crate) fn at(&mut self, trace: &Trace, event: EventId) -> i64 {
        if let Some(time) = self.time_of(trace, event) {
            self.last = time;
        }
        self.last
    }

    /// The time of an event, if it has one.
    pub(crate) fn time_of(&self, trace: &Trace, event: EventId) -> Option<i64> {
        self.stated(trace, event).map(|time| time.saturating_sub(self.base))
    }

    /// The time of an event, as the trace has it.
    fn stated(&self, trace: &Trace, event: EventId) -> Option<i64> {
        match self.attribute.map(|id| trace.value(event, id)) {
            None => Some(trace.chrono(event)),
            Some(Value::Int(time)) => Some(time),
            Some(_) => None,
        }
    }

    /// The time of the event passed to [`Clock::at`] last.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// A time as text, in microseconds.
    pub(crate) fn written(&self, time: i64) -> String {
        match self.units {
            1 => time.to_string(),
            units => format!("{}.{:03}", time / units, time % units),
        }
    }
}
