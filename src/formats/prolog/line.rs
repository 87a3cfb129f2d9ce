//! The grammar of an event line, which each tracer has of its own, and of the prompt after its goal.

use std::borrow::Cow;

use crate::formats::lines::scan::Scan;
use crate::formats::lines::split_lines;
use crate::formats::lines::text::column;

/// A tracer, by the lines that it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracer {
    /// SWI-Prolog: `   Call: (10) p(_1)`.
    Swi,
    /// `trace/2` of SWI-Prolog: ` T [10] Call: p(_1)`.
    SwiTrace,
    /// GNU Prolog: `      1    1  Call: p(_1)`.
    Gnu,
    /// SICStus Prolog: `        1      1 Call: p(_1) ? `.
    Sicstus,
    /// Quintus Prolog: `   (1) 0 Call: p(_1) ? `.
    Quintus,
    /// YAP: `          (1)    call:p(_1) ? `.
    Yap,
}

/// Every tracer, the likelier first.
pub(crate) const TRACERS: [Tracer; 6] =
    [Tracer::Swi, Tracer::SwiTrace, Tracer::Gnu, Tracer::Sicstus, Tracer::Quintus, Tracer::Yap];

/// The kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TracerPort {
    #[default]
    Call,
    Exit,
    Redo,
    Fail,
    Exception,
    Unify,
    Head,
}

impl TracerPort {
    /// The number of ports.
    pub(crate) const COUNT: usize = TracerPort::Head as usize + 1;

    /// The name of the port in the trace.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TracerPort::Call => "call",
            TracerPort::Exit => "exit",
            TracerPort::Redo => "redo",
            TracerPort::Fail => "fail",
            TracerPort::Exception => "exception",
            TracerPort::Unify => "unify",
            TracerPort::Head => "head",
        }
    }

    /// Whether an event of the port ends its box.
    pub(crate) const fn ends(self) -> bool {
        matches!(self, TracerPort::Exit | TracerPort::Fail | TracerPort::Exception)
    }
}

type PortWords = &'static [(&'static str, TracerPort)];

const USUAL: PortWords = &[
    ("Call", TracerPort::Call),
    ("Exit", TracerPort::Exit),
    ("Fail", TracerPort::Fail),
    ("Redo", TracerPort::Redo),
    ("Exception", TracerPort::Exception),
    ("Unify", TracerPort::Unify),
];

const OF_QUINTUS: PortWords = &[
    ("Call", TracerPort::Call),
    ("Exit", TracerPort::Exit),
    ("Done", TracerPort::Exit),
    ("Fail", TracerPort::Fail),
    ("Redo", TracerPort::Redo),
    ("Exception", TracerPort::Exception),
    ("Head", TracerPort::Head),
];

const OF_YAP: PortWords = &[
    ("call", TracerPort::Call),
    ("exit", TracerPort::Exit),
    ("fail", TracerPort::Fail),
    ("redo", TracerPort::Redo),
    ("exception", TracerPort::Exception),
];

/// The parts of an event line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TracerLine<'l> {
    pub(crate) port: TracerPort,
    /// The level or depth, as printed.
    pub(crate) level: Option<i64>,
    /// The number of the invocation.
    pub(crate) number: Option<i64>,
    /// The signs before the numbers.
    pub(crate) signs: &'l [u8],
    /// The module whose clause makes the call, if the tracer shows it.
    pub(crate) context: Option<&'l [u8]>,
    /// Whether the call was not made because it exceeds the depth limit.
    pub(crate) exceeds_limit: bool,
    /// Milliseconds since the call.
    pub(crate) ms: Option<&'l [u8]>,
    pub(crate) thread: Option<&'l [u8]>,
    /// The rest of the line: the goal, and the prompt if there is one.
    pub(crate) goal: &'l [u8],
}

