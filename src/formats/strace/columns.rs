//! The format's own columns: its attributes, the values of new events, and the arguments and lines of all, which become
//! lazy columns.

use std::sync::Arc;

use super::terms::TermWriter;
use crate::formats::lines::text_blocks::{BlockSpan, TextBlocks};
use crate::trace::{
    ArgsId, AttributeId, EventId, Field, KeyId, KnownColumns, LazyLists, ListField, Rows, TraceBuilder, ValueId, refill,
};

attributes! {
    standing_attribute:
    time "time" in Nanoseconds "time of the event in nanoseconds: since 1970 with -ttt, since midnight with -t and -tt, since the start with -r";
    pid "pid" "number of the process or thread, 0 if the trace does not state it";
    ret "ret" "integer that the call returned; none if it did not return";
    errno "errno" "name of the error, such as ENOENT";
    text "text" "text that explains the result: that of the error, or what was waited for";
    ret_path "ret_path" "path of the file descriptor that the call returned, with -y";
    dur "dur" in Nanoseconds "nanoseconds that the call took, with -T";
    child "child" "number of the new process, at the end of fork, vfork, clone and clone3";
    resumes "resumes" "name of the interrupted call that restart_syscall goes on with";
    stack_frames "stack_frames" "frames of the program's stack at the call, the innermost first, with -k";
}

/// Number of a call, from 1.
pub(crate) type CallNumber = u32;

/// Marks an absent integer.
pub(crate) const NO_INT: i64 = i64::MIN;

/// The values of the events that are not in the trace yet.
#[derive(Default)]
pub(crate) struct NewEvents {
    events: Vec<NewEvent>,
    values: Vec<(AttributeId, EventId, ValueId)>,
    children: Vec<(EventId, i64)>,
    /// Memory for columns.
    of_attribute: Vec<(EventId, ValueId)>,
    keys: Vec<KeyId>,
    ints: [Vec<i64>; 2],
}

/// An event with the columns that all have.
#[derive(Clone, Copy)]
pub(crate) struct NewEvent {
    pub(crate) key: KeyId,
    /// 0 without a call.
    pub(crate) call: CallNumber,
    pub(crate) time: i64,
    pub(crate) ret: i64,
    pub(crate) dur: i64,
}

impl NewEvents {
    /// The number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, event: NewEvent) {
        self.events.push(event);
    }

    /// Gives an event a value.
    #[inline]
    pub(crate) fn put(&mut self, id: AttributeId, event: EventId, value: Option<ValueId>) {
        self.values.extend(value.map(|value| (id, event, value)));
    }

    /// Gives an event the number of a new process.
    pub(crate) fn put_child(&mut self, event: EventId, child: i64) {
        self.children.push((event, child));
    }

    /// Adds the events to the trace.
    pub(crate) fn flush(&mut self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        if self.events.is_empty() {
            return;
        }
        let (events, [calls, depths]) = (&self.events, &mut self.ints);
        refill(&mut self.keys, events.iter().map(|event| event.key));
        refill(calls, events.iter().map(|event| if event.call > 0 { i64::from(event.call) } else { NO_INT }));
        refill(depths, events.iter().map(|event| i64::from(event.call > 0)));
        let rows = Rows {
            chronos: &[],
            calls,
            depths,
            keys: &self.keys,
            places: &[],
            args: &[],
            lines: &[],
            first_line: 0,
            text: &[],
            offset: 0,
        };
        if let Some(first) = builder.append(&rows) {
            let (events, [ints, _]) = (&self.events, &mut self.ints);
            refill(ints, events.iter().map(|event| event.time));
            builder.append_ints(ids.time, first, ints);
            refill(ints, events.iter().map(|event| event.ret));
            builder.append_ints(ids.ret, first, ints);
            refill(ints, events.iter().map(|event| event.dur));
            builder.append_ints(ids.dur, first, ints);
            builder.fill(ids.child, self.children.iter().map(|(event, child)| (*event, Field::Int(*child))));
            for id in [ids.errno, ids.text, ids.ret_path, ids.resumes] {
                let of_id = self.values.iter().filter(|(other, ..)| *other == id);
                refill(&mut self.of_attribute, of_id.map(|(_, event, value)| (*event, *value)));
                builder.scatter_values(id, &self.of_attribute);
            }
        }
        self.clear();
    }

    fn clear(&mut self) {
        self.events.clear();
        self.values.clear();
        self.children.clear();
    }
}

