//! Instructions and clause lists as data.

mod area;
mod chains;
mod clause;
mod clause_list;
mod clause_tree;
mod compiled;
mod effect;
mod index;
mod instr;
mod jumps;
mod live;
mod shapes;
mod switch;

pub(crate) use area::{AddedInstruction, BYTES_PER_INSTRUCTION, CodeArea};
pub(crate) use chains::ClauseId;
pub(crate) use clause::CallArguments;
pub(crate) use clause::{Clause, NeckStyle};
pub(crate) use clause_list::Selected;
pub(crate) use clause_list::{ClauseEnd, ClauseList, Remaining};
pub(crate) use compiled::{Compiled, GoalPlace};
pub(crate) use effect::{
    Arrival, CallRelation, Computation, Destination, Effect, Often, SearchCourse, SearchKind, Summary,
};
pub(crate) use instr::{
    Comparison, CompoundArgument, FAIL, InlineTypeTest, Instr, NEXT_CLAUSE, Pc, PredId, SCRATCH, X, Y,
};
pub(crate) use jumps::jump_targets;
pub(crate) use live::{Live, LivePlaces};
pub(crate) use live::{SlotSet, live_places};
pub(crate) use shapes::{RuleShape, RuleShapes};
pub(crate) use switch::Switch;
