//! The query for the answers of a goal: a column for each variable, in papaver's order.

use super::alternatives::{Alternative, Template, Value, ValueKind, sort_keys};
use super::compile::{Compiler, Refusal, shown_variables};
use super::dialect::Dialect;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Diagnostic;
use crate::term::{Node, NodeId};

/// What a query selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// A column for each variable; without variables, the number of the event or `true`. A procedure is a text.
    Text,
    /// What is needed to write the answers: procedures with their parts, and the number of the event.
    Terms,
    /// The number of answers.
    Count,
}

/// A query in SQL.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) text: String,
    /// The variables, and what their values are.
    pub(crate) variables: Vec<(String, ValueKind)>,
    /// What the elements of lists are.
    pub(crate) templates: Vec<Template>,
    /// The columns by which the rows are sorted; none if there are no rows.
    keys: Option<Vec<String>>,
}

/// One query for the answers about several traces, each with its name in the column `trace`, in the order of the traces.
pub(crate) fn united(queries: &[(&str, Query)], dialect: Dialect) -> Result<String, String> {
    let mut filled: Vec<&(&str, Query)> = queries.iter().filter(|(_, query)| query.keys.is_some()).collect();
    if filled.is_empty() {
        filled.extend(queries.first());
    }
    let first = filled.first().map(|(_, query)| query);
    for (trace, query) in &filled {
        if first.is_some_and(|first| first.variables != query.variables || first.keys != query.keys) {
            return Err(format!(
                "the answers about the trace `{trace}` have values of other kinds than those before it"
            ));
        }
    }
    let select = |(number, (trace, query)): (usize, &&(&str, Query))| {
        let trace = dialect.text(trace);
        format!("SELECT {trace} AS trace, *, {number} AS order_trace FROM (\n{}\n)", query.text.trim_end())
    };
    let selects: Vec<String> = filled.iter().enumerate().map(select).collect();
    let keys = first.and_then(|query| query.keys.as_deref()).unwrap_or_default();
    let keys: Vec<&str> = std::iter::once("order_trace").chain(keys.iter().map(String::as_str)).collect();
    Ok(format!("{}\nORDER BY {}\n", selects.join("\nUNION ALL\n"), keys.join(", ")))
}

