//! Arguments as strace prints them, as texts of terms: `O_RDONLY|O_CLOEXEC` is `['O_RDONLY', 'O_CLOEXEC']`.
//!
//! An argument is read into a flat tree, which is then written; neither step recurses, as arguments may nest deeply.

use std::fmt::Write;

use super::arguments::{after_comment, after_path, after_string, arguments};
use crate::formats::lines::text;
use crate::term::letters::{atom_text, write_quoted};

/// Writes arguments, separated by commas, as terms.
#[derive(Default)]
pub(crate) struct TermWriter {
    nodes: Vec<TermNode>,
    operands: Vec<NodeId>,
    pending: Vec<PendingOp>,
}

/// The place of a node in the tree.
type NodeId = u32;

/// A term, whose parts are nodes before it.
#[derive(Clone, Debug)]
enum TermNode {
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
enum GroupKind {
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
enum InfixOp {
    /// `A => B`: the value before and after.
    Becomes,
    Equals,
    Times,
    Shift,
    Plus,
    Minus,
}

/// What waits for the operand after it.
#[derive(Clone, Debug)]
enum PendingOp {
    /// A group whose parts are the operands from there on.
    Group {
        kind: GroupKind,
        first: usize,
    },
    Flags(Vec<NodeId>),
    Infix(InfixOp, NodeId),
}

impl TermWriter {
    /// Writes the arguments of a call, as they stand between its brackets.
    pub(crate) fn write(&mut self, raw: &[u8], out: &mut String) {
        for (index, argument) in arguments(raw).enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            let argument = text::visible(argument);
            match self.read(&argument) {
                Some(root) => self.write_tree(&argument, root, out),
                None => out.push_str(&quoted(&argument)),
            }
        }
    }

    /// Reads an argument; none if it is no term.
    fn read(&mut self, text: &str) -> Option<NodeId> {
        self.nodes.clear();
        self.operands.clear();
        self.pending.clear();
        self.pending.push(PendingOp::Group { kind: GroupKind::Whole, first: 0 });
        let mut at = 0;
        loop {
            at = self.operand(text, at)?;
            // an operand stands before `at`, and closes as many groups as end there
            loop {
                at = skip_blanks(text, at);
                match self.after_operand(text, at)? {
                    AfterOperand::Operand(next) => {
                        at = next;
                        break;
                    }
                    AfterOperand::Closed(next) => at = next,
                    AfterOperand::End(root) => return Some(root),
                }
            }
        }
    }

    fn node(&mut self, node: TermNode) -> Option<NodeId> {
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).ok()
    }

    fn push(&mut self, node: TermNode) -> Option<()> {
        let id = self.node(node)?;
        self.operands.push(id);
        Some(())
    }