impl Tracer {
    /// The name of the system.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tracer::Swi => "SWI-Prolog",
            Tracer::SwiTrace => "SWI-Prolog trace/2",
            Tracer::Gnu => "GNU Prolog",
            Tracer::Sicstus => "SICStus Prolog",
            Tracer::Quintus => "Quintus Prolog",
            Tracer::Yap => "YAP",
        }
    }

    /// Whether its lines have the number of the invocation.
    pub(crate) const fn has_numbers(self) -> bool {
        !matches!(self, Tracer::Swi | Tracer::SwiTrace)
    }

    /// The tracer that printed most of some lines; none if there are no events.
    pub(crate) fn likeliest(head: &[u8]) -> Option<(Tracer, usize)> {
        let mut counts = [0; TRACERS.len()];
        for line in split_lines(head) {
            let line = without_colours(line);
            if let Some(index) = TRACERS.iter().position(|tracer| tracer.line(&line).is_some()) {
                counts[index] += 1;
            }
        }
        let (tracer, count) = TRACERS.into_iter().zip(counts).rev().max_by_key(|(_, count)| *count)?;
        (count > 0).then_some((tracer, count))
    }

    /// The parts of a line without colours; none if it is not an event of this tracer.
    pub(crate) fn line(self, line: &[u8]) -> Option<TracerLine<'_>> {
        let scan = Scan { text: line, at: 0 };
        match self {
            Tracer::Swi => swi(scan).or_else(|| swi_copied(scan)),
            Tracer::SwiTrace => swi_trace(scan),
            Tracer::Gnu => gnu(scan),
            Tracer::Sicstus => sicstus(scan),
            Tracer::Quintus => quintus(scan),
            Tracer::Yap => yap(scan),
        }
    }

    /// Tells whether a line, which may have colours, is an event of this tracer.
    pub(crate) fn begins_event(self) -> fn(&[u8]) -> bool {
        match self {
            Tracer::Swi => |line| Tracer::Swi.line(&without_colours(line)).is_some(),
            Tracer::SwiTrace => |line| Tracer::SwiTrace.line(&without_colours(line)).is_some(),
            Tracer::Gnu => |line| Tracer::Gnu.line(&without_colours(line)).is_some(),
            Tracer::Sicstus => |line| Tracer::Sicstus.line(&without_colours(line)).is_some(),
            Tracer::Quintus => |line| Tracer::Quintus.line(&without_colours(line)).is_some(),
            Tracer::Yap => |line| Tracer::Yap.line(&without_colours(line)).is_some(),
        }
    }
}

/// `^* Call: (1,012) [user] goal`
fn swi(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    let signs = signs(&mut scan, &[b"^ ", b"* "])?;
    scan.skip(b" ")?;
    swi_after_signs(scan, signs)
}

/// The same as pages and mails have it: without its indentation or with another one, of blanks, tabs and U+00A0, behind `> ` or
/// `% `, or behind the number of its line.
fn swi_copied(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    skip_margin(&mut scan);
    if scan.number().is_some() {
        scan.skip(b":");
        skip_margin(&mut scan);
    }
    let start = scan.at;
    scan.skip(b"^");
    skip_spaces(&mut scan);
    scan.skip(b"*");
    let signs = &scan.text[start..scan.at];
    skip_margin(&mut scan);
    swi_after_signs(scan, signs)
}

fn skip_margin(scan: &mut Scan<'_>) {
    const MARGIN: [&[u8]; 5] = [b" ", b"\t", b"\xC2\xA0", b">", b"%"];
    while MARGIN.iter().any(|blank| scan.skip(blank).is_some()) {}
}

fn swi_after_signs<'l>(mut scan: Scan<'l>, signs: &'l [u8]) -> Option<TracerLine<'l>> {
    let port = port(&mut scan, USUAL)?;
    scan.skip(b": (")?;
    let level = Some(grouped_number(&mut scan)?);
    scan.skip(b") ")?;
    let context = context(&mut scan);
    let exceeds_limit = scan.skip(b"[depth-limit exceeded] ").is_some();
    Some(TracerLine { port, level, signs, context, exceeds_limit, goal: rest(scan), ..TracerLine::default() })
}

/// `[Thread 3]  T [10 +0.1ms] Exit: goal`, or ` T Exit: (10) goal` as older versions print it.
fn swi_trace(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    let thread = match scan.skip(b"[Thread ") {
        Some(()) => Some(until(&mut scan, b"] ")?),
        None => None,
    };
    scan.skip(b" T ")?;
    let (mut level, mut ms) = (None, None);
    if scan.skip(b"[").is_some() {
        level = Some(scan.number()?);
        if scan.skip(b" +").is_some() {
            ms = Some(until(&mut scan, b"ms] ")?);
        } else {
            scan.skip(b"] ")?;
        }
    }
    let port = port(&mut scan, USUAL)?;
    scan.skip(b": ")?;
    if level.is_none() {
        level = level_before_goal(&mut scan);
    }
    Some(TracerLine { port, level, ms, thread, goal: rest(scan), ..TracerLine::default() })
}

