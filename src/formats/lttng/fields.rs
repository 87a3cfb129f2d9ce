//! Values of fields as babeltrace2 prints them: `{ id = 1, who = "ann", sizes = [ [0] = 5 ], kind = ( "A" : container = 0 ) }`.
//!
//! A group is read into a list of tokens, which are checked and then written as terms; nothing recurses, as values may
//! nest deeply.

use std::fmt::Write;

use crate::formats::lines::text::c_unescaped;
use crate::term::letters::{atom_text, write_quoted};

/// A part of a value. Names belong to the value after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldToken<'g> {
    /// `{`, `[` or `(`.
    Open(u8),
    /// `}`, `]` or `)`.
    Close,
    /// `name = ` or `[0] = `, without brackets.
    Name(&'g str),
    /// What stands between two quotes, with its escapes.
    Text(&'g str),
    /// A number, or a word in angle brackets.
    Word(&'g str),
}

/// The tokens of a value.
#[derive(Debug)]
pub(super) struct FieldTokens<'g> {
    text: &'g str,
    /// Where the last token begins.
    from: usize,
    at: usize,
    /// The brackets that are to be closed.
    open: Vec<u8>,
    is_named: bool,
}

impl<'g> FieldTokens<'g> {
    /// The tokens of the value at the beginning of a text.
    pub(super) fn of(text: &'g str) -> FieldTokens<'g> {
        FieldTokens { text, from: 0, at: 0, open: Vec::new(), is_named: false }
    }

    /// The next token; none after the value, and an error where it breaks the grammar.
    pub(super) fn step(&mut self) -> Option<Result<FieldToken<'g>, ()>> {
        let is_done = self.at > 0 && self.open.is_empty();
        (!is_done).then(|| self.token().ok_or(()))
    }

    fn token(&mut self) -> Option<FieldToken<'g>> {
        let bytes = self.text.as_bytes();
        let is_between =
            |byte: u8| byte == b' ' || (matches!(byte, b',' | b':' | b'|') && !self.is_named && !self.open.is_empty());
        while bytes.get(self.at).is_some_and(|byte| is_between(*byte)) {
            self.at += 1;
        }
        self.from = self.at;
        let (first, rest) = (*bytes.get(self.at)?, &self.text[self.at..]);
        if let Some(length) = self.begins_name(rest) {
            self.is_named = true;
            return Some(FieldToken::Name(self.take(length)[..length - " = ".len()].trim_matches(['[', ']'])));
        }
        let token = match first {
            b'{' | b'[' | b'(' => {
                self.open.push(if first == b'(' { b')' } else { first + 2 });
                self.take(1);
                FieldToken::Open(first)
            }
            b'}' | b']' | b')' => {
                self.open.pop().filter(|closing| *closing == first && !self.is_named)?;
                self.take(1);
                FieldToken::Close
            }
            b'"' => {
                let length = quoted_length(rest)?;
                FieldToken::Text(&self.take(length)[1..length - 1])
            }
            _ => FieldToken::Word(self.take(word_length(rest)?)),
        };
        self.is_named = false;
        Some(token)
    }

    /// The length of `name = ` or `[0] = `, if a name may stand there.
    fn begins_name(&self, rest: &str) -> Option<usize> {
        if self.is_named || self.open.is_empty() {
            return None;
        }
        let inner = rest.strip_prefix('[').unwrap_or(rest);
        let word = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|length| *length > 0)?;
        let after = &inner[word..];
        let after = after.strip_prefix(']').unwrap_or(after).strip_prefix(" = ")?;
        Some(rest.len() - after.len())
    }

    fn take(&mut self, length: usize) -> &'g str {
        self.at += length;
        &self.text[self.at - length..self.at]
    }
}

/// The length of a text in quotes, both included.
fn quoted_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The length of a number or of a word in angle brackets.
fn word_length(text: &str) -> Option<usize> {
    if text.starts_with('<') {
        return text.find('>').map(|end| end + 1);
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    is_number(&text[..length]).then_some(length)
}

/// Whether a word is a number or a boolean.
fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_decimal = unsigned.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok();
    is_decimal || whole_number(word).is_some() || matches!(unsigned, "inf" | "nan" | "true" | "false")
}

