//! The limits of recordings, the same in every recorder: each is kept, the trailer says what it cut, and checks and
//! `sound/1` warn of answers that depend on it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::each::test_cases;
use crate::record_rust::shop;
use crate::support::{data, has, papaver};

/// A limit: its options, the key of the trailer, and what it takes away.
struct Case {
    options: &'static [&'static str],
    key: &'static str,
    cuts: Cuts,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cuts {
    /// Events, in unknown places.
    Events,
    /// The events before the first one.
    Start,
    /// The events after the last one.
    End,
    /// Values.
    Values,
}

const fn case(options: &'static [&'static str], key: &'static str, cuts: Cuts) -> Case {
    Case { options, key, cuts }
}

/// The limits that need no name of a procedure.
const CASES: &[Case] = &[
    case(&["--max-events", "20"], "max_events", Cuts::End),
    case(&["--last", "40"], "last", Cuts::Start),
    case(&["--depth", "1"], "depth", Cuts::Events),
    case(&["--text", "8"], "text", Cuts::Values),
    case(&["--no-args"], "no_args", Cuts::Values),
    case(&["--sample", "3"], "sample", Cuts::Events),
];

/// A program under a recorder.
struct Program<'a> {
    folder: &'a Path,
    kind: &'a str,
    command: &'a [&'a str],
}

/// The lines of a recording that papaver or a recorder wrote about it, and the others.
struct Recorded {
    stated: Vec<Value>,
    events: Vec<String>,
}

impl Program<'_> {
    fn record(&self, options: &[&str]) -> Recorded {
        let output = self.recording(options).output().expect("it can be run");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{} {options:?}: {error}", self.kind);
        let text = std::fs::read_to_string(self.folder.join("t.out")).expect("there is a trace");
        let (stated, events): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("{\"papaver\""));
        let stated = stated.into_iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        Recorded { stated, events: events.into_iter().map(str::to_string).collect() }
    }

    /// The command that makes a recording; a program in Rust makes it itself.
    fn recording(&self, options: &[&str]) -> assert_cmd::Command {
        let mut command = papaver();
        if self.kind == "rust" {
            command = assert_cmd::Command::new(self.command[0]);
            command.env("PAPAVER_OUT", "t.out").env("PAPAVER_OPTIONS", lines_of(options));
        } else {
            command.args(["record", "--force", "-q", "-o", "t.out", "--with", self.kind]);
            command.args(options).arg("--").args(self.command);
        }
        command.current_dir(self.folder);
        command
    }

    fn is_so(&self, goal: &str) -> bool {
        let output = papaver().current_dir(self.folder).args(["query", goal, "t.out"]).output().expect("papaver runs");
        assert!(output.status.code() < Some(2), "{goal}: {}", String::from_utf8_lossy(&output.stderr));
        output.status.success()
    }

    /// What is said of the last recording with a limit: in its trailer, by checks and by `sound/1`.
    fn says(&self, recorded: &Recorded, case: &Case) {
        let what = format!("{} {:?}", self.kind, case.options);
        let trailer = recorded.stated.last().expect("there is a trailer");
        let count = &trailer["left_out"][case.key];
        assert!(*count == Value::Bool(true) || count.as_u64() > Some(0), "{what}: {trailer}");
        let well_formed = "integrity(_, _, _)";
        assert!(!self.is_so(well_formed), "{what} breaks a rule of the format");
        assert!(self.is_so("boxes_alternate, every_call_ends"), "{what} breaks boxes");
        assert!(self.is_so("sound(once(event([port=call])))"), "{what}: an event that is there is there");
        // a name that no event has may be one of the library
        let none = "sound(\\+ event([call=987654321]))";
        assert_eq!(self.is_so(none), case.cuts == Cuts::Values, "{what}: whether there is no such event");
        if case.cuts == Cuts::Values {
            assert!(!self.is_so("sound(\\+ event([args=[no_such_value]]))"), "{what}: whether there is no such value");
        }
        let checked = papaver().current_dir(self.folder).args(["check", "--builtin", "t.out"]).output();
        let told = String::from_utf8_lossy(&checked.expect("papaver runs").stdout).into_owned();
        let is_warned = told.contains("warning: the answer depends on what the recorder left out");
        assert_eq!(is_warned, case.cuts != Cuts::Values, "{what}: {told}");
    }

    /// Without arguments, the recorders of calls write no keys for these attributes.
    fn names_the_limit_that_lacks(&self, attributes: &[&str]) {
        self.record(&["--no-args"]);
        let run = |words: &[&str]| papaver().current_dir(self.folder).args(words).output().expect("papaver runs");
        assert!(run(&["convert", "t.out", "-o", "t.papaver"]).status.success());
        for (attribute, path) in attributes.iter().flat_map(|name| ["t.out", "t.papaver"].map(|path| (name, path))) {
            let told = run(&["query", &format!("event([{attribute}=_])"), path]).stderr;
            let told = String::from_utf8_lossy(&told).into_owned();
            assert!(told.contains("this trace, recorded with --no-args, has "), "{told}");
            assert!(told.contains(&format!(" attribute `{attribute}`; ")) && told.contains(" has chrono, "), "{told}");
        }
    }

    /// All limits; those of `patterns` have an option and the name of a procedure.
    fn keeps_all(&self, patterns: &[Case]) {
        self.keeps(CASES);
        self.keeps(patterns);
    }

    fn keeps(&self, cases: &[Case]) {
        let whole = self.record(&[]);
        for case in cases {
            let recorded = self.record(case.options);
            let (n_events, n_whole) = (recorded.events.len(), whole.events.len());
            match case.cuts {
                Cuts::Values => {}
                Cuts::Events => assert!((1..n_whole).contains(&n_events), "{} {:?}", self.kind, case.options),
                Cuts::Start => assert_eq!(n_events, 40, "{}", self.kind),
                Cuts::End => assert_eq!(n_events, 20, "{}", self.kind),
            }
            let limits = &recorded.stated[0]["limits"];
            assert!(!limits[case.key].is_null(), "{} {:?}: {limits}", self.kind, case.options);
            self.says(&recorded, case);
        }
    }

    /// The number of calls that a limit left out is the number of those that are not there.
    fn counts_calls(&self) {
        let n_calls = |recorded: &Recorded| {
            let calls = recorded.events.iter().filter(|line| line.contains("\"port\":\"call\""));
            calls.count() as u64
        };
        let whole = n_calls(&self.record(&[]));
        for (limit, n) in [("depth", "2"), ("sample", "4")] {
            let recorded = self.record(&[&format!("--{limit}"), n]);
            let left_out = recorded.stated.last().expect("there is a trailer")["left_out"][limit].as_u64();
            assert_eq!(left_out, Some(whole - n_calls(&recorded)), "{} {limit}", self.kind);
        }
    }
}

