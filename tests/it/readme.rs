//! README.md: every block of code in it is run, and gives what it shows.
//!
//! A block is one of: `console`, lines `$ command` with what the command writes under each; `prolog TRACE`, a session
//! of lines `?- goal.` with what the prompt answers under each; `prolog FILE.pl` or `python FILE.py`, an excerpt of that file.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::shell;

/// Commands that `.ci/run` runs, as they build the project.
const RUN_ELSEWHERE: &[&str] = &["cargo run --release -- examples/queens/queens.trace", "cargo test"];

struct Block {
    /// The line of the opening fence.
    line: usize,
    /// What stands behind the fence.
    info: String,
    text: String,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blocks() -> Vec<Block> {
    let text = fs::read_to_string(top().join("README.md")).expect("README.md can be read");
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
    assert!(open.is_none(), "a block of README.md is not closed");
    blocks
}

/// Splits a block at the lines that begin with `mark`: the rest of each such line, and the lines under it.
fn parts<'t>(text: &'t str, mark: &str) -> Vec<(&'t str, String)> {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(mark), parts.last_mut()) {
            (Some(command), _) => parts.push((command, String::new())),
            (None, Some((_, output))) => output.extend([line, "\n"]),
            (None, None) => panic!("a block begins with `{line}`, not with `{mark}`"),
        }
    }
    parts
}

fn fault(block: &Block) -> Option<String> {
    let place = format!("README.md:{}", block.line);
    match block.info.split_once(' ').unwrap_or((&block.info, "")) {
        ("console", "") => console(block).map(|fault| format!("{place}: {fault}")),
        ("prolog" | "python", script) if script.ends_with(".pl") || script.ends_with(".py") => {
            let text = fs::read_to_string(top().join(script)).unwrap_or_default();
            (!text.contains(&block.text)).then(|| format!("{place}: no such text in {script}"))
        }
        ("prolog", trace) if !trace.is_empty() => session(block, trace).map(|fault| format!("{place}: {fault}")),
        _ => Some(format!("{place}: a block `{}` cannot be run", block.info)),
    }
}

fn console(block: &Block) -> Option<String> {
    parts(&block.text, "$ ").into_iter().find_map(|(command, expected)| {
        if RUN_ELSEWHERE.contains(&command) {
            return (!expected.is_empty()).then(|| format!("`{command}` is not run here"));
        }
        difference(command, &shell::run(command).text, &expected)
    })
}

/// The prompt does not repeat goals that are piped to it: it writes what stands between the goals.
fn session(block: &Block, trace: &str) -> Option<String> {
    let parts = parts(&block.text, "?- ");
    let mut goals = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    for (goal, _) in &parts {
        writeln!(goals, "{goal}").expect("a temporary file can be written to");
    }
    let expected: String = parts.into_iter().map(|(_, output)| output).collect();
    let command = format!("papaver {trace} < '{}'", goals.path().display());
    difference(&command, &shell::run(&command).text, &expected)
}

fn difference(command: &str, found: &str, expected: &str) -> Option<String> {
    (found != expected).then(|| format!("`{command}`: {}", shell::first_difference(found, expected)))
}

#[test]
fn every_block_gives_what_it_shows() {
    let blocks = blocks();
    assert!(blocks.len() > 5, "README.md has only {} blocks", blocks.len());
    let faults: Vec<String> = blocks.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_two_commands_are_those_that_ci_runs() {
    let readme: String = blocks().into_iter().map(|block| block.text).collect();
    let ci = fs::read_to_string(top().join(".ci/run")).expect(".ci/run can be read");
    for command in RUN_ELSEWHERE {
        assert!(readme.contains(&format!("$ {command}\n")), "README.md does not show `{command}`");
        assert!(ci.contains(command), ".ci/run does not run `{command}`");
    }
}
