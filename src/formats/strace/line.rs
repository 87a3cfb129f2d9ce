//! The grammar of a line: a process, a time, and what happened.

use super::arguments::{after_path, closing_bracket};

/// What stands before the body of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineHead {
    /// The number of the process, if the line states it.
    pub(crate) pid: Option<i64>,
    pub(crate) stamp: TimeStamp,
    /// Where the body begins.
    pub(crate) length: usize,
}

/// A time as a line states it, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeStamp {
    Absent,
    /// Since 1970.
    Epoch(i64),
    /// Since midnight.
    OfDay(i64),
    /// Since the line before.
    Since(i64),
}

/// What a line says that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBody<'l> {
    /// A call, with the text after the opening bracket.
    Call { name: &'l [u8], rest: &'l [u8] },
    /// The rest of a call.
    Resumed { name: &'l [u8], rest: &'l [u8] },
    /// `+++ exited with 0 +++`
    Exited { status: &'l [u8] },
    /// `+++ killed by SIGKILL +++`
    Killed { signal: &'l [u8] },
    /// `+++ superseded by execve in pid 7 +++`
    Superseded { pid: &'l [u8] },
    /// `--- SIGCHLD {...} ---`
    Signal { name: &'l [u8], info: &'l [u8] },
    /// `--- stopped by SIGSTOP ---`
    Stopped { signal: &'l [u8] },
    /// `strace: Process 7 attached`
    Attached { pid: &'l [u8] },
    /// Something else, such as output of the program.
    Other,
}

/// How a call ends that another line resumes or nothing ends.
const UNFINISHED: &[u8] = b"<unfinished ...>";
const DETACHED: &[u8] = b"<detached ...>";

impl LineHead {
    pub(crate) fn of(line: &[u8]) -> LineHead {
        let (pid, at) = pid(line).map_or((None, 0), |(pid, at)| (Some(pid), at));
        let (stamp, length) = stamp(&line[at..]).unwrap_or((TimeStamp::Absent, 0));
        let first = at + length + mark(&line[at + length..]);
        LineHead { pid, stamp, length: first + mark(&line[first..]) }
    }
}

/// The length of `[  59] `, the number of the call (`-n`), or of `[00007f36c24b6ad7] `, the place in the program (`-i`).
#[inline]
fn mark(text: &[u8]) -> usize {
    let end = || {
        let inside = text.strip_prefix(b"[")?.trim_ascii_start();
        let n_digits = inside.iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'?').count();
        let after = inside[n_digits..].strip_prefix(b"] ").filter(|_| n_digits > 0)?;
        Some(text.len() - after.len())
    };
    end().unwrap_or(0)
}

/// The length of `<sh>`, the program of a process (`-Y`), with a blank or a bracket behind it.
#[inline]
fn program(text: &[u8]) -> usize {
    match text.first() {
        Some(b'<') => text.windows(2).position(|pair| matches!(pair, b"> " | b">]")).map_or(0, |at| at + 1),
        _ => 0,
    }
}

/// `[pid  1234] ` or `1234  `, perhaps with `<sh>` behind the number, and where the rest begins.
#[inline]
fn pid(line: &[u8]) -> Option<(i64, usize)> {
    if let Some(rest) = line.strip_prefix(b"[pid ") {
        let rest = rest.trim_ascii_start();
        let digits = n_digits(rest);
        let after = rest[digits + program(&rest[digits..])..].strip_prefix(b"] ")?;
        return Some((number(&rest[..digits])?, line.len() - after.len()));
    }
    let digits = n_digits(line);
    let number_end = digits + program(&line[digits..]);
    let blanks = n_blanks(&line[number_end..]);
    let next = *line.get(number_end + blanks)?;
    let begins = matches!(next, b'<' | b'+' | b'-' | b'[' | b'(') || next.is_ascii_digit() || next.is_ascii_lowercase();
    let is_pid = digits > 0 && blanks > 0 && begins;
    is_pid.then(|| Some((number(&line[..digits])?, number_end + blanks))).flatten()
}

/// A time and the blank after it, and where the rest begins.
#[inline]
fn stamp(text: &[u8]) -> Option<(TimeStamp, usize)> {
    let digits = n_digits(text);
    if digits == 2 && text.get(2) == Some(&b':') {
        let (time, length) = time_of_day(text)?;
        return Some((TimeStamp::OfDay(time), length + delta(&text[length..])));
    }
    let blanks = n_blanks(text);
    let (time, length) = seconds(&text[blanks..])?;
    let end = blanks + length;
    text.get(end).filter(|byte| **byte == b' ')?;
    match digits >= 9 {
        true => Some((TimeStamp::Epoch(time), end + 1 + delta(&text[end + 1..]))),
        false => Some((TimeStamp::Since(time), end + 1)),
    }
}

/// `16:24:11.889819 ` or `16:24:11 `
fn time_of_day(text: &[u8]) -> Option<(i64, usize)> {
    let part = |at: usize| number(text.get(at..at + 2)?);
    let (hours, minutes) = (part(0)?, part(3)?);
    let are_there = text.get(2) == Some(&b':') && text.get(5) == Some(&b':') && n_digits(&text[6..]) == 2;
    let whole = (hours * 60 + minutes) * 60 * 1_000_000_000;
    let (time, length) = match text.get(8) {
        Some(b'.') => seconds(&text[6..])?,
        _ => (part(6)? * 1_000_000_000, 2),
    };
    let is_time = are_there && text.get(6 + length) == Some(&b' ');
    is_time.then_some((whole + time, 6 + length + 1))
}

/// The length of `(+ 0.000123) `, which repeats what the times say.
fn delta(text: &[u8]) -> usize {
    let length = || {
        let rest = text.strip_prefix(b"(+")?.trim_ascii_start();
        let (_, length) = seconds(rest)?;
        let after = rest[length..].strip_prefix(b") ")?;
        Some(text.len() - after.len())
    };
    length().unwrap_or(0)
}

/// `1795364652.276138` in nanoseconds, at most 63 bits of them, and its length; digits after the ninth are left out.
#[inline]
pub(crate) fn seconds(text: &[u8]) -> Option<(i64, usize)> {
    let whole = n_digits(text);
    let fraction = text.get(whole..)?.strip_prefix(b".")?;
    let digits = n_digits(fraction);
    if whole == 0 || digits == 0 {
        return None;
    }
    let mut nanoseconds = 0;
    for place in 0..9 {
        let digit = fraction.get(place).filter(|_| place < digits).map_or(0, |byte| i64::from(byte - b'0'));
        nanoseconds = nanoseconds * 10 + digit;
    }
    let seconds = number(&text[..whole]).unwrap_or(i64::MAX);
    Some((seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds), whole + 1 + digits))
}

#[inline]
fn n_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[inline]
fn n_blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}

/// A number in decimal digits.
#[inline]
pub(crate) fn number(digits: &[u8]) -> Option<i64> {
    let add = |value: i64, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

impl<'l> LineBody<'l> {
    pub(crate) fn of(body: &'l [u8]) -> LineBody<'l> {
        let other = match body.first() {
            Some(b'<') => resumed(body),
            Some(b'+') => end(body),
            Some(b'-') => signal(body),
            _ => call(body).or_else(|| attached(body).map(|(_, pid)| LineBody::Attached { pid })),
        };
        other.unwrap_or(LineBody::Other)
    }
}

fn call(body: &[u8]) -> Option<LineBody<'_>> {
    let length = if body.starts_with(b"????") { 4 } else { name_length(body)? };
    let rest = body[length..].strip_prefix(b"(")?;
    Some(LineBody::Call { name: &body[..length], rest })
}

/// The length of the name of a call with which a text begins.
#[inline]
pub(crate) fn name_length(text: &[u8]) -> Option<usize> {
    text.first().filter(|byte| byte.is_ascii_lowercase() || **byte == b'_')?;
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'$';
    Some(text.iter().take_while(is_part).count())
}

fn resumed(body: &[u8]) -> Option<LineBody<'_>> {
    let rest = body.strip_prefix(b"<... ")?;
    let length = name_length(rest)?;
    let (name, rest) = rest.split_at(length);
    Some(LineBody::Resumed { name, rest: rest.strip_prefix(b" resumed>")? })
}

fn end(body: &[u8]) -> Option<LineBody<'_>> {
    let inner = body.strip_prefix(b"+++ ")?.strip_suffix(b" +++")?;
    let is_number = |text: &[u8]| !text.is_empty() && n_digits(text) == text.len();
    if let Some(status) = inner.strip_prefix(b"exited with ").filter(|text| is_number(text)) {
        return Some(LineBody::Exited { status });
    }
    if let Some(pid) = inner.strip_prefix(b"superseded by execve in pid ").filter(|text| is_number(text)) {
        return Some(LineBody::Superseded { pid });
    }
    let signal = inner.strip_prefix(b"killed by ")?;
    let signal = signal.strip_suffix(b" (core dumped)").unwrap_or(signal);
    is_words(signal).then_some(LineBody::Killed { signal })
}

