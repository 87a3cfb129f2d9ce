//! Where the serials of a log restart: `seq_trace:reset_trace/0` sets the counters of all processes of its node to 0, and the
//! log of another run in the same file begins with 0 too.

use super::ports::SeqPort;
use super::rows::{NameId, SeqRow};
use crate::term::hash::HashMap;

/// What the events of one process say of its counters.
#[derive(Clone, Copy, Default)]
struct SerialCounter {
    epoch: u16,
    /// What its own counter must be at least.
    clock: u64,
    /// Place and Cur of what it has received since its last send or print.
    received: Option<(usize, u64)>,
    /// The place after its last send or print.
    after_last: usize,
}

impl SerialCounter {
    /// Where the send or print at a place, whose serial does not rise, shows that the counters restarted; none if it
    /// is only wrong, or logged twice.
    fn reset_at(&self, at: usize, row: &SeqRow) -> Option<usize> {
        match self.received {
            Some((place, cur)) if row.prev == cur => Some(place),
            _ if row.prev > 0 => None,
            Some(_) => Some(at),
            None => (row.cur < self.clock || self.after_last != at).then_some(at),
        }
    }
}

/// How many events back the send is searched with which a new process began what another one received.
const NEAR: usize = 64;

/// Numbers the stretches of a log's events in which serials do not restart; the processes of the log have numbers from
/// `first_process` on.
pub(crate) fn number_epochs(rows: &mut [SeqRow], first_process: u32) {
    let mut counters: Vec<SerialCounter> = Vec::new();
    let has_sends = rows.iter().any(|row| row.port == SeqPort::Send);
    // what is not logged counts too: the next number is sure to be logged only if sends are
    let is_next = |row: &SeqRow| if has_sends { row.cur == row.prev.saturating_add(1) } else { row.cur > row.prev };
    let mut epoch = 0;
    for at in 0..rows.len() {
        rows[at].epoch = epoch;
        let row = rows[at];
        let process = (row.process - first_process) as usize;
        if counters.len() <= process {
            counters.resize(process + 1, SerialCounter::default());
        }
        let counter = &mut counters[process];
        if counter.epoch != epoch {
            *counter = SerialCounter { epoch, ..SerialCounter::default() };
        }
        if row.port == SeqPort::Receive {
            counter.received = Some((at, row.cur));
            counter.clock = counter.clock.max(row.cur);
            continue;
        }
        let start = if row.cur <= counter.clock && is_next(&row) { counter.reset_at(at, &row) } else { None };
        if let Some(start) = start.filter(|_| epoch < u16::MAX) {
            epoch += 1;
            let start = if start < at { sent_before(rows, start).unwrap_or(start) } else { at };
            rows[start..=at].iter_mut().for_each(|row| row.epoch = epoch);
            *counter = SerialCounter { epoch, ..SerialCounter::default() };
        }
        (counter.clock, counter.received, counter.after_last) = (row.cur, None, at + 1);
    }
}

/// The place of the send of what was received at a place, if it is near.
fn sent_before(rows: &[SeqRow], received: usize) -> Option<usize> {
    let wanted = &rows[received];
    let is_send =
        |row: &SeqRow| row.port == SeqPort::Send && row.from == wanted.from && row.serial() == wanted.serial();
    let start = received.saturating_sub(NEAR);
    rows[start..received].iter().rposition(is_send).map(|place| start + place)
}

/// How many events a stretch may begin before the event that shows it.
const FAR: usize = 1024;

/// The same for a log of receives only. The number that a process gave to a message belongs to
/// no other one of its messages, and what it has sent to one process arrives in order: otherwise the serials have
/// restarted. The stretch begins with the first event of the chain that leads there.
pub(crate) fn number_epochs_of_receives(rows: &mut [SeqRow]) {
    let (mut first, mut epoch) = (0, 0);
    let mut senders = ReceiptSenders::default();
    for at in 0..rows.len() {
        rows[at].epoch = epoch;
        if senders.take(&rows[at]) || epoch == u16::MAX {
            continue;
        }
        let start = start_of_chain(&rows[first..=at]).map_or(at, |start| first + start);
        epoch += 1;
        first = start;
        senders = ReceiptSenders::default();
        for row in &mut rows[start..=at] {
            row.epoch = epoch;
            senders.take(row);
        }
    }
}

/// What the processes of a stretch have sent, according to their receivers.
#[derive(Default)]
struct ReceiptSenders {
    /// The last Cur from one process to another.
    last: HashMap<(NameId, NameId), u64>,
    /// The receiver of the message with a Cur.
    receivers: HashMap<(NameId, u64), NameId>,
}

impl ReceiptSenders {
    /// Whether a message may belong to the stretch of those before it; one that is logged twice may.
    fn take(&mut self, row: &SeqRow) -> bool {
        let to = row.actor();
        let last = self.last.entry((row.from, to)).or_insert(row.cur);
        let falls = row.cur < *last;
        *last = row.cur;
        let receiver = *self.receivers.entry((row.from, row.cur)).or_insert(to);
        !falls && receiver == to
    }
}

/// The place of the event that the last one goes back to, each the receipt of what the sender of the next had received last.
fn start_of_chain(rows: &[SeqRow]) -> Option<usize> {
    let farthest = rows.len().saturating_sub(FAR).max(1);
    let mut start = rows.len().checked_sub(1)?;
    while rows[start].prev > 0 {
        let next = rows[start];
        let nearest = start.saturating_sub(NEAR).max(farthest);
        let leads_there = |row: &SeqRow| row.actor() == next.from && row.cur == next.prev && row.label == next.label;
        let Some(place) = rows.get(nearest..start)?.iter().rposition(leads_there) else { break };
        start = nearest + place;
    }
    Some(start)
}
