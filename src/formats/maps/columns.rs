//! The attributes of the format, and those that a map adds.

use crate::formats::mapping::{JsonMap, Source};
use crate::trace::{AttributeId, BASE, ListField, OwnAttribute, TraceBuilder};

/// The attributes that maps can set.
pub(crate) const ATTRIBUTES: &[OwnAttribute] = &[
    OwnAttribute::time("time", "time of the event in nanoseconds"),
    OwnAttribute::new("pid", "process in which the event happened"),
    OwnAttribute::new("thread", "thread in which the event happened"),
];

/// The attributes that a map sets, without those that are too many.
pub(super) struct MapAttributes<'m> {
    pub(super) time: Option<AttributeId>,
    /// All others, with what their values are read from.
    pub(super) others: Vec<(AttributeId, &'m Source)>,
}

impl<'m> MapAttributes<'m> {
    pub(super) fn new(map: &'m JsonMap, builder: &mut TraceBuilder) -> MapAttributes<'m> {
        let mut standing =
            |source: &'m Option<Source>, name| Some((source.as_ref()?, builder.standing_attribute(name)?));
        let time = standing(&map.time, "time").map(|(_, id)| id);
        let [pid, thread] = [standing(&map.pid, "pid"), standing(&map.thread, "thread")];
        let columns = map.columns.iter().filter_map(|(name, source)| Some((source, own(name, builder)?)));
        let others = pid.into_iter().chain(thread).chain(columns);
        MapAttributes { time, others: others.map(|(source, id)| (id, source)).collect() }
    }
}

/// The attribute of a column; a name that all formats use gets an underscore.
fn own(column: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
    let is_taken = ATTRIBUTES.iter().any(|own| own.name == column) || BASE.iter().any(|base| base.name == column);
    let id = if is_taken { builder.own_attribute(&format!("{column}_")) } else { builder.own_attribute(column) }?;
    builder.let_stand(id);
    Some(id)
}

/// Names of arguments, for each number of arguments that an event may have.
pub(super) struct ArgNames<'m>(Vec<FirstNames<'m>>);

/// The names of the first arguments.
enum FirstNames<'m> {
    /// As printed, as none of them has a character that separates or quotes.
    Plain(String),
    Any(Vec<Option<&'m str>>),
}

impl<'m> ArgNames<'m> {
    /// Those of a map.
    pub(super) fn of(map: &'m JsonMap) -> ArgNames<'m> {
        let names: Vec<&str> = map.args.iter().map(|(name, _)| &**name).collect();
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let of_first = |n_args: usize| match names[..n_args].iter().all(|name| name.chars().all(is_plain)) {
            true => FirstNames::Plain(names[..n_args].join(", ")),
            false => FirstNames::Any(names[..n_args].iter().copied().map(Some).collect()),
        };
        ArgNames((1..=names.len()).map(of_first).collect())
    }

    /// The names of this many arguments.
    pub(super) fn of_first(&self, n_args: usize) -> ListField<'_> {
        match n_args.checked_sub(1).and_then(|index| self.0.get(index)) {
            Some(FirstNames::Plain(names)) => ListField::Text(names),
            Some(FirstNames::Any(names)) => ListField::Parts(names),
            None => ListField::Absent,
        }
    }
}
