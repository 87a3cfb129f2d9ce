//! The columns of the format: rows go to the builder at once, other attributes become lazy columns.

use indexmap::IndexMap;

use super::files::SourceFiles;
use super::invocations::MatchKind;
use super::paths::{BoxPaths, PathNode};
use super::ports::MpdEvent;
use super::process::Incarnation;
use super::rows::{MpdRow, NO_NUMBER, RowBuffer};
use super::rules::LineFields;
use super::tables::LazyTables;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::text;
use crate::term::hash::{NumberMap, RandomState};
use crate::trace::{
    ArgsId, AttributeId, EventId, Field, KeyId, KnownColumns, LazyValues, ProcRow, TraceBuilder, ValueId,
};

/// What is known about an event beside the fields of its line.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventFacts {
    pub(crate) vm: i64,
    pub(crate) inc: i64,
    pub(crate) file: Option<u32>,
    pub(crate) proc: u32,
    /// The box that it belongs to, and the one around that.
    pub(crate) call: Option<i64>,
    pub(crate) parent: Option<i64>,
    pub(crate) depth: i64,
    pub(crate) path: PathNode,
    pub(crate) idepth: u32,
    pub(crate) matched: Option<MatchKind>,
    pub(crate) invoker: Option<IncarnationId>,
    /// Id and incarnation of a semaphore.
    pub(crate) sem: Option<(u64, i64)>,
    /// The initial value of one.
    pub(crate) value: Option<i64>,
}

attributes! {
    standing_attribute:
    file "file" "file of the source, as it was given to the compiler";
    vm "vm" "number of the virtual machine, 1 if the line has none";
    pid "pid" "id of the process, as printed; ids are used again, see inc";
    inc "inc" "incarnation: number of the process among those that had this id, from 1";
    process "process" "the two as p(Pid, Inc), as predicates name a process";
    invoker "invoker" "process that made the call or send, as p(Pid, Inc), at events of services and input statements";
    extra "extra" "last field of the line, as printed";
    sem "sem" "id of the semaphore, as printed; ids are used again, see sem_inc";
    sem_inc "sem_inc" "incarnation: number of the semaphore among those that had this id, from 1";
    semaphore "semaphore" "the two as s(Id, Inc), as predicates name a semaphore";
    inv "inv" "number of the invocation that a call, send or forward makes";
    serves "serves" "number of the invocation that a service or an arm is for";
    matched "matched" "how the invocation of serves was found; guess if it may be another one";
    blocked "blocked" "what the process waits for at the end of the trace, at its last event";
    next_in_process "next_in_process" "number of the next event of the process";
    idepth "idepth" "depth in the chain of invocations that led to the event";
    parent "parent" "number of the call that encloses the call of the event";
    served_at "served_at" "number of the event at which the invocation was taken, at the call or send";
    answered_at "answered_at" "number of the event at which the invocation was answered, at the call";
    initial "initial" "initial value of the semaphore, at its creation";
    last_in_process "last_in_process" "number of the last event of the process, at its first one";
    fate "fate" ["ended" "killed" "open"]
        "how the process ended, at its first event: ended, killed, or open: the trace ended first";
}

/// A hexadecimal number, as it is first written in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HexId(u32);

/// An incarnation of a process as a value: `p('173168', 2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IncarnationId(u32);

/// How a number is written, and its ids as a value of the attributes that have used it.
struct HexText {
    text: Box<str>,
    pid: Option<ValueId>,
    extra: Option<ValueId>,
    sem: Option<ValueId>,
    /// It alone in quotes.
    args: Option<ArgsId>,
}

/// The keys of a procedure with each event.
type ProcKeys = [Option<KeyId>; MpdEvent::COUNT];

/// Events that are added to the trace together, few enough to stay in the cache.
const TOGETHER: usize = 512;

/// Hands events to the builder.
pub(crate) struct EventColumns<'b> {
    /// The builder.
    pub(crate) builder: &'b mut TraceBuilder,
    /// The paths of its events.
    pub(crate) paths: BoxPaths,
    ids: AttributeIds,
    numbers: IndexMap<u64, HexText, RandomState>,
    /// Texts of incarnations, and their numbers as values if they are some.
    handles: Vec<(Box<str>, Option<ValueId>)>,
    procs: IndexMap<Box<[u8]>, ProcKeys, RandomState>,
    matches: [Option<ValueId>; MatchKind::COUNT],
    no_args: Option<ArgsId>,
    gathered: RowBuffer,
    /// The tables of the lazy columns.
    pub(crate) tables: LazyTables,
}

