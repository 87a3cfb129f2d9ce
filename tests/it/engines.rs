//! `papaver query --engine`: an SQL engine gives the answers that papaver gives, written in the same way.

use std::path::Path;

use tempfile::TempDir;

use crate::each::test_cases;
use crate::support::{Random, data, file, has_duckdb, papaver, stderr, stdout};

/// A trace that was exported.
fn exported(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = papaver();
    command.args(["export", "-q", "--force", &data(name), "-o"]).arg(folder.path());
    stdout(&mut command, 0);
    folder
}

/// Options and a goal, each with the exit status.
const QUESTIONS: &[(&[&str], &str, i32)] = &[
    (&[], "event([port=exit, name=safe])", 0),
    (&[], "event([port=exit, name=N, arity=A, chrono=C]), C > 650", 0),
    (&["--to", "json"], "fget([port=exit, name=N]), fget_np([port=call])", 0),
    (&["--to", "json", "--first"], "fget([port=fail])", 0),
    (&["--to", "csv"], "fget([port=fail, name=nodiag])", 0),
    (&["--to", "csv", "-n", "3"], "event([proc=P, depth=D]), D > 3", 0),
    (&["--to", "table"], "tally(P, event([port=P]), Ps), member(P-N, Ps)", 0),
    (&[], "aggregate_all(count, event([port=exit, call=K]), N)", 0),
    (&["--to", "json"], "aggregate_all(count, event([port=exit, call=K]), N)", 0),
    (&["--to", "csv"], "event([chrono=C, call=3]), \\+ event([chrono=C, depth=D, port=fail])", 0),
    (&["--to", "table"], "event([chrono=C, call=3]), \\+ event([chrono=C, depth=D, port=fail])", 0),
    (&["--count"], "event([port=call]), event([port=fail])", 0),
    (&["--count", "-n", "3"], "event([port=call])", 0),
    (&[], "tally(P, event([port=call, proc=P]), Ps)", 0),
    (&[], "findall(p(N, 1, x), event([port=fail, name=N]), L), length(L, Length)", 0),
    (&[], "sum_by(N, D, event([name=N, depth=D]), Sums)", 0),
    (&[], "tally(N, event([name=N, chrono > 100000]), Ps)", 0),
    (&[], "event([port=exit, name=no_such_name])", 1),
    (&["--first"], "event([name=data])", 0),
    (&["--to", "none"], "event([name=data])", 0),
    (&[], "\\+ event([depth > 1000])", 0),
    (&["--show", "line_number"], "fget([name=data])", 0),
    (&[], "event([port=exit, name=qperm, args=[[1|_]|_]])", 0),
    (&["--to", "json"], "event([port=exit, name=qperm, args=[[A|_], B]]), A > 3", 0),
    (&["--count"], "event([goal_path=[c2|_]])", 0),
    (&["--to", "csv"], "event([goal_path=[], port=fail, name=N, chrono=C])", 0),
    (&[], "event([port=exit, name=qdelete, args=[X|_], chrono=C]), \\+ event([port=fail, args=[X|_]])", 0),
    (&[], "fget([port=call, name=safe]), event([port=fail, chrono > 500, name=N])", 0),
    (&["-n", "2"], "event([arg(1)=[3|_], depth=D, chrono=C])", 0),
    (&[], "event([port=call, args=[no_such_term]])", 1),
    (&[], "fget_np([port=exit, depth=3, name=N])", 0),
    (&[], "fget_np([port=exit, depth=3]), stack(S)", 0),
    (&["--to", "json"], "event([port=fail, depth > 6, chrono=C, stack=S])", 0),
    (
        &["--to", "csv"],
        "event([chrono=C, stack=S]), member([level(L), detail(E, K, _), _, proc(-, \"safe\", 1, _)|_], S)",
        0,
    ),
    (&[], "stack(S)", 1),
    (
        &["--to", "csv"],
        "event([port=call, name=safe, call=K]), ancestor(C, K), event([call=C, port=fail, chrono=X])",
        0,
    ),
];

