//! Processes: their incarnations, and the boxes that are open in each.

use std::sync::Arc;

use smallvec::SmallVec;

use super::paths::{PathNode, ROOT};
use super::ports::MpdEvent;
use crate::term::hash::HashMap;
use crate::trace::{EventId, ValueId};

impl MpdEvent {
    /// The event that opens the box which this one closes, with the rule that it breaks if there is none.
    pub(super) const fn opening(self) -> Option<(MpdEvent, &'static str)> {
        Some(match self {
            MpdEvent::EndBody => (MpdEvent::Body, "M4"),
            MpdEvent::EndFinal => (MpdEvent::Final, "M4"),
            MpdEvent::EndProc => (MpdEvent::Proc, "M4"),
            MpdEvent::Ni => (MpdEvent::In, "M7"),
            MpdEvent::ContP => (MpdEvent::P, "M5"),
            MpdEvent::Oc => (MpdEvent::Co, "M8"),
            _ => return None,
        })
    }

    /// Whether the box that it opens runs the code of a procedure.
    pub(super) const fn is_code(self) -> bool {
        matches!(self, MpdEvent::Body | MpdEvent::Final | MpdEvent::Proc)
    }
}

/// An open box.
#[derive(Debug, Default)]
pub(crate) struct OpenBox {
    /// The event that opened it: also its step in a goal path.
    pub(crate) kind: MpdEvent,
    /// Line of that event.
    pub(crate) line: Option<i64>,
    /// Procedure of that event.
    pub(crate) proc: u32,
    /// Additional field of that event: the semaphore of a P.
    pub(crate) extra: u32,
    /// Its number.
    pub(crate) call: i64,
    /// The path of its events.
    pub(crate) path: PathNode,
    /// Invocation depth of what runs in it.
    pub(crate) idepth: u32,
    /// The path inside the arm that was chosen, if one was.
    pub(crate) arm: Option<PathNode>,
    /// What it serves: of a proc from its beginning, of an input statement since an arm was chosen.
    pub(crate) serves: Option<i64>,
    /// Whether that was passed on.
    pub(crate) is_forwarded: bool,
    /// Whether the call runs in its own process.
    pub(crate) is_direct: bool,
    /// The call that it is, or the calls of a co statement.
    pub(crate) invs: SmallVec<[i64; 2]>,
}

impl OpenBox {
    /// Whether it may serve an invocation now.
    pub(crate) fn is_service(&self) -> bool {
        self.kind == MpdEvent::Proc || self.arm.is_some()
    }

    /// Whether it is an input statement that has not chosen an arm.
    pub(crate) fn is_choosing(&self) -> bool {
        self.kind == MpdEvent::In && self.arm.is_none()
    }
}

/// An id of a process, in its present incarnation.
#[derive(Debug, Default)]
pub(crate) struct Process {
    /// Machine and id.
    pub(crate) key: (i64, u32),
    /// Number of the incarnation among all of the id; 0 before it begins.
    pub(crate) inc: i64,
    /// The two as a value: `p('173168', 2)`.
    pub(crate) handle: Arc<str>,
    pub(crate) value: Option<ValueId>,
    /// The open boxes, the innermost last.
    pub(crate) frames: Vec<OpenBox>,
    /// Whether its beginning is missing.
    pub(crate) is_orphan: bool,
    /// Its first and its last event.
    pub(crate) events: Option<(EventId, EventId)>,
    /// Lines and ids of the semaphores that it created last.
    pub(crate) created: Vec<(Option<i64>, u32)>,
}

impl Process {
    /// Whether an incarnation has begun and not ended.
    pub(crate) fn is_alive(&self) -> bool {
        self.is_orphan || !self.frames.is_empty()
    }

    /// The innermost box that runs code or an arm.
    pub(crate) fn service(&mut self) -> Option<&mut OpenBox> {
        self.frames.iter_mut().rev().find(|frame| frame.kind.is_code() || frame.arm.is_some())
    }

    /// Whether calls that it makes now do not block it.
    pub(crate) fn is_in_co(&self) -> bool {
        let innermost = self.frames.iter().rev().find(|frame| frame.kind == MpdEvent::Co || frame.kind.is_code());
        innermost.is_some_and(|frame| frame.kind == MpdEvent::Co)
    }

    /// Its present incarnation, with this fate if it is alive.
    fn life(&self, if_alive: &'static str) -> Option<Life> {
        let (first, last) = self.events?;
        Some((first, last, if self.is_alive() { if_alive } else { "ended" }))
    }

    /// The path of an event that opens no box.
    pub(crate) fn path(&self) -> PathNode {
        self.frames.last().map_or(ROOT, |frame| frame.arm.unwrap_or(frame.path))
    }

    /// Its invocation depth.
    pub(crate) fn idepth(&self) -> u32 {
        self.frames.last().map_or(1, |frame| frame.idepth)
    }
}

/// The first and the last event of an incarnation, and how it ended: `ended`, `killed` or `open`.
pub(crate) type Life = (EventId, EventId, &'static str);

/// All processes by machine and id.
#[derive(Default)]
pub(crate) struct Processes {
    places: HashMap<(i64, u32), usize>,
    /// Incarnations so far of each id.
    n_incarnations: HashMap<u32, i64>,
    /// The processes, each in its last incarnation.
    pub(crate) all: Vec<Process>,
    /// The incarnations before those.
    lives: Vec<Life>,
}

impl Processes {
    /// The place of a process, which is not alive when it is new.
    pub(crate) fn place(&mut self, key: (i64, u32)) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.all.push(Process { key, ..Process::default() });
            self.all.len() - 1
        })
    }

    /// Begins an incarnation of a process, whose id is written like this; the one before was killed if it is alive.
    pub(crate) fn begin(&mut self, place: usize, pid: &str) -> &mut Process {
        self.lives.extend(self.all[place].life("killed"));
        let key = self.all[place].key;
        let inc = self.n_incarnations.entry(key.1).or_default();
        *inc += 1;
        let handle = format!("p('{pid}', {inc})").into();
        self.all[place] = Process { key, inc: *inc, handle, ..Process::default() };
        &mut self.all[place]
    }

    /// All incarnations in the order of their first events; those that did not end are open.
    pub(crate) fn lives(&mut self) -> Vec<Life> {
        let mut lives = std::mem::take(&mut self.lives);
        lives.extend(self.all.iter().filter_map(|process| process.life("open")));
        lives.sort_unstable();
        lives
    }

    /// The live process with that key, for one whose invocation is not known.
    pub(crate) fn live(&self, key: (i64, u32)) -> Option<&Process> {
        self.places.get(&key).map(|place| &self.all[*place]).filter(|process| process.is_alive())
    }
}
