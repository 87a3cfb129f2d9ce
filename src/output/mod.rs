//! Floor 2: writes events, terms and whole traces. [`Display`] decides what an event line shows; the layout of tables
//! of answers is up to the application.

mod chrome;
pub(crate) mod convert;
mod csv;
mod display;
mod dot;
mod event_line;
mod extent;
pub(crate) mod json;
mod jsonl;
mod outline;
mod parquet;
mod read_back;
mod stack;
mod svg;
mod term_view;
mod terminal;

pub(crate) use chrome::{Tracks, arrows, counts_nanoseconds, drawing_of};
pub(crate) use display::{ArgumentStyle, Display, DisplayPart, HiddenArgument, Indent, ToggleError};
pub(crate) use dot::{Arrow, write_dot};
pub(crate) use event_line::{event_line, write_event};
pub(crate) use extent::{BRIEF, ExtentLimit, TermExtent, cut, is_long};
pub(crate) use outline::{OutlineNode, parents, write_outline};
pub(crate) use parquet::{Export, MANIFEST as EXPORT_MANIFEST};
pub(crate) use stack::{stack_det, write_stack};
pub(crate) use svg::{Escaped, write_svg};
pub(crate) use term_view::{TermLayout, TermView};
pub(crate) use terminal::terminal_safe;
