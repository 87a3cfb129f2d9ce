//! Processes: their incarnations, and the boxes that are open in each.

use smallvec::SmallVec;

use super::columns::{HexId, IncarnationId};
use super::paths::{PathNode, ROOT};
use super::ports::MpdEvent;
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BoxKind {
    /// Initial code of a resource or global.
    Body,
    /// Final code.
    Final,
    /// A service by a proc.
    Proc,
    /// An input statement.
    In,
    /// A P operation.
    P,
    /// A co statement.
    Co,
    /// A call.
    Invocation,
}

impl BoxKind {
    /// The first part of its step in a goal path.
    pub(crate) const fn step(self) -> &'static str {
        match self {
            BoxKind::Body => "body",
            BoxKind::Final => "final",
            BoxKind::Proc => "proc",
            BoxKind::In => "in",
            BoxKind::P => "p",
            BoxKind::Co => "co",
            BoxKind::Invocation => "call",
        }
    }

    /// The event that closes it.
    pub(crate) const fn end(self) -> MpdEvent {
        match self {
            BoxKind::Body => MpdEvent::EndBody,
            BoxKind::Final => MpdEvent::EndFinal,
            BoxKind::Proc => MpdEvent::EndProc,
            BoxKind::In => MpdEvent::Ni,
            BoxKind::P => MpdEvent::ContP,
            BoxKind::Co | BoxKind::Invocation => MpdEvent::Oc,
        }
    }

    /// Whether it runs the code of a procedure.
    pub(crate) const fn is_code(self) -> bool {
        matches!(self, BoxKind::Body | BoxKind::Final | BoxKind::Proc)
    }
}

/// An open box.
#[derive(Clone, Debug)]
pub(crate) struct OpenBox {
    /// What it is.
    pub(crate) kind: BoxKind,
    /// Line of the event that opened it.
    pub(crate) line: Option<i64>,
    /// Procedure of that event.
    pub(crate) proc: u32,
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
    /// The semaphore of a P.
    pub(crate) sem: u64,
}

impl OpenBox {
    /// Whether it may serve an invocation now.
    pub(crate) fn is_service(&self) -> bool {
        self.kind == BoxKind::Proc || self.arm.is_some()
    }

    /// The path of what is inside of it.
    pub(crate) fn inside(&self) -> PathNode {
        self.arm.unwrap_or(self.path)
    }
}

/// An id of a process, in its present incarnation.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Machine and id.
    pub(crate) key: (i64, u64),
    /// Number of the incarnation among all of the id.
    pub(crate) inc: i64,
    /// Its id as it is first written.
    pub(crate) pid: HexId,
    /// `p('173168', 2)`; none before it begins.
    pub(crate) handle: Option<IncarnationId>,
    /// The open boxes, the innermost last.
    pub(crate) frames: Vec<OpenBox>,
    /// Whether its beginning is missing.
    pub(crate) is_orphan: bool,
    /// Its first event.
    pub(crate) first: Option<EventId>,
    /// Its last event.
    pub(crate) last: Option<EventId>,
    /// Lines and ids of the semaphores that it created last.
    pub(crate) created: Vec<(Option<i64>, u64)>,
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
        let innermost = self.frames.iter().rev().find(|frame| frame.kind == BoxKind::Co || frame.kind.is_code());
        innermost.is_some_and(|frame| frame.kind == BoxKind::Co)
    }

    /// Its present incarnation, with this fate if it is alive.
    fn life(&self, if_alive: &'static str) -> Option<Incarnation> {
        let fate = if self.is_alive() { if_alive } else { "ended" };
        Some(Incarnation { first: self.first?, last: self.last?, fate })
    }

    /// The path of an event that opens no box.
    pub(crate) fn path(&self) -> PathNode {
        self.frames.last().map_or(ROOT, OpenBox::inside)
    }

    /// Its invocation depth.
    pub(crate) fn idepth(&self) -> u32 {
        self.frames.last().map_or(1, |frame| frame.idepth)
    }
}

/// An incarnation of a process, from beginning to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incarnation {
    /// Its first event.
    pub(crate) first: EventId,
    /// Its last event.
    pub(crate) last: EventId,
    /// `ended`, `killed` or `open`.
    pub(crate) fate: &'static str,
}

/// All processes by machine and id.
#[derive(Default)]
pub(crate) struct Processes {
    places: HashMap<(i64, u64), usize>,
    /// That of the last event.
    last_place: usize,
    /// Incarnations so far of each id.
    n_incarnations: HashMap<u64, i64>,
    /// The processes, each in its last incarnation.
    pub(crate) all: Vec<Process>,
    /// The incarnations before those.
    lives: Vec<Incarnation>,
}

impl Processes {
    /// The place of a process, which is not alive when it is new; `pid` is its id.
    #[inline]
    pub(crate) fn place(&mut self, key: (i64, u64), pid: HexId) -> usize {
        if self.all.get(self.last_place).is_none_or(|last| last.key != key) {
            self.last_place = *self.places.entry(key).or_insert_with(|| {
                self.all.push(Process {
                    key,
                    inc: 0,
                    pid,
                    handle: None,
                    frames: Vec::new(),
                    is_orphan: false,
                    first: None,
                    last: None,
                    created: Vec::new(),
                });
                self.all.len() - 1
            });
        }
        self.last_place
    }

    /// Begins an incarnation of the process, with a handle by its number; the one before was killed if it is alive.
    pub(crate) fn begin(&mut self, place: usize, handle: impl FnOnce(HexId, i64) -> IncarnationId) {
        self.lives.extend(self.all[place].life("killed"));
        let process = &mut self.all[place];
        let inc = self.n_incarnations.entry(process.key.1).or_default();
        *inc += 1;
        process.inc = *inc;
        process.handle = Some(handle(process.pid, *inc));
        process.frames.clear();
        process.is_orphan = false;
        (process.first, process.last) = (None, None);
        process.created.clear();
    }

    /// All incarnations in the order of their first events; those that did not end are open.
    pub(crate) fn lives(&self) -> Vec<Incarnation> {
        let last = self.all.iter().filter_map(|process| process.life("open"));
        let mut lives: Vec<Incarnation> = self.lives.iter().copied().chain(last).collect();
        lives.sort_unstable_by_key(|life| life.first);
        lives
    }

    /// The live process with that key, for one whose invocation is not known.
    pub(crate) fn live(&self, key: (i64, u64)) -> Option<&Process> {
        self.places.get(&key).map(|place| &self.all[*place]).filter(|process| process.is_alive())
    }
}
