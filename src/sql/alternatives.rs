//! Alternatives: joins with their conditions, and the order of their rows.

/// The kinds of values that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Integer,
    Float,
    Bool,
    Atom,
    Text,
    Proc,
}

/// The value of a variable: an expression over the tables of an alternative.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) sql: String,
    pub(super) kind: ValueKind,
}

/// A join: each of its rows is an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Alternative {
    /// Tables with their names, such as `events AS e1`.
    pub(super) tables: Vec<String>,
    pub(super) conditions: Vec<String>,
    /// The values of variables, by their numbers in the goal.
    pub(super) values: Vec<(u32, Value)>,
    /// Integers by which rows are sorted.
    pub(super) order: Vec<String>,
    /// The number of the current event; none before the first one.
    pub(super) cursor: Option<String>,
}

impl Alternative {
    /// The value of a variable.
    pub(super) fn value(&self, variable: u32) -> Option<&Value> {
        self.values.iter().find(|(number, _)| *number == variable).map(|(_, value)| value)
    }

    /// An alternative within a subquery: the same values and cursor, without tables.
    pub(super) fn inner(&self) -> Alternative {
        Alternative { values: self.values.clone(), cursor: self.cursor.clone(), ..Alternative::default() }
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
