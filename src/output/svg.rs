//! Trees as SVG, from left to right: a column for each depth, each node centred on its children.

use std::fmt::{Result, Write};

use super::outline::{OutlineNode, parents};

/// Width of a letter, height of a row, space between columns and around the picture, in pixels.
const LETTER: usize = 7;
const ROW: usize = 22;
const GAP: usize = 40;
const MARGIN: usize = 10;
/// Space in a box around its text.
const PADDING: usize = 5;

/// The position of a box; `y` is its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spot {
    x: usize,
    y: f64,
    width: usize,
}

/// Writes a picture of the tree; no two boxes overlap.
pub(crate) fn write_svg(out: &mut impl Write, nodes: &[OutlineNode]) -> Result {
    let parents = parents(nodes);
    let spots = spots(nodes, &parents);
    let right = spots.iter().map(|spot| spot.x + spot.width).max().unwrap_or(0);
    let bottom = spots.iter().map(|spot| spot.y).fold(0.0, f64::max);
    let (width, height) = (right + MARGIN, bottom + (ROW / 2 + MARGIN) as f64);
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="monospace" font-size="11">"#
    )?;
    for (spot, parent) in spots.iter().zip(&parents) {
        if let Some(parent) = parent.and_then(|parent| spots.get(parent)) {
            write_line(out, parent, spot)?;
        }
    }
    for (spot, node) in spots.iter().zip(nodes) {
        write_box(out, spot, &node.label)?;
    }
    out.write_str("</svg>\n")
}

/// The positions of all boxes: each leaf has a row of its own, in order; any other node lies midway between its first
/// and last child.
fn spots(nodes: &[OutlineNode], parents: &[Option<usize>]) -> Vec<Spot> {
    let columns = columns(nodes);
    let mut reach: Vec<Option<(f64, f64)>> = vec![None; nodes.len()];
    let n_rows = (0..nodes.len()).filter(|node| is_leaf(nodes, *node)).count();
    let mut row = n_rows;
    let mut spots = vec![Spot::default(); nodes.len()];
    for index in (0..nodes.len()).rev() {
        let y = match reach[index] {
            Some((first, last)) => (first + last) / 2.0,
            None => {
                row -= 1;
                (MARGIN + row * ROW + ROW / 2) as f64
            }
        };
        if let Some(parent) = parents[index] {
            reach[parent] = Some((y, reach[parent].map_or(y, |(_, last)| last)));
        }
        spots[index] = Spot { x: columns[nodes[index].depth], y, width: width(&nodes[index].label) };
    }
    spots
}

fn is_leaf(nodes: &[OutlineNode], index: usize) -> bool {
    nodes.get(index + 1).is_none_or(|next| next.depth <= nodes[index].depth)
}

fn width(label: &str) -> usize {
    label.chars().count() * LETTER + 2 * PADDING
}

/// The left edge of the column of each depth.
fn columns(nodes: &[OutlineNode]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for node in nodes {
        widths.resize(widths.len().max(node.depth + 1), 0);
        widths[node.depth] = widths[node.depth].max(width(&node.label));
    }
    let mut next = MARGIN;
    let mut columns = Vec::with_capacity(widths.len());
    for width in widths {
        columns.push(next);
        next += width + GAP;
    }
    columns
}

fn write_line(out: &mut impl Write, from: &Spot, to: &Spot) -> Result {
    let (x1, x2) = (from.x + from.width, to.x);
    writeln!(out, r##"<path d="M{x1},{} L{},{y} H{x2}" fill="none" stroke="#888"/>"##, from.y, x2 - GAP / 4, y = to.y)
}

fn write_box(out: &mut impl Write, spot: &Spot, label: &str) -> Result {
    let Spot { x, y, width } = *spot;
    let (top, height) = (y - (ROW / 2 - 2) as f64, ROW - 4);
    writeln!(
        out,
        r##"<rect x="{x}" y="{top}" width="{width}" height="{height}" rx="3" fill="#f4f4f4" stroke="#444"/>"##
    )?;
    writeln!(out, r#"<text x="{}" y="{}">{}</text>"#, x + PADDING, y + 4.0, Escaped(label))
}

/// A text with the characters of markup escaped and control characters removed.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> Result {
        for letter in self.0.chars() {
            match letter {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                letter if letter.is_control() => {}
                letter => out.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(nodes: &[(usize, &str)]) -> Vec<OutlineNode> {
        nodes.iter().map(|(depth, label)| OutlineNode { depth: *depth, label: (*label).to_string() }).collect()
    }

    #[test]
    fn a_node_stands_in_the_middle_of_its_children_and_no_two_overlap() {
        let nodes = tree(&[(0, "a"), (1, "bb"), (2, "c"), (2, "d"), (1, "e")]);
        let spots = spots(&nodes, &parents(&nodes));
        let middle = |one: usize, other: usize| (spots[one].y + spots[other].y) / 2.0;
        assert_eq!(spots[1].y, middle(2, 3));
        assert_eq!(spots[0].y, middle(1, 4));
        for one in 0..spots.len() {
            for other in 0..one {
                let apart_down = (spots[one].y - spots[other].y).abs() >= ROW as f64;
                assert!(spots[one].x != spots[other].x || apart_down, "{one} {other}");
            }
        }
        assert!(spots[1].x >= spots[0].x + spots[0].width && spots[2].x >= spots[1].x + spots[1].width);
    }

    #[test]
    fn markup_in_labels_is_escaped() {
        let mut text = String::new();
        write_svg(&mut text, &tree(&[(0, "a<b & c")])).unwrap();
        assert!(text.contains(">a&lt;b &amp; c</text>"), "{text}");
    }
}