/// The arguments of all events as strace prints them, and their lines. The events of a call on one line share them.
#[derive(Debug, Default)]
pub(crate) struct EventTexts {
    texts: TextBlocks,
    /// By block, the number of the first call whose arguments are in it or in a later one.
    first_calls: Vec<CallNumber>,
    /// By call.
    of_calls: Vec<CallText>,
    /// Events whose arguments or lines are not those of their call, in rising order.
    others: Vec<OtherText>,
}

#[derive(Clone, Copy, Debug)]
struct CallText {
    start: u32,
    length: u32,
    line: u32,
}

#[derive(Clone, Copy, Debug)]
struct OtherText {
    event: EventId,
    args: BlockSpan,
    line: u32,
}

impl EventTexts {
    /// The number of calls.
    #[inline]
    pub(crate) fn n_calls(&self) -> CallNumber {
        self.of_calls.len() as CallNumber
    }

    /// Adds a call; returns its number.
    #[inline]
    pub(crate) fn add_call(&mut self, args: &[u8], line: u64) -> CallNumber {
        let span = self.texts.add(args);
        let BlockSpan { start, length, .. } = self.noted(span);
        self.of_calls.push(CallText { start, length, line: small(line) });
        self.n_calls()
    }

    /// Adds an event that is not on the line of its call, or has other arguments, which are given in parts.
    pub(crate) fn add_event(&mut self, event: EventId, args: &[&[u8]], line: u64) {
        let span = self.texts.add_parts(args);
        let args = self.noted(span);
        self.others.push(OtherText { event, args, line: small(line) });
    }

    /// Notes that what is added next comes after a place.
    #[inline]
    fn noted(&mut self, span: BlockSpan) -> BlockSpan {
        let n_blocks = span.block as usize + 1;
        if self.first_calls.len() < n_blocks {
            let next = self.n_calls() + 1;
            self.first_calls.resize(n_blocks, next);
        }
        span
    }

    fn n_bytes(&self) -> usize {
        self.texts.n_bytes()
            + self.of_calls.capacity() * size_of::<CallText>()
            + self.others.capacity() * size_of::<OtherText>()
    }

    /// Hands all to lazy columns.
    pub(crate) fn leave(mut self, builder: &mut TraceBuilder) {
        if builder.n_events() == 0 {
            return;
        }
        self.of_calls.shrink_to_fit();
        self.others.shrink_to_fit();
        self.texts.shrink();
        builder.keeps_tables(self.n_bytes());
        let texts = Arc::new(self);
        let of_lines = Arc::clone(&texts);
        builder.lazy_args(move |known, column| texts.fill_args(known, column));
        builder
            .lazy_source_lines(move |known, column| of_lines.each_line(known, |event, line| column.set(event, line)));
    }

    fn fill_args(&self, known: &KnownColumns, column: &mut LazyLists) {
        let (mut writer, mut written) = (TermWriter::default(), String::new());
        let mut list = |column: &mut LazyLists, raw: &[u8]| {
            written.clear();
            writer.write(raw, &mut written);
            column.list(&written)
        };
        let mut of_calls: Vec<Option<ArgsId>> = vec![None; self.of_calls.len()];
        let mut others = self.others.iter().peekable();
        for event in known.events() {
            if let Some(other) = others.next_if(|other| other.event == event) {
                let id = list(column, self.texts.at(other.args));
                column.set(event, ListField::Known(id));
                continue;
            }
            let Some(call) = call_index(known, event) else { continue };
            let (Some(text), Some(found)) = (self.of_calls.get(call), of_calls.get_mut(call)) else { continue };
            let block = self.first_calls.partition_point(|first| *first as usize <= call + 1).saturating_sub(1) as u32;
            let args = BlockSpan { block, start: text.start, length: text.length };
            let id = *found.get_or_insert_with(|| list(column, self.texts.at(args)));
            column.set(event, ListField::Known(id));
        }
    }

    fn each_line(&self, known: &KnownColumns, mut set: impl FnMut(EventId, u64)) {
        let mut others = self.others.iter().peekable();
        for event in known.events() {
            let of_call = || Some(self.of_calls.get(call_index(known, event)?)?.line);
            let line = others.next_if(|other| other.event == event).map(|other| other.line).or_else(of_call);
            set(event, line.unwrap_or(0).into());
        }
    }
}

/// The index of the call of an event.
fn call_index(known: &KnownColumns, event: EventId) -> Option<usize> {
    usize::try_from(known.call(event)?).ok()?.checked_sub(1)
}

/// The number of a line; those after the greatest number of an event share one.
fn small(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
