//! The boxes behind the events of one thread: by the numbers that the tracer prints, or else by levels and goals.

use super::boxes::{BoxIndex, GroupKey, LiveBoxes, PrintedNumber, ProcCode};
use super::line::{Tracer, TracerPort};
use super::redo::{RedoChoice, RedoGoal, RedoneBox};
use super::rules::TracerRule;
use super::variables::InstanceTest;

/// An event, as its box is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtEvent<'e> {
    /// Its number in the trace.
    pub(crate) chrono: u32,
    pub(crate) port: TracerPort,
    pub(crate) level: Option<PrintedNumber>,
    pub(crate) number: Option<PrintedNumber>,
    pub(crate) proc: ProcCode,
    pub(crate) goal: &'e str,
    pub(crate) exceeds_limit: bool,
}

/// The box of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventBox {
    pub(crate) call: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) depth: u32,
}

/// The boxes of one thread, and what is wrong with its last event.
pub(crate) struct ThreadBoxes {
    tracer: Tracer,
    boxes: LiveBoxes,
    redo: RedoChoice,
    instances: InstanceTest,
    /// The rules that the last event breaks.
    pub(crate) broken: Vec<TracerRule>,
}

impl ThreadBoxes {
    pub(crate) fn new(tracer: Tracer) -> ThreadBoxes {
        ThreadBoxes {
            tracer,
            boxes: LiveBoxes::default(),
            redo: RedoChoice::default(),
            instances: InstanceTest::default(),
            broken: Vec::new(),
        }
    }

    /// The box of the next event; none if there are too many boxes. A new box takes the next number.
    pub(crate) fn event(&mut self, event: &SoughtEvent<'_>, n_calls: &mut u32) -> Option<EventBox> {
        self.broken.clear();
        let index = match event.port {
            TracerPort::Call => self.call(event, n_calls)?,
            _ => self.later(event, n_calls)?,
        };
        if event.port == TracerPort::Exit {
            self.check_instance(index, event.goal);
        }
        self.boxes.touch(index, event.chrono);
        if self.tracer == Tracer::SwiTrace {
            let hash = self.redo.hash(event.goal);
            self.boxes.keep_last_goal(index, hash);
        }
        let found = *self.boxes.get(index);
        let parent = self.boxes.parent(index);
        self.close(index, event.port);
        Some(EventBox { call: found.call, parent, depth: found.depth })
    }

    /// Opens a box inside the innermost open one.
    fn open(&mut self, event: &SoughtEvent<'_>, n_calls: &mut u32) -> Option<BoxIndex> {
        *n_calls = n_calls.checked_add(1)?;
        self.boxes.open((self.key(event), event.proc, event.level), (*n_calls, event.chrono), event.goal)
    }

    fn key(&self, event: &SoughtEvent<'_>) -> GroupKey {
        match self.tracer.has_numbers() {
            true => GroupKey { number: event.number, name_and_arity: 0 },
            false => GroupKey { number: event.level, name_and_arity: event.proc.name_and_arity },
        }
    }

    /// A call: boxes that it shows to have ended are gone.
    fn call(&mut self, event: &SoughtEvent<'_>, n_calls: &mut u32) -> Option<BoxIndex> {
        if self.tracer.has_numbers() {
            self.take_back(event);
        }
        self.leave(event.level);
        self.check_depth(event);
        self.open(event, n_calls)
    }

    /// Leaves the open boxes that cannot enclose a box of this level; one without a number can never be entered again.
    fn leave(&mut self, level: Option<PrintedNumber>) {
        let n_open = self.boxes.n_open_above(level);
        match self.tracer.has_numbers() {
            true => self.boxes.close_to(n_open),
            false => self.boxes.end_to(n_open),
        }
    }

    /// Backtracking has taken the numbers of the boxes back that have the number of a new box or greater ones.
    fn take_back(&mut self, event: &SoughtEvent<'_>) {
        let Some(number) = event.number.map(PrintedNumber::get) else { return };
        let most = self.boxes.newest().map(|newest| self.boxes.get(newest).most);
        if self.tracer == Tracer::Gnu && most.is_some_and(|most| number > most.saturating_add(1)) {
            self.broken.push(TracerRule::NumberGap { greatest: most.unwrap_or(0), number });
        }
        let is_first = match self.tracer {
            Tracer::Gnu => number == 1 && event.level.map(PrintedNumber::get) == Some(1),
            _ => {
                self.boxes.innermost().is_none()
                    && self.boxes.oldest().is_some_and(|oldest| self.number(oldest) >= number)
            }
        };
        while self.boxes.newest().is_some_and(|newest| is_first || self.number(newest) >= number) {
            self.boxes.remove_newest();
        }
    }

    fn number(&self, index: BoxIndex) -> u32 {
        self.boxes.get(index).number().map_or(0, PrintedNumber::get)
    }

    /// In GNU Prolog the depth of a call is that of its parent and one more.
    fn check_depth(&mut self, event: &SoughtEvent<'_>) {
        let parent = self.boxes.innermost().map(|parent| self.boxes.get(parent).level);
        let expected = parent.map_or(0, |level| level.map_or(0, PrintedNumber::get)).saturating_add(1);
        let printed = event.level.map_or(0, PrintedNumber::get);
        if self.tracer == Tracer::Gnu && printed != expected {
            self.broken.push(TracerRule::Depth { expected, printed });
        }
    }

