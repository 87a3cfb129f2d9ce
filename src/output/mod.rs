//! Floor 2: how events, terms and whole traces are written. What is shown is decided here for an event line
//! ([`Display`]); how tables of answers look is the application's business.

mod chrome;
pub mod convert;
mod csv;
mod display;
mod dot;
mod event_line;
mod extent;
pub mod json;
mod jsonl;
mod outline;
mod read_back;
mod stack;
mod svg;
mod term_view;
mod terminal;

pub use display::{ArgumentStyle, Display, HiddenArgument, Indent, Part, ToggleError};
pub use dot::{Arrow, write_dot};
pub use event_line::{event_line, write_event};
pub use extent::{Extent, Limit, cut};
pub use outline::{OutlineNode, parents, write_outline};
pub use stack::{stack_det, write_stack};
pub use svg::write_svg;
pub use term_view::{Layout, TermView};
pub use terminal::terminal_safe;
