//! Floor 2: trace formats. One file or folder per format, one row in [`FORMATS`]; loading finds the right one.
//!
//! How a trace is written back is in [`output`](crate::output).

/// The table of the attributes that a format adds, and the struct `Ids` with their ids. The word at the front is the method
/// of the builder that declares them: `standing_attribute` for those that every trace has. Other spellings of values stand
/// in brackets.
macro_rules! attributes {
    ($declare:ident: $($field:ident $name:literal $([$($spelling:literal = $value:literal)*])? $doc:literal;)*) => {
        /// The attributes that the format adds.
        pub const ATTRIBUTES: &[crate::trace::OwnAttribute] = &[$(crate::trace::OwnAttribute {
            name: $name, doc: $doc, spellings: &[$($(($spelling, $value),)*)?],
        },)*];

        /// The attributes of the format.
        #[derive(Clone, Copy)]
        pub(super) struct Ids { $(pub(super) $field: AttributeId,)* }

        impl Ids {
            pub(super) fn new(builder: &mut TraceBuilder) -> Ids {
                $(let $field = builder.$declare($name).expect("a format has few attributes");)*
                Ids { $($field,)* }
            }
        }
    };
}

pub mod checks;
pub mod drawing;
pub mod jsonl;
mod lines;
mod loading;
pub mod mdb;
pub mod mercury;
pub mod monpoly;
pub mod morphine;
pub mod mpd;
mod not_terms;
pub mod posix;
pub mod seqtrace;
#[cfg(test)]
mod testing;
pub mod visandor;

pub use lines::{Lines, Stretches, brackets, text};
pub use loading::{
    Batch, BatchText, Follow, Growing, Kept, LoadError, LoadOptions, READING, ReadAfter, SpanRule, load, load_bytes,
    load_excerpt, load_merged, refuse_spans, unknown_names,
};
pub use not_terms::term_finding;

use std::io;
use std::path::Path;

use self::checks::ReadyCheck;
use self::drawing::{Draw, Drawing};
use crate::trace::{OwnAttribute, PortSet, Selection, Severity, TraceBuilder, TraceOrigin};

/// A trace format: what it is, how to recognise it, how to read it.
pub struct Format {
    /// The name that `--from` takes.
    pub name: &'static str,
    /// One line for help.
    pub doc: &'static str,
    /// A line of such a file.
    pub sample: &'static str,
    /// What a file that was not recognised does not have.
    pub missing: &'static str,
    /// The rule of the line grammar, under which lines that are no event are listed.
    pub rule: &'static str,
    /// The ports that events of this format have.
    pub ports: PortSet,
    /// The attributes that its traces have beside the usual ones, as far as the format and not the trace brings them.
    pub attributes: &'static [OwnAttribute],
    /// The rules whose findings are warnings or notes; the findings of all others are faults.
    pub severities: &'static [(&'static str, Severity)],
    /// How many of the first lines of a file are events of this format.
    pub sniff: fn(head: &[u8]) -> usize,
    /// Hands every event to the builder. What cannot be read becomes a finding, and reading goes on.
    pub read: fn(&mut Lines, &mut TraceBuilder),
    /// Hands the events that are needed to the builder, if this can be done without reading all.
    pub excerpt: Option<ReadExcerpt>,
    /// How its lines are read as they come.
    pub follow: Follow,
    /// The library's assertions that `check --builtin` puts to its traces.
    pub checks: &'static [ReadyCheck],
    /// How its traces are drawn.
    pub drawing: Draw,
    /// Reads the logs of one run, each with its name, as one trace; if there is none, they are merged by time.
    pub merge: Option<Merge>,
    /// The attribute that has the number of another event of the same trace.
    pub partner: Option<&'static str>,
    /// Whether events of its traces can open and close spans, as `--span` declares.
    pub has_spans: bool,
    /// The attributes that a trace has if there are stretches of time that it says nothing about.
    pub blind: &'static [&'static str],
}

/// Reads the logs of one run, each with its name; their order does not matter.
pub type Merge = fn(logs: Vec<(String, &mut Lines)>, builder: &mut TraceBuilder);

impl Format {
    /// What a format is that says nothing of itself: boxes on one track, and no event is found in any file.
    pub const PLAIN: Format = Format {
        name: "",
        doc: "",
        sample: "",
        missing: "",
        rule: "",
        ports: PortSet::Open(&[]),
        attributes: &[],
        severities: &[],
        sniff: |_| 0,
        read: |_, _| {},
        excerpt: None,
        follow: Follow::Never,
        checks: checks::OF_BOXES,
        drawing: Draw::Always(&Drawing::ONE_TRACK),
        merge: None,
        partner: None,
        has_spans: false,
        blind: &[],
    };

    /// The format with a name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The origin of a trace of this format that is read from `path`.
    pub fn origin(&self, path: &Path) -> TraceOrigin {
        let &Format { name: format, ports, attributes, severities, .. } = self;
        TraceOrigin { path: path.to_owned(), format, ports, attributes, severities }
    }
}

/// Reads of a file that begins with `head` the events that are needed, and says what is known of the others; none if it
/// must be read as a whole.
pub type ReadExcerpt = fn(
    file: Stretches<'_>,
    head: &[u8],
    request: &Request<'_>,
    builder: &mut TraceBuilder,
) -> io::Result<Option<Unneeded>>;

/// The part of a trace that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'s> {
    /// The events that are needed.
    pub selection: &'s Selection,
    /// If there are more, the trace must be read as a whole.
    pub most_events: u64,
    /// What must be known of the other events.
    pub unneeded: Unneeded,
}

/// What is known of the lines of a file that a question does not need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unneeded {
    /// Each was looked at, and nothing is wrong with it.
    #[default]
    Verified,
    /// Those at some places of the file were, and the others are believed to be like them.
    Believed,
}

/// Every format, in the order in which help lists them.
pub const FORMATS: &[Format] = &[
    morphine::FORMAT,
    jsonl::FORMAT,
    mpd::FORMAT,
    seqtrace::FORMAT,
    visandor::FORMAT,
    posix::FORMAT,
    mdb::FORMAT,
    monpoly::FORMAT,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual;

    #[test]
    fn every_format_has_its_page() {
        for format in FORMATS {
            assert!(manual::page(format.name).is_some(), "src/formats has no page {}.md", format.name);
        }
    }
}
