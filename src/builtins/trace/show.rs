//! Printing events and stacks, and what event lines show.

use crate::builtins::arguments::atom;
use crate::builtins::record::det;
use crate::engine::error::{existence_error, with_message};
use crate::engine::{Builtin, Cell, Stop, World};
use crate::output::{Display, event_line, write_stack};
use crate::trace::BASE;

use super::errors::trace;
use super::moves::{current_event, print};

/// The records.
pub const TABLE: &[Builtin] = &[
    det(
        "print_event is semidet",
        "Prints the line of the current event.",
        "goto_np(3), print_event",
        "true",
        |world, _| {
            let trace = trace(world)?;
            match current_event(world) {
                Some(event) => print(world, &trace, event).map(|()| true),
                None => Ok(false),
            }
        },
    ),
    det(
        "print_full_event is semidet",
        "Prints the current event with all its parts.",
        "goto_np(3), print_full_event",
        "true",
        print_full_event,
    ),
    det(
        "toggle(+Attribute) is det",
        "Shows a part of event lines if it was hidden, and hides it if it was shown.",
        "toggle(det), toggle(deter)",
        "true",
        toggle,
    ),
    det(
        "stack is semidet",
        "Prints the current call and the calls around it, the nearest first.",
        "goto_np(14), stack",
        "true",
        stack,
    ),
    det(
        "list_attribute_aliases is det",
        "Prints the attributes with the other names that they have.",
        "list_attribute_aliases",
        "true",
        list_attribute_aliases,
    ),
];

fn print_full_event(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let mut display = Display::full();
    display.indent.clone_from(&world.display.indent);
    let line = event_line(&trace, event, &display);
    world.output.write_str(&line)?;
    world.output.write_str("\n").map(|()| true)
}

fn toggle(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    let toggled = world.display.toggle(name.as_str());
    toggled
        .map(|_| true)
        .map_err(|error| with_message(existence_error(&world.store, "attribute", args[0]), &error.to_string()))
}

fn stack(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let mut text = String::new();
    write_stack(&mut text, &trace, event).expect("writing to a string cannot fail");
    world.output.write_str(&text).map(|()| true)
}

fn list_attribute_aliases(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let mut text = String::new();
    for row in BASE.iter().filter(|row| !row.aliases.is_empty()) {
        let mark = if trace.schema().find(row.name).is_some() { "" } else { "  (not in this trace)" };
        text.push_str(&format!("{:>19}: [{}]{mark}\n", row.name, row.aliases.join(", ")));
    }
    world.output.write_str(&text).map(|()| true)
}
