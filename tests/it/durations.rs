//! `duration` and `self_time` as attributes, and times with units. The numbers were computed from the events by a program
//! in another language, which marks every moment in which a call or a call that it made was active.

use crate::support::{data, file, kept_file, papaver, stderr, stdout};

fn answers(goal: &str, trace: &str) -> String {
    stdout(papaver().args(["query", "-q", goal, trace]), 0)
}

#[test]
fn a_trace_without_times_counts_events() {
    let goal = "aggregate_all(sum(D), event([port=call, duration=D]), All), \
                aggregate_all(sum(S), event([port=call, self_time=S]), Own), \
                aggregate_all(max(S, C), event([port=call, self_time=S, call=C]), Most)";
    for name in ["queens.jsonl", "queens.trace"] {
        assert_eq!(answers(goal, &data(name)), "All = 4075, Own = 697, Most = max(26, 6)\n");
        assert_eq!(answers("aggregate_all(count, event([port=call, duration > 100]), N)", &data(name)), "N = 6\n");
        // at the first and the last event of a call, none between them
        assert_eq!(answers("aggregate_all(count, event([duration = 20..30]), N)", &data(name)), "N = 12\n");
    }
}

#[test]
fn searches_go_forwards_and_backwards_and_current_gives_the_values() {
    let goal = "det_fget_np([call=15]), current([duration=D, self_time=S]), last_np, det_bget_np([duration=D, port=fail, chrono=C])";
    assert_eq!(answers(goal, &data("queens.trace")), format!("D = 6, S = 3, C = {}\n", last_with_six()));
    let goal = "fget([call=15, duration > 5]), attribute(39, duration, D)";
    assert!(papaver().args(["query", goal, &data("queens.trace")]).output().unwrap().stdout.starts_with(b" 38:"));
}

/// The number of the last failure of a call that took six events, from the lines of the trace.
fn last_with_six() -> String {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let mut entered = std::collections::HashMap::new();
    let mut active = std::collections::HashMap::new();
    let mut last = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[chrono, call, _, port, ..] = words.as_slice() else { continue };
        let number: i64 = chrono.trim_end_matches(':').parse().unwrap();
        match port {
            "call" | "redo" => drop(entered.insert(call, number)),
            "exit" | "fail" => *active.entry(call).or_insert(0) += number - entered[call],
            _ => {}
        }
        if port == "fail" && active[call] == 6 {
            last = number.to_string();
        }
    }
    last
}

/// Times in nanoseconds: `main` runs for 100 ms, `load` in it from 10 ms to 40 ms.
const TIMED: &str = r#"{"call": 1, "depth": 1, "port": "call", "name": "main", "time": 0}
{"call": 2, "depth": 2, "port": "call", "name": "load", "time": 10000000}
{"call": 2, "depth": 2, "port": "exit", "name": "load", "time": 40000000}
{"call": 1, "depth": 1, "port": "exit", "name": "main", "time": 100000000}
"#;

#[test]
fn times_have_units_in_constraints() {
    let (_folder, path) = file("timed.jsonl", TIMED);
    let path = path.to_str().unwrap();
    for (constraint, expected) in [
        ("duration > ms(20)", "1 2 3 4"),
        ("duration > us(30000)", "1 4"),
        ("duration = ms(30)", "2 3"),
        ("duration = [ms(100), s(2)]", "1 4"),
        ("duration \\= ms(30)", "1 4"),
        ("duration = not(ms(30))", "1 4"),
        ("duration = us(29999.5)..us(30000.5)", "2 3"),
        ("self_time > ms(60)", "1 4"),
        ("duration < m(1)", "1 2 3 4"),
        ("time < ns(10000001)", "1 2"),
        ("time >= s(0.04)", "3 4"),
    ] {
        let goal = format!("findall(C, event([{constraint}, chrono=C]), L), atomic_list_concat(L, ' ', Text)");
        let text = answers(&format!("{goal}, write(Text), nl, fail ; true"), path);
        assert_eq!(text.lines().next(), Some(expected), "{constraint}");
    }
    let goal = "T = ms(30), event([duration = T, port=exit, name=N])";
    assert_eq!(answers(goal, path), "T = ms(30), N = load\n");
    let (_scripts, script) = file(
        "c.pl",
        "check(quick) :- never([port=call, duration > ms(50)]).\n\
        check(near) :- responds([port=exit, call=C], [port=call, call=C], globally, within(time, ms(30))).\n",
    );
    let text = stdout(papaver().arg("check").arg(&script).arg(path), 1);
    assert!(text.contains("violated quick") && text.contains("violated near"), "{text}");
}

