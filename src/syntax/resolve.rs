//! From the flat tokens of a clause to its term, by the operator table.
//!
//! One pass, no look behind: open brackets, operators that wait for their right operand, and finished operands are
//! on three explicit stacks. A new operator goes inside the waiting one if its priority fits there; otherwise the
//! waiting one is finished first.

mod brackets;
mod complaint;

use super::lexer::{Kind, NameKind};
use super::tokens::Token;
use super::variables::Variables;
use super::{DoubleQuotes, ReadFlags, ReadTerm, SyntaxError, literal};
use crate::term::ops::{Op, OpPlace, OpTable};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The priority of an operator that stands as an atom where one is not allowed: above all others.
const BARE_OPERATOR: u16 = 1201;
const TERM: u16 = 1200;
const ARGUMENT: u16 = 999;

/// The term that `tokens` are; the last of them is the end dot, and brackets match.
pub(super) fn resolve(text: &str, tokens: &[Token], ops: &OpTable, flags: &ReadFlags) -> Result<ReadTerm, SyntaxError> {
    let mut resolver = Resolver {
        text,
        tokens,
        next: 0,
        ops,
        flags,
        tree: Tree::new(),
        variables: Variables::new(),
        operands: Vec::new(),
        priority: 0,
        waiting: Vec::new(),
        frames: vec![Frame { bracket: Bracket::Clause, first_operand: 0, first_waiting: 0, start: 0 }],
    };
    resolver.run()?;
    let span = Span { start: tokens[0].span.start, end: tokens[tokens.len() - 1].span.start };
    let (variables, n_variables) = resolver.variables.finish();
    Ok(ReadTerm { tree: resolver.tree, variables, n_variables, span })
}

struct Resolver<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    ops: &'a OpTable,
    flags: &'a ReadFlags,
    tree: Tree,
    variables: Variables<'a>,
    operands: Vec<NodeId>,
    /// The priority of the operand on top.
    priority: u16,
    waiting: Vec<Waiting>,
    frames: Vec<Frame>,
}

/// An operator that waits for its right operand.
#[derive(Clone, Copy)]
struct Waiting {
    name: Atom,
    op: Op,
    span: Span,
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Frame {
    bracket: Bracket,
    first_operand: usize,
    first_waiting: usize,
    start: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Clause,
    Round,
    Curly,
    Call(Atom),
    List,
    ListTail,
}

impl Bracket {
    fn max(self) -> u16 {
        match self {
            Bracket::Clause | Bracket::Round | Bracket::Curly => TERM,
            Bracket::Call(_) | Bracket::List | Bracket::ListTail => ARGUMENT,
        }
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Operand,
    Operator,
    Nothing,
}

type Step = Result<Expect, SyntaxError>;

impl<'a> Resolver<'a> {
    fn run(&mut self) -> Result<(), SyntaxError> {
        let mut expect = Expect::Operand;
        while expect != Expect::Nothing {
            let token = self.tokens[self.next];
            self.next += 1;
            expect = match expect {
                Expect::Operand => self.operand(token)?,
                _ => self.operator(token)?,
            };
        }
        Ok(())
    }

    fn operand(&mut self, token: Token) -> Step {
        match token.kind {
            Kind::Variable => {
                let number = self.variables.number(self.text_of(token), token.span);
                self.push(Node::Var(number), token.span)
            }
            Kind::Integer | Kind::Float | Kind::Character => {
                let number = literal::number(self.text_of(token), token).expect("the kinds are those of numbers")?;
                self.push(number.into(), token.span)
            }
            Kind::Str => self.double_quoted(token),
            Kind::BackQuoted => {
                let text = literal::unquote(self.text_of(token), token.span)?;
                self.push_list(text.chars().map(code), token.span)
            }
            Kind::EmptyList => self.push(Node::Atom(atoms::NIL), token.span),
            Kind::EmptyCurly => self.push(Node::Atom(atoms::CURLY), token.span),
            Kind::Name | Kind::Symbol | Kind::Solo | Kind::Quoted => self.name(token),
            Kind::Call(_) => self.open(Bracket::Call(self.atom(token)?), token),
            Kind::Open => self.open(Bracket::Round, token),
            Kind::OpenList => self.open(Bracket::List, token),
            Kind::OpenCurly => self.open(Bracket::Curly, token),
            Kind::CloseList | Kind::CloseCurly if self.is_empty() => self.close_empty(token),
            Kind::Close if self.has_no_arguments() => self.close_call(token),
            _ => Err(self.expected_term(token)),
        }
    }

