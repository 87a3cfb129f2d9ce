//! Shared parts of the formats for programs in Mercury: names of ports, goal paths, live variables, printed types.

mod goal_path;
pub mod local_vars;
pub mod types;
pub mod vocabulary;

pub use goal_path::goal_path;
pub use vocabulary::PORTS;