/// What is done with all answers of a goal, the innermost first.
pub(super) enum Layer {
    Limit(i64),
    /// Sorted by the values of variables, some of them downwards.
    Sorted(Vec<(NodeId, &'static str)>),
    /// Without answers in which these variables have the values of an earlier one.
    Distinct(Vec<u32>),
}

/// A query without its order.
pub(super) struct Body {
    sql: String,
    keys: Vec<String>,
    most: Option<i64>,
}

impl Compiler<'_> {
    /// The goal within what is done with all of its answers.
    pub(super) fn layers(&self, goal: NodeId) -> Result<(NodeId, Vec<Layer>), Refusal> {
        let (mut goal, mut layers) = (goal, Vec::new());
        loop {
            let (layer, inner) = match (self.functor(goal), self.tree.args(goal)) {
                (Some(("limit", 2)), &[most, inner]) => match self.tree.node(most) {
                    Node::Int(most @ 0..) => (Layer::Limit(*most), inner),
                    _ => return Err(self.refuse(most, "expected a number of answers")),
                },
                (Some(("once", 1)), &[inner]) => (Layer::Limit(1), inner),
                (Some(("distinct", 1)), &[inner]) => (Layer::Distinct(self.variables_of(inner)), inner),
                (Some(("distinct", 2)), &[witness, inner]) => (Layer::Distinct(self.variables_of(witness)), inner),
                (Some(("order_by", 2)), &[orders, inner]) => (Layer::Sorted(self.orders(orders)?), inner),
                _ => break,
            };
            layers.push(layer);
            goal = inner;
        }
        layers.reverse();
        Ok((goal, layers))
    }

    pub(super) fn variables_of(&self, term: NodeId) -> Vec<u32> {
        let (mut found, mut waiting) = (Vec::new(), vec![term]);
        while let Some(term) = waiting.pop() {
            match self.tree.node(term) {
                Node::Var(variable) if !found.contains(variable) => found.push(*variable),
                _ => waiting.extend_from_slice(self.tree.args(term)),
            }
        }
        found
    }

    fn orders(&self, list: NodeId) -> Result<Vec<(NodeId, &'static str)>, Refusal> {
        let order = |term: NodeId| match (self.functor(term), self.tree.args(term)) {
            (Some(("asc", 1)), &[key]) => Ok((key, "ASC")),
            (Some(("desc", 1)), &[key]) => Ok((key, "DESC")),
            _ => Err(self.refuse(term, "expected `asc(Variable)` or `desc(Variable)`")),
        };
        self.elements(list)?.into_iter().map(order).collect()
    }

    /// The query for these alternatives, of which at most `most` answers are wanted.
    pub(super) fn query(
        &self,
        goal: &ReadTerm,
        found: &[Alternative],
        layers: &[Layer],
        selected: Selected,
        most: Option<i64>,
    ) -> Result<Query, Refusal> {
        let kept = self.kept_variables(layers);
        let shown: Vec<(String, u32)> = shown_variables(goal).map(|(name, number)| (name.clone(), number)).collect();
        self.same_columns(goal, found, &kept)?;
        let variables = shown.iter().filter_map(|(name, number)| {
            let value = found.first()?.value(*number)?;
            Some((name.clone(), value.kind))
        });
        let variables: Vec<_> = variables.collect();
        let templates = self.lists.iter().map(|list| list.template.clone()).collect();
        if found.is_empty() {
            let text = match selected {
                Selected::Count => "SELECT 0 AS \"Count\"",
                _ => "SELECT TRUE AS answer WHERE FALSE",
            };
            return Ok(Query { text: text.to_string(), variables: Vec::new(), templates, keys: None });
        }
        let body = self.joined(found, &shown, &kept, selected);
        let mut body = layers.iter().try_fold(body, |body, layer| self.layer(body, layer, found))?;
        body.most = [body.most, most].into_iter().flatten().min();
        let keys = Some(body.keys.clone());
        let text = match selected {
            Selected::Count => format!("SELECT count(*) AS n FROM (\n{}\n)", body.limited()),
            _ => body.sorted(),
        };
        Ok(Query { text, variables, templates, keys })
    }

    /// The variables that layers need.
    pub(super) fn kept_variables(&self, layers: &[Layer]) -> Vec<u32> {
        let of_layer = |layer: &Layer| match layer {
            Layer::Limit(_) => Vec::new(),
            Layer::Distinct(variables) => variables.clone(),
            Layer::Sorted(keys) => keys.iter().flat_map(|(key, _)| self.variables_of(*key)).collect(),
        };
        layers.iter().flat_map(of_layer).collect()
    }

    /// The answers of all alternatives.
    pub(super) fn joined(
        &self,
        found: &[Alternative],
        shown: &[(String, u32)],
        kept: &[u32],
        selected: Selected,
    ) -> Body {
        let keys = sort_keys(found, self.dialect);
        let n_keys = keys.first().map_or(0, Vec::len);
        let mut selects = Vec::new();
        for (rows, keys) in found.iter().zip(keys) {
            let mut columns = Vec::new();
            for (name, number) in shown {
                let Some(value) = rows.value(*number) else { continue };
                columns.push(format!("{} AS {}", value.sql, self.dialect.name(name)));
                if selected == Selected::Terms {
                    let parts = value.parts.iter().enumerate();
                    columns.extend(parts.map(|(part, sql)| format!("{sql} AS p{number}_{part}")));
                }
            }
            let cursor = rows.cursor.clone();
            if selected == Selected::Terms {
                columns.push(format!("{} AS chrono_", cursor.unwrap_or_else(|| "CAST(NULL AS BIGINT)".to_string())));
            } else if columns.is_empty() {
                let cursor = cursor.map(|cursor| format!("{cursor} AS chrono"));
                columns.push(cursor.unwrap_or_else(|| "TRUE AS answer".to_string()));
            }
            for number in kept {
                let values = rows.value(*number).map(Value::order).unwrap_or_default();
                columns.extend(values.iter().enumerate().map(|(part, sql)| format!("{sql} AS order_w{number}_{part}")));
            }
            columns.extend(keys.iter().enumerate().map(|(number, key)| format!("{key} AS order_{number}")));
            selects.push(rows.select(&columns.join(", ")));
        }
        let mut sql = selects.join("\nUNION ALL\n");
        if found.len() > 1 {
            sql = format!("SELECT * FROM (\n{sql}\n)");
        }
        Body { sql, keys: (0..n_keys).map(|number| format!("order_{number}")).collect(), most: None }
    }

    pub(super) fn layer(&self, body: Body, layer: &Layer, found: &[Alternative]) -> Result<Body, Refusal> {
        let columns = |variable: u32| {
            let value = found.first().and_then(|rows| rows.value(variable));
            let n_columns = value.map_or(0, |value| value.order().len());
            (0..n_columns).map(move |part| format!("order_w{variable}_{part}"))
        };
        let order = if body.keys.is_empty() { "1".to_string() } else { body.keys.join(", ") };
        match layer {
            Layer::Limit(most) => {
                let most = body.most.map_or(*most, |before| before.min(*most));
                Ok(Body { most: Some(most), ..body })
            }
            Layer::Distinct(variables) => {
                let by: Vec<String> = variables.iter().flat_map(|variable| columns(*variable)).collect();
                let by = if by.is_empty() { "1".to_string() } else { by.join(", ") };
                let inner = body.limited();
                let number = format!("ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS order_nth");
                let sql = format!("SELECT * FROM (SELECT *, {number} FROM (\n{inner}\n)) WHERE order_nth = 1");
                Ok(Body { sql, keys: body.keys, most: None })
            }
            Layer::Sorted(keys) => {
                let mut by = Vec::new();
                for (key, direction) in keys {
                    let Node::Var(variable) = self.tree.node(*key) else {
                        return Err(self.refuse(*key, "only a variable is compiled to SQL here"));
                    };
                    match found.first().and_then(|rows| rows.value(*variable)).map(|value| value.kind) {
                        None => return Err(self.refuse(*key, "the variable has no value here")),
                        Some(ValueKind::Float | ValueKind::List(_)) => {
                            return Err(self.refuse(*key, "floats and lists are not sorted in SQL"));
                        }
                        Some(_) => by.extend(columns(*variable).map(|column| format!("{column} {direction}"))),
                    }
                }
                by.push(order);
                let inner = body.limited();
                let position = format!("ROW_NUMBER() OVER (ORDER BY {}) AS order_position", by.join(", "));
                let sql = format!("SELECT *, {position} FROM (\n{inner}\n)");
                Ok(Body { sql, keys: vec!["order_position".to_string()], most: None })
            }
        }
    }

    /// All alternatives must give values of the same kinds to the same variables.
    fn same_columns(&self, goal: &ReadTerm, found: &[Alternative], kept: &[u32]) -> Result<(), Refusal> {
        for (name, number, span, _) in &goal.variables {
            let mut kinds = found.iter().map(|rows| rows.value(*number).map(|value| value.kind));
            let first = kinds.next().flatten();
            if (!name.starts_with('_') || kept.contains(number)) && kinds.any(|kind| kind != first) {
                let why = format!("`{name}` has values of different kinds in the alternatives");
                return Err(Box::new(Diagnostic::error(self.source(goal.tree.root()), *span, why)));
            }
        }
        Ok(())
    }
}

impl Body {
    /// The rows with their numbers in a column, from 1.
    pub(super) fn numbered(&self, column: &str) -> String {
        let keys = if self.keys.is_empty() { "1".to_string() } else { self.keys.join(", ") };
        format!("SELECT *, ROW_NUMBER() OVER (ORDER BY {keys}) AS {column} FROM (\n{}\n)", self.limited())
    }

    pub(super) fn sorted(self) -> String {
        let mut sql = self.sql;
        if !self.keys.is_empty() {
            sql += &format!("\nORDER BY {}", self.keys.join(", "));
        }
        if let Some(most) = self.most {
            sql += &format!("\nLIMIT {most}");
        }
        sql
    }

    /// The rows in any order, if there is no limit.
    fn limited(&self) -> String {
        let Body { sql, keys, most } = self;
        match most {
            None => sql.clone(),
            Some(_) => Body { sql: sql.clone(), keys: keys.clone(), most: *most }.sorted(),
        }
    }
}
