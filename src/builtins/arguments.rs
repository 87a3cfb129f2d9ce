//! Reads the arguments of predicates, with the ISO errors for wrong ones.

use num_bigint::BigInt;
use std::borrow::Cow;

use crate::engine::arith::Number;
use crate::engine::error::{domain_error, instantiation_error, representation_error, resource_error, type_error};
use crate::engine::{Cell, ListEnd, Stop, Store, Term, World};
use crate::term::Atom;
use crate::term::print::float_text;

/// The most elements of a list, or bytes of a text, that one step may build: 2^26 elements take more than a gigabyte.
pub(crate) const MAX_ELEMENTS: usize = 1 << 26;

/// An error if one step would build too many elements.
pub(crate) fn check_elements(n: usize) -> Result<(), Stop> {
    if n > MAX_ELEMENTS { Err(resource_error("memory")) } else { Ok(()) }
}

/// An error if a list would have too many elements, or more than the memory limit leaves room for.
pub(crate) fn check_list(world: &World, n: usize) -> Result<(), Stop> {
    check_elements(n)?;
    world.check_room(n * BYTES_PER_ELEMENT)
}

/// Memory for an element of a list under construction: its pair, itself, and a cell until the list is built
/// (estimated).
const BYTES_PER_ELEMENT: usize = 4 * size_of::<Cell>();

/// Whether the term is an unbound variable.
pub(crate) fn is_var(store: &Store, cell: Cell) -> bool {
    matches!(store.look(cell), Term::Var(_))
}

/// An atom.
pub(crate) fn atom(store: &Store, cell: Cell) -> Result<Atom, Stop> {
    match store.look(cell) {
        Term::Atom(name) => Ok(name),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "atom", cell)),
    }
}

/// An integer of any size.
pub(crate) fn integer(store: &Store, cell: Cell) -> Result<Number, Stop> {
    match store.look(cell) {
        Term::Int(value) => Ok(Number::Int(value)),
        Term::BigInt(value) => Ok(Number::Big(BigInt::clone(value))),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "integer", cell)),
    }
}

/// An integer, saturated to 64 bits.
#[inline]
pub(crate) fn small_integer(store: &Store, cell: Cell) -> Result<i64, Stop> {
    match store.look(cell) {
        Term::Int(value) => Ok(value),
        _ => integer(store, cell).map(|number| if number.sign().is_lt() { i64::MIN } else { i64::MAX }),
    }
}

/// An integer, or none for a variable.
pub(crate) fn optional_integer(store: &Store, cell: Cell) -> Result<Option<i64>, Stop> {
    if is_var(store, cell) { Ok(None) } else { small_integer(store, cell).map(Some) }
}

/// A nonnegative integer, or none for a variable.
pub(crate) fn optional_count(store: &Store, cell: Cell) -> Result<Option<usize>, Stop> {
    match optional_integer(store, cell)? {
        None => Ok(None),
        Some(value) => usize::try_from(value).map(Some).map_err(|_| domain_error(store, "not_less_than_zero", cell)),
    }
}

/// A nonnegative integer.
pub(crate) fn count(store: &Store, cell: Cell) -> Result<usize, Stop> {
    optional_count(store, cell)?.ok_or_else(instantiation_error)
}

/// The elements of a proper list.
pub(crate) fn list(store: &Store, cell: Cell) -> Result<Vec<Cell>, Stop> {
    let walk = store.walk_list(cell);
    match walk.end {
        ListEnd::Nil => Ok(walk.items),
        ListEnd::Partial(_) => Err(instantiation_error()),
        ListEnd::Improper(_) | ListEnd::Cyclic => Err(type_error(store, "list", cell)),
    }
}

/// An error if a term is neither a list nor a partial list.
pub(crate) fn list_or_partial(store: &Store, cell: Cell) -> Result<(), Stop> {
    match store.walk_list(cell).end {
        ListEnd::Nil | ListEnd::Partial(_) => Ok(()),
        ListEnd::Improper(_) | ListEnd::Cyclic => Err(type_error(store, "list", cell)),
    }
}

/// The text of an atom, a string or a number.
pub(crate) fn atomic_text(store: &Store, cell: Cell) -> Option<Cow<'_, str>> {
    match store.look(cell) {
        Term::Atom(name) => Some(Cow::Borrowed(name.as_str())),
        Term::Str(text) => Some(Cow::Borrowed(text)),
        Term::Var(_) | Term::Compound(_) => None,
        _ => Number::of(store, cell).map(|number| Cow::Owned(number_text(&number))),
    }
}

