//! Lists of answers: `findall`, `tally`, `sum_by`, and what is asked of them.

use super::alternatives::{Alternative, ListQuery, Template, Value, ValueKind, sort_keys};
use super::compile::{Compiler, Refusal};
use super::dialect::Dialect;
use crate::term::{Atom, Node, NodeId};

/// The parts of a list of counts or sums for each key.
pub(super) struct Groups {
    pub(super) key: NodeId,
    /// What is summed; without it, answers are counted.
    pub(super) summed: Option<NodeId>,
    pub(super) goal: NodeId,
    pub(super) result: NodeId,
}

impl Compiler<'_> {
    /// `findall(Template, Goal, List)`.
    pub(super) fn findall(
        &mut self,
        template: NodeId,
        goal: NodeId,
        list: NodeId,
        mut rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let found = self.subquery(goal, &rows, depth)?;
        let all_keys = sort_keys(&found, self.dialect);
        let n_keys = all_keys.first().map_or(0, Vec::len);
        let (mut shape, mut kinds, mut parts) = (Template::Constant(Node::Int(0)), None, Vec::new());
        for (inner, keys) in found.iter().zip(&all_keys) {
            let (own, values) = self.template(template, inner)?;
            let own_kinds: Vec<ValueKind> = kinds_of(&values);
            if kinds.as_ref().is_some_and(|known| *known != own_kinds) {
                return Err(self.refuse(template, "the elements have values of different kinds in the alternatives"));
            }
            let keys = keys.iter().enumerate().map(|(number, key)| format!("{key} AS k{number}"));
            let columns: Vec<String> = selected(&values).into_iter().chain(keys).collect();
            parts.push(inner.select(&if columns.is_empty() { "1 AS k0".to_string() } else { columns.join(", ") }));
            (shape, kinds) = (own, Some(own_kinds));
        }
        let kinds = kinds.unwrap_or_default();
        if parts.is_empty() {
            parts.push("SELECT 1 AS k0 WHERE FALSE".to_string());
        }
        let keys: Vec<String> = (0..n_keys.max(1)).map(|number| format!("k{number}")).collect();
        let keys = if n_keys == 0 { "1".to_string() } else { keys.join(", ") };
        let query = ListQuery {
            template: shape,
            rows: format!("SELECT *, ROW_NUMBER() OVER (ORDER BY {keys}) AS pos FROM ({})", parts.join(" UNION ALL ")),
            kinds,
        };
        self.give_list(list, query, &mut rows)?;
        Ok(vec![rows])
    }

    /// `tally(Key, Goal, Pairs)` and `sum_by(Key, Value, Goal, Pairs)`.
    pub(super) fn groups(
        &mut self,
        groups: &Groups,
        mut rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let found = self.subquery(groups.goal, &rows, depth)?;
        let (mut shape, mut known, mut parts) = (Template::Constant(Node::Int(0)), None, Vec::new());
        for inner in &found {
            let (own, values) = self.template(groups.key, inner)?;
            if values.iter().any(|value| matches!(value.kind, ValueKind::Float | ValueKind::List(_))) {
                return Err(self.refuse(groups.key, "floats and lists as keys are not compiled to SQL"));
            }
            let kinds = kinds_of(&values);
            if known.as_ref().is_some_and(|known| *known != kinds) {
                return Err(self.refuse(groups.key, "the keys have values of different kinds in the alternatives"));
            }
            let mut columns = selected(&values);
            if let Some(summed) = groups.summed {
                columns.push(format!("{} AS summed", self.expression(summed, inner, depth)?));
            }
            parts.push(inner.select(&if columns.is_empty() { "1 AS one".to_string() } else { columns.join(", ") }));
            (shape, known) = (own, Some(kinds));
        }
        let mut kinds = known.unwrap_or_default();
        let n_columns = kinds.iter().map(|kind| n_columns(*kind)).sum::<usize>();
        let names: Vec<String> = (0..n_columns).map(|number| format!("v{number}")).collect();
        let total = if groups.summed.is_some() { "sum(summed)" } else { "count(*)" };
        let order: Vec<String> = named(&kinds, "").iter().flat_map(Value::order).collect();
        let order = if order.is_empty() { "1".to_string() } else { order.join(", ") };
        let mut columns = names.clone();
        columns.push(format!("{total} AS v{n_columns}"));
        columns.push(format!("ROW_NUMBER() OVER (ORDER BY {order}) AS pos"));
        if parts.is_empty() {
            parts.push("SELECT 1 AS one, 1 AS summed WHERE FALSE".to_string());
        }
        let by =
            if names.is_empty() { "HAVING count(*) > 0".to_string() } else { format!("GROUP BY {}", names.join(", ")) };
        kinds.push(ValueKind::Integer);
        let query = ListQuery {
            template: Template::Compound(Atom::new("-"), vec![shape, Template::Value(ValueKind::Integer)]),
            rows: format!("SELECT {} FROM ({}) {by}", columns.join(", "), parts.join(" UNION ALL ")),
            kinds,
        };
        self.give_list(groups.result, query, &mut rows)?;
        Ok(vec![rows])
    }

    /// Gives a variable a list.
    pub(super) fn give_list(&mut self, list: NodeId, query: ListQuery, rows: &mut Alternative) -> Result<(), Refusal> {
        let Node::Var(variable) = *self.tree.node(list) else {
            return Err(self.refuse(list, "expected a variable for the list"));
        };
        if rows.value(variable).is_some() {
            return Err(self.refuse(list, "lists are not compared in SQL"));
        }
        let n_columns: usize = query.kinds.iter().map(|kind| n_columns(*kind)).sum();
        let sql = self.dialect.list(n_columns, &query.rows);
        self.lists.push(query);
        rows.values.push((variable, Value::new(sql, ValueKind::List(self.lists.len() - 1))));
        Ok(())
    }

    /// The list that a variable has as its value.
    fn list_of(&self, list: NodeId, rows: &Alternative) -> Result<(ListQuery, Value), Refusal> {
        let value = match self.tree.node(list) {
            Node::Var(variable) => rows.value(*variable),
            _ => None,
        };
        match value {
            Some(value @ Value { kind: ValueKind::List(number), .. }) => {
                Ok((self.lists[*number].clone(), value.clone()))
            }
            _ => Err(self.refuse(list, "expected a list of `findall`, `tally` or `sum_by`")),
        }
    }

    /// `length(List, N)`.
    pub(super) fn length(&mut self, list: NodeId, n: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        let (query, _) = self.list_of(list, rows)?;
        let sql = format!("(SELECT count(*) FROM ({}))", query.rows);
        self.equate(n, Value::new(sql, ValueKind::Integer), rows)
    }

    /// `member(Element, List)`.
    pub(super) fn member(&mut self, element: NodeId, list: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        let (query, _) = self.list_of(list, rows)?;
        let table = self.table('t');
        let lateral = if rows.tables.is_empty() { "" } else { "LATERAL " };
        rows.tables.push(format!("{lateral}({}) AS {table}", query.rows));
        let mut values = named(&query.kinds, &format!("{table}.")).into_iter();
        self.match_template(element, &query.template, &mut values, rows)?;
        rows.sort_by(format!("{table}.pos"));
        Ok(())
    }

    fn match_template(
        &mut self,
        term: NodeId,
        template: &Template,
        values: &mut dyn Iterator<Item = Value>,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        let no_value = |compiler: &Self, term| compiler.refuse(term, "expected an element of the list");
        let mut waiting = vec![(term, template)];
        while let Some((term, template)) = waiting.pop() {
            if self.is_anonymous(term) {
                (0..n_values(template)).for_each(|_| _ = values.next());
                continue;
            }
            match template {
                Template::Value(_) => {
                    let value = values.next().ok_or_else(|| no_value(self, term))?;
                    self.equate(term, value, rows)?;
                }
                Template::ValueOrDash(_) => {
                    let value = values.next().ok_or_else(|| no_value(self, term))?;
                    match (self.tree.node(term), self.functor(term)) {
                        (_, Some(("-", 0))) => rows.conditions.push(format!("{} IS NULL", value.sql)),
                        (Node::Var(_), _) => {
                            let why = "this is `-` where the trace does not state it, so that a variable for it is not \
                                       compiled to SQL";
                            return Err(self.refuse(term, why));
                        }
                        _ => self.equate(term, value, rows)?,
                    }
                }
                Template::Constant(constant) if self.tree.node(term) == constant => {}
                Template::Compound(name, parts) if self.tree.functor(term) == Some((*name, parts.len())) => {
                    let args = self.tree.args(term).to_vec();
                    waiting.extend(args.into_iter().zip(parts).rev());
                }
                _ => return Err(self.refuse(term, "expected a term like the elements of the list")),
            }
        }
        Ok(())
    }

    /// Whether a term is a variable that occurs nowhere else, and is not shown.
    fn is_anonymous(&self, term: NodeId) -> bool {
        match self.tree.node(term) {
            Node::Var(variable) if !self.shown.contains(variable) => {}
            _ => return false,
        }
        let same = |part: &&NodeId| self.tree.node(**part) == self.tree.node(term);
        let occurrences = (0..self.tree.len() as NodeId).flat_map(|node| self.tree.args(node)).filter(same);
        occurrences.take(2).count() < 2
    }

    /// A term with the values of its variables.
    fn template(&self, term: NodeId, rows: &Alternative) -> Result<(Template, Vec<Value>), Refusal> {
        let (mut values, mut done) = (Vec::new(), Vec::new());
        let mut waiting = vec![(term, false)];
        while let Some((term, are_parts_done)) = waiting.pop() {
            match self.tree.node(term) {
                Node::Var(variable) => {
                    let value =
                        rows.value(*variable).ok_or_else(|| self.refuse(term, "the variable has no value here"))?;
                    done.push(Template::Value(value.kind));
                    values.push(value.clone());
                }
                Node::Compound { functor, .. } if are_parts_done => {
                    let parts = done.split_off(done.len() - self.tree.args(term).len());
                    done.push(Template::Compound(*functor, parts));
                }
                Node::Compound { .. } => {
                    waiting.push((term, true));
                    waiting.extend(self.tree.args(term).iter().rev().map(|part| (*part, false)));
                }
                constant => done.push(Template::Constant(constant.clone())),
            }
        }
        let template = done.pop().unwrap_or(Template::Constant(Node::Int(0)));
        Ok((template, values))
    }
}

