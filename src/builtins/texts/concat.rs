//! Joining texts and taking them apart: concatenation and the parts of a text.

use std::borrow::Cow;
use std::rc::Rc;

use crate::builtins::arguments::{TextKind, atomic_text, check_elements, is_var, optional_count, text};
use crate::builtins::record::{at_most_one, det, each, iso, nondet, pure};
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{Builtin, Cell, Solutions, Stop, Store, Term, World};
use crate::term::Atom;

use super::substring::{Characters, only_place};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(nondet(
        "atom_concat(?A, ?B, ?AB) is nondet",
        "The atom AB is A followed by B; all ways to divide AB on backtracking.",
        "atom_concat(X, Y, ab)",
        "X = '', Y = ab ; X = a, Y = b ; X = ab, Y = ''",
        atom_concat,
    )),
    nondet(
        "string_concat(?A, ?B, ?AB) is nondet",
        "The string AB is A followed by B; all ways to divide AB on backtracking.",
        "string_concat(\"ab\", X, \"abc\")",
        "X = \"c\"",
        string_concat,
    ),
    nondet(
        "append_strings(?A, ?B, ?AB) is nondet",
        "As string_concat/3.",
        "append_strings(\"a\", \"b\", S)",
        "S = \"ab\"",
        string_concat,
    ),
    nondet(
        "text_concat(?A, ?B, ?AB) is nondet",
        "AB is A followed by B: a string if one of them is, else an atom.",
        "text_concat(a, \"b\", S)",
        "S = \"ab\"",
        text_concat,
    ),
    iso(nondet(
        "sub_atom(+Text, ?Before, ?Length, ?After, ?Sub) is nondet",
        "Sub is an atom of Length characters inside Text, Before characters from its start and After from its end.",
        "sub_atom(abcab, B, 2, _, ab)",
        "B = 0 ; B = 3",
        sub_atom,
    )),
    nondet(
        "sub_string(+Text, ?Before, ?Length, ?After, ?Sub) is nondet",
        "As sub_atom/5, but Sub is a string.",
        "sub_string(\"abc\", 1, 1, _, S)",
        "S = \"b\"",
        sub_string,
    ),
    det(
        "concat_atoms(+A, +B, -AB) is det",
        "The atom AB is A followed by B.",
        "concat_atoms(a, b, X)",
        "X = ab",
        concat_atoms,
    ),
    det(
        "concat_strings(+A, +B, -AB) is det",
        "The string AB is A followed by B.",
        "concat_strings(a, \"b\", X)",
        "X = \"ab\"",
        concat_strings,
    ),
]);

type Many = Solutions;

fn atom_concat(world: &mut World, args: &[Cell]) -> Many {
    concat(world, args, TextKind::Atom)
}

fn string_concat(world: &mut World, args: &[Cell]) -> Many {
    concat(world, args, TextKind::String)
}

fn text_concat(world: &mut World, args: &[Cell]) -> Many {
    let any_string = args.iter().any(|&arg| matches!(world.store.look(arg), Term::Str(_)));
    concat(world, args, if any_string { TextKind::String } else { TextKind::Atom })
}

fn concat_atoms(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    joined(world, args, TextKind::Atom)
}

fn concat_strings(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    joined(world, args, TextKind::String)
}

fn concat(world: &mut World, args: &[Cell], kind: TextKind) -> Many {
    let store = &mut world.store;
    if ![args[0], args[1]].iter().any(|&arg| is_var(store, arg) || is_compound(store, arg)) {
        return at_most_one(joined(world, args, kind)?);
    }
    let known = [known_text(store, args[0])?, known_text(store, args[1])?];
    let whole = known_text(store, args[2])?.ok_or_else(instantiation_error)?;
    match known {
        [Some(prefix), _] => at_most_one(rest_is(store, args[1], whole.strip_prefix(&*prefix), kind)),
        [_, Some(suffix)] => at_most_one(rest_is(store, args[0], whole.strip_suffix(&*suffix), kind)),
        [None, None] => splits(whole.into_owned(), args[0], args[1], kind),
    }
}

fn rest_is(store: &mut Store, cell: Cell, rest: Option<&str>, kind: TextKind) -> bool {
    let Some(rest) = rest else { return false };
    let rest = kind.make(store, rest);
    store.unify(cell, rest)
}