test_cases! { duckdb_answers_as_papaver_does, ask: question_0_3_6 0, question_1_4_7 1, question_2_5_8 2 }

/// Every third question, from a first one on.
fn ask(first: usize) {
    if !has_duckdb() {
        return;
    }
    let folder = exported("queens.trace");
    for (options, goal, status) in QUESTIONS.iter().skip(first).step_by(3) {
        let expected = stdout(papaver().args(["query", "-q", goal, &data("queens.trace")]).args(*options), *status);
        let mut command = papaver();
        command.args(["query", "-q", "--engine", "duckdb", goal]).arg(folder.path()).args(*options);
        assert_eq!(stdout(&mut command, *status), expected, "{goal} {options:?}");
    }
}

/// A file in `examples`.
fn example(name: &str) -> String {
    format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

test_cases! {
    goals_about_derived_traces_are_answered_as_papaver_does, ask_about_derived:
    meetings Derived {
        trace: "derived/critical.trc",
        script: "derived/meetings.pl",
        name: "meetings",
        goals: &[
            "tally(Pid, event([port=call, pid=Pid]), Pairs)",
            "event([port=call, call=C, origin=A]), event([port=accept, call=C, origin=B]), Waited is B - A",
            "fget([port=accept, server=S])",
            "event([port=accept, depth=D, call=C])",
            "call_end(C, E)",
            "fget([port=exit]), stack(S)",
        ],
    },
    requests Derived {
        trace: "spans/depot.jsonl",
        script: "derived/requests.pl",
        name: "requests",
        goals: &[
            "event([port=exception, name=N, call=C, origin=O]), parent(C, P), once(event([call=P, name=Outer]))",
            "event([name=N, service=S, time=T, chrono=C])",
            "sum_by(S, D, event([service=S, duration=D]), Ds)",
        ],
    },
    goals Derived {
        trace: "derived/interpreter.jsonl",
        script: "derived/goals.pl",
        name: "goals",
        goals: &[
            "fget([depth=4])",
            "tally(N, event([port=call, name=N]), Ns), in_trace(source, event([chrono=9, name=S]))",
        ],
    },
}

/// A trace, the script and name of a derived one, and goals about that.
struct Derived {
    trace: &'static str,
    script: &'static str,
    name: &'static str,
    goals: &'static [&'static str],
}

fn ask_about_derived(Derived { trace, script, name, goals }: Derived) {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = papaver();
    command.args(["export", "-q", "--force", &example(trace), "-o"]).arg(folder.path());
    stdout(&mut command, 0);
    let on = ["-q", "-l", &example(script), "--on", name];
    for goal in goals {
        for form in [&["--to=text"][..], &["--to=json"], &["--to=csv", "-n2"], &["--count"]] {
            let asked = |more: &[&str], path: &Path| {
                let mut command = papaver();
                command.arg("query").args(on).args(form).args(more).arg(goal).arg(path);
                stdout(&mut command, 0)
            };
            let expected = asked(&[], Path::new(&example(trace)));
            let found = asked(&["--engine", "duckdb"], folder.path());
            assert_eq!(without_lines(&found), without_lines(&expected), "{goal} {form:?}");
        }
    }
    let (_folder, checks) = file(
        "checks.pl",
        "check(ends) :- forall(event([port=call, call=C]), event([port=[exit, exception], call=C])).\n\
         check(shallow) :- never([depth > 1]).\n\
         check(many) :- exists([port=call], at_least(3)).\n",
    );
    let checked = |more: &[&str], path: &Path| {
        let output = papaver().arg("check").args(on).args(more).arg(&checks).arg(path).output().expect("it runs");
        assert!(output.status.code().is_some_and(|status| status < 2), "{name}: {output:?}");
        String::from_utf8(output.stdout).expect("papaver writes UTF-8").replace(&path.display().to_string(), "TRACE")
    };
    let expected = checked(&[], Path::new(&example(trace)));
    assert_eq!(without_lines(&checked(&["--engine", "duckdb"], folder.path())), without_lines(&expected), "{name}");
}

