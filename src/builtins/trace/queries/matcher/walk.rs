//! Runs a matcher over a text.

use std::slice::Iter;

use crate::syntax::{Number, parse_number};
use crate::trace::top_level_comma;

use super::names::{is_operator, is_plain_name};
use super::operations::{Matcher, Op, Rest, Verdict, WalkResult};
use super::walker::{Frame, Walker};

/// What comes next.
#[derive(PartialEq, Eq)]
enum Next {
    /// The next operation, for the next subterm.
    Term,
    /// The term has ended, perhaps with some of the terms around it.
    End,
}

impl<'t> Walker<'t> {
    /// Matches all arguments.
    pub(super) fn arguments(&mut self, matcher: &Matcher) -> WalkResult<()> {
        let is_empty = !self.text.starts_with(|first: char| first.is_ascii_graphic()) && self.text.trim().is_empty();
        for (index, item) in matcher.items.iter().enumerate() {
            if is_empty || index > 0 && self.peek().is_none() {
                return Err(Verdict::Fails);
            }
            self.at += usize::from(index > 0);
            match matcher.op(item) {
                Op::Any => self.skip_argument(),
                Op::Unsure => {
                    self.is_unsure = true;
                    self.skip_argument();
                }
                Op::Str(wanted) => self.text_argument(wanted, &matcher.ops[item.clone()])?,
                Op::Atom(wanted) => self.text_argument(wanted, &matcher.ops[item.clone()])?,
                Op::List(constants) => self.list_argument(constants)?,
                _ => self.term(&matcher.ops[item.clone()])?,
            }
        }
        let has_more = !is_empty && (matcher.items.is_empty() || self.peek().is_some());
        match matcher.rest {
            Rest::Nothing if has_more => Err(Verdict::Fails),
            Rest::Again => Err(Verdict::Unknown),
            _ if self.is_unsure => Err(Verdict::Unknown),
            Rest::Nothing | Rest::Anything => Ok(()),
        }
    }

    fn skip_argument(&mut self) {
        let rest = &self.text[self.at..];
        self.at += top_level_comma(rest).unwrap_or(rest.len());
    }

    /// Matches an argument that must be a text: an atom, a string, or a text that is not a term.
    fn text_argument(&mut self, wanted: &str, ops: &[Op]) -> WalkResult<()> {
        let may_be_no_term = !is_plain_name(wanted) && self.text[self.at..].trim_start().starts_with(wanted);
        if may_be_no_term { Err(Verdict::Unknown) } else { self.term(ops) }
    }

    /// Goes to the comma after an argument, or to the end of the last argument.
    pub(super) fn end_argument(&mut self) -> WalkResult<()> {
        self.skip_spaces();
        match self.peek() {
            Some(b',') | None => Ok(()),
            Some(_) => Err(Verdict::Unknown),
        }
    }

    /// Matches an argument that is a term.
    fn term(&mut self, ops: &[Op]) -> WalkResult<()> {
        let mut ops = ops.iter();
        while let Some(op) = ops.next() {
            if self.open(op)? == Next::End && self.close(&mut ops)? == Next::End {
                return self.end_argument();
            }
        }
        Err(Verdict::Unknown)
    }

    /// Continues after a subterm: skips the brackets that close here and goes to the next subterm, if there is one.
    fn close(&mut self, ops: &mut Iter<'_, Op>) -> WalkResult<Next> {
        while let Some(frame) = self.frames.last() {
            while self.text.as_bytes().get(self.at) == Some(&b' ') {
                self.at += 1;
            }
            match (frame, self.text.as_bytes().get(self.at)) {
                (Frame::Arguments(0), Some(b')')) | (Frame::Tail, Some(b']')) => {}
                (Frame::Arguments(0), Some(b',')) | (Frame::Arguments(_), Some(b')')) => return Err(Verdict::Fails),
                (Frame::Arguments(n_left), Some(b',')) => {
                    *n_left -= 1;
                    self.at += 1;
                    return Ok(Next::Term);
                }
                (Frame::Elements, Some(b',')) => {
                    if self.more_elements(ops.next())? == Next::Term {
                        return Ok(Next::Term);
                    }
                }
                (Frame::Elements, Some(b']')) => match ops.next() {
                    Some(Op::Nil | Op::Any) => {}
                    Some(Op::Unsure) => self.is_unsure = true,
                    _ => return Err(Verdict::Fails),
                },
                (frame @ Frame::Elements, Some(b'|')) => {
                    *frame = Frame::Tail;
                    self.at += 1;
                    return Ok(Next::Term);
                }
                _ => return Err(Verdict::Unknown),
            }
            self.at += 1;
            self.frames.pop();
        }
        Ok(Next::End)
    }

    /// Continues at the comma of a list; `rest` is the operation for the rest of the list.
    fn more_elements(&mut self, rest: Option<&Op>) -> WalkResult<Next> {
        match rest {
            Some(Op::Pair) => {
                self.at += 1;
                return Ok(Next::Term);
            }
            Some(Op::Any) => {}
            Some(Op::Unsure) => self.is_unsure = true,
            _ => return Err(Verdict::Fails),
        }
        self.skip_elements()?;
        Ok(Next::End)
    }

