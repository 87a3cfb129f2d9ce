//! Instructions and clause lists as data.

mod chains;
mod clause_list;
mod effect;
mod index;
mod instr;
mod jumps;
mod live;

pub use chains::ClauseId;
pub(crate) use clause_list::{Call, Selected};
pub use clause_list::{Clause, ClauseEnd, ClauseList, Remaining, Style};
pub use effect::{Arrival, Destination, Direction, Effect, Often, SearchKind};
pub use instr::{Comparison, FAIL, Instr, NEXT_CLAUSE, Part, Pc, PredId, SCRATCH, Test, X, Y};
pub(crate) use jumps::jump_targets;
pub use live::{Live, LivePlaces};
pub(crate) use live::{Slots, live_places};