    /// An event of a box that was called before; if there is none, the event has a box of its own.
    fn later(&mut self, event: &SoughtEvent<'_>, n_calls: &mut u32) -> Option<BoxIndex> {
        let found = match (event.exceeds_limit, self.tracer.has_numbers()) {
            (true, _) => None,
            (false, true) => self.by_number(event),
            (false, false) => self.by_level(event),
        };
        let index = match found {
            Some(index) => index,
            None => {
                self.leave(event.level);
                self.open(event, n_calls)?
            }
        };
        match (event.port, self.boxes.is_open(index)) {
            (_, true) => self.boxes.close_inside(index),
            (TracerPort::Redo, false) => {
                self.boxes.remove_after_last_event(index);
                self.boxes.open_again(index);
            }
            (_, false) => self.boxes.open_again(index),
        }
        Some(index)
    }

    /// The live box with the number of the event.
    fn by_number(&mut self, event: &SoughtEvent<'_>) -> Option<BoxIndex> {
        let Some(group) = self.boxes.group(self.key(event)) else {
            self.broken.push(TracerRule::NoCall);
            return None;
        };
        let (index, live) = (group.newest, self.boxes.get(group.newest));
        if let Some((level, printed)) = live.level.zip(event.level).filter(|(level, printed)| level != printed) {
            self.broken.push(TracerRule::Depth { expected: level.get(), printed: printed.get() });
        }
        if live.proc.name_and_arity != event.proc.name_and_arity {
            self.broken.push(TracerRule::OtherProcedure);
        }
        if event.port.ends() && !self.boxes.is_open(index) {
            self.broken.push(TracerRule::NotOpen);
        }
        Some(index)
    }

    /// The open box at the level of the event, or else one that has exited.
    fn by_level(&mut self, event: &SoughtEvent<'_>) -> Option<BoxIndex> {
        let open = self.open_at(event);
        // the arity may differ where a goal is printed in another way
        if let Some(index) = open.filter(|index| self.boxes.get(*index).proc.name == event.proc.name) {
            return Some(index);
        }
        let exited = self.exited(event);
        self.broken.push(match (exited, event.port) {
            (Some(found), TracerPort::Redo) if found.is_guess => TracerRule::Guess,
            (Some(found), TracerPort::Redo) => return Some(found.index),
            (Some(_), _) => TracerRule::NotOpen,
            (None, _) if open.is_some() => TracerRule::OtherProcedure,
            (None, _) => TracerRule::NoCall,
        });
        exited.map(|found| found.index)
    }

    /// The open box at the level of an event; without a level, the innermost of its procedure.
    fn open_at(&self, event: &SoughtEvent<'_>) -> Option<BoxIndex> {
        let stack = self.boxes.stack();
        if event.level.is_none() {
            self.boxes.group(self.key(event))?;
            let is_it = |index: &&BoxIndex| self.boxes.get(**index).proc == event.proc;
            return stack.iter().rev().find(is_it).copied();
        }
        let index = *stack.get(self.boxes.n_open_above(event.level))?;
        (self.boxes.get(index).level == event.level).then_some(index)
    }

    /// The exited box that an event belongs to.
    fn exited(&mut self, event: &SoughtEvent<'_>) -> Option<RedoneBox> {
        let key = self.key(event);
        let group = self.boxes.group(key)?;
        if event.port == TracerPort::Redo && event.level.is_some() {
            let how = if self.tracer == Tracer::SwiTrace { RedoGoal::AsExited } else { RedoGoal::AsCalled };
            return self.redo.choose(&self.boxes, (key, group), event.goal, how);
        }
        let index = self.boxes.of_group(group).find(|index| !self.boxes.is_open(*index))?;
        Some(RedoneBox { index, is_guess: group.n_live > 1 })
    }

    /// The goal at an exit is an instance of the goal that was called.
    fn check_instance(&mut self, index: BoxIndex, goal: &str) {
        let call = self.boxes.goal(index);
        let is_known = |goal: &str| {
            memchr::memchr2(b'.', b':', goal.as_bytes()).is_none() || !(goal.contains("...") || goal.contains(':'))
        };
        let by_number = self.tracer.has_numbers();
        let is_checked = self.broken.iter().all(|rule| rule.leaves_goal(by_number));
        if is_checked
            && goal != call
            && is_known(goal)
            && !call.contains(':')
            && !self.instances.is_instance(goal, call)
        {
            let call = call.to_owned();
            self.broken.push(TracerRule::NoInstance { call });
        }
    }

    /// Closes a box at its end; a failure or an exception leaves nothing of it.
    fn close(&mut self, index: BoxIndex, port: TracerPort) {
        if port.ends() {
            self.boxes.close_to(self.boxes.get(index).depth as usize - 1);
        }
        if matches!(port, TracerPort::Fail | TracerPort::Exception) {
            self.boxes.remove_from(index);
        }
    }
}