    fn operator(&mut self, token: Token) -> Step {
        match (token.kind, self.frame().bracket) {
            (Kind::Comma, Bracket::Call(_) | Bracket::List) => self.finish_argument(),
            (Kind::Comma, Bracket::ListTail) => Err(self.expected_list_end(token)),
            (Kind::Comma, _) => self.infix_or_postfix(atoms::COMMA, token),
            (Kind::Bar, Bracket::List) => self.start_tail(),
            (Kind::Bar, Bracket::ListTail) => Err(self.expected_list_end(token)),
            (Kind::Bar, _) => self.infix_or_postfix(atoms::BAR, token),
            (Kind::Close | Kind::CloseList | Kind::CloseCurly | Kind::End, _) => self.close(token),
            (Kind::Name | Kind::Symbol | Kind::Solo | Kind::Quoted, _) => {
                self.infix_or_postfix(self.atom(token)?, token)
            }
            (Kind::Call(_), _) => self.infix_before_bracket(token),
            _ => Err(self.expected_operator(token)),
        }
    }

    // Operands

    fn push(&mut self, node: Node, span: Span) -> Step {
        let id = self.tree.push(node, span);
        self.push_operand(id)
    }

    fn push_operand(&mut self, id: NodeId) -> Step {
        self.operands.push(id);
        self.priority = 0;
        Ok(Expect::Operator)
    }

    fn double_quoted(&mut self, token: Token) -> Step {
        let text = literal::unquote(self.text_of(token), token.span)?;
        match self.flags.double_quotes {
            DoubleQuotes::String => self.push(Node::Str(text.into()), token.span),
            DoubleQuotes::Atom => self.push(Node::Atom(Atom::new(&text)), token.span),
            DoubleQuotes::Codes => self.push_list(text.chars().map(code), token.span),
            DoubleQuotes::Chars => self.push_list(text.chars().map(|c| Node::Atom(Atom::from_char(c))), token.span),
        }
    }

    fn push_list(&mut self, items: impl DoubleEndedIterator<Item = Node>, span: Span) -> Step {
        let mut list = self.tree.push(Node::Atom(atoms::NIL), span);
        for item in items.rev() {
            let head = self.tree.push(item, span);
            list = self.tree.push_compound(atoms::DOT, &[head, list], span);
        }
        self.push_operand(list)
    }

    /// A name where an operand is expected: a negative number (blanks may stand behind its sign, ISO 6.3.1.2), a prefix
    /// operator or an atom.
    fn name(&mut self, token: Token) -> Step {
        let name = self.atom(token)?;
        let next = self.tokens[self.next];
        if name == atoms::MINUS
            && let Some(number) = literal::number(self.text_of(next), next)
        {
            self.next += 1;
            return self.push(number?.negated().into(), join(token.span, next.span));
        }
        match self.ops.prefix(name) {
            Some(op) if self.starts_operand(next)? => self.wait(Waiting { name, op, span: token.span }),
            _ => {
                self.push(Node::Atom(name), token.span)?;
                self.priority = self.atom_priority(name, token, next);
                Ok(Expect::Operator)
            }
        }
    }

    /// Whether a prefix operator before `next` has an operand there, and is not itself one.
    fn starts_operand(&self, next: Token) -> Result<bool, SyntaxError> {
        Ok(match next.kind {
            kind if ends_operand(kind) => false,
            Kind::Name | Kind::Symbol | Kind::Solo | Kind::Quoted => {
                let name = self.atom(next)?;
                let is_between = self.ops.infix(name).is_some() || self.ops.postfix(name).is_some();
                !is_between || self.ops.prefix(name).is_some() || name == atoms::MINUS && self.has_number_behind_next()
            }
            _ => true,
        })
    }

