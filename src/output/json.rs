//! Terms and events as JSON, written by serde_json.

use std::borrow::Cow;
use std::io::{Result, Write};
use std::sync::LazyLock;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::value::RawValue;

use crate::formats::jsonl::{JsonTexts, VARIABLES, json_argument};
use crate::syntax::{ReadFlags, read_goal};
use crate::term::hash::HashSet;
use crate::term::ops::OpTable;
use crate::term::{Atom, NodeId, Shape, Tree, View, atoms};
use crate::trace::{ArgTexts, AttributeId, EventId, NOT_LIVE, Trace, Value};

/// Writes a value on one line, with a blank after each colon and comma.
pub(crate) fn write(out: impl Write, value: &(impl Serialize + ?Sized)) -> Result<()> {
    Ok(value.serialize(&mut serde_json::Serializer::with_formatter(out, Spaced))?)
}

/// A value as [`write()`] writes it.
pub(crate) fn to_string(value: &(impl Serialize + ?Sized)) -> String {
    let mut text = Vec::new();
    write(&mut text, value).expect("writing to memory cannot fail");
    String::from_utf8(text).expect("serde_json writes UTF-8")
}

/// Writes blanks after colons and commas, and escapes characters that could control a terminal.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> Result<()> {
        if is_first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> Result<()> {
        if is_first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> Result<()> {
        let mut plain_from = 0;
        // most texts have no such byte, so a loop without an early exit, a few vector instructions, is faster
        if fragment.bytes().fold(false, |found, byte| found | (byte >= 0x7f)) {
            for (at, character) in fragment.char_indices().filter(|(_, character)| steers(*character)) {
                out.write_all(&fragment.as_bytes()[plain_from..at])?;
                write!(out, "\\u{:04x}", u32::from(character))?;
                plain_from = at + character.len_utf8();
            }
        }
        out.write_all(&fragment.as_bytes()[plain_from..])
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, out: &mut W, escape: CharEscape) -> Result<()> {
        match escape {
            CharEscape::Backspace => out.write_all(b"\\u0008"),
            CharEscape::FormFeed => out.write_all(b"\\u000c"),
            other => CompactFormatter.write_char_escape(out, other),
        }
    }
}

