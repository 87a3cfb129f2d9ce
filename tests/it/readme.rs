//! README.md: every block of code in it is run, and gives what it shows.
//!
//! A block is one of: `console`, lines `$ command` with what the command writes under each; `prolog TRACE`, a session
//! of lines `?- goal.` with what the prompt answers under each; `prolog FILE.pl` or `python FILE.py`, an excerpt of that file.

use std::fs;
use std::path::Path;

use crate::golden::{self, Golden};
use crate::shell;

/// Commands that `.ci/run` runs, as they build the project.
const RUN_ELSEWHERE: &[&str] = &["cargo run --release -- examples/queens/queens.trace", "cargo test"];

struct Block {
    /// The line of the opening fence.
    line: usize,
    /// What follows the fence.
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

/// The text of a block as the program writes it now.
fn shown(block: &Block) -> String {
    let place = format!("README.md:{}", block.line);
    match block.info.split_once(' ').unwrap_or((&block.info, "")) {
        ("console", "") => console(&block.text),
        ("prolog" | "python", script) if script.ends_with(".pl") || script.ends_with(".py") => {
            let text = fs::read_to_string(top().join(script)).unwrap_or_default();
            assert!(text.contains(&block.text), "{place}: no such text in {script}");
            block.text.clone()
        }
        ("prolog", trace) if !trace.is_empty() => {
            golden::session(&format!("papaver {trace}"), &block.text.lines().collect::<Vec<_>>())
        }
        _ => panic!("{place}: a block `{}` cannot be run", block.info),
    }
}

/// The commands of a block, each with what it writes.
fn console(text: &str) -> String {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    let written = |command| match RUN_ELSEWHERE.contains(&command) {
        true => String::new(),
        false => shell::run(command).text,
    };
    commands.map(|command| format!("$ {command}\n{}", written(command))).collect()
}

#[test]
fn every_block_gives_what_it_shows() {
    let path = top().join("README.md");
    let kept = fs::read_to_string(&path).expect("README.md can be read");
    let blocks = blocks();
    assert!(blocks.len() > 5, "README.md has only {} blocks", blocks.len());
    let mut lines = kept.split_inclusive('\n');
    let (mut text, mut n_lines) = (String::new(), 0);
    for block in &blocks {
        text.extend(lines.by_ref().take(block.line - n_lines));
        text += &shown(block);
        n_lines = block.line + block.text.lines().count();
        lines.by_ref().take(n_lines - block.line).for_each(drop);
    }
    text.extend(lines);
    golden::assert_all([Golden { path, text }]);
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
