//! Derived traces: events made of the solutions of a goal, in every command.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::support::{data, file, papaver, stderr, stdout};

/// Exits; all events of boxes; the calls of queen among those; exits and calls, in two parts.
const RULES: &str = "\
:- derived_trace(exits, [port=exit, name=N, call=C, origin=O], event([port=exit, name=N, call=C, chrono=O])).
:- derived_trace(boxes, [port=P, name=N, call=C, args=As, origin=O],
                 ( member(P, [fail, redo, exit, call]), event([port=P, name=N, call=C, args=As, chrono=O]) )).
:- derived_trace(queens, boxes, [port=P, name=queens, call=C, origin=O], event([name=queen, port=P, call=C, chrono=O])).
:- derived_trace(ends, [port=exit, call=C, origin=O], event([port=exit, call=C, chrono=O])).
:- derived_trace(ends, [port=call, call=C, origin=O], event([port=call, call=C, chrono=O])).
:- derived_trace(values, [name=v, origin=O, int=1, big=123456789012345678901234567890, float=0.5, atom='A b', text=\"t\",
                          term=f(X, [a|'B']), none=_, depth=4, pid=7],
                 ( event([chrono=10, chrono=O]), X = 1 )).
";

/// The names of a trace and of a file with these rules.
struct Rules {
    _folder: TempDir,
    path: PathBuf,
}

impl Rules {
    fn new(text: &str) -> Rules {
        let (folder, path) = file("rules.pl", text);
        Rules { _folder: folder, path }
    }

    /// The answers of a goal to queens, with further options.
    fn query(&self, options: &[&str], goal: &str) -> String {
        let mut command = papaver();
        command.args(["query", "-l"]).arg(&self.path).args(options).args([goal, &data("queens.trace")]);
        stdout(&mut command, 0)
    }

    /// What is wrong with a goal.
    fn error(&self, options: &[&str], goal: &str) -> String {
        let mut command = papaver();
        command.args(["query", "-q", "-l"]).arg(&self.path).args(options).args([goal, &data("queens.trace")]);
        stderr(&mut command, 2).replace(&*self.path.to_string_lossy(), "rules.pl")
    }
}

/// The lines of queens with these words as ports, with their numbers as the first word says.
fn lines_with(ports: &[&str]) -> Vec<(i64, String)> {
    let text = std::fs::read_to_string(data("queens.trace")).expect("the trace can be read");
    let event = |line: &str| {
        let chrono = line.split(':').next()?.trim().parse().ok()?;
        let port = line.split_whitespace().find(|word| ports.contains(word))?;
        Some((chrono, port.to_string()))
    };
    text.lines().filter_map(event).collect()
}

#[test]
fn an_event_is_made_of_each_solution() {
    let rules = Rules::new(RULES);
    let expected = lines_with(&["exit"]);
    assert_eq!(rules.query(&["--on", "exits", "--count"], "event([])"), format!("{}\n", expected.len()));
    let origins: Vec<i64> = expected.iter().map(|(chrono, _)| *chrono).collect();
    assert_eq!(rules.query(&["--on", "exits"], "findall(O, event([origin=O]), L)"), format!("L = {origins:?}\n"));
}

#[test]
fn events_are_in_the_order_of_their_origins() {
    let rules = Rules::new(RULES);
    let expected: Vec<i64> = lines_with(&["exit", "call"]).into_iter().map(|(chrono, _)| chrono).collect();
    assert_eq!(rules.query(&["--on", "ends"], "findall(O, event([origin=O]), L)"), format!("L = {expected:?}\n"));
}