#[test]
fn any_command_can_be_the_engine() {
    let folder = exported("queens.trace");
    let mut command = papaver();
    command.args(["query", "--engine", "duckdb", "--engine-command"]);
    command.arg(
        "grep -q 'FROM events' && echo '[\"a\", 7, null]' && echo '{\"N\": \"b c\", \"C\": 8, \"chrono_\": null}'",
    );
    command.arg("event([name=N, chrono=C])").arg(folder.path());
    assert_eq!(stdout(&mut command, 0), "N = a, C = 7\nN = 'b c', C = 8\n");
    for (engine, message) in [
        ("echo nothing", "the engine gave another row than papaver asked for"),
        ("echo '[1]'", "the engine gave another row than papaver asked for"),
        ("echo 'no such table' >&2; exit 3", "duckdb: no such table"),
    ] {
        let mut command = papaver();
        command.args(["query", "--engine", "duckdb", "--engine-command", engine, "event([name=N])"]).arg(folder.path());
        let found = stderr(&mut command, 2);
        assert!(found.contains(message), "{engine}: {found}");
    }
}

#[test]
fn a_missing_engine_is_named_with_how_to_install_it() {
    let folder = exported("queens.trace");
    for (engine, advice) in [("duckdb", "pip install duckdb"), ("spark", "pip install pyspark")] {
        let mut command = papaver();
        command
            .args(["query", "--engine", engine, "event([name=N])"])
            .arg(folder.path())
            .env("PATH", "/no/such/folder");
        assert!(stderr(&mut command, 2).contains(advice));
    }
}

