//! The functions of the fuzz targets in `tests/fuzz`: compiled for libFuzzer, and for the tests, which replay the saved
//! corpus and mutations of it.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::builtins::library;
use crate::engine::{Machine, Namespace, Output, ScriptEvent};
use crate::formats::{LoadError, LoadOptions, load};
use crate::output::convert::jsonl;
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadFlags, Reader, read_goal};
use crate::term::ops::{OpKind, OpTable};
use crate::term::print::{Style, to_string};
use crate::term::{Atom, Node, Shape, Tree, View};
use crate::trace::Trace;

/// Every term that can be read is written such that it reads as the same term, also with operators that the input
/// chooses.
///
/// The first line of an input that begins with `%` chooses operators, two letters each.
pub fn syntax(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (ops, flags) = (operators(&text), ReadFlags::default());
    let mut reader = Reader::new(&text);
    while let Some(read) = reader.read(&ops, &flags).transpose() {
        let Ok(read) = read else { continue };
        for style in [Style { number_vars: false, ..Style::writeq() }, Style::canonical()] {
            let written = to_string(&read.tree, read.tree.root(), &ops, &style);
            let again = Reader::new(&format!("{written} .")).read(&ops, &flags);
            match again {
                Ok(Some(again)) if is_variant(&read.tree, &again.tree) => {}
                other => panic!("`{written}` is written for a term of {text:?}, and reads as {other:?}"),
            }
        }
    }
}

const NAMES: &[&str] =
    &["a", "-", "+", "*", "=", ":-", ",", "|", "is", "f", "\\", "@", "[]", "{}", "un quoted", "!", "."];
const KINDS: &[OpKind] = &[OpKind::Xfx, OpKind::Xfy, OpKind::Yfx, OpKind::Fy, OpKind::Fx, OpKind::Xf, OpKind::Yf];

fn operators(text: &str) -> OpTable {
    let mut ops = OpTable::standard();
    let choice = text.strip_prefix('%').and_then(|rest| rest.lines().next()).unwrap_or("");
    for pair in choice.as_bytes().chunks_exact(2) {
        let (name, how) = (NAMES[pair[0] as usize % NAMES.len()], pair[1] as usize);
        let may_not = ["[]", "{}", "|", ",", ".", "!"].contains(&name);
        if !may_not {
            ops.add([200, 400, 700, 999, 1100, 1200][how / 7 % 6], KINDS[how % 7], Atom::new(name));
        }
    }
    ops
}

/// Whether two trees are the same term, except for the numbers of variables.
fn is_variant(left: &Tree, right: &Tree) -> bool {
    let mut pairs = vec![(left.root(), right.root())];
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    while let Some((l, r)) = pairs.pop() {
        let is_same = match (left.node(l), right.node(r)) {
            (Node::Var(a), Node::Var(b)) => *there.entry(*a).or_insert(*b) == *b && *back.entry(*b).or_insert(*a) == *a,
            (Node::Float(a), Node::Float(b)) => a.to_bits() == b.to_bits(),
            (Node::Compound { .. }, Node::Compound { .. }) => left.functor(l) == right.functor(r),
            (a, b) => a == b,
        };
        if !is_same {
            return false;
        }
        pairs.extend(left.args(l).iter().copied().zip(right.args(r).iter().copied()));
    }
    true
}

/// Goals on a saved trace; together they read all of it.
const QUESTIONS: &[&str] = &[
    "event([chrono=C, call=K, depth=D, port=P, proc=Q, args=A, line_number=L])",
    "tally(Q-P, event([proc=Q, port=P]), T)",
    "bget([port=exit, args=[_|_]]), call_start(K, S), parent(K, B)",
    "aggregate_all(count, event([depth=2..5, port=exit]), N)",
];

