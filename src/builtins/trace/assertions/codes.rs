//! Numbers for the values of variables: equal values get equal numbers. As in a constraint, a text is the same value as
//! the atom with its characters.

use num_bigint::BigInt;
use num_traits::FromPrimitive;

use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::engine::{Cell, Store, Term};
use crate::term::hash::{HashMap, NumberMap};
use crate::term::print::{self, Style};
use crate::term::{Atom, Node, NodeId, Tree, atoms};
use crate::trace::NumberEquality;

/// The terms that have a number; an integer is its own number.
#[derive(Default)]
pub(super) struct TermCodes {
    texts: Vec<String>,
    by_text: HashMap<String, i64>,
    by_atom: NumberMap<Atom, i64>,
    /// For each variable whether its numbers are compared by value.
    by_value: Vec<bool>,
}

/// The most characters of a value in a message.
const MAX_SHOWN: usize = 200;

impl TermCodes {
    /// The number of an integer, if it is not too large.
    pub(super) fn of_integer(value: i64) -> Option<i64> {
        value.checked_mul(2)
    }

    /// How the numbers of a variable are compared.
    pub(super) fn equality(&self, variable: usize) -> NumberEquality {
        if self.by_value[variable] { NumberEquality::ByValue } else { NumberEquality::OfTerms }
    }

    /// Sets for each variable whether its numbers are compared by value; returns whether some were and no longer are.
    pub(super) fn compare_by_value(&mut self, by_value: Vec<bool>) -> bool {
        let before = std::mem::replace(&mut self.by_value, by_value);
        before.iter().zip(&self.by_value).any(|(before, now)| *before && !now)
    }

    /// The number of a term.
    pub(super) fn of_term(&mut self, store: &Store, term: Cell, numbers: NumberEquality) -> i64 {
        match store.look(term) {
            Term::Float(value) if numbers == NumberEquality::ByValue && value.fract() == 0.0 => {
                self.of_whole(BigInt::from_f64(value).expect("infinite floats have no fraction to compare"))
            }
            Term::Int(value) if TermCodes::of_integer(value).is_some() => value * 2,
            Term::Atom(name) => match self.by_atom.get(&name) {
                Some(code) => *code,
                None => {
                    let code = self.of_text(store, term);
                    self.by_atom.insert(name, code);
                    code
                }
            },
            _ => self.of_text(store, term),
        }
    }

    fn of_whole(&mut self, value: BigInt) -> i64 {
        match i64::try_from(&value).ok().and_then(TermCodes::of_integer) {
            Some(code) => code,
            None => self.of_written(value.to_string(), None),
        }
    }

    /// Two terms without strings are the same exactly if their texts are, with variables numbered in order of first
    /// occurrence.
    fn of_text(&mut self, store: &Store, term: Cell) -> i64 {
        let mut tree = store.save(term);
        let written = |tree: &Tree| print::to_string(tree, tree.root(), &OPERATORS, &Style::writeq());
        let shown = written(&tree);
        let mut has_strings = false;
        for id in 0..tree.len() as NodeId {
            if let Node::Str(text) = tree.node(id)
                && **text != *atoms::NIL.as_str()
            {
                let atom = Node::Atom(Atom::new(text));
                tree.replace(id, atom);
                has_strings = true;
            }
        }
        match has_strings {
            true => self.of_written(written(&tree), Some(shown)),
            false => self.of_written(shown, None),
        }
    }

    /// The number of a text, which may be shown in another way.
    fn of_written(&mut self, text: String, shown: Option<String>) -> i64 {
        let next = self.texts.len() as i64 * 2 + 1;
        let texts = &mut self.texts;
        *self.by_text.entry(text).or_insert_with_key(|text| {
            texts.push(shown.unwrap_or_else(|| text.clone()));
            next
        })
    }

    /// The text of the term with a number.
    pub(super) fn text(&self, code: i64) -> String {
        if code % 2 == 0 {
            return (code / 2).to_string();
        }
        let text = &self.texts[(code / 2) as usize];
        match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.clone(),
        }
    }

    /// Bytes that the terms take.
    pub(super) fn bytes(&self) -> usize {
        self.texts.iter().map(|text| 2 * (text.len() + 48)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_terms_have_equal_numbers() {
        let (mut store, mut codes) = (Store::new(), TermCodes::default());
        let terms =
            ["1", "1.0", "\"a\"", "f(X, Y)", "f(X, X)", "[1]", "-1", "9223372036854775807", "'1'", "[]", "\"[]\""];
        let read = |store: &mut Store, text| crate::builtins::trace::values::text_terms::read_term(store, text);
        let numbers: Vec<i64> = terms
            .map(|text| read(&mut store, text))
            .map(|term| codes.of_term(&store, term, NumberEquality::OfTerms))
            .into();
        for (place, number) in numbers.iter().enumerate() {
            assert!(!numbers[..place].contains(number), "{}", terms[place]);
            let again = read(&mut store, terms[place]);
            assert_eq!(codes.of_term(&store, again, NumberEquality::OfTerms), *number);
        }
        assert_eq!(codes.text(numbers[2]), "\"a\"");
        assert_eq!(codes.text(numbers[6]), "-1");
        let equal = [
            ("a", "\"a\""),
            ("f([\"b\"], 'c d')", "f([b], \"c d\")"),
            ("\"1\"", "'1'"),
            ("1", "1.0"),
            ("-3.0", "-3"),
            ("0", "-0.0"),
            ("9223372036854775808", "9223372036854775808.0"),
        ];
        for pair in equal {
            let [one, other] = <[&str; 2]>::from(pair)
                .map(|text| read(&mut store, text))
                .map(|term| codes.of_term(&store, term, NumberEquality::ByValue));
            assert_eq!(one, other, "{pair:?}");
        }
    }
}
