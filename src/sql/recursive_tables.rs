//! The tables of a rule that calls itself: `loop1_start`, `loop1` and `loop1_answers`.
//!
//! The first has the calls that the goal makes, as far as arguments have values, each once. The second has also the calls
//! that clauses make again, and the third the answers: those of clauses that end without such a call and, unless every
//! clause ends with it, those that come from them by the goals after it, from one call back to the one that made it. A row
//! has the arguments of its first call in `s0`, `s1`, ..., those of its own in `a0`, ..., the values of an answer in `o0`,
//! ..., and those that a clause needs after its call in `x0_0`, ....
//!
//! A row's `path` lists the numbers of clauses and the keys of goals that led to it, from left to right. As a clause says
//! how many keys follow, paths are in the order of a search that goes into depth first, and no two calls have the same.
//!
//! A loop over temporary tables would have the same rows; as tables `WITH RECURSIVE` they need no more than one query,
//! which any program can run.

use super::alternatives::{Alternative, Key, Value, ValueKind};
use super::compile::{Compiler, Refusal};
use super::dialect::Dialect;
use super::lists::n_columns;
use super::recursion::{AnswerShape, CalledRule, ClauseEnds, CompiledRule, Recursion};
use crate::term::{Node, NodeId};

/// Calls that are nested more deeply are an error of the query.
const MOST_LEVELS: u32 = 10_000;

