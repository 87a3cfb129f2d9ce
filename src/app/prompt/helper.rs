//! The line editor's callbacks while a goal is typed: completion, hints, colours, and whether Enter ends the goal.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::colors;
use super::complete::{self, TypedWord};
use super::keys::{AnswerKey, Keyboard, KeyboardMode};
use super::words::PromptWords;
use crate::app::terminal::DIM;
use crate::session::Goals;

pub(super) const PROMPT: &str = "?- ";

/// Whether typed text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colors {
    /// Escape sequences may be written.
    On,
    /// Only plain text is written.
    Off,
}

/// The line editor's helper.
pub(crate) struct PromptHelper {
    /// What can be completed.
    pub(crate) words: PromptWords,
    /// How goals are currently read: the operators may change between goals.
    pub(crate) goals: Rc<RefCell<Goals>>,
    pub(super) keyboard: Keyboard,
    pub(super) colors: Colors,
    pub(super) files: FilenameCompleter,
    /// The width of the screen.
    pub(super) columns: usize,
    /// Whether candidates have been listed below the typed text since its last change.
    pub(super) is_listed: Rc<Cell<bool>>,
}

impl Helper for PromptHelper {}

impl Completer for PromptHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, place) = complete::place(&line[..position], &self.words);
        if let TypedWord::File(_) = place {
            return self.files.complete(line, position, context);
        }
        self.clear_hint();
        let pair =
            |candidate: complete::CompletionCandidate| Pair { display: candidate.display, replacement: candidate.text };
        Ok((start, complete::candidates(place, &self.words).into_iter().map(pair).collect()))
    }
}

impl PromptHelper {
    /// Removes the hint when candidates are listed below the line, so that neither it nor the next one mixes with them.
    fn clear_hint(&self) {
        self.is_listed.set(true);
        if self.colors == Colors::On {
            let mut out = io::stdout();
            let _ = out.write_all(CLEAR_TO_END).and_then(|()| out.flush());
        }
    }

    /// The number of free columns in the row of the cursor; the last column stays free, so that the row does not wrap.
    fn room(&self, line: &str) -> usize {
        let last = line.rsplit('\n').next().unwrap_or_default();
        let before = if last.len() == line.len() { PROMPT.width() } else { 0 };
        (self.columns - 1).saturating_sub((before + last.width()) % self.columns)
    }
}

/// The escape sequence that clears the screen from the cursor on.
const CLEAR_TO_END: &[u8] = b"\x1b[J";

/// A predicate's doc, shown after the input and never inserted.
pub(crate) struct DocHint {
    text: String,
    is_hidden: Rc<Cell<bool>>,
}

impl Hint for DocHint {
    fn display(&self) -> &str {
        if self.is_hidden.get() { "" } else { &self.text }
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for PromptHelper {
    type Hint = DocHint;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<DocHint> {
        self.is_listed.set(false);
        let is_grey = self.colors == Colors::On;
        if self.keyboard.mode() != KeyboardMode::Typing || position < line.len() || line.trim().is_empty() || !is_grey {
            return None;
        }
        let doc = hinted(line, &self.words)?;
        let text = cut(&format!("    % {doc}"), self.room(line))?;
        Some(DocHint { text, is_hidden: self.is_listed.clone() })
    }
}

/// A hint cut to the free columns; none if too little of it would remain.
fn cut(hint: &str, room: usize) -> Option<String> {
    if hint.width() <= room {
        return Some(hint.to_string());
    }
    let mut width = 0;
    let is_inside = |c: &char| {
        width += c.width().unwrap_or(0);
        width < room
    };
    let start: String = hint.chars().take_while(is_inside).collect();
    (start.width() >= SHORTEST_HINT).then(|| format!("{}\u{2026}", start.trim_end()))
}

/// The least length of a hint that had to be cut.
const SHORTEST_HINT: usize = 20;

/// The doc of the predicate whose name was just typed, or whose arguments are being typed.
fn hinted(line: &str, words: &PromptWords) -> Option<String> {
    let (start, place) = complete::place(line, words);
    if let TypedWord::Goal(word) = place
        && start + word.len() == line.len()
        && let Some(predicate) = words.predicate(word, None).filter(|predicate| !predicate.doc.is_empty())
    {
        return Some(format!("{}: {}", predicate.name, predicate.doc));
    }
    let (name, commas) = complete::innermost_call(line)?;
    words.predicate(name, Some(commas + 1)).map(|predicate| predicate.doc.clone()).filter(|doc| !doc.is_empty())
}

impl Highlighter for PromptHelper {
    fn highlight<'l>(&self, line: &'l str, position: usize) -> Cow<'l, str> {
        match (self.keyboard.mode(), self.colors) {
            (KeyboardMode::Pressed(key), _) => Cow::Borrowed(key.echo()),
            (KeyboardMode::Begun(_), _) => Cow::Borrowed(AnswerKey::Stop.echo()),
            (KeyboardMode::Typing, Colors::On) => Cow::Owned(colors::highlight(line, position)),
            _ => Cow::Borrowed(line),
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("{DIM}{hint}{DIM:#}"))
    }

    /// Always true: a change may affect the colours of the text to its left.
    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Validator for PromptHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input();
        let insists = typed.ends_with('\n');
        if self.keyboard.mode() == KeyboardMode::Typing && !insists && self.goals.borrow().is_unfinished(typed) {
            return Ok(ValidationResult::Incomplete);
        }
        Ok(ValidationResult::Valid(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_cut_to_the_room_that_is_left() {
        assert_eq!(cut("    % does it", 13), Some("    % does it".to_string()));
        assert_eq!(cut("    % moves to the next event", 22), Some("    % moves to the ne\u{2026}".to_string()));
        assert_eq!(cut("    % moves to the next event", 15), None);
        assert_eq!(
            cut("    % \u{4e8b}\u{4e8b}\u{4e8b}\u{4e8b}\u{4e8b}\u{4e8b}\u{4e8b}\u{4e8b}", 21).unwrap().width(),
            21
        );
    }
}
