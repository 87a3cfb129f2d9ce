//! An argument as a flat tree, and the tree as the text of a term. Nothing here recurses, as arguments may nest deeply.

use std::fmt::Write;

use crate::formats::lines::text::c_unescaped;
use crate::term::letters::{atom_text, write_quoted};

/// The place of a node in the tree.
pub(super) type NodeId = u32;

/// A term, whose parts are nodes before it.
#[derive(Clone, Debug)]
pub(super) enum TermNode {
    /// A decimal, octal or hexadecimal number, with its sign.
    Number {
        start: usize,
        end: usize,
    },
    /// The text between the quotes of a string, and whether `...` follows.
    Text {
        start: usize,
        end: usize,
        is_cut: bool,
    },
    Name {
        start: usize,
        end: usize,
    },
    /// A file descriptor or the like, and the text of its path.
    Path {
        of: NodeId,
        start: usize,
        end: usize,
    },
    Group {
        kind: GroupKind,
        parts: Vec<NodeId>,
    },
    Infix {
        op: InfixOp,
        left: NodeId,
        right: NodeId,
    },
}

/// Terms with any number of parts.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupKind {
    /// The whole argument.
    Whole,
    List,
    /// `~[INT]`
    Complement,
    /// `{k=v, ...}`
    Struct,
    /// `makedev(0x8, 0)`, with the place of its name.
    Compound {
        start: usize,
        end: usize,
    },
    /// `@"x"`
    Abstract,
    /// `A|B`
    Flags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InfixOp {
    /// `A => B`: the value before and after.
    Becomes,
    Equals,
    Times,
    Shift,
    Plus,
    Minus,
}

/// The nodes of an argument.
#[derive(Default)]
pub(super) struct TermTree(Vec<TermNode>);

impl TermTree {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a node, whose parts are there already.
    pub(super) fn add(&mut self, node: TermNode) -> Option<NodeId> {
        self.0.push(node);
        u32::try_from(self.0.len() - 1).ok()
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&TermNode> {
        self.0.get(id as usize)
    }

    /// Writes the term of a node of the argument `text`.
    pub(super) fn write(&self, text: &str, root: NodeId, out: &mut String) {
        let mut stack = vec![WriteStep::Node(root)];
        while let Some(step) = stack.pop() {
            match step {
                WriteStep::Text(text) => out.push_str(text),
                WriteStep::String(start, end) => write_string(&text[start..end], out),
                WriteStep::Node(id) => self.write_node(text, id, out, &mut stack),
            }
        }
    }

    fn write_node(&self, text: &str, id: NodeId, out: &mut String, stack: &mut Vec<WriteStep>) {
        let Some(node) = self.node(id) else { return };
        match node {
            TermNode::Number { start, end } => write_number(&text[*start..*end], out),
            TermNode::Name { start, end } => write_name(&text[*start..*end], out),
            TermNode::Text { start, end, is_cut } => write_text(&text[*start..*end], *is_cut, out),
            TermNode::Path { of, start, end } => {
                out.push_str("fd(");
                let rest = [WriteStep::Text(")"), WriteStep::String(*start, *end), WriteStep::Text(", ")];
                stack.extend(rest);
                stack.push(WriteStep::Node(*of));
            }
            TermNode::Group { kind, parts } => {
                let (begin, end) = kind.brackets();
                if let GroupKind::Compound { start, end } = kind {
                    write_name(&text[*start..*end], out);
                    out.push_str(if parts.is_empty() { "" } else { "(" });
                }
                let has_none = parts.is_empty() && matches!(kind, GroupKind::Compound { .. });
                out.push_str(begin);
                stack.push(WriteStep::Text(if has_none { "" } else { end }));
                for (index, part) in parts.iter().enumerate().rev() {
                    stack.push(WriteStep::Node(*part));
                    stack.push(WriteStep::Text(if index > 0 { ", " } else { "" }));
                }
            }
            TermNode::Infix { op, left, right } => {
                let is_plain = self.is_plain(*op, text, *left) && self.is_plain(*op, text, *right);
                let (begin, between, end) = op.writing(is_plain);
                out.push_str(begin);
                stack.extend([WriteStep::Text(end), WriteStep::Node(*right), WriteStep::Text(between)]);
                stack.push(WriteStep::Node(*left));
            }
        }
    }

    /// Whether a node can be written beside an operator as it is.
    fn is_plain(&self, op: InfixOp, text: &str, id: NodeId) -> bool {
        match self.node(id) {
            Some(TermNode::Infix { op: inner, .. }) => {
                op == InfixOp::Equals && !matches!(inner, InfixOp::Equals | InfixOp::Becomes)
            }
            Some(TermNode::Number { start, .. }) => op == InfixOp::Equals || !text[*start..].starts_with('-'),
            _ => true,
        }
    }
}

/// What is still to be written.
enum WriteStep {
    Text(&'static str),
    /// A part of the argument as a string.
    String(usize, usize),
    Node(NodeId),
}

impl GroupKind {
    fn brackets(self) -> (&'static str, &'static str) {
        match self {
            GroupKind::Whole => ("", ""),
            GroupKind::List | GroupKind::Flags => ("[", "]"),
            GroupKind::Complement => ("not([", "])"),
            GroupKind::Struct => ("struct([", "])"),
            GroupKind::Compound { .. } => ("", ")"),
            GroupKind::Abstract => ("@(", ")"),
        }
    }

