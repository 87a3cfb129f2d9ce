//! Arrays and objects of JSON as terms: `[1, "a"]` is a list, `{"a": 1}` is `json([a=1])`, as in SWI-Prolog's library.

use serde_json::{Map, Number, Value};

use crate::engine::{Cell, Store};
use crate::term::{Atom, atoms};

use super::text_terms::big_integer;

/// What is still to be done, as a stack.
enum JsonConversionTask<'j> {
    Value(&'j Value),
    /// A list of this many values, already made.
    List(usize),
    /// An object whose values are already made, with its keys.
    Object(&'j Map<String, Value>),
}

/// The term of a JSON text. A text that is not JSON, or a number that no float holds, becomes a string.
pub(crate) fn read(store: &mut Store, text: &str) -> Cell {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return store.string(text) };
    let (mut work, mut made) = (vec![JsonConversionTask::Value(&value)], Vec::new());
    while let Some(next) = work.pop() {
        let cell = match next {
            JsonConversionTask::Value(Value::Array(items)) => {
                work.push(JsonConversionTask::List(items.len()));
                work.extend(items.iter().rev().map(JsonConversionTask::Value));
                continue;
            }
            JsonConversionTask::Value(Value::Object(entries)) => {
                work.push(JsonConversionTask::Object(entries));
                work.extend(entries.values().rev().map(JsonConversionTask::Value));
                continue;
            }
            JsonConversionTask::Value(simple) => simple_value(store, simple),
            JsonConversionTask::List(n_items) => {
                let items = made.split_off(made.len() - n_items);
                store.list(&items)
            }
            JsonConversionTask::Object(entries) => {
                let values = made.split_off(made.len() - entries.len());
                object(store, entries, &values)
            }
        };
        made.push(cell);
    }
    made.pop().unwrap_or(Cell::NIL)
}

fn object(store: &mut Store, entries: &Map<String, Value>, values: &[Cell]) -> Cell {
    let pair = |(key, value): (&String, &Cell)| store.compound(atoms::EQUALS, &[Cell::atom(Atom::new(key)), *value]);
    let pairs: Vec<Cell> = entries.keys().zip(values).map(pair).collect();
    let pairs = store.list(&pairs);
    store.compound(atoms::JSON, &[pairs])
}

fn simple_value(store: &mut Store, value: &Value) -> Cell {
    match value {
        Value::Null => Cell::atom(atoms::NULL),
        Value::Bool(value) => Cell::atom(if *value { atoms::TRUE } else { atoms::FALSE }),
        Value::Number(value) => number(store, value),
        Value::String(text) => store.string(text),
        Value::Array(_) | Value::Object(_) => Cell::NIL,
    }
}

fn number(store: &mut Store, number: &Number) -> Cell {
    let text = number.as_str();
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match (number.as_i64(), number.as_f64()) {
        (Some(value), _) => store.int(value),
        (None, _) if is_integer => big_integer(store, text),
        (None, Some(value)) => store.float(value),
        (None, None) => store.string(text),
    }
}
