//! From a text of clauses `map(Name, What, ...)` to maps; errors name the file, the line and the column.

use std::sync::Arc;

use super::source::{KeysOf, Source, SourceCompiler, SourcePath, SourceStep, ValueType};
use super::{BoxKey, Comparison, Condition, Constant, FieldTable, JsonMap, PortTable};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::diagnostic::Source as MapText;
use crate::syntax::{ReadFlags, ReadTerm, Reader};
use crate::term::letters::excerpt;
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, atoms};
use crate::trace::nearest;

/// What a map may say, with the form of its clause.
const WHATS: &[(&str, &str)] = &[
    ("needs", "map(Name, needs, [Source, ...])"),
    ("time", "map(Name, time, Source:Type)"),
    ("port", "map(Name, port, Source, [Text-Port, ...])"),
    ("port_if", "map(Name, port_if, Source, Source)"),
    ("exception_if", "map(Name, exception_if, Source = Value)"),
    ("name", "map(Name, name, Source)"),
    ("module", "map(Name, module, Source)"),
    ("pid", "map(Name, pid, Source)"),
    ("thread", "map(Name, thread, Source)"),
    ("args", "map(Name, args, [Source, ...])"),
    ("column", "map(Name, column, Source)"),
    ("key", "map(Name, key, Source) or map(Name, key, key([Source, ...]))"),
    ("parent", "map(Name, parent, [Source, ...])"),
    ("nest", "map(Name, nest, Source)"),
    ("opens", "map(Name, opens, first)"),
    ("each", "map(Name, each, Source)"),
];

/// The comparisons of conditions.
const COMPARISONS: &[(&str, Comparison)] = &[
    ("=", Comparison::Equal),
    ("\\=", Comparison::Unequal),
    ("<", Comparison::Less),
    ("=<", Comparison::AtMost),
    (">", Comparison::Greater),
    (">=", Comparison::AtLeast),
];

/// Why a text is no map.
#[derive(Clone, Debug)]
pub(crate) struct MapError(Box<Diagnostic>);

impl std::fmt::Display for MapError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// A clause, while maps are made of it.
#[derive(Clone, Copy)]
pub(super) struct ClauseTerm<'c> {
    read: &'c ReadTerm,
    text: &'c Arc<MapText>,
}

