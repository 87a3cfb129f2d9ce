//! The format's own columns: the attributes that it adds, and their values.

use super::printed_event::{OwnedPlace, PrintedEvent};
use super::variables;
use crate::trace::{AttributeId, Field, OwnAttribute, TraceBuilder};

/// The attributes that the format adds; a trace has those that its transcript shows.
pub(crate) const ATTRIBUTES: &[OwnAttribute] = &[
    OwnAttribute::new("user_event", "name of the user-defined event"),
    OwnAttribute::new("of_type", "type whose values are unified or compared"),
    OwnAttribute::new("context", "file and line of the event"),
    OwnAttribute::new("parent_context", "file and line of the call"),
    OwnAttribute::new("generator", "generator that numbers the event"),
];

/// The texts of the values that are terms.
pub(crate) struct OwnValues {
    vars: Option<String>,
    exception: Option<String>,
    result: Option<String>,
}

impl OwnValues {
    /// The terms of an event whose procedure has `n_args` arguments.
    pub(crate) fn of(event: &PrintedEvent, n_args: i64) -> OwnValues {
        OwnValues {
            vars: event.variables.as_deref().map(variables::list),
            exception: event.exception.as_deref().map(variables::term),
            result: event.result(n_args),
        }
    }

    /// The attributes that the event has, with their values.
    pub(crate) fn fields<'v>(
        &'v self,
        event: &'v PrintedEvent,
        builder: &mut TraceBuilder,
    ) -> Vec<(AttributeId, Field<'v>)> {
        let place = |place: &'v Option<OwnedPlace>| place.as_ref().map(|place| &*place.text);
        let values = [
            ("user_event", event.user_event.as_deref().map(Field::Atom)),
            ("of_type", event.proc.as_ref().and_then(|proc| proc.of_type.as_deref()).map(Field::Atom)),
            ("context", place(&event.context).map(Field::Atom)),
            ("parent_context", place(&event.parent).map(Field::Atom)),
            ("generator", event.generator.as_deref().map(Field::Atom)),
            ("vars", self.vars.as_deref().map(Field::Term)),
            ("exception", self.exception.as_deref().map(Field::Term)),
            ("result", self.result.as_deref().map(Field::Term)),
        ];
        let field = |(name, value): (&str, Option<Field<'v>>)| {
            let value = value?;
            Some((builder.attribute(name)?, value))
        };
        values.into_iter().filter_map(field).collect()
    }
}
