//! `event/1`, `fget/1`, `bget/1` and their variants: searches that give events one by one.

use crate::builtins::record::{asks, det, nondet, with};
use crate::builtins::trace::commands::moves::arrive;
use crate::builtins::trace::constraints::list::Purpose;
use crate::builtins::trace::cursor::current_event;
use crate::engine::{
    Arrival, Builtin, Cell, Effect, NextSolution, Nondet, Often, Reach, SearchCourse, SearchKind, SolutionSource, Stop,
    World,
};
use crate::trace::{EventId, Matches, SearchDirection};

use super::query::CompiledQuery;

/// The record of a predicate that searches.
const fn search(texts: [&'static str; 4], run: Nondet, kind: SearchKind) -> Builtin {
    let [modes, doc, example, answer] = texts;
    with(Effect::Searches(kind), nondet(modes, doc, example, answer, run))
}

/// A variant of a search: its ending, its determinism and what it does at an event.
macro_rules! form {
    ($modes:expr, $doc:expr, $example:expr, $answer:expr, $direction:ident, $often:ident, $arrival:ident) => {{
        const KIND: SearchKind =
            SearchKind { direction: SearchCourse::$direction, often: Often::$often, arrival: Arrival::$arrival };
        search([$modes, $doc, $example, $answer], |world, args| start(world, args, KIND), KIND)
    }};
}

/// The records given in full, and four for each search that moves: `name`, `name_np`, `det_name` and `det_name_np`. A
/// row has the example around the name, its answers and the first of them.
macro_rules! searches {
    (
        [$($other:expr),*]
        $($name:literal, $direction:ident, $doc:literal, $before:literal .. $after:literal, $answers:literal, $first:literal;)*
    ) => {
        &asks([$($other,)* $(
            form!(
                concat!($name, "(+Constraints) is nondet"),
                $doc,
                concat!($before, $name, $after),
                $answers,
                $direction, All, Shown
            ),
            form!(
                concat!($name, "_np(+Constraints) is nondet"),
                concat!("As ", $name, "/1, without printing."),
                concat!($before, $name, "_np", $after),
                $answers,
                $direction, All, Silent
            ),
            form!(
                concat!("det_", $name, "(+Constraints) is semidet"),
                concat!("As ", $name, "/1, but only once."),
                concat!($before, "det_", $name, $after),
                $first,
                $direction, Once, Shown
            ),
            form!(
                concat!("det_", $name, "_np(+Constraints) is semidet"),
                concat!("As ", $name, "/1, but only once and without printing."),
                concat!($before, "det_", $name, "_np", $after),
                $first,
                $direction, Once, Silent
            ),
        )*])
    };
}

/// The records.
pub(crate) const TABLE: &[Builtin] = searches! {
    [
        form!(
            "event(+Constraints) is nondet",
            "Finds every event of the trace that satisfies the constraints, in order, without a cursor.",
            "event([port=exit, proc=queen/2, chrono=C])",
            "C = 673",
            Relation, All, Nowhere
        ),
        with(
            Effect::Tells,
            det(
                "current(+Constraints) is semidet",
                "Gives or tests values of the current event; a variable gets `-` for a value that the event does not have.",
                "goto_np(673), current([proc=P, depth=D])",
                "P = queen/2, D = 2",
                current
            )
        )
    ]
    "fget", Forward,
        "Moves to the next event after the current one that satisfies the constraints, and prints it; on backtracking, to the one after that.",
        "" .. "([name=queen, port=P])", "P = call ; P = exit", "P = call";
    "bget", Backward,
        "Moves to the last event before the current one that satisfies the constraints, and prints it; on backtracking, further back.",
        "goto_np(5), " .. "([port=call, chrono=C])", "C = 4 ; C = 2 ; C = 1", "C = 4";
};

impl SearchCourse {
    /// The events that are searched, the direction, and the row at which the search starts.
    pub(crate) fn start(self, cursor: u32) -> (Reach, SearchDirection, EventId) {
        match self {
            SearchCourse::Relation => (Reach::All, SearchDirection::Forward, 0),
            SearchCourse::Forward => (Reach::From(cursor), SearchDirection::Forward, cursor),
            SearchCourse::Backward => {
                let row = cursor.saturating_sub(1);
                (Reach::Below(row), SearchDirection::Backward, row)
            }
        }
    }
}

/// A running search.
pub(crate) struct RunningSearch {
    query: CompiledQuery,
    matches: Matches,
    reach: Reach,
    /// The event that it came to last.
    event: Option<EventId>,
    has_answered: bool,
}

impl RunningSearch {
    pub(crate) fn new(world: &mut World, constraints: Cell, direction: SearchCourse) -> Result<RunningSearch, Stop> {
        let query = CompiledQuery::new(world, constraints, Purpose::Search)?;
        let (reach, way, row) = direction.start(world.desk.cursor());
        let matches = query.matches(way, row);
        Ok(RunningSearch { query, matches, reach, event: None, has_answered: false })
    }

    /// Prepares for many answers.
    pub(crate) fn prepare(&mut self, world: &mut World) {
        self.query.prepare(&mut world.store);
    }

    /// Whether some event matches according to the columns; records the failure otherwise.
    fn has_event(&mut self, world: &mut World) -> bool {
        self.matches.look_ahead(&self.query.trace, &self.query.plan.pattern);
        if !self.matches.has_ahead() {
            self.query.note_failure(world, self.reach);
        }
        self.matches.has_ahead()
    }

    /// The event that it came to last.
    pub(crate) fn event(&self) -> Option<EventId> {
        self.event
    }

    /// The next event that matches according to the columns; records the failure if there was never an answer.
    #[inline]
    pub(crate) fn next_event(&mut self, world: &mut World) -> Option<EventId> {
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
    pub(crate) fn unify(&mut self, world: &mut World, event: EventId) -> bool {
        let is_answer = self.query.unify(world, event);
        self.has_answered |= is_answer;
        is_answer
    }

    /// Whether no event is left; `false` also if finding out would take long.
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

/// The number of events rejected by their arguments after which the machine checks interrupts and limits.
const MAX_REJECTED: usize = 1024;

/// A search that moves the cursor to each event that it finds.
struct MovingSearch {
    search: RunningSearch,
    kind: SearchKind,
}

fn start(world: &mut World, args: &[Cell], kind: SearchKind) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let mut search = RunningSearch::new(world, args[0], kind.direction)?;
    match search.has_event(world) {
        true => Ok(Some(Box::new(MovingSearch { search, kind }))),
        false => Ok(None),
    }
}

impl SolutionSource for MovingSearch {
    fn event(&self) -> Option<EventId> {
        self.search.event()
    }

    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        let Some(event) = self.search.next_event(world) else { return Ok(NextSolution::Fail) };
        if !self.search.unify(world, event) {
            return Ok(NextSolution::Skip);
        }
        arrive(world, &self.search.query.trace, event, self.kind.arrival)?;
        Ok(if self.kind.often == Often::Once || self.search.is_over() {
            NextSolution::Last
        } else {
            NextSolution::More
        })
    }
}

fn current(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let mut query = CompiledQuery::new(world, args[0], Purpose::Current)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    if query.holds_at(event) && query.unify(world, event) {
        return Ok(true);
    }
    query.note_failure(world, Reach::At(event));
    Ok(false)
}
