//! The `jsonl` format: one JSON object an event; keys are names of attributes, and unknown keys become attributes.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::Format;
use super::lines::{Ending, Lines};
use super::morphine::{self, brackets};
use crate::trace::{AttributeId, EventRow, Field, ListField, PathId, PortSet, ProcRow, TraceBuilder, known_attribute};

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "jsonl",
    doc: "one JSON object an event, keys are names of attributes",
    sample: r#"{"chrono": 1, "call": 1, "depth": 1, "port": "call", "name": "main", "arity": 0}"#,
    missing: "no line is a JSON object with an attribute as a key",
    rule: "J1",
    ports: PortSet::Open(morphine::PORTS),
    attributes: &[],
    sniff,
    read,
    excerpt: None,
};

/// How many of the first lines are objects with a key that is an attribute; few, as parsing is slow.
fn sniff(head: &[u8]) -> usize {
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.trim_ascii().is_empty());
    lines.take(50).filter(|line| parse(line).map_or_else(|_| begins_as_event(line), |object| is_event(&object))).count()
}

fn is_event(object: &Map<String, Value>) -> bool {
    object.keys().any(|key| known_attribute(key).is_some())
}

/// Whether a line that cannot be read begins with an attribute: `{"chrono": 1, "args": [[[...`, nested too deep or cut.
fn begins_as_event(line: &[u8]) -> bool {
    let key = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let key = key.and_then(|key| key.strip_prefix(b"\"")?.split(|byte| *byte == b'"').next());
    key.and_then(|key| std::str::from_utf8(key).ok()).is_some_and(|key| known_attribute(key).is_some())
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    while let Some(line) = lines.next_line() {
        if line.bytes.trim_ascii().is_empty() && line.ending != Ending::TooLong {
            continue;
        }
        let number = line.number;
        let read = match line.ending {
            Ending::TooLong => Err(format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20)),
            _ => parse(line.bytes),
        };
        if let Err(message) = read.and_then(|object| event(&object, number, builder)) {
            builder.finding(FORMAT.rule, None, Some(number), message);
        }
    }
}

/// The object on a line; a byte that is no UTF-8 becomes `\xHH\` in its text.
fn parse(line: &[u8]) -> Result<Map<String, Value>, String> {
    let parsed = serde_json::from_str(&super::text::visible_in_json(line));
    parsed.map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or(&reason);
        format!("column {}: expected a JSON object: {reason}", error.column())
    })
}

/// Hands an object to the builder.
fn event(object: &Map<String, Value>, source_line: u64, builder: &mut TraceBuilder) -> Result<(), String> {
    let mut fields = Fields::default();
    for (key, value) in object {
        fields.set(key, value, builder)?;
    }
    fields.push(source_line, builder);
    Ok(())
}

/// The fields of one event while its object is read.
#[derive(Default)]
struct Fields<'v> {
    row: EventRow<'v>,
    has_no_arity: bool,
    args: Option<Vec<Option<Cow<'v, str>>>>,
    arg_types: Option<Vec<Option<Cow<'v, str>>>>,
    arg_names: Option<Vec<Option<Cow<'v, str>>>>,
    extra: Vec<(AttributeId, Extra<'v>)>,
}

/// The attributes whose strings are texts of terms, as those of the arguments are.
pub const VARIABLES: [AttributeId; 3] = [AttributeId::VARS, AttributeId::VAR_NAMES_AND_TYPES, AttributeId::LOCAL_VARS];

/// A value of an attribute beyond the usual ones.
enum Extra<'v> {
    Plain(Field<'v>),
    Json(String),
    BigInt(String),
}

impl<'v> Fields<'v> {
    fn set(&mut self, key: &str, value: &'v Value, builder: &mut TraceBuilder) -> Result<(), String> {
        if value.is_null() {
            return self.set_null(key, builder);
        }
        let expected = |what: &str| format!("expected {what} for `{key}`, found `{}`", shown(value));
        let integer = || value.as_i64().map(Some).ok_or_else(|| expected("an integer"));
        let name = || value.as_str().map(Some).ok_or_else(|| expected("a string"));
        let list = || texts(value).map(Some).ok_or_else(|| expected("an array"));
        let row = &mut self.row;
        match known_attribute(key) {
            Some(AttributeId::CHRONO) => row.chrono = integer()?,
            Some(AttributeId::CALL) => row.call = integer()?,
            Some(AttributeId::DEPTH) => row.depth = integer()?,
            Some(AttributeId::LINE_NUMBER) => row.line_number = integer()?,
            Some(AttributeId::PORT) => row.port = name()?,
            Some(AttributeId::DET) => row.det = name()?,
            Some(AttributeId::PROC_TYPE) => row.proc.proc_type = name()?,
            Some(AttributeId::DECL_MODULE) => row.proc.decl_module = name()?,
            Some(AttributeId::DEF_MODULE) => row.proc.def_module = name()?,
            Some(AttributeId::NAME) => row.proc.name = name()?,
            Some(AttributeId::ARITY) => row.proc.arity = integer()?,
            Some(AttributeId::MODE_NUMBER) => row.proc.mode_number = integer()?,
            Some(AttributeId::GOAL_PATH) => {
                row.goal_path = Some(path(value, builder).ok_or_else(|| expected("an array of steps"))?);
            }
            Some(AttributeId::PROC) => {
                row.proc = name()?.and_then(proc).ok_or_else(|| expected("a procedure like `m:p/2-0`"))?;
            }
            Some(AttributeId::ARGS) => self.args = list()?,
            Some(AttributeId::ARG_TYPES) => self.arg_types = list()?,
            Some(AttributeId::ARG_NAMES) => self.arg_names = list()?,
            // the stack follows from the calls
            Some(AttributeId::STACK) => {}
            _ => {
                let id = builder.attribute(key).ok_or_else(|| format!("too many attributes: `{key}` is left out"))?;
                self.extra.retain(|(other, _)| *other != id);
                self.extra.push((id, extra(id, value)));
            }
        }
        Ok(())
    }

