//! Writes event lines, byte for byte as Morphine does; they are read in [`formats`](crate::formats).

use std::borrow::Cow;
use std::fmt::{Result, Write};

use super::display::{Display, DisplayPart};
use super::extent::{ArgumentLimits, ERSATZ, cut};
use crate::formats::brackets;
use crate::formats::mercury::local_vars::{self, LocalVar};
use crate::formats::mercury::types;
use crate::term::Atom;
use crate::term::letters::{atom_text, write_quoted};
use crate::term::print::float_text;
use crate::trace::{ArgIter, ArgTexts, AttributeId, EventId, NOT_LIVE, Trace, Value, result, top_level_comma};

/// The event line as a string, without a line end.
pub(crate) fn event_line(trace: &Trace, event: EventId, display: &Display) -> String {
    let mut line = String::new();
    write_event(&mut line, trace, event, display).expect("writing to a string cannot fail");
    line
}

/// Writes the event line, without a line end; parts that the event lacks are omitted.
///
/// Local variables, if they are shown, follow on lines of their own.
pub(crate) fn write_event(out: &mut impl Write, trace: &Trace, event: EventId, display: &Display) -> Result {
    let (limits, is_whole) = (display.limits(Some(trace)), display.shows_whole_arguments(trace));
    let mut line = EventLineWriter { out, trace, event, display, limits, is_whole };
    line.place()?;
    line.markers()?;
    line.procedure()?;
    line.source()?;
    line.others()?;
    line.local_vars()
}

struct EventLineWriter<'t, W> {
    out: &'t mut W,
    trace: &'t Trace,
    event: EventId,
    display: &'t Display,
    /// What is left out of arguments and of other values.
    limits: ArgumentLimits,
    is_whole: bool,
}

