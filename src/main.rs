//! The command `papaver`.

use std::process::ExitCode;

fn main() -> ExitCode {
    papaver::run(std::env::args_os())
}
