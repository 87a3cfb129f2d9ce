//! Floor 2: trace formats. A format is one file or folder and one row of [`FORMATS`]; [`load`] recognises it by its
//! content. How traces are written is in [`output`](crate::output).
//!
//! Rooms, each of which imports only from those above it; no format imports another:
//!
//! | room | contents |
//! |---|---|
//! | [`mapping`] | the language of maps, which say how lines of JSON become events; the maps that papaver brings |
//! | [`times`] | decimal numbers and ISO 8601 texts as times |
//! | [`lines`](Lines) | input, unpacked; lines and chunks of lines, read ahead on all cores; scanning of bytes |
//! | [`json`] | JSON values and whole JSON documents, whose records are parsed on all cores |
//! | [`mercury`] | shared parts of the formats for programs in Mercury |
//! | [`derived`] | the events of derived traces, as solutions of goals describe them |
//! | `not_terms`, [`checks`], [`drawing`] | findings about texts that are not terms; parts of a format's record |
//! | `spans` | spans with named parents: from records to events, for the formats that have them |
//! | one per format | its record, its grammar, its events |
//! | [`exported`](exported::read) | folders of Parquet files |
//! | [`loading`](load) | recognising, loading, merging and following of files; spans |
//!
//! A file name means the same in every format: `mod` is its record, `line` the grammar of a line, `fast` the fast path
//! for the usual lines, `chunk` the result of reading a chunk, `events` the conversion of lines to events, `columns`
//! the format's own attributes, `rules` its integrity rules.

/// Declares the attributes that a format adds, and the struct `AttributeIds` with their ids. The first word is the method
/// of the builder that declares them: `standing_attribute` for those that every trace has. `in` says in which unit times
/// are, `or` names by which others call them, brackets hold all values of a closed set, or their other spellings.
macro_rules! attributes {
    ($declare:ident: $($field:ident $name:literal $(or $($alias:literal)+,)? $(in $unit:ident)? $([$($spelling:literal $(= $value:literal)?)*])? $doc:literal;)*) => {
        /// The attributes that the format adds.
        pub(crate) const ATTRIBUTES: &[crate::trace::OwnAttribute] = &[$(crate::trace::OwnAttribute {
            name: $name, aliases: &[$($($alias),+)?], doc: $doc, spellings: &[$($(($spelling, [$($value,)? $spelling][0]),)*)?],
            unit: [$(Some(crate::trace::TimeUnit::$unit),)? None][0],
        },)*];

        /// The attributes of the format.
        #[derive(Clone, Copy)]
        pub(super) struct AttributeIds { $(pub(super) $field: AttributeId,)* }

        impl AttributeIds {
            pub(super) fn new(builder: &mut TraceBuilder) -> AttributeIds {
                $(let $field = builder.$declare($name).expect("a format has few attributes");)*
                AttributeIds { $($field,)* }
            }
        }
    };
}

pub(crate) mod checks;
pub(crate) mod chrome;
#[cfg(test)]
mod cut_tests;
pub(crate) mod derived;
pub(crate) mod drawing;
#[cfg(all(test, unix))]
mod every_reader_tests;
mod exported;
pub(crate) mod itf;
pub(crate) mod jaeger;
pub(crate) mod json;
pub(crate) mod jsonl;
pub(crate) mod lines;
mod loading;
pub(crate) mod lttng;
pub(crate) mod mapping;
mod maps;
pub(crate) mod mdb;
pub(crate) mod mercury;
pub(crate) mod monpoly;
pub(crate) mod morphine;
pub(crate) mod mpd;
mod not_terms;
pub(crate) mod otlp;
pub(crate) mod posix;
pub(crate) mod prolog;
pub(crate) mod seqtrace;
mod spans;
pub(crate) mod strace;
#[cfg(test)]
mod testing;
mod times;
pub(crate) mod visandor;
pub(crate) mod zipkin;

pub(crate) use checks::ready_checks;
pub(crate) use exported::{FolderAttribute, FolderColumn, FolderTrace, is_exported, read_chosen, traces_at, traces_of};
pub(crate) use lines::{Lines, StretchReader, brackets, text};
pub(crate) use loading::{
    FirstLook, Growing, KeptEvent, LoadError, LoadOptions, NewEvents, NewLines, READING, Selected, SpanRule, TIMES,
    filtered, first_look, load, load_beginning, load_bytes, load_merged, load_selected, refuse_spans, unknown_names,
};
pub(crate) use not_terms::term_finding;
#[cfg(test)]
pub(crate) use testing::{test_each_format, test_formats};

use std::io;
use std::path::Path;

