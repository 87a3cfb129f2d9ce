//! How long the programs of `tests/bench/programs` take in papaver, at their middle size: `cargo bench`.

use std::fs;
use std::path::{Path, PathBuf};

use papaver::{Options, Session};

fn main() {
    divan::main();
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/programs")
}

/// The names of all programs.
fn programs() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the programs are part of the project");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut names: Vec<String> =
        paths.filter_map(|path| path.file_stem().map(|name| name.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// The number behind `% middle` in a program.
fn middle_size(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("% middle ")).expect("every program has a middle size");
    line.split(':').next().and_then(|size| size.parse().ok()).expect("a size is a number")
}

/// A session that has read the program, which does not start by itself.
fn session(text: &str) -> Session {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("program.pl");
    let quiet: Vec<&str> = text.lines().filter(|line| *line != ":- initialization(main).").collect();
    fs::write(&path, quiet.join("\n")).expect("a temporary folder can be written to");
    let mut session = Session::new(Options::default());
    let warnings = session.read_script(&path).expect("programs have no directive that stops them");
    assert!(warnings.is_empty(), "programs are free of warnings");
    session
}

#[divan::bench(args = programs(), sample_count = 10, sample_size = 1)]
fn program(bencher: divan::Bencher, name: &str) {
    let text = fs::read_to_string(folder().join(format!("{name}.pl"))).expect("the programs can be read");
    let mut session = session(&text);
    let goal = format!("run({}, _)", middle_size(&text));
    bencher.bench_local(|| {
        let answer = session.ask(&goal).expect("the goal is well-formed").next();
        assert!(matches!(answer, Some(Ok(_))), "{name} has an answer");
    });
}
