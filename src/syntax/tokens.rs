//! The tokens of one clause: the lexer's kinds with their spans. A name and the `(` after it are one token, and the end
//! dot is the last.

use logos::{Lexer, Logos};

use super::lexer::{LexError, LexemeKind, NameKind};
use super::{SyntaxError, literal};
use crate::term::Span;

/// A token: its kind and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its kind.
    pub(crate) kind: LexemeKind,
    /// Its span in the whole text.
    pub(crate) span: Span,
}

impl Token {
    /// Whether this stands for an end dot that is missing at the end of the text.
    pub(super) fn is_missing_end(self) -> bool {
        self.kind == LexemeKind::End && self.span.start == self.span.end
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
    lexer: Lexer<'a, LexemeKind>,
    offset: usize,
    end_dot: EndDot,
    state: ClauseProgress,
    last: Option<Token>,
    before_last: Option<Token>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ClauseProgress {
    Fresh,
    Inside,
    Ended,
}

impl<'a> Tokens<'a> {
    /// The tokens of the clause that begins at `offset` of `text`.
    pub(crate) fn new(text: &'a str, offset: usize, end_dot: EndDot) -> Tokens<'a> {
        Tokens {
            lexer: LexemeKind::lexer(&text[offset..]),
            offset,
            end_dot,
            state: ClauseProgress::Fresh,
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
        self.state == ClauseProgress::Fresh
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
        while self.state != ClauseProgress::Ended && self.next().is_some() {}
    }

    fn span(&self) -> Span {
        let range = self.lexer.span();
        Span { start: (self.offset + range.start) as u32, end: (self.offset + range.end) as u32 }
    }

    /// Joins a name and the `(` directly after it.
    fn with_parenthesis(&mut self, kind: LexemeKind) -> LexemeKind {
        let name = match kind {
            LexemeKind::Name | LexemeKind::Symbol | LexemeKind::Solo => NameKind::Plain,
            LexemeKind::Quoted => NameKind::Quoted,
            LexemeKind::EmptyList => NameKind::EmptyList,
            LexemeKind::EmptyCurly => NameKind::EmptyCurly,
            _ => return kind,
        };
        if self.lexer.remainder().as_bytes().first() != Some(&b'(') {
            return kind;
        }
        self.lexer.bump(1);
        LexemeKind::Call(name)
    }

    /// Whether a quote without an end has probably hidden the end dot of the clause.
    fn hides_end_dot(&self, error: LexError) -> bool {
        error == LexError::OpenQuote && self.lexer.slice().trim_end().ends_with('.')
    }

    fn at_end_of_text(&mut self) -> Option<Token> {
        let missing = self.state == ClauseProgress::Inside && self.end_dot == EndDot::Forgiven;
        if self.state == ClauseProgress::Inside {
            self.state = ClauseProgress::Ended;
        }
        missing.then(|| Token { kind: LexemeKind::End, span: self.span() })
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<(u32, Token, u32), SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == ClauseProgress::Ended {
            return None;
        }
        let kind = match self.lexer.next() {
            None => return self.at_end_of_text().map(|token| Ok(self.give(token))),
            Some(Err(error)) => {
                self.state = if self.hides_end_dot(error) { ClauseProgress::Ended } else { ClauseProgress::Inside };
                return Some(Err(literal::lex_error(error, self.lexer.slice(), self.span())));
            }
            Some(Ok(kind)) => self.with_parenthesis(kind),
        };
        self.state = if kind == LexemeKind::End { ClauseProgress::Ended } else { ClauseProgress::Inside };
        let token = Token { kind, span: self.span() };
        Some(Ok(self.give(token)))
    }
}
