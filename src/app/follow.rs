//! `papaver check --follow`: checks the assertions of scripts on a growing trace.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::check::Checker;
use super::status::Status;
use crate::engine::{Stop, Stopped};
use crate::formats::{EventOrder, Format, Growing, refuse_spans};
use crate::session::{Check, FollowedOutcome, Following, Session, Verdict};
use crate::trace::Trace;

/// The interval at which a file is polled.
const PAUSE: Duration = Duration::from_millis(100);
/// What [`Rereading::rest`] multiplies.
const REST: u32 = 2;
/// The most bytes that are read at once.
const BLOCK: usize = 1 << 20;
/// The number of bytes from which the format must be recognised; otherwise the file cannot be followed.
const HEAD: usize = 1 << 16;

/// A trace that is read again and again while it grows.
struct GrowingWhole {
    session: Session,
    /// Those that are not decided.
    checks: Vec<Check>,
}

impl Checker<'_> {
    /// Follows the trace at a path until it ends.
    pub(super) fn follow(&mut self, path: &Path) -> Status {
        let mut source = match FollowedInput::open(path) {
            Ok(source) => source,
            Err(reason) => {
                self.context.error(None, &format!("cannot read `{}`: {reason}", path.display()));
                return Status::Error;
            }
        };
        let (mut session, status) = self.session();
        if status.is_end() {
            return status;
        }
        let mut reading = Reading::new(path, session.interrupt_handle(), self.args.until_idle);
        let Some(format) = reading.recognise(&mut source, self.context.common.reading.format()) else {
            return status.and(self.whole(reading, source));
        };
        if let Err(error) = refuse_spans(path, format.name, &self.context.common.reading.span) {
            self.context.error(None, &error.to_string());
            return Status::Error;
        }
        let growing = Growing::new(path, format, self.context.operators.as_deref());
        session.open(Arc::new(growing.empty()));
        let (checks, consulted) = self.checks(&mut session);
        let status = status.and(consulted);
        if status.is_end() || checks.is_empty() {
            return status;
        }
        let followed = self.follow_checks(&mut session, checks, growing, (&mut reading, &mut source));
        status.and(followed.unwrap_or_else(|stop| self.context.stopped(&stop, &session)))
    }

    fn follow_checks(
        &mut self,
        session: &mut Session,
        checks: Vec<Check>,
        growing: Growing,
        (reading, source): (&mut Reading, &mut FollowedInput),
    ) -> Result<Status, Stopped> {
        let mut following = Following::new(session, checks, growing)?;
        reading.keeps_all = following.needs_whole() && !source.is_file();
        let (mut status, mut again) = (Status::Yes, Rereading::default());
        while !following.is_over() {
            let (text, is_last) = (reading.lines(), reading.has_ended);
            again.count(text.len());
            if !text.is_empty() {
                let decided = match following.feed(session, &text) {
                    Err(Stopped { stop: Stop::Interrupt, .. }) => break,
                    decided => decided?,
                };
                status = status.and(self.report_all(decided));
                reading.keeps_all &= following.needs_whole();
                if !reading.keeps_all {
                    reading.all = Vec::new();
                }
            }
            if is_last || self.is_over(status) {
                break;
            }
            if again.is_due(reading) {
                status = status.and(self.violated_in_whole(session, &mut following, (reading, &mut again)));
            }
            reading.wait(source);
        }
        if self.is_over(status) {
            return Ok(status);
        }
        if following.is_empty() && self.refuses_empty(&reading.path, 0) {
            return Ok(status.and(Status::Error));
        }
        if reading.has_ended && following.is_unfinished() {
            self.context.tell_unfinished(&reading.path.display().to_string());
        }
        let decided = following.finish(session)?;
        Ok(status.and(self.finish_checks(session, decided, reading, source)))
    }

    /// Tells the checks that need the whole trace and that its beginning violates for good.
    fn violated_in_whole(
        &mut self,
        session: &mut Session,
        following: &mut Following,
        (reading, again): (&Reading, &mut Rereading),
    ) -> Status {
        let stays = |check: &Check| check.stays_violated(following.order());
        let checks = following.of_whole().filter(|(_, check)| stays(check));
        let checks: Vec<(usize, Check)> = checks.map(|(number, check)| (number, check.clone())).collect();
        if checks.is_empty() {
            return Status::Yes;
        }
        let Ok(bytes) = again.beginning(reading) else { return Status::Yes };
        let mut status = Status::Yes;
        // the beginning may be too short to be understood
        if let Ok(trace) = self.context.load_growing(&reading.path, bytes) {
            let trace = Arc::new(trace.presumed_finished());
            session.open(Arc::clone(&trace));
            for (number, check) in checks {
                if let Some(told) = self.tell_if_violated(session, &trace, &check, status) {
                    following.has_reported(number);
                    status = status.and(told);
                }
            }
        }
        again.rest();
        status.and(self.context.written(self.context.out.flush_all()))
    }

    /// Reports the checks that are decided at the end of the trace; some need the whole trace.
    fn finish_checks(
        &mut self,
        session: &mut Session,
        decided: Vec<FollowedOutcome>,
        reading: &mut Reading,
        source: &FollowedInput,
    ) -> Status {
        let needs_whole = decided.iter().any(|decided| decided.found.is_none());
        let whole = if needs_whole { self.load_whole(reading, source) } else { None };
        let mut status = Status::Yes;
        for FollowedOutcome { check, found } in decided {
            let one = match (found, &whole) {
                (Some((trace, outcome)), _) => self.tell(check, trace, outcome),
                (None, Some(trace)) => self.check_whole(session, trace, check),
                (None, None) => Status::Error,
            };
            status = status.and(one).and(self.context.written(self.context.out.flush_all()));
            if self.is_over(status) {
                break;
            }
        }
        status
    }

    /// Checks an assertion on the whole trace.
    fn check_whole(&mut self, session: &mut Session, trace: &Arc<Trace>, check: Check) -> Status {
        session.open(trace.clone());
        if session.can_answer(&check) { self.one(session, trace, check) } else { Status::Yes }
    }

    fn report_all(&mut self, decided: Vec<FollowedOutcome>) -> Status {
        let mut status = Status::Yes;
        for FollowedOutcome { check, found } in decided {
            if let Some((trace, outcome)) = found.filter(|_| !self.is_over(status)) {
                status = status.and(self.tell(check, trace, outcome));
            }
        }
        status.and(self.context.written(self.context.out.flush_all()))
    }

    /// Reads a trace whose lines cannot be read one by one again and again while it grows, to tell violations that stay;
    /// the other checks are decided at its end.
    fn whole(&mut self, mut reading: Reading, mut source: FollowedInput) -> Status {
        reading.keeps_all = !source.is_file();
        let (mut growing, mut again) = (None, Rereading::default());
        let mut status = Status::Yes;
        while !reading.has_ended && !self.is_over(status) {
            reading.wait(&mut source);
            again.count(reading.lines().len());
            if !reading.has_ended
                && again.is_due(&reading)
                && let Ok(bytes) = again.beginning(&reading)
            {
                status = status.and(self.violated_so_far(&mut growing, &reading.path, bytes));
                again.rest();
            }
        }
        if self.is_over(status) {
            return status;
        }
        let Some(trace) = self.load_whole(&mut reading, &source) else { return status.and(Status::Error) };
        let Some(GrowingWhole { mut session, checks }) = growing else { return status.and(self.trace_loaded(&trace)) };
        if self.refuses_empty(&reading.path, trace.n_events()) {
            return status.and(Status::Error);
        }
        for check in checks {
            status = status.and(self.check_whole(&mut session, &trace, check));
            if self.is_over(status) {
                break;
            }
        }
        self.context.trusted(&trace, status)
    }

    /// Tells the checks that the first bytes of the trace violate for good, which are not decided again.
    fn violated_so_far(&mut self, growing: &mut Option<GrowingWhole>, path: &Path, bytes: Vec<u8>) -> Status {
        // the beginning may be too short to be understood
        let Ok(trace) = self.context.load_growing(path, bytes) else { return Status::Yes };
        let (trace, mut status) = (Arc::new(trace.presumed_finished()), Status::Yes);
        if growing.is_none() {
            let (mut session, read) = self.session();
            session.open(Arc::clone(&trace));
            let (checks, consulted) = self.checks(&mut session);
            status = read.and(consulted);
            *growing = Some(GrowingWhole { session, checks });
        }
        let Some(GrowingWhole { session, checks }) = growing else { return status };
        session.open(Arc::clone(&trace));
        let order = Format::named(trace.origin().format).map_or(EventOrder::OfTime, |format| format.order);
        let mut left = Vec::new();
        for check in std::mem::take(checks) {
            let stays = check.stays_violated(order);
            match stays.then(|| self.tell_if_violated(session, &trace, &check, status)).flatten() {
                Some(told) => status = status.and(told),
                None => left.push(check),
            }
        }
        *checks = left;
        status.and(self.context.written(self.context.out.flush_all()))
    }

    /// Tells a check that a trace violates, unless the status so far ends the run.
    fn tell_if_violated(
        &mut self,
        session: &mut Session,
        trace: &Arc<Trace>,
        check: &Check,
        so_far: Status,
    ) -> Option<Status> {
        if self.is_over(so_far) || trace.n_events() == 0 {
            return None;
        }
        let outcome = session.check(check);
        (outcome.verdict == Verdict::Violated).then(|| self.tell(check.clone(), Arc::clone(trace), outcome))
    }

    fn load_whole(&self, reading: &mut Reading, source: &FollowedInput) -> Option<Arc<Trace>> {
        match source.is_file() {
            true => self.context.load(&reading.path),
            false => self.context.load_bytes(&reading.path, std::mem::take(&mut reading.all)),
        }
    }
}

