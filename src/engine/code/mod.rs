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

pub(crate) use area::{Added, BYTES_PER_INSTRUCTION, CodeArea};
pub(crate) use chains::ClauseId;
pub(crate) use clause::Call;
pub(crate) use clause::{Clause, Style};
pub(crate) use clause_list::Selected;
pub(crate) use clause_list::{ClauseEnd, ClauseList, Remaining};
pub(crate) use compiled::{Compiled, GoalPlace};
pub(crate) use effect::{Arrival, CallRelation, Destination, Direction, Effect, Often, SearchKind};
pub(crate) use instr::{Comparison, FAIL, Instr, NEXT_CLAUSE, Part, Pc, PredId, SCRATCH, Test, X, Y};
pub(crate) use jumps::jump_targets;
pub(crate) use live::{Live, LivePlaces};
pub(crate) use live::{Slots, live_places};
pub(crate) use shapes::{Shape, Shapes};
pub(crate) use switch::Switch;
