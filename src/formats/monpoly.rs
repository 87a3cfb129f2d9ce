//! The `monpoly` format: logs of MonPoly, a monitor of temporal formulas.
//!
//! Each time point has a time stamp and relations; each tuple of a relation is an event. White space and line ends separate
//! tokens, `#` begins a comment, `>` and `<` enclose commands to the monitor:
//!
//! ```text
//! @1307532861 approve (2,4)(5,6) publish (4)    # three events
//! @1307955600 approve (163)
//!             publish ("Annual report")
//! @1308477599 shutdown;
//! ```

use std::borrow::Cow;

use super::Format;
use super::checks::WELL_FORMED;
use super::lines::{LineEnding, Lines, text};
use crate::formats::lines::split_lines;
use crate::term::letters::atom_text;
use crate::term::letters::excerpt;
use crate::trace::{
    AttributeId, EventRow, Field, ListField, PortRecord, PortRole, PortSet, ProcRow, TraceBuilder, Traced,
};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "monpoly",
    doc: "a log of MonPoly: time stamps, each with relations and their tuples",
    sample: "@1307532861 approve (2,4)(5,6) publish (4)",
    missing: "no line begins with a time stamp and a relation, like `@1307532861 approve (2,4)`",
    rule: "R1",
    ports: PortSet::Closed(PORTS),
    attributes: ATTRIBUTES,
    sniff,
    read,
    checks: &[WELL_FORMED],
    ..Format::PLAIN
};

const PORTS: &[PortRecord] = &[PortRecord {
    name: "tuple",
    spellings: &[],
    role: PortRole::Inside,
    traced: Traced::Yes,
    doc: "a relation has a tuple at a time point",
}];

attributes! {
    standing_attribute:
    time "time" "time stamp of the event, as printed";
    time_point "time_point" "number of the time point, from 0; several may have the same time stamp";
}

/// Counts the first lines that begin a time point.
fn sniff(head: &[u8]) -> usize {
    split_lines(head).filter(|line| begins_time_point(line)).count()
}

/// Whether a line is a time stamp, and then nothing or a relation.
fn begins_time_point(line: &[u8]) -> bool {
    let line = text::visible(line);
    let mut tokens = LineTokens { line: &line, rest: &line };
    let is_stamp = tokens.next() == Some(LogToken::At)
        && matches!(tokens.next(), Some(LogToken::Word(stamp)) if number_text(stamp).is_some());
    is_stamp && tokens.next().is_none_or(|token| matches!(token, LogToken::Word(_) | LogToken::End))
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = MonpolyReader {
        ids: AttributeIds::new(builder),
        builder,
        state: ParserState::Outside,
        is_in_command: false,
        point: None,
        n_points: 0,
        relation: String::new(),
        relation_line: 0,
        args: Vec::new(),
    };
    while let Some(line) = lines.next_line() {
        match line.ending {
            LineEnding::TooLong => reader.fault(line.number, Lines::too_long("line")),
            _ => reader.line(&text::visible(line.bytes), line.number),
        }
    }
    reader.finish(lines.number());
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum LogToken<'l> {
    At,
    Open,
    Close,
    Comma,
    /// `;`, after which only another time point may follow.
    End,
    Command,
    CommandEnd,
    /// Letters, digits and some signs without quotes.
    Word(&'l str),
    /// The text between double quotes.
    Quoted(&'l str),
    /// A character that begins no token.
    Other(char),
}

/// The tokens of a line up to its comment.
struct LineTokens<'l> {
    line: &'l str,
    rest: &'l str,
}

impl<'l> LineTokens<'l> {
    /// The column, from 1, of a rest of the line.
    fn column_of(&self, rest: &str) -> usize {
        text::column(self.line.as_bytes(), rest.as_bytes())
    }

    fn take(&mut self, length: usize) -> &'l str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

impl<'l> Iterator for LineTokens<'l> {
    type Item = LogToken<'l>;

    fn next(&mut self) -> Option<LogToken<'l>> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|first| *first != '#')?;
        let length = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let opening = if self.rest.starts_with("r\"") { 2 } else { 1 };
        if first == '"' || opening == 2 {
            return Some(match quoted_length(&self.rest[opening..]) {
                Some(length) => LogToken::Quoted(&self.take(opening + length + 1)[opening..][..length]),
                None => LogToken::Other(self.take(self.rest.len()).chars().next().unwrap_or('"')),
            });
        }
        if length > 0 {
            return Some(LogToken::Word(self.take(length)));
        }
        self.take(first.len_utf8());
        Some(match first {
            '@' => LogToken::At,
            '(' => LogToken::Open,
            ')' => LogToken::Close,
            ',' => LogToken::Comma,
            ';' => LogToken::End,
            '>' => LogToken::Command,
            '<' => LogToken::CommandEnd,
            other => LogToken::Other(other),
        })
    }
}

/// Whether a token shows that the relation named before it has no tuples.
fn ends_relation(token: LogToken<'_>) -> bool {
    use LogToken::{At, Command, End, Quoted, Word};
    matches!(token, At | End | Command | Word(_) | Quoted(_))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_[]/:-.!".contains(c)
}

/// The length of the text up to the quote that ends it, if there is one; a backslash protects the character after it.
fn quoted_length(text: &str) -> Option<usize> {
    let mut is_protected = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_protected;
        is_protected = byte == b'\\' && !is_protected;
        ends
    })
}

