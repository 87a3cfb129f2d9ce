//! Hands the events of a run to the builder, in their order: at once what the index of the trace needs, later what an
//! attribute needs.

use std::sync::Arc;

use super::chains::Chains;
use super::columns::{Ids, Later};
use super::log::{NameId, Port, Row, RowId};
use super::order::{self, Cycle, Order};
use super::ordered::Ordered;
use super::rules::Doubts;
use super::run::Run;
use super::seen::{ACTOR, FROM, LABEL, Seen, TO};
use crate::trace::{KeyId, ProcRow, TraceBuilder};

/// Events that were handed over.
pub struct Emitted {
    /// As they are kept.
    pub run: Arc<Ordered>,
    /// The cycles that had to be broken to put them in order.
    pub cycles: Vec<Cycle>,
    /// Which rules some of them may break.
    pub doubts: Doubts,
}

/// Puts the events in order and hands them over; `others` are kept pointing to the same events.
pub fn emit(run: Run, others: &mut [RowId], builder: &mut TraceBuilder) -> Emitted {
    let mut chains = Chains::new(&run);
    let mut keys = Keys { run: &run, ids: vec![[None; 3]; run.names.len()], builder, of_events: Vec::new() };
    keys.of_events.reserve(run.rows.len());
    let (seen, order) = Seen::beside(&run, || {
        order::order(&run, |id| {
            keys.push(&run.rows[id as usize]);
            chains.place(id);
        })
    });
    let Keys { of_events, .. } = keys;
    builder.append_keys(&of_events, 0);
    builder.keeps_tables(run.bytes());
    let totals = Totals::of(&run, &seen, &chains);
    let has_gaps = chains.has_gaps;
    let Order { rows, mut cycles, is_forced } = order;
    order::renumber(cycles.iter_mut().flatten().chain(others), &rows);
    let run = Arc::new(Ordered::new(run, rows));
    let ids = Ids::new(builder);
    if !of_events.is_empty() {
        Later { run: &run, ids, builder }.all(&seen, &totals);
    }
    let mut doubts = seen.doubts;
    doubts.causes |= has_gaps;
    // whose processes may have other orders then
    doubts.serials |= is_forced;
    Emitted { run, cycles, doubts }
}

/// What all events tell together.
pub struct Totals {
    pub n_calls: usize,
    pub has_parents: bool,
    pub n_steps: u64,
    pub has_to: bool,
    pub has_nodes: bool,
    /// Whether labels, senders and receivers are integers.
    pub are_integers: [bool; 3],
}

impl Totals {
    fn of(run: &Run, seen: &Seen, chains: &Chains<'_>) -> Totals {
        Totals {
            n_calls: chains.around.len(),
            has_parents: chains.has_parents(),
            n_steps: chains.n_steps,
            has_to: seen.names(run, TO).next().is_some(),
            has_nodes: seen.names(run, ACTOR).any(|actor| actor.node.is_some()),
            are_integers: [LABEL, FROM, TO].map(|role| seen.are_integers(run, role)),
        }
    }
}

/// The numbers of process and port.
struct Keys<'r, 'b> {
    run: &'r Run,
    /// Of each process, by the port.
    ids: Vec<[Option<KeyId>; 3]>,
    builder: &'b mut TraceBuilder,
    of_events: Vec<KeyId>,
}

impl Keys<'_, '_> {
    #[inline]
    fn push(&mut self, row: &Row) {
        let key = match self.ids[row.actor() as usize][row.port as usize] {
            Some(key) => key,
            None => self.new_key(row.actor(), row.port),
        };
        self.of_events.push(key);
    }

    #[cold]
    fn new_key(&mut self, actor: NameId, port: Port) -> KeyId {
        let name = &self.run.names[actor as usize];
        let proc = ProcRow { decl_module: name.node.as_deref(), name: Some(&name.own), ..ProcRow::default() };
        let key = self.builder.key(&proc, Some(port.name()), None);
        self.ids[actor as usize][port as usize] = Some(key);
        key
    }
}
