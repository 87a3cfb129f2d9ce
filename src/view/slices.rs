//! Slices: the stretches in which boxes are active, and the instants between them, each on a row, found in one pass over
//! the events.
//!
//! A box that is left and entered again has several slices. On a row whose boxes nest, a slice lies on the lane below the
//! slices that are open when it begins; the end of a box ends those inside it, which is the only end of a box that a cut
//! or an exception leaves. On other rows `lanes` finds a lane for each slice later.

use crate::formats::drawing::{BoxOrder, Boxes, Drawing};
use crate::output::drawing_of;
use crate::trace::{AttributeId, CallId, Combinations, EventId, PortRole, Trace, Value};

use super::rows::{RowId, Rows};

/// Facts about a slice, one bit each.
pub(crate) mod flags {
    /// The box failed, or was left by an exception or with an error.
    pub(crate) const FAILED: u8 = 1;
    /// No event ends it.
    pub(crate) const NO_END: u8 = 2;
    /// No event begins it.
    pub(crate) const NO_BEGINNING: u8 = 4;
    /// It is one event.
    pub(crate) const INSTANT: u8 = 8;
}

/// Stands for no slice and no place.
pub(super) const NONE: u32 = u32::MAX;

/// All slices in the order of their first events, in columns.
#[derive(Default)]
pub(super) struct Slices {
    pub(super) first: Vec<EventId>,
    pub(super) last: Vec<EventId>,
    /// The number of the lane among all lanes, for a row whose boxes nest; otherwise the slice of the parent, or
    /// [`NONE`].
    pub(super) place: Vec<u32>,
    /// The row, for slices without a lane.
    pub(super) row: Vec<RowId>,
    pub(super) flags: Vec<u8>,
    /// The row and the number in it of each lane known so far.
    pub(super) lanes: Vec<(RowId, u32)>,
    /// Whether the slices still need lanes.
    pub(super) are_free: bool,
}

impl Slices {
    /// Gives rows other numbers.
    pub(super) fn rank_rows(&mut self, ranks: &[RowId]) {
        self.row.iter_mut().for_each(|row| *row = ranks[*row as usize]);
        self.lanes.iter_mut().for_each(|(row, _)| *row = ranks[*row as usize]);
    }
}

/// What the events of a key do to their boxes.
#[derive(Clone, Copy)]
struct KeyAction {
    role: KeyRole,
    /// Whether the box lasts until an event outside of it.
    is_waiting: bool,
    /// Whether it ends the box that encloses its own.
    ends_parent: bool,
    /// Whether its port is a failure.
    is_failure: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyRole {
    Opens,
    /// Opens the box if it is its first event.
    OpensFirst,
    Reopens,
    Closes,
    Instant,
}

/// An open slice of a row whose boxes nest.
#[derive(Clone, Copy)]
struct OpenSlice {
    call: CallId,
    slice: u32,
    is_waiting: bool,
}

/// The slices of a trace, and its rows.
pub(super) fn slices(trace: &Trace) -> (Slices, Rows<'_>) {
    let (drawing, _) = drawing_of(trace);
    let mut rows = Rows::new(trace, drawing);
    let mut finder = SliceFinder::new(trace, drawing);
    for event in 0..trace.n_events() {
        let row = rows.of(trace, event);
        finder.event(event, row);
    }
    finder.end_all();
    (finder.slices, rows)
}

struct SliceFinder<'t> {
    trace: &'t Trace,
    slices: Slices,
    actions: Vec<KeyAction>,
    errors: ErrorSigns<'t>,
    has_boxes: bool,
    /// The open slice of each call, or [`NONE`].
    open_of: Vec<u32>,
    /// By row: the open slices, the outermost first.
    open: Vec<Vec<OpenSlice>>,
    /// By row: the numbers of its lanes.
    lanes_of: Vec<Vec<u32>>,
    /// By lane: where its last slice ends.
    ends: Vec<EventId>,
}

