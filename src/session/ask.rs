//! The library in a few calls: open a trace, ask it, check the assertions of a script.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use thiserror::Error;

use super::answer::Answer;
use super::check::{Check, Outcome};
use super::consult::Consulted;
use super::query::GoalAnswers;
use super::state::{Options, Session};
use crate::builtins::messages::Complaint;
use crate::engine::{ScriptFile, Stopped};
use crate::formats::{LoadOptions, load};
use crate::syntax::diagnostic::{Diagnostic, Severity, Source};
use crate::syntax::read_goal;
use crate::term::ops::OpTable;
use crate::term::print::{self, Style};
use crate::term::{Node, NodeId};

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// The trace cannot be read.
    #[error("{0}")]
    Trace(String),
    /// The script cannot be read.
    #[error("cannot read the script `{}`: {reason}", path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The goal or the script has syntax errors, or the script does something that is not allowed.
    #[error("{0}")]
    Text(String),
    /// The goal was stopped: an exception, a limit, an interrupt.
    #[error("{0}")]
    Stopped(String),
}

impl Session {
    /// A session about the trace in a file of any format that papaver reads, gzip and zstd unpacked. What goals write
    /// is dropped, and nothing limits them.
    ///
    /// ```
    /// use papaver::Session;
    ///
    /// let mut session = Session::of_trace("examples/queens/queens.trace")?;
    /// for answer in session.ask("event([port=exit, proc=queen, chrono=C, depth=D])")? {
    ///     let answer = answer?;
    ///     println!("{} at depth {}", answer.text("C").unwrap(), answer.text("D").unwrap());
    /// }
    /// # Ok::<(), papaver::AskError>(())
    /// ```
    pub fn of_trace(path: impl AsRef<Path>) -> Result<Session, AskError> {
        let mut session = Session::new(Options::default());
        session.open_trace(path)?;
        Ok(session)
    }

    /// Makes the trace in a file the one that goals ask.
    pub fn open_trace(&mut self, path: impl AsRef<Path>) -> Result<(), AskError> {
        let trace = load(path.as_ref(), &LoadOptions::default()).map_err(|error| AskError::Trace(error.to_string()))?;
        self.open(trace.into());
        Ok(())
    }

    /// The answers of a goal, computed one by one.
    pub fn ask(&mut self, goal: &str) -> Result<Answers<'_>, AskError> {
        let goals = self.goals();
        let source = Source::new("goal", goal);
        let read = read_goal(goal, &goals.operators, &goals.flags);
        let goal = read.map_err(|error| AskError::Text(Diagnostic::syntax(&source, error).to_string()))?;
        if let Err(stop) = self.query(&goal, &source).map(drop) {
            return Err(self.stopped_in_words(&stop));
        }
        let query = self.query(&goal, &source).map_err(|_| AskError::Stopped("the goal cannot be started".into()))?;
        Ok(Answers(query))
    }

    /// Adds the clauses of a script and runs its directives; returns its warnings.
    pub fn read_script(&mut self, path: impl AsRef<Path>) -> Result<Vec<String>, AskError> {
        let consulted = self.consult_file(path.as_ref())?;
        Ok(consulted.report.diagnostics.iter().map(ToString::to_string).collect())
    }

    /// Reads a script and checks each of its assertions, `check(Name) :- Goal`, on the trace.
    pub fn check_script(&mut self, path: impl AsRef<Path>) -> Result<Vec<(Check, Outcome)>, AskError> {
        let consulted = self.consult_file(path.as_ref())?;
        let checks = self.checks(&consulted);
        Ok(checks.into_iter().map(|check| (check.clone(), self.check(&check))).collect())
    }

    /// Consults the script in a file; an error if it has errors.
    fn consult_file(&mut self, path: &Path) -> Result<Consulted, AskError> {
        let unreadable = |reason| AskError::Script { path: path.to_owned(), reason };
        let consulted = self.consult(&ScriptFile::read(path).map_err(unreadable)?);
        if let Some(stop) = &consulted.stop {
            return Err(self.stopped_in_words(stop));
        }
        let diagnostics = consulted.report.diagnostics.iter();
        let errors: Vec<String> =
            diagnostics.filter(|diagnostic| diagnostic.severity == Severity::Error).map(ToString::to_string).collect();
        if errors.is_empty() { Ok(consulted) } else { Err(AskError::Text(errors.join("\n"))) }
    }

    fn stopped_in_words(&self, stop: &Stopped) -> AskError {
        stopped(self.describe(stop))
    }
}

