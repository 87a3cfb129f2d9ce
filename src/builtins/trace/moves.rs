//! Moves of the cursor that are not searches for constraints.

use std::sync::Arc;

use crate::builtins::arguments::small_integer;
use crate::builtins::record::{det, nondet};
use crate::builtins::write::written;
use crate::engine::{Answers, Builtin, Cell, Failure, Next, Stop, World};
use crate::output::event_line;
use crate::term::print::{Spacing, Style};
use crate::trace::{EventId, Trace};

use super::errors::trace;
use super::values::attribute_value;
use super::way::{TracedPorts, Way, target};

/// What happens when an event is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Nothing: the cursor stays where it is.
    Nowhere,
    /// The cursor moves there.
    Silent,
    /// The cursor moves there, and the event is printed.
    Shown,
}

/// Does what is to be done at an event.
pub fn arrive(world: &mut World, trace: &Trace, event: EventId, arrival: Arrival) -> Result<(), Stop> {
    if arrival == Arrival::Nowhere {
        return Ok(());
    }
    world.cursor = event + 1;
    match arrival == Arrival::Shown && world.prints_moves {
        true => print(world, trace, event),
        false => Ok(()),
    }
}

/// Prints the line of an event.
pub fn print(world: &mut World, trace: &Trace, event: EventId) -> Result<(), Stop> {
    let mut line = event_line(trace, event, &world.display);
    for name in world.display.others.clone() {
        line.push_str(&computed(world, trace, event, &name)?);
    }
    write_line(world, line)
}

/// ` stack=[...] ` of an attribute that is made of others.
fn computed(world: &mut World, trace: &Trace, event: EventId, name: &str) -> Result<String, Stop> {
    let Some(id) = trace.schema().find(name).filter(|id| trace.is_computed(*id)) else { return Ok(String::new()) };
    let Some(value) = attribute_value(&mut world.store, trace, event, id) else { return Ok(String::new()) };
    let style = Style { quoted: true, spacing: Spacing::NextArgument, ..Style::default() };
    Ok(format!(" {name}={} ", written(world, value, &style)?))
}

/// Writes a line as far as there is room for it; print_rest/0 writes what is left.
fn write_line(world: &mut World, mut line: String) -> Result<(), Stop> {
    let end = world.display.room.and_then(|room| line.char_indices().nth(room));
    world.line_rest = end.map(|(end, _)| line.split_off(end)).unwrap_or_default();
    line.push('\n');
    if !world.line_rest.is_empty() {
        let n_left = world.line_rest.chars().count();
        line.push_str(&format!("% the line is cut: `print_rest.` writes the {n_left} characters that are left\n"));
    }
    world.output.write_str(&line)
}

/// The event at the cursor; before the first event none, with a reason.
pub fn current_event(world: &mut World) -> Option<EventId> {
    let event = world.cursor.checked_sub(1);
    if event.is_none() {
        fail(world, "there is no current event: the cursor stands before the first event".into());
    }
    event
}

/// Notes why a move failed.
fn fail(world: &mut World, words: String) {
    world.failure = Some(Failure::Words(words));
}

macro_rules! moves {
    ($($modes:literal $doc:literal $example:literal $answer:literal $run:ident $what:expr, $arrival:ident;)*) => {
        &[$(det($modes, $doc, $example, $answer, |world, args| $run(world, args, $what, Arrival::$arrival)),)*]
    };
}