/// A number as OCaml writes them, in the digits of a term: `-12`, `1_000`, `0x1F`, `0o17`, `0b101`, `12.`, `9.8e30`.
fn number_text(word: &str) -> Option<Cow<'_, str>> {
    let (sign, digits) = word.strip_prefix('-').map_or(("", word), |digits| ("-", digits));
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole(digits) || digits.split_once('.').is_some_and(|(whole, part)| is_whole(whole) && is_whole(part)) {
        return Some(word.into());
    }
    let plain = digits.replace('_', "");
    if !plain.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let radix = match plain.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ if is_whole(&plain) => return Some(format!("{sign}{plain}").into()),
        _ => {
            let value = plain.parse::<f64>().ok().filter(|value| value.is_finite())?;
            return Some(format!("{sign}{value:?}").into());
        }
    };
    u128::from_str_radix(&plain[2..], radix).ok().map(|value| format!("{sign}{value}").into())
}

/// A value as the text of a term: a number, or an atom.
fn term(token: LogToken<'_>) -> Option<Cow<'_, str>> {
    match token {
        LogToken::Word(word) => Some(number_text(word).unwrap_or_else(|| atom_text(word))),
        LogToken::Quoted(inner) => Some(atom_text(&text::unescaped(inner, '"')).into_owned().into()),
        _ => None,
    }
}

/// What the next token must be, after the tokens before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ParserState {
    /// The beginning of a time point.
    Outside,
    /// A time stamp.
    Stamp,
    /// A relation or the end of the time point.
    Point,
    /// The same, or the first tuple of a relation.
    Named,
    /// The same, or one more tuple.
    Tuples,
    /// A value of a tuple, or the end of one without values.
    First,
    /// A value.
    Value,
    /// A comma or the end of a tuple.
    AfterValue,
}

impl ParserState {
    fn expected(self) -> &'static str {
        match self {
            ParserState::Outside => "`@`",
            ParserState::Stamp => "a time stamp",
            ParserState::Point => "a relation or `@`",
            ParserState::Named | ParserState::Tuples => "a tuple, a relation or `@`",
            ParserState::First => "a value or `)`",
            ParserState::Value => "a value",
            ParserState::AfterValue => "`,` or `)`",
        }
    }

    /// Whether no time point, relation or tuple is incomplete.
    fn is_between(self) -> bool {
        matches!(self, ParserState::Outside | ParserState::Point | ParserState::Tuples)
    }
}

/// A log that is being read.
struct MonpolyReader<'b> {
    ids: AttributeIds,
    builder: &'b mut TraceBuilder,
    state: ParserState,
    /// Whether a command to the monitor has begun.
    is_in_command: bool,
    /// The time stamp of the time point and its text.
    point: Option<(f64, String)>,
    n_points: i64,
    /// The relation, and the line of its name.
    relation: String,
    relation_line: u64,
    /// The values of the tuple, as texts of terms.
    args: Vec<String>,
}

