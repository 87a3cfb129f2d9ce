//! Monitors: folds that files define, graphs of procedures, proof trees, coverage.

use std::path::Path;

use crate::support::{data, file, papaver, stderr, stdout};

/// The answers of goals at a prompt over a trace.
fn answers(trace: &Path, goals: &str, status: i32) -> String {
    stdout(papaver().arg(trace).write_stdin(goals.to_string()), status)
}

fn on_queens(goals: &str) -> String {
    answers(Path::new(&data("queens.trace")), goals, 0)
}

/// A folder with monitors, by name and text.
fn monitors(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a temporary folder can be written to");
    }
    folder
}

fn collect(folder: &tempfile::TempDir, name: &str, result: &str) -> String {
    format!("collect('{}', {result})", folder.path().join(name).display())
}

const COUNT: &str = "initialize(0).\nfilter(_, N0, N) :- N is N0 + 1.\n";

#[test]
fn the_two_monitors_of_morphines_regression_test_give_its_results() {
    let folder = monitors(&[
        (
            "solutions.pl",
            "initialize([]).
             filter(E, L0, L) :- port(E, exit), !, proc(E, P), arguments(E, A), add(sol(P, A), L0, L).
             filter(_, L, L).
             add(S, L, L) :- memberchk(S, L), !.
             add(S, L, [S|L]).",
        ),
        (
            "test_ln.pl",
            "initialize([]).
             filter(E, L, [N|L]) :- line_number(E, N).
             post_process(L, Sum) :- sum_list(L, Sum).",
        ),
    ]);
    let shown = "length(S, N), S = [sol(Last, _)|_], print(N-Last), nl, fail";
    let goals = format!("{}, {shown}.", collect(&folder, "solutions", "S"));
    assert_eq!(answers(Path::new(&data("queens.trace")), &goals, 1), "106-main/2\nfalse.\n");
    assert_eq!(on_queens(&format!("{}.", collect(&folder, "test_ln", "Sum"))), "Sum = 38511.\n");
}

#[test]
fn a_fold_begins_at_the_current_event_and_ends_at_the_last() {
    let folder = monitors(&[("count.pl", COUNT)]);
    let count = collect(&folder, "count", "N");
    assert_eq!(on_queens(&format!("{count}.\ncurrent(chrono=C).")), "N = 698.\nC = 698.\n");
    assert_eq!(on_queens(&format!("goto_np(690), {count}.")), "N = 9.\n");
    assert_eq!(on_queens(&format!("goto_np(690), \\+ ({count}, fail), current(chrono=C).")), "C = 690.\n");
}

#[test]
fn a_filter_that_fails_ends_the_fold_at_its_event() {
    let text = "initialize([]).\nfilter(E, L, [C|L]) :- chrono(E, C), \\+ current(port=exit).\n";
    let folder = monitors(&[("to_exit.pl", text)]);
    let goals = format!("{}, current(chrono=C).", collect(&folder, "to_exit", "L"));
    assert_eq!(on_queens(&goals), "L = [2, 1],\nC = 3.\n");
}

#[test]
fn the_fields_of_an_event_are_its_attributes() {
    let text = "initialize(-).
        filter(E, _, [C, K, D, P, T, M, F, N, A, Mode, Args, Det, Path, Line, Proc]) :-
            chrono(E, C), C =< 673, call(E, K), depth(E, D), port(E, P), proc_type(E, T), decl_module(E, M),
            def_module(E, F), proc_name(E, N), proc_arity(E, A), proc_mode_number(E, Mode), arguments(E, Args),
            determinism(E, Det), goal_path(E, Path), line_number(E, Line), proc(E, Proc).";
    let folder = monitors(&[("fields.pl", text)]);
    let expected = "L = [673, 3, 2, exit, predicate, queens, queens, queen, 2, 0, [[1, 2, 3, 4, 5], [1, 3, 5, 2, 4]], \
                    nondet, [], 16, (predicate->queens:queen/2-0)].\n";
    let goals = format!("{}.", collect(&folder, "fields", "L"));
    assert_eq!(answers(Path::new(&data("queens.jsonl")), &goals, 0), expected);
}

