//! `event/1`, `fget/1`, `bget/1` and their forms: searches that give one event after the other.

use crate::builtins::record::{det, nondet};
use crate::engine::{Answers, Builtin, Cell, Next, Reach, Stop, World};
use crate::trace::{EventId, Matches, Way};

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
pub(super) enum Direction {
    /// Over the whole trace.
    Relation,
    /// From the cursor to the end.
    Forward,
    /// From the cursor to the start.
    Backward,
}

impl Direction {
    /// Which events are looked at, in which order, and from which row on.
    pub(super) fn start(self, cursor: u32) -> (Reach, Way, EventId) {
        match self {
            Direction::Relation => (Reach::All, Way::Forward, 0),
            Direction::Forward => (Reach::From(cursor), Way::Forward, cursor),
            Direction::Backward => {
                let row = cursor.saturating_sub(1);
                (Reach::Below(row), Way::Backward, row)
            }
        }
    }
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
pub(super) struct Search {
    query: Query,
    matches: Matches,
    reach: Reach,
    /// The event that it came to last.
    event: Option<EventId>,
    has_answered: bool,
}

impl Search {
    pub(super) fn new(world: &mut World, constraints: Cell, direction: Direction) -> Result<Search, Stop> {
        let query = Query::new(world, constraints, Purpose::Search)?;
        let (reach, way, row) = direction.start(world.cursor);
        let matches = query.matches(way, row);
        Ok(Search { query, matches, reach, event: None, has_answered: false })
    }

    /// Makes ready for many answers.
    pub(super) fn prepare(&mut self, world: &mut World) {
        self.query.prepare(&mut world.store);
    }

    /// Whether there is an event that the columns let pass; notes the failure otherwise.
    fn has_event(&mut self, world: &mut World) -> bool {
        self.matches.look_ahead(&self.query.trace, &self.query.plan.pattern);
        if !self.matches.has_ahead() {
            self.query.note_failure(world, self.reach);
        }
        self.matches.has_ahead()
    }

    /// The event that it came to last.
    pub(super) fn event(&self) -> Option<EventId> {
        self.event
    }

    /// The next event that the columns let pass; notes the failure if there was never an answer.
    #[inline]
    pub(super) fn next_event(&mut self, world: &mut World) -> Option<EventId> {
        let mut event = self.matches.next(&self.query.trace, &self.query.plan.pattern);
        for _ in 0..MAX_REJECTED {
            match event {
                Some(rejected) if self.query.rejects(&world.store, rejected) => {
                    event = self.matches.next(&self.query.trace, &self.query.plan.pattern);
                }
                _ => break,
            }
        }
        if event.is_none() && !self.has_answered {
            self.query.note_failure(world, self.reach);
        }
        self.event = event;
        event
    }

    /// Unifies the constraints with an event.
    #[inline]
    pub(super) fn unify(&mut self, world: &mut World, event: EventId) -> bool {
        let is_answer = self.query.unify(world, event);
        self.has_answered |= is_answer;
        is_answer
    }

    /// Whether no event is left; not if it would take a while to tell.
    fn is_over(&mut self) -> bool {
        if self.matches.has_ahead() {
            return false;
        }
        if self.query.is_quick() {
            self.matches.look_ahead(&self.query.trace, &self.query.plan.pattern);
        }
        self.matches.is_over()
    }
}

/// After so many events whose arguments are others the machine may look around.
const MAX_REJECTED: usize = 1024;

/// A search whose answers are events that are moved to.
struct Moves {
    search: Search,
    often: Often,
    arrival: Arrival,
}

fn start(
    world: &mut World,
    args: &[Cell],
    often: Often,
    direction: Direction,
    arrival: Arrival,
) -> Result<Option<Box<dyn Answers>>, Stop> {
    let mut search = Search::new(world, args[0], direction)?;
    match search.has_event(world) {
        true => Ok(Some(Box::new(Moves { search, often, arrival }))),
        false => Ok(None),
    }
}

impl Answers for Moves {
    fn event(&self) -> Option<EventId> {
        self.search.event()
    }

    fn next(&mut self, world: &mut World) -> Result<Next, Stop> {
        let Some(event) = self.search.next_event(world) else { return Ok(Next::Fail) };
        if !self.search.unify(world, event) {
            return Ok(Next::Skip);
        }
        arrive(world, &self.search.query.trace, event, self.arrival)?;
        Ok(if self.often == Often::Once || self.search.is_over() { Next::Last } else { Next::More })
    }
}

fn current(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let mut query = Query::new(world, args[0], Purpose::Current)?;
    let Some(event) = super::moves::current_event(world) else { return Ok(false) };
    if query.holds_at(event) && query.unify(world, event) {
        return Ok(true);
    }
    query.note_failure(world, Reach::At(event));
    Ok(false)
}
