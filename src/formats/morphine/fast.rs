//! Fast lines: `8: 5 [4] exit p(a, [b]) [c2]  52 ` with all numbers, and a procedure that is printed by its name only.
//!
//! They are read as [`line`](mod@super::line) would read them; every other line is left to it. Loading is 4 times faster
//! than with `line` alone: 0.084 instead of 0.337 seconds of processor time for 657,039 events in 40 MB, measured with
//! `query 'trace_info(events, N)'` on the trace of `tests/bench/readers.py`.

use super::line;
use crate::formats::lines::brackets::{self, ClosedBracket};
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::scan::Scan;
use crate::formats::mercury::vocabulary;
use crate::trace::TextSpan;

/// A fast line: its numbers, and codes of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastEventLine {
    /// Number of the event.
    pub(crate) chrono: i64,
    /// Number of the call.
    pub(crate) call: i64,
    /// Depth of the call.
    pub(crate) depth: i64,
    /// Procedure and port.
    pub(crate) key: ProcAndPort,
    /// The code of the text after the arguments.
    pub(crate) tail: u32,
    /// The arguments, as a range of the text around the line.
    pub(crate) args: TextSpan,
}

/// A procedure and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcAndPort {
    /// The code of the procedure.
    pub(crate) proc: u32,
    /// The index of the port in [`vocabulary::PORTS`].
    pub(crate) port: u32,
}

/// Different tails that are kept at most.
const MAX_TAILS: usize = 1 << 16;
/// Slots for the last lines of calls.
const RECENT: usize = 1 << 10;

/// Reads fast lines, and gives codes to their procedures and to the texts after their arguments.
pub(crate) struct FastReader {
    procs: BytesInterner,
    tails: BytesInterner,
    recent: Vec<RecentCall>,
    /// The tail and the procedure of lines whose head suffices.
    nothing: Option<(u32, u32)>,
}

/// Where the last line of a call has its name and arguments.
#[derive(Clone, Copy, Default)]
struct RecentCall {
    call: i64,
    /// The name up to the closing parenthesis.
    start: u32,
    end: u32,
    /// Where the arguments begin.
    args: u32,
    proc: u32,
}

/// A name with its arguments.
#[derive(Clone, Copy)]
struct NameAndArgs {
    proc: u32,
    args: TextSpan,
    /// Where the tail begins.
    end: usize,
}

impl FastReader {
    /// A reader without any codes.
    pub(crate) fn new() -> FastReader {
        let recent = vec![RecentCall::default(); RECENT];
        FastReader { procs: BytesInterner::default(), tails: BytesInterner::default(), recent, nothing: None }
    }

    /// Must be called before lines of another text are read.
    pub(crate) fn begin_text(&mut self) {
        self.recent.fill(RecentCall::default());
    }

    /// The name and the arity of a procedure.
    pub(crate) fn proc(&self, proc: u32) -> (&[u8], i64) {
        self.procs.entry(proc)
    }

    /// The bytes of a tail.
    pub(crate) fn tail(&self, tail: u32) -> &[u8] {
        self.tails.entry(tail).0
    }

    /// A line whose head suffices.
    pub(crate) fn head(&mut self, chrono: i64, call: i64, depth: i64, port: u32) -> FastEventLine {
        let (tail, proc) = *self.nothing.get_or_insert_with(|| (self.tails.add(b"", 0), self.procs.add(b"", 0)));
        FastEventLine { chrono, call, depth, key: ProcAndPort { proc, port }, tail, args: TextSpan::default() }
    }

    /// Reads the line of `text` from `start` to `end`; none if it is not fast.
    pub(crate) fn line(&mut self, text: &[u8], start: usize, end: usize) -> Option<FastEventLine> {
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
        Some(FastEventLine {
            chrono,
            call,
            depth,
            key: ProcAndPort { proc: called.proc, port },
            tail,
            args: called.args,
        })
    }

    /// Whether [`line`](FastReader::line) would read a line whose head ends at `start`.
    #[inline]
    pub(crate) fn is_fast(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        self.is_probably_fast(text, start, end) || self.is_fast_after_all(text, start, end)
    }

    /// The same, with false negatives: the last `)` is assumed to end the arguments.
    #[inline]
    fn is_probably_fast(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let line = &text[..end];
        let Some(name_end) = name_end(line, start) else { return false };
        let Some(length) = line[name_end..].iter().rev().position(|byte| *byte == b')') else { return false };
        let close = end - length - 1;
        line[name_end] == b'('
            && has_storable_args(line, name_end, close)
            && brackets::closes(text, name_end, close)
            && self.tails.find(text, close + 1..end, 0).is_some()
    }

    #[cold]
    fn is_fast_after_all(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let called = called(&mut self.procs, text, start, end);
        called.is_some_and(|called| self.tail_code(text, called.end, end).is_some())
    }

