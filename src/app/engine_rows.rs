//! Rows that an SQL engine gives, as terms.

use serde_json::Value as Json;

use super::sql::SqlDialect;
use crate::formats::derived::{AttributeKind, DerivedEvents, SolutionValue};
use crate::sql::{DerivedEventsQuery, Query, Template, ValueKind};
use crate::syntax::ReadTerm;
use crate::term::{Atom, Node, NodeId, Span, Tree};

/// An answer as an engine gives it.
pub(super) struct EngineAnswer {
    pub(super) tree: Tree,
    pub(super) values: Vec<(String, NodeId)>,
    /// The number of the event that the goal moved to.
    pub(super) chrono: Option<i64>,
}

impl EngineAnswer {
    /// Adds the variables of the goal that the answer does not bind, for which an engine has no columns.
    pub(super) fn add_unbound(&mut self, goal: &ReadTerm) {
        let mut bound = std::mem::take(&mut self.values).into_iter().peekable();
        let mut n_unbound = 0;
        for (name, ..) in goal.variables.iter().filter(|(name, ..)| !name.starts_with('_')) {
            let value = bound.next_if(|(known, _)| known == name);
            self.values.push(value.unwrap_or_else(|| {
                n_unbound += 1;
                (name.clone(), self.tree.push(Node::Var(n_unbound - 1), Span::default()))
            }));
        }
    }
}

/// What is wrong with a row.
pub(super) const OTHER_ROW: &str = "the engine gave another row than papaver asked for";

/// Reads a row: an array of values, or an object with a value for each column.
pub(super) fn read_row(line: &str, query: &Query, engine: SqlDialect) -> Result<EngineAnswer, String> {
    let cells = cells(line)?;
    let mut rest = cells.iter();
    let (mut tree, mut values) = (Tree::new(), Vec::new());
    for (name, kind) in &query.variables {
        let node = read_value(&mut tree, *kind, &mut rest, query, engine)?;
        values.push((name.clone(), node));
    }
    let chrono = match rest.next() {
        Some(Json::Number(number)) => number.as_i64(),
        Some(Json::Null) => None,
        _ => return Err(OTHER_ROW.to_string()),
    };
    Ok(EngineAnswer { tree, values, chrono })
}

/// The number in a row that is a count.
pub(super) fn read_count(line: &str) -> Result<i64, String> {
    cells(line)?.first().and_then(Json::as_i64).ok_or_else(|| OTHER_ROW.to_string())
}

fn cells(line: &str) -> Result<Vec<Json>, String> {
    parts(serde_json::from_str(line).map_err(|error| format!("{OTHER_ROW}: {error}"))?)
}

/// The elements of an array, or the values of an object in their order.
fn parts(value: Json) -> Result<Vec<Json>, String> {
    match value {
        Json::Array(cells) => Ok(cells),
        Json::Object(object) => Ok(object.into_iter().map(|(_, value)| value).collect()),
        _ => Err(OTHER_ROW.to_string()),
    }
}

fn read_value<'j>(
    tree: &mut Tree,
    kind: ValueKind,
    cells: &mut impl Iterator<Item = &'j Json>,
    query: &Query,
    engine: SqlDialect,
) -> Result<NodeId, String> {
    let wrong = || OTHER_ROW.to_string();
    let cell = cells.next().ok_or_else(wrong)?;
    let node = match kind {
        ValueKind::Proc => {
            let parts: Vec<&Json> = cells.take(5).collect();
            return procedure(tree, &parts).ok_or_else(wrong);
        }
        ValueKind::List(number) => {
            let template = query.templates.get(number).ok_or_else(wrong)?;
            return list(tree, template, cell, query, engine);
        }
        kind => scalar(cell, kind).ok_or_else(wrong)?,
    };
    Ok(tree.push(node, Span::default()))
}

/// A number, an atom or a text.
fn scalar(cell: &Json, kind: ValueKind) -> Option<Node> {
    Some(match kind {
        ValueKind::Integer => integer(cell)?,
        ValueKind::Float => match cell {
            Json::String(text) => Node::Float(text.parse().ok()?),
            other => Node::Float(other.as_f64()?),
        },
        ValueKind::Bool => Node::Atom(Atom::new(if cell.as_bool()? { "true" } else { "false" })),
        ValueKind::Atom => Node::Atom(Atom::new(cell.as_str()?)),
        ValueKind::Text => Node::Str(cell.as_str()?.into()),
        ValueKind::Proc | ValueKind::List(_) => return None,
    })
}

/// Reads a row with the values of an event of a derived trace, which begins among `events`; gives the number of the event
/// that it is made of.
pub(super) fn read_event(line: &str, query: &DerivedEventsQuery, events: &mut DerivedEvents) -> Result<i64, String> {
    let wrong = || OTHER_ROW.to_string();
    let cells = cells(line)?;
    let mut origin = None;
    events.begin();
    for (place, ((name, kind), cell)) in query.columns.iter().zip(&cells).enumerate() {
        if cell.is_null() {
            continue;
        }
        let node = scalar(cell, *kind).ok_or_else(wrong)?;
        let Some((attribute, kind)) = events.attribute(place, Atom::new(name)) else { return Err(wrong()) };
        let value = match &node {
            Node::Int(value) if kind == AttributeKind::Origin => {
                origin = Some(*value);
                continue;
            }
            Node::Int(value) => SolutionValue::Int(*value),
            Node::BigInt(value) => SolutionValue::BigInt(value.to_string().into()),
            Node::Float(value) => SolutionValue::Float(*value),
            Node::Atom(name) => SolutionValue::Atom(*name),
            Node::Str(text) => SolutionValue::Text(text.as_ref().into()),
            _ => return Err(wrong()),
        };
        if !events.set(attribute, &value) {
            return Err(wrong());
        }
    }
    origin.filter(|_| cells.len() == query.columns.len()).ok_or_else(wrong)
}