/// A saved trace with some bytes changed and its checksums corrected: it is refused, found to be damaged by a goal, or
/// gives some answer.
///
/// Every four bytes of an input change one byte; every second change is near the end, where the description is.
pub fn cache_reader(data: &[u8]) {
    let mut bytes = SAVED.clone();
    for change in data.chunks_exact(4) {
        let number = u32::from_le_bytes(change.try_into().expect("there are four"));
        let place = (number.wrapping_mul(0x9E37_79B1) >> 8) as usize;
        let from = if number & 1 == 0 { 0 } else { bytes.len() - bytes.len() / 4 };
        let room = bytes.len() - from;
        bytes[from + place % room] = (number >> 24) as u8;
    }
    seal(&mut bytes);
    let Ok(trace) = opened(&bytes) else { return };
    let mut machine = library::machine(Output::new(Box::new(io::sink())));
    machine.world.store.watch.memory = machine.world.bytes_kept() + MEMORY;
    let trace = Arc::new(trace);
    machine.world.open_trace(Arc::clone(&trace));
    QUESTIONS.iter().for_each(|goal| solve(&mut machine, goal));
    if trace.fault().is_none() {
        assert_sound(&mut machine, "a saved trace");
    }
}

static SAVED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/qsort.trace");
    let trace = load(&sample, &LoadOptions::default()).expect("the sample is a trace");
    let mut bytes = Vec::new();
    trace.save(&mut bytes).expect("memory takes everything");
    let mut sealed = bytes.clone();
    seal(&mut sealed);
    assert!(sealed == bytes, "the checksums stand elsewhere by now");
    bytes
});

/// Recomputes the checksums of the description, and of head and end: the file ends with the offset, length and checksum
/// of the description, the length of the file, and the checksum of the first 12 bytes and these fields.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 28;
    let number = |at: usize| bytes[at..at + 8].iter().rev().fold(0_usize, |number, &byte| number << 8 | byte as usize);
    let (offset, length) = (number(end), number(end + 8) & 0xFFFF_FFFF);
    if let Some(description) = offset.checked_add(length).and_then(|behind| bytes.get(offset..behind)) {
        let checksum = crc32fast::hash(description);
        bytes[end + 12..end + 16].copy_from_slice(&checksum.to_le_bytes());
    }
    let whole = [&bytes[..12], &bytes[end..end + 24]].concat();
    bytes[end + 24..].copy_from_slice(&crc32fast::hash(&whole).to_le_bytes());
}

/// Goals for the traces of some formats, in addition to the goals that run on all.
const GOALS: &[(&str, &[&str])] = &[
    ("posix", &["window(K, F, T)", "blind(F, T)", "coverage(P)", "interval(T, N)", "sound(\\+ event([name=x]))"]),
    ("json", &["tool(N, I, R)", "failed_test(T, O)", "never_ended(T)", "retried(N)"]),
    ("mdb", &["event([port=exit, vars=V])", "fget(port=call), stack(S)"]),
    ("prolog", &["fget(port=redo), stack(S)", "event([port=exit, call=C]), proof_tree(C, T)", "open_call(C)"]),
];

/// Any bytes as a trace of the format with this name: defects become findings, no call begins before its parent, the trace
/// written as JSON Lines can be read again, and goals can run on it.
pub fn format(name: &str, data: &[u8]) {
    let Some(trace) = read_soundly(name, data) else { return };
    let mut machine = library::machine(Output::new(Box::new(io::sink())));
    machine.world.store.watch.memory = machine.world.bytes_kept() + MEMORY;
    machine.world.open_trace(Arc::new(trace));
    let own = GOALS.iter().filter(|(format, _)| *format == name).flat_map(|(_, goals)| *goals);
    QUESTIONS.iter().chain(own).for_each(|goal| solve(&mut machine, goal));
    assert_sound(&mut machine, name);
}

/// The first bytes of packed files: gzip and zstd.
const PACKED: [&[u8]; 2] = [&[0x1F, 0x8B], &[0x28, 0xB5, 0x2F, 0xFD]];

