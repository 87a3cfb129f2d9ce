//! Terms that a goal compared, that are written alike and differ in type: `bob` and `"bob"`, `100` and `100.0`.

use std::fmt;

use super::cell::{Cell, Object, Tag};
use super::store::{Store, Term};
use crate::term::Atom;
use crate::term::letters::{atom_text, quoted};

/// Two terms that are written alike and differ in type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NearMiss {
    pub(crate) one: String,
    pub(crate) other: String,
    /// Why they are not equal.
    why: &'static str,
}

impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` was compared with `{}`: {}", self.one, self.other, self.why)
    }
}

/// More pairs than these come from data, not from a script.
const MOST: usize = 100;

impl Store {
    /// Records that two terms were compared and are not equal, if they are written alike.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_near_miss(&mut self, a: Cell, b: Cell) {
        if self.near_misses.len() < MOST
            && let Some(why) = self.why_alike_and_not_equal(a, b)
        {
            let [one, other] = [a, b].map(|cell| self.written(cell));
            let miss = NearMiss { one, other, why };
            if !self.near_misses.contains(&miss) {
                self.near_misses.push(miss);
            }
        }
    }

    /// Records the same of a call's argument, if one that is written alike would have found a clause.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_missed_clause(&mut self, argument: Cell, mut finds: impl FnMut(&Store, Cell) -> bool) {
        let mark = self.mark();
        if self.near_misses.len() < MOST
            && let Some(alike) = self.alike(argument)
            && finds(self, alike)
        {
            self.note_near_miss(argument, alike);
        }
        self.undo_to(mark);
    }

    /// The pairs of the query that has ended.
    pub(crate) fn take_near_misses(&mut self) -> Vec<NearMiss> {
        std::mem::take(&mut self.near_misses)
    }

    fn why_alike_and_not_equal(&self, a: Cell, b: Cell) -> Option<&'static str> {
        Some(match (self.look(a), self.look(b)) {
            (Term::Str(text), Term::Atom(atom)) | (Term::Atom(atom), Term::Str(text)) if text == atom.as_str() => {
                "a text never equals an atom"
            }
            (Term::Str(text), Term::Int(value)) | (Term::Int(value), Term::Str(text)) if text.parse() == Ok(value) => {
                "a text never equals a number"
            }
            (Term::Str(text), Term::Float(value)) | (Term::Float(value), Term::Str(text))
                if text.parse() == Ok(value) =>
            {
                "a text never equals a number"
            }
            (Term::Atom(atom), Term::Int(value)) | (Term::Int(value), Term::Atom(atom))
                if atom.as_str().parse() == Ok(value) =>
            {
                "an atom never equals a number"
            }
            (Term::Float(float), Term::Int(int)) | (Term::Int(int), Term::Float(float)) if float == int as f64 => {
                "only =:= takes an integer and a float as equal"
            }
            _ => return None,
        })
    }

    /// A term of another type that is written like a text, an atom or a number.
    fn alike(&mut self, cell: Cell) -> Option<Cell> {
        match self.look(cell) {
            Term::Str(text) => match (Atom::find(text), text.parse()) {
                (_, Ok(value)) => Some(self.int(value)),
                (atom, _) => atom.map(Cell::atom),
            },
            Term::Float(value) if value == value.trunc() && value.abs() < 1e15 => Some(Cell::small_int(value as i64)),
            Term::Atom(atom) => Some(self.object(Object::Str(atom.as_str().into()))),
            Term::Int(value) => Some(self.float(value as f64)),
            _ => None,
        }
    }

    fn written(&self, cell: Cell) -> String {
        match self.look(cell) {
            Term::Str(text) => quoted(text, '"'),
            Term::Atom(atom) => atom_text(atom.as_str()).into_owned(),
            Term::Int(value) => value.to_string(),
            Term::Float(value) => format!("{value:?}"),
            _ => String::new(),
        }
    }
}

impl Cell {
    /// Whether this is a text or a number that does not fit into a word.
    #[inline(always)]
    pub(crate) const fn is_boxed(self) -> bool {
        matches!(self.tag(), Tag::Float | Tag::Object)
    }

    /// Whether two terms that are not equal may be written alike.
    #[inline(always)]
    pub(crate) fn may_be_alike(self, other: Cell) -> bool {
        self.tag() != other.tag()
            && (self.is_boxed() || self.is_constant())
            && (other.is_boxed() || other.is_constant())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_alike_is_noted_once() {
        let mut store = Store::new();
        let bob = Cell::atom(Atom::new("bob"));
        let text = store.string("bob");
        let (ten, ten_text, ten_float) = (Cell::small_int(10), store.string("10"), store.float(10.0));
        let pairs = [(bob, text), (text, bob), (bob, text), (ten, ten_text), (ten_float, ten), (ten_text, bob)];
        pairs.into_iter().for_each(|(a, b)| store.note_near_miss(a, b));
        let found: Vec<_> = store.take_near_misses().into_iter().map(|miss| (miss.one, miss.other)).collect();
        let expected = [("bob", "\"bob\""), ("\"bob\"", "bob"), ("10", "\"10\""), ("10.0", "10")];
        assert_eq!(found, expected.map(|(one, other)| (one.to_string(), other.to_string())));
    }
}
