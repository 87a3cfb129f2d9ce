//! The `visandor` format: the answers that the sample traces must give.

use crate::support::{data, file, papaver, stdout};

fn answers(trace: &str, goal: &str) -> String {
    stdout(papaver().args(["query", "-q", goal, &data(&format!("visandor/{trace}"))]), 0)
}

fn check(cases: &[(&str, &str, &str)]) {
    for (trace, goal, expected) in cases {
        assert_eq!(answers(trace, goal), *expected, "{goal} on {trace}");
    }
}

/// Time of the run, goals and branches started, goals run by another agent, time with n agents inside goals, mean of
/// those that work.
const FACTS: &[(&str, i64, i64, i64, &str, f64)] = &[
    ("ciao_fib_1agent.ev", 106, 66, 0, "[0-17, 1-89]", 1.0),
    ("ciao_fib_2agents.ev", 37481, 24, 2, "[0-32, 1-7863, 2-29586]", 1.773),
    ("synth_and.ev", 3133, 45, 19, "[0-47, 1-76, 2-42, 3-435, 4-2533]", 3.560),
    ("synth_or.ev", 2084, 72, 0, "[0-16, 1-178, 2-204, 3-704, 4-982]", 3.179),
    ("synth_andorra.ev", 3135, 57, 0, "[0-67, 1-494, 2-2574]", 1.800),
];

#[test]
fn parallelism_is_what_a_simulation_without_an_engine_found() {
    let goal = "event([port=start_time, time=A]), event([port=stop_time, time=B]), T is B - A, \
        aggregate_all(count, event([port=[start_goal, start_branch, resume_branch]]), N), \
        findall(K-L, running_time(K, L), R), mean_parallelism(P), M is round(P * 1000), S = T/N/M/R";
    for (trace, time, n, stolen, running, mean) in FACTS {
        let found = answers(trace, goal);
        let mean = (mean * 1000.0).round();
        assert!(found.ends_with(&format!(", S = {time}/{n}/{mean}/{running}\n")), "{trace}: {found}");
        if trace.contains("and.") || trace.starts_with("ciao") {
            let expected = format!("N = {stolen}\n");
            assert_eq!(answers(trace, "aggregate_all(count, event([thief=true]), N)"), expected, "{trace}");
        }
    }
}

#[test]
fn the_utilisation_of_all_agents_adds_up_to_the_mean_parallelism() {
    for (trace, ..) in &FACTS[..4] {
        let goal = "aggregate_all(sum(P), utilisation(_, P), S), mean_parallelism(M), X is round(S - 100 * M)";
        assert!(answers(trace, goal).ends_with(", X = 0\n"), "{trace}");
    }
}

/// The values come from a program that replays the files: first by AGENT_BUSY and AGENT_IDLE, then, without these
/// events, by boxes.
#[test]
fn an_agent_that_waits_at_a_join_does_not_work() {
    let goal = "findall(A-X, (utilisation(A, P), X is round(P * 1000)), L), mean_parallelism(M), N is round(M * 10000), R = L/N";
    for (name, by_events, by_boxes) in [
        ("ciao_fib_1agent.ev", "[0-100000]/10000", "[0-66981]/6698"),
        ("ciao_fib_2agents.ev", "[0-98263, 1-79056]/17732", "[0-98084, 1-78899]/17698"),
        ("ciao_qsort_3agents.ev", "[0-100000, 1-61334, 2-22]/16136", "[0-93264, 1-60824]/15409"),
        ("synth_and.ev", "[0-92691, 1-95819, 2-84998, 3-82541]/35605", "[0-89244, 1-93553, 2-82126, 3-80466]/34539"),
    ] {
        assert!(answers(name, goal).ends_with(&format!(", R = {by_events}\n")), "{name}: {}", answers(name, goal));
        let text = std::fs::read_to_string(data(&format!("visandor/{name}"))).unwrap();
        let is_told = |line: &&str| !matches!(line.split_whitespace().nth(1), Some("7" | "8"));
        let left: Vec<&str> = text.lines().filter(is_told).collect();
        let (_folder, path) = file(name, &(left.join("\n") + "\n"));
        let found = stdout(papaver().args(["query", "-q", goal]).arg(&path), 0);
        assert!(found.ends_with(&format!(", R = {by_boxes}\n")), "{name}: {found}");
    }
}

/// Agents without their first or last event, and one that reports the same twice.
#[test]
fn agents_are_busy_until_they_are_told_to_be_idle() {
    let events = "0 5 0 0 0 0\n10 8 0 0 0 0\n20 7 0 0 1 1\n30 7 0 0 1 1\n40 8 0 0 1 1\n50 8 0 0 1 1\n60 7 0 0 0 0\n100 6 0 0 0 0\n";
    let (_folder, path) = file("told.ev", &format!("0\n{events}"));
    let found = stdout(papaver().args(["query", "-q", "findall(A-F-T, busy(A, F, T), L)"]).arg(&path), 0);
    assert_eq!(found, "L = [0-0-10, 0-60-100, 1-20-40]\n");
}