impl<'t> SliceFinder<'t> {
    fn new(trace: &'t Trace, drawing: &Drawing) -> SliceFinder<'t> {
        let slices = Slices { are_free: drawing.order == BoxOrder::Free, ..Slices::default() };
        SliceFinder {
            trace,
            slices,
            actions: actions(trace, drawing),
            errors: ErrorSigns::new(trace),
            has_boxes: drawing.boxes == Boxes::Slices,
            open_of: vec![NONE; trace.n_calls()],
            open: Vec::new(),
            lanes_of: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn event(&mut self, event: EventId, row: RowId) {
        while self.open.len() <= row as usize {
            self.open.push(Vec::new());
            self.lanes_of.push(Vec::new());
        }
        let action = self.actions[self.trace.key_of(event)];
        let call = self.trace.call(event);
        self.end_waiting(row, event, call);
        if action.ends_parent
            && let Some(parent) = call.and_then(|call| self.trace.parent(call))
        {
            self.close(parent, row, event, 0);
        }
        let failed = if self.is_failure(event, action) { flags::FAILED } else { 0 };
        let Some(call) = call.filter(|_| self.has_boxes) else {
            return self.instant(event, row, None, failed);
        };
        let is_open = self.open_of[call.index()] != NONE;
        let is_first = || self.trace.call_first(call) == event;
        match action.role {
            KeyRole::Opens | KeyRole::Reopens if !is_open => self.open(call, row, event, action),
            KeyRole::OpensFirst if !is_open && is_first() => self.open(call, row, event, action),
            KeyRole::Closes if is_open => self.close(call, row, event, failed),
            KeyRole::Closes if is_first() => self.without_beginning(event, row, failed),
            _ => self.instant(event, row, Some(call), failed),
        }
    }

    fn is_failure(&mut self, event: EventId, action: KeyAction) -> bool {
        action.is_failure || action.role == KeyRole::Closes && self.errors.show(event)
    }

    /// Adds a slice on a lane of a row, or below another slice.
    fn push(&mut self, (first, last): (EventId, EventId), row: RowId, place: u32, flags: u8) -> u32 {
        let slice = self.slices.first.len() as u32;
        self.slices.first.push(first);
        self.slices.last.push(last);
        self.slices.place.push(place);
        self.slices.flags.push(flags);
        if self.slices.are_free {
            self.slices.row.push(row);
        } else {
            self.ends[place as usize] = last;
        }
        slice
    }

    /// The place of the next slice of a row: below what is open, or the slice of the box around it.
    fn place(&mut self, row: RowId, around: Option<CallId>) -> u32 {
        if self.slices.are_free {
            return around.map_or(NONE, |call| self.open_of[call.index()]);
        }
        let open = &mut self.open[row as usize];
        while open.last().is_some_and(|top| self.open_of[top.call.index()] != top.slice) {
            open.pop();
        }
        let depth = open.len();
        let lanes = &mut self.lanes_of[row as usize];
        while lanes.len() <= depth {
            lanes.push(self.slices.lanes.len() as u32);
            self.slices.lanes.push((row, lanes.len() as u32 - 1));
            self.ends.push(NONE);
        }
        lanes[depth]
    }

    fn instant(&mut self, event: EventId, row: RowId, around: Option<CallId>, failed: u8) {
        let place = self.place(row, around);
        self.push((event, event), row, place, flags::INSTANT | failed);
    }

    fn open(&mut self, call: CallId, row: RowId, event: EventId, action: KeyAction) {
        let around = if self.slices.are_free { self.trace.parent(call) } else { None };
        let place = self.place(row, around);
        let slice = self.push((event, event), row, place, flags::NO_END);
        self.open_of[call.index()] = slice;
        if !self.slices.are_free {
            self.open[row as usize].push(OpenSlice { call, slice, is_waiting: action.is_waiting });
        }
    }

    /// The slice of a box that began before the trace or where events were lost: it is drawn from the end of the slice
    /// before it.
    fn without_beginning(&mut self, event: EventId, row: RowId, failed: u8) {
        let flags = flags::NO_BEGINNING | failed;
        if self.slices.are_free {
            self.push((event, event), row, NONE, flags | flags::INSTANT);
            return;
        }
        let place = self.place(row, None);
        let around = self.open[row as usize].last().map_or(0, |open| self.slices.first[open.slice as usize] + 1);
        let before = self.ends[place as usize];
        let first = if before == NONE { around } else { (before + 1).max(around) };
        self.push((first.min(event), event), row, place, flags);
    }

    /// Ends the slice of a call and the slices that began in it.
    fn close(&mut self, call: CallId, row: RowId, event: EventId, failed: u8) {
        let slice = std::mem::replace(&mut self.open_of[call.index()], NONE);
        if slice == NONE {
            return;
        }
        self.end(slice, event);
        self.slices.flags[slice as usize] = self.slices.flags[slice as usize] & !flags::NO_END | failed;
        if self.slices.are_free {
            return;
        }
        let open = &mut self.open[row as usize];
        if !open.iter().rev().any(|open| open.slice == slice) {
            return;
        }
        while let Some(inner) = self.open[row as usize].pop() {
            if inner.slice == slice {
                break;
            }
            self.abandon(inner, event);
        }
    }

    fn end(&mut self, slice: u32, event: EventId) {
        self.slices.last[slice as usize] = event;
        if !self.slices.are_free {
            self.ends[self.slices.place[slice as usize] as usize] = event;
        }
    }

    /// Ends a slice that no event ends.
    fn abandon(&mut self, open: OpenSlice, event: EventId) {
        if self.open_of[open.call.index()] != open.slice {
            return;
        }
        self.open_of[open.call.index()] = NONE;
        self.end(open.slice, event);
        if open.is_waiting {
            self.slices.flags[open.slice as usize] &= !flags::NO_END;
        }
    }

    /// Ends the waiting boxes of a row that an event outside of them follows.
    fn end_waiting(&mut self, row: RowId, event: EventId, call: Option<CallId>) {
        while let Some(top) = self.open[row as usize].last().copied().filter(|top| top.is_waiting) {
            let is_inside =
                |inner: CallId| inner == top.call || self.trace.ancestors(inner).any(|around| around == top.call);
            if call.is_some_and(is_inside) {
                return;
            }
            self.open[row as usize].pop();
            self.abandon(top, event);
        }
    }

    /// Ends what is still open at the last event.
    fn end_all(&mut self) {
        let Some(last) = self.trace.n_events().checked_sub(1) else { return };
        for call in 0..self.open_of.len() {
            if self.open_of[call] != NONE {
                self.end(self.open_of[call], last);
            }
        }
    }
}

/// What the events of each key do.
fn actions(trace: &Trace, drawing: &Drawing) -> Vec<KeyAction> {
    let (ports, failing) = (drawing_of(trace).1, trace.failing_port());
    let action = |event: Option<EventId>| {
        let port = event.and_then(|event| trace.port(event));
        let port = port.as_ref().map_or("", |port| port.as_str());
        let is_waiting = drawing.waiting.contains(&port);
        let role = match ports.find(port).map_or(PortRole::Inside, |port| port.role) {
            PortRole::Opens => KeyRole::Opens,
            PortRole::Reopens => KeyRole::Reopens,
            PortRole::Closes => KeyRole::Closes,
            PortRole::Alone if is_waiting => KeyRole::Opens,
            PortRole::Inside if drawing.opening.contains(&port) => KeyRole::OpensFirst,
            PortRole::Alone | PortRole::Inside => KeyRole::Instant,
        };
        let is_failure = port == "fail" || port == failing;
        KeyAction { role, is_waiting, ends_parent: drawing.ending.contains(&port), is_failure }
    };
    trace.events_of_keys().map(action).collect()
}

/// How events that end boxes show an error: by the status `error` or an error number.
struct ErrorSigns<'t> {
    trace: &'t Trace,
    attributes: Vec<AttributeId>,
    combinations: Combinations<'t>,
    /// By combination of their values, once it is known.
    known: Vec<Option<bool>>,
}

impl<'t> ErrorSigns<'t> {
    fn new(trace: &'t Trace) -> ErrorSigns<'t> {
        let attributes: Vec<AttributeId> =
            ["status", "errno"].iter().filter_map(|name| trace.schema().find(name)).collect();
        ErrorSigns { trace, combinations: Combinations::new(trace, &attributes), attributes, known: Vec::new() }
    }

    fn show(&mut self, event: EventId) -> bool {
        if self.attributes.is_empty() {
            return false;
        }
        let id = self.combinations.id(event) as usize;
        if id >= self.known.len() {
            self.known.resize((id + 1).next_power_of_two(), None);
        }
        let (trace, attributes) = (self.trace, &self.attributes);
        let is_error =
            |attribute: &AttributeId| match (&*trace.schema().get(*attribute).name, trace.value(event, *attribute)) {
                ("status", value) => value.characters() == Some("error"),
                (_, value) => value != Value::Absent,
            };
        *self.known[id].get_or_insert_with(|| attributes.iter().any(is_error))
    }
}