#[test]
fn what_an_engine_cannot_answer_is_an_error_at_its_place() {
    let folder = exported("queens.trace");
    for (goal, place) in [
        ("fget([port=call]), call_start(1, _)", "query:1:1: error: as text, every event that this moves to is shown"),
        ("event([duration > 3, args=[_|_]])", "query:1:8: error: "),
        ("event([port=call]), assertz(a)", "query:1:21: error: `assertz/1` is not compiled to SQL"),
    ] {
        let mut command = papaver();
        command.args(["query", "--engine", "duckdb", goal]).arg(folder.path());
        let message = stderr(&mut command, 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
    let message = stderr(papaver().args(["query", "--engine", "duckdb", "true", &data("queens.trace")]), 2);
    assert!(message.contains("`--engine` asks a folder of `papaver export`"), "{message}");
    let loops = ":- derived_trace(one, two, [origin=X], event([chrono=X])).\n\
                 :- derived_trace(two, one, [origin=X], event([chrono=X])).\n\
                 :- derived_trace(args, [origin=X, args=[f(N)]], event([chrono=X, depth=N])).\n\
                 :- derived_trace(wide, [origin=X, port=D], event([chrono=X, depth=D])).\n";
    let chain = |n: usize| format!(":- derived_trace(d{n}, d{}, [origin=X], event([chrono=X])).\n", n - 1);
    let chains: String = (1..100).map(chain).collect();
    let first = ":- derived_trace(d0, [origin=X], event([chrono=X])).\n";
    let (_folder, script) = file("derived.pl", &[loops, first, &chains].concat());
    for (name, message) in [
        ("none", "--on:1:1: error: no script that is loaded declares the derived trace `none`"),
        ("one", "error: the trace `one` is derived from itself"),
    ] {
        for command in [&["query", "--engine", "duckdb", "true"][..], &["sql", "true"], &["sql", "--explain", "true"]] {
            let found =
                stderr(papaver().args(command).arg("-l").arg(&script).args(["--on", name]).arg(folder.path()), 2);
            assert!(found.contains(message), "{name} {command:?}: {found}");
        }
    }
    for (name, message) in
        [("wide", "error: expected an atom"), ("d99", "the trace is derived from too many others for SQL")]
    {
        let mut command = papaver();
        command.args(["sql", "true", "-l"]).arg(&script).args(["--on", name]).arg(folder.path());
        assert!(stderr(&mut command, 2).contains(message), "{name}");
    }
    let mut explained = papaver();
    explained
        .args(["sql", "--explain", "-l"])
        .arg(&script)
        .args(["--on", "args", "event([port=N])"])
        .arg(folder.path());
    let explained = stdout(&mut explained, 0);
    assert!(explained.contains("the engine answers the goal"), "{explained}");
}

/// Arguments that are the same terms in different spellings, and others.
const SPELLINGS: [&str; 20] = [
    "1",
    "01",
    "0x1",
    "0'\\u{1}",
    "-1",
    "- 1",
    "(1)",
    "1.0",
    "foo",
    "'foo'",
    "fo",
    "foo1",
    "[1,2]",
    "[ 1 , 2 ]",
    "[1|[2]]",
    "[01, 2, 3]",
    "[[1]]",
    "[]",
    "'[]'",
    "[foo]",
];

test_cases! {
    patterns_of_arguments_find_every_spelling, find_patterns:
    of_one_argument "arg(1)=PATTERN", of_the_first_ones "args=[PATTERN|_]", of_all "args=[PATTERN, x]",
}

fn find_patterns(constraint: &str) {
    if !has_duckdb() {
        return;
    }
    let header = "{\"papaver\": 1, \"port\": \"header\", \"args\": \"terms\"}\n".to_string();
    let event = |text: &&str| {
        let text = text.replace('\\', "\\\\");
        format!("{{\"port\": \"exit\", \"name\": \"p\", \"args\": [\"{text}\", \"x\"]}}\n")
    };
    let lines: String = std::iter::once(header).chain(SPELLINGS.iter().map(event)).collect();
    let (folder, trace) = file("t.jsonl", &lines);
    let lake = folder.path().join("lake");
    stdout(papaver().args(["export", "-q"]).arg(&trace).arg("-o").arg(&lake), 0);
    for pattern in
        ["1", "-1", "foo", "[1|_]", "[1, 2]", "[1, X|_]", "[[1|_]|_]", "[]", "[foo]", "[1, 2, 3]", "f(_)", "9"]
    {
        let goal = format!("event([{}, chrono=C])", constraint.replace("PATTERN", pattern));
        let expected = papaver().args(["query", "-q", &goal]).arg(&trace).output().unwrap();
        let found = papaver().args(["query", "-q", "--engine", "duckdb", &goal]).arg(&lake).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), String::from_utf8_lossy(&expected.stdout), "{goal}");
        assert_eq!(found.status, expected.status, "{goal}: {}", String::from_utf8_lossy(&found.stderr));
    }
}

/// A script of checks, and what `papaver check` says of it, with the trace's name instead of its path.
fn checked(options: &[&str], script: &Path, trace: &str, status: i32) -> String {
    let mut command = papaver();
    command.args(["check", "-q"]).args(options).arg(script).arg(trace);
    stdout(&mut command, status).replace(trace, "TRACE")
}

/// Without the places of lines in the trace's file, which a folder does not have.
fn without_lines(text: &str) -> String {
    let plain = |line: &str| match line.split_once("TRACE:") {
        Some((before, after)) => {
            let rest = after.split_once(':').filter(|(number, _)| number.parse::<u32>().is_ok()).map(|(_, rest)| rest);
            let at_two = after.starts_with(' ').then_some(after);
            format!("{before}TRACE:{}", at_two.or(rest).unwrap_or(after))
        }
        None => line.to_string(),
    };
    text.lines().map(|line| plain(line) + "\n").collect()
}

