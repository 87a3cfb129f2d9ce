//! The attributes of the format.

use crate::trace::{AttributeId, BASE, TraceBuilder};

attributes! {
    standing_attribute:
    index "index" "number of the state, from 0";
    changed "changed" "variables whose values differ from those of the state before, in order";
    in_loop "loop" "true for the states that a lasso repeats";
    next "next" "number of the next event; for the last state of a lasso that with which the loop goes on";
}

/// The attribute of a variable; none if there are too many.
pub(super) fn of_variable(name: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
    let is_taken = BASE.iter().any(|row| row.name == name) || ATTRIBUTES.iter().any(|own| own.name == name);
    match is_taken {
        true => builder.own_attribute(&format!("{name}_")),
        false => builder.own_attribute(name),
    }
}
