//! Terms as trees to open, in JSON: `{"text": "f(a)", "kind": "compound", "children": [..]}`.

use std::fmt::Write;
use std::sync::LazyLock;

use crate::syntax::{ReadFlags, read_goal};
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Node, NodeId, Tree};

/// How much of a term its tree has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermTreeLimit {
    /// The most nodes.
    pub(crate) nodes: usize,
    /// The most levels.
    pub(crate) depth: usize,
}

/// The most subterms in the text of a node.
const MOST_TERMS: usize = 30;

/// Texts of a trace are read with the standard operators, whatever a script declares.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// What is still to be written.
enum Work {
    Node(NodeId, usize),
    Text(&'static str),
    More(usize),
}

/// The tree of the term in a text; a text that is no term is a leaf.
pub(crate) fn term_tree(text: &str, limit: TermTreeLimit) -> String {
    let mut out = String::new();
    let read =
        if text.len() <= limit.nodes * 100 { read_goal(text, &OPERATORS, &ReadFlags::default()).ok() } else { None };
    match read {
        Some(read) => write_tree(&mut out, &read.tree, limit),
        None => write_node(&mut out, &shortened(text, limit.nodes * 10), "text"),
    }
    out
}

/// The first characters of a text.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn write_node(out: &mut String, text: &str, kind: &str) {
    let text = serde_json::to_string(text).expect("a text is JSON");
    write!(out, r#"{{"text":{text},"kind":"{kind}"}}"#).expect("a string takes all text");
}

fn write_tree(out: &mut String, tree: &Tree, limit: TermTreeLimit) {
    let style = Style { max_terms: Some(MOST_TERMS), spacing: Spacing::NextArgument, ..Style::writeq() };
    let mut work = vec![Work::Node(tree.root(), 0)];
    let mut n_left = limit.nodes;
    while let Some(next) = work.pop() {
        let (node, depth) = match next {
            Work::Text(text) => {
                out.push_str(text);
                continue;
            }
            Work::More(number) => {
                write!(out, r#","more":{number}"#).expect("a string takes all text");
                continue;
            }
            Work::Node(node, depth) => (node, depth),
        };
        n_left = n_left.saturating_sub(1);
        let text = shortened(&print::to_string(tree, node, &OPERATORS, &style), 400);
        let (kind, children) = kind_and_children(tree, node);
        write_node(out, &text, kind);
        let shown = if depth < limit.depth { children.len().min(n_left) } else { 0 };
        if children.is_empty() || shown == 0 && depth > 0 {
            continue;
        }
        out.pop();
        out.push_str(r#","children":["#);
        work.push(Work::Text("}"));
        if shown < children.len() {
            work.push(Work::More(children.len() - shown));
        }
        work.push(Work::Text("]"));
        for (index, child) in children[..shown].iter().enumerate().rev() {
            work.push(Work::Node(*child, depth + 1));
            if index > 0 {
                work.push(Work::Text(","));
            }
        }
    }
}

/// What a term is, and its parts: the elements of a list, the arguments of another compound.
fn kind_and_children(tree: &Tree, node: NodeId) -> (&'static str, Vec<NodeId>) {
    match tree.node(node) {
        Node::Var(_) => ("variable", Vec::new()),
        Node::Atom(_) => ("atom", Vec::new()),
        Node::Int(_) | Node::BigInt(_) | Node::Float(_) => ("number", Vec::new()),
        Node::Str(_) => ("string", Vec::new()),
        Node::Compound { .. } => {
            let (mut items, mut rest) = (Vec::new(), node);
            while let (Some((functor, 2)), [item, tail]) = (tree.functor(rest), tree.args(rest)) {
                if functor.as_str() != "." {
                    break;
                }
                items.push(*item);
                rest = *tail;
            }
            match items.is_empty() {
                false => ("list", items),
                true => ("compound", tree.args(node).to_vec()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: TermTreeLimit = TermTreeLimit { nodes: 100, depth: 10 };

    #[test]
    fn a_term_opens_into_its_arguments_and_a_list_into_its_elements() {
        assert_eq!(
            term_tree("f([1, X], 'A b')", LIMIT),
            concat!(
                r#"{"text":"f([1, _0], 'A b')","kind":"compound","children":[{"text":"[1, _0]","kind":"list","children":"#,
                r#"[{"text":"1","kind":"number"},{"text":"_0","kind":"variable"}]},{"text":"'A b'","kind":"atom"}]}"#
            )
        );
    }

    #[test]
    fn what_is_no_term_is_a_text_and_long_ones_are_cut() {
        assert_eq!(term_tree("a <b (", LIMIT), r#"{"text":"a <b (","kind":"text"}"#);
        let long = format!("[{}]", vec!["7"; 1000].join(","));
        let tree = term_tree(&long, TermTreeLimit { nodes: 50, depth: 3 });
        assert!(tree.ends_with(r#"],"more":951}"#), "{tree}");
        let deep = format!("{}a{}", "f(".repeat(5000), ")".repeat(5000));
        assert!(term_tree(&deep, TermTreeLimit { nodes: 100_000, depth: 20 }).len() < 20_000);
    }
}
