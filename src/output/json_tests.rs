//! Tests of terms and events as JSON.

use super::*;
use crate::term::{Node, NodeId, Span, Tree};

fn written(build: impl FnOnce(&mut Tree) -> NodeId) -> String {
    let mut tree = Tree::new();
    let root = build(&mut tree);
    to_string(&term_as_json(&tree, root))
}

fn leaf(tree: &mut Tree, node: Node) -> NodeId {
    tree.push(node, Span::default())
}

fn list(tree: &mut Tree, items: &[NodeId], tail: NodeId) -> NodeId {
    items.iter().rev().fold(tail, |tail, &item| tree.push_compound(atoms::DOT, &[item, tail], Span::default()))
}

#[test]
fn terms_have_the_form_that_the_commands_promise() {
    let text = written(|tree| {
        let name = leaf(tree, Node::Atom(Atom::new("it's \"x\"")));
        let number = leaf(tree, Node::Int(-7));
        let float = leaf(tree, Node::Float(0.5));
        let big = leaf(tree, Node::BigInt("123456789012345678901".parse().expect("digits")));
        let text = leaf(tree, Node::Str("a\n\u{1b}".into()));
        let variable = leaf(tree, Node::Var(1));
        let nil = leaf(tree, Node::Atom(atoms::NIL));
        let inner = list(tree, &[float, big], nil);
        let args = [name, number, inner, text, variable, nil];
        tree.push_compound(Atom::new("f"), &args, Span::default())
    });
    let expected =
        r#"{"functor": "f", "args": ["it's \"x\"", -7, [0.5, 123456789012345678901], "a\n\u001b", {"var": "_1"}, []]}"#;
    assert_eq!(text, expected);
}

#[test]
fn a_list_without_an_end_is_a_compound() {
    let text = written(|tree| {
        let (one, two, rest) = (leaf(tree, Node::Int(1)), leaf(tree, Node::Int(2)), leaf(tree, Node::Var(0)));
        list(tree, &[one, two], rest)
    });
    assert_eq!(text, r#"{"functor": ".", "args": [1, {"functor": ".", "args": [2, {"var": "_0"}]}]}"#);
}

#[test]
fn a_term_that_stands_for_an_object_is_an_object() {
    let object = |keys: &[&str]| {
        written(|tree| {
            let pair = |tree: &mut Tree, key: &&str| {
                let parts = [leaf(tree, Node::Atom(Atom::new(key))), leaf(tree, Node::Atom(atoms::TRUE))];
                tree.push_compound(atoms::EQUALS, &parts, Span::default())
            };
            let pairs: Vec<NodeId> = keys.iter().map(|key| pair(tree, key)).collect();
            let nil = leaf(tree, Node::Atom(atoms::NIL));
            let pairs = list(tree, &pairs, nil);
            tree.push_compound(atoms::JSON, &[pairs], Span::default())
        })
    };
    assert_eq!(object(&[]), "{}");
    assert_eq!(object(&["a", "b\"c"]), r#"{"a": true, "b\"c": true}"#);
    assert!(object(&["a", "a"]).starts_with(r#"{"functor": "json", "args": [["#));
}

#[test]
fn floats_that_json_lacks_are_strings() {
    for (value, expected) in
        [(f64::NAN, "\"nan\""), (f64::INFINITY, "\"inf\""), (f64::NEG_INFINITY, "\"-inf\""), (1.0, "1.0")]
    {
        assert_eq!(written(|tree| leaf(tree, Node::Float(value))), expected);
    }
}

#[test]
fn deep_terms_and_long_lists_are_written_without_recursion() {
    let n = 1_000_000;
    let text = written(|tree| {
        let start = leaf(tree, Node::Int(0));
        (0..n).fold(start, |inner, _| tree.push_compound(Atom::new("f"), &[inner], Span::default()))
    });
    assert!(text.ends_with(&"]}".repeat(n)));
    let text = written(|tree| {
        let item = leaf(tree, Node::Int(7));
        let rest = leaf(tree, Node::Var(0));
        list(tree, &vec![item; n], rest)
    });
    assert_eq!(text.matches("\"args\": [7, ").count(), n);
}
