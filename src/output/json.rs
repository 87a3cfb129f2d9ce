//! Terms and events as JSON.

use std::collections::HashSet;
use std::fmt::{Result, Write};
use std::sync::LazyLock;

use crate::formats::jsonl::{JsonTexts, VARIABLES, json_argument};
use crate::syntax::{ReadFlags, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, NodeId, Shape, Tree, View, atoms};
use crate::trace::{ArgTexts, AttributeId, EventId, NOT_LIVE, Trace, Value};

/// Texts of a trace are read with the standard operators, whatever a script declares.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// Terms written at most for one answer; what a shared or cyclic term has beyond them is `"..."`.
const MAX_TERMS: usize = 10_000_000;

/// Writes a term: numbers as numbers, atoms and strings as strings, lists as arrays, `f(a)` as
/// `{"functor": "f", "args": ["a"]}`, `json([a=1])`, which a JSON object is as a term, as `{"a": 1}`, in which the atoms
/// `true`, `false` and `null` are these values, a variable as `{"var": "_1"}`.
///
/// A list without an end is a compound of functor `.`; a float that JSON cannot hold is a string.
pub fn write_term<V: View>(out: &mut impl Write, view: &V, term: V::Handle) -> Result {
    let mut writer = TermWriter { view, left: MAX_TERMS, n_objects: 0, work: vec![Work::Term(term)] };
    while let Some(work) = writer.work.pop() {
        writer.step(out, work)?;
    }
    Ok(())
}

/// What is still to be written.
enum Work<H> {
    Term(H),
    /// A list cell known to be part of a list without an end.
    Cell(H),
    Text(&'static str),
    /// A key of an object, after what separates it from the entry before.
    Key(&'static str, Atom),
    EndOfObject,
}

struct TermWriter<'v, V: View> {
    view: &'v V,
    left: usize,
    /// How many objects are open.
    n_objects: usize,
    work: Vec<Work<V::Handle>>,
}

impl<V: View> TermWriter<'_, V> {
    fn step(&mut self, out: &mut impl Write, work: Work<V::Handle>) -> Result {
        let (term, may_be_list) = match work {
            Work::Text(text) => return out.write_str(text),
            Work::Key(separator, key) => {
                out.write_str(separator)?;
                write_string(out, key.as_str())?;
                return out.write_str(": ");
            }
            Work::EndOfObject => {
                self.n_objects -= 1;
                return out.write_char('}');
            }
            Work::Term(term) => (term, true),
            Work::Cell(term) => (term, false),
        };
        if self.left == 0 {
            return out.write_str("\"...\"");
        }
        self.left -= 1;
        match self.view.shape(term) {
            Shape::Var(number) => write!(out, "{{\"var\": \"_{number}\"}}"),
            Shape::Atom(atoms::NIL) if may_be_list => out.write_str("[]"),
            Shape::Atom(name @ (atoms::TRUE | atoms::FALSE | atoms::NULL)) if self.n_objects > 0 => {
                out.write_str(name.as_str())
            }
            Shape::Atom(name) => write_string(out, name.as_str()),
            Shape::Int(value) => write!(out, "{value}"),
            Shape::BigInt(value) => write!(out, "{value}"),
            Shape::Float(value) => write_float(out, value),
            Shape::Str(text) => write_string(out, text),
            Shape::Compound(atoms::DOT, 2) if may_be_list => self.list(out, term),
            Shape::Compound(name, arity) => self.compound(out, term, name, arity),
        }
    }