/// ` +   12    3  Call: goal`
fn gnu(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    scan.skip(b" ")?;
    let signs = signs(&mut scan, &[b"+ "])?;
    scan.skip(b" ")?;
    let number = Some(padded_number(&mut scan)?);
    scan.skip(b" ")?;
    let level = Some(padded_number(&mut scan)?);
    scan.skip(b"  ")?;
    let port = port(&mut scan, USUAL)?;
    scan.skip(b": ")?;
    Some(TracerLine { port, level, number, signs, goal: rest(scan), ..TracerLine::default() })
}

/// `?+      3      1 Exit: ^2 goal ? `
fn sicstus(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    let signs = signs(&mut scan, &[b"? ", b" +*#"])?;
    scan.skip(b" ")?;
    let number = Some(padded_number(&mut scan)?);
    scan.skip(b" ")?;
    skip_spaces(&mut scan);
    scan.skip(b"@");
    let level = Some(scan.number()?);
    scan.skip(b" ")?;
    let port = port(&mut scan, USUAL)?;
    scan.skip(b": ")?;
    skip_subterm(&mut scan);
    Some(TracerLine { port, level, number, signs, goal: rest(scan), ..TracerLine::default() })
}

/// ` ** (2) 1 Call (dynamic): goal ? `
fn quintus(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    skip_spaces(&mut scan);
    let start = scan.at;
    let signs: [&[u8]; 3] = [b"**", b"*>", b">"];
    signs.iter().find(|signs| scan.skip(signs).is_some());
    let signs = &scan.text[start..scan.at];
    skip_spaces(&mut scan);
    scan.skip(b"(")?;
    let number = Some(scan.number()?);
    scan.skip(b") ")?;
    let level = Some(scan.number()?);
    scan.skip(b" ")?;
    let port = port(&mut scan, OF_QUINTUS)?;
    for (open, close) in [(b" [", b"]"), (b" (", b")")] {
        if scan.skip(open).is_some() {
            until(&mut scan, close)?;
        }
    }
    scan.skip(b": ")?;
    Some(TracerLine { port, level, number, signs, goal: rest(scan), ..TracerLine::default() })
}

/// `?*>       (12)    exit:goal ? `
fn yap(mut scan: Scan<'_>) -> Option<TracerLine<'_>> {
    let signs = signs(&mut scan, &[b"? ", b"* ", b"> "])?;
    scan.skip(b" ")?;
    skip_spaces(&mut scan);
    scan.skip(b"(")?;
    let number = Some(scan.number()?);
    scan.skip(b")");
    scan.skip(b" ")?;
    skip_spaces(&mut scan);
    let port = port(&mut scan, OF_YAP)?;
    scan.skip(b":")?;
    Some(TracerLine { port, number, signs, goal: rest(scan), ..TracerLine::default() })
}

/// One sign of each set.
fn signs<'l>(scan: &mut Scan<'l>, sets: &[&[u8]]) -> Option<&'l [u8]> {
    let signs = scan.text.get(scan.at..scan.at + sets.len())?;
    let are_known = signs.iter().zip(sets).all(|(sign, set)| set.contains(sign));
    scan.at += sets.len();
    are_known.then_some(signs)
}

fn port(scan: &mut Scan<'_>, words: PortWords) -> Option<TracerPort> {
    words.iter().find(|(word, _)| scan.skip(word.as_bytes()).is_some()).map(|(_, port)| *port)
}

fn skip_spaces(scan: &mut Scan<'_>) {
    while scan.skip(b" ").is_some() {}
}

fn padded_number(scan: &mut Scan<'_>) -> Option<i64> {
    skip_spaces(scan);
    scan.number()
}

/// A number whose digits may be grouped by commas.
fn grouped_number(scan: &mut Scan<'_>) -> Option<i64> {
    let first = scan.number()?;
    if scan.text.get(scan.at) != Some(&b',') {
        return Some(first);
    }
    let mut value = first;
    while scan.skip(b",").is_some() {
        let start = scan.at;
        let group = scan.number()?;
        let power = u32::try_from(scan.at - start).ok().and_then(|digits| 10_i64.checked_pow(digits))?;
        value = value.checked_mul(power)?.checked_add(group)?;
    }
    Some(value)
}

