//! From lines to events: the lists of an event line, its goal path, and the live variables below it.

use std::borrow::Cow;

use super::FORMAT;
use super::line::{self, EventFields, UnreadableLine};
use super::rules::LineLayout;
use crate::formats::lines::{Line, LineEnding, Lines, text};
use crate::formats::mercury::{goal_path, local_vars, types};
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventRow, Field, ListField, PathId, ProcRow, TraceBuilder};

/// Reads any event line.
pub(crate) struct EventReader<'b> {
    /// What the lines of the trace have in common.
    pub(crate) layout: LineLayout,
    /// Takes the events.
    pub(crate) builder: &'b mut TraceBuilder,
    /// The goal paths so far.
    pub(crate) paths: GoalPaths,
}

impl EventReader<'_> {
    /// Reads all of some lines.
    pub(crate) fn lines(&mut self, lines: &mut Lines) {
        while let Some(line) = lines.next_line() {
            let (number, ending) = (line.number, line.ending);
            if !line.bytes.is_empty() && lines.next_starts_with(local_vars::HEADING) {
                let event = lines.kept().to_vec();
                let locals = local_vars::read(lines);
                self.line(Line { bytes: &event, number, ending }, Some(&locals));
            } else {
                self.line(Line { bytes: lines.kept(), number, ending }, None);
            }
        }
    }

    /// Reads a line, with the live variables below it.
    pub(crate) fn line(&mut self, line: Line<'_>, locals: Option<&str>) {
        if line.ending == LineEnding::TooLong {
            let message = Lines::too_long("line");
            return self.builder.finding(FORMAT.rule, None, Some(line.number), message);
        }
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        match line::parse(line.bytes).and_then(|event| self.layout.check(event, line)) {
            Ok(event) => self.event(&event, line.number, locals),
            Err(fault) => self.reject(fault, line),
        }
    }

    #[cold]
    fn reject(&mut self, fault: UnreadableLine, line: Line<'_>) {
        self.builder.finding(FORMAT.rule, None, Some(line.number), fault.message(line.bytes));
    }

    fn event(&mut self, event: &EventFields<'_>, source_line: u64, locals: Option<&str>) {
        let text = event.args.map_or(Cow::Borrowed(""), |args| text::visible(args.text));
        let lists = self.lists(event, &text, source_line);
        let local_vars = locals.and_then(|term| Some((self.builder.attribute("local_vars")?, Field::Term(term))));
        let result = event.result.map(text::visible);
        let result = result.as_deref().and_then(|term| Some((self.builder.attribute("result")?, Field::Term(term))));
        let extra: Vec<(AttributeId, Field<'_>)> = local_vars.into_iter().chain(result).collect();
        let types: Vec<Option<&str>> = lists.types.iter().flatten().map(Option::as_deref).collect();
        let (decl_module, def_module) = (event.decl_module.map(text::name), event.def_module.map(text::name));
        let name = event.name.map(text::name);
        let goal_path = event.goal_path.map(|path| self.paths.id(path, self.builder));
        let proc = ProcRow {
            proc_type: event.proc_type,
            decl_module: decl_module.as_deref(),
            def_module: def_module.as_deref(),
            name: name.as_deref(),
            arity: event.n_args(),
            mode_number: event.mode_number,
        };
        self.builder.push(&EventRow {
            chrono: event.chrono,
            call: event.call,
            depth: event.depth,
            port: event.port,
            proc,
            det: event.det,
            key: None,
            goal_path,
            line_number: event.line_number,
            args: lists.args.as_field(),
            arg_types: if lists.types.is_some() { ListField::Parts(&types) } else { ListField::Absent },
            arg_names: ListField::Absent,
            extra: &extra,
            source_line,
        });
    }

    /// The text between the parentheses as arguments, and as types if the trace prints them.
    fn lists<'t>(&mut self, event: &EventFields<'_>, text: &'t str, line: u64) -> EventLists<'t> {
        let Some(args) = event.args else {
            let has_none = event.n_args() == Some(0);
            return EventLists { args: if has_none { ArgsField::Printed("") } else { ArgsField::Hidden }, types: None };
        };
        if !args.is_balanced {
            self.builder.finding(
                "L2",
                event.chrono,
                Some(line),
                "the brackets or quotes of the arguments do not match",
            );
            return EventLists { args: ArgsField::Parts(vec![Some(text)]), types: None };
        }
        if args.count == 0 {
            return EventLists { args: ArgsField::Hidden, types: None };
        }
        let typed = types::split(text).filter(|typed| self.layout.has_types || typed.are_certain());
        match typed {
            Some(typed) if typed.has_no_values => EventLists { args: ArgsField::Hidden, types: Some(typed.types) },
            Some(typed) => EventLists { args: ArgsField::Parts(typed.values), types: Some(typed.types) },
            None => EventLists { args: ArgsField::Printed(text), types: None },
        }
    }
}

/// The lists of one event.
struct EventLists<'t> {
    args: ArgsField<'t>,
    types: Option<Vec<Option<String>>>,
}

/// Arguments: not printed, as one text, or one by one.
enum ArgsField<'t> {
    Hidden,
    Printed(&'t str),
    Parts(Vec<Option<&'t str>>),
}

impl ArgsField<'_> {
    fn as_field(&self) -> ListField<'_> {
        match self {
            ArgsField::Hidden => ListField::Absent,
            ArgsField::Printed(text) => ListField::Text(text),
            ArgsField::Parts(parts) => ListField::Parts(parts),
        }
    }
}

/// Goal paths by their text: a trace has few different ones.
#[derive(Default)]
pub(crate) struct GoalPaths(HashMap<Box<[u8]>, PathId>);

impl GoalPaths {
    /// The number of the path that is written so.
    pub(crate) fn id(&mut self, written: &[u8], builder: &mut TraceBuilder) -> PathId {
        if let Some(&id) = self.0.get(written) {
            return id;
        }
        let text = text::visible(written);
        let id = goal_path(&text, builder);
        self.0.insert(written.into(), id);
        id
    }
}
