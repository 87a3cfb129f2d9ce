//! Chunks of lines: heads, names, brackets and results of calls are found on all cores. Other lines are left to
//! [`line`](super::line), and what depends on the lines before to [`events`](super::events).
//!
//! ```text
//! 28883 1795364651.664734 newfstatat(3, "", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0 <0.000008>
//! 28883 1795364651.664802 read(0,  <unfinished ...>
//! 28883 1795364651.664863 <... read resumed>"\177ELF"..., 832) = 832 <0.000009>
//! ```

use std::ops::Range;

use super::arguments::{closing_bracket, ends_between_arguments};
use super::line::{
    CallEnding, LineHead, TimeStamp, int_value, is_open, name_length, short_duration, split_duration, unfinished_again,
};
use super::line_table::NewRows;
use super::names::{NO_DETAILS, ThreadCodes};
use crate::formats::lines::LineEnds;
use crate::formats::lines::interner::ShortText;
use crate::formats::lines::scan::Scan;
use crate::formats::lines::swar;

/// A line with a call or a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastCall {
    pub(crate) head: FastHead,
    pub(crate) kind: FastKind,
    /// Code of the name.
    pub(crate) name: u32,
    /// The arguments on this line; for a resumed call, everything after `resumed>`.
    pub(crate) text: (u32, u32),
}

/// Which line it is, and whose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastHead {
    pub(crate) pid: Option<i64>,
    pub(crate) stamp: TimeStamp,
    /// Where the line begins, and where it ends.
    pub(crate) line: (u32, u32),
    /// Number of the line in the chunk, from 0.
    pub(crate) number: u32,
}

/// What a line has of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FastKind {
    /// All.
    Complete(FastResult),
    /// The beginning; whether it ends between two arguments.
    Unfinished { is_between: bool },
    /// The end: where the arguments end in the text and the result, if the beginning ends between two arguments and the line
    /// has a result.
    Resumed(Option<(u32, FastResult)>),
}

impl FastKind {
    /// The code of what stands after the returned value.
    #[inline]
    pub(crate) fn details(&self) -> u32 {
        match self {
            FastKind::Complete(result) | FastKind::Resumed(Some((_, result))) => result.details,
            FastKind::Unfinished { .. } | FastKind::Resumed(None) => NO_DETAILS,
        }
    }
}

/// A result that is an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastResult {
    pub(crate) ret: i64,
    /// The code of what stands after the value.
    pub(crate) details: u32,
    /// Nanoseconds.
    pub(crate) dur: Option<i64>,
}

/// A line that is not such a call.
#[derive(Clone, Debug)]
pub(crate) struct OtherLine {
    /// The number of calls before it.
    pub(crate) n_before: usize,
    /// The line in the text of the chunk, without its line end.
    pub(crate) text: Range<usize>,
    /// Number of the line in the chunk, from 0.
    pub(crate) number: u32,
}

/// The lines of a chunk, with codes for words, which the thread keeps.
#[derive(Default)]
pub(crate) struct StraceChunk {
    pub(crate) calls: Vec<FastCall>,
    pub(crate) others: Vec<OtherLine>,
    pub(crate) n_lines: u32,
    pub(crate) codes: ThreadCodes,
    /// Memory for the events of a chunk, which the thread has in its cache.
    pub(crate) new: NewRows,
}