    /// Null is no value; of an arity it also says that there is none, and an attribute that the trace brought may be asked for.
    fn set_null(&mut self, key: &str, builder: &mut TraceBuilder) -> Result<(), String> {
        match known_attribute(key) {
            Some(AttributeId::ARITY) => self.has_no_arity = true,
            Some(_) => {}
            None => {
                builder.standing_attribute(key);
            }
        }
        Ok(())
    }

    fn push(mut self, source_line: u64, builder: &mut TraceBuilder) {
        let mut args = self.args.iter().flatten().flatten();
        if !args.all(|text| brackets::are_balanced(text)) {
            let message = "the brackets or quotes of an argument do not match";
            builder.finding("J2", self.row.chrono, Some(source_line), message);
        }
        if self.row.proc.arity.is_none() && !self.has_no_arity {
            self.row.proc.arity = self.args.as_ref().and_then(|args| i64::try_from(args.len()).ok());
        }
        let lists = [&self.args, &self.arg_types, &self.arg_names].map(parts);
        let [args, arg_types, arg_names] = [0, 1, 2].map(|index| match &lists[index] {
            Some(parts) => ListField::Parts(parts),
            None => ListField::Absent,
        });
        let extra: Vec<(AttributeId, Field<'_>)> =
            self.extra.iter().map(|(id, value)| (*id, value.as_field())).collect();
        builder.push(&EventRow { args, arg_types, arg_names, extra: &extra, source_line, ..self.row });
    }
}

impl Extra<'_> {
    fn as_field(&self) -> Field<'_> {
        match self {
            Extra::Plain(field) => *field,
            Extra::Json(text) => Field::Json(text),
            Extra::BigInt(digits) => Field::BigInt(digits),
        }
    }
}

fn parts<'c>(list: &'c Option<Vec<Option<Cow<'_, str>>>>) -> Option<Vec<Option<&'c str>>> {
    list.as_ref().map(|parts| parts.iter().map(Option::as_deref).collect())
}

/// The elements of an array as texts, null as none.
fn texts(value: &Value) -> Option<Vec<Option<Cow<'_, str>>>> {
    Some(value.as_array()?.iter().map(text).collect())
}

fn text(item: &Value) -> Option<Cow<'_, str>> {
    match item {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(other.to_string())),
    }
}

fn path(value: &Value, builder: &mut TraceBuilder) -> Option<PathId> {
    if let Value::String(text) = value {
        return Some(morphine::path(text.trim_start_matches('[').trim_end_matches(']'), builder));
    }
    let steps: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    Some(builder.path(&steps?))
}

/// `predicate->queens:queen/2-0`; only the name is required.
fn proc(text: &str) -> Option<ProcRow<'_>> {
    let (proc_type, rest) = text.split_once("->").map_or((None, text), |(kind, rest)| (Some(kind.trim()), rest));
    let (decl_module, rest) = rest.split_once(':').map_or((None, rest), |(module, rest)| (Some(module.trim()), rest));
    let (rest, mode_number) = number_behind(rest, '-');
    let (name, arity) = number_behind(rest, '/');
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    name.map(|_| ProcRow { proc_type, decl_module, def_module: None, name, arity, mode_number })
}

/// The text before the last `mark` and the number behind it; the whole text if there is no number.
fn number_behind(text: &str, mark: char) -> (&str, Option<i64>) {
    let found = text.rsplit_once(mark).and_then(|(before, number)| Some((before, number.trim().parse().ok()?)));
    found.map_or((text, None), |(before, number)| (before, Some(number)))
}

fn extra(id: AttributeId, value: &Value) -> Extra<'_> {
    match value {
        Value::String(text) if VARIABLES.contains(&id) => Extra::Plain(Field::Term(text)),
        Value::String(text) => Extra::Plain(Field::Text(text)),
        Value::Bool(value) => Extra::Plain(Field::Bool(*value)),
        Value::Number(number) => number_of(number),
        other => match kind_and_text(other) {
            Some(("term", text)) => Extra::Plain(Field::Term(text)),
            _ => Extra::Json(other.to_string()),
        },
    }
}

/// An integer of any size or a float; a number that no float is, such as `1e999`, is kept as it is written.
fn number_of(number: &Number) -> Extra<'static> {
    let is_integer = || number.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => Extra::Plain(Field::Int(integer)),
        (None, _) if is_integer() => Extra::BigInt(number.to_string()),
        (None, Some(float)) => Extra::Plain(Field::Float(float)),
        (None, None) => Extra::Json(number.to_string()),
    }
}

/// `{"term": "f(x)"}` by its only key and the string there.
fn kind_and_text(value: &Value) -> Option<(&str, &str)> {
    let mut entries = value.as_object()?.iter();
    let (kind, text) = entries.next()?;
    entries.next().is_none().then_some((kind.as_str(), text.as_str()?))
}

/// The start of a value, for a message.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}
