//! From a goal to SQL.

use std::sync::Arc;

use super::alternatives::{Alternative, ListQuery, Value, ValueKind};
use super::answers::{Layer, Query, Selected};
use super::constraints::any;
use super::derived::TraceTables;
use super::dialect::Dialect;
use super::lists::Groups;
use super::recursion::CallPattern;
use super::rules::Rules;
use crate::engine::Comparison;
use crate::formats::FolderTrace;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::letters::atom_text;
use crate::term::{Atom, Node, NodeId, Tree};

/// Why a goal has no SQL.
pub(crate) type Refusal = Box<Diagnostic>;

/// Goals that nest more deeply are refused.
const MOST_DEPTH: usize = 50;
/// Goals with more alternatives are refused.
pub(super) const MOST_ALTERNATIVES: usize = 64;

/// A goal of one folder.
pub(super) struct Compiler<'a> {
    /// The goal, and the parts of rules that it calls.
    pub(super) tree: Tree,
    /// Where the nodes from a number on are written.
    pub(super) places: Vec<(NodeId, Arc<Source>)>,
    pub(super) trace: &'a FolderTrace,
    /// Whether there is a table of calls.
    pub(super) has_calls: bool,
    /// Whether that says which calls are around others.
    pub(super) has_tree: bool,
    pub(super) dialect: Dialect,
    pub(super) rules: &'a Rules,
    /// Whether constraints on arguments are replaced by weaker ones that have SQL.
    pub(super) is_near: bool,
    /// The recursive rules whose clauses are being compiled.
    pub(super) open_calls: Vec<CallPattern>,
    /// The names and the queries of the tables of recursive rules, in an order in which each is known.
    pub(super) recursive: Vec<(String, String)>,
    /// How many calls of recursive rules have tables.
    pub(super) n_recursive: usize,
    pub(super) n_variables: u32,
    /// The variables that have columns.
    pub(super) shown: Vec<u32>,
    pub(super) lists: Vec<ListQuery>,
    pub(super) uses_calls: bool,
    /// The names and the queries of tables that are made of those of the folder, in an order in which each is known.
    with: Vec<(String, String)>,
    /// How many tables have been named.
    n_tables: usize,
}

/// A trace of a folder, and the engine that is asked about it.
#[derive(Clone, Copy)]
pub(crate) struct AskedTrace<'a> {
    pub(crate) trace: &'a FolderTrace,
    /// The path from which its files are named.
    pub(crate) path: &'a str,
    /// The derived trace that goals are put to; none for that of the folder.
    pub(crate) on: Option<Atom>,
    pub(crate) rules: &'a Rules,
    pub(crate) dialect: Dialect,
}

/// A goal, and where its answers are.
pub(crate) struct CompiledGoal<'a> {
    pub(crate) goal: &'a ReadTerm,
    pub(crate) source: &'a Arc<Source>,
    pub(crate) about: AskedTrace<'a>,
    /// Whether other answers, too, are fine: they are tested again.
    pub(crate) is_near: bool,
}

/// The SQL of a goal on a trace of a folder: the answers in the order in which papaver finds them, at most `most`.
pub(crate) fn compile(asked: &CompiledGoal<'_>, selected: Selected, most: Option<i64>) -> Result<Query, Refusal> {
    let goal = asked.goal;
    let tables = TraceTables::of(&asked.about)?;
    let mut compiler = Compiler::new(&asked.about, &tables);
    compiler.is_near = asked.is_near;
    compiler.tree = goal.tree.clone();
    compiler.places.push((0, Arc::clone(asked.source)));
    compiler.n_variables = goal.n_variables;
    compiler.shown = shown_variables(goal).map(|(_, number)| number).collect();
    let (root, layers) = compiler.layers(goal.tree.root())?;
    let mut found = compiler.goal(root, vec![Alternative::default()], 0)?;
    let tells_nothing = goal.variables.iter().all(|(name, ..)| name.starts_with('_'));
    if selected == Selected::Text && compiler.functor(goal.tree.root()) == Some(("event", 1)) && tells_nothing {
        // as `query` does, which shows the events of such a goal
        found.iter_mut().for_each(|rows| rows.cursor = rows.order.last().map(|key| key.sql().to_string()));
    }
    if layers.iter().any(|layer| matches!(layer, Layer::Sorted(_))) {
        found.iter_mut().for_each(|rows| rows.cursor = None);
    }
    let mut query = compiler.query(goal, &found, &layers, selected, most)?;
    query.text = format!("{}\n{}\n", compiler.with_tables(&tables), query.text);
    Ok(query)
}