/// The part of a trace that has arrived.
pub(super) struct Reading {
    path: PathBuf,
    interrupt: Arc<AtomicBool>,
    until_idle: Option<Duration>,
    /// The bytes after the last line that was taken.
    pending: Vec<u8>,
    /// All bytes so far, if `keeps_all`.
    pub(super) all: Vec<u8>,
    pub(super) keeps_all: bool,
    pub(super) has_ended: bool,
    /// When bytes last arrived.
    last: Instant,
}

impl Reading {
    pub(super) fn new(path: &Path, interrupt: Arc<AtomicBool>, until_idle: Option<Duration>) -> Reading {
        Reading {
            path: path.to_path_buf(),
            interrupt,
            until_idle,
            pending: Vec::new(),
            all: Vec::new(),
            keeps_all: true,
            has_ended: false,
            last: Instant::now(),
        }
    }

    /// Reads until the format is known; none if it is unknown or cannot be followed.
    fn recognise(&mut self, source: &mut FollowedInput, forced: Option<&str>) -> Option<&'static Format> {
        loop {
            let whole_lines = memchr::memrchr(b'\n', &self.pending).map_or(0, |end| end + 1);
            let head = &self.pending[..if self.has_ended { self.pending.len() } else { whole_lines }];
            let is_known = whole_lines > 0 && Growing::is_recognised(head, forced);
            if self.has_ended || head.len() >= HEAD || is_known {
                return Growing::format(head, forced);
            }
            self.wait(source);
        }
    }

    /// Waits briefly for more bytes.
    pub(super) fn wait(&mut self, source: &mut FollowedInput) {
        let n_before = self.pending.len();
        let more = source.read(&mut self.pending);
        let came = &self.pending[n_before..];
        if !came.is_empty() {
            self.last = Instant::now();
            if self.keeps_all {
                self.all.extend_from_slice(came);
            }
        }
        let is_idle = self.until_idle.is_some_and(|limit| self.last.elapsed() >= limit);
        self.has_ended = more == MoreBytes::None || is_idle || self.interrupt.swap(false, Ordering::Relaxed);
    }

    /// The complete lines that have arrived; at the end, also the incomplete last one.
    pub(super) fn lines(&mut self) -> Vec<u8> {
        if self.has_ended {
            return std::mem::take(&mut self.pending);
        }
        let Some(end) = memchr::memrchr(b'\n', &self.pending) else { return Vec::new() };
        let rest = self.pending.split_off(end + 1);
        std::mem::replace(&mut self.pending, rest)
    }
}

