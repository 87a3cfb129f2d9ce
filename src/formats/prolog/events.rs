//! From the goals of chunks to events: takes the chunks in order, and finds the box of each event.

use super::FORMAT;
use super::boxes::{PrintedNumber, ProcCode};
use super::chunk::{PrintedGoal, TracerChunk};
use super::columns::AttributeIds;
use super::goal::GoalArgs;
use super::line::{Tracer, TracerPort};
use super::rebuild::{SoughtEvent, ThreadBoxes};
use super::rules::TracerRule;
use crate::formats::lines::{Chunk, LineEnding, Lines, text};
use crate::term::hash::HashMap;
use crate::term::letters::write_quoted;
use crate::trace::{AttributeId, EventRow, Field, KeyId, ListField, ProcRow, RecordedAt, TraceBuilder};

/// Reads a trace; holds what is known so far.
pub(crate) struct TracerReader<'b> {
    tracer: Tracer,
    builder: &'b mut TraceBuilder,
    ids: AttributeIds,
    threads: HashMap<Option<String>, ThreadBoxes>,
    n_calls: u32,
    /// Codes of names, and of names with arities.
    names: HashMap<Box<[u8]>, u32>,
    names_and_arities: HashMap<(u32, i64), u32>,
    /// The last event, if the tracer waited for a command after it.
    at_prompt: Option<PromptEvent>,
    /// The number of lines so far.
    pub(crate) n_lines: u64,
    n_others: i64,
}

/// The event that a command may print again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PromptEvent {
    port: TracerPort,
    level: Option<i64>,
    number: Option<i64>,
    goal: String,
}

/// The procedures of a thread that reads chunks, as the trace knows them.
#[derive(Default)]
pub(crate) struct ProcCodes {
    known: Vec<Option<KnownProc>>,
}

/// A procedure in the trace.
#[derive(Clone, Copy, Debug)]
struct KnownProc {
    code: ProcCode,
    keys: [Option<KeyId>; TracerPort::COUNT],
}

impl<'b> TracerReader<'b> {
    /// Nothing is read yet.
    pub(crate) fn new(tracer: Tracer, builder: &'b mut TraceBuilder) -> TracerReader<'b> {
        builder.recording().record(RecordedAt::Start, "tracer", Field::Text(tracer.name()));
        TracerReader {
            tracer,
            ids: AttributeIds::new(builder),
            builder,
            threads: HashMap::default(),
            n_calls: 0,
            names: HashMap::default(),
            names_and_arities: HashMap::default(),
            at_prompt: None,
            n_lines: 0,
            n_others: 0,
        }
    }

    /// Takes the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, batch: &TracerChunk, procs: &mut ProcCodes) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            let message = Lines::too_long("line");
            return self.builder.finding(FORMAT.rule, None, Some(self.n_lines), message);
        }
        let mut faults = batch.faults.iter().peekable();
        for event in &batch.events {
            while let Some((line, message)) = faults.next_if(|(line, _)| *line < event.line) {
                self.fault(*line, message);
            }
            self.event(event, batch, procs);
        }
        faults.for_each(|(line, message)| self.fault(*line, message));
        self.n_lines += batch.n_lines;
        self.n_others += i64::try_from(batch.n_others).unwrap_or(i64::MAX);
    }

    fn fault(&mut self, line: u64, message: &str) {
        self.builder.finding(FORMAT.rule, None, Some(self.n_lines + line + 1), message);
    }

    fn event(&mut self, event: &PrintedGoal, batch: &TracerChunk, procs: &mut ProcCodes) {
        let goal = &batch.text[event.goal.clone()];
        if self.is_printed_again(event, goal) {
            return;
        }
        let proc = procs.get(event.proc, batch, self);
        let sought = SoughtEvent {
            chrono: self.builder.n_events().saturating_add(1),
            port: event.port,
            level: event.level.and_then(PrintedNumber::new),
            number: event.number.and_then(PrintedNumber::new),
            proc: proc.code,
            goal,
            exceeds_limit: event.exceeds_limit,
        };
        let extra = event.extra.and_then(|extra| batch.extras.get(extra));
        let thread = extra.and_then(|extra| extra.thread.clone());
        let tracer = self.tracer;
        let boxes = self.threads.entry(thread).or_insert_with(|| ThreadBoxes::new(tracer));
        let Some(found) = boxes.event(&sought, &mut self.n_calls) else { return };
        let mut broken = std::mem::take(&mut boxes.broken);
        if !event.is_closed {
            broken.push(TracerRule::Unclosed);
        }
        let source_line = self.n_lines + event.line + 1;
        let fields = [
            (AttributeId::PARENT, found.parent.map(i64::from)),
            (self.ids.level, event.level),
            (self.ids.inv, event.number),
        ];
        let key = procs.key(event, batch, self.builder);
        let unclosed = (!event.is_closed).then(|| string(goal));
        let written = extra.and_then(|extra| extra.args.as_deref());
        let parts = match (&unclosed, written) {
            (Some(goal), _) => ArgTextsOfGoal::One([Some(goal)]),
            (None, Some(written)) => written_args(&event.args, written),
            (None, None) => goal_args(goal, &event.args),
        };
        self.builder.push(&EventRow {
            call: Some(i64::from(found.call)),
            depth: Some(i64::from(found.depth)),
            key: Some(key),
            args: parts.as_field(),
            source_line,
            ..EventRow::default()
        });
        let fields = fields.into_iter().filter_map(|(id, value)| Some((id, value?)));
        fields.for_each(|(id, value)| self.builder.extend_last(id, Field::Int(value)));
        extra.into_iter().for_each(|extra| self.ids.add_extra(extra, self.builder));
        if event.exceeds_limit {
            self.builder.extend_last(self.ids.flags, Field::Atom("limit"));
        }
        for rule in broken {
            let chrono = Some(i64::from(self.builder.n_events()));
            let message =
                if self.builder.keeps_finding(rule.name()) { rule.message(event.port.name()) } else { String::new() };
            self.builder.finding(rule.name(), chrono, Some(source_line), message);
        }
    }

    /// Whether an event is the last one again, which the tracer prints after a command that only shows something.
    fn is_printed_again(&mut self, event: &PrintedGoal, goal: &str) -> bool {
        let is_same = self.at_prompt.as_ref().is_some_and(|last| {
            (last.port, last.level, last.number, &*last.goal) == (event.port, event.level, event.number, goal)
        });
        if !is_same {
            let (port, level, number) = (event.port, event.level, event.number);
            let last = || PromptEvent { port, level, number, goal: goal.to_owned() };
            self.at_prompt = event.has_prompt.then(last);
        }
        is_same
    }

    /// The codes of a procedure.
    fn code(&mut self, name: &[u8], arity: i64) -> ProcCode {
        let next = self.names.len() as u32;
        let name = *self.names.entry(name.into()).or_insert(next);
        let next = self.names_and_arities.len() as u32;
        ProcCode { name, name_and_arity: *self.names_and_arities.entry((name, arity)).or_insert(next) }
    }

    /// Reports what is known only at the end.
    pub(crate) fn finish(self) {
        self.builder.recording().record(RecordedAt::End, "other_lines", Field::Int(self.n_others));
    }
}

