//! Atoms and strings as texts: their characters, length, case, and conversion into one another.

use crate::builtins::arguments::{TextKind, Unit, atomic_text, character, code, count, is_var, optional_count, text};
use crate::builtins::record::{det, iso, pure};
use crate::engine::error::type_error;
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};
use crate::term::Atom;

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det(
        "atom_codes(?Text, ?Codes) is det",
        "The character codes of an atom.",
        "atom_codes(ab, L)",
        "L = [97, 98]",
        atom_codes,
    )),
    iso(det(
        "atom_chars(?Text, ?Chars) is det",
        "The characters of an atom.",
        "atom_chars(X, [a, b])",
        "X = ab",
        atom_chars,
    )),
    iso(det("char_code(?Char, ?Code) is det", "The code of a character.", "char_code(a, C)", "C = 97", char_code)),
    iso(det(
        "atom_length(+Text, -Length) is det",
        "The number of characters.",
        "atom_length(perfume, N)",
        "N = 7",
        atom_length,
    )),
    det(
        "string_length(+Text, -Length) is det",
        "The number of characters.",
        "string_length(\"abc\", N)",
        "N = 3",
        string_length,
    ),
    det(
        "string_codes(?Text, ?Codes) is det",
        "The character codes of a string.",
        "string_codes(S, [97, 98])",
        "S = \"ab\"",
        string_codes,
    ),
    det(
        "string_chars(?Text, ?Chars) is det",
        "The characters of a string.",
        "string_chars(\"ab\", L)",
        "L = [a, b]",
        string_chars,
    ),
    det(
        "string_to_atom(?String, ?Atom) is det",
        "String and atom of the same text.",
        "string_to_atom(\"ab\", A)",
        "A = ab",
        string_to_atom,
    ),
    det(
        "atom_string(?Atom, ?String) is det",
        "Atom and string of the same text.",
        "atom_string(ab, S)",
        "S = \"ab\"",
        atom_string,
    ),
    det(
        "text_to_string(+Text, -String) is det",
        "The string of an atom, a string, or a list of codes or characters.",
        "text_to_string(ab, S)",
        "S = \"ab\"",
        text_to_string,
    ),
    det(
        "upcase_atom(+Text, -Atom) is det",
        "The text in capitals.",
        "upcase_atom(queen, A)",
        "A = 'QUEEN'",
        upcase_atom,
    ),
    det(
        "downcase_atom(+Text, -Atom) is det",
        "The text in small letters.",
        "downcase_atom('QueeN', A)",
        "A = queen",
        downcase_atom,
    ),
    det(
        "string_upper(+Text, -String) is det",
        "The text in capitals.",
        "string_upper(\"abc\", S)",
        "S = \"ABC\"",
        string_upper,
    ),
    det(
        "string_lower(+Text, -String) is det",
        "The text in small letters.",
        "string_lower(\"ABC\", S)",
        "S = \"abc\"",
        string_lower,
    ),
    det(
        "string_code(+Index, +Text, -Code) is semidet",
        "The code of the character at Index, counted from 1.",
        "string_code(1, \"abc\", C)",
        "C = 97",
        string_code,
    ),
]);

fn atom_codes(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(world, args, TextKind::Atom, Unit::Code)
}

fn atom_chars(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(world, args, TextKind::Atom, Unit::Char)
}

fn string_codes(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(world, args, TextKind::String, Unit::Code)
}

fn string_chars(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(world, args, TextKind::String, Unit::Char)
}

/// Converts a text to the list of its characters, or the list to a text if the text is unknown.
fn convert(world: &mut World, args: &[Cell], kind: TextKind, unit: Unit) -> Result<bool, Stop> {
    let store = &mut world.store;
    if is_var(store, args[0]) {
        let text = unit.text(store, args[1])?;
        let text = kind.make(store, &text);
        return Ok(store.unify(args[0], text));
    }
    unit.check(store, args[1])?;
    let list = match store.look(args[0]) {
        Term::Atom(name) if !matches!(store.look(args[1]), Term::Str(_)) => unit.list(store, name.as_str()),
        _ => {
            let text = text(store, args[0], "atom")?.into_owned();
            if let Term::Str(other) = store.look(args[1]) {
                return Ok(other == text);
            }
            unit.list(store, &text)
        }
    };
    Ok(store.unify(args[1], list))
}

fn char_code(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if is_var(store, args[0]) {
        let character = Cell::atom(Atom::from_char(code(store, args[1])?));
        return Ok(store.unify(args[0], character));
    }
    let character = character(store, args[0])?;
    if !is_var(store, args[1]) {
        code(store, args[1])?;
    }
    let code = store.int(i64::from(u32::from(character)));
    Ok(store.unify(args[1], code))
}

fn atom_length(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if let Term::Int(_) | Term::BigInt(_) | Term::Float(_) = world.store.look(args[0]) {
        return Err(type_error(&world.store, "atom", args[0]));
    }
    string_length(world, args)
}

fn string_length(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let length = text(&world.store, args[0], "atom")?.chars().count();
    optional_count(&world.store, args[1])?;
    let length = world.store.int(length as i64);
    Ok(world.store.unify(args[1], length))
}

fn string_to_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if is_var(&world.store, args[0]) {
        return same_text(&mut world.store, args[1], args[0], TextKind::String);
    }
    same_text(&mut world.store, args[0], args[1], TextKind::Atom)
}

fn atom_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if is_var(&world.store, args[0]) {
        return same_text(&mut world.store, args[1], args[0], TextKind::Atom);
    }
    same_text(&mut world.store, args[0], args[1], TextKind::String)
}

/// `text_to_string/2`; the empty list is an empty list of characters, not an atom.
fn text_to_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if world.store.deref(args[0]) == Cell::NIL {
        let empty = world.store.string("");
        return Ok(world.store.unify(args[1], empty));
    }
    same_text(&mut world.store, args[0], args[1], TextKind::String)
}

/// Unifies `to` with the text of `from` as a term of `kind`; a given text in `to` may be of another kind.
fn same_text(store: &mut Store, from: Cell, to: Cell, kind: TextKind) -> Result<bool, Stop> {
    let text = text(store, from, "text")?.into_owned();
    if let Some(other) = atomic_text(store, to) {
        return Ok(other == text);
    }
    let made = kind.make(store, &text);
    Ok(store.unify(to, made))
}

/// Unifies the second argument with the text of the first after `change`.
fn changed(world: &mut World, args: &[Cell], kind: TextKind, change: fn(&str) -> String) -> Result<bool, Stop> {
    let text = change(&text(&world.store, args[0], "text")?);
    let text = kind.make(&mut world.store, &text);
    Ok(world.store.unify(args[1], text))
}

fn upcase_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    changed(world, args, TextKind::Atom, str::to_uppercase)
}

fn downcase_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    changed(world, args, TextKind::Atom, str::to_lowercase)
}

fn string_upper(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    changed(world, args, TextKind::String, str::to_uppercase)
}

fn string_lower(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    changed(world, args, TextKind::String, str::to_lowercase)
}

fn string_code(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let index = count(&world.store, args[0])?;
    let text = text(&world.store, args[1], "text")?;
    let Some(found) = index.checked_sub(1).and_then(|place| text.chars().nth(place)) else { return Ok(false) };
    let found = world.store.int(i64::from(u32::from(found)));
    Ok(world.store.unify(args[2], found))
}