/// Whether a character that JSON does not escape could control a terminal.
fn steers(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A value of a trace in JSON.
pub(crate) enum JsonValue<'t> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'t, str>),
    /// A JSON text, written unchanged; as a string if it is not valid JSON.
    Raw(Cow<'t, str>),
    Path(&'t [Atom]),
    /// Texts, with the function that converts each one; null for an argument that is not live.
    Texts(ArgTexts<'t>, for<'a> fn(&'a str) -> JsonValue<'a>),
    Array(Vec<JsonValue<'t>>),
    /// An object with one key: `{"term": "f(x)"}`.
    Object(&'static str, Cow<'t, str>),
}

impl<'t> JsonValue<'t> {
    /// The value of an attribute.
    pub(crate) fn value(trace: &Trace, value: Value<'t>) -> JsonValue<'t> {
        match value {
            Value::Absent => JsonValue::Null,
            Value::Int(number) => JsonValue::Int(number),
            Value::BigInt(text) | Value::Json(text) => JsonValue::raw(text),
            Value::Float(number) => JsonValue::Float(number),
            Value::Bool(value) => JsonValue::Bool(value),
            Value::Atom(name) => JsonValue::text(name.as_str()),
            Value::Term(text) if is_number(text) => JsonValue::raw(text),
            Value::Text(text) | Value::Term(text) => JsonValue::text(text),
            Value::Path(steps) => JsonValue::Path(steps),
            Value::Proc(id) => JsonValue::Text(trace.proc(id).to_string().into()),
            Value::Args(list) | Value::Texts(list) => JsonValue::Texts(list, |text| JsonValue::text(text)),
        }
    }

    /// The value of an attribute in a form that can be read back: except in live variables, a term is
    /// `{"term": "f(x)"}`, to distinguish it from a text.
    pub(crate) fn attribute(trace: &Trace, id: AttributeId, value: Value<'t>) -> JsonValue<'t> {
        match value {
            Value::Term(text) if !VARIABLES.contains(&id) && !is_number(text) => JsonValue::Object("term", text.into()),
            other => JsonValue::value(trace, other),
        }
    }

    /// A string.
    pub(crate) fn text(text: &'t str) -> JsonValue<'t> {
        JsonValue::Text(Cow::Borrowed(text))
    }

    fn raw(text: &'t str) -> JsonValue<'t> {
        JsonValue::Raw(Cow::Borrowed(text))
    }

    /// An argument that is the text of a JSON value.
    pub(crate) fn json_argument(text: &str) -> JsonValue<'static> {
        JsonValue::Raw(json_argument(text).into())
    }
}

impl Serialize for JsonValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            JsonValue::Null => serializer.serialize_unit(),
            JsonValue::Bool(value) => serializer.serialize_bool(*value),
            JsonValue::Int(number) => serializer.serialize_i64(*number),
            JsonValue::Float(number) if number.is_finite() => serializer.serialize_f64(*number),
            JsonValue::Float(number) if number.is_nan() => serializer.serialize_str("nan"),
            JsonValue::Float(number) => serializer.serialize_str(if *number > 0.0 { "inf" } else { "-inf" }),
            JsonValue::Text(text) => serializer.serialize_str(text),
            JsonValue::Raw(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(raw) => raw.serialize(serializer),
                Err(_) => serializer.serialize_str(text),
            },
            JsonValue::Path(steps) => serializer.collect_seq(steps.iter().map(|step| step.as_str())),
            JsonValue::Texts(list, written) => serializer.collect_seq(list.iter().map(|text| match text {
                NOT_LIVE => JsonValue::Null,
                text => written(text),
            })),
            JsonValue::Array(items) => serializer.collect_seq(items),
            JsonValue::Object(key, text) => serializer.collect_map([(key, text)]),
        }
    }
}

/// The keys of an object and their values, in order.
pub(crate) struct JsonPairs<K, V>(pub(crate) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for JsonPairs<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// An event as an object, with `value` for the form of each attribute. The procedure is written as its parts, with a
/// null arity if no procedure has one. The stack is omitted, as it follows from the calls, and so is a part of an
/// object that is itself written.
pub(crate) struct JsonEvent<'t, F> {
    pub(crate) trace: &'t Trace,
    pub(crate) event: EventId,
    pub(crate) value: F,
}

impl<'t, F: Fn(AttributeId, Value<'t>) -> JsonValue<'t>> Serialize for JsonEvent<'t, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (trace, event, schema) = (self.trace, self.event, self.trace.schema());
        let mut object = serializer.serialize_map(None)?;
        for (id, attribute) in schema.iter() {
            if id != AttributeId::PROC && !trace.is_computed(id) && !is_part(trace, event, id) {
                object.serialize_entry(&*attribute.name, &(self.value)(id, trace.value(event, id)))?;
            }
        }
        if schema.has(AttributeId::ARGS) && !schema.has(AttributeId::ARITY) {
            object.serialize_entry("arity", &())?;
        }
        object.end()
    }
}

/// Whether the value of an attribute is a part of an object that the event has: `user.name` is a part of `user`.
fn is_part(trace: &Trace, event: EventId, id: AttributeId) -> bool {
    let name = &trace.schema().get(id).name;
    let whole = name.split_once('.').and_then(|(whole, _)| trace.schema().find(whole));
    whole.is_some_and(|whole| matches!(trace.value(event, whole), Value::Json(text) if text.starts_with('{')))
}

/// An event with all attributes that the trace has, null for missing values. Arguments and live variables are terms,
/// not texts; arguments that were JSON values are these values again.
pub(crate) fn event_of_terms(trace: &Trace, event: EventId) -> impl Serialize {
    let texts = argument_texts(trace);
    let value = move |_, value| match (value, texts) {
        (Value::Term(text), _) => text_as_term(text),
        (Value::Args(list), JsonTexts::Texts) => JsonValue::Texts(list, JsonValue::json_argument),
        (Value::Args(list), JsonTexts::Terms) => args_as_terms(list),
        (other, _) => JsonValue::value(trace, other),
    };
    JsonEvent { trace, event, value }
}

/// How the strings among the arguments of a trace were read: as texts or as terms.
pub(crate) fn argument_texts(trace: &Trace) -> JsonTexts {
    match trace.recording().fact("args") {
        Some(Value::Atom(kind)) if kind.as_str() == "texts" => JsonTexts::Texts,
        Some(Value::Text("texts")) => JsonTexts::Texts,
        _ => JsonTexts::Terms,
    }
}

