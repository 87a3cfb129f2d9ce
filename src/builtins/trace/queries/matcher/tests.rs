//! What matchers say about texts is what reading and unifying gives.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell as Counter;

use crate::builtins::trace::values::text_terms::{OPERATORS, TextTerms};
use crate::builtins::trace::values::unify::unify_value;
use crate::engine::{EventPart, Store};
use crate::syntax::{ReadFlags, read_goal};
use crate::trace::{ArgTexts, AttributeId};

use super::{MatchVerdict, Matcher};

/// Whether the term that is written as `pattern` unifies with a part of the arguments; the variables of the pattern are
/// its own.
fn unifies(store: &mut Store, part: EventPart, pattern: crate::engine::Cell, text: &str) -> bool {
    let mut terms = TextTerms::default();
    let list = ArgTexts::new(text);
    let value = match part {
        EventPart::Argument(number) => match list.part(number - 1) {
            Some(text) => terms.read(store, text),
            None => return false,
        },
        EventPart::Half(_) | EventPart::Key(_) => return false,
        EventPart::Attribute(_) => {
            let items: Vec<_> = list.iter().map(|text| terms.read(store, text)).collect();
            store.list(&items)
        }
    };
    unify_value(store, pattern, value)
}

/// The verdict, and what reading and unifying gives.
fn both(part: EventPart, pattern: &str, text: &str) -> Option<(MatchVerdict, bool)> {
    let read = read_goal(pattern, &OPERATORS, &ReadFlags::default()).ok()?;
    let mut store = Store::new();
    let (term, _) = store.load(&read.tree);
    let verdict = Matcher::new(&store, part, term, &[])?.verdict(ArgTexts::new(text));
    Some((verdict, unifies(&mut store, part, term, text)))
}

const ALL: EventPart = EventPart::Attribute(AttributeId::ARGS);

/// The pattern, a text, and the verdict that must be given without reading.
const CERTAIN: &[(&str, &str, MatchVerdict)] = &[
    ("[[1|_]|_]", "[1, 2], [x], -", MatchVerdict::Fits),
    ("[[1|_]|_]", "[01], [x]", MatchVerdict::Fits),
    ("[[1|_]|_]", "[2, a + b], [x]", MatchVerdict::Fails),
    ("[[1|_]|_]", "[], [x]", MatchVerdict::Fails),
    ("[[1|_]|_]", "-, [x]", MatchVerdict::Fails),
    ("[[1|_]|_]", "[12]", MatchVerdict::Fails),
    ("[[1|_]|_]", "", MatchVerdict::Fails),
    ("[]", "", MatchVerdict::Fits),
    ("[_, _]", "a + b, <<foreign>>", MatchVerdict::Fits),
    ("[_, _]", "a", MatchVerdict::Fails),
    ("[_, _]", "a, b, c", MatchVerdict::Fails),
    ("[bin(_, int(_), _)|_]", "bin(f(X, \"s\"), int(-3), 'it is'), -", MatchVerdict::Fits),
    ("[bin(_, int(_), _)|_]", "bin(f(X), var(-3), 1)", MatchVerdict::Fails),
    ("[bin(_, int(_), _)|_]", "bin(1, int(2))", MatchVerdict::Fails),
    ("[bin(_, int(_), _)|_]", "bin(1, int(2), 3, 4)", MatchVerdict::Fails),
    ("[bin|_]", "bin(1)", MatchVerdict::Fails),
    ("[bin|_]", "'bin'", MatchVerdict::Fits),
    ("['it is', X]", "'it is', 1", MatchVerdict::Fits),
    ("[a, [b|c]]", "a, [b | c]", MatchVerdict::Fits),
    ("[[a, b, c]]", "[a|[b, c]]", MatchVerdict::Fits),
    ("[[a, b]]", "[a, b, c]", MatchVerdict::Fails),
    ("[31, 31, 1000, 97]", "0x1F, 0o37, 1_000, 0'a", MatchVerdict::Fits),
    ("[100000000000000000000]", "100000000000000000000", MatchVerdict::Fits),
    ("[1.5, -2]", "1.5, -2", MatchVerdict::Fits),
    ("[1.0]", "1", MatchVerdict::Fails),
    ("[\"ab\", -]", "\"ab\", -", MatchVerdict::Fits),
    ("[\"ab\"]", "abc", MatchVerdict::Fails),
    ("[\"ab\"|_]", "ab, c", MatchVerdict::Fits),
    ("[\"ab\"|_]", "'ab'", MatchVerdict::Fits),
    ("[ab|_]", "\"ab\", c", MatchVerdict::Fits),
    ("[[\"a b\", c]]", "['a b', \"c\"]", MatchVerdict::Fits),
    ("[f(\"ab\")]", "f(ab(1))", MatchVerdict::Fails),
    ("[a - b]", "[a]", MatchVerdict::Fails),
    ("[_, x|_]", "[1 - 2], y", MatchVerdict::Fails),
];