#[test]
fn what_a_monitor_defines_is_forgotten_and_what_it_hid_is_back() {
    let text = ":- dynamic seen/1.\ninitialize(0).\nfilter(E, N0, N) :- depth(E, 1), twice(N0, N), assertz(seen(N)).
        twice(N0, N) :- N is N0 + 1.\npost_process(_, L) :- findall(N, seen(N), L).\n";
    let folder = monitors(&[("local.pl", text)]);
    let collect = collect(&folder, "local", "L");
    let goals = format!(
        "assertz(twice(X, X, own)), assertz(twice(a, own)), assertz(seen(own)).
         {collect}, findall(S, seen(S), Seen), twice(a, Own).
         retract(seen(own)), assertz(seen(again)).
         goto_np(1), {collect}, findall(S, seen(S), Seen).
         catch(filter(_, _, _), error(E, _), true)."
    );
    let expected = "true.\nL = [1],\nSeen = [own],\nOwn = own.\ntrue.\nL = [1],\nSeen = [again].\n\
                    E = existence_error(procedure, filter/3).\n";
    assert_eq!(on_queens(&goals), expected);
}

#[test]
fn a_monitor_does_not_take_what_it_lacks_from_elsewhere() {
    let folder = monitors(&[("count.pl", COUNT), ("half.pl", "initialize(0).\n")]);
    let goals = format!(
        "assertz(post_process(_, own)), assertz((filter(_, A, A) :- true)).
         {}, post_process(x, Own).
         catch({}, error(E, _), true).",
        collect(&folder, "count", "N"),
        collect(&folder, "half", "_"),
    );
    let expected = "true.\nN = 698,\nOwn = own.\nE = existence_error(procedure, filter/3).\n";
    assert_eq!(on_queens(&goals), expected);
}

#[test]
fn monitors_run_within_monitors_and_an_error_leaves_nothing_behind() {
    let outer = "initialize([]).
        filter(E, L, [N|L]) :- depth(E, D), D < 3, length(L, Length), Length < 2, collect(inner, N).\n";
    let inner = ":- initialization(true).\ninitialize(0).\nfilter(E, N0, N) :- port(E, P), P \\== fail, N is N0 + 1.\n";
    let wrong =
        "initialize(0).\nfilter(E, N0, N) :- chrono(E, C), C < 5, N is N0 + 1.\nfilter(_, _, _) :- throw(oops).\n";
    let main = ":- initialization(main).
        filter(own).
        main :- findall(L, ( member(_, [1, 2]), collect(outer, L) ), Ls), print(Ls), nl,
            catch(collect(wrong, _), Ball, true), print(Ball), nl,
            filter(Own), print(Own), nl, halt.\n";
    let folder = monitors(&[("outer.pl", outer), ("inner.pl", inner), ("wrong.pl", wrong), ("main.pl", main)]);
    let text = stdout(papaver().arg("run").arg(folder.path().join("main.pl")).arg(data("queens.trace")), 0);
    // the first fail is event 43: 42 events from 1 on, 41 from 2 on
    assert_eq!(text, "[[41,42],[41,42]]\noops\nown\n");
}

#[test]
fn a_script_may_collect_itself_when_it_was_read() {
    let own = ":- initialization(main).\nmain :- collect(self, N), print(N), nl.\ninitialize(0).\n
        filter(_, N0, N) :- N is N0 + 1.\n";
    let other = ":- initialization((write(last), nl)).\n:- collect(self, N), print(N), nl.\nmain.\n";
    let folder = monitors(&[("self.pl", own), ("other.pl", other)]);
    let run = |name: &str| stdout(papaver().arg("run").arg(folder.path().join(name)).arg(data("queens.trace")), 0);
    assert_eq!(run("self.pl"), "698\n");
    assert_eq!(run("other.pl"), "698\nlast\n");
}

