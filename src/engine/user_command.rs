//! Commands that scripts have declared, as help shows them.

/// A command, by `command/2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCommand {
    /// Its name.
    pub name: String,
    /// Its arguments: name and type.
    pub arguments: Vec<(String, String)>,
    /// Whether it moves.
    pub kind: CommandKind,
    /// The short name that it has at the prompt; empty for none.
    pub abbreviation: String,
    /// What it does.
    pub message: String,
    /// The script that declares it, if it was one.
    pub script: Option<String>,
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Anything.
    Plain,
    /// Moving: it prints the event that it reaches, and has a variant that does not.
    Trace,
}
