//! The one door to the generated parser: it and its errors do not leave this file.

use lalrpop_util::{ParseError, lalrpop_mod};

use super::SyntaxError;
use super::error::quote;
use super::lexer::Kind;
use super::tokens::{EndDot, Token, Tokens};
use crate::term::Span;

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unused, unreachable_pub)]
    query
);

/// The tokens of the next clause, brackets matched, its end dot last; `items` is emptied first.
pub(super) fn clause(text: &str, tokens: &mut Tokens, items: &mut Vec<Token>) -> Result<(), SyntaxError> {
    items.clear();
    let start = tokens.offset_behind();
    query::ClauseParser::new().parse(items, tokens).map_err(|error| explain(text, start, error))
}

fn explain(text: &str, start: usize, error: ParseError<u32, Token, SyntaxError>) -> SyntaxError {
    match error {
        ParseError::User { error } => error,
        ParseError::UnrecognizedToken { token: (_, token, _), .. }
        | ParseError::ExtraToken { token: (_, token, _) } => unexpected(text, start, token),
        ParseError::UnrecognizedEof { location, .. } => end_of_text(text, start, location),
        ParseError::InvalidToken { location } => {
            SyntaxError::new("illegal_character", "unexpected character", Span { start: location, end: location + 1 })
        }
    }
}

/// A token that no bracket before it allows.
fn unexpected(text: &str, start: usize, token: Token) -> SyntaxError {
    if token.is_missing_end() {
        return end_of_text(text, start, token.span.start);
    }
    let found = &text[token.span.start as usize..token.span.end as usize];
    let open = innermost_open(text, start, token.span.start);
    if let (Kind::Close | Kind::CloseList | Kind::CloseCurly | Kind::End, Some(open)) = (token.kind, open)
        && closing(open.kind) != Some(token.kind)
    {
        return unclosed("cannot_match_bracket", text, open, token.span, &quote(found));
    }
    let message = match token.kind {
        Kind::End => "expected a term before the end dot".to_string(),
        Kind::Close | Kind::CloseList | Kind::CloseCurly if open.is_none() => {
            format!("{} closes no bracket", quote(found))
        }
        _ => format!("expected a term, found {}", quote(found)),
    };
    SyntaxError::new("illegal_start_of_term", message, token.span)
}

fn end_of_text(text: &str, start: usize, location: u32) -> SyntaxError {
    let place = Span { start: location, end: location };
    match innermost_open(text, start, location) {
        Some(open) => unclosed("end_of_file", text, open, place, "the end of the text"),
        None => SyntaxError::new("end_of_file", "expected `.` at the end of the clause", place),
    }
}

fn unclosed(name: &'static str, text: &str, open: Token, place: Span, found: &str) -> SyntaxError {
    let expected = match open.kind {
        Kind::OpenList => ']',
        Kind::OpenCurly => '}',
        _ => ')',
    };
    let end = open.span.end;
    let bracket = &text[end as usize - 1..end as usize];
    SyntaxError::new(name, format!("expected `{expected}`, found {found}"), place)
        .with_related(Span { start: end - 1, end }, format!("this `{bracket}` is not closed"))
}

fn closing(open: Kind) -> Option<Kind> {
    match open {
        Kind::Open | Kind::Call(_) => Some(Kind::Close),
        Kind::OpenList => Some(Kind::CloseList),
        Kind::OpenCurly => Some(Kind::CloseCurly),
        _ => None,
    }
}

/// The last bracket that is open where `end` is, of the clause that begins at `start`.
fn innermost_open(text: &str, start: usize, end: u32) -> Option<Token> {
    let mut open = Vec::new();
    for token in Tokens::new(text, start, EndDot::Needed).flatten().map(|(_, token, _)| token) {
        if token.span.start >= end {
            break;
        }
        match token.kind {
            kind if closing(kind).is_some() => open.push(token),
            Kind::Close | Kind::CloseList | Kind::CloseCurly => _ = open.pop(),
            _ => {}
        }
    }
    open.pop()
}