#[test]
fn a_file_without_a_filter_is_no_monitor() {
    let folder = monitors(&[("half.pl", "initialize(0).\n")]);
    let goals = format!("{}.", collect(&folder, "half", "_"));
    let mut command = papaver();
    command.arg(data("queens.trace")).write_stdin(goals);
    assert!(stderr(&mut command, 2).contains("filter/3"));
}

#[test]
fn goals_of_strangers_reach_no_monitor_files() {
    let folder = monitors(&[("count.pl", COUNT)]);
    let goal = collect(&folder, "count", "N");
    let message = stderr(papaver().arg("query").arg(goal).arg(data("queens.trace")), 2);
    assert!(message.contains("permission") && message.contains("`-l`"), "{message}");
}

#[test]
fn queries_collect_files_that_lie_beside_a_script_however_they_are_named() {
    let folder = monitors(&[("own.pl", "total(N) :- collect(count, N).\n"), ("count.pl", COUNT)]);
    std::fs::create_dir(folder.path().join("below")).unwrap();
    std::fs::write(folder.path().join("below/count.pl"), COUNT).unwrap();
    let path = folder.path().file_name().unwrap().to_str().unwrap();
    let command = |goal: &str| {
        let mut command = papaver();
        command.current_dir(folder.path().parent().unwrap()).args(["query", goal, "-l", &format!("{path}/own.pl")]);
        command.arg(std::path::absolute(data("queens.trace")).unwrap());
        command
    };
    let absolute = folder.path().join("count.pl").display().to_string();
    for name in ["count", "count.pl", "below/count", &format!("{path}/count.pl"), &absolute] {
        assert_eq!(stdout(&mut command(&format!("collect('{name}', N)")), 0), "N = 698\n", "{name}");
    }
    assert_eq!(stdout(&mut command("total(N)"), 0), "N = 698\n");
    for name in ["../count", "/etc/hosts"] {
        let message = stderr(&mut command(&format!("collect('{name}', N)")), 2);
        assert!(message.contains("it must lie below the folder of a script that `-l` names"), "{name}: {message}");
    }
    assert!(stderr(&mut command("collect(county, N)"), 2).contains("cannot read the script `county`"));
}

#[test]
fn the_arcs_of_both_graphs_are_those_of_the_events() {
    let arcs = |name: &str| std::fs::read_to_string(data(&format!("monitors/{name}"))).unwrap();
    let flow = "control_flow_graph(Arcs), forall(member(arc(A, B), Arcs), format(\"~w -> ~w~n\", [A, B])), fail.";
    assert_eq!(answers(Path::new(&data("queens.trace")), flow, 1), format!("{}false.\n", arcs("queens_flow.txt")));
    let calls = "dynamic_call_graph(L), forall(member(arc(A, B, N), L), format(\"~w -> ~w: ~d~n\", [A, B, N])), fail.";
    assert_eq!(answers(Path::new(&data("queens.trace")), calls, 1), format!("{}false.\n", arcs("queens_calls.txt")));
}

/// The proof trees that are printed for event lines, which are given without chrono and call numbers.
fn proofs(events: &[&str]) -> String {
    let numbered: String =
        events.iter().enumerate().map(|(index, event)| format!("{:3}: {event} \n", index + 1)).collect();
    let (_folder, path) = file("made.trace", &numbered);
    answers(&path, "forall(proof_tree(T), print_tree(T)).", 0)
}

