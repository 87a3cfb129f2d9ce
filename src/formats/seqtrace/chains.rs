//! What the order tells of each event: its transfer, its cause, and how far it is from the start of its sequence.

use super::log::{Maybe, Port, Row, RowId};
use super::run::Run;

/// What an event is in its run.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of the transfer: that of a send and its receive; for a print that of the message received before it; 0 for none.
    pub call: u32,
    /// Hops from the start of the sequence.
    pub depth: u32,
    /// The event from which the serial of this one follows.
    pub cause: Maybe,
    /// The event that its process has received before it, of any sequence.
    pub received: Maybe,
}

/// The places of all events, which are in their order, one after the other.
pub struct Chains<'r> {
    run: &'r Run,
    /// The last receive of each process.
    received: Vec<Maybe>,
    /// Those of the events so far.
    pub calls: Vec<u32>,
    pub depths: Vec<u32>,
    /// The transfer from which each transfer follows; 0 for none.
    pub around: Vec<u32>,
}

impl<'r> Chains<'r> {
    pub fn new(run: &'r Run) -> Chains<'r> {
        let n_rows = run.rows.len();
        let (calls, depths) = (Vec::with_capacity(n_rows), Vec::with_capacity(n_rows));
        Chains { run, received: vec![Maybe::NONE; run.n_processes()], calls, depths, around: Vec::new() }
    }

    fn new_call(&mut self, around: u32) -> u32 {
        self.around.push(around);
        self.around.len() as u32
    }

    fn receive(&mut self, row: &Row) -> Place {
        let received = self.received[row.process as usize];
        let send = row.partner.get().filter(|send| (*send as usize) < self.calls.len());
        let (call, depth) = match send {
            Some(send) => (self.calls[send as usize], self.depths[send as usize]),
            None => (self.new_call(0), 1),
        };
        self.received[row.process as usize] = Maybe::some(self.calls.len() as RowId);
        Place { call, depth, cause: send.into(), received }
    }

    /// A send or a print.
    fn other(&mut self, row: &Row) -> Place {
        let received = self.received[row.process as usize];
        let cause = received.get().filter(|cause| follows(self.run, row, *cause));
        let (around, depth) =
            cause.map_or((0, 1), |cause| (self.calls[cause as usize], self.depths[cause as usize] + 1));
        let call = if row.port == Port::Send { self.new_call(around) } else { around };
        Place { call, depth, cause: cause.into(), received }
    }
}

impl Iterator for Chains<'_> {
    type Item = Place;

    #[inline]
    fn next(&mut self) -> Option<Place> {
        let row = self.run.rows.get(self.calls.len())?;
        let place = match row.port {
            Port::Receive => self.receive(row),
            Port::Send | Port::Print => self.other(row),
        };
        self.calls.push(place.call);
        self.depths.push(place.depth);
        Some(place)
    }
}

/// Whether the serial of an event follows from that of a message received in the same sequence.
fn follows(run: &Run, row: &Row, received: RowId) -> bool {
    let cause = &run.rows[received as usize];
    row.label == cause.label && (row.prev == cause.cur || is_behind_spawn_reply(run, row, received))
}

/// Whether the counters of a process jumped as they do in OTP 25 when it has received the reply to a local spawn: to 16n + 15.
pub fn is_behind_spawn_reply(run: &Run, row: &Row, received: RowId) -> bool {
    let jumped = run.rows[received as usize].cur.checked_mul(16).and_then(|cur| cur.checked_add(15));
    jumped == Some(row.prev) && run.local_message(received).starts_with("{spawn_reply")
}

/// The chains of all events may have so many steps together before the far ends of long ones are left out.
const MOST_STEPS: u64 = 2_000_000;
/// So many steps are left then.
const FEW_STEPS: usize = 16;

/// How many steps of each chain are kept, as the depths tell.
pub fn most_steps(depths: &[u32]) -> usize {
    let n_steps: u64 = depths.iter().map(|depth| u64::from(*depth)).sum();
    if n_steps <= MOST_STEPS { usize::MAX } else { FEW_STEPS }
}
