//! The examples: the command `% $ papaver ...` in the first lines of a file gives the `.out` or `.svg` file beside it.
//!
//! The line after a command states its exit status unless that is 0: `%   status 1`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::each::test_each;
use crate::golden::{self, Golden};
use crate::shell;

struct Example {
    path: PathBuf,
    command: String,
    status: i32,
}

/// The command in the comment at the head of a file.
fn example(path: &Path) -> Option<Example> {
    let text = fs::read_to_string(path).ok()?;
    let mut head = text.lines().take_while(|line| line.starts_with('%'));
    let command = head.find_map(|line| line.strip_prefix("% $ "))?.to_string();
    let status = head.next().and_then(|line| line.strip_prefix("%   status "));
    let status = status.map_or(0, |number| number.parse().expect("a status is a number"));
    Some(Example { path: path.to_path_buf(), command, status })
}

fn files_of_examples() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = list(&top).flat_map(|folder| list(&folder).collect::<Vec<_>>()).collect();
    files.sort();
    files
}

/// The output beside an example: a picture if there is one.
fn beside(path: &Path) -> PathBuf {
    let picture = path.with_extension("svg");
    if picture.is_file() { picture } else { path.with_extension("out") }
}

/// The file beside an example, with the current output of its command.
fn output(example: &Example) -> Golden {
    let outcome = shell::run(&example.command);
    let (path, status) = (example.path.display(), example.status);
    assert_eq!(
        outcome.status,
        Some(status),
        "{path}: the status of `{}`, which wrote\n{}",
        example.command,
        outcome.text
    );
    Golden { path: beside(&example.path), text: outcome.text }
}

/// The folder and the name of a file.
fn key(path: &Path) -> (String, String) {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    (text(path.parent().and_then(Path::file_name)), text(path.file_stem()))
}

/// An example gives what stands beside it.
fn gives_its_output(folder: &str, name: &str) {
    let is_named = |example: &Example| key(&example.path) == (folder.to_string(), name.to_string());
    let example = files_of_examples().iter().filter_map(|path| example(path)).find(is_named);
    golden::assert_all([output(&example.expect("there is such an example"))]);
}

test_each! {
    gives_its_output of files_of_examples().iter().filter_map(|path| Some(key(&example(path)?.path))).collect();
    chrome: race;
    compare: parted;
    debug: isort;
    derived: files goals meetings requests;
    erlang: deadlock;
    itf: backwards;
    monitors: boards coverage lines proof solutions;
    overflow: hidden rules;
    parallel: time;
    philosophers: deadlock forks;
    python: parted;
    qsort: figure partitions rules;
    queens: assertions boards choices procs proof requirements rules walk;
    recorded_prolog: wrong_answer;
    seqtrace: caused rules;
    spans: pipeline queries run tools;
    strace: idle;
    tracer: wrong_answer;
}

#[test]
fn every_script_and_every_output_belongs_to_an_example() {
    for path in files_of_examples() {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("pl" | "goals") => assert!(example(&path).is_some(), "{} has no command", path.display()),
            Some("out" | "svg") if !crate::view::is_picture(&path) => {
                let has_source = ["pl", "goals", "py"].iter().any(|ending| path.with_extension(ending).is_file());
                assert!(has_source, "{} belongs to no example", path.display());
            }
            _ => {}
        }
    }
}
