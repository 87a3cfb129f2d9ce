//! Properties of all texts and terms: printing and reading back, random bytes, terms of any size.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::syntax::tokens::{EndDot, Tokens};
use crate::syntax::{ReadFlags, Reader, read_goal};
use crate::term::ops::{OpKind, OpPlace, OpTable};
use crate::term::print::{ListNotation, Spacing, Style, to_string};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The standard operators and one of each kind at a priority that others have too.
fn many_operators() -> OpTable {
    let mut ops = OpTable::standard();
    let extra = [
        (200, OpKind::Fx, "fx"),
        (700, OpKind::Fy, "fy"),
        (700, OpKind::Xf, "xf"),
        (200, OpKind::Yf, "yf"),
        (200, OpKind::Yfx, "yfx"),
        (999, OpKind::Xfy, "+++"),
        (1000, OpKind::Yfx, "un quoted"),
        (500, OpKind::Fy, "Big"),
    ];
    for (priority, kind, name) in extra {
        ops.add(priority, kind, Atom::new(name));
    }
    ops
}

const NAMES: &[&str] = &[
    "a",
    "b",
    "-",
    "+",
    "*",
    "=",
    ":-",
    ",",
    "|",
    ";",
    "!",
    "[]",
    "{}",
    "\\+",
    "\\",
    "^",
    "**",
    "is",
    "mod",
    "dynamic",
    "-->",
    "->",
    "fx",
    "fy",
    "xf",
    "yf",
    "yfx",
    "+++",
    "un quoted",
    "Big",
    "Hello",
    "a b",
    "",
    ".",
    "..",
    "/*",
    "%",
    "é",
    "÷",
    "'",
    "\\n\n",
    "$VAR",
    "@",
    "table",
    ":",
    "?-",
    "and",
    "_x",
    "0",
];

/// The standard operators or none, and random others: a name may be prefix, infix and postfix at once.
fn any_operators() -> impl Strategy<Value = OpTable> {
    let base = prop_oneof![Just(OpTable::standard()), Just(OpTable::default())];
    let one = (prop::sample::select(PRIORITIES), prop::sample::select(KINDS), prop::sample::select(NAMES));
    (base, prop::collection::vec(one, 0..40)).prop_map(|(mut ops, chosen)| {
        for (priority, kind, name) in chosen {
            let name = Atom::new(name);
            let may_be = match name {
                atoms::COMMA | atoms::NIL | atoms::CURLY => false,
                atoms::BAR => kind.place() == OpPlace::Infix && priority > 1000,
                _ => true,
            };
            if may_be {
                ops.add(priority, kind, name);
            }
        }
        ops
    })
}

const PRIORITIES: &[u16] = &[1, 200, 700, 999, 1000, 1001, 1200];
const KINDS: &[OpKind] = &[OpKind::Xfx, OpKind::Xfy, OpKind::Yfx, OpKind::Fy, OpKind::Fx, OpKind::Xf, OpKind::Yf];

/// Operators that share a few priorities, so that brackets between them matter.
const ONE_SIDED: &[&str] = &["-", "+", "fx", "fy", "xf", "yf", "\\+", "Big"];
const BETWEEN: &[&str] = &["-", "yfx", "^", "**", "=", "un quoted", "+++", ",", ":-", "|"];

