//! Shared parts of the formats for programs in Mercury: names of ports, goal paths, procedures, live variables, printed
//! types.

mod goal_path;
pub(crate) mod local_vars;
mod procedure;
pub(crate) mod types;
pub(crate) mod vocabulary;

pub(crate) use goal_path::goal_path;
pub(crate) use procedure::procedure;
pub(crate) use vocabulary::PORTS;
