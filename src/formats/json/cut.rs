//! Cutting a document into pieces: the values that are not entered, and where the entered containers begin and end.

use super::masks::{BLOCK, BlockMasks, TextState};
use super::scanner::{JsonKind, JsonScanner};
use super::value::unquoted;
use crate::formats::lines::text;

/// How the documents of a format are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentRules {
    /// What to do with a value, by the containers around it (the outermost first), its key in an object, and its kind.
    pub(crate) treatment: fn(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment,
    /// How many of the open containers stay open when, after a fault, reading goes on at a line that begins with a
    /// bracket; `rest` begins with that bracket.
    pub(crate) resume: fn(open: &[OpenContainer], rest: &[u8]) -> usize,
    /// Whether the records after a broken one are left out up to the next line that begins with one.
    pub(crate) drops_line: bool,
    /// Whether commas between values may be missing, or be too many.
    pub(crate) has_loose_commas: bool,
}

/// What to do with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Cut what is inside of it; a scalar is kept.
    Enter,
    /// It is a record.
    Record,
    /// It is no record, but is handed over.
    Keep,
    /// It is left out.
    Skip,
}

/// What is said of a [comma](PieceKind::Comma).
pub(crate) const COMMA: &str = "a comma is missing, or there is one too many";

/// A container that was entered and is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenContainer {
    /// The key under which it stands; empty in an array and at the top.
    pub(crate) key: String,
    /// Whether it is an object.
    pub(crate) is_object: bool,
    /// What to do with the objects in an array, once known.
    objects: Option<Treatment>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A container that is entered begins.
    Begin,
    /// The innermost entered container ends.
    End,
    /// A value that is kept.
    Value,
    /// A record.
    Record,
    /// What stands here is no JSON; a part is left out.
    Broken,
    /// A value that the end of the document cuts is left out.
    Cut,
    /// A comma is missing before what stands here, or is one too many; a part is left out.
    Comma,
    /// A value that is longer than any line may be is left out.
    TooLong,
    /// The document ends before a container that was entered.
    Unfinished,
}

/// A piece, by its place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPiece {
    pub(super) kind: PieceKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the key stands, quotes included.
    pub(super) key: Option<(usize, usize)>,
    /// The entered containers around it.
    pub(super) depth: usize,
}

/// Where a value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueEnd {
    At(usize),
    /// It is no JSON.
    Broken,
    /// It does not end in the text.
    Missing,
}

/// An entry of a container: a value with its key.
struct CutEntry {
    key: Option<(usize, usize)>,
    value: usize,
}

/// Cuts a document, one part of its text after the other.
pub(super) struct Cutter {
    rules: DocumentRules,
    open: Vec<OpenContainer>,
    /// If a fault was met, and no bracket since then where reading may go on: the blanks before the element of an array in
    /// which the fault is, if it begins its line, as the next elements have as many; otherwise 0.
    lost: Option<usize>,
    before: Before,
}

/// What stands before a place in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Its bracket, or something that was left out.
    Start,
    Value,
    Comma,
}

impl Cutter {
    pub(super) fn new(rules: DocumentRules) -> Cutter {
        Cutter { rules, open: Vec::new(), lost: None, before: Before::Start }
    }

    /// Adds the pieces at the start of `text`, as far as they are in it, and returns how many bytes they take.
    pub(super) fn cut(&mut self, text: &[u8], is_last: bool, pieces: &mut Vec<CutPiece>) -> usize {
        let mut at = 0;
        loop {
            at = match self.lost {
                Some(indent) => self.resume(text, at, indent, pieces),
                None => pass_blanks(text, at),
            };
            if at >= text.len() {
                break;
            }
            match self.step(text, at, is_last, pieces) {
                Some(next) => at = next,
                None if is_last && next_bracket(text, at, &mut self.indentation(text, at)).is_none() => {
                    self.push(PieceKind::Cut, at, at, None, pieces);
                    at = text.len();
                }
                None if is_last => at = self.lose(text, at, pieces),
                None => return before_newline(text, at),
            }
        }
        if !is_last {
            return before_newline(text, text.len());
        }
        if !self.open.is_empty() {
            self.push(PieceKind::Unfinished, text.len(), text.len(), None, pieces);
        }
        self.close(0, text.len(), pieces);
        text.len()
    }

    /// Leaves out the value at the start of the text, which is too long.
    pub(super) fn leave_out(&mut self, pieces: &mut Vec<CutPiece>) {
        self.push(PieceKind::TooLong, 0, 0, None, pieces);
        self.lost = Some(0);
    }

