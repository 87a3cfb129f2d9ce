//! The processes of a trace: which one a line without a number belongs to, which have ended, and the call that each is in.

use std::collections::BTreeSet;

use super::columns::CallNumber;
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// Index of a process, in the order of appearance.
pub(crate) type ProcessIndex = u32;

/// Number of the name of a call.
pub(crate) type NameId = u32;

/// Whether a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    Alive,
    Ended,
    /// Another thread of the process has called execve, and goes on under the number of the process.
    Superseded,
}

/// A call without a result so far.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    pub(crate) number: CallNumber,
    pub(crate) name: NameId,
    pub(crate) time: Option<i64>,
    /// The event at which it began, if there is one.
    pub(crate) event: Option<EventId>,
    /// Whether its result is on another line.
    pub(crate) is_split: bool,
    /// Whether what was printed of its arguments ends between two of them.
    pub(crate) is_between: bool,
    /// What was printed of its arguments, if its result is on another line.
    pub(crate) part: Vec<u8>,
}

/// What the line of a call that stays open says about its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenEnd {
    /// There is none.
    Never,
    /// It is on another line; whether this one ends between two arguments.
    Split { is_between: bool },
}

impl OpenCall {
    /// When it ends, if the line that resumes it has this time and this duration.
    #[inline]
    pub(crate) fn end(&self, time: Option<i64>, duration: Option<i64>) -> Option<i64> {
        let end = self.time.zip(duration).map(|(start, duration)| start.saturating_add(duration));
        match (end, time) {
            // rounded durations may end after the line that reports them
            (Some(end), Some(time)) if self.is_split => Some(end.min(time)),
            (end, time) => end.or(time),
        }
    }
}

/// A process or thread.
#[derive(Debug)]
pub(crate) struct StraceProcess {
    /// Its number; none for the process of the first lines, before a line states it.
    pub(crate) pid: Option<i64>,
    pub(crate) end: ProcessEnd,
    open: Option<OpenCall>,
}

/// All processes.
#[derive(Debug, Default)]
pub(crate) struct ProcessTable {
    processes: Vec<StraceProcess>,
    by_pid: HashMap<i64, ProcessIndex>,
    /// The numbers that calls have returned.
    born: HashMap<i64, ProcessIndex>,
    /// The process of the first line, unless that is a message.
    main: Option<ProcessIndex>,
    /// The process of all lines without a number, if another source states it.
    only: Option<ProcessIndex>,
    /// The process of the first lines, as long as its number is not known.
    unnamed: Option<ProcessIndex>,
    /// The living processes that are inside a call, by its name, once that was asked.
    inside: Option<HashMap<NameId, BTreeSet<ProcessIndex>>>,
    n_ended: usize,
    /// All processes before this one have ended.
    first_alive: ProcessIndex,
    /// By the lowest bits of their numbers, processes that were stated last.
    recent: Vec<(i64, ProcessIndex)>,
}

/// As many recent processes as most traces have.
const N_RECENT: usize = 64;

impl ProcessTable {
    /// The process with that index.
    #[inline]
    pub(crate) fn at(&self, index: ProcessIndex) -> &StraceProcess {
        &self.processes[index as usize]
    }

    /// The numbers of all processes, 0 for one whose number is never stated.
    pub(crate) fn pids(&self) -> Vec<i64> {
        self.processes.iter().map(|process| process.pid.unwrap_or(0)).collect()
    }

    fn add(&mut self, pid: Option<i64>) -> ProcessIndex {
        let index = self.processes.len() as ProcessIndex;
        self.processes.push(StraceProcess { pid, end: ProcessEnd::Alive, open: None });
        self.by_pid.extend(pid.map(|pid| (pid, index)));
        index
    }

    /// The process that a message names. It is alive, even if an earlier one with its number has ended.
    pub(crate) fn attached(&mut self, pid: i64) -> ProcessIndex {
        let index = self.by_pid.get(&pid).copied().unwrap_or_else(|| self.add(Some(pid)));
        self.revive(index);
        index
    }

    /// Lets a new process have the number of one that has ended.
    pub(crate) fn revive(&mut self, index: ProcessIndex) {
        if self.at(index).end != ProcessEnd::Alive {
            self.processes[index as usize].end = ProcessEnd::Alive;
            self.n_ended -= 1;
            self.first_alive = self.first_alive.min(index);
            let name = self.at(index).open.as_ref().map(|call| call.name);
            if let Some(inside) = name.and_then(|name| self.inside(name)) {
                inside.insert(index);
            }
        }
    }

    /// Whether a living process is inside a call with such a name.
    pub(crate) fn is_inside(&mut self, is_wanted: impl Fn(NameId) -> bool) -> bool {
        self.all_inside().iter().any(|(name, inside)| !inside.is_empty() && is_wanted(*name))
    }

    /// The process of a line that states its number.
    #[inline]
    pub(crate) fn stated(&mut self, pid: i64) -> ProcessIndex {
        let slot = pid as usize % N_RECENT;
        if let Some((_, index)) = self.recent.get(slot).filter(|(recent, _)| *recent == pid) {
            return *index;
        }
        let index = self.look_up(pid);
        // no process has this number
        self.recent.resize(N_RECENT, (i64::MIN, 0));
        self.recent[slot] = (pid, index);
        index
    }

