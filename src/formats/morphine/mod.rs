//! The `morphine` format: event lines as Morphine prints them, with any of its display flags off.

mod append;
mod chunk;
mod events;
mod excerpt;
mod fast;
mod head;
pub(crate) mod line;
mod line_filter;
mod rules;

use super::lines::{Attached, Lines, read_ahead};
use super::mercury::local_vars;
use super::{Follow, Format};
use crate::formats::lines::split_lines;
use crate::trace::{PortSet, TraceBuilder};
use append::{ChunkAppender, ThreadCodes, WantedColumns};
use chunk::ChunkLines;
use events::{EventReader, GoalPaths};
use rules::LineLayout;

pub(crate) use super::mercury::PORTS;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "morphine",
    doc: "event lines as Morphine prints them, with any of its display flags",
    sample: "  8:    5 [4] disj qdelete(-, [1, 2], -) [c2, d1]  52 ",
    missing: "no line like `8: 5 [4] exit p(a) []`",
    rule: "L1",
    ports: PortSet::Closed(PORTS),
    sniff,
    read,
    excerpt: Some(excerpt::read),
    follow: Follow::Lines,
    ..Format::PLAIN
};

/// Lines that stay with the event above them.
const ATTACHED: Attached = Attached::Below { heading: local_vars::HEADING, indent: local_vars::INDENT };

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    let lines = split_lines(head);
    lines.filter(|line| line::parse(line).is_ok_and(|event| event.port.is_some())).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let layout = LineLayout::of(lines.sample());
    let plain = if layout.has_types { FastPath::Off } else { FastPath::On };
    read_as(plain, layout, lines, builder);
}

fn read_as(plain: FastPath, layout: LineLayout, lines: &mut Lines, builder: &mut TraceBuilder) {
    if plain == FastPath::On && read_ahead::n_threads(lines) > 1 {
        lines.file.take().into_iter().for_each(|file| builder.leave_texts_in(file));
    }
    let reader = EventReader { layout, builder, paths: GoalPaths::default() };
    let mut merge = ChunkAppender { reader, n_lines: 0, columns: WantedColumns::ALL };
    let parse = |text: &[u8], (batch, words): &mut (ChunkLines, ThreadCodes)| match plain {
        FastPath::On => batch.read(text, &mut words.reader),
        FastPath::Off => batch.leave_whole(text),
    };
    read_ahead::read(lines, Some(ATTACHED), parse, |chunk, (batch, words)| merge.chunk(chunk, batch, words));
    lines.count_lines(merge.n_lines);
}

/// Whether there can be plain lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FastPath {
    On,
    Off,
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
#[path = "subset_tests.rs"]
mod tests;
