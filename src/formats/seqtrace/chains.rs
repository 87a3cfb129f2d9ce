//! What the order tells of each event: its transfer, its cause, and how far it is from the start of its sequence.

use std::num::NonZeroU32;

use super::log::{Port, Row, RowId};
use super::run::Run;

/// What an event is in its run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Number of the transfer: that of a send and its receive; for a print that of the message received before it.
    pub call: Option<NonZeroU32>,
    /// The transfer from which this one follows.
    pub parent: Option<NonZeroU32>,
    /// Hops from the start of the sequence.
    pub depth: u32,
    /// The event from which the serial of this one follows.
    pub cause: Option<RowId>,
    /// The event that its process has received before it, of any sequence.
    pub received: Option<RowId>,
}

/// The places of all events, which are in their order.
pub fn places(run: &Run) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(run.rows.len());
    let mut received: Vec<Option<RowId>> = vec![None; run.n_processes()];
    let mut calls = (1..=u32::MAX).filter_map(NonZeroU32::new);
    let mut next_call = || calls.next();
    for (row, id) in run.rows.iter().zip(0..) {
        let before = received[row.process as usize];
        let mut place = Place { received: before, depth: 1, ..Place::default() };
        match row.port {
            Port::Receive => {
                let send = row.partner.and_then(|send| places.get(send as usize));
                place.cause = row.partner.filter(|_| send.is_some());
                place.call = send.map_or_else(&mut next_call, |send| send.call);
                place.parent = send.and_then(|send| send.parent);
                place.depth = send.map_or(1, |send| send.depth);
                received[row.process as usize] = Some(id);
            }
            Port::Send | Port::Print => {
                place.cause = before.filter(|cause| follows(run, row, &run.rows[*cause as usize]));
                let cause = place.cause.map(|cause| places[cause as usize]);
                place.depth = cause.map_or(1, |cause| cause.depth + 1);
                match row.port {
                    Port::Send => (place.call, place.parent) = (next_call(), cause.and_then(|cause| cause.call)),
                    _ => place.call = cause.and_then(|cause| cause.call),
                }
            }
        }
        places.push(place);
    }
    places
}

/// Whether the serial of an event follows from that of a message received in the same sequence.
fn follows(run: &Run, row: &Row, received: &Row) -> bool {
    row.label == received.label && (row.prev == received.cur || is_behind_spawn_reply(run, row, received))
}

/// Whether the counters of a process jumped as they do in OTP 25 when it has received the reply to a local spawn: to 16n + 15.
pub fn is_behind_spawn_reply(run: &Run, row: &Row, received: &Row) -> bool {
    let jumped = received.cur.checked_mul(16).and_then(|cur| cur.checked_add(15));
    jumped == Some(row.prev) && run.local_message(received).starts_with("{spawn_reply")
}

/// The chains of all events may have so many steps together before the far ends of long ones are left out.
const MOST_STEPS: u64 = 2_000_000;
/// So many steps are left then.
const FEW_STEPS: usize = 16;

/// How many steps of each chain are kept.
pub fn most_steps(places: &[Place]) -> usize {
    let n_steps: u64 = places.iter().map(|place| u64::from(place.depth)).sum();
    if n_steps <= MOST_STEPS { usize::MAX } else { FEW_STEPS }
}
