//! Numbers for the values of variables: equal values get equal numbers. As in a constraint, a text is the same value as
//! the atom with its characters.

use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::engine::{Cell, Store, Term};
use crate::term::hash::{HashMap, NumberMap};
use crate::term::print::{self, Style};
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// The terms that have a number; an integer is its own number.
#[derive(Default)]
pub(super) struct TermCodes {
    texts: Vec<String>,
    by_text: HashMap<String, i64>,
    by_atom: NumberMap<Atom, i64>,
}

/// The most characters of a value in a message.
const MAX_SHOWN: usize = 200;

impl TermCodes {
    /// The number of an integer, if it is not too large.
    pub(super) fn of_integer(value: i64) -> Option<i64> {
        value.checked_mul(2)
    }

    /// The number of a term.
    pub(super) fn of_term(&mut self, store: &Store, term: Cell) -> i64 {
        match store.look(term) {
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
        let text = if has_strings { written(&tree) } else { shown.clone() };
        let next = self.texts.len() as i64 * 2 + 1;
        *self.by_text.entry(text).or_insert_with(|| {
            self.texts.push(shown);
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
        let numbers: Vec<i64> = terms.map(|text| read(&mut store, text)).map(|term| codes.of_term(&store, term)).into();
        for (place, number) in numbers.iter().enumerate() {
            assert!(!numbers[..place].contains(number), "{}", terms[place]);
            let again = read(&mut store, terms[place]);
            assert_eq!(codes.of_term(&store, again), *number);
        }
        assert_eq!(codes.text(numbers[2]), "\"a\"");
        assert_eq!(codes.text(numbers[6]), "-1");
        for (one, other) in [("a", "\"a\""), ("f([\"b\"], 'c d')", "f([b], \"c d\")"), ("\"1\"", "'1'")] {
            let [one, other] = [one, other].map(|text| read(&mut store, text)).map(|term| codes.of_term(&store, term));
            assert_eq!(one, other);
        }
    }
}
