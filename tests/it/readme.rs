//! README.md, the pages of the manual and the README of each folder: every block in them is run, and its output
//! compared.
//!
//! A block is one of: `console`, lines `$ command`, each followed by the output of the command (those that ask DuckDB
//! are run where it is installed); `prolog TRACE`, a session of lines `?- goal.`, each followed by its answers; `json`, a
//! trace that is read without faults; `LANGUAGE FILE`, an excerpt of that file; `sh`, commands that are not run, but the
//! test, script or recorder that they name must exist.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::each::test_each;
use crate::golden::{self, Golden};
use crate::shell;
use crate::support::has_duckdb;

/// Commands that only `.ci/run` runs, since they build the project.
const RUN_ELSEWHERE: &[&str] = &["cargo run --release -- examples/queens/queens.trace", "cargo test"];

struct Block {
    /// The line of the opening fence.
    line: usize,
    /// The text after the fence.
    info: String,
    text: String,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md, and all pages below these folders.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![top().join("README.md")];
    let mut folders: Vec<PathBuf> = ["src", "examples", "grammar", "tests"].map(|name| top().join(name)).into();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("a folder can be read");
        for path in entries.map(|entry| entry.expect("a folder can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).expect("a page can be read");
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some(Block { line: index + 1, info: info.to_string(), text: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of {} is not closed", page.display());
    blocks
}

/// The text of a block with the current output of the program.
fn shown(page: &Path, block: &Block) -> String {
    let place = format!("{}:{}", page.display(), block.line);
    match block.info.split_once(' ').unwrap_or((&block.info, "")) {
        ("console", "") if block.text.contains("--engine duckdb") && !has_duckdb() => {}
        ("console", "") => return console(&block.text),
        ("json", "") => assert_trace(&block.text, &place),
        ("sh", "") => block.text.lines().for_each(|line| assert!(is_known(line), "{place}: what does `{line}` name?")),
        (_, file) if is_source(file) => {
            let text = fs::read_to_string(top().join(file)).unwrap_or_default();
            assert!(text.contains(&block.text), "{place}: no such text in {file}");
        }
        ("prolog", trace) if !trace.is_empty() => {
            return golden::session(&format!("papaver {trace}"), &block.text.lines().collect::<Vec<_>>());
        }
        _ => panic!("{place}: a block `{}` cannot be run", block.info),
    }
    block.text.clone()
}

/// Whether a block shows a part of this file, and not a session on it.
fn is_source(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ["pl", "py", "rs"].iter().any(|source| ending == *source))
}

fn assert_trace(text: &str, place: &str) {
    let mut trace = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    trace.write_all(text.as_bytes()).expect("a temporary file can be written to");
    let outcome = shell::run(&format!("papaver info --strict --from jsonl '{}'", trace.path().display()));
    assert_eq!(outcome.status, Some(0), "{place}: {}", outcome.text);
}

/// Programs that run others; what follows them stands for programs of the reader.
const NOT_OURS: &[&str] = &["elixir", "erl", "erlc", "iex", "mdb", "mix", "mmc", "python3", "sh", "strace", "swipl"];

/// Whether a line `[VARIABLE=1] command ...  # what it does` names a test, a script or a recorder that exists.
fn is_known(line: &str) -> bool {
    let command = line.split("  # ").next().unwrap_or_default();
    let words: Vec<&str> = command.split_whitespace().skip_while(|word| word.contains('=')).collect();
    let has_source = |folder: &str, module: &str| {
        let path = top().join(folder).join(module.trim_end_matches("::").replace("::", "/"));
        path.is_dir() || path.with_extension("rs").is_file()
    };
    match words.as_slice() {
        ["cargo", "test", "--test", "it", module, ..] => has_source("tests/it", module),
        ["cargo", "test", "--lib", module, ..] => has_source("src", module),
        ["cargo", ..] => true,
        ["papaver", "recorder", kind, ..] => shell::run(&format!("papaver recorder {kind}")).status == Some(0),
        ["papaver", command, ..] => shell::run(&format!("papaver {command} --help")).status == Some(0),
        [program, ..] if NOT_OURS.contains(program) => true,
        [script, ..] => script.starts_with("tests/") && top().join(script).is_file(),
        [] => false,
    }
}

/// The commands of a block, each with its output.
fn console(text: &str) -> String {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    let written = |command| match RUN_ELSEWHERE.contains(&command) {
        true => String::new(),
        false => shell::run(command).text,
    };
    commands.map(|command| format!("$ {command}\n{}", written(command))).collect()
}

/// A page whose blocks have the current output of the program.
fn page(path: PathBuf) -> Golden {
    let kept = fs::read_to_string(&path).expect("a page can be read");
    let blocks = blocks(&path);
    let mut lines = kept.split_inclusive('\n');
    let (mut text, mut n_lines) = (String::new(), 0);
    for block in &blocks {
        text.extend(lines.by_ref().take(block.line - n_lines));
        text += &shown(&path, block);
        n_lines = block.line + block.text.lines().count();
        lines.by_ref().take(n_lines - block.line).for_each(drop);
    }
    text.extend(lines);
    Golden { path, text }
}

/// The folder of `src` and the name of a page; of a README, the folder that it describes.
fn key(page: &Path) -> (String, String) {
    let name = page.strip_prefix(top()).expect("it is a page of the project").with_extension("");
    let name = name.to_string_lossy();
    let parts: Vec<&str> = name.split('/').collect();
    let (folder, name) = match parts.as_slice() {
        ["README"] => ("readme", "project"),
        [.., of, "README"] => ("readme", *of),
        [_, folder, .., name] => (*folder, *name),
        _ => panic!("{} is in no folder", page.display()),
    };
    (folder.to_string(), name.to_string())
}

/// Every block of a page gives what it shows.
fn gives_what_it_shows(folder: &str, name: &str) {
    let path = pages().into_iter().find(|path| key(path) == (folder.to_string(), name.to_string()));
    golden::assert_all([page(path.expect("there is such a page"))]);
}

test_each! {
    gives_what_it_shows of pages().iter().map(|path| key(path)).collect();
    formats: chrome itf jaeger jsonl lttng mdb monpoly morphine mpd otlp posix prolog seqtrace strace visandor
        zipkin;
    manual: assertions attributes commands comparing constraints contributing cursor debugging derived
        differences engines formats lines maps monitors performance ports predicates prompt recording safety
        scripts spans sql tour viewing;
    readme: project examples grammar tests;
    recorders: erlang python rust swi;
}

#[test]
fn the_two_commands_are_those_that_ci_runs() {
    let readme: String = blocks(&top().join("README.md")).into_iter().map(|block| block.text).collect();
    let ci = fs::read_to_string(top().join(".ci/run")).expect(".ci/run can be read");
    for command in RUN_ELSEWHERE {
        assert!(readme.contains(&format!("$ {command}\n")), "README.md does not show `{command}`");
        assert!(ci.contains(command), ".ci/run does not run `{command}`");
    }
}
