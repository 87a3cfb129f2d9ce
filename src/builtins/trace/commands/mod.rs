//! Morphine's commands: moves, event lines, parameters, terms to browse, the source of the traced program.

pub(crate) mod browse;
pub(crate) mod move_target;
pub(crate) mod moves;
pub(crate) mod parameters;
pub(crate) mod show;
pub(crate) mod source;
pub(crate) mod user_commands;
