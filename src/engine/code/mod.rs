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
pub use chains::ClauseId;
pub(crate) use clause::Call;
pub use clause::{Clause, Style};
pub(crate) use clause_list::Selected;
pub use clause_list::{ClauseEnd, ClauseList, Remaining};
pub use compiled::{Compiled, GoalPlace};
pub use effect::{Arrival, CallRelation, Destination, Direction, Effect, Often, SearchKind};
pub use instr::{Comparison, FAIL, Instr, NEXT_CLAUSE, Part, Pc, PredId, SCRATCH, Test, X, Y};
pub(crate) use jumps::jump_targets;
pub use live::{Live, LivePlaces};
pub(crate) use live::{Slots, live_places};
pub(crate) use shapes::{Shape, Shapes};
pub(crate) use switch::Switch;
