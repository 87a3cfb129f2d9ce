//! The named pipe between a recorder and papaver.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tempfile::TempDir;

use super::program::{SignalRelay, Tracer};
use super::recording::Recording;
use crate::recorders::PIPE;

/// How often what was recorded goes to the disk.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long nothing may come after the end of the program, if another process keeps the pipe open.
const QUIET: Duration = Duration::from_millis(500);

/// The same after the trailer.
const QUIET_AFTER_TRAILER: Duration = Duration::from_millis(20);

/// How long other processes of the program are recorded after its end.
const LONGEST: Duration = Duration::from_secs(5);

/// How long the pipe is left to fill after it was almost empty.
const PAUSE: Duration = Duration::from_millis(4);

/// The pipe, in a folder of its own.
pub(super) struct Pipe {
    folder: TempDir,
    reader: File,
    /// Keeps the pipe open as long as the program runs, whether or not it writes.
    writer: File,
}

/// What can happen while a program is recorded.
enum Message {
    Bytes(Vec<u8>),
    /// Nobody can write any more.
    Closed,
    Ended(io::Result<ExitStatus>),
}

/// How a program and its recording ended.
pub(super) struct End {
    pub(super) status: ExitStatus,
    /// Whether other processes kept the pipe open.
    pub(super) is_running: bool,
}

impl Pipe {
    /// Makes the pipe, which only this user can open.
    pub(super) fn new() -> io::Result<Pipe> {
        let mut builder = tempfile::Builder::new();
        let folder = builder.prefix("papaver-").permissions(Permissions::from_mode(0o700)).tempdir()?;
        let path = folder.path().join(PIPE);
        mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR)?;
        // opened for both, it does not wait for the other end
        let writer = OpenOptions::new().read(true).write(true).open(&path)?;
        let reader = File::open(&path)?;
        widen(&reader);
        Ok(Pipe { folder, reader, writer })
    }

    /// The folder for the files of the recorder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Records until the program has ended and everything that it wrote has come.
    pub(super) fn follow(self, mut child: Child, recording: &mut Recording) -> io::Result<End> {
        let program = child.id();
        let relay = SignalRelay::start(program);
        let (sender, messages) = sync_channel(64);
        let of_program = sender.clone();
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let (reader, of_reader) = (self.reader, Arc::clone(&is_unwanted));
        thread::spawn(move || read(reader, &sender, &of_reader));
        thread::spawn(move || {
            let status = child.wait();
            relay.end();
            of_program.send(Message::Ended(status))
        });
        Following {
            messages,
            recording,
            writer: Some(self.writer),
            is_unwanted,
            path: self.folder.path().join(PIPE),
            tracer: Tracer::Unknown(program),
            ended: None,
            is_closed: false,
            saved: Instant::now(),
        }
        .run()
    }
}

/// Makes room for more bytes in the pipe, so that a recorder waits less often.
#[cfg(target_os = "linux")]
fn widen(pipe: &File) {
    use nix::fcntl::{FcntlArg, fcntl};
    // what the system allows without privileges; less is slower, but no error
    let _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(1 << 20));
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &File) {}

/// Sends on what comes through the pipe, until nothing is wanted; a closed pipe ends the recorder, not the program.
fn read(mut pipe: File, sender: &SyncSender<Message>, is_unwanted: &AtomicBool) {
    let mut bytes = vec![0; 1 << 16];
    while !is_unwanted.load(Ordering::Relaxed) {
        let n_read = match pipe.read(&mut bytes) {
            Ok(0) => break,
            Ok(n_read) => n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if sender.send(Message::Bytes(bytes[..n_read].to_vec())).is_err() {
            return;
        }
        // a recorder may write each line by itself: more of them come at once after a moment
        if n_read < bytes.len() / 8 {
            thread::sleep(PAUSE);
        }
    }
    drop(pipe);
    // nobody listens if everything has ended
    let _ = sender.send(Message::Closed);
}

/// A program that is being recorded.
struct Following<'r> {
    messages: Receiver<Message>,
    recording: &'r mut Recording,
    writer: Option<File>,
    /// Tells the thread that reads to stop.
    is_unwanted: Arc<AtomicBool>,
    path: PathBuf,
    tracer: Tracer,
    ended: Option<(io::Result<ExitStatus>, Instant)>,
    is_closed: bool,
    saved: Instant,
}

impl Following<'_> {
    /// Until the program has ended, and others that write to the pipe are quiet.
    fn run(mut self) -> io::Result<End> {
        loop {
            let is_quiet = !self.wait(self.patience());
            if self.recording.is_full() && self.writer.is_some() {
                self.want_no_more();
            }
            if self.saved.elapsed() >= INTERVAL {
                self.recording.save();
                self.saved = Instant::now();
            }
            let is_over = |at: &Instant| is_quiet || self.is_closed || at.elapsed() > LONGEST;
            if let Some((status, _)) = self.ended.take_if(|(_, at)| is_over(at)) {
                let is_running = !self.is_closed;
                self.leave();
                return status.map(|status| End { status, is_running });
            }
        }
    }

    /// How long to wait for something to happen.
    fn patience(&self) -> Duration {
        match &self.ended {
            Some(_) if self.recording.trailer.has_come() => QUIET_AFTER_TRAILER,
            Some(_) => QUIET,
            None => INTERVAL.saturating_sub(self.saved.elapsed()),
        }
    }

    /// Takes the next message; returns whether there was one.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.messages.recv_timeout(patience) {
            Ok(Message::Bytes(bytes)) => {
                self.tracer.look();
                self.recording.take(&bytes);
            }
            Ok(Message::Ended(status)) => {
                self.writer = None;
                self.ended = Some((status, Instant::now()));
            }
            Ok(Message::Closed) | Err(RecvTimeoutError::Disconnected) => self.is_closed = true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Ends the recording before the program: a tracer outside of it leaves it, and any other recorder finds its pipe
    /// closed.
    fn want_no_more(&mut self) {
        // whoever opened the pipe later would wait for a reader
        let _ = std::fs::remove_file(&self.path);
        if !self.tracer.detach() {
            self.is_unwanted.store(true, Ordering::Relaxed);
        }
        self.writer = None;
    }

    /// Lets a tracer leave the processes that are still running, and takes what it writes until then.
    fn leave(&mut self) {
        if self.is_closed || !self.tracer.detach() {
            return;
        }
        let begun = Instant::now();
        while !self.is_closed && begun.elapsed() < QUIET {
            self.wait(QUIET);
        }
    }
}
