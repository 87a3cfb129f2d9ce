//! The command lines of `papaver record` and `papaver recorder`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};

use crate::recorders::RECORDERS;

/// `papaver record`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// The file to write: `.zst`, `.gz` and `.papaver` say how it is packed. Without this option, it is called after the
    /// program, and at a terminal the prompt opens on it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// The recorder; without this option, the program decides
    #[arg(long, value_name = "KIND", value_parser = recorder_kinds())]
    pub(crate) with: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// Keep only the last N events, which are written when the program ends
    #[arg(long, value_name = "N", value_parser = at_least_one(), conflicts_with = "max_events")]
    pub(crate) last: Option<u64>,
    /// Print only errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What a recording leaves out.
#[derive(Args, Debug)]
pub(crate) struct LimitOptions {
    /// Record only this module or procedure: `lists`, `queen/2`, `lists:append/3`; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) only: Vec<String>,
    /// Leave out this module or procedure; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) skip: Vec<String>,
    /// Stop recording after N events; the program goes on
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub(crate) max_events: Option<u64>,
    /// Leave out calls below this depth
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub(crate) depth: Option<u64>,
    /// Cut values longer than N characters
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub(crate) text: Option<u64>,
    /// Show the attributes of objects inside of objects, down to N levels (1 without this option)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=9))]
    pub(crate) levels: Option<u64>,
    /// Leave out arguments and results
    #[arg(long)]
    pub(crate) no_args: bool,
    /// Record one of N calls of each procedure
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub(crate) sample: Option<u64>,
    /// Record each line that runs, too
    #[arg(long)]
    pub(crate) lines: bool,
}

/// `papaver recorder`
#[derive(Args, Debug)]
pub(crate) struct RecorderArgs {
    /// The recorder; without a name, list all recorders
    #[arg(value_parser = recorder_kinds())]
    pub(crate) kind: Option<String>,
}

fn recorder_kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(RECORDERS.iter().map(|recorder| recorder.kind))
}

fn at_least_one() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

const EXAMPLES: &str = "\
Examples:
  papaver record make test
  papaver record -o run.papaver -- make -s test
  papaver record --only openat --text 100 ls

Exit status: that of the program; 128+N if a signal N killed it, 127 if it is not found, 126 if it
cannot be run, 125 if it cannot be recorded. The program is not run by a shell.";
