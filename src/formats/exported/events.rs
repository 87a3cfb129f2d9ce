//! Rows of the table of events as events of a trace.

use std::ops::Range;

use super::description::{FolderAttribute, FolderColumn, FolderTrace};
use super::table::{TableColumn, TableFile, TableType};
use crate::formats::mercury::procedure;
use crate::syntax::{ReadFlags, read_goal};
use crate::term::hash::HashMap;
use crate::term::letters::excerpt;
use crate::term::ops::OpTable;
use crate::term::{Shape, Tree, View, atoms};
use crate::trace::{AttributeId, BASE, EventRow, Field, ListField, PathId, TraceBuilder, known_attribute};

/// What a column gives an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The value of a field of [`EventRow`].
    Own(AttributeId),
    /// A procedure as text.
    Proc,
    /// The text of a list.
    List(AttributeId),
    /// The texts of a list.
    Parts(AttributeId),
    /// An argument, from 0.
    Argument(usize),
    /// A value of any other attribute.
    Other(AttributeId, FieldKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Integer,
    Float,
    Bool,
    Atom,
    Text,
    Term,
    Json,
    Digits,
}

/// Attributes with a field of their own in a row, other than lists.
const OWN: [AttributeId; 12] = [
    AttributeId::CHRONO,
    AttributeId::CALL,
    AttributeId::DEPTH,
    AttributeId::PORT,
    AttributeId::PROC_TYPE,
    AttributeId::DECL_MODULE,
    AttributeId::DEF_MODULE,
    AttributeId::NAME,
    AttributeId::ARITY,
    AttributeId::MODE_NUMBER,
    AttributeId::DET,
    AttributeId::LINE_NUMBER,
];

/// Reads events of a trace from files.
pub(super) struct EventReader<'b> {
    builder: &'b mut TraceBuilder,
    /// The columns that are read, by their names.
    places: Vec<(String, Place)>,
    paths: HashMap<String, PathId>,
    /// Only the events with these numbers, which rise, if there are any.
    wanted: Option<&'b [i64]>,
}