    /// Takes what begins at `at`, and returns where it ends; none if more of the text is needed.
    fn step(&mut self, text: &[u8], at: usize, is_last: bool, pieces: &mut Vec<CutPiece>) -> Option<usize> {
        let is_object = self.open.last().map(|open| open.is_object);
        if self.is_misplaced(text[at], is_object) {
            return Some(self.lose_at_comma(text, at, pieces));
        }
        match (text[at], is_object) {
            (b',', Some(_)) => {
                self.before = Before::Comma;
                Some(at + 1)
            }
            (b'}', Some(true)) | (b']', Some(false)) => {
                self.close(self.open.len() - 1, at, pieces);
                Some(at + 1)
            }
            (b'"', Some(true)) => match entry(text, at) {
                Ok(entry) => self.value(text, at, entry?, is_last, pieces),
                Err(()) => Some(self.lose(text, at, pieces)),
            },
            (_, Some(true)) => Some(self.lose(text, at, pieces)),
            _ => self.value(text, at, CutEntry { key: None, value: at }, is_last, pieces),
        }
    }

    /// Whether a comma is missing before a byte with which something begins or ends, or is one too many.
    fn is_misplaced(&self, byte: u8, is_object: Option<bool>) -> bool {
        if self.rules.has_loose_commas || is_object.is_none() {
            return false;
        }
        match byte {
            b',' => self.before != Before::Value,
            b'}' | b']' => self.before == Before::Comma,
            _ => self.before == Before::Value,
        }
    }

    fn value(
        &mut self,
        text: &[u8],
        start: usize,
        CutEntry { key, value }: CutEntry,
        is_last: bool,
        pieces: &mut Vec<CutPiece>,
    ) -> Option<usize> {
        let first = text[value];
        let Some(kind) = JsonKind::of(first) else { return Some(self.lose(text, start, pieces)) };
        let treatment = self.treatment(text, key, kind);
        if treatment == Treatment::Enter && matches!(kind, JsonKind::Object | JsonKind::Array) {
            self.push(PieceKind::Begin, value, value + 1, key, pieces);
            let key = key.map(|key| key_text(text, key)).unwrap_or_default();
            self.open.push(OpenContainer { key, is_object: kind == JsonKind::Object, objects: None });
            self.before = Before::Start;
            return Some(value + 1);
        }
        let end = match kind {
            JsonKind::Object | JsonKind::Array => nested_end(text, value, self.indentation(text, value)),
            JsonKind::Text => text_end(text, value),
            _ => scalar_end(text, value, is_last),
        };
        match end {
            ValueEnd::At(end) => {
                self.before = Before::Value;
                match treatment {
                    Treatment::Record => self.push(PieceKind::Record, value, end, key, pieces),
                    Treatment::Keep | Treatment::Enter => self.push(PieceKind::Value, value, end, key, pieces),
                    Treatment::Skip => {}
                }
                Some(end)
            }
            ValueEnd::Broken => Some(self.lose(text, start, pieces)),
            ValueEnd::Missing => None,
        }
    }