    fn list(&mut self, out: &mut impl Write, list: V::Handle) -> Result {
        let Some(items) = self.items(list) else { return self.compound(out, list, atoms::DOT, 2) };
        self.work.push(Work::Text("]"));
        self.push_separated(items);
        out.write_char('[')
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

    fn compound(&mut self, out: &mut impl Write, term: V::Handle, name: Atom, arity: usize) -> Result {
        if let Some(entries) = self.entries(term, name, arity) {
            self.n_objects += 1;
            self.work.push(Work::EndOfObject);
            self.push_entries(entries);
            return out.write_char('{');
        }
        out.write_str("{\"functor\": ")?;
        write_string(out, name.as_str())?;
        self.work.push(Work::Text("]}"));
        if name == atoms::DOT && arity == 2 {
            let tail = self.view.arg(term, 1);
            self.work.extend([Work::Cell(tail), Work::Text(", "), Work::Term(self.view.arg(term, 0))]);
        } else {
            self.push_separated((0..arity).map(|index| self.view.arg(term, index)).collect());
        }
        out.write_str(", \"args\": [")
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
        let mut keys = HashSet::new();
        entries.iter().all(|(key, _)| keys.insert(*key)).then_some(entries)
    }

    fn push_entries(&mut self, entries: Vec<(Atom, V::Handle)>) {
        for (index, (key, value)) in entries.into_iter().enumerate().rev() {
            let separator = if index > 0 { ", " } else { "" };
            self.work.extend([Work::Term(value), Work::Key(separator, key)]);
        }
    }

    fn push_separated(&mut self, terms: Vec<V::Handle>) {
        for (index, term) in terms.into_iter().enumerate().rev() {
            self.work.push(Work::Term(term));
            if index > 0 {
                self.work.push(Work::Text(", "));
            }
        }
    }
}

/// Writes a JSON string.
pub fn write_string(out: &mut impl Write, text: &str) -> Result {
    out.write_char('"')?;
    let mut plain_from = 0;
    for (at, character) in text.char_indices().filter(|(_, character)| needs_escape(*character)) {
        out.write_str(&text[plain_from..at])?;
        plain_from = at + character.len_utf8();
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            other => write!(out, "\\u{:04x}", u32::from(other))?,
        }
    }
    out.write_str(&text[plain_from..])?;
    out.write_char('"')
}

