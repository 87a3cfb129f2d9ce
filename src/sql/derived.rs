//! Derived traces: the solutions of the goals that declare one, as the rows of its events.

use super::alternatives::{Alternative, Value, ValueKind, sort_keys};
use super::compile::{AskedTrace, Compiler, Refusal};
use super::dialect::Dialect;
use super::rules::DeclaredTrace;
use crate::formats::derived::{AttributeKind, ORIGIN, full_name};
use crate::formats::{FolderAttribute, FolderColumn, FolderTrace};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::{Atom, Node, NodeId, Span, atoms};
use crate::trace::AttributeId;

/// Traces that are derived from more others, one from the next, are refused.
const MOST_SOURCES: usize = 50;

/// A trace, with the queries for its rows.
pub(super) struct TraceTables {
    pub(super) trace: FolderTrace,
    pub(super) events: String,
    /// None if calls are those that events state not always.
    pub(super) calls: Option<String>,
    /// Whether the calls have numbers of a tree.
    pub(super) have_tree: bool,
}

/// The events of a derived trace: a query for their values, in their order.
pub(crate) struct DerivedEventsQuery {
    pub(crate) text: String,
    /// The attribute of each column, and what its values are.
    pub(crate) columns: Vec<(String, ValueKind)>,
    /// The derived trace from which it is derived; none if that is the trace of the folder.
    pub(crate) source: Option<Atom>,
}

/// The values that solutions give to an attribute.
struct Given {
    /// The full name.
    attribute: String,
    kind: AttributeKind,
    /// The value in each alternative; none where the event has none.
    values: Vec<GivenValue>,
}

#[derive(Clone)]
enum GivenValue {
    Absent,
    Sql(Value),
    /// It cannot be said in SQL.
    Unsaid,
}

impl TraceTables {
    /// The tables of the trace that a goal is put to.
    pub(super) fn of(asked: &AskedTrace<'_>) -> Result<TraceTables, Refusal> {
        match asked.on {
            None => Ok(TraceTables::of_folder(asked)),
            Some(name) => Derivation::of(asked, name).map(|derivation| derivation.tables(asked.dialect)),
        }
    }

    fn of_folder(asked: &AskedTrace<'_>) -> TraceTables {
        let AskedTrace { trace, path, dialect, .. } = *asked;
        TraceTables {
            trace: trace.clone(),
            events: dialect.rows(path, &trace.event_files, trace),
            calls: Some(dialect.rows(path, &trace.call_files, trace)),
            have_tree: true,
        }
    }
}

/// The query for the events of a derived trace; an error unless all values of its attributes have SQL.
pub(crate) fn derived_events(asked: &AskedTrace<'_>, name: Atom) -> Result<DerivedEventsQuery, Refusal> {
    let derivation = Derivation::of(asked, name)?;
    if let Some(given) = derivation.given.iter().find(|given| !given.is_said()) {
        return Err(refuse_whole(name, &format!("the values of `{}` in `{name}` have no SQL", given.attribute)));
    }
    let columns = derivation.columns();
    let names: Vec<String> = columns.iter().map(|column| asked.dialect.name(&column.name)).collect();
    let text = format!("SELECT {} FROM (\n{}\n)\nORDER BY chrono", names.join(", "), derivation.events(asked.dialect));
    let columns = columns.iter().map(|column| (column.given.attribute.clone(), column.kind)).collect();
    Ok(DerivedEventsQuery { text, columns, source: derivation.source })
}

/// The error that a derived trace has no SQL.
fn refuse_whole(name: Atom, why: &str) -> Refusal {
    let source = Source::new("--on", name.as_str());
    let whole = Span { start: 0, end: source.text.len() as u32 };
    Box::new(Diagnostic::error(&source, whole, why))
}

/// The solutions of the goals that declare a derived trace.
struct Derivation {
    given: Vec<Given>,
    /// The text with the tables that the solutions are selected from.
    with: String,
    alternatives: Vec<Alternative>,
    source: Option<Atom>,
}

/// The column of the values of one kind.
struct GivenColumn<'d> {
    given: &'d Given,
    kind: ValueKind,
    name: String,
}