/// The number of values in a template.
fn n_values(template: &Template) -> usize {
    let (mut n_values, mut waiting) = (0, vec![template]);
    while let Some(template) = waiting.pop() {
        match template {
            Template::Value(_) | Template::ValueOrDash(_) => n_values += 1,
            Template::Constant(_) => {}
            Template::Compound(_, parts) => waiting.extend(parts),
            Template::FirstIfPresent(_, _, rest) => {
                n_values += 1;
                waiting.push(rest);
            }
        }
    }
    n_values
}

/// The number of columns of a value of a kind.
pub(super) fn n_columns(kind: ValueKind) -> usize {
    if kind == ValueKind::Proc { 6 } else { 1 }
}

fn kinds_of(values: &[Value]) -> Vec<ValueKind> {
    values.iter().map(|value| value.kind).collect()
}

/// The columns of values under the names `v0`, `v1`, ...
fn selected(values: &[Value]) -> Vec<String> {
    let all = values.iter().flat_map(Value::columns).enumerate();
    all.map(|(number, column)| format!("{column} AS v{number}")).collect()
}

/// The values of the columns `v0`, `v1`, ... of a table.
fn named(kinds: &[ValueKind], table: &str) -> Vec<Value> {
    let mut number = 0;
    let mut next = || {
        number += 1;
        format!("{table}v{}", number - 1)
    };
    let mut value = |kind: &ValueKind| {
        let sql = next();
        let parts = (1..n_columns(*kind)).map(|_| next()).collect();
        Value { sql, kind: *kind, parts }
    };
    kinds.iter().map(&mut value).collect()
}

impl Dialect {
    /// The list of the rows of a query with the columns `v0`, `v1`, ..., sorted by `pos`.
    fn list(self, n_columns: usize, rows: &str) -> String {
        let names: Vec<String> = (0..n_columns).map(|number| format!("v{number}")).collect();
        match self {
            Dialect::DuckDb => {
                let fields: Vec<String> = names.iter().map(|name| format!("'{name}': {name}")).collect();
                let fields = if fields.is_empty() { "'v': 1".to_string() } else { fields.join(", ") };
                format!("(SELECT COALESCE(list({{{fields}}} ORDER BY pos), []) FROM ({rows}))")
            }
            Dialect::Spark => {
                let fields: Vec<String> = std::iter::once("pos".to_string()).chain(names).collect();
                format!("(SELECT array_sort(collect_list(struct({}))) FROM ({rows}))", fields.join(", "))
            }
        }
    }
}