/// The limits as a recorder reads them that has no command line: `--no-args` is `no_args=1`.
fn lines_of(options: &[&str]) -> String {
    let mut lines = String::new();
    for option in options {
        match option.strip_prefix("--") {
            Some("no-args") => lines.push_str("no_args=1\n"),
            Some(key) => lines.push_str(&format!("{}=", key.replace('-', "_"))),
            None => lines.push_str(&format!("{option}\n")),
        }
    }
    lines
}

fn folder(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join(name), text).expect("it can be written");
    folder
}

#[test]
fn swi_prolog_keeps_all_limits() {
    if !has(&["swipl"]) {
        return;
    }
    let folder = folder("t.pl", &std::fs::read_to_string(data("record/queens6.pl")).expect("it is there"));
    let command = ["swipl", "-g", "go", "-t", "halt", "t.pl"];
    let program = Program { folder: folder.path(), kind: "swi", command: &command };
    let only = case(&["--only", "place/3", "--text", "8"], "only", Cuts::Events);
    program.keeps_all(&[only, case(&["--skip", "attack"], "skip", Cuts::Events)]);
    program.counts_calls();
    program.names_the_limit_that_lacks(&["args"]);
}

#[test]
fn python_keeps_all_limits() {
    if !has(&["python3"]) {
        return;
    }
    let text = "def leaf(x):\n    return str(x) * 30\n\ndef mid(x):\n    return leaf(x) + leaf(x)\n\n\
        def main():\n    for i in range(20):\n        mid(i)\n\nmain()\n";
    let folder = folder("t.py", text);
    let program = Program { folder: folder.path(), kind: "python", command: &["python3", "t.py"] };
    program.keeps_all(&[
        case(&["--only", "__main__:mid"], "only", Cuts::Events),
        case(&["--skip", "leaf"], "skip", Cuts::Events),
    ]);
    program.counts_calls();
    program.names_the_limit_that_lacks(&["args", "arg_names", "result"]);
}

test_cases! {
    erlang, with_erlang:
    keeps_the_limits_of_all |program| program.keeps(CASES),
    keeps_the_limits_that_name_functions |program| program.keeps(&[
        case(&["--only", "t:mid"], "only", Cuts::Events),
        case(&["--skip", "leaf/1"], "skip", Cuts::Events),
    ]),
    counts_calls |program| program.counts_calls(),
    names_the_limit_that_lacks |program| program.names_the_limit_that_lacks(&["args", "result"]),
}

