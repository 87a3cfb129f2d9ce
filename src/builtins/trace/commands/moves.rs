//! Moves of the cursor that are not searches for constraints.

use std::sync::Arc;

use crate::builtins::arguments::small_integer;
use crate::builtins::io::write::written;
use crate::builtins::record::{det, nondet, with};
use crate::builtins::trace::cursor::fail;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes::attribute_value;
use crate::engine::{Arrival, Builtin, Cell, Destination, Effect, NextSolution, SolutionSource, Stop, World};
use crate::output::event_line;
use crate::term::print::{Spacing, Style};
use crate::trace::{EventId, Trace};

use super::move_target::{MoveTarget, TracedPorts, target};

/// Moves to an event, and prints it if the move does so.
pub(crate) fn arrive(world: &mut World, trace: &Trace, event: EventId, arrival: Arrival) -> Result<(), Stop> {
    if arrival == Arrival::Nowhere {
        return Ok(());
    }
    world.desk.move_to(event);
    match arrival == Arrival::Shown && world.prints_moves() {
        true => print(world, trace, event),
        false => Ok(()),
    }
}

/// Prints the line of an event.
pub(crate) fn print(world: &mut World, trace: &Trace, event: EventId) -> Result<(), Stop> {
    let mut line = event_line(trace, event, &world.desk.display);
    for name in world.desk.display.toggled.clone() {
        line.push_str(&computed(world, trace, event, &name)?);
    }
    write_line(world, line)
}

/// ` stack=[...] ` for an attribute that is computed from others.
fn computed(world: &mut World, trace: &Trace, event: EventId, name: &str) -> Result<String, Stop> {
    let Some(id) = trace.schema().find(name).filter(|id| trace.is_computed(*id)) else { return Ok(String::new()) };
    let Some(value) = attribute_value(&mut world.store, trace, event, id) else { return Ok(String::new()) };
    let style = Style { quoted: true, spacing: Spacing::NextArgument, ..Style::default() };
    Ok(format!(" {name}={} ", written(world, value, &style)?))
}

/// Writes a line up to the width of the display; `print_rest/0` writes the rest.
fn write_line(world: &mut World, mut line: String) -> Result<(), Stop> {
    let n_left = world.desk.cut_line(&mut line);
    line.push('\n');
    if n_left > 0 {
        line.push_str(&format!("% the line is cut: `print_rest.` writes the {n_left} characters that are left\n"));
    }
    world.output.write_str(&line)
}

/// A variant of a move: its documentation, its function and its effect.
macro_rules! form {
    ($record:ident, $modes:expr, $doc:expr, $example:expr, $answer:expr, $run:ident $what:expr, $to:ident, $arrival:ident) => {
        with(
            Effect::Moves(Destination::$to, Arrival::$arrival),
            $record($modes, $doc, $example, $answer, |world, args| $run(world, args, $what, Arrival::$arrival)),
        )
    };
}

/// The records given in full, and two for each move: `name` and `name_np`. A row has the arguments, their number, and
/// the example around the name.
macro_rules! moves {
    (
        [$($other:expr),*]
        $($name:literal $args:literal $arity:literal $doc:literal,
            $before:literal .. $after:literal, $answer:literal, $run:ident $what:expr, $to:ident;)*
    ) => {
        &[$($other,)* $(
            form!(
                det, concat!($name, $args, " is semidet"), $doc,
                concat!($before, $name, $after), $answer, $run $what, $to, Shown
            ),
            form!(
                det, concat!($name, "_np", $args, " is semidet"), concat!("As ", $name, "/", $arity, ", without printing."),
                concat!($before, $name, "_np", $after), $answer, $run $what, $to, Silent
            ),
        )*]
    };
}

/// The records of each move that continues on backtracking: `name`, `name_np`, `det_name` and `det_name_np`. A row has
/// the example around the name, its answers and the first of them.
macro_rules! steps {
    ($($name:literal $doc:literal, $before:literal .. $after:literal, $answers:literal, $first:literal, $way:expr;)*) => {
        &[$(
            form!(
                nondet, concat!($name, " is nondet"), $doc,
                concat!($before, $name, $after), $answers, begin $way, Elsewhere, Shown
            ),
            form!(
                nondet, concat!($name, "_np is nondet"), concat!("As ", $name, "/0, without printing."),
                concat!($before, $name, "_np", $after), $answers, begin $way, Elsewhere, Silent
            ),
            form!(
                det, concat!("det_", $name, " is semidet"), concat!("As ", $name, "/0, but only once."),
                concat!($before, "det_", $name, $after), $first, step $way, Elsewhere, Shown
            ),
            form!(
                det, concat!("det_", $name, "_np is semidet"),
                concat!("As ", $name, "/0, but only once and without printing."),
                concat!($before, "det_", $name, "_np", $after), $first, step $way, Elsewhere, Silent
            ),
        )*]
    };
}