    #[inline]
    fn treatment(&mut self, text: &[u8], key: Option<(usize, usize)>, kind: JsonKind) -> Treatment {
        if let (Some(OpenContainer { objects: Some(treatment), .. }), JsonKind::Object) = (self.open.last(), kind) {
            return *treatment;
        }
        let key = key.map(|key| key_text(text, key));
        let treatment = (self.rules.treatment)(&self.open, key.as_deref(), kind);
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_object && kind == JsonKind::Object) {
            open.objects = Some(treatment);
        }
        treatment
    }

    /// Notes a fault in what begins at `at`, and returns where to look for what follows.
    fn lose(&mut self, text: &[u8], at: usize, pieces: &mut Vec<CutPiece>) -> usize {
        self.push(PieceKind::Broken, at, at, None, pieces);
        self.lost = Some(self.indentation(text, at));
        at
    }

    /// The blanks before an object or array in an array, if it begins its line; 0 for anything else.
    fn indentation(&self, text: &[u8], at: usize) -> usize {
        match self.open.last() {
            Some(open) if !open.is_object && matches!(text.get(at), Some(b'{' | b'[')) => {
                at - line_start_before(text, at).unwrap_or(at)
            }
            _ => 0,
        }
    }

    /// As `lose`, where a comma is missing or one too many: reading goes on here if a line begins here with a bracket.
    fn lose_at_comma(&mut self, text: &[u8], at: usize, pieces: &mut Vec<CutPiece>) -> usize {
        self.push(PieceKind::Comma, at, at, None, pieces);
        self.lost = Some(self.indentation(text, at));
        before_newline(text, at)
    }

    /// Where reading goes on after a fault.
    fn resume(&mut self, text: &[u8], from: usize, mut indent: usize, pieces: &mut Vec<CutPiece>) -> usize {
        let Some(at) = next_bracket(text, from, &mut indent) else {
            self.lost = Some(indent);
            return text.len();
        };
        let n_open = match text[at - 1] {
            b'\n' => (self.rules.resume)(&self.open, &text[at..]),
            _ => self.open.len(),
        };
        self.close(n_open, at, pieces);
        (self.lost, self.before) = (None, Before::Start);
        at
    }

    /// Ends the open containers but for the first `n_open`.
    fn close(&mut self, n_open: usize, at: usize, pieces: &mut Vec<CutPiece>) {
        while self.open.len() > n_open {
            self.open.pop();
            self.push(PieceKind::End, at, at, None, pieces);
            self.before = Before::Value;
        }
    }

    #[inline]
    fn push(&self, kind: PieceKind, start: usize, end: usize, key: Option<(usize, usize)>, pieces: &mut Vec<CutPiece>) {
        pieces.push(CutPiece { kind, start, end, key, depth: self.open.len() });
    }
}

/// The next bracket with which a line begins, or that stands in it after `indent` blanks; these count no more after a line
/// with fewer that closes a bracket, as it ends the array.
fn next_bracket(text: &[u8], from: usize, indent: &mut usize) -> Option<usize> {
    let mut starts = memchr::memchr_iter(b'\n', &text[from..]).map(|newline| from + newline + 1);
    starts.find_map(|start| {
        let n_blanks = text[start..].iter().take(*indent).take_while(|byte| is_indent(byte)).count();
        if n_blanks < *indent && matches!(text.get(start + n_blanks), Some(b'}' | b']')) {
            *indent = 0;
        }
        first_bracket(text, start, *indent)
    })
}

/// The bracket with which the line at `start` begins, or that stands in it after `indent` blanks.
fn first_bracket(text: &[u8], start: usize, indent: usize) -> Option<usize> {
    let is_bracket = |at: &usize| matches!(text.get(*at), Some(b'{' | b'['));
    let are_blank = |at: &usize| text.get(start..*at).is_some_and(|blanks| blanks.iter().all(is_indent));
    Some(start).filter(is_bracket).or_else(|| Some(start + indent).filter(is_bracket).filter(are_blank))
}

fn is_indent(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where the line begins, if only blanks stand before `at` in it, and the line end before it is known.
pub(super) fn line_start_before(text: &[u8], at: usize) -> Option<usize> {
    let start = at - text[..at].iter().rev().take_while(|byte| is_indent(byte)).count();
    text[..start].ends_with(b"\n").then_some(start)
}

/// The offset of the line end before the line that begins with what stands at `at`, by which such lines are known; else `at`.
fn before_newline(text: &[u8], at: usize) -> usize {
    line_start_before(text, at).map_or(at, |start| start - 1)
}

/// The text of a key whose quotes stand there.
pub(super) fn key_text(text: &[u8], (start, end): (usize, usize)) -> String {
    unquoted(&text::visible_in_json(&text[start..end])).into_owned()
}

fn pass_blanks(text: &[u8], at: usize) -> usize {
    let blanks = text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r'));
    at + blanks.count()
}

/// The entry whose key begins at `at`; none if more of the text is needed.
fn entry(text: &[u8], at: usize) -> Result<Option<CutEntry>, ()> {
    let end = match text_end(text, at) {
        ValueEnd::At(end) => end,
        ValueEnd::Broken => return Err(()),
        ValueEnd::Missing => return Ok(None),
    };
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let colon = end + text[end..].iter().take_while(blank).count();
    match text.get(colon) {
        Some(b':') => {}
        Some(_) => return Err(()),
        None => return Ok(None),
    }
    let value = colon + 1 + text[colon + 1..].iter().take_while(blank).count();
    Ok((value < text.len()).then_some(CutEntry { key: Some((at, end)), value }))
}

/// The end of the text in quotes that begins at `start`.
fn text_end(text: &[u8], start: usize) -> ValueEnd {
    let mut at = start + 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr3(b'"', b'\\', b'\n', rest)) {
        match text[at + found] {
            b'"' => return ValueEnd::At(at + found + 1),
            b'\\' => at += found + 2,
            _ => return ValueEnd::Broken,
        }
    }
    ValueEnd::Missing
}