impl<'t, W: Write> EventLineWriter<'t, W> {
    /// The value of an attribute whose part is shown.
    fn shown(&self, part: DisplayPart, attribute: AttributeId) -> Value<'t> {
        if self.display.shows(part) { self.trace.value(self.event, attribute) } else { Value::Absent }
    }

    /// ` 14:     7 [5] `
    fn place(&mut self) -> Result {
        if let Value::Int(chrono) = self.shown(DisplayPart::Chrono, AttributeId::CHRONO) {
            write!(self.out, "{chrono:>3}: ")?;
        }
        self.indentation()?;
        if let Value::Int(call) = self.shown(DisplayPart::Call, AttributeId::CALL) {
            write!(self.out, "{call} ")?;
        }
        if let Value::Int(depth) = self.shown(DisplayPart::Depth, AttributeId::DEPTH) {
            write!(self.out, "[{depth}] ")?;
        }
        Ok(())
    }

    fn indentation(&mut self) -> Result {
        let indent = &self.display.indent;
        if !indent.is_on {
            return Ok(());
        }
        let start = indent.start_in(self.trace);
        let depth = self.trace.depth(self.event).unwrap_or(start);
        for _ in 0..depth.saturating_sub(start).min(indent.limit) {
            self.out.write_str(&indent.string)?;
        }
        Ok(())
    }

    /// `exit nondet (predicate) {queens} queens: `
    fn markers(&mut self) -> Result {
        self.name(DisplayPart::Port, AttributeId::PORT, "", " ")?;
        self.name(DisplayPart::Det, AttributeId::DET, "", " ")?;
        self.name(DisplayPart::ProcType, AttributeId::PROC_TYPE, "(", ") ")?;
        self.name(DisplayPart::DefModule, AttributeId::DEF_MODULE, "{", "} ")?;
        self.name(DisplayPart::DeclModule, AttributeId::DECL_MODULE, "", ": ")
    }

    fn name(&mut self, part: DisplayPart, attribute: AttributeId, before: &str, after: &str) -> Result {
        match self.shown(part, attribute) {
            Value::Atom(name) => write!(self.out, "{before}{}{after}", atom_text(name.as_str())),
            _ => Ok(()),
        }
    }

    /// `qdelete(2 {int}, -, [3] {list__list(int)})/3-0`
    fn procedure(&mut self) -> Result {
        self.name(DisplayPart::Name, AttributeId::NAME, "", "")?;
        self.args()?;
        if let Value::Int(arity) = self.shown(DisplayPart::Arity, AttributeId::ARITY) {
            write!(self.out, "/{arity}")?;
        }
        if let Value::Int(mode) = self.shown(DisplayPart::ModeNumber, AttributeId::MODE_NUMBER) {
            write!(self.out, "-{mode}")?;
        }
        self.result()
    }

    /// ` = 2`, at the exit of a function, or ` = -1 ENOENT`.
    fn result(&mut self) -> Result {
        if !self.display.shows(DisplayPart::Args) {
            return Ok(());
        }
        if let Some(text) = value_text(result(self.trace, self.event)) {
            return write!(self.out, " = {}", argument(&cut(&text, self.limits)));
        }
        let trace = self.trace;
        let of_call = trace.origin().results.iter().filter_map(|name| trace.schema().find(name));
        // names as the program prints them, without quotes
        let text = |id| match trace.value(self.event, id) {
            Value::Atom(name) => Some(Cow::Borrowed(name.as_str())),
            value => value_text(value),
        };
        let texts: Vec<_> = of_call.filter_map(text).collect();
        if texts.is_empty() { Ok(()) } else { write!(self.out, " = {}", texts.join(" ")) }
    }

    fn args(&mut self) -> Result {
        let args = list(self.shown(DisplayPart::Args, AttributeId::ARGS));
        let types = list(self.shown(DisplayPart::Types, AttributeId::ARG_TYPES));
        match (args, types) {
            (Some(args), None) => self.plain_args(args),
            (Some(args), Some(types)) => self.typed_args(args, types),
            (None, Some(types)) => self.only_types(types),
            (None, None) if self.hides_args() => self.out.write_str("()"),
            (None, None) => Ok(()),
        }
    }

    /// Whether `()` must distinguish the procedure from one without arguments.
    fn hides_args(&self) -> bool {
        let parts = [DisplayPart::Args, DisplayPart::Types, DisplayPart::LocalVars];
        if parts.iter().all(|part| !self.display.shows(*part)) {
            return true;
        }
        if self.display.shows(DisplayPart::LocalVars) && !parts[..2].iter().any(|part| self.display.shows(*part)) {
            return self.trace.value(self.event, AttributeId::ARITY) != Value::Int(0);
        }
        let has_name = self.shown(DisplayPart::Name, AttributeId::NAME) != Value::Absent;
        let may_have_some = self.trace.value(self.event, AttributeId::ARITY) != Value::Int(0);
        has_name && may_have_some && self.display.shows(DisplayPart::Args) && !self.display.shows(DisplayPart::Arity)
    }

    fn plain_args(&mut self, args: ArgTexts<'_>) -> Result {
        match args.whole() {
            Cow::Borrowed("") => Ok(()),
            Cow::Borrowed(text) if !has_line_end(text) && self.is_whole => {
                write!(self.out, "({text})")
            }
            _ => self.listed(args.iter(), |line, number, part| line.argument(number, part)),
        }
    }

    /// An argument as far as it is shown.
    fn argument(&mut self, number: usize, text: &str) -> Result {
        if self.is_whole || text == NOT_LIVE {
            return self.out.write_str(&argument(text));
        }
        let proc = self.trace.proc_of(self.event).map(|id| *self.trace.proc(id)).unwrap_or_default();
        if self.display.hidden.iter().any(|hidden| hidden.number == number && hidden.is_of(&proc)) {
            return self.out.write_str(ERSATZ);
        }
        self.out.write_str(&argument(&cut(text, self.limits)))
    }

    fn typed_args(&mut self, args: ArgTexts<'_>, types: ArgTexts<'_>) -> Result {
        let mut types = types.iter();
        self.listed(args.iter(), |line, number, part| {
            line.argument(number, part)?;
            match types.next() {
                Some(kind) if part != NOT_LIVE && kind != NOT_LIVE => {
                    write!(line.out, " {{{}}}", types::print_type(kind))
                }
                _ => Ok(()),
            }
        })
    }

    fn only_types(&mut self, types: ArgTexts<'_>) -> Result {
        self.listed(types.iter(), |line, _, kind| match kind {
            NOT_LIVE => line.out.write_str(NOT_LIVE),
            kind => write!(line.out, "{{{}}}", types::print_type(kind)),
        })
    }

    /// `(`, the parts, numbered from 1 and separated by commas, `)`; nothing without parts.
    fn listed(&mut self, parts: ArgIter<'_>, mut write: impl FnMut(&mut Self, usize, &str) -> Result) -> Result {
        let (mut n_parts, most) = (0, self.display.most_args(self.trace));
        for part in parts {
            self.out.write_str(if n_parts == 0 { "(" } else { ", " })?;
            n_parts += 1;
            if most.is_some_and(|most| n_parts > most) {
                self.out.write_str(ERSATZ)?;
                break;
            }
            write(self, n_parts, part)?;
        }
        if n_parts == 0 { Ok(()) } else { self.out.write_char(')') }
    }

    /// ` [s2, c3, e]  48 `
    fn source(&mut self) -> Result {
        if let Value::Path(steps) = self.shown(DisplayPart::GoalPath, AttributeId::GOAL_PATH) {
            write!(self.out, " {} ", path_text(steps))?;
        }
        if let Value::Int(number) = self.shown(DisplayPart::LineNumber, AttributeId::LINE_NUMBER) {
            write!(self.out, " {number} ")?;
        }
        Ok(())
    }

    /// ` agent=1  dur=ms(1.5) `, for each attribute that is shown and stored.
    fn others(&mut self) -> Result {
        let (trace, display) = (self.trace, self.display);
        let schema = trace.schema();
        if display.shows_every {
            let mut all = schema.iter().chain(schema.computed_of_calls()).filter(|(id, _)| !is_shown_elsewhere(*id));
            return all.try_for_each(|(id, attribute)| self.other(&attribute.name, id));
        }
        let mut shown = display.others(trace.origin().shown);
        shown.try_for_each(|name| schema.find(name).map_or(Ok(()), |id| self.other(name, id)))
    }

    fn other(&mut self, name: &str, id: AttributeId) -> Result {
        let text = match (self.trace.value(self.event, id), self.trace.schema().unit(id)) {
            (Value::Int(time), Some(unit)) => unit.text(time),
            (Value::Path(steps), _) => path_text(steps),
            (Value::Proc(id), _) => self.trace.proc(id).to_string(),
            (value, _) => value_text(value).unwrap_or_default().into_owned(),
        };
        if text.is_empty() {
            return Ok(());
        }
        write!(self.out, " {name}={} ", one_line(&cut(&text, self.limits)))
    }

    fn local_vars(&mut self) -> Result {
        if !self.display.shows(DisplayPart::LocalVars) {
            return Ok(());
        }
        let variables = self.other_variables();
        if variables.is_empty() {
            return Ok(());
        }
        write!(self.out, "\nNon-argument live variables:")?;
        for variable in variables {
            write!(self.out, "\n\t{} = {}", variable.name, variable.value)?;
            if !variable.kind.is_empty() {
                write!(self.out, " {{{}}}", variable.kind)?;
            }
        }
        Ok(())
    }

    /// The live variables other than arguments: those that the trace lists as such, otherwise all live variables except
    /// those with names of arguments.
    fn other_variables(&self) -> Vec<LocalVar> {
        let listed = |attribute| match self.trace.value(self.event, attribute) {
            Value::Term(text) | Value::Text(text) => local_vars::variables(text),
            Value::Atom(name) => local_vars::variables(name.as_str()),
            _ => Vec::new(),
        };
        let others = listed(AttributeId::LOCAL_VARS);
        if !others.is_empty() {
            return others;
        }
        let names = list(self.trace.value(self.event, AttributeId::ARG_NAMES));
        let is_argument = |variable: &LocalVar| {
            variable.name.starts_with("HeadVar__")
                || names.is_some_and(|names| names.iter().any(|name| name == variable.name))
        };
        listed(AttributeId::VARS).into_iter().filter(|variable| !is_argument(variable)).collect()
    }
}

