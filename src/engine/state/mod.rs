//! The world: all that native predicates see and change.

mod assertions;
mod builtin;
mod collectors;
mod control;
mod counters;
mod database;
mod desk;
pub mod flags;
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

pub use assertions::{Assertions, Violated};
pub use builtin::{Answers, Builtin, Det, Next, Nondet, Protection, Run, Solutions};
pub(crate) use control::is_body;
pub use control::{CleanupStep, Control, LimitStep, TableStep};
pub(crate) use database::{
    ANSWERING, CATCH_CODE, FACT_CODE, FAILING, Known, LEVEL_CODE, RESUME_CODE, RULE_CODE, TABLE_CODE,
};
pub use database::{Database, Definition, Namespace, Native, Pred};
pub use goal_trace::{GoalLine, GoalTrace, Progress, Stopped};
pub use input::{Ask, Prompts};
pub(crate) use loading::Loading;
pub use output::Output;
pub use plan::{ArgumentTest, BEFORE_FIRST, Part, Plan, Reach, Use, no_event_after};
pub use remarks::Remarks;
pub use script_file::ScriptFile;
pub use script_path::{Sought, folder_of, seek_below};
pub use scripts::LoadReport;
pub use settings::Solver;
pub use table::Mode;
pub(crate) use table::{Failing, SuspendedFrame, Suspension, TableId, Tabled};
pub use traces::{Bookmark, Loader, Traces};
pub use user_command::{CommandKind, UserCommand};
pub use world::World;
