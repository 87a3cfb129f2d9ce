//! Graphs in the language of Graphviz.

use std::fmt::{Result, Write};

/// An arrow of a graph between nodes, which are known by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What stands beside it, if anything.
    pub label: Option<String>,
}

/// Writes nodes, each by its label, and the arrows between them as a `digraph`.
pub fn write_dot(out: &mut impl Write, nodes: &[String], arrows: &[Arrow]) -> Result {
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

/// A text in double quotes, with backslashes before what would end it or mean something else.
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
