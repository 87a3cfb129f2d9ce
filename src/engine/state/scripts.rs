//! The scripts of a session: which may be read, which are being loaded, what they declare, and their diagnostics.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::database::Namespace;
use super::guest::Guest;
use super::loading::Loading;
use super::script_file::ScriptFile;
use super::script_path::{Sought, folder_of, seek, seek_below};
use super::user_command::UserCommand;
use crate::engine::heap::Frozen;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Severity, Source};
use crate::term::Tree;

/// The scripts that goals and the session have loaded, and those being loaded.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    access: ScriptAccess,
    granted: Option<ScriptFile>,
    /// Innermost last.
    loading: Vec<Loading>,
    /// Latest last.
    pub(super) guests: Vec<Guest>,
    initialization: Vec<Frozen>,
    commands: Vec<UserCommand>,
    report: LoadReport,
}

/// What loading scripts has shown.
#[derive(Debug, Default)]
pub(crate) struct LoadReport {
    /// The diagnostics, in the order in which they were found.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether a goal of `initialization/1` has failed.
    pub(crate) initialization_failed: bool,
    /// The clauses and directives of the granted script, as they were read.
    pub(crate) terms: Vec<ReadTerm>,
    /// Where the last of them ends in the text.
    pub(crate) end: usize,
}

/// Which files `consult` may read when no script is being loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ScriptAccess {
    /// All: the user types the goals.
    Anywhere,
    /// Those in or below the folders of the scripts named on the command line.
    Below(Vec<PathBuf>),
}

impl Default for ScriptAccess {
    fn default() -> ScriptAccess {
        ScriptAccess::Below(Vec::new())
    }
}

impl Scripts {
    /// Lets `consult` read any file.
    pub(crate) fn allow_all(&mut self) {
        self.access = ScriptAccess::Anywhere;
    }

    /// Whether `consult` may read any file, as at the prompt.
    pub(crate) fn may_read_all(&self) -> bool {
        self.access == ScriptAccess::Anywhere
    }

    /// Makes the next script that is opened this one, wherever it is.
    pub(crate) fn grant(&mut self, script: ScriptFile) {
        self.granted = Some(script);
    }

    /// Withdraws the grant if it was not used.
    pub(crate) fn withdraw_grant(&mut self) {
        self.granted = None;
    }

    /// The granted script and its folder; scripts beside it may be read from now on, too.
    pub(crate) fn use_grant(&mut self) -> Option<(ScriptFile, Option<PathBuf>)> {
        let script = self.granted.take()?;
        let folder = folder_of(&script.path);
        if let (ScriptAccess::Below(folders), Some(folder)) = (&mut self.access, &folder)
            && !folders.contains(folder)
        {
            folders.push(folder.clone());
        }
        Some((script, folder))
    }

    /// The file that `consult` means by a name: one in or below the folder of the script being loaded, or one that the
    /// session may read, relative to a permitted folder or the working folder.
    pub(crate) fn seek(&self, name: &Path) -> Sought {
        match (&self.access, self.loading.is_empty()) {
            (_, false) => self.seek_included(name),
            (ScriptAccess::Anywhere, true) => seek(Path::new(""), name),
            (ScriptAccess::Below(folders), true) => {
                let bases = |folder| [folder, Path::new("")].map(|base| seek_below(folder, base, name));
                folders.iter().flat_map(|folder| bases(folder)).min().unwrap_or(Sought::Forbidden)
            }
        }
    }

    /// The file that the script being loaded means by a name: it is in or below the folder of that script.
    pub(crate) fn seek_included(&self, name: &Path) -> Sought {
        match self.loading.last().and_then(Loading::folders) {
            Some((folder, base)) => seek_below(folder, base, name),
            None => Sought::Forbidden,
        }
    }

    /// Begins to load a script.
    pub(crate) fn begin(&mut self, loading: Loading) {
        self.loading.push(loading);
    }

    /// Ends the loading of the innermost script.
    pub(crate) fn end(&mut self) {
        self.loading.pop();
    }

    /// Ends the loading of all scripts.
    pub(crate) fn end_all(&mut self) {
        self.loading.clear();
    }

    /// The innermost script being loaded.
    pub(crate) fn innermost(&self) -> Option<&Loading> {
        self.loading.last()
    }

    /// The innermost script being loaded.
    pub(crate) fn innermost_mut(&mut self) -> Option<&mut Loading> {
        self.loading.last_mut()
    }

    /// Whether a script is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        !self.loading.is_empty()
    }

    /// The text of the innermost script being loaded.
    pub(crate) fn source(&self) -> Option<&Arc<Source>> {
        self.loading.last().map(|loading| &loading.source)
    }

    /// The number of the script that the one being loaded is part of.
    pub(crate) fn owner(&self) -> Option<u32> {
        self.loading.last().map(|loading| loading.owner)
    }

    /// The namespace of the script being loaded; a goal uses the user's.
    pub(crate) fn namespace(&self) -> Namespace {
        self.loading.last().map_or(Namespace::User, |loading| loading.namespace)
    }

    /// The number of guests.
    pub(crate) fn n_guests(&self) -> usize {
        self.guests.len()
    }

    /// Keeps a goal of `initialization/1` for the end of its script.
    pub(crate) fn keep_initialization(&mut self, goal: Frozen) {
        self.initialization.push(goal);
    }

    /// Removes and returns these goals.
    pub(crate) fn take_initialization(&mut self) -> Vec<Frozen> {
        std::mem::take(&mut self.initialization)
    }

    /// The tree of a term of the innermost script; the term becomes part of the report if that script was granted.
    pub(crate) fn note_term(&mut self, term: ReadTerm) -> Tree {
        let Some(loading) = self.loading.last().filter(|loading| loading.is_granted) else { return term.tree };
        self.report.end = loading.position;
        let tree = term.tree.clone();
        self.report.terms.push(term);
        tree
    }

    /// Records that such a goal has failed.
    pub(crate) fn note_failed_initialization(&mut self) {
        self.report.initialization_failed = true;
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.report.diagnostics.push(diagnostic);
    }

    /// The number of errors among the diagnostics.
    pub(crate) fn n_errors(&self) -> usize {
        self.report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// What loading has shown since the last call.
    pub(crate) fn take_report(&mut self) -> LoadReport {
        std::mem::take(&mut self.report)
    }

    /// Adds a command, in place of one with the same name and number of arguments.
    pub(crate) fn declare_command(&mut self, command: UserCommand) {
        let n_arguments = command.arguments.len();
        self.commands.retain(|other| other.name != command.name || other.arguments.len() != n_arguments);
        self.commands.push(command);
    }

    /// The commands that scripts have declared, in order.
    pub(crate) fn commands(&self) -> &[UserCommand] {
        &self.commands
    }
}
