//! Runs a matcher over a text.

use std::slice::Iter;

use crate::syntax::{NumberLiteral, parse_number};
use crate::trace::top_level_comma;

use super::names::{is_operator, is_plain_name};
use super::operations::{ArgumentsRest, MatchVerdict, Matcher, MatcherOperation, WalkResult};
use super::walker::{Enclosure, TextWalker};

/// What comes next.
#[derive(PartialEq, Eq)]
enum NextPart {
    /// The next operation, for the next subterm.
    Term,
    /// The term has ended, perhaps with some of the terms around it.
    End,
}

impl<'t> TextWalker<'t> {
    /// Matches all arguments.
    pub(super) fn arguments(&mut self, matcher: &Matcher) -> WalkResult<()> {
        let is_empty = !self.text.starts_with(|first: char| first.is_ascii_graphic()) && self.text.trim().is_empty();
        for (index, item) in matcher.items.iter().enumerate() {
            if is_empty || index > 0 && self.peek().is_none() {
                return Err(MatchVerdict::Fails);
            }
            self.at += usize::from(index > 0);
            match matcher.op(item) {
                MatcherOperation::Any => self.skip_argument(),
                MatcherOperation::Unsure => {
                    self.is_unsure = true;
                    self.skip_argument();
                }
                MatcherOperation::Str(wanted) => self.text_argument(wanted, &matcher.ops[item.clone()])?,
                MatcherOperation::Atom(wanted) => self.text_argument(wanted, &matcher.ops[item.clone()])?,
                MatcherOperation::List(constants) => self.list_argument(constants)?,
                _ => self.term(&matcher.ops[item.clone()])?,
            }
        }
        let has_more = !is_empty && (matcher.items.is_empty() || self.peek().is_some());
        match matcher.rest {
            ArgumentsRest::Nothing if has_more => Err(MatchVerdict::Fails),
            ArgumentsRest::Again => Err(MatchVerdict::Unknown),
            _ if self.is_unsure => Err(MatchVerdict::Unknown),
            ArgumentsRest::Nothing | ArgumentsRest::Anything => Ok(()),
        }
    }

    fn skip_argument(&mut self) {
        let rest = &self.text[self.at..];
        self.at += top_level_comma(rest).unwrap_or(rest.len());
    }

    /// Matches an argument that must be a text: an atom, a string, or a text that is not a term.
    fn text_argument(&mut self, wanted: &str, ops: &[MatcherOperation]) -> WalkResult<()> {
        let may_be_no_term = !is_plain_name(wanted) && self.text[self.at..].trim_start().starts_with(wanted);
        if may_be_no_term { Err(MatchVerdict::Unknown) } else { self.term(ops) }
    }

    /// Goes to the comma after an argument, or to the end of the last argument.
    pub(super) fn end_argument(&mut self) -> WalkResult<()> {
        self.skip_spaces();
        match self.peek() {
            Some(b',') | None => Ok(()),
            Some(_) => Err(MatchVerdict::Unknown),
        }
    }

    /// Matches an argument that is a term.
    fn term(&mut self, ops: &[MatcherOperation]) -> WalkResult<()> {
        let mut ops = ops.iter();
        while let Some(op) = ops.next() {
            if self.open(op)? == NextPart::End && self.close(&mut ops)? == NextPart::End {
                return self.end_argument();
            }
        }
        Err(MatchVerdict::Unknown)
    }

