//! Chunks of lines, parsed on all cores without those before. Lines whose text before the fields an earlier line had are
//! taken apart without the full grammar, other lines are left to [`line`](super::line). A trace of such lines is loaded
//! seven times as fast as one that needs the grammar at each line.
//!
//! ```text
//! [16:09:02.133720888] (+0.000006600) app shop:item: { cpu_id = 1 }, { vpid = 3652, vtid = 3659 }, { id = 1, who = "ann" }
//! ```

use std::ops::Range;

use super::fields::{fields, is_hidden, value_length};
use super::heads::{ThreadHeads, UsualField};
use super::line::{ClockStamp, EventLine, LineFault, LineForm};
use super::values::ChunkValues;
use crate::formats::lines::LineEnds;
use crate::formats::lines::scan::Scan;
use crate::formats::lines::swar;
use crate::formats::lines::text;
use crate::formats::times::{SECOND, iso_8601};

/// A line with an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEvent {
    pub(crate) stamp: ClockStamp,
    /// Nanoseconds since the event before, if the line states them.
    pub(crate) delta: Option<i64>,
    /// The number of its head in the thread.
    pub(crate) head: u32,
    /// Number of the line in the chunk, from 0.
    pub(crate) number: u32,
}

/// A line that is no event.
#[derive(Clone, Debug)]
pub(crate) struct OtherLine {
    /// The number of events before it.
    pub(crate) n_before: usize,
    /// The line in the text of the chunk, without its line end.
    pub(crate) text: Range<usize>,
    /// Number of the line in the chunk, from 0.
    pub(crate) number: u32,
    pub(crate) fault: LineFault,
}

/// The lines of a chunk, with numbers for heads, which the thread keeps.
#[derive(Default)]
pub(crate) struct LttngChunk {
    pub(crate) events: Vec<LineEvent>,
    pub(crate) others: Vec<OtherLine>,
    pub(crate) n_lines: u32,
    pub(crate) heads: ThreadHeads,
    pub(crate) values: ChunkValues,
    last_date: LastDate,
}

impl LttngChunk {
    /// Reads all lines of a chunk, whose offsets fit in 32 bits.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.each_line(text, LttngChunk::usual);
    }

    /// Leaves all lines to [`line`](super::line).
    #[cfg(test)]
    pub(crate) fn leave_all(&mut self, text: &[u8]) {
        self.each_line(text, |_, _, _| None);
    }

    #[inline]
    fn each_line(&mut self, text: &[u8], usual: impl Fn(&mut LttngChunk, &[u8], Range<usize>) -> Option<LineEvent>) {
        self.events.clear();
        self.others.clear();
        self.values.clear();
        self.heads.renew();
        self.n_lines = 0;
        let ends = LineEnds::of(text);
        let mut start = 0;
        while start < text.len() {
            let (end, next) = ends.next(start).unwrap_or((text.len(), text.len()));
            let event = match usual(self, text, start..end) {
                Some(event) => Ok(event),
                None => self.any(&text[start..end]),
            };
            match event {
                Ok(event) => self.events.push(event),
                Err(_) if start == end => {}
                Err(fault) => {
                    let n_before = self.events.len();
                    self.others.push(OtherLine { n_before, text: start..end, number: self.n_lines, fault });
                }
            }
            self.n_lines += 1;
            start = next;
        }
        self.values.pack();
    }

    /// Reads a line by the full grammar.
    fn any(&mut self, line: &[u8]) -> Result<LineEvent, LineFault> {
        let line = text::visible(line);
        let EventLine { stamp, delta, name, context, form, fields: group } = EventLine::of(&line)?;
        let fields = fields(&line[group]);
        for (_, value) in fields.iter().filter(|(name, _)| !is_hidden(*name)) {
            self.values.push(value.as_bytes());
        }
        let names = fields.iter().map(|(name, _)| name.map(Box::from)).collect();
        let name = name.start - context.start..name.end - context.start;
        let head = self.heads.number((&line[context], form), name, names);
        Ok(LineEvent { stamp, delta, head, number: self.n_lines })
    }

    /// Reads a line whose context is known and whose fields are those that came last with it.
    #[inline]
    fn usual(&mut self, text: &[u8], line: Range<usize>) -> Option<LineEvent> {
        let mut scan = Scan { text, at: line.start };
        let (form, marks) = match scan.skip(SHORT.time.0) {
            Some(()) => (LineForm::Short, &SHORT),
            None => {
                scan.skip(ALL.time.0)?;
                (LineForm::All, &ALL)
            }
        };
        let stamp = self.last_date.stamp(&mut scan)?;
        scan.skip(marks.time.1)?;
        let delta = match scan.skip(marks.delta.0) {
            Some(()) => {
                let delta = seconds(&mut scan)?;
                scan.skip(marks.delta.1)?;
                Some(delta)
            }
            None => None,
        };
        // a context that is known ends where the last group may begin
        let open = scan.at + memchr::memrchr(b'{', text.get(scan.at..line.end)?)?;
        let context = text[scan.at..open].strip_suffix(marks.fields)?;
        let (head, fields) = self.heads.last(text, (scan.at..scan.at + context.len(), form))?;
        let n_bytes = self.values.len();
        match usual_fields(text, open + 1..line.end, fields, &mut self.values) {
            Some(()) => Some(LineEvent { stamp, delta, head, number: self.n_lines }),
            None => {
                self.values.truncate(n_bytes);
                None
            }
        }
    }
}

