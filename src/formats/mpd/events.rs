//! From lines to events: takes the chunks in order, and keeps the state of the run.

use indexmap::IndexMap;

use super::FORMAT;
use super::columns::AttributeIds;
use super::files::SourceFiles;
use super::invocations::{Invocation, WaitingInvocations};
use super::line::{self, parse};
use super::part::{EXTRA, LineEvent, MpdPart, OtherLine, PID, PROC};
use super::paths::BoxPaths;
use super::ports::MpdEvent;
use super::process::Processes;
use super::rules::ProcessStep;
use super::semaphores::Semaphores;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::{Chunk, LineEnding, Lines, text};
use crate::term::hash::{HashMap, RandomState};
use crate::trace::{
    ArgsId, AttributeId, EventId, EventRow, EventTable, Field, KeyId, KnownColumns, LazyInts, ListField, ProcRow,
    TraceBuilder, Value, ValueId,
};

/// A trace that is being read, and what is known of the run so far.
pub(super) struct MpdReader<'b> {
    pub(super) builder: &'b mut TraceBuilder,
    pub(super) ids: AttributeIds,
    pub(super) procs: BytesInterner,
    keys: HashMap<(u32, MpdEvent), KeyId>,
    pub(super) numbers: IndexMap<u64, WrittenNumber, RandomState>,
    no_args: ArgsId,
    files: SourceFiles,
    /// The number of the file of each event.
    file_codes: EventTable,
    pub(super) paths: BoxPaths,
    pub(super) processes: Processes,
    pub(super) semaphores: Semaphores,
    pub(super) invocations: Vec<Invocation>,
    pub(super) waiting: WaitingInvocations,
    /// The first line that the program wrote, and how many.
    output: Option<(u64, u64)>,
    /// How many boxes there were.
    pub(super) boxes: i64,
    /// Whether a line had the number of its machine.
    has_machines: bool,
    /// How many lines the chunks before had.
    pub(super) n_lines: u64,
}

/// How a hexadecimal number is first written, with its numbers as a value of `pid` and `extra`.
type WrittenNumber = (Box<str>, [Option<ValueId>; 2]);

