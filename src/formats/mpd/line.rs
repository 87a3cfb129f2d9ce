//! The grammar of one line, parsed from its right end, as the name of the file may contain blanks and commas.
//!
//! ```text
//! dvm.mpd, 35         vm(1).boss.body       CREATER   911B318   0
//! ```

use std::ops::Range;

use super::ports::MpdEvent;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::text;
use crate::term::letters::excerpt;

/// The fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MpdLine<'a> {
    /// The source file, maybe with output of the program glued to its front, and the line in it.
    pub(crate) place: Option<(&'a [u8], i64)>,
    /// Number of the virtual machine, if it is printed.
    pub(crate) vm: Option<i64>,
    /// `resource.proc`.
    pub(crate) proc: &'a [u8],
    /// What happened.
    pub(crate) event: MpdEvent,
    /// The process.
    pub(crate) pid: Hex<'a>,
    /// The additional field.
    pub(crate) extra: Hex<'a>,
}

/// Why a line is no event: what was expected, and what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineFault<'a> {
    /// What could have been there.
    pub(crate) expected: &'static str,
    /// What was there.
    pub(crate) found: &'a [u8],
}

impl LineFault<'_> {
    /// The message for a finding about a line.
    pub(crate) fn message(&self, line: &[u8]) -> String {
        let found = String::from_utf8_lossy(self.found);
        let found = if found.is_empty() { "nothing".to_owned() } else { excerpt(&found) };
        format!("column {}: expected {}, found {found}", text::column(line, self.found), self.expected)
    }
}

/// Parses a line.
pub(crate) fn parse(line: &[u8]) -> Result<MpdLine<'_>, LineFault<'_>> {
    let tail = tail(line)?;
    let head = head(tail.head)?;
    Ok(tail.with(&head))
}

/// The last three fields, and the head before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineTail<'a> {
    /// Place and procedure; those of one place in the program are the same bytes.
    pub(crate) head: &'a [u8],
    /// What happened.
    pub(crate) event: MpdEvent,
    /// The process.
    pub(crate) pid: Hex<'a>,
    /// The additional field.
    pub(crate) extra: Hex<'a>,
}

impl<'a> LineTail<'a> {
    /// The line with its parsed head.
    pub(crate) fn with(self, head: &LineHead) -> MpdLine<'a> {
        MpdLine {
            place: head.place.map(|(length, line)| (&self.head[..length], line)),
            vm: head.vm,
            proc: &self.head[head.proc.clone()],
            event: self.event,
            pid: self.pid,
            extra: self.extra,
        }
    }
}

/// Parses the last three fields.
pub(crate) fn tail(line: &[u8]) -> Result<LineTail<'_>, LineFault<'_>> {
    let (rest, extra) = last_word(line);
    let (rest, pid) = last_word(rest);
    let (head, event) = last_word(rest);
    let event = MpdEvent::named(event).ok_or(LineFault { expected: "an event", found: event })?;
    let pid = hex(pid).ok_or(LineFault { expected: "a process in hexadecimal", found: pid })?;
    let extra = hex(extra).ok_or(LineFault { expected: "a hexadecimal number", found: extra })?;
    Ok(LineTail { head, event, pid, extra })
}

/// The part before the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineHead {
    /// Length of the name of the file with which it begins, and the line in that.
    pub(crate) place: Option<(usize, i64)>,
    /// Number of the virtual machine, if it is printed.
    pub(crate) vm: Option<i64>,
    /// Where the procedure stands.
    proc: Range<usize>,
}

impl LineHead {
    /// The procedure in the head that it was made of.
    pub(crate) fn proc_of<'a>(&self, head: &'a [u8]) -> &'a [u8] {
        &head[self.proc.clone()]
    }
}

/// Parses a head.
pub(crate) fn head(head: &[u8]) -> Result<LineHead, LineFault<'_>> {
    let (place, word) = last_word(head);
    let (vm, proc) = machine(word);
    let end = place.len() + word.len();
    let place = place_of(place.trim_ascii_end())?;
    Ok(LineHead { place: place.map(|(file, line)| (file.len(), line)), vm, proc: end - proc.len()..end })
}

/// Whether a line that is no event looks like a part of one: some word of it is an event.
pub(crate) fn has_event(line: &[u8]) -> bool {
    line.split(u8::is_ascii_whitespace).take(200).any(|word| word.len() > 1 && MpdEvent::named(word).is_some())
}

/// The last word, and what stands before it.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_end();
    text.split_at(memchr::memrchr2(b' ', b'\t', text).map_or(0, |blank| blank + 1))
}

fn hex(text: &[u8]) -> Option<Hex<'_>> {
    if text.len() > 16 { None } else { Hex::of(text) }
}

/// `vm(2).worker.loop` is `worker.loop` of machine 2.
fn machine(proc: &[u8]) -> (Option<i64>, &[u8]) {
    let split = || {
        let rest = proc.strip_prefix(b"vm(")?;
        let end = rest.windows(2).position(|pair| pair == b").")?;
        Some((number(&rest[..end])?, &rest[end + 2..]))
    };
    split().map_or((None, proc), |(vm, proc)| (Some(vm), proc))
}

fn place_of(place: &[u8]) -> Result<Option<(&[u8], i64)>, LineFault<'_>> {
    if place.ends_with(b"(unknown location)") {
        return Ok(None);
    }
    let expected = LineFault { expected: "a file and a line before the procedure", found: place };
    let comma = memchr::memmem::rfind(place, b", ").ok_or(expected)?;
    let line = number(place[comma + 2..].trim_ascii_start()).ok_or(expected)?;
    if comma == 0 { Err(expected) } else { Ok(Some((&place[..comma], line))) }
}

fn number(digits: &[u8]) -> Option<i64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_may_have_blanks_and_commas() {
        let line = parse(b"my, dir/a b.mpd, 35         vm(12).boss.body       CREATER   911b318   0       ").unwrap();
        assert_eq!(line.place, Some((&b"my, dir/a b.mpd"[..], 35)));
        assert_eq!((line.vm, line.proc, line.event), (Some(12), &b"boss.body"[..], MpdEvent::CreateR));
        assert_eq!((line.pid.value, line.pid.written(), line.extra.value), (0x911b318, "911b318", 0));
    }

    #[test]
    fn a_location_may_be_unknown_and_ids_may_have_sixteen_digits() {
        let line = parse(b"(unknown location)  main.body             P         7FFF00001234ABCD  1").unwrap();
        assert_eq!((line.place, line.pid.value), (None, 0x7FFF_0000_1234_ABCD));
    }

    #[test]
    fn what_is_missing_is_said() {
        let message = |line: &str| parse(line.as_bytes()).map(|_| ()).map_err(|fault| fault.message(line.as_bytes()));
        assert_eq!(message("a.mpd, 1 m.b WAIT 1 0"), Err("column 14: expected an event, found `WAIT`".to_owned()));
        assert_eq!(
            message("a.mpd, 1 m.b IN 1G 0"),
            Err("column 17: expected a process in hexadecimal, found `1G`".to_owned())
        );
        assert_eq!(
            message("a.mpd m.b IN 1 0"),
            Err("column 1: expected a file and a line before the procedure, found `a.mpd`".to_owned())
        );
        assert_eq!(message(""), Err("column 1: expected an event, found nothing".to_owned()));
    }
}
