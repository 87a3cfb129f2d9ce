//! From lines to events, in the order of the file: whose line it is, which call it belongs to, what it ends.

use super::FORMAT;
use super::columns::{AttributeIds, CallNumber, EventTexts};
use super::fast::{FastCall, FastKind, FastResult, StraceChunk};
use super::line::{
    CallEnding, CallResult, LineBody, LineHead, ReturnValue, attached, message_at_end, number, resuming,
    unfinished_again,
};
use super::line_table::{self, LineRow, LineTable, NewRows};
use super::names::{CallNames, CallPort, DetailsTable, KnownDetails, ThreadCodes};
use super::processes::{NameId, OpenCall, OpenEnd, ProcessEnd, ProcessIndex, ProcessTable};
use super::rules::begins_as_event;
use super::time::LineClock;
use std::sync::Arc;

use crate::formats::json::value::{Json, JsonObject};
use crate::formats::json::{facts, value};
use crate::formats::lines::{Chunk, LineEnding, text};
use crate::formats::times::CLOCK;
use crate::term::hash::HashMap;
use crate::trace::{EventId, Field, ProcRow, RecordedAt, TraceBuilder};

/// A trace that is being read.
pub(crate) struct StraceReader<'b> {
    pub(crate) builder: &'b mut TraceBuilder,
    pub(crate) ids: AttributeIds,
    pub(crate) clock: LineClock,
    pub(super) processes: ProcessTable,
    pub(super) names: CallNames,
    details: DetailsTable,
    table: LineTable,
    new: NewRows,
    /// The ends of calls that returned a new process, with its number.
    children: Vec<(EventId, i64)>,
    pub(super) texts: EventTexts,
    /// The line before, in whose middle stood the message about a new process.
    broken: Option<BrokenLine>,
    /// Memory for what the next open call printed of its arguments.
    spare_part: Vec<u8>,
    /// The last call that a line mentioned, to which frames of a stack belong.
    last_call: Option<EventId>,
    frames: Vec<(EventId, String)>,
    /// The number of lines in earlier chunks.
    pub(crate) n_lines: u64,
    /// Whether the trailer of a recorder came, if its header did.
    has_trailer: Option<bool>,
    /// Whether the recording had limits that leave out the calls that make processes.
    pub(crate) may_lack_forks: bool,
    /// The number of gaps when a process last resumed a call that it may have begun in one.
    begun_in_gaps: HashMap<ProcessIndex, usize>,
}

/// A line whose rest is on the next one.
struct BrokenLine {
    process: ProcessIndex,
    time: Option<i64>,
    body: Vec<u8>,
    number: u64,
}

/// How a call ended.
struct CallEnd {
    port: CallPort,
    ret: Option<i64>,
    dur: Option<i64>,
    details: KnownDetails,
}