/// The end of the number or word that begins at `start`.
fn scalar_end(text: &[u8], start: usize, is_last: bool) -> ValueEnd {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
    let end = start + text[start..].iter().take_while(is_part).count();
    if end < text.len() || is_last { ValueEnd::At(end) } else { ValueEnd::Missing }
}

/// The end of the object or array that begins at `start`.
///
/// A value that goes on beyond a line that begins with a bracket, there or after `indent` blanks, inside of a text or where
/// no bracket may stand, is broken: so one that lacks a quote or a bracket does not take the rest of the document with it.
fn nested_end(text: &[u8], start: usize, indent: usize) -> ValueEnd {
    let mut walk =
        NestedWalk { text, start, indent, texts: TextState::default(), depth: 0, after_newline: 0, checked: 0 };
    let mut at = start;
    while at < text.len() {
        if let Some(end) = walk.block(at) {
            return end;
        }
        at += BLOCK;
    }
    if walk.is_broken(text.len()) { ValueEnd::Broken } else { ValueEnd::Missing }
}

/// The way from a bracket to the one that closes it.
struct NestedWalk<'t> {
    text: &'t [u8],
    start: usize,
    /// The blanks before the value, if it begins its line.
    indent: usize,
    texts: TextState,
    depth: i64,
    /// 1 if the last byte was a line end.
    after_newline: u64,
    /// The length that is known to be unbroken.
    checked: usize,
}

impl NestedWalk<'_> {
    #[inline]
    fn block(&mut self, at: usize) -> Option<ValueEnd> {
        let masks = BlockMasks::at(self.text, at);
        let texts = self.texts.texts(&masks);
        let (opens, closes) = (masks.opens & !texts, masks.closes & !texts);
        let begins = opens & (masks.newlines << 1 | self.after_newline) | self.indented(opens, at);
        let faults = begins | masks.newlines & texts;
        self.after_newline = masks.newlines >> 63;
        let n_closes = i64::from(closes.count_ones());
        if faults == 0 && n_closes < self.depth {
            self.depth += i64::from(opens.count_ones()) - n_closes;
            return None;
        }
        let mut marks = opens | closes | faults;
        while marks != 0 {
            let bit = marks & marks.wrapping_neg();
            let offset = at + bit.trailing_zeros() as usize;
            if faults & bit != 0 && self.is_fault(offset, texts & bit != 0) {
                return Some(ValueEnd::Broken);
            }
            self.depth += i64::from(opens & bit != 0) - i64::from(closes & bit != 0);
            if self.depth == 0 {
                return Some(ValueEnd::At(offset + 1));
            }
            marks &= marks - 1;
        }
        None
    }

    /// Those of the brackets of a block that stand in their line where the value stands in its own.
    #[inline]
    fn indented(&self, mut opens: u64, at: usize) -> u64 {
        let mut indented = 0;
        while self.indent > 0 && opens != 0 {
            let bit = opens & opens.wrapping_neg();
            let offset = at + bit.trailing_zeros() as usize;
            if offset > self.start && line_start_before(self.text, offset) == Some(offset - self.indent) {
                indented |= bit;
            }
            opens &= opens - 1;
        }
        indented
    }

    /// Whether a line end or a bracket at the start of a line shows that the value is broken.
    #[cold]
    fn is_fault(&mut self, at: usize, is_in_text: bool) -> bool {
        if is_in_text {
            return first_bracket(self.text, at + 1, self.indent).is_some();
        }
        // each check begins anew, so that the next one waits until there is as much again
        at - self.start >= 2 * self.checked && self.is_broken(at + 1)
    }

    /// Whether the value is broken before `end`.
    fn is_broken(&mut self, end: usize) -> bool {
        let begun = text::visible_in_json(&self.text[self.start..end]);
        self.checked = end - self.start;
        let mut scanner = JsonScanner::new(&begun);
        scanner.skip().is_err_and(|error| error.at < unfinished(&begun))
    }
}

/// Where a word, a number or an escape begins that may go on after the end of the text.
fn unfinished(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'\\');
    text.len() - text.bytes().rev().take_while(is_part).count()
}