/// Texts of a trace are read with the standard operators, whatever a script declares.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// Arguments as terms that share their variables, unless some argument is not a term.
fn args_as_terms(list: ArgTexts<'_>) -> JsonValue<'_> {
    let texts: Vec<String> = list.iter().map(|text| format!("({text})")).collect();
    let whole = read_goal(&format!("[{}]", texts.join(", ")), &OPERATORS, &ReadFlags::default());
    let Some((tree, terms)) = whole.ok().and_then(|read| list_of(read.tree, texts.len())) else {
        return JsonValue::Texts(list, text_as_term);
    };
    let written = list.iter().zip(terms).map(|(text, term)| match text {
        NOT_LIVE => JsonValue::Null,
        _ => term_as_json(&tree, term),
    });
    JsonValue::Array(written.collect())
}

/// The elements of a list, if it has this many.
fn list_of(tree: Tree, n_items: usize) -> Option<(Tree, Vec<NodeId>)> {
    let (mut items, mut rest) = (Vec::new(), tree.root());
    while let [item, tail] = *tree.args(rest) {
        items.push(item);
        rest = tail;
    }
    (items.len() == n_items).then_some((tree, items))
}

/// The term of a text of a trace, read with the standard operators; a text that is not a term is a string.
fn text_as_term(text: &str) -> JsonValue<'_> {
    match read_goal(text, &OPERATORS, &ReadFlags::default()) {
        Ok(read) => term_as_json(&read.tree, read.tree.root()),
        Err(_) => JsonValue::text(text),
    }
}

/// Whether the text is an integer; JSON can hold integers of any size.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// The most terms written for one answer; beyond them, a shared or cyclic term continues as `"..."`.
const MAX_TERMS: usize = 10_000_000;

/// A term as JSON: numbers as numbers, atoms and strings as strings, lists as arrays, `f(a)` as
/// `{"functor": "f", "args": ["a"]}`, a variable as `{"var": "_1"}`, and `json([a=1])`, the term of a JSON object, as
/// `{"a": 1}`, in which the atoms `true`, `false` and `null` are these JSON values.
///
/// A partial or cyclic list is a compound with functor `.`; a float that JSON cannot hold is a string. Terms may be
/// deeper than the native stack, so they are written with an explicit stack instead of the serializer's recursion.
pub(crate) fn term_as_json<V: View>(view: &V, term: V::Handle) -> JsonValue<'static> {
    let mut writer = TermWriter { view, left: MAX_TERMS, n_objects: 0, work: vec![JsonWritingTask::Term(term)] };
    let mut text = Vec::new();
    while let Some(work) = writer.work.pop() {
        writer.step(&mut text, work).expect("writing to memory cannot fail");
    }
    JsonValue::Raw(String::from_utf8(text).expect("serde_json writes UTF-8").into())
}

/// What is still to be written.
enum JsonWritingTask<H> {
    Term(H),
    /// A list cell known to be part of a list without an end.
    Cell(H),
    /// The separator before an element, unless it is the first.
    Separator {
        is_first: bool,
    },
    Key {
        name: Atom,
        is_first: bool,
    },
    EndOfArray,
    EndOfCompound,
    EndOfObject,
}

struct TermWriter<'v, V: View> {
    view: &'v V,
    left: usize,
    /// How many objects are open.
    n_objects: usize,
    work: Vec<JsonWritingTask<V::Handle>>,
}

