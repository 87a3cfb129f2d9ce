//! Coverage: which of the ports required of procedures and call sites the trace contains.

use crate::builtins::arguments::{atom, list, small_integer};
use crate::builtins::record::{asks, det};
use crate::builtins::trace::errors::trace;
use crate::engine::error::type_error;
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::term::hash::NumberSet;
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, CallId, EventId, Proc, Trace, Value};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([det(
    "$uncovered(+Items, -Left) is det",
    "Left has, for each item(Module, Name, Arity, Line, Ports), the ports that the trace does not cover; `-` is any module, arity or line.",
    "'$uncovered'([item(-, queen, 2, -, [exit, exit, fail])], Left)",
    "Left = [[exit, fail]]",
    uncovered,
)]);

/// A procedure or a call site, and the ports still required of it.
struct CoverageItem {
    module: Option<Atom>,
    name: Atom,
    arity: Option<i64>,
    line: Option<i64>,
    ports: Vec<Atom>,
    /// The calls that have exited.
    exited: NumberSet<CallId>,
}

fn uncovered(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let mut items = Vec::new();
    for cell in list(&world.store, args[0])? {
        items.push(item(world, cell)?);
    }
    cover(&trace, &mut items);
    let mut left = Vec::new();
    for item in &items {
        let ports: Vec<Cell> = item.ports.iter().copied().map(Cell::atom).collect();
        left.push(world.store.list(&ports));
    }
    let left = world.store.list(&left);
    Ok(world.store.unify(args[1], left))
}

fn item(world: &World, cell: Cell) -> Result<CoverageItem, Stop> {
    let store = &world.store;
    let Term::Compound(compound) = store.look(cell) else { return Err(type_error(store, "coverage_item", cell)) };
    let &[module, name, arity, line, ports] = store.args(compound) else {
        return Err(type_error(store, "coverage_item", cell));
    };
    let is_any = |cell: Cell| store.deref(cell) == Cell::atom(atoms::MINUS);
    let number = |cell: Cell| if is_any(cell) { Ok(None) } else { small_integer(store, cell).map(Some) };
    let ports = list(store, ports)?.into_iter().map(|port| atom(store, port)).collect::<Result<_, _>>()?;
    Ok(CoverageItem {
        module: if is_any(module) { None } else { Some(atom(store, module)?) },
        name: atom(store, name)?,
        arity: number(arity)?,
        line: number(line)?,
        ports,
        exited: NumberSet::default(),
    })
}

fn cover(trace: &Trace, items: &mut [CoverageItem]) {
    let of_procs: Vec<(_, Vec<usize>)> = trace
        .procs()
        .map(|(id, proc)| (id, (0..items.len()).filter(|item| items[*item].is_of(proc)).collect()))
        .collect();
    for event in 0..trace.n_events() {
        let Some(port) = trace.port(event).filter(|port| ENDS.contains(&port.as_str())) else { continue };
        let Some(proc) = trace.proc_of(event) else { continue };
        let Ok(at) = of_procs.binary_search_by_key(&proc, |(id, _)| *id) else { continue };
        for item in &of_procs[at].1 {
            items[*item].take(trace, event, port);
        }
    }
}

const ENDS: &[&str] = &["exit", "fail", "exception"];

impl CoverageItem {
    fn is_of(&self, proc: &Proc) -> bool {
        proc.name == Some(self.name)
            && self.arity.is_none_or(|arity| proc.arity == Some(arity))
            && self.module.is_none_or(|module| [proc.decl_module, proc.def_module].contains(&Some(module)))
    }

    /// Takes the end of a call. A first exit counts, and later ones only if the same call has exited before; a fail
    /// counts only if its call has not exited before.
    fn take(&mut self, trace: &Trace, event: EventId, port: Atom) {
        if self.ports.is_empty() || self.line.is_some_and(|line| !is_at(trace, event, line)) {
            return;
        }
        let Some(call) = trace.call(event) else { return };
        let counts = match port.as_str() {
            "exit" => self.exited.is_empty() || self.exited.contains(&call),
            "fail" => !self.exited.contains(&call),
            _ => true,
        };
        if counts && let Some(at) = self.ports.iter().position(|required| *required == port) {
            self.ports.remove(at);
        }
        if port.as_str() == "exit" {
            self.exited.insert(call);
        }
    }
}

fn is_at(trace: &Trace, event: EventId, line: i64) -> bool {
    trace.value(event, AttributeId::LINE_NUMBER) == Value::Int(line)
}
