//! The display of an event line: which of its 16 parts are shown, how it is indented, and how its arguments are cut.

use std::sync::Arc;

use thiserror::Error;

use super::extent::{ArgumentLimits, BRIEF, ExtentLimit};
use crate::trace::{AttributeId, BASE, Proc, Schema, SchemaError, Trace, known_attribute, nearest};

/// A part of the event line, in the order of Morphine's `attribute_display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisplayPart {
    /// `673: `
    Chrono,
    /// `3 `
    Call,
    /// `exit `
    Port,
    /// `[2] `
    Depth,
    /// `nondet `
    Det,
    /// `(predicate) `
    ProcType,
    /// `queens: `
    DeclModule,
    /// `{queens} `
    DefModule,
    /// `queen`
    Name,
    /// `/2`
    Arity,
    /// `-0`
    ModeNumber,
    /// `([1], -)`
    Args,
    /// The block of live variables below the line.
    LocalVars,
    /// ` {int}` after each live argument.
    Types,
    /// ` [s2, c3, e] `
    GoalPath,
    /// ` 16 `
    LineNumber,
}

impl DisplayPart {
    /// Every part with the attribute that it shows.
    pub(crate) const ALL: [(DisplayPart, AttributeId); 16] = [
        (DisplayPart::Chrono, AttributeId::CHRONO),
        (DisplayPart::Call, AttributeId::CALL),
        (DisplayPart::Port, AttributeId::PORT),
        (DisplayPart::Depth, AttributeId::DEPTH),
        (DisplayPart::Det, AttributeId::DET),
        (DisplayPart::ProcType, AttributeId::PROC_TYPE),
        (DisplayPart::DeclModule, AttributeId::DECL_MODULE),
        (DisplayPart::DefModule, AttributeId::DEF_MODULE),
        (DisplayPart::Name, AttributeId::NAME),
        (DisplayPart::Arity, AttributeId::ARITY),
        (DisplayPart::ModeNumber, AttributeId::MODE_NUMBER),
        (DisplayPart::Args, AttributeId::ARGS),
        (DisplayPart::LocalVars, AttributeId::LOCAL_VARS),
        (DisplayPart::Types, AttributeId::ARG_TYPES),
        (DisplayPart::GoalPath, AttributeId::GOAL_PATH),
        (DisplayPart::LineNumber, AttributeId::LINE_NUMBER),
    ];

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Indentation by depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Indent {
    /// Whether lines are indented.
    pub(crate) is_on: bool,
    /// The string that is repeated for each level.
    pub(crate) string: String,
    /// Depth at which indentation starts.
    pub(crate) start: i64,
    /// The most repetitions.
    pub(crate) limit: i64,
}

impl Default for Indent {
    fn default() -> Indent {
        Indent { is_on: true, string: " ".to_owned(), start: 1, limit: 30 }
    }
}

impl Indent {
    /// The depth at which indentation starts in a trace: at least the least depth of its events.
    pub(crate) fn start_in(&self, trace: &Trace) -> i64 {
        trace.recording().least_depth.map_or(self.start, |least| self.start.max(least))
    }
}

/// How arguments are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ArgumentStyle {
    /// With lists and terms cut as the display says, and without hidden arguments.
    #[default]
    Normal,
    /// In full.
    Simple,
}

/// An argument of procedures that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HiddenArgument {
    /// The known parts of the procedures; any other part may be anything.
    pub(crate) proc: Proc,
    /// The number of the argument, from 1.
    pub(crate) number: usize,
}

impl HiddenArgument {
    /// Whether the argument is hidden in a procedure.
    pub(crate) fn is_of(&self, proc: &Proc) -> bool {
        fn agrees<T: PartialEq>(wanted: Option<T>, found: Option<T>) -> bool {
            wanted.is_none() || wanted == found
        }
        let wanted = &self.proc;
        agrees(wanted.name, proc.name)
            && agrees(wanted.arity, proc.arity)
            && agrees(wanted.decl_module, proc.decl_module)
            && agrees(wanted.mode_number, proc.mode_number)
            && agrees(wanted.proc_type, proc.proc_type)
    }
}

