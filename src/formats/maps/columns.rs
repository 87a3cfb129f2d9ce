//! The attributes of the format, and those that a map adds.

use crate::formats::mapping::{JsonMap, Source};
use crate::trace::{AttributeId, BASE, OwnAttribute, TraceBuilder};

/// The attributes that maps can set.
pub(crate) const ATTRIBUTES: &[OwnAttribute] = &[
    OwnAttribute::new("time", "time of the event in nanoseconds"),
    OwnAttribute::new("pid", "process in which the event happened"),
    OwnAttribute::new("thread", "thread in which the event happened"),
];

/// The attributes that a map sets; none for those that it does not, and for those that are too many.
pub(super) struct MapAttributes {
    pub(super) time: Option<AttributeId>,
    pub(super) pid: Option<AttributeId>,
    pub(super) thread: Option<AttributeId>,
    /// Those of the columns.
    pub(super) columns: Vec<Option<AttributeId>>,
}

impl MapAttributes {
    pub(super) fn new(map: &JsonMap, builder: &mut TraceBuilder) -> MapAttributes {
        let mut standing =
            |source: &Option<Source>, name| source.as_ref().and_then(|_| builder.standing_attribute(name));
        MapAttributes {
            time: standing(&map.time, "time"),
            pid: standing(&map.pid, "pid"),
            thread: standing(&map.thread, "thread"),
            columns: map.columns.iter().map(|(name, _)| own(name, builder)).collect(),
        }
    }
}

/// The attribute of a column; a name that all formats use gets an underscore.
fn own(column: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
    let is_taken = ATTRIBUTES.iter().any(|own| own.name == column) || BASE.iter().any(|base| base.name == column);
    let id = if is_taken { builder.own_attribute(&format!("{column}_")) } else { builder.own_attribute(column) }?;
    builder.let_stand(id);
    Some(id)
}
