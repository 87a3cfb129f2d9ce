//! The grammar of one event line. Its fields are borrowed from the line; [`events`](super::events) gives them meaning.
//!
//! ```text
//!  14:     7 [5] exit nondet (predicate) {queens} queens: qdelete(2 {int}, -, [3] {list__list(int)})/3-0 [s2, c3]  48
//! ```
//!
//! Any part may be missing, because Morphine can hide each of them.

use std::fmt;

use crate::formats::lines::brackets::{self, ClosedBracket};
use crate::formats::mercury::vocabulary;
use crate::term::letters::excerpt;

/// The fields of one event line; a field is absent when its part is not printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventFields<'a> {
    /// Number of the event.
    pub(crate) chrono: Option<i64>,
    /// Number of the call.
    pub(crate) call: Option<i64>,
    /// Depth of the call.
    pub(crate) depth: Option<i64>,
    /// Kind of the event.
    pub(crate) port: Option<&'static str>,
    /// Determinism marker, in Morphine's spelling.
    pub(crate) det: Option<&'static str>,
    /// `predicate` or `function`.
    pub(crate) proc_type: Option<&'static str>,
    /// Defining module as it is written, maybe in quotes.
    pub(crate) def_module: Option<&'a [u8]>,
    /// Declaring module as it is written, maybe in quotes.
    pub(crate) decl_module: Option<&'a [u8]>,
    /// Name of the procedure as it is written, maybe in quotes.
    pub(crate) name: Option<&'a [u8]>,
    /// The arguments between their parentheses.
    pub(crate) args: Option<PrintedArgs<'a>>,
    /// The number after `/`.
    pub(crate) arity: Option<i64>,
    /// The number after `-`.
    pub(crate) mode_number: Option<i64>,
    /// The result of a function: the text of the term after ` = `.
    pub(crate) result: Option<&'a [u8]>,
    /// The steps of the goal path: between the brackets, or `s1;c2;t;`.
    pub(crate) goal_path: Option<&'a [u8]>,
    /// Line number in the source of the traced program.
    pub(crate) line_number: Option<i64>,
}

impl EventFields<'_> {
    /// The arity of the procedure: printed, counted, or 0 for a name without parentheses; `()` hides the arguments.
    pub(crate) fn n_args(&self) -> Option<i64> {
        self.arity.or(match self.args {
            Some(args) => (args.count > 0).then_some(i64::from(args.count)),
            None => self.name.map(|_| 0),
        })
    }
}

/// The text between the parentheses of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrintedArgs<'a> {
    /// The text, without the parentheses.
    pub(crate) text: &'a [u8],
    /// The number of arguments: commas outside brackets and quotes, and one more; 0 for `()`.
    pub(crate) count: u32,
    /// Whether brackets and quotes match, so that the text can be split into terms.
    pub(crate) is_balanced: bool,
}

/// Why a line is not an event: what was expected where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadableLine {
    /// The offset of the first byte that does not fit.
    pub(crate) at: usize,
    /// What would have fitted there.
    pub(crate) expected: &'static str,
}

impl UnreadableLine {
    /// The message for `line`, with the text that was found instead.
    pub(crate) fn message(self, line: &[u8]) -> String {
        let rest = String::from_utf8_lossy(&line[self.at.min(line.len())..]);
        let found = rest.split_whitespace().next().map_or_else(|| "the end of the line".to_owned(), excerpt);
        format!("{}: expected {}, found {found}", ColumnNumber(line, self.at), self.expected)
    }
}

/// Prints as `column N`, in characters from 1.
struct ColumnNumber<'a>(&'a [u8], usize);

impl fmt::Display for ColumnNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = String::from_utf8_lossy(&self.0[..self.1.min(self.0.len())]);
        write!(f, "column {}", before.chars().count() + 1)
    }
}

/// Parses one line without its line end.
///
/// A line is an event if it has a port or a chrono, and also a call, a depth, a name or arguments.
pub(crate) fn parse(line: &[u8]) -> Result<EventFields<'_>, UnreadableLine> {
    let mut scan = LineParser { line, at: 0 };
    let mut event = EventFields::default();
    scan.numbers(&mut event)?;
    scan.blanks();
    let port_at = scan.at;
    scan.markers(&mut event);
    scan.modules(&mut event);
    scan.procedure(&mut event)?;
    event.result = scan.result();
    scan.place(&mut event)?;
    scan.blanks();
    if scan.at < line.len() {
        return Err(leftover(&event, port_at, scan.at));
    }
    let has_mark = event.port.is_some() || event.chrono.is_some();
    let has_more = event.call.is_some() || event.depth.is_some() || event.name.is_some() || event.args.is_some();
    if has_mark && has_more { Ok(event) } else { Err(UnreadableLine { at: 0, expected: "an event" }) }
}

