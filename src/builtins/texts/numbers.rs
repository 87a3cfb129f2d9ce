//! Numbers as texts: reading and writing them.

use crate::builtins::arguments::{TextKind, Unit, atomic_text, is_var, list_or_partial, number_text, text};
use crate::builtins::record::{det, iso, pure};
use crate::engine::arith::Number;
use crate::engine::error::{instantiation_error, syntax_error, type_error};
use crate::engine::{Builtin, Cell, ListEnd, Stop, Store, Term, World};
use crate::syntax::{self, parse_number};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det(
        "number_codes(?Number, ?Codes) is det",
        "The character codes of a number.",
        "number_codes(N, [52, 50])",
        "N = 42",
        number_codes,
    )),
    iso(det(
        "number_chars(?Number, ?Chars) is det",
        "The characters of a number.",
        "number_chars(42, L)",
        "L = ['4', '2']",
        number_chars,
    )),
    det(
        "atom_number(?Atom, ?Number) is semidet",
        "The number that an atom writes; fails if it writes none.",
        "atom_number('0x1a', N)",
        "N = 26",
        atom_number,
    ),
    det(
        "number_string(?Number, ?String) is semidet",
        "The number that a string writes; blanks around it do not count.",
        "number_string(N, \" 42 \")",
        "N = 42",
        number_string,
    ),
    det(
        "integer_atom(?Integer, ?Atom) is semidet",
        "The integer that an atom writes.",
        "integer_atom(I, '12')",
        "I = 12",
        integer_atom,
    ),
    det(
        "name(?Atomic, ?Codes) is det",
        "The number, or else the atom, that character codes write.",
        "name(X, [52, 50])",
        "X = 42",
        name,
    ),
]);

fn number_codes(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(&mut world.store, args, Unit::Code)
}

fn number_chars(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    convert(&mut world.store, args, Unit::Char)
}

fn convert(store: &mut Store, args: &[Cell], unit: Unit) -> Result<bool, Stop> {
    if !is_complete(store, args[1]) {
        let number = written(store, args[0])?;
        list_or_partial(store, args[1])?;
        let list = unit.list(store, &number);
        return Ok(store.unify(args[1], list));
    }
    if !is_var(store, args[0]) {
        written(store, args[0])?;
    }
    let text = either_text(store, args[1], unit)?;
    let number = read_number(&text).ok_or_else(|| syntax_error("illegal_number"))?.into_cell(store);
    Ok(store.unify(args[0], number))
}

/// Whether all characters of the list are known.
fn is_complete(store: &Store, characters: Cell) -> bool {
    let walk = store.walk_list(characters);
    match walk.end {
        ListEnd::Nil => !walk.items.iter().any(|&item| is_var(store, item)),
        ListEnd::Partial(_) => false,
        ListEnd::Improper(_) | ListEnd::Cyclic => true,
    }
}

/// The text of a list of codes or of characters, whichever its elements are.
fn either_text(store: &Store, characters: Cell, unit: Unit) -> Result<String, Stop> {
    let first = store.walk_list(characters).items.first().map(|&first| store.look(first));
    let unit = match first {
        Some(Term::Int(_) | Term::BigInt(_)) => Unit::Code,
        Some(Term::Atom(_)) => Unit::Char,
        _ => unit,
    };
    unit.text(store, characters)
}

/// The text of a number.
fn written(store: &Store, number: Cell) -> Result<String, Stop> {
    match Number::of(store, number) {
        Some(number) => Ok(number_text(&number)),
        None if is_var(store, number) => Err(instantiation_error()),
        None => Err(type_error(store, "number", number)),
    }
}

/// The number of a text.
pub(crate) fn read_number(text: &str) -> Option<Number> {
    parse_number(text).map(|number| match number {
        syntax::NumberLiteral::Int(value) => Number::Int(value),
        syntax::NumberLiteral::BigInt(value) => Number::Big(value),
        syntax::NumberLiteral::Float(value) => Number::Float(value),
    })
}

fn atom_number(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    between_text_and_number(&mut world.store, args[0], args[1], TextKind::Atom)
}

fn number_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    between_text_and_number(&mut world.store, args[1], args[0], TextKind::String)
}

fn between_text_and_number(store: &mut Store, from: Cell, number: Cell, kind: TextKind) -> Result<bool, Stop> {
    if is_var(store, from) {
        let text = written(store, number)?;
        let text = kind.make(store, &text);
        return Ok(store.unify(from, text));
    }
    let text = text(store, from, "text")?;
    let read = match kind {
        TextKind::Atom => read_number(&text),
        TextKind::String => read_number(text.trim_end()),
    };
    let Some(read) = read else { return Ok(false) };
    let read = read.into_cell(store);
    Ok(store.unify(number, read))
}

fn integer_atom(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    match world.store.look(args[0]) {
        Term::Var(_) | Term::Int(_) | Term::BigInt(_) => {}
        _ => return Err(type_error(&world.store, "integer", args[0])),
    }
    let is_other = match atomic_text(&world.store, args[1]) {
        Some(text) => !matches!(read_number(&text), Some(Number::Int(_) | Number::Big(_))),
        None => false,
    };
    if is_other { Ok(false) } else { between_text_and_number(&mut world.store, args[1], args[0], TextKind::Atom) }
}

fn name(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if !is_var(store, args[0]) {
        let text = atomic_text(store, args[0]).ok_or_else(|| type_error(store, "atomic", args[0]))?.into_owned();
        let codes = Unit::Code.list(store, &text);
        return Ok(store.unify(args[1], codes));
    }
    let text = Unit::Code.text(store, args[1])?;
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let value = match read_number(&text).filter(|_| digits) {
        Some(number) => number.into_cell(store),
        None => TextKind::Atom.make(store, &text),
    };
    Ok(store.unify(args[0], value))
}