    /// Matches a subterm without parts, or the opening of a subterm that has some.
    ///
    /// A subterm that begins differently cannot match, whatever follows: with an operator after it, it is a compound of
    /// that operator, and if it is not a term, the whole argument is a string.
    fn open(&mut self, op: &Op) -> WalkResult<Next> {
        self.skip_spaces();
        match (op, self.peek()) {
            (Op::Any, _) => self.skip_term()?,
            (Op::Unsure, _) => {
                self.is_unsure = true;
                self.skip_term()?;
            }
            (Op::Special(name), _) => return self.special(name),
            (_, Some(b'0'..=b'9')) => return self.number_as(op),
            (_, Some(b'-')) => return self.minus(op),
            (_, Some(b'[')) => return self.list(op),
            (_, Some(b'a'..=b'z' | b'\'')) => return self.named(op),
            (Op::Str(wanted), Some(b'"')) => return self.string_as(wanted),
            (Op::Atom(wanted) | Op::OperatorAtom(wanted), Some(b'"')) => return self.string_as(wanted),
            (_, Some(b'"')) => return Err(Verdict::Fails),
            _ => return Err(Verdict::Unknown),
        }
        Ok(Next::End)
    }

    fn string_as(&mut self, wanted: &str) -> WalkResult<Next> {
        let text = self.quoted(b'"')?;
        if self.ends_at(self.at) { same(text == wanted) } else { Err(Verdict::Unknown) }
    }

    /// For a compound of an operator: fails on a term with another name and no operator outside brackets; the verdict
    /// on any other text is unknown.
    fn special(&mut self, name: &str) -> WalkResult<Next> {
        let start = &self.text[self.at..];
        self.skip_term()?;
        let may_be = start.starts_with('\'') || start.starts_with(name) || start.starts_with(['_', '-']);
        let is_variable = start.starts_with(|first: char| first.is_ascii_uppercase());
        Err(if may_be || is_variable || !self.ends_here() { Verdict::Unknown } else { Verdict::Fails })
    }

    /// Whether the subterm ends here for certain.
    fn ends_here(&mut self) -> bool {
        self.skip_spaces();
        self.peek() != Some(b' ')
            && self.ends_at(self.at)
            && (self.peek() != Some(b'|') || matches!(self.frames.last(), Some(Frame::Elements)))
    }

    fn number_as(&mut self, op: &Op) -> WalkResult<Next> {
        match op {
            Op::Int(wanted) => {
                let number = self.number()?;
                let plain = if number.len() < 19 { number.parse().ok() } else { None };
                let value = plain.map_or_else(|| parse_number(number), |value| Some(Number::Int(value)));
                same(value.ok_or(Verdict::Unknown)? == Number::Int(*wanted))
            }
            Op::Number(wanted) => same(parse_number(self.number()?).ok_or(Verdict::Unknown)? == *wanted),
            _ => Err(Verdict::Fails),
        }
    }

    /// Matches a minus, either the sign of a number or a single atom.
    fn minus(&mut self, op: &Op) -> WalkResult<Next> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'0'..=b'9') => self.number_as(op),
            Some(b',' | b')' | b']') | None => {
                self.at += 1;
                same(match op {
                    Op::OperatorAtom(wanted) => *wanted == "-",
                    Op::Str(wanted) => &**wanted == "-",
                    _ => false,
                })
            }
            _ => Err(Verdict::Unknown),
        }
    }

    fn list(&mut self, op: &Op) -> WalkResult<Next> {
        self.at += 1;
        self.skip_spaces();
        match (op, self.peek()) {
            (Op::Nil, Some(b']')) => {
                self.at += 1;
                Ok(Next::End)
            }
            (Op::Pair, Some(byte)) if byte != b']' => {
                self.frames.push(Frame::Elements)?;
                Ok(Next::Term)
            }
            // Perhaps a comment.
            (Op::Nil, Some(b'/' | b'%' | ..b' ' | 0x7f..) | None) => Err(Verdict::Unknown),
            _ => Err(Verdict::Fails),
        }
    }

    /// Matches an atom, a compound or an operator.
    fn named(&mut self, op: &Op) -> WalkResult<Next> {
        let text = self.name()?;
        let is_compound = self.peek() == Some(b'(');
        match op {
            Op::Compound(name, arity) if is_compound && *name == text => {
                self.at += 1;
                self.frames.push(Frame::Arguments(arity - 1))?;
                Ok(Next::Term)
            }
            Op::Pair if is_compound && text == "." => Err(Verdict::Unknown),
            Op::Nil if !is_compound && text == "[]" => Err(Verdict::Unknown),
            Op::OperatorAtom(name) if *name == text => Err(Verdict::Unknown),
            // Perhaps the sign of a number.
            Op::Int(_) | Op::Number(_) if matches!(text, "-" | "+") => Err(Verdict::Unknown),
            Op::Str(wanted) if &**wanted == text && is_operator(text) => Err(Verdict::Unknown),
            Op::Str(wanted) => same(!is_compound && &**wanted == text),
            Op::Atom(name) => same(!is_compound && *name == text),
            _ => Err(Verdict::Fails),
        }
    }
}

fn same(is_same: bool) -> WalkResult<Next> {
    if is_same { Ok(Next::End) } else { Err(Verdict::Fails) }
}
