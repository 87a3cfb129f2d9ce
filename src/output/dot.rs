//! Graphs in the DOT language of Graphviz.

use std::fmt::{Result, Write};

/// An arrow of a graph between two nodes, given by their indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// The node where it begins.
    pub(crate) from: usize,
    /// The node where it ends.
    pub(crate) to: usize,
    /// The label beside it, if it has one.
    pub(crate) label: Option<String>,
}

/// Writes nodes with these labels, and the arrows between them, as a `digraph`.
pub(crate) fn write_dot(out: &mut impl Write, nodes: &[String], arrows: &[Arrow]) -> Result {
    out.write_str("digraph trace {\n    node [shape=box];\n")?;
    for (index, label) in nodes.iter().enumerate() {
        writeln!(out, "    n{index} [label={}];", Quoted(label))?;
    }
    for Arrow { from, to, label } in arrows {
        write!(out, "    n{from} -> n{to}")?;
        if let Some(label) = label {
            write!(out, " [label={}]", Quoted(label))?;
        }
        out.write_str(";\n")?;
    }
    out.write_str("}\n")
}

/// A text in double quotes, with a backslash before each character that needs one.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> Result {
        out.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(out, "\\{letter}")?,
                '\n' => out.write_str("\\n")?,
                letter if letter.is_control() => out.write_char(' ')?,
                letter => out.write_char(letter)?,
            }
        }
        out.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_in_labels_are_escaped() {
        let mut text = String::new();
        let arrow = Arrow { from: 0, to: 1, label: Some("2".to_string()) };
        write_dot(&mut text, &["p(\"x\\y\")".to_string(), "q".to_string()], &[arrow]).unwrap();
        let expected = "digraph trace {\n    node [shape=box];\n    n0 [label=\"p(\\\"x\\\\y\\\")\"];\n    n1 [label=\"q\"];\n    n0 -> n1 [label=\"2\"];\n}\n";
        assert_eq!(text, expected);
    }
}