impl Compiler<'_> {
    /// Adds the tables of a rule, those that its clauses need being in place from `first` on.
    pub(super) fn add_tables(
        &mut self,
        goal: NodeId,
        compiled: &CompiledRule,
        first: usize,
        rows: &Alternative,
        depth: usize,
    ) -> Result<(), Refusal> {
        let CompiledRule { rule, ends, shape } = compiled;
        let start = self.start(goal, rule, rows);
        let first_calls = self.first_calls(compiled);
        let calls = self.calls_again(compiled)?;
        let answers = self.answers_of_clauses(compiled);
        let steps_back = if shape.goes_back { self.steps_back(compiled, depth)? } else { Vec::new() };
        let is_inside =
            |sql: &String| self.recursive[first..].iter().any(|(name, _)| sql.contains(&format!("{name} AS ")));
        if calls.iter().chain(&steps_back).any(is_inside) {
            let place = ends.recursions.first().map_or(goal, |recursion| recursion.goal);
            let why = format!("`{}` calls itself here beside another recursive rule", rule.indicator());
            return Err(self.refuse(place, &format!("{why}, which is not compiled to SQL")));
        }
        let tables = [(format!("{}_start", rule.calls), start), (rule.calls.clone(), united(first_calls, calls))];
        self.recursive.splice(first..first, tables);
        self.recursive.push((format!("{}_answers", rule.calls), united(answers, steps_back)));
        Ok(())
    }

    /// The calls that the goal makes.
    fn start(&self, goal: NodeId, rule: &CalledRule, rows: &Alternative) -> String {
        let values = self.given_values(goal, rule, rows);
        let mut columns: Vec<String> =
            values.iter().flat_map(|(number, value)| self.named_columns("s", *number, value)).collect();
        let cursor = rows.cursor.iter().filter(|_| rule.pattern.has_cursor);
        columns.extend(cursor.map(|cursor| format!("{cursor} AS start_cursor")));
        if columns.is_empty() {
            return "SELECT TRUE AS started".to_string();
        }
        let is_constant = |term: &NodeId| !matches!(self.tree.node(*term), Node::Var(_));
        let are_constant = !rule.pattern.has_cursor && self.tree.args(goal).iter().all(is_constant);
        let whole = if are_constant { Alternative::default() } else { rows.with_outer() };
        whole.select(&format!("DISTINCT {}", columns.join(", ")))
    }

    /// The start as calls.
    fn first_calls(&self, CompiledRule { rule, ends, shape }: &CompiledRule) -> String {
        let mut columns = rule.start_columns("");
        for (number, kind) in rule.pattern.given() {
            let same = |part| format!("{} AS {}", column("s", number, part), column("a", number, part));
            columns.extend((0..n_columns(kind)).map(same));
        }
        columns.extend(rule.pattern.has_cursor.then(|| "start_cursor AS cursor".to_string()));
        let own: Vec<String> = rule.told_by().collect();
        columns.push(format!("{} AS path", self.dialect.path(&[])));
        columns.push("0 AS level".to_string());
        columns.push(format!("{} AS made", self.dialect.list_of(&self.dialect.tuple(&own))));
        if shape.goes_back {
            columns.push(format!("{} AS back", self.dialect.path(&[])));
            columns.push("-1 AS place".to_string());
            columns.extend(self.kept_columns(ends, None));
        }
        format!("SELECT {} FROM {}_start", columns.join(", "), rule.calls)
    }

    /// The calls that clauses make again, for one call.
    fn calls_again(&self, CompiledRule { rule, ends, shape }: &CompiledRule) -> Result<Vec<String>, Refusal> {
        let (call, dialect) = (&rule.call, self.dialect);
        let mut selects = Vec::new();
        for (number, Recursion { rows, goal, .. }) in ends.recursions.iter().enumerate() {
            let values = self.given_values(*goal, rule, rows);
            if values.is_empty() && !rule.pattern.has_cursor {
                return Err(self.refuse(*goal, &endless(rule)));
            }
            let mut made: Vec<String> = values.iter().map(|(_, value)| self.cast(value, &value.sql, 0)).collect();
            let mut columns = rule.start_columns(&format!("{call}."));
            columns.extend(values.iter().flat_map(|(number, value)| self.named_columns("a", *number, value)));
            if let (Some(cursor), true) = (&rows.cursor, rule.pattern.has_cursor) {
                columns.push(format!("{cursor} AS cursor"));
                made.push(cursor.clone());
            }
            let made = dialect.tuple(&made);
            columns.push(format!("{} AS path", dialect.path(&rows.order)));
            columns.push(format!("{} AS level", self.next_level(rule, *goal, &made)));
            columns.push(format!("{call}.made || {} AS made", dialect.list_of(&made)));
            if shape.goes_back {
                columns.push(format!("{call}.path AS back"));
                columns.push(format!("{number} AS place"));
                columns.extend(self.kept_columns(ends, Some(number)));
            }
            selects.push(rows.select(&columns.join(", ")));
        }
        Ok(selects)
    }

    /// The values that clauses need after their calls: those of the clause that makes this call, null for the others.
    fn kept_columns(&self, ends: &ClauseEnds, own: Option<usize>) -> Vec<String> {
        let mut columns = Vec::new();
        for (clause, Recursion { kept, .. }) in ends.recursions.iter().enumerate() {
            for (number, (_, value)) in kept.iter().enumerate() {
                let mut value = value.clone();
                if own != Some(clause) {
                    value.sql = "NULL".to_string();
                    value.parts.iter_mut().for_each(|part| *part = "NULL".to_string());
                }
                columns.extend(self.named_columns(&format!("x{clause}_"), number, &value));
            }
        }
        columns
    }

    /// The level of a call; an error if it was made before, or is too deep.
    fn next_level(&self, rule: &CalledRule, goal: NodeId, made: &str) -> String {
        let place = self.source(goal).place(self.tree.span(goal).start);
        let again = self.dialect.error(&format!("{place}: {}", endless(rule)));
        let deep = format!("{place}: more than {MOST_LEVELS} calls of `{}` are in each other", rule.indicator());
        let (deep, call) = (self.dialect.error(&deep), &rule.call);
        let was_made = self.dialect.contains(&format!("{call}.made"), made);
        format!(
            "CASE WHEN {was_made} THEN {again} WHEN {call}.level >= {MOST_LEVELS} THEN {deep} ELSE {call}.level + 1 END"
        )
    }

    /// The answers of the clauses that end without another call.
    fn answers_of_clauses(&self, CompiledRule { rule, ends, shape }: &CompiledRule) -> String {
        let call = &rule.call;
        let select = |rows: &Alternative| {
            let at = shape.goes_back.then(|| format!("{call}.path"));
            rows.select(&self.answer_columns(rule, shape, rows, call, at).join(", "))
        };
        ends.answers.iter().map(select).collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// The answers to calls that come from those to the calls which they made.
    fn steps_back(&mut self, compiled: &CompiledRule, depth: usize) -> Result<Vec<String>, Refusal> {
        let CompiledRule { rule, ends, shape } = compiled;
        let (call, mut selects) = (&rule.call, Vec::new());
        for (clause, recursion) in ends.recursions.iter().enumerate() {
            let answer = self.table('u');
            let mut rows = Alternative { order: vec![Key::Path(format!("{answer}.path"))], ..Alternative::default() };
            rows.tables = vec![format!("{}_answers AS {answer}", rule.calls), format!("{} AS {call}", rule.calls)];
            rows.conditions = vec![format!("{call}.place = {clause}"), format!("{call}.path = {answer}.at")];
            rows.conditions.extend(rule.told_by().map(|name| format!("{call}.{name} = {answer}.{name}")));
            let kept = recursion.kept.iter().enumerate();
            let value = |number, value: &Value| stored(call, &format!("x{clause}_"), number, value.kind);
            rows.values = kept.map(|(number, (variable, kept))| (*variable, value(number, kept))).collect();
            rows.cursor = shape.has_cursor.then(|| format!("{answer}.cursor"));
            self.take_answer(recursion.goal, rule, shape, &answer, &mut rows)?;
            let mut found = vec![rows];
            for goal in recursion.rest.iter().rev() {
                found = self.goal(*goal, found, depth + 1)?;
            }
            for rows in found {
                self.agrees(rule, recursion, shape, &rows)?;
                let at = Some(format!("{call}.back"));
                selects.push(rows.select(&self.answer_columns(rule, shape, &rows, &answer, at).join(", ")));
            }
        }
        Ok(selects)
    }

    /// An answer after a recursive call must be like the others.
    fn agrees(
        &self,
        rule: &CalledRule,
        recursion: &Recursion,
        shape: &AnswerShape,
        rows: &Alternative,
    ) -> Result<(), Refusal> {
        let kind = |variable: u32| rows.value(variable).map(|value| value.kind);
        let mut arguments = rule.free_arguments().zip(&shape.kinds);
        let moves_alike = !rule.moves || rows.cursor.is_some() == shape.has_cursor;
        match moves_alike && arguments.all(|(variable, wanted)| kind(variable) == Some(*wanted)) {
            true => Ok(()),
            false => {
                let why =
                    format!("the answers of `{}` after this call are of another kind than others", rule.indicator());
                Err(self.refuse(recursion.goal, &why))
            }
        }
    }

    /// The columns of an answer: the first call, of a row in `table`; the call that it answers, by its path; and values.
    fn answer_columns(
        &self,
        rule: &CalledRule,
        shape: &AnswerShape,
        rows: &Alternative,
        table: &str,
        at: Option<String>,
    ) -> Vec<String> {
        let mut columns = rule.start_columns(&format!("{table}."));
        columns.extend(at.map(|at| format!("{at} AS at")));
        columns.push(format!("{} AS path", self.dialect.path(&rows.order)));
        let values = rule.free_arguments().enumerate().filter_map(|(number, name)| Some((number, rows.value(name)?)));
        columns.extend(values.flat_map(|(number, value)| self.named_columns("o", number, value)));
        columns.extend(rows.cursor.iter().filter(|_| shape.has_cursor).map(|cursor| format!("{cursor} AS cursor")));
        columns
    }

    fn named_columns(&self, prefix: &str, number: usize, value: &Value) -> Vec<String> {
        let named = |(part, sql): (usize, &String)| {
            format!("{} AS {}", self.cast(value, sql, part), column(prefix, number, part))
        };
        value.columns().iter().enumerate().map(named).collect()
    }

    /// A column of a value in the type of the column of a table.
    fn cast(&self, value: &Value, sql: &str, part: usize) -> String {
        format!("CAST({sql} AS {})", self.type_of(value.kind, part))
    }

    /// The type of a column of a value.
    fn type_of(&self, kind: ValueKind, part: usize) -> &'static str {
        match kind {
            ValueKind::Integer => "BIGINT",
            ValueKind::Float => "DOUBLE",
            ValueKind::Bool => "BOOLEAN",
            // the arity and the mode
            ValueKind::Proc if part > 3 => "BIGINT",
            _ => self.dialect.text_type(),
        }
    }
}

