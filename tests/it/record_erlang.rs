//! Recordings of Erlang and Elixir programs: their facts against counts of the virtual machine, and what stays as it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::each::test_cases;
use crate::record_commands::asked;
use crate::support::{has, papaver, program, stdout};

/// Whether programs can be run here; says so if not.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/record").join(name)
}

/// A folder with compiled modules of the test data.
fn compiled(modules: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files = modules.iter().map(|module| data(&format!("{module}.erl")));
    let status = Command::new("erlc").arg("-o").arg(folder.path()).args(files).status().expect("erlc can be run");
    assert!(status.success(), "erlc: {status}");
    folder
}

/// What a command prints and its status, bare and recorded to `t.jsonl` with some options of `papaver record`.
fn both(folder: &Path, options: &[&str], command: &[&str]) -> (Output, Output) {
    let bare = Command::new(command[0]).args(&command[1..]).current_dir(folder).stdin(Stdio::null()).output();
    let mut recording = recorder();
    recording.args(["--quiet", "--force", "-o", "t.jsonl"]).args(options).arg("--").args(command);
    let recorded = recording.current_dir(folder).stdin(Stdio::null()).output();
    (bare.expect("it can be run"), recorded.expect("papaver runs"))
}

/// Records a command, which must print and end as without a recorder.
fn recorded(folder: &Path, options: &[&str], command: &[&str]) -> PathBuf {
    let (bare, recorded) = both(folder, options, command);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&recorded.stdout), text(&bare.stdout), "{command:?}: {}", text(&recorded.stderr));
    assert_eq!(recorded.status.code(), bare.status.code(), "{command:?}: {}", text(&recorded.stderr));
    let trace = folder.join("t.jsonl");
    let checks = stdout(papaver().args(["check", "--builtin"]).arg(&trace), 0);
    assert!(checks.contains("4 checks, 0 violated"), "{command:?}: {checks}");
    trace
}

/// `papaver record`
fn recorder() -> Command {
    let mut command = program();
    command.arg("record");
    command
}

fn erl(goal: &str) -> [&str; 4] {
    ["erl", "-noshell", "-eval", goal]
}

fn answers(trace: &Path, goal: &str) -> Vec<String> {
    stdout(papaver().args(["query", goal]).arg(trace), 0).lines().map(str::to_owned).collect()
}

/// How many events match.
fn count(trace: &Path, constraints: &str) -> u64 {
    let count = papaver().args(["query", &format!("event([{constraints}])"), "--count"]).arg(trace).output();
    let count = String::from_utf8(count.expect("papaver runs").stdout).expect("it is text");
    count.trim().parse().expect("a count is a number")
}

/// How often each function was called, and how often its calls were closed: `name/1 7 7`.
fn recorded_counts(trace: &Path) -> Vec<String> {
    let goal = "tally(N/A, event([port=call, name=N, arity=A]), L), member((Name/Arity)-Calls, L), \
                aggregate_all(count, event([port=[exit, exception], name=Name, arity=Arity]), Ends), \
                format(\"~w/~w ~w ~w~n\", [Name, Arity, Calls, Ends]), fail ; true";
    let mut counts = answers(trace, goal);
    counts.retain(|line| line.contains('/'));
    counts.sort();
    counts
}

/// The same, as the virtual machine counts the calls of a module while a goal runs; each is closed once.
fn call_counts(folder: &Path, module: &str, goal: &str) -> Vec<String> {
    let program = format!(
        "code:load_file({module}), erlang:trace_pattern({{{module},'_','_'}}, true, [call_count,local]), {goal}, \
         erlang:trace_pattern({{{module},'_','_'}}, pause, [call_count,local]), \
         [io:format(\"~ts/~b ~b ~b~n\", [F,A,N,N]) || {{F,A}} <- {module}:module_info(functions), F =/= module_info, \
         {{call_count,N}} <- [erlang:trace_info({{{module},F,A}}, call_count)], is_integer(N), N > 0], halt()."
    );
    let output = Command::new("erl").args(["-noshell", "-eval", &program]).current_dir(folder).output();
    let output = String::from_utf8(output.expect("erl can be run").stdout).expect("it is text");
    let mut counts: Vec<String> = output.lines().map(str::to_owned).collect();
    counts.sort();
    counts
}

