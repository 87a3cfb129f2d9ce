//! The sources of the traced modules together: what they declare, and all their call sites, reached or not.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::builtins::trace::errors::trace;
use crate::engine::{Cell, Stop, World};
use crate::syntax::diagnostic::Diagnostic;
use crate::term::hash::{HashMap, HashSet};
use crate::term::{Atom, atoms};
use crate::trace::Trace;

use super::declarations::DeclaredProcedure;
use super::files::{SourceFile, file_below, sources};
use super::module::{LocatedCall, Module, module};

/// A procedure that the sources declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(crate) module: String,
    pub(crate) name: Atom,
    pub(crate) arity: usize,
    pub(crate) is_func: bool,
    /// The determinism of each mode; empty if no declaration states one.
    pub(crate) dets: Vec<Atom>,
}

/// A place in the sources where a procedure is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallSite {
    /// The file of the call.
    pub(super) file: String,
    /// The module of the called procedure, if it is known.
    pub(crate) module: Option<String>,
    pub(crate) name: Atom,
    pub(crate) arity: usize,
    pub(super) line: usize,
    pub(super) goal_line: usize,
    /// As in [`Declared`]; empty if no source declares the procedure.
    pub(crate) dets: Vec<Atom>,
}

/// The predicate; fails if there is no source folder, or if it has no source of a traced module.
pub(crate) fn source_program(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if world.settings.source_folders.is_empty() {
        return Ok(false);
    }
    let trace = trace(world)?;
    let Some(SourceProgram { declared: procs, sites, unread }) = program(&world.settings.source_folders, &trace) else {
        return Ok(false);
    };
    unread.into_iter().for_each(|diagnostic| world.scripts.report(diagnostic));
    let tells_modules = trace.procs().any(|(_, proc)| proc.decl_module.is_some());
    let module = |name: Option<&str>| Cell::atom(name.filter(|_| tells_modules).map_or(atoms::MINUS, Atom::new));
    let mut rows = Vec::new();
    for it in &procs {
        let names = [module(Some(&it.module)), Cell::atom(it.name)];
        rows.push(row(world, "proc", &names, &[it.arity], &it.dets));
    }
    let procs = world.store.list(&rows);
    rows.clear();
    for it in &sites {
        let names = [module(it.module.as_deref()), Cell::atom(it.name)];
        rows.push(row(world, "site", &names, &[it.arity, it.line, it.goal_line], &it.dets));
    }
    let sites = world.store.list(&rows);
    Ok(world.store.unify(args[0], procs) && world.store.unify(args[1], sites))
}

/// `functor(Names..., Numbers..., Dets)`
fn row(world: &mut World, functor: &'static str, names: &[Cell], numbers: &[usize], dets: &[Atom]) -> Cell {
    let dets: Vec<Cell> = dets.iter().copied().map(Cell::atom).collect();
    let store = &mut world.store;
    let mut args = names.to_vec();
    args.extend(numbers.iter().map(|number| store.int(*number as i64)));
    args.push(store.list(&dets));
    store.compound(Atom::of_program(functor), &args)
}

/// What the sources of a program say.
pub(super) struct SourceProgram {
    declared: Vec<Declared>,
    pub(super) sites: Vec<CallSite>,
    /// The clauses that cannot be read.
    unread: Vec<Diagnostic>,
}

/// The declarations and call sites of the traced modules and of the modules that they import, as far as the source
/// folders have them; none if they have no source.
pub(super) fn program(folders: &[PathBuf], trace: &Trace) -> Option<SourceProgram> {
    let modules: Vec<Module> = files(folders, trace);
    if modules.is_empty() {
        return None;
    }
    let declared = declared(&modules);
    let by_name = by_name(&declared);
    let (mut sites, mut unread) = (Vec::new(), Vec::new());
    for module in modules {
        let site = |call| site(&module.file, call, &declared, &by_name);
        sites.extend(module.calls.iter().filter_map(site));
        unread.extend(module.unread);
    }
    Some(SourceProgram { declared, sites, unread })
}

