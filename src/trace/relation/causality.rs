//! Which event happened before which, in a trace of several processes: the order of each process, and from a message sent
//! to the message received (Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978).

use std::sync::{Arc, Mutex};

use super::store::Trace;
use crate::term::hash::HashMap;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;

/// The causal order of a trace.
#[derive(Debug)]
pub(crate) struct Causality {
    /// The process of each event.
    processes: Vec<u32>,
    /// The index of each event in its process.
    places: Vec<u32>,
    /// For each process its events that have an earlier or a later partner, in order.
    received: Vec<Vec<(u32, EventId)>>,
    sent: Vec<Vec<(u32, EventId)>>,
    /// The cone that was computed last.
    last_past: Mutex<Option<Arc<Cone>>>,
    last_future: Mutex<Option<Arc<Cone>>>,
}

/// All events before an event, or all after it, without the event itself.
#[derive(Debug)]
pub(crate) struct Cone {
    /// The event.
    pub(crate) event: EventId,
    /// For each process how many of its first events are in the cone, or the index from which on they are.
    bounds: Vec<u32>,
}

/// The direction in which a cone opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The past.
    Past,
    /// The future.
    Future,
}

impl Causality {
    /// The causal order, given the process of each event, below `n_processes`, and its partner; and pairs of an event and a
    /// later one that happened after it, too.
    pub(crate) fn new(
        n_processes: usize,
        events: impl ExactSizeIterator<Item = (usize, Option<EventId>)>,
        inferred: &[(EventId, EventId)],
    ) -> Causality {
        let mut counts = vec![0; n_processes];
        let (mut received, mut sent) = (vec![Vec::new(); n_processes], vec![Vec::new(); n_processes]);
        let (mut processes, mut places) = (Vec::with_capacity(events.len()), Vec::with_capacity(events.len()));
        for (event, (process, partner)) in (0..).zip(events) {
            let place = counts[process];
            counts[process] += 1;
            processes.push(process as u32);
            places.push(place);
            match partner {
                Some(partner) if partner < event => received[process].push((place, partner)),
                Some(partner) if partner > event => sent[process].push((place, partner)),
                _ => {}
            }
        }
        for (before, after) in inferred {
            let [before_at, after_at] = [before, after].map(|event| *event as usize);
            received[processes[after_at] as usize].push((places[after_at], *before));
            sent[processes[before_at] as usize].push((places[before_at], *after));
        }
        if !inferred.is_empty() {
            received.iter_mut().chain(&mut sent).for_each(|partners| partners.sort_unstable());
        }
        let (last_past, last_future) = (Mutex::default(), Mutex::default());
        Causality { processes, places, received, sent, last_past, last_future }
    }

    /// Whether an event happened before another.
    pub(crate) fn is_before(&self, first: EventId, second: EventId) -> bool {
        if first >= second {
            return false;
        }
        let known = |last: &Mutex<Option<Arc<Cone>>>, event| {
            last.lock().ok().and_then(|last| last.clone()).filter(|cone| cone.event == event)
        };
        match known(&self.last_future, first) {
            Some(future) => self.is_in(&future, Side::Future, second),
            None => self.is_in(&self.cone(second, Side::Past), Side::Past, first),
        }
    }

    /// All events before an event, or all after it.
    pub(crate) fn cone(&self, event: EventId, side: Side) -> Arc<Cone> {
        let last = match side {
            Side::Past => &self.last_past,
            Side::Future => &self.last_future,
        };
        let Ok(mut last) = last.lock() else { return Arc::new(self.new_cone(event, side)) };
        match &*last {
            Some(cone) if cone.event == event => Arc::clone(cone),
            _ => {
                let cone = Arc::new(self.new_cone(event, side));
                *last = Some(Arc::clone(&cone));
                cone
            }
        }
    }

    /// Whether a cone contains an event.
    pub(crate) fn is_in(&self, cone: &Cone, side: Side, event: EventId) -> bool {
        let bound = cone.bounds[self.processes[event as usize] as usize];
        let place = self.places[event as usize];
        event != cone.event
            && match side {
                Side::Past => place < bound,
                Side::Future => place >= bound,
            }
    }

    fn new_cone(&self, event: EventId, side: Side) -> Cone {
        let empty = if side == Side::Past { 0 } else { u32::MAX };
        let mut bounds = vec![empty; self.received.len()];
        let mut waiting = vec![event];
        while let Some(event) = waiting.pop() {
            let (process, place) = (self.processes[event as usize] as usize, self.places[event as usize]);
            let before = bounds[process];
            match side {
                Side::Past if place < before => {}
                Side::Past => {
                    bounds[process] = place + 1;
                    waiting.extend(between(&self.received[process], before, place + 1));
                }
                Side::Future if place >= before => {}
                Side::Future => {
                    bounds[process] = place;
                    waiting.extend(between(&self.sent[process], place, before));
                }
            }
        }
        Cone { event, bounds }
    }
}

impl Trace {
    /// For each receive whose send is not in the trace of seq_trace, the last event of the sender that is in it and came before
    /// the send: the receive from which the serial of the send follows, or a later send or print with a lower serial.
    pub(crate) fn after_unseen_sends(&self, partner: AttributeId) -> Vec<(EventId, EventId)> {
        let attributes = ["prev", "cur", "label", "from", "process"].map(|name| self.schema.find(name));
        let [Some(prev), Some(cur), Some(label), Some(from), Some(process)] = attributes else { return Vec::new() };
        let number = |event, id| if let Value::Int(number) = self.value(event, id) { Some(number) } else { None };
        let text = |event, id| format!("{:?}", self.value(event, id));
        let is_receive = |event| self.port(event).is_some_and(|port| port.as_str() == "receive");
        let is_orphan = |event: &EventId| is_receive(*event) && number(*event, partner).is_none();
        if !(0..self.n_events).any(|event| is_orphan(&event)) {
            return Vec::new();
        }
        let mut receives: HashMap<(String, i64, String), EventId> = HashMap::default();
        // the serials of a process rise
        let mut others: HashMap<String, Vec<(i64, EventId)>> = HashMap::default();
        let mut found = Vec::new();
        for event in 0..self.n_events {
            let Some((prev, cur)) = number(event, prev).zip(number(event, cur)) else { continue };
            if is_orphan(&event) {
                let sender = text(event, from);
                let own = others.get(&sender).map_or(&[][..], Vec::as_slice);
                let own = own[..own.partition_point(|(serial, _)| *serial < cur)].last().map(|(_, event)| *event);
                let received = receives.get(&(sender, prev, text(event, label))).copied();
                found.extend(own.max(received).map(|before| (before, event)));
            }
            let actor = text(event, process);
            match is_receive(event) {
                true => drop(receives.insert((actor, cur, text(event, label)), event)),
                false => others.entry(actor).or_default().push((cur, event)),
            }
        }
        found
    }
}

/// The partners of the events in a half-open range of indexes.
fn between(partners: &[(u32, EventId)], from: u32, to: u32) -> impl Iterator<Item = EventId> {
    let start = partners.partition_point(|(place, _)| *place < from);
    let end = partners.partition_point(|(place, _)| *place < to);
    partners[start..end].iter().map(|(_, partner)| *partner)
}
