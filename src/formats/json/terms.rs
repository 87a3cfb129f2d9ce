//! Arguments as texts of terms: of a JSON text the text itself in quotes or the term that it writes, of any other JSON value
//! the same value.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::plain_terms::is_plain;
use super::value::{Json, JsonToken, tokens};
use crate::formats::lines::text::unescaped;
use crate::syntax::{ReadFlags, read_goal};
use crate::term::hash::HashMap;
use crate::term::letters::quoted;
use crate::term::ops::OpTable;
use crate::term::print::{self, Style, float_text};

/// The operators with which the texts of a trace are read later.
pub(crate) static STANDARD: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// What JSON texts are as arguments.
#[derive(Clone, Debug, Default)]
pub(crate) enum ArgumentTexts {
    /// Themselves.
    #[default]
    Themselves,
    /// Terms in which names that begin with `_` are variables, and no others; with operators, if they are not the standard ones.
    Terms(Option<Box<OpTable>>),
    /// Texts as event lines have them: names that begin with a capital letter are variables too.
    Written,
}

/// The text of the term that a value is as an argument; of null none. The error is the text of a term that is no term: a text then.
pub(crate) fn argument<'t>(value: &Json<'t>, texts: &ArgumentTexts) -> Option<Result<Cow<'t, str>, String>> {
    Some(Ok(match value {
        Json::Null => return None,
        Json::Bool(true) => Cow::Borrowed("true"),
        Json::Bool(false) => Cow::Borrowed("false"),
        Json::Integer(digits) => Cow::Borrowed(integer(digits)),
        Json::Decimal(text) => Cow::Owned(decimal(text)),
        Json::Nested(text) => Cow::Owned(nested(text)),
        Json::Text(text) => return Some(text_argument(text, texts)),
    }))
}

fn text_argument<'t>(text: &Cow<'t, str>, texts: &ArgumentTexts) -> Result<Cow<'t, str>, String> {
    let term = match texts {
        ArgumentTexts::Themselves => return Ok(Cow::Owned(quoted(text, '"'))),
        ArgumentTexts::Written => return Ok(text.clone()),
        ArgumentTexts::Terms(ops) => term(text, ops.as_deref()),
    };
    match (term, text) {
        (Some(Cow::Borrowed(_)), Cow::Borrowed(text)) => Ok(Cow::Borrowed(text)),
        (Some(term), _) => Ok(Cow::Owned(term.into_owned())),
        (None, _) => Err(quoted(text, '"')),
    }
}

/// `-0` is no number of its own.
fn integer(digits: &str) -> &str {
    if digits == "-0" { "0" } else { digits }
}

/// A number as the language writes it; as a string if it is greater than every float.
fn decimal(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => float_text(value),
        _ => quoted(text, '"'),
    }
}

/// An array as a list and an object in braces, `{"a": [1]}` as `{"a":[1]}`, with texts as strings.
pub(crate) fn nested(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        match token {
            JsonToken::Text(text) => match Json::of(text) {
                Json::Text(text) => out.push_str(&quoted(&text, '"')),
                _ => out.push_str(text),
            },
            JsonToken::Number(text) => match Json::of(text) {
                Json::Decimal(text) => out.push_str(&decimal(text)),
                _ => out.push_str(integer(text)),
            },
            // `{}` is an atom
            JsonToken::Other("}") if out.ends_with('{') => out.replace_range(out.len() - 1.., EMPTY_OBJECT),
            JsonToken::Other(text) => out.push_str(text),
        }
    }
    out
}

/// The argument that an empty object is.
pub(crate) const EMPTY_OBJECT: &str = "json([])";

/// The text of a term in which names that begin with `_` are variables and no others; none if it is no term.
pub(crate) fn term<'t>(text: &'t str, ops: Option<&OpTable>) -> Option<Cow<'t, str>> {
    if ops.is_none() && is_plain(text.as_bytes()) {
        return Some(Cow::Borrowed(text));
    }
    let named = with_quoted_capitals(text);
    let read = read_goal(&named, ops.unwrap_or(&STANDARD), &ReadFlags::default()).ok()?;
    if ops.is_none() {
        return Some(named);
    }
    let names: HashMap<u64, String> =
        read.variables.iter().map(|(name, number, ..)| (u64::from(*number), name.clone())).collect();
    let style = Style { names: Some(&names), priority: Some(999), ..Style::writeq() };
    Some(Cow::Owned(print::to_string(&read.tree, read.tree.root(), &STANDARD, &style)))
}

