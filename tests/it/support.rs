//! Helpers of the tests of the program: the command itself, sample traces, temporary files.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::LazyLock;

use assert_cmd::Command;
use tempfile::TempDir;

/// The program, in an environment that does not depend on who runs the tests.
pub fn papaver() -> Command {
    let mut command = Command::from_std(program());
    command
        .env_remove("NO_COLOR")
        .env("XDG_CONFIG_HOME", "/dev/null/nowhere")
        .env("XDG_STATE_HOME", "/dev/null/nowhere");
    command
}

/// The program, in the environment of the tests.
pub fn program() -> std::process::Command {
    default_signals();
    std::process::Command::new(env!("CARGO_BIN_EXE_papaver"))
}

/// What the tests start handles signals as programs do by default. A test run in the background may ignore some of them
/// (`nohup`, `&` in a script), and its children would ignore them too. A signal that is caught here is ignored no longer after
/// `exec`, and the test run still does not end by it.
fn default_signals() {
    #[cfg(unix)]
    {
        use std::sync::atomic::AtomicBool;
        use std::sync::{Arc, Once};

        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        static DONE: Once = Once::new();
        let caught =
            |signal| signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).expect("it can be caught");
        DONE.call_once(|| {
            [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(is_ignored).for_each(|signal| _ = caught(signal));
        });
    }
}

/// Whether this process ignores a signal, where the system tells it.
#[cfg(unix)]
fn is_ignored(signal: &i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// A sample trace of `tests/data`.
pub fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Whether all these programs can be run here; says so if not.
pub fn has(programs: &[&str]) -> bool {
    let folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let is_there = |program: &&&str| folders.iter().any(|folder| folder.join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        println!("{missing:?} cannot be had here: not tested");
    }
    missing.is_empty()
}

/// Whether DuckDB can be asked here; says so if not.
pub fn has_duckdb() -> bool {
    static HAS_DUCKDB: LazyLock<bool> = LazyLock::new(|| {
        let run = std::process::Command::new("python3").args(["-c", "import duckdb"]).output();
        run.is_ok_and(|output| output.status.success())
    });
    if !*HAS_DUCKDB {
        println!("not compared: python3 has no module duckdb (pip install duckdb)");
    }
    *HAS_DUCKDB
}

/// Standard output of a run that ends with `status`.
pub fn stdout(command: &mut Command, status: i32) -> String {
    let assert = command.assert().code(status);
    String::from_utf8(assert.get_output().stdout.clone()).expect("papaver writes UTF-8")
}

/// Standard error of a run that ends with `status`.
pub fn stderr(command: &mut Command, status: i32) -> String {
    let assert = command.assert().code(status);
    String::from_utf8(assert.get_output().stderr.clone()).expect("papaver writes UTF-8")
}

/// A folder with one file in it.
pub fn file(name: &str, contents: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join(name);
    std::fs::write(&path, contents).expect("a temporary folder can be written to");
    (folder, path)
}

thread_local! {
    static KEPT: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

/// The path of a file like that of [`file`], whose folder is removed when the test ends.
pub fn kept_file(name: &str, contents: &str) -> PathBuf {
    let (folder, path) = file(name, contents);
    KEPT.with_borrow_mut(|kept| kept.push(folder));
    path
}

/// Numbers that look random and are the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}
