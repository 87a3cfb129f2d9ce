//! The boxes of each thread: which call an event belongs to, how deep it lies, and which box is around it.

use std::collections::VecDeque;

use super::calls::{ByCall, CallNumbering};
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, Field, PortRole, TraceBuilder};

/// What an event states about its box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatedBox<'t> {
    pub(crate) role: BoxRole,
    pub(crate) call: Option<i64>,
    pub(crate) parent: Option<i64>,
    pub(crate) depth: Option<i64>,
    /// A hash that distinguishes its procedure; none if it has none.
    pub(crate) proc: Option<u64>,
    pub(crate) arity: Option<i64>,
    /// Where it happened, in one text.
    pub(crate) thread: &'t str,
}

/// What an event does to its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BoxRole {
    Opens,
    Reopens,
    Closes,
    #[default]
    Point,
}

impl From<PortRole> for BoxRole {
    fn from(role: PortRole) -> BoxRole {
        match role {
            PortRole::Opens => BoxRole::Opens,
            PortRole::Reopens => BoxRole::Reopens,
            PortRole::Closes => BoxRole::Closes,
            PortRole::Inside | PortRole::Alone => BoxRole::Point,
        }
    }
}

/// The box that was found for an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BoxPosition {
    pub(crate) call: Option<i64>,
    pub(crate) depth: Option<i64>,
    /// The arity of the first event of the box, if this is another one.
    pub(crate) arity_of_call: Option<i64>,
    /// The depth of the first event of the box, if this event states another.
    pub(crate) depth_of_call: Option<i64>,
}

/// An open box on the stack of its thread, or one that exited.
#[derive(Clone, Copy, Debug)]
struct StackedBox {
    call: i64,
    depth: i64,
    proc: Option<u64>,
}

/// What is kept of every call.
#[derive(Clone, Copy, Debug, Default)]
struct KnownCall {
    depth: i32,
    arity: i32,
    /// The hash of its procedure, shortened.
    proc: u32,
    /// The thread on whose stack it is, and 0 for none.
    open_in: u32,
}

/// A thread.
#[derive(Debug, Default)]
struct ThreadBoxes {
    name: Box<str>,
    open: Vec<StackedBox>,
    /// Boxes that exited and may be entered again, the latest last.
    exited: VecDeque<StackedBox>,
}

/// The boxes of all threads.
#[derive(Default)]
pub(crate) struct JsonBoxes {
    pub(super) numbers: CallNumbering,
    threads: Vec<ThreadBoxes>,
    ids: HashMap<Box<str>, u32>,
    last_thread: usize,
    known: ByCall<KnownCall>,
    /// The box around each box, where there is one, at its first event.
    parents: Vec<(EventId, i64)>,
    states_parents: bool,
    /// Whether nothing is inferred from nesting: calls and depths are those that the events state.
    pub(crate) are_stated: bool,
}

/// No arity is as small.
const NO_ARITY: i32 = i32::MIN;

impl JsonBoxes {
    /// Exited boxes of a thread that are remembered.
    const MOST_EXITED: usize = 1 << 14;

    /// Boxes of which only that is known which the events state.
    pub(crate) fn stated() -> JsonBoxes {
        JsonBoxes { are_stated: true, ..JsonBoxes::default() }
    }

    /// Goes on in place of others, whose events come first in the same trace.
    pub(crate) fn follow(&mut self, others: &mut JsonBoxes) {
        self.parents = std::mem::take(&mut others.parents);
        self.states_parents |= others.states_parents;
        self.are_stated |= others.are_stated;
        *others = std::mem::take(self);
    }

    /// Forgets at which events of a trace boxes began that were handed over.
    pub(crate) fn forget_parents(&mut self) {
        self.parents.clear();
    }