impl<'a> Compiler<'a> {
    /// A compiler without a goal.
    pub(super) fn new(asked: &AskedTrace<'a>, tables: &'a TraceTables) -> Compiler<'a> {
        Compiler {
            tree: Tree::new(),
            places: Vec::new(),
            trace: &tables.trace,
            has_calls: tables.calls.is_some(),
            has_tree: tables.have_tree,
            dialect: asked.dialect,
            rules: asked.rules,
            is_near: false,
            open_calls: Vec::new(),
            recursive: Vec::new(),
            n_recursive: 0,
            n_variables: 0,
            shown: Vec::new(),
            lists: Vec::new(),
            uses_calls: false,
            with: Vec::new(),
            n_tables: 0,
        }
    }
}

impl Compiler<'_> {
    /// `WITH` and the tables that queries need.
    pub(super) fn with_tables(&self, tables: &TraceTables) -> String {
        let mut all = vec![format!("events AS ({})", tables.events)];
        all.extend(tables.calls.iter().filter(|_| self.uses_calls).map(|calls| format!("calls AS ({calls})")));
        let made = self.with.iter().chain(&self.recursive);
        all.extend(made.map(|(name, rows)| self.dialect.with(name, rows)));
        let with = if self.recursive.is_empty() { "WITH" } else { "WITH RECURSIVE" };
        format!("{with} {}", all.join(",\n     "))
    }

    /// Where a part of the goal is written.
    pub(super) fn source(&self, at: NodeId) -> &Arc<Source> {
        let after = self.places.partition_point(|(first, _)| *first <= at);
        &self.places[after.saturating_sub(1)].1
    }

    /// The error that a goal, or a part of it, has no SQL.
    pub(super) fn refuse(&self, at: NodeId, why: &str) -> Refusal {
        Box::new(Diagnostic::error(self.source(at), self.tree.span(at), why))
    }

    pub(super) fn functor(&self, goal: NodeId) -> Option<(&'static str, usize)> {
        match self.tree.node(goal) {
            Node::Atom(name) => Some((name.as_str(), 0)),
            _ => self.tree.functor(goal).map(|(name, arity)| (name.as_str(), arity)),
        }
    }

    pub(super) fn table(&mut self, letter: char) -> String {
        self.n_tables += 1;
        format!("{letter}{}", self.n_tables)
    }

    /// Adds a table that is made of others, unless it is there.
    pub(super) fn with(&mut self, name: &str, rows: impl FnOnce() -> String) {
        if self.with.iter().all(|(known, _)| known != name) {
            self.with.push((name.to_string(), rows()));
        }
    }

    /// The alternatives after a goal.
    pub(super) fn goal(
        &mut self,
        goal: NodeId,
        found: Vec<Alternative>,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        if depth > MOST_DEPTH {
            return Err(self.refuse(goal, "the goal nests too deeply for SQL"));
        }
        let mut found = found;
        for goal in self.tree.conjuncts(goal) {
            let mut next = Vec::new();
            for rows in found {
                next.extend(self.step(goal, rows, depth)?);
            }
            if next.len() > MOST_ALTERNATIVES {
                return Err(self.refuse(goal, "the goal has too many alternatives for SQL"));
            }
            found = next;
        }
        Ok(found)
    }

    /// The alternatives of a goal that is no conjunction.
    fn step(&mut self, goal: NodeId, mut rows: Alternative, depth: usize) -> Result<Vec<Alternative>, Refusal> {
        let args = self.tree.args(goal).to_vec();
        let Some(functor) = self.functor(goal) else { return Err(self.refuse(goal, "expected a goal")) };
        match (functor, args.as_slice()) {
            (("true", 0), _) => {}
            (("fail" | "false", 0), _) => return Ok(Vec::new()),
            (("event", 1), &[list]) => {
                self.events(list, &mut rows)?;
            }
            (("fget" | "fget_np", 1), &[list]) => self.search(list, &mut rows, ">")?,
            (("bget" | "bget_np", 1), &[list]) => self.search(list, &mut rows, "<")?,
            ((";", 2), &[left, right]) => return self.disjunction(left, right, rows, depth),
            (("->" | "*->", 2), &[condition, then]) => {
                return self.if_then_else(condition, then, None, functor.0 == "->", rows, depth);
            }
            (("once" | "distinct", 1) | ("limit" | "order_by" | "distinct", 2), _) => {
                let (inner, layers) = self.layers(goal)?;
                return Ok(self.layered(inner, &layers, rows, depth)?.into_iter().collect());
            }
            (("ignore", 1), &[inner]) => return self.ignored(inner, rows, depth),
            (("\\+" | "not", 1), &[inner]) => {
                let condition = self.exists(inner, &rows, depth)?;
                rows.conditions.push(format!("NOT {condition}"));
            }
            (("forall", 2), &[condition, action]) => {
                let mut violating = Vec::new();
                for mut each in self.subquery(condition, &rows, depth)? {
                    let holds = self.exists(action, &each, depth + 1)?;
                    each.conditions.push(format!("NOT {holds}"));
                    violating.push(format!("EXISTS ({})", each.select("1")));
                }
                rows.conditions.push(format!("NOT {}", any(violating)));
            }
            (("aggregate_all", 3), &[what, inner, result]) => {
                return self.aggregate(what, inner, result, rows, depth);
            }
            (("is", 2), &[result, expression]) => {
                let sql = self.expression(expression, &rows, depth)?;
                self.equate(result, Value::new(sql, ValueKind::Integer), &mut rows)?;
            }
            (("=", 2), &[left, right]) => self.unify_terms(left, right, &mut rows)?,
            (("==" | "\\==", 2), &[left, right]) => self.compare_terms([left, right], functor.0 == "==", &mut rows)?,
            (("atom_string", 2), &[atom, string]) => self.atom_string(atom, string, &mut rows)?,
            (("findall", 3), &[template, inner, list]) => return self.findall(template, inner, list, rows, depth),
            (("tally", 3), &[key, inner, result]) => {
                return self.groups(&Groups { key, summed: None, goal: inner, result }, rows, depth);
            }
            (("sum_by", 4), &[key, summed, inner, result]) => {
                return self.groups(&Groups { key, summed: Some(summed), goal: inner, result }, rows, depth);
            }
            (("stack", 1), &[stack]) => self.stack_of_cursor(stack, &mut rows)?,
            (("length", 2), &[list, n]) => self.length(list, n, &mut rows)?,
            (("member", 2), &[element, list]) => self.member(element, list, &mut rows)?,
            (("<" | ">" | "=<" | ">=" | "=:=" | "=\\=", 2), &[left, right]) => {
                let sign = match functor.0 {
                    "=<" => "<=",
                    "=:=" => "=",
                    "=\\=" => "<>",
                    same => same,
                };
                let (left, right) = (self.expression(left, &rows, depth)?, self.expression(right, &rows, depth)?);
                rows.conditions.push(format!("{left} {sign} {right}"));
            }
            (("call_start", 2), &[call, chrono]) => {
                self.calls(goal, &[(call, "call"), (chrono, "enter")], &mut rows)?;
            }
            (("call_end", 2), &[call, chrono]) => {
                self.calls(goal, &[(call, "call"), (chrono, "leave")], &mut rows)?;
            }
            (("parent", 2), &[call, parent]) | (("child", 2), &[parent, call]) => {
                self.parents(goal, call, parent, &mut rows)?;
            }
            (("ancestor", 2), &[call, ancestor]) => self.ancestors(goal, call, ancestor, &mut rows)?,
            ((name, arity), _) => {
                if let Some(found) = self.call_rule(goal, &rows, depth) {
                    return found;
                }
                let why = format!("`{}/{arity}` is not compiled to SQL", atom_text(name));
                return Err(self.refuse(goal, &why));
            }
        }
        Ok(vec![rows])
    }

    fn disjunction(
        &mut self,
        left: NodeId,
        right: NodeId,
        rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        if let Some((condition, then, is_first)) = self.condition(left) {
            return self.if_then_else(condition, then, Some(right), is_first, rows, depth);
        }
        let mut found = Vec::new();
        for (number, goal) in [left, right].into_iter().enumerate() {
            let mut branch = rows.clone();
            branch.sort_by(number.to_string());
            found.extend(self.goal(goal, vec![branch], depth + 1)?);
        }
        Ok(found)
    }

    /// Adds the events that satisfy constraints; gives their table.
    fn events(&mut self, list: NodeId, rows: &mut Alternative) -> Result<String, Refusal> {
        let table = self.table('e');
        rows.tables.push(format!("events AS {table}"));
        self.constrain(list, &table, rows)?;
        rows.sort_by(format!("{table}.chrono"));
        Ok(table)
    }

    /// Moves to the events after the current one, or before it.
    fn search(&mut self, list: NodeId, rows: &mut Alternative, sign: &str) -> Result<(), Refusal> {
        let cursor = rows.cursor.take();
        let table = self.events(list, rows)?;
        match &cursor {
            Some(cursor) => rows.conditions.push(format!("{table}.chrono {sign} {cursor}")),
            None if sign == "<" => rows.conditions.push("FALSE".to_string()),
            None => {}
        }
        if sign == "<" {
            rows.order.pop();
            rows.sort_by(format!("-{table}.chrono"));
        }
        rows.cursor = Some(format!("{table}.chrono"));
        Ok(())
    }

    /// The alternatives of a goal in a subquery.
    pub(super) fn subquery(
        &mut self,
        goal: NodeId,
        rows: &Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let found = self.goal(goal, vec![rows.inner()], depth + 1)?;
        if self.dialect == Dialect::Spark
            && found.iter().any(|inner| !inner.tables.is_empty() && inner.mentions(rows.outer_tables()))
        {
            let why =
                "a goal within two others shares a variable with what is before them, which Spark's SQL cannot say";
            return Err(self.refuse(goal, why));
        }
        Ok(found)
    }

    /// `aggregate_all(count, Goal, Result)`, and sums, least and greatest values of integers.
    fn aggregate(
        &mut self,
        what: NodeId,
        goal: NodeId,
        result: NodeId,
        mut rows: Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let found = self.subquery(goal, &rows, depth)?;
        let functor = self.functor(what);
        let mut parts = Vec::new();
        for inner in &found {
            let value = match (functor, self.tree.args(what)) {
                (Some(("count", 0)), _) => "1".to_string(),
                (Some(("sum" | "max" | "min", 1)), &[expression]) => self.expression(expression, inner, depth)?,
                _ => return Err(self.refuse(what, "this aggregate is not compiled to SQL")),
            };
            parts.push(inner.select(&format!("{value} AS v")));
        }
        if parts.is_empty() {
            parts.push("SELECT 1 AS v WHERE FALSE".to_string());
        }
        let all = parts.join(" UNION ALL ");
        let sql = match functor {
            Some(("count", _)) => format!("(SELECT count(*) FROM ({all}))"),
            Some(("sum", _)) => format!("COALESCE((SELECT sum(v) FROM ({all})), 0)"),
            Some((name, _)) => {
                let sql = format!("(SELECT {name}(v) FROM ({all}))");
                rows.conditions.push(format!("{sql} IS NOT NULL"));
                sql
            }
            None => return Err(self.refuse(what, "this aggregate is not compiled to SQL")),
        };
        self.equate(result, Value::new(sql, ValueKind::Integer), &mut rows)?;
        Ok(vec![rows])
    }

    /// The value of an expression over integers.
    pub(super) fn expression(&self, term: NodeId, rows: &Alternative, depth: usize) -> Result<String, Refusal> {
        if depth > MOST_DEPTH {
            return Err(self.refuse(term, "the expression nests too deeply for SQL"));
        }
        match (self.tree.node(term), self.functor(term), self.tree.args(term)) {
            (Node::Int(value), ..) => Ok(value.to_string()),
            (Node::Var(number), ..) => match rows.value(*number) {
                Some(Value { sql, kind: ValueKind::Integer, .. }) => Ok(sql.clone()),
                Some(_) => Err(self.refuse(term, "only integers are compared and computed in SQL")),
                None => Err(self.refuse(term, "the variable has no value here")),
            },
            (_, Some((sign @ ("+" | "-" | "*"), 2)), &[left, right]) => {
                let (left, right) = (self.expression(left, rows, depth + 1)?, self.expression(right, rows, depth + 1)?);
                Ok(format!("({left} {sign} {right})"))
            }
            _ => Err(self.refuse(term, "only integers, variables, `+`, `-` and `*` are computed in SQL")),
        }
    }

    /// Gives a term a value: a variable takes it, or must be equal to it.
    pub(super) fn equate(&self, term: NodeId, value: Value, rows: &mut Alternative) -> Result<(), Refusal> {
        let constant = match self.tree.node(term) {
            Node::Var(variable) => return self.unify(*variable, value, term, rows),
            _ => self.constant(term),
        };
        let Some(constant) = constant.filter(|_| !matches!(value.kind, ValueKind::Float | ValueKind::Proc)) else {
            return Err(self.refuse(term, "expected an integer, an atom, a string or a variable"));
        };
        let is_same = constant.kind == value.kind;
        rows.conditions.push(if is_same { format!("{} = {}", value.sql, constant.sql) } else { "FALSE".to_string() });
        Ok(())
    }

    /// The value of a term, if it has one.
    pub(super) fn value_of_term(&self, term: NodeId, rows: &Alternative) -> Option<Value> {
        match self.tree.node(term) {
            Node::Var(variable) => rows.value(*variable).cloned(),
            _ => self.constant(term),
        }
    }

    /// The value of an integer, an atom or a string.
    fn constant(&self, term: NodeId) -> Option<Value> {
        Some(match self.tree.node(term) {
            Node::Int(number) => Value::new(number.to_string(), ValueKind::Integer),
            Node::Atom(name) if matches!(name.as_str(), "true" | "false") => {
                return None;
            }
            Node::Atom(name) => Value::new(self.dialect.text(name.as_str()), ValueKind::Atom),
            Node::Str(text) => Value::new(self.dialect.text(text), ValueKind::Text),
            _ => return None,
        })
    }

    /// Makes two terms equal.
    pub(super) fn unify_terms(&self, left: NodeId, right: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        match (self.value_of_term(left, rows), self.value_of_term(right, rows)) {
            (_, Some(value)) => self.equate(left, value, rows),
            (Some(value), None) => self.equate(right, value, rows),
            (None, None) => Err(self.refuse(left, "neither side has a value here")),
        }
    }

    /// Gives a variable a value, or requires that it has the same one.
    pub(super) fn unify(&self, variable: u32, value: Value, at: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        let Some(known) = rows.value(variable) else {
            rows.values.push((variable, value));
            return Ok(());
        };
        if known.kind == ValueKind::Float || known.kind != value.kind {
            return Err(self.refuse(at, "values of different kinds, and floats, are not joined in SQL"));
        }
        let equal = format!("{} = {}", value.sql, known.sql);
        rows.conditions.push(equal);
        Ok(())
    }
}

/// The variables of a goal that have columns: their names and numbers.
pub(super) fn shown_variables(goal: &ReadTerm) -> impl Iterator<Item = (&String, u32)> {
    let all = goal.variables.iter().map(|(name, number, ..)| (name, *number));
    all.filter(|(name, _)| !name.starts_with('_'))
}

/// The sign of a comparison in SQL.
pub(super) fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::GreaterEqual => ">=",
        Comparison::Greater => ">",
    }
}