/// The deterministic ones.
pub const TABLE: &[Builtin] = moves! {
    "det_next is semidet" "As next/0, but only once." "det_next, current(chrono=C)" "C = 1" step Way::Next, Shown;
    "det_next_np is semidet" "As next/0, but only once and without printing." "det_next_np, current(chrono=C)" "C = 1" step Way::Next, Silent;
    "det_step is semidet" "As step/0, but only once." "det_step, current(chrono=C)" "C = 1" step Way::Next, Shown;
    "det_step_np is semidet" "As step/0, but only once and without printing." "det_step_np, current(chrono=C)" "C = 1" step Way::Next, Silent;
    "det_prev is semidet" "As prev/0, but only once." "goto_np(9), det_prev, current(chrono=C)" "C = 8" step Way::Previous, Shown;
    "det_prev_np is semidet" "As prev/0, but only once and without printing." "goto_np(9), det_prev_np, current(chrono=C)" "C = 8" step Way::Previous, Silent;
    "det_bstep is semidet" "As bstep/0, but only once." "goto_np(9), det_bstep, current(chrono=C)" "C = 8" step Way::Previous, Shown;
    "det_bstep_np is semidet" "As bstep/0, but only once and without printing." "goto_np(9), det_bstep_np, current(chrono=C)" "C = 8" step Way::Previous, Silent;
    "next(+N) is semidet" "Moves N traced ports on, and prints each event on the way; fails if there are fewer." "next(3), current(chrono=C)" "C = 3" steps Way::Next, Shown;
    "next_np(+N) is semidet" "As next/1, without printing." "next_np(3), current(chrono=C)" "C = 3" steps Way::Next, Silent;
    "step(+N) is semidet" "The same as next/1." "step(3), current(chrono=C)" "C = 3" steps Way::Next, Shown;
    "step_np(+N) is semidet" "As step/1, without printing." "step_np(3), current(chrono=C)" "C = 3" steps Way::Next, Silent;
    "prev(+N) is semidet" "Moves N traced ports back, and prints each event on the way; fails if there are fewer." "goto_np(9), prev(3), current(chrono=C)" "C = 6" steps Way::Previous, Shown;
    "prev_np(+N) is semidet" "As prev/1, without printing." "goto_np(9), prev_np(3), current(chrono=C)" "C = 6" steps Way::Previous, Silent;
    "bstep(+N) is semidet" "The same as prev/1." "goto_np(9), bstep(3), current(chrono=C)" "C = 6" steps Way::Previous, Shown;
    "bstep_np(+N) is semidet" "As bstep/1, without printing." "goto_np(9), bstep_np(3), current(chrono=C)" "C = 6" steps Way::Previous, Silent;
    "finish is semidet" "Moves to the end of the current call: its next exit, fail or exception; from there to the next event." "goto_np(4), finish, current(chrono=C)" "C = 673" step Way::Finish, Shown;
    "finish_np is semidet" "As finish/0, without printing." "goto_np(4), finish_np, current(chrono=C)" "C = 673" step Way::Finish, Silent;
    "skip is semidet" "The same as finish/0." "goto_np(4), skip, current(chrono=C)" "C = 673" step Way::Finish, Shown;
    "skip_np is semidet" "As skip/0, without printing." "goto_np(4), skip_np, current(chrono=C)" "C = 673" step Way::Finish, Silent;
    "bfinish is semidet" "Moves back to the beginning of the current call: its call or redo before; from there to the event before." "goto_np(51), bfinish, current([chrono=C, port=P])" "C = 50, P = redo" step Way::Begin, Shown;
    "bfinish_np is semidet" "As bfinish/0, without printing." "goto_np(673), bfinish_np, current(chrono=C)" "C = 4" step Way::Begin, Silent;
    "bskip is semidet" "The same as bfinish/0." "goto_np(673), bskip, current(chrono=C)" "C = 4" step Way::Begin, Shown;
    "bskip_np is semidet" "As bskip/0, without printing." "goto_np(673), bskip_np, current(chrono=C)" "C = 4" step Way::Begin, Silent;
    "retry is semidet" "Moves to the first event of the current call." "goto_np(673), retry, current(chrono=C)" "C = 4" step Way::Retry, Shown;
    "retry_np is semidet" "As retry/0, without printing." "goto_np(673), retry_np, current(chrono=C)" "C = 4" step Way::Retry, Silent;
    "first is semidet" "Moves to the first event of the trace." "goto_np(9), first, current(chrono=C)" "C = 1" step Way::First, Shown;
    "first_np is semidet" "As first/0, without printing." "goto_np(9), first_np, current(chrono=C)" "C = 1" step Way::First, Silent;
    "last is semidet" "Moves to the last event of the trace." "last, current(chrono=C)" "C = 698" step Way::Last, Shown;
    "last_np is semidet" "As last/0, without printing." "last_np, current(chrono=C)" "C = 698" step Way::Last, Silent;
    "rerun is semidet" "Begins the run anew: moves to the first event." "goto_np(9), rerun, current(chrono=C)" "C = 1" step Way::First, Shown;
    "rerun_np is semidet" "As rerun/0, without printing." "goto_np(9), rerun_np, current(chrono=C)" "C = 1" step Way::First, Silent;
    "no_trace is semidet" "Lets the run go on to its end: moves to the last event, without printing." "goto_np(9), no_trace, current(chrono=C)" "C = 698" step Way::Last, Silent;
    "abort_trace is det" "Leaves the run: before the first event, where there is no current event." "goto_np(9), abort_trace, current(chrono=C)" "false" leave (), Nowhere;
    "goto(+Chrono) is semidet" "Moves to the event with that number, in either direction." "goto(673), current(name=N)" "N = queen" goto (), Shown;
    "goto_np(+Chrono) is semidet" "As goto/1, without printing." "goto_np(673), goto_np(4), current(port=P)" "P = call" goto (), Silent;
};

