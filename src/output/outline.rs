//! Trees as indented text, with lines from each node to its children.

use std::fmt::{Result, Write};

/// A node of a tree in preorder: each node comes before its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineNode {
    /// The number of its ancestors.
    pub(crate) depth: usize,
    /// Its text.
    pub(crate) label: String,
}

/// Writes a line for each node:
///
/// ```text
/// main
/// ├─ data
/// └─ queen
///    └─ safe
/// ```
pub(crate) fn write_outline(out: &mut impl Write, nodes: &[OutlineNode]) -> Result {
    let is_last = last_ones(nodes);
    let mut around: Vec<bool> = Vec::new();
    for (node, is_last) in nodes.iter().zip(is_last) {
        around.truncate(node.depth.saturating_sub(1));
        for is_last in &around {
            out.write_str(if *is_last { "   " } else { "│  " })?;
        }
        if node.depth > 0 {
            out.write_str(if is_last { "└─ " } else { "├─ " })?;
            around.push(is_last);
        }
        writeln!(out, "{}", node.label)?;
    }
    Ok(())
}

/// For each node, whether it is the last child of its parent.
fn last_ones(nodes: &[OutlineNode]) -> Vec<bool> {
    let mut has_later: Vec<bool> = Vec::new();
    let mut last: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes.iter().rev() {
        has_later.resize(node.depth + 1, false);
        last.push(!std::mem::replace(&mut has_later[node.depth], true));
    }
    last.reverse();
    last
}

/// The parent of each node; none for a root.
pub(crate) fn parents(nodes: &[OutlineNode]) -> Vec<Option<usize>> {
    let mut around: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        around.truncate(node.depth);
        parents.push(around.last().copied());
        around.push(index);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(nodes: &[(usize, &str)]) -> Vec<OutlineNode> {
        nodes.iter().map(|(depth, label)| OutlineNode { depth: *depth, label: (*label).to_string() }).collect()
    }

    #[test]
    fn lines_lead_to_what_is_below_a_node() {
        let tree = nodes(&[(0, "a"), (1, "b"), (2, "c"), (2, "d"), (1, "e"), (2, "f"), (0, "g")]);
        let mut text = String::new();
        write_outline(&mut text, &tree).unwrap();
        assert_eq!(text, "a\n├─ b\n│  ├─ c\n│  └─ d\n└─ e\n   └─ f\ng\n");
    }

    #[test]
    fn parents_are_the_nodes_around() {
        let tree = nodes(&[(0, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e"), (1, "f")]);
        assert_eq!(parents(&tree), [None, Some(0), Some(1), Some(0), None, Some(4)]);
    }
}
