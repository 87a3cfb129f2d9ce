//! The streams: standard input, output and error, known by their aliases. No others can be opened.

use crate::builtins::arguments::{atom, is_var, list};
use crate::builtins::record::{det, iso};
use crate::engine::error::{
    domain_error, existence_error, instantiation_error, permission_error, uninstantiation_error, with_message,
};
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::term::Atom;

use super::write::Sink;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    iso(det(
        "current_output(-Stream) is det",
        "The stream that output goes to.",
        "current_output(S)",
        "S = user_output",
        current_output,
    )),
    iso(det(
        "current_input(-Stream) is det",
        "The stream that terms are read from.",
        "current_input(S)",
        "S = user_input",
        current_input,
    )),
    iso(det(
        "set_output(+Stream) is det",
        "Chooses where output goes: user_output only.",
        "set_output(user_output)",
        "true",
        set_output,
    )),
    iso(det(
        "set_input(+Stream) is det",
        "Chooses where terms are read from: user_input only.",
        "set_input(user_input)",
        "true",
        set_input,
    )),
    iso(det(
        "open(+File, +Mode, -Stream) is det",
        "As open/4 without options.",
        "open(f, read, S)",
        "error: permission_error(open, source_sink, f)",
        open_3,
    )),
    iso(det(
        "open(+File, +Mode, -Stream, +Options) is det",
        "Always an error: no script reads or writes files.",
        "open(f, write, S, [])",
        "error: permission_error(open, source_sink, f)",
        open,
    )),
    iso(det(
        "close(+Stream) is det",
        "Does nothing to the standard streams, which stay open.",
        "close(user_output)",
        "true",
        close,
    )),
    iso(det("close(+Stream, +Options) is det", "As close/1.", "close(user_output, [force(true)])", "true", close_2)),
];

fn current_output(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    current(world, args[0], "user_output")
}

fn current_input(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    current(world, args[0], "user_input")
}

/// Unifies an argument with the stream `name`; an error if the argument cannot be a stream.
fn current(world: &mut World, stream: Cell, name: &str) -> Result<bool, Stop> {
    if !is_var(&world.store, stream) && known(world, stream).is_none() {
        return Err(domain_error(&world.store, "stream", stream));
    }
    Ok(world.store.unify(stream, Cell::atom(Atom::new(name))))
}

/// The stream whose alias a term is.
fn known(world: &World, stream: Cell) -> Option<Atom> {
    match world.store.look(stream) {
        Term::Atom(name) => ["user_input", "user_output", "user_error"].contains(&name.as_str()).then_some(name),
        _ => None,
    }
}

/// The alias of a stream argument, or the error for an argument that is not a stream.
fn stream(world: &World, stream: Cell) -> Result<Atom, Stop> {
    let store = &world.store;
    match store.look(stream) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(_) => known(world, stream).ok_or_else(|| existence_error(store, "stream", stream)),
        _ => Err(domain_error(store, "stream_or_alias", stream)),
    }
}

fn set_output(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    match Sink::of(world, args[0]) {
        Ok(Sink::Output) => Ok(true),
        Ok(Sink::Error) => Err(unsupported(permission_error(&world.store, "output", "stream", args[0]))),
        Err(_) if known(world, args[0]).is_some() => Err(permission_error(&world.store, "output", "stream", args[0])),
        Err(error) => Err(error),
    }
}

fn set_input(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    match stream(world, args[0])?.as_str() {
        "user_input" => Ok(true),
        _ => Err(permission_error(&world.store, "input", "stream", args[0])),
    }
}

fn close(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    stream(world, args[0])?;
    world.output.flush()?;
    Ok(true)
}

fn close_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    for option in list(&world.store, args[1])? {
        check_option(world, option, "close_option", &[("force", &["true", "false"])])?;
    }
    close(world, args)
}

fn open_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    open(world, &[args[0], args[1], args[2], Cell::NIL])
}

/// Raises the errors of ISO 8.11.5.3 for wrong arguments; for valid ones, a permission error.
fn open(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    if is_var(store, args[0]) || is_var(store, args[1]) {
        return Err(instantiation_error());
    }
    let mode = atom(store, args[1])?;
    let options = list(store, args[3])?;
    if !is_var(store, args[2]) {
        return Err(uninstantiation_error(store, args[2]));
    }
    if !matches!(store.look(args[0]), Term::Atom(_) | Term::Str(_)) {
        return Err(domain_error(store, "source_sink", args[0]));
    }
    if !["read", "write", "append"].contains(&mode.as_str()) {
        return Err(domain_error(store, "io_mode", args[1]));
    }
    for option in options {
        check_option(world, option, "stream_option", STREAM_OPTIONS)?;
    }
    Err(unsupported(permission_error(store, "open", "source_sink", args[0])))
}

fn unsupported(error: Stop) -> Stop {
    with_message(error, "scripts read no files and write none")
}

/// Options and the values they may have; any atom if none is listed.
type Allowed = &'static [(&'static str, &'static [&'static str])];

const STREAM_OPTIONS: Allowed = &[
    ("type", &["text", "binary"]),
    ("reposition", &["true", "false"]),
    ("alias", &[]),
    ("eof_action", &["error", "eof_code", "reset"]),
    ("encoding", &[]),
    ("bom", &["true", "false"]),
    ("create", &[]),
    ("lock", &[]),
];

fn check_option(world: &World, option: Cell, domain: &str, allowed: Allowed) -> Result<(), Stop> {
    let store = &world.store;
    let wrong = || domain_error(store, domain, option);
    let Term::Compound(compound) = store.look(option) else {
        return Err(if is_var(store, option) { instantiation_error() } else { wrong() });
    };
    let known = allowed.iter().find(|(name, _)| compound.arity == 1 && compound.name.as_str() == *name);
    let (_, values) = known.ok_or_else(wrong)?;
    let value = store.arg(compound, 0);
    match store.look(value) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(name) if values.is_empty() || values.contains(&name.as_str()) => Ok(()),
        _ => Err(wrong()),
    }
}
