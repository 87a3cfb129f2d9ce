//! Shared parts of the formats for programs in Mercury: names of ports, goal paths, live variables, printed types.

mod goal_path;
pub(crate) mod local_vars;
pub(crate) mod types;
pub(crate) mod vocabulary;

pub(crate) use goal_path::goal_path;
pub(crate) use vocabulary::PORTS;
