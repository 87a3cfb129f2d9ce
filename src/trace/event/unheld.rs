//! Columns that a trace of spans may lack without an error: an assertion on the tools of an agent also holds of a run
//! without tools.

use std::sync::{LazyLock, RwLock};

use super::schema::{Attribute, AttributeId, AttributeType};

/// The attributes that every trace of spans has, whether or not an event has a value.
const COLUMNS: &[&str] = &[
    "time",
    "parent",
    "trace",
    "span",
    "parent_span",
    "service",
    "scope",
    "scope_version",
    "decl_module",
    "duration",
    "kind",
    "status",
    "status_message",
    "trace_state",
    "remote",
    "lost",
    "moved",
    "to",
    "to_trace",
    "to_span",
    "args",
    "arg_names",
];

/// The attributes by which a trace of spans is known.
pub(super) const IDS: [&str; 2] = ["trace", "span"];

/// Whether a trace of spans may lack an attribute: one of all such traces, or a key of spans, which has dots.
pub(super) fn may_lack(name: &str) -> bool {
    name.contains('.') || COLUMNS.contains(&name)
}

/// The ids of such attributes count down from the greatest one; those of the attributes that a trace has count up.
pub(super) const LEAST: u16 = u16::MAX - (1 << 14);

/// The attributes that goals named, which no event had. Kept for the run of the program, as atoms are.
static NAMED: LazyLock<RwLock<Vec<&'static Attribute>>> = LazyLock::new(RwLock::default);

/// The id of an attribute that no event has; none if there are too many.
pub(super) fn id(name: &str) -> Option<AttributeId> {
    let known = |named: &[&Attribute]| named.iter().position(|attribute| *attribute.name == *name);
    let found = known(&NAMED.read().expect("no holder of this lock panics"));
    let index = found.unwrap_or_else(|| {
        let mut named = NAMED.write().expect("no holder of this lock panics");
        known(&named).unwrap_or_else(|| {
            named.push(Box::leak(Box::new(attribute_named(name))));
            named.len() - 1
        })
    });
    let id = u16::MAX.checked_sub(u16::try_from(index).ok()?)?;
    (id > LEAST).then_some(AttributeId(id))
}

fn attribute_named(name: &str) -> Attribute {
    let doc = "an attribute of spans that no event has";
    Attribute { name: name.into(), aliases: &[], kind: AttributeType::Any, doc, spellings: &[], unit: None }
}

/// The attribute with an id that [`id`] returned.
pub(super) fn attribute(id: AttributeId) -> Option<&'static Attribute> {
    let index = u16::MAX - id.0;
    NAMED.read().expect("no holder of this lock panics").get(usize::from(index)).copied()
}
