//! The plan of a query: what it reads of a trace, and how its searches are run.
//!
//! The two are decided at different times. What is read of a file (`footprint`) must be known before there is a trace,
//! so it follows from the text of the goal and from the records of its predicates. Whether columns or the machine find
//! the answers depends on the trace (`trace/columns/summary.rs`: which attributes are columns of integers or parts of
//! keys, and which scripts have redefined a predicate) and on the values that variables have when the goal is called.
//! Both read constraints with the same reader and effects from the same records, and `explain/1` asks the same functions
//! as the query.

mod asking;
pub(crate) mod explain;
mod footprint;

pub(crate) use asking::only_ask;
pub(crate) use footprint::{MoveVisibility, footprint};