/// What an event line shows. The default is Morphine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Display {
    shown: u16,
    /// The indentation.
    pub(crate) indent: Indent,
    /// How arguments are written.
    pub(crate) arguments: ArgumentStyle,
    /// How lists are cut.
    pub(crate) lists: ExtentLimit,
    /// How terms are cut.
    pub(crate) terms: ExtentLimit,
    /// How texts are cut; none for the way of the trace.
    pub(crate) texts: Option<ExtentLimit>,
    /// How many arguments are shown; none for the way of the trace.
    pub(crate) n_args: Option<ExtentLimit>,
    /// Arguments that are not shown.
    pub(crate) hidden: Vec<HiddenArgument>,
    /// The attributes that are shown at the end of the line though the format of the trace does not show them there, and
    /// those that are hidden though it does, by their full names.
    pub(crate) toggled: Vec<Arc<str>>,
    /// Whether every attribute that no part shows is at the end of the line.
    pub(crate) shows_every: bool,
    /// How many characters of a line are shown; none if all are.
    pub(crate) room: Option<usize>,
}

impl Default for Display {
    fn default() -> Display {
        let parts = [
            DisplayPart::Chrono,
            DisplayPart::Call,
            DisplayPart::Port,
            DisplayPart::Depth,
            DisplayPart::Name,
            DisplayPart::Args,
            DisplayPart::GoalPath,
            DisplayPart::LineNumber,
        ];
        Display::showing(parts.into_iter().fold(0, |shown, part| shown | part.bit()))
    }
}

/// Why a flag cannot be toggled.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum ToggleError {
    /// `toggle(prot)`
    #[error("expected an attribute, found `{name}`{}", near.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default())]
    Unknown {
        /// The given name.
        name: String,
        /// The most similar attribute.
        near: Option<String>,
    },
    /// `toggle(stack)` where there is no trace.
    #[error("`{name}` is no part of the event line: expected one of {}", shown_names())]
    NoPart {
        /// What was given.
        name: String,
    },
    /// `toggle(dur)` where the trace has no such attribute.
    #[error(transparent)]
    Attribute(#[from] SchemaError),
}

fn shown_names() -> String {
    let names = DisplayPart::ALL.iter().filter_map(|(_, id)| attribute_name(*id));
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn attribute_name(id: AttributeId) -> Option<&'static str> {
    BASE.iter().map(|row| row.name).find(|name| known_attribute(name) == Some(id))
}

impl Display {
    fn showing(shown: u16) -> Display {
        Display {
            shown,
            indent: Indent::default(),
            arguments: ArgumentStyle::default(),
            lists: ExtentLimit::default(),
            terms: ExtentLimit::default(),
            texts: None,
            n_args: None,
            hidden: Vec::new(),
            toggled: Vec::new(),
            shows_every: false,
            room: None,
        }
    }

    /// The same display with all parts shown.
    pub(crate) fn with_all(&self) -> Display {
        Display { shown: u16::MAX, ..self.clone() }
    }

    /// The same display with all parts and every other attribute, whose texts are in full if no limit was set.
    pub(crate) fn full(&self) -> Display {
        Display { shows_every: true, texts: Some(self.texts.unwrap_or_default()), ..self.with_all() }
    }

    /// The same display with lists and texts cut.
    pub(crate) fn brief(&self) -> Display {
        Display { lists: BRIEF.lists, texts: Some(BRIEF.texts), ..self.clone() }
    }

