//! What is wrong with a text that should be terms.

use crate::term::Span;

/// A place in a text that no term can have, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// The kind of error as a word, for `syntax_error(Name)`.
    pub name: &'static str,
    /// What was expected and what was found, for a person.
    pub message: String,
    /// The text that is wrong.
    pub span: Span,
    /// What to write instead.
    pub help: Option<String>,
    /// Another place that explains this one, such as the opening bracket.
    pub related: Option<(Span, String)>,
}

impl SyntaxError {
    /// An error without help.
    pub fn new(name: &'static str, message: impl Into<String>, span: Span) -> SyntaxError {
        SyntaxError { name, message: message.into(), span, help: None, related: None }
    }

    /// Whether the text is right as far as it goes, but ends too early: at a prompt, another line may complete it.
    pub fn is_incomplete(&self) -> bool {
        self.name.starts_with("end_of_file") && self.name != "end_of_file_expected"
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> SyntaxError {
        self.help = Some(help.into());
        self
    }

    /// The same with another place.
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> SyntaxError {
        self.related = Some((span, message.into()));
        self
    }
}

/// The text of a token as messages show it: on one line, cut when long.
pub(super) fn quote(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let shown: String = line.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if shown.len() < text.len() { format!("`{shown}...`") } else { format!("`{shown}`") }
}