#[derive(Clone, Debug)]
enum RandomTerm {
    Leaf(Node),
    Compound(&'static str, Vec<RandomTerm>),
}

fn term() -> impl Strategy<Value = RandomTerm> {
    let leaf = prop_oneof![
        3 => prop::sample::select(NAMES).prop_map(|name| RandomTerm::Leaf(Node::Atom(Atom::new(name)))),
        2 => (-3i64..4).prop_map(|value| RandomTerm::Leaf(Node::Int(value))),
        1 => any::<i64>().prop_map(|value| RandomTerm::Leaf(Node::Int(value))),
        1 => any::<f64>().prop_filter("numbers", |v| !v.is_nan()).prop_map(|value| RandomTerm::Leaf(Node::Float(value))),
        1 => (0u32..3).prop_map(|number| RandomTerm::Leaf(Node::Var(number))),
        1 => "\\PC*".prop_map(|text| RandomTerm::Leaf(Node::Str(text.into()))),
        1 => any::<String>().prop_map(|name| RandomTerm::Leaf(Node::Atom(Atom::new(&name)))),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        prop_oneof![
            4 => (prop::sample::select(NAMES), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(name, args)| RandomTerm::Compound(name, args)),
            3 => (prop::sample::select(ONE_SIDED), inner.clone()).prop_map(|(name, arg)| RandomTerm::Compound(name, vec![arg])),
            3 => (prop::sample::select(BETWEEN), inner.clone(), inner.clone())
                .prop_map(|(name, left, right)| RandomTerm::Compound(name, vec![left, right])),
            1 => (inner.clone(), inner).prop_map(|(head, tail)| RandomTerm::Compound(".", vec![head, tail])),
        ]
    })
}

fn build(term: &RandomTerm, tree: &mut Tree) -> NodeId {
    match term {
        RandomTerm::Leaf(node) => tree.push(node.clone(), Span::default()),
        RandomTerm::Compound(name, args) => {
            let args: Vec<NodeId> = args.iter().map(|arg| build(arg, tree)).collect();
            tree.push_compound(Atom::new(name), &args, Span::default())
        }
    }
}

/// Whether two trees are the same term, up to the numbers of variables.
fn is_variant(left: &Tree, right: &Tree) -> bool {
    let mut pairs = vec![(left.root(), right.root())];
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    while let Some((l, r)) = pairs.pop() {
        let same = match (left.node(l), right.node(r)) {
            (Node::Var(a), Node::Var(b)) => *there.entry(*a).or_insert(*b) == *b && *back.entry(*b).or_insert(*a) == *a,
            (Node::Float(a), Node::Float(b)) => a.to_bits() == b.to_bits(),
            (Node::Compound { .. }, Node::Compound { .. }) => left.functor(l) == right.functor(r),
            (a, b) => a == b,
        };
        if !same {
            return false;
        }
        pairs.extend(left.args(l).iter().copied().zip(right.args(r).iter().copied()));
    }
    true
}

fn styles() -> impl Strategy<Value = Style<'static>> {
    let spacing = prop::sample::select(vec![Spacing::Dense, Spacing::NextArgument, Spacing::Wide]);
    let lists = prop::sample::select(vec![ListNotation::AsOperators, ListNotation::Dots]);
    (spacing, lists, any::<bool>()).prop_map(|(spacing, lists, ignore_ops)| Style {
        quoted: true,
        ignore_ops,
        spacing,
        lists,
        ..Style::default()
    })
}

fn reads_back(term: &RandomTerm, style: &Style, ops: &OpTable) -> Result<(), TestCaseError> {
    let mut tree = Tree::new();
    build(term, &mut tree);
    let text = to_string(&tree, tree.root(), ops, style);
    let again = read_goal(&text, ops, &ReadFlags::default());
    let again = again.map_err(|error| TestCaseError::fail(format!("`{text}`: {error}")))?;
    let found = to_string(&again.tree, again.tree.root(), ops, &Style::canonical());
    prop_assert!(is_variant(&tree, &again.tree), "`{text}` reads as `{found}`");
    Ok(())
}

