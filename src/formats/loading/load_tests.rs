//! Tests of loading: detection, compression, bad lines, errors.

use std::io::Write;

use super::*;
use crate::term::Atom;
use crate::trace::{AttributeId, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn data(name: &str) -> Trace {
    let path = Path::new(DATA).join(name);
    load(&path, &LoadOptions { from: None, strict: true, ..LoadOptions::default() })
        .expect("the sample traces have no findings")
}

/// What `bytes` load as, through a file.
fn load_bytes(bytes: &[u8], options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written");
    load(file.path(), options)
}

fn trace(bytes: &[u8]) -> Trace {
    load_bytes(bytes, &LoadOptions::default()).expect("some format is recognised")
}

fn messages(trace: &Trace) -> Vec<String> {
    let findings = trace.findings().kept().iter();
    findings.map(|finding| format!("{} {:?} {}", finding.rule, finding.line, finding.message)).collect()
}

/// The values of all attributes of all events that two traces share, as text.
fn values(trace: &Trace, names: &[&str]) -> Vec<String> {
    let ids: Vec<AttributeId> = names.iter().map(|name| trace.schema().find(name).expect("the trace has it")).collect();
    let show = |value: Value<'_>| match value {
        Value::Args(args) | Value::Texts(args) => args.iter().collect::<Vec<_>>().join(", "),
        other => format!("{other:?}"),
    };
    (0..trace.n_events()).flat_map(|event| ids.iter().map(move |&id| show(trace.value(event, id)))).collect()
}

const LINE_ATTRIBUTES: [&str; 8] = ["chrono", "call", "depth", "port", "name", "arity", "goal_path", "args"];

#[test]
fn queens_is_the_same_relation_in_both_formats() {
    let (lines, objects) = (data("queens.trace"), data("queens.jsonl"));
    assert_eq!((lines.n_events(), lines.n_calls(), lines.origin().format), (698, 146, "morphine"));
    assert_eq!((objects.n_events(), objects.n_calls(), objects.origin().format), (698, 146, "jsonl"));
    let names = [&LINE_ATTRIBUTES[..], &["line_number"]].concat();
    assert_eq!(values(&lines, &names), values(&objects, &names));
    let line_sum: i64 = (0..698)
        .filter_map(|event| match lines.value(event, AttributeId::LINE_NUMBER) {
            Value::Int(line) => Some(line),
            _ => None,
        })
        .sum();
    assert_eq!(line_sum, 38511);
}

#[test]
fn qsort_has_no_line_numbers_and_is_the_same_relation_in_both_formats() {
    let (lines, objects) = (data("qsort.trace"), data("qsort.jsonl"));
    assert_eq!(values(&lines, &LINE_ATTRIBUTES), values(&objects, &LINE_ATTRIBUTES));
    assert!(lines.schema().find("line_number").is_none());
    assert_eq!(values(&lines, &["goal_path"])[9], values(&objects, &["goal_path"])[9]);
}

#[test]
fn an_object_has_the_attributes_that_lines_lack() {
    let trace = data("queens.jsonl");
    let value = |name: &str| trace.value(672, trace.schema().find(name).expect("the trace has it"));
    assert!(matches!(value("decl_module"), Value::Atom(module) if module.as_str() == "queens"));
    assert!(matches!(value("det"), Value::Atom(det) if det.as_str() == "nondet"));
    assert!(matches!(value("mode_number"), Value::Int(0)));
    assert!(matches!(value("arg_types"), Value::Texts(types) if types.part(1) == Some("list:list(int)")));
}

#[test]
fn every_line_end_and_mark_loads_the_same() {
    let plain = std::fs::read_to_string(Path::new(DATA).join("queens.trace")).expect("the sample is there");
    let expected = values(&trace(plain.as_bytes()), &LINE_ATTRIBUTES);
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{FEFF}{plain}"),
        plain.trim_end_matches('\n').to_owned(),
        plain.replace(" \n", "\n"),
        plain.replace('\n', "\n\n"),
    ] {
        let trace = trace(text.as_bytes());
        assert_eq!(messages(&trace), [""; 0]);
        assert_eq!(values(&trace, &LINE_ATTRIBUTES), expected);
    }
}

