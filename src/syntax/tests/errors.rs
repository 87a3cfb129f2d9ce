//! Errors: their messages and spans, and that reading continues after them.

use crate::syntax::{NumberLiteral, ReadFlags, Reader, SyntaxError, parse_number, read_goal};
use crate::term::ops::OpTable;
use crate::term::print::{Style, to_string};
use crate::term::{Node, Span};

fn error(text: &str) -> SyntaxError {
    match read_goal(text, &OpTable::standard(), &ReadFlags::default()) {
        Ok(term) => panic!("`{text}` is read: {:?}", term.tree),
        Err(error) => error,
    }
}

/// A text with its wrong part between `«` and `»`, and the message.
const WRONG: &[(&str, &str)] = &[
    ("fget([port=exit«)»", "expected `]`, found `)`"),
    ("f(a«]»)", "expected `)`, found `]`"),
    ("f(a, {b«.» ", "expected `}`, found `.`"),
    ("f(a«»", "expected `)`, found the end of the text"),
    ("a«)»", "`)` closes no bracket"),
    ("«.»", "expected a term before the end dot"),
    ("f(a, «)»", "expected a term, found `)`"),
    ("f(a«:-» b)", "operator `:-` (1200) needs brackets in an argument or list"),
    ("f(a, «,» b)", "expected a term, found `,`"),
    ("[a|b«|»c]", "expected `]`, found `|`"),
    ("[a|b«,»c]", "expected `]`, found `,`"),
    ("a «b»", "expected an operator or the end dot, found `b`"),
    ("f(a «b»)", "expected `,` or `)`, found `b`"),
    ("[a «X»]", "expected `,`, `|` or `]`, found `X`"),
    ("foo «(»a)", "expected an operator or the end dot, found `(`"),
    ("X = «»", "expected a term, found the end of the text"),
    ("a :- b «:-» c", "operator `:-` (1200) cannot stand beside `:-` (1200)"),
    ("X = «\\+» a", "operator `\\+` (900) cannot stand beside `=` (700)"),
    ("«-» = x", "expected an operand, found the operator `-`"),
    ("- «-»", "expected an operand, found the operator `-`"),
    ("a = «'b c»", "this `'` has no closing `'` on its line"),
    ("«\"abc»", "this `\"` has no closing `\"` on its line"),
    ("a «/*» b", "this comment has no end"),
    ("X = «0'»", "expected a character after `0'`"),
    ("\"a«\\q»b\"", "unknown escape `\\q`"),
    ("'«\\e»'", "unknown escape `\\e`"),
    ("'«\\x»G\\'", "unknown escape `\\x`"),
    ("'«\\1»41'", "unknown escape `\\1`"),
    ("'«\\u»1'", "unknown escape `\\u`"),
    ("'«\\x110000»\\'", "no character has the code `110000`"),
    ("«1.0e400»", "`1.0e400` is too large for a float"),
    ("a «\u{1b}»", "unexpected character `\\u{1b}`"),
    ("a«.»b", "expected an operator or the end dot, found `.`"),
    ("a. «b»", "expected the end of the text after the end dot"),
    ("«»", "expected a term, found the end of the text"),
    // The first error is reported, unless a bracket is not closed or a token is illegal.
    ("f(a «b», :- c, , d)", "expected `,` or `)`, found `b`"),
    ("f(a :- b, , c«»", "expected `)`, found the end of the text"),
    ("[(a b«]»", "expected `)`, found `]`"),
    ("- = x, f(«'y»", "this `'` has no closing `'` on its line"),
    ("[a, (b«]»", "expected `)`, found `]`"),
    ("[(a)«}»", "expected `]`, found `}`"),
    ("{f(«}»", "expected `)`, found `}`"),
];

#[test]
fn every_error_has_its_message_and_span() {
    for (marked, message) in WRONG {
        let start = marked.find('«').expect("the start is marked");
        let end = marked.find('»').expect("the end is marked") - '«'.len_utf8();
        let found = error(&marked.replace(['«', '»'], ""));
        assert_eq!(found.message, *message, "{marked}");
        let place = found.span.start as usize..found.span.end as usize;
        assert!(
            place.start == start && (place.end == end || found.name == "end_of_line_in_quoted"),
            "{marked}: {place:?}"
        );
    }
}

#[test]
fn incomplete_texts_differ_from_wrong_ones() {
    for text in ["f(a", "f(", "X =", "[a|", "a :-", "/* a", "{", ""] {
        assert!(error(text).is_incomplete(), "{text}");
    }
    for text in ["f(a]", "a b", "f(a).b", "'a", "X = .", "f(.", "a. b"] {
        assert!(!error(text).is_incomplete(), "{text}");
    }
}

