//! The command `papaver`.

use std::process::ExitCode;

fn main() -> ExitCode {
    papaver::app::run(std::env::args_os())
}
