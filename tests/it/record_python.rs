//! The recorder of Python: what it writes equals what the programs count themselves, and they stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::each::test_cases;
use crate::support::{data, papaver, program, stdout};

/// An interpreter, and its version: 3.12 is 312.
struct Python {
    path: PathBuf,
    version: u32,
}

/// The interpreters of this machine, one of each version; says so if there is none.
fn pythons() -> &'static [Python] {
    static PYTHONS: LazyLock<Vec<Python>> = LazyLock::new(find_pythons);
    if PYTHONS.is_empty() {
        println!("Python 3.8 or later cannot be had here: not tested");
    }
    &PYTHONS
}

fn find_pythons() -> Vec<Python> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let versions = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let installed = versions.map(|version| version.path().join("bin/python"));
    let named = (8..20).map(|minor| PathBuf::from(format!("python3.{minor}")));
    let found = std::iter::once(PathBuf::from("python3")).chain(named).chain(installed);
    let by_version: BTreeMap<u32, PathBuf> = found.filter_map(|path| Some((version_of(&path)?, path))).collect();
    by_version.into_iter().map(|(version, path)| Python { path, version }).collect()
}

fn version_of(path: &Path) -> Option<u32> {
    let text = "import sys; print(sys.version_info[0] * 100 + sys.version_info[1])";
    let output = Command::new(path).args(["-c", text]).stderr(Stdio::null()).output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    (308..400).contains(&version).then_some(version)
}

/// The latest interpreter of each of the two ways to record: before and from 3.12.
fn one_of_each_way() -> Vec<&'static Python> {
    let (new, old): (Vec<_>, Vec<_>) = pythons().iter().partition(|python| python.version >= 312);
    new.last().into_iter().chain(old.last()).copied().collect()
}

/// A folder with the programs, and one with the recorder.
struct Place {
    programs: TempDir,
    recorder: TempDir,
}

impl Place {
    fn new() -> Place {
        let (programs, recorder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        copy(Path::new(&data("record/python")), programs.path());
        let text = stdout(papaver().args(["recorder", "python"]), 0);
        fs::write(recorder.path().join("sitecustomize.py"), &text).expect("it can be written");
        fs::write(recorder.path().join("papaver_record.py"), &text).expect("it can be written");
        Place { programs, recorder }
    }

    fn trace(&self) -> PathBuf {
        self.recorder.path().join("trace.jsonl")
    }

    /// The program as it is.
    fn bare(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.programs.path()).stdin(Stdio::null());
        command.env_remove("PYTHONPATH").env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONHASHSEED", "0");
        command
    }

    /// The same program, recorded.
    fn recorded(&self, program: &Path, arguments: &[&str], options: &str) -> Command {
        let mut command = self.bare(program, arguments);
        let _ = fs::remove_file(self.trace());
        command.env("PYTHONPATH", self.recorder.path()).env("PAPAVER_OUT", self.trace());
        command.env("PAPAVER_OPTIONS", options);
        command
    }

    /// What was written: the events, and the trailer.
    fn events(&self) -> (Vec<Value>, Value) {
        let text = fs::read_to_string(self.trace()).expect("there is a trace");
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let trailer = lines.pop().expect("there is a trailer");
        assert_eq!(trailer["port"], "trailer", "{text}");
        let header = lines.remove(0);
        assert_eq!((&header["papaver"], &header["port"]), (&Value::from(1), &Value::from("header")));
        assert_eq!(trailer["events"], lines.len(), "{text}");
        (lines, trailer)
    }

    fn check(&self) {
        stdout(papaver().args(["check", "--builtin"]).arg(self.trace()), 0);
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a folder can be made");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file can be copied");
        }
    }
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program can be started")
}

