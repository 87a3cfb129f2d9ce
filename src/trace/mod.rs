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
//! | `build` | building a trace event by event, or from tables that threads filled; lazy columns |
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

pub(crate) use analysis::asked_list::AskedList;
pub(crate) use analysis::boxes::box_findings;
pub(crate) use analysis::call_graph::{ProcedureNode, ProcedureNodes};
pub(crate) use analysis::compare::{Alignment, Difference, align, align_events, first_difference};
pub(crate) use analysis::gather::NO_CALL;
pub(crate) use analysis::group::{Combinations, group};
pub(crate) use analysis::loops::loops;
pub(crate) use analysis::profile::{
    CostUnit, GroupCosts, GroupName, ProfileRow, TotalProfile, is_of_ends, profile, profile_groups,
};
pub(crate) use analysis::proof::{ProofNode, last_exit, proof, result};
pub(crate) use analysis::reason::{contradictions, misspelling, passes_over, reasons, telling_values};
pub(crate) use analysis::unknown_word::{UnknownWord, WordPlace};
pub(crate) use build::lazy_columns::{KnownColumns, LazyCalls, LazyInts, LazyLists, LazyPaths, LazyTerms, LazyValues};
pub(crate) use build::table::{EventTable, PER_EVENT};
pub(crate) use build::value_column::ValueColumn;
pub(crate) use build::{EventRow, TraceBuilder};
pub(crate) use column::dictionary::DictionaryBuilder;
pub(crate) use column::int_column::{ABSENT as NO_INT, IntColumn};
pub(crate) use column::intervals::Bound;
pub(crate) use column::paths::PathId;
pub(crate) use column::places::PlaceTable;
pub(crate) use event::EventId;
pub(crate) use event::args::{ArgIter, ArgTexts, ArgsId, ListField, NOT_LIVE, argument_at, top_level_comma};
pub(crate) use event::argument_place::{ArgumentPlace, PlacedText};
pub(crate) use event::determinism::DETERMINISMS;
pub(crate) use event::error::{ConstraintError, SchemaError, shown_names};
pub(crate) use event::finding::{Finding, FindingSeverity, Findings, INPUT};
pub(crate) use event::key::KeyId;
pub(crate) use event::nearest::{misspelt, nearest};
pub(crate) use event::place::SourcePlace;
pub(crate) use event::port::{MERCURY_PORTS, PortRecord, PortRole, PortSet, Traced};
pub(crate) use event::proc::{Proc, ProcRow};
pub(crate) use event::recording::{DROPPED, Gap, LIBRARY, RecordedAt, Recording};
pub(crate) use event::schema::{
    Attribute, AttributeId, AttributeType, BASE, BaseAttribute, OwnAttribute, Schema, known_attribute, only_computed,
};
pub(crate) use event::simple_term::{SimpleTerm, leaves, searched_text, simple_term};
pub(crate) use event::time_unit::TimeUnit;
pub(crate) use event::value::{Field, Value, ValueId};
pub(crate) use file::bytes::{Decoder, Encoder};
pub(crate) use file::memory::{MemorySource, MemoryUse, Shortage};
pub(crate) use file::saved_file::{MAGIC as SAVED_MAGIC, SavedError, SavedSource};
pub(crate) use file::text_file::{FileBlock, TextFile};
pub(crate) use property::{
    Bindings, Claim, Decision, DistanceRange, Growth, Marks, Measure, Needed, Property, PropertyBinding, Scope, Slice,
    TraceEnd, Violation, ViolationKind,
};
pub(crate) use relation::argument_values::NO_NUMBER;
pub(crate) use relation::call_costs::unmeasured;
pub(crate) use relation::calls::CallId;
pub(crate) use relation::causality::{Causality, Side};
pub(crate) use relation::hash_groups::{HashGroups, HashParts};
pub(crate) use relation::rows::{ProgramPoint, Rows, TextSpan, refill};
pub(crate) use relation::selection::{NeededEvents, Selection, SufficientEvents};
pub(crate) use relation::source_places::RecordNumbers;
pub(crate) use relation::store::{Samples, Trace, TraceOrigin};
pub(crate) use relation::value_index::{IndexedPart, NumberEquality, PartValue, ValueHash, ValueIndex};
pub(crate) use search::constraint::{Constraint, compared_arguments, term_satisfies};
pub(crate) use search::contradiction::{can_hold, form_of_all};
pub(crate) use search::find::{count, walk};
pub(crate) use search::form::{FormOp, ProcPattern};
pub(crate) use search::matches::{Matches, SearchDirection};
pub(crate) use search::pattern::Pattern;
pub(crate) use search::scan::keep_from;
pub(crate) use search::sweep::Sweep;