    /// The first lines belong to the first process that no call returned and no message named.
    fn look_up(&mut self, pid: i64) -> ProcessIndex {
        if let Some(index) = self.by_pid.get(&pid) {
            return *index;
        }
        let unnamed = self.unnamed.filter(|unnamed| self.main == Some(*unnamed) && !self.born.contains_key(&pid));
        let index = match unnamed {
            Some(index) => {
                self.processes[index as usize].pid = Some(pid);
                self.by_pid.insert(pid, index);
                self.unnamed = None;
                index
            }
            None => self.add(Some(pid)),
        };
        self.main.get_or_insert(index);
        index
    }

    /// Declares whose lines those without a number are.
    pub(crate) fn belong_to(&mut self, pid: i64) {
        self.only = Some(self.stated(pid));
    }

    /// The process of a line without a number, which may resume a call of that name.
    pub(crate) fn unstated(&mut self, resumed: Option<NameId>) -> ProcessIndex {
        if let Some(only) = self.only {
            return only;
        }
        let waiting = resumed.and_then(|name| self.waiting(name));
        let index = match waiting {
            Some(index) => index,
            None => self.left(),
        };
        self.main.get_or_insert(index);
        index
    }

    /// The first living process inside a call of that name.
    fn waiting(&mut self, name: NameId) -> Option<ProcessIndex> {
        self.all_inside().get(&name)?.first().copied()
    }

    /// The living processes that are inside a call, by its name.
    fn all_inside(&mut self) -> &HashMap<NameId, BTreeSet<ProcessIndex>> {
        self.inside.get_or_insert_with(|| {
            let mut inside: HashMap<NameId, BTreeSet<ProcessIndex>> = HashMap::default();
            for (index, process) in (0..).zip(&self.processes).filter(|(_, process)| process.end == ProcessEnd::Alive) {
                process.open.iter().for_each(|call| {
                    inside.entry(call.name).or_default().insert(index);
                });
            }
            inside
        })
    }

    /// The living processes that are inside a call of that name, if these are known.
    #[inline]
    fn inside(&mut self, name: NameId) -> Option<&mut BTreeSet<ProcessIndex>> {
        self.inside.as_mut().map(|inside| inside.entry(name).or_default())
    }

    /// The only living process, or else the one of the first line, or else the first living one.
    fn left(&mut self) -> ProcessIndex {
        while self.processes.get(self.first_alive as usize).is_some_and(|first| first.end != ProcessEnd::Alive) {
            self.first_alive += 1;
        }
        let n_alive = self.processes.len() - self.n_ended;
        let main = self.main.filter(|main| n_alive != 1 && self.at(*main).end == ProcessEnd::Alive);
        main.or((n_alive > 0).then_some(self.first_alive)).unwrap_or_else(|| self.unnamed())
    }

    fn unnamed(&mut self) -> ProcessIndex {
        let index = self.unnamed.unwrap_or_else(|| self.add(None));
        self.unnamed = Some(index);
        index
    }

    /// The call that a process is in.
    #[inline]
    pub(crate) fn open(&self, index: ProcessIndex) -> Option<&OpenCall> {
        self.at(index).open.as_ref()
    }

    /// The call that a process is in, to be changed.
    pub(crate) fn open_mut(&mut self, index: ProcessIndex) -> Option<&mut OpenCall> {
        self.processes[index as usize].open.as_mut()
    }

    /// Takes the call that a process is in.
    #[inline]
    pub(crate) fn take_open(&mut self, index: ProcessIndex) -> Option<OpenCall> {
        self.take_open_if(index, |_| true)
    }

    /// Takes the call that a process is in, if it is as the function says.
    #[inline]
    pub(crate) fn take_open_if(
        &mut self,
        index: ProcessIndex,
        is_wanted: impl FnOnce(&OpenCall) -> bool,
    ) -> Option<OpenCall> {
        let call = self.processes[index as usize].open.take_if(|call| is_wanted(call))?;
        if let Some(inside) = self.inside(call.name) {
            inside.remove(&index);
        }
        Some(call)
    }

    /// Puts a process into a call.
    pub(crate) fn put_open(&mut self, index: ProcessIndex, call: OpenCall) {
        self.take_open(index);
        let is_alive = self.at(index).end == ProcessEnd::Alive;
        if let Some(inside) = self.inside(call.name).filter(|_| is_alive) {
            inside.insert(index);
        }
        self.processes[index as usize].open = Some(call);
    }

    /// Ends a process.
    pub(crate) fn end(&mut self, index: ProcessIndex, end: ProcessEnd) {
        let process = &mut self.processes[index as usize];
        self.n_ended += usize::from(process.end == ProcessEnd::Alive);
        process.end = end;
        let name = process.open.as_ref().map(|call| call.name);
        if let Some(inside) = name.and_then(|name| self.inside(name)) {
            inside.remove(&index);
        }
    }

    /// Lets a process take over the call of another one, which ends, if that one is in a call.
    pub(crate) fn supersede(&mut self, index: ProcessIndex, by: i64) {
        let Some(other) = self.by_pid.get(&by).copied().filter(|other| *other != index) else { return };
        if let Some(call) = self.take_open(other) {
            self.put_open(index, call);
            self.end(other, ProcessEnd::Superseded);
        }
    }

    /// Notes that a call of a process returned a new one, which may have the number of one that has ended.
    pub(crate) fn bear(&mut self, child: i64, parent: ProcessIndex) {
        if let Some(index) = self.by_pid.get(&child).copied() {
            self.revive(index);
        }
        self.born.entry(child).or_insert(parent);
    }
}
