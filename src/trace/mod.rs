//! Floor 1: a trace as one relation of events in columns, with its schema, its index of calls, and the search for
//! patterns.
//!
//! An event is identified by its row ([`EventId`], from 0), which is not its number (`chrono`). Arguments stay texts:
//! no terms are built here, and a text is only read as a term if a constraint compares it with a number or a text.

mod args;
mod args_column;
mod boxes;
mod build;
mod calls;
mod causality;
mod chrono;
mod code_column;
mod column;
mod compare;
mod constraint;
mod derived;
mod determinism;
mod dictionary;
mod diff;
mod distinct_values;
mod error;
mod extra_column;
mod finding;
mod form;
mod gather;
mod group;
mod intervals;
mod key;
mod lazy;
mod lazy_columns;
mod list_column;
mod matches;
mod nearest;
mod paths;
mod pattern;
mod port;
mod postings;
mod proc;
mod proof;
mod property;
mod reason;
mod recording;
mod rows;
mod saved;
mod scan;
mod schema;
mod search;
mod selection;
mod simple_form;
mod simple_term;
mod spans;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
mod text_column;
mod text_file;
mod value;

pub use args::{ArgIter, ArgTexts, NOT_LIVE, top_level_comma};
pub use boxes::box_findings;
pub use build::{EventRow, Samples, TraceBuilder};
pub use calls::CallId;
pub use causality::{Causality, Cone, Side};
pub use compare::{Alignment, Difference, align, first_difference};
pub use constraint::{Constraint, compared_arguments};
pub use determinism::DETERMINISMS;
pub use error::{ConstraintError, SchemaError};
pub use finding::{Finding, Findings, Severity};
pub use form::{Bound, FormOp, ProcPattern};
pub use gather::NO_CALL;
pub use group::group;
pub use key::{KeyId, PortId};
pub use lazy_columns::{
    KnownColumns, LazyCalls, LazyInts, LazyLines, LazyLists, LazyPaths, LazyTerms, LazyValues, TermId,
};
pub use matches::{Matches, Way};
pub use nearest::nearest;
pub use paths::PathId;
pub use pattern::Pattern;
pub use port::{MERCURY_PORTS, PortRecord, PortRole, PortSet, Traced};
pub use proc::{Proc, ProcId, ProcRow};
pub use proof::{ProofNode, last_exit, proof, result};
pub use property::{
    Binding, Bindings, Claim, Decision, End, Fault, Growth, Marks, Measure, Needed, Property, Scope, Slice, Violation,
};
pub use reason::reasons;
pub use recording::{Gap, RecordedAt, Recording};
pub use rows::{ProgramPoint, Rows, Span, refill};
pub use saved::{MAGIC as SAVED_MAGIC, SavedError, SavedMemory, SavedSource};
pub use schema::{Attribute, AttributeId, AttributeType, BASE, BaseAttribute, OwnAttribute, Schema, known_attribute};
pub use search::{count, next_match, prev_match};
pub use selection::{Extent, Selection, Wanted};
pub use store::{Trace, TraceOrigin};
pub use sweep::{Sweep, keep_from};
pub use value::{ArgsId, Field, ListField, Value, ValueId};

/// Row of an event, from 0.
pub type EventId = u32;
