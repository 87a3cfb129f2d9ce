//! Tests of one event line: every form of every part.

use super::*;

/// The fields that are there, in the order of the record, as text.
fn fields(line: &str) -> String {
    let event = match parse(line.as_bytes()) {
        Ok(event) => event,
        Err(fault) => return fault.message(line.as_bytes()),
    };
    let number = |name: &str, value: Option<i64>| value.map(|value| format!("{name}={value}"));
    let text =
        |name: &str, value: Option<&[u8]>| value.map(|value| format!("{name}={}", String::from_utf8_lossy(value)));
    let word = |name: &str, value: Option<&str>| text(name, value.map(str::as_bytes));
    let parts = [
        number("chrono", event.chrono),
        number("call", event.call),
        number("depth", event.depth),
        word("port", event.port),
        word("det", event.det),
        word("type", event.proc_type),
        text("def", event.def_module),
        text("decl", event.decl_module),
        text("name", event.name),
        text("args", event.args.map(|args| args.text)),
        number("n", event.args.map(|args| i64::from(args.count))),
        number("arity", event.arity),
        number("mode", event.mode_number),
        text("path", event.goal_path),
        number("line", event.line_number),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_default_line_has_eight_parts() {
    assert_eq!(
        fields("  1: 1 [1] call main(state('<<c_pointer>>'), -) []  0 "),
        "chrono=1 call=1 depth=1 port=call name=main args=state('<<c_pointer>>'), - n=2 path= line=0"
    );
    assert_eq!(
        fields("  8:    5 [4] disj qdelete(-, [1, 2], -) [c2, d1]  52 "),
        "chrono=8 call=5 depth=4 port=disj name=qdelete args=-, [1, 2], - n=3 path=c2, d1 line=52"
    );
}

#[test]
fn a_full_line_has_all_parts() {
    let line = " 14:     7 [5] exit nondet (predicate) {queens} queens: qdelete(2 {int}, [3, 4] {list__list(int)})/3-0 []  48 ";
    assert_eq!(
        fields(line),
        "chrono=14 call=7 depth=5 port=exit det=nondet type=predicate def=queens decl=queens name=qdelete \
         args=2 {int}, [3, 4] {list__list(int)} n=2 arity=3 mode=0 path= line=48"
    );
}

#[test]
fn any_part_may_be_missing() {
    for (line, expected) in [
        ("3 [2] exit data([1])", "call=3 depth=2 port=exit name=data args=[1] n=1"),
        ("12:   [2] exit data/1 ", "chrono=12 depth=2 port=exit name=data arity=1"),
        ("12:   7 exit data() [s1]", "chrono=12 call=7 port=exit name=data args= n=0 path=s1"),
        ("12:   7 [3] qdelete(a)-1 [] 3", "chrono=12 call=7 depth=3 name=qdelete args=a n=1 mode=1 path= line=3"),
        ("exit main", "port=exit name=main"),
        ("exit semidet m: p-0 16", "port=exit det=semidet decl=m name=p mode=0 line=16"),
        (
            "7: 1 [1] exit (predicate) (a, b)/2 []",
            "chrono=7 call=1 depth=1 port=exit type=predicate args=a, b n=2 arity=2 path=",
        ),
        ("7: 1 [1] exit {m} (a)", "chrono=7 call=1 depth=1 port=exit def=m args=a n=1"),
        ("7: 1 [1] exit /2-0 [] ", "chrono=7 call=1 depth=1 port=exit arity=2 mode=0 path="),
        ("7: 1 [1] exit []  5", "chrono=7 call=1 depth=1 port=exit path= line=5"),
        ("7: 1 [1] EXCP main [~, q!]", "chrono=7 call=1 depth=1 port=exception name=main path=~, q!"),
    ] {
        assert_eq!(fields(line), expected, "{line}");
    }
}

#[test]
fn words_of_the_line_may_be_names() {
    for (line, expected) in [
        ("1: 1 [1] call exit(1) []", "chrono=1 call=1 depth=1 port=call name=exit args=1 n=1 path="),
        ("1: 1 [1] call det []", "chrono=1 call=1 depth=1 port=call name=det path="),
        ("1: 1 [1] call det 16", "chrono=1 call=1 depth=1 port=call name=det line=16"),
        ("1: 1 [1] call (predicate) []", "chrono=1 call=1 depth=1 port=call args=predicate n=1 path="),
        ("1: 1 [1] call det: call []", "chrono=1 call=1 depth=1 port=call decl=det name=call path="),
    ] {
        assert_eq!(fields(line), expected, "{line}");
    }
}

#[test]
fn names_may_be_quoted_symbolic_or_dotted() {
    for (name, shown) in [
        ("'it''s (odd)'", "'it''s (odd)'"),
        ("+", "+"),
        ("=:=", "=:="),
        ("!", "!"),
        ("Élan_1", "Élan_1"),
        ("mod.sub.p", "mod.sub.p"),
        ("//", "//"),
    ] {
        let expected = format!("port=exit name={shown} args=a, b n=2 arity=2 mode=0 path=");
        assert_eq!(fields(&format!("exit {name}(a, b)/2-0 []")), expected);
        let expected = format!("port=exit decl=m name={shown} arity=2 mode=0");
        assert_eq!(fields(&format!("exit m: {name}/2-0")), expected);
    }
    assert_eq!(fields("exit {'a}b'} 'x:y': p(1)"), "port=exit def='a}b' decl='x:y' name=p args=1 n=1");
}

#[test]
fn a_goal_path_has_two_forms() {
    assert_eq!(
        fields("10: 6 [5] then partition(1) [s1, c2, t]"),
        "chrono=10 call=6 depth=5 port=then name=partition args=1 n=1 path=s1, c2, t"
    );
    assert_eq!(
        fields("10: 6 [5] then partition s1;c2;t; 3"),
        "chrono=10 call=6 depth=5 port=then name=partition path=s1;c2;t; line=3"
    );
    assert_eq!(fields("10: 6 [5] then s1;?; 3"), "chrono=10 call=6 depth=5 port=then path=s1;?; line=3");
    assert_eq!(fields("10: 6 [5] cond ?; 3"), "chrono=10 call=6 depth=5 port=cond path=?; line=3");
}

#[test]
fn arguments_whose_quotes_do_not_match_end_before_the_goal_path() {
    assert_eq!(fields("exit p(it's, [x) [s1] 3"), "port=exit name=p args=it's, [x n=1 path=s1 line=3");
    assert_eq!(fields("exit p(it's)/1 []"), "port=exit name=p args=it's n=1 arity=1 path=");
}

#[test]
fn other_lines_say_what_was_expected() {
    for (line, message) in [
        ("", "column 1: expected an event, found the end of the line"),
        ("hello world", "column 1: expected an event, found `hello`"),
        ("hello", "column 1: expected an event, found `hello`"),
        ("7: 3 [2] exit p(a, [b", "column 16: expected `)` for this `(`, found `(a,`"),
        ("7: 3 [2] exit p(a) [s1", "column 20: expected `]` for this `[`, found `[s1`"),
        ("7: 3 [2] exit p(a) [] 5 rest", "column 25: expected the end of the line, found `rest`"),
        ("99999999999999999999: 3 [2] exit p", "column 1: expected a number below 2^63, found `99999999999999999999:`"),
        ("7: 3x [2] exit p", "column 4: expected a call number, found `3x`"),
        ("7: 3 [2 exit p", "column 8: expected `]` after the depth, found `exit`"),
    ] {
        assert_eq!(fields(line), message, "{line}");
    }
    for line in
        ["-5: 1 [1] call p", "+5: 1 [1] call p", "1e3: 1 [1] call p", "0x10: 1 [1] call p", "é: 'x", "'", "{", "("]
    {
        assert!(parse(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_survived() {
    let line = b" 14: 7 [5] exit nondet (predicate) {q} 'q': r(2 {int}, 0'c, \"s\")/3-0 [s2, c3]  48 ";
    for cut in 0..line.len() {
        let _ = parse(&line[..cut]);
        for byte in [0, b'\'', b'(', b')', b'[', b'\\', b'{', 0xFF, b' ', b'9'] {
            let mut changed = line.to_vec();
            changed[cut] = byte;
            if let Err(fault) = parse(&changed) {
                fault.message(&changed);
            }
        }
    }
}

#[test]
fn the_result_of_a_function_ends_where_its_place_begins() {
    let of = |line: &str| {
        let event = parse(line.as_bytes()).unwrap_or_else(|fault| panic!("{line}: {fault:?}"));
        let texts =
            [event.result, event.goal_path].map(|text| text.map(|text| String::from_utf8_lossy(text).into_owned()));
        (texts[0].clone().unwrap_or("-".to_owned()), texts[1].clone().unwrap_or("-".to_owned()), event.line_number)
    };
    let expected = |result: &str, path: &str, line| (result.to_owned(), path.to_owned(), line);
    assert_eq!(of(" 12:   3 [2] exit fib(3) = 2 []  16 "), expected("2", "", Some(16)));
    assert_eq!(of(" 12:   3 [2] exit fib(3)/1-0 = 3 - 8 [s1, c2]  16 "), expected("3 - 8", "s1, c2", Some(16)));
    assert_eq!(of(" 12:   3 [2] exit now = [1, [2]] []  5 "), expected("[1, [2]]", "", Some(5)));
    assert_eq!(of(" 12:   3 [2] exit f(x) = [] [] "), expected("[]", "", None));
    assert_eq!(of(" 12:   3 [2] exit f(x) = \"a [] 3 \""), expected("\"a [] 3 \"", "-", None));
    assert_eq!(of(" 12:   3 [2] exit f(x) = 3 - 8"), expected("3 - 8", "-", None));
    assert_eq!(of(" 12:   3 [2] exit f(x) = 3 - 8 16 "), expected("3 - 8", "-", Some(16)));
    assert_eq!(of(" 12:   3 [2] exit =(1, 2) []  16 "), expected("-", "", Some(16)));
    assert!(parse(b" 12:   3 [2] exit f(x) = ) []  16 ").is_err());
}
