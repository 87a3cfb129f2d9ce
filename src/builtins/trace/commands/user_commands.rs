//! The primitives of the library's `command/2`: they record commands of scripts for help, and show events.

use crate::builtins::arguments::{atom, list, text};
use crate::builtins::io::write::written;
use crate::builtins::record::det;
use crate::engine::error::{permission_error, type_error};
use crate::engine::{Builtin, Cell, CommandKind, Definition, Namespace, ScriptEvent, Stop, Term, UserCommand, World};
use crate::syntax::diagnostic::Source;
use crate::term::print::Style;
use crate::term::{Atom, atoms};

use super::show::show_event;

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$declare_command(+Name, +Arguments, +Types, +Kind, +Abbreviation, +Message) is det",
        "Notes a command that a script declares.",
        "'$declare_command'(c, [], [], plain, '', \"\")",
        "true",
        declare_command,
    ),
    det(
        "$library_clause(+Clause) is det",
        "Defines a predicate by one clause, as if it came with papaver.",
        "'$library_clause'((two_of_a(X, X) :- true))",
        "true",
        library_clause,
    ),
    det(
        "$replace_clause(+Clause) is det",
        "Gives a predicate that comes with papaver one clause in place of what it was.",
        "'$replace_clause'((two_of_b(X, X) :- true))",
        "true",
        replace_clause,
    ),
    det("$moves_print is semidet", "Whether moves print events.", "'$moves_print'", "true", |world, _| {
        Ok(world.prints_moves())
    }),
    det("$has_abbreviations is semidet", "Whether this is the prompt.", "'$has_abbreviations'", "false", |world, _| {
        Ok(world.scripts.may_read_all())
    }),
    det(
        "$show_event is det",
        "Prints the line of the current event where moves do.",
        "goto_np(3), '$show_event'",
        "true",
        |world, _| show_event(world).map(|()| true),
    ),
];

/// Whether `command/2` has defined a predicate.
fn is_of_command(world: &World, name: &str, arity: usize) -> bool {
    let is_named = |command: &UserCommand| {
        let silent = name.strip_suffix("_np").filter(|_| command.kind == CommandKind::Trace);
        command.name == name || command.abbreviation == name || silent == Some(&command.name)
    };
    world.scripts.commands().iter().any(|command| command.arguments.len() == arity && is_named(command))
}

fn library_clause(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = head(world, args[0])?;
    let id = world.database.pred_id(Namespace::Library, name, arity);
    let is_free = world.database.pred(id).definition.is_undefined();
    if !is_free && !is_of_command(world, name.as_str(), arity) {
        let arity = world.store.int(arity as i64);
        let indicator = world.store.compound(atoms::DIVIDE, &[Cell::atom(name), arity]);
        return Err(permission_error(&world.store, "modify", "static_procedure", indicator));
    }
    replace_clause(world, args)
}

/// Name and arity of the predicate of a rule.
fn head(world: &World, rule: Cell) -> Result<(Atom, usize), Stop> {
    let head = match world.store.look(rule) {
        Term::Compound(rule) => world.store.arg(rule, 0),
        _ => return Err(type_error(&world.store, "clause", rule)),
    };
    world.store.functor(head).ok_or_else(|| type_error(&world.store, "callable", head))
}

fn replace_clause(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = head(world, args[0])?;
    let id = world.database.pred_id(Namespace::Library, name, arity);
    world.database.pred_mut(id).definition = Definition::Undefined;
    let text = written(world, args[0], &Style::canonical())? + " .\n";
    world.open_script(Source::new("", text), Namespace::Library, None);
    while world.next_script_event() != ScriptEvent::End {}
    world.close_script();
    let own = world.database.pred_id(Namespace::User, name, arity);
    if !matches!(world.database.pred(own).definition, Definition::Clauses(_)) {
        world.database.forget(own);
    }
    Ok(true)
}

fn declare_command(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    let name = atom(store, args[0])?.as_str().to_owned();
    let mut arguments = Vec::new();
    for (argument, kind) in list(store, args[1])?.into_iter().zip(list(store, args[2])?) {
        arguments.push((text(store, argument, "atom")?.into_owned(), written(world, kind, &Style::writeq())?));
    }
    let kind = if atom(store, args[3])?.as_str() == "trace" { CommandKind::Trace } else { CommandKind::Plain };
    let abbreviation = text(store, args[4], "atom")?.into_owned();
    let message = text(store, args[5], "text")?.into_owned();
    let script = world.scripts.source().map(|source| source.name.clone());
    let command = UserCommand { name, arguments, kind, abbreviation, message, script };
    world.scripts.declare_command(command);
    Ok(true)
}
