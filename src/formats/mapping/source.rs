//! Sources: where in a line a value stands, compiled from terms such as `outer/timestamp:rfc3339`.

use super::clauses::{ClauseTerm, MapError};
use crate::term::{Node, NodeId};
use crate::trace::nearest;

/// Places of a value; the first that is there counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) paths: Vec<SourcePath>,
}

/// A place of a value: where to begin, and the steps from there.
#[derive(Clone, Debug)]
pub(crate) struct SourcePath {
    pub(crate) root: SourceRoot,
    pub(crate) steps: Vec<SourceStep>,
    /// The number of the member to which the first step leads, if the path goes from a field to a key of its value.
    pub(crate) member: Option<usize>,
}

/// Where a path begins.
#[derive(Clone, Debug)]
pub(crate) enum SourceRoot {
    /// A field of the element, by its number in the table of the element.
    Field(usize),
    /// A field of the line, by its number in the table of the line.
    LineField(usize),
    /// The whole line.
    Line,
    /// The element, if it is no object and no array.
    Item,
    /// The fields that are not shown otherwise.
    Rest,
    Constant(Constant),
}

/// A step from one value to the next.
#[derive(Clone, Debug)]
pub(crate) enum SourceStep {
    /// The value of a key; of an array, those of all its elements.
    Key(Box<str>),
    /// An element, from 0.
    Nth(usize),
    /// The last element.
    Last,
    /// A text without its last part.
    Up(Box<str>),
    /// The value read as of a type.
    As(ValueType),
}

/// A constant of a map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Text(Box<str>),
    Int(i64),
    Float(f64),
}

/// The types as which a value can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// A date and time with `T` or a blank between, in nanoseconds.
    DateTime,
    /// A number or numeric text that counts a power of ten of nanoseconds.
    Time(u32),
    /// An integer.
    Int,
    /// A text that may be written as an array of its bytes.
    Bytes,
    /// A text that holds JSON.
    Json,
}

/// The types by their names in maps.
const TYPES: &[(&str, ValueType)] = &[
    ("rfc3339", ValueType::DateTime),
    ("date", ValueType::DateTime),
    ("s", ValueType::Time(9)),
    ("ms", ValueType::Time(6)),
    ("us", ValueType::Time(3)),
    ("ns", ValueType::Time(0)),
    ("int", ValueType::Int),
    ("bytes", ValueType::Bytes),
    ("json", ValueType::Json),
];

/// Keys of an object that are looked up, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldTable {
    pub(crate) keys: Vec<Box<str>>,
    /// Of each key, whether its whole value is shown, so that it does not belong to the rest.
    pub(crate) is_shown: Vec<bool>,
    /// Whether the other keys are needed.
    pub(crate) needs_rest: bool,
    /// Of each key, the members of its value that are looked up, if there are some.
    pub(crate) members: Vec<Vec<MemberKey>>,
    /// The number of all members.
    pub(crate) n_members: usize,
}

/// A key of the value of a field, with its number among those of all fields.
#[derive(Clone, Debug)]
pub(crate) struct MemberKey {
    pub(crate) key: Box<str>,
    pub(crate) number: usize,
}

impl FieldTable {
    /// The members of the value of a field that are looked up.
    pub(crate) fn members_of(&self, field: usize) -> &[MemberKey] {
        self.members.get(field).map_or(&[], Vec::as_slice)
    }

    /// The number of a member.
    fn member(&mut self, field: usize, key: &str) -> usize {
        self.members.resize_with(self.members.len().max(field + 1), Vec::new);
        let members = &mut self.members[field];
        if let Some(member) = members.iter().find(|member| *member.key == *key) {
            return member.number;
        }
        members.push(MemberKey { key: key.into(), number: self.n_members });
        self.n_members += 1;
        self.n_members - 1
    }

    fn number(&mut self, key: &str) -> usize {
        if let Some(number) = self.keys.iter().position(|known| **known == *key) {
            return number;
        }
        self.keys.push(key.into());
        self.is_shown.push(false);
        self.keys.len() - 1
    }
}

impl Source {
    /// The name of what the source gives: that of its first key.
    pub(crate) fn name(&self, lines: &FieldTable, elements: &FieldTable) -> Box<str> {
        let Some(path) = self.paths.first() else { return "".into() };
        let root = match &path.root {
            SourceRoot::Field(number) => elements.keys.get(*number).cloned(),
            SourceRoot::LineField(number) => lines.keys.get(*number).cloned(),
            SourceRoot::Line => Some("line".into()),
            SourceRoot::Item => Some("item".into()),
            SourceRoot::Rest => Some("rest".into()),
            SourceRoot::Constant(_) => Some("const".into()),
        };
        let keys = path.steps.iter().filter_map(|step| match step {
            SourceStep::Key(key) => Some(key.clone()),
            _ => None,
        });
        root.into_iter().chain(keys).collect::<Vec<_>>().join(".").into()
    }
}

/// Compiles the sources of one map.
pub(super) struct SourceCompiler {
    /// Whether elements of an array are events, so that their fields are not those of the line.
    pub(super) has_elements: bool,
    pub(super) lines: FieldTable,
    pub(super) elements: FieldTable,
}

/// The object to which a key without `outer` belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeysOf {
    Line,
    Element,
}

