//! Handing events to the builder, with the attributes of the format.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::files::Files;
use super::invocations::{Invocation, Match};
use super::line::{EventLine, Hex};
use super::paths::{Node, Paths};
use super::process::Life;
use crate::formats::text;
use crate::trace::{AttributeId, EventId, EventRow, Field, ListField, ProcRow, TraceBuilder};

/// What is told of an event beside what stands in its line.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub vm: i64,
    pub inc: i64,
    pub file: Option<u32>,
    pub proc: u32,
    /// The box that it belongs to, and the one around that.
    pub call: Option<i64>,
    pub parent: Option<i64>,
    pub depth: i64,
    pub path: Node,
    pub idepth: i64,
    pub inv: Option<i64>,
    pub serves: Option<i64>,
    pub matched: Option<Match>,
    pub invoker: Option<Rc<str>>,
    /// Id and incarnation of a semaphore.
    pub sem: Option<(u64, i64)>,
    /// The initial value of one.
    pub value: Option<i64>,
    /// The event before of the same process.
    pub before: Option<EventId>,
}

macro_rules! attributes {
    ($($field:ident)*) => {
        /// The attributes of the format.
        struct Ids { $($field: AttributeId,)* }

        impl Ids {
            fn new(builder: &mut TraceBuilder) -> Ids {
                $(let $field = builder.standing_attribute(stringify!($field)).expect("a format has few attributes");)*
                Ids { $($field,)* }
            }
        }
    };
}

attributes! { file vm pid inc invoker extra sem sem_inc inv serves matched blocked next_in_process idepth parent served_at answered_at initial
last_in_process fate }

/// Texts by number, the same number for the same key.
#[derive(Default)]
struct Names<K>(HashMap<K, u32, RandomState>, Vec<Rc<str>>);

impl Names<u64> {
    /// A number as it is first written in the trace.
    fn hex(&mut self, hex: Hex<'_>) -> Rc<str> {
        let Names(codes, texts) = self;
        let code = *codes.entry(hex.value).or_insert_with(|| {
            texts.push(hex.text.into());
            texts.len() as u32 - 1
        });
        Rc::clone(&texts[code as usize])
    }
}

/// Hands events to the builder.
pub struct Emitter<'b> {
    /// The builder.
    pub builder: &'b mut TraceBuilder,
    /// The paths of its events.
    pub paths: Paths,
    ids: Ids,
    numbers: Names<u64>,
    procs: Names<Box<[u8]>>,
    files: Vec<Option<u32>>,
    next: Vec<EventId>,
}