/// What stands around the parts of a line.
struct FormMarks {
    time: (&'static [u8], &'static [u8]),
    delta: (&'static [u8], &'static [u8]),
    /// Between the context and the fields.
    fields: &'static [u8],
}

const SHORT: FormMarks = FormMarks { time: (b"[", b"] "), delta: (b"(+", b") "), fields: b"" };

const ALL: FormMarks =
    FormMarks { time: (b"timestamp = ", b", "), delta: (b"delta = +", b", "), fields: b", event.fields = " };

/// Takes the values of fields up to the end of a line.
#[inline]
fn usual_fields(text: &[u8], range: Range<usize>, fields: &[UsualField], values: &mut ChunkValues) -> Option<()> {
    let mut at = range.start;
    for field in fields {
        let before = field.before.as_deref()?;
        if !text[at..range.end].starts_with(before) {
            return None;
        }
        at += before.len();
        let end = value_end(&text[..range.end], at)?;
        if !field.is_hidden {
            values.push(&text[at..end]);
        }
        at = end;
    }
    (&text[at..range.end] == b" }").then_some(())
}

/// Where the value at a position ends.
#[inline]
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at)? {
        b'"' => string_end(text, at + 1),
        b'0' if text.get(at + 1) == Some(&b'x') => after(text, at + 2, u8::is_ascii_hexdigit),
        b'-' => number_end(text, at + 1),
        b'0'..=b'9' => number_end(text, at),
        b'[' | b'(' | b'{' => {
            let rest = std::str::from_utf8(&text[at..]).ok()?;
            Some(at + value_length(rest)?)
        }
        _ => None,
    }
}

/// Where a text ends of which the first quote was read; other than ASCII is left to the full grammar.
#[inline]
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return text[start..at].is_ascii().then_some(at + 1);
        }
        at += 2;
    }
}

/// Where a number ends that has digits and perhaps a point and digits.
#[inline]
fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let end = after(text, at, u8::is_ascii_digit)?;
    match text.get(end) {
        Some(b'.') => after(text, end + 1, u8::is_ascii_digit),
        _ => Some(end),
    }
}

/// The position after the bytes of a kind, one at least.
#[inline]
fn after(text: &[u8], start: usize, is_of_kind: fn(&u8) -> bool) -> Option<usize> {
    let length = text[start..].iter().take_while(|byte| is_of_kind(byte)).count();
    (length > 0).then_some(start + length)
}

/// `123.000006600` in nanoseconds.
#[inline]
fn seconds(scan: &mut Scan<'_>) -> Option<i64> {
    let seconds = scan.number()?;
    scan.skip(b".")?;
    seconds.checked_mul(SECOND)?.checked_add(nanoseconds(scan)?)
}

/// Nine digits.
#[inline]
fn nanoseconds(scan: &mut Scan<'_>) -> Option<i64> {
    let (first, n_digits) = swar::decimal(scan.word());
    let last = *scan.text.get(scan.at + 8)?;
    let is_there = n_digits == 8 && last.is_ascii_digit();
    scan.at += 9;
    let no_more = !scan.text.get(scan.at).is_some_and(u8::is_ascii_digit);
    (is_there && no_more).then(|| first as i64 * 10 + i64::from(last - b'0'))
}

/// The date that was read last, and its beginning in nanoseconds.
#[derive(Default)]
struct LastDate {
    text: [u8; 10],
    time: Option<i64>,
}

impl LastDate {
    /// `16:09:02.133720888`, `2026-11-22 16:09:02.133720888` or `123.133720888`
    #[inline]
    fn stamp(&mut self, scan: &mut Scan<'_>) -> Option<ClockStamp> {
        Some(match (scan.text.get(scan.at + 2)?, scan.text.get(scan.at + 4)?) {
            (b':', _) => ClockStamp::OfDay(time_of_day(scan)?),
            (_, b'-') => {
                let day = self.day(scan)?;
                ClockStamp::Fixed(day.checked_add(time_of_day(scan)?)?)
            }
            _ => ClockStamp::Fixed(seconds(scan)?),
        })
    }

    #[inline]
    fn day(&mut self, scan: &mut Scan<'_>) -> Option<i64> {
        let text = scan.text.get(scan.at..)?.first_chunk::<10>()?;
        if self.text != *text {
            let time = std::str::from_utf8(text).ok().and_then(iso_8601);
            *self = LastDate { text: *text, time };
        }
        scan.at += text.len();
        scan.skip(b" ")?;
        self.time
    }
}

/// `16:09:02.133720888` in nanoseconds.
#[inline]
fn time_of_day(scan: &mut Scan<'_>) -> Option<i64> {
    let [h, hh, b':', m, mm, b':', s, ss, b'.'] = *scan.text.get(scan.at..)?.first_chunk::<9>()? else { return None };
    scan.at += 9;
    let two = |first: u8, last: u8| {
        let are_digits = first.is_ascii_digit() && last.is_ascii_digit();
        are_digits.then(|| i64::from(first - b'0') * 10 + i64::from(last - b'0'))
    };
    let seconds = (two(h, hh)? * 60 + two(m, mm)?) * 60 + two(s, ss)?;
    Some(seconds * SECOND + nanoseconds(scan)?)
}