    /// Reads opening brackets and the operand after them; returns the position after it.
    fn operand(&mut self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            at = skip_blanks(text, at);
            let rest = &bytes[at..];
            let (kind, length) = match rest {
                [b'~', b'[', ..] => (GroupKind::Complement, 2),
                [b'[', ..] => (GroupKind::List, 1),
                [b'{', ..] => (GroupKind::Struct, 1),
                [b'&', ..] => {
                    at += 1;
                    continue;
                }
                _ => match self.simple(text, at)? {
                    SimpleOperand::Whole(next) => return Some(next),
                    SimpleOperand::Compound(start, end) => (GroupKind::Compound { start, end }, end + 1 - at),
                },
            };
            at = skip_blanks(text, at + length);
            let first = self.operands.len();
            self.pending.push(PendingOp::Group { kind, first });
            if bytes.get(at) == Some(&closing(kind)) {
                return self.close(text, at + 1);
            }
        }
    }

    /// Reads a string, a number or a name.
    fn simple(&mut self, text: &str, at: usize) -> Option<SimpleOperand> {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"...") {
            self.push(TermNode::Name { start: at, end: at + 3 })?;
            return Some(SimpleOperand::Whole(at + 3));
        }
        if rest.starts_with(b"\"") || rest.starts_with(b"@\"") {
            return self.string(text, at).map(SimpleOperand::Whole);
        }
        if let Some(end) = number_end(text.as_bytes(), at) {
            self.push(TermNode::Number { start: at, end })?;
            return self.path(text, end).map(SimpleOperand::Whole);
        }
        let end = name_end(text, at)?;
        if text.as_bytes().get(end) == Some(&b'(') {
            return Some(SimpleOperand::Compound(at, end));
        }
        self.push(TermNode::Name { start: at, end })?;
        self.path(text, end).map(SimpleOperand::Whole)
    }

    fn string(&mut self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let is_abstract = bytes[at] == b'@';
        let open = at + usize::from(is_abstract);
        let end = after_string(bytes, open);
        let is_closed =
            end > open + 1 && bytes.get(end - 1) == Some(&b'"') && !ends_in_escape(&bytes[open + 1..end - 1]);
        is_closed.then_some(())?;
        let is_cut = bytes[end..].starts_with(b"...");
        let node = self.node(TermNode::Text { start: open + 1, end: end - 1, is_cut })?;
        match is_abstract {
            true => self.push(TermNode::Group { kind: GroupKind::Abstract, parts: vec![node] })?,
            false => self.operands.push(node),
        }
        Some(end + if is_cut { 3 } else { 0 })
    }

    /// Reads the path that may follow the last operand.
    fn path(&mut self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        if bytes.get(at) != Some(&b'<') || bytes.get(at + 1) == Some(&b'<') {
            return Some(at);
        }
        let end = after_path(bytes, at);
        let is_closed = end > at + 1 && bytes.get(end - 1) == Some(&b'>');
        let of = self.operands.pop().filter(|_| is_closed)?;
        self.push(TermNode::Path { of, start: at + 1, end: end - 1 })?;
        Some(end)
    }

    /// Makes the innermost group an operand; `at` is the position after its closing bracket.
    fn close(&mut self, text: &str, at: usize) -> Option<usize> {
        let Some(PendingOp::Group { kind, first }) = self.pending.pop() else { return None };
        let parts = self.operands.split_off(first);
        self.push(TermNode::Group { kind, parts })?;
        match kind {
            GroupKind::List => self.path(text, at),
            _ => Some(at),
        }
    }

    /// Reads what follows an operand.
    fn after_operand(&mut self, text: &str, at: usize) -> Option<AfterOperand> {
        let rest = &text.as_bytes()[at..];
        let operand = *self.operands.last()?;
        if let Some((op, length)) = self.binary(text, at, operand) {
            self.operands.pop();
            self.pending.push(PendingOp::Infix(op, operand));
            return Some(AfterOperand::Operand(at + length));
        }
        self.reduce(|op| matches!(op, InfixOp::Times | InfixOp::Shift | InfixOp::Plus | InfixOp::Minus))?;
        if rest.first() == Some(&b'|') {
            let operand = self.operands.pop()?;
            match self.pending.last_mut() {
                Some(PendingOp::Flags(flags)) => flags.push(operand),
                _ => self.pending.push(PendingOp::Flags(vec![operand])),
            }
            return Some(AfterOperand::Operand(at + 1));
        }
        self.end_flags()?;
        let operand = *self.operands.last()?;
        let is_name = matches!(self.nodes.get(operand as usize), Some(TermNode::Name { .. }));
        let op = match rest {
            [b'=', b'>', ..] => Some((InfixOp::Becomes, 2)),
            [b'=', b'=', ..] | [b'&', b'&', ..] => return None,
            [b'=', ..] if is_name => Some((InfixOp::Equals, 1)),
            _ => None,
        };
        if let Some((op, length)) = op {
            self.operands.pop();
            self.pending.push(PendingOp::Infix(op, operand));
            return Some(AfterOperand::Operand(at + length));
        }
        self.reduce(|_| true)?;
        self.end_of_part(text, at)
    }

    /// The operator of arithmetic at a position, and its length.
    fn binary(&self, text: &str, at: usize, operand: NodeId) -> Option<(InfixOp, usize)> {
        let bytes = text.as_bytes();
        let may_lose = || {
            let is_simple =
                matches!(self.nodes.get(operand as usize), Some(TermNode::Number { .. } | TermNode::Name { .. }));
            is_simple && at > 0 && bytes[at - 1] != b' '
        };
        match &bytes[at..] {
            [b'*', ..] => Some((InfixOp::Times, 1)),
            [b'<', b'<', ..] => Some((InfixOp::Shift, 2)),
            [b'+', ..] => Some((InfixOp::Plus, 1)),
            [b'-', ..] if may_lose() => Some((InfixOp::Minus, 1)),
            _ => None,
        }
    }

    /// Applies the pending operators that `applies` chooses to the last operand.
    fn reduce(&mut self, applies: impl Fn(InfixOp) -> bool) -> Option<()> {
        while let Some(PendingOp::Infix(op, left)) = self.pending.last().filter(|pending| pending.is_infix(&applies)) {
            let (op, left) = (*op, *left);
            self.pending.pop();
            let right = self.operands.pop()?;
            self.push(TermNode::Infix { op, left, right })?;
        }
        Some(())
    }

    fn end_flags(&mut self) -> Option<()> {
        if let Some(PendingOp::Flags(_)) = self.pending.last()
            && let Some(PendingOp::Flags(mut parts)) = self.pending.pop()
        {
            parts.push(self.operands.pop()?);
            self.push(TermNode::Group { kind: GroupKind::Flags, parts })?;
        }
        Some(())
    }

    /// Reads the comma or the bracket after a part of a group. In a set of signals, parts are separated by blanks only.
    fn end_of_part(&mut self, text: &str, at: usize) -> Option<AfterOperand> {
        let Some(PendingOp::Group { kind, first }) = self.pending.last().cloned() else { return None };
        let next = text.as_bytes().get(at);
        match (kind, next) {
            (GroupKind::Whole, None) => {
                let is_one = self.operands.len() == first + 1;
                self.operands.pop().filter(|_| is_one).map(AfterOperand::End)
            }
            (_, None) => None,
            (_, Some(byte)) if *byte == closing(kind) => self.close(text, at + 1).map(AfterOperand::Closed),
            (_, Some(b',')) => Some(AfterOperand::Operand(at + 1)),
            (GroupKind::List | GroupKind::Complement, Some(_)) => Some(AfterOperand::Operand(at)),
            _ => None,
        }
    }

    /// Writes a tree.
    fn write_tree(&self, text: &str, root: NodeId, out: &mut String) {
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
        let Some(node) = self.nodes.get(id as usize) else { return };
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
        match self.nodes.get(id as usize) {
            Some(TermNode::Infix { op: inner, .. }) => {
                op == InfixOp::Equals && !matches!(inner, InfixOp::Equals | InfixOp::Becomes)
            }
            Some(TermNode::Number { start, .. }) => op == InfixOp::Equals || !text[*start..].starts_with('-'),
            _ => true,
        }
    }
}