impl StraceChunk {
    /// Reads all lines of a chunk, whose offsets fit in 32 bits.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.each_line(text, StraceChunk::call);
    }

    /// Leaves all lines to [`line`](super::line).
    #[cfg(test)]
    pub(crate) fn leave_all(&mut self, text: &[u8]) {
        self.each_line(text, |_, _, _| false);
    }

    /// Goes through the lines of a chunk; `call` adds a line if it is a call, and says so.
    #[inline]
    fn each_line(&mut self, text: &[u8], call: impl Fn(&mut StraceChunk, &[u8], Range<usize>) -> bool) {
        self.calls.clear();
        self.others.clear();
        self.n_lines = 0;
        let ends = LineEnds::of(text);
        let mut start = 0;
        while start < text.len() {
            let (end, next) = ends.next(start).unwrap_or((text.len(), text.len()));
            if !call(self, text, start..end) {
                self.others.push(OtherLine { n_before: self.calls.len(), text: start..end, number: self.n_lines });
            }
            self.n_lines += 1;
            start = next;
        }
    }

    /// Adds a line if it is a call; whether it is.
    #[inline]
    fn call(&mut self, text: &[u8], line: Range<usize>) -> bool {
        let (pid, stamp, length) = match usual_head(text, line.start) {
            Some((pid, time, length)) => (Some(pid), TimeStamp::Epoch(time), length),
            None => {
                let head = LineHead::of(&text[line.clone()]);
                (head.pid, head.stamp, head.length)
            }
        };
        let body = line.start + length;
        let head = FastHead { pid, stamp, line: (line.start as u32, line.end as u32), number: self.n_lines };
        let added = match text[body..line.end].starts_with(b"<... ") {
            true => self.resumed(head, text, body + 5..line.end),
            false => self.begun(head, text, body..line.end),
        };
        added.is_some()
    }

    #[inline(always)]
    fn push(&mut self, head: FastHead, name: u32, kind: FastKind, part: Range<usize>) {
        self.calls.push(FastCall { head, kind, name, text: (part.start as u32, part.end as u32) });
    }

    /// Adds a line that begins a call.
    #[inline]
    fn begun(&mut self, head: FastHead, text: &[u8], body: Range<usize>) -> Option<()> {
        let (name, open) = self.name(text, body.clone(), b'(')?;
        let from = open + 1;
        let rest = &text[from..body.end];
        if rest.starts_with(b"<... ") {
            return None;
        }
        if is_open(rest) {
            let CallEnding::Open(part) = CallEnding::of(rest) else { return None };
            let kind = FastKind::Unfinished { is_between: ends_between_arguments(part) };
            self.push(head, name, kind, from..from + part.len());
            return Some(());
        }
        let (end, result) = self.result(rest)?;
        self.push(head, name, FastKind::Complete(result), from..from + end);
        Some(())
    }

    /// The code of the name at the start of a range, and where the name ends, which is before `mark`.
    #[inline]
    fn name(&mut self, text: &[u8], range: Range<usize>, mark: u8) -> Option<(u32, usize)> {
        // a name that is known is one, and ends where no byte of a name follows
        if let Some((short, end)) = ShortText::before(mark, text, range.start)
            && end < range.end
            && let Some(code) = self.codes.known_name(short)
        {
            return Some((code, end));
        }
        let length = name_length(&text[range.clone()])?;
        let end = range.start + length;
        let is_there = text[..range.end].get(end) == Some(&mark);
        is_there.then(|| (self.codes.name(text, range.start..end), end))
    }

    /// Where the arguments at the start of a text end, and the result after them.
    #[inline(always)]
    fn result(&mut self, text: &[u8]) -> Option<(usize, FastResult)> {
        let end = closing_bracket(text)?;
        let tail = text[end + 1..].trim_ascii().strip_prefix(b"=")?.trim_ascii_start();
        let (result, dur) = match short_duration(tail) {
            Some((result, dur)) => (result, Some(dur)),
            None => split_duration(tail),
        };
        let (ret, length) = int_value(result)?;
        let details = self.codes.details(&result[length..]);
        Some((end, FastResult { ret, details, dur }))
    }

    /// Adds a line that resumes a call.
    fn resumed(&mut self, head: FastHead, text: &[u8], body: Range<usize>) -> Option<()> {
        let (name, blank) = self.name(text, body.clone(), b' ')?;
        let part = text[blank..body.end].strip_prefix(b" resumed>")?;
        if unfinished_again(part).is_some() || part.ends_with(b" attached") {
            return None;
        }
        let result = self.result(part).map(|(end, result)| (end as u32, result));
        self.push(head, name, FastKind::Resumed(result), body.end - part.len()..body.end);
        Some(())
    }
}

/// The process, the time and the length of a head `1234  1795364652.276138 ` at a position, as most programs let strace print
/// it.
#[inline(always)]
fn usual_head(text: &[u8], at: usize) -> Option<(i64, i64, usize)> {
    let mut scan = Scan { text, at };
    let pid = scan.number()?;
    scan.skip(b" ")?;
    while text.get(scan.at) == Some(&b' ') {
        scan.at += 1;
    }
    // ten digits and a point
    let (first, n_first) = swar::decimal(scan.word());
    scan.at += n_first;
    let (last, n_last) = swar::decimal(scan.word());
    scan.at += n_last;
    scan.skip(b".")?;
    let (fraction, n_digits) = swar::decimal(scan.word());
    scan.at += n_digits;
    scan.skip(b" ")?;
    let is_usual = (n_first, n_last, n_digits) == (8, 2, 6) && text.get(scan.at) != Some(&b'(');
    let time = i64::try_from((first * 100 + last) * 1_000_000_000 + fraction * 1000).ok()?;
    is_usual.then(|| (pid, time, scan.at - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> StraceChunk {
        let mut chunk = StraceChunk::default();
        chunk.read(text.as_bytes());
        chunk
    }

    #[test]
    fn calls_are_read_at_once_and_other_lines_are_left() {
        let text = "7 1795364651.664734 read(3, \"a)\"..., 5) = 5 <0.000008>\n\
                    7 read(0,  <unfinished ...>\n\
                    7 <... read resumed>\"x\", 1) = 1\n\
                    7 +++ exited with 0 +++\n\
                    7 exit_group(0) = ?\n\
                    clone(flags=SIGCHLDstrace: Process 8 attached\n\
                    7 restart_syscall(<... resuming interrupted read ...>) = 0\n";
        let chunk = read(text);
        let parts: Vec<&str> =
            chunk.calls.iter().map(|call| &text[call.text.0 as usize..call.text.1 as usize]).collect();
        assert_eq!(parts, ["3, \"a)\"..., 5", "0, ", "\"x\", 1) = 1"]);
        assert_eq!(chunk.others.iter().map(|other| other.number).collect::<Vec<_>>(), [3, 4, 5, 6]);
        assert!(matches!(chunk.calls[0].kind, FastKind::Complete(FastResult { ret: 5, dur: Some(8000), .. })));
    }
}
