//! Invocations: which service serves which of them.

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::term::hash::{HashMap, RandomState};
use crate::trace::EventId;

/// A call or send, by its number - 1.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// The incarnation that made it.
    pub(crate) invoker: Arc<str>,
    /// Its invocation depth at that time.
    pub(crate) idepth: u32,
    /// The event that made it.
    pub(crate) made_at: EventId,
    /// The event with which its service began, the last one if it was forwarded.
    pub(crate) served_at: Option<EventId>,
    /// The event with which it was replied to or its service ended.
    pub(crate) answered_at: Option<EventId>,
    /// Whether it was replied to before its service ended.
    pub(crate) is_replied: bool,
}

/// A place in the program: file and line.
pub(crate) type ProgramPlace = (u32, i64);

/// What serves: the place of its declaration or arm, the machine and the procedure.
pub(crate) type ServicePlace = (ProgramPlace, i64, u32);

/// How an invocation was found, as the attribute `matched` says it: the invoker runs the procedure itself (`direct`), a
/// `process` statement sends and serves at the same place (`process`), there was only one (`unique`), all come from one line
/// (`line`), or it is the oldest from a line that led to the service before (`learned`) or from any (`guess`). The else arm of
/// an input statement serves none (`else`).
pub(crate) type MatchKind = &'static str;

/// Invocations that wait for a service.
#[derive(Default)]
pub(crate) struct WaitingInvocations {
    /// By the id and machine of the process that made or forwarded them.
    of_process: HashMap<u32, IndexMap<i64, ProcessQueues, RandomState>>,
    learned: HashMap<ServicePlace, Vec<ProgramPlace>>,
    age: u64,
}

/// The waiting invocations of one process.
#[derive(Default)]
struct ProcessQueues {
    /// Age and number of each invocation, the oldest first, by the line that makes them and whether it sends them.
    lines: IndexMap<(ProgramPlace, bool), VecDeque<(u64, i64)>, RandomState>,
    has_guess: bool,
}

/// A process has fewer lines with waiting invocations; the others are not looked at as long as there are so many.
const MOST_LINES: usize = 64;

impl WaitingInvocations {
    /// Lets an invocation of a process wait.
    pub(crate) fn add(&mut self, (vm, pid): (i64, u32), place: ProgramPlace, is_send: bool, inv: i64) {
        self.age += 1;
        let queues = self.of_process.entry(pid).or_default().entry(vm).or_default();
        queues.lines.entry((place, is_send)).or_default().push_back((self.age, inv));
    }

    /// Takes out an invocation that is known to be served.
    pub(crate) fn remove(&mut self, (vm, pid): (i64, u32), inv: i64) {
        let Some(queues) = self.of_process.get_mut(&pid).and_then(|machines| machines.get_mut(&vm)) else { return };
        let is_last = |waiting: &VecDeque<(u64, i64)>| waiting.back().is_some_and(|(_, last)| *last == inv);
        if let Some(index) = queues.lines.values().take(MOST_LINES).position(is_last) {
            queues.lines[index].pop_back();
            queues.drop_if_empty(index);
        }
    }

    /// Takes out the invocation that `service` serves, which an additional field says to be of `pid`: a process of the
    /// machine of the service, else the only one with that id that has invocations waiting.
    pub(crate) fn take(&mut self, pid: u32, service: ServicePlace, is_proc: bool) -> Option<(i64, MatchKind)> {
        let machines = self.of_process.get_mut(&pid)?;
        let has_some = |(_, queues): &(&i64, &ProcessQueues)| !queues.lines.is_empty();
        let vm = match machines.get_key_value(&service.1).filter(has_some) {
            Some((vm, _)) => *vm,
            None => {
                let mut others = machines.iter().take(MOST_LINES).filter(has_some);
                others.next().filter(|_| others.next().is_none()).map(|(vm, _)| *vm)?
            }
        };
        let queues = machines.get_mut(&vm)?;
        let learned = self.learned.entry(service).or_default();
        let (index, how) = queues.choose(service, is_proc, learned)?;
        let (&(place, _), waiting) = queues.lines.get_index_mut(index)?;
        let (_, inv) = waiting.pop_front()?;
        queues.drop_if_empty(index);
        queues.has_guess |= how == "guess";
        if learned.len() < MOST_LINES && !learned.contains(&place) {
            learned.push(place);
        }
        Some((inv, how))
    }

    /// Whether some service of an invocation of the process was guessed.
    pub(crate) fn has_guess(&self, (vm, pid): (i64, u32)) -> bool {
        self.of_process.get(&pid).and_then(|machines| machines.get(&vm)).is_some_and(|queues| queues.has_guess)
    }
}

impl ProcessQueues {
    fn choose(&self, (place, ..): ServicePlace, is_proc: bool, learned: &[ProgramPlace]) -> Option<(usize, MatchKind)> {
        let oldest = |is_meant: &dyn Fn(&(ProgramPlace, bool)) -> bool| {
            let lines = self.lines.iter().enumerate().take(MOST_LINES);
            let meant = lines.filter(|(_, (origin, _))| is_meant(origin));
            meant.min_by_key(|(_, (_, waiting))| waiting.front()).map(|(index, _)| index)
        };
        if is_proc && let Some(index) = oldest(&|origin| *origin == (place, true)) {
            return Some((index, "process"));
        }
        if self.lines.len() == 1 {
            return Some((0, if self.lines[0].len() == 1 { "unique" } else { "line" }));
        }
        if let Some(index) = oldest(&|(origin, _)| learned.contains(origin)) {
            return Some((index, "learned"));
        }
        oldest(&|_| true).map(|index| (index, "guess"))
    }

    fn drop_if_empty(&mut self, index: usize) {
        if self.lines[index].is_empty() {
            self.lines.swap_remove_index(index);
        }
    }
}