test_cases! {
    calls_are_those_that_the_virtual_machine_counts, compare_counts:
    of_a_ring ("erlang_ring", "go()"), of_failures ("erlang_load", "fail(30)"),
    of_a_server ("erlang_load", "serve(500)"), of_two_functions ("erlang_load", "even(1000)"),
    of_a_recursion ("erlang_load", "deep(1000)"), of_a_process_that_is_killed ("erlang_load", "killed(oops)"),
    of_many_processes ("erlang_load", "many(200)"),
}

fn compare_counts((module, call): (&str, &str)) {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&[module]);
    let goal = format!("{module}:{call}");
    let counts = call_counts(folder.path(), module, &goal);
    assert!(!counts.is_empty(), "{goal}");
    let trace = recorded(folder.path(), &[], &erl(&format!("{goal},halt(3).")));
    assert_eq!(recorded_counts(&trace), counts, "{goal}");
}

#[test]
fn messages_are_linked_and_processes_named_alike_in_two_runs() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_ring"]);
    let goal = "event([port=send, pid=P, to=Q, args=[_, M], transfer=T]), event([port=receive, transfer=T, pid=Q, from=P, args=[_, M]])";
    let [first, second] = [(); 2].map(|()| {
        let trace = recorded(folder.path(), &[], &erl("erlang_ring:go(),halt()."));
        answers(&trace, goal)
    });
    assert_eq!(first.len(), 4, "{first:?}");
    assert_eq!(first[1], "P = \"<1.3>\", Q = \"<1.2>\", M = {token, 4}, T = 2");
    assert_eq!(first, second);
}

#[test]
fn every_term_reads_back() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_terms"]);
    let trace = recorded(folder.path(), &[], &erl("erlang_terms:go(),halt()."));
    let findings = papaver().args(["query", "finding(Severity, Rule, Chrono, What)"]).arg(&trace).output();
    assert_eq!(String::from_utf8_lossy(&findings.expect("papaver runs").stdout), "");
    let terms = [
        "1180591620717411303424",
        "-1.5",
        "{a, b}",
        "[-1|-2]",
        "map([-1-(-2)])",
        "\"abc\"",
        "\"a\\\"b\\\\c'd`e\\n\\t\\r\"",
        "\"日本é\"",
        "'<<1,2,255>>'",
        "[0'h, 0'é, 0'l, 0'l, 0'o]",
        "'<1>'",
        "'fun lists:map/2'",
        "'%MyApp.User'([age-3, name-\"x\"])",
        "'Foo.Bar'",
        "(mod)",
        "'it\\'s'",
        "map([(-)-(-)])",
    ];
    let goal = format!("member(T, [{}]), \\+ event([port=call, name=use, args=[T]])", terms.join(", "));
    let missing = papaver().args(["query", &goal]).arg(&trace).output().expect("papaver runs");
    assert_eq!(String::from_utf8_lossy(&missing.stdout), "", "{}", String::from_utf8_lossy(&missing.stderr));
    let longest = std::fs::read_to_string(&trace).expect("it is text").lines().map(str::len).max();
    assert!(longest < Some(3000), "three values of 400 characters each: {longest:?}");
}

#[test]
fn however_a_program_ends_it_is_recorded_to_the_end() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_ring"]);
    for (end, status) in [("halt(3)", 3), ("init:stop(4)", 4), ("spawn(fun() -> halt(5) end), timer:sleep(9000)", 5)] {
        let trace = recorded(folder.path(), &[], &erl(&format!("erlang_ring:fib(20),erlang_ring:go(),{end}.")));
        // 2 F(21) - 1 calls, with which the recorder is far behind when the program ends
        assert_eq!(count(&trace, "port=call, name=fib"), 21891 + 25, "{end}");
        assert_eq!(
            answers(&trace, "trace_info(status, S), trace_info(end, E)"),
            [format!("S = {status}, E = \"halted\"")]
        );
    }
    let (bare, recorded) = both(folder.path(), &[], &erl("erlang_ring:fib(x + 1)."));
    assert_eq!((bare.status.code(), recorded.status.code()), (Some(1), Some(1)));
    let end = answers(&folder.path().join("t.jsonl"), "trace_info(end, E)");
    assert!(end[0].contains("init terminating in do_boot"), "{end:?}");
}

