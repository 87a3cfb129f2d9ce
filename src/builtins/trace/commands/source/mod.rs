//! Source text: the procedures of the traced program and their call sites, read from the folders of `--source-dir`.

mod calls;
mod declarations;
mod files;
mod items;
mod lines;
mod mercury;
mod module;
mod program;

use std::path::PathBuf;

use files::{SourceFile, SourceFileFault, file_below, file_of_module, sources};
use items::items;
pub(crate) use lines::{LineUse, SourceLines, source_lines};
use program::source_program;

use crate::builtins::arguments::{is_var, text};
use crate::builtins::record::det;
use crate::builtins::trace::cursor::current_event;
use crate::builtins::trace::errors::trace;
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, PortRole, Trace, Value};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "listing(+Module, +Proc) is semidet",
        "Prints the declarations and clauses of a procedure or type, Name or Name/Arity, of a module or file below `--source-dir`.",
        "listing(queens, safe/1)",
        "error: permission_error(open, source, queens)",
        |world, args| {
            let Some(texts) = found_in(world, args[0], args[1])? else { return Ok(false) };
            print(world, &texts)
        },
    ),
    det(
        "listing(+Module, +Proc, -Texts) is semidet",
        "As listing/2; Texts is the list of the declarations and clauses, as strings.",
        "listing(queens, safe/1, Texts)",
        "error: permission_error(open, source, queens)",
        |world, args| {
            let Some(texts) = found_in(world, args[0], args[1])? else { return Ok(false) };
            let texts: Vec<Cell> = texts.iter().map(|text| world.store.string(text)).collect();
            let texts = world.store.list(&texts);
            Ok(world.store.unify(args[2], texts))
        },
    ),
    det(
        "listing_current_procedure is semidet",
        "Prints the source of the procedure of the current event, and the line where the event is, from below `--source-dir`.",
        "goto_np(9), listing_current_procedure",
        "error: permission_error(open, source, qdelete)",
        |world, _| current_procedure(world, None),
    ),
    det(
        "listing_current_procedure(+File) is semidet",
        "As listing_current_procedure/0, from a file below `--source-dir`.",
        "goto_np(9), listing_current_procedure('queens.m')",
        "error: permission_error(open, source, 'queens.m')",
        |world, args| current_procedure(world, Some(args[0])),
    ),
    det(
        "$source_program(-Procs, -Sites) is semidet",
        "Procs are the `proc(Module, Name, Arity, Dets)` that the sources of the traced modules below `--source-dir` declare, \
         and Sites the `site(Module, Name, Arity, Line, GoalLine, Dets)` that their clauses call; fails without sources.",
        "'$source_program'(Procs, Sites)",
        "false",
        source_program,
    ),
];

/// A name, and the number of arguments if it is given.
type WantedProcedure = (String, Option<usize>);

fn found_in(world: &mut World, module: Cell, proc: Cell) -> Result<Option<Vec<String>>, Stop> {
    let name = text(&world.store, module, "module")?.into_owned();
    let wanted = wanted(world, proc)?;
    let file = file_of_module(world, &name).map_err(|fault| fault.error(world, module, &name))?;
    let texts = texts(&file, &wanted);
    if texts.is_empty() {
        let arity = wanted.1.map_or(String::new(), |arity| format!("/{arity}"));
        world.remarks.fail(format!("{} has no `{}{arity}`", file.name, wanted.0));
    }
    Ok(Some(texts).filter(|texts| !texts.is_empty()))
}

/// Reads `Name` or `Name/Arity`.
fn wanted(world: &World, proc: Cell) -> Result<WantedProcedure, Stop> {
    let store = &world.store;
    if let Term::Compound(compound) = store.look(proc)
        && (compound.name, compound.arity) == (atoms::DIVIDE, 2)
    {
        let arity = store.arg(compound, 1);
        let number = match store.look(arity) {
            Term::Int(number) => usize::try_from(number).ok(),
            Term::Var(_) => None,
            _ => return Err(type_error(store, "integer", arity)),
        };
        return Ok((text(store, store.arg(compound, 0), "atom")?.into_owned(), number));
    }
    if is_var(store, proc) {
        return Err(instantiation_error());
    }
    Ok((text(store, proc, "procedure")?.into_owned(), None))
}

fn texts(file: &SourceFile, (name, arity): &WantedProcedure) -> Vec<String> {
    let is_wanted = |item: &items::SourceItem| item.name == *name && arity.is_none_or(|arity| item.arity == arity);
    items(&file.text).into_iter().filter(is_wanted).map(|item| file.text[item.place].to_owned()).collect()
}

