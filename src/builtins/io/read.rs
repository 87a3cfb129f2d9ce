//! Reading terms from standard input.

use std::io;

use crate::builtins::arguments::{is_var, list};
use crate::builtins::record::{det, iso};
use crate::engine::error::{domain_error, existence_error, instantiation_error, permission_error, syntax_error};
use crate::engine::{Builtin, Cell, Prompts, Stop, Term, World};
use crate::syntax::{ReadTerm, Reader, SyntaxError};
use crate::term::{Atom, Node, Span, Tree, atoms};

use super::questions::question;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    iso(det(
        "read(-Term) is det",
        "The next term of standard input, or end_of_file.",
        "read(X), nonvar(X)",
        "X = end_of_file",
        read,
    )),
    iso(det(
        "read_term(-Term, +Options) is det",
        "As read/1; options: variables(L), variable_names(L), singletons(L).",
        "read_term(X, [])",
        "X = end_of_file",
        read_term,
    )),
    iso(det(
        "read(+Stream, -Term) is det",
        "As read/1, from user_input.",
        "read(user_input, X)",
        "X = end_of_file",
        read_from,
    )),
    iso(det(
        "read_term(+Stream, -Term, +Options) is det",
        "As read_term/2, from user_input.",
        "read_term(user_input, X, [])",
        "X = end_of_file",
        read_term_from,
    )),
];

fn read(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    read_term(world, &[args[0], Cell::NIL])
}

fn read_from(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    check_stream(world, args[0])?;
    read(world, &args[1..])
}

fn read_term_from(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    check_stream(world, args[0])?;
    read_term(world, &args[1..])
}

fn check_stream(world: &World, stream: Cell) -> Result<(), Stop> {
    match world.store.look(stream) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(name) => match name.as_str() {
            "user_input" | "current_input" => Ok(()),
            "user_output" | "user_error" => Err(permission_error(&world.store, "input", "stream", stream)),
            _ => Err(existence_error(&world.store, "stream", stream)),
        },
        _ => Err(domain_error(&world.store, "stream_or_alias", stream)),
    }
}

/// The result that an option of `read_term/2` asks for.
#[derive(Clone, Copy)]
pub(crate) enum RequestedResult {
    Variables,
    Names,
    Singletons,
}

fn read_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let wishes = wishes(world, args[1])?;
    let read = next_term(world)?.unwrap_or_else(end_of_file);
    Ok(hand_over(world, &read, args[0], &wishes))
}

/// Unifies a term that was read with `target`, and the results of its options with their targets.
pub(crate) fn hand_over(world: &mut World, read: &ReadTerm, target: Cell, wishes: &[(RequestedResult, Cell)]) -> bool {
    let (term, variables) = world.store.load(&read.tree);
    if !world.store.unify(target, term) {
        return false;
    }
    wishes.iter().all(|&(wish, target)| {
        let list = match wish {
            RequestedResult::Variables => world.store.list(&variables),
            RequestedResult::Names => named(world, read, &variables, 1..=u32::MAX),
            RequestedResult::Singletons => named(world, read, &variables, 1..=1),
        };
        world.store.unify(target, list)
    })
}

/// The list of `Name=Variable` for the variables whose numbers of occurrences are in the range.
fn named(world: &mut World, read: &ReadTerm, variables: &[Cell], occurrences: std::ops::RangeInclusive<u32>) -> Cell {
    let chosen = read.variables.iter().filter(|(.., n)| occurrences.contains(n));
    let named: Vec<_> = chosen.map(|(name, number, ..)| (name.clone(), variables[*number as usize])).collect();
    bindings(world, &named)
}

/// The results that the options of `read_term/2` ask for.
pub(crate) fn wishes(world: &World, options: Cell) -> Result<Vec<(RequestedResult, Cell)>, Stop> {
    let mut wishes = Vec::new();
    for option in list(&world.store, options)? {
        let Term::Compound(compound) = world.store.look(option) else {
            return Err(if is_var(&world.store, option) {
                instantiation_error()
            } else {
                domain_error(&world.store, "read_option", option)
            });
        };
        let value = world.store.arg(compound, 0);
        match compound.name.as_str() {
            "variables" => wishes.push((RequestedResult::Variables, value)),
            "variable_names" => wishes.push((RequestedResult::Names, value)),
            "singletons" => wishes.push((RequestedResult::Singletons, value)),
            "syntax_errors" | "double_quotes" | "term_position" | "backquoted_string" => {}
            _ => return Err(domain_error(&world.store, "read_option", option)),
        }
    }
    Ok(wishes)
}

fn end_of_file() -> ReadTerm {
    let mut tree = Tree::new();
    tree.push(Node::Atom(Atom::new("end_of_file")), Span::default());
    ReadTerm { tree, variables: Vec::new(), n_variables: 0, span: Span::default() }
}

/// The next term of standard input; lines are fetched only until the term is complete.
fn next_term(world: &mut World) -> Result<Option<ReadTerm>, Stop> {
    world.output.flush()?;
    let mut more = Fetched::Line;
    loop {
        let pending = world.input.pending();
        if more == Fetched::End || pending.contains('.') {
            let mut reader = Reader::new(pending);
            let result = reader.read(&world.operators, &world.flags.reading());
            let position = reader.position();
            if more == Fetched::End || is_complete(&result, pending) {
                world.input.consume(position);
                return result.map_err(|error| syntax_error(error.name));
            }
        }
        more = fetch(world)?;
    }
}

/// Whether there was another line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetched {
    Line,
    End,
}

fn fetch(world: &mut World) -> Result<Fetched, Stop> {
    let is_person = world.input.prompts == Prompts::Shown;
    let prompt = if world.output.line().is_empty() { "|: " } else { "" };
    let question = if is_person { question(world, prompt)? } else { String::new() };
    let fetched = world.input.fetch_line(&question);
    if is_person {
        world.output.line_was_ended();
    }
    match fetched {
        Ok(true) => Ok(Fetched::Line),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(Stop::Interrupt),
        Ok(false) | Err(_) => Ok(Fetched::End),
    }
}

/// Whether more lines would not change the result: a term was read, or an error lies before the end of the text.
fn is_complete(result: &Result<Option<ReadTerm>, SyntaxError>, text: &str) -> bool {
    match result {
        Ok(term) => term.is_some(),
        Err(error) => text.trim_end().ends_with('.') && (error.span.end as usize) < text.len(),
    }
}

/// The list of `Name=Variable`.
pub(crate) fn bindings(world: &mut World, named: &[(String, Cell)]) -> Cell {
    let store = &mut world.store;
    let pairs: Vec<Cell> = named
        .iter()
        .map(|(name, variable)| store.compound(atoms::EQUALS, &[Cell::atom(Atom::new(name)), *variable]))
        .collect();
    store.list(&pairs)
}
