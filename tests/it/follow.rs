//! `papaver check --follow`: violations while the trace grows, verdicts at its end, and memory.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::{data, file, papaver, program, stderr, stdout};

/// A running check, and its lines as they arrive.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(script: &Path, trace: &str, more: &[&str]) -> Running {
        let mut command = program();
        command.args(["check", "--follow"]).arg(script).arg(trace).args(more);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Running { child, lines }
    }

    fn write(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next line, which must arrive soon.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("a line is due")
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(700)).is_err()
    }

    /// Ends the input; returns the remaining lines and the status.
    fn end(mut self) -> (Vec<String>, i32) {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap().code().unwrap();
        (self.lines.iter().collect(), status)
    }

    /// The peak memory so far, in KiB.
    fn most_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

fn lock(port: &str, pid: u32) -> String {
    format!("{{\"port\": \"{port}\", \"pid\": {pid}}}\n")
}

#[test]
fn values_that_come_late_change_what_matched_also_in_a_pipe() {
    let (_folder, script) = file("c.pl", "check(one) :- never([dur = 1]).\ncheck(other) :- exists([state \\= up]).\n");
    let line = |values: &str| format!("{{\"port\": \"p\", {values}}}\n");
    let mut running = Running::start(&script, "-", &[]);
    // 1 equals 1.0 only if all numbers are floats, and 3 is a different value from `up` among names
    running.write(&line("\"dur\": 1.0, \"state\": 3"));
    assert!(running.is_silent());
    running.write(&line("\"dur\": 2, \"state\": \"up\""));
    let (lines, status) = running.end();
    assert_eq!((lines[0].trim_end(), lines[1].trim_end(), status), ("holds    one", "holds    other", 0));
}

#[test]
fn a_violation_is_told_when_it_is_certain_and_the_rest_at_the_end() {
    let script = "check(once) :- never([[port=lock, pid=P], [port=lock, pid=P]], between([port=lock, pid=P], [port=unlock, pid=P])).\n\
                  check(released) :- responds([port=unlock, pid=P], [port=lock, pid=P]).\n\
                  check(quiet) :- never([port=error]).\n";
    let (_folder, path) = file("rules.pl", script);
    let mut running = Running::start(&path, "-", &[]);
    running.write(&lock("lock", 1));
    running.write(&lock("lock", 2));
    running.write(&lock("lock", 1));
    assert!(running.is_silent(), "the second lock is only wrong once the stretch has ended");
    running.write(&lock("unlock", 1));
    assert!(running.line().starts_with("violated once"));
    assert!(running.line().contains("P = 1: event 3 should never be, in the stretch from event 1 to event 4"));
    assert_eq!(running.line(), "    -:1:   1: lock ");
    assert_eq!(running.line(), "    -:3:   3: lock ");
    running.write(&lock("error", 3));
    assert!(running.line().starts_with("violated quiet"));
    running.line();
    assert_eq!(running.line(), "    -:5:   5: error ");
    assert!(running.is_silent(), "an answer may still come");
    let (lines, status) = running.end();
    assert_eq!(status, 1);
    assert!(lines[0].starts_with("violated released"), "{lines:?}");
    assert!(lines[1].ends_with("P = 2: nothing responds to event 2"), "{lines:?}");
    assert_eq!(*lines.last().unwrap(), "3 checks, 3 violated, 0 with errors");
}

#[test]
fn a_file_is_followed_while_it_is_written() {
    let (_folder, path) =
        file("rules.pl", "check(quiet) :- never([port=error]).\ncheck(loud) :- exists([port=end]).\n");
    let (_other, trace) = file("run.jsonl", &lock("begin", 1));
    let running = Running::start(&path, trace.to_str().unwrap(), &["--until-idle", "2s"]);
    let mut writer = OpenOptions::new().append(true).open(&trace).unwrap();
    assert!(running.is_silent());
    // an incomplete line does not count yet
    writer.write_all(b"{\"port\": \"error\"").unwrap();
    assert!(running.is_silent());
    writer.write_all(b"}\n").unwrap();
    assert!(running.line().starts_with("violated quiet"));
    writer.write_all(lock("end", 1).as_bytes()).unwrap();
    let (lines, status) = running.end();
    assert_eq!((lines[2].as_str(), status), ("holds    loud", 1), "{lines:?}");
}