/// The text before `end`, which is skipped too.
fn until<'l>(scan: &mut Scan<'l>, end: &[u8]) -> Option<&'l [u8]> {
    let rest = scan.text.get(scan.at..)?;
    let length = memchr::memmem::find(rest, end)?;
    scan.at += length + end.len();
    Some(&rest[..length])
}

/// `[user] `, if a goal follows: a list may be a goal too.
fn context<'l>(scan: &mut Scan<'l>) -> Option<&'l [u8]> {
    let mut ahead = *scan;
    ahead.skip(b"[")?;
    let module = until(&mut ahead, b"] ")?;
    let is_module = !module.is_empty() && !module.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b']');
    let has_goal = ahead.text.get(ahead.at).is_some_and(|byte| *byte != b'?');
    *scan = if is_module && has_goal { ahead } else { *scan };
    (is_module && has_goal).then_some(module)
}

/// `(10) ` before a goal.
fn level_before_goal(scan: &mut Scan<'_>) -> Option<i64> {
    let mut ahead = *scan;
    ahead.skip(b"(")?;
    let level = grouped_number(&mut ahead)?;
    ahead.skip(b") ")?;
    *scan = ahead;
    Some(level)
}

/// `^2 1 `: which subterm of the goal is shown.
fn skip_subterm(scan: &mut Scan<'_>) {
    let mut ahead = *scan;
    if ahead.skip(b"^").is_some()
        && let Some(path) = until(&mut ahead, b" ")
        && !path.is_empty()
    {
        *scan = ahead;
    }
}

fn rest(scan: Scan<'_>) -> &[u8] {
    scan.text.get(scan.at..).unwrap_or_default()
}

/// The fault of a line that looks like an event but is not one.
///
/// `   Jump: (11) q(_1)`, `      2    2  Jump: q(_1)`
pub(crate) fn fault(line: &[u8]) -> Option<String> {
    let mut scan = Scan { text: line, at: 0 };
    signs(&mut scan, &[b"^?+ ", b"*+ "])?;
    skip_spaces(&mut scan);
    let (before, word) = match digits(&mut scan) {
        true => {
            scan.skip(b" ")?;
            skip_spaces(&mut scan);
            digits(&mut scan).then_some(())?;
            scan.skip(b" ")?;
            skip_spaces(&mut scan);
            (true, capitalised(&mut scan)?)
        }
        false => (false, capitalised(&mut scan)?),
    };
    scan.skip(b":")?;
    if !before {
        scan.skip(b" (")?;
        digits(&mut scan).then_some(())?;
        scan.skip(b")")?;
    }
    let is_port = USUAL.iter().any(|(port, _)| port.as_bytes() == word);
    let expected = if is_port { "the event as the other lines have it" } else { "a port such as Call or Exit" };
    let found = String::from_utf8_lossy(word);
    Some(format!("column {}: expected {expected}, found `{found}`", column(line, word)))
}

/// Skips digits; returns whether there are any.
fn digits(scan: &mut Scan<'_>) -> bool {
    let start = scan.at;
    while scan.text.get(scan.at).is_some_and(u8::is_ascii_digit) {
        scan.at += 1;
    }
    scan.at > start
}

/// A word of one capital letter and then small ones.
fn capitalised<'l>(scan: &mut Scan<'l>) -> Option<&'l [u8]> {
    let word = scan.text.get(scan.at..)?;
    let length = 1 + word.get(1..)?.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    scan.at += length;
    (word[0].is_ascii_uppercase() && length > 1).then_some(&word[..length])
}

/// A line without the escape sequences that colour it.
pub(crate) fn without_colours(line: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(ESCAPE, line) else { return Cow::Borrowed(line) };
    let mut plain = line[..first].to_vec();
    let mut at = first;
    while at < line.len() {
        if line[at] == ESCAPE {
            at = sequence_end(line, at);
        } else {
            plain.push(line[at]);
            at += 1;
        }
    }
    Cow::Owned(plain)
}

const ESCAPE: u8 = 0x1B;