#[test]
fn what_most_arguments_are_made_of_is_certain() {
    for (pattern, text, verdict) in CERTAIN {
        let (found, unifies) = both(ALL, pattern, text).expect("these are patterns");
        assert_eq!((found, unifies), (*verdict, *verdict == MatchVerdict::Fits), "{pattern} {text}");
    }
}

#[test]
fn what_would_be_a_guess_is_unknown() {
    let cases = [
        ("['a b']", "a b"),
        ("[\"a b\"]", "a b, c"),
        ("[1 - 2]", "1 - 2"),
        ("[f(1)]", "f(1) - 2"),
        ("['a\\nb']", "'a\\nb'"),
        ("[f(X, X)]", "f(1, 1)"),
        ("[X, X]", "1, 1"),
        ("[f(1)]", "f(_G1)"),
        ("[f(1)]", "_"),
        ("[f(_)]", "f(a b)"),
        ("[\"f(\"]", "f("),
        ("[[1]]", "'.'(1, [])"),
        ("['é']", "é"),
        ("[- 1]", "- 1"),
        ("[-(1)]", "-(1)"),
        ("[f('|'(a, b))]", "f(a | b)"),
        ("[0.0]", "-0.0"),
        ("[f((a, b))]", "f((a, b))"),
        ("[{a}]", "{a}"),
        ("[mod(1, 2)]", "1 mod 2"),
        ("[mod]", "mod"),
        ("[-1]", "'-' 1"),
        ("[[]]", "[/* none */]"),
    ];
    for (pattern, text) in cases {
        let (verdict, _) = both(ALL, pattern, text).expect("these are patterns");
        assert_eq!(verdict, MatchVerdict::Unknown, "{pattern} {text}");
    }
}

/// Arguments as Mercury, its debugger and Prolog systems print them.
const REAL: &[&str] = &[
    "[1, 2, 3, 4, 5], -",
    "[2, 3, 4, 5], [2, 5, 3, 4]",
    "1, 3, [2, 5]",
    "5, [3, 4, 5], [3, 4]",
    "[], [3], [3]",
    "-",
    "[state('<<c_pointer>>')]",
    "state('<<c_pointer>>'), -",
    "'z', \"b\", 14",
    "exception(univ_cons(\"q oops\" - [1, 2, 3]))",
    "exception(univ_cons(\"p exception\"))",
    "big(big(big(small, 1, small), 2, small), 3, big(big(small, 4, big(small, 5, small)), 6, small))",
    "two(\"three\", 3, two(\"four\", 4, one(empty), empty), one(empty))",
    "<<predicate>>, [x-1, y-2], a:b",
    "bin(plus, int(5), bin(times, int(0), x)), _G123",
    "[H|T], [A, B|C], {a, b}",
];

#[test]
fn real_arguments_are_matched_as_they_are_unified() {
    let opened = |text: &str| [format!("[{text}]"), format!("[{text}|_]"), format!("[_, {text}|_]")];
    let with_variables = REAL.iter().flat_map(|text| {
        let parts = ["1", "2", "5", "[]", "small", "\"four\"", "[3]", "int(0)"];
        parts.map(|part| text.replacen(part, "_", 1))
    });
    let patterns: Vec<String> = REAL.iter().map(|text| text.to_string()).chain(with_variables).collect();
    for pattern in patterns.iter().flat_map(|text| opened(text)) {
        for text in REAL {
            let Some((verdict, unifies)) = both(ALL, &pattern, text) else { continue };
            assert!(
                verdict == MatchVerdict::Unknown || (verdict == MatchVerdict::Fits) == unifies,
                "{pattern} {text} {verdict:?}"
            );
        }
    }
}

const ATOMIC: &[&str] = &[
    "a",
    "b",
    "foo",
    "1",
    "2",
    "-1",
    "- 1",
    "12",
    "0x1F",
    "31",
    "0'a",
    "97",
    "1_000",
    "1000",
    "1.5",
    "-0.0",
    "0.0",
    "1.0e3",
    "100000000000000000000",
    "\"a\"",
    "\"it\"",
    "'a'",
    "'b c'",
    "'it''s'",
    "'a\\nb'",
    "[]",
    "'[]'",
    "{}",
    "-",
    "+",
    "mod",
    "dynamic",
    "'mod'",
    "_",
    "X",
    "_G1",
    "é",
    "\"\"",
    "''",
    "`a`",
    "inf",
    "007",
    "[ ]",
    "1.0Inf",
    "1r3",
    "0b11",
    "3",
    "0'''",
    "0',",
    "'.'",
    "'-'",
    "1e5",
    "1.5e-3",
];

