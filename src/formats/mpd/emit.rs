//! Handing events to the builder, with the attributes of the format.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::files::Files;
use super::invocations::{Invocation, Match};
use super::line::EventLine;
use super::paths::{Node, Paths};
use super::ports::Event;
use super::process::Life;
use crate::formats::hex::Hex;
use crate::formats::text;
use crate::trace::{ArgsId, AttributeId, EventId, EventRow, Field, KeyId, ListField, ProcRow, TraceBuilder, ValueId};

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
    pub invoker: Option<Handle>,
    /// Id and incarnation of a semaphore.
    pub sem: Option<(u64, i64)>,
    /// The initial value of one.
    pub value: Option<i64>,
    /// The event before of the same process.
    pub before: Option<EventId>,
}

attributes! { file vm pid inc invoker extra sem sem_inc inv serves matched blocked next_in_process idepth parent served_at answered_at initial
last_in_process fate }

/// A hexadecimal number, as it is first written in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(u32);

/// An incarnation of a process as a value: `p('173168', 2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(u32);

/// How a number is written, and what it is among the values of attributes, as far as it was used there.
struct Written {
    text: Box<str>,
    pid: Option<ValueId>,
    extra: Option<ValueId>,
    sem: Option<ValueId>,
    /// It alone in quotes.
    args: Option<ArgsId>,
}

/// Hands events to the builder.
pub struct Emitter<'b> {
    /// The builder.
    pub builder: &'b mut TraceBuilder,
    /// The paths of its events.
    pub paths: Paths,
    ids: Ids,
    numbers: HashMap<u64, Number, RandomState>,
    written: Vec<Written>,
    /// Texts of incarnations, and their numbers as values if they are some.
    handles: Vec<(Box<str>, Option<ValueId>)>,
    procs: HashMap<Box<[u8]>, u32, RandomState>,
    proc_names: Vec<Box<str>>,
    /// Of each procedure with each event.
    keys: Vec<[Option<KeyId>; Event::COUNT]>,
    matches: [Option<ValueId>; Match::COUNT],
    no_args: Option<ArgsId>,
    files: Vec<Option<u32>>,
    next: Vec<EventId>,
}

