//! The fuzz targets on their saved corpus, and on mutations of it that are the same in every run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{cache_reader, format, machine, maps, read_soundly, syntax};
use crate::formats::{FORMATS, Format, test_each_format};

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target)
}

/// The inputs saved for a target, by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let mut inputs: Vec<_> = std::fs::read_dir(folder(target))
        .expect("the corpus is part of the project")
        .map(|entry| entry.expect("the corpus can be read"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("the corpus can be read"))
        })
        .collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{target}");
    inputs
}

/// Inputs of at most so many bytes are cut at each of them.
const SHORT: usize = 420;

/// Pseudo-random numbers that are the same in every run.
struct FuzzDice(u64);

impl FuzzDice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// A random position in a text, preferably between two tokens.
    fn cut(&mut self, text: &[u8]) -> usize {
        let at = self.below(text.len() + 1);
        let is_seam = |at: &usize| *at == text.len() || b" ,()[]{}|.".contains(&text[*at]);
        if self.below(4) == 0 { at } else { (at..=text.len()).find(is_seam).unwrap_or(at) }
    }
}

/// The texts to insert: constructs that have caused defects in lexers, operator tables and machines.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|",
    ".",
    " ",
    "- ",
    "-",
    "'",
    "\"",
    "0'",
    "\\",
    "/*",
    "%",
    "a",
    "X",
    "_",
    "1",
    "0x",
    "1.0e",
    ":-",
    "-->",
    "->",
    "*->",
    ";",
    "!",
    "\\+",
    "=",
    "..",
    "[]",
    "f(",
    "X = f(X), ",
    "\n",
    "é",
    "\0",
    "99999999999999999999",
    "catch(",
    "findall(X, ",
    "throw(a)",
    "fail",
    "repeat",
    "call(",
    "assertz(",
    "retract(",
];

fn mutated(input: &[u8], other: &[u8], dice: &mut FuzzDice) -> Vec<u8> {
    let mut text = input.to_vec();
    for _ in 0..=dice.below(3) {
        let (a, b) = (dice.cut(&text), dice.cut(&text));
        let (a, b) = (a.min(b), a.max(b));
        match dice.below(5) {
            0 => drop(text.drain(a..b.min(a + 8))),
            1 => drop(text.splice(a..a, PIECES[dice.below(PIECES.len())].bytes())),
            2 => drop(text.splice(a..b.min(a + 3), PIECES[dice.below(PIECES.len())].bytes())),
            3 => {
                let (c, d) = (dice.cut(other), dice.cut(other));
                drop(text.splice(a..a, other[c.min(d)..c.max(d)].to_vec()));
            }
            _ => {
                let copy = text[a..b].to_vec();
                drop(text.splice(a..a, copy));
            }
        }
    }
    text
}

/// Runs a target on inputs, and then on mutations of them, until the time is up or there have been enough.
fn put(inputs: &[(String, Vec<u8>)], body: impl Fn(&[u8]), n_mutations: usize) {
    inputs.iter().for_each(|(_, input)| body(input));
    let seconds = std::env::var("PAPAVER_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let (n, end) = match seconds {
        Some(seconds) => (usize::MAX, Duration::from_secs(seconds)),
        None => (n_mutations, Duration::from_secs(5)),
    };
    let (start, mut dice) = (Instant::now(), FuzzDice(0x9e37_79b9_7f4a_7c15));
    for _ in 0..n {
        if start.elapsed() > end {
            break;
        }
        let (input, other) = (dice.below(inputs.len()), dice.below(inputs.len()));
        body(&mutated(&inputs[input].1, &inputs[other].1, &mut dice));
    }
}

#[test]
fn whatever_can_be_read_is_written_as_it_reads() {
    put(&corpus("syntax"), syntax, 20_000);
}

#[test]
fn no_program_breaks_the_machine_or_its_limits() {
    put(&corpus("machine"), machine, 200);
}

#[test]
fn no_saved_trace_breaks_its_reader() {
    put(&corpus("cache_reader"), cache_reader, 5_000);
}

#[test]
fn no_map_and_no_log_break_the_reader() {
    put(&corpus("maps"), maps, 1_000);
}

test_each_format!(no_bytes_break, the_reader);

fn the_reader(Format { name, sample, .. }: &Format) {
    let inputs = match folder(name) {
        folder if folder.is_dir() => corpus(name),
        _ => (1..=10).map(|n| (name.to_string(), format!("{sample}\n").repeat(n).into_bytes())).collect(),
    };
    put(&inputs, |data| format(name, data), 300);
}

/// The targets that are not for a format.
const OTHERS: &[&str] = &["cache_reader", "machine", "maps", "syntax"];

#[test]
fn every_format_has_a_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let manifest = read(fuzz.join("Cargo.toml"));
    let mut targets: Vec<&str> = manifest.lines().filter_map(|line| line.strip_prefix("name = ")).skip(1).collect();
    for Format { name, .. } in FORMATS {
        let target = read(fuzz.join(format!("fuzz_targets/{name}.rs")));
        assert!(target.contains(&format!("papaver::fuzz::format(\"{name}\", data)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n")), "{name}");
    }
    let mut expected: Vec<String> = FORMATS
        .iter()
        .map(|format| format.name)
        .chain(OTHERS.iter().copied())
        .map(|name| format!("{name:?}"))
        .collect();
    targets.sort_unstable();
    expected.sort_unstable();
    assert_eq!(targets, expected);
}

test_each_format!(a_file_cut_at_any_byte, keeps_the_events_before_the_cut);

/// Whatever follows, the events of whole lines stay, and in JSON those of whole objects.
fn keeps_the_events_before_the_cut(format: &Format) {
    if !folder(format.name).is_dir() {
        return;
    }
    for (name, input) in corpus(format.name).iter().filter(|(_, input)| input.len() <= SHORT) {
        let is_json = input.starts_with(b"{") || input.starts_with(b"[{");
        let ends: &[u8] = if is_json { b"}\n" } else { b"\n" };
        let mut n_kept = 0;
        for cut in 0..=input.len() {
            let Some(trace) = read_soundly(format.name, &input[..cut]) else { continue };
            assert!(trace.n_events() >= n_kept, "{} {name} cut at {cut}: fewer than {n_kept} events", format.name);
            if input[..cut].last().is_some_and(|byte| ends.contains(byte)) {
                n_kept = trace.n_events();
            }
        }
    }
}
