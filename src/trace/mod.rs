//! Floor 1: a trace as one relation of events in columns, with its schema, its index of calls, and the search for
//! patterns.
//!
//! An event is identified by its row ([`EventId`], from 0), which is not its number (`chrono`). Arguments stay texts:
//! no terms are built here, and a text is only read as a term if a constraint compares it with a number or a text.

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
mod threads;

pub use analysis::boxes::box_findings;
pub use analysis::compare::{Alignment, Difference, align, first_difference};
pub use analysis::gather::NO_CALL;
pub use analysis::group::group;
pub use analysis::proof::{ProofNode, last_exit, proof, result};
pub use analysis::reason::reasons;
pub use build::lazy_columns::{
    KnownColumns, LazyCalls, LazyInts, LazyLines, LazyLists, LazyPaths, LazyTerms, LazyValues, TermId,
};
pub use build::{EventRow, Samples, TraceBuilder};
pub use column::paths::PathId;
pub use event::EventId;
pub use event::args::{ArgIter, ArgTexts, NOT_LIVE, top_level_comma};
pub use event::determinism::DETERMINISMS;
pub use event::error::{ConstraintError, SchemaError};
pub use event::finding::{Finding, Findings, Severity};
pub use event::key::{KeyId, PortId};
pub use event::nearest::nearest;
pub use event::port::{MERCURY_PORTS, PortRecord, PortRole, PortSet, Traced};
pub use event::proc::{Proc, ProcId, ProcRow};
pub use event::recording::{Gap, RecordedAt, Recording};
pub use event::schema::{
    Attribute, AttributeId, AttributeType, BASE, BaseAttribute, OwnAttribute, Schema, known_attribute,
};
pub use event::value::{ArgsId, Field, ListField, Value, ValueId};
pub use file::memory::SavedMemory;
pub use file::saved_file::{MAGIC as SAVED_MAGIC, SavedSource};
pub use property::{
    Binding, Bindings, Claim, Decision, End, Fault, Growth, Marks, Measure, Needed, Property, Scope, Slice, Violation,
};
pub use relation::calls::CallId;
pub use relation::causality::{Causality, Cone, Side};
pub use relation::rows::{ProgramPoint, Rows, Span, refill};
pub use relation::selection::{Extent, Selection, Wanted};
pub use relation::store::{Trace, TraceOrigin};
pub use saved::SavedError;
pub use search::constraint::{Constraint, compared_arguments};
pub use search::find::{count, next_match, prev_match};
pub use search::form::{Bound, FormOp, ProcPattern};
pub use search::matches::{Matches, Way};
pub use search::pattern::Pattern;
pub use search::sweep::{Sweep, keep_from};