fn stopped(complaint: Option<Complaint>) -> AskError {
    AskError::Stopped(complaint.map_or_else(|| "the goal called `halt`".to_string(), |complaint| complaint.message))
}

/// The answers of a goal. Dropping them ends the goal.
pub struct Answers<'s>(GoalAnswers<'s>);

impl Iterator for Answers<'_> {
    type Item = Result<Answer, AskError>;

    fn next(&mut self) -> Option<Result<Answer, AskError>> {
        let answer = self.0.next()?;
        Some(answer.map_err(|stop| stopped(self.0.describe(&stop))))
    }
}

impl Answer {
    /// The value of a variable of the goal as text, with the standard operators: atoms and strings unquoted, other
    /// terms such that they can be read back; none for an unbound variable and for a name that the goal does not
    /// contain.
    pub fn text(&self, variable: &str) -> Option<String> {
        static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);
        let (_, value) = self.values.iter().find(|(name, _)| name == variable)?;
        self.text_of(*value, &OPERATORS)
    }

    /// The same for a value of the answer, with the given operators.
    pub(crate) fn text_of(&self, value: NodeId, ops: &OpTable) -> Option<String> {
        match self.tree.node(value) {
            Node::Atom(name) => Some(name.as_str().to_string()),
            Node::Str(text) => Some(text.to_string()),
            Node::Var(_) => None,
            _ => Some(self.quoted_text_of(value, ops)),
        }
    }

    /// The text from which the value can be read again; that of an atom or a text is quoted where necessary.
    pub(crate) fn quoted_text_of(&self, value: NodeId, ops: &OpTable) -> String {
        print::to_string(&self.tree, value, ops, &Style::writeq())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Verdict;

    const QUEENS: &str = "tests/data/queens.trace";

    fn texts(session: &mut Session, goal: &str, variable: &str) -> Vec<String> {
        session.ask(goal).unwrap().map(|answer| answer.unwrap().text(variable).unwrap_or_default()).collect()
    }

    #[test]
    fn a_trace_is_opened_and_asked() {
        let mut session = Session::of_trace(QUEENS).unwrap();
        assert_eq!(texts(&mut session, "event([port=exit, proc=queen, chrono=C])", "C"), ["673"]);
        assert_eq!(
            texts(&mut session, "member(X, [a, 'B c', \"d\", f(\"e\", 1+2), _])", "X"),
            ["a", "B c", "d", "f(\"e\",1+2)", ""]
        );
        assert_eq!(texts(&mut session, "true", "X"), [""]);
        assert_eq!(texts(&mut session, "fail", "X").len(), 0);
    }

    #[test]
    fn whatever_goes_wrong_is_said_in_words() {
        let mut session = Session::of_trace(QUEENS).unwrap();
        let mut message = |goal: &str| match session.ask(goal).map(|mut answers| answers.next()) {
            Ok(Some(Err(error))) | Err(error) => error.to_string(),
            _ => String::new(),
        };
        assert!(message("event([port=exti])").contains("exit"));
        assert!(message("X is foo").contains("foo"));
        assert!(message("f(").contains("goal:1:3"));
        assert!(message("(true, 1)").contains("callable"), "{}", message("(true, 1)"));
        assert!(message("halt").contains("halt"));
        assert!(
            Session::of_trace("tests/data/none.trace").is_err_and(|error| error.to_string().contains("none.trace"))
        );
    }

    #[test]
    fn the_assertions_of_a_script_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("rules.pl");
        std::fs::write(&script, "check(good) :- exists([port=exit]).\ncheck(bad) :- never([port=exit]).\n").unwrap();
        let mut session = Session::of_trace(QUEENS).unwrap();
        let outcomes = session.check_script(&script).unwrap();
        let verdicts: Vec<_> = outcomes.iter().map(|(check, outcome)| (check.name.as_str(), outcome.verdict)).collect();
        assert_eq!(verdicts, [("good", Verdict::Holds), ("bad", Verdict::Violated)]);
        std::fs::write(&script, "check(good :- true.\n").unwrap();
        assert!(session.check_script(&script).is_err_and(|error| error.to_string().contains("rules.pl:1:")));
        assert!(session.check_script("none.pl").is_err());
    }
}