impl SourceCompiler {
    /// The source that a term describes; its values are shown, or they only decide something.
    pub(super) fn source(
        &mut self,
        term: ClauseTerm<'_>,
        id: NodeId,
        keys_of: KeysOf,
        is_shown: bool,
    ) -> Result<Source, MapError> {
        let mut source = Source::default();
        let mut open = vec![(id, Vec::new())];
        while let Some((id, suffix)) = open.pop() {
            let (leaf, steps) = steps_of(term, id, suffix)?;
            match term.list(leaf) {
                Some(elements) if elements.is_empty() => return Err(term.error(leaf, "expected a source, found `[]`")),
                Some(elements) => open.extend(elements.into_iter().rev().map(|element| (element, steps.clone()))),
                None => source.paths.push(self.path(term, leaf, steps, keys_of)?),
            }
        }
        if is_shown {
            source.paths.iter().for_each(|path| self.show(path));
        }
        Ok(source)
    }

    /// The path from a leaf, with the steps in the reverse of their order.
    fn path(
        &mut self,
        term: ClauseTerm<'_>,
        leaf: NodeId,
        mut steps: Vec<SourceStep>,
        keys_of: KeysOf,
    ) -> Result<SourcePath, MapError> {
        let root = match term.node(leaf) {
            Node::Atom(name) => match name.as_str() {
                "item" if self.has_elements => SourceRoot::Item,
                "rest" => self.rest(keys_of),
                "outer" => match steps.pop() {
                    Some(SourceStep::Key(key)) => self.line_field(&key),
                    other => {
                        steps.extend(other);
                        SourceRoot::Line
                    }
                },
                key => self.field(key, keys_of),
            },
            Node::Str(key) => self.field(key, keys_of),
            Node::Compound { .. } if term.is(leaf, "const", 1) => {
                SourceRoot::Constant(term.constant(term.args(leaf)[0])?)
            }
            _ => return Err(term.error(leaf, format!("expected a source, found {}", term.shown(leaf)))),
        };
        steps.reverse();
        let member = match (&root, steps.first()) {
            (SourceRoot::Field(field), Some(SourceStep::Key(key))) => Some(self.elements.member(*field, key)),
            (SourceRoot::LineField(field), Some(SourceStep::Key(key))) => Some(self.lines.member(*field, key)),
            _ => None,
        };
        Ok(SourcePath { root, steps, member })
    }

    fn rest(&mut self, keys_of: KeysOf) -> SourceRoot {
        let is_line = keys_of == KeysOf::Line || !self.has_elements;
        let table = if is_line { &mut self.lines } else { &mut self.elements };
        table.needs_rest = true;
        SourceRoot::Rest
    }

    fn field(&mut self, key: &str, keys_of: KeysOf) -> SourceRoot {
        match keys_of {
            KeysOf::Element if self.has_elements => SourceRoot::Field(self.elements.number(key)),
            _ => self.line_field(key),
        }
    }

    fn line_field(&mut self, key: &str) -> SourceRoot {
        SourceRoot::LineField(self.lines.number(key))
    }

    fn show(&mut self, path: &SourcePath) {
        let is_whole = path.steps.iter().all(|step| matches!(step, SourceStep::As(_)));
        match path.root {
            SourceRoot::Field(number) if is_whole => self.elements.is_shown[number] = true,
            SourceRoot::LineField(number) if is_whole => self.lines.is_shown[number] = true,
            _ => {}
        }
    }
}

/// The leaf at which a path begins, and its steps, the last one first.
fn steps_of(
    term: ClauseTerm<'_>,
    mut id: NodeId,
    mut steps: Vec<SourceStep>,
) -> Result<(NodeId, Vec<SourceStep>), MapError> {
    loop {
        let args = term.args(id);
        if term.is(id, "/", 2) {
            step_into(term, args[1], &mut steps)?;
        } else if term.is(id, ":", 2) {
            steps.push(SourceStep::As(value_type(term, args[1])?));
        } else if term.is(id, "last", 1) {
            steps.push(SourceStep::Last);
        } else if term.is(id, "up", 2) {
            steps.push(SourceStep::Up(term.text(args[1], "a separator")?));
        } else {
            return Ok((id, steps));
        }
        id = args[0];
    }
}

/// What stands after a `/`: a key or a number, which may have a type: `outer/timestamp:rfc3339`.
fn step_into(term: ClauseTerm<'_>, id: NodeId, steps: &mut Vec<SourceStep>) -> Result<(), MapError> {
    let typed = term.is(id, ":", 2);
    let key = if typed { term.args(id)[0] } else { id };
    if typed {
        steps.push(SourceStep::As(value_type(term, term.args(id)[1])?));
    }
    steps.push(match term.node(key) {
        Node::Int(number) => match usize::try_from(*number) {
            Ok(number) => SourceStep::Nth(number),
            Err(_) => return Err(term.error(key, "expected a number from 0")),
        },
        _ => SourceStep::Key(term.text(key, "a key or a number")?),
    });
    Ok(())
}

fn value_type(term: ClauseTerm<'_>, id: NodeId) -> Result<ValueType, MapError> {
    let name = term.text(id, "a type")?;
    let known = TYPES.iter().find(|(known, _)| **known == *name);
    known.map(|(_, value_type)| *value_type).ok_or_else(|| {
        let near = nearest(&name, TYPES.iter().map(|(name, _)| *name));
        let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        term.unknown(id, "type", &name, near, &names.join(" "))
    })
}
