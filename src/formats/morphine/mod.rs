//! The `morphine` format: event lines as Morphine prints them, with any of its display flags off.

mod batch;
pub mod brackets;
mod excerpt;
mod heads;
mod layout;
pub mod line;
pub mod locals;
mod merge;
mod numbered;
mod pick;
mod plain;
pub mod types;
pub mod words;

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::trace::{ArgTexts, AttributeId, EventRow, Field, ListField, PathId, PortSet, ProcRow, TraceBuilder};

use super::lines::{Attached, Ending, Line, Lines};
use super::{Follow, Format, ahead, text};
use batch::Batch;
use layout::Layout;
use line::{EventLine, Fault};
use merge::{Columns, Merge, Words};

pub use words::PORTS;

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "morphine",
    doc: "event lines as Morphine prints them, with any of its display flags",
    sample: "  8:    5 [4] disj qdelete(-, [1, 2], -) [c2, d1]  52 ",
    missing: "no line like `8: 5 [4] exit p(a) []`",
    rule: "L1",
    ports: PortSet::Closed(PORTS),
    sniff,
    read,
    excerpt: Some(excerpt::read),
    follow: Follow::Lines,
    ..Format::PLAIN
};

/// Lines that stay with the event above them.
const ATTACHED: Attached = Attached::Below { heading: locals::HEADING, indent: locals::INDENT };

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
    lines.filter(|line| line::parse(line).is_ok_and(|event| event.port.is_some())).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let layout = Layout::of(lines.sample());
    let plain = if layout.has_types { Plain::No } else { Plain::Yes };
    read_as(plain, layout, lines, builder);
}

fn read_as(plain: Plain, layout: Layout, lines: &mut Lines, builder: &mut TraceBuilder) {
    if plain == Plain::Yes && ahead::n_threads(lines) > 1 {
        lines.file.take().into_iter().for_each(|file| builder.leave_texts_in(file));
    }
    let reader = Reader { layout, builder, paths: Paths::default() };
    let mut merge = Merge { reader, n_lines: 0, columns: Columns::ALL };
    let parse = |text: &[u8], (batch, words): &mut (Batch, Words)| match plain {
        Plain::Yes => batch.read(text, &mut words.reader),
        Plain::No => batch.leave_whole(text),
    };
    ahead::read(lines, Some(ATTACHED), parse, |chunk, (batch, words)| merge.chunk(chunk, batch, words));
    lines.count_lines(merge.n_lines);
}

/// Whether there can be plain lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plain {
    Yes,
    No,
}

/// Reads any event line.
struct Reader<'b> {
    layout: Layout,
    builder: &'b mut TraceBuilder,
    paths: Paths,
}

impl Reader<'_> {
    fn lines(&mut self, lines: &mut Lines) {
        while let Some(line) = lines.next_line() {
            let (number, ending) = (line.number, line.ending);
            if !line.bytes.is_empty() && lines.next_starts_with(locals::HEADING) {
                let event = lines.kept().to_vec();
                let locals = locals::read(lines);
                self.line(Line { bytes: &event, number, ending }, Some(&locals));
            } else {
                self.line(Line { bytes: lines.kept(), number, ending }, None);
            }
        }
    }

    fn line(&mut self, line: Line<'_>, locals: Option<&str>) {
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
struct Paths(FxHashMap<Box<[u8]>, PathId>);

impl Paths {
    fn id(&mut self, written: &[u8], builder: &mut TraceBuilder) -> PathId {
        if let Some(&id) = self.0.get(written) {
            return id;
        }
        let text = text::visible(written);
        let id = path(&text, builder);
        self.0.insert(written.into(), id);
        id
    }
}

/// What ends a step, and what ends none: a quoted step is whole.
const STEP_ENDS: &[char] = &[';'];
const NO_STEP_END: &[char] = &[];

/// The number of the path whose steps are written `s1, c2, t` or `s1;c2;t;`.
pub fn path(written: &str, builder: &mut TraceBuilder) -> PathId {
    let steps = ArgTexts::new(written).iter();
    let steps =
        steps.flat_map(|step| if step.starts_with('\'') { step.split(NO_STEP_END) } else { step.split(STEP_ENDS) });
    let steps = steps.map(str::trim).filter(|step| !step.is_empty());
    let names: Vec<Cow<'_, str>> = steps.map(|step| text::name(step.as_bytes())).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    builder.path(&names)
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
#[path = "subset_tests.rs"]
mod tests;
