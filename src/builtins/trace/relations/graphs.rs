//! Graphs of procedures: which event follows which, and who calls whom.

use indexmap::IndexSet;

use crate::builtins::record::{asks, det};
use crate::builtins::trace::errors::trace;
use crate::engine::{Builtin, Cell, Stop, Store, World};
use crate::term::{Atom, atoms};
use crate::trace::{PortRole, ProcedureNode, ProcedureNodes};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    det(
        "$control_flow_graph(-Arcs) is det",
        "The arcs of control_flow_graph/1.",
        "'$control_flow_graph'([A|_])",
        "A = arc(user/0, main/2)",
        control_flow_graph,
    ),
    det(
        "$dynamic_call_graph(-Arcs) is det",
        "The arcs of dynamic_call_graph/1.",
        "'$dynamic_call_graph'([A|_])",
        "A = arc(user/0, main/2, 1)",
        dynamic_call_graph,
    ),
]);

fn control_flow_graph(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let nodes = ProcedureNodes::new(&trace);
    let (mut arcs, mut last) = (IndexSet::new(), None);
    for event in 0..trace.n_events() {
        if trace.port_role(event) != PortRole::Inside {
            let node = nodes.at(event);
            arcs.insert((last, node));
            last = node;
        }
    }
    let arcs = arcs.into_iter().map(|(from, to)| (from, to, None)).collect();
    Ok(unify(&mut world.store, args[0], arcs))
}

fn dynamic_call_graph(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let arcs = ProcedureNodes::new(&trace).calls();
    let arcs = arcs.iter().map(|((from, to), calls)| (*from, *to, Some(*calls))).collect();
    Ok(unify(&mut world.store, args[0], arcs))
}

fn unify(store: &mut Store, target: Cell, arcs: Vec<(ProcedureNode, ProcedureNode, Option<i64>)>) -> bool {
    let functor = Atom::new("arc");
    let mut terms = Vec::with_capacity(arcs.len());
    for (from, to, count) in arcs {
        let mut parts = vec![node(store, from), node(store, to)];
        parts.extend(count.map(|count| store.int(count)));
        terms.push(store.compound(functor, &parts));
    }
    let list = store.list(&terms);
    store.unify(target, list)
}

/// `name/arity`, or `name` if the trace does not state the arity.
fn node(store: &mut Store, node: ProcedureNode) -> Cell {
    let (name, arity) = node.unwrap_or((Atom::new("user"), Some(0)));
    match arity {
        Some(arity) => {
            let arity = store.int(arity);
            store.compound(atoms::DIVIDE, &[Cell::atom(name), arity])
        }
        None => Cell::atom(name),
    }
}
