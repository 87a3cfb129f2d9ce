//! Spans, as OpenTelemetry, Jaeger and Zipkin record them: from the records of one or several files to events.
//!
//! A *record* is what a file says once of a span; a *span* is a call, after the records with the same id were put together.
//! The reader of a format packs the records of a chunk into [`SpanRecords`], through one [`SpanDraft`] after the other. The
//! chunks are joined in the order of the file, and [`finish`] makes events of them:
//!
//! ```text
//! chunks --records--> records --identity--> spans --parents--> forest --order--> rows --columns--> relation
//! ```
//!
//! No event can be placed before the last record is read, as records come in any order. Everything is packed therefore: texts,
//! traces and lists of keys are numbered, records are columns, the numbers of their values are bytes, and the columns of
//! attributes are lazy.

mod add;
mod attribute_columns;
mod bodies;
mod columns;
mod document;
mod draft;
mod ends;
mod filler;
mod findings;
mod fold;
mod identity;
mod ids;
mod index;
mod join;
mod json_fields;
mod json_terms;
mod key_lists;
mod merged;
mod order;
mod parents;
mod recognise;
mod record_table;
mod records;
mod rows;
mod rules;
mod tables;
mod trace_ids;
mod values;
mod varint;

pub(crate) use columns::ATTRIBUTES;
pub(crate) use document::{DocumentChunk, DocumentWatch, Step, checked};
pub(crate) use draft::{Pairs, SpanDraft};
pub(crate) use ids::{IdUse, ReadId, SpanId, base64, of_fixed_size};
pub(crate) use join::{JoinedNumbers, OpenContext};
pub(crate) use json_fields::{any_size_id, any_size_trace, count, integer, kind_named, whole, written};
pub(crate) use json_terms::{annotation, number_of_json};
pub(crate) use recognise::{CERTAIN, RESOURCE_SPANS, SpanDocument, document_kind};
pub(crate) use records::{Identity, N_KINDS, N_STATUSES, NO_TEXT, NO_TIME, RecordNote, SpanContext, SpanRecords};
pub(crate) use rules::{DRAWING, PORTS, SEVERITIES, finish};
pub(crate) use values::{SpanValue, TermText};
