//! What the line editor asks while a goal is typed: completion, hint, colours, and whether Enter ends it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::colors;
use super::complete::{self, Place};
use super::keys::{Keyboard, Mode};
use super::words::Words;
use crate::app::terminal::DIM;
use crate::session::Goals;

/// Whether what is typed gets colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// Escape sequences may be written.
    On,
    /// Text only.
    Off,
}

/// The line editor's helper.
pub struct PromptHelper {
    /// What can be completed.
    pub words: Words,
    /// How goals are read at present: the operators may change between goals.
    pub goals: Rc<RefCell<Goals>>,
    pub(super) keyboard: Keyboard,
    pub(super) colors: Colors,
    pub(super) files: FilenameCompleter,
}

impl Helper for PromptHelper {}

impl Completer for PromptHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, place) = complete::place(&line[..position], &self.words);
        if let Place::File(_) = place {
            return self.files.complete(line, position, context);
        }
        let pair = |candidate: complete::Candidate| Pair { display: candidate.display, replacement: candidate.text };
        Ok((start, complete::candidates(place, &self.words).into_iter().map(pair).collect()))
    }
}

/// A predicate's doc, shown behind what is typed and never inserted.
pub struct DocHint(String);

impl Hint for DocHint {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for PromptHelper {
    type Hint = DocHint;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<DocHint> {
        if self.keyboard.mode() != Mode::Typing || position < line.len() || line.trim().is_empty() {
            return None;
        }
        hinted(line, &self.words).map(|doc| DocHint(format!("    % {doc}")))
    }
}

/// The doc of the predicate whose name was just typed, or whose arguments are being typed.
fn hinted(line: &str, words: &Words) -> Option<String> {
    let (start, place) = complete::place(line, words);
    if let Place::Goal(word) = place
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
            (Mode::Pressed(key), _) => Cow::Borrowed(key.echo()),
            (Mode::Typing, Colors::On) => Cow::Owned(colors::highlight(line, position)),
            _ => Cow::Borrowed(line),
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match self.colors {
            Colors::On => Cow::Owned(format!("{DIM}{hint}{DIM:#}")),
            Colors::Off => Cow::Borrowed(hint),
        }
    }

    /// Always: the colours of what stands left of a change may change with it.
    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Validator for PromptHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input();
        let insists = typed.ends_with('\n');
        if self.keyboard.mode() == Mode::Typing && !insists && self.goals.borrow().is_unfinished(typed) {
            return Ok(ValidationResult::Incomplete);
        }
        Ok(ValidationResult::Valid(None))
    }
}
