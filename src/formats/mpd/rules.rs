//! What each event does to its process, and the rules that it may break.

use std::sync::Arc;

use super::events::MpdReader;
use super::invocations::Invocation;
use super::paths::PathNode;
use super::ports::MpdEvent;
use super::process::{OpenBox, Process};
use crate::trace::{ArgsId, EventId, Field};

/// An event on its way into the trace.
#[derive(Default)]
pub(super) struct ProcessStep {
    pub(super) event: MpdEvent,
    pub(super) vm: i64,
    /// The file and line in the source of the program.
    pub(super) file: Option<u32>,
    pub(super) line: Option<i64>,
    pub(super) proc: u32,
    pub(super) pid: u32,
    pub(super) extra: u32,
    /// The line in the trace.
    pub(super) number: u64,
    /// The index of its process.
    pub(super) place: usize,
    /// The box that it belongs to, and the one around that.
    pub(super) call: Option<i64>,
    pub(super) parent: Option<i64>,
    pub(super) depth: i64,
    pub(super) path: PathNode,
    pub(super) idepth: u32,
    pub(super) invoker: Option<Arc<str>>,
    pub(super) args: Option<ArgsId>,
}

impl MpdReader<'_> {
    /// Updates the process of an event and adds the event to the trace.
    pub(super) fn event(&mut self, mut step: ProcessStep) {
        match step.event {
            MpdEvent::Body | MpdEvent::Final => self.begin(&step),
            MpdEvent::Proc if !self.is_direct(&step) => self.begin(&step),
            _ => self.go_on(&step),
        }
        self.act(&mut step);
        let Some(event) = self.push(&step) else { return };
        let events = &mut self.process(&step).events;
        *events = Some((events.map_or(event, |(first, _)| first), event));
        self.leave(&step, event);
    }

    /// The invocation with that number.
    pub(super) fn invocation(&mut self, inv: i64) -> &mut Invocation {
        &mut self.invocations[inv as usize - 1]
    }

    pub(super) fn process(&mut self, step: &ProcessStep) -> &mut Process {
        &mut self.processes.all[step.place]
    }

    /// Whether a service is one that the process itself has called, which belongs to its current incarnation.
    fn is_direct(&self, step: &ProcessStep) -> bool {
        let is_self = step.extra == step.pid;
        step.event == MpdEvent::Proc && is_self && !self.processes.all[step.place].frames.is_empty()
    }

    /// Begins an incarnation of the process.
    fn begin(&mut self, step: &ProcessStep) {
        let process = self.processes.begin(step.place, &self.numbers[step.pid as usize].0);
        process.value = Some(self.builder.value(self.ids.process, Field::Term(&process.handle)));
    }

    /// Closes the boxes that end without an event of their own, and checks that the event may come next.
    fn go_on(&mut self, step: &ProcessStep) {
        let event = step.event;
        if !self.process(step).is_alive() {
            self.begin(step);
            self.process(step).is_orphan = true;
            return self.fault(step.number, "M2", format!("a process begins with `{}`", event.port()));
        }
        let is_direct = self.is_direct(step);
        let Some(top) = self.process(step).frames.last_mut() else { return };
        match top.kind {
            MpdEvent::Call if is_direct => top.is_direct = true,
            MpdEvent::Call => self.end_call(step),
            MpdEvent::P if event != MpdEvent::ContP || top.extra != step.extra => {
                self.process(step).frames.pop();
                let message = format!("`p` is followed by `{}`, not by its `contp`", event.port());
                self.fault(step.number, "M5", message);
            }
            _ => {}
        }
        let is_end = event.opening().is_some_and(|(kind, _)| kind.is_code());
        let is_other = self.process(step).frames.last().is_some_and(|frame| frame.proc != step.proc);
        if is_other && !is_direct && !is_end {
            let name = String::from_utf8_lossy(self.procs.entry(step.proc).0);
            self.fault(step.number, "M3", format!("the process runs another procedure than `{name}`"));
        }
    }

    /// Ends the call of a process that goes on; the service must have ended or replied before.
    fn end_call(&mut self, step: &ProcessStep) {
        let process = self.process(step);
        let key = process.key;
        let Some(inv) = process.frames.pop().and_then(|frame| frame.invs.first().copied()) else { return };
        if self.invocation(inv).answered_at.is_none() && !self.waiting.has_guess(key) {
            self.fault(step.number, "M9", format!("the process goes on before invocation {inv} was served"));
        }
    }

    fn act(&mut self, step: &mut ProcessStep) {
        match step.event {
            MpdEvent::Body | MpdEvent::Final | MpdEvent::Co | MpdEvent::P => self.open(step, step.event),
            MpdEvent::Proc => self.open_service(step),
            MpdEvent::In => self.input(step),
            MpdEvent::Arm => self.arm(step),
            MpdEvent::Call => self.call(step),
            event => match event.opening() {
                Some((kind, rule)) => self.close(step, kind, rule),
                None => self.inside(step),
            },
        }
        self.semaphore(step);
    }

    /// Opens a box with this event as its first one.
    pub(super) fn open(&mut self, step: &mut ProcessStep, kind: MpdEvent) {
        self.boxes += 1;
        let ProcessStep { line, proc, extra, .. } = *step;
        let process = &mut self.processes.all[step.place];
        let (idepth, call) = (process.idepth(), self.boxes);
        let path = self.paths.extend(process.path(), kind.port(), line, self.builder);
        process.frames.push(OpenBox { kind, line, proc, extra, call, path, idepth, ..OpenBox::default() });
        self.stand_in(step);
    }

    /// Assigns an event to the innermost box of its process.
    pub(super) fn stand_in(&mut self, step: &mut ProcessStep) {
        let process = &self.processes.all[step.place];
        let mut frames = process.frames.iter().rev();
        step.depth = frames.len() as i64;
        step.idepth = process.idepth();
        let top = frames.next();
        step.call = top.map(|top| top.call);
        step.path = top.map_or_else(PathNode::default, |top| top.path);
        step.parent = frames.next().map(|frame| frame.call);
        if matches!(step.event, MpdEvent::EndProc | MpdEvent::Ni) {
            let served = top.filter(|top| top.is_service()).and_then(|top| top.serves);
            step.invoker = served.map(|inv| self.invocations[inv as usize - 1].invoker.clone());
        }
    }

    /// Handles an event that neither opens nor closes a box.
    fn inside(&mut self, step: &mut ProcessStep) {
        self.stand_in(step);
        step.path = self.process(step).path();
        match step.event {
            MpdEvent::Send => _ = self.invoke(step),
            MpdEvent::Forward => self.forward(step),
            MpdEvent::Reply => self.reply(step),
            MpdEvent::Return => _ = self.served(step),
            _ => {}
        }
    }

    fn input(&mut self, step: &mut ProcessStep) {
        match self.process(step).frames.last().filter(|frame| frame.is_choosing()).map(|frame| frame.line) {
            Some(same) if same == step.line => return self.stand_in(step),
            Some(other) => {
                self.process(step).frames.pop();
                let shown = other.map_or("?".to_owned(), |line| line.to_string());
                self.fault(step.number, "M7", format!("the input statement of line {shown} chose no arm"));
            }
            None => {}
        }
        self.open(step, MpdEvent::In);
    }

    /// Finds the box that an event closes, and drops the boxes that are still open inside it.
    fn close(&mut self, step: &mut ProcessStep, kind: MpdEvent, rule: &'static str) {
        // only the end of code closes boxes of other code
        let is_within = |frame: &&OpenBox| kind.is_code() || !frame.kind.is_code();
        let frames = &self.processes.all[step.place].frames;
        let found = frames.iter().rev().take_while(is_within).position(|frame| frame.kind == kind);
        if let Some(message) = self.misfit(step, kind, found) {
            self.fault(step.number, rule, message);
        }
        if let Some(inner) = found {
            let frames = &mut self.process(step).frames;
            frames.truncate(frames.len() - inner);
        }
        self.stand_in(step);
        if found.is_none() {
            step.call = None;
        }
    }

    /// What is wrong with an event that closes a box, if anything. `inner` boxes are open inside that box; `None` if no
    /// such box is open.
    fn misfit(&self, step: &ProcessStep, kind: MpdEvent, inner: Option<usize>) -> Option<String> {
        let Process { frames, is_orphan, .. } = &self.processes.all[step.place];
        let (event, name) = (step.event.port(), kind.port());
        let shown = |line: Option<i64>| line.map_or("no line".to_owned(), |line| format!("line {line}"));
        Some(match (inner, frames.last()) {
            (None, None) if *is_orphan => return None,
            (Some(0), Some(top)) => match kind {
                MpdEvent::In if top.arm.is_none() => "`ni` comes before an arm was chosen".to_owned(),
                MpdEvent::P if top.extra != step.extra => "`contp` has another semaphore than `p`".to_owned(),
                MpdEvent::In | MpdEvent::P => return None,
                _ if top.line != step.line => {
                    format!("`{event}` names {}, and `{name}` named {}", shown(step.line), shown(top.line))
                }
                _ if kind.is_code() && top.proc != step.proc => {
                    format!("`{event}` names another procedure than its `{name}`")
                }
                _ => return None,
            },
            (Some(_), Some(top)) => format!("`{event}` comes while `{}` is open", top.kind.port()),
            _ => format!("`{event}` closes no open `{name}`"),
        })
    }

    /// Removes the box that the event closed.
    fn leave(&mut self, step: &ProcessStep, event: EventId) {
        let Some((kind, _)) = step.event.opening() else { return };
        let process = &mut self.processes.all[step.place];
        let closed = process.frames.pop_if(|frame| frame.kind == kind);
        if let Some(frame) = &closed {
            if let (Some(inv), false) = (frame.serves, frame.is_forwarded) {
                self.invocations[inv as usize - 1].answered_at.get_or_insert(event);
            }
            process.frames.pop_if(|frame| frame.kind == MpdEvent::Call && frame.is_direct);
        }
        // an end without an open box belongs to a box whose beginning is missing
        if kind.is_code() && (closed.is_none() || process.frames.is_empty()) {
            process.is_orphan = false;
        }
    }

    /// The last event of each process that cannot go on before another one acts, in the order of the events.
    pub(super) fn blocked(&self) -> Vec<EventId> {
        let is_waiting = |inv: &i64| self.invocations[*inv as usize - 1].answered_at.is_none();
        let is_blocked = |process: &&Process| {
            process.frames.last().is_some_and(|frame| match frame.kind {
                MpdEvent::In => frame.arm.is_none(),
                // even if it was answered: the runtime system abandons a process that does not return after that
                MpdEvent::P | MpdEvent::Call => true,
                MpdEvent::Co => frame.invs.iter().any(is_waiting),
                _ => false,
            })
        };
        let last = |process: &Process| process.events.map(|(_, last)| last);
        let mut events: Vec<EventId> = self.processes.all.iter().filter(is_blocked).filter_map(last).collect();
        events.sort_unstable();
        events
    }
}