/// The text of an atom, a string, a number, or a list of codes or of characters; a variable is an instantiation error,
/// anything else a type error of `kind`.
pub(crate) fn text<'a>(store: &'a Store, cell: Cell, kind: &str) -> Result<Cow<'a, str>, Stop> {
    match atomic_text(store, cell) {
        Some(text) => Ok(text),
        None if is_var(store, cell) => Err(instantiation_error()),
        None => list_text(store, cell).map(Cow::Owned).ok_or_else(|| type_error(store, kind, cell)),
    }
}

/// The text of a proper list of codes or of characters.
pub(crate) fn list_text(store: &Store, cell: Cell) -> Option<String> {
    let walk = store.walk_list(cell);
    (walk.end == ListEnd::Nil).then_some(())?;
    walk.items.iter().map(|&item| character_of(store, item)).collect()
}

/// The character of a code or of an atom of one character.
fn character_of(store: &Store, cell: Cell) -> Option<char> {
    match store.look(cell) {
        Term::Int(code) => u32::try_from(code).ok().and_then(char::from_u32),
        Term::Atom(name) => single_character(name.as_str()),
        _ => None,
    }
}

/// The character of a text of one character.
pub(crate) fn single_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// A character, given as an atom of one character.
pub(crate) fn character(store: &Store, cell: Cell) -> Result<char, Stop> {
    match store.look(cell) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(name) => single_character(name.as_str()).ok_or_else(|| type_error(store, "character", cell)),
        _ => Err(type_error(store, "character", cell)),
    }
}

/// A character, given as its code.
pub(crate) fn code(store: &Store, cell: Cell) -> Result<char, Stop> {
    let code = small_integer(store, cell)?;
    u32::try_from(code).ok().and_then(char::from_u32).ok_or_else(|| representation_error("character_code"))
}

/// The text of a number.
pub(crate) fn number_text(number: &Number) -> String {
    match number {
        Number::Int(value) => value.to_string(),
        Number::Big(value) => value.to_string(),
        Number::Float(value) => float_text(*value),
    }
}

/// The kind of term that a predicate makes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// An atom.
    Atom,
    /// A string object.
    String,
}

impl TextKind {
    /// The text as a term of this kind.
    pub(crate) fn make(self, store: &mut Store, text: &str) -> Cell {
        match self {
            TextKind::Atom => Cell::atom(Atom::new(text)),
            TextKind::String => store.string(text),
        }
    }
}

/// How a list represents characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Its code.
    Code,
    /// An atom of one character.
    Char,
}

impl Unit {
    /// The list of the characters of a text.
    pub(crate) fn list(self, store: &mut Store, text: &str) -> Cell {
        store.list_of(text.chars().map(|character| self.cell(character)))
    }

    /// The list of the characters of a text, ending in `tail`.
    pub(crate) fn list_with_tail(self, store: &mut Store, text: &str, tail: Cell) -> Cell {
        let items: Vec<Cell> = text.chars().map(|character| self.cell(character)).collect();
        store.list_with_tail(&items, tail)
    }

    /// The element for a character.
    pub(crate) fn cell(self, character: char) -> Cell {
        match self {
            Unit::Code => Cell::code(character),
            Unit::Char => Cell::atom(Atom::from_char(character)),
        }
    }

    /// The character of an element of such a list.
    pub(crate) fn character(self, store: &Store, item: Cell) -> Result<char, Stop> {
        match (self, store.look(item)) {
            (Unit::Code, Term::Atom(name)) => {
                single_character(name.as_str()).ok_or_else(|| type_error(store, "integer", item))
            }
            (Unit::Code, _) => code(store, item),
            (Unit::Char, _) => character(store, item),
        }
    }

    /// The text of a complete list of characters, or of a string.
    pub(crate) fn text(self, store: &Store, characters: Cell) -> Result<String, Stop> {
        if let Term::Str(text) = store.look(characters) {
            return Ok(text.to_owned());
        }
        let items = list(store, characters)?;
        let mut text = String::with_capacity(items.len());
        for item in items {
            text.push(self.character(store, item)?);
        }
        Ok(text)
    }

    /// An error if an element of a list, complete or not, represents no character.
    pub(crate) fn check(self, store: &Store, characters: Cell) -> Result<(), Stop> {
        if let Term::Str(_) | Term::Var(_) = store.look(characters) {
            return Ok(());
        }
        let walk = store.walk_list(characters);
        if let ListEnd::Improper(_) | ListEnd::Cyclic = walk.end {
            return Err(type_error(store, "list", characters));
        }
        let mut items = walk.items.into_iter().filter(|&item| !is_var(store, item));
        items.try_for_each(|item| self.character(store, item).map(drop))
    }
}

/// The arguments of `name/2`.
pub(crate) fn pair(store: &Store, cell: Cell, name: Atom) -> Option<(Cell, Cell)> {
    match store.look(cell) {
        Term::Compound(compound) if compound.arity == 2 && compound.name == name => {
            Some((store.arg(compound, 0), store.arg(compound, 1)))
        }
        _ => None,
    }
}
