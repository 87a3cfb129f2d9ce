//! What the options of a session say; goals do not change it.

use std::path::PathBuf;

use crate::term::Atom;

/// The settings of a session.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The arguments after `--` on the command line.
    pub(crate) argv: Vec<String>,
    /// The file that keeps the answers to questions of declarative debugging across sessions.
    pub(crate) answers_file: Option<PathBuf>,
    /// The folders from which sources of the traced program may be read.
    pub(crate) source_folders: Vec<PathBuf>,
    /// Whether moves print the event line that they reach.
    pub(crate) prints_moves: bool,
    /// What may answer goals over events.
    pub(crate) solver: Solver,
    /// The width of pictures, in characters: that of the terminal at the prompt.
    pub(crate) columns: usize,
    /// The derived trace to which goals are put.
    pub(crate) on: Option<Atom>,
    /// Whether a goal that writes to standard error is interrupted, as its turn to write has not come.
    pub(crate) is_ahead: bool,
}

/// What may answer goals over events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Solver {
    /// Columns where possible, otherwise the machine.
    #[default]
    Any,
    /// Only the machine, which solves each goal as written.
    Machine,
}

impl Default for Settings {
    fn default() -> Settings {
        let (argv, source_folders) = (Vec::new(), Vec::new());
        let (prints_moves, solver, columns) = (true, Solver::default(), 80);
        Settings { argv, answers_file: None, source_folders, prints_moves, solver, columns, on: None, is_ahead: false }
    }
}
