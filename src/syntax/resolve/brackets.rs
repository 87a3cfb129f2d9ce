//! Opening and closing brackets, and what is made of the operands between them.

use super::{BARE_OPERATOR, Bracket, Expect, Frame, Resolver, Step};
use crate::syntax::SyntaxError;
use crate::syntax::lexer::Kind;
use crate::syntax::tokens::Token;
use crate::term::{Atom, Node, Span, atoms};

impl Resolver<'_> {
    pub(super) fn frame(&self) -> Frame {
        *self.frames.last().expect("the clause is a frame")
    }

    pub(super) fn open(&mut self, bracket: Bracket, token: Token) -> Step {
        self.frames.push(Frame {
            bracket,
            first_operand: self.operands.len(),
            first_waiting: self.waiting.len(),
            start: token.span.start,
        });
        Ok(Expect::Operand)
    }

    /// Finishes all that waits inside the innermost bracket.
    pub(super) fn finish_operand(&mut self) -> Result<(), SyntaxError> {
        let frame = self.frame();
        while self.waiting.len() > frame.first_waiting {
            self.finish_waiting()?;
        }
        match self.priority {
            BARE_OPERATOR => Err(self.bare_operator()),
            _ => Ok(()),
        }
    }

    pub(super) fn finish_argument(&mut self) -> Step {
        self.finish_operand()?;
        Ok(Expect::Operand)
    }

    pub(super) fn start_tail(&mut self) -> Step {
        self.finish_operand()?;
        self.frames.last_mut().expect("the clause is a frame").bracket = Bracket::ListTail;
        Ok(Expect::Operand)
    }

    pub(super) fn close(&mut self, token: Token) -> Step {
        self.finish_operand()?;
        let frame = self.frame();
        let span = Span { start: frame.start, end: token.span.end };
        match frame.bracket {
            Bracket::Clause => {
                self.tree.set_root(self.operands[0]);
                return Ok(Expect::Nothing);
            }
            Bracket::Round => {}
            Bracket::Curly => self.make_compound(atoms::CURLY, frame, span),
            Bracket::Call(name) => self.make_compound(name, frame, span),
            Bracket::List => {
                let nil = self.tree.push(Node::Atom(atoms::NIL), Span { start: token.span.start, end: token.span.end });
                self.operands.push(nil);
                self.make_list(frame, span);
            }
            Bracket::ListTail => self.make_list(frame, span),
        }
        self.frames.pop();
        self.priority = 0;
        Ok(Expect::Operator)
    }

    pub(super) fn make_compound(&mut self, name: Atom, frame: Frame, span: Span) {
        let id = self.tree.push_compound(name, &self.operands[frame.first_operand..], span);
        self.operands.truncate(frame.first_operand);
        self.operands.push(id);
    }

    /// Makes a list of the operands since the bracket, the last of which is the tail.
    pub(super) fn make_list(&mut self, frame: Frame, span: Span) {
        let mut list = self.pop();
        while self.operands.len() > frame.first_operand {
            let head = self.pop();
            let start =
                if self.operands.len() == frame.first_operand { span.start } else { self.tree.span(head).start };
            list = self.tree.push_compound(atoms::DOT, &[head, list], Span { start, end: span.end });
        }
        self.operands.push(list);
    }

    /// Whether the innermost bracket was opened by the token before this one.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.tokens[self.next.saturating_sub(2)].kind, Kind::OpenList | Kind::OpenCurly)
    }

    /// Whether the token before this one opened the arguments of a compound.
    pub(super) fn has_no_arguments(&self) -> bool {
        let before = self.tokens[self.next.saturating_sub(2)].kind;
        matches!((before, self.frame().bracket), (Kind::Call(_), Bracket::Call(_)))
    }

    /// `name()`: a compound without arguments, which is not the atom.
    pub(super) fn close_call(&mut self, token: Token) -> Step {
        let frame = self.frames.pop().expect("the bracket is open");
        if let Bracket::Call(name) = frame.bracket {
            self.make_compound(name, frame, Span { start: frame.start, end: token.span.end });
        }
        self.priority = 0;
        Ok(Expect::Operator)
    }

    /// `[` and `]` with only a comment between.
    pub(super) fn close_empty(&mut self, token: Token) -> Step {
        let frame = self.frames.pop().expect("the bracket is open");
        let name = if frame.bracket == Bracket::List { atoms::NIL } else { atoms::CURLY };
        self.push(Node::Atom(name), Span { start: frame.start, end: token.span.end })
    }
}