/// The modules of the trace that have a source, and their imports; for a trace without modules, the sources that define
/// one of its procedures.
fn files(folders: &[PathBuf], trace: &Trace) -> Vec<Module> {
    let mut names: VecDeque<String> = VecDeque::new();
    for (_, proc) in trace.procs() {
        names.extend([proc.decl_module, proc.def_module].iter().flatten().map(|name| name.as_str().to_owned()));
    }
    let mut modules = Vec::new();
    let mut seen = HashSet::default();
    let mut take = |file: SourceFile, names: &mut VecDeque<String>| {
        if seen.insert(file.name.clone()) && file.name.ends_with(".m") {
            let module = module(&file);
            names.extend(module.imports.iter().cloned());
            modules.push(module);
        }
    };
    if names.is_empty() {
        let procs: HashSet<&str> = trace.procs().filter_map(|(_, proc)| proc.name.map(Atom::as_str)).collect();
        let is_traced =
            |file: &SourceFile| super::items::items(&file.text).iter().any(|item| procs.contains(&*item.name));
        sources(folders).filter(is_traced).for_each(|file| take(file, &mut names));
    }
    let mut asked = HashSet::default();
    while let Some(name) = names.pop_front() {
        if asked.insert(name.clone())
            && let Ok(file) = file_below(folders, &name)
        {
            take(file, &mut names);
        }
    }
    modules
}

/// Declarations of predicates and functions with the determinisms of their modes.
fn declared(modules: &[Module]) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    let mut places: HashMap<(&str, Atom, usize, bool), usize> = HashMap::default();
    for (module, procedure) in modules.iter().flat_map(|module| &module.procedures) {
        let DeclaredProcedure { name, arity, is_func, .. } = *procedure;
        let at = *places.entry((module, name, arity, is_func)).or_insert_with(|| {
            found.push(Declared { module: module.clone(), name, arity, is_func, dets: Vec::new() });
            found.len() - 1
        });
        let by_default = (is_func && procedure.is_mode).then(|| Atom::new("det"));
        found[at].dets.extend(procedure.det.or(by_default));
    }
    for procedure in &mut found {
        if procedure.is_func && procedure.dets.is_empty() {
            procedure.dets.push(Atom::new("det"));
        }
    }
    found
}

fn by_name(declared: &[Declared]) -> HashMap<(Atom, usize), Vec<usize>> {
    let mut places: HashMap<(Atom, usize), Vec<usize>> = HashMap::default();
    for (at, procedure) in declared.iter().enumerate() {
        places.entry((procedure.name, procedure.arity)).or_default().push(at);
    }
    places
}

/// The site of a call; none for a term that is not a call of a function.
fn site(
    file: &str,
    located: &LocatedCall,
    declared: &[Declared],
    by_name: &HashMap<(Atom, usize), Vec<usize>>,
) -> Option<CallSite> {
    let call = &located.call;
    let candidates = by_name.get(&(call.name, call.arity)).map_or(&[][..], Vec::as_slice);
    let mut candidates = candidates.iter().map(|at| &declared[*at]).filter(|it| it.is_func == call.is_value);
    let callee = match &call.module {
        Some(module) => candidates.find(|it| is_module(&it.module, module)),
        None => candidates.clone().find(|it| it.module == located.from).or_else(|| candidates.next()),
    };
    if callee.is_none() && call.is_value {
        return None;
    }
    let is_failure = call.name.as_str() == "fail" && call.arity == 0 && callee.is_none();
    let own = is_failure.then(|| located.from.clone());
    Some(CallSite {
        file: file.to_owned(),
        module: callee.map(|it| it.module.clone()).or(call.module.clone()).or(own),
        name: call.name,
        arity: call.arity,
        line: located.line,
        goal_line: located.goal_line,
        dets: match callee {
            Some(callee) => callee.dets.clone(),
            None if is_failure => vec![Atom::new("failure")],
            None => Vec::new(),
        },
    })
}

/// Whether a name may denote a module: its full name, or the last parts of it.
fn is_module(full: &str, named: &str) -> bool {
    full == named || full.strip_suffix(named).is_some_and(|outer| outer.ends_with('.'))
}