impl<'b> Emitter<'b> {
    /// For a trace without events yet.
    pub fn new(builder: &'b mut TraceBuilder) -> Emitter<'b> {
        Emitter {
            paths: Paths::new(builder),
            ids: Ids::new(builder),
            builder,
            numbers: HashMap::default(),
            written: Vec::new(),
            handles: Vec::new(),
            procs: HashMap::default(),
            proc_names: Vec::new(),
            keys: Vec::new(),
            matches: [None; Match::COUNT],
            no_args: None,
            files: Vec::new(),
            next: Vec::new(),
        }
    }

    /// The number of a procedure.
    pub fn proc(&mut self, name: &[u8]) -> u32 {
        if let Some(code) = self.procs.get(name) {
            return *code;
        }
        let code = self.proc_names.len() as u32;
        self.proc_names.push(text::visible(name).into());
        self.keys.push([None; Event::COUNT]);
        self.procs.insert(name.into(), code);
        code
    }

    /// A number as it is first written.
    pub fn number(&mut self, hex: Hex<'_>) -> Number {
        *self.numbers.entry(hex.value).or_insert_with(|| {
            let text = hex.written().into();
            self.written.push(Written { text, pid: None, extra: None, sem: None, args: None });
            Number(self.written.len() as u32 - 1)
        })
    }

    /// An incarnation of a process.
    pub fn handle(&mut self, Number(pid): Number, inc: i64) -> Handle {
        let text = format!("p('{}', {inc})", self.written[pid as usize].text);
        self.handles.push((text.into(), None));
        Handle(self.handles.len() as u32 - 1)
    }

    /// The number of the event that comes next.
    pub fn chrono(&self) -> i64 {
        i64::from(self.builder.n_events()) + 1
    }

    /// Hands over an event of the process `pid`.
    pub fn push(&mut self, line: &EventLine<'_>, pid: Number, told: &Told, source_line: u64) -> Option<EventId> {
        let extra = if line.extra.value == line.pid.value { pid } else { self.number(line.extra) };
        let sem = told.sem.map(|(value, _)| self.number(Hex { digits: b"", value }));
        let key = self.key(told.proc, line.event);
        let goal_path = Some(self.paths.id(told.path));
        let row = EventRow {
            call: told.call,
            depth: Some(told.depth),
            key: Some(key),
            goal_path,
            line_number: line.place.map(|(_, line)| line),
            source_line,
            ..EventRow::default()
        };
        let event = match told.value {
            Some(value) => self.builder.push(&EventRow { args: ListField::Text(&value.to_string()), ..row }),
            None => {
                let args = ListField::Known(self.args(sem));
                self.builder.push(&EventRow { args, ..row })
            }
        }?;
        self.extend((pid, extra, sem), told);
        self.files.push(told.file);
        self.next.push(0);
        if let Some(before) = told.before {
            self.next[before as usize] = event + 1;
        }
        Some(event)
    }

    /// Gives the last event the attributes of the format.
    fn extend(&mut self, (pid, extra, sem): (Number, Number, Option<Number>), told: &Told) {
        let (ids, builder) = (&self.ids, &mut *self.builder);
        builder.extend_last(ids.vm, Field::Int(told.vm));
        let written = &mut self.written[pid.0 as usize];
        tell(&mut written.pid, ids.pid, Field::Atom(&written.text), builder);
        builder.extend_last(ids.inc, Field::Int(told.inc));
        if let Some(Handle(invoker)) = told.invoker {
            let (text, value) = &mut self.handles[invoker as usize];
            tell(value, ids.invoker, Field::Term(text), builder);
        }
        let written = &mut self.written[extra.0 as usize];
        tell(&mut written.extra, ids.extra, Field::Atom(&written.text), builder);
        if let Some(sem) = sem {
            let written = &mut self.written[sem.0 as usize];
            tell(&mut written.sem, ids.sem, Field::Atom(&written.text), builder);
        }
        if let Some(how) = told.matched {
            let value = &mut self.matches[how as usize];
            tell(value, ids.matched, Field::Atom(how.name()), builder);
        }
        let numbers = [
            (ids.sem_inc, told.sem.map(|(_, inc)| inc)),
            (ids.inv, told.inv),
            (ids.serves, told.serves),
            (ids.parent, told.parent),
        ];
        for (id, number) in numbers {
            if let Some(number) = number {
                builder.extend_last(id, Field::Int(number));
            }
        }
        builder.extend_last(ids.idepth, Field::Int(told.idepth));
    }

    fn key(&mut self, proc: u32, event: Event) -> KeyId {
        let proc = proc as usize;
        *self.keys[proc][event as usize].get_or_insert_with(|| {
            let name = Some(&*self.proc_names[proc]);
            self.builder.key(&ProcRow { name, ..ProcRow::default() }, Some(event.port()), None)
        })
    }

    /// The arguments of an event of a semaphore, or of none.
    fn args(&mut self, sem: Option<Number>) -> ArgsId {
        let builder = &mut *self.builder;
        match sem {
            Some(Number(sem)) => {
                let Written { text, args, .. } = &mut self.written[sem as usize];
                *args.get_or_insert_with(|| builder.args(&format!("'{text}'")))
            }
            None => *self.no_args.get_or_insert_with(|| builder.args("")),
        }
    }

    /// Adds what is known only at the end: the files, what follows each event in its process, and what became of
    /// processes and invocations.
    pub fn finish(self, files: &Files, later: Later<'_>) {
        let Ids { blocked, served_at, answered_at, initial, last_in_process, fate, .. } = self.ids;
        self.builder.fill(blocked, later.blocked.into_iter().map(|event| (event, Field::Atom("true"))));
        let initials = later.semaphores.iter().filter_map(|(event, value)| Some((*event, Field::Int((*value)?))));
        self.builder.fill(initial, initials);
        let number = |event: EventId| Field::Int(i64::from(event) + 1);
        let made = || later.invocations.iter().filter_map(|invocation| Some((invocation.made_at?, invocation)));
        self.builder.fill(served_at, made().filter_map(|(made, inv)| Some((made, number(inv.served_at?)))));
        self.builder.fill(answered_at, made().filter_map(|(made, inv)| Some((made, number(inv.answered_at?)))));
        self.builder.fill(last_in_process, later.lives.iter().map(|life| (life.first, number(life.last))));
        self.builder.fill(fate, later.lives.iter().map(|life| (life.first, Field::Atom(life.fate))));
        let names: Vec<_> = files.names().map(text::visible).collect();
        let mut values = vec![None; names.len()];
        for (event, file) in (0..).zip(self.files) {
            let Some(file) = file.map(|file| file as usize) else { continue };
            let value = known(&mut values[file], self.ids.file, Field::Atom(&names[file]), self.builder);
            self.builder.fill(self.ids.file, [(event, value)].into_iter());
        }
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

/// A value of an attribute as it is known, after it was told once.
fn known(value: &mut Option<ValueId>, id: AttributeId, field: Field<'_>, builder: &mut TraceBuilder) -> Field<'static> {
    Field::Known(*value.get_or_insert_with(|| builder.value(id, field)))
}

/// Gives the last event such a value.
fn tell(value: &mut Option<ValueId>, id: AttributeId, field: Field<'_>, builder: &mut TraceBuilder) {
    let field = known(value, id, field, builder);
    builder.extend_last(id, field);
}