#[test]
fn a_bad_line_is_listed_and_the_good_ones_stay() {
    let good = "1: 1 [1] call main []\n2: 2 [2] call p(1) []\n";
    let trace =
        trace(format!("Start of it\n{good}hello world\n3: 2 [2] exit p(1 []\n4: 1 [1] exit main []\n").as_bytes());
    assert_eq!(trace.n_events(), 3);
    assert_eq!(
        messages(&trace),
        [
            "L1 Some(1) column 1: expected an event, found `Start`",
            "L1 Some(4) column 1: expected an event, found `hello`",
            "L1 Some(5) column 16: expected `)` for this `(`, found `(1`",
        ]
    );
    let strict = load_bytes(
        format!("{good}hello\n").as_bytes(),
        &LoadOptions { from: None, strict: true, ..LoadOptions::default() },
    );
    let message = strict.expect_err("a finding").to_string();
    assert!(message.ends_with(":3: column 1: expected an event, found `hello`"), "{message}");
}

#[test]
fn a_line_without_a_part_that_others_have_is_no_event() {
    let good = "1: 1 [1] call main []\n2: 2 [2] call p(1) []\n3: 2 [2] exit p(1) []\n";
    let trace = trace(format!("{good}4: 2 [2] redo(1) []\n5: exit p(1) []\n6: 2 [2] frob p(1) []\n").as_bytes());
    assert_eq!(trace.n_events(), 3);
    assert_eq!(
        messages(&trace),
        [
            "L1 Some(4) column 10: expected a port, found `redo(1)`",
            "L1 Some(5) column 9: expected a call number, found `p(1)`",
            "L1 Some(6) column 10: expected a port, found `frob`",
        ]
    );
}

#[test]
fn a_trace_cut_anywhere_keeps_all_whole_lines_and_lists_the_rest() {
    let plain = std::fs::read(Path::new(DATA).join("queens.trace")).expect("the sample is there");
    let head: Vec<u8> = plain.iter().copied().take(1000).collect();
    let first_line = head.iter().position(|&byte| byte == b'\n').expect("there are lines") + 1;
    for cut in first_line + 60..head.len() {
        let trace = trace(&head[..cut]);
        let n_whole = head[..cut].split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b" \n")).count();
        let last_is_whole = head[cut] == b'\n';
        assert_eq!(trace.n_events() as usize, n_whole + usize::from(last_is_whole), "cut at {cut}");
        let has_part = !last_is_whole
            && !head[..cut].rsplit(|&byte| byte == b'\n').next().is_some_and(|rest| rest.trim_ascii().is_empty());
        assert_eq!(trace.findings().total() > 0, has_part, "cut at {cut}: {:?}", messages(&trace));
    }
}

#[test]
fn flags_for_modules_types_and_the_rest_are_read() {
    let text = " 14:     7 [5] exit nondet (predicate) {queens} queens: qdelete(2 {int}, [2, 3] {list__list(int)}, -)/3-0 []  48 \n\
                Non-argument live variables:\n\tX = 3 - 8 {int}\n\tYs = [] {map__map(int ,string)}\n\
                 15:     7 [5] fail nondet (predicate) {queens} queens: qdelete(-, - {int}, -)/3-0 []  48 \n";
    let trace = trace(text.as_bytes());
    assert_eq!(messages(&trace), [""; 0]);
    assert_eq!(values(&trace, &["args"]), ["2, [2, 3], -", "-, -, -"]);
    assert_eq!(values(&trace, &["arg_types"]), ["int, list:list(int), -", "-, int, -"]);
    assert_eq!(values(&trace, &["chrono"]), ["Int(14)", "Int(15)"]);
    let proc = trace.proc(trace.proc_of(0).expect("it has a procedure"));
    assert_eq!(proc.to_string(), "predicate->queens:qdelete/3-0");
    let locals = trace.value(0, trace.schema().find("nav").expect("there are local variables"));
    let expected = r#"[live_var("X", 3 - 8, int), live_var("Ys", [], map:map(int, string))]"#;
    assert_eq!(locals, Value::Term(expected));
    assert_eq!(trace.source_line(1), Some(5));
}

