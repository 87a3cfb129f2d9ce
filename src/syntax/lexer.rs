//! The lexer: logos finds where each token ends; nothing here knows what a token means.
//!
//! A token is a kind and a span. `literal.rs` decodes its text when the resolver makes a term of it.

use logos::{FilterResult, Lexer, Logos, Skip};
use memchr::{memchr, memmem};

use super::literal;
use crate::term::letters::{is_name_part, is_symbol};

/// The kind of a token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error(LexError))]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
pub(crate) enum LexemeKind {
    /// `queen`, `isOk_2`
    #[regex(r"[a-z][A-Za-z0-9_]*", name)]
    Name,
    /// `:-`, `\+`; a lone `.` before layout is [`LexemeKind::End`]
    #[regex(r"[#$&*+\-.:<=>?@^~\\][#$&*+\-./:<=>?@^~\\]*", symbol)]
    #[regex(r"/([#$&+\-./:<=>?@^~\\][#$&*+\-./:<=>?@^~\\]*)?", symbol)]
    Symbol,
    /// `;` or `!`
    #[token(";")]
    #[token("!")]
    Solo,
    /// `'a b'`, with its quotes
    #[token("'", |lexer| quoted(lexer, b'\''))]
    Quoted,
    /// `[]`, also with blanks inside
    #[regex(r"\[[ \t\r\n]*\]")]
    EmptyList,
    /// `{}`, also with blanks inside
    #[regex(r"\{[ \t\r\n]*\}")]
    EmptyCurly,
    /// `X`, `_tail`, `_`
    #[regex(r"[A-Z_][A-Za-z0-9_]*", name)]
    Variable,
    /// `12`, `1_000`, `0xff`, `16'ff`, `1 000 000`
    #[regex(r"[0-9]+(_[0-9]+)*", integer)]
    #[regex(r"0b[01]+(_[01]+)*", |lexer| grouped(lexer, 2))]
    #[regex(r"0o[0-7]+(_[0-7]+)*", |lexer| grouped(lexer, 8))]
    #[regex(r"0x[0-9a-fA-F]+(_[0-9a-fA-F]+)*")]
    Integer,
    /// `0'a`, `0'\n`, `0'''`
    #[token("0'", character)]
    Character,
    /// `1.5`, `1.0e10`, `1.0Inf`, and `1e10`, which ISO does not read
    #[regex(r"[0-9]+(_[0-9]+)*\.[0-9]+([eE][+\-]?[0-9]+)?")]
    #[regex(r"[0-9]+e[+\-]?[0-9]+")]
    #[regex(r"[0-9]+\.[0-9]+(Inf|NaN)")]
    Float,
    /// `"text"`, with its quotes
    #[token("\"", |lexer| quoted(lexer, b'"'))]
    Str,
    /// `` `text` ``, with its quotes
    #[token("`", |lexer| quoted(lexer, b'`'))]
    BackQuoted,
    /// A name and the `(` directly after it.
    Call(NameKind),
    /// `(`
    #[token("(")]
    Open,
    /// `)`
    #[token(")")]
    Close,
    /// `[`
    #[token("[")]
    OpenList,
    /// `]`
    #[token("]")]
    CloseList,
    /// `{`
    #[token("{")]
    OpenCurly,
    /// `}`
    #[token("}")]
    CloseCurly,
    /// `,`
    #[token(",")]
    Comma,
    /// `|`
    #[token("|")]
    Bar,
    /// The dot at the end of a clause.
    End,
    /// Never returned: the lexer enters it for comments and for tokens that begin with a character outside ASCII.
    #[regex(r"%", line_comment)]
    #[token("/*", block_comment)]
    #[regex(r"[^\x00-\x7F]", beyond_ascii)]
    Other,
}

/// How a functor's name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Quoted,
    /// `[]`
    EmptyList,
    /// `{}`
    EmptyCurly,
}

/// Why the lexer cannot make a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LexError {
    /// A control character, or another one that no token may begin with.
    #[default]
    BadCharacter,
    /// `/* ...` that reaches the end of the text.
    OpenComment,
    /// `'abc` that reaches the end of the line.
    OpenQuote,
    /// `0'` before nothing, or before a tab.
    BadCharacterCode,
}

type Lex<'a> = Lexer<'a, LexemeKind>;

fn name(lexer: &mut Lex) {
    extend(lexer, is_name_part);
}

/// Extends a name over characters outside ASCII, and whatever belongs to it after them.
fn extend(lexer: &mut Lex, belongs: fn(char) -> bool) {
    if lexer.remainder().as_bytes().first().is_some_and(|byte| *byte >= 0x80) {
        take(lexer, belongs);
    }
}

fn take(lexer: &mut Lex, belongs: fn(char) -> bool) {
    let rest = lexer.remainder();
    lexer.bump(rest.find(|c| !belongs(c)).unwrap_or(rest.len()));
}

fn symbol(lexer: &mut Lex) -> LexemeKind {
    extend(lexer, is_symbol);
    match lexer.slice() == "." && ends_clause(lexer.remainder().chars().next()) {
        true => LexemeKind::End,
        false => LexemeKind::Symbol,
    }
}

fn ends_clause(next: Option<char>) -> bool {
    next.is_none_or(|c| c == '%' || c.is_whitespace())
}

fn integer(lexer: &mut Lex) {
    match literal::radix_digits(lexer.slice(), lexer.remainder()) {
        0 => grouped(lexer, 10),
        n => lexer.bump(n),
    }
}

fn grouped(lexer: &mut Lex, radix: u32) {
    let n = literal::grouped_digits(lexer.slice(), lexer.remainder(), radix);
    lexer.bump(n);
}

fn quoted(lexer: &mut Lex, quote: u8) -> Result<(), LexError> {
    match literal::closing_quote(lexer.remainder().as_bytes(), quote) {
        Some(n) => {
            lexer.bump(n + 1);
            Ok(())
        }
        None => {
            let line = memchr(b'\n', lexer.remainder().as_bytes()).unwrap_or(lexer.remainder().len());
            lexer.bump(line);
            Err(LexError::OpenQuote)
        }
    }
}

fn character(lexer: &mut Lex) -> Result<(), LexError> {
    let n = literal::character_length(lexer.remainder()).ok_or(LexError::BadCharacterCode)?;
    lexer.bump(n);
    Ok(())
}

fn line_comment(lexer: &mut Lex) -> Skip {
    let rest = lexer.remainder().as_bytes();
    lexer.bump(memchr(b'\n', rest).unwrap_or(rest.len()));
    Skip
}

fn block_comment(lexer: &mut Lex) -> Result<Skip, LexError> {
    let rest = lexer.remainder().as_bytes();
    match memmem::find(rest, b"*/") {
        Some(n) => {
            lexer.bump(n + 2);
            Ok(Skip)
        }
        None => {
            lexer.bump(rest.len());
            Err(LexError::OpenComment)
        }
    }
}

fn beyond_ascii(lexer: &mut Lex) -> FilterResult<LexemeKind, LexError> {
    let Some(first) = lexer.slice().chars().next() else { return FilterResult::Skip };
    if first.is_whitespace() || first == '\u{feff}' && lexer.span().start == 0 {
        FilterResult::Skip
    } else if first.is_alphabetic() {
        take(lexer, is_name_part);
        FilterResult::Emit(if first.is_uppercase() { LexemeKind::Variable } else { LexemeKind::Name })
    } else if is_symbol(first) {
        take(lexer, is_symbol);
        FilterResult::Emit(LexemeKind::Symbol)
    } else {
        FilterResult::Error(LexError::BadCharacter)
    }
}