/// A whole number in any base: `12`, `0xBEEF`, `0b101`, and in octal digits `0755`.
fn whole_number(word: &str) -> Option<i128> {
    let digits = word.trim_start_matches(['-', '+']);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] if digits.bytes().all(|byte| matches!(byte, b'0'..=b'7')) => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let value = i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))?;
    Some(if word.starts_with('-') { -value } else { value })
}

/// The length of the value at the beginning of a text; `None` if it breaks the grammar.
pub(super) fn value_length(text: &str) -> Option<usize> {
    each_field(text, |_, _| {})
}

/// Hands the fields of the group at the beginning of a text to `take`, each with its name if it has one and the text of its
/// value. Returns the length of the group; `None` if it breaks the grammar, after the fields before that place.
pub(super) fn each_field<'g>(text: &'g str, mut take: impl FnMut(Option<&'g str>, &'g str)) -> Option<usize> {
    let (mut tokens, mut name, mut begin) = (FieldTokens::of(text), None, 0);
    while let Some(token) = tokens.step() {
        match (token.ok()?, tokens.open.len()) {
            (FieldToken::Name(found), 1) => name = Some(found),
            (FieldToken::Open(_), 2) => begin = tokens.from,
            (FieldToken::Close, 1) => take(name.take(), &text[begin..tokens.at]),
            (FieldToken::Text(_) | FieldToken::Word(_), 1) => take(name.take(), &text[tokens.from..tokens.at]),
            _ => {}
        }
    }
    Some(tokens.at)
}

/// Whether a field is the length of a sequence or the like, which babeltrace2 adds.
pub(super) fn is_hidden(name: Option<&str>) -> bool {
    name.is_some_and(|name| name.starts_with('_'))
}

/// What `write` makes of a value or a group.
pub(super) fn written(value: &[u8], write: fn(&str, &mut String)) -> String {
    let mut text = String::new();
    write(std::str::from_utf8(value).unwrap_or_default(), &mut text);
    text
}

/// Writes the values of a group as arguments.
pub(super) fn write_arguments(group: &str, out: &mut String) {
    write_fields(group, |_, _| {}, out);
}

/// Writes the fields of a group, each with its name if it has one, as a list of `Name = Value`.
pub(super) fn write_pairs(group: &str, out: &mut String) {
    out.push('[');
    write_fields(group, write_name, out);
    out.push(']');
}

fn write_fields(group: &str, write_name: fn(Option<&str>, &mut String), out: &mut String) {
    let mut separator = "";
    each_field(group, |name, value| {
        if !is_hidden(name) {
            out.push_str(separator);
            write_name(name, out);
            write_value(value, out);
            separator = ", ";
        }
    });
}

fn write_name(name: Option<&str>, out: &mut String) {
    if let Some(name) = name {
        out.push_str(&atom_text(name));
        // blanks keep a minus sign apart
        out.push_str(" = ");
    }
}

/// What is written at the end of an open bracket, and whether a part was written in it.
struct OpenTerm {
    close: &'static str,
    has_part: bool,
    /// Names of the parts are shown, unless they are indexes or those of an enumeration.
    shows_names: bool,
}

/// Writes a value as a term: `label('A', 0)` for an enumeration, a list for an array, `struct([...])` for a structure.
pub(super) fn write_value(value: &str, out: &mut String) {
    let mut open: Vec<OpenTerm> = Vec::new();
    let mut tokens = FieldTokens::of(value);
    let mut is_named = false;
    while let Some(Ok(token)) = tokens.step() {
        if let FieldToken::Close = token {
            out.push_str(open.pop().map_or("", |term| term.close));
            continue;
        }
        if let (Some(term), false) = (open.last_mut(), is_named) {
            out.push_str(if term.has_part { ", " } else { "" });
            term.has_part = true;
        }
        is_named = false;
        match token {
            FieldToken::Open(bracket) => {
                let is_in_label = open.last().is_some_and(|term| term.close == ")");
                let (begin, close) = match bracket {
                    b'{' if !is_in_label => ("struct([", "])"),
                    b'(' => ("label(", ")"),
                    _ => ("[", "]"),
                };
                out.push_str(begin);
                open.push(OpenTerm { close, has_part: false, shows_names: close == "])" });
            }
            FieldToken::Name(name) => {
                is_named = true;
                if open.last().is_some_and(|term| term.shows_names) {
                    write_name(Some(name), out);
                }
            }
            FieldToken::Text(inner) => {
                let is_label = open.iter().rev().take(2).any(|term| term.close == ")");
                write_text(inner, if is_label { '\'' } else { '"' }, out);
            }
            FieldToken::Word(word) => write_word(word, out),
            FieldToken::Close => {}
        }
    }
}

