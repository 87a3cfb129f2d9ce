//! Matches an argument that must be a list with certain constants among its elements.

use crate::syntax::{NumberLiteral, parse_number};

use super::names::is_plain_name;
use super::operations::{MatchVerdict, MatcherOperation, WalkResult};
use super::walker::TextWalker;

/// The most constants that are searched for: one bit each.
const MAX_CONSTANTS: usize = 64;
/// Numbers with more digits may not fit into 64 bits.
const MAX_DIGITS: usize = 18;

/// An element of a list, other than a variable.
#[derive(Clone, Copy)]
enum Element<'t> {
    Int(i64),
    /// Anything else, as it is written.
    Text(&'t str),
}

impl<'t> TextWalker<'t> {
    /// Matches a list that has each of some constants as an element.
    pub(super) fn list_argument(&mut self, constants: &[MatcherOperation]) -> WalkResult<()> {
        self.skip_spaces();
        match self.peek() {
            Some(b'[') if constants.len() <= MAX_CONSTANTS => self.at += 1,
            Some(b'a'..=b'z' | b'0'..=b'9' | b'"' | b'-') => return Err(MatchVerdict::Fails),
            _ => return Err(MatchVerdict::Unknown),
        }
        let mut found = 0_u64;
        self.skip_spaces();
        let mut is_open = self.peek() != Some(b']');
        self.at += usize::from(!is_open);
        while is_open {
            let element = self.element()?;
            for (place, constant) in constants.iter().enumerate() {
                found |= u64::from(element.is(constant)?) << place;
            }
            self.skip_spaces();
            is_open = match self.peek() {
                Some(b',') => true,
                Some(b']') => false,
                _ => return Err(MatchVerdict::Unknown),
            };
            self.at += 1;
        }
        self.end_argument()?;
        let has_all = found.count_ones() as usize == constants.len();
        if has_all { Ok(()) } else { Err(MatchVerdict::Fails) }
    }

    fn element(&mut self) -> WalkResult<Element<'t>> {
        self.skip_spaces();
        if let Some(value) = self.short_integer() {
            return Ok(Element::Int(value));
        }
        if matches!(self.peek(), Some(b'_' | b'A'..=b'Z')) {
            return Err(MatchVerdict::Unknown);
        }
        let (text, start) = (self.text, self.at);
        self.skip_term()?;
        Ok(Element::Text(&text[start..self.at]))
    }

    /// Reads an integer of few digits before a comma or the end of the list.
    fn short_integer(&mut self) -> Option<i64> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_negative = rest.first() == Some(&b'-');
        let digits = &rest[usize::from(is_negative)..];
        let (mut value, mut n_digits) = (0_i64, 0);
        while let Some(digit) = digits.get(n_digits).filter(|byte| byte.is_ascii_digit()) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            n_digits += 1;
        }
        let is_short = (1..=MAX_DIGITS).contains(&n_digits) && matches!(digits.get(n_digits), Some(b',' | b']'));
        if !is_short {
            return None;
        }
        self.at += usize::from(is_negative) + n_digits;
        Some(if is_negative { -value } else { value })
    }
}

impl Element<'_> {
    /// Whether it equals a constant.
    fn is(self, constant: &MatcherOperation) -> WalkResult<bool> {
        match (self, constant) {
            (Element::Int(value), MatcherOperation::Int(wanted)) => Ok(value == *wanted),
            (Element::Text(text), MatcherOperation::Int(wanted)) => match text.as_bytes() {
                [b'0'..=b'9', ..] | [b'-', _, ..] => {
                    Ok(parse_number(text).ok_or(MatchVerdict::Unknown)? == NumberLiteral::Int(*wanted))
                }
                _ => Ok(false),
            },
            (Element::Int(_), MatcherOperation::Atom(_)) => Ok(false),
            (Element::Text(text), MatcherOperation::Atom(name)) => match text.strip_prefix('\'') {
                Some(quoted) => Ok(quoted.strip_suffix('\'') == Some(name)),
                None => Ok(text == *name && is_plain_name(text)),
            },
            _ => Err(MatchVerdict::Unknown),
        }
    }
}