impl<'b> EventColumns<'b> {
    /// For a trace without events yet.
    pub(crate) fn new(builder: &'b mut TraceBuilder) -> EventColumns<'b> {
        EventColumns {
            paths: BoxPaths::new(builder),
            ids: AttributeIds::new(builder),
            builder,
            numbers: IndexMap::default(),
            handles: Vec::new(),
            procs: IndexMap::default(),
            matches: [None; MatchKind::COUNT],
            no_args: None,
            gathered: RowBuffer::default(),
            tables: LazyTables::default(),
        }
    }

    /// The number of a procedure.
    pub(crate) fn proc(&mut self, name: &[u8]) -> u32 {
        let known = self.procs.get_index_of(name);
        let code = known.unwrap_or_else(|| self.procs.insert_full(name.into(), [None; MpdEvent::COUNT]).0);
        code as u32
    }

    /// A number as it is first written.
    pub(crate) fn number(&mut self, hex: Hex<'_>) -> HexId {
        let entry = self.numbers.entry(hex.value);
        let id = entry.index() as u32;
        let text = || hex.written().into();
        entry.or_insert_with(|| HexText { text: text(), pid: None, extra: None, sem: None, args: None });
        HexId(id)
    }

    /// An incarnation of a process.
    pub(crate) fn handle(&mut self, HexId(pid): HexId, inc: i64) -> IncarnationId {
        let text = format!("p('{}', {inc})", self.numbers[pid as usize].text);
        self.handles.push((text.into(), None));
        IncarnationId(self.handles.len() as u32 - 1)
    }

    /// The number of the event that comes next.
    pub(crate) fn chrono(&self) -> i64 {
        i64::from(self.n_events()) + 1
    }

    /// How many events there are so far.
    pub(crate) fn n_events(&self) -> EventId {
        self.builder.n_events().saturating_add(self.gathered.rows.len() as EventId)
    }

    /// Adds what was handed over to the trace.
    pub(crate) fn flush(&mut self) {
        self.gathered.flush(&self.ids, self.builder);
    }

    /// Hands over an event; gives its row.
    #[inline]
    pub(crate) fn push(
        &mut self,
        line: &LineFields<'_>,
        (pid, extra): (HexId, HexId),
        facts: &EventFacts,
        source_line: u64,
    ) -> EventId {
        let event = self.n_events();
        let sem = facts.sem.map(|(value, _)| match value == line.extra {
            true => extra,
            false => self.number(Hex { digits: b"", value }),
        });
        if let (None, Some(parent)) = (facts.call, facts.parent) {
            self.tables.boxless.push((event, parent as u32));
        }
        self.tables.files.push(facts.file);
        let row = self.row(line, (pid, extra, sem), facts, source_line);
        self.gathered.rows.push(row);
        self.keep_rare(event, sem, facts);
        if self.gathered.rows.len() == TOGETHER {
            self.flush();
        }
        event
    }

    /// The row of an event.
    #[inline]
    fn row(
        &mut self,
        line: &LineFields<'_>,
        (pid, extra, sem): (HexId, HexId, Option<HexId>),
        facts: &EventFacts,
        source_line: u64,
    ) -> MpdRow {
        let args = match facts.value {
            Some(value) => self.builder.args(&value.to_string()),
            None => self.args(sem),
        };
        MpdRow {
            key: self.key(facts.proc, line.event),
            call: facts.call.map_or(0, |call| call as u32),
            depth: facts.depth as u32,
            path: self.paths.id(facts.path),
            line_number: line.source.unwrap_or(NO_NUMBER),
            args,
            vm: facts.vm,
            inc: facts.inc as u32,
            idepth: facts.idepth,
            pid: self.pid(pid),
            extra: self.extra(extra),
            source_line,
        }
    }

    /// Keeps what few events have.
    #[inline]
    fn keep_rare(&mut self, event: EventId, sem: Option<HexId>, facts: &EventFacts) {
        let (ids, builder) = (&self.ids, &mut *self.builder);
        if let Some(IncarnationId(invoker)) = facts.invoker {
            let (text, value) = &mut self.handles[invoker as usize];
            self.gathered.invokers.push((event, known(value, ids.invoker, Field::Term(text), builder)));
        }
        if let (Some(HexId(sem)), Some((_, inc))) = (sem, facts.sem) {
            let HexText { text, sem, .. } = &mut self.numbers[sem as usize];
            self.gathered.sems.push((event, known(sem, ids.sem, Field::Atom(text), builder)));
            self.gathered.sem_incs.push((event, inc));
        }
        if let Some(how) = facts.matched {
            let value = known(&mut self.matches[how as usize], ids.matched, Field::Atom(how.name()), builder);
            self.gathered.matches.push((event, value));
        }
    }

    #[inline]
    fn pid(&mut self, HexId(pid): HexId) -> ValueId {
        let HexText { text, pid, .. } = &mut self.numbers[pid as usize];
        known(pid, self.ids.pid, Field::Atom(text), self.builder)
    }

    #[inline]
    fn extra(&mut self, HexId(extra): HexId) -> ValueId {
        let HexText { text, extra, .. } = &mut self.numbers[extra as usize];
        known(extra, self.ids.extra, Field::Atom(text), self.builder)
    }

    fn key(&mut self, proc: u32, event: MpdEvent) -> KeyId {
        let (name, keys) =
            self.procs.get_index_mut(proc as usize).expect("procedures are numbered when they are added");
        *keys[event as usize].get_or_insert_with(|| {
            let name = text::visible(name);
            self.builder.key(&ProcRow { name: Some(&name), ..ProcRow::default() }, Some(event.port()), None)
        })
    }

    /// The arguments of an event of a semaphore, or of none.
    fn args(&mut self, sem: Option<HexId>) -> ArgsId {
        let builder = &mut *self.builder;
        match sem {
            Some(HexId(sem)) => {
                let HexText { text, args, .. } = &mut self.numbers[sem as usize];
                *args.get_or_insert_with(|| builder.args(&format!("'{text}'")))
            }
            None => *self.no_args.get_or_insert_with(|| builder.args("")),
        }
    }

    /// Adds what is known only at the end: the fates of processes and semaphores, and the lazy columns.
    pub(crate) fn finish(self, files: &SourceFiles, later: EndFacts<'_>) {
        let AttributeIds { blocked, initial, last_in_process, fate, .. } = self.ids;
        self.builder.fill(blocked, later.blocked.into_iter().map(|event| (event, Field::Bool(true))));
        let initials = later.semaphores.iter().filter_map(|(event, value)| Some((*event, Field::Int((*value)?))));
        self.builder.fill(initial, initials);
        let number = |event: EventId| Field::Int(i64::from(event) + 1);
        self.builder.fill(last_in_process, later.lives.iter().map(|life| (life.first, number(life.last))));
        self.builder.fill(fate, later.lives.iter().map(|life| (life.first, Field::Atom(life.fate))));
        let ids = &self.ids;
        let texts = |number: fn(&HexText) -> Option<ValueId>| -> NumberMap<ValueId, Box<str>> {
            self.numbers.values().filter_map(|hex| Some((number(hex)?, hex.text.clone()))).collect()
        };
        let pairs = [
            (ids.process, "p", (ids.pid, ids.inc), texts(|hex| hex.pid)),
            (ids.semaphore, "s", (ids.sem, ids.sem_inc), texts(|hex| hex.sem)),
        ];
        for (id, functor, parts, texts) in pairs.into_iter().filter(|(.., texts)| !texts.is_empty()) {
            self.builder.lazy_values(id, move |known, values| fill_pairs(known, functor, parts, &texts, values));
        }
        let mut tables = self.tables;
        tables.files.names = files.names().map(|name| text::visible(name).into()).collect();
        tables.leave(&self.ids, self.builder);
    }
}

/// Fills a column of terms `functor('Id', Inc)`, whose parts are values of other attributes; `texts` has the ids by their
/// numbers as values.
fn fill_pairs(
    known: &KnownColumns,
    functor: &str,
    (id, inc): (AttributeId, AttributeId),
    texts: &NumberMap<ValueId, Box<str>>,
    values: &mut LazyValues,
) {
    let mut made: NumberMap<(ValueId, i64), ValueId> = NumberMap::default();
    for event in known.events() {
        let Some((id, inc)) = known.value(id, event).zip(known.int(inc, event)) else { continue };
        let Some(text) = texts.get(&id) else { continue };
        let pair =
            made.entry((id, inc)).or_insert_with(|| values.value(Field::Term(&format!("{functor}('{text}', {inc})"))));
        values.set(event, Field::Known(*pair));
    }
}

/// What is known about events when all have been read, in the order of the events.
pub(crate) struct EndFacts<'r> {
    /// The last events of the processes that are blocked.
    pub(crate) blocked: Vec<EventId>,
    /// The creations of semaphores, and their initial values.
    pub(crate) semaphores: &'r [(EventId, Option<i64>)],
    /// All incarnations.
    pub(crate) lives: Vec<Incarnation>,
}

/// The id of a value, which the builder is asked for once.
#[inline]
fn known(value: &mut Option<ValueId>, id: AttributeId, field: Field<'_>, builder: &mut TraceBuilder) -> ValueId {
    *value.get_or_insert_with(|| builder.value(id, field))
}
