//! The tokens of one clause: the lexer's kinds with their places, `name(` made one token, and the end dot found.

use logos::{Lexer, Logos};

use super::lexer::{Kind, LexError, NameKind};
use super::{SyntaxError, literal};
use crate::term::Span;

/// A token: what it is and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it is in the whole text.
    pub span: Span,
}

impl Token {
    /// Whether this is the end of a text whose end dot is forgiven.
    pub(super) fn is_missing_end(self) -> bool {
        self.kind == Kind::End && self.span.start == self.span.end
    }
}

/// Whether the last clause of a text needs its dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndDot {
    /// The text is a script: every clause ends with a dot.
    Needed,
    /// The text is one term: the end of the text will do.
    Forgiven,
}

/// The tokens of one clause, from an offset up to and with its end dot.
pub struct Tokens<'a> {
    lexer: Lexer<'a, Kind>,
    offset: usize,
    end_dot: EndDot,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Inside,
    Ended,
}

impl<'a> Tokens<'a> {
    /// The tokens of the clause that begins at `offset` of `text`.
    pub fn new(text: &'a str, offset: usize, end_dot: EndDot) -> Tokens<'a> {
        Tokens { lexer: Kind::lexer(&text[offset..]), offset, end_dot, state: State::Fresh }
    }

    /// Where the text goes on behind the last token given.
    pub fn offset_behind(&self) -> usize {
        self.offset + self.lexer.span().end
    }

    /// Whether no token was there before the end of the text.
    pub fn were_none(&self) -> bool {
        self.state == State::Fresh
    }

    /// Goes on behind the next end dot, whatever stands before it.
    pub fn skip_clause(&mut self) {
        while self.state != State::Ended && self.next().is_some() {}
    }

    fn span(&self) -> Span {
        let range = self.lexer.span();
        Span { start: (self.offset + range.start) as u32, end: (self.offset + range.end) as u32 }
    }

    /// Makes a name and the `(` behind it one token.
    fn with_parenthesis(&mut self, kind: Kind) -> Kind {
        let name = match kind {
            Kind::Name | Kind::Symbol | Kind::Solo => NameKind::Plain,
            Kind::Quoted => NameKind::Quoted,
            Kind::EmptyList => NameKind::EmptyList,
            Kind::EmptyCurly => NameKind::EmptyCurly,
            _ => return kind,
        };
        if self.lexer.remainder().as_bytes().first() != Some(&b'(') {
            return kind;
        }
        self.lexer.bump(1);
        Kind::Call(name)
    }

    /// Whether the clause probably ends with the line that an open quote took up.
    fn hides_end_dot(&self, error: LexError) -> bool {
        error == LexError::OpenQuote && self.lexer.slice().trim_end().ends_with('.')
    }

    fn at_end_of_text(&mut self) -> Option<Token> {
        let missing = self.state == State::Inside && self.end_dot == EndDot::Forgiven;
        if self.state == State::Inside {
            self.state = State::Ended;
        }
        missing.then(|| Token { kind: Kind::End, span: self.span() })
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<(u32, Token, u32), SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Ended {
            return None;
        }
        let kind = match self.lexer.next() {
            None => return self.at_end_of_text().map(|token| Ok((token.span.start, token, token.span.end))),
            Some(Err(error)) => {
                self.state = if self.hides_end_dot(error) { State::Ended } else { State::Inside };
                return Some(Err(literal::lex_error(error, self.lexer.slice(), self.span())));
            }
            Some(Ok(kind)) => self.with_parenthesis(kind),
        };
        self.state = if kind == Kind::End { State::Ended } else { State::Inside };
        let token = Token { kind, span: self.span() };
        Some(Ok((token.span.start, token, token.span.end)))
    }
}
