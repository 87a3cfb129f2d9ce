//! The grammar of a line: a time, a name and groups of fields, in the short form or with the names of all parts.

use std::ops::Range;

use super::fields::value_length;
use crate::formats::times::{SECOND, iso_8601};

/// A line with an event; ranges are offsets in the line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventLine {
    pub(crate) stamp: ClockStamp,
    /// Nanoseconds since the event before, if the line states them.
    pub(crate) delta: Option<i64>,
    pub(crate) name: Range<usize>,
    /// All that describes the place of the event: in the short form its host and the groups before the last one.
    pub(crate) context: Range<usize>,
    pub(crate) form: LineForm,
    /// The group of its fields; empty if there is none.
    pub(crate) fields: Range<usize>,
}

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineForm {
    /// `[time] (+delta) host name: { }, { }`
    Short,
    /// `timestamp = time, ..., event.fields = { }`
    All,
}

/// A time as a line states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockStamp {
    /// Nanoseconds since midnight.
    OfDay(i64),
    /// Nanoseconds since 1970, or seconds of another origin in nanoseconds.
    Fixed(i64),
    /// Cycles of the clock.
    Cycles(i64),
}

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LineFault {
    /// It does not begin as one.
    Head,
    /// The groups of the event with this name break the grammar.
    Groups(Range<usize>),
}

impl EventLine {
    pub(crate) fn of(line: &str) -> Result<EventLine, LineFault> {
        let (head, form) = match line.starts_with('[') {
            true => (short(line), LineForm::Short),
            false => (all(line), LineForm::All),
        };
        let LineParts { stamp, delta, name, context_start, groups } = head.ok_or(LineFault::Head)?;
        let found = match form {
            LineForm::Short => short_groups(line, context_start, groups),
            LineForm::All => all_groups(line, context_start, groups),
        };
        let (context, fields) = found.ok_or(LineFault::Groups(name.clone()))?;
        Ok(EventLine { stamp, delta, name, context, form, fields })
    }
}

/// What stands before the groups.
struct LineParts {
    stamp: ClockStamp,
    delta: Option<i64>,
    name: Range<usize>,
    context_start: usize,
    /// Where the groups begin.
    groups: usize,
}

/// `[16:09:02.133714288] (+0.000006600) app shop:item: `
fn short(line: &str) -> Option<LineParts> {
    let end = line.find(']')?;
    let stamp = stamp(&line[1..end])?;
    let mut at = end + 1 + line[end + 1..].strip_prefix(' ').map(|_| 1)?;
    let mut delta = None;
    if let Some(rest) = line[at..].strip_prefix("(+") {
        let length = rest.find(") ")?;
        delta = interval(&rest[..length])?;
        at += 2 + length + 2;
    }
    let groups = at + line[at..].find(": {")?;
    let words = &line[at..groups];
    let name = words.rfind(' ').map_or(0, |blank| blank + 1);
    let host = words[..name].trim_end();
    let is_head = !host.contains([' ', ':']) && words.len() > name && host.len() + 1 >= name;
    is_head.then(|| LineParts { stamp, delta, name: at + name..groups, context_start: at, groups: groups + 2 })
}

/// `timestamp = ..., delta = +..., trace = ..., name = shop:item, `
fn all(line: &str) -> Option<LineParts> {
    let rest = line.strip_prefix("timestamp = ")?;
    let comma = rest.find(", ")?;
    let stamp = stamp(&rest[..comma])?;
    let mut at = line.len() - rest.len() + comma + 2;
    let mut delta = None;
    if let Some(rest) = line[at..].strip_prefix("delta = +") {
        let length = rest.find(", ")?;
        delta = interval(&rest[..length])?;
        at += "delta = +".len() + length + 2;
    }
    let is_at = |from: usize| from == at || line[at..from].ends_with(", ");
    let (start, _) =
        line[at..].match_indices("name = ").map(|(from, word)| (at + from, word)).find(|(from, _)| is_at(*from))?;
    let name = start + "name = ".len();
    let length = line[name..].find(", ")?;
    let is_name = length > 0 && !line[name..name + length].contains(' ');
    is_name.then(|| LineParts { stamp, delta, name: name..name + length, context_start: at, groups: name + length + 2 })
}

/// The context and the fields in `{ }, { }, { }`: the last group has the fields.
fn short_groups(line: &str, start: usize, groups: usize) -> Option<(Range<usize>, Range<usize>)> {
    let mut at = groups;
    loop {
        let end = at + value_length(&line[at..])?;
        let is_group = line[at..].starts_with('{');
        if end == line.len() && is_group {
            return Some((start..at, at..end));
        }
        at = end + line[end..].strip_prefix(", ").filter(|_| is_group).map(|_| 2)?;
    }
}

/// The context and the fields in `stream.event.context = { }, event.fields = { }`.
fn all_groups(line: &str, start: usize, groups: usize) -> Option<(Range<usize>, Range<usize>)> {
    let (mut at, mut fields) = (groups, groups..groups);
    let mut context_end = groups;
    while at < line.len() {
        let (label, value) = label(line, at)?;
        let end = value + value_length(&line[value..])?;
        match label {
            "event.fields" => fields = value..end,
            _ => context_end = end,
        }
        at = end;
        if at < line.len() {
            at += line[at..].strip_prefix(", ").map(|_| 2)?;
        }
    }
    Some((start..context_end, fields))
}