/// Parses the text after the arguments of an event, `[s2, c3]  48 `; `None` if it contains anything but a goal path and
/// a line number.
pub(crate) fn tail(tail: &[u8]) -> Option<EventFields<'_>> {
    let mut scan = LineParser { line: tail, at: 0 };
    let mut event = EventFields::default();
    if matches!(scan.peek(), b'/' | b'-') {
        return None;
    }
    scan.place(&mut event).ok()?;
    scan.blanks();
    (scan.at == tail.len()).then_some(event)
}

/// The end of the term that begins at `start`. The term ends before the last goal path outside brackets; without a goal
/// path, before a line number that a blank follows; otherwise at the end of the line. `None` if brackets or quotes do
/// not match.
fn result_end(line: &[u8], start: usize) -> Option<usize> {
    let ends = ends_of_words(line, start)?;
    let place = |end: usize| tail(&line[end..]);
    let has_path = |end: &&usize| place(**end).is_some_and(|event| event.goal_path.is_some());
    if let Some(end) = ends.iter().rev().find(has_path) {
        return Some(*end);
    }
    let has_line = |end: &&usize| place(**end).is_some_and(|event| event.line_number.is_some());
    if line.ends_with(b" ")
        && let Some(end) = ends.iter().rev().find(has_line)
    {
        return Some(*end);
    }
    ends.last().copied()
}

/// The ends of words outside brackets and quotes; `None` if brackets or quotes do not match.
fn ends_of_words(line: &[u8], start: usize) -> Option<Vec<usize>> {
    let (mut ends, mut at) = (Vec::new(), start);
    while let Some(byte) = line.get(at) {
        at = match byte {
            b'(' | b'[' | b'{' => brackets::matching(line, at)?.close + 1,
            b')' | b']' | b'}' => return None,
            b'\'' | b'"' | b'`' => brackets::quoted_end(line, at)?,
            _ => at + 1,
        };
        if !is_blank(line[at - 1]) && line.get(at).is_none_or(|byte| is_blank(*byte)) {
            ends.push(at);
        }
    }
    Some(ends)
}

/// The fault of a line with text after its last part. In a line without a port, the fault is where a port was expected.
fn leftover(event: &EventFields<'_>, port_at: usize, at: usize) -> UnreadableLine {
    if event.port.is_some() {
        return UnreadableLine { at, expected: "the end of the line" };
    }
    UnreadableLine { at: port_at, expected: if port_at == 0 { "an event" } else { "a port" } }
}

