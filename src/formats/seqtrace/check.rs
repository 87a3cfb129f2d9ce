//! The integrity rules E2 to E7: what is wrong with a run whose order is known.

use super::chains::{Place, is_behind_spawn_reply};
use super::link::Shared;
use super::log::{Port, Row, RowId, Time};
use super::order::Cycle;
use super::run::{Run, chrono};
use crate::trace::TraceBuilder;

/// A run and what was found out about it.
pub struct Checked<'r> {
    pub run: &'r Run,
    pub places: &'r [Place],
    /// Cycles that had to be broken.
    pub cycles: &'r [Cycle],
}

/// Serials must be below this; the counters of processes have 27 bits.
const SERIAL_LIMIT: u64 = 1 << 27;

impl Checked<'_> {
    /// Notes all that is wrong.
    pub fn findings(&self, shared: &Shared, builder: &mut TraceBuilder) {
        self.serials(shared, builder);
        self.causes(builder);
        self.messages(builder);
        self.cycles(builder);
        self.times(builder);
        self.large_serials(builder);
        self.unmatched(builder);
    }

    fn row(&self, id: RowId) -> &Row {
        &self.run.rows[id as usize]
    }

    fn line(&self, row: &Row) -> u64 {
        self.run.detail(row).line
    }

    /// The events that logs have, in order.
    fn logged(&self) -> impl Iterator<Item = (RowId, &Row)> {
        (0..).zip(&self.run.rows).filter(|(_, row)| !row.is_made_up)
    }

    fn note(&self, builder: &mut TraceBuilder, rule: &'static str, id: RowId, message: String) {
        let row = self.row(id);
        let message = match self.run.logs.len() {
            0 | 1 => message,
            _ => format!("{}: {message}", self.run.logs[row.log as usize].name),
        };
        let line = Some(self.line(row)).filter(|_| !row.is_made_up);
        builder.finding(rule, Some(chrono(id)), line, message);
    }

    /// Notes what happened several times once, at the first of these events.
    fn note_all(&self, builder: &mut TraceBuilder, rule: &'static str, ids: &[RowId], what: &str) {
        let Some(first) = ids.first() else { return };
        self.note(builder, rule, *first, format!("{} {what}", counted(ids.len())));
    }

    /// E2: Cur is above Prev, grows in each process, and tells the transfers of a sender apart.
    fn serials(&self, shared: &Shared, builder: &mut TraceBuilder) {
        let mut last: Vec<Option<u64>> = vec![None; self.run.n_processes()];
        for (id, row) in self.logged() {
            if row.cur <= row.prev {
                self.note(
                    builder,
                    "E2",
                    id,
                    format!("serial {{{},{}}}: the second is not above the first", row.prev, row.cur),
                );
            }
            if row.port == Port::Receive {
                continue;
            }
            let last = last[row.process as usize].replace(row.cur);
            if let Some(last) = last.filter(|last| row.cur <= *last && row.cur > row.prev) {
                let process = &self.run.actor(row).text;
                let message =
                    format!("the serial of `{process}` falls from {last} to {} (reset_trace, or another run)", row.cur);
                self.note(builder, "E2", id, message);
            }
        }
        for id in &shared.again {
            let row = self.row(*id);
            let message = format!(
                "a second {} of `{}` with label and serial {{{},{}}}",
                row.port.name(),
                self.run.names[row.from as usize].text,
                row.prev,
                row.cur
            );
            self.note(builder, "E2", *id, message);
        }
    }

    /// E3: Prev is the Cur of what the process has received last.
    fn causes(&self, builder: &mut TraceBuilder) {
        for (id, row) in self.logged().filter(|(_, row)| row.port != Port::Receive) {
            let Some(received) = self.places[id as usize].received.map(|received| self.row(received)) else { continue };
            let is_right = row.prev == received.cur || is_behind_spawn_reply(self.run, row, received);
            if received.label == row.label && !is_right {
                let message =
                    format!("{{{},{}}} follows a received message of serial {}", row.prev, row.cur, received.cur);
                self.note(builder, "E3", id, message);
            }
        }
    }

    /// E4: what was received is what was sent, unless it is a spawn or an exit.
    fn messages(&self, builder: &mut TraceBuilder) {
        for (id, row) in self.logged().filter(|(_, row)| row.port == Port::Receive) {
            let Some(send) = row.partner.map(|send| self.row(send)).filter(|send| !send.is_made_up) else { continue };
            if !row.is_as_sent && self.is_ordinary(send) {
                let message = format!("the message is another than was sent in line {}", self.line(send));
                self.note(builder, "E4", id, message);
            }
        }
    }

    /// Whether a message went from one process to another as it is: no spawn, exit or part of a remote spawn.
    fn is_ordinary(&self, send: &Row) -> bool {
        let message = self.run.local_message(send);
        let is_special = ["{spawn_request", "{spawn_reply", "{'EXIT'"].iter().any(|start| message.starts_with(start));
        !is_special && send.to.is_some_and(|to| self.is_process(to))
    }

    /// Whether a name may receive messages: a pid, a registered name or an alias, but no node.
    fn is_process(&self, name: u32) -> bool {
        let text = &self.run.names[name as usize].text;
        text.contains('<') || text.starts_with('{')
    }

    /// E5: no event is its own cause.
    fn cycles(&self, builder: &mut TraceBuilder) {
        for cycle in self.cycles {
            let place = |id: &RowId| {
                let row = self.row(*id);
                match self.run.logs.len() {
                    0 | 1 => self.line(row).to_string(),
                    _ => format!("{}:{}", self.run.logs[row.log as usize].name, self.line(row)),
                }
            };
            let shown: Vec<String> = cycle.iter().take(12).map(place).collect();
            let more = if cycle.len() > shown.len() { ", ..." } else { "" };
            let message = format!(
                "{} events each of which is behind the next, the last behind the first (logs of several runs, or a reset): lines {}{more}",
                cycle.len(),
                shown.join(", ")
            );
            if let Some(first) = cycle.first() {
                self.note(builder, "E5", *first, message);
            }
        }
    }

    /// E6: one kind of clock for each label, and no message received before it was sent.
    fn times(&self, builder: &mut TraceBuilder) {
        let mut kinds = vec![None; self.run.names.len()];
        let (mut others, mut early) = (Vec::new(), Vec::new());
        for (id, row) in self.logged() {
            let time = self.run.time(row);
            if *kinds[row.label as usize].get_or_insert(clock(time)) != clock(time) {
                others.push(id);
            }
            let send =
                row.partner.map(|send| self.row(send)).filter(|send| row.port == Port::Receive && send.log == row.log);
            if let (Some(received), Some(sent)) = (time, send.and_then(|send| self.run.time(send)))
                && clock(Some(received)) == clock(Some(sent))
                && received.nanoseconds() < sent.nanoseconds()
            {
                early.push(id);
            }
        }
        self.note_all(builder, "E6", &others, "with another kind of timestamp than the first of the same label");
        self.note_all(builder, "E6", &early, "received at an earlier time than sent, on one node");
    }

    /// E7: serials fit into 27 bits.
    fn large_serials(&self, builder: &mut TraceBuilder) {
        let large: Vec<RowId> = self.logged().filter(|(_, row)| row.cur >= SERIAL_LIMIT).map(|(id, _)| id).collect();
        self.note_all(builder, "E7", &large, "with a serial of more than 27 bits, by which events cannot be ordered");
    }

    /// Receives without their sends, which is no fault of the log but limits what it tells.
    fn unmatched(&self, builder: &mut TraceBuilder) {
        let made_up: Vec<RowId> =
            (0..).zip(&self.run.rows).filter(|(_, row)| row.is_made_up).map(|(id, _)| id).collect();
        if let Some(first) = made_up.first() {
            let message = format!("no send was logged (flag send is off): {} made up from the receives", made_up.len());
            self.note(builder, "sends", *first, message);
        }
        let orphans: Vec<RowId> = self
            .logged()
            .filter(|(_, row)| row.port == Port::Receive && row.partner.is_none())
            .map(|(id, _)| id)
            .collect();
        self.note_all(
            builder,
            "sends",
            &orphans,
            "received without a send (the log of the other node is missing, a log was cut, or the flag send was off)",
        );
    }
}

fn counted(n_events: usize) -> String {
    if n_events == 1 { "an event".to_owned() } else { format!("{n_events} events") }
}

/// The kind of clock.
fn clock(time: Option<Time>) -> u8 {
    match time {
        None => 0,
        Some(Time::Wall(_)) => 1,
        Some(Time::Monotonic(_)) => 2,
        Some(Time::Strict(..)) => 3,
    }
}