#[test]
fn stolen_and_unfinished_branches_are_known() {
    check(&[
        ("synth_or.ev", "aggregate_all(r(count, max(D)), stolen_branch(_, _, _, D), R)", "R = r(12, 216)\n"),
        ("synth_andorra.ev", "aggregate_all(r(count, max(D)), stolen_branch(_, _, _, D), R)", "R = r(8, 608)\n"),
    ]);
    let (_folder, path) =
        file("cut.ev", "1\n0 5 0 0 0 0\n1 20 A 2 1 1\n2 21 A 0 1 1\n3 21 A 1 2 2\n5 22 A 0 1 1\n9 6 0 0 0 0\n");
    let goal = "unfinished_branch(B), finding(S, R, C, W)";
    let found = stdout(papaver().args(["query", "-q", goal]).arg(&path), 0);
    assert_eq!(found, "B = 4, S = warning, R = 'V16', C = 6, W = \"line 7: branch n1.1 never ends\"\n");
    let found = stdout(papaver().args(["check", "--builtin"]).arg(&path), 1);
    assert!(found.contains("violated every_branch_ends"), "{found}");
}

// The values below come from a program that replays the files event by event.
#[test]
fn work_and_critical_path_are_those_of_the_tree() {
    for (trace, work, path) in [
        ("ciao_fib_1agent.ev", 86, 30),
        ("ciao_fib_2agents.ev", 66351, 13939),
        ("ciao_qsort_3agents.ev", 7227, 3847),
        ("synth_and.ev", 10866, 778),
        ("synth_or.ev", 6627, 1411),
        ("synth_andorra.ev", 5643, 1191),
    ] {
        let found = answers(trace, "work(W), critical_path(_, L)");
        assert_eq!(found, format!("W = {work}, L = {path}\n"), "{trace}");
    }
}

#[test]
fn waiting_waste_and_migration_are_counted() {
    check(&[
        ("ciao_qsort_3agents.ev", "aggregate_all(sum(T), join_wait(_, T), S)", "S = 13094\n"),
        ("synth_and.ev", "aggregate_all(sum(T), join_wait(_, T), S)", "S = 18547\n"),
        ("synth_and.ev", "aggregate_all(count, run_locally(_), N)", "N = 3\n"),
        ("synth_and.ev", "aggregate_all(count, stolen(_, _, _, _), N)", "N = 19\n"),
        ("synth_or.ev", "wasted(T)", "T = 4686\n"),
        ("synth_andorra.ev", "wasted(T)", "T = 1263\n"),
        ("synth_or.ev", "aggregate_all(count-sum(T), suspended(_, T), R)", "R = 5-1544\n"),
        ("synth_or.ev", "aggregate_all(count, migrated(_, _, _), N)", "N = 31\n"),
        ("synth_and.ev", "wasted(T)", "T = 0\n"),
    ]);
}

#[test]
fn boxes_are_related_as_forks_and_tasks_are() {
    check(&[
        ("ciao_fib_2agents.ev", "findall(K, child(3, K), L)", "L = [4, 16]\n"),
        ("ciao_fib_2agents.ev", "findall(A, ancestor(17, A), L)", "L = [16, 3]\n"),
        ("ciao_fib_2agents.ev", "event([father=16, port=fork, call=C])", "C = 17\n"),
        ("ciao_fib_2agents.ev", "\\+ open_call(_)", "true\n"),
        ("synth_or.ev", "findall(K, child(2, K), L)", "L = [3]\n"),
        ("ciao_fib_2agents.ev", "task(3, 1, A, F, T), running(F, N)", "A = 1, F = 7827, T = 27534, N = 2\n"),
        ("synth_andorra.ev", "team(5, 1236420400, N)", "N = 3\n"),
        ("ciao_overflow.ev.gz", "finding(warning, full, C, _)", "C = (-)\n"),
    ]);
}

/// Branch n1.0 succeeds at 111, branch n1.1 fails at 112.
const BRANCHES: &str =
    "1\n100 5 0 0 1 1\n104 20 A 2 1 1\n105 21 A 0 1 1\n106 21 A 1 2 2\n111 22 A 0 1 1\n112 23 A 1 2 2\n114 6 0 0 1 1\n";

/// What stands in a page between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    text.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map_or("", |(found, _)| found)
}

#[test]
fn a_branch_that_fails_is_drawn_counted_and_listed_as_one_in_every_form_of_the_trace() {
    let success = BRANCHES.replace("112 23", "112 22");
    for (text, failed, errors, title, landmark) in [
        (BRANCHES, "[4]", "branch,2,1,", "failed: branch n1.1", true),
        (&success, "[]", "branch,2,0,", "branch n1.1", false),
    ] {
        let (folder, path) = file("or.ev", text);
        let converted = ["or.jsonl", "or.json", "or.papaver"].map(|name| {
            let to = folder.path().join(name);
            stdout(papaver().arg("convert").arg(&path).arg("-o").arg(&to), 0);
            to
        });
        for path in std::iter::once(&path).chain(&converted) {
            let found = stdout(papaver().args(["query", "-q", "findall(C, error(C), L)"]).arg(path), 0);
            assert_eq!(found, format!("L = {failed}\n"), "{path:?}");
            let rows = stdout(papaver().args(["stats", "--by", "name", "--to", "csv"]).arg(path), 0);
            assert!(rows.lines().any(|row| row.starts_with(errors)), "{path:?}: {rows}");
            let [picture, page] = ["svg", "html"].map(|ending| {
                let to = folder.path().join("view").with_extension(ending);
                stdout(papaver().arg("view").arg(path).arg("-o").arg(&to), 0);
                std::fs::read_to_string(to).unwrap()
            });
            assert!(picture.contains(&format!("<title>{title}</title>")), "{path:?}: {picture}");
            let failures = between(&page, "\"failures\":[", "]");
            assert_eq!(failures.contains("\"number\":6,"), landmark, "{path:?}: {failures}");
        }
    }
}