impl<V: View> TermWriter<'_, V> {
    fn step(&mut self, out: &mut Vec<u8>, work: JsonWritingTask<V::Handle>) -> Result<()> {
        match work {
            JsonWritingTask::Term(term) => self.term(out, term, true),
            JsonWritingTask::Cell(term) => self.term(out, term, false),
            JsonWritingTask::Separator { is_first } => Spaced.begin_array_value(out, is_first),
            JsonWritingTask::Key { name, is_first } => key(out, name.as_str(), is_first),
            JsonWritingTask::EndOfArray => Spaced.end_array(out),
            JsonWritingTask::EndOfCompound => Spaced.end_array(out).and_then(|()| Spaced.end_object(out)),
            JsonWritingTask::EndOfObject => {
                self.n_objects -= 1;
                Spaced.end_object(out)
            }
        }
    }

    fn term(&mut self, out: &mut Vec<u8>, term: V::Handle, may_be_list: bool) -> Result<()> {
        if self.left == 0 {
            return write(out, "...");
        }
        self.left -= 1;
        match self.view.shape(term) {
            Shape::Var(number) => write(out, &JsonValue::Object("var", format!("_{number}").into())),
            Shape::Atom(atoms::NIL) if may_be_list => write(out, &[(); 0]),
            Shape::Atom(name @ (atoms::TRUE | atoms::FALSE | atoms::NULL)) if self.n_objects > 0 => {
                Spaced.write_raw_fragment(out, name.as_str())
            }
            Shape::Atom(name) => write(out, name.as_str()),
            Shape::Int(value) => write(out, &value),
            Shape::BigInt(value) => Spaced.write_number_str(out, &value.to_string()),
            Shape::Float(value) => write(out, &JsonValue::Float(value)),
            Shape::Str(text) => write(out, text),
            Shape::Compound(atoms::DOT, 2) if may_be_list => self.list(out, term),
            Shape::Compound(name, arity) => self.compound(out, term, name, arity),
        }
    }

    fn list(&mut self, out: &mut Vec<u8>, list: V::Handle) -> Result<()> {
        let Some(items) = self.items(list) else { return self.compound(out, list, atoms::DOT, 2) };
        self.work.push(JsonWritingTask::EndOfArray);
        self.push_separated(items);
        Spaced.begin_array(out)
    }

    /// The elements of a list that has an end.
    fn items(&self, list: V::Handle) -> Option<Vec<V::Handle>> {
        let (mut items, mut rest) = (Vec::new(), list);
        while items.len() <= self.left {
            match self.view.shape(rest) {
                Shape::Compound(atoms::DOT, 2) => items.push(self.view.arg(rest, 0)),
                Shape::Atom(atoms::NIL) => return Some(items),
                _ => return None,
            }
            rest = self.view.arg(rest, 1);
        }
        None
    }

    fn compound(&mut self, out: &mut Vec<u8>, term: V::Handle, name: Atom, arity: usize) -> Result<()> {
        Spaced.begin_object(out)?;
        if let Some(entries) = self.entries(term, name, arity) {
            self.n_objects += 1;
            self.work.push(JsonWritingTask::EndOfObject);
            self.push_entries(entries);
            return Ok(());
        }
        key(out, "functor", true)?;
        write(&mut *out, name.as_str())?;
        key(out, "args", false)?;
        Spaced.begin_array(out)?;
        self.work.push(JsonWritingTask::EndOfCompound);
        if name == atoms::DOT && arity == 2 {
            let (head, tail) = (self.view.arg(term, 0), self.view.arg(term, 1));
            self.work.extend([
                JsonWritingTask::Cell(tail),
                JsonWritingTask::Separator { is_first: false },
                JsonWritingTask::Term(head),
            ]);
        } else {
            self.push_separated((0..arity).map(|index| self.view.arg(term, index)).collect());
        }
        Ok(())
    }

    /// The keys and values of a JSON object: of `json([a=1, b=2])`, whose keys are different atoms.
    fn entries(&self, term: V::Handle, name: Atom, arity: usize) -> Option<Vec<(Atom, V::Handle)>> {
        if (name, arity) != (atoms::JSON, 1) {
            return None;
        }
        let entry = |pair: V::Handle| match self.view.shape(pair) {
            Shape::Compound(atoms::EQUALS, 2) => match self.view.shape(self.view.arg(pair, 0)) {
                Shape::Atom(key) => Some((key, self.view.arg(pair, 1))),
                _ => None,
            },
            _ => None,
        };
        let entries: Vec<_> = self.items(self.view.arg(term, 0))?.into_iter().map(entry).collect::<Option<_>>()?;
        let mut keys = HashSet::default();
        entries.iter().all(|(key, _)| keys.insert(*key)).then_some(entries)
    }

    fn push_entries(&mut self, entries: Vec<(Atom, V::Handle)>) {
        for (index, (name, value)) in entries.into_iter().enumerate().rev() {
            self.work.extend([JsonWritingTask::Term(value), JsonWritingTask::Key { name, is_first: index == 0 }]);
        }
    }

    fn push_separated(&mut self, terms: Vec<V::Handle>) {
        for (index, term) in terms.into_iter().enumerate().rev() {
            self.work.extend([JsonWritingTask::Term(term), JsonWritingTask::Separator { is_first: index == 0 }]);
        }
    }
}

fn key(out: &mut Vec<u8>, name: &str, is_first: bool) -> Result<()> {
    Spaced.begin_object_key(out, is_first)?;
    write(&mut *out, name)?;
    Spaced.begin_object_value(out)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
