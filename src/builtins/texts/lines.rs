//! The lines of a text: splitting them, and their leading blanks.

use crate::builtins::arguments::{is_var, list, small_integer, text};
use crate::builtins::record::{det, pure};
use crate::engine::error::{domain_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    det(
        "string_lines(?String, ?Lines) is det",
        "The lines of a text, without their ends; a line end at the end of the text may begin an empty line or not.",
        "string_lines(\"a\\nb\", L)",
        "L = [\"a\", \"b\"]",
        string_lines,
    ),
    det(
        "dedent_lines(+Text, -Dedented, +Options) is det",
        "Takes away the blanks that all lines begin with; option tab(N) says how far tabs go, else 8 columns.",
        "dedent_lines(\"  a\\n    b\\n\", S, [])",
        "S = \"a\\n  b\\n\"",
        dedent_lines,
    ),
]);

fn string_lines(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if is_var(store, args[0]) {
        let mut whole = String::new();
        for line in list(store, args[1])? {
            whole.push_str(&text(store, line, "text")?);
            whole.push('\n');
        }
        let whole = store.string(&whole);
        return Ok(store.unify(args[0], whole));
    }
    let whole = text(store, args[0], "text")?.into_owned();
    let mut lines: Vec<Cell> = whole.split('\n').map(|line| store.string(line)).collect();
    let all = store.list(&lines);
    if whole.is_empty() || whole.ends_with('\n') {
        lines.pop();
        let ended = store.list(&lines);
        if store.unifies(args[1], ended, |_| true) {
            return Ok(store.unify(args[1], ended));
        }
    }
    Ok(store.unify(args[1], all))
}

fn dedent_lines(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let whole = text(store, args[0], "text")?.into_owned();
    let dedented = dedented(&whole, tab_width(store, args[2])?);
    let dedented = store.string(&dedented);
    Ok(store.unify(args[1], dedented))
}

/// The value of the option `tab(N)`; other options are ignored.
fn tab_width(store: &Store, options: Cell) -> Result<usize, Stop> {
    for option in list(store, options)? {
        let Term::Compound(compound) = store.look(option) else { return Err(type_error(store, "option", option)) };
        if compound.name.as_str() == "tab" && compound.arity == 1 {
            let width = small_integer(store, store.arg(compound, 0))?;
            return usize::try_from(width)
                .ok()
                .filter(|&width| width > 0)
                .ok_or_else(|| domain_error(store, "tab_width", option));
        }
    }
    Ok(8)
}

/// Removes the common indentation of a text; blank lines do not count for it.
fn dedented(text: &str, tab: usize) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let stops: Vec<Vec<usize>> = lines.iter().map(|line| stops(line, tab)).collect();
    let written = |line: &&str| !line.trim_matches([' ', '\t']).is_empty();
    let mut indents = lines.iter().zip(&stops).filter(|(line, _)| written(line)).map(|(_, stops)| stops);
    let common = match indents.next() {
        None => usize::MAX,
        Some(first) => {
            let rest: Vec<_> = indents.collect();
            let shared = |column: &&usize| rest.iter().all(|stops| stops.binary_search(column).is_ok());
            first.iter().rev().find(shared).copied().unwrap_or(0)
        }
    };
    let moved = lines.iter().zip(&stops).map(|(line, stops)| {
        let blanks = stops.iter().filter(|&&column| column <= common).count() - 1;
        &line[blanks..]
    });
    moved.collect::<Vec<_>>().join("\n")
}

/// The columns before and after each leading blank of a line.
fn stops(line: &str, tab: usize) -> Vec<usize> {
    let mut stops = vec![0];
    let mut column = 0;
    for byte in line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')) {
        column = if byte == b'\t' { (column / tab + 1) * tab } else { column + 1 };
        stops.push(column);
    }
    stops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_blanks_go_and_others_stay() {
        let cases = [
            ("  a\n    b\n", "a\n  b\n"),
            ("  a\n   \n    b", "a\n \n  b"),
            ("  a\n \n    b\n  ", "a\n\n  b\n"),
            ("\ta\n        b\n", "a\nb\n"),
            ("    \ta\n      b\n", "\ta\n  b\n"),
            ("  a\n\tb\n", "  a\n\tb\n"),
            ("a\n b", "a\n b"),
            ("  ", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(dedented(text, 8), expected, "{text:?}");
        }
        assert_eq!(dedented("    a\n\tb\n", 4), "a\nb\n");
    }
}
