//! What a source finds in a line: a field by its number, and steps into nested values.

use std::borrow::Cow;

use super::fields::{KeyGuesses, Member, ObjectFields};
use super::values::as_type;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::scanner::{JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::mapping::{Constant, JsonMap, Source, SourcePath, SourceRoot, SourceStep};
use crate::trace::Field;

/// What the sources of a map find at one event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventFields<'v> {
    /// The line as it is written.
    pub(crate) text: &'v str,
    pub(crate) line: &'v ObjectFields<'v>,
    /// The element, or the line if no elements are events.
    pub(crate) element: &'v ObjectFields<'v>,
    /// The element as a value, if it is no object.
    pub(crate) item: Option<&'v Json<'v>>,
}

/// A value that a source found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found<'t> {
    Json(Json<'t>),
    /// JSON that does not stand in the line as it is.
    Written(String),
    Int(i64),
    /// A value that has not the type as which it is read.
    Unreadable(Json<'t>),
}

/// Appends a text as JSON, a plain one without the detour of looking for escapes.
fn push_json_text(out: &mut String, text: &str) {
    match text.bytes().any(|byte| matches!(byte, 0..=0x1F | b'"' | b'\\')) {
        false => out.extend(["\"", text, "\""]),
        true => out.push_str(&serde_json::Value::from(text).to_string()),
    }
}

/// Appends a value as JSON.
pub(crate) fn push_json(out: &mut String, value: &Json<'_>) {
    match value {
        Json::Text(text) => push_json_text(out, text),
        other => out.push_str(&other.written()),
    }
}

/// Whether a text is an object.
pub(crate) fn is_object(text: &str) -> bool {
    let mut scanner = JsonScanner::new(text);
    scanner.kind() == Ok(JsonKind::Object) && scanner.skip().is_ok() && scanner.end().is_ok()
}

/// How many of some lines, which are objects, have all that a map needs.
pub(crate) fn n_with_needs<'l>(map: &JsonMap, lines: impl Iterator<Item = &'l str>) -> usize {
    let mut guesses = KeyGuesses::default();
    lines.filter(|line| has_keys(map, line) && has_needs(map, line, &mut guesses)).count()
}

/// Whether the keys that a map needs are somewhere in a line; also if escapes may hide them.
fn has_keys(map: &JsonMap, line: &str) -> bool {
    let is_somewhere = |path: &SourcePath| match path.root {
        SourceRoot::LineField(number) => line.contains(&*map.line_fields.keys[number]),
        _ => true,
    };
    line.contains('\\') || map.needs.iter().all(|source| source.paths.iter().any(is_somewhere))
}

/// Whether a line has all that a map needs.
fn has_needs(map: &JsonMap, line: &str, guesses: &mut KeyGuesses) -> bool {
    let mut fields = ObjectFields::default();
    let is_object = fields.read(line, &map.line_fields, guesses).is_ok();
    is_object && EventFields { text: line, line: &fields, element: &fields, item: None }.has_all(&map.needs)
}

