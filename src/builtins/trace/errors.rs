//! Errors for questions that make no sense for a trace; the messages suggest the nearest valid ones.

use std::sync::Arc;

use crate::engine::error::{domain_error, existence_error, type_error, with_message};
use crate::engine::{Cell, Stop, Store, World};
use crate::term::Atom;
use crate::trace::{AttributeType, ConstraintError, SchemaError, Trace, shown_names};

/// The trace that goals query.
pub(crate) fn trace(world: &World) -> Result<Arc<Trace>, Stop> {
    let missing = || {
        let error = existence_error(&world.store, "trace", Cell::atom(Atom::new("current")));
        with_message(error, "no trace is open")
    };
    world.trust_trace()?;
    world.desk.trace().cloned().ok_or_else(missing)
}

/// `prot = exit`, or `line_number = 3` where the trace has no line numbers.
pub(crate) fn no_attribute(store: &Store, name: Cell, error: &SchemaError) -> Stop {
    with_message(existence_error(store, "attribute", name), &schema_message(error))
}

fn schema_message(error: &SchemaError) -> String {
    match error {
        SchemaError::Unknown { name, nearest, recorded, has } => {
            let near = nearest.as_ref().map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
            format!("unknown attribute `{name}`{near}; this trace{recorded} has {}", shown_names(has))
        }
        SchemaError::Absent { .. } => error.to_string(),
    }
}

/// The error for a constraint that makes no sense for this trace; `form` is its form.
pub(crate) fn wrong_constraint(store: &Store, kind: AttributeType, form: Cell, error: &ConstraintError) -> Stop {
    match error {
        ConstraintError::Attribute(error) => no_attribute(store, form, error),
        ConstraintError::WrongType { .. } => with_message(type_error(store, kind_name(kind), form), &error.to_string()),
        ConstraintError::PartAbsent { part, .. } => {
            let part = Cell::atom(Atom::new(part));
            with_message(existence_error(store, "attribute", part), &error.to_string())
        }
        ConstraintError::UnknownWord { domain, found, .. } => {
            with_message(domain_error(store, domain, Cell::atom(Atom::new(found))), &error.to_string())
        }
        ConstraintError::Computed { .. } | ConstraintError::Malformed { .. } => {
            with_message(domain_error(store, "constraint", form), &error.to_string())
        }
    }
}

/// The word of a type in an error term.
pub(crate) fn kind_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::Integer => "integer",
        AttributeType::Name => "atom",
        AttributeType::Port => "port",
        AttributeType::Proc => "procedure",
        AttributeType::GoalPath => "goal_path",
        AttributeType::Args | AttributeType::Texts | AttributeType::Computed => "list",
        AttributeType::Any => "value",
    }
}