const CHECKS: &str = "\
check(answered) :- responds([port=[exit, fail], call=C], [port=call, call=C]).
check(short) :- responds([port=[exit, fail], call=C], [port=call, call=C], globally, within(chrono, 300)).
check(begun) :- precedes([port=call, call=C], [port=[exit, fail], call=C]).
check(again) :- never([[port=exit, call=C], [port=redo, call=C]]).
check(quiet) :- never([name=print_list], after([name=queen, port=exit])).
check(few) :- exists([port=exit], at_most(2), between([port=call, call=C], [port=exit, call=C])).
check(flat) :- always([depth < 9]).
check(inner) :- always([depth > 1], after_until([name=queen, port=call], [name=queen, port=exit])).
check(nothing) :- responds([port=exit], [name=nobody]).
check(two) :- rule(queen), exists([name=queen], exactly(2)).
check(plain) :- forall(event([port=call, call=C]), event([port=[exit, fail], call=C])).
check(wrong) :- never([prot=call]).
rule(Name) :- precedes([name=Name, port=call], [name=Name, port=exit]).
";

/// The first line of each outcome.
fn verdicts(text: &str) -> Vec<String> {
    let mut verdicts: Vec<String> =
        text.lines().filter(|line| !line.starts_with(' ')).map(|line| line.to_string()).collect();
    verdicts.sort();
    verdicts
}

#[test]
fn verdicts_are_those_of_the_stored_trace() {
    let (_folder, script) = file("rules.pl", CHECKS);
    for trace in ["queens.trace", "queens.jsonl", "qsort.trace"].map(data) {
        let stored = stdout(papaver().arg("check").arg(&script).arg(&trace), 2);
        let followed =
            stdout(papaver().args(["check", "--follow", "--until-idle", "300ms"]).arg(&script).arg(&trace), 2);
        assert_eq!(verdicts(&followed), verdicts(&stored), "{trace}");
        let text = std::fs::read(&trace).unwrap();
        let piped = stdout(papaver().args(["check", "--follow"]).arg(&script).arg("-").write_stdin(text), 2);
        assert_eq!(verdicts(&piped), verdicts(&stored), "{trace} through a pipe");
    }
}

/// A log of an agent and what strace writes are read again while they grow.
#[test]
fn violations_that_stay_are_told_at_once_in_every_format() {
    let call = |id: &str, command: &str| {
        let input = format!("{{\"command\":\"{command}\"}}");
        let block = format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\"input\":{input}}}");
        format!("{{\"type\":\"assistant\",\"message\":{{\"content\":[{block}]}}}}\n")
    };
    let agent = [call("t1", "ls"), call("t2", "rm -rf /srv"), call("t3", "ls")];
    let strace =
        ["7 12:00:00 read(3, \"\", 9) = 0\n", "7 12:00:01 unlink(\"/srv\") = 0\n", "7 12:00:02 getpid() = 7\n"];
    let removes =
        "event([port=call, name='Bash', args=[json(I)|_]]), member(command=C, I), sub_string(C, _, _, _, \"rm \")";
    let kept =
        format!("check(kept) :- \\+ ({removes}).\ncheck(three) :- aggregate_all(count, event([port=call]), 3).\n");
    let never = "check(kept) :- never([name=unlink]).\ncheck(three) :- exists([port=call], exactly(3)).\n";
    let own = |name: &str| format!("{{\"port\": \"call\", \"name\": \"{name}\"}}\n");
    let three = "check(three) :- aggregate_all(count, event([port=call]), 3).\n";
    let [negated, for_all, claims] = [
        "\\+ event([name=unlink])",
        "forall(event([port=call, name=N]), N \\== unlink)",
        "forall(member(N, [rmdir, unlink]), never([name=N]))",
    ]
    .map(|goal| format!("check(kept) :- {goal}.\n{three}"));
    let own = ["read", "unlink", "getpid"].map(own);
    for (lines, script) in [
        (agent, kept.as_str()),
        (strace.map(str::to_string), never),
        (own.clone(), negated.as_str()),
        (own.clone(), for_all.as_str()),
        (own, claims.as_str()),
    ] {
        let (_folder, script) = file("c.pl", script);
        let mut running = Running::start(&script, "-", &[]);
        running.write(&lines[0]);
        assert!(running.is_silent());
        running.write(&lines[1]);
        assert!(running.line().starts_with("violated kept"));
        running.write(&lines[2]);
        let (rest, status) = running.end();
        assert!(rest.iter().any(|line| line.starts_with("holds    three")), "{rest:?}");
        assert!(!rest.iter().any(|line| line.contains("kept")), "{rest:?}");
        assert_eq!(status, 1);
        let mut guard = Running::start(&script, "-", &["--fail-fast"]);
        lines[..2].iter().for_each(|line| guard.write(line));
        assert!(guard.line().starts_with("violated kept"));
        assert_eq!(guard.child.wait().unwrap().code(), Some(1));
    }
}

