//! Predicates with which the library reads scripts, and `argv/1`.

use std::path::{Path, PathBuf};

use crate::builtins::arguments::{count, list, text};
use crate::builtins::record::det;
use crate::engine::{Builtin, Cell, Namespace, ScriptEvent, Sought, Stop, World, error, folder_of};
use crate::syntax::diagnostic::Source;
use crate::term::Atom;

use super::clause_search::indicator;

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$script_open(+File) is det",
        "Begins to read a script.",
        "catch('$script_open'('no such file'), error(E, _), true)",
        "E = permission_error(open, source_sink, 'no such file')",
        script_open,
    ),
    det(
        "$script_include(+File) is det",
        "Begins to read a script as part of the one being read.",
        "catch('$script_include'('no such file'), error(E, _), true)",
        "E = permission_error(include, source_sink, 'no such file')",
        script_include,
    ),
    det("$script_close is det", "Ends the reading of the innermost script.", "true", "true", script_close),
    det(
        "$script_next(-Event) is det",
        "Adds clauses up to a directive, a grammar rule or the end, and gives that.",
        "'$script_next'(E)",
        "E = end",
        script_next,
    ),
    det("$script_add(+Clause) is det", "Adds a clause to the script being read.", "true", "true", script_add),
    det(
        "$script_error(+Message, +Goals) is det",
        "Reports an error in a script, with its backtrace.",
        "true",
        "true",
        script_error,
    ),
    det(
        "$script_errors(-N) is det",
        "How many errors in scripts were found and not yet reported.",
        "'$script_errors'(N)",
        "N = 0",
        script_errors,
    ),
    det("$script_warning(+Message) is det", "Notes what may be wrong with a script.", "true", "true", script_warning),
    det(
        "$initialization(+Goal) is det",
        "Keeps a goal for the end of the script.",
        "true",
        "true",
        keep_initialization,
    ),
    det(
        "$initialization_failed is det",
        "Notes that a goal of initialization/1 has failed.",
        "true",
        "true",
        initialization_failed,
    ),
    det("$initializations(-Goals) is det", "Gives the goals kept, and forgets them.", "true", "true", initializations),
    det("$guests(-N) is det", "How many scripts will leave again.", "'$guests'(N)", "N = 0", guests),
    det(
        "$receive_guest(+Indicators) is det",
        "The script that has just been opened will leave again; until then these predicates are only its own.",
        "'$receive_guest'([p/1])",
        "true",
        receive_guest,
    ),
    det(
        "$dismiss_guests(+N) is det",
        "Lets the scripts go that came after the first N.",
        "'$dismiss_guests'(0)",
        "true",
        dismiss_guests,
    ),
    det(
        "argv(-Arguments) is det",
        "The list of what stands after `--` on the command line, as atoms.",
        "argv(L), is_list(L), fail",
        "false",
        argv,
    ),
];

fn script_open(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if let Some((script, folder)) = world.scripts.use_grant() {
        world.open_granted(script.source, folder);
        return Ok(true);
    }
    let name = text(&world.store, args[0], "source_sink")?.into_owned();
    let path = found(world, args[0], "open", world.scripts.seek(Path::new(&name)))?;
    let contents = read_script(world, &path, args[0])?;
    let folder = folder_of(&path);
    world.open_script(Source::new(path.display().to_string(), contents), Namespace::User, folder);
    Ok(true)
}

fn script_include(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = text(&world.store, args[0], "source_sink")?.into_owned();
    let path = found(world, args[0], "include", world.scripts.seek_included(Path::new(&name)))?;
    let contents = read_script(world, &path, args[0])?;
    let base = folder_of(&path);
    world.open_included(Source::new(path.display().to_string(), contents), base);
    Ok(true)
}

fn found(world: &World, culprit: Cell, action: &str, sought: Sought) -> Result<PathBuf, Stop> {
    match sought {
        Sought::Found(path) => Ok(path),
        Sought::Missing => Err(error::existence_error(&world.store, "source_sink", culprit)),
        Sought::Forbidden => {
            let name = text(&world.store, culprit, "source_sink")?;
            let message = format!("no permission to {action} the script `{name}`: {}", limits_of_scripts(world));
            Err(error::with_message(error::permission_error(&world.store, action, "source_sink", culprit), &message))
        }
    }
}

/// Where a script must lie to be readable, in words.
fn limits_of_scripts(world: &World) -> &'static str {
    if world.scripts.is_loading() {
        "it must lie below the folder of the script that reads it"
    } else {
        "it must lie below the folder of a script that `-l` names"
    }
}

fn read_script(world: &World, path: &Path, culprit: Cell) -> Result<String, Stop> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => Err(error::permission_error(&world.store, "open", "source_sink", culprit)),
    }
}

fn script_close(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    world.close_script();
    Ok(true)
}

fn script_next(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let event = match world.next_script_event() {
        ScriptEvent::End => Cell::atom(Atom::new("end")),
        ScriptEvent::Directive(tree) => {
            let (goal, _) = world.store.load(&tree);
            world.store.compound(Atom::new("directive"), &[goal])
        }
        ScriptEvent::Grammar(tree) => {
            let (rule, _) = world.store.load(&tree);
            world.store.compound(Atom::new("grammar"), &[rule])
        }
    };
    Ok(world.store.unify(args[0], event))
}

fn script_add(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let tree = world.store.save(args[0]);
    world.add_translated_clause(tree);
    Ok(true)
}

fn script_error(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let message = text(&world.store, args[0], "text")?.into_owned();
    let goals = text(&world.store, args[1], "text")?.into_owned();
    world.note_script_error(message, goals);
    Ok(true)
}

fn script_errors(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let n = world.store.int(world.scripts.n_errors() as i64);
    Ok(world.store.unify(args[0], n))
}

fn script_warning(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let message = text(&world.store, args[0], "text")?.into_owned();
    world.note_script_warning(message);
    Ok(true)
}

fn keep_initialization(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let goal = world.store.freeze(args[0]);
    world.store.check_walks()?;
    world.scripts.keep_initialization(goal);
    Ok(true)
}

fn initialization_failed(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    world.scripts.note_failed_initialization();
    Ok(true)
}

fn initializations(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let kept = world.scripts.take_initialization();
    let goals: Vec<Cell> = kept.iter().map(|goal| world.store.thaw(goal)).collect();
    let goals = world.store.list(&goals);
    Ok(world.store.unify(args[0], goals))
}

fn argv(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let atoms: Vec<Cell> = world.settings.argv.iter().map(|argument| Cell::atom(Atom::new(argument))).collect();
    let list = world.store.list(&atoms);
    Ok(world.store.unify(args[0], list))
}

fn guests(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let n = world.store.int(world.scripts.n_guests() as i64);
    Ok(world.store.unify(args[0], n))
}

fn receive_guest(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.receive_guest();
    for cell in list(&world.store, args[0])? {
        let (name, arity) = indicator(world, cell)?;
        let pred = world.database.pred_id(Namespace::User, name, arity);
        world.make_way(pred);
    }
    Ok(true)
}

fn dismiss_guests(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let n = count(&world.store, args[0])?;
    world.dismiss_guests(n);
    Ok(true)
}