fn signal(body: &[u8]) -> Option<LineBody<'_>> {
    let inner = body.strip_prefix(b"--- ")?.strip_suffix(b" ---")?;
    if let Some(signal) = inner.strip_prefix(b"stopped by ").filter(|name| is_signal(name)) {
        return Some(LineBody::Stopped { signal });
    }
    let blank = memchr::memchr(b' ', inner)?;
    let (name, info) = (&inner[..blank], &inner[blank + 1..]);
    let is_struct = info.first() == Some(&b'{') && info.last() == Some(&b'}') && info.len() > 1;
    (is_signal(name) && is_struct).then_some(LineBody::Signal { name, info })
}

fn is_words(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn is_signal(text: &[u8]) -> bool {
    text.strip_prefix(b"SIG").is_some_and(is_words)
}

/// `strace: Process 7 attached` as a whole text, maybe with the path of strace: where it begins in a text that it ends,
/// and the number of the process.
pub(crate) fn message_at_end(text: &[u8]) -> Option<(usize, &[u8])> {
    let inner = text.strip_suffix(b" attached")?;
    let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, pid) = inner.split_at(inner.len() - digits);
    let before = before.strip_suffix(b"strace: Process ").filter(|_| digits > 0)?;
    Some((before.len() - path_length(before), pid))
}