/// Checks of each word, scope and kind, some of which hold, are vacuous, or do not hold.
const CHECKS: &str = "\
check(no_exception) :- never([port=exception]).
check(queen_ends) :- responds([port=[exit, fail], call=C], [port=call, name=queen, call=C]).
check(no_fail) :- never([port=fail, name=safe]).
check(depths) :- always([depth=1..9]).
check(shallow) :- always([depth < 4]).
check(one_main) :- exists([port=call, name=main], exactly(1)).
check(five_queens) :- exists([port=call, name=queen], at_least(5)).
check(called_first) :- precedes([port=call, call=C], [port=exit, call=C]).
check(pattern) :- never([port=exit, name=qperm, args=[[1|_]|_]]).
check(near) :- responds([port=[exit, fail, redo], call=C], [port=call, call=C], globally, within(chrono, 10)).
check(far) :- precedes([port=call, call=C], [port=[exit, fail], call=C], globally, within(chrono, 2..600)).
check(between) :- never([port=fail], between([port=call, name=qperm, call=C], [port=exit, call=C])).
check(after) :- always([depth > 1], after([name=print_list])).
check(before) :- always([depth < 9], before([name=print_list])).
check(until) :- always([depth > 1], after_until([port=call, name=queen], [port=exit, name=queen])).
check(chain) :- precedes([[port=call, name=data], [port=exit, name=data]], [port=call, name=queen]).
check(nowhere) :- never([port=fail], after([name=no_such_name])).
check(both) :- never([port=exception]), exists([port=redo, name=qperm]).
check(ruled) :- ends(qperm).
check(all) :- forall(event([port=exit, call=C]), event([port=call, call=C])).
check(some) :- forall(event([port=call, name=qperm, call=C]), event([port=exit, call=C])).
check(none) :- \\+ event([port=fail, name=queen]).
check(one) :- \\+ event([port=fail, name=nodiag, depth=_]).
check(there) :- event([name=qperm, port=redo]).
check(counted) :- aggregate_all(count, event([port=exit]), N), N > 100.
ends(Name) :- responds([port=[exit, fail], call=C], [port=call, name=Name, call=C]).
";

