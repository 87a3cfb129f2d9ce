//! What a recorder left out by its limits, how the program ended, and which answers depend on that.

use crate::support::{data, file, kept_file, papaver, stderr, stdout};

/// A trace of two calls, of which the second stays open; its trailer has these keys.
fn trace(trailer: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let text = format!(
        r#"{{"papaver":1,"port":"header","source":"t 1"}}
{{"port":"call","name":"f","call":1,"args":[1]}}
{{"port":"exit","name":"f","call":1,"args":[1]}}
{{"port":"call","name":"g","call":2,"args":[2]}}
{{"papaver":1,"port":"trailer","events":3,"lost":0{trailer}}}
"#
    );
    file("t.jsonl", &text)
}

/// Whether a goal succeeds on a trace with this trailer.
fn succeeds(goal: &str, trailer: &str) -> bool {
    let (_folder, path) = trace(trailer);
    let output = papaver().args(["query", goal]).arg(path).output().expect("papaver runs");
    assert!(output.status.code() < Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

#[test]
fn calls_that_a_halt_or_a_kill_left_open_are_no_faults() {
    for end in ["halted", "interrupted", "limit", "stopped", "killed by SIGKILL"] {
        assert!(succeeds("every_call_ends, boxes_nest", &format!(r#","end":"{end}""#)), "{end}");
    }
    for end in ["ok", "true", "killed time"] {
        assert!(!succeeds("every_call_ends", &format!(r#","end":"{end}""#)), "{end}");
    }
}

#[test]
fn behind_a_gap_the_first_event_of_a_call_fits() {
    let text = r#"{"papaver":1,"port":"header","source":"t 1"}
{"port":"call","name":"f","call":1}
{"port":"exit","name":"f","call":1}
{"papaver":1,"port":"gap","lost":9}
{"port":"exit","name":"g","call":2}
{"port":"exit","name":"f","call":1}
{"port":"redo","name":"g","call":2}
{"port":"exit","name":"f","call":1}
{"papaver":1,"port":"trailer","events":6,"lost":9,"end":"ok"}
"#;
    let (_folder, path) = file("t.jsonl", text);
    let found = stdout(papaver().args(["query", "integrity(Rule, Chrono, _)"]).arg(path), 0);
    assert_eq!(found, "Rule = 'B2', Chrono = 6\n");
}

#[test]
fn events_that_were_lost_somewhere_make_warnings_of_faults() {
    let trace = |lost: &str, gap: &str| {
        let text = format!(
            r#"{{"papaver":1,"port":"header","source":"t 1"}}
{{"port":"call","name":"f","call":1,"depth":1}}
{{"port":"exit","name":"g","call":2,"parent":1,"depth":2}}
{{"port":"exit","name":"f","call":1,"depth":1}}
{{"port":"exit","name":"f","call":1,"depth":1}}
{{"port":"exit","name":"g","call":2,"parent":1,"depth":2}}
{gap}{{"port":"call","name":"g","call":3,"depth":1}}
{{"papaver":1,"port":"trailer","events":6{lost},"end":"ok"}}
"#
        );
        file("t.jsonl", &text)
    };
    let checked = |lost: &str, gap: &str, status| {
        let (_folder, path) = trace(lost, gap);
        let mut command = papaver();
        command.args(["check", "--builtin"]).arg(path);
        stdout(&mut command, status)
    };
    for (lost, gap) in
        [("", ""), (r#","lost":0"#, ""), (r#","lost":2"#, "{\"papaver\":1,\"port\":\"gap\",\"lost\":2}\n")]
    {
        let told = checked(lost, gap, 1);
        assert!(told.contains("4 checks, 3 violated"), "{lost}: {told}");
    }
    for (lost, gap) in [(r#","lost":2"#, ""), (r#","lost":3"#, "{\"papaver\":1,\"port\":\"gap\",\"lost\":2}\n")] {
        let told = checked(lost, gap, 0);
        assert!(told.contains("4 checks, 0 violated"), "{lost}: {told}");
        for check in ["every_call_ends", "boxes_alternate", "boxes_nest"] {
            let warned = format!("{check}\n    warning: the answer depends on what the recorder left out");
            assert!(told.contains(&warned), "{check}: {told}");
        }
    }
}

#[test]
fn answers_about_all_events_depend_on_events_that_were_left_out() {
    let none = r#""#;
    let depth = r#","left_out":{"depth":7}"#;
    let library = r#","left_out":{"library":true}"#;
    let end = r#","end":"limit","left_out":{"max_events":true}"#;
    for (goal, trailer, is_sound) in [
        ("sound(\\+ event([port=exception]))", none, true),
        ("sound(\\+ event([port=exception]))", depth, false),
        ("sound(event([name=f]))", depth, true),
        ("sound(\\+ event([port=exception]))", library, true),
        ("sound(\\+ event([port=exception]))", end, false),
        ("sound(\\+ event([port=exception, chrono=1..3]))", end, true),
    ] {
        assert_eq!(succeeds(goal, trailer), is_sound, "{goal} with {trailer}");
    }
}

#[test]
fn answers_about_values_depend_on_values_that_were_cut() {
    let text = r#","left_out":{"text":1}"#;
    for (goal, trailer, is_sound) in [
        ("sound(event([name=f, args=[1]]))", text, false),
        ("sound(event([name=f, arg(1)=1]))", text, false),
        ("sound(never([name=f, arg(1)=matches(\"^2\")]))", text, false),
        ("sound(\\+ event(['arg.path'=\"x\"]))", text, false),
        ("sound(event([name=f]))", text, true),
        ("sound(event([name=f, args=[1]]))", "", true),
        ("sound(\\+ event([args=[9]]))", r#","left_out":{"no_args":true}"#, false),
    ] {
        assert_eq!(succeeds(goal, trailer), is_sound, "{goal} with {trailer}");
    }
}

/// A log of POSIX tracing without its last line, a table of events that was full, and a trailer that states more events.
#[test]
fn a_trace_that_was_cut_is_blind_after_its_last_event() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let log = std::fs::read_to_string(data("posix/unnamed.jsonl")).expect("it is a text");
    let whole_lines: Vec<&str> = log.lines().collect();
    let cut = folder.path().join("cut.jsonl");
    std::fs::write(&cut, whole_lines[..whole_lines.len() - 1].join("\n") + "\n").expect("it is written");
    let stated = folder.path().join("stated.jsonl");
    let text = "{\"papaver\":1,\"port\":\"header\",\"source\":\"t 1\"}\n{\"port\":\"event\",\"name\":\"a\"}\n\
                {\"papaver\":1,\"port\":\"trailer\",\"events\":3}\n";
    std::fs::write(&stated, text).expect("it is written");
    let full = std::path::PathBuf::from(data("visandor/ciao_overflow.ev.gz"));
    let script = kept_file("c.pl", "check(none) :- never([name=zzz]).\n");
    for path in [&cut, &stated, &full] {
        let told = stdout(papaver().arg("check").arg(&script).arg(path), 0);
        assert!(told.contains("the answer depends on what"), "{}: {told}", path.display());
    }
}

#[test]
fn an_error_names_the_limit_that_may_have_left_out_an_attribute() {
    let (_folder, path) = trace(r#","left_out":{"no_args":true}"#);
    let told = |goal: &str| stderr(papaver().args(["query", goal]).arg(&path), 2);
    for name in ["result", "total"] {
        let told = told(&format!("event([{name}=_])"));
        assert!(told.contains(&format!("attribute `{name}`; ")), "{told}");
        assert!(told.contains("this trace, recorded with --no-args, has "), "{told}");
    }
    // what a recorder of calls would write all the same, and what is misspelt
    for name in ["det", "prot"] {
        let told = told(&format!("event([{name}=_])"));
        assert!(told.contains("this trace has ") && !told.contains("--no-args"), "{told}");
    }
}

#[test]
fn a_check_says_that_limits_may_change_its_outcome() {
    let (_folder, path) = trace(r#","end":"limit","left_out":{"only":12,"max_events":true}"#);
    let script = file("rules.pl", "check(quiet) :- \\+ event([port=exception]).\n");
    let mut command = papaver();
    command.arg("check").arg(&script.1).arg(&path);
    let told = stdout(&mut command, 0) + &stderr(&mut command, 0);
    assert!(told.contains("the answer depends on what the recorder left out"), "{told}");
    let info = stdout(papaver().arg("info").arg(&path), 0);
    for line in [r#"left_out    {"only":12,"max_events":true}"#, "end         limit"] {
        assert!(info.contains(line), "{info}");
    }
}

#[test]
fn strace_takes_the_lines_of_its_recorder() {
    let text = r#"{"papaver":1,"port":"header","source":"strace","limits":{"max_events":2}}
{"papaver":1,"port":"gap","lost":5}
12 1.5 close(3) = 0 <0.000001>
12 1.6 close(3) = -1 EBADF (Bad file descriptor) <0.000001>
{"papaver":1,"port":"trailer","end":"limit","status":4,"left_out":{"max_events":true}}
"#;
    let (_folder, path) = file("t.strace", text);
    let info = stdout(papaver().arg("info").arg(&path), 0);
    for line in ["format      strace", "events      4", "status      4", "lost        5", "gaps        1"] {
        assert!(info.contains(line), "{line}: {info}");
    }
    assert!(!info.contains("findings"), "{info}");
    let (_folder, path) = file("t.strace", text.rsplit_once("{\"papaver\"").expect("it has a trailer").0);
    let info = stdout(papaver().arg("info").arg(&path), 0);
    assert!(info.contains("there is no trailer"), "{info}");
}

/// What predicates call for a check is asked, too, also with more arguments.
#[test]
fn goals_that_predicates_call_are_warned_of_gaps() {
    let trace = kept_file(
        "blind.jsonl",
        "{\"papaver\":1,\"port\":\"header\",\"time\":\"us\"}\n{\"port\":\"call\",\"name\":\"job\",\"time\":100}\n\
         {\"port\":\"exit\",\"name\":\"job\",\"time\":200}\n{\"papaver\":1,\"port\":\"gap\",\"lost\":5}\n\
         {\"port\":\"log\",\"name\":\"end\",\"time\":500}\n{\"papaver\":1,\"port\":\"trailer\"}\n",
    );
    let cases = [
        ("percentile(95, D, duration(_, D), M), M =< us(100)", true),
        ("with_output_to(string(_), histogram(D, duration(_, D)))", true),
        ("maplist(absent, [alarm, fire])", true),
        ("foldl(latest, [alarm], 0, 0)", true),
        ("findall(D, duration(_, D), [_])", true),
        ("maplist(atom, [alarm])", false),
        ("percentile(50, N, member(N, [1, 2]), 1)", false),
    ];
    for (goal, is_warned) in cases {
        let script = kept_file(
            "rules.pl",
            &format!(
                "absent(N) :- \\+ event([name=N]).\nlatest(N, A, A) :- \\+ event([name=N]).\ncheck(c) :- {goal}.\n"
            ),
        );
        let told = stdout(papaver().arg("check").arg(&script).arg(&trace), 0);
        assert_eq!(told.contains("left out between the events 2 and 3"), is_warned, "{goal}: {told}");
    }
}
