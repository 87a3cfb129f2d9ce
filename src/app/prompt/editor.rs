//! The line editor: goals with history, and single keys after answers.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::completion::FilenameCompleter;
use rustyline::config::{BellStyle, ColorMode, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History};
use rustyline::{Editor, Event, EventHandler};

use super::helper::{Colors, PROMPT, PromptHelper};
use super::keys::{AnswerKey, Keyboard, KeyboardMode};
use super::words::PromptWords;
use crate::session::Goals;

/// The result of reading from the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A text of one or several goals.
    Text(String),
    /// Ctrl-C: discard the typed text.
    Interrupt,
    /// Ctrl-D: leave.
    End,
}

/// A line editor with a persistent history.
pub(crate) struct LineEditor {
    editor: Editor<PromptHelper, FileHistory>,
    keyboard: Keyboard,
    history: Option<PathBuf>,
    /// The beginning of the next goal, if it was typed while the editor waited for a key.
    begun: Option<String>,
}

const HISTORY: usize = 5000;
/// The number of rows assumed for a screen that reports an unlimited height.
const MOST_ROWS: u16 = 100;

impl LineEditor {
    /// An editor that keeps its history in a file, if one is given; also returns a warning if that file is unusable.
    pub(crate) fn open(
        goals: Rc<RefCell<Goals>>,
        colors: Colors,
        history: Option<PathBuf>,
    ) -> Result<(LineEditor, Option<String>), ReadlineError> {
        let keyboard = Keyboard::new();
        let mut editor: Editor<PromptHelper, FileHistory> = Editor::with_config(config())?;
        let files = FilenameCompleter::new();
        editor.set_helper(Some(PromptHelper {
            words: PromptWords::default(),
            goals,
            keyboard: keyboard.clone(),
            colors,
            files,
            columns: usize::MAX,
            is_listed: Rc::default(),
        }));
        editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(keyboard.clone())));
        let mut opened = LineEditor { editor, keyboard, history, begun: None };
        let warning = opened.load_history().err();
        Ok((opened, warning))
    }

    /// The words for completion.
    pub(crate) fn words(&mut self) -> Option<&mut PromptWords> {
        self.editor.helper_mut().map(|helper| &mut helper.words)
    }

    /// Reads one or several goals; they are added to the history even if they have errors.
    pub(crate) fn goal(&mut self) -> Result<Typed, ReadlineError> {
        self.keyboard.set(KeyboardMode::Typing);
        self.measure();
        let begun = self.begun.take().unwrap_or_default();
        match self.editor.readline_with_initial(PROMPT, (&begun, "")) {
            Ok(text) => {
                self.remember(text.trim());
                Ok(Typed::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupt),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(error),
        }
    }

    /// Passes the width of the screen to the helper.
    fn measure(&mut self) {
        let columns = self.editor.dimensions().map_or(usize::MAX, |(columns, _)| usize::from(columns));
        if let Some(helper) = self.editor.helper_mut() {
            helper.columns = columns;
        }
    }

    /// The width of the screen.
    pub(crate) fn columns(&mut self) -> usize {
        usize::from(self.editor.dimensions().unwrap_or((80, 24)).0).max(40)
    }

    /// How many characters an event line may have: a third of the screen.
    pub(crate) fn room(&mut self) -> usize {
        let (columns, rows) = self.editor.dimensions().unwrap_or((80, 24));
        usize::from(columns) * usize::from(rows.clamp(6, MOST_ROWS) / 3)
    }

    /// Reads a line for a goal, after showing a question; none at the end of the input. Ctrl-C is an error of kind
    /// `Interrupted`.
    pub(crate) fn line(&mut self, question: &str) -> io::Result<Option<String>> {
        self.keyboard.set(KeyboardMode::Line);
        let read = self.editor.readline(question);
        self.keyboard.set(KeyboardMode::Typing);
        match read {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof) => Ok(None),
            Err(ReadlineError::Interrupted) => Err(io::ErrorKind::Interrupted.into()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Shows the last line of an answer and waits for a key, unless the next goal has been begun.
    pub(crate) fn key(&mut self, answer: &str) -> Result<AnswerKey, ReadlineError> {
        if self.begun.is_some() {
            writeln!(io::stdout(), "{answer}{}", AnswerKey::Stop.echo())?;
            return Ok(AnswerKey::Stop);
        }
        self.keyboard.set(KeyboardMode::Waiting);
        let read = self.editor.readline(answer);
        let mode = self.keyboard.mode();
        self.keyboard.set(KeyboardMode::Typing);
        match (read, mode) {
            (Ok(_), KeyboardMode::Pressed(key)) => Ok(key),
            (Ok(_), KeyboardMode::Begun(first)) => {
                self.begun = Some(first.into_iter().collect());
                Ok(AnswerKey::Stop)
            }
            (Ok(_) | Err(ReadlineError::Interrupted | ReadlineError::Eof), _) => Ok(AnswerKey::Stop),
            (Err(error), _) => Err(error),
        }
    }

    /// Adds a text to the history; a failure to write the history is ignored.
    fn remember(&mut self, text: &str) {
        if text.is_empty() || !matches!(self.editor.add_history_entry(text), Ok(true)) {
            return;
        }
        if let Some(path) = &self.history
            && self.editor.append_history(path).is_err()
        {
            self.history = None;
        }
    }

    /// Loads the history, and writes it back without entries that are repeated later.
    fn load_history(&mut self) -> Result<(), String> {
        let Some(path) = self.history.clone() else { return Ok(()) };
        let load = || -> rustyline::Result<FileHistory> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut stored = FileHistory::with_config(&config());
            if path.exists() {
                stored.load(&path)?;
            }
            without_repetitions(&stored, &path)
        };
        match load() {
            Ok(history) => *self.editor.history_mut() = history,
            Err(error) => {
                self.history = None;
                return Err(format!("cannot use the history `{}`: {error}", path.display()));
            }
        }
        Ok(())
    }
}

fn without_repetitions(stored: &FileHistory, path: &std::path::Path) -> rustyline::Result<FileHistory> {
    let entries: indexmap::IndexSet<&String> = stored.iter().rev().collect();
    if entries.len() == stored.len() && path.exists() {
        let mut same = FileHistory::with_config(&config());
        same.load(path)?;
        return Ok(same);
    }
    let mut history = FileHistory::with_config(&config());
    for entry in entries.iter().rev() {
        history.add(entry)?;
    }
    history.save(path)?;
    Ok(history)
}

/// The editor's configuration: the helper decides about colours, and shows the key that was pressed.
fn config() -> Config {
    Config::builder()
        .max_history_size(HISTORY)
        .and_then(|builder| builder.history_ignore_dups(true))
        .expect("both settings are in range")
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .bell_style(BellStyle::None)
        .color_mode(ColorMode::Forced)
        .bracketed_paste(true)
        .auto_add_history(false)
        .build()
}
