//! The table of calls.

use std::io;
use std::path::Path;

use super::table::{ColumnType, Table};
use crate::trace::{AttributeId, CallId, Trace, Value};

/// The columns that every trace has.
const COLUMNS: &[(&str, ColumnType)] = &[
    ("trace", ColumnType::Text),
    ("call", ColumnType::Integer),
    ("parent", ColumnType::Integer),
    ("enter", ColumnType::Integer),
    ("leave", ColumnType::Integer),
    ("open", ColumnType::Bool),
    ("depth", ColumnType::Integer),
    ("tree_first", ColumnType::Integer),
    ("tree_last", ColumnType::Integer),
    ("duration", ColumnType::Integer),
    ("self_time", ColumnType::Integer),
    ("proc", ColumnType::Text),
];

/// The parts of procedures, which have a column if the trace has them.
const PARTS: &[(AttributeId, ColumnType)] = &[
    (AttributeId::PROC_TYPE, ColumnType::Text),
    (AttributeId::DECL_MODULE, ColumnType::Text),
    (AttributeId::DEF_MODULE, ColumnType::Text),
    (AttributeId::NAME, ColumnType::Text),
    (AttributeId::ARITY, ColumnType::Integer),
    (AttributeId::MODE_NUMBER, ColumnType::Integer),
];

/// Writes a row for each call, in the order of their first events, and gives the paths of the files.
pub(super) fn write(trace: &Trace, name: &str, top: &Path, within: String, metadata: &str) -> io::Result<Vec<String>> {
    let schema = trace.schema();
    let parts: Vec<_> = PARTS.iter().filter(|(id, _)| schema.has(*id) || *id == AttributeId::NAME).collect();
    let names = parts.iter().map(|(id, kind)| (&*schema.get(*id).name, *kind));
    let mut table = Table::new(top, within, COLUMNS.iter().copied().chain(names), metadata)?;
    let mut is_open = vec![false; trace.n_calls()];
    trace.open_calls().for_each(|call| is_open[call.index()] = true);
    let places = places(trace);
    for call in trace.calls() {
        let (first, last) = (trace.call_first(call), trace.call_last(call));
        let proc = trace.proc_of(first).map(|id| trace.proc(id).to_string());
        let (tree_first, tree_last) = places[call.index()];
        let number = |id: AttributeId| match trace.value(last, id) {
            Value::Int(value) => Some(value),
            _ => None,
        };
        let (fixed, of_proc) = table.columns().split_at_mut(COLUMNS.len());
        fixed[0].text(Some(name));
        fixed[1].integer(Some(trace.call_number(call)));
        fixed[2].integer(trace.parent(call).map(|parent| trace.call_number(parent)));
        fixed[3].integer(Some(trace.chrono(first)));
        fixed[4].integer(Some(trace.chrono(last)));
        fixed[5].truth(is_open[call.index()]);
        fixed[6].integer(trace.depth(first));
        fixed[7].integer(Some(i64::from(tree_first)));
        fixed[8].integer(Some(i64::from(tree_last)));
        fixed[9].integer(number(AttributeId::CALL_DURATION));
        fixed[10].integer(number(AttributeId::CALL_SELF_TIME));
        fixed[11].text(proc.as_deref());
        for ((id, _), rows) in parts.iter().zip(of_proc) {
            match trace.value(first, *id) {
                Value::Int(value) => rows.integer(Some(value)),
                Value::Atom(name) => rows.text(Some(name.as_str())),
                _ => rows.null(),
            }
        }
        table.end_row()?;
    }
    table.finish()
}

/// For each call, its number among all calls, from 1, where each comes before its children; and the greatest such number
/// of the call and its descendants.
fn places(trace: &Trace) -> Vec<(u32, u32)> {
    let mut places = vec![(0, 0); trace.n_calls()];
    let mut n_visited = 0;
    let roots = trace.calls().filter(|call| trace.parent(*call).is_none());
    // calls that are their own ancestors are below no root
    for root in roots.chain(trace.calls()) {
        let mut open: Vec<(CallId, _)> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(call) = next.filter(|call| places[call.index()].0 == 0) {
                n_visited += 1;
                places[call.index()].0 = n_visited;
                open.push((call, trace.children(call)));
            }
            let Some((call, children)) = open.last_mut() else { break };
            next = children.next();
            if next.is_none() {
                places[call.index()].1 = n_visited;
                open.pop();
            }
        }
    }
    places
}
