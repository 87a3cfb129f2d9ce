//! The tokens of one clause: the lexer's kinds with their spans. A name and the `(` after it are one token, and the end
//! dot is the last.

use logos::{Lexer, Logos};

use super::lexer::{Kind, LexError, NameKind};
use super::{SyntaxError, literal};
use crate::term::Span;

/// A token: its kind and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its span in the whole text.
    pub(crate) span: Span,
}

impl Token {
    /// Whether this stands for an end dot that is missing at the end of the text.
    pub(super) fn is_missing_end(self) -> bool {
        self.kind == Kind::End && self.span.start == self.span.end
    }
}

/// Whether the last clause of a text needs its dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndDot {
    /// The text is a script: every clause ends with a dot.
    Needed,
    /// The text is one term, which the end of the text may end.
    Forgiven,
}

/// The tokens of one clause, from an offset to its end dot, which is included.
pub(crate) struct Tokens<'a> {
    lexer: Lexer<'a, Kind>,
    offset: usize,
    end_dot: EndDot,
    state: State,
    last: Option<Token>,
    before_last: Option<Token>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Inside,
    Ended,
}

impl<'a> Tokens<'a> {
    /// The tokens of the clause that begins at `offset` of `text`.
    pub(crate) fn new(text: &'a str, offset: usize, end_dot: EndDot) -> Tokens<'a> {
        Tokens {
            lexer: Kind::lexer(&text[offset..]),
            offset,
            end_dot,
            state: State::Fresh,
            last: None,
            before_last: None,
        }
    }

    /// The offset after the last token returned.
    pub(crate) fn offset_behind(&self) -> usize {
        self.offset + self.lexer.span().end
    }

    /// Whether the end of the text came before any token.
    pub(crate) fn were_none(&self) -> bool {
        self.state == State::Fresh
    }

    /// The token returned last.
    pub(super) fn last(&self) -> Option<Token> {
        self.last
    }

    /// The token returned before the last one.
    pub(super) fn before_last(&self) -> Option<Token> {
        self.before_last
    }

    fn give(&mut self, token: Token) -> (u32, Token, u32) {
        self.before_last = self.last.replace(token);
        (token.span.start, token, token.span.end)
    }

    /// Skips everything up to the next end dot.
    pub(crate) fn skip_clause(&mut self) {
        while self.state != State::Ended && self.next().is_some() {}
    }

    fn span(&self) -> Span {
        let range = self.lexer.span();
        Span { start: (self.offset + range.start) as u32, end: (self.offset + range.end) as u32 }
    }

    /// Joins a name and the `(` directly after it.
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

    /// Whether a quote without an end has probably hidden the end dot of the clause.
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
            None => return self.at_end_of_text().map(|token| Ok(self.give(token))),
            Some(Err(error)) => {
                self.state = if self.hides_end_dot(error) { State::Ended } else { State::Inside };
                return Some(Err(literal::lex_error(error, self.lexer.slice(), self.span())));
            }
            Some(Ok(kind)) => self.with_parenthesis(kind),
        };
        self.state = if kind == Kind::End { State::Ended } else { State::Inside };
        let token = Token { kind, span: self.span() };
        Some(Ok(self.give(token)))
    }
}
