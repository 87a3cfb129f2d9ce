//! `event/1`, `fget/1`, `bget/1` and their forms: searches that give one event after the other.

use crate::builtins::record::{det, nondet};
use crate::engine::{Answers, Builtin, Cell, Next, Reach, Stop, World};
use crate::trace::EventId;

use super::moves::{Arrival, arrive};
use super::query::{Purpose, Query};

/// The records.
pub const TABLE: &[Builtin] = &[
    nondet(
        "event(+Constraints) is nondet",
        "Finds every event of the trace that satisfies the constraints, in order, without a cursor.",
        "event([port=exit, proc=queen/2, chrono=C])",
        "C = 673",
        |world, args| start(world, args, Often::All, Direction::Relation, Arrival::Nowhere),
    ),
    nondet(
        "fget(+Constraints) is nondet",
        "Moves to the next event after the current one that satisfies the constraints, and prints it; to the one after on backtracking.",
        "fget([name=queen, port=P])",
        "P = call ; P = exit",
        |world, args| start(world, args, Often::All, Direction::Forward, Arrival::Shown),
    ),
    nondet(
        "fget_np(+Constraints) is nondet",
        "As fget/1, without printing.",
        "fget_np(name=queen and port=exit), current(chrono=C)",
        "C = 673",
        |world, args| start(world, args, Often::All, Direction::Forward, Arrival::Silent),
    ),
    nondet(
        "bget(+Constraints) is nondet",
        "Moves to the last event before the current one that satisfies the constraints, and prints it; further back on backtracking.",
        "goto_np(4), bget([port=exit, chrono=C])",
        "C = 3",
        |world, args| start(world, args, Often::All, Direction::Backward, Arrival::Shown),
    ),
    nondet(
        "bget_np(+Constraints) is nondet",
        "As bget/1, without printing.",
        "goto_np(5), bget_np([port=call, chrono=C])",
        "C = 4 ; C = 2 ; C = 1",
        |world, args| start(world, args, Often::All, Direction::Backward, Arrival::Silent),
    ),
    nondet(
        "det_fget(+Constraints) is semidet",
        "As fget/1, but only once.",
        "det_fget([port=exit, chrono=C])",
        "C = 3",
        |world, args| start(world, args, Often::Once, Direction::Forward, Arrival::Shown),
    ),
    nondet(
        "det_fget_np(+Constraints) is semidet",
        "As fget/1, but only once and without printing.",
        "det_fget_np([port=exit, chrono=C])",
        "C = 3",
        |world, args| start(world, args, Often::Once, Direction::Forward, Arrival::Silent),
    ),
    nondet(
        "det_bget(+Constraints) is semidet",
        "As bget/1, but only once.",
        "goto_np(5), det_bget([port=call, chrono=C])",
        "C = 4",
        |world, args| start(world, args, Often::Once, Direction::Backward, Arrival::Shown),
    ),
    nondet(
        "det_bget_np(+Constraints) is semidet",
        "As bget/1, but only once and without printing.",
        "goto_np(5), det_bget_np([port=call, chrono=C])",
        "C = 4",
        |world, args| start(world, args, Often::Once, Direction::Backward, Arrival::Silent),
    ),
    det(
        "current(+Constraints) is semidet",
        "Gives or tests values of the current event; a variable gets `-` for a value that the event does not have.",
        "goto_np(673), current([proc=P, depth=D])",
        "P = queen/2, D = 2",
        current,
    ),
];

/// Where a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// Over the whole trace.
    Relation,
    /// From the cursor to the end.
    Forward,
    /// From the cursor to the start.
    Backward,
}

/// How many answers a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Often {
    /// Every event that there is.
    All,
    /// The first one.
    Once,
}

/// A search that has begun.
struct Search {
    query: Query,
    often: Often,
    direction: Direction,
    arrival: Arrival,
    upcoming: Upcoming,
    reach: Reach,
    has_answered: bool,
}

/// What the next answer is.
#[derive(Clone, Copy)]
enum Upcoming {
    /// This event, or none.
    Known(Option<EventId>),
    /// To be looked for behind this event.
    Behind(EventId),
}

fn start(
    world: &mut World,
    args: &[Cell],
    often: Often,
    direction: Direction,
    arrival: Arrival,
) -> Result<Option<Box<dyn Answers>>, Stop> {
    let search = Search::new(world, args[0], often, direction, arrival)?;
    match search.upcoming {
        Upcoming::Known(None) => {
            search.query.note_failure(world, search.reach);
            Ok(None)
        }
        _ => Ok(Some(Box::new(search))),
    }
}

impl Search {
    fn new(
        world: &mut World,
        constraints: Cell,
        often: Often,
        direction: Direction,
        arrival: Arrival,
    ) -> Result<Search, Stop> {
        let query = Query::new(world, constraints, Purpose::Search)?;
        let (reach, event) = match direction {
            Direction::Relation => (Reach::All, query.next(0)),
            Direction::Forward => (Reach::From(world.cursor), query.next(world.cursor)),
            Direction::Backward => {
                let row = world.cursor.saturating_sub(1);
                (Reach::Below(row), query.previous(row))
            }
        };
        Ok(Search { query, often, direction, arrival, upcoming: Upcoming::Known(event), reach, has_answered: false })
    }

    fn behind(&self, event: EventId) -> Option<EventId> {
        match self.direction {
            Direction::Backward => self.query.previous(event),
            _ => self.query.next(event + 1),
        }
    }
}

impl Answers for Search {
    fn event(&self) -> Option<EventId> {
        match self.upcoming {
            Upcoming::Known(event) => event,
            Upcoming::Behind(event) => Some(event),
        }
    }

    fn next(&mut self, world: &mut World) -> Result<Next, Stop> {
        let upcoming = match self.upcoming {
            Upcoming::Known(event) => event,
            Upcoming::Behind(event) => self.behind(event),
        };
        let Some(event) = upcoming else {
            if !self.has_answered {
                self.query.note_failure(world, self.reach);
            }
            return Ok(Next::Fail);
        };
        self.upcoming = match self.query.is_quick() && self.often == Often::All {
            true => Upcoming::Known(self.behind(event)),
            false => Upcoming::Behind(event),
        };
        let is_last = matches!(self.upcoming, Upcoming::Known(None));
        if self.query.unify(world, event) {
            self.has_answered = true;
            arrive(world, &self.query.trace, event, self.arrival)?;
            return Ok(if is_last || self.often == Often::Once { Next::Last } else { Next::More });
        }
        if is_last && !self.has_answered {
            self.query.note_failure(world, self.reach);
        }
        Ok(if is_last { Next::Fail } else { Next::Skip })
    }
}

fn current(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let query = Query::new(world, args[0], Purpose::Current)?;
    let Some(event) = super::moves::current_event(world) else { return Ok(false) };
    if query.holds_at(event) && query.unify(world, event) {
        return Ok(true);
    }
    query.note_failure(world, Reach::At(event));
    Ok(false)
}
