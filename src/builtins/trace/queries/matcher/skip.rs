//! Skips an arbitrary subterm of names, numbers, strings, variables, compounds and lists, without operators.

use super::names::is_operator;
use super::operations::{MatchVerdict, WalkResult};
use super::stack::Stack;
use super::walker::TextWalker;

/// An open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SkippedBracket {
    Compound,
    List,
    /// That of a list, after its bar.
    Tail,
}

type SkippedBrackets = Stack<SkippedBracket, 48>;

impl TextWalker<'_> {
    /// Skips a term.
    pub(super) fn skip_term(&mut self) -> WalkResult<()> {
        self.skip(SkippedBrackets::new(SkippedBracket::List))
    }

    /// Skips the rest of a list, from the comma after an element to the closing bracket.
    pub(super) fn skip_elements(&mut self) -> WalkResult<()> {
        self.at += 1;
        let mut brackets = SkippedBrackets::new(SkippedBracket::List);
        brackets.push(SkippedBracket::List)?;
        self.skip(brackets)?;
        self.at -= 1;
        Ok(())
    }

    fn skip(&mut self, mut brackets: SkippedBrackets) -> WalkResult<()> {
        loop {
            self.skip_spaces();
            let depth = brackets.depth();
            self.skip_primary(&mut brackets)?;
            if brackets.depth() == depth && self.skip_closing(&mut brackets)? == 0 {
                return Ok(());
            }
        }
    }

    /// Goes from the end of a term to the beginning of the next; returns how many brackets are open.
    fn skip_closing(&mut self, brackets: &mut SkippedBrackets) -> WalkResult<usize> {
        while brackets.depth() > 0 {
            self.skip_spaces();
            let byte = self.peek();
            self.at += 1;
            match (byte, brackets.last()) {
                (Some(b','), Some(SkippedBracket::Compound | SkippedBracket::List)) => break,
                (Some(b'|'), Some(bracket @ SkippedBracket::List)) => {
                    *bracket = SkippedBracket::Tail;
                    break;
                }
                (Some(b')'), Some(SkippedBracket::Compound))
                | (Some(b']'), Some(SkippedBracket::List | SkippedBracket::Tail)) => {
                    brackets.pop();
                }
                _ => return Err(MatchVerdict::Unknown),
            }
        }
        Ok(brackets.depth())
    }

    /// Skips a term without parts, or the opening of a term that has some.
    fn skip_primary(&mut self, brackets: &mut SkippedBrackets) -> WalkResult<()> {
        match self.peek() {
            Some(b'0'..=b'9' | b'-') => self.skip_number(),
            Some(b'[') => {
                self.at += 1;
                self.skip_spaces();
                match self.peek() {
                    Some(b']') => self.at += 1,
                    _ => brackets.push(SkippedBracket::List)?,
                }
                Ok(())
            }
            Some(b'a'..=b'z' | b'\'') => {
                let name = self.name()?;
                match self.peek() {
                    Some(b'(') => {
                        self.at += 1;
                        brackets.push(SkippedBracket::Compound)
                    }
                    _ if is_operator(name) => Err(MatchVerdict::Unknown),
                    _ => Ok(()),
                }
            }
            Some(b'"') => self.quoted(b'"').map(|_| ()),
            Some(b'_' | b'A'..=b'Z') => self.word().map(|_| ()),
            _ => Err(MatchVerdict::Unknown),
        }
    }

    /// Skips an integer, a float with a point, or a single minus.
    fn skip_number(&mut self) -> WalkResult<()> {
        let is_minus = self.peek() == Some(b'-');
        self.at += usize::from(is_minus);
        let digits = self.skip_digits();
        if digits > 0 && self.peek() == Some(b'.') {
            self.at += 1;
            if self.skip_digits() == 0 || digits > 100 {
                return Err(MatchVerdict::Unknown);
            }
        }
        match (digits > 0 || is_minus) && self.ends_at(self.at) {
            true => Ok(()),
            false => Err(MatchVerdict::Unknown),
        }
    }

    fn skip_digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }
}
