//! Questions about MPD traces: the facts that the sample traces must give.

use crate::support::{data, file, papaver, stdout};

fn answers(trace: &str, goal: &str) -> String {
    stdout(papaver().args(["query", goal, &data(&format!("mpd/{trace}"))]), 0)
}

/// For each trace, how often each call occurs, as `CALL-N`.
const COUNTS: [(&str, &str); 3] = [
    ("CS_3_4.trc", "arm-24 body-2 call-12 createg-1 endbody-2 endproc-3 in-25 ni-24 proc-4 send-16"),
    (
        "buffer.trc",
        "arm-36 body-2 call-22 contp-4 createg-1 creates-1 endbody-2 endfinal-1 endproc-11 final-1 forward-1 in-36 ni-36 p-4 proc-11 reply-2 return-2 send-6 v-4",
    ),
    (
        "dvm.trc",
        "arm-14 body-3 call-8 contp-6 creater-2 creates-2 createv-2 destroyr-2 destroyv-2 endbody-3 endfinal-2 endproc-10 final-2 in-14 inits-2 ni-14 p-6 proc-10 send-16 v-6",
    ),
];

#[test]
fn every_event_is_counted_under_its_port() {
    for (trace, counts) in COUNTS {
        let expected = format!("L = [{}]\n", counts.replace(' ', ", "));
        assert_eq!(answers(trace, "tally(P, event([port=P]), L)"), expected, "{trace}");
    }
}

#[test]
fn the_deadlock_of_the_philosophers() {
    let goal = "blocked(p(P, _), on(s(S, _))), findall(H, unreleased(p(H, _), s(S, _)), Held)";
    let expected = "\
P = '9462580', S = '9463914', Held = []
P = '9462528', S = '9463888', Held = ['94623C8']
P = '94624D0', S = '94638F8', Held = ['9462528']
P = '9462478', S = '94638DC', Held = ['94624D0']
P = '9462420', S = '94638C0', Held = ['9462478']
P = '94623C8', S = '94638A4', Held = ['9462420']
";
    assert_eq!(answers("philos_deadlock.trc", goal), expected);
    let pairs = "findall(P-Q, waits_for(p(P, _), p(Q, _)), L), length(L, N)";
    assert!(answers("philos_deadlock.trc", pairs).ends_with("N = 5\n"));
    assert_eq!(
        answers("philos_deadlock.trc", "findall(L, cycle(L), [C]), length(C, N), N = 5, C = [p(P, 1)|_]")
            .lines()
            .count(),
        1
    );
    assert_eq!(answers("philos_ok.trc", "\\+ cycle(_), \\+ overlap(_, _, _), \\+ unreleased(_, _)"), "true\n");
}

#[test]
fn a_trace_without_semaphores_has_none_and_says_no_error() {
    let goal = "\\+ holds(_, _, _, _), \\+ sem_kind(_, _), \\+ p_wait(_, _, _), \\+ event([sem=_]), \\+ woken_by(_, _)";
    assert_eq!(answers("CS_3_4.trc", goal), "true\n");
}

#[test]
fn an_overlap_is_two_processes_between_their_passing_and_letting_pass() {
    let lines = "BODY A 0\nCREATES A F\nINITS A 2\nSEND A 0\nSEND A 0\nPROC B A\nPROC C A\nP B F\nCONTP B F\nP C F\nCONTP C F\nV B F\nV C F\n";
    let text: String = lines
        .lines()
        .map(|line| {
            format!(
                "a.mpd, 1 {} {line}\n",
                if line.contains("A ") && !line.starts_with("PROC") { "m.b" } else { "m.p" }
            )
        })
        .collect();
    let (_folder, path) = crate::support::file("two.trc", &text);
    let both = stdout(papaver().args(["query", "overlap(S, P, Q)"]).arg(path), 0);
    assert_eq!(both, "S = s('F', 1), P = p('B', 1), Q = p('C', 1)\n");
}

#[test]
fn the_pairs_of_who_overtook_whom_are_those_of_all_pairs() {
    let all = "findall(A-B, (event([serves=A, chrono=C1, vm=V, file=F, line=L, name=N]), event([serves=B, chrono=C2, vm=V, file=F, line=L, name=N]), A < B, C2 < C1), L0), sort(L0, L)";
    for trace in ["rwbig_small.trc", "buffer.trc", "trc_vsuite.trc"] {
        let goal = format!(
            "{all}, findall(A-B, overtaken(A, B), M0), sort(M0, M), ( L == M -> length(L, Len) ; Len = differ )"
        );
        let shown = answers(trace, &format!("once(({goal})), write(Len), nl, fail ; true"));
        assert!(!shown.contains("differ"), "{trace}: {shown}");
    }
}

/// A relay on another machine hangs: the service has ended, and its caller never returns.
#[test]
fn a_caller_that_never_came_back_is_unanswered() {
    let lines =
        "1 m.b BODY A 0\n2 m.b CREATEV A 0\n3 vm(1).m.b CALL A 0\n9 vm(2).r.p PROC B A\n9 vm(2).r.p ENDPROC B A\n";
    let text: String = lines.lines().map(|line| format!("a.mpd, {line}\n")).collect();
    let (_folder, path) = file("relay_hang.trc", &text);
    let ask = |goal: &str, status| stdout(papaver().args(["query", "-q", goal]).arg(&path), status);
    assert_eq!(ask("blocked(P, On)", 0), "P = p('A', 1), On = call(1)\n");
    assert_eq!(ask("unanswered(Call), event([call=Call, port=call, chrono=C])", 0), "Call = 2, C = 3\n");
    assert_eq!(ask("waits_for(P, Q)", 1), "");
    let checked = stdout(papaver().args(["check", "--builtin"]).arg(&path), 1);
    assert!(checked.contains("violated every_invocation_answered"), "{checked}");
}

#[test]
fn a_procedure_is_found_by_its_resource_and_name_too() {
    let count = |constraint: &str| {
        let goal = format!("aggregate_all(count, event([{constraint}]), N)");
        stdout(papaver().args(["query", "-q", &goal, &data("mpd/CS_3_4.trc")]), 0)
    };
    let dotted = count("proc='CS.arbitrator'");
    assert_ne!(dotted, "N = 0\n");
    assert_eq!(count("proc='CS':arbitrator"), dotted);
    assert_eq!(count("proc=['CS':arbitrator, 'CS':nothing]"), dotted);
    assert_eq!(count("proc=not(main:user), proc=not(main:body), proc=not('CS':body)"), dotted);
    assert_eq!(count("proc=main:arbitrator"), "N = 0\n");
    let all = count("");
    assert_eq!(count("proc=_:_"), all);
    let parts =
        stdout(papaver().args(["query", "-q", "tally(R:P, event([proc=R:P]), Pairs)", &data("mpd/CS_3_4.trc")]), 0);
    assert!(parts.starts_with("Pairs = ['CS':arbitrator-74, "), "{parts}");
    assert_eq!(answers("CS_3_4.trc", "once(event([proc='CS':P, port=arm]))"), "P = arbitrator\n");
    assert_eq!(
        answers("CS_3_4.trc", "once((event([proc='CS':P, port=arm]), event([proc='CS':P, chrono=C])))"),
        "P = arbitrator, C = 6\n"
    );
}
