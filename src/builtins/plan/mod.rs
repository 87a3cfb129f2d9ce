//! The plan of a query: what it reads of a trace, and how its searches are run.

pub(crate) mod explain;
mod footprint;

pub(crate) use footprint::{MoveVisibility, footprint};