/// The first rows, and those that come from rows.
fn united(first: String, mut others: Vec<String>) -> String {
    match others.len() {
        0 => first,
        1 => format!("{first}\n      UNION ALL {}", others.remove(0)),
        _ => format!("{first}\n      UNION ALL ({})", others.join(" UNION ALL ")),
    }
}

fn endless(rule: &CalledRule) -> String {
    format!("`{}` calls itself with the same arguments, so that it does not end", rule.indicator())
}

/// The name of a column of a value: `a0`, and of a procedure also `a0_1` to `a0_5`.
pub(super) fn column(prefix: &str, number: usize, part: usize) -> String {
    match part {
        0 => format!("{prefix}{number}"),
        _ => format!("{prefix}{number}_{part}"),
    }
}

/// A value in the columns of a table.
pub(super) fn stored(table: &str, prefix: &str, number: usize, kind: ValueKind) -> Value {
    let mut columns = (0..n_columns(kind)).map(|part| format!("{table}.{}", column(prefix, number, part)));
    Value { sql: columns.next().unwrap_or_default(), kind, parts: columns.collect() }
}

impl CalledRule {
    /// The columns of the first call.
    fn start_columns(&self, table: &str) -> Vec<String> {
        let of_value = |(number, kind)| (0..n_columns(kind)).map(move |part| column("s", number, part));
        let columns = self.pattern.given().into_iter().flat_map(of_value);
        let cursor = self.pattern.has_cursor.then(|| "start_cursor".to_string());
        columns.chain(cursor).map(|name| format!("{table}{name}")).collect()
    }

