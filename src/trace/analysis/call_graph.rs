//! The dynamic call graph: which procedures have called which, and how often.

use indexmap::IndexMap;

use crate::term::Atom;
use crate::trace::event::EventId;
use crate::trace::event::proc::ProcId;
use crate::trace::relation::store::Trace;

/// A procedure by name and arity; none for the caller of the outermost procedure.
pub(crate) type ProcedureNode = Option<(Atom, Option<i64>)>;

/// How often each pair of caller and callee occurs, in the order of the first calls.
pub(crate) type CallArcs = IndexMap<(ProcedureNode, ProcedureNode), i64>;

/// The nodes of all procedures of a trace; procedures that differ only by module or mode share one.
pub(crate) struct ProcedureNodes<'t> {
    trace: &'t Trace,
    of: Vec<(ProcId, ProcedureNode)>,
}

impl<'t> ProcedureNodes<'t> {
    /// Finds them.
    pub(crate) fn new(trace: &'t Trace) -> ProcedureNodes<'t> {
        let of = trace.procs().map(|(id, proc)| (id, proc.name.map(|name| (name, proc.arity)))).collect();
        ProcedureNodes { trace, of }
    }

    /// The node of an event.
    pub(crate) fn at(&self, event: EventId) -> ProcedureNode {
        let id = self.trace.proc_of(event)?;
        let at = self.of.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.of[at].1
    }

    /// Who has called whom.
    pub(crate) fn calls(&self) -> CallArcs {
        let trace = self.trace;
        let mut arcs = CallArcs::new();
        for call in trace.calls() {
            let caller = trace.parent(call).and_then(|parent| self.at(trace.call_first(parent)));
            *arcs.entry((caller, self.at(trace.call_first(call)))).or_default() += 1;
        }
        arcs
    }
}