/// An operand without brackets.
enum SimpleOperand {
    /// It ends before this position.
    Whole(usize),
    /// The name of a compound, up to its bracket.
    Compound(usize, usize),
}

/// What was read after an operand, and where the rest begins.
enum AfterOperand {
    /// An operator or a comma, so that an operand follows.
    Operand(usize),
    /// A closing bracket, so that the group is an operand.
    Closed(usize),
    /// The end of the argument.
    End(NodeId),
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
}

/// The bracket that ends a group.
fn closing(kind: GroupKind) -> u8 {
    match kind {
        GroupKind::List | GroupKind::Complement => b']',
        GroupKind::Struct => b'}',
        GroupKind::Compound { .. } => b')',
        // these have no brackets
        GroupKind::Whole | GroupKind::Abstract | GroupKind::Flags => 0,
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

impl PendingOp {
    fn is_infix(&self, applies: impl Fn(InfixOp) -> bool) -> bool {
        matches!(self, PendingOp::Infix(op, _) if applies(*op))
    }
}

/// The position after blanks and comments.
fn skip_blanks(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            Some(b' ') => at += 1,
            Some(b'/') => match after_comment(bytes, at) {
                Some(end) => at = end,
                None => return at,
            },
            _ => return at,
        }
    }
}

/// The end of the number at a position: `-?(0x[0-9a-fA-F]+|\d+)`, no letter after it.
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes.get(at) == Some(&b'-'));
    let digits = |from: usize, is_digit: fn(&u8) -> bool| {
        from + bytes.get(from..).unwrap_or_default().iter().take_while(|byte| is_digit(byte)).count()
    };
    let is_hex = bytes.get(start..).is_some_and(|rest| rest.starts_with(b"0x"));
    let hex_end = digits(start + 2, u8::is_ascii_hexdigit);
    let end = if is_hex && hex_end > start + 2 { hex_end } else { digits(start, u8::is_ascii_digit) };
    let is_ended = !bytes.get(end).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    (end > start && is_ended).then_some(end)
}

/// The end of the name at a position: `[A-Za-z_?][\w?.]*`.
fn name_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    rest.chars().next().filter(|first| first.is_ascii_alphabetic() || matches!(first, '_' | '?'))?;
    let is_part = |part: char| part.is_alphanumeric() || matches!(part, '_' | '?' | '.');
    Some(at + rest.find(|part| !is_part(part)).unwrap_or(rest.len()))
}

/// Whether a text ends in the middle of an escape.
fn ends_in_escape(text: &[u8]) -> bool {
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
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
        true => write_string(&unescaped(inner), out),
        false => write_string(inner, out),
    }
    out.push_str(if is_cut { ")" } else { "" });
}

