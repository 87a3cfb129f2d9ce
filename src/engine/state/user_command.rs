//! Commands declared by scripts, as help shows them.

/// A command declared by `command/2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserCommand {
    /// The name.
    pub(crate) name: String,
    /// Name and type of each argument.
    pub(crate) arguments: Vec<(String, String)>,
    /// Whether it moves.
    pub(crate) kind: CommandKind,
    /// The abbreviation at the prompt; may be empty.
    pub(crate) abbreviation: String,
    /// The description.
    pub(crate) message: String,
    /// The script that declares it, if it was one.
    pub(crate) script: Option<String>,
}

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandKind {
    /// Any other.
    Plain,
    /// A move: it prints the event that it reaches, and has a silent variant.
    Trace,
}
