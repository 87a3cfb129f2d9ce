//! JSON: values, taken apart no further than they must be; and whole documents, cut into records that all cores parse.
//!
//! # Documents
//!
//! A document reader must not depend on lines: a document may be one line of a gigabyte, or indented. [`document::read`]
//! reads any number of JSON values one after the other. One sequential pass finds where values end, without parsing them;
//! the values that a format wants, the *pieces*, are parsed on all cores, and the results are handed over in order. Never
//! more than a few parts of the text are in memory.
//!
//! A format states in its [`DocumentRules`](cut::DocumentRules) what to do with each value, by its key and by the
//! containers around it: enter it, take it as a record, keep it, or skip it. Whatever is around the records comes in the
//! order of the document too:
//!
//! ```text
//! {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "a"}, {"name": "b"}], "scope": {"name": "s"}}]}]}
//! ^Begin            ^^Begin          ^^Begin    ^Record                      ^End      ^Value           ^^^^^End
//! ```
//!
//! for the rules
//!
//! ```text
//! fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
//!     let around = open.iter().rev().find(|open| !open.is_object).map(|open| open.key.as_str());
//!     match (around, key) {
//!         (None, None) | (_, Some("resourceSpans" | "scopeSpans" | "spans")) => Treatment::Enter,
//!         (Some("spans"), None) => Treatment::Record,
//!         (Some(_), None) => Treatment::Enter,
//!         (_, Some("resource" | "scope")) => Treatment::Keep,
//!         _ => Treatment::Skip,
//!     }
//! }
//! ```
//!
//! Every [`Begin`](cut::PieceKind::Begin) has its [`End`](cut::PieceKind::End), also if the document is broken or ends too
//! early, so that a reader may keep a stack. As what surrounds a record may come after it, a reader collects records by the
//! container in which they stand, and decides at its end.
//!
//! # Faults
//!
//! A record that is no JSON is found when it is parsed: `parse` returns the error, and gets the piece again as
//! [`Broken`](cut::PieceKind::Broken), for a finding. A value that does not end, because it lacks a quote or a bracket, is
//! found by the first pass, at the latest where a line begins with a bracket that may not stand there. Reading goes on at the
//! next line that begins with `{` or `[`; [`resume`](cut::DocumentRules::resume) says to which container that line belongs.
//! If the fault is in an element of an array that begins its line, reading goes on in the array, with the next line that has
//! the same indentation.
//! A comma that is missing or one too many is a piece of its own, [`Comma`](cut::PieceKind::Comma), unless the rules are
//! loose, and so is a value that the end of the document cuts, [`Cut`](cut::PieceKind::Cut).
//!
//! # Values
//!
//! [`scanner`] pulls values out of a record, whatever the order of its keys; [`value`] has single values; [`terms`] and
//! [`own_value`] say what they are as arguments and as attributes.

pub(crate) mod cut;
pub(crate) mod document;
pub(crate) mod facts;
mod masks;
pub(crate) mod own_value;
pub(crate) mod plain_terms;
pub(crate) mod scanner;
pub(crate) mod terms;
pub(crate) mod value;
