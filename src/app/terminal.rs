//! The capabilities of the terminal: whether there is one, its colours, and line editing.

use std::io::{self, IsTerminal};

use anstyle::{AnsiColor, Style};

use super::args::When;

/// Facts about the three standard streams, determined once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Whether goals are typed rather than piped.
    pub(crate) input: bool,
    /// Whether standard output is a terminal.
    pub(crate) output: bool,
    /// Whether standard error is a terminal.
    pub(crate) error: bool,
    /// Whether standard output is coloured.
    pub(crate) color_output: bool,
    /// Whether standard error is coloured.
    pub(crate) color_error: bool,
}

impl Terminal {
    /// Examines the streams and the variables `NO_COLOR` and `TERM`; `when` comes from `--color`.
    pub(crate) fn detect(when: When) -> Terminal {
        let (output, error) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Terminal {
            input: io::stdin().is_terminal(),
            output,
            error,
            color_output: wants_color(when, output, |name| std::env::var_os(name)),
            color_error: wants_color(when, error, |name| std::env::var_os(name)),
        }
    }

    /// Whether standard input can be edited as a line: a terminal that can move its cursor.
    pub(crate) fn can_edit(&self) -> bool {
        self.input && self.output && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

fn wants_color(when: When, terminal: bool, variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
            terminal && !refused && variable("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// The word `error` in front of a message.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word `warning`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Notes and hints.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();

/// `text` in `style` if `color` is true, otherwise unchanged.
pub(crate) fn paint(text: &str, style: Style, color: bool) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_and_dumb_terminals_are_respected() {
        let set = |name: &'static str, value: &'static str| move |asked: &str| (asked == name).then(|| value.into());
        assert!(wants_color(When::Auto, true, |_| None));
        assert!(!wants_color(When::Auto, false, |_| None));
        assert!(!wants_color(When::Auto, true, set("NO_COLOR", "1")));
        assert!(wants_color(When::Auto, true, set("NO_COLOR", "")));
        assert!(!wants_color(When::Auto, true, set("TERM", "dumb")));
        assert!(wants_color(When::Always, false, set("NO_COLOR", "1")));
        assert!(!wants_color(When::Never, true, |_| None));
    }
}