#[test]
fn a_signal_ends_it_as_it_does_without_a_recorder() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_ring"]);
    let mut recording = recorder();
    recording.args(["-q", "-o", "t.jsonl", "--"]).args(erl("erlang_ring:go(),timer:sleep(60000)."));
    let mut running = recording.current_dir(folder.path()).spawn().expect("papaver runs");
    let trace = folder.path().join("t.jsonl");
    while std::fs::metadata(&trace).map_or(0, |file| file.len()) < 3000 {
        sleep(Duration::from_millis(50));
    }
    let ended = Command::new("kill").arg(running.id().to_string()).status().expect("kill can be run");
    assert!(ended.success());
    assert_eq!(running.wait().expect("it ends").code(), Some(0), "erl ends in good order on SIGTERM");
    assert_eq!(answers(&trace, "trace_info(end, E)"), ["E = \"halted\""]);
    assert_eq!(count(&trace, "port=call, name=fib"), 25);
}

#[test]
fn a_recorder_that_is_killed_leaves_the_program_alone() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_load"]);
    let goal = "io:format(\"~p~n\", [erlang_load:without_recorder()]), halt(6).";
    let mut recording = papaver();
    recording.args(["record", "-q", "-o", "t.jsonl", "--"]).args(erl(goal)).current_dir(folder.path());
    assert_eq!(stdout(&mut recording, 6), "55\n");
    let lines = std::fs::read_to_string(folder.path().join("t.jsonl")).expect("it is text");
    assert!(lines.contains("\"unfinished\":true") && !lines.contains("\"end\""), "{lines}");
}

#[test]
fn limits_leave_out_what_they_say() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_ring"]);
    let command = erl("erlang_ring:fib(10),halt().");
    let of = |options: &[&str]| {
        let trace = recorded(folder.path(), options, &command);
        let goal = "aggregate_all(count, event([port=call]), C), aggregate_all(count, event([port=exit]), E)";
        answers(&trace, goal).concat()
    };
    // 177 calls, of which 1 + 2 + 4 are at the depths 1 to 3
    assert_eq!(of(&[]), "C = 177, E = 177");
    assert_eq!(of(&["--depth", "3"]), "C = 7, E = 7");
    assert_eq!(of(&["--sample", "10"]), "C = 18, E = 18");
    assert_eq!(of(&["--max-events", "50"]), "C = 29, E = 21");
    assert_eq!(of(&["--no-args", "--skip", "fib/2"]), "C = 177, E = 177");
    assert_eq!(of(&["--only", "erlang_ring:fib/1", "--text", "5"]), "C = 177, E = 177");
    let trace = recorded(folder.path(), &["--skip", "step", "--text", "10"], &erl("erlang_ring:go(),halt()."));
    assert_eq!((count(&trace, "name=step"), count(&trace, "port=call, name=node_loop")), (0, 3));
    let left = answers(&trace, "trace_info(left_out, L)");
    assert!(left[0].contains("skip") && left[0].contains("text") && left[0].contains("library"), "{left:?}");
    let refused =
        papaver().args(["record", "--only", "m:f/x", "--", "erl", "-noshell"]).current_dir(folder.path()).output();
    let refused = refused.expect("papaver runs");
    assert_eq!(refused.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("papaver record: expected a number in the option"));
}

#[test]
fn a_recursion_over_a_long_list_does_not_fill_the_memory() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = compiled(&["erlang_load"]);
    let goal = "io:format(\"~p~n\", [erlang_load:long(5000)]), halt().";
    let trace = recorded(folder.path(), &[], &erl(goal));
    let left = answers(&trace, "trace_info(left_out, L)").concat();
    assert!(left.contains("erlang_load:doubled/1"), "{left}");
    let calls = count(&trace, "port=call, name=doubled");
    assert!(calls > 500 && calls < 5001, "{calls}");
}

#[test]
fn a_loop_over_a_long_list_takes_no_more_memory_than_others() {
    takes_little_memory("reversed(25000)", "erlang_load:reversed/2");
}