    /// Those by which it is told from others.
    fn told_by(&self) -> impl Iterator<Item = String> {
        let columns = self.pattern.given().into_iter().map(|(number, _)| column("s", number, 0));
        columns.chain(self.pattern.has_cursor.then(|| "start_cursor".to_string()))
    }
}

impl Dialect {
    /// Keys as one value, a list.
    pub(super) fn path(self, keys: &[Key]) -> String {
        let list = |numbers: &[&str]| match self {
            Dialect::DuckDb => format!("CAST([{}] AS BIGINT[])", numbers.join(", ")),
            Dialect::Spark => format!("CAST(array({}) AS ARRAY<BIGINT>)", numbers.join(", ")),
        };
        let (mut parts, mut numbers): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
        for key in keys {
            match key {
                Key::Number(sql) => numbers.push(sql),
                Key::Path(sql) => {
                    parts.extend((!numbers.is_empty()).then(|| list(&std::mem::take(&mut numbers))));
                    parts.push(sql.clone());
                }
            }
        }
        if !numbers.is_empty() || parts.is_empty() {
            parts.push(list(&numbers));
        }
        parts.join(" || ")
    }

    /// A table of `WITH`. Spark stops at 100 levels if the text does not say otherwise.
    pub(super) fn with(self, name: &str, rows: &str) -> String {
        match self {
            Dialect::Spark if rows.contains(&format!("{name} AS ")) => {
                format!("{name} MAX RECURSION LEVEL {} AS ({rows})", MOST_LEVELS + 1)
            }
            _ => format!("{name} AS ({rows})"),
        }
    }

    fn list_of(self, element: &str) -> String {
        match self {
            Dialect::DuckDb => format!("[{element}]"),
            Dialect::Spark => format!("array({element})"),
        }
    }

    /// Several values as one; of one, that itself.
    fn tuple(self, values: &[String]) -> String {
        match (values, self) {
            ([], _) => "TRUE".to_string(),
            ([value], _) => value.clone(),
            (_, Dialect::DuckDb) => format!("row({})", values.join(", ")),
            (_, Dialect::Spark) => format!("struct({})", values.join(", ")),
        }
    }

    fn contains(self, list: &str, element: &str) -> String {
        match self {
            Dialect::DuckDb => format!("list_contains({list}, {element})"),
            Dialect::Spark => format!("array_contains({list}, {element})"),
        }
    }

    /// An expression that ends the query with a message.
    pub(super) fn error(self, message: &str) -> String {
        match self {
            Dialect::DuckDb => format!("error({})", self.text(message)),
            Dialect::Spark => format!("raise_error({})", self.text(message)),
        }
    }
}
