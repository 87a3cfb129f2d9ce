//! Arguments as strace prints them, as texts of terms: `O_RDONLY|O_CLOEXEC` is `['O_RDONLY', 'O_CLOEXEC']`.
//!
//! An argument is read into a flat tree, which is then written; neither step recurses, as arguments may nest deeply.

use super::arguments::{after_comment, after_path, after_string, arguments};
use super::term_tree::{GroupKind, InfixOp, NodeId, TermNode, TermTree};
use crate::formats::lines::text;
use crate::term::letters::atom_text;

/// Writes arguments, separated by commas, as terms.
#[derive(Default)]
pub(crate) struct TermWriter {
    tree: TermTree,
    operands: Vec<NodeId>,
    pending: Vec<PendingOp>,
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
                Some(root) => self.tree.write(&argument, root, out),
                None => out.push_str(&quoted(&argument)),
            }
        }
    }

    /// Reads an argument; none if it is no term.
    fn read(&mut self, text: &str) -> Option<NodeId> {
        self.tree.clear();
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

    fn push(&mut self, node: TermNode) -> Option<()> {
        let id = self.tree.add(node)?;
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
            if bytes.get(at) == Some(&kind.closing()) {
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
        let node = self.tree.add(TermNode::Text { start: open + 1, end: end - 1, is_cut })?;
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
        let is_name = matches!(self.tree.node(operand), Some(TermNode::Name { .. }));
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
            let is_simple = matches!(self.tree.node(operand), Some(TermNode::Number { .. } | TermNode::Name { .. }));
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
            (_, Some(byte)) if *byte == kind.closing() => self.close(text, at + 1).map(AfterOperand::Closed),
            (_, Some(b',')) => Some(AfterOperand::Operand(at + 1)),
            (GroupKind::List | GroupKind::Complement, Some(_)) => Some(AfterOperand::Operand(at)),
            _ => None,
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
