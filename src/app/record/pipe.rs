//! The named pipe between a recorder and papaver.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tempfile::TempDir;

use super::program::SignalRelay;
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
        Ok(Pipe { folder, reader, writer })
    }

    /// The folder for the files of the recorder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Records until the program has ended and everything that it wrote has come.
    pub(super) fn follow(self, mut child: Child, recording: &mut Recording) -> io::Result<ExitStatus> {
        let relay = SignalRelay::start(child.id());
        let (sender, messages) = sync_channel(64);
        let of_program = sender.clone();
        let (reader, writer) = (self.reader, self.writer);
        thread::spawn(move || read(reader, &sender));
        thread::spawn(move || {
            let status = child.wait();
            relay.end();
            of_program.send(Message::Ended(status))
        });
        take(&messages, writer, recording)
    }
}

/// Sends on what comes through the pipe.
fn read(mut pipe: File, sender: &SyncSender<Message>) {
    loop {
        let mut bytes = vec![0; 1 << 16];
        match pipe.read(&mut bytes) {
            Ok(0) => break,
            Ok(n_read) => bytes.truncate(n_read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        }
        if sender.send(Message::Bytes(bytes)).is_err() {
            return;
        }
    }
    // the program ends later, or papaver has stopped to listen
    let _ = sender.send(Message::Closed);
}

fn take(messages: &Receiver<Message>, writer: File, recording: &mut Recording) -> io::Result<ExitStatus> {
    let mut writer = Some(writer);
    let mut ended: Option<(io::Result<ExitStatus>, Instant)> = None;
    let mut saved = Instant::now();
    loop {
        let patience = match &ended {
            Some(_) if recording.has_trailer() => QUIET_AFTER_TRAILER,
            Some(_) => QUIET,
            None => INTERVAL.saturating_sub(saved.elapsed()),
        };
        let is_over = match messages.recv_timeout(patience) {
            Ok(Message::Bytes(bytes)) => {
                recording.take(&bytes);
                ended.as_ref().is_some_and(|(_, at)| at.elapsed() > LONGEST)
            }
            Ok(Message::Ended(status)) => {
                writer = None;
                ended = Some((status, Instant::now()));
                false
            }
            Ok(Message::Closed) | Err(RecvTimeoutError::Timeout) => ended.is_some(),
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if saved.elapsed() >= INTERVAL {
            recording.save();
            saved = Instant::now();
        }
        if let (true, Some((status, _))) = (is_over, ended.take_if(|_| is_over)) {
            drop(writer);
            return status;
        }
    }
}