impl Derivation {
    /// The solutions for the trace with a name.
    fn of(asked: &AskedTrace<'_>, name: Atom) -> Result<Derivation, Refusal> {
        let mut chain: Vec<(Atom, &DeclaredTrace)> = Vec::new();
        let mut next = Some(name);
        while let Some(name) = next {
            let Some(declared) = asked.rules.derived(name) else {
                let why = format!("no script that is loaded declares the derived trace `{name}`");
                return Err(refuse_whole(name, &why));
            };
            if chain.iter().any(|(known, _)| *known == name) {
                return Err(refuse_whole(name, &format!("the trace `{name}` is derived from itself")));
            }
            if chain.len() == MOST_SOURCES {
                return Err(refuse_whole(name, "the trace is derived from too many others for SQL"));
            }
            chain.push((name, declared));
            next = declared.source;
        }
        let mut source = TraceTables::of_folder(asked);
        for (_, declared) in chain[1..].iter().rev() {
            source = Derivation::declared(asked, declared, &source)?.tables(asked.dialect);
        }
        Derivation::declared(asked, chain[0].1, &source)
    }

    /// The solutions of declarations on the trace with these tables.
    fn declared(asked: &AskedTrace<'_>, declared: &DeclaredTrace, source: &TraceTables) -> Result<Derivation, Refusal> {
        let mut compiler = Compiler::new(asked, source);
        let port = AttributeKind::Name(AttributeId::PORT);
        let mut given = vec![Given { attribute: "port".to_string(), kind: port, values: Vec::new() }];
        let mut alternatives: Vec<Alternative> = Vec::new();
        for (number, declaration) in declared.declarations.iter().enumerate() {
            let (attributes, goal) = compiler.declaration(declaration);
            let pairs = compiler.attributes(attributes)?;
            let mut start = Alternative::default();
            if declared.declarations.len() > 1 {
                start.sort_by(number.to_string());
            }
            for rows in compiler.goal(goal, vec![start], 0)? {
                for (attribute, kind, term) in &pairs {
                    let value = compiler.given(*kind, *term, &rows)?;
                    let known = given.iter().position(|given| given.attribute == *attribute).unwrap_or_else(|| {
                        given.push(Given { attribute: attribute.clone(), kind: *kind, values: Vec::new() });
                        given.len() - 1
                    });
                    given[known].fill(alternatives.len(), asked.dialect);
                    given[known].values.push(value);
                }
                alternatives.push(rows);
            }
        }
        given.iter_mut().for_each(|given| given.fill(alternatives.len(), asked.dialect));
        Ok(Derivation { given, with: compiler.with_tables(source), alternatives, source: declared.source })
    }

    fn columns(&self) -> Vec<GivenColumn<'_>> {
        let mut columns: Vec<GivenColumn<'_>> = Vec::new();
        for (number, given) in self.given.iter().enumerate().filter(|(_, given)| given.is_said()) {
            let is_plain = given.attribute.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            for (nth, kind) in given.kinds().into_iter().enumerate() {
                let name = match (is_plain, nth) {
                    (true, 0) => given.attribute.clone(),
                    _ => format!("{}_{number}_{nth}", if is_plain { &given.attribute } else { "attribute" }),
                };
                columns.push(GivenColumn { given, kind, name });
            }
        }
        columns
    }

    /// The query for the rows of the events.
    fn events(&self, dialect: Dialect) -> String {
        let columns = self.columns();
        let names: Vec<String> = columns.iter().map(|column| dialect.name(&column.name)).collect();
        let keys = sort_keys(&self.alternatives, dialect);
        let n_keys = keys.first().map_or(0, Vec::len);
        let order: Vec<String> = (0..n_keys).map(|key| format!("order_{key}")).collect();
        let select = |(number, (rows, keys)): (usize, (&Alternative, &Vec<String>))| {
            let value = |column: &GivenColumn<'_>| match &column.given.values[number] {
                GivenValue::Sql(value) if value.kind == column.kind => value.sql.clone(),
                _ => format!("CAST(NULL AS {})", dialect.type_of(column.kind)),
            };
            let values = columns.iter().map(value).zip(&names);
            let all = values.chain(keys.iter().cloned().zip(&order)).map(|(value, name)| format!("{value} AS {name}"));
            rows.select(&all.collect::<Vec<_>>().join(", "))
        };
        let selects: Vec<String> = self.alternatives.iter().zip(&keys).enumerate().map(select).collect();
        let selects = if selects.is_empty() {
            let none = columns
                .iter()
                .zip(&names)
                .map(|(column, name)| format!("CAST(NULL AS {}) AS {name}", dialect.type_of(column.kind)));
            format!("SELECT {} WHERE FALSE", none.collect::<Vec<_>>().join(", "))
        } else {
            selects.join("\nUNION ALL\n")
        };
        let order: Vec<String> = std::iter::once(ORIGIN.to_string()).chain(order).collect();
        let number = format!("ROW_NUMBER() OVER (ORDER BY {})", order.join(", "));
        format!("{}\nSELECT {number} AS chrono, {} FROM (\n{selects}\n)", self.with, names.join(", "))
    }

    /// The trace, with the queries for its rows.
    fn tables(&self, dialect: Dialect) -> TraceTables {
        let columns = self.columns();
        let integer = |name: &str| FolderColumn { name: name.to_string(), kind: "integer".to_string(), index: None };
        let mut attributes = vec![FolderAttribute::new("chrono", "integer", vec![integer("chrono")])];
        let has_procedures = self.given.iter().any(|given| given.kind == AttributeKind::Procedure);
        for given in &self.given {
            let stands = given.stands() && !(has_procedures && given.is_part_of_procedure());
            let own = columns.iter().filter(|column| stands && column.given.attribute == given.attribute);
            let own = own.map(|GivenColumn { kind, name, .. }| FolderColumn {
                name: name.clone(),
                kind: word(*kind).to_string(),
                index: None,
            });
            let kind = if stands || has_no_columns(given.kind) { type_word(given.kind) } else { "computed" };
            attributes.push(FolderAttribute::new(&given.attribute, kind, own.collect()));
        }
        // what follows from the other attributes
        for (name, kind) in [("call", "computed"), ("depth", "computed"), ("proc", "proc"), ("stack", "computed")] {
            if !attributes.iter().any(|known| known.name == name) {
                attributes.push(FolderAttribute::new(name, kind, Vec::new()));
            }
        }
        let has_calls = attributes.iter().any(|attribute| attribute.name == "call" && !attribute.columns.is_empty());
        let calls = "SELECT call, MIN(chrono) AS enter, MAX(chrono) AS leave FROM events GROUP BY call";
        TraceTables {
            trace: FolderTrace::of_attributes(attributes),
            events: self.events(dialect),
            calls: has_calls.then(|| calls.to_string()),
            have_tree: false,
        }
    }
}

