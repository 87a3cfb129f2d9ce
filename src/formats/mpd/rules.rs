//! What each event does to its process, and the rules that it may break.

use smallvec::SmallVec;

use super::columns::{EventFacts, HexId};
use super::events::MpdReader;
use super::invocations::Invocation;
use super::line;
use super::paths::{PathStep, ROOT};
use super::ports::MpdEvent;
use super::process::{BoxKind, OpenBox, Process};
use crate::trace::EventId;

/// An event on its way into the trace.
pub(crate) struct ProcessStep<'l> {
    pub(crate) line: LineFields<'l>,
    pub(crate) number: u64,
    /// The index of its process.
    pub(crate) place: usize,
    pub(crate) facts: EventFacts,
}

impl ProcessStep<'_> {
    /// The line in the source of the program.
    pub(crate) fn source(&self) -> Option<i64> {
        self.line.source
    }
}

/// The fields of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFields<'l> {
    pub(crate) vm: Option<i64>,
    /// The line in the source of the program.
    pub(crate) source: Option<i64>,
    pub(crate) event: MpdEvent,
    pub(crate) pid: u64,
    pub(crate) extra: u64,
    /// The line itself.
    pub(crate) text: &'l [u8],
}

impl<'l> LineFields<'l> {
    /// The additional field as it is written.
    pub(crate) fn written_extra(&self) -> &'l str {
        line::parse(self.text).map_or("", |line| line.extra.written())
    }

    /// The name of the procedure.
    fn proc(&self) -> &'l [u8] {
        line::parse(self.text).map_or(b"", |line| line.proc)
    }
}

/// The ids in the trace of what a line holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineIds {
    pub(crate) proc: u32,
    pub(crate) file: Option<u32>,
    pub(crate) pid: HexId,
    pub(crate) extra: HexId,
}