#[test]
fn origins_lead_to_the_source_and_back() {
    let rules = Rules::new(RULES);
    let goal = "event([chrono=2, origin=O, name=N]), in_trace(source, event([chrono=O, port=P, name=M]))";
    let there = rules.query(&["--on", "exits"], goal);
    assert_eq!(there, rules.query(&["--on", "exits"], &goal.replace("source", "1")));
    let second = lines_with(&["exit"])[1].0;
    assert!(there.starts_with(&format!("O = {second}, N = ")), "{there}");
    let back = format!("in_trace(exits, event([origin={second}, chrono=C]))");
    assert_eq!(rules.query(&[], &back), "C = 2\n");
    let twice = "event([chrono=1, origin=O]), in_trace(source, ( event([chrono=O, origin=P]), in_trace(source, event([chrono=P, name=N])) ))";
    assert!(rules.query(&["--on", "queens"], twice).ends_with("N = queen\n"));
}

#[test]
fn depths_follow_from_the_nesting_of_boxes() {
    let rules = Rules::new(RULES);
    let goal = "forall(event([origin=O, depth=D, call=C]), in_trace(source, event([chrono=O, depth=D, call=C]))), \
                aggregate_all(count, event([]), N)";
    let n = lines_with(&["call", "exit", "fail", "redo"]).len();
    assert_eq!(rules.query(&["--on", "boxes"], goal), format!("N = {n}\n"));
    let goal = "forall(parent(C, P), in_trace(source, parent(C, P)))";
    assert_eq!(rules.query(&["--on", "boxes"], goal), "true\n");
}

#[test]
fn values_keep_their_kinds() {
    let rules = Rules::new(RULES);
    let goal = "event([int=I, big=B, float=F, atom=A, text=T, term=X, depth=D, pid=P, port=Q])";
    let expected = "I = 1, B = 123456789012345678901234567890, F = 0.5, A = 'A b', T = \"t\", X = f(1, [a|'B']), \
                    D = 4, P = 7, Q = event\n";
    assert_eq!(rules.query(&["--on", "values"], goal), expected);
    let missing = rules.error(&["--on", "values"], "event([nothing=X])");
    assert!(missing.contains("`nothing`"), "{missing}");
}

#[test]
fn each_trace_has_its_cursor_and_failure_undoes_moves() {
    let rules = Rules::new(RULES);
    let goal = "goto_np(10), in_trace(exits, ( fget_np([]), fget_np([]) )), current(chrono=A), in_trace(exits, current(chrono=B)), \
                ( in_trace(exits, fget_np([chrono=9])), fail ; in_trace(exits, current(chrono=C)) )";
    assert_eq!(rules.query(&["-n", "1"], goal), "A = 10, B = 2, C = 2\n");
}

#[test]
fn a_move_in_the_goal_of_a_rule_begins_before_the_first_event() {
    let rules = Rules::new(":- derived_trace(c, [origin=O], ( fget_np([port=call]), current(chrono=O) )).\n");
    let goal = "goto_np(300), in_trace(c, aggregate_all(count, event([]), N)), current(chrono=C)";
    let n = lines_with(&["call"]).len();
    assert_eq!(rules.query(&[], goal), format!("N = {n}, C = 300\n"));
}

#[test]
fn moves_in_the_goal_of_a_rule_print_nothing() {
    let rules = Rules::new(":- derived_trace(e, [port=exit, origin=O], ( fget([port=exit]), current([chrono=O]) )).");
    let counted = rules.query(&["--on", "e"], "aggregate_all(count, event([]), N)");
    assert_eq!(counted, format!("N = {}\n", lines_with(&["exit"]).len()));
    let moved = rules.query(&["--on", "e"], "fget([origin=O])");
    assert!(moved.contains("exit") && moved.contains("O = "), "{moved}");
}