#[test]
fn the_proof_of_queens_has_no_call_of_a_refused_board() {
    let text = on_queens("proof_tree.");
    // main, data, queen, print_list; 6 of qperm and of safe, 8 of qdelete, 15 of nodiag, 5 of print_list_2
    let count = |name: &str| text.lines().filter(|line| line.contains(name)).count();
    assert_eq!(text.lines().count(), 44 + 1, "{text}");
    assert_eq!(["qperm(", "safe(", "qdelete(", "nodiag(", "print_list_2("].map(count), [6, 6, 8, 15, 5], "{text}");
}

#[test]
fn a_later_arm_of_a_disjunction_undoes_the_calls_of_an_earlier_one() {
    let text = proofs(&[
        "1 [1] call p(-) [] 1",
        " 2 [2] call first(-) [] 2",
        " 2 [2] exit first(1) [] 2",
        "1 [1] disj p(-) [c2, d1] 3",
        " 3 [2] call q(-) [] 3",
        " 3 [2] exit q(1) [] 3",
        " 4 [2] call r(1) [] 4",
        " 4 [2] fail r(1) [] 4",
        "1 [1] disj p(-) [c2, d2] 5",
        " 5 [2] call s(-) [] 5",
        " 5 [2] exit s(2) [] 5",
        "1 [1] exit p(2) [] 1",
    ]);
    assert_eq!(text, "p(2)\n├─ first(1)\n└─ s(2)\ntrue.\n");
}

#[test]
fn a_condition_that_fails_leaves_no_calls_where_its_place_tells_which_they_were() {
    let text = proofs(&[
        "1 [1] call p(-) [] 1",
        " 2 [2] call before(-) [] 2",
        " 2 [2] exit before(1) [] 2",
        " 3 [2] call q(1) [] 3",
        " 3 [2] exit q(1) [] 3",
        " 4 [2] call r(1) [] 4",
        " 4 [2] fail r(1) [] 4",
        "1 [1] else p(-) [c2, e] 5",
        " 5 [2] call s(-) [] 5",
        " 5 [2] exit s(2) [] 5",
        "1 [1] exit p(2) [] 1",
    ]);
    assert_eq!(text, "p(2)\n├─ before(1)\n└─ s(2)\ntrue.\n");
}

#[test]
fn a_redo_undoes_what_came_behind_and_a_call_without_exit_has_no_proof() {
    let text = proofs(&[
        "1 [1] call p(-) [] 1",
        " 2 [2] call gen(-) [] 2",
        "  3 [3] call item(-) [] 9",
        "  3 [3] exit item(1) [] 9",
        " 2 [2] exit gen(1) [] 2",
        " 4 [2] call test(1) [] 3",
        " 4 [2] exit test(1) [] 3",
        " 5 [2] call bad(1) [] 4",
        " 5 [2] fail bad(1) [] 4",
        " 2 [2] redo gen(1) [] 2",
        "  3 [3] redo item(1) [] 9",
        "  3 [3] exit item(2) [] 9",
        " 2 [2] exit gen(2) [] 2",
        "1 [1] exit p(2) [] 1",
    ]);
    assert_eq!(text, "p(2)\n└─ gen(2)\n   └─ item(2)\ntrue.\n");
    assert_eq!(proofs(&["1 [1] call p(-) [] 1", "1 [1] fail p(-) [] 1"]), "true.\n");
}

#[test]
fn what_collects_all_solutions_keeps_each() {
    let text = proofs(&[
        "1 [1] call solutions(-) [] 1",
        " 2 [2] call gen(-) [] 2",
        " 2 [2] exit gen(1) [] 2",
        " 2 [2] redo gen(1) [] 2",
        " 2 [2] exit gen(2) [] 2",
        " 2 [2] redo gen(2) [] 2",
        " 2 [2] fail gen(-) [] 2",
        "1 [1] exit solutions([1, 2]) [] 1",
    ]);
    // a collected call has the arguments of its own exit
    assert_eq!(text, "solutions([1, 2])\n├─ gen(1)\n└─ gen(2)\ntrue.\n");
}

