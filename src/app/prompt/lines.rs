//! Goals that are read line by line: from a pipe, or from a terminal without line editing.

use std::io::{self, BufRead, Write};

use super::keys::AnswerKey;
use super::sessions::{Audience, PromptSessions};
use crate::app::context::CommandContext;
use crate::app::out::Out;
use crate::app::status::Status;
use crate::syntax::diagnostic::Source;

/// An audience that cannot be asked: all answers are shown.
struct Nobody(Out);

impl Audience for Nobody {
    fn show_and_ask(&mut self, last_line: &str) -> io::Result<AnswerKey> {
        self.0.data(&format!("{last_line} ;\n"))?;
        Ok(AnswerKey::All)
    }
}

/// Answers the goals on standard input, each when its end dot has come; the last dot may be missing.
pub(crate) fn answer_all(context: &CommandContext, sessions: &mut PromptSessions<'_>) -> Status {
    let mut audience = Nobody(context.out.clone());
    let mut status = Status::Yes;
    let mut text = String::new();
    let mut n_lines = 0;
    loop {
        let line = match read_line() {
            Ok(line) => line,
            Err(error) => {
                context.error(None, &format!("cannot read standard input: {error}"));
                return Status::Error;
            }
        };
        let is_end = line.is_empty();
        text.push_str(&line);
        let whole = match line.contains('.') {
            _ if is_end => text.len(),
            true => sessions.goals().complete_length(&text),
            false => 0,
        };
        if whole > 0 {
            let goals: String = text.drain(..whole).collect();
            let source = Source::part("<stdin>", goals, n_lines);
            let taken_before = sessions.lines_taken();
            status = status.and(sessions.put_source(&source, &mut audience));
            n_lines += source.text.matches('\n').count() + sessions.lines_taken() - taken_before;
            let _ = context.out.flush_all();
        }
        if is_end || status.is_end() {
            return status;
        }
    }
}

fn read_line() -> io::Result<String> {
    let mut line = Vec::new();
    io::stdin().lock().read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// A person at a terminal without line editing, who types a line in place of a key.
struct LineAudience {
    out: Out,
    /// The beginning of the next goal, if it was typed in place of a key.
    begun: String,
}

impl Audience for LineAudience {
    fn show_and_ask(&mut self, last_line: &str) -> io::Result<AnswerKey> {
        self.out.data(&format!("{last_line} "))?;
        if !self.begun.is_empty() {
            self.out.data(".\n")?;
            return Ok(AnswerKey::Stop);
        }
        self.out.flush_all()?;
        let line = read_line()?;
        match line.trim_end_matches(['\n', '\r']) {
            ";" | " " | "\t" => return Ok(AnswerKey::Next),
            "" | "." => {}
            _ => self.begun = line,
        }
        Ok(AnswerKey::Stop)
    }
}

/// The prompt without line editing.
pub(crate) fn converse(context: &CommandContext, sessions: &mut PromptSessions<'_>) -> Status {
    let mut audience = LineAudience { out: context.out.clone(), begun: String::new() };
    loop {
        sessions.tell_growth();
        let mut text = std::mem::take(&mut audience.begun);
        if text.is_empty() {
            let prompted = context.out.own("?- ").and_then(|()| context.out.flush_all());
            match prompted.and_then(|()| read_line()) {
                Ok(line) => text = line,
                Err(_) => return Status::Error,
            }
        }
        if text.is_empty() {
            let _ = context.out.own("\n");
            return Status::Yes;
        }
        while sessions.goals().is_unfinished(&text) {
            match read_line() {
                Ok(line) if !line.trim().is_empty() => text.push_str(&line),
                _ => break,
            }
        }
        let status = sessions.put_all(&text, &mut audience);
        if matches!(status, Status::Halted(_) | Status::Closed) {
            return status;
        }
        let _ = io::stderr().flush();
    }
}