/// The length of the path `/usr/bin/` that a text ends with.
fn path_length(text: &[u8]) -> usize {
    if text.last() != Some(&b'/') {
        return 0;
    }
    let word = text.iter().rposition(u8::is_ascii_whitespace).map_or(text, |blank| &text[blank + 1..]);
    let slash = memchr::memchr(b'/', word).map_or(word.len(), |slash| word.len() - slash);
    if slash > 2 { slash } else { 0 }
}

/// The message about a new process, if it is the whole text.
pub(crate) fn attached(text: &[u8]) -> Option<(usize, &[u8])> {
    message_at_end(text).filter(|(start, _)| *start == 0)
}

/// How the text of a call after its opening bracket ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnding<'l> {
    /// With its closing bracket and a result.
    Complete,
    /// Without them: `<unfinished ...>`, or `<detached ...>`. What was printed stands before.
    Open(&'l [u8]),
}

impl<'l> CallEnding<'l> {
    pub(crate) fn of(rest: &'l [u8]) -> CallEnding<'l> {
        let before = |mark: &[u8]| rest.strip_suffix(mark).map(|part| part.strip_suffix(b" ").unwrap_or(part));
        let never = || {
            let part = rest.strip_suffix(b"= ?")?.trim_ascii_end().strip_suffix(b")")?.strip_suffix(UNFINISHED)?;
            Some(part.strip_suffix(b" ").unwrap_or(part))
        };
        match before(UNFINISHED).or_else(|| before(DETACHED)).or_else(never) {
            Some(part) => CallEnding::Open(part),
            None => CallEnding::Complete,
        }
    }
}

/// What a resumed call printed, if it is unfinished again.
pub(crate) fn unfinished_again(text: &[u8]) -> Option<&[u8]> {
    text.strip_suffix(UNFINISHED)?.strip_suffix(b" ")
}

/// Whether a line ends as a call that is not complete.
#[inline]
pub(crate) fn is_open(line: &[u8]) -> bool {
    line.ends_with(UNFINISHED)
}

/// `<... resuming interrupted nanosleep ...>` as the first argument: the name, and the text after it.
pub(crate) fn resuming(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = rest.strip_prefix(b"<... resuming interrupted ")?;
    let end = memchr::memmem::find(inner, b" ...>")?;
    is_words(&inner[..end]).then(|| (&inner[..end], &inner[end + 5..]))
}

/// The value that a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReturnValue {
    /// `?`
    Unknown,
    Int(i64),
    /// One that does not fit in 64 bits with a sign.
    Wide(i128),
}

impl ReturnValue {
    /// The value, if 64 bits are enough for it.
    pub(crate) fn int(self) -> Option<i64> {
        match self {
            ReturnValue::Int(value) => Some(value),
            ReturnValue::Unknown | ReturnValue::Wide(_) => None,
        }
    }

    fn of(value: i128) -> ReturnValue {
        i64::try_from(value).ok().filter(|value| *value != i64::MIN).map_or(ReturnValue::Wide(value), ReturnValue::Int)
    }
}

/// What stands after the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallResult<'l> {
    pub(crate) value: ReturnValue,
    pub(crate) details: ResultDetails<'l>,
    /// Nanoseconds.
    pub(crate) duration: Option<i64>,
}