#[test]
fn a_comprehension_over_a_long_list_takes_no_more_memory_than_others() {
    takes_little_memory("told(25000)", "erlang_load:-told/1-lc$^");
}

/// All of what the calls of these loops have would be 5 GB; the node takes some 50 MB without a recorder.
fn takes_little_memory(goal: &str, looping: &str) {
    if !has(&["erl", "erlc"]) || !Path::new("/proc/self/status").exists() {
        return;
    }
    let folder = compiled(&["erlang_load"]);
    let run = format!(
        "io:format(\"~p~n\", [erlang_load:{goal}]), {{ok, S}} = file:read_file(\"/proc/self/status\"), \
         ok = file:write_file(\"status\", S), halt()."
    );
    let trace = recorded(folder.path(), &[], &erl(&run));
    let left = answers(&trace, "trace_info(left_out, L)").concat();
    assert!(left.contains(looping) && left.contains("long"), "{goal}: {left}");
    assert!(count(&trace, "port=call, decl_module=erlang_load") > 2000, "{goal}");
    let status = std::fs::read_to_string(folder.path().join("status")).expect("it is text");
    let highest = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says it");
    let kilobytes: u64 = highest.trim().trim_end_matches(" kB").parse().expect("it is a number");
    assert!(kilobytes < 600_000, "{goal}: {kilobytes} kB");
}