impl<'v> EventFields<'v> {
    /// The first value of a source that is there and not null.
    pub(crate) fn find(&self, source: &'v Source) -> Option<Found<'v>> {
        let mut found = source.paths.iter().filter_map(|path| self.at(path));
        found.find(|found| !matches!(found, Found::Json(Json::Null)))
    }

    /// Whether all sources are there, null included.
    pub(crate) fn has_all(&self, sources: &'v [Source]) -> bool {
        sources.iter().all(|source| source.paths.iter().any(|path| self.has(path)))
    }

    /// The last of the values that a source finds in an array, or in the elements of one.
    pub(crate) fn find_last(&self, source: &'v Source) -> Option<Found<'v>> {
        for path in &source.paths {
            if let (Some(Member::OfLastElement(found)), [_]) = (self.member(path), path.steps.as_slice()) {
                return found.as_ref().map(|value| Found::Json(lent(value)));
            }
            if let Some(found) = self.at(path).filter(|found| !matches!(found, Found::Json(Json::Null))) {
                return match found {
                    Found::Json(Json::Nested(text)) => elements(text).last().map(|raw| Found::Json(Json::of(raw))),
                    other => other.with(|value| match value {
                        Json::Nested(text) => elements(text).last().map(|raw| Found::Written(raw.to_owned())),
                        _ => None,
                    }),
                };
            }
        }
        None
    }

    fn at(&self, path: &'v SourcePath) -> Option<Found<'v>> {
        let (found, steps) = match path.member {
            None => (self.root(&path.root)?, path.steps.as_slice()),
            Some(_) => match self.member(path)? {
                Member::OfObject(value) => (Found::Json(lent(value)), &path.steps[1..]),
                Member::OfLastElement(_) => (self.root(&path.root)?, path.steps.as_slice()),
            },
        };
        if steps.is_empty() { Some(found) } else { walked(found, steps) }
    }

    /// Whether a path leads to a value, null included.
    fn has(&self, path: &'v SourcePath) -> bool {
        match (&path.root, path.member, path.steps.as_slice()) {
            (SourceRoot::Field(number), None, []) => self.element.get(*number).is_some(),
            (SourceRoot::LineField(number), None, []) => self.line.get(*number).is_some(),
            _ => self.at(path).is_some(),
        }
    }

    /// The member with which a path begins.
    fn member(&self, path: &SourcePath) -> Option<&'v Member<'v>> {
        let fields = match path.root {
            SourceRoot::Field(_) => self.element,
            _ => self.line,
        };
        fields.member(path.member?)
    }

    fn root(&self, root: &'v SourceRoot) -> Option<Found<'v>> {
        Some(match root {
            SourceRoot::Field(number) => Found::Json(lent(self.element.get(*number)?)),
            SourceRoot::LineField(number) => Found::Json(lent(self.line.get(*number)?)),
            SourceRoot::Line => Found::Json(Json::Nested(self.text.trim())),
            SourceRoot::Item => Found::Json(lent(self.item.filter(|item| !matches!(item, Json::Nested(_)))?)),
            SourceRoot::Rest => Found::Written(rest(self.element)?),
            SourceRoot::Constant(Constant::Text(text)) => Found::Json(Json::Text(Cow::Borrowed(text))),
            SourceRoot::Constant(Constant::Int(value)) => Found::Int(*value),
            SourceRoot::Constant(Constant::Float(value)) => Found::Written(value.to_string()),
        })
    }
}

/// The value to which steps lead from another one.
fn walked<'t>(mut found: Found<'t>, steps: &[SourceStep]) -> Option<Found<'t>> {
    for step in steps {
        found = taken(found, step)?;
    }
    Some(found)
}

/// The fields that are not shown otherwise as one object, if there are some.
fn rest(fields: &ObjectFields<'_>) -> Option<String> {
    let n_bytes: usize = fields.rest().map(|part| part.len() + 1).sum();
    let mut object = String::with_capacity(n_bytes + 1);
    for part in fields.rest() {
        object.push(if object.is_empty() { '{' } else { ',' });
        object.push_str(part);
    }
    object.push('}');
    (n_bytes > 0).then_some(object)
}

/// The same value, whose text is not copied.
fn lent<'v>(value: &'v Json<'_>) -> Json<'v> {
    match value {
        Json::Text(text) => Json::Text(Cow::Borrowed(text)),
        other => other.clone(),
    }
}

/// The value after a step.
fn taken<'t>(found: Found<'t>, step: &SourceStep) -> Option<Found<'t>> {
    match step {
        SourceStep::Key(_) | SourceStep::Nth(_) | SourceStep::Last => match found {
            Found::Json(Json::Nested(text)) => part(text, step),
            Found::Written(text) => part(&text, step).map(owned),
            _ => None,
        },
        SourceStep::Up(separator) => match found {
            Found::Json(Json::Text(text)) => {
                let length = text.rfind(&**separator)?;
                Some(Found::Json(Json::Text(match text {
                    Cow::Borrowed(text) => Cow::Borrowed(&text[..length]),
                    Cow::Owned(text) => Cow::Owned(text[..length].to_owned()),
                })))
            }
            _ => None,
        },
        SourceStep::As(value_type) => match found {
            Found::Json(Json::Null) => None,
            Found::Json(value) => Some(as_type(value, *value_type)),
            Found::Written(text) => Some(owned(as_type(Json::of(&text), *value_type))),
            other => Some(other),
        },
    }
}