/// The JSON value that an argument was read from, as texts are themselves.
pub(crate) fn json_argument(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        out.push_str(&rest[..quote].replace(EMPTY_OBJECT, "{}"));
        let (quoted, after) = rest[quote..].split_at(quoted_length(&rest[quote..], '"'));
        let inner = quoted[1..].strip_suffix('"').unwrap_or(&quoted[1..]);
        out.push_str(&serde_json::Value::from(unescaped(inner, '"')).to_string());
        rest = after;
    }
    out.push_str(&rest.replace(EMPTY_OBJECT, "{}"));
    out
}

/// The text with quotes around each name that begins with a capital letter: `f(Alice)` as `f('Alice')`.
fn with_quoted_capitals(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut rest, mut copied) = (text, 0);
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let length = match first {
            '\'' if text[..at].ends_with('0') && !ends_word_before_zero(&text[..at]) => code_length(rest),
            '\'' | '"' | '`' => quoted_length(rest, first),
            first if first.is_alphanumeric() || first == '_' => {
                rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        if first.is_uppercase() {
            out.push_str(&text[copied..at]);
            out.extend(["'", &rest[..length], "'"]);
            copied = at + length;
        }
        rest = &rest[length..];
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether the `0` at the end belongs to a longer word.
fn ends_word_before_zero(text: &str) -> bool {
    text.chars().rev().nth(1).is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The length of `'c` in `0'c`.
fn code_length(rest: &str) -> usize {
    let mut letters = rest.chars().skip(1);
    match letters.next() {
        Some('\\') => 2 + letters.next().map_or(0, char::len_utf8),
        Some('\'') if rest[2..].starts_with('\'') => 3,
        Some(letter) => 1 + letter.len_utf8(),
        None => 1,
    }
}

/// The length of a text in quotes.
pub(crate) fn quoted_length(rest: &str, quote: char) -> usize {
    let (bytes, quote, mut at) = (rest.as_bytes(), quote as u8, 1);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            byte if *byte == quote && bytes.get(at + 1) == Some(&quote) => at += 1,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_term(text: &str) -> Option<String> {
        term(text, None).map(Cow::into_owned)
    }

    #[test]
    fn names_with_underscores_are_variables_and_capitals_are_not() {
        for (text, expected) in [
            ("[1, 2, 3]", "[1, 2, 3]"),
            ("f(_G1, _)", "f(_G1, _)"),
            ("Alice", "'Alice'"),
            ("f(Alice, 'Bob', \"Carl\", xY)", "f('Alice', 'Bob', \"Carl\", xY)"),
            ("Point(X, 0'A)", "'Point'('X', 0'A)"),
            ("'<0.80.0>'", "'<0.80.0>'"),
            ("[a|Élan]", "[a|'Élan']"),
            ("3 - 8", "3 - 8"),
            ("a:b", "a:b"),
        ] {
            assert_eq!(as_term(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "f(", "a b", "[1, 2", "<<foreign>>", "'open", "a ==> b", "[a|b, c]", "f(a|b|c)"] {
            assert_eq!(as_term(text), None, "{text}");
        }
    }

    #[test]
    fn operators_of_the_header_are_read() {
        let mut ops = OpTable::standard();
        ops.add(700, crate::term::ops::OpKind::Xfx, crate::term::Atom::new("==>"));
        assert_eq!(term("[a ==> f(_X, Y)]", Some(&ops)).as_deref(), Some("[==>(a,f(_X,'Y'))]"));
    }

    #[test]
    fn values_of_json_are_arguments_of_their_own_type() {
        for (json, expected) in [
            ("1", "1"),
            ("-0", "0"),
            ("1e5", "100000.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("true", "true"),
            ("\"Alice\"", "\"Alice\""),
            ("\"f(X)\\n\"", "\"f(X)\\n\""),
            ("[1, \"a\\u0041\", null]", "[1,\"aA\",null]"),
            ("{\"k\": [2.50]}", "{\"k\":[2.5]}"),
            ("[{}, {\"k\": {}}]", "[json([]),{\"k\":json([])}]"),
        ] {
            let argument = argument(&Json::of(json), &ArgumentTexts::Themselves).expect("not null").expect("a term");
            assert_eq!(argument, expected, "{json}");
            let back = json_argument(&argument);
            assert_eq!(
                super::argument(&Json::of(&back), &ArgumentTexts::Themselves),
                Some(Ok(Cow::Borrowed(expected))),
                "{back}"
            );
            assert!(as_term(&argument).is_some(), "{argument}");
        }
        assert_eq!(argument(&Json::Null, &ArgumentTexts::Themselves), None);
    }
}