const MARKS: &[&str] = &[
    " ", ",", "(", ")", "[", "]", "|", "'", "\"", "-", "+", ".", "{", "}", "0'", "\\", "/* c */", "%", "a", "1", "_",
    "\t", "\n", "é", "`", "\u{a0}", ":- ", " mod ", "dynamic ",
];

/// Texts of terms, in all spellings.
fn term_text() -> impl Strategy<Value = String> {
    prop::sample::select(ATOMIC).prop_map(str::to_string).prop_recursive(4, 24, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..4);
        let names = || prop::sample::select(vec!["f", "g", "'f'", "'b c'", "mod", "-", "'.'", "'[|]'", "dynamic", "{}", "'|'"]);
        let commas = || prop::sample::select(vec![", ", ",", " , "]);
        prop_oneof![
            4 => (names(), some(), commas()).prop_map(|(name, items, comma)| format!("{name}({})", items.join(comma))),
            4 => (some(), commas()).prop_map(|(items, comma)| format!("[{}]", items.join(comma))),
            2 => (some(), inner.clone(), prop::sample::select(vec!["|", " | "])).prop_map(|(items, tail, bar)| format!("[{}{bar}{tail}]", items.join(", "))),
            1 => (inner.clone(), prop::sample::select(vec!["-", " - ", ":", " mod ", " = ", " :- ", "|", " is ", "."]), inner.clone()).prop_map(|(a, op, b)| format!("{a}{op}{b}")),
            1 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.clone().prop_map(|a| format!("{{{a}}}")),
            1 => inner.prop_map(|a| format!("- {a}")),
        ]
    })
}

fn list_text() -> impl Strategy<Value = String> {
    prop::collection::vec(term_text(), 0..4).prop_map(|items| items.join(", "))
}

/// A change of a text: a mark put in at a place, or some bytes taken out.
fn mutated(text: &str, place: usize, mark: Option<&str>, length: usize) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let start = place % places.len();
    let (start, end) = (places[start], places[(start + length).min(places.len() - 1)]);
    format!("{}{}{}", &text[..start], mark.unwrap_or_default(), &text[end..])
}

fn mutation() -> impl Strategy<Value = (usize, Option<&'static str>, usize)> {
    (any::<usize>(), prop::option::weighted(0.7, prop::sample::select(MARKS)), 0..3_usize)
}

fn check(part: EventPart, pattern: &str, text: &str, n_certain: &Counter<[u32; 3]>) -> Result<(), TestCaseError> {
    let Some((verdict, unifies)) = both(part, pattern, text) else { return Ok(()) };
    let mut counts = n_certain.get();
    counts[verdict as usize] += 1;
    n_certain.set(counts);
    prop_assert!(
        verdict == MatchVerdict::Unknown || (verdict == MatchVerdict::Fits) == unifies,
        "{pattern} {text} {verdict:?}"
    );
    Ok(())
}

#[test]
fn a_verdict_is_what_reading_and_unifying_gives() {
    let counts = Counter::new([0; 3]);
    let mutations = || prop::collection::vec(mutation(), 0..4);
    let texts = (list_text(), mutations(), list_text(), mutations());
    let config = crate::term::cases::cases(1000);
    let n_cases = config.cases;
    let mut runner = TestRunner::new(config);
    let result = runner.run(&texts, |(text, changes, other, other_changes)| {
        let change = |text: &str, changes: &[(usize, Option<&str>, usize)]| {
            changes.iter().fold(text.to_string(), |text, (place, mark, length)| mutated(&text, *place, *mark, *length))
        };
        let (changed, other) = (change(&text, &changes), change(&other, &other_changes));
        for pattern in [&text, &changed, &other] {
            for text in [&text, &changed, &other] {
                for pattern in [format!("[{pattern}]"), format!("[{pattern}|_]")] {
                    check(ALL, &pattern, text, &counts)?;
                }
                check(EventPart::Argument(1), pattern, text, &counts)?;
                check(EventPart::Argument(2), pattern, text, &counts)?;
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let [fails, fits, unknown] = counts.get();
    assert!(fits > n_cases && fails > n_cases, "{fails} fail, {fits} fit, {unknown} are unknown");
}