    /// Places the next event, whose row is `event`.
    pub(crate) fn place(&mut self, event: EventId, stated: &StatedBox<'_>) -> BoxPosition {
        if self.are_stated {
            return self.note_parent(event, stated).point(stated);
        }
        let thread = self.thread(stated.thread);
        if stated.role == BoxRole::Opens || (stated.call.is_some() && self.known.get(stated.call).is_none()) {
            return self.begin(event, thread, stated);
        }
        let Some(found) = self.find(thread, stated) else {
            return match stated.role {
                BoxRole::Closes | BoxRole::Reopens => self.begin(event, thread, stated),
                _ => self.note_parent(event, stated).point(stated),
            };
        };
        self.note_parent(event, stated);
        match stated.role {
            BoxRole::Closes => self.close(thread, found, stated.call.is_none()),
            BoxRole::Reopens => self.reopen(thread, found),
            _ => {}
        }
        self.place_in(found, stated)
    }

    /// The parents, if depths do not imply them: some are stated, or there are several threads.
    pub(crate) fn parents(&self) -> Option<&[(EventId, i64)]> {
        (self.states_parents || self.threads.len() > 1).then_some(self.parents.as_slice())
    }

    /// The place of a thread, which is often that of the event before.
    fn thread(&mut self, name: &str) -> usize {
        if self.threads.get(self.last_thread).is_some_and(|thread| *thread.name == *name) {
            return self.last_thread;
        }
        self.last_thread = match self.ids.get(name) {
            Some(thread) => *thread as usize,
            None => {
                self.ids.insert(name.into(), self.threads.len() as u32);
                self.threads.push(ThreadBoxes { name: name.into(), ..ThreadBoxes::default() });
                self.threads.len() - 1
            }
        };
        self.last_thread
    }

    /// The box of an event that does not open one, with what is known of it.
    fn find(&self, thread: usize, stated: &StatedBox<'_>) -> Option<StackedBox> {
        if let Some(call) = stated.call {
            let depth = self.known.get(stated.call).map_or(0, |known| i64::from(known.depth));
            return Some(StackedBox { call, depth, proc: stated.proc });
        }
        let fits = |on_stack: &&StackedBox| {
            stated.proc.is_none_or(|proc| on_stack.proc.is_none_or(|open| open == proc))
                && stated.depth.is_none_or(|depth| depth == on_stack.depth)
        };
        let ThreadBoxes { open, exited, .. } = self.threads.get(thread)?;
        match stated.role {
            BoxRole::Reopens => exited.iter().rev().find(fits).or_else(|| open.iter().rev().find(fits)).copied(),
            BoxRole::Closes => open.iter().rev().find(fits).copied(),
            _ => open.last().copied(),
        }
    }

    /// Opens a new box, or one whose beginning is not in the trace; a box that is opened again stays what it is.
    fn begin(&mut self, event: EventId, thread: usize, stated: &StatedBox<'_>) -> BoxPosition {
        let call = stated.call.unwrap_or_else(|| self.numbers.fresh());
        if let Some(known) = self.known.get(Some(call)) {
            let found = StackedBox { call, depth: i64::from(known.depth), proc: stated.proc };
            self.note_parent(event, stated);
            return self.place_in(found, stated);
        }
        if let Some(depth) = stated.depth {
            self.leave(thread, depth);
        }
        let around = self.threads[thread].open.last().map(|open| (open.call, open.depth));
        let parent = stated.parent.or(around.map(|(call, _)| call));
        let depth_around = stated.parent.map_or(around.map(|(_, depth)| depth), |parent| {
            self.known.get(Some(parent)).map(|known| i64::from(known.depth))
        });
        let depth = stated.depth.unwrap_or_else(|| depth_around.unwrap_or(0).saturating_add(1));
        self.states_parents |= stated.parent.is_some();
        self.parents.extend(parent.map(|parent| (event, parent)));
        let stays_open = match stated.role {
            BoxRole::Closes => false,
            BoxRole::Point => stated.depth.is_some(),
            BoxRole::Opens | BoxRole::Reopens => true,
        };
        let open_in = if stays_open { thread as u32 + 1 } else { 0 };
        let arity = stated.arity.and_then(|arity| i32::try_from(arity).ok()).unwrap_or(NO_ARITY);
        let proc = stated.proc.unwrap_or_default() as u32;
        self.known.insert(call, KnownCall { depth: narrow(depth), arity, proc, open_in });
        if stays_open {
            self.threads[thread].open.push(StackedBox { call, depth, proc: stated.proc });
        }
        BoxPosition { call: Some(call), depth: Some(depth), ..BoxPosition::default() }
    }

