//! Printing events and stacks, and what event lines show.

use std::sync::Arc;

use crate::builtins::arguments::atom;
use crate::builtins::io::write::written;
use crate::builtins::record::det;
use crate::builtins::trace::cursor::current_event;
use crate::builtins::trace::errors::trace;
use crate::engine::error::{existence_error, with_message};
use crate::engine::{Builtin, Cell, Stop, World};
use crate::output::{Display, cut, event_line, write_stack};
use crate::term::print::{Spacing, Style};
use crate::trace::{BASE, BaseAttribute, Trace};

use super::moves::print;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
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
        "Prints the current event with all its parts and every other attribute that it has, except its stack.",
        "goto_np(3), print_full_event",
        "true",
        print_full_event,
    ),
    det(
        "print_rest is semidet",
        "Writes what was cut from the last event line because it was too long for the screen.",
        "goto(3), print_rest",
        "false",
        print_rest,
    ),
    det(
        "toggle(+Attribute) is det",
        "Shows an attribute in event lines if it was hidden, and hides it if it was shown. An attribute that is not a part of every line appears at its end.",
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
        "print_displayed_attributes is det",
        "Prints the layout of event lines: the names of the parts that print_event/0 shows.",
        "print_displayed_attributes",
        "true",
        print_displayed_attributes,
    ),
    det(
        "print_full_displayed_attributes is det",
        "Prints the layout of the lines of print_full_event/0.",
        "print_full_displayed_attributes",
        "true",
        print_full_displayed_attributes,
    ),
    det(
        "write_trace(@Term) is det",
        "Writes a term with blanks after commas and around operators, as event lines have it, but without quotes.",
        "write_trace(f([1, 2], 3 - 8))",
        "true",
        write_trace,
    ),
    det(
        "$write_cut(@Term) is det",
        "Writes an argument as far as event lines show it.",
        "'$write_cut'([1, f(2)])",
        "true",
        write_cut,
    ),
    det(
        "list_attribute_aliases is det",
        "Prints the attributes, each with all names that it has: first those that Morphine searches for, then the others.",
        "list_attribute_aliases",
        "true",
        list_attribute_aliases,
    ),
];

/// Prints the line of the current event, if moves print and there is one.
pub(crate) fn show_event(world: &mut World) -> Result<(), Stop> {
    let trace = trace(world)?;
    match current_event(world) {
        Some(event) if world.prints_moves() => print(world, &trace, event),
        _ => Ok(()),
    }
}

fn print_full_event(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let line = event_line(&trace, event, &world.desk.display.full());
    world.output.write_str(&line)?;
    world.output.write_str("\n").map(|()| true)
}

fn print_rest(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let rest = world.desk.take_omitted();
    if rest.is_empty() {
        return Ok(false);
    }
    world.output.write_str(&format!("{rest}\n")).map(|()| true)
}

fn toggle(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    let toggled = world.desk.toggle_attribute(name.as_str());
    toggled
        .map(|()| true)
        .map_err(|error| with_message(existence_error(&world.store, "attribute", args[0]), &error.to_string()))
}

fn write_cut(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let style = Style { quoted: true, spacing: Spacing::Wide, priority: Some(999), ..Style::default() };
    let text = written(world, args[0], &style)?;
    let limits = world.desk.display.limits(world.desk.trace().map(|trace| &**trace));
    world.output.write_str(&cut(&text, limits)).map(|()| true)
}

fn write_trace(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let style = Style { number_vars: true, spacing: Spacing::Wide, ..Style::default() };
    let text = written(world, args[0], &style)?;
    world.output.write_str(&text).map(|()| true)
}

fn stack(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let mut text = String::new();
    write_stack(&mut text, &trace, event).expect("writing to a string cannot fail");
    world.output.write_str(&text).map(|()| true)
}

/// Attributes that Morphine's `fget` takes, in its order; it has more of them for `current`.
const SEARCHED: &[&str] = &[
    "chrono",
    "call",
    "depth",
    "port",
    "proc_type",
    "def_module",
    "decl_module",
    "name",
    "arity",
    "mode_number",
    "proc",
    "det",
    "goal_path",
];

fn list_attribute_aliases(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let is_searched = |row: &&BaseAttribute| SEARCHED.contains(&row.name);
    let mut searched: Vec<&BaseAttribute> = BASE.iter().filter(is_searched).collect();
    searched.sort_by_key(|row| SEARCHED.iter().position(|name| *name == row.name));
    let others: Vec<&BaseAttribute> = BASE.iter().filter(|row| !is_searched(row)).collect();
    let mut text = String::from("List of attribute aliases for fget/1 and current/1:\n");
    searched.into_iter().for_each(|row| text.push_str(&aliases(world, row)));
    text.push_str(
        "\nList of attribute aliases for current/1 (and here for fget/1 too, which in Morphine has none of them):\n",
    );
    others.into_iter().for_each(|row| text.push_str(&aliases(world, row)));
    world.output.write_str(&text).map(|()| true)
}

/// `               port: [port, p]`
fn aliases(world: &World, row: &BaseAttribute) -> String {
    let lacks = |trace: &Arc<Trace>| trace.n_events() > 0 && trace.schema().find(row.name).is_none();
    let mark = if world.desk.trace().is_some_and(lacks) { "  (not in this trace)" } else { "" };
    let names: Vec<&str> = std::iter::once(row.name).chain(row.aliases.iter().copied()).collect();
    format!("{:>19}: [{}]{mark}\n", row.name, names.join(", "))
}

fn print_displayed_attributes(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let display = world.desk.display.clone();
    print_layout(world, &display)
}

fn print_full_displayed_attributes(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let display = world.desk.display.full();
    print_layout(world, &display)
}

fn print_layout(world: &mut World, display: &Display) -> Result<bool, Stop> {
    let own = world.desk.trace().map_or(&[][..], |trace| trace.origin().shown);
    world.output.write_str(&(display.layout(own) + "\n")).map(|()| true)
}