/// Whether 1 equals 1.0 depends on the numbers that come later, and so does how a call ends.
#[test]
fn what_later_lines_may_mend_is_not_told_before_the_end() {
    let line = |a: &str| format!("{{\"at\": 1, \"what\": \"x\", \"n\": {a}}}\n");
    let map = "map(m, needs, [at]).\nmap(m, name, what).\nmap(m, column, n).\n";
    let (_folder, map) = file("m.map", map);
    let (_scripts, script) = file("c.pl", "check(one) :- never([n = 1]).\ncheck(x) :- exists([name=x]).\n");
    let mut running = Running::start(&script, "-", &["--map", map.to_str().unwrap()]);
    running.write(&line("1.0"));
    assert!(running.is_silent());
    running.write(&line("2"));
    let (lines, status) = running.end();
    assert_eq!((lines[0].trim_end(), lines[1].trim_end(), status), ("holds    one", "holds    x", 0));
}

/// Spans come when they end, those inside before those around; what never happens is violated for good nevertheless.
#[test]
fn what_depends_on_the_order_of_events_waits_where_lines_have_another() {
    let span = |id: u8, parent: &str, name: &str, time: u32| {
        format!(
            "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"traceId\":\"5b8efff798038103d269b633813fc60c\",\
             \"spanId\":\"00000000000000{id:02}\",{parent}\"name\":\"{name}\",\"startTimeUnixNano\":\"{time}\",\
             \"endTimeUnixNano\":\"{}\"}}]}}]}}]}}\n",
            10 - time
        )
    };
    let child = span(2, "\"parentSpanId\":\"0000000000000001\",", "query", 3);
    let (_folder, script) = file(
        "c.pl",
        "check(inner) :- never([name=query, depth=1]).\ncheck(after) :- precedes([name=login], [name=query]).\n\
         check(only) :- exists([depth=1, port=call], at_most(1)).\ncheck(none) :- never([name=drop]).\n",
    );
    let mut running = Running::start(&script, "-", &[]);
    running.write(&child);
    running.write(&child.replace("query", "drop").replace("0000000000000002", "0000000000000003"));
    assert!(running.line().starts_with("violated none"));
    running.write(&span(1, "", "login", 1));
    let (lines, status) = running.end();
    let verdicts: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((verdicts.iter().filter(|word| **word == "holds").count(), status), (3, 1), "{lines:?}");
}

