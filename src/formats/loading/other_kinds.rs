//! What a file is that is no trace in one of the formats: documents, logs and recordings of other tools, known by their
//! keys or first bytes, each with what makes a trace of it.

use crate::formats::lines::text;
use crate::formats::{FORMATS, Format};
use crate::term::letters::excerpt;

/// Something that another tool writes.
struct OtherKind {
    name: &'static str,
    marks: Marks,
    /// What to do with it.
    advice: &'static str,
}

/// How a file is known.
enum Marks {
    /// A JSON document has all of these keys.
    Keys(&'static [&'static str]),
    /// It begins with one of these.
    Begins(&'static [&'static [u8]]),
    /// The same, and it is no text.
    Binary(&'static [&'static [u8]]),
    /// The first lines have all of these.
    Texts(&'static [&'static str]),
}

const fn keys(name: &'static str, keys: &'static [&'static str], advice: &'static str) -> OtherKind {
    OtherKind { name, marks: Marks::Keys(keys), advice }
}

const fn begins(name: &'static str, with: &'static [&'static [u8]], advice: &'static str) -> OtherKind {
    OtherKind { name, marks: Marks::Begins(with), advice }
}

const fn binary(name: &'static str, with: &'static [&'static [u8]], advice: &'static str) -> OtherKind {
    OtherKind { name, marks: Marks::Binary(with), advice }
}

const fn texts(name: &'static str, texts: &'static [&'static str], advice: &'static str) -> OtherKind {
    OtherKind { name, marks: Marks::Texts(texts), advice }
}

const OF_SPANS: &str = "papaver reads traces of OpenTelemetry (`resourceSpans`), not its logs and metrics";
const BABELTRACE: &str = "`babeltrace2 FOLDER >trace.txt` prints what papaver reads";
const TRACECONV: &str = "`traceconv json FILE trace.json` makes a Chrome trace of it";
const AS_LINES: &str = "`jq -c '.[]' FILE` prints the objects of an array as lines; `--map FILE` says what their keys \
                        mean (`papaver help maps`)";
const PERF: &str = "`perf data convert --to-json=FILE` and `jq -c '.samples[]'` make lines for `--map FILE`";
const STRACE: &str = "`strace -f -o trace.txt COMMAND` writes what papaver reads";

/// The first kind whose marks are there is the one.
const KINDS: &[OtherKind] = &[
    keys("an OpenTelemetry export of logs", &["resourceLogs"], OF_SPANS),
    keys("an OpenTelemetry export of metrics", &["resourceMetrics"], OF_SPANS),
    keys(
        "an HTTP archive",
        &["log", "entries", "creator"],
        "`jq -c '.log.entries[]' FILE` prints its requests as lines, for `--map FILE` (`papaver help maps`)",
    ),
    keys(
        "a SARIF report",
        &["runs", "tool"],
        "`jq -c '.runs[].results[]' FILE` prints its results as lines, for `--map FILE`",
    ),
    keys(
        "a CPU profile of V8",
        &["nodes", "startTime", "endTime"],
        "Chrome's performance panel saves what papaver reads",
    ),
    keys("a speedscope profile", &["shared", "frames", "profiles"], "it has samples, but no calls"),
    keys("a profile of Firefox", &["meta", "libs", "threads"], "it has samples, but no calls"),
    keys(
        "a log of journald, printed for readers",
        &["__REALTIME_TIMESTAMP", "__CURSOR"],
        "`journalctl -o json` prints what papaver reads, and `jq -c . FILE` makes that of this one",
    ),
    begins("samples of perf", &[b"PERFILE2"], PERF),
    begins("a recording of Java's Flight Recorder", &[b"FLR\0"], "`jfr print --json FILE` prints it as JSON"),
    begins("a stream of a CTF trace", &[b"\xC1\x1F\xFC\xC1", b"\xC1\xFC\x1F\xC1"], BABELTRACE),
    begins("the description of a CTF trace", &[b"/* CTF", b"\x75\xD1\x1D\x57", b"\x57\x1D\xD1\x75"], BABELTRACE),
    begins("a database of SQLite", &[b"SQLite format 3\0"], "`sqlite3 -json FILE QUERY` prints rows as JSON"),
    begins("a trace of ftrace", &[b"# tracer:"], TRACECONV),
    texts("a trace of ftrace", &["TASK-PID", "TIMESTAMP"], TRACECONV),
    texts("what `perf script` prints", &["([kernel.kallsyms])"], PERF),
    texts("a log of gVisor", &["strace.go:"], STRACE),
    texts("a log of ltrace", &["__libc_start_main("], STRACE),
    binary(
        "a program",
        &[b"\x7FELF", b"MZ", b"\xCF\xFA\xED\xFE"],
        "`papaver record COMMAND` records a run of a program",
    ),
    // packets of Perfetto are the first field of its message
    binary(
        "a message in protobuf, as Perfetto and pprof write them",
        &[b"\x0A"],
        "`traceconv json FILE trace.json` makes a Chrome trace of one of Perfetto",
    ),
];

impl OtherKind {
    fn fits(&self, head: &[u8]) -> bool {
        let has = |text: &str| memchr::memmem::find(head, text.as_bytes()).is_some();
        let begins = |beginnings: &[&[u8]]| beginnings.iter().any(|beginning| head.starts_with(beginning));
        match self.marks {
            Marks::Keys(keys) => is_json(head) && keys.iter().all(|key| has(&format!("\"{key}\""))),
            Marks::Begins(beginnings) => begins(beginnings),
            Marks::Binary(beginnings) => begins(beginnings) && is_binary(head),
            Marks::Texts(texts) => texts.iter().all(|text| has(text)),
        }
    }
}

fn is_binary(head: &[u8]) -> bool {
    // a character may be cut at the end
    let is_text = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    !is_text || head.contains(&0)
}

fn is_json(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// What a file looks like; the two formats whose lines are most like its first line, with what it lacks for each; and what
/// to do.
pub(super) fn description(head: &[u8]) -> String {
    let visible = text::visible(&head[..head.len().min(1000)]);
    let line = visible.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let known = KINDS.iter().find(|kind| kind.fits(head));
    let (what, advice) = match known {
        Some(kind) => (kind.name.to_owned(), kind.advice),
        None if is_json(head) => (format!("JSON, {}", excerpt(line)), AS_LINES),
        None => (
            excerpt(line),
            "`--from FORMAT` reads it as one of the formats (`papaver help formats`); a log in JSON has lines of objects",
        ),
    };
    let nearest = match known {
        Some(_) => String::new(),
        None => nearest(line, is_json(head)).map(|format| format!("\n  {}: {}", format.name, format.missing)).concat(),
    };
    format!("it looks like {what}{nearest}\n  {advice}")
}

/// The formats whose samples are most like a line.
fn nearest(line: &str, is_json: bool) -> [&'static Format; 2] {
    let shape = shape(line);
    let likeness = |format: &&Format| {
        let same_kind = f64::from(u8::from(format.sample.starts_with(['{', '[']) == is_json));
        same_kind + strsim::sorensen_dice(&shape, &self::shape(format.sample))
    };
    let mut formats: Vec<&Format> = FORMATS.iter().filter(|format| !format.sample.is_empty()).collect();
    formats.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
    [formats[0], formats[1]]
}

/// A line with one letter in place of each word and one digit in place of each number.
fn shape(line: &str) -> String {
    let class = |c: char| match c {
        _ if c.is_ascii_digit() => '0',
        _ if c.is_alphanumeric() || c == '_' => 'a',
        _ => c,
    };
    let mut shape: Vec<char> = line.chars().take(200).map(class).collect();
    shape.dedup_by(|one, other| one == other && matches!(one, '0' | 'a'));
    shape.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_tools_are_known_by_name() {
        for (head, name) in [
            (&br#"{"resourceLogs": [{"scopeLogs": []}]}"#[..], "an OpenTelemetry export of logs"),
            (br#"{"runs": [{"tool": {}}]}"#, "a SARIF report"),
            (br#"{"log": {"version": "1.2", "creator": {}, "entries": []}}"#, "an HTTP archive"),
            (br#"{"$schema": "", "shared": {"frames": []}, "profiles": []}"#, "a speedscope profile"),
            (b"{\n\t\"__CURSOR\": \"i=0\",\n\t\"__REALTIME_TIMESTAMP\": \"1\"", "a log of journald"),
            (b"PERFILE2\x68\0\0", "samples of perf"),
            (b"FLR\0\0\x02", "a recording of Java's Flight Recorder"),
            (b"\xC1\x1F\xFC\xC1\0\0", "a stream of a CTF trace"),
            (b"/* CTF 1.8 */", "the description of a CTF trace"),
            (b"# tracer: function_graph\n#\n", "a trace of ftrace"),
            (b"sh 1 2.0: cycles:\n\tffff do_exit ([kernel.kallsyms])\n", "what `perf script` prints"),
            (b"I0101 00:00:00.0 1 strace.go:567] [ 1] sh E brk(0x0)", "a log of gVisor"),
            (b"__libc_start_main(0x1, 1) = 0", "a log of ltrace"),
            (b"\x0A\x10\x08\xFF\x01\0", "a message in protobuf"),
            (b"\x7FELF\x02\x01\x01\0", "a program"),
        ] {
            let text = description(head);
            assert!(text.starts_with(&format!("it looks like {name}")), "{name}: {text}");
            assert_eq!(text.lines().count(), 2, "{text}");
        }
    }

    #[test]
    fn anything_else_is_compared_with_the_formats() {
        for (head, expected) in [
            ("[16:09:02] app shop:item { id = 1 }\n", "lttng"),
            ("  Call (7) p(X)\n", "prolog"),
            ("@12 {\"a\": 1}\n", "monpoly"),
            ("{\"level\": \"info\"}\n", "json"),
        ] {
            let text = description(head.as_bytes());
            assert!(text.lines().any(|line| line.trim_start().starts_with(&format!("{expected}: "))), "{text}");
            assert_eq!(text.lines().count(), 4, "{text}");
        }
    }
}