impl<'b> Emitter<'b> {
    /// For a trace without events yet.
    pub fn new(builder: &'b mut TraceBuilder) -> Emitter<'b> {
        let (paths, ids) = (Paths::new(builder), Ids::new(builder));
        let (numbers, procs) = (Names::default(), Names::default());
        Emitter { builder, paths, ids, numbers, procs, files: Vec::new(), next: Vec::new() }
    }

    /// The number of a procedure.
    pub fn proc(&mut self, name: &[u8]) -> u32 {
        let Names(codes, names) = &mut self.procs;
        if let Some(code) = codes.get(name) {
            return *code;
        }
        let code = names.len() as u32;
        names.push(text::visible(name).into());
        codes.insert(name.into(), code);
        code
    }

    /// An id as it is first written.
    pub fn written(&mut self, hex: Hex<'_>) -> Rc<str> {
        self.numbers.hex(hex)
    }

    /// The number of the event that comes next.
    pub fn chrono(&self) -> i64 {
        i64::from(self.builder.n_events()) + 1
    }

    /// Hands over an event.
    pub fn push(&mut self, line: &EventLine<'_>, told: &Told, source_line: u64) -> Option<EventId> {
        let (pid, extra) = (self.numbers.hex(line.pid), self.numbers.hex(line.extra));
        let ids = &self.ids;
        let mut fields = Fields { list: [(ids.vm, Field::Int(told.vm)); 13], n: 0 };
        fields.add(ids.vm, Some(Field::Int(told.vm)));
        fields.add(ids.pid, Some(Field::Atom(&pid)));
        fields.add(ids.inc, Some(Field::Int(told.inc)));
        fields.add(ids.invoker, told.invoker.as_deref().map(Field::Term));
        fields.add(ids.extra, Some(Field::Atom(&extra)));
        let sem = told.sem.map(|(value, inc)| (self.numbers.hex(Hex { text: "", value }), inc));
        fields.add(ids.sem, sem.as_ref().map(|(sem, _)| Field::Atom(sem)));
        fields.add(ids.sem_inc, sem.as_ref().map(|(_, inc)| Field::Int(*inc)));
        fields.add(ids.inv, told.inv.map(Field::Int));
        fields.add(ids.serves, told.serves.map(Field::Int));
        fields.add(ids.matched, told.matched.map(|how| Field::Atom(how.name())));
        fields.add(ids.idepth, Some(Field::Int(told.idepth)));
        fields.add(ids.parent, told.parent.map(Field::Int));
        let args = match (told.value, &sem) {
            (Some(value), _) => value.to_string(),
            (None, Some((sem, _))) => format!("'{sem}'"),
            (None, None) => String::new(),
        };
        let event = self.builder.push(&EventRow {
            call: told.call,
            depth: Some(told.depth),
            port: Some(line.event.port()),
            proc: ProcRow { name: Some(&self.procs.1[told.proc as usize]), ..ProcRow::default() },
            goal_path: Some(self.paths.id(told.path)),
            line_number: line.place.map(|(_, line)| line),
            args: ListField::Text(&args),
            extra: &fields.list[..fields.n],
            source_line,
            ..EventRow::default()
        })?;
        self.files.push(told.file);
        self.next.push(0);
        if let Some(before) = told.before {
            self.next[before as usize] = event + 1;
        }
        Some(event)
    }

    /// Adds what is known only at the end: the files, what follows each event in its process, and what became of
    /// processes and invocations.
    pub fn finish(self, files: &Files, later: Later<'_>) {
        let Ids { blocked, served_at, answered_at, initial, last_in_process, fate, .. } = self.ids;
        self.builder.fill(blocked, later.blocked.into_iter().map(|event| (event, Field::Atom("true"))));
        let known = later.semaphores.iter().filter_map(|(event, value)| Some((*event, Field::Int((*value)?))));
        self.builder.fill(initial, known);
        let number = |event: EventId| Field::Int(i64::from(event) + 1);
        let made = || later.invocations.iter().filter_map(|invocation| Some((invocation.made_at?, invocation)));
        self.builder.fill(served_at, made().filter_map(|(made, inv)| Some((made, number(inv.served_at?)))));
        self.builder.fill(answered_at, made().filter_map(|(made, inv)| Some((made, number(inv.answered_at?)))));
        self.builder.fill(last_in_process, later.lives.iter().map(|life| (life.first, number(life.last))));
        self.builder.fill(fate, later.lives.iter().map(|life| (life.first, Field::Atom(life.fate))));
        let names: Vec<_> = files.names().map(text::visible).collect();
        let files = (0..).zip(&self.files).filter_map(|(event, file)| Some((event, (*file)?)));
        self.builder.fill(self.ids.file, files.map(|(event, file)| (event, Field::Atom(&names[file as usize]))));
        let next = (0..).zip(&self.next).filter(|(_, next)| **next > 0);
        self.builder.fill(self.ids.next_in_process, next.map(|(event, next)| (event, Field::Int(i64::from(*next)))));
    }
}

/// What is told of events when all have been read, in the order of the events.
pub struct Later<'r> {
    /// The last events of the processes that are blocked.
    pub blocked: Vec<EventId>,
    /// All invocations.
    pub invocations: &'r [Invocation],
    /// The creations of semaphores, and their initial values.
    pub semaphores: &'r [(EventId, Option<i64>)],
    /// All incarnations.
    pub lives: Vec<Life>,
}

/// The attributes of one event.
struct Fields<'f> {
    list: [(AttributeId, Field<'f>); 13],
    n: usize,
}

impl<'f> Fields<'f> {
    fn add(&mut self, id: AttributeId, field: Option<Field<'f>>) {
        if let Some(field) = field {
            self.list[self.n] = (id, field);
            self.n += 1;
        }
    }
}