#[test]
fn pictures_of_proofs_are_well_formed() {
    let svg = on_queens("proof_tree(120, T), print_svg(T), fail ; true.");
    assert_eq!(svg.matches("<rect").count(), svg.matches("</text>").count());
    assert_eq!(svg.matches("<rect").count(), 21, "{svg}");
    assert_eq!(svg.matches("<path").count(), 20);
    assert!(svg.contains(">safe([1, 3, 5, 2, 4])</text>") && svg.trim_end().ends_with("</svg>\ntrue."), "{svg}");
    let dot = on_queens("proof_tree(3, T), print_dot(T), fail ; true.");
    assert!(dot.starts_with("digraph trace {\n") && dot.contains("n0 [label=\"queen([1, 2, 3, 4, 5], "), "{dot}");
}

#[test]
fn trees_that_have_no_end_or_too_many_nodes_are_errors() {
    let error = |goal: &str| {
        let mut command = papaver();
        command.args(["query", goal, "--memory-limit", "40M"]).arg(data("queens.trace"));
        stderr(&mut command, 2)
    };
    assert!(error("T = proof(1, a, [T]), print_tree(T)").contains("acyclic"));
    let doubled =
        "numlist(1, 60, L), foldl([_, T, proof(1, a, [T, T])]>>true, L, proof(1, a, []), Tree), print_svg(Tree)";
    assert!(error(doubled).contains("memory"));
    assert!(error("print_tree(nothing)").contains("proof tree"));
}

