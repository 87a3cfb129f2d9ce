//! Single keys after an answer, through the line editor's own key bindings (so that type-ahead is not lost).

use std::sync::{Arc, Mutex};

use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, RepeatCount};

/// What to do after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerKey {
    /// `;` Space Tab: the next answer.
    Next,
    /// Enter, `.` and keys that end a program: no more answers.
    Stop,
    /// All answers, for those who cannot press a key.
    All,
}

impl AnswerKey {
    /// The text printed after the answer when the key is pressed.
    pub(crate) fn echo(self) -> &'static str {
        match self {
            AnswerKey::Next | AnswerKey::All => ";",
            AnswerKey::Stop => ".",
        }
    }

    fn of(event: &KeyEvent) -> Option<AnswerKey> {
        let KeyEvent(code, modifiers) = event;
        match (code, *modifiers) {
            (KeyCode::Char(';' | ' '), _) | (KeyCode::Tab, _) => Some(AnswerKey::Next),
            (KeyCode::Char('C' | 'D' | 'J' | 'M' | '@'), Modifiers::CTRL) => Some(AnswerKey::Stop),
            (KeyCode::Char('I'), Modifiers::CTRL) => Some(AnswerKey::Next),
            (KeyCode::Char('.'), _) | (KeyCode::Enter | KeyCode::Esc, _) => Some(AnswerKey::Stop),
            _ => None,
        }
    }
}

/// The mode of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyboardMode {
    /// Editing a goal.
    Typing,
    /// Waiting for one key.
    Waiting,
    /// The key has been pressed.
    Pressed(AnswerKey),
    /// The input is not a key but the beginning of the next goal: its first character, or none if more was pasted.
    Begun(Option<char>),
    /// Editing a line that a goal has asked for.
    Line,
}

impl KeyboardMode {
    /// The mode after input that arrives while waiting for a key; none if the input is ignored.
    fn after(event: &KeyEvent) -> Option<KeyboardMode> {
        if let Some(key) = AnswerKey::of(event) {
            return Some(KeyboardMode::Pressed(key));
        }
        match event {
            KeyEvent(KeyCode::Char(c), Modifiers::NONE) => Some(KeyboardMode::Begun(Some(*c))),
            KeyEvent(KeyCode::BracketedPasteStart, _) => Some(KeyboardMode::Begun(None)),
            _ => None,
        }
    }
}

/// The mode, shared between the editor and its bindings.
#[derive(Clone, Debug)]
pub(crate) struct Keyboard(Arc<Mutex<KeyboardMode>>);

impl Keyboard {
    /// A keyboard for editing.
    pub(crate) fn new() -> Keyboard {
        Keyboard(Arc::new(Mutex::new(KeyboardMode::Typing)))
    }

    /// The current mode.
    pub(crate) fn mode(&self) -> KeyboardMode {
        *self.0.lock().expect("no holder of this lock panics")
    }

    /// Changes the mode.
    pub(crate) fn set(&self, mode: KeyboardMode) {
        *self.0.lock().expect("no holder of this lock panics") = mode;
    }
}

/// The key event of a Ctrl-D that was typed while a goal was running.
const TYPED_AHEAD_END: KeyEvent = KeyEvent(KeyCode::Char('@'), Modifiers::CTRL);

impl ConditionalEventHandler for Keyboard {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        if matches!(self.mode(), KeyboardMode::Typing | KeyboardMode::Line) {
            let is_end = event.get(0) == Some(&TYPED_AHEAD_END) && context.line().is_empty();
            return is_end.then_some(Cmd::EndOfFile);
        }
        match event.get(0).and_then(KeyboardMode::after) {
            Some(mode) => {
                self.set(mode);
                Some(Cmd::AcceptLine)
            }
            None => Some(Cmd::Noop),
        }
    }
}