impl StraceReader<'_> {
    /// A reader that fills a builder without events; `pid` is the number of the process of lines that state none.
    pub(crate) fn new(builder: &mut TraceBuilder, pid: Option<i64>) -> StraceReader<'_> {
        let ids = AttributeIds::new(builder);
        let mut processes = ProcessTable::default();
        if let Some(pid) = pid {
            processes.belong_to(pid);
        }
        StraceReader {
            builder,
            ids,
            clock: LineClock::default(),
            processes,
            names: CallNames::default(),
            details: DetailsTable::default(),
            table: LineTable::default(),
            new: NewRows::default(),
            children: Vec::new(),
            texts: EventTexts::default(),
            broken: None,
            spare_part: Vec::new(),
            last_call: None,
            frames: Vec::new(),
            n_lines: 0,
            has_trailer: None,
            may_lack_forks: false,
            begun_in_gaps: HashMap::default(),
        }
    }

    /// Adds the events of the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, lines: &mut StraceChunk) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            return self.long_line(self.n_lines);
        }
        let StraceChunk { calls, others, n_lines, codes, new } = lines;
        std::mem::swap(&mut self.new, new);
        let (first, text) = (self.n_lines + 1, chunk.text());
        self.texts.of_calls.begin_chunk(text, chunk.offset);
        let mut from = 0;
        for other in &*others {
            self.calls(text, &calls[from..other.n_before], first, codes);
            self.line(&text[other.text.clone()], first + u64::from(other.number));
            from = other.n_before;
        }
        self.calls(text, &calls[from..], first, codes);
        self.texts.of_calls.end_chunk();
        self.n_lines += u64::from(*n_lines);
        self.flush();
        std::mem::swap(&mut self.new, new);
    }

    /// Adds the new events to the trace.
    fn flush(&mut self) {
        self.table.append(&mut self.new, self.builder);
    }

    /// Adds what is known only at the end of the file.
    pub(crate) fn finish(mut self) {
        if let Some(broken) = self.broken.take() {
            self.body(broken.process, broken.time, &broken.body, broken.number);
        }
        self.flush();
        self.put_frames();
        self.builder.fill(self.ids.child, self.children.iter().map(|(event, child)| (*event, Field::Int(*child))));
        self.builder.recording().is_unfinished |= self.has_trailer == Some(false);
        if let Some(origin) = self.clock.origin {
            self.builder.recording().record(RecordedAt::Start, CLOCK, Field::Text(origin));
        }
        if self.builder.n_events() > 0 {
            self.table.finish();
            let table = Arc::new(self.table);
            line_table::leave(&table, &self.ids, self.processes.pids(), self.details, self.builder);
            self.texts.leave(&table, self.builder);
        }
    }

    /// Gives the calls the frames of the stacks below them.
    fn put_frames(&mut self) {
        // stable, so that the frames of a call stay in their order
        self.frames.sort_by_key(|(event, _)| *event);
        for frames in self.frames.chunk_by(|one, next| one.0 == next.0) {
            let texts: Vec<&str> = frames.iter().map(|(_, frame)| frame.as_str()).collect();
            let list = serde_json::Value::from(texts).to_string();
            let event = frames.iter().map(|(event, _)| (*event, Field::Json(&list))).take(1);
            self.builder.fill(self.ids.stack_frames, event);
        }
    }

    /// The number of the next event, from 0.
    #[inline]
    fn next_event(&self) -> EventId {
        self.builder.n_events().saturating_add(self.new.n_events() as EventId)
    }

    /// Reports a broken rule about the next event.
    pub(crate) fn fault(&mut self, rule: &'static str, line: u64, message: impl Into<String>) {
        self.fault_at(self.next_event(), rule, line, message);
    }

    /// Reports a broken rule about an event.
    pub(crate) fn fault_at(&mut self, event: EventId, rule: &'static str, line: u64, message: impl Into<String>) {
        self.builder.finding(rule, Some(i64::from(event) + 1), Some(line), message);
    }

    /// Reports a line that breaks the grammar.
    pub(crate) fn grammar_fault(&mut self, line: u64, message: impl Into<String>) {
        self.builder.finding(FORMAT.rule, None, Some(line), message);
    }

    fn calls(&mut self, text: &[u8], calls: &[FastCall], first_line: u64, codes: &mut ThreadCodes) {
        for call in calls {
            self.fast_call(text, call, first_line + u64::from(call.head.number), codes);
        }
    }

    #[inline]
    fn fast_call(&mut self, text: &[u8], call: &FastCall, line: u64, codes: &mut ThreadCodes) {
        let name = codes.name_id(call.name, &mut self.names);
        let details = codes.known_details(call.kind.details(), &mut self.details);
        let Some(details) = details.filter(|_| self.broken.is_none()) else {
            return self.line(&text[call.head.line.0 as usize..call.head.line.1 as usize], line);
        };
        let is_resumed = matches!(call.kind, FastKind::Resumed(_));
        let process = match call.head.pid {
            Some(pid) => self.processes.stated(pid),
            None => self.processes.unstated(is_resumed.then_some(name)),
        };
        let time = self.clock.time(call.head.stamp);
        self.check_line(process, time, line);
        let part = &text[call.text.0 as usize..call.text.1 as usize];
        match call.kind {
            FastKind::Unfinished { is_between } => {
                self.begin_open(process, name, part, time, line, OpenEnd::Split { is_between });
            }
            FastKind::Resumed(Some((length, result))) => {
                let is_between = |open: &OpenCall| open.name == name && open.is_between;
                match self.processes.take_open_if(process, is_between) {
                    Some(open) => {
                        self.resume_fast(process, open, &part[..length as usize], (result, details), time, line);
                    }
                    None => self.resume(process, name, part, time, line),
                }
            }
            FastKind::Resumed(None) => self.resume(process, name, part, time, line),
            FastKind::Complete(result) => {
                self.new_call(process, name, part, line);
                let (end, FastResult { ret, dur, .. }) = (self.next_event().saturating_add(1), result);
                let port = self.end_port(end, ret, details, line);
                let keys = [CallPort::Call, port].map(|port| self.names.key(name, port, self.builder));
                self.new.complete(keys, LineRow { process, time, ret: Some(ret), dur, details: details.id });
                self.bear(process, name, end, ret);
            }
        }
    }

    /// The end of a call whose beginning ends between two arguments; `rest` has the others.
    fn resume_fast(
        &mut self,
        process: ProcessIndex,
        open: OpenCall,
        rest: &[u8],
        (FastResult { ret, dur, .. }, details): (FastResult, KnownDetails),
        time: Option<i64>,
        line: u64,
    ) {
        self.last_call = open.event;
        let time = open.end(time, dur);
        self.texts.add_event(self.next_event(), &[open.part.as_slice(), rest], line);
        let port = self.end_port(self.next_event(), ret, details, line);
        self.end(process, open.name, open.number, time, CallEnd { port, ret: Some(ret), dur, details });
        self.spare_part = open.part;
    }

    /// The port of an event that ends a call, which returns an integer.
    #[inline]
    fn end_port(&mut self, event: EventId, ret: i64, details: KnownDetails, line: u64) -> CallPort {
        self.check_errno(event, ret == -1, details.has_errno, line);
        if details.has_errno { CallPort::Exception } else { CallPort::Exit }
    }

    /// Whether a process has ended.
    #[inline]
    pub(crate) fn end_of(&self, process: ProcessIndex) -> ProcessEnd {
        self.processes.at(process).end
    }

    /// Reads a line of any kind.
    fn line(&mut self, line: &[u8], number: u64) {
        if let Some(mut broken) = self.broken.take() {
            broken.body.extend_from_slice(line);
            return self.body(broken.process, broken.time, &broken.body, broken.number);
        }
        if let Some(frame) = line.strip_prefix(b" > ") {
            let event = self.last_call;
            self.frames.extend(event.map(|event| (event, text::visible(frame).into_owned())));
            return;
        }
        if let Some((_, pid)) = attached(line) {
            return self.message(pid, None, number);
        }
        if line.starts_with(facts::MARK) {
            return self.fact(line, number);
        }
        let head = LineHead::of(line);
        let body = &line[head.length..];
        let (content, message) = (LineBody::of(body), message_at_end(body));
        if content == LineBody::Other && message.is_none() && !begins_as_event(line) {
            // output of the program, or the table of `strace -C`
            return;
        }
        let resumed = match content {
            LineBody::Resumed { name, .. } => Some(self.names.id(name)),
            _ => None,
        };
        let process = match head.pid {
            Some(pid) => self.processes.stated(pid),
            None => self.processes.unstated(resumed),
        };
        let time = self.clock.time(head.stamp);
        if let LineBody::Attached { pid } = content {
            return self.message(pid, time, number);
        }
        self.check_line(process, time, number);
        if let Some((start, pid)) = message {
            self.message(pid, None, number);
            self.broken = Some(BrokenLine { process, time, body: body[..start].to_vec(), number });
            return;
        }
        if content == LineBody::Other {
            return self.other_line(line, number);
        }
        self.body(process, time, body, number);
    }

    /// Takes what a recorder states: a header, a trailer or a gap.
    fn fact(&mut self, line: &[u8], number: u64) {
        self.flush();
        let read = std::str::from_utf8(line).map_err(|error| error.to_string()).and_then(value::object);
        match read {
            Ok(object) => match facts::read(&object, self.builder) {
                Some(RecordedAt::Start) if may_lack_forks(&object) => {
                    (self.has_trailer, self.may_lack_forks) = (Some(false), true);
                }
                Some(RecordedAt::Start) => self.has_trailer = Some(false),
                Some(RecordedAt::End) => self.has_trailer = Some(true),
                None => {}
            },
            Err(message) => self.grammar_fault(number, message),
        }
    }

    /// Takes the message that a process was attached.
    fn message(&mut self, pid: &[u8], time: Option<i64>, line: u64) {
        let Some(pid) = number(pid) else { return self.grammar_fault(line, "the number of a process is too large") };
        let process = self.processes.attached(pid);
        self.point(process, None, ("attached", "attached"), b"", time, line);
    }

    /// Takes the body of a line, which may have been in two pieces.
    fn body(&mut self, process: ProcessIndex, time: Option<i64>, body: &[u8], line: u64) {
        match LineBody::of(body) {
            LineBody::Call { name, rest } => {
                let name = self.names.id(name);
                self.any_call(process, name, rest, time, line);
            }
            LineBody::Resumed { name, rest } => {
                let name = self.names.id(name);
                self.resume(process, name, rest, time, line);
            }
            LineBody::Exited { status } => self.end_process(process, ("exited", "exited"), status, time, line),
            LineBody::Killed { signal } => self.end_process(process, ("killed", "killed"), signal, time, line),
            LineBody::Superseded { pid } => {
                let call = self.processes.take_open(process).map(|call| call.number);
                self.point(process, call, ("superseded", "superseded"), pid, time, line);
                number(pid).into_iter().for_each(|pid| self.processes.supersede(process, pid));
            }
            LineBody::Signal { name, info } => self.signal(process, ("signal", name), info, time, line),
            LineBody::Stopped { signal } => self.signal(process, ("stopped", signal), b"", time, line),
            LineBody::Attached { .. } | LineBody::Other => self.other_line(body, line),
        }
    }

    fn signal(&mut self, process: ProcessIndex, what: (&str, &[u8]), info: &[u8], time: Option<i64>, line: u64) {
        let call = self.processes.open(process).map(|call| call.number);
        self.point(process, call, (what.0, &text::visible(what.1)), info, time, line);
    }

    fn end_process(&mut self, process: ProcessIndex, what: (&str, &str), why: &[u8], time: Option<i64>, line: u64) {
        let call = self.processes.take_open(process).map(|call| call.number);
        self.point(process, call, what, why, time, line);
        self.processes.end(process, ProcessEnd::Ended);
    }

    /// Adds an event that is not of a call; `what` is its port and its name.
    fn point(
        &mut self,
        process: ProcessIndex,
        call: Option<CallNumber>,
        what: (&str, &str),
        args: &[u8],
        time: Option<i64>,
        line: u64,
    ) {
        let key = self.builder.key(&ProcRow { name: Some(what.1), ..ProcRow::default() }, Some(what.0), None);
        self.texts.add_event(self.next_event(), &[args], line);
        self.new.other(key, call, LineRow::of(process, time));
    }

    /// A line that begins a call.
    fn any_call(&mut self, process: ProcessIndex, name: NameId, rest: &[u8], time: Option<i64>, line: u64) {
        let (resumes, rest) = resuming(rest).map_or((None, rest), |(resumes, rest)| (Some(resumes), rest));
        let event = self.next_event();
        match CallEnding::of(rest) {
            CallEnding::Open(part) => {
                self.begin_open(process, name, part, time, line, OpenEnd::Split { is_between: false });
            }
            CallEnding::Complete => self.complete(process, name, rest, time, line),
        }
        if let Some(resumes) = resumes {
            let name = text::visible(resumes);
            self.builder.fill(self.ids.resumes, std::iter::once((event, Field::Atom(&name))));
        }
    }

    fn complete(&mut self, process: ProcessIndex, name: NameId, rest: &[u8], time: Option<i64>, line: u64) {
        match CallResult::split(rest) {
            None => {
                self.begin_open(process, name, b"", time, line, OpenEnd::Never);
                self.no_result(rest, line);
            }
            Some((args, result)) if result.value == ReturnValue::Unknown && result.details.errno.is_none() => {
                self.begin_open(process, name, args, time, line, OpenEnd::Never);
            }
            Some((args, result)) => {
                self.new_call(process, name, args, line);
                let event = self.next_event().saturating_add(1);
                let CallEnd { port, ret, dur, details } = self.ending(event, &result, line);
                let keys = [CallPort::Call, port].map(|port| self.names.key(name, port, self.builder));
                self.new.complete(keys, LineRow { process, time, ret, dur, details: details.id });
                self.bear(process, name, event, ret.unwrap_or_default());
            }
        }
    }

    /// Adds a call without its events.
    #[inline]
    fn new_call(&mut self, process: ProcessIndex, name: NameId, args: &[u8], line: u64) -> CallNumber {
        if self.processes.open(process).is_some() {
            self.second_call(process, name, line);
        }
        self.last_call = Some(self.next_event());
        self.table.n_calls += 1;
        self.texts.add_call(args, line)
    }

    /// Adds a call and the event that begins it; it does not stay open.
    fn begin(&mut self, process: ProcessIndex, name: NameId, args: &[u8], time: Option<i64>, line: u64) -> CallNumber {
        let number = self.new_call(process, name, args, line);
        let key = self.names.key(name, CallPort::Call, self.builder);
        self.new.begin(key, LineRow::of(process, time));
        number
    }

    #[cold]
    fn second_call(&mut self, process: ProcessIndex, name: NameId, line: u64) {
        let open = self.processes.take_open(process).map_or_else(String::new, |open| self.names.text(open.name).into());
        let message = format!("the process calls {} inside {open}", self.names.text(name));
        self.fault("S4", line, message);
    }

    /// Begins a call whose result is on another line, or that never returns.
    fn begin_open(
        &mut self,
        process: ProcessIndex,
        name: NameId,
        part: &[u8],
        time: Option<i64>,
        line: u64,
        end: OpenEnd,
    ) {
        let number = self.begin(process, name, part.trim_ascii_end(), time, line);
        let mut kept = std::mem::take(&mut self.spare_part);
        kept.clear();
        if end != OpenEnd::Never {
            kept.extend_from_slice(part);
        }
        let is_between = end == OpenEnd::Split { is_between: true };
        let is_split = end != OpenEnd::Never;
        self.processes.put_open(
            process,
            OpenCall { number, name, time, event: self.last_call, is_split, is_between, part: kept },
        );
    }

    /// A line that resumes a call.
    fn resume(&mut self, process: ProcessIndex, name: NameId, rest: &[u8], time: Option<i64>, line: u64) {
        if self.processes.open(process).is_none_or(|open| open.name != name) {
            return self.resume_unknown(process, name, rest, time, line);
        }
        let again = unfinished_again(rest);
        if let (Some(part), Some(open)) = (again, self.processes.open_mut(process)) {
            open.part.extend_from_slice(part);
            (open.is_split, open.is_between) = (true, false);
            return;
        }
        let Some(open) = self.processes.take_open(process) else { return };
        let mut whole = open.part;
        whole.extend_from_slice(rest);
        let open = OpenCall { part: Vec::new(), ..open };
        self.last_call = open.event;
        match CallResult::split(&whole) {
            None => {
                self.processes.put_open(process, open);
                self.no_result(rest, line);
            }
            Some((_, result)) if result.value == ReturnValue::Unknown && result.details.errno.is_none() => {
                self.processes.put_open(process, open);
            }
            Some((args, result)) => {
                let end = open.end(time, result.duration);
                self.texts.add_event(self.next_event(), &[args], line);
                self.end_with(process, name, open.number, end, &result, line);
            }
        }
    }

    /// Whether the recorder may have lost the beginning of a call, which can be said of one call of a process behind each
    /// gap.
    fn began_in_gap(&mut self, process: ProcessIndex) -> bool {
        let n_gaps = self.builder.recording().gaps().len();
        n_gaps > 0 && self.begun_in_gaps.insert(process, n_gaps) != Some(n_gaps)
    }

    /// The end of a call whose beginning the trace does not have: it is a call of its own.
    #[cold]
    fn resume_unknown(&mut self, process: ProcessIndex, name: NameId, rest: &[u8], time: Option<i64>, line: u64) {
        if !self.began_in_gap(process) {
            let message = format!("{} is resumed, but the process has not begun it", self.names.text(name));
            self.fault("S3", line, message);
        }
        let number = self.texts.add_call(b"", line);
        self.table.skip_call(&self.new, number);
        if unfinished_again(rest).is_some() {
            return;
        }
        match CallResult::split(rest) {
            None => self.no_result(rest, line),
            Some((_, result)) if result.value == ReturnValue::Unknown && result.details.errno.is_none() => {}
            Some((args, result)) => {
                self.processes.take_open(process);
                self.table.n_calls += 1;
                self.last_call = Some(self.next_event());
                self.texts.add_event(self.next_event(), &[args], line);
                self.end_with(process, name, number, time, &result, line);
            }
        }
    }

    /// Adds the event that ends a call with a result.
    fn end_with(
        &mut self,
        process: ProcessIndex,
        name: NameId,
        number: CallNumber,
        time: Option<i64>,
        result: &CallResult<'_>,
        line: u64,
    ) {
        let end = self.ending(self.next_event(), result, line);
        self.end(process, name, number, time, end);
    }

    /// How the call ends in the next row, by its result at an event.
    fn ending(&mut self, event: EventId, result: &CallResult<'_>, line: u64) -> CallEnd {
        let has_errno = result.details.errno.is_some();
        let (ret, port) = match result.value {
            ReturnValue::Unknown => (None, CallPort::Interrupted),
            _ if has_errno => (result.value.int(), CallPort::Exception),
            _ => (result.value.int(), CallPort::Exit),
        };
        match result.value {
            ReturnValue::Unknown => self.check_restart(event, result, line),
            _ => self.check_errno(event, ret == Some(-1), has_errno, line),
        }
        if let ReturnValue::Wide(value) = result.value {
            self.table.wide_ret(&self.new, value);
        }
        CallEnd { port, ret, dur: result.duration, details: self.details.known(result.details) }
    }

    /// Adds the event that ends a call.
    #[inline]
    fn end(&mut self, process: ProcessIndex, name: NameId, call: CallNumber, time: Option<i64>, end: CallEnd) {
        let CallEnd { port, ret, dur, details } = end;
        let event = self.next_event();
        let key = self.names.key(name, port, self.builder);
        self.new.other(key, Some(call), LineRow { process, time, ret, dur, details: details.id });
        self.bear(process, name, event, ret.unwrap_or_default());
    }

    /// Notes the process that a call returned at an event, if it is one that makes processes.
    #[inline]
    fn bear(&mut self, process: ProcessIndex, name: NameId, event: EventId, ret: i64) {
        if ret > 0 && self.names.makes_process(name) {
            self.processes.bear(ret, process);
            self.children.push((event, ret));
        }
    }
}

/// Whether a header has limits that leave out calls in the middle.
fn may_lack_forks(header: &JsonObject<'_>) -> bool {
    let Some(Json::Nested(limits)) = header.get("limits") else { return false };
    value::object(limits)
        .is_ok_and(|limits| ["only", "skip", "depth", "sample"].iter().any(|key| limits.get(key).is_some()))
}