impl<'b> EventReader<'b> {
    /// Declares the attributes that a description states.
    pub(super) fn new(
        about: &FolderTrace,
        wanted: Option<&'b [i64]>,
        builder: &'b mut TraceBuilder,
    ) -> EventReader<'b> {
        let mut places = Vec::new();
        for attribute in &about.attributes {
            declare(attribute, builder, &mut places);
        }
        let has_lists = places.iter().any(|(_, place)| *place == Place::List(AttributeId::ARGS));
        let has_names = places.iter().any(|(_, place)| *place == Place::Own(AttributeId::NAME));
        places.retain(|(_, place)| match place {
            Place::Argument(_) => !has_lists,
            Place::Proc => !has_names,
            _ => true,
        });
        EventReader { builder, places, paths: HashMap::default(), wanted }
    }

    /// Adds the events of a file.
    pub(super) fn read(&mut self, file: &TableFile) -> Result<(), String> {
        let names = file.names();
        let (mut places, mut columns) = (Vec::new(), Vec::new());
        for (name, place) in &self.places {
            let Some(column) = names.iter().position(|known| known == name) else { continue };
            let found = file.column_type(column);
            let is_integer = matches!(place, Place::Argument(_)) && found == Some(TableType::Integer);
            if found != Some(expected(*place)) && !is_integer {
                return Err(format!("the column `{name}` has another type than its attribute"));
            }
            places.push(*place);
            columns.push(column);
        }
        let chrono = places.iter().position(|place| *place == Place::Own(AttributeId::CHRONO));
        for group in 0..file.n_groups() {
            let is_needed = self.wanted.zip(chrono).is_none_or(|(wanted, place)| {
                let bounds = file.bounds(group, columns[place]);
                bounds.is_none_or(|(least, greatest)| has_between(wanted, least, greatest))
            });
            if !is_needed || columns.is_empty() {
                continue;
            }
            let n_rows = file.n_rows(group)?;
            let rows = match (self.wanted, chrono) {
                (None, _) => std::iter::once(0..n_rows).collect(),
                (Some(_), None) => Vec::new(),
                (Some(wanted), Some(place)) => {
                    let whole = std::iter::once(0..n_rows).collect::<Vec<_>>();
                    let numbers = file.group(group, &[columns[place]], &whole)?;
                    wanted_rows(&numbers[0], wanted)
                }
            };
            if !rows.is_empty() {
                let values = file.group(group, &columns, &rows)?;
                for (at, row) in rows.iter().cloned().flatten().enumerate() {
                    self.row(&places, &values, at)
                        .map_err(|message| format!("row {} of group {group}: {message}", row + 1))?;
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, places: &[Place], values: &[TableColumn], row: usize) -> Result<(), String> {
        let mut event = EventRow::default();
        let (mut extra, mut arguments): (Vec<_>, Vec<Option<String>>) = (Vec::new(), Vec::new());
        let mut parts: [Option<Vec<String>>; 3] = [None, None, None];
        for (place, column) in places.iter().zip(values) {
            let text = column.text(row)?;
            match *place {
                Place::Own(id) => own_value(&mut event, id, column.integer(row), text),
                Place::Proc => event.proc = text.and_then(procedure).unwrap_or_default(),
                Place::List(AttributeId::GOAL_PATH) => {
                    event.goal_path = text.map(|text| self.path(text)).transpose()?;
                }
                Place::List(id) => {
                    let inside = text.map(|text| list_text(text).ok_or_else(|| not_a_list(text))).transpose()?;
                    *list(&mut event, id) = inside.map_or(ListField::Absent, ListField::Text);
                }
                Place::Parts(id) => {
                    let all = text.map(serde_json::from_str).transpose();
                    parts[part_index(id)] = all.map_err(|_| not_a_list(text.unwrap_or_default()))?;
                }
                Place::Argument(index) => {
                    arguments.resize(arguments.len().max(index + 1), None);
                    let number = column.integer(row).map(|number| number.to_string());
                    arguments[index] = text.map(str::to_string).or(number);
                }
                Place::Other(id, kind) => extra.extend(field(kind, column, row, text).map(|field| (id, field))),
            }
        }
        let parts = parts
            .each_ref()
            .map(|parts| parts.as_ref().map(|parts| parts.iter().map(|part| Some(part.as_str())).collect::<Vec<_>>()));
        for (id, parts) in [AttributeId::ARGS, AttributeId::ARG_NAMES, AttributeId::ARG_TYPES].into_iter().zip(&parts) {
            if let Some(parts) = parts {
                *list(&mut event, id) = ListField::Parts(parts);
            }
        }
        if let Some(last) = arguments.iter().rposition(Option::is_some) {
            let arguments: Vec<Option<&str>> = arguments[..=last].iter().map(Option::as_deref).collect();
            event.args = ListField::Parts(&arguments);
            self.builder.push(&EventRow { extra: &extra, ..event });
            return Ok(());
        }
        self.builder.push(&EventRow { extra: &extra, ..event });
        Ok(())
    }

    /// The path that is written as `[c2, d1]`.
    fn path(&mut self, text: &str) -> Result<PathId, String> {
        if let Some(path) = self.paths.get(text) {
            return Ok(*path);
        }
        let read = read_goal(text, &OpTable::standard(), &ReadFlags::default()).map_err(|_| not_a_list(text))?;
        let steps = atoms_of(&read.tree).ok_or_else(|| not_a_list(text))?;
        let path = self.builder.path(&steps);
        self.paths.insert(text.to_string(), path);
        Ok(path)
    }
}

/// Declares an attribute, and says where its columns go.
fn declare(attribute: &FolderAttribute, builder: &mut TraceBuilder, places: &mut Vec<(String, Place)>) {
    let known = known_attribute(&attribute.name).filter(|id| BASE[id.index()].name == attribute.name);
    if attribute.kind == "computed" && attribute.columns.is_empty() {
        return;
    }
    let has_field = |id: &AttributeId| OWN.contains(id) || *id == AttributeId::PROC || is_list(*id);
    let known = known.filter(has_field);
    let id = if known.is_some() { known } else { builder.own_attribute(&attribute.name) };
    let Some(id) = id else { return };
    builder.let_stand(id);
    if known.is_none() && attribute.unit().is_none() {
        builder.forget_unit(id);
    }
    for FolderColumn { name, kind, index } in &attribute.columns {
        places.extend(place(id, known.is_some(), kind, *index).map(|place| (name.clone(), place)));
    }
}

/// Where a column of this kind goes; none for one that repeats others.
fn place(id: AttributeId, has_field: bool, kind: &str, index: Option<usize>) -> Option<Place> {
    Some(match kind {
        "proc" => Place::Proc,
        "path" | "list" => Place::List(id),
        "parts" => Place::Parts(id),
        "argument" => Place::Argument(index?.checked_sub(1).filter(|index| *index < MOST_ARGUMENTS)?),
        "integer" | "atom" if has_field => Place::Own(id),
        _ if has_field => return None,
        "integer" => Place::Other(id, FieldKind::Integer),
        "float" => Place::Other(id, FieldKind::Float),
        "bool" => Place::Other(id, FieldKind::Bool),
        "atom" => Place::Other(id, FieldKind::Atom),
        "text" => Place::Other(id, FieldKind::Text),
        "term" => Place::Other(id, FieldKind::Term),
        "json" => Place::Other(id, FieldKind::Json),
        "digits" => Place::Other(id, FieldKind::Digits),
        _ => return None,
    })
}

/// Columns of arguments with greater numbers are not read.
const MOST_ARGUMENTS: usize = 64;

fn is_list(id: AttributeId) -> bool {
    [AttributeId::GOAL_PATH, AttributeId::ARGS, AttributeId::ARG_NAMES, AttributeId::ARG_TYPES].contains(&id)
}

fn expected(place: Place) -> TableType {
    use AttributeId as Id;
    match place {
        Place::Own(Id::PORT | Id::PROC_TYPE | Id::DECL_MODULE | Id::DEF_MODULE | Id::NAME | Id::DET) => TableType::Text,
        Place::Own(_) | Place::Other(_, FieldKind::Integer) => TableType::Integer,
        Place::Other(_, FieldKind::Float) => TableType::Float,
        Place::Other(_, FieldKind::Bool) => TableType::Bool,
        _ => TableType::Text,
    }
}

fn own_value<'r>(event: &mut EventRow<'r>, id: AttributeId, integer: Option<i64>, text: Option<&'r str>) {
    match id {
        AttributeId::CHRONO => event.chrono = integer,
        AttributeId::CALL => event.call = integer,
        AttributeId::DEPTH => event.depth = integer,
        AttributeId::ARITY => event.proc.arity = integer,
        AttributeId::MODE_NUMBER => event.proc.mode_number = integer,
        AttributeId::LINE_NUMBER => event.line_number = integer,
        AttributeId::PORT => event.port = text,
        AttributeId::PROC_TYPE => event.proc.proc_type = text,
        AttributeId::DECL_MODULE => event.proc.decl_module = text,
        AttributeId::DEF_MODULE => event.proc.def_module = text,
        AttributeId::NAME => event.proc.name = text,
        _ => event.det = text,
    }
}

fn list<'e, 'r>(event: &'e mut EventRow<'r>, id: AttributeId) -> &'e mut ListField<'r> {
    match id {
        AttributeId::ARG_NAMES => &mut event.arg_names,
        AttributeId::ARG_TYPES => &mut event.arg_types,
        _ => &mut event.args,
    }
}

fn part_index(id: AttributeId) -> usize {
    match id {
        AttributeId::ARG_NAMES => 1,
        AttributeId::ARG_TYPES => 2,
        _ => 0,
    }
}

fn field<'r>(kind: FieldKind, column: &TableColumn, row: usize, text: Option<&'r str>) -> Option<Field<'r>> {
    Some(match kind {
        FieldKind::Integer => Field::Int(column.integer(row)?),
        FieldKind::Float => Field::Float(column.float(row)?),
        FieldKind::Bool => Field::Bool(column.truth(row)?),
        FieldKind::Atom => Field::Atom(text?),
        FieldKind::Text => Field::Text(text?),
        FieldKind::Term => Field::Term(text?),
        FieldKind::Json => Field::Json(text?),
        FieldKind::Digits => Field::BigInt(text.filter(|digits| is_integer(digits))?),
    })
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text between the brackets of a list.
fn list_text(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.strip_suffix(']')
}