/// The end of the escape sequence at `at`: `ESC [ 1 ; 31 m`, or `ESC ] 8 ; ; URL BEL`, which may end with `ESC \` too.
fn sequence_end(line: &[u8], at: usize) -> usize {
    let rest = &line[at + 1..];
    let length = match rest.first() {
        Some(b'[') => rest[1..].iter().position(|byte| (0x40..=0x7E).contains(byte)).map(|end| end + 2),
        Some(b']') => match memchr::memchr2(0x07, ESCAPE, rest) {
            Some(end) if rest[end] == ESCAPE => Some(end + 2),
            end => end.map(|end| end + 1),
        },
        _ => Some(0),
    };
    (at + 1 + length.unwrap_or(rest.len())).min(line.len())
}

/// The goal before the prompt ` ? ` and what was typed or answered there; none if there is no prompt.
pub(crate) fn before_prompt(goal: &str) -> Option<&str> {
    memchr::memchr(b'?', goal.as_bytes())?;
    if let Some((before, answer)) = goal.rsplit_once(" ?")
        && is_answer(answer.trim_start())
    {
        return Some(before);
    }
    let typed = goal.rfind(['(', ')', '[', ']', '{', '}', '\'', '"']).map_or(0, |last| last + 1);
    goal[typed..].find(" ?").map(|at| &goal[..typed + at])
}