/// The maps of a text, in the order of their first clauses; `name` is its path, for messages.
pub(crate) fn read_maps(name: &str, text: &str) -> Result<Vec<JsonMap>, MapError> {
    let source = MapText::new(name, text);
    let clauses = read_clauses(&source)?;
    let clauses: Vec<ClauseTerm<'_>> = clauses.iter().map(|read| ClauseTerm { read, text: &source }).collect();
    let mut maps: Vec<(Atom, Vec<ClauseTerm<'_>>)> = Vec::new();
    for clause in clauses {
        let name = clause.map_name()?;
        match maps.iter_mut().find(|(known, _)| *known == name) {
            Some((_, clauses)) => clauses.push(clause),
            None => maps.push((name, vec![clause])),
        }
    }
    if maps.is_empty() {
        let message = "expected clauses `map(Name, What, Source)`, found none";
        return Err(MapError(Box::new(Diagnostic::error(&source, Default::default(), message))));
    }
    maps.into_iter().map(|(name, clauses)| compile(name, &clauses)).collect()
}

fn read_clauses(source: &Arc<MapText>) -> Result<Vec<ReadTerm>, MapError> {
    let (operators, flags) = (OpTable::standard(), ReadFlags::default());
    let mut reader = Reader::new(&source.text);
    let mut clauses = Vec::new();
    loop {
        match reader.read(&operators, &flags) {
            Ok(Some(read)) => clauses.push(read),
            Ok(None) => return Ok(clauses),
            Err(error) => return Err(MapError(Box::new(Diagnostic::syntax(source, error)))),
        }
    }
}

/// The map that the clauses of a name describe.
fn compile(name: Atom, clauses: &[ClauseTerm<'_>]) -> Result<JsonMap, MapError> {
    let has_elements = clauses.iter().any(|clause| clause.what_is("each"));
    let mut compiler = SourceCompiler { has_elements, lines: FieldTable::default(), elements: FieldTable::default() };
    let mut map = JsonMap { name: name.as_str().into(), ..JsonMap::default() };
    for clause in clauses {
        clause.check_once(clauses)?;
        clause.add_to(&mut map, &mut compiler)?;
    }
    let Some(first) = clauses.first() else { return Ok(map) };
    if map.needs.is_empty() {
        let message = format!("the map `{}` has no clause `{}`", map.name, WHATS[0].1);
        return Err(first.error(first.root(), message));
    }
    if map.key.is_none() && (map.parent.is_some() || map.opens_at_first) {
        return Err(first.error(first.root(), format!("the map `{}` has boxes and no clause `key`", map.name)));
    }
    (map.line_fields, map.element_fields) = (compiler.lines, compiler.elements);
    Ok(map)
}

impl<'c> ClauseTerm<'c> {
    /// The name of the map that the clause belongs to.
    fn map_name(self) -> Result<Atom, MapError> {
        let root = self.root();
        let is_map = matches!(self.read.tree.functor(root), Some((name, 3..=5)) if name.as_str() == "map");
        if !is_map {
            let found = self.shown(root);
            return Err(self.error(root, format!("expected a clause `map(Name, What, Source)`, found {found}")));
        }
        match self.node(self.args(root)[0]) {
            Node::Atom(name) => Ok(*name),
            _ => Err(self.error(self.args(root)[0], "expected the name of a map, an atom")),
        }
    }

    fn what_is(self, what: &str) -> bool {
        self.args(self.root())
            .get(1)
            .is_some_and(|id| matches!(self.node(*id), Node::Atom(name) if name.as_str() == what))
    }

    /// Refuses a second clause about the same, of which only columns may have several.
    fn check_once(self, clauses: &[ClauseTerm<'_>]) -> Result<(), MapError> {
        let id = self.args(self.root())[1];
        let Node::Atom(what) = self.node(id) else { return Ok(()) };
        let is_same = |other: &&ClauseTerm<'_>| other.what_is(what.as_str());
        let first = clauses.iter().find(is_same).map(|other| other.read.span);
        if what.as_str() == "column" || first == Some(self.read.span) {
            return Ok(());
        }
        Err(self.error(id, format!("the map says `{}` twice", what.as_str())))
    }

    /// Adds what the clause says to its map.
    fn add_to(self, map: &mut JsonMap, compiler: &mut SourceCompiler) -> Result<(), MapError> {
        let args = self.args(self.root());
        let what = self.text(args[1], "a word such as `needs` or `time`")?;
        let values = &args[2..];
        self.check_form(&what, args[1], values.len())?;
        let value = values[0];
        match &*what {
            "needs" => map.needs = self.sources(compiler, value, KeysOf::Line, false)?,
            "each" => map.each = Some(compiler.source(self, value, KeysOf::Line, true)?),
            "time" => map.time = Some(self.time(compiler, value)?),
            "name" => map.event_name = Some(compiler.source(self, value, KeysOf::Element, true)?),
            "module" => map.module = Some(compiler.source(self, value, KeysOf::Element, true)?),
            "pid" => map.pid = Some(compiler.source(self, value, KeysOf::Element, true)?),
            "thread" => map.thread = Some(compiler.source(self, value, KeysOf::Element, true)?),
            "nest" => map.nest = Some(compiler.source(self, value, KeysOf::Element, false)?),
            "key" => map.key = Some(self.box_key(compiler, value)?),
            "parent" => map.parent = Some(self.parent(compiler, map, value)?),
            "opens" => map.opens_at_first = self.first(value)?,
            "port" => map.port = Some(self.port_table(compiler, values)?),
            "port_if" => map.port_if = self.each_source(compiler, values)?,
            "exception_if" => map.exception_if = Some(self.condition(compiler, value)?),
            "args" => map.args = self.named(compiler, value)?,
            _ => map.columns.extend(self.column(compiler, value)?),
        }
        Ok(())
    }

    /// Refuses an unknown word, and a clause with too few or too many arguments.
    fn check_form(self, what: &str, id: NodeId, n_values: usize) -> Result<(), MapError> {
        let Some((_, form)) = WHATS.iter().find(|(known, _)| *known == what) else {
            let near = nearest(what, WHATS.iter().map(|(known, _)| *known));
            let names: Vec<&str> = WHATS.iter().map(|(known, _)| *known).collect();
            return Err(self.unknown(id, "word", what, near, &names.join(" ")));
        };
        let is_right = match what {
            "port" => n_values <= 3,
            "port_if" => true,
            _ => n_values == 1,
        };
        if is_right { Ok(()) } else { Err(self.error(self.root(), format!("expected `{form}`"))) }
    }

    fn sources(
        self,
        compiler: &mut SourceCompiler,
        id: NodeId,
        keys_of: KeysOf,
        is_shown: bool,
    ) -> Result<Vec<Source>, MapError> {
        let elements = self.list(id).filter(|elements| !elements.is_empty());
        let elements = elements.ok_or_else(|| self.error(id, "expected a list of sources"))?;
        elements.into_iter().map(|element| compiler.source(self, element, keys_of, is_shown)).collect()
    }

    fn each_source(self, compiler: &mut SourceCompiler, ids: &[NodeId]) -> Result<Vec<Source>, MapError> {
        ids.iter().map(|id| compiler.source(self, *id, KeysOf::Element, false)).collect()
    }

    /// A source whose values are read as times.
    fn time(self, compiler: &mut SourceCompiler, id: NodeId) -> Result<Source, MapError> {
        let source = compiler.source(self, id, KeysOf::Element, true)?;
        let is_time = |path: &SourcePath| {
            matches!(path.steps.last(), Some(SourceStep::As(ValueType::DateTime | ValueType::Time(_))))
        };
        if source.paths.iter().all(is_time) {
            return Ok(source);
        }
        Err(self.error(id, "expected `Source:Type` with one of the types rfc3339 date s ms us ns"))
    }

    /// `key([A, B])`, a tuple, or a source.
    fn box_key(self, compiler: &mut SourceCompiler, id: NodeId) -> Result<BoxKey, MapError> {
        match self.is(id, "key", 1) {
            true => Ok(BoxKey::Tuple(self.sources(compiler, self.args(id)[0], KeysOf::Element, false)?)),
            false => Ok(BoxKey::Single(compiler.source(self, id, KeysOf::Element, false)?)),
        }
    }

    /// The key of the parent: a list stands for a tuple if keys are tuples.
    fn parent(self, compiler: &mut SourceCompiler, map: &JsonMap, id: NodeId) -> Result<BoxKey, MapError> {
        let Some(BoxKey::Tuple(key)) = &map.key else { return self.box_key(compiler, id) };
        let list = if self.is(id, "key", 1) { self.args(id)[0] } else { id };
        let parent = self.sources(compiler, list, KeysOf::Element, false)?;
        if parent.len() != key.len() {
            let message = format!("expected {} sources, as many as the key has, found {}", key.len(), parent.len());
            return Err(self.error(id, message));
        }
        Ok(BoxKey::Tuple(parent))
    }

    fn first(self, id: NodeId) -> Result<bool, MapError> {
        match self.node(id) {
            Node::Atom(name) if name.as_str() == "first" => Ok(true),
            _ => Err(self.error(id, format!("expected `first`, found {}", self.shown(id)))),
        }
    }

    /// `Source`, `Source, [Text-Port, ...]`, and `closed` after that.
    fn port_table(self, compiler: &mut SourceCompiler, values: &[NodeId]) -> Result<PortTable, MapError> {
        let source = compiler.source(self, values[0], KeysOf::Element, true)?;
        let ports = match values.get(1) {
            Some(id) => self.list(*id).ok_or_else(|| self.error(*id, "expected a list of `Text-Port`"))?,
            None => Vec::new(),
        };
        let ports = ports.into_iter().map(|pair| self.port_pair(pair)).collect::<Result<_, _>>()?;
        let is_closed = match values.get(2) {
            Some(id) if !matches!(self.node(*id), Node::Atom(name) if name.as_str() == "closed") => {
                return Err(self.error(*id, format!("expected `closed`, found {}", self.shown(*id))));
            }
            closed => closed.is_some(),
        };
        Ok(PortTable { source, ports, is_closed })
    }

    fn port_pair(self, id: NodeId) -> Result<(Box<str>, Box<str>), MapError> {
        if !self.is(id, "-", 2) {
            return Err(self.error(id, format!("expected `Text-Port`, found {}", self.shown(id))));
        }
        Ok((self.text(self.args(id)[0], "a text")?, self.text(self.args(id)[1], "a port")?))
    }

    fn condition(self, compiler: &mut SourceCompiler, id: NodeId) -> Result<Condition, MapError> {
        let known = COMPARISONS.iter().find(|(name, _)| self.is(id, name, 2));
        let Some((_, comparison)) = known else {
            let names: Vec<&str> = COMPARISONS.iter().map(|(name, _)| *name).collect();
            return Err(self.error(id, format!("expected a comparison by one of {}", names.join(" "))));
        };
        let source = compiler.source(self, self.args(id)[0], KeysOf::Element, false)?;
        Ok(Condition { source, comparison: *comparison, constant: self.constant(self.args(id)[1])? })
    }

    /// A list of sources or one, each with its name.
    fn named(self, compiler: &mut SourceCompiler, id: NodeId) -> Result<Vec<(Box<str>, Source)>, MapError> {
        let sources = match self.list(id) {
            Some(_) => self.sources(compiler, id, KeysOf::Element, true)?,
            None => vec![compiler.source(self, id, KeysOf::Element, true)?],
        };
        let name = |source: &Source| source.name(&compiler.lines, &compiler.elements);
        Ok(sources.into_iter().map(|source| (name(&source), source)).collect())
    }

    fn column(self, compiler: &mut SourceCompiler, id: NodeId) -> Result<Vec<(Box<str>, Source)>, MapError> {
        let source = compiler.source(self, id, KeysOf::Element, true)?;
        Ok(vec![(source.name(&compiler.lines, &compiler.elements), source)])
    }

    pub(super) fn root(self) -> NodeId {
        self.read.tree.root()
    }

    pub(super) fn node(self, id: NodeId) -> &'c Node {
        self.read.tree.node(id)
    }

    pub(super) fn args(self, id: NodeId) -> &'c [NodeId] {
        self.read.tree.args(id)
    }

    /// Whether a term has this name and number of arguments.
    pub(super) fn is(self, id: NodeId, name: &str, arity: usize) -> bool {
        let functor = self.read.tree.functor(id).filter(|_| matches!(self.node(id), Node::Compound { .. }));
        functor.is_some_and(|(functor, n_args)| functor.as_str() == name && n_args == arity)
    }

    /// The elements of a list.
    pub(super) fn list(self, mut id: NodeId) -> Option<Vec<NodeId>> {
        let mut elements = Vec::new();
        while self.is(id, atoms::DOT.as_str(), 2) {
            elements.push(self.args(id)[0]);
            id = self.args(id)[1];
        }
        matches!(self.node(id), Node::Atom(name) if *name == atoms::NIL).then_some(elements)
    }

    /// The text of an atom or a string.
    pub(super) fn text(self, id: NodeId, expected: &str) -> Result<Box<str>, MapError> {
        match self.node(id) {
            Node::Atom(name) => Ok(name.as_str().into()),
            Node::Str(text) => Ok(text.clone()),
            _ => Err(self.error(id, format!("expected {expected}, found {}", self.shown(id)))),
        }
    }

    pub(super) fn constant(self, id: NodeId) -> Result<Constant, MapError> {
        match self.node(id) {
            Node::Int(value) => Ok(Constant::Int(*value)),
            Node::Float(value) => Ok(Constant::Float(*value)),
            _ => self.text(id, "a text or a number").map(Constant::Text),
        }
    }

    /// A term as it is written, in backquotes.
    pub(super) fn shown(self, id: NodeId) -> String {
        let span = self.read.tree.span(id);
        excerpt(self.text.text.get(span.start as usize..span.end as usize).unwrap_or_default())
    }

    pub(super) fn error(self, id: NodeId, message: impl Into<String>) -> MapError {
        MapError(Box::new(Diagnostic::error(self.text, self.read.tree.span(id), message)))
    }

    /// The error of an unknown word, with the nearest of the known ones.
    pub(super) fn unknown(self, id: NodeId, kind: &str, name: &str, near: Option<&str>, all: &str) -> MapError {
        let hint = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        let mut error = self.error(id, format!("unknown {kind} `{name}`{hint}"));
        error.0.help = Some(format!("expected one of: {all}"));
        error
    }
}