fn not_a_list(text: &str) -> String {
    format!("expected a list, found {}", excerpt(text))
}

/// The names of a list of atoms.
fn atoms_of(tree: &Tree) -> Option<Vec<&str>> {
    let (mut names, mut rest) = (Vec::new(), tree.root());
    loop {
        match (tree.shape(rest), tree.args(rest)) {
            (Shape::Compound(atoms::DOT, 2), &[first, more]) => {
                let Shape::Atom(name) = tree.shape(first) else { return None };
                names.push(name.as_str());
                rest = more;
            }
            (Shape::Atom(atoms::NIL), _) => return Some(names),
            _ => return None,
        }
    }
}

/// The rows whose numbers are among the wanted ones, which rise, as the numbers mostly do.
fn wanted_rows(numbers: &TableColumn, wanted: &[i64]) -> Vec<Range<usize>> {
    let (mut next, mut last) = (0, i64::MAX);
    let mut is_wanted = |row: &usize| {
        let Some(number) = numbers.integer(*row) else { return false };
        if number < last {
            next = wanted.partition_point(|wanted| *wanted < number);
        }
        last = number;
        next += wanted[next..].iter().take_while(|wanted| **wanted < number).count();
        wanted.get(next) == Some(&number)
    };
    let mut rows: Vec<Range<usize>> = Vec::new();
    for row in (0..numbers.n_rows()).filter(&mut is_wanted) {
        match rows.last_mut() {
            Some(last) if last.end == row => last.end += 1,
            _ => rows.push(row..row + 1),
        }
    }
    rows
}

/// Whether one of these numbers, which rise, is in an interval.
fn has_between(numbers: &[i64], least: i64, greatest: i64) -> bool {
    let first = numbers.partition_point(|number| *number < least);
    numbers.get(first).is_some_and(|number| *number <= greatest)
}
