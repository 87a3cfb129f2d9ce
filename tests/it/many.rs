//! Commands with thousands of traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{data, papaver, stdout};

/// A folder with copies of a trace: `0000.trace`, `0001.trace`, ...
fn copies(n_copies: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for number in 0..n_copies {
        fs::copy(data("qsort.trace"), name(folder.path(), number)).expect("a temporary folder can be written to");
    }
    folder
}

fn name(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number:04}.trace"))
}

fn query(options: &[&str], folder: &Path, n_traces: usize) -> String {
    let mut command = papaver();
    command.arg("query").args(options).args((0..n_traces).map(|number| name(folder, number)));
    stdout(&mut command, 0)
}

#[test]
fn each_trace_is_answered_with_its_name_in_the_order_of_the_command_line() {
    let folder = copies(300);
    let text = query(&["event([port=exit])", "--count"], folder.path(), 300);
    let expected = |number| format!("{}:21\n", name(folder.path(), number).display());
    assert_eq!(text, (0..300).map(expected).collect::<String>());
}

#[test]
fn a_trace_and_an_answer_among_thousands_cost_what_they_cost_alone() {
    let folder = copies(1600);
    let options = ["event([chrono=C])", "-n", "20", "--to", "json"];
    let time = |n_traces| {
        let start = Instant::now();
        assert_eq!(query(&options, folder.path(), n_traces).lines().count(), n_traces * 20);
        start.elapsed()
    };
    let few = (0..3).map(|_| time(100)).min().unwrap_or(Duration::MAX);
    let many = time(1600);
    assert!(many < few * 16 * 3, "100 traces take {few:?}, 1600 take {many:?}");
}
