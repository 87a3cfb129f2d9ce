//! Reading the text of a term as a number, name or text; the trace leaves other terms unread.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::syntax::{self, ReadFlags, parse_number, read_goal};
use crate::term::number::Number;
use crate::term::ops::OpTable;
use crate::term::{Node, NodeId};

/// Texts of a trace are read with the standard operators, whatever operators a script declares.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// A term without structure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SimpleTerm<'t> {
    /// A number.
    Number(Number),
    /// The characters of an atom or a string.
    Text(Cow<'t, str>),
}

/// The term that a text is, if it has no structure; a text that is not a term counts as a string.
pub(crate) fn simple_term(text: &str) -> Option<SimpleTerm<'_>> {
    if is_plain_name(text) {
        return Some(SimpleTerm::Text(Cow::Borrowed(text)));
    }
    if let Some(inner) = plain_quoted(text) {
        return Some(SimpleTerm::Text(Cow::Borrowed(inner)));
    }
    if text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        && let Some(number) = parse_number(text)
    {
        return Some(SimpleTerm::Number(match number {
            syntax::NumberLiteral::Int(value) => Number::Int(value),
            syntax::NumberLiteral::BigInt(value) => Number::Big(value),
            syntax::NumberLiteral::Float(value) => Number::Float(value),
        }));
    }
    let Ok(read) = read_goal(text, &OPERATORS, &ReadFlags::default()) else {
        return Some(SimpleTerm::Text(Cow::Borrowed(text)));
    };
    Some(match read.tree.node(read.tree.root()) {
        Node::Int(value) => SimpleTerm::Number(Number::Int(*value)),
        Node::BigInt(value) => SimpleTerm::Number(Number::Big(value.clone())),
        Node::Float(value) => SimpleTerm::Number(Number::Float(*value)),
        Node::Atom(name) => SimpleTerm::Text(Cow::Borrowed(name.as_str())),
        Node::Str(text) => SimpleTerm::Text(Cow::Owned(text.to_string())),
        Node::Var(_) | Node::Compound { .. } => return None,
    })
}

/// The numbers and the characters of the names and texts in the text of a term; of a long one the first.
pub(crate) fn leaves(text: &str) -> Vec<String> {
    let Ok(read) = read_goal(text, &OPERATORS, &ReadFlags::default()) else { return vec![text.to_string()] };
    let leaf = |id| match read.tree.node(id) {
        Node::Int(value) => Some(value.to_string()),
        Node::BigInt(value) => Some(value.to_string()),
        Node::Float(value) => Some(format!("{value:?}")),
        Node::Atom(name) => Some(name.to_string()),
        Node::Str(text) => Some(text.to_string()),
        Node::Var(_) | Node::Compound { .. } => None,
    };
    (0..read.tree.len().min(MOST_LEAVES) as NodeId).filter_map(leaf).collect()
}

/// The most parts of a term that are looked at.
const MOST_LEAVES: usize = 100;

/// What a regular expression searches in the text of a term: of a text its characters, also of one that a recorder cut,
/// `cut("...")`, and of the path of a descriptor, `fd(3, "...")`; of another term the text as it is.
pub(crate) fn searched_text(text: &str) -> Cow<'_, str> {
    let text = text_in_term(text).unwrap_or(text);
    match text.as_bytes().first() {
        Some(b'"' | b'\'') => match simple_term(text) {
            Some(SimpleTerm::Text(characters)) => characters,
            _ => Cow::Borrowed(text),
        },
        _ => Cow::Borrowed(text),
    }
}

/// The text in quotes that a term is about: what is left of it, or where a descriptor leads.
fn text_in_term(text: &str) -> Option<&str> {
    let inner = match text.strip_prefix("fd(") {
        Some(descriptor) => descriptor.split_once(',')?.1.trim_start(),
        None => text.strip_prefix("cut(")?,
    };
    inner.strip_suffix(')').filter(|inner| plain_quoted(inner).is_some())
}

/// What is between quotes, if its characters stand for themselves.
fn plain_quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    let is_plain = inner.bytes().all(|byte| byte >= b' ' && byte != b'\\' && char::from(byte) != quote);
    is_plain.then_some(inner)
}

fn is_plain_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_without_structure_are_numbers_or_texts() {
        let text = |text: &str| Some(SimpleTerm::Text(Cow::Owned(text.to_owned())));
        let number = |number| Some(SimpleTerm::Number(number));
        assert_eq!(
            [simple_term("ok"), simple_term("'it''s'"), simple_term("\"a b\"")],
            [text("ok"), text("it's"), text("a b")]
        );
        assert_eq!(
            [simple_term("-3"), simple_term("0'a"), simple_term("1.5")],
            [number(Number::Int(-3)), number(Number::Int(97)), number(Number::Float(1.5))]
        );
        assert_eq!([simple_term("a b"), simple_term("f(x)"), simple_term("X")], [text("a b"), None, None]);
    }
}