    /// Takes the boxes of a depth and below it from a stack: they have ended without an event.
    fn leave(&mut self, thread: usize, depth: i64) {
        let stack = &mut self.threads[thread].open;
        while let Some(ended) = stack.pop_if(|open| open.depth >= depth) {
            self.known.change(ended.call, |known| known.open_in = 0);
        }
    }

    fn place_in(&self, found: StackedBox, stated: &StatedBox<'_>) -> BoxPosition {
        let known = self.known.get(Some(found.call)).copied().unwrap_or_default();
        let is_edge = matches!(stated.role, BoxRole::Closes | BoxRole::Reopens);
        let is_same = stated.proc.is_none_or(|proc| proc as u32 == known.proc);
        let has_other_arity = is_edge && is_same && stated.arity != Some(i64::from(known.arity));
        let depth = i64::from(known.depth);
        BoxPosition {
            call: Some(found.call),
            depth: stated.depth.or(Some(depth)),
            arity_of_call: Some(i64::from(known.arity)).filter(|_| has_other_arity && known.arity != NO_ARITY),
            depth_of_call: Some(depth)
                .filter(|depth| stated.call.is_some() && stated.depth.is_some_and(|stated| stated != *depth)),
        }
    }

    /// Takes a box from the stack on which it is; those above it have ended without an event.
    fn close(&mut self, thread: usize, closed: StackedBox, may_be_reopened_by_name: bool) {
        let open_in = self.known.get(Some(closed.call)).map_or(0, |known| known.open_in);
        if let Some(home) = (open_in as usize).checked_sub(1) {
            while let Some(ended) = self.threads[home].open.pop() {
                self.known.change(ended.call, |known| known.open_in = 0);
                if ended.call == closed.call {
                    break;
                }
            }
        }
        if may_be_reopened_by_name {
            let exited = &mut self.threads[thread].exited;
            exited.push_back(closed);
            if exited.len() > JsonBoxes::MOST_EXITED {
                exited.pop_front();
            }
        }
    }

    /// Puts a box back on the stack; boxes that were entered after it are gone.
    fn reopen(&mut self, thread: usize, found: StackedBox) {
        if self.known.get(Some(found.call)).is_some_and(|known| known.open_in > 0) {
            return;
        }
        self.leave(thread, found.depth);
        let ThreadBoxes { open, exited, .. } = &mut self.threads[thread];
        if let Some(place) = exited.iter().rposition(|exited| exited.call == found.call) {
            exited.truncate(place);
        }
        open.push(found);
        self.known.change(found.call, |known| known.open_in = thread as u32 + 1);
    }

    fn note_parent(&mut self, event: EventId, stated: &StatedBox<'_>) -> &mut JsonBoxes {
        self.states_parents |= stated.parent.is_some();
        self.parents.extend(stated.parent.map(|parent| (event, parent)));
        self
    }

    fn point(&self, stated: &StatedBox<'_>) -> BoxPosition {
        BoxPosition { call: stated.call, depth: stated.depth, ..BoxPosition::default() }
    }

    /// Hands the boxes around the boxes to the builder.
    pub(crate) fn finish(&self, builder: &mut TraceBuilder) {
        let Some(parents) = self.parents() else { return };
        let values = parents.iter().map(|(event, parent)| (*event, Field::Int(*parent)));
        builder.fill(AttributeId::PARENT, values);
    }
}

fn narrow(depth: i64) -> i32 {
    i32::try_from(depth).unwrap_or(if depth < 0 { i32::MIN } else { i32::MAX })
}
