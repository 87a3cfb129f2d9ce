//! Invocations: which service serves which of them.

use std::collections::VecDeque;

use super::columns::IncarnationId;
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// A call or send, by its number - 1.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// The incarnation that made it.
    pub(crate) invoker: Option<IncarnationId>,
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

/// How the invocation that a service serves was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchKind {
    /// The invoker runs the procedure itself.
    Direct,
    /// A `process` statement is sent and served at the same place.
    Process,
    /// There was only one.
    Unique,
    /// All come from one line.
    Line,
    /// The oldest from a line that led to the service before.
    Learned,
    /// The oldest.
    Guess,
    /// The else arm of an input statement serves none.
    Else,
}

impl MatchKind {
    /// How many ways there are.
    pub(crate) const COUNT: usize = MatchKind::Else as usize + 1;

    /// The value of the attribute `matched`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MatchKind::Direct => "direct",
            MatchKind::Process => "process",
            MatchKind::Unique => "unique",
            MatchKind::Line => "line",
            MatchKind::Learned => "learned",
            MatchKind::Guess => "guess",
            MatchKind::Else => "else",
        }
    }
}

/// Invocations that wait for a service, by the process that made or forwarded them.
#[derive(Default)]
pub(crate) struct WaitingInvocations {
    of_process: HashMap<(i64, u64), ProcessQueues>,
    machines: HashMap<u64, Vec<i64>>,
    learned: HashMap<ServicePlace, Vec<ProgramPlace>>,
    age: u64,
}

/// The waiting invocations of one process.
#[derive(Default)]
struct ProcessQueues {
    /// One queue a line.
    lines: Vec<LineQueue>,
    has_guess: bool,
}

struct LineQueue {
    place: ProgramPlace,
    is_send: bool,
    /// Age and number of each invocation, the oldest first.
    waiting: VecDeque<(u64, i64)>,
}

/// A process has fewer lines with waiting invocations; the others are matched as guesses.
const MOST_LINES: usize = 64;

impl WaitingInvocations {
    /// Lets an invocation of a process wait.
    pub(crate) fn add(&mut self, process: (i64, u64), place: ProgramPlace, is_send: bool, inv: i64) {
        self.age += 1;
        let queues = self.of_process.entry(process).or_insert_with(|| {
            self.machines.entry(process.1).or_default().push(process.0);
            ProcessQueues::default()
        });
        let is_same = |queue: &&mut LineQueue| queue.place == place && queue.is_send == is_send;
        match queues.lines.iter_mut().take(MOST_LINES).find(is_same) {
            Some(queue) => queue.waiting.push_back((self.age, inv)),
            None => queues.lines.push(LineQueue { place, is_send, waiting: VecDeque::from([(self.age, inv)]) }),
        }
    }

    /// Takes out an invocation that is known to be served.
    pub(crate) fn remove(&mut self, process: (i64, u64), inv: i64) {
        let Some(queues) = self.of_process.get_mut(&process) else { return };
        let last = |queue: &LineQueue| queue.waiting.back().is_some_and(|(_, waiting)| *waiting == inv);
        if let Some(index) = queues.lines.iter().take(MOST_LINES).position(last) {
            queues.lines[index].waiting.pop_back();
            queues.drop_if_empty(index);
        }
    }

    /// Takes out the invocation of `process` that `service` serves.
    pub(crate) fn take(
        &mut self,
        process: (i64, u64),
        service: ServicePlace,
        is_proc: bool,
    ) -> Option<(i64, MatchKind)> {
        let process = self.resolve(process)?;
        let queues = self.of_process.get_mut(&process)?;
        let learned = self.learned.entry(service).or_default();
        let (index, how) = queues.choose(service, is_proc, learned)?;
        let place = queues.lines[index].place;
        let (_, inv) = queues.lines[index].waiting.pop_front()?;
        queues.drop_if_empty(index);
        queues.has_guess |= how == MatchKind::Guess;
        if learned.len() < MOST_LINES && !learned.contains(&place) {
            learned.push(place);
        }
        Some((inv, how))
    }

    /// The process that an additional field means: one of the same machine, else the only one with that id that has invocations waiting.
    fn resolve(&self, (vm, pid): (i64, u64)) -> Option<(i64, u64)> {
        let has_some = |vm: &i64| self.of_process.get(&(*vm, pid)).is_some_and(|queues| !queues.lines.is_empty());
        if has_some(&vm) {
            return Some((vm, pid));
        }
        let mut others = self.machines.get(&pid)?.iter().copied().take(MOST_LINES).filter(has_some);
        let only = others.next()?;
        others.next().is_none().then_some((only, pid))
    }

    /// Whether some service of an invocation of the process was guessed.
    pub(crate) fn has_guess(&self, process: (i64, u64)) -> bool {
        self.of_process.get(&process).is_some_and(|queues| queues.has_guess)
    }
}

impl ProcessQueues {
    fn choose(&self, (place, ..): ServicePlace, is_proc: bool, learned: &[ProgramPlace]) -> Option<(usize, MatchKind)> {
        let lines = || self.lines.iter().enumerate().take(MOST_LINES);
        let oldest = |is_meant: &dyn Fn(&LineQueue) -> bool| {
            let meant = lines().filter(|(_, queue)| is_meant(queue));
            meant.min_by_key(|(_, queue)| queue.waiting.front().map(|(age, _)| *age)).map(|(index, _)| index)
        };
        if is_proc && let Some(index) = oldest(&|queue| queue.is_send && queue.place == place) {
            return Some((index, MatchKind::Process));
        }
        if let [only] = self.lines.as_slice() {
            return Some((0, if only.waiting.len() == 1 { MatchKind::Unique } else { MatchKind::Line }));
        }
        if let Some(index) = oldest(&|queue| learned.contains(&queue.place)) {
            return Some((index, MatchKind::Learned));
        }
        oldest(&|_| true).map(|index| (index, MatchKind::Guess))
    }

    fn drop_if_empty(&mut self, index: usize) {
        if self.lines[index].waiting.is_empty() {
            self.lines.swap_remove(index);
        }
    }
}
