//! The integrity rules E2 to E7: what is wrong with a run whose order is known.

use super::chains::{SerialChains, follows_spawn_reply};
use super::order::Cycle;
use super::pairs::RepeatedEvents;
use super::ports::SeqPort;
use super::rows::{ClockKind, OptionalId, RowDetail, RowId, SeqRow};
use super::run::LazyRun;
use super::run::{SeqRun, chrono};
use crate::trace::TraceBuilder;

/// A run and what was found out about it.
pub(crate) struct RuleChecks<'r> {
    pub(crate) run: &'r LazyRun,
    /// Cycles that had to be broken.
    pub(crate) cycles: &'r [Cycle],
}

/// Serials must be below this; the counters of processes have 27 bits.
const SERIAL_LIMIT: u64 = 1 << 27;

/// Which rules some event may break: those are looked at again, event by event.
#[derive(Debug)]
pub(crate) struct DoubtfulRules {
    pub(crate) serials: bool,
    pub(crate) causes: bool,
    messages: bool,
    times: bool,
    large_serials: bool,
    unmatched: bool,
    resets: bool,
    /// The last epoch and Cur of each process.
    curs: Vec<(u16, u64)>,
    /// The clock of each label.
    clocks: Vec<Option<ClockKind>>,
}

impl DoubtfulRules {
    /// None yet.
    pub(crate) fn new(run: &SeqRun) -> DoubtfulRules {
        let (curs, clocks) = (vec![(0, 0); run.n_processes()], vec![None; run.names.len()]);
        let (serials, causes, messages, times) = (false, false, false, false);
        let (large_serials, unmatched, resets) = (false, false, false);
        DoubtfulRules { serials, causes, messages, times, large_serials, unmatched, resets, curs, clocks }
    }

    /// Looks at the next event of the logs, but not at its causes.
    #[inline]
    pub(crate) fn look(&mut self, run: &SeqRun, row: &SeqRow, detail: &RowDetail) {
        self.serials |= row.cur <= row.prev;
        self.large_serials |= row.cur >= SERIAL_LIMIT;
        self.resets |= row.epoch > 0;
        self.times |= *self.clocks[row.label as usize].get_or_insert(detail.clock) != detail.clock;
        if row.port == SeqPort::Receive {
            match row.partner.get() {
                Some(send) => {
                    self.messages |= !row.is_as_sent;
                    self.times |= detail.time < run.details[send as usize].time;
                }
                None => self.unmatched = true,
            }
            return;
        }
        let (epoch, last) = std::mem::replace(&mut self.curs[row.process as usize], (row.epoch, row.cur));
        self.serials |= epoch == row.epoch && last >= row.cur;
    }
}

