//! Terms from the texts of a trace: a fast path for the syntax of most arguments, and the general reader for the rest.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::engine::{Cell, Store};
use crate::formats::json::terms::quoted_length;
use crate::formats::lines::text::unescaped;
use crate::syntax::{NumberLiteral, ReadFlags, parse_number, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// Texts of a trace are read with the standard operators, whatever a script declares.
pub(crate) static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// The term of a single text; a text that is not a term becomes a string.
pub(crate) fn read_term(store: &mut Store, text: &str) -> Cell {
    TextTerms::default().read(store, text)
}

/// Texts that share variables: a name denotes the same variable in all of them.
#[derive(Default)]
pub(crate) struct TextTerms {
    variables: Vec<(String, Cell)>,
}

/// An open bracket of the fast path.
enum OpenBracket {
    /// A compound: its name, and the index of its first argument among the items.
    Compound(Atom, usize),
    List(usize),
    /// A list, after its bar.
    Tail(usize),
    /// An object of JSON, whose keys and values are items in turn.
    Object(usize),
}

impl TextTerms {
    /// The term of a text; a text that is not a term becomes a string.
    pub(crate) fn read(&mut self, store: &mut Store, text: &str) -> Cell {
        let n_variables = self.variables.len();
        let quick = PlainTermReader { text, at: 0, terms: self };
        if let Some(term) = quick.term(store) {
            return term;
        }
        self.variables.truncate(n_variables);
        let Ok(mut read) = read_goal(text, &OPERATORS, &ReadFlags::default()) else { return store.string(text) };
        make_objects(&mut read.tree);
        let (term, numbers) = store.load(&read.tree);
        for (name, number, ..) in &read.variables {
            let variable = self.variable(store, name);
            store.unify(variable, numbers[*number as usize]);
        }
        term
    }

    fn variable(&mut self, store: &mut Store, name: &str) -> Cell {
        if name == "_" {
            return store.new_var();
        }
        if let Some((_, variable)) = self.variables.iter().find(|(known, _)| known == name) {
            return *variable;
        }
        let variable = store.new_var();
        self.variables.push((name.into(), variable));
        variable
    }
}

/// Makes `json([k=v])` of each `{"k":v}` in a term, as the fast path does.
fn make_objects(tree: &mut Tree) {
    let root = tree.root();
    let new_root = object_of(tree, root).unwrap_or(root);
    let mut id = 0;
    while (id as usize) < tree.len() {
        for index in 0..tree.args(id).len() {
            if let Some(object) = object_of(tree, tree.args(id)[index]) {
                tree.replace_arg(id, index, object);
            }
        }
        id += 1;
    }
    tree.set_root(new_root);
}

/// The object that a term `{"k":v, ...}` is, as a new part of the tree.
fn object_of(tree: &mut Tree, term: NodeId) -> Option<NodeId> {
    let mut rest = Some(*tree.args(term).first().filter(|_| tree.functor(term) == Some((atoms::CURLY, 1)))?);
    let (mut pairs, at) = (Vec::new(), tree.span(term));
    while let Some(these) = rest {
        let (first, others) = match (tree.functor(these), tree.args(these)) {
            (Some((atoms::COMMA, 2)), &[first, others]) => (first, Some(others)),
            _ => (these, None),
        };
        let (Some((atoms::COLON, 2)), &[key, value]) = (tree.functor(first), tree.args(first)) else { return None };
        let Node::Str(key) = tree.node(key) else { return None };
        pairs.push((Atom::new(key), value));
        rest = others;
    }
    let mut list = tree.push(Node::Atom(atoms::NIL), at);
    for (key, value) in pairs.into_iter().rev() {
        let key = tree.push(Node::Atom(key), at);
        let pair = tree.push_compound(atoms::EQUALS, &[key, value], at);
        list = tree.push_compound(atoms::DOT, &[pair, list], at);
    }
    Some(tree.push_compound(atoms::JSON, &[list], at))
}

/// The fast path: a reader of terms without operators and escapes, which gives up on anything else.
struct PlainTermReader<'t, 'v> {
    text: &'t str,
    at: usize,
    terms: &'v mut TextTerms,
}

impl<'t> PlainTermReader<'t, '_> {
    fn term(mut self, store: &mut Store) -> Option<Cell> {
        let mut frames: Vec<OpenBracket> = Vec::new();
        let mut items: Vec<Cell> = Vec::new();
        loop {
            let opened = frames.len();
            if let Some(item) = self.primary(store, &mut frames, items.len())? {
                items.push(item);
            }
            if frames.len() > opened {
                if let Some(OpenBracket::Object(_)) = frames.last() {
                    items.push(self.key()?);
                }
                continue;
            }
            loop {
                self.skip_layout();
                let Some(frame) = frames.last_mut() else {
                    return (self.at == self.text.len()).then(|| items.pop()).flatten();
                };
                match (self.bump()?, &frame) {
                    (b',', OpenBracket::Compound(..) | OpenBracket::List(_)) => break,
                    (b',', OpenBracket::Object(_)) => {
                        items.push(self.key()?);
                        break;
                    }
                    (b'}', OpenBracket::Object(start)) => {
                        let pairs: Vec<Cell> =
                            items[*start..].chunks(2).map(|pair| store.compound(atoms::EQUALS, pair)).collect();
                        let pairs = store.list(&pairs);
                        items.truncate(*start);
                        items.push(store.compound(atoms::JSON, &[pairs]));
                    }
                    (b'|', OpenBracket::List(start)) => {
                        *frame = OpenBracket::Tail(*start);
                        break;
                    }
                    (b')', OpenBracket::Compound(name, start)) => {
                        let term = store.compound(*name, &items[*start..]);
                        items.truncate(*start);
                        items.push(term);
                    }
                    (b']', OpenBracket::List(start)) => {
                        let term = store.list(&items[*start..]);
                        items.truncate(*start);
                        items.push(term);
                    }
                    (b']', OpenBracket::Tail(start)) => {
                        let (tail, start) = (items.pop()?, *start);
                        let term = store.list_with_tail(&items[start..], tail);
                        items.truncate(start);
                        items.push(term);
                    }
                    _ => return None,
                }
                frames.pop();
            }
        }
    }

    /// A complete term, or none inside after an opened bracket; none outside for a text that is not understood.
    fn primary(&mut self, store: &mut Store, frames: &mut Vec<OpenBracket>, n_items: usize) -> Option<Option<Cell>> {
        self.skip_layout();
        let byte = self.peek()?;
        match byte {
            b'0'..=b'9' => self.number(store).map(Some),
            b'-' if self.text.as_bytes().get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                self.number(store).map(Some)
            }
            b'{' if self.text.as_bytes().get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                frames.push(OpenBracket::Object(n_items));
                Some(None)
            }
            b'-' if self.ends_at(self.at + 1) => {
                self.at += 1;
                Some(Some(Cell::atom(atoms::MINUS)))
            }
            b'[' => {
                self.at += 1;
                self.skip_layout();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return (self.peek() != Some(b'(')).then_some(Some(Cell::NIL));
                }
                frames.push(OpenBracket::List(n_items));
                Some(None)
            }
            b'a'..=b'z' => {
                let name = self.word();
                self.name(name, frames, n_items)
            }
            b'\'' => {
                let name = self.quoted(b'\'')?;
                self.name(name, frames, n_items)
            }
            b'"' => {
                let text = self.string()?;
                Some(Some(store.string(&text)))
            }
            b'_' | b'A'..=b'Z' => {
                let name = self.word();
                Some(Some(self.terms.variable(store, name)))
            }
            _ => None,
        }
    }

    /// An atom, or the opening of a compound; an operator that may be a prefix is left to the general reader.
    fn name(&mut self, name: &str, frames: &mut Vec<OpenBracket>, n_items: usize) -> Option<Option<Cell>> {
        let name = Atom::new(name);
        if self.peek() == Some(b'(') {
            self.at += 1;
            frames.push(OpenBracket::Compound(name, n_items));
            return Some(None);
        }
        (!OPERATORS.is_op(name)).then(|| Some(Cell::atom(name)))
    }

    /// A key of an object, and the colon after it.
    fn key(&mut self) -> Option<Cell> {
        self.skip_layout();
        let key = Atom::new(&self.string()?);
        self.skip_layout();
        (self.bump()? == b':').then_some(Cell::atom(key))
    }

    fn number(&mut self, store: &mut Store) -> Option<Cell> {
        let start = self.at;
        self.at += 1;
        while !self.ends_at(self.at) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at)?;
        if let Ok(value) = text.parse() {
            return Some(store.int(value));
        }
        match parse_number(text)? {
            NumberLiteral::Int(value) => Some(store.int(value)),
            NumberLiteral::BigInt(value) => Some(store.bigint(value)),
            NumberLiteral::Float(value) => Some(store.float(value)),
        }
    }

    /// The characters of a text in double quotes.
    fn string(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at;
        if let Some(text) = self.quoted(b'"') {
            return Some(Cow::Borrowed(text));
        }
        let text = self.text;
        let length = quoted_length(&text[start..], '"');
        self.at = start + length;
        let inner = text[start..self.at].strip_prefix('"')?.strip_suffix('"')?;
        Some(Cow::Owned(unescaped(inner, '"')))
    }

    /// Letters, digits and underscores; a letter beyond ASCII ends the word, which leaves the text to the general
    /// reader.
    fn word(&mut self) -> &'t str {
        let text = self.text;
        let rest = &text.as_bytes()[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let word = &text[self.at..self.at + length];
        self.at += length;
        word
    }

    /// The text between quotes, if it has no escapes.
    fn quoted(&mut self, quote: u8) -> Option<&'t str> {
        let text = self.text;
        let inner = &text[self.at + 1..];
        let length = memchr::memchr3(quote, b'\\', b'\n', inner.as_bytes())?;
        let is_whole = inner.as_bytes()[length] == quote && inner.as_bytes().get(length + 1) != Some(&quote);
        self.at += length + 2;
        is_whole.then(|| &inner[..length])
    }

    /// Whether a term may end here.
    fn ends_at(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_none_or(|byte| matches!(byte, b',' | b')' | b']' | b'}' | b'|' | b' '))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_layout(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }
}