impl Given {
    /// Says that the alternatives before one give no values but those that are known.
    fn fill(&mut self, n_alternatives: usize, dialect: Dialect) {
        let absent = absent(self.kind, dialect);
        self.values.resize(n_alternatives, absent);
    }

    /// Whether all values can be said in SQL.
    fn is_said(&self) -> bool {
        !self.values.iter().any(|value| matches!(value, GivenValue::Unsaid))
    }

    /// The kinds of its values.
    fn kinds(&self) -> Vec<ValueKind> {
        let mut kinds = Vec::new();
        for value in &self.values {
            if let GivenValue::Sql(value) = value
                && !kinds.contains(&value.kind)
            {
                kinds.push(value.kind);
            }
        }
        kinds
    }

    /// Whether a procedure that is given as a whole replaces it.
    fn is_part_of_procedure(&self) -> bool {
        use AttributeId as Id;
        match self.kind {
            AttributeKind::Name(id) => id != Id::PORT,
            AttributeKind::Integer(id) => id == Id::MODE_NUMBER,
            _ => false,
        }
    }

    /// Whether the events of the trace have the values that are given, whatever the other ones.
    fn stands(&self) -> bool {
        use AttributeId as Id;
        let is_always = || self.values.iter().all(|value| matches!(value, GivenValue::Sql(_)));
        self.is_said()
            && match self.kind {
                AttributeKind::Integer(Id::DEPTH) | AttributeKind::Call(Id::CALL) => is_always(),
                AttributeKind::Call(_) | AttributeKind::Integer(Id::ARITY) => false,
                _ => true,
            }
    }
}

/// The word for the type of an attribute of a folder.
fn type_word(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::Origin | AttributeKind::Integer(_) | AttributeKind::Call(_) => "integer",
        AttributeKind::Name(AttributeId::PORT) => "port",
        AttributeKind::Name(_) => "name",
        AttributeKind::Procedure => "proc",
        AttributeKind::Path => "goal_path",
        AttributeKind::Terms => "args",
        AttributeKind::Texts(_) => "texts",
        AttributeKind::Variables(_) => "computed",
        AttributeKind::Own => "any",
    }
}

/// Whether constraints on an attribute have no SQL, or are those of its parts.
fn has_no_columns(kind: AttributeKind) -> bool {
    use AttributeKind as Kind;
    matches!(kind, Kind::Procedure | Kind::Path | Kind::Terms | Kind::Texts(_))
}