#[test]
fn pictures_longer_than_there_is_room_for_are_written_in_pieces() {
    // a chain of n nodes has lines of up to 3 n letters before the label, some 12 MB in all
    let chain = "numlist(1, 2000, L), foldl([_, T, proof(1, a, [T])]>>true, L, proof(1, a, []), Tree)";
    let limited = |goal: &str| {
        let mut command = papaver();
        command.args(["query", "--to", "none", "--memory-limit", "10M", goal]).arg(data("queens.trace"));
        command.output().unwrap()
    };
    let output = limited(&format!("{chain}, print_tree(Tree)"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2001);
    let output =
        limited(&format!("{chain}, with_output_to(string(_), (between(1, 9, _), print_tree(Tree), fail ; true))"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("memory"));
}

#[test]
fn errors_of_library_rules_name_what_was_called() {
    let error = |goal: &str| {
        let mut command = papaver();
        command.args(["query", goal]).arg(data("queens.jsonl"));
        stderr(&mut command, 2)
    };
    let text = error("pred_cov([queens:queen/2-det], _)");
    assert!(text.ends_with("expected a coverage item, found `queens:queen/2-det` (in `pred_cov/2`)\n"), "{text}");
    let text = error("pred_cov(foo(1), _)");
    assert!(text.ends_with("expected a list, found `foo(1)` (in `pred_cov/2`)\n"), "{text}");
    assert!(error("call_site_cov(1, _)").contains("(in `call_site_cov/2`)"));
    assert!(error("throw(error(type_error(a, b), _))").contains("(in `throw/1`)"));
    let (_folder, path) = crate::support::file("c.pl", ":- command(X, []).\n:- command(aa(x), [bogus(1)]).\n");
    let mut command = papaver();
    command.args(["query", "true", "-l"]).arg(&path).arg(data("queens.jsonl"));
    let text = stderr(&mut command, 2);
    assert_eq!(text.matches("(in `command/2`)").count(), 2, "{text}");
}

#[test]
fn a_ball_of_a_monitor_is_placed_in_its_file() {
    let (_folder, path) = crate::support::file("m.pl", "initialize(0).\nfilter(_, _, _) :-\n    throw(oops).\n");
    let mut command = papaver();
    command.arg(data("queens.trace")).write_stdin(format!("collect('{}', _).", path.display()));
    let text = stderr(&mut command, 2);
    assert!(text.contains("m.pl:3:5: error: uncaught exception `oops`"), "{text}");
}

#[test]
fn a_monitor_with_errors_gives_no_result_and_one_with_warnings_does() {
    let texts = [
        ("filter(_, N, N)) :- true.", "`)` closes no bracket"),
        (":- no_such_predicate.", "unknown predicate `no_such_predicate/0`"),
        ("1 :- true.", "expected a clause"),
        ("a --> b, 1.", "error: "),
    ];
    for (text, message) in texts {
        let folder = monitors(&[("m.pl", &format!("{COUNT}{text}\n"))]);
        let mut command = papaver();
        command.arg(data("queens.trace")).write_stdin(format!("{}. X = 1.", collect(&folder, "m", "N")));
        assert_eq!(stdout(&mut command, 2), "X = 1.\n", "{text}");
        let told = stderr(&mut command, 2);
        assert!(told.contains(message) && told.contains("has errors, so nothing was collected"), "{told}");
    }
    let folder = monitors(&[("m.pl", &format!("{COUNT}:- fail.\n"))]);
    assert_eq!(on_queens(&format!("{}.", collect(&folder, "m", "N"))), "N = 698.\n");
}

#[test]
fn commands_of_morphine_that_take_a_program_are_about_the_trace() {
    let on = |goal: &str| stdout(papaver().args(["query", "--to", "none", goal]).arg(data("queens.jsonl")), 0);
    let goals = [
        ("control_flow_graph(queens)", "control_flow_graph"),
        ("dynamic_call_graph(\"queens\")", "dynamic_call_graph"),
        ("proof_tree('./queens')", "proof_tree"),
        ("pred_cov(queens, _)", "pred_cov(_, _)"),
        ("call_site_cov(\"queens\", _)", "call_site_cov(_, _)"),
    ];
    for (with_program, without) in goals {
        let text = on(with_program);
        assert!(!text.is_empty() && text == on(without), "{with_program}: {text}");
    }
    let mut command = papaver();
    command.args(["query", "run(queens)"]).arg(data("queens.trace"));
    assert!(stderr(&mut command, 2).contains("`rerun` goes back to its first event"));
}

#[test]
fn a_live_variable_that_is_not_there_is_told_of() {
    let reason = |goal: &str| {
        let mut command = papaver();
        command.args(["query", &format!("goto_np(14), {goal}")]).arg(data("queens.trace"));
        stderr(&mut command, 1)
    };
    let text = reason("current_live_var(99, _, _)");
    assert_eq!(text, "papaver: note: the current event has no live variable as argument 99\n");
    assert!(reason("current_live_var(foo, _, _)").contains("no live variable `foo`"));
    assert_eq!(reason("current_live_var(3, 7, _)"), "");
}

#[test]
fn abbreviations_of_graphs_and_trees_take_arguments() {
    let first = |goal: &str| on_queens(&format!("{goal}.")).lines().next().unwrap_or_default().to_string();
    assert_eq!(first("cfg(A), length(A, N), fail ; true"), "true.");
    assert_eq!(first("pt(119, T)"), "T = proof(119, qperm([], []), []).");
    assert_eq!(first("dcg(A), dynamic_call_graph(B), A == B, fail ; true"), "true.");
}

#[test]
fn coverage_needs_determinisms_or_what_is_asked_for() {
    let mut command = papaver();
    command.args(["query", "pred_cov(_, U)"]).arg(data("queens.trace"));
    assert!(stderr(&mut command, 2).contains("decl_module"));
    let goal = "pred_cov([pc(-, safe/1, [exit, exit, exit, fail]), pc(-, gone, det)], U)";
    let text = stdout(papaver().arg("query").arg(goal).arg(data("queens.trace")), 0);
    assert_eq!(
        text,
        "Uncovered: 3\nTo cover: 5\nThe coverage rate is 40 %\nU = [pc(-, safe/1, [exit, exit]), pc(-, gone, [exit])]\n"
    );
}
