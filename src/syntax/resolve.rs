//! From the tokens of a clause to its term, by the operator table.
//!
//! The rules of `grammar/query.lalrpop` call the methods of [`Resolver`] with one token after the other. The grammar
//! decides which brackets match and what separates arguments and elements. The resolver decides what a name is: an
//! atom, an operator, or the sign of a number; and which operands an operator takes. This is precedence parsing in one
//! pass with explicit stacks: a new operator goes inside the waiting one if its priority fits there; otherwise the
//! waiting one is finished first.
//!
//! What a name is may depend on the token after it, so the resolver holds a name back until that token arrives
//! (`names.rs`).
//!
//! An error does not stop the parser at once. The first one is kept until the clause is complete, because an unclosed
//! bracket or an illegal token further on explains more than its consequences for operators do.
//!
//! The grammar has no productions for directives, rules and grammar rules: `:- a`, `(:- a)` and `:-(a)` are the same
//! directive, and a program may assert a rule that it has built. The reader of a script distinguishes them by their
//! functor, as ISO 6.2 does. For the same reason lists of constraints, ranges and procedure patterns are read from
//! terms where they are used: a variable may be bound to them, and `..`, `:`, `/` and `->` are ordinary operators.

mod brackets;
mod complaint;
mod names;

use self::names::{AfterName, Held};
use super::lexer::{LexemeKind, NameKind};
use super::tokens::Token;
use super::variables::VariableNames;
use super::{DoubleQuotes, ReadFlags, ReadTerm, SyntaxError, literal};
use crate::term::ops::{Op, OpPlace, OpTable};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The priority of an operator that stands as an atom where one is not allowed: above all others.
const BARE_OPERATOR: u16 = 1201;
const TERM: u16 = 1200;
const ARGUMENT: u16 = 999;

/// Builds the term of one clause from its tokens.
pub(super) struct Resolver<'a> {
    text: &'a str,
    ops: &'a OpTable,
    flags: &'a ReadFlags,
    tree: Tree,
    variables: VariableNames<'a>,
    operands: Vec<NodeId>,
    /// The priority of the operand on top.
    priority: u16,
    waiting: Vec<WaitingOperator>,
    frames: Vec<BracketFrame>,
    expect: Expect,
    held: Held,
    /// The token before the present one.
    before: Option<Token>,
    span: Span,
    failure: Option<SyntaxError>,
}

/// An operator that waits for its right operand.
#[derive(Clone, Copy)]
struct WaitingOperator {
    name: Atom,
    op: Op,
    span: Span,
}

/// An open bracket, or the clause.
#[derive(Clone, Copy)]
struct BracketFrame {
    bracket: BracketKind,
    open: Token,
    first_operand: usize,
    first_waiting: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketKind {
    Clause,
    Round,
    Curly,
    Call(Atom),
    List,
    ListTail,
}

impl BracketKind {
    fn max(self) -> u16 {
        match self {
            BracketKind::Clause | BracketKind::Round | BracketKind::Curly => TERM,
            BracketKind::Call(_) | BracketKind::List | BracketKind::ListTail => ARGUMENT,
        }
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Operand,
    Operator,
}

type Resolution = Result<(), SyntaxError>;

impl<'a> Resolver<'a> {
    /// A resolver that has seen no token.
    pub(super) fn new(text: &'a str, ops: &'a OpTable, flags: &'a ReadFlags) -> Resolver<'a> {
        Resolver {
            text,
            ops,
            flags,
            tree: Tree::new(),
            variables: VariableNames::new(),
            operands: Vec::new(),
            priority: 0,
            waiting: Vec::new(),
            frames: Vec::new(),
            expect: Expect::Operand,
            held: Held::Nothing,
            before: None,
            span: Span::default(),
            failure: None,
        }
    }

    /// The term of the clause whose end the parser has reached.
    pub(super) fn finish(self) -> Result<ReadTerm, SyntaxError> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        let (variables, n_variables) = self.variables.finish();
        Ok(ReadTerm { tree: self.tree, variables, n_variables, span: self.span })
    }

    /// Takes a token, unless an earlier one was wrong.
    fn take(&mut self, token: Token, step: impl FnOnce(&mut Self) -> Resolution) {
        if self.failure.is_none()
            && let Err(error) = step(self)
        {
            self.failure = Some(error);
        }
        self.before = Some(token);
    }

    // Operands

    pub(super) fn variable(&mut self, token: Token) {
        self.operand(token, |resolver| {
            let number = resolver.variables.number(resolver.text_of(token), token.span);
            resolver.push(Node::Var(number), token.span);
            Ok(())
        });
    }

    pub(super) fn double_quoted(&mut self, token: Token) {
        self.operand(token, |resolver| {
            let text = literal::unquote(resolver.text_of(token), token.span)?;
            match resolver.flags.double_quotes {
                DoubleQuotes::String => resolver.push(Node::Str(text.into()), token.span),
                DoubleQuotes::Atom => resolver.push(Node::Atom(Atom::new(&text)), token.span),
                DoubleQuotes::Codes => resolver.push_list(text.chars().map(code), token.span),
                DoubleQuotes::Chars => {
                    resolver.push_list(text.chars().map(|c| Node::Atom(Atom::from_char(c))), token.span);
                }
            }
            Ok(())
        });
    }

    pub(super) fn back_quoted(&mut self, token: Token) {
        self.operand(token, |resolver| {
            let text = literal::unquote(resolver.text_of(token), token.span)?;
            resolver.push_list(text.chars().map(code), token.span);
            Ok(())
        });
    }