impl ProcCodes {
    /// A procedure of a chunk.
    fn get(&mut self, proc: u32, batch: &TracerChunk, reader: &mut TracerReader<'_>) -> KnownProc {
        let n_known = self.known.len().max(proc as usize + 1);
        self.known.resize(n_known, None);
        *self.known[proc as usize].get_or_insert_with(|| {
            let (name, arity) = batch.procs.entry(proc);
            let name = name.splitn(2, |byte| *byte == 0).last().unwrap_or_default();
            KnownProc { code: reader.code(name, arity), keys: [None; TracerPort::COUNT] }
        })
    }

    /// The procedure and the port of an event.
    fn key(&mut self, event: &PrintedGoal, batch: &TracerChunk, builder: &mut TraceBuilder) -> KeyId {
        let Some(Some(known)) = self.known.get_mut(event.proc as usize) else {
            return builder.key(&ProcRow::default(), Some(event.port.name()), None);
        };
        *known.keys[event.port as usize].get_or_insert_with(|| {
            let (name, arity) = batch.procs.entry(event.proc);
            let mut parts = name.splitn(2, |byte| *byte == 0).map(text::name);
            let (module, name) = (parts.next().filter(|module| !module.is_empty()), parts.next());
            let proc = ProcRow {
                decl_module: module.as_deref(),
                name: name.as_deref(),
                arity: Some(arity),
                ..ProcRow::default()
            };
            builder.key(&proc, Some(event.port.name()), None)
        })
    }
}

/// A text as the text of a string.
fn string(text: &str) -> String {
    let mut string = String::new();
    write_quoted(&mut string, text, '"').expect("writing to a string cannot fail");
    string
}

/// The texts of the arguments of a goal.
enum ArgTextsOfGoal<'g> {
    Printed(&'g str),
    One([Option<&'g str>; 1]),
    Two([Option<&'g str>; 2]),
}

fn goal_args<'g>(goal: &'g str, args: &GoalArgs) -> ArgTextsOfGoal<'g> {
    let part = |range: &std::ops::Range<usize>| goal.get(range.clone());
    match args {
        GoalArgs::None => ArgTextsOfGoal::Printed(""),
        GoalArgs::Between(inside, _) => ArgTextsOfGoal::Printed(part(inside).unwrap_or_default()),
        GoalArgs::One(arg) => ArgTextsOfGoal::One([part(arg)]),
        GoalArgs::Two(left, right) => ArgTextsOfGoal::Two([part(left), part(right)]),
    }
}

/// The same for arguments that are not as printed.
fn written_args<'g>(args: &GoalArgs, written: &'g [String]) -> ArgTextsOfGoal<'g> {
    match (args, written) {
        (GoalArgs::One(_), [arg]) => ArgTextsOfGoal::One([Some(arg)]),
        (GoalArgs::Two(..), [left, right]) => ArgTextsOfGoal::Two([Some(left), Some(right)]),
        (_, texts) => ArgTextsOfGoal::Printed(texts.first().map_or("", String::as_str)),
    }
}

impl ArgTextsOfGoal<'_> {
    fn as_field(&self) -> ListField<'_> {
        match self {
            ArgTextsOfGoal::Printed(text) => ListField::Text(text),
            ArgTextsOfGoal::One(parts) => ListField::Parts(parts),
            ArgTextsOfGoal::Two(parts) => ListField::Parts(parts),
        }
    }
}