    /// The names of the attributes at the end of the line, of which the format shows `own`; events may lack them.
    pub(crate) fn others<'d>(&'d self, own: &'static [&'static str]) -> impl Iterator<Item = &'d str> {
        let toggled = || self.toggled.iter().map(|name| &**name);
        let shown = own.iter().copied().filter(move |name| !toggled().any(|hidden| hidden == *name));
        shown.chain(toggled().filter(|name| !own.contains(name)))
    }

    /// Shows exactly the given parts, which are in the order of [`DisplayPart::ALL`].
    pub(crate) fn set_shown(&mut self, shown: [bool; 16]) {
        let bits = DisplayPart::ALL.into_iter().zip(shown).filter(|(_, is_shown)| *is_shown);
        self.shown = bits.fold(0, |bits, ((part, _), _)| bits | part.bit());
    }

    /// The same display with all arguments of the trace in full, and nothing behind the parts.
    pub(crate) fn only_parts(self, trace: &Trace) -> Display {
        let toggled = trace.origin().shown.iter().map(|name| Arc::from(*name)).collect();
        Display { texts: Some(ExtentLimit::default()), n_args: Some(ExtentLimit::default()), toggled, ..self }
    }

    /// How texts are cut; of spans, whose texts are often long, their first characters are shown.
    pub(crate) fn texts_of(&self, trace: Option<&Trace>) -> ExtentLimit {
        self.texts.unwrap_or_else(|| of_spans(trace, 40))
    }

    /// How many arguments are shown; of spans the first ones.
    pub(crate) fn n_args_of(&self, trace: Option<&Trace>) -> ExtentLimit {
        self.n_args.unwrap_or_else(|| of_spans(trace, 8))
    }

    /// What is left out of the arguments.
    pub(crate) fn limits(&self, trace: Option<&Trace>) -> ArgumentLimits {
        match self.arguments {
            ArgumentStyle::Simple => ArgumentLimits::default(),
            ArgumentStyle::Normal => {
                ArgumentLimits { lists: self.lists, terms: self.terms, texts: self.texts_of(trace) }
            }
        }
    }

    /// How many arguments are shown at most, if not all are.
    pub(crate) fn most_args(&self, trace: &Trace) -> Option<usize> {
        let limit = (self.arguments == ArgumentStyle::Normal).then(|| self.n_args_of(Some(trace)));
        limit.and_then(ExtentLimit::most)
    }

    /// Whether the arguments are written in full.
    pub(crate) fn shows_whole_arguments(&self, trace: &Trace) -> bool {
        let is_normal = || self.hidden.is_empty() && self.most_args(trace).is_none();
        self.arguments == ArgumentStyle::Simple || self.limits(Some(trace)).are_none() && is_normal()
    }

    /// The layout of the line, with names in place of values; the format shows the attributes `own` at its end.
    pub(crate) fn layout(&self, own: &'static [&'static str]) -> String {
        let named = [
            (DisplayPart::Chrono, "chrono: "),
            (DisplayPart::Call, "call "),
            (DisplayPart::Depth, "[depth] "),
            (DisplayPart::Port, "port "),
            (DisplayPart::Det, "deter "),
            (DisplayPart::ProcType, "(proc_type) "),
            (DisplayPart::DefModule, "{def_module} "),
            (DisplayPart::DeclModule, "decl_module: "),
            (DisplayPart::Name, "name"),
        ];
        let behind = [
            (DisplayPart::Arity, "/arity"),
            (DisplayPart::ModeNumber, "-mode_number"),
            (DisplayPart::GoalPath, " goal_path "),
            (DisplayPart::LineNumber, " line_number "),
        ];
        let below = [(DisplayPart::LocalVars, "\nNon-argument live variables:\n\tname = value {type}")];
        let shown = |parts: &[(DisplayPart, &'static str)]| -> String {
            parts.iter().filter(|(part, _)| self.shows(*part)).map(|(_, text)| *text).collect()
        };
        let args = match (self.shows(DisplayPart::Args), self.shows(DisplayPart::Types)) {
            (true, true) => "(arg {type})",
            (true, false) => "(arg)",
            (false, true) => "({type})",
            (false, false) => "()",
        };
        let others = match self.shows_every {
            true => " attribute=value ".to_owned(),
            false => self.others(own).map(|name| format!(" {name}=value ")).collect(),
        };
        format!("{}{args}{}{others}{}", shown(&named), shown(&behind), shown(&below))
    }

    /// The default parts and all others that the trace has: the line from which an event can be read back.
    pub(crate) fn of(trace: &Trace) -> Display {
        let mut display = Display::default();
        for (part, _) in
            DisplayPart::ALL.into_iter().filter(|(part, id)| *part != DisplayPart::Arity && trace.schema().has(*id))
        {
            display.shown |= part.bit();
        }
        let has_arity_only = trace.schema().has(AttributeId::ARITY) && !trace.schema().has(AttributeId::ARGS);
        if has_arity_only {
            display.shown |= DisplayPart::Arity.bit();
        }
        display
    }

    /// Whether a part is shown.
    pub(crate) fn shows(&self, part: DisplayPart) -> bool {
        self.shown & part.bit() != 0
    }

    /// Shows the attribute with that name or alias if it is hidden, and hides it if it is shown; it must be a part of
    /// every event line or an attribute of the trace.
    pub(crate) fn toggle(&mut self, attribute: &str, schema: Option<&Schema>) -> Result<(), ToggleError> {
        if let Some(part) = part_of(attribute) {
            self.shown ^= part.bit();
            return Ok(());
        }
        let name = own_name(attribute, schema)?;
        match self.toggled.iter().position(|toggled| *toggled == name) {
            Some(place) => drop(self.toggled.remove(place)),
            None => self.toggled.push(name),
        }
        Ok(())
    }

    /// Shows the attribute of the trace with that name or alias.
    pub(crate) fn show(&mut self, attribute: &str, trace: &Trace) -> Result<(), ToggleError> {
        let name = own_name(attribute, Some(trace.schema()))?;
        match part_of(attribute) {
            Some(part) => self.shown |= part.bit(),
            None if self.others(trace.origin().shown).any(|shown| *shown == *name) => {}
            None => self.toggle(attribute, Some(trace.schema()))?,
        }
        Ok(())
    }
}

