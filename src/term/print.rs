//! Writes a term as text that reads as the same term, with operators, quotes, and only the brackets it needs.
//!
//! Where ISO leaves a choice, it follows SWI-Prolog. The remaining work is on an explicit stack, so that a term may have
//! any depth.

use std::fmt::{self, Write};

use num_bigint::Sign;

use super::letters::{atom_text, is_name_part, is_plain, is_symbol, raw_quoted, write_quoted};
use super::ops::{Op, OpPlace, OpTable};
pub(crate) use super::style::{ListNotation, Spacing, Style, float_text, letter_name};
use super::{Atom, Shape, View, atoms};

/// Writes `term` of `view` to `out`.
pub(crate) fn write<V: View, W: Write + ?Sized>(
    out: &mut W,
    view: &V,
    term: V::Handle,
    ops: &OpTable,
    style: &Style,
) -> fmt::Result {
    let terms_left = style.max_terms.unwrap_or(usize::MAX);
    let mut printer =
        Printer { out, view, ops, style, last: ' ', is_after_prefix: false, terms_left, work: Vec::new() };
    let max = style.priority.unwrap_or(1200);
    printer.work.push(PendingText::Term { term, max, depth: 1, place: OperandPlace::Alone });
    while let Some(work) = printer.work.pop() {
        printer.step(work)?;
    }
    Ok(())
}

/// The text of `term`, in a new string.
pub(crate) fn to_string<V: View>(view: &V, term: V::Handle, ops: &OpTable, style: &Style) -> String {
    let mut text = String::new();
    write(&mut text, view, term, ops, style).expect("writing to a string cannot fail");
    text
}

/// A part of the text that remains to be written.
enum PendingText<H> {
    Term {
        term: H,
        max: u16,
        depth: usize,
        place: OperandPlace,
    },
    /// A bracket, comma or bar.
    Text(&'static str),
    Infix(Atom),
    Postfix(Atom),
    /// The arguments of a compound from `index`.
    Arguments {
        term: H,
        index: usize,
        arity: usize,
        depth: usize,
    },
    /// The rest of a list after an element.
    Tail {
        term: H,
        depth: usize,
        written: usize,
    },
}

/// Whether a term is an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandPlace {
    Alone,
    Operand,
}

struct Printer<'a, V: View, W: ?Sized> {
    out: &'a mut W,
    view: &'a V,
    ops: &'a OpTable,
    style: &'a Style<'a>,
    last: char,
    /// Whether a prefix operator was just written.
    is_after_prefix: bool,
    terms_left: usize,
    work: Vec<PendingText<V::Handle>>,
}

