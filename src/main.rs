//! The command `papaver`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: papaver::SpillAllocator = papaver::SpillAllocator::new();

fn main() -> ExitCode {
    papaver::run(std::env::args_os())
}
