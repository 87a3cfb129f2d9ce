//! The grammar of a line: a time, a name and groups of fields, in the short form or with the names of all parts.

use super::fields::value_length;
use crate::formats::times::{SECOND, iso_8601};

/// What a line says before the context of its event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineStart {
    pub(super) stamp: ClockStamp,
    /// Nanoseconds since the event before, if the line states them.
    pub(super) delta: Option<i64>,
    pub(super) form: LineForm,
    /// Where the context begins: all that describes the place of the event, in the short form its host, its name and the groups
    /// before the last one.
    pub(super) context: usize,
}

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    /// `[time] (+delta) host name: { }, { }`, or with `host:app:(pid)` before the name where each process has its buffers.
    Short,
    /// `name: { }`, as a trace without a clock is printed.
    Untimed,
    /// `timestamp = time, delta = +delta, ..., event.fields = { }`
    All,
}

/// A time as a line states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockStamp {
    /// The trace has no clock.
    Unstated,
    /// Nanoseconds since midnight.
    OfDay(i64),
    /// Nanoseconds since 1970, or seconds of another origin in nanoseconds.
    Fixed(i64),
    /// Cycles of the clock.
    Cycles(i64),
}

impl LineStart {
    pub(super) fn of(line: &str) -> Option<LineStart> {
        let (form, [before_time, before_delta], [after_time, after_delta]) = match line.as_bytes().first()? {
            b'[' => (LineForm::Short, ["[", "(+"], [']', ')']),
            b't' if line.starts_with("timestamp = ") => (LineForm::All, ["timestamp = ", "delta = +"], [',', ',']),
            _ => {
                return Some(LineStart {
                    stamp: ClockStamp::Unstated,
                    delta: None,
                    form: LineForm::Untimed,
                    context: 0,
                });
            }
        };
        let (time, rest) = line.strip_prefix(before_time)?.split_once(after_time)?;
        let (stamp, mut delta, mut rest) = (stamp(time)?, None, rest.strip_prefix(' ')?);
        if let Some(after) = rest.strip_prefix(before_delta) {
            let (written, after) = after.split_once(after_delta)?;
            (delta, rest) = (interval(written)?, after.strip_prefix(' ')?);
        }
        Some(LineStart { stamp, delta, form, context: line.len() - rest.len() })
    }

    /// The name of the event, and where the groups begin.
    pub(super) fn name<'l>(&self, line: &'l str) -> Option<(&'l str, usize)> {
        let context = &line[self.context..];
        let (name, groups) = match self.form {
            LineForm::Short | LineForm::Untimed => {
                let (words, _) = context.split_once(": {")?;
                (place_and_name(words, self.form).1, words.len() + 2)
            }
            LineForm::All => {
                let is_key = |at: &usize| *at == 0 || context[..*at].ends_with(", ");
                let at = context.match_indices("name = ").map(|(at, _)| at).find(is_key)? + "name = ".len();
                let (name, _) = context[at..].split_once(", ").filter(|(name, _)| !name.contains(' '))?;
                (name, at + name.len() + 2)
            }
        };
        (!name.is_empty()).then_some((name, self.context + groups))
    }

    /// The group of the fields: in the short form the last one. It is empty if there is none.
    pub(super) fn fields<'l>(&self, line: &'l str, groups: usize) -> Option<&'l str> {
        let (mut at, mut fields) = (groups, "");
        while at < line.len() || self.form != LineForm::All {
            let (label, value) = match self.form {
                LineForm::All => label(line, at)?,
                _ => line[at..].starts_with('{').then_some(("event.fields", at))?,
            };
            let end = value + value_length(&line[value..])?;
            if label == "event.fields" {
                fields = &line[value..end];
            }
            if end == line.len() {
                break;
            }
            at = end + line[end..].strip_prefix(", ").map(|_| 2)?;
        }
        Some(fields)
    }
}

/// Splits `host name` or `host:app:(pid) name` into what describes the place of the event and its name, which may have blanks.
pub(super) fn place_and_name(words: &str, form: LineForm) -> (&str, &str) {
    let place = match process_end(words) {
        Some(end) => end,
        None if form == LineForm::Untimed => 0,
        None => words.find(' ').unwrap_or(0),
    };
    (&words[..place], words[place..].strip_prefix(' ').unwrap_or(&words[place..]))
}

