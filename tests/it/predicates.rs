//! The predicates of the trace: the answers that the sample traces must give.

use crate::support::{data, papaver, stderr, stdout};

fn on(trace: &str, goal: &str) -> assert_cmd::Command {
    let mut command = papaver();
    command.args(["query", goal, &data(trace)]);
    command
}

fn answers(trace: &str, goal: &str) -> String {
    stdout(&mut on(trace, goal), 0)
}

/// Checks the answer of each goal on the queens trace.
fn check(cases: &[(&str, &str)]) {
    for (goal, expected) in cases {
        assert_eq!(answers("queens.trace", goal), *expected, "{goal}");
    }
}

#[test]
fn explain_tells_what_is_wrong_with_a_joined_search_and_how_a_band_is_found() {
    let told = stderr(&mut on("queens.trace", "explain((event([depth=D]), event([nope=D])))"), 2);
    assert!(told.contains("`nope`"), "{told}");
    let told = answers("queens.trace", "explain(aggregate_all(count, (event([chrono=C]), event([depth > C])), _))");
    assert!(told.contains("over columns") && told.contains("between those that each answer before it has"), "{told}");
}

#[test]
fn the_facts_of_the_queens_trace() {
    check(&[
        ("aggregate_all(count, event([port=exit]), N)", "N = 149\n"),
        ("aggregate_all(count, (event([port=exit]), true), N)", "N = 149\n"),
        // more rows than a batch holds: 698 * 698
        ("aggregate_all(count, (event([chrono=_]), event([chrono=_])), N)", "N = 487204\n"),
        ("aggregate_all(count, (event([chrono=A]), event([chrono=B]), A < B), N)", "N = 243253\n"),
        ("aggregate_all(sum(L), event([line_number=L]), S)", "S = 38511\n"),
        ("foldt([line_number=L], [A0, A]>>(A is A0 + L), 0, S)", "S = 38511\n"),
        ("fget_np(name = queen and port = exit), retry_np, current(chrono=C)", "C = 4\n"),
        ("tally(P, event([port=P, depth=1]), L)", "L = [call-1, exit-1, then-1]\n"),
        ("sum_by(P, D, event([port=P, depth=D, chrono=1..3]), L)", "L = [call-3, exit-2]\n"),
        ("goto_np(3), stack([[level(0), detail(A, B, C)|_]|_])", "A = 2, B = 2, C = 2\n"),
    ]);
}

#[test]
fn explain_tells_how_each_search_goes() {
    check(&[
        (
            "explain(fget([proc=queen/2, port=exit]))",
            "fget([proc=queen/2,port=exit]): walks 1 event by procedure and port, tests proc, port\n`papaver query` reads only events with port exit, name queen, arity 2\n",
        ),
        (
            "explain(aggregate_all(count, event([port=exit]), _))",
            "answers found over columns\nevent([port=exit]): walks 149 events by procedure and port, tests port\n`papaver query` reads only events with port exit\n",
        ),
        (
            "explain(tally(P, (event([port=exit, call=K]), event([call=K, port=P])), _))",
            "answers found over columns\nevent([port=exit,call=_1]): walks 149 events by procedure and port, tests port\nevent([call=_1,port=_0]): walks the events of one call for each answer before it\n`papaver query` reads what it needs of every event\n",
        ),
        (
            "explain(aggregate_all(count, (event([port=exit, depth=D]), event([port=call, depth=D])), _))",
            "answers found over columns\nevent([port=exit,depth=_0]): walks 149 events by procedure and port, tests port\nevent([port=call,depth=_0]): looks up equal values in a table: about 16 of 146 events for each of 149 answers before it\n`papaver query` reads only events with port exit and events with port call\n",
        ),
        (
            "explain((event([depth=D]), event([proc=queen/2, depth=D])))",
            "event([depth=_0]): scans 698 of 698 events\nevent([proc=queen/2,depth=_0]): looks up equal values by an index of depth: about 2 of 2 events for each of 698 answers before it\nthe second search first: 2 lookups instead of 698\n`papaver query` reads what it needs of every event\n",
        ),
        (
            "explain(aggregate_all(count, (event([port=exit]), member(_, [1])), _))",
            "answers found one by one\nevent([port=exit]): walks 149 events by procedure and port, tests port\n`papaver query` reads only events with port exit\n",
        ),
        (
            "explain((event([chrono=7]), bget([call=3, depth>1])))",
            "event([chrono=7]): looks up one event\nbget([call=3,depth>1]): walks the 2 events of one call\n`papaver query` reads what it needs of every event\n",
        ),
        ("explain(member(X, [1]))", "no search of the trace\n"),
    ]);
}

