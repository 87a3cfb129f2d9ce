//! Calls as relations: their first and last events, their parents and children, and the calls that never end.

use std::sync::Arc;

use crate::builtins::arguments::optional_integer;
use crate::builtins::record::{asks, at_most_one, det, each, nondet, with};
use crate::builtins::trace::cursor::current_event;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::engine::{Builtin, CallRelation, Cell, Effect, SolutionSource, Solutions, Stop, Store, World};
use crate::trace::{CallId, EventId, Trace, loops};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    with(
        Effect::RelatesCall(CallRelation::Start),
        nondet(
            "call_start(?Call, ?Chrono) is nondet",
            "Chrono is the number of the first event of a call.",
            "call_start(3, C)",
            "C = 4",
            |world, args| edge(world, args, Trace::call_first),
        ),
    ),
    with(
        Effect::RelatesCall(CallRelation::End),
        nondet(
            "call_end(?Call, ?Chrono) is nondet",
            "Chrono is the number of the last event of a call.",
            "call_end(3, C)",
            "C = 673",
            |world, args| edge(world, args, Trace::call_last),
        ),
    ),
    with(
        Effect::RelatesCall(CallRelation::Parent),
        nondet(
            "parent(?Call, ?Parent) is nondet",
            "Parent is the number of the call in which a call was made.",
            "parent(3, P)",
            "P = 1",
            |world, args| family(world, args[0], args[1]),
        ),
    ),
    nondet(
        "child(?Call, ?Child) is nondet",
        "Child is the number of a call that was made in a call.",
        "child(1, 3)",
        "true",
        |world, args| family(world, args[1], args[0]),
    ),
    nondet(
        "ancestor(?Call, ?Ancestor) is nondet",
        "Ancestor is the number of a call around a call, the nearest first.",
        "event([chrono=14, call=K]), ancestor(K, A)",
        "K = 7, A = 6 ; K = 7, A = 4 ; K = 7, A = 3 ; K = 7, A = 1",
        ancestor,
    ),
    nondet(
        "$loop(?Outer, ?Inner) is nondet",
        "Inner is a call with the same procedure and arguments as Outer, the nearest such call around it.",
        "'$loop'(O, I)",
        "false",
        loop_2,
    ),
    nondet(
        "open_call(?Call) is nondet",
        "Call is the number of a call that never ended: its last event is no exit, fail or exception. In traces of Prolog \
         systems, those inside a call that has ended are left out: a cut or an exception ended them.",
        "open_call(1)",
        "false",
        open_call,
    ),
    det(
        "$ask_duration(?Call) is det",
        "Notes that a goal asks how long Call took, or how long all calls did.",
        "'$ask_duration'(1)",
        "true",
        ask_duration,
    ),
    det(
        "stack(-Stack) is semidet",
        "The current call and the calls around it, the nearest first, each a list of level, detail, kind, proc and det.",
        "goto_np(2), stack([[_, D|_]|_])",
        "D = detail(2, 2, 2)",
        stack,
    ),
]);

/// The call with a number; none for an unknown number, with a reason.
fn known_call(world: &mut World, trace: &Trace, number: i64) -> Option<CallId> {
    let call = trace.find_call(number);
    if call.is_none() {
        world.remarks.fail(format!("no event has `call = {number}`"));
    }
    call
}

fn unify_call(store: &mut Store, trace: &Trace, call: CallId, cell: Cell) -> bool {
    let number = store.int(trace.call_number(call));
    store.unify(cell, number)
}

/// The trace, for a question about its calls.
fn trace_of_calls(world: &mut World) -> Result<Arc<Trace>, Stop> {
    let trace = trace(world)?;
    world.remarks.ask_calls(&trace);
    Ok(trace)
}

fn ask_duration(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace_of_calls(world)?;
    match optional_integer(&world.store, args[0])? {
        Some(number) => {
            let call = trace.find_call(number);
            call.into_iter().for_each(|call| world.remarks.ask_duration(&trace, call));
        }
        None => world.remarks.ask_durations(&trace),
    }
    Ok(true)
}

/// `call_start/2` and `call_end/2`: `place` gives the event of a call.
fn edge(
    world: &mut World,
    args: &[Cell],
    place: fn(&Trace, CallId) -> EventId,
) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace_of_calls(world)?;
    let call = optional_integer(&world.store, args[0])?;
    let chrono = optional_integer(&world.store, args[1])?;
    if let Some(number) = call {
        let Some(call) = known_call(world, &trace, number) else { return Ok(None) };
        let chrono = world.store.int(trace.chrono(place(&trace, call)));
        return at_most_one(world.store.unify(args[1], chrono));
    }
    if let Some(chrono) = chrono {
        let event = trace.find_chrono(chrono);
        let call = event.and_then(|event| trace.call(event).filter(|call| place(&trace, *call) == event));
        return at_most_one(call.is_some_and(|call| unify_call(&mut world.store, &trace, call, args[0])));
    }
    let (call_cell, chrono_cell) = (args[0], args[1]);
    let calls = trace.calls();
    each_call(trace, calls, move |store, trace, call| {
        let chrono = store.int(trace.chrono(place(trace, call)));
        unify_call(store, trace, call, call_cell) && store.unify(chrono_cell, chrono)
    })
}

