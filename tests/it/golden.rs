//! Golden files: expected output of the program, compared by one runner.
//!
//! With `PAPAVER_UPDATE=1` in the environment the runner writes the actual output into the files; read the difference
//! before you commit it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

use crate::shell;

/// The variable that makes the runner rewrite golden files.
const UPDATE: &str = "PAPAVER_UPDATE";

/// A golden file and its actual text.
pub struct Golden {
    pub path: PathBuf,
    pub text: String,
}

/// Compares golden files with the actual texts, or rewrites them if asked; fails with all differences.
pub fn assert_all(goldens: impl IntoIterator<Item = Golden>) {
    let is_update = std::env::var_os(UPDATE).is_some_and(|value| value == "1");
    let faults: Vec<String> = goldens.into_iter().filter_map(|golden| fault(&golden, is_update)).collect();
    assert!(faults.is_empty(), "{}\n{UPDATE}=1 rewrites these files", faults.join("\n"));
}

fn fault(golden: &Golden, is_update: bool) -> Option<String> {
    let kept = fs::read_to_string(&golden.path).unwrap_or_default();
    if kept == golden.text {
        return None;
    }
    if is_update {
        fs::write(&golden.path, &golden.text).expect("a golden file can be written");
        return None;
    }
    Some(format!("{}\n{}", golden.path.display(), difference(&kept, &golden.text)))
}

/// The lines that differ, as `diff -u` writes them.
fn difference(kept: &str, found: &str) -> String {
    let input = InternedInput::new(kept, found);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.unified_diff(&BasicLineDiffPrinter(&input.interner), UnifiedDiffConfig::default(), &input).to_string()
}

/// The files of a folder of the project whose names end in `.ENDING`, in order.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

/// The beginnings of typed lines, each with the text that is typed before such a line to mark its place in the output,
/// and the text that the program writes for that mark.
const TYPED: &[(&str, &str, &str)] = &[
    ("?- ", "write(user_output, '@golden'), nl(user_output).\n", "@golden\ntrue.\n"),
    ("browser> ", "@golden\n", "no command `@golden`; `help` lists them all\n"),
];

/// The beginning of a line that continues the goal above it.
const MORE: &str = "|  ";

/// The lines of a session from the first typed line on, each with the output of `command` after it.
pub fn session(command: &str, lines: &[&str]) -> String {
    let mut typed = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mut write = |text: &str| typed.write_all(text.as_bytes()).expect("a temporary file can be written to");
    let mut turns: Vec<(String, &str)> = Vec::new();
    for line in lines {
        if let Some((mark, marking, marked)) = TYPED.iter().find(|(mark, ..)| line.starts_with(mark)) {
            write(if turns.is_empty() { "" } else { marking });
            write(&format!("{}\n", &line[mark.len()..]));
            turns.push((format!("{line}\n"), marked));
        } else if let (Some(more), Some((shown, _))) = (line.strip_prefix(MORE), turns.last_mut()) {
            write(&format!("{more}\n"));
            *shown += &format!("{line}\n");
        }
    }
    let written = shell::run(&format!("{command} < '{}'", typed.path().display())).text;
    shown(&turns, &written)
}

/// Adds the output after each typed line; the mark of a line ends the output of the line before.
fn shown(turns: &[(String, &str)], written: &str) -> String {
    let (mut text, mut rest) = (String::new(), written);
    for (index, (line, _)) in turns.iter().enumerate() {
        text += line;
        let next = turns.get(index + 1).and_then(|(_, marked)| rest.split_once(marked));
        let (here, later) = next.unwrap_or((rest, ""));
        text += &unmarked(here, index);
        rest = later;
    }
    text
}

/// The places of messages, `<stdin>:31:1`, without the marks that were typed before them.
fn unmarked(text: &str, n_marks: usize) -> String {
    let mut parts = text.split("<stdin>:");
    let mut unmarked = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (line, rest) = part.split_once(':').expect("a line number is followed by a column");
        let line: usize = line.parse().expect("a line is a number");
        unmarked += &format!("<stdin>:{}:{rest}", line - n_marks);
    }
    unmarked
}