#[test]
fn wrong_rules_are_told_with_their_place() {
    let told = |rule: &str| Rules::new(&format!("% first\n  :- {rule}.\n")).error(&["--on", "t"], "true");
    for (rule, expected) in [
        ("derived_trace(t, [port=exit], event([]))", "rules.pl:2:3: error: expected the attribute `origin`"),
        (
            "derived_trace(t, [chrono=1, origin=1], true)",
            "rules.pl:2:3: error: the attribute `chrono` follows from the",
        ),
        ("derived_trace(t, [p=a, port=b, origin=1], true)", "rules.pl:2:3: error: the attribute `port` is given twice"),
        ("derived_trace(t, [exit, origin=1], true)", "rules.pl:2:3: error: expected `Attribute = Value`"),
    ] {
        let error = told(rule);
        assert!(error.contains(expected), "{rule}: {error}");
    }
}

#[test]
fn errors_of_a_goal_are_told_with_their_place() {
    let told = |rule: &str| Rules::new(&format!("% first\n:- {rule}.\n")).error(&["--on", "t"], "true");
    for (rule, place, expected) in [
        ("derived_trace(t, [origin=O], ( event([chrono=O]), X is O + a, X > 0 ))", "rules.pl:2:54", "a/0"),
        ("derived_trace(t, [origin=O], event([prot=exit, chrono=O]))", "rules.pl:2:33", "`prot`"),
        (
            "derived_trace(t, [depth=d, origin=O], event([chrono=O]))",
            "rules.pl:2:",
            "expected an integer for the attribute `depth`",
        ),
        (
            "derived_trace(t, [origin=a], true)",
            "rules.pl:2:",
            "expected the number of an event for the attribute `origin`",
        ),
        ("derived_trace(t, [origin=999], true)", "rules.pl:2:", "there is no event 999"),
        ("derived_trace(t, [origin=_], true)", "rules.pl:2:", "expected the attribute `origin`"),
    ] {
        let error = told(rule);
        assert!(error.contains(place) && error.contains(expected), "{rule}: {error}");
    }
}

#[test]
fn a_trace_that_needs_itself_is_refused() {
    let rules = Rules::new(
        ":- derived_trace(a, b, [origin=O], event([chrono=O])).\n:- derived_trace(b, a, [origin=O], event([chrono=O])).\n\
         :- derived_trace(c, [origin=O], in_trace(c, event([chrono=O]))).\n\
         :- derived_trace(d, nowhere, [origin=O], event([chrono=O])).\n",
    );
    assert!(rules.error(&["--on", "a"], "true").contains("`a` needs `b` needs `a`"));
    assert!(rules.error(&["--on", "c"], "true").contains("`c` needs `c`"));
    assert!(rules.error(&["--on", "d"], "true").contains("no script says how `nowhere` is derived"));
    assert!(rules.error(&["--on", "e"], "true").contains("declared: `a`, `b`, `c`, `d`"));
    assert!(rules.error(&[], "in_trace(e, true)").contains("`e` is the name of no trace"));
    // an error does not stay
    let caught = "catch(in_trace(a, true), error(E, _), true), catch(in_trace(b, true), error(F, _), true)";
    assert_eq!(
        rules.query(&[], caught),
        "E = permission_error(derive, trace, a), F = permission_error(derive, trace, b)\n"
    );
}

#[test]
fn limits_hold_while_a_trace_is_made() {
    let rules = Rules::new(":- derived_trace(t, [origin=1, name=a], repeat).\n");
    let error = rules.error(&["--on", "t", "--time-limit", "300ms"], "true");
    assert!(error.contains("time limit"), "{error}");
    let error = rules.error(&["--on", "t", "--memory-limit", "40M"], "true");
    assert!(error.contains("memory"), "{error}");
}