fn print(world: &mut World, texts: &[String]) -> Result<bool, Stop> {
    for text in texts {
        world.output.write_str(&format!("{text}\n"))?;
    }
    Ok(true)
}

fn current_procedure(world: &mut World, path: Option<Cell>) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let proc = trace.proc_of(event).map(|id| *trace.proc(id)).unwrap_or_default();
    let name = proc.name.map_or("", Atom::as_str);
    let wanted = (name.to_owned(), proc.arity.and_then(|arity| usize::try_from(arity).ok()));
    let file = match (path, proc.def_module.or(proc.decl_module)) {
        (Some(path), _) => {
            let name = text(&world.store, path, "file")?.into_owned();
            file_of_module(world, &name).map_err(|fault| fault.error(world, path, &name))?
        }
        (None, Some(module)) => {
            let fault = |fault: SourceFileFault| fault.error(world, Cell::atom(module), module.as_str());
            file_of_module(world, module.as_str()).map_err(fault)?
        }
        (None, None) => {
            file_with(world, &wanted).map_err(|fault| fault.error(world, Cell::atom(Atom::new(name)), name))?
        }
    };
    let texts = texts(&file, &wanted);
    if texts.is_empty() {
        world.remarks.fail(format!("{} has no `{name}`", file.name));
        return Ok(false);
    }
    print(world, &texts)?;
    match current_line(world, &trace, event, &file) {
        Some(line) => world.output.write_str(&line).map(|()| true),
        None => Ok(true),
    }
}

/// The first file of the folders that has the procedure, for a trace without modules.
fn file_with(world: &World, wanted: &WantedProcedure) -> Result<SourceFile, SourceFileFault> {
    if world.settings.source_folders.is_empty() {
        return Err(SourceFileFault::NoFolder);
    }
    sources(&world.settings.source_folders).find(|file| !texts(file, wanted).is_empty()).ok_or(SourceFileFault::Missing)
}

/// `queens.m:48:     qdelete(U, Rest),`: at an interface event the line of the call, which may be in another module.
fn current_line(world: &World, trace: &Trace, event: EventId, file: &SourceFile) -> Option<String> {
    let number = line_number(trace, event)?;
    let other = calling_module(trace, event).and_then(|module| file_of_module(world, module.as_str()).ok());
    let file = other.as_ref().unwrap_or(file);
    let line = file.text.lines().nth(number - 1)?;
    Some(format!("{}:{number}:{line}\n", file.name))
}

fn line_number(trace: &Trace, event: EventId) -> Option<usize> {
    let Value::Int(number) = trace.value(event, AttributeId::LINE_NUMBER) else { return None };
    usize::try_from(number).ok().filter(|number| *number > 0)
}

/// The module in which the line of an event is: at an interface event that of the caller.
fn calling_module(trace: &Trace, event: EventId) -> Option<Atom> {
    let own = trace.proc_of(event);
    let caller =
        trace.call(event).and_then(|call| trace.parent(call)).and_then(|call| trace.proc_of(trace.call_first(call)));
    let proc = if trace.port_role(event) == PortRole::Inside { own } else { caller };
    proc.and_then(|id| trace.proc(id).def_module.or(trace.proc(id).decl_module))
}

/// The file or the module in which the line of an event is: the attribute `file`, which a call has of its caller, or the
/// module.
fn source_name(trace: &Trace, event: EventId) -> Option<Atom> {
    let caller = trace.call(event).and_then(|call| trace.parent(call)).map(|call| trace.call_first(call));
    let caller = caller.filter(|_| trace.port_role(event) == PortRole::Opens);
    let file = |event| trace.value(event, trace.schema().find("file")?).characters().map(Atom::new);
    let own_module = || trace.proc_of(event).and_then(|id| trace.proc(id).def_module.or(trace.proc(id).decl_module));
    let own = || file(event).or_else(|| calling_module(trace, event)).or_else(own_module);
    caller.and_then(file).or_else(own)
}

/// The name of the source file of an event, the number of its line, and the text of the file.
pub(crate) fn source_excerpt(folders: &[PathBuf], trace: &Trace, event: EventId) -> Option<(String, usize, String)> {
    let number = line_number(trace, event)?;
    let file = file_below(folders, source_name(trace, event)?.as_str()).ok()?;
    (file.text.lines().count() >= number).then_some((file.name, number, file.text))
}