/// Whether SWI-Prolog answers with this text, in which there are brackets or quotes, to what was typed at a prompt:
/// `EOF: exit (status 4)`.
fn is_answer(text: &str) -> bool {
    let status = text.strip_prefix("EOF: ").unwrap_or(text).strip_prefix("exit (status ");
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_exit = status.and_then(|status| status.strip_suffix(')')).is_some_and(is_number);
    let is_known = matches!(text, "Unknown option (h for help)" | "Can't retry at this port");
    is_exit || is_known || text.ends_with("[No previous search]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(tracer: Tracer, line: &str) -> Option<(&'static str, Option<i64>, Option<i64>, String)> {
        let plain = without_colours(line.as_bytes()).into_owned();
        let line = tracer.line(&plain)?;
        Some((line.port.name(), line.number, line.level, String::from_utf8_lossy(line.goal).into_owned()))
    }

    #[test]
    fn a_line_of_swi_prolog_is_known_wherever_it_was_copied_to() {
        for line in [
            "Call: (7) p(X)",
            "\tCall: (7) p(X)",
            "\u{a0}\u{a0} Call: (7) p(X)",
            "> Call: (7) p(X)",
            "    Call: (7) p(X)",
            "%   Call: (7) p(X)",
            " 12    Call: (7) p(X)",
            "12: Call: (7) p(X)",
        ] {
            let found = Tracer::Swi.line(line.as_bytes()).expect(line);
            assert_eq!((found.port, found.level, found.goal), (TracerPort::Call, Some(7), &b"p(X)"[..]), "{line}");
            assert_eq!(found.signs.trim_ascii(), b"", "{line}");
        }
        let signs = |line: &'static str| Tracer::Swi.line(line.as_bytes()).expect(line).signs;
        assert_eq!((signs("^  Exit: (8) 3>0"), signs("\t^*Exit: (8) 3>0")), (&b"^ "[..], &b"^*"[..]));
        for line in ["Call: 7 p(X)", "We Call: (7) p(X)", "Call : (7) p(X)"] {
            assert_eq!(Tracer::Swi.line(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn each_tracer_reads_its_own_lines_only() {
        let lines = [
            (Tracer::Swi, "^* Exit: (1,012) p(1)", "exit", None, Some(1012), "p(1)"),
            (Tracer::Swi, "   Unify: (10) [user] p(1)", "unify", None, Some(10), "p(1)"),
            (Tracer::Swi, "   Fail: (15) [depth-limit exceeded] p(1)", "fail", None, Some(15), "p(1)"),
            (Tracer::Swi, "   \u{1b}[1;32mCall\u{1b}[0m: (10) p", "call", None, Some(10), "p"),
            (Tracer::SwiTrace, " T [10] Redo: p(1)", "redo", None, Some(10), "p(1)"),
            (Tracer::SwiTrace, "[Thread 3]  T [10 +0.1ms] Exit: p(1)", "exit", None, Some(10), "p(1)"),
            (Tracer::SwiTrace, " T Exit: (10) p(1)", "exit", None, Some(10), "p(1)"),
            (Tracer::SwiTrace, " T Exit: p(1)", "exit", None, None, "p(1)"),
            (Tracer::Gnu, "      1    1  Call: p(_1)", "call", Some(1), Some(1), "p(_1)"),
            (Tracer::Gnu, " + 12345 1234  Call: p", "call", Some(12345), Some(1234), "p"),
            (Tracer::Sicstus, "?+      3     @1 Exit: ^2 p(1) ? ", "exit", Some(3), Some(1), "p(1) ? "),
            (Tracer::Quintus, " *> (2) 1 Done [x] (dynamic): p(1) ? ", "exit", Some(2), Some(1), "p(1) ? "),
            (Tracer::Quintus, "   (2) 1 Head: p(1)", "head", Some(2), Some(1), "p(1)"),
            (Tracer::Yap, "?*>       (12)    exit:p(1) ? ", "exit", Some(12), None, "p(1) ? "),
        ];
        for (tracer, line, port, number, level, goal) in lines {
            assert_eq!(parts(tracer, line), Some((port, number, level, goal.to_owned())), "{line}");
            for other in TRACERS.into_iter().filter(|other| *other != tracer) {
                assert_eq!(parts(other, line), None, "{other:?}: {line}");
            }
        }
    }

    #[test]
    fn other_lines_are_no_events() {
        for line in [
            "",
            "     [11] p(1)",
            "      1    1  p(1)",
            "   Jump: (11) q",
            "   Call: (99999999999999999999) q",
            "   Call: () q",
            "{trace}",
            "% Spy point on p/1",
            "X = 1 ;",
        ] {
            assert!(TRACERS.iter().all(|tracer| parts(*tracer, line).is_none()), "{line}");
        }
    }

    #[test]
    fn a_list_at_a_prompt_is_a_goal_and_no_context() {
        assert_eq!(parts(Tracer::Swi, "   Call: (10) [a] ? "), Some(("call", None, Some(10), "[a] ? ".to_owned())));
    }

    #[test]
    fn a_line_that_only_looks_like_an_event_has_a_fault() {
        let shown = |line: &str| fault(line.as_bytes());
        let port = "expected a port such as Call or Exit, found `Jump`";
        assert_eq!(shown("   Jump: (11) q(_1)"), Some(format!("column 4: {port}")));
        assert_eq!(shown("      2    2  Jump: q(_1)"), Some(format!("column 15: {port}")));
        assert!(
            shown("   Call: (11)q").is_some_and(|fault| fault.contains("as the other lines have it, found `Call`"))
        );
        for line in ["", "  X", "   p: (1)", "     [11] p(1)", "      1    1  p(1)", "   Jump (11)", "   Jump: 11"] {
            assert_eq!(shown(line), None, "{line}");
        }
    }

    #[test]
    fn the_prompt_and_what_was_typed_are_no_part_of_the_goal() {
        for (goal, expected) in [
            ("p(1) ? ", Some("p(1)")),
            ("p(1) ? creep", Some("p(1)")),
            ("p ?", Some("p")),
            ("p(' ? ', \" ? \") ? s", Some("p(' ? ', \" ? \")")),
            ("p(1) ? EOF: exit (status 4)", Some("p(1)")),
            ("p(1) ? exit (status 4)", Some("p(1)")),
            ("p(1) ? Unknown option (h for help)", Some("p(1)")),
            ("p(1) ? Can't retry at this port", Some("p(1)")),
            ("p(1) ? //[No previous search]", Some("p(1)")),
            ("p(1)", None),
            ("p(a ? b)", None),
            ("p(1) EOF: exit (status 4)", None),
        ] {
            assert_eq!(before_prompt(goal), expected, "{goal}");
        }
    }

    #[test]
    fn colours_and_links_are_removed() {
        let plain = |line: &str| String::from_utf8_lossy(&without_colours(line.as_bytes())).into_owned();
        assert_eq!(plain("\u{1b}[1mCall\u{1b}[22;39m: \u{1b}]8;;file\u{7}p\u{1b}]8;;\u{1b}\\."), "Call: p.");
        assert_eq!(plain("a\u{1b}"), "a");
        assert_eq!(plain("a\u{1b}[1"), "a");
    }
}
