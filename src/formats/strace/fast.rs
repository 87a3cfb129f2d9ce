//! Chunks of lines: heads, names, brackets and results of calls are found on all cores. Other lines are left to
//! [`line`](super::line), and what depends on the lines before to [`events`](super::events).
//!
//! ```text
//! 28883 1795364651.664734 newfstatat(3, "", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0 <0.000008>
//! 28883 1795364651.664802 read(0,  <unfinished ...>
//! 28883 1795364651.664863 <... read resumed>"\177ELF"..., 832) = 832 <0.000009>
//! ```

use std::ops::Range;

use super::arguments::closing_bracket;
use super::line::{
    CallEnding, LineHead, ReturnValue, TimeStamp, is_open, name_length, split_duration, unfinished_again, value,
};
use super::names::ThreadCodes;
use crate::formats::lines::LineEnds;

/// A line with a call or a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastCall {
    pub(crate) pid: Option<i64>,
    pub(crate) stamp: TimeStamp,
    pub(crate) kind: FastKind,
    /// Code of the name.
    pub(crate) name: u32,
    /// The arguments on this line; for a resumed call, everything after `resumed>`.
    pub(crate) text: (u32, u32),
    /// Where the line begins, and where it ends.
    pub(crate) line: (u32, u32),
    /// Number of the line in the chunk, from 0.
    pub(crate) number: u32,
}

/// What a line has of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FastKind {
    /// All: the value, the code of what stands after the value, and nanoseconds.
    Complete { ret: i64, details: u32, dur: Option<i64> },
    /// The beginning.
    Unfinished,
    /// The end.
    Resumed,
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
}

impl StraceChunk {
    /// Reads all lines of a chunk, whose offsets fit in 32 bits.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.calls.clear();
        self.others.clear();
        self.n_lines = 0;
        let ends = LineEnds::of(text);
        let mut start = 0;
        while start < text.len() {
            let (end, next) = ends.next(start).unwrap_or((text.len(), text.len()));
            match self.call(text, start..end) {
                Some(call) => self.calls.push(call),
                None => {
                    self.others.push(OtherLine { n_before: self.calls.len(), text: start..end, number: self.n_lines })
                }
            }
            self.n_lines += 1;
            start = next;
        }
    }

    fn call(&mut self, text: &[u8], line: Range<usize>) -> Option<FastCall> {
        let whole = &text[line.clone()];
        let head = LineHead::of(whole);
        let body = line.start + head.length;
        let (name, kind, part) = match text[body..line.end].strip_prefix(b"<... ") {
            Some(rest) => resumed(rest, body + 5)?,
            None => self.begun(text, body..line.end)?,
        };
        let name = self.codes.name(text, name);
        let span = |range: Range<usize>| (range.start as u32, range.end as u32);
        Some(FastCall {
            pid: head.pid,
            stamp: head.stamp,
            kind,
            name,
            text: span(part),
            line: span(line),
            number: self.n_lines,
        })
    }

    /// A line that begins a call: its name, what the line has, and the arguments.
    fn begun(&mut self, text: &[u8], body: Range<usize>) -> Option<(Range<usize>, FastKind, Range<usize>)> {
        let length = name_length(&text[body.clone()])?;
        let name = body.start..body.start + length;
        let open = name.end;
        let rest = text[open..body.end].strip_prefix(b"(").filter(|rest| !rest.starts_with(b"<... "))?;
        let from = open + 1;
        if is_open(rest) {
            let CallEnding::Open(part) = CallEnding::of(rest) else { return None };
            return Some((name, FastKind::Unfinished, from..from + part.len()));
        }
        let end = closing_bracket(rest)?;
        let tail = rest[end + 1..].trim_ascii().strip_prefix(b"=")?.trim_ascii_start();
        let (result, dur) = split_duration(tail);
        let (ReturnValue::Int(ret), length) = value(result)? else { return None };
        let details = self.codes.details(&result[length..]);
        Some((name, FastKind::Complete { ret, details, dur }, from..from + end))
    }
}

/// A line that resumes a call, as [`StraceChunk::begun`].
fn resumed(rest: &[u8], at: usize) -> Option<(Range<usize>, FastKind, Range<usize>)> {
    let length = name_length(rest)?;
    let part = rest[length..].strip_prefix(b" resumed>")?;
    let is_plain = unfinished_again(part).is_none() && !part.ends_with(b" attached");
    let from = at + length + b" resumed>".len();
    is_plain.then(|| (at..at + length, FastKind::Resumed, from..from + part.len()))
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
        assert!(matches!(chunk.calls[0].kind, FastKind::Complete { ret: 5, dur: Some(8000), .. }));
    }
}
