//! Values of attributes in JSON: `AnyValue`, without recursion.

use std::borrow::Cow;

use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::Json;
use crate::formats::spans::{
    NO_TEXT, Pairs, SpanDraft, SpanRecords, SpanValue, TermText, base64, integer, whole, written,
};

/// A value as its object has it.
#[derive(Clone, Debug, PartialEq)]
enum JsonAny<'t> {
    None,
    Text(Cow<'t, str>),
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A list, as its object.
    Array(&'t str),
    /// Pairs, as their object.
    Map(&'t str),
    Bytes(Vec<u8>),
}

/// A value that does not fit its field: what it should be, and how it is written.
type Misfit = Option<(&'static str, String)>;

/// The attributes in an array, at which the scanner is. With `maps`, the pairs of those that may be arguments of a tool
/// are kept there.
pub(crate) fn attributes(
    scanner: &mut JsonScanner<'_>,
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
    mut maps: Option<&mut Vec<(u32, Pairs)>>,
    pairs: &mut Pairs,
) -> Result<(), JsonError> {
    pairs.clear();
    maps.as_mut().into_iter().for_each(|maps| maps.clear());
    if !scanner.enters(JsonKind::Array)? {
        return Ok(());
    }
    let mut before = NO_TEXT;
    while scanner.next_element()? {
        let Some((key, value)) = key_value(scanner, draft)? else { continue };
        let key = records.key_after(before, &key);
        before = key;
        if let (Some(maps), JsonAny::Map(map)) = (&mut maps, &value)
            && SpanRecords::may_be_arguments(key)
        {
            maps.push((key, pairs_of(map, records, draft)?));
        }
        pairs.push((key, number(key, &value, records, draft)?));
    }
    Ok(())
}

/// The key and the value of an attribute; none for what is no object.
fn key_value<'t>(
    scanner: &mut JsonScanner<'t>,
    draft: &mut SpanDraft,
) -> Result<Option<(Cow<'t, str>, JsonAny<'t>)>, JsonError> {
    if !scanner.enters(JsonKind::Object)? {
        return Ok(None);
    }
    let (mut key, mut value, mut misfit) = (Cow::Borrowed(""), JsonAny::None, None);
    while let Some(field) = scanner.next_key()? {
        match &*field {
            "key" => key = text(scanner.value()?),
            "value" => (value, misfit) = any(scanner)?,
            _ => scanner.skip()?,
        }
    }
    if let Some((what, shown)) = misfit {
        draft.misfit(&format!("{what} of `{key}`:"), &shown);
    }
    Ok(Some((key, value)))
}

fn text(value: Json<'_>) -> Cow<'_, str> {
    match value {
        Json::Text(text) => text,
        other => Cow::Owned(written(&other).to_owned()),
    }
}

/// Names of the fields, in the order in which they count.
const FIELDS: [[&str; 2]; 7] = [
    ["stringValue", "string_value"],
    ["boolValue", "bool_value"],
    ["intValue", "int_value"],
    ["doubleValue", "double_value"],
    ["arrayValue", "array_value"],
    ["kvlistValue", "kvlist_value"],
    ["bytesValue", "bytes_value"],
];

/// The value at which the scanner is.
fn any<'t>(scanner: &mut JsonScanner<'t>) -> Result<(JsonAny<'t>, Misfit), JsonError> {
    if scanner.kind()? != JsonKind::Object {
        let value = scanner.value()?;
        return Ok((JsonAny::None, Some(("value", written(&value).to_owned()))));
    }
    let mut best: Option<(usize, Json<'t>)> = None;
    scanner.begin_object()?;
    while let Some(key) = scanner.next_key()? {
        let Some(field) = FIELDS.iter().position(|names| names.contains(&&*key)) else {
            scanner.skip()?;
            continue;
        };
        let value = scanner.value()?;
        if value != Json::Null && best.as_ref().is_none_or(|(known, _)| field <= *known) {
            best = Some((field, value));
        }
    }
    Ok(best.map_or((JsonAny::None, None), |(field, value)| of_field(field, value)))
}

fn of_field(field: usize, value: Json<'_>) -> (JsonAny<'_>, Misfit) {
    match (field, value) {
        (0, value) => (JsonAny::Text(text(value)), None),
        (1, value) => (JsonAny::Bool(written(&value) == "true"), None),
        (2, value) => int(value),
        (3, value) => double(value),
        (4, Json::Nested(list)) => (JsonAny::Array(list), None),
        (5, Json::Nested(pairs)) => (JsonAny::Map(pairs), None),
        (6, Json::Text(digits)) => match base64(&digits) {
            Some(bytes) => (JsonAny::Bytes(bytes), None),
            None => (JsonAny::None, Some(("bytesValue", digits.into_owned()))),
        },
        (_, value) => (JsonAny::None, Some(("value", written(&value).to_owned()))),
    }
}

/// An integer; one that has a fraction or more than 64 bits is a float, and not as it should be.
fn int(value: Json<'_>) -> (JsonAny<'_>, Misfit) {
    let signed = |value: &Json<'_>| match value {
        Json::Text(digits) => Json::of(digits.as_ref()).integer(),
        Json::Integer(digits) => digits.parse().ok(),
        Json::Decimal(text) => text.parse().ok().and_then(whole).and_then(|whole| i64::try_from(whole).ok()),
        _ => None,
    };
    if let Some(number) = signed(&value) {
        return (JsonAny::Int(number), None);
    }
    let shown = written(&value).to_owned();
    let is_number = integer(&value).is_some() || !matches!(value, Json::Text(_));
    let is_digits = shown.strip_prefix('-').unwrap_or(&shown).bytes().all(|byte| byte.is_ascii_digit());
    let any = match shown.parse::<f64>() {
        Ok(number) if is_number || is_digits => JsonAny::Double(number),
        _ => JsonAny::Text(Cow::Owned(shown.clone())),
    };
    (any, Some(("intValue", shown)))
}

fn double(value: Json<'_>) -> (JsonAny<'_>, Misfit) {
    let text = written(&value);
    match (text, text.trim().parse::<f64>()) {
        ("NaN", _) => (JsonAny::Double(f64::NAN), None),
        ("Infinity", _) => (JsonAny::Double(f64::INFINITY), None),
        ("-Infinity", _) => (JsonAny::Double(f64::NEG_INFINITY), None),
        (_, Ok(number)) => (JsonAny::Double(number), None),
        (text, Err(_)) => (JsonAny::Text(Cow::Owned(text.to_owned())), Some(("doubleValue", text.to_owned()))),
    }
}

/// The number of the value of a key.
fn number(key: u32, value: &JsonAny<'_>, records: &mut SpanRecords, draft: &mut SpanDraft) -> Result<u32, JsonError> {
    Ok(match value {
        JsonAny::None => records.value(SpanValue::Absent),
        JsonAny::Text(text) => records.value_of(key, SpanValue::Text(text)),
        JsonAny::Bool(value) => records.value_of(key, SpanValue::Bool(*value)),
        JsonAny::Int(value) => records.value_of(key, SpanValue::Int(*value)),
        JsonAny::Double(value) => records.value(SpanValue::Float(*value)),
        nested => {
            let term = term(nested, draft)?;
            records.value(SpanValue::Term(&term))
        }
    })
}

/// The pairs of a map.
fn pairs_of(map: &str, records: &mut SpanRecords, draft: &mut SpanDraft) -> Result<Pairs, JsonError> {
    let mut pairs = Pairs::new();
    let mut open = OpenJson::new(map, true)?;
    while let Some((key, value)) = open.next(draft)? {
        let key = records.text(&key.unwrap_or_default());
        pairs.push((key, number(key, &value, records, draft)?));
    }
    Ok(pairs)
}

/// The text of the term that a list, a map or bytes are.
fn term(value: &JsonAny<'_>, draft: &mut SpanDraft) -> Result<String, JsonError> {
    let (mut term, mut open) = (TermText::default(), Vec::new());
    write(value, &mut term, &mut open)?;
    while let Some(rest) = open.last_mut() {
        match rest.next(draft)? {
            Some((key, value)) => {
                term.separate();
                key.into_iter().for_each(|key| term.member(&key));
                write(&value, &mut term, &mut open)?;
            }
            None => {
                match rest.is_map {
                    true => term.end_object(),
                    false => term.text.push(']'),
                }
                open.pop();
            }
        }
    }
    Ok(term.text)
}

fn write<'t>(value: &JsonAny<'t>, term: &mut TermText, open: &mut Vec<OpenJson<'t>>) -> Result<(), JsonError> {
    match value {
        JsonAny::None => term.value(SpanValue::Absent),
        JsonAny::Text(text) => term.value(SpanValue::Text(text)),
        JsonAny::Bool(value) => term.value(SpanValue::Bool(*value)),
        JsonAny::Int(value) => term.value(SpanValue::Int(*value)),
        JsonAny::Double(value) => term.value(SpanValue::Float(*value)),
        JsonAny::Bytes(bytes) => term.bytes(bytes),
        JsonAny::Array(list) => {
            term.text.push('[');
            open.push(OpenJson::new(list, false)?);
        }
        JsonAny::Map(pairs) => {
            term.text.push('{');
            open.push(OpenJson::new(pairs, true)?);
        }
    }
    Ok(())
}

/// What is left of a list or map.
struct OpenJson<'t> {
    /// Inside of the array; none if there is none.
    scanner: Option<JsonScanner<'t>>,
    is_map: bool,
}

