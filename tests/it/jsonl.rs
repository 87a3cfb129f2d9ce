//! JSON Lines: the meaning of each key, how texts are read, boxes of threads, header and trailer.

use std::path::Path;
use std::process::Command;

use crate::support::{file, papaver, stderr, stdout};

/// The answers to a goal on some lines.
fn answers(lines: &str, goal: &str) -> String {
    let (_folder, path) = file("trace.jsonl", lines);
    stdout(papaver().args(["query", "-q", goal]).arg(&path), 0)
}

#[test]
fn texts_are_texts_and_terms_only_where_the_header_says_so() {
    let lines = r#"{"port": "call", "name": "login", "args": ["Alice", "None"]}
{"port": "call", "name": "login", "args": ["f(X)", "2024-01-01"]}
{"port": "call", "name": "login", "args": ["mallory", null]}
"#;
    assert_eq!(answers(lines, "event([args=[mallory|_], chrono=C])"), "C = 3\n");
    assert_eq!(answers(lines, "event([args=[A, \"None\"]]), string(A)"), "A = \"Alice\"\n");
    let terms = format!("{{\"papaver\": 1, \"args\": \"terms\"}}\n{lines}");
    assert_eq!(answers(&terms, "event([args=['Alice', 'None'], chrono=C])"), "C = 1\n");
    assert_eq!(answers(&terms, "event([args=[f('X')|_], chrono=C])"), "C = 2\n");
    let unbound = "{\"papaver\": 1, \"args\": \"terms\", \"ops\": [[700, \"xfx\", \"==>\"]]}\n{\"name\": \"p\", \"args\": [\"a ==> f(_X)\"]}\n";
    assert_eq!(answers(unbound, "event([args=[T]]), T =.. [==>, a, f(V)], var(V)"), "T = ==>(a, f(V))\n");
}

#[test]
fn keys_that_are_no_full_names_are_the_writers_own() {
    let lines = r#"{"port": "call", "name": "get", "type": "GET", "stack": "main;foo", "n": 3, "user": {"name": "ann", "age": 7}}
"#;
    let goal = "event([type=T, stack=S, n=N, name=P]), event(['user.name'=U, 'user.age' > 6])";
    assert_eq!(answers(lines, goal), "T = \"GET\", S = \"main;foo\", N = 3, P = get, U = \"ann\"\n");
}

#[test]
fn boxes_nest_in_their_own_threads() {
    let lines = r#"{"port": "call", "name": "a", "thread": 1}
{"port": "call", "name": "b", "thread": 2}
{"port": "call", "name": "c", "thread": 1}
{"port": "call", "name": "d", "thread": 2}
{"port": "log", "name": "hello", "thread": 1}
{"port": "exit", "name": "c", "thread": 1}
{"port": "exit", "name": "d", "thread": 2, "result": 4}
{"port": "exit", "name": "a", "thread": 1}
{"port": "exit", "name": "b", "thread": 2}
"#;
    let goal = "event([port=call, name=N, depth=D, call=C]), (parent(C, P) -> true ; P = none)";
    let expected = "N = a, D = 1, C = 1, P = none\nN = b, D = 1, C = 2, P = none\nN = c, D = 2, C = 3, P = 1\nN = d, D = 2, C = 4, P = 2\n";
    assert_eq!(answers(lines, goal), expected);
    assert_eq!(answers(lines, "event([name=hello, call=C, depth=D])"), "C = 3, D = 2\n");
    assert_eq!(answers(lines, "event([port=exit, result=R, call=C])"), "R = 4, C = 4\n");
}

#[test]
fn calls_may_be_texts_and_times_of_any_kind() {
    let lines = r#"{"port": "call", "name": "a", "call": "ab", "time": "1970-01-01T00:00:01Z"}
{"port": "call", "name": "b", "call": "cd", "parent": "ab", "time": 2.5}
{"port": "exit", "name": "b", "call": "cd", "time": 3000000000}
"#;
    let goal = "event([name=b, call_=T, call=C, time > 2000000000, port=call, time=M]), parent(C, P)";
    assert_eq!(answers(lines, goal), "T = \"cd\", C = 2, M = 2500000000, P = 1\n");
}