/// The first `number` for a trace of spans, and everything for any other one.
fn of_spans(trace: Option<&Trace>, number: usize) -> ExtentLimit {
    let is_of_spans = trace.is_some_and(|trace| trace.schema().is_of_spans());
    if is_of_spans { ExtentLimit::first(number) } else { ExtentLimit::default() }
}

/// The part of every event line that shows this attribute.
fn part_of(attribute: &str) -> Option<DisplayPart> {
    let id = known_attribute(attribute)?;
    DisplayPart::ALL.iter().find(|(_, shown)| *shown == id).map(|(part, _)| *part)
}

/// The full name of an attribute of the trace.
fn own_name(attribute: &str, schema: Option<&Schema>) -> Result<Arc<str>, ToggleError> {
    if let Some(schema) = schema {
        return Ok(schema.get(schema.resolve(attribute)?).name.clone());
    }
    if known_attribute(attribute).is_some() {
        return Err(ToggleError::NoPart { name: attribute.to_owned() });
    }
    let names = BASE.iter().flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()));
    let near = nearest(attribute, names.filter(|name| name.len() > 2)).map(str::to_owned);
    Err(ToggleError::Unknown { name: attribute.to_owned(), near })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_parts_are_shown_at_first() {
        let display = Display::default();
        let shown: Vec<DisplayPart> =
            DisplayPart::ALL.iter().map(|(part, _)| *part).filter(|part| display.shows(*part)).collect();
        let expected = "[Chrono, Call, Port, Depth, Name, Args, GoalPath, LineNumber]";
        assert_eq!(format!("{shown:?}"), expected);
        assert!(DisplayPart::ALL.iter().all(|(part, _)| display.with_all().shows(*part)));
    }

    #[test]
    fn a_flag_is_flipped_by_any_name_of_its_attribute() {
        let mut display = Display::default();
        for (name, part) in [
            ("deter", DisplayPart::Det),
            ("types", DisplayPart::Types),
            ("c", DisplayPart::Chrono),
            ("nav", DisplayPart::LocalVars),
        ] {
            let before = display.shows(part);
            assert_eq!(display.toggle(name, None), Ok(()));
            assert_eq!(display.shows(part), !before);
        }
    }

    #[test]
    fn other_names_are_errors_that_help() {
        let mut display = Display::default();
        let unknown = display.toggle("prot", None).expect_err("no attribute");
        assert_eq!(unknown.to_string(), "expected an attribute, found `prot` (did you mean `port`?)");
        let no_part = display.toggle("stack", None).expect_err("no part of the line").to_string();
        assert!(
            no_part.starts_with("`stack` is no part of the event line: expected one of `chrono`, `call`, "),
            "{no_part}"
        );
        assert_eq!(display, Display::default());
    }
}
