//! Terms in clauses: a clause builds and matches exactly the terms of its text, wherever they occur in it.

use crate::support::{file, papaver, stdout};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// The text of a term with few variables, so that each is likely to occur more than once.
    fn term(&mut self, depth: u32) -> String {
        let simple = ["A", "B", "C", "A", "B", "a", "[]", "17", "\"text\"", "2.5", "123456789012345678901234567890"];
        if depth == 0 || self.below(4) == 0 {
            return simple[self.below(simple.len() as u64) as usize].to_string();
        }
        let [first, second, third] = [(); 3].map(|()| self.term(depth - 1));
        match self.below(4) {
            0 => format!("f({first})"),
            1 => format!("[{first},{second}|{third}]"),
            2 => format!("g({first},{second})"),
            _ => format!("h({first},{second},{third})"),
        }
    }
}

const CHECKS: &str = "
same(X, X).
check(I, Text) :-
    term_string(Term, Text),
    head(I, X), expect(I, head, X, Term),
    goal(I, Y), expect(I, goal, Y, Term),
    unification(I, Z), expect(I, unification, Z, Term),
    late(I, V), expect(I, late, V, Term),
    copy_term(Term, Same), head(I, Same), expect(I, whole, Same, Term),
    ( compound(Term) -> functor(Term, F, N), functor(Part, F, N), head(I, Part), expect(I, part, Part, Term) ; true ).
expect(_, _, X, Y) :- X =@= Y, !.
expect(I, Where, X, Y) :- print(I-Where-X-Y), nl.
true(_).
";

#[test]
fn a_term_is_the_same_in_a_head_in_a_goal_and_read_at_run_time() {
    let mut numbers = Numbers(2026);
    let mut script =
        format!(":- initialization(main).\nmain :- forall(text(I, T), check(I, T)), write(done).\n{CHECKS}");
    let terms: Vec<String> = (0..400).map(|_| numbers.term(3)).collect();
    let clauses: [fn(usize, &str) -> String; 5] = [
        |i, term| format!("head({i}, {term}).\n"),
        |i, term| format!("goal({i}, X) :- same({term}, X).\n"),
        |i, term| format!("unification({i}, X) :- X = {term}.\n"),
        |i, term| format!("late({i}, X) :- true(A), same(X, {term}), true(f(A, B)), true(B).\n"),
        |i, term| format!("text({i}, {term:?}).\n"),
    ];
    for clause in clauses {
        terms.iter().enumerate().for_each(|(i, term)| script.push_str(&clause(i, term)));
    }
    let (_folder, path) = file("terms.pl", &script);
    assert_eq!(stdout(papaver().arg("run").arg(path), 0), "done");
}

#[test]
fn a_variable_may_stand_twice_in_one_compound() {
    let script = "
        :- initialization(main).
        pair(f(L, g), L).
        step(C, L-[C|Rest], L-Rest).
        main :- pair(f(A, A), B), print(B), nl, foldl(step, [1, 2, 3], Q-Q, M-[]), print(M).";
    let (_folder, path) = file("terms.pl", script);
    assert_eq!(stdout(papaver().arg("run").arg(path), 0), "g\n[1,2,3]");
}