/// The next value, of one cell; none if it is null.
fn read_present<'j>(
    tree: &mut Tree,
    kind: ValueKind,
    cells: &mut (impl Iterator<Item = &'j Json> + Clone),
    query: &Query,
    engine: SqlDialect,
) -> Result<Option<NodeId>, String> {
    if matches!(cells.clone().next(), Some(Json::Null)) {
        cells.next();
        return Ok(None);
    }
    read_value(tree, kind, cells, query, engine).map(Some)
}

/// An integer, also one of more than 64 bits.
fn integer(cell: &Json) -> Option<Node> {
    let text = match cell {
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        _ => return None,
    };
    match text.parse() {
        Ok(number) => Some(Node::Int(number)),
        Err(_) => text.parse().ok().map(Node::BigInt),
    }
}

/// `predicate->queens:queen/2-0`, of the parts that there are.
fn procedure(tree: &mut Tree, parts: &[&Json]) -> Option<NodeId> {
    let [of_type, module, name, arity, mode] = parts else { return None };
    let span = Span::default();
    let atom = |tree: &mut Tree, part: &Json| part.as_str().map(|text| tree.push(Node::Atom(Atom::new(text)), span));
    let mut term = atom(tree, name).unwrap_or_else(|| tree.push(Node::Atom(Atom::new("-")), span));
    if let Some(module) = atom(tree, module) {
        term = tree.push_compound(Atom::new(":"), &[module, term], span);
    }
    for (part, functor) in [(arity, "/"), (mode, "-")] {
        if let Some(number) = integer(part) {
            let number = tree.push(number, span);
            term = tree.push_compound(Atom::new(functor), &[term, number], span);
        }
    }
    Some(match atom(tree, of_type) {
        Some(of_type) => tree.push_compound(Atom::new("->"), &[of_type, term], span),
        None => term,
    })
}

/// A list of elements, each a row of columns.
fn list(
    tree: &mut Tree,
    template: &Template,
    cell: &Json,
    query: &Query,
    engine: SqlDialect,
) -> Result<NodeId, String> {
    let Json::Array(elements) = cell else { return Err(OTHER_ROW.to_string()) };
    let mut nodes = Vec::new();
    for element in elements {
        let mut columns = parts(element.clone())?;
        if engine == SqlDialect::Spark && !columns.is_empty() {
            // the position, by which Spark sorts
            columns.remove(0);
        }
        nodes.push(element_of(tree, template, &columns, query, engine)?);
    }
    let mut list = tree.push(Node::Atom(Atom::new("[]")), Span::default());
    for node in nodes.into_iter().rev() {
        list = tree.push_compound(Atom::new("."), &[node, list], Span::default());
    }
    Ok(list)
}

fn element_of(
    tree: &mut Tree,
    template: &Template,
    columns: &[Json],
    query: &Query,
    engine: SqlDialect,
) -> Result<NodeId, String> {
    let mut cells = columns.iter();
    let (mut done, mut waiting) = (Vec::new(), vec![(template, false)]);
    while let Some((template, are_parts_done)) = waiting.pop() {
        match template {
            Template::Value(ValueKind::List(_)) => return Err("lists in lists are not read from engines".to_string()),
            Template::Value(kind) => done.push(read_value(tree, *kind, &mut cells, query, engine)?),
            Template::ValueOrDash(kind) => {
                let value = read_present(tree, *kind, &mut cells, query, engine)?;
                done.push(value.unwrap_or_else(|| tree.push(Node::Atom(Atom::new("-")), Span::default())));
            }
            Template::Constant(constant) => done.push(tree.push(constant.clone(), Span::default())),
            Template::FirstIfPresent(..) if are_parts_done => {
                let nodes = done.split_off(done.len() - 2);
                done.push(tree.push_compound(Atom::new("."), &nodes, Span::default()));
            }
            Template::FirstIfPresent(name, kind, rest) => {
                if let Some(value) = read_present(tree, *kind, &mut cells, query, engine)? {
                    done.push(tree.push_compound(*name, &[value], Span::default()));
                    waiting.push((template, true));
                }
                waiting.push((rest, false));
            }
            Template::Compound(name, parts) if are_parts_done => {
                let nodes = done.split_off(done.len() - parts.len());
                done.push(tree.push_compound(*name, &nodes, Span::default()));
            }
            Template::Compound(_, parts) => {
                waiting.push((template, true));
                waiting.extend(parts.iter().rev().map(|part| (part, false)));
            }
        }
    }
    done.pop().ok_or_else(|| OTHER_ROW.to_string())
}
