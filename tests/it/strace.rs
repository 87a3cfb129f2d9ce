//! Traces of strace: the events of samples, as another program derived them from the text, and every rule.

use serde_json::Value;

use crate::support::{data, file, papaver, stderr, stdout};

fn sample(name: &str) -> String {
    match name {
        "restart.strace" => format!("{}/examples/strace/{name}", env!("CARGO_MANIFEST_DIR")),
        _ => data(&format!("strace/{name}")),
    }
}

fn answer(goal: &str, name: &str) -> String {
    stdout(papaver().args(["query", goal, &sample(name)]), 0).trim().to_string()
}

/// The events as `chrono call port pid time name ret errno line`, `-` for an absent value and 0 for no call.
fn events(name: &str) -> Vec<String> {
    let text = stdout(papaver().args(["convert", "--to", "jsonl", &sample(name)]), 0);
    let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is an object"));
    let events = objects.filter(|object| object.get("papaver").is_none());
    let shown = |object: &Value, key: &str, none: &str| match object.get(key) {
        None | Some(Value::Null) => none.to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let keys = [("call", "0"), ("port", "-"), ("pid", "-"), ("time", "-"), ("name", "-"), ("ret", "-"), ("errno", "-")];
    let event = |(index, object): (usize, Value)| {
        let values: Vec<String> = keys.iter().map(|(key, none)| shown(&object, key, none)).collect();
        format!("{} {}", index + 1, values.join(" "))
    };
    events.enumerate().map(event).collect()
}

#[test]
fn the_samples_have_the_events_that_another_program_found() {
    for name in ["filtered.txt", "split_ff.28967", "restart.strace"] {
        let expected = std::fs::read_to_string(data(&format!("strace/expected/{name}.events"))).unwrap();
        let without_line = |line: &str| line.rsplit_once(' ').map_or(line, |(event, _)| event).to_string();
        assert_eq!(events(name), expected.lines().map(without_line).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn arguments_are_terms_and_results_are_attributes() {
    let open = "once(event([port=exit, name=openat, args=[Dir, Path, Flags], ret=R, ret_path=To, dur=D]))";
    let expected = "Dir = fd('AT_FDCWD', \"/srv/app\"), Path = \"/etc/ld.so.cache\", Flags = ['O_RDONLY', 'O_CLOEXEC'], \
        R = 3, To = \"/etc/ld.so.cache\", D = 11000";
    assert_eq!(answer(open, "restart.strace"), expected);
    let failed = "event([port=exception, errno='EBADF', name=N, ret=R, text=T])";
    assert_eq!(answer(failed, "restart.strace"), "N = close, R = -1, T = \"Bad file descriptor\"");
    let again = "event([resumes=Call, port=P])";
    assert!(answer(again, "restart.strace").starts_with("Call = clock_nanosleep, P = call"));
    let children = "findall(P-C, event([child=C, pid=P]), L)";
    assert_eq!(answer(children, "filtered.txt"), "L = [28991-28992, 28991-28993, 28991-28994]");
}

#[test]
fn frames_of_stacks_belong_to_the_call_above() {
    let goal = "event([stack_frames=F, name=N, chrono=C]), length(F, K), F = [First|_], C < 10";
    let frame = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2(_dl_catch_error+0x26f0) [0x1ab70]";
    let found = answer(goal, "stack_k.txt.gz");
    assert!(found.contains("N = execve") && found.contains("K = 1") && found.contains(frame), "{found}");
    let n_frames = "findall(K, (event([stack_frames=F]), length(F, K)), L), sum_list(L, N), write(N), nl, fail ; true";
    assert_eq!(answer(n_frames, "stack_k.txt.gz").lines().next(), Some("991"));
}

#[test]
fn each_bad_trace_breaks_its_rule_and_keeps_its_events() {
    for (name, n_events) in [
        ("S1_bracket_open", 4),
        ("S1_no_result", 4),
        ("S2_errno_without_minus_one", 3),
        ("S2_minus_one_without_errno", 3),
        ("S3_resumed_other_call", 6),
        ("S3_resumed_without_unfinished", 2),
        ("S4_two_calls_at_once", 7),
        ("S5_time_goes_back", 5),
        ("S6_after_the_end", 5),
    ] {
        let goal = "findall(R, integrity(R, _, _), L), trace_info(events, N), write(L-N), nl, fail ; true";
        let found = answer(goal, &format!("bad/{name}.txt"));
        let found = found.lines().next().unwrap_or_default();
        let (rule, end) = (format!("[{}", &name[..2]), format!("]-{n_events}"));
        assert!(found.starts_with(&rule) && found.ends_with(&end), "{name}: {found}");
    }
}

/// The numbers of processes go up to 32768 on many systems, and begin again.
#[test]
fn numbers_of_ended_processes_are_used_again() {
    let text = "7 1.0 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n8 1.1 getpid() = 8\n\
        7 1.2 <... clone resumed>) = 8\n8 1.3 +++ exited with 0 +++\n7 1.4 clone(child_stack=NULL, flags=SIGCHLD) = 8\n\
        8 1.5 getpid() = 8\n8 1.6 +++ exited with 0 +++\n7 1.7 vfork( <unfinished ...>\n8 1.8 getpid() = 8\n\
        8 1.9 +++ exited with 0 +++\n7 2.0 <... vfork resumed>) = 9\n8 2.1 getpid() = 8\n";
    let (_folder, path) = file("again.txt", text);
    let found = stdout(papaver().args(["query", "integrity(Rule, Chrono, _)"]).arg(&path), 0);
    assert_eq!(found.lines().count(), 1, "only the last line is of no process: {found}");
    assert!(found.starts_with("Rule = 'S6'"), "{found}");
    let query = |goal: &str| stdout(papaver().args(["query", goal]).arg(&path), 0).trim().to_string();
    assert_eq!(
        query("findall(P-Q-F-H, process(P, Q, F, _, H), L)"),
        "L = [7-(-)-1-(-), 8-7-2-exited(0), 8-7-8-exited(0)]"
    );
    assert_eq!(
        query("process_tree(T)"),
        "T = tree(7, -, [tree(8, exited(0), []), tree(8, exited(0), []), tree(9, -, [])])"
    );
}

#[test]
fn each_process_with_a_number_is_waited_for() {
    let make = |waits: usize| {
        let life = "7 fork() = 8\n8 getpid() = 8\n8 +++ exited with 0 +++\n";
        let wait = "7 wait4(-1, NULL, 0, NULL) = 8\n";
        [life, wait, life, &wait.repeat(waits - 1)].concat()
    };
    for (waits, expected) in [(1, 1), (2, 0)] {
        let (_folder, path) = file("waits.txt", &make(waits));
        stdout(papaver().args(["query", "-q", "children_waited"]).arg(&path), expected);
    }
}

#[test]
fn a_message_in_the_middle_of_a_line_does_not_break_its_call() {
    let text = "execve(\"/a\", [\"a\"], 0x1 /* 2 vars */) = 0\n\
        clone(child_stack=NULL, flags=SIGCHLDstrace: Process 8 attached\n, child_tidptr=0x7f) = 8\n\
        [pid     8] getpid( <unfinished ...>\n[pid     7] getpid()                    = 7\n\
        [pid     8] <... getpid resumed>)       = 8\n[pid     8] +++ exited with 0 +++\nexit_group(0) = ?\n\
        +++ exited with 0 +++\n";
    let (_folder, path) = file("split.txt", text);
    let goal =
        "findall(P-N-Pid, event([port=P, name=N, pid=Pid]), L), forall(member(X, L), (write(X), nl)), fail ; true";
    let found = stdout(papaver().args(["query", goal]).arg(&path), 0);
    let expected = "call-execve-7 exit-execve-7 attached-attached-8 call-clone-7 exit-clone-7 call-getpid-8 call-getpid-7 \
        exit-getpid-7 exit-getpid-8 exited-exited-8 call-exit_group-7 exited-exited-7";
    assert_eq!(found.lines().take(12).collect::<Vec<_>>().join(" "), expected);
}

/// Numbers of calls (`-n`), places in the program (`-i`) and names of programs (`-Y`) stand before what happens.
#[test]
fn what_stands_before_a_call_changes_no_event() {
    let plain = "7 10.5 vfork( <unfinished ...>\n8 10.6 close(3) = -1 EBADF (Bad file descriptor)\n\
        8 10.7 +++ exited with 0 +++\n7 10.8 <... vfork resumed>) = 8\n7 10.9 --- SIGCHLD {si_signo=SIGCHLD} ---\n";
    let ports = |text: &str| {
        let (_folder, path) = file("marks.txt", text);
        let goal = "findall(C-K-P-N-Pid-T-Child, (event([chrono=C, call=K, port=P, name=N, pid=Pid, time=T]), \
            ( event([chrono=C, child=Child]) -> true ; Child = none )), L)";
        stdout(papaver().args(["query", "-q", goal]).arg(&path), 0)
    };
    let marked = |mark: &str| {
        let line = |line: &str| {
            let (head, body) = line.split_at(line.match_indices(' ').nth(1).expect("a line has two heads").0 + 1);
            format!("{head}{mark}{body}\n")
        };
        plain.lines().map(line).collect::<String>()
    };
    let expected = ports(plain);
    assert!(expected.starts_with("L = [1-1-call-vfork-7-10500000000-none, 2-2-call-close-8-"), "{expected}");
    for mark in ["[  59] ", "[00007f36c24b6ad7] ", "[????????????????] ", "[   3] [00007f36c24b6ad7] "] {
        assert_eq!(ports(&marked(mark)), expected, "{mark}");
    }
    let named = plain.replace("7 10", "7<sh> 10").replace("8 10", "8<a b> 10").replace("= 8", "= 8<a b>");
    assert_eq!(ports(&named), expected);
}

#[test]
fn a_summary_of_calls_is_refused_by_name() {
    let text = "% time     seconds  usecs/call     calls    errors syscall\n\
        ------ ----------- ----------- --------- --------- ----------------\n\
        \x20 0.00    0.000000           0         5           read\n\
        ------ ----------- ----------- --------- --------- ----------------\n\
        100.00    0.000000           0         5           total\n";
    let (_folder, path) = file("summary.txt", text);
    for from in [&[][..], &["--from", "strace"]] {
        let error = stderr(papaver().arg("info").args(from).arg(&path), 2);
        assert!(error.ends_with("` is the summary of `strace -c`, which has no events\n"), "{error}");
    }
}

/// The facts were found by a program that keeps tables of files of its own.
#[test]
fn files_are_followed_through_processes() {
    assert_eq!(answer("findall(P-F-W, left_open(P, F, W), L)", "restart.strace"), "L = [28930-3-pipe2]");
    assert_eq!(answer("aggregate_all(count, idle_file(_), N)", "restart.strace"), "N = 15");
    let written = "findall(P-W, (bytes(P, _, W), W > 0), L)";
    assert_eq!(answer(written, "restart.strace"), "L = [\"/srv/app/data/out.txt\"-46, pipe2-1]");
    let opened = "'$files'(Files), aggregate_all(count, member(file(_, _, _, _, _, opened, _, _), Files), N), write(N), nl, fail ; true";
    assert_eq!(answer(opened, "restart.strace").lines().next(), Some("22"));
}

#[test]
fn threads_share_files_and_execve_closes_those_that_are_marked() {
    let text = "7 open(\"/a\", O_RDONLY) = 3\n7 open(\"/b\", O_RDONLY|O_CLOEXEC) = 4\n\
        7 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, stack=0x1} => {parent_tid=[8]}, 88) = 8\n8 read(3, \"x\", 1) = 1\n8 close(3) = 0\n\
        7 fork() = 9\n9 execve(\"/c\", [\"c\"], 0x1 /* 1 var */) = 0\n9 +++ exited with 0 +++\n\
        8 +++ exited with 0 +++\n7 dup2(4, 5) = 5\n7 connect(5, {sa_family=AF_INET, sin_port=htons(80), \
        sin_addr=inet_addr(\"1.2.3.4\")}, 16) = 0\n7 +++ killed by SIGSEGV (core dumped) +++\n";
    let (_folder, path) = file("shared.txt", text);
    let query = |goal: &str| stdout(papaver().args(["query", goal]).arg(&path), 0).trim().to_string();
    assert_eq!(
        query("findall(P-F-N-T, file(P, F, N, _, T), L)"),
        "L = [7-3-\"/a\"-10, 7-4-\"/b\"-inf, 9-4-\"/b\"-14, 7-5-\"/b\"-inf]"
    );
    assert_eq!(query("bytes(\"/a\", R, W)"), "R = 1, W = 0");
    assert_eq!(query("connected(P, A)"), "P = 7, A = inet(\"1.2.3.4\", 80)");
    assert_eq!(query("children_waited -> write(yes), nl ; write(no), nl").lines().next(), Some("no"));
    assert_eq!(query("process(7, P, F, T, How)"), "P = (-), F = 1, T = 21, How = killed('SIGSEGV')");
}

#[test]
fn files_of_processes_are_merged_by_time() {
    let names = ["split_ff.28963", "split_ff.28966", "split_ff.28967"];
    let paths: Vec<String> = names.iter().map(|name| sample(name)).collect();
    let query = |goal: &str| stdout(papaver().args(["query", "--merge", goal]).args(&paths), 0).trim().to_string();
    assert_eq!(query("findall(P-Q, process(P, Q, _, _, _), L)"), "L = [28963-(-), 28966-28963, 28967-28963]");
    assert_eq!(
        query("\\+ (event([time=T, chrono=C]), D is C + 1, attribute(D, time, U), U < T), write(sorted)"),
        "sorted"
    );
    assert_eq!(query("executed(P, \"/usr/bin/cat\", _)"), "P = 28967");
}

#[test]
fn chunks_of_any_text_that_breaks_off_are_read() {
    let text = std::fs::read(sample("restart.strace")).unwrap();
    let tail = &text[text.len() - 6000..];
    for cut in (0..tail.len()).step_by(211) {
        let (_folder, path) = file("cut.txt", &String::from_utf8_lossy(&tail[..cut]));
        let goal = "event([args=A, chrono=C]), fail ; true";
        stdout(papaver().args(["query", "--from", "strace", goal]).arg(&path), 0);
    }
}

/// With `--only`, the calls that make processes are not in the trace.
#[test]
fn the_number_of_a_process_is_used_again_where_its_making_was_left_out() {
    let lines =
        "2 10.1 getpid() = 2\n2 10.3 +++ exited with 0 +++\n2 10.6 getpid() = 2\n2 10.7 +++ exited with 0 +++\n";
    let header = |limits: &str| format!("{{\"papaver\":1,\"port\":\"header\",\"limits\":{{{limits}}}}}\n");
    for (limits, n_faults) in [("\"only\":[\"getpid\"]", 0), ("\"sample\":3", 0), ("\"max_events\":9", 2)] {
        let trailer = "{\"papaver\":1,\"port\":\"trailer\",\"end\":\"ok\"}\n";
        let (_folder, path) = file("again.txt", &format!("{}{lines}{trailer}", header(limits)));
        let faults =
            stdout(papaver().args(["query", "-q", "aggregate_all(count, integrity('S6', _, _), N)"]).arg(path), 0);
        assert_eq!(faults, format!("N = {n_faults}\n"), "{limits}");
    }
}

#[test]
fn times_of_different_origins_are_warned_about_when_they_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let lttng = |time: &str| format!("[{time}] (+?.?????????) h syscall_entry_close: {{ cpu_id = 0 }}, {{ fd = 3 }}\n");
    let recorded = |more: &str| {
        format!("{{\"papaver\":1,\"time\":\"ns\"{more}}}\n{{\"port\":\"event\",\"name\":\"e\",\"time\":7}}\n")
    };
    let logs = [
        ("epoch.strace", "7 1790000000.1 getpid() = 7\n".to_string()),
        ("later.strace", "8 1790000009.1 getpid() = 8\n".into()),
        ("day.strace", "7 12:00:00.5 getpid() = 7\n".into()),
        ("start.strace", "7      0.000000 getpid() = 7\n".into()),
        ("other.strace", "8      0.000000 getpid() = 8\n".into()),
        ("page.json", "[{\"ph\":\"X\",\"ts\":5,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"f\"}]\n".into()),
        ("day.lttng", lttng("12:00:01.000000001")),
        ("boot.lttng", lttng("8123.000000001")),
        ("run.jsonl", recorded(",\"start\":\"2026-11-28T12:00:00Z\"")),
        ("child.jsonl", recorded(",\"start\":\"2026-11-28T12:00:01Z\"")),
        ("day.jsonl", recorded(",\"clock\":\"day\"")),
        ("plain.jsonl", recorded("")),
    ];
    let [epoch, apart, same] = ["are since 1970", "count from different moments", ""];
    let paths: Vec<std::path::PathBuf> = logs.iter().map(|(name, text)| write(name, text)).collect();
    let warned = |paths: [&std::path::Path; 2]| {
        let output = papaver().args(["query", "--merge", "event([])", "--count"]).args(paths).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let path = |name: &str| &*paths[logs.iter().position(|(of, _)| *of == name).unwrap()];
    for (one, two, told) in [
        ("epoch.strace", "day.strace", epoch),
        ("epoch.strace", "later.strace", same),
        ("epoch.strace", "plain.jsonl", epoch),
        ("epoch.strace", "run.jsonl", same),
        ("page.json", "day.strace", apart),
        ("start.strace", "day.strace", apart),
        ("start.strace", "other.strace", apart),
        ("start.strace", "page.json", apart),
        ("start.strace", "run.jsonl", apart),
        ("day.lttng", "day.strace", same),
        ("day.lttng", "boot.lttng", apart),
        ("day.lttng", "day.jsonl", same),
        ("run.jsonl", "child.jsonl", same),
        ("run.jsonl", "plain.jsonl", apart),
    ] {
        let warning = warned([path(one), path(two)]);
        assert_eq!(warning.contains("their events are not in the order"), !told.is_empty(), "{one} {two}: {warning}");
        assert!(warning.contains(told), "{one} {two}: {warning}");
    }
    let times = |paths: [&std::path::Path; 2]| {
        stdout(papaver().args(["query", "-q", "--merge", "findall(T, event([time=T]), L)"]).args(paths), 0)
    };
    let [run, child] = [path("run.jsonl"), path("child.jsonl")];
    assert_eq!(times([child, run]), "L = [7, 1000000007]\n");
    assert!(times([child, path("epoch.strace")]).contains("1795867201000000007"));
    let [epoch, of_day] = [path("epoch.strace"), path("day.strace")];
    let saved = folder.path().join("both.papaver");
    papaver().args(["convert", "--merge"]).args([&epoch, &of_day]).arg("-o").arg(&saved).assert().success();
    let told = stdout(papaver().arg("info").arg(&saved), 0);
    assert!(told.contains("since 1970"), "{told}");
}