/// What a program shows: its status and what it wrote, but for numbers of processes.
fn shown(output: &Output) -> (Option<i32>, String, String) {
    use std::os::unix::process::ExitStatusExt;
    let numbers = regex::Regex::new("pid=[0-9]+|subprocess [0-9]+").expect("a pattern");
    let text = |bytes: &[u8]| numbers.replace_all(&String::from_utf8_lossy(bytes), "PID").into_owned();
    let status = output.status.code().or(output.status.signal().map(|signal| 128 + signal));
    (status, text(&output.stdout), text(&output.stderr))
}

/// Runs a program with and without the recorder, and returns its status and the trailer.
fn stays_as_it_is(place: &Place, program: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let bare = shown(&output(&mut place.bare(program, arguments)));
    let recorded = shown(&output(&mut place.recorded(program, arguments, "")));
    assert_eq!(recorded, bare, "{} {arguments:?}", program.display());
    let (_, trailer) = place.events();
    assert_eq!(trailer["hook_errors"], 0, "{} {arguments:?}", program.display());
    (bare.0, trailer)
}

/// Calls and resumptions by the last part of the name.
fn entries(events: &[Value]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for event in events.iter().filter(|event| event["port"] == "call" || event["port"] == "redo") {
        let name = event["name"].as_str().expect("a name").rsplit('.').next().unwrap_or_default();
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn calls_are_those_that_the_interpreter_counts() {
    let place = Place::new();
    for python in pythons() {
        let counted = output(&mut place.bare(&python.path, &["oracle.py", "flow.py"]));
        let counted: BTreeMap<String, u64> = String::from_utf8_lossy(&counted.stderr)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(name, count)| (name.to_owned(), count.parse().expect("a count")))
            .collect();
        assert!(counted.len() > 20, "{counted:?}");
        stays_as_it_is(&place, &python.path, &["flow.py"]);
        let (events, trailer) = place.events();
        assert_eq!(entries(&events), counted, "Python {}", python.version);
        assert_eq!((&trailer["lost"], &trailer["end"], &trailer["status"]), (&0.into(), &"ok".into(), &0.into()));
        place.check();
    }
}

/// Every box is opened once, then closed and entered again in turn, and what closes it says why.
#[test]
fn boxes_alternate_and_say_how_they_end() {
    let place = Place::new();
    for python in pythons() {
        output(&mut place.recorded(&python.path, &["flow.py"], ""));
        let mut open: BTreeMap<u64, bool> = BTreeMap::new();
        let mut ends: BTreeSet<(String, String)> = BTreeSet::new();
        for event in place.events().0 {
            let call = event["call"].as_u64().expect("a number");
            let name = event["name"].as_str().expect("a name").rsplit('.').next().unwrap_or_default().to_owned();
            let closes = event["port"] == "exit" || event["port"] == "exception";
            let was_open = open.insert(call, !closes);
            assert_eq!(was_open, (event["port"] != "call").then_some(closes), "{event}");
            let end = event["exception"].as_str().or(event["why"].as_str());
            ends.extend(end.map(|end| (name, end.to_owned())));
        }
        for (name, end) in [
            ("bad", "ValueError"),
            ("take", "Missing"),
            ("silent", "ZeroDivisionError"),
            ("broken", "FileNotFoundError"),
            ("count", "yield"),
            ("count", "return"),
            ("worker", "await"),
            ("numbers", "yield"),
            ("numbers", "await"),
        ] {
            assert!(ends.contains(&(name.to_owned(), end.to_owned())), "{name} {end}: {ends:?}");
        }
    }
}

#[test]
fn two_recordings_differ_in_times_and_processes_only() {
    let place = Place::new();
    for python in one_of_each_way() {
        let [first, second] = [(); 2].map(|()| {
            output(&mut place.recorded(&python.path, &["flow.py"], ""));
            let mut events = place.events().0;
            events.iter_mut().filter_map(Value::as_object_mut).for_each(|event| {
                event.remove("time");
                event.remove("pid");
            });
            events
        });
        assert_eq!(first, second);
    }
}

#[test]
fn values_are_written_without_running_code_of_the_program() {
    let place = Place::new();
    for python in pythons() {
        stays_as_it_is(&place, &python.path, &["values.py"]);
        let results: Vec<Value> = place.events().0.iter().map(|event| event["result"].clone()).collect();
        for (is_json, text) in [
            (true, "-5"),
            (true, "true"),
            (false, "none"),
            (false, "\"none\""),
            (false, "1.5NaN"),
            (false, "-1.0Inf"),
            (false, "'…'(int,16610)"),
            (false, "\"it's \\\"quoted\\\" \\\\ \\n\\t\\u0000\u{7f} é 😀\""),
            (false, "[1,2.5,\"a\",none,true]"),
            (false, "[[[[['…']]]]]"),
            (false, "{\"a\":1,\"it's\":[2]}"),
            (false, "set([\"a\",\"b\",\"c\"])"),
            (false, "'Hostile'"),
            (false, "'Whole'(5)"),
            (false, "'Row'([1,2])"),
            (false, "'Slots'([a=1,c=3])"),
            (false, "'Point'([x=1,y=1.0Inf])"),
            (false, "'Pair'([left=1,right=\"b\"])"),
            (false, "'Colour'('RED')"),
            (false, "'Owner'([inner='Point'('…'),list=['Point'('…')]])"),
            (false, "{\"a\": -1,\"b\":[-2.5]}"),
            (false, "dict([(-1)-(-0.0)])"),
            (false, "'Point'([x= -1,y= -1.0Inf])"),
            (false, "'Pair'([left= -0.0,right= -1000000000000000000000000000000])"),
            (false, "'SimpleNamespace'(['-'= -1,'is'= -1.5])"),
            (false, "'Narrow'([one= -1])"),
            (false, "[complex(-0.0,-2.0)]"),
            (false, "'Decimal'(\"1.50\")"),
        ] {
            let value = if is_json { serde_json::from_str(text).expect("JSON") } else { Value::from(text) };
            assert!(results.contains(&value), "Python {}: {text}", python.version);
        }
        assert!(fs::read_to_string(place.trace()).expect("a trace").lines().all(|line| line.len() < 2500));
        let findings = stdout(papaver().args(["query", "finding(_, _, _, _)", "--count"]).arg(place.trace()), 1);
        assert_eq!(findings, "0\n");
    }
}

#[test]
fn programs_end_as_they_do() {
    let place = Place::new();
    let ways = [
        ("return", "ok"),
        ("exit", "halted"),
        ("exit3", "halted"),
        ("exit300", "halted"),
        ("exit-text", "halted"),
        ("exit-true", "halted"),
        ("raise-exit", "halted"),
        ("_exit", "halted"),
        ("error", "LookupError: \"lost\", 3"),
        ("chain", "RuntimeError: after"),
        ("interrupt", "interrupted"),
        ("terminate", "interrupted"),
        ("hangup", "interrupted"),
        ("terminate-handled", "halted"),
        ("thread", "ok"),
        ("late", "ok"),
        ("daemon", "halted"),
        ("closed", "ok"),
        ("environ", "ok"),
    ];
    for python in one_of_each_way() {
        for (way, end) in ways {
            let (status, trailer) = stays_as_it_is(&place, &python.path, &["ends.py", way]);
            assert_eq!((&trailer["end"], &trailer["status"]), (&end.into(), &status.into()), "{way}");
            if ["daemon", "terminate", "closed"].contains(&way) {
                place.check();
            }
        }
        let (_, trailer) = stays_as_it_is(&place, &python.path, &["ends.py", "exec"]);
        assert_eq!(trailer["end"], "halted");
        let (_, trailer) = stays_as_it_is(&place, &python.path, &["ends.py", "atexit"]);
        assert_eq!(trailer["events"], 12, "what `atexit` calls is recorded");
    }
}

/// An exception that a handler of a signal throws while the recorder is at work reaches the program.
#[test]
fn an_alarm_ends_a_program_that_is_recorded_all_the_time() {
    let place = Place::new();
    for python in one_of_each_way() {
        let recorded = output(&mut place.recorded(&python.path, &["ends.py", "alarm"], ""));
        let (status, out, err) = shown(&recorded);
        assert_eq!((status, out.as_str()), (Some(1), "survived\n"), "{err}");
        assert!(err.ends_with("TimeIsUp: alarm\n"), "{err}");
        if python.version >= 312 {
            assert!(!err.contains("sitecustomize"), "{err}");
            place.check();
        }
    }
}

test_cases! {
    habits_of_programs_are_left_alone, leave_alone:
    pickled "pickled", stacks "stacks", lifetimes "lifetimes", profiled "profiled", traced "traced", reloaded "reloaded",
    made "made", collected "collected", handled "handled", many_threads "many_threads", dropped "dropped",
    deepest "deepest",
}

fn leave_alone(habit: &str) {
    let place = Place::new();
    // what an interpreter says of a generator that is dropped, and of calls that are too deep, differs with its version
    let differs = ["dropped", "deepest"].contains(&habit);
    for python in if differs { pythons().iter().collect() } else { one_of_each_way() } {
        let (_, trailer) = stays_as_it_is(&place, &python.path, &["habits.py", habit]);
        let is_ended = habit == "traced" && python.version < 312;
        assert_eq!(trailer["lost"], u64::from(is_ended), "{habit}");
        if differs || habit == "many_threads" {
            place.check();
        }
    }
}

#[test]
fn every_way_to_start_a_program_is_recorded() {
    let place = Place::new();
    for python in one_of_each_way() {
        let path = python.path.to_str().expect("a text");
        let text = "import sys\ndef f(n): return n\nprint(f(1), __name__, sys.argv, sys.path[0])\nf(1/0)";
        let piped = [format!("{path} - a <ways.py"), format!("{path} <ways.py")];
        for arguments in [
            vec![path, "ways.py", "a", "b"],
            vec![path, "-X", "dev", "-W", "error", "-u", "ways.py", "-i"],
            vec![path, "-m", "ways", "x"],
            vec![path, "-m", "pack", "x"],
            vec![path, "pack"],
            vec![path, "-c", text, "arg"],
            vec![path, "-OBs", "ways.py"],
            vec!["sh", "-c", &piped[0]],
            vec!["sh", "-c", &piped[1]],
        ] {
            let (_, trailer) = stays_as_it_is(&place, Path::new(arguments[0]), &arguments[1..]);
            assert!(trailer["events"].as_u64() > Some(1), "{arguments:?}");
        }
        for arguments in [["no-such-file.py"].as_slice(), &["-m", "no_such_module"], &["-c", "def f(:"]] {
            stays_as_it_is(&place, &python.path, arguments);
        }
    }
}

#[test]
fn children_go_on_in_the_same_trace() {
    let place = Place::new();
    for python in one_of_each_way() {
        for (way, n_processes) in [
            ("fork", 2),
            ("fork-and-return", 2),
            ("fork-many", 7),
            ("fork-and-kill", 2),
            ("fork-and-destroy", 2),
            ("outlive", 1),
            ("pool-fork", 6),
            ("pool-spawn", 6),
            ("pool-forkserver", 7),
            ("subprocess", 2),
        ] {
            stays_as_it_is(&place, &python.path, &["processes.py", way]);
            let events = place.events().0;
            let pids: BTreeSet<u64> = events.iter().filter_map(|event| event["pid"].as_u64()).collect();
            assert_eq!(pids.len(), n_processes, "Python {}: {way}", python.version);
            if way != "fork" && way != "outlive" {
                place.check();
            }
            let n_work = events.iter().filter(|event| event["name"] == "work" && event["port"] == "call").count();
            let expected = match way {
                "fork-many" => 300 * (1 + 2 + 3 + 4 + 5) + 2 * 4 + 300 * 2,
                "fork-and-destroy" => 700 * 2,
                _ => n_work,
            };
            assert_eq!(n_work, expected, "no call of a process is lost");
        }
    }
}

#[test]
fn limits_leave_out_what_they_say() {
    let place = Place::new();
    for python in one_of_each_way() {
        let run = |options: &str| {
            output(&mut place.recorded(&python.path, &["flow.py"], options));
            place.events()
        };
        let calls = |events: &[Value]| events.iter().filter(|event| event["port"] == "call").count() as u64;
        let whole = calls(&run("").0);
        let (events, trailer) = run("max_events=7");
        assert_eq!((events.len(), &trailer["end"]), (7, &"limit".into()));
        let (events, trailer) = run("depth=3");
        assert!(events.iter().all(|event| event["depth"].as_u64() <= Some(3)));
        assert_eq!(trailer["left_out"]["depth"], whole - calls(&events));
        place.check();
        let (events, trailer) = run("sample=3");
        place.check();
        assert_eq!(trailer["left_out"]["sample"], whole - calls(&events));
        let fibs = events.iter().filter(|event| event["name"] == "fib" && event["port"] == "call").count();
        assert_eq!(fibs, 17, "of 49 calls the first, the fourth and so on");
        let (events, _) = run("no_args=1");
        assert!(events.iter().all(|event| event["args"].is_null() && event["result"].is_null()));
        let (events, trailer) = run("text=5");
        assert!(trailer["left_out"]["text"].as_u64() > Some(0));
        assert!(events.iter().all(|event| event["result"].as_str().is_none_or(|text| text.chars().count() < 60)));
        output(&mut place.recorded(&python.path, &["values.py"], "levels=2"));
        let deep = "'Owner'([inner='Point'([x=1,y=1.0Inf]),list=['Point'([x=2,y=1.0Inf])]])";
        assert!(place.events().0.iter().any(|event| event["result"] == deep));
        let names = |options: &str| -> BTreeSet<String> {
            run(options).0.iter().map(|event| event["name"].as_str().expect("a name").to_owned()).collect()
        };
        let shop = ["Shop.__init__", "Shop.take"].map(str::to_owned);
        assert_eq!(names("only=take\nonly=Shop.__init__/2"), shop.iter().cloned().collect());
        assert_eq!(names("only=flow:fib\nonly=no_such"), ["fib".to_owned()].into());
        assert!(names("only=json.decoder\nonly=asyncio.runners").contains("Runner.run") || python.version < 311);
        assert!(!names("skip=fib\nskip=Shop").contains("fib"));
    }
}

#[test]
fn lines_and_options_by_hand() {
    let place = Place::new();
    let file = place.recorder.path().join("papaver_record.py");
    let by_hand = file.to_str().expect("a text");
    for python in one_of_each_way() {
        let mut command = place.recorded(&python.path, &["-W", "error", by_hand, "pack", "a"], "lines=1");
        let recorded = output(command.env_remove("PYTHONPATH"));
        assert!(!recorded.status.success(), "a folder has no package around it");
        let mut command = place.recorded(&python.path, &["-W", "error", by_hand, "-m", "pack", "a"], "lines=1");
        let recorded = shown(&output(command.env_remove("PYTHONPATH")));
        assert_eq!(recorded, shown(&output(&mut place.bare(&python.path, &["-W", "error", "-m", "pack", "a"]))));
        let lines: Vec<(String, u64)> = place.events().0.iter().filter_map(line_of).collect();
        assert!(lines.contains(&("double".to_owned(), 2)), "{lines:?}");
        for (options, why) in [
            ("colour=red", "unknown option `colour`"),
            ("depth=many", "expected a number after `depth=`, found `many`"),
            ("levels=10", "expected a number up to 9 after `levels=`, found `10`"),
        ] {
            let refused = shown(&output(&mut place.recorded(&python.path, &["flow.py"], options)));
            assert_eq!(refused, (Some(125), String::new(), format!("papaver record: {why}\n")));
        }
        let refused = shown(&output(&mut place.bare(&python.path, &["-I", by_hand, "flow.py"])));
        assert!(refused.0 == Some(125) && refused.2.starts_with("papaver record: with the options"), "{refused:?}");
    }
}

fn line_of(event: &Value) -> Option<(String, u64)> {
    (event["port"] == "line").then(|| {
        (event["name"].as_str().unwrap_or_default().to_owned(), event["line_number"].as_u64().unwrap_or_default())
    })
}

#[test]
fn many_events_take_no_memory() {
    let place = Place::new();
    for python in one_of_each_way() {
        let peak = |command: &mut Command| -> u64 {
            String::from_utf8_lossy(&output(command).stdout).trim().parse().expect("kilobytes")
        };
        let bare = peak(&mut place.bare(&python.path, &["volume.py", "150000"]));
        let recorded = peak(&mut place.recorded(&python.path, &["volume.py", "150000"], ""));
        assert!(recorded < bare + 16_000, "{bare} KB became {recorded} KB");
        assert_eq!(place.events().1["events"], 300_000 + 4);
    }
}

/// What a program did is in the file a second later, though it waits; a kill leaves a trace that can be read.
#[test]
fn a_program_that_waits_is_written_each_second() {
    let place = Place::new();
    for python in one_of_each_way() {
        let text = "import time\ndef f(n): return n\nf(1)\ntime.sleep(60)";
        let mut child = place.recorded(&python.path, &["-c", text], "").spawn().expect("it can be started");
        let begun = std::time::Instant::now();
        let n_lines = || fs::read_to_string(place.trace()).map_or(0, |text| text.lines().count());
        while n_lines() < 4 && begun.elapsed().as_secs() < 30 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        child.kill().expect("it runs");
        child.wait().expect("it was started");
        assert_eq!(n_lines(), 4, "the header, the program, and a call with its exit");
        let goal = "event([name=f, port=exit, result=R]), trace_info(unfinished, U)";
        assert_eq!(stdout(papaver().args(["query", "-q", goal]).arg(place.trace()), 0), "R = 1, U = true\n");
    }
}

/// A command that starts several programs is one recording, and a program that is no trace's own is not disturbed.
#[test]
fn papaver_record_starts_programs_as_they_are() {
    let Some(python) = one_of_each_way().into_iter().next() else { return };
    let place = Place::new();
    let path = python.path.to_str().expect("a text");
    let record = |name: &str, command: &[&str]| {
        let mut record = program();
        record.current_dir(place.programs.path()).args(["record", "-q", "--with", "python", "-o", name]);
        output(record.args(command).stdin(Stdio::null()))
    };
    assert_eq!(shown(&record("lines.jsonl", &["--lines", path, "ways.py", "a"])).0, Some(0));
    let lines = "event([port=line, name=error, line_number=_])";
    stdout(papaver().args(["query", lines]).arg(place.programs.path().join("lines.jsonl")), 0);
    for last in ["1", "2", "7", "50"] {
        let name = format!("last{last}.jsonl");
        assert_eq!(shown(&record(&name, &["--last", last, path, "flow.py"])).0, Some(0));
        stdout(papaver().args(["check", "--builtin"]).arg(place.programs.path().join(name)), 0);
    }
    let alone = shown(&output(&mut place.bare(&python.path, &["ways.py", "a"])));
    assert_eq!(shown(&record("one.jsonl", &["env", "-u", "PYTHONHASHSEED", path, "ways.py", "a"])).0, alone.0);
    let both = format!("{path} ends.py return; {path} ends.py exit3");
    assert_eq!(shown(&record("two.jsonl", &["sh", "-c", &both])).0, Some(3));
    let text = fs::read_to_string(place.programs.path().join("two.jsonl")).expect("a trace");
    assert_eq!(text.matches("\"port\":\"header\"").count(), 1);
    stdout(papaver().args(["check", "--builtin"]).arg(place.programs.path().join("two.jsonl")), 0);
    let refused = shown(&record("none.jsonl", &[path, "-I", "ways.py"]));
    assert!(refused.0 == Some(125) && refused.2.contains("option I"), "{refused:?}");
}