#[test]
fn a_unit_that_is_not_known_is_an_error_that_says_why() {
    let message = |goal: &str, trace: &str| stderr(papaver().args(["query", goal, trace]), 2);
    let queens = data("queens.trace");
    assert!(
        message("event([duration > ms(1)])", &queens).contains("the trace has no times, so that `duration` counts")
    );
    assert!(message("event([depth > ms(1)])", &queens).contains("`depth` has no unit of time that is known"));
    let own = r#"{"call": 1, "port": "call", "name": "f", "duration": 3}"#;
    let (_folder, path) = file("own.jsonl", own);
    let path = path.to_str().unwrap();
    assert!(message("event([duration > ms(1)])", path).contains("`duration` has no unit of time that is known"));
    // it is the trace's own attribute
    assert_eq!(answers("event([duration=D])", path), "D = 3\n");
    assert!(message("event([duration > ms(a)])", path).contains("no unit of time"));
}

#[test]
fn times_that_count_cycles_have_no_unit_also_in_a_saved_trace() {
    let text = "[12345] lttng_ust_bank:deposit: { cpu_id = 0 }, { amount = 1 }\n\
                [12400] lttng_ust_bank:deposit: { cpu_id = 0 }, { amount = 2 }\n";
    let (folder, path) = file("cycles.txt", text);
    let saved = folder.path().join("cycles.papaver");
    papaver().arg("convert").arg(&path).arg("-o").arg(&saved).assert().success();
    for path in [&path, &saved] {
        let error = stderr(papaver().args(["query", "event([time > us(1)])"]).arg(path), 2);
        assert!(error.contains("`time` has no unit of time that is known"), "{error}");
    }
}

#[test]
fn strace_and_papaver_measure_the_same() {
    // strace wrote how long each call took (-T), from which papaver computes its end
    let goal = "aggregate_all(count, (event([port=exit, duration=D, dur=E]), D =\\= E), N), \
                aggregate_all(count, event([port=exit, dur=_]), All)";
    assert_eq!(answers(goal, &data("strace/split_ff.28963")), "N = 0, All = 55\n");
}

#[test]
fn a_check_of_durations_on_a_growing_trace_is_decided_at_its_end() {
    let (_scripts, script) = file("c.pl", "check(quick) :- never([port=call, duration > ms(50)]).\n");
    let mut command = papaver();
    command.args(["check", "--follow"]).arg(&script).arg("-").write_stdin(TIMED);
    assert!(stdout(&mut command, 1).starts_with("violated quick"));
}

#[test]
fn help_tells_of_them() {
    for name in ["duration", "self_time"] {
        let text = stdout(papaver().args(["help", name]), 0);
        assert!(text.contains("attribute: how long the call was active") && text.contains("ms(20)"), "{text}");
    }
}

#[test]
fn values_in_the_billions_are_counted_in_a_small_table() {
    let event = |chrono: u64, time: u64, port: &str| {
        format!("{{\"chrono\": {chrono}, \"call\": 1, \"port\": \"{port}\", \"name\": \"p\", \"time\": {time}}}\n")
    };
    let (_folder, path) = file("slow.jsonl", &(event(1, 7, "call") + &event(2, 3_200_000_007, "exit")));
    assert_eq!(answers("tally(T, event([time=T]), Pairs)", path.to_str().unwrap()), "Pairs = [7-1, 3200000007-1]\n");
    assert_eq!(
        answers("tally(D-P, event([duration=D, port=P]), Pairs)", path.to_str().unwrap()),
        "Pairs = [3200000000-call-1, 3200000000-exit-1]\n"
    );
}

