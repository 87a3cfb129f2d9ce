//! What tests of several formats share: a trace read in chunks of any size, and all its contents as text.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use super::{Format, Lines};
use crate::trace::{AttributeId, Trace, TraceBuilder};

/// A module with a test for each of some formats: `$test` takes the record of the format.
macro_rules! test_formats {
    ($module:ident, $test:ident: $($name:ident)*) => {
        mod $module {
            $(#[test]
            fn $name() {
                super::$test($crate::formats::Format::named(stringify!($name)).expect("it is a format"));
            })*
        }
    };
}

/// The same for all formats.
macro_rules! test_each_format {
    ($module:ident, $test:ident) => {
        $crate::formats::test_each_format! { $module, $test:
            chrome itf jaeger json jsonl lttng mdb monpoly morphine mpd otlp posix prolog seqtrace strace visandor zipkin
        }
    };
    ($module:ident, $test:ident: $($name:ident)*) => {
        $crate::formats::test_formats! { $module, $test: $($name)* }

        #[test]
        fn $module() {
            let mut formats: Vec<&str> = $crate::formats::FORMATS.iter().map(|format| format.name).collect();
            formats.sort_unstable();
            assert_eq!(formats, [$(stringify!($name)),*], "each format has a test");
        }
    };
}
pub(crate) use {test_each_format, test_formats};

/// The trace in a text, read in chunks of about `chunk_bytes` bytes; a last finding has the number of lines.
pub(crate) fn in_chunks(format: &Format, text: &[u8], chunk_bytes: usize) -> Trace {
    in_chunks_of(format, text, chunk_bytes, None)
}

/// The same for a text that is in a file, where arguments may stay.
pub(crate) fn in_chunks_of(format: &Format, text: &[u8], chunk_bytes: usize, file: Option<File>) -> Trace {
    let mut lines = Lines::new(Box::new(Cursor::new(text.to_vec())));
    lines.chunk_bytes = chunk_bytes;
    lines.file = file;
    let origin = format.origin(Path::new("test.trace"));
    let mut builder = TraceBuilder::new(origin);
    (format.read)(&mut lines, &mut builder);
    builder.finding("end", None, Some(lines.number()), "number of lines");
    builder.finish()
}

/// All contents of a trace.
pub(crate) fn shown(trace: &Trace) -> String {
    let mut text = format!("{:?}\n{:?}\n", trace.findings(), trace.procs().collect::<Vec<_>>());
    let ids: Vec<AttributeId> = trace.schema().iter().map(|(id, _)| id).collect();
    for event in 0..trace.n_events() {
        let values: Vec<_> = ids.iter().map(|id| trace.value(event, *id)).collect();
        let call = trace.call(event).map(|call| (trace.call_number(call), trace.parent(call)));
        writeln!(text, "{:?} {call:?} {values:?}", trace.source_place(event)).expect("it is a string");
    }
    text
}