    /// The procedure and the arguments from `start` on, often those of the last line of the same call.
    #[inline]
    fn called(&mut self, text: &[u8], start: usize, end: usize, call: i64) -> Option<NameAndArgs> {
        let recent = &mut self.recent[call as usize % RECENT];
        let length = (recent.end - recent.start) as usize;
        let same = recent.call == call
            && recent.args > recent.start
            && start + length <= end
            && text[start..start + length] == text[recent.start as usize..recent.end as usize];
        let called = if same {
            let args = start as u32 + (recent.args - recent.start);
            let end = start + length;
            NameAndArgs { proc: recent.proc, args: TextSpan { start: args, length: end as u32 - 1 - args }, end }
        } else {
            called(&mut self.procs, text, start, end)?
        };
        // without parentheses the name cannot be reused: nothing marks its end
        let args = if called.args.length > 0 { called.args.start } else { start as u32 };
        *recent = RecentCall { call, start: start as u32, end: called.end as u32, args, proc: called.proc };
        Some(called)
    }

    #[inline]
    fn tail_code(&mut self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        if let Some(code) = self.tails.find(text, start..end, 0) {
            return Some(code);
        }
        let tail = &text[start..end];
        let is_fast = self.tails.len() < MAX_TAILS && line::tail(tail).is_some();
        is_fast.then(|| self.tails.add(tail, 0))
    }
}

/// A name that begins with a small letter, with or without arguments whose brackets match.
fn called(procs: &mut BytesInterner, text: &[u8], start: usize, end: usize) -> Option<NameAndArgs> {
    let line = &text[..end];
    let name_end = name_end(line, start)?;
    let (args, arity, end) = match line[name_end] {
        b'(' => {
            let ClosedBracket { close, commas } = brackets::matching_before(text, name_end, end)?;
            let length = close - name_end - 1;
            (TextSpan { start: name_end as u32 + 1, length: length as u32 }, i64::from(commas) + 1, close + 1)
        }
        b' ' if line.get(name_end + 1) == Some(&b'[') => (TextSpan { start: name_end as u32, length: 0 }, 0, name_end),
        _ => return None,
    };
    if arity > 0 && !has_storable_args(line, name_end, end - 1) {
        return None;
    }
    let proc = procs.find(text, start..name_end, arity);
    let proc = proc.unwrap_or_else(|| procs.add(&line[start..name_end], arity));
    Some(NameAndArgs { proc, args, end })
}

/// The end of the name at `start`; none if the line ends with it, or it does not begin with a small letter.
#[inline]
fn name_end(line: &[u8], start: usize) -> Option<usize> {
    let length = line[start..].iter().position(|byte| !line::is_word(*byte))?;
    line[start].is_ascii_lowercase().then_some(start + length)
}

/// Whether the brackets hold arguments as the trace stores them: `p()` hides them, one byte marks texts that are stored
/// otherwise, and arguments with types in braces are left to the full parser.
#[inline]
fn has_storable_args(line: &[u8], open: usize, close: usize) -> bool {
    close > open + 1 && line[open + 1] != 0x1F && !may_have_types(&line[open + 1..close])
}

/// Whether a type in braces may follow each live argument: ` {` follows one, and the last one ends with `}` or is not live.
#[inline]
fn may_have_types(args: &[u8]) -> bool {
    let follows = |brace: usize| brace > 1 && args[brace - 1] == b' ' && !b",([{|".contains(&args[brace - 2]);
    matches!(args.last(), Some(b'}' | b'-')) && memchr::memchr_iter(b'{', args).any(follows)
}

/// The number of at most 18 digits at `at`.
#[inline]
pub(crate) fn number(text: &[u8], at: usize) -> Option<i64> {
    Scan { text, at }.number()
}

#[cfg(test)]
mod tests {
    use super::super::head::HeadReader;
    use super::*;

    /// Lines that are fast, and some that are not.
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

    /// Replacements of single bytes, or insertions.
    const PIECES: &[&str] =
        &["(", ")", "[", "]", "'", "\"", " ", ",", "x", "X", "1", ":", "\t", "\u{0}", "\u{1f}", "é", ""];

    #[test]
    fn lines_that_are_said_to_be_fast_are_read() {
        let (mut random, mut n_fast, mut n_heads) = (7_usize, 0, 0);
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let mut reader = FastReader::new();
        for round in 0..40_000 {
            let mut line = LINES[next(LINES.len())].to_string();
            for _ in 0..next(4) {
                let at = next(line.len());
                let Some(byte) = line.get(at..).and_then(|rest| rest.chars().next()) else { continue };
                let end = if next(2) == 0 { at } else { at + byte.len_utf8() };
                line.replace_range(at..end, PIECES[next(PIECES.len())]);
            }
            let text = format!("{line}\n{}", &LINES[1][..next(LINES[1].len())]);
            let Some(head) = HeadReader::default().read(text.as_bytes(), 0).filter(|head| head.rest <= line.len())
            else {
                continue;
            };
            // the verdict does not depend on the lines before
            if round % 1_000 == 0 {
                reader = FastReader::new();
            }
            let is_fast = reader.is_fast(text.as_bytes(), head.rest, line.len());
            let read = FastReader::new().line(text.as_bytes(), 0, line.len());
            assert_eq!(is_fast, read.is_some(), "{line:?}");
            assert!(read.is_none_or(|read| (read.chrono, read.key.port) == (head.chrono, head.port)), "{line:?}");
            (n_fast, n_heads) = (n_fast + usize::from(is_fast), n_heads + 1);
        }
        assert!(n_fast > 10_000 && n_heads - n_fast > 10_000, "{n_fast} of {n_heads}");
    }
}
