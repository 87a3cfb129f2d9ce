//! Folds over events: the primitives from which the library defines `foldt/4`.

use crate::builtins::record::{det, nondet};
use crate::engine::{
    Accumulator, Builtin, Cell, Mark, NextSolution, SearchCourse, SolutionSource, Solutions, Stop, Store, World,
};
use crate::trace::EventId;

use super::search::RunningSearch;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "$fold(+Constraints, +Value0, -Value) is nondet",
        "Goes through the events that satisfy the constraints; Value is what the last step handed on. Ends when a step has failed.",
        "'$fold'([port=exit, chrono=C], 0, V), C > 2",
        "false",
        start,
    ),
    det(
        "$folded(-Value) is det",
        "What the fold that has just ended has come to.",
        "( '$fold'([port=exit], a, V), fail ; '$folded'(W) )",
        "W = a",
        folded,
    ),
];

/// A running fold.
struct Fold {
    search: RunningSearch,
    result: Cell,
    accumulator: Accumulator,
    /// Whether a step has begun and not yet given its value.
    is_waiting: bool,
}

fn start(world: &mut World, args: &[Cell]) -> Solutions {
    let mut search = RunningSearch::new(world, args[0], SearchCourse::Relation)?;
    search.prepare(world);
    let accumulator = Accumulator::new(world.store.deref(args[1]));
    Ok(Some(Box::new(Fold { search, result: args[2], accumulator, is_waiting: false })))
}

impl SolutionSource for Fold {
    fn event(&self) -> Option<EventId> {
        self.search.event()
    }

    fn keep(&mut self, store: &mut Store, mark: &mut Mark, value: Cell) {
        self.accumulator.keep(store, mark, value);
        self.is_waiting = false;
    }

    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        if !self.is_waiting
            && let Some(event) = self.search.next_event(world)
        {
            if !self.search.unify(world, event) || !world.store.unify(self.result, self.accumulator.value()) {
                return Ok(NextSolution::Skip);
            }
            self.is_waiting = true;
            return Ok(NextSolution::More);
        }
        world.collectors.folded = world.store.freeze(self.accumulator.value());
        Ok(NextSolution::Fail)
    }
}

fn folded(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let frozen = std::mem::take(&mut world.collectors.folded);
    if frozen.is_empty() {
        return Ok(false);
    }
    if let Some(event) = world.collectors.folded_at.take() {
        world.desk.move_to(event);
    }
    let value = world.store.thaw(&frozen);
    Ok(world.store.unify(args[0], value))
}