    /// Continues after a subterm: skips the brackets that close here and goes to the next subterm, if there is one.
    fn close(&mut self, ops: &mut Iter<'_, MatcherOperation>) -> WalkResult<NextPart> {
        while let Some(frame) = self.frames.last() {
            while self.text.as_bytes().get(self.at) == Some(&b' ') {
                self.at += 1;
            }
            match (frame, self.text.as_bytes().get(self.at)) {
                (Enclosure::Arguments(0), Some(b')')) | (Enclosure::Tail, Some(b']')) => {}
                (Enclosure::Arguments(0), Some(b',')) | (Enclosure::Arguments(_), Some(b')')) => {
                    return Err(MatchVerdict::Fails);
                }
                (Enclosure::Arguments(n_left), Some(b',')) => {
                    *n_left -= 1;
                    self.at += 1;
                    return Ok(NextPart::Term);
                }
                (Enclosure::Elements, Some(b',')) => {
                    if self.more_elements(ops.next())? == NextPart::Term {
                        return Ok(NextPart::Term);
                    }
                }
                (Enclosure::Elements, Some(b']')) => match ops.next() {
                    Some(MatcherOperation::Nil | MatcherOperation::Any) => {}
                    Some(MatcherOperation::Unsure) => self.is_unsure = true,
                    _ => return Err(MatchVerdict::Fails),
                },
                (frame @ Enclosure::Elements, Some(b'|')) => {
                    *frame = Enclosure::Tail;
                    self.at += 1;
                    return Ok(NextPart::Term);
                }
                _ => return Err(MatchVerdict::Unknown),
            }
            self.at += 1;
            self.frames.pop();
        }
        Ok(NextPart::End)
    }

    /// Continues at the comma of a list; `rest` is the operation for the rest of the list.
    fn more_elements(&mut self, rest: Option<&MatcherOperation>) -> WalkResult<NextPart> {
        match rest {
            Some(MatcherOperation::Pair) => {
                self.at += 1;
                return Ok(NextPart::Term);
            }
            Some(MatcherOperation::Any) => {}
            Some(MatcherOperation::Unsure) => self.is_unsure = true,
            _ => return Err(MatchVerdict::Fails),
        }
        self.skip_elements()?;
        Ok(NextPart::End)
    }

    /// Matches a subterm without parts, or the opening of a subterm that has some.
    ///
    /// A subterm that begins differently cannot match, whatever follows: with an operator after it, it is a compound of
    /// that operator, and if it is not a term, the whole argument is a string.
    fn open(&mut self, op: &MatcherOperation) -> WalkResult<NextPart> {
        self.skip_spaces();
        match (op, self.peek()) {
            (MatcherOperation::Any, _) => self.skip_term()?,
            (MatcherOperation::Unsure, _) => {
                self.is_unsure = true;
                self.skip_term()?;
            }
            (MatcherOperation::Special(name), _) => return self.special(name),
            (_, Some(b'0'..=b'9')) => return self.number_as(op),
            (_, Some(b'-')) => return self.minus(op),
            (_, Some(b'[')) => return self.list(op),
            (_, Some(b'a'..=b'z' | b'\'')) => return self.named(op),
            (MatcherOperation::Str(wanted), Some(b'"')) => return self.string_as(wanted),
            (MatcherOperation::Atom(wanted) | MatcherOperation::OperatorAtom(wanted), Some(b'"')) => {
                return self.string_as(wanted);
            }
            (_, Some(b'"')) => return Err(MatchVerdict::Fails),
            _ => return Err(MatchVerdict::Unknown),
        }
        Ok(NextPart::End)
    }

    fn string_as(&mut self, wanted: &str) -> WalkResult<NextPart> {
        let text = self.quoted(b'"')?;
        if self.ends_at(self.at) { same(text == wanted) } else { Err(MatchVerdict::Unknown) }
    }

    /// For a compound of an operator: fails on a term with another name and no operator outside brackets; the verdict
    /// on any other text is unknown.
    fn special(&mut self, name: &str) -> WalkResult<NextPart> {
        let start = &self.text[self.at..];
        self.skip_term()?;
        let may_be = start.starts_with('\'') || start.starts_with(name) || start.starts_with(['_', '-']);
        let is_variable = start.starts_with(|first: char| first.is_ascii_uppercase());
        Err(if may_be || is_variable || !self.ends_here() { MatchVerdict::Unknown } else { MatchVerdict::Fails })
    }