/// A trace of a format of JSON whose first lines could be of another one, and one behind what its recorder states.
#[test]
fn a_format_is_known_by_its_own_lines_however_slowly_they_come() {
    let posix = std::fs::read_to_string(data("posix/loop.jsonl")).unwrap();
    let header = "{\"papaver\":1,\"port\":\"header\",\"source\":\"seqtrace\",\"recorder\":\"papaver\"}\n";
    let seqtrace = format!("{header}{}", std::fs::read_to_string(data("seq_trace/gen.raw")).unwrap());
    for (text, bad) in [(posix, "job_done"), (seqtrace, "zzz")] {
        let (_folder, script) =
            file("c.pl", &format!("check(some) :- exists([]).\ncheck(none) :- never([name={bad}]).\n"));
        let (_other, path) = file("t", &text);
        let stored = stdout(papaver().arg("check").arg(&script).arg(&path), i32::from(bad == "job_done"));
        let mut running = Running::start(&script, "-", &[]);
        text.split_inclusive('\n').take(3).for_each(|line| {
            running.write(line);
            std::thread::sleep(Duration::from_millis(150));
        });
        running.write(&text.split_inclusive('\n').skip(3).collect::<String>());
        let (lines, _) = running.end();
        assert_eq!(verdicts(&lines.join("\n")), verdicts(&stored));
    }
}

#[test]
fn a_format_that_cannot_be_followed_is_checked_at_its_end() {
    let (_folder, script) =
        file("rules.pl", "check(some) :- exists([port=proc]).\ncheck(none) :- never([port=proc]).\n");
    let trace = data("mpd/buffer.trc");
    let stored = stdout(papaver().arg("check").arg(&script).arg(&trace), 1);
    let text = std::fs::read(&trace).unwrap();
    let piped = stdout(papaver().args(["check", "--follow"]).arg(&script).arg("-").write_stdin(text), 1);
    assert_eq!(verdicts(&piped), verdicts(&stored));
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let (_folder, script) = file("rules.pl", "check(some) :- exists([port=proc]).\n");
    let text = stderr(papaver().args(["check", "--follow"]).arg(&script).args(["a", "b"]), 2);
    assert!(text.contains("expected one trace to follow"), "{text}");
    let text = stderr(papaver().args(["check", "--follow"]).arg(&script).arg("nowhere.trace"), 2);
    assert!(text.contains("cannot read `nowhere.trace`"), "{text}");
}

/// Memory is used mostly for a batch; it does not grow with the trace.
#[test]
fn following_never_takes_no_more_memory_for_a_longer_trace() {
    let script = "check(quiet) :- never([port=error]).\ncheck(free) :- responds([port=unlock], [port=lock]).\n";
    let (_folder, path) = file("rules.pl", script);
    let mut running = Running::start(&path, "-", &[]);
    let lines = format!("{}{}", lock("lock", 1), lock("unlock", 1)).repeat(5_000);
    (0..10).for_each(|_| running.write(&lines));
    thread::sleep(Duration::from_secs(1));
    let early = running.most_memory();
    (0..40).for_each(|_| running.write(&lines));
    thread::sleep(Duration::from_secs(1));
    let late = running.most_memory();
    let (lines, status) = running.end();
    assert_eq!(status, 0, "{lines:?}");
    // the text alone has 13 MB
    assert!(late < early + 12_000, "{early} KiB grew to {late} KiB");
}

/// A response that came too late between two events is a violation as soon as the second event arrives, whatever later
/// responses there are.
#[test]
fn an_answer_that_came_too_late_is_remembered_until_the_stretch_is_closed() {
    let check = "check(soon) :- responds([port=b], [port=p], between([port=q], [port=r]), within(chrono, 2)).\n";
    let (_folder, script) = file("soon.pl", check);
    let lines = |ports: &[&str]| ports.iter().map(|port| format!("{{\"port\": \"{port}\"}}\n")).collect::<String>();
    let mut running = Running::start(&script, "-", &[]);
    for group in [&["q", "p", "z", "z", "b"][..], &["p", "b"]] {
        running.write(&lines(group));
        assert!(running.is_silent());
    }
    running.write(&lines(&["r"]));
    assert!(running.line().starts_with("violated soon"));
    assert_eq!(running.end().1, 1);
}