impl<V: View, W: Write + ?Sized> Printer<'_, V, W> {
    fn step(&mut self, work: PendingText<V::Handle>) -> fmt::Result {
        match work {
            PendingText::Text(text) => self.put(text),
            PendingText::Infix(name) => self.infix(name),
            PendingText::Postfix(name) => self.atom(name),
            PendingText::Arguments { term, index, arity, depth } => self.arguments(term, index, arity, depth),
            PendingText::Tail { term, depth, written } => self.tail(term, depth, written),
            PendingText::Term { term, max, depth, place } => self.term(term, max, depth, place),
        }
    }

    fn term(&mut self, term: V::Handle, max: u16, depth: usize, place: OperandPlace) -> fmt::Result {
        if self.terms_left == 0 || self.style.max_depth.is_some_and(|limit| depth > limit) {
            return self.put("...");
        }
        self.terms_left -= 1;
        match self.view.shape(term) {
            Shape::Var(number) => self.variable(number),
            Shape::Atom(name) => self.placed_atom(name, place),
            Shape::Int(value) => self.put(&value.to_string()),
            Shape::BigInt(value) => self.put(&value.to_string()),
            Shape::Float(value) => self.float(value),
            Shape::Str(text) => self.string(text),
            Shape::Compound(name, arity) => self.compound(term, name, arity, max, depth),
        }
    }

    // Leaves

    fn variable(&mut self, number: u64) -> fmt::Result {
        match self.style.names.and_then(|names| names.get(&number)) {
            Some(name) => self.put(name),
            None => self.put(&format!("_{number}")),
        }
    }

    /// An operator that is an operand gets brackets.
    fn placed_atom(&mut self, name: Atom, place: OperandPlace) -> fmt::Result {
        if place == OperandPlace::Alone || self.style.ignore_ops || !self.ops.is_op(name) {
            return self.atom(name);
        }
        self.put("(")?;
        self.atom(name)?;
        self.put(")")
    }

    fn atom(&mut self, name: Atom) -> fmt::Result {
        match (self.style.quoted, self.style.raw && !is_plain(name.as_str())) {
            (false, _) => self.put(name.as_str()),
            (true, false) => self.put(&atom_text(name.as_str())),
            (true, true) => self.put(&raw_quoted(name.as_str(), '\'')),
        }
    }

    fn float(&mut self, value: f64) -> fmt::Result {
        match self.style.floats {
            Some(format) => self.put(&format.text(value)),
            None => self.put(&float_text(value)),
        }
    }

    fn string(&mut self, text: &str) -> fmt::Result {
        if !self.style.quoted {
            return self.put(text);
        }
        if self.style.raw {
            return self.put(&raw_quoted(text, '"'));
        }
        let mut quoted = String::with_capacity(text.len() + 2);
        write_quoted(&mut quoted, text, '"')?;
        self.put(&quoted)
    }

    // Compounds

    fn compound(&mut self, term: V::Handle, name: Atom, arity: usize, max: u16, depth: usize) -> fmt::Result {
        if name == atoms::DOT && arity == 2 && self.style.has_brackets() {
            return self.list(term, depth);
        }
        if name == atoms::DOLLAR_VAR
            && arity == 1
            && self.style.number_vars
            && let Some(variable) = self.numbered_variable(self.view.arg(term, 0))
        {
            return self.put(&variable);
        }
        if name == atoms::CURLY && arity == 1 && self.style.has_braces() {
            return self.curly(term, depth);
        }
        if self.style.ignore_ops {
            return self.canonical(term, name, arity, depth);
        }
        match self.operator(name, arity) {
            Some(op) => self.operation(term, name, op, max, depth),
            None => self.canonical(term, name, arity, depth),
        }
    }

    /// The variable name for `'$VAR'(...)` with a number or `_` inside.
    fn numbered_variable(&self, inside: V::Handle) -> Option<String> {
        match self.view.shape(inside) {
            Shape::Int(number @ 0..) => Some(letter_name(number)),
            Shape::Atom(name) if name.as_str() == "_" => Some("_".to_owned()),
            _ => None,
        }
    }

    fn operator(&self, name: Atom, arity: usize) -> Option<Op> {
        match arity {
            1 => self.ops.prefix(name).or_else(|| self.ops.postfix(name)),
            2 => self.ops.infix(name),
            _ => None,
        }
    }

    fn canonical(&mut self, term: V::Handle, name: Atom, arity: usize, depth: usize) -> fmt::Result {
        self.atom(name)?;
        self.out.write_char('(')?;
        self.last = '(';
        self.work.push(PendingText::Arguments { term, index: 0, arity, depth });
        Ok(())
    }

    fn arguments(&mut self, term: V::Handle, index: usize, arity: usize, depth: usize) -> fmt::Result {
        if index == arity {
            return self.put(")");
        }
        if index > 0 {
            self.comma()?;
        }
        self.work.push(PendingText::Arguments { term, index: index + 1, arity, depth });
        self.push_argument(self.view.arg(term, index), depth);
        Ok(())
    }

    fn push_argument(&mut self, term: V::Handle, depth: usize) {
        self.work.push(PendingText::Term { term, max: 999, depth: depth + 1, place: OperandPlace::Alone });
    }

    fn comma(&mut self) -> fmt::Result {
        self.put(if self.style.spacing == Spacing::Dense { "," } else { ", " })
    }

    fn curly(&mut self, term: V::Handle, depth: usize) -> fmt::Result {
        self.put("{")?;
        self.work.push(PendingText::Text("}"));
        let inside = self.view.arg(term, 0);
        self.work.push(PendingText::Term { term: inside, max: 1200, depth: depth + 1, place: OperandPlace::Alone });
        Ok(())
    }

    fn list(&mut self, term: V::Handle, depth: usize) -> fmt::Result {
        self.put("[")?;
        self.work.push(PendingText::Tail { term: self.view.arg(term, 1), depth, written: 1 });
        self.push_argument(self.view.arg(term, 0), depth);
        Ok(())
    }

    fn tail(&mut self, term: V::Handle, depth: usize, written: usize) -> fmt::Result {
        match self.view.shape(term) {
            Shape::Atom(atoms::NIL) => self.put("]"),
            Shape::Compound(atoms::DOT, 2) if self.is_enough(written) => self.put("|...]"),
            Shape::Compound(atoms::DOT, 2) => {
                self.comma()?;
                self.work.push(PendingText::Tail { term: self.view.arg(term, 1), depth, written: written + 1 });
                self.push_argument(self.view.arg(term, 0), depth);
                Ok(())
            }
            _ => {
                self.put("|")?;
                self.work.push(PendingText::Text("]"));
                self.push_argument(term, depth);
                Ok(())
            }
        }
    }

    /// Whether a list is truncated after `written` elements.
    fn is_enough(&self, written: usize) -> bool {
        self.terms_left == 0 || self.style.max_depth.is_some_and(|limit| written >= limit)
    }

    // Operators

    fn operation(&mut self, term: V::Handle, name: Atom, op: Op, max: u16, depth: usize) -> fmt::Result {
        if op.priority > max || self.looks_infix(name, op) {
            self.put("(")?;
            self.work.push(PendingText::Text(")"));
        }
        let first = self.view.arg(term, 0);
        match op.kind.place() {
            OpPlace::Prefix => {
                self.atom(name)?;
                self.is_after_prefix = true;
                if name == atoms::MINUS && self.is_unsigned(first) {
                    self.put("(")?;
                    self.work.push(PendingText::Text(")"));
                }
                self.push_operand(first, self.prefix_max(name, op, first), depth);
            }
            OpPlace::Postfix => {
                self.work.push(PendingText::Postfix(name));
                self.push_operand(first, self.left_max(op, first), depth);
            }
            OpPlace::Infix => {
                self.push_operand(self.view.arg(term, 1), op.right_max(), depth);
                self.work.push(PendingText::Infix(name));
                self.push_operand(first, self.left_max(op, first), depth);
            }
        }
        Ok(())
    }

    /// Whether the next token might make a postfix operator read as the infix one of the same name. op/3 does not allow
    /// both.
    fn looks_infix(&self, name: Atom, op: Op) -> bool {
        op.kind.place() == OpPlace::Postfix && self.ops.infix(name).is_some()
    }

    /// Whether the term is a number that a minus before it would negate.
    fn is_unsigned(&self, term: V::Handle) -> bool {
        match self.view.shape(term) {
            Shape::Int(value) => value >= 0,
            Shape::BigInt(value) => value.sign() != Sign::Minus,
            Shape::Float(value) => value.is_sign_positive(),
            _ => false,
        }
    }

    fn push_operand(&mut self, term: V::Handle, max: u16, depth: usize) {
        self.work.push(PendingText::Term { term, max, depth: depth + 1, place: OperandPlace::Operand });
    }

    /// ISO writes `- (a^2)`, since `-1^2` is the power of a negative number.
    fn prefix_max(&self, name: Atom, op: Op, operand: V::Handle) -> u16 {
        match self.view.shape(operand) {
            Shape::Compound(inner, arity @ 1..=2) if name == atoms::MINUS => match self.operator(inner, arity) {
                Some(inner) if inner.kind.place() != OpPlace::Prefix => 0,
                _ => op.right_max(),
            },
            _ => op.right_max(),
        }
    }

    /// The greatest priority of a left operand without brackets. An operand of the same priority needs them if it could
    /// take the operator as its own right operand: `(fy 1) yfx 2`.
    fn left_max(&self, op: Op, left: V::Handle) -> u16 {
        let Shape::Compound(name, arity) = self.view.shape(left) else { return op.left_max() };
        match self.operator(name, arity) {
            Some(inner) if inner.kind.place() != OpPlace::Postfix && inner.right_max() >= op.priority => {
                op.priority - 1
            }
            _ => op.left_max(),
        }
    }

    fn infix(&mut self, name: Atom) -> fmt::Result {
        if name == atoms::COMMA {
            return self.comma();
        }
        let is_word = name != atoms::BAR && (!is_plain(name.as_str()) || name.as_str().starts_with(is_name_part));
        if !is_word && self.style.spacing != Spacing::Wide {
            return if name == atoms::BAR { self.put("|") } else { self.atom(name) };
        }
        self.put(" ")?;
        if name == atoms::BAR {
            self.put("|")?
        } else {
            self.atom(name)?
        }
        self.put(" ")
    }

    // Text

    /// Writes a token, after a blank if it would otherwise merge with the previous one.
    fn put(&mut self, text: &str) -> fmt::Result {
        let Some(first) = text.chars().next() else { return Ok(()) };
        // A prefix operator directly before a bracket would read as a functor.
        let is_after_prefix = std::mem::take(&mut self.is_after_prefix);
        if runs_together(self.last, first) || is_after_prefix && first == '(' {
            self.out.write_char(' ')?;
        }
        self.last = text.chars().next_back().unwrap_or(first);
        self.out.write_str(text)
    }
}

/// Whether two tokens would read as one.
fn runs_together(last: char, first: char) -> bool {
    is_name_part(last) && (is_name_part(first) || first == '\'')
        || is_symbol(last) && is_symbol(first)
        || last == '\'' && first == '\''
}
