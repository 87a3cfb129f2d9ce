//! The grammar of a state, and its expressions as texts of terms:
//! `{"#meta": {"index": 1}, "balance": {"#map": [["ann", {"#bigint": "-4"}]]}, "last": {"tag": "Mint", "value": 3}}`.

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::unquoted;
use crate::formats::lines::text::unescaped;
use crate::term::letters::{atom_text, quoted};

/// An expression as the text of a term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) text: String,
    /// The same with the members of sets and the keys of maps in order, if that is another text: equal values are equal here.
    pub(super) sorted: Option<String>,
    pub(super) kind: ExpressionKind,
    /// The elements of a list; those of a list among them have none.
    elements: Vec<Expression>,
}

/// What an expression is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ExpressionKind {
    Integer,
    Bool,
    /// A string, whose text has quotes.
    Text,
    List,
    /// A tuple without elements.
    Unit,
    #[default]
    Other,
}

impl Expression {
    /// A text that is the same for equal values.
    fn canonical(&self) -> &str {
        self.sorted.as_deref().unwrap_or(&self.text)
    }

    fn other(text: String) -> Expression {
        Expression { text, ..Expression::default() }
    }
}

/// A rule that an expression breaks.
pub(super) type BrokenRule = &'static str;

/// The value of a key of an object.
pub(super) fn entry<'t>(object: &'t str, wanted: &str) -> Result<Option<&'t str>, JsonError> {
    let (mut scanner, mut found) = (JsonScanner::new(object), None);
    if !scanner.enters(JsonKind::Object)? {
        return Ok(None);
    }
    while let Some(key) = scanner.next_key()? {
        let value = scanner.raw()?;
        found = if key == wanted { Some(value) } else { found };
    }
    Ok(found)
}

/// The choices that were made: `{"n": {"tag": "Some", "value": 3}, "m": {"tag": "None", ...}}`, by name.
pub(super) fn picks(text: &str, broken: &mut Vec<BrokenRule>) -> Result<Option<Vec<(String, Expression)>>, JsonError> {
    let mut scanner = JsonScanner::new(text);
    if !scanner.enters(JsonKind::Object)? {
        return Ok(None);
    }
    let mut picks = Vec::new();
    while let Some(key) = scanner.next_key()? {
        let pick = scanner.raw()?;
        if entry(pick, "tag")? == Some("\"Some\"")
            && let Some(value) = entry(pick, "value")?
        {
            picks.push((key.into_owned(), expression(value, broken)?));
        }
    }
    picks.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(Some(picks))
}

/// A container whose parts are read.
enum OpenContainer {
    Array(Vec<Expression>),
    Object(Vec<(String, Expression)>),
}

/// An expression as a term.
pub(super) fn expression(text: &str, broken: &mut Vec<BrokenRule>) -> Result<Expression, JsonError> {
    let mut scanner = JsonScanner::new(text);
    let mut open: Vec<OpenContainer> = Vec::new();
    loop {
        let mut whole = match scanner.kind()? {
            JsonKind::Array => {
                scanner.begin_array()?;
                open.push(OpenContainer::Array(Vec::new()));
                None
            }
            JsonKind::Object => {
                scanner.begin_object()?;
                open.push(OpenContainer::Object(Vec::new()));
                None
            }
            kind => Some(scalar(kind, scanner.raw()?, broken)),
        };
        // what is whole becomes a part of what is around it, which may then be whole too
        loop {
            let Some(container) = open.last_mut() else { return Ok(whole.unwrap_or_default()) };
            let goes_on = match container {
                OpenContainer::Array(elements) => {
                    elements.extend(whole.take());
                    scanner.next_element()?
                }
                OpenContainer::Object(entries) => {
                    if let (Some((_, value)), Some(part)) = (entries.last_mut(), whole.take()) {
                        *value = part;
                    }
                    let key = scanner.next_key()?;
                    let goes_on = key.is_some();
                    entries.extend(key.map(|key| (key.into_owned(), Expression::default())));
                    goes_on
                }
            };
            if goes_on {
                break;
            }
            whole = open.pop().map(|container| match container {
                OpenContainer::Array(elements) => list(elements),
                OpenContainer::Object(entries) => object(entries, broken),
            });
        }
    }
}

fn scalar(kind: JsonKind, text: &str, broken: &mut Vec<BrokenRule>) -> Expression {
    match kind {
        JsonKind::Text => Expression { kind: ExpressionKind::Text, ..Expression::other(quoted(&unquoted(text), '"')) },
        JsonKind::Bool => Expression { kind: ExpressionKind::Bool, ..Expression::other(text.to_owned()) },
        JsonKind::Number if integer(text).is_some() => {
            let digits = integer(text).unwrap_or_default();
            Expression { kind: ExpressionKind::Integer, ..Expression::other(digits) }
        }
        JsonKind::Null => {
            broken.push("I6");
            Expression::other("null".to_owned())
        }
        _ => fault(text, broken),
    }
}

/// A value that is no expression, as a string.
fn fault(text: &str, broken: &mut Vec<BrokenRule>) -> Expression {
    broken.push("I6");
    Expression { kind: ExpressionKind::Text, ..Expression::other(quoted(text, '"')) }
}

/// The digits of an integer without leading zeros.
fn integer(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some("0".to_owned()),
        digits => Some(format!("{sign}{digits}")),
    }
}

