//! An event with what its prints have shown, and its values in the trace.

use super::columns::OwnValues;
use super::functions::{FunctionArities, ProcKey};
use super::procedure::{LineDetails, PrintedPlace};
use super::variables::{self, PrintedVariable};
use crate::formats::mercury;
use crate::trace::{EventRow, ListField, ProcRow, TraceBuilder};

/// An event with what was printed of it so far.
#[derive(Debug, Default)]
pub(crate) struct PrintedEvent {
    pub(crate) number: i64,
    pub(crate) call: i64,
    pub(crate) depth: Option<i64>,
    pub(crate) port: &'static str,
    pub(crate) generator: Option<String>,
    pub(crate) user_event: Option<String>,
    pub(crate) proc: Option<OwnedProcedure>,
    pub(crate) path: Option<String>,
    pub(crate) context: Option<OwnedPlace>,
    pub(crate) parent: Option<OwnedPlace>,
    pub(crate) variables: Option<Vec<PrintedVariable>>,
    pub(crate) exception: Option<String>,
    pub(crate) source_line: u64,
}

/// A procedure that owns its texts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnedProcedure {
    pub(crate) kind: Option<&'static str>,
    pub(crate) module: Option<String>,
    pub(crate) name: String,
    pub(crate) arity: i64,
    pub(crate) mode: i64,
    pub(crate) defined_in: Option<String>,
    pub(crate) det: Option<&'static str>,
    pub(crate) of_type: Option<String>,
}

/// A place in a source file that owns its text.
#[derive(Debug)]
pub(crate) struct OwnedPlace {
    pub(crate) text: String,
    pub(crate) line: Option<i64>,
}

impl From<PrintedPlace<'_>> for OwnedPlace {
    fn from(place: PrintedPlace<'_>) -> OwnedPlace {
        OwnedPlace { text: place.text.to_owned(), line: place.line }
    }
}

/// Whether two values agree, unless one is absent.
fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

impl PrintedEvent {
    /// Whether this can be another print of the same event.
    pub(crate) fn is_same(&self, other: &PrintedEvent) -> bool {
        self.call == other.call
            && self.port == other.port
            && agree(&self.depth, &other.depth)
            && agree(&self.proc, &other.proc)
            && agree(&self.path, &other.path)
    }

    /// Adds what another print of the event shows.
    pub(crate) fn merge(&mut self, other: PrintedEvent) {
        self.depth = self.depth.or(other.depth);
        self.user_event = self.user_event.take().or(other.user_event);
        self.proc = self.proc.take().or(other.proc);
        self.path = self.path.take().or(other.path);
        self.context = self.context.take().or(other.context);
        self.parent = self.parent.take().or(other.parent);
    }

    /// Adds the parts of a line.
    pub(crate) fn add(&mut self, parts: &LineDetails<'_>) {
        let proc = parts.procedure.map(|one| OwnedProcedure {
            kind: one.kind,
            module: one.module.map(str::to_owned),
            name: one.name.to_owned(),
            arity: one.arity,
            mode: one.mode,
            defined_in: one.defined_in.map(str::to_owned),
            det: one.det,
            of_type: one.of_type.map(str::to_owned),
        });
        self.user_event = self.user_event.take().or(parts.user_event.map(str::to_owned));
        self.proc = self.proc.take().or(proc);
        self.path = self.path.take().or(parts.path.map(str::to_owned));
        self.context = self.context.take().or(parts.context.map(OwnedPlace::from));
        self.parent = self.parent.take().or(parts.parent.map(OwnedPlace::from));
    }

    fn is_interface(&self) -> bool {
        matches!(self.port, "CALL" | "EXIT" | "REDO" | "FAIL" | "EXCP")
    }

    /// The line of the call at interface events, and of the goal at others.
    fn line_number(&self) -> Option<i64> {
        let place = if self.is_interface() { &self.parent } else { &self.context };
        place.as_ref().and_then(|place| place.line)
    }

    /// The texts of all values that were shown.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        let variables = self.variables.iter().flatten().map(|one| one.value.as_str());
        variables.chain(self.exception.as_deref())
    }

    /// Whether an argument with this number is live.
    pub(crate) fn shows(&self, number: i64) -> bool {
        self.variable(number).is_some()
    }

    fn variable(&self, number: i64) -> Option<&PrintedVariable> {
        let number = usize::try_from(number).ok();
        self.variables.iter().flatten().find(|one| one.argument.is_some() && one.argument == number)
    }

    /// The number of arguments of the procedure, without the result of a function.
    pub(crate) fn n_args(&self, functions: &FunctionArities) -> i64 {
        let Some(proc) = &self.proc else { return 0 };
        proc.arity - i64::from(functions.count_result(proc))
    }

    /// The result of a function: its last argument at its exit.
    pub(crate) fn result(&self, n_args: i64) -> Option<String> {
        let is_exit = self.port == "EXIT" && self.proc.as_ref().is_some_and(OwnedProcedure::is_function);
        let last = if is_exit { self.variable(n_args + 1) } else { None };
        last.map(|one| variables::term(&one.value))
    }

    /// A part of each argument that `print *` showed; absent for arguments that are not live.
    fn arguments(&self, n_args: i64, part: impl Fn(&PrintedVariable) -> String) -> Option<Vec<Option<String>>> {
        self.variables.as_ref()?;
        let n_args = Some(n_args).filter(|n_args| (0..1000).contains(n_args))?;
        Some((1..=n_args).map(|number| self.variable(number).map(&part)).collect())
    }

    /// Adds the event to the trace.
    pub(crate) fn push(&self, chrono: Option<i64>, call: i64, n_args: i64, builder: &mut TraceBuilder) {
        let goal_path = match &self.path {
            Some(path) => Some(mercury::goal_path(path, builder)),
            None if self.is_interface() => Some(builder.path(&[])),
            None => None,
        };
        let own = OwnValues::of(self, n_args);
        let terms = self.arguments(n_args, |one| variables::term(&one.value));
        let names = self.arguments(n_args, |one| one.name.clone());
        let [terms, names] = [&terms, &names].map(|list| list.as_deref().map(borrowed));
        let proc = self.proc.as_ref();
        let extra = own.fields(self, builder);
        builder.push(&EventRow {
            chrono,
            call: Some(call),
            depth: self.depth,
            port: Some(self.port),
            proc: proc.map(OwnedProcedure::row).unwrap_or_default(),
            det: proc.and_then(|proc| proc.det),
            goal_path,
            line_number: self.line_number(),
            args: terms.as_deref().map_or(ListField::Absent, ListField::Parts),
            arg_names: names.as_deref().map_or(ListField::Absent, ListField::Parts),
            extra: &extra,
            source_line: self.source_line,
            ..EventRow::default()
        });
    }
}

fn borrowed(list: &[Option<String>]) -> Vec<Option<&str>> {
    list.iter().map(Option::as_deref).collect()
}

impl OwnedProcedure {
    pub(crate) fn is_function(&self) -> bool {
        self.kind == Some("function")
    }

    pub(crate) fn key(&self) -> ProcKey {
        (self.module.clone(), self.name.clone(), self.arity, self.mode)
    }

    fn row(&self) -> ProcRow<'_> {
        ProcRow {
            proc_type: self.kind,
            decl_module: self.module.as_deref(),
            def_module: self.defined_in.as_deref().or(self.module.as_deref()),
            name: Some(&self.name),
            arity: Some(self.arity),
            mode_number: Some(self.mode),
        }
    }
}