#[test]
fn a_limit_of_time_is_decided_as_soon_as_the_time_has_passed_it() {
    let (_folder, rules) = file(
        "rules.pl",
        "check(quick) :- responds([port=exit, call=C], [port=call, call=C], globally, within(time, 100)).\n",
    );
    let mut running = Running::start(&rules, "-", &["--from", "jsonl"]);
    running.write("{\"port\":\"call\",\"call\":1,\"name\":\"f\",\"time\":10}\n");
    running.write("{\"port\":\"call\",\"call\":2,\"name\":\"g\",\"time\":50}\n");
    assert!(running.is_silent());
    running.write("{\"port\":\"exit\",\"call\":2,\"name\":\"g\",\"time\":111}\n");
    assert!(running.line().starts_with("violated quick"));
    assert!(running.line().contains("C = 1: nothing responds to event 1 within(time, 100)"));
    let (_, status) = running.end();
    assert_eq!(status, 1);
}

#[test]
fn a_least_distance_is_followed() {
    let checks = [
        "check(answered) :- responds([port=b], [port=p], globally, within(time, 2..21)).\n",
        "check(announced) :- precedes([port=p], [port=b], globally, within(time, 2..21)).\n",
        "check(quiet) :- never([port=z], after([port=p]), within(time, 2..21)).\n",
        "check(few) :- exists([port=b], at_most(1), globally, within(time, 2..21)).\n",
    ];
    let line = |event: &str| format!("{{\"port\":\"{}\",\"time\":{}}}\n", &event[..1], &event[1..]);
    // what is said after the last of these events, and not before
    let told = [
        (checks[0], "p10 b11 p12 b13 z33 z34", "not within(time, 2..21): 1, from event 3 to event 4"),
        (checks[0], "p10 b11 b12 p40 z60 z62", "nothing responds to event 4 within(time, 2..21)"),
        (checks[1], "p10 p29 b30 p40 b41 b62", "not within(time, 2..21): 22, from event 4 to event 6"),
        (checks[2], "p10 z11 p12 z12", "event 4 should never be within(time, 2..21)"),
        (checks[3], "b10 b11 b12 z20 b31", "more than 1 event within(time, 2..21)"),
    ];
    for (check, events, message) in told {
        let (_folder, script) = file("rules.pl", check);
        let mut running = Running::start(&script, "-", &["--from", "jsonl"]);
        let (before, last) = events.rsplit_once(' ').unwrap();
        before.split(' ').for_each(|event| running.write(&line(event)));
        assert!(running.is_silent(), "{check}");
        running.write(&line(last));
        assert!(running.line().starts_with("violated"), "{check}");
        assert!(running.line().contains(message), "{check}");
        assert_eq!(running.end().1, 1);
    }
}

/// The checks with their warnings: a growing trace tells the same as the stored one of what the recorder left out, wherever
/// that is, and of constraints that contradict each other.
#[test]
fn a_followed_check_has_the_warnings_of_the_stored_trace() {
    let checks = "check(typo) :- never([user=aann]).\ncheck(blind) :- never([name=alarm]).\n\
                  check(early) :- never([name=alarm, chrono=1..2]).\ncheck(vacuous) :- responds([name=a], [name=b]).\n\
                  check(seen) :- exists([name=job]).\ncheck(found) :- never([name=late]).\n\
                  check(unseen) :- exists([name=alarm]).\ncheck(both) :- never([name=login, name=pay]).\n\
                  check(amount) :- always([amount < 9]).\ncheck(limited) :- exists([name=job], at_most(100_000)).\n";
    let (_folder, script) = file("rules.pl", checks);
    let jobs = |n: usize| "{\"port\":\"call\",\"name\":\"job\",\"user\":\"ann\",\"time\":100,\"amount\":1}\n".repeat(n);
    let (header, gap) =
        ("{\"papaver\":1,\"port\":\"header\",\"time\":\"us\"}\n", "{\"papaver\":1,\"port\":\"gap\",\"lost\":5}\n");
    let late = "{\"port\":\"call\",\"name\":\"late\",\"time\":900,\"amount\":1}\n";
    let end = "{\"papaver\":1,\"port\":\"trailer\"}\n";
    let short = "{\"papaver\":1,\"port\":\"trailer\",\"left_out\":{\"depth\":3}}\n";
    for (n, m) in [(2, 2), (2, 5000), (5000, 5000), (5000, 0)] {
        for (middle, last) in [("", end), (gap, end), (gap, ""), ("", short), ("", ""), (gap, short)] {
            let text = [header, &jobs(n), middle, &jobs(m), late, last].concat();
            let (_other, trace) = file("run.jsonl", &text);
            let stored = stdout(papaver().arg("check").arg(&script).arg(&trace), 1);
            let piped = stdout(papaver().args(["check", "--follow"]).arg(&script).arg("-").write_stdin(text), 1);
            assert_eq!(warnings(&piped), warnings(&stored), "{n} {middle} {m} {last}");
        }
    }
}