#[test]
fn answers_in_json_have_the_values_of_the_file() {
    let event = |value: &str| format!("{{\"port\": \"log\", \"args\": [{value}], \"v\": {value}}}\n");
    let object = r#"{"a":[1,true,null],"b":{"c":"x"}}"#;
    for (value, bound) in [
        ("true", "\"true\""),
        ("12345678901234567890123", "12345678901234567890123"),
        ("1.0", "1.0"),
        ("\"f(X)\"", "\"f(X)\""),
        ("[1,\"a\"]", "[1, \"a\"]"),
        (object, r#"{"a": [1, true, null], "b": {"c": "x"}}"#),
    ] {
        let (_folder, path) = file("trace.jsonl", &event(value));
        let text = stdout(papaver().args(["query", "fget([v=V])", "--to=json"]).arg(&path), 0);
        assert!(text.contains(&format!("{{\"bindings\": {{\"V\": {bound}}}, ")), "{text}");
        assert!(text.contains(&format!("\"args\": [{value}], \"v\": {value}")), "{text}");
    }
}

#[test]
fn header_trailer_and_gaps_speak_of_the_trace() {
    let header = "{\"papaver\": 1, \"source\": \"me 1\", \"time\": \"ms\"}\n";
    let event = "{\"port\": \"call\", \"name\": \"a\", \"time\": 3}\n";
    let gap = "{\"papaver\": 1, \"port\": \"gap\", \"lost\": 5}\n";
    let trailer = "{\"papaver\": 1, \"port\": \"trailer\", \"events\": 2, \"lost\": 5, \"end\": \"halted\"}\n";
    let whole = format!("{header}{event}{gap}{event}{trailer}");
    assert_eq!(
        answers(&whole, "trace_info(source, S), trace_info(lost, L), trace_info(end, E)"),
        "S = \"me 1\", L = 5, E = \"halted\"\n"
    );
    assert_eq!(answers(&whole, "trace_info(events, N), blind(From, To)"), "N = 2, From = 3000000, To = 3000000\n");
    assert_eq!(answers(&whole, "every_call_ends, sound(event([name=a])), \\+ sound(\\+ event([name=b]))"), "true\n");
    let broken_off = format!("{header}{event}");
    assert_eq!(answers(&broken_off, "trace_info(unfinished, U)"), "U = true\n");
    assert_eq!(answers(&broken_off, "blind(From, To), To > 3_000_000"), "From = 3000000, To = inf\n");
    let (_folder, path) = file("trace.jsonl", &whole);
    let written = stdout(papaver().args(["convert", "-o", "-", "--to=jsonl"]).arg(&path), 0);
    assert!(written.contains("{\"papaver\": 1, \"port\": \"gap\", \"lost\": 5}\n"), "{written}");
    assert!(written.ends_with("\"events\": 2, \"lost\": 5, \"end\": \"halted\"}\n"), "{written}");
}

#[test]
fn an_unfinished_trace_is_named_wherever_it_is_read() {
    let header = "{\"papaver\": 1, \"source\": \"me 1\"}\n";
    let event = "{\"port\": \"call\", \"name\": \"a\"}\n";
    let trailer = "{\"papaver\": 1, \"port\": \"trailer\", \"events\": 1}\n";
    let n_notes = |lines: &str, arguments: &[&str]| {
        let (_folder, path) = file("trace.jsonl", lines);
        let text = stderr(papaver().args(arguments).arg(&path).write_stdin("trace_info(events, N).\n"), 0);
        text.matches("trace.jsonl: there is no trailer").count()
    };
    let cut = format!("{header}{event}");
    assert_eq!(n_notes(&cut, &["query", "event([name=a])"]), 1);
    assert_eq!(n_notes(&cut, &["query", "trace_info(events, N)", "-q"]), 0);
    assert_eq!(n_notes(&cut, &[]), 1);
    assert_eq!(n_notes(&format!("{cut}{trailer}"), &["query", "event([name=a])"]), 0);
    assert_eq!(n_notes(event, &["query", "event([name=a])"]), 0);
    let (_folder, script) = file("rules.pl", "check(n) :- never([name=q]).\n");
    let follow = ["check", "--follow", "--until-idle", "0.2", script.to_str().expect("the path is text")];
    assert_eq!(n_notes(&cut, &follow), 1);
    assert_eq!(n_notes(&format!("{cut}{trailer}"), &follow), 0);
    assert_eq!(n_notes(event, &follow), 0);
}

#[test]
fn texts_of_terms_have_the_operators_of_the_scripts_that_are_loaded() {
    let lines = "{\"papaver\": 1, \"args\": \"terms\"}\n{\"port\": \"call\", \"name\": \"p\", \"args\": [\"a ==> b\"]}\n\
                 {\"papaver\": 1, \"port\": \"trailer\"}\n";
    let (folder, path) = file("trace.jsonl", lines);
    let script = folder.path().join("rules.pl");
    let rules =
        ":- op(700, xfx, ==>).\nrule(A, B) :- event([args=[(A ==> B)]]).\ncheck(h) :- never([args=[_ ==> b]]).\n";
    std::fs::write(&script, rules).expect("temporary files can be written");
    let load = |command: &[&str]| {
        let mut papaver = papaver();
        papaver.args(command).args(["-q", "-l"]).arg(&script).arg(&path);
        papaver
    };
    assert_eq!(stdout(&mut load(&["query", "rule(A, B)"]), 0), "A = a, B = b\n");
    assert_eq!(stdout(load(&[]).write_stdin("rule(A, b).\n"), 0), "A = a.\n");
    for follow in [&[][..], &["--follow", "--until-idle", "0.2"]] {
        let text = stdout(load(&["check"]).args(follow).arg(&script), 1);
        assert!(text.contains("violated h"), "{text}");
    }
    assert!(!stdout(&mut load(&["info"]), 0).contains("is no term"));
    assert!(stdout(papaver().arg("info").arg(&path), 0).contains("`a ==> b` is no term"));
}

#[test]
fn merged_traces_keep_their_headers_trailers_gaps_and_parents() {
    let event = |port: &str, name: &str, thread: u32, time: u32| {
        format!("{{\"port\": \"{port}\", \"name\": \"{name}\", \"tid\": {thread}, \"time\": {time}}}\n")
    };
    let header = |program: &str| format!("{{\"papaver\": 1, \"source\": \"{program}\", \"recorder\": \"r 1\"}}\n");
    let gap = "{\"papaver\": 1, \"port\": \"gap\", \"lost\": 5}\n";
    let trailer = "{\"papaver\": 1, \"port\": \"trailer\", \"events\": 5, \"lost\": 5, \"end\": \"halted\"}\n";
    // the threads 1 and 2 of both logs have boxes that overlap
    let mut one = header("one") + &event("call", "a", 1, 10) + &event("call", "b", 2, 20) + &event("call", "c", 1, 30);
    one += &(gap.to_owned() + &event("exit", "c", 1, 60) + &event("call", "d", 2, 70) + trailer);
    let two = header("two") + &event("call", "x", 1, 15) + &event("call", "y", 2, 25) + &event("call", "z", 1, 35);
    let (folder, a) = file("a.jsonl", &one);
    let b = folder.path().join("b.jsonl");
    std::fs::write(&b, two).expect("temporary files can be written");
    let merged = |goal: &str| stdout(papaver().args(["query", "-q", "--merge", goal]).args([&b, &a]), 0);
    let parents =
        "event([name=N, port=call, call=C]), (parent(C, P), event([port=call, call=P, name=M]) -> true ; M = none)";
    let only_names = format!("findall(N-M, ({parents}), L)");
    assert_eq!(merged(&only_names), "L = [a-none, x-none, b-none, y-none, c-a, z-x, d-b]\n");
    assert_eq!(merged("trace_info(recorder, R), trace_info(lost, L)"), "R = \"r 1\", L = 5\n");
    assert_eq!(
        merged("trace_info('b.jsonl.source', S), trace_info('a.jsonl.end', E)"),
        "S = \"two\", E = \"halted\"\n"
    );
    // events 5 and 7 are those of the first log around its gap; the second log ends with event 6
    assert_eq!(merged("'$recording_gap'(A, B)"), "A = 5, B = 7\nA = 6, B = 9\nA = 8, B = 9\n");
    for sound in ["event([chrono=1..4, name=y])", "\\+ event([chrono=1..4, name=q])"] {
        assert_eq!(merged(&format!("sound({sound})")), "true\n");
    }
    stdout(papaver().args(["query", "-q", "--merge", "sound(\\+ event([name=q]))"]).args([&a, &b]), 1);
    let note = stderr(papaver().args(["query", "--merge", "event([name=x])"]).args([&a, &b]), 0);
    assert!(note.contains("note: b.jsonl: there is no trailer"), "{note}");
    for ending in ["papaver", "jsonl"] {
        let written = folder.path().join(format!("both.{ending}"));
        stdout(papaver().args(["convert", "-q", "--merge", "-o"]).arg(&written).args([&a, &b]), 0);
        for goal in [&*only_names, "'$recording_gap'(A, B)", "trace_info(lost, L)"] {
            assert_eq!(
                stdout(papaver().args(["query", "-q", goal]).arg(&written), 0),
                merged(goal),
                "{ending}: {goal}"
            );
        }
    }
}

#[test]
fn types_of_live_variables_are_terms_and_values_that_are_no_terms_are_strings_one_by_one() {
    let vars = |list: &str| format!("{{\"port\": \"call\", \"name\": \"p\", \"vars\": {}}}\n", serde_json::json!(list));
    let lines = vars("[live_var(\"X\", [1], \"t\"), live_var(\"Y\", 2-[|]/2, \"t\")]") + &vars("<<none>>");
    assert_eq!(
        answers(&lines, "event([vars=V])"),
        "V = [live_var(\"X\", [1], t), live_var(\"Y\", \"2-[|]/2\", t)]\nV = \"<<none>>\"\n"
    );
    let typed = vars("[live_var(\"X\", \"a\", \"list:list(int)\"), live_var(\"Y\", 1, map(k, v))]");
    assert_eq!(
        answers(&typed, "event([vars=V])"),
        "V = [live_var(\"X\", \"a\", list:list(int)), live_var(\"Y\", 1, map(k, v))]\n"
    );
    assert_eq!(
        answers(&lines, "integrity('T1', _, What)"),
        "What = \"line 1: `2-[|]/2` is no term and is kept as a string, and so is 1 more\"\n"
    );
}

#[test]
fn lines_are_indented_from_the_least_depth_of_the_trace() {
    let event = |port: &str, name: &str, depth: i64| {
        format!("{{\"port\": \"{port}\", \"name\": \"{name}\", \"depth\": {depth}}}\n")
    };
    let from = |least: i64| {
        let (a, b) = (least, least + 1);
        format!("{}{}{}", event("call", "a", a), event("call", "b", b), event("exit", "b", b)) + &event("exit", "a", a)
    };
    let (folder, path) = file("trace.jsonl", &from(33));
    let deep = "  1: 1 [33] call a()\n  2:  2 [34] call b()\n  3:  2 [34] exit b()\n  4: 1 [33] exit a()\n";
    let saved = folder.path().join("trace.papaver");
    stdout(papaver().args(["convert", "-o"]).arg(&saved).arg(&path), 0);
    for path in [&path, &saved] {
        assert_eq!(stdout(papaver().args(["query", "-q", "fget([])"]).arg(path), 0), deep);
        assert_eq!(stdout(papaver().args(["query", "-q", "use_hooks, forall(fget([]), true)"]).arg(path), 0), deep);
    }
    assert_eq!(answers(&from(33), "use_hooks, fget([chrono=2])"), "  2:  2 [34] call b()\n");
    assert_eq!(answers(&from(1), "fget([chrono=2])"), "  2:  2 [2] call b()\n");
}

#[test]
fn an_array_is_read_like_its_lines_and_other_documents_are_named() {
    let array = "[\n  {\"port\": \"call\", \"name\": \"a\"},\n  {\"port\": \"exit\",\n   \"name\": \"a\"}\n]\n";
    assert_eq!(answers(array, "event([port=P, call=C])"), "P = call, C = 1\nP = exit, C = 1\n");
    let (_folder, path) = file("logs.json", "{\"resourceLogs\": [{\"scopeLogs\": []}]}");
    let text = stderr(papaver().arg("info").arg(&path), 2);
    assert!(text.contains("looks like an OpenTelemetry export"), "{text}");
}

#[test]
fn lint_says_what_a_recorder_could_do_better() {
    let lines = "{\"port\": \"call\", \"name\": \"a\", \"depth\": \"x\", \"time\": 5, \"pid\": 1}\n{\"port\": \"log\", \"time\": 4, \"pid\": 1}\n{\"level\": 3}\n";
    let (_folder, path) = file("trace.jsonl", lines);
    let text = stdout(papaver().args(["info", "--lint"]).arg(&path), 0);
    for expected in [
        "  level: an attribute that this trace declares; 1 of 3 events, such as 3\n",
        "  a header: a first line",
        "  ends of boxes: no event has the port `exit`",
        "  line 1: expected an integer for `depth`, found `\"x\"`: kept as `depth_`\n",
        "  line 2: `time` goes back within a thread (the first of 1)\n",
        "  line 1: call 1 never ends (the first of 1)\n",
        "  line 3: no `pid`, `thread` or `tid`, which others have (the first of 1)\n",
    ] {
        assert!(text.contains(expected), "{expected:?} in {text}");
    }
}

#[test]
fn overlapping_boxes_have_tracks_of_their_own_in_a_picture() {
    let lines = r#"{"port": "call", "name": "a", "call": 1, "parent": 0, "time": 1000, "thread": 7}
{"port": "call", "name": "b", "call": 2, "parent": 0, "time": 2000, "thread": 7}
{"port": "exit", "name": "a", "call": 1, "time": 3000, "thread": 7}
{"port": "exit", "name": "b", "call": 2, "time": 4000, "thread": 7}
"#;
    let (_folder, path) = file("trace.jsonl", lines);
    let text = stdout(papaver().args(["convert", "-o", "-", "--to=chrome"]).arg(&path), 0);
    let picture: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ends: Vec<String> = picture["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["ph"] == "E")
        .map(|item| format!("{} {}", item["name"], item["ts"]))
        .collect();
    assert_eq!(ends, ["\"a\" 3.000", "\"b\" 4.000"]);
    assert!(text.contains("thread 7 (2)"), "{text}");
}

/// A trace without the parts that differ from run to run.
fn steady(trace: &str) -> Vec<serde_json::Value> {
    let objects = trace.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    objects
        .map(|mut object| {
            ["time", "source"]
                .iter()
                .for_each(|key| drop(object.as_object_mut().and_then(|entries| entries.remove(*key))));
            object
        })
        .collect()
}

#[test]
fn the_recorder_of_the_manual_writes_the_trace_of_the_manual() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recorder");
    let (_guard, path) = file("sort.jsonl", "");
    let ran = Command::new("python3").args(["record.py", "sort.py"]).arg(&path).current_dir(&folder).output();
    let Ok(output) = ran else {
        eprintln!("skipped: there is no python3 to run the recorder with");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |path: &Path| steady(&std::fs::read_to_string(path).unwrap());
    assert_eq!(read(path.as_ref()), read(&folder.join("sort.jsonl")));
    stderr(papaver().args(["query", "-q", "--strict", "every_call_ends, boxes_nest"]).arg(&path), 0);
}
