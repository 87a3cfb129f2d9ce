//! Messages about a text. Only this file knows lines and columns, and draws carets.
//!
//! ```text
//! query:1:16: error: expected `]`, found `)`
//! fget([port=exit)
//!                ^
//! query:1:6: note: this `[` is not closed
//! fget([port=exit)
//!      ^
//! ```

use std::fmt;
use std::sync::Arc;

use memchr::memchr_iter;
use unicode_width::UnicodeWidthStr;

use super::SyntaxError;
use crate::term::Span;
use crate::term::letters::is_invisible;

/// Characters shown of a line on each side of the reported span.
const CONTEXT: usize = 100;

/// A text with the name that messages call it by, such as its path.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name before the line number in messages.
    pub(crate) name: String,
    /// The whole text.
    pub(crate) text: String,
    lines: LineIndex,
    lines_before: usize,
}

impl Source {
    /// The text called `name`.
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Source::part(name, text, 0)
    }

    /// The part of the text called `name` that follows `lines_before` lines.
    pub(crate) fn part(name: impl Into<String>, text: impl Into<String>, lines_before: usize) -> Arc<Source> {
        let (name, text) = (name.into(), text.into());
        let lines = LineIndex::new(&text);
        Arc::new(Source { name, text, lines, lines_before })
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    pub(crate) fn line_column(&self, offset: u32) -> (usize, usize) {
        let (line, column) = self.lines.line_column(&self.text, offset);
        (line + self.lines_before, column)
    }

    /// `name:line:column` of a byte offset.
    pub(crate) fn place(&self, offset: u32) -> String {
        let (line, column) = self.line_column(offset);
        format!("{}:{line}:{column}", self.name)
    }
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// The lines of `text`; after 4 GiB, all is one line.
    pub(crate) fn new(text: &str) -> LineIndex {
        let others = memchr_iter(b'\n', text.as_bytes()).filter_map(|at| u32::try_from(at + 1).ok());
        LineIndex { starts: std::iter::once(0).chain(others).collect() }
    }

    /// Line and column of a byte offset of the same text, both from 1; columns count characters.
    pub(crate) fn line_column(&self, text: &str, offset: u32) -> (usize, usize) {
        let offset = text.floor_char_boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start as usize <= offset);
        let start = self.starts[line - 1] as usize;
        (line, text[start..offset].chars().count() + 1)
    }
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The text cannot be used as it is.
    Error,
    /// The text can be used, but is probably not what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// A message about a place in a text; [`Display`](fmt::Display) draws it without a last line break.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    /// Its severity.
    pub(crate) severity: Severity,
    /// What was expected and what was found.
    pub(crate) message: String,
    /// The text.
    pub(crate) source: Arc<Source>,
    /// The part of the text that the message is about.
    pub(crate) span: Span,
    /// Other spans of the same text that explain this one.
    pub(crate) notes: Vec<(Span, String)>,
    /// What to write instead.
    pub(crate) help: Option<String>,
    /// The cause, printed on the lines below; empty if unknown.
    pub(crate) cause: String,
}

impl Diagnostic {
    /// An error at `span`.
    pub(crate) fn error(source: &Arc<Source>, span: Span, message: impl Into<String>) -> Diagnostic {
        let (source, message) = (Arc::clone(source), message.into());
        Diagnostic {
            severity: Severity::Error,
            message,
            source,
            span,
            notes: Vec::new(),
            help: None,
            cause: String::new(),
        }
    }

    /// A warning at `span`.
    pub(crate) fn warning(source: &Arc<Source>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(source, span, message) }
    }

    /// A syntax error in `source`.
    pub(crate) fn syntax(source: &Arc<Source>, error: SyntaxError) -> Diagnostic {
        let notes = error.related.into_iter().collect();
        Diagnostic { notes, help: error.help, ..Diagnostic::error(source, error.span, error.message) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.source, self.span, &self.severity, &self.message)?;
        for (span, note) in &self.notes {
            f.write_str("\n")?;
            write_place(f, &self.source, *span, &"note", note)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        if self.cause.is_empty() { Ok(()) } else { write!(f, "\n{}", self.cause) }
    }
}

/// Writes the message, its line, and carets under the span.
fn write_place(
    f: &mut fmt::Formatter<'_>,
    source: &Source,
    span: Span,
    label: &dyn fmt::Display,
    message: &str,
) -> fmt::Result {
    let (before, inside, after) = excerpt(&source.text, span);
    let indent = before.width();
    let carets = inside.width().max(1);
    writeln!(f, "{}: {label}: {message}", source.place(span.start))?;
    writeln!(f, "{}", format!("{before}{inside}{after}").trim_end())?;
    write!(f, "{:indent$}{:^<carets$}", "", "")
}

/// The line at the start of `span`, in three parts: before, inside and after the span, each truncated.
fn excerpt(text: &str, span: Span) -> (String, String, String) {
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.floor_char_boundary(span.end as usize).max(start);
    let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let (end, before) = (end.min(line_end), &text[line_start..start]);
    let from = before.char_indices().rev().take(CONTEXT).last().map_or(0, |(at, _)| at);
    let cut = if from > 0 { "..." } else { "" };
    (format!("{cut}{}", visible(&before[from..])), beginning(&text[start..end]), beginning(&text[end..line_end]))
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(CONTEXT) {
        Some((end, _)) => format!("{}...", visible(&text[..end])),
        None => visible(text),
    }
}

/// Shows each control character in one column, so that carets are aligned and no character controls the terminal.
fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\r' => ' ',
        _ if c.is_control() || is_invisible(c) => '\u{fffd}',
        _ => c,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::ops::OpTable;

    #[test]
    fn columns_count_characters() {
        let text = "é,\nab";
        assert_eq!(LineIndex::new(text).line_column(text, 2), (1, 2));
        assert_eq!(LineIndex::new(text).line_column(text, 5), (2, 2));
    }

    fn message(text: &str) -> String {
        let error = read_goal(text, &OpTable::standard(), &ReadFlags::default()).expect_err("the text is wrong");
        Diagnostic::syntax(&Source::new("query", text), error).to_string()
    }

    #[test]
    fn the_opening_bracket_is_shown() {
        let expected = "query:1:16: error: expected `]`, found `)`\n\
                        fget([port=exit)\n               ^\n\
                        query:1:6: note: this `[` is not closed\n\
                        fget([port=exit)\n     ^";
        assert_eq!(message("fget([port=exit)"), expected);
    }

    #[test]
    fn columns_count_characters_and_carets_stand_under_wide_ones() {
        let expected = "query:2:5: error: expected an operator or the end dot, found `b`\n'中' b\n     ^";
        assert_eq!(message("% first\n'中' b"), expected);
    }

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("f({}, {})", "a,".repeat(1000), "b,".repeat(1000));
        let shown = message(&text);
        assert!(shown.lines().all(|line| line.chars().count() < 2 * CONTEXT + 20), "{shown}");
        assert!(shown.starts_with("query:1:2003: error: expected a term, found `,`"), "{shown}");
    }

    #[test]
    fn nothing_invisible_is_shown_as_it_is() {
        let shown = message("a \u{1b}[31m \u{202e} b");
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
    }
}
