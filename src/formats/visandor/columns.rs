//! Handing events to the builder, with the attributes of the format.

use std::fmt::Write;

use super::kinds::Kind;
use super::line::Numbers;
use crate::formats::hex::Hex;
use crate::trace::{ArgsId, AttributeId, EventRow, Field, KeyId, ListField, PathId, ProcRow, TraceBuilder, ValueId};

/// What an event has beside its numbers.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub call: Option<i64>,
    pub depth: Option<i64>,
    pub path: Option<PathId>,
    /// Number of the fork.
    pub inst: Option<usize>,
    pub args: Option<ArgsId>,
    pub branch: Option<i64>,
    /// Number of tasks of the fork.
    pub tasks: Option<i64>,
    pub father: Option<i64>,
    /// Whether another agent made the fork.
    pub thief: Option<bool>,
    /// Time since the fork.
    pub wait: Option<i64>,
}

attributes! { time agent wam node inst branch tasks father thief wait }

/// The attributes of the format, and what was told of them before.
pub struct Columns {
    ids: Ids,
    /// The path of no task.
    pub root: PathId,
    keys: [Option<KeyId>; Kind::COUNT],
    truths: [Option<ValueId>; 2],
    scratch: String,
}

/// Numbers of the WAM and of the node of an event, as values.
#[derive(Clone, Copy, Debug)]
pub struct Identities {
    pub wam: ValueId,
    pub node: ValueId,
}

impl Columns {
    /// Declares the attributes.
    pub fn new(builder: &mut TraceBuilder) -> Columns {
        let (ids, root) = (Ids::new(builder), builder.path(&[]));
        Columns { ids, root, keys: [None; Kind::COUNT], truths: [None; 2], scratch: String::new() }
    }

    /// The number of a WAM as a value.
    pub fn wam(&self, wam: Hex<'_>, builder: &mut TraceBuilder) -> ValueId {
        builder.value(self.ids.wam, Field::Atom(wam.written()))
    }

    /// The number of an id of a node as a value.
    pub fn node(&self, node: Hex<'_>, builder: &mut TraceBuilder) -> ValueId {
        builder.value(self.ids.node, Field::Atom(node.written()))
    }

    /// Hands an event to the builder.
    pub fn push(
        &mut self,
        builder: &mut TraceBuilder,
        (kind, numbers): (Kind, &Numbers<'_>),
        identities: Identities,
        row: &Row,
        line: u64,
    ) {
        let event = EventRow {
            call: row.call,
            depth: row.depth,
            key: Some(self.key(kind, builder)),
            goal_path: if row.inst.is_some() { row.path } else { Some(self.root) },
            source_line: line,
            ..EventRow::default()
        };
        match row.args {
            Some(args) => builder.push(&EventRow { args: ListField::Known(args), ..event }),
            None => {
                self.scratch.clear();
                write!(self.scratch, "'{}', {}", numbers.node.written(), numbers.k)
                    .expect("writing to a string cannot fail");
                builder.push(&EventRow { args: ListField::Text(&self.scratch), ..event })
            }
        };
        self.extend(builder, numbers, identities, row);
    }

    /// Gives the last event the attributes of the format.
    fn extend(&mut self, builder: &mut TraceBuilder, numbers: &Numbers<'_>, identities: Identities, row: &Row) {
        let thief = row.thief.map(|thief| Field::Known(self.truth(thief, builder)));
        let ids = &self.ids;
        builder.extend_last(ids.time, Field::Int(numbers.time));
        builder.extend_last(ids.agent, Field::Int(numbers.agent));
        builder.extend_last(ids.wam, Field::Known(identities.wam));
        builder.extend_last(ids.node, Field::Known(identities.node));
        let numbers = [
            (ids.inst, row.inst.map(|inst| inst as i64)),
            (ids.branch, row.branch),
            (ids.tasks, row.tasks),
            (ids.father, row.father),
            (ids.wait, row.wait),
        ];
        for (id, number) in numbers {
            if let Some(number) = number {
                builder.extend_last(id, Field::Int(number));
            }
        }
        if let Some(thief) = thief {
            builder.extend_last(ids.thief, thief);
        }
    }

    fn key(&mut self, kind: Kind, builder: &mut TraceBuilder) -> KeyId {
        *self.keys[kind as usize].get_or_insert_with(|| {
            let (port, name) = kind.names();
            builder.key(&ProcRow { name: Some(name), arity: Some(2), ..ProcRow::default() }, Some(port), None)
        })
    }

    fn truth(&mut self, truth: bool, builder: &mut TraceBuilder) -> ValueId {
        *self.truths[usize::from(truth)]
            .get_or_insert_with(|| builder.value(self.ids.thief, Field::Atom(if truth { "true" } else { "false" })))
    }
}
