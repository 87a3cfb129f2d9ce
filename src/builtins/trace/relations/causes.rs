//! Which event happened before which, in traces of processes that send messages: the cones of an event, and pairs.

use std::sync::Arc;

use crate::builtins::arguments::optional_integer;
use crate::builtins::record::{asks, at_most_one, each, nondet};
use crate::builtins::trace::errors::{no_attribute, trace};
use crate::engine::{Builtin, Cell, Solutions, Stop, World};
use crate::term::Atom;
use crate::trace::{Causality, EventId, Side, Trace};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    nondet(
        "$before(?First, ?Second) is nondet",
        "First is the number of an event that happened before Second, by the order of each process and by messages.",
        "catch('$before'(1, 2), error(existence_error(Kind, _), _), true)",
        "Kind = attribute",
        before,
    ),
    nondet(
        "$concurrent(?First, ?Second) is nondet",
        "First and Second are the numbers of two events of which neither happened before the other.",
        "catch('$concurrent'(1, 2), error(existence_error(Kind, _), _), true)",
        "Kind = attribute",
        concurrent,
    ),
]);

/// The arguments of a goal: two numbers of events, or variables.
struct CausalQuestion {
    trace: Arc<Trace>,
    causality: Arc<Causality>,
    cells: [Cell; 2],
    /// Their events; none inside for a variable.
    events: [Option<EventId>; 2],
}

/// Reads the arguments; none if no event has one of the numbers.
fn asked(world: &mut World, args: &[Cell]) -> Result<Option<CausalQuestion>, Stop> {
    let trace = trace(world)?;
    let name = "match";
    let unknown = |error| no_attribute(&world.store, Cell::atom(Atom::new(name)), &error);
    let partner = trace.schema().resolve(name).map_err(unknown)?;
    let causality = trace.causality(partner);
    let mut events = [None; 2];
    for (event, cell) in events.iter_mut().zip(args) {
        if let Some(number) = optional_integer(&world.store, *cell)? {
            let Some(found) = trace.find_chrono(number) else { return Ok(None) };
            *event = Some(found);
        }
    }
    Ok(Some(CausalQuestion { trace, causality, cells: [args[0], args[1]], events }))
}

impl CausalQuestion {
    /// Answers from pairs of events.
    fn pairs(self, pairs: impl Iterator<Item = (EventId, EventId)> + 'static) -> Solutions {
        let CausalQuestion { trace, cells, .. } = self;
        each(pairs, move |world, (first, second)| {
            [first, second].into_iter().zip(cells).all(|(event, cell)| {
                let chrono = world.store.int(trace.chrono(event));
                world.store.unify(cell, chrono)
            })
        })
    }

    /// The events of a cone, in order.
    fn cone(&self, event: EventId, side: Side) -> impl Iterator<Item = EventId> + use<> {
        let (causality, cone) = (Arc::clone(&self.causality), self.causality.cone(event, side));
        (0..self.trace.n_events()).filter(move |other| causality.is_in(&cone, side, *other))
    }

    /// The events that are neither before nor after an event, in order.
    fn beside(&self, event: EventId) -> impl Iterator<Item = EventId> + use<> {
        let causality = Arc::clone(&self.causality);
        let (past, future) = (causality.cone(event, Side::Past), causality.cone(event, Side::Future));
        (0..self.trace.n_events()).filter(move |other| {
            *other != event
                && !causality.is_in(&past, Side::Past, *other)
                && !causality.is_in(&future, Side::Future, *other)
        })
    }
}

fn before(world: &mut World, args: &[Cell]) -> Solutions {
    let Some(asked) = asked(world, args)? else { return Ok(None) };
    match asked.events {
        [Some(first), Some(second)] => at_most_one(asked.causality.is_before(first, second)),
        [Some(first), None] => {
            let future = asked.cone(first, Side::Future);
            asked.pairs(future.map(move |second| (first, second)))
        }
        [None, Some(second)] => {
            let past = asked.cone(second, Side::Past);
            asked.pairs(past.map(move |first| (first, second)))
        }
        [None, None] => {
            let all =
                CausalQuestion { trace: Arc::clone(&asked.trace), causality: Arc::clone(&asked.causality), ..asked };
            let every = 0..asked.trace.n_events();
            let pairs = every.flat_map(move |first| all.cone(first, Side::Future).map(move |second| (first, second)));
            asked.pairs(pairs)
        }
    }
}

fn concurrent(world: &mut World, args: &[Cell]) -> Solutions {
    let Some(asked) = asked(world, args)? else { return Ok(None) };
    match asked.events {
        [Some(first), Some(second)] => {
            let (earlier, later) = (first.min(second), first.max(second));
            at_most_one(earlier < later && !asked.causality.is_before(earlier, later))
        }
        [Some(first), None] => {
            let beside = asked.beside(first);
            asked.pairs(beside.map(move |second| (first, second)))
        }
        [None, Some(second)] => {
            let beside = asked.beside(second);
            asked.pairs(beside.map(move |first| (first, second)))
        }
        [None, None] => {
            let all =
                CausalQuestion { trace: Arc::clone(&asked.trace), causality: Arc::clone(&asked.causality), ..asked };
            let every = 0..asked.trace.n_events();
            let pairs = every.flat_map(move |first| all.beside(first).map(move |second| (first, second)));
            asked.pairs(pairs)
        }
    }
}
