//! How traces of a format are drawn: what their tracks are, which time they have, and where arrows go.

/// Texts and the attributes that follow them: `[("vm ", "vm")]` is `vm 2`. A part whose attribute an event lacks is left out.
pub type Label = &'static [(&'static str, &'static str)];

/// How traces of a format are drawn.
pub struct Drawing {
    /// Attributes by which a trace that was converted to another format is recognised; none if it is not.
    pub known_by: &'static [&'static str],
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
    /// One for each thread.
    Thread,
    /// One for the process.
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

/// How the drawing of a format's traces is found.
#[derive(Clone, Copy)]
pub enum Draw {
    /// It is always this one.
    Always(&'static Drawing),
    /// It is that of the format whose attributes the trace has, as it may have been converted from that.
    ByAttributes {
        /// The drawing of other traces that have times.
        timed: &'static Drawing,
        /// The drawing of other traces.
        timeless: &'static Drawing,
    },
}

impl Drawing {
    /// Mercury, and whatever is not known better: one track, time is the number of the event.
    pub const ONE_TRACK: Drawing = Drawing {
        known_by: &[],
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
}
