//! How traces of each format are drawn: what their tracks are, which time they have, and where arrows go.

use crate::formats::FORMATS;
use crate::trace::{PortSet, Trace};

/// Texts and the attributes behind them: `[("vm ", "vm")]` is `vm 2`. A part whose attribute an event lacks is left out.
pub type Label = &'static [(&'static str, &'static str)];

/// How traces of a format are drawn.
pub struct Drawing {
    /// The format.
    pub format: &'static str,
    /// Attributes that tell it in a trace of objects; no trace of objects is told by none.
    pub told_by: &'static [&'static str],
    /// The process in which an event happens; the file, if this gives nothing.
    pub process: Label,
    /// Its thread.
    pub thread: Label,
    /// Boxes that have tracks of their own, as they do not nest with the others.
    pub aside: &'static [Aside],
    /// What a box is called.
    pub boxed: Label,
    /// What an event inside of a box is called.
    pub instant: Label,
    /// The attribute with the time, and how many of its units are a microsecond.
    pub time: Option<(&'static str, i64)>,
    /// Whether boxes are slices.
    pub boxes: Boxes,
    /// Whether boxes of a thread may be open at once without one being inside of the other.
    pub order: Order,
    /// Ports that open a box when they are its first event, and stand inside of it later.
    pub opening: &'static [&'static str],
    /// Ports whose boxes last until the next event of the thread outside of them, as no event ends them.
    pub waiting: &'static [&'static str],
    /// Ports that end the box around their own.
    pub ending: &'static [&'static str],
    /// The arrows.
    pub flows: &'static [Flow],
}

/// Whether boxes are drawn as slices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Boxes {
    /// They are.
    Slices,
    /// Their events happen on several tracks, and each stands for itself.
    Apart,
}

/// How boxes of one thread follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each ends before the one around it.
    Nested,
    /// They may overlap, as those of coroutines: then one has a track beside that of the thread.
    Free,
}

/// Boxes that have tracks of their own.
pub struct Aside {
    /// The ports of their events.
    pub ports: &'static [&'static str],
    /// What the track is called.
    pub name: &'static str,
    /// Whose they are.
    pub whose: Whose,
}

/// Whether there is a track of a kind for each thread or one for the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Thread,
    Process,
}

/// Arrows that end at some events.
pub struct Flow {
    /// What they are called.
    pub name: &'static str,
    /// The ports of the events at which they end.
    pub ports: &'static [&'static str],
    /// What these events must have.
    pub only: Option<(&'static str, &'static str)>,
    /// Where the arrow to an event starts.
    pub source: Source,
}

/// Where an arrow starts.
pub enum Source {
    /// At the event whose number is the value of this attribute.
    Chrono(&'static str),
    /// At the first event of the call whose number is the value of this attribute.
    CallStart(&'static str),
    /// At the first event that has for the second attribute the value of the first.
    Same(&'static str, &'static str),
    /// At the event before it in its own call.
    Before,
}

/// Mercury, and whatever is not known better: one track, time is the number of the event.
const ONE_TRACK: Drawing = Drawing {
    format: "",
    told_by: &[],
    process: &[],
    thread: &[],
    aside: &[],
    boxed: &[("", "name")],
    instant: &[("", "port")],
    time: None,
    boxes: Boxes::Slices,
    order: Order::Nested,
    opening: &[],
    waiting: &[],
    ending: &[],
    flows: &[],
};

/// Traces of objects, with what they tell of processes, threads and time.
const OBJECTS: Drawing = Drawing {
    process: &[("process ", "pid")],
    thread: &[("thread ", "thread"), ("thread ", "tid")],
    time: Some(("time", 1000)),
    order: Order::Free,
    ..ONE_TRACK
};

/// The same for a trace without times: time is the number of the event.
const TIMELESS_OBJECTS: Drawing = Drawing { time: None, ..OBJECTS };

/// The formats that have more than that.
const DRAWINGS: &[Drawing] = &[
    Drawing {
        format: "mpd",
        told_by: &["vm", "inc"],
        process: &[("vm ", "vm")],
        thread: &[("", "pid"), ("#", "inc")],
        boxed: &[("", "port"), (" ", "name")],
        opening: &["in"],
        waiting: &["call"],
        flows: &[Flow {
            name: "invocation",
            ports: &["proc", "arm"],
            only: None,
            source: Source::Same("serves", "inv"),
        }],
        ..ONE_TRACK
    },
    Drawing {
        format: "visandor",
        told_by: &["agent", "wam"],
        thread: &[("agent ", "agent")],
        aside: &[
            Aside { ports: &["start_time", "stop_time"], name: "run", whose: Whose::Process },
            Aside { ports: &["agent_busy", "agent_idle"], name: "busy", whose: Whose::Thread },
        ],
        boxed: &[("", "name"), (" n", "inst"), (".", "branch")],
        time: Some(("time", 1)),
        ending: &["make_public"],
        flows: &[
            Flow {
                name: "steal",
                ports: &["start_goal"],
                only: Some(("thief", "true")),
                source: Source::CallStart("father"),
            },
            Flow { name: "resume", ports: &["resume_branch"], only: None, source: Source::Before },
        ],
        ..ONE_TRACK
    },
    Drawing {
        format: "seqtrace",
        told_by: &["label", "cur"],
        process: &[("", "node")],
        thread: &[("", "pid")],
        time: Some(("time", 1000)),
        boxes: Boxes::Apart,
        flows: &[Flow { name: "message", ports: &["receive"], only: None, source: Source::Chrono("match") }],
        ..ONE_TRACK
    },
    Drawing {
        format: "posix",
        told_by: &["tid", "trunc"],
        process: &[("process ", "pid")],
        thread: &[("thread ", "tid")],
        aside: &[
            Aside { ports: &["start", "stop"], name: "running", whose: Whose::Process },
            Aside { ports: &["overflow", "resume"], name: "overflow", whose: Whose::Process },
            Aside { ports: &["flush_start", "flush_stop"], name: "flush", whose: Whose::Process },
        ],
        instant: &[("", "name")],
        time: Some(("time", 1000)),
        ..ONE_TRACK
    },
];

impl Drawing {
    /// How a trace is drawn.
    pub fn of(trace: &Trace) -> &'static Drawing {
        let has = |name: &&str| trace.schema().find(name).is_some_and(|id| trace.schema().has(id));
        let is_of = |drawing: &&Drawing| match trace.origin().format {
            "jsonl" => drawing.told_by.iter().all(has),
            format => drawing.format == format,
        };
        let of_objects = if has(&"time") { &OBJECTS } else { &TIMELESS_OBJECTS };
        let default = if trace.origin().format == "jsonl" { of_objects } else { &ONE_TRACK };
        DRAWINGS.iter().find(is_of).unwrap_or(default)
    }

    /// The ports of its format, also if the trace was read from objects.
    pub fn ports(&self, trace: &Trace) -> PortSet {
        FORMATS.iter().find(|format| format.name == self.format).map_or(trace.origin().ports, |format| format.ports)
    }
}