/// Where `app:(pid)` ends.
fn process_end(words: &str) -> Option<usize> {
    let (app, rest) = words.split_once(":(")?;
    let (id, _) = rest.split_once(") ").filter(|(id, _)| digits(id).is_some())?;
    Some(app.len() + ":()".len() + id.len())
}

/// `label = ` before a group, and where the group begins.
pub(super) fn label(line: &str, at: usize) -> Option<(&str, usize)> {
    let (label, group) = line.get(at..)?.split_once(" = ")?;
    let is_label = !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_label && group.starts_with('{')).then(|| (label, line.len() - group.len()))
}

/// `2026-11-22 16:09:02.133714288`, the same without its date, `123.000000456`, or cycles.
pub(super) fn stamp(text: &str) -> Option<ClockStamp> {
    if text.len() == "2026-11-22 16:09:02.133714288".len() && text.contains(' ') {
        return iso_8601(text).map(ClockStamp::Fixed);
    }
    if text.contains(':') {
        return time_of_day(text).map(ClockStamp::OfDay);
    }
    match text.split_once('.') {
        Some((seconds, fraction)) => {
            let sign = if seconds.starts_with('-') { -1 } else { 1 };
            let seconds = sign * digits(seconds.trim_start_matches('-'))?;
            Some(ClockStamp::Fixed(seconds.checked_mul(SECOND)?.checked_add(nanoseconds(fraction)?)?))
        }
        None => digits(text).map(ClockStamp::Cycles),
    }
}

pub(super) const DAY: i64 = 86_400 * SECOND;

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
        ClockStamp::OfDay(_) | ClockStamp::Unstated => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(LineStart, &str, Option<&str>)> {
        let start = LineStart::of(line)?;
        let (name, groups) = start.name(line)?;
        Some((start, name, start.fields(line, groups)))
    }

    #[test]
    fn both_forms_have_the_same_parts() {
        for (line, stamp, delta, context, fields) in [
            (
                r#"[16:09:02.133714288] (+0.000000007) app shop:item: { cpu_id = 1 }, { vpid = 3 }, { a = "b: {" }"#,
                ClockStamp::OfDay(58_142_133_714_288),
                Some(7),
                "app shop:item: ",
                r#"{ a = "b: {" }"#,
            ),
            (
                "timestamp = 2026-11-22 16:09:02.133714288, delta = +?.?????????, trace = a, , trace:hostname = app, \
                loglevel = X (1), name = shop:item, stream.packet.context = { cpu_id = 1 }, event.fields = { a = 2 }",
                ClockStamp::Fixed(1_795_363_742_133_714_288),
                None,
                "trace = a, ",
                "{ a = 2 }",
            ),
        ] {
            let (start, name, found) = parts(line).expect("it is an event");
            assert_eq!((start.stamp, start.delta, name, found), (stamp, delta, "shop:item", Some(fields)), "{line}");
            assert!(line[start.context..].starts_with(context), "{line}");
        }
    }

    #[test]
    fn a_name_stands_after_the_host_the_program_and_its_process() {
        use LineForm::{Short, Untimed};
        for (words, form, place, name) in [
            ("box1 beat:work_entry", Short, "box1", "beat:work_entry"),
            ("box1:beat:(3208) beat:work_entry", Short, "box1:beat:(3208)", "beat:work_entry"),
            ("beat:(3208) beat:work_entry", Short, "beat:(3208)", "beat:work_entry"),
            ("box1:my app:(3208) work entry", Short, "box1:my app:(3208)", "work entry"),
            ("host sequence event", Short, "host", "sequence event"),
            ("tick", Short, "", "tick"),
            ("sequence event", Untimed, "", "sequence event"),
        ] {
            assert_eq!(place_and_name(words, form), (place, name), "{words}");
        }
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
    fn lines_that_break_off_are_no_events() {
        for line in ["", "x", "[16:09:03.0] app shop:tick { i = 1 }", "[1]: {"] {
            assert_eq!(parts(line), None, "{line}");
        }
        let (_, name, fields) = parts("[16:09:02.133714288] app shop:item: { cpu_id = 1 }, { a = \"b").expect("a name");
        assert_eq!((name, fields), ("shop:item", None));
    }
}