impl MonpolyReader<'_> {
    /// Takes the tokens of a line up to one that is not allowed.
    fn line(&mut self, line: &str, number: u64) {
        let mut tokens = LineTokens { line, rest: line };
        loop {
            let rest = tokens.rest.trim_start();
            let Some(token) = tokens.next() else { break };
            let expected = self.state.expected();
            if !self.take(token, number) {
                let (column, found) = (tokens.column_of(rest), excerpt(rest));
                self.fault(number, format!("column {column}: expected {expected}, found {found}"));
                break;
            }
        }
    }

    /// Takes a token; returns whether it is allowed here. If not, what encloses it is left out.
    fn take(&mut self, token: LogToken<'_>, number: u64) -> bool {
        if self.is_in_command {
            self.is_in_command = token != LogToken::CommandEnd;
            return true;
        }
        if self.state == ParserState::Named && ends_relation(token) {
            self.event(self.relation_line);
            self.state = ParserState::Point;
        }
        let next = self.state_after(token, number);
        self.state = next.unwrap_or(match self.state {
            ParserState::Outside | ParserState::Stamp => ParserState::Outside,
            _ => ParserState::Point,
        });
        next.is_some()
    }

    /// The state after a token that is allowed here.
    fn state_after(&mut self, token: LogToken<'_>, number: u64) -> Option<ParserState> {
        let (state, is_between) = (self.state, self.state.is_between());
        match token {
            LogToken::At if is_between => Some(ParserState::Stamp),
            LogToken::End if is_between => Some(ParserState::Outside),
            LogToken::Command if is_between => {
                self.is_in_command = true;
                Some(state)
            }
            LogToken::Word(word) | LogToken::Quoted(word) => self.word(token, word, number),
            LogToken::Open => matches!(state, ParserState::Named | ParserState::Tuples).then_some(ParserState::First),
            LogToken::Comma => (state == ParserState::AfterValue).then_some(ParserState::Value),
            LogToken::Close if matches!(state, ParserState::First | ParserState::AfterValue) => {
                self.event(number);
                Some(ParserState::Tuples)
            }
            _ => None,
        }
    }

    /// The state after a time stamp, the name of a relation, or a value.
    fn word(&mut self, token: LogToken<'_>, word: &str, number: u64) -> Option<ParserState> {
        match self.state {
            ParserState::Stamp if token == LogToken::Word(word) => Some(self.begin(&number_text(word)?, number)),
            ParserState::Point | ParserState::Tuples => {
                (self.relation, self.relation_line) = (word.to_string(), number);
                self.args.clear();
                Some(ParserState::Named)
            }
            ParserState::First | ParserState::Value => {
                self.args.extend(term(token).map(Cow::into_owned));
                Some(ParserState::AfterValue)
            }
            _ => None,
        }
    }

    /// Begins a time point.
    fn begin(&mut self, stamp: &str, number: u64) -> ParserState {
        let time = stamp.parse().unwrap_or(f64::NAN);
        if let Some((_, before)) = self.point.as_ref().filter(|(before, _)| time < *before) {
            let message = format!("the time stamp {stamp} comes after {before}: time stamps must not fall");
            self.builder.finding("R2", None, Some(number), message);
        }
        self.n_points += i64::from(self.point.is_some());
        self.point = Some((time, stamp.to_string()));
        ParserState::Point
    }

    /// Adds the tuple of the values taken so far.
    fn event(&mut self, number: u64) {
        let Some((time, stamp)) = &self.point else { return };
        let time = stamp.parse().map_or(Field::Float(*time), Field::Int);
        let parts: Vec<Option<&str>> = self.args.iter().map(|text| Some(text.as_str())).collect();
        let arity = i64::try_from(parts.len()).ok();
        self.builder.push(&EventRow {
            port: Some("tuple"),
            proc: ProcRow { name: Some(&self.relation), arity, ..ProcRow::default() },
            args: ListField::Parts(&parts),
            extra: &[(self.ids.time, time), (self.ids.time_point, Field::Int(self.n_points))],
            source_line: number,
            ..EventRow::default()
        });
        self.args.clear();
    }

    fn fault(&mut self, number: u64, message: String) {
        self.builder.finding(FORMAT.rule, None, Some(number), message);
    }

    /// The end of the log, which may end a relation without tuples.
    fn finish(&mut self, number: u64) {
        match self.state {
            _ if self.is_in_command => self.fault(number, "the log ends where it should have `<`".to_string()),
            ParserState::Named => self.event(self.relation_line),
            state if state.is_between() => {}
            state => self.fault(number, format!("the log ends where it should have {}", state.expected())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::formats::{LoadOptions, load, load_bytes};
    use crate::trace::{Trace, Value};

    fn of_text(text: &str) -> Trace {
        let options = LoadOptions { from: Some("monpoly"), ..LoadOptions::default() };
        load_bytes(Path::new("test.log"), text.as_bytes().to_vec(), &options).expect("it can be read")
    }

    /// The events as `time point: name(arguments)`.
    fn events(trace: &Trace) -> Vec<String> {
        let find = |name| trace.schema().find(name).expect("every log has it");
        let event = |event| {
            let (Value::Int(point), Value::Atom(name)) =
                (trace.value(event, find("time_point")), trace.value(event, AttributeId::NAME))
            else {
                panic!("every event has a time point and a name");
            };
            let args = match trace.value(event, AttributeId::ARGS) {
                Value::Args(list) => list.iter().collect::<Vec<_>>().join(" "),
                _ => String::new(),
            };
            format!("{point}: {}({args})", name.as_str())
        };
        (0..trace.n_events()).map(event).collect()
    }

    fn messages(trace: &Trace) -> Vec<String> {
        let message = |finding: &crate::trace::Finding| {
            format!("{} {}: {}", finding.rule, finding.line.unwrap_or(0), finding.message)
        };
        trace.findings().kept().iter().map(message).collect()
    }

    #[test]
    fn numbers_are_those_of_ocaml() {
        for (word, expected) in [
            ("-12", Some("-12")),
            ("1_000", Some("1000")),
            ("0x1F", Some("31")),
            ("-0o17", Some("-15")),
            ("0b101", Some("5")),
            ("12.", Some("12.0")),
            ("1e5", Some("100000.0")),
            ("9.8e30", Some("9.8e30")),
            ("1.50", Some("1.50")),
            ("0x", None),
            ("1.2.3", None),
            ("a1", None),
            ("inf", None),
        ] {
            assert_eq!(number_text(word).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn the_sample_is_recognised_and_each_tuple_is_an_event() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/monpoly/reports.log");
        let trace = load(Path::new(path), &LoadOptions::default()).expect("it can be read");
        assert_eq!((trace.origin().format, trace.n_events(), trace.findings().total()), ("monpoly", 14, 0));
        let events = events(&trace);
        assert_eq!(events[0], "0: report(1 'Annual report')");
        assert_eq!(events[2..4], [r"1: report(2 'It\'s a draft')", "1: report(3 'Minutes')"]);
        assert_eq!(events[6..9], ["2: approve(1 dave)", "3: publish(1)", "5: publish(2)"]);
        assert_eq!(events[12..], ["6: cost(3 12.5)", "6: shutdown()"]);
        assert_eq!(trace.source_line(4), Some(5));
    }

    #[test]
    fn tuples_follow_their_relation_across_lines_and_commands() {
        let trace = of_text("@1 p (1)(2)\n(3) > command now < (4) q () r\n@1 r\n@2;\n@3 p (a,\nb)");
        let expected = ["0: p(1)", "0: p(2)", "0: p(3)", "0: p(4)", "0: q()", "0: r()", "1: r()", "3: p(a b)"];
        assert_eq!(events(&trace), expected);
        assert_eq!(messages(&trace), [""; 0]);
    }

    #[test]
    fn quoted_values_may_hold_any_sign_and_numbers_are_numbers() {
        let trace = of_text(r#"@1.5 p ("a,(b)#", r"\"", -2, 10.0.0.1, "7", [x])"#);
        assert_eq!(events(&trace), [r#"0: p('a,(b)#' '"' -2 '10.0.0.1' '7' '[x]')"#]);
        let time = trace.schema().find("time").expect("every log has it");
        assert_eq!(trace.value(0, time), Value::Float(1.5));
    }

    #[test]
    fn a_wrong_token_ends_its_line_and_says_what_was_expected() {
        let trace = of_text("p (1)\n@x p (2)\n@1 p (3,,4) p (5)\n@2 p {6}\n@3 p (7)\n");
        assert_eq!(events(&trace), ["2: p(7)"]);
        let expected = [
            "R1 1: column 1: expected `@`, found `p (1)`",
            "R1 2: column 2: expected a time stamp, found `x p (2)`",
            "R1 3: column 9: expected a value, found `,4) p (5)`",
            "R1 4: column 6: expected a tuple, a relation or `@`, found `{6}`",
        ];
        assert_eq!(messages(&trace), expected);
    }

    #[test]
    fn the_values_of_a_tuple_that_was_left_out_are_in_no_other_one() {
        assert_eq!(events(&of_text("@1 p (3,,4)\nq\n@2 r (1) p (2,,\n(5)\n")), ["0: q()", "1: r(1)"]);
    }

    #[test]
    fn a_log_may_end_anywhere_but_not_inside_a_tuple() {
        assert_eq!(messages(&of_text("@1 p (1)\n@2;\n")), [""; 0]);
        assert_eq!(events(&of_text("@1 p")), ["0: p()"]);
        for (text, expected) in
            [("@", "a time stamp"), ("@1 p (", "a value or `)`"), ("@1 p (2", "`,` or `)`"), ("@1 >", "`<`")]
        {
            let trace = of_text(&format!("@0 p (1)\n{text}"));
            assert_eq!(messages(&trace), [format!("R1 2: the log ends where it should have {expected}")]);
        }
    }

    #[test]
    fn a_time_stamp_that_falls_is_a_fault() {
        let trace = of_text("@2 p (1)\n@2 p (2)\n@1 p (3)\n");
        assert_eq!(messages(&trace), ["R2 3: the time stamp 1 comes after 2: time stamps must not fall"]);
        assert_eq!(trace.n_events(), 3);
    }
}