/// The deterministic moves.
pub(crate) const TABLE: &[Builtin] = moves! {
    [
        form!(
            det,
            "no_trace is semidet",
            "Lets the run go on to its end: moves to the last event, without printing.",
            "goto_np(9), no_trace, current(chrono=C)",
            "C = 698",
            step MoveTarget::Last,
            Last,
            Silent
        ),
        form!(
            det,
            "abort_trace is det",
            "Leaves the run: moves before the first event, where there is no current event.",
            "goto_np(9), abort_trace, current(chrono=C)",
            "false",
            leave (),
            Elsewhere,
            Nowhere
        )
    ]
    "next" "(+N)" "1" "Moves N traced ports on, and prints each event on the way; fails if there are fewer.",
        "" .. "(3), current(chrono=C)", "C = 3", steps MoveTarget::Next, Elsewhere;
    "step" "(+N)" "1" "The same as next/1.",
        "" .. "(3), current(chrono=C)", "C = 3", steps MoveTarget::Next, Elsewhere;
    "prev" "(+N)" "1" "Moves N traced ports back, and prints each event on the way; fails if there are fewer.",
        "goto_np(9), " .. "(3), current(chrono=C)", "C = 6", steps MoveTarget::Previous, Elsewhere;
    "bstep" "(+N)" "1" "The same as prev/1.",
        "goto_np(9), " .. "(3), current(chrono=C)", "C = 6", steps MoveTarget::Previous, Elsewhere;
    "finish" "" "0" "Moves to the end of the current call: its next exit, fail or exception; from there to the next event.",
        "goto_np(4), " .. ", current(chrono=C)", "C = 673", step MoveTarget::Finish, Elsewhere;
    "skip" "" "0" "The same as finish/0.",
        "goto_np(4), " .. ", current(chrono=C)", "C = 673", step MoveTarget::Finish, Elsewhere;
    "bfinish" "" "0" "Moves back to where the current call was last entered, its call or redo; from there, to the event before.",
        "goto_np(51), " .. ", current([chrono=C, port=P])", "C = 50, P = redo", step MoveTarget::Begin, Elsewhere;
    "bskip" "" "0" "The same as bfinish/0.",
        "goto_np(673), " .. ", current(chrono=C)", "C = 4", step MoveTarget::Begin, Elsewhere;
    "retry" "" "0" "Moves to the first event of the current call.",
        "goto_np(673), " .. ", current(chrono=C)", "C = 4", step MoveTarget::Retry, Elsewhere;
    "first" "" "0" "Moves to the first event of the trace.",
        "goto_np(9), " .. ", current(chrono=C)", "C = 1", step MoveTarget::First, Elsewhere;
    "last" "" "0" "Moves to the last event of the trace.",
        "" .. ", current(chrono=C)", "C = 698", step MoveTarget::Last, Last;
    "rerun" "" "0" "Begins the run anew: moves to the first event.",
        "goto_np(9), " .. ", current(chrono=C)", "C = 1", step MoveTarget::First, Elsewhere;
    "goto" "(+Chrono)" "1" "Moves to the event with that number, in either direction.",
        "" .. "(673), current(name=N)", "N = queen", goto (), Chrono;
};

/// The moves that continue on backtracking.
pub(crate) const STEPS: &[Builtin] = steps! {
    "next" "Moves to the next event at a traced port and prints it; on backtracking, to further ones.",
        "goto_np(696), " .. ", current(chrono=C)", "C = 697 ; C = 698", "C = 697", MoveTarget::Next;
    "step" "The same as next/0.",
        "goto_np(697), " .. ", current(chrono=C)", "C = 698", "C = 698", MoveTarget::Next;
    "prev" "Moves to the previous event at a traced port and prints it; on backtracking, further back.",
        "goto_np(3), " .. ", current(chrono=C)", "C = 2 ; C = 1", "C = 2", MoveTarget::Previous;
    "bstep" "The same as prev/0.",
        "goto_np(3), " .. ", current(chrono=C)", "C = 2 ; C = 1", "C = 2", MoveTarget::Previous;
};

fn step(world: &mut World, _: &[Cell], way: MoveTarget, arrival: Arrival) -> Result<bool, Stop> {
    let trace = trace(world)?;
    match target(&trace, world.desk.cursor(), way, &TracedPorts::of(world)) {
        Ok(event) => arrive(world, &trace, event, arrival).map(|()| true),
        Err(reason) => {
            fail(world, reason);
            Ok(false)
        }
    }
}

fn steps(world: &mut World, args: &[Cell], way: MoveTarget, arrival: Arrival) -> Result<bool, Stop> {
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
    world.desk.rewind();
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

/// A move that continues on backtracking.
struct RepeatedMove {
    trace: Arc<Trace>,
    way: MoveTarget,
    traced: TracedPorts,
    arrival: Arrival,
    upcoming: EventId,
}

fn begin(
    world: &mut World,
    _: &[Cell],
    way: MoveTarget,
    arrival: Arrival,
) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace(world)?;
    let traced = TracedPorts::of(world);
    match target(&trace, world.desk.cursor(), way, &traced) {
        Ok(upcoming) => Ok(Some(Box::new(RepeatedMove { trace, way, traced, arrival, upcoming }))),
        Err(reason) => {
            fail(world, reason);
            Ok(None)
        }
    }
}

impl SolutionSource for RepeatedMove {
    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        let event = self.upcoming;
        arrive(world, &self.trace, event, self.arrival)?;
        Ok(match target(&self.trace, event + 1, self.way, &self.traced) {
            Ok(next) => {
                self.upcoming = next;
                NextSolution::More
            }
            Err(_) => NextSolution::Last,
        })
    }
}
