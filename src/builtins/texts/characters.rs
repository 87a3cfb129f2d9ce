//! Types of characters: letters, digits, blanks and so on.

use crate::builtins::arguments::{Unit, character, code, is_var};
use crate::builtins::record::{each, nondet, pure};
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{Builtin, Cell, Solutions, Stop, Term, World};
use crate::term::Atom;
use crate::term::letters::{is_invisible, is_name_part, is_symbol};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    nondet(
        "char_type(?Char, ?Type) is nondet",
        "What a character is: alpha, digit(W), upper(L), space, punct, ... Characters in Type are characters too.",
        "char_type(X, digit(5))",
        "X = '5'",
        |world, args| types(world, args, Unit::Char),
    ),
    nondet(
        "code_type(?Code, ?Type) is nondet",
        "As char_type/2, of codes.",
        "code_type(0'a, lower(U))",
        "U = 65",
        |world, args| types(world, args, Unit::Code),
    ),
]);

/// What a type tests or computes for a character.
#[derive(Clone, Copy)]
enum CharacterRule {
    /// It is of the type or not.
    Is(fn(char) -> bool),
    /// Its value as a digit.
    Weighs(fn(char) -> Option<u32>),
    /// Its counterpart, such as the other case.
    Has(fn(char) -> Option<char>),
}

use CharacterRule::{Has, Is, Weighs};

const TYPES: &[(&str, CharacterRule)] = &[
    ("alnum", Is(char::is_alphanumeric)),
    ("alpha", Is(char::is_alphabetic)),
    ("csym", Is(|c| c == '_' || c.is_alphanumeric())),
    ("csymf", Is(|c| c == '_' || c.is_alphabetic())),
    ("prolog_atom_start", Is(|c| c.is_alphabetic() && !c.is_uppercase())),
    ("prolog_var_start", Is(|c| c == '_' || c.is_uppercase())),
    ("prolog_identifier_continue", Is(is_name_part)),
    ("prolog_symbol", Is(is_symbol)),
    ("ascii", Is(|c| c.is_ascii())),
    ("white", Is(|c| c == ' ' || c == '\t')),
    ("cntrl", Is(char::is_control)),
    ("digit", Is(|c| c.is_ascii_digit())),
    ("space", Is(char::is_whitespace)),
    ("end_of_line", Is(|c| ('\n'..='\r').contains(&c))),
    ("newline", Is(|c| c == '\n')),
    ("lower", Is(char::is_lowercase)),
    ("upper", Is(char::is_uppercase)),
    ("punct", Is(|c| is_graphic(c) && !c.is_alphanumeric())),
    ("graph", Is(is_graphic)),
    ("print", Is(|c| c == ' ' || is_graphic(c))),
    ("period", Is(|c| ".?!".contains(c))),
    ("quote", Is(|c| "'\"`".contains(c))),
    ("paren", Is(|c| bracket(c).is_some())),
    ("digit", Weighs(|c| c.to_digit(10))),
    ("xdigit", Weighs(|c| c.to_digit(16))),
    ("lower", Has(|c| c.is_lowercase().then(|| upper(c)))),
    ("upper", Has(|c| c.is_uppercase().then(|| lower(c)))),
    ("to_lower", Has(|c| Some(lower(c)))),
    ("to_upper", Has(|c| Some(upper(c)))),
    ("paren", Has(bracket)),
];

fn is_graphic(c: char) -> bool {
    !(c.is_control() || c.is_whitespace() || is_invisible(c))
}

/// The lower-case letter, if it is a single character.
fn lower(c: char) -> char {
    only(c.to_lowercase()).unwrap_or(c)
}

/// The upper-case letter, if it is a single character.
fn upper(c: char) -> char {
    only(c.to_uppercase()).unwrap_or(c)
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

/// The matching bracket of a bracket.
fn bracket(c: char) -> Option<char> {
    let pairs = [('(', ')'), ('[', ']'), ('{', '}')];
    let both_ways = pairs.iter().flat_map(|&(open, close)| [(open, close), (close, open)]);
    both_ways.into_iter().find(|(this, _)| *this == c).map(|(_, other)| other)
}

/// The result of a type for a character.
enum CharacterValue {
    Nothing,
    Number(u32),
    Character(char),
}

impl CharacterRule {
    /// The value for a character of the type.
    fn value(self, c: char) -> Option<CharacterValue> {
        match self {
            Is(rule) => rule(c).then_some(CharacterValue::Nothing),
            Weighs(rule) => rule(c).map(CharacterValue::Number),
            Has(rule) => rule(c).map(CharacterValue::Character),
        }
    }
}

fn types(world: &mut World, args: &[Cell], unit: Unit) -> Solutions {
    let (subject, kind) = (args[0], args[1]);
    let is_open = is_var(&world.store, subject);
    let characters = match (is_open, is_var(&world.store, kind)) {
        (true, true) => return Err(instantiation_error()),
        (true, false) => '\0'..=char::MAX,
        (false, _) => {
            let character = subject_of(world, subject)?;
            character..=character
        }
    };
    let rows = rows(world, kind)?;
    let of_character = move |c: char| {
        let found = |&(name, rule): &(&'static str, CharacterRule)| Some((c, name, rule.value(c)?));
        rows.iter().filter_map(found).collect::<Vec<_>>()
    };
    each(characters.flat_map(of_character), move |world, (c, name, value)| {
        let store = &mut world.store;
        let found = match value {
            CharacterValue::Nothing => Cell::atom(Atom::new(name)),
            CharacterValue::Number(number) => {
                let number = store.int(i64::from(number));
                store.compound(Atom::new(name), &[number])
            }
            CharacterValue::Character(other) => store.compound(Atom::new(name), &[unit.cell(other)]),
        };
        (!is_open || store.unify(subject, unit.cell(c))) && store.unify(kind, found)
    })
}

/// The character in question, given as a character or as a code.
fn subject_of(world: &World, subject: Cell) -> Result<char, Stop> {
    match world.store.look(subject) {
        Term::Int(_) | Term::BigInt(_) => code(&world.store, subject),
        _ => character(&world.store, subject),
    }
}

/// The types that a term may denote.
fn rows(world: &World, kind: Cell) -> Result<Vec<(&'static str, CharacterRule)>, Stop> {
    let (name, arity) = match world.store.look(kind) {
        Term::Var(_) => return Ok(TYPES.to_vec()),
        Term::Atom(name) => (name, 0),
        Term::Compound(compound) => (compound.name, compound.arity),
        _ => return Err(type_error(&world.store, "char_type", kind)),
    };
    let fits = |row: &&(&str, CharacterRule)| row.0 == name.as_str() && arity == usize::from(!matches!(row.1, Is(_)));
    let rows: Vec<_> = TYPES.iter().filter(fits).copied().collect();
    if rows.is_empty() { Err(type_error(&world.store, "char_type", kind)) } else { Ok(rows) }
}
