//! The error of a text that cannot be read as terms.

use crate::term::Span;

/// A span of a text that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SyntaxError {
    /// The kind of error as a word, for `syntax_error(Name)`.
    pub(crate) name: &'static str,
    /// What was expected and what was found, in words.
    pub(crate) message: String,
    /// The wrong part of the text.
    pub(crate) span: Span,
    /// What to write instead.
    pub(crate) help: Option<String>,
    /// Another span that explains this one, such as the opening bracket.
    pub(crate) related: Option<(Span, String)>,
}

impl SyntaxError {
    /// An error without help.
    pub(crate) fn new(name: &'static str, message: impl Into<String>, span: Span) -> SyntaxError {
        SyntaxError { name, message: message.into(), span, help: None, related: None }
    }

    /// Whether the text is correct but ends too early: at a prompt, another line may complete it.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.name.starts_with("end_of_file") && self.name != "end_of_file_expected"
    }

    /// The same error with advice.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> SyntaxError {
        self.help = Some(help.into());
        self
    }

    /// The same error with another span.
    pub(crate) fn with_related(mut self, span: Span, message: impl Into<String>) -> SyntaxError {
        self.related = Some((span, message.into()));
        self
    }
}
