//! Reads terms from a text, one by one.

use super::lexer::LexemeKind;
use super::resolve::Resolver;
use super::tokens::{EndDot, Token, Tokens};
use super::{NumberLiteral, SyntaxError, literal, parser};
use crate::term::ops::OpTable;
use crate::term::{Span, Tree};

/// What a text in double quotes becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DoubleQuotes {
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

/// The flags that affect reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadFlags {
    /// The flag `double_quotes`.
    pub(crate) double_quotes: DoubleQuotes,
}

/// A term that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadTerm {
    /// The term; every node has its span in the text.
    pub(crate) tree: Tree,
    /// Named variables in order of appearance: name, number in the tree, first span, number of occurrences.
    ///
    /// Each `_` is a new variable, which is not listed.
    pub(crate) variables: Vec<(String, u32, Span, u32)>,
    /// Number of variables in the tree, numbered from 0, including each `_`.
    pub(crate) n_variables: u32,
    /// From the first token to the end dot, which is excluded.
    pub(crate) span: Span,
}

/// Reads the terms of a text, each up to its end dot.
pub(crate) struct Reader<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        Reader { text, position: 0 }
    }

    /// The next term, or `None` at the end of the text. After an error, the reader continues after the next end dot.
    pub(crate) fn read(&mut self, ops: &OpTable, flags: &ReadFlags) -> Result<Option<ReadTerm>, SyntaxError> {
        self.read_clause(ops, flags, EndDot::Needed)
    }

    /// The offset of the next byte to read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Continues at a byte offset: inside a character, at the next one; after the text, at its end.
    pub(crate) fn set_position(&mut self, position: usize) {
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
        let mut resolver = Resolver::new(self.text, ops, flags);
        let parsed = parser::parse_clause(self.text, &mut tokens, &mut resolver);
        if tokens.were_none() {
            self.position = self.text.len();
            return Ok(None);
        }
        if parsed.is_err() {
            tokens.skip_clause();
        }
        self.position = tokens.offset_behind();
        parsed?;
        resolver.finish().map(Some)
    }
}

/// A span counts bytes in 32 bits.
fn check_length(text: &str) -> Result<(), SyntaxError> {
    match u32::try_from(text.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(SyntaxError::new("resource_error", "expected a text of less than 4 GiB", Span::default())),
    }
}

/// Reads the only term of `text`; its end dot may be missing.
pub(crate) fn read_goal(text: &str, ops: &OpTable, flags: &ReadFlags) -> Result<ReadTerm, SyntaxError> {
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

/// The number that `text` is as a term. Layout may precede it, and a sign; blanks may follow a minus, but not a plus.
pub(crate) fn parse_number(text: &str) -> Option<NumberLiteral> {
    check_length(text).ok()?;
    let first = Tokens::new(text, 0, EndDot::Needed).next()?.ok()?.1;
    let sign = &text[first.span.start as usize..first.span.end as usize];
    if first.kind != LexemeKind::Symbol || !matches!(sign, "-" | "+") {
        return whole_number(text, first);
    }
    let second = Tokens::new(text, first.span.end as usize, EndDot::Needed).next()?.ok()?.1;
    if sign == "+" && second.span.start != first.span.end {
        return None;
    }
    let number = whole_number(text, second)?;
    Some(if sign == "-" { number.negated() } else { number })
}

/// The number that a token is, if it is the last of the text.
fn whole_number(text: &str, token: Token) -> Option<NumberLiteral> {
    if token.span.end as usize != text.len() {
        return None;
    }
    literal::number(&text[token.span.start as usize..], token)?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_may_stand_before_a_number_but_not_after_it() {
        assert_eq!(parse_number(" -12"), Some(NumberLiteral::Int(-12)));
        assert_eq!(parse_number("12 "), None);
    }
}