/// The part of an array or object to which a step leads.
fn part<'t>(text: &'t str, step: &SourceStep) -> Option<Found<'t>> {
    let is_object = text.starts_with('{');
    match step {
        SourceStep::Key(key) if is_object => member(text, key).map(|raw| Found::Json(Json::of(raw))),
        SourceStep::Key(key) => {
            let members: Vec<&str> = elements(text).filter_map(|element| member(element, key)).collect();
            Some(Found::Written(format!("[{}]", members.join(","))))
        }
        SourceStep::Nth(number) if !is_object => elements(text).nth(*number).map(|raw| Found::Json(Json::of(raw))),
        SourceStep::Last if !is_object => elements(text).last().map(|raw| Found::Json(Json::of(raw))),
        _ => None,
    }
}

/// The value of a key as it is written, of several the last one; none if the text is no object.
fn member<'t>(text: &'t str, wanted: &str) -> Option<&'t str> {
    let mut scanner = JsonScanner::new(text);
    scanner.begin_object().ok()?;
    let mut found = None;
    while let Some(key) = scanner.next_key().ok()? {
        match *key == *wanted {
            true => found = Some(scanner.raw().ok()?),
            false => scanner.skip().ok()?,
        }
    }
    found
}

/// The elements of an array as they are written; none if the text is no array.
pub(crate) fn elements(text: &str) -> impl Iterator<Item = &str> {
    let mut scanner = JsonScanner::new(text);
    let mut is_open = scanner.kind() == Ok(JsonKind::Array) && scanner.begin_array().is_ok();
    std::iter::from_fn(move || {
        is_open = is_open && scanner.next_element() == Ok(true);
        if is_open { scanner.raw().ok() } else { None }
    })
}

/// The same value without the text in which it stands.
fn owned(found: Found<'_>) -> Found<'static> {
    match found {
        Found::Json(value) => Found::Written(value.written().into_owned()),
        Found::Unreadable(value) => Found::Written(value.written().into_owned()),
        Found::Written(text) => Found::Written(text),
        Found::Int(value) => Found::Int(value),
    }
}

impl Found<'_> {
    /// The value as JSON, for `take`.
    pub(crate) fn with<R>(&self, take: impl FnOnce(&Json<'_>) -> R) -> R {
        match self {
            Found::Json(value) | Found::Unreadable(value) => take(value),
            Found::Written(text) => take(&Json::of(text)),
            Found::Int(value) => take(&Json::Integer(&value.to_string())),
        }
    }

    /// The value of an attribute, for `take`.
    pub(crate) fn with_field(&self, take: impl FnOnce(Field<'_>)) {
        match self {
            Found::Int(value) => take(Field::Int(*value)),
            other => other.with(|value| match value {
                Json::Nested(_) | Json::Null => take(Field::Json(&value.written())),
                value => match OwnValue::of(value) {
                    // a number greater than every float
                    OwnValue::Json(text) => take(Field::Text(&text)),
                    own => take(own.as_field()),
                },
            }),
        }
    }

    /// Appends the value to a text: a text as it is, anything else as JSON.
    pub(crate) fn push_text(&self, out: &mut String) {
        self.with(|value| match value {
            Json::Text(text) => out.push_str(text),
            other => out.push_str(&other.written()),
        });
    }
}
