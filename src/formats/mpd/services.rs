//! Invocations and services, and what happens to semaphores.

use super::events::MpdReader;
use super::invocations::{Invocation, MatchKind, ProgramPlace};
use super::paths::PathStep;
use super::ports::MpdEvent;
use super::process::BoxKind;
use super::rules::ProcessStep;

impl MpdReader<'_> {
    /// Numbers an invocation, which waits for its service from now on.
    fn invoke(&mut self, step: &mut ProcessStep<'_>) -> i64 {
        let process = &self.processes.all[step.place];
        let (invoker, idepth, key) = (process.handle, process.idepth(), process.key);
        let made_at = self.emitter.n_events();
        let (served_at, answered_at) = (None, None);
        let invocations = &mut self.emitter.tables.invocations;
        invocations.push(Invocation { invoker, idepth, made_at, served_at, answered_at, is_replied: false });
        let inv = invocations.len() as i64;
        self.waiting.add(key, source(step), step.line.event == MpdEvent::Send, inv);
        inv
    }

    pub(crate) fn send(&mut self, step: &mut ProcessStep<'_>) {
        self.invoke(step);
    }

    /// A call is a box of its own; those of a co statement are open side by side.
    pub(crate) fn call(&mut self, step: &mut ProcessStep<'_>) {
        let is_in_co = self.process(step).is_in_co();
        let inv = self.invoke(step);
        self.open(step, BoxKind::Invocation);
        let frames = &mut self.process(step).frames;
        if is_in_co {
            frames.pop();
        }
        if let Some(frame) =
            frames.iter_mut().rev().find(|frame| matches!(frame.kind, BoxKind::Invocation | BoxKind::Co))
        {
            frame.invs.push(inv);
        }
    }

    /// Opens the box of a service by a proc.
    pub(crate) fn open_service(&mut self, step: &mut ProcessStep<'_>) {
        let own = self.process(step).frames.last().filter(|frame| frame.is_direct).and_then(|frame| frame.invs.first());
        let found = match own.copied() {
            Some(inv) => {
                let key = self.process(step).key;
                self.waiting.remove(key, inv);
                Some((inv, MatchKind::Direct))
            }
            None => self.find(step),
        };
        if found.is_none() {
            let invoker = step.line.written_extra();
            self.fault(step, "M10", format!("process `{invoker}` has no invocation that this could serve"));
        }
        self.open(step, BoxKind::Proc);
        self.serve(step, found);
    }

    fn find(&mut self, step: &ProcessStep<'_>) -> Option<(i64, MatchKind)> {
        let service = (source(step), step.facts.vm, step.facts.proc);
        let key = (step.facts.vm, step.line.extra);
        self.waiting.take(key, service, step.line.event == MpdEvent::Proc)
    }

    /// Lets the innermost box serve an invocation.
    fn serve(&mut self, step: &mut ProcessStep<'_>, found: Option<(i64, MatchKind)>) {
        let event = self.emitter.n_events();
        let tables = &mut self.emitter.tables;
        tables.services.extend(found.map(|(inv, _)| (event, inv as u32)));
        let invocation = found.map(|(inv, _)| &mut tables.invocations[inv as usize - 1]);
        let invocation = invocation.map(|invocation| {
            invocation.served_at = Some(event);
            &*invocation
        });
        let idepth = invocation.map(|invocation| invocation.idepth + 1);
        let key = (step.facts.vm, step.line.extra);
        let unknown = || self.processes.live(key).and_then(|process| process.handle);
        let is_else = matches!(found, Some((_, MatchKind::Else)));
        step.facts.invoker = match invocation {
            Some(invocation) => invocation.invoker,
            None if is_else => None,
            None => unknown(),
        };
        step.facts.matched = found.map(|(_, how)| how);
        if let Some(frame) = self.processes.all[step.place].frames.last_mut() {
            frame.serves = found.map(|(inv, _)| inv);
            frame.is_forwarded = false;
            frame.idepth = idepth.unwrap_or(frame.idepth);
            step.facts.idepth = frame.idepth;
        }
    }

    /// An arm of the innermost input statement is chosen.
    pub(crate) fn arm(&mut self, step: &mut ProcessStep<'_>) {
        let is_waiting =
            self.process(step).frames.last().is_some_and(|frame| frame.kind == BoxKind::In && frame.arm.is_none());
        if is_waiting {
            self.stand_in(step);
        } else {
            self.fault(step, "M7", "`arm` comes without an `in` before it".to_owned());
            self.open(step, BoxKind::In);
        }
        let found = self.find(step);
        let is_self = step.line.extra == step.line.pid;
        match found {
            Some(_) => self.serve(step, found),
            None if is_self => step.facts.matched = Some(MatchKind::Else),
            None => {
                let invoker = step.line.written_extra();
                self.fault(step, "M10", format!("process `{invoker}` has no invocation that this could serve"));
                self.serve(step, None);
            }
        }
        let line = step.source();
        let arm = self.emitter.paths.extend(step.facts.path, PathStep::Arm, line, self.emitter.builder);
        if let Some(frame) = self.process(step).frames.last_mut() {
            frame.arm = Some(arm);
        }
    }

    /// The invocation that is served where an event stands.
    fn served(&mut self, step: &mut ProcessStep<'_>) -> Option<i64> {
        let served = self.process(step).service().and_then(|frame| frame.serves);
        step.facts.invoker = served.and_then(|inv| self.invocation(inv).invoker);
        served
    }

    pub(crate) fn forward(&mut self, step: &mut ProcessStep<'_>) {
        let is_service = self.process(step).service().is_some_and(|frame| frame.is_service());
        if !is_service {
            self.fault(step, "M11", "`forward` stands outside of a service".to_owned());
        }
        let Some(inv) = self.served(step) else { return };
        let event = self.emitter.n_events();
        self.emitter.tables.forwards.push((event, inv as u32));
        let process = &mut self.processes.all[step.place];
        self.waiting.add(process.key, source(step), false, inv);
        if let Some(frame) = process.service() {
            frame.is_forwarded = true;
        }
    }

    pub(crate) fn reply(&mut self, step: &mut ProcessStep<'_>) {
        let Some(inv) = self.served(step) else { return };
        let event = self.emitter.n_events();
        let invocation = self.invocation(inv);
        let was_replied = std::mem::replace(&mut invocation.is_replied, true);
        invocation.answered_at.get_or_insert(event);
        if was_replied {
            self.fault(step, "M11", format!("invocation {inv} is replied to a second time"));
        }
    }

    pub(crate) fn returned(&mut self, step: &mut ProcessStep<'_>) {
        self.served(step);
    }

    /// An event of a semaphore.
    pub(crate) fn semaphore(&mut self, step: &mut ProcessStep<'_>) {
        let (vm, extra, line) = (step.facts.vm, step.line.extra, step.source());
        let process = &mut self.processes.all[step.place];
        let id = match step.line.event {
            MpdEvent::InitS => match process.created.pop() {
                Some((_, id)) => id,
                None => return step.facts.value = i64::try_from(extra).ok(),
            },
            MpdEvent::InitSArr => {
                let array = process.created.extract_if(.., |(created, _)| *created == line);
                return array.for_each(|(_, id)| self.semaphores.initialise((vm, id), None));
            }
            _ => extra,
        };
        match step.line.event {
            MpdEvent::CreateS => {
                process.created.push((line, id));
                self.semaphores.create((vm, id), self.emitter.n_events());
            }
            MpdEvent::InitS => {
                step.facts.value = i64::try_from(extra).ok();
                self.semaphores.initialise((vm, id), step.facts.value);
            }
            MpdEvent::V => self.semaphores.at((vm, id)).add(1),
            _ => {}
        }
        let semaphore = self.semaphores.at((vm, id));
        step.facts.sem = Some((id, semaphore.inc));
        if step.line.event == MpdEvent::ContP && !semaphore.pass() {
            let sem = step.line.written_extra();
            self.fault(step, "M6", format!("semaphore `{sem}` is passed more often than it was let be"));
        }
    }
}

/// Where an event stands in the program.
fn source(step: &ProcessStep<'_>) -> ProgramPlace {
    (step.facts.file.unwrap_or(u32::MAX), step.source().unwrap_or(-1))
}
