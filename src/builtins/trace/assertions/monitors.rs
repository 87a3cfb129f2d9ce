//! The parts of `collect/2`: the fold over all events from the current one on, and the fields of an event.

use std::sync::{Arc, LazyLock};

use crate::builtins::record::{det, nondet};
use crate::builtins::trace::errors::{no_attribute, trace};
use crate::builtins::trace::values::attributes;
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{
    Accumulator, Builtin, Cell, Mark, NextSolution, SolutionSource, Solutions, Stop, Store, Term, World,
};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, Trace};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[nondet(
    "$collect(+Value0, -Event, -Value) is nondet",
    "Goes through the events from the current one on; Value is what the last step handed on. Ends when a step has failed.",
    "'$collect'(0, event(C), V), C > 2",
    "false",
    start,
)];

macro_rules! fields {
    ($($modes:literal $doc:literal $example:literal $answer:literal $attribute:ident;)*) => {
        &[$(det($modes, $doc, $example, $answer, |world, args| field(world, args, AttributeId::$attribute)),)*]
    };
}

/// The fields of an event that a monitor gets.
pub(crate) const FIELDS: &[Builtin] = fields! {
    "chrono(+Event, -Chrono) is det" "Chrono is the number of an event that a monitor gets." "chrono(event(673), C)" "C = 673" CHRONO;
    "event(+Chrono, -Call) is det" "Call is the call number of an event: so that `call(Event, Call)` gives it in monitors." "Event = event(673), call(Event, C)" "Event = event(673), C = 3" CALL;
    "depth(+Event, -Depth) is det" "Depth is the depth of an event that a monitor gets." "depth(event(673), D)" "D = 2" DEPTH;
    "port(+Event, -Port) is det" "Port is the port of an event that a monitor gets." "port(event(673), P)" "P = exit" PORT;
    "proc(+Event, -Proc) is det" "Proc is the procedure of an event that a monitor gets, in the fullest form that the trace knows." "proc(event(673), P)" "P = queen/2" PROC;
    "proc_type(+Event, -Type) is det" "Type is predicate or function, for an event that a monitor gets." "proc_type(event(673), T)" "error: existence_error(attribute, proc_type)" PROC_TYPE;
    "decl_module(+Event, -Module) is det" "Module declares the procedure of an event that a monitor gets." "decl_module(event(673), M)" "error: existence_error(attribute, decl_module)" DECL_MODULE;
    "def_module(+Event, -Module) is det" "Module defines the procedure of an event that a monitor gets." "def_module(event(673), M)" "error: existence_error(attribute, def_module)" DEF_MODULE;
    "proc_name(+Event, -Name) is det" "Name is that of the procedure of an event that a monitor gets." "proc_name(event(673), N)" "N = queen" NAME;
    "proc_arity(+Event, -Arity) is det" "Arity is that of the procedure of an event that a monitor gets." "proc_arity(event(673), A)" "A = 2" ARITY;
    "proc_mode_number(+Event, -Mode) is det" "Mode is the mode number of the procedure of an event that a monitor gets." "proc_mode_number(event(673), M)" "error: existence_error(attribute, mode_number)" MODE_NUMBER;
    "arguments(+Event, -Arguments) is det" "Arguments are those of an event that a monitor gets; `-` for one that is not live." "arguments(event(673), A)" "A = [[1, 2, 3, 4, 5], [1, 3, 5, 2, 4]]" ARGS;
    "determinism(+Event, -Determinism) is det" "Determinism is that of the procedure of an event that a monitor gets." "determinism(event(673), D)" "error: existence_error(attribute, det)" DET;
    "goal_path(+Event, -Path) is det" "Path is the list of steps to the goal of an event that a monitor gets." "goal_path(event(6), P)" "P = [s2]" GOAL_PATH;
    "line_number(+Event, -Line) is det" "Line is the line of the source of an event that a monitor gets." "line_number(event(673), L)" "L = 16" LINE_NUMBER;
};

/// The name of the term that denotes an event.
static EVENT: LazyLock<Atom> = LazyLock::new(|| Atom::new("event"));

fn field(world: &mut World, args: &[Cell], attribute: AttributeId) -> Result<bool, Stop> {
    let World { store, desk, .. } = world;
    let Some(shared) = desk.trace() else { return trace(world).map(|_| false) };
    let event = row(store, shared, args[0], attribute)?;
    let value = match attribute {
        AttributeId::PORT => shared.port(event).map(Cell::atom),
        _ => attributes::attribute_value(store, shared, event, attribute),
    };
    match value {
        Some(value) => Ok(store.unify(args[1], value)),
        None => absent(store, shared, attribute).map(|value| store.unify(args[1], value)),
    }
}

/// The value of an attribute that an event lacks: `-`; an error if no event of the trace has the attribute.
#[cold]
fn absent(store: &Store, trace: &Trace, attribute: AttributeId) -> Result<Cell, Stop> {
    let name = || Cell::atom(Atom::new(&trace.schema().get(attribute).name));
    match trace.schema().ask(attribute) {
        Ok(()) => Ok(Cell::atom(atoms::MINUS)),
        Err(error) => Err(no_attribute(store, name(), &error)),
    }
}

/// The row of the event `event(Chrono)`; for the call number, `Chrono` alone denotes it, too.
fn row(store: &Store, trace: &Trace, cell: Cell, attribute: AttributeId) -> Result<EventId, Stop> {
    let chrono = match store.look(cell) {
        Term::Compound(compound) if compound.arity == 1 && compound.name == *EVENT => store.arg(compound, 0),
        Term::Int(_) if attribute == AttributeId::CALL => cell,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(store, "event", cell)),
    };
    match store.look(chrono) {
        Term::Int(chrono) => trace.find_chrono(chrono).ok_or_else(|| type_error(store, "event", cell)),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "event", cell)),
    }
}

/// A running fold.
struct Collect {
    trace: Arc<Trace>,
    /// The next event.
    next: EventId,
    event: Cell,
    result: Cell,
    accumulator: Accumulator,
    /// Whether a step has begun and not yet given its value.
    is_waiting: bool,
}

fn start(world: &mut World, args: &[Cell]) -> Solutions {
    let trace = trace(world)?;
    let accumulator = Accumulator::new(world.store.deref(args[0]));
    let next = world.desk.cursor().saturating_sub(1);
    Ok(Some(Box::new(Collect { trace, next, event: args[1], result: args[2], accumulator, is_waiting: false })))
}

impl SolutionSource for Collect {
    fn keep(&mut self, store: &mut Store, mark: &mut Mark, value: Cell) {
        self.accumulator.keep(store, mark, value);
        self.is_waiting = false;
    }

    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        if self.is_waiting || self.next >= self.trace.n_events() {
            world.collectors.folded = world.store.freeze(self.accumulator.value());
            world.collectors.folded_at = self.next.checked_sub(1);
            return Ok(NextSolution::Fail);
        }
        let store = &mut world.store;
        let chrono = store.int(self.trace.chrono(self.next));
        let event = store.compound(*EVENT, &[chrono]);
        self.next += 1;
        world.desk.return_to(self.next);
        if !store.unify(self.event, event) || !store.unify(self.result, self.accumulator.value()) {
            return Ok(NextSolution::Skip);
        }
        self.is_waiting = true;
        Ok(NextSolution::More)
    }
}
