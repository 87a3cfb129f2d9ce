//! Floor 3: compiles clauses to instructions and runs them on a backtracking machine.
//!
//! Its rooms, from the lowest: a file imports from its own room and from those above it in this table.
//!
//! | room | contents |
//! |---|---|
//! | `heap` | cells, the store, and what copies, compares and unifies terms; ISO errors |
//! | `arith` | numbers, functions and the evaluation of expressions |
//! | `code` | instructions, clauses and their indexes as data |
//! | `state` | the world, which native predicates see and change: predicates, flags, tables, traces, ... |
//! | `compile` | from clauses to instructions |
//! | `program` | what scripts and assertions add: clauses, rules, library predicates |
//! | `run` | the machine: steps, calls, choice points, exceptions, garbage collection, tabling |

pub mod arith;
mod code;
mod compile;
mod heap;
mod program;
mod run;
mod state;

pub use code::{
    Arrival, ClauseEnd, ClauseId, ClauseList, Comparison, Destination, Direction, Effect, Often, PredId, Remaining,
    SearchKind, Style,
};
pub use heap::error;
pub use heap::{
    Attempt, Cell, Compound, Frozen, Limit, ListEnd, ListWalk, Mark, OccursCheck, Stop, Store, Tag, Term, Watch,
};
pub use program::{Refusal, ScriptEvent};
pub use run::{Accumulator, Control, Determinism, Machine};
pub use state::flags;
pub use state::{
    Answers, ArgumentTest, Ask, Assertions, BEFORE_FIRST, Bookmark, Builtin, Collectors, CommandKind, Counters,
    Database, Definition, Desk, Det, Failure, Flags, Globals, GoalLine, GoalTrace, Input, LoadReport, Loader, Mode,
    Namespace, Native, Next, Nondet, Output, Part, Plan, Plans, Pred, Progress, Prompts, Protection, Reach, Run,
    Scripts, Settings, Solutions, Solver, Sought, Sources, Tables, Traces, Use, UserCommand, Violated, World,
    folder_of, no_event_after, seek_below,
};
