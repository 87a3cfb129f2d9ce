//! Goals in text that is typed or piped in: its goals, and whether the last one is complete.

use crate::syntax::{ReadFlags, ReadTerm, Reader, SyntaxError, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, atoms};

/// How goals are read: the operators and flags of a session at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Goals {
    /// The operators.
    pub(crate) operators: OpTable,
    /// The flags.
    pub(crate) flags: ReadFlags,
}

impl Goals {
    /// Reads every goal of a text; the last end dot may be missing.
    ///
    /// After a syntax error, reading continues after the end dot.
    pub(crate) fn read(&self, text: &str) -> Vec<Result<ReadTerm, SyntaxError>> {
        let mut goals = Vec::new();
        let mut reader = Reader::new(text);
        loop {
            let start = reader.position();
            match reader.read(&self.operators, &self.flags) {
                Ok(None) => return goals,
                Ok(Some(goal)) => goals.push(Ok(meant(goal))),
                Err(error) => goals.push(self.forgive(text, start, reader.position(), error)),
            }
        }
    }

    /// Whether the text ends within a goal, so that the next line belongs to it.
    ///
    /// A single complete goal without its end dot counts as finished.
    pub(crate) fn is_unfinished(&self, text: &str) -> bool {
        matches!(self.read(text).last(), Some(Err(error)) if error.is_incomplete())
    }

    /// The length of the goals in a text that have their end dots, so that these can run before the rest arrives.
    ///
    /// A goal with a syntax error counts up to its end dot.
    pub(crate) fn complete_length(&self, text: &str) -> usize {
        let mut reader = Reader::new(text);
        let mut complete = 0;
        loop {
            match reader.read(&self.operators, &self.flags) {
                Ok(None) => return complete,
                Ok(Some(_)) => complete = reader.position(),
                Err(error) if error.is_incomplete() => return complete,
                Err(_) => complete = reader.position(),
            }
        }
    }

    /// The goal from `start` on, if only its end dot is missing and it extends to the end of the text.
    fn forgive(&self, text: &str, start: usize, read_to: usize, error: SyntaxError) -> Result<ReadTerm, SyntaxError> {
        if read_to < text.trim_end().len() || !error.is_incomplete() {
            return Err(error);
        }
        // Earlier text is blanked, so that source positions stay valid.
        let blanked: String = blank(&text[..start]) + &text[start..];
        read_goal(&blanked, &self.operators, &self.flags).map(meant).map_err(|_| error)
    }
}

/// The goal that a typed term means: `?- goal` is that goal, a clause is to be added, and a list of files is to be
/// consulted.
fn meant(mut typed: ReadTerm) -> ReadTerm {
    let root = typed.tree.root();
    match typed.tree.functor(root) {
        Some((atoms::QUERY | atoms::NECK, 1)) => {
            let goal = typed.tree.args(root)[0];
            typed.tree.set_root(goal);
            typed
        }
        Some((atoms::NECK | atoms::DCG_ARROW, 2)) => wrapped("$typed_clause", typed),
        Some((atoms::DOT, 2)) => wrapped("$typed_files", typed),
        _ => typed,
    }
}

fn wrapped(predicate: &str, mut typed: ReadTerm) -> ReadTerm {
    let root = typed.tree.root();
    let span = typed.tree.span(root);
    let goal = typed.tree.push_compound(Atom::new(predicate), &[root], span);
    typed.tree.set_root(goal);
    typed
}

/// Layout of the same number of bytes, with the line breaks preserved.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goals() -> Goals {
        Goals { operators: OpTable::standard(), flags: ReadFlags::default() }
    }

    #[test]
    fn a_text_holds_several_goals() {
        let read = goals().read("a. b(X).\nc, d");
        assert_eq!(read.len(), 3);
        assert!(read.iter().all(Result::is_ok));
        assert_eq!(read[2].as_ref().unwrap().span.start, 9);
    }

    #[test]
    fn a_complete_goal_needs_no_end_dot() {
        assert!(!goals().is_unfinished("member(X, [1, 2])"));
        assert!(!goals().is_unfinished("a. b"));
        assert!(!goals().is_unfinished(""));
    }

    #[test]
    fn a_goal_that_breaks_off_goes_on() {
        for text in ["fget([port=exit,", "a,", "X =", "a. (b", "f(x) :-", "/* comment", "a -> b ;"] {
            assert!(goals().is_unfinished(text), "{text}");
        }
    }

    #[test]
    fn only_goals_with_their_end_dots_are_complete() {
        assert_eq!(goals().complete_length("a. b. c"), 5);
        assert_eq!(goals().complete_length("a(]. b"), 4);
        assert_eq!(goals().complete_length("a,\n% b.\n"), 0);
        assert_eq!(goals().complete_length("a. % b\n"), 2);
    }

    #[test]
    fn a_wrong_goal_is_finished() {
        for text in ["fget([port=exit).", "a b c.", "X = )."] {
            assert!(!goals().is_unfinished(text), "{text}");
        }
    }

    #[test]
    fn goals_after_a_wrong_one_are_still_read() {
        let read = goals().read("a b. c.");
        assert!(read[0].is_err());
        assert!(read[1].is_ok());
    }
}
