//! Any event line as an event of the trace: its lists, its goal path, and the live variables below it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::FORMAT;
use super::line::{self, EventLine, Fault};
use super::rules::Layout;
use crate::formats::lines::{Ending, Line, Lines, text};
use crate::formats::mercury::{goal_path, local_vars, types};
use crate::trace::{AttributeId, EventRow, Field, ListField, PathId, ProcRow, TraceBuilder};

/// Reads any event line.
pub struct Reader<'b> {
    /// What the lines of the trace have in common.
    pub layout: Layout,
    /// Takes the events.
    pub builder: &'b mut TraceBuilder,
    /// The goal paths so far.
    pub paths: Paths,
}

impl Reader<'_> {
    /// Reads all of some lines.
    pub fn lines(&mut self, lines: &mut Lines) {
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
    pub fn line(&mut self, line: Line<'_>, locals: Option<&str>) {
        if line.ending == Ending::TooLong {
            let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
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
    fn reject(&mut self, fault: Fault, line: Line<'_>) {
        self.builder.finding(FORMAT.rule, None, Some(line.number), fault.message(line.bytes));
    }

    fn event(&mut self, event: &EventLine<'_>, source_line: u64, locals: Option<&str>) {
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

    /// What stands between the parentheses, types told from arguments if the trace prints them.
    fn lists<'t>(&mut self, event: &EventLine<'_>, text: &'t str, line: u64) -> Lists<'t> {
        let Some(args) = event.args else {
            let has_none = event.n_args() == Some(0);
            return Lists { args: if has_none { Args::Printed("") } else { Args::Hidden }, types: None };
        };
        if !args.is_balanced {
            self.builder.finding(
                "L2",
                event.chrono,
                Some(line),
                "the brackets or quotes of the arguments do not match",
            );
            return Lists { args: Args::Parts(vec![Some(text)]), types: None };
        }
        if args.count == 0 {
            return Lists { args: Args::Hidden, types: None };
        }
        let typed = types::split(text).filter(|typed| self.layout.has_types || typed.are_told());
        match typed {
            Some(typed) if typed.has_no_values => Lists { args: Args::Hidden, types: Some(typed.types) },
            Some(typed) => Lists { args: Args::Parts(typed.values), types: Some(typed.types) },
            None => Lists { args: Args::Printed(text), types: None },
        }
    }
}

/// The lists of one event.
struct Lists<'t> {
    args: Args<'t>,
    types: Option<Vec<Option<String>>>,
}

/// Arguments: not printed, as one text, or one by one.
enum Args<'t> {
    Hidden,
    Printed(&'t str),
    Parts(Vec<Option<&'t str>>),
}

impl Args<'_> {
    fn as_field(&self) -> ListField<'_> {
        match self {
            Args::Hidden => ListField::Absent,
            Args::Printed(text) => ListField::Text(text),
            Args::Parts(parts) => ListField::Parts(parts),
        }
    }
}

/// Goal paths by their text, as few different ones come again and again.
#[derive(Default)]
pub struct Paths(FxHashMap<Box<[u8]>, PathId>);

impl Paths {
    /// The number of the path that is written so.
    pub fn id(&mut self, written: &[u8], builder: &mut TraceBuilder) -> PathId {
        if let Some(&id) = self.0.get(written) {
            return id;
        }
        let text = text::visible(written);
        let id = goal_path(&text, builder);
        self.0.insert(written.into(), id);
        id
    }
}