fn with_erlang(test: fn(&Program)) {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let text = "-module(t).\n-export([main/0]).\nmain() -> [mid(I) || I <- lists:seq(1, 20)], ok.\n\
        mid(X) -> [leaf(X) | leaf(X)].\nleaf(X) -> lists:duplicate(30, X + $a).\n";
    let folder = folder("t.erl", text);
    let compiled = Command::new("erlc").arg("t.erl").current_dir(folder.path()).output().expect("erlc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let command = ["erl", "-noshell", "-eval", "t:main(), halt()."];
    test(&Program { folder: folder.path(), kind: "erlang", command: &command });
}

test_cases! {
    elixir, with_elixir:
    keeps_the_limits_of_all |program| program.keeps(CASES),
    keeps_the_limits_that_name_functions |program| program.keeps(&[
        case(&["--only", "T.mid"], "only", Cuts::Events),
        case(&["--only", "T.leaf/1", "--text", "8"], "only", Cuts::Events),
        case(&["--skip", "T.leaf/1"], "skip", Cuts::Events),
    ]),
    counts_calls |program| program.counts_calls(),
    names_the_limit_that_lacks |program| program.names_the_limit_that_lacks(&["args", "result"]),
    calls_the_functions_that_are_left count_functions_of_elixir,
}

fn with_elixir(test: fn(&Program)) {
    if !has(&["elixir"]) {
        return;
    }
    let text = "defmodule T do\n  def main, do: for(i <- 1..20, do: mid(i))\n\n  \
        def mid(x), do: leaf(x) <> leaf(x)\n\n  def leaf(x), do: String.duplicate(<<x + 96>>, 30)\nend\n\nT.main()\n";
    let folder = folder("t.exs", text);
    test(&Program { folder: folder.path(), kind: "erlang", command: &["elixir", "t.exs"] });
}

fn count_functions_of_elixir(program: &Program) {
    let n_calls = |options: &[&str]| {
        let calls = program.record(options).events.into_iter().filter(|line| line.contains("\"port\":\"call\""));
        let calls: Vec<_> = calls.collect();
        ["mid", "leaf"].map(|name| {
            let name = format!("\"decl_module\":\"T\",\"name\":\"{name}\"");
            calls.iter().filter(|line| line.contains(&name)).count()
        })
    };
    assert_eq!(n_calls(&[]), [20, 40]);
    assert_eq!(n_calls(&["--only", "T.mid"]), [20, 0]);
    assert_eq!(n_calls(&["--skip", "leaf/1"]), [20, 0]);
}

#[test]
fn rust_keeps_all_limits() {
    let Some(shop) = shop() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let command = [shop.to_str().expect("it is text")];
    let program = Program { folder: folder.path(), kind: "rust", command: &command };
    program.keeps_all(&[
        case(&["--only", "order", "--text", "8"], "only", Cuts::Events),
        case(&["--skip", "price"], "skip", Cuts::Events),
    ]);
    program.counts_calls();
    program.names_the_limit_that_lacks(&["args", "arg_names", "result", "message", "total"]);
}

/// A program of three generations of processes.
const FAMILY: &str = "i=0; while [ $i -lt 3 ]; do sh -c '/bin/true; /bin/true; exit 0'; i=$((i+1)); done; exit 0";

#[test]
fn strace_keeps_all_limits() {
    if !has(&["strace"])
        || !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|s| s.success())
    {
        println!("strace cannot be had here: not tested");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let command = ["sh", "-c", FAMILY];
    let program = Program { folder: folder.path(), kind: "strace", command: &command };
    program.keeps_all(&[
        case(&["--only", "openat"], "only", Cuts::Events),
        case(&["--only", "openat", "--depth", "2"], "depth", Cuts::Events),
        case(&["--skip", "openat"], "skip", Cuts::Events),
    ]);
    let processes = |recorded: &Recorded| {
        let pids = recorded.events.iter().filter_map(|line| line.split_whitespace().next());
        pids.collect::<BTreeSet<_>>().len()
    };
    // whatever was left out may have been a read, a close or a wait
    for limit in
        [&["--only", "openat"][..], &["--skip", "close"], &["--sample", "3"], &["--depth", "2"], &["--last", "40"]]
    {
        program.record(limit);
        for check in ["files_closed", "reads_what_it_opens", "children_waited"] {
            assert!(!program.is_so(&format!("sound({check})")), "{limit:?} {check}");
            let checked = papaver().current_dir(folder.path()).args(["check", "--builtin", "t.out"]).output();
            let told = String::from_utf8_lossy(&checked.expect("papaver runs").stdout).into_owned();
            let after = told.lines().skip_while(|line| !line.contains(check)).skip(1);
            let of_check: String = after.take_while(|line| line.starts_with(' ')).collect();
            assert!(of_check.contains("warning: the answer depends on"), "{limit:?} {check}: {told}");
        }
    }
    // without arguments nobody knows what was opened as which descriptor
    program.record(&["--no-args"]);
    for goal in ["files_closed", "reads_what_it_opens", "children_waited", "\\+ connected(_, _)"] {
        assert!(!program.is_so(&format!("sound(({goal}))")), "--no-args {goal}");
    }
    assert!(program.is_so("sound(process(_, _, _, _, exited(0))), sound(no_kill)"));
    for (depth, n_processes) in [("1", 1), ("2", 4), ("3", 10), ("4", 10)] {
        let recorded = program.record(&["--depth", depth]);
        assert_eq!(processes(&recorded), n_processes, "--depth {depth}");
    }
    let bare = program.record(&["--no-args"]);
    let has_values = |line: &&String| line.contains(['"', '{', '/']) && !line.contains("{} ---");
    assert_eq!(bare.events.iter().find(has_values), None);
    assert!(program.is_so("event([port=exception, name=access, errno='ENOENT', ret= -1, text=_])"));
    let limits = &program.record(&["--sample", "5", "--depth", "2", "--no-args", "--last", "9"]).stated[0]["limits"];
    assert_eq!(limits.to_string(), r#"{"last":9,"depth":2,"sample":5,"no_args":true}"#);
}
