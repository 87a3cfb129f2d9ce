//! The `strace` format: the text of strace, with any of its options that choose what a line states.
//!
//! Chunks of lines are read on all cores (`fast`); which process a line belongs to, which call it resumes and what has
//! ended is found out line by line (`events`, `processes`). Arguments stay as printed until a goal needs them (`terms`).

mod arguments;
mod call_texts;
mod columns;
mod events;
mod fast;
pub(crate) mod line;
mod line_table;
mod names;
mod processes;
mod rules;
mod term_tree;
mod terms;
mod time;

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{Draw, Drawing};
use super::json::facts;
use super::lines::{Lines, read_ahead};
use crate::formats::lines::split_lines;
use crate::trace::{PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use events::StraceReader;
use fast::StraceChunk;
use line::{CallEnding, CallResult, LineBody, LineHead, ReturnValue};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "strace",
    doc: "system calls, as strace prints them",
    sample: "12 1795364652.276138 read(3, \"\\177ELF\"..., 832) = 832 <0.000009>",
    missing: "no line is a system call with a result, like `close(3) = 0`",
    rule: "S1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    results: &["ret", "errno"],
    sniff,
    not_events,
    read,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    shown: &["time", "pid"],
    alike: ALIKE,
    ..Format::PLAIN
};

/// The system calls whose names a slip of the keys makes of each other.
#[rustfmt::skip]
const ALIKE: &[&str] = &[
    "epoll_pwait", "epoll_wait", "getegid", "geteuid", "getgid", "getpgid", "getpid", "getppid", "getresgid", "getresuid",
    "getuid", "io_getevents", "io_pgetevents", "lgetxattr", "listxattr", "llistxattr", "lsetxattr", "poll", "ppoll",
    "recvmmsg", "recvmsg", "sendmmsg", "sendmsg", "setfsgid", "setfsuid", "setgid", "setpgid", "setregid", "setresgid",
    "setresuid", "setreuid", "tgkill", "tkill",
];

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_call_ends", &[Need::Attribute("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::new("files_closed"),
    ReadyCheck::new("no_bad_close"),
    ReadyCheck::new("children_waited"),
    ReadyCheck::new("no_kill"),
    ReadyCheck::new("reads_what_it_opens"),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["pid", "ret", "errno"],
    process: &[("process ", "pid")],
    thread: &[("process ", "pid")],
    instant: &[("", "name")],
    time: Some(("time", 1000)),
    ..Drawing::ONE_TRACK
};

const fn port(name: &'static str, role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings: &[], role, traced: Traced::Yes, doc }
}

const PORTS: &[PortRecord] = &[
    port("call", PortRole::Opens, "a system call is entered"),
    port("exit", PortRole::Closes, "a system call returns"),
    port("exception", PortRole::Closes, "a system call returns with an error"),
    port("interrupted", PortRole::Closes, "a system call is interrupted by a signal; the kernel may call it again"),
    port("signal", PortRole::Inside, "a process receives a signal"),
    port("stopped", PortRole::Inside, "a process is stopped by a signal"),
    port("attached", PortRole::Inside, "strace attaches a process"),
    port("exited", PortRole::Closes, "a process exits"),
    port("killed", PortRole::Closes, "a process is killed by a signal"),
    port("superseded", PortRole::Closes, "a process is replaced by one of its threads that called execve"),
];

/// How many of the first lines are calls, signals or ends of processes; with these also those that a recorder adds.
fn sniff(head: &[u8]) -> usize {
    let lines = || split_lines(head).filter(|line| !line.is_empty()).take(2000);
    match lines().filter(|line| is_event(line)).count() {
        0 => 0,
        n_events => n_events + lines().filter(|line| line.starts_with(facts::MARK)).count(),
    }
}

/// The first line of a table of `strace -c`: `% time     seconds  usecs/call     calls    errors syscall`.
fn not_events(head: &[u8]) -> Option<&'static str> {
    let mut lines = split_lines(head);
    let is_head = |line: &[u8]| line.starts_with(b"% time ") && line.ends_with(b" syscall");
    lines.any(is_head).then_some("the summary of `strace -c`")
}

fn is_event(line: &[u8]) -> bool {
    // a frame of the stack of a call
    if line.starts_with(b" > ") {
        return line.ends_with(b"]");
    }
    match LineBody::of(&line[LineHead::of(line).length..]) {
        LineBody::Call { rest, .. } => {
            CallEnding::of(rest) != CallEnding::Complete || CallResult::split(rest).is_some()
        }
        LineBody::Other => false,
        _ => true,
    }
}

/// The result that a call returned; `rest` is what follows its opening bracket, or what resumes it.
pub(crate) fn result_of(rest: &[u8]) -> Option<ReturnValue> {
    CallResult::of(result_text(rest)?).map(|result| result.value)
}

/// The text of the result, `3</tmp/x> <0.000008>`, in what follows an opening bracket, or in what resumes a call.
pub(crate) fn result_text(rest: &[u8]) -> Option<&[u8]> {
    let after = |bracket: usize| rest[bracket + 1..].trim_ascii().strip_prefix(b"= ");
    // what resumes a call may begin inside an argument, whose brackets it closes
    let last = || memchr::memrchr_iter(b')', rest).find_map(after);
    arguments::closing_bracket(rest).and_then(after).or_else(last)
}

/// The number of the process in the name of a log that `strace -ff` wrote: `program.1234`.
fn pid_of_log(name: &str) -> Option<i64> {
    let (_, digits) = name.rsplit_once('.')?;
    line::number(digits.as_bytes())
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    read_by(StraceChunk::read, lines, builder);
}

/// Bytes of a chunk: few enough for the text, its calls and their events to stay in the cache of a core.
const CHUNK: usize = 1 << 17;

/// Reads all lines, each chunk of them by a function.
fn read_by(read: impl Fn(&mut StraceChunk, &[u8]) + Sync, lines: &mut Lines, builder: &mut TraceBuilder) {
    let path = builder.origin().path.clone();
    let mut reader = StraceReader::new(builder, lines.log.as_deref().and_then(pid_of_log));
    reader.n_lines = lines.number();
    lines.chunk_bytes = lines.chunk_bytes.min(CHUNK);
    if read_ahead::n_threads(lines) > 1
        && let Some(file) = lines.file.take()
    {
        reader.texts.of_calls.leave_in(file, path);
    }
    read_ahead::read(
        lines,
        None,
        |text, chunk: &mut StraceChunk| read(chunk, text),
        |chunk, read| {
            reader.chunk(chunk, read);
        },
    );
    lines.count_lines(reader.n_lines - lines.number());
    reader.finish();
}

#[cfg(test)]
mod chunk_tests;