use self::checks::ReadyCheck;
use self::derived::DerivedEvents;
use self::drawing::{Draw, Drawing};
use crate::trace::{FindingSeverity, OwnAttribute, PortSet, Selection, Trace, TraceBuilder, TraceOrigin};

/// A trace format: its description, and how it is recognised and read.
pub(crate) struct Format {
    /// The name that `--from` takes.
    pub(crate) name: &'static str,
    /// One line for help.
    pub(crate) doc: &'static str,
    /// A line of such a file.
    pub(crate) sample: &'static str,
    /// The part whose absence shows that a file is not of this format.
    pub(crate) missing: &'static str,
    /// The rule of the line grammar; findings about lines that are not events name it.
    pub(crate) rule: &'static str,
    /// The ports that events of this format have.
    pub(crate) ports: PortSet,
    /// The attributes that the format adds to the base; a trace may add more.
    pub(crate) attributes: &'static [OwnAttribute],
    /// The rules whose findings are warnings or notes; the findings of all others are faults.
    pub(crate) severities: &'static [(&'static str, FindingSeverity)],
    /// Counts the events of this format in the first lines of a file.
    pub(crate) sniff: fn(head: &[u8]) -> usize,
    /// As `sniff`, for a file that no format recognises: lines that may be events of other formats too.
    pub(crate) sniff_faint: fn(head: &[u8]) -> usize,
    /// What a file is that begins like this, if it is another output of the program that writes this format.
    pub(crate) not_events: fn(head: &[u8]) -> Option<&'static str>,
    /// Adds every event to the builder. What cannot be read becomes a finding, and reading continues.
    pub(crate) read: fn(&mut Lines, &mut TraceBuilder),
    /// Adds only the events that are needed, if that is possible without reading all.
    pub(crate) excerpt: Option<ReadExcerpt>,
    /// Whether another file beside a trace says which events were lost.
    pub(crate) has_losses: bool,
    /// What its traces may lack, for `info --lint`; a format without advice is one that recorders write.
    pub(crate) advice: &'static [Advice],
    /// How its lines are read as they arrive.
    pub(crate) follow: Follow,
    /// The library's assertions that `check --builtin` checks in its traces.
    pub(crate) checks: &'static [ReadyCheck],
    /// How its traces are drawn.
    pub(crate) drawing: Draw,
    /// Merges the logs of one run into one trace; without it, logs are merged by time.
    pub(crate) merge: Option<Merge>,
    /// The attribute whose value is the number of another event of the trace.
    pub(crate) partner: Option<&'static str>,
    /// Makes derived traces, for the format whose attributes they have.
    pub(crate) derive: Option<Derive>,
    /// Whether it reads lines through maps, as `--map` gives them.
    pub(crate) reads_maps: bool,
    /// The order of events.
    pub(crate) order: EventOrder,
    /// Whether events of its traces can open and close spans, as `--span` declares.
    pub(crate) has_spans: bool,
    /// The attributes that only a trace with unrecorded stretches of time has.
    pub(crate) blind: &'static [&'static str],
    /// Whether boxes may end without an event, as a cut ends them, and open ones be entered again.
    pub(crate) ends_silently: bool,
    /// The attribute whose value at the last event is the number of the event with which the trace goes on, for ever.
    pub(crate) lasso: Option<&'static str>,
    /// The attributes whose values at the end of a call are its result, as event lines show it.
    pub(crate) results: &'static [&'static str],
    /// The attributes at the end of event lines, unless they are hidden: what tells apart who did what, and when.
    pub(crate) shown: &'static [&'static str],
    /// Names of its vocabulary that are almost the same, of which none is a misspelling of another.
    pub(crate) alike: &'static [&'static str],
}

/// Reads the logs of one run, each with its name; their order does not matter.
pub(crate) type Merge = fn(logs: Vec<(String, &mut Lines)>, builder: &mut TraceBuilder);

/// Makes a derived trace, with its name, of events that are made from those of another trace; none if the function that
/// is asked now and then says that it is not wanted any more.
pub(crate) type Derive =
    fn(events: &DerivedEvents, name: &str, source: &Trace, goes_on: &mut dyn FnMut() -> bool) -> Option<Trace>;

/// How the lines of a trace that grows are read.
#[derive(Clone, Copy)]
pub(crate) enum Follow {
    /// Not at all: lines after an event change it.
    Never,
    /// Like other lines: each is an event of its own.
    Lines,
    /// By readers that remember the lines before.
    Remembering {
        /// Creates a reader of one batch of lines after the other.
        batches: fn() -> ReadAfter,
        /// Creates a reader of events that were taken out of their trace.
        alone: fn() -> ReadAfter,
    },
}

/// The order of the events of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventOrder {
    /// That of their lines.
    OfLines,
    /// That of their times, or of cause and effect: a later line may come before earlier ones, and be around them.
    OfTime,
}

