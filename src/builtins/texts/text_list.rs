//! Joining a list of texts, and splitting a text into a list.

use crate::builtins::arguments::{TextKind, atomic_text, check_elements, is_var, list, text};
use crate::builtins::record::{det, pure};
use crate::engine::error::{domain_error, instantiation_error, type_error};
use crate::engine::{Builtin, Cell, ListEnd, Stop, Store, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    det(
        "atomic_list_concat(+List, -Atom) is det",
        "The atom of all texts of a list, one after the other.",
        "atomic_list_concat([a, 1, \"b\"], X)",
        "X = a1b",
        atomic_list_concat_2,
    ),
    det(
        "atomic_list_concat(?List, +Separator, ?Atom) is semidet",
        "Joins the texts of a list with a separator between them, or splits an atom at it.",
        "atomic_list_concat(L, '-', 'a-b')",
        "L = [a, b]",
        atomic_list_concat,
    ),
    det(
        "concat_atom(+List, -Atom) is det",
        "As atomic_list_concat/2.",
        "concat_atom([a, b], X)",
        "X = ab",
        atomic_list_concat_2,
    ),
    det(
        "concat_atom(?List, +Separator, ?Atom) is semidet",
        "As atomic_list_concat/3.",
        "concat_atom([a, b], '-', X)",
        "X = 'a-b'",
        atomic_list_concat,
    ),
    det(
        "concat_string(+List, -String) is det",
        "The string of all texts of a list, one after the other.",
        "concat_string([a, 1], S)",
        "S = \"a1\"",
        concat_string,
    ),
    det(
        "join_string(+List, +Separator, -String) is det",
        "The string of the texts of a list with a separator between them.",
        "join_string([a, b], \", \", S)",
        "S = \"a, b\"",
        join_string,
    ),
    det(
        "split_string(+Text, +Separators, +Pad, -Parts) is det",
        "Splits a text at every separator character, and strips the pad characters off the parts.",
        "split_string(\"a, b\", \",\", \" \", L)",
        "L = [\"a\", \"b\"]",
        split_string,
    ),
]);

fn atomic_list_concat_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    join(&mut world.store, args[0], "", args[1], TextKind::Atom)
}

fn concat_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    join(&mut world.store, args[0], "", args[1], TextKind::String)
}

fn join_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let separator = text(&world.store, args[1], "text")?.into_owned();
    join(&mut world.store, args[0], &separator, args[2], TextKind::String)
}

fn atomic_list_concat(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let separator = text(store, args[1], "atomic")?.into_owned();
    let walk = store.walk_list(args[0]);
    let is_known = walk.end == ListEnd::Nil && !walk.items.iter().any(|&item| is_var(store, item));
    if is_known || is_var(store, args[2]) {
        return join(store, args[0], &separator, args[2], TextKind::Atom);
    }
    if separator.is_empty() {
        return Err(domain_error(store, "non_empty_atom", args[1]));
    }
    let whole = text(store, args[2], "atomic")?.into_owned();
    let parts = made(store, whole.split(&separator), TextKind::Atom)?;
    Ok(store.unify(args[0], parts))
}

fn join(store: &mut Store, items: Cell, separator: &str, target: Cell, kind: TextKind) -> Result<bool, Stop> {
    let mut whole = String::new();
    for (i, item) in list(store, items)?.into_iter().enumerate() {
        store.watch.check_at(i + 1)?;
        if i > 0 {
            whole.push_str(separator);
        }
        match atomic_text(store, item) {
            Some(text) => whole.push_str(&text),
            None if is_var(store, item) => return Err(instantiation_error()),
            None => return Err(type_error(store, "atomic", item)),
        }
        check_elements(whole.len())?;
    }
    if let Some(other) = atomic_text(store, target) {
        return Ok(other == whole);
    }
    let whole = kind.make(store, &whole);
    Ok(store.unify(target, whole))
}

fn split_string(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let [whole, separators, pad] = [0, 1, 2].map(|i| text(store, args[i], "text").map(|text| text.into_owned()));
    let (whole, separators, pad) = (whole?, separators?, pad?);
    let parts = made(store, parts(&whole, &separators, &pad), TextKind::String)?;
    Ok(store.unify(args[3], parts))
}

/// A list of texts.
fn made<'t>(store: &mut Store, texts: impl IntoIterator<Item = &'t str>, kind: TextKind) -> Result<Cell, Stop> {
    let mut items = Vec::new();
    for text in texts {
        store.watch.check_at(items.len() + 1)?;
        items.push(kind.make(store, text));
    }
    Ok(store.list(&items))
}

/// The parts of a text between separators, without pad characters at their ends. Pad characters before a part are
/// removed first, so that a sequence of separators that are also pad characters counts as one.
fn parts<'a>(whole: &'a str, separators: &'a str, pad: &'a str) -> impl Iterator<Item = &'a str> {
    let is_pad = |character| pad.contains(character);
    let mut rest = Some(whole.trim_matches(is_pad));
    std::iter::from_fn(move || {
        let from = rest.take()?.trim_start_matches(is_pad);
        let found = from.char_indices().find(|(_, character)| separators.contains(*character));
        let Some((end, separator)) = found else { return Some(from) };
        rest = Some(&from[end + separator.len_utf8()..]);
        Some(from[..end].trim_end_matches(is_pad))
    })
}