proptest! {
    #![proptest_config(crate::term::cases::cases(500))]

    #[test]
    fn printed_terms_read_back_as_themselves(term in term(), style in styles()) {
        reads_back(&term, &style, &many_operators())?;
    }

    #[test]
    fn printed_terms_read_back_as_themselves_with_any_operators(
        term in term(), style in styles(), ops in any_operators()
    ) {
        reads_back(&term, &style, &ops)?;
    }

    #[test]
    fn integers_of_any_length_are_read(digits in "[1-9][0-9]{0,5000}") {
        let expected: num_bigint::BigInt = digits.parse().expect("they are digits");
        let tree = read_goal(&digits, &OpTable::standard(), &ReadFlags::default()).expect("it is a term").tree;
        match tree.node(tree.root()) {
            Node::Int(value) => prop_assert_eq!(num_bigint::BigInt::from(*value), expected),
            Node::BigInt(value) => prop_assert_eq!(value, &expected),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn any_text_ends_in_terms_or_errors(text in any::<String>()) {
        read_to_the_end(&text);
    }

    #[test]
    fn any_tokens_end_in_terms_or_errors(tokens in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        read_to_the_end(&tokens.concat());
    }
}

const PIECES: &[&str] = &[
    "a", "X", "1", "1.5", "0'", "'", "\"", "`", "\\", "(", ")", "[", "]", "{", "}", ",", "|", ".", ". ", " ", "\n",
    "-", ":-", "=", "/*", "*/", "%", "f(", "-(", "\\+", "dynamic", "é", "÷", "\u{200b}", "\0", "x41\\", "0x", "1_0",
    "16'", "mod", "_", "'a'", "\"b\"",
];

/// Every read makes progress, and the last one ends at the end of the text.
fn read_to_the_end(text: &str) {
    let (ops, flags) = (many_operators(), ReadFlags::default());
    let mut reader = Reader::new(text);
    loop {
        let before = reader.position();
        let read = reader.read(&ops, &flags);
        if let Ok(None) = read {
            break;
        }
        assert!(reader.position() > before, "no progress at {before} of {text:?}");
    }
    assert_eq!(reader.position(), text.len());
    let _ = read_goal(text, &ops, &flags);
    let _ = Tokens::new(text, 0, EndDot::Forgiven).count();
}

/// Reads, prints and drops `text`, which is too deep or long for recursion on the native stack.
fn survives(text: &str, n_nodes: usize) {
    let ops = OpTable::standard();
    let term = read_goal(text, &ops, &ReadFlags::default()).expect("it is a term");
    assert_eq!(term.tree.len(), n_nodes);
    let printed = to_string(&term.tree, term.tree.root(), &ops, &Style::writeq());
    let again = read_goal(&printed, &ops, &ReadFlags::default()).expect("it is a term");
    assert!(is_variant(&term.tree, &again.tree));
}

const MANY: usize = 1_000_000;

#[test]
fn a_million_round_brackets() {
    survives(&format!("{}x{}", "(".repeat(MANY), ")".repeat(MANY)), 1);
}

#[test]
fn a_million_nested_compounds() {
    survives(&format!("{}x{}", "f(".repeat(MANY), ")".repeat(MANY)), MANY + 1);
}

#[test]
fn a_million_nested_lists() {
    survives(&format!("{}{}", "[".repeat(MANY), "]".repeat(MANY)), 2 * MANY - 1);
}

#[test]
fn a_million_prefix_operators() {
    survives(&format!("{}x", "- ".repeat(MANY)), MANY + 1);
}

#[test]
fn a_million_commas() {
    survives(&format!("{}x", "a,".repeat(MANY)), 2 * MANY + 1);
}

#[test]
fn a_million_sums_to_the_left() {
    survives(&format!("{}x", "a+".repeat(MANY)), 2 * MANY + 1);
}

#[test]
fn a_million_elements() {
    survives(&format!("[{}x]", "1,".repeat(MANY)), 2 * (MANY + 1) + 1);
}

#[test]
fn a_million_open_brackets_are_one_error() {
    for text in ["(", "[", "{", "f(", "- (", "a,("] {
        let error = read_goal(&text.repeat(MANY), &OpTable::standard(), &ReadFlags::default());
        assert!(error.expect_err("nothing is closed").is_incomplete());
    }
}

#[test]
fn a_million_digits() {
    survives(&"7".repeat(MANY), 1);
}
