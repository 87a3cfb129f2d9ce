//! Invocations and services, and what happens to semaphores.

use super::events::MpdReader;
use super::invocations::{Invocation, MatchKind, ProgramPlace};
use super::ports::MpdEvent;
use super::process::OpenBox;
use super::rules::ProcessStep;
use crate::trace::Field;

impl MpdReader<'_> {
    /// Numbers an invocation, which waits for its service from now on.
    pub(super) fn invoke(&mut self, step: &ProcessStep) -> i64 {
        let process = &self.processes.all[step.place];
        let (invoker, idepth, key) = (process.handle.clone(), process.idepth(), process.key);
        let (made_at, served_at, answered_at) = (self.builder.n_events(), None, None);
        self.invocations.push(Invocation { invoker, idepth, made_at, served_at, answered_at, is_replied: false });
        let inv = self.invocations.len() as i64;
        self.waiting.add(key, source(step), step.event == MpdEvent::Send, inv);
        self.set(self.ids.inv, Field::Int(inv));
        inv
    }

    /// A call is a box of its own; those of a co statement are open side by side.
    pub(super) fn call(&mut self, step: &mut ProcessStep) {
        let is_in_co = self.process(step).is_in_co();
        let inv = self.invoke(step);
        self.open(step, MpdEvent::Call);
        let frames = &mut self.process(step).frames;
        if is_in_co {
            frames.pop();
        }
        let is_caller = |frame: &&mut OpenBox| matches!(frame.kind, MpdEvent::Call | MpdEvent::Co);
        frames.iter_mut().rev().find(is_caller).into_iter().for_each(|frame| frame.invs.push(inv));
    }

    /// Opens the box of a service by a proc.
    pub(super) fn open_service(&mut self, step: &mut ProcessStep) {
        let process = self.process(step);
        let key = process.key;
        let own = process.frames.last().filter(|frame| frame.is_direct).and_then(|frame| frame.invs.first().copied());
        let found = match own {
            Some(inv) => {
                self.waiting.remove(key, inv);
                Some((inv, "direct"))
            }
            None => self.find(step),
        };
        if found.is_none() {
            self.miss(step);
        }
        self.open(step, MpdEvent::Proc);
        self.serve(step, found);
    }

    fn find(&mut self, step: &ProcessStep) -> Option<(i64, MatchKind)> {
        let service = (source(step), step.vm, step.proc);
        self.waiting.take(step.extra, service, step.event == MpdEvent::Proc)
    }

    fn miss(&mut self, step: &ProcessStep) {
        let (invoker, _) = &self.numbers[step.extra as usize];
        let message = format!("process `{invoker}` has no invocation that this could serve");
        self.fault(step.number, "M10", message);
    }

    /// Lets the innermost box serve an invocation.
    fn serve(&mut self, step: &mut ProcessStep, found: Option<(i64, MatchKind)>) {
        let mut idepth = step.idepth;
        if let Some((inv, how)) = found {
            self.set(self.ids.serves, Field::Int(inv));
            self.set(self.ids.matched, Field::Atom(how));
            let event = self.builder.n_events();
            let invocation = self.invocation(inv);
            invocation.served_at = Some(event);
            (step.invoker, idepth) = (Some(invocation.invoker.clone()), invocation.idepth + 1);
        } else {
            step.invoker = self.processes.live((step.vm, step.extra)).map(|process| process.handle.clone());
        }
        step.idepth = idepth;
        if let Some(frame) = self.process(step).frames.last_mut() {
            (frame.serves, frame.is_forwarded, frame.idepth) = (found.map(|(inv, _)| inv), false, idepth);
        }
    }

    /// An arm of the innermost input statement is chosen.
    pub(super) fn arm(&mut self, step: &mut ProcessStep) {
        if self.process(step).frames.last().is_some_and(OpenBox::is_choosing) {
            self.stand_in(step);
        } else {
            self.fault(step.number, "M7", "`arm` comes without an `in` before it");
            self.open(step, MpdEvent::In);
        }
        match self.find(step) {
            None if step.extra == step.pid => self.set(self.ids.matched, Field::Atom("else")),
            None => {
                self.miss(step);
                self.serve(step, None);
            }
            found => self.serve(step, found),
        }
        let arm = self.paths.extend(step.path, "arm", step.line, self.builder);
        if let Some(frame) = self.process(step).frames.last_mut() {
            frame.arm = Some(arm);
        }
    }

    /// The invocation that is served where an event stands.
    pub(super) fn served(&mut self, step: &mut ProcessStep) -> Option<i64> {
        let served = self.process(step).service().and_then(|frame| frame.serves);
        step.invoker = served.map(|inv| self.invocation(inv).invoker.clone());
        served
    }

    pub(super) fn forward(&mut self, step: &mut ProcessStep) {
        if !self.process(step).service().is_some_and(|frame| frame.is_service()) {
            self.fault(step.number, "M11", "`forward` stands outside of a service");
        }
        let Some(inv) = self.served(step) else { return };
        self.set(self.ids.inv, Field::Int(inv));
        let process = &mut self.processes.all[step.place];
        self.waiting.add(process.key, source(step), false, inv);
        if let Some(frame) = process.service() {
            frame.is_forwarded = true;
        }
    }

    pub(super) fn reply(&mut self, step: &mut ProcessStep) {
        let Some(inv) = self.served(step) else { return };
        let event = self.builder.n_events();
        let invocation = self.invocation(inv);
        let was_replied = std::mem::replace(&mut invocation.is_replied, true);
        invocation.answered_at.get_or_insert(event);
        if was_replied {
            self.fault(step.number, "M11", format!("invocation {inv} is replied to a second time"));
        }
    }

    /// Handles an event of a semaphore; does nothing for others.
    pub(super) fn semaphore(&mut self, step: &mut ProcessStep) {
        let ProcessStep { event, vm, extra, line, .. } = *step;
        let created = &mut self.processes.all[step.place].created;
        let id = match event {
            MpdEvent::CreateS => {
                created.push((line, extra));
                self.semaphores.create((vm, extra), self.builder.n_events());
                extra
            }
            MpdEvent::InitS => {
                let (value, _) = self.numbers.get_index(extra as usize).expect("the number is known");
                let value = i64::try_from(*value).ok();
                step.args = value.map(|value| self.builder.args(&value.to_string()));
                let Some((_, id)) = created.pop() else { return };
                self.semaphores.initialise((vm, id), value);
                id
            }
            MpdEvent::InitSArr => {
                let array = created.extract_if(.., |(created, _)| *created == line);
                return array.for_each(|(_, id)| self.semaphores.initialise((vm, id), None));
            }
            MpdEvent::P | MpdEvent::ContP | MpdEvent::V => extra,
            _ => return,
        };
        let semaphore = self.semaphores.at((vm, id));
        let (inc, is_early) = (semaphore.inc, event == MpdEvent::ContP && semaphore.left == Some(0));
        let change = match event {
            MpdEvent::V => 1,
            MpdEvent::ContP if !is_early => -1,
            _ => 0,
        };
        semaphore.left = semaphore.left.and_then(|left| left.checked_add(change));
        let (sem, _) = self.numbers[id as usize].clone();
        if is_early {
            let message = format!("semaphore `{sem}` is passed more often than it was let be");
            self.fault(step.number, "M6", message);
        }
        self.set(self.ids.sem, Field::Atom(&sem));
        self.set(self.ids.sem_inc, Field::Int(inc));
        self.set(self.ids.semaphore, Field::Term(&format!("s('{sem}', {inc})")));
        step.args = step.args.or_else(|| Some(self.builder.args(&format!("'{sem}'"))));
    }
}

/// Where an event stands in the program.
fn source(step: &ProcessStep) -> ProgramPlace {
    (step.file.unwrap_or(u32::MAX), step.line.unwrap_or(-1))
}