impl MpdReader<'_> {
    /// A reader that fills a builder without events, after `n_lines` lines.
    pub(super) fn new(n_lines: u64, builder: &mut TraceBuilder) -> MpdReader<'_> {
        MpdReader {
            ids: AttributeIds::new(builder),
            paths: BoxPaths::new(builder),
            no_args: builder.args(""),
            builder,
            procs: BytesInterner::default(),
            keys: HashMap::default(),
            numbers: IndexMap::default(),
            files: SourceFiles::default(),
            file_codes: EventTable::default(),
            processes: Processes::default(),
            semaphores: Semaphores::default(),
            invocations: Vec::new(),
            waiting: WaitingInvocations::default(),
            output: None,
            boxes: 0,
            has_machines: false,
            n_lines,
        }
    }

    /// Takes the lines of the next chunk.
    pub(super) fn part(&mut self, chunk: &Chunk, part: &mut MpdPart) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            return self.builder.finding(FORMAT.rule, None, Some(self.n_lines), Lines::too_long("line"));
        }
        // an event makes one invocation at most
        let n_bytes = part.events.len() * size_of::<Invocation>();
        if !self.builder.make_room(part.events.len() as u32, n_bytes) {
            return;
        }
        self.number_names(part);
        let mut others = part.others.iter().peekable();
        for (n_before, event) in part.events.iter().enumerate() {
            while let Some(other) = others.next_if(|other| other.n_before <= n_before) {
                self.other(other);
            }
            let step = self.step(event, part);
            self.event(step);
        }
        others.for_each(|other| self.other(other));
        self.n_lines += part.n_lines;
    }

    /// Numbers the names that are new to a thread.
    fn number_names(&mut self, part: &mut MpdPart) {
        for name in part.in_trace.len() as u32..part.names.len() as u32 {
            part.in_trace.push(match part.names.entry(name) {
                (name, PROC) => self.procs.number(name, 0),
                (digits, PID) => self.number(digits, 0, self.ids.pid),
                (digits, EXTRA) => self.number(digits, 1, self.ids.extra),
                // what file it is depends on the procedure
                _ => name,
            });
        }
    }

    /// Numbers what is written as a process or an additional field.
    fn number(&mut self, digits: &[u8], field: usize, id: AttributeId) -> u32 {
        let Hex { value, digits } = Hex::of(digits).expect("the line was parsed before");
        let number = self.numbers.entry(value);
        let index = number.index() as u32;
        let (text, values) = number.or_insert_with(|| (text::visible(digits).into(), [None; 2]));
        values[field].get_or_insert_with(|| self.builder.value(id, Field::Atom(text)));
        index
    }

    /// What a line says of its event.
    fn step(&mut self, line: &LineEvent, part: &MpdPart) -> ProcessStep {
        let number = self.n_lines + line.line + 1;
        let [proc, pid, extra] = [line.proc, line.pid, line.extra].map(|name| part.in_trace[name as usize]);
        let file = line.place.map(|(file, _)| self.files.code(part.names.entry(file).0, proc));
        if line.vm.is_none() && self.has_machines {
            let message = "the machine is missing, though lines before have one: taken for machine 1";
            self.fault(number, "M12", message);
        }
        self.has_machines |= line.vm.is_some();
        let (event, vm, line) = (line.event, line.vm.unwrap_or(1), line.place.map(|(_, line)| line));
        let place = self.processes.place((vm, pid));
        ProcessStep { event, vm, file, line, proc, pid, extra, number, place, ..ProcessStep::default() }
    }

    /// Reports that the next event breaks a rule.
    #[cold]
    pub(super) fn fault(&mut self, number: u64, rule: &'static str, message: impl Into<String>) {
        let chrono = i64::from(self.builder.n_events()) + 1;
        self.builder.finding(rule, Some(chrono), Some(number), message);
    }

    /// Takes a line that is no event: a damaged one, or output of the program.
    fn other(&mut self, OtherLine { line, text, .. }: &OtherLine) {
        let number = self.n_lines + line + 1;
        match parse(text) {
            Err(fault) if self.files.begins(text) || line::has_event(text) => {
                self.builder.finding(FORMAT.rule, None, Some(number), fault.message(text));
            }
            _ => self.output.get_or_insert((number, 0)).1 += 1,
        }
    }

    /// Sets a value of the next event.
    pub(super) fn set(&mut self, id: AttributeId, field: Field<'_>) {
        let event = self.builder.n_events();
        self.builder.fill(id, [(event, field)].into_iter());
    }

    /// Adds an event to the trace; none if there are too many.
    pub(super) fn push(&mut self, step: &ProcessStep) -> Option<EventId> {
        let row = EventRow {
            call: step.call,
            depth: Some(step.depth),
            key: Some(self.key(step)),
            goal_path: Some(self.paths.id(step.path)),
            line_number: step.line,
            args: ListField::Known(step.args.unwrap_or(self.no_args)),
            source_line: step.number,
            ..EventRow::default()
        };
        let event = self.builder.push(&row)?;
        let (ids, process) = (&self.ids, &self.processes.all[step.place]);
        let value = |number: u32, field: usize| self.numbers[number as usize].1[field].map(Field::Known);
        for (id, field) in [
            (ids.vm, Some(Field::Int(step.vm))),
            (ids.pid, value(step.pid, 0)),
            (ids.inc, Some(Field::Int(process.inc))),
            (ids.process, process.value.map(Field::Known)),
            (ids.extra, value(step.extra, 1)),
            (ids.idepth, Some(Field::Int(step.idepth.into()))),
            (ids.parent, step.parent.map(Field::Int)),
            (ids.invoker, step.invoker.as_deref().map(Field::Term)),
        ] {
            field.into_iter().for_each(|field| self.builder.extend_last(id, field));
        }
        step.file.into_iter().for_each(|file| self.file_codes.set_cell(0, event, Field::Int(file.into())));
        self.file_codes.end_row();
        Some(event)
    }

    /// The procedure and port of an event.
    fn key(&mut self, step: &ProcessStep) -> KeyId {
        *self.keys.entry((step.proc, step.event)).or_insert_with(|| {
            let name = text::visible(self.procs.entry(step.proc).0);
            self.builder.key(&ProcRow { name: Some(&name), ..ProcRow::default() }, Some(step.event.port()), None)
        })
    }

    /// Adds what is known only at the end.
    pub(super) fn finish(mut self) {
        if let Some((first, n_lines)) = self.output {
            let message = match n_lines {
                1 => "output of the program is passed over".to_owned(),
                _ => format!("{n_lines} lines of output of the program are passed over, this is the first"),
            };
            self.builder.finding("output", None, Some(first), message);
        }
        let (blocked, lives, builder, ids) = (self.blocked(), self.processes.lives(), self.builder, self.ids);
        let number = |event: EventId| Field::Int(i64::from(event) + 1);
        builder.fill(ids.blocked, blocked.into_iter().map(|event| (event, Field::Bool(true))));
        let created = self.semaphores.created.into_iter();
        builder.fill(ids.initial, created.filter_map(|(event, value)| Some((event, Field::Int(value?)))));
        let made = self.invocations.iter();
        builder.fill(ids.served_at, made.clone().filter_map(|made| Some((made.made_at, number(made.served_at?)))));
        builder.fill(ids.answered_at, made.filter_map(|made| Some((made.made_at, number(made.answered_at?)))));
        builder.fill(ids.last_in_process, lives.iter().map(|(first, last, _)| (*first, number(*last))));
        builder.fill(ids.fate, lives.iter().map(|(first, _, fate)| (*first, Field::Atom(fate))));
        if lives.iter().any(|(first, last, _)| first < last) {
            builder.lazy_ints(ids.next_in_process, move |known, column| next_in_process(ids.process, known, column));
        }
        let name = |name| Field::Known(builder.value(ids.file, Field::Atom(&text::visible(name))));
        let names: Vec<Field<'_>> = self.files.names().map(name).collect();
        for codes in self.file_codes.finish(1, builder).iter().filter(|codes| !codes.is_empty()) {
            let name = |event| match codes.at(event) {
                Value::Int(code) => Some((event, names[code as usize])),
                _ => None,
            };
            builder.fill(ids.file, (0..builder.n_events()).filter_map(name));
        }
    }
}

/// The next event of the same incarnation of a process.
fn next_in_process(process: AttributeId, known: &KnownColumns, column: &mut LazyInts) {
    let (mut last, mut next) = (HashMap::default(), vec![0; known.events().len()]);
    for event in known.events() {
        if let Some(before) = last.insert(known.value(process, event), event) {
            next[before as usize] = event;
        }
    }
    for (event, next) in known.events().zip(next).filter(|(_, next)| *next > 0) {
        column.set(event, i64::from(next) + 1);
    }
}