#[test]
fn almost_compounds_get_advice() {
    let help = |text| error(text).help.unwrap_or_default();
    assert!(help("foo (a)").contains("no blank"));
    assert!(help("Foo(a)").contains("variable"));
    assert_eq!(error("1 (a)").help, None);
}

#[test]
fn the_opening_bracket_is_named() {
    assert_eq!(error("f(a, [b)").related, Some((Span { start: 5, end: 6 }, "this `[` is not closed".to_string())));
    assert_eq!(error("foo(a, b.").related, Some((Span { start: 3, end: 4 }, "this `(` is not closed".to_string())));
}

#[test]
fn all_clauses_after_an_error_are_read() {
    let script = "a.\nb c.\nd(.\ne('x).\nf.\ng]. h. 0'\n. i. j";
    let mut reader = Reader::new(script);
    let mut seen = Vec::new();
    let ops = OpTable::standard();
    loop {
        match reader.read(&ops, &ReadFlags::default()) {
            Ok(None) => break,
            Ok(Some(term)) => seen.push(to_string(&term.tree, term.tree.root(), &ops, &Style::writeq())),
            Err(error) => seen.push(format!("error at {}", error.span.start)),
        }
    }
    assert_eq!(
        seen,
        ["a", "error at 5", "error at 10", "error at 14", "f", "error at 23", "h", "error at 29", "i", "error at 38"]
    );
}

#[test]
fn variables_are_listed_with_their_first_span() {
    let ops = OpTable::standard();
    let term = read_goal("f(X, _, Y_1, X, _z)", &ops, &ReadFlags::default()).expect("it is a term");
    let expected = [("X", 0, 2, 2), ("Y_1", 2, 8, 1), ("_z", 3, 16, 1)];
    let found: Vec<_> =
        term.variables.iter().map(|(name, n, span, count)| (name.as_str(), *n, span.start, *count)).collect();
    assert_eq!(found, expected);
    assert_eq!(term.n_variables, 4);
}

#[test]
fn many_variables_keep_their_numbers() {
    let names = |n: usize| (0..n).map(|i| format!("V{i}")).collect::<Vec<_>>().join(",");
    let text = format!("f({},{})", names(100), names(100));
    let term = read_goal(&text, &OpTable::standard(), &ReadFlags::default()).expect("it is a term");
    assert_eq!(term.variables.len(), 100);
    assert!(term.variables.iter().all(|(name, number, _, count)| *name == format!("V{number}") && *count == 2));
    for (index, arg) in term.tree.args(term.tree.root()).iter().enumerate() {
        assert_eq!(*term.tree.node(*arg), Node::Var(index as u32 % 100));
    }
}

#[test]
fn nodes_have_their_spans() {
    let text = "foo(Bar, [b, c]) :- x + y, - z";
    let term = read_goal(text, &OpTable::standard(), &ReadFlags::default()).expect("it is a term");
    let texts: Vec<&str> = (0..term.tree.len() as u32)
        .map(|id| term.tree.span(id))
        .map(|span| &text[span.start as usize..span.end as usize])
        .collect();
    for expected in ["foo(Bar, [b, c])", "Bar", "[b, c]", "c]", "x + y", "- z", "x + y, - z", text] {
        assert!(texts.contains(&expected), "{expected} in {texts:?}");
    }
}

#[test]
fn the_position_can_be_moved() {
    let (ops, flags) = (OpTable::standard(), ReadFlags::default());
    let mut reader = Reader::new("a. b. é. c.");
    reader.set_position(2);
    let term = reader.read(&ops, &flags).expect("no error").expect("a term");
    assert_eq!(term.span, Span { start: 3, end: 4 });
    assert_eq!(reader.position(), 5);
    reader.set_position(7);
    assert_eq!(reader.position(), 8);
    reader.set_position(100);
    assert_eq!(reader.read(&ops, &flags), Ok(None));
}

#[test]
fn number_texts() {
    let cases = [
        ("12", Some(NumberLiteral::Int(12))),
        (" 12", Some(NumberLiteral::Int(12))),
        ("\n /* c */ -12", Some(NumberLiteral::Int(-12))),
        ("+12", Some(NumberLiteral::Int(12))),
        ("0x1f", Some(NumberLiteral::Int(31))),
        ("0'a", Some(NumberLiteral::Int(97))),
        ("-1.5e3", Some(NumberLiteral::Float(-1500.0))),
        ("1_000", Some(NumberLiteral::Int(1000))),
        ("-9223372036854775808", Some(NumberLiteral::Int(i64::MIN))),
        ("12 ", None),
        ("- 12", Some(NumberLiteral::Int(-12))),
        ("+ 12", None),
        ("1e3", Some(NumberLiteral::Float(1000.0))),
        ("1E3", None),
        ("12a", None),
        ("a", None),
        ("", None),
        ("-", None),
        ("--1", None),
        ("1.", None),
        ("1.0e400", None),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_number(text), expected, "{text:?}");
    }
}
