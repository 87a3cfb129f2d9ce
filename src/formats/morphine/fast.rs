//! Plain event lines, read at the speed of memory: `8: 5 [4] exit p(a, [b]) [c2]  52 ` with a procedure that has no more than a name.
//!
//! What is read here is what [`line`] would read; every other line is left to it.

use super::line;
use crate::formats::lines::brackets::{self, Brackets};
use crate::formats::lines::interner::Numbered;
use crate::formats::lines::scan::Scan;
use crate::formats::mercury::vocabulary;
use crate::trace::Span;

/// A line as it was read: numbers, and codes of this reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainLine {
    /// Number of the event.
    pub chrono: i64,
    /// Number of the call.
    pub call: i64,
    /// Depth of the call.
    pub depth: i64,
    /// Procedure and port.
    pub key: LocalKey,
    /// What stands behind the arguments.
    pub tail: u32,
    /// The arguments, in the text of which the line is a part.
    pub args: Span,
}

/// A procedure and a port: the number of the procedure, and the place of the port in [`vocabulary::PORTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalKey {
    /// Index of the procedure in the order in which this reader met them.
    pub proc: u32,
    /// Index of the port.
    pub port: u32,
}

/// More different tails than this are not kept.
const MAX_TAILS: usize = 1 << 16;
/// Calls that are remembered with their last line.
const RECENT: usize = 1 << 10;

/// Reads plain lines, and numbers the procedures and the tails that it meets.
pub struct PlainReader {
    procs: Numbered,
    tails: Numbered,
    recent: Vec<Recent>,
    /// The tail and the procedure of lines of which they are not asked, once there is one.
    nothing: Option<(u32, u32)>,
}

/// Where a call and its arguments stood last.
#[derive(Clone, Copy, Default)]
struct Recent {
    call: i64,
    /// From the name to the closing parenthesis.
    start: u32,
    end: u32,
    /// Where the arguments begin.
    args: u32,
    proc: u32,
}

/// A name with its arguments.
#[derive(Clone, Copy)]
struct Called {
    proc: u32,
    args: Span,
    /// Where the tail begins.
    end: usize,
}

impl PlainReader {
    /// A reader that has not met anything.
    pub fn new() -> PlainReader {
        let recent = vec![Recent::default(); RECENT];
        PlainReader { procs: Numbered::default(), tails: Numbered::default(), recent, nothing: None }
    }

    /// Must be told before lines of another text are read.
    pub fn begin_text(&mut self) {
        self.recent.fill(Recent::default());
    }

    /// The name and the arity of a procedure.
    pub fn proc(&self, proc: u32) -> (&[u8], i64) {
        self.procs.entry(proc)
    }

    /// The bytes of a tail.
    pub fn tail(&self, tail: u32) -> &[u8] {
        self.tails.entry(tail).0
    }

    /// A line of which nothing is asked but its head.
    pub fn head(&mut self, chrono: i64, call: i64, depth: i64, port: u32) -> PlainLine {
        let (tail, proc) = *self.nothing.get_or_insert_with(|| (self.tails.add(b"", 0), self.procs.add(b"", 0)));
        PlainLine { chrono, call, depth, key: LocalKey { proc, port }, tail, args: Span::default() }
    }

    /// Reads the line of `text` from `start` to `end`; none if it is not plain.
    pub fn line(&mut self, text: &[u8], start: usize, end: usize) -> Option<PlainLine> {
        let mut scan = Scan { text, at: start };
        scan.skip_blanks();
        let chrono = scan.number()?;
        scan.skip(b":")?;
        scan.skip_blanks();
        let call = scan.number()?;
        scan.skip(b" ")?;
        scan.skip_blanks();
        scan.skip(b"[")?;
        let depth = scan.number()?;
        scan.skip(b"] ")?;
        let (port, length) = vocabulary::port_before_blank(&text[scan.at..end])?;
        let called = self.called(text, scan.at + length + 1, end, call)?;
        let tail = self.tail_code(text, called.end, end)?;
        Some(PlainLine { chrono, call, depth, key: LocalKey { proc: called.proc, port }, tail, args: called.args })
    }

    /// Whether a line whose head is plain is plain as a whole, as [`line`](PlainReader::line) would find: what follows its
    /// head stands from `start` to `end`.
    #[inline]
    pub fn is_plain(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        self.is_soon_plain(text, start, end) || self.is_plain_at_last(text, start, end)
    }

    /// The same, but it may say no of a plain line: the last `)` is taken for the one behind the arguments.
    #[inline]
    fn is_soon_plain(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let line = &text[..end];
        let Some(name_end) = name_end(line, start) else { return false };
        let Some(length) = line[name_end..].iter().rev().position(|byte| *byte == b')') else { return false };
        let close = end - length - 1;
        line[name_end] == b'('
            && has_plain_args(line, name_end, close)
            && brackets::closes(text, name_end, close)
            && self.tails.find(text, close + 1..end, 0).is_some()
    }

    #[cold]
    fn is_plain_at_last(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let called = called(&mut self.procs, text, start, end);
        called.is_some_and(|called| self.tail_code(text, called.end, end).is_some())
    }

    /// The procedure and the arguments from `start` on. They are often those of the line before of the same call.
    #[inline]
    fn called(&mut self, text: &[u8], start: usize, end: usize, call: i64) -> Option<Called> {
        let recent = &mut self.recent[call as usize % RECENT];
        let length = (recent.end - recent.start) as usize;
        let same = recent.call == call
            && recent.args > recent.start
            && start + length <= end
            && text[start..start + length] == text[recent.start as usize..recent.end as usize];
        let called = if same {
            let args = start as u32 + (recent.args - recent.start);
            let end = start + length;
            Called { proc: recent.proc, args: Span { start: args, length: end as u32 - 1 - args }, end }
        } else {
            called(&mut self.procs, text, start, end)?
        };
        // without parentheses nothing tells where the name ends
        let args = if called.args.length > 0 { called.args.start } else { start as u32 };
        *recent = Recent { call, start: start as u32, end: called.end as u32, args, proc: called.proc };
        Some(called)
    }