#[test]
fn elixir_and_scripts_are_recorded_too() {
    if !has(&["elixir", "escript"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let shop = data("elixir_shop.exs");
    let trace = recorded(folder.path(), &[], &["elixir", shop.to_str().expect("it is text")]);
    assert_eq!(count(&trace, "decl_module='Shop', name=price, port=call"), 5);
    assert_eq!(count(&trace, "decl_module='Shop', name=server, port=call"), 4);
    let raised = answers(
        &trace,
        "event([port=exception, args=['%Shop.Item'(L)], exception=error('%ArgumentError'(M))]), memberchk(name-N, L)",
    );
    assert!(raised[0].contains("N = \"bad\"") && raised[0].contains("\"negative\""), "{raised:?}");
    let script = data("erlang_script");
    let trace = recorded(folder.path(), &[], &["escript", script.to_str().expect("it is text"), "21"]);
    assert_eq!(
        answers(&trace, "event([port=exit, name=double, result=R, decl_module=M])"),
        ["R = 42, M = erlang_script"]
    );
}

#[test]
fn logs_of_two_nodes_become_one_trace() {
    if !has(&["erl", "erlc", "epmd"]) {
        return;
    }
    let folder = compiled(&["erlang_relay"]);
    // a name server of its own, on a port that nobody has
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("a port is free").port().to_string();
    let node = |name: &str, out: &str, goal: &str, only: &[&str]| {
        let mut recording = recorder();
        recording.args(["-q", "--with", "seqtrace", "-o", out]).args(only).arg("--");
        recording.args(["erl", "-noshell", "-setcookie", "papaver", "-name", name]);
        recording.args(["-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-eval", goal]);
        recording.env("ERL_EPMD_PORT", &port).env("ERL_EPMD_ADDRESS", "127.0.0.1").current_dir(folder.path());
        recording
    };
    let mut server = node("b@127.0.0.1", "b.raw", "erlang_relay:server(),halt().", &[]).spawn().expect("papaver runs");
    let client = "io:format(\"~p~n\", [erlang_relay:client('b@127.0.0.1', 3)]), halt().";
    let asked = node("a@127.0.0.1", "a.raw", client, &["--only", "erlang_relay:ask/2"]).output().expect("papaver runs");
    assert_eq!((asked.status.code(), &asked.stdout[..]), (Some(0), &b"12\n"[..]), "{asked:?}");
    assert!(server.wait().expect("the server ends").success());
    let ended = Command::new("epmd").args(["-port", &port, "-kill"]).output().expect("epmd can be run");
    assert!(ended.status.success(), "{ended:?}");
    let merged = |command: &[&str]| {
        let mut asked = papaver();
        asked.args(command).args(["--merge", "b.raw", "a.raw"]).current_dir(folder.path());
        stdout(&mut asked, 0)
    };
    // each question goes to the server, from there to the helper and back, and is answered
    assert_eq!(merged(&["query", "event([port=receive])", "--count"]), "12\n");
    assert!(merged(&["check", "--builtin"]).contains("3 checks, 0 violated"));
    let crossing = merged(&["query", "crossing(From, To, N)"]);
    assert_eq!(
        crossing,
        "From = 'a@127.0.0.1', To = 'b@127.0.0.1', N = 3\nFrom = 'b@127.0.0.1', To = 'a@127.0.0.1', N = 3\n"
    );
}

/// The node is named also where only the last events are kept.
#[test]
fn logs_of_messages_keep_the_limits_of_events() {
    if !has(&["erl", "erlc"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let messages = "S=self(),seq_trace:set_token(label,1),[seq_trace:set_token(F,true)||F<-[send,'receive']],\
                    [begin P=spawn(fun()->receive X->S!X end end),P!I,receive I->ok end end||I<-lists:seq(1,5)],\
                    seq_trace:set_token([]),halt().";
    let trace = folder.path().join("t.raw");
    for (limit, end, left_out) in [
        (&[][..], "ok", None),
        (&["--max-events", "6"], "limit", Some("max_events=true")),
        (&["--last", "6"], "ok", Some("last=")),
    ] {
        let mut recording = recorder();
        recording.args(["-q", "--force", "--with", "seqtrace", "-o", "t.raw"]).args(limit).arg("--");
        recording.args(erl(messages)).current_dir(folder.path());
        assert!(recording.status().expect("papaver runs").success(), "{limit:?}");
        let n_events = answers(&trace, "last_np, current(chrono=N)");
        assert_eq!(n_events == ["N = 6"], left_out.is_some(), "{limit:?}: {n_events:?}");
        assert_eq!(answers(&trace, "trace_info(end, E)"), [format!("E = {end:?}")]);
        let told = answers(&trace, "findall(L, trace_info(left_out, L), Ls)").concat();
        assert!(left_out.map_or(told == "Ls = []", |left_out| told.contains(left_out)), "{limit:?}: {told}");
        for goal in ["\\+ event([name=none])", "unreceived(_)", "traffic(_, _, _)"] {
            let sound = answers(&trace, &format!("findall(yes, sound({goal}), Sound)"));
            assert_eq!(sound == ["Sound = [yes]"], left_out.is_none(), "{limit:?} {goal}: {sound:?}");
        }
        assert_eq!(answers(&trace, "once(event([node='nonode@nohost']))").len(), 1, "{limit:?}");
    }
}

#[test]
fn texts_in_messages_are_texts() {
    if !has(&["erl"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let goal = "seq_trace:set_token(label,1),[seq_trace:set_token(F,true)||F<-[send,'receive']],\
                self()!{\"h'i\\n\",<<\"h\\\"i\">>,#{k=>\"v\"},[7,8],\"\",[\"a\",b],<<1,2>>},receive _->halt() end.";
    let mut recording = recorder();
    recording.args(["--with", "seqtrace", "-o", "t.raw", "--"]).args(erl(goal)).current_dir(folder.path());
    let told = recording.output().expect("papaver runs").stderr;
    let trace = folder.path().join("t.raw");
    let sent = answers(&trace, "event([port=send, msg={A, B, C, D, E, F, G}])");
    let texts = r#"A = "h'i\n", B = '<<"h\\"i">>', C = map([k-"v"]), D = [7, 8], E = [], F = ["a", b], G = '<<1,2>>'"#;
    assert_eq!(sent, [texts]);
    assert!(asked(folder.path(), &told).starts_with("From = "), "{told:?}");
}

#[test]
fn messages_are_arrows_in_a_drawing() {
    let bank = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/erlang/bank.jsonl");
    let drawing = stdout(papaver().args(["convert", "--to", "chrome", bank]), 0);
    let n_received = stdout(papaver().args(["query", "event([port=receive, transfer=T])", "--count", bank]), 0);
    assert_eq!(n_received.trim(), "8");
    for (end, n) in [("\"ph\": \"s\"", 8), ("\"ph\": \"f\"", 8)] {
        assert_eq!(drawing.matches(end).count(), n, "{end}");
    }
}
