//! Logs of Erlang's seq_trace: the samples, their facts, merged logs, and faults.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::support::{data, file, papaver, stderr, stdout};

fn sample(name: &str) -> String {
    data(&format!("seq_trace/{name}"))
}

/// The answers of a goal, one per line.
fn answers(goal: &str, traces: &[&str]) -> String {
    let traces: Vec<String> = traces.iter().map(|name| sample(name)).collect();
    stdout(papaver().args(["query", "-q", goal]).args(traces), 0)
}

/// The answers of a goal on the merged logs of one run.
fn merged(goal: &str, logs: &[&str]) -> String {
    let logs: Vec<String> = logs.iter().map(|name| sample(name)).collect();
    stdout(papaver().args(["query", "-q", "--merge", goal]).args(logs), 0)
}

/// The rules of the findings of a trace, each with its number of findings.
fn rules(path: &str) -> BTreeMap<String, usize> {
    let text = stdout(papaver().args(["info", "--to", "json", path]), 0);
    let info: serde_json::Value = serde_json::from_str(&text).expect("`info --to json` writes an object");
    let mut rules = BTreeMap::new();
    for finding in info["warnings"].as_array().expect("findings are a list") {
        *rules.entry(finding["rule"].as_str().expect("a rule is a string").to_owned()).or_default() += 1;
    }
    rules
}

#[test]
fn events_latencies_and_clocks_are_those_that_were_counted_without_an_engine() {
    let facts = [
        ("seqex_strict_monotonic.raw", "P = [print-2, receive-2, send-2], L = [2, 1732, 50575, 52307]\n"),
        ("relay.raw", "P = [receive-18, send-18], L = [18, 8092, 34861, 241060]\n"),
        ("fan.raw", "P = [print-1, receive-16, send-16], L = [16, 792, 89783, 534925]\n"),
        ("family.raw", "P = [print-2, receive-11, send-11], L = [11, 791, 69723, 232885]\n"),
    ];
    let goal = "tally(P0, event([port=P0]), P), findall(N, latency(_, N), Ns), length(Ns, K), \
                min_list(Ns, Min), max_list(Ns, Max), sum_list(Ns, Sum), L = [K, Min, Max, Sum], \
                P0 = _, Ns = [_|_], Sum > 0";
    for (name, expected) in facts {
        let goal = goal.replace("P0", "_P0").replace("Ns", "_Ns").replace("Min", "_Min").replace("Max", "_Max");
        let goal = goal.replace("Sum", "_Sum").replace("K,", "_K,").replace("_Ns, K)", "_Ns, _K)").replace("[K", "[_K");
        assert_eq!(answers(&goal, &[name]), expected, "{name}");
    }
    assert_eq!(answers("tally(_P, event([port=_P]), P)", &["lossy.raw"]), "P = [print-1, send-2]\n");
}

#[test]
fn the_thirteenth_event_of_two_nodes_is_as_the_description_of_the_format_has_it() {
    let goal = "event([chrono=13, call=C, depth=D, port=P, proc=Q, args=A, goal_path=G, label=L, prev=V, cur=U, from=F, \
                to=T, node=N, match=M, log=O, line=I])";
    let expected = "C = 6, D = 6, P = receive, Q = 'a@127.0.0.1':'<93.0>', A = [{'b@127.0.0.1':'<85.0>', {answer, 1}}], \
                    G = ['0,1', '1,2', '2,3', '3,4', '4,5', '5,7'], L = 42, V = 5, U = 7, F = 'b@127.0.0.1':'<85.0>', \
                    T = 'a@127.0.0.1':'<93.0>', N = 'a@127.0.0.1', M = 12, O = 'two_nodes_plain_a.raw', I = 6\n";
    assert_eq!(merged(goal, &["two_nodes_plain_a.raw", "two_nodes_plain_b.raw"]), expected);
}