impl RuleChecks<'_> {
    /// Notes all that is wrong.
    pub(crate) fn findings(&self, doubts: &DoubtfulRules, shared: &RepeatedEvents, builder: &mut TraceBuilder) {
        if doubts.serials || !shared.again.is_empty() {
            self.serials(shared, builder);
        }
        if doubts.causes {
            self.causes(builder);
        }
        if doubts.messages {
            self.messages(builder);
        }
        self.cycles(builder);
        if doubts.times {
            self.times(builder);
        }
        if doubts.large_serials {
            self.large_serials(builder);
        }
        if doubts.unmatched {
            self.unmatched(builder);
        }
        if doubts.resets {
            self.resets(builder);
        }
    }

    fn row(&self, id: RowId) -> &SeqRow {
        &self.run.rows[id as usize]
    }

    fn line(&self, id: RowId) -> u64 {
        self.run.details[id as usize].line
    }

    /// The name of the log of an event.
    fn log_name(&self, row: &SeqRow) -> &str {
        &self.run.logs[self.run.log(row) as usize].name
    }

    /// The events with their numbers, in order.
    fn rows(&self) -> impl Iterator<Item = (RowId, &SeqRow)> {
        (0..).zip(&self.run.rows)
    }

    fn note(&self, builder: &mut TraceBuilder, rule: &'static str, id: RowId, message: String) {
        let row = self.row(id);
        let message = match self.run.logs.len() {
            0 | 1 => message,
            _ => format!("{}: {message}", self.log_name(row)),
        };
        builder.finding(rule, Some(chrono(id)), Some(self.line(id)), message);
    }

    /// Notes what happened several times once, at the first of these events.
    fn note_all(&self, builder: &mut TraceBuilder, rule: &'static str, ids: &[RowId], what: &str) {
        let Some(first) = ids.first() else { return };
        self.note(builder, rule, *first, format!("{} {what}", counted(ids.len())));
    }

    /// E2: Cur is above Prev, grows in each process, and distinguishes the transfers of a sender.
    fn serials(&self, shared: &RepeatedEvents, builder: &mut TraceBuilder) {
        let mut last: Vec<Option<(u16, u64)>> = vec![None; self.run.n_processes()];
        for (id, row) in self.rows() {
            if row.cur <= row.prev {
                self.note(
                    builder,
                    "E2",
                    id,
                    format!("serial {{{},{}}}: the second is not above the first", row.prev, row.cur),
                );
            }
            if row.port == SeqPort::Receive {
                continue;
            }
            let last = last[row.process as usize].replace((row.epoch, row.cur));
            let falls = |(epoch, last): &(u16, u64)| *epoch == row.epoch && row.cur <= *last && row.cur > row.prev;
            if let Some((_, last)) = last.filter(falls) {
                let process = &self.run.actor(row).text;
                let message = format!("the serial of `{process}` falls from {last} to {}", row.cur);
                self.note(builder, "E2", id, message);
            }
        }
        self.repeated_serials(shared, builder);
    }

    /// E2 for sends and receives whose serial an earlier one has.
    fn repeated_serials(&self, shared: &RepeatedEvents, builder: &mut TraceBuilder) {
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
        let places = (0..).zip(SerialChains::new(self.run)).map(|(id, place)| (id, self.row(id), place));
        for (id, row, place) in places.filter(|(_, row, _)| row.port != SeqPort::Receive) {
            let Some(last) = place.received.get() else { continue };
            let received = self.row(last);
            if received.epoch != row.epoch {
                continue;
            }
            let is_right = row.prev == received.cur || follows_spawn_reply(self.run, row, last);
            if received.label == row.label && !is_right {
                let message =
                    format!("{{{},{}}} follows a received message of serial {}", row.prev, row.cur, received.cur);
                self.note(builder, "E3", id, message);
            }
        }
    }

    /// E4: what was received is what was sent, unless it is a spawn or an exit.
    fn messages(&self, builder: &mut TraceBuilder) {
        for (id, row) in self.rows().filter(|(_, row)| row.port == SeqPort::Receive) {
            let Some(send) = row.partner.get() else { continue };
            if !row.is_as_sent && self.is_ordinary(send) {
                let message = format!("the message differs from the one sent on line {}", self.line(send));
                self.note(builder, "E4", id, message);
            }
        }
    }

    /// Whether a message went from one process to another as it is: no spawn, exit or part of a remote spawn.
    fn is_ordinary(&self, id: RowId) -> bool {
        let (send, message) = (self.row(id), self.run.local_message(id));
        let is_special = ["{spawn_request", "{spawn_reply", "{'EXIT'"].iter().any(|start| message.starts_with(start));
        !is_special && send.to.get().is_some_and(|to| self.is_process(to))
    }

    /// Whether a name may receive messages: a pid, a registered name or an alias, but no node.
    fn is_process(&self, name: u32) -> bool {
        let text = &self.run.names[name as usize].text;
        text.contains('<') || text.starts_with('{')
    }

    /// E5: no event is its own cause.
    fn cycles(&self, builder: &mut TraceBuilder) {
        for cycle in self.cycles {
            let place = |id: &RowId| match self.run.logs.len() {
                0 | 1 => self.line(*id).to_string(),
                _ => format!("{}:{}", self.log_name(self.row(*id)), self.line(*id)),
            };
            let shown: Vec<String> = cycle.iter().take(12).map(place).collect();
            let more = if cycle.len() > shown.len() { ", ..." } else { "" };
            let message = format!(
                "{} events each of which follows the next, and the last the first (logs of several runs, or a reset): lines {}{more}",
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
        for (id, row) in self.rows() {
            let detail = &self.run.details[id as usize];
            if *kinds[row.label as usize].get_or_insert(detail.clock) != detail.clock {
                others.push(id);
            }
            let Some(send) = row.partner.get().filter(|_| row.port == SeqPort::Receive) else { continue };
            let sent = &self.run.details[send as usize];
            let same_clock = detail.clock == sent.clock && detail.clock != ClockKind::None;
            if same_clock && detail.time < sent.time && self.run.log(self.row(send)) == self.run.log(row) {
                early.push(id);
            }
        }
        self.note_all(builder, "E6", &others, "with another kind of timestamp than the first of the same label");
        self.note_all(builder, "E6", &early, "received at an earlier time than sent, on one node");
    }

    /// E7: serials fit into 27 bits.
    fn large_serials(&self, builder: &mut TraceBuilder) {
        let large: Vec<RowId> = self.rows().filter(|(_, row)| row.cur >= SERIAL_LIMIT).map(|(id, _)| id).collect();
        self.note_all(builder, "E7", &large, "with a serial of more than 27 bits, by which events cannot be ordered");
    }

    /// Receives without sends, which are no fault of the log but limit what follows from it.
    fn unmatched(&self, builder: &mut TraceBuilder) {
        let is_orphan = |(id, row): (RowId, &SeqRow)| {
            (row.port == SeqPort::Receive && row.partner == OptionalId::NONE).then_some(id)
        };
        let orphans: Vec<RowId> = self.rows().filter_map(is_orphan).collect();
        if self.rows().any(|(_, row)| row.port == SeqPort::Send) {
            let why = "received without a send (the log of the other node is missing, a log was cut, or the flag send was off)";
            return self.note_all(builder, "sends", &orphans, why);
        }
        let why = "received, and no send was logged (the flag send was off): inferred_send/2 lists them";
        self.note_all(builder, "no_sends", &orphans, why);
    }

    /// The first event of each stretch of a log after a restart of the serials.
    fn resets(&self, builder: &mut TraceBuilder) {
        let mut epochs = vec![0; self.run.logs.len()];
        for (id, row) in self.rows() {
            let epoch = &mut epochs[self.run.log(row) as usize];
            if row.epoch > std::mem::replace(epoch, row.epoch.max(*epoch)) {
                let message = "serials restart here (reset_trace, or another run): each belongs to its own stretch";
                self.note(builder, "reset", id, message.to_owned());
            }
        }
    }
}

fn counted(n_events: usize) -> String {
    if n_events == 1 { "an event".to_owned() } else { format!("{n_events} events") }
}
