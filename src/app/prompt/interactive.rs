//! The prompt on a terminal.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use rustyline::error::ReadlineError;

use super::editor::{LineEditor, Typed};
use super::helper::Colors;
use super::keys::AnswerKey;
use super::sessions::{Audience, PromptSessions};
use super::words::PredicateWord;
use super::{folders, lines};
use crate::app::context::CommandContext;
use crate::app::panic_hook;
use crate::app::status::Status;
use crate::output::terminal_safe;
use crate::session::{PredicateDoc, Session};

/// The editor; goals that read lines use it while they run.
type SharedEditor = Rc<RefCell<LineEditor>>;

impl Audience for SharedEditor {
    fn show_and_ask(&mut self, last_line: &str) -> io::Result<AnswerKey> {
        self.borrow_mut().key(&format!("{} ", terminal_safe(last_line))).map_err(io::Error::other)
    }
}

/// Talks until Ctrl-D or `halt`.
pub(crate) fn converse(context: &CommandContext, sessions: &mut PromptSessions<'_>) -> Status {
    let goals = Rc::new(RefCell::new(sessions.goals()));
    let colors = if context.terminal.color_output { Colors::On } else { Colors::Off };
    let editor = match LineEditor::open(goals.clone(), colors, folders::history_file()) {
        Ok((editor, warning)) => {
            warning.inspect(|warning| context.warning(warning));
            editor
        }
        Err(_) => return lines::converse(context, sessions),
    };
    greet(context, sessions);
    let mut editor = Rc::new(RefCell::new(editor));
    sessions.ask_lines(|| {
        let editor = editor.clone();
        Box::new(move |question| editor.borrow_mut().line(&terminal_safe(question)))
    });
    loop {
        *goals.borrow_mut() = sessions.goals();
        sessions.tell_growth();
        if let Some(words) = editor.borrow_mut().words() {
            words.set_predicates(predicates(sessions));
            words.set_traces(sessions.all().iter().filter_map(Session::trace).cloned().collect());
        }
        let typed = editor.borrow_mut().goal();
        let status = match typed {
            Ok(Typed::Text(text)) => {
                sessions.forget_interrupts();
                let columns = editor.borrow_mut().columns();
                let room = editor.borrow_mut().room();
                sessions.fit_terminal(columns, room);
                put(&text, sessions, &mut editor)
            }
            Ok(Typed::Interrupt) => continue,
            Ok(Typed::End) | Err(ReadlineError::Eof) => return Status::Yes,
            Err(error) => {
                context.error(None, &format!("cannot read the terminal: {error}"));
                return Status::Error;
            }
        };
        if matches!(status, Status::Halted(_) | Status::Closed) {
            return status;
        }
    }
}

/// A bug in papaver costs the goal, not the session.
fn put(text: &str, sessions: &mut PromptSessions<'_>, editor: &mut SharedEditor) -> Status {
    panic_hook::guard(|| sessions.put_all(text, editor)).unwrap_or(Status::Error)
}

/// What was loaded, and how to get help.
fn greet(context: &CommandContext, sessions: &PromptSessions<'_>) {
    if context.common.quiet {
        return;
    }
    for trace in sessions.all().iter().filter_map(|session| session.trace()) {
        let path = trace.origin().path.display();
        let line =
            format!("{path}: {} events, {} calls ({})\n", trace.n_events(), trace.n_calls(), trace.origin().format);
        let _ = context.out.data(&line);
    }
    let _ = context.out.own("`help.` lists the topics; Tab completes, Ctrl-D leaves\n");
}

fn predicates(sessions: &PromptSessions<'_>) -> Vec<PredicateWord> {
    let word = |doc: PredicateDoc| PredicateWord { name: doc.name, arity: doc.arity, doc: doc.doc };
    sessions.all()[0].predicates().into_iter().map(word).collect()
}