/// The first line of each outcome, with its warning.
fn warnings(text: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for line in text.lines() {
        match told.last_mut() {
            Some(check) if line.starts_with("    warning") => check.push_str(line),
            _ if line.starts_with(' ') => {}
            _ => told.push(line.to_string()),
        }
    }
    told.sort();
    told
}

/// How many others there are, and in which predicate an error is, is known of a whole trace alone.
#[test]
fn a_pipe_tells_the_warnings_and_the_places_that_a_file_tells() {
    let header = "{\"papaver\":1,\"port\":\"header\",\"time\":\"ms\"}\n";
    let line = |port: &str, name: &str, call: u32, at: u32, more: &str| {
        format!("{{\"port\":\"{port}\",\"name\":\"{name}\",\"call\":{call},\"time\":{at},\"amount\":{more}}}\n")
    };
    let trace = [
        line("call", "order", 1, 1000, "5"),
        line("call", "pay", 2, 1010, "\"2000\""),
        line("exit", "pay", 2, 1400, "7"),
        line("exit", "order", 1, 1500, "8"),
    ];
    let trace = format!("{header}{}", trace.concat());
    let (_other, path) = file("t.jsonl", &trace);
    let told = |outcome: serde_json::Value| {
        let message = outcome["message"].as_str().unwrap();
        let words = message.split(" (in `").next().and_then(|words| words.split("; ").next()).map(str::to_string);
        ["check", "result", "vacuous", "warning", "events"]
            .map(|key| outcome[key].to_string())
            .into_iter()
            .chain(words)
            .collect()
    };
    for claim in [
        "exists([name=ordr])",
        "exists([name=pay, port=fail])).\ncheck(c) :- exists([name=pay, port=fail]",
        "never([name=ordr])",
        "never([name=order, name=pay])",
        "never([amount > 1000])",
        "always([name=[order, pai]])",
        "precedes([name=ordr], [name=pay])",
        "responds([port=exit, call=C, name=pay], [port=call, call=C])",
        "responds([name=zap], [name=zip])",
        "never([name=pay], after([name=order]), within(time, 60))",
        "never([name=pay, amunt=1])",
        "exists([name=pay], at_most(-1))",
        "never([arg(1)=matches(\"(\")])",
        "exists([port=exit], 3)",
        "never([port=exit, amount < \"3\"])",
        "fail, never([port==exit])",
        "never([duration > s(1)])",
    ] {
        let (_folder, script) = file("c.pl", &format!("check(c) :- {claim}.\n"));
        let outcomes = |more: &[&str]| -> Vec<Vec<String>> {
            let mut command = papaver();
            command.args(["check", "--to=json"]).arg(&script).args(more).write_stdin(trace.clone());
            let output = command.output().unwrap().stdout;
            String::from_utf8(output).unwrap().lines().map(|line| told(serde_json::from_str(line).unwrap())).collect()
        };
        assert_eq!(outcomes(&["--follow", "-"]), outcomes(&[path.to_str().unwrap()]), "{claim}");
    }
}

/// What is violated for good before the end of the trace depends on nothing that comes later.
#[test]
fn an_early_violation_does_not_warn_of_what_comes_later() {
    let (_folder, script) = file("c.pl", "name(pay).\ncheck(none) :- name(N), \\+ event([name=N]).\n");
    let mut running = Running::start(&script, "-", &["--to=json"]);
    running.write("{\"papaver\":1,\"port\":\"header\",\"recorder\":\"python\"}\n{\"port\":\"call\",\"name\":\"pay\",\"call\":1}\n");
    let told = running.line();
    assert!(told.contains("\"violated\"") && !told.contains("warning"), "{told}");
    running.end();
}
