//! What follows from the order of the events: the transfer and the cause of each, and its distance from the start of its
//! sequence.

use super::ports::SeqPort;
use super::rows::{OptionalId, RowId, SeqRow};
use super::run::SeqRun;

/// The position of an event in the chains of its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainPlace {
    /// Number of the transfer. A send and its receive share one; a print has that of the message received before it. 0 for
    /// none.
    pub(crate) call: u32,
    /// Hops from the start of the sequence.
    pub(crate) depth: u32,
    /// The event from which the serial of this one follows.
    pub(crate) cause: OptionalId,
    /// The event that its process has received before it, of any sequence.
    pub(crate) received: OptionalId,
}

/// Computes the chain position of each event in order.
pub(crate) struct SerialChains<'r> {
    run: &'r SeqRun,
    /// Number of events so far.
    n_placed: usize,
    /// The last receive of each process.
    received: Vec<OptionalId>,
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
        SerialChains { run, n_placed: 0, received, calls, depths, around: Vec::new(), n_steps: 0, has_gaps: false }
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
        let (call, depth) = match send {
            Some(send) => (self.calls[send as usize], self.depths[send as usize]),
            None => (self.new_call(0), 1),
        };
        ChainPlace { call, depth, cause: send.into(), received }
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
