//! The stack of calls at an event: `stack(Stack)` and the attribute `stack`.

use super::alternatives::{Alternative, ListQuery, Template, ValueKind};
use super::compile::{Compiler, Refusal};
use crate::term::{Atom, Node, NodeId};

/// The words of the stack for types of procedures that have others.
const KINDS: [(&str, &str); 2] = [("predicate", "pred"), ("function", "func")];
/// The words of the stack for determinisms that have others.
const DETS: [(&str, &str); 2] = [("multidet", "multi"), ("cc_multidet", "cc_multi")];

impl Compiler<'_> {
    /// `stack(Stack)`: of the current event.
    pub(super) fn stack_of_cursor(&mut self, stack: NodeId, rows: &mut Alternative) -> Result<(), Refusal> {
        let Some(cursor) = rows.cursor.clone() else {
            rows.conditions.push("FALSE".to_string());
            return self.give_stack(stack, "CAST(NULL AS BIGINT)", rows);
        };
        let event = self.table('e');
        rows.tables.push(format!("events AS {event}"));
        rows.conditions.push(format!("{event}.chrono = {cursor}"));
        self.stack_of_event(stack, &event, rows)
    }

    /// The stack of the event of a table.
    pub(super) fn stack_of_event(&mut self, stack: NodeId, event: &str, rows: &mut Alternative) -> Result<(), Refusal> {
        let call = match self.trace.attribute("call").and_then(|call| call.columns.first()) {
            Some(column) => self.column(column, event),
            None => "CAST(NULL AS BIGINT)".to_string(),
        };
        self.give_stack(stack, &call, rows)
    }

    /// The list of a call and of those around it, the nearest first.
    fn give_stack(&mut self, stack: NodeId, call: &str, rows: &mut Alternative) -> Result<(), Refusal> {
        self.check_tree(stack)?;
        let mut around = Alternative::default();
        let outer = self.calls_on_stack(call, &mut around);
        let (trace, dialect) = (self.trace, self.dialect);
        let has = |name: &str| trace.attribute(name).is_some_and(|attribute| !attribute.columns.is_empty());
        let (text, integer) = (self.dialect.text_type(), "BIGINT");
        let null = |kind: &str| format!("CAST(NULL AS {kind})");
        let part = |name: &str, kind: &str| match has(name) {
            true => format!("{outer}.{name}"),
            false => null(kind),
        };
        let in_words = |value: String, words: &[(&str, &str)]| {
            let quoted = |text| dialect.text(text);
            let cases = words.iter().map(|(from, to)| format!("WHEN {} THEN {}", quoted(from), quoted(to)));
            format!("CASE {value} {} ELSE {value} END", cases.collect::<Vec<_>>().join(" "))
        };
        let (kind, module) = (part("proc_type", text), part("decl_module", text));
        let def_module = has("def_module").then(|| {
            let own = format!("{outer}.def_module");
            format!("CASE WHEN {own} IS DISTINCT FROM {module} THEN {own} END")
        });
        let det = if has("det") {
            let first = self.table('e');
            around.tables.push(format!("events AS {first}"));
            around.conditions.push(format!("{first}.chrono = {outer}.enter"));
            in_words(format!("{first}.det"), &DETS)
        } else {
            null(text)
        };
        let template = level(def_module.as_ref().map(|_| Atom::new("def_module")));
        let kind = if has("proc_type") { in_words(kind, &KINDS) } else { kind };
        let mut columns = vec![
            (format!("{outer}.enter"), ValueKind::Integer),
            (format!("{outer}.call"), ValueKind::Integer),
            (format!("{outer}.depth"), ValueKind::Integer),
            (kind, ValueKind::Atom),
            (module, ValueKind::Text),
            (format!("{outer}.name"), ValueKind::Text),
            (part("arity", integer), ValueKind::Integer),
            (part("mode_number", integer), ValueKind::Integer),
        ];
        columns.extend(def_module.map(|module| (module, ValueKind::Text)));
        columns.push((det, ValueKind::Text));
        let named = columns.iter().enumerate().map(|(number, (column, _))| format!("{column} AS v{}", number + 1));
        let selected = named.chain([format!("{outer}.tree_first")]).collect::<Vec<_>>().join(", ");
        let nearest = "ROW_NUMBER() OVER (ORDER BY tree_first DESC)";
        let query = ListQuery {
            template,
            rows: format!("SELECT *, {nearest} - 1 AS v0, {nearest} AS pos FROM ({})", around.select(&selected)),
            kinds: std::iter::once(ValueKind::Integer).chain(columns.iter().map(|(_, kind)| *kind)).collect(),
        };
        self.give_list(stack, query, rows)
    }
}

/// `[level(0), detail(2, 2, 2), pred, proc("queens", "data", 1, 0), def_module("m"), det("det")]`, with `-` for what the
/// trace does not state; `def_module`, if the trace has it, is there where it is not
/// the module of the procedure.
fn level(def_module: Option<Atom>) -> Template {
    let (integer, text) = (Template::Value(ValueKind::Integer), Template::ValueOrDash(ValueKind::Text));
    let number = Template::ValueOrDash(ValueKind::Integer);
    let compound = |name: &str, parts: Vec<Template>| Template::Compound(Atom::new(name), parts);
    let cell = |first: Template, rest: Template| compound(".", vec![first, rest]);
    let det = cell(compound("det", vec![text.clone()]), Template::Constant(Node::Atom(Atom::new("[]"))));
    let parts = [
        compound("level", vec![integer.clone()]),
        compound("detail", vec![integer.clone(), integer, number.clone()]),
        Template::ValueOrDash(ValueKind::Atom),
        compound("proc", vec![text.clone(), text, number.clone(), number]),
    ];
    let after_proc = match def_module {
        Some(name) => Template::FirstIfPresent(name, ValueKind::Text, Box::new(det)),
        None => det,
    };
    parts.into_iter().rev().fold(after_proc, |rest, part| cell(part, rest))
}
