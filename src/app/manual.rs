//! `papaver man` and `papaver completions`: both read the definition of the command line.

use std::io::{self, Write};

use super::args::{self, CompletionsArgs};

/// Prints the manual page of the program, then that of each command.
pub(crate) fn man(out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    let mut definition = args::definition();
    definition.build();
    clap_mangen::Man::new(definition.clone()).render(&mut buffer)?;
    for command in definition.get_subcommands() {
        clap_mangen::Man::new(command.clone()).render(&mut buffer)?;
    }
    out.write_all(&buffer)
}

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    clap_complete::generate(args.shell, &mut args::definition(), "papaver", &mut buffer);
    out.write_all(&buffer)
}