impl MpdReader<'_> {
    /// Updates the process of an event and adds the event to the trace.
    #[inline]
    pub(crate) fn event(&mut self, line: LineFields<'_>, found: LineIds, number: u64) {
        let vm = self.machine(line.vm, number);
        let place = self.processes.place((vm, line.pid), found.pid);
        let facts = EventFacts { vm, proc: found.proc, file: found.file, ..EventFacts::default() };
        let mut step = ProcessStep { line, number, place, facts };
        if self.begins(&step) {
            self.begin(&step);
        } else {
            self.go_on(&step);
        }
        step.facts.inc = self.processes.all[place].inc;
        self.act(&mut step);
        let event = Some(self.emitter.push(&line, (found.pid, found.extra), &step.facts, number));
        let process = &mut self.processes.all[place];
        self.emitter.tables.has_next |= process.last.is_some();
        process.first = process.first.or(event);
        process.last = event;
        self.leave(&step);
    }

    /// Reports that an event breaks a rule.
    #[cold]
    pub(crate) fn fault(&mut self, step: &ProcessStep<'_>, rule: &'static str, message: String) {
        let chrono = self.emitter.chrono();
        self.emitter.builder.finding(rule, Some(chrono), Some(step.number), message);
    }

    /// The number of the machine; lines omit it until there is a second machine.
    #[inline]
    fn machine(&mut self, vm: Option<i64>, number: u64) -> i64 {
        if vm.is_none() && self.has_machines {
            let chrono = self.emitter.chrono();
            let message = "the machine is missing, though lines before have one: taken for machine 1";
            self.emitter.builder.finding("M12", Some(chrono), Some(number), message);
        }
        self.has_machines |= vm.is_some();
        vm.unwrap_or(1)
    }

    /// The invocation with that number.
    pub(crate) fn invocation(&mut self, inv: i64) -> &mut Invocation {
        &mut self.emitter.tables.invocations[inv as usize - 1]
    }

    pub(crate) fn process(&mut self, step: &ProcessStep<'_>) -> &mut Process {
        &mut self.processes.all[step.place]
    }

    /// Whether an event begins an incarnation of its process. A service that the process itself has called does not: it
    /// belongs to the current incarnation.
    fn begins(&self, step: &ProcessStep<'_>) -> bool {
        match step.line.event {
            MpdEvent::Body | MpdEvent::Final => true,
            MpdEvent::Proc => !self.is_direct(step),
            _ => false,
        }
    }

    fn is_direct(&self, step: &ProcessStep<'_>) -> bool {
        let is_self = step.line.extra == step.line.pid;
        step.line.event == MpdEvent::Proc && is_self && !self.processes.all[step.place].frames.is_empty()
    }

    fn begin(&mut self, step: &ProcessStep<'_>) {
        let emitter = &mut self.emitter;
        self.processes.begin(step.place, |pid, inc| emitter.handle(pid, inc));
    }

    /// Closes the boxes that end without an event of their own, and checks that the event may come next.
    fn go_on(&mut self, step: &ProcessStep<'_>) {
        let event = step.line.event;
        if !self.process(step).is_alive() {
            self.begin(step);
            self.process(step).is_orphan = true;
            return self.fault(step, "M2", format!("a process begins with `{}`", event.port()));
        }
        let is_direct = self.is_direct(step);
        let Some(top) = self.process(step).frames.last_mut() else { return };
        match top.kind {
            BoxKind::Invocation if is_direct => top.is_direct = true,
            BoxKind::Invocation => self.end_call(step),
            BoxKind::P if event != MpdEvent::ContP || top.sem != step.line.extra => {
                self.process(step).frames.pop();
                self.fault(step, "M5", format!("`p` is followed by `{}`, not by its `contp`", event.port()));
            }
            _ => {}
        }
        self.check_proc(step, is_direct);
    }

    fn check_proc(&mut self, step: &ProcessStep<'_>, is_direct: bool) {
        let is_end = matches!(step.line.event, MpdEvent::EndBody | MpdEvent::EndFinal | MpdEvent::EndProc);
        let proc = self.process(step).frames.last().map(|frame| frame.proc);
        if proc.is_some_and(|proc| proc != step.facts.proc) && !is_direct && !is_end {
            let name = String::from_utf8_lossy(step.line.proc()).into_owned();
            self.fault(step, "M3", format!("the process runs another procedure than `{name}`"));
        }
    }

    /// Ends the call of a process that goes on; the service must have ended or replied before.
    fn end_call(&mut self, step: &ProcessStep<'_>) {
        let process = self.process(step);
        let key = process.key;
        let Some(inv) = process.frames.pop().and_then(|frame| frame.invs.first().copied()) else { return };
        let is_answered = self.invocation(inv).answered_at.is_some();
        if !is_answered && !self.waiting.has_guess(key) {
            self.fault(step, "M9", format!("the process goes on before invocation {inv} was served"));
        }
    }

    fn act(&mut self, step: &mut ProcessStep<'_>) {
        match step.line.event {
            MpdEvent::Body => self.open(step, BoxKind::Body),
            MpdEvent::Final => self.open(step, BoxKind::Final),
            MpdEvent::Proc => self.open_service(step),
            MpdEvent::Co => self.open(step, BoxKind::Co),
            MpdEvent::P => {
                self.open(step, BoxKind::P);
                self.semaphore(step);
                let sem = step.line.extra;
                self.process(step).frames.last_mut().expect("it was just opened").sem = sem;
            }
            MpdEvent::In => self.input(step),
            MpdEvent::Arm => self.arm(step),
            MpdEvent::Call => self.call(step),
            MpdEvent::EndBody => self.close(step, BoxKind::Body),
            MpdEvent::EndFinal => self.close(step, BoxKind::Final),
            MpdEvent::EndProc => self.close(step, BoxKind::Proc),
            MpdEvent::Ni => self.close(step, BoxKind::In),
            MpdEvent::ContP => {
                self.close(step, BoxKind::P);
                self.semaphore(step);
            }
            MpdEvent::Oc => self.close(step, BoxKind::Co),
            _ => self.inside(step),
        }
    }

    /// Opens a box with this event as its first one.
    pub(crate) fn open(&mut self, step: &mut ProcessStep<'_>, kind: BoxKind) {
        self.boxes += 1;
        let (call, line) = (self.boxes, step.source());
        let process = &self.processes.all[step.place];
        let (idepth, inside) = (process.idepth(), process.path());
        let path = self.emitter.paths.extend(inside, PathStep::Box(kind), line, self.emitter.builder);
        let proc = step.facts.proc;
        let frame = OpenBox {
            kind,
            line,
            proc,
            call,
            path,
            idepth,
            arm: None,
            serves: None,
            is_forwarded: false,
            is_direct: false,
            invs: SmallVec::new(),
            sem: 0,
        };
        let process = self.process(step);
        let parent = process.frames.last().map_or(0, |frame| frame.call);
        process.frames.push(frame);
        self.emitter.tables.parents.push(parent as u32);
        self.stand_in(step);
    }

    /// Assigns an event to the innermost box of its process.
    pub(crate) fn stand_in(&mut self, step: &mut ProcessStep<'_>) {
        let (process, invocations) = (&self.processes.all[step.place], &self.emitter.tables.invocations);
        let facts = &mut step.facts;
        facts.depth = process.frames.len() as i64;
        facts.idepth = process.idepth();
        let Some(top) = process.frames.last() else {
            facts.path = ROOT;
            return;
        };
        facts.call = Some(top.call);
        facts.path = top.path;
        facts.parent = process.frames.len().checked_sub(2).map(|below| process.frames[below].call);
        if matches!(step.line.event, MpdEvent::EndProc | MpdEvent::Ni) && top.is_service() {
            facts.invoker = top.serves.and_then(|inv| invocations[inv as usize - 1].invoker);
        }
    }

    /// Handles an event that neither opens nor closes a box.
    fn inside(&mut self, step: &mut ProcessStep<'_>) {
        self.stand_in(step);
        step.facts.path = self.process(step).path();
        match step.line.event {
            MpdEvent::Send => self.send(step),
            MpdEvent::Forward => self.forward(step),
            MpdEvent::Reply => self.reply(step),
            MpdEvent::Return => self.returned(step),
            MpdEvent::CreateS | MpdEvent::InitS | MpdEvent::InitSArr | MpdEvent::V => self.semaphore(step),
            _ => {}
        }
    }

    fn input(&mut self, step: &mut ProcessStep<'_>) {
        let line = step.source();
        let waiting = self.process(step).frames.last().filter(|frame| frame.kind == BoxKind::In && frame.arm.is_none());
        match waiting.map(|frame| frame.line) {
            Some(same) if same == line => return self.stand_in(step),
            Some(other) => {
                self.process(step).frames.pop();
                let shown = other.map_or("?".to_owned(), |line| line.to_string());
                self.fault(step, "M7", format!("the input statement of line {shown} chose no arm"));
            }
            None => {}
        }
        self.open(step, BoxKind::In);
    }

    /// Finds the box that an event closes, and drops the boxes that are still open inside it.
    fn close(&mut self, step: &mut ProcessStep<'_>, kind: BoxKind) {
        let frames = &self.processes.all[step.place].frames;
        let reach =
            if kind.is_code() { frames.len() } else { frames.iter().rev().take_while(|f| !f.kind.is_code()).count() };
        let found = frames.iter().rev().take(reach).position(|frame| frame.kind == kind);
        if let Some(message) = self.misfit(step, kind, found) {
            let rule = match kind {
                BoxKind::In => "M7",
                BoxKind::P => "M5",
                BoxKind::Co => "M8",
                _ => "M4",
            };
            self.fault(step, rule, message);
        }
        if let Some(inner) = found {
            let frames = &mut self.process(step).frames;
            frames.truncate(frames.len() - inner);
        }
        self.stand_in(step);
        if found.is_none() {
            step.facts.call = None;
        }
    }

    /// What is wrong with an event that closes a box, if anything. `inner` boxes are open inside that box; `None` if no
    /// such box is open.
    fn misfit(&self, step: &ProcessStep<'_>, kind: BoxKind, inner: Option<usize>) -> Option<String> {
        let process = &self.processes.all[step.place];
        let (event, name) = (step.line.event.port(), kind.step());
        let Some(inner) = inner else {
            let is_known = !process.is_orphan || !process.frames.is_empty();
            return is_known.then(|| format!("`{event}` closes no open `{name}`"));
        };
        let frame = &process.frames[process.frames.len() - 1 - inner];
        if inner > 0 {
            let within = process.frames.last().map_or("", |frame| frame.kind.step());
            return Some(format!("`{event}` comes while `{within}` is open"));
        }
        let shown = |line: Option<i64>| line.map_or("no line".to_owned(), |line| format!("line {line}"));
        match kind {
            BoxKind::In => frame.arm.is_none().then(|| "`ni` comes before an arm was chosen".to_owned()),
            BoxKind::P => (frame.sem != step.line.extra).then(|| "`contp` has another semaphore than `p`".to_owned()),
            _ if frame.line != step.source() => {
                let (opened, closed) = (shown(frame.line), shown(step.source()));
                Some(format!("`{event}` names {closed}, and `{name}` named {opened}"))
            }
            _ if kind.is_code() && frame.proc != step.facts.proc => {
                Some(format!("`{event}` names another procedure than its `{name}`"))
            }
            _ => None,
        }
    }

    /// Removes the box that the event closed.
    fn leave(&mut self, step: &ProcessStep<'_>) {
        let event = step.line.event;
        let process = &mut self.processes.all[step.place];
        let is_closed = |frame: &mut OpenBox| frame.kind != BoxKind::Invocation && frame.kind.end() == event;
        let closed = process.frames.pop_if(is_closed);
        if let Some(frame) = &closed {
            if let (Some(inv), false) = (frame.serves, frame.is_forwarded) {
                let event = self.emitter.n_events() - 1;
                self.emitter.tables.invocations[inv as usize - 1].answered_at.get_or_insert(event);
            }
            process.frames.pop_if(|frame| frame.kind == BoxKind::Invocation && frame.is_direct);
        }
        // an end without an open box belongs to a box whose beginning is missing
        let is_end = matches!(event, MpdEvent::EndBody | MpdEvent::EndFinal | MpdEvent::EndProc);
        if is_end && (closed.is_none() || process.frames.is_empty()) {
            process.is_orphan = false;
        }
    }

    /// The last event of each process that cannot go on before another one acts, in the order of the events.
    pub(crate) fn blocked(&self) -> Vec<EventId> {
        let invocations = &self.emitter.tables.invocations;
        let is_waiting = |inv: &i64| invocations[*inv as usize - 1].answered_at.is_none();
        let is_blocked = |process: &&Process| {
            process.frames.last().is_some_and(|frame| match frame.kind {
                BoxKind::P => true,
                BoxKind::In => frame.arm.is_none(),
                // even if it was answered: the runtime system abandons a process that does not return after that
                BoxKind::Invocation => true,
                BoxKind::Co => frame.invs.iter().any(is_waiting),
                BoxKind::Body | BoxKind::Final | BoxKind::Proc => false,
            })
        };
        let mut events: Vec<EventId> =
            self.processes.all.iter().filter(is_blocked).filter_map(|process| process.last).collect();
        events.sort_unstable();
        events
    }
}
