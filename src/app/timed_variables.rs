//! Variables of a goal that are times of a trace, so that tables for people show them with units.

use super::units;
use crate::session::Answer;
use crate::syntax::ReadTerm;
use crate::term::ops::OpTable;
use crate::term::{Node, NodeId, atoms};
use crate::trace::Trace;

/// The variables of a goal that constraints such as `duration = D` bind to times, each with the nanoseconds of its unit.
#[derive(Debug, Default)]
pub(crate) struct TimedVariables(Vec<(String, i64)>);

impl TimedVariables {
    /// Those of a goal on a trace.
    pub(crate) fn of(goal: &ReadTerm, trace: Option<&Trace>) -> TimedVariables {
        let Some(trace) = trace else { return TimedVariables::default() };
        let tree = &goal.tree;
        let timed = (0..tree.len() as NodeId).filter_map(|id| {
            let &[attribute, variable] = tree.args(id) else { return None };
            let is_equation = tree.functor(id) == Some((atoms::EQUALS, 2));
            match (tree.node(attribute), tree.node(variable)) {
                (Node::Atom(name), Node::Var(number)) if is_equation => {
                    let unit = trace.schema().find(name.as_str()).and_then(|id| trace.schema().unit(id))?;
                    let (name, ..) = goal.variables.iter().find(|(_, known, ..)| known == number)?;
                    Some((name.clone(), unit.nanoseconds()))
                }
                _ => None,
            }
        });
        TimedVariables(timed.collect())
    }

    /// The text of a value in a table: a time with its unit.
    pub(crate) fn text(&self, answer: &Answer, name: &str, value: NodeId, ops: &OpTable) -> String {
        let unit = self.0.iter().find(|(timed, _)| timed == name).map(|(_, unit)| *unit);
        let time = match (unit, answer.tree.node(value)) {
            (Some(unit), Node::Int(number)) => number.checked_mul(unit),
            _ => None,
        };
        time.map(units::duration).or_else(|| answer.text_of(value, ops)).unwrap_or_default()
    }
}
