//! The grammar of one line, parsed from its right end, as the name of the file may contain blanks and commas.
//!
//! ```text
//! dvm.mpd, 35         vm(1).boss.body       CREATER   911B318   0
//! ```

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
    let (rest, extra) = last_word(line);
    let (rest, pid) = last_word(rest);
    let (rest, event) = last_word(rest);
    let (place, proc) = last_word(rest);
    let event = MpdEvent::named(event).ok_or(LineFault { expected: "an event", found: event })?;
    let pid = hex(pid, "a process in hexadecimal")?;
    let extra = hex(extra, "a hexadecimal number")?;
    let (vm, proc) = machine(proc);
    Ok(MpdLine { place: place_of(place.trim_ascii_end())?, vm, proc, event, pid, extra })
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

fn hex<'a>(found: &'a [u8], expected: &'static str) -> Result<Hex<'a>, LineFault<'a>> {
    Some(found).filter(|digits| digits.len() <= 16).and_then(Hex::of).ok_or(LineFault { expected, found })
}

/// `vm(2).worker.loop` is `worker.loop` of machine 2.
fn machine(proc: &[u8]) -> (Option<i64>, &[u8]) {
    let parts = proc.strip_prefix(b"vm(").and_then(|rest| {
        let end = memchr::memmem::find(rest, b").")?;
        Some((number(&rest[..end])?, &rest[end + 2..]))
    });
    parts.map_or((None, proc), |(vm, proc)| (Some(vm), proc))
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