/// A position in a line that moves over one part after another.
struct LineParser<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> LineParser<'a> {
    fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    /// The byte at `at`; after the end of the line, a blank, which ends every word.
    fn byte(&self, at: usize) -> u8 {
        self.line.get(at).copied().unwrap_or(b' ')
    }

    fn blanks(&mut self) {
        while self.at < self.line.len() && is_blank(self.line[self.at]) {
            self.at += 1;
        }
    }

    /// Parses the numbers: `  14:     7 [5] `.
    fn numbers(&mut self, event: &mut EventFields<'a>) -> Result<(), UnreadableLine> {
        self.blanks();
        let start = self.at;
        if let Some(number) = self.number()? {
            match self.peek() {
                b':' => {
                    event.chrono = Some(number);
                    self.at += 1;
                    self.blanks();
                    self.call(event)?;
                }
                _ => {
                    self.at = start;
                    self.call(event)?;
                }
            }
        }
        self.blanks();
        self.depth(event)
    }

    fn call(&mut self, event: &mut EventFields<'a>) -> Result<(), UnreadableLine> {
        let start = self.at;
        match self.number()? {
            Some(number) if is_blank(self.peek()) || self.peek() == b'[' => event.call = Some(number),
            Some(_) => return Err(UnreadableLine { at: start, expected: "a call number" }),
            None => {}
        }
        Ok(())
    }

    fn depth(&mut self, event: &mut EventFields<'a>) -> Result<(), UnreadableLine> {
        let start = self.at;
        if self.peek() != b'[' {
            return Ok(());
        }
        self.at += 1;
        event.depth = self.number()?;
        match event.depth {
            Some(_) if self.peek() == b']' => self.at += 1,
            Some(_) => return Err(UnreadableLine { at: self.at, expected: "`]` after the depth" }),
            None => self.at = start,
        }
        Ok(())
    }

    /// A run of digits, if one begins here.
    fn number(&mut self) -> Result<Option<i64>, UnreadableLine> {
        let start = self.at;
        let mut value = 0i64;
        while let digit @ b'0'..=b'9' = self.peek() {
            let next = value.checked_mul(10).and_then(|tens| tens.checked_add(i64::from(digit - b'0')));
            value = next.ok_or(UnreadableLine { at: start, expected: "a number below 2^63" })?;
            self.at += 1;
        }
        Ok((self.at > start).then_some(value))
    }

    /// Parses the port and the markers: `exit nondet (predicate) `.
    fn markers(&mut self, event: &mut EventFields<'a>) {
        self.blanks();
        event.port = self.marker(vocabulary::port);
        let start = self.at;
        self.blanks();
        event.det = self.marker(vocabulary::det);
        if event.det.is_some() && !self.procedure_follows() {
            (event.det, self.at) = (None, start);
        }
        self.proc_type(event);
    }

    /// A bare word that `meaning` knows and that a blank ends.
    fn marker<T>(&mut self, meaning: fn(&[u8]) -> Option<T>) -> Option<T> {
        let end = self.word_end(self.at);
        let found = if is_blank(self.byte(end)) { meaning(&self.line[self.at..end]) } else { None };
        if found.is_some() {
            self.at = end;
        }
        found
    }

    fn proc_type(&mut self, event: &mut EventFields<'a>) {
        self.blanks();
        if self.peek() != b'(' {
            return;
        }
        let rest = &self.line[self.at..];
        let Some(&(text, name)) = vocabulary::PROC_TYPES.iter().find(|(text, _)| rest.starts_with(text.as_bytes()))
        else {
            return;
        };
        let start = self.at;
        self.at += text.len();
        if is_blank(self.peek()) && self.procedure_follows() {
            event.proc_type = Some(name);
        } else {
            self.at = start;
        }
    }

    /// Whether a procedure follows the blanks here, rather than a goal path, a line number or the end of the line.
    fn procedure_follows(&mut self) -> bool {
        self.blanks();
        self.at < self.line.len() && self.peek() != b'[' && !self.peek().is_ascii_digit()
    }

    /// Parses the modules: `{queens} queens: `.
    fn modules(&mut self, event: &mut EventFields<'a>) {
        self.blanks();
        if self.peek() == b'{' {
            let end = self.name_end(self.at + 1);
            if end > self.at + 1 && self.byte(end) == b'}' && is_blank(self.byte(end + 1)) {
                event.def_module = Some(&self.line[self.at + 1..end]);
                self.at = end + 1;
                self.blanks();
            }
        }
        let end = self.name_end(self.at);
        if end > self.at && self.byte(end) == b':' {
            event.decl_module = Some(&self.line[self.at..end]);
            self.at = end + 1;
            self.blanks();
        }
    }

    /// Parses the procedure: `qdelete(2, [2], [])/3-0`.
    fn procedure(&mut self, event: &mut EventFields<'a>) -> Result<(), UnreadableLine> {
        let end = self.procedure_name_end();
        if end > self.at {
            event.name = Some(&self.line[self.at..end]);
            self.at = end;
        }
        if self.peek() == b'(' {
            event.args = Some(self.args()?);
        }
        event.arity = self.number_after(b'/')?;
        event.mode_number = self.number_after(b'-')?;
        Ok(())
    }

    /// The end of the name that begins here; the current position if there is no name.
    fn procedure_name_end(&self) -> usize {
        let end = self.name_end(self.at);
        if end == self.at {
            return self.symbol_end();
        }
        // `s1;c2;` is a goal path, not a procedure
        if self.byte(end) == b';' { self.at } else { end }
    }

    /// The end of a name of symbol characters; `/2` and `-0` alone are the arity and the mode of a procedure whose name
    /// is not printed.
    fn symbol_end(&self) -> usize {
        let mut end = self.at;
        if matches!(self.peek(), b'!' | b',' | b'|') {
            return end + 1;
        }
        while is_symbol(self.byte(end)) {
            end += 1;
        }
        if self.byte(end) == b';' && end > self.at {
            return self.at;
        }
        let gives_number = end > self.at && matches!(self.line[end - 1], b'/' | b'-');
        if gives_number && self.byte(end).is_ascii_digit() { end - 1 } else { end }
    }

    /// Parses the result of a function, up to a goal path or a line number: ` = [1, 3]`.
    fn result(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 3;
        if !self.line[self.at..].starts_with(b" = ") || is_blank(self.byte(start)) {
            return None;
        }
        let end = result_end(self.line, start)?;
        self.at = end;
        Some(&self.line[start..end])
    }

    fn args(&mut self) -> Result<PrintedArgs<'a>, UnreadableLine> {
        let open = self.at;
        if let Some(ClosedBracket { close, commas }) = brackets::matching(self.line, open) {
            self.at = close + 1;
            let text = &self.line[open + 1..close];
            let count = if text.is_empty() { 0 } else { commas + 1 };
            return Ok(PrintedArgs { text, count, is_balanced: true });
        }
        let close = self.last_closing().ok_or(UnreadableLine { at: open, expected: "`)` for this `(`" })?;
        self.at = close + 1;
        Ok(PrintedArgs { text: &self.line[open + 1..close], count: 1, is_balanced: false })
    }

    /// The last `)` of the line, if a goal path follows it. It ends arguments whose own brackets or quotes do not
    /// match.
    fn last_closing(&self) -> Option<usize> {
        let close = memchr::memrchr(b')', &self.line[self.at..])? + self.at;
        let path = self.line[close + 1..].iter().position(|&byte| byte == b'[')?;
        let between = &self.line[close + 1..close + 1 + path];
        let is_plain = between.iter().all(|&byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'-' | b' '));
        (is_plain && between.ends_with(b" ")).then_some(close)
    }

    fn number_after(&mut self, mark: u8) -> Result<Option<i64>, UnreadableLine> {
        if self.peek() != mark || !self.byte(self.at + 1).is_ascii_digit() {
            return Ok(None);
        }
        self.at += 1;
        self.number()
    }

    /// Parses the goal path and the line number: `[s2, c3, e]  48 ` or `s2;c3;e; 48`.
    fn place(&mut self, event: &mut EventFields<'a>) -> Result<(), UnreadableLine> {
        self.blanks();
        event.goal_path = if self.peek() == b'[' { Some(self.path_list()?) } else { self.path_steps() };
        self.blanks();
        let start = self.at;
        event.line_number = self.number()?;
        match event.line_number {
            Some(_) if !is_blank(self.peek()) => Err(UnreadableLine { at: start, expected: "a line number" }),
            _ => Ok(()),
        }
    }

    fn path_list(&mut self) -> Result<&'a [u8], UnreadableLine> {
        let open = self.at;
        let found = brackets::matching(self.line, open);
        let close = found.ok_or(UnreadableLine { at: open, expected: "`]` for this `[`" })?.close;
        self.at = close + 1;
        Ok(&self.line[open + 1..close])
    }

    fn path_steps(&mut self) -> Option<&'a [u8]> {
        let end = (self.at..self.line.len()).find(|&at| is_blank(self.line[at])).unwrap_or(self.line.len());
        let steps = &self.line[self.at..end];
        let is_path = steps.ends_with(b";") && !steps.contains(&b'(');
        if is_path {
            self.at = end;
        }
        is_path.then_some(steps)
    }

    /// The end of the word or quoted atom at `at`; `at` if neither begins there. A dot between letters belongs to the
    /// word.
    fn name_end(&self, at: usize) -> usize {
        if self.byte(at) == b'\'' {
            return brackets::quoted_end(self.line, at).unwrap_or(at);
        }
        if self.byte(at).is_ascii_digit() {
            return at;
        }
        let mut end = self.word_end(at);
        while end > at && self.byte(end) == b'.' && is_word(self.byte(end + 1)) {
            end = self.word_end(end + 1);
        }
        end
    }

    fn word_end(&self, at: usize) -> usize {
        let mut end = at;
        while is_word(self.byte(end)) {
            end += 1;
        }
        end
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Letters, digits, `_`, and every byte beyond ASCII, valid text or not.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

static IS_WORD: [bool; 256] = {
    let (mut is_word, mut byte) = ([false; 256], 0);
    while byte < 256 {
        is_word[byte] = byte >= 0x80 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    is_word
};

fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'*' | b'/' | b'\\' | b'^' | b'<' | b'>' | b'=' | b'~' | b'.' | b'?' | b'@' | b'#')
        || matches!(byte, b'&' | b'$' | b':')
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