/// The integer that a text is: a number, or digits as `{"#bigint": "12"}`; none if it has more than 18 digits.
pub(super) fn plain_integer(text: &str) -> Option<i64> {
    let digits = match text.strip_prefix('{') {
        Some(rest) => {
            let value = rest.trim_start().strip_prefix("\"#bigint\"")?.trim_start().strip_prefix(':')?.trim_start();
            value.strip_suffix('}')?.trim_end().strip_prefix('"')?.strip_suffix('"')?
        }
        None => text,
    };
    let (sign, digits) = digits.strip_prefix('-').map_or((1, digits), |digits| (-1, digits));
    if digits.is_empty() || digits.len() > 18 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(sign * digits.bytes().fold(0, |value, digit| value * 10 + i64::from(digit & 0xF)))
}

fn list(mut elements: Vec<Expression>) -> Expression {
    elements.iter_mut().flat_map(|element| &mut element.elements).for_each(|inner| inner.elements.clear());
    let whole = wrapped("[", &elements, "]");
    Expression { kind: ExpressionKind::List, elements, ..whole }
}

/// The parts with commas between them, in brackets.
fn wrapped(open: &str, parts: &[Expression], close: &str) -> Expression {
    let text = |of: fn(&Expression) -> &str| {
        let parts: Vec<&str> = parts.iter().map(of).collect();
        format!("{open}{}{close}", parts.join(", "))
    };
    let differs = parts.iter().any(|part| part.sorted.is_some());
    Expression { sorted: differs.then(|| text(Expression::canonical)), ..Expression::other(text(|part| &part.text)) }
}

fn object(entries: Vec<(String, Expression)>, broken: &mut Vec<BrokenRule>) -> Expression {
    if let Some((tag, value)) = entries.iter().find(|(key, _)| key.starts_with('#')) {
        return tagged(tag, value, broken);
    }
    let find = |name: &str| entries.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value);
    if let (Some(tag), Some(value), 2) = (find("tag"), find("value"), entries.len())
        && tag.kind == ExpressionKind::Text
    {
        return variant(&tag.text, value);
    }
    let mut entries = entries;
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries.reverse();
    // of two values of a key the last counts
    entries.dedup_by(|(one, _), (other, _)| one == other);
    entries.reverse();
    let fields: Vec<Expression> = entries
        .into_iter()
        .map(|(key, value)| pair(&Expression::other(atom_text(&key).into_owned()), &value))
        .collect();
    wrapped("record([", &fields, "])")
}

/// `{"#tup": [...]}` and the like.
fn tagged(tag: &str, value: &Expression, broken: &mut Vec<BrokenRule>) -> Expression {
    match (tag, value.kind) {
        ("#bigint", ExpressionKind::Text) => match integer(value.text.trim_matches('"')) {
            Some(digits) => Expression { kind: ExpressionKind::Integer, ..Expression::other(digits) },
            None => {
                broken.push("I6");
                value.clone()
            }
        },
        ("#tup", ExpressionKind::List) if value.elements.is_empty() => {
            Expression { kind: ExpressionKind::Unit, ..Expression::other("tuple([])".to_owned()) }
        }
        ("#tup", ExpressionKind::List) => wrapped("tuple([", &value.elements, "])"),
        ("#set", ExpressionKind::List) => collection("set", &value.elements, &value.elements, "I8", broken),
        ("#map", ExpressionKind::List) if value.elements.iter().all(|pair| pair.elements.len() == 2) => {
            let keys: Vec<Expression> = value.elements.iter().map(|pair| pair.elements[0].clone()).collect();
            let pairs: Vec<Expression> =
                value.elements.iter().map(|element| pair(&element.elements[0], &element.elements[1])).collect();
            collection("map", &pairs, &keys, "I7", broken)
        }
        ("#unserializable", ExpressionKind::Text) => Expression::other(format!("unserializable({})", value.text)),
        _ => fault(&format!("{{\"{tag}\": {}}}", value.text), broken),
    }
}

/// A set or a map, in which no two members or keys may be the same.
fn collection(
    name: &str,
    parts: &[Expression],
    keys: &[Expression],
    rule: BrokenRule,
    broken: &mut Vec<BrokenRule>,
) -> Expression {
    if in_order(keys).windows(2).any(|pair| pair[0] == pair[1]) {
        broken.push(rule);
    }
    let whole = wrapped(&format!("{name}(["), parts, "])");
    let sorted = format!("{name}([{}])", in_order(parts).join(", "));
    Expression { sorted: Some(sorted).filter(|sorted| *sorted != whole.text), ..whole }
}

/// The canonical texts of the parts, sorted.
fn in_order(parts: &[Expression]) -> Vec<&str> {
    let mut parts: Vec<&str> = parts.iter().map(Expression::canonical).collect();
    parts.sort_unstable();
    parts
}

/// `key-value`; with a negative value `key- -1`.
fn pair(key: &Expression, value: &Expression) -> Expression {
    let text = |key: &str, value: &str| format!("{key}-{}{value}", if value.starts_with('-') { " " } else { "" });
    let differs = key.sorted.is_some() || value.sorted.is_some();
    Expression {
        sorted: differs.then(|| text(key.canonical(), value.canonical())),
        ..Expression::other(text(&key.text, &value.text))
    }
}

/// `'Mint'(3)`, or `'Idle'` of a unit; `tag` is quoted as a string.
fn variant(tag: &str, value: &Expression) -> Expression {
    let tag = unescaped(tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag), '"');
    let tag = atom_text(&tag);
    if value.kind == ExpressionKind::Unit {
        return Expression::other(tag.into_owned());
    }
    let apply = |value: &str| format!("{tag}({value})");
    Expression { text: apply(&value.text), sorted: value.sorted.as_deref().map(apply), ..Expression::default() }
}