#[test]
fn the_order_in_which_logs_are_named_does_not_matter() {
    for kind in ["plain", "timestamp"] {
        let (a, b) = (sample(&format!("two_nodes_{kind}_a.raw")), sample(&format!("two_nodes_{kind}_b.raw")));
        let convert =
            |logs: [&str; 2]| stdout(papaver().args(["convert", "--merge", "--to", "jsonl", "-o", "-"]).args(logs), 0);
        let text = convert([&a, &b]);
        let n_events = text.lines().filter(|line| !line.contains("\"papaver\"")).count();
        assert_eq!(n_events, 41);
        assert!(text == convert([&b, &a]), "{kind}");
    }
}

#[test]
fn every_message_between_two_nodes_finds_its_other_end() {
    let logs = ["two_nodes_timestamp_b.raw", "two_nodes_timestamp_a.raw"];
    assert_eq!(merged("aggregate_all(count, event([match=_]), N)", &logs), "N = 38\n");
    assert_eq!(merged("\\+ unreceived(_), \\+ orphan_receive(_), \\+ integrity(_, _, _)", &logs), "true\n");
    assert_eq!(
        merged("crossing(N1, N2, N)", &logs),
        "N1 = 'a@127.0.0.1', N2 = 'b@127.0.0.1', N = 7\nN1 = 'b@127.0.0.1', N2 = 'a@127.0.0.1', N = 6\n"
    );
    assert_eq!(
        merged("spawned(P, C, M)", &logs),
        "P = 'a@127.0.0.1':'<93.0>', C = 'b@127.0.0.1':'<93.0>', M = erlang:apply/2\n"
    );
}

#[test]
fn logs_without_headers_are_matched_by_their_serials() {
    let log = |name: &str| {
        let text = std::fs::read_to_string(sample(name)).expect("the sample is there");
        text.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>()
    };
    let (_a, a) = file("a.raw", &log("two_nodes_plain_a.raw"));
    let (_b, b) = file("b.raw", &log("two_nodes_plain_b.raw"));
    let ask = |goal: &str, logs: [&PathBuf; 2]| stdout(papaver().args(["query", "-q", "--merge", goal]).args(logs), 0);
    for logs in [[&a, &b], [&b, &a]] {
        assert_eq!(ask("aggregate_all(count, event([match=_]), N)", logs), "N = 38\n");
        let goal = "event([chrono=13, proc=Q, args=A, from=F])";
        assert_eq!(ask(goal, logs), "Q = a:'<93.0>', A = [{b:'<85.0>', {answer, 1}}], F = b:'<85.0>'\n");
    }
}

#[test]
fn the_printout_tells_the_same_as_the_terms() {
    for name in ["seqex_manual", "seqex_send", "seqex_monotonic", "seqex_strict_monotonic", "seqex_timestamp", "family"]
    {
        let goal =
            "forall(event([port=P, label=L, prev=V, cur=U, depth=D, call=C]), (writeq(f(P, L, V, U, D, C)), nl))";
        let (raw, txt) = (format!("{name}.raw"), format!("{name}.txt"));
        assert_eq!(answers(goal, &[&raw]), answers(goal, &[&txt]), "{name}");
    }
    let goal = "event([chrono=1, msg={spawn_request, _, _, _, MFA, Opts, _, Args}])";
    assert_eq!(
        answers(goal, &["family.txt"]),
        "MFA = {erlang, apply, 2}, Opts = [link], Args = ['#Fun<seqdemo.1.96631074>', []]\n"
    );
}

#[test]
fn times_of_every_kind_are_nanoseconds() {
    let goal = "event([chrono=1, time=T])";
    assert_eq!(answers(goal, &["seqex_timestamp.raw"]), "T = 1795253575750328000\n");
    assert_eq!(answers(goal, &["seqex_monotonic.raw"]), "T = -576460748619887501\n");
    let goal = "event([chrono=1, time=T, unique=U])";
    assert_eq!(answers(goal, &["seqex_strict_monotonic.raw"]), "T = -576460749297252485, U = -576460752303423482\n");
}

