//! Goals of which not all answers count, conditions, and comparisons of terms.

use super::alternatives::{Alternative, Value, ValueKind};
use super::answers::{Layer, Selected};
use super::compile::{Compiler, Refusal};
use super::constraints::any;
use super::lists::n_columns;
use crate::term::NodeId;

impl Compiler<'_> {
    /// The condition that a goal has an answer.
    pub(super) fn exists(&mut self, goal: NodeId, rows: &Alternative, depth: usize) -> Result<String, Refusal> {
        let mut goal = goal;
        while let (Some(("once" | "distinct", 1)), &[inner]) | (Some(("distinct" | "order_by", 2)), &[_, inner]) =
            (self.functor(goal), self.tree.args(goal))
        {
            goal = inner;
        }
        Ok(is_any(&self.subquery(goal, rows, depth)?))
    }

    /// The first answer of a goal; none if it never has one.
    pub(super) fn first_answer(
        &mut self,
        goal: NodeId,
        rows: Alternative,
        depth: usize,
    ) -> Result<Option<Alternative>, Refusal> {
        let (inner, mut layers) = self.layers(goal)?;
        layers.push(Layer::Limit(1));
        self.layered(inner, &layers, rows, depth)
    }

    /// The answers of a goal that are left by what is done with all of them; none if it never has one.
    pub(super) fn layered(
        &mut self,
        goal: NodeId,
        layers: &[Layer],
        mut rows: Alternative,
        depth: usize,
    ) -> Result<Option<Alternative>, Refusal> {
        let mut found = self.subquery(goal, &rows, depth)?;
        if layers.iter().any(|layer| matches!(layer, Layer::Sorted(_))) {
            found.iter_mut().for_each(|inner| inner.cursor.clone_from(&rows.cursor));
        }
        let Some(first) = found.first() else { return Ok(None) };
        let values = self.values_of_all(goal, &found, &rows)?;
        let moves = found.iter().any(|inner| inner.cursor != rows.cursor);
        let most =
            layers.iter().filter_map(|layer| if let Layer::Limit(most) = layer { Some(*most) } else { None }).min();
        if values.is_empty() && !moves && most == Some(1) {
            rows.conditions.push(is_any(&found));
            return Ok(Some(rows));
        }
        if moves && found.iter().any(|inner| inner.cursor.is_none()) {
            return Err(self.refuse(goal, "only some alternatives of this goal move to an event"));
        }
        let shown: Vec<(String, u32)> = values.iter().map(|(number, _)| (format!("v{number}"), *number)).collect();
        let body = self.joined(&found, &shown, &self.kept_variables(layers), Selected::Terms);
        let body = layers.iter().try_fold(body, |body, layer| self.layer(body, layer, &found))?;
        let answers = if most == Some(1) { body.sorted() } else { body.numbered("pos") };
        let moves_to = first.cursor.as_ref().filter(|_| moves).is_some();
        let table = self.table('o');
        let lateral = if rows.tables.is_empty() { "" } else { "LATERAL " };
        rows.tables.push(format!("{lateral}({answers}) AS {table}"));
        for ((name, number), (_, kind)) in shown.iter().zip(values) {
            let sql = format!("{table}.{}", self.dialect.name(name));
            let parts = (1..n_columns(kind)).map(|part| format!("{table}.p{number}_{}", part - 1)).collect();
            rows.values.push((*number, Value { sql, kind, parts }));
        }
        if moves_to {
            rows.cursor = Some(format!("{table}.chrono_"));
        }
        if most != Some(1) {
            rows.sort_by(format!("{table}.pos"));
        }
        Ok(Some(rows))
    }

    /// The variables that get values from all alternatives of a goal, and their kinds.
    fn values_of_all(
        &self,
        goal: NodeId,
        found: &[Alternative],
        rows: &Alternative,
    ) -> Result<Vec<(u32, ValueKind)>, Refusal> {
        let mut values = Vec::new();
        for variable in self.variables_of(goal).into_iter().filter(|variable| rows.value(*variable).is_none()) {
            let mut kinds = found.iter().map(|inner| inner.value(variable).map(|value| value.kind));
            let kind = kinds.next().flatten();
            if kinds.any(|other| other != kind) {
                return Err(self.refuse(goal, "the alternatives of this goal give values of different kinds"));
            }
            match kind {
                Some(ValueKind::List(_)) => {
                    return Err(
                        self.refuse(goal, "the list of a goal within others, of which some answers count, has no SQL")
                    );
                }
                kind => values.extend(kind.map(|kind| (variable, kind))),
            }
        }
        Ok(values)
    }

    /// `( Condition -> Then ; Else )`, also without `Else`; only the first answer of the condition counts, or all do, as
    /// with `*->`.
    pub(super) fn if_then_else(
        &mut self,
        condition: NodeId,
        then: NodeId,
        or_else: Option<NodeId>,
        is_first: bool,
        rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let holding = match is_first {
            true => self.first_answer(condition, rows.clone(), depth)?.into_iter().collect(),
            false => self.goal(condition, vec![rows.clone()], depth + 1)?,
        };
        let mut found = self.goal(then, holding, depth + 1)?;
        if let Some(or_else) = or_else {
            let without = self.without_answer(condition, rows, depth)?;
            found.extend(self.goal(or_else, vec![without], depth + 1)?);
        }
        Ok(found)
    }

    /// `ignore(Goal)`: the first answer, or what was before if there is none.
    pub(super) fn ignored(
        &mut self,
        goal: NodeId,
        rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let first = self.first_answer(goal, rows.clone(), depth)?;
        let without = self.without_answer(goal, rows, depth)?;
        Ok(first.into_iter().chain([without]).collect())
    }

    fn without_answer(&mut self, goal: NodeId, mut rows: Alternative, depth: usize) -> Result<Alternative, Refusal> {
        let holds = self.exists(goal, &rows, depth)?;
        rows.conditions.push(format!("NOT {holds}"));
        Ok(rows)
    }

    /// `Left == Right`, or `Left \== Right`.
    pub(super) fn compare_terms(
        &self,
        [left, right]: [NodeId; 2],
        is_equal: bool,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        let value = |term| {
            let value = self.value_of_term(term, rows);
            let value = value.ok_or_else(|| {
                self.refuse(term, "expected an integer, an atom, a string or a variable that has a value here")
            })?;
            match value.kind {
                ValueKind::Integer | ValueKind::Bool | ValueKind::Atom | ValueKind::Text => Ok(value),
                _ => Err(self.refuse(term, "only integers, atoms and strings are compared in SQL")),
            }
        };
        let (left, right) = (value(left)?, value(right)?);
        let sign = if is_equal { "=" } else { "<>" };
        rows.conditions.push(match left.kind == right.kind {
            true => format!("{} {sign} {}", left.sql, right.sql),
            false if is_equal => "FALSE".to_string(),
            false => "TRUE".to_string(),
        });
        Ok(())
    }

    /// `atom_string(Atom, String)`: the same text.
    pub(super) fn atom_string(&self, atom: NodeId, string: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        let is_text = |value: &Value| matches!(value.kind, ValueKind::Atom | ValueKind::Text);
        let (of_atom, of_string) = (self.value_of_term(atom, rows), self.value_of_term(string, rows));
        match (of_atom, of_string) {
            (_, Some(value)) if is_text(&value) => self.equate(atom, Value::new(value.sql, ValueKind::Atom), rows),
            (Some(value), None) if is_text(&value) => self.equate(string, Value::new(value.sql, ValueKind::Text), rows),
            _ => Err(self.refuse(string, "expected a text that has a value here")),
        }
    }

    /// The goals of `( Condition -> Then )` or `( Condition *-> Then )`, and whether only the first answer counts.
    pub(super) fn condition(&self, goal: NodeId) -> Option<(NodeId, NodeId, bool)> {
        match (self.functor(goal), self.tree.args(goal)) {
            (Some(("->", 2)), &[condition, then]) => Some((condition, then, true)),
            (Some(("*->", 2)), &[condition, then]) => Some((condition, then, false)),
            _ => None,
        }
    }
}

/// The condition that one of these has an answer.
fn is_any(found: &[Alternative]) -> String {
    let is_test = |inner: &Alternative| inner.tables.is_empty() && !inner.conditions.is_empty();
    any(found
        .iter()
        .map(|inner| match is_test(inner) {
            true => format!("({})", inner.conditions.join(" AND ")),
            false => format!("EXISTS ({})", inner.select("1")),
        })
        .collect())
}
