//! What follows from the order of the events: the transfer and the cause of each, and its distance from the start of its
//! sequence.

use crate::term::hash::HashMap;

use super::ports::SeqPort;
use super::rows::{NameId, OptionalId, RowId, SeqRow};
use super::run::SeqRun;

/// The position of an event in the chains of its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainPlace {
    /// Number of the transfer. A send and its receive share one; a print has that of the message received before it. 0 for
    /// none.
    pub(crate) call: u32,
    /// Hops from the start of the sequence.
    pub(crate) depth: u32,
    /// The send of a receive, or the event from which the serial of this one, or of its send, follows.
    pub(crate) cause: OptionalId,
    /// The event that its process has received before it, of any sequence.
    pub(crate) received: OptionalId,
}

/// Receiver, Cur, label and epoch.
type ReceivedSerial = (NameId, u64, NameId, u16);

/// Computes the chain position of each event in order.
pub(crate) struct SerialChains<'r> {
    run: &'r SeqRun,
    /// Number of events so far.
    n_placed: usize,
    /// The last receive of each process.
    received: Vec<OptionalId>,
    /// The last receive of each process with a serial, if sends are missing that may follow from it.
    by_serial: Option<HashMap<ReceivedSerial, RowId>>,
    /// Transfers of the events so far, 0 for the others.
    calls: Vec<u32>,
    depths: Vec<u32>,
    /// The transfer that caused each transfer; 0 for none.
    pub(crate) around: Vec<u32>,
    /// The sum of the depths of all events so far.
    pub(crate) n_steps: u64,
    /// Whether a serial did not follow from that of the message received before it, in the same sequence.
    pub(crate) has_gaps: bool,
}

impl<'r> SerialChains<'r> {
    /// For the events of a run.
    pub(crate) fn new(run: &'r SeqRun) -> SerialChains<'r> {
        let (calls, depths) = (vec![0; run.rows.len()], vec![0; run.rows.len()]);
        let received = vec![OptionalId::NONE; run.n_processes()];
        let is_orphan = |row: &SeqRow| row.port == SeqPort::Receive && row.partner.get().is_none();
        let by_serial = run.rows.iter().any(is_orphan).then(HashMap::default);
        let (around, n_steps, has_gaps) = (Vec::new(), 0, false);
        SerialChains { run, n_placed: 0, received, by_serial, calls, depths, around, n_steps, has_gaps }
    }

    /// The place of the event that is the next one in the order.
    #[inline]
    pub(crate) fn place(&mut self, id: RowId) -> ChainPlace {
        let row = &self.run.rows[id as usize];
        let place = match row.port {
            SeqPort::Receive => self.receive(id, row),
            SeqPort::Send | SeqPort::Print => self.other(row),
        };
        (self.calls[id as usize], self.depths[id as usize]) = (place.call, place.depth);
        self.n_steps += u64::from(place.depth);
        self.n_placed += 1;
        place
    }

    /// Whether some transfer so far follows from another one.
    pub(crate) fn has_parents(&self) -> bool {
        self.around.iter().any(|around| *around > 0)
    }

    fn new_call(&mut self, around: u32) -> u32 {
        self.around.push(around);
        self.around.len() as u32
    }

    #[inline]
    fn receive(&mut self, id: RowId, row: &SeqRow) -> ChainPlace {
        let received = std::mem::replace(&mut self.received[row.process as usize], OptionalId::some(id));
        // a send always has a transfer
        let send = row.partner.get().filter(|send| self.calls[*send as usize] > 0);
        let cause = send.or_else(|| self.inferred_cause(row));
        let (call, depth) = match (send, cause) {
            (Some(send), _) => (self.calls[send as usize], self.depths[send as usize]),
            (None, Some(cause)) => (self.new_call(self.calls[cause as usize]), self.depths[cause as usize] + 1),
            (None, None) => (self.new_call(0), 1),
        };
        if let (Some(by_serial), Some(to)) = (&mut self.by_serial, row.to.get()) {
            by_serial.insert((to, row.cur, row.label, row.epoch), id);
        }
        ChainPlace { call, depth, cause: cause.into(), received }
    }

    /// The receive from which the serial of a send follows that is not in the trace.
    fn inferred_cause(&self, receive: &SeqRow) -> Option<RowId> {
        let SeqRow { prev, label, from, epoch, .. } = *receive;
        self.by_serial.as_ref()?.get(&(from, prev, label, epoch)).copied()
    }

    /// A send or a print.
    #[inline]
    fn other(&mut self, row: &SeqRow) -> ChainPlace {
        let received = self.received[row.process as usize];
        let of_same = |received: &RowId| {
            let received = &self.run.rows[*received as usize];
            received.label == row.label && received.epoch == row.epoch
        };
        let before = received.get().filter(of_same);
        let cause = before.filter(|received| follows(self.run, row, *received));
        self.has_gaps |= before.is_some() && cause.is_none();
        let (around, depth) =
            cause.map_or((0, 1), |cause| (self.calls[cause as usize], self.depths[cause as usize] + 1));
        let call = if row.port == SeqPort::Send { self.new_call(around) } else { around };
        ChainPlace { call, depth, cause: cause.into(), received }
    }
}

/// The positions of the events of a run that is in order.
impl Iterator for SerialChains<'_> {
    type Item = ChainPlace;

    #[inline]
    fn next(&mut self) -> Option<ChainPlace> {
        (self.n_placed < self.run.rows.len()).then(|| self.place(self.n_placed as RowId))
    }
}

/// Whether the serial of an event follows from that of a message received.
fn follows(run: &SeqRun, row: &SeqRow, received: RowId) -> bool {
    row.prev == run.rows[received as usize].cur || follows_spawn_reply(run, row, received)
}

/// Whether the counter of a process jumped to 16n + 15, as it does in OTP 25 on the reply to a local spawn.
pub(crate) fn follows_spawn_reply(run: &SeqRun, row: &SeqRow, received: RowId) -> bool {
    let jumped = run.rows[received as usize].cur.checked_mul(16).and_then(|cur| cur.checked_add(15));
    jumped == Some(row.prev) && run.local_message(received).starts_with("{spawn_reply")
}

/// Steps that the chains of all events may have in total; beyond that, the far ends of long chains are left out.
const MOST_STEPS: u64 = 2_000_000;
/// The steps that a chain keeps in that case.
const FEW_STEPS: usize = 16;

/// How many steps each chain keeps, given the total.
pub(crate) fn most_steps(n_steps: u64) -> usize {
    if n_steps <= MOST_STEPS { usize::MAX } else { FEW_STEPS }
}