    /// Whether the token behind the next one is a number: a minus before it is its sign, also where no prefix operator.
    fn has_number_behind_next(&self) -> bool {
        let behind = self.tokens[self.next + 1];
        literal::number(self.text_of(behind), behind).is_some()
    }

    /// 0 for an atom that may stand here; an operator may where a bracket or comma follows, and names like `mod`
    /// may stand before an operator too.
    fn atom_priority(&self, name: Atom, token: Token, next: Token) -> u16 {
        let is_word = token.kind == Kind::Name || token.kind == Kind::Quoted;
        if is_word || !self.ops.is_op(name) {
            return 0;
        }
        let after_prefix = self.last_waiting().is_some_and(|waiting| waiting.op.kind.place() == OpPlace::Prefix);
        if ends_operand(next.kind) && !after_prefix { 0 } else { BARE_OPERATOR }
    }

    // Operators

    fn wait(&mut self, waiting: Waiting) -> Step {
        if waiting.op.kind.place() == OpPlace::Prefix && waiting.op.priority > self.limit() {
            return Err(self.clash(waiting));
        }
        self.waiting.push(waiting);
        Ok(Expect::Operand)
    }

    fn infix_or_postfix(&mut self, name: Atom, token: Token) -> Step {
        let next = self.tokens[self.next];
        let (infix, postfix) = (self.ops.infix(name), self.ops.postfix(name));
        let op = if postfix.is_some() && (infix.is_none() || ends_operand(next.kind)) { postfix } else { infix };
        let op = op.ok_or_else(|| self.expected_operator(token))?;
        let waiting = Waiting { name, op, span: token.span };
        self.make_room(waiting)?;
        if op.kind.place() == OpPlace::Infix {
            return self.wait(waiting);
        }
        let argument = self.pop();
        let id = self.tree.push_compound(name, &[argument], join(self.tree.span(argument), token.span));
        self.push_operand(id)?;
        self.priority = op.priority;
        Ok(Expect::Operator)
    }

    /// `name(` behind an operand: `p :-(a, b)`. The name is an operator, and what follows is its bracketed operand.
    fn infix_before_bracket(&mut self, token: Token) -> Step {
        let name = self.atom(token)?;
        let op = self.ops.infix(name).ok_or_else(|| self.expected_operator(token))?;
        let waiting = Waiting { name, op, span: Span { start: token.span.start, end: token.span.end - 1 } };
        self.make_room(waiting)?;
        self.wait(waiting)?;
        self.open(Bracket::Round, token)
    }

    /// Finishes the waiting operators that bind more tightly than `new`, so that the operand on top is its left one.
    fn make_room(&mut self, new: Waiting) -> Result<(), SyntaxError> {
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
        self.last_waiting().map_or(self.frame().bracket.max(), |waiting| waiting.op.right_max())
    }

    fn last_waiting(&self) -> Option<Waiting> {
        self.waiting[self.frame().first_waiting..].last().copied()
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
        self.operands.push(id);
        self.priority = waiting.op.priority;
        Ok(())
    }

    fn pop(&mut self) -> NodeId {
        self.operands.pop().expect("every operator is taken up next to its operand")
    }

    /// The operand on top must not have a greater priority than `max`, beside the operator `by`.
    fn check_priority(&self, max: u16, by: Waiting) -> Result<(), SyntaxError> {
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
        let inside = if matches!(token.kind, Kind::Call(_)) { &text[..text.len() - 1] } else { text };
        Ok(match token.kind {
            Kind::EmptyList | Kind::Call(NameKind::EmptyList) => atoms::NIL,
            Kind::EmptyCurly | Kind::Call(NameKind::EmptyCurly) => atoms::CURLY,
            Kind::Quoted | Kind::Call(NameKind::Quoted) => Atom::new(&literal::unquote(inside, token.span)?),
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

/// Whether this token ends an operand before it.
fn ends_operand(kind: Kind) -> bool {
    matches!(kind, Kind::Close | Kind::CloseList | Kind::CloseCurly | Kind::Comma | Kind::Bar | Kind::End)
}
