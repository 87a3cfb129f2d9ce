//! Terms from text and text from terms.

use crate::builtins::arguments::{TextKind, is_var, text};
use crate::builtins::record::det;
use crate::engine::error::{instantiation_error, syntax_error};
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::syntax::read_goal;
use crate::term::print::Style;

use super::read::{bindings, hand_over, wishes};
use super::write;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "term_to_atom(?Term, ?Atom) is det",
        "The atom that a term is written as, or the term that an atom writes.",
        "term_to_atom(T, 'f(X, a)')",
        "T = f(X, a)",
        term_to_atom,
    ),
    det(
        "term_string(?String, ?Term) is det",
        "The string that a term is written as, or the term that a string writes; the arguments may be exchanged.",
        "term_string(S, f(a))",
        "S = \"f(a)\"",
        term_string,
    ),
    det(
        "term_string(?String, ?Term, +Options) is det",
        "As term_string/2, with the options of read_term/2 or write_term/2.",
        "term_string(S, f(X), [variable_names(['X'=X])])",
        "S = \"f(X)\"",
        term_string_3,
    ),
    det(
        "read_term_from_atom(+Text, -Term, +Options) is det",
        "The term that a text writes, with the options of read_term/2.",
        "read_term_from_atom('f(X)', T, [variable_names(V)])",
        "T = f(X), V = ['X'=X]",
        read_term_from_atom,
    ),
    det(
        "atom_to_term(+Atom, -Term, -Bindings) is det",
        "The term that an atom writes, with the list of its `Name=Variable`.",
        "atom_to_term('f(X)', T, B)",
        "T = f(X), B = ['X'=X]",
        atom_to_term,
    ),
];

fn term_to_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if is_var(&world.store, args[1]) {
        return written(world, args[0], args[1], TextKind::Atom, Cell::NIL);
    }
    read_as(world, args[1], args[0], Cell::NIL)
}

fn term_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    term_string_3(world, &[args[0], args[1], Cell::NIL])
}

/// The term comes first, but people write the string first too: a string object is always read, and so is an atom for
/// an unknown term.
fn term_string_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    let is_string = |cell| matches!(store.look(cell), Term::Str(_));
    let is_text = is_string(args[1]) || is_var(store, args[0]) && matches!(store.look(args[1]), Term::Atom(_));
    match (is_string(args[0]), is_text) {
        (true, _) => read_as(world, args[0], args[1], args[2]),
        (false, true) => read_as(world, args[1], args[0], args[2]),
        _ if is_var(&world.store, args[0]) => written(world, args[1], args[0], TextKind::String, args[2]),
        _ => written(world, args[0], args[1], TextKind::String, args[2]),
    }
}

fn read_term_from_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    read_as(world, args[0], args[1], args[2])
}

fn written(world: &mut World, term: Cell, target: Cell, kind: TextKind, options: Cell) -> Result<bool, Stop> {
    if is_var(&world.store, term) {
        return Err(instantiation_error());
    }
    let style = Style { quoted: true, ..Style::default() };
    let text = write::written_as(world, term, options, style)?;
    let text = kind.make(&mut world.store, &text);
    Ok(world.store.unify(target, text))
}

/// Reads a term from a text with the options of read_term.
fn read_as(world: &mut World, from: Cell, term: Cell, options: Cell) -> Result<bool, Stop> {
    let wishes = wishes(world, options)?;
    let text = text(&world.store, from, "text")?;
    let read = read_goal(&text, &world.operators, &world.flags.reading()).map_err(|error| syntax_error(error.name))?;
    Ok(hand_over(world, &read, term, &wishes))
}

/// The term of a text, and its named variables.
pub(crate) fn term_of_text(world: &mut World, text: &str) -> Result<(Cell, Vec<(String, Cell)>), Stop> {
    let read = read_goal(text, &world.operators, &world.flags.reading()).map_err(|error| syntax_error(error.name))?;
    let (term, variables) = world.store.load(&read.tree);
    let named = read.variables.into_iter().map(|(name, number, ..)| (name, variables[number as usize])).collect();
    Ok((term, named))
}

fn atom_to_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let text = text(&world.store, args[0], "text")?.into_owned();
    let (term, named) = term_of_text(world, &text)?;
    let bindings = bindings(world, &named);
    Ok(world.store.unify(args[1], term) && world.store.unify(args[2], bindings))
}