/// Those that go on when backtracked into.
pub const STEPS: &[Builtin] = &[
    nondet(
        "next is nondet",
        "Moves to the next traced port and prints the event; further on backtracking.",
        "goto_np(696), next, current(chrono=C)",
        "C = 697 ; C = 698",
        |world, _| begin(world, Way::Next, Arrival::Shown),
    ),
    nondet(
        "next_np is nondet",
        "As next/0, without printing.",
        "goto_np(696), next_np, current(chrono=C)",
        "C = 697 ; C = 698",
        |world, _| begin(world, Way::Next, Arrival::Silent),
    ),
    nondet("step is nondet", "The same as next/0.", "goto_np(697), step, current(chrono=C)", "C = 698", |world, _| {
        begin(world, Way::Next, Arrival::Shown)
    }),
    nondet(
        "step_np is nondet",
        "As step/0, without printing.",
        "goto_np(697), step_np, current(chrono=C)",
        "C = 698",
        |world, _| begin(world, Way::Next, Arrival::Silent),
    ),
    nondet(
        "bstep is nondet",
        "The same as prev/0.",
        "goto_np(3), bstep, current(chrono=C)",
        "C = 2 ; C = 1",
        |world, _| begin(world, Way::Previous, Arrival::Shown),
    ),
    nondet(
        "bstep_np is nondet",
        "As bstep/0, without printing.",
        "goto_np(3), bstep_np, current(chrono=C)",
        "C = 2 ; C = 1",
        |world, _| begin(world, Way::Previous, Arrival::Silent),
    ),
    nondet(
        "prev is nondet",
        "Moves to the traced port before and prints the event; further back on backtracking.",
        "goto_np(3), prev, current(chrono=C)",
        "C = 2 ; C = 1",
        |world, _| begin(world, Way::Previous, Arrival::Shown),
    ),
    nondet(
        "prev_np is nondet",
        "As prev/0, without printing.",
        "goto_np(3), prev_np, current(chrono=C)",
        "C = 2 ; C = 1",
        |world, _| begin(world, Way::Previous, Arrival::Silent),
    ),
];

fn step(world: &mut World, _: &[Cell], way: Way, arrival: Arrival) -> Result<bool, Stop> {
    let trace = trace(world)?;
    match target(&trace, world.cursor, way, &TracedPorts::of(world)) {
        Ok(event) => arrive(world, &trace, event, arrival).map(|()| true),
        Err(reason) => {
            fail(world, reason);
            Ok(false)
        }
    }
}

fn steps(world: &mut World, args: &[Cell], way: Way, arrival: Arrival) -> Result<bool, Stop> {
    let n = small_integer(&world.store, args[0])?;
    let mut done = 0;
    while done < n {
        if !step(world, args, way, arrival)? {
            return Ok(false);
        }
        done += 1;
    }
    Ok(true)
}

fn leave(world: &mut World, _: &[Cell], (): (), _: Arrival) -> Result<bool, Stop> {
    world.cursor = 0;
    Ok(true)
}

fn goto(world: &mut World, args: &[Cell], (): (), arrival: Arrival) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let chrono = small_integer(&world.store, args[0])?;
    if let Some(event) = trace.find_chrono(chrono) {
        return arrive(world, &trace, event, arrival).map(|()| true);
    }
    let range = match trace.n_events() {
        0 => "the trace has no events".into(),
        n => format!("there is no event {chrono}: events go from {} to {}", trace.chrono(0), trace.chrono(n - 1)),
    };
    fail(world, range);
    Ok(false)
}

/// Moves one after the other on backtracking.
struct Steps {
    trace: Arc<Trace>,
    way: Way,
    traced: TracedPorts,
    arrival: Arrival,
    upcoming: EventId,
}

fn begin(world: &mut World, way: Way, arrival: Arrival) -> Result<Option<Box<dyn Answers>>, Stop> {
    let trace = trace(world)?;
    let traced = TracedPorts::of(world);
    match target(&trace, world.cursor, way, &traced) {
        Ok(upcoming) => Ok(Some(Box::new(Steps { trace, way, traced, arrival, upcoming }))),
        Err(reason) => {
            fail(world, reason);
            Ok(None)
        }
    }
}

impl Answers for Steps {
    fn next(&mut self, world: &mut World) -> Result<Next, Stop> {
        let event = self.upcoming;
        arrive(world, &self.trace, event, self.arrival)?;
        Ok(match target(&self.trace, event + 1, self.way, &self.traced) {
            Ok(next) => {
                self.upcoming = next;
                Next::More
            }
            Err(_) => Next::Last,
        })
    }
}