/// `label = ` before a group, and where the group begins.
pub(crate) fn label(line: &str, at: usize) -> Option<(&str, usize)> {
    let (label, group) = line.get(at..)?.split_once(" = ")?;
    let is_label = !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_label && group.starts_with('{')).then(|| (label, line.len() - group.len()))
}

/// `2026-11-22 16:09:02.133714288`, the same without its date, `123.000000456`, or cycles.
pub(crate) fn stamp(text: &str) -> Option<ClockStamp> {
    if let Some((date, time)) = text.split_once(' ') {
        let day = Some(date).filter(|date| date.len() == "2026-11-22".len()).and_then(iso_8601)?;
        let of_day = time_of_day(time)?;
        return Some(ClockStamp::Fixed(day.checked_add(of_day)?));
    }
    if text.contains(':') {
        return time_of_day(text).map(ClockStamp::OfDay);
    }
    match text.split_once('.') {
        Some((seconds, fraction)) => {
            let seconds: i64 = seconds
                .strip_prefix('-')
                .map_or(Some(1), |_| Some(-1))
                .and_then(|sign| digits(seconds.trim_start_matches('-')).and_then(|value| value.checked_mul(sign)))?;
            Some(ClockStamp::Fixed(seconds.checked_mul(SECOND)?.checked_add(nanoseconds(fraction)?)?))
        }
        None => digits(text).map(ClockStamp::Cycles),
    }
}

pub(crate) const DAY: i64 = 86_400 * SECOND;

fn time_of_day(text: &str) -> Option<i64> {
    let (time, fraction) = text.split_once('.')?;
    let mut parts = time.split(':').map(|part| digits(part).filter(|_| part.len() == 2));
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let is_time = parts.next().is_none();
    is_time.then_some(((hours * 60 + minutes) * 60 + seconds) * SECOND + nanoseconds(fraction)?)
}

fn nanoseconds(fraction: &str) -> Option<i64> {
    digits(fraction).filter(|_| fraction.len() == 9)
}

fn digits(text: &str) -> Option<i64> {
    let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| are_digits)
}

/// `0.000006600` in nanoseconds, none for `?.?????????`.
fn interval(text: &str) -> Option<Option<i64>> {
    if text.contains('?') {
        return Some(None);
    }
    match stamp(text)? {
        ClockStamp::Fixed(length) | ClockStamp::Cycles(length) => Some(Some(length)),
        ClockStamp::OfDay(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_the_same_parts() {
        let short =
            r#"[16:09:02.133714288] (+0.000000007) app shop:item: { cpu_id = 1 }, { vpid = 3 }, { a = "b: {" }"#;
        let read = EventLine::of(short).expect("it is an event");
        assert_eq!((read.stamp, read.delta), (ClockStamp::OfDay(58_142_133_714_288), Some(7)));
        let part = |range: &Range<usize>| &short[range.clone()];
        assert_eq!((part(&read.name), part(&read.fields)), ("shop:item", r#"{ a = "b: {" }"#));
        assert_eq!(part(&read.context), "app shop:item: { cpu_id = 1 }, { vpid = 3 }, ");
        let all = "timestamp = 2026-11-22 16:09:02.133714288, delta = +?.?????????, trace = a, , trace:hostname = app, \
            loglevel = X (1), name = shop:item, stream.packet.context = { cpu_id = 1 }, event.fields = { a = 2 }";
        let read = EventLine::of(all).expect("it is an event");
        assert_eq!((read.stamp, read.delta), (ClockStamp::Fixed(1_795_363_742_133_714_288), None));
        assert_eq!((&all[read.name], &all[read.fields]), ("shop:item", "{ a = 2 }"));
    }

    #[test]
    fn times_are_of_the_day_of_1970_or_counted() {
        for (text, expected) in [
            ("1.000000002", Some(ClockStamp::Fixed(1_000_000_002))),
            ("-1.000000002", Some(ClockStamp::Fixed(-999_999_998))),
            ("12345", Some(ClockStamp::Cycles(12345))),
            ("1970-01-02 00:00:01.000000000", Some(ClockStamp::Fixed(DAY + SECOND))),
            ("2000-03-01 00:00:00.000000000", Some(ClockStamp::Fixed(11017 * DAY))),
            ("00:00:01.5", None),
            ("0:00:01.500000000", None),
            ("2000-13-01 00:00:00.000000000", None),
            ("", None),
        ] {
            assert_eq!(stamp(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_that_break_off_have_a_fault() {
        for line in ["", "x", "[16:09:03.0] app shop:tick { i = 1 }", "[16:09:02.133714288] a b c:d: { }", "[1]: {"] {
            assert_eq!(EventLine::of(line), Err(LineFault::Head), "{line}");
        }
        let cut = "[16:09:02.133714288] app shop:item: { cpu_id = 1 }, { a = \"b";
        assert_eq!(EventLine::of(cut), Err(LineFault::Groups(25..34)));
    }
}