/// Calls that take a time which nobody wrote down: what strace wrote without -T, a box without `dur`, and a test of Go whose
/// start the log does not have.
#[test]
fn what_was_never_measured_has_no_duration() {
    let strace = "7 12:00:00.000100 fsync(3) = 0\n7 12:00:01.500000 read(3, \"\", 1) = 0\n";
    let chrome = "[{\"ph\":\"X\",\"ts\":5,\"pid\":1,\"tid\":1,\"name\":\"fsync\"},\n\
                   {\"ph\":\"X\",\"ts\":9,\"pid\":1,\"tid\":1,\"name\":\"read\"}]\n";
    let go = "{\"Time\":\"2026-01-02T03:04:05Z\",\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"fsync\"}\n\
              {\"Time\":\"2026-01-02T03:04:06Z\",\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"read\"}\n";
    let script = kept_file(
        "c.pl",
        "check(one) :- never([name=fsync, duration > 1_000_000]).\n\
         check(two) :- within_budget([name=fsync], ms(1)).\n\
         check(three) :- \\+ (event([port=call, call=C]), duration(C, D), D > ms(1)).\n\
         check(four) :- \\+ (self_time(_, D), D > ms(1)).\n\
         check(five) :- \\+ gap(1, _, _).\n\
         check(six) :- \\+ (attribute(_, duration, D), D > ms(1)).\n",
    );
    let red = kept_file(
        "red.pl",
        "check(most) :- percentile(95, D, duration(_, D), M), M < ms(1).\ncheck(all) :- always([duration < 1_000_000_000]).\n",
    );
    for (name, text) in [("a.strace", strace), ("a.json", chrome), ("go.jsonl", go)] {
        let (folder, path) = file(name, text);
        let jsonl = folder.path().join("b.jsonl");
        let saved = folder.path().join("b.papaver");
        for to in [&jsonl, &saved] {
            papaver().arg("convert").arg(&path).arg("-o").arg(to).assert().success();
        }
        for path in [&path, &jsonl, &saved] {
            let found = "findall(D, event([duration=D]), L), findall(C, duration(C, _), M)";
            assert_eq!(stdout(papaver().args(["query", "-q", found]).arg(path), 0), "L = [], M = []\n", "{name}");
            let stats = stdout(papaver().arg("stats").arg(path), 0);
            let row = stats.lines().find(|line| line.contains("fsync")).unwrap_or_default();
            assert!(row.split_whitespace().rev().take(6).eq(["-"; 6]), "{name}: {stats}");
            let told = stdout(papaver().arg("check").arg(&script).arg(path), 0);
            assert_eq!(told.matches("warning: the trace has no durations").count(), 6, "{name}: {told}");
            stdout(papaver().args(["check", "--no-vacuous"]).arg(&script).arg(path), 1);
            let told = stdout(papaver().arg("check").arg(&red).arg(path), 1);
            assert_eq!(told.matches("the trace has no durations").count(), 2, "{name}: {told}");
            assert!(!told.contains("duration_known"), "{name}: {told}");
            let note = stderr(papaver().args(["query", "event([duration=D])"]).arg(path), 1);
            assert!(note.contains("no event has `duration`; the trace has no durations"), "{name}: {note}");
        }
    }
}

#[test]
fn of_a_trace_that_lacks_some_durations_it_is_said_how_many() {
    // the second call is on two lines, which tell when it ended
    let text = "7 1790000001.0 fsync(3) = 0\n7 1790000002.0 read(3 <unfinished ...>\n8 1790000002.1 getpid() = 8\n\
                7 1790000002.5 <... read resumed>, \"\", 1) = 0\n";
    let (_folder, path) = file("a.strace", text);
    let check = |goal: &str| {
        let script = kept_file("c.pl", &format!("check(c) :- {goal}.\n"));
        stdout(papaver().arg("check").arg(&script).arg(&path), 0)
    };
    for goal in
        ["never([duration > s(1)])", "within_budget([name=fsync], s(1))", "never([name=fsync, duration > s(1)])"]
    {
        let told = check(goal);
        assert!(told.contains("the trace has no durations of 2 of its 3 calls"), "{goal}: {told}");
    }
    for goal in ["never([name=read, duration > s(1)])", "within_budget([name=read], s(1))"] {
        let told = check(goal);
        assert!(!told.contains("warning"), "{goal}: {told}");
    }
    let measured = "findall(N-D, event([port=exit, name=N, duration=D]), L)";
    assert_eq!(stdout(papaver().args(["query", "-q", measured]).arg(&path), 0), "L = [read-500000000]\n");
}

#[test]
fn units_are_numbers_wherever_numbers_are() {
    let goal = "X is ms(20) + us(0.5), s(1) =:= 1000 * ms(1), Y is min(2)";
    assert_eq!(answers(goal, &data("queens.trace")), "X = 20000500.0, Y = 120000000000\n");
    let error = stderr(papaver().args(["query", "event([chrono > 20ms])", &data("queens.trace")]), 2);
    assert!(error.contains("a time with a unit is `ms(20)`"), "{error}");
}

#[test]
fn a_check_of_what_strace_writes_with_t_says_that_it_was_not_written() {
    let trace = kept_file("r.strace", "     0.000000 read(3, \"\", 4) = 0\n     0.500000 close(3) = 0\n");
    let script = kept_file("c.pl", "check(dur) :- never([dur > 0.5]).\n");
    let told = stdout(papaver().arg("check").arg(&script).arg(&trace), 0);
    assert!(told.contains("warning: the trace has no durations"), "{told}");
}
