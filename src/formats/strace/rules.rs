//! Integrity rules that concern single lines: S1, S2, S5 and S6. Rules S3 and S4 are checked where calls begin and resume.

use super::arguments::closing_bracket;
use super::events::StraceReader;
use super::line::CallResult;
use super::processes::{ProcessEnd, ProcessIndex};
use crate::formats::lines::{Lines, text};
use crate::term::letters::excerpt;
use crate::trace::EventId;

impl StraceReader<'_> {
    /// Rules S5 and S6 of a line.
    #[inline]
    pub(crate) fn check_line(&mut self, process: ProcessIndex, time: Option<i64>, line: u64) {
        if let Some(time) = time {
            if self.clock.last.is_some_and(|last| time < last) {
                self.fault("S5", line, "the time is before that of the line before");
            }
            self.clock.last = Some(time);
        }
        if self.end_of(process) == ProcessEnd::Ended {
            self.line_after_end(process, line);
        }
    }

    /// Rule S6: numbers are used again, and a new process may have a line before the call that makes it returns. Where such
    /// calls may be left out, each line is one of a new process.
    fn line_after_end(&mut self, process: ProcessIndex, line: u64) {
        if self.may_lack_forks || self.processes.is_inside(|name| self.names.makes_process(name)) {
            self.processes.revive(process);
        } else {
            self.fault("S6", line, "the process has already ended");
        }
    }

    /// Rule S2 of an event at which a call returned.
    #[inline]
    pub(crate) fn check_errno(&mut self, event: EventId, is_minus_one: bool, has_errno: bool, line: u64) {
        match (is_minus_one, has_errno) {
            (true, false) => self.fault_at(event, "S2", line, "the call returned -1, but no error is named"),
            (false, true) => self.fault_at(event, "S2", line, "an error is named, but the call did not return -1"),
            _ => {}
        }
    }

    /// Rule S2 of a call that did not return.
    pub(crate) fn check_restart(&mut self, event: EventId, result: &CallResult<'_>, line: u64) {
        if result.details.errno.is_some_and(|errno| !errno.starts_with(b"ERESTART")) {
            self.fault_at(event, "S2", line, "an error is named, but the call did not return");
        }
    }

    /// Rule S1 of a call without its result; `rest` is what follows its opening bracket.
    #[cold]
    pub(crate) fn no_result(&mut self, rest: &[u8], line: u64) {
        let tail = closing_bracket(rest).map(|end| rest[end + 1..].trim_ascii());
        let message = match tail {
            None => "the bracket of the arguments is not closed".to_string(),
            Some(tail) => {
                format!("expected `= ` and a result after the arguments, found {}", excerpt(&text::visible(tail)))
            }
        };
        self.grammar_fault(line, message);
    }

    /// Rule S1 of a line that is no event: those that only begin as one are faults, others are output of the program.
    pub(crate) fn other_line(&mut self, line: &[u8], number: u64) {
        if begins_as_event(line) {
            self.grammar_fault(
                number,
                format!("expected a call, a signal or the end of a process, found {}", excerpt(&text::visible(line))),
            );
        }
    }

    /// Reports a line that is left out because it is too long.
    pub(crate) fn long_line(&mut self, line: u64) {
        self.grammar_fault(line, Lines::too_long("line"));
    }
}

/// Whether a line begins with a process, the mark of a message, or a name and a bracket.
pub(crate) fn begins_as_event(line: &[u8]) -> bool {
    let count = |from: usize, is_one: fn(&u8) -> bool| {
        line.get(from..).unwrap_or_default().iter().take_while(|byte| is_one(byte)).count()
    };
    let marks: [&[u8]; 4] = [b"[pid", b"+++ ", b"--- ", b"<..."];
    let digits = count(0, u8::is_ascii_digit);
    let blanks = count(digits, |byte| *byte == b' ');
    let has_pid = digits > 0 && blanks > 0 && line.get(digits + blanks).is_some_and(u8::is_ascii_digit);
    let name = count(0, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_');
    marks.iter().any(|mark| line.starts_with(mark)) || has_pid || (name > 0 && line.get(name) == Some(&b'('))
}
