//! The only user of the generated parser: it and its errors do not leave this file.
//!
//! The grammar owns the brackets of a clause. The resolver, which its rules call, remembers the open ones, so that an
//! error names the one that is not closed.

use lalrpop_util::{ParseError, lalrpop_mod};

use super::SyntaxError;
use super::lexer::LexemeKind;
use super::resolve::Resolver;
use super::tokens::{Token, Tokens};
use crate::term::Span;
use crate::term::letters::excerpt;

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unused, unreachable_pub, private_interfaces)]
    query
);

/// Parses the next clause; the rules of the grammar hand its tokens to `resolver`.
pub(super) fn parse_clause(text: &str, tokens: &mut Tokens, resolver: &mut Resolver) -> Result<(), SyntaxError> {
    query::ClauseParser::new().parse(resolver, &mut *tokens).map_err(|error| explain(text, tokens, resolver, error))
}

fn explain(
    text: &str,
    tokens: &Tokens,
    resolver: &mut Resolver,
    error: ParseError<u32, Token, SyntaxError>,
) -> SyntaxError {
    match error {
        ParseError::User { error } => error,
        ParseError::UnrecognizedToken { token: (_, token, _), .. }
        | ParseError::ExtraToken { token: (_, token, _) } => {
            resolver.catch_up(tokens.before_last());
            unexpected(text, resolver.innermost_open(), token)
        }
        ParseError::UnrecognizedEof { location, .. } => {
            resolver.catch_up(tokens.last());
            end_of_text(text, resolver.innermost_open(), location)
        }
        ParseError::InvalidToken { location } => {
            SyntaxError::new("illegal_character", "unexpected character", Span { start: location, end: location + 1 })
        }
    }
}

/// A token that does not continue the clause; `open` is the innermost bracket that is open there.
fn unexpected(text: &str, open: Option<Token>, token: Token) -> SyntaxError {
    if token.is_missing_end() {
        return end_of_text(text, open, token.span.start);
    }
    let found = &text[token.span.start as usize..token.span.end as usize];
    if let (LexemeKind::Close | LexemeKind::CloseList | LexemeKind::CloseCurly | LexemeKind::End, Some(open)) =
        (token.kind, open)
        && closing(open.kind) != token.kind
    {
        return unclosed("cannot_match_bracket", text, open, token.span, &excerpt(found));
    }
    let message = match token.kind {
        LexemeKind::End => "expected a term before the end dot".to_string(),
        LexemeKind::Close | LexemeKind::CloseList | LexemeKind::CloseCurly if open.is_none() => {
            format!("{} closes no bracket", excerpt(found))
        }
        _ => format!("expected a term, found {}", excerpt(found)),
    };
    SyntaxError::new("illegal_start_of_term", message, token.span)
}

fn end_of_text(text: &str, open: Option<Token>, location: u32) -> SyntaxError {
    let place = Span { start: location, end: location };
    match open {
        Some(open) => unclosed("end_of_file", text, open, place, "the end of the text"),
        None => SyntaxError::new("end_of_file", "expected `.` at the end of the clause", place),
    }
}

fn unclosed(name: &'static str, text: &str, open: Token, place: Span, found: &str) -> SyntaxError {
    let expected = match closing(open.kind) {
        LexemeKind::CloseList => ']',
        LexemeKind::CloseCurly => '}',
        _ => ')',
    };
    let end = open.span.end;
    let bracket = &text[end as usize - 1..end as usize];
    SyntaxError::new(name, format!("expected `{expected}`, found {found}"), place)
        .with_related(Span { start: end - 1, end }, format!("this `{bracket}` is not closed"))
}

/// The bracket that closes `open`.
fn closing(open: LexemeKind) -> LexemeKind {
    match open {
        LexemeKind::OpenList => LexemeKind::CloseList,
        LexemeKind::OpenCurly => LexemeKind::CloseCurly,
        _ => LexemeKind::Close,
    }
}