/// An integer of any size from its digits.
pub(crate) fn big_integer(store: &mut Store, digits: &str) -> Cell {
    match parse_number(digits) {
        Some(NumberLiteral::BigInt(value)) => store.bigint(value),
        Some(NumberLiteral::Int(value)) => store.int(value),
        _ => store.string(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::print::{self, Style};

    fn written(text: &str) -> String {
        let mut store = Store::new();
        let term = read_term(&mut store, text);
        print::to_string(&store, term, &OPERATORS, &Style::writeq())
    }

    #[test]
    fn both_readers_read_the_same() {
        let texts = [
            "a",
            "-",
            "- 1",
            "-1",
            "3 - 8",
            "[a,b|c]",
            "[]",
            "f(a,[1,2],'x y',\"s\")",
            "[[],[]]",
            "'it''s'",
            "'a\\nb'",
            "1.5",
            "0'a",
            "{a}",
            "f(-)",
            "-(1)",
            "[a|[b]]",
            "mod",
            "f(:-)",
            "1_000",
            "0x1F",
            "[-]",
            "\"a\\\"b\"",
            "é",
            "f(é)",
            "state('<<c_pointer>>')",
            "a:b",
            "f((a,b))",
            "1.5e3",
            "0'\\n",
            "123456789012345678901",
            "\"tab\\t, quote\"\"\"",
            "[-1.5|t]",
            "1-2",
            "{a,b}",
        ];
        for text in texts {
            let read = read_goal(text, &OPERATORS, &ReadFlags::default()).expect("these are terms");
            let mut store = Store::new();
            let (term, _) = store.load(&read.tree);
            assert_eq!(written(text), print::to_string(&store, term, &OPERATORS, &Style::writeq()), "{text}");
        }
    }

    #[test]
    fn objects_of_json_are_their_pairs() {
        for (text, term) in [
            ("{\"a\":1, \"B c\":[-1.5,null,\"x\\\"y\"]}", "json([a=1,'B c'=[-1.5,null,\"x\\\"y\"]])"),
            ("f({\"a\":{\"b\":-1}}, -)", "f(json([a=json([b= -1])]),-)"),
            ("{\"a\"}", "{\"a\"}"),
            ("{}", "{}"),
        ] {
            assert_eq!(written(text), term, "{text}");
        }
    }

    #[test]
    fn what_is_no_term_is_a_string() {
        for text in ["", "f(", "a b", "[1, 2", "<<foreign>>", "f(a))", "a. b", "'open"] {
            let mut store = Store::new();
            let term = read_term(&mut store, text);
            assert!(matches!(store.look(term), crate::engine::Term::Str(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_name_stands_for_the_same_variable_in_all_arguments() {
        let (mut store, mut terms) = (Store::new(), TextTerms::default());
        let [first, second, third] = ["_G1", "f(_G1, _)", "_G1 + 1"].map(|text| terms.read(&mut store, text));
        let one = store.int(1);
        assert!(store.unify(first, one));
        let all = store.list(&[second, third]);
        let style = Style { names: None, ..Style::writeq() };
        let text = print::to_string(&store, all, &OPERATORS, &style);
        assert!(text.starts_with("[f(1,_") && text.ends_with("),1+1]"), "{text}");
    }

    #[test]
    fn nesting_is_no_depth_of_calls() {
        let depth = 200_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let mut store = Store::new();
        let term = read_term(&mut store, &text);
        assert!(matches!(store.look(term), crate::engine::Term::Compound(_)));
    }
}