    pub(super) fn nil(&mut self, token: Token) {
        self.constant(token, atoms::NIL);
    }

    pub(super) fn empty_curly(&mut self, token: Token) {
        self.constant(token, atoms::CURLY);
    }

    fn constant(&mut self, token: Token, name: Atom) {
        self.operand(token, |resolver| {
            resolver.push(Node::Atom(name), token.span);
            Ok(())
        });
    }

    /// Takes a token that is an operand wherever it stands.
    fn operand(&mut self, token: Token, make: impl FnOnce(&mut Self) -> Resolution) {
        self.take(token, |resolver| {
            resolver.settle(AfterName::Operand)?;
            resolver.check_operand(token)?;
            make(resolver)
        });
    }

    fn check_operand(&self, token: Token) -> Resolution {
        match self.expect {
            Expect::Operand => Ok(()),
            Expect::Operator => Err(self.expected_operator(token)),
        }
    }

    fn push(&mut self, node: Node, span: Span) {
        let id = self.tree.push(node, span);
        self.push_operand(id, 0);
    }

    fn push_operand(&mut self, id: NodeId, priority: u16) {
        self.operands.push(id);
        self.priority = priority;
        self.expect = Expect::Operator;
    }

    fn push_list(&mut self, items: impl DoubleEndedIterator<Item = Node>, span: Span) {
        let mut list = self.tree.push(Node::Atom(atoms::NIL), span);
        for item in items.rev() {
            let head = self.tree.push(item, span);
            list = self.tree.push_compound(atoms::DOT, &[head, list], span);
        }
        self.push_operand(list, 0);
    }

    // Operators

    fn wait(&mut self, waiting: WaitingOperator) -> Resolution {
        if waiting.op.kind.place() == OpPlace::Prefix && waiting.op.priority > self.limit() {
            return Err(self.clash(waiting));
        }
        self.waiting.push(waiting);
        self.expect = Expect::Operand;
        Ok(())
    }

    /// Takes an infix or postfix operator, for which the operand on top is the left one.
    fn apply(&mut self, name: Atom, op: Op, span: Span) -> Resolution {
        let waiting = WaitingOperator { name, op, span };
        self.make_room(waiting)?;
        if op.kind.place() == OpPlace::Infix {
            return self.wait(waiting);
        }
        let argument = self.pop();
        let id = self.tree.push_compound(name, &[argument], join(self.tree.span(argument), span));
        self.push_operand(id, op.priority);
        Ok(())
    }

    /// Finishes the waiting operators that bind more tightly than `new`, so that the operand on top is its left one.
    fn make_room(&mut self, new: WaitingOperator) -> Result<(), SyntaxError> {
        while new.op.priority > self.limit() {
            match self.last_waiting() {
                Some(last) if last.op.priority <= new.op.left_max() => self.finish_waiting()?,
                _ => return Err(self.clash(new)),
            }
        }
        self.check_priority(new.op.left_max(), new)
    }

    /// The greatest priority that an operand may have here.
    fn limit(&self) -> u16 {
        self.last_waiting().map_or(self.bracket().max(), |waiting| waiting.op.right_max())
    }

    fn last_waiting(&self) -> Option<WaitingOperator> {
        self.waiting[self.first_waiting()..].last().copied()
    }

    /// Gives the operator that waits last its right operand.
    fn finish_waiting(&mut self) -> Result<(), SyntaxError> {
        let waiting = self.waiting.pop().expect("the caller saw it");
        self.check_priority(waiting.op.right_max(), waiting)?;
        let right = self.pop();
        let right_span = self.tree.span(right);
        let id = if waiting.op.kind.place() == OpPlace::Prefix {
            self.tree.push_compound(waiting.name, &[right], join(waiting.span, right_span))
        } else {
            let left = self.pop();
            self.tree.push_compound(waiting.name, &[left, right], join(self.tree.span(left), right_span))
        };
        self.push_operand(id, waiting.op.priority);
        Ok(())
    }

    fn pop(&mut self) -> NodeId {
        self.operands.pop().expect("every operator has its operand before it")
    }

    /// An error if the operand on top, an operand of the operator `by`, has a greater priority than `max`.
    fn check_priority(&self, max: u16, by: WaitingOperator) -> Result<(), SyntaxError> {
        match self.priority {
            priority if priority <= max => Ok(()),
            BARE_OPERATOR => Err(self.bare_operator()),
            _ => Err(self.clash(by)),
        }
    }

    // Texts

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    /// The atom that a name is, quoted or not.
    fn atom(&self, token: Token) -> Result<Atom, SyntaxError> {
        let text = self.text_of(token);
        let inside = if matches!(token.kind, LexemeKind::Call(_)) { &text[..text.len() - 1] } else { text };
        Ok(match token.kind {
            LexemeKind::EmptyList | LexemeKind::Call(NameKind::EmptyList) => atoms::NIL,
            LexemeKind::EmptyCurly | LexemeKind::Call(NameKind::EmptyCurly) => atoms::CURLY,
            LexemeKind::Quoted | LexemeKind::Call(NameKind::Quoted) => {
                Atom::new(&literal::unquote(inside, token.span)?)
            }
            _ => Atom::new(inside),
        })
    }
}

fn code(c: char) -> Node {
    Node::Int(i64::from(u32::from(c)))
}

fn join(from: Span, to: Span) -> Span {
    Span { start: from.start, end: to.end }
}