/// When a growing trace is read again from its beginning.
pub(super) struct Rereading {
    /// The bytes of the complete lines that have arrived, and of those that were read.
    n_bytes: usize,
    n_read: usize,
    start: Instant,
    next: Instant,
}

impl Default for Rereading {
    fn default() -> Rereading {
        Rereading { n_bytes: 0, n_read: 0, start: Instant::now(), next: Instant::now() }
    }
}

impl Rereading {
    /// Counts bytes of complete lines that have arrived.
    pub(super) fn count(&mut self, n_bytes: usize) {
        self.n_bytes += n_bytes;
    }

    /// Whether the lines that have arrived are to be read now.
    pub(super) fn is_due(&self, reading: &Reading) -> bool {
        self.n_bytes > self.n_read && (reading.has_ended || Instant::now() >= self.next)
    }

    /// The bytes of the trace so far; an error if the file cannot be read, or has become shorter.
    pub(super) fn beginning(&mut self, reading: &Reading) -> io::Result<Vec<u8>> {
        (self.n_read, self.start) = (self.n_bytes, Instant::now());
        if reading.keeps_all {
            return Ok(reading.all[..self.n_bytes].to_vec());
        }
        let mut bytes = Vec::with_capacity(self.n_bytes);
        File::open(&reading.path)?.take(self.n_bytes as u64).read_to_end(&mut bytes)?;
        match bytes.len() == self.n_bytes {
            true => Ok(bytes),
            false => Err(io::Error::other("it has become shorter")),
        }
    }

