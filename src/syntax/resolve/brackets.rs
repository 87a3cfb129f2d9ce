//! Opening and closing brackets, and the terms made of the operands between them.
//!
//! The grammar matches brackets. The frames here hold where the operands of each begin.

use super::names::AfterName;
use super::{BARE_OPERATOR, BracketFrame, BracketKind, Expect, Resolution, Resolver, WaitingOperator};
use crate::syntax::lexer::LexemeKind;
use crate::syntax::tokens::Token;
use crate::term::{Atom, Node, Span, atoms};

impl Resolver<'_> {
    /// The innermost open bracket.
    pub(in crate::syntax) fn innermost_open(&self) -> Option<Token> {
        self.frames.last().map(|frame| frame.open)
    }

    /// Takes note of a bracket that the parser has shifted but not reduced, because the token after it is wrong.
    pub(in crate::syntax) fn catch_up(&mut self, shifted: Option<Token>) {
        let Some(token) = shifted.filter(|_| shifted != self.before) else { return };
        match token.kind {
            LexemeKind::Open | LexemeKind::Call(_) | LexemeKind::OpenList | LexemeKind::OpenCurly => {
                self.push_frame(BracketKind::Round, token)
            }
            LexemeKind::Close | LexemeKind::CloseList | LexemeKind::CloseCurly => _ = self.frames.pop(),
            _ => {}
        }
    }

    pub(super) fn bracket(&self) -> BracketKind {
        self.frames.last().map_or(BracketKind::Clause, |frame| frame.bracket)
    }

    pub(super) fn first_waiting(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.first_waiting)
    }

    // Opening

    pub(in crate::syntax) fn open_round(&mut self, token: Token) {
        self.open(BracketKind::Round, token);
    }

    pub(in crate::syntax) fn open_list(&mut self, token: Token) {
        self.open(BracketKind::List, token);
    }

    pub(in crate::syntax) fn open_curly(&mut self, token: Token) {
        self.open(BracketKind::Curly, token);
    }

    fn open(&mut self, bracket: BracketKind, token: Token) {
        self.take(token, |resolver| {
            resolver.settle(AfterName::Operand)?;
            resolver.check_operand(token)
        });
        self.push_frame(bracket, token);
    }

    /// `name(`: the functor of a compound, or an infix operator before a bracketed operand, as in `p :-(a, b)`.
    pub(in crate::syntax) fn open_compound(&mut self, token: Token) {
        let mut bracket = BracketKind::Round;
        self.take(token, |resolver| {
            resolver.settle(AfterName::Operand)?;
            let name = resolver.atom(token)?;
            match resolver.expect {
                Expect::Operand => bracket = BracketKind::Call(name),
                Expect::Operator => resolver.infix_before_bracket(name, token)?,
            }
            Ok(())
        });
        self.push_frame(bracket, token);
    }

    fn infix_before_bracket(&mut self, name: Atom, token: Token) -> Resolution {
        let op = self.ops.infix(name).ok_or_else(|| self.expected_operator(token))?;
        let waiting = WaitingOperator { name, op, span: Span { start: token.span.start, end: token.span.end - 1 } };
        self.make_room(waiting)?;
        self.wait(waiting)
    }

    fn push_frame(&mut self, bracket: BracketKind, open: Token) {
        let (first_operand, first_waiting) = (self.operands.len(), self.waiting.len());
        self.frames.push(BracketFrame { bracket, open, first_operand, first_waiting });
    }

    // Between

    /// Finishes the operand before a comma, a bar, a closing bracket or the end of the clause.
    pub(super) fn end_operand(&mut self, token: Token) -> Resolution {
        self.settle(AfterName::End)?;
        match self.expect {
            Expect::Operand => Err(self.expected_term(token)),
            Expect::Operator => Ok(()),
        }
    }

    /// Applies all operators that wait inside the innermost bracket.
    fn finish_operand(&mut self, token: Token) -> Resolution {
        self.end_operand(token)?;
        while self.waiting.len() > self.first_waiting() {
            self.finish_waiting()?;
        }
        match self.priority {
            BARE_OPERATOR => Err(self.bare_operator()),
            _ => Ok(()),
        }
    }

    /// A comma between arguments or elements, or between the apparent arguments of an infix operator.
    pub(in crate::syntax) fn argument_comma(&mut self, token: Token) {
        if self.bracket() == BracketKind::Round {
            return self.comma(token);
        }
        self.take(token, |resolver| {
            resolver.finish_operand(token)?;
            resolver.expect = Expect::Operand;
            Ok(())
        });
    }

    /// The bar before the tail of a list.
    pub(in crate::syntax) fn tail_bar(&mut self, token: Token) {
        self.take(token, |resolver| {
            resolver.finish_operand(token)?;
            resolver.expect = Expect::Operand;
            Ok(())
        });
        if let Some(frame) = self.frames.last_mut() {
            frame.bracket = BracketKind::ListTail;
        }
    }

    /// A comma or a bar after the tail of a list.
    pub(in crate::syntax) fn after_tail(&mut self, token: Token) {
        self.take(token, |resolver| {
            resolver.end_operand(token)?;
            Err(resolver.expected_list_end(token))
        });
    }

    // Closing

    pub(in crate::syntax) fn end_clause(&mut self, start: u32, token: Token) {
        self.span = Span { start, end: token.span.start };
        self.take(token, |resolver| {
            resolver.finish_operand(token)?;
            resolver.tree.set_root(resolver.operands[0]);
            Ok(())
        });
    }

    pub(in crate::syntax) fn close(&mut self, token: Token) {
        self.close_with(token, |resolver, frame, span| {
            resolver.finish_operand(token)?;
            match frame.bracket {
                BracketKind::Clause | BracketKind::Round => {}
                BracketKind::Curly => resolver.make_compound(atoms::CURLY, frame, span),
                BracketKind::Call(name) => resolver.make_compound(name, frame, span),
                BracketKind::List => {
                    let nil = resolver.tree.push(Node::Atom(atoms::NIL), token.span);
                    resolver.operands.push(nil);
                    resolver.make_list(frame, span);
                }
                BracketKind::ListTail => resolver.make_list(frame, span),
            }
            resolver.priority = 0;
            Ok(())
        });
    }

    /// `name()`: a compound without arguments, which is not the atom.
    pub(in crate::syntax) fn close_without_arguments(&mut self, token: Token) {
        self.close_with(token, |resolver, frame, span| match frame.bracket {
            BracketKind::Call(name) => {
                resolver.make_compound(name, frame, span);
                resolver.priority = 0;
                resolver.expect = Expect::Operator;
                Ok(())
            }
            _ => Err(resolver.expected_term(token)),
        });
    }

    /// `[` and `]` with a comment between them.
    pub(in crate::syntax) fn close_without_elements(&mut self, token: Token) {
        self.close_empty(token, atoms::NIL);
    }

    /// `{` and `}` with a comment between them.
    pub(in crate::syntax) fn close_without_term(&mut self, token: Token) {
        self.close_empty(token, atoms::CURLY);
    }

    fn close_empty(&mut self, token: Token, name: Atom) {
        self.close_with(token, |resolver, _, span| {
            resolver.push(Node::Atom(name), span);
            Ok(())
        });
    }

    /// Takes the bracket that closes the innermost frame, and removes the frame, also after an error.
    fn close_with(&mut self, token: Token, step: impl FnOnce(&mut Self, BracketFrame, Span) -> Resolution) {
        if let Some(frame) = self.frames.last().copied() {
            let span = Span { start: frame.open.span.start, end: token.span.end };
            self.take(token, |resolver| step(resolver, frame, span));
        }
        self.frames.pop();
    }

    fn make_compound(&mut self, name: Atom, frame: BracketFrame, span: Span) {
        let id = self.tree.push_compound(name, &self.operands[frame.first_operand..], span);
        self.operands.truncate(frame.first_operand);
        self.operands.push(id);
    }

    /// Makes a list of the operands since the bracket; the last one is the tail.
    fn make_list(&mut self, frame: BracketFrame, span: Span) {
        let mut list = self.pop();
        while self.operands.len() > frame.first_operand {
            let head = self.pop();
            let start =
                if self.operands.len() == frame.first_operand { span.start } else { self.tree.span(head).start };
            list = self.tree.push_compound(atoms::DOT, &[head, list], Span { start, end: span.end });
        }
        self.operands.push(list);
    }
}
