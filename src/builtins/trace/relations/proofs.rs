//! Proof trees as terms, and the goals of events.

use crate::builtins::arguments::{is_var, small_integer};
use crate::builtins::record::{asks, det};
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::engine::{Builtin, Cell, Stop, Store, World};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, ProofNode, Trace, last_exit, proof, result};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    det(
        "$proof(+Call, ?Exit, -Tree) is semidet",
        "Tree is the proof tree of a call at its exit with the number Exit (the last one): node(Call, Exit, Size, Children).",
        "'$proof'(2, Exit, Tree)",
        "Exit = 3, Tree = node(2, 3, 1, [])",
        proof_3,
    ),
    det(
        "$goal(+Chrono, -Goal) is semidet",
        "Goal is the procedure of an event with its arguments, as a term; at the exit of a function `Goal = Result`.",
        "'$goal'(3, G)",
        "G = data([1, 2, 3, 4, 5])",
        goal,
    ),
]);

fn proof_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let number = small_integer(&world.store, args[0])?;
    let Some(call) = trace.find_call(number) else { return Ok(fail(world, format!("no event has `call = {number}`"))) };
    let exit = match is_var(&world.store, args[1]) {
        true => last_exit(&trace, call),
        false => trace.find_chrono(small_integer(&world.store, args[1])?),
    };
    let Some(exit) = exit else { return Ok(fail(world, format!("call {number} has no exit"))) };
    let Some(nodes) = proof(&trace, call, exit) else {
        return Ok(fail(world, format!("event {} is no exit of call {number}", trace.chrono(exit))));
    };
    let tree = tree(&mut world.store, &trace, &nodes);
    let exit = world.store.int(trace.chrono(exit));
    Ok(world.store.unify(args[1], exit) && world.store.unify(args[2], tree))
}

fn fail(world: &mut World, words: String) -> bool {
    world.remarks.fail(words);
    false
}

/// Builds the tree from the last node to the first: the children of a node are then on top of the stack, the first
/// child topmost.
fn tree(store: &mut Store, trace: &Trace, nodes: &[ProofNode]) -> Cell {
    let functor = Atom::new("node");
    let mut done: Vec<(usize, Cell)> = Vec::new();
    for node in nodes.iter().rev() {
        let mut children: Vec<Cell> = Vec::new();
        let mut missing = node.size - 1;
        while missing > 0
            && let Some((size, child)) = done.pop()
        {
            missing = missing.saturating_sub(size);
            children.push(child);
        }
        let numbers = [trace.call_number(node.call), trace.chrono(node.exit), node.size as i64];
        let [call, exit, size] = numbers.map(|number| store.int(number));
        let children = store.list(&children);
        done.push((node.size, store.compound(functor, &[call, exit, size, children])));
    }
    done.pop().map_or(Cell::NIL, |(_, root)| root)
}

fn goal(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let chrono = small_integer(&world.store, args[0])?;
    let Some(event) = trace.find_chrono(chrono) else { return Ok(false) };
    let goal = goal_of(&mut world.store, &trace, event);
    Ok(goal.is_some_and(|goal| world.store.unify(args[1], goal)))
}

/// The procedure with its arguments, or without if the trace has none.
fn goal_of(store: &mut Store, trace: &Trace, event: EventId) -> Option<Cell> {
    let proc = *trace.proc(trace.proc_of(event)?);
    let name = proc.name?;
    let called = match attributes::attribute_value(store, trace, event, AttributeId::ARGS) {
        Some(list) => {
            let args = store.walk_list(list).items;
            if args.is_empty() { Cell::atom(name) } else { store.compound(name, &args) }
        }
        None => attributes::proc(store, &proc),
    };
    Some(match attributes::of(store, trace, result(trace, event)) {
        Some(result) => store.compound(atoms::EQUALS, &[called, result]),
        None => called,
    })
}