/// The word for the kind of a column of a folder.
fn word(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Integer => "integer",
        ValueKind::Float => "float",
        ValueKind::Bool => "bool",
        ValueKind::Atom => "atom",
        ValueKind::Text => "text",
        ValueKind::Proc => "proc",
        ValueKind::List(_) => "list",
    }
}

impl Dialect {
    fn type_of(self, kind: ValueKind) -> &'static str {
        match kind {
            ValueKind::Integer => "BIGINT",
            ValueKind::Float => "DOUBLE",
            ValueKind::Bool => "BOOLEAN",
            ValueKind::Atom | ValueKind::Text | ValueKind::Proc | ValueKind::List(_) => self.text_type(),
        }
    }
}

impl Compiler<'_> {
    /// The attributes of a declaration: the full name of each, its kind, and the term of its value.
    fn attributes(&self, list: NodeId) -> Result<Vec<(String, AttributeKind, NodeId)>, Refusal> {
        let mut attributes = Vec::new();
        for item in self.elements(list)? {
            let (name, value) = match (self.functor(item), self.tree.args(item)) {
                (Some(("=", 2)), &[name, value]) => (self.functor(name).filter(|(_, arity)| *arity == 0), value),
                _ => (None, item),
            };
            let kind = name.and_then(|(name, _)| Some((full_name(name), AttributeKind::of(full_name(name))?)));
            let (name, kind) = kind.ok_or_else(|| self.refuse(item, "expected an attribute that a rule can give"))?;
            attributes.push((name.to_string(), kind, value));
        }
        match attributes.iter().any(|(name, ..)| name == ORIGIN) {
            true => Ok(attributes),
            false => Err(self.refuse(list, "expected the attribute `origin`")),
        }
    }

    /// The value that a solution gives to an attribute.
    fn given(&self, kind: AttributeKind, term: NodeId, rows: &Alternative) -> Result<GivenValue, Refusal> {
        use ValueKind as Kind;
        let value = match self.tree.node(term) {
            // constraints read these as truth values, too
            Node::Atom(name @ (atoms::TRUE | atoms::FALSE)) => {
                Some(Value::new(self.dialect.text(name.as_str()), Kind::Atom))
            }
            _ => self.value_of_term(term, rows),
        };
        let is_variable = matches!(self.tree.node(term), Node::Var(_));
        let Some(value) = value else {
            return match kind {
                AttributeKind::Origin => Err(self.refuse(term, "expected the number of an event")),
                _ if is_variable => Ok(absent(kind, self.dialect)),
                _ => Ok(GivenValue::Unsaid),
            };
        };
        let sql = value.sql.as_str();
        Ok(match (kind, value.kind) {
            (AttributeKind::Origin, Kind::Integer) if sql.ends_with(".chrono") => GivenValue::Sql(value),
            (AttributeKind::Origin, Kind::Integer) => {
                let place = self.source(term).place(self.tree.span(term).start);
                let missing =
                    self.dialect.error(&format!("{place}: there is no event with the number that `origin` has"));
                let found = format!("(SELECT count(*) FROM events AS e0 WHERE e0.chrono = {sql}) > 0");
                GivenValue::Sql(Value::new(format!("CASE WHEN {found} THEN {sql} ELSE {missing} END"), Kind::Integer))
            }
            (AttributeKind::Integer(_) | AttributeKind::Call(_), Kind::Integer)
            | (AttributeKind::Own, Kind::Integer | Kind::Float | Kind::Atom | Kind::Text) => GivenValue::Sql(value),
            (AttributeKind::Own, Kind::Bool) => {
                GivenValue::Sql(Value::new(format!("CASE WHEN {sql} THEN 'true' ELSE 'false' END"), Kind::Atom))
            }
            (AttributeKind::Name(_), Kind::Atom | Kind::Text) => GivenValue::Sql(Value::new(sql, Kind::Atom)),
            (AttributeKind::Origin | AttributeKind::Integer(_) | AttributeKind::Name(_), _)
            | (AttributeKind::Call(_), Kind::Float | Kind::Bool) => {
                return Err(self.refuse(term, &format!("expected {}", kind.expected())));
            }
            _ => GivenValue::Unsaid,
        })
    }
}

/// What an event has that is given no value of an attribute.
fn absent(kind: AttributeKind, dialect: Dialect) -> GivenValue {
    match kind {
        AttributeKind::Name(AttributeId::PORT) => GivenValue::Sql(Value::new(dialect.text("event"), ValueKind::Atom)),
        _ => GivenValue::Absent,
    }
}
