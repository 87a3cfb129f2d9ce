//! Alternatives: joins with their conditions, and the order of their rows.

use super::dialect::Dialect;
use crate::term::{Atom, Node};

/// The kinds of values that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Integer,
    Float,
    Bool,
    Atom,
    Text,
    Proc,
    /// A list; the number is that of the template of its elements.
    List(usize),
}

/// The value of a variable: an expression over the tables of an alternative.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) sql: String,
    pub(super) kind: ValueKind,
    /// Of a procedure, the expressions of its parts: type, module, name, arity and mode.
    pub(super) parts: Vec<String>,
}

/// The elements of a list, as terms with holes for values.
#[derive(Clone, Debug)]
pub(crate) enum Template {
    /// The next column of the element, or the next five of a procedure.
    Value(ValueKind),
    /// The next column of the element, or `-` where it is null.
    ValueOrDash(ValueKind),
    /// A constant.
    Constant(Node),
    /// A compound.
    Compound(Atom, Vec<Template>),
    /// A list whose first element is a compound of the next column; the rest of the list where that is null.
    FirstIfPresent(Atom, ValueKind, Box<Template>),
}

/// A list, which is the answer of a subquery.
#[derive(Clone, Debug)]
pub(super) struct ListQuery {
    pub(super) template: Template,
    /// A query with the columns `v0`, `v1`, ... of the elements, and `pos`, by which they are sorted.
    pub(super) rows: String,
    /// The kinds of these columns.
    pub(super) kinds: Vec<ValueKind>,
}

/// What rows are sorted by.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// An integer.
    Number(String),
    /// A list of integers, by which rows are sorted from the first to the last.
    Path(String),
}

/// A join: each of its rows is an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Alternative {
    /// Tables with their names, such as `events AS e1`.
    pub(super) tables: Vec<String>,
    pub(super) conditions: Vec<String>,
    /// The values of variables, by their numbers in the goal.
    pub(super) values: Vec<(u32, Value)>,
    /// What rows are sorted by.
    pub(super) order: Vec<Key>,
    /// The number of the current event; none before the first one.
    pub(super) cursor: Option<String>,
    /// Of a subquery, the tables and the conditions of the queries around it.
    pub(super) outer: (Vec<String>, Vec<String>),
}

impl Key {
    pub(super) fn sql(&self) -> &str {
        match self {
            Key::Number(sql) | Key::Path(sql) => sql,
        }
    }
}

/// The columns by which the rows of alternatives are sorted, as many for each.
pub(super) fn sort_keys(found: &[Alternative], dialect: Dialect) -> Vec<Vec<String>> {
    let has_paths = found.iter().flat_map(|rows| &rows.order).any(|key| matches!(key, Key::Path(_)));
    if has_paths && found.len() > 1 {
        return found.iter().map(|rows| vec![dialect.path(&rows.order)]).collect();
    }
    let n_keys = found.iter().map(|rows| rows.order.len()).max().unwrap_or(0);
    let keys = |rows: &Alternative| {
        let own = rows.order.iter().map(Key::sql).chain(std::iter::repeat("0"));
        own.take(n_keys).map(str::to_string).collect()
    };
    found.iter().map(keys).collect()
}

impl Value {
    /// A value that is no procedure.
    pub(super) fn new(sql: impl Into<String>, kind: ValueKind) -> Value {
        Value { sql: sql.into(), kind, parts: Vec::new() }
    }

    /// The expressions by which the value is told from others: those of the parts of a procedure after its text.
    pub(super) fn columns(&self) -> Vec<String> {
        std::iter::once(&self.sql).chain(&self.parts).cloned().collect()
    }

    /// The expressions by which values are in the standard order of terms.
    pub(super) fn order(&self) -> Vec<String> {
        let [of_type, module, name, arity, mode] = self.parts.as_slice() else { return vec![self.sql.clone()] };
        let rank = |parts: &[(&String, u8)]| {
            let cases = parts.iter().map(|(part, rank)| format!("WHEN {part} IS NOT NULL THEN {rank}"));
            format!("CASE {} ELSE 0 END", cases.collect::<Vec<_>>().join(" "))
        };
        // the functors `-`, `->`, `/` and `:` in their order
        let ranked = [(of_type, 2), (mode, 1), (arity, 3), (module, 4)];
        let mut order = vec![rank(&ranked), of_type.clone()];
        order.extend([rank(&ranked[1..]), rank(&ranked[2..]), rank(&ranked[3..])]);
        order.extend([module, name, arity, mode].map(|part| (*part).clone()));
        order
    }
}

impl Alternative {
    /// The value of a variable.
    pub(super) fn value(&self, variable: u32) -> Option<&Value> {
        self.values.iter().find(|(number, _)| *number == variable).map(|(_, value)| value)
    }

    /// An alternative within a subquery: the same values and cursor, without tables.
    pub(super) fn inner(&self) -> Alternative {
        let Alternative { tables, conditions, .. } = self.with_outer();
        let (values, cursor) = (self.values.clone(), self.cursor.clone());
        Alternative { values, cursor, outer: (tables, conditions), ..Alternative::default() }
    }

    /// The same rows, joined with those of the queries around it.
    pub(super) fn with_outer(&self) -> Alternative {
        let (tables, conditions) = &self.outer;
        let mut whole = self.clone();
        whole.tables.splice(0..0, tables.iter().cloned());
        whole.conditions.splice(0..0, conditions.iter().cloned());
        whole
    }

    /// The names of the tables of the queries around it.
    pub(super) fn outer_tables(&self) -> impl Iterator<Item = &str> {
        self.outer.0.iter().filter_map(|table| table.rsplit_once(" AS ")).map(|(_, name)| name)
    }

    /// Whether tables or conditions speak of columns of one of these tables.
    pub(super) fn mentions<'t>(&self, mut tables: impl Iterator<Item = &'t str>) -> bool {
        let texts = || self.tables.iter().chain(&self.conditions);
        let begins_word = |text: &str, at: usize| !text[..at].ends_with(|before: char| before.is_alphanumeric());
        tables.any(|table| {
            let column = format!("{}.", table.trim_end_matches("(level)"));
            texts().any(|text| text.match_indices(&column).any(|(at, _)| begins_word(text, at)))
        })
    }

    /// Sorts rows also by an integer.
    pub(super) fn sort_by(&mut self, key: impl Into<String>) {
        self.order.push(Key::Number(key.into()));
    }

    /// `SELECT` with what it selects.
    pub(super) fn select(&self, what: &str) -> String {
        let mut sql = format!("SELECT {what}");
        if !self.tables.is_empty() {
            sql += &format!(" FROM {}", self.tables.join(" CROSS JOIN "));
        }
        if !self.conditions.is_empty() {
            sql += &format!(" WHERE {}", self.conditions.join(" AND "));
        }
        sql
    }
}