/// What JSON demands, and what could steer a terminal on which the text is shown.
fn needs_escape(character: char) -> bool {
    character < ' '
        || matches!(character, '"' | '\\' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn write_float(out: &mut impl Write, value: f64) -> Result {
    match serde_json::Number::from_f64(value) {
        Some(number) => write!(out, "{number}"),
        None if value.is_nan() => out.write_str("\"nan\""),
        None if value > 0.0 => out.write_str("\"inf\""),
        None => out.write_str("\"-inf\""),
    }
}

/// Writes the value of an attribute so that it is read back: beside live variables, a term is `{"term": "f(x)"}`, to tell
/// it from a text.
pub fn write_attribute(out: &mut impl Write, trace: &Trace, id: AttributeId, value: Value<'_>) -> Result {
    match value {
        Value::Term(text) if !VARIABLES.contains(&id) && !is_number(text) => write_kind(out, "term", text),
        other => write_value(out, trace, other),
    }
}

/// Whether the value of an attribute is a part of an object that the event has: of `user` the part `user.name`.
fn is_part(trace: &Trace, event: EventId, id: AttributeId) -> bool {
    let name = &trace.schema().get(id).name;
    let whole = name.split_once('.').and_then(|(whole, _)| trace.schema().find(whole));
    whole.is_some_and(|whole| matches!(trace.value(event, whole), Value::Json(text) if text.starts_with('{')))
}

fn write_kind(out: &mut impl Write, kind: &str, text: &str) -> Result {
    write!(out, "{{\"{kind}\": ")?;
    write_string(out, text)?;
    out.write_char('}')
}

/// Writes an event as an object with all attributes that the trace has, null where it has no value; arguments and live
/// variables as terms and not as their texts, but arguments that were JSON values as these.
pub fn write_event_of_terms(out: &mut impl Write, trace: &Trace, event: EventId) -> Result {
    let texts = argument_texts(trace);
    write_attributes(out, trace, event, |out, trace, _, value| match (value, texts) {
        (Value::Term(text), _) => write_text_as_term(out, text),
        (Value::Args(list), JsonTexts::Texts) => {
            write_texts(out, list, |out, text| out.write_str(&json_argument(text)))
        }
        (Value::Args(list), JsonTexts::Terms) => write_args(out, list),
        (other, _) => write_value(out, trace, other),
    })
}

/// What JSON texts are among the arguments of a trace: themselves, if it was read so.
pub fn argument_texts(trace: &Trace) -> JsonTexts {
    match trace.recording().fact("args") {
        Some(Value::Atom(kind)) if kind.as_str() == "texts" => JsonTexts::Texts,
        Some(Value::Text("texts")) => JsonTexts::Texts,
        _ => JsonTexts::Terms,
    }
}

/// Writes arguments as terms: a variable in two of them is the same one, unless one of them is no term.
fn write_args(out: &mut impl Write, list: ArgTexts<'_>) -> Result {
    let texts: Vec<String> = list.iter().map(|text| format!("({text})")).collect();
    let whole = read_goal(&format!("[{}]", texts.join(", ")), &OPERATORS, &ReadFlags::default());
    let Some((tree, terms)) = whole.ok().and_then(|read| list_of(read.tree, texts.len())) else {
        return write_texts(out, list, write_text_as_term);
    };
    write_array(out, list.iter().zip(terms), |out, (text, term)| match text {
        NOT_LIVE => out.write_str("null"),
        _ => write_term(out, &tree, term),
    })
}

/// The elements of the list that a tree is, if there are so many.
fn list_of(tree: Tree, n_items: usize) -> Option<(Tree, Vec<NodeId>)> {
    let (mut items, mut rest) = (Vec::new(), tree.root());
    while let [item, tail] = *tree.args(rest) {
        items.push(item);
        rest = tail;
    }
    (items.len() == n_items).then_some((tree, items))
}

/// The term that a text of a trace is, by the standard operators; a text that is no term is a string.
fn write_text_as_term(out: &mut impl Write, text: &str) -> Result {
    match read_goal(text, &OPERATORS, &ReadFlags::default()) {
        Ok(read) => write_term(out, &read.tree, read.tree.root()),
        Err(_) => write_string(out, text),
    }
}

/// Writes an event as an object. The procedure is there by its parts, an arity that no procedure has as null; the stack is
/// left out, as it follows from the calls, and so are parts of objects that are there.
pub fn write_attributes<W: Write>(
    out: &mut W,
    trace: &Trace,
    event: EventId,
    write: impl Fn(&mut W, &Trace, AttributeId, Value<'_>) -> Result,
) -> Result {
    let is_written = |id| id != AttributeId::PROC && !trace.is_computed(id) && !is_part(trace, event, id);
    let attributes = trace.schema().iter().filter(|(id, _)| is_written(*id));
    let mut before = '{';
    for (id, attribute) in attributes {
        out.write_char(before)?;
        if before == ',' {
            out.write_char(' ')?;
        }
        before = ',';
        write_string(out, &attribute.name)?;
        out.write_str(": ")?;
        write(out, trace, id, trace.value(event, id))?;
    }
    let (schema, lacks) = (trace.schema(), |id| !trace.schema().has(id));
    if schema.has(AttributeId::ARGS) && lacks(AttributeId::ARITY) {
        out.write_str(", \"arity\": null")?;
    }
    if before == '{' {
        out.write_char('{')?;
    }
    out.write_char('}')
}

/// Writes the value of an attribute.
pub fn write_value(out: &mut impl Write, trace: &Trace, value: Value<'_>) -> Result {
    match value {
        Value::Absent => out.write_str("null"),
        Value::Int(number) => write!(out, "{number}"),
        Value::BigInt(digits) => out.write_str(digits),
        Value::Float(number) => write_float(out, number),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Atom(name) => write_string(out, name.as_str()),
        Value::Term(text) if is_number(text) => out.write_str(text),
        Value::Text(text) | Value::Term(text) => write_string(out, text),
        Value::Path(steps) => write_array(out, steps.iter(), |out, step| write_string(out, step.as_str())),
        Value::Proc(id) => write_string(out, &trace.proc(id).to_string()),
        Value::Args(list) | Value::Texts(list) => write_texts(out, list, write_string),
        Value::Json(text) => out.write_str(text),
    }
}

/// Whether the text is an integer, which JSON can hold whatever its size.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// Writes texts as an array, null for one that is not live.
pub fn write_texts<W: Write>(out: &mut W, list: ArgTexts<'_>, write: impl Fn(&mut W, &str) -> Result) -> Result {
    write_array(out, list.iter(), |out, part| match part {
        NOT_LIVE => out.write_str("null"),
        text => write(out, text),
    })
}

fn write_array<W: Write, T>(
    out: &mut W,
    items: impl Iterator<Item = T>,
    write: impl Fn(&mut W, T) -> Result,
) -> Result {
    out.write_char('[')?;
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write(out, item)?;
    }
    out.write_char(']')
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