/// The characters of a string whose escapes are those of C; byte b is the character with the code b.
fn unescaped(inner: &str) -> String {
    let mut characters = inner.chars().peekable();
    let mut text = String::with_capacity(inner.len());
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let Some(escape) = characters.next() else { break };
        let mut number = |first: u32, radix: u32, most: usize| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = characters.peek().and_then(|digit| digit.to_digit(radix)) else { break };
                value = value * radix + digit;
                characters.next();
            }
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        text.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'x' => number(0, 16, 2),
            '0'..='7' => number(escape.to_digit(8).unwrap_or(0), 8, 2),
            other => other,
        });
    }
    text
}

/// Writes a text as a string of the language.
fn write_string(text: &str, out: &mut String) {
    write_quoted(out, text, '"').expect("writing to a string cannot fail");
}

/// A text that is no term, as an atom.
fn quoted(text: &str) -> String {
    atom_text(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(raw: &str) -> String {
        let mut out = String::new();
        TermWriter::default().write(raw.as_bytes(), &mut out);
        out
    }

    #[test]
    fn each_kind_of_argument_is_a_term() {
        for (raw, expected) in [
            ("12, -1, 0640, 0x7f, 0", "12, -1, 416, 127, 0"),
            ("0xffffffffffffffff", "18446744073709551615"),
            (r#""ab\n", "x"..., """#, r#""ab\n", cut("x"), """#),
            ("NULL, O_RDONLY, SIGCHLD, lower", "'NULL', 'O_RDONLY', 'SIGCHLD', lower"),
            ("A|B|0x10, S_IFREG|0644", "['A', 'B', 16], ['S_IFREG', 420]"),
            ("[a, b], [INT TERM], [], ~[INT], ~[]", "[a, b], ['INT', 'TERM'], [], not(['INT']), not([])"),
            ("{k=v, 0, ...}, {}", "struct([k=v, 0, '...']), struct([])"),
            ("3</path>, AT_FDCWD</d>, 4<socket:[9]>", r#"fd(3, "/path"), fd('AT_FDCWD', "/d"), fd(4, "socket:[9]")"#),
            ("5<TCP:[1.2.3.4:5->6.7.8.9:10]>", r#"fd(5, "TCP:[1.2.3.4:5->6.7.8.9:10]")"#),
            ("[1] => [2, 3], a => b", "=>([1], [2, 3]), =>(a, b)"),
            ("makedev(0x8, 0), htons(80), f()", "makedev(8, 0), htons(80), f"),
            (r#"inet_addr("1.2.3.4"), @"x""#, r#"inet_addr("1.2.3.4"), @("x")"#),
            ("8192*1024, 1<<2, 1+2, 8-1, a*b*c", "8192*1024, 1<<2, 1+2, 8-1, *(a, b*c)"),
            ("flags=A|B, k=a*b, k={a=1}", "flags=['A', 'B'], k=a*b, k=struct([a=1])"),
            ("0x7fff62c08fd8 /* 3 vars */, NULL", "140734850174936, 'NULL'"),
            ("[{WIFEXITED(s) && WEXITSTATUS(s) == 0}]", "'[{WIFEXITED(s) && WEXITSTATUS(s) == 0}]'"),
            ("&sigset, ?, 09, 12ab", "sigset, '?', 09, '12ab'"),
            (r#"k="a, b)", [3<a>, 4]<x>"#, r#"k="a, b)", fd([fd(3, "a"), 4], "x")"#),
            ("{st_mode=S_IFREG|0644, st_size=41859, ...}", "struct([st_mode=['S_IFREG', 420], st_size=41859, '...'])"),
            ("is=1, a=b=c", "is=1, =(a, b=c)"),
        ] {
            assert_eq!(terms(raw), expected, "{raw}");
        }
    }

    #[test]
    fn bytes_of_strings_are_characters() {
        assert_eq!(unescaped(r#"\177ELF\2\1\0\x41\377\"\\\0019\e"#), "\u{7f}ELF\u{2}\u{1}\0A\u{ff}\"\\\u{1}9e");
    }

    #[test]
    fn what_is_no_term_stays_a_text() {
        for raw in ["(", "a b", "{a", "a,b=", "=", "\"open", "3</a", "[1,]", "-", "a|", "~", "@a", "k=1=2"] {
            let written = terms(raw);
            assert!(!written.is_empty(), "{raw}");
        }
        assert_eq!(terms("a b"), "'a b'");
    }

    #[test]
    fn deep_nesting_takes_no_native_stack() {
        let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(terms(&format!("{open}{close}")).len(), 400_000);
        assert!(terms(&"a=".repeat(200_000)).starts_with('\''));
        assert!(terms(&format!("{}1", "a*".repeat(100_000))).starts_with("*(a"));
    }
}
