//! The `prolog` format: sessions and traces of Prolog systems, asked as a user asks.

use crate::support::{data, file, papaver, stdout};

fn answers(trace: &str, goal: &str) -> String {
    stdout(papaver().args(["query", "-q", goal, &data(&format!("prolog/{trace}"))]), 0)
}

#[test]
fn goals_are_terms_and_the_stack_is_that_of_the_program() {
    let goal = "event([port=exit, name=pair, args=[X, Y], level=10])";
    assert_eq!(answers("swi_trace2_redo.txt", goal), "X = 2, Y = 3\n");
    let goal = "event([port=exception, name=is, args=[R, E], call=C]), var(R), findall(N, (ancestor(C, A), call_start(A, S), attribute(S, name, N)), L)";
    let found = answers("swi_errors.txt", goal);
    assert!(found.contains("E = 0/0") && found.contains("L = [div, rate, catch, safe, main]"), "{found}");
}

#[test]
fn the_proof_tree_of_a_redone_call_has_its_last_solution() {
    let goal = "event([port=exit, name=pair, call=C, chrono=_]), proof_tree(C, T)";
    let found = answers("gnu_redo.txt", goal);
    assert_eq!(
        found,
        "C = 2, T = proof(2, pair(2, 3), [proof(3, p(2), []), proof(8, p(3), []), proof(11, 2+3=:=5, [])])\n"
    );
}

/// The first clause of `b` has called `p`, whose solution is undone: its variable is free again at the redo.
#[test]
fn a_clause_that_was_left_is_no_part_of_the_proof() {
    let text = "   Call: (10) b(_1, _2)\n   Call: (11) p(_1)\n   Exit: (11) p(1)\n   Call: (11) q\n   Fail: (11) q\n   \
                Redo: (10) b(_1, _2)\n   Call: (11) r(_1)\n   Exit: (11) r(2)\n   Exit: (10) b(2, _2)\n";
    let (_folder, path) = file("clauses.txt", text);
    let found = stdout(papaver().args(["query", "-q", "proof_tree(1, T)"]).arg(&path), 0);
    assert_eq!(found, "T = proof(1, b(2, _1), [proof(4, r(2), [])])\n");
    let kept = text.replace("Redo: (10) b(_1, _2)", "Redo: (10) b(1, _2)");
    let (_folder, path) = file("branches.txt", &kept);
    let found = stdout(papaver().args(["query", "-q", "proof_tree(1, T)"]).arg(&path), 0);
    assert_eq!(found, "T = proof(1, b(2, _1), [proof(2, p(1), []), proof(4, r(2), [])])\n");
}

/// The redo of a child enters its parent again: what its grandparent did in between is undone.
#[test]
fn a_redo_undoes_what_the_callers_did_after_it() {
    let text = "   Call: (10) a\n   Call: (11) b(_1)\n   Call: (12) p(_1)\n   Exit: (12) p(1)\n   Exit: (11) b(1)\n   \
                Call: (11) c(1)\n   Exit: (11) c(1)\n   Redo: (12) p(_1)\n   Exit: (12) p(2)\n   Exit: (11) b(2)\n   \
                Call: (11) c(2)\n   Exit: (11) c(2)\n   Exit: (10) a\n";
    let (_folder, path) = file("redo.txt", text);
    let found = stdout(papaver().args(["query", "-q", "proof_tree(1, T)"]).arg(&path), 0);
    assert_eq!(found, "T = proof(1, a, [proof(2, b(2), [proof(3, p(2), [])]), proof(5, c(2), [])])\n");
}

#[test]
fn solutions_that_are_collected_stay_in_the_proof() {
    let found = answers("gnu_redo.txt", "event([port=exit, name=findall, call=C]), proof_tree(C, T)");
    assert!(found.contains("p(1)") && found.contains("p(2)") && found.contains("p(3)"), "{found}");
}

#[test]
fn calls_that_an_exception_left_are_no_fault_of_a_check() {
    for (trace, status) in [("swi_errors.txt", 0), ("swi_sets.txt", 0), ("gnu_redo.txt", 0), ("swi_redo.txt", 0)] {
        let found = stdout(papaver().args(["check", "--builtin", &data(&format!("prolog/{trace}"))]), status);
        assert!(found.contains("every_call_ends"), "{trace}: {found}");
    }
    let found = stdout(papaver().args(["check", "--builtin", &data("prolog/gnu_leashed_pair.txt")]), 1);
    assert!(found.contains("every_call_ends"), "{found}");
}
