//! Reading terms one after the other from a text.

use super::lexer::Kind;
use super::resolve::resolve;
use super::tokens::{EndDot, Token, Tokens};
use super::{Number, SyntaxError, literal, parser};
use crate::term::ops::OpTable;
use crate::term::{Span, Tree};

/// What text in double quotes stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoubleQuotes {
    /// A string object.
    #[default]
    String,
    /// A list of character codes.
    Codes,
    /// A list of one-character atoms.
    Chars,
    /// An atom.
    Atom,
}

/// The flags that reading depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadFlags {
    /// The flag `double_quotes`.
    pub double_quotes: DoubleQuotes,
}

/// A term as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadTerm {
    /// The term; every node has its place in the text.
    pub tree: Tree,
    /// Named variables in order of appearance: name, number in the tree, first place, number of occurrences.
    ///
    /// Every `_` is a variable of its own and not listed.
    pub variables: Vec<(String, u32, Span, u32)>,
    /// Number of variables in the tree, `_` included; they are numbered from 0.
    pub n_variables: u32,
    /// From the first token to the end dot, without it.
    pub span: Span,
}

/// Reads the terms of a text, each up to its end dot.
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
    items: Vec<Token>,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    pub fn new(text: &'a str) -> Reader<'a> {
        Reader { text, position: 0, items: Vec::new() }
    }

    /// The next term, or `None` at the end of the text; after an error the reader stands behind the next end dot.
    pub fn read(&mut self, ops: &OpTable, flags: &ReadFlags) -> Result<Option<ReadTerm>, SyntaxError> {
        self.read_clause(ops, flags, EndDot::Needed)
    }

    /// The offset of the byte that is read next.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes on at a byte offset; one inside a character or behind the text is moved to the next possible place.
    pub fn set_position(&mut self, position: usize) {
        self.position = self.text.ceil_char_boundary(position);
    }

    fn read_clause(
        &mut self,
        ops: &OpTable,
        flags: &ReadFlags,
        end_dot: EndDot,
    ) -> Result<Option<ReadTerm>, SyntaxError> {
        check_length(self.text)?;
        let mut tokens = Tokens::new(self.text, self.position, end_dot);
        let parsed = parser::clause(self.text, &mut tokens, &mut self.items);
        if tokens.were_none() {
            self.position = self.text.len();
            return Ok(None);
        }
        if parsed.is_err() {
            tokens.skip_clause();
        }
        self.position = tokens.offset_behind();
        parsed?;
        resolve(self.text, &self.items, ops, flags).map(Some)
    }
}

/// Spans count bytes in 32 bits.
fn check_length(text: &str) -> Result<(), SyntaxError> {
    match u32::try_from(text.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(SyntaxError::new("resource_error", "expected a text of less than 4 GiB", Span::default())),
    }
}

/// The one term that `text` is; its end dot may be missing.
pub fn read_goal(text: &str, ops: &OpTable, flags: &ReadFlags) -> Result<ReadTerm, SyntaxError> {
    let mut reader = Reader::new(text);
    let end = Span { start: text.len() as u32, end: text.len() as u32 };
    let nothing = || SyntaxError::new("end_of_file", "expected a term, found the end of the text", end);
    let term = reader.read_clause(ops, flags, EndDot::Forgiven)?.ok_or_else(nothing)?;
    match Tokens::new(text, reader.position(), EndDot::Needed).next() {
        None => Ok(term),
        Some(Err(error)) => Err(error),
        Some(Ok((_, token, _))) => {
            Err(SyntaxError::new("end_of_file_expected", "expected the end of the text after the end dot", token.span))
        }
    }
}

/// The number that `text` writes as a term: layout may stand before it, and a sign directly at its digits.
///
/// ```
/// # use papaver::syntax::{Number, parse_number};
/// assert_eq!(parse_number(" -12"), Some(Number::Int(-12)));
/// assert_eq!(parse_number("12 "), None);
/// ```
pub fn parse_number(text: &str) -> Option<Number> {
    check_length(text).ok()?;
    let first = Tokens::new(text, 0, EndDot::Needed).next()?.ok()?.1;
    let sign = &text[first.span.start as usize..first.span.end as usize];
    if first.kind != Kind::Symbol || !matches!(sign, "-" | "+") {
        return whole_number(text, first);
    }
    let second = Tokens::new(text, first.span.end as usize, EndDot::Needed).next()?.ok()?.1;
    if sign == "+" && second.span.start != first.span.end {
        return None;
    }
    let number = whole_number(text, second)?;
    Some(if sign == "-" { number.negated() } else { number })
}

/// The number that a token is, if the text ends with it.
fn whole_number(text: &str, token: Token) -> Option<Number> {
    if token.span.end as usize != text.len() {
        return None;
    }
    literal::number(&text[token.span.start as usize..], token)?.ok()
}
