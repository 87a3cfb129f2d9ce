//! The library is read on demand, and a script cannot change how.

use crate::support::{file, papaver, stdout};

#[test]
fn operators_and_flags_of_a_script_do_not_change_how_the_library_is_read() {
    let changed = ":- op(0, xfx, is), op(0, xfx, =..), op(0, xfy, ->), op(0, xfy, ;), op(0, fy, \\+).\n\
                   :- set_prolog_flag(double_quotes, codes).\n";
    let goals = ":- initialization(main).\n\
                 main :- nth0(1, [a, b], X), sumlist([1, 2], Y), foldl([A, B, C]>>plus(A, B, C), [1, 2], 0, Z),\n\
                 aggregate_all(max(V), member(V, [1, 3, 2]), M), print([X, Y, Z, M]).\n";
    let (_folder, script) = file("operators.pl", &format!("{changed}{goals}"));
    assert_eq!(stdout(papaver().arg("run").arg(script), 0), "[b,3,3,3]");
}

#[test]
fn a_script_has_its_own_predicate_and_the_library_keeps_its_own() {
    let rules = ":- initialization(main).\nappend(mine, _, _).\n\
                 main :- append(X, Y, Z), var(Y), var(Z), flatten([a, [b]], L), print(X-L).\n";
    let (_folder, script) = file("own.pl", rules);
    assert_eq!(stdout(papaver().arg("run").arg(script), 0), "mine-[a,b]");
}
