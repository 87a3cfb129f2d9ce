//! The world: all that native predicates see and change.

mod assertions;
mod builtin;
mod collectors;
mod control;
mod counters;
mod database;
mod derivations;
mod desk;
pub(crate) mod flags;
mod globals;
mod goal_trace;
mod guest;
mod input;
mod loading;
mod output;
mod plan;
mod remarks;
mod script_file;
mod script_path;
mod scripts;
mod settings;
mod sources;
mod table;
mod traces;
mod user_command;
mod world;

pub(crate) use assertions::{Assertions, Violated};
pub(crate) use builtin::{
    Builtin, Det, NextSolution, Nondet, PredicateFunction, Protection, SolutionSource, Solutions,
};
pub(crate) use control::is_body;
pub(crate) use control::{CleanupStep, Control, LimitStep, TableStep};
pub(crate) use database::{
    ANSWERING, CATCH_CODE, FACT_CODE, FAILING, KnownOfClause, LEVEL_CODE, RESUME_CODE, RULE_CODE, TABLE_CODE,
};
pub(crate) use database::{Database, Definition, Namespace, Native, Pred};
pub(crate) use derivations::DerivedRule;
pub(crate) use desk::AnswerLayout;
pub(crate) use goal_trace::{GoalLine, GoalTrace, QueryProgress, Stopped};
pub(crate) use input::{Ask, Prompts};
pub(crate) use loading::Loading;
pub(crate) use output::Output;
pub(crate) use plan::{ArgumentTest, BEFORE_FIRST, EventPart, Plan, Reach, TermUse, no_event_after};
pub(crate) use remarks::Remarks;
pub(crate) use script_file::ScriptFile;
pub(crate) use script_path::{Sought, folder_of, seek_below};
pub(crate) use scripts::LoadReport;
pub(crate) use settings::Solver;
pub(crate) use table::TableMode;
pub(crate) use table::{Failing, SuspendedFrame, Suspension, TableId, Tabled};
pub(crate) use traces::{Bookmark, Loader, NamedFiles, Traces};
pub(crate) use user_command::{CommandKind, UserCommand};
pub(crate) use world::World;
