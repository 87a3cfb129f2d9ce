//! How traces of a format are drawn: what their tracks are, which time they have, and where arrows go.

/// Texts and the attributes that follow them: `[("vm ", "vm")]` is `vm 2`. A part whose attribute an event lacks is
/// left out.
pub(crate) type EventLabel = &'static [(&'static str, &'static str)];

/// How traces of a format are drawn.
pub(crate) struct Drawing {
    /// Attributes by which a trace is recognised that was converted to another format; empty if it is not recognised.
    pub(crate) known_by: &'static [&'static str],
    /// The process of an event; the file, if this label is empty.
    pub(crate) process: EventLabel,
    /// Its thread.
    pub(crate) thread: EventLabel,
    /// Boxes with tracks of their own, because they do not nest with the others.
    pub(crate) aside: &'static [Aside],
    /// The label of a box.
    pub(crate) boxed: EventLabel,
    /// The label of an event inside a box.
    pub(crate) instant: EventLabel,
    /// The attribute with the time, and its units per microsecond.
    pub(crate) time: Option<(&'static str, i64)>,
    /// Whether boxes are slices.
    pub(crate) boxes: Boxes,
    /// Whether boxes of a thread may overlap.
    pub(crate) order: BoxOrder,
    /// Ports that open a box when they are its first event, and are events inside it later.
    pub(crate) opening: &'static [&'static str],
    /// Ports whose boxes last until the next event of the thread outside them, because no event ends them.
    pub(crate) waiting: &'static [&'static str],
    /// Ports that end the box that encloses their own.
    pub(crate) ending: &'static [&'static str],
    /// The arrows.
    pub(crate) flows: &'static [Flow],
}

/// Whether boxes are drawn as slices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boxes {
    /// Boxes are slices.
    Slices,
    /// The events of a box are on several tracks, and each is drawn separately.
    Apart,
}

/// How boxes of one thread follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoxOrder {
    /// Each box ends before the one that encloses it.
    Nested,
    /// Boxes may overlap, as those of coroutines: then one gets a track beside that of the thread.
    Free,
}

/// Boxes that have tracks of their own.
pub(crate) struct Aside {
    /// The ports of their events.
    pub(crate) ports: &'static [&'static str],
    /// The name of the track.
    pub(crate) name: &'static str,
    /// Whether each thread has such a track.
    pub(crate) whose: Whose,
}

/// Whether each thread or the process has such a track.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Each thread.
    Thread,
    /// The process.
    Process,
}

/// Arrows that end at some events.
pub(crate) struct Flow {
    /// Their name.
    pub(crate) name: &'static str,
    /// The ports of the events at which they end.
    pub(crate) ports: &'static [&'static str],
    /// An attribute and its value that these events must have.
    pub(crate) only: Option<(&'static str, &'static str)>,
    /// Where the arrow to an event starts.
    pub(crate) source: ArrowStart,
}

/// Where an arrow starts.
pub(crate) enum ArrowStart {
    /// At the event whose number is the value of this attribute.
    Chrono(&'static str),
    /// At the first event of the call whose number is the value of this attribute.
    CallStart(&'static str),
    /// At the first event whose second attribute has the value of this event's first one.
    Same(&'static str, &'static str),
    /// At the previous event of its call.
    Before,
}

/// How the drawing of a format's traces is found.
#[derive(Clone, Copy)]
pub(crate) enum Draw {
    /// It is always this one.
    Always(&'static Drawing),
    /// It is the drawing of the format from which the trace was converted, as its attributes show.
    ByAttributes {
        /// The drawing of other traces that have times.
        timed: &'static Drawing,
        /// The drawing of other traces.
        timeless: &'static Drawing,
    },
}

impl Drawing {
    /// Mercury, and every trace without a drawing of its own: one track, with the number of the event as time.
    pub(crate) const ONE_TRACK: Drawing = Drawing {
        known_by: &[],
        process: &[],
        thread: &[],
        aside: &[],
        boxed: &[("", "name")],
        instant: &[("", "port")],
        time: None,
        boxes: Boxes::Slices,
        order: BoxOrder::Nested,
        opening: &[],
        waiting: &[],
        ending: &[],
        flows: &[],
    };
}
