//! What a name is: an atom, an operator, or the sign of a number. The token after it may decide.

use super::{BARE_OPERATOR, Expect, Resolution, Resolver, WaitingOperator, join};
use crate::syntax::lexer::LexemeKind;
use crate::syntax::literal;
use crate::syntax::tokens::Token;
use crate::term::ops::OpPlace;
use crate::term::{Atom, Node, atoms};

/// Names that the token after them decides about.
#[derive(Clone, Copy)]
pub(super) enum Held {
    Nothing,
    /// A name where an operand is expected.
    Operand(Name),
    /// A prefix operator and a minus that is an infix or postfix operator only: before a number, the minus is its sign.
    BeforeMinus(Name, Name),
    /// A name after an operand that is both an infix and a postfix operator.
    Operator(Name),
}

#[derive(Clone, Copy)]
pub(super) struct Name {
    atom: Atom,
    token: Token,
}

/// What comes after a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterName {
    /// An operand, or a bracket that opens one.
    Operand,
    Name(Atom),
    /// A closing bracket, a comma, a bar or the end of the clause.
    End,
}

impl Resolver<'_> {
    pub(in crate::syntax) fn name(&mut self, token: Token) {
        self.take(token, |resolver| {
            if !matches!(resolver.held, Held::Operand(_)) {
                resolver.settle(AfterName::Operand)?;
            }
            let name = Name { atom: resolver.atom(token)?, token };
            if let Held::Operand(prefix) = resolver.held
                && resolver.ops.prefix(prefix.atom).is_some()
                && resolver.may_be_sign(name.atom)
            {
                resolver.held = Held::BeforeMinus(prefix, name);
                return Ok(());
            }
            resolver.settle(AfterName::Name(name.atom))?;
            match resolver.expect {
                Expect::Operand => {
                    resolver.held = Held::Operand(name);
                    Ok(())
                }
                Expect::Operator => resolver.name_after_operand(name),
            }
        });
    }

    /// A number, negative after a minus that is not an infix operator; blanks may separate them (ISO 6.3.1.2).
    pub(in crate::syntax) fn number(&mut self, token: Token) {
        self.take(token, |resolver| {
            let minus = resolver.take_sign()?;
            if minus.is_none() {
                resolver.settle(AfterName::Operand)?;
                resolver.check_operand(token)?;
            }
            let number = literal::number(resolver.text_of(token), token).expect("the grammar passes numbers alone")?;
            match minus {
                Some(minus) => resolver.push(number.negated().into(), join(minus.token.span, token.span)),
                None => resolver.push(number.into(), token.span),
            }
            Ok(())
        });
    }

    /// The minus before a number, if it is the number's sign.
    fn take_sign(&mut self) -> Result<Option<Name>, crate::syntax::SyntaxError> {
        match self.held {
            Held::Operand(minus) if minus.atom == atoms::MINUS => {
                self.held = Held::Nothing;
                Ok(Some(minus))
            }
            Held::BeforeMinus(prefix, minus) => {
                self.held = Held::Nothing;
                self.wait_before_operand(prefix)?;
                Ok(Some(minus))
            }
            _ => Ok(None),
        }
    }

    /// Decides the kinds of the names that were held back.
    pub(super) fn settle(&mut self, next: AfterName) -> Resolution {
        let held = self.held;
        if let Held::Nothing = held {
            return Ok(());
        }
        self.held = Held::Nothing;
        match held {
            Held::Nothing => Ok(()),
            Held::Operand(name) if self.takes_operand(name.atom, next) => self.wait_before_operand(name),
            Held::Operand(name) => {
                self.push_name(name, next);
                Ok(())
            }
            Held::BeforeMinus(name, minus) => {
                self.push_name(name, AfterName::Name(minus.atom));
                self.name_before(minus, next)
            }
            Held::Operator(name) => self.name_before(name, next),
        }
    }

    fn wait_before_operand(&mut self, name: Name) -> Resolution {
        match self.ops.prefix(name.atom) {
            Some(op) => self.wait(WaitingOperator { name: name.atom, op, span: name.token.span }),
            None => Ok(()),
        }
    }

    /// Whether a name is a prefix operator with an operand after it.
    fn takes_operand(&self, name: Atom, next: AfterName) -> bool {
        self.ops.prefix(name).is_some()
            && match next {
                AfterName::Operand => true,
                AfterName::Name(next) => !self.takes_left_operand(next) || self.ops.prefix(next).is_some(),
                AfterName::End => false,
            }
    }

    fn takes_left_operand(&self, name: Atom) -> bool {
        self.ops.infix(name).is_some() || self.ops.postfix(name).is_some()
    }

    /// Whether a name after a prefix operator is a sign if a number follows, and an infix or postfix operator if not.
    fn may_be_sign(&self, name: Atom) -> bool {
        name == atoms::MINUS && self.takes_left_operand(name) && self.ops.prefix(name).is_none()
    }

    fn push_name(&mut self, name: Name, next: AfterName) {
        let priority = self.atom_priority(name, next);
        let id = self.tree.push(Node::Atom(name.atom), name.token.span);
        self.push_operand(id, priority);
    }

    /// 0 for an atom that is allowed here: an operator is an atom before a bracket or comma, and names like `mod` also
    /// before an operator.
    fn atom_priority(&self, name: Name, next: AfterName) -> u16 {
        let is_word = matches!(name.token.kind, LexemeKind::Name | LexemeKind::Quoted);
        if is_word || !self.ops.is_op(name.atom) {
            return 0;
        }
        let after_prefix = self.last_waiting().is_some_and(|waiting| waiting.op.kind.place() == OpPlace::Prefix);
        if next == AfterName::End && !after_prefix { 0 } else { BARE_OPERATOR }
    }

    /// Takes the comma of a conjunction.
    pub(in crate::syntax) fn comma(&mut self, token: Token) {
        self.separator(token, atoms::COMMA);
    }

    /// Takes a bar outside lists.
    pub(in crate::syntax) fn bar(&mut self, token: Token) {
        self.separator(token, atoms::BAR);
    }

    fn separator(&mut self, token: Token, atom: Atom) {
        self.take(token, |resolver| {
            resolver.end_operand(token)?;
            resolver.name_after_operand(Name { atom, token })
        });
    }

    /// Takes the name of an operator, now if it is an infix or a postfix one, after the next token if it is both.
    pub(super) fn name_after_operand(&mut self, name: Name) -> Resolution {
        match (self.ops.infix(name.atom), self.ops.postfix(name.atom)) {
            (Some(_), Some(_)) => {
                self.held = Held::Operator(name);
                Ok(())
            }
            (Some(op), None) | (None, Some(op)) => self.apply(name.atom, op, name.token.span),
            (None, None) => Err(self.expected_operator(name.token)),
        }
    }

    fn name_before(&mut self, name: Name, next: AfterName) -> Resolution {
        let (infix, postfix) = (self.ops.infix(name.atom), self.ops.postfix(name.atom));
        let op = if next == AfterName::End { postfix.or(infix) } else { infix.or(postfix) };
        self.apply(name.atom, op.ok_or_else(|| self.expected_operator(name.token))?, name.token.span)
    }
}
