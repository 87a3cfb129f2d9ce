//! Commands declared by scripts, as help shows them.

/// A command declared by `command/2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCommand {
    /// The name.
    pub name: String,
    /// Name and type of each argument.
    pub arguments: Vec<(String, String)>,
    /// Whether it moves.
    pub kind: CommandKind,
    /// The abbreviation at the prompt; may be empty.
    pub abbreviation: String,
    /// The description.
    pub message: String,
    /// The script that declares it, if it was one.
    pub script: Option<String>,
}

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Any other.
    Plain,
    /// A move: it prints the event that it reaches, and has a silent variant.
    Trace,
}
