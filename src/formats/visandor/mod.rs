//! The `visandor` format: events of and-parallel and or-parallel Prolog, six numbers a line, as VisAndOr draws them.

mod agents;
mod columns;
mod events;
mod kinds;
mod line;
mod nodes;
mod run;

use super::Format;
use super::lines::{Ending, Lines};
use crate::trace::{PortSet, TraceBuilder};
use kinds::{Kind, PORTS, Side};
use line::{Content, Numbers};
use run::Run;

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "visandor",
    doc: "events of and-parallel and or-parallel Prolog, as VisAndOr draws them",
    sample: "    7827 2 6FFDEBE1 1 6F7C23E8 1 ",
    missing: "no line of six numbers with a known event code like `15 1 6FFDEBE1 2 6FFDEBE0 0`",
    rule: "V2",
    ports: PortSet::Closed(PORTS),
    sniff,
    read,
    excerpt: None,
};

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
    let known = |content| matches!(content, Content::Event(Numbers { code, .. }) if Kind::of(code).is_some());
    lines.filter(|line| line::content(line).is_ok_and(known)).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut run = Run::new(builder);
    while let Some(line) = lines.next_line() {
        if line.ending == Ending::TooLong {
            let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
            run.reject(line.number, FORMAT.rule, message);
            continue;
        }
        run.line(line.bytes, line.number);
    }
    run.finish();
}

/// What the first line says: that of an and-parallel or of an or-parallel execution.
fn flag(line: &[u8]) -> Option<Side> {
    match line::without_comment(line) {
        b"0" => Some(Side::And),
        b"1" => Some(Side::Or),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
