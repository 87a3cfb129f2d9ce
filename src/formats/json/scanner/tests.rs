//! What a caller takes from a text, and where faults are found.

use super::*;

fn checked(text: &str) -> Result<(), JsonError> {
    let mut scanner = JsonScanner::new(text);
    scanner.skip()?;
    scanner.end()
}

#[test]
fn the_caller_takes_values_in_the_order_of_the_text() {
    let text = r#" {"a" : 1.50, "b\n": ["x", {"c": []}, null], "a": -2, "d": {"e": true}} "#;
    let mut scanner = JsonScanner::new(text);
    let mut found = Vec::new();
    scanner.begin_object().expect("an object");
    while let Some(key) = scanner.next_key().expect("a key") {
        if key == "b\n" {
            scanner.begin_array().expect("an array");
            while scanner.next_element().expect("an element") {
                found.push((key.clone(), scanner.value().expect("a value")));
            }
            continue;
        }
        found.push((key, scanner.value().expect("a value")));
    }
    scanner.end().expect("nothing follows");
    let b = |value| (Cow::Borrowed("b\n"), value);
    assert_eq!(
        found,
        [
            (Cow::Borrowed("a"), Json::Decimal("1.50")),
            b(Json::Text("x".into())),
            b(Json::Nested(r#"{"c": []}"#)),
            b(Json::Null),
            (Cow::Borrowed("a"), Json::Integer("-2")),
            (Cow::Borrowed("d"), Json::Nested(r#"{"e": true}"#)),
        ]
    );
}

#[test]
fn a_guessed_key_is_taken_only_where_it_stands_next() {
    let mut scanner = JsonScanner::new(r#"{"a":1, "b":{"c":2},"d" :3}"#);
    scanner.begin_object().expect("an object");
    assert!(!scanner.passes_plain_key("b") && !scanner.passes_plain_key("") && scanner.clone().passes_plain_key("a"));
    assert!(!scanner.passes_key(b"\"b\":") && scanner.passes_key(b"\"a\":"));
    assert_eq!(scanner.value(), Ok(Json::Integer("1")));
    assert!(!scanner.passes_key(b"\"a\":") && scanner.passes_key(b"\"b\":"));
    scanner.begin_object().expect("an object");
    assert!(!scanner.passes_key(b"\"d\":") && scanner.passes_key(b"\"c\":"));
    assert_eq!(scanner.value(), Ok(Json::Integer("2")));
    assert!(!scanner.passes_key(b"\"d\":") && scanner.next_key() == Ok(None));
    assert!(!scanner.passes_key(b"\"d\":") && scanner.next_key() == Ok(Some("d".into())));
    assert_eq!((scanner.value(), scanner.offset(), scanner.next_key()), (Ok(Json::Integer("3")), 26, Ok(None)));
    assert!(!scanner.passes_key(b"\"d\":") && scanner.end().is_ok());
}

#[test]
fn every_fault_is_found_where_it_stands() {
    for (text, at) in [
        ("", 0),
        ("{\"a\":1", 6),
        ("{\"a\" 1}", 5),
        ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("[1}", 2),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("1e+", 3),
        ("\"a\nb\"", 2),
        ("\"a\\x\"", 2),
        ("\"a\\u00g0\"", 2),
        ("\"abcdefghijk", 12),
        ("tru", 0),
        ("nul]", 0),
        ("[] []", 3),
    ] {
        assert_eq!(checked(text).expect_err(text).at, at, "{text:?}");
    }
}

#[test]
fn what_writers_write_is_read() {
    for text in [
        "[NaN, -Infinity, Infinity]",
        r#""\u00e9\ud800\"\\/""#,
        "[[],{},[{}]]",
        "-0.5e-3",
        "\"é\u{7f}\"",
        "{\"\":{\"\":[]}}",
    ] {
        assert_eq!(checked(text), Ok(()), "{text}");
    }
}

#[test]
fn nesting_has_a_limit_and_no_recursion() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(checked(&nested(128)), Ok(()));
    assert_eq!(checked(&nested(129)).expect_err("too deep").at, 128);
    assert_eq!(checked(&"{\"a\":[".repeat(1 << 20)).expect_err("too deep").at, 128 / 2 * 6);
}