/// Whether parts of the line show the attribute, or other attributes do.
fn is_shown_elsewhere(attribute: AttributeId) -> bool {
    const COMPOSED: [AttributeId; 5] = [
        AttributeId::PROC,
        AttributeId::RESULT,
        AttributeId::VARS,
        AttributeId::VAR_NAMES_AND_TYPES,
        AttributeId::ATTRIBUTES,
    ];
    COMPOSED.contains(&attribute) || DisplayPart::ALL.iter().any(|(_, shown)| *shown == attribute)
}

fn list(value: Value<'_>) -> Option<ArgTexts<'_>> {
    match value {
        Value::Args(list) | Value::Texts(list) => Some(list),
        _ => None,
    }
}

/// `[s2, c3, e]`
pub(crate) fn path_text(steps: &[Atom]) -> String {
    let steps: Vec<Cow<'_, str>> = steps.iter().map(|step| atom_text(step.as_str())).collect();
    format!("[{}]", steps.join(", "))
}

/// The text of a value as a term; none for an absent value.
fn value_text(value: Value<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Int(number) => number.to_string().into(),
        Value::BigInt(digits) => digits.into(),
        Value::Float(number) => float_text(number).into(),
        Value::Bool(truth) => (if truth { "true" } else { "false" }).into(),
        Value::Atom(name) => Cow::Owned(atom_text(name.as_str()).into_owned()),
        Value::Term(text) | Value::Json(text) => text.into(),
        Value::Text(text) => quoted(text).into(),
        Value::Args(list) | Value::Texts(list) => format!("[{}]", list.whole()).into(),
        Value::Absent | Value::Path(_) | Value::Proc(_) => return None,
    })
}

fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text, '"').expect("writing to a string cannot fail");
    quoted
}

fn one_line(text: &str) -> Cow<'_, str> {
    match has_line_end(text) {
        true => Cow::Owned(text.replace('\n', "\\n").replace('\r', "\\r")),
        false => Cow::Borrowed(text),
    }
}

fn has_line_end(text: &str) -> bool {
    memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some()
}

/// The text of an argument such that it is read as one argument on one line: a conjunction is put in parentheses, a
/// text that is not a term in quotes.
fn argument(text: &str) -> Cow<'_, str> {
    let text = one_line(text);
    if !brackets::are_balanced(&text) || text.trim().is_empty() {
        return Cow::Owned(quoted(&text));
    }
    if top_level_comma(&text).is_some() { Cow::Owned(format!("({text})")) } else { text }
}

#[cfg(test)]
#[path = "event_line_tests.rs"]
mod tests;
