//! The program: where it lies, its start, its end, and the signals that are meant for it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{AccessFlags, Pid, access};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::Refusal;
use crate::recorders::Start;

/// How long a tracer may take to leave the program.
const LEAVING: Duration = Duration::from_secs(1);

/// The exit statuses of shells for a program that is not there, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// The file of a program, as a shell finds it.
pub(super) fn find(program: &OsStr) -> Result<PathBuf, Refusal> {
    let has_folder = program.as_encoded_bytes().contains(&b'/');
    let folders = std::env::var_os("PATH").filter(|_| !has_folder);
    let candidates: Vec<PathBuf> = match &folders {
        Some(folders) => std::env::split_paths(folders).map(|folder| folder.join(program)).collect(),
        None => vec![PathBuf::from(program)],
    };
    let refused = |status, why: &str| Refusal { status, message: format!("cannot run `{}`: {why}", program.display()) };
    if let Some(file) = candidates.iter().find(|file| is_runnable(file)) {
        return Ok(file.clone());
    }
    match candidates.iter().find(|file| file.exists()) {
        Some(file) if file.is_dir() => Err(refused(NOT_RUNNABLE, "it is a folder")),
        Some(_) => Err(refused(NOT_RUNNABLE, "permission denied")),
        None => Err(refused(NOT_FOUND, "no such program")),
    }
}

fn is_runnable(file: &Path) -> bool {
    file.is_file() && access(file, AccessFlags::X_OK).is_ok()
}

/// Starts the program with the terminal, the input and the output of papaver.
pub(super) fn spawn(start: &Start) -> Result<Child, Refusal> {
    let mut command = Command::new(&start.command[0]);
    command.args(&start.command[1..]).envs(start.environment.iter().map(|(name, value)| (name, value)));
    command.spawn().map_err(|error| {
        let status = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE };
        Refusal { status, message: format!("cannot run `{}`: {error}", start.command[0].display()) }
    })
}

/// The exit status for the shell: 128 + N if signal N killed the program.
pub(super) fn exit_status(status: &ExitStatus) -> u8 {
    let number = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    number.and_then(|number| u8::try_from(number).ok()).unwrap_or(u8::MAX)
}

/// The name of the signal that killed the program: `SIGKILL`.
pub(super) fn signal(status: &ExitStatus) -> Option<String> {
    let number = status.signal()?;
    Some(Signal::try_from(number).map_or(format!("signal {number}"), |signal| signal.to_string()))
}

/// Takes signals while a program runs.
///
/// The terminal sends Ctrl-C and Ctrl-\ to the program too, and papaver waits for what the program makes of it; a signal
/// that ends papaver is handed on.
pub(super) struct SignalRelay {
    has_ended: Arc<AtomicBool>,
}

impl SignalRelay {
    /// Begins after the start of the program, which inherits from papaver the signals that are ignored.
    pub(super) fn start(program: u32) -> SignalRelay {
        let has_ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&has_ended);
        if let (Ok(mut signals), Ok(pid)) =
            (Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP]), i32::try_from(program).map(Pid::from_raw))
        {
            thread::spawn(move || {
                for signal in signals.forever() {
                    hand_on(signal, pid, flag.load(Ordering::Acquire));
                }
            });
        }
        SignalRelay { has_ended }
    }

    /// The program has ended: its number may soon be that of another one.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
    }
}

fn hand_on(signal: i32, program: Pid, has_ended: bool) {
    match (has_ended, Signal::try_from(signal)) {
        (false, Ok(signal @ (Signal::SIGTERM | Signal::SIGHUP))) => {
            // it may have ended just now
            let _ = kill(program, signal);
        }
        (true, Ok(Signal::SIGHUP)) => {
            let _ = emulate_default_handler(signal);
        }
        _ => {}
    }
}

/// A process outside of the program that records it, such as strace.
pub(super) enum Tracer {
    /// Not looked for; the number is that of the program.
    Unknown(u32),
    Found(Pid),
    None,
}

impl Tracer {
    /// Finds the tracer of the program, which must be running.
    pub(super) fn look(&mut self) {
        if let Tracer::Unknown(program) = self {
            let status = std::fs::read_to_string(format!("/proc/{program}/status")).unwrap_or_default();
            let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:")?.trim().parse().ok());
            *self =
                tracer.filter(|number| *number > 0).map_or(Tracer::None, |number| Tracer::Found(Pid::from_raw(number)));
        }
    }

    /// Makes the tracer leave the program, which goes on; false if there is none.
    ///
    /// strace waits for each process in turn, and so for ever if one waits in `vfork` for another that strace has stopped: it
    /// is killed if it does not leave, which lets all of them go on.
    pub(super) fn detach(&mut self) -> bool {
        let Tracer::Found(tracer) = std::mem::replace(self, Tracer::None) else { return false };
        let begun = start_time(tracer);
        let is_told = kill(tracer, Signal::SIGTERM).is_ok();
        thread::spawn(move || {
            thread::sleep(LEAVING);
            if begun.is_some() && start_time(tracer) == begun {
                // it may have left just now
                let _ = kill(tracer, Signal::SIGKILL);
            }
        });
        is_told
    }
}

/// When a process was started, in the units of `/proc`; none if it has ended.
fn start_time(process: Pid) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // the name of the program, in parentheses, may contain anything; the start is the twentieth field after it
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19).map(str::to_owned)
}
