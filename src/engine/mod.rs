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

pub(crate) mod arith;
mod code;
mod compile;
mod heap;
mod program;
mod run;
mod state;

pub(crate) use code::{
    Arrival, CallRelation, ClauseEnd, ClauseId, Comparison, Computation, Destination, Effect, Often, PredId, Remaining,
    SearchCourse, SearchKind, Summary,
};
pub(crate) use heap::error;
pub(crate) use heap::{Cell, Compound, Frozen, ListEnd, Mark, OccursCheck, Stop, Store, Term, Watch};
pub(crate) use program::ScriptEvent;
pub(crate) use run::{Accumulator, Determinism, Machine};
pub(crate) use state::flags;
pub(crate) use state::{
    AnswerLayout, ArgumentTest, Ask, Assertions, BEFORE_FIRST, Bookmark, Builtin, CommandKind, Control, Database,
    Definition, DerivedRule, Det, EventPart, GoalLine, GoalTrace, LoadReport, Loader, NamedFiles, Namespace,
    NextSolution, Nondet, Output, Plan, Pred, PredicateFunction, Prompts, Protection, QueryProgress, Reach, Remarks,
    ScriptFile, SolutionSource, Solutions, Solver, Sought, Stopped, TableMode, TermUse, Traces, UserCommand, Violated,
    World, folder_of, no_event_after, seek_below,
};
