//! The server of a page: on this machine only, for those who know the secret in its address.
//!
//! Goals run one at a time on the thread that serves, since a session belongs to one thread. Everything else is answered
//! by others, so that a tile never waits for a goal.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, RwLock};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tiny_http::Server;

use super::goals::GoalSession;
use super::requests::Answerer;
use super::tiles::KeptTiles;
use crate::app::prompt::words::{PredicateWord, PromptWords};
use crate::app::status::Status;
use crate::view::{PageContents, served};

/// How many requests are answered at once.
const N_THREADS: usize = 4;

/// What the thread of goals is told.
pub(super) enum Message {
    /// To answer a goal on a trace, or on all.
    Goal { goal: String, trace: Option<usize>, id: usize, reply: Sender<String> },
    /// To end.
    End,
}

/// Serves the page until Ctrl-C, or until the terminal ends.
pub(super) fn serve(contents: PageContents, mut goals: GoalSession<'_>, no_open: bool) -> Status {
    let context = goals.context;
    let server = match Server::http("127.0.0.1:0") {
        Ok(server) => Arc::new(server),
        Err(error) => {
            context.error(None, &format!("cannot listen on 127.0.0.1: {error}"));
            return Status::Error;
        }
    };
    let port = server.server_addr().to_ip().map_or(0, |address| address.port());
    let Ok(secret) = secret() else {
        context.error(None, "the system gives no random number for the address of the page");
        return Status::Error;
    };
    let base = format!("/{secret}/");
    let words = words(&goals, &contents);
    let contents = Arc::new(contents);
    let (messages, inbox) = channel();
    let answerer = Arc::new(Answerer {
        page: served(&contents, &base),
        base: base.clone(),
        hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        contents: Arc::clone(&contents),
        tiles: KeptTiles::default(),
        words: RwLock::new(words),
        goals: std::sync::Mutex::new(messages.clone()),
        is_busy: AtomicBool::new(false),
        stop: goals.session.interrupt_handle(),
    });
    if let Err(error) = watch(&messages) {
        context.warning(&format!("cannot watch for Ctrl-C: {error}"));
    }
    for _ in 0..N_THREADS {
        let (server, answerer) = (Arc::clone(&server), Arc::clone(&answerer));
        thread::spawn(move || {
            while let Ok(request) = server.recv() {
                answerer.answer(request);
            }
        });
    }
    // while the browser starts
    let (tiles, of_tiles) = (Arc::clone(&answerer), Arc::clone(&contents));
    thread::spawn(move || of_tiles.traces.iter().for_each(|of| tiles.tiles.make_coarse(of)));
    let address = format!("http://127.0.0.1:{port}{base}");
    let told = context.out.own(&format!("{address}\n")).and_then(|()| context.out.flush_all());
    if told.is_err() {
        return context.written(told);
    }
    if !no_open
        && has_display()
        && let Err(error) = open::that_detached(&address)
    {
        context.note(&format!("cannot open the browser: {error}"));
    }
    let status = answer_goals(&inbox, &contents, &mut goals, &answerer);
    server.unblock();
    status
}

/// Answers goals until the end.
fn answer_goals(
    inbox: &Receiver<Message>,
    contents: &PageContents,
    goals: &mut GoalSession<'_>,
    answerer: &Answerer,
) -> Status {
    while let Ok(Message::Goal { goal, trace, id, reply }) = inbox.recv() {
        let traces = match trace {
            Some(trace) => contents.traces.get(trace..=trace).unwrap_or_default(),
            None => &contents.traces,
        };
        answerer.stop.store(false, Ordering::Relaxed);
        let layer = goals.layer(traces, id, &goal);
        answerer.is_busy.store(false, Ordering::Release);
        // whoever asked may have gone
        let _ = reply.send(serde_json::to_string(&layer).unwrap_or_default());
    }
    Status::Interrupted
}

/// Numbers that nobody guesses, in hexadecimal digits.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is completed in goals.
fn words(goals: &GoalSession<'_>, contents: &PageContents) -> PromptWords {
    let predicates = goals.session.predicates().into_iter();
    let word = |doc: crate::session::PredicateDoc| PredicateWord { name: doc.name, arity: doc.arity, doc: doc.doc };
    let predicates = predicates.filter(|doc| !doc.name.starts_with('$')).map(word).collect();
    PromptWords::new(predicates, contents.traces.iter().map(|trace| trace.timeline.trace.clone()).collect())
}

/// Ends the server at a signal, and with the input of its terminal.
fn watch(messages: &Sender<Message>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let end = messages.clone();
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            let _ = end.send(Message::End);
        }
    });
    if io::stdin().is_terminal() {
        let end = messages.clone();
        thread::spawn(move || {
            wait_for_end_of_terminal();
            let _ = end.send(Message::End);
        });
    }
    Ok(())
}

/// Reads the terminal to its end, but only while it is ours: to a job in the background, reading would be a stop.
#[cfg(unix)]
fn wait_for_end_of_terminal() {
    use std::time::Duration;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::unistd::{getpgrp, read, tcgetpgrp};

    let stdin = io::stdin();
    let mut bytes = [0_u8; 1024];
    loop {
        let mut waiting = [PollFd::new(std::os::fd::AsFd::as_fd(&stdin), PollFlags::POLLIN)];
        let is_ready = poll(&mut waiting, PollTimeout::NONE).is_ok();
        let has_hung_up = waiting[0].revents().is_some_and(|found| found.contains(PollFlags::POLLHUP));
        if has_hung_up {
            return;
        }
        let is_ours = tcgetpgrp(&stdin).is_ok_and(|group| group == getpgrp());
        match is_ready && is_ours {
            true if matches!(read(&stdin, &mut bytes), Ok(0)) => return,
            true => {}
            false => thread::sleep(Duration::from_millis(500)),
        }
    }
}

#[cfg(not(unix))]
fn wait_for_end_of_terminal() {
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
}

/// Whether a browser could show a page.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_os = "macos")) || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(is_set)
}