fn write_text(inner: &str, quote: char, out: &mut String) {
    write_quoted(out, &c_unescaped(inner), quote).expect("writing to a string cannot fail");
}

fn write_word(word: &str, out: &mut String) {
    let digits = word.trim_start_matches(['-', '+']);
    match whole_number(word) {
        Some(value) => write!(out, "{value}").expect("writing to a string cannot fail"),
        None if matches!(word, "true" | "false") => out.push_str(word),
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => out.push_str(word.trim_start_matches('+')),
        None => match word.parse::<f64>().ok().filter(|value| value.is_finite()) {
            Some(value) => write!(out, "{value:?}").expect("writing to a string cannot fail"),
            None => write_quoted(out, word, '\'').expect("writing to a string cannot fail"),
        },
    }
}

/// An integer in any base.
pub(super) fn integer(value: &str) -> Option<i64> {
    whole_number(value)?.try_into().ok()
}

/// The text of a value in quotes.
pub(super) fn string(value: &str) -> Option<String> {
    value.strip_prefix('"')?.strip_suffix('"').map(c_unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(group: &str) -> String {
        let mut out = String::new();
        write_arguments(group, &mut out);
        out
    }

    #[test]
    fn fields_are_arguments() {
        for (group, expected) in [
            (r#"{ id = 1, who = "ann \"the\" first" }"#, r#"1, "ann \"the\" first""#),
            (r#"{ name = "a {b}, c", _sizes_length = 0, sizes = [ ], flags = 0xBEEF }"#, r#""a {b}, c", [], 48879"#),
            (r#"{ sizes = [ [0] = 1, [1] = -2 ], kind = ( "OTHER" : container = 8 ) }"#, "[1, -2], label('OTHER', 8)"),
            (r#"{ kind = ( <unknown> : container = 9 ), total = 12.5 }"#, "label('<unknown>', 9), 12.5"),
            (r#"{ kind = ( { "A", "B" } : container = 3 ) }"#, "label(['A', 'B'], 3)"),
            (r#"{ p = { x = 1, y = [ [0] = { z = "}" } ] } }"#, r#"struct([x = 1, y = [struct([z = "}"])]])"#),
            (r#"{ s = "a\rb\a\'\x01\\" }"#, r#""a\rb\a'\x1\\\""#),
            ("{ 1, \"ann\", 1e3, inf, -nan }", "1, \"ann\", 1000.0, 'inf', '-nan'"),
            (
                "{ 0x1F, -0x10, 0b101, 0755, 0, 00, 089, true, false, 1e-7 }",
                "31, -16, 5, 493, 0, 0, 89, true, false, 1e-7",
            ),
            (r#"{ s = "\x01ay\e\a\101" }"#, r#""\x1\ay\x1B\\aA""#),
            (r#"{ kind = ( "A" | "B" : container = 3 ) }"#, "label('A', 'B', 3)"),
            ("{ }", ""),
        ] {
            assert_eq!(value_length(group), Some(group.len()), "{group}");
            assert_eq!(arguments(group), expected, "{group}");
        }
    }

    #[test]
    fn what_breaks_the_grammar_has_no_length() {
        for group in ["", "{", "{ a = }", "{ a = 1 ]", "{ a = \"x }", "{ a = b }", "}", "{ a = ( 1 }", "{ 0x }"] {
            assert_eq!(value_length(group), None, "{group}");
        }
        assert_eq!(value_length("{ a = 1 }, { b = 2 }"), Some(9));
    }

    #[test]
    fn deep_values_take_no_native_stack() {
        let deep = format!("{{ a = {}{} }}", "[ ".repeat(100_000), " ]".repeat(100_000));
        assert_eq!(value_length(&deep), Some(deep.len()));
        assert_eq!(arguments(&deep).len(), 200_000);
    }
}