/// All ways to cut `whole` in two.
fn splits(whole: String, left: Cell, right: Cell, kind: TextKind) -> Many {
    let cuts: Vec<usize> = whole.char_indices().map(|(i, _)| i).chain([whole.len()]).collect();
    each(cuts.into_iter(), move |world, cut| {
        let [head, tail] = [&whole[..cut], &whole[cut..]].map(|part| kind.make(&mut world.store, part));
        world.store.unify(left, head) && world.store.unify(right, tail)
    })
}

fn joined(world: &mut World, args: &[Cell], kind: TextKind) -> Result<bool, Stop> {
    let store = &mut world.store;
    let [a, b] = [text(store, args[0], "atomic")?, text(store, args[1], "atomic")?];
    check_elements(a.len() + b.len())?;
    let whole = [a, b].concat();
    if let Some(other) = atomic_text(store, args[2]) {
        return Ok(other == whole);
    }
    let whole = kind.make(store, &whole);
    Ok(store.unify(args[2], whole))
}

fn is_compound(store: &Store, cell: Cell) -> bool {
    matches!(store.look(cell), Term::Compound(_))
}

/// The text of an argument, or none for a variable.
fn known_text(store: &Store, cell: Cell) -> Result<Option<Cow<'static, str>>, Stop> {
    match store.look(cell) {
        Term::Var(_) => Ok(None),
        Term::Atom(name) => Ok(Some(Cow::Borrowed(name.as_str()))),
        _ => match atomic_text(store, cell) {
            Some(text) => Ok(Some(Cow::Owned(text.into_owned()))),
            None => Err(type_error(store, "atom", cell)),
        },
    }
}

fn sub_atom(world: &mut World, args: &[Cell]) -> Many {
    sub_text(world, args, TextKind::Atom)
}

fn sub_string(world: &mut World, args: &[Cell]) -> Many {
    sub_text(world, args, TextKind::String)
}

/// `args`: text, before, length, after, part.
fn sub_text(world: &mut World, args: &[Cell], kind: TextKind) -> Many {
    let store = &mut world.store;
    let whole = text(store, args[0], "atom")?;
    let part = known_text(store, args[4])?;
    let [before, length, after] = [1, 2, 3].map(|i| optional_count(store, args[i]));
    let (before, length, after) = (before?, length?, after?);
    let targets = [args[1], args[2], args[3], args[4]];
    if let Some(place) = only_place(&whole, part.as_deref(), [before, length, after]) {
        let Some((start, length)) = place else { return Ok(None) };
        let rest = whole.len() - start - length;
        let found = part.is_none().then(|| kind.found(&whole[start..start + length]));
        return at_most_one(unify_part(store, targets, [start, length, rest], found));
    }
    let whole = Rc::new(Characters::new(&whole));
    let places = match part {
        Some(part) => whole.occurrences(part.into_owned(), before),
        None => whole.places(before, length, after),
    };
    let is_given = !is_var(store, args[4]);
    each(places, move |world, (start, length)| {
        let rest = whole.len() - start - length;
        let found = (!is_given).then(|| kind.found(whole.part(start, length)));
        unify_part(&mut world.store, targets, [start, length, rest], found)
    })
}

/// A part that was found, kept off the heap, on which the whole text may be.
enum FoundPart {
    Atom(Atom),
    Text(String),
}

impl TextKind {
    fn found(self, part: &str) -> FoundPart {
        match self {
            TextKind::Atom => FoundPart::Atom(Atom::new(part)),
            TextKind::String => FoundPart::Text(part.to_owned()),
        }
    }
}

/// Unifies before, length and after with numbers, and the part with the found text unless it was given.
fn unify_part(store: &mut Store, targets: [Cell; 4], numbers: [usize; 3], found: Option<FoundPart>) -> bool {
    let [targets @ .., part] = targets;
    let are_right = numbers.iter().zip(targets).all(|(&n, target)| {
        let n = store.int(n as i64);
        store.unify(target, n)
    });
    are_right
        && found.is_none_or(|found| {
            let found = match found {
                FoundPart::Atom(name) => Cell::atom(name),
                FoundPart::Text(text) => store.string(&text),
            };
            store.unify(part, found)
        })
}