#[test]
fn figure_1_of_the_manual_is_event_10() {
    assert_eq!(answers("qsort.trace", "goto(10)"), " 10:     6 [5] then partition([1, 2], 3, -, -) [s1, c2, t] \n");
    let values = "goto_np(10), current([port=P, name=N, args=[A|_], goal_path=G, depth=D, call=K])";
    let expected = "P = then, N = partition, A = [1, 2], G = [s1, c2, t], D = 5, K = 6\n";
    assert_eq!(answers("qsort.trace", values), expected);
}

#[test]
fn item_1_next_prints_every_event_until_the_condition_holds() {
    let trace = std::fs::read_to_string(data("queens.trace")).unwrap();
    let lines: String = trace.lines().skip(1).take(10).map(|line| format!("{line}\n")).collect();
    let mut command = on("queens.trace", "goto_np(1), next, current(chrono=C), C > 10");
    assert_eq!(stdout(command.arg("--first"), 0), format!("{lines}C = 11\n"));
}

#[test]
fn item_1_a_full_event_shows_all_its_parts_and_the_rest() {
    let expected = " 14:     7 [5] exit nondet (predicate) {queens} queens: qdelete(2 {int}, [2, 3, 4, 5] {list__list(int)}, [3, 4, 5] {list__list(int)})/3-0 []  48  arg_names=[HeadVar__1, HeadVar__2, HeadVar__3]  parent=6 \n";
    assert_eq!(answers("queens.jsonl", "goto_np(13), det_next_np, print_full_event"), expected);
}

#[test]
fn item_2_every_flag_can_be_toggled() {
    let flags = "[chrono, call, port, depth, det, proc_type, decl_module, def_module, name, arity, mode_number, args, types, goal_path, line_number]";
    let goal = format!("goto_np(3), forall(member(F, {flags}), toggle(F)), print_event");
    let expected = " det (predicate) {queens} queens: ({list__list(int)})/1-0\n";
    assert_eq!(answers("queens.jsonl", &goal), expected);
}

#[test]
fn item_3_the_exit_of_queen_is_event_673() {
    let line = "673:  3 [2] exit queen([1, 2, 3, 4, 5], [1, 3, 5, 2, 4]) []  16 \n";
    check(&[
        ("fget(name = queen and port = exit)", line),
        ("fget([name=queen, port=exit])", line),
        ("goto_np(690), bget([name=queen, port=exit])", line),
    ]);
}

#[test]
fn item_4_every_attribute_and_every_pattern_of_the_procedure() {
    let goal = "goto_np(673), current([chrono=A, call=B, depth=C, port=D, proc_type=E, decl_module=F, def_module=G, name=H, arity=I, mode_number=J, det=K, goal_path=L, line_number=M, arg_names=N, arg_types=O, args=P])";
    let expected = "A = 673, B = 3, C = 2, D = exit, E = predicate, F = queens, G = queens, H = queen, I = 2, J = 0, K = nondet, L = [], M = 16, N = [\"HeadVar__1\", \"HeadVar__2\"], O = [\"list:list(int)\", \"list:list(int)\"], P = [[1, 2, 3, 4, 5], [1, 3, 5, 2, 4]]\n";
    assert_eq!(answers("queens.jsonl", goal), expected);
    let patterns = ["p", "p/2", "p-0", "p/2-0", "m:p", "m:p/2", "m:p-0", "m:p/2-0"];
    let fill = |pattern: &&str| pattern.replace('p', "queen").replace('m', "queens");
    for pattern in patterns.iter().map(fill) {
        for pattern in [pattern.clone(), format!("(predicate->{pattern})")] {
            let goal = format!("fget_np([proc={pattern}, port=exit]), current([proc={pattern}, chrono=C])");
            assert_eq!(answers("queens.jsonl", &goal), "C = 673\n", "{pattern}");
        }
    }
}