#[test]
fn checks_are_decided_as_on_the_whole_trace() {
    if !has_duckdb() {
        return;
    }
    let folder = exported("queens.trace");
    let (_scripts, script) = file("checks.pl", CHECKS);
    for options in [&[][..], &["--to", "json"], &["--to", "junit"], &["--no-vacuous"]] {
        let expected = without_lines(&checked(options, &script, &data("queens.trace"), 1));
        let engine = [options, &["--engine", "duckdb"]].concat();
        let found = without_lines(&checked(&engine, &script, &folder.path().to_string_lossy(), 1));
        if options.contains(&"json") || options.contains(&"junit") {
            assert_eq!(found.matches("violated").count(), expected.matches("violated").count(), "{found}");
        } else {
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn the_total_of_exported_folders_is_that_of_their_traces() {
    if !has_duckdb() {
        return;
    }
    let names = ["queens.trace", "qsort.trace"];
    let folders = names.map(exported);
    // an engine does not tell why a goal has no answer, as that of `there` on one of the traces
    let checks: String = CHECKS.split_inclusive('\n').filter(|line| !line.contains("(there)")).collect();
    let (_scripts, script) = file("checks.pl", &checks);
    let total = |options: &[&str], traces: [String; 2]| {
        let mut command = papaver();
        command.args(["check", "-q", "--total"]).args(options).arg(&script).args(&traces);
        let text = stdout(&mut command, 1);
        without_lines(&traces.iter().fold(text, |text, trace| text.replace(trace.as_str(), "TRACE")))
    };
    let expected = total(&[], names.map(data));
    let paths = folders.each_ref().map(|folder| folder.path().display().to_string());
    assert_eq!(total(&["--engine", "duckdb"], paths), expected);
    assert!(expected.contains("2 traces, 1 violated, first in TRACE\n"), "{expected}");
}

/// Events with few values, and checks about them with shared variables.
fn random_script(random: &mut Random, n_checks: usize) -> String {
    let list = |random: &mut Random, variables: &[&str]| {
        let mut items = vec![format!("port=[{}]", random.of(&["a", "b", "c", "a, b", "b, c"]))];
        for name in ["x", "y"] {
            match random.below(4) {
                0 => items.push(format!("{name}={}", random.below(3))),
                1 if !variables.is_empty() => items.push(format!("{name}={}", random.of(variables))),
                2 => items.push(format!("{name} < {}", random.below(4))),
                _ => {}
            }
        }
        format!("[{}]", items.join(", "))
    };
    let check = |number: usize, random: &mut Random| {
        let word = random.of(&["never", "exists", "precedes", "responds", "always"]);
        let variables: &[&str] = if word == "always" { &[] } else { &["A", "B"] };
        let mut args = vec![list(random, variables)];
        if matches!(word, "precedes" | "responds") {
            args.push(list(random, variables));
        }
        if word == "exists" && random.below(2) == 0 {
            args.push(format!("{}({})", random.of(&["at_least", "at_most", "exactly"]), random.below(4)));
        }
        args.push(match random.below(5) {
            0 => "globally".to_string(),
            1 => format!("before({})", list(random, variables)),
            2 => format!("after({})", list(random, variables)),
            3 => format!("between({}, {})", list(random, variables), list(random, variables)),
            _ => format!("after_until({}, {})", list(random, variables), list(random, variables)),
        });
        if word != "exists" && random.below(3) == 0 {
            let (least, width) = (random.below(6), random.below(6));
            let range = if least > 2 { format!("{least}..{}", least + width) } else { width.to_string() };
            args.push(format!("within({}, {range})", random.of(&["chrono", "t"])));
        }
        format!("check(c{number}) :- {word}({}).\n", args.join(", "))
    };
    (0..n_checks).map(|number| check(number, random)).collect()
}

#[test]
fn random_checks_are_decided_as_on_the_whole_trace() {
    if !has_duckdb() {
        return;
    }
    let mut random = Random(7);
    for _ in 0..3 {
        let event = |random: &mut Random| {
            let mut event = format!("{{\"port\": \"{}\"", random.of(&["a", "b", "c"]));
            for (name, most) in [("x", 3), ("y", 3), ("t", 40)] {
                if random.below(5) > 0 {
                    event += &format!(", \"{name}\": {}", random.below(most));
                }
            }
            event + "}\n"
        };
        let lines: String = (0..40).map(|_| event(&mut random)).collect();
        let (folder, trace) = file("t.jsonl", &lines);
        let lake = folder.path().join("lake");
        stdout(papaver().args(["export", "-q"]).arg(&trace).arg("-o").arg(&lake), 0);
        let script = folder.path().join("checks.pl");
        std::fs::write(&script, random_script(&mut random, 150)).unwrap();
        let of = |options: &[&str], trace: &Path| {
            let output = papaver().args(["check", "-q"]).args(options).arg(&script).arg(trace).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            without_lines(&text.replace(&*trace.to_string_lossy(), "TRACE"))
        };
        let (expected, found) = (of(&[], &trace), of(&["--engine", "duckdb"], &lake));
        assert!(expected.matches("\nviolated ").count() > 20 && expected.matches("\nholds ").count() > 20);
        // without the last line, which counts
        for (one, other) in expected.lines().zip(found.lines()) {
            assert_eq!(other, one, "{}", std::fs::read_to_string(&script).unwrap());
        }
    }
}

#[test]
fn what_an_engine_cannot_decide_is_an_error_of_its_check() {
    if !has_duckdb() {
        return;
    }
    let folder = exported("queens.trace");
    let (_scripts, script) = file(
        "c.pl",
        "check(long) :- never([duration > 400]).\n\
         check(mixed) :- event([name=queen]), never([port=exception]).\n\
         check(shared) :- always([depth=D], after([port=call, depth=D])).\n\
         check(distance) :- responds([port=exit], [port=call], globally, within(self_time, 3)).\n\
         check(good) :- never([port=exception]).\n",
    );
    let found = checked(&["--engine", "duckdb"], &script, &folder.path().to_string_lossy(), 2);
    for said in [
        "c.pl:1:22: the folder has no column for `duration`: the trace does not have it, or papaver computes it from other events",
        "c.pl:2:17: an engine decides goals of never, exists, always, precedes and responds, or others, but not both in one check",
        "holds    good",
        "c.pl:3:25: an engine does not decide `always` with a variable that occurs elsewhere, too",
        "c.pl:4:29: the folder has no column for `self_time`: the trace does not have it, or papaver computes it from other events",
        "5 checks, 0 violated, 4 with errors",
    ] {
        assert!(found.contains(said), "{said}: {found}");
    }
    let whole = stderr(papaver().args(["check", "--engine", "duckdb"]).arg(&script).arg(data("queens.trace")), 2);
    assert!(whole.contains("`--engine` asks a folder of `papaver export`"), "{whole}");
}

/// A folder with two samples.
fn lake() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = papaver();
    let samples = [data("queens.trace"), data("qsort.trace")];
    command.args(["export", "-q", "--force"]).args(samples).arg("-o").arg(folder.path());
    stdout(&mut command, 0);
    folder
}

#[test]
fn each_trace_of_a_folder_is_asked() {
    if !has_duckdb() {
        return;
    }
    let (folder, top) = (lake(), data(""));
    let questions: [(&[&str], &str, i32); 11] = [
        (&[], "event([port=fail, depth > 3, chrono=C, name=N])", 0),
        (&[], "fget([port=exit, depth=1])", 0),
        (&["--to", "json"], "fget([port=fail, name=N]), fget_np([port=exit])", 0),
        (&["--to", "csv", "-n", "2"], "event([port=call, call=C]), ancestor(C, A)", 0),
        (&["--to", "csv"], "tally(P, event([port=P]), Ps), member(P-N, Ps)", 0),
        (&["--count"], "event([port=exit]), event([port=fail])", 0),
        (&["--first"], "event([port=exit, name=qdelete])", 0),
        (&["--total"], "aggregate_all(count, event([port=exit]), N)", 0),
        (&["--total", "--count"], "event([port=exit])", 0),
        (&["--total", "--to", "csv"], "tally(P, event([port=P]), Ps), member(P-N, Ps)", 0),
        (&["--total"], "aggregate_all(max(D), event([args=[_|_], depth=D]), Most)", 0),
    ];
    for (options, goal, status) in questions {
        let traces = [data("queens.trace"), data("qsort.trace")];
        let expected = stdout(papaver().args(["query", "-q", goal]).args(traces).args(options), status);
        let mut command = papaver();
        command.args(["query", "-q", "--engine", "duckdb", goal]).arg(folder.path()).args(options);
        let found = stdout(&mut command, status);
        let found = found.replace(&format!("{}/events/trace=", folder.path().display()), &top);
        assert_eq!(found, expected, "{goal} {options:?}");
    }
    let one = folder.path().join("events/trace=qsort.trace");
    let goal = "aggregate_all(count, event([port=exit]), N)";
    let expected = stdout(papaver().args(["query", goal, &data("qsort.trace")]), 0);
    assert_eq!(stdout(papaver().args(["query", "--engine", "duckdb", goal]).arg(&one), 0), expected);
    let events = folder.path().join("events");
    for (inside, name) in [(folder.path(), "events/trace=qsort.trace"), (&events, "trace=qsort.trace"), (&one, ".")] {
        let mut command = papaver();
        command.current_dir(inside).args(["query", "--engine", "duckdb", goal, name]);
        assert_eq!(stdout(&mut command, 0), expected, "{name}");
    }
    let total = ["--total", "fget([port=exit])"];
    let refused = stderr(papaver().args(["query", "--engine", "duckdb"]).args(total).arg(folder.path()), 2);
    assert_eq!(refused.matches("`--total` adds up").count(), 1, "{refused}");
}

#[test]
fn checks_are_decided_on_each_trace_of_a_folder() {
    if !has_duckdb() {
        return;
    }
    let folder = lake();
    let (_scripts, script) = file("checks.pl", CHECKS);
    let traces = [data("queens.trace"), data("qsort.trace")];
    let whole = stdout(papaver().args(["check", "-q"]).arg(&script).args(&traces), 1);
    let asked = stdout(papaver().args(["check", "-q", "--engine", "duckdb"]).arg(&script).arg(folder.path()), 1);
    let plain = |text: &str, top: &str| -> String {
        let text = text.replace(top, "TRACE:").replace("queens.trace", "").replace("qsort.trace", "");
        let text = without_lines(&text.replace("TRACE::", "TRACE:"));
        // why a goal has no answer is told only of a whole trace
        let without_reason = |line: &str| line.split(": no event has").next().unwrap_or_default().to_string() + "\n";
        text.lines().map(without_reason).collect()
    };
    let found = plain(&asked, &format!("{}/events/trace=", folder.path().display()));
    assert_eq!(found, plain(&whole, &data("")));
    assert!(whole.matches("violated").count() > 4, "{whole}");
}

#[test]
fn one_process_of_an_engine_takes_all_queries() {
    let folder = lake();
    if !has_duckdb() {
        return;
    }
    let log = folder.path().join("log");
    let text =
        format!("#!/bin/sh\necho started >> {}\nexport PATH=\"$OWN_PATH\"\nexec python3 \"$@\"\n", log.display());
    let (_script, python) = file("python3", &text);
    stdout(assert_cmd::Command::new("chmod").arg("+x").arg(&python), 0);
    let mut command = papaver();
    command.args(["query", "--count", "--engine", "duckdb", "event([port=exit])"]).arg(folder.path());
    command
        .env("OWN_PATH", std::env::var("PATH").unwrap())
        .env("PATH", python.parent().unwrap().join(":/bin:/usr/bin"));
    let counts = stdout(&mut command, 0);
    assert_eq!(counts.lines().count(), 2, "{counts}");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "started\n");
}

#[test]
fn recursion_without_an_end_is_an_error_of_the_engine() {
    if !has_duckdb() {
        return;
    }
    let folder = exported("queens.trace");
    let (_rules, rules) = file(
        "r.pl",
        "up(N) :- N < 0.\nup(N) :- M is N + 1, up(M).\n\
         round(C, A) :- parent(C, A).\nround(C, A) :- parent(C, B), child(B, C), round(C, A).\n\
         steps(C, 0) :- \\+ parent(C, _).\nsteps(C, N) :- parent(C, P), steps(P, M), N is M + 1.\n",
    );
    let asked = |goal: &str| {
        let mut command = papaver();
        command.args(["query", "--engine", "duckdb", goal, "-l"]).arg(&rules).arg(folder.path());
        command
    };
    for (goal, said) in [
        ("up(1)", "r.pl:2:22: more than 10000 calls of `up/1` are in each other"),
        ("round(9, A)", "r.pl:4:43: `round/2` calls itself with the same arguments, so that it does not end"),
    ] {
        let message = stderr(&mut asked(goal), 2);
        assert!(message.contains(said), "{goal}: {message}");
    }
    let goal = "event([port=call, name=nodiag, call=C]), steps(C, N), N > 8";
    let expected = stdout(papaver().args(["query", goal, "-l"]).arg(&rules).arg(data("queens.trace")), 1);
    assert_eq!(stdout(&mut asked(goal), 1), expected);
}
