//! A client of the DevTools protocol of Chromium, which drives a browser without a screen through two pipes. What a
//! page of papaver is asked lives in `browser.rs`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it may take to end after it was asked to.
const LEAVING: Duration = Duration::from_secs(5);

const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const OPTIONS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    // a root of a container may not have the namespaces that the sandbox needs, and little shared memory
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-color-profile=srgb",
    // it asks nobody for anything by itself
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    // pages that are not in front are as fast as the one that is
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// The browser reads from its descriptor 3 and writes to 4, which a shell can give to it.
const START: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#;

/// What a call gives, or what the browser says is wrong.
type Answer = Result<Value, String>;

/// Who waits for messages: callers by the numbers of their calls, and tabs by the names of their sessions.
#[derive(Default)]
struct Inbox {
    callers: HashMap<u64, Sender<Answer>>,
    tabs: HashMap<String, Sender<Value>>,
}

/// A browser with a folder of its own. It ends when it is dropped.
pub struct Browser {
    process: Child,
    commands: Mutex<ChildStdin>,
    inbox: Arc<Mutex<Inbox>>,
    reader: Option<JoinHandle<()>>,
    n_calls: AtomicU64,
    _folder: TempDir,
}

impl Browser {
    /// The program of a browser: the one that the variable CHROME names, or the first in PATH.
    pub fn find() -> Option<PathBuf> {
        let chosen = std::env::var_os("CHROME").map(PathBuf::from);
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        let known = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        chosen.into_iter().chain(known).find(|path| path.is_file())
    }

    /// Starts a program with an empty folder, and without waiting until it answers.
    pub fn start(program: &Path) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("sh");
        command.args(["-c", START]).arg(program).args(OPTIONS).env("TMPDIR", folder.path());
        command.arg(format!("--user-data-dir={}", folder.path().join("user").display()));
        // a key that interrupts the tests is not for it: it ends when nobody writes to it any more
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn()?;
        let commands = Mutex::new(process.stdin.take().expect("its input is a pipe"));
        let messages = process.stdout.take().expect("its output is a pipe");
        let inbox = Arc::new(Mutex::new(Inbox::default()));
        let shared = Arc::clone(&inbox);
        let reader = Some(spawn(move || distribute(messages, &shared)));
        Ok(Self { process, commands, inbox, reader, n_calls: AtomicU64::new(0), _folder: folder })
    }

    /// What a method gives, of the browser or of one of its tabs.
    fn call(&self, session: Option<&str>, method: &str, params: Value) -> Answer {
        let (sender, receiver) = channel();
        let id = self.n_calls.fetch_add(1, Ordering::Relaxed);
        lock(&self.inbox).callers.insert(id, sender);
        let answer = match self.send(id, session, method, params).map(|()| receiver.recv_timeout(PATIENCE)) {
            Ok(Ok(answer)) => answer,
            Ok(Err(RecvTimeoutError::Timeout)) => Err("the browser does not answer".to_string()),
            Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => Err("the browser has ended".to_string()),
        };
        lock(&self.inbox).callers.remove(&id);
        answer.map_err(|error| format!("{method}: {error}"))
    }

    /// Writes a message that has the number of a call.
    fn send(&self, id: u64, session: Option<&str>, method: &str, params: Value) -> std::io::Result<()> {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        lock(&self.commands).write_all(format!("{message}\0").as_bytes())
    }

    /// Tells the browser what to do. It may be gone already, and nobody waits for its answer.
    fn tell(&self, method: &str, params: Value) {
        let _sent = self.send(self.n_calls.fetch_add(1, Ordering::Relaxed), None, method, params);
    }

    /// Whether it ends within some time.
    fn ends(&mut self) -> bool {
        let end = Instant::now() + LEAVING;
        while let Ok(None) = self.process.try_wait() {
            if Instant::now() > end {
                return false;
            }
            sleep(Duration::from_millis(10));
        }
        true
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.tell("Browser.close", json!({}));
        if !self.ends() {
            let group = format!("-{}", self.process.id());
            let _killed = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _status = self.process.wait();
        }
        // the last of its processes has closed the pipe, and the folder can be removed
        let _ended = self.reader.take().map(JoinHandle::join);
    }
}

/// Hands out the messages of the browser until it ends.
fn distribute(messages: impl Read, inbox: &Mutex<Inbox>) {
    let mut messages = BufReader::new(messages);
    let mut message = Vec::new();
    while messages.read_until(0, &mut message).is_ok_and(|n| n > 0) {
        let Ok(value) = serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message)) else { break };
        lock(inbox).take(value);
        message.clear();
    }
    *lock(inbox) = Inbox::default();
}

impl Inbox {
    /// Gives a message to who waits for it. One who does not wait any more has closed its end.
    fn take(&mut self, mut message: Value) {
        if let Some(caller) = message["id"].as_u64().and_then(|id| self.callers.remove(&id)) {
            let error = message["error"]["message"].as_str().map(str::to_string);
            let _sent = caller.send(error.map_or_else(|| Ok(message["result"].take()), Err));
        } else if let Some(tab) = message["sessionId"].as_str().and_then(|session| self.tabs.get(session)) {
            let _sent = tab.send(message);
        }
    }
}

/// A page of the browser, which is closed when it is dropped.
pub struct Tab {
    browser: Arc<Browser>,
    target: Value,
    session: String,
    events: Receiver<Value>,
}

impl Tab {
    /// An empty page in a window of its own, so that it is drawn whatever the others do.
    pub fn open(browser: Arc<Browser>) -> Result<Self, String> {
        let target = json!({ "url": "about:blank", "newWindow": true });
        let target = browser.call(None, "Target.createTarget", target)?["targetId"].take();
        let attached = browser.call(None, "Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
        let session = attached["sessionId"].as_str().expect("a session has a name").to_string();
        let (sender, events) = channel();
        lock(&browser.inbox).tabs.insert(session.clone(), sender);
        Ok(Self { browser, target, session, events })
    }

    /// What a method gives.
    pub fn call(&self, method: &str, params: Value) -> Answer {
        self.browser.call(Some(&self.session), method, params)
    }

    /// What has happened since this was asked before, as messages with `method` and `params`.
    pub fn events(&self) -> impl Iterator<Item = Value> {
        self.events.try_iter()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.browser.tell("Target.closeTarget", json!({ "targetId": self.target }));
        lock(&self.browser.inbox).tabs.remove(&self.session);
    }
}

/// A lock that a test which panics does not keep from the others.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(|error| error.into_inner())
}
