//! Single keys after an answer, through the line editor's own key bindings (so that type-ahead is not lost).

use std::sync::{Arc, Mutex};

use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, RepeatCount};

/// What to do after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `;` Space `n` Tab: the next answer.
    Next,
    /// Enter `.` and whatever ends a program: no more answers.
    Stop,
    /// `a`: all answers.
    All,
    /// `h` or `?`: what the keys do.
    Help,
}

impl Key {
    /// What is printed after the answer once the key was pressed.
    pub fn echo(self) -> &'static str {
        match self {
            Key::Next | Key::All => ";",
            Key::Stop => ".",
            Key::Help => "",
        }
    }

    fn of(event: &KeyEvent) -> Option<Key> {
        let KeyEvent(code, modifiers) = event;
        match (code, *modifiers) {
            (KeyCode::Char(';' | ' ' | 'n'), _) | (KeyCode::Tab, _) => Some(Key::Next),
            (KeyCode::Char('C' | 'D' | 'J' | 'M' | '@'), Modifiers::CTRL) => Some(Key::Stop),
            (KeyCode::Char('I'), Modifiers::CTRL) => Some(Key::Next),
            (KeyCode::Char('.'), _) | (KeyCode::Enter | KeyCode::Esc, _) => Some(Key::Stop),
            (KeyCode::Char('a'), Modifiers::NONE) => Some(Key::All),
            (KeyCode::Char('h' | '?'), _) => Some(Key::Help),
            _ => None,
        }
    }
}

/// What the keyboard is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Editing a goal.
    Typing,
    /// Waiting for one key.
    Waiting,
    /// The key came.
    Pressed(Key),
    /// What came is no key but the beginning of the next goal: its first character, or none if more was pasted.
    Begun(Option<char>),
    /// Editing a line that a goal has asked for.
    Line,
}

impl Mode {
    /// The mode after something came while a key was waited for; none if it is of no use.
    fn after(event: &KeyEvent) -> Option<Mode> {
        if let Some(key) = Key::of(event) {
            return Some(Mode::Pressed(key));
        }
        match event {
            KeyEvent(KeyCode::Char(c), Modifiers::NONE) => Some(Mode::Begun(Some(*c))),
            KeyEvent(KeyCode::BracketedPasteStart, _) => Some(Mode::Begun(None)),
            _ => None,
        }
    }
}

/// The mode, shared between the editor and its bindings.
#[derive(Clone, Debug)]
pub struct Keyboard(Arc<Mutex<Mode>>);

impl Keyboard {
    /// A keyboard for editing.
    pub fn new() -> Keyboard {
        Keyboard(Arc::new(Mutex::new(Mode::Typing)))
    }

    /// The present mode.
    pub fn mode(&self) -> Mode {
        *self.0.lock().expect("no holder of this lock panics")
    }

    /// Changes the mode.
    pub fn set(&self, mode: Mode) {
        *self.0.lock().expect("no holder of this lock panics") = mode;
    }
}

/// What a terminal makes of a Ctrl-D that was typed while a goal ran.
const TYPED_AHEAD_END: KeyEvent = KeyEvent(KeyCode::Char('@'), Modifiers::CTRL);

impl ConditionalEventHandler for Keyboard {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        if matches!(self.mode(), Mode::Typing | Mode::Line) {
            let is_end = event.get(0) == Some(&TYPED_AHEAD_END) && context.line().is_empty();
            return is_end.then_some(Cmd::EndOfFile);
        }
        match event.get(0).and_then(Mode::after) {
            Some(mode) => {
                self.set(mode);
                Some(Cmd::AcceptLine)
            }
            None => Some(Cmd::Noop),
        }
    }
}
