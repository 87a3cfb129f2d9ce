//! The table of events: its columns, and their values.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use super::names::ColumnNames;
use super::table::{ColumnRows, ColumnType, Table};
use crate::output::event_line::path_text;
use crate::trace::{ArgTexts, AttributeId, EventId, Trace, Value};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// The name of the trace.
    TraceName,
    /// The values of one kind of an attribute.
    Values(AttributeId, ValueKind),
    /// The text of a list.
    List(AttributeId),
    /// The texts of a list whose text does not show where they end.
    Parts(AttributeId),
    /// A procedure as text.
    Proc,
    /// The argument at an index, from 0.
    Argument(usize),
    /// The same, if it is an integer.
    ArgumentInt(usize),
}

/// A kind of value, which has columns of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Integer,
    Float,
    Bool,
    Atom,
    Text,
    Term,
    Json,
    Digits,
    Path,
}

impl ValueKind {
    /// The kind of a value as a dictionary stores it.
    fn of_stored(stored: &str) -> ValueKind {
        match stored.as_bytes().first() {
            Some(b'i') => ValueKind::Integer,
            Some(b'n') => ValueKind::Digits,
            Some(b'f') => ValueKind::Float,
            Some(b'b') => ValueKind::Bool,
            Some(b'a') => ValueKind::Atom,
            Some(b's') => ValueKind::Text,
            Some(b't') => ValueKind::Term,
            _ => ValueKind::Json,
        }
    }

    /// Its name, and the ending of the columns that have another name than the attribute.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            ValueKind::Integer => ("integer", "int"),
            ValueKind::Float => ("float", "float"),
            ValueKind::Bool => ("bool", "bool"),
            ValueKind::Atom => ("atom", "atom"),
            ValueKind::Text => ("text", "text"),
            ValueKind::Term => ("term", "term"),
            ValueKind::Json => ("json", "json"),
            ValueKind::Digits => ("digits", "digits"),
            ValueKind::Path => ("path", "path"),
        }
    }

    fn column_type(self) -> ColumnType {
        match self {
            ValueKind::Integer => ColumnType::Integer,
            ValueKind::Float => ColumnType::Float,
            ValueKind::Bool => ColumnType::Bool,
            _ => ColumnType::Text,
        }
    }
}

impl Held {
    fn column_type(self) -> ColumnType {
        match self {
            Held::Values(_, kind) => kind.column_type(),
            Held::ArgumentInt(_) => ColumnType::Integer,
            _ => ColumnType::Text,
        }
    }
}

/// A column of events.
pub(super) struct EventColumn {
    pub(super) name: String,
    pub(super) held: Held,
}

/// Attributes with one column, in their order.
const FIXED: &[(AttributeId, Held)] = &[
    (AttributeId::CHRONO, Held::Values(AttributeId::CHRONO, ValueKind::Integer)),
    (AttributeId::CALL, Held::Values(AttributeId::CALL, ValueKind::Integer)),
    (AttributeId::DEPTH, Held::Values(AttributeId::DEPTH, ValueKind::Integer)),
    (AttributeId::PORT, Held::Values(AttributeId::PORT, ValueKind::Atom)),
    (AttributeId::PROC_TYPE, Held::Values(AttributeId::PROC_TYPE, ValueKind::Atom)),
    (AttributeId::DECL_MODULE, Held::Values(AttributeId::DECL_MODULE, ValueKind::Atom)),
    (AttributeId::DEF_MODULE, Held::Values(AttributeId::DEF_MODULE, ValueKind::Atom)),
    (AttributeId::NAME, Held::Values(AttributeId::NAME, ValueKind::Atom)),
    (AttributeId::ARITY, Held::Values(AttributeId::ARITY, ValueKind::Integer)),
    (AttributeId::MODE_NUMBER, Held::Values(AttributeId::MODE_NUMBER, ValueKind::Integer)),
    (AttributeId::PROC, Held::Proc),
    (AttributeId::DET, Held::Values(AttributeId::DET, ValueKind::Atom)),
    (AttributeId::GOAL_PATH, Held::Values(AttributeId::GOAL_PATH, ValueKind::Path)),
    (AttributeId::LINE_NUMBER, Held::Values(AttributeId::LINE_NUMBER, ValueKind::Integer)),
];

/// Attributes whose values are lists.
const LISTS: &[AttributeId] = &[AttributeId::ARGS, AttributeId::ARG_NAMES, AttributeId::ARG_TYPES];

/// The number of arguments that have columns.
const ARGUMENTS: usize = 8;

/// The names of columns that no other attribute can have.
pub(super) fn fixed_names() -> impl Iterator<Item = String> {
    let name = |id: &AttributeId| crate::trace::BASE[id.index()].name;
    let fixed = FIXED.iter().map(move |(id, _)| name(id).to_string());
    let lists = LISTS.iter().flat_map(move |id| [name(id).to_string(), format!("{}_parts", name(id))]);
    let arguments = (1..=ARGUMENTS).flat_map(|index| [format!("arg{index}"), format!("arg{index}_int")]);
    std::iter::once("trace".to_string()).chain(fixed).chain(lists).chain(arguments)
}

/// The columns of the events of a trace.
pub(super) struct EventColumns(Vec<EventColumn>);