#[test]
fn hidden_arguments_give_no_arity_and_no_parentheses_give_none() {
    let trace = trace(b"1: 1 [1] call main []\n2: 2 [2] call p(a, b) []\n3: 2 [2] call q/3 []\n4: 2 [2] call r() []\n");
    assert_eq!(values(&trace, &["arity"]), ["Int(0)", "Int(2)", "Int(3)", "Absent"]);
    let args: Vec<bool> = (0..4).map(|event| trace.value(event, AttributeId::ARGS) == Value::Absent).collect();
    assert_eq!(args, [false, false, true, true]);
}

#[test]
fn bytes_that_are_no_text_are_kept_visible() {
    let trace = trace(b"1: 1 [1] call caf\xE9(b\xFF, '\0\x1b[2J') [c1]\n2: 1 [1] exit caf\xE9(1, 2) []\n");
    assert_eq!(messages(&trace), [""; 0]);
    assert_eq!(values(&trace, &["name"])[0], r#"Atom("caf\\xe9\\")"#);
    assert_eq!(values(&trace, &["args"])[0], "b\\xff\\, '\0\x1b[2J'");
}

#[test]
fn arguments_that_are_no_terms_are_one_text_with_a_finding() {
    let lines = trace(b"1: 1 [1] call p(it's, x) []\n2: 1 [1] exit p(a) []\n");
    assert_eq!(lines.n_events(), 2);
    assert_eq!(messages(&lines), ["L2 Some(1) the brackets or quotes of the arguments do not match"]);
    assert!(matches!(lines.value(0, AttributeId::ARGS), Value::Args(args) if args.iter().eq(["it's, x"])));
    let objects = trace(b"{\"papaver\": 1, \"args\": \"terms\"}\n{\"name\": \"p\", \"args\": [\"it's\", \"x\"]}\n");
    assert_eq!(messages(&objects), ["T1 Some(2) `it's` is no term and is kept as a string"]);
}

#[test]
fn unordered_numbers_are_findings_and_give_way_to_the_rank() {
    let trace = trace(b"5: 1 [1] call p []\n5: 1 [1] exit p []\n4: 2 [1] call p []\n");
    assert_eq!(values(&trace, &["chrono"]), ["Int(1)", "Int(2)", "Int(3)"]);
    assert_eq!(trace.findings().total(), 2);
}

#[test]
fn an_empty_file_has_no_events_and_says_so() {
    for text in ["", "\n", " \r\n\n"] {
        assert_eq!(messages(&trace(text.as_bytes())), ["input None no events"]);
        assert!(
            load_bytes(text.as_bytes(), &LoadOptions { from: None, strict: true, ..LoadOptions::default() }).is_err()
        );
    }
}

#[test]
fn what_is_no_trace_says_what_it_looks_like() {
    for bytes in [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        b"\x7FELF\x02\x01\x01",
        b"just some text\nof two lines\n",
        b"[1, 2]\n",
        b"{\"x\": 1}\n",
    ] {
        let error = load_bytes(bytes, &LoadOptions::default()).expect_err("this is no trace");
        let message = error.to_string();
        assert!(message.starts_with("cannot recognise the format of `"), "{message}");
        assert!(message.contains("`: it looks like ") && message.lines().count() > 1, "{message}");
    }
    let utf16: Vec<u8> = "\u{FEFF}1: 1 [1] call p []\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(matches!(load_bytes(&utf16, &LoadOptions::default()), Err(LoadError::Utf16 { .. })));
}

/// Neither a size nor a number of columns was known before these were read.
#[test]
fn a_trace_that_outgrows_what_is_free_is_refused_with_the_figures() {
    let event = |more: String| format!("{{\"t\":\"1.0\",\"id\":9{more}}}\n");
    let many = event(String::new()).repeat(150_000);
    let wide: String = (0..4000).map(|key| event(format!(",\"key{key}\":1"))).collect();
    for text in [many, wide] {
        let options = LoadOptions { from: Some("posix"), memory: Some(|| Some(1 << 20)), ..LoadOptions::default() };
        let message = load_bytes(text.as_bytes(), &options).expect_err("one MiB is free").to_string();
        assert!(message.contains(" MiB are free in memory and on the disk"), "{message}");
        assert!(load_bytes(text.as_bytes(), &LoadOptions { memory: None, ..options }).is_ok());
    }
}

#[test]
fn an_unreadable_file_says_why() {
    for path in ["tests/no-such.trace", DATA] {
        let error = load(Path::new(path), &LoadOptions::default()).expect_err("this cannot be read");
        assert!(error.to_string().starts_with(&format!("cannot read `{path}`: ")), "{error}");
    }
}

#[test]
fn a_forced_format_reads_what_it_can() {
    let options = LoadOptions { from: Some("jsonl"), strict: false, ..LoadOptions::default() };
    let trace = load_bytes(b"1: 1 [1] call p []\n{\"name\": \"q\"}\n", &options).expect("the format is given");
    assert_eq!((trace.n_events(), trace.findings().total()), (1, 1));
    let error = load_bytes(b"", &LoadOptions { from: Some("morphin"), strict: false, ..LoadOptions::default() })
        .expect_err("no such format");
    let message = error.to_string();
    assert!(message.starts_with("unknown format `morphin`: expected `morphine` or `jsonl`"), "{message}");
    assert!(message.ends_with("(did you mean `morphine`?)"), "{message}");
}

#[test]
fn unknown_keys_of_objects_become_attributes() {
    let text = r#"{"name": "p", "port": "weird", "n": 7, "type": "GET", "stack": "main;foo", "colour": "red", "size": 3, "ratio": 0.5, "big": 18446744073709551615, "tags": ["a", 1], "on": true, "none": null}"#;
    let trace = trace(format!("{text}\n{{\"name\": \"q\"}}\n").as_bytes());
    assert_eq!(messages(&trace), [""; 0]);
    let value = |name: &str| trace.value(0, trace.schema().find(name).expect("the trace has it"));
    assert_eq!(value("colour"), Value::Text("red"));
    assert!(matches!(value("port"), Value::Atom(port) if port.as_str() == "weird"));
    assert_eq!((value("n"), value("name")), (Value::Int(7), Value::Atom(Atom::new("p"))));
    assert_eq!([value("type"), value("stack")].map(|value| format!("{value:?}").contains("main;foo")), [false, true]);
    assert_eq!((value("size"), value("ratio")), (Value::Int(3), Value::Float(0.5)));
    assert_eq!((value("big"), value("tags")), (Value::BigInt("18446744073709551615"), Value::Json(r#"["a",1]"#)));
    assert_eq!((value("on"), value("none")), (Value::Bool(true), Value::Absent));
    let colour = trace.schema().find("colour").expect("the trace has it");
    assert_eq!(trace.value(1, colour), Value::Absent);
}

#[test]
fn of_two_keys_for_one_attribute_the_last_counts() {
    let trace = trace(br#"{"name": "p", "local_vars": "[a]", "x": 1, "x": 2, "local_vars": "[b]", "name": "q"}"#);
    let value = |name: &str| trace.value(0, trace.schema().find(name).expect("the trace has it"));
    assert_eq!((value("local_vars"), value("x")), (Value::Term("[b]"), Value::Int(2)));
    assert!(matches!(value("name"), Value::Atom(name) if name.as_str() == "q"));
}

#[test]
fn bad_objects_say_what_was_expected() {
    for text in ["{\"name\": \"p\"", "[1]"] {
        let trace = trace(format!("{{\"name\": \"p\"}}\n{text}\n").as_bytes());
        assert_eq!((trace.n_events(), messages(&trace).len()), (1, 1), "{text}");
        assert!(messages(&trace)[0].contains("expected a JSON object"), "{text}");
    }
}

#[test]
fn a_value_that_cannot_be_that_of_its_attribute_costs_the_value_and_stays_readable() {
    for (text, message) in [
        (r#"{"chrono": "x"}"#, "expected an integer for `chrono`, found `\"x\"`"),
        (r#"{"chrono": 99999999999999999999}"#, "expected an integer for `chrono`"),
        (r#"{"args": "x"}"#, "expected an array for `args`"),
        (r#"{"goal_path": [1]}"#, "expected an array of steps for `goal_path`"),
        (r#"{"proc": ""}"#, "expected a procedure like `m:p/2-0` for `proc`"),
    ] {
        let trace = trace(format!("{{\"name\": \"p\"}}\n{text}\n{text}\n").as_bytes());
        let found = messages(&trace);
        assert_eq!((trace.n_events(), found.len()), (3, 1), "{text}");
        assert!(found[0].contains(message) && found[0].ends_with("(the first of 2)"), "{found:?}");
        let key = found[0].split("kept as `").nth(1).and_then(|rest| rest.split('`').next()).expect("the key is named");
        let kept = trace.schema().resolve(key).expect("it is kept");
        assert!(trace.value(2, kept) != Value::Absent, "{text}");
    }
    let deep = format!("{{\"name\": \"p\"}}\n{{\"x\": {}\n", "[".repeat(1_000_000));
    assert_eq!(trace(deep.as_bytes()).n_events(), 1);
}

#[test]
fn objects_cut_anywhere_keep_all_whole_lines() {
    let plain = std::fs::read(Path::new(DATA).join("qsort.jsonl")).expect("the sample is there");
    let first_line = plain.iter().position(|&byte| byte == b'\n').expect("there are lines");
    for cut in (first_line + 1..plain.len().min(2000)).step_by(7) {
        let trace = trace(&plain[..cut]);
        let n_whole = plain[..cut].iter().filter(|&&byte| byte == b'\n').count() + usize::from(plain[cut] == b'\n');
        assert_eq!(trace.n_events() as usize, n_whole - 1, "cut at {cut}");
        assert!(trace.recording().is_unfinished);
    }
}

#[test]
fn a_byte_that_is_no_text_keeps_its_object() {
    let trace = trace(b"{\"name\": \"caf\xE9\", \"args\": [\"a\\nb\"]}\n");
    assert_eq!(messages(&trace), [""; 0]);
    assert_eq!(values(&trace, &["name", "args"]), [r#"Atom("caf\\xe9\\")"#, r#""a\nb""#]);
}

#[test]
fn a_procedure_key_gives_its_parts() {
    let trace = trace(br#"{"proc": "predicate->queens:queen/2-0"}"#);
    assert_eq!(trace.proc(trace.proc_of(0).expect("it has one")).to_string(), "predicate->queens:queen/2-0");
}

#[test]
fn packed_traces_load_and_damage_keeps_the_events_before() {
    let plain = std::fs::read(Path::new(DATA).join("queens.trace")).expect("the sample is there");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&plain).expect("memory takes everything");
    let packed = encoder.finish().expect("memory takes everything");
    assert_eq!(trace(&packed).n_events(), 698);
    let cut = trace(&packed[..packed.len() / 2]);
    assert!(cut.n_events() > 50 && cut.n_events() < 698);
    assert!(messages(&cut)[0].contains("the packed data is damaged"), "{:?}", messages(&cut));
    let nothing = load_bytes(&packed[..12], &LoadOptions::default()).expect_err("no event is whole").to_string();
    assert!(nothing.contains("the packed data is damaged"), "{nothing}");
    let mut changed = packed.clone();
    let place = changed.len() - 6;
    changed[place] ^= 0xFF;
    assert_eq!(trace(&changed).n_events(), 698);
    assert!(messages(&trace(&changed)).iter().any(|message| message.starts_with("input Some(698) reading stopped")));
}

#[test]
fn deep_and_long_arguments_load() {
    let n = 200_000;
    let deep = format!("{}{}", "f(".repeat(n), ")".repeat(n));
    let list = format!("[{}1]", "1, ".repeat(n));
    let digits = "9".repeat(n);
    let trace = trace(format!("1: 1 [1] call p({deep}, {list}, {digits}, - - x) []\n").as_bytes());
    assert!(matches!(trace.value(0, AttributeId::ARGS), Value::Args(args) if args.iter().count() == 4));
}