    /// The bracket that ends it; 0 if it has none.
    pub(super) fn closing(self) -> u8 {
        match self {
            GroupKind::List | GroupKind::Complement => b']',
            GroupKind::Struct => b'}',
            GroupKind::Compound { .. } => b')',
            GroupKind::Whole | GroupKind::Abstract | GroupKind::Flags => 0,
        }
    }
}

impl InfixOp {
    /// What is written before, between and after the operands: an operator between plain ones, or else a compound.
    fn writing(self, is_plain: bool) -> (&'static str, &'static str, &'static str) {
        match (self, is_plain) {
            (InfixOp::Becomes, _) => ("=>(", ", ", ")"),
            (InfixOp::Equals, true) => ("", "=", ""),
            (InfixOp::Equals, false) => ("=(", ", ", ")"),
            (InfixOp::Times, true) => ("", "*", ""),
            (InfixOp::Times, false) => ("*(", ", ", ")"),
            (InfixOp::Shift, true) => ("", "<<", ""),
            (InfixOp::Shift, false) => ("<<(", ", ", ")"),
            (InfixOp::Plus, true) => ("", "+", ""),
            (InfixOp::Plus, false) => ("+(", ", ", ")"),
            (InfixOp::Minus, true) => ("", "-", ""),
            (InfixOp::Minus, false) => ("-(", ", ", ")"),
        }
    }
}

/// Writes a number in decimal digits; one of many hexadecimal digits stays as it is, which is a number as well.
fn write_number(text: &str, out: &mut String) {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        i128::from_str_radix(hex, 16).ok()
    } else if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|digit| digit < b'8') {
        i128::from_str_radix(digits, 8).ok()
    } else {
        None
    };
    out.push_str(sign);
    match value {
        Some(value) => write!(out, "{value}").expect("writing to a string cannot fail"),
        None => out.push_str(digits),
    }
}

/// Writes an atom. Signs are quoted, as they would join an operator beside them.
fn write_name(name: &str, out: &mut String) {
    match name.starts_with(|first: char| first.is_alphabetic()) {
        true => out.push_str(&atom_text(name)),
        false => write_quoted(out, name, '\'').expect("writing to a string cannot fail"),
    }
}

fn write_text(inner: &str, is_cut: bool, out: &mut String) {
    out.push_str(if is_cut { "cut(" } else { "" });
    match inner.contains('\\') {
        true => write_string(&c_unescaped(inner), out),
        false => write_string(inner, out),
    }
    out.push_str(if is_cut { ")" } else { "" });
}

/// Writes a text as a string of the language.
fn write_string(text: &str, out: &mut String) {
    write_quoted(out, text, '"').expect("writing to a string cannot fail");
}
