//! Floor 2: writes events, terms and whole traces. [`Display`] decides what an event line shows; the layout of tables
//! of answers is up to the application.

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