#[test]
fn every_command_takes_the_derived_trace() {
    let rules = Rules::new(&format!(
        "{RULES}
         check(only_exits) :- always([port=exit]).
         check(source_has_calls) :- in_trace(source, exists([port=call])).
         main :- aggregate_all(count, event([]), N), format(\"~d events~n\", [N]).\n"
    ));
    let (n, queens) = (lines_with(&["exit"]).len(), data("queens.trace"));
    let run =
        |arguments: &[&str]| stdout(papaver().args(arguments).arg(&rules.path).args(["--on", "exits", &queens]), 0);
    assert_eq!(run(&["run"]), format!("{n} events\n"));
    assert!(run(&["check"]).contains("2 checks"), "{}", run(&["check"]));
    let info = run(&["info", "-l"]);
    assert!(info.contains(&format!("events      {n}\n")) && info.contains(&format!("exit {n}")), "{info}");
    assert!(run(&["stats", "-l"]).contains("queen"));
    assert_eq!(run(&["convert", "--to", "jsonl", "-l"]).matches("\"port\": \"exit\"").count(), n);
    let lines = papaver().arg("-l").arg(&rules.path).args(["--on", "exits", &queens]).write_stdin("main.\n").output();
    assert_eq!(String::from_utf8_lossy(&lines.expect("papaver runs").stdout), format!("{n} events\ntrue.\n"));
}

#[test]
fn a_page_with_checks_makes_the_derived_trace_once() {
    // the rule may stand in the script of the checks, and tells whenever it is used
    let rules = Rules::new(
        ":- derived_trace(exits, [port=exit, name=N, origin=O], ( write(user_error, 'made\\n'), event([port=exit, name=N, chrono=O]) )).
         check(only_exits) :- always([port=exit]).\n",
    );
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let page = folder.path().join("view.html");
    let mut command = papaver();
    command.args(["view", "--on", "exits", "--check"]).arg(&rules.path).arg(data("queens.trace")).arg("-o").arg(&page);
    let told = stderr(&mut command, 0);
    assert_eq!(told.matches("made").count(), 1, "{told}");
    let page = std::fs::read_to_string(page).expect("the page is written");
    let events = format!("\"events\":{},", lines_with(&["exit"]).len());
    assert!(page.contains(&events) && page.contains("only_exits"));
}

#[test]
fn two_traces_are_compared_by_what_is_derived_of_them() {
    let rules = Rules::new(RULES);
    let diff = |on: &str, other: &str, status: i32| {
        let mut command = papaver();
        command.args(["diff", "--on", on, "-l"]).arg(&rules.path).args([&data("queens.trace"), &data(other)]);
        stdout(&mut command, status)
    };
    // a call and its failure are missing in the other one: exits do not show that
    let told = diff("exits", "compare/queens_dropped.trace", 0);
    let n = lines_with(&["exit"]).len();
    assert!(told.contains(&format!("queens.trace: {n} events")) && told.contains("The traces are equal."), "{told}");
    let told = diff("boxes", "compare/queens_dropped.trace", 1);
    assert!(told.contains("Calls only in A: 1 of "), "{told}");
}

#[test]
fn checks_name_derived_traces_themselves() {
    let rules = Rules::new(&format!(
        "{RULES}\ncheck(c) :- in_trace(exits, always([port=exit])).\ncheck(d) :- in_trace(exits, exists([port=call])).\n"
    ));
    let told = stdout(papaver().arg("check").arg(&rules.path).arg(data("queens.trace")), 1);
    assert!(told.contains("1 violated"), "{told}");
}

#[test]
fn witnesses_are_those_of_the_trace_that_was_asked() {
    let rules = Rules::new(&format!("{RULES}\ncheck(c) :- in_trace(exits, never([name=queen])).\n"));
    let told = stdout(papaver().arg("check").arg(&rules.path).arg(data("queens.trace")), 1);
    let text = std::fs::read_to_string(data("queens.trace")).expect("the trace can be read");
    let line = 1 + text.lines().position(|line| line.contains("exit queen(")).expect("queen exits");
    assert!(told.contains(&format!("queens.trace:{line}: 142: 3 [1] exit queen()")), "{told}");
    let json = stdout(papaver().args(["check", "--to", "json"]).arg(&rules.path).arg(data("queens.trace")), 1);
    assert!(json.contains("\"events\": [142]"), "{json}");
}

#[test]
fn a_rule_is_explained_on_its_own_trace() {
    let rules = Rules::new(RULES);
    let told = rules.query(&["--to", "none"], "explain(in_trace(exits, event([port=exit, name=queen])))");
    let n = lines_with(&["exit"]).len();
    assert!(told.starts_with(&format!("on `exits`, a derived trace of {n} events\n")), "{told}");
    assert!(told.ends_with("`papaver query` reads the whole trace, from which `exits` is derived\n"), "{told}");
}

#[test]
fn files_are_opened_as_often_as_the_system_calls_say() {
    let top = env!("CARGO_MANIFEST_DIR");
    let (rules, trace) = (format!("{top}/examples/derived/files.pl"), format!("{top}/examples/strace/restart.strace"));
    let text = std::fs::read_to_string(&trace).expect("the trace can be read");
    // `= 3</etc/ld.so.cache> <0.000011>`
    let opens = |line: &&str| {
        let result = line.rsplit_once(" = ").map_or("", |(_, result)| result);
        line.contains("openat(") && result.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('<')
    };
    let n_opened = text.lines().filter(opens).count();
    let goal = "event([port=call])";
    let counted = stdout(papaver().args(["query", "-q", "-l", &rules, "--on", "files", "--count", goal, &trace]), 0);
    assert_eq!(counted, format!("{n_opened}\n"));
}

#[test]
fn a_script_that_runs_main_by_itself_asks_the_derived_trace() {
    let rules = Rules::new(&format!(
        "{RULES}:- initialization(main).\nmain :- aggregate_all(count, event([]), N), format(\"~d~n\", [N]).\n"
    ));
    let told = stdout(papaver().arg("run").arg(&rules.path).args(["--on", "exits", &data("queens.trace")]), 0);
    assert_eq!(told, format!("{}\n", lines_with(&["exit"]).len()));
}

#[test]
fn a_derived_trace_that_was_written_is_the_same() {
    let rules = Rules::new(RULES);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let goal = "findall(e(C, O, N, P, D), event([chrono=C, origin=O, name=N, port=P, depth=D]), L)";
    for name in ["boxes.jsonl", "boxes.papaver"] {
        let path = folder.path().join(name);
        let mut convert = papaver();
        convert
            .arg("convert")
            .arg("-l")
            .arg(&rules.path)
            .args(["--on", "boxes", &data("queens.trace"), "-o"])
            .arg(&path);
        stdout(&mut convert, 0);
        let read = stdout(papaver().args(["query", goal]).arg(&path), 0);
        assert_eq!(read, rules.query(&["--on", "boxes"], goal), "{name}");
    }
}

#[test]
fn a_new_declaration_replaces_the_old_one() {
    let goals = "derived_trace(t, [origin=O], event([port=exit, chrono=O])), in_trace(t, aggregate_all(count, event([]), N)).
                 derived_trace(t, [origin=O], event([port=fail, chrono=O])), in_trace(t, aggregate_all(count, event([]), N)).\n";
    let told = papaver().arg(data("queens.trace")).write_stdin(goals).output().expect("papaver runs").stdout;
    let expected = [&["exit"], &["fail"]].map(|ports| format!("N = {}.", lines_with(ports).len()));
    let told = String::from_utf8_lossy(&told).into_owned();
    assert_eq!(told.lines().filter(|line| line.starts_with("N = ")).collect::<Vec<_>>(), expected);
}

#[test]
fn attributes_that_no_event_has_can_be_asked_for() {
    let (_folder, script) = file(
        "derived.pl",
        ":- derived_trace(exits, [name=N, weight=W, origin=X], ( event([port=exit, name=N, chrono=X]), ( N == none -> W = 1 ; true ) )).\n",
    );
    let mut command = papaver();
    command.args(["query", "-q", "-l"]).arg(&script).args([
        "--on",
        "exits",
        "event([weight=W])",
        &data("queens.trace"),
    ]);
    assert_eq!(stdout(&mut command, 1), "");
}