#[test]
fn item_5_retry_goes_back_to_the_call() {
    let call = "  4:  3 [2] call queen([1, 2, 3, 4, 5], -) []  16 \n";
    check(&[("goto_np(673), retry", call)]);
}

#[test]
fn item_6_the_stack_at_event_3() {
    let expected = "\nLevel 0: (chrono=2, call=2, depth=2) pred queens:data/1-0 (det) \nLevel 1: (chrono=1, call=1, depth=1) pred queens:main/2-0 (cc_multi) \n";
    assert_eq!(answers("queens.jsonl", "goto_np(3), stack"), expected);
}

#[test]
fn calls_are_related_in_every_mode() {
    check(&[
        ("call_start(3, A), call_end(3, B)", "A = 4, B = 673\n"),
        ("call_start(K, 4)", "K = 3\n"),
        ("aggregate_all(count, call_start(_, _), N)", "N = 146\n"),
        ("aggregate_all(count, parent(_, _), N)", "N = 145\n"),
        ("findall(C, child(1, C), L), parent(3, P), child(P, 2)", "L = [2, 3, 141], P = 1\n"),
        ("forall(parent(K, P), once(ancestor(K, P)))", "true\n"),
        ("aggregate_all(count, ancestor(_, 1), N)", "N = 145\n"),
    ]);
}

#[test]
fn a_call_of_which_the_trace_saw_no_end_is_open() {
    let text: String = std::fs::read_to_string(data("queens.trace"))
        .unwrap()
        .lines()
        .take(7)
        .map(|line| format!("{line}\n"))
        .collect();
    let (_folder, path) = crate::support::file("part.trace", &text);
    let mut command = papaver();
    command.args(["query", "open_call(K)"]).arg(path);
    assert_eq!(stdout(&mut command, 0), "K = 1\nK = 3\nK = 4\nK = 5\n");
}

#[test]
fn the_prompt_says_why_nothing_was_found() {
    let why = [
        ("fget([port=exit, depth=99])", "depth goes from 1 to 9"),
        ("fget([name=qeen])", "did you mean `queen`?"),
        ("last_np, next", "there is no event after 698"),
        ("bget([port=exit])", "there is no event before the first"),
        ("current(port=P)", "before the first event"),
        ("goto(1000)", "events go from 1 to 698"),
        ("call_start(999, C)", "no event has `call = 999`"),
    ];
    for (goal, expected) in why {
        let text = stderr(&mut on("queens.trace", goal), 1);
        assert!(text.contains(expected), "{goal}: {text}");
    }
}

#[test]
fn a_wrong_question_names_the_nearest_right_one() {
    let wrong = [
        ("fget([prot=exit])", "unknown attribute `prot` (did you mean `port`?)"),
        ("fget([port=exti])", "did you mean `exit`?"),
        ("fget([depth=foo])", "expected an integer for `depth`, found `foo`"),
        ("fget([decl_module=m])", "this trace has no attribute `decl_module`"),
        ("fget([proc=m:queen])", "have no `decl_module`"),
        ("toggle(prot)", "did you mean `port`?"),
    ];
    for (goal, expected) in wrong {
        let text = stderr(&mut on("queens.trace", goal), 2);
        assert!(text.contains(expected) && text.contains("query:1:1: error"), "{goal}: {text}");
    }
}

#[test]
fn moves_are_undone_on_failure() {
    check(&[
        ("goto_np(3), ( \\+ fget_np([port=exit]) ; current(chrono=C) )", "C = 3\n"),
        ("goto_np(3), catch((goto_np(9), throw(x)), x, true), current(chrono=C)", "C = 3\n"),
        ("forall(fget_np([port=exit]), true), fget_np(-), current(chrono=C), !", "C = 1\n"),
    ]);
}
