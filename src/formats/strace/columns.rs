//! The format's own columns: its attributes, and the arguments and lines of all events, which become lazy columns.

use std::sync::Arc;

use super::call_texts::CallTexts;
use super::line_table::{LineTable, RowEvent};
use super::terms::TermWriter;
use crate::formats::lines::text_blocks::{BlockSpan, TextBlocks};
use crate::trace::{ArgsId, AttributeId, EventId, LazyLists, ListField, TraceBuilder};

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

/// The arguments of all events as strace prints them, and their lines. The events of a call on one line share them.
#[derive(Debug, Default)]
pub(crate) struct EventTexts {
    pub(crate) of_calls: CallTexts,
    /// By call.
    lines: Vec<u32>,
    /// Events whose arguments or lines are not those of their call, in rising order.
    others: Vec<OtherText>,
    of_others: TextBlocks,
}

#[derive(Clone, Copy, Debug)]
struct OtherText {
    event: EventId,
    args: BlockSpan,
    line: u32,
}

impl EventTexts {
    /// Adds a call; returns its number.
    #[inline]
    pub(crate) fn add_call(&mut self, args: &[u8], line: u64) -> CallNumber {
        self.of_calls.add(args);
        self.lines.push(small(line));
        self.of_calls.n_calls()
    }

    /// Adds an event that is not on the line of its call, or has other arguments, which are given in parts.
    pub(crate) fn add_event(&mut self, event: EventId, args: &[&[u8]], line: u64) {
        let args = self.of_others.add_parts(args);
        self.others.push(OtherText { event, args, line: small(line) });
    }

    fn n_bytes(&self) -> usize {
        self.of_calls.n_bytes()
            + self.lines.capacity() * size_of::<u32>()
            + self.others.capacity() * size_of::<OtherText>()
            + self.of_others.n_bytes()
    }

    /// Hands all to lazy columns.
    pub(crate) fn leave(mut self, table: &Arc<LineTable>, builder: &mut TraceBuilder) {
        self.of_calls.shrink();
        self.lines.shrink_to_fit();
        self.others.shrink_to_fit();
        self.of_others.shrink();
        builder.keeps_tables(self.n_bytes() + table.n_bytes());
        let file = self.of_calls.file().map(Arc::clone);
        let texts = Arc::new(self);
        let (of_args, of_lines) = (Arc::clone(table), Arc::clone(table));
        let lines = Arc::clone(&texts);
        builder.lazy_args_of(file, move |_, column| texts.fill_args(&of_args, column));
        builder.lazy_source_lines(move |_, column| lines.each_line(&of_lines, |event, line| column.set(event, line)));
    }

    fn fill_args(&self, table: &LineTable, column: &mut LazyLists) {
        let (mut writer, mut written) = (TermWriter::default(), String::new());
        let mut list = |column: &mut LazyLists, raw: &[u8]| {
            written.clear();
            writer.write(raw, &mut written);
            column.list(&written)
        };
        let mut reader = self.of_calls.reader();
        let mut of_calls: Vec<Option<ArgsId>> = vec![None; self.lines.len()];
        let mut others = self.others.iter().peekable();
        for RowEvent { event, call, .. } in table.events() {
            if let Some(other) = others.next_if(|other| other.event == event) {
                let id = list(column, self.of_others.at(other.args));
                column.set(event, ListField::Known(id));
                continue;
            }
            let Some(call) = call.map(index) else { continue };
            let Some(found) = of_calls.get_mut(call) else { continue };
            let id = *found.get_or_insert_with(|| list(column, reader.at(call)));
            column.set(event, ListField::Known(id));
        }
    }

    fn each_line(&self, table: &LineTable, mut set: impl FnMut(EventId, u64)) {
        let mut others = self.others.iter().peekable();
        for RowEvent { event, call, .. } in table.events() {
            let of_call = || self.lines.get(index(call?)).copied();
            let line = others.next_if(|other| other.event == event).map(|other| other.line).or_else(of_call);
            set(event, line.unwrap_or(0).into());
        }
    }
}

/// The index of a call.
fn index(call: CallNumber) -> usize {
    call as usize - 1
}

/// The number of a line; those after the greatest number of an event share one.
fn small(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
