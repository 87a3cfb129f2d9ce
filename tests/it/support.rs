//! Helpers of the tests of the program: the command itself, sample traces, temporary files.

use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

/// The program, in an environment that does not depend on who runs the tests.
pub fn papaver() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_papaver"));
    command
        .env_remove("NO_COLOR")
        .env("XDG_CONFIG_HOME", "/dev/null/nowhere")
        .env("XDG_STATE_HOME", "/dev/null/nowhere");
    command
}

/// A sample trace of `tests/data`.
pub fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
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
