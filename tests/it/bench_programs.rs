//! The programs of the benchmark still work: each gives its answer at its small size.

use std::fs;
use std::path::Path;

use crate::support::{papaver, stdout};

/// Size and answer of the line `% small Size: Answer`.
fn small(text: &str) -> (&str, &str) {
    let line = text.lines().find_map(|line| line.strip_prefix("% small ")).expect("every program has a small size");
    line.split_once(": ").expect("an answer follows the size")
}

#[test]
fn every_program_has_its_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/programs");
    let mut n_programs = 0;
    for entry in fs::read_dir(folder).expect("the programs are part of the project") {
        let path = entry.expect("the folder can be read").path();
        let text = fs::read_to_string(&path).expect("programs are UTF-8");
        let (size, answer) = small(&text);
        let found = stdout(papaver().arg("run").arg(&path).write_stdin(format!("{size}.\n")), 0);
        assert_eq!(found.trim_end(), answer, "{}", path.display());
        n_programs += 1;
    }
    assert!(n_programs > 30, "found only {n_programs}");
}
