//! Runs commands as written in the documentation, by the shell in the top folder.

use std::path::Path;
use std::process::{Command, Stdio};

/// The output of a command, with standard error interleaved, and its exit status.
#[derive(Debug)]
pub struct Outcome {
    pub text: String,
    pub status: Option<i32>,
}

/// Runs a shell command in which `papaver` is the program under test.
pub fn run(line: &str) -> Outcome {
    let program = Path::new(env!("CARGO_BIN_EXE_papaver"));
    let folder = program.parent().expect("a program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{line}")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", std::env::join_paths(folders).expect("the folders of PATH can be joined"))
        .env_remove("NO_COLOR")
        .env("XDG_CONFIG_HOME", "/dev/null/nowhere")
        .env("XDG_STATE_HOME", "/dev/null/nowhere")
        .stdin(Stdio::null())
        .output()
        .expect("a shell can be started");
    Outcome { text: String::from_utf8_lossy(&output.stdout).into_owned(), status: output.status.code() }
}
