//! Rules about the order of events, their times, and what is known only at the end.

use super::events::VisandorReader;
use super::nodes::TaskState;
use super::ports::{EventKind, Parallelism};

/// A code above this one was never meant for one.
const LARGEST_CODE: u64 = 0xFFFF;

/// How many events something is true of, and the first of them: its number and line.
pub(super) type EventTally = (u64, (i64, u64));

impl VisandorReader<'_> {
    /// Rules about the first and the last event, times, and the flag.
    pub(super) fn check_place(&mut self, kind: EventKind, time: i64) {
        let now = self.now();
        match self.last {
            None if kind == EventKind::StartTime || self.is_excerpt => {}
            None => self.fault("V5", format_args!("the first event is not START_TIME")),
            Some(_) if kind == EventKind::StartTime => {
                self.fault("V5", format_args!("START_TIME is not the first event"));
            }
            Some((EventKind::StopTime, _)) => self.fault("V5", format_args!("an event after STOP_TIME")),
            Some((_, before)) if time < before => {
                self.fault("V4", format_args!("time goes back from {before} to {time}"));
            }
            Some((_, before)) if time == before => self.same_time.get_or_insert((0, now)).0 += 1,
            Some(_) => {}
        }
        if kind.side() != Parallelism::Both && self.side.is_some_and(|side| kind.side() != side) {
            self.other_side.get_or_insert((0, now)).0 += 1;
        }
    }

    /// Rules about agents and their stacks.
    #[cold]
    pub(super) fn check_agent(&mut self, place: u32, wam: u64, written: &str) {
        let known = &mut self.agents.all[place as usize];
        let number = known.number;
        let is_suspected = number >= 10 && written.parse() == Ok(number) && !known.is_suspected;
        known.is_suspected |= is_suspected;
        if known.wam.replace(wam).is_some_and(|before| before != wam) {
            self.fault("V13", format_args!("agent {number} has another WAM: `{written}`"));
        }
        if number < 0 {
            self.fault("V2", format_args!("the number of an agent is {number}"));
        }
        if is_suspected {
            self.fault("V14", format_args!("agent {number} has the WAM `{written}`: was it written in decimal?"));
        }
    }

    /// Notes tasks that have not ended when all stops.
    pub(super) fn check_ends(&mut self) {
        let what = if self.side == Some(Parallelism::And) { "goal" } else { "branch" };
        for task in 0..self.nodes.tasks.len() as u32 {
            let (rule, what, fault) = match self.nodes.task(task).state {
                TaskState::Suspended => ("V11", "branch", "is still suspended"),
                TaskState::Running => ("V16", what, "never ends"),
                TaskState::Ended | TaskState::Published => continue,
            };
            let name = self.nodes.name(task);
            self.fault(rule, format_args!("{what} {name} {fault}"));
        }
    }

    /// Rules about the last line and the last event. Writers leave an unknown code there when their tables of events are full.
    pub(super) fn check_last(&mut self) {
        let has_stopped = matches!(self.last, Some((EventKind::StopTime, _)));
        if let Some((line, code)) = self.unknown.take() {
            let message = format!("unknown event code `{code}` on the last line");
            if !has_stopped && code.unsigned_abs() > LARGEST_CODE {
                let why = "a table of events was full, and the rest of the run is missing";
                self.builder.lose_end();
                return self.reject(line, "full", format!("{message}: {why}"));
            }
            self.reject(line, "V3", message);
        }
        if !has_stopped && !self.is_excerpt {
            self.builder.lose_end();
            let chrono = i64::from(self.builder.n_events());
            self.builder.finding("V5", Some(chrono), Some(self.line), "the last event is not STOP_TIME");
        }
    }

    /// Reports what is true of some events, each in one finding.
    pub(super) fn report_tallies(&mut self) {
        let flag = if self.side == Some(Parallelism::And) { "0: and-parallelism" } else { "1: or-parallelism" };
        let other_side = format!("that do not belong to the flag {flag}");
        let same_time = "at the time of the event before them; their order is that of the lines";
        for (rule, tally, what) in
            [("same_time", self.same_time, same_time), ("V15", self.other_side, other_side.as_str())]
        {
            let Some((n_events, (chrono, line))) = tally else { continue };
            let events = if n_events == 1 { "event" } else { "events" };
            self.builder.finding(rule, Some(chrono), Some(line), format!("{n_events} {events} {what}"));
        }
    }
}