/// Reads lines. Those up to the given number were read before; they come again to show what lines have in common.
pub(crate) type ReadAfter = Box<dyn FnMut(u64, &mut Lines, &mut TraceBuilder) + Send>;

/// What a trace lacks, and how to get it.
pub(crate) struct Advice {
    /// The attribute.
    pub(crate) attribute: &'static str,
    /// The ports whose events should have it; any, if empty.
    pub(crate) ports: &'static [&'static str],
    /// The questions that need it, and what makes the program write it.
    pub(crate) text: &'static str,
}

impl Format {
    /// The defaults of a record: boxes on one track, and no events in any file.
    pub(crate) const PLAIN: Format = Format {
        name: "",
        doc: "",
        sample: "",
        missing: "",
        rule: "",
        ports: PortSet::Open(&[]),
        attributes: &[],
        severities: &[],
        sniff: |_| 0,
        sniff_faint: |_| 0,
        not_events: |_| None,
        read: |_, _| {},
        excerpt: None,
        has_losses: false,
        advice: &[],
        follow: Follow::Never,
        checks: checks::OF_BOXES,
        drawing: Draw::Always(&Drawing::ONE_TRACK),
        merge: None,
        partner: None,
        derive: None,
        reads_maps: false,
        order: EventOrder::OfLines,
        has_spans: false,
        blind: &[],
        ends_silently: false,
        lasso: None,
        results: &[],
        shown: &[],
        alike: &[],
    };

    /// The format with a name.
    pub(crate) fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that reads lines through maps.
    pub(crate) fn of_maps() -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.reads_maps)
    }

    /// The function that makes derived traces.
    pub(crate) fn derive() -> Derive {
        FORMATS.iter().find_map(|format| format.derive).expect("a format makes derived traces")
    }

    /// A reader of one batch of lines after the other.
    pub(crate) fn batch_reader(&self) -> ReadAfter {
        match self.follow {
            Follow::Remembering { batches, .. } => batches(),
            Follow::Lines | Follow::Never => self.forgetful_reader(),
        }
    }

    /// A reader of events that were taken out of their trace.
    pub(crate) fn lone_event_reader(&self) -> ReadAfter {
        match self.follow {
            Follow::Remembering { alone, .. } => alone(),
            Follow::Lines | Follow::Never => self.forgetful_reader(),
        }
    }

    fn forgetful_reader(&self) -> ReadAfter {
        let read = self.read;
        Box::new(move |_, lines, builder| read(lines, builder))
    }

    /// The origin of a trace of this format that is read from `path`.
    pub(crate) fn origin(&self, path: &Path) -> TraceOrigin {
        let &Format {
            name: format,
            ports,
            attributes,
            rule,
            severities,
            ends_silently,
            lasso,
            results,
            shown,
            alike,
            ..
        } = self;
        TraceOrigin {
            path: path.to_owned(),
            format,
            ports,
            attributes,
            rule,
            severities,
            is_by_line: self.order == EventOrder::OfLines,
            ends_silently,
            lasso,
            results,
            shown,
            alike,
        }
    }
}

/// Reads the events that are needed of a file that begins with `head`, and returns what is known of the others; none if
/// the file must be read as a whole.
pub(crate) type ReadExcerpt = fn(
    file: StretchReader<'_>,
    head: &[u8],
    request: &ExcerptRequest<'_>,
    builder: &mut TraceBuilder,
) -> io::Result<Option<Unneeded>>;

/// The part of a trace that is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExcerptRequest<'s> {
    /// The events that are needed.
    pub(crate) selection: &'s Selection,
    /// With more events than these, the trace must be read as a whole.
    pub(crate) most_events: u64,
    /// What must be known of the other events.
    pub(crate) unneeded: Unneeded,
}

/// What is known of the lines of a file that a question does not need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unneeded {
    /// Each was read, and nothing is wrong with it; those after the events that suffice, which they cannot change, perhaps
    /// were not.
    #[default]
    Verified,
    /// Samples of the file were read, and the other lines are assumed to be like them.
    Believed,
}

/// Every format, in the order in which help lists them.
pub(crate) const FORMATS: &[Format] = &[
    morphine::FORMAT,
    jsonl::FORMAT,
    maps::FORMAT,
    mpd::FORMAT,
    seqtrace::FORMAT,
    visandor::FORMAT,
    posix::FORMAT,
    prolog::FORMAT,
    mdb::FORMAT,
    monpoly::FORMAT,
    strace::FORMAT,
    chrome::FORMAT,
    otlp::FORMAT,
    jaeger::FORMAT,
    zipkin::FORMAT,
    itf::FORMAT,
    lttng::FORMAT,
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