/// What stands between a value and the time that the call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResultDetails<'l> {
    /// `<path>` of a file descriptor.
    pub(crate) path: Option<&'l [u8]>,
    pub(crate) errno: Option<&'l [u8]>,
    /// The text in brackets.
    pub(crate) text: Option<&'l [u8]>,
}

impl<'l> CallResult<'l> {
    /// The result in the text after `=`.
    pub(crate) fn of(text: &'l [u8]) -> Option<CallResult<'l>> {
        let (text, duration) = split_duration(text.trim_ascii());
        let (value, length) = value(text)?;
        Some(CallResult { value, details: ResultDetails::of(&text[length..])?, duration })
    }

    /// The arguments in the text after an opening bracket, and the result.
    pub(crate) fn split(text: &'l [u8]) -> Option<(&'l [u8], CallResult<'l>)> {
        let end = closing_bracket(text)?;
        let tail = text[end + 1..].trim_ascii().strip_prefix(b"=")?;
        Some((&text[..end], CallResult::of(tail)?))
    }
}

/// A text before its last ` <0.000123>`, and that in nanoseconds.
pub(crate) fn split_duration(text: &[u8]) -> (&[u8], Option<i64>) {
    if let Some((before, duration)) = short_duration(text) {
        return (before, Some(duration));
    }
    let split = || {
        let inner = text.strip_suffix(b">")?;
        let length = inner.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let (before, digits) = inner.split_at(inner.len() - length);
        let (duration, length) = seconds(digits)?;
        let before = before.strip_suffix(b" <").filter(|_| length == digits.len())?;
        Some((before, duration))
    };
    split().map_or((text, None), |(before, duration)| (before, Some(duration)))
}

/// A text before ` <0.000123>`, and that in nanoseconds, if it is less than ten seconds in microseconds.
#[inline(always)]
pub(crate) fn short_duration(text: &[u8]) -> Option<(&[u8], i64)> {
    let (before, last) = text.split_last_chunk::<11>()?;
    let [b' ', b'<', seconds @ b'0'..=b'9', b'.', fraction @ .., b'>'] = last else { return None };
    let digits = fraction.iter().fold(0, |value, digit| value * 10 + i64::from(digit.wrapping_sub(b'0')));
    let are_digits = fraction.iter().all(u8::is_ascii_digit);
    are_digits.then(|| (before, (i64::from(seconds - b'0') * 1_000_000 + digits) * 1000))
}

/// The value with which a result begins, and its length.
pub(crate) fn value(text: &[u8]) -> Option<(ReturnValue, usize)> {
    if text.first() == Some(&b'?') {
        return Some((ReturnValue::Unknown, 1));
    }
    let sign = usize::from(text.first() == Some(&b'-'));
    let length = sign + n_digits(&text[sign..]);
    if let Some(value) = number(&text[sign..length]).filter(|_| !text.starts_with(b"0x")) {
        return Some((ReturnValue::Int(if sign == 1 { -value } else { value }), length));
    }
    wide_value(text, length)
}

/// The integer with which a result begins, and its length.
#[inline(always)]
pub(crate) fn int_value(text: &[u8]) -> Option<(i64, usize)> {
    // most calls return a digit
    if let [digit @ b'0'..=b'9'] | [digit @ b'0'..=b'9', b' ', ..] = text {
        return Some((i64::from(digit - b'0'), 1));
    }
    any_int_value(text)
}

fn any_int_value(text: &[u8]) -> Option<(i64, usize)> {
    match value(text)? {
        (ReturnValue::Int(value), length) => Some((value, length)),
        _ => None,
    }
}

/// A value in hexadecimal digits, or in decimal digits beyond 63 bits up to `length`.
fn wide_value(text: &[u8], length: usize) -> Option<(ReturnValue, usize)> {
    let value = |digits: &[u8], radix| i128::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok();
    let Some(hex) = text.strip_prefix(b"0x") else {
        return Some((ReturnValue::of(value(&text[..length], 10)?), length));
    };
    let n_digits = hex.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    Some((ReturnValue::of(value(&hex[..n_digits], 16)?), 2 + n_digits))
}

impl<'l> ResultDetails<'l> {
    /// `</path> EAGAIN (Resource temporarily unavailable)`, each part of which may be absent; none if there is more.
    pub(crate) fn of(text: &'l [u8]) -> Option<ResultDetails<'l>> {
        let mut details = ResultDetails::default();
        // the process ended during the call
        if text == b" <unavailable>" {
            return Some(details);
        }
        let mut rest = text;
        if rest.first() == Some(&b'<') {
            let end = after_path(rest, 0);
            details.path = rest[1..end].strip_suffix(b">");
            details.path?;
            rest = &rest[end..];
        }
        if let Some(word) = rest.strip_prefix(b" E") {
            let is_part = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
            let length = word.iter().take_while(is_part).count();
            (details.errno, rest) = (Some(&rest[1..length + 2]), &word[length..]);
            if length == 0 {
                return None;
            }
        }
        if let Some(text) = rest.strip_prefix(b" (") {
            details.text = Some(text.strip_suffix(b")")?);
            rest = b"";
        }
        rest.is_empty().then_some(details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(line: &str) -> (Option<i64>, TimeStamp, &str) {
        let head = LineHead::of(line.as_bytes());
        (head.pid, head.stamp, &line[head.length..])
    }

    #[test]
    fn heads_of_every_kind_are_read() {
        use TimeStamp::{Absent, Epoch, OfDay, Since};
        for (line, expected) in [
            ("close(3) = 0", (None, Absent, "close(3) = 0")),
            ("[pid  1234] close(3) = 0", (Some(1234), Absent, "close(3) = 0")),
            ("12 close(3) = 0", (Some(12), Absent, "close(3) = 0")),
            ("12  1795364652.276138 <... ", (Some(12), Epoch(1_795_364_652_276_138_000), "<... ")),
            ("16:24:11 x", (None, OfDay(59_051_000_000_000), "x")),
            ("[pid 7] 16:24:11.5 x", (Some(7), OfDay(59_051_500_000_000), "x")),
            ("16:24:11.5 (+     0.000001) x", (None, OfDay(59_051_500_000_000), "x")),
            ("     0.000123 x", (None, Since(123_000), "x")),
            ("12 [  59] close(3) = 0", (Some(12), Absent, "close(3) = 0")),
            ("[  59] [00007f36c24b6ad7] close(3) = 0", (None, Absent, "close(3) = 0")),
            ("12 16:24:11 [????????????????] +++ ", (Some(12), OfDay(59_051_000_000_000), "+++ ")),
            ("12<sh> 1795364652.276138 x", (Some(12), Epoch(1_795_364_652_276_138_000), "x")),
            ("[pid  1234<sh>] close(3) = 0", (Some(1234), Absent, "close(3) = 0")),
            ("28971      0.000643 brk", (Some(28971), Since(643_000), "brk")),
            ("12 X", (None, Absent, "12 X")),
            ("99999999999999999999 close(", (None, Absent, "99999999999999999999 close(")),
        ] {
            assert_eq!(head(line), expected, "{line}");
        }
    }

    #[test]
    fn results_are_read_from_the_value_to_the_duration() {
        let result = |text: &'static str| CallResult::of(text.as_bytes());
        let read = result("3</etc/a (deleted)> <0.000011>").expect("it is one");
        assert_eq!((read.value, read.duration), (ReturnValue::Int(3), Some(11_000)));
        assert_eq!(read.details.path, Some(&b"/etc/a (deleted)"[..]));
        let read = result("-1 ENOENT (No such file or directory)").expect("it is one");
        assert_eq!((read.value, read.details.errno), (ReturnValue::Int(-1), Some(&b"ENOENT"[..])));
        let read = result("1 ([{fd=3, revents=POLLIN}])").expect("it is one");
        assert_eq!(read.details.text, Some(&b"[{fd=3, revents=POLLIN}]"[..]));
        let read = result("? ERESTARTSYS (To be restarted if SA_RESTART is set)").expect("it is one");
        assert_eq!(read.value, ReturnValue::Unknown);
        assert_eq!(result("0xffffffffffffffff").map(|read| read.value), Some(ReturnValue::Wide(u64::MAX.into())));
        for wrong in ["", "x", "3 4", "-", "3 (a", "3</a", "3 E", "3  (a)"] {
            assert_eq!(result(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_message_in_the_middle_of_a_line_begins_with_the_path_of_strace() {
        let start = |text: &'static str| message_at_end(text.as_bytes()).map(|(start, _)| start);
        assert_eq!(start("vfork(strace: Process 7 attached"), Some(6));
        assert_eq!(start("vfork(/usr/bin/strace: Process 7 attached"), Some(6));
        assert_eq!(start("strace: Process 7 attached"), Some(0));
        assert_eq!(start("strace: Process  attached"), None);
        assert_eq!(start("strace: Process 7 detached"), None);
    }
}