    /// Waits for so many times as long as the last reading took, so that a large trace does not take all the time.
    pub(super) fn rest(&mut self) {
        self.next = Instant::now() + self.start.elapsed().saturating_mul(REST).min(Duration::from_secs(60));
    }
}

/// Where a growing trace is read from.
pub(super) enum FollowedInput {
    /// A file that may still be appended to.
    File(File),
    /// The blocks that a thread reads from a pipe.
    Pipe(Receiver<Vec<u8>>),
}

/// Whether more bytes may arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoreBytes {
    Maybe,
    None,
}

impl FollowedInput {
    pub(super) fn open(path: &Path) -> io::Result<FollowedInput> {
        if path == Path::new("-") {
            return Ok(FollowedInput::of_pipe(io::stdin()));
        }
        let file = File::open(path)?;
        Ok(if file.metadata()?.is_file() { FollowedInput::File(file) } else { FollowedInput::of_pipe(file) })
    }

    fn of_pipe(mut pipe: impl Read + Send + 'static) -> FollowedInput {
        let (sender, receiver) = sync_channel(4);
        thread::spawn(move || {
            loop {
                let mut block = vec![0; HEAD];
                match pipe.read(&mut block) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(n_read) if n_read > 0 => {
                        block.truncate(n_read);
                        if sender.send(block).is_err() {
                            return;
                        }
                    }
                    _ => return,
                }
            }
        });
        FollowedInput::Pipe(receiver)
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self, FollowedInput::File(_))
    }

    /// Adds the bytes that have arrived; waits briefly if there are none.
    fn read(&mut self, into: &mut Vec<u8>) -> MoreBytes {
        match self {
            FollowedInput::File(file) => match file.take(BLOCK as u64).read_to_end(into) {
                Ok(0) | Err(_) => thread::sleep(PAUSE),
                Ok(_) => {}
            },
            FollowedInput::Pipe(blocks) => {
                match blocks.recv_timeout(PAUSE) {
                    Ok(block) => into.extend(block),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return MoreBytes::None,
                }
                while into.len() < BLOCK
                    && let Ok(block) = blocks.try_recv()
                {
                    into.extend(block);
                }
            }
        }
        MoreBytes::Maybe
    }
}