fn read_soundly(format: &str, data: &[u8]) -> Option<Trace> {
    let trace = match opened_as(Some(format), data) {
        Ok(trace) => trace,
        // bytes that cannot be unpacked are not a trace
        Err(_) if PACKED.iter().any(|magic| data.starts_with(magic)) => return None,
        Err(error) => panic!("{error}"),
    };
    for call in trace.calls() {
        assert!(trace.parent(call).is_none_or(|parent| trace.call_first(parent) <= trace.call_first(call)));
    }
    let mut objects = Vec::new();
    jsonl(&trace, &mut objects).expect("memory takes everything");
    assert_eq!(read_as("jsonl", &objects).n_events(), trace.n_events());
    Some(trace)
}

fn read_as(format: &str, bytes: &[u8]) -> Trace {
    opened_as(Some(format), bytes).expect("a file of bytes is some trace")
}

fn opened(bytes: &[u8]) -> Result<Trace, LoadError> {
    opened_as(None, bytes)
}

fn opened_as(from: Option<&str>, bytes: &[u8]) -> Result<Trace, LoadError> {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written to");
    load(file.path(), &LoadOptions { from, ..LoadOptions::default() })
}

/// A map and, after a line `---`, a log: whatever the map says, and whatever the log holds, loading ends.
pub fn maps(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (map, log) = text.split_once("\n---\n").unwrap_or((&text, ""));
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let (map_path, log_path) = (folder.path().join("map.pl"), folder.path().join("log.jsonl"));
    std::fs::write(&map_path, map).expect("temporary files can be written to");
    std::fs::write(&log_path, log).expect("temporary files can be written to");
    match load(&log_path, &LoadOptions { map: Some(&map_path), ..LoadOptions::default() }) {
        Ok(trace) => assert!(trace.calls().all(|call| trace.parent(call).is_none_or(|parent| parent < call))),
        Err(error) => assert!(matches!(error, LoadError::Map(_)), "{error}"),
    }
}

/// How long a goal may run, and how long it may take to notice that.
const TIME: Duration = Duration::from_millis(100);
const SLACK: Duration = Duration::from_secs(10);
const MEMORY: usize = 64 << 20;
const MOST_ANSWERS: usize = 20;

/// A program and, after a line `?-`, a goal: whatever they do, the limits hold and the machine stays sound.
pub fn machine(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (program, goal) = text.split_once("\n?-").unwrap_or(("", &text));
    let mut machine = library::machine(Output::new(Box::new(io::sink())));
    machine.world.input.ask(Box::new(|_| Ok(None)));
    machine.world.store.watch.memory = machine.world.bytes_kept() + MEMORY;
    machine.world.open_script(Source::new("program", program), Namespace::User, None);
    while machine.world.next_script_event() != ScriptEvent::End {}
    machine.world.close_script();
    let start = Instant::now();
    solve(&mut machine, goal);
    assert!(start.elapsed() < TIME + SLACK, "a limit did not hold: {text:?}");
    assert_sound(&mut machine, &text);
}

/// Takes some answers; how the goal ends does not matter.
fn solve(machine: &mut Machine, goal: &str) {
    let flags = machine.world.read_flags();
    let Ok(read) = read_goal(goal, &machine.world.operators, &flags) else { return };
    machine.world.store.watch.deadline = Some(Instant::now() + TIME);
    if machine.query(&read, &Source::new("goal", goal)).is_ok() {
        for _ in 0..MOST_ANSWERS {
            if !matches!(machine.next_answer(), Ok(Some(_))) {
                break;
            }
        }
    }
    machine.end_query();
}

/// Whether `X = 1` still answers as it should; the memory that the program has filled does not count.
fn assert_sound(machine: &mut Machine, text: &str) {
    machine.world.store.watch.deadline = None;
    machine.world.store.watch.memory = usize::MAX;
    let goal = "X = 1";
    let read = read_goal(goal, &OpTable::standard(), &ReadFlags::default()).expect("the goal is well-formed");
    let answer = machine.query(&read, &Source::new("goal", goal)).and_then(|()| machine.next_answer());
    assert!(matches!(answer, Ok(Some(_))), "`X = 1` has no answer any more: {answer:?} after {text:?}");
    let value = machine.binding(0);
    assert!(matches!(machine.world.store.shape(value), Shape::Int(1)), "`X = 1` is something else after {text:?}");
    machine.end_query();
}
