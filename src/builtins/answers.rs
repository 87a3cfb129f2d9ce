//! Questions to the user: lines of standard input, the file in which answers are kept, and why there was no end.

use std::fs::OpenOptions;
use std::io::Write;

use super::arguments::text;
use super::record::det;
use crate::engine::error::permission_error;
use crate::engine::{Builtin, Cell, Failure, Namespace, Stop, World, folder_of};
use crate::syntax::diagnostic::Source;
use crate::term::Atom;

/// The records.
pub const TABLE: &[Builtin] = &[
    det(
        "$read_line(-Line) is det",
        "The next line of standard input as a string, or end_of_file; what was written before is shown first.",
        "'$read_line'(L)",
        "L = end_of_file",
        read_line,
    ),
    det(
        "$open_answers is semidet",
        "Begins to read the file that the option `--answers` names, if there is one.",
        "'$open_answers'",
        "false",
        open_answers,
    ),
    det(
        "$append_answer(+Line) is det",
        "Adds a line to the file that the option `--answers` names.",
        "'$append_answer'(\"\")",
        "true",
        append_answer,
    ),
    det(
        "$reason(+Text) is det",
        "Tells why the goal fails, if it does.",
        "'$reason'(\"some questions were skipped\")",
        "true",
        reason,
    ),
];

fn read_line(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.output.flush()?;
    let line = match world.input.line() {
        Ok(line) => line,
        Err(_) => return Err(permission_error(&world.store, "input", "stream", Cell::atom(Atom::new("user_input")))),
    };
    world.watch.check()?;
    let cell = match line {
        Some(line) => world.store.string(&line),
        None => Cell::atom(Atom::new("end_of_file")),
    };
    Ok(world.store.unify(args[0], cell))
}

fn open_answers(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let Some(path) = world.answers_file.clone().filter(|path| path.exists()) else { return Ok(false) };
    let name = path.display().to_string();
    let Ok(bytes) = std::fs::read(&path) else {
        return Err(permission_error(&world.store, "open", "source_sink", Cell::atom(Atom::new(&name))));
    };
    let contents = String::from_utf8_lossy(&bytes).into_owned();
    world.open_script(Source::new(name, contents), Namespace::User, folder_of(&path));
    Ok(true)
}

fn append_answer(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let line = text(&world.store, args[0], "text")?.into_owned();
    let Some(path) = &world.answers_file else { return Ok(true) };
    let opened = OpenOptions::new().create(true).append(true).open(path);
    match opened.and_then(|mut file| file.write_all(line.as_bytes())) {
        Ok(()) => Ok(true),
        Err(_) => {
            let name = Cell::atom(Atom::new(&path.display().to_string()));
            Err(permission_error(&world.store, "modify", "source_sink", name))
        }
    }
}

fn reason(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let words = text(&world.store, args[0], "text")?.into_owned();
    world.failure = Some(Failure::Words(words));
    Ok(true)
}
