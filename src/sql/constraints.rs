//! Constraints as conditions on columns.

use super::alternatives::{Alternative, Value, ValueKind};
use super::compile::{Compiler, Refusal, comparison_sign};
use crate::builtins::constraints::{OuterForm, ProcParts, UnreadForms, WrittenConstraint, argument, read};
use crate::engine::Comparison;
use crate::formats::{FolderAttribute, FolderColumn};
use crate::term::{Node, NodeId, Shape, View};
use crate::trace::AttributeId;

/// The attributes of the parts of a procedure pattern.
const PARTS: [&str; 5] = ["proc_type", "decl_module", "name", "arity", "mode_number"];
/// Forms that nest more deeply are refused.
const MOST_DEPTH: usize = 50;

impl Compiler<'_> {
    /// Adds the conditions of a list of constraints on the events of a table.
    pub(super) fn constrain(&mut self, list: NodeId, table: &str, rows: &mut Alternative) -> Result<(), Refusal> {
        let mut unread = UnreadForms::from_iter([(list, false)]);
        while let Some((term, is_negated)) = unread.pop() {
            let item = read(&self.tree, term, is_negated, &mut unread)
                .map_err(|_| self.refuse(term, "expected constraints such as `[port=exit, proc=queen/2]`"))?;
            if let Some(item) = item {
                self.add_constraint(item, table, rows)?;
            }
        }
        Ok(())
    }

    fn add_constraint(
        &mut self,
        item: WrittenConstraint<NodeId>,
        table: &str,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        if self.is_near
            && let Some(conditions) = self.near_conditions(&item, table)
        {
            rows.conditions.extend(conditions);
            return Ok(());
        }
        if argument(&self.tree, item.name).is_some() {
            return Err(self.refuse(item.name, "constraints on arguments are not compiled to SQL"));
        }
        let Shape::Atom(name) = self.tree.shape(item.name) else {
            return Err(self.refuse(item.name, "expected the name of an attribute"));
        };
        let trace = self.trace;
        let attribute = trace.attribute(name.as_str()).ok_or_else(|| {
            let names = trace.names().join(", ");
            self.refuse(item.name, &format!("the trace has no attribute `{name}`; it has {names}"))
        })?;
        let is_plain = item.comparison == Comparison::Equal && !item.is_negated;
        if let (Node::Var(_), true, "stack") = (self.tree.node(item.form), is_plain, attribute.name.as_str()) {
            return self.stack_of_event(item.form, table, rows);
        }
        if let (Node::Var(variable), true) = (self.tree.node(item.form), is_plain) {
            let value = self.value_of(attribute, table, item.name)?;
            rows.conditions.push(format!("{} IS NOT NULL", value.sql));
            return self.unify(*variable, value, item.form, rows);
        }
        if let (OuterForm::Proc(parts), true) = (self.outer(attribute, item.form), is_plain) {
            return self.constrain_parts(parts, table, rows);
        }
        let mut condition = match item.comparison {
            Comparison::Equal => self.form(attribute, item.form, table, 0)?,
            Comparison::NotEqual => self.negated(attribute, item.form, table, 0)?,
            comparison => self.compared(attribute, comparison, item.form, table)?,
        };
        if item.is_negated {
            condition = outside(&self.presence(attribute, table), &condition);
        }
        rows.conditions.push(condition);
        Ok(())
    }

    /// The conditions of a procedure pattern, whose parts may be variables.
    fn constrain_parts(&self, parts: ProcParts<NodeId>, table: &str, rows: &mut Alternative) -> Result<(), Refusal> {
        for (part, name) in parts.parts.into_iter().zip(PARTS) {
            let Some(part) = part else { continue };
            let attribute = self.part(name, part)?;
            if let Node::Var(variable) = self.tree.node(part) {
                let value = self.value_of(attribute, table, part)?;
                rows.conditions.push(format!("{} IS NOT NULL", value.sql));
                self.unify(*variable, value, part, rows)?;
            } else {
                rows.conditions.push(self.form(attribute, part, table, 0)?);
            }
        }
        Ok(())
    }

    fn part(&self, name: &str, at: NodeId) -> Result<&FolderAttribute, Refusal> {
        let why = || self.refuse(at, &format!("procedures of this trace have no `{name}` in columns of their own"));
        self.trace.attribute(name).ok_or_else(why)
    }

    /// The value of an attribute that has one column.
    fn value_of(&self, attribute: &FolderAttribute, table: &str, at: NodeId) -> Result<Value, Refusal> {
        let why = format!("variables for `{}` are not compiled to SQL", attribute.name);
        let ([column], Some(kind)) = (attribute.columns.as_slice(), attribute.columns.first().and_then(kind_of)) else {
            return Err(self.refuse(at, &why));
        };
        let mut value = Value::new(self.column(column, table), kind);
        if kind == ValueKind::Proc {
            let of_part = |name: &str| match self.trace.attribute(name).and_then(|part| part.columns.first()) {
                Some(part) => self.column(part, table),
                None if matches!(name, "arity" | "mode_number") => "CAST(NULL AS BIGINT)".to_string(),
                None => format!("CAST(NULL AS {})", self.dialect.text_type()),
            };
            value.parts = PARTS.map(of_part).to_vec();
        }
        Ok(value)
    }

    pub(super) fn column(&self, column: &FolderColumn, table: &str) -> String {
        let is_plain = column.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        match is_plain {
            true => format!("{table}.{}", column.name),
            false => format!("{table}.{}", self.dialect.name(&column.name)),
        }
    }

    /// The condition that an event has a value.
    fn presence(&self, attribute: &FolderAttribute, table: &str) -> String {
        let present = |column| format!("{} IS NOT NULL", self.column(column, table));
        any(attribute.columns.iter().map(present).collect())
    }

    fn outer(&self, attribute: &FolderAttribute, form: NodeId) -> OuterForm<NodeId> {
        let id = if attribute.kind == "proc" { AttributeId::PROC } else { AttributeId::NAME };
        OuterForm::of(&self.tree, id, form)
    }

    fn negated(&self, attribute: &FolderAttribute, form: NodeId, table: &str, depth: usize) -> Result<String, Refusal> {
        let inside = self.form(attribute, form, table, depth)?;
        Ok(outside(&self.presence(attribute, table), &inside))
    }

    /// The condition that an attribute satisfies a form.
    fn form(&self, attribute: &FolderAttribute, form: NodeId, table: &str, depth: usize) -> Result<String, Refusal> {
        if depth > MOST_DEPTH {
            return Err(self.refuse(form, "the form nests too deeply for SQL"));
        }
        if matches!(attribute.kind.as_str(), "goal_path" | "args" | "texts" | "computed") {
            let why = format!("constraints on `{}` are not compiled to SQL", attribute.name);
            return Err(self.refuse(form, &why));
        }
        match self.outer(attribute, form) {
            OuterForm::Any => Ok(self.presence(attribute, table)),
            OuterForm::Not(inner) => self.negated(attribute, inner, table, depth + 1),
            OuterForm::List => {
                let forms = self.elements(form)?;
                let conditions = forms.iter().map(|form| self.form(attribute, *form, table, depth + 1));
                Ok(any(conditions.collect::<Result<_, _>>()?))
            }
            OuterForm::Range(low, high) => {
                let low = self.compared(attribute, Comparison::GreaterEqual, low, table)?;
                let high = self.compared(attribute, Comparison::LessEqual, high, table)?;
                Ok(format!("({low} AND {high})"))
            }
            OuterForm::Matches(text) => self.matched(attribute, text, table),
            OuterForm::Proc(parts) => {
                let of_part = |(part, name): (Option<NodeId>, &str)| {
                    let part = part?;
                    let attribute = self.part(name, part);
                    Some(attribute.and_then(|attribute| self.form(attribute, part, table, depth + 1)))
                };
                let all: Vec<String> =
                    parts.parts.into_iter().zip(PARTS).filter_map(of_part).collect::<Result<_, _>>()?;
                Ok(format!("({})", all.join(" AND ")))
            }
            OuterForm::Value => self.equal(attribute, form, table),
            OuterForm::Variable(_) => Err(self.refuse(form, "a variable here is not compiled to SQL")),
        }
    }

    /// The columns of an attribute for forms: of a procedure, its name.
    fn columns<'f>(&'f self, attribute: &'f FolderAttribute, at: NodeId) -> Result<&'f [FolderColumn], Refusal> {
        let named = if attribute.kind == "proc" { self.part("name", at)? } else { attribute };
        let is_readable = |column: &FolderColumn| kind_of(column).is_some();
        match named.columns.iter().all(is_readable) {
            true => Ok(&named.columns),
            false => {
                let why =
                    format!("constraints on the terms and objects in `{}` are not compiled to SQL", attribute.name);
                Err(self.refuse(at, &why))
            }
        }
    }

    /// The condition that an attribute has this value.
    fn equal(&self, attribute: &FolderAttribute, form: NodeId, table: &str) -> Result<String, Refusal> {
        let columns = self.columns(attribute, form)?;
        let kinds: Vec<ValueKind> = columns.iter().filter_map(kind_of).collect();
        let is_mixed = kinds.contains(&ValueKind::Integer) && kinds.contains(&ValueKind::Float);
        let is_number = |kind| matches!(kind, ValueKind::Integer | ValueKind::Float);
        let of_kind = |wanted: &dyn Fn(ValueKind) -> bool, value: &str| -> Vec<String> {
            let columns = columns.iter().filter(|column| kind_of(column).is_some_and(wanted));
            columns.map(|column| format!("{} = {value}", self.column(column, table))).collect()
        };
        let is_text = |kind| matches!(kind, ValueKind::Atom | ValueKind::Text);
        Ok(any(match self.tree.node(form) {
            Node::Int(value) if is_mixed => of_kind(&|kind| kind == ValueKind::Integer, &value.to_string()),
            Node::Int(0) if kinds.contains(&ValueKind::Float) => {
                return Err(self.refuse(form, "zero among floats is not compiled to SQL: it may be negative there"));
            }
            Node::Int(value) => of_kind(&is_number, &value.to_string()),
            Node::Atom(name) => {
                let name = self.spelled(attribute, name.as_str(), form)?;
                let mut conditions = of_kind(&is_text, &self.dialect.text(&name));
                if matches!(name.as_str(), "true" | "false") {
                    conditions.extend(of_kind(&|kind| kind == ValueKind::Bool, &name));
                }
                conditions
            }
            Node::Str(text) => {
                let name = self.spelled(attribute, text, form)?;
                of_kind(&is_text, &self.dialect.text(&name))
            }
            _ => return Err(self.refuse(form, "only integers, atoms and strings are compiled to SQL here")),
        }))
    }

    /// The value that a word means in the format of the trace.
    fn spelled(&self, attribute: &FolderAttribute, word: &str, at: NodeId) -> Result<String, Refusal> {
        let Some(format) = self.trace.format() else { return Ok(word.to_string()) };
        if attribute.kind == "port" {
            return match format.ports.find(word) {
                Some(record) => Ok(record.name.to_string()),
                None if format.ports.is_closed() => {
                    Err(self.refuse(at, &format!("`{word}` is no port of {} traces", format.name)))
                }
                None => Ok(word.to_string()),
            };
        }
        let is_own =
            format.attributes.iter().any(|own| own.name == attribute.name && own.other_spellings().next().is_some());
        match attribute.name == "det" || is_own {
            true => Err(self.refuse(at, &format!("values of `{}` are not compiled to SQL", attribute.name))),
            false => Ok(word.to_string()),
        }
    }

    /// The condition that an attribute is a number on one side of another.
    fn compared(
        &self,
        attribute: &FolderAttribute,
        comparison: Comparison,
        form: NodeId,
        table: &str,
    ) -> Result<String, Refusal> {
        let bound = match self.tree.node(form) {
            Node::Int(value) => value.to_string(),
            _ => return Err(self.refuse(form, "only an integer is compiled to SQL here")),
        };
        let columns = self.columns(attribute, form)?.iter();
        let sign = comparison_sign(comparison);
        Ok(any(columns
            .filter_map(|column| {
                let value = self.column(column, table);
                match kind_of(column)? {
                    ValueKind::Integer => Some(format!("{value} {sign} {bound}")),
                    ValueKind::Float => Some(format!("({value} {sign} {bound} AND NOT isnan({value}))")),
                    _ => None,
                }
            })
            .collect()))
    }

    /// The condition that a regular expression matches a text; only those that mean the same everywhere.
    fn matched(&self, attribute: &FolderAttribute, pattern: NodeId, table: &str) -> Result<String, Refusal> {
        let text = match self.tree.shape(pattern) {
            Shape::Atom(name) => name.as_str().to_string(),
            Shape::Str(text) => text.to_string(),
            _ => return Err(self.refuse(pattern, "expected a regular expression as an atom or a string")),
        };
        let (start, rest) = text.strip_prefix('^').map_or(("", text.as_str()), |rest| ("^", rest));
        let (middle, end) = rest.strip_suffix('$').map_or((rest, ""), |rest| (rest, r"\z"));
        if !middle.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|')) {
            let why = "only letters, digits, `_`, `|`, `^` at the start and `$` at the end of a regular expression are \
                       compiled to SQL";
            return Err(self.refuse(pattern, why));
        }
        let pattern_text = format!("{start}{middle}{end}");
        let is_text = |column: &&FolderColumn| matches!(kind_of(column), Some(ValueKind::Atom | ValueKind::Text));
        let columns = self.columns(attribute, pattern)?.iter().filter(is_text);
        Ok(any(columns.map(|column| self.dialect.matches(&self.column(column, table), &pattern_text)).collect()))
    }

    /// The elements of a list.
    pub(super) fn elements(&self, list: NodeId) -> Result<Vec<NodeId>, Refusal> {
        let (mut elements, mut rest) = (Vec::new(), list);
        loop {
            match (self.tree.shape(rest), self.tree.args(rest)) {
                (Shape::Compound(crate::term::atoms::DOT, 2), &[first, more]) => {
                    elements.push(first);
                    rest = more;
                }
                (Shape::Atom(crate::term::atoms::NIL), _) => return Ok(elements),
                _ => return Err(self.refuse(list, "expected a list that ends")),
            }
        }
    }
}

/// One of several conditions.
pub(super) fn any(mut conditions: Vec<String>) -> String {
    match conditions.len() {
        0 => "FALSE".to_string(),
        1 => conditions.remove(0),
        _ => format!("({})", conditions.join(" OR ")),
    }
}

/// A value is there, and the condition is not true of it.
fn outside(presence: &str, condition: &str) -> String {
    format!("({presence} AND NOT COALESCE({condition}, FALSE))")
}

/// The kind of a column whose values can be compared in SQL as they are in papaver.
fn kind_of(column: &FolderColumn) -> Option<ValueKind> {
    Some(match column.kind.as_str() {
        "integer" => ValueKind::Integer,
        "float" => ValueKind::Float,
        "bool" => ValueKind::Bool,
        "atom" => ValueKind::Atom,
        "text" => ValueKind::Text,
        "proc" => ValueKind::Proc,
        _ => return None,
    })
}
