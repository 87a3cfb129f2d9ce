//! Floor 1: a trace as one relation of events in columns, with its schema, its index of calls, and the search for
//! patterns.
//!
//! An event is identified by its row ([`EventId`], from 0), which is not its number (`chrono`). Arguments stay texts:
//! no terms are built here, and a text is only read as a term if a constraint compares it with a number or a text.
//!
//! A room imports only from the rooms above it in this table; `tests/it/tidy.rs` checks that.
//!
//! | room | contents |
//! |---|---|
//! | `threads` | work on all cores |
//! | `event` | what an event is: attributes, ports, procedures, values, keys; findings and facts of the recorder |
//! | `file` | files that stay open: blocks of a saved trace, argument texts that are read when needed |
//! | `column` | storage of one column: codes, integers, texts, lists; in memory, lazy, or in a saved trace |
//! | `relation` | all columns together, the index of calls, the causal order |
//! | `build` | building a trace event by event, or many rows at a time; lazy columns |
//! | `saved` | reading and writing saved traces |
//! | `search` | constraints, patterns compiled from them, and the search for events that match |
//! | `analysis` | groups, values of many events, proofs, comparisons, reasons for an empty answer |
//! | `property` | properties that assertions state, and the events that decide them |

mod analysis;
mod build;
mod column;
mod event;
mod file;
mod property;
mod relation;
mod saved;
mod search;
#[cfg(test)]
mod tests;
pub(crate) mod threads;

pub use analysis::boxes::box_findings;
pub use analysis::compare::{Alignment, Difference, align, first_difference};
pub use analysis::gather::NO_CALL;
pub use analysis::group::group;
pub use analysis::proof::{ProofNode, last_exit, proof, result};
pub use analysis::reason::reasons;
pub use build::lazy_columns::{KnownColumns, LazyCalls, LazyInts, LazyLists, LazyPaths, LazyTerms, LazyValues};
pub use build::{EventRow, TraceBuilder};
pub use column::intervals::Bound;
pub use column::paths::PathId;
pub use event::EventId;
pub use event::args::{ArgIter, ArgTexts, ArgsId, ListField, NOT_LIVE, top_level_comma};
pub use event::determinism::DETERMINISMS;
pub use event::error::{ConstraintError, SchemaError};
pub use event::finding::{Finding, Findings, Severity};
pub use event::key::KeyId;
pub use event::nearest::nearest;
pub use event::port::{MERCURY_PORTS, PortRecord, PortRole, PortSet, Traced};
pub use event::proc::{Proc, ProcId, ProcRow};
pub use event::recording::{Gap, RecordedAt, Recording};
pub use event::schema::{AttributeId, AttributeType, BASE, BaseAttribute, OwnAttribute, Schema, known_attribute};
pub use event::value::{Field, Value, ValueId};
pub use file::memory::SavedMemory;
pub use file::saved_file::{MAGIC as SAVED_MAGIC, SavedError, SavedSource};
pub use property::{
    Binding, Bindings, Claim, Decision, End, Fault, Growth, Marks, Measure, Needed, Property, Scope, Slice, Violation,
};
pub use relation::calls::CallId;
pub use relation::causality::{Causality, Side};
pub use relation::rows::{ProgramPoint, Rows, Span, refill};
pub use relation::selection::{Extent, Selection, Wanted};
pub use relation::store::{Samples, Trace, TraceOrigin};
pub use search::constraint::{Constraint, compared_arguments};
pub use search::find::count;
pub use search::form::{FormOp, ProcPattern};
pub use search::matches::{Matches, Way};
pub use search::pattern::Pattern;
pub use search::scan::keep_from;
pub use search::sweep::Sweep;