/// Pairs of a call and its parent.
fn family(world: &mut World, child: Cell, parent: Cell) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace_of_calls(world)?;
    let child_number = optional_integer(&world.store, child)?;
    let parent_number = optional_integer(&world.store, parent)?;
    if let Some(number) = child_number {
        let Some(call) = known_call(world, &trace, number) else { return Ok(None) };
        let Some(around) = trace.parent(call) else { return Ok(None) };
        return at_most_one(unify_call(&mut world.store, &trace, around, parent));
    }
    if let Some(number) = parent_number {
        let Some(call) = known_call(world, &trace, number) else { return Ok(None) };
        let children: Vec<CallId> = trace.children(call).collect();
        return each_call(trace, children.into_iter(), move |store, trace, call| unify_call(store, trace, call, child));
    }
    let calls = trace.calls();
    let with_parent = Arc::clone(&trace);
    let calls = calls.filter(move |call| with_parent.parent(*call).is_some());
    each_call(trace, calls, move |store, trace, call| {
        let Some(around) = trace.parent(call) else { return false };
        unify_call(store, trace, call, child) && unify_call(store, trace, around, parent)
    })
}

fn ancestor(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace_of_calls(world)?;
    let (call_cell, ancestor_cell) = (args[0], args[1]);
    let number = optional_integer(&world.store, call_cell)?;
    let wanted = optional_integer(&world.store, ancestor_cell)?;
    match (number, wanted) {
        (Some(number), None) => {
            let Some(call) = known_call(world, &trace, number) else { return Ok(None) };
            let chain = EnclosingCalls { trace: Arc::clone(&trace), next: trace.parent(call) };
            each_call(trace, chain, move |store, trace, call| unify_call(store, trace, call, ancestor_cell))
        }
        (Some(number), Some(wanted)) => {
            let Some(call) = known_call(world, &trace, number) else { return Ok(None) };
            at_most_one(trace.ancestors(call).any(|call| trace.call_number(call) == wanted))
        }
        (None, wanted) => {
            let outer = match wanted {
                Some(wanted) => match known_call(world, &trace, wanted) {
                    Some(call) => Some(call),
                    None => return Ok(None),
                },
                None => None,
            };
            let shared = Arc::clone(&trace);
            let pairs = trace.calls().flat_map(move |call| {
                let chain = EnclosingCalls { trace: Arc::clone(&shared), next: shared.parent(call) };
                chain.filter(move |around| outer.is_none_or(|outer| outer == *around)).map(move |around| (call, around))
            });
            each(pairs, move |world, (call, around)| {
                unify_call(&mut world.store, &trace, call, call_cell)
                    && unify_call(&mut world.store, &trace, around, ancestor_cell)
            })
        }
    }
}

/// The calls around a call, innermost first.
struct EnclosingCalls {
    trace: Arc<Trace>,
    next: Option<CallId>,
}

impl Iterator for EnclosingCalls {
    type Item = CallId;

    fn next(&mut self) -> Option<CallId> {
        let call = self.next?;
        self.next = self.trace.parent(call);
        Some(call)
    }
}

fn open_call(world: &mut World, args: &[Cell]) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    let trace = trace_of_calls(world)?;
    if let Some(number) = optional_integer(&world.store, args[0])? {
        return at_most_one(known_call(world, &trace, number).is_some_and(|call| is_left_open(&trace, call)));
    }
    let open: Vec<CallId> = trace.open_calls().collect();
    let cell = args[0];
    each_call(trace, open.into_iter(), move |store, trace, call| unify_call(store, trace, call, cell))
}

/// Whether a call is one of `Trace::open_calls`.
fn is_left_open(trace: &Trace, call: CallId) -> bool {
    let has_ended_around = || trace.ancestors(call).any(|around| !trace.is_open(around));
    trace.is_open(call) && !(trace.origin().ends_silently && has_ended_around())
}

/// Answers from calls, one by one; `unify` says whether a call gives an answer.
fn each_call(
    trace: Arc<Trace>,
    calls: impl Iterator<Item = CallId> + 'static,
    unify: impl Fn(&mut Store, &Trace, CallId) -> bool + 'static,
) -> Result<Option<Box<dyn SolutionSource>>, Stop> {
    each(calls, move |world, call| unify(&mut world.store, &trace, call))
}

fn stack(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let stack = attributes::stack(&mut world.store, &trace, event);
    Ok(world.store.unify(args[0], stack))
}

fn loop_2(world: &mut World, args: &[Cell]) -> Solutions {
    let trace = trace(world)?;
    let [outer, inner] = [args[0], args[1]];
    each(loops(&trace).into_iter(), move |world, pair| {
        let [around, call] = [pair.0, pair.1].map(|call| world.store.int(trace.call_number(call)));
        world.store.unify(outer, around) && world.store.unify(inner, call)
    })
}
