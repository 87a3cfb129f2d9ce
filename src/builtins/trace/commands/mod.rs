//! Morphine's commands: moves, event lines, parameters, terms to browse, the source of the traced program.

pub mod browse;
pub mod move_target;
pub mod moves;
pub mod parameters;
pub mod show;
pub mod source;
pub mod user_commands;