#[test]
fn good_logs_raise_nothing_but_missing_sends() {
    let mut names: Vec<String> = std::fs::read_dir(sample(""))
        .expect("the samples are there")
        .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name != "bad")
        .collect();
    names.sort();
    assert_eq!(names.len(), 21);
    for name in names {
        let rule = match &name[..] {
            name if name.starts_with("two_nodes") => Some("sends"),
            name if name.starts_with("seqex_manual") => Some("no_sends"),
            "reset.raw" => Some("reset"),
            _ => None,
        };
        let n_findings = if name == "reset.raw" { 2 } else { 1 };
        let expected: Vec<_> = rule.map(|rule| (rule.to_owned(), n_findings)).into_iter().collect();
        assert_eq!(rules(&sample(&name)).into_iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn each_fault_raises_its_rule() {
    for (name, rule) in [("E1_cut_term", "E1"), ("E2_cur_below_prev", "E2"), ("E5_cycle", "E5")] {
        let found = rules(&sample(&format!("bad/{name}.raw")));
        assert_eq!(found.get(rule), Some(&1), "{name}: {found:?}");
    }
    let cycle = "integrity('E5', C, What)";
    assert!(answers(cycle, &["bad/E5_cycle.raw"]).contains("lines 4, 8, 5, 6, 7"));
}

/// The manual's example was recorded without the flag `send`: four events are in the file.
#[test]
fn a_log_without_sends_gains_no_events_and_its_sends_are_inferred() {
    let name = "seqex_manual.raw";
    assert_eq!(answers("tally(_P, event([port=_P]), P)", &[name]), "P = [print-2, receive-2]\n");
    assert_eq!(answers("forall(event([line=L, chrono=C]), L =:= C + 2)", &[name]), "true\n");
    assert_eq!(answers("findall(E, orphan_receive(E), L)", &[name]), "L = [2, 4]\n");
    assert_eq!(
        answers("inferred_send(E, send(S, _, _, M))", &[name]),
        "E = 2, S = {0, 2}, M = {'nonode@nohost':'<85.0>', the_message}\nE = 4, S = {2, 4}, M = {ack, {received, the_message}}\n"
    );
    assert_eq!(answers("findall(E1-E2, causes(E1, E2), L)", &[name]), "L = [2-3, 2-4]\n");
    assert_eq!(answers("findall(E, causes(2, E), L)", &[name]), "L = [3, 4]\n");
    assert_eq!(stdout(papaver().args(["query", "-q", "inferred_send(_, _)", &sample("relay.raw")]), 1), "");
}

/// A log that was recorded with two calls of `reset_trace/0`: the second of its three runs was begun by the same
/// process as the first one, the third by a fresh one. Every receive was logged right after its send.
#[test]
fn a_serial_belongs_to_its_stretch_between_resets() {
    let name = "reset.raw";
    let pairs = "event([port=receive, chrono=C, line=L, match=S]), event([chrono=S, line=M])";
    assert_eq!(answers(&format!("aggregate_all(count, ({pairs}, L =:= M + 1), N)"), &[name]), "N = 33\n");
    assert_eq!(answers("forall(event([chrono=C, line=L]), L =:= C + 2)", &[name]), "true\n");
    assert_eq!(answers("finding(S, R, C, _)", &[name]), "S = note, R = reset, C = 23\nS = note, R = reset, C = 45\n");
    let first = answers("cause_chain(44, L), length(L, N)", &[name]);
    assert!(first.starts_with("L = [23, ") && first.ends_with("N = 22\n"), "the chain ends at the reset: {first}");
}

/// The same run with the flag `send` off.
#[test]
fn a_log_without_sends_shows_where_serials_begin_again() {
    let text = std::fs::read_to_string(sample("reset.raw")).expect("the sample is there");
    let received: String =
        text.lines().filter(|line| !line.contains("{send,")).map(|line| format!("{line}\n")).collect();
    let ask = |text: &str, goal: &str| {
        let (_folder, path) = file("received.raw", text);
        stdout(papaver().args(["query", "-q", goal]).arg(&path), 0)
    };
    assert_eq!(ask(&received, "forall(event([chrono=C, line=L]), L =:= C + 2)"), "true\n");
    assert_eq!(ask(&received, "findall(C, finding(_, reset, C, _), L)"), "L = [12, 23]\n");
    assert_eq!(ask(&received, "findall(E, inferred_send(E, send({0, 1}, _, _, _)), L)"), "L = [1, 12, 23]\n");
    let twice: String = received.lines().map(|line| format!("{line}\n{line}\n")).collect();
    assert_eq!(ask(&twice, "aggregate_all(count, finding(_, reset, _, _), N)"), "N = 2\n");
}

/// The log of a run twice in one file, and a log with a line twice.
#[test]
fn runs_one_behind_the_other_are_kept_apart_and_a_line_twice_is_a_fault() {
    let text = std::fs::read_to_string(sample("relay.raw")).expect("the sample is there");
    let count = |text: &str, goal: &str| {
        let (_folder, path) = file("run.raw", text);
        stdout(papaver().args(["query", "-q", goal]).arg(&path), 0)
    };
    let matched =
        "aggregate_all(count, (event([port=receive, line=L, match=S]), event([chrono=S, line=M]), L =:= M + 1), N)";
    assert_eq!(count(&text.repeat(2), matched), "N = 36\n");
    assert_eq!(count(&text.repeat(3), matched), "N = 54\n");
    assert_eq!(count(&text.repeat(3), "findall(S-R, finding(S, R, _, _), L)"), "L = [note-reset, note-reset]\n");
    let lines: Vec<&str> = text.lines().collect();
    for line in [2, 4, 6] {
        let mut twice = lines.clone();
        twice.insert(line, lines[line]);
        let found = count(&(twice.join("\n") + "\n"), "findall(S-R, finding(S, R, _, _), L)");
        assert!(found.contains("fault-'E2'"), "line {line}: {found}");
    }
}

#[test]
fn a_tuple_in_a_constraint_has_as_many_elements_as_are_written() {
    assert_eq!(answers("aggregate_all(count, event([args=[{ack, _}]]), N)", &["gen.raw"]), "N = 0\n");
    assert_eq!(answers("aggregate_all(count, event([args=[{ack, _, _}]]), N)", &["gen.raw"]), "N = 2\n");
    assert_eq!(answers("aggregate_all(count, event([msg={_}]), N)", &["gen.raw"]), "N = 0\n");
    assert_eq!(answers("event([port=send, msg={ack, M}])", &["seqex_send.raw"]), "M = {received, the_message}\n");
    let differs = "aggregate_all(count, (event([chrono=C, arg(1) \\= {ack, _}]), event([chrono=C])), N)";
    assert_eq!(answers(differs, &["gen.raw"]), "C = C, N = 20\n".trim_start_matches("C = C, "));
}

#[test]
fn traces_of_other_formats_are_merged_by_time_and_need_one() {
    let line = |time: u32, call: u32, port: &str| {
        format!("{{\"call\": {call}, \"port\": \"{port}\", \"name\": \"p\", \"time\": {time}}}\n")
    };
    let (_a, a) = file("a.jsonl", &(line(1, 1, "call") + &line(5, 1, "exit")));
    let (_b, b) = file("b.jsonl", &(line(2, 1, "call") + &line(3, 1, "exit")));
    let goal = "forall(event([time=T, call=K, log=L, port=P]), (writeq(e(T, K, L, P)), nl))";
    for logs in [[&a, &b], [&b, &a]] {
        assert_eq!(
            stdout(papaver().args(["query", "-q", "--merge", goal]).args(logs), 0).trim_end_matches("true\n"),
            "e(1,1,'a.jsonl',call)\ne(2,2,'b.jsonl',call)\ne(3,2,'b.jsonl',exit)\ne(5,1,'a.jsonl',exit)\n"
        );
    }
    let error = stderr(papaver().args(["query", "--merge", "true", &data("queens.trace"), &data("qsort.trace")]), 2);
    assert!(error.contains("its events have no attribute `time`"), "{error}");
}

#[test]
fn saved_logs_that_are_merged_by_time_keep_their_pairs_of_send_and_receive() {
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let mut saved = Vec::new();
    let mut n_pairs = 0;
    for node in ["a", "b"] {
        let log = sample(&format!("two_nodes_timestamp_{node}.raw"));
        let path = folder.path().join(format!("{node}.papaver"));
        stdout(papaver().args(["convert", &log, "-o"]).arg(&path), 0);
        let n = stdout(papaver().args(["query", "-q", "aggregate_all(count, event([match=_]), N)", &log]), 0);
        n_pairs += n.trim().trim_start_matches("N = ").parse::<u32>().expect("a number is answered");
        saved.push(path);
    }
    assert!(n_pairs > 0);
    let goal = "aggregate_all(count, (event([chrono=_C, match=_M, label=_L, prev=_P, cur=_U, log=_O]), \
                event([chrono=_M, match=_C, label=_L, prev=_P, cur=_U, log=_O])), N)";
    let answer = stdout(papaver().args(["query", "-q", "--merge", goal]).args(&saved), 0);
    assert_eq!(answer, format!("N = {n_pairs}\n"));
}

#[test]
fn several_traces_are_converted_only_when_they_are_merged() {
    let logs = [sample("two_nodes_plain_a.raw"), sample("two_nodes_plain_b.raw")];
    let error = stderr(papaver().args(["convert", "-o", "-", "--to", "csv"]).args(&logs), 2);
    assert!(error.contains("expected one trace to convert, or `--merge`"), "{error}");
}

/// `papaver record --last` leaves out what came first, and a log without a trailer may lack its end.
#[test]
fn what_a_recording_lacks_is_told() {
    let event = |label: u32, number: u32, serials: &str| {
        format!(
            "{{seq_trace,{label},{{send,{serials},<0.{number}.0>,<0.94.0>,hello}}}}.\n\
             {{seq_trace,{label},{{'receive',{serials},<0.{number}.0>,<0.94.0>,hello}}}}.\n"
        )
    };
    let header = "{\"papaver\":1,\"port\":\"header\",\"source\":\"seqtrace\"}\n";
    let last = format!(
        "{header}{{seqtap_node,'a@h',0,[]}}.\n{{\"papaver\":1,\"port\":\"gap\",\"lost\":7}}\n{}\
         {{\"papaver\":1,\"port\":\"trailer\",\"lost\":0,\"end\":\"ok\",\"left_out\":{{\"last\":7}}}}\n",
        event(17, 93, "{4,5}")
    );
    let unfinished = format!("{header}{{seqtap_node,'b@h',0,[]}}.\n{}", event(18, 95, "{0,1}"));
    let (_first, last) = file("last.raw", &last);
    let (_second, unfinished) = file("unfinished.raw", &unfinished);
    let answer = |goal: &str, logs: &[&PathBuf]| {
        let merge = (logs.len() > 1).then_some("--merge");
        let output = papaver().args(["query", "-q", goal]).args(merge).args(logs).output().expect("papaver runs");
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    };
    for logs in [&[&last][..], &[&unfinished], &[&last, &unfinished]] {
        assert_eq!(answer("sound(\\+ event([name=none]))", logs), "", "{logs:?}");
        assert_eq!(answer("integrity(_, _, _)", logs), "", "{logs:?}");
    }
    assert_eq!(answer("sound(event([port=receive]))", &[&last]), "true");
    assert_eq!(answer("trace_info(lost, N)", &[&last, &unfinished]), "N = 7");
    assert_eq!(answer("trace_info('unfinished.raw.unfinished', U)", &[&last, &unfinished]), "U = true");
}