impl EventColumns {
    pub(super) fn of(trace: &Trace, names: &mut ColumnNames) -> EventColumns {
        let schema = trace.schema();
        let mut columns = vec![EventColumn { name: "trace".to_string(), held: Held::TraceName }];
        let always = [AttributeId::CHRONO, AttributeId::PORT, AttributeId::NAME];
        for (id, held) in FIXED.iter().filter(|(id, _)| schema.has(*id) || always.contains(id)) {
            columns.push(EventColumn { name: schema.get(*id).name.to_string(), held: *held });
        }
        for id in LISTS.iter().filter(|id| schema.has(**id)) {
            let name = schema.get(*id).name.to_string();
            if has_parts(trace, *id) {
                columns.push(EventColumn { name: format!("{name}_parts"), held: Held::Parts(*id) });
            }
            columns.push(EventColumn { name, held: Held::List(*id) });
        }
        add_arguments(trace, &mut columns);
        add_others(trace, names, &mut columns);
        EventColumns(columns)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &EventColumn> + Clone {
        self.0.iter()
    }

    /// Writes a row for each event, and gives the paths of the files.
    pub(super) fn write(
        &self,
        trace: &Trace,
        name: &str,
        top: &Path,
        within: String,
        metadata: &str,
    ) -> io::Result<Vec<String>> {
        let columns = self.iter().map(|column| (column.name.as_str(), column.held.column_type()));
        let mut table = Table::new(top, within, columns, metadata)?;
        let procs: Vec<String> = trace.procs().map(|(_, proc)| proc.to_string()).collect();
        for event in 0..trace.n_events() {
            let mut arguments: [Option<&str>; ARGUMENTS] = [None; ARGUMENTS];
            if let Value::Args(list) = trace.value(event, AttributeId::ARGS) {
                arguments.iter_mut().zip(list).for_each(|(place, text)| *place = Some(text));
            }
            for (column, rows) in self.0.iter().zip(table.columns()) {
                match column.held {
                    Held::TraceName => rows.text(Some(name)),
                    Held::Values(id, kind) => add_value(rows, kind, trace.value(event, id)),
                    Held::List(id) => rows.text(list(trace, event, id).map(list_text).as_deref()),
                    Held::Parts(id) => rows.text(list(trace, event, id).and_then(parts_text).as_deref()),
                    Held::Proc => rows.text(trace.proc_of(event).map(|id| procs[id.index()].as_str())),
                    Held::Argument(index) => rows.text(arguments[index]),
                    Held::ArgumentInt(index) => rows.integer(arguments[index].and_then(integer)),
                }
            }
            table.end_row()?;
        }
        table.finish()
    }
}

/// The columns of single arguments that occur.
fn add_arguments(trace: &Trace, columns: &mut Vec<EventColumn>) {
    if !trace.schema().has(AttributeId::ARGS) {
        return;
    }
    let (mut n_arguments, mut has_integers) = (0, [false; ARGUMENTS]);
    for code in 0..trace.n_args_codes() as u32 {
        for (index, text) in trace.args_text(code).iter().take(ARGUMENTS).enumerate() {
            n_arguments = n_arguments.max(index + 1);
            has_integers[index] |= integer(text).is_some();
        }
    }
    for (index, &has_integer) in has_integers.iter().enumerate().take(n_arguments) {
        columns.push(EventColumn { name: format!("arg{}", index + 1), held: Held::Argument(index) });
        if has_integer {
            columns.push(EventColumn { name: format!("arg{}_int", index + 1), held: Held::ArgumentInt(index) });
        }
    }
}

/// The columns of the attributes that are not among the fixed ones.
fn add_others(trace: &Trace, names: &mut ColumnNames, columns: &mut Vec<EventColumn>) {
    let samples = trace.samples();
    let is_fixed = |id: AttributeId| LISTS.contains(&id) || FIXED.iter().any(|(fixed, _)| *fixed == id);
    for (id, attribute) in trace.schema().iter().filter(|(id, _)| !is_fixed(*id) && !trace.is_computed(*id)) {
        for sample in samples.get(&*attribute.name).into_iter().flatten() {
            let kind = ValueKind::of_stored(sample);
            let name = names.name(&attribute.name, kind.words().1);
            columns.push(EventColumn { name, held: Held::Values(id, kind) });
        }
    }
}

fn has_parts(trace: &Trace, id: AttributeId) -> bool {
    (0..trace.n_events()).any(|event| list(trace, event, id).is_some_and(|list| parts_text(list).is_some()))
}

fn list(trace: &Trace, event: EventId, id: AttributeId) -> Option<ArgTexts<'_>> {
    match trace.value(event, id) {
        Value::Args(list) | Value::Texts(list) => Some(list),
        _ => None,
    }
}

fn list_text(list: ArgTexts<'_>) -> String {
    format!("[{}]", list.whole())
}

/// The texts of a list as a JSON array, if its text does not show where they end.
fn parts_text(list: ArgTexts<'_>) -> Option<String> {
    let Cow::Owned(_) = list.whole() else { return None };
    let parts: Vec<&str> = list.iter().collect();
    Some(serde_json::to_string(&parts).expect("texts can be written"))
}

/// The integer that is written as `text`, if it is written in the usual way.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_usual = digits == "0" && text == "0" || digits.starts_with(|first: char| ('1'..='9').contains(&first));
    text.parse().ok().filter(|_| is_usual)
}

fn add_value(rows: &mut ColumnRows, kind: ValueKind, value: Value<'_>) {
    match (kind, value) {
        (ValueKind::Integer, Value::Int(value)) => rows.integer(Some(value)),
        (ValueKind::Float, Value::Float(value)) => rows.float(value),
        (ValueKind::Bool, Value::Bool(value)) => rows.truth(value),
        (ValueKind::Atom, Value::Atom(name)) => rows.text(Some(name.as_str())),
        (ValueKind::Text, Value::Text(text))
        | (ValueKind::Term, Value::Term(text))
        | (ValueKind::Json, Value::Json(text))
        | (ValueKind::Digits, Value::BigInt(text)) => rows.text(Some(text)),
        (ValueKind::Path, Value::Path(steps)) => rows.text(Some(&path_text(steps))),
        _ => rows.null(),
    }
}