    #[inline]
    fn tail_code(&mut self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        if let Some(code) = self.tails.find(text, start..end, 0) {
            return Some(code);
        }
        let tail = &text[start..end];
        let is_plain = self.tails.len() < MAX_TAILS && line::tail(tail).is_some();
        is_plain.then(|| self.tails.add(tail, 0))
    }
}

/// A name in small letters, maybe with arguments that are text with matching brackets.
fn called(procs: &mut Numbered, text: &[u8], start: usize, end: usize) -> Option<Called> {
    let line = &text[..end];
    let name_end = name_end(line, start)?;
    let (args, arity, end) = match line[name_end] {
        b'(' => {
            let Brackets { close, commas } = brackets::matching_before(text, name_end, end)?;
            let length = close - name_end - 1;
            (Span { start: name_end as u32 + 1, length: length as u32 }, i64::from(commas) + 1, close + 1)
        }
        b' ' if line.get(name_end + 1) == Some(&b'[') => (Span { start: name_end as u32, length: 0 }, 0, name_end),
        _ => return None,
    };
    if arity > 0 && !has_plain_args(line, name_end, end - 1) {
        return None;
    }
    let proc = procs.find(text, start..name_end, arity);
    let proc = proc.unwrap_or_else(|| procs.add(&line[start..name_end], arity));
    Some(Called { proc, args, end })
}

/// Where the name in small letters ends that begins at `start`; none if the line ends with it, or none begins.
#[inline]
fn name_end(line: &[u8], start: usize) -> Option<usize> {
    let length = line[start..].iter().position(|byte| !line::is_word(*byte))?;
    line[start].is_ascii_lowercase().then_some(start + length)
}

/// Whether there are arguments between the brackets: `p()` hides them, one byte begins texts that are stored in another
/// way, and with a type in braces behind each they are for the other reader.
#[inline]
fn has_plain_args(line: &[u8], open: usize, close: usize) -> bool {
    close > open + 1 && line[open + 1] != 0x1F && !may_have_types(&line[open + 1..close])
}

/// Whether a type in braces may follow each argument that is live: ` {` stands behind one, and the last one ends with `}`
/// or is not live.
#[inline]
fn may_have_types(args: &[u8]) -> bool {
    let follows = |brace: usize| brace > 1 && args[brace - 1] == b' ' && !b",([{|".contains(&args[brace - 2]);
    matches!(args.last(), Some(b'}' | b'-')) && memchr::memchr_iter(b'{', args).any(follows)
}

/// The number of at most 18 digits that stands at `at`.
#[inline]
pub fn number(text: &[u8], at: usize) -> Option<i64> {
    Scan { text, at }.number()
}

#[cfg(test)]
mod tests {
    use super::super::head::Heads;
    use super::*;

    /// Lines that are plain, and some that are not.
    const LINES: &[&str] = &[
        "8: 5 [4] exit p(a, [b]) [c2]  52 ",
        "  12:    16 [12] then nodiag(1, 1, [2, 3, 4, 5]) [s2, c4, t]  66 ",
        "1: 1 [1] call main []",
        "3: 2 [2] exception q('a)', \"(\", f(g([h]))) [e, ~]  7 ",
        "1: 1 [1] switch longer_name(-, state('<<c_pointer>>'), [[], [[x]]], {y}) s1;c2; 9",
        "5: 7 [3] neg_enter p(0'(, 1) [s1]",
        "5: 7 [3] exit p(1) [] q(2) []",
        "5: 7 [3] exit f([], []) []  [ ",
    ];

    /// What single bytes are replaced by, or what is put before them.
    const PIECES: &[&str] =
        &["(", ")", "[", "]", "'", "\"", " ", ",", "x", "X", "1", ":", "\t", "\u{0}", "\u{1f}", "é", ""];

    #[test]
    fn what_is_said_to_be_plain_is_what_is_read() {
        let (mut random, mut n_plain, mut n_heads) = (7_usize, 0, 0);
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let mut reader = PlainReader::new();
        for round in 0..40_000 {
            let mut line = LINES[next(LINES.len())].to_string();
            for _ in 0..next(4) {
                let at = next(line.len());
                let Some(behind) = line.get(at..).and_then(|rest| rest.chars().next()) else { continue };
                let end = if next(2) == 0 { at } else { at + behind.len_utf8() };
                line.replace_range(at..end, PIECES[next(PIECES.len())]);
            }
            let text = format!("{line}\n{}", &LINES[1][..next(LINES[1].len())]);
            let Some(head) = Heads::default().read(text.as_bytes(), 0).filter(|head| head.rest <= line.len()) else {
                continue;
            };
            // whatever the reader has met before
            if round % 1_000 == 0 {
                reader = PlainReader::new();
            }
            let is_plain = reader.is_plain(text.as_bytes(), head.rest, line.len());
            let read = PlainReader::new().line(text.as_bytes(), 0, line.len());
            assert_eq!(is_plain, read.is_some(), "{line:?}");
            assert!(read.is_none_or(|read| (read.chrono, read.key.port) == (head.chrono, head.port)), "{line:?}");
            (n_plain, n_heads) = (n_plain + usize::from(is_plain), n_heads + 1);
        }
        assert!(n_plain > 10_000 && n_heads - n_plain > 10_000, "{n_plain} of {n_heads}");
    }
}
