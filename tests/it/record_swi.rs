//! The recorder for SWI-Prolog: what it records equals counts of other origin, and programs run as without it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::each::test_cases;
use crate::support::{has, papaver, stdout};

fn program(name: &str) -> String {
    format!("{}/tests/data/record/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder for a trace, and what a program under the recorder wrote and how it ended.
struct Recording {
    folder: tempfile::TempDir,
    output: Output,
}

/// Chooses what the programs define, so that it is recorded by wrappers.
const CHOSEN: &[&str] = &["--only", "user"];

/// Records `swipl` with these arguments, in a folder of its own.
fn record(limits: &[&str], arguments: &[&str], input: &str) -> Recording {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = papaver();
    command.current_dir(folder.path()).args(["record", "-o", "t.jsonl"]).args(limits).args(["--", "swipl"]);
    let output = command.args(arguments).write_stdin(input).output().expect("papaver runs");
    Recording { folder, output }
}

/// Records a goal of a program.
fn record_goal(limits: &[&str], goal: &str, file: &str) -> Recording {
    let recording = record(limits, &["-g", goal, "-t", "halt", &program(file)], "");
    assert_eq!(recording.output.status.code(), Some(0), "{}", recording.errors());
    recording
}

impl Recording {
    fn errors(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("t.jsonl")).expect("the trace is there");
        text.lines().map(str::to_string).collect()
    }

    fn events(&self) -> Vec<String> {
        self.lines().into_iter().filter(|line| !line.starts_with("{\"papaver\"")).collect()
    }

    fn trailer(&self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// The answers to a query.
    fn ask(&self, goal: &str) -> String {
        stdout(papaver().current_dir(self.folder.path()).args(["query", goal, "t.jsonl"]), 0)
    }

    fn assert_sound(&self) {
        let checked = papaver().current_dir(self.folder.path()).args(["check", "--builtin", "t.jsonl"]).output();
        let checked = checked.expect("papaver runs");
        let text = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(checked.status.success() && text.contains(" 0 violated"), "{text}");
    }
}

/// The value of a key of a line, up to the next comma.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let from = line.find(&format!("\"{key}\":")).map_or(line.len(), |at| at + key.len() + 3);
    line[from..].split([',', '}']).next().unwrap_or_default().trim_matches('"')
}

/// How often each port of each procedure has an event, by lines such as `num/1 exit 13`.
fn counts(recording: &Recording) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in recording.events() {
        let key = format!("{}/{} {}", value(&line, "name"), value(&line, "arity"), value(&line, "port"));
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

/// The same as counted by wrappers inside of the program, without debugger and recorder.
fn counts_inside(file: &str) -> BTreeMap<String, usize> {
    let arguments = ["-g", "counted(go)", "-t", "halt", &program("count.pl"), &program(file)];
    let output = Command::new("swipl").args(arguments).stdin(Stdio::null()).output().expect("swipl runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let counted = |line: &str| line.rsplit_once(' ').and_then(|(key, n)| Some((key.to_string(), n.parse().ok()?)));
    text.lines().map(|line| counted(line).unwrap_or_else(|| panic!("{text}"))).collect()
}

#[test]
fn ports_are_those_that_wrappers_count() {
    if !has(&["swipl"]) {
        return;
    }
    for file in ["boxes.pl", "queens6.pl"] {
        let mut recorded = counts(&record_goal(&[], "go", file));
        recorded.retain(|key, _| !key.starts_with("count/1 "));
        assert_eq!(recorded, counts_inside(file), "{file}");
    }
}

/// The same by wrappers, which the option `--only` puts around what it names.
#[test]
fn ports_of_chosen_procedures_are_those_of_all_procedures() {
    if !has(&["swipl"]) {
        return;
    }
    for (file, redos) in [("boxes.pl", 13), ("queens6.pl", 729)] {
        let recording = record_goal(CHOSEN, "go", file);
        assert!(recording.lines()[0].contains("\"way\":\"wrappers\""), "{file}");
        let mut recorded = counts(&recording);
        recorded.retain(|key, _| !key.starts_with("count/1 "));
        assert_eq!(recorded, counts_inside(file), "{file}");
        let of_redo = recorded.iter().filter(|(key, _)| key.ends_with(" redo"));
        assert_eq!(of_redo.map(|(_, n)| n).sum::<usize>(), redos, "{file}");
        recording.assert_sound();
        let lines = |recording: &Recording| recording.events().iter().map(|line| shape(line)).collect::<Vec<_>>();
        assert_eq!(lines(&recording), lines(&record_goal(&[], "go", file)), "{file}");
    }
}

/// An event of two recordings without what differs: its time, the line of a last call, and the arguments at a redo, which are
/// still those of the exit in a wrapper.
fn shape(line: &str) -> String {
    let keys: &[&str] =
        if line.contains("\"redo\"") { &["time", "line_number", "args"] } else { &["time", "line_number"] };
    let serde_json::Value::Object(mut event) = serde_json::from_str(line).expect("it is JSON") else {
        return line.to_string();
    };
    keys.iter().for_each(|key| drop(event.shift_remove(*key)));
    serde_json::Value::Object(event).to_string()
}

/// Procedures that come in every way: the program counts itself how often each is called, and prints it.
#[test]
fn chosen_procedures_are_found_wherever_they_are_defined() {
    if !has(&["swipl"]) {
        return;
    }
    let file = program("chosen.pl");
    let patterns =
        ["user:asserted", "later/1", "wanted:inside/1", "wanted:meta", "added/1", "tail/1", "reloaded", "parts/1"];
    let limits: Vec<&str> = patterns.iter().flat_map(|pattern| ["--only", pattern]).collect();
    let recording = recorded_as_bare(&limits, &["-g", "go", "-t", "halt", &file], "");
    let printed = String::from_utf8_lossy(&recording.output.stdout).into_owned();
    let expected: Vec<String> = printed.lines().filter(|line| line.contains(" call ")).map(str::to_string).collect();
    let counted = counts(&recording);
    let calls = counted.iter().filter(|(key, _)| key.ends_with(" call"));
    let calls: Vec<String> = calls.map(|(key, n)| format!("{key} {n}")).collect();
    assert_eq!(calls, expected);
    assert_eq!(value(&recording.trailer(), "hook_errors"), "0");
    recording.assert_sound();
}

/// What is not chosen takes the steps that it takes without recorder.
#[test]
fn other_procedures_than_the_chosen_ones_cost_nothing() {
    if !has(&["swipl"]) {
        return;
    }
    let recording = recorded_as_bare(&["--only", "rare/1"], &["-g", "costs", "-t", "halt", &program("chosen.pl")], "");
    assert_eq!(counts(&recording)["rare/1 exit"], 3);
}

/// `gprolog --consult-file FILE --query-goal trace,go` (GNU Prolog 1.4.5) prints so many lines `Redo:`.
#[test]
fn boxes_are_entered_again_as_in_gnu_prolog() {
    if !has(&["swipl"]) {
        return;
    }
    for (file, redos) in [("boxes.pl", 13), ("queens6.pl", 729)] {
        let recording = record_goal(&[], "go", file);
        let counts = counts(&recording);
        let of = |port: &str| -> usize { counts.iter().filter(|(key, _)| key.ends_with(port)).map(|(_, n)| n).sum() };
        assert_eq!(of(" redo"), redos, "{file}");
        let open = recording.events().iter().filter(|line| line.contains("\"det\":\"nondet\"")).count();
        assert!(open >= redos, "{file}: a determinate exit has no redo");
        recording.assert_sound();
    }
}

#[test]
fn hard_values_and_control_are_recorded_soundly() {
    if !has(&["swipl"]) {
        return;
    }
    record_goal(CHOSEN, "go", "edge.pl").assert_sound();
    let recording = record_goal(&[], "go", "edge.pl");
    recording.assert_sound();
    assert_eq!(value(&recording.trailer(), "hook_errors"), "0");
    assert!(recording.events().iter().all(|line| line.len() < 1200), "no value is longer than its limit");
    for (goal, answers) in [
        ("event([port=call, name=value, args=[f(_, _, _)], chrono=C])", 1),
        ("event([port=call, name=value, args=[===>(a, b)]])", 1),
        ("event([port=call, name=value, args=['it\\'s']])", 1),
        ("event([port=call, name=value, args=[p(X, Y)]]), X == Y", 1),
        ("event([port=call, name=value, args=[g(X, Y, Z)]]), X == Y, Z \\== X", 1),
        ("event([port=call, name=value, args=['日本']])", 1),
        ("event([port=call, name=value, args=[dict(_, [a-1, b-\"x\"])]])", 1),
        ("event([port=call, name=value, args=[rdiv(1, 3)]])", 1),
        ("event([port=call, name=value, args=[[rdiv(2, 3), 2/3, f(rdiv(2, 3))]]])", 1),
        ("event([port=call, name=value, args=['2/3'-(a/b)]])", 1),
        ("event([port=exception, name=throws, args=[0], exception=my(error)])", 1),
        ("event([port=exception, name=far, exception=far(V, f(W, V), rdiv(1, 3))]), V \\== W", 1),
    ] {
        let found =
            stdout(papaver().current_dir(recording.folder.path()).args(["query", goal, "t.jsonl", "--count"]), 0);
        assert_eq!(found, format!("{answers}\n"), "{goal}");
    }
}

/// Output, errors and status are the same with and without the recorder.
#[test]
fn programs_run_as_without_the_recorder() {
    if !has(&["swipl"]) {
        return;
    }
    let file = program("ways.pl");
    let main = program("main.pl");
    let cases: [(&[&str], &str); 16] = [
        (&["-g", "go", "-t", "halt", &file, "--", "a", "b"], ""),
        (&["-g", "stops", "-t", "halt", &file], ""),
        (&["-g", "fails", "-t", "halt", &file], ""),
        (&["-g", "raises", "-t", "halt", &file], ""),
        (&["-g", "throws", "-t", "halt", &file], ""),
        (&["-g", "reads", "-t", "halt", &file], "one. two(3).\nfour.\n"),
        (&["-g", "both", "-t", "halt", &file], ""),
        (&["-g", "state", "-t", "halt", &file], ""),
        (&["-g", "forks", "-t", "halt", &file], ""),
        (&["-O", "-g", "go", "-t", "halt", &file], ""),
        (&["-g", "go", "-t", "fails", &file], ""),
        (&["-g", "go,fails", &file], ""),
        (&["-q", &file], "go.\np(3).\nX = 1.\nfails.\nhalt(7).\n"),
        (&[&main, "x", "-y"], ""),
        (&["-t", "halt", &program("directives.pl")], ""),
        (&["nosuchfile.pl"], ""),
    ];
    for (arguments, input) in cases {
        recorded_as_bare(&[], arguments, input);
        recorded_as_bare(CHOSEN, arguments, input);
    }
}

/// Records a program, whose output, errors and status are the same as without the recorder.
fn recorded_as_bare(limits: &[&str], arguments: &[&str], input: &str) -> Recording {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = assert_cmd::Command::new("swipl");
    let bare = command.current_dir(folder.path()).args(arguments).write_stdin(input).output().expect("swipl runs");
    let recording = record(limits, arguments, input);
    assert_eq!(recording.output.status.code(), bare.status.code(), "{arguments:?}: {}", recording.errors());
    assert_eq!(recording.output.stdout, bare.stdout, "{arguments:?}");
    let errors = recording.errors();
    let without = String::from_utf8_lossy(&bare.stderr);
    assert!(errors.starts_with(&*without), "{arguments:?}: {errors} and {without}");
    recording
}

#[test]
fn every_use_of_the_command_line_stays_as_it_is() {
    if !has(&["swipl"]) {
        return;
    }
    let (ways, boxes) = (program("ways.pl"), program("boxes.pl"));
    let written = "p(1). p(2).\n:- p(X), writeln(X).\n";
    let cases: [(&[&str], &str, bool); 11] = [
        (&["-l", &ways, "-g", "command", "-t", "halt"], "", true),
        (&["-l", &ways, "-g", "go", "-t", "halt", "-s", &boxes], "", true),
        (&["-s", &ways, "-s", &boxes, "-g", "command", "-g", "first(1)", "-t", "halt"], "", true),
        (&["-s", &ways, "-g", "first(1)", "-t", "halt", &boxes, "a", "--", "-l"], "", true),
        (&["-g", "command", "-t", "halt", &ways, "a", "-s", "x"], "", true),
        (&["-f", "none", "-O", "-g", "go", "-t", "halt(5)", &ways], "", true),
        (&["--traditional", "-g", "go", "-t", "halt", &boxes], "", true),
        (&["-l", "/dev/stdin", "-g", "p(2)", "-t", "halt"], written, true),
        (&["-q", "-g", "p(2)", "/dev/stdin"], written, false),
        (&["-l", "nosuchfile.pl", "-g", "go", &ways], "", false),
        (&["-o", "compiled", "-c", &boxes], "", false),
    ];
    for (arguments, input, has_events) in cases {
        recorded_as_bare(CHOSEN, arguments, input);
        let recording = recorded_as_bare(&[], arguments, input);
        assert!(!has_events || recording.events().len() > 1, "{arguments:?}");
    }
    let told = record(&[], &["--version"], "");
    assert_eq!(told.output.status.code(), Some(125));
    assert!(told.errors().contains("`swipl --version` runs no program"), "{}", told.errors());
}

test_cases! {
    goals_are_interrupted_as_without_the_recorder, interrupt:
    by_a_limit "limits", by_many_limits "many", by_an_inner_limit "inner", by_no_limit "enough",
    while_they_sleep "waits", by_an_alarm "rings", by_signals "handlers", in_a_thread "threads",
    by_inferences "inferences",
}

fn interrupt(goal: &str) {
    if !has(&["swipl"]) {
        return;
    }
    for (limits, end) in [(&[][..], "true"), (CHOSEN, "ok")] {
        let recording = recorded_as_bare(limits, &["-g", goal, "-t", "halt", &program("signals.pl")], "");
        let trailer = recording.trailer();
        assert_eq!((value(&trailer, "end"), value(&trailer, "hook_errors")), (end, "0"), "{goal}: {trailer}");
        assert!(recording.events().len() > 1, "{goal}");
        recording.assert_sound();
    }
}

#[test]
fn goals_at_halt_are_recorded() {
    if !has(&["swipl"]) {
        return;
    }
    for (goal, end, names) in [
        ("go", "true", "go p first inner last"),
        ("stops", "halted", "stops p first inner last"),
        ("fails", "false", "fails p p first inner last"),
        ("stays", "true", "stays left p left last"),
    ] {
        recorded_as_bare(CHOSEN, &["-g", goal, "-t", "halt", &program("halts.pl")], "").assert_sound();
        let recording = recorded_as_bare(&[], &["-g", goal, "-t", "halt", &program("halts.pl")], "");
        let calls = recording.events().into_iter().filter(|line| value(line, "port") == "call");
        let called: Vec<String> = calls.map(|line| value(&line, "name").to_string()).collect();
        assert_eq!((&*called.join(" "), value(&recording.trailer(), "end")), (names, end), "{goal}");
        recording.assert_sound();
    }
}

#[test]
fn a_program_recorded_twice_gives_the_same_trace() {
    if !has(&["swipl"]) {
        return;
    }
    let timeless = |line: &String| line.split(",\"time\":").next().unwrap_or_default().to_string();
    let run = || record_goal(&[], "go", "boxes.pl").events().iter().map(timeless).collect::<Vec<_>>();
    assert_eq!(run(), run());
}

#[test]
fn the_end_is_told() {
    if !has(&["swipl"]) {
        return;
    }
    for (goal, status, end) in
        [("go", 0, "true"), ("fails", 1, "false"), ("throws", 2, "oops(1)"), ("stops", 3, "halted")]
    {
        let recording = record(&[], &["-g", goal, "-t", "halt", &program("ways.pl")], "");
        assert_eq!(recording.output.status.code(), Some(status), "{goal}");
        let trailer = recording.trailer();
        assert_eq!((value(&trailer, "end"), value(&trailer, "status")), (end, &*status.to_string()), "{trailer}");
        assert_eq!(value(&trailer, "events"), recording.events().len().to_string(), "{trailer}");
    }
}

#[test]
fn limits_leave_out_what_they_say() {
    if !has(&["swipl"]) {
        return;
    }
    let recorded = |limits: &[&str]| record_goal(limits, "go", "queens6.pl");
    let names = |recording: &Recording| counts(recording).into_keys().collect::<Vec<_>>();
    let only = recorded(&["--only", "place/3", "--only", "user:search"]);
    assert_eq!(counts(&only)["place/3 redo"], 24);
    assert_eq!(names(&only).len(), 6, "{:?}", names(&only));
    let library = recorded(&["--only", "system:retract/1"]);
    assert_eq!(names(&library), ["retract/1 call", "retract/1 exit"]);
    let skip = recorded(&["--skip", "attack"]);
    assert!(!names(&skip).iter().any(|name| name.starts_with("attack")));
    let few = recorded(&["--max-events", "100"]);
    assert_eq!((few.events().len(), value(&few.trailer(), "end")), (100, "limit"));
    let shallow = recorded(&["--depth", "3"]);
    assert!(shallow.events().iter().all(|line| value(line, "depth") <= "3"));
    assert_eq!(counts(&shallow)["search/1 exit"], 1);
    let bare = recorded(&["--no-args"]);
    assert!(bare.events().iter().all(|line| !line.contains("\"args\"")));
    let some = recorded(&["--sample", "10"]);
    assert_eq!((counts(&some)["attack/3 call"], counts(&some)["pick/3 call"]), (94, 51));
    some.assert_sound();
    let short = record_goal(&["--text", "40"], "go", "edge.pl");
    assert!(short.trailer().contains("\"text\":"), "{}", short.trailer());
}

/// The steps of the recorder are among the inferences that the program counts.
#[test]
fn the_box_around_a_call_is_found_in_steps_that_do_not_grow_with_the_depth() {
    if !has(&["swipl"]) {
        return;
    }
    // a built-in procedure can be recorded by the debugger only
    let limits = ["--only", "leaf/1", "--only", "system:halt/1", "--no-args"];
    let recording = record_goal(&limits, "go", "below.pl");
    assert!(recording.lines()[0].contains("\"way\":\"debugger\""));
    let counted = String::from_utf8_lossy(&recording.output.stdout).into_owned();
    let steps: Vec<u64> = counted.lines().map(|line| line.parse().expect("it is a number")).collect();
    assert!(steps[1] < 6 * steps[0], "{steps:?} for 1000 and 4000 frames");
    assert_eq!(recording.events().len(), 2 * 2 * (1000 + 4000));
}

#[test]
fn a_long_tail_recursion_ends_the_recording_and_not_the_program() {
    if !has(&["swipl"]) {
        return;
    }
    let recording = record_goal(&["--no-args"], "go", "deep.pl");
    assert_eq!(String::from_utf8_lossy(&recording.output.stdout), "done\n");
    let trailer = recording.trailer();
    assert!(trailer.contains("\"memory\":true") && trailer.contains("\"end\":\"limit\""), "{trailer}");
}

/// A loop that needs no space goes on without wrappers when its recording has ended.
#[test]
fn wrappers_are_taken_away_when_recording_has_ended() {
    if !has(&["swipl"]) {
        return;
    }
    let program = program("deep.pl");
    for (limit, end) in [(&[][..], "memory"), (&["--max-events", "100"], "max_events")] {
        let limits = [&["--only", "loop/1"], limit].concat();
        let recording = recorded_as_bare(&limits, &["--stack-limit=64m", "-g", "longer", "-t", "halt", &program], "");
        assert_eq!(String::from_utf8_lossy(&recording.output.stdout), "done\n");
        let trailer = recording.trailer();
        assert!(trailer.contains(&format!("\"{end}\":true")) && trailer.contains("\"end\":\"limit\""), "{trailer}");
    }
}

#[test]
fn thread_local_procedures_are_not_wrapped() {
    if !has(&["swipl"]) {
        return;
    }
    let arguments = ["-g", "go", "-t", "halt", &program("locals.pl")];
    for limit in [&[][..], &["--max-events", "500"]] {
        let recording = recorded_as_bare(&[CHOSEN, limit].concat(), &arguments, "");
        assert!(recording.trailer().contains("\"thread_local\":1"), "{}", recording.trailer());
        assert!(!recording.errors().contains("OOPS"), "{}", recording.errors());
        assert!(recording.errors().contains("1 thread-local procedures"), "{}", recording.errors());
    }
}

#[test]
fn threads_are_told_apart() {
    if !has(&["swipl"]) {
        return;
    }
    let recording = record_goal(&[], "go", "threads.pl");
    assert_eq!(recording.ask("event([port=exit, name=work, args=[0], thread=second])").lines().count(), 1);
    let of = |thread: &str| {
        let is_of = |line: &&String| line.contains("\"name\":\"work\"") && value(line, "thread") == thread;
        recording.events().iter().filter(is_of).count()
    };
    assert_eq!((of("second"), of("")), (10, 6));
}

/// The program counts itself, and prints lines such as `nat/1 exit=7`.
#[test]
fn engines_and_threads_are_recorded_as_they_count_themselves() {
    if !has(&["swipl"]) {
        return;
    }
    for limits in [&["--skip", "c/1"][..], &["--only", "user", "--skip", "c/1"]] {
        let recording = recorded_as_bare(limits, &["-g", "go", "-t", "halt", &program("engines.pl")], "");
        let printed = String::from_utf8_lossy(&recording.output.stdout).into_owned();
        let counted: Vec<&str> = printed.lines().filter(|line| line.contains('=')).collect();
        let recorded = counts(&recording);
        let found = |line: &&str| recorded.get(line.split('=').next().unwrap_or_default()).map_or(0, |n| *n);
        let lines = |line: &&str| format!("{}={}", line.split('=').next().unwrap_or_default(), found(line));
        assert_eq!(counted.iter().map(lines).collect::<Vec<_>>(), counted, "{limits:?}");
        assert!(counted.len() > 15, "{printed}");
        for (name, exception, n) in
            [("sum", "engine_destroyed", 3), ("waits", "'$aborted'", 1), ("leaves", "thread_exit(early)", 1)]
        {
            let goal = format!("event([port=exception, name={name}, exception={exception}])");
            assert_eq!(recording.ask(&goal).lines().count(), n, "{goal} {limits:?}");
        }
        assert_eq!(value(&recording.trailer(), "hook_errors"), "0");
        recording.assert_sound();
    }
}

/// Each answer of a tabled call is an exit, from its clauses or from its table.
#[test]
fn tabled_calls_have_their_answers() {
    if !has(&["swipl"]) {
        return;
    }
    for limits in [&[][..], CHOSEN] {
        let recording = recorded_as_bare(limits, &["-g", "go", "-t", "halt", &program("tabled.pl")], "");
        let printed = String::from_utf8_lossy(&recording.output.stdout).into_owned();
        let asked = "event([port=call, name=asks, call=A]), event([port=call, parent=A, call=C]), \
                     aggregate_all(count, event([port=exit, call=C]), N)";
        let found: Vec<String> = recording.ask(asked).lines().map(|line| value_of(line, "N = ")).collect();
        let counted: Vec<String> =
            printed.lines().filter(|line| line.contains('-')).map(|line| value_of(line, "-")).collect();
        assert_eq!((found.len(), found), (7, counted), "{limits:?}");
        recording.assert_sound();
    }
}

/// What stands behind the last `mark` of a line.
fn value_of(line: &str, mark: &str) -> String {
    line.rsplit(mark).next().unwrap_or_default().trim_end_matches('.').to_string()
}

/// The steps of the recorder are among the inferences that the program counts.
#[test]
fn a_signal_takes_steps_that_do_not_grow_with_the_depth() {
    if !has(&["swipl"]) {
        return;
    }
    let recording = record_goal(&["--no-args"], "go", "signalled.pl");
    let counted = String::from_utf8_lossy(&recording.output.stdout).into_owned();
    let steps: Vec<u64> = counted.lines().map(|line| line.parse().expect("it is a number")).collect();
    assert!(steps[1] < 2 * steps[0], "{steps:?} for 100 and 4000 frames");
}

#[test]
fn signals_end_the_trace_and_the_program() {
    if !has(&["swipl"]) {
        return;
    }
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let trace = folder.path().join("t.jsonl");
        let recorder = stdout(papaver().args(["recorder", "swi"]), 0);
        fs::write(folder.path().join("swi.pl"), recorder).expect("it can be written");
        let mut command = Command::new("swipl");
        command.current_dir(folder.path()).env("PAPAVER_OUT", &trace).stdin(Stdio::null());
        let mut child = command
            .args(["-s", "swi.pl", "-g", "forever", "-t", "halt", &program("ways.pl")])
            .spawn()
            .expect("it runs");
        let lines = || fs::read_to_string(&trace).unwrap_or_default().lines().count();
        for _ in 0..200 {
            if lines() > 10 {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(lines() > 10, "what was recorded is flushed while the program runs");
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        assert_eq!(child.wait().expect("it ends").signal(), Some(number), "{signal}");
        let text = fs::read_to_string(&trace).expect("it is there");
        let trailer = text.lines().last().unwrap_or_default();
        assert_eq!(
            (value(trailer, "end"), value(trailer, "status")),
            ("interrupted", &*(128 + number).to_string()),
            "{trailer}"
        );
    }
}

/// What is in the buffer of the stream is lost, which is a few hundred lines.
#[test]
fn a_program_that_is_killed_deep_in_a_recursion_keeps_what_was_recorded() {
    if !has(&["swipl"]) {
        return;
    }
    for limits in [&[][..], CHOSEN] {
        let recording = record(limits, &["-g", "killed", "-t", "halt", &program("signals.pl")], "");
        assert_eq!(recording.output.status.code(), Some(137), "{}", recording.errors());
        let trailer = recording.trailer();
        assert_eq!(value(&trailer, "end"), "killed by SIGKILL", "{trailer}");
        assert!(trailer.contains("\"unfinished\":true"), "{trailer}");
        let calls = recording.events().iter().filter(|line| value(line, "name") == "deep").count();
        assert!((29_500..=30_001).contains(&calls), "{calls}");
        assert_eq!(recording.ask("last_np, current(chrono=N)").trim(), format!("N = {}", recording.events().len()));
    }
}

#[test]
fn an_option_that_is_none_is_refused() {
    if !has(&["swipl"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("swi.pl"), stdout(papaver().args(["recorder", "swi"]), 0)).expect("it can be written");
    for (options, message) in [
        ("colour=red", "papaver record: there is no option `colour`\n"),
        ("depth=x", "papaver record: `depth` is to be a positive integer, not `x`\n"),
    ] {
        let mut command = Command::new("swipl");
        command.current_dir(folder.path()).env("PAPAVER_OPTIONS", options).stdin(Stdio::null());
        let output = command.args(["-s", "swi.pl", "-g", "true", "-t", "halt"]).output().expect("swipl runs");
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(125), message));
    }
}

/// Proofs, coverage, the search for a bug and the comparison of two runs, on a program of nine calls below the first.
#[test]
fn a_recording_answers_what_is_asked_of_prolog_traces() {
    if !has(&["swipl"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let right = record_goal(&[], "go", "sorted.pl");
    let text = fs::read_to_string(program("sorted.pl")).expect("it is there").replace("X < Y", "X > Y");
    let file = folder.path().join("wrong.pl");
    fs::write(&file, text).expect("it can be written");
    let wrong = record(&[], &["-g", "go", "-t", "halt", file.to_str().expect("it is text")], "");
    assert_eq!((&right.output.stdout[..], &wrong.output.stdout[..]), (&b"[1,2,3]\n"[..], &b"[3,2,1]\n"[..]));

    let proof = right.ask("proof_tree(2, T), print_tree(T)");
    assert_eq!(proof.lines().filter(|line| !line.starts_with("T = ")).count(), 9, "{proof}");
    let coverage = right.ask("pred_cov([pc(user, insert, [exit, fail]), pc(user, isort, [exit])], U)");
    assert!(coverage.contains("To cover: 3\n") && coverage.contains("U = [pc(user, insert, [fail])]"), "{coverage}");
    let session = papaver()
        .current_dir(wrong.folder.path())
        .arg("t.jsonl")
        .write_stdin("debug_wrong_answer(2).\nyes\nno\nyes\n")
        .output()
        .expect("papaver runs");
    let session = String::from_utf8_lossy(&session.stdout).into_owned();
    let found = session.split("The bug is in this call:").nth(1).and_then(|rest| rest.trim().lines().next());
    assert!(
        found.is_some_and(|line| line.contains("insert(1, [2], [2, 1])") || line.contains("insert(1, [2], [2,1])")),
        "{session}"
    );
    let traces = [right.folder.path().join("t.jsonl"), wrong.folder.path().join("t.jsonl")];
    let difference = stdout(papaver().args(["query", "first_difference(1, 2, difference(A, B, _))"]).args(traces), 0);
    assert!(difference.contains("A = 11, B = 11"), "{difference}");
}