/// A value of a list or map, in a map with its key.
type JsonMember<'t> = (Option<Cow<'t, str>>, JsonAny<'t>);

impl<'t> OpenJson<'t> {
    /// The values in the object of a list or map: those of the last key `values`.
    fn new(text: &'t str, is_map: bool) -> Result<OpenJson<'t>, JsonError> {
        let (mut scanner, mut values) = (JsonScanner::new(text), None);
        if scanner.enters(JsonKind::Object)? {
            while let Some(key) = scanner.next_key()? {
                let raw = scanner.raw()?;
                values = if key == "values" { Some(raw).filter(|raw| raw.starts_with('[')) } else { values };
            }
        }
        let mut scanner = values.map(JsonScanner::new);
        scanner.as_mut().map_or(Ok(()), JsonScanner::begin_array)?;
        Ok(OpenJson { scanner, is_map })
    }

    /// The next value, in a map with its key.
    fn next(&mut self, draft: &mut SpanDraft) -> Result<Option<JsonMember<'t>>, JsonError> {
        let Some(scanner) = &mut self.scanner else { return Ok(None) };
        while scanner.next_element()? {
            if self.is_map {
                if let Some((key, value)) = key_value(scanner, draft)? {
                    return Ok(Some((Some(key), value)));
                }
            } else if scanner.kind()? == JsonKind::Object {
                let (value, misfit) = any(scanner)?;
                misfit.into_iter().for_each(|(what, shown)| draft.misfit(what, &shown));
                return Ok(Some((None, value)));
            } else {
                scanner.skip()?;
            }
        }
        Ok(None)
    }
}