    /// Whether the subterm ends here for certain.
    fn ends_here(&mut self) -> bool {
        self.skip_spaces();
        self.peek() != Some(b' ')
            && self.ends_at(self.at)
            && (self.peek() != Some(b'|') || matches!(self.frames.last(), Some(Enclosure::Elements)))
    }

    #[inline]
    fn number_as(&mut self, op: &MatcherOperation) -> WalkResult<NextPart> {
        match op {
            MatcherOperation::Int(wanted) => {
                let number = self.number()?;
                let plain = if number.len() < 19 { number.parse().ok() } else { None };
                let value = plain.map_or_else(|| parse_number(number), |value| Some(NumberLiteral::Int(value)));
                same(value.ok_or(MatchVerdict::Unknown)? == NumberLiteral::Int(*wanted))
            }
            MatcherOperation::Number(wanted) => {
                same(parse_number(self.number()?).ok_or(MatchVerdict::Unknown)? == *wanted)
            }
            _ => Err(MatchVerdict::Fails),
        }
    }

    /// Matches a minus, either the sign of a number or a single atom.
    fn minus(&mut self, op: &MatcherOperation) -> WalkResult<NextPart> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'0'..=b'9') => self.number_as(op),
            Some(b',' | b')' | b']') | None => {
                self.at += 1;
                same(match op {
                    MatcherOperation::OperatorAtom(wanted) => *wanted == "-",
                    MatcherOperation::Str(wanted) => &**wanted == "-",
                    _ => false,
                })
            }
            _ => Err(MatchVerdict::Unknown),
        }
    }

    fn list(&mut self, op: &MatcherOperation) -> WalkResult<NextPart> {
        self.at += 1;
        self.skip_spaces();
        match (op, self.peek()) {
            (MatcherOperation::Nil, Some(b']')) => {
                self.at += 1;
                Ok(NextPart::End)
            }
            (MatcherOperation::Pair, Some(byte)) if byte != b']' => {
                self.frames.push(Enclosure::Elements)?;
                Ok(NextPart::Term)
            }
            // Perhaps a comment.
            (MatcherOperation::Nil, Some(b'/' | b'%' | ..b' ' | 0x7f..) | None) => Err(MatchVerdict::Unknown),
            _ => Err(MatchVerdict::Fails),
        }
    }

    /// Matches an atom, a compound or an operator.
    fn named(&mut self, op: &MatcherOperation) -> WalkResult<NextPart> {
        let text = self.name()?;
        let is_compound = self.peek() == Some(b'(');
        match op {
            MatcherOperation::Compound(name, arity) if is_compound && *name == text => {
                self.at += 1;
                self.frames.push(Enclosure::Arguments(arity - 1))?;
                Ok(NextPart::Term)
            }
            MatcherOperation::Pair if is_compound && text == "." => Err(MatchVerdict::Unknown),
            MatcherOperation::Nil if !is_compound && text == "[]" => Err(MatchVerdict::Unknown),
            MatcherOperation::OperatorAtom(name) if *name == text => Err(MatchVerdict::Unknown),
            // Perhaps the sign of a number.
            MatcherOperation::Int(_) | MatcherOperation::Number(_) if matches!(text, "-" | "+") => {
                Err(MatchVerdict::Unknown)
            }
            MatcherOperation::Str(wanted) if &**wanted == text && is_operator(text) => Err(MatchVerdict::Unknown),
            MatcherOperation::Str(wanted) => same(!is_compound && &**wanted == text),
            MatcherOperation::Atom(name) => same(!is_compound && *name == text),
            _ => Err(MatchVerdict::Fails),
        }
    }
}

fn same(is_same: bool) -> WalkResult<NextPart> {
    if is_same { Ok(NextPart::End) } else { Err(MatchVerdict::Fails) }
}
